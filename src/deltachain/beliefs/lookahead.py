"""How many beliefs a pair of states leads to, counted before any is computed exactly.

The walk is that of `finite.explore`: pairs of beliefs up to scale, in the order in which they are met. But masses are
residues modulo a prime, in machine words, whatever their exact length. Proportional beliefs stay proportional modulo
the prime; others fall together with a chance of about one in 2^31 for each entry. (The prime is 2q + 1 for a prime q:
ratios such as 2^k come back after q steps at the earliest. Modulo 2^31 − 1 that would be 31.) So the count is a guess
that is almost always right. It proves nothing: it tells, much sooner, whether an exact exploration would come to an
end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..cancel import Cancel
from ..jit import compiled
from ..kernels.records import Tables
from .tables import PRIME

ARCS_A_CALL = 4_000_000
"""The work of one call of the kernel, after which time and Ctrl-C are looked at."""
ENDED, TOO_MANY, FULL, PAUSED = 0, 1, 2, 3
"""Why the kernel returns."""
LOW = 2**31 - 1
MET, NEXT, USED, EXPANDED_ENTRIES = 0, 1, 2, 3
"""What `_Walk.count` counts: nodes, those looked at, entries in the arena, and states of the nodes expanded."""


class Ahead(NamedTuple):
    """What a pair leads to: beliefs up to scale, the states in them, the longest word; whether that is all of it."""

    ended: bool
    nodes: int
    entries: int
    depth: int


class _Walk(NamedTuple):
    """Nodes by number. The entries of a node are x (begin … middle) and y (middle … begin of the next one)."""

    begin: Any
    middle: Any
    depth: Any
    states: Any
    residues: Any
    slots: Any
    """A hash table: the node of a key, or −1."""
    keys: Any
    count: Any


def _reduced(value: int) -> int:
    """The rest modulo the prime 2^31 − 69, for 0 ≤ value < 2^62, without a division: 2^31 is 69."""
    value = (value >> 31) * 69 + (value & LOW)
    value = (value >> 31) * 69 + (value & LOW)
    return value - PRIME if value >= PRIME else value


def _inverse(value: int) -> int:
    """1/value modulo the prime, by Fermat."""
    result, power, square = 1, PRIME - 2, value
    while power:
        if power & 1:
            result = _reduced(result * square)
        square = _reduced(square * square)
        power >>= 1
    return result


def _closed(walk: _Walk, node: int) -> bool:
    """Nothing on one side, or y proportional to x."""
    begin, middle, end = walk.begin[node], walk.middle[node], walk.begin[node + 1]
    size = middle - begin
    if size == 0 or middle == end:
        return True
    if size != end - middle:
        return False
    for e in range(size):
        if walk.states[begin + e] != walk.states[middle + e]:
            return False
        left = _reduced(walk.residues[begin + e] * walk.residues[middle])
        if left != _reduced(walk.residues[middle + e] * walk.residues[begin]):
            return False
    return True


def _meet(walk: _Walk, begin: int, middle: int, end: int, depth: int) -> None:
    """The belief at the end of the arena, brought to scale: a new node, or one that was met before."""
    factor = 0
    for e in range(begin, end):
        if walk.residues[e]:
            factor = _inverse(walk.residues[e])
            break
    mixed = np.uint64(14695981039346656037) ^ np.uint64(middle - begin)
    for e in range(begin, end):
        walk.residues[e] = _reduced(walk.residues[e] * factor)
        mixed = (mixed ^ np.uint64((walk.states[e] << 31) | walk.residues[e])) * np.uint64(1099511628211)
        mixed ^= mixed >> np.uint64(29)
    size = len(walk.slots)
    slot: Any = np.int64(mixed % np.uint64(size))
    while walk.slots[slot] >= 0:
        if walk.keys[slot] == mixed:
            return
        slot = slot + 1 if slot + 1 < size else 0
    node = walk.count[MET]
    walk.slots[slot], walk.keys[slot] = node, mixed
    walk.middle[node], walk.begin[node + 1], walk.depth[node] = middle, end, depth
    walk.count[MET] = node + 1
    walk.count[USED] = end


def _expand(tables: Tables, walk: _Walk, node: int, choice: int, sums: Any, seen: Any, touched: Any) -> int:
    """Meet the children of a node under one input; the number of arcs."""
    shift, arcs = choice * len(tables.label), 0
    begin, middle, end = walk.begin[node], walk.middle[node], walk.begin[node + 1]
    count = 0
    for e in range(begin, end):
        side = 0 if e < middle else 1
        row = shift + walk.states[e]
        for arc in range(tables.start[row], tables.start[row + 1]):
            j = tables.target[arc]
            if not (seen[0, j] or seen[1, j]):
                touched[count] = j
                count += 1
            seen[side, j] = True
            sums[side, j] = _reduced(sums[side, j] + walk.residues[e] * tables.residue[arc])
            arcs += 1
    ordered = np.sort(touched[:count])  # states of one label stand together
    at = 0
    while at < count:
        stop = at
        label = tables.label[ordered[at]]
        while stop < count and tables.label[ordered[stop]] == label:
            stop += 1
        first = used = half = walk.count[USED]
        for side in range(2):
            half = used if side == 1 else half
            for k in range(at, stop):
                j = ordered[k]
                if seen[side, j]:
                    walk.states[used], walk.residues[used] = j, sums[side, j]
                    used += 1
                    sums[side, j] = 0
                    seen[side, j] = False
        _meet(walk, first, half, used, walk.depth[node] + 1)
        at = stop
    return arcs


def _walk_on(tables: Tables, walk: _Walk, most_nodes: int, most_entries: int) -> int:
    """Expand node after node, as long as there is room; why it ended."""
    n, labels = len(tables.label), len(tables.first) - 1
    inputs = tables.inputs.max()
    sums, seen = np.zeros((2, n), np.int64), np.zeros((2, n), np.bool_)
    touched = np.empty(n, np.int64)
    arcs = 0
    while walk.count[NEXT] < walk.count[MET]:
        node = walk.count[NEXT]
        if _closed(walk, node):
            walk.count[NEXT] = node + 1
            continue
        if walk.count[MET] > most_nodes or walk.count[EXPANDED_ENTRIES] > most_entries:
            return TOO_MANY
        if arcs > ARCS_A_CALL:
            return PAUSED
        met = walk.count[MET] + inputs * labels
        if met >= len(walk.middle) or 2 * met > len(walk.slots) or walk.count[USED] + 2 * n > len(walk.states):
            return FULL
        walk.count[EXPANDED_ENTRIES] += walk.begin[node + 1] - walk.begin[node]
        label = tables.label[walk.states[walk.begin[node]]]
        for choice in range(inputs):
            if choice < tables.inputs[label]:
                arcs += _expand(tables, walk, node, choice, sums, seen, touched)
        walk.count[NEXT] = node + 1
    return ENDED


def look_ahead(tables: Tables, s: int, t: int, max_nodes: int, max_entries: int, cancel: Cancel) -> Ahead:
    """Walk from the states s and t (by place in the tables), no further than `finite.explore` with these limits."""
    kernel = compiled(_walk_on, _closed, _expand, _meet, _inverse, _reduced)
    walk = _started(len(tables.label), s, t)
    why = PAUSED
    while why in (PAUSED, FULL) and not cancel.stopped():
        why = kernel(tables, walk, max_nodes, max_entries)
        if why == FULL:
            walk = _longer(walk)
    met, entries = int(walk.count[MET]), int(walk.count[EXPANDED_ENTRIES])
    return Ahead(why == ENDED, met, entries, int(walk.depth[met - 1]))


def _started(states: int, s: int, t: int) -> _Walk:
    room = 1024
    entries = 8 * room + 4 * states
    walk = _Walk(
        begin=np.zeros(room + 1, np.int64),
        middle=np.zeros(room, np.int64),
        depth=np.zeros(room, np.int64),
        states=np.zeros(entries, np.int64),
        residues=np.zeros(entries, np.int64),
        slots=np.full(4 * room, -1, np.int64),
        keys=np.zeros(4 * room, np.uint64),
        count=np.zeros(4, np.int64),
    )
    walk.states[:2], walk.residues[:2] = (s, t), 1
    compiled(_meet, _inverse, _reduced)(walk, 0, 1, 2, 0)
    return walk


def _longer(walk: _Walk) -> _Walk:
    """Twice the room for everything; the table is filled anew."""
    longer = {
        name: np.concatenate([array, np.zeros_like(array)])
        for name in ("begin", "middle", "depth", "states", "residues")
        for array in (getattr(walk, name),)
    }
    slots, keys = np.full(2 * len(walk.slots), -1, np.int64), np.zeros(2 * len(walk.slots), np.uint64)
    taken = walk.slots >= 0
    compiled(_refill)(slots, keys, walk.slots[taken], walk.keys[taken])
    return walk._replace(slots=slots, keys=keys, **longer)


def _refill(slots: Any, keys: Any, nodes: Any, of: Any) -> None:
    size = len(slots)
    for k in range(len(nodes)):
        slot: Any = np.int64(of[k] % np.uint64(size))
        while slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < size else 0
        slots[slot], keys[slot] = nodes[k], of[k]
