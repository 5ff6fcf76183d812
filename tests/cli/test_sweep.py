"""``deltachain sweep``: rows in a file that survives anything, from examples, programs and PRISM models."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest

from deltachain.cli.command import main
from tests.cli.command import run, run_json, started
from tests.words import says

SURVEY = ("sweep", "example:survey", "--set", "p=3/5,3/4", "--epsilons", "0:1:0.5", "--jobs", "1")

PROGRAM = """
from deltachain import announce, flip, program

@program
def respond(truth, p="1/2"):
    if flip(p):
        announce(truth)
    else:
        announce(1 - truth)
"""

PRISM = """
dtmc
const double p;
module m
  x : [0..1]; y : [0..2];
  [] y=0 & x=0 -> p : (y'=1) + 1-p : (y'=2);
  [] y=0 & x=1 -> 1-p : (y'=1) + p : (y'=2);
  [] y>0 -> true;
endmodule
init y=0 endinit
label "one" = y=1;
label "two" = y=2;
"""


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, after its first line."""
    head, *rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert head["journal"] == "deltachain.sweep"
    return rows


TELLING = """
import sys
from deltachain.measures.sweep import verb as sweeps
from deltachain.cli.command import main

class Told(sweeps.Journal):
    def append(self, rows):
        super().append(rows := list(rows))
        if any("parameters" in row for row in rows):
            print("written", flush=True)
            sys.stdin.read()

sweeps.Journal = Told
sys.exit(main())
"""
"""The command line, which says that the first rows are in the file, and goes on when its standard input is closed."""


def sweeping(*arguments: str, **settings: Any) -> AbstractContextManager[subprocess.Popen[str]]:
    """A sweep that waits after its first rows, with its workers."""
    command = [sys.executable, "-c", TELLING]
    return started("sweep", *arguments, command=command, stdin=subprocess.PIPE, **settings)


def wait_for_rows(process: subprocess.Popen[str]) -> None:
    """Until the process says that the file has a row, or has ended."""
    assert process.stdout is not None
    assert "written\n" in process.stdout, process.communicate()


def keys(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps([row["parameters"], row["epsilon"], row["pair"]]) for row in rows)


def test_rows_are_printed_or_written() -> None:
    done = run(*SURVEY)
    assert done.returncode == 0
    first, _, header, *_ = done.stdout.splitlines()
    assert first == "delta over p, ε: 6 rows"
    assert header.split() == ["p", "pair", "ε", "δ", "method", "certificate"]
    found = run_json(*SURVEY)
    assert (found["count"], found["failed"], found["missing"]) == (6, 0, 0)
    assert found["rows"][0]["parameters"] == {"p": "3/5"}
    assert found["rows"][0]["result"]["upper"]["exact"] == "1/5"


def test_ranges_are_exact_with_both_ends() -> None:
    found = run_json("sweep", "example:survey", "--set", "p=0.5:0.7:0.1", "--set", "rounds=1,2", "--epsilons", "0")
    assert [row["parameters"] for row in found["rows"]] == [
        {"p": p, "rounds": n} for p in ("0.5", "0.6", "0.7") for n in (1, 2)
    ]


def test_resuming_completes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    assert run(*SURVEY, "--out", str(path)).returncode == 0
    whole = lines(path)
    again = run(*SURVEY, "--out", str(path))
    assert again.returncode == 2
    assert "resume it" in again.stderr
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) // 2], "utf-8")
    assert run(*SURVEY, "--out", str(path), "--resume").returncode == 0
    assert keys(lines(path)) == keys(whole)
    assert run(*SURVEY, "--resume").returncode == 2


def test_a_failing_job_is_a_row_and_its_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    done = run("sweep", "example:survey", "--set", "p=3/4,7", "--epsilons", "0", "--jobs", "1", "--out", str(path))
    assert done.returncode == 2
    good, bad = sorted(lines(path), key=lambda row: "error" in row)
    assert (good["checked"], bad["checked"], bad["pair"]) == (True, None, None)
    assert "outside [0, 1]" in bad["error"]
    assert "failed" in done.stderr


