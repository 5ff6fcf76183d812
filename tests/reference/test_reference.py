"""The slow, obvious versions give the values that a hand computes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deltachain.model import Chain
from tests.reference.enumerate_events import lv_at_depth, tv_alpha_at_depth
from tests.reference.full_lp import bd_by_full_lp, directed_step, ld_by_full_lp, step_constraints

COIN = Chain.from_dicts(
    {"s": {"h": "3/4", "t": "1/4"}, "u": {"h": "1/3", "t": "2/3"}, "h": {"h": 1}, "t": {"t": 1}},
    labels={"s": "start", "u": "start", "h": "heads", "t": "tails"},
)

# u shows a for ever; s shows b from some step on, with probability 1/2 at each. At α = 1 the distance is 1.
WAITING = Chain.from_dicts(
    {"s": {"s": "1/2", "b": "1/2"}, "u": {"u": 1}, "b": {"b": 1}},
    labels={"s": "a", "u": "a", "b": "b"},
)


def test_enumeration_by_hand() -> None:
    alpha = Fraction(3, 2)
    assert lv_at_depth(COIN, "s", "u", alpha, 2) == Fraction(3, 4) - alpha * Fraction(1, 3)
    assert lv_at_depth(COIN, "u", "s", alpha, 2) == Fraction(2, 3) - alpha * Fraction(1, 4)
    assert tv_alpha_at_depth(COIN, "s", "u", alpha, 2) == Fraction(7, 24)
    assert tv_alpha_at_depth(COIN, "s", "u", alpha, 1) == 0
    assert tv_alpha_at_depth(COIN, "s", "h", alpha, 1) == 1


@pytest.mark.parametrize("depth", [1, 2, 3, 8])
def test_enumeration_counts_the_first_label_as_a_letter(depth: int) -> None:
    assert lv_at_depth(WAITING, "s", "u", Fraction(1), depth) == 1 - Fraction(1, 2 ** (depth - 1))


def test_full_lp_by_hand() -> None:
    alpha = Fraction(3, 2)
    assert ld_by_full_lp(COIN, alpha, 5)[0, 1] == pytest.approx(1 / 4)
    assert ld_by_full_lp(COIN, alpha, 5)[1, 0] == pytest.approx(7 / 24)
    two_way = bd_by_full_lp(COIN, alpha, 5)
    assert two_way[0, 1] == two_way[1, 0] == pytest.approx(7 / 24)
    assert two_way[0, 2] == 1
    assert (np.diag(two_way) == 0).all()


@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_full_lp_climbs_one_sweep_at_a_time(sweeps: int) -> None:
    """At α = 1, Γ^k(0)(s, u) = 1 − 2^−(k−1): the first sweep sees the labels alone."""
    assert bd_by_full_lp(WAITING, Fraction(1), sweeps)[0, 1] == pytest.approx(1 - 2.0 ** -(sweeps - 1), abs=1e-12)


def test_a_step_obeys_the_constraints() -> None:
    """max f_0 − 2/3 f_1 with f_0 − 2 f_1 ≤ 1/2: f_1 = 1/4 buys f_0 = 1, worth 5/6; without f_1, 1/2."""
    d = np.array([[0, 0.5], [1, 0]])
    constraints, right_sides = step_constraints(Fraction(2), d)
    assert constraints.toarray().tolist() == [[1, -2]]
    assert directed_step(np.array([1, -2 / 3]), constraints, right_sides) == pytest.approx(5 / 6)
    assert directed_step(np.array([-1.0, 0]), constraints, right_sides) == 0
