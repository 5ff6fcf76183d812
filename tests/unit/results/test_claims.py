"""Accepted claims for people: rounded outward."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from deltachain.results.claims import rounded_claim
from deltachain_checker import Claim
from deltachain_checker.numbers import Formula, quotient
from tests.words import says

THIRD = Fraction(6004799503160661, 18014398509481984)
PAIR = ("s", "t")
A_THIRD, QUARTER = Fraction(1, 3), Fraction(1, 4)


def number(text: str) -> Any:
    return Formula(text, 4).read()


@pytest.mark.parametrize(
    ("measure", "lower", "upper", "at", "shown"),
    [
        ("delta", THIRD, Fraction(1), ["2", "2"], "0.333333 ≤ delta of (s, t) ≤ 1 at e^ε = 2"),
        ("bd", "1/3", "2/3", ["exp(1/2)"], "0.333333 ≤ bd(s, t) ≤ 0.666667 at e^ε = exp(1/2)"),
        ("delta", "0", "1/2", ["4/3", "3/2"], "0 ≤ delta of (s, t) ≤ 0.5 at e^ε ≈ 1.33333"),
        (
            "bd",
            "(exp(1)-exp(1/2))/(1+exp(1))",
            "(exp(1)-exp(1/2))/(1+exp(1))",
            ["exp(1/2)"],
            "bd(s, t) = (-exp(1/2)+exp(1))/(1+exp(1)) ≈ 0.287649 at e^ε = exp(1/2)",
        ),
        ("sd", "1/(exp(3)+exp(4))", "exp(-1)", [], "0.0133898 ≤ sd(s, t) ≤ 0.36788"),
        ("ratio", "1", "3", [], "1 ≤ the largest ratio of (s, t) ≤ 3, the least exp_epsilon for δ of 0"),
    ],
)
def test_bounds_are_rounded_outward(measure: str, lower: Any, upper: Any, at: list[str], shown: str) -> None:
    ends = [end if isinstance(end, Fraction) else number(end) for end in (lower, upper)]
    claim = Claim(measure=measure, subject=PAIR, lower=ends[0], upper=ends[1], at=tuple(map(number, at)))
    assert rounded_claim(claim) == shown


def test_names_on_one_line() -> None:
    claim = Claim(measure="delta", subject=("x\nproved: y", "t"), lower=Fraction(0), upper=Fraction(1))
    assert rounded_claim(claim) == r"0 ≤ delta of (x\nproved: y, t) ≤ 1"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (Claim(measure="kl", subject=PAIR, infinite=True), "KL of s against t is infinite"),
        (
            Claim(measure="ratio", subject=PAIR, infinite=True, terms={"delta": Fraction(1, 3)}),
            "the largest ratio of (s, t) is infinite, δ ≥ 1/3 at every exp_epsilon",
        ),
        (
            Claim(measure="ratio", subject=PAIR, lower=Fraction(3)),
            "the largest ratio of (s, t) ≥ 3, the least exp_epsilon for δ of 0",
        ),
        (
            Claim(
                measure="tradeoff",
                subject=PAIR,
                terms={
                    "corners": [
                        (Fraction(0), Fraction(1)),
                        (Fraction(1, 3), Fraction(1, 4)),
                        (Fraction(1), Fraction(0)),
                    ]
                },
            ),
            (
                "the trade-off of s against t has exactly the corners (0, 1), (1/3, 1/4), (1, 0): δ at every ε, and "
                "the least ε for every δ, follow"
            ),
        ),
    ],
)
def test_what_has_no_two_ends(claim: Claim, said: str) -> None:
    assert rounded_claim(claim) == said


def part(low: Fraction, high: Fraction, ends: tuple[bool, bool] = (False, False), **bounds: Any) -> Claim:
    terms = {"parameter": "u", "part": (low, high, ends)} | {k: v for k, v in bounds.items() if k in ("below", "above")}
    alpha = quotient("u", (1,), (0, 0, 1))
    sides = {k: v for k, v in bounds.items() if k in ("upper", "lower")}
    return Claim(measure="delta", subject=PAIR, at=(alpha,), terms=terms, **sides)


def test_parts_of_an_interval_are_rounded_inward() -> None:
    nought, long = Fraction(0), Fraction(10**40, 3 * 10**40 + 1)
    claim = part(Fraction(0), long, (True, False), upper=nought)
    assert says(rounded_claim(claim))
    claim = part(long, long, above=Fraction(1, 2))
    assert says(rounded_claim(claim))
    near = long + Fraction(1, 10**60)
    assert says(rounded_claim(part(long, near, lower=nought)), "for every u")
