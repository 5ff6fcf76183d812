"""Letters: any two values that differ have different ones, and what has none is refused."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import itertools
import json
import math
import struct
import threading
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.code.letters import NoLetter, Spelling, spell_announced, spell_error, spell_returned
from tests.words import refuses


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: int
    y: float


@dataclasses.dataclass(frozen=True)
class Other:
    x: int
    y: float


NEGATIVE_NAN = struct.unpack(">d", bytes.fromhex("fff8000000000001"))[0]

DIFFERENT: list[Any] = [
    1, True, 1.0, "1", b"1", Fraction(1), Decimal(1), Decimal("1.0"), complex(1), Level.LOW,
    0, False, 0.0, -0.0, "", b"", (), [], {}, set(), frozenset(), bytearray(), range(0), "None", "True", "False",
    math.nan, NEGATIVE_NAN, math.inf, -math.inf, "nan", "inf", "0.1", 0.1, 0.1 + 2**-56, Fraction(1, 10), "1/10",
    [1, 2], (1, 2), (1,), [[1], 2], [1, [2]], ["1", 2], "[1, 2]", "(1, 2)", {1, 2}, {1: 2}, {2: 1}, {1: "2"},
    {"a": 1, "b": 2}, {"b": 2, "a": 1}, OrderedDict(a=1), {"a": 1}, Counter("a"), defaultdict(int, a=1), deque([1, 2]),
    deque([1, 2], 2), Color.RED, Color.BLUE, "<Color.RED>", Point(1, 2.0), Point(1, 2), Other(1, 2.0),
    range(3), range(4),
    datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1), datetime.timedelta(1), datetime.time(1),
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), "end", "start", "diverges", "returns 1", "raises x", "'a'", "a",
    "a ", "a\n", "\ud800", "≥ 5", "-1", -1, "12a", 12,
    np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True), np.str_("1"),
    np.array([1, 2]), np.array([1, 2], dtype=np.int32), np.array([[1, 2]]), np.array([1.0, 2.0]), np.array([True]),
    np.array([1, 2], dtype=object), np.array(["a"]), np.array(["a"], dtype="U2"), np.array([], dtype=int),
    np.array(["2026-01-01"], dtype="M8[D]"), np.array(["2026-01-01"], dtype="M8[s]"), np.array([-0.0, 2.0]),
]  # fmt: skip


@pytest.mark.parametrize("spell", [spell_returned, spell_announced])
def test_values_that_differ_have_different_letters(spell: Any) -> None:
    words = [(spelling.text, *spelling.numbers) for spelling in map(spell, DIFFERENT)]
    for (i, one), (j, other) in itertools.combinations(enumerate(words), 2):
        assert one != other, (DIFFERENT[i], DIFFERENT[j])


def test_what_reprs_lose() -> None:
    long = np.arange(2000)
    changed = long.copy()
    changed[1000] += 1
    assert repr(long) == repr(changed)
    assert spell_returned(long) != spell_returned(changed)
    digits = np.array([0.1])
    assert repr(digits) == repr(digits + 1e-12)
    assert spell_returned(digits) != spell_returned(digits + 1e-12)


def test_what_pandas_reprs_lose() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": range(100)})
    changed = frame.copy()
    changed.loc[50, "a"] = 7
    assert repr(frame) == repr(changed)
    assert spell_returned(frame) != spell_returned(changed)
    series = pd.Series([0.1])
    assert repr(series) == repr(series + 1e-9)
    assert spell_returned(series) != spell_returned(series + 1e-9)


def test_frames_differ_by_columns_dtypes_names_index_and_values() -> None:
    pd = pytest.importorskip("pandas")
    one = pd.Series([1, 2])
    when = pd.Timestamp("2026-01-01")
    values = [
        one, one.astype("int32"), one.astype(object), one.astype("Int64"), one.rename("a"), one.rename("b"),
        pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=[1, 0]), pd.Series([1, 2], index=[0, 1]),
        pd.Series([1, 2], index=pd.Index([0, 1], name="n")), pd.Series(["a", "b"]), pd.Series(["a", "b"], dtype=object),
        pd.Series(["a", "b"], dtype="category"), pd.Series(pd.Categorical(["a", "b"], categories=["b", "a"])),
        pd.Series(pd.Categorical(["a", "b"], ordered=True)), pd.Series([1, None]), pd.Series([1, None], dtype="Int64"),
        pd.Series([when]), pd.Series([when.tz_localize("UTC")]), pd.Series([True, False]), pd.Series([], dtype=int),
        pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"b": [1, 2]}), pd.DataFrame({"a": [1, 3]}),
        pd.DataFrame({"a": [1.0, 2]}),
        pd.DataFrame({"a": [1, 2]}, index=["x", "y"]), pd.DataFrame({"a": [1, 2], "b": [1, 2]}), pd.NA, pd.NaT, when,
        pd.DataFrame({"b": [1, 2], "a": [1, 2]}), pd.MultiIndex.from_tuples([(1, 2)]), pd.Index([1]), pd.Timedelta(1),
        pd.date_range("2026", periods=2), pd.RangeIndex(2),
    ]  # fmt: skip
    words = [(spelling.text, *spelling.numbers) for spelling in map(spell_returned, values)]
    for (i, one_word), (j, other) in itertools.combinations(enumerate(words), 2):
        assert one_word != other, (values[i], values[j])
    again = pd.DataFrame({"a": [1, 2]})
    assert spell_returned(again) == spell_returned(pd.DataFrame({"a": [1, 2]}))


Pair = namedtuple("Pair", "a b")


class MyInt(int):
    pass


class MyDict(dict[str, int]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        object(), Pair(1, 2), MyInt(3), MyDict(a=1), lambda: 1, int, (n for n in ()), iter([]), open, threading.Lock(),
        np.ma.masked_array([1], [True]), np.zeros(1, dtype=[("a", int)]), np.longdouble(1), defaultdict(lambda: 1),
        datetime.datetime.now().astimezone().tzinfo, 1 << 20_000, [object()], {"a": object()},
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_what_is_not_known_is_refused_with_the_fix(value: object) -> None:
    with pytest.raises(NoLetter, match=r"give letter=|return dict"):
        spell_returned(value)


def test_a_dataclass_with_more_than_its_fields_shows_it() -> None:
    point = Point(1, 2.0)
    point.__dict__["more"] = 3
    assert spell_returned(point).text == f"returns <{__name__}.Point {{'x': #1, 'y': 2.0, 'more': #2}}>"


def test_lists_that_hold_themselves_have_letters_and_deep_ones_do_not() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert spell_returned(endless).text == "returns [<again 1>]"
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    with refuses(NoLetter, "more than"):
        spell_returned(deep)


def test_numbers_of_a_returned_value_stand_apart_and_keys_do_not() -> None:
    spelling = spell_returned({"a": 4, 5: [6, "x"]})
    assert spelling.text == "returns {'a': #1, 5: [#2, 'x']}"
    assert spelling.numbers == ("4", "6")
    assert spell_returned(np.array([[1, 2]])).numbers == ("1", "2")


def test_announced_words_and_numbers_are_those_of_programs() -> None:
    texts = {"yes": "yes", True: "True", (1, "a"): "(1, 'a')", "2, as it is": "2, as it is"}
    assert {value: spell_announced(value).text for value in texts} == texts
    assert {value: spell_announced(value) for value in (5, -3)} == {5: Spelling("", ("5",)), -3: Spelling("", ("-3",))}
    assert spell_announced(np.int64(5)) == Spelling("<np.int64 #1>", ("5",))


def test_returned_announced_and_raised_are_marked_apart() -> None:
    words = {
        spell_announced("x").text,
        spell_returned("x").text,
        spell_error(ValueError("x")).text,
        spell_announced("returns 'x'").text,
    }
    assert len(words) == 4
    assert spell_returned(None).text is None
    assert spell_error(ValueError("x", 2)) == ("raises ValueError('x', #1)", ("2",), False)
    assert spell_error(KeyError("x")).text != spell_error(ValueError("x")).text


class _WithASecret(Exception):
    def __init__(self, *, secret: int) -> None:
        super().__init__("failed")
        self.secret = secret


def _noted(note: str) -> Exception:
    error = ValueError("failed")
    error.add_note(note)
    return error


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OSError(2, "missing", "a.txt"), OSError(2, "missing", "b.txt")),
        (OSError(2, "missing", "a", None, "b"), OSError(2, "missing", "a", None, "c")),
        (_WithASecret(secret=1), _WithASecret(secret=2)),
        (json.JSONDecodeError("bad", "[1", 0), json.JSONDecodeError("bad", "[2", 0)),
        (_noted("a"), _noted("b")),
    ],
)
def test_what_an_exception_holds_beside_its_arguments_is_seen(one: Exception, other: Exception) -> None:
    assert one.args == other.args
    assert spell_error(one) != spell_error(other)


def test_a_filtered_table_still_holds_what_its_levels_hold() -> None:
    pd = pytest.importorskip("pandas")
    frames = [pd.DataFrame({"n": [1, 2]}, index=pd.MultiIndex.from_tuples([(0, 1), (1, k)])) for k in (5, 6)]
    one, other = (spell_returned(frame.iloc[:1]) for frame in frames)
    assert one != other


def test_sets_are_sorted_and_dicts_are_not() -> None:
    numbers = [2**k for k in range(40)]
    assert spell_returned(set(numbers)) == spell_returned(set(numbers))
    assert spell_returned(set("abcdefgh")) == spell_returned(set("hgfedcba"))
    assert spell_returned(dict.fromkeys("ab")) != spell_returned(dict.fromkeys("ba"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.fractions(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    """Whether two values are of one type throughout, and equal, floats by their bits."""
    if type(one) is not type(other):
        return False
    if type(one) is float:
        return struct.pack(">d", one) == struct.pack(">d", other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


@given(VALUES, VALUES)
def test_letters_agree_exactly_where_values_do(one: object, other: object) -> None:
    for spell in (spell_returned, spell_announced):
        assert (spell(one) == spell(other)) is same(one, other)


@pytest.mark.parametrize("made", [lambda: float("nan"), lambda: complex("nan"), lambda: Decimal("NaN")])
def test_the_order_of_what_hashes_by_its_address_is_no_letter(made: Callable[[], Any]) -> None:
    kept = [made() for _ in range(200)]
    texts = {spell_announced({one, other}).text for one in kept for other in kept if one is not other}
    assert len(texts) == 1
