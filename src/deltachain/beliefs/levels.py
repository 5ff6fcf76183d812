"""Beliefs level by level, joined where they point the same way: bounds for chains whose beliefs meet again.

All beliefs of one depth are expanded at once, and those of (nearly) the same direction are added up to one. With
c = m_1 + … + m_k, V(m_1) + … + V(m_k) ≥ V(c), because V is sublinear; and with any μ_1 + … + μ_k = 1, μ ≥ 0,
V(−m_1) + … + V(−m_k) ≤ V(−c) + Σ_k |(μ_k·c − m_k)^+|, because −m_k ≤ −μ_k·c + (μ_k·c − m_k)^+. Beliefs that are
proportional but for rounding cost a unit or two: what the graph of `graph` does exactly, in machine integers.

The *direction* of m is the ratio of each entry to |m|, to DIRECTION significant bits: with the first PRECISION bits a
of |m_i| and b of |m| (zeros appended to shorter ones), it is the sign, the difference of the lengths, and
⌊a·2^DIRECTION/b⌋. What differs by rounding alone has the same direction, but for a small chance.

A belief whose smaller side is at most ``dust`` is not expanded; nor is one at the last level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..cancel import Cancel
from ..jit import compiled
from ..kernels.records import Tables

DIRECTION, PRECISION = 12, 40
"""Bits of a direction, and of the numbers it is computed from."""
DUST_BITS = 44
"""What is smaller than 2^-44 of the whole is dust."""
PATIENCE = 300
"""Levels without one per cent of progress before the walk is given up: such beliefs stay apart for ever."""
CROWD, CROWD_IF_CYCLIC = 50_000, 60
"""Beliefs of one level that may all point different ways before the walk is given up."""
WIDEST_LEVEL = 400_000
"""Beliefs of one level, at most."""


class Level(NamedTuple):
    """Beliefs of one depth in CSR form, entries by state."""

    start: Any
    label: Any
    states: Any
    values: Any


@dataclass(frozen=True)
class Walked:
    """V(m) ≥ below and V(−m) ≤ above for the root m, in its unit, after ``levels`` steps."""

    below: int
    above: int
    levels: int
    expanded: int
    dust: int
    finished: bool
    """Whether no belief was left to expand."""

    def recipe(self) -> list[object]:
        """What a checker needs to do the same."""
        return ["levels", self.levels, self.dust]


def _expand(tables: Tables, level: Level, dust: int, room: int, out: Level, hashes: Any, sides: Any) -> tuple[int, int]:
    """The children of all beliefs, with a hash of each direction; ``sides`` gathers what closed beliefs are worth.

    Returns the number of children and of their entries; −1 if there are more than ``room`` entries.
    """
    n = len(tables.label)
    sums, seen, touched = np.zeros(n, np.int64), np.zeros(n, np.bool_), np.empty(n, np.int64)
    children = entries = 0
    for node in range(len(level.label)):
        count = 0
        for e in range(level.start[node], level.start[node + 1]):
            value, row = level.values[e], level.states[e]
            bottom = tables.denominator[row]
            whole = value // bottom
            rest = value - whole * bottom
            numerators = tables.low if value > 0 else tables.high
            for arc in range(tables.start[row], tables.start[row + 1]):
                j = tables.target[arc]
                if not seen[j]:
                    seen[j] = True
                    touched[count] = j
                    count += 1
                sums[j] += whole * numerators[arc] + rest * numerators[arc] // bottom
        if entries + count > room or children + count > len(out.label):
            return -1, -1
        ordered = np.sort(touched[:count])
        at = 0
        while at < count:
            label, begin = tables.label[ordered[at]], entries
            pos = neg = 0
            while at < count and tables.label[ordered[at]] == label:
                j = ordered[at]
                if sums[j] != 0:
                    out.states[entries], out.values[entries] = j, sums[j]
                    entries += 1
                    pos += max(sums[j], 0)
                    neg += max(-sums[j], 0)
                sums[j] = 0
                seen[j] = False
                at += 1
            if min(pos, neg) <= dust:
                sides[0] += max(pos - neg, 0)
                sides[1] += neg
                entries = begin
            else:
                out.label[children] = label
                hashes[children] = _direction_hash(out, begin, entries, pos + neg)
                children += 1
                out.start[children] = entries
    return children, entries


def _direction_hash(level: Level, begin: int, end: int, total: int) -> Any:
    """The states and the direction of a belief in one word."""
    whole, length = _leading(total)
    mixed = np.uint64(14695981039346656037)
    for e in range(begin, end):
        part, short = _leading(abs(level.values[e]))
        ratio = (((part << DIRECTION) // whole) << 8) | ((length - short) << 1) | (level.values[e] < 0)
        for word in (np.uint64(level.states[e]), np.uint64(ratio)):
            mixed = (mixed ^ word) * np.uint64(1099511628211)
            mixed ^= mixed >> np.uint64(29)
    return mixed


def _leading(value: int) -> tuple[int, int]:
    """The first PRECISION bits of a positive number, and its length in bits."""
    length = 0
    while value >> length:
        length += 1
    shift = length - PRECISION
    return (value >> shift if shift >= 0 else value << -shift), length


def _join(level: Level, order: Any, heads: Any, out: Level, sides: Any) -> None:
    """Add up the beliefs of each group; what the join costs the upper side goes to ``sides``."""
    entries = 0
    for group in range(len(heads) - 1):
        first = order[heads[group]]
        begin, width = level.start[first], level.start[first + 1] - level.start[first]
        for e in range(width):
            value = 0
            for k in range(heads[group], heads[group + 1]):
                value += level.values[level.start[order[k]] + e]
            out.states[entries + e], out.values[entries + e] = level.states[begin + e], value
        if heads[group + 1] - heads[group] > 1:
            sides[1] += _remainders(level, order[heads[group] : heads[group + 1]], out, entries, width)
        out.label[group] = level.label[first]
        entries += width
        out.start[group + 1] = entries


def _remainders(level: Level, members: Any, out: Level, entries: int, width: int) -> int:
    """Σ_k |(μ_k·c − m_k)^+| for μ_k = |m_k| / Σ|m|, each entry rounded up."""
    whole = cost = 0
    for member in members:
        for e in range(width):
            whole += abs(level.values[level.start[member] + e])
    for member in members:
        begin, size = level.start[member], 0
        for e in range(width):
            size += abs(level.values[begin + e])
        for e in range(width):
            value = out.values[entries + e]
            share = _product_over(abs(value), size, whole, value > 0)
            cost += max((share if value > 0 else -share) - level.values[begin + e], 0)
    return cost


def _product_over(a: int, b: int, c: int, up: bool) -> int:
    """a·b/c for 0 ≤ a, b ≤ c < 2^62, rounded up or down: schoolbook multiplication and division in 31-bit digits."""
    mask = (1 << 31) - 1
    a1, a0, b1, b0 = a >> 31, a & mask, b >> 31, b & mask
    low = a0 * b0
    middle = a1 * b0 + (low >> 31)
    high = a1 * b1 + (middle >> 31)
    middle = (middle & mask) + a0 * b1
    high += middle >> 31
    tail = ((middle & mask) << 31) | (low & mask)
    # high·2^62 + tail over c, bit by bit: the remainder stays below c.
    quotient, rest = 0, high
    for k in range(61, -1, -1):
        rest = (rest << 1) | ((tail >> k) & 1)
        quotient <<= 1
        if rest >= c:
            rest -= c
            quotient |= 1
    return quotient + 1 if up and rest > 0 else quotient


def walk(
    tables: Tables, entries: list[tuple[int, int]], budget: int, bits: int, acyclic: bool, cancel: Cancel
) -> Walked:
    """Both sides of V at the belief ``entries`` (state, integer), all of one label, in units of 2^-bits.

    Ends when no belief is left, above ``budget`` expansions, when it is cancelled, when beliefs do not meet again,
    or, unless the chain is acyclic, after `PATIENCE` levels without progress.
    """
    ordered = sorted(entries)
    level = Level(
        np.array([0, len(ordered)]),
        np.array([tables.label[ordered[0][0]]]),
        np.array([i for i, _ in ordered]),
        np.array([v for _, v in ordered]),
    )
    sides = np.zeros(2, np.int64)
    dust = 1 << max(bits - DUST_BITS, 0)
    depth = expanded = 0
    open_gap, patience = _gap(level), 0
    while len(level.label) and expanded <= budget and not cancel.stopped() and (acyclic or patience < PATIENCE):
        following = _next_level(tables, level, dust, sides, CROWD if acyclic else CROWD_IF_CYCLIC)
        if following is None:
            break
        expanded += len(level.label)
        level, depth = following, depth + 1
        now = _gap(level)
        patience = 0 if 100 * now < 99 * open_gap else patience + 1
        open_gap = min(open_gap, now) if patience == 0 else open_gap
    finished = len(level.label) == 0
    pos, neg = _sides(level) if len(level.label) else (np.zeros(0, np.int64),) * 2
    return Walked(
        int(sides[0]) + sum(max(p - q, 0) for p, q in zip(pos.tolist(), neg.tolist(), strict=True)),
        int(sides[1]) + int(neg.sum()),
        depth,
        expanded,
        dust,
        finished,
    )


def _sides(level: Level) -> tuple[Any, Any]:
    """|m^+| and |m^-| of each belief."""
    pos, neg = (np.add.reduceat(np.maximum(sign * level.values, 0), level.start[:-1]) for sign in (1, -1))
    return pos, neg


def _gap(level: Level) -> float:
    """How much is open at a level, about."""
    return float(np.minimum(*_sides(level)).sum()) if len(level.label) else 0.0


def _next_level(tables: Tables, level: Level, dust: int, sides: Any, crowd: int) -> Level | None:
    """The joined children of a level; None if there are too many, or more than a ``crowd`` that hardly meet."""
    arcs = int((tables.start[level.states + 1] - tables.start[level.states]).sum())
    if arcs > 8 * WIDEST_LEVEL:
        return None
    room = arcs + 1
    raw = _empty_level(room, room)
    hashes, gathered = np.empty(room, np.uint64), np.zeros(2, np.int64)
    count, used = compiled(_expand, _direction_hash, _leading)(tables, level, dust, room, raw, hashes, gathered)
    order = np.argsort(hashes[:count], kind="stable")
    sorted_ = hashes[order]
    new = np.ones(count, np.bool_)
    new[1:] = sorted_[1:] != sorted_[:-1]
    heads = np.append(np.flatnonzero(new), count)
    if len(heads) > crowd and 10 * len(heads) > 9 * count:
        return None
    joined = _empty_level(len(heads) - 1, used)
    compiled(_join, _product_over, _remainders)(raw, order, heads, joined, gathered)
    sides += gathered
    end = int(joined.start[-1])
    return joined._replace(states=joined.states[:end], values=joined.values[:end])


def _empty_level(nodes: int, entries: int) -> Level:
    return Level(
        np.zeros(nodes + 1, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.int64),
    )
