"""Values that depend on noise: linear in one kept integer K and one fresh draw Z, and what the language does with them.

A noisy value is ``kept·K + fresh·Z + shift``, plus multiples of *outputs*, integers that were announced, and of
*unseen* draws, which are made when something but a sum needs them: draws are independent of all else, so that it makes
no difference when they are made. Sums,
differences and known multiples of such values are such values. A comparison of them is a *condition*
``±K ± Z + c ≥ 0`` with a whole number c: K and Z are integers, so that any fraction is rounded down. Outputs are not
compared: the law that is followed is one for all their values. Evaluating an expression needs the truth of the
conditions that it meets: one that is not decided yet raises `Undecided`, and whoever evaluates tries again for either
answer. So ``max``, ``min``, ``abs``, clamps, ``and``, ``or`` and conditional expressions need nothing more than
comparisons. Everything else that looks at noise (remainders, texts, membership, …) needs its value, which comparisons
tell where finitely many are left, as after a clamp. Otherwise `NotFollowed` is raised: the operation does not lead back
into the class of laws that `laws` computes with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from ...numbers.exponential import Rational
from ..language.graph import ABSENT, Apply, Constant, Decide, Environment, Expression, Slots, Variable
from ..language.source import Place, Problem
from ..language.values import (
    BINARY,
    BUILTINS,
    COMPARE,
    FOLDS,
    OPERATIONS,
    UNARY,
    build_tuple,
    check_size,
    iterate,
    slice_of,
    subscript,
    truth,
    unpack,
    whole,
    zipped_strictly,
)

IntegerSpan = tuple[int, int]
"""The least and the greatest of some integers."""


class NotFollowed(Exception):
    """Why the law of kept noise is not followed here, with its place."""

    def __init__(self, what: str, place: Place | None = None) -> None:
        super().__init__(what)
        self.what, self.place = what, place

    def __str__(self) -> str:
        return self.what if self.place is None else f"{self.what} (line {self.place.line})"


class ReadAgain(NotFollowed):
    """What was announced is read again, and not in sums alone; ``points`` are the instructions that announced it."""

    def __init__(self, what: str, place: Place | None = None, points: Set[int] = frozenset()) -> None:
        super().__init__(what, place)
        self.points = points


class NotDeferred(NotFollowed):
    """Why an announced integer that is compared later cannot be shown later."""


COMPARED = "noise that was announced is compared"


class Condition(NamedTuple):
    """kept·K + fresh·Z + shift ≥ 0; factors are −1, 0 or 1, and not both 0."""

    kept: int
    fresh: int
    shift: int

    @property
    def denied(self) -> Condition:
        """What is true where this is not."""
        # The left side v is whole, so v < 0 says −v − 1 ≥ 0.
        return Condition(-self.kept, -self.fresh, -self.shift - 1)


Decided = Mapping[Condition, bool]


class Undecided(Exception):
    """A comparison whose outcome is needed, and not known."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition)
        self.condition = condition


class Unseen(NamedTuple):
    """A draw on which nothing depends yet but sums: which of those of the run, and the key of its ratio."""

    number: int
    ratio: Hashable


class Looked(Exception):
    """A value is needed that depends on a draw that was not looked at; with what was decided so far, it is made now."""

    def __init__(self, draw: Unseen) -> None:
        super().__init__(draw)
        self.draw = draw


class Said(NamedTuple):
    """What is known of an announced integer: the instruction, and between what it lies; None for no end."""

    point: int
    low: int | None
    high: int | None


class NotSplit(Exception):
    """An announced integer is compared with a threshold, and it is not known on which side it is.

    It would be, had it been asked when it was announced.
    """

    def __init__(self, point: int, threshold: int) -> None:
        super().__init__(point, threshold)
        self.point, self.threshold = point, threshold


MOST_TOLD = 255
"""How far apart announced integers may be that are told one by one."""

Outputs = tuple[tuple[int, Rational], ...]
"""A sum of multiples of what was announced: how many letters ago, in ascending order, and the factor, never 0."""


