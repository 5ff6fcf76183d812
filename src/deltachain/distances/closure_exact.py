"""The closure of `closure`, exactly: levels C_l of rational d, every comparison that matters made in rationals.

Floats sort out the comparisons that are not close: the float of d_ik + α C_l(k,j) is within a relative 1e-15 of it,
so where it is above the best known by the factor `CLOSE` (and by `TINY`, where floats underflow), the exact one is
above too. All others are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from .space import PairSpace, nearest_float
from .step_exact import ONE

__all__ = ["ExactClosure", "close_exactly", "extend_prices"]

CLOSE = 1 + 1e-12
TINY = 1e-290


@dataclass(frozen=True)
class ExactClosure:
    """Every level of d that is not dominated: level 1 is d itself, C_l is kept where it is below all shorter ones."""

    space: PairSpace
    d: Sequence[fmpq]
    longer: tuple[dict[int, tuple[fmpq, int]], ...]
    """Levels 2, 3, …: pair → (cost, first stone)."""

    @property
    def levels(self) -> int:
        """The number of levels."""
        return 1 + len(self.longer)

    def cost(self, u: int, v: int, level: int) -> fmpq | None:
        """C_level(u, v), or None where a shorter path is as cheap."""
        pair = self.space.pair(u, v)
        if level == 1:
            return self.d[pair]
        found = self.longer[level - 2].get(pair)
        return None if found is None else found[0]

    def stone(self, u: int, v: int, level: int) -> int:
        """The first stone of the cheapest path of ``level`` ≥ 2 arcs."""
        return self.longer[level - 2][self.space.pair(u, v)][1]


def close_exactly(space: PairSpace, d: Sequence[fmpq]) -> ExactClosure:
    """All levels of exact d that are not dominated by shorter ones."""
    best: dict[int, fmpq] = {}
    longer: list[dict[int, tuple[fmpq, int]]] = []
    last: dict[int, fmpq] | None = None
    while True:
        level: dict[int, tuple[fmpq, int]] = {}
        for low, size in zip(space.first.tolist(), space.size.tolist(), strict=True):
            _extend_exactly(space, d, best, last, range(low, low + size), level)
        if not level:
            return ExactClosure(space, d, tuple(longer))
        longer.append(level)
        last = {pair: cost for pair, (cost, _) in level.items()}
        best |= last


def _extend_exactly(
    space: PairSpace,
    d: Sequence[fmpq],
    best: dict[int, fmpq],
    last: dict[int, fmpq] | None,
    block: range,
    level: dict[int, tuple[fmpq, int]],
) -> None:
    """Add to ``level`` the pairs (i, j) of a block for which some d_ik + α·last_kj is below all shorter paths."""
    alpha, size, low = space.exact_alpha, len(block), block.start
    if size < 3:
        return
    start = space.pair(low, low)
    pairs = range(start, start + size * size)
    one = np.array([nearest_float(d[p]) for p in pairs]).reshape(size, size)
    np.fill_diagonal(one, np.inf)
    limit = np.array([CLOSE * nearest_float(best.get(p, d[p])) + TINY for p in pairs]).reshape(size, size)
    limit[np.array([not best.get(p, d[p]) for p in pairs]).reshape(size, size)] = -1.0  # 0 cannot be beaten
    if last is None:
        tail = one
    else:
        tail = np.array([nearest_float(last[p]) if p in last else np.inf for p in pairs]).reshape(size, size)
    for i in range(size):
        for k in range(size):
            if not np.isfinite(one[i, k]):
                continue
            close = one[i, k] + space.float_alpha * tail[k] < limit[i]
            for j in np.flatnonzero(close).tolist():
                if j in (i, k):
                    continue
                pair = start + i * size + j
                middle = start + k * size + j
                cost = d[start + i * size + k] + alpha * (d[middle] if last is None else last[middle])
                known = level[pair][0] if pair in level else best.get(pair, d[pair])
                if cost < known:
                    level[pair] = (cost, low + k)


def extend_prices(
    space: PairSpace, sinks: dict[int, fmpq], closure: ExactClosure, block: range, excess: dict[int, fmpq]
) -> dict[int, fmpq]:
    """Prices f on all states of a label from its values at the sinks: f_k = min(1, min C_l(k,j) + α^l f_j).

    At optimal prices this is feasible for every constraint f_i − α f_j ≤ d_ij of the label, and agrees with the
    prices of the sources.
    """
    prices = dict(sinks)
    for k in block:
        if k in sinks:
            continue
        f = ONE
        for j, f_j in sinks.items():
            for level in range(1, closure.levels + 1):
                cost = closure.cost(k, j, level)
                if cost is not None:
                    f = min(f, cost + space.exact_alpha**level * f_j)
        prices[k] = f
    return {k: f for k, f in prices.items() if f or k in excess}
