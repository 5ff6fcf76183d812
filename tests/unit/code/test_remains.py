"""What a call leaves behind is found by its name, wherever the code keeps it; what it only reads is not."""

from __future__ import annotations

import contextlib
import csv
import enum
import functools
import hmac
import itertools
import os
import queue
import random
import sqlite3
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CellType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deltachain.code.remains import Remains, look

NUMBER, NUMBERS = 0, [0]
COUNT, LOCAL, VARIABLE = itertools.count(), threading.local(), ContextVar("VARIABLE", default=0)
GENERATOR, ARRAYS = random.Random(1), np.random.default_rng(1)
ARRAY, SPACE = np.zeros(3), SimpleNamespace(calls=0)
LOCAL.calls = 0
FILE = open(__file__, "rb")  # noqa: SIM115, PTH123


class Budget:
    """State of a class, and of its objects."""

    left = 5
    __slots__ = ("spent",)

    def __init__(self) -> None:
        self.spent = 0

    def spend(self) -> None:
        """One more."""
        self.spent += 1


@dataclass
class Locked:
    """An object that cannot be pickled."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    calls: dict[str, int] = field(default_factory=dict)

    def __call__(self) -> None:
        self.calls["all"] = self.calls.get("all", 0) + 1


class Right(enum.Flag):
    """Of what a combination is made anew."""

    READ, WRITE = 1, 2


class Hidden(random.Random):
    """A generator whose state is not what it says."""

    calls = 0

    def getstate(self) -> Any:
        return 0


class PicklesAsNothing:
    """An object that is made anew from nothing."""

    def __init__(self) -> None:
        self.calls = 0

    def __reduce__(self) -> Any:
        return (int, ())


async def asynchronous() -> AsyncIterator[int]:
    for number in range(100):
        yield number


def a_step_of(generator: AsyncIterator[int]) -> None:
    with contextlib.suppress(StopIteration):
        generator.__anext__().__await__().__next__()


BUDGET, LOCKED, HIDDEN, PICKLED = Budget(), Locked(), Hidden(1), PicklesAsNothing()
READER, UNPACKED, KEYED = csv.reader(["a"] * 9), struct.iter_unpack("B", bytes(9)), hmac.new(b"", digestmod="sha256")
LOCK, AGAIN, CELL, VIEW = threading.Lock(), threading.RLock(), CellType(0), memoryview(bytearray(3))
QUEUE, DATABASE = queue.SimpleQueue[int](), sqlite3.connect(":memory:")
DATABASE.execute("create table calls (number)")
FLAT, WALK, ASYNCHRONOUS = np.zeros(9).flat, np.nditer(np.arange(9)), asynchronous()


def numbered() -> Iterator[int]:
    yield from range(100)


RUNNING = numbered()
next(RUNNING)


@functools.lru_cache
def cached(n: int) -> int:
    return n


def counting(function: Callable[[], Any]) -> Callable[[], Any]:
    calls = 0

    @functools.wraps(function)
    def wrapper() -> Any:
        nonlocal calls
        calls += 1
        return function()

    return wrapper


@counting
def decorated() -> None:
    """Nothing."""


def with_default(seen: list[int] = []) -> None:  # noqa: B006 - that is what is tried
    seen.append(1)


def sets_a_global() -> None:
    global NUMBER  # noqa: PLW0603
    NUMBER += 1


def makes_a_global() -> None:
    globals()["MADE"] = 1


def changes_a_global_by_its_text() -> None:
    globals()["NUM" + "BERS"].append(1)


def has_an_attribute() -> None:
    has_an_attribute.calls = getattr(has_an_attribute, "calls", 0) + 1  # type: ignore[attr-defined]


def sets_an_attribute_of_a_library() -> None:
    np.calls = 1  # type: ignore[attr-defined]


def spends_of_the_class() -> None:
    Budget.left -= 1


def in_a_container() -> Callable[[], None]:
    held = {"count": 0}

    def one_more() -> None:
        held["count"] += 1

    many = [one_more]

    def first() -> None:
        many[0]()

    return first


STATEFUL: dict[str, Callable[[], Any]] = {
    "NUMBER": sets_a_global,
    "NUMBERS": changes_a_global_by_its_text,
    "the names of": makes_a_global,
    "the attributes of has_an_attribute": has_an_attribute,
    "the defaults of": with_default,
    "COUNT": lambda: next(COUNT),
    "LOCAL": lambda: setattr(LOCAL, "calls", LOCAL.calls + 1),
    "VARIABLE": lambda: VARIABLE.set(VARIABLE.get() + 1),
    "GENERATOR": lambda: [GENERATOR.random()],
    "ARRAYS": lambda: ARRAYS.integers(3),
    "ARRAY": lambda: ARRAY.__setitem__(0, ARRAY[0] + 1),
    "SPACE": lambda: setattr(SPACE, "calls", SPACE.calls + 1),
    "BUDGET": lambda: [BUDGET.spend()],
    "Budget.left": spends_of_the_class,
    "LOCKED": lambda: [LOCKED()],
    "RUNNING": lambda: next(RUNNING),
    "HIDDEN": lambda: setattr(HIDDEN, "calls", HIDDEN.calls + 1),
    "PICKLED": lambda: setattr(PICKLED, "calls", PICKLED.calls + 1),
    "READER": lambda: next(READER),
    "UNPACKED": lambda: next(UNPACKED),
    "KEYED": lambda: KEYED.update(b"x"),
    "LOCK": lambda: [LOCK.acquire()],
    "AGAIN": lambda: [AGAIN.acquire()],
    "CELL": lambda: setattr(CELL, "cell_contents", CELL.cell_contents + 1),
    "VIEW": lambda: VIEW.__setitem__(0, VIEW[0] + 1),
    "FLAT": lambda: next(FLAT),
    "WALK": lambda: [WALK.iternext()],
    "QUEUE": lambda: QUEUE.put(1),
    "DATABASE": lambda: [DATABASE.execute("insert into calls values (1)")],
    "ASYNCHRONOUS": lambda: a_step_of(ASYNCHRONOUS),
    "FILE": lambda: FILE.seek(FILE.tell() + 1),
    "the cache of cached": lambda: cached(NUMBERS[0] + len(NUMBERS)),
    "calls": decorated,
    "numpy.calls": sets_an_attribute_of_a_library,
    "held": in_a_container(),
    "os.environ": lambda: os.environ.__setitem__("SET_BY_A_TEST", "1"),
}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Put back what is not a name of this module."""
    yield
    os.environ.pop("SET_BY_A_TEST", None)
    vars(np).pop("calls", None)
    globals().pop("MADE", None)


