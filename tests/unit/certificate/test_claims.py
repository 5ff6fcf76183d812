"""Which accepted claim proves one that was found; and claims as a certificate has them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from deltachain.certificate.claims import Claim, Unproved, accepted_of, as_exact, in_our_numbers, write_claim
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker.numbers import quotient
from tests.words import refuses

HALF = Fraction(1, 2)
AT_ONE = ExpEpsilon.read(epsilon=1)
FOUND = Claim(measure="delta", subject=("s", "t"), lower=HALF, upper=HALF, value=HALF, at=(AT_ONE,))
ENDS = replace(FOUND, at=(AT_ONE.below, AT_ONE.above))


def test_the_accepted_claim_is_returned_for_each_that_was_found() -> None:
    other = replace(ENDS, subject=("s", "u"), lower=Fraction(0), value=None)
    wanted = replace(FOUND, subject=("s", "u"), lower=Fraction(0), value=None)
    assert accepted_of([FOUND, wanted], [other, ENDS]) == [ENDS, other]
    assert accepted_of([], [ENDS]) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"upper": Fraction(2, 3)},
        {"lower": Fraction(1, 3)},
        {"value": None},
        {"subject": ("t", "s")},
        {"measure": "bd"},
        {"infinite": True},
    ],
)
def test_what_is_found_beyond_what_is_accepted_is_not_proved(wrong: dict[str, Any]) -> None:
    with refuses(Unproved, "its certificate proves"):
        accepted_of([FOUND], [replace(ENDS, **wrong)])


def test_a_narrower_claim_proves_a_wider_one_and_is_what_is_said() -> None:
    wide = replace(FOUND, lower=Fraction(0), upper=Fraction(1), value=None)
    assert accepted_of([wide], [ENDS]) == [ENDS]


@pytest.mark.parametrize(
    ("k", "top", "bottom", "right"),
    [
        (1, (0, 1), (1,), True),
        (2, (0, 0, 1), (1,), True),
        (2, (0, 1), (1,), False),
        (1, (0, 2), (1,), False),
        (1, (1, 1), (1,), False),
        (1, (0, 1), (2,), False),
        (1, (1,), (1,), False),
    ],
)
def test_a_claim_over_functions_is_about_the_epsilon_asked_or_is_not_believed(
    k: int, top: tuple[int, ...], bottom: tuple[int, ...], right: bool
) -> None:
    accepted = replace(FOUND, at=(quotient(k, top, bottom),))
    if right:
        (claim,) = accepted_of([FOUND], [accepted])
        assert claim.at == (exp_of(Fraction(1)),)
        return
    with pytest.raises(Unproved, match="another ε"):
        accepted_of([FOUND], [accepted])


def test_epsilon_nought_and_rationals_are_themselves() -> None:
    for asked, at in ((ExpEpsilon.read(epsilon=0), 1), (ExpEpsilon.read(exp_epsilon="3/2"), "3/2")):
        found = replace(FOUND, at=(asked,))
        for shown in ((Fraction(at),), (Fraction(at), Fraction(at))):
            assert accepted_of([found], [replace(FOUND, at=shown)])
        with pytest.raises(Unproved, match="another ε"):
            accepted_of([found], [replace(FOUND, at=(Fraction(7, 4), Fraction(7, 4)))])


@pytest.mark.parametrize(
    ("terms", "right"), [({"order": Fraction(2)}, True), ({"order": Fraction(3)}, False), ({}, False)]
)
def test_a_claim_about_another_order_proves_nothing(terms: dict[str, Any], right: bool) -> None:
    found = Claim(measure="renyi", subject=("s", "t"), lower=HALF, upper=HALF, terms={"order": Fraction(2)})
    accepted = replace(found, terms=terms)
    if right:
        assert accepted_of([found], [accepted]) == [accepted]
    else:
        with pytest.raises(Unproved):
            accepted_of([found], [accepted])


@pytest.mark.parametrize("less", [{"merged": True}, {"traces": True}, {"part": (0, 1, (True, True))}])
def test_a_claim_that_says_less_proves_nothing(less: dict[str, Any]) -> None:
    found = Claim(measure="bd", subject=("s", "t"), upper=HALF, at=(Fraction(2),))
    assert accepted_of([found], [replace(found, lower=Fraction(0), terms={"merged": False, "traces": False})])
    with pytest.raises(Unproved):
        accepted_of([found], [replace(found, lower=Fraction(0), terms=less)])


def test_numbers_of_the_checker_become_ours() -> None:
    e = quotient(1, (0, 1), (1,))
    claim = Claim(measure="tradeoff", subject=("s", "t"), terms={"corners": [(Fraction(0), e)]})
    assert in_our_numbers(claim).terms["corners"] == [(Fraction(0), exp_of(Fraction(1)))]
    assert as_exact(HALF) is HALF


def test_a_claim_as_a_certificate_has_it() -> None:
    assert write_claim(ENDS) == {"claim": "delta", "pair": ["s", "t"], "lower": "1/2", "upper": "1/2"}
    function_of_e = Claim(measure="bd", subject=("s", "t"), upper=1 / exp_of(HALF))
    assert write_claim(function_of_e, 4) == {"claim": "bd", "pair": ["s", "t"], "upper": "1/0 0 1"}
    guess = Claim(
        measure="guess", subject=("s", "t"), lower=HALF, upper=HALF, terms={"prior": [HALF] * 2, "guesses": 1}
    )
    made = write_claim(guess)
    assert (made["secrets"], made["prior"], made["guesses"]) == (["s", "t"], ["1/2", "1/2"], 1)
    assert write_claim(Claim(measure="kl", subject=("s", "t"), infinite=True))["lower"] == "infinity"


def test_corners_are_pairs_of_numbers() -> None:
    tests = Claim(measure="tradeoff", subject=("s", "t"), terms={"corners": [(HALF, 1 / exp_of(HALF))]})
    assert write_claim(tests, 4) == {"claim": "tradeoff", "pair": ["s", "t"], "corners": [["1/2", "1/0 0 1"]]}
