"""From a question that is read to its result: what each verb does once its arguments are known to be right.

The public verbs (`api`) read what they are given and come here; the command line and the report, which read by their
own tables, come here directly. Every number of a result is a bound that a proof of the search stands behind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .beliefs import reach
from .beliefs.proof import Answer
from .beliefs.question import Budget, Question, Terms
from .beliefs.search import search
from .beliefs.workspace import Workspace
from .cancel import Cancel
from .certificate.checked import COMPOSED, NOT_ASKED, Checked
from .errors import Defect, InputError, SolverUnknown, Stopped
from .files import make_folder
from .model import Chain, Loaded, Quotient
from .numbers.fraction import ExpEpsilon, Number, format_fraction, log_above, round_up
from .parameters import as_confidence, as_horizon, as_samples, as_seed
from .results.delta import Delta, PairDelta, Verdict, Within

if TYPE_CHECKING:
    from .beliefs.epsilon.bands import Known
    from .beliefs.epsilon.least import Judge, LeastAlpha
    from .beliefs.graph.composed import Runs
    from .beliefs.graph.curves import Piece
    from .beliefs.graph.losses import PrivacyLosses
    from .beliefs.graph.plans import FixedPlan
    from .beliefs.limits.inside import Inside
    from .certificate.inspection import Inspection
    from .certificate.record import Certificate
    from .distances.fixed_point import FixedPoint
    from .results.distance import Distance
    from .results.epsilon_bound import EpsilonBound
    from .results.estimate import Estimate
    from .results.profile import EstimatedBand, Profile, ProfilePoint
    from .results.threshold import PairThreshold
    from .sampling.estimates import Sampling
    from .smt.decider import Decider
    from .smt.prefixed_point import PrefixedPoint

ESTIMATE_NODES = 20_000
"""Beliefs that are expanded before words are drawn: twice as many narrow less than drawing for as long.

