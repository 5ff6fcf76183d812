"""A chain whose rows are exact functions of X = e^(1/k), over one denominator: rows of integer polynomials in X."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from .boxes import AnyRow, BoxRow, ExactRow, Polynomial
from .chain import Chain

if TYPE_CHECKING:
    from flint import fmpz_poly

    from ..exponentials import Exponential

ENCLOSED_BITS = 320
"""How closely probabilities are enclosed that are functions of e^(1/k)."""
MOST_BITS = 1 << 24
"""The coefficients of a row that is computed with exactly have no more bits together; a longer one is enclosed."""


def in_lowest_terms(row: BoxRow) -> AnyRow:
    """The row with what it encloses over the least denominator and the least k; a plain row if that is rational.

    Single probabilities that are rational are enclosed by themselves.
    """
    from flint import fmpz_poly

    exact = row.exact
    if exact is None:
        return row
    parts = [fmpz_poly(list(part)) for part in (exact.bottom, *(top for _, top in exact.tops))]
    common = fmpz_poly([0])
    for part in parts:
        common = common.gcd(part)
        if common == 1:
            break
    bottom, *tops = (part // common for part in parts) if common != 1 else parts
    if bottom[bottom.degree()] < 0:
        bottom, tops = -bottom, [-top for top in tops]
    shared = math.gcd(exact.k, *(i for part in (bottom, *tops) for i, c in enumerate(part.coeffs()) if c))
    least, *numerators = (tuple(map(int, part.coeffs()[::shared])) for part in (bottom, *tops))
    known = {target: top for (target, _), top in zip(exact.tops, numerators, strict=True) if top}
    rational = {target: p for target, top in known.items() if (p := _ratio(top, least)) is not None}
    if len(rational) == len(known):
        return tuple((target, rational[target]) for target in sorted(rational))
    ends = ((target, rational.get(target, lo), rational.get(target, hi)) for target, lo, hi in row if target in known)
    return replace(row, entries=tuple(ends), exact=ExactRow(exact.k // shared, tuple(sorted(known.items())), least))


def row_of_functions(entries: Mapping[int, Exponential]) -> AnyRow:
    """The row of these probabilities: over one denominator, with enclosures; rational ones as they are."""
    from flint import fmpz_poly

    from ..exponentials import coefficients, common_base, polynomials

    if all(p.rational is not None for p in entries.values()):
        return tuple((j, entries[j].rational or Fraction(0)) for j in sorted(entries))
    k = common_base(entries.values())
    parts = {j: polynomials(p, k) for j, p in entries.items()}
    bottom = fmpz_poly([1])
    for _, own in parts.values():
        if own != bottom:
            bottom = bottom * (own // bottom.gcd(own))
    tops = {j: top if own == bottom else top * (bottom // own) for j, (top, own) in parts.items()}
    ends = tuple((j, *entries[j].enclosed(ENCLOSED_BITS)) for j in sorted(entries))
    size = sum((part.degree() + 1) * part.height_bits() for part in (bottom, *tops.values()))
    if size > MOST_BITS and sum(tops.values(), fmpz_poly([0])) == bottom:
        return BoxRow(ends, Fraction(0), "enclosure")
    written = tuple((j, coefficients(tops[j])) for j in sorted(tops))
    return BoxRow(ends, Fraction(0), "enclosure", ExactRow(k, written, coefficients(bottom)))


def _ratio(top: Polynomial, bottom: Polynomial) -> Fraction | None:
    """top/bottom, if it is a rational number."""
    if len(top) != len(bottom) or any(a * bottom[-1] != b * top[-1] for a, b in zip(top, bottom, strict=True)):
        return None
    return Fraction(top[-1], bottom[-1])


def polynomial_moves(chain: Chain, k: int) -> tuple[fmpz_poly, list[list[list[tuple[int, fmpz_poly]]]]]:
    """The common denominator, and for each state and input (target, numerator), in X = e^(1/k).

    ``k`` is a multiple of the chain's own `Chain.base`. The denominator is positive at X, and so is every numerator.
    """
    from flint import fmpz_poly

    from ..exponentials import sign_at

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
    from flint import fmpz_poly

    spread = [0] * ((len(polynomial) - 1) * factor + 1)
    spread[::factor] = polynomial
    return fmpz_poly(spread)
