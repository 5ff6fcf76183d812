"""The zero set Z: the largest set X of same-label pairs with step(1_{not X}) = 0 on X (both directions for bd).

Z is exactly where the distance is zero (docs/theory/zero-set.md): those pairs are private with δ = 0. With inputs, the
step of every input must be zero. Z is computed by deletion from the set of all same-label pairs. A pair stays as long
as the flows that showed its steps to be zero use no deleted pair, so each round solves only those that lost an arc. For
sd it is the same set as for ld: complement arcs cost α − 1 > 0, and at α = 1 they bring nothing.

Which pairs are deleted is decided exactly: a float value far above zero (`CLEAR`, a million times what the rounding
of a step can amount to) deletes; anything nearer is settled by an exact flow, or the exact simplex. Every
pair that stays is shown to belong by an exact flow of cost zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

import numpy as np

from .. import kernels
from ..cancel import Cancel, spend
from ..errors import SolverError
from ..kernels.records import Policy, Users
from ..kernels.types import Ints
from .closure import Closure, close
from .kind import DistanceKind
from .pair_space import Mask, PairSpace
from .policy_iteration import apply_step, best_policy, too_expensive, units_of, whole_flows
from .scalars import V
from .step_exact import Flow, exact_flow, option_imbalance, solve_flow

CLEAR = 1e-6
AT_ONCE = 1_000_000
"""Options whose rows are compared at once: more would take gigabytes."""
FEW = 1500
"""Up to this many members, exact flows are solved for one by one: short numbers in certificates."""


@dataclass(frozen=True)
class ZeroSet(Generic[V]):
    """``member[p]``: whether pair p has distance zero. Shown by a flow for each of its options (diagonal: none)."""

    space: PairSpace[V]
    member: Mask
    closure: Closure[V]
    known: dict[int, Flow[V]]

    def flow(self, option: int) -> Flow[V]:
        """An exact flow of cost zero along members; computed when asked for, unless it had to be before."""
        if option not in self.known:
            flow = _zero_flow(self.space, self.closure, option)
            if flow is None:
                raise SolverError(f"option {option} has no flow of cost zero, though its pair is in the zero set")
            self.known[option] = flow
        return self.known[option]


def zero_set(
    space: PairSpace[V], kind: DistanceKind, *, options: Ints | None = None, cancel: Cancel | None = None
) -> ZeroSet[V]:
    """Z of the space, exactly, as long as `closure` keeps all levels; else a part of it, which is sound.

    With ``options``, the zero set of the operator that has these alone: pairs without any of them are in it.
    """
    steps = space.off_diagonal_options if options is None else options
    work = _Deletion(space, kind, steps)
    work.delete_by_labels()
    while True:
        work.delete_by_float(cancel)
        # Everything left looks like zero. Prove it, or delete and go on.
        closure = close(space, 1.0 - work.member, cancel=cancel)
        flows: dict[int, Flow[V]] = {}
        gone = []
        for option in _list_unproved(space, closure, steps[work.member[space.pairs_of(steps)]], work.member):
            flow = _zero_flow(space, closure, option)
            if flow is None:
                gone.append(option)
            else:
                flows[option] = flow
        if not gone:
            return ZeroSet(space, work.member, closure, flows)
        work.pending = work.known.users(work.delete(np.array(gone)), work.member)


def _list_unproved(space: PairSpace[V], closure: Closure[V], left: Ints, member: Mask) -> list[int]:
    """The options, of those ``left``, that flows in machine integers do not show to cost zero."""
    units = units_of(space) if len(left) > FEW else None
    if units is None:
        found: list[int] = left.tolist()
        return found
    policy = best_policy(space, left, closure).policy
    costs = too_expensive(space, policy, whole_flows(space, policy, units), np.where(member, 0.0, 1.0))
    unproved: list[int] = left[costs].tolist()
    return unproved


def _zero_flow(space: PairSpace[V], closure: Closure[V], option: int) -> Flow[V] | None:
    """An exact flow of cost zero for the option under 0/1 costs, or None if its step is positive."""
    bases = apply_step(space, np.array([option]), closure)
    flow = exact_flow(space, bases, closure, 0)
    # Costs are 0 or 1, exact in floats too. What floats did not show, the exact simplex decides on free paths alone.
    if flow.eta or any(closure.cost[0][space.pair(u, v)] != 0 for u, v, _ in flow.arcs):
        flow = solve_flow(space, option_imbalance(space, option), closure.free, closure)
        if flow.eta:
            return None
    return flow


class _Deletion:
    """The set while it shrinks, and the options whose steps are to be solved."""

    def __init__(self, space: PairSpace[Any], kind: DistanceKind, options: Ints) -> None:
        self.space, self.kind = space, kind
        self.member = np.ones(len(space), bool)
        self.count = len(space)
        self.pending = options
        self.known = _Dependencies(space)

    def delete_by_labels(self) -> None:
        """Delete the pairs whose rows show some label more often than α times as often: the step at no costs at all."""
        space = self.space
        parts = [self.pending[i : i + AT_ONCE] for i in range(0, len(self.pending), AT_ONCE)]
        for part in parts:
            spend(3 * len(part))
            apart = np.empty(len(part), bool)
            kernels.compare_labels(space.kernel_rows, *space.rows_of(part), CLEAR, apart.view(np.uint8))
            self.delete(part[apart])
        kept = [part[self.member[space.pairs_of(part)]] for part in parts]
        self.pending = np.concatenate(kept) if kept else self.pending

    def delete_by_float(self, cancel: Cancel | None) -> None:
        """Delete until every remaining step looks like zero in floats.

        Between closures, levels above 1 are those of a larger X: they allow more, so what is deleted with them is
        rightly deleted; flows that rest on a vanished stepping stone wait for the next closure.
        """
        space = self.space
        closure = close(space, 1.0 - self.member, cancel=cancel)
        while True:
            if len(self.pending) == 0:
                self.pending = self.known.take_stale(self.member)
                if len(self.pending) == 0:
                    return
                closure = close(space, 1.0 - self.member, cancel=cancel)
            steps = best_policy(space, self.pending, closure)
            # Where the simplex gave up, its value is only at least the step: no reason to delete.
            deleted = self.delete(self.pending[(steps.value > CLEAR) & ~steps.stopped])
            closure.cost[0][deleted] = 1.0
            self.known.record(steps.policy, self.member)
            self.pending = self.known.users(deleted, self.member)
            if cancel is not None:
                cancel.report(f"pairs of distance zero: {self.count} left, {len(self.pending)} steps to check")
                cancel.check()

    def delete(self, options: Ints) -> Ints:
        """Delete the pairs of some options (for bd, with their mirror images); returns what was deleted now."""
        gone = self.kind.with_shared(self.space, self.space.pairs_of(options))
        gone = np.sort(gone[self.member[gone]])
        gone = gone[np.diff(gone, prepend=-1) > 0]
        self.member[gone] = False
        self.count -= len(gone)
        return gone


class _Dependencies:
    """Which options' flows use which pairs (see `Users`).

    An option is *stale* if its flow uses a pair that is gone: it was solved with stepping stones of a larger set.
    """

    def __init__(self, space: PairSpace[Any]) -> None:
        self._space, size = space, len(space) * space.layers
        flags = (np.zeros(size, np.uint8) for _ in range(2))
        head = np.full(len(space), -1, np.int32)
        self._users = Users(head, np.empty((3, 16), np.int32), np.zeros(size, np.int32), *flags)
        self._count = self._clock = 0

    def record(self, policy: Policy, member: Mask) -> None:
        """Remember the arcs of the policy's flows, in place of what its options had before."""
        self._clock += 1
        links = self._users.links
        if self._count + len(policy.arc) > links.shape[1]:
            more = np.empty((3, 2 * links.shape[1] + len(policy.arc)), np.int32)
            more[:, : self._count] = links[:, : self._count]
            self._users = self._users._replace(links=more)
        pairs, inside = self._space.pairs_of(policy.todo), member.view(np.uint8)
        self._count = kernels.link_users(policy, pairs, inside, self._clock, self._count, self._users)

    def users(self, gone: Ints, member: Mask) -> Ints:
        """The options of members, stale ones apart, whose newest flow uses a pair of ``gone``; sorted."""
        inside = member.view(np.uint8)
        found = np.empty(kernels.collect_users(gone, inside, self._users, np.empty(0, np.int64)), np.int64)
        if len(found):
            kernels.collect_users(gone, inside, self._users, found)
        return np.sort(found)

    def take_stale(self, member: Mask) -> Ints:
        """The stale options of members, which are no longer stale."""
        found = np.flatnonzero(self._users.stale)
        self._users.stale[found] = 0
        return found[member[self._space.pairs_of(found)]]
