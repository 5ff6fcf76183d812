"""Numbers that words have as probabilities, up to a positive factor: polynomials in Y, or fractions.

A ratio of noise is a power of one letter Y, or a fraction (`mechanism.NoiseRatio`). What is asked of a number is its
sign: at one Y, or at every Y of an interval at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Protocol

from flint import fmpq, fmpz_poly

from ..numbers.bernstein import bernstein, never_negative, value_at
from ..numbers.exponential import Exponential, function_of, sign_at
from ..numbers.flint import to_flint
from .mechanism import NoiseRatio

RingNumber = Any
"""An element of a ring: an fmpz_poly in Y, or an fmpq."""
SAMPLES = (Fraction(999, 1000), Fraction(99, 100), *(Fraction(n, 20) for n in (19, 17, 14, 10, 6, 3, 1)))
"""Where a number is tried out whose sign on an interval is open: parts of the interval."""


class NumberRing(Protocol):
    """What roots and numbers are, and how signs are told."""

    unit: NoiseRatio
    """The root 1."""

    def product(self, left: NoiseRatio, right: NoiseRatio) -> NoiseRatio:
        """The product of two roots."""

    def power(self, root: NoiseRatio, exponent: int) -> RingNumber:
        """A power of a root, for an exponent ≥ 0."""

    def number(self, value: int) -> RingNumber:
        """An integer as a number."""

    def sort_falling(self, roots: Iterable[NoiseRatio]) -> list[NoiseRatio]:
        """The roots, the largest first."""

    def at_most_zero(self, number: RingNumber) -> bool:
        """Whether it is surely ≤ 0, everywhere where it is asked about."""

    def above_zero(self, number: RingNumber) -> Fraction | bool:
        """Whether it is surely > 0: at the one Y, or at the place that is returned."""

    def places_above_zero(self, number: RingNumber) -> int:
        """At how many places it is known to be > 0, to choose the most telling of several numbers."""


@cache
def _monomial(exponent: int) -> fmpz_poly:
    return fmpz_poly([0] * exponent + [1])


class Powers:
    """Roots are powers of Y."""

    unit: NoiseRatio = 0

    def product(self, left: NoiseRatio, right: NoiseRatio) -> NoiseRatio:
        """Exponents add up."""
        return left + right

    def power(self, root: NoiseRatio, exponent: int) -> RingNumber:
        """A monomial."""
        return _monomial(int(root) * exponent)

    def number(self, value: int) -> RingNumber:
        """A constant polynomial."""
        return fmpz_poly([value])

    def sort_falling(self, roots: Iterable[NoiseRatio]) -> list[NoiseRatio]:
        """By rising exponents: Y < 1."""
        return sorted(roots)


def _without_factors(p: fmpz_poly) -> fmpz_poly:
    """The polynomial without powers of Y, which are positive."""
    coefficients = p.coeffs()
    lowest = next(k for k, c in enumerate(coefficients) if c)
    return fmpz_poly(coefficients[lowest:]) if lowest else p


@dataclass
class AtPowerOfE(Powers):
    """Y = e^(−1/k)."""

    k: int
    _signs: dict[tuple[int, ...], int] = field(default_factory=dict)

    def sign(self, number: fmpz_poly) -> int:
        """The sign of the number: e is transcendental, so that only 0 is 0."""
        if not number:
            return 0
        # With X = e^(1/k): Y^n·p(1/Y) backwards.
        own = _without_factors(number)
        key = tuple(map(int, own.coeffs()))
        found = self._signs.get(key)
        if found is None:
            found = self._signs[key] = sign_at(self.k, fmpz_poly(list(key[::-1])))
        return found

    def at_most_zero(self, number: RingNumber) -> bool:
        """Decided."""
        return self.sign(number) <= 0

    def above_zero(self, number: RingNumber) -> Fraction | bool:
        """Decided."""
        return self.sign(number) > 0

    def places_above_zero(self, number: RingNumber) -> int:
        """One or none."""
        return int(self.sign(number) > 0)

    def quotient(self, top: fmpz_poly, bottom: fmpz_poly) -> Exponential:
        """The number top/bottom as a function of e."""
        degree = max(top.degree(), bottom.degree())

        def backwards(p: fmpz_poly) -> fmpz_poly:
            coefficients = list(p.coeffs())
            return fmpz_poly((coefficients + [0] * (degree + 1 - len(coefficients)))[::-1])

        return function_of(self.k, backwards(top), backwards(bottom))


@dataclass
class OverInterval(Powers):
    """Every Y between two fractions at once, 0 ≤ low < high ≤ 1."""

    low: Fraction
    high: Fraction
    _told: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def at_most_zero(self, number: RingNumber) -> bool:
        """Whether Bernstein coefficients show it, on the whole interval."""
        if not number:
            return True
        own = _without_factors(number)
        key = tuple(map(int, own.coeffs()))
        found = self._told.get(key)
        if found is None:
            # Mostly the coefficients tell at once; what touches 0 inside needs its square factors taken out.
            found = max(bernstein(own, self.low, self.high)) <= 0 or never_negative(-own, self.low, self.high)
            self._told[key] = found
        return found

    def above_zero(self, number: RingNumber) -> Fraction | bool:
        """A place where it is, if one is found."""
        return next(self._above(number), False)

    def places_above_zero(self, number: RingNumber) -> int:
        """How many of the places that are tried."""
        return sum(1 for _ in self._above(number))

    def _above(self, number: RingNumber) -> Iterator[Fraction]:
        width = self.high - self.low
        places = (self.low + width * part for part in SAMPLES)
        return (place for place in places if number and value_at(number, place) > 0)


class Fractions:
    """Roots are fractions, and so are numbers."""

    unit: NoiseRatio = Fraction(1)

    def __init__(self) -> None:
        self._powers: dict[tuple[NoiseRatio, int], fmpq] = {}

    def product(self, left: NoiseRatio, right: NoiseRatio) -> NoiseRatio:
        """Their product."""
        return left * right

    def power(self, root: NoiseRatio, exponent: int) -> RingNumber:
        """The power, which is kept."""
        key = (root, exponent)
        if key not in self._powers:
            self._powers[key] = to_flint(Fraction(root)) ** exponent
        return self._powers[key]

    def number(self, value: int) -> RingNumber:
        """The integer."""
        return fmpq(value)

    def sort_falling(self, roots: Iterable[NoiseRatio]) -> list[NoiseRatio]:
        """The largest first."""
        return sorted(roots, reverse=True)

    def at_most_zero(self, number: RingNumber) -> bool:
        """Decided."""
        return bool(number <= 0)

    def above_zero(self, number: RingNumber) -> Fraction | bool:
        """Decided."""
        return bool(number > 0)

    def places_above_zero(self, number: RingNumber) -> int:
        """One or none."""
        return int(number > 0)
