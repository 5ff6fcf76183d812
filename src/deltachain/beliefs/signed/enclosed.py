"""Rows that enclose known numbers, such as e^(−1/10): beliefs level by level in long integers.

There is one mechanism, and its rows are known to as many digits as one likes; 64 bits would be the only reason for a
wide interval. So chains that end are walked level by level (`levels`) in integers of `WIDE_BITS` bits, from both roots
of each direction (docs/theory/boxes.md). What is left open is what rows leave to states outside the model, the tails of
unbounded noise, and rounding in the last digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ...cancel import Cancel
from ...certificate.record import Writer
from ...model import Chain
from ...model.chain import Pair
from ...model.rows import AnyRow, once_per_row
from ...numbers.precision import WIDE_BITS
from ..proof import Proof
from ..question import Interval, Question
from ..witness import Event
from ..workspace import Workspace
from .levels import Walked, Wide, walk
from .search import words_from
from .tables import integer_row
from .wide import WideRow, WideRows

EXPANSIONS = 2_000_000
"""Beliefs that are expanded, at most."""


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> Mapping[Pair, Proof]:
    """Proofs for the pairs whose beliefs all end, where that is known beforehand; none, if one does not end in time.

    A certificate has one unit for all of its recipes, and that of trees is another.
    """
    if not work.acyclic:
        return {}
    walks = _Walks(work.quotient.chain, question, cancel)
    found: dict[Pair, Proof] = {}
    for pair in pairs:
        start = work.merge(pair)
        ways = [start, start[::-1]]
        if not all(walked.finished for way in ways for walked in walks.of(way)):
            return {}
        found[pair] = EnclosedProof.of(question, pair, start, walks)
    return found


class _Walks:
    """The walks from both roots of each direction, each done once."""

    def __init__(self, chain: Chain, question: Question, cancel: Cancel) -> None:
        self.chain, self.at, self.cancel = chain, question.at, cancel
        self.budget = question.budget.at_most(EXPANSIONS)
        rank = {label: number for number, label in enumerate(chain.alphabet)}

        @once_per_row
        def wide_row(row: AnyRow) -> WideRow:
            whole = integer_row(row, WIDE_BITS)
            both = zip(row.box, whole.entries, strict=True)
            arcs = [(rank[chain.labels[j]], j, low, high) for (j, _, _), (low, high) in both]
            return WideRow(whole.denominator, arcs, whole.rest)

        self.rows = WideRows([wide_row(row) for (row,) in chain.given], boxed=True)
        self.known: dict[Pair, tuple[Walked, Walked]] = {}

    def of(self, way: Pair) -> tuple[Walked, Walked]:
        """The walks of the direction s against t, from m ≤ w and from u ≤ −w."""
        if way not in self.known:
            (s, t), unit = way, 1 << WIDE_BITS
            # m ≤ w and u ≤ −w: each is rounded down, from the end of e^ε that makes it smaller.
            roots = (
                [(s, unit), (t, math.floor(-self.at.above * unit))],
                [(s, -unit), (t, math.floor(self.at.below * unit))],
            )
            first, second = (walk(Wide(self.rows), root, self.budget, True, self.cancel) for root in roots)
            self.known[way] = first, second
        return self.known[way]

    def bounds(self, way: Pair) -> tuple[Fraction, Fraction]:
        """Lower ≤ V(e_s − αe_t) ≤ upper."""
        (first, second), unit = self.of(way), 1 << WIDE_BITS
        lower = max(Fraction(first.below, unit), 1 - self.at.above + Fraction(second.below, unit))
        upper = min(1 - self.at.below + Fraction(first.above, unit), Fraction(second.above, unit))
        return lower, upper


@dataclass(frozen=True, eq=False, kw_only=True)
class EnclosedProof(Proof):
    """The bounds that walks in long integers prove for both directions."""

    walks: _Walks
    start: Pair
    """The pair as states of the quotient."""

    @classmethod
    def of(cls, question: Question, pair: Pair, start: Pair, walks: _Walks) -> EnclosedProof:
        """The proof of a pair whose walks have ended."""
        interval = Interval.of_directions(walks.bounds(start), walks.bounds(start[::-1]))
        return cls(
            question=question,
            pair=pair,
            interval=interval,
            method="signed beliefs in long integers",
            stopped="finished",
            nodes=sum(walked.expanded for way in (start, start[::-1]) for walked in walks.of(way)),
            walks=walks,
            start=start,
        )

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the walks of both directions."""
        writer.put_units(WIDE_BITS, WIDE_BITS)
        writer.use("recipes")
        places = [
            writer.once(walked, partial(writer.add, "recipes", [entry]))  # pairs may share a direction
            for walked, entry in self._recipes()
        ]
        return {"recipes": places}

    def _recipes(self) -> Iterator[tuple[Walked, list[object]]]:
        """The walks of both directions, from both roots, and what a certificate says of them."""
        names = self.walks.chain.states
        for s, t in (self.start, self.start[::-1]):
            for sign, walked in zip(("", "-"), self.walks.of((s, t)), strict=True):
                kind, *fields = walked.recipe()
                yield walked, [names[s], names[t], f"{sign}{kind}", *fields]

    def event(self, limit: int) -> Event:
        """Words of a small tree in machine integers."""
        direction = self.start if self.interval.direction == 0 else self.start[::-1]
        return Event(words_from(self.walks.chain, direction, self.question.at, limit))
