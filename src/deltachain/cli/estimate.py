"""``deltachain estimate``: a two-sided interval for δ by sampling, with a stated confidence, beside what is proved."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..render.document import document
from ..render.intervals import interval, outward
from ..render.numbers import decimal
from ..render.results import exp_epsilon_field, named, value_of
from ..render.table import fields, table
from .exits import Exit
from .options import add_epsilon, add_model, add_pairs, exp_epsilon_of, load_model, pairs_of
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import add_limits, limit_readers, limits_of, refuse
from .workers import add_workers, worker_readers, workers_of

if TYPE_CHECKING:
    from ..analysis import Estimate

USAGE = """
deltachain estimate example:sticky-sensor --exp-epsilon 1.1 --max-nodes 2000
deltachain estimate example:random,n=400,labels=3,degree=4 --exp-epsilon 1.1 --gap 0.003
deltachain estimate model.prism --epsilon 0.1 --confidence 0.99 --samples 20000 --seed 7 --json
"""

SHOWN_PAIRS = 40
"""More pairs are counted, and the worst are shown."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = (
        "Estimate δ by sampling, with a stated confidence. It is evidence, not a proof: no certificate, no verdict."
    )
    parser = verb_parser(subparsers, "estimate", summary, USAGE)
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    add_sampling(parser)
    add_limits(parser)
    add_workers(parser, "threads on all cores")
    add_output(parser)
    parser.set_defaults(execute=execute)


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """``--confidence``, ``--samples``, ``--horizon`` and ``--seed``."""
    group = parser.add_argument_group("sampling")
    text = "the probability that every interval is right, at least (default: 0.999)"
    group.add_argument("--confidence", metavar="C", default="0.999", help=text)
    group.add_argument("--samples", metavar="N", help="words to draw for each direction of a pair")
    group.add_argument("--horizon", metavar="H", help="letters of a word, at most (default: chosen on a pilot)")
    group.add_argument("--seed", metavar="S", default="0", help="the same seed and samples give the same answer")


def sampling_readers(args: argparse.Namespace) -> list[Callable[[], object]]:
    """Everything that can be wrong with the options of `add_sampling`."""
    from ..analysis.estimates import sampling_for

    return [
        lambda: sampling_for(args.confidence, None, None, 0),
        lambda: sampling_for("1/2", args.samples, None, 0),
        lambda: sampling_for("1/2", None, args.horizon, 0),
        lambda: sampling_for("1/2", None, None, args.seed),
    ]


def execute(args: argparse.Namespace) -> int:
    """Print both intervals; 3 when the one by sampling is wider than asked. It never says that a system is private."""
    started = time.perf_counter()
    refuse([lambda: exp_epsilon_of(args), *limit_readers(args), *sampling_readers(args), *worker_readers(args)])
    exp_epsilon, limits = exp_epsilon_of(args), limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from .. import analysis

        with interruptible(cancel), workers_of(args, here=True) as executor:
            found = analysis.estimate(
                model.chain,
                pairs=pairs,
                epsilon=exp_epsilon.epsilon,
                exp_epsilon=exp_epsilon.below if exp_epsilon.epsilon is None else None,
                confidence=args.confidence,
                samples=args.samples,
                horizon=args.horizon,
                seed=args.seed,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                executor=executor,
                cancel=cancel,
            )
    seconds = time.perf_counter() - started
    body = found.to_dict()
    deliver(
        args,
        lambda: document("deltachain.estimate/1", body, model=model, exp_epsilon=exp_epsilon, seconds=seconds),
        _headline(found),
        lambda: _details(found),
    )
    if limits.gap is not None and found.upper - found.lower > limits.gap:
        note(args, f"the interval is wider than --gap {args.gap}")
        return Exit.UNDECIDED
    if found.interrupted:
        note(args, "cut off: the intervals hold, more words would narrow the one by sampling")
    return Exit.DONE


def _headline(found: Estimate) -> str:
    pairs = found.results
    name = f"δ{named(pairs[0].pair)}" if len(pairs) == 1 else "δ"
    over = "" if len(pairs) == 1 else f" over {len(pairs)} pairs"
    sure = f" with confidence {decimal(found.confidence)}, not proved"
    return f"{interval(name, found.lower, found.upper)}{over}" + (", proved" if found.known else sure)


def _details(found: Estimate) -> str:
    rows = [
        exp_epsilon_field(found.exp_epsilon),
        ("proved", interval("δ", found.proved_lower, found.proved_upper)),
        ("width", outward(found.upper - found.lower, "upper", 3)),
        ("words", f"{found.samples:,}" + (f", up to {_horizon(found)} letters" if found.samples else "")),
        ("seed", str(found.seed)),
    ]
    sections = [fields(rows)]
    if len(found.results) > 1:
        sections.append(_pairs(found))
    share = decimal(1 - found.confidence)
    sections.append(
        "δ is proved exactly: nothing was left to estimate."
        if found.known
        else f"Evidence by sampling: at most a share of {share} of all seeds gives an interval that misses δ.\n"
        "Only what is proved is certain."
    )
    return "\n\n".join(sections)


def _horizon(found: Estimate) -> int:
    return max(result.horizon for result in found.results)


def _pairs(found: Estimate) -> str:
    results = sorted(found.results, key=lambda r: (r.upper, r.lower), reverse=True)[:SHOWN_PAIRS]
    shown = results if len(found.results) > SHOWN_PAIRS else found.results
    header = ["pair", f"with confidence {decimal(found.confidence)}", "proved", "words"]
    rows = [
        [named(r.pair), value_of(r.lower, r.upper), value_of(r.proved_lower, r.proved_upper), f"{r.samples:,}"]
        for r in shown
    ]
    hidden = len(found.results) - len(shown)
    more = f"\n… the {SHOWN_PAIRS} worst of {len(found.results)} pairs; --json lists all" if hidden else ""
    return table(header, rows) + more
