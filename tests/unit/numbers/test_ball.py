"""Enclosures against sums of series with their remainders, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.numbers import ball as enclosures


def exp_by_series(value: Fraction, terms: int = 120) -> tuple[Fraction, Fraction]:
    """e^value for |value| ≤ 4: Taylor's sum, and a bound on what is left."""
    total, term = Fraction(1), Fraction(1)
    for n in range(1, terms):
        term = term * value / n
        total += term
    rest = abs(term)  # from n = 8 on the terms more than halve
    return total - rest, total + rest


@given(st.fractions(-4, 4, max_denominator=60), st.integers(1, 200))
def test_exp_meets_its_series(value: Fraction, bits: int) -> None:
    low, high = enclosures.exp(value, bits)
    below, above = exp_by_series(value)
    assert low <= above
    assert below <= high
    assert (high - low) * 2**bits <= max(1, high)


@given(st.fractions(Fraction(1, 50), 50, max_denominator=60), st.integers(1, 100))
def test_log_is_undone_by_exp(value: Fraction, bits: int) -> None:
    low, high = enclosures.log(value, bits)
    assert (high - low) * 2**bits <= max(1, abs(high))
    assert enclosures.exp(low, 120)[0] <= value <= enclosures.exp(high, 120)[1]


@pytest.mark.parametrize("value", [Fraction(1000), Fraction(-1000), Fraction(1, 10**40)])
def test_far_and_near(value: Fraction) -> None:
    low, high = enclosures.exp(value, 64)
    assert 0 < low < high
    assert enclosures.exp(Fraction(0), 64) == (1, 1)
    assert enclosures.log(Fraction(1), 64) == (0, 0)
