"""``deltachain check``: three verdicts, three exit codes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

DINERS = "example:dining-cryptographers,n=2,p=49/100"
ASK = ["check", DINERS, "--exp-epsilon", "1.0002", "--delta"]


def test_private_up_to_the_very_delta() -> None:
    done = run(*ASK, "7501/25000000")
    assert (done.returncode, done.stderr) == (0, "")
    assert says(done.stdout.splitlines()[0])
    assert "Outputs that tell" not in done.stdout


def test_violated_by_a_hair_and_shown_so() -> None:
    done = run(*ASK, "0.00030003999999")
    assert (done.returncode, done.stderr) == (1, "")
    first = done.stdout.splitlines()[0]
    assert says(first)
    assert "start 1" in done.stdout
    assert says(done.stdout, "guesses optimally gains")


def test_undecided() -> None:
    done = run("check", "example:sticky-sensor", "--exp-epsilon", "1.01", "--delta", "0.16", "--max-nodes", "1")
    assert done.returncode == 3
    assert done.stdout.startswith("UNDECIDED: only ")
    assert "0.16 is allowed" in done.stdout.splitlines()[0]


def test_json_has_a_verdict_for_every_pair() -> None:
    done = run("check", "example:dining-cryptographers,n=4", "--exp-epsilon", "1", "--delta", "5e-4", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["schema"] == "deltachain.check/2"
    assert (found["verdict"], found["delta"]) == ("violated", {"exact": "1/2000", "approx": 0.0005})
    for result in found["results"]:
        lower, upper = (Fraction(result[side]["exact"]) for side in ("lower", "upper"))
        known = "private" if upper <= Fraction(1, 2000) else "violated" if lower > Fraction(1, 2000) else "undecided"
        assert result["verdict"] == known
    assert {result["verdict"] for result in found["results"]} == {"private", "violated"}
    assert run_json(*ASK, "1")["verdict"] == "private"


def test_it_stops_as_soon_as_it_knows() -> None:
    arguments = ["example:sticky-sensor", "--exp-epsilon", "1.01", "--max-nodes", "3000"]
    found = run_json("check", *arguments, "--delta", "0.5")
    assert found["verdict"] == "private"
    assert found["results"][0]["nodes"] < run_json("delta", *arguments)["results"][0]["nodes"]


def test_different_labels_are_violated_unless_all_is_allowed() -> None:
    arguments = ["check", "example:coin", "--pair", "s0", "heads", "--epsilon", "5", "--delta"]
    done = run(*arguments, "0.99")
    assert done.returncode == 1
    assert says(done.stdout, "so δ =")
    assert run(*arguments, "1").returncode == 0


def test_the_verdict_is_proved_in_its_certificate(tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    assert run(*ASK, "3e-4", "--certificate", str(proof)).returncode == 1
    assert says(run("verify", DINERS, str(proof)).stdout, "delta of")


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        (["--delta", "-0.1"], "--delta: -1/10 is outside [0, 1]"),
        (["--delta", "1.1"], "--delta: 11/10 is outside [0, 1]"),
        (["--delta", "tiny"], "--delta"),
        ([], "--delta: no δ to check against"),
        (["--delta", "0.1", "--gap", "0"], "--gap"),
    ],
)
def test_bad_requests(allowed: list[str], text: str) -> None:
    done = run("check", DINERS, "--epsilon", "1", *allowed)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
