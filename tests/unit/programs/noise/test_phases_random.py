"""Random programs of all that is followed exactly, against enumeration: δ lies where the chains say."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from random import Random

import deltachain as dc
from deltachain import Chain, program
from deltachain.programs.language.source import ProgramError
from tests.amounts import fewer_or_all
from tests.reference.announced_noise import delta_between, random_program, random_rereading, words
from tests.reference.deferred_noise import random_deferring
from tests.reference.summed_noise import random_sums

KINDS = (random_program, random_rereading, random_sums, random_deferring)
COUNTS = [{"x": 0}, {"x": 1}]
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))


def compare(seed: int) -> Counter[str]:
    """How many δ of a random program were inside, and how many of these are exact."""
    found = Counter[str]()
    text = KINDS[seed % len(KINDS)](Random(seed))
    mechanism = program(text)
    chains = list[tuple[Chain, Chain]]()
    alone = mechanism.chain(COUNTS)
    # What is cut off is within what it says as well, but its intervals are wider than those of the enumeration.
    if alone.whole:
        chains.append((alone, alone))
    try:
        sandwich = mechanism.sandwich(COUNTS, apart=seed % 5)
    except ProgramError:
        found["no sandwich"] += 1
    else:
        if not (sandwich.exact and alone.whole):
            chains.append((sandwich.fine, sandwich.coarse))
    if not chains:
        return found
    found["programs"] += 1
    ratios = re.findall(r"geometric\('([^']+)'", text)
    one, other = (words(text, x, ratios) for x in (0, 1))
    for alpha in ALPHAS:
        least, most = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        for fine, coarse in chains:
            upper = dc.delta(fine, exp_epsilon=alpha, check=False).upper
            lower = dc.delta(coarse, exp_epsilon=alpha, check=False).lower
            assert least <= upper, (seed, text)
            assert lower <= most, (seed, text)
            assert lower <= upper, (seed, text)
            found["δ"] += 1
            found["exact"] += lower == upper
    return found


@fewer_or_all("first, number", (0, 80), (1000, 2000))
def test_delta_lies_between_what_is_proved(first: int, number: int) -> None:
    found = sum(map(compare, range(first, first + number)), Counter())
    assert found["programs"] > number / 2
    assert found["exact"] > found["δ"] / 2
