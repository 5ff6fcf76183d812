"""``deltachain convert``: read a model, perhaps cut or merge it, and write it in another format, exactly."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

from ..errors import Defect, InputError
from ..files import STANDARD
from ..model import Chain, quotient, restrict
from ..render.document import document
from ..render.table import printable
from .exits import Exit
from .options import add_model, load_model, states_named
from .output import add_output, deliver, note, work_of
from .parser import Subparsers, verb_parser

USAGE = """
deltachain convert model.tra model.json --normalise
deltachain convert example:dining-cryptographers,n=3 diners.drn
deltachain convert model.json small.json --quotient --reachable s0 s1
deltachain convert example:coin - --to dot
deltachain convert example:probe plan.json --choose start=q1 yes=q1 no=q1
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "convert", "Translate a model into another format, exactly.", USAGE)
    add_model(parser)
    parser.add_argument(
        "output", metavar="OUT", help="the file to write; its suffix names the format; -: standard output"
    )
    parser.add_argument("--to", metavar="FORMAT", help="the format to write, where the suffix of OUT does not tell")
    parser.add_argument(
        "--reachable",
        nargs="+",
        action="extend",
        default=[],
        metavar="S",
        help="keep only what these states reach",
    )
    parser.add_argument(
        "--choose",
        nargs="+",
        action="extend",
        default=[],
        metavar="LABEL=INPUT",
        help="let the observer always give this input where they see this label",
    )
    parser.add_argument("--quotient", action="store_true", help="merge bisimilar states")
    parser.add_argument("--force", action="store_true", help="overwrite OUT")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Write the model, and say what was written."""
    started = time.perf_counter()
    if args.output == STANDARD and args.json:
        raise InputError(Defect("--json", "the model itself goes to standard output", "give a file for OUT"))
    if not args.force:
        _refuse_overwriting(args)
    with work_of(args) as cancel:
        model = load_model(args, cancel)
        chain = model.chain
        if args.choose:
            chain = chain.choosing(_choices(args.choose, chain))
        if args.reachable:
            chain = restrict(chain, states_named(chain, args.reachable, "--reachable"))
        if args.quotient:
            chain = quotient(chain, cancel=cancel).chain
        from ..formats import holds_relation, save

        save(chain, args.output, format=args.to)
    if chain.relation and not holds_relation(chain, args.output, args.to):
        note(args, f"{args.output}: this format holds no relation; pairs left out: {len(chain.relation)}")
    written = {"states": len(chain), "transitions": chain.transitions, "sha256": chain.sha256}
    body = {"output": args.output, "format": _format(args), "written": written}
    seconds = time.perf_counter() - started
    if args.json or not (args.quiet or args.output == STANDARD):
        deliver(
            args,
            lambda: document("deltachain.convert/1", body, model=model, seconds=seconds),
            printable(f"{args.output}: {len(chain)} states, {chain.transitions} transitions"),
            lambda: "",
        )
    return Exit.DONE


def _choices(texts: Iterable[str], chain: Chain) -> dict[str, str]:
    """Label → input, from LABEL=INPUT; a label may have signs of equality in it. InputError with every defect."""
    found: dict[str, str] = {}
    defects = []
    for text in texts:
        splits = [(text[:i], text[i + 1 :]) for i, sign in enumerate(text) if sign == "="]
        label, name = next((s for s in splits if s[0] in chain.inputs), splits[0] if splits else ("", ""))
        if not splits:
            defects.append(Defect("--choose", f"{text!r} is not LABEL=INPUT", "write start=q1"))
        elif found.setdefault(label, name) != name:
            defects.append(Defect("--choose", f"two inputs for the label {label!r}", "keep one of them"))
    if defects:
        raise InputError(defects)
    return found


def _format(args: argparse.Namespace) -> str:
    named: str = Path(args.output).suffix if args.to is None else args.to
    return named.removeprefix(".").lower()


def _refuse_overwriting(args: argparse.Namespace) -> None:
    """InputError naming every file of the output that exists; devices and pipes may be written."""
    output = Path(args.output)
    files = [output]
    if _format(args) == "tra" and output.name:
        files += [output.with_suffix(".lab"), output.with_suffix(".sta")]
    defects = [Defect(str(path), "it exists", "overwrite it with --force") for path in files if path.is_file()]
    if defects:
        raise InputError(defects)
