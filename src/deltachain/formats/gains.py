"""Priors and gains of someone who guesses, as CSV or from Python: read exactly, every defect with its line.

A prior has a line ``secret,probability`` for each secret. A table of gains has the header ``guess,s0,s1,…`` and a line
for each action, with what it gains for each secret: 1 if it is right and 0 if not, or any numbers from 0 on.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import Defect, FormatError, InputError
from ..numbers.fraction import Number, as_fraction, format_fraction, parse_fraction

PriorLike = Mapping[str, Number] | str | Path
GainLike = Mapping[str, Mapping[str, Number]] | str | Path
LONGEST = 10_000_000
"""Bytes of such a file."""


def read_prior(given: PriorLike | None, secrets: Sequence[str], place: str = "prior") -> tuple[Fraction, ...]:
    """The probability of each secret, in their order; uniform if nothing is given. InputError lists every defect."""
    if given is None:
        return tuple([Fraction(1, len(secrets))] * len(secrets))
    faults = _Faults()
    found: dict[str, Fraction] = {}
    if isinstance(given, Mapping):
        entries = [(f"{place}[{name!r}]", str(name), value) for name, value in given.items()]
    else:
        entries = [
            (where, cells[0], cells[1])
            for where, cells in _lines(given, place, faults)
            if faults.width(where, cells, 2, "secret,probability")
        ]
    for where, name, value in entries:
        number = faults.number(where, value)
        if name not in secrets:
            faults.add(where, f"{name!r} is not one of the secrets", f"they are {', '.join(secrets[:8])}")
        elif name in found:
            faults.add(where, f"{name!r} is given twice", "keep one line")
        elif number is not None:
            found[name] = number
    missing = [name for name in secrets if name not in found]
    if missing and not faults.defects:
        faults.add(place, f"no probability for {', '.join(missing[:8])}", "give each secret a line, 0 if need be")
    total = sum(found.values(), Fraction(0))
    if not faults.defects and total != 1:
        faults.add(place, f"the probabilities sum to {format_fraction(total)}", "let them sum to exactly 1")
    faults.end()
    return tuple(found[name] for name in secrets)


def read_gains(
    given: GainLike, secrets: Sequence[str], place: str = "gain"
) -> tuple[tuple[str, ...], tuple[tuple[Fraction, ...], ...]]:
    """The actions, and what each gains for each secret, in their order. InputError lists every defect."""
    faults = _Faults()
    rows: dict[str, dict[str, Fraction]] = {}
    for where, action, entries in _gain_rows(given, secrets, place, faults):
        if action in rows:
            faults.add(where, f"the guess {action!r} is given twice", "keep one line")
        rows[action] = {}
        for name, value in entries:
            number = faults.number(where, value)
            if name not in secrets:
                faults.add(where, f"{name!r} is not one of the secrets", f"they are {', '.join(secrets[:8])}")
            elif number is not None:
                rows[action][name] = number
        if not faults.defects and (missing := [name for name in secrets if name not in rows[action]]):
            faults.add(where, f"no gain for {', '.join(missing[:8])}", "give each secret a number, 0 if need be")
    if not rows and not faults.defects:
        faults.add(place, "there is no guess", "write the header guess,s0,s1,… and a line for each guess")
    faults.end()
    return tuple(rows), tuple(tuple(row[name] for name in secrets) for row in rows.values())


def _gain_rows(
    given: GainLike, secrets: Sequence[str], place: str, faults: _Faults
) -> list[tuple[str, str, list[tuple[str, Any]]]]:
    if isinstance(given, Mapping):
        return [(f"{place}[{action!r}]", str(action), list(row.items())) for action, row in given.items()]
    lines = _lines(given, place, faults)
    if not lines:
        return []
    where, header = lines[0]
    if len(header) < 2:
        faults.add(where, "this is not the header guess,s0,s1,…", f"write guess,{','.join(secrets[:3])},…")
        return []
    for name in sorted({name for name in header[1:] if header[1:].count(name) > 1}):
        faults.add(where, f"{name!r} is given twice", "keep one column")
    return [
        (where, cells[0], list(zip(header[1:], cells[1:], strict=True)))
        for where, cells in lines[1:]
        if faults.width(where, cells, len(header), ",".join(header))
    ]


class _Faults:
    """All that is wrong, with its place."""

    def __init__(self) -> None:
        self.defects: list[Defect] = []

    def add(self, where: str, what: str, fix: str = "") -> None:
        self.defects.append(Defect(where, what, fix))

    def width(self, where: str, cells: Sequence[str], count: int, header: str) -> bool:
        """Whether a line has so many cells."""
        if len(cells) != count:
            self.add(where, f"{len(cells)} cells", f"write {count}: {header}")
        return len(cells) == count

    def number(self, where: str, value: Any) -> Fraction | None:
        """A number from 0 on."""
        try:
            number = parse_fraction(value) if isinstance(value, str) else as_fraction(value, where)
        except (InputError, ValueError) as error:
            self.add(where, f"{str(value)[:60]!r} is not a number ({error})", "write 0.25 or 1/4")
            return None
        if number < 0:
            self.add(where, f"{format_fraction(number)} is negative", "give numbers from 0 on")
            return None
        return number

    def end(self) -> None:
        if self.defects:
            raise FormatError(self.defects)


def _lines(path: str | Path, place: str, faults: _Faults) -> list[tuple[str, list[str]]]:
    """The lines of a CSV file that are not blank, each with its place."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LONGEST + 1)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(Defect(f"{place} {path}", f"cannot read it: {reason}")) from None
    if len(data) > LONGEST:
        raise InputError(Defect(f"{place} {path}", f"it is longer than {LONGEST:,} bytes"))
    found: list[tuple[str, list[str]]] = []
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        lines = ((f"{path}:{reader.line_num}", [cell.strip() for cell in cells]) for cells in reader)
        found += [(where, cells) for where, cells in lines if any(cells)]
    except csv.Error as error:
        faults.add(f"{path}:{reader.line_num}", str(error), "write plain CSV")
    return found
