"""One step of a belief: each entry is sent along the arcs of its row, and what arrives is added up by state.

In machine integers (`send`), an entry m_i goes along the arc i→j as ⌊m_i·p_ij⌋, so that what arrives is at most the
truth. No product leaves 64 bits: with m = qD + r, 0 ≤ r < D < 2^31, it is q·p + ⌊r·p/D⌋ for the numerator p ≤ D, where
|q·p| ≤ |m| + D and r·p < 2^62.

The numerators of a box are its lower ends for positive entries and its upper ends for negative ones; what a negative
entry may send to no target is *lost*.

Modulo a prime (`send_residue`), proportional beliefs stay proportional: for guesses. In floats (`send_floats`), two
beliefs are stepped at once. `pull` and `pull_floats` go the other way: what a vector over the states is worth one step
before.
"""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Shape, Tables
    from .types import ConstInts, ConstInts32, ConstReals, Flags, Flags2, Ints, Ints2, Ints32, Reals2, f64, flag, i64

PRIME = cython.declare(i64, 2**31 - 69)
"""What residues are taken modulo."""
LOW_BITS = cython.declare(i64, 2**31 - 1)


@cython.cclass
class Rows:
    """`Tables`, as kernels see them."""

    first: ConstInts
    label: ConstInts
    inputs: ConstInts
    start: ConstInts
    target: ConstInts32
    low: ConstInts32
    high: ConstInts32
    denominator: ConstInts
    residue: ConstInts32
    rest: ConstInts32
    boxed: flag
    largest: i64
    states: i64
    labels: i64
    layers: i64

    def __init__(self, tables: Tables) -> None:
        self.first, self.label, self.inputs = tables.first, tables.label, tables.inputs
        self.start, self.target = tables.start, tables.target
        self.low, self.high, self.denominator = tables.low, tables.high, tables.denominator
        self.residue, self.rest = tables.residue, tables.rest
        self.boxed, self.largest = tables.boxed, tables.largest
        self.states, self.labels = len(tables.label), len(tables.first) - 1
        self.layers = max(tables.inputs)


@cython.cclass
class Sums:
    """What arrives at each state, the states reached, in the order in which they were, and what boxes may lose."""

    value: Ints
    seen: Flags
    reached: Ints32
    count: i64
    lost: i64

    def __init__(self, states: int) -> None:
        self.value, self.seen = np.zeros(states, np.int64), np.zeros(states, np.uint8)
        # One place more than there are states: `send` writes before it knows whether the target is new.
        self.reached, self.count, self.lost = np.empty(states + 1, np.int32), 0, 0


@cython.cclass
class Residues:
    """What arrives at each state modulo a prime, on two sides; and the states reached on either."""

    value: Ints2
    seen: Flags2
    reached: Ints32
    count: i64

    def __init__(self, states: int) -> None:
        self.value, self.seen = np.zeros((2, states), np.int64), np.zeros((2, states), np.uint8)
        self.reached, self.count = np.empty(states, np.int32), 0


@cython.cclass
class FloatRows:
    """Rows in floats: an entry m goes along an arc as m·weight."""

    first: ConstInts
    label: ConstInts
    start: ConstInts
    target: ConstInts32
    weight: ConstReals

    def __init__(self, shape: Shape, weight: ConstReals) -> None:
        self.first, self.label, self.start, self.target = shape.first, shape.label, shape.start, shape.target
        self.weight = weight


