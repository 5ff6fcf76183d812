"""Flows in machine integers: whole amounts over one unit, rounded to the safe side, and their costs checked exactly.

Any ω ≥ 0 becomes a feasible flow once η covers what it leaves open: η_i = max(0, x_i − α y_i − what leaves i + what
arrives), so amounts may be rounded freely, and what the rounding costs is in η. Amounts are whole multiples of 1/U.
Where exact amounts are (U is a multiple of the rows' denominators and of powers of those of α), they are met exactly
and η is what it was; elsewhere a few units are lost. Everything in between is rounded so that η comes out too large,
never too small: x_i up, α y_i down, α times what arrives up, α times what leaves on complement arcs down.

**No overflow.** An amount, and a sum of amounts at a state, must stay below `Units.most`, with α·most ≤ 2^61; what does
not is marked as not fitting, and costed in rationals instead. Products of an amount and a value have up to 114 bits:
they are pairs of 64-bit words, aligned to a grid of 2^-61 times the value they are compared with, rounded up; sums
stop as soon as they exceed that value, which is below 2^121 grid steps, so no sum reaches 2^127.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled
from .pair_space import PairSpace
from .policy import Policy
from .records import Rows

SUM_BITS = 61
UNIT_BITS = 58
SNAP_BITS = 42
SMALL_WORD = 2**31
LEAST_UNIT_BITS = 40
DOES_NOT_FIT = -1


class Units(NamedTuple):
    """The unit 1/``unit``, and the rows and α in it. ``snap`` is the part of the unit that exact amounts lie on."""

    unit: int
    snap: float
    scale: int
    """unit / snap, or 1 without a snap."""
    x_up: Any
    y_down: Any
    top: int
    bottom: int
    """α = top/bottom where both are below 2^31; else bottom is 0 and the next three hold."""
    alpha_up: Any
    alpha_down: Any
    shift: int
    most: int


class WholeFlows(NamedTuple):
    """``whole`` amounts for the arcs of a policy, and for each pair its η + (α−1)Σω' from above, in units.

    ``constant`` is `DOES_NOT_FIT` where words do not fit; ``snapped`` where all amounts were met exactly.
    """

    units: Units
    whole: Any
    constant: Any
    snapped: Any


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
        np.uint64(math.ceil(fixed)), np.uint64(math.floor(fixed)), shift, math.floor((1 << SUM_BITS) / alpha),
    )  # fmt: skip


def whole_flows(space: PairSpace, policy: Policy, units: Units) -> WholeFlows:
    """The flows of a policy in whole units."""
    count = len(policy.todo)
    found = WholeFlows(units, np.empty(len(policy.arc), np.int64), np.empty(count, np.int64), np.empty(count, bool))
    flows = (policy.ptr, policy.arc, policy.weight)
    _kernel(_round_flows)(space.rows_of(policy.todo), space.ends, space.csr, flows, units, found)
    return found


def too_dear(space: PairSpace, policy: Policy, flows: WholeFlows, value: Any) -> Any:
    """Whether each flow costs more than its pair's value, for ``value`` by pair number: floats, taken as rationals."""
    found = np.empty(len(policy.todo), bool)
    _kernel(_compare)(space.pairs_of(policy.todo), policy.ptr, policy.arc, flows, value, found)
    return found


def fit(amount: int, cost: float, constant: int, unit: int, value: float) -> bool:
    """Whether amount·cost + constant ≤ unit·value, as the kernel decides it: for tests at the edges of words."""
    none = np.empty(0, np.int64)
    units = Units(unit, 0.0, 1, none, none, 0, 0, np.uint64(0), np.uint64(0), 0, 0)
    flows = WholeFlows(units, np.array([amount]), np.array([constant]), np.empty(1, bool))
    found = np.empty(1, bool)
    one = np.array([0]), np.array([0, 1]), np.array([1], np.int32)
    _kernel(_compare)(*one, flows, np.array([value, cost]), found)
    return not found[0]


def _kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    return compiled(function, _slot, _times_alpha, _whole_amount, _product, _shift_right_up, _shift_left, _mantissa)


