"""The command line on chains whose observer chooses: what works, and what refuses with a sentence of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltachain import load
from tests.cli.command import run, run_json
from tests.words import says

PROBE = "example:probe"


@pytest.mark.parametrize("suffix", ["json", "drn", "umb"])
def test_convert_keeps_inputs(suffix: str, tmp_path: Path) -> None:
    if suffix == "umb":
        pytest.importorskip("umbi", reason="needs the extra umb")
    path = tmp_path / f"probe.{suffix}"
    assert run("convert", PROBE, str(path)).returncode == 0
    assert load(path).inputs["start"] == ("probe", "q1", "q2")


def test_convert_to_dot_shows_inputs() -> None:
    text = run("convert", PROBE, "-", "--to", "dot").stdout
    assert says(text, 'label="probe", arrowhead=none')


def test_convert_to_explicit_files_is_refused(tmp_path: Path) -> None:
    done = run("convert", PROBE, str(tmp_path / "probe.tra"))
    assert done.returncode == 2
    assert says(done.stderr, "observer chooses inputs")
    assert says(done.stderr, "write .json, .drn")
    assert list(tmp_path.iterdir()) == []


def test_inputs_can_be_settled(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    labels = ("start", "mode-1", "mode-2", "yes", "no")
    done = run("convert", PROBE, str(path), "--choose", *(f"{label}=q1" for label in labels))
    assert done.returncode == 0, done.stderr
    settled = load(path)
    assert not settled.interactive
    assert run("trace", str(path), "--word", "start yes", "--state", "s1").returncode == 0


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (["start"], "--choose: 'start' is not LABEL=INPUT"),
        (["start=q1", "start=q2"], "--choose: two inputs for the label 'start'"),
        (["start=q3"], "label 'start': it offers no input 'q3' (it offers 'probe', 'q1', 'q2')"),
        (["end=q1"], "label 'end': it offers no inputs"),
    ],
)
def test_what_cannot_be_settled_is_said(given: list[str], part: str, tmp_path: Path) -> None:
    done = run("convert", PROBE, str(tmp_path / "plan.json"), "--choose", *given)
    assert done.returncode == 2
    assert part in done.stderr


@pytest.mark.parametrize(
    ("arguments", "what", "fix"),
    [
        (["threshold", PROBE, "--theta", "1/2", "--exp-epsilon", "2"], "the formulas have one step", "distance takes"),
        (["estimate", PROBE, "--exp-epsilon", "2"], "words can be drawn only where nobody chooses", "delta bounds"),
        (["trace", PROBE, "--length", "2"], "which words there are depends on what is given", "name a word"),
        (["profile", PROBE, "--epsilons", "0:1:1", "--repeat", "2"], "no losses to compose", "ask about one run"),
        (["profile", PROBE, "--epsilons", "0:1:1", "--estimate"], "words can be drawn only where", "band itself is"),
        (["delta", PROBE, "--exp-epsilon", "2", "--hide", "yes"], "steps that nobody sees cannot be summed", "settle"),
    ],
)  # fmt: skip
def test_what_is_only_for_chains_without_inputs_says_so(arguments: list[str], what: str, fix: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert says(done.stderr, "observer chooses inputs")
    assert what in done.stderr
    assert fix in done.stderr
    assert done.stdout == ""


def test_trace_takes_words_with_inputs() -> None:
    found = run_json("trace", PROBE, "--word", "start probe mode-1 q1 no", "--pair", "s0", "s1", "--exp-epsilon", "3/2")
    chances = found["results"][0]["probabilities"]
    assert {state: p["exact"] for state, p in chances.items()} == {"s0": "3/8", "s1": "1/8"}
    done = run("trace", PROBE, "--word", "start no", "--state", "s0")
    assert done.returncode == 2
    assert says(done.stderr, "start' offers no")


def test_delta_and_check_take_inputs() -> None:
    found = run_json("delta", PROBE, "--exp-epsilon", "3/2")
    assert found["lower"]["exact"] == found["upper"]["exact"] == "3/8"
    assert run("check", PROBE, "--exp-epsilon", "3/2", "--delta", "1/3").returncode == 1
