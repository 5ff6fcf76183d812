"""Letters of ordinary values: what is returned, announced or raised, as text that tells any two values apart.

A letter is never a ``repr``. Two long arrays that differ in the middle, two frames that differ in one hidden row, two
floats of one printed form have equal reprs, and equal letters of different values make false proofs. So values of known
types are encoded by their structure, and everything else is refused: the caller says what is seen of it (``letter=``).

Only exact types are known. A subclass may hold more than its base shows. True is not 1, 1.0 is not 1, −0.0 is not 0.0.
Dicts keep their order. Sets are sorted; where the hashes of their members are the same in every process, an order that
tells how the set was made is written, too. A list, or whatever else can be changed, is written once: if it is met
again, the letter says so, since `is` tells one list in two places from two that are equal.

*Exceptions and dataclasses* are listed and not asked (`holdings`): type, arguments by position, every slot of every
class, the attributes that built-in exceptions keep in C, the exceptions behind it, and all of ``__dict__``. Nothing is
left out because it is somewhere else, too. What cannot be listed is refused, and so is a class that its name does not
lead to. Not a part of a letter: tracebacks; what a class, a method or a property finds elsewhere, which is the code's;
the identity of values that cannot change; addresses, sizes in memory, and the memory that a table shares with others;
and what libraries keep in private attributes.

*Numbers stand apart.* The word must not tell how a number came about: a 4 that was clamped and a 4 that noise happened
to give are the same 4. Noise on all integers gets a letter of its own, for each value or for a whole tail. So every int
inside a returned value is a *blank* in its text, ``returns {'a': #1}``, and follows as its own letter. Keys and members
of sets are hashed, hence known: they stand in the text. An announced value is one letter as in programs: an int is its
digits, a word is itself, anything else is its text with the digits inside. An integer of NumPy is its type, and then
its digits: noise that is added to one is announced as noise, and only a real int shows that the sum has that type.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
import operator
import re
import struct
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from operator import itemgetter
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from .holdings import Unlisted, find_name, list_attributes, list_holdings
from .itemwise import Parts, PartsByKey, run_of
from .noisy import NoisyNumber

RETURNS, RAISES = "returns ", "raises "
"""How the letters of returned values and of exceptions begin; no announced word does."""

MOST_DEEP = 100
"""How deep values may hold one another: a list that holds itself is refused."""

LONGEST_INT = 14_000
"""Ints of more bits cannot be shown as outputs: Python writes no more digits."""

_RESERVED = frozenset(("None", "True", "False", "nan", "inf", "start", "end", "diverges"))
_MARKED = (RETURNS, RAISES, "nan:", "b'", 'b"')
_NUMBER = re.compile(r"\d[\de./+-]*")
"""What an int, a fraction or a float looks like."""


GIVE_LETTER = ": give letter=, a function that says what is seen"
OR_LETTER = ", or give letter="


class NoLetter(TypeError):
    """A value that cannot be shown as an output; its text says what to do."""


class Spelling(NamedTuple):
    """The letters of one value: its text, if it is not a mere number, and the numbers of its blanks."""

    text: str | None
    """Empty if only the numbers are seen of it."""
    numbers: tuple[str | NoisyNumber, ...] = ()
    """Digits, or noise still."""
    held: bool = False
    """Whether noise is inside: a container that holds it may look different with real integers in its place."""


def spell_returned(value: object) -> Spelling:
    """The letters of a returned value; none of None, which a function returns that returns nothing."""
    if value is None:
        return Spelling(None)
    encoding = _Encoding(blanks=True)
    text = RETURNS + encoding.text(value)
    return Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def stream(value: object, prefix: str = "") -> Iterator[Spelling | Parts]:
    """The letters of a returned value one by one, parts where they stand; NoLetter if it has none.

    Lists, dicts, and tuples that hold one of them are opened and closed by a letter each, so that what a part shows is
    a word of its own, whatever stands around it. The word depends on the value alone, and no two values have the same.
    """
    if value is None and prefix:
        return
    yield from _pieces(value, prefix, {}, 0)


def _pieces(value: Any, prefix: str, met: dict[int, object], depth: int) -> Iterator[Spelling | Parts]:
    kind = type(value)
    if depth > MOST_DEEP:
        raise NoLetter(f"values hold one another more than {MOST_DEEP} deep{GIVE_LETTER}")
    if issubclass(kind, Parts):
        start, end = ("{", "}") if kind is PartsByKey else ("[", "]")
        _meet(value, met)
        yield Spelling(prefix + start)
        yield value
        yield Spelling(end)
    elif kind is list or (kind is tuple and _holds_container(value, depth)):
        if kind is list:
            _meet(value, met)
        yield Spelling(prefix + ("[" if kind is list else "("))
        for entry in value:
            yield from _pieces(entry, "", met, depth + 1)
        yield Spelling("]" if kind is list else ")")
    elif kind is dict:
        _meet(value, met)
        yield Spelling(prefix + "{")
        for key, entry in value.items():
            yield key_of_part(key)
            yield from _pieces(entry, "", met, depth + 1)
        yield Spelling("}")
    elif not prefix and (kind is int or kind is NoisyNumber):
        yield Spelling("", (_digits_or_noise(value),), held=kind is NoisyNumber)
    else:
        encoding = _Encoding(blanks=True)
        text = prefix + encoding.text(value, depth)
        for held in encoding.met:
            _meet(held, met)
        yield Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def key_of_part(key: object) -> Spelling:
    """The letter of a key, before the letters of its value."""
    return Spelling(f"{_Encoding(blanks=False).text(key)}:")


def _holds_container(value: tuple[object, ...], depth: int) -> bool:
    if depth > MOST_DEEP:
        raise NoLetter(f"values hold one another more than {MOST_DEEP} deep{GIVE_LETTER}")
    return any(
        type(entry) in (list, dict)
        or issubclass(type(entry), Parts)
        or (type(entry) is tuple and _holds_container(entry, depth + 1))
        for entry in value
    )


def _meet(value: object, met: dict[int, object]) -> None:
    """Refuse what stands twice: whoever sees both sees that they are one, and parts are seen by themselves."""
    if id(value) in met:
        raise NoLetter(f"one {_name(type(value))} stands twice in what is returned with dc.each: return a copy of it")
    met[id(value)] = value


def spell_error(error: BaseException) -> Spelling:
    """The letters of an exception: its type, its arguments, and whatever else it holds."""
    encoding = _Encoding(blanks=True)
    try:
        text = RAISES + encoding.once(error, lambda: encoding.exception(error, 0))
    except (NoLetter, Unlisted) as reason:
        what = str(reason).removesuffix(GIVE_LETTER)
        raise NoLetter(f"{what}: catch the exception, and return or announce what is seen of it") from None
    return Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def spell_announced(value: object) -> Spelling:
    """The letters of an announced value."""
    kind = type(value)
    if kind is int or kind is NoisyNumber:
        return Spelling("", (_digits_or_noise(value),), held=kind is NoisyNumber)
    encoding = _Encoding(blanks=kind is not str and _is_integer_of_numpy(value))
    text = encoding.text(value) if kind is not str else _word(value)
    return Spelling(text, tuple(map(_digits_or_noise, encoding.numbers)), encoding.held)


def write_value(value: object) -> str:
    """The text of a value, with its digits; NoLetter if it has none."""
    return _word(value) if type(value) is str else _Encoding(blanks=False).text(value)


def _word(word: Any) -> str:
    return word if _is_plain(word) else repr(word)


def _digits_or_noise(number: Any) -> str | NoisyNumber:
    """The digits of an int; noise as it is, unless only one value is left."""
    if type(number) is NoisyNumber:
        known = number.known
        return number if known is None else _digits(known)
    return _digits(number)


def _digits(number: int) -> str:
    if number.bit_length() > LONGEST_INT:
        raise NoLetter(f"an int of {number.bit_length():,} bits cannot be shown as an output{GIVE_LETTER}")
    return str(number)


def _is_plain(word: str) -> bool:
    """Whether a word can stand for itself: it looks like nothing that another value is encoded as."""
    starts = word[:1].isalnum() or word[:1] == "_"
    marked = word in _RESERVED or word.startswith(_MARKED) or _NUMBER.fullmatch(word)
    return starts and word.isprintable() and not marked


def _name(kind: type) -> str:
    """The name of a type for people, and where no letter hangs on it."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class _Encoding:
    """The text of one value in the making, with the numbers of its blanks."""

    def __init__(self, *, blanks: bool) -> None:
        self._blanks = blanks
        self.numbers: list[int | NoisyNumber] = []
        self.held = False
        self._met: dict[int, object] = {}
        """What can be changed and was met, in order: by `id`, and held so that no other object takes its place."""

    def text(self, value: object, depth: int = 0) -> str:
        """The text of a value; NoLetter if it has none."""
        kind = type(value)
        if kind is int:
            return self._number(value)
        if issubclass(kind, Parts):
            run_of(value).look_into(value, "what dc.each gives is shown inside of another value")  # type: ignore[arg-type]
        if kind is NoisyNumber:
            self.held = True
            return self._number(value)
        if depth > MOST_DEEP:
            raise NoLetter(f"values hold one another more than {MOST_DEEP} deep{GIVE_LETTER}")
        if _can_be_changed(value, kind):
            if id(value) in self._met:
                return self.again(value)
            self._met[id(value)] = value
        try:
            found = self._spell_known(value, kind, depth)
        except Unlisted as reason:
            raise NoLetter(f"{reason}{GIVE_LETTER}") from None
        if found is not None:
            return found
        raise NoLetter(f"a value of type {_name(kind)} cannot be shown as an output{GIVE_LETTER}")

    @property
    def met(self) -> Iterable[object]:
        """What can be changed and was met."""
        return self._met.values()

    def again(self, value: object) -> str:
        """The text of what was met before: which of all that it is."""
        return f"<again {list(self._met).index(id(value)) + 1}>"

    def once(self, value: object, write: Callable[[], str]) -> str:
        """What is written of a value that is met for the first time, or which of all that were met it is."""
        if id(value) in self._met:
            return self.again(value)
        self._met[id(value)] = value
        return write()

    def _spell_known(self, value: Any, kind: type, depth: int) -> str | None:
        """The text of a value of a known type; None if it is of another."""
        encode = _ENCODERS.get(kind)
        if encode is not None:
            return encode(self, value, depth)
        if issubclass(kind, enum.Enum):
            return _member(self, value, depth)
        if issubclass(kind, BaseException):
            return f"<{self.exception(value, depth)}>"
        library = _library(kind)
        if library in ("numpy", "pandas"):
            return _of_numpy(self, value, depth) if library == "numpy" else _of_pandas(self, value, depth)
        if dataclasses.is_dataclass(kind):
            return f"<{self._dataclass(value, kind, depth)}>"
        return None

    def exception(self, error: BaseException, depth: int) -> str:
        """Type, arguments, attributes outside of ``__dict__``, and those in it."""
        slots, attributes = list_holdings(error)
        arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]  # past what its class says
        text = f"{find_name(type(error))}({self.all(arguments, depth)})"
        text += "".join([f" {name}={self.text(held, depth + 1)}" for name, held in slots.items()])
        return text + self.beside(attributes, depth)

    def _dataclass(self, value: Any, kind: type, depth: int) -> str:
        """Fields by name; if it holds more, or in another order, its slots by name, and its ``__dict__``."""
        slots, attributes = list_holdings(value)
        fields = [field.name for field in dataclasses.fields(kind)]
        plain = [*slots, *attributes] == fields
        named: dict[Any, object] = {**slots, **attributes} if plain else {**slots}
        shown = [", ".join([f"{name}={self.text(held, depth + 1)}" for name, held in named.items()])] if named else []
        return " ".join([find_name(kind), *shown, *([] if plain else [_dict(self, attributes, depth)])])

    def beside(self, attributes: Mapping[Any, object], depth: int) -> str:
        """Attributes that are seen beside what a value is, as a dict; nothing if there are none."""
        return f" {_dict(self, attributes, depth)}" if attributes else ""

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


