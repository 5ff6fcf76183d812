"""Fields of exact numbers: the rationals, and the rational functions of one X = e^(1/k).

A graph of beliefs is written once, for every field. It keeps two kinds of numbers: *masses*, which are whole (integers,
or integer polynomials in X) and have a greatest common divisor, and *values*, quotients of masses, which are ordered.
Outside of graphs an exact number is an `Exact`: a Fraction, or an `Exponential` where it is none. Both add, multiply
and compare with each other, so that what is not an inner loop needs no field.

X is transcendental: a polynomial in X vanishes only if its coefficients do, and enclosing X settles every other sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar

from flint import fmpq, fmpz_poly

from .exponential import Exponential, as_exponential, coefficients, exp_of, function_of, polynomials
from .flint import to_flint, to_fraction
from .fraction import ExpEpsilon, format_fraction
from .precision import VALUE_BITS

Exact = Fraction | Exponential
"""An exact number: a Fraction wherever it is one."""

MOST_STRETCHED, MOST_POWER, MOST_DEGREE = 64, 2_000, 2_000
"""How much finer than the rows' e^(1/k) that of e^ε may be, to which power of it, and of which degree rows are in it.

Beyond, e^ε is enclosed.
"""


class Ring(Protocol):
    """What a step of a belief needs."""

    def __add__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...


class Whole(Ring, Protocol):
    """What masses can do."""

    def __floordiv__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __bool__(self) -> bool: ...


class Ordered(Ring, Protocol):
    """What values can do."""

    def __sub__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...
    def __rsub__(self, other: int, /) -> Self: ...
    def __rtruediv__(self, other: int, /) -> Self: ...
    def __lt__(self, other: Self, /) -> bool: ...
    def __gt__(self, other: Self, /) -> bool: ...
    def __bool__(self) -> bool: ...
    def __hash__(self) -> int: ...


M = TypeVar("M", bound=Whole)
V = TypeVar("V", bound=Ordered)
Given = TypeVar("Given", covariant=True)


class Scaled(Protocol[Given]):
    """The rows of a chain as whole numbers over a common denominator."""

    def together(
        self, states: Iterable[int], choice: int, /
    ) -> tuple[Given, Mapping[int, Sequence[tuple[int, Given]]]]:
        """The common denominator of the rows of some states under an input, and (target, numerator) of each."""


@dataclass(frozen=True, slots=True)
class Notation(Generic[M, V]):
    """How a certificate writes the numbers of a field."""

    mass: Callable[[M], str]
    value: Callable[[V], str]


class Field(Protocol[M, V]):
    """What a graph asks of its numbers."""

    @property
    def none(self) -> M:
        """No mass."""

    @property
    def one(self) -> M:
        """The mass 1."""

    @property
    def zero(self) -> V:
        """The value 0."""

    def whole(self, number: int) -> M:
        """The integer as a mass."""

    def common(self, values: Iterable[M]) -> M:
        """The greatest common divisor; positive."""

    def tokens(self, masses: Sequence[M]) -> Hashable:
        """What tells masses from others, in their order."""

    def key(self, masses: Sequence[tuple[int, M]]) -> Hashable:
        """What tells the masses of states apart."""

    def size(self, mass: M) -> int:
        """The length in bits, about."""

    def quotient(self, top: M, bottom: M) -> V:
        """The value top / bottom."""

    def length(self, value: V) -> int:
        """The length of a value's denominator in bits, about."""

    def value(self, number: Exact) -> V:
        """An exact number of this field."""

    def exactly(self, value: V) -> Exact:
        """The number that a value is."""

    def nearest(self, value: V) -> float:
        """The float nearest to a value, or to a number a little above it."""

    def alphas(self, at: ExpEpsilon) -> tuple[V, V]:
        """e^ε as it is used for upper and for lower bounds."""

    def base(self, at: ExpEpsilon) -> int | None:
        """The least k for which all numbers at e^ε are functions of e^(1/k); None if they are rational."""

    def notation(self, base: int | None) -> Notation[M, V]:
        """How a certificate writes the numbers, as functions of e^(1/base)."""


