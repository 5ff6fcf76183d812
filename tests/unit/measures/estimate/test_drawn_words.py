"""Drawn words and their statistics against exact runs of the chain on the same random bits."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from deltachain import Chain, examples
from deltachain.beliefs.signed.forest import Forest
from deltachain.beliefs.signed.tables import tables_of
from deltachain.cancel import Cancel
from deltachain.measures.estimate.drawn_words import (
    BITS,
    Steps,
    draw,
    open_leaves,
    pair_at_scales,
    rounding_error,
    steps_of,
)
from deltachain.numbers.fraction import ExpEpsilon
from tests.reference.drawn_words import statistics_of
from tests.reference.random_chains import random_chain

ALPHA = Fraction(11, 10)


def renumbered(chain: Chain, order: list[int]) -> Chain:
    """The chain with its states in the order of the tables."""
    place = {state: i for i, state in enumerate(order)}
    rows = [{place[j]: p for j, p in sorted(chain.rows[state])} for state in order]
    return Chain.from_rows(rows, [chain.labels[s] for s in order])


def pairs_of(chain: Chain) -> list[tuple[int, int]]:
    return [(s, t) for s in range(len(chain)) for t in range(s) if chain.labels[s] == chain.labels[t]][:1]


def huge_denominators() -> Chain:
    """Rows whose common denominator is beyond machine words, with a chance that no bits below 2^-80 could show."""
    third, tiny = Fraction(10**20, 3 * 10**20 + 1), Fraction(1, 2**100)
    rows = [
        {0: Fraction(1, 4), 1: tiny, 2: third, 3: 1 - Fraction(1, 4) - tiny - third},
        {0: Fraction(1, 7), 1: third, 2: tiny, 3: 1 - Fraction(1, 7) - tiny - third},
        {0: Fraction(1, 2), 3: Fraction(1, 2)},
        {1: third, 2: Fraction(1, 3), 3: 1 - Fraction(1, 3) - third},
    ]
    return Chain.from_rows(rows, ["a", "a", "b", "b"])


def compared(chain: Chain, pair: tuple[int, int], expansions: int, words: int, seed: int) -> int:
    """Draw words from the open leaves of a tree, and again exactly; how many were compared."""
    forest = Forest(chain, [pair], ExpEpsilon.exactly(ALPHA))
    forest.grow({pair: expansions}, Cancel())
    leaves = open_leaves(forest, pair)
    if leaves is None:
        return 0
    steps, strata, horizon = steps_of(chain, forest.tables, forest.order), leaves.question.strata, 6
    found = draw(steps, strata, np.random.default_rng(seed), words, horizon, -1.0, leaves.question.scales)
    again = np.random.default_rng(seed)
    tickets = again.integers(0, int(strata.ends[-1]), size=words, dtype=np.int64)
    bits = again.integers(0, 1 << BITS, size=(words, horizon), dtype=np.int64)
    exact_chain, error = renumbered(chain, forest.order), Fraction(rounding_error(steps, horizon))
    for k in range(words):
        stratum = int(np.searchsorted(strata.ends, tickets[k], side="right"))
        ticket = int(tickets[k]) - (int(strata.ends[stratum - 1]) if stratum else 0)
        belief = belief_of(steps, strata, stratum)
        last = statistics_of(exact_chain, belief, ticket, bits[k].tolist(), BITS, Fraction(1))[-1]
        below, beyond = Fraction(float(found.below[k, 0])), Fraction(float(found.beyond[k, 0]))
        assert found.letters[k] == horizon
        assert last is not None
        assert 0 <= last[0] - below <= 2 * error or below == 0 <= last[0] <= 2 * error
        assert 0 <= (1 - last[1]) - beyond <= 2 * error or beyond == 0 <= 1 - last[1] <= 2 * error
    return words


def belief_of(steps: Steps, strata: object, stratum: int) -> dict[int, int]:
    begin, spot, length, sign = (int(getattr(strata, name)[stratum]) for name in ("begin", "spot", "length", "sign"))
    low = int(steps.first[strata.label[stratum]])  # type: ignore[attr-defined]
    places = range(low, low + length) if spot < 0 else strata.states[spot : spot + length].tolist()  # type: ignore[attr-defined]
    values = strata.values[begin : begin + length].tolist()  # type: ignore[attr-defined]
    belief = {place: sign * value for place, value in zip(places, values, strict=True) if value}
    assert 0 < sum(v for v in belief.values() if v > 0) <= sum(-v for v in belief.values() if v < 0)
    return belief


def test_words_of_random_chains_are_those_of_an_exact_filter() -> None:
    random, words = Random(3), 0
    for seed in range(60):
        chain = random_chain(random)
        for pair in pairs_of(chain):
            words += compared(chain, pair, random.choice([0, 1, 5]), 12, seed)
    assert words > 250


@pytest.mark.parametrize("expansions", [0, 3])
def test_rows_that_do_not_fit_machine_words_are_followed_too(expansions: int) -> None:
    assert compared(huge_denominators(), (0, 1), expansions, 40, 1) == 40


def test_few_of_many_states_are_listed() -> None:
    """On a chain that is large enough for lists the words are right too, and short ones visit few arcs."""
    chain = examples.build("random,n=300,labels=2,degree=3,seed=4")
    forest = Forest(chain, [(0, 1)], ExpEpsilon.exactly(ALPHA))
    leaves = open_leaves(forest, (0, 1))
    assert leaves is not None
    steps = steps_of(chain, forest.tables, forest.order)
    short = draw(steps, leaves.question.strata, np.random.default_rng(1), 30, 3, -1.0, leaves.question.scales)
    assert compared(chain, (0, 1), 0, 5, 1) == 5
    assert short.arcs.max() < len(steps.target)


def test_the_draw_follows_the_chances_of_a_row() -> None:
    """The first letter after the start, 20,000 times: each within five standard deviations."""
    chain = Chain.from_rows([{1: "1/5", 2: "3/10", 3: "1/2"}, {1: 1}, {2: 1}, {3: 1}, {1: 1}], [*"zabcz"])
    tables, order = tables_of(chain)
    place = {state: i for i, state in enumerate(order)}
    steps = steps_of(chain, tables, order)
    question = pair_at_scales(tables, place[0], place[4], [ExpEpsilon.exactly(Fraction(1))])
    found = draw(steps, question.strata, np.random.default_rng(5), 20_000, 1, -1.0, question.scales)
    # From state 4 the letter is a: only then the ratio is 5, and the statistic 0; else it is 1.
    share = float((found.below[:, 0] == 0).mean())
    assert abs(share - 0.2) < 5 * np.sqrt(0.2 * 0.8 / 20_000)


def test_a_word_that_bits_do_not_decide_counts_as_nothing() -> None:
    chain = Chain.from_rows([{0: "1/2", 1: "1/2"}, {0: "1/4", 1: "3/4"}, {2: 1}], ["a", "a", "b"])
    tables, order = tables_of(chain)
    steps = steps_of(chain, tables, order)
    half = 1 << (BITS - 1)

    class Fixed:
        def integers(self, _low: int, high: int, size: object, **_: object) -> object:
            return np.full(size, half if high > 2**60 else 0, np.int64)  # type: ignore[call-overload]

    question = pair_at_scales(tables, 0, 1, [ExpEpsilon.exactly(Fraction(1))])
    found = draw(steps, question.strata, Fixed(), 2, 3, -1.0, question.scales)  # type: ignore[arg-type]
    assert (found.below == 0).all()
    assert (found.beyond == 0).all()
