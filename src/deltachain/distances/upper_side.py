"""From a float policy to a proof: certified upper values (docs/theory/floats-to-proofs.md).

*Upper values* are d with Wd + η ≤ d, checked exactly, pair by pair. Let x be the least solution of x = max over
directions (Wx + η + κd) for a tiny κ: it lies above d by at most κ(I−W)^{-1}d, and at x every inequality
Wx + η ≤ x − κd has room, relative to its own size, to round x up to floats, which are short dyadic rationals
(docs/theory/floats-to-proofs.md). Rounding errors cannot make the result unsound: the
inequalities are checked in exact arithmetic with exact flows, and κ grows until they hold. It stops there; the values
are then at most `SHARP` above the float fixed point, relatively. If no κ does it (a chain that mixes so slowly that
floats cannot see where it goes), the pairs that fail are raised to 1, until nothing fails: sound, but not sharp, and
said so.

Flows are whole multiples of one unit (`policy_iteration`); where that is too coarse or words do not fit, and on small
chains, they are rationals, re-solved from their bases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Generic

import numpy as np

from ..cancel import Cancel
from ..kernels.records import NodeTable, Policy, WholeFlows
from ..kernels.types import Ints, Reals
from .kind import DistanceKind
from .pair_space import PairSpace
from .policy_iteration import (
    FloatPoint,
    apply_step,
    build_system,
    evaluate,
    nodes_of,
    policy_of,
    splice_policy,
    too_expensive,
    units_of,
    whole_flows,
)
from .scalars import Scalars, V
from .step_exact import Flow, exact_flow, filled_flow, flow_value, moved_by, option_imbalance, plain_flow
from .zero_set import ZeroSet

FIRST_MARGIN = 2.0**-44
LAST_MARGIN = 2.0**-30
SHARP = 1e-9
LOOSE = 1e-11
"""A flow in units whose η is above the guide's by more than this, relative to the value, is replaced by a rational
one.
"""
FLOAT_NOISE = 4e-15
"""By this much the guide's own η may be off where amounts were met exactly."""
SMALL = 200
"""Up to this many flows all are rational: short numbers in certificates."""


@dataclass(frozen=True)
class Certified(Generic[V]):
    """A value for each pair, a float that stands for the rational it is, and the flows that prove it.

    Each flow, one for every option, costs at most the pair's value at these values. Members of the zero set have the
    value 0.
    """

    space: PairSpace[V]
    values: Reals
    zero: ZeroSet[V]
    rounds: int
    levels: int
    """The largest number of levels of stepping stones that a round needed."""
    sharp: bool
    """Whether each value is within a relative `SHARP` of the float fixed point."""
    policy: Policy
    whole: WholeFlows | None
    rational: dict[int, Flow[V]]

    def value(self, pair: int) -> Fraction:
        """The certified upper bound of one pair."""
        return Fraction(float(self.values[pair]))

    def flow(self, option: int) -> Flow[V]:
        """The exact flow of an option that costs at most its pair's value; built when asked for."""
        pair = self.space.pairs_of(option)
        if self.zero.member[pair]:
            return self.zero.flow(option)
        need = option_imbalance(self.space, option)
        if self.values[pair] >= 1:
            return plain_flow(need)
        if option in self.rational:
            return self.rational[option]
        if self.whole is None:
            raise KeyError(option)
        q = int(np.searchsorted(self.policy.todo, option))
        span = slice(int(self.policy.ptr[q]), int(self.policy.ptr[q + 1]))
        return filled_flow(self.space, need, self.policy.arc[span], self.whole.whole[span], self.whole.units.unit)

    def move(self, option: int) -> Mapping[int, V]:
        """What the flow of an option moves along pairs, by their numbers; along complement arcs with a minus."""
        if self.whole is None or option in self.rational or self.zero.member[self.space.pairs_of(option)]:
            return moved_by(self.space, self.flow(option))
        first, last = self._spans.get(option, (0, 0))
        arcs, amounts = self._arcs
        found: dict[int, int] = {}
        for arc, amount in zip(arcs[first:last], amounts[first:last], strict=True):
            if amount:
                pair, share = (~arc, -amount) if arc < 0 else (arc, amount)
                found[pair] = found.get(pair, 0) + share
        return {pair: self._share(amount) for pair, amount in found.items()}

    @cached_property
    def _spans(self) -> dict[int, tuple[int, int]]:
        """Where the arcs of an option are, unless its pair has the value 1 and needs none."""
        ends = self.policy.ptr.tolist()
        spans = zip(self.policy.todo.tolist(), ends[:-1], ends[1:], strict=True)
        return {option: (first, last) for option, first, last in spans if self.values[self.space.pairs_of(option)] < 1}

    @cached_property
    def _arcs(self) -> tuple[list[int], list[int]]:
        """The arcs of all options, and what goes along them in units."""
        whole = [] if self.whole is None else self.whole.whole.tolist()
        return self.policy.arc.tolist(), whole

    @cached_property
    def _shares(self) -> dict[int, V]:
        return {}

    def _share(self, amount: int) -> V:
        """So many units: most amounts come again."""
        if amount not in self._shares and self.whole is not None:
            self._shares[amount] = self.space.scalars.ratio(amount, self.whole.units.unit)
        return self._shares[amount]


