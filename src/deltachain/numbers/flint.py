"""Between `Fraction`, which the interface speaks, and flint's `fmpq`, which is fast: both exact, in one place."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq


def to_flint(value: Fraction | int) -> fmpq:
    """The flint rational equal to a Fraction.

    >>> to_flint(Fraction(2, 3))
    2/3
    """
    return fmpq(value.numerator, value.denominator)


def to_fraction(value: fmpq) -> Fraction:
    """The Fraction equal to a flint rational.

    >>> to_fraction(to_flint(Fraction(2, 3)))
    Fraction(2, 3)
    """
    return Fraction(int(value.p), int(value.q))
