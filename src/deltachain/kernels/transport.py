"""The directed step k(d)(μ_s→μ_t) for many pairs at once, in floats: a guide, never a bound.

Inside one label, with e_i = x_i − α y_i, *sources* are the states with e_i > 0 and *sinks* those with e_i < 0. After
the closure (`distances.closure`) every useful flow runs from a source straight to a sink, on an arc (i, j, l) of cost
C_l(i,j) that multiplies what it carries by α^k, k the exponent of level l. So the step is

    min Σ ω_ijl C_l(i,j) + Σ η_i   with   Σ_jl ω_ijl + η_i = e_i,   Σ_il α^(k−1) ω_ijl + slack_j = −e_j/α,

a transport problem with gains α^(k−1): the sinks' rows are divided by α, so that direct arcs have none. Plain and
complement arcs differ in their exponent only. Arcs that gain are measured where they arrive, the others where they
leave, so that no coefficient is above 1, and a huge α does no harm. It starts feasible (η and slack basic, basis
matrix = identity), so a revised simplex with a tiny dense inverse solves it. Its dual prices are the f of
[CMP18, Lemma 3]: f_i at a source i, −α f_j at a sink j.
"""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Bases, PairTables
    from .types import (
        ConstInts,
        ConstInts32,
        ConstReals,
        ConstReals2,
        Flags,
        Ints,
        Ints2,
        Ints32,
        Reals,
        Reals2,
        f64,
        flag,
        i64,
    )

INFINITE = cython.declare(f64, float("inf"))
OPTIMAL = cython.declare(f64, 1e-13)
"""A reduced cost above −OPTIMAL times the numbers it is made of counts as non-negative. Floats only guide, so this
decides no bound; it is relative, so that tiny distances are distinguished as well as large ones."""
LEAST_CHANGE = cython.declare(f64, 1e-11)
"""A row whose amount falls by less than this for a unit that enters does not leave the basis: it would be noise."""
ETA = cython.declare(i64, 0)
SLACK = cython.declare(i64, -1)
NONE = cython.declare(i64, -2)
"""Levels that stand for η, for the slack of a sink, and for no variable at all; arcs have levels from 1 on."""


@cython.cclass
class PairRows:
    """`PairTables`, as kernels see them."""

    indptr: ConstInts
    target: ConstInts
    probability: ConstReals2
    raised: ConstReals2
    value_id: ConstInts
    tie: ConstInts
    first: ConstInts
    size: ConstInts
    offset: ConstInts
    block: ConstInts
    alpha: f64

    def __init__(self, tables: PairTables) -> None:
        self.indptr, self.target, self.alpha = tables.indptr, tables.target, tables.alpha
        self.probability, self.raised = tables.probability, tables.raised
        self.value_id, self.tie = tables.value_id, tables.tie
        self.first, self.size, self.offset, self.block = tables.first, tables.size, tables.offset, tables.block


@cython.cclass
class Desk:
    """Working space, used again for every label. Rows are the sources, then the sinks.

    ``basic`` has a basic variable per row, as (level, row of the source, row of the sink), the same row twice for η and
    slack. ``leave`` and ``arrive`` are what leaves and arrives on one unit of an arc of each level.
    """

    cost: ConstReals2
    gain: ConstReals
    leave: Reals
    arrive: Reals
    excess: Reals
    excess_state: Ints
    room: Reals
    room_state: Ints
    inverse: Reals2
    basic: Ints2
    amount: Reals
    price: Reals
    change: Reals
    sources: i64
    sinks: i64
    origin: i64
    """The number of the pair (i, j) of states of the label is origin + i·side + j."""
    side: i64
    radius: f64
    """How far every cost may move, up or down, before another basis may be better."""
    level: i64
    source: i64
    sink: i64
    """The variable that enters."""

    def __init__(self, width: int, cost: ConstReals2, gain: ConstReals) -> None:
        self.cost, self.gain = cost, gain
        self.leave, self.arrive = 1.0 / np.maximum(1.0, gain), np.minimum(1.0, gain)
        self.excess, self.excess_state = np.empty(width), np.empty(width, np.int64)
        self.room, self.room_state = np.empty(width), np.empty(width, np.int64)
        self.inverse, self.basic = np.empty((width, width)), np.empty((width, 3), np.int64)
        self.amount, self.price, self.change = np.empty(width), np.empty(width), np.empty(width)


