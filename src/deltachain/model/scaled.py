"""A chain whose rows are exact functions of X = e^(1/k), over one denominator: rows of integer polynomials in X."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .chain import Chain
from .rows import AnyRow, PointRow

if TYPE_CHECKING:
    from flint import fmpz_poly


def polynomial_moves(chain: Chain, k: int) -> tuple[fmpz_poly, list[list[list[tuple[int, fmpz_poly]]]]]:
    """The common denominator, and for each state and input (target, numerator), in X = e^(1/k).

    ``k`` is a multiple of the chain's own `Chain.base`. The denominator is positive at X, and so is every numerator.
    """
    from flint import fmpz_poly

    from ..numbers.exponential import sign_at

    rows = [[_over_its_own(row, k) for row in rows] for rows in chain.given]
    common = fmpz_poly([1])
    for bottom in {tuple(map(int, bottom.coeffs())): bottom for row in rows for bottom, _ in row}.values():
        common = common * (bottom // common.gcd(bottom))
    # Lowest terms settle the sign of a leading coefficient, which says nothing of the value: 4 − e is written X − 4.
    # Probabilities are positive, so that over a positive denominator every numerator is positive, too.
    if sign_at(k, common) < 0:
        common = -common
    factors: dict[tuple[int, ...], fmpz_poly] = {}

    def factor(bottom: fmpz_poly) -> fmpz_poly:
        key = tuple(map(int, bottom.coeffs()))
        if key not in factors:
            factors[key] = common // bottom
        return factors[key]

    return common, [[[(j, top * factor(bottom)) for j, top in tops] for bottom, tops in row] for row in rows]


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
