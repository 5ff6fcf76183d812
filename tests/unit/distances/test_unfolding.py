"""What a distance is made of adds up to it, however far its flows are followed."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, examples
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.distances.unfolding import Unfolding
from deltachain.model.words import total
from deltachain.numbers.exponential import exp_of
from tests.reference.functions import chain_of, random_functions
from tests.reference.random_chains import random_chain, random_system
from tests.words import refuses

ALPHAS = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2), Fraction(3)]

ROWS = {
    "0": {"0": "1/2", "2": "1/4", "h": "1/4"},
    "1": {"0": "1/12", "2": "19/24", "h": "1/8"},
    "2": {"0": "1/4", "1": "11/16", "h": "1/16"},
    "h": {"h": 1},
}
CIRCLES = Chain.from_dicts(ROWS, labels={s: "h" if s == "h" else "a" for s in ROWS})
"""Four states whose flows at α = 2 feed on each other (docs/theory/fixed-points.md)."""


def check_all(solution: FixedPoint) -> int:
    """Every pair with a distance above 0 is unfolded; returns how many there were."""
    chain, count = solution.chain, 0
    for (s, t), value in solution.items():
        pair = chain.number(s), chain.number(t)
        if not value:
            assert Unfolding(solution, pair).step(pair) is None
            continue
        count += 1
        for most in (1, 2, 60):
            unfolded = Unfolding(solution, pair, most)
            assert unfolded.total == value
            assert all(part.amount > 0 for part in unfolded.contributions)
            assert len(unfolded.followed) <= most
        for depth in (0, 1, 3):
            assert total(unfolded.tree(depth).leaves()) == value
        for step in unfolded.followed.values():
            assert total([*(p.amount for p in step.paid), *(arc.share for arc in step.matched)]) == step.value
            assert step.value == solution[step.pair]
    return count


@pytest.mark.seeds(15, 300)
@pytest.mark.parametrize("kind", ["bd", "ld", "sd"])
def test_contributions_add_up_to_the_distance(kind: str, seed: int) -> None:
    random = Random(f"unfolding {seed}")
    chain = random_system(random) if seed % 4 == 3 else random_chain(random, most_states=7)
    check_all(solve(chain, ALPHAS[seed % 5], kind=kind, exact=True))


@pytest.mark.seeds(4, 100)
def test_they_do_over_functions_of_e(seed: int) -> None:
    random = Random(f"unfolding functions {seed}")
    rows, labels = random_functions(random, cyclic=True)
    chain = chain_of(rows, labels)
    check_all(solve(chain, Fraction(2) if chain.rational else exp_of(Fraction(1, 2)), exact=True))


def test_flows_that_circle_are_followed_once_and_summed_up() -> None:
    solution = solve(CIRCLES, Fraction(2), exact=True)
    assert check_all(solution) == 3
    unfolded = Unfolding(solution, (0, 2))
    (part,) = unfolded.contributions
    assert (part.reached, part.paid, part.amount) == (Fraction(16, 15), (3,), Fraction(2, 15))
    assert all(unfolded.is_circling(step) for step in unfolded.followed.values())
    leaves = [branch for branch in unfolded.tree(5).below[0].below if branch.circles]
    assert {branch.pair for branch in leaves} == {(0, 2), (1, 2)}


def test_only_exact_distances_are_unfolded() -> None:
    with refuses(TypeError, "an exact distance"):
        Unfolding(solve(examples.split_coin(), Fraction(6, 5), exact=False), (0, 1))
