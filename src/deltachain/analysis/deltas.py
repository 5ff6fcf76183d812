"""`delta` and `check`: the certified interval for δ, and the verdict on an allowed δ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ..chain import Chain
from ..rational import ExpEpsilon, Number, as_probability
from ..watch import Report, Watch
from .parameters import State, prepared, search_for, watching

if TYPE_CHECKING:
    from ..beliefs.intervals import Answer, PairAnswer, StopReason
    from ..beliefs.intervals import Interval
    from ..beliefs.witness import Witness
    from ..certificate.record import Certificate

__all__ = ["Delta", "PairDelta", "Verdict", "check", "delta"]


@dataclass(frozen=True, slots=True)
class PairDelta:
    """The certified interval of one pair: lower ≤ δ ≤ upper."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    method: str
    stopped: StopReason

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Delta:
    """Certified intervals for the smallest δ, pair by pair; ``lower`` and ``upper`` are those of the worst pair.

    Upper bounds hold at ``exp_epsilon.below`` ≤ e^ε and lower bounds at ``exp_epsilon.above`` ≥ e^ε, hence at e^ε.
    """

    exp_epsilon: ExpEpsilon
    answer: Answer

    @cached_property
    def results(self) -> tuple[PairDelta, ...]:
        """Every pair, in the order asked."""
        return tuple(
            PairDelta(self._names(p), p.interval.lower, p.interval.upper, p.method, p.stopped)
            for p in self.answer.pairs
        )

    def _names(self, found: PairAnswer) -> tuple[str, str]:
        s, t = found.pair
        return self.answer.chain.states[s], self.answer.chain.states[t]

    @property
    def lower(self) -> Fraction:
        """A lower bound for the worst pair's δ, with a witness."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Fraction:
        """An upper bound for every pair's δ."""
        return max(result.upper for result in self.results)

    @property
    def exact(self) -> bool:
        """Whether δ over all pairs is known exactly."""
        return self.lower == self.upper

    @property
    def nodes(self) -> int:
        """The number of belief pairs that were looked at."""
        return self.answer.nodes

    @property
    def interrupted(self) -> bool:
        """Whether time ran out, or Ctrl-C was pressed, before the search was over."""
        return any(result.stopped in ("time", "interrupted") for result in self.results)

    @cached_property
    def witness(self) -> Witness | None:
        """The event that gives the worst pair away, by its most telling words; None if no difference was found."""
        from ..beliefs.witness import find_witness

        worst = max(self.answer.pairs, key=lambda p: p.interval.lower)
        return find_witness(self.answer, worst)

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of both sides for every pair; see docs/certificate.md."""
        from ..certificate.deltas import delta_certificate

        return delta_certificate(self.answer)


@dataclass(frozen=True)
class Verdict(Delta):
    """A `Delta` measured against a δ that is allowed."""

    allowed: Fraction

    def verdict_of(self, result: PairDelta) -> Literal["private", "violated", "undecided"]:
        """The verdict on one pair."""
        if result.upper <= self.allowed:
            return "private"
        return "violated" if result.lower > self.allowed else "undecided"

    @property
    def verdict(self) -> Literal["private", "violated", "undecided"]:
        """``"private"``: proved for all pairs; ``"violated"``: refuted for one, see `witness`; else ``"undecided"``."""
        verdicts = {self.verdict_of(result) for result in self.results}
        return "violated" if "violated" in verdicts else "undecided" if "undecided" in verdicts else "private"


def delta(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    watch: Watch | None = None,
) -> Delta:
    """A certified interval for the smallest δ such that the pairs are (ε, δ)-private.

    Stops when the interval is exact, or narrower than ``gap`` (default: as narrow as a finite search gets, 1e-6 on
    chains with cycles), or after ``max_nodes`` belief pairs or ``timeout`` seconds; it is certified whenever it stops.
    Ctrl-C raises KeyboardInterrupt or, if ``interruptible``, ends the search with the interval reached.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> r = delta(chain, "s0", "s1", exp_epsilon="1.0002")
    >>> r.lower, r.upper, r.exact
    (Fraction(7501, 25000000), Fraction(7501, 25000000), True)
    """
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    with watching(watch, timeout, report, interruptible) as watch:
        search = search_for(gap, max_nodes, watch)
        return Delta(at, prepared(chain, s, t, pairs).bound(at, search))


def check(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    watch: Watch | None = None,
) -> Verdict:
    """Is every pair (ε, δ)-private? Three-valued, and certified; stops as soon as the verdict is known.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> check(chain, exp_epsilon="1.0002", delta="3e-4").verdict
    'violated'
    """
    allowed = as_probability(delta, "delta")
    at = ExpEpsilon.read(epsilon, exp_epsilon)

    def enough(intervals: Sequence[Interval]) -> bool:
        return max(i.upper for i in intervals) <= allowed or max(i.lower for i in intervals) > allowed

    with watching(watch, timeout, report, interruptible) as watch:
        search = search_for(gap, max_nodes, watch, enough)
        return Verdict(at, prepared(chain, s, t, pairs).bound(at, search), allowed)