def certify(
    space: PairSpace[V], kind: DistanceKind, guide: FloatPoint[V], zero: ZeroSet[V], cancel: Cancel | None = None
) -> Certified[V]:
    """Certified upper values for every pair of the guide's policy; ``sharp`` says how good they are."""
    whole = _in_units(space, guide)
    rational = _rational_flows(space, guide, whole, cancel)
    policy = _refine(space, guide.policy, whole, rational)
    nodes = nodes_of(space, kind, policy.todo)
    proof = Certified(space, guide.d, zero, guide.rounds, guide.levels, False, guide.policy, whole, rational)
    margin = FIRST_MARGIN
    while True:
        proof = replace(proof, values=_rounded_up(space, nodes, guide.d, policy, margin))
        broken = _broken(proof)
        if cancel is not None:
            cancel.report(f"checking: {len(broken)} of {len(policy.todo)} flows cost too much at margin {margin:.0e}")
            cancel.check()
        if len(broken) == 0 or margin >= LAST_MARGIN:
            break
        margin *= 16
    failed = len(broken) > 0
    while len(broken):
        # A pair at 1 is dearer for those that cite it, so all are checked again; each round raises one at least, and it
        # ends.
        pairs = space.pairs_of(broken)
        kind.put(space, proof.values, pairs, 1.0)
        broken = _broken(proof)
    near = bool((proof.values <= guide.d * (1 + SHARP)).all())
    return replace(proof, sharp=guide.settled and not failed and near)


def _in_units(space: PairSpace[V], guide: FloatPoint[V]) -> WholeFlows | None:
    """The policy in machine integers; None on small chains, and where α leaves no room for them."""
    if len(guide.policy.todo) <= SMALL:
        return None
    units = units_of(space)
    return None if units is None else whole_flows(space, guide.policy, units)


def _rational_flows(
    space: PairSpace[V], guide: FloatPoint[V], whole: WholeFlows | None, cancel: Cancel | None
) -> dict[int, Flow[V]]:
    """Exact flows from their bases for the options that integers do not do, or do not do sharply."""
    policy = guide.policy
    todo = policy.todo
    if whole is not None:
        noise = np.where(whole.snapped, FLOAT_NOISE, 0.0)
        lost = whole.constant / whole.units.unit - policy.eta > LOOSE * guide.d[space.pairs_of(todo)] + noise
        todo = todo[(whole.constant < 0) | guide.stopped | lost]
    if len(todo) == 0:
        return {}
    bases = apply_step(space, todo, guide.closure)
    flows = {}
    for index, option in enumerate(todo.tolist()):
        flows[option] = exact_flow(space, bases, guide.closure, index)
        if cancel is not None and index % 4096 == 0:
            cancel.report(f"exact flows: {index} of {len(todo)}")
            cancel.check()
    return flows


def _refine(space: PairSpace[V], policy: Policy, whole: WholeFlows | None, rational: dict[int, Flow[V]]) -> Policy:
    """The policy with the float nearest to each exact amount.

    The float simplex leaves amounts an absolute 1e-16 off, which counts where distances are tiny.
    """
    if whole is None:
        return policy_of(space, policy.todo, rational)
    unit = float(whole.units.unit)
    policy = policy._replace(weight=whole.whole / unit, eta=np.maximum(whole.constant, 0) / unit)
    todo = np.array(list(rational), np.int64)
    return (
        splice_policy(policy, np.searchsorted(policy.todo, todo), policy_of(space, todo, rational))
        if rational
        else policy
    )


def _rounded_up(space: PairSpace[V], nodes: NodeTable, d: Reals, policy: Policy, margin: float) -> Reals:
    """The x of the module's docstring for each pair, rounded up to a float, capped at 1."""
    system = build_system(nodes, policy)
    known = np.zeros(len(nodes.head) - 1)
    pairs = space.pairs_of(policy.todo)
    known[nodes.of_pair[pairs]] = d[pairs]
    eta = system.eta + margin * np.repeat(known, np.diff(nodes.head))
    raised, _ = evaluate(system._replace(eta=eta), known * (1 + margin), margin / 4)
    # −1, a pair without a node, picks the 0 at the end.
    return np.append(np.minimum(np.nextafter(raised, 2.0), 1.0), 0.0)[nodes.of_pair]


def _broken(proof: Certified[V]) -> Ints:
    """The options whose flow costs more than the value of their pair.

    A pair of value 1 needs no flow of its own: `plain_flow` never costs more than 1.
    """
    found: list[int] = []
    if proof.whole is not None:
        broken = too_expensive(proof.space, proof.policy, proof.whole, proof.values)
        # Those have a rational flow in place of this one, which is checked below.
        broken[np.searchsorted(proof.policy.todo, np.array(list(proof.rational), np.int64))] = False
        found = proof.policy.todo[broken].tolist()
    values = _RationalsOf(proof.space.scalars, proof.values)
    for option, flow in proof.rational.items():
        pair = proof.space.pairs_of(option)
        if proof.values[pair] < 1 and flow_value(proof.space, flow, values) > values[pair]:
            found.append(option)
    return np.array(found, np.int64)


class _RationalsOf(dict[int, V]):
    """Floats as the rationals that they are, each made once."""

    def __init__(self, scalars: Scalars[V], floats: Reals) -> None:
        self._scalars, self._floats = scalars, floats

    def __missing__(self, pair: int) -> V:
        found = self[pair] = self._scalars.ratio(*float(self._floats[pair]).as_integer_ratio())
        return found
