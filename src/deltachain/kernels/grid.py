"""Beliefs over two hidden states on a grid of directions: the inner loops of `beliefs.signed.grid`."""

from . import cython

if not cython.compiled:
    from .records import Supports
    from .step import Rows, Sums, send
    from .types import ConstInts2, Ints, Ints4, i64

LONGEST_EXACT = cython.declare(i64, 2**40)
"""Directions are computed from the first 40 bits of both entries."""


@cython.cclass
class Grid:
    """A grid of ``size`` directions on each support and each way round, and the working space to step on it."""

    rows: Rows
    states: ConstInts2
    after: ConstInts2
    size: i64
    sums: Sums

    def __init__(self, rows: Rows, supports: Supports, size: i64) -> None:
        self.rows, self.states, self.after, self.size = rows, supports.states, supports.after, size
        self.sums = Sums(rows.states)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def position(pos: i64, neg: i64, size: i64) -> i64:
    """⌊size·pos/(pos + neg)⌋ from the first 40 bits of both, at least 0 and below ``size``."""
    # Any answer is sound: above, what both neighbors leave is paid for; below, any beliefs may be added up (rule L4).
    shift: i64 = 0
    while (pos + neg) >> shift >= LONGEST_EXACT:
        shift += 1
    return min(size - 1, ((pos >> shift) * size) // max((pos + neg) >> shift, 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def split_mixed(grid: Grid, way: i64, pos: i64, neg: i64, q: i64, fresh: Ints4, totals: Ints) -> i64:
    """Write a belief u of mixed signs as weights of two neighbours on the grid; what they leave goes to ``totals``."""
    size = grid.size
    k = position(pos, neg, size)
    # g_k has the entries k and −(size − k). Weights that sum to ⌊(pos + neg)/size⌋ and meet pos as far as they can from
    # below; the remainder costs its positive part (rule R6).
    whole = (pos + neg) // size
    rest = (pos + neg) % size
    upper = min(max(pos - k * whole - (k * rest + size - 1) // size, 0), whole)
    lower = whole - upper
    totals[0] += max(pos - lower * k - upper * (k + 1), 0)
    totals[0] += max(lower * (size - k) + upper * (size - k - 1) - neg, 0)
    # g_0 has no positive entry and is worth 0; g_size has no negative one and is worth all of it, at once.
    if k > 0:
        fresh[q, way, k, 0] += lower
    if k + 1 < size:
        fresh[q, way, k + 1, 0] += upper
    else:
        totals[0] += upper * size
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def keep(grid: Grid, a: i64, b: i64, q: i64, fresh: Ints4, totals: Ints) -> i64:
    """Take the belief (a, b) on support q into the next level; one sign alone is worth its positive part at once.

    On the upper side ``fresh`` has one number for each direction, the weight of g_k; on the lower side two, the sum of
    the beliefs between g_k and g_{k+1}.
    """
    if a <= 0 and b <= 0:
        return 0
    if a >= 0 and b >= 0:
        totals[0] += a + b
        return 0
    way: i64 = 0 if a > 0 else 1  # the positive entry is on the first state, or on the second
    pos = a if a > 0 else b
    neg = -b if a > 0 else -a
    if fresh.shape[3] == 1:
        return split_mixed(grid, way, pos, neg, q, fresh, totals)
    k = position(pos, neg, grid.size)
    fresh[q, way, k, 0] += a
    fresh[q, way, k, 1] += b
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def step_pair(grid: Grid, rows: Rows, sums: Sums, p: i64, m: i64, o: i64, sign: i64, fresh: Ints4, totals: Ints) -> i64:
    """One step, rounded down, of the belief (m, o) on support p; what arrives is taken with its sign, or turned."""
    sums.count = 0
    send(rows, grid.states[p, 0], m, sums, True)
    send(rows, grid.states[p, 1], o, sums, True)
    # No row is a box here, so that nothing is lost outside.
    for label in range(rows.labels):
        q = grid.after[p, label]
        if q >= 0:
            i, j = grid.states[q, 0], grid.states[q, 1]
            keep(grid, sign * sums.value[i], sign * sums.value[j], q, fresh, totals)
            sums.value[i] = 0
            sums.value[j] = 0
    for c in range(sums.count):
        state = sums.reached[c]
        totals[0] += max(sign * sums.value[state], 0)  # alone of its label, or 0
        sums.value[state] = 0
        sums.seen[state] = 0
    return 0


def enter_grid(grid: Grid, a: i64, b: i64, fresh: Ints4, totals: Ints) -> None:
    """The level of one belief, (a, b) on the first support."""
    keep(grid, a, b, 0, fresh, totals)


def level_above(grid: Grid, weights: Ints4, fresh: Ints4, totals: Ints) -> i64:
    """One level of the upper side, weights[support, way, k] of g_k; how many were stepped."""
    rows, sums = grid.rows, grid.sums
    expanded: i64 = 0
    with cython.nogil:
        for p in range(weights.shape[0]):
            for way in range(2):
                for k in range(1, grid.size):
                    weight = weights[p, way, k, 0]
                    if weight != 0:
                        expanded += 1
                        # −weight·g_k, rounded down: what arrives is turned back, and is rounded up.
                        down, up = -weight * k, weight * (grid.size - k)
                        step_pair(grid, rows, sums, p, up if way else down, down if way else up, -1, fresh, totals)
    return expanded


def level_below(grid: Grid, cells: Ints4, fresh: Ints4, totals: Ints) -> i64:
    """One level of the lower side: cells[support, way, k] is a belief; how many were stepped."""
    rows, sums = grid.rows, grid.sums
    expanded: i64 = 0
    with cython.nogil:
        for p in range(cells.shape[0]):
            for way in range(2):
                for k in range(grid.size):
                    m, o = cells[p, way, k, 0], cells[p, way, k, 1]
                    if m != 0 or o != 0:
                        expanded += 1
                        step_pair(grid, rows, sums, p, m, o, 1, fresh, totals)
    return expanded