@pytest.mark.parametrize("name", STATEFUL)
def test_state_is_found_by_its_name(name: str) -> None:
    code = STATEFUL[name]
    remains = Remains([code])
    assert remains.changed() == []
    code()
    changed = remains.changed()
    assert any(name in one for one in changed), changed


def test_a_bound_method_and_an_object_that_is_called_are_looked_into() -> None:
    for code in (BUDGET.spend, LOCKED, functools.partial(NUMBERS.append, 1)):
        remains = Remains([code])
        code()
        assert remains.changed()


def test_what_is_only_read_is_not_a_change() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"city": ["Bern", "Chur", "Bern"], "age": [1, 2, 3]})
    generic = functools.singledispatch(lambda value: value)
    generic.register(int, lambda value: -value)

    def reads() -> Any:
        generic(3)
        sizes = frame.groupby("city").size()
        return sizes, frame["age"].sum(), frame.index.is_unique, sorted(NUMBERS), ARRAY.sum(), cached.__name__

    remains = Remains([reads])
    reads()
    assert remains.changed() == []


def test_a_thread_that_ends_and_where_is_printed_are_nobodys_state() -> None:
    def reads() -> Any:
        return thread, printed

    going_on = threading.Event()
    thread = threading.Thread(target=going_on.wait)
    thread.start()
    into, out = os.pipe()
    kept, printed = os.dup(1), open(1, "w", closefd=False)  # noqa: SIM115
    os.dup2(out, 1)
    remains = Remains([reads])
    going_on.set()
    thread.join()
    with open(os.devnull, "wb") as null:  # noqa: PTH123
        os.dup2(null.fileno(), 1)
    changed = remains.changed()
    os.dup2(kept, 1)
    for place in (into, out, kept):
        os.close(place)
    assert changed == []
    thread.calls = 1  # type: ignore[attr-defined]
    assert any("thread" in name for name in remains.changed())


def test_combinations_of_flags_are_nobodys_state() -> None:
    remains = Remains([lambda: Right.READ])
    assert [Right.READ | Right.WRITE, ~Right.READ]
    assert remains.changed() == []


def test_two_things_of_one_name_are_both_looked_at() -> None:
    one, other = in_a_container(), in_a_container()

    def both() -> None:
        other()

    both.first = one  # type: ignore[attr-defined]
    remains = Remains([both])
    both()
    assert remains.changed()


def test_what_changes_without_a_call_is_left_out() -> None:
    class Moving:
        def __reduce__(self) -> Any:
            return (str, (next(ticks),))

    ticks, moving = itertools.count(), Moving()
    remains = Remains([lambda: moving])
    assert not any("moving" in name for name in remains.changed())


def test_an_object_that_cannot_be_looked_into_stops_nothing() -> None:
    class Broken:
        def __reduce_ex__(self, _: Any) -> Any:
            raise OSError

        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise OSError

    broken = Broken()
    assert any("broken" in name for name in look([lambda: broken]).digests)
