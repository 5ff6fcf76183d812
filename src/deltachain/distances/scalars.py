"""The exact numbers that a distance is computed in: rationals, or rational functions of one X = e^(1/k).

Every exact step of this package is written once, for a number V of either kind; what only the kind itself knows is
here: floats beside a number, bounds of it, and how systems of linear equations are solved. Floats guide both alike.

Chains whose rows are limits or enclosures have no distance of their own, only one for each chain inside:
`scalars_of` refuses them, and nobody else asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, Self, TypeVar

from flint import fmpq, fmpq_mat

from ..cancel import Cancel
from ..model import AnyRow, Chain
from ..model.elimination import solve as eliminate
from ..numbers.exponential import Exponential, as_exponential
from ..numbers.field import Exact, Functions, Ordered, ends, rational
from ..numbers.flint import to_flint, to_fraction
from ..numbers.fraction import ExpEpsilon
from .lifting import Singular, solve_sparse

LARGEST_FLOAT = 1e300
"""Larger numbers are taken for this one in floats; products with probabilities and costs then stay finite."""

KNOWN_RATIONALS = 4096
KNOWN_FLOATS = 200_000
"""Functions whose floats are kept: enclosing one takes as long as hundreds of additions."""


class Signed(Ordered, Protocol):
    """What the exact numbers of a distance can do; 0 and 1 may stand on the right of a comparison."""

    def __neg__(self) -> Self: ...
    def __pow__(self, power: int, /) -> Self: ...
    def __lt__(self, other: Self | int, /) -> bool: ...
    def __le__(self, other: Self | int, /) -> bool: ...
    def __gt__(self, other: Self | int, /) -> bool: ...
    def __ge__(self, other: Self | int, /) -> bool: ...


V = TypeVar("V", bound=Signed)


class Scalars(Protocol[V]):
    """What the steps of a distance ask of their numbers."""

    @property
    def zero(self) -> V:
        """0."""

    @property
    def one(self) -> V:
        """1."""

    @property
    def exact_pairs(self) -> int:
        """Up to this many ordered same-label pairs, the exact value is tried without being asked for."""

    @property
    def exact_equations(self) -> int:
        """Linear systems of more equations are then refused: these take a second or so."""

    def ratio(self, top: int, bottom: int) -> V:
        """The quotient."""

    def number(self, value: Exact) -> V:
        """An exact number of this kind."""

    def exactly(self, value: V) -> Exact:
        """The number that a value is: a Fraction, wherever it is one."""

    def around(self, value: V) -> tuple[Fraction, Fraction]:
        """Fractions that are at most and at least the value; both are it, if it is one."""

    def entries(self, row: AnyRow) -> list[tuple[int, V]]:
        """The probabilities of a row that is exact, by target."""

    def alpha(self, at: ExpEpsilon) -> Exact:
        """The number that distances are measured at: e^ε itself where that is one of these, else one just below."""

    def nearest(self, value: V) -> float:
        """The float next to a non-negative number, within a relative 1e-15; at most `LARGEST_FLOAT`."""

    def two_floats(self, value: V) -> tuple[float, float]:
        """Two floats that sum to the number, to about 32 digits, so that differences lose nothing to cancellation."""

    def solve(self, rows: Sequence[Mapping[int, V]], right: Sequence[V], cancel: Cancel | None) -> list[V]:
        """The solution of sparse equations; `Singular` if there is not just one, or elimination cannot find it."""

    def inverse(self, columns: Sequence[Sequence[tuple[int, V]]]) -> list[list[V]] | None:
        """The inverse, by rows, of the square matrix with these columns, each as (row, coefficient); None: singular."""


def nearest_float(value: fmpq) -> float:
    """The float nearest to a non-negative rational, at most `LARGEST_FLOAT`; tiny numbers may become 0."""
    top, bottom = int(value.p), int(value.q)
    if top.bit_length() - bottom.bit_length() > 990:
        return LARGEST_FLOAT
    return top / bottom


class RationalScalars:
    """Rationals, as flint has them."""

    zero, one = fmpq(0), fmpq(1)
    exact_pairs, exact_equations = 3000, 400

    def ratio(self, top: int, bottom: int) -> fmpq:
        """A rational."""
        return fmpq(top, bottom)

    def number(self, value: Exact) -> fmpq:
        """A Fraction as flint has it."""
        known = rational(value)
        if known is None:
            raise ValueError("a number that is not rational")
        return to_flint(known)

    def exactly(self, value: fmpq) -> Fraction:
        """The Fraction."""
        return to_fraction(value)

    def around(self, value: fmpq) -> tuple[Fraction, Fraction]:
        """The Fraction, twice."""
        return to_fraction(value), to_fraction(value)

    def entries(self, row: AnyRow) -> list[tuple[int, fmpq]]:
        """Fractions as flint has them."""
        if row.fractions is None:
            raise ValueError("a row that is not of fractions")
        return [(target, _shared(p)) for target, p in row.fractions]

    def alpha(self, at: ExpEpsilon) -> Fraction:
        """The rational at or just below e^ε."""
        return at.below

    def nearest(self, value: fmpq) -> float:
        """Correctly rounded."""
        return nearest_float(value)

    def two_floats(self, value: fmpq) -> tuple[float, float]:
        """The nearest float, and the one nearest to the rest."""
        high = nearest_float(value)
        if high == LARGEST_FLOAT:
            return high, 0.0
        rest = value - fmpq(*high.as_integer_ratio())
        # The rest has either sign: the nearest float may be above the number.
        return high, nearest_float(rest) if rest >= 0 else -nearest_float(-rest)

    def solve(self, rows: Sequence[Mapping[int, fmpq]], right: Sequence[fmpq], cancel: Cancel | None) -> list[fmpq]:
        """By p-adic lifting."""
        return solve_sparse(rows, right, cancel)

    def inverse(self, columns: Sequence[Sequence[tuple[int, fmpq]]]) -> list[list[fmpq]] | None:
        """By flint."""
        size = range(len(columns))
        matrix = fmpq_mat(len(columns), len(columns))
        for c, column in enumerate(columns):
            for r, coefficient in column:
                matrix[r, c] = coefficient
        try:
            found = matrix.inv()
        except ZeroDivisionError:
            return None
        return [[found[r, c] for c in size] for r in size]


_shared = lru_cache(maxsize=KNOWN_RATIONALS)(to_flint)
"""Rows repeat few probabilities: each is made once, and told apart by its place in memory."""

RATIONALS = RationalScalars()


class FunctionScalars:
    """Rational functions of X = e^(1/k), for the rows of one chain."""

    zero, one = as_exponential(0), as_exponential(1)
    exact_pairs, exact_equations = 400, 60

    def __init__(self, k: int, degree: int) -> None:
        self._field = Functions(k, degree)

    def ratio(self, top: int, bottom: int) -> Exponential:
        """A constant."""
        return as_exponential(Fraction(top, bottom))

    def number(self, value: Exact) -> Exponential:
        """The number, a Fraction too, as a function."""
        return as_exponential(value)

    def exactly(self, value: Exponential) -> Exact:
        """The Fraction, or the function."""
        return self._field.exactly(value)

    def around(self, value: Exponential) -> tuple[Fraction, Fraction]:
        """Two ends that agree in many digits."""
        return ends(value)

    def entries(self, row: AnyRow) -> list[tuple[int, Exponential]]:
        """Functions, Fractions among them."""
        if row.exactly is None:
            raise ValueError("a row that is not exact")
        return [(target, as_exponential(p)) for target, p in row.exactly]

    def alpha(self, at: ExpEpsilon) -> Exact:
        """e^ε itself, unless its power of X is too high."""
        return self.exactly(self._field.alphas(at)[0])

    def nearest(self, value: Exponential) -> float:
        """From an enclosure whose ends agree in far more digits."""
        return _floats(value)[0]

    def two_floats(self, value: Exponential) -> tuple[float, float]:
        """Those of a rational that agrees with it in as many digits."""
        return _floats(value)

    def solve(
        self, rows: Sequence[Mapping[int, Exponential]], right: Sequence[Exponential], cancel: Cancel | None
    ) -> list[Exponential]:
        """By eliminating unknowns one by one; a pivot of 0 counts as singular.

        Of I − W with a finite value no principal minor is 0, so that elimination finds every such solution.
        """
        # Ax = b as x = (I − A)x + b, which is what elimination solves.
        inner: dict[int, dict[int, Exponential]] = {}
        for i, row in enumerate(rows):
            weights = {j: -entry for j, entry in row.items() if j != i}
            loop = 1 - row.get(i, self.zero)
            inner[i] = weights | {i: loop} if loop else weights
        outer = {i: {0: value} if value else {} for i, value in enumerate(right)}
        try:
            found = eliminate(inner, outer, cancel=cancel)
        except ZeroDivisionError:
            raise Singular(f"elimination meets a pivot of 0 in {len(rows)} equations") from None
        if found is None:  # only with a limit of its own
            raise Singular(f"{len(rows)} equations were not solved")
        return [found[i].get(0, self.zero) for i in range(len(rows))]

    def inverse(self, columns: Sequence[Sequence[tuple[int, Exponential]]]) -> list[list[Exponential]] | None:
        """By Gauss and Jordan, beside the identity; any entry that is not 0 may be the pivot."""
        size = len(columns)
        lines = [[self.zero] * size + [self.one if r == c else self.zero for c in range(size)] for r in range(size)]
        for c, column in enumerate(columns):
            for r, coefficient in column:
                lines[r][c] = coefficient
        for c in range(size):
            pivot = next((r for r in range(c, size) if lines[r][c]), None)
            if pivot is None:
                return None
            lines[c], lines[pivot] = lines[pivot], lines[c]
            head = lines[c][c]
            lines[c] = [entry / head if entry else entry for entry in lines[c]]
            for r in range(size):
                if r != c and (factor := lines[r][c]):
                    lines[r] = [a - factor * b if b else a for a, b in zip(lines[r], lines[c], strict=True)]
        return [line[size:] for line in lines]


@lru_cache(maxsize=KNOWN_FLOATS)
def _floats(value: Exponential) -> tuple[float, float]:
    return RATIONALS.two_floats(to_flint(ends(value)[0]))


def scalars_of(chain: Chain) -> Scalars[Any]:
    """The numbers of a chain's rows; UncertainChain where they are limits, enclosed, or cut off."""
    if chain.rational:
        return RATIONALS
    chain.need("exact", "distance", "bd, ld and sd need exact probabilities", "ask for delta, check or epsilon")
    degrees = (len(row.functions.bottom) - 1 for rows in chain.given for row in rows if row.functions is not None)
    return FunctionScalars(chain.base or 1, max(degrees, default=0))
