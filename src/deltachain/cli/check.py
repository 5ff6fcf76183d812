"""``deltachain check``: is every pair (ε, δ)-private? Proved, refuted with a witness, or undecided."""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..rational import as_probability
from ..render.document import document
from ..render.intervals import beside, interval
from ..render.numbers import exactly
from ..render.results import named
from .bounds import details, write_files
from .exits import Exit
from .options import exp_epsilon_of, load_model, pairs_of
from .output import deliver, work_of
from .parser import Subparsers, verb_parser
from .search import add_question, limits_of, refuse, search_readers

if TYPE_CHECKING:
    from ..analysis import Verdict

USAGE = """
deltachain check example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002 --delta 3e-4
deltachain check model.json --pair s0 s1 --epsilon 0.1 --delta 1e-3 --timeout 60 --json
deltachain check model.json --epsilon 0 --delta 0.01 --certificate proof.json
"""

CODES = {"private": Exit.DONE, "violated": Exit.VIOLATED, "undecided": Exit.UNDECIDED}


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Decide whether the pairs are (ε, δ)-private: proved, refuted with a witness, or undecided."
    add_question(parser := verb_parser(subparsers, "check", summary, USAGE))
    parser.add_argument("--delta", metavar="D", help="the δ that is allowed, in [0, 1], exact: 1e-3, 1/1000")
    parser.set_defaults(execute=execute)


def _allowed(args: argparse.Namespace) -> Fraction:
    if args.delta is None:
        raise InputError(Defect("--delta", "no δ to check against", "give --delta D"))
    return as_probability(args.delta, "--delta")


def execute(args: argparse.Namespace) -> int:
    """Print the verdict; it is the exit code too."""
    started = time.perf_counter()
    refuse([lambda: _allowed(args), *search_readers(args)])
    allowed, exp_epsilon, limits = _allowed(args), exp_epsilon_of(args), limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from .. import analysis

        with interruptible(cancel):
            found = analysis.check(
                model.chain,
                delta=allowed,
                pairs=pairs,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                cancel=cancel,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.check/1", found.to_dict(), model=model, exp_epsilon=exp_epsilon, seconds=seconds),
        _headline(found),
        lambda: details(
            found,
            model.chain,
            extra=[("δ allowed", exactly(allowed))],
            verdict=found.verdict_of,
            with_witness=found.verdict != "private",
        ),
        lambda: write_files(args, found, model, exp_epsilon, seconds),
    )
    return CODES[found.verdict]


def _headline(found: Verdict) -> str:
    allowed, pairs = found.allowed, found.results
    limit = beside(allowed, "upper", allowed)
    everywhere = f"for {named(pairs[0].pair)}" if len(pairs) == 1 else f"for all {len(pairs)} pairs"
    if found.verdict == "private":
        return f"PRIVATE: proved, δ ≤ {beside(found.upper, 'upper', allowed)} {everywhere}; {limit} is allowed"
    if found.verdict == "violated":
        result = found.worst
        least = beside(result.lower, "lower", allowed)
        return f"VIOLATED: proved, δ ≥ {least} for {named(result.pair)}; only {limit} is allowed"
    return f"UNDECIDED: proved is only {interval('δ', found.lower, found.upper)}; {limit} is allowed"
