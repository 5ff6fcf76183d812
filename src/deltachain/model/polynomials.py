"""A chain whose rows are exact functions of X = e^(1/k), over one denominator: rows of integer polynomials in X."""

from __future__ import annotations

import math

from flint import fmpz_poly

from .boxes import AnyRow, BoxRow, Polynomial
from .chain import Chain


def polynomial_moves(chain: Chain, k: int) -> tuple[fmpz_poly, list[list[list[tuple[int, fmpz_poly]]]]]:
    """The common denominator, and for each state and input (target, numerator), in X = e^(1/k).

    ``k`` is a multiple of the chain's own `Chain.base`. The denominator is positive at X, and so is every numerator.
    """
    rows = [[_over_its_own(row, k) for row in rows] for rows in chain.given]
    common = fmpz_poly([1])
    for bottom in {tuple(map(int, bottom.coeffs())): bottom for row in rows for bottom, _ in row}.values():
        common = common * (bottom // common.gcd(bottom))
    factors: dict[tuple[int, ...], fmpz_poly] = {}

    def factor(bottom: fmpz_poly) -> fmpz_poly:
        key = tuple(map(int, bottom.coeffs()))
        if key not in factors:
            factors[key] = common // bottom
        return factors[key]

    return common, [[[(j, top * factor(bottom)) for j, top in tops] for bottom, tops in row] for row in rows]


def _over_its_own(row: AnyRow, k: int) -> tuple[fmpz_poly, list[tuple[int, fmpz_poly]]]:
    """The row's own denominator and numerators."""
    if not isinstance(row, BoxRow):
        bottom = math.lcm(*(p.denominator for _, p in row))
        return fmpz_poly([bottom]), [(j, fmpz_poly([p.numerator * (bottom // p.denominator)])) for j, p in row]
    exact = row.exact
    if exact is None:
        raise ValueError("a box that does not know what it encloses")
    spread = k // exact.k
    return stretched(exact.bottom, spread), [(j, stretched(top, spread)) for j, top in exact.tops]


def stretched(polynomial: Polynomial, factor: int) -> fmpz_poly:
    """p(X^factor)."""
    spread = [0] * ((len(polynomial) - 1) * factor + 1)
    spread[::factor] = polynomial
    return fmpz_poly(spread)
