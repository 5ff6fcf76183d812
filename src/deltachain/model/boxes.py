"""Rows that are boxes: probabilities known within limits, and mass that is not known at all (docs/theory/boxes.md).

A box gives lo_j ≤ p_j ≤ hi_j for the targets that it lists, with Σ p_j ≤ 1 and 1 − Σ p_j ≤ rest. What is missing from
1 goes to states outside the model, of any label and any behaviour; it may come back. Rows of different states vary
independently of each other. Every statement about a chain with boxes holds for all chains inside them.

There are two kinds. An *enclosure* is around one number that is known but has no finite digits, such as e^(−1/10):
there is one mechanism, and the box is as narrow as one likes. *Limits*, given or found from counts, leave many chains
possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from typing import Literal, TypeVar

Origin = Literal["enclosure", "limits", "counts"]
"""Where a box comes from: around a known number, limits that were given, or counts at a confidence."""

ZERO = Fraction(0)

Row = tuple[tuple[int, Fraction], ...]
"""The positive probabilities of one state: (target, probability), by increasing target."""


Polynomial = tuple[int, ...]
"""Integer coefficients of a polynomial in X, that of X^0 first."""


@dataclass(frozen=True, slots=True)
class ExactRow:
    """The probabilities that a box encloses, where they are known exactly: rational functions of X = e^(1/k).

    The probability of target j is tops[j](X) / bottom(X); the tops add up to bottom, coefficient by coefficient.
    """

    k: int
    tops: tuple[tuple[int, Polynomial], ...]
    """(target, numerator), by increasing target."""
    bottom: Polynomial

    def sums_to_one(self) -> bool:
        """Whether the probabilities add up to 1 by identity."""
        return trimmed(added([top for _, top in self.tops])) == trimmed(self.bottom)

    def renumbered(self, new: Mapping[int, int] | Sequence[int]) -> ExactRow:
        """The same with other numbers for the targets."""
        return ExactRow(self.k, tuple(sorted((new[j], top) for j, top in self.tops)), self.bottom)

    def merged(self, block: Sequence[int]) -> ExactRow:
        """What goes into each block of targets."""
        into: dict[int, list[Polynomial]] = {}
        for target, top in self.tops:
            into.setdefault(block[target], []).append(top)
        return ExactRow(self.k, tuple((b, trimmed(added(into[b]))) for b in sorted(into)), self.bottom)


def added(polynomials: Sequence[Polynomial]) -> Polynomial:
    """The sum."""
    return tuple(map(sum, zip_longest(*polynomials, fillvalue=0)))


def trimmed(polynomial: Polynomial) -> Polynomial:
    """Without zeros behind the last coefficient."""
    end = len(polynomial)
    while end and polynomial[end - 1] == 0:
        end -= 1
    return polynomial[:end]


@dataclass(frozen=True, slots=True)
class BoxRow:
    """lo ≤ p ≤ hi for each target listed, by increasing target; at most ``rest`` goes elsewhere.

    Iterating gives (target, lo, hi).
    """

    entries: tuple[tuple[int, Fraction, Fraction], ...]
    rest: Fraction = ZERO
    origin: Origin = "limits"
    exact: ExactRow | None = None
    """What an enclosure is around, where that is known exactly; then nothing goes elsewhere."""

    def __iter__(self) -> Iterator[tuple[int, Fraction, Fraction]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def tightened(self) -> BoxRow | Row:
        """The least box with the same rows inside; a plain row if there is only one. The box must not be empty.

        >>> half, most = Fraction(1, 2), Fraction(9, 10)
        >>> BoxRow(((0, half, most), (1, Fraction(0), Fraction(1)))).tightened().entries[1][2]
        Fraction(1, 2)
        """
        # Whole numbers over one denominator: adding Fractions would take most of the time of a large model.
        one, lows, highs = self.scaled()
        low, high = sum(lows), sum(highs)
        rest = min(self.rest, Fraction(one - low, one))
        rest_part = rest.numerator * one // rest.denominator  # exact: `one` is a multiple of its denominator
        kept: list[tuple[int, Fraction, Fraction]] = []
        point = rest == 0
        for (target, lo, hi), bottom, top in zip(self.entries, lows, highs, strict=True):
            below, above = max(bottom, one - rest_part - (high - top)), min(top, one - (low - bottom))
            if above > 0:
                point &= below == above
                most = hi if above == top else Fraction(above, one)
                kept.append((target, lo if below == bottom else most if below == above else Fraction(below, one), most))
        if point:
            return tuple((target, lo) for target, lo, _ in kept)
        return BoxRow(tuple(kept), rest, self.origin, self.exact)

    def scaled(self) -> tuple[int, list[int], list[int]]:
        """A common denominator of all numbers of the box, and the lower and the upper ends over it."""
        one = math.lcm(self.rest.denominator, *{end.denominator for _, lo, hi in self for end in (lo, hi)})
        lows = [lo.numerator * (one // lo.denominator) for _, lo, _ in self]
        return one, lows, [hi.numerator * (one // hi.denominator) for _, _, hi in self]

    def renumbered(self, new: Mapping[int, int] | Sequence[int]) -> BoxRow:
        """The same box with other numbers for its targets."""
        entries = tuple(sorted((new[j], lo, hi) for j, lo, hi in self))
        return BoxRow(entries, self.rest, self.origin, None if self.exact is None else self.exact.renumbered(new))

    def merged(self, block: Sequence[int]) -> BoxRow | Row:
        """The box of what goes into each block of targets: every row inside goes to one inside."""
        low: dict[int, Fraction] = {}
        high: dict[int, Fraction] = {}
        for target, lo, hi in self:
            into = block[target]
            low[into] = low.get(into, ZERO) + lo
            high[into] = high.get(into, ZERO) + hi
        entries = tuple((into, low[into], min(high[into], Fraction(1))) for into in sorted(low))
        exact = None if self.exact is None else self.exact.merged(block)
        return BoxRow(entries, self.rest, self.origin, exact).tightened()

    def centre(self) -> tuple[tuple[tuple[int, Fraction], ...], Fraction]:
        """A row in the middle, and what it leaves for states outside: (target, probability) with p = lo + c·(hi − lo).

        One c for all targets, and for ``rest``; a target whose probability comes out as 0 is left out.
        """
        low, high = sum((lo for _, lo, _ in self), ZERO), sum((hi for _, _, hi in self), self.rest)
        share = ZERO if high == low else (1 - low) / (high - low)
        row = tuple((target, lo + share * (hi - lo)) for target, lo, hi in self)
        return tuple((target, p) for target, p in row if p > 0), 1 - sum((p for _, p in row), ZERO)


AnyRow = Row | BoxRow
"""A row of points, or a box."""


def as_box(row: AnyRow) -> BoxRow:
    """The row as a box: of points, one with lo = hi."""
    return row if isinstance(row, BoxRow) else BoxRow(tuple((target, p, p) for target, p in row))


def renumbered(row: AnyRow, new: Mapping[int, int] | Sequence[int]) -> AnyRow:
    """The row with other numbers for its targets, which keep their order if the numbers do."""
    return row.renumbered(new) if isinstance(row, BoxRow) else tuple((new[j], p) for j, p in row)


Made = TypeVar("Made")


def once_per_row(make: Callable[[AnyRow], Made]) -> Callable[[AnyRow], Made]:
    """The function, called once for each row object: thousands of states of a program may share a long row."""
    known: dict[int, tuple[AnyRow, Made]] = {}

    def made(row: AnyRow) -> Made:
        found = known.get(id(row))
        if found is None:
            found = known[id(row)] = row, make(row)  # the row is kept, so that its id stays its own
        return found[1]

    return made
