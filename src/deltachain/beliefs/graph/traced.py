"""Belief graphs that end up to trace equivalence: beliefs that no word can tell apart are one node (rule R5, basis)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ...cancel import Cancel
from ...model.chain import Pair
from ..proof import Proof
from ..question import Question
from ..workspace import Workspace
from .finite import FINITE_NODES, FIRST_BITS, FIRST_ENTRIES, Part, attempt_graphs, explore

TRACED_NODES = 500
"""How far a graph up to trace equivalence is explored: each node costs a product with the basis."""


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> dict[Pair, Proof]:
    """The pairs whose beliefs end, up to scale and what no word can tell: exact, for small chains."""
    return attempt_graphs("beliefs up to trace equivalence", explore_to_end, question, work, pairs, cancel)


def explore_to_end(work: Workspace, pair: Pair, max_nodes: int | None, cancel: Cancel) -> Sequence[Part] | None:
    """The explored graph of a pair, which serves every ε; None if it did not end within the budget."""
    graph = None if cancel.is_stopped() else work.traced
    if graph is None:
        return None
    limit = FINITE_NODES if max_nodes is None else max_nodes
    root = graph.root(*work.merge(pair))
    nodes, entries = min(TRACED_NODES, limit), math.inf if work.acyclic else FIRST_ENTRIES
    whole = [Part(graph, root, Fraction(1))]

    def find() -> list[Part] | None:
        return whole if explore(graph, root, nodes, FIRST_BITS, cancel, max_entries=entries) else None

    return work.find_ended("traced", pair, limit, find, cancel)