_BY_IDENTITY = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def _can_be_changed(value: object, kind: type) -> bool:
    """Whether one such value in two places differs from two that are equal."""
    if kind in _ENCODERS:
        return kind in _CHANGEABLE
    if issubclass(kind, enum.Enum) or isinstance(value, _BY_IDENTITY):
        return False
    if _library(kind) in ("numpy", "pandas"):
        return kind.__name__ in ("ndarray", "Series", "DataFrame", "Generator")
    return not getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)


def _library(kind: type) -> str:
    """The package that a type says it is of."""
    return str(kind.__module__).partition(".")[0]


_CHANGEABLE = frozenset((list, dict, set, bytearray, deque, OrderedDict, Counter, defaultdict))


def _float(number: float) -> str:
    """The digits that tell a float from all others; the bits of what is not a number."""
    if math.isnan(number):
        return f"nan:{struct.pack('>d', number).hex()}"
    return repr(number)


def _fraction(number: Fraction) -> str:
    if not type(number.numerator) is type(number.denominator) is int:
        raise NoLetter(f"a fraction of values that are not ints cannot be shown as an output{GIVE_LETTER}")
    return f"{_digits(number.numerator)}/{_digits(number.denominator)}"


def _member(encoding: _Encoding, value: Any, depth: int) -> str:
    """A member of an enum, which is one object with a name, and the attributes that it has beside its value."""
    kind: Any = type(value)
    attributes = dict(list_attributes(value))
    name, number = attributes.pop("_name_", None), attributes.pop("_value_", None)
    named = kind._member_map_.get(name) if type(name) is str else None
    try:
        numbered = kind._value2member_map_.get(number)
    except TypeError:  # it cannot be hashed
        numbered = named
    # Flags that are joined have a value, and no member has their name.
    joined = named is None and issubclass(kind, enum.Flag)
    if numbered is not value or not (joined or named is value):
        raise NoLetter(f"a {_name(kind)} that is not a member of its enum cannot be shown as an output{GIVE_LETTER}")
    for standard in ("__objclass__", "_sort_order_", "_inverted_", "_unpadded_names_"):
        attributes.pop(standard, None)
    member = encoding.exactly(number, depth) if joined else name
    return f"<{find_name(kind)}.{member}{encoding.beside(attributes, depth)}>"


