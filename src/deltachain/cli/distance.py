"""``deltachain distance``: bd, ld or sd of pairs of states, exact or certified from above.

A value is exact or an upper bound, as its side says, of the distance at ``--exp-epsilon``. With ``--epsilon`` it is the
distance at a rational α_below ≤ e^ε: a bound of δ at e^ε, but not of the distance there, which need not fall with α.
ld and sd are directed; δ is bounded by the larger of the two directions, so both are shown.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

from ..cancel import Cancel, interruptible
from ..errors import Defect, InputError, NotConverged
from ..formats import Loaded
from ..rational import format_fraction
from ..render.document import document
from ..render.intervals import interval
from ..render.numbers import bound
from ..render.results import exp_epsilon_field, named, shown_name, value_of
from ..render.table import fields, table
from .exits import Exit
from .options import add_epsilon, add_model, add_pairs, exp_epsilon_of, load_model, pairs_of
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser
from .search import refuse, refuse_unwritable, timeout_of, verify_line

if TYPE_CHECKING:
    from fractions import Fraction

    from ..analysis import Distance, PairDistance

USAGE = """
deltachain distance example:dining-cryptographers,n=2,p=49/100 --exp-epsilon 1.0002
deltachain distance model.json --pair s0 s1 --exp-epsilon 6/5 --kind ld --exact --certificate proof.json
deltachain distance model.tra --all --quotient --epsilon 0.1 --out distances.npz
"""

SHOWN_PAIRS = 40


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    summary = "Compute bd, ld or sd, the distances that bound δ from above, exactly or with a proof."
    parser = verb_parser(subparsers, "distance", summary, USAGE)
    add_model(parser)
    add_pairs(parser)
    add_epsilon(parser)
    group = parser.add_argument_group("which distance")
    group.add_argument(
        "--kind",
        choices=("bd", "ld", "sd"),
        default="bd",
        help="bd: symmetric (default); ld: directed, at most bd; sd: directed, at most ld",
    )
    group.add_argument("--traces", action="store_true", help="sd up to what traces can tell: smaller, dearer")
    group.add_argument(
        "--exact", action="store_true", help="the exact value, or a refusal with the certified upper one"
    )
    group.add_argument("--all", action="store_true", help="every pair of states of one label")
    group.add_argument("--quotient", action="store_true", help="merge bisimilar states first; distances may fall")
    group.add_argument("--timeout", metavar="S", help="give up after S seconds")
    group.add_argument("--certificate", metavar="FILE", help="write the proof here; deltachain verify checks it")
    group.add_argument("--out", metavar="FILE", help="write every pair here instead (.jsonl, or .npz for NumPy)")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the distances; 3 when ``--exact`` was asked and only an upper bound was found."""
    started = time.perf_counter()
    refuse(
        [
            lambda: exp_epsilon_of(args),
            lambda: _refuse_both(args),
            lambda: timeout_of(args),
            lambda: refuse_unwritable(args, "--certificate"),
            lambda: _refuse_out(args),
        ]
    )
    with work_of(args, timeout_of(args)) as cancel:
        model = load_model(args, cancel)
        with interruptible(cancel):
            found, complaint = _solved(args, model, cancel)
    seconds = time.perf_counter() - started
    exp_epsilon = found.exp_epsilon
    deliver(
        args,
        lambda: document(
            "deltachain.distance/1",
            _body(args, found),
            model=model,
            exp_epsilon=exp_epsilon,
            seconds=seconds,
        ),
        _headline(found),
        lambda: _details(args, model, found),
        lambda: _write_files(args, found),
    )
    if complaint is not None:
        note(args, f"not the exact value, but a certified upper bound: {complaint}")
    return Exit.DONE if complaint is None else Exit.UNDECIDED


def _refuse_both(args: argparse.Namespace) -> None:
    if args.all and args.pair:
        raise InputError(Defect("--all", "it asks for every pair", "drop it, or drop --pair"))


def _refuse_out(args: argparse.Namespace) -> None:
    if args.out is not None:
        from ..render.pairs import writer_of

        writer_of(args.out)
        refuse_unwritable(args, "--out")


def _solved(args: argparse.Namespace, model: Loaded, cancel: Cancel) -> tuple[Distance, str | None]:
    """The distances, and why they are not what was asked for."""
    from .. import analysis

    asked = exp_epsilon_of(args)
    try:
        found = analysis.distance(
            model.chain,
            pairs="all" if args.all else pairs_of(args, model.chain),
            epsilon=asked.epsilon,
            exp_epsilon=asked.below if asked.epsilon is None else None,
            kind=args.kind,
            traces=args.traces,
            exact=True if args.exact else None,
            merge=args.quotient,
            cancel=cancel,
        )
    except NotConverged as reason:
        if not isinstance(reason.upper, analysis.Distance):
            raise
        return reason.upper, str(reason)
    return found, None


