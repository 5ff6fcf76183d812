"""The pages with measured numbers: their tables and figures are those of bench/results.

``python -m bench.page`` puts them in, and so does ``python -m bench`` when it has measured.

Between ``<!-- table: NAME -->`` and ``<!-- end -->`` is the table of NAME.json; everything else is written by hand.
"""

from __future__ import annotations

import re
import shutil

import deltachain as dc
from bench.commands import QUESTIONS, REACH
from bench.measure import COLUMNS, RESULTS, ROOT, Row, cells, duration, read_rows, table
from bench.plots import draw_ratios, exponent, families
from bench.profiles import profile_table
from bench.smt import reach_table, read_measured
from bench.tables import TITLES

DOCS = ROOT / "docs"
PAGES = (
    ROOT / "README.md",
    DOCS / "benchmarks.md",
    DOCS / "reference" / "measurements.md",
    DOCS / "theory" / "smt.md",
)
FIGURES = DOCS / "figures"
DRAWN = ("growth.svg", "ratios.svg", "scale.svg", "smt.svg")
PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with every table as bench/results has it."""
    return PLACE.sub(lambda place: f"{place[1]}{_content(place[2])}\n{place[3]}", text)


def _content(name: str) -> str:
    made = {"exponents": exponents_table, "reach": reached_table, "commands": commands_table}
    if name in made:
        return made[name]()
    if name == "profile":
        return profile_table(RESULTS)
    if name == "smt":
        return reach_table(read_measured())
    return table(read_rows(RESULTS / f"{name}.json"))


def commands_table() -> str:
    """The questions as commands, each with a link to the table with more of its kind."""
    columns = ("question", "command", "checked", "`--no-check`", "baseline", "ratio", "answer")
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for question in QUESTIONS:
        row = measured_row("commands", question.line)
        shown = dict(zip(COLUMNS, cells(row), strict=True))
        asked = f"[{question.words}]({home(question.home)})"
        times = [shown["time"], duration(row.facts["unchecked"])]
        found = [shown[column] for column in ("baseline", "ratio", "answer")]
        lines.append("| " + " | ".join([asked, f"`{question.line}`", *times, *found]) + " |")
    return "\n".join(lines)


def measured_row(name: str, case: str) -> Row:
    """The row of a case; LookupError if it was renamed, since a table must not lose it silently."""
    for row in read_rows(RESULTS / f"{name}.json"):
        if row.case == case:
            return row
    raise LookupError(f"bench/results/{name}.json has no case {case!r}: measure it, or name another one")


def home(name: str) -> str:
    """The page of the docs with a whole table, relative to docs."""
    (page,) = (page for page in PAGES if f"<!-- table: {name} -->" in page.read_text("utf-8"))
    return page.relative_to(DOCS).as_posix()


def reached_table() -> str:
    """How far deltachain gets, for the README."""
    lines = [
        "| model | states | width of the interval for δ | seconds, checked | `--no-check` |",
        "|---|---|---|---|---|",
    ]
    for question in REACH:
        row = measured_row("commands", question.line)
        # Of programs and of code no size stands here: what they are is not how many states they come to.
        name, is_example = question.command[1].removeprefix("example:"), question.command[1].startswith("example:")
        states = f"{len(dc.examples.build(name)):,}" if is_example else ""
        width = row.facts["width"]
        shown = f"{width:.2g}" if width else "exact"
        lines.append(f"| {question.reach} | {states} | {shown} | {row.seconds:.2g} | {row.facts['unchecked']:.2g} |")
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
