"""Flows in whole units: amounts rounded to the safe side, and their costs compared exactly (`policy_iteration`).

**No overflow.** An amount, and a sum of amounts at a state, must stay at most `Units.most`, with α·most ≤ 2^61; what
does not is marked as not fitting. A product of an amount and the mantissa of a value has up to 114 bits. Costs are sums
of such products in 128 bits, aligned to a grid of 2^-61 times the value that they are compared with, rounded up; a sum
stops as soon as it exceeds that value, which is below 2^121 grid steps, and no term exceeds 2^125, so no sum reaches
2^127.
"""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Policy, Units, WholeFlows
    from .transport import PairRows
    from .types import ConstHashes, ConstInts, ConstInts32, ConstReals, Flags, Ints, f64, flag, i64, u64, u128

SUM_LIMIT = cython.declare(i64, 1 << 61)
BELOW_NEAREST = cython.declare(f64, 0.25)
FRACTION_BITS = cython.declare(u64, (1 << 52) - 1)
HIDDEN_BIT = cython.declare(u64, 1 << 52)


@cython.cclass
class Balance:
    """What every state of one flow needs, sends and gets, in units; and the units themselves (see `Units`)."""

    x_up: ConstInts
    y_down: ConstInts
    unit: i64
    snap: f64
    scale: i64
    top: i64
    bottom: i64
    alpha_up: u64
    alpha_down: u64
    shift: i64
    most: i64
    state: Ints
    need: Ints
    leaves: Ints
    arrives: Ints
    leaves_back: Ints
    arrives_back: Ints
    count: i64
    exact: flag

    def __init__(self, units: Units, width: int) -> None:
        self.x_up, self.y_down = units.x_up, units.y_down
        self.unit, self.snap, self.scale, self.most = units.unit, units.snap, units.scale, units.most
        self.top, self.bottom = units.top, units.bottom
        self.alpha_up, self.alpha_down, self.shift = units.alpha_up, units.alpha_down, units.shift
        self.state, self.need = np.empty(width, np.int64), np.empty(width, np.int64)
        self.leaves, self.arrives = np.empty(width, np.int64), np.empty(width, np.int64)
        self.leaves_back, self.arrives_back = np.empty(width, np.int64), np.empty(width, np.int64)
        self.count, self.exact = 0, True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slot_of(wanted: i64, balance: Balance) -> i64:
    """The place of a state in the working lists, a new one if it has none."""
    for slot in range(balance.count):
        if balance.state[slot] == wanted:
            return slot
    new = balance.count
    balance.state[new] = wanted
    balance.need[new] = balance.leaves[new] = balance.arrives[new] = 0
    balance.leaves_back[new] = balance.arrives_back[new] = 0
    balance.count = new + 1
    return new


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def whole_amount(amount: f64, balance: Balance) -> i64:
    """The amount in units: the nearest multiple of the snap, if it is that; else rounded down, and not exact.

    −1 if it is too large, or not a number.
    """
    if not 0.0 <= amount * balance.unit < balance.most:
        return -1
    if balance.snap > 0.0:
        # The tolerance is that of the float simplex. A wrong guess is sound: `open_amount` charges what it leaves to η.
        near = cython.cast(i64, amount * balance.snap + 0.5)
        if abs(amount * balance.snap - near) <= min(BELOW_NEAREST, 1e-9 + 4e-15 * (near + balance.snap)):
            return near * balance.scale
    balance.exact = False
    return cython.cast(i64, amount * balance.unit)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def align(value: u128, by: i64) -> u128:
    """value·2^by, rounded up; 2^125 if it is that or more. For values below 2^125."""
    one: u128 = 1
    if value == 0:
        return value
    if by >= 0:
        # More than any cost it is compared with: how much more does not matter.
        if by >= 125 or (value >> (125 - by)) != 0:
            return one << 125
        return value << by
    if by <= -125:
        return one
    kept: u128 = value >> -by
    return kept if kept << -by == value else kept + one


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def times_alpha(amount: i64, balance: Balance, up: flag) -> i64:
    """α·amount rounded up or down, for 0 ≤ amount ≤ most: exact where α is a fraction of short words."""
    if balance.bottom > 0:
        # Both are below 2^31, so that the product fits; the whole part is at most α·most ≤ 2^61.
        rest = (amount % balance.bottom) * balance.top
        found = (amount // balance.bottom) * balance.top + rest // balance.bottom
        return found + 1 if up and rest % balance.bottom != 0 else found
    product: u128 = cython.cast(u128, amount) * cython.cast(u128, balance.alpha_up if up else balance.alpha_down)
    if up:
        return cython.cast(i64, align(product, -balance.shift))
    return cython.cast(i64, product >> balance.shift)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def enter_arcs(
    balance: Balance, ends_u: ConstInts32, ends_v: ConstInts32, arc: ConstInts32, weight: ConstReals, whole: Ints,
    begin: i64, end: i64,
) -> i64:  # fmt: skip
    """Round the amounts of the arcs of a flow and enter them; the sum over complement arcs, −1 if one does not fit."""
    fits: flag = True
    back: i64 = 0
    for at in range(begin, end):
        amount = whole_amount(weight[at], balance)
        whole[at] = amount
        fits = fits and amount >= 0
        if not fits:
            continue
        # (i, j) is the pair that is cited. On a complement arc the amount is what arrives at i; α times it leaves j.
        complement: flag = arc[at] < 0
        pair = ~arc[at] if complement else arc[at]
        i, j = slot_of(ends_u[pair], balance), slot_of(ends_v[pair], balance)
        if complement:
            balance.arrives_back[i] += amount
            balance.leaves_back[j] += amount
            back += amount
            fits = max(balance.arrives_back[i], balance.leaves_back[j], back) <= balance.most
        else:
            balance.leaves[i] += amount
            balance.arrives[j] += amount
            fits = max(balance.leaves[i], balance.arrives[j]) <= balance.most
    return back if fits else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_amount(balance: Balance, back: i64) -> i64:
    """η + (α − 1)·(what complement arcs carry), from above, in units; −1 if it does not fit."""
    # η_i covers x_i − α y_i − (what leaves i) + α·(what arrives at i), complement arcs the other way round. Each term
    # is rounded so that η comes out too large (docs/theory/step.md).
    total: i64 = times_alpha(back, balance, True) - back
    for slot in range(balance.count):
        covered = balance.leaves[slot] - times_alpha(balance.arrives[slot], balance, True)
        covered += times_alpha(balance.leaves_back[slot], balance, False) - balance.arrives_back[slot]
        total += max(0, balance.need[slot] - covered)
        if total > SUM_LIMIT:
            return -1
    return total


def round_flows(
    rows: PairRows, sources: ConstInts32, sinks: ConstInts32, ends_u: ConstInts32, ends_v: ConstInts32,
    policy: Policy, found: WholeFlows,
) -> None:  # fmt: skip
    """Round the amounts of every flow of a policy, and add up the η that they need.

    Flow q is that of the rows sources[q] and sinks[q]; ends_u and ends_v are the two states of each pair.
    """
    ptr: ConstInts = policy.ptr
    arc: ConstInts32 = policy.arc
    weight: ConstReals = policy.weight
    whole: Ints = found.whole
    constant: Ints = found.constant
    snapped: Flags = found.snapped.view(np.uint8)
    width: i64 = 1
    for q in range(len(sources)):
        both = rows.indptr[sources[q] + 1] - rows.indptr[sources[q]]
        both += rows.indptr[sinks[q] + 1] - rows.indptr[sinks[q]]
        # Stepping stones may be in neither row: an arc brings in two states at most.
        width = max(width, both + 2 * (ptr[q + 1] - ptr[q]))
    balance = Balance(found.units, width)
    with cython.nogil:
        for q in range(len(sources)):
            balance.count, balance.exact = 0, True
            for at in range(rows.indptr[sources[q]], rows.indptr[sources[q] + 1]):
                balance.need[slot_of(rows.target[at], balance)] += balance.x_up[at]
            for at in range(rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]):
                balance.need[slot_of(rows.target[at], balance)] -= balance.y_down[at]
            back = enter_arcs(balance, ends_u, ends_v, arc, weight, whole, ptr[q], ptr[q + 1])
            constant[q] = open_amount(balance, back) if back >= 0 else -1
            snapped[q] = balance.exact and constant[q] >= 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def exponent_of(bits: u64) -> i64:
    """The exponent of the last bit of a positive float, from its 64 bits."""
    # 1075 is the bias 1023 and the 52 bits behind the point; a subnormal has the exponent of the smallest normal float.
    return max(cython.cast(i64, bits >> 52), 1) - 1075


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mantissa_of(bits: u64) -> u64:
    """Its whole mantissa, below 2^53: the float is mantissa·2^exponent."""
    return bits if bits < HIDDEN_BIT else (bits & FRACTION_BITS) | HIDDEN_BIT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def exceeds(
    arc: ConstInts32, whole: ConstInts, bits: ConstHashes, begin: i64, end: i64, constant: i64, unit: i64, bound: u64
) -> flag:
    """Whether Σ whole·value[cited] + constant > unit·bound, for values given by their bits, and a bound above 0."""
    # In steps of the grid the right side is a whole number, and costs are rounded up to one: "no" is proved.
    grid = exponent_of(bound) - 9
    most: u128 = (cython.cast(u128, unit) * cython.cast(u128, mantissa_of(bound))) << 9
    total: u128 = align(cython.cast(u128, constant), -grid)
    for at in range(begin, end):
        if total > most:
            return True
        value = bits[~arc[at] if arc[at] < 0 else arc[at]]
        cost: u128 = cython.cast(u128, whole[at]) * cython.cast(u128, mantissa_of(value))
        total = total + align(cost, exponent_of(value) - grid)
    return total > most


