"""Certified intervals for δ by unrolling belief pairs, best first (THEORY: unrolling, merging, closing, anytime).

An `Unrolling` explores the graph of belief nodes from its roots. Expanded nodes take the value Σ c_a V(child); every
other node has a lower bound, its gap, and an upper bound, a flow into ld. The interval of a root is therefore
certified whenever exploration stops; it closes when every leaf is closed, in particular when the graph is finite.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from ..errors import SolverError
from .frontier import Frontier, LeafBound
from .graph import BeliefGraph
from .node_values import solve_backward

__all__ = ["Interval", "Solved", "Unrolling"]

MAX_BITS = 2**25
"""4 MB of masses, where a graph may go on for ever: a few hundred nodes of thousands of digits cost more than 5,000."""

TINIEST = 5e-324
"""The smallest positive float."""


@dataclass(frozen=True, slots=True)
class Interval:
    """lower ≤ δ ≤ upper, and the direction (0: s against t, 1: t against s) that attains the lower bound."""

    lower: Fraction
    upper: Fraction
    way: int


@dataclass(frozen=True)
class Solved:
    """The interval of each root, and the values behind them: of each node (upper, upper, lower, lower)."""

    intervals: dict[int, Interval]
    values: dict[int, list[fmpq]]
    own: set[int]
    """Nodes whose upper values are bounds of their own: leaves, and components too large to solve."""
    bottom: set[int]
    """Nodes of bottom components, whose value is their gap."""


class Unrolling:
    """The exploration: a graph, its roots, and the leaves by importance. ``weight[n]`` estimates how often n is met.

    With ``to_the_end`` leaves are expanded in the order in which they are met, without weights and bounds: what a
    graph that is known to be finite, and will be searched to its end, can do without.
    """

    def __init__(
        self,
        graph: BeliefGraph,
        roots: Sequence[int],
        frontier: Frontier | None,
        alpha_lower: Fraction,
        *,
        to_the_end: bool = False,
    ) -> None:
        self.graph, self.roots, self.to_the_end = graph, list(dict.fromkeys(roots)), to_the_end
        self.weight: dict[int, float] = dict.fromkeys(self.roots, 1.0)
        self.bits = 0
        """The length of all masses met, but for the roots: what they take in memory and, roughly, in time."""
        self._heap: list[tuple[float, int]] = []
        self._expanded: set[int] = set()
        self._bounds: dict[tuple[int, int], LeafBound] = {}
        self.frontier = frontier
        self.alpha_lower = alpha_lower
        for root in self.roots:
            self._push(root)

    def leaf(self, node: int) -> bool:
        """Whether the node is not expanded here (another exploration of the same graph may have)."""
        return node not in self._expanded

    def leaves(self) -> list[int]:
        """The open leaves."""
        return [n for n in self.weight if self.leaf(n) and not self.graph.closed(n)]

    @property
    def finished(self) -> bool:
        """Whether nothing is left to expand: every leaf is closed."""
        return not self._heap

    def _push(self, node: int) -> None:
        if self.leaf(node) and not self.graph.closed(node):
            openness = self._openness(node)
            if openness > 0:
                # Never 0 by underflow: what is not in the heap counts as settled.
                heapq.heappush(self._heap, (-max(self.weight[node] * openness, TINIEST), node))

    def _openness(self, node: int) -> float:
        """The gap between a leaf's bounds, as a share of its mass; 1 when every leaf is to be expanded."""
        if self.frontier is None or self.to_the_end:
            return 1.0
        beliefs = self.graph.nodes[node]
        gaps = [self.bound(node, way).value - _exact(beliefs.gap(way, self.alpha_lower)) for way in (0, 1)]
        widest = max(gaps)
        if not widest:
            return 0.0
        share = widest / (beliefs.mass_x + beliefs.mass_y)
        return max(int(share.p) / int(share.q), TINIEST)

    def bound(self, node: int, way: int) -> LeafBound:
        """The flow bound of a leaf (or of a node too entangled to solve)."""
        if (node, way) not in self._bounds:
            frontier = self.frontier
            if frontier is None:
                raise SolverError("an exploration for every α has no bounds for open leaves")
            self._bounds[node, way] = frontier.upper(self.graph.nodes[node], way)
        return self._bounds[node, way]

    def sharpen(self, frontier: Frontier) -> None:
        """Bound leaves by this frontier from now on."""
        self.frontier = frontier
        self._bounds = {}
        self._heap = []
        for node in list(self.weight):
            self._push(node)

    def explore(self, max_nodes: int, stop: Callable[[], bool], max_bits: float = math.inf) -> None:
        """Expand the most important leaf, and again, up to ``max_nodes`` or ``max_bits``, to ``stop`` or the end."""
        while self._heap and len(self.weight) < max_nodes and self.bits < max_bits and not stop():
            _, node = heapq.heappop(self._heap)
            if not self.leaf(node):
                continue
            beliefs = self.graph.nodes[node]
            edges = self.graph.expand(node)
            self._expanded.add(node)
            for edge in edges:
                if edge.child not in self.weight:
                    self.bits += self.graph.nodes[edge.child].bits
                if self.to_the_end:
                    if edge.child not in self.weight:
                        self.weight[edge.child] = 1.0
                        self._push(edge.child)
                    continue
                child = self.graph.nodes[edge.child]
                share = float(edge.scale * (child.mass_x + child.mass_y) / (beliefs.mass_x + beliefs.mass_y))
                known = edge.child in self.weight
                self.weight[edge.child] = self.weight.get(edge.child, 0.0) + self.weight[node] * share
                if not known or self.leaf(edge.child):
                    self._push(edge.child)

    def solve(self) -> Solved:
        """The certified interval of every root, with what is expanded now."""
        upper_alpha = self.frontier.alpha if self.frontier is not None else self.alpha_lower
        alphas = [_exact(upper_alpha), _exact(self.alpha_lower)]

        def gaps(node: int) -> list[fmpq]:
            x, y = self.graph.nodes[node].masses(0)
            return [max(gap, fmpq(0)) for alpha in alphas for gap in (x - alpha * y, y - alpha * x)]

        def bounded(node: int) -> list[fmpq]:
            if self.graph.closed(node):
                return gaps(node)
            return [self.bound(node, way).value for way in (0, 1)] + gaps(node)[2:]

        values, own, bottom = solve_backward(self.graph, self.roots, self.leaf, bounded, gaps, 4)
        return Solved({root: _interval(values[root]) for root in self.roots}, values, own, bottom)


def _interval(values: list[fmpq]) -> Interval:
    upper0, upper1, lower0, lower1 = (Fraction(int(v.p), int(v.q)) for v in values)
    way = 0 if lower0 >= lower1 else 1
    return Interval(max(lower0, lower1), min(max(upper0, upper1), Fraction(1)), way)


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
