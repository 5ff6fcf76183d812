"""``deltachain estimate`` and ``profile --estimate``: what is proved and what is not are never mixed up."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

SENSOR = ("estimate", "example:sticky-sensor", "--exp-epsilon", "1.1", "--max-nodes", "300", "--samples", "2000")


def test_both_intervals_are_shown_and_told_apart() -> None:
    done = run(*SENSOR)
    assert done.returncode == 0
    first, *_ = done.stdout.splitlines()
    assert says(first, "with confidence")
    assert "\nproved  " in done.stdout
    assert says(done.stdout, "proved is certain")
    brief = run(*SENSOR, "--brief")
    assert brief.stdout.splitlines() == [first]


def test_the_document_says_that_nothing_is_proved() -> None:
    found = run_json(*SENSOR, "--seed", "3")
    assert found["proved"] is False
    assert found["seed"] == 3
    assert found["confidence"]["exact"] == "999/1000"
    (result,) = found["results"]
    lower, upper = (Fraction(result[side]["exact"]) for side in ("lower", "upper"))
    least, most = (Fraction(result["certified"][side]["exact"]) for side in ("lower", "upper"))
    assert least <= lower <= upper <= most
    assert upper - lower < (most - least) / 2
    assert result["samples"] == 4000
    assert Fraction(12996, 100000) < upper
    assert lower < Fraction(12998, 100000)


def test_workers_do_not_matter_and_seeds_do() -> None:
    def answer(*more: str) -> object:
        found = run_json(*SENSOR, *more)
        return {key: value for key, value in found.items() if key != "seconds"}

    assert answer() == answer("--jobs", "1") == answer("--jobs", "2") != answer("--seed", "1")


def test_a_width_is_reached_or_the_exit_code_says_so() -> None:
    wide = run("estimate", "example:sticky-sensor", "--exp-epsilon", "1.1", "--max-nodes", "300", "--gap", "0.01")
    assert wide.returncode == 0
    narrow = run(*SENSOR, "--gap", "1e-9")
    assert narrow.returncode == 3
    assert "wider than --gap" in narrow.stderr
    assert "not proved" in narrow.stdout


def test_an_estimate_never_judges() -> None:
    """δ is far above anything allowed, and known to be: still no verdict, no certificate, no exit code 1."""
    done = run("estimate", "example:coin", "--exp-epsilon", "1")
    assert done.returncode == 0
    assert "private" not in done.stdout
    for option in ("--certificate", "--delta", "--witness"):
        assert run("estimate", "example:coin", "--exp-epsilon", "1", option, "x").returncode == 2


def test_every_defect_of_the_options_at_once() -> None:
    wrong = ("--confidence", "1", "--samples", "0", "--horizon", "x", "--seed", "-1", "--jobs", "0", "--gap", "-1")
    done = run("estimate", "example:coin", "--exp-epsilon", "1", *wrong)
    assert done.returncode == 2
    for option in ("confidence", "samples", "horizon", "seed", "--jobs", "--gap"):
        assert option in done.stderr
    both = run("estimate", "example:coin", "--exp-epsilon", "1", "--jobs", "2", "--cluster", "tcp://host:1")
    assert both.returncode == 2
    assert "--jobs" in both.stderr


def test_no_scheduler_is_a_clear_error_at_once() -> None:
    pytest.importorskip("distributed")
    done = run(*SENSOR, "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert says(done.stderr, "scheduler answers there")


def test_time_runs_out_with_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()
    monkeypatch.setattr("deltachain.cancel.time.monotonic", lambda: next(looks) / 1000)  # a millisecond per look
    arguments = ("estimate", "example:random,n=30,labels=2,degree=3", "--exp-epsilon", "1.1", "--max-nodes", "60")
    done = run(*arguments, "--samples", "9000000", "--timeout", "0.2", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert 0 < found["results"][0]["samples"] < 18_000_000


def test_a_profile_has_both_bands(tmp_path: Path) -> None:
    picture, numbers = tmp_path / "band.svg", tmp_path / "band.csv"
    arguments = ("profile", "example:sticky-sensor", "--epsilons", "0:1:0.5", "--max-nodes", "60", "--samples", "500")
    found = run_json(*arguments, "--estimate", "--plot", str(picture), "--csv", str(numbers))
    assert found["estimate"]["proved"] is False
    assert len(found["estimate"]["bounds"]) == len(found["points"]) == 3
    for point, bounds in zip(found["points"], found["estimate"]["bounds"], strict=True):
        least, most = (Fraction(point[side]["exact"]) for side in ("lower", "upper"))
        lower, upper = (Fraction(bounds[side]["exact"]) for side in ("lower", "upper"))
        assert least <= lower <= upper <= most
    assert "estimated_lower,estimated_upper" in numbers.read_text("utf-8").splitlines()[0]
    assert "hatch" in picture.read_text("utf-8") or "pattern" in picture.read_text("utf-8")
    assert "not proved" in run(*arguments, "--estimate").stdout
    assert "estimate" not in run_json(*arguments)


def test_an_exact_profile_needs_no_words() -> None:
    found = run_json("profile", "example:survey", "--epsilons", "0:1:1", "--estimate")
    assert found["estimate"]["samples"] == 0