@cython.cclass
class FloatSums:
    """What arrives at each state of two beliefs, in floats; and, if they are ``listed``, the states reached."""

    value: Reals2
    seen: Flags
    reached: Ints32
    count: i64
    listed: flag

    def __init__(self, states: int) -> None:
        self.value, self.seen = np.zeros((states, 2)), np.zeros(states, np.uint8)
        self.reached, self.count, self.listed = np.empty(states, np.int32), 0, False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def send(rows: Rows, row: i64, value: i64, sums: Sums, listed: flag) -> i64:
    """Send one entry along the arcs of its row, rounded down; states reached are marked and, if ``listed``, listed."""
    bottom = rows.denominator[row]
    # Slightly below 1/bottom, by more than three roundings.
    inverse = (1.0 - 2.0**-51) / bottom
    # Floor division, so that 0 ≤ rest < bottom: truncation would round negative entries up, and what arrives would no
    # longer be at most the truth.
    whole = value // bottom
    rest = value - whole * bottom
    down: flag = value > 0
    count = sums.count
    for arc in range(rows.start[row], rows.start[row + 1]):
        target = rows.target[arc]
        if listed:
            # Always written, and counted if new: a branch here would be guessed wrong half of the time.
            sums.reached[count] = target
            count += 1 if sums.seen[target] == 0 else 0
        # Apart from the value, which may come back to 0 on its way: the state would then be listed twice.
        sums.seen[target] = 1
        numerator = rows.low[arc] if down else rows.high[arc]
        # ⌊rest·p/bottom⌋ is below 2^31: the float is less than it by a little, so that its floor is 1 less at most.
        product = rest * numerator
        part = cython.cast(i64, product * inverse)
        if product - part * bottom >= bottom:
            part += 1
        sums.value[target] += whole * numerator + part
    sums.count = count
    if rows.boxed and not down:
        # What a negative entry may send outside the model, rounded up.
        sums.lost -= whole * rows.rest[row] + (rest * rows.rest[row]) // bottom
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def reduce_residue(value: i64) -> i64:
    """The rest modulo the prime 2^31 − 69, for 0 ≤ value < 2^62, without a division: 2^31 is 69."""
    # Below 70·2^31 after the first fold and below PRIME + 2^13 after the second: then one subtraction is enough.
    value = (value >> 31) * 69 + (value & LOW_BITS)
    value = (value >> 31) * 69 + (value & LOW_BITS)
    return value - PRIME if value >= PRIME else value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def send_residue(rows: Rows, row: i64, residue: i64, side: i64, sums: Residues) -> i64:
    """Send one entry of one side along the arcs of its row, modulo the prime; the number of arcs."""
    for arc in range(rows.start[row], rows.start[row + 1]):
        target = rows.target[arc]
        if not (sums.seen[0, target] or sums.seen[1, target]):
            sums.reached[sums.count] = target
            sums.count += 1
        sums.seen[side, target] = 1
        # One product and one residue stay in range: (PRIME − 1)² + PRIME < 2^62.
        sums.value[side, target] = reduce_residue(sums.value[side, target] + residue * rows.residue[arc])
    arcs: i64 = rows.start[row + 1] - rows.start[row]
    return arcs


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def send_floats(rows: FloatRows, row: i64, p: f64, q: f64, low: i64, high: i64, sums: FloatSums) -> i64:
    """Send an entry of two beliefs at once along the arcs of its row that end in low … high − 1; the number of arcs."""
    for arc in range(rows.start[row], rows.start[row + 1]):
        target = rows.target[arc]
        if target < low:
            continue
        if target >= high:  # targets ascend
            break
        if sums.listed and not sums.seen[target]:
            sums.seen[target] = 1
            sums.reached[sums.count] = target
            sums.count += 1
        sums.value[target, 0] += p * rows.weight[arc]
        sums.value[target, 1] += q * rows.weight[arc]
    arcs: i64 = rows.start[row + 1] - rows.start[row]
    return arcs


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pull(rows: Rows, row: i64, after: ConstInts) -> i64:
    """⌊Σ_j p_j·after_j⌋ along the arcs of a row: what a vector is worth one step before."""
    # No overflow: the numerators, rounded down, add up to the denominator at most, and after ≤ 2^30.
    total: i64 = 0
    for arc in range(rows.start[row], rows.start[row + 1]):
        total += rows.low[arc] * after[rows.target[arc]]
    share: i64 = total // rows.denominator[row]
    return share


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def pull_floats(rows: Rows, row: i64, after: ConstReals) -> f64:
    """Σ_j p_j·after_j, in floats."""
    total: f64 = 0.0
    for arc in range(rows.start[row], rows.start[row + 1]):
        total += rows.low[arc] * after[rows.target[arc]]
    share: f64 = total / rows.denominator[row]
    return share


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_states(states: Ints32, count: i64) -> i64:
    """Sort the first states (by Shell's method: they are few, and often nearly in order)."""
    gap: i64 = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, count):
            state = states[k]
            at: i64 = k
            while at >= gap and states[at - gap] > state:
                states[at] = states[at - gap]
                at -= gap
            states[at] = state
        gap //= 3
    return count
