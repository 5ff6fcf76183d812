"""The values of a program, and the pure operations of the language on them.

Values are ints, bools, exact fractions, text, tuples, small dicts and ranges; all immutable. Numbers are exact. A
fraction that is whole is an int, so that 6/3 and 2 are one value and one state. Values that are equal, as in Python,
need not be the same: True and 1, dicts that list their items in another order, and ranges of the same numbers with
other ends all have different texts, and a program can announce a text. `identity` keeps them apart. Every value is
bounded in size, so that no program can exhaust memory with a single one.

Irrational numbers, such as ``exp("-1/10")``, are probabilities, weights and parameters of noise: they are
computed with, exactly or enclosed (`reals`), and are neither compared nor announced.

An operation is the Python operation on the same values, except that ``/`` is exact (1/3 is a fraction) and that what
would grow too large is refused before it is computed. Misuse raises `Problem`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import NamedTuple, Union

from ...numbers import real as reals
from ...numbers.ball import Irrational
from ...numbers.exponential import Rational
from ...numbers.fraction import format_fraction, parse_fraction
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


class FrozenTable(Mapping["Value", "Value"]):
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


Value = Union[bool, int, Fraction, Irrational, str, tuple["Value", ...], FrozenTable, range]  # noqa: UP007  (it names itself)


def identity(value: Value) -> Hashable:
    """A key that two values share exactly when no expression of the language can tell them apart.

    Whatever a program can do with a value, it can do no more than ``str`` shows of it together with its type: order
    of the items of a dict, both ends and the step of a range, True apart from 1. So the key is the value's type with
    the keys of its parts, in order.
    """
    if isinstance(value, tuple):
        return (tuple, *map(identity, value))
    if isinstance(value, FrozenTable):
        return (FrozenTable, *((identity(k), identity(v)) for k, v in value.items()))
    if isinstance(value, range):
        return (range, value.start, value.stop, value.step)
    if isinstance(value, Irrational):
        return (Irrational, value.key)
    return value if type(value) is int else (type(value), value)


def whole(value: int | Fraction) -> int | Fraction:
    """The number in its one form: an int when it is whole."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


KINDS: Mapping[type, str] = {
    bool: "a bool",
    int: "an int",
    Fraction: "a fraction",
    str: "text",
    tuple: "a tuple",
    FrozenTable: "a dict",
    range: "a range",
}


def kind(value: Value) -> str:
    """What to call a value in a message."""
    return "an irrational number" if isinstance(value, Irrational) else KINDS[type(value)]


def check_size(value: Value) -> Value:
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
    elif isinstance(value, tuple | FrozenTable):
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
        elif isinstance(top, FrozenTable):
            parts = (part for item in top.items() for part in item)
        for part in parts:
            held += 1
            if held > MAX_ITEMS:
                what = f"{kind(value)} that holds more than {MAX_ITEMS} values"
                raise Problem(what, "keep less, or announce it in parts")
            if depth >= MAX_DEPTH:
                raise Problem(f"{kind(value)} nested more than {MAX_DEPTH} deep", "keep it flat")
            stack.append((part, depth + 1))


def effort(value: Value | None) -> int:
    """How long an operation on the value takes beyond one step; what budgets charge, not a measurement."""
    if isinstance(value, tuple):
        return (len(value) >> 3) + sum(effort(part) for part in value if not isinstance(part, int))
    if isinstance(value, FrozenTable):
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
        return check_size(str.__str__(thing))
    if isinstance(thing, int | Fraction):
        # Subclasses such as enums become plain numbers: their own text and equality must not leak in.
        return check_size(whole(Fraction(thing)))
    if isinstance(thing, float | Decimal):
        try:
            return check_size(whole(parse_fraction(str(thing) if isinstance(thing, Decimal) else repr(float(thing)))))
        except ValueError:
            raise Problem(f"{thing} is not a number that can be written exactly", "give a finite number") from None
    if isinstance(thing, tuple):
        return check_size(tuple(map(as_value, thing)))
    if isinstance(thing, dict | FrozenTable):
        return check_size(FrozenTable((as_value(k), as_value(v)) for k, v in thing.items()))
    if isinstance(thing, range):
        return check_size(thing)
    if isinstance(thing, Irrational):
        return thing
    listed = isinstance(thing, list | set | frozenset)
    fix = "make it a tuple" if listed else "give an int, bool, Fraction, text, tuple or dict"
    raise Problem(f"{type(thing).__name__} is not a value of programs", fix)


