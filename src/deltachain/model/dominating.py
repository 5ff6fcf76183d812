"""A chain of fractions that tells at least as much as one whose rows are enclosed, or cut off.

Every probability is replaced by its lower end, and what is left of a row goes to a state of its own, whose letter tells
the start state. Let P be the law of words from a start state s, and P' that of the new chain: P' ≤ P wherever it is not
*lost*, and what is lost of s has the mass of P − P'. Who sees P' and, where it is lost, draws from (P − P')/|P − P'|,
which is that of s, shows P. So the pair (P, Q) of two starts comes out of (P', Q') without knowledge of the start: δ at
every ε, and every divergence, of independent runs, too, is at most that of (P', Q'). And |P − P'| is at most what is
lost of s, so that for every event E of K runs P'^K(E) − αQ'^K(E) ≤ P^K(E) − αQ^K(E) + K·(lost of s + α·lost of t).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from .chain import Chain
from .rows import AnyRow, PointRow, Row

ONE = Fraction(1)
OfStart = tuple[int | None, int]
"""A start state, where what is lost depends on it, and a state."""


class Dominating(NamedTuple):
    """A chain that tells at least as much, the numbers of the pairs there, and what is lost of either state of each."""

    chain: Chain
    pairs: tuple[tuple[int, int], ...]
    lost: tuple[Fraction, ...]


def dominating(chain: Chain, pairs: Sequence[tuple[int, int]]) -> Dominating:
    """The chain of lower ends, of a chain without inputs."""
    losing = _that_lose(chain)
    starts = list(dict.fromkeys(state for pair in pairs for state in pair))
    numbers: dict[OfStart, int] = {}
    places: list[OfStart] = []

    def number(start: int, state: int) -> int:
        place = (start if state in losing else None, state)
        if place not in numbers:
            numbers[place] = len(places)
            places.append(place)
        return numbers[place]

    first = {start: number(start, start) for start in starts}
    rows: list[Row] = []
    lost: list[tuple[int, Fraction]] = []
    explored = 0
    while explored < len(places):
        start, state = places[explored]
        (row,) = chain.given[state]
        lows = [(j, lo) for j, lo, _ in row.box if lo]
        rows.append(tuple((number(-1 if start is None else start, j), lo) for j, lo in lows))
        lost.append((explored, ONE - sum((lo for _, lo in lows), Fraction(0))))
        explored += 1
    made, numbered = _with_lost(chain, places, rows, dict(lost), [(first[s], first[t]) for s, t in pairs])
    of_start = {start: _lost_from(first[start], rows, dict(lost)) for start in starts}
    return Dominating(made, numbered, tuple(max(of_start[s], of_start[t]) for s, t in pairs))


def _lost_from(start: int, rows: Sequence[Row], lost: dict[int, Fraction]) -> Fraction:
    """At least what is lost of the runs from a place: exactly, where none of them comes back to a place that loses."""
    # In the order in which all that leads to a place comes before it; what loses nothing, and leads on, is not asked.
    order: list[int] = []
    entered, left = {start}, set[int]()
    stack = [(start, iter(rows[start]))]
    while stack:
        place, rest = stack[-1]
        following = next((j for j, _ in rest if j not in left and j != place), None)
        if following is None:
            stack.pop()
            left.add(place)
            order.append(place)
        elif following in entered:
            return ONE  # a cycle
        else:
            entered.add(following)
            stack.append((following, iter(rows[following])))
    arriving: dict[int, Fraction] = defaultdict(Fraction)
    arriving[start], total = ONE, Fraction(0)
    for place in reversed(order):
        mass = arriving[place]
        stays = sum((lo for j, lo in rows[place] if j == place), Fraction(0))
        if lost[place] and stays:
            return ONE
        total += mass * lost[place]
        for j, lo in rows[place]:
            if j != place:
                arriving[j] += mass * lo / (1 - stays)
    return total


def _with_lost(
    chain: Chain,
    places: Sequence[OfStart],
    rows: Sequence[Row],
    lost: dict[int, Fraction],
    pairs: Sequence[tuple[int, int]],
) -> tuple[Chain, tuple[tuple[int, int], ...]]:
    """The chain of these places, in which what rows leave goes to a state for each start."""
    ends = {start: len(places) + k for k, start in enumerate(dict.fromkeys(start for start, _ in places))}
    known = {*chain.labels}
    letters = _new(known, (f"lost {start}" for start in ends))
    names = (*(f"{state} of {start}" for start, state in places), *(f"lost of {start}" for start in ends))
    given = [
        PointRow(tuple(sorted((*row, (ends[places[i][0]], lost[i])) if lost[i] else row))) for i, row in enumerate(rows)
    ]
    given += [PointRow(((end, ONE),)) for end in ends.values()]
    labels = (*(chain.labels[state] for _, state in places), *letters)
    made = Chain(names, labels, tuple((row,) for row in given), tuple(pairs), step_by_step=chain.step_by_step)
    return made, tuple(pairs)


def _new(known: set[str], wanted: Iterable[str]) -> list[str]:
    """These letters, each changed until it is none of those that are known."""
    found = []
    for letter in wanted:
        while letter in known:
            letter += "'"
        known.add(letter)
        found.append(letter)
    return found


def _that_lose(chain: Chain) -> set[int]:
    """The states from which a row can be reached of which not all is known exactly as fractions."""
    before: dict[int, list[int]] = {}
    for state, rows in enumerate(chain.given):
        for row in rows:
            for target, *_ in row:
                before.setdefault(target, []).append(state)
    found = {state for state, rows in enumerate(chain.given) if any(map(_loses, rows))}
    waiting = list(found)
    while waiting:
        for state in before.get(waiting.pop(), ()):
            if state not in found:
                found.add(state)
                waiting.append(state)
    return found


def _loses(row: AnyRow) -> bool:
    """Whether lower ends leave something of a row."""
    return not isinstance(row, PointRow) or row.fractions is None or bool(row.missing)
