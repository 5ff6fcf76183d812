"""Pair numbers, the states that matter, and numbers for the float guide."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq

from deltachain.distances.pair_space import PairSpace, relevant_states
from deltachain.distances.scalars import LARGEST_FLOAT, nearest_float
from deltachain.model import Chain

CHAIN = Chain.from_dicts(
    {"s": {"h": "1/2", "t": "1/2"}, "u": {"h": 1}, "h": {"h": 1}, "h2": {"t": 1}, "t": {"t": 1}, "x": {"s": 1}},
    labels={"s": "a", "u": "a", "h": "h", "h2": "h", "t": "t", "x": "z"},
)


def test_pair_numbers_run_through_all_same_label_pairs() -> None:
    space = PairSpace.of(CHAIN, Fraction(2))
    pairs = [(s, t) for s in range(len(CHAIN)) for t in range(len(CHAIN)) if CHAIN.labels[s] == CHAIN.labels[t]]
    numbers = [space.pair_of_states(s, t) for s, t in pairs]
    assert sorted(n for n in numbers if n is not None) == list(range(len(space)))
    u, v = space.ends
    for (s, t), number in zip(pairs, numbers, strict=True):
        assert (space.states[u[number]], space.states[v[number]]) == (s, t)
        assert space.swapped[number] == space.pair_of_states(t, s)
    assert space.pair_of_states(0, 2) is None
    assert set(space.off_diagonal) == {n for (s, t), n in zip(pairs, numbers, strict=True) if s != t}


def test_squares_are_views() -> None:
    space = PairSpace.of(CHAIN, Fraction(1))
    values = np.zeros(len(space))
    squares = space.squares(values)
    assert [square.shape for square in squares] == [(2, 2), (2, 2), (1, 1), (1, 1)]
    squares[1][0, 1] = 7
    assert values.sum() == 7


def test_states_that_matter() -> None:
    """All of a label that a successor carries, not the rest: h2 may be a stepping stone, x and u's label may not."""
    s, u, h, h2, t, x = range(6)
    assert relevant_states(CHAIN, [(s, u)]) == (s, u, h, h2, t)
    assert relevant_states(CHAIN, [(t, t)]) == (t,)
    assert relevant_states(CHAIN, [(h, h2)]) == (h, h2, t)
    assert relevant_states(CHAIN, [(x, x)]) == (s, u, h, h2, t, x)
    assert relevant_states(CHAIN, []) == ()


def test_a_space_without_states() -> None:
    space = PairSpace.of(CHAIN, Fraction(1), [])
    assert len(space) == 0
    assert len(space.off_diagonal) == len(space.swapped) == 0


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (fmpq(1, 3), 1 / 3),
        (fmpq(10**40), 1e40),
        (fmpq(10**400), LARGEST_FLOAT),
        (fmpq(1, 10**400), 0.0),
        (fmpq(10**5000 + 1, 10**5000), 1.0),
    ],
)
def test_nearest_float(value: fmpq, wanted: float) -> None:
    assert nearest_float(value) == wanted


def test_rows_as_two_floats_lose_nothing_to_cancellation() -> None:
    tiny = Fraction(1, 10**25)
    chain = Chain.from_rows(
        [{0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1, 3) + tiny, 1: Fraction(2, 3) - tiny}], ["a", "a"]
    )
    _, _, probability, raised, value_id, tie, *_ = PairSpace.of(chain, Fraction(1)).tables
    difference = (probability[2, 0] - raised[0, 0]) + (probability[2, 1] - raised[0, 1])
    assert difference == pytest.approx(1e-25, rel=1e-6)
    assert tie[value_id[0]] == value_id[0], "at α = 1, each probability ties with itself"
