"""Mechanisms of the literature with real noise, from their programs to δ: reference values in fifteen digits."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.model.elimination import solve
from deltachain.numbers.precision import WEIGHT_BITS as BITS
from deltachain.programs.language.numbers import ENCLOSED, Intervals, Moves, WeightInterval

COUNTS = [{"x": 0}, {"x": 1}]
TREE = """
def counter(x):
    for size in (1, 2, 1, 4):
        announce((x if size != 1 else 0) + discrete_laplace(3))
"""


@pytest.mark.parametrize(
    ("text", "epsilon", "value", "width"),
    [
        ("def laplace(x): announce(x + discrete_laplace(10))", "0", "0.049958374957880", "1e-28"),
        ("def laplace(x): announce(x + discrete_laplace(10))", "1/20", "0.025603537098495", "1e-28"),
        ("def laplace(x): announce(x + discrete_laplace(10))", "1/10", "0", "0"),
        ("def gaussian(x): announce(x + discrete_gaussian(2))", "1/2", "0.054007223694154", "1e-30"),
        ("def gaussian(x): announce(x + discrete_gaussian(2))", "1", "0.007248776845953", "1e-30"),
        ("def response(x): announce(randomised_response(x, range(4), epsilon=1))", "1/2", "0.187042295193614", "1e-28"),
        ("def response(x): announce(randomised_response(x, range(4), epsilon=1))", "1", "0", "0"),
        ("def remainder(x): announce((x + discrete_laplace(1)) % 11)", "1", "0", "0"),
    ],
)
def test_reference_values(text: str, epsilon: str, value: str, width: str) -> None:
    found = dc.delta(dc.program(text).chain(COUNTS), epsilon=epsilon)
    half = Fraction(1, 2 * 10**15) if Fraction(value) else Fraction(0)
    assert found.upper - found.lower <= Fraction(width)
    assert Fraction(value) - half <= found.upper
    assert found.lower <= Fraction(value) + half


def test_a_small_sparse_vector() -> None:
    text = """
def sparse(answers):
    bar = discrete_laplace(4)
    for answer in answers:
        if answer + discrete_laplace(8) >= bar:
            announce("above")
            return
        announce("below")
"""
    chain = dc.program(text).chain([{"answers": (0, 1)}, {"answers": (1, 0)}])
    at_own = dc.delta(chain, epsilon="1/2")
    assert at_own.upper == 0
    assert at_own.exact
    # The direct sum over thresholds, in floats: enough to tell seven digits.
    from math import exp

    q, r = exp(-1 / 4), exp(-1 / 8)

    def law(answers: tuple[int, ...]) -> list[float]:
        words = [0.0] * (len(answers) + 1)
        for bar in range(-400, 401):
            alive = (1 - q) / (1 + q) * q ** abs(bar)
            for i, answer in enumerate(answers):
                x = bar - answer
                up = r**x / (1 + r) if x > 0 else 1 - r ** (1 - x) / (1 + r)
                words[i] += alive * up
                alive *= 1 - up
            words[-1] += alive
        return words

    one, other = law((0, 1)), law((1, 0))
    expected = max(sum(max(p - s, 0) for p, s in zip(a, b, strict=True)) for a, b in ((one, other), (other, one)))
    found = dc.delta(chain, epsilon="0")
    assert float(found.lower) == pytest.approx(expected, abs=1e-8)
    assert float(found.upper) == pytest.approx(expected, abs=1e-8)


def test_a_tree_counter_with_noise_of_two_kinds_of_nodes() -> None:
    found = dc.delta(dc.program(TREE).chain(COUNTS), epsilon="2/3")
    assert found.upper == 0
    assert found.exact


# Hidden loops of intervals.


def interval(low: str, high: str) -> WeightInterval:
    unit = 1 << BITS
    return WeightInterval(int(Fraction(low) * unit), int(Fraction(high) * unit))


def solved(moves: dict[int, Moves]) -> dict[int, dict[int, tuple[float, float]]]:
    found = Intervals().leave(moves, solve)
    assert found is not None
    unit = 1 << BITS
    return {
        c: {t: (w.low / unit, w.high / unit) for t, w in zip(of.targets, of.weights, strict=True)}
        for c, of in found.items()
    }


def test_upper_ends_that_add_up_to_less_than_one_are_solved() -> None:
    # Stay with [1/4, 1/2], leave to 7 or 8: p/(1 − s) for s in the box.
    moves = {0: Moves((0, 7, 8), (interval("1/4", "1/2"), interval("1/4", "3/8"), interval("1/4", "3/8")), 1, ENCLOSED)}
    (row,) = solved(moves).values()
    assert row[7] == pytest.approx((1 / 3, 2 / 3))  # 1 − 1/3 is less than (3/8)/(1/2) = 3/4
    assert row[7] == row[8]


def test_upper_ends_that_add_up_to_more_than_one_are_not() -> None:
    # Two configurations that may stay with up to 3/2 in the upper ends: their system has a negative solution.
    box = (interval("1/2", "3/2"), interval("1/4", "1/2"))
    moves = {0: Moves((1, 7), box, 1, ENCLOSED), 1: Moves((0, 8), box, 1, ENCLOSED)}
    found = solved(moves)
    for row in found.values():
        for low, high in row.values():
            assert 0 < low <= high <= 1
        (a, b) = row
        assert row[a][1] == pytest.approx(1 - row[b][0])


def test_a_loop_at_one_in_the_upper_ends() -> None:
    moves = {0: Moves((0, 7), (interval("1/2", "1"), interval("1/4", "1/2")), 1, ENCLOSED)}
    (row,) = solved(moves).values()
    assert row[7] == pytest.approx((0.5, 1.0))