@dataclass(frozen=True, slots=True)
class Noisy:
    """kept·K + fresh·Z + shift, plus multiples of outputs and of unseen draws; at least one of these beside the shift.

    Where it is rounded down, it is ``rise·⌊that / run⌋ + base``, and that is whole.
    """

    kept: Rational
    fresh: Rational
    shift: Rational
    outputs: Outputs = ()
    run: int = 1
    rise: Rational = 1
    base: Rational = 0
    unseen: tuple[tuple[Unseen, Rational], ...] = ()
    """By number; factors are never 0."""

    def __str__(self) -> str:
        """What stands for it where values are shown."""
        return "noise"

    def plus(self, other: Noisy | Rational, factor: Rational = 1) -> Noisy | Rational:
        """The sum with a multiple of the other."""
        if not factor:
            return self
        if self.run > 1 and not isinstance(other, Noisy):
            return self._step(self.rise, self.base + factor * other)
        if self.run > 1 or (isinstance(other, Noisy) and other.run > 1):
            raise NotFollowed("rounded noise is added to other noise, or compared with it")
        kept, fresh, shift = parts_of(other)
        outputs, unseen = self.outputs, self.unseen
        if isinstance(other, Noisy):
            outputs, unseen = combine(outputs, other.outputs, factor), combine(unseen, other.unseen, factor)
        sums = (self.kept + factor * kept, self.fresh + factor * fresh, self.shift + factor * shift)
        return _make(*sums, outputs, unseen)

    def times(self, factor: Rational) -> Noisy | Rational:
        """A multiple."""
        if self.run > 1:
            return self._step(self.rise * factor, self.base * factor) if factor else 0
        outputs, unseen = combine((), self.outputs, factor), combine((), self.unseen, factor)
        return _make(self.kept * factor, self.fresh * factor, self.shift * factor, outputs, unseen)

    def _step(self, rise: Rational, base: Rational) -> Noisy:
        for part in (rise, base):
            check_size(part)
        return replace(self, rise=whole(rise), base=whole(base))

    def floor(self, by: int) -> Noisy | Rational | None:
        """⌊of this / by⌋, by ≠ 0; None where that is no such value."""
        self.look()
        whole_steps = self.run == 1 or self.rise == 1
        if self.outputs or not self.integral or not whole_steps:
            return None
        # ⌊(⌊u/r⌋ + b) / q⌋ = ⌊(u + r·b) / (r·q)⌋, and ⌊u/(−q)⌋ = ⌊−u/q⌋.
        inner = _make(self.kept, self.fresh, self.shift + self.run * self.base)
        if not isinstance(inner, Noisy) or (self.run > 1 and by < 0):
            return None
        inner = inner.times(-1) if by < 0 else inner
        run = self.run * abs(by)
        return replace(inner, run=run) if isinstance(inner, Noisy) and run > 1 else inner

    def look(self) -> None:
        """Looked, if it depends on a draw that is unseen."""
        if self.unseen:
            raise Looked(self.unseen[0][0])

    @property
    def hidden(self) -> bool:
        """Whether it depends on what was looked at and not announced: K or Z."""
        return bool(self.kept or self.fresh)

    @property
    def integral(self) -> bool:
        """Whether all its values are whole."""
        factors = (factor for _, factor in (*self.outputs, *self.unseen))
        parts = (self.kept, self.fresh, self.shift, self.rise, self.base, *factors)
        return all(Fraction(part).denominator == 1 for part in parts)


def parts_of(value: Noisy | Rational) -> tuple[Rational, Rational, Rational]:
    """The factors of K and Z, and the shift."""
    return (value.kept, value.fresh, value.shift) if isinstance(value, Noisy) else (0, 0, value)


def _make(
    kept: Rational,
    fresh: Rational,
    shift: Rational,
    outputs: Outputs = (),
    unseen: tuple[tuple[Unseen, Rational], ...] = (),
) -> Noisy | Rational:
    for part in (kept, fresh, shift):
        check_size(part)
    if not kept and not fresh and not outputs and not unseen:
        return whole(shift)
    return Noisy(whole(kept), whole(fresh), whole(shift), outputs, unseen=unseen)


Of = TypeVar("Of", int, Unseen)


def combine(
    one: tuple[tuple[Of, Rational], ...], other: tuple[tuple[Of, Rational], ...], factor: Rational
) -> tuple[tuple[Of, Rational], ...]:
    """One sum of multiples of outputs, or of unseen draws, plus a multiple of another."""
    found = dict(one)
    for age, part in other:
        found[age] = found.get(age, 0) + factor * part
        check_size(found[age])
    kept = ((age, whole(part)) for age, part in found.items() if part)
    return tuple(sorted(kept, key=lambda term: term[0] if isinstance(term[0], int) else term[0].number))


