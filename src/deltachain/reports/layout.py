"""Layered drawing of a directed graph [Sugiyama, Tagawa, Toda 1981]: layers, order within them, coordinates.

A node's layer is its distance from the start nodes, so every arc leads at most one layer down; arcs back up or within
a layer are drawn as bows. Crossings are lowered by ordering each layer by the mean place of its neighbours, swept down
and up a fixed number of times: the same graph always gives the same drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SWEEPS = 8
ACROSS, DOWN = 150, 104
"""Distance between nodes of a layer, and between layers."""
MARGIN = 80

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each node is, and the size of the whole."""

    places: tuple[Point, ...]
    width: float
    height: float


def layered(count: int, arcs: Sequence[tuple[int, int]], starts: Sequence[int], widest: int = 8) -> Layout:
    """Places for nodes 0 … count−1; a layer of more than ``widest`` nodes is broken into rows.

    >>> layered(3, [(0, 1), (0, 2)], [0]).places
    ((155.0, 80.0), (80.0, 184.0), (230.0, 184.0))
    """
    layers = _layers(count, arcs, starts)
    _lower_crossings(layers, arcs)
    rows = [layer[i : i + widest] for layer in layers for i in range(0, len(layer), widest)]
    most = max((len(row) for row in rows), default=1)
    places: list[Point] = [(0.0, 0.0)] * count
    for depth, row in enumerate(rows):
        left = MARGIN + (most - len(row)) * ACROSS / 2
        for i, node in enumerate(row):
            places[node] = (left + i * ACROSS, float(MARGIN + depth * DOWN))
    return Layout(tuple(places), (most - 1) * ACROSS + 2.0 * MARGIN, (len(rows) - 1) * DOWN + 2.0 * MARGIN)


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
    """Order each layer by the mean place of its neighbours in the layer before (on the way up: after) it."""
    layer_of = {node: depth for depth, layer in enumerate(layers) for node in layer}
    near: dict[int, set[int]] = {node: set() for node in layer_of}
    for source, target in arcs:
        if abs(layer_of[source] - layer_of[target]) == 1:
            near[source].add(target)
            near[target].add(source)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for depth in range(1, len(layers)) if down else range(len(layers) - 2, -1, -1):
            fixed = layers[depth - 1 if down else depth + 1]
            place = {node: i / max(len(fixed) - 1, 1) for i, node in enumerate(fixed)}
            own = {node: i / max(len(layers[depth]) - 1, 1) for i, node in enumerate(layers[depth])}
            mean = {}
            for node in layers[depth]:
                seen = [place[other] for other in near[node] if other in place]
                mean[node] = sum(seen) / len(seen) if seen else own[node]
            layers[depth].sort(key=lambda node: (mean[node], own[node]))


def arc_path(source: Point, target: Point, radius: float) -> tuple[str, Point]:
    """The path of an arc between two round nodes, as SVG has it, and where its label goes.

    Down: nearly straight. To itself: a loop on the right. Back up or sideways: a bow, so that it hides no other arc.
    """
    (x, y), (u, v) = source, target
    if source == target:
        loop = f"M{x + radius * 0.8:.1f},{y - radius * 0.6:.1f} c34,-26 34,{radius * 1.2 + 26:.1f} 0,{radius * 1.2:.1f}"
        return loop, (x + radius + 26, y + 4)
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    across, down = (u - x) / length, (v - y) / length
    bow = 0.0 if v > y else 36.0 + 0.12 * length
    middle = ((x + u) / 2 - down * bow, (y + v) / 2 + across * bow)
    begin, end = _moved(source, middle, radius), _moved(target, middle, radius + 5)
    # A third of the way along, labels of arcs that meet in a node stay apart.
    share = 0.38
    label = (
        (1 - share) ** 2 * begin[0] + 2 * share * (1 - share) * middle[0] + share**2 * end[0],
        (1 - share) ** 2 * begin[1] + 2 * share * (1 - share) * middle[1] + share**2 * end[1],
    )
    curve = f"M{begin[0]:.1f},{begin[1]:.1f} Q{middle[0]:.1f},{middle[1]:.1f} {end[0]:.1f},{end[1]:.1f}"
    return curve, label


def _moved(point: Point, towards: Point, distance: float) -> Point:
    x, y = towards[0] - point[0], towards[1] - point[1]
    length = (x * x + y * y) ** 0.5 or 1.0
    return point[0] + x / length * distance, point[1] + y / length * distance
