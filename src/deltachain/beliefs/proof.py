"""What a search answers: for each pair an interval and its `Proof`, which knows its claim, its event and what is open.

Certificate, witness and sampling ask the proof; nobody asks what class it is. A pair without a proof has no answer yet:
there is no default one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..certificate.checked import COMPOSED, TOO_LARGE
from ..certificate.claims import Accepted, Claim, write_claim
from ..certificate.inspection import accepted_by
from ..certificate.record import Certificate, Writer, merge_of
from ..model.chain import Pair
from ..model.words import program_outputs
from ..numbers.field import AnyField, Exact, as_text
from . import reach
from .question import Interval, Question, StopReason
from .witness import Event, Witness
from .workspace import Workspace

if TYPE_CHECKING:
    from ..certificate.inspection import Inspection
    from .signed.forest import Forest  # brings numpy, which exact answers do without


@dataclass(frozen=True, slots=True)
class OpenWay:
    """A direction whose bounds sampling may narrow: open leaves of a tree of signed beliefs."""

    forest: Forest
    way: Pair
    """(s, t): s against t, by state numbers of the quotient."""

    @property
    def upper(self) -> Fraction:
        """What is proved from above of this direction alone."""
        return self.forest.bounds(self.way)[1]


@dataclass(frozen=True, eq=False, kw_only=True)
class Proof(ABC):
    """lower ≤ δ(s, t) ≤ upper for one pair, proved.

    Attributes:
        question: what was asked; the pair is one of its pairs.
        pair: the two states, by number.
        interval: the bounds, upper at ``question.at.below`` and lower at ``question.at.above``.
        method: how it was found, for people.
        stopped: why no narrower one was sought.
        nodes: beliefs that were met from this pair on.
        note: what else a reader may want to know of the method; empty if nothing.
    """

    question: Question
    pair: Pair
    interval: Interval
    method: str
    stopped: StopReason = "finished"
    nodes: int = 0
    note: str = ""

    def claim(self, writer: Writer) -> dict[str, object]:  # most have something to cite
        """What the pair's claim cites, after writing it; nothing here: the checker sees labels and merged states."""
        return {}

    @property
    def field(self) -> AnyField | None:
        """The numbers of what it cites; None if it cites nothing."""
        return None

    @abstractmethod
    def event(self, limit: int) -> Event:
        """About ``limit`` words, or a strategy, of the event behind the lower bound, which is above 0."""

    @property
    def searched(self) -> Hashable | None:
        """What was searched for it: proofs that share this were found by one search. None if nothing was."""
        return self.pair

    def open_ways(self) -> Sequence[OpenWay]:
        """The directions that can still narrow the interval, where samples may do so; none if it is exact."""
        return ()

    def explain(self, shown: Callable[[str], str] = str) -> str | None:
        """In a sentence why δ is what it is, where that takes no table; ``shown`` makes names fit to be shown."""
        return None

    @property
    def alpha(self) -> Exact:
        """e^ε as lower bounds are proved at it: itself, or a rational just above."""
        return self.question.at.above

    @property
    def names(self) -> tuple[str, str]:
        """The states of the pair by name."""
        s, t = (self.question.chain.states[state] for state in self.pair)
        return s, t

    @property
    def claimed(self) -> tuple[str, str]:
        """The states of the pair by name, in the order in which the certificate claims it: δ is the same in both."""
        return self.names

    @property
    def found(self) -> Claim:
        """The bounds as a claim about the states in the order of the certificate."""
        known, at = self.interval, (self.question.at,)
        return Claim(
            measure="delta", subject=self.claimed, lower=known.lower, upper=known.upper, value=known.value, at=at
        )

    def witness(self, limit: int = 10) -> Witness | None:
        """The event behind the lower bound by at most ``limit`` words; None when the lower bound is 0."""
        if self.interval.lower == 0:
            return None
        state, other = self.names if self.interval.direction == 0 else self.names[::-1]
        event, alpha, chain = self.event(limit), self.alpha, self.question.chain
        words = event.most_telling(limit, alpha)
        if chain.outputs:
            words = tuple(replace(word, told=program_outputs(chain, word.word)) for word in words)
        bounded = not reach.takes("words", chain)
        advantage = self.interval.lower if self.interval.value is None else self.interval.value
        found = Witness(state, other, alpha, advantage, words, event.strategy, bounded, event.searched, event.most)
        return found.at_least_what_is_listed()


