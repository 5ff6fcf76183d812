"""``deltachain epsilon``: the least ε proved at a given δ, and the largest refuted."""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..rational import as_fraction, as_probability, round_down, round_up
from ..render.document import document
from ..render.numbers import exactly
from .exits import Exit
from .options import add_model, add_pairs, load_model, pairs_of
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import add_limits, limit_readers, limits_of, refuse, refuse_unwritable, verify_line

if TYPE_CHECKING:
    from ..analysis import EpsilonBound

USAGE = """
deltachain epsilon example:survey --delta 0
deltachain epsilon example:dining-cryptographers,n=3 --delta 1e-4 --json
deltachain epsilon example:sticky-sensor --delta 0.05 --precision 1e-3 --timeout 60
deltachain epsilon example:survey --delta 0.1 --certificate proof.json
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "epsilon", "Find the least ε at which (ε, δ)-privacy is proved.", USAGE)
    add_model(parser)
    add_pairs(parser)
    parser.add_argument("--delta", required=True, metavar="D", help="the δ that is allowed; 0 asks for pure ε-privacy")
    parser.add_argument(
        "--precision", default="1e-6", metavar="P", help="where a bisection stops, relative in e^ε (default: 1e-6)"
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        help="write the proof that δ is allowed at the ε proved (or not, at the refuted)",
    )
    add_limits(parser, gap=False, each=" for each ε")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the interval for ε."""
    started = time.perf_counter()
    read = [lambda: as_probability(args.delta, "--delta"), lambda: as_fraction(args.precision, "--precision")]
    refuse([*read, *limit_readers(args), lambda: refuse_unwritable(args, "--certificate")])
    limits = limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from ..analysis import epsilon

        with interruptible(cancel):
            found = epsilon(
                model.chain,
                pairs=pairs,
                delta=args.delta,
                precision=args.precision,
                certificate=args.certificate is not None,
                max_nodes=limits.max_nodes,
                cancel=cancel,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.epsilon/1", found.to_dict(), model=model, seconds=seconds),
        _text(found),
        lambda: "",
        lambda: _write(args, found),
    )
    if args.certificate is not None and found.certificate is None:
        note(args, f"{args.certificate} was not written: the search at this ε, cut off or too short, proves less")
    return Exit.DONE if found.proved is not None or found.impossible else Exit.UNDECIDED


def _write(args: argparse.Namespace, found: EpsilonBound) -> list[str]:
    if args.certificate is None or found.certificate is None:
        return []
    found.certificate.save(args.certificate)
    return [f"certificate: {args.certificate} (check it: {verify_line(args)})"]


def _text(found: EpsilonBound) -> str:
    kind = "pure ε-privacy" if found.pure else f"(ε, δ)-privacy with δ = {exactly(found.delta)}"
    if found.least_delta is not None:
        because = "some outputs are possible from only one state of a pair"
        return f"no ε is enough for {kind}: {because}, and δ must be at least {exactly(found.least_delta)}"
    below = f"refuted for every ε < {_nine_places(round_down(found.epsilon_refuted, 9))}"
    refuted = below if found.refuted > 1 else "refuted for no ε"
    proved = found.epsilon
    if proved is None or found.proved is None:
        return f"{kind} is not proved for any ε that was tried; {refuted}"
    if found.proved == 1:
        return f"{kind} holds for every ε ≥ 0"
    shown = exactly(found.proved)
    least = f"e^ε {'' if shown.startswith('≈') else '= '}{shown}"
    rounded = f"ε = {_nine_places(round_up(proved, 9))}, rounded up"
    if found.exact:
        return f"{kind} holds from {least} on, and for no smaller one: {rounded}"
    return f"{kind} is proved from {least} on ({rounded}); {refuted}"


def _nine_places(epsilon: Fraction) -> str:
    """A number of at most nine places, exactly; it was rounded to the sound side already."""
    whole, places = divmod(int(epsilon * 10**9), 10**9)
    return f"{whole}.{places:09d}".rstrip("0").rstrip(".")
