"""Linear programs in exact rationals: the revised simplex, from a feasible basis to an optimal one.

A program is: minimise Σ cost·z over z ≥ 0 with Σ z·column = right, one column for each variable, as (row, coefficient)
for what is not zero. It starts from a basis whose amounts are ≥ 0: all programs of this package have one at hand (open
amounts and slacks). Ties are broken by the numbers of the variables [Bland 1977], so no basis occurs twice and this
ends. The prices that it returns prove the optimum: every variable costs at least what its column is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from ..errors import SolverError

ZERO, ONE = fmpq(0), fmpq(1)

Column = Sequence[tuple[int, fmpq]]


@dataclass
class Basis:
    """The basic variable of each row, the inverse of the matrix of their columns, and their amounts."""

    variables: list[int]
    inverse: list[list[fmpq]]
    amounts: list[fmpq]


def diagonal_basis(variables: Sequence[int], right: Sequence[fmpq]) -> Basis:
    """The basis of variables whose columns are those of the identity, negated where ``right`` is negative."""
    size = len(right)
    signs = [-ONE if value < ZERO else ONE for value in right]
    inverse = [[signs[r] if r == c else ZERO for c in range(size)] for r in range(size)]
    return Basis(list(variables), inverse, [abs(value) for value in right])


def minimise(costs: Sequence[fmpq], columns: Sequence[Column], basis: Basis, *, steepest: int = 0) -> list[fmpq]:
    """Pivot ``basis``, in place, until it is optimal; returns the price of each row.

    The first ``steepest`` pivots enter the variable of the most negative reduced cost, those after it the first one of
    a negative reduced cost (Bland's rule). Raises SolverError if the costs have no minimum.
    """
    pivots = 0
    while True:
        prices = _prices(costs, basis)
        enter = _entering(costs, columns, prices, first=pivots >= steepest)
        if enter is None:
            return prices
        _pivot(basis, enter, columns[enter])
        pivots += 1


def _prices(costs: Sequence[fmpq], basis: Basis) -> list[fmpq]:
    """Costs of the basis · inverse, by row."""
    found = [ZERO] * len(basis.variables)
    for variable, line in zip(basis.variables, basis.inverse, strict=True):
        cost = costs[variable]
        if cost:
            found = [f + cost * a if a else f for f, a in zip(found, line, strict=True)]
    return found


def _entering(costs: Sequence[fmpq], columns: Sequence[Column], prices: Sequence[fmpq], *, first: bool) -> int | None:
    """A variable of negative reduced cost, the first or the most negative; None at the optimum."""
    best, least = None, ZERO
    for variable, (reduced, column) in enumerate(zip(costs, columns, strict=True)):
        for row, coefficient in column:
            reduced = reduced - coefficient * prices[row]
        if reduced < least:
            best, least = variable, reduced
            if first:
                break
    return best


def _pivot(basis: Basis, enter: int, column: Column) -> None:
    """Bring ``enter`` into the basis; the least ratio leaves, of equal ones the variable of the least number."""
    change = [sum((a * line[row] for row, a in column if line[row]), ZERO) for line in basis.inverse]
    ratios = ((basis.amounts[r] / a, basis.variables[r], r) for r, a in enumerate(change) if a > ZERO)
    ratio, _, leave = min(ratios, default=(ZERO, -1, -1))
    if leave < 0:
        raise SolverError("the linear program is unbounded: its costs have no minimum")
    pivot = basis.inverse[leave] = [a / change[leave] for a in basis.inverse[leave]]
    for r, factor in enumerate(change):
        if r != leave and factor:
            line = basis.inverse[r]
            basis.inverse[r] = [a - factor * b if b else a for a, b in zip(line, pivot, strict=True)]
            basis.amounts[r] -= factor * ratio
    basis.amounts[leave] = ratio
    basis.variables[leave] = enter
