"""What is drawn, decided before it is drawn."""

from __future__ import annotations

from fractions import Fraction

from deltachain.results.plots import _at_most


def test_formulas_of_e_are_compared_with_a_limit() -> None:
    """They were read as fractions, and refused."""
    rows = [
        {"p": 1, "q": 1, "upper_exact": "1/(1+exp(1))"},  # 0.2689…
        {"p": 1, "q": 2, "upper_exact": "1/4"},
        {"p": 2, "q": 1, "upper_exact": None},
    ]
    assert _at_most(rows, "upper", ["p", "q"], Fraction(1, 4)) == {(1, 2)}
    assert _at_most(rows, "upper", ["p", "q"], Fraction(27, 100)) == {(1, 1), (1, 2)}
