"""Formulas of tests attain the distance as a gain, whatever their depth."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain.distances.logic import AcceptWith, After, Extreme, InStates, OnLetters, Rescaled
from deltachain.numbers.field import Exact, text_of
from tests.reference.random_chains import random_chain, random_system
from tests.unit.distances.test_unfolding import ALPHAS, CIRCLES
from tests.words import says


def gain(found: dc.Explanation) -> Exact:
    """What the test of an explanation gains: its value at one state, less α times that at the other."""
    s, t = (found.chain.number(state) for state in found.direction)
    assert found.test is not None
    return found.test.at(found.chain, s) - found.measured_at * found.test.at(found.chain, t)


@pytest.mark.seeds(15, 300)
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_a_test_gains_the_distance(kind: str, seed: int) -> None:
    random = Random(f"logic {seed}")
    chain = random_system(random) if seed % 4 == 3 else random_chain(random, most_states=7)
    distance = dc.distance(chain, pairs="all", exp_epsilon=ALPHAS[seed % 5], kind=kind, exact=True)
    for row in distance.results:
        for depth in (1, 2, 3):
            found = dc.explain(distance, *row.pair, depth=depth, gap=False)
            if not found.value or not found.steps:
                assert found.test is None
                continue
            assert gain(found) == found.value
            assert found.test is not None
            if found.test.of_letters:
                # An event never gains more than δ, which is at most the distance: so here they are equal.
                assert dc.delta(chain, *row.pair, exp_epsilon=ALPHAS[seed % 5]).upper >= found.value


def test_deeper_tests_name_fewer_states() -> None:
    distance = dc.distance(CIRCLES, pairs="all", exp_epsilon=2, exact=True)
    shallow, deep = (dc.explain(distance, "0", "2", depth=depth, gap=False).test for depth in (1, 2))
    assert isinstance(shallow, After)
    assert isinstance(shallow.body, OnLetters)
    assert isinstance(shallow.body.cases["a"], InStates)
    assert shallow.body.cases["h"] == AcceptWith(Fraction(1))
    assert isinstance(deep, After)
    assert isinstance(deep.body, OnLetters)
    assert not deep.of_letters
    assert deep.size > shallow.size
    assert says(deep.lines(CIRCLES, text_of)[0])


def test_each_kind_of_formula_has_its_value() -> None:
    h, a = AcceptWith(Fraction(3, 4)), AcceptWith(Fraction(1, 4))
    letters = OnLetters({"h": h, "a": a})
    after = After(letters)
    assert after.at(CIRCLES, 0) == Fraction(3, 4) * Fraction(1, 4) + Fraction(1, 4) * Fraction(3, 4)
    assert after.of_letters
    assert Rescaled(Fraction(2), Fraction(-1, 4), Fraction(1), after).at(CIRCLES, 0) == Fraction(1, 2)
    assert Rescaled(Fraction(9), Fraction(0), Fraction(1), after).at(CIRCLES, 0) == 1
    assert Rescaled(Fraction(-9), Fraction(0), Fraction(1), after).at(CIRCLES, 0) == 0
    assert Extreme(largest=True, of=(h, a)).at(CIRCLES, 0) == Fraction(3, 4)
    assert Extreme(largest=False, of=(h, a)).at(CIRCLES, 0) == Fraction(1, 4)
    assert InStates({0: Fraction(1)}).at(CIRCLES, 1) == 0
    assert OnLetters({"h": h}).at(CIRCLES, 0) == 0
    both = Extreme(largest=True, of=(h, Rescaled(Fraction(1, 2), Fraction(-1, 8), Fraction(1, 3), after)))
    assert says(both.lines(CIRCLES, text_of))
