"""From a float policy to a certified upper bound: rationals d with Wd + η ≤ d, checked exactly, pair by pair.

Let x be the least solution of x = max over directions (Wx + η + κd) for a tiny κ: it lies above d by at most
κ(I−W)^{-1}d, and at x every inequality Wx + η ≤ x − κd has room, relative to its own size, to round x up to short
dyadic rationals (THEORY: from floats to proofs). Rounding errors cannot make the result unsound: the inequalities
are checked in exact arithmetic with exact flows, and κ grows until they hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..errors import NotConverged
from .flows import exact_flow, pair_imbalance, plain_flow
from .guide import Guide
from .policy import evaluate
from .space import PairSpace
from .step_exact import Flow
from .zero_set import ZeroSet

__all__ = ["Certified", "certify"]

FIRST_MARGIN = 2.0**-44
LAST_MARGIN = 2.0**-20
MANTISSA_BITS = 56


@dataclass(frozen=True)
class Certified:
    """Values (pair → numerator over 2^bits) and flows that prove them: for each pair, flow(p) at these values costs at most value(p).

    Pairs that are absent have the value 1; members of the zero set have the value 0.
    """

    space: PairSpace
    bits: int
    numerators: dict[int, int]
    flows: dict[int, Flow]
    zero: ZeroSet
    rounds: int

    def value(self, pair: int) -> Fraction:
        """The certified upper bound of one pair."""
        if self.zero.member[pair]:
            return Fraction(0)
        return min(Fraction(1), Fraction(self.numerators.get(pair, 1 << self.bits), 1 << self.bits))


def certify(
    space: PairSpace, guide: Guide, zero: ZeroSet, report: Callable[[str], None] | None = None
) -> Certified:
    """Certified upper values for every pair of the guide's policy.

    Raises NotConverged if no margin up to `LAST_MARGIN` makes the exact check succeed.
    """
    todo = guide.bases.todo.tolist()
    flows = {}
    for index, pair in enumerate(todo):
        flows[pair] = exact_flow(space, guide.bases, guide.closure, index)
        if report is not None and index % 4096 == 0:
            report(f"exact flows: {index} of {len(todo)}")
    margin = FIRST_MARGIN
    d = guide.d
    while margin <= LAST_MARGIN:
        bits, numerators = _rounded_up(guide, margin)
        broken = _violations(space, flows, numerators, bits, zero, report)
        if not broken:
            return Certified(space, bits, numerators, flows, zero, guide.rounds)
        margin *= 16
    raise NotConverged(f"no certified upper bound near the float value for {len(broken)} of {len(d)} pairs")


def _rounded_up(guide: Guide, margin: float) -> tuple[int, dict[int, int]]:
    """x of the module's docstring, rounded up to multiples of 2^-bits, capped at 1."""
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
    """The pairs whose flow costs more than their value. A pair of value 1 falls back to the plain flow, which never does."""
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

