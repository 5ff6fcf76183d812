"""A watch for a first stage ends with its share of the time, and with the watch that it is within."""

from __future__ import annotations

import time

from deltachain.watch import Watch


def test_a_first_stage_ends_sooner() -> None:
    whole = Watch(60)
    first = whole.first(1e-9)
    time.sleep(0.001)
    assert first.stopped()
    assert first.reason == "time"
    assert not whole.stopped()


def test_a_first_stage_without_a_deadline_ends_with_the_whole() -> None:
    whole = Watch()
    first = whole.first(0.5)
    assert not first.stopped()
    whole.interrupt()
    assert first.stopped()
    assert first.reason == "interrupted"


def test_an_interrupted_first_stage_leaves_the_whole_alone() -> None:
    whole = Watch(60)
    first = whole.first(0.5)
    first.interrupt()
    assert first.stopped()
    assert not whole.stopped()
