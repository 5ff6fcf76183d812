"""Runs of a chain: words of `model.words`, each as likely as it should be."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

import deltachain as dc
from deltachain.draws import seeded
from deltachain.draws.walks import Walker
from deltachain.errors import InputError
from deltachain.model.words import word_probability
from tests.words import refuses


def test_a_run_ends_in_a_state_that_is_never_left() -> None:
    chain = dc.examples.coin()
    word = list(Walker(chain).word("s0", seeded(1)))
    assert word[0] == "start"
    assert len(word) == 2
    assert word_probability(chain, "s0", word) > 0


def test_words_are_as_frequent_as_they_are_likely() -> None:
    rows = {"s": {"s": "1/2", "h": "1/3", "t": "1/6"}, "h": {"h": 1}, "t": {"t": 1}}
    chain = dc.Chain.from_dicts(rows, {"s": "go", "h": "heads", "t": "tails"})
    walker, source, number = Walker(chain), seeded(7), 3000
    seen = Counter(tuple(islice(walker.word("s", source), 3)) for _ in range(number))
    for word, count in seen.items():
        p = word_probability(chain, "s", word)
        assert abs(count - number * p) < 5 * (number * p * (1 - p)) ** Fraction(1, 2) + 5
    assert set(seen) == {("go", "heads"), ("go", "tails")} | {("go", "go", x) for x in ("go", "heads", "tails")}


def asking() -> dc.Chain:
    rows: dict[str, Any] = {"s": {"left": {"a": 1}, "right": {"b": 1}}, "a": {"a": 1}, "b": {"b": 1}}
    return dc.Chain.from_dicts(rows, {"s": "ask", "a": "A", "b": "B"})


def test_the_observer_decides() -> None:
    chain = asking()
    heard = []

    def answer(options: tuple[str, ...], seen: tuple[str, ...]) -> str:
        heard.append((options, seen))
        return "right"

    assert list(Walker(chain).word("s", seeded(1), answer)) == ["ask", "right", "B"]
    assert heard == [(("left", "right"), ("ask",))]


def test_nobody_answers_or_with_nonsense() -> None:
    with pytest.raises(InputError, match="nobody answers"):
        list(Walker(asking()).word("s", seeded(1)))
    with refuses(InputError, "offers no input"):
        list(Walker(asking()).word("s", seeded(1), lambda *_: "up"))
