"""``--execute``: a file is run on purpose or not at all, and what its code shows is checked."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import deltachain as dc
from deltachain.errors import InputError
from tests.cli.command import run, run_alone, run_json
from tests.words import refuses, says

GLUE = """
import math
import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import beside
from deltachain import announce, discrete_laplace, flip

print("loaded")
Path(__file__).with_suffix(".ran").touch()


@dataclass(frozen=True)
class Record:
    key: str


def release(records: "list[Record]", threshold: int = 5, scale: int = 1):
    counts = Counter(record.key for record in records)
    return {key: n for key, count in sorted(counts.items()) if (n := count + discrete_laplace(scale)) >= threshold}


def survey(truth, honest="3/4"):
    print("asked")
    return truth if flip(honest) else not truth


def sorts(x):
    return math.isfinite(x[0]) or flip("1/2")


def broken(truth):
    return 1 // (flip("1/2") - 1)


def leaves(truth):
    raise SystemExit(3)


def ends(truth):
    os._exit(0)


def loops(truth):
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass


def typed(truth):
    return type(truth + discrete_laplace("1/8")).__name__


A = [Record("a")] * 3 + [Record("b")]
B = A[:3]
"""


@pytest.fixture
def glue(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("", "utf-8")
    path = tmp_path / "glue.py"
    path.write_text(GLUE, "utf-8")
    return path


ASKED = ("--epsilon", "1", "--delta", "0")
RELEASED = ("--secret", "records=A", "--secret", "records=B", "--epsilon", "1")


@pytest.mark.usefixtures("one_process")
@pytest.mark.usefixtures("whole_budget")
def test_code_is_checked_and_its_objects_are_secrets(glue: Path) -> None:
    done = run("check", "--execute", f"{glue}:release", *RELEASED, "--delta", "0.0134")
    assert done.returncode == 0
    assert says(done.stdout, "confirmed): proved, checked")
    assert says(done.stderr, "running the code")
    assert "sha256" in done.stderr
    assert "loaded" in done.stderr  # and not on standard output
    assert run("check", "--execute", f"{glue}:release", *RELEASED, "--delta", "0.0133").returncode == 1


def test_without_it_no_file_is_run(glue: Path) -> None:
    for verb in ("check", "delta", "info", "convert"):
        arguments = [f"{glue}:release", "--secret", "records=1"]
        run(verb, *arguments, *(["x.json"] if verb == "convert" else []))
    environment = {"DELTACHAIN_EXECUTE": "1", "DELTACHAIN_OPTIONS": "--execute"}
    run_alone("check", f"{glue}:release", *RELEASED, "--delta", "0", environment=environment)
    assert not glue.with_suffix(".ran").exists()


@pytest.mark.usefixtures("one_process")
def test_constants_and_literals_are_given_as_ever(glue: Path) -> None:
    given = ("--secret", "truth=True", "--secret", "truth=False", "--exp-epsilon", "4", "--delta", "0")
    assert run("check", "--execute", f"{glue}:survey,honest='4/5'", *given).returncode == 0
    assert run("check", "--execute", f"{glue}:survey", "--constants", "honest='5/6'", *given).returncode == 1
    document = run_json("delta", "--execute", f"{glue}:survey", *given[:-2])
    assert document["model"]["states"] == 5
    assert document["lower"]["exact"] == "0"


@pytest.mark.usefixtures("one_process")
def test_a_secret_may_hold_what_python_has_no_literal_for(glue: Path) -> None:
    given = ("--epsilon", "1", "--delta", "0", "--secret", "x=[1]")
    for text in ('x=[float("nan")]', "x=[-float('inf')]", 'x=[float("1e999")]'):
        assert run("check", "--execute", f"{glue}:sorts", *given, "--secret", text).returncode == 1
    assert run("check", "--execute", f"{glue}:sorts", *given, "--secret", 'x=[float("1")]').returncode == 0
    assert "cannot be read" in run("check", "--execute", f"{glue}:sorts", *given, "--secret", 'x=float("one")').stderr


def test_the_certificate_is_checked_on_the_converted_chain(glue: Path, tmp_path: Path) -> None:
    proof, chain = tmp_path / "proof.json", tmp_path / "chain.json"
    done = run("check", "--execute", f"{glue}:release", *RELEASED, "--delta", "0.02", "--certificate", str(proof))
    assert done.returncode == 0
    assert "deltachain convert" in done.stderr
    assert run("convert", "--execute", f"{glue}:release", str(chain), *RELEASED[:-2]).returncode == 0
    assert run("verify", str(chain), str(proof)).returncode == 0


def test_a_report_says_how_the_chain_was_made(glue: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("report", "--execute", f"{glue}:release", *RELEASED, "--delta", "0.0134", "--out", str(page))
    assert done.returncode == 0
    assert page.read_text("utf-8").count("made by running the code") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "-", "--execute", *ASKED), "give file.py:FUNCTION, not -"),
        (("check", "example:coin", "--execute", *ASKED), "a function of a Python file"),
        (("verify", "GLUE:release", "c.json", "--execute"), "this command runs no code"),
        (("explore", "GLUE:release", "--execute", "--no-browser"), "this command runs no code"),
        (("estimate", "GLUE:release", "--execute", *RELEASED, "--cluster", "local"), "on this machine alone"),
        (("check", "GLUE:none", "--execute", *RELEASED, "--delta", "0"), "its functions are: Record, release, survey"),
        (("check", "GLUE:survey", "--execute", *ASKED), "has no secrets to start from"),
        (("check", "GLUE:release", "--execute", "--secret", "records=C", *ASKED), "defines no 'C'"),
        (("check", "GLUE:release", "--execute", "--secret", "records=f()", *ASKED), "cannot be read"),
        (("check", "GLUE:release", "--execute", "--secret", "x=1", *ASKED), "cannot be called"),
        (("check", "GLUE:broken", "--execute", "--secret", "truth=1", *ASKED), "ZeroDivisionError"),
        (("check", "GLUE:leaves", "--execute", "--secret", "truth=1", *ASKED), "SystemExit"),
        (("check", "GLUE:ends", "--execute", "--secret", "truth=1", *ASKED), "the process exits with 0 before"),
        (("check", "GLUE:release", "--isolate", "fork", *RELEASED, "--delta", "0"), "--isolate: it is about code"),
        (("check", "GLUE:release", "--integers", *RELEASED, "--delta", "0"), "--integers: it is about code"),
        (("check", "none.py:f", "--execute", "--secret", "truth=1", *ASKED), "no such file"),
        (("check", "GLUE:release", "--execute", "--normalise", *RELEASED, "--delta", "0"), "not used with --execute"),
        (("run", "GLUE:release", "--execute", "--secret", "records=A"), "not used with a program"),
    ],
)  # fmt: skip
def test_what_is_refused_is_said(glue: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(*(part.replace("GLUE", str(glue)) for part in arguments))
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr


def test_code_that_hangs_is_ended_by_the_deadline(glue: Path) -> None:
    done = run("check", "--execute", f"{glue}:loops", "--secret", "truth=1", "--timeout", "0.5", *ASKED)
    assert done.returncode == 3
    assert says(done.stderr, "reached while running")


@pytest.mark.parametrize("text", ["os._exit(0)", "time.sleep(1000)"])
def test_a_file_that_ends_or_hangs_when_it_is_imported_is_no_answer(glue: Path, text: str) -> None:
    glue.write_text(f"import os, time\n{text}\n", "utf-8")
    limit = () if "exit" in text else ("--timeout", "0.5")
    done = run("check", "--execute", f"{glue}:release", *RELEASED, "--delta", "0", *limit)
    assert done.returncode == (3 if limit else 2), done.stderr
    assert not done.stdout


def test_where_code_runs_and_what_its_noise_is(glue: Path) -> None:
    asked = ("check", "--execute", f"{glue}:typed", "--secret", "truth=0", "--secret", "truth=1", *ASKED)
    here = run(*asked, "--isolate", "off")
    assert says(here.stdout, "code: unconfirmed, run")
    document = run_json("delta", *asked[1:-2], "--integers")
    assert not any("arithmetic and comparison" in sentence for sentence in document["assumes"])


def test_a_plain_function_in_a_unit_test(glue: Path) -> None:
    from deltachain.testing import NotProved, assert_private, assert_violated

    def survey(truth: bool, honest: str = "3/4") -> bool:
        return truth if dc.flip(honest) else not truth

    secrets = [{"truth": True}, {"truth": False}]
    assert assert_private(survey, secrets=secrets, exp_epsilon=3, delta=0).exact
    assert_violated(survey, secrets=secrets, exp_epsilon=2, delta=0)
    with pytest.raises(NotProved, match="returns True") as failed:
        assert_private(survey, secrets=secrets, exp_epsilon=2, delta=0)
    files = failed.value.save_report(glue.parent / "kept", "survey")
    assert says(Path(files[2]).read_text("utf-8"), "running the code")
    assert dc.check(survey, secrets=secrets, exp_epsilon=3, delta=0).verdict == "private"  # type: ignore[arg-type]
    assert says(dc.load(survey, secrets=secrets).notes[0], "running the code")
    with refuses(dc.errors.InputError, "has no secrets"):
        dc.load(survey)


@pytest.mark.parametrize("verb", ["check", "convert", "calibrate"])
def test_a_forgotten_execute_is_named(verb: str, glue: Path) -> None:
    more = {"check": ASKED, "convert": ("-",), "calibrate": (*ASKED, "--parameter", "scale=1:2")}[verb]
    done = run(verb, f"{glue}:release", *more, "--secret", "records=A", "--secret", "records=B")
    assert done.returncode == 2
    assert says(done.stderr, "Python function, not")
    assert not glue.with_suffix(".ran").exists()


@pytest.mark.usefixtures("one_process")
def test_a_parameter_of_code_is_calibrated(glue: Path, tmp_path: Path) -> None:
    """The code is given numbers; its answers are proved, and checked as other code's are."""
    certificates = tmp_path / "proofs"
    secrets = ("--secret", "truth=False", "--secret", "truth=True")
    asked = ("--parameter", "honest=1/2,3/4,9/10", "--exp-epsilon", "3", "--delta", "0", "--certificates")
    done = run("calibrate", f"{glue}:survey", "--execute", *secrets, *asked, str(certificates))
    assert done.returncode == 0, done.stderr
    assert says(done.stdout, "largest found, proved")
    assert says(done.stdout, "refuted")
    assert "asked" in done.stderr
    line = next(line for line in done.stderr.splitlines() if "proved.json" in line).partition("check it: ")[2]
    for command in line.removesuffix(")").split(" && "):
        _, verb, *rest = shlex.split(command)
        assert run(verb, *rest, cwd=str(tmp_path)).returncode == 0, command
    isolated = run("calibrate", f"{glue}:survey", "--execute", "--isolate", "off", "--integers", *secrets, *asked[:6])
    assert isolated.returncode == 0, isolated.stderr
    assert says(isolated.stdout, "code: unconfirmed, run")
    missing = run("calibrate", "example:survey", "--integers", "--parameter", "p=3/4,4/5", *asked[2:6])
    assert (missing.returncode, says(missing.stderr, "about code that")) == (2, True)
    refused = run("calibrate", f"{glue}:survey", "--execute", "--secrets", "truth=[0, 1]", *asked, str(certificates))
    assert (refused.returncode, says(refused.stderr, "used with --execute")) == (2, True)


@pytest.mark.usefixtures("one_process")
def test_code_is_calibrated_with_numbers_that_it_can_use() -> None:
    """Not with the open parameter of `parametric`, which `range` cannot count to."""

    def release(count: int, rounds: int) -> int:
        return sum((dc.uniform(0, 1) for _ in range(rounds)), start=count)  # type: ignore[no-any-return]

    secrets = [{"count": 0}, {"count": 1}]
    found = dc.calibrate(release, parameter="rounds=1:6", secrets=secrets, epsilon=1, delta="0.3")
    assert (found.best, found.refuted) == (2, 1)
    with refuses(InputError, "open parameter rounds"):
        dc.parametric(release, parameter="rounds=0:1", secrets=secrets, exp_epsilon=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", ["GeneratorExit", "asyncio.CancelledError", "SystemExit(1)", "BaseException"])
def test_what_is_no_exception_is_no_verdict(raised: str, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(f"import asyncio\n\ndef raises(x):\n    raise {raised}\n")
    secrets = ("--secret", "x=0", "--secret", "x=1")
    found = run("check", "--execute", f"{tmp_path}/code.py:raises", *secrets, "--epsilon", "1", "--delta", "1/2")
    assert found.returncode == 2
    assert "the code raises" in found.stderr
