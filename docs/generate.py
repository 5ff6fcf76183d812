"""Write what is made from the program itself: the command line's reference, and the results of the examples.

`make docs` runs this before the site is built; tests compare the pages with what this would write.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path

from deltachain import delta, examples
from deltachain.cli.command import build_parser
from deltachain.results.numbers import decimal, exactly

DOCS = Path(__file__).parent
BENCH = DOCS.parent / "bench" / "results"
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
    """The page of the examples, with the table of which ones close exactly at e^ε = 11/10."""
    rows = ["| example | states | δ | closes | belief pairs | how |", "|---|---|---|---|---|---|"]
    for example in examples.catalogue():
        chain = example.build()
        found = delta(chain, exp_epsilon=EXP_EPSILON)
        between = f"{decimal(found.lower, 6, 'lower')} and {decimal(found.upper, 6, 'upper')}"
        value = exactly(found.lower) if found.exact else between
        methods = "; ".join(dict.fromkeys(result.method for result in found.results))
        closes = "exactly" if found.exact else f"to {decimal(found.upper - found.lower, 1, 'upper').removeprefix('≤ ')}"
        rows.append(f"| `{example.name}` | {len(chain)} | {value} | {closes} | {found.nodes} | {methods} |")
    before, opening, rest = (DOCS / "examples.md").read_text("utf-8").partition("<!-- zoo -->\n")
    _, closing, after = rest.partition("<!-- end -->")
    return "".join([before, opening, *(f"{row}\n" for row in rows), closing, after])


REACH = {
    "50 diners, one pair, α=1.0002": "50 dining cryptographers, who paid?",
    "survey,rounds=1000,p=51/100, α=11/4": "a survey of 1,000 rounds",
    "profile --repeat 25000, survey p=51/100, ε=20": "25,000 independent runs of one round",
    "random,n=400,labels=3,degree=4,seed=0, α=11/10": "a random chain without structure",
    "random,n=5000,labels=2,degree=4,seed=0, α=11/10": "a larger one",
}
"""Rows of bench/results/scale.json, and what the README calls them."""
REACH_MODELS = {
    "50 diners, one pair, α=1.0002": "dining-cryptographers,n=50,p=49/100",
    "survey,rounds=1000,p=51/100, α=11/4": "survey,rounds=1000,p=51/100",
    "profile --repeat 25000, survey p=51/100, ε=20": "survey,p=51/100",
    "random,n=400,labels=3,degree=4,seed=0, α=11/10": "random,n=400,labels=3,degree=4,seed=0",
    "random,n=5000,labels=2,degree=4,seed=0, α=11/10": "random,n=5000,labels=2,degree=4,seed=0",
}
"""The chain of each row, for its number of states."""


def readme() -> str:
    """The README, with the table of how far deltachain gets, from the benchmarks."""
    measured = {row["case"]: row for row in json.loads((BENCH / "scale.json").read_text("utf-8"))}
    rows = ["| model | states | width of the interval for δ | seconds |", "|---|---|---|---|"]
    for case, called in REACH.items():
        states = len(examples.build(REACH_MODELS[case]))
        width = re.search(r"width ([\d.e-]+\d)", measured[case]["answer"])
        shown = width[1] if width is not None else "exact"
        rows.append(f"| {called} | {states:,} | {shown} | {measured[case]['seconds']:.2g} |")
    before, opening, rest = (DOCS.parent / "README.md").read_text("utf-8").partition("<!-- reach -->\n")
    _, closing, after = rest.partition("<!-- end -->")
    return "".join([before, opening, *(f"{row}\n" for row in rows), closing, after])


PAGES = {
    DOCS / "reference" / "cli.md": command_line,
    DOCS / "examples.md": zoo,
    DOCS.parent / "README.md": readme,
}


def main() -> None:
    """Write the pages."""
    for path, made in PAGES.items():
        path.write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
