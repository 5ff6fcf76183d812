"""Measures and functions on a window of the integers, value by value: `programs.noise.laws` in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from deltachain.programs.noise.laws import Bound, Scale, Tail, Tailed, TailRatio, fmpz_poly

WINDOW = range(-130, 131)
"""What lies outside has a mass below 2^-100 in all that is compared."""
SMALL = Fraction(1, 2**90)

Values = dict[int, Fraction]


def rational(ratio: Fraction) -> TailRatio:
    """The ratio in the numbers of laws."""
    return TailRatio(fmpz_poly([ratio.numerator]), fmpz_poly([ratio.denominator]))


def number(scale: Scale) -> Fraction:
    """A number of laws that is a fraction."""
    return Fraction(int(scale.top[0]), int(scale.bottom[0]))


def tabulated(law: Tailed) -> Values:
    """The function at each place of the window, straight from the definition of its coordinates."""
    found = {}
    for k in WINDOW:
        if k > law.high:
            value = _in_tail(law.up, k - law.high)
        elif k < law.low:
            value = _in_tail(law.down, law.low - k)
        else:
            value = Fraction(int(law.table[k - law.low][0]))
        found[k] = value * number(law.scale)
    return found


def _in_tail(tail: Tail, d: int) -> Fraction:
    """Σ c_{ρ,a}·C(d−1+a, a)·ρ^d."""
    return sum(
        (
            part(ratio) ** d * comb(d - 1 + degree, degree) * int(c[0])
            for ratio, coefficients in tail.items()
            for degree, c in enumerate(coefficients)
        ),
        Fraction(0),
    )


def part(ratio: TailRatio) -> Fraction:
    """The ratio as a fraction."""
    return Fraction(int(ratio.top[0]), int(ratio.bottom[0]))


def noise(ratio: Fraction) -> Values:
    """Two-sided geometric noise."""
    return {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in WINDOW}


def moved(values: Values, to: Callable[[int], int]) -> Values:
    """The law of to(k)."""
    found = dict.fromkeys(WINDOW, Fraction(0))
    for k, value in values.items():
        if to(k) in found:
            found[to(k)] += value
    return found


def plus_independent(values: Values, other: Values) -> Values:
    """The law of the sum, as far as the window reaches."""
    found = dict.fromkeys(WINDOW, Fraction(0))
    for k, value in values.items():
        for j, weight in other.items():
            if value and weight and k + j in found:
                found[k + j] += value * weight
    return found


def where(values: Values, slope: int, shift: int) -> Values:
    """The law where slope·k + shift ≥ 0."""
    return {k: value if slope * k + shift >= 0 else Fraction(0) for k, value in values.items()}


def projected(law: Values, gone: Values, bounds: Sequence[Bound]) -> Values:
    """The sum over all j that are within the bounds."""
    found = {}
    for k, value in law.items():
        low = max((b.slope * k + b.shift for b in bounds if b.lower), default=WINDOW[0])
        high = min((b.slope * k + b.shift for b in bounds if not b.lower), default=WINDOW[-1])
        inside = (gone[j] for j in range(max(low, WINDOW[0]), min(high, WINDOW[-1]) + 1))
        found[k] = value * sum(inside, Fraction(0)) if value else Fraction(0)
    return found
