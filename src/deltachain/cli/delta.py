"""``deltachain delta``: a certified interval for the smallest δ at a given ε, with its proof and its witness."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from ..render.document import document
from ..render.intervals import interval
from ..render.results import named
from ..watch import interruptible
from .bounds import details, write_files
from .exits import Exit
from .options import exp_epsilon_of, load_model, pairs_of
from .output import deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import Limits, add_question, limits_of, refuse, search_readers

if TYPE_CHECKING:
    from ..analysis import Delta

__all__ = ["add_parser", "execute"]

USAGE = """
deltachain delta example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain delta model.json --pair s0 s1 --epsilon 0.1 --gap 1e-4 --timeout 60
deltachain delta model.json --epsilon 0.1 --certificate proof.json --witness event.json --json
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Bound, with a proof, the smallest δ at which the pairs are (ε, δ)-private."
    add_question(parser := verb_parser(subparsers, "delta", summary, USAGE))
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the interval; 3 when it is wider than asked."""
    started = time.perf_counter()
    refuse(search_readers(args))
    exp_epsilon, limits = exp_epsilon_of(args), limits_of(args)
    with work_of(args, limits.timeout) as watch:
        model = load_model(args, watch)
        pairs = pairs_of(args, model.chain)
        from .. import analysis

        with interruptible(watch):
            found = analysis.delta(
                model.chain,
                pairs=pairs,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                watch=watch,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.delta/1", found.to_dict(), model=model, exp_epsilon=exp_epsilon, seconds=seconds),
        _headline(found),
        lambda: details(found, model.chain),
        lambda: write_files(args, found, model, exp_epsilon, seconds),
    )
    return _code(args, found, limits)


def _headline(found: Delta) -> str:
    pairs, sure = found.results, "exact" if found.exact else "certified"
    if len(pairs) == 1:
        return f"{interval(f'δ{named(pairs[0].pair)}', found.lower, found.upper)}, {sure}"
    return f"{interval('δ', found.lower, found.upper)} over {len(pairs)} pairs, {sure}"


def _code(args: argparse.Namespace, found: Delta, limits: Limits) -> int:
    """Done, or undecided when the asked gap was not reached or the search was cut off before its end."""
    if limits.gap is not None and found.upper - found.lower > limits.gap:
        note(args, f"the interval is certified, but wider than --gap {args.gap}")
        return Exit.UNDECIDED
    if limits.gap is None and found.interrupted and not found.exact:
        note(args, "the search was cut off; the interval is certified, more time may narrow it")
        return Exit.UNDECIDED
    return Exit.DONE
