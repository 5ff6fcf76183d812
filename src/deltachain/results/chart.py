"""Small line charts as inline SVG, for the report and for notebooks: axes, lines, bands, marks.

In the report colours come from the page's style, by class; `profile_chart` brings its own.

A picture shows numbers to a pixel; the edges of a band are bounds as they are drawn: read off, an upper edge is at or
above what is proved, a lower edge at or below. All text is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ..numbers.fraction import ExpEpsilon, log_below
from .numbers import RoundingSide, outward_probability, round_to_side
from .text import escape_markup

if TYPE_CHECKING:
    from ..beliefs.graph.curves import Piece

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 18, 16, 46
PIXELS = WIDTH - LEFT - RIGHT
FARTHEST = 700
"""Beyond this ε, e^ε is no float; all corners are before it."""
DrawnPoints = list[tuple[float, float]]
LINEAR_UP_TO = 21
"""Up to this e^ε the axis is linear in e^ε, where δ is piecewise linear; beyond, in ε."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is along an axis: its name, its range, and its ticks as (value, text)."""

    name: str
    begin: float
    end: float
    ticks: tuple[tuple[float, str], ...]
    by_logarithm: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value is, from 0 to 1; what is off the axis of logarithms is at its beginning."""
        if not self.by_logarithm:
            return (value - self.begin) / (self.end - self.begin)
        if value <= self.begin:
            return 0.0
        return math.log(value / self.begin) / math.log(self.end / self.begin)

    @classmethod
    def logarithmic(cls, name: str, begin: float, end: float) -> Axis:
        """With powers of ten, at most about six of them."""
        first, last = math.ceil(math.log10(begin) - 1e-9), math.floor(math.log10(end) + 1e-9)
        step = max(1, -(-(last - first) // 6))
        ticks = tuple((10.0**k, f"1e{k}" if k else "1") for k in range(first, last + 1, step))
        return cls(name, begin, end, ticks, True)

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


def _tenth(pixels: float, up: bool, nearest: bool) -> float:
    """To a tenth of a pixel: the nearest, or the next one in a direction."""
    scaled = pixels * 10
    return (round(scaled) if nearest else math.ceil(scaled) if up else math.floor(scaled)) / 10


@dataclass(slots=True)
class Chart:
    """A chart that is drawn upon; `svg` is the picture."""

    across: Axis
    up: Axis
    title: str
    parts: list[str] = field(default_factory=list)

    def x(self, value: float, side: RoundingSide = None) -> float:
        """Pixels from the left; of a falling bound, on its side."""
        share = (value - self.across.begin) / (self.across.end - self.across.begin)
        return _tenth(LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT), side == "upper", side is None)

    def y(self, value: float, side: RoundingSide = None) -> float:
        """Pixels from the top; of a bound, on its side."""
        share = self.up.share(value)
        return _tenth(
            HEIGHT - BOTTOM - min(max(share, 0.0), 1.0) * (HEIGHT - TOP - BOTTOM), side == "lower", side is None
        )

    def _points(self, points: Sequence[tuple[float, float]], side: RoundingSide = None) -> str:
        return " ".join(f"{self.x(a, side)},{self.y(b, side)}" for a, b in points)

    def line(self, points: Sequence[tuple[float, float]], kind: str, side: RoundingSide = None) -> None:
        """Straight lines from point to point; of a falling bound, rounded to its ``side``."""
        if points:
            self.parts.append(f'<polyline class="{kind}" points="{self._points(points, side)}"/>')

    def area(self, upper: DrawnPoints, lower: DrawnPoints) -> None:
        """What lies between two lines that are bounds."""
        around = f"{self._points(upper, 'upper')} {self._points(lower[::-1], 'lower')}"
        self.parts.append(f'<polygon class="band" points="{around}"/>')

    def within(self, top: DrawnPoints, bottom: DrawnPoints) -> None:
        """What surely lies between two values: not above the top line, and not below the bottom one."""
        around = f"{self._points(top, 'lower')} {self._points(bottom[::-1], 'upper')}"
        self.parts.append(f'<polygon class="limits" points="{around}"/>')

    def dots(self, points: DrawnPoints, kind: str, side: RoundingSide = None, radius: float = 3.5) -> None:
        """A dot at each point; of a bound, on its side."""
        at = ((self.x(a), self.y(b, side)) for a, b in points)
        self.parts += [f'<circle class="{kind}" cx="{x}" cy="{y}" r="{radius}"/>' for x, y in at]

    def level(self, value: float, text: str) -> None:
        """A dashed line across, with its name."""
        y = self.y(value)
        self.parts.append(f'<path class="level" d="M{LEFT},{y} H{WIDTH - RIGHT}"/>')
        self.parts.append(
            f'<text class="note" x="{WIDTH - RIGHT}" y="{y - 5}" text-anchor="end">{escape_markup(text)}</text>'
        )

    def svg(self, name: str, description: str, style: str = "") -> str:
        """The picture; ``name`` is its id, ``description`` what a reader who does not see it is told."""
        bottom = HEIGHT - BOTTOM
        grid = []
        for value, text in self.across.ticks:
            x = self.x(value)
            grid.append(f'<path class="grid" d="M{x},{TOP} V{bottom}"/>')
            grid.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{escape_markup(text)}</text>')
        for value, text in self.up.ticks:
            y = self.y(value)
            grid.append(f'<path class="grid" d="M{LEFT},{y} H{WIDTH - RIGHT}"/>')
            grid.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape_markup(text)}</text>')
        middle = (TOP + bottom) / 2
        names = (
            f'<text class="axis" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{escape_markup(self.across.name)}</text>"
            f'<text class="axis" transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">'
            f"{escape_markup(self.up.name)}</text>"
        )
        frame = f'<path class="frame" d="M{LEFT},{TOP} V{bottom} H{WIDTH - RIGHT}"/>'
        size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" ' if style else ""
        head = (
            f'<svg class="chart" id="{name}" {size}viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-labelledby="{name}-title {name}-text"><title id="{name}-title">{escape_markup(self.title)}</title>'
            f'<desc id="{name}-text">{escape_markup(description)}</desc>'
        )
        own = f"<style>{style}</style>" if style else ""
        return "".join([head, own, *grid, names, *self.parts, frame, "</svg>"])


def sample(pieces: Sequence[Piece], begin: Fraction, end: Fraction, count: int = PIXELS) -> DrawnPoints:
    """The exact curve on an ε axis, at every pixel and every corner from ``begin`` to ``end``."""
    found: DrawnPoints = []
    at = 0
    for i in range(count + 1):
        epsilon = begin + (end - begin) * i / count
        alpha = max(Fraction(math.exp(min(float(epsilon), FARTHEST))), Fraction(1))  # a place in a picture, not a bound
        while (last := pieces[at].end) is not None and last <= alpha:
            corner = log_below(round_to_side(last, "lower"))
            if begin < corner:
                found.append((float(corner), float(pieces[at].at(last))))
            at += 1
        found.append((float(epsilon), float(pieces[at].at(max(alpha, pieces[at].begin)))))
    return found


def straight(pieces: Sequence[Piece], begin: Fraction, end: Fraction) -> DrawnPoints:
    """The exact curve on an axis that is linear in e^ε: its corners, and its two ends."""
    first, last = (ExpEpsilon.of(e).below for e in (begin, end))
    found: DrawnPoints = []
    for piece in pieces:
        if piece.begin >= last or (piece.end is not None and piece.end <= first):
            continue
        if not found:
            found.append((float(max(piece.begin, first)), float(piece.at(max(piece.begin, first)))))
        until = last if piece.end is None or piece.end > last else piece.end
        found.append((float(until), float(piece.at(until))))
    return found or [(float(first), float(pieces[-1].at(first)))]


DrawnBand = Callable[[Fraction], tuple[Fraction, Fraction]]
"""ε → (lower, upper), both falling."""


def edges(band: DrawnBand, begin: Fraction, end: Fraction, count: int = PIXELS // 2) -> tuple[DrawnPoints, DrawnPoints]:
    """(upper, lower): polylines on an ε axis that stay on their sides of a band that is known at every ε.

    A bound that is straight in e^ε is curved in ε, so a line through its values would cross it. What is drawn at a
    place is the upper bound two pixels to its left, and the lower bound two pixels to its right: bounds fall, so the
    lines between are on their sides, too.
    """
    above, below = _sampled_edges(band, begin, end, count)
    return _bent(above), _bent(below)


def overlaps(
    extremes: DrawnBand, begin: Fraction, end: Fraction, count: int = PIXELS // 2
) -> list[tuple[DrawnPoints, DrawnPoints]]:
    """Stretches (top, bottom) of an ε axis over which single chains were found apart.

    ``extremes`` has what some chain has at most, and what some has at least. Each stretch is drawn smaller than what is
    between them: its top is at or below the one, its bottom at or above the other.
    """
    bottom, top = _sampled_edges(lambda epsilon: extremes(epsilon)[::-1], begin, end, count)
    found: list[tuple[DrawnPoints, DrawnPoints]] = []
    apart = False
    for high, low in zip(top, bottom, strict=True):
        if high[1] > low[1]:
            if not apart:
                found.append(([], []))
            found[-1][0].append(high)
            found[-1][1].append(low)
        apart = high[1] > low[1]
    return [(_bent(high), _bent(low)) for high, low in found if len(high) > 1]


def _sampled_edges(band: DrawnBand, begin: Fraction, end: Fraction, count: int) -> tuple[DrawnPoints, DrawnPoints]:
    """(upper, lower) of a band at places that are two pixels apart."""
    if begin == end:
        lower, upper = band(begin)
        return [(float(begin), above(upper))], [(float(begin), below(lower))]
    places = [begin + (end - begin) * i / count for i in range(count + 1)]
    bounds = [band(place) for place in places]
    xs = [float(place) for place in places]
    # An upper bound holds to the right of its place, too, and a lower one to the left.
    uppers = list(accumulate((above(upper) for _, upper in bounds), min))
    lowers = list(accumulate((below(lower) for lower, _ in reversed(bounds)), max))[::-1]
    high = list(zip(xs, [uppers[0], *uppers[:-1]], strict=True))
    low = list(zip(xs, [*lowers[1:], lowers[-1]], strict=True))
    return high, low


def above(value: Fraction) -> float:
    """A float that is at least the probability, rounded outward."""
    return outward_probability(value, "upper")


def below(value: Fraction) -> float:
    """A float that is at most the probability, rounded outward."""
    return outward_probability(value, "lower")


def _bent(points: DrawnPoints) -> DrawnPoints:
    """Without points in the middle of a level stretch."""
    return [
        point
        for i, point in enumerate(points)
        if i in (0, len(points) - 1) or not points[i - 1][1] == point[1] == points[i + 1][1]
    ]


def step_band(points: Sequence[tuple[float, float, float]]) -> tuple[DrawnPoints, DrawnPoints]:
    """(upper, lower) of a band known at points: an upper one holds to the right of its point, a lower one to the left.

    >>> step_band([(0, 1, 2), (1, 0, 1)])
    ([(0, 2), (1, 2)], [(0, 0), (1, 0)])
    """
    pairs = list(pairwise(points)) or [(p, p) for p in points]
    upper = [(x, left[2]) for left, right in pairs for x in (left[0], right[0])]
    lower = [(x, right[1]) for left, right in pairs for x in (left[0], right[0])]
    return upper, lower
