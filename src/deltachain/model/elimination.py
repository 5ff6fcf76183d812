"""Sparse linear systems x = Ax + b over exact numbers, solved by eliminating nodes of least degree.

Node i stands for the equation x_i = Σ_j A_ij x_j + b_i, where b_i is a vector that is given by its non-zero entries.
A node is eliminated by solving its equation for x_i, its own loop summed (1/(1 − A_ii)), and putting that into every
equation that has x_i. In a Markov chain this is the removal of a state: whoever went there goes on to where it leads.
Nodes that touch few others go first, so chains, trees and random walks on a line cost linear time.

Numbers are those of any field, all of one; nothing else is done with them than +, ·, 1 − and 1/.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

from ..cancel import Cancel, spend

if TYPE_CHECKING:
    from ..numbers.field import Ordered

Entry = TypeVar("Entry", bound=Hashable)
Exact = TypeVar("Exact", bound="Ordered")

NODES_PER_REPORT = 100


def solve(
    inner: dict[int, dict[int, Exact]],
    outer: dict[int, dict[Entry, Exact]],
    wanted: Iterable[int] | None = None,
    *,
    most_work: int | None = None,
    most_neighbours: int | None = None,
    cancel: Cancel | None = None,
) -> dict[int, dict[Entry, Exact]] | None:
    """The x of the ``wanted`` nodes, all of them if None; changes its arguments.

    ``inner`` is A and ``outer`` is b. A wanted node that is named must not occur in any equation: it is solved by
    the elimination of the others. Every set of the other nodes must leak, that is, no loop may sum to one. None when
    a node to be eliminated touches more than ``most_neighbours`` in and out, as a geometric mean, or when more than
    ``most_work`` entries would be touched; raises Stopped when it is cancelled.
    """
    kept = frozenset(() if wanted is None else wanted)
    before: dict[int, set[int]] = {node: set() for node in inner}
    for node, row in inner.items():
        for target in row:
            before[target].add(node)
    work = 0
    order: list[int] = []
    queue = [(len(before[node]) * len(inner[node]), node) for node in inner if node not in kept]
    heapq.heapify(queue)
    while queue:
        cost, node = heapq.heappop(queue)
        now = len(before[node]) * len(inner[node])
        if now > cost:  # its neighbours have grown since: look again later
            heapq.heappush(queue, (now, node))
            continue
        if cancel is not None:
            cancel.check()
        # Both passes: the node is put into the rows before it, and later read off from the rows after it.
        touched = (len(before[node]) + len(inner[node])) * (len(inner[node]) + len(outer[node]))
        spend(100 + 200 * touched)
        work += touched
        if most_work is not None and work > most_work:
            return None
        if most_neighbours is not None and now > most_neighbours**2:
            return None
        _eliminate(node, inner, outer, before)
        order.append(node)
        if cancel is not None and not len(order) % NODES_PER_REPORT:
            cancel.report(f"summing hidden steps: {len(order)} of {len(inner) - len(kept)} states")
    if wanted is not None:
        return {node: outer[node] for node in kept}
    # The row of an eliminated node has only nodes that were eliminated after it: the last is known first.
    for node in reversed(order):
        if cancel is not None:
            cancel.check()
        for target, weight in inner[node].items():
            _add(outer[node], outer[target], weight)
    return outer


def _eliminate(
    node: int, inner: dict[int, dict[int, Exact]], outer: dict[int, dict[Entry, Exact]], before: dict[int, set[int]]
) -> None:
    """Put the node's row, its loop summed, in place of the node wherever it occurs."""
    loop = inner[node].pop(node, None)
    before[node].discard(node)
    if loop is not None:
        scale = 1 / (1 - loop)
        inner[node] = {target: weight * scale for target, weight in inner[node].items()}
        outer[node] = {entry: value * scale for entry, value in outer[node].items()}
    # Its row stays, for the way back; but it is before no other node any more.
    for target in inner[node]:
        before[target].discard(node)
    for earlier in before[node]:
        weight = inner[earlier].pop(node)
        _add(inner[earlier], inner[node], weight)
        _add(outer[earlier], outer[node], weight)
        for target in inner[node]:
            before[target].add(earlier)


def _add(row: dict[Entry, Exact], other: dict[Entry, Exact], weight: Exact) -> None:
    for key, value in other.items():
        found = row.get(key)
        row[key] = weight * value if found is None else found + weight * value
