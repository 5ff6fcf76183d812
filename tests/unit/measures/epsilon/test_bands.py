"""Bands: what the bounds of some points prove of others, and which points are searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from deltachain import Chain, examples
from deltachain.beliefs.graph.losses import find_losses
from deltachain.beliefs.question import Budget
from deltachain.beliefs.workspace import Workspace
from deltachain.cancel import Cancel
from deltachain.measures.epsilon import bands
from deltachain.measures.epsilon.bands import Band, Known, SeesAnswer, _coarse_first, bound_band, bound_widest
from deltachain.model.chain import Pair
from deltachain.numbers.fraction import ExpEpsilon
from tests.amounts import fewer_or_all
from tests.asking import question_at
from tests.reference.random_chains import random_chain
from tests.unit.beliefs.cancelling import StoppingAfter


def band_of(
    chain: Chain,
    pairs: Sequence[Pair],
    grid: Sequence[ExpEpsilon],
    *,
    gap: Fraction | None = None,
    cancel: Cancel | None = None,
    seen: SeesAnswer | None = None,
) -> Band:
    """The band of the worst pair."""
    work = Workspace(chain, pairs)
    return bound_band(
        question_at(1, chain, pairs, gap=gap),
        work,
        grid,
        cancel or Cancel(),
        seen or (lambda _at, _answer: None),
        seen is not None,
    )


def _convex(random: Random) -> list[tuple[Fraction, Fraction]]:
    """Outcomes (x, y), each side a distribution: δ(α) = Σ max(x − αy, 0) is convex, and 1 at α = 0."""
    size = random.randint(1, 5)
    sides = [[random.randint(0, 9) for _ in range(size)] for _ in range(2)]
    sides = [[*side, 1] for side in sides]
    return [(Fraction(x, sum(sides[0])), Fraction(y, sum(sides[1]))) for x, y in zip(*sides, strict=True)]


def _delta(outcomes: list[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    return sum((max(x - alpha * y, Fraction(0)) for x, y in outcomes), Fraction(0))


@fewer_or_all("number", 75, 300)
def test_what_is_known_contains_the_curve_everywhere(number: int) -> None:
    random, sharper = Random(3), 0
    for _ in range(number):
        outcomes, known = _convex(random), Known()
        at = sorted({Fraction(random.randint(4, 40), 4) for _ in range(random.randint(1, 6))})
        for alpha in at:
            slack = Fraction(random.randint(0, 2), 100)
            beside = alpha + Fraction(random.randint(0, 1), 50)
            lower, upper = _delta(outcomes, beside) - slack, _delta(outcomes, alpha) + slack
            known.add(ExpEpsilon(alpha, beside, None), max(lower, Fraction(0)), upper)
        for alpha in (Fraction(k, 8) for k in range(8, 100)):
            truth = _delta(outcomes, alpha)
            assert known.lower(alpha) <= truth <= known.upper(alpha)
            falling = [value for place, value in known.uppers if place <= alpha]
            sharper += known.upper(alpha) < min(falling)
    assert 3 * sharper > 10 * number


@pytest.mark.parametrize("count", range(1, 30))
def test_every_point_comes_once_and_the_ends_first(count: int) -> None:
    order = _coarse_first(count)
    assert sorted(order) == list(range(count))
    assert set(order[:2]) == {0, count - 1}


def test_bands_contain_the_exact_curve() -> None:
    random, compared = Random(4), 0
    grid = [ExpEpsilon.read(epsilon=Fraction(k, 10)) for k in range(12)]
    while compared < 15:
        chain = random_chain(random, most_states=6)
        pairs = [(i, j) for i in range(len(chain)) for j in range(i) if chain.labels[i] == chain.labels[j]]
        if not pairs:
            continue
        exact = find_losses(Workspace(chain, pairs[:1]), pairs[0], Budget(2000), Cancel())
        if exact is None:
            continue
        band = band_of(chain, pairs[:1], grid, gap=Fraction(1, 20))
        for at, point in zip(grid, band.points, strict=True):
            assert point.lower <= exact.curve.delta(at.above)
            assert exact.curve.delta(at.below) <= point.upper
            assert point.upper - point.lower <= Fraction(1, 20)
        compared += 1


def test_points_between_narrow_ones_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched, search = [], bands.search
    monkeypatch.setattr(bands, "search", lambda *given: searched.append(given) or search(*given))
    chain = examples.build("sticky-sensor")
    grid = [ExpEpsilon.read(epsilon=Fraction(k, 20)) for k in range(33)]
    kept: list[ExpEpsilon] = []
    together = band_of(chain, chain.relation, grid, gap=Fraction(1, 100))
    count = len(searched)
    alone = band_of(chain, chain.relation, grid, gap=Fraction(1, 100), seen=lambda at, _: kept.append(at))
    assert all(p.reached and p.upper - p.lower <= Fraction(1, 100) for p in together.points)
    assert count < 20
    assert sorted(at.below for at in kept) == [at.below for at in grid]
    for p, q in zip(together.points, alone.points, strict=True):
        assert p.lower <= q.upper
        assert q.lower <= p.upper


def test_what_is_cut_off_says_what_the_others_prove() -> None:
    chain = examples.build("sticky-sensor")
    grid = [ExpEpsilon.read(epsilon=Fraction(k, 10)) for k in range(11)]
    band = band_of(chain, chain.relation, grid, cancel=StoppingAfter(40))
    assert band.cut_off
    missed = [p for p in band.points if not p.reached]
    assert missed
    assert all(0 <= p.lower <= p.upper <= 1 for p in missed)
    assert any(p.upper < 1 for p in missed)


def test_where_a_band_comes_down_to_a_delta() -> None:
    random, moved = Random(5), 0
    for _ in range(150):
        outcomes, known = _convex(random), Known()
        for _ in range(random.randint(1, 6)):
            alpha, slack = Fraction(random.randint(4, 40), 4), Fraction(random.randint(0, 2), 100)
            beside = alpha + Fraction(random.randint(0, 1), 50)
            lower, upper = _delta(outcomes, beside) - slack, _delta(outcomes, alpha) + slack
            known.add(ExpEpsilon(alpha, beside, None), max(lower, Fraction(0)), upper)
        delta = Fraction(random.randint(0, 50), 100)
        proved, refuted = known.prove(delta), known.refute(delta)
        assert proved is None or _delta(outcomes, proved) <= delta
        assert refuted == 1 or _delta(outcomes, refuted - Fraction(1, 10**9)) > delta
        moved += proved is not None and proved > 1 and proved not in [alpha for alpha, _ in known.uppers]
    assert moved > 20, "a chord comes down before its end"


def test_points_are_chosen_where_the_band_is_widest() -> None:
    chain = examples.sticky_sensor()
    pair = chain.number("s0"), chain.number("s1")
    question = replace(question_at(1, chain, [pair]), budget=Budget(60))
    grid, band = bound_widest(question, Workspace(chain, [pair]), Fraction(5), Cancel(), most=9)
    assert grid[0] == 0
    assert grid[-1] == 5
    assert 5 <= len(grid) == len(band.points) <= 9
    gaps = [b - a for a, b in pairwise(grid)]
    assert gaps[0] < gaps[-1], "the curve is bent near 0, and flat at the end"
    grid, band = bound_widest(question, Workspace(chain, [pair]), Fraction(5), StoppingAfter(0))
    assert (grid, band.cut_off) == ([0], True)
