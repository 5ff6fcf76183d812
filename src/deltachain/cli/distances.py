"""``distance`` and ``threshold``: bd, ld and sd of pairs of states, and whether an SMT solver says bd ≤ θ.

A value is exact or an upper bound, as its side says, of the distance at ``--exp-epsilon``. With ``--epsilon`` it is the
distance at a rational α_below ≤ e^ε: a bound of δ at e^ε, but not of the distance there, which need not fall with α.
Where a model's probabilities are functions of e, it is the distance at e^ε itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..distances.kind import DistanceKind
from ..distances.kinds import KINDS, NAMES
from ..distances.kinds.bd import BD
from ..errors import Defect, InputError, NotConverged
from ..numbers.fraction import as_probability
from ..parameters import as_seconds, whole
from . import question as q
from .command import Exit, Reply, Session, Verb, option_name
from .options import Asked, choice, switch, value

WHICH = "which distance"
MOST_EQUATIONS = 100_000


def _table_file(given: str, place: str) -> Path:
    from ..results.pairs_file import refuse_suffix

    refuse_suffix(given)
    return q.output_file(given, place)


def _explained(kind: DistanceKind) -> str:
    return f"{kind.name}: {kind.brief}" + (" (default)" if kind is BD else "")


KIND = choice("--kind", NAMES, "; ".join(_explained(kind) for kind in KINDS), WHICH)
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
TIMEOUT = value("--timeout", "S", as_seconds, "stop after S seconds", WHICH)
CERTIFICATE = q.proof_file(WHICH)
OUT = value("--out", "FILE", _table_file, "write every pair to FILE instead (.jsonl, or .npz for NumPy)", WHICH)


def _distance(asked: Asked, session: Session) -> Reply:
    """The distances; 3 when ``--exact`` was asked and only an upper bound was found."""
    from ..results.distance import Distance
    from ..results.sections import CODE
    from ..verbs.distance import distance

    complaint = None
    kind: Any = asked[KIND] or BD.name
    with q.asking(asked, session, asked[TIMEOUT], every=asked[ALL]) as (model, pairs, cancel):
        try:
            found = distance(
                model.chain,
                pairs="all" if asked[ALL] else pairs,
                epsilon=asked[q.EPSILON],
                exp_epsilon=asked[q.EXP_EPSILON],
                kind=kind,
                exact=True if asked[EXACT] else None,
                max_equations=asked[EQUATIONS],
                quotient=asked[QUOTIENT],
                cancel=cancel,
            )
        except NotConverged as reason:
            if not isinstance(reason.upper, Distance):
                raise
            found, complaint = reason.upper, CODE.sub(lambda name: option_name(name[1]), str(reason))
    if complaint is None and not found.sharp:
        complaint = "floats are too coarse here, and exact arithmetic exceeds its limit; it may be far above"

    def write(path: Path) -> str:
        found.save(path)
        return f"{len(found.results)} pairs: {path}"

    # With --out the pairs are in that file: the document has their number, and the text is one line.
    body = {} if asked[OUT] is None else {"results": [], "out": str(asked[OUT])}
    return Reply(
        result=found,
        code=Exit.DONE if complaint is None else Exit.UNDECIDED,
        model=model,
        at=found.exp_epsilon,
        body=body,
        left_out=["results"] if body else [],
        files=[(asked[OUT], write), q.certificate_file(asked, found, asked[CERTIFICATE])],
        notes=[] if complaint is None else [f"not the exact value, but certified bounds: {complaint}"],
    )


def _check_all(asked: Asked) -> Iterator[Defect]:
    if asked[ALL] and asked[q.PAIR]:
        yield Defect("--all", "it asks for every pair", "drop it, or drop --pair")


DISTANCE = Verb(
    "distance",
    "Compute bd, ld or sd, the distances that bound δ from above, exactly or with a proof.",
    """
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain distance model.json --pair s0 s1 --exp-epsilon 6/5 --kind ld --exact --certificate proof.json
deltachain distance model.tra --all --quotient --epsilon 0.1 --out distances.npz
""",
    (*q.QUESTION, KIND, EXACT, EQUATIONS, ALL, QUOTIENT, TIMEOUT, CERTIFICATE, OUT),
    _distance,
    (q.check_pairs, q.check_epsilon, _check_all, q.check_files(CERTIFICATE, OUT)),
)

WHAT, WHO, FILES = "what is asked", "who is asked, and how", "files"
MOST_BITS = 999_999
CODES = {"yes": Exit.DONE, "no": Exit.VIOLATED, "unknown": Exit.UNDECIDED}

LIMIT = "the threshold, exact, from 0 to 1: 0.2, 1/2500"
THETA = value("--theta", "T", as_probability, LIMIT, WHAT).required("no threshold", "give one from 0 to 1")
STRICT = switch("--strict", explained="ask bd < T instead of bd ≤ T", group=WHAT)
SOLVER = choice("--solver", ("z3", "cvc5", "engine"), "z3 (default), cvc5, or this program's own engine", WHO)
FORMULAS = "np: flows, bilinear (default for z3); sigma2: ∃∀, linear (default for cvc5); least: ∃∀∃, with --faithful"
FORMULA = choice("--formula", ("np", "sigma2", "least"), FORMULAS, WHO)
ENCODINGS = (
    switch("--faithful", explained="the paper's formula to the letter", group=WHO, exclusive="encoding"),
    switch("--reduced", explained="an equivalent, smaller formula", group=WHO, exclusive="encoding"),
    switch(
        "--bounded", explained="reduced, with exact bounds on every distance (default)", group=WHO, exclusive="encoding"
    ),
)
RATIOS = "with formula np, look for fractions of N-bit integers; with few bits there may be none"
BITS = value("--bits", "N", whole("bits", 0, MOST_BITS), RATIOS, WHO)
CALL_TIMEOUT = value("--timeout", "S", as_seconds, "seconds for each solver call (default: 60)", WHO).default("60")
EMIT = value("--emit-smt2", "FILE", q.output_file, "also write the formula to FILE; for one pair", FILES)
PROOF = q.proof_file(FILES, "write the proof of a yes here; for one pair")


def _encoding(asked: Asked) -> str | None:
    """The encoding that was given."""
    return next((option.dest for option in ENCODINGS if asked[option]), None)


def _threshold(asked: Asked, session: Session) -> Reply:
    """Whether it holds for every pair (0), does not for some pair (1), or is not known (3)."""
    from ..verbs.threshold import deciders, threshold

    at, path = q.at_of(asked), asked[PROOF]
    how: dict[str, Any] = {
        "solver": asked[SOLVER] or "z3",
        "formula": asked[FORMULA],
        "encoding": _encoding(asked) or "bounded",
        "timeout": asked[CALL_TIMEOUT],
        "bits": asked[BITS],
    }
    with q.asking(asked, session) as (model, pairs, cancel):
        _refuse_several(asked, len(pairs))
        emitted = asked[EMIT]
        if emitted is not None:  # before anybody is asked about it
            from ..files import write_atomically

            (decider,) = deciders(model.chain, pairs, at, **how)
            write_atomically(emitted, [decider.script(asked[THETA], strict=asked[STRICT])])
            session.note(f"formula: {emitted}")
        found = threshold(
            model.chain,
            pairs=pairs,
            theta=asked[THETA],
            strict=asked[STRICT],
            epsilon=asked[q.EPSILON],
            exp_epsilon=asked[q.EXP_EPSILON],
            cancel=cancel,
            **how,
        )
    proved = path is not None and found.results[0].proved
    notes = ["no certificate: only a yes has one"] if path is not None and not proved else []
    files = [q.certificate_file(asked, found, path if proved else None)]
    return Reply(result=found, code=CODES[found.answer], model=model, at=at, files=files, notes=notes)


def _refuse_several(asked: Asked, count: int) -> None:
    defects = [
        Defect(option.name, f"one file for {count} pairs", "name one pair with --pair S T")
        for option in (EMIT, PROOF)
        if asked[option] is not None and count != 1
    ]
    if defects:
        raise InputError(defects)


def _check_solver(asked: Asked) -> Iterator[Defect]:
    encoding = _encoding(asked)
    if asked[SOLVER] == "engine":
        for option in (FORMULA, BITS, EMIT, PROOF, *ENCODINGS):
            if asked.given(option):
                fix = "use deltachain distance --certificate" if option is PROOF else "drop it, or name a solver"
                yield Defect(option.name, "the engine reads no formula", fix)
    if asked[FORMULA] == "least" and encoding != "faithful":
        yield Defect("--formula least", "it has only the paper's form", "add --faithful")


THRESHOLD = Verb(
    "threshold",
    "Ask an SMT solver whether bd ≤ θ, by the paper's formulas (exit code 0: yes, 1: no, 3: unknown).",
    """
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --theta 1/2500
deltachain threshold model.json --pair s0 s1 --exp-epsilon 6/5 --theta 0.2 --strict --solver cvc5 --formula sigma2
deltachain threshold example:coin --exp-epsilon 3/2 --theta 0 --faithful --emit-smt2 coin.smt2
deltachain threshold example:split-coin --exp-epsilon 6/5 --theta 1/4 --reduced --bits 7
""",
    (*q.QUESTION, THETA, STRICT, SOLVER, FORMULA, *ENCODINGS, BITS, CALL_TIMEOUT, EMIT, PROOF),
    _threshold,
    (q.check_pairs, q.check_epsilon, _check_solver, q.check_files(EMIT, PROOF)),
)