def _moment(encoding: _Encoding, value: Any, _: int) -> str:
    """A date or a time: its repr has all of it, if its time zone is an offset."""
    zone = getattr(value, "tzinfo", None)
    if zone is not None:
        _zone(zone)
    del encoding
    return f"<{value!r}>"


def _zone(zone: Any) -> str:
    """A time zone that is an offset, with its name."""
    if type(zone) is not datetime.timezone or type(zone.tzname(None)) is not str:
        raise NoLetter(f"a time zone of type {_name(type(zone))} cannot be shown as an output: convert to UTC")
    return repr(zone)


def _list(encoding: _Encoding, value: Sequence[object], depth: int) -> str:
    return f"[{encoding.all(value, depth)}]"


def _tuple(encoding: _Encoding, value: tuple[object, ...], depth: int) -> str:
    return f"({encoding.all(value, depth)}{',' if len(value) == 1 else ''})"


def _dict(encoding: _Encoding, value: Mapping[Any, object], depth: int) -> str:
    items = (f"{encoding.exactly(key, depth)}: {encoding.text(entry, depth + 1)}" for key, entry in value.items())
    return "{" + ", ".join(items) + "}"


def _named_dict(encoding: _Encoding, value: dict[object, object], depth: int) -> str:
    """A Counter or an OrderedDict, which may have attributes, and the latter an order below its own."""
    order = list(dict.__iter__(value))
    below = "" if order == list(value) else f" {encoding.exactly(order, depth)}"
    beside = encoding.beside(list_attributes(value), depth)
    return f"<{type(value).__name__} {_dict(encoding, value, depth)}{below}{beside}>"


