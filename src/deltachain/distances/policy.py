"""A policy, one flow for each direction of each pair, and its value: the least d with d ≥ Wd + η in every direction.

A policy's value is a pre-fixed point of the operator, so it is an upper bound of the distance, and the greedy
policy at it has a smaller value or is optimal (docs/theory/fixed-points.md, policy iteration). Here policies and values
are floats and guide only; `certify` and `exact` turn the last policy into exact flows and check it.

Evaluation works on the graph of pairs, strongly connected component by component, dependencies first: acyclic
parts are one substitution each, components are swept (Gauss–Seidel) from below until they stand still, which
converges to the least solution. Where that crawls, because mass leaks out of a component slowly, a linear solve for
the directions in force takes over, and directions are switched upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..chain.components import arrange
from ..kernels import compiled, loaded
from .space import Kind, PairSpace

__all__ = ["Policy", "System", "build_system", "evaluate", "spliced"]

SWEEPS = 300
"""Sweeps of one component before a linear solve is tried; the guide may be less sharp for it, never unsound."""
SWEEPS_IF_LARGE = 20_000
DENSE = 1500
"""Components above this size are swept `SWEEPS_IF_LARGE` times instead: a dense solve would take too long."""

RAISED = 1 + 4e-16
"""A value counts as raised by more than this factor: less is rounding."""

STILL = 4e-16
"""A large component is swept until no value moves by more than this, relatively."""

SMALL = 400
"""Up to this many options, compiled code would take longer to load than the interpreter takes to run."""


@dataclass(frozen=True)
class Policy:
    """A flow for each of the ordered pairs ``todo``: arcs ``ptr[q]:ptr[q+1]``, and the constant part of its cost.

    An arc is the number of the pair that it cites, or the bitwise complement of that number for a complement arc,
    whose α − 1 a unit is in ``eta``.
    """

    todo: Any
    ptr: Any
    arc: Any
    weight: Any
    eta: Any

    @property
    def cited(self) -> Any:
        """The pair number that each arc cites."""
        return np.where(self.arc < 0, ~self.arc, self.arc)


def spliced(policy: Policy, places: Any, other: Policy) -> Policy:
    """The policy with the flows at ``places`` replaced by those of ``other``, in its order."""
    source = np.full(len(policy.todo), -1, np.int64)
    source[places] = np.arange(len(places))
    counts, eta = np.diff(policy.ptr), policy.eta.copy()
    counts[places], eta[places] = np.diff(other.ptr), other.eta
    ptr = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    arc, weight = np.empty(ptr[-1], np.int32), np.empty(ptr[-1])
    copy = _copy_spans if len(policy.todo) <= SMALL and not loaded() else compiled(_copy_spans)
    copy(source, policy.ptr, policy.arc, policy.weight, other.ptr, other.arc, other.weight, ptr, arc, weight)
    return Policy(policy.todo, ptr, arc, weight, eta)


def _copy_spans(
    source: Any, ptr: Any, arc: Any, weight: Any, ptr2: Any, arc2: Any, weight2: Any, at: Any, arcs: Any, weights: Any
) -> None:
    """Span q of the result is span q of the first, or span source[q] of the second where that is not −1."""
    for q in range(len(source)):
        to = at[q]
        if source[q] < 0:
            for k in range(ptr[q], ptr[q + 1]):
                arcs[to], weights[to] = arc[k], weight[k]
                to += 1
        else:
            for k in range(ptr2[source[q]], ptr2[source[q] + 1]):
                arcs[to], weights[to] = arc2[k], weight2[k]
                to += 1


class System(NamedTuple):
    """value[x] = max over the options of x of η + Σ w·value[arc].

    Options are numbered as the pairs of the policy. A node is one option, or two that are each other's ``twin``; it
    goes by the smaller number.
    """

    ptr: Any
    arc: Any
    weight: Any
    eta: Any
    twin: Any


def build_system(space: PairSpace, kind: Kind, policy: Policy) -> System:
    """The equations of the policy; pairs that it has no flow for have distance zero."""
    todo = policy.todo
    option = np.full(len(space), -1, np.int32)
    option[todo] = np.arange(len(todo), dtype=np.int32)
    twin = option[space.swapped[todo]] if kind == "bd" else np.arange(len(todo), dtype=np.int32)
    node = option.copy()
    node[todo] = np.minimum(option[todo], twin)
    arc = node[policy.cited]
    used = (arc >= 0) & (policy.weight > 0)
    ptr = np.concatenate(([0], np.cumsum(used, dtype=np.int64)))[policy.ptr]
    return System(ptr, arc[used], policy.weight[used], policy.eta, twin)


def evaluate(system: System, start: Any = None, tolerance: float = STILL) -> tuple[Any, Any]:
    """The policy's value for each option's node, capped at 1, and the option that attains it.

    In components of up to `DENSE` nodes, an option becomes active only by raising the value from below: so the active
    options never form a closed loop that merely agrees with itself (at the last raise in such a loop, all others would
    have to have been raised before). Larger ones begin at ``start`` (default 0) and move both ways, until no value
    moves by more than ``tolerance``, relatively.
    """
    count = len(system.twin)
    small = count <= SMALL and not loaded()
    order, component = _arranged(system, small)
    value, active = np.zeros(count), np.arange(count, dtype=np.int32)
    begin = value if start is None else start
    substitute = _substitute if small else compiled(_substitute, _best_option, _relax)
    limits = np.array([DENSE, SWEEPS, SWEEPS_IF_LARGE])
    at = 0
    while at < count:
        at = substitute(order, component, system, value, begin, active, at, limits, RAISED, tolerance)
        if at < count:
            end = int(np.searchsorted(component, component[at], side="right"))
            nodes = [node for node in order[at:end].tolist() if system.twin[node] >= node]
            _solve_directly(system, nodes, value, active)
            at = end
    node = np.minimum(np.arange(count), system.twin)
    return value[node], active[node]


def _arranged(system: System, small: bool) -> tuple[Any, Any]:
    """The nodes by strongly connected component, dependencies first, and their components' numbers."""
    count = len(system.twin)
    head, target = system.ptr, system.arc
    if (system.twin != np.arange(count)).any():
        join = _join_twins if small else compiled(_join_twins)
        head, target = np.zeros(count + 1, np.int64), np.empty_like(system.arc)
        join(system, head, target)
    order, component = np.empty(count, np.int32), np.empty(count, np.int32)
    desk = np.zeros((6, count), np.int32)
    desk[0] = -1
    (arrange if small else compiled(arrange))(head, target, order, component, desk)
    return order, component


def _join_twins(system: System, head: Any, target: Any) -> None:
    """The arcs of both options at the node that they share; none at the other number."""
    written = 0
    for option in range(len(system.twin)):
        head[option] = written
        twin = system.twin[option]
        if twin >= option:
            for arc in range(system.ptr[option], system.ptr[option + 1]):
                target[written] = system.arc[arc]
                written += 1
            if twin > option:
                for arc in range(system.ptr[twin], system.ptr[twin + 1]):
                    target[written] = system.arc[arc]
                    written += 1
    head[len(system.twin)] = written


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
    option = node
    while True:
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
        if option == system.twin[node]:
            return float(best)
        option = system.twin[node]


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
            _relax(order[begin:end], system, value, start, active, limits[2], tolerance)
            begin = end
            continue
        settled = False
        for _ in range(limits[1]):
            settled = True
            for at in range(begin, end):
                node = order[at]
                if system.twin[node] >= node:
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
            if system.twin[node] < node:
                continue
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
