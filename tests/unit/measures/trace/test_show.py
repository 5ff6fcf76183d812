"""`dc.trace`: the probability of an event from some states, as a value."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError, Stopped
from tests.words import refuses

COIN = dc.examples.coin()


def test_words_and_events_however_they_are_written() -> None:
    word = dc.trace(COIN, ["s0", "s1", "s0"], "start heads")
    assert word.states == ("s0", "s1")
    assert dict(word.probabilities) == {"s0": Fraction(2, 5), "s1": Fraction(3, 5)}
    assert word == dc.trace(COIN, ["s0", "s1"], ("start", "heads")) == dc.trace(COIN, [0, 1], ["start", "heads"])
    either = dc.trace(COIN, "s0", [("start", "heads"), "start tails"])
    assert (either.probability, len(either.event)) == (1, 2)


def test_the_difference_of_a_pair() -> None:
    found = dc.trace(COIN, ["s0", "s1"], "start heads")
    assert found.difference("s1", "s0", exp_epsilon=1) == (Fraction(1, 5), Fraction(1, 5))
    lower, upper = found.difference("s1", "s0", epsilon="0.1")
    assert 0 < lower < upper < Fraction(1, 5)


def test_what_was_not_asked_for() -> None:
    found = dc.trace(COIN, ["s0", "s1"], "start heads")
    with refuses(InputError, "states: give the"):
        _ = found.probability
    with refuses(InputError, "was not asked"):
        _ = found["s2"]
    with pytest.raises(InputError, match="event: "):
        dc.trace(COIN, "s0", [1, 2])  # type: ignore[list-item]


def test_a_watch_stops_it() -> None:
    cancel = Cancel()
    cancel.interrupt()
    with pytest.raises(Stopped):
        dc.trace(COIN, "s0", "start heads", cancel=cancel)
