"""`delta` and `check`: the certified interval for δ, and the verdict on an allowed δ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ..cancel import Cancel, Report
from ..errors import InputError
from ..model import Chain
from ..rational import ExpEpsilon, Number, as_fraction, as_probability
from ..render.html import html_table
from ..render.intervals import interval
from ..render.numbers import json_number
from ..render.results import asked_at, named, pair_interval, plan_body, value_of, witness_body
from .parameters import State, asked_pairs, watching
from .values import ProvedValue

if TYPE_CHECKING:
    from ..beliefs.plans import FixedPlan
    from ..beliefs.proof import Answer
    from ..beliefs.question import Question, StopReason
    from ..beliefs.witness import Witness
    from ..beliefs.workspace import Workspace
    from ..certificate.record import Certificate

MOST_QUESTIONS = 1000
"""Of a plan."""

VerdictName = Literal["private", "violated", "undecided"]


@dataclass(frozen=True, slots=True)
class PairDelta:
    """The certified interval of one pair: lower ≤ δ ≤ upper."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    method: str
    stopped: StopReason
    """Why the search ended: ``"exact"``, ``"gap"`` (narrow enough), ``"nodes"``, ``"time"`` or ``"interrupted"``."""
    nodes: int
    """The number of beliefs that were looked at."""

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.lower == self.upper


@dataclass(frozen=True, repr=False)
class Delta(ProvedValue):
    """Certified intervals for the smallest δ, pair by pair; ``lower`` and ``upper`` are those of the worst pair.

    Upper bounds hold at ``exp_epsilon.below`` ≤ e^ε and lower bounds at ``exp_epsilon.above`` ≥ e^ε, hence at e^ε.
    A value: it prints, compares, hashes and pickles; its proof is `certificate`.
    """

    exp_epsilon: ExpEpsilon
    results: tuple[PairDelta, ...]
    """Every pair, in the order asked."""
    _proof: Answer | None = field(compare=False)
    plans: tuple[FixedPlan, ...] = field(default=(), kw_only=True)
    """The best plan of questions decided in advance for each of the results, where ``fixed`` asked for them."""

    PROVED = ("certificate", "witness")

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
        """The number of beliefs that were looked at, over all pairs."""
        return sum(result.nodes for result in self.results)

    @property
    def interrupted(self) -> bool:
        """Whether time ran out, or Ctrl-C was pressed, before the search was over."""
        return any(result.stopped in ("time", "interrupted") for result in self.results)

    @property
    def worst(self) -> PairDelta:
        """The pair that the witness speaks of; where none differs, the one with the largest upper bound."""
        return max(self.results, key=lambda result: (result.lower, result.upper))

    @cached_property
    def witness(self) -> Witness | None:
        """The event that gives the worst pair away, by its most telling words; None if no difference was found."""
        return self._proof_or_error().worst.witness()

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of both sides for every pair; see docs/certificate.md."""
        return self._proof_or_error().certificate()

    def _proof_or_error(self) -> Answer:
        return self._found(self._proof)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._sentence()}, {asked_at(self.exp_epsilon)}>"

    def _sentence(self) -> str:
        sure = "exact" if self.exact else "certified"
        if len(self.results) == 1:
            return f"{pair_interval('δ', self.results[0].pair, self.lower, self.upper)}, {sure}"
        return f"{interval('δ', self.lower, self.upper)} over {len(self.results)} pairs, {sure}"

    def _repr_html_(self) -> str:
        rows = [(named(r.pair), value_of(r.lower, r.upper), r.method, *self._html_cells(r)) for r in self.results]
        return html_table(f"{self._sentence()}, {asked_at(self.exp_epsilon)}", self._html_header(), rows)

    def _html_header(self) -> tuple[str, ...]:
        return ("pair", "δ", "method")

    def _html_cells(self, _result: PairDelta) -> tuple[str, ...]:
        return ()

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, the keys of its own of ``deltachain delta --json``; exact numbers as text."""
        body: dict[str, object] = {
            "lower": json_number(self.lower, "lower"),
            "upper": json_number(self.upper, "upper"),
            "exact": self.exact,
            "results": [self._entry(result) for result in self.results],
            "witness": witness_body(self.witness),
        }
        if self.plans:
            plans = zip(self.results, self.plans, strict=True)
            body["fixed"] = [{"pair": list(result.pair)} | plan_body(plan) for result, plan in plans]
        return body

    def _entry(self, result: PairDelta) -> dict[str, object]:
        return {
            "pair": list(result.pair),
            "lower": json_number(result.lower, "lower"),
            "upper": json_number(result.upper, "upper"),
            "exact": result.exact,
            "nodes": result.nodes,
            "method": result.method,
            "stopped": result.stopped,
        }


