"""No wait of `from_code` for its processes is without an end, whatever they do and however many run elsewhere.

Each test would hang, or fail with an error of the system's, if the wait in question had no bound. How long anything
takes does not matter.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deltachain.cancel import Cancel
from deltachain.code import CodeRefused, from_code, replay, server, spawned, workers
from deltachain.code.calls import Called
from deltachain.code.recording import Recipe, Subject
from deltachain.code.server import Limits, can_fork
from deltachain.code.workers import ForkedWorkers
from deltachain.errors import Stopped
from tests.words import refuses, says

resource = pytest.importorskip("resource", reason="limits of a process are POSIX's")
pytestmark = pytest.mark.skipif(not can_fork(), reason="no forks here")

SECRETS = [{"x": 0}, {"x": 1}]


def constant(x: int) -> int:
    return 0


def ends_its_server(x: int) -> int:
    os.kill(os.getppid(), signal.SIGKILL)
    return x


def stops_its_server(x: int) -> int:
    os.kill(os.getppid(), signal.SIGSTOP)
    return x


def cannot_be_left(x: int) -> int:
    os._exit = lambda _: None  # type: ignore[assignment, return-value]
    return 0


@pytest.fixture
def subject() -> Subject:
    return Subject([Called("", given, constant) for given in SECRETS], None, Recipe(1e-30, False, 9, None, 9, False))


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of processes that never answer nothing else comes, so that they may be given up at once."""
    monkeypatch.setattr(workers, "SERVER_SECONDS", 0.2)
    monkeypatch.setattr(workers, "SUSPICIOUS", 0.1)
    monkeypatch.setattr(workers, "CLOSE_MILLISECONDS", 50)


@pytest.fixture
def locked() -> Iterator[threading.Lock]:
    """A lock that another thread holds, and never leaves in a process that is forked."""
    lock, held, enough = threading.Lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            enough.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    yield lock
    enough.set()
    thread.join()


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("step", ["detach", "warm_up"])
def test_a_server_that_waits_for_a_lock(step: str, locked: threading.Lock, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its beginning, and after it has given a sign of life and started a worker."""
    monkeypatch.setattr(server, step, locked.acquire)
    with refuses(CodeRefused, "it hangs after"):
        from_code(constant, SECRETS, isolate="fork")
    monkeypatch.setattr(replay, "why_not_spawned", lambda _: "it is tried elsewhere")
    here = from_code(constant, SECRETS)
    assert says(here.confirmation)


@pytest.mark.usefixtures("soon")
def test_a_server_that_is_stopped() -> None:
    with refuses(CodeRefused, "code's processes gives"):
        from_code(stops_its_server, SECRETS)


@pytest.mark.usefixtures("soon")
def test_a_server_that_reads_no_task(subject: Subject) -> None:
    task = {"do": "record", "as_digits": [], "known": None}
    forked = ForkedWorkers(subject, Limits())
    try:
        assert "graph" in forked.answer(task, Cancel())
        os.kill(forked._pid, signal.SIGSTOP)
        with refuses(CodeRefused, "gives no sign"):
            forked.answer(task | {"padding": "x" * 10_000_000}, Cancel())  # more than a link holds
    finally:
        forked.close()


def test_a_deadline_while_a_task_is_sent(subject: Subject) -> None:
    forked = ForkedWorkers(subject, Limits())
    try:
        os.kill(forked._pid, signal.SIGSTOP)
        with pytest.raises(Stopped):
            forked.answer({"padding": "x" * 10_000_000}, Cancel(0.1))
        os.kill(forked._pid, signal.SIGCONT)
        # What was cut off is sent to its end, and the next task is not taken for a part of it.
        assert "graph" in forked.answer({"do": "record", "as_digits": [], "known": None}, Cancel())
    finally:
        forked.close()


def test_the_end_of_a_server_whose_link_others_hold_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process does that another thread has forked meanwhile."""
    kept: list[int] = []

    def both() -> tuple[socket.socket, socket.socket]:
        ours, theirs = pair()
        kept.append(os.dup(theirs.fileno()))
        return ours, theirs

    pair = socket.socketpair
    monkeypatch.setattr(workers.socket, "socketpair", both)
    try:
        with refuses(CodeRefused, "starts its processes"):
            from_code(ends_its_server, SECRETS)
    finally:
        for place in kept:
            os.close(place)


def test_a_worker_that_cannot_be_left_is_left() -> None:
    """It answers and ends: with its task done it does not go on as a second server, or as this process."""
    assert "0" in from_code(cannot_be_left, SECRETS).labels


def test_more_open_files_than_select_can_take() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2_000:
        pytest.skip("no more files may be opened here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2_000, hard))
    kept: list[int] = []
    try:
        while not kept or kept[-1] < 1_100:
            kept.append(os.open(os.devnull, os.O_RDONLY))
        assert "0" in from_code(constant, SECRETS).labels
    finally:
        for place in kept:
            os.close(place)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_whose_children_nobody_waits_for() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert "0" in from_code(constant, SECRETS).labels
        with pytest.raises(CodeRefused, match="ended the server"):
            from_code(ends_its_server, SECRETS)
    finally:
        signal.signal(signal.SIGCHLD, before)


@pytest.mark.parametrize("where", ["here", "in the server"])
def test_no_process_can_be_started(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    me, fork = os.getpid(), os.fork

    def refuse() -> int:
        if (os.getpid() == me) is (where == "here"):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    with refuses(CodeRefused, "Resource temporarily unavailable"):
        from_code(constant, SECRETS)


def interpreter(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs in place of a fresh interpreter."""
    file = folder / "python"
    file.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    file.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(file))
    monkeypatch.setattr(spawned, "END_SECONDS", 0.1)
    monkeypatch.setattr(spawned, "START_SECONDS", 0.1)


@pytest.mark.parametrize(
    "text",
    ["while true; do sleep 1; done", "setsid sleep 10 & exec sleep 1_000", "setsid sleep 10 & exit 0"],
    ids=["does not read", "leaves a process that holds its output", "ends and leaves one"],
)
def test_a_fresh_interpreter_that_does_not_answer(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpreter(tmp_path, text, monkeypatch)
    large = [{"x": "x" * 1_000_000}, {"x": "y"}]  # more than a pipe holds
    with pytest.raises(CodeRefused, match=r"gives no answer for 0.1 s|the process exits with 0"):
        from_code(constant, large, isolate="spawn")


def test_no_interpreter_can_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "missing"))
    with refuses(CodeRefused, "started for the"):
        from_code(constant, SECRETS, isolate="spawn")


def test_chains_from_several_threads_at_once() -> None:
    """The servers of the later ones hold the links of the earlier ones."""
    found: list[Any] = []
    make: Callable[[], None] = lambda: found.append(from_code(constant, SECRETS).labels)  # noqa: E731
    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