@cython.cclass
class Recorder:
    """`Bases`, as they are written: so many entries so far, and the place in both rows of the pair."""

    value: Reals
    stopped: Flags
    radius: Reals
    ptr: Ints
    u: Ints32
    v: Ints32
    level: Ints32
    amount: Reals
    written: i64
    a: i64
    b: i64

    def __init__(self, bases: Bases) -> None:
        self.value, self.stopped, self.radius = bases.value, bases.stopped.view(np.uint8), bases.radius
        self.ptr, self.u, self.v, self.level, self.amount = bases.ptr, bases.u, bases.v, bases.level, bases.amount
        self.written = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather_label(rows: PairRows, a_end: i64, b_end: i64, end: i64, at: Recorder, desk: Desk) -> i64:
    """Collect the sources (e_i > 0) and sinks (e_j < 0, as −e_j/α) of the label whose states end at ``end``."""
    a, b = at.a, at.b
    many: i64 = 0
    few: i64 = 0
    while True:
        # ``end`` stands for "no more states of this label" on either side.
        i = rows.target[a] if a < a_end else end
        j = rows.target[b] if b < b_end else end
        if i >= end and j >= end:
            break
        if i < j:
            desk.excess[many], desk.excess_state[many] = rows.probability[a, 0], i
            many += 1
            a += 1
        elif j < i:
            desk.room[few], desk.room_state[few] = rows.probability[b, 0], j
            few += 1
            b += 1
        else:
            if rows.tie[rows.value_id[a]] != rows.value_id[b]:
                # Exact where the two are close, which is where cancellation would hurt.
                p, q = rows.probability[a, 0], rows.raised[b, 0]
                e = (p - q) + (rows.probability[a, 1] - rows.raised[b, 1])
                if e > 0.0:
                    desk.excess[many], desk.excess_state[many] = e, i
                    many += 1
                elif e < 0.0:
                    # Far apart, nothing cancels, and y_j itself is more accurate than α·y_j divided by α.
                    desk.room[few] = -e / rows.alpha if q < 2.0 * p else rows.probability[b, 0] - p / rows.alpha
                    desk.room_state[few] = j
                    few += 1
            a += 1
            b += 1
    at.a, at.b = a, b
    desk.sources, desk.sinks = many, few
    return many


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def arc_cost(desk: Desk, level: i64, source: i64, sink: i64) -> f64:
    """The cost of an arc of a level, counted from 0, between two rows."""
    to = desk.room_state[sink - desk.sources]
    cost: f64 = desk.cost[level, desk.origin + desk.excess_state[source] * desk.side + to]
    return cost


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def set_basic(desk: Desk, row: i64, level: i64, source: i64, sink: i64) -> i64:
    """Make a variable the basic one of a row."""
    desk.basic[row, 0], desk.basic[row, 1], desk.basic[row, 2] = level, source, sink
    return row


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def optimise_label(desk: Desk) -> flag:
    """Revised simplex for one label; leaves ``basic``, ``amount`` and ``price``. False if it had to give up."""
    size = desk.sources + desk.sinks
    for r in range(size):
        for c in range(size):
            desk.inverse[r, c] = 0.0
        desk.inverse[r, r] = 1.0
        set_basic(desk, r, ETA if r < desk.sources else SLACK, r, r)
        desk.amount[r] = desk.excess[r] if r < desk.sources else desk.room[r - desk.sources]
        desk.price[r] = 1.0 if r < desk.sources else 0.0
    desk.radius = INFINITE
    # Nothing can be sent anywhere: all of it stays η.
    if desk.sinks == 0:
        return True
    if len(desk.gain) == 1 and (desk.sources == 1 or desk.sinks == 1):
        fill_star(desk)
        return True
    fresh: flag = True
    # Degenerate bases may go in circles: the number of pivots is limited.
    for _ in range(50 * size + 100):
        reduced = find_cheapest(desk)
        if desk.level != NONE:
            fresh = False
            if not enter_variable(desk, reduced):
                desk.radius = 0.0
                return False
        elif fresh:
            measure_radius(desk)
            return True
        else:
            # Updated prices carry the rounding of larger ones before them: look again with new ones.
            fresh = True
            set_prices(desk)
    desk.radius = 0.0
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def measure_radius(desk: Desk) -> f64:
    """The radius of an optimal basis: the least reduced cost of any other variable over how fast it can fall.

    If every cost moves by at most 1, the price of row c moves by at most Σ_r |inverse[r, c]| over the arcs r of the
    basis; η and slack cost what they do. More variables of reduced cost 0 than are basic: a tie, hence no room.
    """
    ns, nt = desk.sources, desk.sinks
    # Basic variables have reduced cost 0 themselves, and are counted off beforehand.
    ties: i64 = -(ns + nt)
    least: f64 = INFINITE
    for c in range(ns + nt):
        desk.change[c] = 0.0
    for r in range(ns + nt):
        level = desk.basic[r, 0]
        if level >= 1:
            for c in range(ns + nt):
                desk.change[c] += abs(desk.inverse[r, c]) * desk.leave[level - 1]
    for r in range(ns + nt):
        rest: f64 = 1.0 - desk.price[r] if r < ns else -desk.price[r]
        if rest <= OPTIMAL:
            ties += 1
        # Multiplied, not divided: a price that cannot move sets no limit (∞·0 is NaN, which is not above anything).
        elif rest < least * desk.change[r]:
            least = rest / desk.change[r]
    for k in range(len(desk.gain)):
        gain = desk.gain[k]
        for i in range(ns):
            at, price = desk.origin + desk.excess_state[i] * desk.side, desk.price[i]
            for j in range(nt):
                direct, back = desk.cost[k, at + desk.room_state[j]], gain * desk.price[ns + j]
                rest = direct - price - back
                pace = 1.0 + desk.change[i] + gain * desk.change[ns + j]
                if direct < INFINITE and rest <= OPTIMAL * (direct + price + abs(back)):
                    ties += 1
                elif rest < least * pace:
                    least = rest / pace
    desk.radius = 0.0 if ties > 0 else least
    return desk.radius


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_star(desk: Desk) -> f64:
    """One source or one sink, direct arcs only: the cheapest arcs first, as long as they are cheaper than η."""
    ns = desk.sources
    one_source: flag = ns == 1
    # The single state's row, and the rows opposite.
    hub = 0 if one_source else ns
    first = 1 if one_source else 0
    end = 1 + desk.sinks if one_source else ns
    last: i64 = -1
    price: f64 = 1.0
    while last < 0:
        best: f64 = 1.0 - OPTIMAL
        place: i64 = -1
        for row in range(first, end):
            if desk.basic[row, 0] < 1:
                cost = arc_cost(desk, 0, hub, row) if one_source else arc_cost(desk, 0, row, hub)
                if cost < best:
                    best, place = cost, row
        if place < 0:
            break
        source = hub if one_source else place
        sink = place if one_source else hub
        # The arc carries all that one of its ends has: that end's row is settled, and the arc is basic there.
        if desk.amount[place] < desk.amount[hub]:
            desk.amount[hub] -= desk.amount[place]
            set_basic(desk, place, 1, source, sink)
        else:
            desk.amount[place] -= desk.amount[hub]
            set_basic(desk, hub, 1, source, sink)
            last, price = place, best
    # The last arc, or η, sets the price that all others cost more or less than.
    # η costs 1 whatever moves: only the arc can close this gap.
    if last >= 0:
        desk.radius = 1.0 - price
    for row in range(first, end):
        if row != last:
            cost = arc_cost(desk, 0, hub, row) if one_source else arc_cost(desk, 0, row, hub)
            # Of two arcs both may move, towards each other.
            desk.radius = min(desk.radius, abs(cost - price) / 2.0)
    return desk.radius


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_cheapest(desk: Desk) -> f64:
    """Set the variable that enters to that of the most negative reduced cost, per unit, or `NONE`; that cost."""
    ns, nt = desk.sources, desk.sinks
    best: f64 = 0.0
    highest: f64 = 0.0
    scale: f64 = 1.0
    desk.level = NONE
    for r in range(ns):
        highest = max(highest, desk.price[r])
        if 1.0 - desk.price[r] < min(best, -OPTIMAL):
            best = 1.0 - desk.price[r]
            desk.level, desk.source, desk.sink = ETA, r, r
    for r in range(ns, ns + nt):
        if -desk.price[r] < min(best, -OPTIMAL * highest):
            best = -desk.price[r]
            desk.level, desk.source, desk.sink = SLACK, r, r
    for k in range(len(desk.gain)):
        gain = desk.gain[k]
        for i in range(ns):
            at, price = desk.origin + desk.excess_state[i] * desk.side, desk.price[i]
            for j in range(nt):
                direct, back = desk.cost[k, at + desk.room_state[j]], gain * desk.price[ns + j]
                reduced = direct - price - back
                if reduced < best and reduced < -OPTIMAL * (direct + price + abs(back)):
                    best, scale = reduced, desk.leave[k]
                    desk.level, desk.source, desk.sink = k + 1, i, ns + j
    # Per unit of the variable, which for an arc that gains is what arrives: 1/gain leaves.
    return best * scale


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def exchange(inverse: Reals2, amount: Reals, change: Reals, size: i64) -> i64:
    """Let a variable enter the basis whose unit lowers the amounts by ``change``; the row that leaves, −1 if none can.

    The least ratio leaves, of equal ones the first.
    """
    leave: i64 = -1
    ratio: f64 = INFINITE
    for r in range(size):
        if change[r] > LEAST_CHANGE and amount[r] < ratio * change[r]:
            ratio, leave = amount[r] / change[r], r
    if leave < 0:
        return leave
    for c in range(size):
        inverse[leave, c] /= change[leave]
    for r in range(size):
        if r != leave and change[r] != 0.0:
            for c in range(size):
                inverse[r, c] -= change[r] * inverse[leave, c]
            # At least 0 but for rounding, and a negative amount would not be feasible.
            amount[r] = max(0.0, amount[r] - change[r] * ratio)
    amount[leave] = ratio
    return leave