def _defaultdict(encoding: _Encoding, value: Any, depth: int) -> str:
    factory = value.default_factory
    if factory is not None and not isinstance(factory, type):
        raise NoLetter("a defaultdict whose default is not a type cannot be shown as an output: return dict(…) of it")
    return f"<defaultdict {None if factory is None else find_name(factory)} {_dict(encoding, value, depth)}>"


def _set(encoding: _Encoding, value: set[object] | frozenset[object], depth: int) -> str:
    """The members, sorted; and in their order if it is not that of the set made anew, unless hashes are random."""
    found = [(encoding.exactly(member, depth), member) for member in value]
    texts = [text for text, _ in found]
    anew = type(value)(member for _, member in sorted(found, key=itemgetter(0)))
    told = all(map(_hashes_alike, value)) and not all(map(operator.is_, anew, value))
    order = f" in the order {', '.join(texts)}" if told else ""
    return f"<{type(value).__name__} {', '.join(sorted(texts))}{order}>"


def _hashes_alike(value: object) -> bool:
    """Whether the hash of a value is the same in every process."""
    if type(value) in (tuple, frozenset):
        return all(map(_hashes_alike, value))  # type: ignore[call-overload]  # both can be iterated
    if type(value) in (float, complex, Decimal):
        return value == value  # what is not a number has the hash of its address
    return type(value) in (bool, int, NoisyNumber, Fraction)


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


