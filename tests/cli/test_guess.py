"""``deltachain guess`` as a process."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import run
from tests.words import says


def test_guess_says_it_in_words_and_as_json(tmp_path: Path) -> None:
    done = run("guess", "example:dining-cryptographers,n=3")
    assert done.returncode == 0, done.stderr
    words = "an attacker who watches guesses the secret with probability 0.3336 (417/1250); without watching"
    assert done.stdout.startswith(words)
    prior, channel = tmp_path / "p.csv", tmp_path / "c.csv"
    prior.write_text("s0,1/2\ns1,1/4\ns2,1/4\n")
    files = ["--prior", str(prior), "--channel", str(channel)]
    found = json.loads(run("guess", "example:dining-cryptographers,n=3", *files, "--json").stdout)
    assert found["before"]["exact"] == "1/2"
    assert found["exact"] is True
    assert found["lower"]["exact"] == found["upper"]["exact"]
    assert channel.read_text().splitlines()[0] == "outcome,s0,s1,s2"


def test_a_bad_prior_is_refused_with_its_line(tmp_path: Path) -> None:
    prior = tmp_path / "p.csv"
    prior.write_text("s0,1/2\ns9,1/2\n")
    done = run("guess", "example:dining-cryptographers,n=3", "--prior", str(prior))
    assert done.returncode == 2
    assert "p.csv:2" in done.stderr
    assert done.stdout == ""


def test_a_parameter_of_the_library_is_called_by_its_option() -> None:
    done = run("guess", "example:coin", "--guesses", "5")
    assert done.returncode == 2
    assert says(done.stderr)
