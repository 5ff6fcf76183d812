"""The keys that every JSON document has, in their order."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from deltachain import Chain, __version__
from deltachain.model import Loaded
from deltachain.numbers.fraction import ExpEpsilon
from deltachain.results.document import document, render_document

MODEL = Loaded(Chain.from_rows([["1/2", "1/2"], [0, 1]], ["a", "é"]), "model.json")


def test_common_keys() -> None:
    whole = document("deltachain.trace/2", {"own": 1}, model=MODEL, seconds=1.23456)
    assert list(whole) == ["schema", "version", "model", "assumes", "own", "seconds"]
    assert whole["version"] == __version__
    assert whole["seconds"] == 1.235
    assert whole["model"] == {
        "source": "model.json",
        "sha256": MODEL.chain.sha256,
        "states": 2,
        "transitions": 3,
        "labels": 2,
    }


def test_an_exact_alpha_is_one_key() -> None:
    alpha = Fraction(3, 2)
    whole = document("x", {}, exp_epsilon=ExpEpsilon(alpha, alpha), seconds=0)
    assert whole["exp_epsilon"] == {"exact": "3/2", "approx": 1.5}
    assert "epsilon" not in whole


def test_an_epsilon_brings_its_two_bounds_rounded_outward() -> None:
    below, above = Fraction(1, 3) + 1, Fraction(2, 3) + 1
    whole = document("x", {}, exp_epsilon=ExpEpsilon(below, above, Fraction(2, 5)), seconds=0)
    assert whole["epsilon"] == {"exact": "2/5", "approx": 0.4}
    low, high = whole["exp_epsilon_below"], whole["exp_epsilon_above"]
    assert isinstance(low, dict)
    assert isinstance(high, dict)
    assert Fraction(low["approx"]) <= below
    assert Fraction(high["approx"]) >= above
    assert "exp_epsilon" not in whole


def test_a_verb_cannot_overwrite_a_common_key() -> None:
    with pytest.raises(ValueError, match="version"):
        document("x", {"version": 2}, seconds=0)


def test_text_is_ascii_and_strict_json() -> None:
    text = render_document({"label": "é≤"})
    assert text.isascii()
    assert json.loads(text) == {"label": "é≤"}
    with pytest.raises(ValueError, match="JSON"):
        render_document({"x": float("inf")})
