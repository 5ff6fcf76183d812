"""Stepping stones: C_1 = d and C_{l+1}(i,j) = min_k d_ik + α C_l(k,j) inside one label (THEORY: support reduction).

d need not satisfy a triangle inequality, so a flow from i to j may be cheaper through other states k, also states
that neither row reaches. A path of l arcs costs C_l(i,j) a unit that leaves i, and delivers α^l units at j. Flows
between the states of two rows then need no intermediate states. Levels stop at the first l with C_{l+1} ≥ C_l:
all later ones are dominated too, because C_{l+2} = min d + α C_{l+1} ≥ min d + α C_l = C_{l+1}.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .space import PairSpace

__all__ = ["Closure", "close"]

FEW_LEVELS = 12
MANY_ENTRIES = 40_000_000
"""Levels beyond the first `FEW_LEVELS` are kept as long as all tables together have at most so many entries. Without
them flows stay sound, but may not be optimal: then `Closure.complete` is False."""

IMPROVES = 1 - 1e-10
"""A longer path must be cheaper by this factor to be recorded: differences below are float noise."""


@dataclass(frozen=True)
class Closure:
    """``cost[l−1]`` is C_l for each pair, infinite where a shorter path is as cheap; ``via[l−1]`` its first stone."""

    space: PairSpace
    cost: Any
    via: Any
    complete: bool
    """Whether every level that can matter is there."""

    def stone(self, u: int, v: int, level: int) -> int:
        """The first stone of the cheapest path of ``level`` ≥ 2 arcs."""
        return int(self.via[level - 1, self.space.pair(u, v)])

    @property
    def levels(self) -> int:
        """The number of levels."""
        return int(self.cost.shape[0])

    def unfold(self, owner: Any, u: Any, v: Any, level: Any, amount: Any) -> tuple[Any, Any, Any, Any]:
        """Arcs (owner, u, v, amount) of d that carry flows on arcs (u, v, level): each hop multiplies by α."""
        done: list[tuple[Any, Any, Any, Any]] = []
        alpha = self.space.float_alpha
        while True:
            direct = level <= 1
            done.append((owner[direct], u[direct], v[direct], amount[direct]))
            if direct.all():
                break
            rest = ~direct
            owner, u, v, level, amount = owner[rest], u[rest], v[rest], level[rest], amount[rest]
            stone = self.via[level - 1, pair_numbers(self.space, u, v)]
            done.append((owner, u, stone, amount))
            u, level, amount = stone, level - 1, amount * alpha
        return tuple(np.concatenate([part[i] for part in done]) for i in range(4))  # type: ignore[return-value]


def pair_numbers(space: PairSpace, u: Any, v: Any) -> Any:
    """The pair numbers of arrays of positions."""
    b = space.block[u]
    return space.offset[b] + (u - space.first[b]) * space.size[b] + (v - space.first[b])


def close(space: PairSpace, d: Any) -> Closure:
    """The levels of d that can matter, as floats. Where all costs are 0 or 1, this is exact."""
    costs, vias = [d.copy()], [np.zeros(len(d), np.int32)]
    for square in space.squares(costs[0]):
        np.fill_diagonal(square, np.inf)
    best = costs[0].copy()
    alpha = space.float_alpha
    while True:
        cost = np.full(len(d), np.inf)
        via = np.zeros(len(d), np.int32)
        parts = zip(*(space.squares(x) for x in (costs[0], costs[-1], best, cost, via)), strict=True)
        for low, (one, last, least, new, stone) in zip(space.first, parts, strict=True):
            _extend(one, last, least, alpha, new, stone, low)
        complete = not np.isfinite(cost).any()
        if complete or len(costs) >= max(FEW_LEVELS, MANY_ENTRIES // len(d)):
            break
        np.minimum(best, cost, out=best)
        costs.append(cost)
        vias.append(via)
    return Closure(space, np.array(costs), np.array(vias), complete)


def _extend(one: Any, last: Any, least: Any, alpha: float, new: Any, stone: Any, low: int) -> None:
    """Write min_k one_ik + α last_kj into ``new`` where it beats ``least``, and k (plus ``low``) into ``stone``."""
    size = len(one)
    for i in range(size):
        reach = np.max(least[i], where=np.isfinite(least[i]), initial=0.0)
        stones = np.flatnonzero(one[i] < reach * IMPROVES)
        if len(stones) == 0:
            continue
        through = one[i, stones, None] + alpha * last[stones]
        k = through.argmin(axis=0)
        cost = through[k, np.arange(size)]
        better = cost < least[i] * IMPROVES
        better[i] = False
        new[i, better] = cost[better]
        stone[i, better] = stones[k[better]] + low
