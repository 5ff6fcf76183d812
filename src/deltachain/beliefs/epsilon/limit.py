"""Ratios that no word reaches, and words come to: how small e^ε cannot be for δ = 0 (docs/theory/divergences.md).

Often the words of the largest ratios go round in a circle, u, uv, uvv, …, and their ratios come to a limit. Where P_v
has one largest eigenvalue λ, with P_v r = λr, P_v^n·1/λ^n comes to a positive multiple of r, so that the ratio of s to
t comes to x_u·r/y_u·r, and every smaller e^ε is refuted. If λ is rational, so is r, and the limit is exact.

What is asked of P_v is what the checker can see: on the states that x_u and y_u come to, r ≥ 0; a class of states on
which r > 0, and which leads to itself in every way after enough rounds (a primitive class), and otherwise only to
states with r = 0; on the rest g > 0 and μ < λ with P_v g ≤ μg. Floats choose λ and μ; all else is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
from flint import fmpq, fmpq_mat

from ...model import Chain
from ...model.components import components
from ...model.words import Word
from ...numbers.flint import to_flint, to_fraction
from ...numbers.fraction import simplest_between
from ..question import Pair
from .pump import NEAR, Masses, after, eigenvector, powers
from .ratio import RatioWord

MOST_STATES = 60
"""That the words come to: of more, no eigenvector is looked for."""


@dataclass(frozen=True, slots=True)
class RatioLimit:
    """What ratios of words prefix, prefix cycle, … come to: δ > 0 at every smaller e^ε.

    Attributes:
        pair: by number, as it was asked.
        direction: 0 if the first state shows the words more often.
        prefix: its letters, that of the state itself first.
        cycle: what is seen again and again.
        ratio: the limit.
        factor: λ.
        vector: r, where it is positive, by states of the quotient.
        inside: the class of states that is primitive.
        rest: g on all other states.
        rate: μ.
    """

    pair: Pair
    direction: int
    prefix: Word
    cycle: Word
    ratio: Fraction
    factor: Fraction
    vector: Masses
    inside: tuple[int, ...]
    rest: Masses
    rate: Fraction


def beyond(chain: Chain, states: Pair, word: RatioWord) -> RatioWord | RatioLimit:
    """The limit of the words that go round in a circle as this one does, if one is proved that is above its ratio.

    Its states are given as those of the chain, which is the quotient.
    """
    circle = word.circle()
    limit = None if circle is None else _limit(chain, word.ordered(states), word, *circle)
    return limit if limit is not None and limit.ratio > word.ratio else word


def _limit(chain: Chain, states: Pair, word: RatioWord, prefix: Word, cycle: Word) -> RatioLimit | None:
    x, y = (after({state: Fraction(1)}, chain, prefix[1:]) for state in states)
    rows = powers(chain, {**x, **y}, cycle)
    if not (x and y) or len(rows) > MOST_STATES:
        return None
    numbers = np.zeros((len(rows), len(rows)))
    place = {i: n for n, i in enumerate(rows)}
    for i, row in rows.items():
        for k, p in row.items():
            numbers[place[i], place[k]] = float(p)
    largest = Fraction(float(max(abs(np.linalg.eigvals(numbers)))))
    if largest <= 0:
        return None
    factor = simplest_between(largest * (1 - NEAR), largest * (1 + NEAR))
    vector = eigenvector(rows, factor)
    if vector is None:
        return None
    inside = _class_of(rows, vector)
    if inside is None:
        return None
    rest = [i for i in rows if i not in inside]
    others = [place[i] for i in rest]
    slower = float(max(abs(np.linalg.eigvals(numbers[np.ix_(others, others)])), default=0.0))
    rate = Fraction((slower + float(factor)) / 2).limit_denominator(10**6)
    slack = _slack(rows, rest, rate) if slower < float(factor) * (1 - 1e-9) and 0 < rate < factor else None
    above, below = (sum((mass * vector.get(i, 0) for i, mass in belief.items()), Fraction(0)) for belief in (x, y))
    if slack is None or not (above and below):
        return None
    return RatioLimit(word.pair, word.direction, prefix, cycle, above / below, factor, vector, inside, slack, rate)


def _class_of(rows: dict[int, Masses], vector: Masses) -> tuple[int, ...] | None:
    """The class of states with r > 0 that leads nowhere else with r > 0, if there is one, and it is primitive."""
    states = list(vector)
    place = {i: n for n, i in enumerate(states)}
    moves = [[place[k] for k in rows[i] if k in place] for i in states]
    closed = [group for group in components(moves) if all(k in group for n in group for k in moves[n])]
    if len(closed) != 1 or _period({n: [k for k in moves[n] if k in closed[0]] for n in closed[0]}) != 1:
        return None
    return tuple(states[n] for n in closed[0])


def _period(moves: dict[int, list[int]]) -> int:
    """The greatest common divisor of the lengths of all cycles of a class; 0 if there is none."""
    first = next(iter(moves))
    depth, waiting, found = {first: 0}, [first], 0
    for here in waiting:
        for there in moves[here]:
            if there not in depth:
                depth[there] = depth[here] + 1
                waiting.append(there)
            found = gcd(found, depth[here] + 1 - depth[there])
    return found


def _slack(rows: dict[int, Masses], rest: list[int], rate: Fraction) -> Masses | None:
    """G = (I − P/μ)^-1·1 on the rest, if it is positive: then P g = μ(g − 1) ≤ μg there."""
    size, place = len(rest), {i: n for n, i in enumerate(rest)}
    if not size:
        return {}
    matrix = fmpq_mat(size, size)
    for i, n in place.items():
        matrix[n, n] = fmpq(1)
        for k, p in rows[i].items():
            if k in place:
                matrix[n, place[k]] = matrix[n, place[k]] - to_flint(p / rate)
    try:
        solved = matrix.solve(fmpq_mat(size, 1, [1] * size))
    except ZeroDivisionError:
        return None
    found = {i: to_fraction(solved[n, 0]) for i, n in place.items()}
    return found if all(value > 0 for value in found.values()) else None
