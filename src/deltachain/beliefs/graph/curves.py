"""The exact curves of privacy-loss distributions: δ(α) over all α ≥ 1, trade-off functions, posteriors.

Each direction of a pair has δ(α) = Σ max(x − αy, 0), which is convex and piecewise linear in α = e^ε
(docs/theory/beliefs.md, all ε at once); the worst of several is the largest of such functions, and so again convex and
piecewise linear. The trade-off
function T(a), the least false-negative rate of a test whose false-positive rate is a [Dong, Roth, Su 2022], is convex
and piecewise linear with corners where the outcomes, most telling first, are added up [Neyman, Pearson 1933].
All numbers are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ...cancel import spend
from ...numbers.field import Exact
from ...numbers.fraction import ExpEpsilon
from .losses import PrivacyLosses, total

ZERO, ONE = Fraction(0), Fraction(1)
UNIT = 2**64
"""Lines of a picture are rounded to multiples of 1/UNIT."""


@dataclass(frozen=True, slots=True)
class Piece:
    """δ(α) = constant − slope·α for α from ``begin`` to ``end`` (None: for ever)."""

    begin: Exact
    end: Exact | None
    constant: Exact
    slope: Exact

    def at(self, alpha: Exact) -> Exact:
        """δ at an α of the piece."""
        return self.constant - self.slope * alpha


def delta_pieces(distributions: Iterable[PrivacyLosses]) -> tuple[Piece, ...]:
    """The worst pair's δ(α) for α ≥ 1, by increasing α, neighbouring pieces of one line joined."""
    sides = [
        side
        for losses in distributions
        for side in (
            [(o.first, o.second) for o in losses.outcomes],
            [(o.second, o.first) for o in losses.outcomes],
        )
    ]
    breaks: list[Exact] = sorted({ONE} | {x / y for side in sides for x, y in side if y and x > y})
    pieces: list[Piece] = []
    # Between breaks no term of any side changes sign, so every side is one line there.
    for begin, end in pairwise([*breaks, None]):
        if begin is None:  # only the last entry is
            continue
        lines = list(dict.fromkeys(_line(side, begin) for side in sides))
        pieces += _upper_envelope(lines, begin, end)
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and (last.constant, last.slope) == (piece.constant, piece.slope):
            joined[-1] = Piece(last.begin, piece.end, piece.constant, piece.slope)
        else:
            joined.append(piece)
    return tuple(joined)


def _line(side: Sequence[tuple[Exact, Exact]], begin: Exact) -> tuple[Exact, Exact]:
    """(constant, slope) of Σ max(x − αy, 0) on the piece to the right of ``begin``: of the terms still positive."""
    spend(30 * len(side))
    active = [(x, y) for x, y in side if x > begin * y]
    return total(x for x, _ in active), total(y for _, y in active)


def _upper_envelope(lines: Sequence[tuple[Exact, Exact]], begin: Exact, end: Exact | None) -> Iterable[Piece]:
    """The largest of the lines from ``begin`` to ``end``, from left to right: slopes get flatter."""
    at = begin
    # Of lines that meet here the flattest is the largest from here on.
    constant, slope = max(lines, key=lambda line: (line[0] - line[1] * at, -line[1]))
    while True:
        crossings = [
            ((constant - c) / (slope - s), s, c) for c, s in lines if s < slope and (constant - c) / (slope - s) > at
        ]
        # Where several lines cross at one place, the flattest is the largest after it, and the others are never again.
        crossing = min(crossings, default=None, key=lambda found: found[:2])
        if crossing is None or (end is not None and crossing[0] >= end):
            yield Piece(at, end, constant, slope)
            return
        yield Piece(at, crossing[0], constant, slope)
        at, slope, constant = crossing


def implied_tradeoff(bounds: Iterable[tuple[ExpEpsilon, Fraction]]) -> list[tuple[Exact, Exact]]:
    """The corners of a lower bound of every trade-off function that δ ≤ upper at each e^ε allows [WZ10; DRS22, eq. 5].

    It is the greatest of the lines 1 − δ − e^ε·a and (1 − δ − a)/e^ε, so that between two corners it is one of them.
    """
    # e^ε ≤ above, and both lines fall as e^ε grows: taken at ``above`` they are lower bounds. So are lines of smaller
    # height and larger slope: those of few digits will do for a picture.
    lines = {(ZERO, ZERO): None}
    for at, upper in bounds:
        for height, slope in ((1 - upper, at.above), ((1 - upper) / at.above, 1 / at.above)):
            lines[Fraction(math.floor(height * UNIT), UNIT), Fraction(math.ceil(slope * UNIT), UNIT)] = None
    pieces = list(_upper_envelope(list(lines), ZERO, ONE))
    return [*((piece.begin, piece.at(piece.begin)) for piece in pieces), (ONE, pieces[-1].at(ONE))]


@dataclass(frozen=True, slots=True)
class Posterior:
    """An outcome's probability from either state, and the belief in "first" of a watcher who has seen it."""

    first: Exact
    second: Exact
    belief: Exact


def posteriors(losses: PrivacyLosses, prior: Fraction) -> tuple[Posterior, ...]:
    """Bayes' rule for each outcome; ``prior`` is the watcher's belief in "first" before, between 0 and 1."""
    found = []
    for o in losses.outcomes:
        seen = prior * o.first + (1 - prior) * o.second
        if seen:
            found.append(Posterior(o.first, o.second, prior * o.first / seen))
    return tuple(found)


def right_guess(losses: PrivacyLosses, prior: Fraction) -> Exact:
    """The probability that the best guess of a watcher with this prior is right."""
    return total(max(prior * o.first, (1 - prior) * o.second) for o in losses.outcomes)
