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
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

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

BeliefMasses = tuple[tuple[int, M], ...]
"""(state, mass), by increasing state."""


class Shape(Generic[M]):
    """What one run is believed to be in, up to scale: masses without a common factor. There is one object for each.

    Pairs are many and runs are few: what a belief becomes after one letter is found once, whatever it is paired with.
    """

    __slots__ = ("after", "kind", "masses", "number", "times", "total")

    def __init__(self, number: int, masses: BeliefMasses[M], total: M, kind: int, times: M) -> None:
        self.number, self.masses, self.total = number, masses, total
        self.kind, self.times = kind, times
        """Shapes of one kind are multiples of one another for all that words can tell; this is ``times`` its kind."""
        self.after: dict[int, Successor[M]] = {}


Successor = tuple[M, dict[str, tuple[Shape[M], M]]]
"""A denominator, and of each label, by their order, the shape that follows with a numerator."""


class Node(NamedTuple, Generic[M]):
    """Beliefs up to a common factor: one for each start state, two of a pair; each a multiple of its shape."""

    shapes: tuple[Shape[M], ...]
    scales: tuple[M, ...]

    @property
    def parts(self) -> tuple[BeliefMasses[M], ...]:
        """The masses of each belief."""
        return tuple([_scale(shape, scale) for shape, scale in zip(self.shapes, self.scales, strict=True)])

    @property
    def totals(self) -> tuple[M, ...]:
        """The mass of each."""
        return tuple([shape.total * scale for shape, scale in zip(self.shapes, self.scales, strict=True)])

    @property
    def size(self) -> int:
        """How many states there are in the beliefs."""
        return sum([len(shape.masses) for shape in self.shapes])

    @property
    def x(self) -> BeliefMasses[M]:
        """The first of a pair."""
        return _scale(self.shapes[0], self.scales[0])

    @property
    def y(self) -> BeliefMasses[M]:
        """The second of a pair."""
        return _scale(self.shapes[1], self.scales[1])

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

    def beliefs(self, way: int) -> tuple[BeliefMasses[M], ...]:
        """(x, y) in direction 0, (y, x) in direction 1."""
        return self.parts if way == 0 else self.parts[::-1]


def _scale(shape: Shape[M], scale: M) -> BeliefMasses[M]:
    return tuple([(state, mass * scale) for state, mass in shape.masses])


class Edge(NamedTuple, Generic[V]):
    """After the input (if one is asked for) and the label, the beliefs are ``weight`` times those of node ``child``."""

    label: str
    child: int
    weight: V
    """The scale."""
    asked: str | None = None


Merged = TypeVar("Merged", bound=Whole)


