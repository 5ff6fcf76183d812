"""Rows of a chain: where a state goes, and what is known of how likely that is.

- `PointRow`: exact numbers, Fractions or functions of e^(1/k).
- `BallRow`: one number for each target, known to many digits but not exactly, such as √2/2 or what long noise leaves.
- `LimitRow`: limits, given or found from counts. Behaviour is unknown: many chains are inside (docs/theory/boxes.md).

Noise that is cut off is no unknown behaviour: points and balls carry ``cut_off``, the mass that goes nowhere known.
What bounds all three alike asks for `Box`, the ends of a row: lo_j ≤ p_j ≤ hi_j, and at most ``rest`` elsewhere. What
is missing from 1 goes to states outside the model, of any label and any behaviour; it may come back. Rows of different
states vary independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeVar

from flint import fmpz_poly

from ..numbers.exponential import as_exponential, coefficients, function_of, over_one_denominator, quotient_ends
from ..numbers.precision import ROW_BITS

ChainKind = Literal["exact", "enclosed", "limits"]
"""What is known of the probabilities of a row, and of a chain: the least of its rows."""

ZERO = Fraction(0)
MOST_ROW_BITS = 1 << 24
"""The coefficients of a row that is computed with exactly have no more bits together; a longer one is enclosed."""

Row = tuple[tuple[int, Fraction], ...]
"""The positive probabilities of one state: (target, probability), by increasing target."""

EntryEnds = tuple[tuple[int, Fraction, Fraction], ...]
"""(target, lo, hi), by increasing target."""
Polynomial = tuple[int, ...]
"""Integer coefficients of a polynomial in X, that of X^0 first."""
Numbering = Mapping[int, int] | Sequence[int]
if TYPE_CHECKING:
    from ..numbers.field import Exact
ExactPoints = tuple[tuple[int, "Exact"], ...]
"""The positive probabilities of one state, Fractions or functions of e^(1/k): (target, probability)."""
Listed = Iterator[tuple[int, "Exact", "Exact"]]
"""(target, lo, hi): two exact numbers, equal where the probability is one."""


@dataclass(frozen=True, slots=True)
class Box:
    """The ends of a row: lo ≤ p ≤ hi for each target listed; at most ``rest`` goes elsewhere."""

    entries: EntryEnds
    rest: Fraction = ZERO

    def __iter__(self) -> Iterator[tuple[int, Fraction, Fraction]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def tighten(self) -> Box:
        """The least box with the same rows inside. It must not be empty.

        >>> half, most = Fraction(1, 2), Fraction(9, 10)
        >>> Box(((0, half, most), (1, Fraction(0), Fraction(1)))).tighten().entries[1][2]
        Fraction(1, 2)
        """
        # Whole numbers over one denominator: adding Fractions would take most of the time of a large model.
        one, lows, highs = self.scale()
        low, high = sum(lows), sum(highs)
        rest = min(self.rest, Fraction(one - low, one))
        rest_part = rest.numerator * one // rest.denominator  # exact: `one` is a multiple of its denominator
        kept: list[tuple[int, Fraction, Fraction]] = []
        for (target, lo, hi), bottom, top in zip(self.entries, lows, highs, strict=True):
            # At least what is left when all others are at their upper ends, at most what is left when they are at their
            # lower.
            below, above = max(bottom, one - rest_part - (high - top)), min(top, one - (low - bottom))
            if above > 0:
                most = hi if above == top else Fraction(above, one)
                kept.append((target, lo if below == bottom else most if below == above else Fraction(below, one), most))
        return Box(tuple(kept), rest)

    def scale(self) -> tuple[int, list[int], list[int]]:
        """A common denominator of all numbers of the box, and the lower and the upper ends over it."""
        one = math.lcm(self.rest.denominator, *{end.denominator for _, lo, hi in self for end in (lo, hi)})
        lows = [lo.numerator * (one // lo.denominator) for _, lo, _ in self]
        return one, lows, [hi.numerator * (one // hi.denominator) for _, _, hi in self]

    @property
    def points(self) -> Row | None:
        """The one row inside, if there is only one."""
        if self.rest or any(lo != hi for _, lo, hi in self):
            return None
        return tuple((target, lo) for target, lo, _ in self)

    def renumber(self, new: Numbering) -> Box:
        """The same box with other numbers for its targets."""
        return Box(tuple(sorted((new[j], lo, hi) for j, lo, hi in self)), self.rest)

    def merge(self, block: Sequence[int]) -> Box:
        """The box of what goes into each block of targets: every row inside goes to one inside."""
        low: dict[int, Fraction] = {}
        high: dict[int, Fraction] = {}
        for target, lo, hi in self:
            into = block[target]
            low[into] = low.get(into, ZERO) + lo
            high[into] = high.get(into, ZERO) + hi
        return Box(tuple((into, low[into], min(high[into], Fraction(1))) for into in sorted(low)), self.rest)

    def centre(self) -> tuple[Row, Fraction]:
        """A row in the middle, and what it leaves for states outside: (target, probability) with p = lo + c·(hi − lo).

        One c for all targets, and for ``rest``; a target whose probability comes out as 0 is left out.
        """
        low, high = sum((lo for _, lo, _ in self), ZERO), sum((hi for _, _, hi in self), self.rest)
        share = ZERO if high == low else (1 - low) / (high - low)
        row = tuple((target, lo + share * (hi - lo)) for target, lo, hi in self)
        return tuple((target, p) for target, p in row if p > 0), 1 - sum((p for _, p in row), ZERO)


@dataclass(frozen=True)
class Quotients:
    """Rational functions of X = e^(1/k) over one denominator: of target j it is tops[j](X) / bottom(X).

    Numerators over one denominator are what hashing, the checker, belief graphs and the compiler all want; single
    probabilities in lowest terms are made where somebody looks at them.
    """

    k: int
    tops: tuple[tuple[int, Polynomial], ...]
    """(target, numerator), by increasing target."""
    bottom: Polynomial

    @cached_property
    def entries(self) -> tuple[tuple[int, Exact], ...]:
        """(target, probability), each in its one form: a Fraction where it is one."""
        bottom = fmpz_poly(list(self.bottom))
        return tuple((j, simplest(function_of(self.k, fmpz_poly(list(top)), bottom))) for j, top in self.tops)

    @cached_property
    def ends(self) -> EntryEnds:
        """(target, lo, hi): rational probabilities themselves, the others to `ROW_BITS`."""
        tops, bottom = [fmpz_poly(list(top)) for _, top in self.tops], fmpz_poly(list(self.bottom))
        one = 1 << ROW_BITS
        found: list[tuple[int, Fraction, Fraction]] = []
        for (target, top), (low, high) in zip(self.tops, quotient_ends(self.k, tops, bottom, ROW_BITS), strict=True):
            p = _ratio(top, self.bottom)
            lo, hi = (Fraction(low, one), Fraction(min(high, one), one)) if p is None else (p, p)
            found.append((target, lo, hi))
        return tuple(found)

    def total(self) -> Polynomial:
        """The sum of the numerators."""
        return trim_zeros(add_polynomials([top for _, top in self.tops]))

    def renumber(self, new: Numbering) -> Quotients:
        """The same with other numbers for the targets."""
        return Quotients(self.k, tuple(sorted((new[j], top) for j, top in self.tops)), self.bottom)

    def merge(self, block: Sequence[int]) -> Quotients:
        """What goes into each block of targets."""
        into: dict[int, list[Polynomial]] = {}
        for target, top in self.tops:
            into.setdefault(block[target], []).append(top)
        return Quotients(self.k, tuple((b, trim_zeros(add_polynomials(into[b]))) for b in sorted(into)), self.bottom)

    def simplify(self) -> Quotients | Row:
        """In lowest terms, over the least k; Fractions, if all of them are."""
        parts = [fmpz_poly(list(part)) for part in (self.bottom, *(top for _, top in self.tops))]
        common = fmpz_poly([0])
        for part in parts:
            common = common.gcd(part)
            if common == 1:
                break
        bottom, *tops = (part // common for part in parts) if common != 1 else parts
        if bottom[bottom.degree()] < 0:
            bottom, tops = -bottom, [-top for top in tops]
        # Only every ``shared``-th power of X occurs: a coarser X will do.
        shared = math.gcd(self.k, *(i for part in (bottom, *tops) for i, c in enumerate(part.coeffs()) if c))
        least, *numerators = (tuple(map(int, part.coeffs()[::shared])) for part in (bottom, *tops))
        known = {target: top for (target, _), top in zip(self.tops, numerators, strict=True) if top}
        rational = {target: p for target, top in known.items() if (p := _ratio(top, least)) is not None}
        if len(rational) == len(known):
            return tuple((target, rational[target]) for target in sorted(rational))
        return Quotients(self.k // shared, tuple(sorted(known.items())), least)


def simplest(number: Exact) -> Exact:
    """The number as a Fraction, if it is one."""
    known = number if isinstance(number, Fraction) else number.rational
    return number if known is None else known


def add_polynomials(polynomials: Sequence[Polynomial]) -> Polynomial:
    """The sum."""
    return tuple(map(sum, zip_longest(*polynomials, fillvalue=0)))


def trim_zeros(polynomial: Polynomial) -> Polynomial:
    """Without zeros behind the last coefficient."""
    end = len(polynomial)
    while end and polynomial[end - 1] == 0:
        end -= 1
    return polynomial[:end]


def _ratio(top: Polynomial, bottom: Polynomial) -> Fraction | None:
    """top/bottom, if it is a rational number."""
    # X is transcendental: top(X) = c·bottom(X) for a rational c only if it holds coefficient by coefficient.
    if len(top) != len(bottom) or any(a * bottom[-1] != b * top[-1] for a, b in zip(top, bottom, strict=True)):
        return None
    return Fraction(top[-1], bottom[-1])


@dataclass(frozen=True, slots=True)
class PointRow:
    """Exact probabilities; ``cut_off``, of what the tails of noise have, goes nowhere known.

    Iterating gives (target, probability), by increasing target.
    """

    kind: ClassVar[ChainKind] = "exact"
    numbers: Row | Quotients
    cut_off: Exact = ZERO

    def __iter__(self) -> Iterator[tuple[int, Exact]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.numbers.tops if isinstance(self.numbers, Quotients) else self.numbers)

    @property
    def entries(self) -> tuple[tuple[int, Exact], ...]:
        """(target, probability), Fractions wherever they are."""
        return self.numbers.entries if isinstance(self.numbers, Quotients) else self.numbers

    @property
    def fractions(self) -> Row | None:
        """The row, if all is rational and nothing is cut off."""
        # That it is the zero itself is seen at once; to ask a Fraction takes longer than all the rest.
        whole = self.cut_off is ZERO or not self.cut_off
        return self.numbers if whole and type(self.numbers) is tuple else None

    @property
    def functions(self) -> Quotients | None:
        """The row over one denominator, if some of it is irrational and nothing is cut off."""
        return self.numbers if isinstance(self.numbers, Quotients) and not self.cut_off else None

    @property
    def comparable(self) -> bool:
        """Whether equal rows are equal behaviour."""
        return not self.cut_off

    def list_entries(self) -> Listed:
        """(target, lo, hi) as people read them: exact numbers, both ends the same."""
        return ((target, p, p) for target, p in self.entries)

    @property
    def said(self) -> str:
        """What it is, in words, after a number of rows."""
        if self.fractions is not None:
            return "are fractions"
        return "are exact, with noise cut off" if self.cut_off else "are exact functions of e"

    @property
    def exactly(self) -> ExactPoints | None:
        """(target, probability), if nothing is cut off."""
        return None if self.cut_off else self.entries

    @property
    def missing(self) -> Fraction:
        """At least what goes to no target of the row: the ``rest`` of its box, and 0 only if that is 0."""
        return ZERO if self.cut_off is ZERO or not self.cut_off else self.box.rest

    @property
    def box(self) -> Box:
        """Its ends: Fractions themselves, other numbers to `ROW_BITS`."""
        if not isinstance(self.numbers, Quotients):
            both = tuple([(j, p, p) for j, p in self.numbers])
            return Box(both, self.cut_off) if isinstance(self.cut_off, Fraction) else Box(both, _above(self.cut_off))
        rest = self.cut_off if isinstance(self.cut_off, Fraction) else _above(self.cut_off)
        return Box(self.numbers.ends, rest).tighten()

    def tighten(self) -> PointRow:
        """In lowest terms."""
        if not isinstance(self.numbers, Quotients):
            return self
        return PointRow(self.numbers.simplify(), self.cut_off)

    def renumber(self, new: Numbering) -> PointRow:
        """The same row with other numbers for its targets."""
        if isinstance(self.numbers, Quotients):
            return PointRow(self.numbers.renumber(new), self.cut_off)
        return PointRow(tuple(sorted([(new[j], p) for j, p in self.numbers])), self.cut_off)

    def merge(self, block: Sequence[int]) -> PointRow | BallRow:
        """What goes into each block of targets; what is cut off from irrational numbers is judged by its ends alone."""
        if isinstance(self.numbers, Quotients):
            if self.cut_off:
                return BallRow(self.box.merge(block).entries, self.box.rest).tighten()
            return PointRow(self.numbers.merge(block), self.cut_off).tighten()
        into: dict[int, Fraction] = {}
        for target, p in self.numbers:
            into[block[target]] = into[block[target]] + p if block[target] in into else p
        return PointRow(tuple(sorted(into.items())), self.cut_off)


def _above(number: Exact) -> Fraction:
    """At least the number, to `ROW_BITS`."""
    return number if isinstance(number, Fraction) else number.enclose(ROW_BITS)[1]


def points(entries: Mapping[int, Exact], cut_off: Exact = ZERO) -> PointRow | BallRow:
    """The row of these numbers, each in its one form; enclosed where it is too long to be computed with exactly."""
    kept = {j: simplest(entries[j]) for j in sorted(entries)}
    rational = tuple((j, p) for j, p in kept.items() if isinstance(p, Fraction))
    if len(rational) == len(kept):
        return PointRow(rational, simplest(cut_off))
    k, tops, bottom = over_one_denominator([as_exponential(p) for p in kept.values()])
    return quotients_row(k, dict(zip(kept, tops, strict=True)), bottom, cut_off)


def quotients_row(k: int, tops: Mapping[int, fmpz_poly], bottom: fmpz_poly, cut_off: Exact) -> PointRow | BallRow:
    """The row of top/bottom in X = e^(1/k) for each target; enclosed where it is too long to be computed with."""
    written = tuple((j, coefficients(tops[j])) for j in sorted(tops))
    row = PointRow(Quotients(k, written, coefficients(bottom)), simplest(cut_off))
    if sum((part.degree() + 1) * part.height_bits() for part in (bottom, *tops.values())) > MOST_ROW_BITS:
        return BallRow(row.box.entries, row.box.rest)
    return row


@dataclass(frozen=True)
class _EndsRow:
    """What balls and limits share: two ends for each target. Iterating gives (target, lo, hi)."""

    comparable: ClassVar[bool] = False
    exactly: ClassVar[None] = None
    fractions: ClassVar[None] = None
    functions: ClassVar[None] = None
    entries: EntryEnds

    def __iter__(self) -> Iterator[tuple[int, Fraction, Fraction]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def list_entries(self) -> Listed:
        """(target, lo, hi) as people read them."""
        return iter(self.entries)

    @property
    def missing(self) -> Fraction:
        """The most that goes to no target of the row."""
        raise NotImplementedError

    @property
    def box(self) -> Box:
        """Its ends."""
        return Box(self.entries, self.missing)

    def renumber(self, new: Numbering) -> Self:
        """The same row with other numbers for its targets."""
        return replace(self, entries=self.box.renumber(new).entries)


@dataclass(frozen=True)
class BallRow(_EndsRow):
    """One number for each target, between two ends; at most ``cut_off`` goes nowhere known."""

    kind: ClassVar[ChainKind] = "enclosed"
    said: ClassVar[str] = "enclose known numbers"
    cut_off: Fraction = ZERO

    @property
    def missing(self) -> Fraction:
        """What is cut off."""
        return self.cut_off

    def tighten(self) -> BallRow | PointRow:
        """The least ends with the same rows inside; points where they meet, and what is missing from 1 is cut off."""
        box = self.box.tighten()
        if all(lo == hi for _, lo, hi in box):
            return PointRow(tuple((target, lo) for target, lo, _ in box), box.rest)
        return BallRow(box.entries, box.rest)

    def merge(self, block: Sequence[int]) -> BallRow | PointRow:
        """What goes into each block of targets."""
        return replace(self, entries=self.box.merge(block).entries).tighten()


@dataclass(frozen=True)
class LimitRow(_EndsRow):
    """Limits lo ≤ p ≤ hi for each target, and for what may go elsewhere: many rows are inside."""

    kind: ClassVar[ChainKind] = "limits"
    rest: Fraction = ZERO
    counted: bool = False
    """Whether the limits come from counts, at the confidence of the chain."""

    @property
    def said(self) -> str:
        """What it is, in words, after a number of rows."""
        return "come from counts" if self.counted else "are known within limits"

    @property
    def missing(self) -> Fraction:
        """What may go elsewhere."""
        return self.rest

    def tighten(self) -> LimitRow | PointRow:
        """The least limits with the same rows inside; points where there is one."""
        box = self.box.tighten()
        return PointRow(box.points) if box.points is not None else replace(self, entries=box.entries, rest=box.rest)

    def merge(self, block: Sequence[int]) -> LimitRow | PointRow:
        """What goes into each block of targets."""
        return replace(self, entries=self.box.merge(block).entries).tighten()


AnyRow = PointRow | BallRow | LimitRow
"""What a state does under one input."""


def as_row(row: AnyRow | Row) -> AnyRow:
    """The row; of a tuple of (target, Fraction), its points."""
    return PointRow(row) if isinstance(row, tuple) else row


Made = TypeVar("Made")


def once_per_row(make: Callable[[AnyRow], Made]) -> Callable[[AnyRow], Made]:
    """The function, called once for each row object: thousands of states of a program may share a long row."""
    known: dict[int, tuple[AnyRow, Made]] = {}

    def make_once(row: AnyRow) -> Made:
        found = known.get(id(row))
        if found is None:
            found = known[id(row)] = row, make(row)  # the row is kept, so that its id stays its own
        return found[1]

    return make_once
