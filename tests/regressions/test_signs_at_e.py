"""Functions of e^(1/k) whose leading coefficient and whose value have different signs: 4 − e is written X − 4."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from deltachain import Chain, check, delta, epsilon, load, verify
from deltachain.model.scaled import PolynomialRows
from deltachain.numbers.exponential import read_exponential, sign_at
from deltachain.programs import program

NEGATIVE = """{"format": "deltachain.chain/1", "states": {
  "a": {"label": "s", "to": {"h": "1/(4-exp(1))", "t": "(3-exp(1))/(4-exp(1))"}},
  "b": {"label": "s", "to": {"h": "1/2", "t": "1/2"}},
  "h": {"label": "h", "to": {"h": 1}}, "t": {"label": "t", "to": {"t": 1}}}}"""


@pytest.fixture
def negative(tmp_path: Path) -> Chain:
    (tmp_path / "model.json").write_text(NEGATIVE)
    return load(tmp_path / "model.json")


def test_no_bound_below_0(negative: Chain) -> None:
    """It said "PRIVATE: proved, δ ≤ -0.332788"."""
    found = check(negative, "a", "b", epsilon="0.1", delta=0)
    truth = max(0.5 - math.exp(0.1) * (3 - math.e) / (4 - math.e), 1 / (4 - math.e) - math.exp(0.1) / 2)
    assert found.verdict == "violated"
    assert abs(float(found.lower) - truth) < 1e-12
    assert abs(float(found.upper) - truth) < 1e-12
    assert verify(negative, found.certificate)
    assert epsilon(negative, "a", "b", delta=0).exp_epsilon_proved is not None


def test_numerators_and_denominator_are_positive_at_e(negative: Chain) -> None:
    denominator, rows = PolynomialRows(negative, 1).together(range(4), 0)
    assert sign_at(1, denominator) == 1
    assert {sign_at(1, top) for row in rows.values() for _, top in row} == {1}


def test_a_sign_is_that_of_the_value() -> None:
    for text, sign in (("4 - exp(1)", 1), ("2 - exp(1)", -1), ("1/(exp(1) - 4)", -1), ("(2-exp(1))/(exp(1)-4)", 1)):
        assert read_exponential(text).sign == sign, text


@pytest.mark.parametrize(
    ("line", "asked", "truth"),
    [
        # P(noise ≥ 1) against P(noise ≥ 0), for the ratio r = 2 − √e: the first differs most at 0.
        ('announce(x + geometric(2 - exp("1/2")))', "1/2", None),
        (
            "announce(choose((0, 1), weights=(3 - exp(1), 1)) if x else uniform(0, 1))",
            "0",
            0.5 - (3 - math.e) / (4 - math.e),
        ),
        # It stays with probability 1/(1 + q).
        (
            'while flip(exp("1/2") / 4):\n        x = 1 - x\n    announce(x)',
            "0",
            (1 - math.exp(0.5) / 4) / (1 + math.exp(0.5) / 4),
        ),
    ],
)
def test_programs_whose_draws_are_differences(line: str, asked: str, truth: float | None) -> None:
    chain = program(f"def f(x):\n    {line}\n").chain([{"x": 0}, {"x": 1}])
    found = delta(chain, "x=0", "x=1", epsilon=asked)
    if truth is None:
        ratio = 2 - math.exp(0.5)
        share = (1 - ratio) / (1 + ratio)

        def law(z: int) -> float:
            return share * ratio ** abs(z)

        truth = sum(max(law(z) - math.exp(0.5) * law(z - 1), 0) for z in range(-60, 61))
    assert abs(float(found.lower) - truth) < 1e-9
    assert abs(float(found.upper) - truth) < 1e-9
    assert verify(chain, found.certificate)
