"""Flows in machine integers: whole amounts over one unit, rounded to the safe side, and their costs checked exactly.

Any ω ≥ 0 becomes a feasible flow once η covers what it leaves open: η_i = max(0, x_i − α y_i − what leaves i + what
arrives), so amounts may be rounded freely, and what the rounding costs is in η. Amounts are whole multiples of 1/U.
Where exact amounts are (U is a multiple of the rows' denominators and of powers of those of α), they are met exactly
and η is what it was; elsewhere a few units are lost. Everything in between is rounded so that η comes out too large,
never too small: x_i up, α y_i down, α times what arrives up, α times what leaves on complement arcs down. Why no sum
overflows is said where they are added up (`kernels.whole`).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .. import kernels
from ..kernels.records import Policy, Units, WholeFlows
from ..kernels.types import Reals
from .pair_space import Mask, PairSpace

SUM_BITS = 61
UNIT_BITS = 58
SNAP_BITS = 42
SMALL_WORD = 2**31
LEAST_UNIT_BITS = 40


def units_of(space: PairSpace) -> Units | None:
    """The units for a chain and its α; None if α is so large that too few bits would be left."""
    alpha = space.alpha
    bits = UNIT_BITS - math.ceil(alpha).bit_length()
    if bits < LEAST_UNIT_BITS:
        return None
    snap = math.lcm(*(int(p.q) for row in space.rows for _, p in row), 1)
    snap *= alpha.denominator * alpha.numerator
    if snap.bit_length() > SNAP_BITS:
        snap = 0
    else:
        while (snap * alpha.denominator * alpha.numerator).bit_length() <= SNAP_BITS and alpha > 1:
            snap *= alpha.denominator * alpha.numerator
    scale = 1 << (bits - snap.bit_length()) if snap else 1
    unit = snap * scale if snap else 1 << bits
    distinct: dict[tuple[int, int], tuple[int, int]] = {}
    entries = []
    for row in space.rows:
        for _, p in row:
            key = int(p.p), int(p.q)
            if key not in distinct:
                x, y = Fraction(*key) * unit, Fraction(*key) * unit * alpha
                distinct[key] = math.ceil(x), math.floor(y)
            entries.append(distinct[key])
    table = np.array(entries, np.int64).reshape(-1, 2)
    small = alpha.numerator < SMALL_WORD
    shift = SUM_BITS - math.ceil(alpha).bit_length()
    fixed = alpha * (1 << shift)
    return Units(
        unit, float(snap), scale, table[:, 0].copy(), table[:, 1].copy(),
        alpha.numerator if small else 0, alpha.denominator if small else 0,
        math.ceil(fixed), math.floor(fixed), shift, math.floor((1 << SUM_BITS) / alpha),
    )  # fmt: skip


def whole_flows(space: PairSpace, policy: Policy, units: Units) -> WholeFlows:
    """The flows of a policy in whole units."""
    count = len(policy.todo)
    found = WholeFlows(units, np.empty(len(policy.arc), np.int64), np.empty(count, np.int64), np.empty(count, bool))
    kernels.round_flows(space.kernel_rows, *space.rows_of(policy.todo), *space.ends, policy, found)
    return found


def too_expensive(space: PairSpace, policy: Policy, flows: WholeFlows, value: Reals) -> Mask:
    """Whether each flow costs more than its pair's value, for ``value`` by pair number: floats, taken as rationals."""
    found = np.empty(len(policy.todo), bool)
    kernels.find_expensive(space.pairs_of(policy.todo), policy, flows, value, found.view(np.uint8))
    return found
