"""A strategy as a picture: what is seen, what to ask then, where to guess.

It is drawn from left to right: each answer a column further right, the ends one below the other, and every
step at the mean height of what follows it, so that no two branches cross.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..results.numbers import decimal
from ..results.text import printable, shortened
from ..results.witness import asking, guessing

if TYPE_CHECKING:
    from ..beliefs.strategy import StrategyStep

ACROSS, DOWN, MARGIN = 190, 44, 24
"""Distance between two columns, and between two ends."""
WIDTH, HEIGHT = 132, 34
"""The size of a step's box."""
LONGEST = 18
"""Characters of a name in a box."""


def _places(root: StrategyStep) -> list[tuple[StrategyStep, int, float, int | None]]:
    """(step, column, height in ends, number of the step before), each after the one before it."""
    steps: list[tuple[StrategyStep, int, int | None]] = []
    stack: list[tuple[StrategyStep, int, int | None]] = [(root, 0, None)]
    while stack:
        step, column, before = stack.pop()
        stack.extend((child, column + 1, len(steps)) for child in reversed(step.after))
        steps.append((step, column, before))
    inner: dict[int, list[float]] = {}
    heights = [0.0] * len(steps)
    ends = sum(not step.after for step, _, _ in steps)
    for number in range(len(steps) - 1, -1, -1):
        step, _, before = steps[number]
        if step.after:
            heights[number] = (inner[number][0] + inner[number][-1]) / 2
        else:
            ends -= 1
            heights[number] = float(ends)
        if before is not None:
            inner.setdefault(before, []).append(heights[number])
    return [(step, column, heights[n], before) for n, (step, column, before) in enumerate(steps)]


def strategy_svg(root: StrategyStep, state: str, description: str) -> str:
    """The tree as inline SVG; names are escaped."""
    placed = _places(root)
    points = [(MARGIN + column * ACROSS, MARGIN + height * DOWN) for _, column, height, _ in placed]
    width = max(x for x, _ in points) + WIDTH + MARGIN
    height = max(y for _, y in points) + HEIGHT + MARGIN
    lines, boxes = [], []
    for (step, _, _, before), (x, y) in zip(placed, points, strict=True):
        if before is not None:
            u, v = points[before][0] + WIDTH, points[before][1] + HEIGHT / 2
            bend = f"{u + 30:.1f},{v:.1f} {x - 30:.1f},{y + HEIGHT / 2:.1f}"
            lines.append(f'<path class="arc" d="M{u:.1f},{v:.1f} C{bend} {x:.1f},{y + HEIGHT / 2:.1f}"/>')
        boxes.append(_box(step, x, y, state))
    return (
        f'<svg class="chain strategy" id="strategy" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        'role="img" aria-labelledby="strategy-title strategy-text"><title id="strategy-title">The strategy</title>'
        f'<desc id="strategy-text">{escape(description)}</desc>{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _box(step: StrategyStep, x: float, y: float, state: str) -> str:
    kind = {None: "step", True: "says", False: "silent"}[step.guess]
    seen = escape(shortened(printable(step.label), LONGEST))
    does = guessing(step, state) if step.guess is not None else asking(step).removeprefix(": ")
    chances = f"{decimal(step.probability, 4)} from {state}, {decimal(step.other, 4)} from the other"
    shown = escape(f"{printable(step.label)}: {does or 'go on'}; {chances}")
    return (
        f'<g class="{kind}"><title>{shown}</title>'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f'<text class="seen" x="{x + WIDTH / 2:.1f}" y="{y + 14:.1f}">{seen}</text>'
        f'<text class="does" x="{x + WIDTH / 2:.1f}" y="{y + 28:.1f}">{escape(shortened(does, LONGEST + 4))}</text></g>'
    )
