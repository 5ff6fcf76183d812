"""What a call leaves behind is found by its name, wherever the code keeps it; what it only reads is not."""

from __future__ import annotations

import builtins
import contextlib
import copy
import copyreg
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
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from types import CellType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import deltachain_checker_v1
from deltachain.code import remains as remains_module
from deltachain.code.remains import Remains, look, our_paths

NUMBER, NUMBERS = 0, [0]
COUNT, LOCAL, VARIABLE = itertools.count(), threading.local(), ContextVar("VARIABLE", default=0)
BOX: ContextVar[list[int]] = ContextVar("BOX", default=[0])  # noqa: B039 - that is what is tried
__DUNDER__ = [0]
GENERATOR, ARRAYS = random.Random(1), np.random.default_rng(1)
ARRAY, SPACE = np.zeros(3), SimpleNamespace(calls=0)
LOCAL.calls = 0
FILE = open(__file__, "rb")  # noqa: SIM115, PTH123


@pytest.fixture(scope="module", autouse=True)
def file_closed() -> Iterator[None]:
    """Not left to the end of the process."""
    yield
    FILE.close()


class Counted(type):
    """State of a class of classes."""

    classes = 0


class Budget(metaclass=Counted):
    """State of a class, and of its objects."""

    left = 5
    __left__ = 5
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


class InASlot:
    """An object that says nothing of its slots."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls = 0

    def __reduce__(self) -> Any:
        return (InASlot, ())


class EmptyList(list[int]):
    """A list that says it is empty."""

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __reduce__(self) -> Any:
        return (EmptyList, ())


class EmptyDict(dict[str, int]):
    """A dict that says it is empty."""

    def items(self) -> Any:
        return {}.items()


class Registered:
    """An object that others say how to pickle."""

    calls = 0


class OfALibrary:
    """A class that says it is another module's."""

    __module__ = "json"
    left = 5


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
SLOT, LISTED, MAPPED, REGISTERED, LIBRARY = InASlot(), EmptyList(), EmptyDict(), Registered(), OfALibrary
copyreg.pickle(Registered, lambda _: (Registered, ()))
PARTIAL, STATIC, PROPERTY = functools.partial(len), staticmethod(len), property(len)
FAR: Any = Registered()
FAR.itself, WEAK = FAR, weakref.ref(FAR)
CONTEXT = copy_context()
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


def has_other_code() -> None:
    code = has_other_code.__code__
    has_other_code.__code__ = code.replace(co_consts=(*code.co_consts, 1))


def has_a_note() -> None:
    has_a_note.__annotations__["calls"] = len(has_a_note.__annotations__)


def has_a_text() -> None:
    has_a_text.__doc__ = f"{has_a_text.__doc__}x"


def has_a_name() -> None:
    has_a_name.__name__ += "x"


def is_held() -> None:
    """Named by another function alone."""


def changes_what_is_held() -> None:
    is_held.__kwdefaults__ = {"calls": 1}


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
    "the code of has_other_code": has_other_code,
    "the annotations of has_a_note": has_a_note,
    "the docstring of has_a_text": has_a_text,
    "the name of has_a_name": has_a_name,
    "the defaults by keyword of is_held": changes_what_is_held,
    "Budget.__left__": lambda: setattr(Budget, "__left__", Budget.__left__ - 1),
    "the class Budget": lambda: setattr(Budget, "__name__", Budget.__name__ + "x"),
    "Counted.classes": lambda: setattr(Counted, "classes", Counted.classes + 1),
    "__DUNDER__": lambda: globals()["__DUN" + "DER__"].append(1),
    "BOX": lambda: BOX.get().append(1),
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
    "SLOT": lambda: setattr(SLOT, "calls", SLOT.calls + 1),
    "LISTED": lambda: LISTED.append(1),
    "MAPPED": lambda: MAPPED.update(calls=len(MAPPED)),
    "REGISTERED": lambda: setattr(REGISTERED, "calls", 1),
    "OfALibrary.left": lambda: setattr(LIBRARY, "left", LIBRARY.left - 1),
    "PARTIAL": lambda: setattr(PARTIAL, "calls", 1),
    "STATIC": lambda: setattr(STATIC, "calls", 1),
    "PROPERTY": lambda: setattr(PROPERTY, "__doc__", "x"),
    "WEAK": lambda: setattr(WEAK(), "calls", 1),
    "CONTEXT": lambda: CONTEXT.run(VARIABLE.set, 5),
    "builtins": lambda: setattr(builtins, "a_name_of_a_test", object()),
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
    vars(builtins).pop("a_name_of_a_test", None)
    vars(np).pop("calls", None)
    globals().pop("MADE", None)


@pytest.mark.parametrize("name", STATEFUL)
def test_state_is_found_by_its_name(name: str) -> None:
    code = STATEFUL[name]
    remains = Remains([code])
    assert remains.list_changed() == []
    code()
    changed = remains.list_changed()
    assert any(name in one for one in changed), changed


