"""Functions of e of high degree: where exactness costs too much, numbers are enclosed, and a note says so."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain import delta
from deltachain.programs import program

SECRETS = [{"x": 0}, {"x": 1}]


def shifted(by: int) -> str:
    return f"def main(x):\n    announce(x * {by} + discrete_laplace(1))\n"


@pytest.mark.parametrize("epsilon", ["1/30", "1/7"])
def test_noise_that_is_shifted_far_is_enclosed(epsilon: str) -> None:
    chain, notes = program(shifted(1000)).chain_with_notes(SECRETS)
    assert any("enclosed: powers of e are too long" in note for note in notes)
    found = delta(chain, epsilon=epsilon)
    assert 1 - found.lower < Fraction(1, 10**20)


def test_an_epsilon_whose_powers_are_too_high_is_enclosed() -> None:
    chain, notes = program(shifted(400)).chain_with_notes(SECRETS)
    assert any("exact, as functions of e" in note for note in notes)
    found = delta(chain, epsilon="1/60")
    assert 1 - found.lower < Fraction(1, 10**40)
