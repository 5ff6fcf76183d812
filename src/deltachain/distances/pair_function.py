"""Functions d: S × S → [0, 1] of pairs of states, as the paper's operators take them and give them [CMP18, Def. 11].

`PairFunction` holds one exactly. `read_pair_function` makes it of whatever says a number for each pair: a mapping, a
square matrix in the order of the states, a `Distance`, or another one of these.

What nobody says has its usual value: 0 for a state and itself, which no function f can tell apart from itself, and 1
for states of different labels. A pair of one label must be said; said in one direction only, it is symmetric.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import Defect, InputError, UnknownState
from ..files import open_regular
from ..model import Chain
from ..numbers.exponential import Exponential, read_exponential
from ..numbers.field import Exact
from ..numbers.fraction import Number, as_fraction

BoundSide = Literal["lower", "upper"]
"""What values are: bounds of the least fixed point from below, or from above."""

SHOWN_DEFECTS = 5
MAX_FILE = 500_000_000
"""The largest file of pairs that is read."""
ZERO, ONE = Fraction(0), Fraction(1)


class Pairwise(Protocol):
    """What has a value for each pair of states by name, such as `Distance`."""

    def __getitem__(self, pair: tuple[str | int, str | int], /) -> Exact: ...


CostsGiven = Pairwise | Mapping[Any, Number | Exact] | Sequence[Sequence[Number | Exact]]
"""What `read_pair_function` takes; the keys of a mapping are pairs of states, by name or number."""


def read_exact(value: Number | Exact, place: str) -> Exact:
    """A number exactly: a Fraction, a function of e, or text of either."""
    if isinstance(value, Exponential):
        known = value.rational
        return value if known is None else known
    if isinstance(value, str) and "e" in value and "exp" in value:
        try:
            return read_exact(read_exponential(value), place)
        except ValueError as reason:
            raise InputError(f"{place}: {reason}") from None
    return as_fraction(value, place)


@dataclass(frozen=True, repr=False)
class PairFunction:
    """A function d: S × S → [0, 1] of pairs of states, exact: ``d["s", "t"]``, by name or number.

    Attributes:
        states: the names of the states.
        labels: their labels.
        values: each ordered pair of numbers whose value is said; others have 0 on the diagonal, and 1.
        side: what the values are known to be of the least fixed point of the operator that made them: ``"lower"`` or
            ``"upper"``; None where nothing is known.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    values: Mapping[tuple[int, int], Exact]
    side: BoundSide | None = None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.states)}

    def _number(self, state: str | int) -> int:
        found = self._numbers.get(state) if isinstance(state, str) else state
        if found is None or not 0 <= found < len(self.states):
            raise UnknownState(f"no state {state!r}: states are {', '.join(self.states[:5])}")
        return found

    def __getitem__(self, pair: tuple[str | int, str | int]) -> Exact:
        return self.at(self._number(pair[0]), self._number(pair[1]))

    def at(self, i: int, j: int) -> Exact:
        """The value of a pair of numbers."""
        return ZERO if i == j else self.values.get((i, j), ONE)

    def items(self) -> Iterator[tuple[tuple[str, str], Exact]]:
        """The pairs of different states of one label, and those of other labels that are below 1, by name."""
        for (i, j), value in self.values.items():
            yield (self.states[i], self.states[j]), value

    def matrix(self) -> list[list[Exact]]:
        """The values of all pairs, in the order of ``states``."""
        count = range(len(self.states))
        return [[self.at(i, j) for j in count] for i in count]

    def __le__(self, other: PairFunction) -> bool:
        """Whether every value is at most the other one's: the paper's pointwise order ⊑."""
        said = {**self.values, **other.values}
        return all(self.at(i, j) <= other.at(i, j) for i, j in said)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairFunction):
            return NotImplemented
        same = self.states == other.states and self.labels == other.labels
        return same and all(self.at(i, j) == other.at(i, j) for i, j in {**self.values, **other.values})

    def __hash__(self) -> int:
        return hash((self.states, self.labels))

    @property
    def symmetric(self) -> bool:
        """Whether the value of a pair is that of the pair turned round."""
        return all(self.at(i, j) == self.at(j, i) for i, j in self.values)

    @cached_property
    def across(self) -> bool:
        """Whether states of different labels may have a value below 1."""
        return any(self.labels[i] != self.labels[j] and value < 1 for (i, j), value in self.values.items())

    def __repr__(self) -> str:
        said = f", {self.side}" if self.side else ""
        listed = [f"({s}, {t}): {value}" for (s, t), value in self.items()]
        more = f", … ({len(listed)} pairs)" if len(listed) > SHOWN_DEFECTS else ""
        return f"<PairFunction: {', '.join(listed[:SHOWN_DEFECTS])}{more}{said}>"


