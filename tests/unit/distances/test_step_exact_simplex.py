"""The exact simplex: optimal, with prices that prove it, as the reference says; it ends, or says that it cannot."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq

from deltachain.distances.scalars import RATIONALS
from deltachain.distances.step_exact import Column, diagonal_basis, minimise
from deltachain.errors import SolverError
from tests.reference.linear_program import LinearProgram, Row


def check_proof(costs: list[fmpq], columns: list[Column], right: list[fmpq], steepest: int) -> Fraction:
    """The optimum from the slack basis (the last columns), checked by its amounts and its prices."""
    first = len(columns) - len(right)
    basis = diagonal_basis(RATIONALS, range(first, len(columns)), right)
    prices = minimise(costs, columns, basis, steepest=steepest)
    left = list(right)
    for variable, amount in zip(basis.variables, basis.amounts, strict=True):
        assert amount >= 0
        for row, coefficient in columns[variable]:
            left[row] -= coefficient * amount
    assert not any(left), "the amounts satisfy every row"
    for cost, column in zip(costs, columns, strict=True):
        assert cost >= sum((a * prices[row] for row, a in column), fmpq(0)), "no variable costs less than its worth"
    value = sum((costs[v] * amount for v, amount in zip(basis.variables, basis.amounts, strict=True)), fmpq(0))
    assert value == sum((p * b for p, b in zip(prices, right, strict=True)), fmpq(0))
    return Fraction(int(value.p), int(value.q))


@pytest.mark.parametrize("steepest", [0, 3, 100])
@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed: int, steepest: int) -> None:
    random = Random(seed)
    outcomes = {"optimal": 0, "unbounded": 0}
    for _ in range(120):
        size, count = random.randint(1, 5), random.randint(1, 8)
        rows = [[random.randint(-3, 3) for _ in range(count)] for _ in range(size)]
        costs = [random.randint(-3, 4) for _ in range(count)]
        right = [random.choice([0, 0, 1, 2, 5, -1, -4]) for _ in range(size)]
        columns: list[Column] = [[(r, fmpq(row[k])) for r, row in enumerate(rows) if row[k]] for k in range(count)] + [
            [(r, fmpq(-1 if b < 0 else 1))] for r, b in enumerate(right)
        ]
        # The reference has the slack of a row as its sense.
        program = LinearProgram(
            "min",
            tuple(f"z{k}" for k in range(count)),
            {f"z{k}": Fraction(c) for k, c in enumerate(costs)},
            tuple(
                Row(str(r), {f"z{k}": Fraction(a) for k, a in enumerate(row)}, ">=" if b < 0 else "<=", Fraction(b))
                for r, (row, b) in enumerate(zip(rows, right, strict=True))
            ),
        )
        weights = [fmpq(c) for c in costs] + [fmpq(0)] * size
        try:
            wanted = program.solve().value
        except SolverError:
            outcomes["unbounded"] += 1
            with pytest.raises(SolverError, match="unbounded"):
                check_proof(weights, columns, [fmpq(b) for b in right], steepest)
        else:
            outcomes["optimal"] += 1
            assert check_proof(weights, columns, [fmpq(b) for b in right], steepest) == wanted
    assert min(outcomes.values()) > 10, outcomes


def test_a_classic_cycling_example_ends() -> None:
    """Beale's example: always entering the steepest variable, ties to the first row, would pivot for ever."""
    rows = [[25, -6000, -4, 900, 1, 0, 0], [50, -9000, -2, 300, 0, 1, 0], [0, 0, 1, 0, 0, 0, 1]]
    columns: list[Column] = [[(r, fmpq(row[k])) for r, row in enumerate(rows) if row[k]] for k in range(7)]
    costs = [fmpq(c) for c in (-75, 15000, -2, 600, 0, 0, 0)]
    for steepest in (0, 2, 50):
        assert check_proof(costs, columns, [fmpq(0), fmpq(0), fmpq(1)], steepest) == -5
