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

from ...model.components import components
from ...model.elimination import solve
from ...numbers.field import Exact, M, V
from .belief_graph import BeliefGraph, Edge
from .choices import Asked, best_strategies

LARGEST_COMPONENT = 3000
MOST_NEIGHBOURS = 60
"""Transient components larger or more entangled than this are not solved; their nodes keep their own bounds."""


def _local_graph(
    graph: BeliefGraph[M, V], roots: Sequence[int], leaf: Callable[[int], bool]
) -> tuple[list[int], list[list[int]]]:
    """The nodes that matter for the roots, and the successors of each (by place in that list); leaves have none."""
    place: dict[int, int] = {}
    order: list[int] = []
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in place:
            continue
        place[node] = len(order)
        order.append(node)
        if not leaf(node):
            stack.extend(edge.child for edge in graph.edges[node] or ())
    following = [[] if leaf(n) else [place[e.child] for e in graph.edges[n] or ()] for n in order]
    return order, following


def bottom_nodes(
    graph: BeliefGraph[M, V], roots: Sequence[int], leaf: Callable[[int], bool]
) -> tuple[list[list[int]], set[int]]:
    """The components of the relevant nodes, each after what it leads to, and the nodes of bottom components."""
    order, following = _local_graph(graph, roots, leaf)
    found = components(following)
    bottom: set[int] = set()
    for component in found:
        inside = set(component)
        if all(following[i] and all(j in inside for j in following[i]) for i in component):
            bottom.update(order[i] for i in component)
    return [[order[i] for i in component] for component in found], bottom


def solve_backward(
    graph: BeliefGraph[M, V],
    roots: Sequence[int],
    leaf: Callable[[int], bool],
    gaps: Callable[[int], Sequence[V]],
    width: int,
) -> tuple[dict[int, list[V]], set[int], Asked] | None:
    """V for every relevant node, ``width`` values each; the nodes whose value is ``gaps(node)``; what to ask at others.

    The second are the leaves and the nodes of bottom components, the third those where the observer chooses, an input
    for each of the values. None if a transient component is too entangled to solve.
    """
    ordered, bottom = bottom_nodes(graph, roots, leaf)
    value: dict[int, list[V]] = {}
    settled = set(bottom)
    asked: Asked = {}
    for component in ordered:
        first = component[0]
        if first in bottom or leaf(first):
            settled.update(component)
            value |= {node: list(gaps(node)) for node in component}
            continue
        edges = [graph.edges[node] or () for node in component]
        if any(edge.asked is not None for outgoing in edges for edge in outgoing):
            chosen = best_strategies(dict(zip(component, edges, strict=True)), value, width, graph.field.zero)
            if chosen is None:
                return None
            value |= chosen[0]
            asked |= chosen[1]
            continue
        inside = set(component)
        looped = len(component) > 1 or any(edge.child == first for edge in edges[0])
        solved = {
            node: _sum([e for e in outgoing if not looped or e.child not in inside], value, width, graph.field.zero)
            for node, outgoing in zip(component, edges, strict=True)
        }
        if looped:
            eliminated = _eliminate(component, edges, solved)
            if eliminated is None:
                return None
            solved = eliminated
        value |= solved
    return value, settled, asked


def _sum(edges: Sequence[Edge[V]], value: dict[int, list[V]], width: int, zero: V) -> list[V]:
    total: list[V] = [zero] * width
    for edge in edges:
        total = [a + edge.weight * b for a, b in zip(total, value[edge.child], strict=True)]
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
                row[edge.child] = row[edge.child] + edge.weight if edge.child in row else edge.weight
    outer = {node: dict(enumerate(values)) for node, values in right.items()}
    solved = solve(inner, outer, most_neighbours=MOST_NEIGHBOURS)
    return None if solved is None else {node: [law[i] for i in range(len(law))] for node, law in solved.items()}


def absorbed(graph: BeliefGraph[M, V], root: int, leaf: Callable[[int], bool]) -> dict[int, tuple[Exact, ...]] | None:
    """Where the measures end up from ``root``: for each leaf or bottom component the masses (from x, from y, …).

    The privacy-loss distribution of a finite graph, or the channel of several start states: masses of x sum to |x| of
    the root, those of y to |y|. Components are named by their smallest node. None if a transient component is too
    entangled to solve.
    """
    field = graph.field
    ordered, bottom = bottom_nodes(graph, [root], leaf)
    arriving: dict[int, V] = {root: field.quotient(field.one, field.one)}
    ends: dict[int, tuple[Exact, ...]] = {}
    for component in reversed(ordered):
        flows = {node: arriving.get(node, field.zero) for node in component}
        if leaf(component[0]) or component[0] in bottom:
            total = [field.zero for _ in graph.nodes[root].totals]
            for node, scale in flows.items():
                for way, mass in enumerate(graph.nodes[node].masses(0)):
                    total[way] = total[way] + scale * field.quotient(mass, field.one)
            if any(total):
                ends[min(component)] = tuple(field.exactly(mass) for mass in total)
            continue
        visits = _visits(graph, component, flows)
        if visits is None:
            return None
        for node in component:
            for edge in graph.edges[node] or ():
                if edge.child not in flows:
                    arriving[edge.child] = arriving.get(edge.child, field.zero) + visits[node] * edge.weight
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
