"""Intervals over boxes hold for every chain inside, for every nature, by every recipe of the search."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from deltachain import Chain
from deltachain.beliefs.limits.corners import corner_grid
from deltachain.beliefs.limits.first_order import first_order
from deltachain.beliefs.question import Terms
from deltachain.beliefs.search import search
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.tables import LARGEST_BELIEF, tables_of
from deltachain.beliefs.signed.tree import grow, root_tree
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.model import BallRow, LimitRow
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.boxes import NATURES, World, extreme, random_boxes

Pair = tuple[int, int]
ALPHAS = ("1", "11/10", "3/2", "4")
LETTERS = 5


def as_enclosures(chain: Chain) -> Chain:
    """The same boxes, said to be around known numbers."""
    given = tuple(
        tuple(BallRow(row.entries, row.rest) if isinstance(row, LimitRow) else row for row in rows)
        for rows in chain.given
    )
    return replace(chain, given=given)


def refuted(chain: Chain, random: Random, alpha: Fraction, lower: Fraction, upper: Fraction, ways: list[Pair]) -> str:
    """A world outside the interval, if one of some is: random rows, corners, and rows moved towards an extreme."""
    for k in range(6):
        world = World(chain, random, NATURES[k % 3], ends=k % 2 == 0)
        if k < 2:
            extreme(world, *ways[0], alpha, LETTERS, largest=k == 0)
        values = [world.value(*way, alpha, LETTERS) for way in ways]
        if lower > max(high for _, high in values) or max(low for low, _ in values) > upper:
            return f"{NATURES[k % 3]}: {values} outside [{lower}, {upper}]"
    return ""


@pytest.mark.seeds(4, 3000)
def test_every_world_is_inside_the_interval(seed: int) -> None:
    random = Random(seed)
    chain = random_boxes(random, inputs=seed % 5 == 4)
    if seed % 3 == 0:
        chain = as_enclosures(chain)
    alpha = Fraction(random.choice(ALPHAS))
    question = Terms.read(exp_epsilon=alpha, max_nodes=random.choice([3, 40, 120])).about(chain, [(0, 1)])
    answer = search(question, Workspace.of(question), Cancel())
    assert not refuted(chain, random, alpha, answer.lower, answer.upper, [(0, 1), (1, 0)])


@pytest.mark.seeds(6, 2000)
def test_first_order_holds_in_every_world(seed: int) -> None:
    random = Random(seed)
    chain, alpha = random_boxes(random), Fraction(random.choice(ALPHAS))
    at, bits = ExpEpsilon.exactly(alpha), random.choice([20, 46])
    form = first_order(chain, (0, 1), at, bits, random.choice([0, 3, 40]), Cancel())
    assert not refuted(chain, random, alpha, form.lower, form.upper, [(0, 1)])


@pytest.mark.seeds(10, 1000)
def test_corners_hold_in_every_world(seed: int) -> None:
    random = Random(seed)
    chain, alpha = random_boxes(random, two_modes=True), Fraction(random.choice(ALPHAS))
    found = corner_grid(chain, (0, 1), random.choice([2, 8, 24]), Cancel())
    if found is not None:
        bound = found.bound(ExpEpsilon.exactly(alpha))
        assert not refuted(chain, random, alpha, bound.lower, bound.upper, [(0, 1)])


def test_corners_are_found_for_most_chains_of_two_modes() -> None:
    chains = [random_boxes(Random(seed), two_modes=True) for seed in range(30)]
    found = [corner_grid(chain, (0, 1), 8, Cancel()) for chain in chains]
    assert sum(one is not None for one in found) > 20


COIN = {"s": ("2/5", "3/5"), "u": ("2/5", "3/5")}


def coins() -> Chain:
    rows = {name: {"h": ends, "t": ends} for name, ends in COIN.items()} | {"h": {"h": 1}, "t": {"t": 1}}
    return Chain.from_dicts(rows, {"s": "go", "u": "go", "h": "heads", "t": "tails"}, relation=[("s", "u")])


def two_rounds() -> Chain:
    """Two rounds of randomised response with rows in [3/5, 7/10]."""
    rows: dict[str, dict[str, object]] = {"end": {"end": 1}}
    labels = {"end": "end"}
    for b in (0, 1):
        first = {f"{b}1{b}": ("3/5", "7/10"), f"{b}1{1 - b}": ("3/10", "2/5")}
        second = {f"{b}2{b}": ("3/5", "7/10"), f"{b}2{1 - b}": ("3/10", "2/5")}
        rows[f"s{b}"], labels[f"s{b}"] = first, "start"
        for x in (0, 1):
            rows |= {f"{b}1{x}": second, f"{b}2{x}": {"end": 1}}
            labels |= {f"{b}1{x}": str(x), f"{b}2{x}": str(x)}
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])  # type: ignore[arg-type]


def bounds_of(chain: Chain, alpha: str) -> tuple[Fraction, Fraction]:
    question = Terms.read(exp_epsilon=alpha).about(chain, chain.relation)
    answer = search(question, Workspace.of(question), Cancel())
    return answer.lower, answer.upper


def test_the_coins_of_the_theory() -> None:
    lower, upper = bounds_of(coins(), "1")
    assert lower == 0
    assert Fraction(1, 5) <= upper <= Fraction(1, 5) + Fraction(1, 10**8)  # tables alone give 2/5


def test_two_rounds_of_the_theory() -> None:
    lower, upper = bounds_of(two_rounds(), "3/2")
    assert Fraction("0.1199999") <= lower <= Fraction(3, 25)
    assert Fraction(71, 200) <= upper <= Fraction("0.37321")


# The guard: with boxes Σ|m| may grow at each step, and must not leave 64 bits.


def spreading(targets: int) -> Chain:
    """Each of two modes may go to any of many states with any probability."""
    names = [f"x{k}" for k in range(targets)]
    rows = {name: dict.fromkeys(names, ("0", "1")) for name in ("s", "u", *names)}
    labels = {"s": "go", "u": "go"} | dict.fromkeys(names, "on")
    return Chain.from_dicts(rows, labels, relation=[("s", "u")])  # type: ignore[arg-type]


@pytest.mark.parametrize("targets", [2, 3, 60])
def test_nothing_is_expanded_that_could_leave_64_bits(targets: int) -> None:
    tables, _ = tables_of(spreading(targets))
    assert tables.largest == LARGEST_BELIEF // targets
    forest = Forest(spreading(targets), [(0, 1)], ExpEpsilon.exactly(Fraction(1)))
    for root in forest.known[0, 1].roots:
        tree = grow(forest.tables, root.tree, 200, lambda: False)
        used = int(tree.used[0])
        held = [
            np.abs(tree.values[o : o + n].astype(object)).sum()
            for o, n in zip(tree.offset[:used].tolist(), tree.length[:used].tolist(), strict=True)
            if o >= 0
        ]
        assert all(size <= LARGEST_BELIEF for size in held)
        assert int(tree.below[0]) <= 1 << forest.bits
        assert int(tree.above[0]) > 0
    assert bounds_of(spreading(targets), "1")[1] == 1


def test_the_edge_of_the_guard() -> None:
    tables, _ = tables_of(spreading(4))
    at, beyond = tables.largest // 2, tables.largest // 2 + 1
    assert int(root_tree(tables, [(0, at), (1, -at)]).widest[0]) == at
    assert int(root_tree(tables, [(0, beyond), (1, -beyond)]).widest[0]) == 0
    tree = grow(tables, root_tree(tables, [(0, at), (1, -at)]), 1, lambda: False)
    assert int(tree.used[3]) == 1
    assert math.fsum(abs(int(v)) for v in tree.values[tree.offset[1] : tree.offset[1] + 4]) <= LARGEST_BELIEF or (
        tree.offset[1] < 0
    )


def test_point_chains_have_one_root_and_no_losses() -> None:
    chain = Chain.from_dicts(
        {"s": {"s": "1/2", "u": "1/2"}, "u": {"s": "1/3", "u": "2/3"}}, {"s": "a", "u": "a"}, relation=[("s", "u")]
    )
    forest = Forest(chain, [(0, 1)], ExpEpsilon.exactly(Fraction(2)))
    assert len(forest.known[0, 1].roots) == 1
    assert forest.known[0, 1].tree.own.shape == (0, 2)
    assert not forest.tables.boxed
