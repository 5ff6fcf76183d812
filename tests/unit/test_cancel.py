"""A cancel for a first stage ends with its share of the time, and with the cancel that it is within; Ctrl-C."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from fractions import Fraction

import pytest

from deltachain import cancel
from deltachain.cancel import Cancel, interruptible


def test_a_first_stage_ends_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("deltachain.cancel.time.monotonic", lambda: now)
    whole = Cancel(60)
    first = whole.first(0.5)
    now += 29
    assert not first.is_stopped()
    now += 2
    assert first.is_stopped()
    assert first.reason == "time"
    assert not whole.is_stopped()


def test_a_first_stage_without_a_deadline_ends_with_the_whole() -> None:
    whole = Cancel()
    first = whole.first(0.5)
    assert not first.is_stopped()
    whole.interrupt()
    assert first.is_stopped()
    assert first.reason == "interrupted"


def test_an_interrupted_first_stage_leaves_the_whole_alone() -> None:
    whole = Cancel(60)
    first = whole.first(0.5)
    first.interrupt()
    assert first.is_stopped()
    assert not whole.is_stopped()


def test_a_part_is_named_and_ends_with_the_whole() -> None:
    lines: list[str] = []
    whole = Cancel(60, lines.append, bounds=lambda lower, upper: lines.append(f"{lower} {upper}"))
    part = whole.part("point 1").part("pair 2")
    part.report("searching")
    assert part.bounds is not None
    part.bounds(Fraction(1, 4), Fraction(1, 2))
    assert lines == ["point 1", "point 1, pair 2", "point 1, pair 2, searching", "1/4 1/2"]
    assert part.first(1e-9)._end is not None, "a share of the time of the whole"
    whole._end = time.monotonic()
    assert part.is_stopped()
    assert (part.reason, whole.reason) == ("time", "time")


@pytest.fixture
def _ctrl_c_raises() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_raises")
def test_two_interrupts_at_once_are_one() -> None:
    asked = Cancel()
    with interruptible(asked):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert asked.reason == "interrupted"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("_ctrl_c_raises")
def test_a_second_interrupt_later_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancel, "AT_ONCE", -1.0)
    with interruptible(Cancel()):
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
