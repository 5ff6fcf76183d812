"""One round of `distances.closure` inside one label: an arc in front of every path, where that is cheaper."""

import numpy as np

from . import cython

if not cython.compiled:
    from .types import ConstReals2, Ints, Ints32, Ints32x2, Reals, Reals2, f64, flag, i64

UNREACHED = cython.declare(f64, float("inf"))
SHORT_RUN = cython.declare(i64, 12)


@cython.cclass
class Paths:
    """The paths that may go on from each m: ends by increasing cost, ``ptr[m]`` to ``ptr[m+1]``; and what bounds them.

    ``top[i]`` is what paths from i have to stay below, ``floor`` what none can cost less than.
    """

    ptr: Ints
    target: Ints32
    cost: Reals
    top: Reals
    most: f64
    nearest: f64
    floor: f64

    def __init__(self, size: int) -> None:
        self.ptr, self.top = np.zeros(size + 1, np.int64), np.zeros(size)
        self.target, self.cost = np.empty(0, np.int32), np.empty(0)
        self.most, self.nearest, self.floor = 0.0, UNREACHED, 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_paths(paths: Paths, low: i64, high: i64) -> i64:
    """Sort the entries ``low`` to ``high`` by cost: quicksort, short runs by insertion."""
    while high - low > SHORT_RUN:
        # The median of three, so that sorted runs are halved.
        a, b, c = paths.cost[low], paths.cost[(low + high) // 2], paths.cost[high - 1]
        middle = max(min(a, b), min(max(a, b), c))
        i, j = low, high - 1
        while i <= j:
            while paths.cost[i] < middle:
                i += 1
            while paths.cost[j] > middle:
                j -= 1
            if i <= j:
                paths.cost[i], paths.cost[j] = paths.cost[j], paths.cost[i]
                paths.target[i], paths.target[j] = paths.target[j], paths.target[i]
                i += 1
                j -= 1
        # The shorter side first, so that the recursion is never deep.
        if j + 1 - low < high - i:
            sort_paths(paths, low, j + 1)
            low = i
        else:
            sort_paths(paths, i, high)
            high = j + 1
    for at in range(low + 1, high):
        cost, target = paths.cost[at], paths.target[at]
        k = at
        while k > low and paths.cost[k - 1] > cost:
            paths.cost[k], paths.target[k] = paths.cost[k - 1], paths.target[k - 1]
            k -= 1
        paths.cost[k], paths.target[k] = cost, target
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def bound_paths(one: ConstReals2, last: ConstReals2, limit: Reals2, gain: f64, improves: f64, paths: Paths) -> i64:
    """Set the bounds, and count the paths that may be of use from each m; their number."""
    size = len(one)
    cheapest: f64 = UNREACHED
    for i in range(size):
        top: f64 = 0.0
        for j in range(size):
            if j != i and limit[i, j] < UNREACHED:
                top = max(top, limit[i, j] * improves)
            paths.nearest = min(paths.nearest, one[i, j])
            cheapest = min(cheapest, last[i, j])
        paths.top[i] = top
        paths.most = max(paths.most, top)
    # No arc and no tail is cheaper than these two: a limit at or below their sum cannot be beaten.
    paths.floor = paths.nearest + gain * cheapest
    for m in range(size):
        count: i64 = 0
        for j in range(size):
            # Even behind the cheapest arc, other tails cost too much for every pair. `list_paths` has to ask the same.
            if paths.nearest + gain * last[m, j] < paths.most:
                count += 1
        paths.ptr[m + 1] = paths.ptr[m] + count
    total: i64 = paths.ptr[size]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_paths(last: ConstReals2, gain: f64, paths: Paths) -> i64:
    """Write the paths that may be of use from each m, by increasing cost."""
    size = len(last)
    for m in range(size):
        at = paths.ptr[m]
        for j in range(size):
            if paths.nearest + gain * last[m, j] < paths.most:
                paths.target[at], paths.cost[at] = j, gain * last[m, j]
                at += 1
        sort_paths(paths, paths.ptr[m], paths.ptr[m + 1])
    return size


def extend_paths(
    one: ConstReals2, last: ConstReals2, limit: Reals2, gain: f64, improves: f64, new: Reals2, stone: Ints32x2,
    low: i64, complement: flag,
) -> None:  # fmt: skip
    """Write min_m one_im + gain·last_mj into ``new`` where it beats ``limit``, and m (plus ``low``) into ``stone``.

    ``limit`` is lowered to what was found. Paths that go on from m are sorted, so that the search among them ends at
    the first one that costs too much; or all m are tried for the few j that are left, whichever is less work.
    """
    size: i64 = len(one)
    paths = Paths(size)
    count = bound_paths(one, last, limit, gain, improves, paths)
    paths.target, paths.cost = np.empty(count, np.int32), np.empty(count)
    with cython.nogil:
        list_paths(last, gain, paths)
        for i in range(size):
            forward: i64 = 0
            left: i64 = 0
            for m in range(size):
                if one[i, m] < paths.top[i]:
                    forward += paths.ptr[m + 1] - paths.ptr[m]
                if m != i and limit[i, m] * improves > paths.floor:
                    left += 1
            # Where nearly all is zero, look for each pair that is not: most find a free path at once.
            tries = min(size, 2 * size * size // (forward + 1)) if paths.floor == 0.0 else size
            if left * tries < forward:
                for j in range(size):
                    if j == i or limit[i, j] * improves <= paths.floor:
                        continue
                    for m in range(size):
                        through = one[i, m] + gain * last[m, j]
                        if through < limit[i, j] * improves:
                            new[i, j] = limit[i, j] = through
                            stone[i, j] = ~(m + low) if complement else m + low
                            # Nothing can cost less, so that the rest need not be tried.
                            if through <= paths.floor:
                                break
                continue
            for m in range(size):
                if m == i or paths.ptr[m] == paths.ptr[m + 1]:
                    continue
                # Tails are sorted: if the first costs too much, all do.
                if one[i, m] + paths.cost[paths.ptr[m]] >= paths.top[i]:
                    continue
                for at in range(paths.ptr[m], paths.ptr[m + 1]):
                    through = one[i, m] + paths.cost[at]
                    if through >= paths.top[i]:
                        break
                    j = paths.target[at]
                    if j != i and through < limit[i, j] * improves:
                        new[i, j] = limit[i, j] = through
                        stone[i, j] = ~(m + low) if complement else m + low