def read_pair_function(chain: Chain, d: CostsGiven, place: str = "d") -> PairFunction:
    """A function of the pairs of a chain's states, of whatever says its values; InputError with what is wrong."""
    if isinstance(d, PairFunction):
        if d.states != chain.states or d.labels != chain.labels:
            raise InputError(Defect(place, "it is of another chain", "make it from this one"))
        return d
    if isinstance(d, Mapping):
        return _read_mapping(chain, d, place)
    if isinstance(d, Sequence) or hasattr(d, "__array__"):
        return _read_matrix(chain, d, place)
    if not hasattr(d, "__getitem__"):
        what = f"{type(d).__name__} has no values of pairs"
        raise InputError(Defect(place, what, "give a mapping of pairs, a square matrix, or a Distance"))
    names, values = chain.states, dict[tuple[int, int], Exact]()
    for i, j in _same_label_pairs(chain):
        values[i, j] = _within(d[names[i], names[j]], f"{place}({names[i]}, {names[j]})")
    return PairFunction(names, chain.labels, values)


def _same_label_pairs(chain: Chain) -> Iterator[tuple[int, int]]:
    """The ordered pairs of different states of one label."""
    for block in chain.by_label.values():
        yield from ((i, j) for i in block for j in block if i != j)


def _within(value: Number | Exact, place: str) -> Exact:
    number = read_exact(value, place)
    if not 0 <= number <= 1:
        raise InputError(f"{place}: {number} is outside [0, 1]")
    return number


def _read_matrix(chain: Chain, rows: Any, place: str) -> PairFunction:
    size = len(chain)
    if len(rows) != size or any(len(row) != size for row in rows):
        raise InputError(Defect(place, "it is not a square matrix in the order of the states", f"give {size} × {size}"))
    values = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            number = _within(value, f"{place}[{i}][{j}]")
            if i != j and (chain.labels[i] == chain.labels[j] or number != 1):
                values[i, j] = number
    return PairFunction(chain.states, chain.labels, values)


def _read_mapping(chain: Chain, given: Mapping[Any, Number | Exact], place: str) -> PairFunction:
    values: dict[tuple[int, int], Exact] = {}
    defects: list[Defect] = []
    for pair, value in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            defects.append(Defect(place, f"{pair!r} is not a pair of states", "give (s, t): value"))
            continue
        try:
            i, j = (chain.number(state) for state in pair)
            number = _within(value, f"{place}({chain.states[i]}, {chain.states[j]})")
        except InputError as error:
            defects += error.defects
            continue
        if i != j:
            values[i, j] = number
    if defects:
        raise InputError(defects)
    # Said in one direction only: symmetric.
    values = {(j, i): value for (i, j), value in values.items()} | values
    missing = [pair for pair in _same_label_pairs(chain) if pair not in values]
    if missing:
        shown = [f"({chain.states[i]}, {chain.states[j]})" for i, j in missing if i < j][:SHOWN_DEFECTS]
        more = ", …" if len(missing) > 2 * len(shown) else ""
        raise InputError(Defect(place, f"no value for {', '.join(shown)}{more}", "say every pair of one label"))
    order = sorted(pair for pair in values if chain.labels[pair[0]] == chain.labels[pair[1]] or values[pair] != 1)
    return PairFunction(chain.states, chain.labels, {pair: values[pair] for pair in order})


# Files.


def load_pair_function(chain: Chain, path: str | Path) -> PairFunction:
    """A function of pairs from a file; InputError with what is wrong.

    A ``.jsonl`` file has a line for each pair, as ``distance --out`` writes it, with the keys ``pair``, ``value`` and,
    for the pair turned round, ``reverse``. A ``.json`` file is the document of ``distance --json``, or a list of
    ``[s, t, value]``.
    """
    with open_regular(path, MAX_FILE) as file:
        data = file.read(MAX_FILE + 1)
    rows: Any = []
    try:
        text = data.decode()
        if Path(path).suffix == ".jsonl":
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            document = json.loads(text)
            rows = document["results"] if isinstance(document, dict) and "results" in document else document
    except (ValueError, RecursionError) as reason:
        raise InputError(Defect(str(path), f"it is not JSON: {reason}", "write a list of [s, t, value]")) from None
    if not isinstance(rows, list):
        raise InputError(Defect(str(path), "it is not a list of pairs", "write a list of [s, t, value]"))
    given: dict[tuple[str, str], Number] = {}
    defects: list[Defect] = []
    for number, row in enumerate(rows, 1):
        place = f"{path}, pair {number}"
        try:
            for pair, value in _pairs_of_row(row, place):
                if given.setdefault(pair, value) != value:
                    defects.append(Defect(place, f"({', '.join(pair)}) has another value above", "state it once"))
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)
    return read_pair_function(chain, given, str(path))


def _pairs_of_row(row: Any, place: str) -> Iterator[tuple[tuple[str, str], Number]]:
    """The pairs that a row says, with their values."""
    if isinstance(row, list) and len(row) == 3:
        row = {"pair": row[:2], "value": row[2]}
    pair = row.get("pair") if isinstance(row, dict) else None
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(state, str) for state in pair):
        raise InputError(Defect(place, "it does not name two states", 'write ["s", "t", "1/2"]'))
    s, t = pair
    for ends, key in (((s, t), "value"), ((t, s), "reverse")):
        if key in row:
            value = row[key]["exact"] if isinstance(row[key], dict) and "exact" in row[key] else row[key]
            if not isinstance(value, int | float | str) or isinstance(value, bool):
                raise InputError(Defect(place, f"{key} is not a number", "write it as text: '1/2'"))
            yield ends, value
