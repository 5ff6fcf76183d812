"""The real command, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMMAND = [sys.executable, "-m", "deltachain"]


def run(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run ``deltachain`` with the arguments; standard output and error are caught as UTF-8 text."""
    environment = os.environ | {"PYTHONUTF8": "1"} | settings.pop("environment", {})
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=60,
        check=False,
        **settings,
    )


def run_json(*arguments: str) -> dict[str, Any]:
    """The JSON document that a command prints; it must succeed and say nothing else."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@contextmanager
def started(*arguments: str, **settings: Any) -> Iterator[subprocess.Popen[str]]:
    """The command at work, which Ctrl-C reaches even where it is ignored (``nohup make test``); killed at the end."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
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
