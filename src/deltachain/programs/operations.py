"""The pure operations of the language on exact values: arithmetic, comparisons, subscripts, builtins.

Each is the Python operation on the same values, except that ``/`` is exact (1/3 is a fraction) and that sizes
are bounded: what would grow too large is refused before it is computed. Misuse raises `Problem`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple, TypeGuard

from ..rational import parse_fraction
from .source import Problem
from .values import MAX_BITS, MAX_ITEMS, Table, Value, bounded, kind, show, show_letter, whole

Operation = Callable[..., Value]


def truth(value: Value) -> bool:
    """Whether a condition holds. Text is refused: ``"no"`` is true in Python, and hardly ever meant to be."""
    if isinstance(value, str):
        raise Problem(
            f"the text {_shown(value)} is used as a condition", "compare it, for example == 'yes', or use True"
        )
    return bool(value)


def _is_number(value: Value) -> TypeGuard[int | Fraction]:
    return isinstance(value, int | Fraction)


def _numbers(symbol: str, *values: Value) -> None:
    for value in values:
        if not _is_number(value):
            fix = f"read it as a number first: Fraction({show(value)})" if isinstance(value, str) else ""
            raise Problem(f"{symbol} needs numbers, and {_shown(value)} is {kind(value)}", fix)


def _shown(value: Value) -> str:
    text = show(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, tuple) and isinstance(right, tuple):
        return bounded(left + right)
    if isinstance(left, str) and isinstance(right, str):
        return bounded(left + right)
    return _arithmetic("+", operator.add)(left, right)


def _multiply(left: Value, right: Value) -> Value:
    if isinstance(right, tuple):
        left, right = right, left
    if isinstance(left, tuple):
        if not isinstance(right, int):
            raise Problem(f"a tuple is repeated a whole number of times, and {_shown(right)} is {kind(right)}")
        if len(left) * right > MAX_ITEMS:
            raise Problem(f"a tuple of {len(left) * right} values", f"the limit is {MAX_ITEMS}")
        return bounded(left * right)
    return _arithmetic("*", operator.mul)(left, right)


def _arithmetic(symbol: str, function: Callable[[Fraction, Fraction], Fraction | int]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        if _is_number(left) and _is_number(right):
            return bounded(whole(function(left, right)))  # type: ignore[arg-type]  # int and Fraction mix exactly
        _numbers(symbol, left, right)
        raise AssertionError("unreachable: both are numbers")

    return apply


def _dividing(symbol: str, function: Callable[[Fraction, Fraction], Fraction | int]) -> Operation:
    exact = _arithmetic(symbol, function)

    def apply(left: Value, right: Value) -> Value:
        _numbers(symbol, left, right)
        if right == 0:
            raise Problem("division by zero", "test the divisor first")
        return exact(left, right)

    return apply


def _power(base: Value, exponent: Value) -> Value:
    _numbers("**", base, exponent)
    if not isinstance(exponent, int) or not _is_number(base):
        raise Problem(
            f"the exponent {_shown(exponent)} is not whole, so the power is not exact", "use a whole exponent"
        )
    base = Fraction(base)
    if base == 0 and exponent < 0:
        raise Problem("division by zero", "0 has no negative power")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base not in (-1, 0, 1) and bits * abs(exponent) > 2 * MAX_BITS:
        raise Problem(f"a power of about {bits * abs(exponent)} bits", f"the limit is {MAX_BITS} bits")
    if base in (-1, 0, 1):
        exponent = exponent % 2 if base == -1 else min(abs(exponent), 1)
    return bounded(whole(Fraction(base**exponent)))


def _bitwise(symbol: str, function: Callable[[int, int], int]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        if symbol == "|" and isinstance(left, Table) and isinstance(right, Table):
            return bounded(Table([*left.items(), *right.items()]))
        if isinstance(left, int) and isinstance(right, int):
            return function(left, right)
        takes = "two bools, ints or dicts" if symbol == "|" else "two bools or ints"
        raise Problem(f"{symbol} needs {takes}, not {kind(left)} and {kind(right)}")

    return apply


BINARY: dict[str, Operation] = {
    "Add": _add,
    "Sub": _arithmetic("-", operator.sub),
    "Mult": _multiply,
    "Div": _dividing("/", lambda x, y: Fraction(x) / y),
    "FloorDiv": _dividing("//", operator.floordiv),
    "Mod": _dividing("%", operator.mod),
    "Pow": _power,
    "BitAnd": _bitwise("&", operator.and_),
    "BitOr": _bitwise("|", operator.or_),
    "BitXor": _bitwise("^", operator.xor),
}
"""Python's name of a binary operator → what it does."""


