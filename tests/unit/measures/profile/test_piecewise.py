"""Exact corners of convex, piecewise linear functions, from their values alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import deltachain as dc
from deltachain.measures.profile.piecewise import exact_pieces
from tests.reference.systems import probe_system

ZERO, ONE = Fraction(0), Fraction(1)


def test_the_pieces_are_the_function() -> None:
    random = Random(7)
    for _ in range(60):
        lines = [(Fraction(random.randint(1, 99), 100), Fraction(random.randint(0, 40), 100)) for _ in range(6)]
        floor = min(c - s for c, s in lines if c - s > 0) / 3 if any(c > s for c, s in lines) else ZERO

        def value(alpha: Fraction, lines: list[tuple[Fraction, Fraction]] = lines, floor: Fraction = floor) -> Fraction:
            return max(*(c - s * alpha for c, s in lines if s), floor)

        pieces = exact_pieces(value)
        assert pieces is not None
        assert pieces[0].begin == 1
        assert pieces[-1].end is None
        assert pieces[-1].slope == 0
        for one, two in pairwise(pieces):
            assert one.end == two.begin
            assert one.slope > two.slope, "convex, and neighbours differ"
        for _ in range(40):
            alpha = 1 + Fraction(random.randint(0, 10_000), 97)
            piece = next(p for p in pieces if p.end is None or alpha <= p.end)
            assert piece.at(alpha) == value(alpha)


def test_what_is_not_exact_or_takes_too_long_has_no_pieces() -> None:
    assert exact_pieces(lambda alpha: None if alpha > 3 else max(1 - alpha / 9, ZERO)) is None
    assert exact_pieces(lambda alpha: 1 / alpha, 200) is None
    assert exact_pieces(lambda alpha: max(1 - alpha / 9, ZERO), 5) is None


def test_a_curve_with_inputs_is_exact_for_every_epsilon() -> None:
    chain = probe_system()
    curve = dc.profile(chain, "s0", "s1")
    assert curve.exact
    assert curve.pieces is not None
    for alpha in (ONE, Fraction(3, 2), Fraction(2), Fraction(14, 5), Fraction(4)):
        found = dc.delta(chain, "s0", "s1", exp_epsilon=alpha)
        piece = next(p for p in curve.pieces if p.end is None or alpha <= p.end)
        assert found.lower == found.upper == piece.at(alpha)
    least, refuted = curve.epsilon(delta="1/20")
    assert least is not None
    assert refuted <= least <= refuted + Fraction(2, 10**12)
    assert dc.delta(chain, "s0", "s1", epsilon=least).upper <= Fraction(1, 20)
    assert dc.delta(chain, "s0", "s1", epsilon=refuted - Fraction(1, 10**6)).lower > Fraction(1, 20)
    assert "ln " in curve.csv(), "its corners are in the CSV"
