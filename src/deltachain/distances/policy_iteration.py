"""Policy iteration in floats: finds the distance and an optimal policy, proves nothing.

A *policy* has one flow for each option of each pair; an option is a direction of the pair (bd) and an input. Its value
is the least solution of value[x] = max over the options of x of η + Σ w·value[arc]: a pre-fixed point of the operator,
so an upper bound of the distance, and the greedy policy at it has a smaller value or is optimal
(docs/theory/fixed-points.md, policy iteration). A *node* x is a pair whose distance is asked for: an ordered one, or an
unordered one for bd. Its options are the flows of the policy for it, next to each other: one for ld without inputs, two
directions for bd, each once for every input.

A policy is evaluated on the graph of nodes, strongly connected component by component, dependencies first: acyclic
parts are one substitution each, components are swept (Gauss–Seidel) from below until they stand still, which converges
to the least solution. Where that is slow, because mass leaks out of a component slowly, a linear solve for the options
in force takes over, and options are switched upwards.

`find_policy` stops when a round no longer lowers any value by more than a relative 1e-13, or after ``max_rounds``; what
it returns is checked exactly by `proofs`, so an early stop costs sharpness only.

*Flows in whole units*, for exact checks in machine integers: amounts are whole multiples of 1/U, rounded to the safe
side. Any ω ≥ 0 becomes a feasible flow once η covers what it leaves open: η_i = max(0, x_i − α y_i − what leaves i +
what arrives), so amounts may be rounded freely, and what the rounding costs is in η. Where exact amounts are multiples
(U is one of the rows' denominators and of powers of those of α), they are met exactly and η is what it was; elsewhere a
few units are lost. Everything in between is rounded so that η comes out too large, never too small: x_i up, α y_i down,
α times what arrives up, α times what leaves on complement arcs down. Why no sum overflows is said where they are added
up (`kernels.whole`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from .. import kernels
from ..cancel import Cancel, spend
from ..kernels.records import Bases, NodeTable, Policy, System, Units, WholeFlows
from ..kernels.types import Ints, Ints32, Reals
from .closure import Closure, close
from .kind import DistanceKind
from .pair_space import Mask, PairSpace
from .scalars import V
from .step_exact import Flow

THREADS = 2
CHUNK, STEPS_PER_OPTION = 4_000, 100
"""Steps per task: large enough to keep both cores busy, small enough for progress and memory."""

# When a policy is good enough.

STANDS = 1e-13
"""A policy stands if a step at its value costs less by no more than this, relatively."""
ROUGH, FINE = 1e-4, 1e-6
AHEAD = 1 / 300
"""A policy is evaluated to within this share of what the last round gained: the next one will change it anyway. Where
a round gains less than `FINE`, relatively, it is evaluated in full.
"""
SAME = 1e-14
"""A cost that moved by less than this, relatively, since it was last seen, does not make a step worth solving again."""
FIRST_GUESS = 0.5
"""FixedPoint assumed off the zero set before the first round. Below 1, so that flows along arcs beat η and the first
policy already chains through the whole chain; any guess is sound, since only the policy's value is used."""

# How its value is found.

SWEEPS = 300
"""Sweeps of one component before a linear solve is tried; the guide may be less sharp for it, never unsound."""
SWEEPS_IF_LARGE = 20_000
DENSE = 1500
"""Components above this size are swept `SWEEPS_IF_LARGE` times instead: a dense solve would take too long."""
RAISED = 1 + 4e-16
"""A value counts as raised by more than this factor: less is rounding."""
STILL = 4e-15
"""A large component is swept until no value moves by more than this, relatively."""
LOOSE, LARGE_IF_LOOSE = 1e-9, 16
"""Where a value to within more than `LOOSE` will do, components of more nodes than this are swept as large ones are."""


@dataclass(frozen=True)
class FloatPoint(Generic[V]):
    """The float fixed point ``d`` by pair, the last policy, and which of its options are in force."""

    d: Reals
    policy: Policy
    stopped: Mask
    """Where the float simplex gave up, for each option of the policy."""
    closure: Closure[V]
    active: Ints32
    """Index into the policy of the option in force, for each of its nodes."""
    rounds: int
    levels: int
    """The largest number of levels of stepping stones in any round."""
    settled: bool
    """Whether it stopped because nothing fell any more."""


class GreedySteps(NamedTuple):
    """What the steps of some options say: the greedy policy on arcs of d, their values, and as in `Bases`."""

    policy: Policy
    value: Reals
    stopped: Mask
    radius: Reals


