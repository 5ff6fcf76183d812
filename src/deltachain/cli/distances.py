"""``distance`` and ``threshold``: bd, ld and sd of pairs of states, and whether an SMT solver says bd ≤ θ.

A value is exact or an upper bound, as its side says, of the distance at ``--exp-epsilon``. With ``--epsilon`` it is the
distance at a rational α_below ≤ e^ε: a bound of δ at e^ε, but not of the distance there, which need not fall with α.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..cancel import interruptible
from ..errors import Defect, InputError, NotConverged
from ..parameters import as_seconds, as_whole
from ..rational import as_probability
from .model_argument import MODEL_OPTIONS, PAIR, PAIR_OPTIONS, check_pairs, load_model, pairs_of
from .options import Asked, Option, defaulted, required, switch, value
from .search import AT, EPSILON, EXP_EPSILON, at_of, certificate_writer, check_epsilon, check_files, output_file
from .session import Exit, Reply, Session, Verb

QUESTION = (*MODEL_OPTIONS, *PAIR_OPTIONS, *AT)
WHICH = "which distance"


def _table_file(given: str, place: str) -> Path:
    from ..results.pairs_file import refuse_suffix

    refuse_suffix(given)
    return output_file(given, place)


def _choice(given: Any, _place: str) -> str:
    return str(given)


KIND: Option[str | None] = value(
    "--kind",
    "KIND",
    _choice,
    "bd: symmetric (default); ld: directed, at most bd; sd: directed, at most ld",
    group=WHICH,
    choices=("bd", "ld", "sd"),
)
TRACES = switch("--traces", help="sd up to what traces can tell: smaller, slower", group=WHICH)
EXACT = switch("--exact", help="the exact value, or a refusal with the certified upper one", group=WHICH)
ALL = switch("--all", help="every pair of states of one label", group=WHICH)
QUOTIENT = switch("--quotient", help="merge bisimilar states first; distances may fall", group=WHICH)
TIMEOUT = value("--timeout", "S", as_seconds, "stop after S seconds", group=WHICH)
CERTIFICATE = value(
    "--certificate", "FILE", output_file, "write the proof here; deltachain verify checks it", group=WHICH
)
OUT = value("--out", "FILE", _table_file, "write every pair here instead (.jsonl, or .npz for NumPy)", group=WHICH)


def _distance(asked: Asked, session: Session) -> Reply:
    """The distances; 3 when ``--exact`` was asked and only an upper bound was found."""
    from ..api import distance
    from ..results.distance import Distance

    complaint = None
    with session.work(asked[TIMEOUT]) as cancel:
        model = load_model(asked, session, cancel)
        pairs: Any = "all" if asked[ALL] else pairs_of(asked, model.chain)
        kind: Any = asked[KIND] or "bd"
        with interruptible(cancel):
            try:
                found = distance(
                    model.chain,
                    pairs=pairs,
                    epsilon=asked[EPSILON],
                    exp_epsilon=asked[EXP_EPSILON],
                    kind=kind,
                    traces=asked[TRACES],
                    exact=True if asked[EXACT] else None,
                    merge=asked[QUOTIENT],
                    cancel=cancel,
                )
            except NotConverged as reason:
                if not isinstance(reason.upper, Distance):
                    raise
                found, complaint = reason.upper, str(reason)
    if complaint is None and not found.sharp:
        complaint = "floats are too coarse here, and exact arithmetic exceeds its limit; it may be far above"
    out = asked[OUT]

    def write() -> str:
        found.save(str(out))
        return f"{len(found.results)} pairs: {out}"

    files: list[Callable[[], str]] = [] if out is None else [write]
    files += certificate_writer(asked, found, asked[CERTIFICATE])
    # With --out the pairs are in that file, and only their number is in the document.
    body = {} if out is None else {"results": [], "out": str(out)}
    notes = [] if complaint is None else [f"not the exact value, but a certified upper bound: {complaint}"]
    code = Exit.DONE if complaint is None else Exit.UNDECIDED
    return Reply(result=found, code=code, model=model, at=found.exp_epsilon, body=body, files=files, notes=notes)


def _check_distance(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_epsilon(asked)
    if asked[ALL] and asked[PAIR]:
        yield Defect("--all", "it asks for every pair", "drop it, or drop --pair")
    yield from check_files(asked, CERTIFICATE, OUT)


DISTANCE = Verb(
    "distance",
    "Compute bd, ld or sd, the distances that bound δ from above, exactly or with a proof.",
    """
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain distance model.json --pair s0 s1 --exp-epsilon 6/5 --kind ld --exact --certificate proof.json
deltachain distance model.tra --all --quotient --epsilon 0.1 --out distances.npz
""",
    (*QUESTION, KIND, TRACES, EXACT, ALL, QUOTIENT, TIMEOUT, CERTIFICATE, OUT),
    _distance,
    _check_distance,
)

WHAT, WHO, FILES = "what is asked", "who is asked, and how", "files"
MOST_BITS = 999_999
CODES = {"yes": Exit.DONE, "no": Exit.VIOLATED, "unknown": Exit.UNDECIDED}

THETA = required(
    "--theta",
    "T",
    as_probability,
    "the threshold, exact, from 0 to 1: 0.2, 1/2500",
    ("no threshold", "give one from 0 to 1"),
    group=WHAT,
)
STRICT = switch("--strict", help="ask bd < T instead of bd ≤ T", group=WHAT)
SOLVER: Option[str | None] = value(
    "--solver",
    "NAME",
    _choice,
    "z3 (default), cvc5, or this program's own engine",
    group=WHO,
    choices=("z3", "cvc5", "engine"),
)
FORMULA: Option[str | None] = value(
    "--formula",
    "NAME",
    _choice,
    "np: flows, bilinear (default for z3); sigma2: ∃∀, linear (default for cvc5); least: ∃∀∃, with --faithful",
    group=WHO,
    choices=("np", "sigma2", "least"),
)
FAITHFUL = switch("--faithful", help="the paper's formula to the letter", group=WHO, exclusive="encoding")
REDUCED = switch("--reduced", help="an equivalent formula without what cannot matter", group=WHO, exclusive="encoding")
BOUNDED = switch(
    "--bounded", help="reduced, with exact bounds on every distance (default)", group=WHO, exclusive="encoding"
)
BITS = value(
    "--bits",
    "N",
    lambda given, place: as_whole(given, place, 0, MOST_BITS),
    "look for ratios of natural numbers of N bits, with formula np; few bits may find none",
    group=WHO,
)
CALL_TIMEOUT = defaulted(
    "--timeout", "S", as_seconds, "seconds for each call of a solver (default: 60)", "60", group=WHO
)
EMIT = value("--emit-smt2", "FILE", output_file, "write the formula here too; for one pair", group=FILES)
PROOF = value("--certificate", "FILE", output_file, "write the proof of a yes here; for one pair", group=FILES)


def _encoding(asked: Asked) -> str | None:
    """The encoding that was given."""
    return next((o.name.lstrip("-") for o in (FAITHFUL, REDUCED, BOUNDED) if asked[o]), None)


def _threshold(asked: Asked, session: Session) -> Reply:
    """Whether it holds for every pair (0), does not for some pair (1), or is not known (3)."""
    from ..api import deciders, threshold

    at, solver, encoding = at_of(asked), asked[SOLVER] or "z3", _encoding(asked) or "bounded"
    with session.work() as cancel:
        model = load_model(asked, session, cancel)
        pairs = pairs_of(asked, model.chain)
        _refuse_several(asked, len(pairs))
        emitted = asked[EMIT]
        if emitted is not None:  # before anybody is asked about it
            from ..files import write_atomically

            (decider,) = deciders(
                model.chain, pairs, at, solver, asked[FORMULA], encoding, asked[CALL_TIMEOUT], asked[BITS]
            )
            write_atomically(emitted, [decider.script(asked[THETA], strict=asked[STRICT])])
            session.note(f"formula: {emitted}")
        with interruptible(cancel):
            found = threshold(
                model.chain,
                pairs=pairs,
                theta=asked[THETA],
                strict=asked[STRICT],
                epsilon=asked[EPSILON],
                exp_epsilon=asked[EXP_EPSILON],
                solver=solver,
                formula=asked[FORMULA],
                encoding=encoding,
                bits=asked[BITS],
                timeout=asked[CALL_TIMEOUT],
                cancel=cancel,
            )
    proved = asked[PROOF] is not None and found.results[0].proved
    notes = ["no certificate: only a yes has one"] if asked[PROOF] is not None and not proved else []
    files = certificate_writer(asked, found, asked[PROOF] if proved else None)
    return Reply(result=found, code=CODES[found.answer], model=model, at=at, files=files, notes=notes)


def _refuse_several(asked: Asked, count: int) -> None:
    defects = [
        Defect(option.name, f"one file for {count} pairs", "name one pair with --pair S T")
        for option in (EMIT, PROOF)
        if asked[option] is not None and count != 1
    ]
    if defects:
        raise InputError(defects)


def _check_threshold(asked: Asked) -> Iterator[Defect]:
    yield from check_pairs(asked)
    yield from check_epsilon(asked)
    encoding = _encoding(asked)
    if asked[SOLVER] == "engine":
        given = [option.name for option in (FORMULA, BITS, EMIT, PROOF) if asked.raw.get(option.dest) is not None]
        for name in [*given, *([f"--{encoding}"] if encoding else [])]:
            fix = "use deltachain distance --certificate" if name == "--certificate" else "drop it, or name a solver"
            yield Defect(name, "the engine reads no formula", fix)
    if asked[FORMULA] == "least" and encoding != "faithful":
        yield Defect("--formula least", "it has only the paper's form", "add --faithful")
    yield from check_files(asked, EMIT, PROOF)


THRESHOLD = Verb(
    "threshold",
    "Ask an SMT solver whether bd ≤ θ, by the paper's formulas: 0 yes, 1 no, 3 not known.",
    """
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --theta 1/2500
deltachain threshold model.json --pair s0 s1 --exp-epsilon 6/5 --theta 0.2 --strict --solver cvc5 --formula sigma2
deltachain threshold example:coin --exp-epsilon 3/2 --theta 0 --faithful --emit-smt2 coin.smt2
deltachain threshold example:split-coin --exp-epsilon 6/5 --theta 1/4 --reduced --bits 7
""",
    (*QUESTION, THETA, STRICT, SOLVER, FORMULA, FAITHFUL, REDUCED, BOUNDED, BITS, CALL_TIMEOUT, EMIT, PROOF),
    _threshold,
    _check_threshold,
)
