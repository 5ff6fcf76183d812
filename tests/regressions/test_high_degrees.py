"""Functions of e of high degree: where exactness costs too much, numbers are enclosed, and a note says so."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import delta
from deltachain.errors import InputError
from deltachain.loading import load_with_notes
from deltachain.model import BallRow
from deltachain.programs import program
from tests.words import says

SECRETS = [{"x": 0}, {"x": 1}]


def shifted(by: int) -> str:
    return f"def main(x):\n    announce(x * {by} + discrete_laplace(1))\n"


@pytest.mark.parametrize("epsilon", ["1/30", "1/7"])
def test_noise_that_is_shifted_far_is_enclosed(epsilon: str) -> None:
    chain, notes = program(shifted(1000)).chain_with_notes(SECRETS)
    assert any(says(note, "enclosed: powers of") for note in notes)
    found = delta(chain, epsilon=epsilon)
    assert 1 - found.lower < Fraction(1, 10**20)


def test_an_epsilon_whose_powers_are_too_high_is_enclosed() -> None:
    chain, notes = program(shifted(400)).chain_with_notes(SECRETS)
    assert any(says(note, "exact, as functions") for note in notes)
    found = delta(chain, epsilon="1/60")
    assert 1 - found.lower < Fraction(1, 10**40)


@pytest.mark.slow
def test_formulas_of_high_degree_in_a_file_are_enclosed(tmp_path: Path) -> None:
    long = "(1+exp(1))^9000/(2+exp(1))^9000"
    states = {
        "a": {"label": "s", "to": {"h": long, "t": f"1-{long}"}},
        "b": {"label": "s", "to": {"h": "1/2", "t": "1/2"}},
        "h": {"label": "h", "to": {"h": 1}},
        "t": {"label": "t", "to": {"t": 1}},
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["a", "b"]]}))
    loaded = load_with_notes(path)
    assert "probabilities are enclosed: powers of e are too long" in loaded.notes
    row = loaded.chain.given[0][0]
    assert isinstance(row, BallRow)
    assert delta(loaded.chain, epsilon=1).upper == Fraction(1, 2)
    # Enclosed or not, a row that does not sum to 1 is refused.
    states["a"]["to"]["t"] = f"1-{long}-exp(-20)"  # type: ignore[index]
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["a", "b"]]}))
    with pytest.raises(InputError, match="does not sum to 1"):
        load_with_notes(path)
