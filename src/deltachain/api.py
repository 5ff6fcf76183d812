"""The public verbs: thin functions from a model and a privacy parameter to an answer with its proof.

Every verb takes what `load` takes in place of a chain: a chain, a `Program` with ``secrets``, a path, ``"example:…"``.
ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the model carries. What comes back is
a value: it prints shortly, compares, hashes, pickles, and has ``to_dict``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from .beliefs.proof import Answer
from .beliefs.question import Budget, Question, Terms, asked_pairs
from .beliefs.search import search
from .beliefs.workspace import Workspace
from .cancel import Cancel, Report
from .cancel import interruptible as until_interrupted
from .errors import Defect, InputError, NotConverged, SolverUnknown, Stopped, UncertainChain
from .files import make_folder
from .loading import load, load_with_notes
from .model import Chain, Loaded, Quotient, quotient
from .model.parts import refuse_inputs
from .model.words import Word, event_probability, parse_word
from .parameters import (
    DEFAULT_CONFIDENCE,
    as_confidence,
    as_epsilon,
    as_horizon,
    as_questions,
    as_runs,
    as_samples,
    as_seconds,
    as_seed,
    as_width,
)
from .rational import ExpEpsilon, Number, as_probability, format_fraction, log_above, round_up
from .results.delta import Delta, PairDelta, Verdict, Within

if TYPE_CHECKING:
    from .beliefs.composed import Runs
    from .beliefs.curves import Piece
    from .beliefs.inside import Inside
    from .beliefs.losses import PrivacyLosses
    from .beliefs.plans import FixedPlan
    from .certificate.record import Certificate
    from .distances.fixed_point import FixedPoint
    from .programs import Program
    from .results.distance import Distance, Kind
    from .results.epsilon_bound import EpsilonBound
    from .results.estimate import Estimate
    from .results.profile import EstimatedBand, Profile
    from .results.threshold import PairThreshold, Threshold
    from .results.trace import Trace
    from .sampling.estimates import Sampling
    from .smt.decider import Decider
    from .smt.prefixed_point import PrefixedPoint

State = str | int
Pairs = Iterable[tuple[State, State]]
Secrets = Sequence[Mapping[str, object]]

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
VALUES_TIMES_BELIEFS = 1_000_000
"""Without a grid, ε runs from 0 to the largest finite loss, or to this."""


def delta(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    fixed: int | None = None,
    repeat: int = 1,
    compose: Sequence[Chain | Program | str | Path | Loaded] = (),
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Delta:
    """A certified interval for the smallest δ such that the pairs are (ε, δ)-private.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        gap: stop when the interval is at most this wide (default: as narrow as a finite search gets, 1e-6 on chains
            with cycles).
        max_nodes: stop after so many belief pairs.
        fixed: where the observer chooses inputs, ask also for the best plan of so many questions that are decided in
            advance; it is then in ``plans``.
        repeat: ask about so many independent runs, composed from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        timeout: stop after so many seconds. The interval is certified whenever the search stops.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with the interval reached, instead of raising KeyboardInterrupt.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model; all defects at once.
        SolverError: the beliefs that plans (``fixed``) lead to are too many.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> delta(chain, "s0", "s1", exp_epsilon="1.0002")
    <Delta: δ(s0, s1) = 7501/25000000 = 0.00030004, exact, e^ε = 1.0002 (ε ≈ 0.00019998)>
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, max_nodes=max_nodes)
    questions, times = None if fixed is None else as_questions(fixed), as_runs(repeat)
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        return delta_of(terms, chain, numbers, cancel, questions, times, named_models(compose, cancel))


def delta_of(
    terms: Terms,
    chain: Chain,
    pairs: Sequence[tuple[int, int]],
    cancel: Cancel,
    fixed: int | None = None,
    repeat: int = 1,
    compose: Sequence[Loaded] = (),
) -> Delta:
    """`delta` or, where the terms allow a δ, `check`, of terms that are read already."""
    question = terms.about(chain, pairs)
    work = Workspace.of(question)
    if repeat > 1 or compose:
        if fixed is not None:
            raise InputError("fixed: a plan is about one run of the chain; ask for it without repeat and compose")
        from .beliefs.composed import composed_answer

        answer = composed_answer(question, _runs(work, repeat, compose), cancel)
        return as_delta(answer, repeat=repeat, compose=tuple(model.source for model in compose))
    plans = () if fixed is None else _plans(question, work, fixed, cancel)
    answer = search(question, work, cancel)
    if chain.limited and not chain.interactive and not question.decided([p.interval for p in answer.proofs]):
        from .beliefs.inside import inside_of

        return as_delta(answer, plans, inside=inside_of(question, cancel))
    return as_delta(answer, plans)


