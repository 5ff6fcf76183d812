"""Pictures as SVG: a chain, with a walk through a word on it, and a strategy.

*The chain* is drawn with a walk: after each letter, where the system may be.

What is drawn is the part that the start states reach, or its bisimulation quotient, or the states that the words visit:
the first of these that is small enough. Bars on a state are conditional beliefs: how likely the system is there, given
the word so far and the start state. States of one block of the quotient are added up, which bisimilarity allows.

Where the observer chooses inputs, arcs name theirs, and a word comes with what is asked after each of its letters.

*Layers* [Sugiyama, Tagawa, Toda 1981]: a node's layer is its distance from the start nodes, so every arc leads at most
one layer down; arcs back up or within a layer are drawn as bows. Crossings are lowered by ordering each layer by the
mean place of its neighbours, swept down and up a fixed number of times: the same graph always gives the same drawing.

*A strategy* is what is seen, what to ask then, where to guess. It is drawn from left to right: each answer a column
further right, the ends one below the other, and every step at the mean height of what follows it, so that no two
branches cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from ..model import Chain, quotient, restrict
from ..model.words import Belief, Word, advance, initial_belief
from ..rational import format_fraction
from ..results.numbers import decimal
from ..results.text import printable, shortened
from ..results.witness import asking, guessing

if TYPE_CHECKING:
    from ..beliefs.strategy import StrategyStep

Path = tuple[Word, Sequence[str | None]]
"""A word, and what is asked after each letter but the last; nothing where there are no inputs."""

MOST_STATES = 40
MOST_LETTERS = 60
"""A word is walked through up to this letter."""
MOST_WAYS = 3
"""Inputs that are named on one arc."""
RADIUS = 20
COLOURS = 8
"""Labels are coloured in turn, and written as well: no meaning is in the colour alone."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture, what it shows, and the places of the chain's states on it."""

    svg: str
    caption: str
    place: dict[int, int]
    """State of the chain → node of the picture; states that are not drawn are left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """After some letters: the probabilities of having shown them, and the beliefs, by node of the picture."""

    letter: str
    first: Fraction
    second: Fraction
    beliefs: tuple[tuple[int, Fraction, Fraction], ...]
    undrawn: bool
    """Whether some of the belief is on states that are not drawn."""


def draw(chain: Chain, starts: tuple[int, int], words: Sequence[Path]) -> Drawing:
    """The picture of the part of the chain that matters for the pair ``starts``."""
    part = restrict(chain, starts)
    numbers = {part.number(name): state for state, name in enumerate(chain.states) if name in part.index}
    if len(part) <= MOST_STATES:
        place = {state: node for node, state in numbers.items()}
        return _picture(_sketch(part, range(len(part))), place, starts, "The chain, from the two start states on.")
    merged = quotient(part)
    if len(merged.chain) <= MOST_STATES:
        place = {state: merged.block[node] for node, state in numbers.items()}
        caption = f"{len(part):,} states are reached; states that behave alike are drawn as one."
        return _picture(_sketch(merged.chain, range(len(merged.chain))), place, starts, caption)
    visited = _visited(chain, starts, words)
    place = {state: node for node, state in enumerate(visited)}
    caption = f"{len(part):,} states are reached, too many to draw: here are {len(visited)} that the words below visit."
    return _picture(_sketch(chain, visited), place, starts, caption)


def _visited(chain: Chain, starts: tuple[int, int], words: Sequence[Path]) -> list[int]:
    """States that the words visit, in the order of the visit, up to what can be drawn."""
    seen = dict.fromkeys(starts)
    for path in words:
        beliefs = [initial_belief(start) for start in starts]
        for asked, letter in _moves(path, MOST_LETTERS + 1):
            beliefs = [advance(chain, belief, asked).get(letter, {}) for belief in beliefs]
            for belief in beliefs:
                for state in sorted(belief):
                    if len(seen) < MOST_STATES:
                        seen[state] = None
    return list(seen)


def _moves(path: Path, most: int) -> list[tuple[str | None, str]]:
    """What is asked, and the letter that is then seen, after the first one."""
    word, inputs = path
    asked = inputs or (None,) * (len(word) - 1)
    return list(zip(asked, word[1:], strict=True))[: most - 1]


@dataclass(frozen=True, slots=True)
class _Sketch:
    """Some states of a chain: what is needed to draw them."""

    states: tuple[str, ...]
    labels: tuple[str, ...]
    arcs: dict[tuple[int, int], list[tuple[str | None, Fraction]]]
    """What leads from one state to another: inputs, None where there is no choice, with their probabilities."""
    ends: frozenset[int]
    """States that are never left."""


def _sketch(chain: Chain, kept: Sequence[int]) -> _Sketch:
    new = {state: node for node, state in enumerate(kept)}
    arcs: dict[tuple[int, int], list[tuple[str | None, Fraction]]] = {}
    for state in kept:
        for asked, row in zip(chain.offered(state), chain.moves[state], strict=True):
            for target, p in row:
                if target in new:
                    arcs.setdefault((new[state], new[target]), []).append((asked, p))
    ends = frozenset(new[s] for s in kept if all(row == ((s, Fraction(1)),) for row in chain.moves[s]))
    return _Sketch(tuple(chain.states[s] for s in kept), tuple(chain.labels[s] for s in kept), arcs, ends)


def _picture(chain: _Sketch, place: dict[int, int], starts: tuple[int, int], caption: str) -> Drawing:
    roots = list(dict.fromkeys(place[start] for start in starts))
    layout = layered(len(chain.states), list(chain.arcs), roots)
    colour = {label: i % COLOURS for i, label in enumerate(dict.fromkeys(chain.labels))}
    lines, names = [], []
    for (source, target), ways in chain.arcs.items():
        if source == target and source in chain.ends:
            continue  # an end: drawn by its double ring
        path, (x, y) = arc_path(layout.places[source], layout.places[target], RADIUS)
        lines.append(f'<path class="arc" d="{path}" marker-end="url(#tip)"/>')
        if text := _arc_text(ways):
            names.append(f'<text class="chance" x="{x:.1f}" y="{y:.1f}">{text}</text>')
    nodes = [
        _node(node, chain, layout.places[node], colour[chain.labels[node]], roots) for node in range(len(chain.states))
    ]
    head = (
        f'<svg class="chain" id="chain" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width:.0f}" role="img" aria-labelledby="chain-title chain-text">'
        f'<title id="chain-title">The chain</title><desc id="chain-text">{escape(caption)} '
        f"{len(chain.states)} states in layers, by their distance from the start.</desc>"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path class="tip" d="M0,0 L8,4 L0,8 z"/></marker></defs>'
    )
    return Drawing("".join([head, *lines, *nodes, *names, "</svg>"]), caption, place)


def _arc_text(ways: Sequence[tuple[str | None, Fraction]]) -> str:
    """The probability, if it is not sure; with inputs, each with its own, the first ones."""
    shown = []
    for asked, p in ways[:MOST_WAYS]:
        name = "" if asked is None else escape(shortened(printable(asked), 12))
        shown.append(" ".join(filter(None, [name, "" if p == 1 else _chance(p)])))
    return ", ".join(shown) + (", …" if len(ways) > MOST_WAYS else "")


def _chance(p: Fraction) -> str:
    text = format_fraction(p)
    return text if len(text) <= 7 else escape(decimal(p, 3).replace("≈ ", "≈"))


def _node(node: int, chain: _Sketch, at: tuple[float, float], colour: int, roots: list[int]) -> str:
    x, y = at
    name, label = printable(chain.states[node]), printable(chain.labels[node])
    ring = f'<circle class="ring" cx="{x}" cy="{y}" r="{RADIUS - 4}"/>' if node in chain.ends else ""
    secret = ""
    if node in roots:
        which = "s" if roots.index(node) == 0 else "t"
        secret = f'<text class="secret start-{which}" x="{x}" y="{y - RADIUS - 24}">start {which}</text>'
    return (
        f'<g class="node" id="node-{node}"><title>{escape(name)}: shows {escape(label)}</title>'
        f'<circle class="label-{colour}" cx="{x}" cy="{y}" r="{RADIUS}"/>{ring}'
        f'<text class="name" x="{x}" y="{y + 4}">{escape(shortened(name, 7))}</text>'
        f'<text class="shown" x="{x}" y="{y + RADIUS + 13}">{escape(shortened(label, 18))}</text>'
        f'<rect class="bar-s" x="{x - 30}" y="{y - RADIUS - 17}" width="0" height="6"/>'
        f'<rect class="bar-t" x="{x - 30}" y="{y - RADIUS - 10}" width="0" height="6"/>{secret}</g>'
    )


def walk(chain: Chain, starts: tuple[int, int], path: Path, place: dict[int, int]) -> tuple[Step, ...]:
    """The word, letter by letter, from both states: exact probabilities and conditional beliefs."""
    word, _ = path
    beliefs: list[Belief] = [initial_belief(start) if chain.labels[start] == word[0] else {} for start in starts]
    steps = [_step(word[0], beliefs, place)]
    for asked, letter in _moves(path, MOST_LETTERS):
        beliefs = [advance(chain, belief, asked).get(letter, {}) for belief in beliefs]
        steps.append(_step(letter if asked is None else f"{asked} → {letter}", beliefs, place))
    return tuple(steps)


def _step(letter: str, beliefs: Sequence[Belief], place: dict[int, int]) -> Step:
    totals = [sum(belief.values(), Fraction(0)) for belief in beliefs]
    shares: dict[int, list[Fraction]] = {}
    undrawn = False
    for side, belief in enumerate(beliefs):
        for state, mass in belief.items():
            if state not in place:
                undrawn = True
                continue
            shares.setdefault(place[state], [Fraction(0), Fraction(0)])[side] += mass / totals[side]
    known = tuple((node, *map(Fraction, share)) for node, share in sorted(shares.items()))
    return Step(letter, totals[0], totals[1], known, undrawn)  # type: ignore[arg-type]


# Layers.

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


# A strategy.

COLUMN, LINE, EDGE = 190, 44, 24
"""Distance between two columns of a strategy, between two ends, and to the edge."""
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
