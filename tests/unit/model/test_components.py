"""Strongly connected components against their definition, on random graphs."""

from __future__ import annotations

import random

import pytest

from deltachain.model.components import components


def reached(successors: list[list[int]], start: int) -> set[int]:
    seen, stack = {start}, [start]
    while stack:
        for target in successors[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


@pytest.mark.parametrize("seed", range(200))
def test_random_graphs(seed: int) -> None:
    draw = random.Random(seed)
    count = draw.randrange(1, 12)
    successors = [[draw.randrange(count) for _ in range(draw.randrange(4))] for _ in range(count)]
    reach = [reached(successors, node) for node in range(count)]
    found = components(successors)
    assert sorted(node for component in found for node in component) == list(range(count))
    place = {node: number for number, component in enumerate(found) for node in component}
    for u in range(count):
        for v in range(count):
            assert (place[u] == place[v]) == (v in reach[u] and u in reach[v])
            if v in reach[u]:
                assert place[v] <= place[u], "what a component leads to comes first"


def test_empty_and_deep() -> None:
    assert components([]) == []
    line = [[k + 1] for k in range(50_000)] + [[]]
    assert [component[0] for component in components(line)] == list(range(50_000, -1, -1))
    ring = [[(k + 1) % 50_000] for k in range(50_000)]
    assert len(components(ring)) == 1
