"""Totals in factored form: the product of the factors is the total, sign included."""

from __future__ import annotations

import pytest
from flint import fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from deltachain.programs.language.numbers import Moves, Polynomials

COEFFICIENTS = st.lists(st.integers(-6, 6), min_size=1, max_size=5).filter(any)


@pytest.mark.parametrize("coefficients", [[-3], [0, -1], [0, 0, -4], [-1, -1], [2, 0, -6]])
def test_a_negative_total_keeps_its_sign(coefficients: list[int]) -> None:
    _expands_to_itself(coefficients, 1)


@given(COEFFICIENTS, st.integers(1, 3))
def test_the_factors_multiply_to_the_total(coefficients: list[int], stretch: int) -> None:
    _expands_to_itself(coefficients, stretch)


def _expands_to_itself(coefficients: list[int], stretch: int) -> None:
    weights = Polynomials(stretch)
    total = fmpz_poly(coefficients)
    found = weights.adapt(Moves((0,), (total,), total, 1))
    assert weights.expand(found.total) == total.inflate(stretch)
    assert found.weights == (total.inflate(stretch),)


@given(COEFFICIENTS, COEFFICIENTS)
def test_cofactors_lead_to_one_common_multiple(one: list[int], other: list[int]) -> None:
    weights = Polynomials(1)
    first, second = (weights.adapt(Moves((0,), (1,), fmpz_poly(c), 1)).total for c in (one, other))
    a, b, common = weights.cofactors(first, second)
    assert weights.expand(first) * a == weights.expand(common) == weights.expand(second) * b