def show(value: Value) -> str:
    """The value as a program would write it, fractions as p/q."""
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + (",)" if len(value) == 1 else ")")
    if isinstance(value, FrozenTable):
        return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return format_fraction(value)
    return str(value)


def show_letter(value: Value) -> str:
    """The letter that announcing ``value`` shows: text as it is, anything else as written."""
    if isinstance(value, Irrational):
        raise Problem(f"{_show(value)} would be shown", ONLY_PROBABILITIES)
    return value if isinstance(value, str) else show(value)


# Operations.

Operation = Callable[..., Value]


ONLY_PROBABILITIES = "irrational numbers are probabilities, weights and parameters of noise alone"


def truth(value: Value) -> bool:
    """Whether a condition holds. Text is refused: ``"no"`` is true in Python, and hardly ever meant to be."""
    if isinstance(value, str):
        fix = "compare it, for example == 'yes', or use True"
        raise Problem(f"the text {_show(value)} is used as a condition", fix)
    if isinstance(value, Irrational):
        raise Problem(f"{_show(value)} is used as a condition", ONLY_PROBABILITIES)
    return bool(value)


def _show(value: Value) -> str:
    text = show(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _numbers(symbol: str, *values: Value) -> list[Rational]:
    """The values, if they are numbers."""
    found: list[Rational] = []
    for value in values:
        if not isinstance(value, int | Fraction):
            fix = f"read it as a number first: Fraction({show(value)})" if isinstance(value, str) else ""
            fix = ONLY_PROBABILITIES if isinstance(value, Irrational) else fix
            raise Problem(f"{symbol} needs numbers, and {_show(value)} is {kind(value)}", fix)
        found.append(value)
    return found


def _arithmetic(symbol: str, function: Callable[[Rational, Rational], Rational], *, divides: bool = False) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        if isinstance(left, Irrational) or isinstance(right, Irrational):
            return _of_irrationals(symbol, left, right)
        a, b = _numbers(symbol, left, right)
        if divides and b == 0:
            raise Problem("division by zero", "test the divisor first")
        return check_size(whole(function(a, b)))

    return apply


def _of_irrationals(symbol: str, left: Value, right: Value) -> Value:
    """The operation where one of the numbers is irrational: exact where they are made from e^q, else enclosed."""
    if not isinstance(left, int | Fraction | Irrational) or not isinstance(right, int | Fraction | Irrational):
        _numbers(symbol, *(value for value in (left, right) if not isinstance(value, Irrational)))
    if symbol not in ("+", "-", "*", "/"):
        what = f"{_show(left)} {symbol} {_show(right)} is not exact: {symbol} takes no irrational numbers"
        raise Problem(what, ONLY_PROBABILITIES)
    return _real(reals.combine, symbol, left, right)


def _real(function: Callable[..., object], *arguments: object) -> Value:
    """What a function of `reals` finds, as a value; Problem where it finds none."""
    try:
        found = function(*arguments)
    except ValueError as reason:
        raise Problem(str(reason), "correct the formula") from None
    return check_size(whole(found)) if isinstance(found, int | Fraction) else found  # type: ignore[return-value]


def _function(name: str) -> Operation:
    """``exp``, ``log`` or ``sqrt`` of a number, or of its text."""

    def apply(value: Value) -> Value:
        if isinstance(value, str):
            value = _fraction(value)
        if not isinstance(value, Irrational):
            _numbers(f"{name}()", value)
        return _real(getattr(reals, name), value)

    return apply


_plus, _times = _arithmetic("+", operator.add), _arithmetic("*", operator.mul)


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return check_size(left + right)
    if isinstance(left, str) and isinstance(right, str):
        return check_size(left + right)
    return _plus(left, right)


def _multiply(left: Value, right: Value) -> Value:
    if isinstance(right, tuple):
        left, right = right, left
    if not isinstance(left, tuple):
        return _times(left, right)
    if not isinstance(right, int):
        raise Problem(f"a tuple is repeated a whole number of times, and {_show(right)} is {kind(right)}")
    if len(left) * right > MAX_ITEMS:
        raise Problem(f"a tuple of {len(left) * right} values", f"the limit is {MAX_ITEMS}")
    return check_size(left * right)


def _power(left: Value, exponent: Value) -> Value:
    if isinstance(left, Irrational) and type(exponent) is int:
        if abs(exponent) > MAX_BITS:
            raise Problem(f"{_show(left)} to the power {exponent}", f"the limit is {MAX_BITS}")
        return _real(reals.power, left, exponent)
    base = Fraction(_numbers("**", left, exponent)[0])
    if not isinstance(exponent, int):
        what = f"the exponent {_show(exponent)} is not whole, so the power is not exact"
        raise Problem(what, "use a whole exponent")
    if base == 0 and exponent < 0:
        raise Problem("division by zero", "0 has no negative power")
    if base in (-1, 0, 1):
        return whole(base ** (exponent % 2 if base == -1 else min(abs(exponent), 1)))
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent) > 2 * MAX_BITS:
        raise Problem(f"a power of about {bits * abs(exponent)} bits", f"the limit is {MAX_BITS} bits")
    return check_size(whole(base**exponent))


