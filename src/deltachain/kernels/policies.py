"""Policies in floats: flows taken apart into arcs of d, and the least solution of the equations that they make.

What leaves a state along a plain arc arrives multiplied by α; the arc (i, j) cites d_ij and carries what leaves i. What
leaves along a complement arc arrives divided by α; an arc from j to i cites d_ij and carries what arrives at i, so that
its cost is d_ij + α − 1 per unit (docs/theory/step.md). Complement arcs are written as the bitwise complement of their
pair.
"""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Bases, NodeTable, Policy, System
    from .transport import PairRows
    from .types import (
        ConstInts,
        ConstInts2,
        ConstInts32,
        ConstInts32x2,
        ConstReals,
        Flags,
        Ints,
        Ints32,
        Ints32x2,
        Reals,
        f64,
        flag,
        i64,
    )


def unfold_bases(
    rows: PairRows, bases: Bases, via: ConstInts32x2, steps: ConstInts2, counts: Ints, into: Policy
) -> None:
    """Count the arcs of each basis into ``counts``; if ``into`` has room, write them, with weights and constant costs.

    ``via`` and ``steps`` are those of the closure.
    """
    ptr: ConstInts = bases.ptr
    u: ConstInts32 = bases.u
    v: ConstInts32 = bases.v
    levels: ConstInts32 = bases.level
    amount: ConstReals = bases.amount
    arc: Ints32 = into.arc
    weight: Reals = into.weight
    eta: Reals = into.eta
    write: flag = len(arc) > 0
    alpha = rows.alpha
    written: i64 = 0
    with cython.nogil:
        for q in range(len(ptr) - 1):
            begin = written
            constant: f64 = 0.0
            for entry in range(ptr[q], ptr[q + 1]):
                carried: f64 = amount[entry]
                if levels[entry] == 0:
                    constant += carried
                # A basic variable may have the amount 0: its arcs carry nothing.
                if levels[entry] < 1 or carried <= 0.0:
                    continue
                here: i64 = u[entry]
                goal: i64 = v[entry]
                block = rows.block[here]
                low, side = rows.first[block], rows.size[block]
                origin = rows.offset[block] - low * side - low
                level: i64 = levels[entry] - 1
                while here != goal:
                    stone: i64 = via[level, origin + here * side + goal]
                    back: flag = stone < 0
                    if back:
                        stone = ~stone
                        carried /= alpha
                        constant += carried * (alpha - 1.0)
                    if write:
                        arc[written] = ~(origin + stone * side + here) if back else origin + here * side + stone
                        weight[written] = carried
                    written += 1
                    if not back:
                        carried *= alpha
                    # The closure put this arc in front of a path of that level, which goes on to the same goal.
                    level = steps[level, 1 if back else 0]
                    here = stone
            counts[q] = written - begin
            eta[q] = constant


def spend_radius(
    rows: PairRows, sources: ConstInts32, sinks: ConstInts32, moved: ConstReals, left: Reals, look: Flags
) -> None:
    """Take the largest move of the costs (i, j), i a target of the source and j of the sink, off what is left.

    ``look`` says where nothing is left.
    """
    with cython.nogil:
        for q in range(len(sources)):
            most: f64 = 0.0
            for a in range(rows.indptr[sources[q]], rows.indptr[sources[q] + 1]):
                i = rows.target[a]
                label = rows.block[i]
                line = rows.offset[label] + (i - rows.first[label]) * rows.size[label] - rows.first[label]
                for b in range(rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]):
                    j = rows.target[b]
                    if rows.block[j] == label and moved[line + j] > most:
                        most = moved[line + j]
            # Moves add up to no more than their sum: as long as that is below the radius, the basis is still optimal.
            look[q] = most > 0.0 and most >= left[q]
            left[q] = 0.0 if look[q] else left[q] - most


