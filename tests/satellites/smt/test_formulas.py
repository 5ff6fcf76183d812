"""Constraints: sums of terms, their text, what a formula is made of."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain_smt.formulas import (
    Formula,
    all_of,
    at_most,
    collect_terms,
    compare,
    equal,
    for_all,
    implies,
    number_text,
    within,
)
from tests.reference.formulas import holds_at

POINT = {"x": Fraction(1, 2), "y": Fraction(-3), "z": Fraction(0)}
HALF = Fraction(1, 2)


def test_sums_are_collected() -> None:
    assert collect_terms([(1, "x", "y"), (2, "y", "x")]) == {("x", "y"): 3}
    assert collect_terms([(1, "x"), (-1, "x")]) == {}
    assert list(collect_terms([(1,), (-1, "x"), (HALF, "a")]).items()) == [((), 1), (("x",), -1), (("a",), HALF)]
    assert collect_terms([(1, "x"), (0,), (HALF,), (-1, "x")]) == {(): HALF}


@pytest.mark.parametrize(
    ("formula", "text", "holds"),
    [
        (at_most([(1, "x")], [(HALF,)]), "(<= x (/ 1.0 2.0))", True),
        (compare([(1, "x")], "<", [(HALF,)]), "(< x (/ 1.0 2.0))", False),
        (compare([(1, "y")], "<", [(1, "x")]), "(< y x)", True),
        (equal([(1, "x", "y")], [(Fraction(-3, 2),)]), "(= (* x y) (/ (- 3.0) 2.0))", True),
        (equal([(-1, "x"), (2, "x", "x")], []), "(= (+ (- x) (* 2.0 x x)) 0.0)", True),
        (within(0, "x", 1), "(and (<= 0.0 x) (<= x 1.0))", True),
        (within(0, "y", 1), "(and (<= 0.0 y) (<= y 1.0))", False),
        (all_of([]), "true", True),
        (all_of([at_most([(1, "y")], [])]), "(<= y 0.0)", True),
    ],
)
def test_text_and_meaning(formula: Formula, text: str, holds: bool) -> None:
    assert formula.text == text
    assert holds_at(formula.comparisons, POINT) is holds


def test_quantified_formulas_are_not_evaluated() -> None:
    with pytest.raises(ValueError, match="quantified"):
        holds_at(for_all(["x"], at_most([(1, "x")], [(1, "y")])).comparisons, POINT)


def test_what_a_formula_is_made_of() -> None:
    inner = for_all(["x"], implies(at_most([], [(1, "x")]), at_most([(1, "z")], [(1, "x", "y")])))
    assert inner.text == "(forall ((x Real)) (=> (<= 0.0 x) (<= z (* x y))))"
    formula = all_of([at_most([(1, "y")], [(1,)]), inner])
    assert formula.variables == ("y", "z")
    assert formula.degree == 2
    assert all_of([]).degree == 0
    assert formula.comparisons is None
    plain = at_most([(1, "x")], [(1, "y")])
    assert plain.comparisons is not None
    assert implies(inner, plain).comparisons is None
    assert all_of([inner, at_most([(1, "x")], [(1,)])]).variables == ("z", "y", "x"), "x is free outside"


def test_numbers_are_exact() -> None:
    assert number_text(Fraction(1, 3)) == "(/ 1.0 3.0)"
    assert number_text(Fraction(-2)) == "(- 2.0)"
    assert number_text(Fraction(1, 10**400)) == f"(/ 1.0 1{'0' * 400}.0)"
