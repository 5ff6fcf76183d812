"""Progress and the end of a long computation: one token that every stage holds, with its deadline and its report.

A stage that may take long takes a `Cancel`. Between two pieces of its work it asks ``stopped()`` and returns what it
has, or calls ``check()``, which raises `Stopped` for a caller that has something to return. Nothing is thrown out of a
progress callback, and no stage is interrupted in the middle of a step.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import FrameType
from typing import Literal

from .errors import InputError, Stopped

Report = Callable[[str], None]
"""Shown to people; it must not raise."""
Bounds = Callable[[Fraction, Fraction], None]
"""Given certified bounds (lower, upper) of what a search is for, whenever they are narrower; it must not raise."""


AT_ONCE = 0.3
"""Seconds within which two interrupts count as one."""


class Cancel:
    """A deadline, a flag that Ctrl-C sets, and where progress goes. ``reason`` says why the work must end, or None.

    With ``bounds``, a search gives its bounds to that function; without, they are in the text of its reports.

    >>> cancel = Cancel()
    >>> cancel.stopped(), cancel.reason
    (False, None)
    >>> cancel.interrupt(); cancel.stopped(), cancel.reason
    (True, 'interrupted')
    """

    def __init__(
        self,
        timeout: float | None = None,
        report: Report | None = None,
        *,
        bounds: Bounds | None = None,
        within: Cancel | None = None,
        stage: str = "",
    ) -> None:
        if timeout is not None and not 0 < timeout <= threading.TIMEOUT_MAX:
            raise InputError(f"timeout: it must be above 0, and at most {threading.TIMEOUT_MAX:,.0f} seconds")
        self._end = None if timeout is None else time.monotonic() + timeout
        self.report: Report = report or (lambda _: None)
        self.bounds = bounds
        self.reason: Literal["time", "interrupted"] | None = None
        self._within = within
        self._stage = stage

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

    def first(self, share: float) -> Cancel:
        """A cancel for a first stage: it ends with this one, and after a share of the time that is left."""
        end = self._deadline()
        left = None if end is None else max(end - time.monotonic(), 1e-9)
        return Cancel(None if left is None else share * left, self.report, bounds=self.bounds, within=self)

    def part(self, name: str) -> Cancel:
        """A cancel for one part of the work: it ends with this one, and its reports begin with the part's name."""
        self.report(name)
        return self.reporting(lambda text: self.report(f"{name}, {text}"), self.bounds)

    def reporting(self, report: Report, bounds: Bounds | None) -> Cancel:
        """A cancel that ends with this one, and reports elsewhere."""
        return Cancel(report=report, bounds=bounds, within=self)

    def _deadline(self) -> float | None:
        """When the work ends at the latest, here or in what this is within."""
        known = (self._end, None if self._within is None else self._within._deadline())
        return min((end for end in known if end is not None), default=None)

    def stopped(self) -> bool:
        """Whether the work must end: the deadline has passed, or somebody interrupted it. Stays true."""
        if self.reason is None and self._end is not None and time.monotonic() >= self._end:
            self.reason = "time"
        if self.reason is None and self._within is not None and self._within.stopped():
            self.reason = self._within.reason
        return self.reason is not None

    def check(self) -> None:
        """Raise `Stopped` if the work must end."""
        if self.stopped():
            why = "interrupted" if self.reason == "interrupted" else "time limit reached"
            raise Stopped(f"{why} while {self.stage}" if self.stage else why)

    def interrupt(self) -> None:
        """Ask the work to end, from a signal handler or another thread."""
        self.reason = self.reason or "interrupted"


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
