"""The three forms of the step are one: equal rational optima, and each solution proves the others."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain.model.words import skewed_difference
from tests.reference.step_forms import directed_step, flow_form, paper_dual_form, primal_form, skewed_kantorovich

ALPHAS = [
    Fraction(1),
    1 + Fraction(1, 10**9),
    Fraction(11, 10),
    Fraction(3, 2),
    Fraction(2),
    Fraction(7),
    Fraction(10**6),
    Fraction(10**40),
]


def random_cost(random: Random, size: int) -> list[list[Fraction]]:
    """d without symmetry or triangle inequality: coarse, with many ties, zeros and ones."""
    parts = random.choice([1, 2, 4, 10])
    return [[Fraction(random.randint(0, parts), parts) * (i != j) for j in range(size)] for i in range(size)]


def random_weights(random: Random, size: int) -> list[Fraction]:
    """A distribution or sub-distribution, zeros likely."""
    shares = [random.choice([0, 0, 1, 1, 2, 3]) for _ in range(size)]
    whole = sum(shares) or 1
    mass = random.choice([Fraction(1), Fraction(1), Fraction(1, 3)])
    return [Fraction(share, whole) * mass for share in shares]


@pytest.mark.seeds(2, 8)
def test_the_forms_agree_and_prove_each_other(seed: int) -> None:
    random = Random(seed)
    positive = 0
    for _ in range(150):
        size = random.randint(1, 4)
        d = random_cost(random, size)
        x, y, alpha = random_weights(random, size), random_weights(random, size), random.choice(ALPHAS)
        primal, flow = primal_form(d, x, y, alpha).solve(), flow_form(d, x, y, alpha).solve()
        paper = paper_dual_form(d, x, y, alpha).solve()
        assert primal.value == flow.value == paper.value
        assert 0 <= flow.value <= sum(x)
        positive += flow.value > 0
        f = [primal.primal[f"f[{i}]"] for i in range(size)]
        arcs = [(i, j) for i in range(size) for j in range(size) if i != j]
        omega = {(i, j): flow.primal[f"omega[{i},{j}]"] for i, j in arcs}
        eta = [flow.primal[f"eta[{i}]"] for i in range(size)]
        # Complementary slackness between the primal's f and the flow's (ω, η).
        for i, j in arcs:
            assert f[i] - alpha * f[j] <= d[i][j]
            assert omega[i, j] * (d[i][j] - f[i] + alpha * f[j]) == 0
        for i in range(size):
            assert eta[i] * (1 - f[i]) == 0
            left = sum(omega[a, b] * ((a == i) - alpha * (b == i)) for a, b in arcs) + eta[i]
            assert left >= x[i] - alpha * y[i]
            assert f[i] * (left - x[i] + alpha * y[i]) == 0
        # The flow's multipliers are an optimal f, too.
        multipliers = [flow.dual[f"balance[{i}]"] for i in range(size)]
        assert sum(m * (a - alpha * b) for m, a, b in zip(multipliers, x, y, strict=True)) == primal.value
        assert all(0 <= m <= 1 for m in multipliers)
        assert all(multipliers[i] - alpha * multipliers[j] <= d[i][j] for i, j in arcs)
    assert 30 < positive < 150


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(4))
def test_a_paper_solution_is_a_flow(seed: int) -> None:
    """ω and η of the paper's dual satisfy the flow's rows: τ and γ cancel (docs/theory/step.md)."""
    random = Random(100 + seed)
    for _ in range(100):
        size = random.randint(1, 4)
        d, alpha = random_cost(random, size), random.choice(ALPHAS)
        x, y = random_weights(random, size), random_weights(random, size)
        found = paper_dual_form(d, x, y, alpha).solve().primal
        assert all(0 <= value <= 1 for value in found.values())
        for i in range(size):
            leaving = sum(found[f"omega[{i},{j}]"] for j in range(size))
            arriving = sum(found[f"omega[{j},{i}]"] for j in range(size))
            assert leaving + found[f"eta[{i}]"] - alpha * arriving >= x[i] - alpha * y[i]


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(4))
def test_step_properties(seed: int) -> None:
    """Monotone in d, homogeneous in (x, y), at least Δ_α of the masses, and at α = 1 symmetric for symmetric d."""
    random = Random(200 + seed)
    for _ in range(100):
        size = random.randint(1, 4)
        d, alpha = random_cost(random, size), random.choice(ALPHAS)
        x, y = random_weights(random, size), random_weights(random, size)
        value = directed_step(d, x, y, alpha)
        larger = [
            [min(Fraction(1), v + Fraction(1, 7) * (i != j)) for j, v in enumerate(row)] for i, row in enumerate(d)
        ]
        assert value <= directed_step(larger, x, y, alpha)
        half = Fraction(1, 2)
        assert directed_step(d, [half * v for v in x], [half * v for v in y], alpha) == half * value
        both = skewed_kantorovich(d, x, y, alpha)
        assert both == skewed_kantorovich(d, y, x, alpha) == max(value, directed_step(d, y, x, alpha))
        assert both >= skewed_difference(sum(x, Fraction(0)), sum(y, Fraction(0)), alpha)
        symmetric = [[max(d[i][j], d[j][i]) for j in range(size)] for i in range(size)]
        if sum(x) == sum(y):
            assert directed_step(symmetric, x, y, 1) == directed_step(symmetric, y, x, 1)


def test_the_step_may_rise_with_alpha() -> None:
    """A larger α lowers x − αy, but it also lets f vary more (f_i ≤ d_ij + α f_j), and that can win."""
    d = [[0, "9/10", "1/2"], ["1/10", 0, "7/10"], ["9/10", "9/10", 0]]
    x, y = ["1/6", "1/2", "1/3"], [0, 0, 1]
    assert directed_step(d, x, y, 1) == Fraction(23, 60)
    assert directed_step(d, x, y, "5/4") == Fraction(13, 30)


def test_by_hand() -> None:
    """The paper's example of a stone: α·0 + 1/10 through the middle is cheaper than 1, if the room is there."""
    d = [[0, "1/10", 1], [1, 0, 0], [1, 1, 0]]
    assert directed_step(d, ["1/4", 0, 0], [0, 0, 1], 2) == Fraction(1, 40)
    # Room 2 at the sink takes 4 for each unit that goes by the stone: half of the mass at most.
    assert directed_step(d, [1, 0, 0], [0, 0, 1], 2) == Fraction(1, 20) + Fraction(1, 2)
