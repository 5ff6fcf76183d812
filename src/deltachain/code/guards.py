"""What code can do behind a recorder's back, and how it is noticed: threads, forks, entropy, its arguments, its state.

A draw in a thread, a fork, or a process that is started would take real noise and never be followed: context variables
are not inherited by threads, and a forked child's recorder is a copy. Each of these makes an error that is kept, so
that code which catches it changes nothing. Random numbers from Python's or NumPy's global generators change their
state, which is compared. Random bytes of the system are noticed where they are asked for (`entropy`), and what a call
leaves behind, in its arguments too, is found by looking (`remains`).
"""

from __future__ import annotations

import os
import random
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ..draws.source import RECORDING, STRAY, Site, call_site
from ..errors import Defect
from . import entropy
from .calls import Called
from .remains import CACHE_OF, Remains, library_paths, our_paths
from .watching import NOT_A_FUNCTION, CodeRefused


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

    def fork(self) -> None:
        """This thread is about to fork, in a run."""
        if threading.get_ident() == self.thread:
            what = "the code forks: what the child draws could not be followed"
            self._note(Defect(str(call_site()), what, "draw in the process that calls the function"))

    def took_entropy(self, name: str) -> None:
        """Somebody asks for random bytes of the system."""
        site = line_of_author()
        # A library that is imported seeds its own generators: whether they are asked is seen by their state.
        if self.inside and site is not None:
            what = f"the code takes random bytes of the system ({name}), which cannot be followed"
            fix = "draw with flip, uniform, choose, …, or from a generator that is an argument: deltachain.Random()"
            self._note(Defect(str(site), what, fix))

    def note(self, what: str, fix: str) -> CodeRefused:
        """Keep an error about the line that is running, for code that catches it."""
        return self._note(Defect(str(line_of_author() or ""), what, fix))

    def _note(self, defect: Defect) -> CodeRefused:
        self.error = self.error or CodeRefused(defect)
        return self.error


def line_of_author() -> Site | None:
    """The line that is running outside of libraries, or else any; None while a library is imported."""
    passed = ("<frozen", *our_paths(), *(f"{path}{os.sep}" for path in library_paths()))
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return None
        if not file.startswith(passed):
            return Site(file, frame.f_lineno)
        frame = frame.f_back
    return call_site()


_GUARDS: list[Guard] = []
"""Those that are on duty, in any thread."""


def on_duty() -> list[Guard]:
    """The guards that are on duty."""
    return list(_GUARDS)


def _before_fork() -> None:
    for guard in _GUARDS:
        guard.fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)


@contextmanager
def on_guard() -> Iterator[Guard]:
    """A guard that is on duty within the block."""
    guard = Guard()
    outer = os.environ.get(RECORDING)
    _GUARDS.append(guard)
    STRAY.append(guard.stray)
    entropy.NOTICED.append(guard.took_entropy)
    # Processes that the code starts inherit it, and refuse to draw.
    os.environ[RECORDING] = "1"
    try:
        yield guard
    finally:
        STRAY.remove(guard.stray)
        entropy.NOTICED.remove(guard.took_entropy)
        _GUARDS.remove(guard)
        if outer is None:
            del os.environ[RECORDING]


class Generators:
    """The state of global generators, as it was; `check` refuses what has drawn from them."""

    def __init__(self) -> None:
        self._random = _state_of_random()
        self._numpy = _state_of_numpy()

    def check(self, secret: str) -> None:
        """Raise CodeRefused if somebody has drawn."""
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
                raise CodeRefused(Defect(secret, what, fix))


class Given:
    """The arguments of a call and all that they lead to, as they were; `check` refuses a call that has changed them."""

    def __init__(self, call: Called, alive: Callable[[], None] = lambda: None) -> None:
        self._call = call
        home = str(getattr(call.function, "__module__", None) or "")
        self._remains = Remains(arguments=call.arguments, home=home, alive=alive)

    def check(self) -> None:
        """Raise CodeRefused if something is another value than it was."""
        if changed := self._remains.list_changed():
            own = [name for name in changed if name in self._call.arguments]
            which = f"its argument {own[0]!r}" if own else f"{changed[0]}, to which an argument leads"
            what = f"the code changes {which}, so the next call would begin with something else"
            raise CodeRefused(Defect(self._call.name, what, "let it work on a copy"))


class Kept:
    """What functions can reach, as it was; `check` refuses a call that has left something behind."""

    def __init__(self, functions: Iterable[Callable[..., object]], alive: Callable[[], None] = lambda: None) -> None:
        self._functions = tuple(functions)
        self._remains = Remains(self._functions, alive=alive)

    def check(self) -> None:
        """Raise CodeRefused if something is another value than it was."""
        changed = self._remains.list_changed()
        if changed:
            names = ", ".join(changed[:3]) + (", …" if len(changed) > 3 else "")
            verb = "is another value" if len(changed) == 1 else "are other values"
            what = f"{NOT_A_FUNCTION}: {names} {verb} after the call"
            code = getattr(self._functions[0], "__code__", None)
            place = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
            raise CodeRefused(Defect(place, what, _remedy(changed)))


def _remedy(changed: Sequence[str]) -> str:
    """What to do about what has changed."""
    caches = [name.removeprefix(CACHE_OF) for name in changed if name.startswith(CACHE_OF)]
    if len(caches) < len(changed):
        return "keep nothing between calls: make it anew in each call"
    return (
        f"call {caches[0]}.__wrapped__, which keeps nothing; or, if it calls itself, call {caches[0]}.cache_clear() "
        "before from_code and at the end of the function"
    )


def _state_of_random() -> object:
    return random.getstate()


def _state_of_numpy() -> object:
    """The state of NumPy's global generator; None if NumPy's generators are not loaded."""
    module: Any = sys.modules.get("numpy.random")
    if module is None:
        return None
    kind, key, *rest = module.get_state()
    return kind, key.tobytes(), *rest
