"""``calibrate``: two values, two certificates, and the exit code."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.cli.command import run
from tests.words import says

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
    covers = "for the pair (s0, s1); no other inputs were examined"
    proved = f"p = 0.76 (19/25): largest found, proved, checked, δ ≤ 0.04 {covers}; p = 0.77 (77/100): refuted"
    assert text.startswith(proved)


def test_the_answer_is_printed_where_a_certificate_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "proved.json").mkdir()
    done = run(*SURVEY, "--parameter", "p=3/4,4/5", "--certificates", str(tmp_path), "--brief")
    assert done.returncode == 2
    assert says(done.stdout, "largest found, proved")
    assert says(done.stderr, "proved.json: it is")


def test_no_certificate_of_an_earlier_run_is_left(tmp_path: Path) -> None:
    folder, other = tmp_path / "proofs", tmp_path / "proofs" / "other.json"
    asked = (*SURVEY, "--certificates", str(folder))
    assert run(*asked, "--parameter", "p=3/4,4/5").returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["proved.json", "refuted.json"]
    other.write_text("{}")
    private = run(*asked, "--parameter", "p=3/5,7/10", "--maximise")
    assert private.returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["other.json", "proved.json"]
    removed = "which an earlier run wrote: this one has no such proof"
    assert f"note: removed {folder / 'refuted.json'}, {removed}" in private.stderr
    assert run("verify", "example:survey,p=7/10", str(folder / "proved.json")).returncode == 0
    violated = run(*asked, "--parameter", "p=4/5,9/10")
    assert violated.returncode == 1
    assert not (folder / "proved.json").exists()
    assert f"note: removed {folder / 'proved.json'}, {removed}" in violated.stderr
    assert "removed" not in run(*asked, "--parameter", "p=4/5,9/10").stderr


def test_the_lines_that_check_the_certificates_do_so(tmp_path: Path) -> None:
    program, folder = tmp_path / "noise.py", tmp_path / "proofs"
    program.write_text(
        "from deltachain import announce, flip, program\n\n@program\n"
        "def answered(truth, p, q):\n    announce(truth if flip(p) else flip(q))\n"
    )
    options = ("--secrets", "truth=(True, False)", "--neighbours", "a.truth != b.truth", "--constants", "q=1/2")
    asked = ("calibrate", f"{program}:answered", *options, "--exp-epsilon", "3", "--delta", "0")
    done = run(*asked, "--parameter", "p=1/4:3/4", "--step", "1/4", "--certificates", str(folder))
    lines = [line.partition("(check it: deltachain ")[2].removesuffix(")") for line in done.stderr.splitlines()]
    assert len(lines) == 3  # proved, refuted, and every better value
    for line in lines:
        again = run(*shlex.split(line))
        assert again.returncode == 0, again.stderr
        assert says(again.stdout, "domain is claimed")


def test_what_was_tried_is_drawn_and_accuracy_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "noise.py").write_text(
        "from deltachain import announce, flip, program\n\n@program\n"
        "def answered(truth: bool, p):\n    announce(truth if flip(p) else not truth)\n"
    )
    asked = (f"{tmp_path}/noise.py:answered", "--exp-epsilon", "3", "--delta", "1/20")
    picture = tmp_path / "tried.svg"
    grid = ("--parameter", "p=52/100:96/100", "--step", "1/25")
    done = run("calibrate", *asked, *grid, "--accuracy", "output == truth", "--plot", str(picture), "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["best"]["value"]["exact"] == "19/25"
    assert found["monotone_assumed"] is False
    assert found["beyond"][1]["exact"] == "24/25"
    assert found["beyond_checked"] is True
    said = run("calibrate", *asked, *grid, "--certificates", str(tmp_path / "proofs"))
    assert says(said.stdout, "proved, checked")
    proof = tmp_path / "proofs" / "beyond.json"
    assert says(said.stderr, "it: deltachain verify")
    beyond = run("verify", asked[0], str(proof))
    assert beyond.returncode == 0
    assert says(beyond.stdout, "for every p")
    assert all(tried["accuracy"]["lower"]["exact"] == tried["value"]["exact"] for tried in found["tried"])
    assert "<svg" in picture.read_text()
    places = ("--set", "p=2/3,3/4", "--epsilons", "1", "--jobs", "1")
    rows = run("sweep", asked[0], *places, "--accuracy", "output == truth").stdout
    assert "≥ 0.666666" in rows
    page = tmp_path / "page.html"
    said = run("report", *asked, "--constants", "p=3/4", "--accuracy", "output == truth", "--out", str(page))
    assert said.returncode == 0
    assert says(said.stdout, "P(output == truth")
    assert says(page.read_text(), "P(output == truth")
    for verb, options in (("calibrate", grid), ("report", ("--constants", "p=3/4", "--out", str(page)))):
        wrong = run(verb, *asked, *options, "--accuracy", "outptu == truth")
        assert wrong.returncode == 2
        assert says(wrong.stderr, "you mean 'output")


def test_exit_codes() -> None:
    assert run(*SURVEY, "--parameter", "p=0.9,0.95").returncode == 1
    assert run(*SURVEY, "--parameter", "p=0.6,0.7").returncode == 0
    assert run(*SURVEY, "--parameter", "q=0.6,0.7").returncode == 2
    assert run("calibrate", "model.json", *SURVEY[2:], "--parameter", "q=0.6,0.7").returncode == 2
    sensor = ("calibrate", "example:sticky-sensor", "--exp-epsilon", "2", "--delta", "0.05", "--max-nodes", "20")
    open_value = run(*sensor, "--parameter", "accuracy=9/16,10/16")
    assert open_value.returncode == 3
    assert says(open_value.stdout, "proved; open: accuracy")
