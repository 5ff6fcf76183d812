"""A process of its own for code that is run: where its output goes, what ends it, and what it does is noticed.

What is set here ends with the process. An audit hook cannot be taken out again, so it is for processes that only run
the code, and so is standard input that nobody writes to: who reads it waits, and is ended from outside.
"""

from __future__ import annotations

import ctypes
import importlib
import io
import logging
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NoReturn

from ..errors import Defect
from .guards import line_of_author, on_duty
from .watching import CodeRefused

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36
"""Of `prctl`, on Linux."""

LOOK_SECONDS = 0.1
"""Seconds between two looks at the deadline while code runs in this process."""

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC

_CHANGES = frozenset(
    f"os.{name}" for name in ("remove", "rename", "mkdir", "rmdir", "link", "symlink", "truncate", "chmod", "utime")
) | {"shutil.rmtree", "shutil.move", "sqlite3.connect"}
_CONNECTS = frozenset(("socket.connect", "socket.bind", "socket.sendto"))
_STARTS = frozenset(
    ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.startfile", "pty.spawn", "_winapi.CreateProcess")
)
_FORKS = frozenset(("os.fork", "os.forkpty"))
_RANDOM_FILES = ("/dev/urandom", "/dev/random", "/proc/sys/kernel/random", "/dev/hwrng")


class Effects:
    """What code does to the world beside drawing and showing: files that it writes, connections."""

    def __init__(self) -> None:
        self.found: dict[str, None] = {}

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit hook: it notes what is done, and stops forks and the start of other processes."""
        if event == "open":
            self._opens(arguments)
        elif event in _CHANGES:
            self._note(f"changes {arguments[0] if arguments else 'files'}")
        elif event in _CONNECTS:
            self._note("connects to another process or machine")
        elif event in _STARTS:
            refuse_start(event)
        elif event in _FORKS:
            # Nothing else stops code that forks without end.
            raise refused_by_guards(
                "the code forks: what the child draws could not be followed",
                "draw in the process that calls the function",
            )

    def _opens(self, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        if isinstance(path, str | bytes) and os.fsdecode(path).startswith(_RANDOM_FILES):
            for guard in on_duty():
                guard.took_entropy(os.fsdecode(path))
        writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool((flags or 0) & WRITES)
        if writes and not isinstance(path, int):
            name = os.fsdecode(path)
            if name != os.devnull and "__pycache__" not in name:
                self._note(f"writes {name}")

    def _note(self, what: str) -> None:
        # What a library writes while it is imported is written by no call.
        if any(guard.inside for guard in on_duty()):
            self.found.setdefault(what[:200])


def refused_by_guards(what: str, fix: str) -> CodeRefused:
    """An error that the guards keep, for code that catches it."""
    error = CodeRefused(Defect("", what, fix))
    for guard in on_duty():
        error = guard.note(what, fix)
    return error


def refuse_start(name: str) -> None:
    """Refuse a process that the code starts, which has random bytes, a clock and files of its own.

    A library may start one while it is imported: what that gives is there before the code goes on.
    """
    if line_of_author() is not None:
        what = f"the code starts a process ({name}): what that draws, reads and keeps could not be followed"
        raise refused_by_guards(what, "start it before, and give its result as an argument")


def _refuse_other_starts() -> None:
    """Refuse also what starts a process without an audit event, as `multiprocessing` does."""
    try:
        module: Any = importlib.import_module("_posixsubprocess")
    except ImportError:  # on Windows, where all starts are events
        return
    start = module.fork_exec

    def fork_exec(*arguments: Any) -> Any:
        refuse_start("fork_exec")
        return start(*arguments)

    module.fork_exec = fork_exec
    if (holder := sys.modules.get("subprocess")) is not None:
        vars(holder)["_fork_exec"] = fork_exec


class NoInput(io.TextIOBase):
    """Standard input of code that is recorded."""

    def readable(self) -> bool:
        """It could be read."""
        return True

    def _refuse(self, *_: object) -> NoReturn:
        error = refused_by_guards("the code reads standard input", "give it what it reads as an argument")
        raise error

    read = readline = readlines = __next__ = _refuse


@contextmanager
def look_regularly(look: Callable[[], None]) -> Iterator[None]:
    """Within the block, ``look`` is called every now and then, in the middle of what runs; it may raise.

    Outside of the main thread, where no handler can be set, nothing is called.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda _number, _frame: look())
    signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def standard_places_taken() -> Iterator[None]:
    """Within the block, no file that is opened is 0, 1 or 2, which a process may have been started without.

    A process that is forked within it keeps the null device in their place.
    """
    taken = [os.open(os.devnull, os.O_RDWR)]
    while taken[-1] <= 2:
        taken.append(os.open(os.devnull, os.O_RDWR))
    try:
        yield
    finally:
        for place in taken:
            os.close(place)


def places_of_output() -> list[int]:
    """The files that output may go to: pytest and logging hold others than 1 and 2."""
    places = {1, 2}
    streams: list[Any] = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    for reference in getattr(logging, "_handlerList", ()):
        handler = reference() if callable(reference) else reference
        streams.append(getattr(handler, "stream", None))
    for stream in streams:
        with suppress(Exception):  # a StringIO, the stream of a notebook, None
            places.add(stream.fileno())
    return sorted(places)


def send_output_to(out: int, err: int, places: Iterable[int]) -> None:
    """Let everything that is printed go to these files."""
    null = os.open(os.devnull, os.O_RDWR)
    for place in places:
        os.dup2(out if place == 1 else err if place == 2 else null, place)
    os.close(null)
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]


def silence() -> None:
    """Let what is printed from now on go nowhere."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    null = os.open(os.devnull, os.O_RDWR)
    for place in (1, 2):
        os.dup2(null, place)
    os.close(null)


def call_prctl(option: int, argument: int) -> None:
    """Linux's prctl; nothing elsewhere."""
    if sys.platform == "linux":
        _libc().prctl(option, argument, 0, 0, 0)


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def detach() -> None:
    """Forget what the process that forked this one has set up: handlers of signals, tracers, dumps of a crash."""
    with suppress(ValueError):
        signal.set_wakeup_fd(-1)  # of an event loop, which the other one reads
    names = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCHLD")
    for number in (getattr(signal, name, None) for name in names):
        if number is not None:
            signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    if (faults := sys.modules.get("faulthandler")) is not None:
        faults.cancel_dump_traceback_later()
        faults.disable()
    sys.settrace(None)
    sys.setprofile(None)
    threading.settrace(None)
    threading.setprofile(None)


def prepare(seed: int) -> Effects:
    """Make this a process that runs code, and nothing else."""
    # All forks begin with the same state of the global generators: seeded apart, code that asks them is seen.
    random.seed(seed)
    if (numpy := sys.modules.get("numpy.random")) is not None:
        numpy.seed(seed)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdin = sys.__stdin__ = NoInput()  # type: ignore[misc, assignment]
    _refuse_other_starts()
    effects = Effects()
    sys.addaudithook(effects.hook)
    return effects
