"""Beliefs over two hidden states, on a grid of directions: bounds that err by the square of its step.

Where every belief that can be met lies on at most two states, mixed signs leave one number, the direction. The grid has
the directions g_k = (k, −(G−k)), 0 ≤ k ≤ G, for each pair of states and each way round. Level by level,

- *above*, a belief u = −m is written as Λ·g_k + Λ'·g_{k+1} and a remainder, k/G below its direction:
  V(u) ≤ Λ·V(g_k) + Λ'·V(g_{k+1}) + |(u − Λg_k − Λ'g_{k+1})^+|, because V is sublinear. Only the weights Λ are kept;
- *below*, beliefs m whose directions lie between the same two neighbours are added up: V(m) + V(m') ≥ V(m + m').

Everything is integers, rounded up above and down below. After the last level, V(u) ≤ |u^+| and V(m) ≥ (m·1)^+.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...cancel import Cancel
from ...kernels import Grid, Rows, enter_grid, level_above, level_below
from ...kernels.records import Supports, Tables
from ...kernels.types import Ints, Ints4

MANY_SUPPORTS = 2000
PATIENCE = 400
"""Levels without one per cent of progress before it is given up."""
MOST_STEPS = 10_000_000
"""Beliefs stepped on each side, a level counting as one more: what the checker does for a recipe, and no more."""
NOTHING = -1


@dataclass(frozen=True)
class Gridded:
    """V(m) ≥ below and V(−m) ≤ above for the root m, by ``levels`` steps on a grid of ``size`` directions."""

    below: int
    above: int
    levels: int
    size: int
    expanded: int

    def recipe(self) -> list[object]:
        """What a checker needs to do the same."""
        return ["grid", self.size, self.levels]


def supports_of(tables: Tables, s: int, t: int) -> Supports | None:
    """The supports that can be met from {s, t}; None if one has more than two states, or there are too many."""
    labels = len(tables.first) - 1
    number = {(min(s, t), max(s, t)): 0}
    found = [(min(s, t), max(s, t))]
    after = []
    for pair in found:
        targets: list[set[int]] = [set() for _ in range(labels)]
        for state in pair:
            for j in tables.target[tables.start[state] : tables.start[state + 1]].tolist():
                targets[int(tables.label[j])].add(j)
        line = [NOTHING] * labels
        for b, reached in enumerate(targets):
            if len(reached) > 2:
                return None
            # On a single state a belief has one sign, and is settled: only two can go on.
            if len(reached) == 2:
                low, high = sorted(reached)
                if (low, high) not in number:
                    number[low, high] = len(found)
                    found.append((low, high))
                line[b] = number[low, high]
        after.append(line)
        if len(found) > MANY_SUPPORTS:
            return None
    return Supports(np.array(found, np.int64), np.array(after, np.int64))


def on_grid(
    tables: Tables, supports: Supports, root: tuple[int, int], size: int, fine: int, cancel: Cancel
) -> Gridded | None:
    """Both sides of V at the belief ``root`` on the first support; stops when less than ``fine`` units are open.

    None if it is cancelled, since half a walk bounds nothing that a tree would not bound better, or if it takes more
    than the checker would do.
    """
    grid = Grid(Rows(tables), supports, size)
    above = np.zeros(1, np.int64)
    weights = np.zeros((len(supports.states), 2, size, 1), np.int64)
    enter_grid(grid, -root[0], -root[1], weights, above)
    steps = np.arange(size)
    depth = expanded = stuck = last = 0
    # (g_k·1)^+ ≤ V(g_k) ≤ |g_k^+| = k leaves min(k, G − k) open.
    gap = open_gap = _weigh(weights, np.minimum(steps, size - steps))
    # The next level costs about what the last one did: what a checker would refuse is not begun.
    while gap > fine and stuck < PATIENCE and expanded + last + depth < MOST_STEPS:
        if cancel.is_stopped():
            return None
        fresh = np.zeros_like(weights)
        last = level_above(grid, weights, fresh, above)
        expanded += last
        weights, depth = fresh, depth + 1
        gap = _weigh(weights, np.minimum(steps, size - steps))
        stuck = 0 if 100 * gap < 99 * open_gap else stuck + 1
        open_gap = gap if stuck == 0 else open_gap
    if expanded + depth > MOST_STEPS:
        return None
    # Below as deep as above: a recipe has one number of levels.
    below = np.zeros(1, np.int64)
    cells = np.zeros((len(supports.states), 2, size, 2), np.int64)
    enter_grid(grid, root[0], root[1], cells, below)
    allowed = expanded + MOST_STEPS - depth
    for _ in range(depth):
        if cancel.is_stopped():
            return None
        following = np.zeros_like(cells)
        expanded += level_below(grid, cells, following, below)
        cells = following
    if expanded > allowed:
        return None
    total_below = int(below[0]) + int(np.maximum(cells.sum(axis=3), 0).sum())
    return Gridded(total_below, int(above[0]) + _weigh(weights, steps), depth, size, expanded)


def _weigh(weights: Ints4, worth: Ints) -> int:
    """The sum of the weights, each times what its direction is worth."""
    return int((weights[..., 0] * worth).sum())
