"""The directed step k(d)(μ_s→μ_t), exactly: flows re-solved from a float basis, and a simplex that decides.

`settle_basis` turns a basis that floats found into the exact amounts it stands for: a tiny rational system whose
graph is nearly always a forest, so leaves are peeled. `solve_label` is the exact revised simplex of one label, from
any basis, with Bland's rule: it ends at the optimum, with prices f that prove it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from .levels import ETA, SLACK

__all__ = ["Entry", "Flow", "Imbalance", "LabelOptimum", "imbalance", "settle_basis", "solve_label"]

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
    """A feasible (ω, η): arcs of d with their amounts, and η where it is positive. Proves k(d)(x→y) ≤ Σ ω d + Σ η."""

    arcs: tuple[tuple[int, int, fmpq], ...]
    eta: tuple[tuple[int, fmpq], ...]

    @property
    def total_eta(self) -> fmpq:
        """Σ η."""
        return sum((amount for _, amount in self.eta), ZERO)


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


def settle_basis(need: Imbalance, basis: Sequence[Entry], alpha: fmpq) -> dict[Entry, fmpq] | None:
    """The exact amounts of a basis, or None if it is not a feasible basis of this imbalance.

    Each source u asks Σ ω_u· + η_u = e_u, each sink v asks Σ α^l ω_·v + slack_v = −e_v.
    """
    left = {**need.excess, **need.room}
    if len(basis) != len(left):
        return None
    waiting: dict[int, list[Entry]] = {state: [] for state in left}
    for entry in basis:
        u, v, level = entry
        if u not in waiting or v not in waiting:
            return None
        waiting[u].append(entry)
        if level >= 1:
            waiting[v].append(entry)
    amounts: dict[Entry, fmpq] = {}
    ready = [state for state, entries in waiting.items() if len(entries) == 1]
    while ready:
        state = ready.pop()
        if len(waiting[state]) != 1:
            continue
        entry = waiting[state].pop()
        u, v, level = entry
        amount = left[state]
        if level >= 1 and state == v:
            amount = amount / alpha**level
        if amount < ZERO:
            return None
        amounts[entry] = amount
        if level >= 1:
            other = u if state == v else v
            left[other] -= amount * alpha**level if other == v else amount
            waiting[other].remove(entry)
            if len(waiting[other]) == 1:
                ready.append(other)
            elif not waiting[other] and left[other] != ZERO:
                return None
    if len(amounts) < len(basis):
        return _solve_cycles(need, basis, alpha)
    return amounts


def _solve_cycles(need: Imbalance, basis: Sequence[Entry], alpha: fmpq) -> dict[Entry, fmpq] | None:
    """The general case of `settle_basis`: a dense rational solve."""
    states = [*need.excess, *need.room]
    row = {state: r for r, state in enumerate(states)}
    matrix = fmpq_mat(len(states), len(states))
    for column, (u, v, level) in enumerate(basis):
        matrix[row[u], column] = ONE
        if level >= 1:
            matrix[row[v], column] = alpha**level
    wanted = fmpq_mat(len(states), 1, [*need.excess.values(), *need.room.values()])
    try:
        solution = matrix.solve(wanted)
    except ZeroDivisionError:
        return None
    amounts = {entry: solution[i, 0] for i, entry in enumerate(basis)}
    return amounts if all(amount >= ZERO for amount in amounts.values()) else None


def solve_label(
    need: Imbalance, cost: Cost, levels: int, alpha: fmpq, start: Sequence[Entry] | None = None
) -> LabelOptimum:
    """The exact optimum of the flow problem of one label, pivoting from ``start`` if that is a feasible basis.

    ``cost(u, v, level)`` must be non-negative. Steepest prices first; Bland's rule after a while, so this ends.
    """
    sources, sinks = list(need.excess), list(need.room)
    row = {state: r for r, state in enumerate([*sources, *sinks])}
    gain = [alpha**level for level in range(levels + 1)]
    weight: dict[Entry, fmpq] = dict.fromkeys(((u, u, ETA) for u in sources), ONE)
    weight |= dict.fromkeys(((v, v, SLACK) for v in sinks), ZERO)
    basis: list[Entry] = list(weight)
    for u in sources:
        for v in sinks:
            for level in range(1, levels + 1):
                arc_cost = cost(u, v, level)
                if arc_cost is not None:
                    weight[u, v, level] = arc_cost
    rank = {entry: i for i, entry in enumerate(weight)}
    inverse = [[ONE if r == c else ZERO for c in range(len(row))] for r in range(len(row))]
    amount = [*need.excess.values(), *need.room.values()]
    if start is not None and all(entry in weight for entry in start):
        warm = settle_basis(need, start, alpha)
        inverted = None if warm is None else _inverse(start, row, gain)
        if warm is not None and inverted is not None:
            basis, inverse, amount = list(start), inverted, [warm[entry] for entry in start]
    pivots = 0
    while True:
        weights = [weight[entry] for entry in basis]
        price = [
            sum((w * line[c] for w, line in zip(weights, inverse, strict=True) if w and line[c]), ZERO)
            for c in range(len(row))
        ]
        enter = _entering(price, weight, row, gain, bland=pivots > 5 * len(row))
        if enter is None:
            prices = {u: price[row[u]] for u in sources} | {v: -price[row[v]] for v in sinks}
            return LabelOptimum(dict(zip(basis, amount, strict=True)), prices)
        u, v, level = enter
        if level >= 1:
            change = [line[row[u]] + gain[level] * line[row[v]] for line in inverse]
        else:
            change = [line[row[u]] for line in inverse]
        _pivot(basis, inverse, amount, change, enter, rank)
        pivots += 1


def _entering(
    price: list[fmpq], weight: dict[Entry, fmpq], row: dict[int, int], gain: list[fmpq], *, bland: bool
) -> Entry | None:
    """A variable of negative reduced cost, the most negative or (Bland) the first; None at the optimum."""
    best, least = None, ZERO
    for entry, w in weight.items():
        u, v, level = entry
        reduced = w - price[row[u]]
        if level >= 1:
            reduced -= gain[level] * price[row[v]]
        if reduced < least:
            best, least = entry, reduced
            if bland:
                break
    return best


def _pivot(
    basis: list[Entry],
    inverse: list[list[fmpq]],
    amount: list[fmpq],
    change: list[fmpq],
    enter: Entry,
    rank: dict[Entry, int],
) -> None:
    """Bring ``enter`` into the basis; the leaving row is the least ratio, ties by the variables' order (Bland)."""
    ratio, _, leave = min((amount[r] / change[r], rank[basis[r]], r) for r in range(len(basis)) if change[r] > ZERO)
    scale = change[leave]
    inverse[leave] = [value / scale for value in inverse[leave]]
    for r in range(len(basis)):
        if r != leave and change[r]:
            factor = change[r]
            inverse[r] = [a - factor * b if b else a for a, b in zip(inverse[r], inverse[leave], strict=True)]
            amount[r] -= factor * ratio
    amount[leave] = ratio
    basis[leave] = enter


def _inverse(basis: Sequence[Entry], row: dict[int, int], gain: list[fmpq]) -> list[list[fmpq]] | None:
    size = len(row)
    matrix = fmpq_mat(size, size)
    for column, (u, v, level) in enumerate(basis):
        matrix[row[u], column] = ONE
        if level >= 1:
            matrix[row[v], column] = gain[level]
    try:
        inverted = matrix.inv()
    except ZeroDivisionError:
        return None
    return [[inverted[r, c] for c in range(size)] for r in range(size)]
