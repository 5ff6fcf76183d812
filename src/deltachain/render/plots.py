"""Plots of δ(ε) bands and trade-off curves, through matplotlib (extra ``plot``), onto axes or written atomically.

A file's suffix chooses its format: .svg, .png or .pdf. Colours are from a palette that colour-blind readers can tell
apart; axes carry their units. Names from a model are data: they are shown as they are, never read as formulas.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import BackendMissing, InputError
from ..files import write_atomically
from .table import printable

FORMATS = (".svg", ".png", ".pdf")
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


Estimated = tuple[str, Sequence[tuple[float, float]]]
"""What a band by sampling is called, and its (lower, upper) at each point."""


def draw_band(
    target: str | Path | Any,
    points: Sequence[tuple[float, float, float]],
    title: str,
    reached: Sequence[bool] = (),
    estimate: Estimated | None = None,
) -> None:
    """The band lower ≤ δ(ε) ≤ upper; one line where the two agree. ``target``: a file, or matplotlib axes.

    Points that a search ``reached`` are marked; between them the band is what they prove. A band by sampling is
    hatched, with bars at its points: nobody should take it for a proved one.
    """
    _draw(target, lambda axes: _band(axes, points, title, reached or [True] * len(points), estimate))


def draw_tradeoff(target: str | Path | Any, bounds: Sequence[tuple[float, float]], title: str) -> None:
    """The trade-off curve through the points (false-positive, false-negative rate): no attacker is below it."""
    _draw(target, lambda axes: _tradeoff(axes, bounds, title))


def refuse_suffix(path: Path) -> None:
    """InputError unless the file's suffix is that of a plot."""
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path}: a plot is written as {', '.join(FORMATS)}; give one of these suffixes")


def draw_panels(target: str | Path | Any, count: int, picture: Callable[[Sequence[Any]], None]) -> None:
    """``count`` pictures side by side, in rows of three; onto axes only one fits."""
    if count == 1:
        _draw(target, lambda axes: picture([axes]))
        return
    if not isinstance(target, str | Path):
        raise InputError(f"plot: {count} panels do not fit onto one pair of axes; give a file name")
    wide = min(count, 3)
    tall = -(-count // wide)
    _draw(target, lambda axes: picture(_shown_only(axes, count)), (tall, wide))


def _shown_only(axes: Any, count: int) -> list[Any]:
    """The first axes of a grid; the rest is hidden."""
    flat = list(axes.flat)
    for empty in flat[count:]:
        empty.set_visible(False)
    return flat[:count]


def _draw(target: str | Path | Any, picture: Callable[[Any], None], grid: tuple[int, int] = (1, 1)) -> None:
    if not isinstance(target, str | Path):
        if not hasattr(target, "plot"):
            raise InputError(f"plot: {type(target).__name__} is neither a path nor matplotlib axes")
        picture(target)
        return
    path = Path(target)
    refuse_suffix(path)
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise BackendMissing("matplotlib", "plot") from None
    suffix = path.suffix.lower()[1:]
    content = io.BytesIO()
    # Without dates and random ids, the same data gives the same file.
    with rc_context({"svg.hashsalt": "deltachain"}):
        figure = Figure(figsize=(6.4 + 3.2 * (grid[1] - 1), 4.2 * grid[0]), layout="constrained")
        picture(figure.subplots(*grid))
        figure.savefig(content, format=suffix, dpi=150, metadata={"Date": None} if suffix == "svg" else None)
    write_atomically(path, [content.getvalue()])


def _finished(axes: Any, title: str) -> None:
    axes.set_title(printable(title), parse_math=False)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)


def _band(
    axes: Any,
    points: Sequence[tuple[float, float, float]],
    title: str,
    reached: Sequence[bool],
    estimate: Estimated | None,
) -> None:
    epsilons = [p[0] for p in points]
    if all(p[2] - p[1] <= 1e-9 * max(p[2], 1e-300) for p in points):
        axes.plot(epsilons, [p[2] for p in points], color=BLUE, label="δ(ε)")
    else:
        corners, lowers, uppers = _steps(points)
        axes.fill_between(corners, lowers, uppers, color=BLUE, alpha=0.25, label="certified band")
        axes.plot(corners, uppers, color=BLUE, label="upper bound (proved)")
        axes.plot(corners, lowers, color=ORANGE, linestyle="--", label="lower bound (witnessed)")
        proved = [p for p, there in zip(points, reached, strict=True) if there]
        for side, colour in ((2, BLUE), (1, ORANGE)):
            axes.plot([p[0] for p in proved], [p[side] for p in proved], ".", color=colour, markersize=3)
    if estimate is not None:
        label, bounds = estimate
        corners, lowers, uppers = _steps([(e, *both) for e, both in zip(epsilons, bounds, strict=True)])
        style = {"facecolor": "none", "edgecolor": GREEN, "hatch": "////", "linewidth": 0.0}
        axes.fill_between(corners, lowers, uppers, label=label, **style)
        axes.vlines(epsilons, *zip(*bounds, strict=True), color=GREEN, linewidth=2.5)
    axes.set(xlabel="ε (nats)", ylabel="δ (probability)")
    axes.set_ylim(bottom=0)
    _finished(axes, title)


def _steps(points: Sequence[tuple[float, float, float]]) -> tuple[list[float], list[float], list[float]]:
    """Corners of a band, with what is below and above it.

    δ falls in ε: an upper bound holds to the right of its point, a lower bound to the left. Hence steps.
    """
    segments = list(pairwise(points)) or [(points[0], points[0])]
    corners = [x for left, right in segments for x in (left[0], right[0])]
    uppers = [left[2] for left, _ in segments for _ in (0, 1)]
    lowers = [right[1] for _, right in segments for _ in (0, 1)]
    return corners, lowers, uppers


def _tradeoff(axes: Any, bounds: Sequence[tuple[float, float]], title: str) -> None:
    axes.plot([rate for rate, _ in bounds], [least for _, least in bounds], color=BLUE, label="best attacker")
    axes.plot([0, 1], [1, 0], color="#888888", linestyle=":", label="blind guessing")
    axes.set(xlabel="false-positive rate", ylabel="false-negative rate", xlim=(0, 1), ylim=(0, 1))
    axes.set_aspect("equal")
    _finished(axes, title)
