"""The certificate of a pre-fixed point that a solver's model became: D claims by its flows, an upper bound on bd."""

from __future__ import annotations

from typing import Any

from ..rational import format_fraction
from ..smt.prefixed import PrefixedPoint
from ..smt.reduction import unordered
from .record import Certificate, document_of

__all__ = ["threshold_certificate"]


def threshold_certificate(point: PrefixedPoint, s: int, t: int) -> Certificate:
    """Proof of bd(s, t) ≤ d(s, t), with only the claims that it rests on. Pairs of value 1 need none (R0)."""
    names = point.chain.states
    stack, seen = [(s, t)], set()
    entries: list[list[Any]] = []
    same = point.chain.labels[s] == point.chain.labels[t]
    while stack and same:
        i, j = stack.pop()
        value = point.distance[unordered(i, j)]
        if i == j or (i, j) in seen or value == 1:
            continue
        seen.add((i, j))
        flow = point.flows[i, j]
        stack += [(j, i), *flow.arcs]
        arcs = [[names[u], names[v], format_fraction(amount)] for (u, v), amount in sorted(flow.arcs.items())]
        eta = [[names[u], format_fraction(amount)] for u, amount in sorted(flow.eta.items())]
        entries.append([names[i], names[j], format_fraction(value), arcs, eta])
    upper = point.distance[unordered(s, t)] if same else 1
    claim = {"claim": "distance", "pair": [names[s], names[t]], "upper": format_fraction(upper)}
    entries.sort(key=lambda entry: (entry[0], entry[1]))
    return Certificate(document_of(point.chain, point.alpha, point.alpha, [claim], kind="bd", distances=entries))