def exchange_basis(inverse: Reals2, amount: Reals, change: Reals) -> int:
    """`exchange` on whole arrays."""
    with cython.nogil:
        leave = exchange(inverse, amount, change, len(amount))
    return leave


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def enter_variable(desk: Desk, reduced: f64) -> flag:
    """Bring the variable that enters into the basis; False if nothing can leave it."""
    size = desk.sources + desk.sinks
    for r in range(size):
        desk.change[r] = desk.inverse[r, desk.source]
        if desk.level >= 1:
            into = desk.inverse[r, desk.sink] * desk.arrive[desk.level - 1]
            desk.change[r] = desk.change[r] * desk.leave[desk.level - 1] + into
    leave = exchange(desk.inverse, desk.amount, desk.change, size)
    if leave < 0:
        return False
    set_basic(desk, leave, desk.level, desk.source, desk.sink)
    # prices = cost of basis · inverse: they change by (reduced cost) · (the new row of the inverse).
    for c in range(size):
        desk.price[c] += reduced * desk.inverse[leave, c]
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_prices(desk: Desk) -> i64:
    """Set price = (costs of the basic variables) · inverse, from scratch."""
    size = desk.sources + desk.sinks
    for c in range(size):
        desk.price[c] = 0.0
    for r in range(size):
        level = desk.basic[r, 0]
        weight: f64 = 0.0
        if level == ETA:
            weight = 1.0
        elif level >= 1:
            weight = arc_cost(desk, level - 1, desk.basic[r, 1], desk.basic[r, 2]) * desk.leave[level - 1]
        if weight != 0.0:
            for c in range(size):
                desk.price[c] += weight * desk.inverse[r, c]
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def record_basis(desk: Desk, found: Recorder, q: i64) -> i64:
    """Append the basis of one label, amounts as they leave their source, and add its cost to the pair's value."""
    for r in range(desk.sources + desk.sinks):
        level, source, sink = desk.basic[r, 0], desk.basic[r, 1], desk.basic[r, 2]
        amount: f64 = desk.amount[r]
        if level == ETA:
            u = v = desk.excess_state[source]
            found.value[q] += amount
        elif level == SLACK:
            u = v = desk.room_state[sink - desk.sources]
        else:
            u, v = desk.excess_state[source], desk.room_state[sink - desk.sources]
            amount *= desk.leave[level - 1]
            found.value[q] += amount * desk.cost[level - 1, desk.origin + u * desk.side + v]
        k = found.written
        found.u[k], found.v[k], found.level[k], found.amount[k] = u, v, level, amount
        found.written = k + 1
    return found.written


