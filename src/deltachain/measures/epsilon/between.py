"""The least ε of a mechanism between two labellings of one chain (`sandwiched`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from ...beliefs.graph.finite import Part
from ...beliefs.graph.losses import find_parts
from ...beliefs.question import Budget, Question
from ...beliefs.workspace import Workspace
from ...cancel import Cancel
from ...certificate.claims import Claim, Evidence, write_claim
from ...certificate.inspection import Inspection, accepted_by
from ...certificate.record import Certificate, Writer
from ...model import Chain
from ...numbers.exponential import exp_of
from ...numbers.field import Exact
from ..sandwiched import Ask, Sides, narrow
from .show import EpsilonBound


def epsilon_between(
    question: Question, cancel: Cancel, inspection: Inspection | None, ask: Ask[EpsilonBound], width: Fraction
) -> EpsilonBound:
    """`epsilon` of a mechanism, where ``ask`` is the same about one chain.

    For δ = 0 the largest ratio of the fine chain is that of the mechanism where a word attains it whose letters keep
    ratios; in all other cases bounds from below are those of the coarse chain. Each end is checked by itself: it is
    about an e^ε of its own, but where both are known from where runs end.
    """

    def answer(sides: Sides, checks: Inspection | None) -> EpsilonBound:
        sandwich, above = sides.sandwich, ask(sides.fine, checks)
        if above.pure and not above.impossible and above.repeat == 1 and not above.compose:
            if sandwich.keeps_ratios:
                return above
            word = find_word(sides.fine.work, sandwich.inner, cancel) if above.exact else None
            if word is not None and word.ratio == _least(above):
                return _attain(above, word, checks)
        below = ask(sides.coarse, None if checks is None else checks.about(sandwich.coarse))
        return _ends(above, below, sides)

    def is_settled(found: EpsilonBound) -> bool:
        proved = found.exp_epsilon_proved
        return found.exact or found.impossible or (proved is not None and proved <= found.refuted * (1 + width))

    return narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, is_settled)


def _least(found: EpsilonBound) -> Exact | None:
    """The least e^ε itself, where it is known."""
    if found.value is not None or found.least is None:
        return found.value if found.value is not None else found.exp_epsilon_proved
    return exp_of(found.least) if found.least else Fraction(1)


def _ends(above: EpsilonBound, below: EpsilonBound, sides: Sides) -> EpsilonBound:
    """The ε proved of the fine chain, the ε refuted of the coarse one."""
    exact = above.exact and below.exact and _least(above) == _least(below)
    views = sides.views(above._proof, below._proof)
    proof: Evidence | None = above._proof if views is None or views.missing else views
    refuted = {
        "refuted": below.refuted,
        "checked_refuted": below.checked_refuted,
        "least_delta": below.least_delta,
        "reason": below.reason,
    }
    found = replace(above, **refuted, exact=exact, _proof=proof)  # type: ignore[arg-type]  # fields of its own
    return found if exact else replace(found, least=None, value=None)


@dataclass(frozen=True, eq=False)
class RatioOf:
    """A word of the fine chain whose letters keep ratios, as evidence of the mechanism's largest ratio from below.

    Attributes:
        chain: the fine chain.
        first: the state that shows it more often.
        other: the other one.
        word: its letters, that of the state itself first.
        ratio: of the probabilities, exactly.
    """

    chain: Chain
    first: str
    other: str
    word: tuple[str, ...]
    ratio: Exact

    missing = ""

    @property
    def claims(self) -> Sequence[Claim]:
        """The ratio, from below."""
        return [Claim(measure="ratio", subject=(self.first, self.other), lower=self.ratio)]

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """The word."""
        base = self.chain.base
        entry = write_claim(self.claims[0], base) | {"first": self.first, "words": list(self.word)}
        return Writer(most_bytes, base=base).certificate(self.chain.sha256, (), [entry])


def _attain(above: EpsilonBound, word: RatioOf, inspection: Inspection | None) -> EpsilonBound:
    """The least ε of the fine chain, which is that of the mechanism, since the word attains it."""
    said = accepted_by(inspection, word).checked
    return replace(above, checked_refuted=above.checked_refuted + said)


def find_word(work: Workspace, inner: Set[str], cancel: Cancel) -> RatioOf | None:
    """The word with the largest finite ratio of some pair, without ``inner`` letters; None if words do not end."""
    found: RatioOf | None = None
    names = work.chain.states
    for pair in work.alike:
        parts = find_parts(work, pair, Budget(), cancel)
        if parts is None or len(parts) > 1:
            return None
        (part,) = parts
        for word, (x, y) in _words(part, work.chain.labels[pair[0]], inner):
            if not x or not y:
                continue
            ratio = part.graph.field.exactly(part.graph.field.quotient(x, y))
            for (first, other), value in ((pair, ratio), (pair[::-1], 1 / ratio)):
                if found is None or value > found.ratio:
                    found = RatioOf(work.chain, names[first], names[other], word, value)
    return found


def _words(part: Part, letter: str, inner: Set[str]) -> Iterator[tuple[tuple[str, ...], tuple[Any, Any]]]:
    """A word to each closed node of a graph that comes without inner letters, and the masses there."""
    graph, seen = part.graph, {part.root}
    waiting: list[tuple[int, tuple[str, ...]]] = [(part.root, (letter,))]
    while waiting:
        node, word = waiting.pop()
        if graph.is_closed(node):
            yield word, (graph.nodes[node].mass_x, graph.nodes[node].mass_y)
            continue
        for edge in graph.edges[node] or ():
            if edge.child not in seen and edge.label not in inner:
                seen.add(edge.child)
                waiting.append((edge.child, (*word, edge.label)))
