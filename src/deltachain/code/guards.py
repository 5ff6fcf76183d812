"""What code can do behind a recorder's back, and how it is noticed: threads, forks, other generators, its arguments.

A draw in a thread, a fork, or a process that is started would take real noise and never be followed: context variables
are not inherited by threads, and a forked child's recorder is a copy. Each of these makes an error that is kept, so
that code which catches it changes nothing. Random numbers from Python's or NumPy's global generators change their
state, which is compared; arguments that a call has changed have another fingerprint.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..draws.source import RECORDING, STRAY, call_site
from ..errors import Defect
from .letters import fingerprint
from .recorder import CodeRefused


class Guard:
    """Notices draws in threads, and forks, for as long as code is recorded; ``error`` is the first of them."""

    def __init__(self) -> None:
        self.error: CodeRefused | None = None
        self.thread = threading.get_ident()
        self.inside = False
        """Whether the code is running."""

    def check(self) -> None:
        """Raise what was noticed."""
        if self.error is not None:
            raise self.error

    def stray(self) -> None:
        """A draw or announcement where no source is in force: in a thread, or in a context of the code's own."""
        here = threading.get_ident() == self.thread
        if here and not self.inside:
            return  # what is drawn between two runs is drawn in earnest
        where = "a context of its own" if here else "another thread"
        what = f"a draw or announcement in {where} while code is recorded: it could not be followed"
        raise self._note(Defect(str(call_site()), what, "draw in the thread and context that call the function"))

    def forked(self) -> None:
        """This thread is about to fork, in a run."""
        if threading.get_ident() == self.thread:
            what = "the code forks: what the child draws could not be followed"
            self._note(Defect(str(call_site()), what, "draw in the process that calls the function"))

    def _note(self, defect: Defect) -> CodeRefused:
        self.error = self.error or CodeRefused(defect)
        return self.error


_GUARDS: list[Guard] = []
"""Those that are on duty, in any thread."""


def _before_fork() -> None:
    for guard in _GUARDS:
        guard.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


@contextmanager
def on_guard() -> Iterator[Guard]:
    """A guard that is on duty within the block."""
    guard = Guard()
    outer = os.environ.get(RECORDING)
    _GUARDS.append(guard)
    STRAY.append(guard.stray)
    # Processes that the code starts inherit it, and refuse to draw.
    os.environ[RECORDING] = "1"
    try:
        yield guard
    finally:
        STRAY.remove(guard.stray)
        _GUARDS.remove(guard)
        if outer is None:
            del os.environ[RECORDING]


class Surroundings:
    """The arguments of a call and the state of global generators, as they were; `check` refuses what has changed."""

    def __init__(self, arguments: Mapping[str, object], secret: str) -> None:
        self._arguments, self._secret = arguments, secret
        self._prints = {name: fingerprint(value) for name, value in arguments.items()}
        self._random = _state_of_random()
        self._numpy = _state_of_numpy()

    def check(self) -> None:
        """Raise CodeRefused if a call has changed something."""
        changed = [name for name, value in self._arguments.items() if fingerprint(value) != self._prints[name]]
        if changed:
            what = f"the code changes its argument {changed[0]!r}, so the next call would begin with something else"
            raise CodeRefused(Defect(self._secret, what, "let it work on a copy"))
        numpy = _state_of_numpy()
        if self._numpy is None:
            self._numpy = numpy  # the code has loaded it: from now on it is compared
        for name, before, now, instead in (
            ("random", self._random, _state_of_random(), "deltachain.Random()"),
            ("numpy.random", self._numpy, numpy, "deltachain.numpy_generator()"),
        ):
            if before != now:
                what = f"the code draws from the global generator of {name}, which cannot be followed"
                fix = f"draw with flip, uniform, choose, …, or from a generator that is an argument: {instead}"
                raise CodeRefused(Defect(self._secret, what, fix))


def _state_of_random() -> object:
    return random.getstate()


def _state_of_numpy() -> object:
    """The state of NumPy's global generator; None if NumPy's generators are not loaded."""
    module: Any = sys.modules.get("numpy.random")
    if module is None:
        return None
    kind, key, *rest = module.get_state()
    return kind, key.tobytes(), *rest
