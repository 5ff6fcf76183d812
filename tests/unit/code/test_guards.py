"""What code does behind a recorder's back is noticed, kept, and not forgotten when it is caught."""

from __future__ import annotations

import os
import random
import threading

import numpy as np
import pytest

from deltachain.code.calls import Called
from deltachain.code.guards import Generators, Given, on_guard
from deltachain.code.watching import CodeRefused
from deltachain.draws.source import RECORDING, STRAY
from tests.words import refuses


def test_a_guard_is_on_duty_within_its_block_alone() -> None:
    before = list(STRAY)
    with on_guard() as guard:
        assert len(STRAY) == len(before) + 1
        assert os.environ[RECORDING] == "1"
        with on_guard():
            assert len(STRAY) == len(before) + 2
        assert os.environ[RECORDING] == "1", "the outer one is still there"
        guard.check()
    assert before == STRAY
    assert RECORDING not in os.environ


def test_a_draw_in_another_thread_is_an_error_that_is_kept() -> None:
    with on_guard() as guard:
        guard.inside = True
        caught: list[BaseException] = []

        def stray() -> None:
            try:
                guard.stray()
            except CodeRefused as error:
                caught.append(error)

        thread = threading.Thread(target=stray)
        thread.start()
        thread.join()
        assert "in another thread" in str(caught[0])
        with pytest.raises(CodeRefused, match="in another thread"):
            guard.check()
        with pytest.raises(CodeRefused, match="in another thread"):
            guard.stray()  # the first error stays the one that is told


def test_between_two_runs_a_draw_is_in_earnest_and_within_one_it_is_stray() -> None:
    with on_guard() as guard:
        guard.stray()
        guard.check()
        guard.inside = True
        with refuses(CodeRefused, "context of its"):
            guard.stray()


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="no forks here")
def test_a_fork_is_noticed() -> None:
    with on_guard() as guard:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(CodeRefused, match="the code forks"):
            guard.check()


def test_arguments_that_change_are_refused_by_name() -> None:
    values: list[int] = [1, 2]
    given = Given(Called("x=0", {"kept": (1,), "values": values}, len))
    given.check()
    values.append(3)
    with refuses(CodeRefused, "changes its argument"):
        given.check()


def test_what_an_argument_leads_to_is_refused_too() -> None:
    spent = 0

    def spend() -> None:
        nonlocal spent
        spent += 1

    given = Given(Called("x=0", {"tick": spend}, len))
    given.check()
    spend()
    with refuses(CodeRefused, "which an argument"):
        given.check()


@pytest.mark.parametrize(
    ("draw", "name"), [(random.random, "random"), (np.random.random, "numpy.random")], ids=["random", "numpy"]
)
def test_a_global_generator_that_moves_is_refused(draw: object, name: str) -> None:
    generators = Generators()
    generators.check("x=0")
    draw()  # type: ignore[operator]
    with refuses(CodeRefused, "the global generator"):
        generators.check("x=0")
