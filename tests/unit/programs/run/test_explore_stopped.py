"""Exploring a program ends when its cancel says so, wherever the time goes, and tells how far it is."""

from __future__ import annotations

import pytest

from deltachain.cancel import Cancel
from deltachain.errors import Stopped
from deltachain.programs import announce, flip, program, uniform
from tests.unit.beliefs.cancelling import StoppingAfter


@program
def counts_in_silence(x):
    n = 0
    while n < 10**9:
        n = n + 1
    announce(x)


@program
def keeps_long_values(x):
    t = (x,) * 1000
    for _ in range(100000):
        t = t[1:] + (t[0],)  # noqa: RUF005  (the language has no star)
    announce(t[0])


@program
def has_many_states(x):
    while True:
        x = (x * 7 + uniform(0, 9)) % 1000003
        announce(x % 2)


@program
def sums_a_hidden_loop(x):
    n = x
    while n > 0 and n < 2000:
        n = n + 1 if flip("1/3") else n - uniform(1, 9)
    announce(n > 0)


ALL = (counts_in_silence, keeps_long_values, has_many_states, sums_a_hidden_loop)


@pytest.mark.parametrize("slow", ALL, ids=lambda p: p.name)
@pytest.mark.parametrize("asked", [1, 3])
def test_it_asks_again_and_again_whether_to_end(slow, asked: int) -> None:
    cancel = StoppingAfter(asked)
    with pytest.raises(Stopped, match="interrupted"):
        slow.chain([{"x": 1}], max_states=10**9, cancel=cancel)
    assert cancel.calls == -1, "the first no is the last question"


def test_a_deadline_is_one_reason_to_end() -> None:
    with pytest.raises(Stopped, match="time limit reached"):
        counts_in_silence.chain([{"x": 1}], max_states=10**9, cancel=Cancel(timeout=1e-9))


def test_progress_is_told_and_an_interruption_heard() -> None:
    told: list[str] = []

    def report(text: str) -> None:
        told.append(text)
        cancel.interrupt()

    cancel = Cancel(report=report)
    with pytest.raises(Stopped, match="interrupted"):
        has_many_states.chain([{"x": 1}], max_states=10**9, cancel=cancel)
    assert told == ["compiling the program, 0 configurations"]
