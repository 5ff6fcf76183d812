"""The skewed difference Δ_α [CMP18, Def. 6], the one that (ε, δ)-privacy is about: α = e^ε."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["skewed_difference"]


def skewed_difference(x: Fraction, y: Fraction, alpha: Fraction) -> Fraction:
    """Δ_α(x, y) = max(x − αy, y − αx, 0) [CMP18, Def. 6]; exact.

    >>> skewed_difference(Fraction(9), Fraction(3), Fraction(2))
    Fraction(3, 1)
    """
    return max(x - alpha * y, y - alpha * x, Fraction(0))
