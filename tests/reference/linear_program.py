"""Linear programs in exact rationals: two phases, a tableau, Bland's rule.

A program is: maximise (or minimise) c·x over x ≥ 0, subject to rows a·x ≤ b, a·x = b or a·x ≥ b. The answer comes
with its proof: a primal solution x and a dual one, a multiplier for each row, whose values are equal. The sign of a
multiplier is that of the row's shadow price: d(optimum)/d(b).

The one exact linear program of the references, for some hundred variables: slow, and easy to believe, since tests check
every answer by its proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import fmpq

from deltachain.errors import SolverError

Sense = Literal["<=", "=", ">="]

ZERO, ONE = fmpq(0), fmpq(1)


def exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True)
class Row:
    """One constraint: Σ coefficients[v]·v, compared with ``right``. Absent variables have the coefficient 0."""

    name: str
    coefficients: Mapping[str, Fraction]
    sense: Sense
    right: Fraction


@dataclass(frozen=True)
class Optimum:
    """An optimal x and its proof: ``value`` = Σ c·x over ``primal`` = Σ b·y over ``dual``."""

    value: Fraction
    primal: Mapping[str, Fraction]
    dual: Mapping[str, Fraction]


@dataclass(frozen=True)
class LinearProgram:
    """Maximise or minimise ``objective`` over the non-negative ``variables`` under ``rows``.

    >>> half = Fraction(1, 2)
    >>> row = Row("budget", {"x": Fraction(1), "y": Fraction(2)}, "<=", Fraction(4))
    >>> best = LinearProgram("max", ("x", "y"), {"x": half, "y": Fraction(3)}, (row,)).solve()
    >>> best.value, best.primal["y"], best.dual["budget"]
    (Fraction(6, 1), Fraction(2, 1), Fraction(3, 2))
    """

    goal: Literal["max", "min"]
    variables: tuple[str, ...]
    objective: Mapping[str, Fraction]
    rows: tuple[Row, ...]

    def solve(self) -> Optimum:
        """The exact optimum; SolverError if there is none (infeasible or unbounded)."""
        return _Tableau(self).solve()


class _Tableau:
    """The simplex tableau of min c·x, Ax = b ≥ 0, as sparse rows; ``basis[r]`` is the basic column of row r.

    Columns: the variables, then one slack for each inequality, then one artificial for each row that has no slack
    of its own sign to start from.
    """

    def __init__(self, program: LinearProgram) -> None:
        self.program = program
        self.column = {name: i for i, name in enumerate(program.variables)}
        self.lines: list[dict[int, fmpq]] = []
        self.right: list[fmpq] = []
        self.basis: list[int] = []
        self.flipped: list[bool] = []
        self.marker: list[tuple[int, bool]] = []  # a column ±e_r that shows the multiplier of row r, and whether +
        free = len(program.variables)
        missing = []
        for r, row in enumerate(program.rows):
            flip = row.right < 0
            line = {self.column[v]: exact(-a if flip else a) for v, a in row.coefficients.items() if a}
            self.lines.append(line)
            self.right.append(exact(abs(row.right)))
            self.flipped.append(flip)
            plus = (row.sense == "<=") != flip
            self.basis.append(-1)
            self.marker.append((free, plus))
            if row.sense != "=":
                line[free] = ONE if plus else -ONE
                if plus:
                    self.basis[r] = free
                free += 1
            if self.basis[r] < 0:
                missing.append(r)
        self.first_artificial = free
        for r in missing:
            self.lines[r][free] = ONE
            self.basis[r] = free
            if program.rows[r].sense == "=":
                self.marker[r] = (free, True)
            free += 1

    def solve(self) -> Optimum:
        """Phase 1 (drive artificials to zero), phase 2, and the solutions read off."""
        artificial = {c: ONE for c in self.basis if c >= self.first_artificial}
        if artificial:
            cost, value = self._reduced(artificial)
            if self._minimise(cost, value) != ZERO:
                raise SolverError("the linear program is infeasible: no point satisfies every row")
            self._expel_artificials()
        sign = 1 if self.program.goal == "min" else -1
        weights = {self.column[v]: exact(sign * c) for v, c in self.program.objective.items() if c}
        cost, value = self._reduced(weights)
        least = self._minimise(cost, value)
        x = dict(zip(self.basis, self.right, strict=True))
        primal = {name: fraction(x.get(c, ZERO)) for name, c in self.column.items()}
        dual = {}
        for row, flip, (column, plus) in zip(self.program.rows, self.flipped, self.marker, strict=True):
            # The reduced cost of a column +e_r of cost 0 is −y_r, and y_r for −e_r; a flipped row has −y_r for its own,
            # and so has every row of a program that was negated to be minimised.
            y = -cost.get(column, ZERO) if plus else cost.get(column, ZERO)
            dual[row.name] = fraction(-y if flip != (sign == -1) else y)
        return Optimum(fraction(sign * least), primal, dual)

    def _reduced(self, weights: Mapping[int, fmpq]) -> tuple[dict[int, fmpq], fmpq]:
        """Reduced costs of the present basis, zeros left out, and its value."""
        cost, value = dict(weights), ZERO
        for line, right, column in zip(self.lines, self.right, self.basis, strict=True):
            weight = weights.get(column, ZERO)
            if weight:
                value += weight * right
                _subtract(cost, weight, line)
        return cost, value

    def _minimise(self, cost: dict[int, fmpq], value: fmpq) -> fmpq:
        """Pivot until no reduced cost is negative (Bland's rule: first column, so this ends); the least value."""
        while True:
            enter = min((c for c, w in cost.items() if w < ZERO and c < self.first_artificial), default=None)
            if enter is None:
                return value
            ratios = [
                (self.right[r] / line[enter], self.basis[r], r)
                for r, line in enumerate(self.lines)
                if line.get(enter, ZERO) > ZERO
            ]
            if not ratios:
                raise SolverError("the linear program is unbounded: its objective has no optimum")
            ratio, _, leave = min(ratios)
            value += cost[enter] * ratio
            self._pivot(leave, enter)
            _subtract(cost, cost[enter], self.lines[leave])

    def _pivot(self, leave: int, enter: int) -> None:
        """Make ``enter`` basic in row ``leave``."""
        scale = self.lines[leave][enter]
        pivot = self.lines[leave] = {c: a / scale for c, a in self.lines[leave].items()}
        self.right[leave] /= scale
        self.basis[leave] = enter
        for r, line in enumerate(self.lines):
            factor = line.get(enter)
            if r != leave and factor is not None:
                self.right[r] -= factor * self.right[leave]
                _subtract(line, factor, pivot)

    def _expel_artificials(self) -> None:
        """Swap artificials that are basic at 0 for columns of the program; a row with none of those is redundant."""
        for r, column in enumerate(self.basis):
            if column >= self.first_artificial:
                enter = min((c for c in self.lines[r] if c < self.first_artificial), default=None)
                if enter is not None:
                    self._pivot(r, enter)


def _subtract(line: dict[int, fmpq], factor: fmpq, other: Mapping[int, fmpq]) -> None:
    """Do line −= factor · other, zeros left out."""
    for column, a in other.items():
        left = line.get(column, ZERO) - factor * a
        if left:
            line[column] = left
        else:
            line.pop(column, None)
