"""The slow, obvious versions for systems with inputs agree with each other and with what a hand computes."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain
from tests.reference.enumerate_events import lv_at_depth
from tests.reference.interactive import (
    brute_force,
    delta_of_system,
    fixed_of_system,
    lv_of_system,
    random_system,
    strategies,
)

# Two coins; the observer tosses either once. c1 tells s from t, c2 does not.
TWO_COINS = Chain.from_dicts(
    {
        "s": {"c1": {"h": "3/4", "t": "1/4"}, "c2": {"h": "1/2", "t": "1/2"}},
        "u": {"c1": {"h": "1/4", "t": "3/4"}, "c2": {"h": "1/2", "t": "1/2"}},
        "h": {"h": 1},
        "t": {"t": 1},
    },
    labels={"s": "menu", "u": "menu", "h": "heads", "t": "tails"},
)
ALPHAS = [Fraction(1), Fraction(6, 5), Fraction(3, 2), Fraction(2)]


def without_choice(chain: Chain, number: int) -> Chain:
    """The chain in which the observer has chosen input ``number`` everywhere, once and for all."""
    return Chain.of_rows(chain.states, chain.labels, chain.layer(number), chain.relation)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_two_coins_by_hand(alpha: Fraction) -> None:
    wanted = max(Fraction(3, 4) - alpha / 4, Fraction(0))
    assert lv_of_system(TWO_COINS, "s", "u", alpha, 1) == wanted
    assert delta_of_system(TWO_COINS, "s", "u", alpha, 4) == wanted
    assert fixed_of_system(TWO_COINS, "s", "u", alpha, 1) == wanted
    assert lv_of_system(TWO_COINS, "s", "u", alpha, 0) == 0
    assert len(list(strategies(TWO_COINS, "s", "u", 3))) == 2


@pytest.mark.seeds(60, 300)
def test_the_recursion_is_brute_force(seed: int) -> None:
    random = Random(seed)
    chain = random_system(random, most_states=4, most_labels=2, most_inputs=2)
    alpha = random.choice(ALPHAS)
    steps = random.randint(1, 3)
    wanted = brute_force(chain, 0, 1, alpha, steps)
    assert lv_of_system(chain, 0, 1, alpha, steps) == wanted


@pytest.mark.parametrize("seed", range(100))
def test_one_input_everywhere_is_the_chain_without(seed: int) -> None:
    random = Random(seed)
    chain = random_system(random, most_inputs=1)
    alpha = random.choice(ALPHAS)
    plain = without_choice(chain, 0)
    assert lv_of_system(chain, 0, 1, alpha, 4) == lv_at_depth(plain, 0, 1, alpha, 5)
    assert lv_of_system(plain, 0, 1, alpha, 4) == lv_at_depth(plain, 0, 1, alpha, 5)


@pytest.mark.parametrize("seed", range(100))
def test_choosing_is_worth_at_least_every_fixed_choice_and_plan(seed: int) -> None:
    random = Random(seed)
    chain = random_system(random)
    alpha = random.choice(ALPHAS)
    best = lv_of_system(chain, 0, 1, alpha, 3)
    for number in range(chain.layers):
        assert lv_of_system(without_choice(chain, number), 0, 1, alpha, 3) <= best
    with suppress(ValueError):  # labels that may be met at one step may offer different inputs
        assert fixed_of_system(chain, 0, 1, alpha, 3) <= best
