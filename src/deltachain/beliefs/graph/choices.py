"""The best strategy on a component of the graph of beliefs: V(u) = max over inputs i of Σ_b c_{i,b} V(child_{i,b}).

A strategy names an input at each node of the component; its value is what it surely collects where it leaves. The
search starts from a strategy that heads for the nearest way out, and switches a node to a better input only where that
is better *strictly*. Then (docs/theory/interactive.md):

- every strategy on the way surely leaves, so that its linear system has one solution;
- values never fall, and rise at every node that switches, so that no strategy comes twice;
- where nothing is left to switch, v ≥ Σ c v for all inputs, and the strategy attains v: it is V.

Never stopping inside is no loss: the gap of a node is at most what any strategy that leaves collects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...cancel import spend
from ...model.elimination import solve
from ...numbers.field import V
from .belief_graph import Edge

ChosenInputs = dict[int, tuple[str | None, ...]]
"""The best input at a node, for each value; None where the node has no choice."""

Inner = dict[int, V]
"""What an input sends to nodes of the component."""

LARGEST_COMPONENT = 3000
MOST_NEIGHBOURS = 60
"""Larger or more entangled components are not solved."""
STEPS_PER_EDGE = 10
"""What a sum and a product of exact numbers cost, about."""


def by_input(edges: Sequence[Edge[V]]) -> dict[str | None, list[Edge[V]]]:
    """The edges of a node, input by input."""
    found: dict[str | None, list[Edge[V]]] = {}
    for edge in edges:
        found.setdefault(edge.asked, []).append(edge)
    return found


def best_strategies(
    component: Mapping[int, Sequence[Edge[V]]], value: Mapping[int, Sequence[V]], width: int, zero: V
) -> tuple[dict[int, list[V]], ChosenInputs] | None:
    """V at the nodes of a component that can be left, ``width`` values each, and what to ask; None: too entangled.

    ``value`` has the nodes outside that the component leads to.
    """
    inner: dict[int, dict[str | None, Inner[V]]] = {}
    outer: dict[int, dict[str | None, list[V]]] = {}
    for node, edges in component.items():
        spend(STEPS_PER_EDGE * width * len(edges))
        inner[node], outer[node] = {}, {}
        for asked, group in by_input(edges).items():
            within: Inner[V] = {}
            leaving = [zero] * width
            for edge in group:
                if edge.child in component:
                    within[edge.child] = within.get(edge.child, zero) + edge.weight
                else:
                    leaving = [a + edge.weight * b for a, b in zip(leaving, value[edge.child], strict=True)]
            inner[node][asked], outer[node][asked] = within, leaving
    looped = any(within for inputs in inner.values() for within in inputs.values())
    if looped and len(component) > LARGEST_COMPONENT:
        return None
    strategies: list[dict[int, str | None]] = []
    values: list[dict[int, V]] = []
    outward = _outward(component)
    for k in range(width):
        spend(STEPS_PER_EDGE * len(component))
        right = {node: {asked: leaving[k] for asked, leaving in inputs.items()} for node, inputs in outer.items()}
        # The values at two neighbouring α have much the same strategy: the second starts from that of the first.
        start = strategies[k - 2] if k >= 2 else outward
        found = _improve(inner, right, dict(start)) if looped else _at_once(right)
        if found is None:
            return None
        values.append(found[0])
        strategies.append(found[1])
    return (
        {node: [v[node] for v in values] for node in component},
        {node: tuple(strategy[node] for strategy in strategies) for node in component},
    )


def _outward(component: Mapping[int, Sequence[Edge[V]]]) -> dict[int, str | None]:
    """A strategy that surely leaves: at each node an input that may lead nearer to a way out."""
    before: dict[int, list[tuple[int, str | None]]] = {}
    heading: dict[int, str | None] = {}
    for node, edges in component.items():
        for edge in edges:
            if edge.child in component:
                before.setdefault(edge.child, []).append((node, edge.asked))
            else:
                heading.setdefault(node, edge.asked)
    layer = list(heading)
    for child in layer:  # grows as it is read
        for node, asked in before.get(child, ()):
            if node not in heading:
                heading[node] = asked
                layer.append(node)
    return heading


def _at_once(right: Mapping[int, Mapping[str | None, V]]) -> tuple[dict[int, V], dict[int, str | None]]:
    """Every input leaves: take the best."""
    best = {node: max(inputs, key=inputs.__getitem__) for node, inputs in right.items()}
    return {node: right[node][asked] for node, asked in best.items()}, best


def _improve(
    inner: Mapping[int, Mapping[str | None, Inner[V]]],
    right: Mapping[int, Mapping[str | None, V]],
    strategy: dict[int, str | None],
) -> tuple[dict[int, V], dict[int, str | None]] | None:
    """V and a strategy that attains it, from one that surely leaves."""
    while True:
        found = solve(
            {node: dict(inner[node][asked]) for node, asked in strategy.items()},
            {node: {0: right[node][asked]} for node, asked in strategy.items()},
            most_neighbours=MOST_NEIGHBOURS,
        )
        if found is None:
            return None
        value = {node: law[0] for node, law in found.items()}
        switched = False
        for node, inputs in inner.items():
            spend(STEPS_PER_EDGE * len(inputs))
            best = value[node]
            for asked, within in inputs.items():
                gain = sum((scale * value[child] for child, scale in within.items()), right[node][asked])
                # Strictly: a switch between equals could lead back inside, to a strategy that never leaves.
                if gain > best:
                    best, strategy[node], switched = gain, asked, True
        if not switched:
            return value, strategy
