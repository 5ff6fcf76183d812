"""Beliefs that a flow into a distance closes: V(x, y) ≤ k(D)(x→y), and where that is the gap, V is known (rule R2).

For any D that bounds V at pairs of states from above, V(x, y) ≤ Σ ω·D + Σ η for every feasible flow
(docs/theory/step.md). A node whose optimal flows cost exactly max(|x| − α|y|, 0) and max(|y| − α|x|, 0) need not be
expanded: so beliefs end where D is 0, though their graph goes on for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import fmpq

from ...cancel import Cancel
from ...certificate.distances import DistanceClaims
from ...certificate.record import Writer
from ...distances.scalars import RATIONALS
from ...distances.step_exact import ETA, Flow, Imbalance, imbalance, solve_label
from ...model.chain import Pair
from ..proof import Proof
from ..question import Question
from ..workspace import Workspace
from .belief_graph import RationalGraph
from .finite import FIRST_BITS, Part, explore, prove

if TYPE_CHECKING:
    from ...distances.fixed_point import FixedPoint  # brings numpy, which most questions never need

CLOSED_NODES = 60
"""Beliefs that may be met before flows close all."""
ONE, ZERO = fmpq(1), fmpq(0)


def attempt(
    question: Question, work: Workspace, pairs: Sequence[Pair], distance: FixedPoint, cancel: Cancel
) -> dict[Pair, Proof]:
    """The pairs whose beliefs end once flows into the distance close them; a flow problem per belief."""
    closing = FlowClosing(work.graph, distance)
    ended = {}
    for pair in pairs:
        root = work.graph.root(*work.merge(pair))
        if explore(work.graph, root, question.budget.at_most(CLOSED_NODES), FIRST_BITS, cancel, closing):
            ended[pair] = Part(work.graph, root, Fraction(1))
    return prove(f"beliefs of the quotient into {distance.kind.name}", question, work, ended, closing)


class FlowClosing:
    """Which nodes of a graph are closed at the α of a distance, and the flows, by node and direction, that show it."""

    def __init__(self, graph: RationalGraph, distance: FixedPoint) -> None:
        self.graph, self.distance = graph, distance
        self.alpha = RATIONALS.number(distance.exp_epsilon)
        self.flows: dict[tuple[int, int], Flow[fmpq]] = {}
        self._known: dict[int, bool] = {}

    def closes(self, node: int) -> bool:
        """Whether both directions are settled at once, by proportion or by flows."""
        if node not in self._known:
            self._known[node] = self.graph.is_closed(node) or all(
                self._is_settled(node, direction) for direction in (0, 1)
            )
        return self._known[node]

    def covers(self, writer: Writer, node: int) -> list[object]:
        """Of both directions: flows into the distance."""
        listed = writer.once(self.distance, lambda: DistanceClaims(writer, self.distance))
        pair_of = self.distance.proof.space.pair_of_states
        found: list[object] = []
        for direction in (0, 1):
            arcs = [
                (pair, amount)
                for u, v, amount in self.flows[node, direction].arcs
                if (pair := pair_of(u, v)) is not None
            ]
            listed.write(pair for pair, _ in arcs)
            found.append(listed.cover(arcs))
        return found

    def _is_settled(self, node: int, direction: int) -> bool:
        beliefs = self.graph.nodes[node]
        x, y = beliefs.beliefs(direction)
        whole = imbalance(((i, fmpq(m)) for i, m in x), ((i, fmpq(m)) for i, m in y), self.alpha)
        # No state has x_i > αy_i, so there is nothing to pay for, and the gap is 0 as well.
        if not whole.excess:
            self.flows[node, direction] = Flow((), ())
            return True
        # All states of a belief carry one label: one flow problem.
        optimum = solve_label(RATIONALS, Imbalance(whole.excess, whole.room), self._cost, [ONE, self.alpha])
        arcs = tuple((u, v, amount) for (u, v, level), amount in optimum.amounts.items() if level == 1 and amount)
        eta = tuple((u, amount) for (u, _, level), amount in optimum.amounts.items() if level == ETA and amount)
        cost = sum((amount * (self._cost(u, v, 1) or ZERO) for u, v, amount in arcs), sum((a for _, a in eta), ZERO))
        mass_x, mass_y = beliefs.masses(direction)
        # gap ≤ V ≤ cost: V is known only where the two meet.
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
        return RATIONALS.number(value) if value < 1 else None
