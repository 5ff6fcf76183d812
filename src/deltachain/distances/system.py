"""The equations of a policy, value[x] = max over the options of x of η + Σ w·value[arc], and their least solution.

A *node* is a pair whose distance is asked for: an ordered one, or an unordered one for bd. Its options are the flows
of the policy for it, next to each other: one for ld without inputs, two directions for bd, each once for every input.

Evaluation works on the graph of nodes, strongly connected component by component, dependencies first: acyclic
parts are one substitution each, components are swept (Gauss–Seidel) from below until they stand still, which
converges to the least solution. Where that crawls, because mass leaks out of a component slowly, a linear solve for
the options in force takes over, and options are switched upwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled, loaded
from ..model.components import arrange
from .pair_space import Kind, PairSpace
from .policy import Policy, heads_of

SWEEPS = 300
"""Sweeps of one component before a linear solve is tried; the guide may be less sharp for it, never unsound."""
SWEEPS_IF_LARGE = 20_000
DENSE = 1500
"""Components above this size are swept `SWEEPS_IF_LARGE` times instead: a dense solve would take too long."""

RAISED = 1 + 4e-16
"""A value counts as raised by more than this factor: less is rounding."""

STILL = 4e-15
"""A large component is swept until no value moves by more than this, relatively."""

ROUGH, ROUGHLY = 1e-9, 16
"""Where a value to `ROUGH` will do, components of more than `ROUGHLY` nodes are swept as large ones are."""

SMALL = 400
"""Up to this many options, compiled code would take longer to load than the interpreter takes to run."""


class Nodes(NamedTuple):
    """Which node each pair is, −1 for pairs of distance zero, and the options of node x.

    Those are at the places ``place[head[x]:head[x+1]]`` of the policy.
    """

    of_pair: Any
    head: Any
    place: Any


class System(NamedTuple):
    """The options of node x are ``head[x]:head[x+1]``, and the arcs of option o, to nodes, ``ptr[o]:ptr[o+1]``."""

    head: Any
    ptr: Any
    arc: Any
    weight: Any
    eta: Any


def nodes_of(space: PairSpace, kind: Kind, todo: Any) -> Nodes:
    """The nodes of a policy for the options ``todo``."""
    pairs = space.pairs_of(todo)
    of_pair = np.full(len(space), -1, np.int32)
    of_pair[pairs] = 0
    if kind == "bd":
        u, v = space.ends
        of_pair[(u > v) & (of_pair == 0)] = -2
    numbered = np.flatnonzero(of_pair == 0)
    of_pair[numbered] = np.arange(len(numbered), dtype=np.int32)
    turned = np.flatnonzero(of_pair == -2)
    of_pair[turned] = of_pair[space.swapped[turned]]
    owner = of_pair[pairs]
    place = np.argsort(owner, kind="stable").astype(np.int32)
    return Nodes(of_pair, heads_of(np.bincount(owner, minlength=len(numbered))), place)


def build_system(nodes: Nodes, policy: Policy) -> System:
    """The equations of the policy; pairs that it has no flow for have distance zero."""
    count = len(policy.todo)
    ptr, arc, weight = np.zeros(count + 1, np.int64), np.empty(len(policy.arc), np.int32), np.empty(len(policy.arc))
    gather = _gather if count <= SMALL and not loaded() else compiled(_gather)
    used = gather(nodes, policy.ptr, policy.arc, policy.weight, ptr, arc, weight)
    return System(nodes.head, ptr, arc[:used], weight[:used], policy.eta[nodes.place])


def _gather(nodes: Nodes, ptr: Any, arc: Any, weight: Any, new_ptr: Any, new_arc: Any, new_weight: Any) -> int:
    """The arcs of all options in the order of their nodes, without those to pairs of distance zero; their number."""
    used = 0
    for option in range(len(nodes.place)):
        place = nodes.place[option]
        for k in range(ptr[place], ptr[place + 1]):
            node = nodes.of_pair[~arc[k] if arc[k] < 0 else arc[k]]
            if node >= 0 and weight[k] > 0.0:
                new_arc[used], new_weight[used] = node, weight[k]
                used += 1
        new_ptr[option + 1] = used
    return used


def evaluate(system: System, start: Any = None, tolerance: float = STILL) -> tuple[Any, Any]:
    """The policy's value for each node, capped at 1, and the option that attains it.

    In components of up to `DENSE` nodes, an option becomes active only by raising the value from below: so the active
    options never form a closed loop that merely agrees with itself (at the last raise in such a loop, all others would
    have to have been raised before). Larger ones begin at ``start`` (default 0) and move both ways, until no value
    moves by more than ``tolerance``, relatively. With a tolerance above `ROUGH` so do those of more than `ROUGHLY`.
    """
    count = len(system.head) - 1
    small = len(system.eta) <= SMALL and not loaded()
    order, component = np.empty(count, np.int32), np.empty(count, np.int32)
    desk = np.zeros((6, count), np.int32)
    desk[0] = -1
    (arrange if small else compiled(arrange))(system.ptr[system.head], system.arc, order, component, desk)
    value, active = np.zeros(count), system.head[:-1].copy()
    begin = value if start is None else start
    substitute = _substitute if small else compiled(_substitute, _best_option, _relax)
    limits = np.array([ROUGHLY if tolerance > ROUGH else DENSE, SWEEPS, SWEEPS_IF_LARGE])
    at = 0
    while at < count:
        at = substitute(order, component, system, value, begin, active, at, limits, RAISED, tolerance)
        if at < count:
            end = int(np.searchsorted(component, component[at], side="right"))
            _solve_directly(system, order[at:end].tolist(), value, active)
            at = end
    return value, active


def _solve_directly(system: System, nodes: list[int], value: Any, active: Any) -> None:
    """The least solution on one component, by dense solves; where floats cannot find it, the swept values stay."""
    place = {node: i for i, node in enumerate(nodes)}
    for _ in range(len(nodes) + 1):
        matrix, right = np.eye(len(nodes)), system.eta[active[nodes]]
        for i, node in enumerate(nodes):
            option = active[node]
            for arc in range(system.ptr[option], system.ptr[option + 1]):
                target, weight = int(system.arc[arc]), system.weight[arc]
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
        for node in nodes:
            _best_option(node, system, value, active, RAISED)
        if np.array_equal(before, active[nodes]):
            return


def _best_option(node: int, system: System, value: Any, active: Any, raised: float) -> float:
    """The largest option of a node at ``value``, its own loop solved for, but at most 1, and active from now on.

    With ``raised`` above 0 only if that raises the node's value by this factor; if not, the value stays.
    """
    best, factor = (value[node], raised) if raised > 0.0 else (-1.0, 1.0)
    for option in range(system.head[node], system.head[node + 1]):
        total, loop = system.eta[option], 0.0
        for arc in range(system.ptr[option], system.ptr[option + 1]):
            if system.arc[arc] == node:
                loop += system.weight[arc]
            else:
                total += system.weight[arc] * value[system.arc[arc]]
        if total > 0.0:
            total = total / (1.0 - loop) if loop < 1.0 else 1.0
        total = min(total, 1.0)
        if total > best * factor:
            best = total
            active[node] = option
    return float(best)


def _substitute(
    order: Any,
    component: Any,
    system: System,
    value: Any,
    start: Any,
    active: Any,
    begin: int,
    limits: Any,
    raised: float,
    tolerance: float,
) -> int:
    """Solve component by component from place ``begin`` of the order.

    ``limits`` are `DENSE`, `SWEEPS` and `SWEEPS_IF_LARGE`. Returns the place of the first component that crawls and is
    small enough for a dense solve, or the end.
    """
    while begin < len(order):
        end = begin
        while end < len(order) and component[end] == component[begin]:
            end += 1
        if end - begin > limits[0]:
            # In the order of their numbers, which is that of their arcs in memory.
            _relax(np.sort(order[begin:end]), system, value, start, active, limits[2], tolerance)
            begin = end
            continue
        settled = False
        for _ in range(limits[1]):
            settled = True
            for at in range(begin, end):
                node = order[at]
                new = _best_option(node, system, value, active, raised)
                if new > value[node]:
                    settled = False
                    value[node] = new
            if settled or end == begin + 1:
                settled = True
                break
        if not settled:
            return begin
        begin = end
    return begin


def _relax(nodes: Any, system: System, value: Any, start: Any, active: Any, most: int, tolerance: float) -> None:
    """Sweep a large component until it stands still, now and then leaping to where the sweeps are heading.

    Off the zero set a policy has one value, so it does not matter where this begins or how it gets there; should it
    stop elsewhere, the value is checked later, like all that floats say.
    """
    change = np.zeros(len(nodes))
    for at in range(len(nodes)):
        value[nodes[at]] = start[nodes[at]]
    before = 0.0
    for sweep in range(most):
        moved, largest = False, 0.0
        for at in range(len(nodes)):
            node = nodes[at]
            new = _best_option(node, system, value, active, 0.0)
            change[at] = new - value[node]
            if abs(change[at]) > tolerance * new:
                moved = True
            largest = max(largest, abs(change[at]))
            value[node] = new
        if not moved:
            return
        rate = largest / before if before > 0.0 else 1.0
        before = largest
        if sweep % 8 == 7 and rate < 0.999:
            for at in range(len(nodes)):
                node = nodes[at]
                value[node] = min(1.0, max(0.0, value[node] + change[at] * rate / (1.0 - rate)))
