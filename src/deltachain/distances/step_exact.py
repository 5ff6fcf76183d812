"""The directed step k(d)(μ_s→μ_t), exactly: flows re-solved from a float basis, and a simplex that decides.

The problem of one label is that of `step_float`: sources i with Σ ω_i· + η_i = e_i, sinks j with
Σ gain·ω_·j + slack_j = −e_j, an arc (i, j, l) of cost C_l(i,j) multiplying what it carries by the gain of level l.
`settle_basis` turns a basis that floats found into the exact amounts it stands for: a tiny rational system whose
graph is nearly always a forest, so leaves are peeled. `solve_label` is the exact optimum of one label, from any basis,
with prices f that prove it. `unfold_amounts` takes the paths of the closure apart: a flow on arcs of d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from flint import fmpq, fmpq_mat

from .simplex import ONE, ZERO, Basis, Column, diagonal_basis, minimise

if TYPE_CHECKING:  # they bring numpy, which a step alone does not need
    from ..kernels.records import Bases
    from ..kernels.types import Ints, Ints32
    from .closure import Closure
    from .pair_space import PairSpace

ETA, SLACK = 0, -1
"""Level codes of a basic η_u and of a basic slack_u, as `kernels.solve_steps` writes them."""

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


# Flows of the pairs of a space.


class Costs(Protocol):
    """d by pair number: a list, or what computes it."""

    def __getitem__(self, pair: int, /) -> fmpq: ...


def pair_imbalance(space: PairSpace, u: int, v: int) -> Imbalance:
    """The imbalance e = μ_u − α μ_v of rows u, v, exactly."""
    return imbalance(space.rows[u], space.rows[v], space.exact_alpha)


def option_imbalance(space: PairSpace, option: int) -> Imbalance:
    """The imbalance of an option: of the two rows that its pair has for its input."""
    layer, pair = divmod(option, len(space))
    shift = layer * len(space.states)
    return pair_imbalance(space, int(space.ends[0][pair]) + shift, int(space.ends[1][pair]) + shift)


def plain_flow(need: Imbalance) -> Flow:
    """The flow without arcs: η_i = e_i at every source. Always feasible; costs Σ max(x_i − α y_i, 0) ≤ 1."""
    return Flow((), tuple(need.excess.items()))


def filled_flow(space: PairSpace, need: Imbalance, arcs: Ints32, whole: Ints, unit: int) -> Flow:
    """The flow of whole amounts on arcs (bitwise complements for complement arcs), with the η that it needs,
    exactly.
    """
    u, v = space.ends
    alpha = space.exact_alpha
    left = dict(need.excess) | {state: -room for state, room in need.room.items()}
    plain: dict[tuple[int, int], fmpq] = {}
    complement: dict[tuple[int, int], fmpq] = {}
    for arc, amount in zip(arcs.tolist(), whole.tolist(), strict=True):
        if amount:
            pair, share = (~arc if arc < 0 else arc), fmpq(amount, unit)
            i, j = int(u[pair]), int(v[pair])
            sign = -ONE if arc < 0 else ONE
            left[i] = left.get(i, ZERO) - sign * share
            left[j] = left.get(j, ZERO) + sign * alpha * share
            into = complement if arc < 0 else plain
            into[i, j] = into.get((i, j), ZERO) + share
    eta = tuple(sorted((state, open_) for state, open_ in left.items() if open_ > ZERO))
    return Flow(_listed(plain), eta, _listed(complement))


def _listed(arcs: dict[tuple[int, int], fmpq]) -> tuple[tuple[int, int, fmpq], ...]:
    return tuple((u, v, amount) for (u, v), amount in sorted(arcs.items()))


def exact_flow(space: PairSpace, bases: Bases, closure: Closure, index: int) -> Flow:
    """The exact flow of the basis ``index``; where floats misjudged it or gave up, the exact optimum at float costs."""
    basis = bases.entries(index)
    need = option_imbalance(space, int(bases.todo[index]))
    # Labels whose room is never used leave no trace in the basis.
    mentioned = {state for entry in basis for state in entry[:2]}
    tight = Imbalance(need.excess, {state: room for state, room in need.room.items() if state in mentioned})
    gains = exact_gains(space, closure)
    amounts = None if bases.stopped[index] else settle_basis(tight, basis, gains)
    if amounts is None:
        return solve_flow(space, need, float_cost(space, closure), closure)
    return unfold_amounts(space, amounts, closure)


class Paths(Protocol):
    """Arcs (u, v, level) that stand for paths of d: a closure, in floats or exact."""

    @property
    def exponents(self) -> tuple[int, ...]:
        """The power of α that each level gains."""

    def first_arc(self, u: int, v: int, level: int) -> tuple[int, bool, int]:
        """(next state, whether by a complement arc, level of the rest)."""


def exact_gains(space: PairSpace, paths: Paths) -> list[fmpq]:
    """What arrives for a unit that leaves, by level number; levels count from 1."""
    return [ONE, *(space.exact_alpha**exponent for exponent in paths.exponents)]


def unfold_amounts(space: PairSpace, amounts: dict[Entry, fmpq], paths: Paths) -> Flow:
    """A basis' amounts as a flow on arcs of d, each level's path taken apart (see `unfold`)."""
    alpha = space.exact_alpha
    plain: dict[tuple[int, int], fmpq] = {}
    complement: dict[tuple[int, int], fmpq] = {}
    eta = []
    for (u, v, level), amount in amounts.items():
        if level == ETA and amount:
            eta.append((u, amount))
        while level >= 1 and amount and u != v:
            after, back, level = paths.first_arc(u, v, level)
            if back:
                amount = amount / alpha
                complement[after, u] = complement.get((after, u), ZERO) + amount
            else:
                plain[u, after] = plain.get((u, after), ZERO) + amount
                amount = amount * alpha
            u = after
            level = max(level, 1)
    return Flow(_listed(plain), tuple(sorted(eta)), _listed(complement))


def by_label(space: PairSpace, need: Imbalance) -> list[Imbalance]:
    """The imbalance split into independent problems, one for each label that has a source."""
    parts: dict[int, Imbalance] = {}
    for state, e in need.excess.items():
        parts.setdefault(int(space.block[state]), Imbalance({}, {})).excess[state] = e
    for state, e in need.room.items():
        block = int(space.block[state])
        if block in parts:
            parts[block].room[state] = e
    return list(parts.values())


def float_cost(space: PairSpace, closure: Closure) -> Cost:
    """The closed float costs as exact dyadic numbers, so that the exact simplex can start where floats failed."""

    def cost(u: int, v: int, level: int) -> fmpq | None:
        found = float(closure.cost[level - 1, space.pair(u, v)])
        if found == float("inf"):
            return None
        return fmpq(*found.as_integer_ratio())

    return cost


def solve_flow(space: PairSpace, need: Imbalance, cost: Cost, closure: Closure) -> Flow:
    """The exact optimal flow at the given costs of the closure's arcs, label by label."""
    amounts: dict[Entry, fmpq] = {}
    gains = exact_gains(space, closure)
    for part in by_label(space, need):
        amounts |= solve_label(part, cost, gains).amounts
    return unfold_amounts(space, amounts, closure)


def flow_value(space: PairSpace, flow: Flow, d: Costs) -> fmpq:
    """Σ ω d + Σ ω' (d + α − 1) + Σ η at the exact costs d."""
    total = flow.constant(space.exact_alpha)
    for arcs in (flow.arcs, flow.complement):
        total = sum((amount * d[space.pair(u, v)] for u, v, amount in arcs), total)
    return total
