"""Signs and roots of polynomials on an interval, against polynomials whose roots are known."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest
from flint import fmpz_poly
from hypothesis import given
from hypothesis import strategies as st

from deltachain.cancel import Cancel
from deltachain.errors import Stopped
from deltachain.numbers.bernstein import (
    Isolated,
    bernstein,
    constant_sign,
    isolate,
    refine,
    value_at,
)

POINTS = st.fractions(min_value=-2, max_value=2, max_denominator=12)
LOW, HIGH = Fraction(-1), Fraction(3, 2)
NO_ROOT = fmpz_poly([2, 1, 1])


@given(st.lists(POINTS, max_size=6), st.booleans(), st.sampled_from([1, -1, 3]))
def test_roots_are_isolated_each_once(roots: list[Fraction], more: bool, scale: int) -> None:
    p = scale * prod((fmpz_poly([-r.numerator, r.denominator]) for r in roots), start=fmpz_poly([1]))
    p = p * NO_ROOT if more else p
    found = isolate(p, LOW, HIGH)
    inside = sorted({r for r in roots if LOW < r < HIGH})
    assert len(found) == len(inside)
    for place, root in zip(found, inside, strict=True):
        assert place.low < root < place.high or place.low == root == place.high
        fine = refine(p, place, Fraction(1, 10**12))
        assert fine.low <= root <= fine.high
        assert fine.high - fine.low <= Fraction(1, 10**12)
    assert constant_sign(p, LOW, HIGH) == (None if inside else (1 if value_at(p, Fraction(1, 7)) > 0 else -1))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), POINTS, POINTS)
def test_coefficients_are_those_of_the_transformed_polynomial(c: list[int], a: Fraction, b: Fraction) -> None:
    p = fmpz_poly(c)
    if a >= b or p.degree() < 0:
        return
    found, n = bernstein(p, a, b), p.degree()
    factors = set()
    for z in (Fraction(1, 3), Fraction(2), Fraction(7, 2)):
        wanted = (1 + z) ** n * value_at(p, (a + b * z) / (1 + z))
        value = sum(k * z**i for i, k in enumerate(found))
        assert (value > 0) == (wanted > 0)
        if wanted:
            factors.add(value / wanted)
    assert len(factors) <= 1
    assert all(factor > 0 for factor in factors)


def test_the_search_for_roots_can_be_ended() -> None:
    """`parametric` with a deadline: polynomials of high degree take minutes."""
    p = fmpz_poly([-2, 0, 1])

    cancel = Cancel()
    cancel.interrupt()
    with cancel.govern():
        for search in (lambda: isolate(p, Fraction(1), Fraction(2)), lambda: refine(p, ROOT, Fraction(1, 10**40))):
            with pytest.raises(Stopped):
                search()
    assert isolate(p, Fraction(1), Fraction(2)) == [ROOT]


ROOT = Isolated(Fraction(1), Fraction(2))
