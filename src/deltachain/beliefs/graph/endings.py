"""Certificates of where runs end, from which every measure follows (docs/certificate.md, "Endings").

A finite graph of beliefs is written down once, with how often runs pass through each node. The checker adds up what
ends where, and computes divergences, trade-offs and guesses from that by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...cancel import Cancel
from ...certificate.checked import TooLarge
from ...certificate.claims import Accepted, Claim, written
from ...certificate.inspection import Inspection, accepted_by
from ...certificate.record import Certificate, Writer, merge_of
from ...errors import Stopped
from ...numbers.fraction import ExpEpsilon
from ..question import Budget, Pair
from ..workspace import Workspace
from .belief_graph import AnyGraph
from .losses import PrivacyLosses, find_parts, losses_of
from .split import WrittenGroups
from .values import visited

MOST_OUTCOMES = 5_000
"""Of more outcomes over all pairs, no tests are claimed: the checker sorts them."""
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


@dataclass(frozen=True, eq=False)
class Endings:
    """Where the runs of every pair end: evidence of δ at every ε, of the least ε for every δ, and of divergences.

    Attributes:
        work: the chain and its pairs, whose graphs have ended.
        losses: what ends where, of each pair.
        budget: with which the graphs were found.
        cancel: may stop the writing of their certificate.
        measures: claims about divergences, each of a pair in either order.
    """

    work: Workspace
    losses: Sequence[PrivacyLosses]
    budget: Budget
    cancel: Cancel
    measures: Sequence[Claim] = ()

    @property
    def few(self) -> bool:
        """Whether the tests are claimed: those of very many outcomes would take the checker too long."""
        return not self.missing and sum(len(losses.outcomes) for losses in self.losses) <= MOST_OUTCOMES

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The best tests of each pair, and what is claimed of divergences."""
        names = self.work.chain.states
        tests = [
            Claim(measure="tradeoff", subject=(names[s], names[t]), terms={"corners": [*losses.tests]})
            for (s, t), losses in zip(self.work.pairs, self.losses, strict=True)
        ]
        return [*(tests if self.few else ()), *self.measures]

    @property
    def missing(self) -> str:
        """Why there is no certificate."""
        return "where runs end depends on what is asked" if self.work.chain.interactive else ""

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of the claims, each citing its pair's ending; `TooLarge` if it would be longer than asked for."""
        work, writer = self.work, Writer(most_bytes)
        if not self.claims:
            raise TooLarge
        if work.alike:
            writer.add("merge", merge_of(work.part, work.quotient))
        # In powers of the X of the part that the pairs reach, as endings are: other states may have a finer one.
        base, names = work.quotient.chain.base if work.alike else None, work.chain.states
        about: dict[frozenset[str], list[Claim]] = defaultdict(list)
        for claim in self.claims:
            about[frozenset(claim.subject)].append(claim)
        made: list[dict[str, object]] = []
        for pair in work.pairs:
            claims = about.pop(frozenset(names[state] for state in pair), [])  # once, whatever the order
            if not claims:
                continue
            alike = pair in work.alike
            cited = _cited(writer, work, pair, self.budget, self.cancel) if alike else _different(writer, work, pair)
            if cited is None:  # its graphs had ended when the losses were found
                raise Stopped
            made += [written(claim, base) | cited for claim in claims]
        return writer.certificate(work.chain, None, made)

    def accepted(self, inspection: Inspection | None) -> tuple[Accepted, tuple[PrivacyLosses, ...]]:
        """The claims as the checker accepts them, and the losses that they determine."""
        found = accepted_by(inspection, self)
        if not self.few:
            return found, tuple(self.losses)
        return found, tuple(losses_of(claim.terms["corners"]) for claim in found.claims[: len(self.losses)])


def _different(writer: Writer, work: Workspace, pair: Pair) -> dict[str, object]:
    """Two states that show different letters at once: an ending for each letter."""
    blocks = merge_of(work.part, work.quotient) if work.alike else []
    first = {name: block[0] for block in blocks for name in block}
    s, t = ([[first.get(name, name), 1]] for name in (work.chain.states[state] for state in pair))
    nodes = [[[s, []], 1, "same"], [[[], t], 1, "same"]]
    return {"ending": writer.add("endings", [{"start": [0, 1], "nodes": nodes}])}


def _cited(writer: Writer, work: Workspace, pair: Pair, budget: Budget, cancel: Cancel) -> dict[str, object] | None:
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
