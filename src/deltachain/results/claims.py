"""What the checker accepted, for people: its fractions by decimals that are rounded outward."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from deltachain_checker import Claim, describe
from deltachain_checker.claims import SIGNS, beside, name_of, said_of
from deltachain_checker.document import shown
from deltachain_checker.numbers import text

from ..certificate.claims import as_exact
from .numbers import decimal, equation, exact_text, interval, outward

DIGITS = 14
MOST_CORNERS, SHORT = 6, 12
LONGEST = 30
"""Numbers of so many characters are shown as they are."""


def rounded_claim(claim: Claim) -> str:
    """The sentence of one claim, rounded so that it still follows from what was checked.

    >>> third, eighth, eleven = Fraction(1, 3), Fraction(1, 8), Fraction(11, 10)
    >>> rounded_claim(Claim(measure="delta", subject=("s", "t"), lower=third, upper=2 * third, at=(eleven, eleven)))
    '0.333333 ≤ delta of (s, t) ≤ 0.666667 at e^ε = 1.1'
    >>> rounded_claim(Claim(measure="bd", subject=("s", "t"), lower=eighth, upper=eighth, at=(Fraction(2),)))
    'bd(s, t) = 1/8 = 0.125 at e^ε = 2'
    """
    if "part" in claim.terms:
        return shown(_in_part(claim)) or describe(claim)
    if claim.measure == "tradeoff":
        return shown(_corners(claim))
    if claim.infinite or claim.upper is None:
        return describe(claim)
    said = interval(name_of(claim), as_exact(claim.lower), as_exact(claim.upper))
    return shown(f"{said}{_at(claim)}{beside(claim)}")


def _corners(claim: Claim) -> str:
    """The corners, or of many the first ones; they say more than δ at one ε."""
    corners = [(_short(a), _short(b)) for a, b in claim.terms["corners"]]
    listed = ", ".join(f"({a}, {b})" for a, b in corners[:MOST_CORNERS])
    more = f", … ({len(corners)} in all)" if len(corners) > MOST_CORNERS else ""
    return f"{name_of(claim)} has exactly the corners {listed}{more}: δ at every ε, and the least ε for every δ, follow"


def _short(number: Any) -> str:
    """A rate: the number itself, if it is short."""
    written = exact_text(as_exact(number))
    return written if len(written) <= SHORT else decimal(as_exact(number))


def _at(claim: Claim) -> str:
    """e^ε: the one number, or a decimal of the two around it; nothing where the claim is about none."""
    if not claim.at:
        return ""
    if claim.at[0] != claim.at[-1]:
        return f" at e^ε ≈ {decimal(claim.at[0]).removeprefix('≈ ')}"
    one = claim.at[0]
    return f" at {equation('e^ε', one)}" if isinstance(one, Fraction) else f" at e^ε = {one}"


def _in_part(claim: Claim) -> str:
    """About a part of an interval: its bounds rounded outward, the part inward; nothing if that leaves none."""
    parameter, (low, high, (after, before)) = claim.terms["parameter"], claim.terms["part"]
    bounds = {"upper": claim.upper, "lower": claim.lower} | dict(claim.terms)
    said = name_of(claim)
    for side, sign in SIGNS.items():
        if bounds.get(side) is not None:
            said += f" {sign} {_bound(bounds[side], above=side in ('upper', 'below'))}"
    alpha = said_of(claim.at[0])
    if low == high and len(text(low)) > LONGEST:
        return f"{said} at one {parameter} {decimal(low, DIGITS)}, at e^ε = {alpha}"
    left, right = "(" if after else "[", ")" if before else "]"
    least, most = text(low), text(high)
    if len(least) > LONGEST:
        least, left = outward(low, "upper", DIGITS), "["
    if len(most) > LONGEST:
        most, right = outward(high, "lower", DIGITS), "]"
    if Fraction(least) > Fraction(most):
        return ""
    return f"{said} for every {parameter} in {left}{least}, {most}{right}, at e^ε = {alpha}"


def _bound(bound: Any, *, above: bool) -> str:
    """A bound as it is written, or, of a long fraction, a decimal on its side."""
    written = said_of(bound)
    if len(written) <= LONGEST or not isinstance(bound, Fraction):
        return written
    return outward(bound, "upper" if above else "lower")