def _numpy() -> Any:
    import numpy as np

    return np


def _of_numpy(encoding: _Encoding, value: Any, depth: int) -> str | None:
    """An array by dtype, shape, layout and values; a scalar by its type and value. None if it is neither."""
    np = _numpy()
    if type(value) in _scalar_types():
        plain = value.item()
        if value.dtype.kind not in "biufcSU" or isinstance(plain, np.generic):
            return None
        return f"<np.{type(value).__name__} {encoding.text(plain, depth + 1)}{_bits_of_nan(value)}>"
    if type(value) is not np.ndarray:
        return None
    layout = _layout(encoding, value, depth)
    return f"<array {layout} [{_items(encoding, value.reshape(-1), depth)}]{_below(encoding, value, depth)}>"


def _is_integer_of_numpy(value: Any) -> bool:
    """Whether a value is a whole number of a type of NumPy's."""
    return _library(type(value)) == "numpy" and type(value) in _scalar_types() and value.dtype.kind in "iu"


@cache
def _scalar_types() -> frozenset[type]:
    return frozenset(_numpy().sctypeDict.values())


def _layout(encoding: _Encoding, array: Any, depth: int) -> str:
    """What tells arrays of equal entries apart: dtype, shape, strides that are not those of C, and a lock."""
    usual, step = list[int](), array.itemsize
    for length in reversed(array.shape):
        usual.insert(0, step)
        step *= length
    strides = "" if list(array.strides) == usual else f" strides {array.strides}"
    locked = "" if array.flags.writeable else " read-only"
    return f"{_dtype(encoding, array.dtype, depth)} {array.shape}{strides}{locked}"


def _below(encoding: _Encoding, array: Any, depth: int) -> str:
    """The array that a view is of, which shows the same entries; NoLetter if it may hold others."""
    np = _numpy()
    base = array.base
    if base is None:
        return ""
    if type(base) is not np.ndarray or base.base is not None or base.nbytes != array.nbytes or not array.flags.forc:
        raise NoLetter(f"an array that shares the memory of a larger one shows that, too: return .copy(){OR_LETTER}")
    return f" of {encoding.once(base, lambda: _layout(encoding, base, depth))}"


def _bits_of_nan(values: Any) -> str:
    """The bits of floats some of which are not a number: made longer, they lose some."""
    np = _numpy()
    short = values.dtype.kind in "fc" and values.dtype.itemsize < (8 if values.dtype.kind == "f" else 16)
    return f" {values.tobytes().hex()}" if short and np.isnan(values).any() else ""


def _items(encoding: _Encoding, values: Any, depth: int) -> str:
    """The entries of an array or column, without loss."""
    kind = values.dtype.kind
    if kind in "Mm" and hasattr(values, "view") and type(values).__module__ == "numpy":
        return ", ".join(map(str, values.view("int64").tolist()))
    bits = _bits_of_nan(values) if type(values).__module__ == "numpy" else ""
    return encoding.all(values.tolist(), depth) + bits


_DTYPES = "biufcSUMmO"


def _dtype(encoding: _Encoding, dtype: Any, depth: int) -> str:
    """The dtype, of those whose entries are encoded without loss."""
    np = _numpy()
    if isinstance(dtype, np.dtype):
        # An entry of a wider float than Python's would be rounded; metadata is anything at all.
        wide = dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16)
        if dtype.metadata is None and dtype.kind in _DTYPES and not wide:
            return str(dtype.str)
    elif _is_of_pandas(dtype):
        name = type(dtype).__name__
        if name == "CategoricalDtype":
            ordered = "ordered " if dtype.ordered else ""
            return f"<category {ordered}{_index(encoding, dtype.categories, depth + 1)}>"
        if name == "DatetimeTZDtype":
            return f"<{name} {dtype.unit} {_zone(dtype.tz)}>"
        if name in _NULLABLE:
            return f"<{name} {dtype!r}>"
    raise NoLetter(f"values of dtype {dtype} cannot be shown as outputs{GIVE_LETTER}")


