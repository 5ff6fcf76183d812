"""Exact numbers made from e^q: rational functions of one X = e^(1/k), with rational coefficients.

X is transcendental (Lindemann), so that a polynomial in X with rational coefficients is 0 only if all its coefficients
are: equality is decided by coefficients, and every other sign by enclosing X closely enough. So sums, products and
quotients of exponentials of rationals can be compared exactly, ties included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from flint import arb, ctx, fmpq, fmpz_poly

from ..cancel import spend
from ..errors import InputError
from .ball import ends, scaled_ends
from .fraction import LONGEST_FORMULA, format_fraction, parse_fraction

MOST_DEGREE = 20_000
"""The largest exponent of X in a numerator or denominator."""
MOST_BITS = 1 << 20
"""The precision at which a sign is given up on: no honest number comes near it."""

Rational = int | Fraction


@lru_cache(maxsize=64)
def _base(k: int, bits: int) -> arb:
    """e^(1/k) as a ball."""
    with ctx.workprec(bits):
        return arb(fmpq(1, k)).exp()


@dataclass(frozen=True, eq=False)
class Exponential:
    """top(X) / bottom(X) for X = e^(1/k); coprime integer polynomials, the leading coefficient of bottom positive.

    Made by `exp_of`, `as_exponential` and arithmetic; k is the least that will do.

    >>> third = exp_of(Fraction(-1, 3))
    >>> third**3 * exp_of(Fraction(1)) == 1, third < 1, (1 - third) / (1 + third) + third > Fraction(7, 10)
    (True, True, True)
    """

    k: int
    top: fmpz_poly
    bottom: fmpz_poly

    # Arithmetic. Whole numbers and Fractions may stand on either side.

    def __add__(self, other: Exponential | Rational) -> Exponential:
        number = as_exponential(other)
        if not number.top or not self.top:
            return self if self.top else number
        k, (a, b), (c, d) = _align(self, number)
        return function_of(k, a + c, b) if b == d else function_of(k, a * d + c * b, b * d)

    def __mul__(self, other: Exponential | Rational) -> Exponential:
        number = as_exponential(other)
        if not number.top or not self.top:
            return number if self.top else self
        k, (a, b), (c, d) = _align(self, number)
        return function_of(k, a * c, b * d)

    def __truediv__(self, other: Exponential | Rational) -> Exponential:
        k, (a, b), (c, d) = _align(self, as_exponential(other))
        if not c:
            raise ZeroDivisionError("a number divided by 0")
        return function_of(k, a * d, b * c)

    def __pow__(self, power: int) -> Exponential:
        if power < 0:
            return 1 / self**-power
        return function_of(self.k, self.top**power, self.bottom**power)

    def __neg__(self) -> Exponential:
        return Exponential(self.k, -self.top, self.bottom)

    def __sub__(self, other: Exponential | Rational) -> Exponential:
        return self + -as_exponential(other)

    def __rsub__(self, other: Rational) -> Exponential:
        return as_exponential(other) - self

    def __rtruediv__(self, other: Rational) -> Exponential:
        return as_exponential(other) / self

    __radd__, __rmul__ = __add__, __mul__

    # Comparison.

    @cached_property
    def sign(self) -> int:
        """−1, 0 or 1."""
        return sign_at(self.k, self.top) * sign_at(self.k, self.bottom) if self.top else 0

    def __bool__(self) -> bool:
        return bool(self.top)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Exponential):
            return self._key == other._key
        return isinstance(other, int | Fraction) and self._key == as_exponential(other)._key

    def __lt__(self, other: Exponential | Rational) -> bool:
        return (self - other).sign < 0

    def __le__(self, other: Exponential | Rational) -> bool:
        return (self - other).sign <= 0

    def __gt__(self, other: Exponential | Rational) -> bool:
        return (self - other).sign > 0

    def __ge__(self, other: Exponential | Rational) -> bool:
        return (self - other).sign >= 0

    def __hash__(self) -> int:
        # What equals a Fraction must have its hash.
        return hash(self.rational) if self.rational is not None else hash(self._key)

    @cached_property
    def _key(self) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        return self.k, coefficients(self.top), coefficients(self.bottom)

    # Other forms.

    @property
    def rational(self) -> Fraction | None:
        """The number as a Fraction, if it is one."""
        if self.top.degree() > 0 or self.bottom.degree() > 0:
            return None
        return Fraction(int(self.top[0]), int(self.bottom[0]))

    @property
    def power(self) -> Fraction | None:
        """q, if the number is e^q."""
        for sign, one, other in ((1, self.top, self.bottom), (-1, self.bottom, self.top)):
            if other == 1 and one == fmpz_poly([0] * one.degree() + [1]):
                return Fraction(sign * one.degree(), self.k)
        return None

    def enclose(self, bits: int) -> tuple[Fraction, Fraction]:
        """Ends around the number, low ≤ it ≤ high, with high − low ≤ 2^-bits · max(1, |high|)."""
        precision = bits + 32
        while precision <= MOST_BITS:
            with ctx.workprec(precision):
                ball = self.top(_base(self.k, precision)) / self.bottom(_base(self.k, precision))
                if ball.is_finite():
                    low, high = ends(ball)
                    if (high - low) * 2**bits <= max(Fraction(1), abs(high)):
                        return low, high
            precision *= 2
        raise InputError(f"a number that {MOST_BITS} bits do not enclose")

    def __float__(self) -> float:
        return float(self.enclose(60)[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_coefficients, self._key

    def __repr__(self) -> str:
        return f"Exponential({self})"

    def __str__(self) -> str:
        """The number as text that `read_exponential` reads; p/q where it is rational."""
        if self.rational is not None:
            return format_fraction(self.rational)
        turn = -1 if sign_at(self.k, self.bottom) < 0 else 1  # 1/(8-exp(2)), not (-1)/(-8+exp(2))
        top, bottom = (_write(turn * polynomial, self.k) for polynomial in (self.top, self.bottom))
        if bottom == "1":
            return top
        return f"{_bracket(top)}/{_bracket(bottom, of='+-*/')}"


def _from_coefficients(k: int, top: tuple[int, ...], bottom: tuple[int, ...]) -> Exponential:
    return Exponential(k, fmpz_poly(list(top)), fmpz_poly(list(bottom)))


def sign_at(k: int, polynomial: fmpz_poly) -> int:
    """The sign of a polynomial at X = e^(1/k): zero by coefficients, the others by enclosures, as close as it takes.

    >>> sign_at(1, fmpz_poly([-4, 1])), sign_at(1, fmpz_poly([-2, 1])), sign_at(1, fmpz_poly([]))
    (-1, 1, 0)
    """
    if polynomial.degree() <= 0:
        constant = int(polynomial[0])
        return (constant > 0) - (constant < 0)
    bits = 128
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            value = polynomial(_base(k, bits))
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
        bits *= 2
    raise InputError(f"a number so close to 0 that {MOST_BITS} bits do not tell its sign")


def exp_of(value: Fraction) -> Exponential:
    """e^value."""
    _check_degree(abs(value.numerator))
    power = fmpz_poly([0] * abs(value.numerator) + [1])
    one = fmpz_poly([1])
    return function_of(value.denominator, power, one) if value >= 0 else function_of(value.denominator, one, power)


def as_exponential(value: Exponential | Rational) -> Exponential:
    """The number, as one of these."""
    if isinstance(value, Exponential):
        return value
    whole = Fraction(value)
    return Exponential(1, fmpz_poly([whole.numerator]), fmpz_poly([whole.denominator]))


def coefficients(polynomial: fmpz_poly) -> tuple[int, ...]:
    """The coefficients, that of X^0 first."""
    return tuple(map(int, polynomial.coeffs()))


def common_base(numbers: Iterable[Exponential]) -> int:
    """The least k for which all numbers are rational functions of e^(1/k)."""
    return math.lcm(*(number.k for number in numbers), 1)


def polynomials(number: Exponential, k: int) -> tuple[fmpz_poly, fmpz_poly]:
    """Numerator and denominator in e^(1/k), for a multiple k of the number's own."""
    return _stretch(number.top, k // number.k), _stretch(number.bottom, k // number.k)


def _align(a: Exponential, b: Exponential) -> tuple[int, tuple[fmpz_poly, fmpz_poly], tuple[fmpz_poly, fmpz_poly]]:
    """Both over one X: its k, and their numerators and denominators."""
    if a.k == b.k:
        return a.k, (a.top, a.bottom), (b.top, b.bottom)
    k = math.lcm(a.k, b.k)
    return k, polynomials(a, k), polynomials(b, k)


def _check_degree(degree: int) -> None:
    if degree > MOST_DEGREE:
        raise InputError(f"an exponential of degree {degree}: at most {MOST_DEGREE}, counted in e^(1/k)")


def _stretch(polynomial: fmpz_poly, factor: int) -> fmpz_poly:
    """p(X^factor)."""
    if factor == 1 or polynomial.degree() <= 0:
        return polynomial
    _check_degree(polynomial.degree() * factor)
    return polynomial.inflate(factor)


def over_one_denominator(numbers: Sequence[Exponential]) -> tuple[int, list[fmpz_poly], fmpz_poly]:
    """Exact numbers over one denominator: k of their e^(1/k), their numerators, and the denominator."""
    k = common_base(numbers)
    pairs = [polynomials(number, k) for number in numbers]
    common = least_multiple(bottom for _, bottom in pairs)
    return k, [top * (common // bottom) for top, bottom in pairs], common


def least_multiple(polynomials: Iterable[fmpz_poly]) -> fmpz_poly:
    """A least common multiple; its sign at a point is any.

    >>> least_multiple([fmpz_poly([-1, 0, 1]), fmpz_poly([1, 1]), fmpz_poly([2])])
    2*x^2 + (-2)
    """
    one = found = fmpz_poly([1])
    for each in polynomials:
        if each not in (one, found):
            found = found * (each // found.gcd(each))
    return found


def quotient_ends(k: int, tops: Sequence[fmpz_poly], bottom: fmpz_poly, bits: int) -> list[tuple[int, int]]:
    """2^bits·top/bottom at e^(1/k), each between two whole numbers that are at most two apart; quotients are in [0, 1].

    >>> quotient_ends(1, [fmpz_poly([1])], fmpz_poly([0, 1]), 10)
    [(376, 377)]
    """
    longest = max(max((top.degree() for top in tops), default=0), bottom.degree(), 0)
    # The values of polynomials lose what their largest terms and the value of the bottom are apart.
    precision = bits + 64 + 2 * longest // k + max(top.height_bits() for top in (*tops, bottom))
    found: list[tuple[int, int]] = []
    while True:
        with ctx.workprec(precision):
            base = _base(k, precision)
            divisor = bottom(base)
            found = []
            for top in tops:
                ball = top(base) / divisor
                # Not finite: at this precision the value of the bottom may be 0.
                if not ball.is_finite():
                    break
                low, high = scaled_ends(ball, bits)
                if high - low > 2:
                    break
                found.append((low, high))
        if len(found) == len(tops):
            return found
        precision *= 2


def function_of(k: int, top: fmpz_poly, bottom: fmpz_poly) -> Exponential:
    """The number in lowest terms, over the least k."""
    if not top:
        return Exponential(1, fmpz_poly([0]), fmpz_poly([1]))
    spend(50 + 10 * (top.degree() + bottom.degree()))
    if bottom != 1:
        common = top.gcd(bottom)
        if common != 1:
            top, bottom = top // common, bottom // common
        if bottom[bottom.degree()] < 0:
            top, bottom = -top, -bottom
    _check_degree(max(top.degree(), bottom.degree()))
    if k == 1:
        return Exponential(1, top, bottom)
    exponents = [i for polynomial in (top, bottom) for i, c in enumerate(polynomial.coeffs()) if c]
    # Only every ``shared``-th power of X occurs: the same number in a coarser X. The least k makes equality one of
    # coefficients.
    shared = math.gcd(k, *exponents)
    if shared > 1:
        top, bottom = (fmpz_poly(polynomial.coeffs()[::shared]) for polynomial in (top, bottom))
    return Exponential(k // shared, top, bottom)


def _bracket(text: str, of: str = "+-") -> str:
    """The text, in parentheses if it is a sum (or whatever the signs are of) that would be read otherwise."""
    inside = re.sub(r"exp\([^)]*\)", "", text)
    return f"({text})" if any(sign in inside for sign in of) else text


def _write(polynomial: fmpz_poly, k: int) -> str:
    """A polynomial in e^(1/k) as text."""
    terms = []
    for power, coefficient in enumerate(polynomial.coeffs()):
        if coefficient:
            number = int(coefficient)
            exponential = f"exp({Fraction(power, k)})" if power else ""
            size = "" if abs(number) == 1 and power else format_fraction(abs(number))
            times = "*" if size and exponential else ""
            terms.append(("-" if number < 0 else "+") + size + times + exponential)
    return "".join(terms).removeprefix("+") or "0"


# Text


DEEPEST = 50
"""Nested parentheses of a formula at most."""
_TOKEN = re.compile(r"\s*(?:(exp)\b|([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|([-+*/^()]))")


def read_exponential(text: str) -> Exponential:
    """The exact number that a formula stands for: numbers, + − * / ^, parentheses, and exp of a rational.

    Raises InputError with the place of what cannot be read; nothing is evaluated but these.

    >>> read_exponential("exp(-1/10) / (1 + exp(-1/10))") == exp_of(Fraction(-1, 10)) / (1 + exp_of(Fraction(-1, 10)))
    True
    >>> read_exponential("2^-3 * 0.5") == Fraction(1, 16)
    True
    """
    return _Formula(text).read()


class _Formula:
    """A reader by recursive descent: sum, product, sign, power, atom."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_FORMULA:
            raise InputError(f"a formula of {len(text)} characters: at most {LONGEST_FORMULA}")
        self.text, self.tokens, at = text, [], 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise InputError(f"{text[:60]!r}: cannot read {text[at:].strip()[:10]!r} (numbers, + - * / ^ and exp)")
            self.tokens.append(match[match.lastindex or 0])
            at = match.end()
        self.at = self.depth = 0

    def read(self) -> Exponential:
        """The whole formula."""
        found = self._sum()
        if self.at < len(self.tokens):
            self._refuse(f"{self.tokens[self.at]!r} is left over")
        return found

    def _refuse(self, why: str) -> NoReturn:
        raise InputError(f"{self.text[:60]!r}: {why}")

    def _take(self, *wanted: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def _sum(self) -> Exponential:
        self.depth += 1
        if self.depth > DEEPEST:
            self._refuse(f"more than {DEEPEST} nested parentheses")
        found = self._product()
        while (sign := self._take("+", "-")) is not None:
            other = self._product()
            found = found + other if sign == "+" else found - other
        self.depth -= 1
        return found

    def _product(self) -> Exponential:
        found = self._sign()
        while (sign := self._take("*", "/")) is not None:
            other = self._sign()
            if sign == "/" and not other:
                self._refuse("division by 0")
            found = found * other if sign == "*" else found / other
        return found

    def _sign(self) -> Exponential:
        # A sign binds less than a power: −2^2 is −4.
        negative = False
        while (sign := self._take("+", "-")) is not None:
            negative ^= sign == "-"
        found = self._power()
        return -found if negative else found

    def _power(self) -> Exponential:
        found = self._atom()
        if self._take("^") is None:
            return found
        sign = -1 if self._take("-") else 1
        power = self._atom().rational
        if power is None or power.denominator != 1 or power > MOST_DEGREE:
            self._refuse(f"a power that is not a whole number up to {MOST_DEGREE}")
        if sign < 0 and not found:
            self._refuse("division by 0")
        return found ** (sign * power.numerator)

    def _atom(self) -> Exponential:
        if self._take("exp") is not None:
            if self._take("(") is None:
                self._refuse("exp needs parentheses")
            value = self._sum().rational
            self._close()
            if value is None:
                self._refuse("exp of something that is not rational")
            return exp_of(value)
        if self._take("(") is not None:
            found = self._sum()
            self._close()
            return found
        if self.at == len(self.tokens) or not self.tokens[self.at][0].isdigit():
            self._refuse(
                "it ends too early" if self.at == len(self.tokens) else f"{self.tokens[self.at]!r} is misplaced"
            )
        self.at += 1
        try:
            return as_exponential(parse_fraction(self.tokens[self.at - 1]))
        except ValueError as reason:
            self._refuse(str(reason))

    def _close(self) -> None:
        if self._take(")") is None:
            self._refuse("a parenthesis is not closed")
