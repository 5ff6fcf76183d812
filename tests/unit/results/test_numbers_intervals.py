"""Intervals as text: what is printed contains what is known."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from deltachain.numbers.fraction import parse_fraction
from deltachain.results.numbers import beside, interval, outward


def test_printed_intervals_contain_the_exact_one() -> None:
    draw = random.Random(1)
    for _ in range(2000):
        width = Fraction(1, draw.choice([1, 7, 10**6, 10**19]) * draw.randrange(1, 99))
        lower = Fraction(draw.randrange(10**9), draw.randrange(1, 10**9) + 10**9)
        low, high = interval("δ", lower, lower + width).split(" ≤ δ ≤ ")
        assert parse_fraction(low) <= lower < lower + width <= parse_fraction(high)


def test_narrow_intervals_are_shown_with_more_digits() -> None:
    third = Fraction(1, 3)
    assert interval("δ", third, third + Fraction(1, 10**5)) == "0.333333 ≤ δ ≤ 0.333344"
    assert interval("δ", third, third + Fraction(1, 10**20)) == "0.333333333333 ≤ δ ≤ 0.333333333334"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "δ = 0"),
        (Fraction(1), "δ = 1"),
        (Fraction(1, 2), "δ = 1/2 = 0.5"),
        (Fraction(1, 3), "δ = 1/3 ≈ 0.333333"),
        (Fraction(10**40, 10**41 + 1), "δ ≈ 0.1"),
    ],
)
def test_known_numbers(value: Fraction, text: str) -> None:
    assert interval("δ", value, value) == text


def test_telling_keeps_the_side_of_the_limit() -> None:
    limit = Fraction(3, 10)
    for hair in (Fraction(1, 10**k) for k in (3, 8, 15, 30, 60)):
        above, below = beside(limit + hair, "lower", limit), beside(limit - hair, "upper", limit)
        assert limit < parse_fraction(above) <= limit + hair
        assert limit - hair <= parse_fraction(below) < limit
    assert beside(limit, "upper", limit) == beside(limit, "lower", limit) == "0.3"
    assert outward(limit + Fraction(1, 10**8), "lower") == "0.30000001"
