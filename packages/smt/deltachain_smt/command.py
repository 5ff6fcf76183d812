"""``threshold``: whether an SMT solver says bd ≤ θ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from deltachain.cli import question as q
from deltachain.cli.command import Exit, Reply, Session, Verb
from deltachain.cli.options import Asked, choice, switch, value
from deltachain.errors import Defect, InputError
from deltachain.files import write_atomically
from deltachain.numbers.fraction import as_probability
from deltachain.parameters import as_seconds, whole

from .exact import exact_threshold
from .verb import deciders, threshold

WHAT, WHO, FILES = "what is asked", "which solver, and how", "files"
MOST_BITS = 999_999
CODES = {"yes": Exit.DONE, "no": Exit.VIOLATED, "unknown": Exit.UNDECIDED}

LIMIT = "the threshold, exact, from 0 to 1: 0.2, 1/2500"
THETA = value("--theta", "T", as_probability, LIMIT, WHAT)
FOUND = "find bd itself, by bisection and continued fractions, and compare it with the engine"
EXACT = switch("--exact", explained=FOUND, group=WHAT)
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
ENDS = "stop after S seconds in all (default: no limit, and 60 s for each call of a solver)"
TIMEOUT = value("--timeout", "S", as_seconds, ENDS, WHO)
SECONDS_PER_CALL = 60.0
EMIT = value("--emit-smt2", "FILE", q.output_file, "also write the formula to FILE; for one pair", FILES)
PROOF = q.proof_file(FILES, "write the proof of a yes here; for one pair")


def _read_encoding(asked: Asked) -> str | None:
    """The encoding that was given."""
    return next((option.dest for option in ENCODINGS if asked[option]), None)


def _threshold(asked: Asked, session: Session) -> Reply:
    """Whether it holds for every pair (0), does not for some pair (1), or is not known (3)."""
    at, path = q.at_of(asked), asked[PROOF]
    how: dict[str, Any] = {
        "solver": asked[SOLVER] or "z3",
        "formula": asked[FORMULA],
        "encoding": _read_encoding(asked) or "bounded",
        "timeout": asked[TIMEOUT] or SECONDS_PER_CALL,
    }
    with q.open_inquiry(asked, session, asked[TIMEOUT]) as (inquiry, cancel):
        if asked[EXACT]:
            bd = q.answer(exact_threshold, inquiry, asked, session, cancel, **how)
            code = Exit.VIOLATED if not bd.agrees else Exit.DONE if bd.found else Exit.UNDECIDED
            return Reply(result=bd, code=code, model=inquiry.model, at=at)
        _refuse_several(asked, len(inquiry.pairs))
        emitted = asked[EMIT]
        if emitted is not None:  # before anybody is asked about it
            theta: Any = asked[THETA]  # without --exact there is one
            (decider,) = deciders(inquiry.chain, inquiry.pairs, at, **how, bits=asked[BITS])
            write_atomically(emitted, [decider.script(theta, strict=asked[STRICT])])
            session.note(f"formula: {emitted}")
        found = q.answer(threshold, inquiry, asked, session, cancel, **how)
    proved = path is not None and found.results[0].proved
    notes = ["no certificate: only a yes has one"] if path is not None and not proved else []
    files = [q.certificate_file(asked, found, path if proved else None)]
    return Reply(result=found, code=CODES[found.answer], model=inquiry.model, at=at, files=files, notes=notes)


def _refuse_several(asked: Asked, count: int) -> None:
    defects = [
        Defect(option.name, f"one file for {count} pairs", "name one pair with --pair S T")
        for option in (EMIT, PROOF)
        if asked[option] is not None and count != 1
    ]
    if defects:
        raise InputError(defects)


def _check_exact(asked: Asked) -> Iterator[Defect]:
    if not asked[EXACT]:
        if asked[THETA] is None:
            yield Defect("--theta", "no threshold", "give one from 0 to 1, or --exact")
        return
    for option in (THETA, STRICT, BITS, EMIT, PROOF):
        if asked.is_given(option):
            yield Defect("--exact", f"it asks about many thresholds; {option.name} is about one", "drop one")


def _check_solver(asked: Asked) -> Iterator[Defect]:
    encoding = _read_encoding(asked)
    if asked[SOLVER] == "engine":
        for option in (FORMULA, BITS, EMIT, PROOF, *ENCODINGS):
            if asked.is_given(option):
                fix = "use deltachain distance --certificate" if option is PROOF else "drop it, or name a solver"
                yield Defect(option.name, "the engine reads no formula", fix)
    if asked[FORMULA] == "least" and encoding != "faithful":
        yield Defect("--formula least", "it has only the paper's form", "add --faithful")


THRESHOLD = Verb(
    "threshold",
    """
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --theta 1/2500
deltachain threshold model.json --pair s0 s1 --exp-epsilon 6/5 --theta 0.2 --strict --solver cvc5 --formula sigma2
deltachain threshold example:coin --exp-epsilon 3/2 --theta 0 --faithful --emit-smt2 coin.smt2
deltachain threshold example:split-coin --exp-epsilon 6/5 --theta 1/4 --reduced --bits 7
deltachain threshold example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --exact --reduced
""",
    (*q.QUESTION, THETA, STRICT, EXACT, SOLVER, FORMULA, *ENCODINGS, BITS, TIMEOUT, EMIT, PROOF),
    _threshold,
    (q.check_pairs, q.check_epsilon, _check_exact, _check_solver, q.check_files(EMIT, PROOF)),
)