# One step for many pairs.


def apply_step(space: PairSpace[V], todo: Ints, closure: Closure[V]) -> Bases:
    """One step for each of the options ``todo`` at the closed costs: values and optimal bases."""
    return _join(_in_chunks(todo, lambda part: _solve(space, part, closure)))


def best_policy(space: PairSpace[V], todo: Ints, closure: Closure[V]) -> GreedySteps:
    """The policy that is greedy at the closed costs, on arcs of d."""

    def task(part: Ints) -> GreedySteps:
        bases = _solve(space, part, closure)
        return GreedySteps(_unfold(space, bases, closure), bases.value, bases.stopped, bases.radius)

    policies, *others = zip(*_in_chunks(todo, task), strict=True)
    return GreedySteps(_join(policies), *map(np.concatenate, others))


def _turned_policy(space: PairSpace[V], todo: Ints, closure: Closure[V]) -> GreedySteps:
    """`best_policy` at α = 1 and symmetric costs, where a flow turned round is one for the pair turned round.

    Both leave as much open, since both rows sum to 1; so half of the steps are solved.
    """
    pairs = space.pairs_of(todo)
    # todo − pairs is the part of an option's number that its input makes.
    solved, place = np.unique(np.minimum(todo, space.swapped[pairs] + (todo - pairs)), return_inverse=True)
    steps = best_policy(space, solved, closure)
    policy = policy_at(steps.policy, place)
    turned = np.repeat(todo != solved[place], np.diff(policy.ptr))
    arc = np.where(turned, space.swapped[policy.arc].astype(np.int32), policy.arc)
    policy = policy._replace(todo=todo, arc=arc)
    return GreedySteps(policy, steps.value[place], steps.stopped[place], steps.radius[place])


Part = TypeVar("Part")
Spans = TypeVar("Spans", Bases, Policy)


def _join(parts: Sequence[Spans]) -> Spans:
    """The spans of all parts, one part after the other."""
    ptr = heads_of(np.concatenate([np.diff(part.ptr) for part in parts]))
    return type(parts[0])(*map(np.concatenate, zip(*parts, strict=True)))._replace(ptr=ptr)


def _in_chunks(todo: Ints, task: Callable[[Ints], Part]) -> list[Part]:
    chunks = [todo[i : i + CHUNK] for i in range(0, len(todo), CHUNK)] or [todo]
    if len(chunks) == 1:
        return [task(chunks[0])]
    found: list[Part] = []
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            for part in pool.map(task, chunks):
                found.append(part)
                spend(STEPS_PER_OPTION * CHUNK)
        except BaseException:  # do not wait for those that have not begun
            pool.shutdown(cancel_futures=True)
            raise
    return found


def _solve(space: PairSpace[V], todo: Ints, closure: Closure[V]) -> Bases:
    """The optimal bases of the steps of some options."""
    sources, sinks = space.rows_of(todo)
    degree = np.diff(space.tables.indptr)
    count, width = len(todo), int(degree[sources].sum() + degree[sinks].sum())
    bases = Bases(
        todo, np.empty(count), np.empty(count, bool), np.empty(count), np.empty(count + 1, np.int64),
        np.empty(width, np.int32), np.empty(width, np.int32), np.empty(width, np.int32), np.empty(width),
    )  # fmt: skip
    kernels.solve_steps(space.kernel_rows, closure.cost, closure.relative_gains, sources, sinks, bases)
    used = int(bases.ptr[-1])
    return bases._replace(u=bases.u[:used], v=bases.v[:used], level=bases.level[:used], amount=bases.amount[:used])


def _unfold(space: PairSpace[V], bases: Bases, closure: Closure[V]) -> Policy:
    """The flows of bases on arcs of d."""
    count = len(bases.todo)
    counts, eta = np.zeros(count, np.int64), np.empty(count)
    none = Policy(bases.todo, counts, np.empty(0, np.int32), np.empty(0), eta)
    kernels.unfold_bases(space.kernel_rows, bases, closure.via, closure.steps, counts, none)
    ptr = heads_of(counts)
    policy = Policy(bases.todo, ptr, np.empty(ptr[-1], np.int32), np.empty(ptr[-1]), eta)
    if ptr[-1] > 0:
        kernels.unfold_bases(space.kernel_rows, bases, closure.via, closure.steps, counts, policy)
    return policy


