"""Expressions of one unknown integer, piece by piece.

Between a few places an expression of the integer z is a·z + b, or that rounded down to a multiple, or one value, or a
value for each remainder of z. Where that is known, outcomes of a draw that lead to the same need not be told apart:
``x + z >= t`` is false up to some z and true from the next on, whatever the law of z, and ``(x + z) % 11`` has eleven
values.

A piece is the integers from low to high, None for no end, with a form. What a form says is what evaluating the
expression gives at each integer of the piece; an `OPAQUE` one says nothing, not even that there is a value.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ...numbers.exponential import Rational
from ..language.graph import Apply, Constant, Decide, Expression, Variable
from ..language.source import Problem
from ..language.values import BINARY, BUILTINS, COMPARE, UNARY, Value, truth, whole

MOST_PIECES = 64
"""An expression with more pieces is opaque."""
MOST_REMAINDERS = 4096
"""A longer period is opaque."""


@dataclass(frozen=True, slots=True)
class Line:
    """slope·z + shift, with a slope that is not 0."""

    slope: Rational
    shift: Rational

    @property
    def integral(self) -> bool:
        """Whether all its values are whole."""
        return self.slope.denominator == 1 and self.shift.denominator == 1


@dataclass(frozen=True, slots=True)
class Stairs:
    """rise·⌊(sign·z + shift)/run⌋ + base: one value on ``run`` neighbours, and ``rise`` more on the next; in one form.

    The sign is 1 or −1, run ≥ 1, rise ≥ 1 and 0 ≤ base < rise. Stairs of run 1 are lines.
    """

    sign: int
    shift: int
    run: int
    rise: int
    base: int

    @classmethod
    def of(cls, sign: int, shift: int, run: int, rise: int, base: int) -> Stairs:
        """The one form of stairs, whose rise may be negative, and whose base any number."""
        if rise < 0:  # −⌊y/run⌋ = ⌊(run − 1 − y)/run⌋
            sign, shift, rise = -sign, run - 1 - shift, -rise
        steps, base = divmod(base, rise)
        return cls(sign, shift + run * steps, run, rise, base)

    @classmethod
    def of_line(cls, line: Line) -> Stairs:
        """A line of whole numbers."""
        slope = int(line.slope)
        return cls.of(1, 0, 1, slope, int(line.shift)) if slope > 0 else cls.of(-1, 0, 1, -slope, int(line.shift))

    def step(self, z: int) -> int:
        """The number of the step on which z is."""
        return (self.sign * z + self.shift) // self.run

    def value(self, step: int) -> int:
        """The value on a step."""
        return self.rise * step + self.base

    def times(self, factor: int) -> PieceForm:
        """A multiple."""
        if not factor:
            return Same(0)
        return Stairs.of(self.sign, self.shift, self.run, self.rise * factor, self.base * factor)

    def plus(self, number: int) -> Stairs:
        """The sum with a number."""
        return Stairs.of(self.sign, self.shift, self.run, self.rise, self.base + number)

    def floor(self, divisor: int) -> PieceForm:
        """⌊value/divisor⌋, where that is stairs again."""
        if divisor < 0:
            rises = Stairs.of(self.sign, self.shift, self.run, -self.rise, -self.base)
            return rises.floor(-divisor)
        if divisor % self.rise == 0:  # 0 ≤ base < rise makes no difference
            return Stairs.of(self.sign, self.shift, self.run * (divisor // self.rise), 1, 0)
        if self.rise % divisor == 0:
            return Stairs.of(self.sign, self.shift, self.run, self.rise // divisor, self.base // divisor)
        return OPAQUE


@dataclass(frozen=True, slots=True)
class Same:
    """One value, whatever z is."""

    value: Value


@dataclass(frozen=True, slots=True)
class Periodic:
    """values[z % len(values)]."""

    values: tuple[Value, ...]


class Opaque:
    """Nothing is known."""


OPAQUE = Opaque()

PieceForm = Line | Stairs | Same | Periodic | Opaque


class FormPiece(NamedTuple):
    """A form on the integers from low to high; None: no end."""

    low: int | None
    high: int | None
    form: PieceForm


Pieces = list[FormPiece]
EVERYWHERE: Pieces = [FormPiece(None, None, OPAQUE)]


def pieces_of(expression: Expression, known: Mapping[str, Pieces]) -> Pieces:
    """The expression on all integers; ``known`` are those of the variables that depend on z."""
    found = _pieces(expression, known)
    return _join(found) if len(found) <= MOST_PIECES else EVERYWHERE


def clip(pieces: Pieces, low: int | None, high: int | None) -> Pieces:
    """The pieces between low and high."""
    return [FormPiece(*ends, piece.form) for piece in pieces if (ends := _both((low, high), piece)) is not None]


def truths(pieces: Pieces) -> Pieces:
    """Whether the expression counts as true, piece by piece."""
    return [found for piece in pieces for found in _truth(piece)]


Ends = tuple[int | None, int | None]


def _both(one: Ends, other: FormPiece | Ends) -> Ends | None:
    """What two ranges have in common; None if that is nothing."""
    low = one[0] if other[0] is None else other[0] if one[0] is None else max(one[0], other[0])
    high = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    return None if low is not None and high is not None and low > high else (low, high)


def _join(pieces: Pieces) -> Pieces:
    """Neighbours of the same form as one piece."""
    found: Pieces = []
    for piece in pieces:
        if found and _same(found[-1].form, piece.form):
            found[-1] = FormPiece(found[-1].low, piece.high, piece.form)
        else:
            found.append(piece)
    return found


def _same(one: PieceForm, other: PieceForm) -> bool:
    if isinstance(one, Same) and isinstance(other, Same):
        # Not by equality: True == 1, and they are not announced alike.
        return one.value is other.value or (type(one.value) is type(other.value) is int and one.value == other.value)
    return one is other or (isinstance(one, Line | Stairs) and one == other)


def _pieces(expression: Expression, known: Mapping[str, Pieces]) -> Pieces:
    if isinstance(expression, Constant):
        return EVERYWHERE if expression.value is None else [FormPiece(None, None, Same(expression.value))]
    if isinstance(expression, Variable):
        return known.get(expression.name, EVERYWHERE)
    parts = [_pieces(part, known) for part in expression.parts]
    if sum(map(len, parts)) > MOST_PIECES:
        return EVERYWHERE
    found: Pieces = []
    for ends, forms in _cells(parts):
        found += _decide(expression, ends, forms) if isinstance(expression, Decide) else _apply(expression, ends, forms)
    return found


def _cells(parts: Sequence[Pieces]) -> Iterator[tuple[Ends, list[PieceForm]]]:
    """The common refinement: ranges on which each part has one form."""
    cells: list[tuple[Ends, list[PieceForm]]] = [((None, None), [])]
    for pieces in parts:
        cells = [
            (ends, [*forms, piece.form])
            for around, forms in cells
            for piece in pieces
            if (ends := _both(around, piece)) is not None
        ]
    yield from cells


def _decide(expression: Decide, ends: Ends, forms: Sequence[PieceForm]) -> Pieces:
    if expression.how == "if":
        found: Pieces = []
        for low, high, form in _truth(FormPiece(*ends, forms[0])):
            chosen = forms[1 if form.value else 2] if isinstance(form, Same) else OPAQUE
            found.append(FormPiece(low, high, chosen))
        return found
    first, *others = forms
    if not others:
        return [FormPiece(*ends, first)]
    found = []
    for low, high, form in _truth(FormPiece(*ends, first)):
        if not isinstance(form, Same):
            found.append(FormPiece(low, high, OPAQUE))
        elif form.value is (expression.how == "or"):
            found.append(FormPiece(low, high, first))
        else:
            found += _decide(expression, (low, high), others)
    return found


def _truth(piece: FormPiece) -> Pieces:
    form = piece.form
    if isinstance(form, Line):
        return compare(operator.ne, form, (piece.low, piece.high))
    return [FormPiece(piece.low, piece.high, _values(truth, [form]))]


def _values(function: Callable[..., Value], forms: Sequence[PieceForm]) -> PieceForm:
    """The function on forms without lines and stairs."""
    if any(isinstance(form, Line | Stairs | Opaque) for form in forms):
        return OPAQUE
    period = math.lcm(*(len(form.values) for form in forms if isinstance(form, Periodic)))
    if period > MOST_REMAINDERS:
        return OPAQUE
    try:
        found = []
        for z in range(period):
            arguments = [f.values[z % len(f.values)] if isinstance(f, Periodic) else f.value for f in forms]  # type: ignore[union-attr]
            found.append(function(*arguments))
    except Problem:
        return OPAQUE  # it goes wrong: whoever evaluates it says where
    return Same(found[0]) if period == 1 else Periodic(tuple(found))


_COMPARISONS: Mapping[object, Callable[[Any, Any], bool]] = {
    COMPARE["Eq"]: operator.eq,
    COMPARE["NotEq"]: operator.ne,
    COMPARE["Lt"]: operator.lt,
    COMPARE["LtE"]: operator.le,
    COMPARE["Gt"]: operator.gt,
    COMPARE["GtE"]: operator.ge,
}


def compare(function: Callable[[Any, Any], bool], line: Line, ends: Ends) -> Pieces:
    """``line function 0``: one value below its zero, at it, and above."""
    # slope·(z − root) has the sign of the slope above the root, and the other one below; only a whole root is met.
    zero, remainder = divmod(-line.shift, line.slope)
    parts: list[tuple[Ends, Rational]] = [((zero + 1, None), line.slope)]
    parts[:0] = [((None, zero), -line.slope)] if remainder else [((None, zero - 1), -line.slope), ((zero, zero), 0)]
    cut = ((_both(ends, part), sign) for part, sign in parts)
    return _join([FormPiece(*found, Same(function(sign, 0))) for found, sign in cut if found is not None])


def _line(form: PieceForm) -> tuple[Rational, Rational] | None:
    """(slope, shift) of a number; None if the form is none."""
    if isinstance(form, Line):
        return form.slope, form.shift
    if isinstance(form, Same) and isinstance(form.value, int | Fraction):
        return 0, form.value
    return None


def _make(slope: Rational, shift: Rational) -> PieceForm:
    return Line(slope, shift) if slope else Same(whole(shift))


def _apply(expression: Apply, ends: Ends, forms: Sequence[PieceForm]) -> Pieces:
    if not any(isinstance(form, Line | Stairs | Opaque) for form in forms):
        return [FormPiece(*ends, _values(expression.function, forms))]
    function = expression.function
    if function in _COMPARISONS:
        return _order(_COMPARISONS[function], forms[0], forms[1], ends)
    if function is BUILTINS["max"].function and len(forms) > 1:
        return _choose(operator.gt, forms, ends)
    if function is BUILTINS["min"].function and len(forms) > 1:
        return _choose(operator.lt, forms, ends)
    if function is BINARY["FloorDiv"] or any(isinstance(form, Stairs | Periodic) for form in forms):
        return [FormPiece(*ends, _of_stairs(function, forms))]
    lines = [_line(form) for form in forms]
    if any(line is None for line in lines):
        return [FormPiece(*ends, OPAQUE)]
    numbers = [line for line in lines if line is not None]
    if function is BINARY["Mod"] and forms[0].__class__ is Line and numbers[1][0] == 0:
        return [FormPiece(*ends, remainders(*numbers[0], numbers[1][1]))]
    if function in (UNARY["Not"], BUILTINS["bool"].function) and isinstance(forms[0], Line):
        test = operator.eq if function is UNARY["Not"] else operator.ne
        return compare(test, forms[0], ends)
    if function is BUILTINS["abs"].function and isinstance(forms[0], Line):
        return _choose(operator.gt, [forms[0], _make(-forms[0].slope, -forms[0].shift)], ends)
    return [FormPiece(*ends, _compute(function, numbers, forms))]


def _compute(function: object, numbers: Sequence[tuple[Rational, Rational]], forms: Sequence[PieceForm]) -> PieceForm:
    """Arithmetic that keeps lines lines."""
    if len(numbers) == 1:
        (a, b) = numbers[0]
        if function is UNARY["USub"]:
            return _make(-a, -b)
        if function is UNARY["UAdd"]:
            return _make(a, b)
        exactly = function is BUILTINS["int"].function or function is BUILTINS["Fraction"].function
        return forms[0] if exactly and isinstance(forms[0], Line) and forms[0].integral else OPAQUE
    if len(numbers) != 2:
        return OPAQUE
    (a, b), (c, d) = numbers
    if function is BINARY["Add"]:
        return _make(a + c, b + d)
    if function is BINARY["Sub"]:
        return _make(a - c, b - d)
    if function is BINARY["Mult"] and (a == 0 or c == 0):
        return _make(a * d + c * b, b * d)
    if function is BINARY["Div"] and c == 0 and d != 0:
        return _make(Fraction(a) / d, Fraction(b) / d)
    return OPAQUE


def _of_stairs(function: object, forms: Sequence[PieceForm]) -> PieceForm:
    """Arithmetic that leads to stairs, or keeps them stairs."""
    if len(forms) == 1:
        (form,) = forms
        if isinstance(form, Stairs) and function is UNARY["USub"]:
            return form.times(-1)
        same = function in (UNARY["UAdd"], BUILTINS["int"].function)
        return form if isinstance(form, Stairs) and same else OPAQUE
    if len(forms) != 2:
        return OPAQUE
    one, other = forms
    if function is BINARY["FloorDiv"]:
        return _floor(one, other)
    if function is BINARY["Sub"] and isinstance(one, Line) and isinstance(other, Periodic):
        return _without_remainder(one, other)
    if isinstance(one, Same) and function in (BINARY["Add"], BINARY["Sub"], BINARY["Mult"]):
        # One of the two is stairs; a − s is −s + a.
        one, other = (other.times(-1) if function is BINARY["Sub"] and isinstance(other, Stairs) else other), one
        function = BINARY["Add"] if function is BINARY["Sub"] else function
    if not (isinstance(one, Stairs) and isinstance(other, Same) and isinstance(other.value, int)):
        return OPAQUE
    number = int(other.value)
    if function is BINARY["Mult"]:
        return one.times(number)
    if function in (BINARY["Add"], BINARY["Sub"]):
        return one.plus(number if function is BINARY["Add"] else -number)
    return OPAQUE


def _floor(one: PieceForm, other: PieceForm) -> PieceForm:
    """⌊one/other⌋, rounded down to a whole number."""
    if not (isinstance(other, Same) and isinstance(other.value, int | Fraction) and other.value):
        return OPAQUE
    if isinstance(one, Stairs):
        return one.floor(int(other.value)) if isinstance(other.value, int) else OPAQUE
    if not isinstance(one, Line):
        return OPAQUE
    slope, shift = Fraction(one.slope) / other.value, Fraction(one.shift) / other.value
    run = slope.denominator
    if run == 1:
        return Line(int(slope), math.floor(shift))
    # ⌊(sign·z)/run + shift⌋; for 2·z/3 and the like, steps are not equally long.
    return Stairs.of(slope.numerator, math.floor(shift * run), run, 1, 0) if abs(slope.numerator) == 1 else OPAQUE


def _without_remainder(line: Line, remainder: Periodic) -> PieceForm:
    """``n − n % q``: q·⌊n/q⌋."""
    period = len(remainder.values)
    if not line.integral or abs(line.slope) != 1:
        return OPAQUE
    expected = ((int(line.slope) * z + int(line.shift)) % period for z in range(period))
    if any(type(found) is not int or found != of for found, of in zip(remainder.values, expected, strict=True)):
        return OPAQUE
    return Stairs.of(int(line.slope), int(line.shift), period, period, 0)


def remainders(slope: Rational, shift: Rational, divisor: Rational) -> PieceForm:
    """(slope·z + shift) % divisor, for whole numbers."""
    if not (slope.denominator == shift.denominator == divisor.denominator == 1) or divisor == 0:
        return OPAQUE
    period = abs(int(divisor))
    if period > MOST_REMAINDERS:
        return OPAQUE
    values = tuple((int(slope) * z + int(shift)) % int(divisor) for z in range(period))
    return Same(values[0]) if period == 1 else Periodic(values)


_MIRRORED: Mapping[Callable[[Any, Any], bool], Callable[[Any, Any], bool]] = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}
"""What says the same of two numbers the other way round."""


def _order(function: Callable[[Any, Any], bool], one: PieceForm, other: PieceForm, ends: Ends) -> Pieces:
    """``one function other``, for lines and numbers, and for stairs beside a number."""
    line, its = _line(one), _line(other)
    if line is not None and its is not None:
        (a, b), (c, d) = line, its
        return [FormPiece(*ends, Same(function(b, d)))] if a == c else compare(function, Line(a - c, b - d), ends)
    if isinstance(other, Stairs) and function in _MIRRORED:
        function, one, its = _MIRRORED[function], other, line
    if not isinstance(one, Stairs) or its is None or its[0] or function not in _MIRRORED:
        return [FormPiece(*ends, OPAQUE)]
    number = its[1]
    # The least value that is ≥ the number, or > it; and the first step that is as high.
    least = math.ceil(number) if function in (operator.ge, operator.lt) else math.floor(number) + 1
    step = -((one.base - least) // one.rise)
    reaches = operator.ge if function in (operator.ge, operator.gt) else operator.lt
    return compare(reaches, Line(one.sign, one.shift - one.run * step), ends)


def _choose(better: Callable[[Any, Any], bool], forms: Sequence[PieceForm], ends: Ends) -> Pieces:
    """The first of the best, as max and min choose it."""
    found: Pieces = [FormPiece(*ends, forms[0])]
    for form in forms[1:]:
        following: Pieces = []
        for low, high, best in found:
            for piece in _order(better, form, best, (low, high)):
                chosen = OPAQUE if not isinstance(piece.form, Same) else form if piece.form.value else best
                following.append(FormPiece(piece.low, piece.high, chosen))
        found = following
    return found
