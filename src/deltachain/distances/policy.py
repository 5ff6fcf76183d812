"""A policy, one flow for each direction of each pair, and its value: the least d with d ≥ Wd + η in every direction.

A policy's value is a pre-fixed point of the operator, so it is an upper bound of the distance, and the greedy
policy at it has a smaller value or is optimal (THEORY: policy iteration). Here policies and values are floats and
guide only; `certify` and `exact` turn the last policy into exact flows and check it.

Evaluation works on the graph of pairs, strongly connected component by component, dependencies first: acyclic
parts are one substitution each, components are swept (Gauss–Seidel) from below until they stand still, which
converges to the least solution. Where that crawls, because mass leaks out of a component slowly, a linear solve for
the directions in force takes over, and directions are switched upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .closure import Closure, pair_numbers
from .levels import ETA
from .space import Kind, PairSpace
from .step_float import compiled

__all__ = ["Bases", "System", "build_system", "evaluate"]

SWEEPS = 300
"""Sweeps of one component before a linear solve is tried; the guide may be less sharp for it, never unsound."""
SWEEPS_IF_LARGE = 20_000
DENSE = 1500
"""Components above this size are swept `SWEEPS_IF_LARGE` times instead: a dense solve would take too long."""

RAISED = 1 + 4e-16
"""A value counts as raised by more than this factor: less is rounding."""

SMALL = 400
"""Up to this many nodes, compiled code would take longer to load than the interpreter takes to run."""


@dataclass(frozen=True)
class Bases:
    """Optimal bases of the step for the ordered pairs ``todo``: entries ``ptr[q]:ptr[q+1]`` belong to ``todo[q]``."""

    todo: Any
    value: Any
    stopped: Any
    """Where the float simplex gave up: the basis is feasible, maybe not optimal."""
    ptr: Any
    u: Any
    v: Any
    level: Any
    amount: Any

    def entries(self, index: int) -> list[tuple[int, int, int]]:
        """The basic variables (u, v, level) of one basis."""
        span = slice(self.ptr[index], self.ptr[index + 1])
        return list(zip(self.u[span].tolist(), self.v[span].tolist(), self.level[span].tolist(), strict=True))


@dataclass(frozen=True)
class System:
    """d[node] = max over its options of η + Σ w·d[arc]: options of node x are ``option_ptr[x]:option_ptr[x+1]``."""

    node_of: Any
    """Pair number → node, −1 for pairs of distance zero."""
    option_ptr: Any
    option_of: Any
    """Index into ``Bases.todo`` of each option."""
    arc_ptr: Any
    arc_node: Any
    arc_weight: Any
    eta: Any


def build_system(space: PairSpace, kind: Kind, bases: Bases, closure: Closure) -> System:
    """The equations of the policy; pairs that have no basis have distance zero."""
    owner = np.repeat(np.arange(len(bases.todo)), np.diff(bases.ptr))
    arcs = bases.level >= 1
    owner_a, u, v, amount = closure.unfold(
        owner[arcs], bases.u[arcs], bases.v[arcs], bases.level[arcs], bases.amount[arcs]
    )
    eta_entries = bases.level == ETA
    eta = np.bincount(owner[eta_entries], bases.amount[eta_entries], minlength=len(bases.todo))

    canonical = np.minimum(bases.todo, space.swapped[bases.todo]) if kind == "bd" else bases.todo
    nodes, node_of_option = np.unique(canonical, return_inverse=True)
    node_of = np.full(len(space), -1, np.int64)
    node_of[nodes] = np.arange(len(nodes))
    if kind == "bd":
        node_of[space.swapped[nodes]] = np.arange(len(nodes))
    arc_node = node_of[pair_numbers(space, u, v)]
    used = (amount > 0) & (arc_node >= 0)
    owner_a, amount, arc_node = owner_a[used], amount[used], arc_node[used]
    option_of = np.argsort(node_of_option, kind="stable")
    option_ptr = np.concatenate(([0], np.cumsum(np.bincount(node_of_option, minlength=len(nodes)))))
    rank = np.empty_like(option_of)
    rank[option_of] = np.arange(len(option_of))
    order = np.argsort(rank[owner_a], kind="stable")
    arc_ptr = np.concatenate(([0], np.cumsum(np.bincount(rank[owner_a], minlength=len(option_of)))))
    return System(node_of, option_ptr, option_of, arc_ptr, arc_node[order], amount[order], eta[option_of])


def evaluate(system: System) -> tuple[Any, Any]:
    """The policy's value for each node, capped at 1, and the option that attains it.

    An option becomes active only by raising the value: so the active options never form a closed loop that merely
    agrees with itself (at the last raise in such a loop, all others would have to have been raised before).
    """
    count = len(system.option_ptr) - 1
    order, component = np.empty(count, np.int64), np.empty(count, np.int64)
    value, active = np.zeros(count), system.option_ptr[:-1].copy()
    small = count <= SMALL
    (_components if small else compiled(_components))(
        system.option_ptr, system.arc_ptr, system.arc_node, order, component
    )
    substitute = _substitute if small else compiled(_substitute, _best_option)
    limits = np.array([DENSE, SWEEPS, SWEEPS_IF_LARGE])
    at = 0
    while at < count:
        at = substitute(
            order, component, system.option_ptr, system.arc_ptr, system.arc_node, system.arc_weight, system.eta,
            value, active, at, limits,
        )  # fmt: skip
        if at < count:
            nodes = order[at:][component[at:] == component[at]]
            _solve_directly(system, nodes.tolist(), value, active)
            at += len(nodes)
    return value, active


def _solve_directly(system: System, nodes: list[int], value: Any, active: Any) -> None:
    """The least solution on one component, by dense solves; where floats cannot find it, the swept values stay."""
    place = {node: i for i, node in enumerate(nodes)}
    for _ in range(len(nodes) + 1):
        matrix, right = np.eye(len(nodes)), system.eta[active[nodes]]
        for i, node in enumerate(nodes):
            option = active[node]
            for arc in range(system.arc_ptr[option], system.arc_ptr[option + 1]):
                target, weight = int(system.arc_node[arc]), system.arc_weight[arc]
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
            _best_option(
                node, system.option_ptr, system.arc_ptr, system.arc_node, system.arc_weight, system.eta, value, active
            )
        if np.array_equal(before, active[nodes]):
            return


def _components(option_ptr: Any, arc_ptr: Any, arc_node: Any, order: Any, component: Any) -> int:
    """Tarjan's algorithm without recursion; components come out with what they depend on first."""
    count = len(option_ptr) - 1
    number = np.full(count, -1, np.int64)
    low = np.zeros(count, np.int64)
    on_stack = np.zeros(count, np.bool_)
    stack, path = np.empty(count, np.int64), np.empty(count, np.int64)
    cursor = np.empty(count, np.int64)
    top = depth = seen = placed = found = 0
    for root in range(count):
        if number[root] >= 0:
            continue
        path[0] = root
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            if number[node] < 0:
                number[node] = low[node] = seen
                seen += 1
                stack[top] = node
                top += 1
                on_stack[node] = True
                cursor[node] = arc_ptr[option_ptr[node]]
            end = arc_ptr[option_ptr[node + 1]]
            pushed = False
            while cursor[node] < end:
                other = arc_node[cursor[node]]
                cursor[node] += 1
                if number[other] < 0:
                    path[depth] = other
                    depth += 1
                    pushed = True
                    break
                if on_stack[other]:
                    low[node] = min(low[node], number[other])
            if pushed:
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == number[node]:
                while True:
                    top -= 1
                    other = stack[top]
                    on_stack[other] = False
                    order[placed] = other
                    component[placed] = found
                    placed += 1
                    if other == node:
                        break
                found += 1
    return found


