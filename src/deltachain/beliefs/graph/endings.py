"""Certificates of where runs end, from which every measure follows (docs/certificate.md, "Graphs of beliefs").

A finite graph of beliefs is written down once, with how often runs pass through each node. The checker adds up what
ends where, and computes divergences, trade-offs and guesses from that by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...cancel import Cancel
from ...certificate.checked import TooLarge
from ...certificate.claims import Accepted, Claim, write_claim
from ...certificate.inspection import Inspection, accepted_by
from ...certificate.record import Certificate, Writer, exact_text, merge_of
from ...errors import Stopped
from ...model.chain import Pair
from ...numbers.fraction import ExpEpsilon
from ..question import Budget
from ..workspace import Workspace
from .belief_graph import AnyGraph
from .finite import Part, write_graph
from .losses import PrivacyLosses, find_parts, losses_of
from .split import WrittenSplit
from .values import count_visits

MOST_OUTCOMES = 5_000
"""Of more outcomes over all pairs, no tests are claimed: the checker sorts them."""
ANY = ExpEpsilon.exactly(Fraction(1))
"""Where runs end does not depend on ε: numbers are written as at e^ε = 1."""


def write_visits(
    writer: Writer, graph: AnyGraph, roots: Sequence[int], names: Sequence[str] | None = None
) -> int | None:
    """Write the graph of the roots and its visits; the number of the entry. None if it is too entangled to solve."""
    visits = count_visits(graph, roots, graph.is_closed)
    if visits is None:
        return None
    written = graph.field.notation(writer.base).value
    ended = {node for component in visits.ends for node in component}
    # Graphs of many pairs are one, of whose nodes each is written once.
    number = writer.once(graph, dict[int, int]) if names is None else {}
    write_graph(writer, graph, [*visits.scale], graph.is_closed, ended, names, number)
    scales = [written(scale) for scale in visits.scale.values()]
    return put_visits(writer, [number[root] for root in roots], [number[node] for node in visits.scale], scales)


def put_visits(writer: Writer, start: Sequence[int], nodes: Sequence[int], visits: Sequence[str]) -> int:
    """Write the visits of nodes; the number of the entry."""
    writer.use("measures")
    alone = nodes == [*range(nodes[0], nodes[0] + len(nodes))]
    which = {"from": nodes[0]} if alone else {"nodes": nodes}
    return writer.add("visits", [{"start": start, **which, "visits": visits}])


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
        """Proof of the claims, each citing where its pair's runs end; `TooLarge` if it would be longer than asked."""
        if not self.claims:
            raise TooLarge
        work, base = self.work, self.work.chain.base
        writer = Writer(most_bytes, base=base)
        if work.alike:
            writer.add("merge", merge_of(work.part, work.quotient))
        made: list[dict[str, object]] = []
        for pair, claims in self._by_pair():
            cited = self._cite(writer, pair) if pair in work.alike else {"visits": _different(writer, work, pair)}
            made += [write_claim(claim, base) | cited for claim in claims]
        return writer.certificate(work.chain.sha256, (), made)

    def _by_pair(self) -> Iterator[tuple[Pair, Sequence[Claim]]]:
        """The claims about each pair, in whichever order of its states; each pair once."""
        about: dict[frozenset[str], list[Claim]] = defaultdict(list)
        for claim in self.claims:
            about[frozenset(claim.subject)].append(claim)
        for s, t in self.work.pairs:
            if claims := about.pop(frozenset((self.work.chain.states[s], self.work.chain.states[t])), []):
                yield (s, t), claims

    def _parts(self, pair: Pair) -> Sequence[Part]:
        """The graphs of a pair, which have ended."""
        parts = find_parts(self.work, pair, self.budget, self.cancel)
        if parts is None:
            raise Stopped
        return parts

    def _cite(self, writer: Writer, pair: Pair) -> dict[str, object]:
        """What a claim about the pair cites, written."""
        parts = self._parts(pair)
        if parts[0].group is None:
            (part,) = parts
            return {"visits": self._visits(writer, part, None)}
        split = self.work.splitter.split(self.cancel)
        if split is None:
            raise Stopped
        added = writer.once(split, lambda: WrittenSplit(writer, split))
        cited: list[list[object] | None] = [None] * len(split.groups)
        for part in parts:
            group = part.group or 0
            cited[group] = [self._visits(writer, part, added.names[group]), exact_text(part.scale)]
        return {"split": cited}

    def _visits(self, writer: Writer, part: Part, names: Sequence[str] | None) -> int:
        """Those of a graph that had ended when the losses were found."""
        number = write_visits(writer, part.graph, [part.root], names)
        if number is None:
            raise Stopped
        return number

    def accept(self, inspection: Inspection | None) -> tuple[Accepted, tuple[PrivacyLosses, ...]]:
        """The claims as the checker accepts them, and the losses that they determine."""
        found = accepted_by(inspection, self)
        if not self.few:
            return found, tuple(self.losses)
        return found, tuple(losses_of(claim.terms["corners"]) for claim in found.claims[: len(self.losses)])


def _different(writer: Writer, work: Workspace, pair: Pair) -> int:
    """Two states that show different letters at once: runs end at once, at a node for each letter."""
    none = writer.belief([])
    x, y = (writer.belief([[name, "1"]]) for name in _first_of(work, pair))
    first = writer.add("graph", [[[x, none]], [[none, y]]])
    return put_visits(writer, [first, first + 1], [first, first + 1], ["1", "1"])


def _first_of(work: Workspace, pair: Pair) -> list[str]:
    """The states of the pair by name, after merging."""
    blocks = merge_of(work.part, work.quotient) if work.alike else []
    first = {name: block[0] for block in blocks for name in block}
    return [first.get(name, name) for name in (work.chain.states[state] for state in pair)]
