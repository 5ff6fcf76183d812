"""Signs and roots of integer polynomials on an open interval, by Bernstein coefficients; exactly.

For a < b and a polynomial p of degree n, the coefficients of (1+z)^n · p((a + bz)/(1+z)) are those of p in Bernstein's
basis on (a, b), times positive numbers. If none of them changes sign, neither does p on (a, b); and p has at most as
many roots there as they change sign, and an odd or even number alike (Descartes). One change is exactly one root.
Halving the interval ends: so roots of a polynomial without multiple roots are isolated (Vincent; Collins and Akritas).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from flint import fmpz_poly

from ..cancel import spend
from .flint import to_flint, to_fraction

ONE = fmpz_poly([1])
COEFFICIENTS_PER_STEP = 20
"""By which degree² · bits is divided for what it costs to expand a polynomial at another place."""
SHORT = 10**12
"""Rational roots with denominators up to here are named, where they are isolated closely enough."""


class Isolated(NamedTuple):
    """Exactly one root of a polynomial: strictly between two Fractions, or equal to both."""

    low: Fraction
    high: Fraction


def bernstein(p: fmpz_poly, a: Fraction, b: Fraction) -> list[int]:
    """The coefficients of (1+z)^n · p((a + bz)/(1+z)), up to a positive factor.

    >>> bernstein(fmpz_poly([-1, 0, 4]), Fraction(0), Fraction(1))  # 4x² − 1
    [-1, -2, 3]
    """
    n = p.degree()
    if n < 0:
        return []
    common = a.denominator * b.denominator
    spend(n * n * (3 + common.bit_length()) // COEFFICIENTS_PER_STEP)
    start, width = int(a * common), int((b - a) * common)
    # common^n · p((start + width·t)/common), which is p on (0, 1)
    scaled = fmpz_poly([c * common ** (n - i) for i, c in enumerate(p.coeffs())])
    on_unit = scaled(fmpz_poly([start, width]))
    # The coefficients of h(1 + w), backwards, where h is the polynomial backwards.
    shifted = fmpz_poly(_pad(on_unit, n)[::-1])(fmpz_poly([1, 1]))
    return [int(c) for c in _pad(shifted, n)[::-1]]


def _pad(p: fmpz_poly, degree: int) -> list[int]:
    found = [int(c) for c in p.coeffs()]
    return found + [0] * (degree + 1 - len(found))


def _changes(coefficients: list[int]) -> int:
    signs = [c > 0 for c in coefficients if c]
    return sum(x != y for x, y in pairwise(signs))


def value_at(p: fmpz_poly, x: Fraction) -> Fraction:
    """p(x)."""
    return to_fraction(p(to_flint(x)))


def sign_at_point(p: fmpz_poly, x: Fraction) -> int:
    """The sign of p(x)."""
    n = max(p.degree(), 0)
    spend(100 + n * n * x.denominator.bit_length() // (COEFFICIENTS_PER_STEP * max(n.bit_length(), 1)))
    value = p(to_flint(x))
    return int(value > 0) - int(value < 0)


def square_free(p: fmpz_poly) -> fmpz_poly:
    """The polynomial with the same roots, each once."""
    if p.degree() <= 0:
        return ONE
    return p // p.gcd(p.derivative())


def isolate(p: fmpz_poly, a: Fraction, b: Fraction) -> list[Isolated]:
    """The roots of a polynomial that is not 0 in the open interval (a, b), in order, each once.

    >>> isolate(fmpz_poly([-1, 0, 4]), Fraction(-1), Fraction(1))  # ±1/2
    [Isolated(low=Fraction(-1, 1), high=Fraction(0, 1)), Isolated(low=Fraction(0, 1), high=Fraction(1, 1))]
    """
    if _changes(bernstein(p, a, b)) == 0:
        return []
    simple = square_free(p)
    for end in (a, b):
        simple = _without(simple, end)
    found: list[Isolated] = []
    stack = [(simple, a, b)]
    while stack:
        rest, low, high = stack.pop()
        changes = _changes(bernstein(rest, low, high))
        if changes == 1:
            found.append(Isolated(low, high))
        if changes <= 1:
            continue
        middle = (low + high) / 2
        if sign_at_point(rest, middle) == 0:
            found.append(Isolated(middle, middle))
            rest = _without(rest, middle)
        stack += [(rest, low, middle), (rest, middle, high)]
    return sorted(found)


def _without(p: fmpz_poly, root: Fraction) -> fmpz_poly:
    """The polynomial without a root, if it is one; multiple roots are not expected."""
    factor = fmpz_poly([-root.numerator, root.denominator])
    return p // factor if p.degree() > 0 and sign_at_point(p, root) == 0 else p


def refine(p: fmpz_poly, root: Isolated, width: Fraction) -> Isolated:
    """The same root of p between Fractions at most ``width`` apart; itself, if that is a Fraction that is near."""
    low, high = root
    simple = square_free(p)
    for end in (low, high):
        simple = simple if low == high else _without(simple, end)
    if low < high:
        # One simple root inside, and none at the ends: the sign changes exactly there.
        above = sign_at_point(simple, high)
        while high - low > width:
            middle = (low + high) / 2
            sign = sign_at_point(simple, middle)
            if sign == 0:
                return Isolated(middle, middle)
            low, high = (low, middle) if sign == above else (middle, high)
        # A rational root with a short denominator is the nearest of these.
        short = ((low + high) / 2).limit_denominator(SHORT)
        if low < short < high and sign_at_point(simple, short) == 0:
            return Isolated(short, short)
    return Isolated(low, high)


def constant_sign(p: fmpz_poly, a: Fraction, b: Fraction) -> int | None:
    """The sign of p, which is not 0, on all of (a, b); None if it vanishes somewhere."""
    return None if isolate(p, a, b) else sign_at_point(p, (a + b) / 2)


def never_negative(p: fmpz_poly, a: Fraction, b: Fraction) -> bool:
    """Whether p ≥ 0 on all of (a, b); it may touch 0 there.

    >>> never_negative(fmpz_poly([1, -6, 9]), Fraction(0), Fraction(1))  # (3x − 1)²
    True
    """
    if not p:
        return True
    return constant_sign(odd_part(p), a, b) == 1


def odd_part(p: fmpz_poly) -> fmpz_poly:
    """The product of p's roots of odd multiplicity, each once, with p's sign: squares change none.

    By derivatives alone (Yun): to factor a polynomial of degree 10,000 takes seconds.

    >>> odd_part(fmpz_poly([0, 1]) ** 3 * fmpz_poly([-1, 1]) ** 2)
    x
    """
    odd = fmpz_poly([1 if int(p[p.degree()]) > 0 else -1])
    common = p.gcd(p.derivative())
    rest, slope = p // common, p.derivative() // common
    multiplicity = 1
    while rest.degree() > 0:
        slope = slope - rest.derivative()
        found = rest.gcd(slope)  # the roots of this multiplicity
        odd = odd * found if multiplicity % 2 else odd
        rest, slope, multiplicity = rest // found, slope // found, multiplicity + 1
    return odd
