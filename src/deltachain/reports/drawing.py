"""Pictures as SVG: a chain, with a walk through a word on it, and a strategy.

*The chain* is drawn where it is small: the part that the start states reach, or its bisimulation quotient, whichever
has at most `MOST_STATES` states; else it is told as a table. Its states are boxes with a name and a label;
probabilities are shown on demand. On a walk through a word, bars in the boxes are conditional beliefs: how likely the
system is there, given the word so far and the start state. States of one block of the quotient are added up, which
bisimilarity allows.

*A strategy* is what is seen, what to ask then, where to guess. It is drawn from left to right: each answer a column
further right, the ends one below the other, and every step at the mean height of what follows it, so that no two
branches cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ..measures.delta.witness import describe_action, describe_guess
from ..model import Chain, restrict
from ..model.words import Belief, Word, advance, initial_belief, total
from ..results.numbers import decimal, exact_text
from ..results.text import escape_markup, printable, shorten
from .layout import DrawnBox, fit_line, graph_svg

if TYPE_CHECKING:
    from ..beliefs.graph.strategy import StrategyStep
    from ..beliefs.workspace import Workspace
    from ..numbers.field import Exact

Path = tuple[Word, Sequence[str | None]]
"""A word, and what is asked after each letter but the last; nothing where there are no inputs."""

MOST_STATES = 15
"""Chains of more states are not drawn."""
MOST_ROWS = 60
"""States of a chain that are listed where it is not drawn."""
MOST_LETTERS = 60
"""A word is walked through up to this letter."""
MOST_TARGETS = 6
"""Targets of one state that are named."""
COLOURS = 8
"""Labels are coloured in turn, and written as well: no meaning is in the colour alone."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture or the table, what it shows, and the places of the chain's states on it."""

    svg: str
    caption: str
    place: dict[int, int]
    """State of the chain → box of the picture; states that are not drawn are left out."""
    rows: tuple[tuple[str, str, str], ...] = ()
    """(state, label, where it goes), in place of a picture."""
    left: int = 0
    """States that are not in the table."""


@dataclass(frozen=True, slots=True)
class Step:
    """After some letters: the probabilities of having shown them, and the beliefs, by box of the picture."""

    letter: str
    first: Exact
    second: Exact
    beliefs: tuple[tuple[int, Exact, Exact], ...]


def draw(work: Workspace, starts: tuple[int, int]) -> Drawing:
    """The picture of the part of the chain that matters for the pair ``starts``, or a table of its states."""
    chain = work.chain
    part = restrict(chain, starts)
    numbers = {part.number(name): state for state, name in enumerate(chain.states) if name in part.index}
    if len(part) <= MOST_STATES:
        place = {state: node for node, state in numbers.items()}
        return _picture(part, place, starts, "The chain, from the two start states on.")
    if part.kind == "exact" and chain.labels[starts[0]] == chain.labels[starts[1]]:
        merged = restrict(work.quotient.chain, work.merge(starts))
        if len(merged) <= MOST_STATES:
            place = {state: merged.number(work.quotient.chain.states[work.block(state)]) for state in numbers.values()}
            caption = f"{len(part):,} states are reached; states that behave alike are drawn as one."
            return _picture(merged, place, starts, caption)
    rows = tuple(
        (shorten(printable(part.states[s]), 60), shorten(printable(part.labels[s]), 40), "; ".join(_ways(part, s)))
        for s in range(min(len(part), MOST_ROWS))
    )
    caption = f"{len(part):,} states are reached from the two start states, too many to draw."
    return Drawing("", caption, {}, rows, len(part) - len(rows))


def moves_of(path: Path, most: int) -> list[tuple[str | None, str]]:
    """What is asked, and the letter that is then seen, after the first one."""
    word, inputs = path
    asked = inputs or (None,) * (len(word) - 1)
    return list(zip(asked, word[1:], strict=True))[: most - 1]


def _ways(chain: Chain, state: int) -> list[str]:
    """Where a state goes, by what is asked, with exact probabilities."""
    told = []
    for asked, row in zip(chain.offered(state), chain.given[state], strict=True):
        to = [f"{shorten(printable(chain.states[t]), 40)} {_chance(p)}" for t, *p in row.list_entries()]
        more = f", and {len(to) - MOST_TARGETS} more" if len(to) > MOST_TARGETS else ""
        told.append(("" if asked is None else f"[{printable(asked)}] ") + ", ".join(to[:MOST_TARGETS]) + more)
    return told


def _chance(limits: Sequence[Exact]) -> str:
    """A probability, or the limits that it lies within."""
    texts = [_exact(p) for p in dict.fromkeys(limits)]
    return texts[0] if len(texts) == 1 else f"from {texts[0]} to {texts[1]}"


