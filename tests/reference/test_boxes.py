"""The slow, obvious version for boxes: worlds are inside, known values come out, and the search finds the edges."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain
from deltachain.model import Box, LimitRow
from tests.reference.boxes import NATURES, ZERO, Nature, World, extreme, inside, random_boxes, vertices
from tests.reference.enumerate_events import lv_at_depth
from tests.reference.interactive import lv_of_system
from tests.reference.systems import lively_system

ALPHA = Fraction(11, 10)


def holds(box: Box, row: dict[int, Fraction], out: Fraction) -> bool:
    """Whether the row is inside the box."""
    listed = all(lo <= row.get(target, ZERO) <= hi for target, lo, hi in box)
    return listed and ZERO <= out <= box.rest and sum(row.values(), out) == 1 and {*row} <= {j for j, *_ in box}


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_drawn_inside_their_boxes(seed: int) -> None:
    random = Random(seed)
    chain = random_boxes(random, inputs=seed % 3 == 0, two_modes=seed % 4 == 1)
    for row in (row for rows in chain.given for row in rows):
        box = row.box
        corners = [*vertices(box)]
        assert corners
        assert all(holds(box, *corner) for corner in corners)
        for ends in (False, True):
            drawn = inside(random, box, ends=ends)
            assert holds(box, *drawn)
            if ends:
                assert ({j: p for j, p in drawn[0].items() if p}, drawn[1]) in corners


def test_the_generator_makes_what_it_promises() -> None:
    chains = [random_boxes(Random(seed), inputs=seed % 3 == 0, two_modes=seed % 4 == 1) for seed in range(200)]
    rows = [row for chain in chains for rows in chain.given for row in rows]
    boxes = [row for row in rows if isinstance(row, LimitRow)]
    assert all(chain.labels[0] == chain.labels[1] for chain in chains)
    assert 300 < len(boxes) < len(rows) - 300
    assert sum(bool(box.rest) for box in boxes) > 100
    assert sum(sum(hi for _, _, hi in box) < 1 for box in boxes) > 20
    assert sum(lo == 0 for box in boxes for _, lo, _ in box) > 100
    assert sum(chain.interactive for chain in chains) > 30


@pytest.mark.parametrize("nature", NATURES)
@pytest.mark.parametrize("seed", range(10))
def test_a_chain_of_points_has_one_world(seed: int, nature: Nature) -> None:
    chain = lively_system(Random(seed), loops=seed % 2 == 0)
    low, high = World(chain, Random(seed), nature).value(0, 1, ALPHA, 4)
    assert lv_of_system(chain, 0, 1, ALPHA, 4) == low <= high
    assert (
        seed % 2 == 0 or low <= lv_of_system(chain, 0, 1, ALPHA, 7) == World(chain, Random(1)).value(0, 1, ALPHA, 7)[0]
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_world_picked_once_is_a_chain(seed: int) -> None:
    chain = random_boxes(Random(seed), acyclic=False)
    world = World(chain, Random(seed), ends=seed % 2 == 0)
    assert world.value(0, 1, ALPHA, 4)[0] == lv_at_depth(world.as_chain(), 0, 1, ALPHA, 5)


def coins() -> Chain:
    """Two coins, each with a chance of heads in [2/5, 3/5]."""
    toss = {"h": ("2/5", "3/5"), "g": ("2/5", "3/5")}
    labels = {"s": "go", "t": "go", "h": "heads", "g": "tails"}
    return Chain.from_dicts({"s": toss, "t": toss, "h": {"h": 1}, "g": {"g": 1}}, labels)


@pytest.mark.parametrize("nature", NATURES)
def test_the_search_finds_the_edges_of_two_coins(nature: Nature) -> None:
    one, edge = Fraction(1), Fraction(1, 5)
    worlds = [World(coins(), Random(k), nature, ends=True) for k in range(4)]
    assert {extreme(world, 0, 1, one, 2, largest=True) for world in worlds} == {(edge, edge)}
    assert extreme(World(coins(), Random(0), nature), 0, 1, one, 2, largest=False, tries=60)[1] < edge / 4


def test_what_leaves_comes_back_or_does_not() -> None:
    """A quarter must leave: the same is seen if it shows heads, and all of it tells the two apart if it does not."""
    rows = {"s": {"h": "1/2", "g": "1/2"}, "t": {"h": "1/4", "g": "1/2"}, "h": {"h": 1}, "g": {"g": 1}}
    chain = Chain.from_dicts(rows, {"s": "go", "t": "go", "h": "heads", "g": "tails"}, rest={"t": "1/4"})
    worlds = [World(chain, Random(k)) for k in range(40)]
    found = [extreme(world, 0, 1, Fraction(1), 3, largest=k % 2 == 0) for k, world in enumerate(worlds)]
    assert (max(low for low, _ in found), min(high for _, high in found)) == (Fraction(1, 4), 0)
