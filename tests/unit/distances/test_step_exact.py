"""The fast step, in floats and exactly, against the forms: stepping stones, ties, zeros, wide rows, both kernels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from deltachain.distances.closure import ExactClosure, close, close_exactly
from deltachain.distances.kinds.bd import BD
from deltachain.distances.kinds.sd import SD
from deltachain.distances.pair_space import PairSpace
from deltachain.distances.policy_iteration import apply_step
from deltachain.distances.scalars import RATIONALS
from deltachain.distances.step_exact import (
    Flow,
    by_label,
    exact_flow,
    extend_prices,
    flow_value,
    imbalance,
    option_imbalance,
    settle_basis,
    solve_label,
    unfold_amounts,
)
from deltachain.model import Chain
from tests.amounts import fewer_or_all
from tests.reference.full_lp import directed_step as highs_step
from tests.reference.full_lp import skewed_difference, step_constraints
from tests.reference.step_forms import directed_step, sharp_step
from tests.reference.test_step_forms import ALPHAS, random_cost, random_weights

Matrix = list[list[Fraction]]
ROUNDING = 1e-12
GAINS = [fmpq(1), fmpq(2), fmpq(4)]


def chain_of_rows(rows: Sequence[Sequence[Fraction]], labels: str) -> Chain:
    return Chain.from_rows([{j: p for j, p in enumerate(row) if p} for row in rows], list(labels))


def pair_costs(space: PairSpace, d: Matrix) -> list[fmpq]:
    u, v = space.ends
    values = [d[space.states[a]][space.states[b]] for a, b in zip(u, v, strict=True)]
    return [fmpq(value.numerator, value.denominator) for value in values]


def exact_step(space: PairSpace, closure: ExactClosure, pair: int) -> tuple[fmpq, Flow, dict[int, fmpq]]:
    """Value, flow and prices of one pair by the exact simplex."""
    need = option_imbalance(space, pair)
    amounts, prices = {}, {}
    for part in by_label(space, need):
        optimum = solve_label(RATIONALS, part, closure.cost, closure.gains)
        amounts |= optimum.amounts
        block = space.block_positions(next(iter(part.excess)))
        prices |= extend_prices(part, optimum.price, closure.cost, closure.gains, block)
    flow = unfold_amounts(space, amounts, closure)
    return flow_value(space, flow, closure.d), flow, prices


def check_flow(space: PairSpace, pair: int, flow: Flow) -> None:
    """Feasible for every state: Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ x_i − α y_i."""
    left = [fmpq(0)] * len(space.states)
    for u, v, amount in flow.arcs:
        assert amount > 0
        left[u] += amount
        left[v] -= space.exact_alpha * amount
    for u, v, amount in flow.complement:
        assert amount > 0
        left[u] -= amount
        left[v] += space.exact_alpha * amount
    for u, amount in flow.eta:
        assert amount > 0
        left[u] += amount
    ends = space.ends
    for i, p in space.rows[int(ends[0][pair])]:
        left[i] -= p
    for i, p in space.rows[int(ends[1][pair])]:
        left[i] += space.exact_alpha * p
    assert all(value >= 0 for value in left)


def check_prices(space: PairSpace, d: Sequence[fmpq], prices: dict[int, fmpq], complement: bool) -> None:
    """0 ≤ f ≤ 1 and f_i − α f_j ≤ d_ij for every pair of one label; for sd, of 1 − f too."""
    zero, one, alpha = fmpq(0), fmpq(1), space.exact_alpha
    assert all(0 <= f <= 1 for f in prices.values())
    for pair, (u, v) in enumerate(zip(*space.ends, strict=True)):
        if u != v:
            f, g = prices.get(int(u), zero), prices.get(int(v), zero)
            assert f - alpha * g <= d[pair]
            assert not complement or (one - f) - alpha * (one - g) <= d[pair]


def check_all_pairs(chain: Chain, alpha: Fraction, d: Matrix, *, complement: bool = False) -> int:
    """Every step of the chain at d, all ways; returns the number of levels that mattered."""
    space = PairSpace.of(chain, alpha)
    costs = pair_costs(space, d)
    floats = np.array([int(c.p) / int(c.q) for c in costs])
    closure = close_exactly(space, costs, constraints=(SD if complement else BD).constraints)
    float_closure = close(space, floats, constraints=(SD if complement else BD).constraints)
    step = sharp_step if complement else directed_step
    assert float_closure.complete
    bases = apply_step(space, space.off_diagonal, float_closure)
    for index, pair in enumerate(space.off_diagonal.tolist()):
        s, t = (space.states[int(end[pair])] for end in space.ends)
        wanted = step(d, dict(chain.rows[s]), dict(chain.rows[t]), alpha)
        value, flow, prices = exact_step(space, closure, pair)
        assert Fraction(int(value.p), int(value.q)) == wanted
        check_flow(space, pair, flow)
        check_prices(space, costs, prices, complement)
        x, y = (dict(space.rows[space.position[state]]) for state in (s, t))
        gain = sum(
            (f * (x.get(i, fmpq(0)) - space.exact_alpha * y.get(i, fmpq(0))) for i, f in prices.items()), fmpq(0)
        )
        assert gain == value, "the prices prove the value from below"
        assert not bases.stopped[index]
        assert bases.value[index] == pytest.approx(float(wanted), abs=ROUNDING)
        settled = exact_flow(space, bases, float_closure, index)
        check_flow(space, pair, settled)
        assert flow_value(space, settled, costs) >= value
    return closure.levels


@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.seeds(2, 6)
@fewer_or_all("number, least", (15, 2), (25, 3))
def test_random_costs_without_triangle_inequality(seed: int, complement: bool, number: int, least: int) -> None:
    random = Random(seed)
    deepest = 0
    for _ in range(number):
        size = random.randint(2, 5)
        labels = "".join(random.choice("aab") for _ in range(size))
        d = random_cost(random, size)
        d = [[d[i][j] if labels[i] == labels[j] else Fraction(1) for j in range(size)] for i in range(size)]
        rows = []
        while len(rows) < size:
            row = random_weights(random, size)
            if sum(row) == 1:
                rows.append(row)
        alpha = random.choice(ALPHAS)
        if complement:  # at α = 1 both kinds of arcs say the same of a symmetric d
            alpha = max(alpha, Fraction(21, 20))
        deepest = max(deepest, check_all_pairs(chain_of_rows(rows, labels), alpha, d, complement=complement))
    assert deepest >= least


def test_a_stone_that_neither_row_reaches() -> None:
    """0 → 3 is cheap and 3 → 1 is free, 0 → 1 is dear: the flow from 0 to 1 goes by 3, which neither row reaches."""
    one, zero = Fraction(1), Fraction(0)
    rows = [[one / 4, zero, 3 * one / 4, zero], [zero, one, zero, zero], [zero, zero, one, zero], [zero] * 3 + [one]]
    d = [[Fraction(i != j) for j in range(4)] for i in range(4)]
    d[0][3], d[3][1], d[0][1] = Fraction(1, 10), zero, Fraction(9, 10)
    chain, alpha = chain_of_rows(rows, "aaba"), Fraction(2)
    # 1/4 leaves 0 and 1 arrives at 1, whose room is 2; the mass at 2 has nowhere to go.
    assert directed_step(d, dict(chain.rows[0]), dict(chain.rows[1]), alpha) == Fraction(1, 40) + Fraction(3, 4)
    assert check_all_pairs(chain, alpha, d) == 2
    space = PairSpace.of(chain, alpha)
    closure = close_exactly(space, pair_costs(space, d))
    _, flow, _ = exact_step(space, closure, space.pair(space.position[0], space.position[1]))
    stone = space.position[3]
    assert [(u, v) for u, v, _ in flow.arcs] == [(space.position[0], stone), (stone, space.position[1])]


@pytest.mark.parametrize("hops", [1, 2, 3, 7])
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(11, 10), Fraction(2)])
def test_a_row_of_free_stones(hops: int, alpha: Fraction) -> None:
    """d(i, i+1) = 0 and all else 1: C_l(0, l) = 0, and a unit that leaves 0 arrives as α^l."""
    size = hops + 1
    d = [[Fraction(j != i + 1 and j != i) for j in range(size)] for i in range(size)]
    last = [Fraction(0)] * hops + [Fraction(1)]
    rows = [[Fraction(1)] + [Fraction(0)] * hops, *([last] * hops)]
    chain = chain_of_rows(rows, "a" * size)
    assert check_all_pairs(chain, alpha, d) == hops
    assert directed_step(d, dict(chain.rows[0]), dict(chain.rows[1]), alpha) == 1 - 1 / alpha ** (hops - 1)


def test_ties_belong_to_neither_side() -> None:
    alpha = fmpq(3, 2)
    need = imbalance([(0, fmpq(3, 5)), (1, fmpq(2, 5))], [(0, fmpq(2, 5)), (1, fmpq(3, 5))], alpha)
    assert need.excess == {}
    assert need.room == {1: fmpq(1, 2)}
    chain = chain_of_rows([[Fraction(3, 5), Fraction(2, 5)], [Fraction(2, 5), Fraction(3, 5)]], "aa")
    check_all_pairs(chain, Fraction(3, 2), [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]])


def random_distribution(random: Random, size: int, degree: int) -> list[Fraction]:
    shares = {i: random.randint(1, 6) for i in random.sample(range(size), degree)}
    whole = sum(shares.values())
    return [Fraction(shares.get(i, 0), whole) for i in range(size)]


@pytest.mark.parametrize("alpha", [pytest.param(Fraction(1), marks=pytest.mark.slow), Fraction(6, 5)])
def test_wide_rows(alpha: Fraction) -> None:
    """Out-degree 250 in 300 states: the exact flow costs what the float step says, and HiGHS agrees."""
    random, size = Random(3), 300
    absorbing = [[Fraction(1)] + [Fraction(0)] * (size - 1)] * (size - 2)
    wide = [random_distribution(random, size, 250) for _ in range(2)]
    space = PairSpace.of(chain_of_rows(wide + absorbing, "a" * size), alpha)
    d = np.random.default_rng(1).integers(1, 21, len(space)) / 20
    d[space.ends[0] == space.ends[1]] = 0
    pair = space.pair(0, 1)
    closure = close(space, d)
    bases = apply_step(space, np.array([pair]), closure)
    assert not bases.stopped[0]
    flow = exact_flow(space, bases, closure, 0)
    check_flow(space, pair, flow)
    upper = flow_value(space, flow, [fmpq(round(20 * c), 20) for c in d])
    assert bases.value[0] == pytest.approx(int(upper.p) / int(upper.q), abs=ROUNDING)
    assert bases.value[0] == pytest.approx(step_by_highs(space, d), abs=1e-9)


def step_by_highs(space: PairSpace, d: Any) -> float:
    """k(d)(μ_0→μ_1) as one linear program over all states."""
    size = len(space.states)
    constraints, right_sides = step_constraints(space.alpha, d.reshape(size, size))
    return highs_step(skewed_difference(space.chain, space.alpha, 0, 1), constraints, right_sides)


def test_the_exact_simplex_starts_from_a_float_basis() -> None:
    random, size = Random(5), 60
    chain = chain_of_rows([random_distribution(random, size, 40) for _ in range(size)], "a" * size)
    space = PairSpace.of(chain, Fraction(6, 5))
    d = np.random.default_rng(2).integers(10, 21, len(space)) / 20  # no stone pays: 1/2 + α/2 > 1
    d[space.ends[0] == space.ends[1]] = 0
    costs = [fmpq(round(20 * c), 20) for c in d]
    closure = close_exactly(space, costs)
    assert closure.levels == 1
    bases = apply_step(space, np.array([space.pair(0, 1)]), close(space, d))
    need = option_imbalance(space, space.pair(0, 1))
    warm = solve_label(RATIONALS, need, closure.cost, closure.gains, bases.entries(0))
    cold = solve_label(RATIONALS, need, closure.cost, closure.gains)
    values = [flow_value(space, unfold_amounts(space, found.amounts, closure), costs) for found in (warm, cold)]
    assert values[0] == values[1]
    assert set(warm.amounts) == set(bases.entries(0)), "the float basis was optimal: no pivot was needed"


def test_a_basis_that_does_not_fit_is_refused() -> None:
    need = imbalance([(0, fmpq(1))], [(1, fmpq(1))], fmpq(2))
    assert settle_basis(RATIONALS, need, [(0, 1, 1), (1, 1, -1)], GAINS) == {(0, 1, 1): 1, (1, 1, -1): 0}
    assert settle_basis(RATIONALS, need, [(0, 1, 2), (1, 1, -1)], GAINS) is None, (
        "1 would arrive as 4 where there is room for 2"
    )
    assert settle_basis(RATIONALS, need, [(0, 1, 1)], GAINS) is None
    assert settle_basis(RATIONALS, need, [(0, 1, 1), (0, 1, 1)], GAINS) is None
    assert settle_basis(RATIONALS, need, [(0, 2, 1), (1, 1, -1)], GAINS) is None


def test_a_basis_with_a_cycle_is_solved_densely() -> None:
    need = imbalance([(0, fmpq(1, 2)), (1, fmpq(1, 2))], [(2, fmpq(1, 2)), (3, fmpq(1, 2))], fmpq(2))
    basis = [(0, 2, 1), (0, 3, 2), (1, 2, 2), (1, 3, 1)]
    amounts = settle_basis(RATIONALS, need, basis, GAINS)
    assert amounts is not None
    assert amounts[0, 2, 1] + amounts[0, 3, 2] == fmpq(1, 2)
    assert 2 * amounts[0, 2, 1] + 4 * amounts[1, 2, 2] == 1
