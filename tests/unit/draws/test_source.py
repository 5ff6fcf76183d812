"""Sources: which one is in force, what a seed determines, what is announced, and who hears of draws that escape."""

from __future__ import annotations

import asyncio
import hashlib
import operator
import os
import subprocess
import sys
import threading
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from deltachain import announce, discrete_laplace, flip, uniform
from deltachain.draws import DrawSource, Run, SystemEntropy, Uniform, call_site, in_force, seeded, using
from deltachain.draws import source as source_module
from deltachain.draws.laws import DrawnLaw
from deltachain.errors import InputError
from tests.words import refuses


class Fixed(DrawSource):
    """Draws one outcome for ever, and notes who asked for what."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.asked: list[tuple[str, str, int]] = []

    def draw(self, law: DrawnLaw) -> Any:
        site = call_site()
        self.asked.append((str(law), Path(site.file).name, site.line))
        return self.outcome


def test_a_seed_determines_all_draws() -> None:
    def draws(seed: int) -> list[int]:
        with using(seeded(seed)):
            return [uniform(0, 10**9) for _ in range(20)] + [discrete_laplace(10) for _ in range(20)]

    assert draws(1) == draws(1) != draws(2)


def test_the_stream_of_a_seed_never_changes() -> None:
    """Runs that were published with their seeds are found again by every later version."""
    source = seeded(1)
    assert [source.bits(8) for _ in range(4)] == list(hashlib.sha256(b"deltachain:1:0").digest()[:4])
    assert source.bits(300).bit_length() > 280
    with using(seeded(7)):
        assert [uniform(1, 6) for _ in range(12)] == [6, 3, 1, 1, 5, 6, 6, 2, 6, 4, 6, 2]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 63, 64, 65, 300])
def test_bits_are_as_many_as_asked_for(count: int) -> None:
    for source in (SystemEntropy(), seeded(1)):
        seen = [source.bits(count) for _ in range(200)]
        assert all(0 <= bits < 1 << count for bits in seen)
        # Every bit is 0 sometimes and 1 sometimes: 200 draws miss one with probability 2^-199.
        assert reduce(operator.or_, seen) == (1 << count) - 1


@pytest.mark.parametrize("seed", [True, "1", 1.0, None])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with refuses(InputError, "a whole number"):
        seeded(seed)


def test_the_source_in_force_is_that_of_the_innermost_block() -> None:
    assert isinstance(in_force(), SystemEntropy)
    with using(Fixed(1)) as outer:
        assert uniform(0, 9) == 1
        with using(Fixed(2)):
            assert uniform(0, 9) == 2
        assert in_force() is outer
        with pytest.raises(ZeroDivisionError), using(Fixed(3)):
            _ = 1 // 0
        assert in_force() is outer
    assert isinstance(in_force(), SystemEntropy)


def test_only_a_source_can_be_in_force() -> None:
    with refuses(InputError, "source; give seeded"), using(7):  # type: ignore[type-var]
        pass


def test_a_source_may_refuse_another_one_inside() -> None:
    class Jealous(Fixed):
        def yields_to(self, other: DrawSource) -> None:
            raise InputError(f"no {type(other).__name__} in here")

    with using(Jealous(1)):
        with refuses(InputError, "Fixed in here"), using(Fixed(2)):
            pass
        assert uniform(0, 9) == 1


def test_a_run_keeps_what_is_announced() -> None:
    announce("nobody hears")
    with using(Run(seeded(1))) as run:
        announce(flip(1))
        announce(("a", 2))
    assert run.letters == [True, ("a", 2)]
    assert isinstance(Run().source, SystemEntropy)


def test_a_source_learns_the_law_and_where_it_is_drawn() -> None:
    with using(Fixed(4)) as source:
        line = sys._getframe().f_lineno
        assert uniform(0, 4) == 4
        assert flip("1/3")
        assert discrete_laplace(2) == 4
    here = Path(__file__).name
    assert source.asked == [
        ("uniform(0, 4)", here, line + 1), ("flip(1/3)", here, line + 2), ("discrete_laplace(2)", here, line + 3),
    ]  # fmt: skip


def test_threads_do_not_inherit_the_source_and_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    noticed: list[str] = []
    monkeypatch.setattr(source_module, "STRAY", [lambda: noticed.append(threading.current_thread().name)])
    with using(Fixed(1)):
        thread = threading.Thread(target=lambda: uniform(0, 9), name="stray")
        thread.start()
        thread.join()
        assert uniform(0, 9) == 1
    assert noticed == ["stray"]


def test_tasks_inherit_the_source() -> None:
    async def draw() -> int:
        return uniform(0, 9)

    async def both() -> list[int]:
        with using(Fixed(5)):
            return list(await asyncio.gather(draw(), draw()))

    assert asyncio.run(both()) == [5, 5]


FORKED = """
import os
from deltachain import discrete_laplace, uniform
uniform(0, 1), discrete_laplace(1000)  # whatever could be kept is kept by now
reading, writing = os.pipe()
child = os.fork()
drawn = [uniform(0, 2**200), discrete_laplace(10**50)]
if not child:
    os.write(writing, repr(drawn).encode())
    os._exit(0)
os.waitpid(child, 0)
theirs = os.read(reading, 10_000).decode()
print(len(theirs) > 60 and all(str(number) not in theirs for number in drawn))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_parent_and_child_draw_different_noise() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_can_draw_while_a_thread_of_its_parent_was_drawing() -> None:
    code = """
import os, threading
from deltachain.draws import sampler
held, done = threading.Event(), threading.Event()
def hold():
    with sampler._FLINT:
        held.set()
        done.wait()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if not child:
    from deltachain import discrete_laplace
    discrete_laplace(3)
    os._exit(0)
print(os.waitpid(child, 0)[1])
done.set()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "0"


def test_many_threads_draw_at_once() -> None:
    found: list[int] = []

    def draw() -> None:
        found.extend(discrete_laplace(scale) for scale in range(1, 40))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 * 39


def test_laws_are_values() -> None:
    assert Uniform(0, 4) == Uniform(0, 4) != Uniform(0, 5)
    assert len({Uniform(0, 4).key, Uniform(0, 4).key, Uniform(1, 4).key}) == 2
