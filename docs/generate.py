"""Write what is made from the program itself: the command line's reference, and the results of the examples.

`make docs` runs this before the site is built; tests compare the pages with what this would write.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from deltachain import delta, examples
from deltachain.certificate import proved
from deltachain.cli.command import build_parser
from deltachain.results.numbers import decimal, exactly

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


def zoo() -> str:
    """The page of measurements, with the table of which examples close exactly at e^ε = 11/10."""
    rows = ["| example | states | δ | closes | belief pairs | how |", "|---|---|---|---|---|---|"]
    for example in examples.catalogue():
        chain = example.build()
        found = delta(chain, exp_epsilon=EXP_EPSILON)
        between = f"{decimal(found.lower, 6, 'lower')} and {decimal(found.upper, 6, 'upper')}"
        value = exactly(found.lower) if found.exact else between
        methods = "; ".join(dict.fromkeys(result.method for result in found.results))
        closes = "exactly" if found.exact else f"to {decimal(found.upper - found.lower, 1, 'upper').removeprefix('≤ ')}"
        rows.append(f"| `{example.name}` | {len(chain)} | {value} | {closes} | {found.nodes} | {methods} |")
    before, opening, rest = (DOCS / "reference" / "measurements.md").read_text("utf-8").partition("<!-- zoo -->\n")
    _, closing, after = rest.partition("<!-- end -->")
    return "".join([before, opening, *(f"{row}\n" for row in rows), closing, after])


PAGES = {
    DOCS / "reference" / "cli.md": command_line,
    DOCS / "reference" / "measurements.md": zoo,
}
PROVED = (DOCS / "trusted-base.md", DOCS.parent / "formal" / "README.md", DOCS.parent / "README.md")
"""Pages that say which rules are theorems of Coq."""


def main() -> None:
    """Write the pages."""
    for path, made in PAGES.items():
        path.write_text(made(), "utf-8")
    for path in PROVED:
        path.write_text(proved.fill_page(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
