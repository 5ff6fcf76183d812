"""What objects and exceptions hold beside their arguments and fields: no two that can be told apart share a letter."""

from __future__ import annotations

import abc
import copy
import dataclasses
import datetime
import decimal
import enum
import functools
import json
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

import deltachain as dc
from deltachain.code import CodeRefused, from_code
from deltachain.code.letters import NoLetter, spell_announced, spell_error, spell_returned
from tests.words import refuses

pytestmark = pytest.mark.usefixtures("one_process")

T = TypeVar("T")


class Plain(Exception):
    pass


class Slotted(Exception):
    __slots__ = ("hidden",)


class Private(Exception):
    __slots__ = ("__mangled",)

    def keep(self, value: object) -> Private:
        self.__mangled = value
        return self


class Below(Slotted):
    pass


class Shadowing(Slotted):
    __slots__ = ("hidden",)


class Answering(Exception):
    """Says that it holds nothing."""

    def __getattribute__(self, name: str) -> Any:
        return {} if name == "__dict__" else super().__getattribute__(name)


class Veiled(Exception):
    __dict__ = property(lambda _: {})  # type: ignore[assignment]


class Quiet(Exception):
    args = property(lambda _: ())  # type: ignore[assignment]


class Slot(Exception):
    __slots__ = ("taken",)


TAKEN = Slot.__dict__["taken"]
del Slot.taken


@dataclasses.dataclass
class Loose:
    x: int


class WithSlot(Loose):
    __slots__ = ("hidden",)


@dataclasses.dataclass(slots=True)
class Tight:
    x: int


@dataclasses.dataclass(slots=True)
class Tighter(Tight):
    y: int = 0


class Wider(Tight):
    __slots__ = ("hidden",)


@dataclasses.dataclass
class Watched:
    x: int

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


@dataclasses.dataclass
class OnInt(int):
    x: int = 0


@dataclasses.dataclass
class OnDict(dict[str, int]):
    x: int = 0


@dataclasses.dataclass
class Box(Generic[T]):
    x: T


@dataclasses.dataclass
class Abstract(abc.ABC):
    x: int


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: int


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


class Right(enum.Flag):
    READ = 1
    WRITE = 2


Pair = namedtuple("Pair", "a b")


def keep(error: Any, **attributes: object) -> Any:
    """The object with these attributes, whatever its class says of it."""
    for name, value in attributes.items():
        object.__setattr__(error, name, value)
    return error


