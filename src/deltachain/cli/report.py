"""``deltachain report``: everything about a model in one HTML file that reads nothing else."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..rational import as_probability
from ..render.document import document
from ..render.intervals import interval
from ..render.results import pairs_text
from ..render.table import fields
from .check import CODES
from .exits import Exit
from .front_ends import reading_options
from .hiding import hiding_options
from .options import add_epsilon, add_model, add_pairs, exp_epsilon_of, load_model, pairs_of
from .output import add_output, deliver, work_of
from .parser import Subparsers, verb_parser
from .profile import grid_of
from .search import add_limits, limit_readers, limits_of, refuse, refuse_unwritable

if TYPE_CHECKING:
    from ..analysis import Report

USAGE = """
deltachain report example:dining-cryptographers,n=2,p=49/100 --epsilon 0.1 --delta 1e-3 --out report.html
deltachain report model.json --pair s0 s1 --exp-epsilon 3/2 --out report.html
deltachain report example:sticky-sensor --epsilon 1 --delta 0.1 --epsilons 0:2:0.1 --max-nodes 500 --out report.html
"""

HEADLINES = {
    "private": "PRIVATE: proved",
    "violated": "VIOLATED: proved",
    "undecided": "UNDECIDED",
}


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "report", "Write everything about a model to one HTML file.", USAGE)
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    parser.add_argument("--delta", metavar="D", help="the δ that is allowed, for a verdict (default: none)")
    parser.add_argument("--out", metavar="FILE.html", help="the file to write")
    parser.add_argument(
        "--epsilons",
        metavar="VALUES",
        help="values of ε of the curve: 0,0.1,1 or A:B:STEP (default: chosen to show it)",
    )
    parser.add_argument(
        "--prior", default="1/2", metavar="P", help="a watcher's belief in the first state, before (default: 1/2)"
    )
    add_limits(parser, each=" for each point")
    add_output(parser)
    parser.set_defaults(execute=execute)


def _allowed(args: argparse.Namespace) -> Fraction | None:
    return None if args.delta is None else as_probability(args.delta, "--delta")


def _out(args: argparse.Namespace) -> str:
    if args.out is None:
        raise InputError(Defect("--out", "no file to write", "give --out report.html"))
    return str(args.out)


def _prior(args: argparse.Namespace) -> Fraction:
    prior = as_probability(args.prior, "--prior")
    if not 0 < prior < 1:
        raise InputError(Defect("--prior", f"{args.prior} learns nothing", "give a belief above 0 and below 1"))
    return prior


def execute(args: argparse.Namespace) -> int:
    """Write the report; with ``--delta``, the verdict is the exit code."""
    started = time.perf_counter()
    refuse(
        [
            lambda: exp_epsilon_of(args),
            lambda: _allowed(args),
            lambda: _prior(args),
            lambda: grid_of(args.epsilons),
            *limit_readers(args),
            lambda: _out(args),
            lambda: refuse_unwritable(args, "--out"),
        ]
    )
    exp_epsilon, limits = exp_epsilon_of(args), limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from ..analysis import report

        with interruptible(cancel):
            page = report(
                model.chain,
                pairs=pairs,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                delta=_allowed(args),
                epsilons=grid_of(args.epsilons),
                prior=_prior(args),
                source=model.source,
                command=_command(args),
                verify=_verify(args),
                notes=model.notes,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                cancel=cancel,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.report/1", _body(page), model=model, exp_epsilon=exp_epsilon, seconds=seconds),
        _headline(page),
        lambda: fields([("report", str(args.out)), ("bytes", f"{page.size:,}"), ("sha256", page.sha256)]),
        lambda: _write(args, page),
    )
    return _code(page)


def _verdict(page: Report) -> str | None:
    return getattr(page.found, "verdict", None)


def _code(page: Report) -> int:
    verdict = _verdict(page)
    if verdict is not None:
        return CODES[verdict]
    return Exit.UNDECIDED if page.found.interrupted else Exit.DONE


def _headline(page: Report) -> str:
    found = page.found
    verdict = _verdict(page)
    start = "" if verdict is None else f"{HEADLINES[verdict]}; "
    pairs = pairs_text([result.pair for result in found.results])
    return f"{start}{interval('δ', found.lower, found.upper)}, {pairs}"


def _body(page: Report) -> dict[str, object]:
    return page.to_dict()


def _write(args: argparse.Namespace, page: Report) -> Sequence[str]:
    page.save(args.out)
    return [f"wrote {args.out}"]


def _command(args: argparse.Namespace) -> str:
    """The command that makes this report again, wherever it is written to."""
    words = ["deltachain", "report", args.model, *reading_options(args), *hiding_options(args)]
    for s, t in args.pair:
        words += ["--pair", s, t]
    for option in ("from_states", "to_states", "epsilon", "exp_epsilon", "delta", "epsilons", "gap", "max_nodes"):
        value = getattr(args, option)
        if value is not None:
            words += [f"--{option.removesuffix('_states').replace('_', '-')}", value]
    if args.prior != "1/2":
        words += ["--prior", args.prior]
    return shlex.join([*words, "--out", "report.html"])


def _verify(args: argparse.Namespace) -> str:
    words = ["deltachain", "verify", args.model, "certificate.json", *reading_options(args), *hiding_options(args)]
    return shlex.join(words)
