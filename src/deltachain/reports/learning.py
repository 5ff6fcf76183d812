"""What an observer learns, step by step: the belief graph as a picture (docs/theory/beliefs.md).

A box is what is known after some letters: the last letter, and how much more likely all of it is from one start state
than from the other. Words after which the beliefs are proportional share a box. All states of a belief have one label,
so the letter stands in the box and arcs need no text; where the observer asks, what is asked has a box of its own.
A box is an end where nothing more can be learned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..beliefs import reach
from ..beliefs.graph.belief_graph import BeliefGraph, Edge
from ..numbers.field import Exact, M, V
from ..numbers.fraction import ExpEpsilon
from ..results.numbers import decimal, exact_text
from ..results.text import printable, shorten, shown_name
from .layout import DrawnBox, graph_svg

if TYPE_CHECKING:
    from ..beliefs.workspace import Workspace

MOST_BOXES = 28
"""Larger belief graphs are not drawn."""
MOST_MOVES = 8
"""Moves that the description of a box lists."""
LONGEST_NUMBER = 60
"""Characters of a fraction or a formula in a description; longer ones are given as decimals."""


@dataclass(frozen=True, slots=True)
class Learning:
    """The picture, and the way through it."""

    svg: str
    boxes: int
    after: dict[tuple[int, str | None, str], int]
    """(box, what is asked, letter seen) → the box after it; ends have none."""
    examples: Mapping[Exact | None, tuple[str, ...]]
    """The likelihood ratio of an end (None: only the first state leads there) → a shortest word to it."""

    def walk(self, moves: Sequence[tuple[str | None, str]]) -> list[int]:
        """The box after each letter, from the start on; an end is not left."""
        at = [0]
        for asked, letter in moves:
            at.append(self.after.get((at[-1], asked, letter), at[-1]))
        return at


def learn(work: Workspace, starts: tuple[int, int], at: ExpEpsilon) -> Learning | None:
    """The belief graph of a pair at e^ε; None where it is large or endless, or the first labels differ."""
    chain = work.chain
    if not reach.takes("finite graph", chain) or chain.labels[starts[0]] != chain.labels[starts[1]]:
        return None
    return _draw(work.graph, work.graph.root(*work.merge(starts)), [chain.states[state] for state in starts], at)


def _draw(graph: BeliefGraph[M, V], root: int, starts: Sequence[str], at: ExpEpsilon) -> Learning | None:
    met = _explore(graph, root)
    if met is None:
        return None
    alpha = graph.field.exactly(graph.field.alphas(at)[1])
    names = tuple(shorten(shown_name(name), 30) for name in starts)
    place = {node: i for i, node in enumerate(met)}
    boxes = [_belief_box(graph, node, names, alpha) for node in met]
    arcs: list[tuple[int, int, str]] = []
    after: dict[tuple[int, str | None, str], int] = {}
    for node in met:
        here = place[node]
        questions: dict[str | None, int] = {}
        for edge in () if graph.is_closed(node) else graph.expand(node):
            if edge.asked not in questions:
                questions[edge.asked] = here if edge.asked is None else len(boxes)
                if edge.asked is not None:
                    boxes.append(DrawnBox(f"ask {edge.asked}", "", f"ask {edge.asked}", "question"))
                    arcs.append((here, questions[edge.asked], f"ask {printable(edge.asked)}"))
            after[here, edge.asked, edge.label] = place[edge.child]
            text = _move(graph, node, edge, names)
            arcs.append((questions[edge.asked], place[edge.child], text))
    if len(boxes) > MOST_BOXES:
        return None
    description = f"{len(boxes)} boxes, from left to right: what is seen, and how it moves the odds."
    svg = graph_svg("beliefs", "What the observer learns", description, boxes, arcs, [(0, "start")])
    return Learning(svg, len(boxes), after, _examples(graph, met))


def _explore(graph: BeliefGraph[M, V], root: int) -> list[int] | None:
    """All that the root leads to, in the order in which it is met; None if it is more than can be drawn."""
    met, known = [root], {root}
    for node in met:
        if len(met) > MOST_BOXES:
            return None
        if graph.is_closed(node):
            continue
        for edge in graph.expand(node):
            if edge.child not in known:
                known.add(edge.child)
                met.append(edge.child)
    return met if len(met) <= MOST_BOXES else None


def _belief_box(graph: BeliefGraph[M, V], number: int, names: tuple[str, ...], alpha: Exact) -> DrawnBox:
    node = graph.nodes[number]
    x, y = _masses(graph, number)
    state, _ = (node.x or node.y)[0]
    letter = graph.chain.labels[state]
    kind = "end" if graph.is_closed(number) else "open"
    if x > alpha * y:
        kind += " tells-s"
    elif y > alpha * x:
        kind += " tells-t"
    told = _odds_told(x, y, names)
    if graph.is_closed(number):
        told += "; nothing more to learn from here"
    else:
        moves = [_move(graph, number, e, names) for e in graph.expand(number)]
        more = f"; and {len(moves) - MOST_MOVES} more" if len(moves) > MOST_MOVES else ""
        told += ". Next: " + "; ".join(moves[:MOST_MOVES]) + more
    return DrawnBox(letter, odds(x, y, names), f"{letter}: {told}", kind)


def odds(x: Exact, y: Exact, names: Sequence[str]) -> str:
    """The likelihood ratio, the larger number first where it favours the first state.

    >>> from fractions import Fraction
    >>> zero, one, two, three = map(Fraction, range(4))
    >>> odds(three, one, "st"), odds(one, three, "st"), odds(two, two, "st"), odds(zero, one, "st")
    ('3 : 1', '1 : 3', '1 : 1', 'only t')
    """
    if not y or not x:
        return f"only {shorten(names[0] if x else names[1], 12)}"
    shown = decimal(max(x, y) / min(x, y), 4).replace("≈ ", "≈")
    return f"{shown} : 1" if x >= y else f"1 : {shown}"


def _odds_told(x: Exact, y: Exact, names: tuple[str, ...]) -> str:
    if not y or not x:
        return f"only {names[0] if x else names[1]} leads here"
    if x == y:
        return "as likely from either start"
    more, less = (names[0], names[1]) if x > y else (names[1], names[0])
    return f"{_exactly(max(x, y) / min(x, y))} times as likely from {more} as from {less}"


def _exactly(value: Exact) -> str:
    text = exact_text(value)
    return text if len(text) <= LONGEST_NUMBER else decimal(value, 12)


def _masses(graph: BeliefGraph[M, V], number: int) -> tuple[Exact, Exact]:
    """|x| and |y| of a node."""
    field, node = graph.field, graph.nodes[number]
    x, y = (field.exactly(field.quotient(mass, field.one)) for mass in (node.mass_x, node.mass_y))
    return x, y


def _move(graph: BeliefGraph[M, V], number: int, edge: Edge[V], names: Sequence[str]) -> str:
    """A letter with its probability from either start, given what was seen."""
    asked = "" if edge.asked is None else f"[{edge.asked}] "
    parts = []
    weight = graph.field.exactly(edge.weight)
    for name, before, now in zip(names, _masses(graph, number), _masses(graph, edge.child), strict=True):
        if before:
            parts.append(f"{_exactly(weight * now / before)} from {name}")
    return f"{asked}{edge.label}, {' and '.join(parts)}"


def _examples(graph: BeliefGraph[M, V], met: Sequence[int]) -> dict[Exact | None, tuple[str, ...]]:
    """A shortest word to an end of each likelihood ratio."""
    root = met[0]
    words: dict[int, tuple[str, ...]] = {root: (graph.chain.labels[graph.nodes[root].x[0][0]],)}
    found: dict[Exact | None, tuple[str, ...]] = {}
    for node in met:  # in the order in which they were met: a shortest word is known
        if graph.is_closed(node):
            x, y = _masses(graph, node)
            found.setdefault(x / y if y else None, words[node])
            continue
        for edge in graph.expand(node):
            words.setdefault(edge.child, (*words[node], edge.label))
    return found
