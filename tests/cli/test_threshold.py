"""``deltachain threshold``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import run, run_json
from tests.words import says

DINERS = "example:dining-cryptographers,n=2,p=49/100"
ASK = ("threshold", DINERS, "--exp-epsilon", "1.0002")


@pytest.mark.parametrize("way", [["--solver", "z3"], ["--solver", "cvc5"], ["--solver", "engine"], ["--reduced"]])
@pytest.mark.parametrize(
    ("question", "code"),
    [
        (["--theta", "1/2500"], 0),
        (["--theta", "1/2500", "--strict"], 1),
        (["--theta", "0.000399999"], 1),
        (["--theta", "0.0005", "--strict"], 0),
    ],
)
def test_exit_codes(way: list[str], question: list[str], code: int) -> None:
    if way[-1] == "cvc5":
        pytest.importorskip("cvc5")
    done = run(*ASK, *question, *way)
    assert done.returncode == code, done.stderr
    assert ("yes" in done.stdout) == (code == 0)
    assert ("no" in done.stdout.splitlines()[0]) == (code == 1)


def test_json() -> None:
    found = run_json(*ASK, "--theta", "1/2500")
    assert found["schema"] == "deltachain.threshold/2"
    assert found["theta"]["exact"] == "1/2500"
    assert found["exp_epsilon"]["exact"] == "5001/5000"
    assert (found["holds"], found["solver"], found["formula"], found["encoding"]) == (True, "z3", "np", "bounded")
    (row,) = found["results"]
    assert row.pop("characters") > 0
    assert row == {"pair": ["s0", "s1"], "holds": True, "proved": True, "reason": None, "variables": 0}


def test_ratios_of_bounded_integers(tmp_path: Path) -> None:
    formula = tmp_path / "q.smt2"
    ask = ("threshold", "example:split-coin", "--exp-epsilon", "6/5", "--reduced", "--bits", "7")
    found = run_json(*ask, "--theta", "1/4", "--emit-smt2", str(formula))
    assert (found["holds"], found["bits"], found["results"][0]["proved"]) == (True, 7, True)
    assert "(set-logic QF_BV)" in formula.read_text("utf-8")
    done = run(*ask, "--theta", "6/25")
    assert done.returncode == 3
    assert says(done.stdout, "ratios of numbers")
    assert says(done.stdout, "integers of")


def test_unknown_is_null_and_3() -> None:
    arguments = (
        "example:random,n=9,seed=0",
        "--exp-epsilon",
        "6/5",
        "--theta",
        "0.2",
        "--faithful",
        "--timeout",
        "0.2",
    )
    done = run("threshold", *arguments, "--json")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert found["holds"] is None
    assert found["results"][0]["holds"] is None
    assert "time limit" in found["results"][0]["reason"]
    assert "not known" in run("threshold", *arguments).stdout


def test_all_pairs_of_the_relation() -> None:
    done = run("threshold", "example:geometric", "--exp-epsilon", "3/2", "--theta", "1/6")
    assert done.returncode == 0
    assert done.stdout.count("yes") == 6


def test_the_formula_is_written_and_the_certificate_verifies(tmp_path: Path) -> None:
    formula, proof = tmp_path / "q.smt2", tmp_path / "c.json"
    done = run(*ASK, "--theta", "1/2500", "--emit-smt2", str(formula), "--certificate", str(proof), "--reduced")
    assert done.returncode == 0, done.stderr
    text = formula.read_text("utf-8")
    assert says(text, "at e^epsilon =")
    assert text.endswith("(check-sat)\n")
    checked = run("verify", DINERS, str(proof))
    assert checked.returncode == 0, checked.stderr
    assert "≤ 0.0004 at" in checked.stdout
    assert run("verify", "example:coin", str(proof)).returncode == 4


def test_a_no_has_no_certificate(tmp_path: Path) -> None:
    proof = tmp_path / "c.json"
    done = run(*ASK, "--theta", "0", "--certificate", str(proof))
    assert done.returncode == 1
    assert "no certificate" in done.stderr
    assert not proof.exists()


def test_epsilon_is_measured_just_below() -> None:
    done = run("threshold", "example:coin", "--epsilon", "0.1", "--theta", "1", "--pair", "s0", "heads")
    assert done.returncode == 0
    assert "just below e^ε" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--theta", "1.5"], "outside [0, 1]"),
        (["--theta", "1", "--bits", "many"], "--bits: not a number: 'many'"),
        (["--theta", "1", "--bits", "8", "--solver", "engine"], "--bits: the engine reads no formula"),
        (["--theta", "1", "--bits", "8", "--formula", "sigma2"], "only 'np' has an integer encoding"),
        ([], "no threshold"),
        (["--theta", "0", "--timeout", "0"], "--timeout"),
        (["--theta", "0", "--formula", "least"], "add --faithful"),
        (["--theta", "0", "--solver", "engine", "--emit-smt2", "x.smt2"], "the engine reads no formula"),
        (["--theta", "0", "--solver", "engine", "--reduced"], "--reduced: the engine reads no formula"),
        (["--theta", "0", "--emit-smt2", "no/such/folder.smt2"], "there is no such folder"),
        (["--theta", "0", "--emit-smt2", "x", "--certificate", "x"], "the same file"),
        (["--theta", "0", "--solver", "yices"], "invalid choice"),
        (["--theta", "0", "--faithful", "--reduced"], "not allowed with"),
        (["--theta", "x"], "not a number"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    done = run(*ASK, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_the_model_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    assert run("convert", "example:coin", str(path)).returncode == 0
    before = path.read_bytes()
    done = run("threshold", str(path), "--exp-epsilon", "2", "--theta", "0", "--emit-smt2", str(path))
    assert done.returncode == 2
    assert "is the model" in done.stderr
    assert path.read_bytes() == before


def test_what_bounds_settle_is_not_put_on_the_solver() -> None:
    assert says(run(*ASK, "--theta", "0").stdout, "exact bounds; nothing")
    assert "(z3: unsat)" in run(*ASK, "--theta", "0", "--reduced").stdout


def test_one_file_is_for_one_pair() -> None:
    done = run("threshold", "example:geometric", "--exp-epsilon", "2", "--theta", "0", "--emit-smt2", "x.smt2")
    assert done.returncode == 2
    assert says(done.stderr, "one file for")


def test_a_missing_solver_names_its_pip_line(tmp_path: Path) -> None:
    """A package named cvc5 that cannot be imported stands in for one that is not there."""
    (tmp_path / "cvc5.py").write_text("raise ImportError('not here')\n", "utf-8")
    done = run(*ASK, "--theta", "0", "--solver", "cvc5", environment={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 6
    assert "pip install 'deltachain[smt]'" in done.stderr


@pytest.mark.parametrize("solver", ["z3", "cvc5", "engine"])
@pytest.mark.parametrize(
    ("model", "alpha", "value", "calls"),
    [
        ("coin", "3/2", "0", 1),
        ("split-coin", "6/5", "1/4", 9),
        ("dining-cryptographers,n=2,p=49/100", "1.0002", "1/2500", 38),
    ],
)
def test_the_distance_itself_by_thresholds(model: str, alpha: str, value: str, calls: int, solver: str) -> None:
    found = run_json("threshold", f"example:{model}", "--exp-epsilon", alpha, "--exact", "--solver", solver)
    (row,) = found["exact"]
    assert (row["value"]["exact"], row["engine"]["exact"], row["agrees"]) == (value, value, True)
    assert row["calls"] == calls
    assert found["results"] == []


def test_the_whole_command_ends_in_time() -> None:
    done = run("threshold", "example:random,n=12,seed=1", "--pair", "s0", "s1", "--exp-epsilon", "6/5", "--exact",
               "--faithful", "--timeout", "3")  # fmt: skip
    assert done.returncode == 3
    assert "stopped" in done.stdout
    assert "time limit reached" in done.stdout or "does not know" in done.stdout


def test_a_formula_says_its_size() -> None:
    found = run_json("threshold", "example:coin", "--exp-epsilon", "3/2", "--theta", "0", "--faithful")
    assert found["results"][0]["variables"] == 352
    assert found["results"][0]["characters"] > 10_000
    done = run("threshold", "example:coin", "--exp-epsilon", "3/2", "--theta", "0", "--faithful")
    assert says(done.stdout, "variables and")


@pytest.mark.parametrize("option", [["--theta", "0"], ["--strict"], ["--bits", "3"]])
def test_all_thresholds_and_one_exclude_each_other(option: list[str]) -> None:
    done = run("threshold", "example:coin", "--exp-epsilon", "3/2", "--exact", *option)
    assert done.returncode == 2
    assert says(done.stderr, "about many thresholds")


def test_brief_is_one_line() -> None:
    done = run("threshold", "example:coin", "--exp-epsilon", "1", "--theta", "1/5", "--solver", "engine", "--brief")
    assert len(done.stdout.splitlines()) == 1
