"""Small line charts as inline SVG, for the report and for notebooks: axes, lines, bands, marks.

In the report colours come from the page's style, by class; `band_chart` brings its own.

A picture shows numbers to a pixel; the tables beside it have the bounds. All text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from ..rational import ExpEpsilon, log_below

if TYPE_CHECKING:
    from ..beliefs.curves import Piece

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 18, 16, 46
Points = list[tuple[float, float]]
LINEAR_UP_TO = 21
"""Up to this e^ε the axis is linear in e^ε, where δ is piecewise linear; beyond, in ε."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along an axis: its name, its range, and its ticks as (value, text)."""

    name: str
    begin: float
    end: float
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def linear(cls, name: str, begin: float, end: float) -> Axis:
        """With round ticks, about five."""
        span = end - begin or 1.0
        step = 10.0 ** math.floor(math.log10(span / 4))
        step = next(step * k for k in (1, 2, 5, 10) if span / (step * k) <= 6)
        count = math.floor(span / step + 1e-9)
        ticks = tuple((begin + i * step, f"{begin + i * step:.6g}") for i in range(count + 1))  # places, not results
        return cls(name, begin, begin + span, ticks)


def delta_axis(end: Fraction) -> tuple[Axis, bool]:
    """The axis for ε from 0 to ``end``, and whether it is linear in e^ε (then δ is drawn with straight lines)."""
    plain = Axis.linear("ε", 0.0, float(end))
    if end > math.log(LINEAR_UP_TO):
        return plain, False
    top = math.exp(end)
    ticks = tuple((math.exp(value), text) for value, text in plain.ticks)
    return Axis("ε (the axis is linear in e^ε)", 1.0, top, ticks), True


@dataclass(slots=True)
class Chart:
    """A chart that is drawn upon; `svg` is the picture."""

    across: Axis
    up: Axis
    title: str
    parts: list[str] = field(default_factory=list)

    def x(self, value: float) -> float:
        """Pixels from the left."""
        share = (value - self.across.begin) / (self.across.end - self.across.begin)
        return round(LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        share = (value - self.up.begin) / (self.up.end - self.up.begin)
        return round(HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - TOP - BOTTOM), 1)

    def _points(self, points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(a)},{self.y(b)}" for a, b in points)

    def line(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Straight lines from point to point."""
        self.parts.append(f'<polyline class="{kind}" points="{self._points(points)}"/>')

    def area(self, upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> None:
        """What lies between two lines."""
        self.parts.append(f'<polygon class="band" points="{self._points([*upper, *reversed(lower)])}"/>')

    def dots(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """A dot at each point."""
        self.parts += [f'<circle class="{kind}" cx="{self.x(a)}" cy="{self.y(b)}" r="3.5"/>' for a, b in points]

    def level(self, value: float, text: str) -> None:
        """A dashed line across, with its name."""
        y = self.y(value)
        self.parts.append(f'<path class="level" d="M{LEFT},{y} H{WIDTH - RIGHT}"/>')
        self.parts.append(f'<text class="note" x="{WIDTH - RIGHT}" y="{y - 5}" text-anchor="end">{escape(text)}</text>')

    def svg(self, name: str, description: str, style: str = "") -> str:
        """The picture; ``name`` is its id, ``description`` what a reader who does not see it is told."""
        bottom = HEIGHT - BOTTOM
        grid = []
        for value, text in self.across.ticks:
            x = self.x(value)
            grid.append(f'<path class="grid" d="M{x},{TOP} V{bottom}"/>')
            grid.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{escape(text)}</text>')
        for value, text in self.up.ticks:
            y = self.y(value)
            grid.append(f'<path class="grid" d="M{LEFT},{y} H{WIDTH - RIGHT}"/>')
            grid.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(text)}</text>')
        middle = (TOP + bottom) / 2
        names = (
            f'<text class="axis" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{escape(self.across.name)}</text>"
            f'<text class="axis" transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.up.name)}</text>"
        )
        frame = f'<path class="frame" d="M{LEFT},{TOP} V{bottom} H{WIDTH - RIGHT}"/>'
        size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" ' if style else ""
        head = (
            f'<svg class="chart" id="{name}" {size}viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escape(self.title)}</title>'
            f'<desc id="{name}-text">{escape(description)}</desc>'
        )
        own = f"<style>{style}</style>" if style else ""
        return "".join([head, own, *grid, names, *self.parts, frame, "</svg>"])


def piece_points(pieces: Sequence[Piece], end: Fraction, straight: bool) -> list[tuple[float, float]]:
    """Points of the exact curve up to ε = ``end``: the corners alone where the axis is linear in e^ε."""
    last = ExpEpsilon.read(epsilon=end).below
    points: list[tuple[float, float]] = []
    for piece in pieces:
        if piece.begin > last and points:
            break
        until = last if piece.end is None or piece.end > last else piece.end
        if straight:
            points += [(float(a), float(piece.at(a))) for a in (piece.begin, max(until, piece.begin))]
            continue
        low, high = float(log_below(piece.begin)), float(log_below(max(until, piece.begin)))
        for i in range(17):
            epsilon = Fraction(low + (high - low) * i / 16)
            height = piece.at(min(max(ExpEpsilon.read(epsilon=epsilon).below, piece.begin), until))
            points.append((float(epsilon), float(max(height, Fraction(0)))))
    return points


def step_band(points: Sequence[tuple[float, float, float]]) -> tuple[Points, Points]:
    """(upper, lower) of a band known at points: an upper one holds to the right of its point, a lower one to the left.

    >>> step_band([(0, 1, 2), (1, 0, 1)])
    ([(0, 2), (1, 2)], [(0, 0), (1, 0)])
    """
    pairs = list(pairwise(points)) or [(p, p) for p in points]
    upper = [(x, left[2]) for left, right in pairs for x in (left[0], right[0])]
    lower = [(x, right[1]) for left, right in pairs for x in (left[0], right[0])]
    return upper, lower


STYLE = (
    ".band{fill:#0072B2;fill-opacity:.25}.upper{fill:none;stroke:#0072B2;stroke-width:1.5}"
    ".lower{fill:none;stroke:#D55E00;stroke-width:1.5;stroke-dasharray:4 3}.grid{stroke:#ddd}"
    ".frame{fill:none;stroke:#888}text{font-size:11px;font-family:sans-serif}"
)


def band_chart(points: Sequence[tuple[Fraction, Fraction, Fraction]], description: str) -> str:
    """The certified band (ε, lower, upper) as a picture that stands alone."""
    end = float(points[-1][0]) or 1.0
    top = max(float(max(upper for _, _, upper in points)), 1e-12)
    chart = Chart(Axis.linear("ε", 0.0, end), Axis.linear("δ", 0.0, top * 1.05), "δ as a function of ε")
    upper, lower = step_band([(float(e), float(low), float(high)) for e, low, high in points])
    chart.area(upper, lower)
    chart.line(upper, "upper")
    chart.line(lower, "lower")
    return chart.svg("band", description, STYLE)