def _bitwise(symbol: str, function: Callable[[int, int], int]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        if symbol == "|" and isinstance(left, FrozenTable) and isinstance(right, FrozenTable):
            return check_size(FrozenTable([*left.items(), *right.items()]))
        if isinstance(left, int) and isinstance(right, int):
            return function(left, right)
        takes = "two bools, ints or dicts" if symbol == "|" else "two bools or ints"
        raise Problem(f"{symbol} needs {takes}, not {kind(left)} and {kind(right)}")

    return apply


BINARY: dict[str, Operation] = {
    "Add": _add,
    "Sub": _arithmetic("-", operator.sub),
    "Mult": _multiply,
    "Div": _arithmetic("/", lambda x, y: Fraction(x) / y, divides=True),
    "FloorDiv": _arithmetic("//", operator.floordiv, divides=True),
    "Mod": _arithmetic("%", operator.mod, divides=True),
    "Pow": _power,
    "BitAnd": _bitwise("&", operator.and_),
    "BitOr": _bitwise("|", operator.or_),
    "BitXor": _bitwise("^", operator.xor),
}
"""Python's name of a binary operator → what it does."""

UNARY: dict[str, Operation] = {
    "USub": lambda value: BINARY["Sub"](0, value),
    "UAdd": lambda value: _plus(0, value),
    "Not": lambda value: not truth(value),
}


def _make_ordering(symbol: str, function: Callable[[object, object], bool]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        numbers = isinstance(left, int | Fraction) and isinstance(right, int | Fraction)
        try:
            if numbers or (type(left) is type(right) and isinstance(left, str | tuple)):
                return function(left, right)
        except TypeError:
            pass  # tuples whose parts have no common order
        fix = ONLY_PROBABILITIES if Irrational in {t for v in (left, right) for t in type(v).__mro__} else ""
        raise Problem(f"{_show(left)} {symbol} {_show(right)}: {kind(left)} and {kind(right)} have no order", fix)

    return apply


def _contains(left: Value, right: Value) -> bool:
    if not isinstance(right, tuple | FrozenTable | range):
        raise Problem(f"`in` looks into a tuple, a dict or a range, and {_show(right)} is {kind(right)}")
    if isinstance(right, range):
        return isinstance(left, int) and left in right
    if _holds_irrational(left) or (isinstance(right, tuple) and _holds_irrational(right)):
        raise Problem(f"{_show(left)} is looked for in {_show(right)}", ONLY_PROBABILITIES)
    return left in right


def _holds_irrational(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(not isinstance(part, int) and _holds_irrational(part) for part in value)
    if isinstance(value, FrozenTable):
        return any(map(_holds_irrational, value.values()))
    return isinstance(value, Irrational)


def _equal(left: Value, right: Value) -> bool:
    if _holds_irrational(left) or _holds_irrational(right):
        raise Problem(f"{_show(left)} is compared with {_show(right)}", ONLY_PROBABILITIES)
    return left == right


COMPARE: dict[str, Operation] = {
    "Eq": _equal,
    "NotEq": lambda left, right: not _equal(left, right),
    "Lt": _make_ordering("<", operator.lt),  # type: ignore[arg-type]  # the operands are checked before the call
    "LtE": _make_ordering("<=", operator.le),  # type: ignore[arg-type]
    "Gt": _make_ordering(">", operator.gt),  # type: ignore[arg-type]
    "GtE": _make_ordering(">=", operator.ge),  # type: ignore[arg-type]
    "In": _contains,
    "NotIn": lambda left, right: not _contains(left, right),
}


def build_tuple(*items: Value) -> Value:
    """``(a, b, …)``."""
    return check_size(items)


def spread(stars: Value, *values: Value) -> Value:
    """What a call gets: the values, and the items of those that ``stars`` says have a ``*`` before them."""
    items: list[Value] = []
    for star, value in zip(stars if isinstance(stars, tuple) else (), values, strict=True):
        if star and not isinstance(value, tuple | range):
            what = f"`*` spreads a range or a tuple, and {_show(value)} is {kind(value)}"
            raise Problem(what, "write tuple(…) of it")
        items.extend(value if star and isinstance(value, tuple | range) else (value,))
    return check_size(tuple(items))


def build_table(*flat: Value) -> Value:
    """``{k: v, …}`` from k, v, k, v, …; a key given twice is refused, where Python drops the first."""
    keys = flat[::2]
    for key in keys:
        if isinstance(key, Irrational):
            raise Problem(f"{_show(key)} is a key of a dict", ONLY_PROBABILITIES)
    table = FrozenTable(zip(keys, flat[1::2], strict=True))
    if len(table) != len(keys):
        raise Problem("a dict gives one key twice (True and 1 are one key)", "give each key once")
    return check_size(table)


def build_text(*parts: Value) -> Value:
    """An f-string: the letters of its parts, joined."""
    return check_size("".join(map(show_letter, parts)))


def subscript(value: Value, key: Value) -> Value:
    """``value[key]`` of a tuple, range or dict."""
    if isinstance(value, FrozenTable):
        if key in value:
            return value[key]
        raise Problem(f"the dict {_show(value)} has no key {_show(key)}")
    if not isinstance(value, tuple | range):
        raise Problem(f"{_show(value)} is {kind(value)} and has no parts to take")
    if not isinstance(key, int):
        raise Problem(f"the index {_show(key)} is {kind(key)}", "index with an int")
    if not -len(value) <= key < len(value):
        raise Problem(f"index {_show(key)} is outside {_show(value)}, which has {len(value)} parts")
    return value[key]


def slice_of(value: Value, start: Value | None, stop: Value | None, step: Value | None = None) -> Value:
    """``value[a:b:c]`` of a tuple or range; None stands for a bound that is left out."""
    if not isinstance(value, tuple | range):
        raise Problem(f"{_show(value)} is {kind(value)} and cannot be sliced")
    for bound in (start, stop, step):
        if bound is not None and not isinstance(bound, int):
            raise Problem(f"the slice bound {_show(bound)} is {kind(bound)}", "slice with ints")
    if step == 0:
        raise Problem("a slice with step 0", "leave the step out, or give another")
    return value[start:stop:step]  # type: ignore[index]  # ints and None


def iterate(value: Value) -> Value:
    """What ``for … in value`` runs over: the turns to come, of which nothing can be seen but the turns."""
    if isinstance(value, tuple | range):
        return _turns(value)
    raise Problem(f"`for` runs over a range or a tuple, and {_show(value)} is {kind(value)}", "write tuple(…) of it")


def _turns(value: tuple[Value, ...] | range) -> tuple[Value, ...] | range:
    """The same turns in one form: ranges that differ only in where they would stop make one state in a loop."""
    if not value:
        return ()
    if isinstance(value, range):
        return range(value[0], value[0] + 1) if len(value) == 1 else value[:]
    return value


def rest(turns: tuple[Value, ...] | range) -> tuple[Value, ...] | range:
    """The turns after the next: what is past is forgotten, so that equal futures are equal states."""
    return _turns(turns[1:])


def unpack(value: Value, size: Value) -> Value:
    """``value`` if it is a tuple (or range) of ``size`` parts, for ``a, b = value``."""
    if not isinstance(value, tuple | range) or len(value) != size:
        raise Problem(f"{_show(value)} is not a tuple of {size} parts", "give as many names as parts")
    return value


def join_not_in_place(left: Value, right: Value) -> Value:
    """``|=``, which in Python changes a dict under all its names: refused for dicts."""
    if isinstance(left, FrozenTable):
        raise Problem("`|=` would change a dict in place", "write d = d | {key: value}")
    return BINARY["BitOr"](left, right)


def check_assertion(condition: Value, text: Value, says: Value) -> Value:
    """``assert condition, says``: nothing if it holds; Problem if it does not."""
    if truth(condition):
        return True
    raise Problem(f"assert {text} fails" + (f": {says}" if says else ""), "give secrets and constants that satisfy it")


def _sequence(name: str, value: Value) -> tuple[Value, ...]:
    if isinstance(value, FrozenTable):
        return tuple(value)
    if not isinstance(value, tuple | range):
        raise Problem(f"{name}() takes a tuple, range or dict, and {_show(value)} is {kind(value)}")
    if len(value) > MAX_ITEMS:
        raise Problem(f"{name}() of {len(value)} values", f"the limit is {MAX_ITEMS}")
    return tuple(value)


def _extreme(name: str, better: Operation) -> Operation:
    def apply(*arguments: Value) -> Value:
        items = _sequence(name, arguments[0]) if len(arguments) == 1 else arguments
        if not items:
            raise Problem(f"{name}() of nothing", "give it at least one value")
        return reduce(lambda best, item: item if better(item, best) else best, items)

    return apply


def _length(value: Value) -> Value:
    if isinstance(value, tuple | FrozenTable | range | str):
        return len(value)
    raise Problem(f"len() takes a tuple, dict, range or text, and {_show(value)} is {kind(value)}")


def _fraction(numerator: Value, denominator: Value = 1) -> Value:
    if isinstance(numerator, str) and denominator == 1:
        try:
            return check_size(whole(parse_fraction(numerator)))
        except ValueError as reason:
            raise Problem(f"Fraction({_show(numerator)}): {reason}", "write '1/3' or '0.25'") from None
    return BINARY["Div"](numerator, denominator)


def _range(*arguments: Value) -> Value:
    for argument in arguments:
        if not isinstance(argument, int):
            raise Problem(f"range() takes ints, and {_show(argument)} is {kind(argument)}")
    if len(arguments) == 3 and arguments[2] == 0:
        raise Problem("range() with step 0")
    return check_size(range(*arguments))  # type: ignore[arg-type]  # they are ints


def _sort(value: Value) -> Value:
    items = _sequence("sorted", value)
    try:
        return tuple(sorted(items))  # type: ignore[type-var]  # what has no order is caught below
    except TypeError:
        raise Problem(f"sorted({_show(value)}): the values have no common order") from None


def _zip(*sequences: Value) -> Value:
    return check_size(tuple(zip(*(_sequence("zip", value) for value in sequences), strict=False)))


def zipped_strictly(*sequences: Value) -> Value:
    """``zip(…, strict=True)``."""
    lengths = [len(_sequence("zip", value)) for value in sequences]
    if len(set(lengths)) > 1:
        raise Problem(f"zip(…, strict=True) of {' and '.join(map(str, lengths))} items", "give as many of each")
    return _zip(*sequences)


def _enumerate(value: Value, start: Value = 0) -> Value:
    if not isinstance(start, int):
        raise Problem(f"enumerate() starts from an int, and {_show(start)} is {kind(start)}")
    return check_size(tuple(enumerate(_sequence("enumerate", value), start)))


def _truths(function: Callable[[Iterable[bool]], bool], name: str) -> Operation:
    return lambda value: function(truth(item) for item in _sequence(name, value))


class Builtin(NamedTuple):
    """What a builtin does, and the least and the greatest number of its arguments."""

    function: Operation
    least: int
    most: int


BUILTINS: dict[str, Builtin] = {
    "Fraction": Builtin(_fraction, 1, 2),
    "abs": Builtin(lambda value: BINARY["Mult"](value, -1 if _numbers("abs()", value)[0] < 0 else 1), 1, 1),
    "all": Builtin(_truths(all, "all"), 1, 1),
    "any": Builtin(_truths(any, "any"), 1, 1),
    "bool": Builtin(lambda value: bool(value) if isinstance(value, str) else truth(value), 1, 1),
    "enumerate": Builtin(_enumerate, 1, 2),
    "exp": Builtin(_function("exp"), 1, 1),
    "int": Builtin(lambda value: int(_numbers("int()", value)[0]), 1, 1),
    "len": Builtin(_length, 1, 1),
    "log": Builtin(_function("log"), 1, 1),
    "max": Builtin(_extreme("max", COMPARE["Gt"]), 1, MAX_ITEMS),
    "min": Builtin(_extreme("min", COMPARE["Lt"]), 1, MAX_ITEMS),
    "range": Builtin(_range, 1, 3),
    "sorted": Builtin(_sort, 1, 1),
    "sqrt": Builtin(_function("sqrt"), 1, 1),
    "str": Builtin(lambda value: check_size(show_letter(value)), 1, 1),
    "sum": Builtin(lambda items: reduce(_add, (0, *_sequence("sum", items))), 1, 1),
    "tuple": Builtin(lambda value: check_size(_sequence("tuple", value)), 1, 1),
    "zip": Builtin(_zip, 1, MAX_ITEMS),
}


class Fold(NamedTuple):
    """A builtin, item by item: from ``initial``, with ``function``, to ``outcome`` of what is kept."""

    function: Operation | None
    initial: Value
    outcome: Operation | None = None


def _keep(name: str) -> Fold:
    """``max`` or ``min``: what is kept is nothing, or the best so far as a tuple."""
    best = BUILTINS[name].function
    return Fold(lambda kept, item: (best((*kept, item)),), (), best)


FOLDS: dict[str, Fold] = {
    "all": Fold(None, True),
    "any": Fold(None, False),
    "max": _keep("max"),
    "min": _keep("min"),
    "sum": Fold(BINARY["Add"], 0),
    "tuple": Fold(lambda kept, item: check_size((*kept, item)), ()),
}
"""The builtins that take a comprehension; ``any`` and ``all`` end at the first item that decides."""


# Operations by name: a program that is pickled has no other for a closure.

_TABLES: dict[str, Mapping[str, Operation | None]] = {
    "binary": BINARY,
    "unary": UNARY,
    "compare": COMPARE,
    "builtin": {name: builtin.function for name, builtin in BUILTINS.items()},
    "fold": {name: fold.function for name, fold in FOLDS.items()},
    "outcome": {name: fold.outcome for name, fold in FOLDS.items()},
}
OPERATIONS: dict[Operation, tuple[str, str]] = {
    operation: (table, name)
    for table, operations in _TABLES.items()
    for name, operation in operations.items()
    if operation is not None
}
"""Each operation of the language → the table that has it, and its name there."""


def operation_at(table: str, name: str) -> Operation | None:
    """The operation, by what `OPERATIONS` says of it."""
    return _TABLES[table][name]
