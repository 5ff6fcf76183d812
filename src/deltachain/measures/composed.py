"""δ of independent runs of several models together: all their outcomes one by one where they are few, or certified
bounds from sums of their losses (`composed_losses`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ..beliefs import reach
from ..beliefs.graph.losses import LOSS_NODES, PrivacyLosses, collect_losses, find_all_losses
from ..beliefs.proof import Answer, Proof
from ..beliefs.question import Budget, Interval, Question, StopReason
from ..beliefs.witness import Event, Witness
from ..beliefs.workspace import Workspace
from ..cancel import Cancel
from ..certificate.record import Writer
from ..certificate.tradeoff import ExactCurve
from ..errors import Defect, InputError, Stopped
from ..model.dominating import dominating
from ..numbers.exponential import as_exponential
from ..numbers.field import Exact, ends
from ..numbers.fraction import MAX_EPSILON, ExpEpsilon
from .composed_losses import ComposedLosses, LossOutcome, compose_losses
from .epsilon.least import LARGEST_ALPHA, Judge, LeastAlpha, search_least

MOST_ENUMERATED, MOST_ENUMERATED_RUNS = 256, 64
"""Outcomes that are kept one by one, and runs: beyond, sums are taken on the grid."""
MOST_TOGETHER = 1000
"""Choices of a pair in each model that are composed, at most."""


def enumerate_losses(runs: Sequence[tuple[PrivacyLosses, int]]) -> ExactCurve | None:
    """All outcomes of the runs, those of one ratio added up; None if they are more than `MOST_ENUMERATED`."""
    if sum(times for _, times in runs) > MOST_ENUMERATED_RUNS:
        return None
    whole: list[LossOutcome] = [(Fraction(1), Fraction(1))]
    for losses, times in runs:
        for _ in range(times):
            found = collect_losses(
                both for x, y in whole for o in losses.outcomes if any(both := (x * o.first, y * o.second))
            )
            if len(found.outcomes) > MOST_ENUMERATED:
                return None
            whole = [(o.first, o.second) for o in found.outcomes]
    return found.curve


@dataclass(frozen=True)
class CutOffLosses:
    """Bounds of runs some of whose outcomes are lost: of losses that tell at least as much (`model.dominating`).

    Attributes:
        losses: what tells at least as much.
        lost: at least the mass of what is lost in all runs, from whichever side.
    """

    losses: ComposedLosses | ExactCurve
    lost: Fraction

    @property
    def farthest(self) -> float:
        """As of what tells more."""
        return self.losses.farthest

    @property
    def least_delta(self) -> Exact:
        """Nothing is known of what one side alone can show: what is lost may be anything."""
        return Fraction(0)

    def bounds(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) at e^ε."""
        lower, upper = self.losses.bounds(at)
        return max(lower - self.lost * (1 + at.above), Fraction(0)), upper

    def exactly(self, at: ExpEpsilon) -> Exact | None:  # as of `ExactCurve`
        """None: what is lost is not known."""
        return None

    def least_alpha(self, delta: Fraction) -> Exact | None:  # as of `ExactCurve`
        """None, for the same reason."""
        return None


AnyLosses = ComposedLosses | ExactCurve | CutOffLosses


class OneRun(NamedTuple):
    """The losses of one run, or of what tells at least as much, and at least what is lost there from either side."""

    losses: PrivacyLosses
    lost: Fraction = Fraction(0)

    @property
    def reversed(self) -> OneRun:
        """Of the pair in the other order."""
        return OneRun(self.losses.reversed, self.lost)


