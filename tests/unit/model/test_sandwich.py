"""Two labellings of one chain: from above by the one, from below by the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain import Chain
from deltachain.errors import InputError
from deltachain.model.sandwich import Bounded, Sandwich, close
from tests.words import refuses


def fine(told_apart: bool = True) -> Chain:
    """Two secrets with two letters, of which one is likelier under each."""
    rows: dict[str, Any] = {"s": {"a": "3/4", "b": "1/4"}, "t": {"a": "1/4", "b": "3/4"}, "a": {"a": 1}, "b": {"b": 1}}
    labels = {"s": "start", "t": "start", "a": "1", "b": "2" if told_apart else "1"}
    return Chain.from_dicts(rows, labels=labels, relation=[("s", "t")])


MERGED = {"1": "≥ 1", "2": "≥ 1"}


def test_the_coarse_chain_shows_what_is_merged() -> None:
    sandwich = Sandwich(fine(), MERGED, frozenset({"2"}), ("a note",))
    assert sandwich.coarse.labels == ("start", "start", "≥ 1", "≥ 1")
    assert (sandwich.coarse.given, sandwich.coarse.relation) == (sandwich.fine.given, sandwich.fine.relation)
    assert not sandwich.exact
    assert not sandwich.keeps_ratios
    assert dc.delta(sandwich.fine, epsilon=0).value == Fraction(1, 2)
    assert dc.delta(sandwich.coarse, epsilon=0).value == 0


def test_nothing_merged_is_one_chain() -> None:
    sandwich = Sandwich(fine())
    assert sandwich.exact
    assert sandwich.coarse is sandwich.fine


def test_questions_are_not_merged() -> None:
    rows: dict[str, Any] = {"s": {"yes": {"a": 1}, "no": {"b": 1}}, "a": {"a": 1}, "b": {"b": 1}}
    chain = Chain.from_dicts(rows, labels={"s": "no|yes?", "a": "1", "b": "2"})
    with pytest.raises(InputError, match=r"no\|yes\?.* the observer is asked there"):
        Sandwich(chain, {"no|yes?": "x"})
    with refuses(InputError, "observer is asked"):
        Sandwich(chain, {"1": "no|yes?"})


def bounds(sandwiches: Iterator[Sandwich]) -> Bounded[Fraction, Fraction]:
    return close(
        sandwiches,
        lambda chain: dc.delta(chain, epsilon=0).upper,
        lambda chain: dc.delta(chain, epsilon=0).lower,
        lambda upper, lower: upper == lower,
    )


def test_bounds_are_of_the_first_that_settles() -> None:
    given = iter([Sandwich(fine(), MERGED), Sandwich(fine(told_apart=False)), Sandwich(fine())])
    found = bounds(given)
    assert (found.lower, found.upper, found.settled) == (Fraction(0), Fraction(0), True)
    assert next(given).fine == fine()  # not asked for


def test_bounds_are_of_the_last_where_none_settles() -> None:
    found = bounds(iter([Sandwich(fine(), MERGED)] * 2))
    assert (found.lower, found.upper, found.settled) == (Fraction(0), Fraction(1, 2), False)
    with pytest.raises(ValueError, match="no sandwich"):
        bounds(iter([]))