AnyField: TypeAlias = Field[Any, Any]
"""Whatever its numbers."""


class Rationals:
    """Integers and their quotients."""

    none, one, zero = 0, 1, fmpq(0)

    def whole(self, number: int) -> int:
        """Itself."""
        return number

    def common(self, values: Iterable[int]) -> int:
        """By Euclid."""
        return math.gcd(*values)

    def tokens(self, masses: Sequence[int]) -> Hashable:
        """Themselves."""
        return tuple(masses)

    def key(self, masses: Sequence[tuple[int, int]]) -> Hashable:
        """The masses themselves."""
        return masses

    def size(self, mass: int) -> int:
        """Its bits."""
        return mass.bit_length()

    def quotient(self, top: int, bottom: int) -> fmpq:
        """A rational."""
        return fmpq(top, bottom)

    def length(self, value: fmpq) -> int:
        """The bits of the denominator."""
        return int(value.q).bit_length()

    def value(self, number: Exact) -> fmpq:
        """A Fraction as flint has it."""
        found = rational(number)
        if found is None:
            raise ValueError("a number that is not rational")
        return to_flint(found)

    def exactly(self, value: fmpq) -> Fraction:
        """The Fraction."""
        return to_fraction(value)

    def nearest(self, value: fmpq) -> float:
        """Rounded once."""
        return float(int(value.p) / int(value.q))

    def alphas(self, at: ExpEpsilon) -> tuple[fmpq, fmpq]:
        """The two rationals around it."""
        return to_flint(at.below), to_flint(at.above)

    def base(self, at: ExpEpsilon) -> int | None:  # noqa: ARG002  # all fields have the same methods
        """None: every number is rational."""
        return None

    def notation(self, base: int | None) -> Notation[int, fmpq]:  # noqa: ARG002
        """Digits, and the text p/q."""
        return Notation(format_fraction, str)


class Functions:
    """Integer polynomials in X = e^(1/k) and their quotients."""

    none, one, zero = fmpz_poly([0]), fmpz_poly([1]), as_exponential(0)

    def __init__(self, k: int, degree: int = 0) -> None:
        self.k = k
        self._degree = degree  # of the rows' denominator

    def whole(self, number: int) -> fmpz_poly:
        """A constant."""
        return fmpz_poly([number])

    def common(self, values: Iterable[fmpz_poly]) -> fmpz_poly:
        """By Euclid, in Z[X]; of the two signs the one that is positive at X."""
        found = self.none
        for value in values:
            found = found.gcd(value)
            if found == 1:
                return self.one
        # Flint's sign is that of the leading coefficient, which says nothing about the value at X.
        return found if self.quotient(found, self.one).sign > 0 else -found

    def tokens(self, masses: Sequence[fmpz_poly]) -> Hashable:
        """The coefficients."""
        return tuple([tuple(mass.coeffs()) for mass in masses])

    def key(self, masses: Sequence[tuple[int, fmpz_poly]]) -> Hashable:
        """The coefficients."""
        return tuple([(state, tuple(mass.coeffs())) for state, mass in masses])

    def size(self, mass: fmpz_poly) -> int:
        """The bits of all coefficients, about."""
        if not mass:
            return 0
        found = mass.coeffs()
        return len(found) * (int(found[0]).bit_length() + int(found[-1]).bit_length() + 1)

    def quotient(self, top: fmpz_poly, bottom: fmpz_poly) -> Exponential:
        """A function of X."""
        return function_of(self.k, top, bottom) if top else self.zero

    def length(self, value: Exponential) -> int:
        """The bits of the denominator's coefficients."""
        return self.size(value.bottom)

    def value(self, number: Exact) -> Exponential:
        """The number, a Fraction too, as a function."""
        return as_exponential(number)

    def exactly(self, value: Exponential) -> Exact:
        """The Fraction, or the function."""
        known = value.rational
        return value if known is None else known

    def nearest(self, value: Exponential) -> float:
        """Of what encloses it, the upper end."""
        return float(ends(value)[1])

    def alphas(self, at: ExpEpsilon) -> tuple[Exponential, Exponential]:
        """e^ε itself, twice: a power of e, or a rational; the two rationals around it if its power is too high."""
        if at.epsilon is not None and self._within_reach(at.epsilon):
            return exp_of(at.epsilon), exp_of(at.epsilon)
        return as_exponential(at.below), as_exponential(at.above)

    def _within_reach(self, epsilon: Fraction) -> bool:
        """Whether e^ε is a power of an e^(1/k) in which the rows have low degrees, too."""
        shared = math.lcm(self.k, epsilon.denominator)
        # With a finer X the rows' polynomials are stretched, and every product with them.
        low = shared == self.k or shared // self.k * self._degree <= MOST_DEGREE
        return low and shared <= MOST_STRETCHED * self.k and epsilon * shared <= MOST_POWER

    def base(self, at: ExpEpsilon) -> int:
        """One k for rows and e^ε."""
        return math.lcm(self.k, self.alphas(at)[0].k)

    def notation(self, base: int | None) -> Notation[fmpz_poly, Exponential]:
        """Coefficients of numerator and denominator in powers of X = e^(1/base)."""

        def write(value: Exponential) -> str:
            return as_text(value, base or self.k)

        return Notation(lambda mass: write(self.quotient(mass, self.one)), write)


