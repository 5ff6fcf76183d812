"""Sentences of the checker for people: rounded outward, and never taken apart wrongly."""

from __future__ import annotations

import pytest

from deltachain.results.claims import rounded_claim

THIRD = "6004799503160661/18014398509481984"
NAMED = "delta of (x = 1/2 at exp_epsilon 3, 0 ≤ y)"
SIDES = "at exp_epsilon 3/2 (lower side) and 4/3 (upper side)"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (f"{THIRD} ≤ delta of (s, t) ≤ 1 at exp_epsilon 2", "0.333333 ≤ delta of (s, t) ≤ 1 at e^ε = 2"),
        ("1/3 ≤ bd(s, t) ≤ 2/3 at exp_epsilon exp(1/2)", "0.333333 ≤ bd(s, t) ≤ 0.666667 at e^ε = exp(1/2)"),
        (f"0 ≤ delta of (s, t) ≤ 1/2 {SIDES}", "0 ≤ delta of (s, t) ≤ 0.5 at e^ε ≈ 1.33333"),
        (
            "bd(s, t) = (-exp(1/2)+exp(1))/(1+exp(1)) at exp_epsilon exp(1/2)",
            "bd(s, t) = (-exp(1/2)+exp(1))/(1+exp(1)) ≈ 0.287649 at e^ε = exp(1/2)",
        ),
        ("(1)/(exp(3)+exp(4)) ≤ sd(s, t) ≤ exp(-1)", "0.0133898 ≤ sd(s, t) ≤ 0.36788"),
        ("bd(s, t) = (1)/(exp(1)-exp(1))", "bd(s, t) = (1)/(exp(1)-exp(1))"),
        ("bd(exp(1) ≤ s, t = exp(1)) = exp(-1)", "bd(exp(1) ≤ s, t = exp(1)) = 1/exp(1) ≈ 0.367879"),
        # A name may look like a part of the sentence.
        (f"0 ≤ {NAMED} ≤ 1/2 at exp_epsilon 2", f"0 ≤ {NAMED} ≤ 0.5 at e^ε = 2"),
        (f"{NAMED} = 1/2 at exp_epsilon 2", f"{NAMED} = 1/2 = 0.5 at e^ε = 2"),
        # What is not understood is left as it is.
        ("accepted; it claims nothing", "accepted; it claims nothing"),
        ("1/0 ≤ delta of (s, t) ≤ 1 at exp_epsilon 2", "1/0 ≤ delta of (s, t) ≤ 1 at exp_epsilon 2"),
    ],
)
def test_rounded_claims(sentence: str, shown: str) -> None:
    assert rounded_claim(sentence) == shown
