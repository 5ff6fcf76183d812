"""The certificate of δ intervals: upper and lower claims on the belief nodes that the asked pairs rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flint import fmpq

from ..beliefs.intervals import Answer
from ..beliefs.unroll import Solved, Unrolling
from .record import Certificate, document_of, exact_text, merge_of

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance

__all__ = ["delta_certificate"]


def delta_certificate(answer: Answer) -> Certificate:
    """Proof of every pair's interval, about the chain as given."""
    chain = answer.chain
    parts: dict[str, Any] = {}
    number: dict[int, int] = {}
    if answer.search is not None:
        number = {node: i for i, node in enumerate(answer.search.solved.values)}
        parts = {"merge": merge_of(answer.search.part, answer.search.quotient)}
        parts |= _Writer(answer.search.unrolling, answer.search.solved, number).parts()
    claims = [
        {"claim": "delta", "pair": [chain.states[i] for i in found.pair]}
        | ({} if found.root is None else {"node": number[found.root]})
        | {"lower": exact_text(found.interval.lower), "upper": exact_text(found.interval.upper)}
        for found in answer.pairs
    ]
    return Certificate(document_of(chain, answer.exp_epsilon.below, answer.exp_epsilon.above, claims, **parts))


class _Writer:
    """Turns the values of a solved unrolling into claims; nodes are renumbered."""

    def __init__(self, unrolling: Unrolling, solved: Solved, number: Mapping[int, int]) -> None:
        self.unrolling, self.solved, self.number = unrolling, solved, number
        self.graph = unrolling.graph
        self.names = unrolling.graph.chain.states
        self.cited: set[int] = set()

    def parts(self) -> dict[str, Any]:
        """The entries ``kind``, ``basis``, ``distances``, ``nodes``, ``upper`` and ``lower`` of the document."""
        upper = [self._upper(node, way) for node in self.number for way in (0, 1)]
        rank = self._ranks()
        lower = [self._lower(node, way, rank) for node in self.number for way in (0, 1)]
        frontier = self.unrolling.frontier
        distance = None if frontier is None else frontier.distance
        return {
            "kind": "ld",
            "basis": self._basis(),
            "distances": [] if distance is None else self._distances(distance),
            "nodes": [[self._belief(part) for part in self.graph.nodes[node].beliefs(0)] for node in self.number],
            "upper": upper,
            "lower": lower,
        }

    def _distances(self, distance: Distance) -> list[list[Any]]:
        from .distances import flow_claims  # with it come the solvers, which a closed graph does without

        return flow_claims(distance, self.cited)

    def _belief(self, masses: Sequence[tuple[int, int]]) -> list[list[Any]]:
        return [[self.names[state], exact_text(mass)] for state, mass in masses]

    def _children(self, node: int) -> dict[str, int]:
        return {edge.label: self.number[edge.child] for edge in self.graph.edges[node] or ()}

    def _upper(self, node: int, way: int) -> list[Any]:
        head = [self.number[node], way, exact_text(self.solved.values[node][way])]
        if self.graph.closed(node):
            return [*head, "same"]
        if node not in self.solved.own:
            return [*head, "step", self._children(node)]
        bound = self.unrolling.bound(node, way)
        arcs = [[self.names[u], self.names[v], exact_text(amount)] for u, v, amount in bound.arcs]
        self._cite(bound.arcs)
        return [*head, "flow", arcs, [[self.names[u], exact_text(amount)] for u, amount in bound.eta]]

    def _cite(self, arcs: Sequence[tuple[int, int, fmpq]]) -> None:
        frontier = self.unrolling.frontier
        if frontier is None or frontier.distance is None:
            return
        space = frontier.distance.proof.space
        for u, v, _ in arcs:
            pair = space.pair_of_states(u, v)
            if pair is not None:
                self.cited.add(pair)

    def _lower(self, node: int, way: int, rank: Mapping[int, int]) -> list[Any]:
        head = [self.number[node], way, exact_text(self.solved.values[node][2 + way])]
        if rank[node] == 0:
            return [*head, "gap"]
        return [*head, "step", self._children(node), rank[node]]

    def _ranks(self) -> dict[int, int]:
        """Steps to the nearest node that is bounded by its gap; such nodes have rank 0."""
        settled = self.solved.own | self.solved.bottom
        rank = dict.fromkeys(settled, 0)
        parents: dict[int, list[int]] = {}
        for node in self.number:
            if node not in settled:
                for edge in self.graph.edges[node] or ():
                    parents.setdefault(edge.child, []).append(node)
        layer = list(settled)
        while layer:
            following = []
            for child in layer:
                for node in parents.get(child, ()):
                    if node not in rank:
                        rank[node] = rank[child] + 1
                        following.append(node)
            layer = following
        return rank

    def _basis(self) -> dict[str, Any]:
        basis = self.graph.basis
        if basis is None:
            return {}
        return {
            "vectors": [
                [[self.names[i], exact_text(value)] for i, value in enumerate(column) if value]
                for column in basis.columns
            ],
            "one": [exact_text(value) for value in basis.one],
            "step": {a: [[exact_text(v) for v in row] for row in rows] for a, rows in basis.step.items()},
        }