def _picture(chain: Chain, place: dict[int, int], starts: tuple[int, int], caption: str) -> Drawing:
    colour = {label: i % COLOURS for i, label in enumerate(dict.fromkeys(chain.labels))}
    boxes, arcs = [], []
    for state in range(len(chain)):
        ends = all([t for t, *_ in row] == [state] for row in chain.given[state])
        goes = "it is never left" if ends else "goes to " + "; ".join(_ways(chain, state))
        name, label = chain.states[state], chain.labels[state]
        kind = f"label-{colour[label]}" + (" end" if ends else "")
        boxes.append(DrawnBox(name, label, f"{name} shows {label}; {goes}", kind, bars=True))
        targets: dict[int, list[str]] = {}
        for asked, row in zip(chain.offered(state), chain.given[state], strict=True):
            for target, *p in row.list_entries():
                how = "" if asked is None else f"[{printable(asked)}] "
                targets.setdefault(target, []).append(how + _chance(p))
        for target, ways in targets.items():
            if not (ends and target == state):  # an end: drawn by its double frame
                text = f"{printable(name)} → {printable(chain.states[target])}: {', '.join(ways)}"
                arcs.append((state, target, text))
    description = f"{caption} {len(chain)} states, from left to right by their distance from the start."
    marks = [(place[start], mark) for start, mark in zip(starts, "st", strict=True)]
    return Drawing(graph_svg("chain", "The chain", description, boxes, arcs, marks), caption, place)


def walk(chain: Chain, starts: tuple[int, int], path: Path, place: dict[int, int]) -> tuple[Step, ...]:
    """The word, letter by letter, from both states: exact probabilities and conditional beliefs."""
    word, _ = path
    beliefs: list[Belief] = [initial_belief(start) if chain.labels[start] == word[0] else {} for start in starts]
    steps = [_step(word[0], beliefs, place)]
    for asked, letter in moves_of(path, MOST_LETTERS):
        beliefs = [advance(chain, belief, asked).get(letter, {}) for belief in beliefs]
        steps.append(_step(letter if asked is None else f"{asked} → {letter}", beliefs, place))
    return tuple(steps)


def _step(letter: str, beliefs: Sequence[Belief], place: dict[int, int]) -> Step:
    totals = [total(belief.values()) for belief in beliefs]
    shares: dict[int, list[Exact]] = {}
    for side, belief in enumerate(beliefs):
        for state, mass in belief.items():
            if state in place:
                share = shares.setdefault(place[state], [Fraction(0), Fraction(0)])
                share[side] = share[side] + mass / totals[side]
    known = tuple((node, share[0], share[1]) for node, share in sorted(shares.items()))
    return Step(letter, totals[0], totals[1], known)


# A strategy.

COLUMN, LINE, EDGE = 206, 50, 24
"""Distance between two columns of a strategy, between two ends, and to the edge."""
WIDTH, HEIGHT = 150, 38
"""The size of a step's box."""


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
    points = [(EDGE + column * COLUMN, EDGE + height * LINE) for _, column, height, _ in placed]
    width = max(x for x, _ in points) + WIDTH + EDGE
    height = max(y for _, y in points) + HEIGHT + EDGE
    lines, boxes = [], []
    for (step, _, _, before), (x, y) in zip(placed, points, strict=True):
        if before is not None:
            u, v = points[before][0] + WIDTH, points[before][1] + HEIGHT / 2
            bend = f"{u + 30:.1f},{v:.1f} {x - 30:.1f},{y + HEIGHT / 2:.1f}"
            lines.append(f'<path class="arc" d="M{u:.1f},{v:.1f} C{bend} {x:.1f},{y + HEIGHT / 2:.1f}"/>')
        boxes.append(_box(step, x, y, state))
    return (
        f'<svg class="graph strategy" id="strategy" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="group" aria-labelledby="strategy-title strategy-text">'
        '<title id="strategy-title">The strategy</title>'
        f'<desc id="strategy-text">{escape_markup(description)}</desc>{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _box(step: StrategyStep, x: float, y: float, state: str) -> str:
    kind = {None: "step", True: "says", False: "silent"}[step.guess]
    does = describe_guess(step, state) if step.guess is not None else describe_action(step).removeprefix(": ")
    chances = f"{_exact(step.probability)} from {state}, {_exact(step.other)} from the other"
    told = escape_markup(f"{step.label}: {does or 'go on'}; {chances}")
    return (
        f'<g class="box {kind}" tabindex="0" role="img" aria-label="{told}"><title>{told}</title>'
        f'<rect class="frame-box" x="{x:.1f}" y="{y:.1f}" width="{WIDTH}" height="{HEIGHT}" rx="5"/>'
        f"{fit_line('name', step.label, x, y + 16, WIDTH)}{fit_line('below', does, x, y + 31, WIDTH)}</g>"
    )


def _exact(value: Exact) -> str:
    return text if len(text := exact_text(value)) <= 40 else decimal(value, 12)