@dataclass(frozen=True, repr=False)
class Verdict(Delta):
    """A `Delta` measured against a δ that is allowed. It is true, as a condition, if the verdict is "private"."""

    allowed: Fraction

    def verdict_of(self, result: PairDelta) -> VerdictName:
        """The verdict on one pair."""
        if result.upper <= self.allowed:
            return "private"
        return "violated" if result.lower > self.allowed else "undecided"

    @property
    def verdict(self) -> VerdictName:
        """``"private"``: proved for all pairs; ``"violated"``: refuted for one, see `witness`; else ``"undecided"``."""
        verdicts = {self.verdict_of(result) for result in self.results}
        return "violated" if "violated" in verdicts else "undecided" if "undecided" in verdicts else "private"

    def __bool__(self) -> bool:
        return self.verdict == "private"

    def _sentence(self) -> str:
        return f"{self.verdict}: {super()._sentence()}; allowed {value_of(self.allowed, self.allowed)}"

    def _html_header(self) -> tuple[str, ...]:
        return (*super()._html_header(), "verdict")

    def _html_cells(self, result: PairDelta) -> tuple[str, ...]:
        return (self.verdict_of(result),)

    def to_dict(self) -> dict[str, object]:
        """As `Delta.to_dict`, with ``verdict`` and ``delta``, the one allowed."""
        return {"verdict": self.verdict, "delta": json_number(self.allowed)} | super().to_dict()

    def _entry(self, result: PairDelta) -> dict[str, object]:
        return super()._entry(result) | {"verdict": self.verdict_of(result)}


def delta(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    pairs: Iterable[tuple[State, State]] | None = None,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    fixed: int | None = None,
) -> Delta:
    """A certified interval for the smallest δ such that the pairs are (ε, δ)-private.

    Stops when the interval is exact, or narrower than ``gap`` (default: as narrow as a finite search gets, 1e-6 on
    chains with cycles), or after ``max_nodes`` belief pairs or ``timeout`` seconds; it is certified whenever it stops.
    Ctrl-C raises KeyboardInterrupt or, if ``interruptible``, ends the search with the interval reached.
    A ``cancel`` of the caller's stands for timeout, report and interruption.

    Where the observer chooses inputs, ``fixed`` asks also for the best plan of so many questions that are decided in
    advance, which is then in ``plans``. InputError where labels at which the same question is due offer different
    inputs; SolverError where the beliefs that plans lead to are too many.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> delta(chain, "s0", "s1", exp_epsilon="1.0002")
    <Delta: δ(s0, s1) = 7501/25000000 = 0.00030004, exact, e^ε = 1.0002>
    """
    from ..beliefs.question import Terms
    from ..beliefs.search import search
    from ..beliefs.workspace import Workspace

    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, max_nodes=max_nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        question = terms.about(chain, asked_pairs(chain, s, t, pairs))
        work = Workspace.of(question)
        plans = () if fixed is None else _plans(question, work, fixed, cancel)
        answer = search(question, work, cancel)
        return Delta(question.at, _results(answer), answer, plans=plans)


def check(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    pairs: Iterable[tuple[State, State]] | None = None,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Verdict:
    """Is every pair (ε, δ)-private? Three-valued, and certified; stops as soon as the verdict is known.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> check(chain, exp_epsilon="1.0002", delta="3e-4").verdict
    'violated'
    """
    from ..beliefs.question import Terms
    from ..beliefs.search import search
    from ..beliefs.workspace import Workspace

    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, allowed=delta, max_nodes=max_nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        question = terms.about(chain, asked_pairs(chain, s, t, pairs))
        answer = search(question, Workspace.of(question), cancel)
        return Verdict(question.at, _results(answer), answer, allowed=as_probability(delta, "delta"))


def _plans(question: Question, work: Workspace, fixed: int, cancel: Cancel) -> tuple[FixedPlan, ...]:
    count = as_fraction(fixed, "fixed")
    if count.denominator != 1 or not 1 <= count <= MOST_QUESTIONS:
        raise InputError(f"fixed: {fixed} is not a number of questions from 1 to {MOST_QUESTIONS:,}")
    if not question.chain.interactive:
        raise InputError("fixed: there is nothing to ask: this chain has no inputs")
    from ..beliefs.plans import best_plans

    return best_plans(question, work, int(count), cancel)


def _results(answer: Answer) -> tuple[PairDelta, ...]:
    return tuple(
        PairDelta(p.names, p.interval.lower, p.interval.upper, p.method, p.stopped, p.nodes) for p in answer.proofs
    )
