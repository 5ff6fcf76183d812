"""``--hide`` and ``--hide-unlabelled``: for every verb that reads a model, said in notes, and in certificates too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deltachain.formats import save
from deltachain.model import Chain
from tests.cli.command import run, run_json
from tests.words import says

WALK = Chain.from_dicts(
    {
        "s": {"s": "1/2", "h": "1/4", "a": "1/4"},
        "t": {"h": "1/2", "b": "1/2"},
        "h": {"s": "1/3", "t": "1/3", "q,r": "1/3"},
        "a": {"a": 1},
        "b": {"b": 1},
        "q,r": {"t": 1},
    },
    {"s": "", "t": "", "h": "hop", "a": "A", "b": "B", "q,r": "q,r"},
)


@pytest.fixture
def walk(tmp_path: Path) -> str:
    save(WALK, tmp_path / "walk.json")
    return str(tmp_path / "walk.json")


def test_notes_say_what_was_hidden(walk: str) -> None:
    done = run("delta", walk, "--pair", "s", "t", "--exp-epsilon", "2", "--hide", "hop,q,r", "--hide-unlabelled")
    assert done.returncode == 2
    assert says(done.stderr, "state has the")
    done = run(
        "delta", walk, "--pair", "s", "t", "--exp-epsilon", "2", "--hide", "hop", "--hide", "q,r", "--hide-unlabelled"
    )
    assert done.returncode == 0
    assert says(done.stderr, "without a label")
    assert done.stdout.startswith("δ(s, t) = ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("delta", "--pair", "s", "t", "--exp-epsilon", "2"),
        ("check", "--pair", "s", "t", "--exp-epsilon", "2", "--delta", "1"),
        ("epsilon", "--pair", "s", "t", "--delta", "1"),
        ("profile", "--pair", "s", "t", "--epsilons", "0:1:1"),
        ("distance", "--pair", "s", "t", "--exp-epsilon", "2"),
        ("trace", "--word", "(start) A"),
        ("info",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_verb_that_reads_a_model_hides(arguments: tuple[str, ...], walk: str) -> None:
    found = run_json(arguments[0], walk, *arguments[1:], "--hide", "hop", "-q")
    assert found["model"]["states"] == len(WALK) - 1


def test_certificates_are_for_the_chain_without_silent_states(walk: str, tmp_path: Path) -> None:
    hides = ("--hide-unlabelled", "--hide", "hop")
    proof = str(tmp_path / "proof.json")
    done = run("delta", walk, "--pair", "t", "s", "--exp-epsilon", "3/2", "--certificate", proof, *hides)
    assert done.returncode == 0, done.stderr
    assert says(done.stderr, "hop --hide-unlabelled")
    checked = run("verify", walk, proof, *hides)
    assert (checked.returncode, checked.stdout[:24]) == (0, "proved: delta of (t, s) ")
    assert run("verify", walk, proof).returncode != 0


def test_what_is_converted_is_the_chain_without_silent_states(walk: str) -> None:
    done = run("convert", walk, "-", "--hide-unlabelled", "-q")
    assert set(json.loads(done.stdout)["states"]) == {"h", "a", "b", "q,r"}


def test_there_must_be_something_to_see(walk: str) -> None:
    done = run("info", walk, "--hide", "hop,A", "--hide", "B", "--hide", "q,r", "--hide-unlabelled")
    assert done.returncode == 2
    assert says(done.stderr, "is silent: nothing")


def test_hidden_steps_between_questions_and_a_question_that_cannot_be_hidden(tmp_path: Path) -> None:
    rows = {
        "s": {"look": {"w": 1}, "wait": {"s": 1}},
        "t": {"look": {"b": "3/4", "a": "1/4"}, "wait": {"w": 1}},
        "w": {"w": "1/2", "a": "1/2"},
        "a": {"a": 1},
        "b": {"b": 1},
    }
    labels = {"s": "box", "t": "box", "w": "hop", "a": "A", "b": "B"}
    model = str(tmp_path / "box.json")
    save(Chain.from_dicts(rows, labels, relation=[("s", "t")]), model)
    done = run("delta", model, "--exp-epsilon", "1", "--hide", "hop")
    assert done.returncode == 0
    assert done.stdout.startswith("δ(s, t) = ")
    proof = str(tmp_path / "proof.json")
    assert run("delta", model, "--exp-epsilon", "1", "--hide", "hop", "--certificate", proof).returncode == 0
    assert run("verify", model, proof, "--hide", "hop").returncode == 0
    done = run("delta", model, "--exp-epsilon", "1", "--hide", "box")
    assert done.returncode == 2
    assert says(done.stderr, "observer chooses inputs")
    assert says(done.stderr, "visible, or settle")
