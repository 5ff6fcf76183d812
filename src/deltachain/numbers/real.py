"""Irrational numbers: exact where they are made from e^q, and balls around them otherwise.

exp of a rational, and what sums, products and quotients make of it, is a rational function of one e^(1/k) and exact
(`exponential`). ln, √, e to a power that is not rational, and exponents too long for polynomials are only enclosed:
by a ball of `BALL_BITS` bits, beside the formula that says which number it is. Two numbers with the same formula are
the same; whether two with different formulas are is unknown. How a number was made is kept, so that `ball_at` can
enclose it again, as closely as is needed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, ctx, fmpq

from ..errors import InputError
from .ball import Irrational, scaled_ends, written_out
from .ball import ends as all_ends
from .exponential import Exponential, as_exponential, exp_of
from .fraction import as_typed, format_fraction
from .precision import BALL_BITS

MOST_POWER = 4096
"""The largest power in plain code, as in programs."""
MOST_TEXT = 2000
"""The longest formula, in characters."""

ExactReal = int | Fraction | Irrational


@dataclass(frozen=True, eq=False)
class Real(Irrational):
    """An irrational number: exact, or a ball with a formula; made by the functions of this module."""

    text: str
    """The formula, in the words of programs."""
    exact: Exponential | None
    enclosure: arb | None = None
    logarithm_of: Fraction | None = None
    """q, if the number is ln q: e to its power is q again."""
    made_by: str = ""
    """The operation that made it, where it is only enclosed."""
    made_of: tuple[ExactReal, ...] = ()
    """What that operation was applied to."""

    @property
    def key(self) -> Hashable:
        """What two numbers share only if they are the same."""
        return self.text if self.exact is None else self.exact

    @property
    def ball(self) -> arb:
        """A ball around it."""
        if self.enclosure is None:
            return _evaluate(self.exact or as_exponential(0))
        return self.enclosure

    def __eq__(self, other: object) -> bool:
        """Whether both are known to be one number: numbers that are only enclosed, by their formulas."""
        return isinstance(other, Real) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.text

    # Arithmetic, for plain code; programs have operations of their own, which come to the same.

    def __add__(self, other: ExactReal | float) -> ExactReal:
        return _operate("+", self, other)

    def __radd__(self, other: ExactReal | float) -> ExactReal:
        return _operate("+", other, self)

    def __sub__(self, other: ExactReal | float) -> ExactReal:
        return _operate("-", self, other)

    def __rsub__(self, other: ExactReal | float) -> ExactReal:
        return _operate("-", other, self)

    def __mul__(self, other: ExactReal | float) -> ExactReal:
        return _operate("*", self, other)

    def __rmul__(self, other: ExactReal | float) -> ExactReal:
        return _operate("*", other, self)

    def __truediv__(self, other: ExactReal | float) -> ExactReal:
        return _operate("/", self, other)

    def __rtruediv__(self, other: ExactReal | float) -> ExactReal:
        return _operate("/", other, self)

    def __pow__(self, exponent: int) -> ExactReal:
        if type(exponent) is not int:
            return NotImplemented
        if abs(exponent) > MOST_POWER:
            raise ValueError(f"{self.text[:60]} to the power {exponent}: the limit is {MOST_POWER}")
        return power(self, exponent)

    def __neg__(self) -> ExactReal:
        return combine("-", 0, self)

    def __pos__(self) -> ExactReal:
        return self


def _operate(symbol: str, left: ExactReal | float, right: ExactReal | float) -> ExactReal:
    """`combine`, if both are numbers; a float is the decimal that was typed."""
    both = [as_typed(value) if isinstance(value, float) else value for value in (left, right)]
    known = all(isinstance(value, int | Fraction | Real) and not isinstance(value, bool) for value in both)
    return combine(symbol, *both) if known else NotImplemented


def ball_at(value: ExactReal, bits: int) -> arb:
    """A ball around the number, computed anew with ``bits`` bits: the more, the narrower, without end."""
    with ctx.workprec(bits):
        return _again(value)


def _again(value: ExactReal) -> arb:
    if not isinstance(value, Real):
        return _of_fraction(value)  # type: ignore[arg-type]  # every irrational is a Real
    if value.exact is not None:
        base = _of_fraction(Fraction(1, value.exact.k)).exp()
        return value.exact.top(base) / value.exact.bottom(base)
    return _apply(value.made_by, value.made_of, _again)


def _apply(made_by: str, made_of: tuple[ExactReal, ...], ball: Callable[[ExactReal], arb]) -> arb:
    """What an operation makes of its operands, each enclosed by ``ball``."""
    if made_by == "**":
        return ball(made_of[0]) ** made_of[1]  # type: ignore[operator]  # the exponent is an int
    return FUNCTIONS[made_by](*map(ball, made_of))


def _evaluate(number: Exponential) -> arb:
    with ctx.workprec(BALL_BITS):
        low, high = number.enclose(BALL_BITS - 32)
        return _of_fraction(low).union(_of_fraction(high))


def _of_fraction(value: int | Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def ball_of(value: ExactReal) -> arb:
    """A ball around any number."""
    if isinstance(value, Real):
        return value.ball
    with ctx.workprec(BALL_BITS):
        return _of_fraction(value)  # type: ignore[arg-type]  # every irrational is a Real


def exact_of(value: ExactReal) -> Exponential | None:
    """The number as an exact one; None if it is only enclosed."""
    return value.exact if isinstance(value, Real) else as_exponential(value)  # type: ignore[arg-type]


def text_of(value: ExactReal) -> str:
    """The number as a program would write it."""
    return value.text if isinstance(value, Real) else format_fraction(value)  # type: ignore[arg-type]


def make_number(number: Exponential) -> ExactReal:
    """An exact number in its one form: a fraction where it is one."""
    rational, power = number.rational, number.power
    if rational is not None:
        return rational
    return Real(str(number) if power is None else f"exp({format_fraction(power)})", number)


def _enclose(text: str, made_by: str, *made_of: ExactReal, logarithm_of: Fraction | None = None) -> Real:
    """The number that an operation makes, which has no exact form."""
    with ctx.workprec(BALL_BITS):
        # From the balls of the operands, which are there already, and not anew from the whole formula.
        ball = _apply(made_by, made_of, ball_of)
    if not ball.is_finite():
        raise ValueError(f"{text[:60]} cannot be enclosed at {BALL_BITS} bits")
    if len(text) > MOST_TEXT:
        raise ValueError(f"an enclosed number whose formula is longer than {MOST_TEXT} characters")
    return Real(text, None, ball, logarithm_of, made_by, made_of)


def exp(value: ExactReal) -> ExactReal:
    """e^value: exact if value is rational and not too long."""
    if isinstance(value, Real):
        # e^(ln q) is q, exactly: what "ln 3" was given for.
        if value.logarithm_of is not None:
            return value.logarithm_of
    elif value == 0:
        return Fraction(1)
    else:
        try:
            return make_number(exp_of(Fraction(value)))  # type: ignore[arg-type]
        except InputError:
            pass  # a polynomial of too high a degree: enclosed
    return _enclose(f"exp({text_of(value)})", "exp", value)


def log(value: ExactReal) -> ExactReal:
    """The natural logarithm of a positive number: exact of 1 and of e^q; ValueError of 0 and below."""
    exact = exact_of(value)
    if exact is not None:
        if exact.sign <= 0:
            raise ValueError(f"log({text_of(value)[:60]}): only positive numbers have a logarithm")
        if exact.power is not None:
            return exact.power
    if not ball_of(value) > 0:
        raise ValueError(f"log({text_of(value)[:60]}): at {BALL_BITS} bits this is not known to be above 0")
    rational = Fraction(value) if isinstance(value, int | Fraction) else None
    return _enclose(f"log({text_of(value)})", "log", value, logarithm_of=rational)


def sqrt(value: ExactReal) -> ExactReal:
    """The square root of a number that is not negative: exact of squares and of e^q; ValueError below 0."""
    exact = exact_of(value)
    if exact is not None:
        if exact.sign < 0:
            raise ValueError(f"sqrt({text_of(value)[:60]}): a negative number has no real root")
        if exact.power is not None:
            return exp(exact.power / 2)
        rational = exact.rational
        if rational is not None:
            # In lowest terms a rational is a square only if both its parts are.
            root = Fraction(isqrt(rational.numerator), isqrt(rational.denominator))
            if root * root == rational:
                return root
    # A number that is exact has its sign already; its ball may reach below 0 all the same, and is cut off there.
    if exact is None and not ball_of(value) >= 0:
        raise ValueError(f"sqrt({text_of(value)[:60]}): at {BALL_BITS} bits this may be negative")
    return _enclose(f"sqrt({text_of(value)})", "sqrt", value)


_noted: ContextVar[list[Exponential | None] | None] = ContextVar("noted", default=None)


@contextmanager
def noting_signs() -> Iterator[list[Exponential | None]]:
    """The numbers that must be positive for what is computed within to be defined; None for one only enclosed.

    They are what draws need to be so, such as weights, the ratio of noise and what is left of it to 1, and the squares
    of divisors. Where a number stands for a parameter, all is defined wherever these stay positive.
    """
    found: list[Exponential | None] = []
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note_sign(number: Exponential | None) -> None:
    """Say that what is computed needs this number to be positive, to whoever is `noting_signs`."""
    noted = _noted.get()
    if noted is not None:
        noted.append(number)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
FUNCTIONS: dict[str, Callable[..., arb]] = {
    **OPERATIONS,
    "exp": lambda ball: ball.exp(),
    "log": lambda ball: ball.log(),
    "sqrt": lambda ball: ball.nonnegative_part().sqrt(),
}
"""Name of an operation → what it does to balls."""


def combine(symbol: str, left: ExactReal, right: ExactReal) -> ExactReal:
    """``left symbol right`` for + − · /: exact where both are; ValueError if the divisor may be 0."""
    operation, one, other = OPERATIONS[symbol], exact_of(left), exact_of(right)
    if one is not None and other is not None:
        if symbol == "/" and not other:
            raise ValueError("division by zero")
        if symbol == "/" and isinstance(right, Irrational):
            note_sign(other * other)
        try:
            return make_number(operation(one, other))
        except InputError:
            pass
    divisor = ball_of(right)
    if symbol == "/" and not (divisor > 0 or divisor < 0):
        raise ValueError(f"division by {text_of(right)[:60]}: at {BALL_BITS} bits this may be 0")
    return _enclose(f"({text_of(left)} {symbol} {text_of(right)})", symbol, left, right)


def power(base: ExactReal, exponent: int) -> ExactReal:
    """The base to a whole power."""
    exact = exact_of(base)
    if exact is not None:
        if exponent < 0:
            note_sign(exact * exact)
        try:
            return make_number(exact**exponent)
        except InputError:
            pass
    return _enclose(f"({text_of(base)})**{exponent}", "**", base, exponent)


LARGEST = 1 << 64
"""No end of a ball that is written out is larger."""


def ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The ends of a ball; ValueError if they are too large to be written out."""
    if not abs(ball) < LARGEST:
        raise ValueError(f"a number that may be above {LARGEST}")
    return all_ends(written_out(ball, BALL_BITS))


def shares(balls: Sequence[arb], bits: int) -> list[tuple[int, int]]:
    """What part each is of the sum of all, between whole numbers over 2^bits; all are positive."""
    with ctx.workprec(BALL_BITS):
        whole = sum(balls, arb(0))
        return [scaled_ends(ball / whole, bits) for ball in balls]
