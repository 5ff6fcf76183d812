"""The entries of finite belief graphs: nodes, claims on them from above and below, and the basis they are keyed by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..beliefs.choices import by_input
from ..beliefs.finite import Solved
from .record import basis_of, exact_text


def node_claims(proofs: Sequence[Solved]) -> tuple[dict[str, Any], dict[tuple[int, int], int]]:
    """The entries ``nodes``, ``upper``, ``lower`` and ``basis`` of graphs of one chain, and the number of each node.

    Nodes are named by (id of the Solved, node of its graph).
    """
    solved = list({id(proof): proof for proof in proofs}.values())
    numbers: dict[tuple[int, int], int] = {}
    for proof in solved:
        numbers |= {(id(proof), node): len(numbers) + i for i, node in enumerate(proof.values)}
    nodes = [_nodes(proof, {node: numbers[id(proof), node] for node in proof.values}) for proof in solved]
    parts: dict[str, Any] = {
        key: [entry for part in nodes for entry in part[key]] for key in ("nodes", "upper", "lower")
    }
    graphs = [proof.graph for proof in solved if proof.graph.basis is not None]
    parts["basis"] = next((basis_of(g.chain.states, g.basis) for g in graphs if g.basis is not None), {})
    return parts, numbers


def _nodes(solved: Solved, number: Mapping[int, int]) -> dict[str, list[Any]]:
    """The entries ``nodes``, ``upper`` and ``lower`` of a finite graph."""
    graph, names = solved.graph, solved.graph.chain.states
    strategies = [solved.strategy(direction) for direction in (0, 1)]
    ranks = [_ranks(solved, strategy) for strategy in strategies]
    upper: list[list[Any]] = []
    lower: list[list[Any]] = []
    for node, at in number.items():
        closed = graph.closed(node) or (solved.closing is not None and solved.closing.closes(node))
        edges = by_input(() if closed else graph.edges[node] or ())
        children = {asked: {edge.label: number[edge.child] for edge in group} for asked, group in edges.items()}
        for direction in (0, 1):
            value = exact_text(solved.values[node][direction])
            if graph.closed(node):
                upper.append([at, direction, value, "same"])
            elif closed and solved.closing is not None:
                flow = solved.closing.flows[node, direction]
                arcs = [[names[u], names[v], exact_text(amount)] for u, v, amount in flow.arcs]
                upper.append([at, direction, value, "flow", arcs, [[names[u], exact_text(a)] for u, a in flow.eta]])
            else:
                upper.append([at, direction, value, "step", children.get(None, children)])
            claim: list[Any] = [at, direction, exact_text(solved.values[node][2 + direction])]
            if node in strategies[direction]:
                asked = strategies[direction][node]
                claim += ["step", children[asked], ranks[direction][node], *([] if asked is None else [asked])]
            else:
                claim.append("gap")
            lower.append(claim)
    beliefs = [
        [
            [[names[state], exact_text(mass)] for state, mass in part]
            for part in (graph.nodes[node].x, graph.nodes[node].y)
        ]
        for node in number
    ]
    return {"nodes": beliefs, "upper": upper, "lower": lower}


def _ranks(solved: Solved, strategy: Mapping[int, str | None]) -> dict[int, int]:
    """Steps, as the strategy may go, to the nearest node that is bounded by its gap; such nodes have rank 0."""
    rank = dict.fromkeys(solved.settled, 0)
    parents: dict[int, list[int]] = {}
    for node, asked in strategy.items():
        for edge in solved.graph.edges[node] or ():
            if edge.asked == asked:
                parents.setdefault(edge.child, []).append(node)
    layer = list(solved.settled)
    while layer:
        following = []
        for child in layer:
            for node in parents.get(child, ()):
                if node not in rank:
                    rank[node] = rank[child] + 1
                    following.append(node)
        layer = following
    return rank
