"""The directed step k(d)(μ_s→μ_t), exactly: flows re-solved from a float basis, and a simplex that decides.

The problem of one label is that of `step_float`: sources i with Σ ω_i· + η_i = e_i, sinks j with
Σ gain·ω_·j + slack_j = −e_j, an arc (i, j, l) of cost C_l(i,j) multiplying what it carries by the gain of level l.
`settle_basis` turns a basis that floats found into the exact amounts it stands for: a tiny rational system whose
graph is nearly always a forest, so leaves are peeled. `solve_label` is the exact optimum of one label, from any basis,
with prices f that prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from .records import ETA, SLACK
from .simplex import ONE, ZERO, Basis, Column, diagonal_basis, minimise

Entry = tuple[int, int, int]
"""A basic variable: the arc (u, v) at a level ≥ 1, or η_u as (u, u, ETA), or the slack of sink u as (u, u, SLACK)."""

Cost = Callable[[int, int, int], "fmpq | None"]
"""cost(u, v, level), or None for an arc that is not there (or is dominated)."""


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The excess e = x − αy split by sign: what sources must get rid of, and what sinks can take (as −e)."""

    excess: dict[int, fmpq]
    room: dict[int, fmpq]


@dataclass(frozen=True, slots=True)
class Flow:
    """A feasible (ω, η, ω'): plain arcs of d with their amounts, η where it is positive, and complement arcs.

    Proves k(d)(x→y) ≤ Σ ω d + Σ ω' (d + α − 1) + Σ η. Where ``shift`` is not empty, balance holds after adding that
    signed vector, which no trace can see (docs/theory/step.md, trace space).
    """

    arcs: tuple[tuple[int, int, fmpq], ...]
    eta: tuple[tuple[int, fmpq], ...]
    complement: tuple[tuple[int, int, fmpq], ...] = ()
    shift: tuple[tuple[int, fmpq], ...] = ()

    @property
    def cited(self) -> tuple[tuple[int, int, fmpq], ...]:
        """All arcs, of both kinds: each costs its amount times d, and complement arcs α − 1 a unit more."""
        return self.arcs + self.complement

    def constant(self, alpha: fmpq) -> fmpq:
        """The part of the cost that does not depend on d: Σ η + (α − 1) Σ ω'."""
        total = sum((amount for _, amount in self.eta), ZERO)
        return sum(((alpha - ONE) * amount for _, _, amount in self.complement), total)


@dataclass(frozen=True, slots=True)
class LabelOptimum:
    """Optimal basis of one label with exact amounts, and the prices f: f_u of sources and sinks; the others follow."""

    amounts: dict[Entry, fmpq]
    price: dict[int, fmpq]


def imbalance(x: Iterable[tuple[int, fmpq]], y: Iterable[tuple[int, fmpq]], alpha: fmpq) -> Imbalance:
    """The exact imbalance of two rows; ties x_i = α y_i belong to neither side."""
    excess = dict(x)
    room: dict[int, fmpq] = {}
    for state, p in y:
        e = excess.pop(state, ZERO) - alpha * p
        if e > ZERO:
            excess[state] = e
        elif e < ZERO:
            room[state] = -e
    return Imbalance(excess, room)


def settle_basis(need: Imbalance, basis: Sequence[Entry], gains: Sequence[fmpq]) -> dict[Entry, fmpq] | None:
    """The exact amounts of a basis, or None if it is not a feasible basis of this imbalance.

    ``gains[l]`` is what arrives for a unit that leaves on an arc of level l. A state that one unsolved variable is
    left at fixes its amount, and passes on what remains to the state at the variable's other end.
    """
    left = {**need.excess, **need.room}
    if len(basis) != len(left):
        return None
    waiting: dict[int, list[Entry]] = {state: [] for state in left}
    for entry in basis:
        for state in {entry[0], entry[1]}:
            if state not in waiting:
                return None
            waiting[state].append(entry)
    amounts: dict[Entry, fmpq] = {}
    ready = [state for state, entries in waiting.items() if len(entries) == 1]
    while ready:
        state = ready.pop()
        if len(waiting[state]) != 1:
            continue
        u, v, level = entry = waiting[state].pop()
        gain = gains[level] if level >= 1 else ONE
        amount = amounts[entry] = left[state] / gain if state == v else left[state]
        if amount < ZERO:
            return None
        other = u if state == v else v
        if other != state:
            left[other] -= amount * gain if other == v else amount
            waiting[other].remove(entry)
            if len(waiting[other]) == 1:
                ready.append(other)
            elif not waiting[other] and left[other] != ZERO:
                return None
    return amounts if len(amounts) == len(basis) else _solve_cycles(need, basis, gains)