def noise_in(value: object) -> Iterator[Noisy]:
    """The noisy values that a value is, or holds."""
    if isinstance(value, Noisy):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            if type(part) is not int:
                yield from noise_in(part)


def replace_noisy(value: Any, change: Callable[[Noisy], Noisy | Rational]) -> Any:
    """The value with each noisy value in it changed."""
    if isinstance(value, Noisy):
        return change(value)
    if isinstance(value, tuple) and any(True for _ in noise_in(value)):
        return tuple(replace_noisy(part, change) for part in value)
    return value


_CARRIES = frozenset(
    [build_tuple, iterate, unpack, subscript, slice_of, zipped_strictly, FOLDS["tuple"].function]
    + [BUILTINS[name].function for name in ("enumerate", "len", "tuple", "zip")]
)
"""Operations that move the parts of a tuple, and do not look at them."""

_BETTER = {
    best: sign for sign, name in ((1, "max"), (-1, "min")) for best in (BUILTINS[name].function, FOLDS[name].function)
}
"""The operations that choose the best of some values, all at once or one by one → 1 for the greatest."""

_ORDER: Mapping[object, tuple[int, int]] = {
    COMPARE["GtE"]: (1, 0),
    COMPARE["Gt"]: (1, -1),
    COMPARE["LtE"]: (-1, 0),
    COMPARE["Lt"]: (-1, -1),
}
"""A comparison → sign and surplus: it holds where sign·(left − right) ≥ 0, or > 0 with −1."""

_SYMBOLS = {"Mod": "%", "FloorDiv": "//", "Mult": "*", "Div": "/", "Pow": "**", "In": "in", "NotIn": "not in"}


