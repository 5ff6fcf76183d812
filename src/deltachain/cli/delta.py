"""``deltachain delta``: a certified interval for the smallest δ at a given ε, with its proof and its witness."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..render.document import document
from ..render.intervals import interval
from ..render.results import named, shown_name, value_of
from .bounds import details, write_files
from .exits import Exit
from .options import exp_epsilon_of, load_model, pairs_of
from .output import deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import Limits, add_question, limits_of, refuse, search_readers

if TYPE_CHECKING:
    from ..analysis import Delta

MOST_QUESTIONS = 1000
SHOWN_INPUTS = 12
"""Inputs of a plan that are printed; the JSON has all."""

USAGE = """
deltachain delta example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain delta model.json --pair s0 s1 --epsilon 0.1 --gap 1e-4 --timeout 60
deltachain delta model.json --epsilon 0.1 --certificate proof.json --witness event.json --json
deltachain delta device.json --epsilon 0.1 --fixed 3
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Bound, with a proof, the smallest δ at which the pairs are (ε, δ)-private."
    add_question(parser := verb_parser(subparsers, "delta", summary, USAGE))
    parser.add_argument(
        "--fixed",
        metavar="N",
        help="where the observer asks: also the best plan of N questions that are decided in advance",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the interval; 3 when it is wider than asked."""
    started = time.perf_counter()
    refuse([*search_readers(args), lambda: _questions(args)])
    exp_epsilon, limits = exp_epsilon_of(args), limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from .. import analysis

        with interruptible(cancel):
            found = analysis.delta(
                model.chain,
                pairs=pairs,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                cancel=cancel,
                fixed=_questions(args),
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.delta/1", found.to_dict(), model=model, exp_epsilon=exp_epsilon, seconds=seconds),
        _headline(found),
        lambda: details(found, model.chain, extra=_fixed(found)),
        lambda: write_files(args, found, model, exp_epsilon, seconds),
    )
    return _code(args, found, limits)


def _questions(args: argparse.Namespace) -> int | None:
    text: str | None = args.fixed
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MOST_QUESTIONS):
        raise InputError(Defect("--fixed", f"{text!r} is not a number of questions", f"give 1 to {MOST_QUESTIONS}"))
    return int(text)


def _fixed(found: Delta) -> Iterator[tuple[str, str]]:
    """What questions decided in advance gain, beside as many adaptive ones; of the pair where they gain most."""
    if not found.plans:
        return
    plan = max(found.plans, key=lambda plan: (plan.lower, plan.upper))
    asked = ", ".join(shown_name(name) for name in plan.inputs[:SHOWN_INPUTS]) or "nothing"
    asked += f", … ({len(plan.inputs)} in all)" if len(plan.inputs) > SHOWN_INPUTS else ""
    yield f"{plan.questions} decided in advance", f"{value_of(plan.lower, plan.upper)}, by asking {asked}"
    yield f"{plan.questions} asked adaptively", value_of(plan.adaptive_lower, plan.adaptive_upper)
    least, most = plan.adaptive_lower - plan.upper, plan.adaptive_upper - plan.lower
    yield "adaptivity buys", value_of(max(least, Fraction(0)), most)


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
