"""Rows in whole numbers: over one denominator for all of a chain, or for the states of one belief."""

from __future__ import annotations

from fractions import Fraction

from deltachain.model.scaled import MOST_BITS, FractionRows, PolynomialRows, WholeRows
from deltachain.numbers.exponential import function_of, sign_at
from deltachain.programs import program
from tests.reference import kept_programs


def test_rows_over_the_least_denominator_of_some_states_are_the_rows() -> None:
    secrets = [{"answers": (0, 0, 1, 0)}, {"answers": (1, 1, 0, 1)}]
    chain = kept_programs.first_above.chain(secrets)
    k = chain.base
    assert k is not None
    rows = PolynomialRows(chain, k)
    every, _ = rows.together(range(len(chain)), 0)
    for states in ({0}, {0, 1}, {3, 4}, set(range(len(chain)))):
        denominator, found = rows.together(states, 0)
        assert sign_at(k, denominator) > 0
        assert set(found) == states
        for state in states:
            own, alone = rows.together((state,), 0)
            assert [j for j, _ in found[state]] == [j for j, _ in alone[state]]
            for (_, top), (_, mine) in zip(found[state], alone[state], strict=True):
                assert function_of(k, top, denominator) == function_of(k, mine, own)
    assert rows.together({0, 1}, 0)[0].degree() < every.degree()


def test_denominators_that_share_a_factor_below_zero_have_a_positive_multiple() -> None:
    """X − 4 is negative at e, and divides both."""
    text = "def f(x):\n    announce(choose((0, 1), weights=(3 - exp(1), 1 + x)))\n"
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    denominator, found = PolynomialRows(chain, 1).together((0, 1), 0)
    assert sign_at(1, denominator) > 0
    assert {sign_at(1, top) for row in found.values() for _, top in row} == {1}


def test_one_denominator_for_all() -> None:
    rows = WholeRows(6, [[[(0, 2), (1, 4)]], [[(1, 6)], [(0, 3), (1, 3)]]])
    assert rows.together((1,), 1) == (6, {1: [(0, 3), (1, 3)]})
    assert rows.together((0, 1), 0) == (6, {0: [(0, 2), (1, 4)], 1: [(1, 6)]})


def test_rows_of_fractions_with_long_denominators_stay_apart() -> None:
    answers = tuple(n % 2 for n in range(14))
    secrets = [{"answers": answers}, {"answers": tuple(1 - a for a in answers)}]
    chain = kept_programs.svt.chain(secrets, constants={"stops": False})
    rows = WholeRows.of(chain)
    assert isinstance(rows, FractionRows)
    states = {0, 1, 2, len(chain) - 1}
    denominator, found = rows.together(states, 0)
    assert denominator.bit_length() < MOST_BITS
    for state in states:
        assert [(j, Fraction(top, denominator)) for j, top in found[state]] == list(chain.moves[state][0])
    few = kept_programs.svt.chain([{"answers": (0, 1)}, {"answers": (1, 0)}])
    assert isinstance(WholeRows.of(few), WholeRows)
