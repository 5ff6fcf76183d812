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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

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
    """The worst pair's δ(α) for α ≥ 1, by increasing α: the largest line of those of all tests, and of 0."""
    lines = {(gain, loss): None for losses in distributions for way in losses.curve.lines for gain, loss in way}
    spend(30 * len(lines))
    return tuple(_upper_envelope(list(lines), ONE, None))


def _upper_envelope(lines: Iterable[tuple[Exact, Exact]], begin: Exact, end: Exact | None) -> Iterator[Piece]:
    """The largest of the lines constant − slope·α from ``begin`` to ``end``, from left to right: slopes get flatter."""
    hull: list[tuple[Exact, Exact, Exact]] = []  # (constant, slope, from where on it is the largest), by falling slope
    for constant, slope in sorted(lines, key=lambda line: (line[1], -line[0]), reverse=True):
        at = begin
        while hull:
            before, steeper, since = hull[-1]
            if steeper > slope:
                at = max((before - constant) / (steeper - slope), begin)
                if at > since:
                    break
                at = begin
            hull.pop()  # nowhere the largest, or nowhere any more
        hull.append((constant, slope, at))
    for (constant, slope, at), following in zip(hull, [*hull[1:], None], strict=True):
        if end is not None and at >= end:
            return
        last = end if following is None or (end is not None and following[2] >= end) else following[2]
        yield Piece(at, last, constant, slope)


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
    """An outcome's probability from either state, and the belief in "first" of an observer who has seen it."""

    first: Exact
    second: Exact
    belief: Exact


def posteriors(losses: PrivacyLosses, prior: Fraction) -> tuple[Posterior, ...]:
    """Bayes' rule for each outcome; ``prior`` is the observer's belief in "first" before, between 0 and 1."""
    found = []
    for o in losses.outcomes:
        seen = prior * o.first + (1 - prior) * o.second
        if seen:
            found.append(Posterior(o.first, o.second, prior * o.first / seen))
    return tuple(found)


def right_guess(losses: PrivacyLosses, prior: Fraction) -> Exact:
    """The probability that the best guess of an observer with this prior is right."""
    return total(max(prior * o.first, (1 - prior) * o.second) for o in losses.outcomes)