def as_delta(
    answer: Answer,
    plans: tuple[FixedPlan, ...] = (),
    repeat: int = 1,
    compose: tuple[str, ...] = (),
    inside: Mapping[tuple[int, int], Inside] = MappingProxyType({}),
) -> Delta:
    """The answer of a search as a value: a `Verdict` where its question allows a δ."""

    def within(pair: tuple[int, int]) -> Within | None:
        found = inside.get(pair)
        return None if found is None else Within(found.centre.lower, found.centre.upper, found.lower, found.upper)

    results: tuple[PairDelta, ...] = tuple(
        PairDelta(p.names, p.interval.lower, p.interval.upper, p.method, p.stopped, p.nodes, within(p.pair))
        for p in answer.proofs
    )
    at, allowed = answer.question.at, answer.question.allowed
    chain = answer.question.chain
    more: dict[str, Any] = {"repeat": repeat, "compose": compose}
    more |= {"uncertain": chain.limited, "confidence": chain.confidence}
    more["extremes"] = tuple(inside[p.pair].largest for p in answer.proofs) if inside else ()
    if allowed is None:
        return Delta(at, results, answer, plans=plans, **more)
    return Verdict(at, results, answer, allowed, **more)


def named_models(models: Sequence[Chain | Program | str | Path | Loaded], cancel: Cancel) -> list[Loaded]:
    """The models that run beside another one, with their names."""
    if isinstance(models, str | Path):
        raise InputError(Defect("compose", f"{str(models)!r} is one model", "give a list of them"))
    return [model if isinstance(model, Loaded) else load_with_notes(model, cancel=cancel) for model in models]


def _runs(work: Workspace, repeat: int, compose: Sequence[Loaded]) -> Runs:
    """The model of ``work`` and those beside it; InputError with each of these that has no pairs."""
    from .beliefs.composed import Runs

    bare = [model for model in compose if not model.chain.relation]
    if bare:
        what, fix = "it carries no relation, so that there is nothing to compare", "add its pairs to the model"
        raise InputError(Defect(f"compose {model.source}", what, fix) for model in bare)
    others = [Workspace(model.chain, model.chain.relation) for model in compose]
    first = "compose, the first model" if repeat == 1 else "repeat"
    return Runs((work, *others), (first, *(f"compose {model.source}" for model in compose)), repeat)


def _plans(question: Question, work: Workspace, fixed: int, cancel: Cancel) -> tuple[FixedPlan, ...]:
    from .beliefs.plans import best_plans

    if not question.chain.interactive:
        raise InputError("fixed: there is nothing to ask: this chain has no inputs")
    return best_plans(question, work, fixed, cancel)


