"""``deltachain info``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import run, run_json
from tests.words import says


def test_text() -> None:
    done = run("info", "example:coin")
    assert done.returncode == 0
    assert done.stderr == ""
    fields = dict(line.split("  ", 1) for line in done.stdout.splitlines() if not line.startswith("  "))
    assert fields["states"].strip() == "4"
    assert fields["transitions"].strip() == "6"
    assert fields["labels"].strip() == "3: heads (1), start (2), tails (1)"
    assert fields["bisimulation classes"].strip() == "4"
    assert fields["relation"].strip() == "1: (s0, s1)"
    assert says(done.stdout, "start] → heads")


def test_inputs() -> None:
    text = run("info", "example:probe", "--states", "2").stdout
    assert says(text, "no, start, yes")
    assert says(text, "start] probe →")
    assert says(text, "more states")
    found = run_json("info", "example:lockout", "--states", "1")
    assert found["inputs"] == {"ready": ["0", "1", "2"]}
    assert found["absorbing"] == 2
    assert found["states"][0]["on"]["0"] == {"s0.wait1.1": "1/4", "open": "3/4"}
    assert "to" not in found["states"][0]


def test_json() -> None:
    found = run_json("info", "example:split-coin", "--states", "1")
    assert found["schema"] == "deltachain.info/2"
    assert found["model"]["source"] == "example:split-coin"
    assert len(found["model"]["sha256"]) == 64
    assert found["classes"] < found["model"]["states"], "its ends are duplicated"
    assert len(found["states"]) == 1
    assert sum(found["alphabet"].values()) == found["model"]["states"]
    assert isinstance(found["seconds"], float)


def test_notes_go_to_standard_error_unless_quiet(tmp_path: Path) -> None:
    path = tmp_path / "rounded.json"
    states = '{"s": {"label": "a", "to": {"s": 0.333333, "t": 0.666666}}, "t": {"label": "b", "to": {"t": 1}}}'
    path.write_text(f'{{"format": "deltachain.chain/1", "states": {states}}}', "utf-8")
    assert run("info", str(path)).returncode == 2
    loud = run("info", str(path), "--normalise")
    quiet = run("info", str(path), "--normalise", "-q")
    assert loud.returncode == quiet.returncode == 0
    assert loud.stdout == quiet.stdout
    assert loud.stderr.startswith("deltachain: note: normalised")
    assert quiet.stderr == ""


def test_large_models_are_minimised_when_asked() -> None:
    model = "example:random,n=11000,degree=3"
    plain = run("info", model, "--states", "0")
    assert plain.returncode == 0
    assert "not counted" in plain.stdout
    assert "--minimise" in plain.stderr
    asked = run("info", model, "--states", "0", "--minimise")
    assert "not counted" not in asked.stdout
    assert asked.stderr == ""
