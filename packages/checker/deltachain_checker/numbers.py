"""Exact numbers, and the three ordered fields that rules are checked over: Q, Q(e^(1/k)), and Q(u) on an interval.

A rational number is a Fraction. Any other is a `Quotient` of polynomials with integer coefficients in X, which stands
for e^(1/k) or for a parameter u. A rule uses +, −, ·, / and two questions alone: is it zero, which is a matter of
coefficients, and is it ≥ 0 (or > 0), which is asked of the field. Over Q(u) the second is "at every u of the interval":
x ≥ 0 and −x ≥ 0 may both be false there, so no rule may take a failed question for its opposite.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, zip_longest
from typing import Any, NoReturn

from .errors import CertificateRejected, need
from .meter import spend

Polynomial = tuple[int, ...]
"""The coefficients, that of X^0 first, and no zeros at the end: () is 0."""
Over = tuple[Any, Mapping[Any, Any]]
"""Numbers over one denominator: that, and by key the numerators."""
Terms = Sequence[tuple[Any, Over]]
"""What stands for Σ c·w."""
ZERO, ONE = Fraction(0), Fraction(1)
UNIT: Polynomial = (1,)
MOST_DIGITS, SHORT = 50_000, 600
"""Characters of a number at most; int() takes ``SHORT`` digits, whatever limit is set for it."""
MOST_DEGREE, MOST_BITS, MOST_SIZE = 20_000, 1 << 20, 1 << 21
"""The largest degree; the longest coefficient, and enclosure; and all coefficients of a polynomial, in bits."""
MOST_KNOWN = 10_000
"""So many numbers are kept with their texts."""
ATTEMPTS = 8
"""How often a common divisor is looked for."""
MOST_CELLS, DEEPEST_CELL = 4_000, 400
"""Into how many parts an interval is cut, and how often one is halved, until coefficients tell a sign."""
MOST_NESTED, LONGEST = 50, 20_000
"""Nested parentheses, and characters, of a formula at most."""
NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,5}))?(?:/([0-9]+))?\Z")
PIECE = r"\s*(exp(?!\w)|([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?|[-+*/^()])\s*"


def refuse(rule: str, left: object = None) -> NoReturn:
    """What is no number, or too large a one."""
    raise CertificateRejected("number", rule, left)


def rational(value: object, *, decimals: bool = False) -> Fraction:
    """An integer, or text "p/q"; decimals only where a model may have them."""
    if type(value) is int:
        return Fraction(value)
    if not isinstance(value, str) or len(value) > MOST_DIGITS:
        refuse("an integer or text 'p/q', not too long", type(value).__name__)
    match = NUMBER.match(value)
    if not match or not (decimals or not (match[2] or match[3])) or not (match[4] or "1").strip("0"):
        refuse("an integer or text 'p/q'", value[:50])
    whole, part, exponent, below = match.groups()
    if not (part or exponent) and len(value) <= SHORT:
        return Fraction(int(whole), int(below or 1))
    shift = int(exponent or 0)
    need(abs(shift) <= MOST_DIGITS, "number", f"an exponent of at most {MOST_DIGITS}", exponent)
    spend((len(value) + abs(shift)) ** 2 // 10_000)
    top = int(Decimal(whole + (part or ""))) * 10 ** max(shift, 0)
    return Fraction(top, int(Decimal(below or "1")) * 10 ** (len(part or "") + max(-shift, 0)))


def digits(value: int) -> str:
    """The integer in decimal: str() refuses more than 4,300 digits."""
    return format(Decimal(value), "f")


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
    need(terms - 1 <= MOST_DEGREE, "number", f"a degree of at most {MOST_DEGREE}", terms - 1)
    need(length <= MOST_BITS and length * terms <= MOST_SIZE, "number", "shorter coefficients", length * terms)


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


def negative(p: Polynomial) -> Polynomial:
    """−p."""
    return tuple([-c for c in p])


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """Their product."""
    if not p or not q:
        return ()
    if UNIT in (p, q):
        return q if p == UNIT else p
    length = bits(p) + bits(q) + min(len(p), len(q)).bit_length()
    limited(len(p) + len(q) - 1, length)
    spend(25 + (len(p) + len(q)) * (4 + length // 60))
    if len(p) == 1 or len(q) == 1:
        factor, other = (p[0], q) if len(p) == 1 else (q[0], p)
        return tuple([factor * c for c in other])
    # Coefficients of the product are below 2^length: one bit of a digit is left for the sign.
    width = length // 8 + 1
    return unpacked(packed(p, width) * packed(q, width), width)


def power(p: Polynomial, exponent: int) -> Polynomial:
    """The power, for an exponent ≥ 0."""
    found = UNIT
    for bit in f"{exponent:b}":
        found = times(times(found, found), p) if bit == "1" else times(found, found)
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
    out, and nothing rests on it that g is the greatest.
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
            spend(100 + (len(p) + len(q)) * (6 + 2 * width // 3) + (width * len(q)) ** 2 // 12_000)
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


def over_one(bottoms: Iterable[Polynomial]) -> tuple[Polynomial, dict[Polynomial, Polynomial]]:
    """A common multiple of denominators, the least as far as `reduced` finds it, and what each is multiplied by."""
    known, common = sorted({*bottoms}), UNIT
    if len(known) == 1:
        return known[0], {known[0]: UNIT}
    for bottom in known:
        common = times(common, reduced(common, bottom)[1])
    factors = {bottom: reduced(common, bottom)[0] for bottom in known}
    # `reduced` leaves the quotient only if it finds that each divides the common one: so it is multiplied back.
    need(all(times(factor, bottom) == common for bottom, factor in factors.items()), "number", "a common denominator")
    return common, factors


# Quotients


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """The number top(X)/bottom(X), in lowest terms as far as `reduced` finds them; never a rational number.

    ``x`` says what X is: k, of e^(1/k), or the name of a parameter. The leading coefficient of bottom is positive.
    """

    x: int | str
    top: Polynomial
    bottom: Polynomial = UNIT

    def _beside(self, other: Any) -> tuple[Polynomial, Polynomial]:
        """Numerator and denominator of another number of the same field."""
        spend(35)  # what any sum or product takes beside its polynomials
        if isinstance(other, int | Fraction):
            return trimmed((other.numerator,)), (other.denominator,)
        need(isinstance(other, Quotient) and other.x == self.x, "number", "numbers of one field")
        return other.top, other.bottom

    def __add__(self, other: Any) -> Any:
        top, bottom = self._beside(other)
        if self.bottom == bottom:
            return quotient(self.x, plus(self.top, top), bottom)
        mine, theirs, shared = reduced(self.bottom, bottom)
        top = plus(times(self.top, theirs), times(top, mine))
        if not top:
            return ZERO
        top, shared, _ = reduced(top, shared)  # with mine and theirs it has no common divisor
        return in_lowest_terms(self.x, top, times(times(mine, theirs), shared))

    def __mul__(self, other: Any) -> Any:
        top, bottom = self._beside(other)
        if not top:
            return ZERO
        # Both are in lowest terms: only across can there be common divisors.
        (mine, below, _), (top, bottom, _) = reduced(self.top, bottom), reduced(top, self.bottom)
        return in_lowest_terms(self.x, times(mine, top), times(below, bottom))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Quotient:
        return Quotient(self.x, negative(self.top), self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        return self * inverse(other)

    def __rtruediv__(self, other: Any) -> Any:
        return inverse(self) * other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quotient):
            return False  # what is rational is a Fraction
        return self.x == other.x and times(self.top, other.bottom) == times(other.top, self.bottom)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        top, bottom = (formula_of(p, self.x) for p in (self.top, self.bottom))
        if self.bottom == UNIT:
            return top
        short = isinstance(self.x, str)  # of a parameter: no parentheses around what has no sum
        top = top if short and not re.search(r".[-+]", top) else f"({top})"
        return f"{top}/{bottom}" if short and not re.search(r".[-+]|[*]", bottom) else f"{top}/({bottom})"


def quotient(x: int | str, top: Polynomial, bottom: Polynomial = UNIT) -> Any:
    """top(X)/bottom(X): a Fraction, if it is one."""
    need(bottom, "number", "a denominator that is not zero")
    for p in (top, bottom):
        limited(len(p), bits(p))
    top, bottom, _ = reduced(top, bottom) if top else (top, UNIT, UNIT)
    return in_lowest_terms(x, top, bottom)


def in_lowest_terms(x: int | str, top: Polynomial, bottom: Polynomial) -> Any:
    """The same, where top and bottom have no common divisor."""
    if len(top) <= 1 and len(bottom) == 1:
        return Fraction(sum(top), bottom[0])
    return Quotient(x, negative(top), negative(bottom)) if bottom[-1] < 0 else Quotient(x, top, bottom)


def inverse(number: Any) -> Any:
    """1/number."""
    need(number, "number", "no division by 0")
    return quotient(number.x, number.bottom, number.top) if isinstance(number, Quotient) else 1 / Fraction(number)


def divided(top: Any, bottom: Any) -> Any:
    """top/bottom, exactly: of integers too."""
    return Fraction(top, bottom) if isinstance(top, int) and isinstance(bottom, int) else top / bottom


def whole(values: Mapping[Any, Any]) -> tuple[Any, dict[Any, Any]]:
    """Numbers over one denominator, and all numerators: integers, or polynomials in X."""
    x = next((value.x for value in values.values() if isinstance(value, Quotient)), None)
    if x is None:
        bottom = math.lcm(*(value.denominator for value in values.values()))
        return bottom, {key: value.numerator * (bottom // value.denominator) for key, value in values.items()}
    parts = {key: ends(value) for key, value in values.items()}
    common, factors = over_one(below for _, below in parts.values())
    tops = {key: quotient(x, times(top, factors[below])) for key, (top, below) in parts.items()}
    return quotient(x, common), tops


def ends(value: Any) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator, as polynomials."""
    if isinstance(value, Quotient):
        return value.top, value.bottom
    return trimmed((value.numerator,)), (value.denominator,)


