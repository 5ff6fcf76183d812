"""Rational stand-ins next to e: X = e^(1/k) replaced by a rational that agrees with it in thirty digits.

What is decided exactly over functions of X is decided the same way at such a rational: what vanishes at e vanishes
identically, and so there, too; what does not is far larger than 10^-30 for numbers as short as those of tests. So the
distance of the stand-in is that of the chain, with X replaced, to the last digit.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpz_poly

from deltachain.model import Chain, PointRow
from deltachain.numbers.ball import exp
from deltachain.numbers.exponential import Exponential, as_exponential

BITS = 100


def near(k: int) -> Fraction:
    """A rational next to e^(1/k)."""
    low, high = exp(Fraction(1, k), BITS)
    return ((low + high) / 2).limit_denominator(10**15)


def replaced(number: Exponential | Fraction, k: int) -> Fraction:
    """The number, a function of e^(1/k), with `near` in place of that."""
    function = as_exponential(number)
    x = near(k) ** (k // function.k)
    return _value(function.top, x) / _value(function.bottom, x)


def _value(polynomial: fmpz_poly, x: Fraction) -> Fraction:
    return sum((int(c) * x**n for n, c in enumerate(polynomial.coeffs())), Fraction(0))


def stand_in(chain: Chain, k: int) -> Chain:
    """The chain with `near` in place of e^(1/k)."""
    names = chain.states

    def row(given: object) -> dict[str, Fraction]:
        assert isinstance(given, PointRow)
        return {names[target]: replaced(p, k) for target, p in given}

    rows: dict[str, object] = {}
    for state, given in enumerate(chain.given):
        by_input = {asked: row(one) for asked, one in zip(chain.offered(state), given, strict=True)}
        rows[names[state]] = by_input.pop(None) if None in by_input else by_input
    return Chain.from_dicts(rows, dict(zip(names, chain.labels, strict=True)))
