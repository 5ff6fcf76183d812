"""Belief graphs that end: exploring them, and the exact δ of every pair whose graph does (docs/theory/beliefs.md).

On a finite graph V is the absorption-weighted sum of gaps over closed nodes and bottom components: one exact linear
solve, cycles included. Nothing is rounded, and the graph serves every α. Where the observer chooses inputs, the graph
is closed under all of them, and V is that of the best strategy (docs/theory/interactive.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq

from ..cancel import Cancel
from ..distances.trace_basis import least_rank, trace_basis
from ..flints import exact
from ..model import Chain
from ..rational import ExpEpsilon
from .choices import Asked
from .flows import FlowClosing
from .graph import BeliefGraph
from .node_values import solve_backward

BASIS_STATES, BASIS_RANK = 100, 40
"""Chains up to this size, of trace spaces up to this dimension, are looked at up to trace equivalence.

The numbers of exact elimination grow with the dimension, and those of the certificate with them.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """What a pair comes to on one finite graph: ``scale`` times the node ``root``."""

    graph: BeliefGraph
    root: int
    scale: Fraction
    group: int | None = None
    """The group of a split that the graph belongs to; None if the pair was not split."""


@dataclass(frozen=True)
class Solved:
    """Values on finite graphs: of each node (upper, upper, lower, lower), one a direction."""

    graph: BeliefGraph
    values: dict[int, list[fmpq]]
    settled: set[int]
    """Nodes whose value is their gap: closed ones, and those of bottom components."""
    asked: Asked = field(default_factory=dict)
    """The best input for each of the values, at nodes where the observer chooses."""
    closing: FlowClosing | None = None
    """What closes nodes that are not closed by themselves, if anything does."""

    def strategy(self, direction: int) -> dict[int, str | None]:
        """What to ask at each node that is not settled (None: there is no choice), to attain the lower value.

        It surely arrives at settled nodes, where the watcher stops.
        """
        going_on = (node for node in self.values if node not in self.settled)
        return {node: self.asked[node][2 + direction] if node in self.asked else None for node in going_on}


def traced_graph(chain: Chain) -> BeliefGraph | None:
    """The graph of beliefs up to trace equivalence; None where that merges nothing more, or costs too much."""
    if len(chain) > BASIS_STATES or least_rank(chain) > min(BASIS_RANK, len(chain) - 1):
        return None
    basis = trace_basis(chain)
    return BeliefGraph(chain, basis) if len(basis.columns) < len(chain) else None


def explore(
    graph: BeliefGraph,
    root: int,
    max_nodes: int,
    max_bits: int,
    cancel: Cancel,
    closing: FlowClosing | None = None,
    max_entries: float = math.inf,
) -> bool:
    """Expand everything that the root leads to, in the order in which it is met; whether that came to an end.

    What another root was followed to its end through is not looked at again. Gives up above ``max_nodes`` nodes or
    ``max_entries`` states in those expanded, when their masses take more than ``max_bits``, or when it is cancelled.
    """
    met, bits, entries = [root], 0, 0
    known = {root}
    closed, done = (graph.closed, graph.done) if closing is None else (closing.closes, set[int]())
    for node in met:
        if node in done or closed(node):
            continue
        if (
            len(met) > max_nodes
            or bits > max_bits
            or entries > max_entries
            or (len(met) % 64 == 0 and cancel.stopped())
        ):
            return False
        entries += len(graph.nodes[node].x) + len(graph.nodes[node].y)
        for edge in graph.expand(node):
            if edge.child not in known:
                known.add(edge.child)
                met.append(edge.child)
                bits += graph.nodes[edge.child].bits
    done.update(met)
    return True


def solve_finite(
    graph: BeliefGraph, roots: Sequence[int], exp_epsilon: ExpEpsilon, closing: FlowClosing | None = None
) -> Solved | None:
    """The exact values of roots whose graphs were explored to their end; None if they are too entangled to solve."""
    alphas = [exact(alpha) for alpha in (exp_epsilon.below, exp_epsilon.above)]

    def gaps(node: int) -> list[fmpq]:
        x, y = graph.nodes[node].mass_x, graph.nodes[node].mass_y
        return [max(gap, fmpq(0)) for alpha in alphas for gap in (x - alpha * y, y - alpha * x)]

    found = solve_backward(graph, roots, graph.closed if closing is None else closing.closes, gaps, 4)
    return None if found is None else Solved(graph, *found, closing)  # values, settled nodes, what is asked


def is_acyclic(chain: Chain) -> bool:
    """Whether the only cycles are absorbing states: then there are finitely many belief nodes.

    With inputs, a row may also leave its state where it is: every other step moves some mass forwards for good.
    """
    waiting = [0] * len(chain)
    for s, rows in enumerate(chain.moves):
        for row in rows:
            for t, _ in row:
                if t != s:
                    waiting[t] += 1
                elif len(row) > 1:
                    return False
    ready = [s for s, count in enumerate(waiting) if count == 0]
    done = 0
    while ready:
        s = ready.pop()
        done += 1
        for row in chain.moves[s]:
            for t, _ in row:
                if t != s:
                    waiting[t] -= 1
                    if waiting[t] == 0:
                        ready.append(t)
    return done == len(chain)