def as_text(number: Exact, k: int = 1) -> str:
    """The number as certificates have it: p/q, or the coefficients of numerator and denominator in e^(1/k).

    >>> as_text(1 / (1 + exp_of(Fraction(1, 2))), 4), as_text(Fraction(1, 2), 4)
    ('1/1 0 1', '1/2')
    """
    known = rational(number)
    if known is not None:
        return format_fraction(known)
    parts = [" ".join(map(format_fraction, coefficients(p))) for p in polynomials(as_exponential(number), k)]
    return "/".join(part for n, part in enumerate(parts) if n == 0 or part != "1")


def rational(number: Exact) -> Fraction | None:
    """The number as a Fraction, if it is one."""
    return number if isinstance(number, Fraction) else number.rational


def ends(number: Exact, bits: int = VALUE_BITS) -> tuple[Fraction, Fraction]:
    """The number between two Fractions of one sign, about ``bits`` of it; equal if it is a Fraction."""
    known = rational(number)
    if known is not None:
        return known, known
    function, more = as_exponential(number), bits
    low, high = function.enclose(more)
    while low <= 0 <= high or (high - low) * 2**bits > max(abs(low), abs(high)):
        more *= 2  # so small a number needs more than its first digits after the point; it is irrational, so not 0
        low, high = function.enclose(more)
    return low, high


def floor(number: Exact, bits: int = 0) -> int:
    """The largest integer that is at most the number times 2^bits.

    >>> floor(exp_of(Fraction(1))), floor(Fraction(-3, 2), 1), floor(exp_of(Fraction(1)), 10)
    (2, -3, 2783)
    """
    known, more = rational(number), bits + VALUE_BITS
    if known is not None:
        return (known.numerator << bits) // known.denominator
    low, high = ends(number, more)
    while (low.numerator << bits) // low.denominator != (high.numerator << bits) // high.denominator:
        more *= 2  # an irrational number is not an integer: the ends come to lie on one side of it
        low, high = ends(number, more)
    return (low.numerator << bits) // low.denominator


def length(number: Exact) -> int:
    """The bits of its denominator, about."""
    return number.denominator.bit_length() if isinstance(number, Fraction) else _size(number.bottom)


def _size(polynomial: fmpz_poly) -> int:
    return (polynomial.degree() + 1) * polynomial.height_bits()


def text_of(number: Exact) -> str:
    """The number as text: p/q, or a formula of exp that can be read back."""
    known = rational(number)
    return str(number) if known is None else format_fraction(known)