def test_ctrl_c_leaves_a_file_that_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    arguments = (
        "example:survey,rounds=6",
        "--set",
        "p=0.51:0.70:0.01",
        "--epsilons",
        "0.1",
        "--out",
        str(path),
    )
    with sweeping(*arguments, "--jobs", "2", start_new_session=True) as process:
        wait_for_rows(process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert process.returncode == 3, said
    assert says(said, "completes the sweep")
    assert "Traceback" not in said
    before = lines(path)
    assert 0 < len(before) < 20
    assert run("sweep", *arguments, "--jobs", "2", "--resume").returncode == 0
    after = lines(path)
    assert after[: len(before)] == before
    assert keys(after) == sorted(set(keys(after)))
    assert len(after) == 20


class Killed(Executor):
    """A pool whose processes are killed whatever they are given."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise BrokenExecutor(fn, args, kwargs)


def test_workers_that_are_killed_leave_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deltachain.executors.workers", lambda *_: nullcontext(Killed()))
    path = tmp_path / "rows.jsonl"
    assert main([*SURVEY[:-2], "--jobs", "2", "--out", str(path)]) == 3
    said = capsys.readouterr().err
    assert says(said, "killed, perhaps because")
    assert says(said, "whole; --resume completes")
    assert "internal error" not in said
    assert main(["estimate", "example:sticky-sensor", "--exp-epsilon", "1.1", "--max-nodes", "60", "--jobs", "2"]) == 3
    said = capsys.readouterr().err
    assert says(said)


def test_the_journal_of_another_model_is_refused(tmp_path: Path) -> None:
    for name, model in (("a", "example:survey"), ("b", "example:survey,p=2/3")):
        assert run("convert", model, str(tmp_path / f"{name}.json")).returncode == 0
    path = tmp_path / "r.jsonl"
    options = ("--epsilons", "0", "--jobs", "1", "--out", str(path))
    assert run("sweep", str(tmp_path / "a.json"), *options).returncode == 0
    before = path.read_bytes()
    done = run("sweep", str(tmp_path / "b.json"), *options, "--resume")
    assert done.returncode == 2
    assert says(done.stderr, "answers another question")
    assert "a.json" in done.stderr
    assert "b.json" in done.stderr
    for more in (("--pair", "s1", "s0"), ("--gap", "1/2"), ("--verb", "distance"), ("--timeout", "5")):
        assert run("sweep", str(tmp_path / "a.json"), *options, "--resume", *more).returncode == 2, more
    assert path.read_bytes() == before
    (tmp_path / "other").mkdir()
    (tmp_path / "a.json").rename(tmp_path / "other" / "a.json")
    assert run("sweep", str(tmp_path / "other" / "a.json"), *options, "--resume").returncode == 0


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("my thesis\n", "utf-8")
    done = run(*SURVEY, "--out", str(path), "--resume")
    assert done.returncode == 2
    assert says(done.stderr, "not a journal")
    assert path.read_text("utf-8") == "my thesis\n"


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Linux")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_parent(end: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    options = ("--set", "p=0.501:0.7:0.001", "--epsilons", "0.1", "--jobs", "2", "--out", str(path))
    with sweeping("example:survey,rounds=6", *options) as process, ExitStack() as stack:
        wait_for_rows(process)
        workers = [os.pidfd_open(pid) for pid in _children(process.pid)]
        for worker in workers:
            stack.callback(os.close, worker)
        assert len(workers) >= 2
        process.send_signal(end)
        for worker in workers:
            assert select.select([worker], [], [], 300)[0], "a worker outlives its parent"


def test_programs_and_prism_constants_are_parameters(tmp_path: Path) -> None:
    (tmp_path / "protocol.py").write_text(PROGRAM, "utf-8")
    arguments = ("--secret", "truth=0", "--secret", "truth=1", "--set", "p=1/2,2/3", "--epsilons", "0", "--jobs", "1")
    found = run_json("sweep", f"{tmp_path / 'protocol.py'}:respond", *arguments)
    assert [row["result"]["upper"]["exact"] for row in found["rows"]] == ["0", "1/3"]
    pytest.importorskip("stormpy")
    (tmp_path / "model.prism").write_text(PRISM, "utf-8")
    found = run_json("sweep", str(tmp_path / "model.prism"), "--set", "p=1/2,2/3", "--epsilons", "0", "--jobs", "1")
    assert [row["result"]["upper"]["exact"] for row in found["rows"]] == ["0", "1/3"]


@pytest.mark.slow
def test_a_cluster_checks_rows_and_brings_its_files(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    assert run("convert", "example:survey", str(tmp_path / "model.json")).returncode == 0
    path = tmp_path / "rows.jsonl"
    arguments = ("sweep", "model.json", "--epsilons", "0,1", "--cluster", "local", "--jobs", "1", "--out", str(path))
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["checked"] for row in lines(path)] == [True, True]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (("--set", "p"), "is not a setting"),
        (("--set", "p=1,,2"), "not a list of values"),
        (("--set", "p=1:0:1"), "is an empty range"),
        (("--set", "p=1/2", "--set", "p=1/3"), "given twice"),
        (("--set", "colour=1"), "no parameter 'colour'"),
        (("--verb", "verify"), "no verb 'verify'"),
        (("--verb", "epsilon"), "searches ε"),
        (("--kind", "bd"), "not used with --verb delta"),
        (("--resume",), "no file to resume"),
        (("--plot", "x.txt"), "a plot is written as"),
        (("--epsilons", "-1"), "negative"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_is_wrong_is_said_before_the_work(wrong: tuple[str, ...], text: str) -> None:
    done = run("sweep", "example:survey", "--epsilons", "0", "--jobs", "1", *wrong)
    assert done.returncode == 2
    assert text in done.stderr


def test_models_without_parameters_are_told(tmp_path: Path) -> None:
    assert run("convert", "example:survey", str(tmp_path / "model.json")).returncode == 0
    done = run("sweep", str(tmp_path / "model.json"), "--set", "p=1", "--epsilons", "0", "--jobs", "1")
    assert done.returncode == 2
    assert says(done.stderr, "has no parameters")
    assert run("sweep", "-", "--epsilons", "0", "--jobs", "1").returncode == 2


@pytest.mark.parametrize(
    ("verb", "shown"), [("delta", "≈ 0.244919"), ("distance", "≈ 0.244919 ("), ("estimate", "≈ 0.244919")]
)
def test_exact_functions_of_e_are_formulas_in_the_table(verb: str, shown: str, tmp_path: Path) -> None:
    model = tmp_path / "functions.json"
    likely, unlikely = "exp(1/2)/(1+exp(1/2))", "1/(1+exp(1/2))"
    states = {
        "s": {"label": "go", "to": {"h": likely, "t": unlikely}},
        "u": {"label": "go", "to": {"h": unlikely, "t": likely}},
        "h": {"label": "heads", "to": {"h": 1}},
        "t": {"label": "tails", "to": {"t": 1}},
    }
    text = json.dumps({"format": "deltachain.chain/1", "states": states, "relation": [["s", "u"]]})
    model.write_text(text, "utf-8")
    done = run("sweep", str(model), "--verb", verb, "--epsilons", "0", "--jobs", "1")
    assert done.returncode == 0
    assert "(-1+exp(1/2))/(1+exp(1/2))" in done.stdout
    assert shown in done.stdout
