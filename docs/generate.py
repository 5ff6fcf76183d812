"""Write the pages that are made from the program itself: the command line's reference and the zoo's results.

`make docs` runs this before the site is built; tests compare the pages with what this would write.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from deltachain import delta, examples
from deltachain.cli.command import build_parser
from deltachain.render.numbers import decimal, exactly

DOCS = Path(__file__).parent
EXP_EPSILON = "11/10"
WIDTH = "100"


def command_line() -> str:
    """The reference of every verb, from ``--help``."""
    os.environ["COLUMNS"] = WIDTH
    parser = build_parser()
    verbs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices
    parts = [
        "# Command line",
        "",
        "Made from `deltachain --help` and `deltachain VERB --help` by `make docs`. What the codes mean:",
        "[exit codes](exit-codes.md). What `--json` prints: [JSON output](json.md).",
        "",
        _help("deltachain", parser),
    ]
    for name, verb in verbs.items():
        parts += [f"## {name}", "", _help(f"deltachain {name}", verb)]
    return "\n".join(parts)


def _help(command: str, parser: argparse.ArgumentParser) -> str:
    lines = [line.rstrip() for line in parser.format_help().rstrip().splitlines()]
    return "\n".join(["```text", f"{command} --help", "", *lines, "```", ""])


def zoo_results() -> str:
    """Which examples close exactly at e^ε = 11/10, with the default parameters."""
    rows = [
        "# Which examples close exactly",
        "",
        f"`deltachain.delta` at e^ε = {EXP_EPSILON} on every entry of the [zoo](examples.md), with its default",
        "parameters and over the pairs that it carries. Made by `make docs`, and compared by a test.",
        "",
        "| example | states | δ | closes | belief pairs | how |",
        "|---|---|---|---|---|---|",
    ]
    for example in examples.catalogue():
        chain = example.build()
        found = delta(chain, exp_epsilon=EXP_EPSILON)
        between = f"{decimal(found.lower, 6, 'lower')} and {decimal(found.upper, 6, 'upper')}"
        value = exactly(found.lower) if found.exact else between
        methods = "; ".join(dict.fromkeys(result.method for result in found.results))
        closes = "exactly" if found.exact else f"to {decimal(found.upper - found.lower, 1, 'upper').removeprefix('≤ ')}"
        rows.append(f"| `{example.name}` | {len(chain)} | {value} | {closes} | {found.nodes} | {methods} |")
    return "\n".join([*rows, "", ZOO_NOTES])


ZOO_NOTES = """\
A finite graph of belief pairs always closes exactly; so does every chain whose only cycles are absorbing states. Some
belief graphs that never end fall into parts that do, if the chain is [split by where it ends](theory/splits.md). For
the others the interval shrinks for as long as you let it (`--gap`, `--max-nodes`, `--timeout`): see
[what to do with "undecided"](howto/undecided.md) and [closing rules](theory/beliefs.md#closing-rules).
"""

PAGES = {DOCS / "reference" / "cli.md": command_line, DOCS / "zoo-results.md": zoo_results}


def main() -> None:
    """Write the pages."""
    for path, made in PAGES.items():
        path.write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
