"""From float bases to exact flows: each basis is re-solved in rationals, so that its feasibility is exact."""

from __future__ import annotations

from typing import Any, Protocol

from flint import fmpq

from .closure import Closure
from .guide import Bases
from .records import ETA
from .simplex import ONE, ZERO
from .space import PairSpace
from .step_exact import Cost, Entry, Flow, Imbalance, imbalance, settle_basis, solve_label


def pair_imbalance(space: PairSpace, u: int, v: int) -> Imbalance:
    """The imbalance e = μ_u − α μ_v of rows u, v, exactly."""
    return imbalance(space.rows[u], space.rows[v], space.exact_alpha)


def option_imbalance(space: PairSpace, option: int) -> Imbalance:
    """The imbalance of an option: of the two rows that its pair has for its input."""
    u, v = space.rows_of(option)
    return pair_imbalance(space, int(u), int(v))


def plain_flow(need: Imbalance) -> Flow:
    """The flow without arcs: η_i = e_i at every source. Always feasible; costs Σ max(x_i − α y_i, 0) ≤ 1."""
    return Flow((), tuple(need.excess.items()))


def filled_flow(space: PairSpace, need: Imbalance, arcs: Any, whole: Any, unit: int) -> Flow:
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
    """The imbalance split into independent problems, one a label that has a source."""
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


def flow_value(space: PairSpace, flow: Flow, d: Any) -> fmpq:
    """Σ ω d + Σ ω' (d + α − 1) + Σ η at the exact costs d."""
    total = flow.constant(space.exact_alpha)
    for arcs in (flow.arcs, flow.complement):
        total = sum((amount * d[space.pair(u, v)] for u, v, amount in arcs), total)
    return total
