"""BD-threshold over bounded integers [CMP18, the remark after Theorem 3]: every variable a ratio of two integers.

A quantifier-free query over the reals becomes one over natural numbers below 2^bits: x = p_x / q, with one unknown
numerator for each variable and one unknown denominator q ≥ 1 for all distances and one for each flow. Any rational
solution has this form for some number of bits, because finitely many rationals have a common denominator.
Comparisons are multiplied out, so that only sums of products of naturals with natural coefficients are left.

A solution is a solution of the real query. If there is none, then none of so few bits exists; from `complete_bits` on
that means none at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ..errors import Defect, InputError
from .formula import And, Compare, Formula, Monomial, Relation
from .question import Query
from .reduction import Reduction
from .search import denominator_bound, row_bounds
from .smtlib import header

Side = tuple[tuple[int, Monomial], ...]
"""Σ coefficient · product of variables, all natural."""

MOST_BITS = 512


@dataclass(frozen=True, slots=True)
class Constraint:
    """left relation right, over natural numbers."""

    left: Side
    relation: Relation
    right: Side


@dataclass(frozen=True)
class IntegerProgram:
    """Natural numbers below 2^bits that satisfy all constraints; ``denominator`` maps numerators to denominators."""

    query: Query
    bits: int
    denominator: Mapping[str, str]
    constraints: tuple[Constraint, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """All unknowns: denominators first."""
        return (*dict.fromkeys(self.denominator.values()), *self.denominator)

    def width(self, constraint: Constraint) -> int:
        """How many bits hold both sides, whatever the values of the variables."""
        largest = (1 << self.bits) - 1
        sides: list[int] = [sum(c * largest ** len(m) for c, m in side) for side in (constraint.left, constraint.right)]
        return max(1, max(sides).bit_length())


def integer_program(query: Query, bits: int) -> IntegerProgram:
    """The query over ratios of naturals below 2^bits; InputError for quantified queries."""
    if not 1 <= bits <= MOST_BITS:
        raise InputError(Defect("bits", f"{bits} bits", f"from 1 to {MOST_BITS}"))
    if query.formula != "np":
        raise InputError(Defect("formula", f"{query.formula!r} has quantifiers", "only 'np' has an integer encoding"))
    denominator = {name: _denominator(name) for name in query.variables}
    positive = [Constraint(((1, ()),), "<=", ((1, (name,)),)) for name in dict.fromkeys(denominator.values())]
    found = (_cleared(atom, denominator) for part in query.assertions for atom in _conjuncts(part.formula))
    # 0 ≤ a sum of naturals says nothing.
    telling = [constraint for constraint in found if constraint.left or constraint.relation != "<="]
    return IntegerProgram(query, bits, denominator, (*positive, *telling))


def _denominator(name: str) -> str:
    """The denominator of a variable: ``q_d`` for distances, one a flow for the others."""
    kind, *indices = name.split("_")
    if kind == "d":
        return "q_d"
    return "_".join(["q", *indices[: 3 if indices[2:3] in (["to"], ["from"]) else 2]])


def _conjuncts(formula: Formula) -> Iterator[Compare]:
    if isinstance(formula, Compare):
        yield formula
    elif isinstance(formula, And):
        for part in formula.parts:
            yield from _conjuncts(part)
    else:
        raise TypeError("only conjunctions of comparisons have an integer encoding")


def _cleared(atom: Compare, denominator: Mapping[str, str]) -> Constraint:
    """The comparison times all its denominators, negative terms moved to the other side."""
    terms = (atom.left - atom.right).terms
    scale = lcm(*(coefficient.denominator for _, coefficient in terms))
    owed = [Counter(denominator[name] for name in monomial) for monomial, _ in terms]
    common: Counter[str] = Counter()
    for needs in owed:
        common |= needs
    left: list[tuple[int, Monomial]] = []
    right: list[tuple[int, Monomial]] = []
    for (monomial, coefficient), needs in zip(terms, owed, strict=True):
        factors = tuple(sorted((*monomial, *(common - needs).elements())))
        side = left if coefficient > 0 else right
        side.append((int(abs(coefficient) * scale), factors))
    return Constraint(tuple(left), atom.relation, tuple(right))


def complete_bits(reduction: Reduction) -> int:
    """So many bits are enough for the reduced ``np`` query: with them, no solution means that there is none.

    bd has a common denominator below 2^bits on all pairs, optimal vertex flows have, and numerators are at most
    (1 + number of states of a block) times as large.
    """
    size = max((len(b.states) for both in reduction.problems.values() for p in both for b in p.blocks), default=1)
    largest = max([denominator_bound(reduction), *row_bounds(reduction)])
    return (largest * (1 + size)).bit_length()


def read_model(program: IntegerProgram, numbers: Mapping[str, int | Fraction]) -> dict[str, Fraction]:
    """The variables of the real query, from a solution in naturals."""
    return {
        name: Fraction(numbers[name]) / Fraction(numbers[denominator])
        for name, denominator in program.denominator.items()
    }


def meaning(program: IntegerProgram) -> str:
    """What the answers to the program mean, for the header of a file."""
    return f"sat: yes; unsat: not by ratios of natural numbers of {program.bits} bits"


def to_bitvectors(program: IntegerProgram) -> str:
    """The program as an SMT-LIB script over bit-vectors wide enough that nothing overflows."""
    lines = [*header(program.query, meaning(program)), "(set-option :produce-models true)", "(set-logic QF_BV)"]
    lines += [f"(declare-fun {name} () (_ BitVec {program.bits}))" for name in program.variables]
    operators = {"<=": "bvule", "<": "bvult", "=": "="}
    for constraint in program.constraints:
        width = max(program.width(constraint), program.bits)
        left, right = _bits_of(constraint.left, width, program.bits), _bits_of(constraint.right, width, program.bits)
        lines.append(f"(assert ({operators[constraint.relation]} {left} {right}))")
    return "\n".join([*lines, "(check-sat)", ""])


def _bits_of(side: Side, width: int, bits: int) -> str:
    products = []
    for coefficient, monomial in side:
        factors = [f"((_ zero_extend {width - bits}) {name})" for name in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, f"(_ bv{coefficient} {width})")
        products.append(factors[0] if len(factors) == 1 else f"(bvmul {' '.join(factors)})")
    if len(products) <= 1:
        return products[0] if products else f"(_ bv0 {width})"
    return f"(bvadd {' '.join(products)})"
