"""Belief pairs and the graph they form (docs/theory/beliefs.md).

For a word w let x_w, y_w be the sub-distributions reached from the two start states. Everything that is asked of
them is homogeneous, so pairs that are proportional are one *node*, kept as integers without a common factor.
One step sends a node to c_a times the node of each label a: the graph does not depend on α. Where the observer chooses
an input, there is such a step for each.

The numbers are those of a field (`numbers.field`): integers, or polynomials in e^(1/k) where rows are functions of it.

With a basis of trace equivalence (`basis`), nodes are told apart by coordinates: beliefs that no word can tell
apart are one node, whatever their hidden states.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from flint import fmpq

from ...distances.trace_basis import TraceBasis, least_rank, trace_basis
from ...model import Chain
from ...model.scaled import PolynomialRows, WholeRows
from ...model.step import step
from ...numbers.field import Exact, Field, Functions, M, Rationals, Scaled, V, Whole

BASIS_STATES, BASIS_RANK = 100, 40
"""Chains up to this size, of trace spaces up to this dimension, are explored up to trace equivalence.

The numbers of exact elimination grow with the dimension, and those of the certificate with them.
"""

Masses = tuple[tuple[int, M], ...]
"""(state, mass), by increasing state."""


@dataclass(frozen=True, slots=True)
class Node(Generic[M]):
    """A pair of beliefs up to scale."""

    x: Masses[M]
    y: Masses[M]
    mass_x: M
    mass_y: M
    bits: int
    """The length of the masses, about."""

    def masses(self, way: int) -> tuple[M, M]:
        """(|x|, |y|) in direction 0, (|y|, |x|) in direction 1."""
        return (self.mass_x, self.mass_y) if way == 0 else (self.mass_y, self.mass_x)

    def beliefs(self, way: int) -> tuple[Masses[M], Masses[M]]:
        """(x, y) in direction 0, (y, x) in direction 1."""
        return (self.x, self.y) if way == 0 else (self.y, self.x)


@dataclass(frozen=True, slots=True)
class Edge(Generic[V]):
    """After the input (if one is asked for) and the label, the beliefs are ``weight`` times those of node ``child``."""

    label: str
    child: int
    weight: V
    """The scale."""
    asked: str | None = None


Merged = TypeVar("Merged", bound=Whole, contravariant=True)


class Merging(Protocol[Merged]):
    """What takes more beliefs for one than those that are proportional."""

    def key(self, x: Masses[Merged], y: Masses[Merged], /) -> Hashable:
        """What two beliefs share if they are one."""

    def proportional(self, x: Masses[Merged], y: Masses[Merged], mass_x: Merged, mass_y: Merged, /) -> bool:
        """Whether nothing tells x from y but their size."""

    def written(self, names: Sequence[str], /) -> dict[str, object]:
        """It as a certificate has it."""


class BeliefGraph(Generic[M, V]):
    """The nodes met so far, and the edges of those that were expanded. Grows; never forgets."""

    def __init__(self, chain: Chain, field: Field[M, V], scaled: Scaled[M], basis: Merging[M] | None = None) -> None:
        self.chain, self.field, self.scaled, self.basis = chain, field, scaled, basis
        self.nodes: list[Node[M]] = []
        self.edges: list[tuple[Edge[V], ...] | None] = []
        self.done: set[int] = set()
        """Nodes that were followed to the end of all that they lead to."""
        self._closed: dict[int, bool] = {}
        self._index: dict[Hashable, int] = {}

    def root(self, s: int, t: int) -> int:
        """The node of "surely s" against "surely t"."""
        one = self.field.one
        return self._add({s: one}, {t: one})[0]

    def start(self, x: Mapping[int, Fraction], y: Mapping[int, Fraction]) -> tuple[int, Exact]:
        """The node of any two beliefs, not both empty, and what multiple of it they are."""
        whole = self.field.whole
        scale = math.lcm(*(p.denominator for belief in (x, y) for p in belief.values()))
        first, second = ({i: whole(int(p * scale)) for i, p in belief.items()} for belief in (x, y))
        node, top, bottom = self._add(first, second)
        return node, self.field.exactly(self.field.quotient(top, bottom * whole(scale)))

    def _add(self, x: Mapping[int, M], y: Mapping[int, M]) -> tuple[int, M, M]:
        """The node of (x, y), and two masses whose quotient says what multiple of it (x, y) is."""
        numbers = self.field
        factor = numbers.common((*x.values(), *y.values()))
        xs = tuple([(i, x[i] // factor) for i in sorted(x)])
        ys = tuple([(i, y[i] // factor) for i in sorted(y)])
        key = (numbers.key(xs), numbers.key(ys)) if self.basis is None else self.basis.key(xs, ys)
        found = self._index.get(key)
        if found is None:
            # In this order: an interruption between two of these leaves no number that means two nodes.
            found = len(self.nodes)
            self.edges.append(None)
            mass_x, mass_y = sum([m for _, m in xs], numbers.none), sum([m for _, m in ys], numbers.none)
            bits = len(xs) * numbers.size(mass_x) + len(ys) * numbers.size(mass_y)
            self.nodes.append(Node(xs, ys, mass_x, mass_y, bits))
            self._index[key] = found
        if self.basis is None:
            return found, factor, numbers.one
        node = self.nodes[found]
        mine = sum([m for _, m in (*xs, *ys)], numbers.none)
        return found, factor * mine, node.mass_x + node.mass_y

    def closed(self, number: int) -> bool:
        """Whether the node is settled at once for every α: nothing on one side, or y proportional to x."""
        known = self._closed.get(number)
        if known is None:
            known = self._closed[number] = self._is_closed(self.nodes[number])
        return known

    def _is_closed(self, node: Node[M]) -> bool:
        if not (node.mass_x and node.mass_y):
            return True
        if self.basis is not None:
            return self.basis.proportional(node.x, node.y, node.mass_x, node.mass_y)
        if len(node.x) != len(node.y):
            return False
        return all(i == j and a * node.mass_y == b * node.mass_x for (i, a), (j, b) in zip(node.x, node.y, strict=True))

    def expand(self, number: int) -> tuple[Edge[V], ...]:
        """One step from a node, split by input and label."""
        known = self.edges[number]
        if known is not None:
            return known
        node = self.nodes[number]
        some_state, _ = (node.x or node.y)[0]  # all its states have one label, hence the same inputs
        edges: list[Edge[V]] = []
        states = {state for state, _ in (*node.x, *node.y)}
        for choice, asked in enumerate(self.chain.offered(some_state)):
            denominator, rows = self.scaled.together(states, choice)
            x, y = (step(belief, rows, self.chain.labels) for belief in (node.x, node.y))
            for label in sorted({*x, *y}):
                child, top, bottom = self._add(x.get(label, {}), y.get(label, {}))
                edges.append(Edge(label, child, self.field.quotient(top, bottom * denominator), asked))
        self.edges[number] = tuple(edges)
        return tuple(edges)


AnyGraph = BeliefGraph[Any, Any]
"""A graph of whatever field its chain has: who holds one asks the graph, and never mixes the numbers of two."""
RationalGraph = BeliefGraph[int, fmpq]


def graph_of(chain: Chain) -> AnyGraph:
    """The graph of beliefs of a chain with exact rows, in the least field that has them."""
    if chain.base is None:
        return rational_graph(chain)
    scaled = PolynomialRows(chain, chain.base)
    return BeliefGraph(chain, Functions(chain.base, scaled.degree), scaled)


def rational_graph(chain: Chain, basis: TraceBasis | None = None) -> RationalGraph:
    """The graph of a chain whose rows are Fractions; UncertainChain of another."""
    return BeliefGraph(chain, Rationals(), WholeRows.of(chain), basis)


def traced_graph(chain: Chain) -> RationalGraph | None:
    """The graph of beliefs up to trace equivalence; None where that merges nothing more, or costs too much."""
    if len(chain) > BASIS_STATES or least_rank(chain) > min(BASIS_RANK, len(chain) - 1):
        return None
    basis = trace_basis(chain)
    return rational_graph(chain, basis) if len(basis.columns) < len(chain) else None