def copy_spans(source: ConstInts, first: Policy, second: Policy, into: Policy) -> None:
    """Span q of ``into`` is span q of the first, or span source[q] of the second where that is not −1."""
    ptr: ConstInts = into.ptr
    arc: Ints32 = into.arc
    weight: Reals = into.weight
    first_ptr: ConstInts = first.ptr
    first_arc: ConstInts32 = first.arc
    first_weight: ConstReals = first.weight
    second_ptr: ConstInts = second.ptr
    second_arc: ConstInts32 = second.arc
    second_weight: ConstReals = second.weight
    with cython.nogil:
        for q in range(len(source)):
            begin = ptr[q]
            if source[q] < 0:
                shift = first_ptr[q] - begin
                for k in range(begin, ptr[q + 1]):
                    arc[k], weight[k] = first_arc[k + shift], first_weight[k + shift]
            else:
                shift = second_ptr[source[q]] - begin
                for k in range(begin, ptr[q + 1]):
                    arc[k], weight[k] = second_arc[k + shift], second_weight[k + shift]


def gather_system(nodes: NodeTable, policy: Policy, system: System) -> int:
    """The arcs of all options in the order of their nodes, without those to pairs of distance zero; their number."""
    of_pair: ConstInts32 = nodes.of_pair
    places: ConstInts32 = nodes.place
    ptr: ConstInts = policy.ptr
    arc: ConstInts32 = policy.arc
    weight: ConstReals = policy.weight
    new_ptr: Ints = system.ptr
    new_arc: Ints32 = system.arc
    new_weight: Reals = system.weight
    used: i64 = 0
    with cython.nogil:
        for option in range(len(places)):
            place = places[option]
            for k in range(ptr[place], ptr[place + 1]):
                node = of_pair[~arc[k] if arc[k] < 0 else arc[k]]
                if node >= 0 and weight[k] > 0.0:
                    new_arc[used], new_weight[used] = node, weight[k]
                    used += 1
            new_ptr[option + 1] = used
    return used


def arrange_components(head: ConstInts, target: ConstInts32, order: Ints32, component: Ints32, work: Ints32x2) -> int:
    """Write the nodes component by component into ``order``, with the number of their component; how many there are.

    Strongly connected components, each after all that it leads to (Tarjan 1972, without recursion). The successors of
    node i are ``target[head[i]:head[i+1]]``. ``work`` is working space, five rows of a place per node, the first filled
    with −1. A node that is not on Tarjan's stack any more has ``low`` −1.
    """
    top: i64 = 0
    seen: i64 = 0
    placed: i64 = 0
    found: i64 = 0
    # Rows of the working space: number, low, stack, path, cursor.
    with cython.nogil:
        for root in range(len(head) - 1):
            if work[0, root] >= 0:
                continue
            work[3, 0] = root
            depth: i64 = 1
            while depth > 0:
                node: i64 = work[3, depth - 1]
                if work[0, node] < 0:
                    work[0, node] = work[1, node] = seen
                    work[4, node] = 0
                    seen += 1
                    work[2, top] = node
                    top += 1
                pushed: flag = False
                begin, end = head[node], head[node + 1]
                while begin + work[4, node] < end and not pushed:
                    other: i64 = target[begin + work[4, node]]
                    work[4, node] += 1
                    if work[0, other] < 0:
                        work[3, depth] = other
                        depth += 1
                        pushed = True
                    # Still on Tarjan's stack: its component is not complete, and may be this node's.
                    elif work[1, other] >= 0:
                        work[1, node] = min(work[1, node], work[0, other])
                if pushed:
                    continue
                depth -= 1
                if depth > 0:
                    before = work[3, depth - 1]
                    work[1, before] = min(work[1, before], work[1, node])
                if work[1, node] == work[0, node]:
                    other = -1
                    while other != node:
                        top -= 1
                        other = work[2, top]
                        work[1, other] = -1
                        order[placed] = other
                        component[placed] = found
                        placed += 1
                    found += 1
    return found


