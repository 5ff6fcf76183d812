"""The values of a program: ints, bools, exact fractions, text, tuples, small dicts and ranges; all immutable.

Numbers are exact. A fraction that is whole is an int, so that 6/3 and 2 are one value and one state. Values that
are equal, as in Python, need not be the same: True and 1, dicts that list their items in another order, and ranges of
the same numbers with other ends all have different texts, and a program can announce a text. `identity` keeps them
apart. Every value is bounded in size, so that no program can exhaust memory with a single one.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Union

from ..rational import format_fraction, parse_fraction
from .source import Problem

MAX_BITS = 4096
"""The longest integer, numerator or denominator, in bits."""

MAX_ITEMS = 1024
"""The most values inside one tuple or dict, nested ones included, and the longest text, in characters."""

MAX_DEPTH = 32
"""How deep tuples and dicts may hold one another."""

MAX_RANGE = 100_000
"""The longest range."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Table(Mapping["Value", "Value"]):
    """A dict as a value: it does not change; ``table | {key: value}`` is a new one.

    As in Python its items have an order, equality does not look at it, and a dict is not a key.
    """

    __slots__ = ("_entries",)

    def __init__(self, items: Iterable[tuple[Value, Value]]) -> None:
        try:
            self._entries: dict[Value, Value] = dict(items)
        except TypeError:
            raise Problem("a dict cannot be a key", "make the key a tuple") from None

    def __getitem__(self, key: Value) -> Value:
        return self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._entries)

    def __contains__(self, key: object) -> bool:
        try:
            return key in self._entries
        except TypeError:
            raise Problem("a dict cannot be a key", "make the key a tuple") from None

    def __repr__(self) -> str:
        return f"Table({self._entries!r})"


Value = Union[bool, int, Fraction, str, tuple["Value", ...], Table, range]  # noqa: UP007  (it names itself)


def identity(value: Value) -> Hashable:
    """A key that two values share exactly when no expression of the language can tell them apart.

    Whatever a program can do with a value, it can do no more than ``str`` shows of it together with its type: order
    of the items of a dict, both ends and the step of a range, True apart from 1. So the key is the value's type with
    the keys of its parts, in order.
    """
    if isinstance(value, tuple):
        return (tuple, *map(identity, value))
    if isinstance(value, Table):
        return (Table, *((identity(k), identity(v)) for k, v in value.items()))
    if isinstance(value, range):
        return (range, value.start, value.stop, value.step)
    return value if type(value) is int else (type(value), value)


def whole(value: int | Fraction) -> int | Fraction:
    """The number in its one form: an int when it is whole."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def kind(value: Value) -> str:
    """What to call a value in a message."""
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, int):
        return "an int"
    names = (
        (Fraction, "a fraction"),
        (str, "text"),
        (tuple, "a tuple"),
        (Table, "a dict"),
        (range, "a range"),
    )
    return next(name for type_, name in names if isinstance(value, type_))


def bounded(value: Value) -> Value:
    """``value`` itself, if it is within the limits of size; Problem otherwise."""
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise Problem(f"an integer of {value.bit_length()} bits", f"the limit is {MAX_BITS} bits")
    elif isinstance(value, Fraction):
        bits = max(value.numerator.bit_length(), value.denominator.bit_length())
        if bits > MAX_BITS:
            raise Problem(f"a fraction of {bits} bits", f"the limit is {MAX_BITS} bits")
    elif isinstance(value, str):
        if len(value) > MAX_ITEMS:
            raise Problem(f"text of {len(value)} characters", f"the limit is {MAX_ITEMS}")
        surrogate = None if value.isascii() else _SURROGATE.search(value)
        if surrogate:
            what = f"text with half of a surrogate pair, U+{ord(surrogate[0]):04X}, which cannot be written to a file"
            raise Problem(what, "write another character")
    elif isinstance(value, tuple | Table):
        _check_weight(value)
    elif isinstance(value, range) and value and abs(value[-1] - value[0]) // abs(value.step) >= MAX_RANGE:
        raise Problem("a range that is too long", f"the limit is {MAX_RANGE} numbers")
    return value


def _check_weight(value: Value) -> None:
    """Refuse a tuple or dict that holds too many values, or too deep; stops counting when it knows."""
    held, stack = 0, [(value, 0)]
    while stack:
        top, depth = stack.pop()
        parts: Iterable[Value] = ()
        if isinstance(top, tuple):
            parts = top
        elif isinstance(top, Table):
            parts = (part for item in top.items() for part in item)
        for part in parts:
            held += 1
            if held > MAX_ITEMS:
                raise Problem(
                    f"{kind(value)} that holds more than {MAX_ITEMS} values",
                    "keep less, or announce it in parts",
                )
            if depth >= MAX_DEPTH:
                raise Problem(f"{kind(value)} nested more than {MAX_DEPTH} deep", "keep it flat")
            stack.append((part, depth + 1))


def effort(value: Value | None) -> int:
    """How long an operation on the value takes beyond one step; what budgets charge, not a measurement."""
    if isinstance(value, tuple):
        return (len(value) >> 3) + sum(effort(part) for part in value if not isinstance(part, int))
    if isinstance(value, Table):
        return len(value) + sum(effort(part) for item in value.items() for part in item)
    if isinstance(value, Fraction):
        return 1 + (value.denominator.bit_length() >> 7)
    if isinstance(value, range):
        return min(len(value), MAX_ITEMS) >> 3
    return len(value) >> 6 if isinstance(value, str) else 0


def as_value(thing: object) -> Value:
    """A Python object as a value of the language, exactly; Problem if it has none.

    A float is read as its shortest decimal, as everywhere in deltachain.

    >>> as_value(0.5), as_value((1, Fraction(4, 2)))
    (Fraction(1, 2), (1, 2))
    """
    if isinstance(thing, bool):
        return thing
    if isinstance(thing, str):
        return bounded(str.__str__(thing))
    if isinstance(thing, int | Fraction):
        # Subclasses such as enums become plain numbers: their own text and equality must not leak in.
        return bounded(whole(Fraction(thing)))
    if isinstance(thing, float | Decimal):
        try:
            return bounded(whole(parse_fraction(str(thing) if isinstance(thing, Decimal) else repr(float(thing)))))
        except ValueError:
            raise Problem(f"{thing} is not a number that can be written exactly", "give a finite number") from None
    if isinstance(thing, tuple):
        return bounded(tuple(map(as_value, thing)))
    if isinstance(thing, dict | Table):
        return bounded(Table((as_value(k), as_value(v)) for k, v in thing.items()))
    if isinstance(thing, range):
        return bounded(thing)
    fix = (
        "make it a tuple"
        if isinstance(thing, list | set | frozenset)
        else "give an int, bool, Fraction, text, tuple or dict"
    )
    raise Problem(f"{type(thing).__name__} is not a value of programs", fix)


def show(value: Value) -> str:
    """The value as a program would write it, fractions as p/q."""
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, Table):
        return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return format_fraction(value)
    return str(value)


def show_letter(value: Value) -> str:
    """The letter that announcing ``value`` shows: text as it is, anything else as written."""
    return value if isinstance(value, str) else show(value)