def test_an_object_that_leads_back_to_itself_is_looked_at_whole() -> None:
    parent, child = SimpleNamespace(), SimpleNamespace(calls=0)
    parent.children, child.parent = [child], parent
    remains = Remains([lambda: parent])
    parent.last = 1
    assert remains.list_changed()
    remains = Remains([lambda: parent])
    child.calls = 1
    assert remains.list_changed()


def test_a_bound_method_and_an_object_that_is_called_are_looked_into() -> None:
    for code in (BUDGET.spend, LOCKED, functools.partial(NUMBERS.append, 1)):
        remains = Remains([code])
        code()
        assert remains.list_changed()


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
    assert remains.list_changed() == []


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
    changed = remains.list_changed()
    os.dup2(kept, 1)
    for place in (into, out, kept):
        os.close(place)
    assert changed == []
    thread.calls = 1  # type: ignore[attr-defined]
    assert any("thread" in name for name in remains.list_changed())


def test_combinations_of_flags_are_nobodys_state() -> None:
    remains = Remains([lambda: Right.READ])
    assert [Right.READ | Right.WRITE, ~Right.READ]
    assert remains.list_changed() == []


def test_what_copying_and_pickling_keep_is_nobodys_state() -> None:
    class Plain:
        """A class whose objects were never copied."""

    remains = Remains([lambda: Plain])
    assert copy.copy(Plain())
    assert "__slotnames__" in vars(Plain)
    assert remains.list_changed() == []


def test_two_things_of_one_name_are_both_looked_at() -> None:
    one, other = in_a_container(), in_a_container()

    def both() -> None:
        other()

    both.first = one  # type: ignore[attr-defined]
    remains = Remains([both])
    both()
    assert remains.list_changed()


def test_what_changes_without_a_call_is_left_out() -> None:
    class Moving:
        def __reduce__(self) -> Any:
            return (str, (next(ticks),))

    ticks, moving = itertools.count(), Moving()
    remains = Remains([lambda: moving])
    assert not any("moving" in name for name in remains.list_changed())


def test_an_object_that_cannot_be_looked_into_stops_nothing() -> None:
    class Broken:
        def __reduce_ex__(self, _: Any) -> Any:
            raise OSError

        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise OSError

    broken = Broken()
    assert any("broken" in name for name in look([lambda: broken]).digests)


class Answers:
    """An object that answers every question with another object of its kind."""

    asked = 0

    def __getattr__(self, _: str) -> Any:
        Answers.asked += 1
        return Answers()

    def __call__(self) -> Any:
        return Answers()


def test_a_look_asks_no_object_that_makes_up_its_answers() -> None:
    """As a `getattr` for `cache_info` and `__wrapped__` did, for ever."""
    answers = Answers()
    remains = Remains([lambda: answers])
    assert remains.list_changed() == []
    answers.calls = 1
    assert any("answers" in name for name in remains.list_changed())


def test_a_look_takes_in_no_more_than_its_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        def __reduce_ex__(self, _: Any) -> Any:
            return (list, (), None, (Endless() for _ in itertools.count()))

    a, endless, z, seen = Budget(), Endless(), Budget(), list[int]()

    def reads() -> Any:
        return a, endless, z

    whole = remains_module._Walk.meet

    def meet(walk: Any, name: str, value: object) -> None:
        seen.append(1)
        whole(walk, name, value)

    monkeypatch.setattr(remains_module, "NAMED", remains_module.Reach(1 << 20, 500))
    monkeypatch.setattr(remains_module, "UNNAMED", remains_module.Reach(1 << 20, 50))
    monkeypatch.setattr(remains_module._Walk, "meet", meet)
    remains = Remains([reads])
    assert len(seen) < 4 * 500
    a.spend()
    assert any(name.endswith(".a") for name in remains.list_changed())
    z.spend()
    assert any(name.endswith(".z") for name in remains.list_changed())


def test_what_the_code_does_not_name_takes_nothing_from_what_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook holds much, and a bound method leads to all of its shell."""
    session = [Budget() for _ in range(1000)]
    monkeypatch.setitem(globals(), "get_shell", SimpleNamespace(session=session).__repr__)
    monkeypatch.setattr(remains_module, "UNNAMED", remains_module.Reach(1 << 10, 10))
    remains = Remains([BUDGET.spend])
    assert remains.list_changed() == []
    BUDGET.spend()
    assert any("spent" in name or "spend" in name for name in remains.list_changed())


def test_arguments_are_looked_into() -> None:
    class Box:
        def __init__(self) -> None:
            self.items = [1]

        def __reduce__(self) -> Any:
            return (Box, ())

    box, generator = Box(), np.random.default_rng(1)
    remains = Remains(arguments={"box": box, "generator": generator, "lock": threading.Lock(), "put": box.items.append})
    assert remains.list_changed() == []
    box.items.append(2)
    assert remains.list_changed() == ["box", "put"]
    generator.random()
    assert remains.list_changed() == ["box", "generator", "put"]


def test_both_of_our_packages_are_libraries() -> None:
    paths = our_paths()
    for module in (remains_module, deltachain_checker_v1):
        assert str(module.__file__).startswith(paths)
    assert not __file__.startswith(paths)
