"""``calibrate``: two values, two certificates, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import run

SURVEY = ("calibrate", "example:survey", "--exp-epsilon", "3", "--delta", "1/20")


def test_both_values_with_their_certificates(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    grid = ("--parameter", "p=51/100:99/100", "--step", "1/100")
    done = run(*SURVEY, *grid, "--certificates", str(folder), "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["best"]["value"]["exact"] == "19/25"
    assert found["best"]["result"]["verdict"] == "private"
    assert found["refuted"]["value"]["exact"] == "77/100"
    assert found["refuted"]["result"]["verdict"] == "violated"
    assert found["monotone_assumed"] is True
    for name, p in (("proved", "19/25"), ("refuted", "77/100")):
        assert run("verify", f"example:survey,p={p}", str(folder / f"{name}.json")).returncode == 0
    text = run(*SURVEY, *grid).stdout
    assert text.startswith("p = 0.76 (19/25): largest found, proved, checked, δ ≤ 0.04; p = 0.77 (77/100): refuted")


def test_exit_codes() -> None:
    assert run(*SURVEY, "--parameter", "p=0.9,0.95").returncode == 1
    assert run(*SURVEY, "--parameter", "p=0.6,0.7").returncode == 0
    assert run(*SURVEY, "--parameter", "q=0.6,0.7").returncode == 2
    assert run("calibrate", "model.json", *SURVEY[2:], "--parameter", "q=0.6,0.7").returncode == 2
    sensor = ("calibrate", "example:sticky-sensor", "--exp-epsilon", "2", "--delta", "0.05", "--max-nodes", "20")
    open_value = run(*sensor, "--parameter", "accuracy=9/16,10/16")
    assert open_value.returncode == 3
    assert open_value.stdout.startswith("UNDECIDED: no value is proved; open: accuracy = ")
