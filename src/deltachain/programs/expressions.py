"""Checked expressions: what is left of Python's syntax once draws and calls of helpers have been taken out.

An expression is a constant, a variable, an operation applied to expressions, or one of the three that do not evaluate
all their parts: ``and``, ``or`` and the conditional. Evaluating one is deterministic, has no effect, and ends; what
goes wrong is a `Problem` with its place.

An expression is evaluated many times, so it is first turned into a closure over an *environment*: a list with a slot
for each variable (`ABSENT` while it has no value) whose first entry adds up the effort of the operations, for whoever
keeps a budget. Small integers, by far the most frequent values, take a shorter way to the same result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from .operations import BINARY, COMPARE, truth
from .source import Place, Problem
from .values import Value, effort


@dataclass(frozen=True, slots=True)
class Constant:
    """A value, or None where a slice leaves a bound out."""

    value: Value | None

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Its operands: none."""
        return ()


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable of the program."""

    name: str
    place: Place
    shown: str = ""
    """What to call it in a message, where the name is the compiler's own."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Its operands: none."""
        return ()

    def missing(self) -> Problem:
        """What to say when it has no value."""
        if self.shown:
            return Problem(f"{self.shown} ended without returning a value", "return one on every path", self.place)
        own = self.name.rpartition(".")[2]  # without the call that a helper's variable belongs to
        return Problem(f"{own!r} has no value here", "assign it on every path that leads here", self.place)


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on the values of all its parts."""

    function: Callable[..., Value]
    parts: tuple[Expression, ...]
    place: Place
    quick: bool = False
    """Whether it takes one step however long its arguments are, as a subscript does."""


@dataclass(frozen=True, slots=True)
class Decide:
    """``a and b and …`` (the first that is false, else the last), ``or``, or, of test, a, b: ``a if test else b``."""

    how: Literal["and", "or", "if"]
    parts: tuple[Expression, ...]


Expression = Constant | Variable | Apply | Decide


def variables(expression: Expression) -> Iterator[str]:
    """The variables that occur in the expression, with repetitions."""
    stack = [expression]
    while stack:
        top = stack.pop()
        if isinstance(top, Variable):
            yield top.name
        stack.extend(top.parts)


def rewritten(expression: Expression, change: Callable[[Variable], Expression]) -> Expression:
    """The expression with each variable replaced."""
    if isinstance(expression, Variable):
        return change(expression)
    return _with_parts(expression, [rewritten(part, change) for part in expression.parts])


def _with_parts(expression: Expression, parts: Sequence[Expression]) -> Expression:
    # By object, not by equality: True and 1 are equal, and not the same constant.
    same = all(new is old for new, old in zip(parts, expression.parts, strict=True))
    if same or not isinstance(expression, Apply | Decide):
        return expression
    return replace(expression, parts=tuple(parts))


# Evaluation.


class Absent:
    """What is in the slot of a variable that has no value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()

SPENT = 0
"""The slot of an environment in which effort is added up."""

Environment = list[Any]
"""Values and `ABSENT`, but for the plain int in the slot `SPENT`: told apart by the slot, not by the type."""
Evaluation = Callable[[Environment], Value]
Slots = Mapping[str, int]

_SMALL = 1 << 62

_ARITHMETIC: dict[object, Callable[[int, int], int]] = {
    BINARY["Add"]: operator.add,
    BINARY["Sub"]: operator.sub,
    BINARY["Mult"]: operator.mul,
}
_COMPARISON: dict[object, Callable[[int, int], bool]] = {
    COMPARE["Eq"]: operator.eq,
    COMPARE["NotEq"]: operator.ne,
    COMPARE["Lt"]: operator.lt,
    COMPARE["LtE"]: operator.le,
    COMPARE["Gt"]: operator.gt,
    COMPARE["GtE"]: operator.ge,
}
"""Operations that are Python's own on two ints that are not bools (sums and products: if the result is small)."""


