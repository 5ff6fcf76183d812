"""One parameter u on an open interval (a, b), by way of a number that satisfies no equation.

u = a + (b − a)·e^(−1) lies inside, and e is transcendental: two rational functions of u that agree there agree
everywhere. So a chain is made, merged and explored *at this point*, in the field of rational functions of e that there
is already; every number of it is a rational function of u, which is read back here, and means what it says on the whole
interval wherever the chain's entries stay positive. What a program compares with u cannot be so: it is refused where it
stands, as every comparison with an irrational number is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpz_poly

from ..errors import Defect, InputError
from .bernstein import ONE, constant_sign, value_at
from .exponential import Exponential, as_exponential, read_exponential
from .field import Exact
from .fraction import as_fraction, format_fraction


@dataclass(frozen=True)
class Ratio:
    """top/bottom, integer polynomials in u without a common factor; bottom is positive on the interval."""

    top: fmpz_poly
    bottom: fmpz_poly

    @classmethod
    def of(cls, top: fmpz_poly, bottom: fmpz_poly, inside: Fraction) -> Ratio:
        """In lowest terms; ``inside`` is a point of the interval."""
        common = top.gcd(bottom)
        top, bottom = top // common, bottom // common
        # Where no pole is inside, which `positive` asks, the sign at one point is that at all.
        turn = -1 if value_at(bottom, inside) < 0 else 1
        return cls(turn * top, turn * bottom)

    def at(self, x: Fraction) -> Fraction:
        """Its value at a point of the interval."""
        return value_at(self.top, x) / value_at(self.bottom, x)

    def plus(self, other: Ratio, inside: Fraction) -> Ratio:
        """The sum."""
        top = self.top * other.bottom + other.top * self.bottom
        return Ratio.of(top, self.bottom * other.bottom, inside)

    def minus(self, other: Ratio, inside: Fraction) -> Ratio:
        """The difference."""
        return self.plus(Ratio(-other.top, other.bottom), inside)

    def times(self, other: Ratio, inside: Fraction) -> Ratio:
        """The product."""
        return Ratio.of(self.top * other.top, self.bottom * other.bottom, inside)

    @property
    def slope(self) -> fmpz_poly:
        """A polynomial with the sign of the derivative."""
        return self.top.derivative() * self.bottom - self.top * self.bottom.derivative()

    @property
    def key(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What tells it from others."""
        return tuple(map(int, self.top.coeffs())), tuple(map(int, self.bottom.coeffs()))

    def __reduce__(self) -> tuple[object, ...]:
        """By coefficients: flint's polynomials do not pickle."""
        return _ratio_of, self.key

    def text(self, name: str) -> str:
        """For people: ``(30α − 31)/(40α − 40)``."""
        top, bottom = _write(self.top, name), _write(self.bottom, name)
        if self.bottom == 1:
            return top
        # A product below the line needs brackets, too: 1/40α reads as α/40.
        simple = bottom.isdigit() or bottom == name
        return f"{f'({top})' if ' ' in top else top}/{bottom if simple else f'({bottom})'}"


def _ratio_of(top: tuple[int, ...], bottom: tuple[int, ...]) -> Ratio:
    return Ratio(fmpz_poly(list(top)), fmpz_poly(list(bottom)))


NOTHING = Ratio(fmpz_poly([]), ONE)


def _write(p: fmpz_poly, name: str) -> str:
    parts = []
    for power in range(p.degree(), -1, -1):
        c = int(p[power])
        if c:
            letter = "" if power == 0 else name if power == 1 else f"{name}^{power}"
            size = str(abs(c)) if abs(c) != 1 or not letter else ""
            parts.append(("− " if c < 0 else "+ ") + size + letter)
    if not parts:
        return "0"
    parts[0] = parts[0].removeprefix("+ ").replace("− ", "−")
    return " ".join(parts)


@dataclass(frozen=True)
class OpenParameter:
    """The open interval of a parameter."""

    name: str
    low: Fraction
    high: Fraction

    @classmethod
    def read(cls, given: str, place: str = "parameter") -> OpenParameter:
        """From ``u=0:1``."""
        name, equals, ends = (part.strip() for part in given.partition("="))
        low, colon, high = ends.partition(":")
        if not equals or not name.isidentifier() or not colon or name == "exp":
            raise InputError(Defect(place, f"{given!r} cannot be read", "write u=0:1, an open interval"))
        found = cls(name, as_fraction(low.strip(), place), as_fraction(high.strip(), place))
        if found.low >= found.high:
            raise InputError(Defect(place, f"{given!r} is empty", "A < B"))
        return found

    @property
    def middle(self) -> Fraction:
        """A point inside."""
        return (self.low + self.high) / 2

    def point(self, k: int = 1) -> str:
        """U = a + (b − a)·e^(−1/k), as a formula."""
        low, width = format_fraction(self.low), format_fraction(self.high - self.low)
        return f"({low} + ({width}) * exp(-1/{k}))"

    def formula(self, text: str, k: int = 1) -> Exponential:
        """The number that a formula in u is at the point; InputError if it cannot be read."""
        if re.search(r"\bexp\b", text):
            raise InputError(
                Defect(text[:60], "exp stands beside a parameter", f"write rational functions of {self.name}")
            )
        try:
            return read_exponential(re.sub(rf"\b{re.escape(self.name)}\b", self.point(k), text))
        except InputError as error:
            # The point stands for the parameter here alone: who wrote the formula never sees it.
            why = str(error).rpartition("': ")[2]
            why = "it cannot be read" if "cannot read" in why or "exp" in why else why
            fix = f"write numbers, {self.name}, + - * / ^ and parentheses"
            raise InputError(Defect(repr(text[:60]), why, fix)) from None

    def function(self, number: Exact, k: int = 1) -> Ratio:
        """The rational function of u that a number made at the point is."""
        found = as_exponential(number)
        if found.rational is None and k % found.k:
            raise InputError(Defect("", "an exponential stands beside the parameter", "write rational functions alone"))
        finer = k // found.k if found.rational is None else 1
        top, bottom = self.rewritten([found.top, found.bottom], finer)
        return Ratio.of(top, bottom, self.middle)

    def rewritten(self, polynomials: Sequence[fmpz_poly], finer: int = 1) -> list[fmpz_poly]:
        """Polynomials in X^finer as such in u, all times one power of u − a that makes them whole, which is positive.

        X = e^(1/k) = (b − a)/(u − a).
        """
        common = self.low.denominator * self.high.denominator
        width = int((self.high - self.low) * common)
        away = fmpz_poly([-int(self.low * common), common])
        degree = max((p.degree() for p in polynomials), default=0) * finer
        powers = [ONE]  # of u − a, over integers
        for _ in range(degree):
            powers.append(powers[-1] * away)
        found = []
        for polynomial in polynomials:
            total = fmpz_poly([])
            for power, c in enumerate(polynomial.coeffs()):
                if c:
                    total = total + c * width ** (power * finer) * powers[degree - power * finer]
            found.append(total)
        return found

    def positive(self, found: Ratio) -> bool:
        """Whether the function is finite and above 0 on the whole interval."""
        ends = (self.low, self.high)
        return constant_sign(found.bottom, *ends) == 1 and bool(found.top) and constant_sign(found.top, *ends) == 1