@dataclass(frozen=True, eq=False, kw_only=True)
class SharedProof(Proof):
    """The proof of another pair whose states are merged with those of this one: its bounds, its node, its event."""

    leader: Proof
    reverse: bool
    """Whether the first state is merged with the second one of the leader."""

    @classmethod
    def of(cls, leader: Proof, pair: Pair, reverse: bool) -> SharedProof:
        """The same proof about another pair."""
        found = leader.interval
        turned = replace(found, direction=1 - found.direction, ways=found.ways[::-1]) if reverse else found
        return cls(
            question=leader.question,
            pair=pair,
            interval=turned,
            method=leader.method,
            stopped=leader.stopped,
            note=leader.note,
            leader=leader,
            reverse=reverse,
        )

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites what the leader cites, which is about the merged states."""
        return self.leader.claim(writer)

    @property
    def field(self) -> AnyField | None:
        """As of the leader."""
        return self.leader.field

    @property
    def claimed(self) -> tuple[str, str]:
        """In the order of the leader's states."""
        return self.names[::-1] if self.reverse else self.names

    def event(self, limit: int) -> Event:
        """The leader's: merged states have the same words."""
        return self.leader.event(limit)

    def open_ways(self) -> Sequence[OpenWay]:
        """The leader's."""
        return self.leader.open_ways()

    def explain(self, shown: Callable[[str], str] = str) -> str | None:
        """Nothing: what the leader says names its own states."""
        return None

    @property
    def alpha(self) -> Exact:
        """As of the leader."""
        return self.leader.alpha


@dataclass(frozen=True, eq=False)
class Answer:
    """Proofs for all pairs of a question, in its order, and the workspace that they were found in."""

    question: Question
    work: Workspace
    proofs: tuple[Proof, ...]
    searches: int = 0
    """How many searches there were: pairs that lead to the same belief pairs, up to scale, or to merged states, are
    one."""
    _made: list[Certificate] = field(default_factory=list, init=False, repr=False)
    """The certificate, once it was made."""

    @property
    def lower(self) -> Fraction:
        """The worst pair's δ is at least this."""
        return max(proof.interval.lower for proof in self.proofs)

    @property
    def upper(self) -> Fraction:
        """Every pair's δ is at most this."""
        return max(proof.interval.upper for proof in self.proofs)

    @property
    def worst(self) -> Proof:
        """The pair with the largest lower bound; where none differs, with the largest upper bound."""
        return max(self.proofs, key=lambda proof: (proof.interval.lower, proof.interval.upper))

    @property
    def cut_off(self) -> bool:
        """Whether time or Ctrl-C ended the search of some pair."""
        return any(proof.stopped in ("time", "interrupted") for proof in self.proofs)

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of every pair's interval, about the chain as given; `TooLarge` if it would be longer than asked for."""
        if not self._made:
            self._made.append(self._certificate(most_bytes))
        return self._made[0]

    def _certificate(self, most_bytes: int | None) -> Certificate:
        chain, at = self.question.chain, self.question.at
        field = next((proof.field for proof in self.proofs if proof.field is not None), None)
        base = chain.base_of_functions
        if base is not None and field is not None:
            base = math.lcm(base, field.base(at) or 1)  # of the e^(1/k) of the rows, and of e^ε
        alphas = (at.below, at.above) if field is None else map(field.exactly, field.alphas(at))
        writer = Writer(most_bytes, alone=len(self.proofs) == 1, base=base)
        if chain.kind != "exact" or not chain.whole:
            writer.use("limits")
        if self.work.alike:
            writer.add("merge", merge_of(self.work.part, self.work.quotient))
        claims = (write_claim(proof.found, base) | proof.claim(writer) for proof in self.proofs)
        return writer.certificate(chain.sha256, [as_text(alpha, base or 1) for alpha in alphas], claims)

    @property
    def claims(self) -> Sequence[Claim]:
        """The bounds of every pair, in the order of the question."""
        return [proof.found for proof in self.proofs]

    @property
    def missing(self) -> str:
        """Why there is no certificate."""
        return COMPOSED if self.question.together else ""

    def accept(self, inspection: Inspection | None) -> Accepted:
        """The bounds of every pair as the checker accepts them; of one that refutes, where all are too much for it."""
        whole = accepted_by(inspection, self)
        allowed, worst = self.question.allowed, self.worst
        small = len(self.proofs) == 1 or allowed is None or worst.interval.lower <= allowed
        if inspection is None or whole.checked != TOO_LARGE or small:
            return whole
        # One pair is enough to refute a δ for all of them.
        alone = Answer(replace(self.question, pairs=(worst.pair,)), self.work, (worst,))
        one = inspection.again().accept(alone)
        if not one.checked.accepted:
            return whole
        claims = [one.claims[0] if proof is worst else proof.found for proof in self.proofs]
        return Accepted(claims, replace(TOO_LARGE, pair=worst.names))
