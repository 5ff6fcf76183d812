"""``deltachain verify``: have the trusted checker check a certificate against a model."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from ..errors import CertificateRejected, Defect, InputError, MissingFile
from ..render.document import document
from ..render.table import printable
from .exits import Exit
from .options import add_model, load_model
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser

USAGE = """
deltachain delta example:coin --exp-epsilon 1 --certificate proof.json
deltachain verify example:coin proof.json
deltachain verify model.tra proof.json --json
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Re-check a certificate against a model, exactly, with a checker that knows no solver."
    parser = verb_parser(subparsers, "verify", summary, USAGE)
    add_model(parser)
    parser.add_argument("certificate", metavar="CERT", help="the certificate, as --certificate wrote it")
    parser.add_argument(
        "--formal",
        action="store_true",
        help="by the checker that is extracted from the proofs in Coq (make formal builds it)",
    )
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print what is proved; 4 when the certificate is rejected."""
    started = time.perf_counter()
    _refuse_other_than_files(Path(args.certificate))
    hides = args.hide or args.hide_unlabelled
    with work_of(args) as cancel:
        model = load_model(args, cancel, starts=_claimed_states(args.certificate) if hides else ())
    from ..analysis import verify

    rejection = None
    try:
        claims = verify(model.chain, args.certificate, formal=args.formal)
    except CertificateRejected as reason:
        if not args.json:
            if reason.claim == "model":
                note(args, "it was made for another model, or for other values of --constants or --secret")
            raise
        sides = {"left": _text(reason.left), "right": _text(reason.right)}
        claims, rejection = [], {"claim": reason.claim, "rule": reason.rule, **sides}
    body: dict[str, object] = {
        "accepted": rejection is None,
        "checker": "formal" if args.formal else "python",
        "claims": claims,
    }
    if rejection is not None:
        body["rejection"] = rejection
    seconds = time.perf_counter() - started
    proved = "proved, says the checker extracted from Coq" if args.formal else "proved"
    first, *others = [f"{proved}: {printable(claim)}" for claim in claims] or ["accepted; it claims nothing"]
    if args.brief and others:
        first, others = f"accepted; it proves {len(claims)} claims", []
    deliver(
        args,
        lambda: document("deltachain.verify/1", body, model=model, seconds=seconds),
        "\n".join([first, *others]),
        lambda: "",
    )
    return Exit.DONE if rejection is None else Exit.REJECTED


def _claimed_states(certificate: str) -> list[str]:
    """The states that the claims are about, which stay when others are hidden; what is malformed is rejected later."""
    from ..checker.read import read_file

    try:
        found = read_file(certificate)
        pairs = [claim["pair"] for claim in found["claims"]]
        return [name for pair in pairs for name in pair if type(name) is str]
    except (CertificateRejected, KeyError, TypeError, AttributeError):
        return []


def _refuse_other_than_files(path: Path) -> None:
    """InputError unless there is a file to read: a device or a pipe could keep the checker waiting for ever."""
    if path.is_file():
        return
    if not path.exists():
        raise MissingFile(str(path), "give the file that --certificate wrote")
    what = "it is a directory" if path.is_dir() else "it is not a file"
    raise InputError(Defect(str(path), what, "give the file that --certificate wrote"))


def _text(side: object) -> str | None:
    """One side of the comparison that fails; long ones are cut."""
    if side is None:
        return None
    try:
        shown = str(side)
    except ValueError:  # an integer beyond the interpreter's limit on digits
        return "a number of thousands of digits"
    return shown if len(shown) <= 1000 else f"{shown[:997]}…"
