"""Distances of many pairs as a table that makes its rows when they are asked for: millions of them are a few arrays."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

if TYPE_CHECKING:  # tables of exact values are made without numpy
    from ..kernels.types import Ints, Ints32, Reals
    from ..numbers.field import Exact

TableSide = Literal["exact", "upper"]

SPAN = 65_536
"""Rows that are taken from the arrays at a time."""


@dataclass(frozen=True, slots=True)
class PairDistance:
    """The distance of one pair, and of the pair turned round; ``side``: exact, or certified from above.

    Certified values are Fractions. Exact ones are functions of e^(1/k) where the chain's rows are.
    """

    pair: tuple[str, str]
    value: Exact
    reverse: Exact
    side: TableSide
    lowers: tuple[Exact, Exact] | None = None
    """Certified lower bounds of both, where the values are upper ones and somebody asked for more."""

    @property
    def lower(self) -> Exact | None:
        """The lower side of the value: itself where that is exact, None where it is not known. No bound on δ."""
        return self.value if self.side == "exact" else None if self.lowers is None else self.lowers[0]

    @property
    def reverse_lower(self) -> Exact | None:
        """The lower side of ``reverse``."""
        return self.reverse if self.side == "exact" else None if self.lowers is None else self.lowers[1]

    @property
    def largest(self) -> Exact:
        """The larger of both directions: this one bounds δ."""
        return max(self.value, self.reverse)


class PairTable(Sequence[PairDistance]):
    """Certified upper values of pairs (first[i], second[i]) of states, floats that stand for the rationals they are.

    ``value`` is that of the pair, ``reverse`` of the pair turned round; ``lowers`` are their lower sides, if known.
    Compares as the tuple of its rows would.
    """

    side: TableSide = "upper"

    def __init__(
        self,
        states: tuple[str, ...],
        first: Ints32,
        second: Ints32,
        value: Reals,
        reverse: Reals,
        lowers: tuple[Reals, Reals] | None = None,
    ) -> None:
        self.states, self.first, self.second = states, first, second
        self.value, self.reverse, self.lowers = value, reverse, lowers

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, at: int) -> PairDistance: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[PairDistance, ...]: ...
    def __getitem__(self, at: int | slice) -> PairDistance | tuple[PairDistance, ...]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        pair = self.states[self.first[at]], self.states[self.second[at]]
        sides = [_as_fraction(float(side[at])) for side in (self.value, self.reverse, *(self.lowers or ()))]
        return self._row(pair, sides)

    def __iter__(self) -> Iterator[PairDistance]:
        names = self.states
        for start in range(0, len(self), SPAN):
            span = (column[start : start + SPAN].tolist() for column in (*self.columns, *(self.lowers or ())))
            for s, t, *sides in zip(*span, strict=True):
                yield self._row((names[s], names[t]), [*map(_as_fraction, sides)])

    def _row(self, pair: tuple[str, str], sides: list[Fraction]) -> PairDistance:
        """A row from its value and its reverse, and, where they are known, the lower sides of both."""
        value, reverse, *lowers = sides
        return PairDistance(pair, value, reverse, self.side, (lowers[0], lowers[1]) if lowers else None)

    @property
    def columns(self) -> tuple[Ints32, Ints32, Reals, Reals]:
        """The numbers of both states, the value, and the value turned round, as arrays."""
        return self.first, self.second, self.value, self.reverse

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairTable):
            return isinstance(other, tuple) and tuple(self) == other
        if self.states != other.states or len(self) != len(other):
            return False
        pairs = (self.first == other.first) & (self.second == other.second)
        values = (self.value == other.value) & (self.reverse == other.reverse)
        if self.lowers is None or other.lowers is None:
            return bool((pairs & values).all()) and self.lowers is other.lowers
        below = [mine == theirs for mine, theirs in zip(self.lowers, other.lowers, strict=True)]
        return bool((pairs & values & below[0] & below[1]).all())

    def __hash__(self) -> int:
        return hash((self.states, len(self), *(float(side.sum()) for side in (self.value, self.reverse))))

    def __repr__(self) -> str:
        return f"<PairTable: {len(self)} pairs>"

    @cached_property
    def number(self) -> dict[str, int]:
        """State → its number."""
        return {name: i for i, name in enumerate(self.states)}

    @cached_property
    def _order(self) -> tuple[Ints, Ints]:
        """Where each pair is: one number for it, sorted, and the rows in that order."""
        keys = self.first.astype(np.int64) * len(self.states) + self.second
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def find(self, s: int, t: int) -> Fraction | None:
        """The value of (s, t), if that pair, this way or turned round, has a row."""
        keys, order = self._order
        for key, side in ((s * len(self.states) + t, self.value), (t * len(self.states) + s, self.reverse)):
            at = int(keys.searchsorted(key))
            if at < len(keys) and keys[at] == key:
                return _as_fraction(float(side[order[at]]))
        return None


def largest_of(rows: Sequence[PairDistance]) -> Exact:
    """The largest value of a table, both directions; 0 if it is empty."""
    if isinstance(rows, PairTable):
        return Fraction(max((float(side.max(initial=0.0)) for side in (rows.value, rows.reverse)), default=0.0))
    return max((row.largest for row in rows), default=Fraction(0))


def largest_lower_of(rows: Sequence[PairDistance]) -> Exact | None:
    """A lower bound of the largest value, the largest of all lower sides; None if there are none."""
    if isinstance(rows, PairTable):
        sides = [float(side.max(initial=0.0)) for side in rows.lowers or ()]
        return Fraction(max(sides)) if sides else None
    known = [low for row in rows for low in (row.lower, row.reverse_lower) if low is not None]
    return max(known, default=None if rows else Fraction(0))


def top_of(rows: Sequence[PairDistance], count: int) -> list[PairDistance]:
    """The rows with the largest values, largest first; those with equal ones in the order of the table."""
    if not isinstance(rows, PairTable):
        return heapq.nlargest(count, rows, key=lambda row: row.largest)
    order = np.argsort(-np.maximum(rows.value, rows.reverse), kind="stable")[:count]
    return [rows[int(at)] for at in order]


def top_below_one(rows: Sequence[PairDistance], count: int) -> tuple[list[PairDistance], int]:
    """The rows with the largest values below 1, as `top_of` orders them, and how many rows have the value 1."""
    if not isinstance(rows, PairTable):
        below = [row for row in rows if row.largest < 1]
        return top_of(below, count), len(rows) - len(below)
    largest = np.maximum(rows.value, rows.reverse)
    below_one = np.flatnonzero(largest < 1)
    order = below_one[np.argsort(-largest[below_one], kind="stable")[:count]]
    return [rows[int(at)] for at in order], len(rows) - len(below_one)


@lru_cache(maxsize=100_000)
def _as_fraction(value: float) -> Fraction:
    """The rational that a float is; the same object for the same value, of which there are often few."""
    return Fraction(value)
