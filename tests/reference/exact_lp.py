"""One exact linear program: max c·f with A f ≤ b, f ≥ 0, b ≥ 0, by the textbook simplex with Bland's rule.

The origin is feasible because b ≥ 0. Bland's rule (the first column that improves, the first row that binds) does not
cycle, so this ends; slow, and easy to believe.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = list[Fraction]


def maximum(objective: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> Fraction:
    """The greatest value of the objective; the program must be bounded."""
    width = len(objective)
    names = list(range(width))  # the variable of each column: those outside of the basis
    basis = list(range(width, width + len(rows)))
    table = [[Fraction(a) for a in row] + [Fraction(b)] for row, b in zip(rows, right, strict=True)]
    costs = [Fraction(c) for c in objective] + [Fraction(0)]
    while True:
        improving = [column for column in range(width) if costs[column] > 0]
        if not improving:
            return -costs[-1]
        column = min(improving, key=lambda j: names[j])
        binding = [(row[-1] / row[column], basis[i], i) for i, row in enumerate(table) if row[column] > 0]
        if not binding:
            raise ValueError("unbounded")
        _, _, place = min(binding)
        _exchange(table, costs, place, column)
        names[column], basis[place] = basis[place], names[column]


def _exchange(table: list[Vector], costs: Vector, place: int, column: int) -> None:
    """Bring the column's variable into the basis, in place of the row's."""
    pivot = table[place][column]
    row = [value / pivot for value in table[place]]
    row[column] = 1 / pivot
    table[place] = row
    for other in [*(table[i] for i in range(len(table)) if i != place), costs]:
        factor = other[column]
        if factor:
            other[column] = Fraction(0)
            for j, value in enumerate(row):
                other[j] -= factor * value


def directed_step(
    d: Sequence[Sequence[Fraction]], x: dict[int, Fraction], y: dict[int, Fraction], alpha: Fraction
) -> Fraction:
    """k(d)(x→y) = max { Σ_i f_i (x_i − α y_i) : 0 ≤ f ≤ 1, f_i − α f_j ≤ d_ij for i ≠ j } [CMP18, Def. 10]."""
    size, zero, one = len(d), Fraction(0), Fraction(1)
    gains = [x.get(i, zero) - alpha * y.get(i, zero) for i in range(size)]
    rows = [[one if j == i else zero for j in range(size)] for i in range(size)]
    right = [one] * size
    for i in range(size):
        for j in range(size):
            if i != j and d[i][j] < 1:
                rows.append([one if k == i else -alpha if k == j else zero for k in range(size)])
                right.append(d[i][j])
    return maximum(gains, rows, right)
