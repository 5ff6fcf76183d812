"""Flows in whole units: exact comparisons at the edges of words, and compiled and uncompiled the same."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import kernels
from deltachain.distances.policy_iteration import best_policy, units_of
from deltachain.kernels import transport, whole
from deltachain.kernels.records import Policy, Units, WholeFlows
from tests.unit.kernels.spaces import some_case

NO_INTS, ZERO = np.empty(0, np.int64), np.zeros(1, np.int64)


def fits(amount: int, cost: float, constant: int, unit: int, value: float) -> bool:
    """Whether amount·cost + constant ≤ unit·value, as both kernels say."""
    units = Units(unit, 0.0, 1, NO_INTS, NO_INTS, 0, 0, 0, 0, 0, 0)
    flows = WholeFlows(units, np.array([amount]), np.array([constant]), np.empty(1, bool))
    policy = Policy(ZERO, np.array([0, 1]), np.array([1], np.int32), np.zeros(1), np.zeros(1))
    said = []
    for module in (kernels, whole):
        found = np.empty(1, np.uint8)
        module.find_expensive(ZERO, policy, flows, np.array([value, cost]), found)
        said.append(bool(found[0]))
    assert said[0] == said[1], "compiled and uncompiled agree"
    return not said[0]


@pytest.mark.parametrize("value", [1.0, 0.5, 0.1, 1 / 3, 2.0**-30, 1e-12, 1e-300, 1e-310, 5e-324])
def test_comparisons_are_exact_to_the_last_unit(value: float) -> None:
    """With cost = value and amount = unit the two sides are equal; a unit of η or one step of the cost is too much."""
    for unit in (2**40, 2**57, 3 * 11**5 * 2**30):
        assert fits(unit, value, 0, unit, value)
        if value < 1:
            assert not fits(unit, float(np.nextafter(value, 2)), 0, unit, value)
            assert not fits(unit + 1, value, 0, unit, value)
            assert not fits(unit, value, 1, unit, value)
        assert fits(unit, float(np.nextafter(value, 0)), 0, unit, value)


@pytest.mark.parametrize("seed", range(4))
def test_no_flow_that_costs_too_much_is_said_to_fit(seed: int) -> None:
    random = Random(seed)
    for _ in range(500):
        unit = random.choice([2**40, 2**58 - 1, random.randrange(2**20, 2**58)])
        value = random.random() * 10.0 ** random.randint(-20, 0)
        cost = min(1.0, value * random.choice([0.5, 1.0, 2.0, random.random() * 3, 1e-300]))
        amount = random.choice([0, 1, unit, random.randrange(2**60), 2**61 - 1])
        constant = random.choice([0, 1, int(unit * value), random.randrange(2**61)])
        wanted = Fraction(cost) * amount + constant <= unit * Fraction(value)
        found = fits(amount, cost, constant, unit, value)
        assert not found or wanted
        close_call = abs(Fraction(cost) * amount + constant - unit * Fraction(value)) * 2**55 < unit * Fraction(value)
        assert found == wanted or close_call, "only what is close may be lost to rounding up"


def test_zero_is_shown_by_nothing_but_zero() -> None:
    assert fits(5, 0.0, 0, 2**40, 0.0)
    assert fits(0, 0.5, 0, 2**40, 0.0)
    assert not fits(1, 5e-324, 0, 2**40, 0.0)
    assert not fits(0, 0.0, 1, 2**40, 0.0)


def test_what_does_not_fit_is_never_said_to() -> None:
    assert not fits(5, 0.5, -1, 2**40, 0.99)


def test_alignment_is_that_of_python() -> None:
    random = Random(3)
    for _ in range(2000):
        value = random.choice([0, 1, 2**64, 2**113, random.randrange(2 ** random.randint(1, 114))])
        by = random.choice([0, 1, 63, 64, 124, 125, 126, 500, random.randint(0, 130)]) * random.choice([1, -1])
        exact = -(-value * 2**by // 1) if by >= 0 else -(-value // 2**-by)
        assert whole.align(value, by) == min(exact, 2**125)


@pytest.mark.sample(30)
@pytest.mark.parametrize("seed", range(60))
def test_compiled_and_uncompiled_flows_are_rounded_alike(seed: int) -> None:
    """Amounts of policies, scaled, some of them huge, tiny or no number; then compared with values of all sizes."""
    case, random = some_case(seed), Random(seed)
    space, units = case.space, units_of(case.space)
    if units is None:
        return
    policy = best_policy(space, case.todo, case.closure).policy
    weight = policy.weight * random.choice([1.0, 1.0, 0.999999, 1 / 3, 17.0])
    for _ in range(random.randint(0, 3) if len(weight) else 0):
        weight[random.randrange(len(weight))] = random.choice([1e30, float("nan"), 5e-17, 3e5, 0.1, 2.0**20])
    policy = policy._replace(weight=weight)
    sizes = [0.0, 1.0, random.random(), 2.0 ** -random.randint(0, 1070), float(np.nextafter(1, 0))]
    value = np.array([random.choice(sizes) for _ in range(len(space))])
    results: list[Any] = []
    for module, rows in ((kernels, kernels.PairRows), (whole, transport.PairRows)):
        count = len(case.todo)
        flows = WholeFlows(units, np.zeros(len(weight), np.int64), np.zeros(count, np.int64), np.zeros(count, bool))
        both = space.rows_of(case.todo)
        module.round_flows(rows(space.tables), *both, *space.ends, policy, flows)
        found = np.zeros(count, np.uint8)
        module.find_expensive(space.pairs_of(case.todo), policy, flows, value, found)
        results.append([array.tolist() for array in (*flows[1:], found)])
    assert results[0] == results[1]
