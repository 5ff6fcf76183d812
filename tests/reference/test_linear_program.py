"""The exact linear programs: optima with their proofs, and the two ways to have none."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Literal, get_args

import pytest

from deltachain.errors import SolverError
from tests.reference.linear_program import LinearProgram, Optimum, Row, Sense


def program(
    goal: Literal["max", "min"], objective: Mapping[str, int], rows: list[tuple[Mapping[str, int], Sense, int]]
) -> LinearProgram:
    exact = [
        Row(f"row {i}", {v: Fraction(a) for v, a in row.items()}, sense, Fraction(b))
        for i, (row, sense, b) in enumerate(rows)
    ]
    return LinearProgram(goal, tuple(objective), {v: Fraction(c) for v, c in objective.items()}, tuple(exact))


def check_proof(lp: LinearProgram, best: Optimum) -> None:
    """Feasible both ways, equal values, complementary slackness: together, a proof of optimality."""
    x, y = best.primal, best.dual
    sign = 1 if lp.goal == "max" else -1
    assert best.value == sum(c * x[v] for v, c in lp.objective.items())
    assert best.value == sum(row.right * y[row.name] for row in lp.rows)
    assert all(value >= 0 for value in x.values())
    for row in lp.rows:
        slack = row.right - sum(a * x[v] for v, a in row.coefficients.items())
        if row.sense == "=":
            assert slack == 0
        else:
            assert slack >= 0 if row.sense == "<=" else slack <= 0
            # A row that is loosened can only help: y has the sign of the shadow price.
            assert sign * y[row.name] >= 0 if row.sense == "<=" else sign * y[row.name] <= 0
        assert slack * y[row.name] == 0
    for v in lp.variables:
        reduced = sum(y[row.name] * row.coefficients.get(v, Fraction(0)) for row in lp.rows) - lp.objective[v]
        assert sign * reduced >= 0
        assert reduced * x[v] == 0


def test_a_textbook_maximum() -> None:
    lp = program("max", {"x": 3, "y": 5}, [({"x": 1}, "<=", 4), ({"y": 2}, "<=", 12), ({"x": 3, "y": 2}, "<=", 18)])
    best = lp.solve()
    assert best.value == 36
    assert best.primal == {"x": 2, "y": 6}
    assert list(best.dual.values()) == [0, Fraction(3, 2), 1]


def test_a_minimum_with_all_three_senses() -> None:
    lp = program(
        "min", {"x": 2, "y": 3, "z": 1}, [({"x": 1, "y": 1}, ">=", 4), ({"y": 1, "z": -1}, "=", 1), ({"x": 1}, "<=", 2)]
    )
    best = lp.solve()
    check_proof(lp, best)
    assert best.value == 11
    assert best.primal == {"x": 2, "y": 2, "z": 1}


def test_negative_right_sides() -> None:
    lp = program("min", {"x": 1, "y": 1}, [({"x": -1, "y": -1}, "<=", -3), ({"x": -1}, ">=", -1)])
    best = lp.solve()
    check_proof(lp, best)
    assert best.value == 3


def test_redundant_equations_are_harmless() -> None:
    lp = program("max", {"x": 1, "y": 1}, [({"x": 1, "y": 1}, "=", 2), ({"x": 2, "y": 2}, "=", 4), ({"x": 1}, "=", 0)])
    best = lp.solve()
    check_proof(lp, best)
    assert best.primal == {"x": 0, "y": 2}


def test_infeasible() -> None:
    with pytest.raises(SolverError, match="infeasible"):
        program("max", {"x": 1}, [({"x": 1}, "<=", 1), ({"x": 1}, ">=", 2)]).solve()
    with pytest.raises(SolverError, match="infeasible"):
        program("min", {"x": 1}, [({"x": 1}, "=", -1)]).solve()


def test_unbounded() -> None:
    with pytest.raises(SolverError, match="unbounded"):
        program("max", {"x": 1, "y": 0}, [({"x": 1, "y": -1}, "<=", 1)]).solve()


def test_no_rows_at_all() -> None:
    assert program("min", {"x": 1}, []).solve().value == 0


def test_a_classic_cycling_example_ends() -> None:
    """Beale's example, on which the plain largest-coefficient rule pivots for ever."""
    rows: list[tuple[Mapping[str, int], Sense, int]] = [
        ({"a": 25, "b": -6000, "c": -4, "d": 900}, "<=", 0),
        ({"a": 50, "b": -9000, "c": -2, "d": 300}, "<=", 0),
        ({"c": 1}, "<=", 1),
    ]
    lp = program("min", {"a": -75, "b": 15000, "c": -2, "d": 600}, rows)
    best = lp.solve()
    check_proof(lp, best)
    assert best.value == -5


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_come_with_valid_proofs(seed: int) -> None:
    random = Random(seed)
    outcomes = {"optimal": 0, "infeasible": 0, "unbounded": 0}
    for _ in range(250):
        names = "uvwxyz"[: random.randint(1, 6)]
        rows: list[tuple[Mapping[str, int], Sense, int]] = [
            ({v: random.randint(-3, 3) for v in names}, random.choice(get_args(Sense)), random.randint(-4, 6))
            for _ in range(random.randint(1, 6))
        ]
        lp = program(random.choice(["max", "min"]), {v: random.randint(-3, 3) for v in names}, rows)
        try:
            best = lp.solve()
        except SolverError as reason:
            outcomes["infeasible" if "infeasible" in str(reason) else "unbounded"] += 1
        else:
            outcomes["optimal"] += 1
            check_proof(lp, best)
    assert min(outcomes.values()) > 20, outcomes
