r"""TikZ pictures: of chains, and of any arrows between boxes in columns, to be set by LaTeX with ``\usepackage{tikz}``.

Names that are not ASCII need LuaLaTeX or XeLaTeX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..characters import escape_tex
from .chain import Chain

if TYPE_CHECKING:
    from ..numbers.field import Exact

WIDE, HIGH = 3.2, 1.3
"""Centimetres between columns, and between the boxes of one."""


@dataclass(frozen=True, slots=True)
class TikzBox:
    """A box: its text, already escaped, its column from the left, its row from the top."""

    text: str
    column: int
    row: float
    style: str = "draw"


@dataclass(frozen=True, slots=True)
class TikzArrow:
    """An arrow between two boxes by number, with its text, already escaped."""

    source: int
    target: int
    text: str
    style: str = "->"


def picture(boxes: Sequence[TikzBox], arrows: Sequence[TikzArrow]) -> Iterator[str]:
    """The picture, in pieces."""
    yield "\\begin{tikzpicture}[every node/.style={rounded corners, align=center, font=\\small}]\n"
    for number, box in enumerate(boxes):
        place = f"({box.column * WIDE:.1f}, {0 - box.row * HIGH:.2f})"
        yield f"  \\node[{box.style}] (n{number}) at {place} {{{box.text}}};\n"
    both = {(arrow.source, arrow.target) for arrow in arrows}
    for arrow in arrows:
        text = f"node[midway, fill=white, inner sep=1pt, font=\\scriptsize] {{{arrow.text}}}" if arrow.text else ""
        if arrow.source == arrow.target:
            yield f"  \\draw[{arrow.style}, loop above] (n{arrow.source}) edge {text} (n{arrow.target});\n"
        else:
            bend = ", bend left=15" if (arrow.target, arrow.source) in both else ""
            yield f"  \\draw[{arrow.style}{bend}] (n{arrow.source}) edge {text} (n{arrow.target});\n"
    yield "\\end{tikzpicture}\n"


def draw_coupling(matched: Sequence[tuple[str, str, str, bool]], paid: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A coupling as a picture: (from, to, text, whether it is free) in two columns, and (state, what it pays)."""
    left = list(dict.fromkeys([*(arc[0] for arc in matched), *(state for state, _ in paid)]))
    right = list(dict.fromkeys(arc[1] for arc in matched))
    boxes = [TikzBox(escape_tex(state), 0, row) for row, state in enumerate(left)]
    boxes += [TikzBox(escape_tex(state), 2, row) for row, state in enumerate(right)]
    boxes += [
        TikzBox(f"paid {escape_tex(amount)}", 2, len(right) + row, "dashed, draw")
        for row, (_, amount) in enumerate(paid)
    ]
    arrows = [
        TikzArrow(left.index(source), len(left) + right.index(target), escape_tex(text), "->, dotted" if free else "->")
        for source, target, text, free in matched
    ]
    ends = len(left) + len(right)
    arrows += [TikzArrow(left.index(state), ends + row, "", "->, thick") for row, (state, _) in enumerate(paid)]
    yield from picture(boxes, arrows)


def chain_to_tikz(chain: Chain, entry: Callable[[Exact, Exact], str]) -> Iterator[str]:
    """The chain with its states in columns, by the steps that it takes to reach them; related pairs are dashed."""
    boxes, arrows = [], []
    for state, (column, row) in enumerate(_columns(chain)):
        name, label = escape_tex(chain.states[state]), escape_tex(chain.labels[state])
        boxes.append(TikzBox(f"{name}\\\\\\textit{{{label}}}", column, row))
    for state, rows in enumerate(chain.given):
        for asked, given in zip(chain.offered(state), rows, strict=True):
            name = "" if asked is None else f"{escape_tex(asked)}: "
            listed = given.list_entries()
            arrows += [
                TikzArrow(state, target, f"{name}{escape_tex(entry(low, high))}") for target, low, high in listed
            ]
    arrows += [TikzArrow(i, j, "", "dashed") for i, j in chain.relation]
    yield from picture(boxes, arrows)


def _columns(chain: Chain) -> list[tuple[int, float]]:
    """The column and row of each state: columns by the distance from the relation, or from the first state."""
    starts = sorted({state for pair in chain.relation for state in pair}) or [0]
    column: dict[int, int] = dict.fromkeys(starts, 0)
    waiting = list(starts)
    for state in waiting:
        for given in chain.given[state]:
            for target, *_ in given.list_entries():
                if target not in column:
                    column[target] = column[state] + 1
                    waiting.append(target)
    last = max(column.values(), default=0)
    for state in range(len(chain)):
        column.setdefault(state, last + 1)
    used: dict[int, int] = {}
    found = []
    for state in range(len(chain)):
        row = used.get(column[state], 0)
        used[column[state]] = row + 1
        found.append((column[state], float(row)))
    return found
