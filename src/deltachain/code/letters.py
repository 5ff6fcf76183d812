"""Letters of ordinary values: what is returned, announced or raised, as text that tells any two values apart.

A letter is never a ``repr``. Two long arrays that differ in the middle, two frames that differ in one hidden row, two
floats of one printed form have equal reprs, and equal letters of different values make false proofs. So values of known
types are encoded by their structure, and everything else is refused: the caller says what is seen of it (``letter=``).

Only exact types are known. A subclass may hold more than its base shows. True is not 1, 1.0 is not 1, −0.0 is not 0.0.
Sets are sorted: their order differs between processes and is nobody's message. Dicts keep their order.

*Numbers stand apart.* The word must not tell how a number came about: a 4 that was clamped and a 4 that noise happened
to give are the same 4. Noise on all integers gets a letter of its own, for each value or for a whole tail. So every int
inside a returned value is a *blank* in its text, ``returns {'a': #1}``, and follows as its own letter. Keys and members
of sets are hashed, hence known: they stand in the text. An announced value is one letter as in programs: an int is its
digits, a word is itself, anything else is its text with the digits inside.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
import re
import struct
from abc import ABC
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Generic, NamedTuple, Protocol

from .noisy import NoisyNumber

RETURNS, RAISES = "returns ", "raises "
"""How the letters of returned values and of exceptions begin; no announced word does."""

MOST_DEEP = 100
"""How deep values may hold one another: a list that holds itself is refused."""

LONGEST_INT = 14_000
"""Ints of more bits have no letter: Python writes no more digits."""

_RESERVED = frozenset(("None", "True", "False", "nan", "inf", "start", "end", "diverges"))
_MARKED = (RETURNS, RAISES, "nan:", "b'", 'b"')
_NUMBER = re.compile(r"\d[\de./+-]*")
"""What an int, a fraction or a float looks like."""


class NoLetter(TypeError):
    """A value that has no letter; its text says what to do."""


class Spelling(NamedTuple):
    """The letters of one value: its text, if it is not a mere number, and the numbers of its blanks."""

    text: str | None
    numbers: tuple[str | NoisyNumber, ...] = ()
    """Digits, or noise still."""
    held: bool = False
    """Whether noise is inside: a container that holds it may look different with real integers in its place."""


def returned(value: object) -> Spelling:
    """The letters of a returned value; none of None, which a function returns that returns nothing."""
    if value is None:
        return Spelling(None)
    encoding = _Encoding(blanks=True)
    text = RETURNS + encoding.text(value)
    return Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def raised(error: BaseException) -> Spelling:
    """The letters of an exception: its type, its arguments, and whatever else it holds."""
    encoding = _Encoding(blanks=True)
    text = f"{RAISES}{_name(type(error))}({encoding.all(error.args, 0)})"
    # What was given by keyword, or set later, is not among the arguments: the file of an OSError, the document of a
    # JSONDecodeError, notes. What is an argument as well is written once.
    slots = ("filename", "filename2") if isinstance(error, OSError) else ()
    held = {name: value for name in slots if (value := getattr(error, name, None)) is not None} | vars(error)
    beside = {name: value for name, value in held.items() if not any(value is given for given in error.args)}
    if beside:
        text += f" {_dict(encoding, beside, 0)}"
    return Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def announced(value: object) -> Spelling:
    """The letter of an announced value."""
    if type(value) is NoisyNumber:
        return Spelling(None, (_digits_or_noise(value),))
    if type(value) is str:
        return Spelling(value if _is_plain(value) else repr(value))
    encoding = _Encoding(blanks=False)
    text = encoding.text(value)
    return Spelling(text, held=encoding.held)


def fingerprint(value: object) -> object:
    """What tells whether a value was changed: its text, with objects of unknown types by their parts, or by identity.

    Equal before and after does not prove that nothing changed: what cannot be looked into is not compared.
    """
    return _Encoding(blanks=False, any_type=True).text(value)


def _digits_or_noise(number: Any) -> str | NoisyNumber:
    """The digits of an int; noise as it is, unless only one value is left."""
    if type(number) is NoisyNumber:
        known = number.known
        return number if known is None else _digits(known)
    return _digits(number)


def _digits(number: int) -> str:
    if number.bit_length() > LONGEST_INT:
        raise NoLetter(f"an int of {number.bit_length():,} bits has no letter: give letter=")
    return str(number)


def _is_plain(word: str) -> bool:
    """Whether a word can stand for itself: it looks like nothing that another value is encoded as."""
    starts = word[:1].isalnum() or word[:1] == "_"
    marked = word in _RESERVED or word.startswith(_MARKED) or _NUMBER.fullmatch(word)
    return starts and word.isprintable() and not marked


def _name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class _Encoding:
    """The text of one value in the making, with the numbers of its blanks."""

    def __init__(self, *, blanks: bool, any_type: bool = False) -> None:
        self._blanks, self._any_type = blanks, any_type
        self.numbers: list[int | NoisyNumber] = []
        self.held = False
        self._open: set[int] = set()

    def text(self, value: object, depth: int = 0) -> str:
        """The text of a value; NoLetter if it has none."""
        kind = type(value)
        if kind is int:
            return self._number(value)
        if kind is NoisyNumber:
            self.held = True
            return "noise" if self._any_type else self._number(value)
        if depth > MOST_DEEP:
            raise NoLetter(f"a value holds itself, or others more than {MOST_DEEP} deep: give letter=")
        try:
            found = self._known(value, kind, depth)
        except NoLetter:
            if not self._any_type:
                raise
            found = None
        if found is not None:
            return found
        if self._any_type:
            return self._parts(value, depth)
        raise NoLetter(f"a value of type {_name(kind)} has no letter: give letter=, a function that says what is seen")

    def _known(self, value: Any, kind: type, depth: int) -> str | None:
        """The text of a value of a known type; None if it is of another."""
        encode = _ENCODERS.get(kind)
        if encode is not None:
            return encode(self, value, depth)
        if isinstance(value, enum.Enum):
            member = value.name if value.name is not None else self.exactly(value.value, depth)
            return f"<{_name(kind)}.{member}>"
        library = kind.__module__.partition(".")[0]
        if library in ("numpy", "pandas"):
            return _of_numpy(self, value, depth) if library == "numpy" else _of_pandas(self, value, depth)
        if dataclasses.is_dataclass(kind) and self._only_fields(value):
            fields = (f"{f.name}={self.text(getattr(value, f.name), depth + 1)}" for f in dataclasses.fields(kind))
            return f"<{_name(kind)} {', '.join(fields)}>"
        return None

    def _number(self, number: Any) -> str:
        if not self._blanks:
            return _digits(int(number))
        self.numbers.append(number)
        return f"#{len(self.numbers)}"

    def exactly(self, value: object, depth: int) -> str:
        """The text of a value with its digits: of keys, members of sets, sizes."""
        before, self._blanks = self._blanks, False
        try:
            return self.text(value, depth + 1)
        finally:
            self._blanks = before

    def all(self, values: Iterable[object], depth: int) -> str:
        """The texts of values, in order."""
        return ", ".join([self.text(value, depth + 1) for value in values])

    @staticmethod
    def _only_fields(value: object) -> bool:
        """Whether a dataclass holds its fields and nothing else."""
        plain = (object, *_WITHOUT_CONTENT)
        if any(base not in plain and not dataclasses.is_dataclass(base) for base in type(value).__mro__):
            return False
        names = {field.name for field in dataclasses.fields(value)}  # type: ignore[arg-type]  # it is a dataclass
        return names.issuperset(getattr(value, "__dict__", ())) and all(hasattr(value, name) for name in names)

    def _parts(self, value: object, depth: int) -> str:
        """An object of any type by what it would be pickled as; functions, classes and what cannot be, by identity."""
        name = f"<{_name(type(value))} at {id(value)}"
        if depth >= MOST_DEEP or id(value) in self._open or isinstance(value, _BY_IDENTITY):
            return f"{name}>"
        self._open.add(id(value))
        try:
            parts: Any = value.__reduce_ex__(4)
        except Exception:
            parts = ()
        text = ""
        if isinstance(parts, tuple):
            lists = (list(part) if isinstance(part, Iterator) else part for part in parts[1:])
            text = ", ".join([self.text(part, depth + 1) for part in lists])
        self._open.discard(id(value))
        return f"{name} {text}>"


_BY_IDENTITY = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def _without_content() -> tuple[type, ...]:
    return (ABC, Generic, Protocol)


_WITHOUT_CONTENT = _without_content()


def _float(number: float) -> str:
    """The digits that tell a float from all others; the bits of what is not a number."""
    if math.isnan(number):
        return f"nan:{struct.pack('>d', number).hex()}"
    return repr(number)


def _fraction(number: Fraction) -> str:
    return f"{_digits(number.numerator)}/{_digits(number.denominator)}"


def _moment(encoding: _Encoding, value: Any, _: int) -> str:
    """A date or a time: its repr has all of it, if its time zone is an offset."""
    zone = getattr(value, "tzinfo", None)
    if zone is not None and type(zone) is not datetime.timezone:
        raise NoLetter(f"a time with a time zone of type {_name(type(zone))} has no letter: convert it to UTC")
    del encoding
    return f"<{value!r}>"


def _list(encoding: _Encoding, value: Sequence[object], depth: int) -> str:
    return f"[{encoding.all(value, depth)}]"


def _tuple(encoding: _Encoding, value: tuple[object, ...], depth: int) -> str:
    return f"({encoding.all(value, depth)}{',' if len(value) == 1 else ''})"


def _dict(encoding: _Encoding, value: Mapping[Any, object], depth: int) -> str:
    items = (f"{encoding.exactly(key, depth)}: {encoding.text(entry, depth + 1)}" for key, entry in value.items())
    return "{" + ", ".join(items) + "}"


def _named_dict(encoding: _Encoding, value: dict[object, object], depth: int) -> str:
    return f"<{type(value).__name__} {_dict(encoding, value, depth)}>"


def _defaultdict(encoding: _Encoding, value: Any, depth: int) -> str:
    factory = value.default_factory
    if factory is not None and not isinstance(factory, type):
        raise NoLetter("a defaultdict whose default is not a type has no letter: return dict(…) of it")
    return f"<defaultdict {None if factory is None else _name(factory)} {_dict(encoding, value, depth)}>"


def _set(encoding: _Encoding, value: Iterable[object], depth: int) -> str:
    members = sorted(encoding.exactly(member, depth) for member in value)
    return f"<{type(value).__name__} {', '.join(members)}>"


def _deque(encoding: _Encoding, value: deque[object], depth: int) -> str:
    return f"<deque {value.maxlen} [{encoding.all(value, depth)}]>"


def _plainly(write: Callable[[Any], str]) -> Encoder:
    return lambda _, value, __: write(value)


Encoder = Callable[[_Encoding, Any, int], str]

_ENCODERS: dict[type, Encoder] = {
    type(None): _plainly(repr),
    bool: _plainly(repr),
    str: _plainly(repr),
    bytes: _plainly(repr),
    bytearray: _plainly(lambda value: f"<bytearray {bytes(value)!r}>"),
    float: _plainly(_float),
    complex: _plainly(lambda value: f"<complex {_float(value.real)} {_float(value.imag)}>"),
    Fraction: _plainly(_fraction),
    Decimal: _plainly(lambda value: f"<Decimal {value}>"),
    range: _plainly(lambda value: f"<range {value.start} {value.stop} {value.step}>"),
    datetime.date: _moment,
    datetime.time: _moment,
    datetime.datetime: _moment,
    datetime.timedelta: _moment,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    OrderedDict: _named_dict,
    Counter: _named_dict,
    defaultdict: _defaultdict,
    set: _set,
    frozenset: _set,
    deque: _deque,
}
"""Exact type → its text."""


# NumPy and pandas, which are loaded if a value of theirs is here.


def _of_numpy(encoding: _Encoding, value: Any, depth: int) -> str | None:
    """An array by dtype, shape and values; a scalar by its type and value. None if it is neither."""
    import numpy as np

    if isinstance(value, np.generic):
        plain = value.item()
        if value.dtype.kind not in "biufcSU" or isinstance(plain, np.generic):
            return None
        return f"<np.{type(value).__name__} {encoding.text(plain, depth + 1)}>"
    if type(value) is not np.ndarray:
        return None
    items = _items(encoding, value.reshape(-1), depth)
    return f"<array {_dtype(encoding, value.dtype, depth)} {value.shape} [{items}]>"


def _items(encoding: _Encoding, values: Any, depth: int) -> str:
    """The entries of an array or column, without loss."""
    kind = values.dtype.kind
    if kind in "Mm" and hasattr(values, "view") and type(values).__module__ == "numpy":
        return ", ".join(map(str, values.view("int64").tolist()))
    return encoding.all(values.tolist(), depth)


_DTYPES = "biufcSUMmO"


def _dtype(encoding: _Encoding, dtype: Any, depth: int) -> str:
    """The dtype, of those whose entries are encoded without loss."""
    import numpy as np

    if isinstance(dtype, np.dtype):
        # An entry of a wider float than Python's would be rounded.
        if dtype.kind in _DTYPES and not (dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16)):
            return dtype.str
    elif type(dtype).__module__.partition(".")[0] == "pandas":
        name = type(dtype).__name__
        if name == "CategoricalDtype":
            ordered = "ordered " if dtype.ordered else ""
            return f"<category {ordered}{_index(encoding, dtype.categories, depth + 1)}>"
        if name in _NULLABLE:
            return f"<{name} {dtype!r}>"
    raise NoLetter(f"values of dtype {dtype} have no letter: give letter=, a function that says what is seen")


_NULLABLE = frozenset(
    ["BooleanDtype", "StringDtype", "DatetimeTZDtype", "Float32Dtype", "Float64Dtype"]
    + [f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64)]
)


def _of_pandas(encoding: _Encoding, value: Any, depth: int) -> str | None:
    """A frame or series by columns, dtypes, names, index and values; an index, a moment, or what is missing."""
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return f"<{value}>"
    kind = type(value)
    if kind in (pd.Timestamp, pd.Timedelta):
        return f"<{kind.__name__} {value.value} {value.unit} {getattr(value, 'tz', None)}>"
    if isinstance(value, pd.Index):
        return _index(encoding, value, depth)
    if kind not in (pd.Series, pd.DataFrame):
        return None
    extra = f" {_dict(encoding, value.attrs, depth)}" if value.attrs else ""
    if not value.flags.allows_duplicate_labels:
        extra += " unique"
    index = _index(encoding, value.index, depth + 1)
    if kind is pd.Series:
        return f"<Series {encoding.exactly(value.name, depth)} {index} {_column(encoding, value, depth)}{extra}>"
    columns = (_column(encoding, value.iloc[:, n], depth + 1) for n in range(value.shape[1]))
    return f"<DataFrame {_index(encoding, value.columns, depth + 1)} {index} [{', '.join(columns)}]{extra}>"


def _column(encoding: _Encoding, series: Any, depth: int) -> str:
    return f"{_dtype(encoding, series.dtype, depth)} [{encoding.all(series.tolist(), depth)}]"


def _index(encoding: _Encoding, index: Any, depth: int) -> str:
    """An index by type, names, dtype and entries; they are found by hash, hence known."""
    kind = type(index).__name__
    names = encoding.exactly(list(index.names), depth)
    if kind == "RangeIndex":
        return f"<{kind} {names} {index.start} {index.stop} {index.step}>"
    if kind not in ("Index", "MultiIndex", "DatetimeIndex", "TimedeltaIndex", "CategoricalIndex"):
        raise NoLetter(f"a {kind} has no letter: give letter=, a function that says what is seen")
    dtypes = index.dtypes if kind == "MultiIndex" else [index.dtype]
    kinds = ", ".join([_dtype(encoding, dtype, depth) for dtype in dtypes])
    frequency = f" {index.freqstr}" if getattr(index, "freqstr", None) else ""
    # The levels of a table that was filtered still hold the entries of the rows that went.
    levels = " " + encoding.exactly([level.tolist() for level in index.levels], depth) if kind == "MultiIndex" else ""
    return f"<{kind} {names} {kinds}{frequency}{levels} {encoding.exactly(index.tolist(), depth)}>"
