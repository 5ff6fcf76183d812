"""Printing a query as standard SMT-LIB 2.6: exact rationals, names made of state numbers, the same text every time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..rational import format_fraction
from .formula import And, Compare, ForAll, Formula, Implies, Monomial, Polynomial
from .question import Query


def to_smtlib(query: Query) -> str:
    """The query as a script that ends in ``(check-sat)``: sat means yes, unsat means no."""
    lines = [*header(query, "sat: yes; unsat: no"), "(set-option :produce-models true)", f"(set-logic {query.logic})"]
    lines += [f"(declare-fun {name} () Real)" for name in query.variables]
    for assertion in query.assertions:
        lines += [f"; {assertion.meaning}", f"(assert {print_formula(assertion.formula)})"]
    return "\n".join([*lines, "(check-sat)", ""])


def header(query: Query, meaning: str) -> Iterator[str]:
    """Comment lines: the question, what answers mean, the chain, which formula it is, and the numbers of the states."""
    question = query.question
    chain = question.chain
    yield f"; {_plain(str(question))}"
    yield f"; {meaning}"
    yield f"; chain: {len(chain)} states, {chain.transitions} transitions, sha256 {chain.sha256}"
    yield f"; pair: ({_plain(chain.states[question.s])}, {_plain(chain.states[question.t])})"
    yield f"; exp_epsilon (alpha): {format_fraction(question.alpha)}"
    yield f"; theta: {format_fraction(question.theta)}, {'strict' if question.strict else 'not strict'}"
    yield f"; formula: {query.formula}, {query.encoding}"
    yield "; d_i_j is the distance of states number i and j:"
    for number, (state, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        yield f";   {number}: {_plain(state)} [{_plain(label)}]"


def _plain(text: str) -> str:
    """The text on one line of printable ASCII, as an SMT-LIB comment must be."""
    return text.encode("unicode_escape").decode("ascii")


def print_formula(formula: Formula) -> str:
    """A formula as an SMT-LIB term.

    >>> from .formula import at_most, variable
    >>> print_formula(at_most(Fraction(-1, 2) * variable("x"), 3))
    '(<= (* (/ (- 1.0) 2.0) x) 3.0)'
    """
    if isinstance(formula, Compare):
        return f"({formula.relation} {_sum(formula.left)} {_sum(formula.right)})"
    if isinstance(formula, And):
        if len(formula.parts) <= 1:
            return print_formula(formula.parts[0]) if formula.parts else "true"
        return f"(and {' '.join(map(print_formula, formula.parts))})"
    if isinstance(formula, Implies):
        return f"(=> {print_formula(formula.premise)} {print_formula(formula.conclusion)})"
    if isinstance(formula, ForAll):
        bound = " ".join(f"({name} Real)" for name in formula.variables)
        return f"(forall ({bound}) {print_formula(formula.body)})"
    raise TypeError(f"not a formula: {formula!r}")


def _sum(polynomial: Polynomial) -> str:
    products = [_product(monomial, coefficient) for monomial, coefficient in polynomial.terms]
    if len(products) <= 1:
        return products[0] if products else "0.0"
    return f"(+ {' '.join(products)})"


def _product(monomial: Monomial, coefficient: Fraction) -> str:
    if not monomial:
        return print_number(coefficient)
    if coefficient == 1 and len(monomial) == 1:
        return monomial[0]
    if coefficient == -1 and len(monomial) == 1:
        return f"(- {monomial[0]})"
    factors = monomial if coefficient == 1 else (print_number(coefficient), *monomial)
    return f"(* {' '.join(factors)})"


def print_number(value: Fraction) -> str:
    """An exact real literal.

    >>> print_number(Fraction(-7, 3))
    '(/ (- 7.0) 3.0)'
    """
    top = f"{format_fraction(abs(value.numerator))}.0"
    if value < 0:
        top = f"(- {top})"
    return top if value.denominator == 1 else f"(/ {top} {format_fraction(value.denominator)}.0)"
