"""The zero set Z: the largest set X of same-label pairs with step(1_{not X}) = 0 on X (both directions for bd).

Z is exactly where the distance is zero (THEORY: zero set): those pairs are private with δ = 0. It is computed by
deletion from the set of all same-label pairs. A pair stays as long as the flow that showed its step to be zero uses
no deleted pair, so each round looks only at pairs that lost an arc.

Which pairs are deleted is decided exactly: a float value far above zero (`CLEAR`, a million times what the rounding
of a step can amount to) deletes; anything nearer is settled by an exact flow, or the exact simplex. Every
pair that stays is shown to belong by an exact flow of cost zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from .closure import Closure, close, pair_numbers
from .flows import exact_flow, pair_imbalance, solve_pair
from .guide import apply_step
from .policy import Bases
from .space import Kind, PairSpace
from .step_exact import Flow

__all__ = ["ZeroSet", "zero_set"]

CLEAR = 1e-6


@dataclass(frozen=True)
class ZeroSet:
    """``member[p]``: whether pair p has distance zero; ``flows`` proves it for each (the diagonal needs none)."""

    member: Any
    flows: dict[int, Flow]


def zero_set(space: PairSpace, kind: Kind, *, report: Callable[[str], None] | None = None) -> ZeroSet:
    """Z of the space, exactly, as long as `closure` keeps all levels; else a part of it, which is sound."""
    member = np.ones(len(space), bool)
    pending = space.off_diagonal
    known = _Dependencies(len(space))
    flows: dict[int, Flow] = {}
    while True:
        _delete_by_float(space, kind, member, pending, known, report)
        # Everything left looks like zero. Prove it, or delete and go on.
        gone = []
        closure = close(space, 1.0 - member)
        for pair in space.off_diagonal[member[space.off_diagonal]].tolist():
            flow = flows.get(pair)
            if flow is None or not _lives_on(space, flow, member):
                flow = _zero_flow(space, closure, pair)
                if flow is None:
                    gone.append(pair)
                    flows.pop(pair, None)
                else:
                    flows[pair] = flow
        if not gone:
            return ZeroSet(member, {p: f for p, f in flows.items() if member[p]})
        deleted = _drop(space, kind, member, np.array(gone))
        pending = known.users(deleted, member)


def _delete_by_float(
    space: PairSpace, kind: Kind, member: Any, pending: Any, known: _Dependencies, report: Callable[[str], None] | None
) -> None:
    """Delete until every remaining pair's step looks like zero in floats. Works in place on ``member``.

    Between closures, levels above 1 are those of a larger X: they allow more, so what is deleted with them is
    rightly deleted; flows that rest on a vanished stepping stone wait for the next closure.
    """
    closure = close(space, 1.0 - member)
    stale: Any = np.empty(0, np.int64)
    while len(pending) or len(stale):
        if len(pending) == 0:
            closure = close(space, 1.0 - member)
            pending, stale = stale, np.empty(0, np.int64)
        bases = apply_step(space, pending, closure)
        gone = pending[(bases.value > CLEAR) & ~bases.stopped]
        deleted = _drop(space, kind, member, gone)
        closure.cost[0][deleted] = 1.0
        kept = member[pending]
        owner, used = _used_pairs(space, bases, closure)
        live = kept[np.searchsorted(pending, owner)]
        owner, used = owner[live], used[live]
        known.record(owner, used)
        broken = np.unique(owner[~member[used]])
        stale = np.union1d(stale, broken)
        stale = stale[member[stale]]
        pending = np.setdiff1d(known.users(deleted, member), stale)
        if report is not None:
            report(f"zero set: {int(member.sum())} pairs left, {len(pending)} to look at")


def _drop(space: PairSpace, kind: Kind, member: Any, gone: Any) -> Any:
    """Delete pairs (for bd, with their mirror images); returns what was deleted now."""
    if kind == "bd" and len(gone):
        gone = np.union1d(gone, space.swapped[gone])
    gone = gone[member[gone]] if len(gone) else gone
    member[gone] = False
    return gone


def _used_pairs(space: PairSpace, bases: Bases, closure: Closure) -> tuple[Any, Any]:
    """(owner, used): which pair's recorded flow runs along which pair."""
    owner = np.repeat(bases.todo, np.diff(bases.ptr))
    arcs = (bases.level >= 1) & (bases.amount > 0)
    owner, u, v, _ = closure.unfold(owner[arcs], bases.u[arcs], bases.v[arcs], bases.level[arcs], bases.amount[arcs])
    return owner, pair_numbers(space, u, v)


def _lives_on(space: PairSpace, flow: Flow, member: Any) -> bool:
    return all(member[space.pair(u, v)] for u, v, _ in flow.arcs)


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
    """Which pairs' flows use which pairs. Grows as flows are recorded; a newer flow of a pair replaces the older."""

    def __init__(self, size: int) -> None:
        self._newest = np.zeros(size, np.int64)
        self._batches: list[tuple[int, Any, Any]] = []
        self._clock = 0

    def record(self, owner: Any, used: Any) -> None:
        """Remember the flows of one batch."""
        self._clock += 1
        self._newest[owner] = self._clock
        if len(owner):
            self._batches.append((self._clock, owner, used))
        if len(self._batches) > 64:
            self._compact()

    def _compact(self) -> None:
        parts = [
            (owner[live], used[live])
            for when, owner, used in self._batches
            if (live := self._newest[owner] == when).any()
        ]
        self._clock += 1
        owner = np.concatenate([p[0] for p in parts]) if parts else np.empty(0, np.int64)
        used = np.concatenate([p[1] for p in parts]) if parts else np.empty(0, np.int64)
        self._newest[owner] = self._clock
        self._batches = [(self._clock, owner, used)]

    def users(self, gone: Any, member: Any) -> Any:
        """The remaining pairs whose newest flow uses a pair of ``gone``, sorted."""
        if len(gone) == 0:
            return np.empty(0, np.int64)
        lost = np.zeros(len(member), bool)
        lost[gone] = True
        hit = [owner[lost[used] & (self._newest[owner] == when)] for when, owner, used in self._batches]
        found = np.unique(np.concatenate(hit)) if hit else np.empty(0, np.int64)
        return found[member[found]].astype(np.int64)
