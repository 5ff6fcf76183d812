"""The solvers' interface: answers, limits, absence."""

from __future__ import annotations

import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import examples
from deltachain.errors import BackendMissing, InputError, SolverError, SolverUnknown
from deltachain_smt import decider as deciding
from deltachain_smt import solvers
from deltachain_smt.decider import Decider
from deltachain_smt.formulas import number_text
from deltachain_smt.solvers import (
    Algebraic,
    SolverAnswer,
    answer_from_json,
    answer_to_json,
    backend,
    is_installed,
    run,
)
from tests.extras import skip_without
from tests.words import refuses

ROOT = """(set-logic QF_NRA)
(set-option :produce-models true)
(declare-fun x () Real)
(declare-fun unused () Real)
(assert (and (= (* x x) 2.0) (< 0.0 x)))
(check-sat)
"""


@pytest.mark.parametrize("name", ["z3", "cvc5"])
@pytest.mark.parametrize("timeout", [None, 30.0])
def test_answers(name: str, timeout: float | None) -> None:
    if not solvers.is_installed(name):
        skip_without("smt")
    answer = run(name, ROOT, timeout)
    assert answer.verdict == "sat"
    root = answer.model["x"]
    assert isinstance(root, Algebraic)
    assert root.lower**2 < 2 < root.upper**2
    assert root.upper - root.lower < Fraction(1, 10**30)
    assert set(answer.model) == {"x", "unused"}
    assert run(name, ROOT.replace("2.0", "(- 2.0)"), timeout).verdict == "unsat"
    rational = run(name, ROOT.replace("2.0", "(/ 4.0 9.0)"), timeout)
    assert rational.model["x"] == Fraction(2, 3)


@pytest.mark.parametrize("name", ["z3", "cvc5"])
@pytest.mark.parametrize("timeout", [None, 30.0])
def test_scripts_that_do_not_parse(name: str, timeout: float | None) -> None:
    if not solvers.is_installed(name):
        skip_without("smt")
    with pytest.raises(SolverError, match=name):
        run(name, "(set-logic QF_LRA)\n(assert (< nonsense 1.0))\n(check-sat)\n", timeout)


def test_the_time_limit_is_kept() -> None:
    chain = examples.build("random,n=9,seed=0")
    decider = Decider(chain, 0, 1, exp_epsilon="6/5", encoding="faithful", timeout=0.2)
    script = decider.script("1/2")
    answer = run("z3", script, 0.2)
    assert answer.verdict == "unknown"
    assert "time limit" in answer.reason
    with refuses(SolverUnknown, "time limit of"):
        decider.decide("1/2")


@pytest.mark.parametrize("limit", [0, -1, float("nan"), True, "5"])
def test_limits_that_are_none(limit: float) -> None:
    with pytest.raises(InputError, match="timeout"):
        Decider(examples.build("coin"), "s0", "s1", exp_epsilon=1, timeout=limit)
    with pytest.raises(InputError, match="timeout"):
        run("z3", ROOT, limit)


def test_a_limit_beyond_what_systems_wait() -> None:
    assert run("z3", ROOT, float("inf")).verdict == "sat"


def test_modules_of_the_users_folder_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("z3", ROOT, 60).verdict == "sat"


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="POSIX alarms")
def test_a_worker_ends_itself() -> None:
    pytest.importorskip("z3", reason="needs the extra smt")
    hard = Decider(examples.build("random,n=9,seed=0"), 0, 1, exp_epsilon="6/5", encoding="faithful").script("1/2")
    command = [sys.executable, "-P", "-m", "deltachain_smt.solvers", "z3", "1"]
    done = subprocess.run(command, input=hard, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert done.returncode == -signal.SIGALRM


def test_a_solver_that_is_killed_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = subprocess.CompletedProcess([], -9, "", "")
    monkeypatch.setattr(solvers.subprocess, "run", lambda *_, **__: killed)
    answer = run("z3", ROOT, 10)
    assert answer.verdict == "unknown"
    assert "signal 9" in answer.reason


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_very_long_numbers_are_no_crash(name: str) -> None:
    if not is_installed(name):
        skip_without("smt")
    tiny = number_text(Fraction(1, 10**5000))
    script = f"(set-logic QF_LRA)\n(declare-fun x () Real)\n(assert (= x {tiny}))\n(check-sat)\n"
    script = "(set-option :produce-models true)\n" + script
    answer = run(name, script)
    assert answer.verdict == "unknown" or answer.model == {"x": Fraction(1, 10**5000)}


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_a_missing_solver_is_named_with_its_pip_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> object:
        raise ImportError(module)

    monkeypatch.setattr(solvers.importlib, "import_module", missing)
    monkeypatch.setattr(solvers, "is_installed", lambda _: False)
    for timeout in (None, 10.0):
        with pytest.raises(BackendMissing, match=r"pip install 'deltachain"):
            run(name, ROOT, timeout)


def test_unknown_solvers_are_refused() -> None:
    with refuses(InputError, "solvers are"):
        backend("yices")


def test_unknown_stays_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "run", lambda *_: SolverAnswer("unknown", reason="(incomplete"))
    chain = examples.build("coin")
    with pytest.raises(SolverUnknown, match="incomplete"):
        Decider(chain, "s0", "s1", exp_epsilon=1).decide(0)


def test_answers_survive_json() -> None:
    model = {"x": Fraction(1, 3), "y": Algebraic(Fraction(1), Fraction(3, 2))}
    answer = SolverAnswer("sat", model, "because")
    assert answer_from_json(answer_to_json(answer)) == answer
