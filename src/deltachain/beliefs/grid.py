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
from typing import Any, NamedTuple

import numpy as np

from ..cancel import Cancel
from ..jit import compiled
from ..kernels.records import Tables

MANY_SUPPORTS = 2000
PATIENCE = 400
"""Levels without one per cent of progress before it is given up."""
MOST_STEPS = 10_000_000
"""Beliefs stepped on each side, a level counting as one more: what the checker does for a recipe, and no more."""
NOTHING = -1


class Supports(NamedTuple):
    """Pairs of states that beliefs can lie on, and for each and each label the pair it leads to (or −1)."""

    states: Any
    after: Any


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


def _floor_share(tables: Tables, value: int, arc: int, row: int) -> int:
    """⌊value·p⌋, as in `tables`."""
    bottom = tables.denominator[row]
    whole: int = value // bottom
    p: int = tables.low[arc] if value > 0 else tables.high[arc]
    share: int = whole * p + (value - whole * bottom) * p // bottom
    return share


def _children(tables: Tables, first: int, second: int, m: int, n: int, sums: Any, seen: Any, touched: Any) -> int:
    """One step, rounded down, of the belief m on ``first`` and n on ``second``; the number of states reached."""
    count = 0
    for state, value in ((first, m), (second, n)):
        for arc in range(tables.start[state], tables.start[state + 1]):
            j = tables.target[arc]
            if not seen[j]:
                seen[j] = True
                touched[count] = j
                count += 1
            sums[j] += _floor_share(tables, value, arc, state)
    return count


def _position(pos: int, neg: int, size: int) -> int:
    """⌊size·pos/(pos + neg)⌋ from the first 40 bits of both, at least 0 and below ``size``."""
    shift = 0
    while (pos + neg) >> shift >= 1 << 40:
        shift += 1
    return min(size - 1, ((pos >> shift) * size) // max((pos + neg) >> shift, 1))


def _level_above(tables: Tables, supports: Supports, size: int, weights: Any, fresh: Any, totals: Any) -> int:
    """One level of the upper side: weights[support, way, k] of g_k, way 0 positive on the first state."""
    n, labels = len(tables.label), len(tables.first) - 1
    sums, seen, touched = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.empty(n, np.int64)
    expanded = 0
    for p in range(len(supports.states)):
        first, second = supports.states[p]
        for way in range(2):
            for k in range(1, size):
                weight = weights[p, way, k]
                if weight == 0:
                    continue
                expanded += 1
                m, o = -weight * k, weight * (size - k)
                if way == 1:
                    m, o = o, m
                count = _children(tables, first, second, m, o, sums, seen, touched)
                for b in range(labels):
                    q = supports.after[p, b]
                    if q >= 0:
                        i, j = supports.states[q]
                        _split(-sums[i], -sums[j], q, size, fresh, totals)
                        sums[i] = sums[j] = 0
                for c in range(count):
                    totals[0] += max(-sums[touched[c]], 0)  # alone of its label
                    sums[touched[c]] = 0
                    seen[touched[c]] = False
    return expanded


def _split(a: int, b: int, q: int, size: int, fresh: Any, totals: Any) -> None:
    """Write the belief u = (a, b) as weights of two neighbours on the grid; what they leave goes to ``totals``."""
    if a <= 0 and b <= 0:
        return
    if a >= 0 and b >= 0:
        totals[0] += a + b
        return
    way, pos, neg = (0, a, -b) if a > 0 else (1, b, -a)
    k = _position(pos, neg, size)
    whole, rest = (pos + neg) // size, (pos + neg) % size
    upper = min(max(pos - k * whole - (k * rest + size - 1) // size, 0), whole)
    lower = whole - upper
    totals[0] += max(pos - lower * k - upper * (k + 1), 0)
    totals[0] += max(lower * (size - k) + upper * (size - k - 1) - neg, 0)
    if k > 0:
        fresh[q, way, k] += lower
    if k + 1 < size:
        fresh[q, way, k + 1] += upper
    else:
        totals[0] += upper * size


def _level_below(tables: Tables, supports: Supports, size: int, cells: Any, fresh: Any, totals: Any) -> int:
    """One level of the lower side: cells[support, way, k] holds the sum of beliefs m between two neighbours."""
    n, labels = len(tables.label), len(tables.first) - 1
    sums, seen, touched = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.empty(n, np.int64)
    expanded = 0
    for p in range(len(supports.states)):
        first, second = supports.states[p]
        for way in range(2):
            for k in range(size):
                m, o = cells[p, way, k]
                if m == 0 and o == 0:
                    continue
                expanded += 1
                count = _children(tables, first, second, m, o, sums, seen, touched)
                for b in range(labels):
                    q = supports.after[p, b]
                    if q >= 0:
                        i, j = supports.states[q]
                        _add(sums[i], sums[j], q, size, fresh, totals)
                        sums[i] = sums[j] = 0
                for c in range(count):
                    totals[0] += max(sums[touched[c]], 0)
                    sums[touched[c]] = 0
                    seen[touched[c]] = False
    return expanded


def _add(a: int, b: int, q: int, size: int, fresh: Any, totals: Any) -> None:
    """Add the belief m = (a, b) to its cell; one sign alone is worth its positive part at once."""
    if a <= 0 and b <= 0:
        return
    if a >= 0 and b >= 0:
        totals[0] += a + b
        return
    way, pos, neg = (0, a, -b) if a > 0 else (1, b, -a)
    k = _position(pos, neg, size)
    fresh[q, way, k, 0] += a
    fresh[q, way, k, 1] += b


def on_grid(
    tables: Tables, supports: Supports, root: tuple[int, int], size: int, fine: int, cancel: Cancel
) -> Gridded | None:
    """Both sides of V at the belief ``root`` on the first support; stops when less than ``fine`` units are open.

    None if it is cancelled, since half a walk bounds nothing that a tree would not bound better, or if it takes more
    than the checker would do.
    """
    above = np.zeros(1, np.int64)
    weights = np.zeros((len(supports.states), 2, size), np.int64)
    compiled(_split, _position)(-root[0], -root[1], 0, size, weights, above)
    step = compiled(_level_above, _children, _floor_share, _split, _position)
    sides = np.minimum(np.arange(size), size - np.arange(size))
    depth = expanded = stuck = last = 0
    gap = open_gap = int((weights * sides).sum())
    while gap > fine and stuck < PATIENCE and expanded + last + depth < MOST_STEPS:
        if cancel.stopped():
            return None
        fresh = np.zeros_like(weights)
        last = step(tables, supports, size, weights, fresh, above)
        expanded += last
        weights, depth = fresh, depth + 1
        gap = int((weights * sides).sum())
        stuck = 0 if 100 * gap < 99 * open_gap else stuck + 1
        open_gap = gap if stuck == 0 else open_gap
    if expanded + depth > MOST_STEPS:
        return None
    total_above = int(above[0]) + int((weights * np.arange(size)).sum())
    below = np.zeros(1, np.int64)
    cells = np.zeros((len(supports.states), 2, size, 2), np.int64)
    compiled(_add, _position)(root[0], root[1], 0, size, cells, below)
    walk = compiled(_level_below, _children, _floor_share, _add, _position)
    allowed = expanded + MOST_STEPS - depth
    for _ in range(depth):
        if cancel.stopped():
            return None
        following = np.zeros_like(cells)
        expanded += walk(tables, supports, size, cells, following, below)
        cells = following
    if expanded > allowed:
        return None
    total_below = int(below[0]) + int(np.maximum(cells.sum(axis=3), 0).sum())
    return Gridded(total_below, total_above, depth, size, expanded)
