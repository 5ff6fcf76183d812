"""What a tree leaves open: with the true mean of its leaves put in, the bounds enclose lv, to the last units."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain
from deltachain.beliefs.signed.forest import Forest
from deltachain.cancel import Cancel
from deltachain.measures.estimate.drawn_words import open_leaves, pair_at_scales
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.drawn_words import value_of
from tests.reference.enumerate_events import lv_at_depth
from tests.unit.measures.estimate.test_drawn_words import belief_of, renumbered
from tests.unit.measures.estimate.test_drawn_words import steps_of as steps_of


def towards_the_end(random: Random, size: int) -> Chain:
    """A chain without cycles but absorbing ends."""
    rows: list[dict[int, Fraction]] = []
    for i in range(size):
        later = range(i + 1, size)
        weights = {j: random.randint(0, 3) for j in later}
        total = sum(weights.values())
        rows.append({j: Fraction(w, total) for j, w in weights.items() if w} if total else {i: Fraction(1)})
    return Chain.from_rows(rows, [random.choice("ab") for _ in range(size)])


@pytest.mark.parametrize("at", [ExpEpsilon.exactly(Fraction(6, 5)), ExpEpsilon.read(epsilon="1/10")])
def test_the_true_mean_gives_the_true_value(at: ExpEpsilon) -> None:
    random, tried = Random(5), 0
    while tried < 40:
        chain = towards_the_end(random, random.randint(4, 8))
        pairs = [(s, t) for s in range(3) for t in range(3) if s != t and chain.labels[s] == chain.labels[t]]
        for pair in pairs[:1]:
            forest = Forest(chain, [pair], at)
            forest.grow({pair: random.choice([0, 1, 2])}, Cancel())
            forest.raise_lower([pair], Cancel())
            leaves = open_leaves(forest, pair)
            if leaves is None:
                continue
            exact = renumbered(chain, forest.order)
            steps = steps_of(chain, forest.tables, forest.order)
            strata = leaves.question.strata
            total = sum(value_of(exact, belief_of(steps, strata, k), len(chain)) for k in range(len(strata.ends)))
            mean = Fraction(total) / int(strata.ends[-1])
            low, high = leaves.bounds(mean, mean)
            assert (
                low
                <= lv_at_depth(chain, *pair, at.above, len(chain))
                <= lv_at_depth(chain, *pair, at.below, len(chain))
                <= high
            )
            assert high - low < Fraction(1, 2**40)
            tried += 1


def test_floats_of_scales_lie_outward() -> None:
    chain = towards_the_end(Random(1), 5)
    grid = [ExpEpsilon.read(epsilon=Fraction(k, 7)) for k in range(9)]
    forest = Forest(chain, [(0, 0)], grid[0])
    question = pair_at_scales(forest.tables, 0, 0, grid)
    for asked, (above, below) in zip(grid, question.scales.tolist(), strict=True):
        assert Fraction(below) <= asked.below <= asked.above <= Fraction(above)
        assert above - below < 1e-12
