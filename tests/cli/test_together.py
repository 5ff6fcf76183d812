"""``--repeat``, ``--compose`` and ``--neighbours`` through the real command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

COUNT = """
from deltachain import announce, geometric, program

@program
def noisy_count(data, noise="1/2"):
    total = sum(data)
    announce(total + geometric(noise, -total, 4 - total))
"""
SECRETS = ["data=(0,)", "data=(0,1)", "data=(1,1)"]


@pytest.fixture
def counted(tmp_path: Path) -> list[str]:
    path = tmp_path / "count.py"
    path.write_text(COUNT)
    return [f"{path}:noisy_count", *(word for secret in SECRETS for word in ("--secret", secret))]


def test_repeat_says_the_same_in_every_verb() -> None:
    model = ["example:survey,p=51/100", "--repeat", "1000"]
    found = run_json("delta", *model, "--epsilon", "1")
    (point,) = run_json("profile", *model, "--epsilons", "1")["points"]
    assert (found["lower"], found["upper"]) == (point["lower"], point["upper"])
    assert (found["repeat"], found["compose"], found["witness"]) == (1000, [], None)
    done = run("check", *model, "--epsilon", "1", "--delta", "0.2")
    assert done.returncode == 1
    assert "1,000 independent runs" in done.stdout
    bound = run_json("epsilon", *model, "--delta", "0.2")
    assert float(bound["epsilon"]["approx"]) > 1


def test_models_are_composed_each_with_its_own_relation(tmp_path: Path) -> None:
    model = tmp_path / "two.json"
    assert run("convert", "example:survey,p=2/3", str(model)).returncode == 0
    found = run_json("delta", "example:survey", "--compose", str(model), "example:coin", "--exp-epsilon", "4")
    assert found["exact"]
    assert found["upper"]["exact"] == "1/6"
    assert found["compose"] == [str(model), "example:coin"]


def test_one_run_is_asked_for_what_is_about_one_run(tmp_path: Path) -> None:
    proof, model = str(tmp_path / "proof.json"), ["example:survey", "--epsilon", "1"]
    done = run("delta", *model, "--repeat", "2", "--certificate", proof, "--witness", f"{proof}l", "--fixed", "2")
    assert done.returncode == 2
    assert [line.split(": ")[2] for line in done.stderr.splitlines()] == ["--repeat"] * 3
    assert run("delta", *model, "--repeat", "1", "--certificate", proof).returncode == 0
    done = run("profile", "example:survey", "--compose", "example:coin", "--losses", proof)
    assert says(done.stderr, "about one run")
    assert says(done.stderr, "it without --compose")


def test_a_refusal_says_what_is_possible() -> None:
    endless = "example:random,n=20,labels=2,degree=3"
    done = run("delta", endless, "--repeat", "5", "--epsilon", "1", "--max-nodes", "50")
    assert done.returncode == 2
    assert says(done.stderr, "larger --max-nodes, or")
    assert says(done.stderr, "each (ε, δ)-private")
    done = run("delta", "example:adaptive-survey", "--repeat", "5", "--epsilon", "1")
    assert says(done.stderr, "the protocol again")
    done = run("estimate", "example:survey", "--repeat", "5", "--epsilon", "1")
    assert says(done.stderr, "delta, check, epsilon")


def test_models_that_cannot_be_composed_are_all_named(tmp_path: Path) -> None:
    bare = tmp_path / "bare.json"
    bare.write_text('{"format": "deltachain.chain/1", "states": {"s": {"label": "a", "to": {"s": 1}}}}')
    done = run("delta", "example:survey", "--epsilon", "1", "--compose", "example:sticky-sensor", "example:probe")
    assert done.returncode == 2
    assert says(done.stderr, "compose example:sticky-sensor: the")
    assert says(done.stderr, "example:probe: the observer")
    done = run("delta", "example:survey", "--epsilon", "1", "--compose", str(bare))
    assert says(done.stderr, "carries no relation")
    done = run("check", "example:survey", "--epsilon", "1", "--delta", "0", "--compose", "nowhere.json")
    assert (done.returncode, says(done.stderr, "nowhere.json: there is")) == (2, True)
    done = run("delta", "example:survey", "--epsilon", "1", "--repeat", "0.5")
    assert says(done.stderr, "a whole number")


def test_programs_beside_one_start_from_the_same_secrets(counted: list[str]) -> None:
    found = run_json("delta", *counted, "--neighbours", "add-remove", "--exp-epsilon", "2", "--compose", counted[0])
    assert [entry["pair"] for entry in found["results"]] == [["data=(0,)", "data=(0, 1)"]]


def test_neighbours_are_compared_in_the_order_of_the_rule(counted: list[str]) -> None:
    def pairs(rule: str) -> list[list[str]]:
        found = run_json("delta", *counted, "--exp-epsilon", "2", "--neighbours", rule)
        return [entry["pair"] for entry in found["results"]]

    assert pairs("one-entry") == [["data=(0, 1)", "data=(1, 1)"]]
    assert pairs("len(a.data) > len(b.data)") == [["data=(0, 1)", "data=(0,)"], ["data=(1, 1)", "data=(0,)"]]
    assert len(pairs("all")) == 3


def test_rules_are_refused_with_every_defect(counted: list[str]) -> None:
    done = run("delta", *counted, "--epsilon", "1", "--neighbours", "a.dat == b.q")
    assert done.returncode == 2
    assert says(done.stderr, "variables are data")
    assert says(done.stderr, "has no variable")
    done = run("delta", *counted, "--epsilon", "1", "--neighbours", "all", "--pair", "s", "t", "--from", "data=0")
    assert says(done.stderr, "it needs --to")
    assert says(done.stderr, "pairs are also")
    done = run("delta", "example:coin", "--epsilon", "1", "--neighbours", "a.x == b.x")
    assert says(done.stderr, "has no variables")
    done = run("delta", *counted, "--epsilon", "1", "--from", "dat=0", "--to", "dta=1")
    assert done.stderr.count("the model has no variable") == 2


def test_a_sweep_over_neighbours_keeps_the_rule(counted: list[str]) -> None:
    asked = ["--neighbours", "one-entry", "--set", "noise=1/2,1/3", "--epsilons", "0"]
    found = run_json("sweep", *counted, *asked, "--jobs", "1")
    assert [row["pair"] for row in found["rows"]] == [["data=(0, 1)", "data=(1, 1)"]] * 2