def _headline(found: Distance) -> str:
    """The line that answers; for ld it says which direction bounds δ."""
    if not found.results:
        return f"{found.kind}: no two states have one label"
    if len(found.results) > 1:
        most = _value(f"the largest {found.kind} of {len(found.results)} pairs", found.value, found.side)
        return f"{most}{_sure(found.side)}"
    result = found.results[0]
    s, t = result.pair
    if found.kind == "bd":
        return _value(f"bd{named((s, t))}", result.value, result.side) + _sure(result.side)
    ends = (s, t) if result.value >= result.reverse else (t, s)
    return f"δ ≤ {_value(f'{found.kind}{named(ends)}', result.largest, result.side)}{_sure(result.side)}"


def _sure(side: str) -> str:
    return ", exact" if side == "exact" else ", certified"


def _value(name: str, value: Fraction, side: str) -> str:
    return interval(name, value, value) if side == "exact" else f"{name} {bound(value, 'upper')}"


def _details(args: argparse.Namespace, model: Loaded, found: Distance) -> str:
    rows = [exp_epsilon_field(found.exp_epsilon)]
    if found.exp_epsilon.epsilon is not None:
        below = format_fraction(found.exp_epsilon.below)
        rows.append(("measured at", f"{below}, just below e^ε: it bounds δ at ε, not the distance at e^ε itself"))
    if args.quotient:
        count = f"{found.measured} of {len(model.chain)} states"
        rows.append(("measured on", f"the bisimulation quotient, {count}"))
    if len(found.results) != 1:
        return f"{fields(rows)}\n\n{_table(model, found)}" if found.results else fields(rows)
    result = found.results[0]
    if found.kind != "bd":
        s, t = result.pair
        for ends, value in (((s, t), result.value), ((t, s), result.reverse)):
            rows.append((f"{found.kind}{named(ends)}", _cell(value, result.side)))
        rows.append(("larger", f"{_cell(result.largest, result.side)}: this one bounds δ, which is about both"))
    return fields(rows) + _reason(model, result)


def _table(model: Loaded, found: Distance) -> str:
    from ..distances.pair_table import top_of

    shown = found.results if len(found.results) <= SHOWN_PAIRS else top_of(found.results, SHOWN_PAIRS)
    header = (
        ["pair", "bd", "side"] if found.kind == "bd" else ["pair", found.kind, "reverse", "larger: bounds δ", "side"]
    )
    rows = []
    for r in shown:
        values = (r.value,) if found.kind == "bd" else (r.value, r.reverse, r.largest)
        side = "exact (different labels)" if _apart(model, r) else r.side
        rows.append([named(r.pair), *(_cell(value, r.side) for value in values), side])
    text = table(header, rows)
    if len(shown) < len(found.results):
        where = "--json or --out FILE" if len(found.listed) == len(found.results) else "--out FILE"
        text += f"\n… the {len(shown)} largest of {len(found.results)} pairs; {where} lists all"
    return text


def _cell(value: Fraction, side: str) -> str:
    return bound(value, "upper") if side == "upper" else value_of(value, value)


def _apart(model: Loaded, result: PairDistance) -> bool:
    s, t = map(model.chain.number, result.pair)
    return model.chain.labels[s] != model.chain.labels[t]


def _reason(model: Loaded, result: PairDistance) -> str:
    if not _apart(model, result):
        return ""
    s, t = map(shown_name, result.pair)
    shown = [model.chain.labels[model.chain.number(state)] for state in result.pair]
    return f"\n\n{s} shows {shown[0]!r} and {t} shows {shown[1]!r}: states of different labels have distance 1."


def _body(args: argparse.Namespace, found: Distance) -> dict[str, object]:
    """The keys of its own of the JSON; with ``--out`` the pairs are in that file, and only their number is here."""
    return found.to_dict() | ({} if args.out is None else {"results": [], "out": args.out})


def _write_files(args: argparse.Namespace, found: Distance) -> list[str]:
    notes = []
    if args.out is not None:
        from ..render.pairs import writer_of

        writer_of(args.out)(args.out, found)
        notes.append(f"{len(found.results)} pairs: {args.out}")
    if args.certificate is not None:
        found.certificate.save(args.certificate)
        notes.append(f"certificate: {args.certificate} (check it: {verify_line(args)})")
    return notes
