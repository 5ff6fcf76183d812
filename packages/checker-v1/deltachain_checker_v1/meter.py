"""How much work a check may take: weighted steps, counted by what is done and never by a clock.

A step is worth about a tenth of a microsecond, whatever the rule: each rule spends as many as its work is worth,
before it is done or piece by piece. The count depends on the model and the certificate alone. Nothing that is proved
rests on it: a meter can only end a check, by `Unfinished`, which says neither that the certificate holds nor that it
does not. As with the context of `decimal`, the meter of a check is known to all that the check calls, so that sums and
products of long numbers can spend as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

ASKED_EVERY = 200_000
"""Steps after which ``stopped`` is asked again: some 20 milliseconds."""


class Unfinished(Exception):
    """The check was ended before it came to a result; ``reason`` is "steps" or "stopped"."""

    def __init__(self, reason: Literal["steps", "stopped"]) -> None:
        super().__init__(
            {"steps": "the check needs more steps than allowed", "stopped": "the check was stopped"}[reason]
        )
        self.reason = reason


class Meter:
    """Counts ``steps`` up to a limit, if there is one; asks ``stopped`` now and then whether to go on.

    >>> meter = Meter(limit=10)
    >>> meter.spend(7), meter.steps
    (None, 7)
    >>> meter.spend(7)
    Traceback (most recent call last):
    deltachain_checker_v1.meter.Unfinished: the check needs more steps than allowed
    """

    def __init__(self, limit: int | None = None, stopped: Callable[[], bool] = lambda: False) -> None:
        self.limit, self.steps = limit, 0
        self._stopped, self._ask_at = stopped, 0

    def spend(self, steps: int) -> None:
        """Count so many steps; `Unfinished` if that is more than the limit, or if the check was stopped."""
        self.steps += steps
        if self.limit is not None and self.steps > self.limit:
            raise Unfinished("steps")
        if self.steps >= self._ask_at:
            self._ask_at = self.steps + ASKED_EVERY
            if self._stopped():
                raise Unfinished("stopped")


_CURRENT: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered(meter: Meter | None) -> Iterator[None]:
    """Within the block all work counts on this meter; on none, if there is none."""
    before = _CURRENT.set(meter)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def spend(steps: int) -> None:
    """Count so many steps on the meter of the check that is going on, if it has one."""
    meter = _CURRENT.get()
    if meter is not None:
        meter.spend(steps)
