"""The real command line: in this process, or in one of its own where the process is what a test is about."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from deltachain.cli.command import main
from tests.extras import skip_if_a_command_needs_more

COMMAND = [sys.executable, "-m", "deltachain"]
OF_PROCESSES = {"--jobs", "--cluster", "explore"}


def run(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run ``deltachain`` with the arguments; standard output and error are caught as UTF-8 text.

    Settings of a process (an environment) and options that start others ask for one of its own. All else is run here,
    in a folder (``cwd``) and with standard input (``input``) if given: an interpreter takes a quarter of a second to
    start, hundreds of times.
    """
    if settings.keys() - {"cwd", "input"} or OF_PROCESSES.intersection(_without_one_job(arguments)):
        return run_alone(*arguments, **settings)
    done = _run_here(arguments, settings)
    skip_if_a_command_needs_more(done.returncode, done.stderr)
    return done


def _without_one_job(arguments: tuple[str, ...]) -> list[str]:
    """The arguments but for ``--jobs 1``, which starts no process."""
    one = [i for i, pair in enumerate(pairwise(arguments)) if pair == ("--jobs", "1")]
    return [argument for i, argument in enumerate(arguments) if i not in one]


def _run_here(arguments: tuple[str, ...], settings: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(settings.get("input", "").encode()), encoding="utf-8")
    with (
        contextlib.chdir(settings.get("cwd", ".")),
        patch("sys.stdin", given),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        code = main(arguments)
    texts = [stream.buffer.getvalue().decode() for stream in streams]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["deltachain", *arguments], code, *texts)


def run_alone(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """As `run`, in a process of its own."""
    environment = os.environ | {"PYTHONUTF8": "1"} | settings.pop("environment", {})
    done = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=600,
        check=False,
        **settings,
    )
    skip_if_a_command_needs_more(done.returncode, done.stderr)
    return done


def run_json(*arguments: str) -> dict[str, Any]:
    """The JSON document that a command prints; it must succeed and say nothing else."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@contextlib.contextmanager
def started(*arguments: str, command: Sequence[str] = COMMAND, **settings: Any) -> Iterator[subprocess.Popen[str]]:
    """The command at work, which Ctrl-C reaches even where it is ignored (``nohup make test``); killed at the end."""
    process = subprocess.Popen(
        [*command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"PYTHONUTF8": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
        **settings,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def interrupted(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What the process prints after Ctrl-C, pressed again if nothing happens.

    A signal that comes just before a system call that waits is seen when the call returns: that may be never.
    """
    for _ in range(20):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("it does not end")
