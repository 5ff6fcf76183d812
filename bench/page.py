"""The pages with measured numbers: their tables and figures are those of bench/results.

``python -m bench.page`` puts them in, and so does ``python -m bench`` when it has measured.

Between ``<!-- table: NAME -->`` and ``<!-- end -->`` is the table of NAME.json; everything else is written by hand.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

import deltachain as dc
from bench.measure import COLUMNS, RESULTS, ROOT, Row, cells, read_rows, table
from bench.plots import draw_ratios, exponent, families
from bench.profiles import profile_table
from bench.smt import reach_table, read_measured
from bench.tables import TITLES

DOCS = ROOT / "docs"
PAGES = (
    ROOT / "README.md",
    DOCS / "benchmarks.md",
    *sorted((DOCS / "benchmarks").glob("*.md")),
    DOCS / "examples.md",
    DOCS / "theory" / "smt.md",
)
FIGURES = DOCS / "figures"
DRAWN = ("growth.svg", "ratios.svg", "scale.svg", "smt.svg")
PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
SHOWN = ("time", "baseline", "ratio", "answer")
EFFORT = re.compile(r", [\d,]+ (?:beliefs|belief pairs)\b.*")
"""What follows an answer in the long tables: how much was explored."""


@dataclass(frozen=True)
class Picked:
    """A row of the short table: where it was measured, and the question in words."""

    table: str
    case: str
    question: str


TEN = (
    Picked(
        "noise",
        "sparse vector, c = 1, unbounded, at 1/4",
        "the sparse vector technique with unbounded noise, δ at half its ε",
    ),
    Picked(
        "ties",
        "the same, 20 rounds at 20",
        "20 rounds of randomised response, each with ε = 1: is δ exactly 0 at ε = 20?",
    ),
    Picked("scale", "50 diners, one pair, α=1.0002", "50 dining cryptographers: is the payer hidden?"),
    Picked("scale", "profile --repeat 25000, survey p=51/100, ε=20", "25,000 independent runs of a survey"),
    Picked(
        "accountants",
        "survey, 100 rounds, p=11/20, δ at α=11/10",
        "a survey of 100 rounds; the accountant is told that it is a composition",
    ),
    Picked("deltas", "zoo: crowds, α=11/10", "Crowds, where runs are short and outputs few"),
    Picked(
        "interactive",
        "walk on a ring, 2,000 states, 4 inputs, 3 labels, α=2, 60 s",
        "2,000 states, and an observer who chooses among four sensors",
    ),
    Picked(
        "scale", "random,n=400,labels=3,degree=4,seed=0, α=11/10", "a random chain of 400 states, without structure"
    ),
    Picked(
        "boxes",
        "survey, 5 rounds, e^ε = 4, 10^4 steps per row",
        "a survey of 5 rounds, known from 10,000 counts per state, at confidence 0.99",
    ),
    Picked(
        "solvers",
        "classic distance (α=1), all pairs, random n=300, against transport",
        "the bisimilarity distance of all pairs of 300 states",
    ),
)
"""Rows for docs/benchmarks.md: what users ask, where we are faster and where we are not."""


@dataclass(frozen=True)
class Reached:
    """A row of scale.json in the README: what it is called there, and the model whose states are counted."""

    case: str
    called: str
    model: str


REACH = (
    Reached(
        "50 diners, one pair, α=1.0002", "50 dining cryptographers, who paid?", "dining-cryptographers,n=50,p=49/100"
    ),
    Reached("survey,rounds=1000,p=51/100, α=11/4", "a survey of 1,000 rounds", "survey,rounds=1000,p=51/100"),
    Reached("profile --repeat 25000, survey p=51/100, ε=20", "25,000 independent runs of one round", "survey,p=51/100"),
    Reached(
        "random,n=400,labels=3,degree=4,seed=0, α=11/10",
        "a random chain without structure",
        "random,n=400,labels=3,degree=4,seed=0",
    ),
    Reached(
        "random,n=5000,labels=2,degree=4,seed=0, α=11/10", "a larger one", "random,n=5000,labels=2,degree=4,seed=0"
    ),
)


def filled(text: str) -> str:
    """The page with every table as bench/results has it."""
    return PLACE.sub(lambda place: f"{place[1]}{_content(place[2])}\n{place[3]}", text)


def _content(name: str) -> str:
    made = {"exponents": exponents_table, "reach": reached_table, "ten": ten_table}
    if name in made:
        return made[name]()
    if name == "profile":
        return profile_table(RESULTS)
    if name == "smt":
        return reach_table(read_measured())
    return table(read_rows(RESULTS / f"{name}.json"))


def ten_table() -> str:
    """The picked rows, each with a link to the table that it is from."""
    lines = ["| question | " + " | ".join(SHOWN) + " |", "|---" * (1 + len(SHOWN)) + "|"]
    for picked in TEN:
        shown = dict(zip(COLUMNS, cells(measured_row(picked.table, picked.case)), strict=True))
        shown["answer"] = EFFORT.sub("", shown["answer"])
        question = f"[{picked.question}]({home(picked.table)})"
        lines.append("| " + " | ".join([question, *(shown[column] for column in SHOWN)]) + " |")
    return "\n".join(lines)


def measured_row(name: str, case: str) -> Row:
    """The row of a case; LookupError if it was renamed, since a table must not lose it silently."""
    for row in read_rows(RESULTS / f"{name}.json"):
        if row.case == case:
            return row
    raise LookupError(f"bench/results/{name}.json has no case {case!r}: name another one in bench/page.py")


def home(name: str) -> str:
    """The page of the docs with a whole table, relative to docs."""
    (page,) = (page for page in PAGES if f"<!-- table: {name} -->" in page.read_text("utf-8"))
    return page.relative_to(DOCS).as_posix()


def reached_table() -> str:
    """How far deltachain gets, for the README."""
    lines = ["| model | states | width of the interval for δ | seconds |", "|---|---|---|---|"]
    for reached in REACH:
        row = measured_row("scale", reached.case)
        states = len(dc.examples.build(reached.model))
        width = re.search(r"width ([\d.e-]+\d)", row.answer)
        lines.append(f"| {reached.called} | {states:,} | {width[1] if width else 'exact'} | {row.seconds:.2g} |")
    return "\n".join(lines)


def exponents_table() -> str:
    """The fitted exponents of each family."""
    lines = ["| family | states | time grows as | memory beyond the process's own grows as |", "|---|---|---|---|"]
    for name, rows in families(read_rows(RESULTS / "growth.json")).items():
        sizes = f"{rows[0].facts['states']:.0f} to {rows[-1].facts['states']:.0f}"
        time, memory = (f"n^{exponent(rows, of):.1f}" for of in ("seconds", "grown_mb"))
        lines.append(f"| {name} | {sizes} | {time} | {memory} |")
    return "\n".join(lines)


def refresh() -> None:
    """Put the results into the pages, and the figures beside them."""
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
    draw_ratios({title: read_rows(RESULTS / f"{name}.json") for name, title in TITLES.items()}, RESULTS / "ratios.svg")
    FIGURES.mkdir(exist_ok=True)
    for name in DRAWN:
        shutil.copyfile(RESULTS / name, FIGURES / name)


if __name__ == "__main__":
    refresh()
