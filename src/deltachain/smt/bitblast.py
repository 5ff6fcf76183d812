"""Bounded integer constraints as propositional clauses [CMP18: bd "can be encoded in SAT"], written as DIMACS.

Numbers are lists of literals, least bit first; a constant bit is `TRUE` or `FALSE`. Gates are named by fresh
variables and defined by clauses (Tseitin): sums by ripple-carry adders, products by shift and add, comparisons from
the least bit upwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..errors import BackendMissing, Defect, InputError
from .integers import Constraint, IntegerProgram, Side, meaning
from .smtlib import header

TRUE, FALSE = 1, -1
"""Variable 1 is set by a clause of its own, so that constants are ordinary literals."""

Number = list[int]


@dataclass(frozen=True)
class Cnf:
    """Clauses over variables 1 … ``size``; ``bits`` gives the literals of each unknown, least first."""

    program: IntegerProgram
    size: int
    clauses: tuple[tuple[int, ...], ...]
    bits: Mapping[str, tuple[int, ...]]

    def numbers(self, true: set[int]) -> dict[str, int]:
        """The unknowns, from the set of true variables."""
        return {name: sum(1 << i for i, v in enumerate(bits) if v in true) for name, bits in self.bits.items()}


def bit_blast(program: IntegerProgram) -> Cnf:
    """Clauses that are satisfiable iff the program is."""
    work = _Gates()
    bits = {name: [work.fresh() for _ in range(program.bits)] for name in program.variables}
    for constraint in program.constraints:
        work.assert_constraint(constraint, bits)
    named = {name: tuple(number) for name, number in bits.items()}
    return Cnf(program, work.size, tuple(work.clauses), named)


def to_dimacs(cnf: Cnf) -> str:
    """The clauses as a DIMACS file; comments say which variables are the bits of which unknown."""
    lines = [f"c{line[1:]}" for line in header(cnf.program.query, meaning(cnf.program))]
    lines += [f"c {name} = {' '.join(map(str, bits))} (least bit first)" for name, bits in cnf.bits.items()]
    lines.append(f"p cnf {cnf.size} {len(cnf.clauses)}")
    lines += [" ".join(map(str, (*clause, 0))) for clause in cnf.clauses]
    return "\n".join([*lines, ""])


def solve_cnf(cnf: Cnf, solver: str = "cadical153") -> dict[str, Fraction] | None:
    """A solution by a solver of python-sat, as numbers; None if there is none. BackendMissing without python-sat."""
    try:
        from pysat.solvers import NoSuchSolverError, Solver
    except ImportError:
        raise BackendMissing("python-sat", "sat") from None
    try:
        with Solver(name=solver, bootstrap_with=[list(clause) for clause in cnf.clauses]) as engine:
            if not engine.solve():
                return None
            true = {literal for literal in engine.get_model() if literal > 0}
    except NoSuchSolverError:
        raise InputError(Defect("solver", f"python-sat has no {solver!r}", "such as cadical153, glucose4")) from None
    return {name: Fraction(value) for name, value in cnf.numbers(true).items()}


class _Gates:
    """Clauses under construction."""

    def __init__(self) -> None:
        self.size = 1
        self.clauses: list[tuple[int, ...]] = [(TRUE,)]
        self._products: dict[tuple[str, ...], Number] = {}

    def fresh(self) -> int:
        self.size += 1
        return self.size

    def _and(self, a: int, b: int) -> int:
        if FALSE in (a, b) or a == -b:
            return FALSE
        if a in (TRUE, b):
            return b
        if b == TRUE:
            return a
        out = self.fresh()
        self.clauses += [(-out, a), (-out, b), (out, -a, -b)]
        return out

    def _or(self, a: int, b: int) -> int:
        return -self._and(-a, -b)

    def _xor(self, a: int, b: int) -> int:
        if a in (TRUE, FALSE):
            return b if a == FALSE else -b
        if b in (TRUE, FALSE):
            return a if b == FALSE else -a
        if abs(a) == abs(b):
            return FALSE if a == b else TRUE
        out = self.fresh()
        self.clauses += [(-out, a, b), (-out, -a, -b), (out, -a, b), (out, a, -b)]
        return out

    def add(self, a: Sequence[int], b: Sequence[int]) -> Number:
        """The sum a + b; exact, one bit longer than the longer of them."""
        width = max(len(a), len(b))
        carry, total = FALSE, []
        for i in range(width):
            x, y = a[i] if i < len(a) else FALSE, b[i] if i < len(b) else FALSE
            either = self._xor(x, y)
            total.append(self._xor(either, carry))
            carry = self._or(self._and(x, y), self._and(either, carry))
        return _trimmed([*total, carry])

    def multiply(self, a: Sequence[int], b: Sequence[int]) -> Number:
        """The product a · b, exact."""
        total: Number = []
        for i, bit in enumerate(b):
            if bit != FALSE:
                total = self.add(total, [FALSE] * i + [self._and(bit, x) for x in a])
        return total

    def _side(self, side: Side, bits: Mapping[str, Number]) -> Number:
        total: Number = []
        for coefficient, monomial in side:
            product = self._product(monomial, bits)
            constant = [TRUE if coefficient >> i & 1 else FALSE for i in range(coefficient.bit_length())]
            total = self.add(total, self.multiply(product, constant))
        return total

    def _product(self, monomial: tuple[str, ...], bits: Mapping[str, Number]) -> Number:
        if monomial not in self._products:
            if not monomial:
                return [TRUE]
            rest = self._product(monomial[1:], bits)
            self._products[monomial] = self.multiply(rest, bits[monomial[0]])
        return self._products[monomial]

    def assert_constraint(self, constraint: Constraint, bits: Mapping[str, Number]) -> None:
        """Add the clauses that make a constraint true."""
        left, right = self._side(constraint.left, bits), self._side(constraint.right, bits)
        less, same = FALSE, TRUE
        for i in range(max(len(left), len(right))):
            x, y = left[i] if i < len(left) else FALSE, right[i] if i < len(right) else FALSE
            differ = self._xor(x, y)
            less = self._or(self._and(differ, y), self._and(-differ, less))
            same = self._and(same, -differ)
        wanted = {"<": less, "=": same, "<=": self._or(less, same)}[constraint.relation]
        self.clauses.append((wanted,))


def _trimmed(number: Number) -> Number:
    while number and number[-1] == FALSE:
        number.pop()
    return number