def _negative(value: Value) -> Value:
    return _arithmetic("-", operator.sub)(0, value)


def _positive(value: Value) -> Value:
    return _arithmetic("+", operator.add)(0, value)


UNARY: dict[str, Operation] = {"USub": _negative, "UAdd": _positive, "Not": lambda value: not truth(value)}


def _ordering(symbol: str, function: Callable[[object, object], bool]) -> Operation:
    def apply(left: Value, right: Value) -> Value:
        alike = (_is_number(left) and _is_number(right)) or (
            type(left) is type(right) and isinstance(left, str | tuple)
        )
        try:
            if alike:
                return function(left, right)
        except TypeError:
            pass  # tuples whose parts have no common order
        raise Problem(f"{_shown(left)} {symbol} {_shown(right)}: {kind(left)} and {kind(right)} have no order")

    return apply


def _contains(left: Value, right: Value) -> bool:
    if not isinstance(right, tuple | Table | range):
        raise Problem(f"`in` looks into a tuple, a dict or a range, and {_shown(right)} is {kind(right)}")
    if isinstance(right, range):
        return isinstance(left, int) and left in right
    return left in right


COMPARE: dict[str, Operation] = {
    "Eq": lambda left, right: left == right,
    "NotEq": lambda left, right: left != right,
    "Lt": _ordering("<", operator.lt),  # type: ignore[arg-type]  # the operands are checked before the call
    "LtE": _ordering("<=", operator.le),  # type: ignore[arg-type]
    "Gt": _ordering(">", operator.gt),  # type: ignore[arg-type]
    "GtE": _ordering(">=", operator.ge),  # type: ignore[arg-type]
    "In": _contains,
    "NotIn": lambda left, right: not _contains(left, right),
}


def build_tuple(*items: Value) -> Value:
    """``(a, b, …)``."""
    return bounded(items)


def spread(stars: Value, *values: Value) -> Value:
    """What a call gets: the values, and the items of those that ``stars`` says have a ``*`` before them."""
    items: list[Value] = []
    for star, value in zip(stars if isinstance(stars, tuple) else (), values, strict=True):
        if star and not isinstance(value, tuple | range):
            what = f"`*` spreads a range or a tuple, and {_shown(value)} is {kind(value)}"
            raise Problem(what, "write tuple(…) of it")
        items.extend(value if star and isinstance(value, tuple | range) else (value,))
    return bounded(tuple(items))


def build_table(*flat: Value) -> Value:
    """``{k: v, …}`` from k, v, k, v, …; a key given twice is refused, where Python drops the first."""
    keys = flat[::2]
    table = Table(zip(keys, flat[1::2], strict=True))
    if len(table) != len(keys):
        raise Problem("a dict gives one key twice (True and 1 are one key)", "give each key once")
    return bounded(table)


def build_text(*parts: Value) -> Value:
    """An f-string: the letters of its parts, joined."""
    return bounded("".join(map(show_letter, parts)))


