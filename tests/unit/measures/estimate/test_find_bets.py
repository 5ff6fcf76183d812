"""Bets: what is given up is given up in exact arithmetic too, and not more often than stated, however one looks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.measures.estimate.find import Bets, lower_mean, plan_bets
from tests.amounts import fewer_or_all, part_of

LAWS = {
    "coin": lambda stream, size: (stream.random(size) < 0.3).astype(float),
    "rare": lambda stream, size: (stream.random(size) < 0.02).astype(float),
    "nearly-sure": lambda stream, size: (stream.random(size) < 0.98).astype(float),
    "spread": lambda stream, size: stream.random(size) ** 2,
    "constant": lambda _, size: np.full(size, 0.4),
}
MEANS = {"coin": 0.3, "rare": 0.02, "nearly-sure": 0.98, "spread": 1 / 3, "constant": 0.4}


def exact_wealth(values: list[float], mean: Fraction, bets: Bets) -> Fraction:
    """What the gamblers own, by the definition."""
    total = Fraction(0)
    for share, weight in zip(bets.share.tolist(), bets.weight.tolist(), strict=True):
        wealth = Fraction(weight)
        for value in values:
            wealth *= 1 - Fraction(share) + Fraction(share) * Fraction(value) / mean
        total += wealth
    return total


@settings(max_examples=part_of(60), deadline=None)
@given(
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=60),
    st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**6)]),
    st.floats(0, 1),
)
def test_what_is_given_up_is_given_up_exactly(values: list[float], error: Fraction, guess: float) -> None:
    bets = plan_bets(np.array([guess, guess / 2]), len(values), float(error))
    assert sum(map(Fraction, bets.weight.tolist())) == 1
    low = lower_mean(np.array(values), error, bets)
    assert low <= sum(map(Fraction, values)) / len(values)
    if low > 0:
        assert exact_wealth(values, low, bets) >= 1 / error
        assert exact_wealth(values, low / 2, bets) >= exact_wealth(values, low, bets)


@pytest.mark.parametrize("law", LAWS)
@fewer_or_all("runs, most", (200, 37), (400, 65))
def test_no_more_misses_than_stated_though_one_looks_all_the_time(law: str, runs: int, most: int) -> None:
    """Runs at error 1/10, each looked at ten times: a run misses if any look does."""
    stream, misses, looks = np.random.default_rng(7), 0, (10, 20, 40, 60, 80, 100, 150, 200, 300, 400)
    error, widths = Fraction(1, 10), []
    for _ in range(runs):
        bets = plan_bets(LAWS[law](stream, 60), 400, float(error))
        values = LAWS[law](stream, 400)
        bounds = [lower_mean(values[:look], error, bets) for look in looks]
        misses += any(bound > MEANS[law] for bound in bounds)
        widths.append(MEANS[law] - float(bounds[-1]))
    # A tenth is expected at most; 38 of 200, or 66 of 400, would have a probability below 1e-4.
    assert misses <= most
    spread = float(LAWS[law](stream, 10_000).std())
    assert np.mean(widths) <= 4 * spread / np.sqrt(400) + 0.015


def test_a_naive_interval_would_miss_more() -> None:
    """The check above can fail: mean − 1.28σ/√n, right at one look, misses too often over ten."""
    stream, misses = np.random.default_rng(7), 0
    for _ in range(1000):
        values = LAWS["coin"](stream, 400)
        looks = [values[:look] for look in (10, 20, 40, 60, 80, 100, 150, 200, 300, 400)]
        misses += any(v.mean() - 1.28 * v.std() / np.sqrt(len(v)) > 0.3 for v in looks)
    assert misses > 200


def test_nothing_is_said_of_nothing() -> None:
    bets = plan_bets(np.empty(0), 10, 0.1)
    assert lower_mean(np.empty(0), Fraction(1, 10), bets) == 0
    assert lower_mean(np.zeros(50), Fraction(1, 10), bets) == 0
    assert lower_mean(np.ones(50), Fraction(1, 2**200), bets) == 0


def test_long_runs_neither_overflow_nor_vanish() -> None:
    ones = np.ones(200_000)
    low = lower_mean(ones, Fraction(1, 1000), plan_bets(ones[:50], len(ones), 1e-3))
    assert Fraction(999, 1000) < low < 1
    rare = np.zeros(200_000)
    rare[:3] = 1e-12
    assert 0 <= lower_mean(rare, Fraction(1, 1000), plan_bets(rare[:50], len(rare), 1e-3)) < Fraction(1, 10**12)
