"""Functions on the integers with a finite table and two tails that are sums of exponentials: the laws of kept noise.

f is in the class if, for some low ≤ high, ``f(high + d) = Σ_ρ u_ρ·ρ^d`` and ``f(low − d) = Σ_ρ v_ρ·ρ^d`` for all
d ≥ 1, with finitely many ratios 0 < ρ ≤ 1. Two-sided geometric noise is in it, and so is P(q + Z ≥ k) as a function of
k. The class is closed under what a comparison with fresh noise does to the law of a kept integer:

- *Products*: ratios of tails multiply. A sum is over the ratios of both.
- *Sums over half-lines*: of a measure f (all ρ < 1), ``Σ_{j ≥ m} f(j)`` is, as a function of m, ``Σ u_ρ·ρ^d/(1 − ρ)``
  above and ``|f| − Σ v_ρ·ρ^d·ρ/(1 − ρ)`` below: the one place where ρ = 1 comes from.
- *Projection* (`projected`): f(k)·Σ {g(j) : s·k + c ≤ j ≤ t·k + d}, slopes −1, 0 or 1, is
  ``f·1[s·k + c ≤ t·k + d + 1]`` times the difference of two sums over half-lines.

Coordinates (table, u, v) are unique for given ends, because different exponentials are linearly independent
(Vandermonde): two laws are equal if their coordinates are, once both have the least table (`Tailed.normalised`).

Numbers are exact. Coordinates are integer polynomials in Y = e^(−1/k), constants where all ratios are fractions, and
one `scale` for all of them: a quotient of two polynomials. Y is transcendental, so that a polynomial is 0 only if all
its coefficients are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from flint import fmpz_poly

from ..numbers.exponential import least_multiple

MOST_TABLE = 4_000
"""The longest table."""
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

Tail = Mapping[TailRatio, fmpz_poly]


class Bound(NamedTuple):
    """On an integer j beside k: j ≥ slope·k + shift, or j ≤ slope·k + shift; slopes are −1, 0 or 1."""

    lower: bool
    slope: int
    shift: int


class Tailed:
    """scale·(table on low … high; Σ up[ρ]·ρ^d at high + d; Σ down[ρ]·ρ^d at low − d), d ≥ 1."""

    __slots__ = ("_sums", "down", "low", "scale", "table", "up")

    def __init__(self, low: int, table: Sequence[fmpz_poly], up: Tail, down: Tail, scale: Scale = UNIT) -> None:
        if len(table) > MOST_TABLE:
            raise TooFar
        self.low, self.table, self.scale = low, tuple(table), scale
        self.up = {ratio: c for ratio, c in up.items() if c}
        self.down = {ratio: c for ratio, c in down.items() if c}
        self._sums: Tailed | None = None

    @property
    def high(self) -> int:
        """The last place of the table."""
        return self.low + len(self.table) - 1

    @property
    def size(self) -> int:
        """How many words of 64 bits the coefficients of its coordinates take, about."""
        coordinates = chain(self.table, self.up.values(), self.down.values())
        return sum((c.degree() + 1) * (1 + c.height_bits() // 64) for c in coordinates)

    def __bool__(self) -> bool:
        return bool(self.scale.top) and bool(self.up or self.down or any(self.table))

    # Frames.

    def widened(self, low: int, high: int) -> Tailed:
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
        left, down = _continued(self.down, below, factor)
        right, up = _continued(self.up, above, factor)
        middle = self.table if factor == ONE else [c * factor for c in self.table]
        return Tailed(self.low - below, [*reversed(left), *middle, *right], up, down, _divided(self.scale, factor))

    def shifted(self, by: int) -> Tailed:
        """K ↦ f(k − by): the law of the integer plus ``by``."""
        return self if by == 0 else Tailed(self.low + by, self.table, self.up, self.down, self.scale)

    def reflected(self) -> Tailed:
        """K ↦ f(−k)."""
        return Tailed(-self.high, self.table[::-1], self.down, self.up, self.scale)

    def where(self, slope: int, shift: int) -> Tailed:
        """The function where slope·k + shift ≥ 0, and 0 elsewhere."""
        if slope == 0:
            return self if shift >= 0 else ZERO
        if slope > 0:
            # slope·k + shift ≥ 0 from k = ⌈−shift/slope⌉ on.
            return self._from(-(shift // slope))
        return self.reflected()._from(-(shift // -slope)).reflected()

    def _from(self, first: int) -> Tailed:
        wide = self.widened(first, first)
        return Tailed(first, wide.table[first - wide.low :], wide.up, {}, wide.scale)

    # Arithmetic.

    def scaled(self, by: Scale) -> Tailed:
        """The function times a number."""
        return Tailed(self.low, self.table, self.up, self.down, self.scale.times(by))

    def times(self, other: Tailed) -> Tailed:
        """The product of two functions."""
        one, two = self.widened(other.low, other.high), other.widened(self.low, self.high)
        table = [a * b for a, b in zip(one.table, two.table, strict=True)]
        up, down = _multiplied(one.up, two.up), _multiplied(one.down, two.down)
        return Tailed(one.low, table, up, down, one.scale.times(two.scale))

    def plus(self, other: Tailed) -> Tailed:
        """The sum of two functions."""
        if not self or not other:
            return self or other
        one, two = self.widened(other.low, other.high), other.widened(self.low, self.high)
        # a/b·f + c/d·g = (e/l)·((a/e)(l/b)·f + (c/e)(l/d)·g), with l = lcm(b, d) and e = gcd(a, c)
        (a, b), (c, d) = one.scale, two.scale
        bottom, top = least_multiple((b, d)), a.gcd(c)
        p, q = (a // top) * (bottom // b), (c // top) * (bottom // d)
        table = [p * x + q * y for x, y in zip(one.table, two.table, strict=True)]
        up, down = _added(one.up, p, two.up, q), _added(one.down, p, two.down, q)
        return Tailed(one.low, table, up, down, Scale(top, bottom))

    def minus(self, other: Tailed) -> Tailed:
        """The difference of two functions."""
        return self.plus(other.scaled(Scale(-ONE, ONE)))

    # Sums of a measure.

    def mass(self) -> Scale:
        """Its sum over all integers."""
        below = least_multiple(ratio.gap for ratio in {*self.up, *self.down})
        total = sum(self.table, NOTHING) * below + _beyond(self.up, below) + _beyond(self.down, below)
        return self.scale.times(Scale.of(total, below))

    def from_on(self) -> Tailed:
        """M ↦ Σ_{j ≥ m} f(j)."""
        if self._sums is None:
            self._sums = self._summed()
        return self._sums

    def _summed(self) -> Tailed:
        below = least_multiple(ratio.gap for ratio in {*self.up, *self.down})
        up = {ratio: c * ratio.bottom * (below // ratio.gap) for ratio, c in self.up.items()}
        down = {ratio: -c * ratio.top * (below // ratio.gap) for ratio, c in self.down.items()}
        # Below the table: all of it, without what is further below.
        left, table = _beyond(self.up, below), list[fmpz_poly]()
        for c in reversed(self.table):
            left = left + c * below
            table.append(left)
        down[SAME] = left + _beyond(self.down, below)
        return Tailed(self.low, table[::-1], up, down, _divided(self.scale, below))

    def along(self, slope: int, shift: int) -> Tailed:
        """K ↦ f(slope·k + shift); the slope is −1, 0 or 1."""
        if slope:
            return self.shifted(-shift) if slope > 0 else self.shifted(-shift).reflected()
        wide = self.widened(shift, shift)
        value = wide.table[shift - wide.low]
        return Tailed(0, [value], {SAME: value}, {SAME: value}, wide.scale)

    # Identity.

    def normalised(self) -> tuple[Tailed, Scale]:
        """The measure divided by its mass, in its one form, and the mass, which is not 0.

        The table ends where the upper tail begins, and begins where the lower tail ends; coordinates have no common
        factor, and the first of them that is not 0 has a positive leading coefficient. Two measures that are multiples
        of each other have the same `key` then.
        """
        if not self:
            raise ValueError("a measure without mass has no law")
        found = self._shortened().reflected()._shortened(1).reflected()
        coordinates = [*found.table, *found.up.values(), *found.down.values()]
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
        up, down = ({ratio: c // common for ratio, c in tail.items()} for tail in (found.up, found.down))
        form = Tailed(found.low, table, up, down)
        mass = form.mass()
        return form.scaled(UNIT.over(mass)), found.scale.times(mass).times(Scale(common, ONE))

    def _shortened(self, least: int = 0) -> Tailed:
        """The function with the upper tail as long as it can be; at least so many entries stay, or one."""
        found = self
        # This ends: continued downward, an upper tail grows without end, and a measure does not.
        while len(found.table) > least and found.table[-1] == sum(found.up.values(), NOTHING):
            if len(found.table) == 1:
                found = found.widened(found.low - 1, found.high)
            # One step down, u_ρ becomes u_ρ/ρ.
            factor = least_multiple(ratio.top for ratio in found.up)
            up = {ratio: c * ratio.bottom * (factor // ratio.top) for ratio, c in found.up.items()}
            table, down = found.table[:-1], found.down
            if factor != ONE:
                table = tuple(c * factor for c in table)
                down = {ratio: c * factor for ratio, c in down.items()}
            found = Tailed(found.low, table, up, down, _divided(found.scale, factor))
        return found

    @property
    def key(self) -> tuple[object, ...]:
        """Coordinates as a key."""
        tails = (sorted((ratio.key, _written(c)) for ratio, c in tail.items()) for tail in (self.up, self.down))
        return (self.low, tuple(map(_written, self.table)), *map(tuple, tails))


def _written(polynomial: fmpz_poly) -> tuple[int, ...]:
    return tuple(map(int, polynomial.coeffs()))


def _divided(scale: Scale, by: fmpz_poly) -> Scale:
    return scale if by == ONE else scale.over(Scale(by, ONE))


def _continued(tail: Tail, steps: int, factor: fmpz_poly) -> tuple[list[fmpz_poly], Tail]:
    """The next entries of a tail, times the factor, and the tail beyond them."""
    terms = dict(tail) if factor == ONE else {ratio: c * factor for ratio, c in tail.items()}
    entries = []
    for _ in range(steps):
        for ratio in terms:
            moved = terms[ratio] * ratio.top
            terms[ratio] = moved if ratio.bottom == ONE else moved // ratio.bottom
        entries.append(sum(terms.values(), NOTHING))
    return entries, terms


def _multiplied(one: Tail, two: Tail) -> dict[TailRatio, fmpz_poly]:
    found: dict[TailRatio, fmpz_poly] = {}
    for first, a in one.items():
        for second, b in two.items():
            ratio = first.times(second)
            found[ratio] = found[ratio] + a * b if ratio in found else a * b
    return found


def _added(one: Tail, p: fmpz_poly, two: Tail, q: fmpz_poly) -> dict[TailRatio, fmpz_poly]:
    found = {ratio: p * c for ratio, c in one.items()}
    for ratio, c in two.items():
        found[ratio] = found[ratio] + q * c if ratio in found else q * c
    return found


def _beyond(tail: Tail, below: fmpz_poly) -> fmpz_poly:
    """Σ_{d ≥ 1} of a measure's tail, times ``below``, which all 1 − ρ divide."""
    return sum((c * ratio.top * (below // ratio.gap) for ratio, c in tail.items()), NOTHING)


ZERO = Tailed(0, [NOTHING], {}, {})


@lru_cache(maxsize=64)
def noise_of(ratio: TailRatio) -> Tailed:
    """P(Z = z) = (1 − r)/(1 + r)·r^|z|."""
    scale = Scale.of(ratio.gap, ratio.bottom + ratio.top)
    return Tailed(0, [ONE], {ratio: ONE}, {ratio: ONE}, scale)


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


def projected(law: Tailed, gone: Tailed, bounds: Iterable[Bound]) -> Tailed:
    """K ↦ law(k)·Σ gone(j), over the j within all bounds at k."""
    if not law:
        return ZERO
    lows, highs = _sides(bounds)
    for side, others, way in ((lows, highs, 1), (highs, lows, -1)):
        if len(side) > 1:
            # Left and right of where two bounds cross, one of them alone counts.
            one, two, *more = side
            slope, shift = way * (one.slope - two.slope), way * (one.shift - two.shift)
            first = projected(law.where(slope, shift), gone, [one, *more, *others])
            return first.plus(projected(law.where(-slope, -shift - 1), gone, [two, *more, *others]))
    if lows and highs:
        (_, s, c), (_, t, d) = lows[0], highs[0]
        # Where the bounds leave just no room the two sums are equal; beyond, their difference would be negative.
        law = law.where(t - s, d + 1 - c)
    sums = gone.from_on() if lows or highs else gone
    inside = law.times(sums.along(*lows[0][1:])) if lows else law.scaled(gone.mass())
    return inside.minus(law.times(sums.along(highs[0].slope, highs[0].shift + 1))) if highs else inside


def _sides(bounds: Iterable[Bound]) -> tuple[list[Bound], list[Bound]]:
    both = list(bounds)
    return [bound for bound in both if bound.lower], [bound for bound in both if not bound.lower]
