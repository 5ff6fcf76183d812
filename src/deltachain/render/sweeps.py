"""Plots of sweeps: lines over one axis, a heat map over two, panels of heat maps over three.

An *axis* is a parameter, or ε, with more than one value. The worst pair is shown: the largest number at each point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import InputError
from .plots import BLUE, ORANGE, draw_panels
from .table import printable

MEASURES: Mapping[str, tuple[str, str | None, str]] = {
    "delta": ("upper", "lower", "δ"),
    "estimate": ("upper", "lower", "δ, with confidence, not proved"),
    "epsilon": ("found_epsilon", "epsilon_refuted", "ε (nats)"),
    "distance": ("value", None, "distance"),
}
"""Verb → the column of its upper and lower number, and what it is called."""
NOT_AXES = frozenset({"first", "second", "verb"})
MOST_PANELS = 12

Rows = Sequence[Mapping[str, Any]]


def draw_sweep(target: str | Path | Any, verb: str, rows: Rows) -> None:
    """Draw the rows (flat, without errors) to a file, or onto matplotlib axes where one panel is enough."""
    if not rows:
        raise InputError("plot: no row has a result")
    axes = _axes(rows)
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
            title = "" if panels is None else f"{panels} = {value}"
            if heat:
                _heat(here, verb, part, (shown[0], axes[shown[0]]), (shown[1], axes[shown[1]]), title, peak)
            else:
                _lines(here, verb, part, shown[0] if shown else "epsilon", title)

    if not any(row.get(_upper(verb, rows)) is not None for row in rows):
        raise InputError("plot: no row has a number to show")
    draw_panels(target, len(values), picture)


def _upper(verb: str, rows: Rows) -> str:
    column = MEASURES[verb][0]
    return "largest" if verb == "distance" and any("largest" in row for row in rows) else column


def _axes(rows: Rows) -> dict[str, list[Any]]:
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


def _worst(rows: Rows, column: str, names: Sequence[str]) -> dict[tuple[Any, ...], float]:
    """The largest number over pairs, by the values of the axes."""
    found: dict[tuple[Any, ...], float] = {}
    for row in rows:
        if row.get(column) is not None:
            key = tuple(row[name] for name in names)
            found[key] = max(found.get(key, float("-inf")), float(row[column]))
    return found


def _lines(axes: Any, verb: str, rows: Rows, name: str, title: str) -> None:
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
    if not numeric:
        axes.set_xticks(range(len(order)), [printable(str(value)) for value in order])
    axes.set_xlabel(_axis_name(name), parse_math=False)
    axes.set_ylabel(shown)
    axes.set_title(printable(title), parse_math=False)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)


def _heat(
    axes: Any,
    verb: str,
    rows: Rows,
    across: tuple[str, list[Any]],
    up: tuple[str, list[Any]],
    title: str,
    peak: float,
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


def _axis_name(name: str) -> str:
    return "ε (nats)" if name == "epsilon" else printable(name)


def _tick(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value))
