"""Certificates that are changed at random: what the checker still accepts is true, by words."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain import Chain
from deltachain.certificate.verification import Seen, parsed_text
from deltachain_checker import Claim
from tests.reference.enumerate_events import word_probabilities

from .attack import ABOUT, DEPTH, Truth, attack, drawn, ending_chain, random_case
from .live import judged


def attacked(seeds: range) -> Counter[str]:
    """How many changed certificates were rejected, and accepted, by what they are about."""
    ended: Counter[str] = Counter()
    for seed in seeds:
        case = random_case(Random(f"attack {seed}"))
        for how, number in attack(case).items():
            ended[how] += number
            ended[f"{case['about']} {how}"] += number
    return ended


def test_what_is_accepted_after_changes_is_true() -> None:
    ended = attacked(range(16))
    assert ended["rejected"] > 150
    assert ended["true"] > 15


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_what_is_accepted_after_thousands_of_changes_is_true(part: int) -> None:
    ended = attacked(range(1000 + 100 * part, 1100 + 100 * part))
    assert min(ended[f"{about} rejected"] for about in {*ABOUT}) > 20, ended
    assert ended["true"] > 100


@pytest.mark.parametrize("about", sorted({*ABOUT}))
def test_what_is_claimed_is_what_is_compared(about: str) -> None:
    """The truth is not vacuous: it refutes each claim with a bound moved beyond it."""
    refuted = 0
    for seed in range(6):
        chain, document = drawn({"seed": seed, "about": about})
        assert judged(chain, document)
        truth = Truth(chain, about == "circles")
        for claim in claims_of(chain, document):
            truth.require(claim)
            for lie in lies(claim):
                with pytest.raises(AssertionError):
                    truth.require(lie)
                refuted += 1
    assert refuted


def claims_of(chain: Chain, document: Any) -> list[Claim]:
    """What is proved."""
    return Seen(chain).verify(parsed_text(json.dumps(document)))


def lies(claim: Claim) -> list[Claim]:
    """The claim with each bound beyond the other: false, as the number lies between them."""
    more = Fraction(1, 10**6)
    found = []
    if claim.lower is not None and claim.upper is not None and claim.measure != "kl":
        found += [replace(claim, lower=claim.upper + more), replace(claim, upper=claim.lower - more)]
    if "corners" in claim.terms:
        found.append(replace(claim, terms={"corners": claim.terms["corners"][:-1]}))
    if claim.infinite and claim.measure == "ratio":
        found.append(replace(claim, terms={"delta": Fraction(2)}))
    return found


def test_chains_end() -> None:
    """A letter more tells nothing more."""
    for seed in range(30):
        chain = ending_chain(Random(seed))
        for state in chain.states:
            masses = [sorted(word_probabilities(chain, state, DEPTH + more).values()) for more in (1, 2)]
            assert masses[0] == masses[1]