def solve_steps(
    rows: PairRows, cost: ConstReals2, gain: ConstReals, sources: ConstInts32, sinks: ConstInts32, bases: Bases
) -> None:
    """The step of every pair of rows (sources[q], sinks[q]) into ``bases``: values and optimal bases.

    ``cost[l]`` holds C of every ordered same-label pair at one level, ``gain[l]`` its α^(exponent − 1).
    """
    width: i64 = 1
    for q in range(len(sources)):
        both = rows.indptr[sources[q] + 1] - rows.indptr[sources[q]]
        both += rows.indptr[sinks[q] + 1] - rows.indptr[sinks[q]]
        width = max(width, both)
    desk, found = Desk(width, cost, gain), Recorder(bases)
    with cython.nogil:
        for q in range(len(sources)):
            found.a, found.b = rows.indptr[sources[q]], rows.indptr[sinks[q]]
            a_end, b_end = rows.indptr[sources[q] + 1], rows.indptr[sinks[q] + 1]
            found.ptr[q], found.value[q], found.stopped[q], found.radius[q] = found.written, 0.0, 0, INFINITE
            while found.a < a_end or found.b < b_end:
                # The label of the next state of either row.
                state = rows.target[found.a] if found.a < a_end else rows.target[found.b]
                if found.b < b_end:
                    state = min(state, rows.target[found.b])
                number = rows.block[state]
                low, side = rows.first[number], rows.size[number]
                # Without a source the label costs nothing, and has no basis.
                if gather_label(rows, a_end, b_end, low + side, found, desk) > 0:
                    # So that origin + i·side + j is the number of a pair for positions i and j of the whole space.
                    desk.origin, desk.side = rows.offset[number] - low * side - low, side
                    if not optimise_label(desk):
                        found.stopped[q] = 1
                    found.radius[q] = min(found.radius[q], desk.radius)
                    record_basis(desk, found, q)
        found.ptr[len(sources)] = found.written
