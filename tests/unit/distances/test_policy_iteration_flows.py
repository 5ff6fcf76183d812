"""Flows in machine integers are feasible, and cost at most what is said of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from deltachain import examples
from deltachain.distances.closure import close
from deltachain.distances.kinds.bd import BD
from deltachain.distances.kinds.sd import SD
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import best_policy, too_expensive, units_of, whole_flows
from deltachain.distances.step_exact import filled_flow, flow_value, option_imbalance
from deltachain.numbers.flint import to_flint, to_fraction
from tests.unit.distances.test_step_exact import check_flow

ALPHAS = [
    Fraction(1),
    Fraction(11, 10),
    Fraction(3),
    1 + Fraction(1, 10**20),
    Fraction(2**61 + 1, 2**61),
    Fraction(9007199254740993, 2**53),
    Fraction(10**5),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_whole_flows_are_feasible_and_cost_what_the_kernel_says_at_most(alpha: Fraction, complement: bool) -> None:
    for denominators in (12, 10**9):
        chain = examples.random(n=24, labels=2, degree=3, denominators=denominators, seed=3)
        space = PairSpace.of(chain, alpha)
        d = np.random.default_rng(1).integers(1, 10, len(space)) / 16
        d[space.ends[0] == space.ends[1]] = 0
        policy = best_policy(
            space, space.off_diagonal, close(space, d, constraints=(SD if complement else BD).constraints)
        ).policy
        units = units_of(space)
        assert units is not None
        flows = whole_flows(space, policy, units)
        costs = [to_flint(Fraction(float(value))) for value in d]
        values = np.zeros(len(space))
        for q, pair in enumerate(policy.todo.tolist()):
            span = slice(policy.ptr[q], policy.ptr[q + 1])
            u, v = (int(end[pair]) for end in space.ends)
            need = option_imbalance(space, space.pair(u, v))
            flow = filled_flow(space, need, policy.arc[span], flows.whole[span], units.unit)
            check_flow(space, pair, flow)
            constant = Fraction(int(flows.constant[q]), units.unit)
            assert (
                to_fraction(flow.constant(space.exact_alpha))
                <= constant
                <= Fraction(float(policy.eta[q])) + Fraction(1, 10**9)
            )
            values[pair] = float(np.nextafter(float(to_fraction(flow_value(space, flow, costs))) * (1 - 1e-6), 0))
        # At values a little below their true costs every flow costs too much, whatever the others cost.
        over = too_expensive(space, policy, flows, np.where(values > 0, values, d))
        true = [
            to_fraction(flow_value(space, _flow(space, policy, flows, q), _exact(values, d))) for q in range(len(over))
        ]
        for q, pair in enumerate(policy.todo.tolist()):
            bound = Fraction(float(values[pair] if values[pair] > 0 else d[pair]))
            assert over[q] or true[q] <= bound


def _flow(space, policy, flows, q):  # type: ignore[no-untyped-def]
    span = slice(policy.ptr[q], policy.ptr[q + 1])
    u, v = (int(end[policy.todo[q]]) for end in space.ends)
    return filled_flow(
        space, option_imbalance(space, space.pair(u, v)), policy.arc[span], flows.whole[span], flows.units.unit
    )


def _exact(values, d):  # type: ignore[no-untyped-def]
    return [to_flint(Fraction(float(v if v > 0 else c))) for v, c in zip(values, d, strict=True)]


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
