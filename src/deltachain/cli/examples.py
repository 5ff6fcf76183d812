"""``deltachain examples``: the protocol zoo, with each family's parameters and their defaults; or one in detail."""

from __future__ import annotations

import argparse
import inspect
import time
from typing import TYPE_CHECKING

from ..errors import Defect, InputError
from ..render.document import document
from ..render.table import fields, table
from .exits import Exit
from .output import add_output, deliver
from .parser import Subparsers, verb_parser

if TYPE_CHECKING:
    from ..examples import Example

USAGE = """
deltachain examples
deltachain examples dining-cryptographers
deltachain info example:dining-cryptographers,n=3,p=49/100
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "examples", "List the example models and their parameters.", USAGE)
    parser.add_argument("name", nargs="?", metavar="NAME", help="show this one in detail")
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the catalogue, or one entry of it."""
    from ..examples import catalogue

    started = time.perf_counter()
    zoo = catalogue()
    if args.name is not None:
        zoo = (_chosen(zoo, args.name.removeprefix("example:").partition(",")[0]),)
    entries = [{"name": e.name, "parameters": dict(e.parameters), "summary": e.summary} for e in zoo]
    if args.name is None:
        rows = [[e.name, ",".join(f"{key}={value}" for key, value in e.parameters), e.summary] for e in zoo]
        headline = "\n".join(e.name for e in zoo) if args.brief else ""
        shown = table(["example", "parameters and defaults", "what it models"], rows)
    else:
        headline, shown = f"{zoo[0].name}: {zoo[0].summary}", _details(zoo[0])
    deliver(
        args,
        lambda: document("deltachain.examples/1", {"examples": entries}, seconds=time.perf_counter() - started),
        headline,
        lambda: shown,
    )
    return Exit.DONE


def _chosen(zoo: tuple[Example, ...], name: str) -> Example:
    for example in zoo:
        if example.name == name:
            return example
    raise InputError(Defect(f"example {name!r}", "there is none", f"examples are {', '.join(e.name for e in zoo)}"))


def _details(example: Example) -> str:
    """Its parameters, what its builder says of it, and its size as it comes."""
    chain = example.build()
    settings = ",".join(f"{key}={value}" for key, value in example.parameters)
    asked = len({name for names in chain.inputs.values() for name in names})
    inputs = f", {asked} inputs" if asked else ""
    rows = [
        ("as it comes", f"example:{example.name}" + (f",{settings}" if settings else "")),
        ("size", f"{len(chain)} states, {chain.transitions} transitions, {len(chain.alphabet)} labels{inputs}"),
        ("try", f"deltachain delta example:{example.name} --epsilon 0.1"),
    ]
    described = inspect.getdoc(example.build) or ""
    prose = described.partition("\n>>>")[0].strip()
    return f"{fields(rows)}\n\n{prose}"
