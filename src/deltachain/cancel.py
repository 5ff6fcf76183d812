"""Progress and the end of a long computation: one token that every stage holds, with its deadline and its report.

A stage that may take long takes a `Cancel`. Between two pieces of its work it asks ``stopped()`` and returns what it
has, or calls ``check()``, which raises `Stopped` for a caller that has something to return. Nothing is thrown out of a
progress callback, and no stage is interrupted in the middle of a step.

What is called deep inside, such as sums over a graph, spends steps, as the checker's rules do on its meter: `spend`
counts them on the cancel that governs the stage, which looks at the clock once in a while, and refuses beforehand a
single call that would go far beyond the deadline. Where no stage has said that it can be cut, nothing happens. A stage
says so with ``attempt(work)``: what it finds, or None if it had to end; or with ``governing()``, and catches `Stopped`.

What must be put together after the search was cut, such as the bounds that it has proved so far, goes on under
``ending()``, which allows for a second more. So a command ends soon after its limit, wherever it was.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from types import FrameType
from typing import Literal, TypeVar

from .errors import InputError, Stopped

ProgressCallback = Callable[[str], None]
"""Shown to people; it must not raise."""
Bounds = Callable[[Fraction, Fraction], None]
"""Given certified bounds (lower, upper) of what a search is for, whenever they are narrower; it must not raise."""


Found = TypeVar("Found")

AT_ONCE = 0.3
"""Seconds within which two interrupts count as one."""
STEPS_PER_SECOND = 10_000_000
"""A step is worth about a tenth of a microsecond: a tenth of what a line of Python takes."""
ASKED_EVERY = 200_000
"""Steps after which ``stopped`` is asked again: some 20 milliseconds."""
GRACE = 1.0
"""Seconds for putting together what is known, after the work had to end."""
OVERRUN = 0.5
"""Seconds by which a single call may be late."""


class Cancel:
    """A deadline, a flag that Ctrl-C sets, and where progress goes. ``reason`` says why the work must end, or None.

    With ``bounds``, a search gives its bounds to that function; without, they are in the text of its reports.

    >>> cancel = Cancel()
    >>> cancel.is_stopped(), cancel.reason
    (False, None)
    >>> cancel.interrupt(); cancel.is_stopped(), cancel.reason
    (True, 'interrupted')
    """

    def __init__(
        self,
        timeout: float | None = None,
        report: ProgressCallback | None = None,
        *,
        bounds: Bounds | None = None,
        within: Cancel | None = None,
        stage: str = "",
    ) -> None:
        if timeout is not None and not 0 < timeout <= threading.TIMEOUT_MAX:
            raise InputError(f"timeout: it must be above 0, and at most {threading.TIMEOUT_MAX:,.0f} seconds")
        self._end = None if timeout is None else time.monotonic() + timeout
        self.report: ProgressCallback = report or (lambda _: None)
        self.bounds = bounds
        self.reason: Literal["time", "interrupted"] | None = None
        self._within = within
        self._stage = stage
        self._since: float | None = None
        self._unasked: list[int] = [0] if within is None else within._unasked

    def during(self, stage: str) -> Cancel:
        """A cancel for one stage, such as "reading the model": it ends with this one, and `Stopped` names the stage.

        >>> cancel = Cancel(); cancel.interrupt()
        >>> cancel.during("compiling the program").check()
        Traceback (most recent call last):
            ...
        deltachain.errors.Stopped: interrupted while compiling the program
        """
        self.report(stage)
        return Cancel(report=self.report, bounds=self.bounds, within=self, stage=stage)

    @property
    def stage(self) -> str:
        """What is being done, here or in what this is within; empty where nobody said."""
        return self._stage or ("" if self._within is None else self._within.stage)

    @property
    def left(self) -> float | None:
        """The seconds until the deadline, above 0; None where there is none."""
        end = self._deadline()
        return None if end is None else max(end - time.monotonic(), 1e-9)

    def first(self, share: float) -> Cancel:
        """A cancel for a first stage: it ends with this one, and after a share of the time that is left."""
        left = self.left
        return Cancel(None if left is None else share * left, self.report, bounds=self.bounds, within=self)

    def part(self, name: str) -> Cancel:
        """A cancel for one part of the work: it ends with this one, and its reports begin with the part's name."""
        self.report(name)
        return self.report_to(lambda text: self.report(f"{name}, {text}"), self.bounds)

    def report_to(self, report: ProgressCallback, bounds: Bounds | None) -> Cancel:
        """A cancel that ends with this one, and reports elsewhere."""
        return Cancel(report=report, bounds=bounds, within=self)

    def _deadline(self) -> float | None:
        """When the work ends at the latest, here or in what this is within."""
        known = (self._end, None if self._within is None else self._within._deadline())
        return min((end for end in known if end is not None), default=None)

    def is_stopped(self) -> bool:
        """Whether the work must end: the deadline has passed, or somebody interrupted it. Stays true."""
        if self.reason is None and self._end is not None and time.monotonic() >= self._end:
            self.reason, self._since = "time", self._end
        if self.reason is None and self._within is not None and self._within.is_stopped():
            self.reason, self._since = self._within.reason, self._within._since
        return self.reason is not None

    def check(self) -> None:
        """Raise `Stopped` if the work must end."""
        if self.is_stopped():
            why = "interrupted" if self.reason == "interrupted" else "time limit reached"
            raise Stopped(f"{why} while {self.stage}" if self.stage else why)

    def interrupt(self) -> None:
        """Ask the work to end, from a signal handler or another thread."""
        if self.reason is None:
            self._since = time.monotonic()
            self.reason = "interrupted"

    def spend(self, steps: int) -> None:
        """Count so many steps that are about to be done; raise `Stopped` if the work must end.

        So it does where they could not be done until soon after the deadline: they may be one call, which nothing ends.
        """
        self._unasked[0] += steps
        if self._unasked[0] < ASKED_EVERY and self.reason is None:
            return
        self._unasked[0] = 0
        self.check()
        end = self._deadline()
        if end is not None and time.monotonic() + steps / STEPS_PER_SECOND > end + OVERRUN:
            raise Stopped(f"time limit reached while {self.stage}" if self.stage else "time limit reached")

    @contextmanager
    def govern(self) -> Iterator[None]:
        """Within the block every `spend` counts on this cancel, and so may raise `Stopped`."""
        before = _GOVERNING.set(self)
        try:
            yield
        finally:
            _GOVERNING.reset(before)

    def attempt(self, work: Callable[[], Found]) -> Found | None:
        """What ``work`` finds, governed by this cancel; None if it had to end before, or must not even begin."""
        try:
            with self.govern():
                self.check()
                return work()
        except Stopped:
            return None

    def make_ending(self) -> Cancel:
        """A cancel for putting together what is known: it ends `GRACE` seconds after this one.

        >>> cancel = Cancel(); cancel.interrupt()
        >>> cancel.is_stopped(), cancel.make_ending().is_stopped()
        (True, False)
        """
        return _Ending(self)


