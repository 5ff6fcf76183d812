"""``distance``: bd, ld and sd of pairs of states.

A value is exact or an upper bound, as its side says, of the distance at ``--exp-epsilon``. With ``--epsilon`` it is the
distance at a rational α_below ≤ e^ε: a bound of δ at e^ε, but not of the distance there, which need not fall with α.
Where a model's probabilities are functions of e, it is the distance at e^ε itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...cancel import Cancel
from ...cli import question as q
from ...cli.command import Exit, Reply, Session, Verb, option_name
from ...cli.options import Asked, choice, switch, value
from ...distances.kind import DistanceKind
from ...distances.kinds import KINDS, NAMES, kind_named
from ...distances.kinds.bd import BD
from ...distances.operators import apply_operator, read_alpha
from ...distances.pair_function import load_pair_function
from ...errors import Defect, InputError, NotConverged
from ...numbers.fraction import ExpEpsilon, as_fraction
from ...parameters import as_seconds, whole
from ...results.sections import CODE
from .applied_step import AppliedStep
from .curve import distance_curve
from .explanation import PICTURES, ExplainedDistance, Explanation
from .pairs_file import refuse_suffix
from .show import Distance
from .verb import distance

WHICH = "which distance"
MOST_EQUATIONS = 100_000
MOST_DEPTH = 100


def _table_file(given: str, place: str) -> Path:
    refuse_suffix(given)
    return q.output_file(given, place)


def _file_name(given: str, place: str) -> Path:
    del place  # it is opened once the model is read
    return Path(given)


def _interval(given: str, place: str) -> tuple[Fraction, Fraction]:
    low, colon, high = given.partition(":")
    if not colon:
        raise InputError(Defect(place, f"{given!r} is not an interval", "write 1:4"))
    return as_fraction(low, place), as_fraction(high, place)


def _picture_file(given: str, place: str) -> Path:
    if Path(given).suffix not in PICTURES:
        raise InputError(Defect(place, f"{given} is not a kind of picture", f"use {', '.join(PICTURES)}"))
    return q.output_file(given, place)


def _describe_kind(kind: DistanceKind) -> str:
    return f"{kind.name}: {kind.brief}" + (" (default)" if kind is BD else "")


KIND = choice("--kind", NAMES, "; ".join(_describe_kind(kind) for kind in KINDS), WHICH)
EXACT = switch(
    "--exact", explained="give the exact value, or fail and report certified bounds from both sides", group=WHICH
)
EQUATIONS = value(
    "--max-equations",
    "N",
    whole("max-equations", 1, MOST_EQUATIONS),
    "the largest linear system for an exact value (default: 3000 with --exact)",
    WHICH,
)
ALL = switch("--all", explained="every pair of states with the same label", group=WHICH)
QUOTIENT = switch("--quotient", explained="merge bisimilar states first; distances may become smaller", group=WHICH)
APPLIED = "apply the distance's operator once to the function of pairs in FILE (.json, or .jsonl of --out), exactly"
STEP = value("--step", "FILE", _file_name, APPLIED, WHICH)
EXPLAIN = switch(
    "--explain",
    explained="why it is what it is: the optimal flow, what adds up, a test that attains it, and where δ is less",
    group=WHICH,
)
DEPTH = value(
    "--depth", "N", whole("depth", 1, MOST_DEPTH), "how far the flow of --explain is unfolded (default: 3)", WHICH
)
PICTURE = value(
    "--picture", "FILE", _picture_file, "write the flow of --explain to FILE (.dot, or .tex for TikZ)", WHICH
)
OVER = "the distance of one pair as an exact function of e^ε, from A to B"
ALPHAS = value("--alphas", "A:B", _interval, OVER, WHICH)
PLOT = value("--plot", "FILE", q.plot_file, "draw the function of --alphas to an .svg, .png or .pdf file", WHICH)
REASONS = (ALPHAS, PLOT, STEP, EXPLAIN, DEPTH, PICTURE)
TIMEOUT = value("--timeout", "S", as_seconds, "stop after S seconds", WHICH)
CERTIFICATE = q.proof_file(WHICH)
OUT = value(
    "--out", "FILE", _table_file, "write every pair to FILE instead (.jsonl, or .npz for NumPy)", WHICH
).abbreviate("-o")


def _distance(asked: Asked, session: Session) -> Reply:
    """The distances; 3 when ``--exact`` was asked and only an upper bound was found."""
    if (interval := asked[ALPHAS]) is not None:
        return _follow(interval, asked, session)
    if (given := asked[STEP]) is not None:
        return _apply_step(given, asked, session)
    complaint = None
    with q.open_inquiry(asked, session, asked[TIMEOUT], every=asked[ALL]) as (inquiry, cancel):
        if asked[EXPLAIN] and len(inquiry.pairs) != 1:
            what = f"it is about one pair, not {len(inquiry.pairs)}"
            raise InputError(Defect("--explain", what, "name it with --pair S T"))
        how: dict[str, Any] = {"exact": True if asked[EXACT] or asked[EXPLAIN] else None}
        if asked[ALL]:
            how["pairs"] = "all"
        try:
            found = q.answer(distance, inquiry, asked, session, cancel, **how)
        except NotConverged as reason:
            if not isinstance(reason.upper, Distance):
                raise
            found, complaint = reason.upper, CODE.sub(lambda name: option_name(name[1]), str(reason))
        explanation = _explain(found, asked[DEPTH] or 3, cancel) if asked[EXPLAIN] and not complaint else None
    if complaint is None and not found.sharp:
        complaint = "floats are too coarse here, and exact arithmetic exceeds its limit; it may be far above"

    def write(path: Path) -> str:
        found.save(path)
        return f"{len(found.results)} pairs: {path}"

    # With --out the pairs are in that file: the document has their number, and the text is one line.
    body = {} if asked[OUT] is None else {"results": [], "out": str(asked[OUT])}
    pictured = [] if explanation is None else [(asked[PICTURE], explanation.save)]
    return Reply(
        result=found if explanation is None else ExplainedDistance(found, explanation),
        code=Exit.DONE if complaint is None else Exit.UNDECIDED,
        model=inquiry.model,
        at=found.exp_epsilon,
        body=body,
        left_out=["results"] if body else [],
        files=[(asked[OUT], write), q.certificate_file(asked, found, asked[CERTIFICATE]), *pictured],
        notes=[] if complaint is None else [f"not the exact value, but certified bounds: {complaint}"],
    )


def _explain(found: Distance, depth: int, cancel: Cancel) -> Explanation:
    """Why it is what it is: what looks for that is loaded where it is asked for."""
    from .explain import explain

    return explain(found, depth=depth, cancel=cancel)


def _apply_step(path: Path, asked: Asked, session: Session) -> Reply:
    """Γ_α(d) of the d in a file: of the pairs that were asked for, or of all."""
    kind, every = kind_named(asked[KIND] or BD.name), asked[ALL]
    with q.open_inquiry(asked, session, asked[TIMEOUT], every=every) as (inquiry, cancel):
        before = load_pair_function(inquiry.chain, path)
        alpha = read_alpha(asked[q.EPSILON], asked[q.EXP_EPSILON])
        after = apply_operator(inquiry.chain, before, alpha, kind, cancel)
    names = inquiry.chain.states
    shown = None if every else tuple((names[s], names[t]) for s, t in inquiry.pairs)
    found = AppliedStep(kind.name, str(path), alpha, before, after, shown)
    return Reply(result=found, model=inquiry.model, at=q.at_of(asked), files=[(asked[OUT], found.save)])


def _follow(interval: tuple[Fraction, Fraction], asked: Asked, session: Session) -> Reply:
    """The distance of the one pair over an interval of e^ε."""
    with q.open_inquiry(asked, session, asked[TIMEOUT]) as (inquiry, cancel):
        found = distance_curve(inquiry, alphas=interval, kind=asked[KIND] or BD.name, cancel=cancel)
    return Reply(result=found, model=inquiry.model, at=ExpEpsilon.exactly(found.low), files=[(asked[PLOT], found.plot)])


def _check_alphas(asked: Asked) -> Iterator[Defect]:
    if not asked.is_given(ALPHAS):
        if asked.is_given(PLOT):
            yield Defect("--plot", "it is about a function of e^ε", "add --alphas A:B")
        yield from q.check_epsilon(asked)
        return
    others = (*q.AT, EXACT, EQUATIONS, ALL, QUOTIENT, STEP, EXPLAIN, CERTIFICATE, q.NO_CHECK, OUT)
    for option in others:
        if asked.is_given(option):
            yield Defect("--alphas", f"it is about every e^ε of an interval; {option.name} is not", "drop one")


def _check_step(asked: Asked) -> Iterator[Defect]:
    for option in (DEPTH, PICTURE):
        if asked.is_given(option) and not asked[EXPLAIN]:
            yield Defect(option.name, "it is about an explanation", "add --explain")
    for option in (EXACT, EQUATIONS, QUOTIENT, EXPLAIN, CERTIFICATE):
        if asked[STEP] is not None and asked.is_given(option):
            yield Defect(
                "--step", f"one application is exact as it is; {option.name} is about the distance", "drop one"
            )


def _check_all(asked: Asked) -> Iterator[Defect]:
    if asked[ALL] and asked[EXPLAIN]:
        yield Defect("--explain", "it is about one pair", "name it with --pair S T, without --all")
    if asked[ALL] and asked[q.PAIR]:
        yield Defect("--all", "it asks for every pair", "drop it, or drop --pair")


DISTANCE = Verb(
    "distance",
    """
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain distance model.json --pair s0 s1 --exp-epsilon 6/5 --kind ld --exact --certificate proof.json
deltachain distance model.tra --all --quotient --epsilon 0.1 --out distances.npz
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --explain --picture why.tex
deltachain distance example:split-coin --all --exp-epsilon 6/5 --step d.json
deltachain distance model.json --pair s t --alphas 1:4 --plot bd.svg
""",
    (*q.QUESTION, KIND, EXACT, EQUATIONS, ALL, QUOTIENT, *REASONS, TIMEOUT, CERTIFICATE, q.NO_CHECK, OUT),
    _distance,
    (q.check_pairs, _check_alphas, _check_all, _check_step, q.check_files(CERTIFICATE, OUT, PICTURE, PLOT)),
)
