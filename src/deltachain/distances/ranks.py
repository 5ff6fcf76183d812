"""Ranks: the deletion order that shows where the least fixed point of a directed operator is positive.

Start with all pairs and delete, round after round, those whose active option has a positive step at the costs
1_{deleted}, each with prices f that show it: 0 ≤ f ≤ 1, f_i ≤ α f_j for the same-label pairs (i, j) not deleted in
earlier rounds, and Σ f_i (x_i − α y_i) > 0. For sd the prices are scaled to f ≤ (α−1)/α, where complement constraints
hold for pairs that are not deleted: α f_j − f_i ≤ α − 1. A pair that gets a rank is outside the zero set of F_σ
(docs/theory/zero-set.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from ..errors import NotConverged
from .closure import Closure, close
from .flows import by_label, exact_gains, option_imbalance, unfold_amounts
from .simplex import ONE, ZERO
from .space import Kind, PairSpace
from .step_exact import Entry, solve_label


@dataclass(frozen=True)
class Ranks:
    """Rank and witness prices of each active option, and those of pairs of positive value that got none."""

    rank: dict[int, int]
    prices: dict[int, dict[int, fmpq]]
    missing: list[int]


def find_ranks(space: PairSpace, kind: Kind, active: Sequence[int], d: Sequence[fmpq]) -> Ranks:
    """Delete the pairs of the active options with d > 0, exactly. For bd, (v, u) goes with (u, v).

    Raises NotConverged if the stepping stones are too many to keep.
    """
    present = np.ones(len(space), bool)
    waiting = [option for option in active if d[space.pairs_of(option)]]
    rank: dict[int, int] = {}
    prices: dict[int, dict[int, fmpq]] = {}
    support: dict[int, list[int]] = {}
    alpha = space.exact_alpha
    scale = (alpha - ONE) / alpha if kind == "sd" and alpha > ONE else ONE
    round_number = 0
    while waiting:
        closure = close(space, 1.0 - present)
        if not closure.complete:
            raise NotConverged("exactness not proved: the paths over stepping stones are too long to keep")
        gone = []
        for option in waiting:
            if option in support and all(present[arc] for arc in support[option]):
                continue
            witness = _positive_prices(space, closure, option, support)
            if witness is not None:
                gone.append(option)
                prices[option] = {i: f * scale for i, f in witness.items()}
        if not gone:
            break
        for option in gone:
            pair = space.pairs_of(option)
            rank[option] = round_number
            present[pair] = False
            if kind == "bd":
                present[space.swapped[pair]] = False
        waiting = [option for option in waiting if option not in rank]
        round_number += 1
    return Ranks(rank, prices, waiting)


def _positive_prices(
    space: PairSpace, closure: Closure, option: int, support: dict[int, list[int]]
) -> dict[int, fmpq] | None:
    """Prices that show the step to be positive at 0/1 costs; None, and the flow's arcs in ``support``, if zero."""
    need = option_imbalance(space, option)

    def cost(u: int, v: int, level: int) -> fmpq | None:
        return ZERO if closure.cost[level - 1, space.pair(u, v)] == 0 else None

    gains = exact_gains(space, closure)
    prices: dict[int, fmpq] = {}
    amounts: dict[Entry, fmpq] = {}
    for part in by_label(space, need):
        optimum = solve_label(part, cost, gains)
        amounts |= optimum.amounts
        for k in space.block_positions(next(iter(part.excess))):
            f = optimum.price.get(k) if k in part.room else None
            if f is None:
                reach = (
                    gains[level] * optimum.price[j]
                    for j in part.room
                    for level in range(1, closure.levels + 1)
                    if k != j and cost(k, j, level) is not None
                )
                f = min(reach, default=ONE)
                f = min(f, ONE)
            if f:
                prices[k] = f
    flow = unfold_amounts(space, amounts, closure)
    if flow.eta:
        return prices
    support[option] = [space.pair(u, v) for u, v, _ in flow.arcs]
    return None