_NULLABLE = frozenset(
    ["BooleanDtype", "StringDtype", "Float32Dtype", "Float64Dtype"]
    + [f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64)]
)


def _of_pandas(encoding: _Encoding, value: Any, depth: int) -> str | None:
    """A frame or series by columns, dtypes, names, index and values; an index, a moment, or what is missing."""
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return f"<{value}>"
    kind = type(value)
    if kind in (pd.Timestamp, pd.Timedelta):
        zone, fold = getattr(value, "tz", None), getattr(value, "fold", 0)
        return f"<{kind.__name__} {value.value} {value.unit} {None if zone is None else _zone(zone)}{' fold' * fold}>"
    if isinstance(value, pd.Index):
        return _index(encoding, value, depth)
    if kind not in (pd.Series, pd.DataFrame):
        return None
    _refuse_more(value)
    extra = f" {_dict(encoding, value.attrs, depth)}" if value.attrs else ""
    if not value.flags.allows_duplicate_labels:
        extra += " unique"
    index = _index(encoding, value.index, depth + 1)
    if kind is pd.Series:
        return f"<Series {encoding.exactly(value.name, depth)} {index} {_column(encoding, value, depth)}{extra}>"
    columns = (_column(encoding, value.iloc[:, n], depth + 1) for n in range(value.shape[1]))
    return f"<DataFrame {_index(encoding, value.columns, depth + 1)} {index} [{', '.join(columns)}]{extra}>"


_PANDAS_OWN = frozenset(
    ("_attrs", "_flags", "_mgr", "_name", "_is_copy", "_item_cache", "_cacher")  # of tables and columns
) | frozenset(
    ("_cache", "_id", "_range", "_data", "_references", "_freq", "_name", "_codes", "_levels", "_names", "sortorder")
)
"""The attributes that frames, series and indices have of themselves, in all versions of pandas."""


def _is_of_pandas(value: object) -> bool:
    """Whether a type is that which pandas has under its name."""
    return getattr(sys.modules.get("pandas"), type(value).__name__, None) is type(value)


def _refuse_more(value: object) -> None:
    """NoLetter for a table, column or index that was given attributes."""
    if not _PANDAS_OWN.issuperset(list_attributes(value)):
        what = f"a {type(value).__name__} with attributes of its own cannot be shown as an output"
        raise NoLetter(f"{what}: return .copy(), with .attrs{OR_LETTER}")


def _column(encoding: _Encoding, series: Any, depth: int) -> str:
    return f"{_dtype(encoding, series.dtype, depth)} [{encoding.all(series.tolist(), depth)}]"


def _index(encoding: _Encoding, index: Any, depth: int) -> str:
    """An index by type, names, dtype and entries; they are found by hash, hence known."""
    kind = type(index).__name__
    names = encoding.exactly(list(index.names), depth)
    _refuse_more(index)
    if kind == "RangeIndex" and _is_of_pandas(index):
        return f"<{kind} {names} {index.start} {index.stop} {index.step}>"
    known = ("Index", "MultiIndex", "DatetimeIndex", "TimedeltaIndex", "CategoricalIndex")
    if kind not in known or not _is_of_pandas(index):
        raise NoLetter(f"a {kind} cannot be shown as an output{GIVE_LETTER}")
    dtypes = index.dtypes if kind == "MultiIndex" else [index.dtype]
    kinds = ", ".join([_dtype(encoding, dtype, depth) for dtype in dtypes])
    frequency = f" {index.freqstr}" if getattr(index, "freqstr", None) else ""
    # The levels of a table that was filtered still hold the entries of the rows that went.
    levels = " " + encoding.exactly([level.tolist() for level in index.levels], depth) if kind == "MultiIndex" else ""
    return f"<{kind} {names} {kinds}{frequency}{levels} {encoding.exactly(index.tolist(), depth)}>"
