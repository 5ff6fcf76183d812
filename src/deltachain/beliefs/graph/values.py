"""Values on the graph of belief nodes: V(u) = Σ c_a V(child_a), the largest over inputs; exactly, cycles included.

In a bottom component of the graph, under all inputs, the share |x|/(|x|+|y|) is constant, since from any node some
strategy surely arrives at any other, and the share is harmonic under every strategy. So V is the gap
max(|x| − α|y|, 0) there. Every other component leaks into settled ones, so its linear system has one solution; where
the observer chooses, `choices` finds the best strategy.

Components are solved dependencies first, by eliminating nodes of least degree (random walks on a line, the usual
shape of beliefs about a hidden bit, cost linear time); several right-hand sides at once (upper and lower bounds,
both directions).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from ...cancel import spend
from ...model.components import components
from ...model.elimination import solve
from ...numbers.field import Exact, M, V
from .belief_graph import BeliefGraph, Edge
from .choices import STEPS_PER_EDGE, ChosenInputs, best_strategies

LARGEST_COMPONENT = 3000
MOST_NEIGHBOURS = 60
"""Transient components larger or more entangled than this are not solved; their nodes keep their own bounds."""


def _local_graph(
    graph: BeliefGraph[M, V], roots: Sequence[int], leaf: Callable[[int], bool]
) -> tuple[list[int], list[list[int]]]:
    """The nodes that matter for the roots, and the successors of each (by place in that list); leaves have none."""
    place: dict[int, int] = {}
    targets: list[list[int]] = []
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in place:
            continue
        spend(50)
        place[node] = len(place)
        children = [] if leaf(node) else [edge.child for edge in graph.edges[node] or ()]
        targets.append(children)
        stack += children
    return list(place), [[place[child] for child in children] for children in targets]


def bottom_nodes(
    graph: BeliefGraph[M, V], roots: Sequence[int], leaf: Callable[[int], bool]
) -> tuple[list[list[int]], set[int]]:
    """The components of the relevant nodes, each after what it leads to, and the nodes of bottom components."""
    order, following = _local_graph(graph, roots, leaf)
    found = components(following)
    bottom: set[int] = set()
    for component in found:
        inside = set(component)
        # A leaf leads nowhere, which makes it no bottom component: it is settled by its own rule, or open.
        if all(following[i] and inside.issuperset(following[i]) for i in component):
            bottom.update(order[i] for i in component)
    return [[order[i] for i in component] for component in found], bottom


def solve_backward(
    graph: BeliefGraph[M, V],
    roots: Sequence[int],
    leaf: Callable[[int], bool],
    gaps: Callable[[int], Sequence[V]],
    width: int,
) -> tuple[dict[int, list[V]], set[int], ChosenInputs] | None:
    """V for every relevant node, ``width`` values each; the nodes whose value is ``gaps(node)``; what to ask at others.

    The second are the leaves and the nodes of bottom components, the third those where the observer chooses, an input
    for each of the values. None if a transient component is too entangled to solve.
    """
    ordered, bottom = bottom_nodes(graph, roots, leaf)
    value: dict[int, list[V]] = {}
    settled = set(bottom)
    asked: ChosenInputs = {}
    zero = graph.field.zero
    for component in ordered:
        first = component[0]
        if first in bottom or leaf(first):
            settled.update(component)
            for node in component:
                spend(50)
                value[node] = list(gaps(node))
            continue
        edges = [graph.edges[node] or () for node in component]
        if graph.chain.interactive and any(edge.asked is not None for outgoing in edges for edge in outgoing):
            chosen = best_strategies(dict(zip(component, edges, strict=True)), value, width, zero)
            if chosen is None:
                return None
            value |= chosen[0]
            asked |= chosen[1]
            continue
        # Without a loop a component is one node, and its value a plain sum of known ones.
        if len(component) == 1 and first not in [edge.child for edge in edges[0]]:
            value[first] = _sum(edges[0], value, width, zero)
            continue
        inside = set(component)
        leaving = {
            node: _sum([edge for edge in outgoing if edge.child not in inside], value, width, zero)
            for node, outgoing in zip(component, edges, strict=True)
        }
        solved = _eliminate(component, edges, leaving)
        if solved is None:
            return None
        value |= solved
    return value, settled, asked


def _sum(edges: Sequence[Edge[V]], value: dict[int, list[V]], width: int, zero: V) -> list[V]:
    spend(STEPS_PER_EDGE * width * len(edges))
    total: list[V] = [zero] * width
    for edge in edges:
        weight = edge.weight
        total = [a + weight * b for a, b in zip(total, value[edge.child], strict=True)]
    return total


def _eliminate(
    component: list[int], edges: Sequence[Sequence[Edge[V]]], right: dict[int, list[V]]
) -> dict[int, list[V]] | None:
    """The solution of v = Wv + right on a transient component, or None if it is too entangled."""
    if len(component) > LARGEST_COMPONENT:
        return None
    inside = set(component)
    inner: dict[int, dict[int, V]] = {node: {} for node in component}
    for node, outgoing in zip(component, edges, strict=True):
        row = inner[node]
        for edge in outgoing:
            if edge.child in inside:
                # Different labels may lead to one node, up to scale.
                row[edge.child] = row[edge.child] + edge.weight if edge.child in row else edge.weight
    outer = {node: dict(enumerate(values)) for node, values in right.items()}
    solved = solve(inner, outer, most_neighbours=MOST_NEIGHBOURS)
    return None if solved is None else {node: [law[i] for i in range(len(law))] for node, law in solved.items()}


@dataclass(frozen=True)
class Visits(Generic[V]):
    """How runs pass through a graph.

    Attributes:
        scale: of each node the multiple of its beliefs that comes to it, loops summed; where runs end, what arrives.
        ends: the leaves and the bottom components, each by its nodes: runs end there.
    """

    scale: dict[int, V]
    ends: list[list[int]]


def count_visits(graph: BeliefGraph[M, V], roots: Sequence[int], leaf: Callable[[int], bool]) -> Visits[V] | None:
    """How runs from the roots, once each, pass through the graph; None if a component is too entangled to solve."""
    field = graph.field
    ordered, bottom = bottom_nodes(graph, roots, leaf)
    arriving: dict[int, V] = dict.fromkeys(roots, field.quotient(field.one, field.one))
    found: Visits[V] = Visits({}, [])
    # Components come after what they lead to; backwards, all that arrives at one is known when its turn comes.
    for component in reversed(ordered):
        flows = {node: arriving.get(node, field.zero) for node in component}
        if leaf(component[0]) or component[0] in bottom:
            found.scale.update(flows)
            found.ends.append(component)
            continue
        visits = _visits(graph, component, flows)
        if visits is None:
            return None
        found.scale.update(visits)
        for node in component:
            spend(STEPS_PER_EDGE * len(graph.edges[node] or ()))
            for edge in graph.edges[node] or ():
                if edge.child not in flows:
                    arriving[edge.child] = arriving.get(edge.child, field.zero) + visits[node] * edge.weight
    return found


def absorb(graph: BeliefGraph[M, V], root: int, leaf: Callable[[int], bool]) -> dict[int, tuple[Exact, ...]] | None:
    """Where the measures end up from ``root``: for each leaf or bottom component the masses (from x, from y, …).

    The privacy-loss distribution of a finite graph, or the channel of several start states: masses of x sum to |x| of
    the root, those of y to |y|. Components are named by their smallest node. None if a transient component is too
    entangled to solve.
    """
    field = graph.field
    visits = count_visits(graph, [root], leaf)
    if visits is None:
        return None
    ends: dict[int, tuple[Exact, ...]] = {}
    for component in visits.ends:
        total = [field.zero for _ in graph.nodes[root].totals]
        for node in component:
            spend(50)
            for way, mass in enumerate(graph.nodes[node].masses(0)):
                total[way] = total[way] + visits.scale[node] * field.quotient(mass, field.one)
        if any(total):
            # The share is constant on a bottom component, so that it is one outcome, whatever nodes runs arrive at.
            ends[min(component)] = tuple(field.exactly(mass) for mass in total)
    return ends


def _visits(graph: BeliefGraph[M, V], component: list[int], flows: dict[int, V]) -> dict[int, V] | None:
    """The total scale that passes each node of a transient component, loops summed: the transposed system."""
    turned: dict[int, list[Edge[V]]] = {node: [] for node in component}
    for node in component:
        for edge in graph.edges[node] or ():
            if edge.child in turned:
                turned[edge.child].append(Edge(edge.label, node, edge.weight))
    if not any(turned.values()):
        return flows
    solved = _eliminate(component, list(turned.values()), {node: [flow] for node, flow in flows.items()})
    return None if solved is None else {node: value[0] for node, value in solved.items()}
