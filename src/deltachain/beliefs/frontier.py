"""Bounds for belief pairs that are not expanded further: k(ld)(x→y) from above, the gap from below.

lv(x, y) ≤ k(ld)(x→y) ≤ Σ ω·D + Σ η for any feasible flow and any D ≥ ld (THEORY: unrolling beliefs). D comes from a
certified `Distance` of kind ld over the states that the frontier can reach; pairs that it does not cover count 1,
which is sound. Without any Distance the flow has no arcs, and the bound is Σ max(x_i − α y_i, 0).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq

from ..chain import Chain, reachable
from ..distances.levels import ETA
from ..distances.step_exact import Imbalance, imbalance, solve_label
from .graph import Node

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance  # brings numpy, which most questions never need

__all__ = ["Frontier", "LeafBound"]

ZERO = fmpq(0)


@dataclass(frozen=True, slots=True)
class LeafBound:
    """V(x, y) ≤ ``value``, by the flow given in state numbers of the chain."""

    value: fmpq
    arcs: tuple[tuple[int, int, fmpq], ...]
    eta: tuple[tuple[int, fmpq], ...]


@dataclass(frozen=True)
class Frontier:
    """Upper bounds of leaves at α, by flows into ``distance`` (or without it)."""

    chain: Chain
    alpha: Fraction
    distance: Distance | None = None

    def upper(self, node: Node, way: int) -> LeafBound:
        """The optimal flow of one node in one direction, label by label, at the costs D."""
        alpha = fmpq(self.alpha.numerator, self.alpha.denominator)
        x, y = node.beliefs(way)
        whole = imbalance(((i, fmpq(m)) for i, m in x), ((i, fmpq(m)) for i, m in y), alpha)
        if self.distance is None:
            return LeafBound(sum(whole.excess.values(), ZERO), (), tuple(sorted(whole.excess.items())))
        parts: dict[str, Imbalance] = {}
        for state, e in whole.excess.items():
            parts.setdefault(self.chain.labels[state], Imbalance({}, {})).excess[state] = e
        for state, room in whole.room.items():
            if self.chain.labels[state] in parts:
                parts[self.chain.labels[state]].room[state] = room
        value, arcs, eta = ZERO, [], []
        for part in parts.values():
            for (u, v, level), amount in solve_label(part, self._cost, 1, alpha).amounts.items():
                if amount and level == ETA:
                    eta.append((u, amount))
                    value += amount
                elif amount and level == 1:
                    arcs.append((u, v, amount))
                    value += amount * (self._cost(u, v, 1) or ZERO)
        return LeafBound(value, tuple(sorted(arcs)), tuple(sorted(eta)))

    def _cost(self, u: int, v: int, _level: int) -> fmpq | None:
        """D(u, v), or None where it is 1 and an arc gains nothing over η."""
        if self.distance is None:
            return None
        space = self.distance.proof.space
        if u not in space.position or v not in space.position:
            return None
        value = self.distance.value(space.pair(space.position[u], space.position[v]))
        return fmpq(value.numerator, value.denominator) if value < 1 else None

    def states_reached(self, nodes: Iterable[Node]) -> tuple[int, ...]:
        """The states whose distances the flows of these nodes can rest on."""
        return reachable(self.chain, {state for node in nodes for part in (node.x, node.y) for state, _ in part})
