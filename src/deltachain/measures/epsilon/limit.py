"""Ratios that no word reaches, and words come to: how small e^ε cannot be for δ = 0 (docs/theory/divergences.md).

Often the words of the largest ratios go round in a circle, u, uv, uvv, …, and their ratios come to a limit. Where P_v
has one largest eigenvalue λ, with P_v r = λr, P_v^n·1/λ^n comes to a positive multiple of r, so that the ratio of s to
t comes to x_u·r/y_u·r, and every smaller e^ε is refuted. If λ is rational, so is r, and the limit is exact.

What is asked of P_v is what the checker can see: vectors z_k and a matrix C with 1 = r + Σ a_k z_k and
P_v z_k = Σ C_kl z_l, and g > 0 and μ < λ with |C|g ≤ μg. Then P_v^n (1 − r) is at most a constant times μ^n. The z_k
are a basis of what l does not see, where l P_v = λl; the more often the cycle goes round, the smaller is |C| beside λ.
Floats choose λ and g; all else is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...cancel import spend
from ...model import Chain
from ...model.chain import Pair
from ...model.words import Word
from ...numbers.fraction import simplest_between
from .pump import NEAR, PumpMasses, PumpRows, after, eigenvector, powers
from .ratio import RatioWord

MOST_STATES = 60
"""That the words come to: of more, no eigenvector is looked for."""
MOST_ROUNDS = 12
"""Of the cycle, until what does not stay falls behind."""
GUESSES, FLOOR = 60, 1e-6
"""Steps by which sizes are guessed in floats, and the least of them beside the largest."""


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
        falling: what falls behind.
    """

    pair: Pair
    direction: int
    prefix: Word
    cycle: Word
    ratio: Fraction
    factor: Fraction
    vector: PumpMasses
    falling: Falling


@dataclass(frozen=True, slots=True)
class Falling:
    """Why P_v^n (1 − r) falls behind λ^n: 1 − r is Σ a_k z_k.

    Attributes:
        rest: the vectors z_k.
        one: a.
        matrix: C, with P_v z_k = Σ C_kl z_l.
        sizes: g.
        rate: μ, with |C|g ≤ μg.
    """

    rest: list[PumpMasses]
    one: list[Fraction]
    matrix: list[list[Fraction]]
    sizes: list[Fraction]
    rate: Fraction


def beyond(chain: Chain, states: Pair, word: RatioWord) -> RatioWord | RatioLimit:
    """The limit of the words that go round in a circle as this one does, if one is proved that is above its ratio.

    Its states are given as those of the chain, which is the quotient.
    """
    circle = word.circle()
    limit = None if circle is None else _limit(chain, word.order(states), word, *circle)
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
    above, below = (sum((mass * vector.get(i, 0) for i, mass in belief.items()), Fraction(0)) for belief in (x, y))
    left = eigenvector(_transpose(rows), factor)
    if left is None or not (above and below):
        return None
    for rounds in range(1, MOST_ROUNDS + 1):
        spend(len(rows) ** 3)
        falling = _sort_falling(powers(chain, {**x, **y}, cycle * rounds), vector, left, factor**rounds)
        if falling is not None:
            scale = sum(left.values(), Fraction(0)) / _product(left, vector)
            vector = {i: mass * scale for i, mass in vector.items()}
            ratio = above / below
            return RatioLimit(word.pair, word.direction, prefix, cycle * rounds, ratio, factor**rounds, vector, falling)
    return None


def _sort_falling(rows: PumpRows, vector: PumpMasses, left: PumpMasses, factor: Fraction) -> Falling | None:
    """What l does not see, if it falls behind λ^n at once."""
    scale = sum(left.values(), Fraction(0)) / _product(left, vector)  # for which l sees r as it sees 1
    pivot = max(left, key=lambda i: left[i])
    states = [i for i in rows if i != pivot]
    rest = [{i: Fraction(1)} | ({pivot: -left[i] / left[pivot]} if i in left else {}) for i in states]
    # Each vector is known by its entries beside the pivot, as every z_k is 1 at one state of its own.
    matrix = [[_product(rows[i], z) for i in states] for z in rest]
    one = [1 - scale * vector.get(i, 0) for i in states]
    sizes = _sizes(matrix, float(factor))
    products = (sum((abs(c) * g for c, g in zip(line, sizes, strict=True)), Fraction(0)) for line in matrix)
    rate = max((image / g for image, g in zip(products, sizes, strict=True)), default=Fraction(0))
    return Falling(rest, one, matrix, sizes, rate) if rate < factor else None


def _sizes(matrix: list[list[Fraction]], factor: float) -> list[Fraction]:
    """Numbers g > 0 for which |C|g/g is about as small as it can be, by powers of |C| in floats."""
    numbers = np.abs(np.array([[float(c) for c in line] for line in matrix])).reshape(len(matrix), len(matrix))
    sizes = np.ones(len(matrix))
    for _ in range(GUESSES if matrix else 0):
        sizes = numbers @ sizes / factor + sizes / 1000 + FLOOR
        sizes = np.maximum(sizes / sizes.max(), FLOOR)
    return [Fraction(float(g)).limit_denominator(10**6) for g in sizes]


def _product(row: PumpMasses, column: PumpMasses) -> Fraction:
    return sum((mass * column[i] for i, mass in row.items() if i in column), Fraction(0))


def _transpose(rows: PumpRows) -> PumpRows:
    found: PumpRows = {i: {} for i in rows}
    for i, row in rows.items():
        for k, p in row.items():
            found[k][i] = p
    return found