def heads_of(counts: Ints) -> Ints:
    """Where each of consecutive spans begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def policy_at(policy: Policy, places: Ints) -> Policy:
    """The flows at some places, in their order."""
    counts = np.diff(policy.ptr)[places]
    ptr = heads_of(counts)
    # For each place in the new list the one in the old: spans are shifted as they are.
    chosen = np.arange(ptr[-1]) + np.repeat(policy.ptr[places] - ptr[:-1], counts)
    return Policy(policy.todo[places], ptr, policy.arc[chosen], policy.weight[chosen], policy.eta[places])


def splice_policy(policy: Policy, places: Ints, other: Policy) -> Policy:
    """The policy with the flows at ``places`` replaced by those of ``other``, in its order."""
    if len(places) == len(policy.todo):
        return other
    source = np.full(len(policy.todo), -1, np.int64)
    source[places] = np.arange(len(places))
    counts, eta = np.diff(policy.ptr), policy.eta.copy()
    counts[places], eta[places] = np.diff(other.ptr), other.eta
    ptr = heads_of(counts)
    new = Policy(policy.todo, ptr, np.empty(ptr[-1], np.int32), np.empty(ptr[-1]), eta)
    kernels.copy_spans(source, policy, other, new)
    return new


def policy_of(space: PairSpace[V], todo: Ints, flows: Mapping[int, Flow[V]]) -> Policy:
    """Exact flows as a policy, with the float nearest to each amount."""
    arc: list[int] = []
    weight: list[float] = []
    ptr, eta = [0], []
    for flow in map(flows.__getitem__, todo.tolist()):
        arc += [space.pair(u, v) for u, v, _ in flow.arcs] + [~space.pair(u, v) for u, v, _ in flow.complement]
        weight += [space.scalars.nearest(amount) for _, _, amount in flow.cited]
        ptr.append(len(arc))
        eta.append(space.scalars.nearest(flow.constant(space.exact_alpha)))
    return Policy(todo, np.array(ptr, np.int64), np.array(arc, np.int32), np.array(weight, float), np.array(eta, float))


# The value of a policy.


def nodes_of(space: PairSpace[V], kind: DistanceKind, todo: Ints) -> NodeTable:
    """The nodes of a policy for the options ``todo``."""
    pairs = space.pairs_of(todo)
    # Marks at first: −1 no node, 0 a pair that will be one, −2 one that shares the node of its mirror image.
    of_pair = np.full(len(space), -1, np.int32)
    of_pair[pairs] = 0
    if kind.symmetric:
        u, v = space.ends
        of_pair[space.swapped[pairs]] = 0
        of_pair[(u > v) & (of_pair == 0)] = -2
    numbered = np.flatnonzero(of_pair == 0)
    of_pair[numbered] = np.arange(len(numbered), dtype=np.int32)
    turned = np.flatnonzero(of_pair == -2)
    of_pair[turned] = of_pair[space.swapped[turned]]
    owner = of_pair[pairs]
    place = np.argsort(owner, kind="stable").astype(np.int32)
    return NodeTable(of_pair, heads_of(np.bincount(owner, minlength=len(numbered))), place)


def build_system(nodes: NodeTable, policy: Policy) -> System:
    """The equations of the policy; pairs that it has no flow for have distance zero."""
    arcs = len(policy.arc)
    ptr = np.zeros(len(policy.todo) + 1, np.int64)
    system = System(nodes.head, ptr, np.empty(arcs, np.int32), np.empty(arcs), policy.eta[nodes.place])
    used = kernels.gather_system(nodes, policy, system)
    return system._replace(arc=system.arc[:used], weight=system.weight[:used])


def evaluate(system: System, start: Reals | None = None, tolerance: float = STILL) -> tuple[Reals, Ints]:
    """The policy's value for each node, capped at 1, and the option that attains it.

    In components of up to `DENSE` nodes, an option becomes active only by raising the value from below: so the active
    options never form a closed loop that merely agrees with itself (at the last raise in such a loop, all others would
    have to have been raised before). Larger ones begin at ``start`` (default 0) and move both ways, until no value
    moves by more than ``tolerance``, relatively. With a tolerance above `LOOSE` so do those of more than
    `LARGE_IF_LOOSE`.
    """
    count = len(system.head) - 1
    order, component = np.empty(count, np.int32), np.empty(count, np.int32)
    work = np.full((5, count), -1, np.int32)
    # The options of a node are neighbors, and so are the arcs of all of them: what the node leads to.
    kernels.arrange_components(system.ptr[system.head], system.arc, order, component, work)
    value, active = np.zeros(count), system.head[:-1].copy()
    begin = value if start is None else start
    equations = kernels.Equations(system, value, active)
    largest = LARGE_IF_LOOSE if tolerance > LOOSE else DENSE
    at = 0
    while at < count:
        at = kernels.solve_in_order(equations, order, component, at, largest, SWEEPS, RAISED)
        if at < count:
            # Components are numbered in this order, so that the array is sorted.
            end = int(np.searchsorted(component, component[at], side="right"))
            if end - at > largest:
                # In the order of their numbers, which is that of their arcs in memory.
                nodes = np.sort(order[at:end])
                kernels.relax_component(equations, nodes, begin, SWEEPS_IF_LARGE, tolerance)
            else:
                _solve_directly(system, equations, order[at:end], value, active)
            at = end
    return value, active


def _solve_directly(system: System, equations: kernels.Equations, nodes: Ints32, value: Reals, active: Ints) -> None:
    """The least solution on one component, by dense solves; where floats cannot find it, the swept values stay."""
    place = {node: i for i, node in enumerate(nodes.tolist())}
    for _ in range(len(nodes) + 1):
        matrix, right = np.eye(len(nodes)), system.eta[active[nodes]]
        for i, option in enumerate(active[nodes].tolist()):
            for k in range(system.ptr[option], system.ptr[option + 1]):
                target, weight = int(system.arc[k]), system.weight[k]
                if target in place:
                    matrix[i, place[target]] -= weight
                else:
                    right[i] += weight * value[target]
        try:
            solution = np.linalg.solve(matrix, right)
        except np.linalg.LinAlgError:
            return
        if not np.all(solution >= value[nodes] * (1 - 1e-9)):  # NaN, or not the least solution
            return
        value[nodes] = np.minimum(solution, 1.0)
        before = active[nodes].copy()
        kernels.choose_options(equations, nodes, RAISED)
        if np.array_equal(before, active[nodes]):
            return


# The iteration.


def find_policy(
    space: PairSpace[V],
    kind: DistanceKind,
    zero: Mask,
    *,
    options: Ints | None = None,
    max_rounds: int = 60,
    cancel: Cancel | None = None,
) -> FloatPoint[V]:
    """Policy iteration over the pairs outside the mask ``zero``; those inside keep the distance 0.

    With ``options``, sorted, only these compete: at least one for each such pair, for bd in either direction.
    """
    todo = space.options_of(~zero) if options is None else options
    nodes = nodes_of(space, kind, todo)
    d = np.where(zero, 0.0, FIRST_GUESS)
    closure = close(space, d, constraints=kind.constraints, cancel=cancel)
    improve = _turned_policy if kind.symmetric and space.at_one else best_policy
    steps = improve(space, todo, closure)
    policy, stopped, left = steps.policy, steps.stopped, steps.radius
    seen, levels = closure, closure.levels
    start, tolerance = np.full(len(nodes.head) - 1, FIRST_GUESS), ROUGH
    for round_number in range(1, max_rounds + 1):
        tolerance = STILL if round_number == max_rounds else tolerance
        start, active = evaluate(build_system(nodes, policy), start, tolerance)
        # −1, a pair without a node, picks the 0 at the end.
        d = np.append(start, 0.0)[nodes.of_pair]
        closure = close(space, d, constraints=kind.constraints, cancel=cancel)
        levels = max(levels, closure.levels)
        places, seen = _to_look_at(space, todo, left, closure, seen)
        steps = improve(space, todo[places], closure)
        gain = _gain(space, todo, d, places, steps.value, nodes.place[active])
        if cancel is not None:
            cancel.report(f"round {round_number}: largest improvement {gain:.0e}")
            cancel.check()
        # A value that was only roughly evaluated does not say whether its policy stands.
        settled = gain <= STANDS and tolerance == STILL
        if settled or round_number == max_rounds:
            break
        tolerance = STILL if gain <= FINE else min(ROUGH, gain * AHEAD)
        stopped[places], left[places] = steps.stopped, steps.radius
        policy = splice_policy(policy, places, steps.policy)
    return FloatPoint(d, policy, stopped, closure, nodes.place[active], round_number, levels, settled)


def _gain(space: PairSpace[V], todo: Ints, d: Reals, places: Ints, value: Reals, active: Ints32) -> float:
    """By how much steps at d undercut the options in force, relatively, at most."""
    in_force = np.zeros(len(todo), bool)
    in_force[active] = True
    mine = in_force[places]
    cost = d[space.pairs_of(todo[places[mine]])]
    return float(np.max((cost - value[mine]) / np.maximum(cost, 1e-300), initial=0.0))


def _to_look_at(
    space: PairSpace[V], todo: Ints, left: Reals, closure: Closure[V], seen: Closure[V]
) -> tuple[Ints, Closure[V]]:
    """The places in ``todo`` whose steps read costs that moved, since they were solved, by more than their radius.

    ``left`` is what remains of each radius, and is lowered. Returns the places, with a closure that has the costs as
    they were last seen.
    """
    moved = np.zeros(len(space))
    cost = closure.cost.copy()
    for level, exponent in enumerate(closure.exponents):
        if exponent not in seen.level_of:
            moved[np.isfinite(closure.cost[level])] = np.inf
            continue
        then = seen.cost[seen.level_of[exponent] - 1]
        now, via = closure.cost[level], closure.via[level] != seen.via[seen.level_of[exponent] - 1]
        with np.errstate(invalid="ignore"):  # ∞ − ∞: no change
            change = np.abs(now - then)
            change[~(change > SAME * then)] = 0.0
        change[via & np.isfinite(now)] = np.inf
        np.maximum(moved, change, out=moved)
        # Moves that do not count keep the old cost, so that many small ones add up until they do.
        cost[level] = np.where(change > 0.0, now, then)
    for level, exponent in enumerate(seen.exponents):
        if exponent not in closure.level_of:
            moved[np.isfinite(seen.cost[level])] = np.inf
    look = np.zeros(len(todo), np.uint8)
    kernels.spend_radius(space.kernel_rows, *space.rows_of(todo), moved, left, look)
    return np.flatnonzero(look), replace(closure, cost=cost)


# Flows in whole units.

SUM_BITS = 61
UNIT_BITS = 58
SNAP_BITS = 42
SMALL_WORD = 2**31
LEAST_UNIT_BITS = 40


def units_of(space: PairSpace[V]) -> Units | None:
    """The units for a chain and its α; None if α is so large that too few bits would be left.

    Irrational probabilities, and an irrational α, are rounded outward from enclosures of them: nothing is met exactly
    then, and everything stays on its safe side.
    """
    below, above = space.scalars.around(space.exact_alpha)
    bits = UNIT_BITS - math.ceil(above).bit_length()
    if bits < LEAST_UNIT_BITS:
        return None
    around = {p: space.scalars.around(p) for p in {p for row in space.rows for _, p in row}}
    rational = below == above and all(low == high for low, high in around.values())
    snap = math.lcm(*(low.denominator for low, _ in around.values()), 1) if rational else 0
    # Amounts on a path are multiplied or divided by α at every arc, so powers of both its parts are needed.
    powers = below.denominator * below.numerator
    snap *= powers
    if snap.bit_length() > SNAP_BITS:
        snap = 0
    else:
        while snap and (snap * powers).bit_length() <= SNAP_BITS and above > 1:
            snap *= powers
    scale = 1 << (bits - snap.bit_length()) if snap else 1
    unit = snap * scale if snap else 1 << bits
    rounded = {p: (math.ceil(high * unit), math.floor(low * unit * below)) for p, (low, high) in around.items()}
    table = np.array([rounded[p] for row in space.rows for _, p in row], np.int64).reshape(-1, 2)
    # α ≥ 1, so that the denominator is no longer than the numerator.
    small = below == above and below.numerator < SMALL_WORD
    shift = SUM_BITS - math.ceil(above).bit_length()
    return Units(
        unit, float(snap), scale, table[:, 0].copy(), table[:, 1].copy(),
        below.numerator if small else 0, below.denominator if small else 0,
        math.ceil(above * (1 << shift)), math.floor(below * (1 << shift)), shift, math.floor((1 << SUM_BITS) / above),
    )  # fmt: skip


def whole_flows(space: PairSpace[V], policy: Policy, units: Units) -> WholeFlows:
    """The flows of a policy in whole units."""
    count = len(policy.todo)
    found = WholeFlows(units, np.empty(len(policy.arc), np.int64), np.empty(count, np.int64), np.empty(count, bool))
    kernels.round_flows(space.kernel_rows, *space.rows_of(policy.todo), *space.ends, policy, found)
    return found


def too_expensive(space: PairSpace[V], policy: Policy, flows: WholeFlows, value: Reals) -> Mask:
    """Whether each flow costs more than its pair's value, for ``value`` by pair number: floats, taken as rationals."""
    found = np.empty(len(policy.todo), bool)
    kernels.find_expensive(space.pairs_of(policy.todo), policy, flows, value, found.view(np.uint8))
    return found
