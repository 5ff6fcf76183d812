from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.formats.observation import join_names, label_names


@given(st.text(alphabet="ab,", max_size=8))
def test_a_label_is_the_label_of_its_names(label: str) -> None:
    assert join_names(label_names(label)) == label


def test_different_sets_have_different_labels() -> None:
    names = [n for size in range(1, 4) for n in map("".join, itertools.product("ab,", repeat=size))]
    sets = [frozenset(pair) for pair in itertools.combinations_with_replacement(names, 2)] + [frozenset()]
    labels: dict[str, frozenset[str]] = {}
    refused = 0
    for found in sets:
        try:
            label = join_names(found)
        except ValueError:
            refused += 1
            continue
        assert labels.setdefault(label, found) == found
    assert len(labels) > 100
    assert refused > 100


def test_the_order_and_repetition_of_names_do_not_matter() -> None:
    assert join_names(["b", "a", "b"]) == "a,b"


@pytest.mark.parametrize("names", [[""], ["a,b"], ["x", "b,a"]])
def test_names_that_would_be_mistaken_are_refused(names: list[str]) -> None:
    with pytest.raises(ValueError, match="label name"):
        join_names(names)
