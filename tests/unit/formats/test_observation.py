"""What an observer sees, and the names of states that other tools number."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.errors import InputError
from deltachain.formats.observation import (
    MAX_INITIAL,
    Described,
    initial_pairs,
    state_names,
    visible_labels,
)
from deltachain.settings import Settings
from tests.words import refuses, says

STATES = Described(
    "m.prism",
    ("deadlock", "done", "init", "odd"),
    [{"init"}, {"odd"}, {"done", "odd"}, {"deadlock", "done"}],
    {"x": [0, 1, 3, 2], "b": [False, True, True, False]},
)


def test_by_default_labels_are_seen_without_init_and_deadlock() -> None:
    assert visible_labels(STATES, Settings()) == ["", "odd", "done,odd", "done"]
    assert visible_labels(STATES, Settings(keep_labels=True)) == ["init", "odd", "done,odd", "deadlock,done"]


def test_variables_or_labels_can_be_chosen() -> None:
    assert visible_labels(STATES, Settings(observe=("b", "x")))[:2] == ["b=false,x=0", "b=true,x=1"]
    assert visible_labels(STATES, Settings(observe_labels=("done",))) == ["", "", "done", "done"]
    assert visible_labels(STATES, Settings(observe_labels=("init",))) == ["init", "", "", ""]


def test_unknown_names_are_all_refused_with_near_misses() -> None:
    with pytest.raises(InputError) as caught:
        visible_labels(STATES, Settings(observe=("c", "y")))
    assert says([d.what for d in caught.value.defects])
    assert says(caught.value.defects[0].fix)
    with refuses(InputError, "you mean 'done"):
        visible_labels(STATES, Settings(observe_labels=("donne",)))


def test_variables_and_labels_together_are_refused() -> None:
    with refuses(InputError, "variables and labels"):
        visible_labels(STATES, Settings(observe=("x",), observe_labels=("done",)))


def test_a_model_that_shows_nothing_is_refused_and_its_variables_listed() -> None:
    silent = Described("m.prism", ("init", "deadlock"), [{"init"}, {"deadlock"}], {"x": [0, 1], "a": [1, 1]})
    with pytest.raises(InputError, match="see nothing") as caught:
        visible_labels(silent, Settings())
    assert "`observe`" in caught.value.defects[0].fix
    assert "a, x" in caught.value.defects[0].fix
    bare = Described("m.umb", (), [(), ()], {})
    with refuses(InputError, "variables to observe"):
        visible_labels(bare, Settings())


def test_a_label_name_that_reads_as_several_is_refused() -> None:
    odd = Described("m.jani", ("a,b", "c"), [{"a,b"}], {})
    with refuses(InputError, "because of its"):
        visible_labels(odd, Settings())


def test_names_are_unique_and_start_states_short() -> None:
    variables = {"run": [0, 0, 1, 1], "who": [0, 1, 0, 0], "p": [Fraction(1, 2)] * 4}
    names = state_names(4, variables, initial=[0, 1])
    assert names == ["who=0", "who=1", "run=1,who=0,p=1/2", "run=1,who=0,p=1/2 #2"]
    assert state_names(4, variables)[0] == "run=0,who=0,p=1/2"
    assert state_names(2, {}) == ["0", "1"]
    assert state_names(2, {"x": [1, True]}) == ["x=1", "x=true"]


def test_all_pairs_of_a_few_initial_states_and_a_note_for_many() -> None:
    assert initial_pairs([4]) == ([], ())
    assert initial_pairs([0, 2, 5]) == ([(0, 2), (0, 5), (2, 5)], ())
    pairs, notes = initial_pairs(range(MAX_INITIAL + 1))
    assert pairs == []
    assert says(notes[0], "pairs to compare")


@pytest.mark.parametrize(
    "variables",
    [
        {"x": ["1,y=2", "1"], "y": ["3", "2,y=3"]},
        {"x": [1, "1"]},
        {"x": [True, "true"]},
        {"x": [None, ""]},
        {"x": [Fraction(1, 2), "1/2"]},
        {"x": ['a"', "a"]},
        {"x": ['"a"', "a"]},
    ],
)
def test_values_that_differ_are_seen_to_differ(variables: dict[str, list[object]]) -> None:
    states = Described("m", (), [(), ()], variables)
    one, other = visible_labels(states, Settings(observe=tuple(variables)))
    assert one != other


def test_a_plain_text_is_seen_as_it_is() -> None:
    states = Described("m", (), [(), ()], {"x": ["all heads", "édge-2"]})
    assert visible_labels(states, Settings(observe=("x",))) == ["x=all heads", "x=édge-2"]
