"""``deltachain profile``: δ as a function of ε, as numbers, CSV and plots."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..cancel import interruptible
from ..errors import Defect, InputError
from ..render.document import document
from ..render.numbers import decimal, json_number
from ..render.plots import refuse_suffix
from ..render.results import named, pairs_text
from ..render.table import table
from .estimate import add_sampling, sampling_readers
from .exits import Exit
from .options import add_model, add_pairs, load_model, pairs_of
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import add_limits, limit_readers, limits_of, refuse, refuse_folder, refuse_unwritable
from .values import epsilons_of

if TYPE_CHECKING:
    from ..analysis import Profile

USAGE = """
deltachain profile example:dining-cryptographers,n=4 --epsilons 0:0.1:0.01
deltachain profile example:survey --plot survey.svg --csv survey.csv
deltachain profile example:survey,p=51/100 --repeat 25000 --epsilons 0:40:10
deltachain profile example:sticky-sensor --epsilons 0:1:0.25 --max-nodes 500 --json
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "profile", "Compute the band δ(ε) over a range of ε.", USAGE)
    add_model(parser)
    add_pairs(parser)
    parser.add_argument(
        "--epsilons",
        metavar="VALUES",
        help="values of ε: 0,0.1,1 or A:B:STEP, ends included (default: chosen to show the curve)",
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the band to an .svg, .png or .pdf file")
    parser.add_argument("--tradeoff", metavar="FILE", help="draw the trade-off (ROC) curve to such a file")
    parser.add_argument("--csv", metavar="FILE", help="write the points as CSV")
    parser.add_argument("--losses", metavar="FILE", help="write the exact privacy-loss distribution as CSV")
    text = "add a band by sampling, with a stated confidence: every ε from one set of words; not proved"
    parser.add_argument("--estimate", action="store_true", help=text)
    add_sampling(parser)
    parser.add_argument(
        "--repeat", metavar="K", help="ask about K independent runs, composed from the exact losses of one"
    )
    parser.add_argument(
        "--certificates", metavar="DIR", help="write the proof of each point into this folder; no neighbour helps then"
    )
    add_limits(parser, each=" for each point")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Compute the band; print it, and write what was asked for."""
    started = time.perf_counter()
    outputs = ("--plot", "--tradeoff", "--csv", "--losses")
    plots = [Path(path) for path in (args.plot, args.tradeoff) if path]
    readers: list[Callable[[], object]] = [partial(refuse_suffix, path) for path in plots]
    readers += [lambda: grid_of(args.epsilons), lambda: repeat_of(args), lambda: refuse_unwritable(args, *outputs)]
    refuse([*readers, *limit_readers(args), *sampling_readers(args), lambda: refuse_folder(args.certificates)])
    limits = limits_of(args)
    with work_of(args, limits.timeout) as cancel:
        model = load_model(args, cancel)
        pairs = pairs_of(args, model.chain)
        from ..analysis import profile

        with interruptible(cancel):
            curve = profile(
                model.chain,
                pairs=pairs,
                epsilons=grid_of(args.epsilons),
                repeat=repeat_of(args),
                certificates=args.certificates,
                gap=limits.gap,
                max_nodes=limits.max_nodes,
                cancel=cancel,
                estimate=args.estimate,
                confidence=args.confidence,
                samples=args.samples,
                horizon=args.horizon,
                seed=args.seed,
            )
    seconds = time.perf_counter() - started
    deliver(
        args,
        lambda: document("deltachain.profile/1", _body(curve), model=model, seconds=seconds),
        _headline(curve),
        lambda: _table(curve),
        lambda: _write(args, curve),
    )
    if curve.interrupted:
        note(args, "stopped early: points that were not reached say only what their neighbours prove")
    return Exit.UNDECIDED if curve.interrupted else Exit.DONE


def repeat_of(args: argparse.Namespace) -> int:
    """``--repeat``: how many runs; 1 if it was not given."""
    text: str = "1" if args.repeat is None else args.repeat
    if not (text.isascii() and text.isdecimal() and int(text[:12]) > 0 and len(text) <= 10):
        raise InputError(Defect("--repeat", f"{text!r} is not a number of runs", "give 1, 2, …"))
    if int(text) > 1:
        for option in ("losses", "certificates"):
            if getattr(args, option) is not None:
                what = f"--{option} is about one run"
                raise InputError(Defect("--repeat", what, "ask for it without --repeat"))
    return int(text)


def _write(args: argparse.Namespace, curve: Profile) -> list[str]:
    from ..files import write_atomically

    if args.csv:
        write_atomically(Path(args.csv), [curve.csv()])
    if args.losses:
        write_atomically(Path(args.losses), [curve.losses_csv()])
    if args.plot:
        curve.plot(args.plot)
    if args.tradeoff:
        curve.plot_tradeoff(args.tradeoff)
    return [f"wrote {path}" for path in (args.csv, args.losses, args.plot, args.tradeoff, args.certificates) if path]


def grid_of(text: str | None) -> list[Fraction] | None:
    """``--epsilons``; None if it was not given."""
    return None if text is None else epsilons_of(text)


def _body(curve: Profile) -> dict[str, object]:
    body: dict[str, object] = {
        "pairs": [list(pair) for pair in curve.pairs],
        "exact": curve.distributions is not None,
        "repeat": curve.repeat,
        "points": [
            {
                "epsilon": json_number(p.epsilon, None),
                "lower": json_number(p.lower, "lower"),
                "upper": json_number(p.upper, "upper"),
                "reached": p.reached,
            }
            for p in curve.points
        ],
    }
    if curve.estimate is not None:
        body["estimate"] = curve.estimate.to_dict() | {
            "bounds": [
                {"lower": json_number(low, "lower"), "upper": json_number(high, "upper")}
                for low, high in curve.estimate.bounds
            ]
        }
    if curve.distributions is not None and len(curve.pairs) == 1:
        body["losses"] = [
            {"first": json_number(o.first, None), "second": json_number(o.second, None)} for o in curve.losses
        ]
    return body


def _headline(curve: Profile) -> str:
    pairs = named(curve.pairs[0]) if len(curve.pairs) == 1 else pairs_text(curve.pairs)
    if curve.repeat > 1:
        return f"δ(ε) of {pairs}, {curve.repeat:,} independent runs; a certified band"
    if curve.distributions is not None:
        return f"δ(ε) of {pairs}; known exactly for every ε (bounds differ only in how e^ε is rounded)"
    if curve.estimate is not None:
        sure = f"one with confidence {decimal(curve.estimate.confidence)}, not proved"
        return f"δ(ε) of {pairs}; a certified band, and {sure}"
    return f"δ(ε) of {pairs}; a certified band"


def _table(curve: Profile) -> str:
    rows = [[decimal(p.epsilon), decimal(p.lower, 6, "lower"), decimal(p.upper, 6, "upper")] for p in curve.points]
    header = ["ε", "δ at least", "δ at most"]
    if curve.estimate is not None:
        header += ["sampled: at least", "at most"]
        for row, (low, high) in zip(rows, curve.estimate.bounds, strict=True):
            row += [decimal(low, 6, "lower"), decimal(high, 6, "upper")]
    if not all(p.reached for p in curve.points):
        header.append("")
        for row, p in zip(rows, curve.points, strict=True):
            row.append("" if p.reached else "not reached")
    return table(header, rows)
