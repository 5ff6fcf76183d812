"""From a float policy to a certified upper bound: rationals d with Wd + η ≤ d, checked exactly, pair by pair.

Let x be the least solution of x = max over directions (Wx + η + κd) for a tiny κ: it lies above d by at most
κ(I−W)^{-1}d, and at x every inequality Wx + η ≤ x − κd has room, relative to its own size, to round x up to short
dyadic rationals (THEORY: from floats to proofs). Rounding errors cannot make the result unsound: the inequalities
are checked in exact arithmetic with exact flows, and κ grows until they hold. It stops there; the values are then at
most `SHARP` above the float fixed point, relatively. If no κ does it (a chain that mixes so slowly that floats cannot
see where it goes), the pairs that fail are raised to 1, until nothing fails: sound, but not sharp, and said so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from .flows import exact_flow, pair_imbalance, plain_flow
from .guide import Guide
from .policy import evaluate
from .space import PairSpace, nearest_float
from .step_exact import Flow
from .zero_set import ZeroSet

__all__ = ["Certified", "certify"]

FIRST_MARGIN = 2.0**-44
LAST_MARGIN = 2.0**-30
SHARP = 1e-9
MANTISSA_BITS = 56


@dataclass(frozen=True)
class Certified:
    """Values (pair → numerator over 2^bits) and flows that prove them: flow(p) at these values costs at most value(p).

    Pairs that are absent have the value 1; members of the zero set have the value 0.
    """

    space: PairSpace
    bits: int
    numerators: dict[int, int]
    flows: dict[int, Flow]
    zero: ZeroSet
    rounds: int
    sharp: bool
    """Whether each value is within a relative `SHARP` of the float fixed point."""

    def value(self, pair: int) -> Fraction:
        """The certified upper bound of one pair."""
        if self.zero.member[pair]:
            return Fraction(0)
        return min(Fraction(1), Fraction(self.numerators.get(pair, 1 << self.bits), 1 << self.bits))


def certify(space: PairSpace, guide: Guide, zero: ZeroSet, report: Callable[[str], None] | None = None) -> Certified:
    """Certified upper values for every pair of the guide's policy; ``sharp`` says how good they are."""
    todo = guide.bases.todo.tolist()
    flows = {}
    for index, pair in enumerate(todo):
        flows[pair] = exact_flow(space, guide.bases, guide.closure, index)
        if report is not None and index % 4096 == 0:
            report(f"exact flows: {index} of {len(todo)}")
    guide = _refined(space, guide, flows)
    margin = FIRST_MARGIN
    while True:
        bits, numerators = _rounded_up(guide, margin)
        broken = _violations(space, flows, numerators, bits, zero, report)
        if not broken or margin >= LAST_MARGIN:
            break
        margin *= 16
    failed = bool(broken)
    while broken:
        numerators |= dict.fromkeys(broken, 1 << bits)
        broken = _violations(space, flows, numerators, bits, zero, report)
    sharp = guide.settled and not failed and _is_sharp(guide, bits, numerators)
    return Certified(space, bits, numerators, flows, zero, guide.rounds, sharp)


def _refined(space: PairSpace, guide: Guide, flows: dict[int, Flow]) -> Guide:
    """The guide with its policy's amounts replaced by the exact ones, and evaluated again.

    The float simplex leaves amounts an absolute 1e-16 off, which counts where distances are tiny.
    """
    system = guide.system
    targets: list[int] = []
    weights: list[float] = []
    eta, heads = [], [0]
    for pair in guide.bases.todo[system.option_of].tolist():
        flow = flows[pair]
        eta.append(nearest_float(flow.total_eta))
        targets += [space.pair(u, v) for u, v, _ in flow.arcs]
        weights += [nearest_float(amount) for _, _, amount in flow.arcs]
        heads.append(len(targets))
    nodes = system.node_of[np.array(targets, np.int64)]
    kept = nodes >= 0  # the others have distance 0
    arc_ptr = np.concatenate(([0], np.cumsum(kept)))[heads]
    system = replace(
        system, arc_ptr=arc_ptr, arc_node=nodes[kept], arc_weight=np.array(weights)[kept], eta=np.array(eta)
    )
    value, active = evaluate(system)
    d = guide.d.copy()
    d[guide.bases.todo] = value[system.node_of[guide.bases.todo]]
    return replace(guide, d=d, system=system, active=active)


def _is_sharp(guide: Guide, bits: int, numerators: dict[int, int]) -> bool:
    """Whether every value is at most `SHARP` above the guide's, relatively."""
    near = Fraction(1 + SHARP)
    return all(top <= near * Fraction(guide.d[pair]) * (1 << bits) for pair, top in numerators.items())


def _rounded_up(guide: Guide, margin: float) -> tuple[int, dict[int, int]]:
    """The x of the module's docstring, rounded up to multiples of 2^-bits, capped at 1."""
    system = guide.system
    todo = guide.bases.todo
    options = np.repeat(np.arange(len(system.option_ptr) - 1), np.diff(system.option_ptr))
    value = np.zeros(len(system.option_ptr) - 1)
    value[system.node_of[todo]] = guide.d[todo]
    raised, _ = evaluate(replace(system, eta=system.eta + margin * value[options]))
    positive = raised[raised > 0]
    least = float(positive.min()) if len(positive) else 1.0
    bits = MANTISSA_BITS - math.frexp(least)[1]
    one = 1 << bits
    whole = [min(one, _scaled(x, bits)) for x in raised.tolist()]
    return bits, {pair: whole[node] for pair, node in zip(todo.tolist(), system.node_of[todo].tolist(), strict=True)}


def _scaled(x: float, bits: int) -> int:
    """⌈x·2^bits⌉, exactly."""
    top, bottom = x.as_integer_ratio()
    return -((-top << bits) // bottom)


def _violations(
    space: PairSpace,
    flows: dict[int, Flow],
    numerators: dict[int, int],
    bits: int,
    zero: ZeroSet,
    report: Callable[[str], None] | None,
) -> list[int]:
    """The pairs whose flow costs more than their value.

    A pair of value 1 falls back to the plain flow, whose cost never exceeds 1.
    """
    one = 1 << bits
    broken = []
    ends_u, ends_v = space.ends
    member = zero.member
    for count, (pair, flow) in enumerate(flows.items()):
        cost = flow.total_eta * one
        for u, v, amount in flow.arcs:
            arc = space.pair(u, v)
            numerator = numerators.get(arc)
            if numerator is not None:
                cost += amount * numerator
            elif not member[arc]:
                cost += amount * one
        if cost > numerators[pair]:
            if numerators[pair] == one:
                flows[pair] = plain_flow(pair_imbalance(space, int(ends_u[pair]), int(ends_v[pair])))
            else:
                broken.append(pair)
        if report is not None and count % 4096 == 0:
            report(f"checking: {count} of {len(flows)}")
    return broken