def subscript(value: Value, key: Value) -> Value:
    """``value[key]`` of a tuple, range or dict."""
    if isinstance(value, Table):
        if key in value:
            return value[key]
        raise Problem(f"the dict {_shown(value)} has no key {_shown(key)}")
    if not isinstance(value, tuple | range):
        raise Problem(f"{_shown(value)} is {kind(value)} and has no parts to take")
    if not isinstance(key, int):
        raise Problem(f"the index {_shown(key)} is {kind(key)}", "index with an int")
    if not -len(value) <= key < len(value):
        raise Problem(f"index {_shown(key)} is outside {_shown(value)}, which has {len(value)} parts")
    return value[key]


def slice_of(value: Value, *bounds: Value | None) -> Value:
    """``value[a:b:c]`` of a tuple or range; None stands for a bound that is left out."""
    if not isinstance(value, tuple | range):
        raise Problem(f"{_shown(value)} is {kind(value)} and cannot be sliced")
    given: list[int | None] = []
    for bound in bounds:
        if bound is not None and not isinstance(bound, int):
            raise Problem(f"the slice bound {_shown(bound)} is {kind(bound)}", "slice with ints")
        given.append(bound)
    if len(given) == 3 and given[2] == 0:
        raise Problem("a slice with step 0", "leave the step out, or give another")
    return value[slice(*given)]


def iterated(value: Value) -> Value:
    """What ``for … in value`` runs over: the turns to come, of which nothing can be seen but the turns."""
    if isinstance(value, tuple | range):
        return _turns(value)
    raise Problem(f"`for` runs over a range or a tuple, and {_shown(value)} is {kind(value)}", "write tuple(…) of it")


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


def unpacked(value: Value, size: Value) -> Value:
    """``value`` if it is a tuple (or range) of ``size`` parts, for ``a, b = value``."""
    if not isinstance(value, tuple | range) or len(value) != size:
        raise Problem(f"{_shown(value)} is not a tuple of {size} parts", "give as many names as parts")
    return value


def join_not_in_place(left: Value, right: Value) -> Value:
    """``|=``, which in Python changes a dict under all its names: refused for dicts."""
    if isinstance(left, Table):
        raise Problem("`|=` would change a dict in place", "write d = d | {key: value}")
    return BINARY["BitOr"](left, right)


def asserted(condition: Value, text: Value, says: Value) -> Value:
    """``assert condition, says``: nothing if it holds; Problem if it does not."""
    if truth(condition):
        return True
    raise Problem(f"assert {text} fails" + (f": {says}" if says else ""), "give secrets and constants that satisfy it")


def _sequence(name: str, value: Value) -> tuple[Value, ...]:
    if isinstance(value, Table):
        return tuple(value)
    if not isinstance(value, tuple | range):
        raise Problem(f"{name}() takes a tuple, range or dict, and {_shown(value)} is {kind(value)}")
    if len(value) > MAX_ITEMS:
        raise Problem(f"{name}() of {len(value)} values", f"the limit is {MAX_ITEMS}")
    return tuple(value)


def _extreme(name: str, better: Operation) -> Operation:
    def apply(*arguments: Value) -> Value:
        items = _sequence(name, arguments[0]) if len(arguments) == 1 else arguments
        if not items:
            raise Problem(f"{name}() of nothing", "give it at least one value")
        best: Value = items[0]
        for item in items[1:]:
            if better(item, best):
                best = item
        return best

    return apply


def _absolute(value: Value) -> Value:
    _numbers("abs()", value)
    return BINARY["Mult"](value, -1 if _is_number(value) and value < 0 else 1)


def _total(items: Value) -> Value:
    total: Value = 0
    for item in _sequence("sum", items):
        total = BINARY["Add"](total, item)
    return total


def _length(value: Value) -> Value:
    if isinstance(value, tuple | Table | range | str):
        return len(value)
    raise Problem(f"len() takes a tuple, dict, range or text, and {_shown(value)} is {kind(value)}")


def _integer(value: Value) -> Value:
    _numbers("int()", value)
    return int(value) if _is_number(value) else value


