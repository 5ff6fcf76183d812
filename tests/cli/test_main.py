"""What every verb shares: help, version, exit codes, where messages go, and how a run ends early."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from deltachain import __version__, errors
from deltachain.cli import command as entry
from deltachain.registry import verbs
from tests.cli.command import COMMAND, interrupted, run, started
from tests.words import says

BROKEN = """{"format": "deltachain.chain/1",
 "states": {"s": {"label": "a", "to": {"s": "0.9"}}, "t": {"label": "a", "to": {"ghost": 1}}},
 "relation": [["s", "nobody"]]}"""


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"deltachain {__version__}\n")


def test_main_help_lists_verbs_and_exit_codes() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    for verb in verbs():
        assert f"\n    {verb} " in done.stdout
    for code in range(5):
        assert f"\n  {code}  " in done.stdout


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_explains_itself_with_examples_that_parse(verb: str) -> None:
    done = run(verb, "--help")
    assert done.returncode == 0
    _, _, examples = done.stdout.partition("\nexamples:\n")
    lines = [line.strip() for line in examples.strip().replace("\\\n", " ").splitlines()]
    assert lines
    for line in lines:
        command, *arguments = shlex.split(line)
        assert command == "deltachain"
        assert entry.build_parser().parse_args(arguments).command in verbs()


@pytest.mark.parametrize(
    "arguments",
    [(), ("nonsense",), ("info",), ("info", "example:coin", "--jso"), ("info", "example:coin", "-q", "-v")],
    ids=lambda arguments: " ".join(arguments) or "nothing",
)
def test_usage_errors(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("deltachain: error: ")
    assert done.stderr.endswith(" --help\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--eps", "1"), "no option --eps (did you mean --epsilon?)"),
        (("--exp=2",), "no option --exp (did you mean --exp-epsilon?)"),
        (("--jsno", "--xyzzy"), "no option --jsno (did you mean --json?); no option --xyzzy"),
        (("more", "than"), "too many arguments: more than"),
    ],
)
def test_slips_are_pointed_out(arguments: tuple[str, ...], message: str) -> None:
    done = run("delta", "example:coin", *arguments)
    assert done.returncode == 2
    assert says(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--epsilon=--",), "epsilon: not a number: '--'"),
        (("--epsilon=1", "--hide=--"), "--hide: no state has the label '--'"),
        (("--epsilon=1", "--certificate=--/x"), "--certificate --/x: there is no such folder"),
        (("--epsilon=1", "--gap=--"), "--gap: not a number: '--'"),
        (("--epsilon=1", "--compose=--"), "--: there is no such file"),
        (("--epsilon=1", "--pair=--"), "argument --pair: expected 2 arguments"),
        (("--epsilon=1", "--json=--"), "argument --json: ignored explicit argument '--'"),
        (("--epsilon=1", "--json=x"), "argument --json: ignored explicit argument 'x'"),
    ],
)
def test_two_dashes_are_a_value_like_another(arguments: tuple[str, ...], message: str) -> None:
    done = run("delta", "example:coin", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"deltachain: error: {message}")
    assert done.stderr.count("\n") == 1


def test_two_dashes_may_be_a_list_a_choice_and_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("delta", "example:coin", "--epsilon=1", "--certificate=--").returncode == 0
    assert Path("--").is_file()
    for arguments, name in (
        (("profile", "example:coin", "--epsilons=--"), "--epsilons: not a number: '--'"),
        (("distance", "example:coin", "--epsilon=1", "--kind=--"), "argument --kind: invalid choice: '--'"),
        (("sweep", "example:survey", "--epsilons=1", "--set=--"), "--set: '--' is not a setting"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(f"deltachain: error: {name}")


LONG = "1" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ("delta", "example:coin", "--epsilon", "1", f"--gap=-{LONG}"),
        ("delta", "example:coin", "--epsilon", "1", f"--timeout={LONG}"),
        ("delta", "example:coin", "--epsilon", "1", "--pair", LONG, "s0"),
        ("delta", "example:coin", "--epsilon", "1", f"--hide={LONG}"),
        ("delta", "example:coin", "--epsilon", "1", f"--from=x={LONG}", "--to=x=1"),
        ("delta", f"example:survey,rounds={LONG}", "--epsilon", "1"),
        ("info", f"examples/dining.py:dining,p={LONG}", "--secret", "paying=0", "--secret", "paying=1"),
        ("profile", "example:coin", f"--epsilons=1:{LONG}:1"),
        ("profile", "example:coin", f"--epsilons=0:1:-{LONG}"),
        ("sweep", "example:survey", "--epsilons=1", f"--set=p={LONG}", "--jobs=1"),
        ("sweep", "example:survey", "--epsilons=1", f"--set=p=1:{LONG}:1", "--jobs=1"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_long_numbers_are_not_echoed(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "characters" in done.stderr
    assert all(len(line) < 600 for line in (done.stdout + done.stderr).splitlines())


def test_every_defect_of_a_model_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(BROKEN, "utf-8")
    done = run("info", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert all(line.startswith("deltachain: error: ") for line in lines)
    assert len(lines) == 3
    for text in ("9/10", "ghost", "nobody"):
        assert text in done.stderr


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("no-such-file.json", "no-such-file.json"),
        ("example:nothing", "nothing"),
        ("example:coin,q=1", "q"),
        ("example:coin,p=3/2", "3/2"),
        ("model.unknown", "unknown"),
        (".", "it is a directory"),
        ("no-such-file", "there is no such file"),
        ("coin,p=1/3", "give example:coin,p=1/3"),
    ],
)
def test_models_that_cannot_be_had(model: str, text: str) -> None:
    done = run("info", model)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("deltachain: error: ")
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_file_options_are_refused_for_an_example() -> None:
    done = run("info", "example:coin", "--normalise", "--format", "json")
    assert done.returncode == 2
    assert "--normalise" in done.stderr
    assert "--format" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")
def test_a_reader_that_leaves_early_ends_the_run_quietly() -> None:
    arguments = ["trace", "example:random,n=8,seed=1", "--length", "14", "--state", "s0", "--limit", "5000"]
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        complaint = process.stderr.read()
        code = process.wait(60)
    assert b"Traceback" not in complaint
    assert b"Broken" not in complaint
    assert code == 141, "not a code that a verdict has"


@pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")
def test_an_error_that_nobody_reads_keeps_its_code() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "info", "none.json"], stdout=subprocess.DEVNULL, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode == 2, "not 1, which would say that privacy is violated"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["info", "example:coin"], ["convert", "example:coin", "-"]], ids=" ".join)
def test_a_result_that_cannot_be_written_is_an_error(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert says(done.stderr.splitlines())


def open_when_read(fifo: Path, process: subprocess.Popen[str]) -> int:
    """The writing end of a named pipe, as soon as the process has opened it for reading."""

    def release() -> None:
        """Let the wait end if the process ends first."""
        process.wait()
        os.close(os.open(fifo, os.O_RDONLY | os.O_NONBLOCK))

    threading.Thread(target=release, daemon=True).start()
    return os.open(fifo, os.O_WRONLY)


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals and named pipes")
def test_an_interrupt_is_undecided(tmp_path: Path) -> None:
    """The events are read from a pipe that nobody fills: once it is open, the command is surely at work."""
    fifo = tmp_path / "events"
    os.mkfifo(fifo)
    arguments = ["trace", "example:coin", "--events", str(fifo)]
    with started(*arguments) as process:
        writer = open_when_read(fifo, process)
        output, complaint = interrupted(process)
        os.close(writer)
    assert process.returncode == 3
    assert output == ""
    assert says(complaint)


INTERRUPTED_WHILE_IMPORTING = """
import os, signal, sys
import deltachain.cli.main as entry

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "deltachain.cli.command":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
sys.argv = ["deltachain", "info", "example:coin", *sys.argv[1:]]
entry.run()
"""


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_interrupt_while_the_program_is_still_being_loaded(options: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "deltachain: error: interrupted; nothing was decided\n")
    if options:
        assert json.loads(done.stdout)["error"]["kind"] == "interrupted"
    else:
        assert done.stdout == ""


@pytest.mark.skipif(os.name != "posix", reason="POSIX pipes")
def test_a_reader_that_leaves_early_does_not_lose_the_certificate(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    proof = tmp_path / "proof.json"
    arguments = ["delta", "example:coin", "--exp-epsilon", "1", "--certificate", str(proof)]
    done = subprocess.run([*COMMAND, *arguments], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert run("verify", "example:coin", str(proof)).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (("info", "example:coin", "--jsno"), "usage", 2),
        (("info", "no-such-file.json"), "input", 2),
        (("verify", "example:coin", __file__), None, 4),
        (("delta", "example:coin", "--epsilon", "1e400"), "input", 2),
    ],
)
def test_with_json_an_error_is_one_object(arguments: tuple[str, ...], kind: str | None, code: int) -> None:
    done = run(*arguments, "--json")
    assert done.returncode == code
    found = json.loads(done.stdout)
    assert found["error"]["kind"] == kind if kind else found["accepted"] is False
    assert len(done.stdout) < 1000
    if kind:
        assert [f"deltachain: error: {message}" for message in found["error"]["messages"]] == done.stderr.splitlines()


def test_brief_is_one_line() -> None:
    for arguments in (
        ["delta", "example:coin", "--exp-epsilon", "1"],
        ["check", "example:coin", "--exp-epsilon", "1", "--delta", "1/2"],
        ["epsilon", "example:survey", "--delta", "0"],
        ["profile", "example:survey"],
        ["distance", "example:coin", "--exp-epsilon", "1", "--kind", "ld"],
        ["trace", "example:coin", "--word", "start heads"],
        ["info", "example:coin"],
        ["examples", "coin"],
    ):
        done = run(*arguments, "--brief")
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 1, arguments


def test_a_row_that_is_far_off_needs_normalise_any(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    states = {"s": {"label": "a", "to": {"s": "0.65", "t": "0.5"}}, "t": {"label": "b", "to": {"t": "0.9995"}}}
    path.write_text(json.dumps({"format": "deltachain.chain/1", "states": states}), "utf-8")
    plain, rounded, forced = (
        run("info", str(path), *options) for options in ((), ("--normalise",), ("--normalise-any",))
    )
    assert (plain.returncode, rounded.returncode, forced.returncode) == (2, 2, 0)
    assert plain.stderr.count("row sums to") == 2
    assert rounded.stderr.count("row sums to") == 1
    assert "23/20" in rounded.stderr
    assert "--normalise-any" in rounded.stderr
    assert "2 rows" in forced.stderr


def test_a_terminal_without_unicode_still_gets_the_mark() -> None:
    arguments = ["trace", "example:coin,p=1/3", "--word", "start heads"]
    done = run(*arguments, environment={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "\\u2248 0.333333 (1/3)" in done.stdout


FAILURES = [
    (errors.InputError("bad"), 2, "bad"),
    (errors.SolverUnknown("gave up"), 3, "gave up"),
    (errors.NotConverged("out of time"), 3, "out of time"),
    (errors.BackendMissing("z3", "smt"), 6, "pip install"),
    (errors.CertificateRejected("D(s,t)", "R1", 2, 1), 4, "certificate rejected: D(s,t): R1"),
    (errors.DeltachainError("odd"), 5, "odd"),
    (MemoryError(), 3, "out of memory"),
    (PermissionError(13, "Permission denied", "model.json"), 2, "model.json: Permission denied"),
    (ZeroDivisionError("oops"), 5, "internal error: ZeroDivisionError: oops; please report"),
]


@pytest.mark.parametrize(("error", "code", "text"), FAILURES, ids=[type(error).__name__ for error, _, _ in FAILURES])
@pytest.mark.parametrize("verbose", [False, True])
def test_what_goes_wrong_becomes_an_exit_code(
    error: Exception,
    code: int,
    text: str,
    verbose: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    failing = replace(entry.verb_named("examples"), run=fail)
    monkeypatch.setattr("deltachain.commands.examples.EXAMPLES", failing)
    assert entry.main(["examples", "-v"] if verbose else ["examples"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("deltachain: error: ")
    assert text in shown.err
    assert ("Traceback" in shown.err) == (verbose and isinstance(error, ZeroDivisionError))


@pytest.mark.sample(4)
@pytest.mark.skipif(os.name != "posix", reason="POSIX shells")
@pytest.mark.parametrize(
    ("redirection", "arguments", "code"),
    [
        (">&-", ["info", "example:coin"], 2),
        (">&-", ["check", "example:coin", "--exp-epsilon", "2", "--delta", "0"], 2),
        (">&-", ["check", "example:coin", "--exp-epsilon", "1", "--delta", "0"], 2),
        (">&-", ["delta", "example:coin", "--exp-epsilon", "2", "--json"], 2),
        (">&-", ["convert", "example:coin", "-"], 2),
        ("2>&-", ["info", "example:nothing"], 2),
        ("2>&-", ["info", "example:coin", "-q"], 0),
    ],
    ids=str,
)
def test_a_result_that_cannot_be_written_is_no_success(redirection: str, arguments: list[str], code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONUTF8": "1"},
    )
    assert done.returncode == code
    if redirection == ">&-":
        assert says(done.stderr, "standard output: it")


def test_o_means_out(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("secret,answer\n0,a\n1,b\n", "utf-8")
    for verb, name in (("sweep", "rows.jsonl"), ("report", "page.html"), ("distance", "table.jsonl")):
        at = "--epsilons" if verb == "sweep" else "--epsilon"
        more = ("--jobs", "1") if verb == "sweep" else ("--all",) if verb == "distance" else ()
        done = run(verb, "example:coin", at, "1", *more, "-o", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).stat().st_size > 0
    done = run("delta", "example:coin", "--epsilon", "1", "-o", "x.json")
    assert says(done.stderr, "sweep, report, distance")