def text(value: Any) -> str:
    """The number as a certificate has it: ``p/q``, or coefficients, lowest first, as in ``0 -1 1/1 0 1``."""
    parts = ends(value) if isinstance(value, Quotient) else ((value.numerator,), (value.denominator,))
    top, bottom = (" ".join(map(digits, part)) for part in parts)
    return top if bottom == "1" and not isinstance(value, Quotient) else f"{top}/{bottom}"


def formula_of(p: Polynomial, x: int | str) -> str:
    """The polynomial as a formula, for people."""
    terms = []
    for i, c in reversed([*enumerate(p)]) if isinstance(x, str) else enumerate(p):
        name = f"exp({Fraction(i, x)})" if isinstance(x, int) else x if i == 1 else f"{x}^{i}"
        size = "" if abs(c) == 1 and i else digits(abs(c)) + "*" * (i > 0)
        terms += [("-" if c < 0 else "+") + size + name * (i > 0)] if c else []
    return "".join(terms).removeprefix("+") or "0"


# Fields


class Rationals:
    """Q."""

    x: int | str | None = None
    """What X is in a certificate over this field."""

    def read(self, value: Any) -> Any:
        """A number of the certificate. Those of short texts are kept, for most come again."""
        if type(value) is not str:
            return self._read(value)
        found = self._known.get(value)
        if found is None:
            found = self._read(value)
            if len(value) <= SHORT:
                if len(self._known) >= MOST_KNOWN:
                    self._known.clear()
                self._known[value] = found
        return found

    @cached_property
    def _known(self) -> dict[str, Any]:
        return {}

    def _read(self, value: Any) -> Any:
        if not isinstance(value, str) or " " not in value:
            return rational(value)
        need(self.x is not None, "number", "functions only where the field of the certificate has an X")
        parts = [part.split(" ") for part in value.split("/")]
        need(len(parts) in (1, 2), "number", "coefficients, and one denominator", value[:50])
        limited(max(map(len, parts)), 0)  # before so many are read
        top, bottom = (trimmed(rational(c).numerator for c in part) for part in [*parts, ["1"]][:2])
        need("/" not in value.replace("/", "", 1), "number", "whole coefficients", value[:50])
        return self.settled(quotient(self.x or 0, top, bottom))

    def settled(self, value: Any) -> Any:
        """The number, once it has a value wherever it is used."""
        return value

    def over_integer(self, vector: Mapping[Any, Any]) -> Over:
        """The numbers over a positive integer, so that numerators tell the signs: 1, where some are functions."""
        return whole(vector)

    def combined(self, terms: Terms, less: Terms = ()) -> Over:
        """Σ c·w − Σ c·w of what is ``less``, over a positive integer, of what `over_integer` gave; zeros stay."""
        split = [(*c.as_integer_ratio(), bottom, w) for c, (bottom, w) in (*terms, *less)]
        common, found = math.lcm(*[below * bottom for _, below, bottom, _ in split]), dict[Any, int]()
        for n, (top, below, bottom, w) in enumerate(split):
            factor = top * (common // (below * bottom))
            factor = factor if n < len(terms) else -factor
            for i, x in w.items():
                found[i] = found.get(i, 0) + factor * x
        return common, found

    def summed(self, products: Sequence[tuple[Any, Any]]) -> Any:
        """Σ a·b, brought to lowest terms once."""
        return Fraction(*self._total(products))

    def at_most(self, products: Sequence[tuple[Any, Any]], most: Any) -> bool:
        """Whether Σ a·b ≤ most."""
        top, bottom = self._total(products)
        return bool(top * most.denominator <= most.numerator * bottom)

    def _total(self, products: Sequence[tuple[Any, Any]]) -> tuple[int, int]:
        split = [(*a.as_integer_ratio(), *b.as_integer_ratio()) for a, b in products]
        common = math.lcm(*[q * s for _, q, _, s in split])
        return sum([p * r * (common // (q * s)) for p, q, r, s in split]), common

    def reaches(self, value: Any, top: Any, bottom: int = 1) -> bool:
        """Whether value ≥ top/bottom, for a positive integer."""
        return bool(value.numerator * bottom * top.denominator >= top.numerator * value.denominator)

    def nonneg(self, value: Any) -> bool:
        """Whether value ≥ 0."""
        return bool(value.numerator >= 0)

    def positive(self, value: Any) -> bool:
        """Whether value > 0."""
        return bool(value.numerator > 0)


class Functions(Rationals):
    """Q(X): where numbers are rational, they are added up as such."""

    x: int | str

    def over_integer(self, vector: Mapping[Any, Any]) -> Over:
        """The numbers over a positive integer, so that numerators tell the signs: 1, where some are functions."""
        return (1, vector) if any(isinstance(x, Quotient) for x in vector.values()) else whole(vector)

    def combined(self, terms: Terms, less: Terms = ()) -> Over:
        """Σ c·w − Σ c·w of what is ``less``, over a positive integer, of what `over_integer` gave; zeros stay."""
        if not any(isinstance(x, Quotient) for c, (_, w) in (*terms, *less) for x in (c, *w.values())):
            return super().combined(terms, less)
        products: dict[Any, list[tuple[Any, Any]]] = {}
        for c, (bottom, w) in (*terms, *((-c, over) for c, over in less)):
            for i, x in w.items():
                products.setdefault(i, []).append((c, divided(x, bottom)))
        return 1, {i: self.summed(each) for i, each in products.items()}

    def summed(self, products: Sequence[tuple[Any, Any]]) -> Any:
        """Σ a·b, brought to lowest terms once."""
        if not any(isinstance(number, Quotient) for pair in products for number in pair):
            return super().summed(products)
        if len(products) == 1:
            return products[0][0] * products[0][1]
        spend(35 * len(products))  # beside their polynomials
        parts = [(times(p, r), times(q, s)) for (p, q), (r, s) in [(ends(a), ends(b)) for a, b in products]]
        below, factors = over_one(q for _, q in parts)
        top: Polynomial = ()
        for p, q in parts:
            top = plus(top, times(p, factors[q]))
        return quotient(self.x, top, below)

    def at_most(self, products: Sequence[tuple[Any, Any]], most: Any) -> bool:
        """Whether Σ a·b ≤ most."""
        return self.reaches(most, self.summed(products))

    def reaches(self, value: Any, top: Any, bottom: int = 1) -> bool:
        """Whether value ≥ top/bottom, for a positive integer."""
        if isinstance(value, Quotient) or isinstance(top, Quotient):
            return self.nonneg(value * bottom - top)
        return super().reaches(value, top, bottom)


class AtExponential(Functions):
    """Q(X), X = e^(1/k). X is transcendental (Lindemann): so a polynomial is 0 only if its coefficients are."""

    def __init__(self, k: int) -> None:
        self.x: int = k

    def nonneg(self, value: Any) -> bool:
        """Whether value ≥ 0."""
        return self._sign(value) >= 0

    def positive(self, value: Any) -> bool:
        """Whether value > 0."""
        return self._sign(value) > 0

    def _sign(self, value: Any) -> int:
        if isinstance(value, Quotient):
            return sign(self.x, value.top) * sign(self.x, value.bottom)
        return int(value > 0) - int(value < 0)


def sign(k: int, p: Polynomial) -> int:
    """−1, 0 or 1, of p(e^(1/k)): zero by coefficients, else by enclosures that are refined until they tell."""
    # X > 0, so that coefficients of one sign decide.
    if not p or min(p) >= 0 or max(p) <= 0:
        return 0 if not p else 1 if max(p) > 0 else -1
    places = 128
    while places <= MOST_BITS:
        low, high = enclosed(k, p, places)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        places *= 2
    refuse(f"a sign that an enclosure of {MOST_BITS} bits tells")


def enclosed(k: int, p: Polynomial, places: int) -> tuple[int, int]:
    """Ends low ≤ p(X)·2^places ≤ high, by Horner's rule with every product rounded outward."""
    down, up = exponential(k, places)
    low = high = 0
    for c in reversed(p):
        spend(10 + places // 64)
        # X > 0: the end of X to multiply by depends on the sign. −(−a >> n) is a/2^n, rounded up.
        low = (low * (down if low > 0 else up) >> places) + (c << places)
        high = -(-high * (up if high > 0 else down) >> places) + (c << places)
    return low, high


@lru_cache(maxsize=32)
def exponential(k: int, places: int) -> tuple[int, int]:
    """Ends low ≤ e^(1/k)·2^places ≤ high, by Σ 1/(n!·k^n), whose terms are rounded down and up.

    What is left out is at most twice its first term: each of its terms is at most half the one before.
    """
    low = high = n = 0
    least = most = 1 << places
    while least:
        low, high, n = low + least, high + most, n + 1
        least, most = least // (k * n), -(-most // (k * n))
    return low, high + 2 * most


def rounded_down(value: Any, places: int) -> int:
    """value·2^places of a rational number, or a function of e^(1/k), rounded down."""
    if not isinstance(value, Quotient):
        return int((value.numerator << places) // value.denominator)
    bits_kept = 128
    while isinstance(value.x, int) and bits_kept <= MOST_BITS:
        tops, bottoms = (enclosed(value.x, p, bits_kept) for p in (value.top, value.bottom))
        if bottoms[0] > 0 or bottoms[1] < 0:
            # The quotient is between the least and the largest of these four.
            found = {(a << places) // b for a in tops for b in bottoms}
            if len(found) == 1:
                return found.pop()
        bits_kept *= 2
    refuse(f"a number that an enclosure of {MOST_BITS} bits tells")


class OnInterval(Functions):
    """Q(u), for every u between low and high at once; an end counts only if it is ``closed``."""

    def __init__(self, name: str, low: Fraction, high: Fraction, closed: tuple[bool, bool] = (False, False)) -> None:
        need(low <= high, "field", "an interval", low, high)
        self.x: str = name
        self.low, self.high, self.closed = low, high, closed
        self._told: dict[tuple[Polynomial, bool], bool] = {}

    def settled(self, value: Any) -> Any:
        """The number, once it has a value wherever it is used."""
        if isinstance(value, Quotient):
            inside = self._holds(value.bottom, True) or self._holds(negative(value.bottom), True)
            need(inside, "number", "no pole on the interval", value)
        return value

    def nonneg(self, value: Any) -> bool:
        """Whether value ≥ 0."""
        return self._asked(value, False) if isinstance(value, Quotient) else bool(value >= 0)

    def positive(self, value: Any) -> bool:
        """Whether value > 0."""
        return self._asked(value, True) if isinstance(value, Quotient) else bool(value > 0)

    def _asked(self, value: Quotient, strict: bool) -> bool:
        for top, bottom in ((value.top, value.bottom), (negative(value.top), negative(value.bottom))):
            if self._holds(bottom, True):
                return self._holds(top, strict)
        return False

    def _holds(self, p: Polynomial, strict: bool) -> bool:
        """Whether p ≥ 0, strictly: p > 0, is told at every u. Where p may touch 0, its squares are divided out."""
        key = p, strict
        if key not in self._told:
            outer = (not self.closed[0], not self.closed[1])
            found = holds(p, self.low, self.high, strict, outer)
            self._told[key] = found or (not strict and holds(without_squares(p), self.low, self.high))
        return self._told[key]


# The sign of a polynomial on an interval. On [a, b] it lies between the least and the largest of its Bernstein
# coefficients, which are those of (1+z)^n · p((a + bz)/(1+z)) over binomials: if none of these is negative, neither is
# p, and p > 0 between a and b unless all are 0. Where they do not tell, the interval is halved.


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
    p: Polynomial, low: Fraction, high: Fraction, strict: bool = False, outer: tuple[bool, bool] = (False, False)
) -> bool:
    """Whether coefficients show p ≥ 0 on [low, high]; strictly: p > 0 there, but for ends that are ``outer``."""
    if not p:
        return not strict
    stack: list[tuple[list[int], bool, bool, int]] = [(on_unit(p, low, high), *outer, 0)]
    cells = 0
    while stack:
        q, left, right, depth = stack.pop()
        cells += 1
        found = by_one(q[::-1])  # backwards, those of (1+z)^n q(z/(1+z)): the last is q(0), the first q(1)
        if min(found) >= 0:
            if strict and not (any(found) and (found[-1] > 0 or left) and (found[0] > 0 or right)):
                return False
            continue
        beyond = found[-1] < 0 or found[0] < 0 or depth == DEEPEST_CELL or cells > MOST_CELLS
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
        d = plus(c, negative(derivative(b)))
        if d:
            b, c, factor = reduced(b, d)
        else:
            b, factor = UNIT, b
        root = times(root, power(factor, multiplicity // 2))
    square = times(root, root)
    rest, left, _ = reduced(p, square)
    rest = rest if left == UNIT else negative(rest)
    return rest if left in (UNIT, (-1,)) and times(rest, square) == p else p


def derivative(p: Polynomial) -> Polynomial:
    """The derivative."""
    return tuple([k * c for k, c in enumerate(p)][1:])


# Formulas of models: numbers, + − * / ^, parentheses, exp of a rational, and the parameter. Nothing is evaluated.


class Formula:
    """A reader by recursive descent; ``x`` is k, where every exp is a power of e^(1/k), or the name of a parameter."""

    def __init__(self, source: str, x: int | str | None) -> None:
        need(len(source) <= LONGEST, "number", f"a formula of at most {LONGEST} characters", len(source))
        self.x, self.shown, self.tokens, self.at, self.depth = x, source[:60], [], 0, 0
        name = rf"{re.escape(x)}(?!\w)|" if isinstance(x, str) else ""
        token, start = re.compile(PIECE.replace("(exp", f"({name}exp", 1)), 0
        while start < len(source):
            match = token.match(source, start)
            if match is None:
                refuse("numbers, + - * / ^, parentheses, exp of a rational or the parameter", self.shown)
            self.tokens.append(match)
            start = match.end()

    def read(self) -> Any:
        """The number that the whole formula stands for."""
        found = self._sum()
        need(self.at == len(self.tokens), "number", "a formula that ends where a number does", self.shown)
        return found

    def _take(self, *wanted: object) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at][1] in wanted:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def _sum(self) -> Any:
        self.depth += 1
        need(self.depth <= MOST_NESTED, "number", f"at most {MOST_NESTED} nested parentheses", self.shown)
        found = self._product()
        while (sign := self._take("+", "-")) is not None:
            other = self._product()
            found = found + other if sign == "+" else found - other
        self.depth -= 1
        return found

    def _product(self) -> Any:
        found = self._signed()
        while (sign := self._take("*", "/")) is not None:
            other = self._signed()
            found = found * (other if sign == "*" else inverse(other))
        return found

    def _signed(self) -> Any:
        # A sign binds less than a power: −2^2 is −4.
        minus = False
        while (sign := self._take("+", "-")) is not None:
            minus ^= sign == "-"
        found = self._power()
        return -found if minus else found

    def _power(self) -> Any:
        found = self._atom()
        if self._take("^") is None:
            return found
        found = inverse(found) if self._take("-") else found
        exponent = self._atom()
        known = isinstance(exponent, Fraction) and exponent.denominator == 1 and 0 <= exponent <= MOST_DEGREE
        need(known, "number", f"whole powers up to {MOST_DEGREE}", self.shown)
        top, bottom = (power(p, exponent.numerator) for p in ends(found))
        return quotient(found.x if isinstance(found, Quotient) else 1, top, bottom)

    def _atom(self) -> Any:
        if self._take(self.x) is not None:
            return Quotient(self.x or 0, (0, 1))
        exp = self._take("exp") is not None
        if self._take("(") is not None:
            found = self._sum()
            need(self._take(")"), "number", "parentheses that are closed", self.shown)
            return self._exp(found) if exp else found
        if exp or self.at == len(self.tokens) or self.tokens[self.at][2] is None:
            refuse("a formula: a number, exp(…) or (…) where one is due", self.shown)
        _, top, part, shift = self.tokens[self.at].groups()
        self.at += 1
        places = int(shift or 0) - len(part or "")
        # int() of text refuses more than 4,300 digits.
        return Fraction(int(Decimal(top + (part or ""))) * 10 ** max(places, 0), 10 ** max(-places, 0))

    def _exp(self, exponent: Any) -> Any:
        need(isinstance(exponent, Fraction), "number", "exp of a rational", self.shown)
        if not exponent:
            return ONE
        need(
            isinstance(self.x, int), "number", "a base in the certificate's field, where the model has exp", self.shown
        )
        places = exponent * self.x
        need(places.denominator == 1, "number", f"powers of e^(1/{self.x}), the base of the certificate", self.shown)
        limited(abs(places.numerator) + 1, 1)
        x = (*(0,) * abs(places.numerator), 1)
        return quotient(self.x or 0, x) if places > 0 else quotient(self.x or 0, UNIT, x)
