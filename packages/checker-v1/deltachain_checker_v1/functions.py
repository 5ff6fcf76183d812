"""Numbers of the checker that are no Fractions: rational functions of X = e^(1/k) with integer coefficients.

X is transcendental (Lindemann): a polynomial in X with integer coefficients is 0 only if all its coefficients are. So
zero is a matter of coefficients, and every other sign is settled by enclosing X closely enough, by the series of
e^(1/k) with its remainder. A number that is rational is always a Fraction; a Function never is. They mix as Fractions
do. Work is limited before it is done. Part of the trusted base: standard library only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NoReturn, TypeAlias

from .errors import CertificateRejected
from .meter import spend

Polynomial = tuple[int, ...]
"""The coefficients, that of X^0 first, and no zeros at the end: () is 0."""
Number: TypeAlias = "Fraction | FunctionOfE"
UNIT: Polynomial = (1,)

MOST_DEGREE, MOST_BITS, MOST_SIZE = 20_000, 1 << 20, 1 << 21
"""The largest degree; the longest coefficient, and enclosure; and all coefficients of a polynomial, in bits."""
DEEPEST, LONGEST = 50, 20_000
"""Nested parentheses, and characters, of a formula at most."""
ATTEMPTS = 8
PLACES = [128 << n for n in range(MOST_BITS.bit_length() - 7)]
"""How closely X is enclosed, one after the other, until a sign is clear."""
TOO_CLOSE = f"a sign that an enclosure of {MOST_BITS} bits tells"


def refuse(rule: str, left: object = None) -> NoReturn:
    """What is not a number of this kind, or too large a one."""
    raise CertificateRejected("number", rule, left)


# Polynomials. Long ones are multiplied and divided as integers: coefficients side by side, `width` bytes for each.


def trimmed(coefficients: Iterable[int]) -> Polynomial:
    """Without zeros at the end."""
    found = [*coefficients]
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def bits(p: Polynomial) -> int:
    """The length of its longest coefficient."""
    return max(map(int.bit_length, p), default=0)


def limited(terms: int, length: int) -> None:
    """Refuse polynomials of so many terms with coefficients of so many bits, if that is too much."""
    if terms - 1 > MOST_DEGREE:
        refuse(f"a degree of at most {MOST_DEGREE} in e^(1/k)", terms - 1)
    if length > MOST_BITS or length * terms > MOST_SIZE:
        refuse(f"coefficients of at most {MOST_BITS} bits, {MOST_SIZE} in all", length * terms)


def packed(p: Polynomial, width: int) -> int:
    """The value of p at 2^(8·width)."""
    if min(p) >= 0:
        return int.from_bytes(b"".join([c.to_bytes(width, "little") for c in p]), "little")
    above, below = (tuple([max(way * c, 0) for c in p]) for way in (1, -1))
    return packed(above, width) - packed(below, width)


def unpacked(value: int, width: int) -> Polynomial:
    """The polynomial with coefficients below 2^(8·width−1) that has this value at 2^(8·width)."""
    # Half a digit is added to every coefficient, and taken off again: none is negative meanwhile, so that none borrows
    # from the next.
    count = value.bit_length() // (8 * width) + 2
    half = b"\0" * (width - 1) + b"\x80"
    data = (value + int.from_bytes(half * count, "little")).to_bytes(width * count, "little")
    middle, read = 1 << (8 * width - 1), int.from_bytes
    return trimmed([read(data[at : at + width], "little") - middle for at in range(0, width * count, width)])


def plus(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their sum."""
    return trimmed(map(sum, zip_longest(p, q, fillvalue=0)))


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their product."""
    if not p or not q:
        return ()
    if UNIT in (p, q):
        return q if p == UNIT else p
    length = bits(p) + bits(q) + min(len(p), len(q)).bit_length()
    limited(len(p) + len(q) - 1, length)
    spend(30 + (len(p) + len(q)) * (5 + length // 48))
    if len(p) == 1 or len(q) == 1:
        factor, other = (p[0], q) if len(p) == 1 else (q[0], p)
        return tuple([factor * c for c in other])
    # Coefficients of the product are below 2^length: one bit of a digit is left for the sign.
    width = length // 8 + 1
    return unpacked(packed(p, width) * packed(q, width), width)


def power(p: Polynomial, exponent: int) -> Polynomial:
    """The power, for an exponent ≥ 0."""
    found: Polynomial = (1,)
    while exponent:
        found = times(found, p) if exponent & 1 else found
        exponent >>= 1
        p = times(p, p) if exponent else p
    return found


def stretched(p: Polynomial, factor: int) -> Polynomial:
    """p(X^factor)."""
    if factor == 1 or len(p) <= 1:
        return p
    limited((len(p) - 1) * factor + 1, bits(p))
    found = [0] * ((len(p) - 1) * factor + 1)
    found[::factor] = p
    return tuple(found)


def reduced(p: Polynomial, q: Polynomial) -> tuple[Polynomial, Polynomial, Polynomial]:
    """Both divided by g, their greatest common divisor in Z[X]; and g.

    The value of g divides those of p and q. It is read off the greatest common divisor of these at a power of 2, so
    large that what else the values share is found as a whole factor; the larger, the surer. Quotients are multiplied
    out, and no sign rests on it that g is the greatest.
    """
    if UNIT in (p, q):
        return p, q, UNIT
    # By Gauss's lemma the divisor is that of the contents times that of the polynomials without them.
    p_content, q_content = math.gcd(*p), math.gcd(*q)
    common = math.gcd(p_content, q_content)
    shared: Polynomial = (common,)
    if len(p) > 1 and len(q) > 1:
        p_own, q_own = tuple(c // p_content for c in p), tuple(c // q_content for c in q)
        # 64 bits beyond the coefficients: the values then hardly share more than the polynomials do.
        width = max(bits(p_own), bits(q_own)) // 8 + 9
        for _ in range(ATTEMPTS):
            spend(150 + (len(p) + len(q)) * (8 + width) + (width * len(q)) ** 2 // 8_000)
            values = packed(p_own, width), packed(q_own, width)
            g = unpacked(math.gcd(*values), width)
            if len(g) == 1:
                break
            content = math.gcd(*g)
            g = tuple(c // content for c in g)
            value = packed(g, width)
            a, b = (unpacked(own // value, width) for own in values)
            if times(a, g) == p_own and times(b, g) == q_own:
                p, q = tuple(c * p_content for c in a), tuple(c * q_content for c in b)
                shared = times(shared, g)
                break
            width *= 2
    if common > 1:
        p, q = tuple(c // common for c in p), tuple(c // common for c in q)
    return p, q, shared


# Enclosures and signs.


@lru_cache(maxsize=32)
def base(k: int, places: int) -> tuple[int, int]:
    """Ends low ≤ X·2^places ≤ high, by Σ 1/(n!·k^n), whose terms are rounded down and up.

    What is left out is at most twice its first term: each of its terms is at most half the one before.
    """
    low = high = n = 0
    least = most = 1 << places
    while least:
        low, high, n = low + least, high + most, n + 1
        least, most = least // (k * n), -(-most // (k * n))
    return low, high + 2 * most


def enclosed(k: int, p: Polynomial, places: int) -> tuple[int, int]:
    """Ends low ≤ p(X)·2^places ≤ high, by Horner's rule with every product rounded outward."""
    down, up = base(k, places)
    low = high = 0
    for c in reversed(p):
        spend(10 + places // 64)
        # X > 0: the end of X to multiply by depends on the sign. −(−a >> n) is a/2^n, rounded up.
        low = (low * (down if low > 0 else up) >> places) + (c << places)
        high = -(-high * (up if high > 0 else down) >> places) + (c << places)
    return low, high


def sign(k: int, p: Polynomial) -> int:
    """−1, 0 or 1: zero by coefficients, else by enclosures that are refined until they tell."""
    if not p:
        return 0
    # X > 0, so that coefficients of one sign decide.
    if min(p) >= 0 or max(p) <= 0:
        return 1 if max(p) > 0 else -1
    for places in PLACES:
        low, high = enclosed(k, p, places)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
    refuse(TOO_CLOSE)


# Numbers


@dataclass(frozen=True)
class FunctionOfE:
    """The irrational number top(X)/bottom(X) for X = e^(1/k), in lowest terms.

    With the least k, and a positive leading coefficient of bottom: equal numbers have equal k, top and bottom.
    """

    k: int
    top: Polynomial
    bottom: Polynomial

    def _beside(self, other: object) -> tuple[int, Polynomial, Polynomial, Polynomial, Polynomial] | None:
        """One k for both, and both numerators and denominators in powers of its X; None if other is not a number."""
        spend(50)  # what any sum, product or comparison takes beside its polynomials
        if isinstance(other, int | Fraction):
            return self.k, self.top, self.bottom, trimmed((other.numerator,)), (other.denominator,)
        if not isinstance(other, FunctionOfE):
            return None
        k = math.lcm(self.k, other.k)
        mine, theirs = k // self.k, k // other.k
        return (
            *(k, stretched(self.top, mine), stretched(self.bottom, mine)),
            *(stretched(other.top, theirs), stretched(other.bottom, theirs)),
        )

    def __add__(self, other: Any) -> Any:
        if (both := self._beside(other)) is None:
            return NotImplemented
        k, a, b, c, d = both
        if b == d:
            return function(k, plus(a, c), b)
        mine, theirs, shared = reduced(b, d)
        top = plus(times(a, theirs), times(c, mine))
        if not top:
            return Fraction(0)
        top, shared, _ = reduced(top, shared)  # with mine and theirs it has no common divisor
        return in_lowest_terms(k, top, times(times(mine, theirs), shared))

    def __mul__(self, other: Any) -> Any:
        if (both := self._beside(other)) is None:
            return NotImplemented
        k, a, b, c, d = both
        if not c:
            return Fraction(0)
        # Both are in lowest terms: only across can there be common divisors, and then the product is in lowest terms.
        (a, d, _), (c, b, _) = reduced(a, d), reduced(c, b)
        return in_lowest_terms(k, times(a, c), times(b, d))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> FunctionOfE:
        return FunctionOfE(self.k, tuple(-c for c in self.top), self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        return self * inverse(other)

    def __rtruediv__(self, other: Any) -> Any:
        return inverse(self) * other

    def _compared(self, other: Any) -> int:
        """The sign of self − other, by cross-multiplication."""
        both = self._beside(other)
        if both is None:
            raise TypeError(f"a function of e^(1/k) against {type(other).__name__}")
        k, a, b, c, d = both
        return sign(k, plus(times(a, d), times(tuple(-x for x in c), b))) * sign(k, b) * sign(k, d)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._compared(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compared(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compared(other) >= 0

    def __floor__(self) -> int:
        for places in PLACES:
            tops, bottoms = enclosed(self.k, self.top, places), enclosed(self.k, self.bottom, places)
            if bottoms[0] > 0 or bottoms[1] < 0:
                # The quotient is between the least and the largest of these four.
                found = {a // b for a in tops for b in bottoms}
                if len(found) == 1:
                    return found.pop()
        refuse(TOO_CLOSE)

    def __ceil__(self) -> int:
        return math.floor(self) + 1  # it is no integer

    def __str__(self) -> str:
        top, bottom = (_formula_of(p, self.k) for p in (self.top, self.bottom))
        return top if self.bottom == (1,) else f"({top})/({bottom})"


def function(k: int, top: Polynomial, bottom: Polynomial) -> Number:
    """top(X)/bottom(X) for X = e^(1/k): a Fraction, if it is one."""
    if not bottom:
        refuse("a denominator that is not zero")
    if not top:
        return Fraction(0)
    for p in (top, bottom):
        limited(len(p), bits(p))
    top, bottom, _ = reduced(top, bottom)
    return in_lowest_terms(k, top, bottom)


def in_lowest_terms(k: int, top: Polynomial, bottom: Polynomial) -> Number:
    """The same, where top and bottom have no common divisor."""
    if not top:
        return Fraction(0)
    if bottom[-1] < 0:
        top, bottom = tuple(-c for c in top), tuple(-c for c in bottom)
    if len(top) == len(bottom) == 1:
        return Fraction(top[0], bottom[0])
    # All exponents are multiples of it: the same number in a coarser X, which makes equal numbers equal in form.
    shared = math.gcd(k, *(i for p in (top, bottom) for i, c in enumerate(p) if c)) if k > 1 else 1
    return FunctionOfE(k // shared, top[::shared], bottom[::shared])


def inverse(number: Number) -> Number:
    """1/number."""
    if isinstance(number, FunctionOfE):
        return function(number.k, number.bottom, number.top)
    if not number:
        refuse("no division by 0")
    return 1 / Fraction(number)


def exponential(value: Fraction) -> Number:
    """e^value."""
    limited(abs(value.numerator) + 1, 1)
    x = (*(0,) * abs(value.numerator), 1)
    return function(value.denominator, x, (1,)) if value >= 0 else function(value.denominator, (1,), x)


def over_one(bottoms: Iterable[Polynomial]) -> tuple[Polynomial, dict[Polynomial, Polynomial]]:
    """A common multiple of denominators, the least as far as `reduced` finds it, and what each is multiplied by."""
    known = sorted({*bottoms})
    common = UNIT
    for bottom in known:
        common = times(common, reduced(common, bottom)[1])
    factors = {bottom: reduced(common, bottom)[0] for bottom in known}
    # `reduced` leaves the quotient only if it finds that each divides the common one: so it is multiplied back.
    if any(times(factor, bottom) != common for bottom, factor in factors.items()):
        refuse("a common denominator of a row")
    return common, factors


def common_form(row: Mapping[str, Number]) -> tuple[dict[str, Polynomial], Polynomial, int]:
    """A row over its least common denominator, in powers of the least X that will do for all: (tops, bottom, k)."""
    k = math.lcm(*(p.k for p in row.values() if isinstance(p, FunctionOfE)))
    parts: dict[str, tuple[Polynomial, Polynomial]] = {}
    for target, p in row.items():
        if isinstance(p, FunctionOfE):
            parts[target] = stretched(p.top, k // p.k), stretched(p.bottom, k // p.k)
        else:
            parts[target] = (p.numerator,), (p.denominator,)
    common, factors = over_one(bottom for _, bottom in parts.values())
    return {j: times(top, factors[bottom]) for j, (top, bottom) in parts.items()}, common, k


def digits(value: int) -> str:
    """The integer in decimal, whatever its length."""
    # str() refuses more than 4,300 digits.
    return format(Decimal(value), "f")


def _formula_of(p: Polynomial, k: int) -> str:
    """The polynomial as a formula."""
    terms = []
    for i, c in enumerate(p):
        factor = f"exp({Fraction(i, k)})" if i else ""
        size = "" if abs(c) == 1 and i else digits(abs(c)) + "*" * (i > 0)
        terms += [("-" if c < 0 else "+") + size + factor] if c else []
    return "".join(terms).removeprefix("+")


# Formulas: numbers, + − * / ^, parentheses, and exp of a rational. Nothing else is read, and nothing is evaluated.

TOKEN = re.compile(r"\s*(exp(?![a-zA-Z0-9_])|([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?|[-+*/^()])\s*")


class FormulaReader:
    """A reader by recursive descent."""

    def __init__(self, text: str, token: re.Pattern[str] = TOKEN) -> None:
        if len(text) > LONGEST:
            refuse(f"a formula of at most {LONGEST} characters", len(text))
        self.shown, self.tokens, self.at, self.depth = text[:60], [], 0, 0
        start = 0
        while start < len(text):
            match = token.match(text, start)
            if match is None:
                refuse("numbers, + - * / ^, parentheses and exp of a rational", self.shown)
            self.tokens.append(match)
            start = match.end()

    def read(self) -> Number:
        """The number that the whole formula stands for."""
        found = self._sum()
        if self.at < len(self.tokens):
            refuse(f"a formula that ends before {self.tokens[self.at][1]!r}", self.shown)
        return found

    def _take(self, *wanted: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at][1] in wanted:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def _sum(self) -> Number:
        self.depth += 1
        if self.depth > DEEPEST:
            refuse(f"at most {DEEPEST} nested parentheses", self.shown)
        found = self._product()
        while (sign := self._take("+", "-")) is not None:
            other = self._product()
            found = found + other if sign == "+" else found - other
        self.depth -= 1
        return found

    def _product(self) -> Number:
        found = self._signed()
        while (sign := self._take("*", "/")) is not None:
            other = self._signed()
            found = found * (other if sign == "*" else self._inverse(other))
        return found

    def _signed(self) -> Number:
        # A sign binds less than a power: −2^2 is −4.
        negative = False
        while (sign := self._take("+", "-")) is not None:
            negative ^= sign == "-"
        found = self._power()
        return -found if negative else found

    def _power(self) -> Number:
        found = self._atom()
        if self._take("^") is None:
            return found
        upside_down = self._take("-") is not None
        exponent = self._rational(self._atom())
        if exponent is None or exponent.denominator != 1 or not 0 <= exponent <= MOST_DEGREE:
            refuse(f"whole powers up to {MOST_DEGREE}", self.shown)
        return self._raised(self._inverse(found) if upside_down else found, exponent.numerator)

    # What a formula over other numbers does in another way.

    def _rational(self, found: Number) -> Fraction | None:
        return found if isinstance(found, Fraction) else None

    def _inverse(self, found: Number) -> Number:
        return inverse(found)

    def _raised(self, found: Number, exponent: int) -> Number:
        k, top, bottom = (
            (found.k, found.top, found.bottom) if isinstance(found, FunctionOfE) else (1, *_constant(found))
        )
        return function(k, power(top, exponent), power(bottom, exponent))

    def _atom(self) -> Number:
        exp = self._take("exp") is not None
        if self._take("(") is not None:
            found = self._sum()
            if self._take(")") is None:
                refuse("parentheses that are closed", self.shown)
            if not exp:
                return found
            if not isinstance(found, Fraction):
                refuse("exp of a rational", self.shown)
            return exponential(found)
        if exp or self.at == len(self.tokens) or self.tokens[self.at][2] is None:
            refuse("a formula: a number, exp(…) or (…) where one is due", self.shown)
        _, whole, part, shift = self.tokens[self.at].groups()
        self.at += 1
        places = int(shift or 0) - len(part or "")
        # int() of text refuses more than 4,300 digits.
        top = int(Decimal(whole + (part or "")))
        return Fraction(top * 10 ** max(places, 0), 10 ** max(-places, 0))


def _constant(value: Fraction) -> tuple[Polynomial, Polynomial]:
    return trimmed((value.numerator,)), (value.denominator,)
