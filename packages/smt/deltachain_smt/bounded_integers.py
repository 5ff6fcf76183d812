"""BD-threshold over bounded integers [CMP18, the remark after Theorem 3]: every variable a ratio of two integers.

A quantifier-free query over the reals becomes one over natural numbers below 2^bits: x = p_x / q, with one unknown
numerator for each variable and one unknown denominator q ≥ 1 for all distances and one for each flow. Any rational
solution has this form for some number of bits, because finitely many rationals have a common denominator.
Comparisons are multiplied out, so that only sums of products of naturals with natural coefficients are left.

The result is printed over bit-vectors for SMT solvers (`to_bitvectors`), or, with Z3's own tactics, as propositional
clauses for SAT solvers (`bit_blast`, `to_dimacs`) [CMP18: bd "can be encoded in SAT"].

A solution is a solution of the real query. If there is none, then none of so few bits exists; from `complete_bits` on
that means none at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from deltachain.errors import Defect, InputError, require_extra

from .formulas import Comparison, Query, Relation, Term, collect_terms, header
from .reduced import Reduction, denominator_bound, row_bounds
from .solvers import import_solver

RatioSide = tuple[tuple[int, tuple[str, ...]], ...]
"""Σ coefficient · product of variables, all natural."""

MOST_BITS = 512


@dataclass(frozen=True, slots=True)
class Constraint:
    """left relation right, over natural numbers."""

    left: RatioSide
    relation: Relation
    right: RatioSide


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
    """The query over ratios of natural numbers below 2^bits; InputError if it has quantifiers."""
    if not 1 <= bits <= MOST_BITS:
        raise InputError(Defect("bits", f"{bits} is not a size of an integer", f"give a number from 1 to {MOST_BITS}"))
    if query.formula != "np" or query.comparisons is None:
        raise InputError(Defect("formula", f"{query.formula!r} has quantifiers", "only 'np' has an integer encoding"))
    denominator = {name: _denominator(name) for name in query.variables}
    positive = [Constraint(((1, ()),), "<=", ((1, (name,)),)) for name in dict.fromkeys(denominator.values())]
    found = (_clear(comparison, denominator) for comparison in query.comparisons)
    # 0 ≤ a sum of naturals says nothing.
    telling = [constraint for constraint in found if constraint.left or constraint.relation != "<="]
    return IntegerProgram(query, bits, denominator, (*positive, *telling))


def _denominator(name: str) -> str:
    """The denominator of a variable: ``q_d`` for distances, one per flow for the others."""
    kind, *indices = name.split("_")
    if kind == "d":
        return "q_d"
    return "_".join(["q", *indices[: 3 if indices[2:3] in (["to"], ["from"]) else 2]])


def _clear(comparison: Comparison, denominator: Mapping[str, str]) -> Constraint:
    """The comparison times all its denominators, negative terms moved to the other side."""
    right: list[Term] = [(-coefficient, *names) for names, coefficient in comparison.right.items()]
    left: list[Term] = [(coefficient, *names) for names, coefficient in comparison.left.items()]
    terms = collect_terms([*left, *right])
    scale = lcm(*(coefficient.denominator for coefficient in terms.values()))
    common: Counter[str] = Counter()
    for names in terms:
        common |= Counter(denominator[name] for name in names)
    sides: tuple[list[tuple[int, tuple[str, ...]]], ...] = ([], [])
    for names, coefficient in terms.items():
        missing = common - Counter(denominator[name] for name in names)
        factors = tuple(sorted((*names, *missing.elements())))
        # A negative term stands on the other side, where all that is left are naturals.
        sides[coefficient < 0].append((int(abs(coefficient) * scale), factors))
    return Constraint(tuple(sides[0]), comparison.relation, tuple(sides[1]))


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


def describe_meaning(program: IntegerProgram) -> str:
    """What the answers to the program mean, for the header of a file."""
    return f"sat: yes; unsat: not by ratios of natural numbers of {program.bits} bits"


def to_bitvectors(program: IntegerProgram) -> str:
    """The program as an SMT-LIB script over bit-vectors wide enough that nothing overflows."""
    lines = [
        *header(program.query, describe_meaning(program)),
        "(set-option :produce-models true)",
        "(set-logic QF_BV)",
    ]
    lines += [f"(declare-fun {name} () (_ BitVec {program.bits}))" for name in program.variables]
    operators = {"<=": "bvule", "<": "bvult", "=": "="}
    for constraint in program.constraints:
        width = max(program.width(constraint), program.bits)
        left, right = _bits_of(constraint.left, width, program.bits), _bits_of(constraint.right, width, program.bits)
        lines.append(f"(assert ({operators[constraint.relation]} {left} {right}))")
    return "\n".join([*lines, "(check-sat)", ""])


def _bits_of(side: RatioSide, width: int, bits: int) -> str:
    products = []
    for coefficient, monomial in side:
        factors = [f"((_ zero_extend {width - bits}) {name})" for name in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, f"(_ bv{coefficient} {width})")
        products.append(factors[0] if len(factors) == 1 else f"(bvmul {' '.join(factors)})")
    if len(products) <= 1:
        return products[0] if products else f"(_ bv0 {width})"
    return f"(bvadd {' '.join(products)})"


@dataclass(frozen=True)
class Cnf:
    """Clauses over variables 1 … ``size``; ``bits`` gives the variables of each unknown, least bit first."""

    program: IntegerProgram
    size: int
    clauses: tuple[tuple[int, ...], ...]
    bits: Mapping[str, tuple[int, ...]]


def bit_blast(program: IntegerProgram) -> Cnf:
    """Clauses that are satisfiable iff the program is, by Z3's tactics; BackendMissing without Z3."""
    z3 = import_solver("z3", "z3-solver", "smt")
    lines = to_bitvectors(program).splitlines()
    places = {f"{name}.{i}": (name, i) for name in program.variables for i in range(program.bits)}
    # A name for each bit, so that the clauses say which variables are the unknowns.
    for bit, (name, i) in places.items():
        lines += [f"(declare-fun {bit} () Bool)", f"(assert (= {bit} (= ((_ extract {i} {i}) {name}) #b1)))"]
    context = z3.Context()
    goal = z3.Goal(ctx=context)
    goal.add(z3.parse_smt2_string("\n".join(line for line in lines if line != "(check-sat)"), ctx=context))
    (clauses,) = z3.Then("simplify", "bit-blast", "tseitin-cnf", ctx=context)(goal)
    heading, *rest = clauses.dimacs().splitlines()
    found: list[tuple[int, ...]] = []
    numbers: dict[str, int] = {}
    for line in rest:
        if line.startswith("c "):
            _, number, named = line.split()
            numbers[named] = int(number)
        else:
            found.append(tuple(map(int, line.split()[:-1])))
    bits = {name: tuple(numbers[f"{name}.{i}"] for i in range(program.bits)) for name in program.variables}
    return Cnf(program, int(heading.split()[2]), tuple(found), bits)


