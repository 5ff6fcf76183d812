"""The directed step k(d)(μ_s→μ_t), exactly: flows re-solved from a float basis, and a simplex that decides.

The problem of one label is that of `kernels.transport`: sources i with Σ ω_i· + η_i = e_i, sinks j with
Σ gain·ω_·j + slack_j = −e_j, an arc (i, j, l) of cost C_l(i,j) multiplying what it carries by the gain of level l.
`settle_basis` turns a basis that floats found into the exact amounts it stands for: a tiny rational system whose
graph is nearly always a forest, so leaves are peeled. `solve_label` is the exact optimum of one label, from any basis,
with prices f that prove it. `unfold_amounts` takes the paths of the closure apart: a flow on arcs of d.

*The simplex*, for these and all other linear programs in exact rationals: minimise Σ cost·z over z ≥ 0 with
Σ z·column = right, one column for each variable, as (row, coefficient) for what is not zero. It starts from a basis
whose amounts are ≥ 0, which all programs here have at hand (open amounts and slacks). Ties are broken by the numbers of
the variables [Bland 1977], so no basis occurs twice and this ends. The prices that it returns prove the optimum: every
variable costs at least what its column is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ..errors import SolverError
from .scalars import Scalars, V

if TYPE_CHECKING:  # they bring numpy, which a step alone does not need
    from ..kernels.records import Bases
    from ..kernels.types import Ints, Ints32
    from .closure import Closure, Levels
    from .pair_space import PairSpace

Column = Sequence[tuple[int, V]]


@dataclass
class Basis(Generic[V]):
    """The basic variable of each row, the inverse of the matrix of their columns, and their amounts."""

    scalars: Scalars[V]
    variables: list[int]
    inverse: list[list[V]]
    amounts: list[V]


def diagonal_basis(scalars: Scalars[V], variables: Sequence[int], right: Sequence[V]) -> Basis[V]:
    """The basis of variables whose columns are those of the identity, negated where ``right`` is negative."""
    size = len(right)
    zero, one = scalars.zero, scalars.one
    signs = [-one if value < zero else one for value in right]
    inverse = [[signs[r] if r == c else zero for c in range(size)] for r in range(size)]
    return Basis(scalars, list(variables), inverse, [-value if value < zero else value for value in right])


def minimise(costs: Sequence[V], columns: Sequence[Column[V]], basis: Basis[V], *, steepest: int = 0) -> list[V]:
    """Pivot ``basis``, in place, until it is optimal; returns the price of each row.

    The first ``steepest`` pivots enter the variable of the most negative reduced cost, those after it the first one of
    a negative reduced cost (Bland's rule). Raises SolverError if the costs have no minimum.
    """
    pivots = 0
    while True:
        prices = _prices(costs, basis)
        enter = _find_entering(costs, columns, prices, basis.scalars.zero, first=pivots >= steepest)
        if enter is None:
            return prices
        _pivot(basis, enter, columns[enter])
        pivots += 1


def _prices(costs: Sequence[V], basis: Basis[V]) -> list[V]:
    """Costs of the basis · inverse, by row."""
    found = [basis.scalars.zero] * len(basis.variables)
    for variable, line in zip(basis.variables, basis.inverse, strict=True):
        cost = costs[variable]
        if cost:
            found = [f + cost * a if a else f for f, a in zip(found, line, strict=True)]
    return found


def _find_entering(
    costs: Sequence[V], columns: Sequence[Column[V]], prices: Sequence[V], zero: V, *, first: bool
) -> int | None:
    """A variable of negative reduced cost, the first or the most negative; None at the optimum."""
    best, least = None, zero
    for variable, (reduced, column) in enumerate(zip(costs, columns, strict=True)):
        for row, coefficient in column:
            reduced = reduced - coefficient * prices[row]
        if reduced < least:
            best, least = variable, reduced
            if first:
                break
    return best


def _pivot(basis: Basis[V], enter: int, column: Column[V]) -> None:
    """Bring ``enter`` into the basis; the least ratio leaves, of equal ones the variable of the least number."""
    zero = basis.scalars.zero
    change = [sum((a * line[row] for row, a in column if line[row]), zero) for line in basis.inverse]
    ratios = ((basis.amounts[r] / a, basis.variables[r], r) for r, a in enumerate(change) if a > zero)
    ratio, _, leave = min(ratios, default=(zero, -1, -1))
    if leave < 0:
        raise SolverError("the linear program is unbounded: its costs have no minimum")
    pivot = basis.inverse[leave] = [a / change[leave] for a in basis.inverse[leave]]
    for r, factor in enumerate(change):
        if r != leave and factor:
            line = basis.inverse[r]
            basis.inverse[r] = [a - factor * b if b else a for a, b in zip(line, pivot, strict=True)]
            basis.amounts[r] = basis.amounts[r] - factor * ratio
    basis.amounts[leave] = ratio
    basis.variables[leave] = enter


# One label.

ETA, SLACK = 0, -1
"""Level codes of a basic η_u and of a basic slack_u, as `kernels.solve_steps` writes them."""

BasisEntry = tuple[int, int, int]
"""A basic variable: the arc (u, v) at a level ≥ 1, or η_u as (u, u, ETA), or the slack of sink u as (u, u, SLACK)."""

Cost = Callable[[int, int, int], V | None]
"""cost(u, v, level), or None for an arc that is not there (or is dominated)."""


@dataclass(frozen=True, slots=True)
class Imbalance(Generic[V]):
    """The excess e = x − αy split by sign: what sources must get rid of, and what sinks can take (as −e)."""

    excess: dict[int, V]
    room: dict[int, V]

    @property
    def signed(self) -> dict[int, V]:
        """The excess e of every state where it is not zero."""
        return self.excess | {state: -room for state, room in self.room.items()}


@dataclass(frozen=True, slots=True)
class Flow(Generic[V]):
    """A feasible (ω, η, ω'): plain arcs of d with their amounts, η where it is positive, and complement arcs.

    Proves k(d)(x→y) ≤ Σ ω d + Σ ω' (d + α − 1) + Σ η.
    """

    arcs: tuple[tuple[int, int, V], ...]
    eta: tuple[tuple[int, V], ...]
    complement: tuple[tuple[int, int, V], ...] = ()

    @property
    def cited(self) -> tuple[tuple[int, int, V], ...]:
        """All arcs, of both kinds: each costs its amount times d, and complement arcs α − 1 a unit more."""
        return self.arcs + self.complement

    def constant(self, alpha: V) -> V:
        """The part of the cost that does not depend on d: Σ η + (α − 1) Σ ω'."""
        total = sum((amount for _, amount in self.eta), alpha - alpha)
        return sum(((alpha * amount - amount) for _, _, amount in self.complement), total)


@dataclass(frozen=True, slots=True)
class LabelOptimum(Generic[V]):
    """Optimal basis of one label with exact amounts, and the prices f: f_u of sources and sinks; the others follow."""

    amounts: dict[BasisEntry, V]
    price: dict[int, V]


def imbalance(x: Iterable[tuple[int, V]], y: Iterable[tuple[int, V]], alpha: V) -> Imbalance[V]:
    """The exact imbalance of two rows; ties x_i = α y_i belong to neither side."""
    excess = dict(x)
    room: dict[int, V] = {}
    zero = alpha - alpha
    for state, p in y:
        e = excess.pop(state, zero) - alpha * p
        if e > zero:
            excess[state] = e
        elif e < zero:
            room[state] = -e
    return Imbalance(excess, room)


def settle_basis(
    scalars: Scalars[V], need: Imbalance[V], basis: Sequence[BasisEntry], gains: Sequence[V]
) -> dict[BasisEntry, V] | None:
    """The exact amounts of a basis, or None if it is not a feasible basis of this imbalance.

    ``gains[l]`` is what arrives for a unit that leaves on an arc of level l. A state that one unsolved variable is
    left at fixes its amount, and passes on what remains to the state at the variable's other end.
    """
    left = {**need.excess, **need.room}
    if len(basis) != len(left):
        return None
    waiting: dict[int, list[BasisEntry]] = {state: [] for state in left}
    for entry in basis:
        for state in {entry[0], entry[1]}:
            if state not in waiting:
                return None
            waiting[state].append(entry)
    zero, one = scalars.zero, scalars.one
    amounts: dict[BasisEntry, V] = {}
    ready = [state for state, entries in waiting.items() if len(entries) == 1]
    while ready:
        state = ready.pop()
        # Its last variable may have been settled from the other end meanwhile.
        if len(waiting[state]) != 1:
            continue
        u, v, level = entry = waiting[state].pop()
        gain = gains[level] if level >= 1 else one
        amount = amounts[entry] = left[state] / gain if state == v else left[state]
        if amount < zero:
            return None
        other = u if state == v else v
        if other != state:
            left[other] = left[other] - (amount * gain if other == v else amount)
            waiting[other].remove(entry)
            if len(waiting[other]) == 1:
                ready.append(other)
            elif not waiting[other] and left[other]:  # no variable is left to take this
                return None
    return amounts if len(amounts) == len(basis) else _solve_cycles(scalars, need, basis, gains)


def _solve_cycles(
    scalars: Scalars[V], need: Imbalance[V], basis: Sequence[BasisEntry], gains: Sequence[V]
) -> dict[BasisEntry, V] | None:
    """The general case of `settle_basis`: by the inverse of the basis."""
    inverse = _inverse(scalars, basis, _row_numbers(need), gains)
    if inverse is None:
        return None
    wanted = [*need.excess.values(), *need.room.values()]
    found = [sum((a * b for a, b in zip(line, wanted, strict=True) if a), scalars.zero) for line in inverse]
    return dict(zip(basis, found, strict=True)) if all(amount >= 0 for amount in found) else None


def _row_numbers(need: Imbalance[V]) -> dict[int, int]:
    return {state: r for r, state in enumerate([*need.excess, *need.room])}


def _column(entry: BasisEntry, row: dict[int, int], gains: Sequence[V], one: V) -> Column[V]:
    """What one unit of a variable takes from its source, and brings to its sink."""
    u, v, level = entry
    return ((row[u], one), (row[v], gains[level])) if level >= 1 else ((row[u], one),)


def _inverse(
    scalars: Scalars[V], basis: Sequence[BasisEntry], row: dict[int, int], gains: Sequence[V]
) -> list[list[V]] | None:
    """The inverse of the matrix of a basis; None if it is none."""
    if len(basis) != len(row):
        return None
    return scalars.inverse([_column(entry, row, gains, scalars.one) for entry in basis])


def solve_label(
    scalars: Scalars[V], need: Imbalance[V], cost: Cost[V], gains: Sequence[V], start: Sequence[BasisEntry] = ()
) -> LabelOptimum[V]:
    """The exact optimum of the flow problem of one label, pivoting from ``start`` if that is a feasible basis.

    ``cost(u, v, level)`` must be non-negative.
    """
    row = _row_numbers(need)
    weight: dict[BasisEntry, V] = dict.fromkeys(((u, u, ETA) for u in need.excess), scalars.one)
    weight |= dict.fromkeys(((v, v, SLACK) for v in need.room), scalars.zero)
    for u in need.excess:
        for v in need.room:
            for level in range(1, len(gains)):
                found = cost(u, v, level)
                if found is not None:
                    weight[u, v, level] = found
    entries = list(weight)
    columns = [_column(entry, row, gains, scalars.one) for entry in entries]
    basis = _basis_of(scalars, need, start, weight, gains)
    if basis is None:
        basis = diagonal_basis(scalars, range(len(row)), [*need.excess.values(), *need.room.values()])
    # The steepest rule needs fewer pivots but may go in circles at ties; after so many, Bland's rule takes over and
    # ends.
    price = minimise(list(weight.values()), columns, basis, steepest=5 * len(row) + 1)
    amounts = {entries[number]: amount for number, amount in zip(basis.variables, basis.amounts, strict=True)}
    # A sink's row is written for −e_j, so that its price is −f_j.
    signed = {state: price[r] if state in need.excess else -price[r] for state, r in row.items()}
    return LabelOptimum(amounts, signed)


def _basis_of(
    scalars: Scalars[V],
    need: Imbalance[V],
    start: Sequence[BasisEntry],
    weight: dict[BasisEntry, V],
    gains: Sequence[V],
) -> Basis[V] | None:
    """The basis of some entries, if it is a feasible one of variables that are there."""
    if not all(entry in weight for entry in start):
        return None
    amounts = settle_basis(scalars, need, start, gains)
    if amounts is None:
        return None
    inverse = _inverse(scalars, start, _row_numbers(need), gains)
    if inverse is None:
        return None
    number = {entry: i for i, entry in enumerate(weight)}
    return Basis(scalars, [number[entry] for entry in start], inverse, [amounts[entry] for entry in start])


# Flows of the pairs of a space.


Cited = TypeVar("Cited", covariant=True)


class Costs(Protocol[Cited]):
    """d by pair number: a list, or what computes it."""

    def __getitem__(self, pair: int, /) -> Cited: ...


def option_imbalance(space: PairSpace[V], option: int) -> Imbalance[V]:
    """The exact imbalance e = μ_u − α μ_v of the two rows that the option's pair has for its input."""
    layer, pair = divmod(option, len(space))
    x, y = (space.rows[int(end[pair]) + layer * len(space.states)] for end in space.ends)
    return imbalance(x, y, space.exact_alpha)


def plain_flow(need: Imbalance[V]) -> Flow[V]:
    """The flow without arcs: η_i = e_i at every source. Always feasible; costs Σ max(x_i − α y_i, 0) ≤ 1."""
    return Flow((), tuple(need.excess.items()))


def filled_flow(space: PairSpace[V], need: Imbalance[V], arcs: Ints32, whole: Ints, unit: int) -> Flow[V]:
    """The flow of whole amounts on arcs (bitwise complements for complement arcs), with the η that it needs,
    exactly.
    """
    u, v = space.ends
    alpha, scalars = space.exact_alpha, space.scalars
    zero = scalars.zero
    left = need.signed
    plain: dict[tuple[int, int], V] = {}
    complement: dict[tuple[int, int], V] = {}
    for arc, amount in zip(arcs.tolist(), whole.tolist(), strict=True):
        if amount:
            pair, share = (~arc if arc < 0 else arc), scalars.ratio(amount, unit)
            i, j = int(u[pair]), int(v[pair])
            # A complement arc moves what a plain one does, with the signs turned.
            there = -share if arc < 0 else share
            left[i] = left.get(i, zero) - there
            left[j] = left.get(j, zero) + alpha * there
            into = complement if arc < 0 else plain
            into[i, j] = into.get((i, j), zero) + share
    # Any amounts are feasible once η takes what they leave open.
    eta = tuple(sorted((state, open_) for state, open_ in left.items() if open_ > zero))
    return Flow(_list(plain), eta, _list(complement))


def _list(arcs: dict[tuple[int, int], V]) -> tuple[tuple[int, int, V], ...]:
    return tuple((u, v, amount) for (u, v), amount in sorted(arcs.items()))


def moved_by(space: PairSpace[V], flow: Flow[V]) -> dict[int, V]:
    """What a flow moves along pairs, by their numbers; along complement arcs with a minus."""
    found: dict[int, V] = {}
    for u, v, amount in (*flow.arcs, *((u, v, -amount) for u, v, amount in flow.complement)):
        pair = space.pair(u, v)
        found[pair] = found[pair] + amount if pair in found else amount
    return found


def exact_flow(space: PairSpace[V], bases: Bases, closure: Closure[V], index: int) -> Flow[V]:
    """The exact flow of the basis ``index``; where floats misjudged it or gave up, the exact optimum at float costs."""
    basis = bases.entries(index)
    need = option_imbalance(space, int(bases.todo[index]))
    # Labels whose room is never used leave no trace in the basis.
    mentioned = {state for entry in basis for state in entry[:2]}
    tight = Imbalance(need.excess, {state: room for state, room in need.room.items() if state in mentioned})
    amounts = None if bases.stopped[index] else settle_basis(space.scalars, tight, basis, closure.gains)
    if amounts is None:
        return solve_flow(space, need, closure.exact_cost, closure)
    return unfold_amounts(space, amounts, closure)


def unfold_amounts(space: PairSpace[V], amounts: dict[BasisEntry, V], paths: Levels[V]) -> Flow[V]:
    """A basis' amounts as a flow on arcs of d, each level's path taken apart (see `unfold`)."""
    alpha, zero = space.exact_alpha, space.scalars.zero
    plain: dict[tuple[int, int], V] = {}
    complement: dict[tuple[int, int], V] = {}
    eta = []
    for (u, v, level), amount in amounts.items():
        if level == ETA and amount:
            eta.append((u, amount))
        while level >= 1 and amount and u != v:
            # What goes on after a plain arc is α times what left, after a complement arc the α-th part; a complement
            # arc's own amount is what arrives.
            after, back, level = paths.first_arc(u, v, level)
            if back:
                amount = amount / alpha
                complement[after, u] = complement.get((after, u), zero) + amount
            else:
                plain[u, after] = plain.get((u, after), zero) + amount
                amount = amount * alpha
            u = after
            level = max(level, 1)
    return Flow(_list(plain), tuple(sorted(eta)), _list(complement))


def by_label(space: PairSpace[V], need: Imbalance[V]) -> list[Imbalance[V]]:
    """The imbalance split into independent problems, one for each label that has a source."""
    parts: dict[int, Imbalance[V]] = {}
    for state, e in need.excess.items():
        parts.setdefault(int(space.block[state]), Imbalance({}, {})).excess[state] = e
    for state, e in need.room.items():
        block = int(space.block[state])
        if block in parts:
            parts[block].room[state] = e
    return list(parts.values())


def solve_amounts(
    space: PairSpace[V], need: Imbalance[V], cost: Cost[V], gains: Sequence[V], start: Sequence[BasisEntry] = ()
) -> dict[BasisEntry, V]:
    """Exact optimal amounts at the given costs, label by label, from what the basis ``start`` has there."""
    amounts: dict[BasisEntry, V] = {}
    for part in by_label(space, need):
        amounts |= solve_label(space.scalars, part, cost, gains, start_in(part, start)).amounts
    return amounts


def start_in(part: Imbalance[V], basis: Sequence[BasisEntry]) -> list[BasisEntry]:
    """What a basis has in one label."""
    return [entry for entry in basis if entry[0] in part.excess or entry[0] in part.room]


def solve_flow(space: PairSpace[V], need: Imbalance[V], cost: Cost[V], paths: Levels[V]) -> Flow[V]:
    """The exact optimal flow at the given costs of the arcs of a closure."""
    return unfold_amounts(space, solve_amounts(space, need, cost, paths.gains), paths)


def extend_prices(
    need: Imbalance[V], price: dict[int, V], cost: Cost[V], gains: Sequence[V], block: Iterable[int]
) -> dict[int, V]:
    """Prices f on all states of a label from its values at the sinks: f_i = min(1, min C_k(i,j) + α^k f_j); α^0 = 1.

    At optimal prices this is feasible for every arc of the label, plain or complement, and agrees with the prices of
    the sources.
    """
    prices = {v: price[v] for v in need.room}
    for i in {*need.excess, *block}:
        if i not in need.room:
            reach = ((cost(i, v, level), gains[level] * price[v]) for v in need.room for level in range(1, len(gains)))
            # gains[0] is 1, the largest price there is.
            prices[i] = min([gains[0], *(c + rest for c, rest in reach if c is not None)])
    return {i: f for i, f in prices.items() if f or i in need.excess}


def flow_value(space: PairSpace[V], flow: Flow[V], d: Costs[V]) -> V:
    """Σ ω d + Σ ω' (d + α − 1) + Σ η at the exact costs d."""
    return sum((amount * d[space.pair(u, v)] for u, v, amount in flow.cited), flow.constant(space.exact_alpha))
