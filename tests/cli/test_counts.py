"""`deltachain counts`: from a log to a model that the other verbs take, and what it says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.words import says

DECLARED = ("--secrets", "a,b", "--outputs", "heads,tails", "--out", "model.json")


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [("a", "heads")] * 402 + [("a", "tails")] * 598 + [("b", "heads")] * 500 + [("b", "tails")] * 499
    lines = [f"{number},{secret},{output}" for number, (secret, output) in enumerate([*rows, ("b", "edge")])]
    (tmp_path / "log.csv").write_text("\n".join(["who,secret,output", *lines, ""]))
    return tmp_path / "log.csv"


def test_a_log_becomes_a_model_with_a_confidence(log: Path) -> None:
    done = run("counts", "log.csv", *DECLARED)
    assert done.returncode == 0, done.stderr
    assert says(done.stdout, "model.json: 4 states")
    assert says(done.stdout, "not declared, counted")
    assert says(done.stdout, "log are independent")
    made = json.loads((log.parent / "model.json").read_text())
    assert made["states"]["secret=b"]["counts"] == {"output=heads": 500, "output=tails": 499, "other": 1}
    answer = run("check", "model.json", "--epsilon", "0.5", "--delta", "0.3", "-q", "--brief")
    assert answer.returncode == 0, answer.stderr
    assert says(answer.stdout, "confidence, given the")


def test_by_user_and_in_json(log: Path) -> None:
    done = run("counts", "log.csv", *DECLARED, "--user", "who", "--confidence", "0.95", "--json")
    found = json.loads(done.stdout)
    assert found["schema"] == "deltachain.counts/2"
    assert found["rows"]["counted"] == 2000
    assert says(found["assumes"][0])
    assert found["confidence"]["exact"] == "19/20"


def test_a_secret_that_never_occurs_is_said(log: Path) -> None:
    done = run(
        "counts", "log.csv", "--secrets", "a,c", "--outputs", "heads,tails", "--totals", "fixed", "--out", "m.json"
    )
    assert says(done.stdout, "secret c: nothing")
    assert says(done.stdout, "secret was decided")


def test_nothing_is_learned_from_the_log(log: Path) -> None:
    done = run("counts", "log.csv", "--out", "model.json")
    assert done.returncode == 2
    assert done.stderr.count("must be declared before the data are seen") == 2
    assert not (log.parent / "model.json").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--totals", "fixed", "--depth", "2"), "how often a prefix occurs is never decided in advance"),
        (("--first-run",), "name their column: --user COLUMN"),
        (("--end", "stop"), "a run of one output has no end"),
        (("--complete",), "1 output was not declared"),
        (("--user", "name"), "there is no column 'name'"),
        (("--out", "model.prism"), "is not a native model"),
        (("--outputs", '"x'), "is not a list of names"),
    ],
)
def test_what_is_refused_leaves_no_file(options: tuple[str, ...], said: str, log: Path) -> None:
    done = run("counts", "log.csv", *DECLARED, *options)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (log.parent / "model.json").exists()


def test_a_log_that_is_taken_for_probabilities_is_told_apart(log: Path) -> None:
    done = run("delta", "log.csv", "--epsilon", "1")
    assert done.returncode == 2
    assert done.stderr.count("error:") == 1
    assert says(done.stderr, "log: deltachain counts")


def test_a_log_on_standard_input(log: Path) -> None:
    from_file = run("counts", "log.csv", *DECLARED)
    made = (log.parent / "model.json").read_text()
    assert run("counts", "-", *DECLARED, input=log.read_text()).stdout == from_file.stdout
    assert (log.parent / "model.json").read_text() == made
    wrong = run("counts", "-", *DECLARED, input="secret,output\na\n")
    assert wrong.returncode == 2
    assert "standard input:2" in wrong.stderr


def test_a_line_break_within_quotes_is_part_of_the_output(log: Path) -> None:
    log.write_text('secret,output\na,"x\ny"\na,xy\nb,xy\n')
    done = run("counts", "log.csv", "--secrets", "a,b", "--outputs", "xy", "--out", "model.json")
    assert says(done.stdout, "not declared, counted")
