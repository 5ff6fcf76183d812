"""Beliefs that a flow into a distance closes: V(x, y) ≤ k(D)(x→y), and where that is the gap, V is known.

For any D that bounds V at pairs of states from above, V(x, y) ≤ Σ ω·D + Σ η for every feasible flow
(docs/theory/step.md). A node whose optimal flows cost exactly max(|x| − α|y|, 0) and max(|y| − α|x|, 0) need not be
expanded: so beliefs end where D is 0, though their graph goes on for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from ..distances.records import ETA
from ..distances.step_exact import Flow, Imbalance, imbalance, solve_label
from ..flints import exact
from .graph import BeliefGraph

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance  # brings numpy, which most questions never need

ONE, ZERO = fmpq(1), fmpq(0)


class FlowClosing:
    """Which nodes of a graph are closed at the α of a distance, and the flows, by node and direction, that show it."""

    def __init__(self, graph: BeliefGraph, distance: Distance) -> None:
        self.graph, self.distance = graph, distance
        self.alpha = exact(distance.exp_epsilon)
        self.flows: dict[tuple[int, int], Flow] = {}
        self._known: dict[int, bool] = {}

    def closes(self, node: int) -> bool:
        """Whether both directions are settled at once, by proportion or by flows."""
        if node not in self._known:
            self._known[node] = self.graph.closed(node) or all(self._settled(node, direction) for direction in (0, 1))
        return self._known[node]

    def _settled(self, node: int, direction: int) -> bool:
        beliefs = self.graph.nodes[node]
        x, y = beliefs.beliefs(direction)
        whole = imbalance(((i, fmpq(m)) for i, m in x), ((i, fmpq(m)) for i, m in y), self.alpha)
        if not whole.excess:
            self.flows[node, direction] = Flow((), ())
            return True
        # All states of a belief carry one label: one flow problem.
        optimum = solve_label(Imbalance(whole.excess, whole.room), self._cost, [ONE, self.alpha])
        arcs = tuple((u, v, amount) for (u, v, level), amount in optimum.amounts.items() if level == 1 and amount)
        eta = tuple((u, amount) for (u, _, level), amount in optimum.amounts.items() if level == ETA and amount)
        cost = sum((amount * (self._cost(u, v, 1) or ZERO) for u, v, amount in arcs), sum((a for _, a in eta), ZERO))
        mass_x, mass_y = beliefs.masses(direction)
        if cost > max(mass_x - self.alpha * mass_y, ZERO):
            return False
        self.flows[node, direction] = Flow(arcs, eta)
        return True

    def _cost(self, u: int, v: int, _level: int) -> fmpq | None:
        """D(u, v), or None where it is 1 and an arc gains nothing over η."""
        space = self.distance.proof.space
        if u not in space.position or v not in space.position:
            return None
        value = self.distance.value(space.pair(space.position[u], space.position[v]))
        return exact(value) if value < 1 else None
