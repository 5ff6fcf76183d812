"""Belief pairs and the graph they form (docs/theory/beliefs.md).

For a word w let x_w, y_w be the sub-distributions reached from the two start states. Everything that is asked of
them is homogeneous, so pairs that are proportional are one *node*, kept as integers without a common factor.
One step sends a node to c_a times the node of each label a: the graph does not depend on α. Where the observer chooses
an input, there is such a step for each.

The numbers are those of a field (`numbers.field`): integers, or polynomials in e^(1/k) where rows are functions of it.

Two start states make pairs; any number of them makes as many beliefs (`guessing`), which are one node up to one common
factor, and up to the order of those whose start states are interchangeable.

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
    """Beliefs up to a common factor: one for each start state, two of a pair."""

    parts: tuple[Masses[M], ...]
    totals: tuple[M, ...]
    """The mass of each."""
    bits: int
    """The length of the masses, about."""

    @property
    def x(self) -> Masses[M]:
        """The first of a pair."""
        return self.parts[0]

    @property
    def y(self) -> Masses[M]:
        """The second of a pair."""
        return self.parts[1]

    @property
    def mass_x(self) -> M:
        """|x|."""
        return self.totals[0]

    @property
    def mass_y(self) -> M:
        """|y|."""
        return self.totals[1]

    def masses(self, way: int) -> tuple[M, ...]:
        """(|x|, |y|) in direction 0, (|y|, |x|) in direction 1."""
        return self.totals if way == 0 else self.totals[::-1]

    def beliefs(self, way: int) -> tuple[Masses[M], ...]:
        """(x, y) in direction 0, (y, x) in direction 1."""
        return self.parts if way == 0 else self.parts[::-1]


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
    """The nodes met so far, and the edges of those that were expanded. Grows; never forgets.

    ``alike`` are groups of places whose beliefs may stand in any order: what is asked of a node does not depend on it.
    """

    def __init__(
        self,
        chain: Chain,
        field: Field[M, V],
        scaled: Scaled[M],
        basis: Merging[M] | None = None,
        alike: Sequence[Sequence[int]] = (),
    ) -> None:
        self.chain, self.field, self.scaled, self.basis, self.alike = chain, field, scaled, basis, alike
        self.nodes: list[Node[M]] = []
        self.edges: list[tuple[Edge[V], ...] | None] = []
        self.done: set[int] = set()
        """Nodes that were followed to the end of all that they lead to."""
        self._closed: dict[int, bool] = {}
        self._index: dict[Hashable, int] = {}

    def root(self, *starts: int | None) -> int:
        """The node of "surely s" against "surely t", or against any number of others; None for what is ruled out."""
        one = self.field.one
        return self._add(*({} if state is None else {state: one} for state in starts))[0]

    def start(self, x: Mapping[int, Fraction], y: Mapping[int, Fraction]) -> tuple[int, Exact]:
        """The node of any two beliefs, not both empty, and what multiple of it they are."""
        whole = self.field.whole
        scale = math.lcm(*(p.denominator for belief in (x, y) for p in belief.values()))
        first, second = ({i: whole(int(p * scale)) for i, p in belief.items()} for belief in (x, y))
        node, top, bottom = self._add(first, second)
        return node, self.field.exactly(self.field.quotient(top, bottom * whole(scale)))

    def _add(self, *beliefs: Mapping[int, M]) -> tuple[int, M, M]:
        """The node of the beliefs, and two masses whose quotient says what multiple of it they are."""
        numbers = self.field
        factor = numbers.common(mass for belief in beliefs for mass in belief.values())
        parts = tuple([tuple([(i, belief[i] // factor) for i in sorted(belief)]) for belief in beliefs])
        keys = [numbers.key(part) for part in parts] if self.basis is None else []
        if self.alike:
            parts, keys = self._ordered(parts, keys)
        key = tuple(keys) if self.basis is None else self.basis.key(*parts)
        found = self._index.get(key)
        if found is None:
            # In this order: an interruption between two of these leaves no number that means two nodes.
            found = len(self.nodes)
            self.edges.append(None)
            totals = tuple([sum([m for _, m in part], numbers.none) for part in parts])
            bits = sum([len(part) * numbers.size(total) for part, total in zip(parts, totals, strict=True)])
            self.nodes.append(Node(parts, totals, bits))
            self._index[key] = found
        if self.basis is None:
            return found, factor, numbers.one
        mine = sum([m for part in parts for _, m in part], numbers.none)
        return found, factor * mine, sum(self.nodes[found].totals, numbers.none)

    def _ordered(
        self, parts: tuple[Masses[M], ...], keys: list[Hashable]
    ) -> tuple[tuple[Masses[M], ...], list[Hashable]]:
        """Beliefs of interchangeable places by their keys."""
        places = list(range(len(parts)))
        for group in self.alike:
            for place, taken in zip(group, sorted(group, key=lambda i: keys[i]), strict=True):  # type: ignore[arg-type,return-value]  # tuples
                places[place] = taken
        return tuple([parts[i] for i in places]), [keys[i] for i in places]

    def closed(self, number: int) -> bool:
        """Whether the node is settled at once for every α: nothing on one side, or y proportional to x."""
        known = self._closed.get(number)
        if known is None:
            known = self._closed[number] = self._is_closed(self.nodes[number])
        return known

    def _is_closed(self, node: Node[M]) -> bool:
        live = [(part, total) for part, total in zip(node.parts, node.totals, strict=True) if total]
        if len(live) < 2:
            return True
        if self.basis is not None:
            return self.basis.proportional(node.x, node.y, node.mass_x, node.mass_y)
        (x, mass_x), *others = live
        return all(
            len(x) == len(y) and all(i == j and a * mass_y == b * mass_x for (i, a), (j, b) in zip(x, y, strict=True))
            for y, mass_y in others
        )

    def expand(self, number: int) -> tuple[Edge[V], ...]:
        """One step from a node, split by input and label."""
        known = self.edges[number]
        if known is not None:
            return known
        node = self.nodes[number]
        some_state, _ = next(part for part in node.parts if part)[0]  # its states have one label, hence the same inputs
        edges: list[Edge[V]] = []
        states = {state for part in node.parts for state, _ in part}
        for choice, asked in enumerate(self.chain.offered(some_state)):
            denominator, rows = self.scaled.together(states, choice)
            after = [step(part, rows, self.chain.labels) for part in node.parts]
            for label in sorted({label for each in after for label in each}):
                child, top, bottom = self._add(*(each.get(label, {}) for each in after))
                edges.append(Edge(label, child, self.field.quotient(top, bottom * denominator), asked))
        self.edges[number] = tuple(edges)
        return tuple(edges)


AnyGraph = BeliefGraph[Any, Any]
"""A graph of whatever field its chain has: who holds one asks the graph, and never mixes the numbers of two."""
RationalGraph = BeliefGraph[int, fmpq]


def graph_of(chain: Chain, alike: Sequence[Sequence[int]] = ()) -> AnyGraph:
    """The graph of beliefs of a chain with exact rows, in the least field that has them."""
    if chain.base is None:
        return rational_graph(chain, alike=alike)
    scaled = PolynomialRows(chain, chain.base)
    return BeliefGraph(chain, Functions(chain.base, scaled.degree), scaled, alike=alike)


def rational_graph(chain: Chain, basis: TraceBasis | None = None, alike: Sequence[Sequence[int]] = ()) -> RationalGraph:
    """The graph of a chain whose rows are Fractions; UncertainChain of another."""
    return BeliefGraph(chain, Rationals(), WholeRows.of(chain), basis, alike)


def traced_graph(chain: Chain) -> RationalGraph | None:
    """The graph of beliefs up to trace equivalence; None where that merges nothing more, or costs too much."""
    if len(chain) > BASIS_STATES or least_rank(chain) > min(BASIS_RANK, len(chain) - 1):
        return None
    basis = trace_basis(chain)
    return rational_graph(chain, basis) if len(basis.columns) < len(chain) else None