def evaluation(expression: Expression, slots: Slots) -> Evaluation:
    """A function that evaluates the expression in an environment; Problem, placed, if it has no value there."""
    if isinstance(expression, Constant):
        value = expression.value
        return lambda _: value  # type: ignore[return-value]  # None only ever reaches slice_of, which expects it
    if isinstance(expression, Variable):
        return _variable(expression, slots)
    if isinstance(expression, Decide):
        return _decision(expression, slots)
    if expression.function in _ARITHMETIC or expression.function in _COMPARISON:
        return _of_integers(expression, slots)
    return _application(expression, slots)


def constant_value(expression: Expression) -> Value:
    """The value of an expression without variables."""
    return evaluation(expression, {})([0])


def _variable(variable: Variable, slots: Slots) -> Evaluation:
    slot = slots[variable.name]

    def read(environment: Environment) -> Value:
        value = environment[slot]
        if value is ABSENT:
            raise variable.missing()
        return value  # type: ignore[no-any-return]  # see `Environment`

    return read


def _decision(expression: Decide, slots: Slots) -> Evaluation:
    *tests, last = (evaluation(part, slots) for part in expression.parts)
    if expression.how == "if":
        test, then = tests

        def chosen(environment: Environment) -> Value:
            return then(environment) if truth(test(environment)) else last(environment)

        return chosen
    deciding = expression.how == "or"

    def first(environment: Environment) -> Value:
        for part in tests:
            value = part(environment)
            if truth(value) is deciding:
                return value
        return last(environment)

    return first


def _applied(expression: Apply) -> Callable[[Environment, Sequence[Value]], Value]:
    """The operation on values: effort is noted, and what goes wrong is placed."""
    function, place, quick = expression.function, expression.place, expression.quick

    def apply(environment: Environment, arguments: Sequence[Value]) -> Value:
        if not quick:
            for argument in arguments:
                if type(argument) is not int:
                    environment[SPENT] += effort(argument)
        try:
            return function(*arguments)
        except Problem as problem:
            raise problem.at(place) from None

    return apply


def _application(expression: Apply, slots: Slots) -> Evaluation:
    apply = _applied(expression)
    parts = [evaluation(part, slots) for part in expression.parts]
    if len(parts) == 1:
        (part,) = parts
        return lambda environment: apply(environment, (part(environment),))
    return lambda environment: apply(environment, [part(environment) for part in parts])


def _of_integers(expression: Apply, slots: Slots) -> Evaluation:
    apply = _applied(expression)
    left, right = (evaluation(part, slots) for part in expression.parts)
    total, compared = _ARITHMETIC.get(expression.function), _COMPARISON.get(expression.function)

    def arithmetic(environment: Environment) -> Value:
        a, b = left(environment), right(environment)
        if type(a) is int and type(b) is int:
            result = total(a, b)  # type: ignore[misc]  # one of the two is there
            if -_SMALL < result < _SMALL:
                return result
        return apply(environment, (a, b))

    def comparison(environment: Environment) -> Value:
        a, b = left(environment), right(environment)
        if type(a) is int and type(b) is int:
            return compared(a, b)  # type: ignore[misc]
        return apply(environment, (a, b))

    return comparison if total is None else arithmetic


def baked(expression: Expression, environment: Environment, unknown: frozenset[int], slots: Slots) -> Expression:
    """The expression with every part that reads no ``unknown`` slot replaced by its value, if it has one.

    A part that has none stays as it is: it goes wrong only if it is evaluated.
    """
    if isinstance(expression, Variable):
        slot = slots[expression.name]
        return expression if slot in unknown or environment[slot] is ABSENT else Constant(environment[slot])
    parts = [baked(part, environment, unknown, slots) for part in expression.parts]
    found = _with_parts(expression, parts)
    if isinstance(found, Constant) or not all(isinstance(part, Constant) for part in parts):
        return found
    try:
        return Constant(constant_value(found))
    except Problem:
        return found