@dataclass(frozen=True)
class Composition:
    """Independent runs of several models: each from one state of a pair of its own, against the other states.

    ``of_pairs`` has, for each pair of the first model, the losses with every choice of pairs of the others, in both
    orders.
    """

    of_pairs: tuple[tuple[AnyLosses, ...], ...]
    single: tuple[tuple[PrivacyLosses, ...], ...] = ()
    """The losses of one run of each model, of every pair; those of models beside the first in either order. Empty where
    some are not known exactly."""

    def bounds(self, number: int, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of the worst choice with one pair of the first model."""
        found = [losses.bounds(at) for losses in self.of_pairs[number]]
        return max(lower for lower, _ in found), max(upper for _, upper in found)

    def interval(self, number: int, at: ExpEpsilon) -> Interval:
        """The bounds of the worst choice with one pair of the first model; exact where all of them are."""
        found = [losses.exactly(at) for losses in self.of_pairs[number]]
        known = [value for value in found if value is not None]
        if len(known) == len(found):
            return Interval.exactly(max(known))
        return Interval(*self.bounds(number, at), 0)

    def delta(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of the worst choice."""
        found = [self.bounds(number, at) for number in range(len(self.of_pairs))]
        return max(lower for lower, _ in found), max(upper for _, upper in found)

    @property
    def farthest(self) -> float:
        """Beyond this ε hardly any loss lies."""
        return max(losses.farthest for choices in self.of_pairs for losses in choices)

    def exp_epsilon(self, delta: Fraction) -> Exact | None:
        """The least e^ε for δ, which must not be below `one_sided`, where it is known exactly."""
        found = [losses.least_alpha(delta) for choices in self.of_pairs for losses in choices]
        known = [alpha for alpha in found if alpha is not None]
        return max(known) if len(known) == len(found) else None

    @property
    def one_sided(self) -> Exact:
        """No ε is enough for a δ below this."""
        return max(losses.least_delta for choices in self.of_pairs for losses in choices)


@dataclass(frozen=True)
class Runs:
    """What runs, independently: each model, with its pairs, so many times.

    Attributes:
        works: the models; the first one's pairs are answered apart.
        names: who asks for each, in a message: ``repeat``, or ``compose`` with the model.
        times: how often each of them runs.
    """

    works: tuple[Workspace, ...]
    names: tuple[str, ...]
    times: int


def runs_of(question: Question, work: Workspace) -> Runs:
    """The model of ``work`` and those beside it; InputError with each of these that has no pairs."""
    compose = question.beside
    bare = [model for model in compose if not model.chain.relation]
    if bare:
        what, fix = "it carries no relation, so that there is nothing to compare", "add its pairs to the model"
        raise InputError(Defect(f"compose {model.source}", what, fix) for model in bare)
    others = [Workspace(model.chain, model.chain.relation) for model in compose]
    first = "compose, the first model" if question.runs == 1 else "repeat"
    return Runs((work, *others), (first, *(f"compose {model.source}" for model in compose)), question.runs)


def compose(runs: Runs, budget: Budget, cancel: Cancel) -> Composition:
    """The losses of all runs; raises Stopped when it is cancelled.

    Args:
        runs: what runs.
        budget: for the losses of one run.
        cancel: ends the work between two products.

    Raises:
        InputError: a model whose losses cannot be composed, by name, or too many choices of pairs.
    """
    losses: list[tuple[OneRun, ...]] = []
    defects: list[Defect] = []
    for work, name in zip(runs.works, runs.names, strict=True):
        try:
            losses.append(_losses_of_one(work, name, budget, cancel))
        except InputError as error:
            defects += error.defects
    if defects:
        raise InputError(defects)
    # A relation is symmetric: beside a pair of the first model, those of the others stand in either order.
    beside = [list(dict.fromkeys([*found, *(each.reversed for each in found)])) for found in losses[1:]]
    count = math.prod(map(len, [set(losses[0]), *beside]))
    if count > MOST_TOGETHER:
        what = f"{count:,} choices of a pair in each model"
        raise InputError(Defect("compose", what, f"name fewer pairs: at most {MOST_TOGETHER:,}"))
    known: dict[tuple[OneRun, ...], AnyLosses] = {}
    found: list[tuple[AnyLosses, ...]] = []
    enclosed = any(reach.column_of(work.chain) == "enclosed" for work in runs.works)
    for first in losses[0]:
        choices = [(first, *others) for others in product(*beside)]
        for choice in choices:
            if choice not in known:
                cancel.report(f"composing runs, {len(known) + 1} of {count:,}")
                each_times = [(each.losses, runs.times) for each in choice]
                whole = enumerate_losses(each_times) or compose_losses(each_times, cancel)
                lost = runs.times * sum((each.lost for each in choice), Fraction(0))
                known[choice] = CutOffLosses(whole, lost) if enclosed else whole
        found.append(tuple(known[choice] for choice in choices))
    single = [losses[0], *map(tuple, beside)]
    return Composition(tuple(found), () if enclosed else tuple(tuple(one.losses for one in each) for each in single))


def _losses_of_one(work: Workspace, name: str, budget: Budget, cancel: Cancel) -> tuple[OneRun, ...]:
    what = "what is best to ask depends on ε, so that there are no losses to compose"
    work.chain.need("no inputs", name, what, "ask about one run, or let a program run the protocol again")
    found = find_dominating_losses(work, budget, cancel)
    if found is None:
        cancel.check()
        why = "the beliefs of one run do not end within the budget"
        if reach.column_of(work.chain) == "limits":
            instead = "write a program that runs the mechanism K times"
            work.chain.need("exact", name, "losses are composed as exact numbers", instead)
        fix = "give a larger `max_nodes`, or end the run after some rounds; of K runs that are each (ε, δ)-private, "
        fix += "(Kε, Kδ) always holds"
        raise InputError(Defect(name, f"{why}, so its exact losses, which are composed, are not known", fix))
    return found


def find_dominating_losses(work: Workspace, budget: Budget, cancel: Cancel) -> tuple[OneRun, ...] | None:
    """The exact losses of every pair, or, where rows are enclosed, those of a chain that tells at least as much.

    None if beliefs do not end within the budget.
    """
    if reach.column_of(work.chain) != "enclosed" or work.chain.interactive:
        exact = find_all_losses(work, budget, cancel)
        return None if exact is None else tuple(map(OneRun, exact))
    more = dominating(work.chain, work.pairs)
    if budget.max_nodes is None:
        # A letter for each outcome of wide noise leads to few beliefs each.
        budget = Budget(max(LOSS_NODES, 2 * len(more.chain)))
    found = find_all_losses(Workspace(more.chain, more.pairs), budget, cancel)
    return None if found is None else tuple(map(OneRun, found, more.lost))


class ComposedProof(Proof):
    """The interval of a pair over independent runs. It is certified by how it was computed: no certificate says so."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Refused: certificates are about one run."""
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")

    def event(self, limit: int) -> Event:
        """None is known."""
        return Event()

    def witness(self, limit: int = 10) -> Witness | None:
        """None: the losses do not say which words bring them."""
        return None


def composed_answer(question: Question, runs: Runs, cancel: Cancel) -> Answer:
    """Every pair of the question, of the first model, over independent runs; 0 ≤ δ ≤ 1 if it was cancelled."""
    intervals = [Interval(Fraction(0), Fraction(1), 0)] * len(question.pairs)
    reason: StopReason = "finished"
    try:
        composition = compose(runs, question.budget, cancel)
        intervals = [composition.interval(number, question.at) for number in range(len(question.pairs))]
    except Stopped:
        reason = cancel.reason or "interrupted"
    proofs = [
        ComposedProof(
            question=question,
            pair=pair,
            interval=interval,
            method="losses of one run, composed" if question.chain.outside else "exact losses of one run, composed",
            stopped="gap"
            if reason == "finished" and interval.value is None and interval.lower < interval.upper
            else reason,
        )
        for pair, interval in zip(question.pairs, intervals, strict=True)
    ]
    return Answer(question, runs.works[0], tuple(proofs))


class _ComposedJudge(Judge):
    """A judge who asks the composition."""

    def __init__(self, composition: Composition, work: Workspace, delta: Fraction, cancel: Cancel) -> None:
        super().__init__(work, delta, Budget(), cancel)
        self._composition = composition

    def measure(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α."""
        return self._composition.delta(ExpEpsilon.exactly(alpha))

    def ratios(self, low: Fraction, high: Fraction) -> list[Exact]:
        """None: zero sets are about one run."""
        return []


def least_composed_alpha(runs: Runs, delta: Fraction, width: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha:
    """Bounds on the least α for δ over independent runs; nothing is known if it was cancelled."""
    try:
        composition = compose(runs, budget, cancel)
    except Stopped:
        return LeastAlpha(None, Fraction(1))
    if composition.one_sided > delta:
        return LeastAlpha(None, LARGEST_ALPHA, ends(composition.one_sided)[0])
    least = composition.exp_epsilon(delta)
    if least is not None:
        power = as_exponential(least).power
        # A larger ε is not computed with; δ = 0 is refuted for every smaller one.
        return LeastAlpha(None, LARGEST_ALPHA) if power and power > MAX_EPSILON else LeastAlpha.exactly(least)
    return search_least(_ComposedJudge(composition, runs.works[0], delta, cancel), width)