def _round_flows(both: Any, ends: Any, rows: Rows, flows: Any, units: Units, found: WholeFlows) -> None:
    """Round the amounts of every flow, and add up the η that they need.

    ``both`` are the numbers of the two rows of each flow, ``flows`` its arcs (see `policy.Policy`).
    """
    indptr, target, whole = rows.indptr, rows.target, found.whole
    ptr, arc, weight = flows
    width = 1
    for q in range(len(both[0])):
        s, t = both[0][q], both[1][q]
        wide = indptr[s + 1] - indptr[s] + indptr[t + 1] - indptr[t]
        width = max(width, wide + 2 * (ptr[q + 1] - ptr[q]))
    state = np.empty(width, np.int64)
    need, leaves, arrives = np.empty(width, np.int64), np.empty(width, np.int64), np.empty(width, np.int64)
    leaves_back, arrives_back = np.empty(width, np.int64), np.empty(width, np.int64)
    sums = (need, leaves, arrives, leaves_back, arrives_back)
    for q in range(len(both[0])):
        s, t = both[0][q], both[1][q]
        count = 0
        for at in range(indptr[s], indptr[s + 1]):
            slot, count = _slot(target[at], state, count, sums)
            need[slot] += units.x_up[at]
        for at in range(indptr[t], indptr[t + 1]):
            slot, count = _slot(target[at], state, count, sums)
            need[slot] -= units.y_down[at]
        fits, exact, back = True, True, 0
        for at in range(ptr[q], ptr[q + 1]):
            whole[at], met = _whole_amount(weight[at], units)
            fits = fits and whole[at] >= 0
            exact = exact and met
            pair = ~arc[at] if arc[at] < 0 else arc[at]
            i, count = _slot(ends[0][pair], state, count, sums)
            j, count = _slot(ends[1][pair], state, count, sums)
            if not fits:
                continue
            if arc[at] < 0:
                arrives_back[i] += whole[at]
                leaves_back[j] += whole[at]
                back += whole[at]
                fits = arrives_back[i] <= units.most and leaves_back[j] <= units.most and back <= units.most
            else:
                leaves[i] += whole[at]
                arrives[j] += whole[at]
                fits = leaves[i] <= units.most and arrives[j] <= units.most
        total = 0
        if fits:
            total = _times_alpha(back, units, True) - back
            for slot in range(count):
                covered = leaves[slot] - _times_alpha(arrives[slot], units, True)
                covered += _times_alpha(leaves_back[slot], units, False) - arrives_back[slot]
                total += max(0, need[slot] - covered)
                if total > 1 << 61:
                    fits = False
                    break
        found.constant[q] = total if fits else -1
        found.snapped[q] = exact and fits


def _slot(wanted: int, state: Any, count: int, sums: Any) -> tuple[int, int]:
    """The place of a state in the working lists, a new one if it has none, and the number of places."""
    for slot in range(count):
        if state[slot] == wanted:
            return slot, count
    state[count] = wanted
    for column in sums:
        column[count] = 0
    return count, count + 1


def _whole_amount(amount: float, units: Units) -> tuple[int, bool]:
    """The amount in units, and whether it was met exactly: the nearest multiple of the snap, or rounded down.

    −1 if it is too large, or not a number.
    """
    if not 0.0 <= amount * units.unit < units.most:
        return -1, False
    if units.snap > 0.0:
        near = np.rint(amount * units.snap)
        if abs(amount * units.snap - near) <= min(0.25, 1e-9 + 4e-15 * (near + units.snap)):
            return int(near) * units.scale, True
    return int(amount * units.unit), False


