"""Flows in machine integers: the kernels against Python's integers, at the edges of words, and the safe side."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from deltachain import examples
from deltachain.distances import whole_flows as integers
from deltachain.distances.closure import close
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import best_policy
from deltachain.distances.step_exact import filled_flow, flow_value, pair_imbalance
from deltachain.distances.whole_flows import fit, too_dear, units_of, whole_flows
from deltachain.flints import exact, fraction
from tests.unit.distances.test_step_exact import check_flow

WORD = 2**64


@pytest.mark.parametrize("seed", range(3))
def test_products_and_shifts_of_two_words(seed: int) -> None:
    random = Random(seed)
    edges = [0, 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**62, WORD - 1]
    for _ in range(300):
        a, b = (random.choice(edges) if random.random() < 0.5 else random.randrange(WORD) for _ in range(2))
        high, low = integers._product(np.uint64(a), np.uint64(b))
        assert int(high) * WORD + int(low) == a * b
        by = random.choice([0, 1, 31, 63, 64, 65, 127, 128, 500])
        with np.errstate(over="ignore"):
            up = integers._shift_right_up(high, low, by)
            left_high, left_low, inside = integers._shift_left(high, low, by)
        assert int(up[0]) * WORD + int(up[1]) == -(-a * b // 2**by)
        assert inside == (a * b * 2**by < 2**125)
        assert not inside or int(left_high) * WORD + int(left_low) == a * b * 2**by


@pytest.mark.parametrize("value", [1.0, 0.5, 0.1, 1 / 3, 2.0**-30, 1e-12, 1e-300, 5e-324])
def test_comparisons_are_exact_to_the_last_unit(value: float) -> None:
    """With cost = value and amount = unit the two sides are equal; a unit of η or one step of the cost is too much."""
    for unit in (2**40, 2**57, 3 * 11**5 * 2**30):
        assert fit(unit, value, 0, unit, value)
        if value < 1:
            assert not fit(unit, float(np.nextafter(value, 2)), 0, unit, value)
            assert not fit(unit + 1, value, 0, unit, value)
            assert not fit(unit, value, 1, unit, value)
        assert fit(unit, float(np.nextafter(value, 0)), 0, unit, value)


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_never_says_that_a_dear_flow_fits(seed: int) -> None:
    random = Random(seed)
    for _ in range(500):
        unit = random.choice([2**40, 2**58 - 1, random.randrange(2**20, 2**58)])
        value = random.random() * 10.0 ** random.randint(-20, 0)
        cost = min(1.0, value * random.choice([0.5, 1.0, 2.0, random.random() * 3]))
        amount = random.choice([0, 1, unit, random.randrange(2**60), 2**61 - 1])
        constant = random.choice([0, 1, int(unit * value), random.randrange(2**61)])
        wanted = Fraction(cost) * amount + constant <= unit * Fraction(value)
        found = fit(amount, cost, constant, unit, value)
        assert not found or wanted
        close_call = abs(Fraction(cost) * amount + constant - unit * Fraction(value)) * 2**55 < unit * Fraction(value)
        assert found == wanted or close_call, "only what is close may be lost to rounding up"


def test_zero_is_shown_by_nothing_but_zero() -> None:
    assert fit(5, 0.0, 0, 2**40, 0.0)
    assert fit(0, 0.5, 0, 2**40, 0.0)
    assert not fit(1, 5e-324, 0, 2**40, 0.0)
    assert not fit(0, 0.0, 1, 2**40, 0.0)


def test_what_does_not_fit_is_never_said_to() -> None:
    assert not fit(5, 0.5, -1, 2**40, 0.99)


ALPHAS = [
    Fraction(1),
    Fraction(11, 10),
    Fraction(3),
    1 + Fraction(1, 10**20),
    Fraction(2**61 + 1, 2**61),
    Fraction(9007199254740993, 2**53),
    Fraction(10**5),
]


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_whole_flows_are_feasible_and_cost_what_the_kernel_says_at_most(alpha: Fraction, complement: bool) -> None:
    for denominators in (12, 10**9):
        chain = examples.random(n=24, labels=2, degree=3, denominators=denominators, seed=3)
        space = PairSpace.of(chain, alpha)
        d = np.random.default_rng(1).integers(1, 10, len(space)) / 16
        d[space.ends[0] == space.ends[1]] = 0
        policy = best_policy(space, space.off_diagonal, close(space, d, complement=complement)).policy
        units = units_of(space)
        assert units is not None
        flows = whole_flows(space, policy, units)
        costs = [exact(Fraction(float(value))) for value in d]
        values = np.zeros(len(space))
        for q, pair in enumerate(policy.todo.tolist()):
            span = slice(policy.ptr[q], policy.ptr[q + 1])
            u, v = (int(end[pair]) for end in space.ends)
            need = pair_imbalance(space, u, v)
            flow = filled_flow(space, need, policy.arc[span], flows.whole[span], units.unit)
            check_flow(space, pair, flow)
            constant = Fraction(int(flows.constant[q]), units.unit)
            assert (
                fraction(flow.constant(space.exact_alpha))
                <= constant
                <= Fraction(float(policy.eta[q])) + Fraction(1, 10**9)
            )
            values[pair] = float(np.nextafter(float(fraction(flow_value(space, flow, costs))) * (1 - 1e-6), 0))
        # At values a little below their true costs every flow is too dear, whatever the others cost.
        dear = too_dear(space, policy, flows, np.where(values > 0, values, d))
        true = [
            fraction(flow_value(space, _flow(space, policy, flows, q), _exact(values, d))) for q in range(len(dear))
        ]
        for q, pair in enumerate(policy.todo.tolist()):
            bound = Fraction(float(values[pair] if values[pair] > 0 else d[pair]))
            assert dear[q] or true[q] <= bound


def _flow(space, policy, flows, q):  # type: ignore[no-untyped-def]
    span = slice(policy.ptr[q], policy.ptr[q + 1])
    u, v = (int(end[policy.todo[q]]) for end in space.ends)
    return filled_flow(space, pair_imbalance(space, u, v), policy.arc[span], flows.whole[span], flows.units.unit)


def _exact(values, d):  # type: ignore[no-untyped-def]
    return [exact(Fraction(float(v if v > 0 else c))) for v, c in zip(values, d, strict=True)]


def test_amounts_that_lie_on_the_grid_are_met_exactly() -> None:
    """With α = 11/10 and twelfths, optimal amounts are multiples of the unit: nothing is lost to rounding."""
    space = PairSpace.of(examples.random(n=24, labels=2, degree=3, seed=1), Fraction(11, 10))
    d = np.where(space.ends[0] == space.ends[1], 0.0, 0.5)
    policy = best_policy(space, space.off_diagonal, close(space, d)).policy
    units = units_of(space)
    assert units is not None
    flows = whole_flows(space, policy, units)
    assert flows.snapped.all()
    assert flows.constant / units.unit == pytest.approx(policy.eta, abs=1e-15)


def test_a_huge_alpha_is_left_to_rationals() -> None:
    assert units_of(PairSpace.of(examples.random(n=6), Fraction(2**30))) is None
