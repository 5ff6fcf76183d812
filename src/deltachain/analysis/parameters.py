"""What the verbs are given: pairs of states, the limits of a search, how it is watched. Read exactly, and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction

from ..beliefs.question import Budget, State, as_count, asked_pairs
from ..cancel import Cancel, Report
from ..cancel import interruptible as until_interrupted
from ..errors import InputError
from ..rational import as_fraction

__all__ = ["Budget", "State", "asked_pairs", "budget_of", "watching"]

LONGEST = 10**9
"""Seconds; a longer timeout is none."""


@contextmanager
def watching(
    cancel: Cancel | None, timeout: float | None, report: Report | None, interruptible: bool
) -> Iterator[Cancel]:
    """The token of one call: the caller's own, or a new one, which Ctrl-C sets if ``interruptible``."""
    if cancel is not None:
        if timeout is not None or report is not None or interruptible:
            raise InputError("cancel: it brings its own timeout, report and interruption; give it alone")
        yield cancel
        return
    cancel = Cancel(None if timeout is None else float(min(as_fraction(timeout, "timeout"), Fraction(LONGEST))), report)
    with until_interrupted(cancel) if interruptible else nullcontext():
        yield cancel


def budget_of(max_nodes: int | None) -> Budget:
    """The budget, checked."""
    return Budget(None if max_nodes is None else as_count(max_nodes, "max_nodes"))