def _solve_cycles(need: Imbalance, basis: Sequence[Entry], gains: Sequence[fmpq]) -> dict[Entry, fmpq] | None:
    """The general case of `settle_basis`: a dense rational solve."""
    wanted = [*need.excess.values(), *need.room.values()]
    matrix = _basis_matrix(basis, _row_numbers(need), gains)
    try:
        solution = matrix.solve(fmpq_mat(len(wanted), 1, wanted))
    except ZeroDivisionError:
        return None
    amounts = {entry: solution[i, 0] for i, entry in enumerate(basis)}
    return amounts if all(amount >= ZERO for amount in amounts.values()) else None


def _row_numbers(need: Imbalance) -> dict[int, int]:
    return {state: r for r, state in enumerate([*need.excess, *need.room])}


def _column(entry: Entry, row: dict[int, int], gains: Sequence[fmpq]) -> Column:
    """What one unit of a variable takes from its source, and brings to its sink."""
    u, v, level = entry
    return ((row[u], ONE), (row[v], gains[level])) if level >= 1 else ((row[u], ONE),)


def _basis_matrix(basis: Sequence[Entry], row: dict[int, int], gains: Sequence[fmpq]) -> fmpq_mat:
    matrix = fmpq_mat(len(row), len(row))
    for number, entry in enumerate(basis):
        for r, coefficient in _column(entry, row, gains):
            matrix[r, number] = coefficient
    return matrix


def solve_label(
    need: Imbalance, cost: Cost, gains: Sequence[fmpq], start: Sequence[Entry] | None = None
) -> LabelOptimum:
    """The exact optimum of the flow problem of one label, pivoting from ``start`` if that is a feasible basis.

    ``cost(u, v, level)`` must be non-negative.
    """
    row = _row_numbers(need)
    weight = dict.fromkeys(((u, u, ETA) for u in need.excess), ONE)
    weight |= dict.fromkeys(((v, v, SLACK) for v in need.room), ZERO)
    for u in need.excess:
        for v in need.room:
            for level in range(1, len(gains)):
                found = cost(u, v, level)
                if found is not None:
                    weight[u, v, level] = found
    entries = list(weight)
    columns = [_column(entry, row, gains) for entry in entries]
    basis = None if start is None else _basis_of(need, start, weight, gains)
    if basis is None:
        basis = diagonal_basis(range(len(row)), [*need.excess.values(), *need.room.values()])
    price = minimise(list(weight.values()), columns, basis, steepest=5 * len(row) + 1)
    amounts = {entries[number]: amount for number, amount in zip(basis.variables, basis.amounts, strict=True)}
    signed = {state: price[r] if state in need.excess else -price[r] for state, r in row.items()}
    return LabelOptimum(amounts, signed)


def _basis_of(
    need: Imbalance, start: Sequence[Entry], weight: dict[Entry, fmpq], gains: Sequence[fmpq]
) -> Basis | None:
    """The basis of some entries, if it is a feasible one of variables that are there."""
    if not all(entry in weight for entry in start):
        return None
    amounts = settle_basis(need, start, gains)
    if amounts is None:
        return None
    try:
        inverse = _basis_matrix(start, _row_numbers(need), gains).inv()
    except ZeroDivisionError:
        return None
    number = {entry: i for i, entry in enumerate(weight)}
    size = range(len(start))
    lines = [[inverse[r, c] for c in size] for r in size]
    return Basis([number[entry] for entry in start], lines, [amounts[entry] for entry in start])
