"""Cancels for tests: they stop the work at a chosen question, whatever the clock says, and count what is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from deltachain.cancel import Cancel

NEVER = 10**9


class StoppingAfter(Cancel):
    """Says stop after so many questions; what is put together after that may ask so many more of its own."""

    def __init__(self, calls: int, later: int | None = None) -> None:
        super().__init__()
        self.calls, self.later = calls, later

    def is_stopped(self) -> bool:
        self.calls -= 1
        if self.calls < 0:
            self.interrupt()
        return super().is_stopped()

    def make_ending(self) -> Cancel:
        return super().make_ending() if self.later is None else _Later(self)


class _Later(Cancel):
    """What follows a cut: all the questions of all that is put together count."""

    def __init__(self, work: StoppingAfter) -> None:
        super().__init__()
        self._work = work

    def is_stopped(self) -> bool:
        work = self._work
        if not work.is_stopped():
            return False
        work.later = (work.later or 0) - 1
        if work.later < 0:
            self.reason = work.reason
        return work.later < 0

    def make_ending(self) -> Cancel:
        return self


class Counting(StoppingAfter):
    """Counts the lines of Python from one question to the next, and those after the last one that was answered no."""

    def __init__(self, calls: int = NEVER) -> None:
        super().__init__(calls, later=0)
        self.asked = self.lines = self.longest = 0
        self.since = 0
        self.where = ""

    def is_stopped(self) -> bool:
        self.asked += 1
        if self.lines - self.since > self.longest:
            self.longest, self.where = self.lines - self.since, _places(sys._getframe(1))
        stop = super().is_stopped()
        if not stop or self.calls == -1:
            self.since = self.lines
        return stop

    @property
    def after(self) -> int:
        """Lines since then."""
        return self.lines - self.since

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Within the block the lines of this thread are counted; no other tracing goes on meanwhile."""
        before = sys.gettrace()

        def trace(_frame: FrameType, event: str, _arg: Any) -> Callable[..., Any]:
            if event == "line":
                self.lines += 1
            return trace

        sys.settrace(trace)
        try:
            yield
        finally:
            sys.settrace(before)


def _places(frame: FrameType | None) -> str:
    found = []
    while frame is not None and len(found) < 6:
        found.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(found)
