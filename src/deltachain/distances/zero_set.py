"""The zero set Z: the largest set X of same-label pairs with step(1_{not X}) = 0 on X (both directions for bd).

Z is exactly where the distance is zero (docs/theory/zero-set.md): those pairs are private with δ = 0. It is computed by
deletion from the set of all same-label pairs. A pair stays as long as the flow that showed its step to be zero uses
no deleted pair, so each round looks only at pairs that lost an arc. For sd it is the same set as for ld: complement
arcs cost α − 1 > 0, and at α = 1 they bring nothing.

Which pairs are deleted is decided exactly: a float value far above zero (`CLEAR`, a million times what the rounding
of a step can amount to) deletes; anything nearer is settled by an exact flow, or the exact simplex. Every
pair that stays is shown to belong by an exact flow of cost zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from ..errors import SolverError
from ..kernels import compiled
from ..watch import Watch
from .closure import Closure, close
from .flows import exact_flow, pair_imbalance, solve_pair
from .guide import apply_step, best_policy
from .integers import too_dear, units_of, whole_flows
from .space import Kind, PairSpace
from .step_exact import Flow

__all__ = ["ZeroSet", "zero_set"]

CLEAR = 1e-6
FEW = 1500
"""Up to this many members, exact flows are solved for one by one, and no machine code is loaded."""


@dataclass(frozen=True)
class ZeroSet:
    """``member[p]``: whether pair p has distance zero. Shown for each by a flow (the diagonal needs none)."""

    space: PairSpace
    member: Any
    closure: Closure
    known: dict[int, Flow]

    def flow(self, pair: int) -> Flow:
        """An exact flow of cost zero along members; computed when asked for, unless it had to be before."""
        if pair not in self.known:
            flow = _zero_flow(self.space, self.closure, pair)
            if flow is None:
                raise SolverError(f"pair {pair} was taken for a member of the zero set, and has no flow of cost zero")
            self.known[pair] = flow
        return self.known[pair]

    @property
    def flows(self) -> dict[int, Flow]:
        """The flows of all members off the diagonal."""
        off = self.space.off_diagonal
        return {pair: self.flow(pair) for pair in off[self.member[off]].tolist()}


def zero_set(space: PairSpace, kind: Kind, *, watch: Watch | None = None) -> ZeroSet:
    """Z of the space, exactly, as long as `closure` keeps all levels; else a part of it, which is sound."""
    member = np.ones(len(space), bool)
    pending = space.off_diagonal
    known = _Dependencies(len(space))
    while True:
        _delete_by_float(space, kind, member, pending, known, watch)
        # Everything left looks like zero. Prove it, or delete and go on.
        closure = close(space, 1.0 - member)
        flows: dict[int, Flow] = {}
        gone = []
        for pair in _unproved(space, closure, member):
            flow = _zero_flow(space, closure, pair)
            if flow is None:
                gone.append(pair)
            else:
                flows[pair] = flow
        if not gone:
            return ZeroSet(space, member, closure, flows)
        deleted = _drop(space, kind, member, np.array(gone))
        pending = known.users(deleted, member)


def _unproved(space: PairSpace, closure: Closure, member: Any) -> list[int]:
    """The members off the diagonal that flows in machine integers do not show to have a step of cost zero."""
    left = space.off_diagonal[member[space.off_diagonal]]
    units = units_of(space) if len(left) > FEW else None
    if units is None:
        found: list[int] = left.tolist()
        return found
    policy, _, _ = best_policy(space, left, closure)
    dear = too_dear(policy, whole_flows(space, policy, units), 1.0 - member)
    unproved: list[int] = left[dear].tolist()
    return unproved


def _delete_by_float(
    space: PairSpace, kind: Kind, member: Any, pending: Any, known: _Dependencies, watch: Watch | None
) -> None:
    """Delete until every remaining pair's step looks like zero in floats. Works in place on ``member``.

    Between closures, levels above 1 are those of a larger X: they allow more, so what is deleted with them is
    rightly deleted; flows that rest on a vanished stepping stone wait for the next closure.
    """
    closure = close(space, 1.0 - member)
    stale = np.zeros(len(space), bool)
    while True:
        if len(pending) == 0:
            pending = np.flatnonzero(stale & member)
            if len(pending) == 0:
                return
            closure = close(space, 1.0 - member)
            stale[:] = False
        policy, value, stopped = best_policy(space, pending, closure)
        gone = pending[(value > CLEAR) & ~stopped]
        deleted = _drop(space, kind, member, gone)
        closure.cost[0][deleted] = 1.0
        owner = np.repeat(pending, np.diff(policy.ptr))
        live = member[owner] & (policy.weight > 0)
        owner, used = owner[live], policy.arc[live]
        known.record(pending, owner, used)
        stale[owner[~member[used]]] = True
        pending = known.users(deleted, member & ~stale)
        if watch is not None:
            watch.report(f"zero set: {int(member.sum())} pairs left, {len(pending)} to look at")
            watch.check()


def _drop(space: PairSpace, kind: Kind, member: Any, gone: Any) -> Any:
    """Delete pairs (for bd, with their mirror images); returns what was deleted now."""
    if kind == "bd" and len(gone):
        gone = np.union1d(gone, space.swapped[gone])
    gone = gone[member[gone]] if len(gone) else gone
    member[gone] = False
    return gone


def _zero_flow(space: PairSpace, closure: Closure, pair: int) -> Flow | None:
    """An exact flow of cost zero for the pair under 0/1 costs, or None if its step is positive."""
    bases = apply_step(space, np.array([pair]), closure)
    flow = exact_flow(space, bases, closure, 0)
    if flow.eta or any(closure.cost[0][space.pair(u, v)] != 0 for u, v, _ in flow.arcs):
        ends = space.ends
        need = pair_imbalance(space, int(ends[0][pair]), int(ends[1][pair]))

        def cost(u: int, v: int, level: int) -> fmpq | None:
            return fmpq(0) if closure.cost[level - 1, space.pair(u, v)] == 0 else None

        flow = solve_pair(space, need, cost, closure)
        if flow.eta:
            return None
    return flow


class _Dependencies:
    """Which pairs' flows use which pairs: a linked list of users for each pair, newest first.

    An entry holds as long as its user has not been given a newer flow.
    """

    def __init__(self, size: int) -> None:
        self._newest = np.zeros(size, np.int32)
        self._head = np.full(size, -1, np.int32)
        self._links = np.empty((3, max(16, size)), np.int32)  # next entry, user, time
        self._count = self._clock = 0
        self._small = size <= FEW

    def record(self, solved: Any, owner: Any, used: Any) -> None:
        """Remember the arcs (owner, used) of the flows of the pairs ``solved``, in place of what they had."""
        self._clock += 1
        self._newest[solved] = self._clock
        if self._count + len(owner) > self._links.shape[1]:
            more = np.empty((3, 2 * self._links.shape[1] + len(owner)), np.int32)
            more[:, : self._count] = self._links[:, : self._count]
            self._links = more
        (_link if self._small else compiled(_link))(owner, used, self._clock, self._count, self._head, self._links)
        self._count += len(owner)

    def users(self, gone: Any, allowed: Any) -> Any:
        """The allowed pairs whose newest flow uses a pair of ``gone``, sorted."""
        found = np.zeros(len(allowed), bool)
        collect = _collect if self._small else compiled(_collect)
        collect(gone, self._head, self._links, self._newest, found)
        return np.flatnonzero(found & allowed)


def _link(owner: Any, used: Any, clock: int, count: int, head: Any, links: Any) -> None:
    for k in range(len(owner)):
        links[0, count + k] = head[used[k]]
        links[1, count + k] = owner[k]
        links[2, count + k] = clock
        head[used[k]] = count + k


def _collect(gone: Any, head: Any, links: Any, newest: Any, found: Any) -> None:
    for k in range(len(gone)):
        entry = head[gone[k]]
        while entry >= 0:
            if newest[links[1, entry]] == links[2, entry]:
                found[links[1, entry]] = True
            entry = links[0, entry]
