"""Limits of ratios: against the ratios of long words, and where there is none."""

from __future__ import annotations

import random
from fractions import Fraction

import deltachain as dc
from deltachain import Chain
from deltachain.measures.epsilon.limit import RatioLimit, _limit, beyond
from deltachain.measures.epsilon.ratio import RatioWord
from deltachain.model.words import Word, word_probability
from tests.reference.random_chains import random_chain


def word_of(chain: Chain, letters: Word) -> RatioWord | None:
    """The word as if it had been found for the first two states, in the order in which its ratio is above 1."""
    word = (chain.labels[0], *letters)
    first, second = (Fraction(word_probability(chain, state, word)) for state in (0, 1))  # type: ignore[arg-type]
    if not (first and second) or first == second:
        return None
    direction = int(first < second)
    return RatioWord((0, 1), direction, word, max(first / second, second / first))


def ratio(chain: Chain, states: tuple[int, int], word: Word) -> Fraction:
    first, second = (Fraction(word_probability(chain, state, word)) for state in states)  # type: ignore[arg-type]
    return first / second


def test_the_sensor_comes_to_three() -> None:
    chain = dc.examples.sticky_sensor()
    states = chain.number("s0"), chain.number("s1")
    word = ("start", *("low",) * 9)
    found = beyond(chain, states, RatioWord(states, 0, word, ratio(chain, states, word)))
    assert isinstance(found, RatioLimit)
    assert found.ratio == 3
    assert (found.prefix, found.cycle, found.factor) == (("start",), ("low",), Fraction(21, 40))
    assert 3 - ratio(chain, states, ("start", *("low",) * 80)) < Fraction(1, 10**9)


def test_long_words_come_as_near_as_one_likes_and_never_too_far() -> None:
    seen = 0
    for seed in range(2000):
        draw = random.Random(seed)
        chain = random_chain(draw, most_states=5, most_letters=2, parts=draw.choice((3, 4)))
        if len(chain) < 2 or chain.labels[0] != chain.labels[1]:
            continue
        cycle = tuple(draw.choice(sorted(chain.alphabet)) for _ in range(draw.randint(1, 2)))
        word = word_of(chain, cycle * 4)
        if word is None:
            continue
        states, circle = word.order((0, 1)), word.circle()
        assert circle is not None
        found = _limit(chain, states, word, *circle)
        if found is None:
            continue
        seen += 1
        assert beyond(chain, (0, 1), word) == (found if found.ratio > word.ratio else word)
        far = [ratio(chain, states, found.prefix + found.cycle * n) for n in (300, 301)]
        assert all(abs(each / found.ratio - 1) < Fraction(1, 10**6) for each in far)
        # What the checker will see.
        falling = found.falling
        assert 0 <= falling.rate < found.factor
        assert min(falling.sizes, default=1) > 0
        for line, size in zip(falling.matrix, falling.sizes, strict=True):
            assert sum(abs(c) * g for c, g in zip(line, falling.sizes, strict=True)) <= falling.rate * size
    assert seen > 25


def test_words_that_go_round_in_no_circle_have_no_limit() -> None:
    chain = dc.examples.sticky_sensor()
    states = chain.number("s0"), chain.number("s1")
    word = RatioWord(states, 0, ("start", "low", "high", "low"), Fraction(9, 7))
    assert beyond(chain, states, word) is word


def test_two_states_that_take_turns_have_no_limit() -> None:
    """The class is not primitive: ratios of even and of odd words come to two limits."""
    chain = Chain.from_dicts(
        {
            "s": {"a": "1/2", "b": "1/2"},
            "t": {"a": "1/3", "b": "2/3"},
            "a": {"b": "1/2", "z": "1/2"},
            "b": {"a": "1/4", "z": "3/4"},
            "z": {"z": 1},
        },
        {"s": "s", "t": "s", "a": "x", "b": "x", "z": "z"},
    )
    word = word_of(chain, ("x",) * 8)
    assert word is not None
    assert beyond(chain, (0, 1), word) is word


def test_an_irrational_factor_has_no_limit() -> None:
    chain = dc.examples.build("sticky-sensor,stay=4/5,accuracy=2/3")
    states = chain.number("s0"), chain.number("s1")
    word = ("start", *("low",) * 9)
    found = RatioWord(states, 0, word, ratio(chain, states, word))
    assert beyond(chain, states, found) is found
