"""Rows in whole numbers: over one denominator for all of a chain, or for the states of one belief."""

from __future__ import annotations

from fractions import Fraction

from deltachain.model import Chain
from deltachain.model.rows import PointRow
from deltachain.model.scaled import PolynomialRows, WholeRows
from deltachain.numbers.exponential import function_of, sign_at
from deltachain.programs import program
from tests.reference import kept_programs


def test_rows_over_the_least_denominator_of_some_states_are_the_rows() -> None:
    secrets = [{"answers": (0, 0, 1, 0)}, {"answers": (1, 1, 0, 1)}]
    chain = kept_programs.first_above.chain(secrets)
    k = chain.base
    assert k is not None
    rows = PolynomialRows(chain, k)
    widest = 0
    for states in ({0}, {0, 1}, {3, 4}, set(range(len(chain)))):
        denominator, found = rows.together(states, 0)
        widest = max(widest, denominator.degree())
        assert sign_at(k, denominator) > 0
        assert set(found) == states
        for state in states:
            own = chain.points[state][0]
            assert [j for j, _ in found[state]] == [j for j, _ in own]
            for (_, top), (_, p) in zip(found[state], own, strict=True):
                assert function_of(k, top, denominator) == p
    assert rows.degree <= widest
    assert rows.together({0, 1}, 0)[0].degree() < widest


def test_denominators_that_share_a_factor_below_zero_have_a_positive_multiple() -> None:
    """X − 4 is negative at e, and divides both."""
    text = "def f(x):\n    announce(choose((0, 1), weights=(3 - exp(1), 1 + x)))\n"
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    rows = PolynomialRows(chain, 1)
    denominator, found = rows.together((0, 1), 0)
    assert sign_at(1, denominator) > 0
    assert {sign_at(1, top) for row in found.values() for _, top in row} == {1}


def test_one_denominator_for_all() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    stays, leaves = PointRow(((1, Fraction(1)),)), PointRow(((0, half), (1, half)))
    given = ((PointRow(((0, third), (1, 2 * third))),), (stays, leaves))
    rows = WholeRows.of(Chain(("s", "t"), ("a", "b"), given, inputs={"b": ("x", "y")}))
    assert rows.together((1,), 1) == (6, {1: [(0, 3), (1, 3)]})  # the first state does not offer it
    assert rows.together((0, 1), 0) == (6, {0: [(0, 2), (1, 4)], 1: [(1, 6)]})
