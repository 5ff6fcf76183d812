"""Beliefs level by level, joined where they point the same way: the inner loops of `beliefs.signed.levels`."""

from . import cython

if not cython.compiled:
    from .hashing import FIRST_HASH, mix
    from .records import Level
    from .step import Rows, Sums, send, sort_states
    from .types import ConstInts, Hashes, Ints, Leading, flag, i64, u64, u128

DIRECTION = cython.declare(i64, 12)
PRECISION = cython.declare(i64, 40)
"""Bits of a direction, and of the numbers it is computed from."""


@cython.cclass
class Layer:
    """`Level`, as kernels see it."""

    start: Ints
    label: Ints
    states: Ints
    values: Ints

    def __init__(self, level: Level) -> None:
        self.start, self.label, self.states, self.values = level.start, level.label, level.states, level.values


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_leading(value: i64) -> Leading:
    """The first PRECISION bits of a positive number, zeros appended to a shorter one, and its length in bits."""
    length: i64 = 0
    while value >> length:
        length += 1
    shift = length - PRECISION
    return (value >> shift if shift >= 0 else value << -shift), length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def direction_hash(level: Layer, begin: i64, end: i64, total: i64) -> u64:
    """The states and the direction of a belief in one word."""
    whole, length = take_leading(total)
    mixed: u64 = FIRST_HASH
    for e in range(begin, end):
        value = level.values[e]
        part, short = take_leading(value if value > 0 else -value)
        # Cut to a few bits, directions that are near often agree. Only a guess: `remainders` pays for what differs.
        # The ratio, the difference of the lengths, and the sign.
        ratio = (((part << DIRECTION) // whole) << 8) | ((length - short) << 1) | (1 if value < 0 else 0)
        mixed = mix(mixed, cython.cast(u64, level.states[e]))
        mixed = mix(mixed, cython.cast(u64, ratio))
    return mixed


def expand_level(rows: Rows, before: Level, dust: i64, after: Level, hashes: Hashes, sides: Ints) -> i64:
    """The children of all beliefs of a level, with a hash of each direction; their number.

    ``after`` and ``hashes`` have room for as many beliefs, and entries, as arcs leave the level. ``sides`` gathers from
    below and from above what beliefs are worth whose smaller side is at most ``dust``; they are no children.
    """
    level = Layer(before)
    out = Layer(after)
    sums = Sums(rows.states)
    children: i64 = 0
    entries: i64 = 0
    with cython.nogil:
        for node in range(len(level.label)):
            sums.count = 0
            for e in range(level.start[node], level.start[node + 1]):
                send(rows, level.states[e], level.values[e], sums, True)
            # V(m) ≥ Σ V(m_b) − lost and V(−m) ≤ Σ V(−m_b) + lost (docs/theory/boxes.md, one step).
            sides[0] -= sums.lost
            sides[1] += sums.lost
            sums.lost = 0
            sort_states(sums.reached, sums.count)  # then states of one label stand together
            at: i64 = 0
            while at < sums.count:
                label = rows.label[sums.reached[at]]
                begin = entries
                pos: i64 = 0
                neg: i64 = 0
                while at < sums.count and rows.label[sums.reached[at]] == label:
                    state = sums.reached[at]
                    value = sums.value[state]
                    sums.value[state] = 0
                    sums.seen[state] = 0
                    if value != 0:
                        out.states[entries], out.values[entries] = state, value
                        entries += 1
                        pos += max(value, 0)
                        neg += max(-value, 0)
                    at += 1
                # (m·1)^+ ≤ V(m) and V(−m) ≤ |m^-|: with these two, V is known to within min(|m^+|, |m^-|).
                if min(pos, neg) <= dust:
                    sides[0] += max(pos - neg, 0)
                    sides[1] += neg
                    entries = begin
                else:
                    out.label[children] = label
                    hashes[children] = direction_hash(out, begin, entries, pos + neg)
                    children += 1
                    out.start[children] = entries
    return children


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def product_over(a: i64, b: i64, c: i64, up: flag) -> i64:
    """a·b/c for 0 ≤ a, b ≤ c < 2^62 and c > 0, rounded up or down."""
    # Up to 124 bits.
    product: u128 = cython.cast(u128, a) * cython.cast(u128, b)
    quotient = cython.cast(i64, product // cython.cast(u128, c))
    inexact: flag = product != cython.cast(u128, quotient) * cython.cast(u128, c)
    return quotient + 1 if up and inexact else quotient


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def remainders(level: Layer, order: ConstInts, first: i64, last: i64, out: Layer, entries: i64, width: i64) -> i64:
    """Σ_k |(μ_k·c − m_k)^+| for μ_k = |m_k| / Σ|m|, each entry rounded up: m_k = order[first … last−1], c their sum."""
    whole: i64 = 0
    cost: i64 = 0
    for k in range(first, last):
        begin = level.start[order[k]]
        for e in range(begin, begin + width):
            whole += abs(level.values[e])
    for k in range(first, last):
        begin = level.start[order[k]]
        size: i64 = 0
        for e in range(begin, begin + width):
            size += abs(level.values[e])
        for e in range(width):
            value = out.values[entries + e]
            # Rule R6: −m_k = μ_k·(−c) + (μ_k·c − m_k), and what remains costs its positive part. μ_k·c is rounded up.
            share = product_over(abs(value), size, whole, value > 0)
            cost += max((share if value > 0 else -share) - level.values[begin + e], 0)
    return cost


def join_level(rows: Rows, before: Level, order: ConstInts, heads: ConstInts, after: Level, sides: Ints) -> bool:
    """Add up the beliefs of each group, order[heads[g]:heads[g+1]]; what it costs goes to ``sides``.

    False if two members have other states, which one hash may stand for: then nothing of it may be used.

    That is the upper side and, with boxes, where members may meet different rows, the lower side too.
    """
    level = Layer(before)
    out = Layer(after)
    entries: i64 = 0
    same: flag = True
    with cython.nogil:
        for group in range(len(heads) - 1):
            first, last = heads[group], heads[group + 1]
            begin = level.start[order[first]]
            width = level.start[order[first] + 1] - begin
            for k in range(first + 1, last):
                if level.start[order[k] + 1] - level.start[order[k]] != width:
                    same = False
            if not same:
                break
            for e in range(width):
                value: i64 = 0
                for k in range(first, last):
                    value += level.values[level.start[order[k]] + e]
                    if level.states[level.start[order[k]] + e] != level.states[begin + e]:
                        same = False
                out.states[entries + e], out.values[entries + e] = level.states[begin + e], value
            if last - first > 1:
                cost = remainders(level, order, first, last, out, entries, width)
                sides[1] += cost
                # With point rows V(m_1) + V(m_2) ≥ V(m_1 + m_2) costs nothing below.
                sides[0] -= cost if rows.boxed else 0
            out.label[group] = level.label[order[first]]
            entries += width
            out.start[group + 1] = entries
    return same