Fewer where beliefs are large: half of what a certified search would take memory for."""
FIRST_SHARE = 1 / 3
"""Of a timeout, for the certified interval of an estimate."""
NODES_BESIDE_ESTIMATE = 2_000
"""Beliefs expanded for each point of a band that samples will narrow, unless a budget is given."""
NOT_DRAWN = "words can be drawn only where nobody chooses"
MOST_STEPS = 50
"""Steps of the grid of ε that is chosen without one."""
FARTHEST = Fraction(5)
"""Without a grid, ε runs from 0 to the largest finite loss, or to this."""
INSIDE_PLACES = 2
"""Beside the ε that was asked for, so many at which extreme chains within limits are looked for."""
VALUES_TIMES_BELIEFS = 1_000_000
"""A curve is followed exactly, corner by corner, for about so many values of beliefs."""


def delta_of(
    terms: Terms,
    chain: Chain,
    pairs: Sequence[tuple[int, int]],
    cancel: Cancel,
    fixed: int | None = None,
    repeat: int = 1,
    compose: Sequence[Loaded] = (),
    inspection: Inspection | None = None,
) -> Delta:
    """`delta` or, where the terms allow a δ, `check`, of terms that are read already; checked by the inspection."""
    question = terms.about(chain, pairs)
    work = Workspace.of(question)
    if repeat > 1 or compose:
        if fixed is not None:
            raise InputError("fixed: a plan is about one run of the chain; ask for it without repeat and compose")
        from .beliefs.graph.composed import composed_answer

        answer = composed_answer(question, runs_of(work, repeat, compose), cancel)
        beside = tuple(model.source for model in compose)
        return as_delta(answer, repeat=repeat, compose=beside, checked=COMPOSED)
    plans = () if fixed is None else _plans(question, work, fixed, cancel)
    answer = search(question, work, cancel)
    inside: Mapping[tuple[int, int], Inside] = {}
    if reach.takes("extreme chains", chain) and not question.decided([p.interval for p in answer.proofs]):
        from .beliefs.limits.inside import inside_of

        inside = inside_of(question, cancel)
    return as_delta(answer, plans, inside=inside, checked=answer.checked(inspection))


def as_delta(
    answer: Answer,
    plans: tuple[FixedPlan, ...] = (),
    repeat: int = 1,
    compose: tuple[str, ...] = (),
    inside: Mapping[tuple[int, int], Inside] = MappingProxyType({}),
    checked: Checked = NOT_ASKED,
) -> Delta:
    """The answer of a search as a value: a `Verdict` where its question allows a δ."""

    def within(pair: tuple[int, int]) -> Within | None:
        found = inside.get(pair)
        return None if found is None else Within(found.centre.lower, found.centre.upper, found.lower, found.upper)

    results: tuple[PairDelta, ...] = tuple(
        PairDelta(
            p.names, p.interval.lower, p.interval.upper, p.method, p.stopped, p.nodes, within(p.pair), p.interval.value
        )
        for p in answer.proofs
    )
    at, allowed = answer.question.at, answer.question.allowed
    chain = answer.question.chain
    more: dict[str, Any] = {"repeat": repeat, "compose": compose, "checked": checked}
    more |= {"uncertain": chain.kind == "limits", "confidence": chain.confidence}
    more["extremes"] = tuple(inside[p.pair].largest for p in answer.proofs) if inside else ()
    if allowed is None:
        return Delta(at, results, answer, plans=plans, **more)
    return Verdict(at, results, answer, allowed, **more)


def runs_of(work: Workspace, repeat: int, compose: Sequence[Loaded]) -> Runs:
    """The model of ``work`` and those beside it; InputError with each of these that has no pairs."""
    from .beliefs.graph.composed import Runs

    bare = [model for model in compose if not model.chain.relation]
    if bare:
        what, fix = "it carries no relation, so that there is nothing to compare", "add its pairs to the model"
        raise InputError(Defect(f"compose {model.source}", what, fix) for model in bare)
    others = [Workspace(model.chain, model.chain.relation) for model in compose]
    first = "compose, the first model" if repeat == 1 else "repeat"
    return Runs((work, *others), (first, *(f"compose {model.source}" for model in compose)), repeat)


def _plans(question: Question, work: Workspace, fixed: int, cancel: Cancel) -> tuple[FixedPlan, ...]:
    from .beliefs.graph.plans import best_plans

    if not question.chain.interactive:
        raise InputError("fixed: there is nothing to ask: this chain has no inputs")
    question.chain.need("fractions", "fixed", "plans are compared by fractions", "delta bounds the best strategy")
    return best_plans(question, work, fixed, cancel)


def epsilon_of(
    work: Workspace,
    allowed: Fraction,
    width: Fraction,
    budget: Budget,
    cancel: Cancel,
    *,
    certificate: bool = False,
    repeat: int = 1,
    compose: Sequence[Loaded] = (),
    known: Known | None = None,
    inspection: Inspection | None = None,
) -> EpsilonBound:
    """`epsilon` of the pairs of a workspace; what is ``known`` of δ(ε) guides the search, and grows."""
    from .beliefs.epsilon.bands import Known
    from .beliefs.epsilon.least import Judge, least_alpha
    from .beliefs.graph.composed import least_composed_alpha
    from .results.epsilon_bound import EpsilonBound

    proof: Certificate | None = None
    if repeat > 1 or compose:
        found = least_composed_alpha(runs_of(work, repeat, compose), allowed, width, budget, cancel)
        proved, refuted = COMPOSED, COMPOSED
    else:
        # A certificate proves what is so at one e^ε.
        known = Known(alone=certificate) if known is None else known
        found = least_alpha(work, allowed, width, budget, cancel, known)
        ends = _EpsilonEnds(found, Judge(work, allowed, budget, cancel))
        proved, refuted = (NOT_ASKED, NOT_ASKED) if inspection is None else ends.checked(inspection)
        if certificate:
            answer = ends.refuting if found.proved is None else ends.proving
            proof = None if answer is None else answer.certificate()
    return EpsilonBound(
        pairs=names_of(work),
        delta=allowed,
        proved=found.proved,
        refuted=found.refuted,
        exact=found.epsilon is not None or (found.proved is not None and found.proved == found.refuted),
        least_delta=found.least_delta,
        certificate=proof,
        repeat=repeat,
        compose=tuple(model.source for model in compose),
        least=found.epsilon,
        reached=found.reached,
        outside=work.chain.outside,
        uncertain=work.chain.kind == "limits",
        confidence=work.chain.confidence,
        checked_proved=proved,
        checked_refuted=refuted,
    )


NOTHING = Checked(None, "nothing was proved")
IMPLIED = Checked(False, "implied by bounds at other ε, or by a zero set")
JUST_BELOW = Fraction(1, 10**9)
"""The ε refuted is the largest below which privacy is refuted: its proof is about an e^ε this much smaller."""


@dataclass(frozen=True)
class _EpsilonEnds:
    """Searches at the two ends of an interval for ε, whose certificates prove these ends, or the contrary."""

    found: LeastAlpha
    judge: Judge

    @cached_property
    def _at_proved(self) -> Answer | None:
        """The search at the ε proved; None if none was."""
        if self.found.proved is None:
            return None
        itself = None if self.found.epsilon is None else ExpEpsilon.read(epsilon=self.found.epsilon)
        return self.judge.answer(self.found.proved if itself is None else itself)

    @cached_property
    def proving(self) -> Answer | None:
        """An answer with δ at most what is allowed, at the ε proved; None if a search there proves less."""
        answer = self._at_proved
        return answer if answer is not None and answer.upper <= self.judge.delta else None

    @cached_property
    def _at_refuted(self) -> tuple[Answer, ...]:
        """Searches at the ε refuted, and just below it, up to the first that proves a larger δ than allowed."""
        # Where no ε is enough, or a search was made at this very e^ε, the end itself is refuted.
        found = [self.judge.answer(self.found.refuted)]
        if not self._refutes(found[0]):
            found.append(self.judge.answer(max(self.found.refuted * (1 - JUST_BELOW), Fraction(1))))
        return tuple(found)

    @cached_property
    def refuting(self) -> Answer | None:
        """An answer with δ above what is allowed, at the ε refuted or just below it; None if a search proves less."""
        return next(filter(self._refutes, self._at_refuted), None)

    def _refutes(self, answer: Answer) -> bool:
        """Whether it proves a larger δ than allowed; where no ε is enough, the least that there is."""
        return answer.lower > self.judge.delta and answer.lower >= (self.found.least_delta or 0)

    def checked(self, inspection: Inspection) -> tuple[Checked, Checked]:
        """Of the ε proved, and of the ε refuted; an end that says nothing needs no check.

        Raises:
            RejectedAnswer: the checker rejects what is found at an end, or what is found proves the contrary.
        """
        return self._proved(inspection), self._refuted(inspection)

    def _proved(self, inspection: Inspection) -> Checked:
        if self.found.proved is None:
            return NOTHING
        if inspection.cancel.stopped():
            return inspection.cut_off()
        if self._at_proved is not None and self._at_proved.lower > self.judge.delta:
            raise inspection.contradiction(self._at_proved.certificate, "more than δ is needed at the ε proved")
        return IMPLIED if self.proving is None else self.proving.checked(inspection)

    def _refuted(self, inspection: Inspection) -> Checked:
        if self.found.refuted <= 1:
            return NOTHING
        if inspection.cancel.stopped():
            return inspection.cut_off()
        for number, answer in enumerate(self._at_refuted):
            # At the end itself δ may be just what is allowed; nowhere below.
            if (number and answer.upper <= self.judge.delta) or answer.upper < (self.found.least_delta or 0):
                raise inspection.contradiction(answer.certificate, "a smaller δ is enough where ε is refuted")
        return IMPLIED if self.refuting is None else self.refuting.checked(inspection)


def profile_of(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    keep: Callable[[ExpEpsilon, Answer], None] | None = None,
    drawing: Sampling | None = None,
    executor: Executor | None = None,
    inspection: Inspection | None = None,
) -> Profile:
    """`profile` of one run, of a question that is read already; each point is asked with its gap and budget."""
    chain = question.chain
    searched = _Searched(inspection, keep)
    found = _band(question, work, grid, cancel, searched, drawing, executor)
    found = replace(found, points=tuple(searched.points(found, question, work)))
    takes = reach.takes("extreme chains", chain)
    inside = _inside(question, work, found, cancel, inspection) if takes else ()
    # Counts may leave a single chain: the band rests on their confidence all the same.
    return replace(found, uncertain=chain.kind == "limits", confidence=chain.confidence, inside=inside)


def _inside(
    question: Question, work: Workspace, curve: Profile, cancel: Cancel, inspection: Inspection | None
) -> tuple[Profile, ...]:
    """The curves of single chains within the limits, extreme ones as found at some ε for the worst pair there."""
    from .beliefs.limits.inside import MAX_NODES, inside_of

    budget = Budget(question.budget.at_most(MAX_NODES))
    open_points = [point.epsilon for point in curve.points if point.lower < point.upper]
    places = [question.at, *(ExpEpsilon.read(epsilon=e) for e in open_points[:: len(open_points) // INSIDE_PLACES + 1])]
    chains: dict[Chain, None] = {}
    part = cancel.part("single chains within the limits")
    for at in {at.below: at for at in places}.values():
        if cancel.stopped():
            break
        here = replace(question, at=at, allowed=None, budget=budget)
        worst = search(here, work, part).worst.pair if len(question.pairs) > 1 else question.pairs[0]
        found = inside_of(replace(here, pairs=(worst,)), part)[worst]
        chains |= dict.fromkeys((found.smallest, found.largest))
    curves = []
    for chain in chains:
        one = replace(question, chain=chain, allowed=None, budget=budget)
        grid = [point.epsilon for point in curve.points]
        about = None if inspection is None else inspection.about(chain)
        curves.append(profile_of(one, Workspace.of(one), grid, part, inspection=about))
    return tuple(curves)


@dataclass
class _Searched:
    """The searches behind a profile: each is checked as it ends, and kept if that was asked for."""

    inspection: Inspection | None
    """None where nothing is to be checked."""
    save: Callable[[ExpEpsilon, Answer], None] | None
    known: dict[Fraction, tuple[Fraction, Fraction, bool]] = field(default_factory=dict)
    """(lower, upper, whether the checker accepted that), by ε."""

    def add(self, at: ExpEpsilon, answer: Answer) -> None:
        """A search at this ε has ended."""
        accepted = bool(answer.checked(self.inspection).accepted)
        self.known[at.epsilon or Fraction(0)] = answer.lower, answer.upper, accepted
        if self.save is not None:
            self.save(at, answer)

    def points(self, curve: Profile, question: Question, work: Workspace) -> Iterator[ProfilePoint]:
        """The points of a curve, each with what the checker said of it; None where it follows from other points.

        A curve that is known exactly was not searched at its points: they are, as long as the checker has steps left.
        """
        inspection, more = self.inspection, True
        for point in curve.points:
            if curve.exact and more and inspection is not None and point.epsilon not in self.known:
                at = ExpEpsilon.read(epsilon=point.epsilon)
                asked = replace(question, at=at, allowed=None, gap=Fraction(0))
                answer = search(asked, work, inspection.cancel)
                if answer.lower > point.upper or answer.upper < point.lower:
                    raise inspection.contradiction(answer.certificate, "δ is another at a point of the curve")
                self.add(at, answer)
                more = self.known[point.epsilon][2]
            lower, upper, accepted = self.known.get(point.epsilon, (Fraction(0), Fraction(1), False))
            implied = not curve.exact and not point.lower <= lower <= upper <= point.upper
            within = point.lower <= lower and upper <= point.upper
            yield replace(point, checked=None if implied else accepted and within)


def _band(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    searched: _Searched,
    drawing: Sampling | None,
    executor: Executor | None,
) -> Profile:
    """δ(ε), exact where it can be, on the grid or where it shows the curve."""
    from .beliefs.epsilon.bands import bound_band
    from .beliefs.graph.losses import find_all_losses
    from .results.numbers import rounded
    from .results.profile import EstimatedBand, Profile, ProfilePoint

    distributions = find_all_losses(work, question.budget, cancel)
    names, alone = names_of(work), searched.save is not None
    chosen_here = distributions is None and not alone and drawing is None
    pieces = _exact_pieces(question, work, cancel) if chosen_here else None
    if pieces is not None:
        exact = Profile(names, (), None, pieces=pieces)
        end = log_above(rounded(pieces[-1].begin, "upper"), 4) * Fraction(21, 20) or Fraction(1)
        return Profile(names, tuple(exact.delta(epsilon=e) for e in grid or _grid_to(end)), None, pieces=pieces)
    if chosen_here and grid is None:
        from .beliefs.epsilon.bands import bound_widest

        found_at, chosen = bound_widest(question, work, FARTHEST, cancel, seen=searched.add)
        points = tuple(ProfilePoint(e, p.lower, p.upper) for e, p in zip(found_at, chosen.points, strict=True))
        return Profile(names, points, None, interrupted=chosen.cut_off)
    grid = grid or _default_grid(distributions)
    if distributions is not None and not alone:
        exact = Profile(names, (), distributions)
        found = tuple(exact.delta(epsilon=e) for e in grid)
        known = None
        if drawing is not None:
            bounds = tuple((p.lower, p.upper) for p in found)
            known = EstimatedBand(1 - drawing.error, drawing.seed, 0, 0, bounds)
        return Profile(names, found, distributions, estimate=known)
    if drawing is not None and question.budget.max_nodes is None:
        question = replace(question, budget=Budget(NODES_BESIDE_ESTIMATE))
    places = [ExpEpsilon.read(epsilon=e) for e in grid]
    proved = bound_band(question, work, places, cancel, searched.add, alone)
    points = tuple(ProfilePoint(e, p.lower, p.upper, p.reached) for e, p in zip(grid, proved.points, strict=True))
    band = None
    if drawing is not None:
        band = _estimated_band(work, grid, [(p.lower, p.upper) for p in points], drawing, executor)
    cut_off = proved.cut_off or (drawing is not None and cancel.stopped())
    return Profile(names, points, distributions, interrupted=cut_off, estimate=band)


def _exact_pieces(question: Question, work: Workspace, cancel: Cancel) -> tuple[Piece, ...] | None:
    """δ as an exact function of e^ε where the observer chooses inputs and every belief graph ends; None otherwise."""
    from .beliefs.graph.finite import ending
    from .beliefs.graph.piecewise import MOST_VALUES, exact_pieces
    from .beliefs.search import search

    if not reach.takes("pieces", work.chain) or not work.alike:
        return None
    work.prepare(cancel)
    if any(ending(work, pair, question.budget.max_nodes, cancel) is None for pair in work.alike):
        return None

    def value(alpha: Fraction) -> Fraction | None:
        if cancel.stopped():
            return None
        answer = search(replace(question, at=ExpEpsilon.exactly(alpha), allowed=None), work, cancel)
        return answer.upper if answer.lower == answer.upper else None

    # A value costs about as much as the graph has beliefs: large graphs get a band.
    return exact_pieces(value, min(MOST_VALUES, VALUES_TIMES_BELIEFS // max(len(work.graph.nodes), 1)))


def names_of(work: Workspace) -> tuple[tuple[str, str], ...]:
    """The pairs of a workspace, by name."""
    return tuple((work.chain.states[a], work.chain.states[b]) for a, b in work.pairs)


def composed_profile(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    repeat: int,
    models: Sequence[Loaded],
    cancel: Cancel,
) -> Profile:
    """The band of independent runs; every point is 0 ≤ δ ≤ 1 if composing them was cancelled."""
    from .beliefs.graph.composed import compose
    from .results.profile import Profile, ProfilePoint

    beside = tuple(model.source for model in models)
    try:
        composition = compose(runs_of(work, repeat, models), question.budget, cancel)
    except Stopped:
        nothing = (ProfilePoint(e, Fraction(0), Fraction(1), False) for e in grid or [Fraction(0)])
        return Profile(names_of(work), tuple(nothing), None, repeat, interrupted=True, compose=beside)
    grid = grid or _grid_to(round_up(Fraction(composition.farthest), 4) or Fraction(1))
    points = (ProfilePoint(e, *composition.delta(ExpEpsilon.read(epsilon=e))) for e in grid)
    return Profile(names_of(work), tuple(points), None, repeat, compose=beside)


def certificates_in(folder: Path) -> Callable[[ExpEpsilon, Answer], None]:
    """Writes the certificate of a point into the folder, named by its ε."""
    make_folder(folder)

    def save(at: ExpEpsilon, answer: Answer) -> None:
        name = format_fraction(at.epsilon or 0).replace("/", "_")
        answer.certificate().save(folder / f"epsilon-{name}.json")

    return save


def _default_grid(distributions: Sequence[PrivacyLosses] | None) -> list[Fraction]:
    """Round numbers from 0 to just past the largest finite loss, at most `MOST_STEPS` apart."""
    from .numbers.field import Exact, ends

    end = FARTHEST
    if distributions is not None:
        ratios: list[Exact] = [
            max(o.first / o.second, o.second / o.first)
            for losses in distributions
            for o in losses.outcomes
            if o.first and o.second
        ]
        largest = log_above(ends(max(ratios))[1], 4) if ratios else Fraction(0)
        end = largest * Fraction(21, 20) or Fraction(1)
    return _grid_to(end)


def _grid_to(end: Fraction) -> list[Fraction]:
    """Round numbers from 0 to just past ``end``, which is above 0."""
    step = _round_step(end / MOST_STEPS)
    return [step * i for i in range(math.ceil(end / step) + 1)]


def _round_step(least: Fraction) -> Fraction:
    """The smallest of … 0.1, 0.2, 0.5, 1, 2, 5, … that is not below ``least``, which is above 0."""
    power = Fraction(1)
    while power > least:
        power /= 10
    while 10 * power <= least:
        power *= 10
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= least)


def _estimated_band(
    work: Workspace,
    grid: Sequence[Fraction],
    proved: Sequence[tuple[Fraction, Fraction]],
    drawing: Sampling,
    executor: Executor | None,
) -> EstimatedBand:
    """The band by sampling on the grid, within what is proved; where the certified band is one curve, that curve."""
    from .results.profile import EstimatedBand
    from .sampling.estimates import estimate_band

    confidence = 1 - drawing.error
    if all(low == high for low, high in proved):
        return EstimatedBand(confidence, drawing.seed, 0, 0, tuple(proved))
    with _drawing_on(executor, drawing) as ready:
        band = estimate_band(work, [ExpEpsilon.read(epsilon=e) for e in grid], ready)
    upper = list(accumulate((high for _, high in band.bounds), min))  # δ falls: as a certified band is sharpened
    lower = list(accumulate(reversed([low for low, _ in band.bounds]), max))[::-1]
    bounds = tuple(_within(low, high, *known) for low, high, known in zip(lower, upper, proved, strict=True))
    return EstimatedBand(confidence, drawing.seed, band.samples, band.horizon, bounds)


def _within(low: Fraction, high: Fraction, proved_low: Fraction, proved_high: Fraction) -> tuple[Fraction, Fraction]:
    """The intersection; where it is empty the samples are wrong, and what is proved stands."""
    high = max(min(high, proved_high), proved_low)
    return min(max(low, proved_low), high), high


def estimate_of(
    terms: Terms,
    chain: Chain,
    pairs: Sequence[tuple[int, int]],
    drawing: Sampling,
    executor: Executor | None,
    cancel: Cancel,
) -> Estimate:
    """`estimate` of terms that are read already."""
    from .beliefs.signed.forest import default_budget
    from .results.estimate import Estimate, PairEstimate
    from .sampling.estimates import narrow

    chain.need("no inputs", "estimate", NOT_DRAWN, "delta bounds the best strategy")
    fix = "delta bounds δ, for every chain within limits"
    chain.need("fractions", "estimate", "words are drawn by fractions", fix)
    if terms.budget.max_nodes is None:
        terms = replace(terms, budget=Budget(min(ESTIMATE_NODES, default_budget(chain) // 2)))
    question = terms.about(chain, pairs)
    answer = search(question, Workspace.of(question), cancel.first(FIRST_SHARE))
    with _drawing_on(executor, drawing) as ready:
        found = narrow(answer, ready, question.gap)
    results = tuple(
        PairEstimate(p.names, n.lower, n.upper, p.interval.lower, p.interval.upper, n.samples, n.horizon)
        for p, n in zip(answer.proofs, found, strict=True)
    )
    return Estimate(question.at, 1 - drawing.error, drawing.seed, results, cancel.stopped())


def sampling_for(confidence: Number, samples: int | None, horizon: int | None, seed: int, cancel: Cancel) -> Sampling:
    """What is asked of the samples, read."""
    from .sampling.estimates import Sampling

    return Sampling(
        1 - as_confidence(confidence),
        None if samples is None else as_samples(samples),
        None if horizon is None else as_horizon(horizon),
        as_seed(seed),
        cancel=cancel,
    )


@contextmanager
def _drawing_on(executor: Executor | None, drawing: Sampling) -> Iterator[Sampling]:
    """The samples on the executor given, or on threads: the kernels release the interpreter lock."""
    if executor is not None:
        yield replace(drawing, executor=executor)
        return
    from .executors import cores

    with ThreadPoolExecutor(cores()) as threads:
        yield replace(drawing, executor=threads)


def distance_of(
    chain: Chain, at: ExpEpsilon, solution: FixedPoint, merged: Quotient | None, asked: list[tuple[int, int]] | None
) -> Distance:
    """The engine's solution as a value: by the names that were asked for, or of every computed pair."""
    from .distances.pair_table import PairDistance
    from .results.distance import Distance, DistanceProof

    measured = solution.chain
    results: Sequence[PairDistance]
    if asked is None:
        places, results = None, solution.table()
    else:
        places = asked if merged is None else [(merged.block[s], merged.block[t]) for s, t in asked]
        found = []
        for (s, t), (a, b) in zip(places, asked, strict=True):
            known = s == t or measured.labels[s] != measured.labels[t]
            side = "exact" if known else solution.side
            names, lowers = (chain.states[a], chain.states[b]), None if known else solution.lowers((s, t))
            found.append(PairDistance(names, solution[s, t], solution[t, s], side, lowers))
        results = tuple(found)
    return Distance(
        kind=solution.kind,
        exp_epsilon=at,
        side=solution.side,
        sharp=solution.sharp,
        results=results,
        merged=merged is not None,
        measured=len(measured),
        states=chain.states,
        labels=chain.labels,
        _proof=DistanceProof(chain, solution, merged, places),
    )