class _Ending(Cancel):
    """Ends a little after another."""

    def __init__(self, work: Cancel) -> None:
        super().__init__(report=work.report, bounds=work.bounds)
        self._work = work

    @property
    def stage(self) -> str:
        return self._work.stage

    def _deadline(self) -> float | None:
        if self._work.is_stopped():
            # Where nobody took the time when the work had to end, it is when it is first asked for.
            self._work._since = self._work._since or time.monotonic()
            return self._work._since + GRACE
        end = self._work._deadline()
        return None if end is None else end + GRACE

    def is_stopped(self) -> bool:
        """Whether the other has been over for long enough."""
        if self.reason is None and self._work.is_stopped():
            end = self._deadline()
            if end is not None and time.monotonic() >= end:
                self.reason, self._since = self._work.reason, end
        return self.reason is not None

    def make_ending(self) -> Cancel:
        """Itself: there is one such time, however many things are to be put together."""
        return self


_GOVERNING: ContextVar[Cancel | None] = ContextVar("governing", default=None)


def spend(steps: int) -> None:
    """Count so many steps on the cancel of the stage that is going on, if it can be cut: see `Cancel.spend`."""
    cancel = _GOVERNING.get()
    if cancel is not None:
        cancel.spend(steps)


@contextmanager
def interruptible(cancel: Cancel) -> Iterator[None]:
    """Within the block Ctrl-C asks the work to end, and a second one raises KeyboardInterrupt as usual.

    One that follows at once is the same one: ``timeout -s INT`` signals the process and then its group. Outside of the
    main thread, where no handler can be set, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    pressed: float | None = None

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed is None:
            pressed = time.monotonic()
            cancel.interrupt()
        elif time.monotonic() - pressed > AT_ONCE:
            signal.signal(signal.SIGINT, before)
            signal.raise_signal(signal.SIGINT)

    if before not in (signal.SIG_IGN, None):
        signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)
