"""Models whose rows are known within limits, on the command line: four verdicts, the middle, the extremes, the note."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

ENDS = {"h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}


@pytest.fixture
def coins(tmp_path: Path) -> str:
    """Two coins, each known to show heads with probability 2/5 to 3/5."""
    coin = {"label": "start", "to": {"h": ["2/5", "3/5"], "t": ["2/5", "3/5"]}}
    return written(tmp_path, {"states": {"s": coin, "u": coin} | ENDS})


@pytest.fixture
def counted(tmp_path: Path) -> str:
    counts = [{"h": 4021, "t": 5979}, {"h": 5021, "t": 4979}]
    states = {name: {"label": "start", "counts": seen} for name, seen in zip("su", counts, strict=True)}
    return written(tmp_path / "counted", {"confidence": "0.99", "totals": "fixed", "states": states | ENDS})


def written(folder: Path, model: dict[str, object]) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "model.json"
    path.write_text(json.dumps({"format": "deltachain.chain/1", "relation": [["s", "u"]]} | model), "utf-8")
    return str(path)


def test_an_interval_says_that_it_is_about_every_chain(coins: str) -> None:
    done = run("delta", coins, "--epsilon", "0")
    assert done.returncode == 0
    assert says(done.stdout, "limits given, certified")
    assert says(done.stdout, "in the middle")
    assert says(done.stdout, "some reach")


def test_private_for_every_chain(coins: str) -> None:
    done = run("check", coins, "--epsilon", "0", "--delta", "0.3")
    assert done.returncode == 0
    assert says(done.stdout, "PRIVATE: proved, checked")


def test_violated_by_some_chain_which_is_written(coins: str, tmp_path: Path) -> None:
    found = tmp_path / "chain.json"
    done = run("check", coins, "--epsilon", "0", "--delta", "0.1", "--counterexample", str(found))
    assert done.returncode == 1
    assert says(done.stdout, "chain consistent with")
    alone = run("check", str(found), "--epsilon", "0", "--delta", "0.1")
    assert alone.returncode == 1
    assert says(alone.stdout, "VIOLATED: proved, checked")


def test_violated_for_all_and_undecided(tmp_path: Path) -> None:
    near, far = {"h": ["3/10", "7/20"], "t": ["13/20", "7/10"]}, {"h": ["3/5", "7/10"], "t": ["3/10", "2/5"]}
    states = {"s": {"label": "start", "to": near}, "u": {"label": "start", "to": far}} | ENDS
    model = written(tmp_path, {"states": states})
    all_of_them = run("check", model, "--epsilon", "0", "--delta", "0.2")
    assert all_of_them.returncode == 1
    first = all_of_them.stdout.splitlines()[0]
    assert says(first, "VIOLATED: proved, checked")
    assert "at least, from" in all_of_them.stdout
    open_question = run("check", model, "--epsilon", "0", "--delta", "0.4")
    assert open_question.returncode == 3  # the limits reach 0.4 exactly: not above it
    assert open_question.stdout.startswith("UNDECIDED")


def test_counts_are_never_proved_without_their_confidence(counted: str) -> None:
    for arguments in (
        ["delta"],
        ["check", "--delta", "0.2"],
        ["check", "--delta", "0.01"],
        ["check", "--delta", "0.05"],
    ):
        done = run(*arguments[:1], counted, "--epsilon", "0.1", *arguments[1:])
        assert says(done.stdout.splitlines()[0], "confidence, given the")


def test_json_of_boxes(coins: str, counted: str) -> None:
    done = run("check", coins, "--epsilon", "0", "--delta", "0.1", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (1, "violated by some")
    assert (found["uncertain"], found["confidence"]) == (True, None)
    (pair,) = found["results"]
    assert Fraction(pair["inside"]["upper"]["exact"]) == Fraction(1, 5)
    assert pair["centre"]["upper"]["exact"] == "0"
    found = run_json("delta", counted, "--epsilon", "0.1")
    assert found["confidence"]["exact"] == "99/100"
    assert found["witness"]["bounded"] is True


@pytest.mark.parametrize("verb", ["distance", "threshold", "estimate", "trace"])
def test_what_needs_exact_rows_refuses_by_name(verb: str, coins: str) -> None:
    more = {"threshold": ["--epsilon", "0", "--theta", "1/2"], "trace": ["--word", "start heads"]}
    done = run(verb, coins, *more.get(verb, ["--epsilon", "0"]))
    assert done.returncode == 2
    assert "within limits only" in done.stderr


def test_info_epsilon_and_profile_understand_boxes(coins: str, counted: str) -> None:
    assert says(run("info", coins).stdout, "known within limits")
    assert "with confidence 99/100" in run("info", counted).stdout
    assert says(run("epsilon", coins, "--delta", "0.1").stdout, "is proved from")
    assert "0.200001" in run("profile", coins, "--epsilons", "0,0.1").stdout


def test_a_certificate_of_boxes_is_checked(coins: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    assert run("delta", coins, "--epsilon", "0", "--certificate", str(proof)).returncode == 0
    assert run("verify", coins, str(proof)).returncode == 0
    text = proof.read_text("utf-8")
    upper = json.loads(text)["proves"][0]["upper"]
    top, _, bottom = upper.partition("/")
    proof.write_text(text.replace(f'"{upper}"', f'"{int(top) - 1}/{bottom}"'), "utf-8")
    assert run("verify", coins, str(proof)).returncode == 4
