"""Limits for a probability: against their definitions in exact arithmetic, all that may happen, and scipy."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.proportions import Totals, limits, lower_limit
from tests.amounts import part_of

F = Fraction
ERRORS = [F(9, 10), F(1, 20), F(1, 3000)]
BOTH: list[Totals] = ["fixed", "random"]


def binomial(n: int, k: int, p: Fraction) -> Fraction:
    return comb(n, k) * p**k * (1 - p) ** (n - k)


def inside(k: int, n: int, p: Fraction, error: Fraction, totals: Totals) -> bool:
    """Whether p is in the set, by its definition."""
    if totals == "random":
        return (n + 1) * binomial(n, k, p) > error
    above = sum(binomial(n, j, p) for j in range(k, n + 1))
    below = sum(binomial(n, j, p) for j in range(k + 1))
    return min(above, below) > error / 2


@pytest.mark.parametrize("totals", BOTH)
@settings(max_examples=part_of(150), deadline=None)
@given(st.data())
def test_the_limits_are_just_outside_the_set(totals: Totals, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    k = data.draw(st.integers(0, n))
    error = data.draw(st.sampled_from(ERRORS) | st.fractions(F(1, 10**9), F(99, 100)))
    lo, hi = limits(k, n, error, totals)
    assert 0 <= lo <= F(k, n) <= hi <= 1
    near = (hi - lo) / 10**9
    for end, further in ((lo, near), (hi, -near)):
        if 0 < end < 1:
            assert not inside(k, n, end, error, totals)
        # An end that is taken as 0 or 1 is close to the set too, and a little further in is inside it.
        assert inside(k, n, end + further, error, totals)


@pytest.mark.parametrize("error", [F(1, 5), F(1, 100)])
@pytest.mark.parametrize("n", [1, 7, 30])
def test_at_a_fixed_total_the_interval_misses_with_at_most_the_error(n: int, error: Fraction) -> None:
    found = [limits(k, n, error, "fixed") for k in range(n + 1)]
    for p in (F(j, 97) for j in range(98)):
        missed = sum(binomial(n, k, p) for k, (lo, hi) in enumerate(found) if not lo <= p <= hi)
        assert missed <= error


def missed_by(stop: int, p: Fraction, error: Fraction, totals: Totals) -> Fraction:
    """The probability that at some time up to ``stop`` the interval misses p: all histories, by dynamic programming."""
    alive = {0: F(1)}
    missed = F(0)
    for n in range(1, stop + 1):
        following: dict[int, Fraction] = {}
        for k, chance in alive.items():
            for more, part in ((1, p), (0, 1 - p)):
                following[k + more] = following.get(k + more, F(0)) + chance * part
        alive = {}
        for k, chance in following.items():
            lo, hi = limits(k, n, error, totals)
            if lo <= p <= hi:
                alive[k] = chance
            else:
                missed += chance
    return missed


@pytest.mark.parametrize("p", [F(0), F(1, 50), F(3, 10), F(1, 2), F(9, 10), F(1)])
def test_at_random_totals_no_rule_to_stop_misses_more_often(p: Fraction) -> None:
    assert missed_by(60, p, F(1, 10), "random") <= F(1, 10)


def test_a_fixed_total_is_not_for_those_who_stop_when_they_like() -> None:
    assert missed_by(60, F(1, 2), F(1, 10), "fixed") > F(1, 10)


@pytest.mark.parametrize(("k", "n"), [(3, 10), (100, 10_000), (5625, 10_000), (562_500, 10**6), (1, 10**9)])
@pytest.mark.parametrize("error", [F(1, 2000), F(1, 10**9)])
def test_fixed_totals_agree_with_quantiles_of_scipy(k: int, n: int, error: Fraction) -> None:
    stats = pytest.importorskip("scipy.stats")
    lo, hi = limits(k, n, error, "fixed")
    wanted = stats.beta.ppf(float(error / 2), k, n - k + 1), stats.beta.isf(float(error / 2), k + 1, n - k)
    assert float(lo) == pytest.approx(wanted[0], abs=1e-9 * (k / n))
    assert float(hi) == pytest.approx(wanted[1], rel=1e-9)


@pytest.mark.parametrize("totals", BOTH)
@pytest.mark.parametrize("k", [1, 3, 12_345, 10**7, 5 * 10**8, 10**9 - 2, 10**9])
@pytest.mark.parametrize("error", [F(1, 2), F(1, 10**12)])
def test_a_billion_trials(k: int, totals: Totals, error: Fraction) -> None:
    """By another way to the same functions: the incomplete beta function of arb, and binomials as gamma functions."""
    n = 10**9
    low = lower_limit(k, n, error, totals)
    closer = low + (F(k, n) - low) / 10**7
    with ctx.workprec(256):
        for p, outside in ((low, True), (closer, False)):
            x = arb(fmpq(p.numerator, p.denominator))
            if totals == "fixed":
                share = x.beta_lower(k, n - k + 1, regularized=True) * fmpq(*(2 / error).as_integer_ratio())
            else:
                log = arb(n + 2).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
                share = (log + k * x.log() + (n - k) * (1 - x).log()).exp() / fmpq(*error.as_integer_ratio())
            assert low == 0 or ((share <= 1) if outside else (share > 1))


@pytest.mark.parametrize("totals", BOTH)
def test_limits_follow_the_counts_and_the_error(totals: Totals) -> None:
    found = [limits(k, 50, F(1, 100), totals) for k in range(51)]
    assert found == sorted(found)
    assert [hi for _, hi in found] == sorted(hi for _, hi in found)
    assert [(1 - hi, 1 - lo) for lo, hi in reversed(found)] == found
    widths = [hi - lo for lo, hi in (limits(30, 50, F(1, 10**e), totals) for e in range(1, 13))]
    assert widths == sorted(widths)
    narrower = [hi - lo for lo, hi in (limits(3 * m, 5 * m, F(1, 100), totals) for m in (2, 20, 200, 2000))]
    assert narrower == sorted(narrower, reverse=True)


def test_random_totals_cost_some_width() -> None:
    fixed, random = (limits(5000, 10_000, F(1, 2000), totals) for totals in BOTH)
    assert random[0] < fixed[0] < fixed[1] < random[1]
    assert 1.3 < (random[1] - random[0]) / (fixed[1] - fixed[0]) < 1.5


def test_nothing_is_known_without_trials_and_the_ends_stay_possible() -> None:
    for totals in BOTH:
        assert limits(0, 0, F(1, 100), totals) == (0, 1)
        assert limits(0, 9, F(1, 100), totals)[0] == 0
        assert limits(9, 9, F(1, 100), totals)[1] == 1


def test_ends_are_short() -> None:
    for k in range(1000, 1200):
        for end in limits(k, 10_007, F(1, 7919), "random"):
            assert end.denominator.bit_count() == 1
            assert end.denominator.bit_length() <= 52
