"""Word and event probabilities against sums over paths; Δ_α against every event."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain import examples
from deltachain.errors import InputError, InteractiveChain, UnknownState
from deltachain.model import Chain
from deltachain.model.words import event_probability, skewed_difference, word_probability, words
from tests.reference.naive_traces import brute_force_tv, path_probability
from tests.reference.random_chains import random_chain
from tests.words import refuses


@pytest.mark.parametrize("seed", range(25))
def test_words_against_sums_over_paths(seed: int) -> None:
    chain = random_chain(Random(seed), most_states=4)
    for start in range(len(chain)):
        for length in range(4):
            listed = dict(words(chain, start, length))
            assert sum(listed.values()) == 1
            for word in product("abc", repeat=length):
                expected = path_probability(chain, start, word)
                assert word_probability(chain, start, word) == expected
                assert listed.get(word, 0) == expected


def test_listed_words_are_in_order_positive_and_complete() -> None:
    chain = Chain.from_rows([["1/3", "1/3", "1/3"], [0, 1, 0], [1, 0, 0]], ["b", "a", "c"])
    listed = list(words(chain, 0, 3))
    assert [word for word, _ in listed] == sorted(word for word, _ in listed)
    assert all(p > 0 for _, p in listed)
    assert ("b", "c", "a") not in dict(listed)
    assert list(words(chain, 0, 0)) == [((), 1)]
    assert list(words(chain, 0, 1)) == [(("b",), 1)]
    with pytest.raises(InputError, match="negative"):
        list(words(chain, 0, -1))


def test_listing_is_lazy() -> None:
    chain = Chain.from_rows([["1/2", "1/2"], ["1/2", "1/2"]], ["a", "b"])
    word, p = next(words(chain, 0, 200))
    assert word == ("a",) * 200
    assert p == Fraction(1, 2**199)


@pytest.mark.parametrize("seed", range(25))
def test_events_count_overlapping_words_once(seed: int) -> None:
    random = Random(seed)
    chain = random_chain(random, most_states=4)
    pool = [word for length in range(1, 4) for word in product("ab", repeat=length)]
    event = random.sample(pool, 5)
    event.append(event[0])
    for start in range(len(chain)):
        covered = sum((p for word, p in words(chain, start, 3) if any(word[: len(w)] == w for w in event)), Fraction(0))
        assert event_probability(chain, start, event) == covered


def test_extreme_events() -> None:
    chain = Chain.from_rows([[1]], ["a"])
    assert event_probability(chain, 0, []) == 0
    assert event_probability(chain, 0, [(), ("b",)]) == 1
    assert word_probability(chain, 0, ["b"]) == 0
    assert word_probability(chain, 0, ["a", "unheard-of"]) == 0
    with pytest.raises(UnknownState):
        word_probability(chain, "nobody", ["a"])


PROBABILITIES = st.fractions(min_value=0, max_value=1)


@given(PROBABILITIES, PROBABILITIES, st.fractions(min_value=1, max_value=5))
def test_skewed_difference_is_symmetric_and_falls_in_alpha(x: Fraction, y: Fraction, alpha: Fraction) -> None:
    value = skewed_difference(x, y, alpha)
    assert value == skewed_difference(y, x, alpha) >= 0
    assert skewed_difference(x, y, alpha + 1) <= value <= skewed_difference(x, y, Fraction(1)) == abs(x - y)


@pytest.mark.parametrize("seed", range(12))
def test_best_event_is_made_of_the_words_where_one_side_is_heavier(seed: int) -> None:
    """max over events of the skewed difference = sum over words of its positive parts, per direction."""
    random = Random(seed)
    chain = random_chain(random, most_states=4, most_letters=2)
    s, t = random.randrange(len(chain)), random.randrange(len(chain))
    alpha = Fraction(random.randint(4, 8), 4)
    x, y = dict(words(chain, s, 3)), dict(words(chain, t, 3))
    forward = sum((max(p - alpha * y.get(w, 0), 0) for w, p in x.items()), Fraction(0))
    backward = sum((max(p - alpha * x.get(w, 0), 0) for w, p in y.items()), Fraction(0))
    assert brute_force_tv(chain, s, t, alpha, 3) == max(forward, backward)


def test_paper_coin_is_private_at_three_halves() -> None:
    """[CMP18, Ex. 1]: 2/5 against 3/5 leaks nothing beyond α = 3/2."""
    rows = {"s": {"h": "2/5", "t": "3/5"}, "u": {"h": "3/5", "t": "2/5"}, "h": {"h": 1}, "t": {"t": 1}}
    coin = Chain.from_dicts(rows, {"s": "start", "u": "start", "h": "heads", "t": "tails"})
    assert brute_force_tv(coin, 0, 1, Fraction(3, 2), 3) == 0
    assert brute_force_tv(coin, 0, 1, Fraction(1), 3) == Fraction(1, 5)


# Inputs.

PROBE = examples.probe()


@pytest.mark.parametrize(
    ("word", "chance"),
    [
        ("start", "1"),
        ("start probe", "1"),
        ("start probe mode-1", "1/2"),
        ("start probe mode-1 q1 yes", "1/8"),
        ("start q1 yes q1 yes probe end end", "5/32"),
        ("start q1 mode-1", "0"),
        ("yes", "0"),
    ],
)
def test_a_word_says_what_was_given(word: str, chance: str) -> None:
    assert word_probability(PROBE, "s0", word.split()) == Fraction(chance)


def test_all_answers_to_a_strategy_are_sure() -> None:
    event = ["start probe mode-1 q1 yes", "start probe mode-1 q1 no", "start probe mode-2 q2"]
    assert event_probability(PROBE, "s0", map(str.split, event)) == 1


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (["start q1 yes", "start q2 yes"], r"event: after start its words give 'q1' and 'q2' \(an event is seen under"),
        (["start q1 yes q1 no", "start q1 yes q2"], "after start q1 yes its words give 'q1' and 'q2'"),
        (["start yes"], "word: 'start' offers no input 'yes' .it offers 'probe', 'q1', 'q2'"),
    ],
)
def test_events_that_no_strategy_sees_are_refused(event: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        event_probability(PROBE, "s0", map(str.split, event))


def test_the_words_of_a_length_are_those_of_chains_without_inputs() -> None:
    with refuses(InteractiveChain, "which words there"):
        list(words(PROBE, "s0", 2))
