"""``deltachain examples``: the protocol zoo, with each family's parameters and their defaults."""

from __future__ import annotations

import argparse
import time

from ..render.document import document, rendered
from ..render.table import table
from .exits import Exit
from .options import add_output
from .parser import Subparsers, verb_parser

__all__ = ["add_parser", "execute"]

USAGE = """
deltachain examples
deltachain info example:dining-cryptographers,n=3,p=49/100
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb_parser(subparsers, "examples", "List the example models and their parameters.", USAGE)
    add_output(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Print the catalogue."""
    from ..examples import catalogue

    started = time.perf_counter()
    zoo = catalogue()
    if args.json:
        entries = [{"name": e.name, "parameters": dict(e.parameters), "summary": e.summary} for e in zoo]
        print(rendered(document("deltachain.examples/1", {"examples": entries}, seconds=time.perf_counter() - started)))
        return Exit.DONE
    rows = [[e.name, ",".join(f"{key}={value}" for key, value in e.parameters), e.summary] for e in zoo]
    print(table(["example", "parameters and defaults", "what it models"], rows))
    return Exit.DONE
