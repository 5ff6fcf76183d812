"""Formulas as data: arithmetic, variables, evaluation."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.smt.formula import (
    And,
    ForAll,
    Formula,
    Implies,
    at_most,
    below,
    degree,
    equal,
    free_variables,
    is_quantified,
    number,
    total,
    variable,
    within,
)
from tests.reference.formulas import holds_at

x, y, z = (variable(name) for name in "xyz")
POINT = {"x": Fraction(1, 2), "y": Fraction(-3), "z": Fraction(0)}


def test_polynomials_are_collected() -> None:
    assert (x * y + 2 * y * x).terms == ((("x", "y"), Fraction(3)),)
    assert (x - x).terms == ()
    assert (1 - x).terms == (((), Fraction(1)), (("x",), Fraction(-1)))
    assert total([x, 0, Fraction(1, 2), -x]) == number(Fraction(1, 2))
    assert ((x + 1) * (x - 1)).terms == ((("x", "x"), Fraction(1)), ((), Fraction(-1)))


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        (at_most(x, Fraction(1, 2)), True),
        (below(x, Fraction(1, 2)), False),
        (below(y, x), True),
        (equal(x * y, Fraction(-3, 2)), True),
        (equal(x, y), False),
        (within(0, x, 1), True),
        (within(0, y, 1), False),
        (And(()), True),
        (Implies(equal(x, y), equal(0, 1)), True),
        (Implies(equal(z, 0), equal(0, 1)), False),
    ],
)
def test_evaluation(formula: Formula, holds: bool) -> None:
    assert holds_at(formula, POINT) is holds


def test_quantified_formulas_are_not_evaluated() -> None:
    with pytest.raises(ValueError, match="quantified"):
        holds_at(ForAll(("x",), at_most(x, y)), POINT)


def test_what_a_formula_is_made_of() -> None:
    inner = ForAll(("x",), Implies(at_most(0, x), at_most(z, x * y)))
    formula = And((at_most(y, 1), inner))
    assert free_variables(formula) == ("y", "z")
    assert degree(formula) == 2
    assert degree(And(())) == 0
    assert is_quantified(formula)
    assert not is_quantified(at_most(x, y))
    assert is_quantified(Implies(inner, at_most(x, y)))
    assert free_variables(And((inner, at_most(x, 1)))) == ("z", "y", "x"), "x is free outside"
