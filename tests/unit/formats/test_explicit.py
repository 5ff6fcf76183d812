"""The dialects of PRISM's and Storm's files, and what of them is read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import load
from deltachain.errors import FormatError, InputError, ModelError
from deltachain.formats import load_with_notes, save
from deltachain.model import Chain
from deltachain.settings import Settings
from tests.words import refuses

PRISM_LAB = '0="init" 1="deadlock" 2="heads" 3="big heads"\n0: 0\n1: 2 3\n2: 1 2\n'
STORM_LAB = "#DECLARATION\ninit deadlock heads\n#END\n0 init\n1 heads\n2 deadlock heads\n"
BODY = "0 1 0.25\n0 2 3/4\n1 1 1\n2 2 1.0\n"
ROWS = (((1, Fraction(1, 4)), (2, Fraction(3, 4))), ((1, Fraction(1)),), ((2, Fraction(1)),))


def explicit(folder: Path, tra: str, lab: str, sta: str | None = None) -> Path:
    (folder / "m.tra").write_text(tra)
    (folder / "m.lab").write_text(lab)
    if sta is not None:
        (folder / "m.sta").write_text(sta)
    return folder / "m.tra"


@pytest.mark.parametrize("head", ["3 4\n", "dtmc\n", "dtmc\n3 4\n", "", "\nDTMC\n\n"])
def test_transition_dialects(head: str, tmp_path: Path) -> None:
    chain = load(explicit(tmp_path, head + BODY, PRISM_LAB))
    assert chain.rows == ROWS
    assert chain.states == ("0", "1", "2")


@pytest.mark.parametrize(
    ("lab", "dropped", "kept"),
    [
        (PRISM_LAB, ("", "big heads,heads", "heads"), ("init", "big heads,heads", "deadlock,heads")),
        (STORM_LAB, ("", "heads", "heads"), ("init", "heads", "deadlock,heads")),
    ],
)
def test_label_dialects(lab: str, dropped: tuple[str, ...], kept: tuple[str, ...], tmp_path: Path) -> None:
    path = explicit(tmp_path, "3 4\n" + BODY, lab)
    assert load(path).labels == dropped
    assert load(path, keep_labels=True).labels == kept
    assert load_with_notes(path).notes == ("dropped the labels 'init' of 1 state, 'deadlock' of 1 state",)
    assert load_with_notes(path, Settings(keep_labels=True)).notes == ()


def test_action_names_are_skipped_and_it_is_said(tmp_path: Path) -> None:
    loaded = load_with_notes(explicit(tmp_path, "1 1\n0 0 1 go\n", '0="a"\n0: 0\n'))
    assert loaded.chain.rows == (((0, Fraction(1)),),)
    assert loaded.notes == (f"skipped the action names in {tmp_path / 'm.tra'}",)


def test_states_without_transitions_are_defects_with_their_names(tmp_path: Path) -> None:
    path = explicit(tmp_path, "2 2\n0 0 0.5\n0 1 0.5\n", "", "(@name)\n0:(start)\n1:(end)\n")
    with refuses(ModelError, "has no transitions"):
        load(path)


def test_variables_become_valuations(tmp_path: Path) -> None:
    chain = load(explicit(tmp_path, "3 4\n" + BODY, PRISM_LAB, '(x,b)\n0:(-1,true)\n2:( 7 ,false)\n1:(0.5,"a,b")\n'))
    assert chain.valuations == ({"x": -1, "b": True}, {"x": "0.5", "b": "a,b"}, {"x": 7, "b": False})
    assert chain.states == ("0", "1", "2")


def test_a_variable_of_the_model_called_name_names_nothing(tmp_path: Path) -> None:
    chain = load(explicit(tmp_path, "3 4\n" + BODY, PRISM_LAB, "(name)\n0:(4)\n1:(4)\n2:(4)\n"))
    assert chain.states == ("0", "1", "2")


def test_names_twice_are_refused(tmp_path: Path) -> None:
    with refuses(ModelError, "is used twice"):
        load(explicit(tmp_path, "3 4\n" + BODY, PRISM_LAB, "(@name)\n0:(s)\n1:(s)\n2:(t)\n"))


NUMBERED = Chain.from_rows([["1/3", "2/3"], [0, 1]], ["a", "b"])
NAMED = Chain.from_rows([["1/3", "2/3"], [0, 1]], ["a", "b"], states=["s", "t"])


def test_the_state_file_is_written_only_when_needed(tmp_path: Path) -> None:
    save(NUMBERED, tmp_path / "m.tra")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.lab", "m.tra"]
    assert (tmp_path / "m.tra").read_text() == "2 3\n0 0 1/3\n0 1 2/3\n1 1 1\n"
    assert (tmp_path / "m.lab").read_text() == '0="init" 1="deadlock" 2="a" 3="b"\n0: 2\n1: 3\n'


def test_a_state_file_of_another_chain_is_replaced(tmp_path: Path) -> None:
    save(NAMED, tmp_path / "m.tra")
    assert (tmp_path / "m.sta").read_text() == "(@name)\n0:(s)\n1:(t)\n"
    save(NUMBERED, tmp_path / "m.tra")
    assert load(tmp_path / "m.tra") == NUMBERED


def test_what_the_files_cannot_hold_leaves_the_old_ones(tmp_path: Path) -> None:
    save(NAMED, tmp_path / "m.tra")
    quoted = Chain.of_rows(("s", "t", "u"), ('"', "ok", "\n"), tuple(((i, Fraction(1)),) for i in range(3)))
    with pytest.raises(InputError) as caught:
        save(quoted, tmp_path / "m.tra")
    assert [defect.where for defect in caught.value.defects] == ["state 's'", "state 'u'"]
    valued = Chain.of_rows(NAMED.states, NAMED.labels, NAMED.rows, (), ({"x": 0.5}, {"x": None}))
    for path in (tmp_path / "m.tra", tmp_path / "m.json"):
        with refuses(InputError, "variable 'x' has") as caught:
            save(valued, path)
        assert len(caught.value.defects) == 2
    assert load(tmp_path / "m.tra") == NAMED
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("name", ["m.lab", "m.sta"])
def test_the_parts_are_no_models(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"give .*m\.tra"):
        load(tmp_path / name)
    with pytest.raises(InputError, match="file of transitions"):
        load(tmp_path / name, format="tra")
    with pytest.raises(InputError, match="file of transitions"):
        save(NAMED, tmp_path / name, format="tra")


def test_lines_of_an_mdp_are_not_taken_for_action_names(tmp_path: Path) -> None:
    """State, choice, target, probability: the choice is not a target, and the target no probability."""
    (tmp_path / "m.tra").write_text("0 0 1 1\n1 0 1 1\n")
    (tmp_path / "m.lab").write_text('0="a"\n0: 0\n')
    with refuses(FormatError, "four numbers, as"):
        load(tmp_path / "m.tra")
