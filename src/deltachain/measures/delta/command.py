"""``delta`` and ``check``: bound δ, or decide whether it is small enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ... import formats
from ...cli import question as q
from ...cli.command import Exit, File, Reply, Session, Verb
from ...cli.options import Asked, value
from ...files import write_atomically
from ...parameters import as_questions
from ...results.document import document, render_document
from .. import integers
from .verb import check, delta
from .witness import witness_body

if TYPE_CHECKING:
    from ...model import Loaded
    from .show import Delta

TELLING = "write the distinguishing outputs to FILE, as JSON"
WITNESS = value("--witness", "FILE", q.output_file, TELLING, q.PROOFS)
PLANNED = "if the observer asks questions: also find the best N questions decided in advance"
SOME_CHAIN = "if rows are known only within limits: write a chain inside that violates (ε, δ) to FILE, as native JSON"
COUNTEREXAMPLE = value("--counterexample", "FILE", q.output_file, SOME_CHAIN, q.PROOFS)
FIXED = value("--fixed", "N", as_questions, PLANNED)


CODES = {
    "private": Exit.DONE,
    "violated": Exit.VIOLATED,
    "violated by some": Exit.VIOLATED,
    "undecided": Exit.UNDECIDED,
}


def verdict_code(found: Delta) -> Exit:
    """The exit code of a verdict; without one, whether the search was cut off."""
    verdict = getattr(found, "verdict", None)
    return CODES[verdict] if verdict is not None else Exit.UNDECIDED if found.interrupted else Exit.DONE


def _delta(asked: Asked, session: Session) -> Reply:
    """The interval; 3 when it is wider than asked, or was cut off."""
    if q.names_program_alone(asked):
        beside = {"witness": asked[WITNESS], "certificate": asked[q.CERTIFICATE], "fixed": asked[FIXED]}
        if (reply := integers.reply_to_delta(asked, session, **beside)) is not None:
            return reply
    gap = asked[q.GAP]
    with q.open_inquiry(asked, session, asked[q.TIMEOUT], sandwiched=asked[FIXED] is None) as (inquiry, cancel):
        found = q.answer(delta, inquiry, asked, session, cancel)
    code, notes = Exit.DONE, []
    if gap is not None and found.upper - found.lower > gap:
        code, notes = Exit.UNDECIDED, [f"the interval is certified, but wider than --gap {asked.raw[q.GAP.dest]}"]
    elif gap is None and found.interrupted and not found.exact:
        code, notes = Exit.UNDECIDED, ["the search was cut off; the interval is certified, and more time may narrow it"]
    model, at = inquiry.model, q.at_of(asked)
    return Reply(result=found, code=code, model=model, at=at, files=_proofs(asked, found, model), notes=notes)


def _check(asked: Asked, session: Session) -> Reply:
    """The verdict, which is the exit code too."""
    if q.names_program_alone(asked):
        beside = {"witness": asked[WITNESS], "counterexample": asked[COUNTEREXAMPLE]}
        if (reply := integers.reply_to_check(asked, session, asked[q.ALLOWED], **beside)) is not None:
            return reply
    with q.open_inquiry(asked, session, asked[q.TIMEOUT], sandwiched=True) as (inquiry, cancel):
        found = q.answer(check, inquiry, asked, session, cancel)
    model = inquiry.model
    files = [*_proofs(asked, found, model), (asked[COUNTEREXAMPLE], lambda path: _write_counterexample(found, path))]
    return Reply(result=found, code=verdict_code(found), model=model, at=q.at_of(asked), files=files)


def _write_counterexample(found: Delta, path: Path) -> str:
    """The chain within the limits that violates what is allowed, if one was found."""
    chain = getattr(found, "counterexample", None)
    if chain is None:
        return "counterexample: none was found"
    formats.save(chain, path, format="json")
    return f"counterexample: {path} (a chain within the limits; check it by itself)"


def _proofs(asked: Asked, found: Delta, model: Loaded) -> list[File]:
    """``--certificate`` and ``--witness``, each all or nothing."""

    def write_witness(path: Path) -> str:
        body = {"witness": witness_body(found.witness)}
        whole = document("deltachain.witness/2", body, model=model, exp_epsilon=found.exp_epsilon, seconds=0.0)
        write_atomically(path, [render_document(whole), "\n"])
        return f"witness: {path}" + ("" if found.witness else " (nothing tells the states apart)")

    return [q.certificate_file(asked, found, asked[q.CERTIFICATE]), (asked[WITNESS], write_witness)]


DELTA = Verb(
    "delta",
    """
deltachain delta example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain delta model.json --pair s0 s1 --epsilon 0.1 --gap 1e-4 --timeout 60
deltachain delta model.json --epsilon 0.1 --certificate proof.json --witness event.json --json
deltachain delta device.json --epsilon 0.1 --fixed 3
deltachain delta example:survey,p=51/100 --repeat 1000 --epsilon 1
deltachain delta example:survey --compose example:coin example:geometric --epsilon 1
""",
    (*q.QUESTION, *q.TOGETHER, *q.LIMITS, q.CERTIFICATE, q.NO_CHECK, WITNESS, FIXED),
    _delta,
    (*q.CHECKS, q.check_files(q.CERTIFICATE, WITNESS), q.check_together(q.CERTIFICATE, WITNESS, FIXED)),
)

CHECK = Verb(
    "check",
    """
deltachain check example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --delta 3e-4
deltachain check model.json --pair s0 s1 --epsilon 0.1 --delta 1e-3 --timeout 60 --json
deltachain check model.json --epsilon 0 --delta 0.01 --certificate proof.json
deltachain check example:survey,p=51/100 --repeat 1000 --epsilon 3 --delta 1e-3
deltachain check learnt.json --epsilon 1 --delta 0.01 --counterexample chain.json
deltachain check svt.py:above --secrets 'q=[(a, b) for a in range(4) for b in range(4)]' --neighbours 'linf 1' \\
    --epsilon 1 --delta 0
""",
    (
        *q.QUESTION,
        *q.TOGETHER,
        *q.LIMITS,
        q.CERTIFICATE,
        q.NO_CHECK,
        WITNESS,
        COUNTEREXAMPLE,
        q.ALLOWED,
        q.SAMPLE,
        q.SEED,
    ),
    _check,
    (
        *q.CHECKS,
        q.check_files(q.CERTIFICATE, WITNESS, COUNTEREXAMPLE),
        q.check_together(q.CERTIFICATE, WITNESS, COUNTEREXAMPLE),
    ),
)