class Merging(Protocol[Merged]):
    """What takes more beliefs for one than those that are proportional."""

    def coordinates(self, masses: BeliefMasses[Merged], /) -> Sequence[Merged]:
        """Linear in the masses; beliefs that share them are one. They determine the whole mass."""

    def unseen(self, chain: Chain, names: Sequence[str], /) -> list[list[list[str]]]:
        """The vectors that no coordinate sees, as a certificate has them."""


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
        self._closed: list[bool] = []
        self._index: dict[Hashable, int] = {}
        self._times: list[M] = []
        """With a basis, what multiple of their kinds the beliefs of each node are, up to the ratio in its key."""
        self._shapes: dict[Hashable, Shape[M]] = {}
        self._kinds: dict[Hashable, int] = {}
        """With a basis, the kind of shapes by their coordinates without a common factor."""
        self._nothing, _ = self._shape({})

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
        shapes, scales = zip(*[self._shape(b) if b else (self._nothing, self.field.none) for b in beliefs], strict=True)
        return self._node(shapes, scales)

    def _shape(self, belief: Mapping[int, M]) -> tuple[Shape[M], M]:
        """The shape of a belief, and what multiple of it the belief is."""
        numbers = self.field
        masses = tuple(sorted(belief.items()))
        if len(masses) == 1:
            ((state, factor),) = masses
            masses = ((state, numbers.one),)
        else:
            factor = numbers.common(belief.values())
            if factor != numbers.one:
                masses = tuple([(i, mass // factor) for i, mass in masses])
        key = numbers.key(masses)
        found = self._shapes.get(key)
        if found is None:
            number, total = len(self._shapes), sum([mass for _, mass in masses], numbers.none)
            kind, times = (number, numbers.one) if self.basis is None else self._kind(self.basis.coordinates(masses))
            found = self._shapes[key] = Shape(number, masses, total, kind, times)
        return found, factor

    def _kind(self, coordinates: Sequence[M]) -> tuple[int, M]:
        """The kind of a shape by its coordinates, and what multiple of it the shape is."""
        times = self.field.common(coordinates)
        apart = self.field.tokens([value // times for value in coordinates] if times else ())
        return self._kinds.setdefault(apart, len(self._kinds)), times

    def _node(self, shapes: Sequence[Shape[M]], scales: Sequence[M]) -> tuple[int, M, M]:
        """The node of multiples of shapes, and two masses whose quotient says what multiple of it these are."""
        numbers = self.field
        # The masses of a shape have no common factor, so what all masses share is what the scales share.
        factor = numbers.common(scales)
        if factor != numbers.one:
            scales = [scale // factor for scale in scales]
        if self.alike:
            shapes, scales = self._order(shapes, scales)
        merging, times = self.basis is not None, numbers.one
        ratio = scales
        if merging:
            ratio = [scale * shape.times for shape, scale in zip(shapes, scales, strict=True)]
            times = numbers.common(ratio)
            ratio = [part // times for part in ratio]
        kinds = [shape.kind for shape in shapes]
        key = (*kinds, numbers.tokens(ratio))
        found = self._index.get(key)
        if found is None:
            # In this order: an interruption between two of these leaves no number that means two nodes.
            found = len(self.nodes)
            if merging:
                self._times[found:] = [times]
            # All that have mass are proportional, as far as words tell, if they are of one kind.
            self._closed[found:] = [len({*kinds, self._nothing.kind}) <= 2]
            self.edges.append(None)
            self.nodes.append(Node(tuple(shapes), tuple(scales)))
            self._index[key] = found
        # With a basis the node found may hold other beliefs of the same kinds, in the same ratio.
        return (found, factor * times, self._times[found]) if merging else (found, factor, times)

    def bits(self, number: int) -> int:
        """The length of the masses of a node, about."""
        node, size, bits = self.nodes[number], self.field.size, 0
        for shape, scale in zip(node.shapes, node.scales, strict=True):
            bits += len(shape.masses) * size(shape.total * scale)
        return bits

    def _order(self, shapes: Sequence[Shape[M]], scales: Sequence[M]) -> tuple[list[Shape[M]], list[M]]:
        """Both with the beliefs of interchangeable places in one order."""
        places = list(range(len(shapes)))
        keys: list[Any] = [
            (shape.number, self.field.tokens((scale,))) for shape, scale in zip(shapes, scales, strict=True)
        ]
        for group in self.alike:
            for place, taken in zip(group, sorted(group, key=lambda i: keys[i]), strict=True):
                places[place] = taken
        return [shapes[i] for i in places], [scales[i] for i in places]

    def is_closed(self, number: int) -> bool:
        """Whether the node is settled at once for every α: nothing on one side, or y proportional to x."""
        return self._closed[number]

    def expand(self, number: int) -> tuple[Edge[V], ...]:
        """One step from a node, split by input and label."""
        known = self.edges[number]
        if known is not None:
            return known
        node, quotient = self.nodes[number], self.field.quotient
        edges: list[Edge[V]] = []
        unseen = self._nothing, self.field.none
        for choice, asked in enumerate(self._offer(node)):
            after = [shape.after.get(choice) or self._step(shape, choice) for shape in node.shapes]
            # Over one denominator masses stay whole, and each edge takes a single division.
            denominator, scales = self._together(after, node.scales)
            parts = [following for _, following in after]
            labels: Iterable[str] = parts[0]
            for following in parts:
                if following.keys() != parts[0].keys():
                    labels = sorted(set().union(*parts))
                    break
            for label in labels:
                found = [following.get(label, unseen) for following in parts]
                masses = [scale * top for scale, (_, top) in zip(scales, found, strict=True)]
                child, top, bottom = self._node([shape for shape, _ in found], masses)
                edges.append(Edge(label, child, quotient(top, bottom * denominator), asked))
        self.edges[number] = tuple(edges)
        return tuple(edges)

    def _offer(self, node: Node[M]) -> tuple[str | None, ...]:
        """The inputs at a node. The states of its beliefs have one label, hence the same inputs."""
        if not self.chain.inputs:
            return (None,)
        return self.chain.offered(next(state for shape in node.shapes for state, _ in shape.masses))

    def _step(self, shape: Shape[M], choice: int) -> Successor[M]:
        """One step of a single belief, found once."""
        known: Successor[M] = self.field.one, {}
        if shape is not self._nothing:
            denominator, rows = self.scaled.together((state for state, _ in shape.masses), choice)
            parts = step(shape.masses, rows, self.chain.labels)
            known = denominator, {label: self._shape(parts[label]) for label in sorted(parts)}
        shape.after[choice] = known
        return known

    def _together(self, after: Sequence[Successor[M]], scales: Sequence[M]) -> tuple[M, Sequence[M]]:
        """The least common denominator of steps, and the scales of beliefs over it."""
        common, together = after[0][0], True
        for bottom, _ in after:
            if bottom is not common and bottom != common:
                common, together = common // self.field.common((common, bottom)) * bottom, False
        if together:
            return common, scales
        return common, [scale * (common // bottom) for scale, (bottom, _) in zip(scales, after, strict=True)]


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
