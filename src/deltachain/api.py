"""The public verbs: thin functions from a model and a privacy parameter to an answer with its proof.

Every verb takes what `load` takes in place of a chain: a chain, a `Program` with ``secrets``, a path, ``"example:…"``.
ε enters as ``epsilon`` (then e^ε is bracketed by two rationals, and each bound uses the one that keeps it sound) or as
``exp_epsilon``, that is e^ε itself, exactly. Pairs default to the relation that the model carries. What comes back is
a value: it prints shortly, compares, hashes, pickles, and has ``to_dict``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from .answers import (
    NOT_DRAWN,
    certificates_in,
    composed_profile,
    decided,
    deciders,
    delta_of,
    distance_of,
    epsilon_of,
    estimate_of,
    profile_of,
    sampling_for,
)
from .beliefs.question import Terms, asked_pairs
from .beliefs.workspace import Workspace
from .cancel import Cancel, Report
from .cancel import interruptible as until_interrupted
from .errors import Defect, InputError, NotConverged
from .loading import load, load_with_notes
from .model import Chain, Loaded, quotient
from .model.words import Word, event_probability, parse_word
from .numbers.fraction import ExpEpsilon, Number, as_probability
from .parameters import (
    DEFAULT_CONFIDENCE,
    as_epsilon,
    as_questions,
    as_runs,
    as_seconds,
    as_width,
)
from .results.delta import Delta, Verdict

if TYPE_CHECKING:
    from .certificate.inspection import Inspection
    from .certificate.record import Certificate
    from .programs import Program
    from .results.distance import Distance, Kind
    from .results.epsilon_bound import EpsilonBound
    from .results.estimate import Estimate
    from .results.profile import Profile
    from .results.threshold import Threshold
    from .results.trace import Trace

State = str | int
Pairs = Iterable[tuple[State, State]]
Secrets = Sequence[Mapping[str, object]]


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
    check: bool = True,
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
        check: let the checker accept the certificate before there is a result (up to a size); `verify` does it later.
        timeout: stop after so many seconds. The interval is certified whenever the search stops.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end the search with the interval reached, instead of raising KeyboardInterrupt.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model; all defects at once.
        RejectedAnswer: the checker rejected the certificate: a mistake of ours, please report it.
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
        models, inspection = named_models(compose, cancel), inspected(chain, cancel, check)
        return delta_of(terms, chain, numbers, cancel, questions, times, models, inspection)


def inspected(chain: Chain, cancel: Cancel, check: bool) -> Inspection | None:
    """What checks the answers of one call, if they are to be checked."""
    if not check:
        return None
    from .certificate.inspection import Inspection

    return Inspection.of(chain, cancel)


def named_models(models: Sequence[Chain | Program | str | Path | Loaded], cancel: Cancel) -> list[Loaded]:
    """The models that run beside another one, with their names."""
    if isinstance(models, str | Path):
        raise InputError(Defect("compose", f"{str(models)!r} is one model", "give a list of them"))
    return [model if isinstance(model, Loaded) else load_with_notes(model, cancel=cancel) for model in models]


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
    check: bool = True,
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
        check: let the checker accept certificates before there is a result (up to a size).
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
        models, inspection = named_models(compose, cancel), inspected(chain, cancel, check)
        found = delta_of(terms, chain, numbers, cancel, None, times, models, inspection)
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
    check: bool = True,
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
        check: let the checker accept certificates before there is a result (up to a size).
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
    terms = Terms.read(exp_epsilon=1, allowed=delta, max_nodes=max_nodes)  # each e^ε is asked in its turn
    allowed, width, budget = as_probability(delta, "delta"), as_width(precision, "precision"), terms.budget
    times = as_runs(repeat)
    if certificate and (times > 1 or compose):
        raise InputError("certificate: it is about one run of the chain; ask for it without repeat and compose")
    with watching(cancel, timeout, report, interruptible) as cancel:
        chain, numbers = asked(model, secrets, s, t, pairs, cancel)
        models = named_models(compose, cancel)
        work = Workspace(chain, numbers)
        return epsilon_of(
            work,
            allowed,
            width,
            budget,
            cancel,
            certificate=certificate,
            repeat=times,
            compose=models,
            inspection=inspected(chain, cancel, check),
        )


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
    check: bool = True,
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
        check: let the checker accept certificates before there is a result (up to a size).
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
            chain.need("no inputs", "estimate", NOT_DRAWN, "leave it out: the band itself is certified")
        question = terms.about(chain, numbers)
        work = Workspace.of(question)
        if together:
            return composed_profile(question, work, grid, runs, named_models(compose, cancel), cancel)
        keep = None if certificates is None else certificates_in(Path(certificates))
        return profile_of(question, work, grid, cancel, keep, drawing, executor, inspected(chain, cancel, check))


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
    exact: bool | None = None,
    max_equations: int | None = None,
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
        exact: True asks for the exact value; False for certified upper values; None tries the exact ones on small
            chains.
        max_equations: for exact values, the largest linear system that may be solved (default: 3000).
        merge: measure on the bisimulation quotient, where distances may be smaller.
        timeout: give up after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it.
        cancel: a token of the caller's that stands for timeout, report and interruption.

    Raises:
        InputError: what was asked cannot be asked of this model.
        NotConverged: the exact value was asked for, and is too large or takes too long; ``upper`` is the certified
            Distance, whose results have a lower side too, where there was time for it.

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
            solution = solve(
                measured,
                at.below,
                kind=kind,
                pairs=places,
                exact=exact,
                both=True,
                max_equations=max_equations,
                cancel=cancel.during("computing the distance"),
            )
        except NotConverged as reason:
            if not isinstance(reason.upper, FixedPoint):
                raise
            raise NotConverged(str(reason), distance_of(chain, at, reason.upper, merged, numbers)) from None
    return distance_of(chain, at, solution, merged, numbers)


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
    asked_of = deciders(chain, numbers, at, solver, formula, encoding, timeout, bits, cancel)
    for decider in asked_of:
        cancel.report(f"{chain.states[decider.s]} against {chain.states[decider.t]}: {solver}")
        result, point = decided(decider, limit, strict, cancel)
        results.append(result)
        proofs.append((decider.s, decider.t, point))
    formula_used, encoding_used = (None, None) if solver == "engine" else (asked_of[0].formula, encoding)
    return Threshold(limit, strict, at, solver, formula_used, encoding_used, bits, tuple(results), tuple(proofs))


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
