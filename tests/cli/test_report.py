"""``deltachain report``: the file, the verdict as exit code, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.words import says

SURVEY = "example:survey"


def test_the_file_is_written_and_the_verdict_is_the_exit_code(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    for delta, code in (("0.5", 0), ("0.001", 1)):
        done = run("report", SURVEY, "--epsilon", "1", "--delta", delta, "--out", str(out))
        assert done.returncode == code, done.stderr
        assert hashlib.sha256(out.read_bytes()).hexdigest() in done.stdout
    text = out.read_text("utf-8")
    assert says(text, "deltachain report example:survey")
    assert says(text, "verify example:survey certificate.json")
    assert str(tmp_path) not in text, "where it was written does not change the bytes"


def test_every_wrong_option_is_named_before_any_work(tmp_path: Path) -> None:
    done = run("report", SURVEY, "--delta", "2", "--prior", "1", "--epsilons", "0:1", "--gap", "0")
    assert done.returncode == 2
    for option in ("--epsilon", "--delta", "--prior", "--epsilons", "--gap", "--out"):
        assert f"{option}: " in done.stderr, option
    done = run("report", SURVEY, "--epsilon", "1", "--out", str(tmp_path))
    assert done.returncode == 2
    assert says(done.stderr, "is a directory")


@pytest.mark.parametrize("model", ["example:survey", "example:geometric", "example:coin"])
def test_epsilon_up_to_1000_is_drawn(model: str, tmp_path: Path) -> None:
    for epsilon in ("710", "1000"):
        options = ("--epsilon", epsilon, "--epsilons", f"0,1,{epsilon}", "--max-nodes", "200")
        done = run("report", model, *options, "--out", str(tmp_path / "r.html"))
        assert done.returncode in (0, 3), done.stderr
        assert "polyline" in (tmp_path / "r.html").read_text("utf-8")
