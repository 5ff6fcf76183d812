"""An interval lower ≤ δ ≤ upper as text: one number when it is known, else decimals that are rounded outward."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from ..rational import format_fraction, parse_fraction
from .numbers import SHORT_FRACTION, decimal

DIGITS = (6, 9, 12, 20, 40)


def outward(value: Fraction, side: Literal["upper", "lower"], digits: int = 6) -> str:
    """The decimal of a bound, rounded outward, without a mark: for a place where the sign stands already.

    >>> outward(Fraction(1, 3), "upper", 4), outward(Fraction(1, 3), "lower", 4)
    ('0.3334', '0.3333')
    """
    return decimal(value, digits, side).lstrip("≤≥ ")


def interval(name: str, lower: Fraction, upper: Fraction) -> str:
    """``lower ≤ name ≤ upper``, or ``name = value`` when the two are equal.

    >>> interval("δ", Fraction(7501, 25000000), Fraction(7501, 25000000))
    'δ = 7501/25000000 = 0.00030004'
    >>> interval("δ", Fraction(1, 3), Fraction(1, 3)), interval("δ", Fraction(0), Fraction(2, 3))
    ('δ = 1/3 ≈ 0.333333', '0 ≤ δ ≤ 0.666667')
    """
    if lower != upper:
        return _between(name, lower, upper)
    fraction, number = format_fraction(upper), decimal(upper)
    number = number if number.startswith("≈ ") else f"= {number}"
    if number == f"= {fraction}" or len(fraction) > SHORT_FRACTION:
        return f"{name} {number}"
    return f"{name} = {fraction} {number}"


def _between(name: str, lower: Fraction, upper: Fraction) -> str:
    """With more digits where the interval is so narrow that six would hide it."""
    for digits in (6, 9, 12):
        low, high = outward(lower, "lower", digits), outward(upper, "upper", digits)
        if parse_fraction(high) - parse_fraction(low) <= 2 * (upper - lower):
            break
    return f"{low} ≤ {name} ≤ {high}"


def beside(value: Fraction, side: Literal["upper", "lower"], limit: Fraction) -> str:
    """`outward`, with as many digits as it takes to show on which side of ``limit`` the value is; else the fraction.

    >>> beside(Fraction(1, 3), "upper", Fraction("0.33333333334")), outward(Fraction(1, 3), "upper")
    ('0.333333333334', '0.333334')
    """
    for digits in DIGITS:
        text = outward(value, side, digits)
        shown = parse_fraction(text)
        if (shown > limit) == (value > limit) and (shown < limit) == (value < limit):
            return text
    return format_fraction(value)
