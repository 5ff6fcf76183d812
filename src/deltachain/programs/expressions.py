"""Checked expressions: what is left of Python's syntax once draws and calls of helpers have been taken out.

An expression is a constant, a variable, an operation applied to expressions, or one of the three that do not
evaluate all their parts: ``and``, ``or`` and the conditional. Evaluating one is deterministic, has no effect,
and ends; what goes wrong is a `Problem` with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from .operations import truth
from .problems import Place, Problem
from .values import Value, effort


class Environment(dict[str, Value]):
    """The values of the variables at one moment of a run; a variable that is missing is not assigned yet.

    ``spent`` adds up the effort of the operations on them, for whoever keeps a budget.
    """

    __slots__ = ("spent",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self.spent = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """A value, or None where a slice leaves a bound out."""

    value: Value | None

    @property
    def parts(self) -> tuple[Expression, ...]:
        """Its operands: none."""
        return ()

    def evaluate(self, environment: Environment) -> Value:  # noqa: ARG002  (one signature for all expressions)
        """The value."""
        return self.value  # type: ignore[return-value]  # None only ever reaches slice_of, which expects it

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:  # noqa: ARG002
        """Itself."""
        return self


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

    def evaluate(self, environment: Environment) -> Value:
        """Its value; Problem if it has none yet."""
        try:
            return environment[self.name]
        except KeyError:
            own = self.name.rpartition(".")[2]  # without the call that a helper's variable belongs to
            if self.shown:
                raise Problem(
                    f"{self.shown} ended without returning a value", "return one on every path", self.place
                ) from None
            raise Problem(f"{own!r} has no value here", "assign it on every path that leads here", self.place) from None

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:  # noqa: ARG002
        """Itself."""
        return self


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on the values of all its parts."""

    function: Callable[..., Value]
    parts: tuple[Expression, ...]
    place: Place
    quick: bool = False
    """Whether it takes one step however long its arguments are, as the turns of a loop do."""

    def evaluate(self, environment: Environment) -> Value:
        """The operation's value; Problem, placed here, if it has none."""
        arguments = [part.evaluate(environment) for part in self.parts]
        if not self.quick:
            environment.spent += sum(effort(a) for a in arguments if not isinstance(a, int))
        try:
            return self.function(*arguments)
        except Problem as problem:
            raise problem.at(self.place) from None

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:
        """The same operation on other parts."""
        return replace(self, parts=parts)


@dataclass(frozen=True, slots=True)
class Both:
    """``a and b and …``: the first that is false, else the last."""

    parts: tuple[Expression, ...]

    def evaluate(self, environment: Environment) -> Value:
        """Python's ``and``, parts after the deciding one left alone."""
        *tests, last = self.parts
        for part in tests:
            value = part.evaluate(environment)
            if not truth(value):
                return value
        return last.evaluate(environment)

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:
        """The conjunction of other parts."""
        return Both(parts)


@dataclass(frozen=True, slots=True)
class Either:
    """``a or b or …``: the first that is true, else the last."""

    parts: tuple[Expression, ...]

    def evaluate(self, environment: Environment) -> Value:
        """Python's ``or``, parts after the deciding one left alone."""
        *tests, last = self.parts
        for part in tests:
            value = part.evaluate(environment)
            if truth(value):
                return value
        return last.evaluate(environment)

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:
        """The disjunction of other parts."""
        return Either(parts)


@dataclass(frozen=True, slots=True)
class Conditional:
    """``a if test else b``; its parts are test, a, b."""

    parts: tuple[Expression, ...]

    def evaluate(self, environment: Environment) -> Value:
        """The chosen branch's value; the other is left alone."""
        test, then, otherwise = self.parts
        return (then if truth(test.evaluate(environment)) else otherwise).evaluate(environment)

    def with_parts(self, parts: tuple[Expression, ...]) -> Expression:
        """The conditional of other parts."""
        return Conditional(parts)


Expression = Constant | Variable | Apply | Both | Either | Conditional


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
    parts = expression.parts
    changed = tuple(rewritten(part, change) for part in parts)
    # By object, not by equality: True and 1 are equal, and not the same constant.
    same = all(new is old for new, old in zip(changed, parts, strict=True))
    return expression if same else expression.with_parts(changed)
