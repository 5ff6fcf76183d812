"""The rows of a chain as whole numbers: integers, or integer polynomials in X = e^(1/k), over a common denominator.

Fractions have one denominator for all rows of a chain: it is short, or their lengths are about the same. Functions have
one for the rows that meet in a step. Rows with unrelated denominators, such as the laws of noise that was compared,
would otherwise all be multiplied by what a few of them need.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpz_poly

from ..numbers.exponential import sign_at
from .chain import Chain
from .rows import AnyRow, PointRow, once_per_row

if TYPE_CHECKING:
    Polynomials = list[tuple[int, fmpz_poly]]


MOST_BITS = 4096
"""Up to so many bits, all rows of Fractions have one denominator."""


class WholeRows(NamedTuple):
    """Rows of Fractions over one denominator."""

    denominator: int
    layers: Sequence[Mapping[int, Sequence[tuple[int, int]]]]
    """For each input, (target, numerator) of each state that offers it."""

    @classmethod
    def of(cls, chain: Chain) -> WholeRows | FractionRows:
        """Those of a chain, apart if one denominator would be long; UncertainChain where they are not Fractions."""
        denominator = 1
        for each in {p.denominator for rows in chain.moves for row in rows for _, p in row}:
            denominator = math.lcm(denominator, each)
            if denominator.bit_length() > MOST_BITS:
                return FractionRows(chain)
        layers: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(chain.layers)]
        for state, rows in enumerate(chain.moves):
            for choice, row in enumerate(rows):
                layers[choice][state] = [(j, p.numerator * (denominator // p.denominator)) for j, p in row]
        return cls(denominator, layers)

    def together(
        self,
        states: Iterable[int],  # noqa: ARG002  # all rows have one denominator
        choice: int,
    ) -> tuple[int, Mapping[int, Sequence[tuple[int, int]]]]:
        """The common denominator, and (target, numerator) of each state under an input."""
        return self.denominator, self.layers[choice]


class FractionRows:
    """Rows of Fractions, each over a denominator of its own: those of programs that keep noise share little."""

    def __init__(self, chain: Chain) -> None:
        self._moves = chain.moves

    def together(self, states: Iterable[int], choice: int) -> tuple[int, Mapping[int, Sequence[tuple[int, int]]]]:
        """The common denominator of the rows of some states under an input, and (target, numerator) of each."""
        met = {state: self._moves[state][choice] for state in states}
        common = math.lcm(*(p.denominator for row in met.values() for _, p in row))
        rows = {state: [(j, p.numerator * (common // p.denominator)) for j, p in row] for state, row in met.items()}
        return common, rows


class PolynomialRows:
    """Rows of functions of X = e^(1/k), each over a denominator of its own; it and all numerators are positive at X."""

    def __init__(self, chain: Chain, k: int) -> None:
        """``k`` is a multiple of the chain's own `Chain.base`."""
        self._k = k
        over_its_own = once_per_row(lambda row: _over_its_own(row, k))
        self._rows = [[over_its_own(row) for row in rows] for rows in chain.given]
        self._factors: dict[frozenset[tuple[int, ...]], tuple[fmpz_poly, dict[tuple[int, ...], fmpz_poly]]] = {}

    @property
    def degree(self) -> int:
        """The largest degree of a denominator."""
        return max(bottom.degree() for rows in self._rows for bottom, _ in rows)

    def together(self, states: Iterable[int], choice: int) -> tuple[fmpz_poly, Mapping[int, Polynomials]]:
        """The common denominator of the rows of some states under an input, and (target, numerator) of each."""
        met = {state: self._rows[state][choice] for state in states}
        keys = {state: _key(bottom) for state, (bottom, _) in met.items()}
        common, factors = self._common(frozenset(keys.values()), [bottom for bottom, _ in met.values()])
        if len(factors) == 1:
            return common, {state: tops for state, (_, tops) in met.items()}
        return common, {state: [(j, top * factors[keys[state]]) for j, top in tops] for state, (_, tops) in met.items()}

    def _common(
        self, known: frozenset[tuple[int, ...]], bottoms: Sequence[fmpz_poly]
    ) -> tuple[fmpz_poly, dict[tuple[int, ...], fmpz_poly]]:
        """The least common multiple, positive at X, and how many times each denominator goes into it."""
        found = self._factors.get(known)
        if found is None:
            apart = {_key(bottom): bottom for bottom in bottoms}
            common, *others = apart.values()
            for bottom in others:
                common = common // common.gcd(bottom) * bottom
            # A common divisor may be negative at X, and turn the sign.
            if others and sign_at(self._k, common) < 0:
                common = -common
            found = self._factors[known] = common, {key: common // bottom for key, bottom in apart.items()}
        return found


def _key(polynomial: fmpz_poly) -> tuple[int, ...]:
    return tuple(map(int, polynomial.coeffs()))


def _over_its_own(row: AnyRow, k: int) -> tuple[fmpz_poly, Polynomials]:
    """The row's own denominator and numerators."""
    if not isinstance(row, PointRow):
        raise ValueError("a row that is not exact")
    fractions = row.fractions
    if fractions is not None:
        common = math.lcm(*(p.denominator for _, p in fractions))
        return fmpz_poly([common]), [(j, fmpz_poly([p.numerator * (common // p.denominator)])) for j, p in fractions]
    functions = row.functions
    if functions is None:
        raise ValueError("a row of which something is cut off")
    finer = k // functions.k
    bottom = fmpz_poly(list(functions.bottom)).inflate(finer)
    # Lowest terms settle the sign of a leading coefficient, which says nothing of the value: 4 − e is written X − 4.
    # Probabilities are positive, so that over a positive denominator every numerator is positive, too.
    turn = -1 if sign_at(k, bottom) < 0 else 1
    return turn * bottom, [(j, turn * fmpz_poly(list(top)).inflate(finer)) for j, top in functions.tops]
