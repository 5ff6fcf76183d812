"""The value of a formula at a point, straight from its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from deltachain.smt.formula import And, Compare, Formula, Implies, Polynomial


def holds_at(formula: Formula, values: Mapping[str, Fraction]) -> bool:
    """Whether a quantifier-free formula holds at an exact assignment of all its variables."""
    if isinstance(formula, Compare):
        left, right = _value(formula.left, values), _value(formula.right, values)
        if formula.relation == "=":
            return left == right
        return left < right or (formula.relation == "<=" and left == right)
    if isinstance(formula, And):
        return all(holds_at(part, values) for part in formula.parts)
    if isinstance(formula, Implies):
        return not holds_at(formula.premise, values) or holds_at(formula.conclusion, values)
    raise ValueError("a quantified formula cannot be evaluated at a point")


def _value(polynomial: Polynomial, values: Mapping[str, Fraction]) -> Fraction:
    result = Fraction(0)
    for monomial, coefficient in polynomial.terms:
        for name in monomial:
            coefficient *= values[name]
        result += coefficient
    return result
