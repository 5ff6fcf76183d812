"""Boxes in columns, joined by arcs: where they go, and how they are drawn as SVG.

*Layers* [Sugiyama, Tagawa, Toda 1981]: a box's column is its distance from the start boxes, so every arc leads at most
one column to the right; arcs back, or within a column, are drawn as bows. Crossings are lowered by ordering each column
by the mean place of its neighbours, swept right and left a fixed number of times: the same graph always gives the same
drawing.

Text stands inside its box and nowhere else. Boxes have one size and do not touch, so no two texts do; what does not fit
(fractions, long names) is shown on demand, from the box's description.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ..results.text import escape_markup, printable, shorten

SWEEPS = 8
WIDTH, HEIGHT = 150, 46
"""The size of a box."""
ACROSS, DOWN = 206, 64
"""Distance between columns, and between boxes of a column."""
LEFT, TOP = 52, 22
"""Room for the names of the start boxes, and for the loop of a box to itself."""
LONGEST = 20
"""Characters in a line of a box."""

LayoutPoint = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of each box, and the size of the whole."""

    places: tuple[LayoutPoint, ...]
    width: float
    height: float


def place_layers(count: int, arcs: Sequence[tuple[int, int]], starts: Sequence[int], tallest: int = 12) -> Layout:
    """Places for boxes 0 … count−1; a layer of more than ``tallest`` boxes is broken into columns.

    >>> place_layers(3, [(0, 1), (0, 2)], [0]).places
    ((52.0, 54.0), (258.0, 22.0), (258.0, 86.0))
    """
    layers = _layers(count, arcs, starts)
    _lower_crossings(layers, arcs)
    columns = [layer[i : i + tallest] for layer in layers for i in range(0, len(layer), tallest)]
    most = max((len(column) for column in columns), default=1)
    places: list[LayoutPoint] = [(0.0, 0.0)] * count
    for depth, column in enumerate(columns):
        top = TOP + (most - len(column)) * DOWN / 2
        for i, node in enumerate(column):
            places[node] = (float(LEFT + depth * ACROSS), top + i * DOWN)
    return Layout(tuple(places), len(columns) * ACROSS + LEFT - (ACROSS - WIDTH) + 40.0, most * DOWN + TOP + 6.0)


def _layers(count: int, arcs: Sequence[tuple[int, int]], starts: Sequence[int]) -> list[list[int]]:
    """Nodes by their distance from the starts; what is not reached comes last."""
    after: list[list[int]] = [[] for _ in range(count)]
    for source, target in arcs:
        after[source].append(target)
    depth = dict.fromkeys(starts, 0)
    layers = [list(depth)]
    while layers[-1]:
        found: list[int] = []
        for node in layers[-1]:
            for target in after[node]:
                if target not in depth:
                    depth[target] = len(layers)
                    found.append(target)
        layers.append(found)
    layers[-1] = [node for node in range(count) if node not in depth]
    return [layer for layer in layers if layer]


def _lower_crossings(layers: list[list[int]], arcs: Sequence[tuple[int, int]]) -> None:
    """Order each layer by the mean place of its neighbours in the layer before (on the way back: after) it."""
    layer_of = {node: depth for depth, layer in enumerate(layers) for node in layer}
    near: dict[int, set[int]] = {node: set() for node in layer_of}
    for source, target in arcs:
        if abs(layer_of[source] - layer_of[target]) == 1:
            near[source].add(target)
            near[target].add(source)
    for sweep in range(SWEEPS):
        onward = sweep % 2 == 0
        for depth in range(1, len(layers)) if onward else range(len(layers) - 2, -1, -1):
            fixed = layers[depth - 1 if onward else depth + 1]
            place = {node: i / max(len(fixed) - 1, 1) for i, node in enumerate(fixed)}
            own = {node: i / max(len(layers[depth]) - 1, 1) for i, node in enumerate(layers[depth])}
            mean = {}
            for node in layers[depth]:
                seen = [place[other] for other in near[node] if other in place]
                mean[node] = sum(seen) / len(seen) if seen else own[node]
            layers[depth].sort(key=lambda node: (mean[node], own[node]))


