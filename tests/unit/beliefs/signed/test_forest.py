"""Directions are bounded alike side by side and one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction

import pytest

from deltachain import examples
from deltachain.beliefs.signed import forest
from deltachain.beliefs.signed.forest import Forest
from deltachain.cancel import Cancel
from deltachain.numbers.fraction import ExpEpsilon

BUDGET = 3_000


def bounds(worth: int) -> tuple[list[object], int]:
    """What every recipe proves of both directions, and how many threads were started for it."""
    chain, started, start = examples.build("sticky-sensor"), [0], threading.Thread.start
    ways = [chain.relation[0], chain.relation[0][::-1]]
    trees = Forest(chain, ways, ExpEpsilon.exactly(Fraction(11, 10)))

    def counted(thread: threading.Thread) -> None:
        started[0] += 1
        start(thread)

    steps: list[Callable[[], None]] = [
        lambda: trees.add_levels(ways, BUDGET, False, Cancel()),
        lambda: trees.add_grid(ways, 256, Cancel()),
        lambda: trees.grow(dict.fromkeys(ways, BUDGET), Cancel()),
    ]
    found: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "WORTH_A_THREAD", worth)
        patch.setattr(threading.Thread, "start", counted)
        for step in steps:
            step()
            found.append([trees.bounds(way) for way in ways])
    return found, started[0]


def test_threads_change_nothing_and_small_jobs_start_none() -> None:
    beside, some = bounds(BUDGET)
    alone, few = bounds(BUDGET + 1)
    assert beside == alone
    assert beside[0] != beside[-1], "the steps narrow the bounds"
    assert some > few