def to_dimacs(cnf: Cnf) -> str:
    """The clauses as a DIMACS file; comments say which variables are the bits of which unknown."""
    lines = [f"c{line[1:]}" for line in header(cnf.program.query, describe_meaning(cnf.program))]
    lines += [f"c {name} = {' '.join(map(str, bits))} (least bit first)" for name, bits in cnf.bits.items()]
    lines.append(f"p cnf {cnf.size} {len(cnf.clauses)}")
    lines += [" ".join(map(str, (*clause, 0))) for clause in cnf.clauses]
    return "\n".join([*lines, ""])


def solve_cnf(cnf: Cnf, solver: str = "cadical153") -> dict[str, Fraction] | None:
    """A solution by a solver of python-sat, as numbers; None if there is none. BackendMissing without python-sat."""
    with require_extra("python-sat", "sat"):
        from pysat.solvers import NoSuchSolverError, Solver
    try:
        with Solver(name=solver, bootstrap_with=[list(clause) for clause in cnf.clauses]) as engine:
            if not engine.solve():
                return None
            true = {literal for literal in engine.get_model() if literal > 0}
    except NoSuchSolverError:
        raise InputError(Defect("solver", f"python-sat has no {solver!r}", "such as cadical153, glucose4")) from None
    return {
        name: Fraction(sum(1 << i for i, variable in enumerate(bits) if variable in true))
        for name, bits in cnf.bits.items()
    }
