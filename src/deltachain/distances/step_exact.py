"""The directed step k(d)(μ_s→μ_t), exactly: flows re-solved from a float basis, and a simplex that decides.

The problem of one label is that of `step_float`: sources i with Σ ω_i· + η_i = e_i, sinks j with
Σ gain·ω_·j + slack_j = −e_j, an arc (i, j, l) of cost C_l(i,j) multiplying what it carries by the gain of level l.
`settle_basis` turns a basis that floats found into the exact amounts it stands for: a tiny rational system whose
graph is nearly always a forest, so leaves are peeled. `solve_label` is the exact revised simplex of one label, from
any basis, with Bland's rule: it ends at the optimum, with prices f that prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from .records import ETA, SLACK

ZERO, ONE = fmpq(0), fmpq(1)

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


def _basis_matrix(basis: Sequence[Entry], row: dict[int, int], gains: Sequence[fmpq]) -> fmpq_mat:
    matrix = fmpq_mat(len(row), len(row))
    for column, (u, v, level) in enumerate(basis):
        matrix[row[u], column] = ONE
        if level >= 1:
            matrix[row[v], column] = gains[level]
    return matrix


def solve_label(
    need: Imbalance, cost: Cost, gains: Sequence[fmpq], start: Sequence[Entry] | None = None
) -> LabelOptimum:
    """The exact optimum of the flow problem of one label, pivoting from ``start`` if that is a feasible basis.

    ``cost(u, v, level)`` must be non-negative. Steepest prices first; Bland's rule after a while, so this ends.
    """
    simplex = _Simplex(need, cost, gains)
    if start is not None:
        simplex.start_from(need, start)
    pivots = 0
    while True:
        price = simplex.prices()
        enter = simplex.entering(price, bland=pivots > 5 * len(price))
        if enter is None:
            signed = {state: price[r] if state in need.excess else -price[r] for state, r in simplex.row.items()}
            return LabelOptimum(dict(zip(simplex.basis, simplex.amount, strict=True)), signed)
        simplex.pivot(enter)
        pivots += 1


class _Simplex:
    """The revised simplex of one label: all variables with their costs, the basis, its inverse and its amounts."""

    def __init__(self, need: Imbalance, cost: Cost, gains: Sequence[fmpq]) -> None:
        self.row, self.gains = _row_numbers(need), gains
        self.weight: dict[Entry, fmpq] = dict.fromkeys(((u, u, ETA) for u in need.excess), ONE)
        self.weight |= dict.fromkeys(((v, v, SLACK) for v in need.room), ZERO)
        self.basis = list(self.weight)
        for u in need.excess:
            for v in need.room:
                for level in range(1, len(gains)):
                    found = cost(u, v, level)
                    if found is not None:
                        self.weight[u, v, level] = found
        self.rank = {entry: i for i, entry in enumerate(self.weight)}
        size = len(self.row)
        self.inverse = [[ONE if r == c else ZERO for c in range(size)] for r in range(size)]
        self.amount = [*need.excess.values(), *need.room.values()]

    def start_from(self, need: Imbalance, basis: Sequence[Entry]) -> None:
        """Begin at a basis, if it is a feasible one of variables that are there."""
        if not all(entry in self.weight for entry in basis):
            return
        amounts = settle_basis(need, basis, self.gains)
        if amounts is None:
            return
        try:
            inverse = _basis_matrix(basis, self.row, self.gains).inv()
        except ZeroDivisionError:
            return
        size = len(self.row)
        self.basis, self.amount = list(basis), [amounts[entry] for entry in basis]
        self.inverse = [[inverse[r, c] for c in range(size)] for r in range(size)]

    def prices(self) -> list[fmpq]:
        """Costs of the basis · inverse, by row."""
        found = [ZERO] * len(self.row)
        for entry, line in zip(self.basis, self.inverse, strict=True):
            weight = self.weight[entry]
            if weight:
                found = [f + weight * a if a else f for f, a in zip(found, line, strict=True)]
        return found

    def entering(self, price: list[fmpq], *, bland: bool) -> Entry | None:
        """A variable of negative reduced cost, the most negative or (Bland) the first; None at the optimum."""
        best, least = None, ZERO
        for entry, weight in self.weight.items():
            u, v, level = entry
            reduced = weight - price[self.row[u]]
            if level >= 1:
                reduced -= self.gains[level] * price[self.row[v]]
            if reduced < least:
                best, least = entry, reduced
                if bland:
                    break
        return best

    def pivot(self, enter: Entry) -> None:
        """Bring ``enter`` into the basis; the least ratio leaves, ties by the variables' order (Bland)."""
        u, v, level = enter
        change = [line[self.row[u]] for line in self.inverse]
        if level >= 1:
            gain, column = self.gains[level], self.row[v]
            change = [a + gain * line[column] for a, line in zip(change, self.inverse, strict=True)]
        ratio, _, leave = min(
            (self.amount[r] / a, self.rank[self.basis[r]], r) for r, a in enumerate(change) if a > ZERO
        )
        pivot = self.inverse[leave] = [a / change[leave] for a in self.inverse[leave]]
        for r, factor in enumerate(change):
            if r != leave and factor:
                self.inverse[r] = [a - factor * b if b else a for a, b in zip(self.inverse[r], pivot, strict=True)]
                self.amount[r] -= factor * ratio
        self.amount[leave] = ratio
        self.basis[leave] = enter