def check(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    repeat: int = 1,
    compose: Sequence[Chain | Program | str | Path | Loaded] = (),
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Verdict:
    """Is every pair (ε, δ)-private? Three-valued, and certified; stops as soon as the verdict is known.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        delta: the δ that is allowed, from 0 to 1.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        gap: stop also when the interval is at most this wide.
        max_nodes: stop after so many belief pairs.
        repeat: ask about so many independent runs, composed from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with the verdict reached.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model; all defects at once.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> check(chain, exp_epsilon="1.0002", delta="3e-4").verdict
    'violated'
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, allowed=delta, max_nodes=max_nodes)
    times = as_runs(repeat)
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        found = delta_of(terms, chain, numbers, cancel, None, times, named_models(compose, cancel))
    if not isinstance(found, Verdict):
        raise InputError("delta: the δ that is allowed is missing")
    return found


def epsilon(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    delta: Number,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    precision: Number = "1e-6",
    certificate: bool = False,
    max_nodes: int | None = None,
    repeat: int = 1,
    compose: Sequence[Chain | Program | str | Path | Loaded] = (),
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> EpsilonBound:
    """The least ε proved at δ, and the largest refuted.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        delta: the δ that is allowed; 0 asks for pure ε-privacy.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        precision: where a search over ε stops, relative in e^ε.
        certificate: let the result carry the proof that δ is allowed at the ε proved (or, if none is, that it is not at
            the ε refuted).
        max_nodes: stop after so many belief pairs for each ε that is tried.
        repeat: ask about so many independent runs, composed from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model.

    >>> import deltachain as dc
    >>> bound = epsilon(dc.examples.survey(), delta=0)
    >>> bound.proved, bound.exact
    (Fraction(3, 1), True)
    """
    from .beliefs.bands import Known
    from .beliefs.least_epsilon import Judge, least_alpha
    from .results.epsilon_bound import EpsilonBound

    terms = Terms.read(exp_epsilon=1, allowed=delta, max_nodes=max_nodes)  # each e^ε is asked in its turn
    allowed, width, budget = as_probability(delta, "delta"), as_width(precision, "precision"), terms.budget
    times = as_runs(repeat)
    if certificate and (times > 1 or compose):
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        work = Workspace(chain, numbers)
        models = named_models(compose, cancel)
        if times > 1 or models:
            from .beliefs.composed import least_composed_alpha

            found = least_composed_alpha(_runs(work, times, models), allowed, width, budget, cancel)
        else:
            known = Known(alone=certificate)  # a certificate proves what is so at one e^ε
            found = least_alpha(work, allowed, width, budget, cancel, known)
        proof: Certificate | None = None
        if certificate:
            answer = Judge(work, allowed, budget, cancel).answer(
                found.refuted if found.proved is None else found.proved
            )
            shown = answer.lower > allowed if found.proved is None else answer.upper <= allowed
            proof = answer.certificate() if shown else None
        exact = found.epsilon is not None or (found.proved is not None and found.proved == found.refuted)
        bounds = (found.proved, found.refuted, exact, found.least_delta)
        sources = tuple(model.source for model in models)
        limits = (chain.limited, chain.confidence)
        return EpsilonBound(_names(work), allowed, *bounds, proof, times, sources, found.epsilon, *limits)


def profile(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilons: Iterable[Number] | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    repeat: int = 1,
    compose: Sequence[Chain | Program | str | Path | Loaded] = (),
    certificates: str | Path | None = None,
    gap: Number | None = None,
    max_nodes: int | None = None,
    estimate: bool = False,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Profile:
    """The band δ(ε) on a grid, exact for all ε where possible.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilons: the values of ε (default: chosen to show the curve's shape).
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        repeat: ask about so many independent runs, composed from the exact losses of one.
        compose: models that run beside it, independently, each with its own relation; the worst choice of a pair of
            each, in either order, counts.
        certificates: a folder for the proof of each point, in a file of its own; no point then leans on its neighbours.
        gap: stop when the interval at a point is at most this wide.
        max_nodes: stop after so many belief pairs for each point.
        estimate: put a narrower band by sampling beside it, every ε from the same words.
        confidence: the probability that all of that band is right, at least.
        samples: words to draw for each direction of a pair.
        horizon: letters of a word, at most.
        seed: what random words are drawn from.
        executor: where words are drawn (default: threads on all cores).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with what is proved.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model.

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
    runs = as_runs(repeat)
    together = runs > 1 or bool(compose)
    for name, asked_for in (("certificates", certificates is not None), ("estimate", estimate)):
        if together and asked_for:
            raise InputError(f"{name}: this is about one run of the chain; ask for it without repeat and compose")
    terms = Terms.read(exp_epsilon=1, gap=gap, max_nodes=max_nodes)  # each point of the grid is asked in its turn
    with watching(cancel, timeout, report, interruptible) as cancel:
        drawing = sampling_for(confidence, samples, horizon, seed, cancel) if estimate else None
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        if estimate:
            refuse_inputs(chain, "estimate", NOT_DRAWN, "leave it out: the band itself is certified")
        question = terms.about(chain, numbers)
        work = Workspace.of(question)
        if together:
            return _composed_profile(question, work, grid, runs, named_models(compose, cancel), cancel)
        keep = None if certificates is None else _certificates_in(Path(certificates))
        return profile_of(question, work, grid, cancel, keep, drawing, executor)


def profile_of(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    cancel: Cancel,
    keep: Callable[[ExpEpsilon, Answer], None] | None = None,
    drawing: Sampling | None = None,
    executor: Executor | None = None,
) -> Profile:
    """`profile` of one run, of a question that is read already; each point is asked with its gap and budget."""
    from .beliefs.bands import bound_band
    from .beliefs.losses import find_all_losses
    from .results.profile import EstimatedBand, Profile, ProfilePoint

    distributions = find_all_losses(work, question.budget, cancel)
    names = _names(work)
    pieces = (
        _exact_pieces(question, work, cancel) if distributions is None and keep is None and drawing is None else None
    )
    if pieces is not None:
        exact = Profile(names, (), None, pieces=pieces)
        end = log_above(pieces[-1].begin, 4) * Fraction(21, 20) or Fraction(1)
        return Profile(names, tuple(exact.delta(epsilon=e) for e in grid or _grid_to(end)), None, pieces=pieces)
    if distributions is None and grid is None and keep is None and drawing is None:
        from .beliefs.bands import bound_widest

        places, chosen = bound_widest(question, work, FARTHEST, cancel)
        points = tuple(ProfilePoint(e, p.lower, p.upper) for e, p in zip(places, chosen.points, strict=True))
        return Profile(names, points, None, interrupted=chosen.cut_off)
    grid = grid or _default_grid(distributions)
    if distributions is not None and keep is None:
        exact = Profile(names, (), distributions)
        found = tuple(exact.delta(epsilon=e) for e in grid)
        known = None
        if drawing is not None:
            bounds = tuple((p.lower, p.upper) for p in found)
            known = EstimatedBand(1 - drawing.error, drawing.seed, 0, 0, bounds)
        return Profile(names, found, distributions, estimate=known)
    if drawing is not None and question.budget.max_nodes is None:
        question = replace(question, budget=Budget(NODES_BESIDE_ESTIMATE))
    proved = bound_band(question, work, [ExpEpsilon.read(epsilon=e) for e in grid], cancel, keep)
    points = tuple(ProfilePoint(e, p.lower, p.upper, p.reached) for e, p in zip(grid, proved.points, strict=True))
    band = None
    if drawing is not None:
        band = _estimated_band(work, grid, [(p.lower, p.upper) for p in points], drawing, executor)
    cut_off = proved.cut_off or (drawing is not None and cancel.stopped())
    return Profile(names, points, distributions, interrupted=cut_off, estimate=band)


def _exact_pieces(question: Question, work: Workspace, cancel: Cancel) -> tuple[Piece, ...] | None:
    """δ as an exact function of e^ε where the observer chooses inputs and every belief graph ends; None otherwise."""
    from .beliefs.finite_graph import ending
    from .beliefs.piecewise import MOST_VALUES, exact_pieces
    from .beliefs.search import search

    if not work.chain.interactive or work.chain.uncertain or not work.alike:
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


def _names(work: Workspace) -> tuple[tuple[str, str], ...]:
    return tuple((work.chain.states[a], work.chain.states[b]) for a, b in work.pairs)


def _composed_profile(
    question: Question,
    work: Workspace,
    grid: Sequence[Fraction] | None,
    repeat: int,
    models: Sequence[Loaded],
    cancel: Cancel,
) -> Profile:
    """The band of independent runs; every point is 0 ≤ δ ≤ 1 if composing them was cancelled."""
    from .beliefs.composed import compose
    from .results.profile import Profile, ProfilePoint

    beside = tuple(model.source for model in models)
    try:
        composition = compose(_runs(work, repeat, models), question.budget, cancel)
    except Stopped:
        nothing = (ProfilePoint(e, Fraction(0), Fraction(1), False) for e in grid or [Fraction(0)])
        return Profile(_names(work), tuple(nothing), None, repeat, interrupted=True, compose=beside)
    grid = grid or _grid_to(round_up(Fraction(composition.farthest), 4) or Fraction(1))
    points = (ProfilePoint(e, *composition.delta(ExpEpsilon.read(epsilon=e))) for e in grid)
    return Profile(_names(work), tuple(points), None, repeat, compose=beside)


def _certificates_in(folder: Path) -> Callable[[ExpEpsilon, Answer], None]:
    """Writes the certificate of a point into the folder, named by its ε."""
    make_folder(folder)

    def save(at: ExpEpsilon, answer: Answer) -> None:
        name = format_fraction(at.epsilon or 0).replace("/", "_")
        answer.certificate().save(folder / f"epsilon-{name}.json")

    return save


def _default_grid(distributions: Sequence[PrivacyLosses] | None) -> list[Fraction]:
    """Round numbers from 0 to just past the largest finite loss, at most `MOST_STEPS` apart."""
    end = FARTHEST
    if distributions is not None:
        ratios = [
            max(o.first / o.second, o.second / o.first)
            for losses in distributions
            for o in losses.outcomes
            if o.first and o.second
        ]
        largest = log_above(max(ratios), 4) if ratios else Fraction(0)
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


def estimate(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    confidence: Number = DEFAULT_CONFIDENCE,
    samples: int | None = None,
    horizon: int | None = None,
    seed: int = 0,
    gap: Number | None = None,
    max_nodes: int | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Estimate:
    """An interval for δ that is right with probability at least ``confidence``, narrower than what is proved.

    The certified interval comes first; then words are drawn from the beliefs that are still open. The bounds hold
    whenever that ends. The same ``seed`` and ``samples`` give the same answer on any ``executor``.

    Args:
        model: a chain, or what `load` takes.
        s: a start state, by name or number.
        t: the start state that it is compared with.
        epsilon: the privacy parameter ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        confidence: the probability that every interval is right, at least.
        samples: words to draw for each direction of a pair (default: as many as some seconds allow).
        horizon: letters of a word, at most (default: chosen on words that are thrown away).
        seed: what random words are drawn from.
        gap: stop when the interval is at most this wide.
        max_nodes: belief pairs of the certified search.
        executor: where words are drawn (default: threads on all cores).
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it with the intervals reached.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model; where the observer chooses inputs, no words are drawn.

    >>> import deltachain as dc
    >>> estimate(dc.examples.survey(), exp_epsilon=2)  # small enough to be proved
    <Estimate: δ(s0, s1) = 1/4 = 0.25, proved, nothing was left to estimate, e^ε = 2 (ε ≈ 0.693147)>
    """
    terms = Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, gap=gap, max_nodes=max_nodes)
    with watching(cancel, timeout, report, interruptible) as cancel:
        drawing = sampling_for(confidence, samples, horizon, seed, cancel)
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        return estimate_of(terms, chain, numbers, drawing, executor, cancel)


def estimate_of(
    terms: Terms,
    chain: Chain,
    pairs: Sequence[tuple[int, int]],
    drawing: Sampling,
    executor: Executor | None,
    cancel: Cancel,
) -> Estimate:
    """`estimate` of terms that are read already."""
    from .beliefs.forest import default_budget
    from .results.estimate import Estimate, PairEstimate
    from .sampling.estimates import narrow

    refuse_inputs(chain, "estimate", NOT_DRAWN, "delta bounds the best strategy")
    if chain.uncertain:
        what = "words cannot be drawn from rows that are known within limits only"
        raise UncertainChain(Defect("estimate", what, "delta bounds δ for every chain within them"))
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


def distance(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | Literal["all"] | None = None,
    secrets: Secrets | None = None,
    kind: Kind = "bd",
    traces: bool = False,
    exact: bool | None = None,
    merge: bool = False,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Distance:
    """The distance bd, ld or sd of pairs of states; each bounds δ from above.

    Args:
        model: a chain, or what `load` takes.
        s: a state, by name or number.
        t: another one.
        epsilon: ε ≥ 0; the distance is then measured at a rational just below e^ε.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``, or ``"all"``: every pair of states of one label.
        secrets: what a program starts from.
        kind: ``"bd"``, the paper's, symmetric; ``"ld"``, directed, at most bd; ``"sd"``, with complement constraints,
            at most ld.
        traces: for sd on chains of up to some hundred states, work up to trace equivalence: never larger, and certified
            from above only.
        exact: True asks for the exact value; False for certified upper values; None tries the exact ones on small
            chains.
        merge: measure on the bisimulation quotient, where distances may be smaller.
        timeout: give up after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model.
        NotConverged: the exact value was asked for, and takes too long; ``upper`` is the certified upper Distance.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> distance(chain, "s0", "s1", exp_epsilon="1.0002")
    <Distance: bd(s0, s1) = 1/2500 = 0.0004, exact, e^ε = 1.0002 (ε ≈ 0.00019998)>
    """
    from .distances.fixed_point import FixedPoint, solve
    from .results.distance import Kind

    if kind not in get_args(Kind):
        raise InputError(f"kind: {kind!r} is none of {', '.join(get_args(Kind))}")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    with watching(cancel, timeout, report, interruptible) as cancel:
        numbers: list[tuple[int, int]] | None = None
        if isinstance(pairs, str) and pairs == "all" and s is None and t is None:
            chain = load(model, secrets=secrets, cancel=cancel)
        else:
            chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        merged = quotient(chain, cancel=cancel) if merge else None
        measured = chain if merged is None else merged.chain
        places = (
            numbers if merged is None or numbers is None else [(merged.block[a], merged.block[b]) for a, b in numbers]
        )
        try:
            solution = solve(measured, at.below, kind=kind, pairs=places, exact=exact, traces=traces, cancel=cancel)
        except NotConverged as reason:
            if not isinstance(reason.upper, FixedPoint):
                raise
            raise NotConverged(str(reason), _distance(chain, at, reason.upper, merged, numbers)) from None
    return _distance(chain, at, solution, merged, numbers)


def _distance(
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
            found.append(PairDistance((chain.states[a], chain.states[b]), solution[s, t], solution[t, s], side))
        results = tuple(found)
    return Distance(
        kind=solution.kind,
        exp_epsilon=at,
        side=solution.side,
        sharp=solution.sharp,
        results=results,
        merged=merged is not None,
        traces=solution.traces is not None,
        measured=len(measured),
        states=chain.states,
        labels=chain.labels,
        _proof=DistanceProof(chain, solution, merged, places),
    )


def threshold(
    model: Chain | Program | str | Path,
    s: State | None = None,
    t: State | None = None,
    *,
    theta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    strict: bool = False,
    solver: str = "z3",
    formula: str | None = None,
    encoding: str = "bounded",
    bits: int | None = None,
    timeout: float | None = 60,
    cancel: Cancel | None = None,
) -> Threshold:
    """Is bd ≤ θ at e^ε (at a rational just below it, where ``epsilon`` is given)?

    Args:
        model: a chain, or what `load` takes.
        s: a state, by name or number.
        t: another one.
        theta: the threshold, from 0 to 1.
        epsilon: ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: what a program starts from.
        strict: ask bd < θ.
        solver: ``"z3"``, ``"cvc5"``, or ``"engine"``, which computes the distance.
        formula: ``"np"``, ``"sigma2"`` or ``"least"``; None for the solver's default.
        encoding: ``"faithful"``, ``"reduced"`` or ``"bounded"``.
        bits: let the solver look for ratios of natural numbers of so many bits. There may be none although bd ≤ θ: then
            the answer is "unknown", unless so many bits are always enough.
        timeout: seconds for each call of a solver; None for no limit.
        cancel: a deadline for the whole, and where progress goes.

    Raises:
        InputError: what was asked cannot be asked of this model.
        BackendMissing: the solver is not installed.

    >>> import deltachain as dc
    >>> threshold(dc.examples.coin(), "s0", "s1", theta=0, exp_epsilon="3/2", solver="engine").answer
    'yes'
    """
    from .results.threshold import Threshold

    limit = as_probability(theta, "theta")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    cancel = cancel or Cancel()
    chain, numbers = asked(model, secrets, s, t, pairs, cancel)
    results, proofs = [], []
    asked_of = deciders(chain, numbers, at, solver, formula, encoding, timeout, bits)
    for decider in asked_of:
        cancel.report(f"{chain.states[decider.s]} against {chain.states[decider.t]}: {solver}")
        result, point = _decided(decider, limit, strict, cancel)
        results.append(result)
        proofs.append((decider.s, decider.t, point))
    formula_used, encoding_used = (None, None) if solver == "engine" else (asked_of[0].formula, encoding)
    return Threshold(limit, strict, at, solver, formula_used, encoding_used, bits, tuple(results), tuple(proofs))


def deciders(
    chain: Chain,
    pairs: Iterable[tuple[int, int]],
    at: ExpEpsilon,
    solver: str,
    formula: str | None,
    encoding: str,
    timeout: float | None,
    bits: int | None = None,
) -> list[Decider]:
    """One decider per pair, at the rational just below e^ε."""
    from .smt.decider import Decider

    refuse_inputs(
        chain, "threshold", "the formulas have one step for each pair", "measure bd itself: distance takes inputs"
    )
    settings: dict[str, Any] = {
        "solver": solver,
        "formula": formula,
        "encoding": encoding,
        "timeout": timeout,
        "bits": bits,
    }
    return [Decider(chain, s, t, exp_epsilon=at.below, **settings) for s, t in pairs]


def _decided(
    decider: Decider, theta: Fraction, strict: bool, cancel: Cancel
) -> tuple[PairThreshold, PrefixedPoint | None]:
    from .results.threshold import PairThreshold

    pair = decider.chain.states[decider.s], decider.chain.states[decider.t]
    if cancel.stopped():
        why = "time limit reached" if cancel.reason == "time" else "interrupted"
        return PairThreshold(pair, "unknown", why, False), None
    try:
        decision = decider.decide(theta, strict=strict)
    except SolverUnknown as reason:
        return PairThreshold(pair, "unknown", str(reason), False), None
    if decision.proof is not None:
        ground = "a pre-fixed point, accepted by the checker"
    elif decision.settled:
        ground = "exact bounds; nothing was left to the solver"
    else:
        ground = "the exact distance" if decision.solver == "engine" else f"{decision.solver}: unsat"
    return PairThreshold(pair, "yes" if decision.holds else "no", ground, decision.proof is not None), decision.proof


def trace(
    model: Chain | Program | str | Path,
    states: State | Iterable[State],
    event: str | Sequence[str] | Iterable[Sequence[str]],
    *,
    secrets: Secrets | None = None,
    cancel: Cancel | None = None,
) -> Trace:
    """The exact probability that what is seen from each state starts with the word, or with a word of the event.

    Args:
        model: a chain, or what `load` takes.
        states: a state, or several, by name or number.
        event: a word (text with blanks between its letters, or a sequence of letters), or an iterable of words.
        secrets: what a program starts from.
        cancel: a deadline.

    Raises:
        InputError: an unknown state, or no event.

    >>> import deltachain as dc
    >>> trace(dc.examples.coin(), "s0", "start heads").probability
    Fraction(2, 5)
    """
    from .results.trace import Trace

    chain = load(model, secrets=secrets, cancel=cancel)
    several = list(states) if isinstance(states, Iterable) and not isinstance(states, str) else [states]
    numbers = list(dict.fromkeys(chain.number(state) for state in several))
    words = _event(event)
    chances = []
    for number in numbers:
        if cancel is not None:
            cancel.check()
        chances.append(event_probability(chain, number, words))
    return Trace(words, tuple(chain.states[number] for number in numbers), tuple(chances))


def _event(event: str | Sequence[str] | Iterable[Sequence[str]]) -> tuple[Word, ...]:

    try:
        if isinstance(event, str):
            return (parse_word(event),)
        given = list(event)
        if all(isinstance(letter, str) for letter in given):
            return (tuple(given),)  # type: ignore[arg-type]
        return tuple(parse_word(word) if isinstance(word, str) else tuple(word) for word in given)
    except (TypeError, ValueError) as reason:
        raise InputError(f"event: {reason}") from None


def verify(
    model: Chain | Program | str | Path,
    certificate: Certificate | Mapping[str, Any] | str | Path,
    *,
    secrets: Secrets | None = None,
    formal: bool = False,
) -> list[str]:
    """What a certificate proves about the model.

    Args:
        model: a chain, or what `load` takes.
        certificate: a certificate, its document, or the file of one.
        secrets: what a program starts from.
        formal: let the checker decide that is extracted from the proofs in formal/ (`make formal` builds it).

    Raises:
        CertificateRejected: it does not prove what it claims.
        InputError: a file that does not exist (also a FileNotFoundError), or the formal checker is not built.

    >>> import deltachain as dc
    >>> chain = dc.examples.coin()
    >>> len(verify(chain, dc.delta(chain, exp_epsilon=1).certificate))
    1
    """
    from .certificate.verification import verify_certificate

    return verify_certificate(load(model, secrets=secrets), certificate, formal=formal)


def asked(
    model: Chain | Program | str | Path,
    secrets: Secrets | None,
    s: State | None,
    t: State | None,
    pairs: Pairs | str | None,
    cancel: Cancel,
) -> tuple[Chain, list[tuple[int, int]]]:
    """The chain, and the pairs that are asked about, by number."""
    chain = load(model, secrets=secrets, cancel=cancel)
    return chain, asked_pairs(chain, s, t, pairs)


@contextmanager
def watching(
    cancel: Cancel | None, timeout: float | None, report: Report | None, interruptible: bool
) -> Iterator[Cancel]:
    """The token of one call: the caller's own, or a new one, which Ctrl-C sets if ``interruptible``."""
    if cancel is not None:
        if timeout is not None or report is not None or interruptible:
            raise InputError("cancel: it brings its own timeout, report and interruption; give it alone")
        yield cancel
        return
    cancel = Cancel(None if timeout is None else as_seconds(timeout), report)
    with until_interrupted(cancel) if interruptible else nullcontext():
        yield cancel
