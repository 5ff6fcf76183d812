"""Rational functions of a parameter u, and the sign of a polynomial on an interval; part of the trusted base.

On [a, b] a polynomial p of degree n lies between the least and the largest of its Bernstein coefficients, which are
those of (1+z)^n · p((a + bz)/(1+z)) over binomials. If none of these is negative, neither is p; and p > 0
between a and b unless all are 0. Where they do not tell, the interval is halved.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from .functions import (
    TOKEN,
    UNIT,
    FormulaReader,
    Polynomial,
    bits,
    digits,
    limited,
    plus,
    power,
    reduced,
    times,
    trimmed,
)
from .meter import spend
from .read import need, number

DEEPEST, MOST_CELLS = 400, 4_000
"""How often an interval is halved at most, and into how many parts, until the coefficients tell a sign."""


# Polynomials and their signs


def negative(p: Polynomial) -> Polynomial:
    """−p."""
    return tuple([-c for c in p])


def minus(p: Polynomial, q: Polynomial) -> Polynomial:
    """The difference."""
    return plus(p, negative(q))


def derivative(p: Polynomial) -> Polynomial:
    """The derivative."""
    return tuple([k * c for k, c in enumerate(p)][1:])


def on_unit(p: Polynomial, low: Fraction, high: Fraction) -> list[int]:
    """The coefficients of p(low + (high − low)t), times a positive number."""
    common = low.denominator * high.denominator
    start, width = int(low * common), int((high - low) * common)
    spend(len(p) * (len(p) + 20) * (2 + (bits(p) + len(p) * common.bit_length()) // 200))
    found: list[int] = []
    scale = 1
    for c in reversed(p):  # Horner: found·(start + width·t) + c·common^k
        found = [start * a + width * b for a, b in zip([*found, 0], [0, *found], strict=True)]
        found[0] += c * scale
        scale *= common
    return found


def by_one(coefficients: list[int]) -> list[int]:
    """The coefficients of q(1 + t): synthetic division by t − 1, again and again."""
    spend(len(coefficients) ** 2 // 4 * (1 + max(map(int.bit_length, coefficients)) // 500))
    rest, found = coefficients[::-1], []
    while rest:
        rest = [*accumulate(rest)]
        found.append(rest.pop())
    return found


def holds(
    p: Polynomial, low: Fraction, high: Fraction, strict: bool = False, outer: tuple[bool, bool] = (False,) * 2
) -> bool:
    """Whether the coefficients show p ≥ 0 on [low, high]; strictly: p > 0 there, but for ends that are ``outer``."""
    if not p:
        return not strict
    stack = [(on_unit(p, low, high), *outer, 0)]
    cells = 0
    while stack:
        q, left, right, depth = stack.pop()
        cells += 1
        found = by_one(q[::-1])  # backwards, those of (1+z)^n q(z/(1+z)): the last is q(0), the first q(1)
        if min(found) >= 0:
            if strict and not (any(found) and (found[-1] > 0 or left) and (found[0] > 0 or right)):
                return False
            continue
        beyond = found[-1] < 0 or found[0] < 0 or depth == DEEPEST or cells > MOST_CELLS
        if beyond or (strict and ((found[-1] == 0 and not left) or (found[0] == 0 and not right))):
            return False
        n = len(q) - 1
        first = [c << (n - k) for k, c in enumerate(q)]
        stack += ((first, left, False, depth + 1), (by_one(first), False, right, depth + 1))
    return True


def without_squares(p: Polynomial) -> Polynomial:
    """A polynomial h with p = g²h for some g, multiplied out: p ≥ 0 wherever h ≥ 0."""
    if len(p) <= 2:
        return p
    b, c, _ = reduced(p, derivative(p))
    root, multiplicity = UNIT, 0
    while len(b) > 1:  # Yun: the factors of p of multiplicity 1, 2, …
        multiplicity += 1
        d = minus(c, derivative(b))
        if d:
            b, c, factor = reduced(b, d)
        else:
            b, factor = UNIT, b
        root = times(root, power(factor, multiplicity // 2))
    square = times(root, root)
    rest, left, _ = reduced(p, square)
    if left not in (UNIT, (-1,)):
        return p
    rest = rest if left == UNIT else negative(rest)
    return rest if times(rest, square) == p else p


def total(parts: Any) -> Polynomial:
    """The sum of polynomials."""
    found: Polynomial = ()
    for p in parts:
        found = plus(found, p)
    return found


def primitive(p: Polynomial) -> Polynomial:
    """Divided by the positive greatest common divisor of its coefficients."""
    content = math.gcd(*p)
    return p if content <= 1 else tuple([c // content for c in p])


# Rational functions


@dataclass(frozen=True)
class OpenNumber:
    """top(u)/bottom(u), in lowest terms as far as `reduced` finds them; the leading coefficient of bottom is positive.

    Numbers of this kind are added, multiplied and told apart; what is larger is asked of an interval (`Family`).
    """

    top: Polynomial
    bottom: Polynomial = UNIT

    @classmethod
    def of(cls, top: Polynomial, bottom: Polynomial = UNIT) -> OpenNumber:
        """In lowest terms."""
        need(bottom, "number", "a denominator that is not zero")
        if not top:
            return cls(())
        for p in (top, bottom):
            limited(len(p), bits(p))
        top, bottom, _ = reduced(top, bottom)
        return cls(negative(top), negative(bottom)) if bottom[-1] < 0 else cls(top, bottom)

    def __add__(self, other: Any) -> OpenNumber:
        other = open_number(other)
        if self.bottom == other.bottom:
            return OpenNumber.of(plus(self.top, other.top), self.bottom)
        mine, theirs, _ = reduced(self.bottom, other.bottom)
        top = plus(times(self.top, theirs), times(other.top, mine))
        return OpenNumber.of(top, times(self.bottom, theirs))

    def __mul__(self, other: Any) -> OpenNumber:
        other = open_number(other)
        return OpenNumber.of(times(self.top, other.top), times(self.bottom, other.bottom))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> OpenNumber:
        return OpenNumber(negative(self.top), self.bottom)

    def __sub__(self, other: Any) -> OpenNumber:
        return self + -open_number(other)

    def inverse(self) -> OpenNumber:
        """1/self."""
        need(self.top, "number", "no division by 0")
        return OpenNumber.of(self.bottom, self.top)

    def text(self, name: str) -> str:
        """As a formula."""
        top, bottom = (formula_of(p, name) for p in (self.top, self.bottom))
        top = f"({top})" if re.search(r".[-+]", top) and self.bottom != UNIT else top
        bottom = f"({bottom})" if re.search(r".[-+]|[*]", bottom) else bottom
        return top if self.bottom == UNIT else f"{top}/{bottom}"


NOTHING, ONE = OpenNumber(()), OpenNumber(UNIT)


def open_number(value: Any) -> OpenNumber:
    """Itself, or an integer or Fraction as a constant."""
    if isinstance(value, OpenNumber):
        return value
    return OpenNumber(trimmed((value.numerator,)), (value.denominator,))


def formula_of(p: Polynomial, name: str) -> str:
    """The polynomial as a formula."""
    terms = []
    for i, c in reversed([*enumerate(p)]):
        factor = "" if i == 0 else name if i == 1 else f"{name}^{i}"
        size = "" if abs(c) == 1 and i else digits(abs(c)) + "*" * (i > 0)
        terms += [("-" if c < 0 else "+") + size + factor] if c else []
    return "".join(terms).removeprefix("+") or "0"


class OpenFormula(FormulaReader):
    """A formula in the parameter: every number is an `OpenNumber`; exp is refused."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        super().__init__(text, re.compile(TOKEN.pattern.replace("(exp", rf"({re.escape(name)}(?!\w)|exp", 1)))

    def _atom(self) -> Any:
        need(self._take("exp") is None, "number", "no exp beside a parameter", self.shown)
        if self._take(self.name) is not None:
            return OpenNumber((0, 1))
        return open_number(super()._atom())

    def _rational(self, found: Any) -> Fraction | None:
        constant = len(found.top) <= 1 and len(found.bottom) == 1
        return Fraction(sum(found.top), found.bottom[0]) if constant else None

    def _inverse(self, found: Any) -> Any:
        return found.inverse()

    def _raised(self, found: Any, exponent: int) -> Any:
        return OpenNumber.of(power(found.top, exponent), power(found.bottom, exponent))


def read_open(value: Any) -> OpenNumber:
    """A number of a certificate: an integer, text "p/q", or two lists of integers, coefficients in powers of u."""
    if not isinstance(value, list):
        return open_number(number(value))
    need(len(value) == 2 and all(isinstance(part, list) for part in value), "number", "two lists of coefficients")
    return OpenNumber.of(*map(read_polynomial, value))


def read_polynomial(value: Any) -> Polynomial:
    """A list of integers, the coefficient of u^0 first; or one integer."""
    entries = value if isinstance(value, list) else [value]
    limited(len(entries), 0)  # before so many are read
    found = [number(c) for c in entries]
    need(all(c.denominator == 1 for c in found), "number", "whole coefficients")
    return trimmed(c.numerator for c in found)