@cython.cclass
class Equations:
    """A `System` with the values of its nodes, and the option in force of each, while they are being solved."""

    head: ConstInts
    ptr: ConstInts
    arc: ConstInts32
    weight: ConstReals
    eta: ConstReals
    value: Reals
    active: Ints

    def __init__(self, system: System, value: Reals, active: Ints) -> None:
        self.head, self.ptr, self.arc = system.head, system.ptr, system.arc
        self.weight, self.eta, self.value, self.active = system.weight, system.eta, value, active


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def best_option(node: i64, equations: Equations, raised: f64) -> f64:
    """The largest option of a node, its own loop solved for, but at most 1, and active from now on.

    With ``raised`` above 0 only if that raises the node's value by this factor; if not, the value stays.
    """
    best: f64 = equations.value[node] if raised > 0.0 else -1.0
    factor: f64 = raised if raised > 0.0 else 1.0
    for option in range(equations.head[node], equations.head[node + 1]):
        total: f64 = equations.eta[option]
        loop: f64 = 0.0
        for k in range(equations.ptr[option], equations.ptr[option + 1]):
            if equations.arc[k] == node:
                loop += equations.weight[k]
            else:
                total += equations.weight[k] * equations.value[equations.arc[k]]
        if total > 0.0:
            # The least v = total + loop·v. A loop that loses nothing has no finite one, and values are capped at 1;
            # with nothing from outside the least one is 0, whatever the loop.
            total = total / (1.0 - loop) if loop < 1.0 else 1.0
        total = min(total, 1.0)
        if total > best * factor:
            best = total
            equations.active[node] = option
    return best


def choose_options(equations: Equations, nodes: ConstInts32, raised: f64) -> None:
    """Make the options active that would raise the values of some nodes by a factor; the values stay."""
    with cython.nogil:
        for at in range(len(nodes)):
            best_option(nodes[at], equations, raised)


def solve_in_order(
    equations: Equations, order: ConstInts32, component: ConstInts32, begin: i64, largest: i64, sweeps: i64, raised: f64
) -> int:
    """Solve component by component from place ``begin`` of the order, by sweeps from below.

    Returns the place of the first component that has more than ``largest`` nodes, or that still rises after so many
    sweeps; or the end.
    """
    with cython.nogil:
        while begin < len(order):
            end: i64 = begin
            while end < len(order) and component[end] == component[begin]:
                end += 1
            if end - begin > largest:
                break
            # Every component comes after all that it leads to, so that values outside of it are final.
            settled: flag = False
            for _ in range(sweeps):
                settled = True
                for at in range(begin, end):
                    node = order[at]
                    new = best_option(node, equations, raised)
                    if new > equations.value[node]:
                        settled = False
                        equations.value[node] = new
                # A single node has its own loop solved for, and all else is settled: one sweep is enough.
                if end == begin + 1:
                    settled = True
                if settled:
                    break
            if not settled:
                break
            begin = end
    return begin


def relax_component(equations: Equations, nodes: ConstInts32, start: ConstReals, sweeps: i64, tolerance: f64) -> None:
    """Sweep a large component until it stands still, now and then leaping to where the sweeps are heading.

    Off the zero set a policy has one value, so it does not matter where this begins or how it gets there; should it
    stop elsewhere, the value is checked later, like all that floats say.
    """
    change: Reals = np.zeros(len(nodes))
    before: f64 = 0.0
    with cython.nogil:
        for at in range(len(nodes)):
            equations.value[nodes[at]] = start[nodes[at]]
        for sweep in range(sweeps):
            moved: flag = False
            largest: f64 = 0.0
            for at in range(len(nodes)):
                node = nodes[at]
                new = best_option(node, equations, 0.0)
                change[at] = new - equations.value[node]
                if abs(change[at]) > tolerance * new:
                    moved = True
                largest = max(largest, abs(change[at]))
                equations.value[node] = new
            if not moved:
                break
            rate: f64 = largest / before if before > 0.0 else 1.0
            before = largest
            if sweep % 8 == 7 and rate < 0.999:
                for at in range(len(nodes)):
                    node = nodes[at]
                    # If changes go on shrinking by this rate, change·(rate + rate² + …) is still to come.
                    leap = equations.value[node] + change[at] * rate / (1.0 - rate)
                    equations.value[node] = min(1.0, max(0.0, leap))