def arc_path(source: LayoutPoint, target: LayoutPoint) -> str:
    """The path of an arc between two boxes, as SVG has it.

    To the right: from side to side. To itself: a loop on top. Within a column: a bow on the right. Back: one below.
    """
    (x, y), (u, v) = source, target
    if source == target:
        return f"M{x + WIDTH - 40:.1f},{y:.1f} c0,-18 26,-18 26,-2"
    if u > x:
        begin, end = (x + WIDTH, y + HEIGHT / 2), (u - 2, v + HEIGHT / 2)
        bend = (end[0] - begin[0]) / 2
        return (
            f"M{begin[0]:.1f},{begin[1]:.1f} C{begin[0] + bend:.1f},{begin[1]:.1f} "
            f"{end[0] - bend:.1f},{end[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
        )
    if u == x:
        begin, end = (x + WIDTH, y + HEIGHT * 0.7), (u + WIDTH + 2, v + HEIGHT * 0.3)
        far = x + WIDTH + 34
        return (
            f"M{begin[0]:.1f},{begin[1]:.1f} C{far:.1f},{begin[1]:.1f} {far:.1f},{end[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
        )
    begin, end = (x + WIDTH * 0.35, y + HEIGHT), (u + WIDTH * 0.65, v + HEIGHT + 2)
    low = max(begin[1], end[1]) + 14
    return f"M{begin[0]:.1f},{begin[1]:.1f} C{begin[0]:.1f},{low:.1f} {end[0]:.1f},{low:.1f} {end[0]:.1f},{end[1]:.1f}"


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """What stands in a box.

    Attributes:
        name: its first line.
        below: its second line.
        detail: what is told of it on demand, whole.
        kind: classes of the style.
        bars: whether it has room for two bars, which the page's script draws.
    """

    name: str
    below: str
    detail: str
    kind: str = ""
    bars: bool = False


def graph_svg(
    name: str,
    title: str,
    description: str,
    boxes: Sequence[DrawnBox],
    arcs: Sequence[tuple[int, int, str]],
    starts: Sequence[tuple[int, str]],
) -> str:
    """The picture, its parts named by ``name``; an arc has what is told of it on demand, a start its name."""
    layout = place_layers(len(boxes), [(a, b) for a, b, _ in arcs], list(dict.fromkeys(node for node, _ in starts)))
    lines = [
        f'<path class="arc" d="{arc_path(layout.places[a], layout.places[b])}" marker-end="url(#{name}-tip)">'
        f"<title>{escape_markup(text)}</title></path>"
        for a, b, text in arcs
    ]
    drawn = [_box(name, i, box, layout.places[i]) for i, box in enumerate(boxes)]
    marks: dict[int, list[str]] = {}
    for node, mark in starts:
        marks.setdefault(node, []).append(mark)
    tags = [
        f'<text class="secret" x="{layout.places[node][0] - 8:.1f}" y="{layout.places[node][1] + HEIGHT / 2 + 4:.1f}" '
        f'text-anchor="end">{escape_markup(", ".join(own))} ▸</text>'
        for node, own in marks.items()
    ]
    head = (
        f'<svg class="graph" id="{name}" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width:.0f}" height="{layout.height:.0f}" role="group" '
        f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escape_markup(title)}</title>'
        f'<desc id="{name}-text">{escape_markup(description)}</desc><defs><marker id="{name}-tip" '
        'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0,0 L8,4 L0,8 z"/></marker>'
        "</defs>"
    )
    return "".join([head, *lines, *drawn, *tags, "</svg>"])


def _box(name: str, number: int, box: DrawnBox, at: LayoutPoint) -> str:
    x, y = at
    detail = escape_markup(box.detail)
    bars = ""
    if box.bars:
        bars = "".join(
            f'<rect class="bar-{side}" x="{x + 6:.1f}" y="{y + top:.1f}" width="0" height="4"/>'
            for side, top in (("s", HEIGHT - 10), ("t", HEIGHT - 5))
        )
    ring = ""
    if "end" in box.kind.split():
        ring = f'<rect class="ring" x="{x + 3:.1f}" y="{y + 3:.1f}" width="{WIDTH - 6}" height="{HEIGHT - 6}" rx="4"/>'
    return (
        f'<g class="box {box.kind}" id="{name}-{number}" tabindex="0" role="img" aria-label="{detail}">'
        f"<title>{detail}</title>"
        f'<rect class="frame-box" x="{x:.1f}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>{ring}'
        f"{fit_line('name', box.name, x, y + 16, WIDTH)}{fit_line('below', box.below, x, y + 31, WIDTH)}{bars}</g>"
    )


def fit_line(kind: str, text: str, x: float, y: float, width: int) -> str:
    """A line of text in the middle of a box; one that is too long is cut, one that may be too wide is narrowed."""
    shown = shorten(printable(text), LONGEST)
    wide = sum(
        12.5 if unicodedata.east_asian_width(c) in "WF" else 9.5 if c.isupper() or c in "mw" else 7 for c in shown
    )
    narrowed = f' textLength="{width - 12}" lengthAdjust="spacingAndGlyphs"' if wide > width - 12 else ""
    return f'<text class="{kind}" x="{x + width / 2:.1f}" y="{y:.1f}"{narrowed}>{escape_markup(shown)}</text>'
