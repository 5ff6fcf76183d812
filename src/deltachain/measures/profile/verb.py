"""`profile`: δ(ε) as a band, or as one exact curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from ...asking import Inquiry, Pairs, StateName, cancel_scope, load_composed, load_inquiry, make_inspection, names_of
from ...beliefs import reach
from ...beliefs.graph.endings import Endings
from ...beliefs.graph.finite import explore_to_end, value_at
from ...beliefs.graph.losses import find_all_losses
from ...beliefs.limits.inside import MAX_NODES, inside_of
from ...beliefs.proof import Answer
from ...beliefs.question import Budget, Question, Terms
from ...beliefs.search import search
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, ProgressCallback
from ...errors import InputError, Stopped
from ...files import make_folder
from ...model import Chain, Loaded
from ...numbers.field import Exact, ends
from ...numbers.fraction import MAX_EPSILON, ExpEpsilon, Number, format_fraction, log_above, round_up
from ...parameters import DEFAULT_CONFIDENCE, Neighbours, Secrets, accept_spellings, as_epsilon, as_order
from ...results.numbers import round_to_side
from ...results.scope import Scope
from ...settings import Settings
from ..composed import compose, find_dominating_losses, runs_of
from ..divergences.endless import without_end
from ..epsilon.bands import bound_band, bound_widest
from ..estimate.verb import drawing_on, need_words, sampling_for
from .between import profile_between
from .piecewise import MOST_VALUES, exact_pieces
from .show import EstimatedBand, Profile, ProfilePoint

if TYPE_CHECKING:
    from ...beliefs.graph.curves import Piece
    from ...beliefs.graph.losses import PrivacyLosses
    from ...certificate.claims import Evidence
    from ...certificate.inspection import Inspection
    from ...loading import AnyModel
    from ..divergences.show import DivergenceName
    from ..estimate.find import Sampling
    from ..sandwiched import Side

NODES_BESIDE_ESTIMATE = 2_000
"""Beliefs expanded for each point of a band that samples will narrow, unless a budget is given."""
MOST_STEPS = 50
"""Steps of the grid of ε that is chosen without one."""
FARTHEST = Fraction(5)
"""Without a grid, ε runs from 0 to the largest finite loss, or to this."""
INSIDE_PLACES = 2
"""Beside the ε that was asked for, so many at which extreme chains within limits are looked for."""
VALUES_TIMES_BELIEFS = 1_000_000
"""A curve is followed exactly, corner by corner, for about so many values of beliefs."""


@accept_spellings
def profile(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilons: Iterable[Number] | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    repeat: int = 1,
    compose: Sequence[AnyModel | Loaded] = (),
    certificates: str | Path | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    estimate: bool = False,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    orders: Iterable[Number] = (),
    kl: bool = False,
    zcdp: bool = False,
    tradeoff: bool = False,
    check: bool = True,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Profile:
    """The band δ(ε) on a grid, exact for all ε where possible; other measures from the same losses.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilons: the values of ε (default: chosen to show the curve's shape).
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program: dicts, or a whole ``domain(q=…)``.
        neighbours: which two of them are compared, as in `load` (default: every two).
        repeat: how many independent runs to compose, from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        certificates: a folder for the proof of each point, in a file of its own; no point then leans on its neighbours.
            Exact divergences and trade-off functions have theirs in ``measures.json``.
        gap: stop when the interval at a point is at most this wide.
        max_nodes: stop after so many search nodes for each point.
        estimate: put a narrower band by sampling beside it, every ε from the same words.
        confidence: the probability that all of that band is right, at least.
        samples: output sequences to draw per direction of a pair.
        horizon: their length, at most.
        seed: what random words are drawn from.
        executor: where words are drawn (default: threads on all cores).
        orders: Rényi orders to show beside it, each above 1.
        kl: show the Kullback–Leibler divergence beside it.
        zcdp: show the least ρ of zCDP beside it.
        tradeoff: keep the proof of the trade-off functions among the ``certificates``, too, where they are exact.
        check: the checker must accept certificates before there is a result (up to a size).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: the question does not apply to this model.

    >>> import deltachain as dc
    >>> curve = profile(dc.examples.survey(), "s0", "s1", epsilons=["0", "1/2", "2"])
    >>> [(o.first, o.second) for o in curve.losses]
    [(Fraction(1, 4), Fraction(3, 4)), (Fraction(3, 4), Fraction(1, 4))]
    >>> curve.delta(epsilon=0).upper
    Fraction(1, 2)
    """
    grid = None if epsilons is None else sorted({as_epsilon(e) for e in epsilons})
    if grid is not None and not grid:
        raise InputError("epsilons: give at least one")
    measures = measures_of(orders, kl, zcdp)
    # Each point of the grid is asked in its turn.
    terms = Terms.read(exp_epsilon=1, gap=gap, max_nodes=max_nodes, repeat=repeat)
    for name, asked_for in (("certificates", certificates is not None), ("estimate", estimate)):
        if (terms.runs > 1 or compose) and asked_for:
            raise InputError(f"{name}: this is about one run of the chain; ask for it without repeat and compose")
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        drawing = sampling_for(confidence, samples, horizon, seed, cancel) if estimate else None
        # Words are drawn from the program's own chain.
        settings = Settings(secrets=secrets, neighbours=neighbours, sandwiched=not estimate, cancel=cancel)
        inquiry = load_inquiry(model, settings, s, t, pairs)
        if estimate:
            certified = "leave it out: the band itself is certified"
            need_words(inquiry.chain, certified, certified)
        question = terms.about(inquiry.chain, inquiry.pairs, load_composed(compose, cancel))
        work = Workspace.of(question)
        checks = make_inspection(inquiry.chain, cancel, check)
        folder = None if certificates is None else Path(certificates)
        keep = None if folder is None else certificates_in(folder)
        if question.together:
            found = composed_profile(question, work, grid, cancel, measures)
            return replace(found, inputs=inquiry.covers)
        found = profile_of(question, work, grid, cancel, keep, drawing, executor, checks, measures)
        if folder is not None and (measures or tradeoff) and found.has_certificate:
            found.certificate.save(folder / "measures.json")
        return replace(found, inputs=inquiry.covers)


def measures_of(orders: Iterable[Number], kl: bool, zcdp: bool) -> list[tuple[DivergenceName, Fraction | None]]:
    """What to show beside δ(ε): (measure, order), KL first, which is the limit at order 1."""
    found: list[tuple[DivergenceName, Fraction | None]] = [("kl", None)] if kl else []
    found += [("renyi", order) for order in sorted({as_order(order) for order in orders})]
    if zcdp:
        found.append(("zcdp", None))
    return found


def profile_of(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    keep: Callable[[ExpEpsilon, Evidence], None] | None = None,
    drawing: Sampling | None = None,
    executor: Executor | None = None,
    inspection: Inspection | None = None,
    measures: Sequence[tuple[DivergenceName, Fraction | None]] = (),
    *,
    moments: bool = True,
) -> Profile:
    """`profile` of one run, of a question that is read already; each point is asked with its gap and budget.

    Without ``moments``, those of Rényi divergences are not found exactly.
    """
    chain = question.chain
    if chain.sandwiches is not None:

        def about(side: Side, checks: Inspection | None, grid: Sequence[Fraction] | None) -> Profile:
            asked = side.question, side.work
            return profile_of(*asked, grid, cancel, inspection=checks, measures=measures, moments=False)

        return profile_between(question, cancel, inspection, about, grid, keep)
    searched = _Searches(inspection, keep, work, cancel)
    found = _band(question, work, grid, cancel, searched, drawing, executor)
    # Counts may leave a single chain: the band rests on their confidence all the same.
    found = replace(found, scope=Scope.of(chain))
    if reach.column_of(chain) == "enclosed" and drawing is None:
        dominating = cancel.attempt(lambda: find_dominating_losses(work, question.budget, cancel))
        found = replace(found, dominating=dominating or ())
    if measures and found.distributions is None:
        bounded = without_end(question, work, cancel)
        found = replace(found, endless=tuple(bounded[pair] for pair in question.pairs) if bounded else ())
        found = replace(found, concentration=_concentration(question))
    with cancel.make_ending().govern():
        found = replace(found, divergences=tuple(found.measured(*each, moments=moments) for each in measures))
    if found.distributions is not None:
        found = _by_endings(found, question, work, cancel, inspection, searched)
    elif found.pieces is not None:
        found = replace(found, points=tuple(searched.again(found, question)))
    else:
        found = replace(found, points=tuple(map(searched.tell, found.points)))
    takes = reach.takes("extreme chains", chain)
    return replace(found, inside=_inside(question, work, found, cancel, inspection) if takes else ())


def _by_endings(
    curve: Profile,
    question: Question,
    work: Workspace,
    cancel: Cancel,
    inspection: Inspection | None,
    searched: _Searches,
) -> Profile:
    """An exact curve and its measures, made of what the checker accepts of where runs end: one proof for every ε."""
    claimed = [each.claim for group in curve.divergences for each in group if each.claim is not None]
    evidence = Endings(work, curve.distributions or (), question.budget, cancel, claimed)
    try:
        accepted, losses = evidence.accept(inspection)
    except Stopped:
        return replace(curve, points=tuple(map(searched.tell, curve.points)))
    said, measured = accepted.checked, iter(accepted.claims[len(accepted.claims) - len(claimed) :])
    groups = tuple(
        tuple(each if each.claim is None else each.accept(next(measured), said) for each in group)
        for group in curve.divergences
    )
    found = replace(curve, distributions=losses, divergences=groups, _proof=evidence)
    if evidence.few:
        found = replace(found, checked_tradeoff=said)
    if searched.save is not None:
        return replace(found, points=tuple(map(searched.tell, curve.points)))
    if evidence.few and (said.accepted or inspection is None):
        points = [replace(found.delta(epsilon=point.epsilon), checked=bool(said.accepted)) for point in curve.points]
        return replace(found, points=tuple(points))
    return replace(found, points=tuple(searched.again(found, question)))


def _inside(
    question: Question, work: Workspace, curve: Profile, cancel: Cancel, inspection: Inspection | None
) -> tuple[Profile, ...]:
    """The curves of single chains within the limits, extreme ones as found at some ε for the worst pair there."""
    budget = Budget(question.budget.at_most(MAX_NODES))
    open_points = [point.epsilon for point in curve.points if point.lower < point.upper]
    places = [question.at, *(ExpEpsilon.of(e) for e in open_points[:: len(open_points) // INSIDE_PLACES + 1])]
    chains: dict[Chain, None] = {}
    part = cancel.part("single chains within the limits")
    for at in {at.below: at for at in places}.values():
        if cancel.is_stopped():
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
class _Searches:
    """The searches behind a profile: each is checked as it ends, and kept if that was asked for."""

    inspection: Inspection | None
    """None where nothing is to be checked."""
    save: Callable[[ExpEpsilon, Evidence], None] | None
    work: Workspace
    cancel: Cancel
    known: dict[Fraction, tuple[Fraction, Fraction, bool]] = field(default_factory=dict)
    """(lower, upper, whether the checker accepted that), by ε."""

    def add(self, at: ExpEpsilon, answer: Answer) -> None:
        """A search at this ε has ended."""
        found = answer.accept(self.inspection)
        lower, upper = (max(getattr(claim, side) for claim in found.claims) for side in ("lower", "upper"))
        self.known[at.epsilon or Fraction(0)] = lower, upper, bool(found.checked.accepted)
        if self.save is not None:
            self.save(at, answer)

    def tell(self, point: ProfilePoint) -> ProfilePoint:
        """A point of a band with what the checker said of it; None where it follows from other points."""
        lower, upper, accepted = self.known.get(point.epsilon, (Fraction(0), Fraction(1), False))
        implied = not point.lower <= lower <= upper <= point.upper
        return replace(point, checked=None if implied else accepted)

    def again(self, curve: Profile, question: Question) -> Iterator[ProfilePoint]:
        """The points of an exact curve of which there is no proof as a whole, each searched and checked by itself.

        As long as the checker has steps left.
        """
        inspection, more = self.inspection, True
        for point in curve.points:
            if inspection is None or not more or self.cancel.is_stopped():
                yield replace(point, checked=False)
                continue
            at = ExpEpsilon.of(point.epsilon)
            answer = search(replace(question, at=at, allowed=None, gap=Fraction(0)), self.work, self.cancel)
            if answer.lower > point.upper or answer.upper < point.lower:
                raise inspection.contradiction(answer, "δ is another at a point of the curve")
            self.add(at, answer)
            lower, upper, more = self.known[point.epsilon]
            yield replace(point, checked=more and point.lower <= lower and upper <= point.upper)


def _band(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    searched: _Searches,
    drawing: Sampling | None,
    executor: Executor | None,
) -> Profile:
    """δ(ε), exact where it can be, on the grid or where it shows the curve."""
    distributions = cancel.attempt(lambda: find_all_losses(work, question.budget, cancel))
    names, alone = names_of(work), searched.save is not None
    chosen_here = distributions is None and not alone and drawing is None
    pieces = cancel.attempt(lambda: _exact_pieces(question, work, cancel)) if chosen_here else None
    if pieces is not None:
        exact = Profile(names, (), None, pieces=pieces)
        end = log_above(round_to_side(pieces[-1].begin, "upper"), 4) * Fraction(21, 20) or Fraction(1)
        return Profile(names, tuple(exact.delta(epsilon=e) for e in grid or _grid_to(end)), None, pieces=pieces)
    if chosen_here and grid is None:
        found_at, chosen = bound_widest(question, work, FARTHEST, cancel, seen=searched.add)
        points = tuple(ProfilePoint(e, p.lower, p.upper) for e, p in zip(found_at, chosen.points, strict=True))
        return Profile(names, points, None, interrupted=chosen.cut_off)
    grid = grid or _default_grid(distributions)
    if distributions is not None and not alone:
        exact = Profile(names, (), distributions)
        found = cancel.make_ending().attempt(lambda: tuple(exact.delta(epsilon=e) for e in grid))
        if found is not None:
            known = None
            if drawing is not None:
                bounds = tuple((p.lower, p.upper) for p in found)
                known = EstimatedBand(1 - drawing.error, drawing.seed, 0, 0, bounds)
            return Profile(names, found, distributions, estimate=known)
        distributions = None
    if drawing is not None and question.budget.max_nodes is None:
        question = replace(question, budget=Budget(NODES_BESIDE_ESTIMATE))
    places = [ExpEpsilon.of(e) for e in grid]
    proved = bound_band(question, work, places, cancel, searched.add, alone)
    points = tuple(ProfilePoint(e, p.lower, p.upper, p.reached) for e, p in zip(grid, proved.points, strict=True))
    band = None
    if drawing is not None:
        band = _estimated_band(work, grid, [(p.lower, p.upper) for p in points], drawing, executor)
    cut_off = proved.cut_off or (drawing is not None and cancel.is_stopped())
    return Profile(names, points, distributions, interrupted=cut_off, estimate=band)


def _exact_pieces(question: Question, work: Workspace, cancel: Cancel) -> tuple[Piece, ...] | None:
    """δ as an exact function of e^ε where the observer chooses inputs and every belief graph ends; None otherwise."""
    if not reach.takes("pieces", work.chain) or not work.alike:
        return None
    work.prepare(cancel)
    if any(explore_to_end(work, pair, question.budget.max_nodes, cancel) is None for pair in work.alike):
        return None

    def value(alpha: Exact) -> Exact | None:
        if len(work.alike) < len(work.pairs):
            return Fraction(1)  # labels that differ tell two states apart at every ε
        return None if cancel.is_stopped() else value_at(work, work.alike, alpha)

    # A value costs about as much as the graph has beliefs: large graphs get a band.
    return exact_pieces(value, min(MOST_VALUES, VALUES_TIMES_BELIEFS // max(len(work.graph.nodes), 1)))


def composed_profile(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    measures: Sequence[tuple[DivergenceName, Fraction | None]] = (),
) -> Profile:
    """The band of independent runs, and other measures; every point is 0 ≤ δ ≤ 1 if composing them was cancelled."""
    if question.chain.sandwiches is not None:

        def about(side: Side, _: Inspection | None, grid: Sequence[Fraction] | None) -> Profile:
            return composed_profile(side.question, side.work, grid, cancel, measures)

        return profile_between(question, cancel, None, about, grid, None)
    found = _composed_band(question, work, grid, cancel)
    with cancel.make_ending().govern():
        return replace(found, divergences=tuple(found.measured(*measure) for measure in measures))


def _composed_band(question: Question, work: Workspace, grid: Sequence[Fraction] | None, cancel: Cancel) -> Profile:
    """The band alone."""
    scope = Scope.of(question.chain, question.runs, question.beside)
    try:
        composition = compose(runs_of(question, work), question.budget, cancel)
    except Stopped:
        nothing = (ProfilePoint(e, Fraction(0), Fraction(1), False) for e in grid or [Fraction(0)])
        return Profile(names_of(work), tuple(nothing), None, interrupted=True, scope=scope)
    grid = grid or _grid_to(round_up(Fraction(composition.farthest), 4) or Fraction(1))
    points = (ProfilePoint(e, *composition.delta(ExpEpsilon.of(e))) for e in grid)
    found = Profile(names_of(work), tuple(points), None, scope=scope, together=composition.single)
    return replace(found, concentration=_concentration(question))


def _concentration(question: Question) -> tuple[Fraction | None, ...]:
    """ρ of each pair by the theorem about Gaussians, of all runs together: those of independent runs add up."""
    beside: list[Fraction | None] = []
    for model in question.beside:
        of_pairs = [model.chain.concentration.get(pair) for pair in model.chain.relation]
        beside.append(None if None in of_pairs else max(rho for rho in of_pairs if rho is not None))
    found: list[Fraction | None] = []
    for pair in question.pairs:
        each = [question.chain.concentration.get((min(pair), max(pair))), *beside]
        known = [rho for rho in each if rho is not None]
        found.append(sum(known, Fraction(0)) * question.runs if len(known) == len(each) else None)
    return tuple(found)


def certificates_in(folder: Path) -> Callable[[ExpEpsilon, Evidence], None]:
    """Writes the certificate of a point into the folder, named by its ε."""
    make_folder(folder)

    def save(at: ExpEpsilon, answer: Evidence) -> None:
        name = format_fraction(at.epsilon or 0).replace("/", "_")
        answer.certificate().save(folder / f"epsilon-{name}.json")

    return save


def _default_grid(distributions: Sequence[PrivacyLosses] | None) -> list[Fraction]:
    """Round numbers from 0 to just past the largest finite loss, at most `MOST_STEPS` apart."""
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
    """Round numbers from 0 to just past ``end``, which is above 0, or to the largest ε that there is."""
    end = min(end, Fraction(MAX_EPSILON))
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
    from ..estimate.find import estimate_band

    confidence = 1 - drawing.error
    if all(low == high for low, high in proved):
        return EstimatedBand(confidence, drawing.seed, 0, 0, tuple(proved))
    with drawing_on(executor, drawing) as ready:
        band = estimate_band(work, [ExpEpsilon.of(e) for e in grid], ready)
    upper = list(accumulate((high for _, high in band.bounds), min))  # δ falls: as a certified band is sharpened
    lower = list(accumulate(reversed([low for low, _ in band.bounds]), max))[::-1]
    bounds = tuple(_within(low, high, *known) for low, high, known in zip(lower, upper, proved, strict=True))
    return EstimatedBand(confidence, drawing.seed, band.samples, band.horizon, bounds)


def _within(low: Fraction, high: Fraction, proved_low: Fraction, proved_high: Fraction) -> tuple[Fraction, Fraction]:
    """The intersection; where it is empty the samples are wrong, and what is proved stands."""
    high = max(min(high, proved_high), proved_low)
    return min(max(low, proved_low), high), high