def _fraction(numerator: Value, denominator: Value = 1) -> Value:
    if isinstance(numerator, str) and denominator == 1:
        try:
            return bounded(whole(parse_fraction(numerator)))
        except ValueError as reason:
            raise Problem(f"Fraction({_shown(numerator)}): {reason}", "write '1/3' or '0.25'") from None
    return BINARY["Div"](numerator, denominator)


def _range(*arguments: Value) -> Value:
    steps: list[int] = []
    for argument in arguments:
        if not isinstance(argument, int):
            raise Problem(f"range() takes ints, and {_shown(argument)} is {kind(argument)}")
        steps.append(argument)
    if len(steps) == 3 and steps[2] == 0:
        raise Problem("range() with step 0")
    return bounded(range(*steps))


def _sorted(value: Value) -> Value:
    items = _sequence("sorted", value)
    try:
        return tuple(sorted(items))  # type: ignore[type-var]  # what has no order is caught below
    except TypeError:
        raise Problem(f"sorted({_shown(value)}): the values have no common order") from None


def _zipped(*sequences: Value) -> Value:
    return bounded(tuple(zip(*(_sequence("zip", value) for value in sequences), strict=False)))


def zipped_strictly(*sequences: Value) -> Value:
    """``zip(…, strict=True)``."""
    lengths = [len(_sequence("zip", value)) for value in sequences]
    if len(set(lengths)) > 1:
        raise Problem(f"zip(…, strict=True) of {' and '.join(map(str, lengths))} items", "give as many of each")
    return _zipped(*sequences)


def _enumerated(value: Value, start: Value = 0) -> Value:
    if not isinstance(start, int):
        raise Problem(f"enumerate() starts from an int, and {_shown(start)} is {kind(start)}")
    return bounded(tuple(enumerate(_sequence("enumerate", value), start)))


def _truths(function: Callable[[Iterable[bool]], bool], name: str) -> Operation:
    return lambda value: function(truth(item) for item in _sequence(name, value))


class Builtin(NamedTuple):
    """What a builtin does, and the least and the greatest number of its arguments."""

    function: Operation
    least: int
    most: int


BUILTINS: dict[str, Builtin] = {
    "Fraction": Builtin(_fraction, 1, 2),
    "abs": Builtin(_absolute, 1, 1),
    "all": Builtin(_truths(all, "all"), 1, 1),
    "any": Builtin(_truths(any, "any"), 1, 1),
    "bool": Builtin(bool, 1, 1),
    "enumerate": Builtin(_enumerated, 1, 2),
    "int": Builtin(_integer, 1, 1),
    "len": Builtin(_length, 1, 1),
    "max": Builtin(_extreme("max", COMPARE["Gt"]), 1, MAX_ITEMS),
    "min": Builtin(_extreme("min", COMPARE["Lt"]), 1, MAX_ITEMS),
    "range": Builtin(_range, 1, 3),
    "sorted": Builtin(_sorted, 1, 1),
    "str": Builtin(lambda value: bounded(show_letter(value)), 1, 1),
    "sum": Builtin(_total, 1, 1),
    "tuple": Builtin(lambda value: bounded(_sequence("tuple", value)), 1, 1),
    "zip": Builtin(_zipped, 1, MAX_ITEMS),
}


class Fold(NamedTuple):
    """A builtin, item by item: from ``initial``, with ``function``, to ``outcome`` of what is kept."""

    function: Operation | None
    initial: Value
    outcome: Operation | None = None


def _keeping(name: str) -> Fold:
    """``max`` or ``min``: what is kept is nothing, or the best so far as a tuple."""
    best = BUILTINS[name].function
    return Fold(lambda kept, item: (best((*kept, item)),), (), best)


FOLDS: dict[str, Fold] = {
    "all": Fold(None, True),
    "any": Fold(None, False),
    "max": _keeping("max"),
    "min": _keeping("min"),
    "sum": Fold(BINARY["Add"], 0),
    "tuple": Fold(lambda kept, item: bounded((*kept, item)), ()),
}
"""The builtins that take a comprehension; ``any`` and ``all`` end at the first item that decides."""
