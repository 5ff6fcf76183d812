"""From float bases to exact flows: each basis is re-solved in rationals, so that its feasibility is exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from .closure import Closure
from .levels import ETA
from .policy import Bases
from .space import PairSpace
from .step_exact import ZERO, Cost, Entry, Flow, Imbalance, imbalance, settle_basis, solve_label

__all__ = ["by_label", "exact_flow", "flow_value", "pair_imbalance", "plain_flow", "solve_pair", "unfold_amounts"]


def pair_imbalance(space: PairSpace, u: int, v: int) -> Imbalance:
    """The imbalance e = μ_u − α μ_v at positions u, v, exactly."""
    return imbalance(space.rows[u], space.rows[v], space.exact_alpha)


def plain_flow(need: Imbalance) -> Flow:
    """The flow without arcs: η_i = e_i at every source. Always feasible; costs Σ max(x_i − α y_i, 0) ≤ 1."""
    return Flow((), tuple(need.excess.items()))


def exact_flow(space: PairSpace, bases: Bases, closure: Closure, index: int) -> Flow:
    """The exact flow of the basis ``index``; where floats misjudged it or gave up, the exact optimum at float costs."""
    pair = bases.todo[index]
    ends = space.ends
    u, v = int(ends[0][pair]), int(ends[1][pair])
    basis = bases.entries(index)
    need = pair_imbalance(space, u, v)
    # Labels whose room is never used leave no trace in the basis.
    mentioned = {state for entry in basis for state in entry[:2]}
    tight = Imbalance(need.excess, {state: room for state, room in need.room.items() if state in mentioned})
    amounts = None if bases.stopped[index] else settle_basis(tight, basis, space.exact_alpha)
    if amounts is None:
        return solve_pair(space, need, float_cost(space, closure), closure)
    return unfold_amounts(space, amounts, closure.stone)


def unfold_amounts(space: PairSpace, amounts: dict[Entry, fmpq], stone: Callable[[int, int, int], int]) -> Flow:
    """A basis' amounts as a flow on arcs of d: level l becomes a path whose k-th arc carries α^(k−1) times the amount.

    ``stone(u, v, level)`` is the first state after u on the cheapest path of ``level`` ≥ 2 arcs.
    """
    arcs: dict[tuple[int, int], fmpq] = {}
    eta = []
    for (u, v, level), amount in amounts.items():
        if level == ETA and amount:
            eta.append((u, amount))
        while level >= 1 and amount:
            after = v if level == 1 else stone(u, v, level)
            arcs[u, after] = arcs.get((u, after), ZERO) + amount
            u, level, amount = after, level - 1, amount * space.exact_alpha
    return Flow(tuple((u, v, amount) for (u, v), amount in sorted(arcs.items())), tuple(sorted(eta)))


def by_label(space: PairSpace, need: Imbalance) -> list[Imbalance]:
    """The imbalance split into independent problems, one a label that has a source."""
    parts: dict[int, Imbalance] = {}
    for state, e in need.excess.items():
        parts.setdefault(int(space.block[state]), Imbalance({}, {})).excess[state] = e
    for state, e in need.room.items():
        block = int(space.block[state])
        if block in parts:
            parts[block].room[state] = e
    return list(parts.values())


def float_cost(space: PairSpace, closure: Closure) -> Cost:
    """The closed float costs as exact dyadic numbers, so that the exact simplex can start where floats failed."""

    def cost(u: int, v: int, level: int) -> fmpq | None:
        found = float(closure.cost[level - 1, space.pair(u, v)])
        if found == float("inf"):
            return None
        return fmpq(*found.as_integer_ratio())

    return cost


def solve_pair(space: PairSpace, need: Imbalance, cost: Cost, closure: Closure) -> Flow:
    """The exact optimal flow at the given costs of the closure's arcs, label by label."""
    amounts: dict[Entry, fmpq] = {}
    for part in by_label(space, need):
        amounts |= solve_label(part, cost, closure.levels, space.exact_alpha).amounts
    return unfold_amounts(space, amounts, closure.stone)


def flow_value(space: PairSpace, flow: Flow, d: Any) -> fmpq:
    """Σ ω d + Σ η at the exact costs d."""
    return sum((amount * d[space.pair(u, v)] for u, v, amount in flow.arcs), flow.total_eta)