class Sight:
    """Evaluates expressions in which some variables depend on noise, as far as conditions are decided."""

    def __init__(
        self,
        slots: Slots,
        environment: Environment,
        decided: Decided,
        spans: Callable[[], tuple[IntegerSpan | None, IntegerSpan | None]],
        said: Sequence[Said | None] = (),
    ) -> None:
        """``spans`` are the least and greatest values of K and of Z, where finitely many are left.

        ``said`` is what is known of what was announced, the last first.
        """
        self._slots, self._environment, self._decided, self._spans = slots, environment, decided, spans
        self._said = said

    def value(self, expression: Expression) -> Any:
        """The value, which may be or hold a noisy one; Undecided, NotFollowed, or Problem with its place."""
        match expression:
            case Constant(value):
                return value
            case Variable(name):
                found = self._environment[self._slots[name]]
                if found is ABSENT:
                    raise expression.report_missing()
                return found
            case Decide():
                return self._decision(expression)
        parts = [self.value(part) for part in expression.parts]
        try:
            if not any(True for part in parts for _ in noise_in(part)):
                return expression.function(*parts)
            return self._apply(expression, parts)
        except Problem as problem:
            raise problem.at(expression.place) from None

    def truth(self, value: Any) -> bool:
        """Whether a condition holds; of noise, whether it is not 0."""
        if isinstance(value, Noisy):
            return not self._zero(value)
        return truth(value)

    def tell(self, value: Any) -> Any:
        """The value with noise replaced by what it is, where finitely many values are left."""
        return replace_noisy(value, self._tell)

    def _tell(self, value: Noisy) -> Noisy | Rational:
        value.look()
        if (value.kept and value.fresh) or value.outputs:
            return value
        kept, fresh = self._spans()
        span = kept if value.kept else fresh
        if span is None:
            return value
        low, high = span
        if low < high:
            # By halves: as many questions as the number of values has bits.
            middle = (low + high + 1) // 2
            raise Undecided(Condition(1, 0, -middle) if value.kept else Condition(0, 1, -middle))
        told = whole((value.kept or value.fresh) * low + value.shift)
        return told if value.run == 1 else whole(value.rise * (told // value.run) + value.base)

    def _told_output(self, value: Noisy) -> Noisy | Rational:
        """What was announced, where it is one of few integers."""
        found = self._output_of(value)
        if found is None:
            return value
        factor, said = found
        if said.low is None or said.high is None or said.high - said.low > MOST_TOLD:
            return value
        if said.low < said.high:
            raise NotSplit(said.point, (said.low + said.high + 1) // 2)
        return whole(factor * said.low + value.shift)

    def _output_of(self, value: Noisy) -> tuple[Rational, Said] | None:
        """The factor of the one output that a value depends on, and what is known of it; None of any other value."""
        if value.hidden or value.run > 1 or len(value.outputs) != 1:
            return None
        ((age, factor),) = value.outputs
        said = self._said[age - 1] if age <= len(self._said) else None
        return None if said is None else (factor, said)

    def at_least(self, value: Noisy, threshold: int) -> bool:
        """Whether a value is no less than a number."""
        return self._holds(_sum(value, threshold, -1), 1)

    def _decision(self, expression: Decide) -> Any:
        *tests, last = expression.parts
        if expression.how == "if":
            test, then = tests
            return self.value(then if self.truth(self.value(test)) else last)
        for part in tests:
            value = self.value(part)
            if self.truth(value) is (expression.how == "or"):
                return value
        return self.value(last)

    def _apply(self, expression: Apply, parts: list[Any]) -> Any:
        function = expression.function
        if function in _CARRIES and not (function is subscript and any(True for _ in noise_in(parts[1]))):
            return function(*parts)
        if function is BINARY["Add"] and all(isinstance(part, tuple) for part in parts):
            return function(*parts)
        if function in _BETTER:
            return self._best(expression, parts)
        if function is BUILTINS["sum"].function and _are_numbers(parts[0]):
            total: Noisy | Rational = 0
            for item in parts[0]:
                total = _sum(total, item, 1)
            return total
        if not all(isinstance(part, Noisy | int | Fraction) for part in parts):
            return self._of_known(expression, parts)
        if function in _ORDER:
            sign, strictly = _ORDER[function]
            return self._holds(_sum(parts[0], parts[1], -1), sign, strict=bool(strictly))
        if function in (COMPARE["Eq"], COMPARE["NotEq"]):
            return self._zero(_sum(parts[0], parts[1], -1)) is (function is COMPARE["Eq"])
        if function in (BINARY["Add"], BINARY["Sub"]):
            return _sum(parts[0], parts[1], 1 if function is BINARY["Add"] else -1)
        if function in (UNARY["USub"], UNARY["UAdd"]):
            return parts[0].times(-1) if function is UNARY["USub"] else parts[0]
        if function is UNARY["Not"]:
            return self._zero(parts[0])
        if function is BUILTINS["abs"].function:
            return parts[0] if self._holds(parts[0], 1) else parts[0].times(-1)
        if function is BUILTINS["bool"].function:
            return not self._zero(parts[0])
        if function is BUILTINS["int"].function and parts[0].integral:
            return parts[0]
        return self._multiple(expression, parts)

    def _multiple(self, expression: Apply, parts: list[Any]) -> Any:
        """A noisy value times something known, or divided by it."""
        if len(parts) == 2:
            left, right = parts
            if expression.function is BINARY["Mult"] and not (isinstance(left, Noisy) and isinstance(right, Noisy)):
                noisy, known = (left, right) if isinstance(left, Noisy) else (right, left)
                return noisy.times(known)
            floors = expression.function is BINARY["FloorDiv"] and isinstance(left, Noisy) and type(right) is int
            floored = left.floor(right) if floors and right else None
            if floored is not None:
                return floored
            if expression.function is BINARY["Div"] and not isinstance(right, Noisy) and right:
                return left.times(Fraction(1) / right)
        return self._of_known(expression, parts)

    def _of_known(self, expression: Apply, parts: list[Any]) -> Any:
        """The operation on values that are told one by one."""
        known = [replace_noisy(self.tell(part), self._told_output) for part in parts]
        if any(True for part in known for _ in noise_in(part)):
            raise self._refusal(expression, known)
        return expression.function(*known)

    def _best(self, expression: Apply, parts: list[Any]) -> Any:
        """The first of the greatest, or of the least."""
        sign = _BETTER[expression.function]
        one_by_one = expression.function in (FOLDS["max"].function, FOLDS["min"].function)
        items = (*parts[0], parts[1]) if one_by_one else parts[0] if len(parts) == 1 else parts
        if not _are_numbers(items):
            return self._of_known(expression, parts)
        best = items[0]
        for item in items[1:]:
            if self._holds(_sum(item, best, -1), sign, strict=True):
                best = item
        return (best,) if one_by_one else best

    def _refusal(self, expression: Apply, parts: list[Any]) -> NotFollowed:
        announced = any(noise.outputs for part in parts for noise in noise_in(part))
        noise = "noise that was announced" if announced else "noise"
        table, name = OPERATIONS.get(expression.function, ("", ""))
        if expression.function is subscript:
            what = f"{noise} is an index"
        elif expression.function is BINARY["Add"]:  # which is that of sum(), too
            what = f"{noise} is added to what is not a number"
        elif table in ("builtin", "fold", "outcome"):
            what = f"{name}() is taken of {noise}"
        elif name in _SYMBOLS:
            what = f"`{_SYMBOLS[name]}` is applied to {noise}"
        else:
            what = f"{noise} is neither added, compared, nor multiplied by a number"
        return NotFollowed(what, expression.place)

    # Conditions.

    def _holds(self, value: Noisy | Rational, sign: int, *, strict: bool = False) -> bool:
        """Whether sign·value ≥ 0, or > 0."""
        if not isinstance(value, Noisy):
            return sign * value > 0 or (not strict and value == 0)
        value.look()
        if strict:  # it is not true that −sign·value ≥ 0
            return not self._holds(value, -sign)
        found = self._output_of(value)
        if found is not None:
            factor, known = sign * found[0], found[1]
            # factor·o + sign·shift ≥ 0 says o ≥ t, or that this is not so.
            end = -Fraction(sign * value.shift) / factor
            t = math.ceil(end) if factor > 0 else math.floor(end) + 1
            if known.low is not None and known.low >= t:
                return factor > 0
            if known.high is not None and known.high < t:
                return factor < 0
            raise NotSplit(known.point, t)
        try:
            condition = condition_of(value.times(sign))
        except ReadAgain as reason:
            said = [self._said[age - 1] for age, _ in value.outputs if age <= len(self._said)]
            raise ReadAgain(reason.what, None, {each.point for each in said if each is not None}) from None
        for asked, answer in ((condition, True), (condition.denied, False)):
            if asked in self._decided:
                return self._decided[asked] is answer
        raise Undecided(condition)

    def _zero(self, value: Noisy | Rational) -> bool:
        return self._holds(value, 1) and self._holds(value, -1)


def condition_of(value: Any) -> Condition:
    """Where a noisy value is not negative."""
    if isinstance(value, Noisy) and value.outputs:
        raise ReadAgain(COMPARED)
    if isinstance(value, Noisy) and value.run > 1:
        # rise·⌊u/run⌋ + base ≥ 0 says u ≥ run·m for the least such m, or u < run·(m + 1) for the greatest.
        up, inner = value.rise > 0, replace(value, run=1, rise=1, base=0)
        m = -math.floor(Fraction(value.base) / value.rise) if up else math.floor(Fraction(value.base) / -value.rise)
        return condition_of(_sum(-value.run * m, inner, 1) if up else _sum(value.run * (m + 1) - 1, inner, -1))
    kept, fresh, shift = parts_of(value)
    size = Fraction(max(abs(Fraction(kept)), abs(Fraction(fresh))))
    if kept and fresh and abs(kept) != abs(fresh):
        raise NotFollowed("different multiples of two noises are compared")
    # ±K ± Z is whole, so it is at least −c if and only if it is at least −⌊c⌋.
    return Condition(_sign(kept), _sign(fresh), math.floor(shift / size))


def _are_numbers(items: Any) -> bool:
    """Whether all items of a tuple are numbers, noisy or not."""
    return isinstance(items, tuple | list) and all(isinstance(item, Noisy | int | Fraction) for item in items)


def _sign(number: Rational) -> int:
    return (number > 0) - (number < 0)


def _sum(left: Any, right: Any, factor: int) -> Noisy | Rational:
    """One value plus a multiple of another."""
    if isinstance(left, Noisy):
        return left.plus(right, factor)
    if isinstance(right, Noisy) and isinstance(left, int | Fraction):
        other = right.times(factor)
        return other.plus(left) if isinstance(other, Noisy) else left + other
    total: Rational = left + factor * right
    return total
