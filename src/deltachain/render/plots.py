"""Plots of δ(ε) bands and trade-off curves, through matplotlib (extra ``plot``), written atomically.

The file's suffix chooses the format: .svg, .png or .pdf. Colours are from a palette that colour-blind readers can tell
apart; axes carry their units.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import BackendMissing, InputError
from ..files import write_atomically

__all__ = ["draw_band", "draw_tradeoff"]

FORMATS = (".svg", ".png", ".pdf")
BLUE, ORANGE = "#0072B2", "#D55E00"


def _figure(path: Path) -> tuple[Any, Any]:
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: a plot is written as {', '.join(FORMATS)}; give one of these suffixes")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BackendMissing("matplotlib", "plot") from None
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Any, path: Path) -> None:
    content = io.BytesIO()
    suffix = path.suffix.lower()[1:]
    # Without dates and random ids, the same data gives the same file.
    figure.savefig(content, format=suffix, dpi=150, metadata={"Date": None} if suffix == "svg" else None)
    write_atomically(path, [content.getvalue()])


def draw_band(path: Path, points: Sequence[tuple[float, float, float]], title: str) -> None:
    """The band lower ≤ δ(ε) ≤ upper; one line where the two agree."""
    figure, axes = _figure(path)
    epsilons = [p[0] for p in points]
    exact = all(p[2] - p[1] <= 1e-9 * max(p[2], 1e-300) for p in points)
    if exact:
        axes.plot(epsilons, [p[2] for p in points], color=BLUE, label="δ(ε)")
    else:
        # δ falls in ε: an upper bound holds to the right of its point, a lower bound to the left. Hence steps.
        segments = list(pairwise(points)) or [(points[0], points[0])]
        corners = [x for left, right in segments for x in (left[0], right[0])]
        uppers = [left[2] for left, _ in segments for _ in (0, 1)]
        lowers = [right[1] for _, right in segments for _ in (0, 1)]
        axes.fill_between(corners, lowers, uppers, color=BLUE, alpha=0.25, label="certified band")
        axes.plot(corners, uppers, color=BLUE, label="upper bound (proved)")
        axes.plot(corners, lowers, color=ORANGE, linestyle="--", label="lower bound (witnessed)")
    axes.set(xlabel="ε (nats)", ylabel="δ (probability)", title=title)
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    _save(figure, path)


def draw_tradeoff(path: Path, bounds: Sequence[tuple[float, float]], title: str) -> None:
    """The trade-off curve that the (ε, δ) bounds imply: below it no attacker can be [Dong, Roth, Su 2022]."""
    figure, axes = _figure(path)
    rates = [i / 200 for i in range(201)]
    lowest = [max(0.0, *(max(1 - d - math.exp(e) * a, math.exp(-e) * (1 - d - a)) for e, d in bounds)) for a in rates]
    axes.plot(rates, lowest, color=BLUE, label="best attacker")
    axes.plot([0, 1], [1, 0], color="#888888", linestyle=":", label="blind guessing")
    axes.set(xlabel="false-positive rate", ylabel="false-negative rate", title=title, xlim=(0, 1), ylim=(0, 1))
    axes.set_aspect("equal")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    _save(figure, path)
