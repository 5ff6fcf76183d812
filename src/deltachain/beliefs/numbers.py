"""The numbers of a belief graph: integers for rational rows, integer polynomials in X for functions of X = e^(1/k).

Masses are whole numbers, with a greatest common divisor; weights of edges and values are quotients of them. The graph
and its solution are written once, for both: polynomials and their quotients (`Exponential`) add, multiply, divide and
compare as integers and rationals do, and stand in for them here, which is why the types below speak of integers and
rationals alone. Signs of functions are exact: a polynomial in X vanishes only if its coefficients do, and every other
sign is settled by enclosing X.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, cast

from flint import fmpq, fmpz_poly

from ..certificate.record import exact_text
from ..flints import exact, fraction
from ..model import Chain
from ..rational import ExpEpsilon

if TYPE_CHECKING:
    from ..exponentials import Exponential

MOST_STRETCHED, MOST_POWER, MOST_DEGREE = 64, 2_000, 2_000
"""How much finer than the rows' e^(1/k) that of e^ε may be, to which power of it, and of which degree rows are in it.

Beyond, e^ε is enclosed.
"""
ENCLOSED_BITS = 160
"""How closely a value that is no Fraction is enclosed."""


class Numbers(Protocol):
    """What a graph asks of its numbers."""

    denominator: int
    moves: list[list[list[tuple[int, int]]]]
    """The rows times the denominator: for each state and input, (target, numerator)."""
    one: int
    zero: fmpq

    def common(self, values: Iterable[int]) -> int:
        """The greatest common divisor; positive."""

    def key(self, masses: Sequence[tuple[int, int]]) -> Hashable:
        """What tells masses apart."""

    def size(self, mass: int) -> int:
        """The length in bits, about."""

    def quotient(self, top: int, bottom: int) -> fmpq:
        """The value top / bottom."""

    def alphas(self, at: ExpEpsilon) -> tuple[fmpq, fmpq]:
        """e^ε as it is used for upper and for lower bounds."""

    def bounds(self, value: fmpq) -> tuple[Fraction, Fraction]:
        """The value between two Fractions, which are equal if it is one."""

    def text(self, value: fmpq | int) -> object:
        """The number as a certificate has it."""

    def header(self, at: ExpEpsilon) -> dict[str, object]:
        """What a certificate says of the numbers, once."""


class Integers:
    """The numbers of a chain with rational rows."""

    def __init__(self, chain: Chain) -> None:
        self.one, self.zero = 1, fmpq(0)
        self.denominator = math.lcm(*{p.denominator for rows in chain.moves for row in rows for _, p in row})
        self.moves = [
            [[(j, p.numerator * (self.denominator // p.denominator)) for j, p in row] for row in rows]
            for rows in chain.moves
        ]

    def common(self, values: Iterable[int]) -> int:
        """By Euclid."""
        return math.gcd(*values)

    def key(self, masses: Sequence[tuple[int, int]]) -> Hashable:
        """The masses themselves."""
        return masses

    def size(self, mass: int) -> int:
        """Its bits."""
        return mass.bit_length()

    def quotient(self, top: int, bottom: int) -> fmpq:
        """A rational."""
        return fmpq(top, bottom)

    def alphas(self, at: ExpEpsilon) -> tuple[fmpq, fmpq]:
        """The two rationals around it."""
        return exact(at.below), exact(at.above)

    def bounds(self, value: fmpq) -> tuple[Fraction, Fraction]:
        """The value itself, twice."""
        return fraction(value), fraction(value)

    def text(self, value: fmpq | int) -> object:
        """The text p/q."""
        return exact_text(value)

    def header(self, at: ExpEpsilon) -> dict[str, object]:  # noqa: ARG002  # all numbers have the same methods
        """Nothing."""
        return {}


class Functions:
    """The numbers of a chain whose rows are functions of X = e^(1/k)."""

    def __init__(self, chain: Chain, k: int) -> None:
        from .. import exponentials
        from ..model.polynomials import polynomial_moves

        self.k, self.base, self._functions = k, k, exponentials
        denominator, moves = polynomial_moves(chain, k)
        self._degree = denominator.degree()
        self.denominator = cast("int", denominator)
        self.moves = cast("list[list[list[tuple[int, int]]]]", moves)
        self.one = cast("int", fmpz_poly([1]))
        self.zero = cast("fmpq", exponentials.as_exponential(0))

    def _function(self, number: fmpq | int) -> Exponential:
        """A value, or a mass, as what it is."""
        found: object = number
        if isinstance(found, fmpz_poly):
            return self._functions.function_of(self.k, found, fmpz_poly([1]))
        return self._functions.as_exponential(cast("Exponential", found))

    def common(self, values: Iterable[int]) -> int:
        """By Euclid, in Z[X]; of the two signs the one that is positive at X."""
        found = fmpz_poly([0])
        for value in values:
            found = found.gcd(cast("fmpz_poly", value))
            if found == 1:
                return self.one
        whole = cast("int", found)
        return whole if self._function(whole).sign > 0 else -whole

    def key(self, masses: Sequence[tuple[int, int]]) -> Hashable:
        """The coefficients."""
        return tuple((state, tuple(cast("fmpz_poly", mass).coeffs())) for state, mass in masses)

    def size(self, mass: int) -> int:
        """The bits of all coefficients, about."""
        if not mass:
            return 0
        coefficients = cast("fmpz_poly", mass).coeffs()
        return len(coefficients) * (int(coefficients[0]).bit_length() + int(coefficients[-1]).bit_length() + 1)

    def quotient(self, top: int, bottom: int) -> fmpq:
        """A function of X."""
        if not top:
            return self.zero
        return cast("fmpq", self._functions.function_of(self.k, cast("fmpz_poly", top), cast("fmpz_poly", bottom)))

    def alphas(self, at: ExpEpsilon) -> tuple[fmpq, fmpq]:
        """e^ε itself, twice: a power of e, or a rational; the two rationals around it if its power is too high."""
        functions = self._functions
        ends = functions.as_exponential(at.below), functions.as_exponential(at.above)
        if at.epsilon is not None and self._within_reach(at.epsilon):
            ends = functions.exp_of(at.epsilon), functions.exp_of(at.epsilon)
        return cast("fmpq", ends[0]), cast("fmpq", ends[1])

    def _within_reach(self, epsilon: Fraction) -> bool:
        """Whether e^ε is a power of an e^(1/k) in which the rows have low degrees, too."""
        shared = math.lcm(self.k, epsilon.denominator)
        low = shared == self.k or shared // self.k * self._degree <= MOST_DEGREE
        return low and shared <= MOST_STRETCHED * self.k and epsilon * shared <= MOST_POWER

    def bounds(self, value: fmpq) -> tuple[Fraction, Fraction]:
        """An enclosure; exact where the value is a Fraction."""
        function = self._function(value)
        known = function.rational
        return function.enclosed(ENCLOSED_BITS) if known is None else (known, known)

    def text(self, value: fmpq | int) -> object:
        """Coefficients of numerator and denominator in e^(1/k)."""
        function = self._function(value)
        if function.rational is not None:
            return exact_text(function.rational)
        parts = self._functions.polynomials(function, self.base)
        return [[exact_text(c) for c in self._functions.coefficients(part)] for part in parts]

    def header(self, at: ExpEpsilon) -> dict[str, object]:
        """The k of X = e^(1/k), and e^ε where it is one number."""
        below, above = self.alphas(at)
        self.base = math.lcm(self.base, self._function(below).k)
        return {"base": str(self.base)} | ({"alpha": self.text(below)} if below == above else {})


def numbers_of(chain: Chain) -> Numbers:
    """The numbers of the chain's graph; UncertainChain if its rows are not known exactly."""
    return Integers(chain) if chain.base is None else Functions(chain, chain.base)
