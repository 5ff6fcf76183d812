"""Two distributions over the same outcomes in a CSV file: a line per outcome, a column per distribution.

::

    outcome,with,without
    heads,2/5,3/5
    tails,0.6,0.4

The first column, the names of the outcomes, may be missing; outcomes are then numbered from 0. So may the first line,
which names the two start states; they are then called p and q. The chain is that of `model.from_distributions`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from ..cancel import Cancel
from ..errors import Defect, FormatError
from ..model import Loaded
from ..model.build import distributions_chain
from ..settings import Settings
from .format import MAX_FAULTS, Format, ProbabilityReader, normalised_notes, read_lines

FIX = "write 'outcome,1/3,0.25', or the two probabilities alone"


def load_distributions(path: Path, settings: Settings) -> Loaded:
    """The chain of a CSV file; FormatError with every line that is not two probabilities, ModelError for wrong sums."""
    table = _Table(str(path))
    for line, cells in csv_records(path, settings.cancel):
        if any(cell.strip() for cell in cells):
            table.add(line, [cell.strip() for cell in cells])
    table.check()
    changed: list[tuple[int, Fraction]] = []
    chain = distributions_chain(
        list(table.lines),
        (table.left, table.right),
        table.names,
        normalise=settings.normalise,
        place=lambda state: f"{path}: column of {table.names[state]!r}",
        on_normalised=lambda state, total: changed.append((state, total)),
        cancel=settings.cancel,
    )
    return Loaded(chain, str(path), normalised_notes(chain.states, changed))


def csv_records(path: Path, cancel: Cancel | None) -> Iterator[tuple[int, list[str]]]:
    """The records of a CSV file, each with its first line; FormatError for what cannot be split into cells.

    ``"-"`` is standard input.
    """
    # With their ends, for a quoted cell may have several lines, and keeps them apart.
    records = csv.reader(f"{line}\n" for line in read_lines(path, cancel))
    while True:
        line = records.line_num + 1
        try:
            cells = next(records, None)
        except csv.Error as error:
            if "limit" in str(error):
                most = csv.field_size_limit()
                what, fix = f"a cell has more than {most:,} characters", "shorten it; a quote that is never closed?"
            else:
                what, fix = "a carriage return within a line", "end lines with \\n or \\r\\n"
            raise FormatError(Defect(f"{path}:{line}", what, fix)) from None
        if cells is None:
            return
        yield line, cells


class _Table:
    """The columns of the file, filled line by line."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.names = ("p", "q")
        self.width = 0
        self.lines: dict[str, int] = {}  # outcome → its line
        self.left: list[Fraction] = []
        self.right: list[Fraction] = []
        self.defects: list[Defect] = []
        self.numbers = False  # whether some cell is one
        self._read = ProbabilityReader()

    def add(self, line: int, cells: list[str]) -> None:
        """Take a line that is not empty."""
        if not self.width and len(cells) in (2, 3):
            self.width = len(cells)
            if not any(_is_number(cell) for cell in cells[-2:]):
                self.names = (cells[-2], cells[-1])
                if len(set(self.names)) != 2 or not all(self.names):
                    self._wrong(line, "the first line does not name two distributions", "give each a name of its own")
                return
        if len(cells) != (self.width or 2):
            self._wrong(line, f"expected {self.width or 'two or three'} cells, found {len(cells)}", FIX)
            return
        outcome = cells[0] if self.width == 3 else str(len(self.lines))
        if outcome in self.lines:
            self._wrong(
                line, f"outcome {outcome[:40]!r} is given twice, first in line {self.lines[outcome]}", "add them"
            )
            return
        self.lines[outcome] = line
        self.numbers = self.numbers or any(_is_number(cell) for cell in cells[-2:])
        for column, cell in ((self.left, cells[-2]), (self.right, cells[-1])):
            try:
                column.append(self._read(cell))
            except ValueError as reason:
                self._wrong(line, f"expected a probability: {reason}", FIX)

    def _wrong(self, line: int, what: str, fix: str) -> None:
        self.defects.append(Defect(f"{self.source}:{line}", what, fix))
        if len(self.defects) >= MAX_FAULTS:
            self.check()

    def check(self) -> None:
        """Raise FormatError with everything found, or if there are no outcomes."""
        if not self.lines and not self.defects:
            self.defects.append(Defect(self.source, "it has no outcomes", FIX))
        if self.defects and self.lines and not self.numbers:  # one defect, not one per cell
            what = "none of its cells is a probability"
            fix = "for an event log: deltachain counts LOG --secrets … --outputs … --out model.json"
            raise FormatError(Defect(self.source, what, fix))
        if self.defects:
            raise FormatError(self.defects)


def _is_number(text: str) -> bool:
    return text[:1].isdecimal() or text[:1] in ("-", "+", ".")


CSV = Format(title="two distributions as columns of CSV, read only", read=load_distributions)