def find_expensive(pairs: ConstInts, policy: Policy, flows: WholeFlows, value: ConstReals, found: Flags) -> None:
    """Whether Σ whole·value[cited] + constant > unit·value[pair], for each flow of a policy.

    For a value of 1 the answer is no: another flow costs less. For a flow that does not fit it is yes.
    """
    ptr: ConstInts = policy.ptr
    arc: ConstInts32 = policy.arc
    whole: ConstInts = flows.whole
    constant: ConstInts = flows.constant
    bits: ConstHashes = np.asarray(value).view(np.uint64)
    unit: i64 = flows.units.unit
    with cython.nogil:
        for q in range(len(pairs)):
            bound = value[pairs[q]]
            if bound >= 1.0:
                found[q] = 0
            elif constant[q] < 0:
                found[q] = 1
            # No grid is fine enough for 0: a flow costs nothing only if each arc that carries something cites 0.
            elif bound == 0.0:
                costs: flag = constant[q] > 0
                for at in range(ptr[q], ptr[q + 1]):
                    cited = value[~arc[at] if arc[at] < 0 else arc[at]]
                    costs = costs or (whole[at] != 0 and cited != 0.0)
                found[q] = costs
            else:
                found[q] = exceeds(arc, whole, bits, ptr[q], ptr[q + 1], constant[q], unit, bits[pairs[q]])
