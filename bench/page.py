"""docs/benchmarks.md, smt.md, examples.md: tables and figures are those of bench/results.

``python -m bench.page`` puts them in.

Between ``<!-- table: NAME -->`` and ``<!-- end -->`` stands the table of NAME.json; everything else is written by hand.
"""

from __future__ import annotations

import re
import shutil

from bench.measure import RESULTS, ROOT, read_rows, table
from bench.plots import exponent, families
from bench.profiles import profile_table
from bench.smt import reach_table, read_measured

PAGES = tuple(ROOT / "docs" / name for name in ("benchmarks.md", "smt.md", "examples.md"))
FIGURES = ROOT / "docs" / "figures"
DRAWN = ("growth.svg", "ratios.svg", "scale.svg", "smt.svg")
PLACE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with every table as bench/results has it."""
    return PLACE.sub(lambda place: f"{place[1]}{_content(place[2])}\n{place[3]}", text)


def _content(name: str) -> str:
    if name == "profile":
        return profile_table(RESULTS)
    if name == "smt":
        return reach_table(read_measured())
    if name == "exponents":
        return exponents_table()
    return table(read_rows(RESULTS / f"{name}.json"))


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
    FIGURES.mkdir(exist_ok=True)
    for name in DRAWN:
        shutil.copyfile(RESULTS / name, FIGURES / name)


if __name__ == "__main__":
    refresh()
