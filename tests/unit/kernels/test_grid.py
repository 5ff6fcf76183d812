"""Compiled and uncompiled, both sides of a grid are the same to the last bit."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from deltachain import Chain, kernels
from deltachain.beliefs.signed.grid import supports_of
from deltachain.beliefs.signed.tables import tables_of
from deltachain.kernels import grid, step


def two_by_two(random: Random) -> Chain:
    """Pairs of states, each pair with its label: beliefs lie on a pair for ever."""
    states = [f"{side}{k}" for k in range(random.randint(1, 4)) for side in "ab"]
    labels = {state: f"l{state[1]}" for state in states}

    def row() -> dict[str, Fraction]:
        targets = random.sample(states, random.randint(1, min(5, len(states))))
        weights = [random.randint(1, 10**6) for _ in targets]
        return {target: Fraction(weight, sum(weights)) for target, weight in zip(targets, weights, strict=True)}

    return Chain.from_dicts({state: row() for state in states}, labels)


def both_sides(module: Any, on: Any, size: int, root: tuple[int, int], supports: int) -> list[Any]:
    """Three levels of each side."""
    found: list[Any] = []
    for width, sign, step_level in ((1, -1, module.level_above), (2, 1, module.level_below)):
        level = np.zeros((supports, 2, size, width), np.int64)
        totals = np.zeros(1, np.int64)
        module.enter_grid(on, sign * root[0], sign * root[1], level, totals)
        for _ in range(3):
            fresh = np.zeros_like(level)
            found.append(step_level(on, level, fresh, totals))
            level = fresh
            found += [level.tolist(), totals.tolist()]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_compiled_and_uncompiled_grids_are_equal(seed: int) -> None:
    random = Random(seed)
    tables, _ = tables_of(two_by_two(random))
    supports = supports_of(tables, 0, 1)
    assert supports is not None
    size, unit = random.choice([2, 5, 16]), 2 ** random.choice([3, 30, 58])
    root = (random.randint(0, unit), -random.randint(0, unit)) if seed % 3 else (-unit, unit // 3)
    compiled = kernels.Grid(kernels.Rows(tables), supports, size)
    plain = grid.Grid(step.Rows(tables), supports, size)
    count = len(supports.states)
    assert both_sides(kernels, compiled, size, root, count) == both_sides(grid, plain, size, root, count)
