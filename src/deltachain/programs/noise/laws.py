"""Functions on the integers with a finite table and two tails of exponentials times polynomials: laws of kept noise.

f is in the class if, for some low ≤ high, ``f(high + d) = Σ u_{ρ,a}·C(d−1+a, a)·ρ^d`` and likewise ``f(low − d)`` with
v_{ρ,a}, for all d ≥ 1, with finitely many ratios 0 < ρ ≤ 1 and degrees a ≥ 0. Two-sided geometric noise is in it, with
degree 0, and so is P(q + Z ≥ k) as a function of k. Binomials C(d−1+a, a) in place of powers d^a keep coefficients
whole: one step further out, ``C(d+a, a) = Σ_{i ≤ a} C(d−1+i, i)``. The class is closed under what happens to kept
integers:

- *Products*: ratios of tails multiply, and degrees add up. A sum is over the ratios of both.
- *Filters* (`from_on_decayed`): of a measure f (all ρ < 1), ``Σ_{j ≥ m} q^(j−m)·f(j)`` is, as a function of m, a tail
  of the same ratios above; below it solves ``g(d) = q·g(d−1) + f(low − d)``, which has the ratio q as well, and one
  degree more where f has that ratio. With q = 1 these are sums over half-lines: the one place where ρ = 1 comes from.
- *Adding independent noise* (`plus_noise`): two-sided geometric noise is a filter upward, one downward, and (1 − q)².
- *Projection* (`project_law`): f(k)·Σ {g(j) : s·k + c ≤ j ≤ t·k + d}, slopes −1, 0 or 1, is
  ``f·1[s·k + c ≤ t·k + d + 1]`` times the difference of two sums over half-lines.

Coordinates (table, u, v) are unique for given ends, because exponentials times polynomials are linearly independent:
two laws are equal if their coordinates are, once both have the least table (`Tailed.normalise`).

Numbers are exact. Coordinates are integer polynomials in Y = e^(−1/k), constants where all ratios are fractions, and
one `scale` for all of them: a quotient of two polynomials. Y is transcendental, so that a polynomial is 0 only if all
its coefficients are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise, product, zip_longest
from typing import Any, NamedTuple

from flint import fmpz_poly

from ...numbers.exponential import least_multiple

MOST_TABLE = 4_000
"""The longest table."""
MOST_DEGREES = 16
"""How many coefficients one ratio of a tail has at most, as that of so many noises of one scale that are added up."""
MOST_RATIOS = 12
"""How many ratios a tail has at most where noise is added."""
MOST_SIZE = 1_000_000
"""The largest `size` of one law."""

NOTHING, ONE = fmpz_poly([0]), fmpz_poly([1])


class TooFar(Exception):
    """A law whose table, or whose polynomials, would be too long."""


class Scale(NamedTuple):
    """top(Y)/bottom(Y), in lowest terms up to a sign."""

    top: fmpz_poly
    bottom: fmpz_poly

    @classmethod
    def of(cls, top: fmpz_poly, bottom: fmpz_poly) -> Scale:
        """The quotient in lowest terms."""
        if bottom != ONE:
            common = top.gcd(bottom)
            if common != ONE:
                top, bottom = top // common, bottom // common
        return cls(top, bottom)

    def times(self, other: Scale) -> Scale:
        """The product."""
        return Scale.of(self.top * other.top, self.bottom * other.bottom)

    def over(self, other: Scale) -> Scale:
        """The quotient of two; the other is not 0."""
        return Scale.of(self.top * other.bottom, self.bottom * other.top)


UNIT = Scale(ONE, ONE)


class TailRatio:
    """0 < top(Y)/bottom(Y) ≤ 1, in lowest terms: what a tail shrinks by at each step."""

    __slots__ = ("_hash", "bottom", "gap", "key", "top")

    def __init__(self, top: fmpz_poly, bottom: fmpz_poly) -> None:
        self.top, self.bottom = Scale.of(top, bottom)
        if self.bottom[self.bottom.degree()] < 0:
            self.top, self.bottom = -self.top, -self.bottom
        self.gap = self.bottom - self.top
        """1 − ρ, times the bottom."""
        self.key = tuple(map(int, self.top.coeffs())), tuple(map(int, self.bottom.coeffs()))
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TailRatio) and self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Ratio({self.top}, {self.bottom})"

    def times(self, other: TailRatio) -> TailRatio:
        """The product."""
        if self is SAME or other is SAME:
            return self if other is SAME else other
        return TailRatio(self.top * other.top, self.bottom * other.bottom)


SAME = TailRatio(ONE, ONE)
"""ρ = 1: a tail that stays as it is, of a function and never of a measure."""

Coefficients = tuple[fmpz_poly, ...]
"""Those of C(d−1+a, a), by degree a; the last is not 0."""
Tail = Mapping[TailRatio, Coefficients]


class Bound(NamedTuple):
    """On an integer j beside k: j ≥ slope·k + shift, or j ≤ slope·k + shift; slopes are −1, 0 or 1."""

    lower: bool
    slope: int
    shift: int


class Tailed:
    """scale·(table on low … high; Σ up[ρ][a]·C(d−1+a, a)·ρ^d at high + d; likewise down at low − d), d ≥ 1."""

    __slots__ = ("_sums", "down", "low", "scale", "table", "up")

    def __init__(
        self,
        low: int,
        table: Sequence[fmpz_poly],
        up: Mapping[TailRatio, Sequence[fmpz_poly]],
        down: Mapping[TailRatio, Sequence[fmpz_poly]],
        scale: Scale = UNIT,
    ) -> None:
        if len(table) > MOST_TABLE:
            raise TooFar
        self.low, self.table, self.scale = low, tuple(table), scale
        self.up, self.down = _clean(up), _clean(down)
        if any(len(each) > MOST_DEGREES for tail in (self.up, self.down) for each in tail.values()):
            raise TooFar
        self._sums: Tailed | None = None

    @property
    def high(self) -> int:
        """The last place of the table."""
        return self.low + len(self.table) - 1

    @property
    def size(self) -> int:
        """How many words of 64 bits the coefficients of its coordinates take, about."""
        coordinates = chain(self.table, *self.up.values(), *self.down.values())
        return sum((c.degree() + 1) * (1 + c.height_bits() // 64) for c in coordinates)

    def __bool__(self) -> bool:
        return bool(self.scale.top) and bool(self.up or self.down or any(self.table))

    # Frames.

    def widen(self, low: int, high: int) -> Tailed:
        """The same function, with a table that reaches from ``low`` to ``high`` at least."""
        below, above = max(0, self.low - low), max(0, high - self.high)
        if not below and not above:
            return self
        if below + above > MOST_TABLE:
            raise TooFar
        # Coordinates stay polynomials if all are multiplied by what the new entries are divided by.
        factor = least_multiple(
            ratio.bottom**steps
            for tail, steps in ((self.up, above), (self.down, below))
            for ratio in tail
            if steps and ratio.bottom != ONE
        )
        left, down = _continue(self.down, below, factor)
        right, up = _continue(self.up, above, factor)
        middle = self.table if factor == ONE else [c * factor for c in self.table]
        return Tailed(self.low - below, [*reversed(left), *middle, *right], up, down, _divide(self.scale, factor))

    def shift(self, by: int) -> Tailed:
        """K ↦ f(k − by): the law of the integer plus ``by``."""
        return self if by == 0 else Tailed(self.low + by, self.table, self.up, self.down, self.scale)

    def reflect(self) -> Tailed:
        """K ↦ f(−k)."""
        return Tailed(-self.high, self.table[::-1], self.down, self.up, self.scale)

    def where(self, slope: int, shift: int) -> Tailed:
        """The function where slope·k + shift ≥ 0, and 0 elsewhere."""
        if slope == 0:
            return self if shift >= 0 else ZERO
        if slope > 0:
            # slope·k + shift ≥ 0 from k = ⌈−shift/slope⌉ on.
            return self._from(-(shift // slope))
        return self.reflect()._from(-(shift // -slope)).reflect()

    def _from(self, first: int) -> Tailed:
        wide = self.widen(first, first)
        return Tailed(first, wide.table[first - wide.low :], wide.up, {}, wide.scale)

    # Arithmetic.

    def scale_by(self, by: Scale) -> Tailed:
        """The function times a number."""
        return Tailed(self.low, self.table, self.up, self.down, self.scale.times(by))

    def times(self, other: Tailed) -> Tailed:
        """The product of two functions."""
        one, two = self.widen(other.low, other.high), other.widen(self.low, self.high)
        table = [a * b for a, b in zip(one.table, two.table, strict=True)]
        up, down = _multiply(one.up, two.up), _multiply(one.down, two.down)
        return Tailed(one.low, table, up, down, one.scale.times(two.scale))

    def plus(self, other: Tailed) -> Tailed:
        """The sum of two functions."""
        if not self or not other:
            return self or other
        one, two = self.widen(other.low, other.high), other.widen(self.low, self.high)
        # a/b·f + c/d·g = (e/l)·((a/e)(l/b)·f + (c/e)(l/d)·g), with l = lcm(b, d) and e = gcd(a, c)
        (a, b), (c, d) = one.scale, two.scale
        bottom, top = least_multiple((b, d)), a.gcd(c)
        p, q = (a // top) * (bottom // b), (c // top) * (bottom // d)
        table = [p * x + q * y for x, y in zip(one.table, two.table, strict=True)]
        up, down = _add(one.up, p, two.up, q), _add(one.down, p, two.down, q)
        return Tailed(one.low, table, up, down, Scale(top, bottom))

    def minus(self, other: Tailed) -> Tailed:
        """The difference of two functions."""
        return self.plus(other.scale_by(Scale(-ONE, ONE)))

    # Sums of a measure.

    def mass(self) -> Scale:
        """Its sum over all integers."""
        below = least_multiple(
            ratio.gap ** len(coefficients) for tail in (self.up, self.down) for ratio, coefficients in tail.items()
        )
        total = sum(self.table, NOTHING) * below + _beyond(self.up, below) + _beyond(self.down, below)
        return self.scale.times(Scale.of(total, below))

    def between(self, spans: Iterable[tuple[int | None, int | None]]) -> list[Scale]:
        """Its sums from low to high, for each span; None for no end."""
        spans = list(spans)
        points = [low for low, high in spans if low is not None and low == high]
        wide = self.widen(min(points), max(points)) if points else self
        found = []
        for low, high in spans:
            if low is not None and low == high:
                found.append(wide.scale.times(Scale(wide.table[low - wide.low], ONE)))
            else:
                part = self if low is None else self.where(1, -low)
                found.append((part if high is None else part.where(-1, high)).mass())
        return found

    def from_on(self) -> Tailed:
        """M ↦ Σ_{j ≥ m} f(j)."""
        if self._sums is None:
            self._sums = self.from_on_decayed(SAME)
        return self._sums

    def from_on_decayed(self, q: TailRatio) -> Tailed:
        """M ↦ Σ_{j ≥ m} q^(j−m)·f(j), of a measure f."""
        if q != SAME and max(len(self.up), len(self.down)) > MOST_RATIOS:
            raise TooFar
        # Coordinates stay polynomials if all are multiplied by what is divided by.
        within = {ratio: ratio.times(q) for ratio in self.up}
        apart = {ratio: ratio.top * q.bottom - q.top * ratio.bottom for ratio in self.down if ratio != q}
        factor = least_multiple(
            [
                *(within[ratio].gap ** len(coefficients) for ratio, coefficients in self.up.items()),
                *(difference ** len(self.down[ratio]) for ratio, difference in apart.items()),
            ]
        ) * q.bottom ** (len(self.table) + 1)
        up = {ratio: _decay([c * factor for c in self.up[ratio]], within[ratio]) for ratio in self.up}
        # At m = high + 1 − d, d ≤ 0, what comes from above: formulas of tails hold at d = 0, too.
        carried = sum((up[ratio][0] - self.up[ratio][0] * factor for ratio in up), NOTHING)
        table = list[fmpz_poly]()
        for c in reversed(self.table):
            table.append(c * factor + carried)
            carried = table[-1] * q.top // q.bottom
        down: dict[TailRatio, Coefficients] = {}
        start = table[-1]
        for ratio, coefficients in self.down.items():
            raised = [c * factor for c in coefficients]
            if ratio == q:
                # C(d+a, a+1) − C(d−1+a, a+1) = C(d−1+a, a): one degree more.
                down[ratio] = (NOTHING, *raised)
            else:
                down[ratio] = _solve(raised, ratio.top * q.bottom, apart[ratio])
                start = start - down[ratio][0]
        first, *others = down.get(q, (NOTHING,))
        down[q] = (first + start, *others)
        return Tailed(self.low, table[::-1], up, down, _divide(self.scale, factor))

    def plus_noise(self, ratio: TailRatio) -> Tailed:
        """The measure of the integer plus independent two-sided geometric noise."""
        found = self.from_on_decayed(ratio).reflect().from_on_decayed(ratio).reflect()
        return found.scale_by(Scale.of(ratio.gap * ratio.gap, ratio.bottom * ratio.bottom))

    def plus_independent(self, other: Tailed) -> Tailed:
        """The measure of the sum with an independent integer: Σ_j other(j)·f(k − j)."""
        found = ZERO
        for place, c in enumerate(other.table, start=other.low):
            if c:
                found = found.plus(self.shift(place).scale_by(Scale(c, ONE)))
        above = self._spread_upward(other.up).shift(other.high)
        below = self.reflect()._spread_upward(other.down).reflect().shift(other.low)
        return found.plus(above).plus(below).scale_by(other.scale)

    def _spread_upward(self, tail: Tail) -> Tailed:
        """K ↦ Σ_{d ≥ 1} tail(d)·f(k − d)."""
        found = ZERO
        for ratio, coefficients in tail.items():
            # Σ_d C(d−1+a, a)·ρ^d·z^d = ρ·z/(1 − ρ·z)^(a+1): a filter more for each degree.
            filtered = self.reflect()
            for c in coefficients:
                filtered = filtered.from_on_decayed(ratio)
                if c:
                    part = filtered.reflect().shift(1)
                    found = found.plus(part.scale_by(Scale.of(c * ratio.top, ratio.bottom)))
        return found

    def along(self, slope: int, shift: int) -> Tailed:
        """K ↦ f(slope·k + shift); the slope is −1, 0 or 1."""
        if slope:
            return self.shift(-shift) if slope > 0 else self.shift(-shift).reflect()
        wide = self.widen(shift, shift)
        value = wide.table[shift - wide.low]
        return Tailed(0, [value], {SAME: (value,)}, {SAME: (value,)}, wide.scale)

    def floor(self, q: int) -> Tailed:
        """K ↦ Σ_{0 ≤ j < q} f(q·k + j): the measure of ⌊K / q⌋."""
        if q == 1:
            return self
        # The table is of whole steps.
        low, high = self.low // q, self.high // q
        wide = self.widen(q * low, q * high + q - 1)
        table = [sum(wide.table[q * step : q * step + q], NOTHING) for step in range(high - low + 1)]
        # Σ_j C(q·(d−1)+j−1+a, a)·ρ^(q·(d−1)+j), 1 ≤ j ≤ q, is (ρ^q)^d times a polynomial of d, which is written by
        # its values at 0, −1, …; powers of 1/ρ become polynomials if all is multiplied by those of the tops.
        factor = least_multiple(ratio.top ** (q - 1) for ratio in (*wide.up, *wide.down))
        up, down = (
            {
                TailRatio(ratio.top**q, ratio.bottom**q): _step(coefficients, ratio, q, factor)
                for ratio, coefficients in tail.items()
            }
            for tail in (wide.up, wide.down)
        )
        return Tailed(low, [c * factor for c in table], up, down, _divide(wide.scale, factor))

    # Identity.

    def normalise(self) -> tuple[Tailed, Scale]:
        """The measure divided by its mass, in its one form, and the mass, which is not 0.

        The table ends where the upper tail begins, and begins where the lower tail ends; coordinates have no common
        factor, and the first of them that is not 0 has a positive leading coefficient. Two measures that are multiples
        of each other have the same `key` then.
        """
        if not self:
            raise ValueError("a measure without mass has no law")
        found = self._shorten().reflect()._shorten(1).reflect()
        coordinates = [*found.table, *chain(*found.up.values(), *found.down.values())]
        if found.size > MOST_SIZE:
            raise TooFar
        common = NOTHING
        for c in coordinates:
            common = common.gcd(c)
            if common == ONE:
                break
        first = next(c for c in coordinates if c)
        if first[first.degree()] < 0:
            common = -common
        table = [c // common for c in found.table]
        up, down = (
            {ratio: tuple(c // common for c in coefficients) for ratio, coefficients in tail.items()}
            for tail in (found.up, found.down)
        )
        form = Tailed(found.low, table, up, down)
        mass = form.mass()
        return form.scale_by(UNIT.over(mass)), found.scale.times(mass).times(Scale(common, ONE))

    def _shorten(self, least: int = 0) -> Tailed:
        """The function with the upper tail as long as it can be; at least so many entries stay, or one."""
        found = self
        # This ends: continued downward, an upper tail grows without end, and a measure does not.
        while len(found.table) > least and found.table[-1] == sum((c[0] for c in found.up.values()), NOTHING):
            if len(found.table) == 1:
                found = found.widen(found.low - 1, found.high)
            # One step down: what `_continue` does, undone.
            factor = least_multiple(ratio.top for ratio in found.up)
            up = {
                ratio: [
                    (c - following) * ratio.bottom * (factor // ratio.top)
                    for c, following in zip(coefficients, (*coefficients[1:], NOTHING), strict=True)
                ]
                for ratio, coefficients in found.up.items()
            }
            table, down = found.table[:-1], found.down
            if factor != ONE:
                table, down = tuple(c * factor for c in table), _times(down, factor)
            found = Tailed(found.low, table, up, down, _divide(found.scale, factor))
        return found

    @property
    def tails_from(self) -> tuple[int, int]:
        """Where its tails begin, seen from 0: the lower one downward, and the upper one upward."""
        return -self.reflect()._shorten().high - 1, self._shorten().high + 1

    @property
    def key(self) -> tuple[object, ...]:
        """Coordinates as a key."""
        tails = (
            sorted((ratio.key, tuple(map(_write, coefficients))) for ratio, coefficients in tail.items())
            for tail in (self.up, self.down)
        )
        return (self.low, tuple(map(_write, self.table)), *map(tuple, tails))


def _write(polynomial: fmpz_poly) -> tuple[int, ...]:
    return tuple(map(int, polynomial.coeffs()))


def _divide(scale: Scale, by: fmpz_poly) -> Scale:
    return scale if by == ONE else scale.over(Scale(by, ONE))


def _clean(tail: Mapping[TailRatio, Sequence[fmpz_poly]]) -> Tail:
    """Without what is 0."""
    found = {}
    for ratio, coefficients in tail.items():
        length = len(coefficients)
        while length and not coefficients[length - 1]:
            length -= 1
        if length:
            found[ratio] = tuple(coefficients[:length])
    return found


def _times(tail: Tail, factor: fmpz_poly) -> Tail:
    return {ratio: tuple(c * factor for c in coefficients) for ratio, coefficients in tail.items()}


def _continue(tail: Tail, steps: int, factor: fmpz_poly) -> tuple[list[fmpz_poly], Tail]:
    """The next entries of a tail, times the factor, and the tail beyond them."""
    terms = {
        ratio: list(coefficients) for ratio, coefficients in (tail if factor == ONE else _times(tail, factor)).items()
    }
    entries = []
    for _ in range(steps):
        entry = NOTHING
        for ratio, coefficients in terms.items():
            # C(d+a, a)·ρ^(d+1) = ρ·Σ_{i ≤ a} C(d−1+i, i)·ρ^d
            total = NOTHING
            for degree in reversed(range(len(coefficients))):
                total = total + coefficients[degree]
                moved = total * ratio.top
                coefficients[degree] = moved if ratio.bottom == ONE else moved // ratio.bottom
            entry = entry + coefficients[0]
        entries.append(entry)
    return entries, {ratio: tuple(coefficients) for ratio, coefficients in terms.items()}


def _multiply(one: Tail, two: Tail) -> dict[TailRatio, list[fmpz_poly]]:
    found: dict[TailRatio, list[fmpz_poly]] = {}
    for (first, left), (second, right) in product(one.items(), two.items()):
        into = found.setdefault(first.times(second), [])
        into += [NOTHING] * (len(left) + len(right) - 1 - len(into))
        for (a, c), (b, d) in product(enumerate(left), enumerate(right)):
            for degree, number in enumerate(_product_of_degrees(a, b)):
                into[degree] = into[degree] + c * d * number
    return found


@lru_cache(maxsize=256)
def _product_of_degrees(a: int, b: int) -> tuple[int, ...]:
    """The coefficients of C(d−1+a, a)·C(d−1+b, b) at C(d−1+c, c), c ≤ a + b.

    >>> _product_of_degrees(0, 2), _product_of_degrees(1, 1)  # d² = 2·d(d+1)/2 − d
    ((0, 0, 1), (0, -1, 2))
    """
    # C(d−1+c, c) − C(d−2+c, c) = C(d−1+c−1, c−1), and at d = 0 all but the first are 0.
    return tuple(_in_binomials([_binomial(d, a) * _binomial(d, b) for d in range(0, -a - b - 1, -1)]))


def _in_binomials(values: list[Any]) -> list[Any]:
    """The coefficients at C(d−1+c, c) of a polynomial of d with these values at 0, −1, …: one more than its degree."""
    found = []
    while values:
        found.append(values[0])
        values = [one - other for one, other in pairwise(values)]
    return found


def _binomial(d: int, a: int) -> int:
    """C(d − 1 + a, a) for any integer d."""
    return math.prod(range(d, d + a)) // math.factorial(a)


def _add(one: Tail, p: fmpz_poly, two: Tail, q: fmpz_poly) -> Tail:
    found = dict(_times(one, p))
    for ratio, coefficients in two.items():
        there = found.get(ratio, ())
        found[ratio] = tuple(c + q * d for c, d in zip_longest(there, coefficients, fillvalue=NOTHING))
    return found


def _beyond(tail: Tail, below: fmpz_poly) -> fmpz_poly:
    """Σ_{d ≥ 1} of a measure's tail, times ``below``, which the powers of all 1 − ρ divide."""
    total = NOTHING
    for ratio, coefficients in tail.items():
        # Σ_{d ≥ 1} C(d−1+a, a)·ρ^d = ρ/(1 − ρ)^(a+1)
        share = ratio.top * (below // ratio.gap)
        for degree, c in enumerate(coefficients):
            share = share if degree == 0 else share * ratio.bottom // ratio.gap
            total = total + c * share
    return total


def _decay(coefficients: Sequence[fmpz_poly], ratio: TailRatio) -> Coefficients:
    """Σ_{i ≥ 0} q^i·f(d + i) for a tail of ratio ρ, given q·ρ; coefficients are multiples of its gaps."""
    # C(d−1+a, a)·ρ^d becomes 1/(1−q·ρ) times itself, and q·ρ/(1−q·ρ)^(k+1) times what is k degrees lower.
    found = [NOTHING] * len(coefficients)
    for degree, c in enumerate(coefficients):
        share = c // ratio.gap
        found[degree] = found[degree] + share * ratio.bottom
        share = share * ratio.top
        for lower in reversed(range(degree)):
            share = share * ratio.bottom // ratio.gap
            found[lower] = found[lower] + share
    return tuple(found)


def _solve(coefficients: Sequence[fmpz_poly], top: fmpz_poly, difference: fmpz_poly) -> Coefficients:
    """The tail g of ratio ρ with g(d) = q·g(d−1) + f(d), where ρ/(ρ − q) = top/difference."""
    # (ρ − q)·g_i = ρ·(Σ_{b ≥ i} f_b − Σ_{b > i} g_b), from the highest degree down
    found = [NOTHING] * len(coefficients)
    left = NOTHING
    for degree in reversed(range(len(coefficients))):
        left = left + coefficients[degree]
        found[degree] = top * (left // difference)
        left = left - found[degree]
    return tuple(found)


def _step(coefficients: Sequence[fmpz_poly], ratio: TailRatio, q: int, factor: fmpz_poly) -> Coefficients:
    """A tail added up q by q, times the factor."""
    shares = [ratio.top ** (j - 1) * ratio.bottom ** (q - j) for j in range(1, q + 1)]
    values = [
        sum(
            (
                c * (share * _binomial(q * (d - 1) + j, degree))
                for j, share in enumerate(shares, start=1)
                for degree, c in enumerate(coefficients)
            ),
            NOTHING,
        )
        for d in range(0, -len(coefficients), -1)
    ]
    return tuple(c * (factor // ratio.top ** (q - 1)) for c in _in_binomials(values))


ZERO = Tailed(0, [NOTHING], {}, {})


@lru_cache(maxsize=64)
def noise_of(ratio: TailRatio) -> Tailed:
    """P(Z = z) = (1 − r)/(1 + r)·r^|z|."""
    scale = Scale.of(ratio.gap, ratio.bottom + ratio.top)
    return Tailed(0, [ONE], {ratio: (ONE,)}, {ratio: (ONE,)}, scale)


def with_bound(bounds: frozenset[Bound], bound: Bound) -> frozenset[Bound]:
    """All bounds, of those with one slope only the tightest."""
    alike = {each for each in bounds if each[:2] == bound[:2]}
    tightest = (max if bound.lower else min)((*alike, bound), key=lambda each: each.shift)
    return bounds - alike | {tightest}


def possible(law: Tailed, bounds: Iterable[Bound]) -> bool:
    """Whether some k of the law leaves room for an integer j within the bounds, every j being possible by itself."""
    lows, highs = _sides(bounds)
    for _, s, c in lows:
        for _, t, d in highs:
            law = law.where(t - s, d - c)
    return bool(law)


def project_law(law: Tailed, gone: Tailed, bounds: Iterable[Bound]) -> Tailed:
    """K ↦ law(k)·Σ gone(j), over the j within all bounds at k."""
    if not law:
        return ZERO
    lows, highs = _sides(bounds)
    for side, others, way in ((lows, highs, 1), (highs, lows, -1)):
        if len(side) > 1:
            # Left and right of where two bounds cross, one of them alone counts.
            one, two, *more = side
            slope, shift = way * (one.slope - two.slope), way * (one.shift - two.shift)
            first = project_law(law.where(slope, shift), gone, [one, *more, *others])
            return first.plus(project_law(law.where(-slope, -shift - 1), gone, [two, *more, *others]))
    if lows and highs:
        (_, s, c), (_, t, d) = lows[0], highs[0]
        # Where the bounds leave just no room the two sums are equal; beyond, their difference would be negative.
        law = law.where(t - s, d + 1 - c)
    sums = gone.from_on() if lows or highs else gone
    inside = law.times(sums.along(*lows[0][1:])) if lows else law.scale_by(gone.mass())
    return inside.minus(law.times(sums.along(highs[0].slope, highs[0].shift + 1))) if highs else inside


def _sides(bounds: Iterable[Bound]) -> tuple[list[Bound], list[Bound]]:
    both = list(bounds)
    return [bound for bound in both if bound.lower], [bound for bound in both if not bound.lower]