def caught(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error.with_traceback(None)
    raise AssertionError("it raises nothing")


def taken(value: object) -> Slot:
    error = Slot("failed")
    TAKEN.__set__(error, value)
    return error


def chained(secret: object, *, cause: bool) -> BaseException:
    def fail() -> None:
        try:
            raise KeyError(secret)
        except KeyError as error:
            if cause:
                raise ValueError("failed") from error
            raise ValueError("failed") from None

    return caught(fail)


def forged(secret: object) -> Any:
    found = object.__new__(Color)
    found._name_, found._value_ = "RED", 1
    return keep(found, secret=secret)


def twin(name: str, *bases: type, **content: object) -> Any:
    """An instance of a class of its own, whose name is that of others."""
    return type(name, bases, {"__module__": __name__, **content})()


def in_c(error: BaseException, name: str, value: object) -> BaseException:
    setattr(error, name, value)
    return error


SAME = "the same"

ERRORS: dict[str, Callable[[Any], BaseException]] = {
    "attribute that is an argument": lambda n: keep(Plain(0, 1), seen=n),
    "attribute that is the only argument": lambda n: keep(Plain(1), **({"seen": 1} if n else {})),
    "slot": lambda n: keep(Slotted(SAME), hidden=n),
    "slot of a base": lambda n: keep(Below(SAME), hidden=n),
    "slot that another hides": lambda n: (Slotted.hidden.__set__(e := Shadowing(SAME), n), e)[1],  # type: ignore[attr-defined]
    "private slot": lambda n: Private(SAME).keep(n),
    "slot whose descriptor is gone": taken,
    "__getattribute__": lambda n: keep(Answering(SAME), seen=n),
    "__dict__ that is a property": lambda n: keep(Veiled(SAME), seen=n),
    "args that are a property": Quiet,
    "ImportError.name": lambda n: ImportError(SAME, name=f"m{n}"),
    "ImportError.path": lambda n: ImportError(SAME, path=f"m{n}"),
    "ImportError.msg": lambda n: in_c(ImportError(SAME), "msg", n),
    "ModuleNotFoundError.name": lambda n: ModuleNotFoundError(SAME, name=f"m{n}"),
    "AttributeError.name": lambda n: AttributeError(SAME, name=f"a{n}"),
    "AttributeError.obj": lambda n: AttributeError(SAME, obj=n),
    "AttributeError.obj without a letter": lambda n: AttributeError(SAME, obj=object() if n else iter("")),
    "NameError.name": lambda n: NameError(SAME, name=f"a{n}"),
    "UnboundLocalError.name": lambda n: UnboundLocalError(SAME, name=f"a{n}"),
    "SyntaxError.filename": lambda n: in_c(SyntaxError(SAME), "filename", f"f{n}"),
    "SyntaxError.lineno": lambda n: in_c(SyntaxError(SAME), "lineno", n),
    "SyntaxError.offset": lambda n: in_c(SyntaxError(SAME), "offset", n),
    "SyntaxError.text": lambda n: in_c(SyntaxError(SAME), "text", str(n)),
    "SyntaxError.end_lineno": lambda n: in_c(SyntaxError(SAME), "end_lineno", n),
    "SyntaxError.end_offset": lambda n: in_c(SyntaxError(SAME), "end_offset", n),
    "SyntaxError.msg": lambda n: in_c(SyntaxError(SAME), "msg", n),
    "SyntaxError.print_file_and_line": lambda n: in_c(SyntaxError(SAME), "print_file_and_line", n),
    "UnicodeDecodeError.reason": lambda n: in_c(UnicodeDecodeError("utf-8", b"a", 0, 1, SAME), "reason", str(n)),
    "UnicodeDecodeError.start": lambda n: in_c(UnicodeDecodeError("utf-8", b"ab", 0, 1, SAME), "start", n),
    "UnicodeDecodeError.end": lambda n: in_c(UnicodeDecodeError("utf-8", b"ab", 0, 1, SAME), "end", n + 1),
    "UnicodeDecodeError.object": lambda n: in_c(UnicodeDecodeError("utf-8", b"a", 0, 1, SAME), "object", b"%d" % n),
    "UnicodeEncodeError.encoding": lambda n: in_c(UnicodeEncodeError("a", "b", 0, 1, SAME), "encoding", str(n)),
    "UnicodeTranslateError.reason": lambda n: in_c(UnicodeTranslateError("b", 0, 1, SAME), "reason", str(n)),
    "StopIteration.value": lambda n: in_c(StopIteration(SAME), "value", n),
    "StopIteration.value, False or None": lambda n: in_c(StopIteration(SAME), "value", False if n else None),
    "SystemExit.code": lambda n: in_c(SystemExit(SAME), "code", n),
    "OSError.errno": lambda n: in_c(OSError(2, SAME), "errno", n),
    "OSError.strerror": lambda n: in_c(OSError(2, SAME), "strerror", str(n)),
    "OSError.filename": lambda n: OSError(2, SAME, f"f{n}"),
    "OSError.filename2": lambda n: OSError(2, SAME, "f", None, f"f{n}"),
    "OSError.filename that is an argument": lambda n: in_c(OSError(2, SAME), "filename", 2 if n else SAME),
    "BlockingIOError.characters_written": lambda n: BlockingIOError(11, SAME, n),
    "ExceptionGroup.exceptions": lambda n: ExceptionGroup(SAME, [ValueError(n)]),
    "ExceptionGroup, attribute of one inside": lambda n: ExceptionGroup(SAME, [keep(Plain(), seen=n)]),
    "cause": lambda n: chained(n, cause=True),
    "context": lambda n: chained(n, cause=False),
    "whether a context is hidden": lambda n: in_c(ValueError(SAME), "__suppress_context__", bool(n)),
    "note": lambda n: in_c(ValueError(SAME), "__notes__", [str(n)]),
    "attribute of C that is in __dict__, too": lambda n: (e := OSError(2, SAME), vars(e).update(filename=str(n)))[0],
    "JSONDecodeError.doc": lambda n: json.JSONDecodeError(SAME, f"[{n}", 0),
    "AxisError": lambda n: np.exceptions.AxisError(n, 5),
    "class of its own, with content": lambda n: twin("Plain", Exception, secret=n),
    "class of its own, with a name that is taken": lambda n: twin("Plain", (ValueError if n else KeyError)),
    "an argument that is an exception": lambda n: ValueError(keep(Plain(), seen=n)),
    "an argument that cannot be listed": lambda n: KeyError(types.SimpleNamespace(n=n)),
    "a class as argument": lambda n: decimal.InvalidOperation([decimal.DivisionByZero if n else decimal.Overflow]),
}


def letters(spell: Callable[[Any], object], value: object) -> object:
    """The letters of a value; None if it has none."""
    try:
        return spell(value)
    except NoLetter as refused:
        assert "letter" in str(refused) or "catch the exception" in str(refused)  # noqa: PT017 - the fix is there
        return None


REFUSED_ERRORS = {
    "slot whose descriptor is gone", "__getattribute__", "AttributeError.obj without a letter",
    "class of its own, with content", "class of its own, with a name that is taken",
    "an argument that cannot be listed", "a class as argument",
}  # fmt: skip


@pytest.mark.parametrize("way", ERRORS)
def test_exceptions_that_can_be_told_apart_have_two_letters_or_none(way: str) -> None:
    one, other, again = (letters(spell_error, ERRORS[way](n)) for n in (0, 1, 0))
    assert (one is None) is (way in REFUSED_ERRORS)
    assert one == again
    assert one is None or one != other


@pytest.mark.parametrize("way", ERRORS)
def test_no_exception_that_shows_the_secret_is_proved_private(way: str) -> None:
    def fails(n: int) -> None:
        raise ERRORS[way](n)

    try:
        chain = from_code(fails, [{"n": 0}, {"n": 1}], errors="announce")
    except CodeRefused:
        assert way in REFUSED_ERRORS
    else:
        assert dc.check(chain, epsilon=5, delta="0.99").verdict == "violated"


def with_order(*members: int) -> set[int]:
    found: set[int] = set()
    for member in members:
        found.add(member)
    return found


def moved() -> OrderedDict[str, int]:
    found = OrderedDict(b=2, a=1)
    found.move_to_end("b")
    return found


def shared(value: Any, n: int) -> list[Any]:
    return [value, copy.deepcopy(value) if n else value]


def twisted(n: int) -> Loose:
    point = Loose(1)
    vars(point)["y"] = 2
    if n:
        vars(point)["x"] = vars(point).pop("x")
    return point


def fraction(n: int) -> Fraction:
    found = Fraction(1, 2)
    found._numerator = MyInt(n)  # type: ignore[attr-defined]
    return found


class MyInt(int):
    pass


class MyStr(str):
    pass


class MyList(list[int]):
    pass


class MyFloat(np.float64):
    pass


class MyArray(np.ndarray[Any, Any]):
    pass


def nan32(n: int) -> np.ndarray[Any, Any]:
    return np.array([0x7FA00000 if n else 0x7FE00000], dtype="u4").view("f4").copy()


VALUES: dict[str, Callable[[int], object]] = {
    "attribute of a dataclass": lambda n: keep(Loose(1), seen=n),
    "attribute with the name of a field": lambda n: keep(WithSlot(1), hidden=n),
    "slot of a dataclass": lambda n: keep(Wider(1), hidden=n),
    "slots of two dataclasses": lambda n: Tighter(n, 0),
    "order of attributes": twisted,
    "keys that are not names": lambda n: (p := Loose(1), vars(p).update({"x": 1, "y=1, z" if n else "y": 1}))[0],
    "__getattribute__": Watched,
    "dataclass on int": OnInt,
    "dataclass on dict": lambda n: (d := OnDict(), d.update(a=n))[0],
    "generic dataclass": Box,
    "generic dataclass, by its parameter": lambda n: Box[int](1) if n else Box[str](1),  # type: ignore[arg-type]
    "abstract dataclass": Abstract,
    "frozen dataclass": lambda n: keep(Fixed(1), seen=n),
    "class of its own": lambda n: twin("Loose", Loose, secret=n, __init__=lambda _: None),
    "forged member of an enum": forged,
    "attribute of a member": lambda n: keep(Color.BLUE, seen=n),
    "flags": lambda n: Right.READ | Right.WRITE if n else Right.READ,
    "enum of its own": lambda n: enum.Enum("Color", {"RED": n}, module=__name__).RED,  # type: ignore[attr-defined]
    "attribute of a Counter": lambda n: keep(Counter("a"), seen=n),
    "attribute of an OrderedDict": lambda n: keep(OrderedDict(a=1), seen=n),
    "order below an OrderedDict": lambda n: moved() if n else OrderedDict(a=1, b=2),
    "order of a set of ints": lambda n: with_order(8, 0) if n else with_order(0, 8),
    "order of a frozenset": lambda n: frozenset(with_order(8, 0) if n else with_order(0, 8)),
    "members that have one letter": lambda n: {float("nan"), float("nan")} if n else {float("nan")},
    "one list or two": lambda n: shared([1], n),
    "one dict or two": lambda n: shared({}, n),
    "one set or two": lambda n: shared({1}, n),
    "one dataclass or two": lambda n: shared(Loose(1), n),
    "one exception or two": lambda n: shared(Plain(1), n),
    "one array or two": lambda n: shared(np.zeros(2), n),
    "one bytearray or two": lambda n: shared(bytearray(), n),
    "one deque or two": lambda n: shared(deque([1]), n),
    "one list deep inside or two": lambda n: {"a": (shared([], n),)},
    "subclass of int": MyInt,
    "subclass of str": lambda n: keep(MyStr("a"), seen=n),
    "subclass of list": lambda n: keep(MyList(), seen=n),
    "subclass of a float of NumPy": lambda n: keep(MyFloat(1), seen=n),
    "fraction of a subclass of int": fraction,
    "namedtuple": lambda n: Pair(n, 1),
    "partial": lambda n: functools.partial(int, n),
    "lambda": lambda n: lambda: n,
    "range": range,
    "type of a defaultdict": lambda n: defaultdict(type("Loose", (), {"__module__": __name__, "n": n})),
    "time zone with a name": lambda n: datetime.time(1, tzinfo=datetime.timezone(datetime.timedelta(hours=n), "X")),
    "exception as a value": lambda n: keep(Plain(), seen=n),
    "cause of an exception as a value": lambda n: chained(n, cause=True),
    "subclass of an array": lambda n: keep(np.zeros(1).view(MyArray), seen=n),
    "below a view": lambda n: np.array([1, n])[:1],
    "below a row": lambda n: np.array([[1], [n]])[0],
    "shape below": lambda n: (np.zeros((6, 1)) if n else np.zeros(6)).reshape(2, 3),
    "strides": lambda n: np.zeros((2, 3), order="F" if n else "C"),
    "lock of an array": lambda n: (a := np.zeros(1), a.setflags(write=bool(n)))[0],
    "metadata of a dtype": lambda n: np.zeros(1, dtype=np.dtype("i8", metadata={"n": n})),
    "bits of a short nan": nan32,
    "bits of a short nan alone": lambda n: nan32(n)[0],
    "object in an array": lambda n: np.array([keep(Loose(1), seen=n)], dtype=object),
}  # fmt: skip

REFUSED_VALUES = {
    "__getattribute__", "dataclass on int", "dataclass on dict", "generic dataclass, by its parameter",
    "class of its own", "forged member of an enum", "enum of its own",
    "subclass of int", "subclass of str", "subclass of list", "subclass of a float of NumPy",
    "fraction of a subclass of int", "namedtuple", "partial", "lambda", "type of a defaultdict",
    "subclass of an array", "below a view", "below a row", "metadata of a dtype",
}  # fmt: skip


@pytest.mark.parametrize("spell", [spell_returned, spell_announced])
@pytest.mark.parametrize("way", VALUES)
def test_values_that_can_be_told_apart_have_two_letters_or_none(way: str, spell: Any) -> None:
    one, other, again = (letters(spell, VALUES[way](n)) for n in (0, 1, 0))
    vars(Color.BLUE).pop("seen", None)
    assert (one is None) is (way in REFUSED_VALUES)
    assert one == again
    assert one is None or one != other


@pytest.mark.parametrize("way", [way for way in VALUES if way not in REFUSED_VALUES and way != "attribute of a member"])
def test_no_value_that_shows_the_secret_is_proved_private(way: str) -> None:
    def made(n: int) -> object:
        return VALUES[way](n)

    chain = from_code(made, [{"n": 0}, {"n": 1}])
    assert dc.check(chain, epsilon=5, delta="0.99").verdict == "violated"


def test_what_is_equal_and_cannot_be_changed_has_one_letter_whether_shared_or_not() -> None:
    for value in (1000, "ab", 2.5, (1, 2), Fraction(1, 3), Fixed(1), np.int64(5), None, Color.RED, Level.LOW, b"x"):
        assert spell_returned([value, value]) == spell_returned([value, copy.deepcopy(value)])


def test_what_is_held_in_different_places_has_different_letters() -> None:
    fields: list[object] = [
        Loose(1), Tight(1), keep(Loose(1), y=2), Tighter(1, 2), keep(WithSlot(1), hidden=2), keep(WithSlot(1), y=2),
        keep(Wider(1), hidden=2), {"x": 1}, Box(1), Fixed(1), Box({"y": 2}), keep(Box(1), y=2),
    ]  # fmt: skip
    errors = [
        OSError(2, SAME), OSError(2, SAME, "f"), OSError(2, SAME, None, None, "f"), ERRORS["note"](1), Plain(1),
        ValueError(1), ValueError("1"), ValueError([1]), ValueError(1, {"a": 1}), keep(ValueError(1), a=1),
        ERRORS["attribute of C that is in __dict__, too"](1), keep(Below(1), hidden=2), keep(Shadowing(1), hidden=2),
        chained(1, cause=True), chained(1, cause=False), ValueError("failed"),
    ]  # fmt: skip
    found = [*map(spell_returned, fields), *map(spell_returned, errors), *map(spell_error, errors)]
    assert len(set(found)) == len(found)


def test_letters_of_exceptions_are_readable() -> None:
    assert spell_error(ValueError("x", 2)).text == "raises ValueError('x', #1)"
    assert spell_error(keep(Plain("x"), seen=1)).text == f"raises {__name__}.Plain('x') {{'seen': #1}}"
    assert spell_error(ImportError("x", name="m")).text == "raises ImportError('x') msg='x' name='m'"
    behind = "__context__=<KeyError(#1)> __cause__=<again 2>"
    assert spell_error(chained(5, cause=True)).text == f"raises ValueError('failed') __suppress_context__=True {behind}"


def test_tables_with_attributes_of_their_own() -> None:
    pd = pytest.importorskip("pandas")
    for value in (pd.Series([1]), pd.DataFrame({"a": [1]}), pd.Index([1]), pd.RangeIndex(2)):
        assert spell_returned(value) == spell_returned(value.copy())
        object.__setattr__(value, "seen", 1)
        with refuses(NoLetter, "attributes of its"):
            spell_returned(value)
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["seen"] = 1
    other = pd.DataFrame({"a": [1]})
    other.attrs["seen"] = 2
    assert spell_returned(frame) != spell_returned(other)


def test_time_zones_of_tables() -> None:
    pd = pytest.importorskip("pandas")
    zones = [datetime.timezone(datetime.timedelta(hours=n), "X") for n in (1, 2)]
    one, other = (pd.Series([pd.Timestamp("2026-01-01", tz="UTC")]).dt.tz_convert(zone) for zone in zones)
    assert spell_returned(one) != spell_returned(other)
    assert spell_returned(one.iloc[0]) != spell_returned(other.iloc[0])


def test_a_class_that_moves_is_refused_and_one_that_stays_is_not() -> None:
    error = Plain("x")
    assert spell_error(error).text == f"raises {__name__}.Plain('x')"
    module = sys.modules[__name__]
    try:
        module.Plain = type("Plain", (Exception,), {"__module__": __name__})  # type: ignore[misc]
        with refuses(NoLetter, "the top level"):
            spell_error(error)
    finally:
        module.Plain = type(error)  # type: ignore[misc]
