"""Divergences of losses against their definitions: sums over words and outcomes, dense grids of orders, products."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest

from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.measures.divergences.find import Directed, direct
from deltachain.model import Chain
from tests.reference import divergences as naive

NEAR = 1e-11


def outcomes(draw: random.Random, count: int, zeros: bool = False) -> tuple[tuple[Fraction, Fraction], ...]:
    """Two random distributions on the same outcomes; with zeros, some only one of them shows."""
    some = [0] if zeros else []
    first, second = ([draw.choice([*some, *range(1, 40)]) for _ in range(count)] for _ in range(2))
    first[0], second[0] = first[0] or 1, second[0] or 1
    return tuple((Fraction(x, sum(first)), Fraction(y, sum(second))) for x, y in zip(first, second, strict=True))


def chain_that_ends(draw: random.Random) -> Chain:
    """States 0 and 1 of one label, all others later ones, the last absorbing."""
    n = draw.randint(5, 7)
    labels = ["a", "a", *(draw.choice("ab") for _ in range(n - 3)), "z"]
    rows = []
    for i in range(n - 1):
        targets = draw.sample(range(max(2, i + 1), n), min(n - max(2, i + 1), draw.randint(1, 3)))
        weights = {j: draw.randint(1, 4) for j in targets}
        rows.append([Fraction(weights.get(j, 0), sum(weights.values())) for j in range(n)])
    return Chain.from_rows([*rows, [Fraction(int(j == n - 1)) for j in range(n)]], labels)


def test_moments_of_chains_are_sums_over_their_words() -> None:
    draw = random.Random(1)
    infinite = 0
    for _ in range(150):
        chain = chain_that_ends(draw)
        losses = find_losses(Workspace(chain, [(0, 1)]), (0, 1), Budget(), Cancel())
        assert losses is not None
        for (s, t), found in (((0, 1), losses), ((1, 0), losses.reversed)):
            words = naive.outcomes_at_depth(chain, s, t, len(chain) + 1)
            for order in (2, 3, 5):
                assert direct(found).moment(order) == naive.moment(words, order)
            alone = direct(found).alone
            assert alone == sum(x for x, y in words if not y)
            assert (direct(found).renyi(Fraction(3, 2)) is None) == (alone > 0) == (direct(found).kl() is None)
            infinite += alone > 0
    assert 10 < infinite < 290, "both kinds are met"


@pytest.mark.parametrize("seed", range(25))
def test_enclosures_hold_what_floats_say(seed: int) -> None:
    draw = random.Random(seed)
    both = outcomes(draw, draw.randint(2, 7))
    found = Directed(both)
    for order in (Fraction(2), Fraction(3, 2), Fraction(101, 100), Fraction(17), Fraction(64)):
        low, high = found.renyi(order) or (0, 0)
        assert low <= high <= low + Fraction(1, 10**20)
        assert float(low) == pytest.approx(naive.renyi(both, float(order)), abs=NEAR, rel=1e-9)
    low, high = found.kl() or (0, 0)
    assert float(low) == pytest.approx(naive.kl(both), abs=NEAR)


@pytest.mark.sample(13)
@pytest.mark.parametrize("seed", range(25))
def test_rho_is_above_every_order_and_close_to_one(seed: int) -> None:
    draw = random.Random(seed)
    both = outcomes(draw, draw.randint(2, 6))
    if seed % 3 == 0:  # rare outcomes of large ratios: the largest D_a/a is then at an order far from 1
        rare = Fraction(1, 10 ** draw.randint(3, 9))
        both = ((rare, rare**2), (1 - rare, 1 - rare**2))
    found = Directed(both).zcdp()
    assert found is not None
    low, high = found
    seen = [naive.renyi(both, 1 + 10 ** (k / 200)) / (1 + 10 ** (k / 200)) for k in range(-800, 600)]
    assert max([naive.kl(both), *seen]) <= float(high) + 1e-9
    assert low <= max(high, Fraction(0))
    assert float(high - low) <= 1e-4 * float(high)
    assert float(low) <= max([naive.kl(both), *seen]) * (1 + 1e-4) + NEAR


@pytest.mark.seeds(3, 15)
def test_runs_add_up_and_the_worst_pair_beside_counts(seed: int) -> None:
    draw = random.Random(seed)
    own, one, other = (outcomes(draw, 3) for _ in range(3))
    times = draw.randint(1, 3)
    found = Directed(own, ((one, other),), times)
    choices = []
    for beside in (one, other):
        runs = product(*([own] * times + [beside] * times))
        choices.append([(math.prod(x for x, _ in run), math.prod(y for _, y in run)) for run in runs])
    for order in (2, 3):
        assert found.moment(order) == max(naive.moment(choice, order) or 0 for choice in choices)
    low, _ = found.renyi(Fraction(5, 2)) or (0, 0)
    assert float(low) == pytest.approx(max(naive.renyi(choice, 2.5) for choice in choices), abs=NEAR, rel=1e-9)
    rho = found.zcdp() or (Fraction(0), Fraction(0))
    grid = [1 + 10 ** (k / 50) for k in range(-200, 100)]
    most = max(naive.renyi(choice, order) / order for choice in choices for order in grid)
    assert most <= float(rho[1]) + NEAR
    assert float(rho[0]) <= max(most, *map(naive.kl, choices)) * (1 + 1e-3)


def test_what_nothing_tells_apart_has_no_divergence() -> None:
    same = ((Fraction(1, 3), Fraction(1, 3)), (Fraction(2, 3), Fraction(2, 3)))
    found = Directed(same, (), 10**6)
    assert found.moment(7) == 1
    assert found.renyi(Fraction(7, 3)) == found.kl() == found.zcdp() == (0, 0)


def test_a_moment_too_long_to_write_is_left_out_and_its_logarithm_is_known() -> None:
    both = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    found = Directed(both, (), 10**9)
    assert found.moment(2) is None
    low, high = found.renyi(Fraction(2)) or (0, 0)
    assert float(low) == pytest.approx(10**9 * math.log(7 / 3))
    assert float(high) == pytest.approx(10**9 * math.log(7 / 3))


def test_outcomes_next_to_each_other_are_bounded() -> None:
    near = Fraction(1, 10**60)
    both = ((Fraction(1, 2) + near, Fraction(1, 2)), (Fraction(1, 2) - near, Fraction(1, 2)))
    low, high = Directed(both).zcdp() or (0, 0)
    assert 0 <= low <= high <= Fraction(1, 10**20)
