"""Certificates of where runs end, from which every measure follows (docs/certificate.md, "Endings").

A finite graph of beliefs is written down once, with how often runs pass through each node. The checker adds up what
ends where, and computes divergences, trade-offs and guesses from that by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ...cancel import Cancel
from ...certificate.record import Certificate, Writer, merge_of
from ...numbers.fraction import ExpEpsilon
from ..question import Budget, Pair
from ..workspace import Workspace
from .belief_graph import AnyGraph
from .losses import find_parts
from .split import WrittenGroups
from .values import visited

Claim = dict[str, object]
ANY = ExpEpsilon.exactly(Fraction(1))
"""Where runs end does not depend on ε: numbers are written as at e^ε = 1."""


def write_ending(writer: Writer, graph: AnyGraph, roots: Sequence[int]) -> int | None:
    """Write the graph of the roots and its visits; the number of the entry. None if it is too entangled to solve."""
    visits = visited(graph, roots, graph.closed)
    if visits is None:
        return None
    notation, names = graph.field.notation(ANY), graph.chain.states
    if "base" in notation.header:
        writer.put("base", notation.header["base"])
    place = {node: n for n, node in enumerate(visits.scale)}
    ended = {node for component in visits.ends for node in component}

    def written(node: int) -> list[object]:
        beliefs = [[[names[i], notation.mass(mass)] for i, mass in part] for part in graph.nodes[node].parts]
        entry: list[object] = [beliefs, notation.value(visits.scale[node])]
        if graph.closed(node):
            return [*entry, "same"]
        children = {edge.label: place[edge.child] for edge in graph.edges[node] or ()}
        return [*entry, "class" if node in ended else "step", children]

    if graph.basis is not None:
        writer.put("basis", graph.basis.written(names))
    entry = {"start": [place[root] for root in roots], "nodes": [written(node) for node in place]}
    return writer.add("endings", [entry])


def measures_certificate(
    work: Workspace, claims: Mapping[Pair, Iterable[Claim]], budget: Budget, cancel: Cancel, most_bytes: int | None
) -> Certificate | None:
    """Proof of claims about pairs whose graphs end, each citing its pair's ending; None if one was not found.

    Raises:
        TooLarge: it would be longer than ``most_bytes``.
    """
    writer = Writer(most_bytes)
    if work.alike:
        writer.add("merge", merge_of(work.part, work.quotient))
    made: list[Claim] = []
    for pair, about in claims.items():
        cited = _different(writer, work, pair) if pair not in work.alike else _cited(writer, work, pair, budget, cancel)
        if cited is None:
            return None
        made += [claim | cited for claim in about]
    return writer.certificate(work.chain, None, made)


def _different(writer: Writer, work: Workspace, pair: Pair) -> Claim:
    """Two states that show different letters at once: an ending for each letter."""
    blocks = merge_of(work.part, work.quotient) if work.alike else []
    first = {name: block[0] for block in blocks for name in block}
    s, t = ([[first.get(name, name), 1]] for name in (work.chain.states[state] for state in pair))
    nodes = [[[s, []], 1, "same"], [[[], t], 1, "same"]]
    return {"ending": writer.add("endings", [{"start": [0, 1], "nodes": nodes}])}


def _cited(writer: Writer, work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> Claim | None:
    """What a claim about the pair cites, written."""
    parts = find_parts(work, pair, budget, cancel)
    if parts is None:
        return None
    if all(part.group is None for part in parts):
        (part,) = parts
        number = write_ending(writer, part.graph, [part.root])
        return None if number is None else {"ending": number}
    split = work.splitter.split(cancel)
    if split is None:
        return None
    groups = writer.once(split, lambda: WrittenGroups(writer, split))
    numbers = {part.group or 0: write_ending(groups.of(part), part.graph, [part.root]) for part in parts}
    if None in numbers.values():
        return None
    return {"split": {str(group): numbers[group] for group in sorted(numbers)}}
