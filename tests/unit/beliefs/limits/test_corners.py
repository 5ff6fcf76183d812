"""The corners of boxes: every vertex is a row inside, and the extremes of a linear function are among them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from deltachain.beliefs.limits.corners import corner_grid, vertices
from deltachain.beliefs.limits.first_order import ONE, Entry, center_box
from deltachain.cancel import Cancel
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.boxes import random_boxes


def rows_of(random: Random) -> list[Entry]:
    chain = random_boxes(random, two_modes=True)
    return center_box(random.choice(chain.boxes)[0])


@pytest.mark.parametrize("seed", range(20))
def test_a_vertex_is_a_row_of_the_box(seed: int) -> None:
    row = rows_of(Random(seed))
    found = vertices(row)
    assert found
    assert len(set(found)) == len(found)
    for vertex in found:
        assert sum(vertex) == ONE
        assert all(entry.low <= p <= entry.high for entry, p in zip(row, vertex, strict=True))
        inside = [entry.low < p < entry.high for entry, p in zip(row, vertex, strict=True)]
        assert sum(inside) <= 1


@pytest.mark.parametrize("seed", range(20))
def test_no_row_is_worth_more_than_the_best_vertex(seed: int) -> None:
    """Against filling greedily: the least first, then what is left where it is worth most."""
    random = Random(seed)
    row = rows_of(random)
    worth = [random.randint(-5, 5) for _ in row]
    left, best = ONE - sum(entry.low for entry in row), sum(w * e.low for w, e in zip(worth, row, strict=True))
    for w, entry in sorted(zip(worth, row, strict=True), key=lambda part: -part[0]):
        moved = min(left, entry.high - entry.low)
        best, left = best + w * moved, left - moved
    assert left == 0
    assert best == max(sum(w * p for w, p in zip(worth, vertex, strict=True)) for vertex in vertices(row))


def test_bounds_fall_with_alpha_but_for_rounding() -> None:
    chains = [random_boxes(Random(seed), two_modes=True) for seed in range(12)]
    grids = [grid for chain in chains if (grid := corner_grid(chain, (0, 1), 8, Cancel())) is not None]
    assert len(grids) > 5
    for grid in grids:
        bounds = [grid.bound(ExpEpsilon.exactly(Fraction(alpha))).upper for alpha in ("1", "11/10", "3/2", "4")]
        assert all(0 <= later <= earlier + Fraction(1, 10**9) for earlier, later in pairwise(bounds))
