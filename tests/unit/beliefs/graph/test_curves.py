"""Exact curves of privacy-loss distributions against their definitions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from deltachain.beliefs.graph.curves import delta_pieces, implied_tradeoff, posteriors, right_guess
from deltachain.beliefs.graph.losses import Loss, PrivacyLosses, collect_losses
from deltachain.numbers.fraction import ExpEpsilon


def losses(seed: int, count: int = 6) -> PrivacyLosses:
    """A random distribution: outcomes by increasing ratio, both sides summing to one, zeros among them."""
    draw = random.Random(seed)
    first, second = ([draw.choice([0, *range(1, 9)]) for _ in range(count)] for _ in range(2))
    first[0], second[-1] = first[0] or 1, second[-1] or 1
    shares = [(Fraction(x, sum(first)), Fraction(y, sum(second))) for x, y in zip(first, second, strict=True) if x or y]
    return PrivacyLosses(tuple(Loss(x, y) for x, y in sorted(shares, key=lambda s: s[0] / (s[0] + s[1]))))


@pytest.mark.parametrize("seed", range(30))
def test_pieces_are_the_curve(seed: int) -> None:
    known = [losses(seed), losses(seed + 1000)]
    pieces = delta_pieces(known)
    assert pieces[0].begin == 1
    assert pieces[-1].end is None
    for before, after in pairwise(pieces):
        assert before.end == after.begin
        assert before.at(after.begin) == after.at(after.begin)
        assert before.slope > after.slope, "convex, and neighbours are different lines"
    for piece in pieces:
        end = piece.begin + 3 if piece.end is None else piece.end
        for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
            alpha = piece.begin + share * (end - piece.begin)
            assert piece.at(alpha) == max(one.curve.delta(alpha) for one in known)


@pytest.mark.parametrize("seed", range(20))
def test_the_tradeoff_falls_is_convex_and_agrees_with_delta(seed: int) -> None:
    one = losses(seed)
    corners = one.tests
    assert corners[0] == (0, 1)
    assert corners[-1] == (1, 0)
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(corners) if c > a]
    assert slopes == sorted(slopes)
    assert max(1 - a - b for a, b in corners) == one.curve.delta(Fraction(1)), "the variation distance"


@pytest.mark.parametrize("seed", range(20))
def test_no_test_is_below_what_the_bounds_imply(seed: int) -> None:
    one = losses(seed)
    grid = [ExpEpsilon.read(epsilon=Fraction(i, 4)) for i in range(9)]
    implied = implied_tradeoff([(at, one.curve.delta(at.below)) for at in grid])
    corners = one.tests
    assert (implied[0][0], implied[-1][0]) == (0, 1)
    assert implied == sorted(implied, key=lambda corner: corner[0])
    for rate in sorted({*(rate for rate, _ in implied), *(Fraction(i, 333) for i in range(334))}):
        assert height(implied, rate) <= height(corners, rate), "on the straight lines between its corners, too"


def test_pieces_where_three_lines_cross_at_one_place() -> None:
    """The flattest of them is the largest afterwards; the one between was taken, and the curve was too low."""
    shares = [(Fraction(x, 10), Fraction(y, 10)) for x, y in ((3, 1), (5, 2), (7, 3))]
    pairs = [collect_losses([(x, y), (1 - x, 1 - y)]) for x, y in shares]
    pieces = delta_pieces(pairs)
    for alpha in (Fraction(k, 10) for k in range(10, 40)):
        (piece,) = (p for p in pieces if p.begin <= alpha and (p.end is None or alpha < p.end))
        assert piece.constant - piece.slope * alpha == max(losses.curve.delta(alpha) for losses in pairs), alpha


@pytest.mark.sample(6)
@pytest.mark.parametrize("percent", range(2, 50, 4))
def test_the_implied_trade_off_has_no_notch(percent: int) -> None:
    """It is the greatest of its lines at every rate; here all pass by one corner."""
    p = Fraction(percent, 100)
    grid = [ExpEpsilon.read(epsilon=Fraction(i, 10)) for i in range(40)]
    bounds = [(at, max(1 - p - at.below * p, Fraction(0))) for at in grid]
    implied = implied_tradeoff(bounds)
    lines = [line for at, upper in bounds for line in ((1 - upper, at.above), ((1 - upper) / at.above, 1 / at.above))]
    for rate in (Fraction(i, 200) for i in range(201)):
        best = max(Fraction(0), *(h - s * rate for h, s in lines))
        assert best - Fraction(1, 10**12) <= height(implied, rate) <= best


def height(corners: Sequence[tuple[Fraction, Fraction]], rate: Fraction) -> Fraction:
    """The least value at a rate of the straight lines through corners."""
    found = []
    for (a, b), (c, d) in pairwise(corners):
        if a <= rate <= c:
            found.append(min(b, d) if a == c else b + (d - b) * (rate - a) / (c - a))
    return min(found)


def test_posteriors_follow_bayes() -> None:
    survey = PrivacyLosses((Loss(Fraction(1, 4), Fraction(3, 4)), Loss(Fraction(3, 4), Fraction(1, 4))))
    assert [p.belief for p in posteriors(survey, Fraction(1, 2))] == [Fraction(1, 4), Fraction(3, 4)]
    assert [p.belief for p in posteriors(survey, Fraction(1, 10))] == [Fraction(1, 28), Fraction(1, 4)]
    assert right_guess(survey, Fraction(1, 2)) == Fraction(3, 4)
    assert right_guess(survey, Fraction(1, 10)) == Fraction(9, 10)
    for prior in (Fraction(1, 2), Fraction(1, 7)):
        least = min(prior, 1 - prior)
        assert right_guess(survey, prior) <= 1 - least + least * survey.curve.delta(Fraction(1))
    assert math.isclose(float(survey.curve.delta(Fraction(1))), 0.5)
