"""Reachability, restriction and disjoint union keep what they promise."""

from __future__ import annotations

from random import Random

import pytest

from deltachain.errors import InputError, UnknownState
from deltachain.model import Chain, disjoint_union, reachable, restrict
from deltachain.model.words import words
from tests.reference.random_chains import random_chain


def line() -> Chain:
    rows = {"a": {"b": "1/2", "c": "1/2"}, "b": {"b": 1}, "c": {"c": 1}, "d": {"a": 1}}
    return Chain.from_dicts(
        rows, dict.fromkeys(rows, "x"), relation=[("a", "d"), ("b", "c")], valuations={"c": {"n": 1}}
    )


def test_reachable() -> None:
    assert reachable(line(), ["a"]) == (0, 1, 2)
    assert reachable(line(), ["b", 2]) == (1, 2)
    assert reachable(line(), []) == ()
    with pytest.raises(UnknownState):
        reachable(line(), ["nobody"])


def test_restriction_keeps_pairs_and_valuations_of_what_stays() -> None:
    kept = restrict(line(), ["a"])
    assert kept.states == ("a", "b", "c")
    assert kept.pairs == (("b", "c"),)
    assert kept.valuations == ({}, {}, {"n": 1})
    assert restrict(line(), ["d"]) is not None
    assert restrict(line(), ["d"]) == line()
    with pytest.raises(InputError, match="at least one"):
        restrict(line(), [])


@pytest.mark.parametrize("seed", range(30))
def test_restriction_keeps_trace_measures(seed: int) -> None:
    random = Random(seed)
    chain = random_chain(random)
    start = random.choice(chain.states)
    kept = restrict(chain, [start])
    assert list(words(kept, start, 4)) == list(words(chain, start, 4))
    assert reachable(kept, [start]) == tuple(range(len(kept)))


def test_union_is_two_chains_side_by_side() -> None:
    left, right = line(), Chain.from_dicts({"a": {"a": 1}}, {"a": "y"})
    both = disjoint_union(left, right)
    assert len(both) == 5
    assert both.pairs == (("left.a", "left.d"), ("left.b", "left.c"))
    assert both.valuations is not None
    assert both.valuations[-1] == {}
    assert list(words(both, "left.d", 4)) == list(words(left, "d", 4))
    assert list(words(both, "right.a", 3)) == list(words(right, "a", 3))


def test_union_refuses_prefixes_that_confuse_names() -> None:
    one = Chain.from_dicts({"s": {"s": 1}}, {"s": "a"})
    with pytest.raises(InputError, match="apart"):
        disjoint_union(one, one, prefixes=("", ""))
    assert disjoint_union(one, one, prefixes=("", "x")).states == ("s", "xs")