def _best_option(
    node: int, option_ptr: Any, arc_ptr: Any, arc_node: Any, arc_weight: Any, eta: Any, value: Any, active: Any
) -> float:
    """The largest option of a node at ``value``, its own loop solved for, but at most 1.

    If that raises the node's value, the option becomes active; if not, the value stays.
    """
    best: float = value[node] * RAISED
    raised = False
    for option in range(option_ptr[node], option_ptr[node + 1]):
        total, loop = eta[option], 0.0
        for arc in range(arc_ptr[option], arc_ptr[option + 1]):
            if arc_node[arc] == node:
                loop += arc_weight[arc]
            else:
                total += arc_weight[arc] * value[arc_node[arc]]
        if total > 0.0:
            total = total / (1.0 - loop) if loop < 1.0 else 1.0
        total = min(total, 1.0)
        if total > best:
            best = total
            active[node] = option
            raised = True
    result: float = best if raised else value[node]
    return result


def _substitute(
    order: Any,
    component: Any,
    option_ptr: Any,
    arc_ptr: Any,
    arc_node: Any,
    arc_weight: Any,
    eta: Any,
    value: Any,
    active: Any,
    begin: int,
    limits: Any,
) -> int:
    """Solve component by component from place ``begin`` of the order.

    ``limits`` are `DENSE`, `SWEEPS` and `SWEEPS_IF_LARGE`. Returns the place of the first component that crawls and is
    small enough for a dense solve, or the end.
    """
    while begin < len(order):
        end = begin
        while end < len(order) and component[end] == component[begin]:
            end += 1
        dense = end - begin <= limits[0]
        settled = False
        for _ in range(limits[1] if dense else limits[2]):
            settled = True
            for at in range(begin, end):
                node = order[at]
                new = _best_option(node, option_ptr, arc_ptr, arc_node, arc_weight, eta, value, active)
                if new > value[node]:
                    settled = False
                    value[node] = new
            if settled or end == begin + 1:
                settled = True
                break
        if dense and not settled:
            return begin
        begin = end
    return begin