def deciders(
    chain: Chain,
    pairs: Iterable[tuple[int, int]],
    at: ExpEpsilon,
    solver: str,
    formula: str | None,
    encoding: str,
    timeout: float | None,
    bits: int | None = None,
    cancel: Cancel | None = None,
) -> list[Decider]:
    """One decider per pair, at the rational just below e^ε."""
    from .smt.decider import Decider

    why, fix = "the formulas have one step for each pair", "measure bd itself: distance takes inputs"
    chain.need("no inputs", "threshold", why, fix)
    chain.need("fractions", "threshold", "an SMT solver computes with rationals", "measure bd itself: distance")
    settings: dict[str, Any] = {
        "solver": solver,
        "formula": formula,
        "encoding": encoding,
        "timeout": timeout,
        "bits": bits,
        "cancel": cancel,
    }
    return [Decider(chain, s, t, exp_epsilon=at.below, **settings) for s, t in pairs]


def decided(
    decider: Decider, theta: Fraction, strict: bool, cancel: Cancel
) -> tuple[PairThreshold, PrefixedPoint | None]:
    """What a decider says of one pair, on what ground, and the pre-fixed point if there is one."""
    from .results.threshold import PairThreshold

    pair = decider.chain.states[decider.s], decider.chain.states[decider.t]
    if cancel.stopped():
        why = "time limit reached" if cancel.reason == "time" else "interrupted"
        return PairThreshold(pair, "unknown", why, False), None
    try:
        decision = decider.decide(theta, strict=strict)
    except (SolverUnknown, Stopped) as reason:
        return PairThreshold(pair, "unknown", str(reason), False), None
    if decision.proof is not None:
        ground = "a pre-fixed point, accepted by the checker"
    elif decision.settled:
        ground = "exact bounds; nothing was left to the solver"
    else:
        ground = "the exact distance" if decision.solver == "engine" else f"{decision.solver}: unsat"
    return PairThreshold(pair, "yes" if decision.holds else "no", ground, decision.proof is not None), decision.proof