def _times_alpha(amount: int, units: Units, up: bool) -> int:
    """α·amount rounded up or down, for 0 ≤ amount ≤ most: exact in words, since α·most ≤ 2^61.

    Every branch gives a signed word: numba would take a signed and an unsigned one together for a float.
    """
    if units.bottom > 0:
        rest = (amount % units.bottom) * units.top
        found = (amount // units.bottom) * units.top + rest // units.bottom
        return found + 1 if up and rest % units.bottom != 0 else found
    high, low = _product(np.uint64(amount), units.alpha_up if up else units.alpha_down)
    if up:
        high, low = _shift_right_up(high, low, units.shift)
        return np.int64(low)  # type: ignore[return-value]
    return np.int64((high << np.uint64(64 - units.shift)) | (low >> np.uint64(units.shift)))  # type: ignore[return-value]


def _compare(pairs: Any, ptr: Any, arc: Any, flows: WholeFlows, value: Any, dear: Any) -> None:
    """Σ whole·value[cited] + constant > unit·value[pair]? For a value of 1 the answer is no: another flow costs
    less.
    """
    whole, constant, unit = flows.whole, flows.constant, flows.units.unit
    zero = np.uint64(0)
    for q in range(len(pairs)):
        bound = value[pairs[q]]
        dear[q] = bound < 1.0
        if bound >= 1.0 or constant[q] < 0:
            continue
        if bound == 0.0:
            costs_nothing = constant[q] == 0
            for at in range(ptr[q], ptr[q + 1]):
                pair = ~arc[at] if arc[at] < 0 else arc[at]
                costs_nothing = costs_nothing and (whole[at] == 0 or value[pair] == 0.0)
            dear[q] = not costs_nothing
            continue
        mantissa, exponent = _mantissa(bound)
        most_high, most_low = _product(np.uint64(unit), np.uint64(mantissa))
        most_high, most_low, _ = _shift_left(most_high, most_low, 9)
        grid = exponent - 9
        high, low, inside = _shift_left(zero, np.uint64(constant[q]), -grid)
        at = ptr[q]
        while inside and at < ptr[q + 1]:
            pair = ~arc[at] if arc[at] < 0 else arc[at]
            if value[pair] > 0.0 and whole[at] > 0:
                mantissa, exponent = _mantissa(value[pair])
                more_high, more_low = _product(np.uint64(whole[at]), np.uint64(mantissa))
                if exponent >= grid:
                    more_high, more_low, inside = _shift_left(more_high, more_low, exponent - grid)
                else:
                    more_high, more_low = _shift_right_up(more_high, more_low, grid - exponent)
                low = low + more_low
                high = high + more_high + (np.uint64(1) if low < more_low else zero)
            inside = inside and (high < most_high or (high == most_high and low <= most_low))
            at += 1
        dear[q] = not (inside and (high < most_high or (high == most_high and low <= most_low)))


def _mantissa(value: float) -> tuple[int, int]:
    """Value = mantissa·2^exponent with a whole mantissa below 2^53."""
    fraction, exponent = math.frexp(value)
    return int(fraction * 9007199254740992.0), exponent - 53


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """The 128 bits of a·b, high word first."""
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    low = a0 * b0
    middle = a1 * b0 + (low >> half)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (other >> half), (other << half) | (low & mask)


def _shift_left(high: Any, low: Any, by: int) -> tuple[Any, Any, bool]:
    """The two words times 2^by, and whether the result stays below 2^125; if not, the words mean nothing."""
    word = np.uint64(64)
    if high == np.uint64(0) and low == np.uint64(0):
        return high, low, True
    if by >= 128:
        return high, low, False
    if by >= 64:
        if high != np.uint64(0):
            return high, low, False
        high, low = low, np.uint64(0)
        by -= 64
    if by > 0:
        rest = np.uint64(by)
        if high >> (word - rest) != np.uint64(0):
            return high, low, False
        high = (high << rest) | (low >> (word - rest))
        low = low << rest
    return high, low, high >> np.uint64(61) == np.uint64(0)


def _shift_right_up(high: Any, low: Any, by: int) -> tuple[Any, Any]:
    """The two words over 2^by, rounded up; the result must not need the carry out of the high word (it never does)."""
    zero, one, word = np.uint64(0), np.uint64(1), np.uint64(64)
    if by >= 128:
        return zero, one if high != zero or low != zero else zero
    lost = zero
    if by >= 64:
        lost = low
        high, low = zero, high
        by -= 64
    if by > 0:
        rest = np.uint64(by)
        lost = lost | (low << (word - rest))
        low = (low >> rest) | (high << (word - rest))
        high = high >> rest
    if lost != zero:
        low = low + one
        if low == zero:
            high = high + one
    return high, low
