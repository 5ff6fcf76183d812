"""A chain whose rows are exact functions of X = e^(1/k), each as integer polynomials in X over its own denominator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .chain import Chain
from .rows import AnyRow, PointRow, once_per_row

if TYPE_CHECKING:
    from flint import fmpz_poly


def polynomial_rows(chain: Chain, k: int) -> list[list[tuple[fmpz_poly, list[tuple[int, fmpz_poly]]]]]:
    """For each state and input, the row's denominator and (target, numerator), in X = e^(1/k); all positive at X.

    ``k`` is a multiple of the chain's own `Chain.base`.
    """
    from ..numbers.exponential import sign_at

    @once_per_row
    def positive(row: AnyRow) -> tuple[fmpz_poly, list[tuple[int, fmpz_poly]]]:
        bottom, tops = _over_its_own(row, k)
        # Lowest terms settle the sign of a leading coefficient, which says nothing of the value: 4 − e is written
        # X − 4. Probabilities are positive, so that over a positive denominator every numerator is positive, too.
        return (bottom, tops) if sign_at(k, bottom) > 0 else (-bottom, [(j, -top) for j, top in tops])

    return [list(map(positive, rows)) for rows in chain.given]


def _over_its_own(row: AnyRow, k: int) -> tuple[fmpz_poly, list[tuple[int, fmpz_poly]]]:
    """The row's own denominator and numerators."""
    from flint import fmpz_poly

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
    numerators = [(j, fmpz_poly(list(top)).inflate(finer)) for j, top in functions.tops]
    return fmpz_poly(list(functions.bottom)).inflate(finer), numerators
