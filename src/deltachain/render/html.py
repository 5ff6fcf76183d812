"""Small pieces of HTML for notebooks: a table under its caption, and a curve as inline SVG; all text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from .table import printable

SHOWN_ROWS = 40
"""More are counted, not shown."""

WIDTH, HEIGHT, MARGIN = 480, 240, 36


def _text(cell: str) -> str:
    return escape(printable(cell))


def html_table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows as a table.

    >>> html_table("δ", ["pair"], [["<s>"]])
    '<table><caption>δ</caption><thead><tr><th>pair</th></tr></thead><tbody><tr><td>&lt;s&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{_text(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows[:SHOWN_ROWS])
    if len(rows) > SHOWN_ROWS:
        body += f'<tr><td colspan="{len(header)}">… {len(rows) - SHOWN_ROWS} more</td></tr>'
    caption = f"<caption>{_text(caption)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_band(caption: str, points: Sequence[tuple[float, float, float]]) -> str:
    """The band lower ≤ y ≤ upper over x as an inline SVG, in steps: an upper bound holds to the right of its point."""
    right = max((x for x, _, _ in points), default=0.0) or 1.0
    top = max((upper for _, _, upper in points), default=0.0) or 1.0

    def place(x: float, y: float) -> str:
        across = MARGIN + x / right * (WIDTH - 2 * MARGIN)
        return f"{across:.1f},{HEIGHT - MARGIN - y / top * (HEIGHT - 2 * MARGIN):.1f}"

    segments = list(pairwise(points)) or [(p, p) for p in points]
    upper = [place(x, left[2]) for left, after in segments for x in (left[0], after[0])]
    lower = [place(x, after[1]) for left, after in segments for x in (left[0], after[0])]
    style = 'fill="none" stroke-width="1.5"'
    base = HEIGHT - MARGIN
    parts = [
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" fill="#0072B2" fill-opacity="0.25"/>',
        f'<polyline points="{" ".join(upper)}" stroke="#0072B2" {style}/>',
        f'<polyline points="{" ".join(lower)}" stroke="#D55E00" stroke-dasharray="4 3" {style}/>',
        f'<path d="M{MARGIN},{MARGIN} V{base} H{WIDTH - MARGIN}" stroke="#888" fill="none"/>',
        f'<text x="{MARGIN}" y="{MARGIN - 8}" font-size="11">δ ≤ {top:.3g}</text>',
        f'<text x="{WIDTH - MARGIN}" y="{base + 16}" font-size="11" text-anchor="end">ε ≤ {right:.3g}</text>',
    ]
    box = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
    return f"<figure><svg {box}>{''.join(parts)}</svg><figcaption>{_text(caption)}</figcaption></figure>"
