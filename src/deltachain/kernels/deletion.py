"""Deleting pairs from the zero set: which rows differ by labels alone, and whose flows use which pairs."""

from . import cython

if not cython.compiled:
    from .records import Policy, Users
    from .transport import PairRows
    from .types import ConstFlags, ConstInts, ConstInts32, ConstReals, Flags, Ints, Ints32, Ints32x2, f64, flag, i64


def compare_labels(rows: PairRows, sources: ConstInts32, sinks: ConstInts32, clear: f64, apart: Flags) -> None:
    """Whether Σ over labels of max(0, x(label) − α y(label)) is above ``clear``, for rows x and y of each pair."""
    with cython.nogil:
        for q in range(len(sources)):
            a, a_end = rows.indptr[sources[q]], rows.indptr[sources[q] + 1]
            b, b_end = rows.indptr[sinks[q]], rows.indptr[sinks[q] + 1]
            total: f64 = 0.0
            while a < a_end:
                low = rows.first[rows.block[rows.target[a]]]
                end = low + rows.size[rows.block[rows.target[a]]]
                excess: f64 = 0.0
                while a < a_end and rows.target[a] < end:
                    excess += rows.probability[a, 0]
                    a += 1
                # Rows go by position, labels are runs of positions. Labels that y alone reaches are passed over: their
                # excess is not positive.
                while b < b_end and rows.target[b] < end:
                    if rows.target[b] >= low:
                        excess -= rows.alpha * rows.probability[b, 0]
                    b += 1
                total += max(0.0, excess)
            apart[q] = total > clear


def link_users(policy: Policy, pairs: ConstInts, member: ConstFlags, clock: i64, count: i64, users: Users) -> int:
    """Enter the arcs of the options whose pairs are members; the number of entries there are then."""
    todo: ConstInts = policy.todo
    ptr: ConstInts = policy.ptr
    arc: ConstInts32 = policy.arc
    weight: ConstReals = policy.weight
    head: Ints32 = users.head
    links: Ints32x2 = users.links
    newest: Ints32 = users.newest
    stale: Flags = users.stale
    with cython.nogil:
        for q in range(len(todo)):
            newest[todo[q]] = clock
            if not member[pairs[q]]:
                continue
            for k in range(ptr[q], ptr[q + 1]):
                if weight[k] > 0.0:
                    if not member[arc[k]]:
                        # Solved along stepping stones of a larger set: it waits for the next closure
                        # (`zero_set.delete_by_float`).
                        stale[todo[q]] = 1
                    links[0, count] = head[arc[k]]
                    links[1, count] = todo[q]
                    links[2, count] = clock
                    head[arc[k]] = count
                    count += 1
    return count


def collect_users(gone: ConstInts, member: ConstFlags, users: Users, found: Ints) -> int:
    """Count the users of the pairs ``gone``; where ``found`` has room, write them. Marks are undone the second time."""
    head: ConstInts32 = users.head
    links: Ints32x2 = users.links
    newest: ConstInts32 = users.newest
    stale: ConstFlags = users.stale
    marked: Flags = users.marked
    pairs: i64 = len(member)
    write: flag = len(found) > 0
    count: i64 = 0
    with cython.nogil:
        for k in range(len(gone)):
            entry: i64 = head[gone[k]]
            while entry >= 0:
                user: i64 = links[1, entry]
                # Entries are never unlinked: one that is older than its user's newest flow is dead.
                holds: flag = newest[user] == links[2, entry] and not stale[user]
                # An option is its input times the number of pairs, plus its pair.
                if holds and member[user % pairs] and marked[user] == write:
                    marked[user] = not write
                    if write:
                        found[count] = user
                    count += 1
                entry = links[0, entry]
    return count
