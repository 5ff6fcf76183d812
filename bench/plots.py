"""The figures: how time and memory grow, and how many times longer the baselines take."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"random": "#0072B2", "retransmission": "#D55E00", "diners": "#009E73"}
MARKS = {"random": "o", "retransmission": "s", "diners": "^"}
OFFSETS = (0.0, 0.16, -0.16, 0.08, -0.08)
"""Of neighbouring dots, so that equal ratios do not hide each other."""


def families(rows: list[Row]) -> dict[str, list[Row]]:
    """The growth rows by family, the first word of the case."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.case.split()[0], []).append(row)
    return found


def measured(row: Row, of: str) -> float:
    """``seconds``, or ``grown_mb``: the memory beyond what the process had before, at least 1 MB for logarithms."""
    return row.seconds if of == "seconds" else max(row.facts[of], 1.0)


def exponent(rows: list[Row], of: str) -> float:
    """The slope of log ``of`` against log states over the larger half of the sizes, least squares."""
    points = [(math.log(row.facts["states"]), math.log(measured(row, of))) for row in rows[len(rows) // 2 :]]
    mean_x, mean_y = (sum(point[i] for point in points) / len(points) for i in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def draw_growth(rows: list[Row], path: Path) -> None:
    """Time and memory against states, one line per family, with the fitted exponents."""
    figure = new_figure(9.2, 4.0)
    panels = (("seconds", "time (s)"), ("grown_mb", "memory beyond the process's own (MB)"))
    for axes, (of, what) in zip(figure.subplots(1, 2), panels, strict=True):
        for name, members in families(rows).items():
            label = f"{name}: n^{exponent(members, of):.1f}"
            states = [row.facts["states"] for row in members]
            values = [measured(row, of) for row in members]
            axes.loglog(states, values, marker=MARKS[name], color=COLOURS[name], label=label)
        axes.set(xlabel="states n", ylabel=what)
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.legend(frameon=False, title="growth at the larger sizes")
    save_figure(figure, path)


def draw_ratios(tables: dict[str, list[Row]], path: Path) -> None:
    """One dot per row that has a baseline time, a line per table; left of 1 the baseline is faster."""
    ratios = {title: sorted(row.ratio for row in rows if row.ratio) for title, rows in tables.items()}
    compared = {title: found for title, found in ratios.items() if found}
    figure = new_figure(9.2, 0.36 * len(compared) + 0.9)
    axes = figure.subplots()
    for line, found in enumerate(reversed(compared.values())):
        heights = [line + OFFSETS[number % len(OFFSETS)] for number in range(len(found))]
        colours = ["#0072B2" if ratio >= 1 else "#D55E00" for ratio in found]
        axes.scatter(found, heights, s=22, c=colours, linewidths=0, alpha=0.8)
    axes.set_yticks(range(len(compared)), list(reversed(compared)))
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.grid(visible=True, axis="x", which="major", alpha=0.3)
    axes.set(xlabel="baseline time / our time (left of 1, orange: the baseline is faster)")
    save_figure(figure, path)


def new_figure(width: float, height: float) -> Figure:
    """An empty figure."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> None:
    """Text stays text, and the same data give the same file."""
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "deltachain"}):
        figure.savefig(path, metadata={"Date": None})
