"""The value of a formula at a point, straight from its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from deltachain import Chain
from deltachain.numbers.fraction import Number, as_fraction
from deltachain_smt.formulas import Comparison, LinearSum, ThresholdQuestion


def ask(chain: Chain, s: str | int, t: str | int, theta: Number, *, exp_epsilon: Number) -> ThresholdQuestion:
    """The question bd(s, t) ≤ θ, from numbers and names as users write them; InputError with every defect."""
    alpha, bound = as_fraction(exp_epsilon, "exp_epsilon"), as_fraction(theta, "theta")
    return ThresholdQuestion(chain, chain.number(s), chain.number(t), alpha, bound)


def holds_at(comparisons: Iterable[Comparison] | None, values: Mapping[str, Fraction]) -> bool:
    """Whether all comparisons hold at an exact assignment of their variables; ValueError for a quantified formula."""
    if comparisons is None:
        raise ValueError("a quantified formula cannot be evaluated at a point")
    return all(_holds(comparison, values) for comparison in comparisons)


def _holds(comparison: Comparison, values: Mapping[str, Fraction]) -> bool:
    left, right = _value(comparison.left, values), _value(comparison.right, values)
    if comparison.relation == "=":
        return left == right
    return left < right or (comparison.relation == "<=" and left == right)


def _value(terms: LinearSum, values: Mapping[str, Fraction]) -> Fraction:
    result = Fraction(0)
    for names, coefficient in terms.items():
        for name in names:
            coefficient *= values[name]
        result += coefficient
    return result
