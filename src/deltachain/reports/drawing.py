"""A chain drawn as SVG, and a walk through a word on it: after each letter, where the system may be.

What is drawn is the part that the start states reach, or its bisimulation quotient, or the states that the words visit:
the first of these that is small enough. Bars on a state are conditional beliefs: how likely the system is there, given
the word so far and the start state. States of one block of the quotient are added up, which bisimilarity allows.

Where the observer chooses inputs, arcs name theirs, and a word comes with what is asked after each of its letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

from ..model import Chain, quotient, restrict
from ..model.words import Belief, Word, advance, initial_belief
from ..rational import format_fraction
from ..results.numbers import decimal
from ..results.text import printable, shortened
from .layout import arc_path, layered

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
