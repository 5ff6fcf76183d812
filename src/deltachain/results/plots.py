"""Plots of δ(ε) bands, trade-off curves and sweeps, through matplotlib (extra ``plot``), onto axes or written
atomically.

A file's suffix chooses its format: .svg, .png or .pdf. Colours are from a palette that colour-blind readers can tell
apart; axes carry their units. Names from a model are data: they are shown as they are, never read as formulas.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import InputError, require_extra
from ..files import require_plot, write_atomically
from ..numbers.exponential import read_exponential
from ..numbers.fraction import as_fraction
from .chart import DrawnPoints, step_band
from .numbers import decimal, outward
from .text import printable, shorten

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"

Estimated = tuple[str, Sequence[tuple[float, float]]]
"""What a band by sampling is called, and its (lower, upper) at each point."""
InsideBand = tuple[Sequence[tuple[float, float, float]], Sequence[tuple[DrawnPoints, DrawnPoints]]]
"""(ε, the least, the largest δ of single chains within limits), and stretches (top, bottom) where they are apart."""


def draw_band(
    target: str | Path | Any | None,
    points: Sequence[tuple[float, float, float]],
    title: str,
    reached: Sequence[bool] = (),
    estimate: Estimated | None = None,
    band: tuple[DrawnPoints, DrawnPoints] | None = None,
    inside: InsideBand | None = None,
    *,
    exact: bool = False,
) -> Any:
    """The band lower ≤ δ(ε) ≤ upper; one line where it is ``exact`` for every ε. The axes; None for a file.

    Points that a search ``reached`` are marked; between them ``band`` is what they prove, as (upper, lower) edges. A
    band by sampling is hatched, with bars at its points: nobody should take it for a proved one. What single chains
    ``inside`` limits leave open has a colour of its own.
    """
    drawn, there = band or step_band(points), reached or [True] * len(points)
    return _draw(target, lambda axes: _band(axes, points, title, there, estimate, drawn, inside, exact))


def draw_tradeoff(
    target: str | Path | Any | None, corners: Sequence[tuple[float, float]], title: str, *, exact: bool
) -> Any:
    """The trade-off curve through the points (false-positive, false-negative rate): no attacker is below it.

    Where it is ``exact``, some attacker is on it.
    """
    return _draw(target, lambda axes: _tradeoff(axes, corners, title, exact))


def draw_pieces(
    target: str | Path | Any | None,
    line: DrawnPoints,
    name: str,
    title: str,
    allowed: float | None,
    violated: Sequence[tuple[float, float]],
    value: str = "δ",
) -> Any:
    """δ, or another ``value``, over a parameter; where it is above what is allowed, the strip is shaded.

    The axes; None for a file.
    """

    def picture(axes: Any) -> None:
        axes.plot(*zip(*line, strict=True), color=BLUE, label=f"{value}({printable(name)})")
        if allowed is not None:
            axes.axhline(allowed, color=GREEN, linestyle="--", label=f"allowed: {allowed:g}")
        for begin, end in violated:
            axes.axvspan(begin, end, color=ORANGE, alpha=0.15, label="violated" if begin == violated[0][0] else None)
        axes.set_xlabel(printable(name), parse_math=False)
        axes.set_ylabel(value)
        axes.set_ylim(bottom=0)
        _finish(axes, title)

    return _draw(target, picture)


def draw_panels(target: str | Path | Any | None, count: int, picture: Callable[[Sequence[Any]], None]) -> Any:
    """``count`` pictures side by side, in rows of three; onto axes only one fits."""
    if count == 1:
        return _draw(target, lambda axes: picture([axes]))
    if not isinstance(target, str | Path):
        raise InputError(f"plot: {count} panels do not fit onto one pair of axes; give a file name")
    wide = min(count, 3)
    tall = -(-count // wide)
    return _draw(target, lambda axes: picture(_shown_only(axes, count)), (tall, wide))


def _shown_only(axes: Any, count: int) -> list[Any]:
    """The first axes of a grid; the rest is hidden."""
    flat = list(axes.flat)
    for empty in flat[count:]:
        empty.set_visible(False)
    return flat[:count]


def _draw(target: str | Path | Any | None, picture: Callable[[Any], None], grid: tuple[int, int] = (1, 1)) -> Any:
    if target is None:
        with require_extra("matplotlib", "plot"):
            from matplotlib import pyplot
        target = pyplot.subplots(layout="constrained")[1]
    if not isinstance(target, str | Path):
        if not hasattr(target, "plot"):
            raise InputError(f"plot: {type(target).__name__} is neither a path nor matplotlib axes")
        picture(target)
        return target
    path = Path(target)
    require_plot(path)
    with require_extra("matplotlib", "plot"):
        import matplotlib.figure
    suffix = path.suffix.lower()[1:]
    content = io.BytesIO()
    # Without dates and random ids, the same data gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "deltachain"}):
        figure = matplotlib.figure.Figure(figsize=(6.4 + 3.2 * (grid[1] - 1), 4.2 * grid[0]), layout="constrained")
        picture(figure.subplots(*grid))
        figure.savefig(content, format=suffix, dpi=150, metadata={"Date": None} if suffix == "svg" else None)
    write_atomically(path, [content.getvalue()])
    return None


def _finish(axes: Any, title: str) -> None:
    axes.set_title(printable(title), parse_math=False)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)


def _band(
    axes: Any,
    points: Sequence[tuple[float, float, float]],
    title: str,
    reached: Sequence[bool],
    estimate: Estimated | None,
    band: tuple[DrawnPoints, DrawnPoints],
    inside: InsideBand | None,
    exact: bool,
) -> None:
    epsilons = [p[0] for p in points]
    if exact:  # points where the two sides agree would not do: between them a band may be open
        axes.plot(*zip(*band[0], strict=True), color=BLUE, label="δ(ε)")
    else:
        uppers, lowers = band
        axes.fill(
            [x for x, _ in (*uppers, *reversed(lowers))],
            [y for _, y in (*uppers, *reversed(lowers))],
            color=BLUE,
            alpha=0.25,
            linewidth=0,
            label="certified band (implied between dots)" if inside is None else "left open by the search",
        )
        axes.plot(*zip(*uppers, strict=True), color=BLUE, label="upper bound (proved)")
        axes.plot(*zip(*lowers, strict=True), color=ORANGE, linestyle="--", label="lower bound (witnessed)")
        proved = [p for p, there in zip(points, reached, strict=True) if there]
        for side, colour in ((2, BLUE), (1, ORANGE)):
            axes.plot([p[0] for p in proved], [p[side] for p in proved], ".", color=colour, markersize=3)
    if inside is not None:
        _inside(axes, *inside)
    if estimate is not None:
        label, bounds = estimate
        uppers, lowers = step_band([(e, *both) for e, both in zip(epsilons, bounds, strict=True)])
        style = {"facecolor": "none", "edgecolor": GREEN, "hatch": "////", "linewidth": 0.0}
        _between(axes, uppers, lowers, label=label, **style)
        axes.vlines(epsilons, *zip(*bounds, strict=True), color=GREEN, linewidth=2.5)
    axes.set(xlabel="ε (nats)", ylabel="δ (probability)")
    axes.set_ylim(bottom=0)
    _finish(axes, title)


def _inside(
    axes: Any, dots: Sequence[tuple[float, float, float]], stretches: Sequence[tuple[DrawnPoints, DrawnPoints]]
) -> None:
    """Single chains within limits, and how far they are apart."""
    label = "left open by the limits: chains found inside"
    for top, bottom in stretches:
        around = [*top, *reversed(bottom)]
        axes.fill([x for x, _ in around], [y for _, y in around], color=GREEN, alpha=0.35, linewidth=0, label=label)
        label = "_"
    for side in (1, 2):
        axes.plot([dot[0] for dot in dots], [dot[side] for dot in dots], ".", color=GREEN, markersize=4)


def _between(axes: Any, upper: DrawnPoints, lower: DrawnPoints, **style: Any) -> None:
    axes.fill_between([x for x, _ in upper], [y for _, y in lower], [y for _, y in upper], **style)


def _tradeoff(axes: Any, corners: Sequence[tuple[float, float]], title: str, exact: bool) -> None:
    label = "best attacker" if exact else "bound: no attacker is below"
    axes.plot(*zip(*corners, strict=True), color=BLUE, label=label)
    axes.plot([0, 1], [1, 0], color="#888888", linestyle=":", label="blind guessing")
    axes.set(xlabel="false-positive rate", ylabel="false-negative rate", xlim=(0, 1), ylim=(0, 1))
    axes.set_aspect("equal")
    _finish(axes, title)


MEASURES: Mapping[str, tuple[str, str | None, str]] = {
    "delta": ("upper", "lower", "δ"),
    "estimate": ("upper", "lower", "δ, with confidence, not proved"),
    "epsilon": ("found_epsilon", "epsilon_refuted", "ε (nats)"),
    "distance": ("value", None, "distance"),
}
"""Verb → the column of its upper and lower number, and what it is called."""
NOT_AXES = frozenset({"first", "second", "verb"})
MOST_PANELS = 12

SweepRows = Sequence[Mapping[str, Any]]


def draw_sweep(target: str | Path | Any | None, verb: str, rows: SweepRows, limit: Fraction | None = None) -> Any:
    """Draw the rows (flat, without errors): lines over one axis, a heat map over two, panels of heat maps over three.

    An *axis* is a parameter, or ε, with more than one value. The worst pair is shown: the largest number at each point.
    A line is drawn at the ``limit``; in a heat map it goes between the points, since nothing is known beside them.
    """
    if not rows:
        raise InputError("plot: no row has a result")
    axes = _axes(rows)
    if not any(row.get(_upper(verb, rows)) is not None for row in rows):
        raise InputError("plot: no row has a number to show")
    if len(axes) > 3:
        raise InputError(f"plot: {', '.join(axes)} vary; fix all but three to see a picture")
    panels = sorted(axes, key=lambda name: len(axes[name]))[0] if len(axes) == 3 else None
    shown = [name for name in axes if name != panels]
    values = axes[panels] if panels else [None]
    if len(values) > MOST_PANELS:
        raise InputError(f"plot: {len(values)} values of {panels} would be as many panels; at most {MOST_PANELS}")
    heat = len(shown) == 2

    def picture(figure_axes: Sequence[Any]) -> None:
        peak = max(float(row[_upper(verb, rows)]) for row in rows if row.get(_upper(verb, rows)) is not None)
        for value, here in zip(values, figure_axes, strict=True):
            part = rows if panels is None else [row for row in rows if row[panels] == value]
            title = _fix(rows, [*shown, *([panels] if panels else [])])
            if panels is not None:
                title = f"{panels} = {value}" + (f", {title}" if title else "")
            if heat:
                _heat(here, verb, part, (shown[0], axes[shown[0]]), (shown[1], axes[shown[1]]), title, peak, limit)
            else:
                _lines(here, verb, part, shown[0] if shown else "epsilon", title, limit)

    return draw_panels(target, len(values), picture)


def _fix(rows: SweepRows, varying: Sequence[str]) -> str:
    """What is the same in all rows: parameters and ε that do not vary, and the pair."""
    first = rows[0]
    names = [name for name in list(first)[: list(first).index("verb")] if name not in (*varying, *NOT_AXES)]
    parts = [
        f"{_axis_name(name).removesuffix(' (nats)')} = {_tick(first[name])}"
        for name in names
        if first[name] is not None
    ]
    pairs = {(row.get("first"), row.get("second")) for row in rows}
    if len(pairs) == 1 and None not in next(iter(pairs)):
        s, t = (shorten(str(name), 20) for name in next(iter(pairs)))
        parts.append(f"{s} against {t}")
    elif len(pairs) > 1:
        parts.append(f"the worst of {len(pairs)} pairs")
    return ", ".join(parts)


def _upper(verb: str, rows: SweepRows) -> str:
    column = MEASURES[verb][0]
    return "largest" if verb == "distance" and any("largest" in row for row in rows) else column


def _axes(rows: SweepRows) -> dict[str, list[Any]]:
    """The names that vary, with their values in order."""
    first = rows[0]
    names = [name for name in list(first)[: list(first).index("verb")] if name not in NOT_AXES]
    found = {name: sorted({row[name] for row in rows}, key=_place) for name in names}
    return {name: values for name, values in found.items() if len(values) > 1}


def _place(value: Any) -> tuple[int, float, str]:
    """Numbers by size, also where they are text; other text behind them."""
    try:
        return 0, float(Fraction(value)), ""
    except (ValueError, TypeError, ZeroDivisionError):
        return 1, 0.0, str(value)


def _worst(rows: SweepRows, column: str, names: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """The largest number over pairs, by the values of the axes; none where that of a pair is not known."""
    found: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row.get(column))
    return {key: max(map(float, numbers)) for key, numbers in found.items() if None not in numbers}


def _lines(axes: Any, verb: str, rows: SweepRows, name: str, title: str, limit: Fraction | None) -> None:
    _, lower, shown = MEASURES[verb]
    series = [(_upper(verb, rows), BLUE, "-", "at most" if lower else shown)]
    if lower:
        series.append((lower, ORANGE, "--", "at least"))
    order = sorted({row[name] for row in rows}, key=_place)
    ticks = [_place(value)[1] for value in order]
    numeric = all(_place(value)[0] == 0 for value in order)
    for column, colour, style, label in series:
        points = _worst(rows, column, [name])
        xs = [x for x, value in zip(ticks if numeric else range(len(order)), order, strict=True) if (value,) in points]
        axes.plot(
            xs, [points[value,] for value in order if (value,) in points], style, color=colour, marker=".", label=label
        )
    if limit is not None:
        axes.axhline(float(limit), color="#888888", linestyle=":", label=f"δ = {decimal(limit)}")
    if not numeric:
        axes.set_xticks(range(len(order)), [printable(str(value)) for value in order])
    axes.set_xlabel(_axis_name(name), parse_math=False)
    axes.set_ylabel(shown)
    _finish(axes, title)


def _heat(
    axes: Any,
    verb: str,
    rows: SweepRows,
    across: tuple[str, list[Any]],
    up: tuple[str, list[Any]],
    title: str,
    peak: float,
    limit: Fraction | None,
) -> None:
    points = _worst(rows, _upper(verb, rows), [across[0], up[0]])
    grid = [[points.get((x, y), float("nan")) for x in across[1]] for y in up[1]]
    mesh = axes.imshow(grid, origin="lower", aspect="auto", cmap="viridis", vmin=0.0, vmax=peak or 1.0)
    for (name, values), ticks, naming in (
        (across, axes.set_xticks, axes.set_xlabel),
        (up, axes.set_yticks, axes.set_ylabel),
    ):
        step = max(1, -(-len(values) // 8))
        ticks(range(0, len(values), step), [_tick(value) for value in values[::step]])
        naming(_axis_name(name), parse_math=False)
    axes.set_title(printable(title), parse_math=False)
    label = MEASURES[verb][2] + (", at most" if MEASURES[verb][1] else "")
    axes.figure.colorbar(mesh, ax=axes, label=label)
    if limit is not None:
        kept = _at_most(rows, _upper(verb, rows), [across[0], up[0]], limit)
        _border(axes, [[(x, y) in kept for x in across[1]] for y in up[1]], limit)


def _at_most(rows: SweepRows, column: str, names: Sequence[str], limit: Fraction) -> set[tuple[Any, ...]]:
    """The values of the axes at which the number of every pair is known, and at most the limit: decided exactly."""
    known: dict[tuple[Any, ...], bool] = {}
    for row in rows:
        key, exact = tuple(row[name] for name in names), row.get(f"{column}_exact")
        known[key] = known.get(key, True) and exact is not None and read_exponential(exact) <= limit
    return {key for key, kept in known.items() if kept}


def _border(axes: Any, kept: Sequence[Sequence[bool]], limit: Fraction) -> None:
    """A line between the cells of a heat map that keep the limit and those that do not."""
    segments = []
    for j, row in enumerate(kept):
        for i, here in enumerate(row):
            if i + 1 < len(row) and here != row[i + 1]:
                segments.append([(i + 0.5, j - 0.5), (i + 0.5, j + 0.5)])
            if j + 1 < len(kept) and here != kept[j + 1][i]:
                segments.append([(i - 0.5, j + 0.5), (i + 0.5, j + 0.5)])
    text = f"at most {outward(limit, 'upper')} on its darker side"
    if not segments:
        every = all(all(row) for row in kept)
        text = (
            f"at most {outward(limit, 'upper')} everywhere" if every else f"nowhere at most {outward(limit, 'lower')}"
        )
    for segment in segments:
        axes.plot(*zip(*segment, strict=True), color="white", linewidth=3)
    for segment in segments:
        axes.plot(*zip(*segment, strict=True), color="#D55E00", linewidth=1.8)
    axes.plot([], [], color="#D55E00", linewidth=1.8, label=text)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), frameon=False)


def _axis_name(name: str) -> str:
    return "ε (nats)" if name == "epsilon" else printable(name)


def _tick(value: Any) -> str:
    """A value of an axis: a number as it was asked for, to four digits."""
    return decimal(as_fraction(value), 4) if isinstance(value, float) else printable(str(value))
