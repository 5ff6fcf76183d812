"""How many beliefs a pair of states leads to, modulo a prime: the inner loops of `beliefs.graph.lookahead`."""

import numpy as np

from . import cython

if not cython.compiled:
    from .hashing import FIRST_HASH, mix
    from .step import PRIME, Residues, Rows, reduce_residue, send_residue, sort_states
    from .types import Hashes, Ints, i64, u64

ENDED = cython.declare(i64, 0)
TOO_MANY = cython.declare(i64, 1)
FULL = cython.declare(i64, 2)
PAUSED = cython.declare(i64, 3)
"""Why `walk_on` returns: all nodes are expanded; there are more than allowed; there is no room; arcs enough."""
FIRST_ROOM = 1024


@cython.cclass
class Walk:
    """Nodes by number: the entries of a node are x (begin … middle) and y (middle … begin of the next one)."""

    begin: Ints
    middle: Ints
    depth: Ints
    states: Ints
    residues: Ints
    slots: Ints
    """A hash table: the node of a key, or −1."""
    keys: Hashes
    met: i64
    """Nodes met so far."""
    expanded: i64
    """Nodes looked at."""
    used: i64
    """Entries of all nodes."""
    spent: i64
    """Entries of the nodes that were expanded."""

    def __init__(self, states: int, s: int, t: int) -> None:
        self.begin, self.middle = np.zeros(FIRST_ROOM + 1, np.int64), np.zeros(FIRST_ROOM, np.int64)
        self.depth = np.zeros(FIRST_ROOM, np.int64)
        self.states = np.zeros(8 * FIRST_ROOM + 4 * states, np.int64)
        self.residues = np.zeros(8 * FIRST_ROOM + 4 * states, np.int64)
        self.slots, self.keys = np.full(4 * FIRST_ROOM, -1, np.int64), np.zeros(4 * FIRST_ROOM, np.uint64)
        self.met = self.expanded = self.used = self.spent = 0
        self.states[0], self.states[1] = s, t
        self.residues[0] = self.residues[1] = 1
        meet(self, 0, 1, 2, 0)

    def enlarge(self) -> None:
        """Twice the room for everything; the hash table is filled anew."""
        self.begin, self.middle, self.depth = with_room(self.begin), with_room(self.middle), with_room(self.depth)
        self.states, self.residues = with_room(self.states), with_room(self.residues)
        slots, keys = self.slots, self.keys
        self.slots, self.keys = np.full(2 * len(slots), -1, np.int64), np.zeros(2 * len(slots), np.uint64)
        for k in range(len(slots)):
            if slots[k] >= 0:
                slot = find_slot(self, keys[k])
                self.slots[slot], self.keys[slot] = slots[k], keys[k]

    def count(self) -> tuple[int, int, int]:
        """Nodes met, entries of the nodes expanded, and the depth of the last node."""
        return self.met, self.spent, self.depth[self.met - 1]


def with_room(array: Ints) -> Ints:
    """A copy with as many zeros behind."""
    return np.concatenate([array, np.zeros(len(array), np.int64)])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_slot(walk: Walk, key: u64) -> i64:
    """The slot of a key, or the empty one where it belongs."""
    size: i64 = len(walk.slots)
    slot = cython.cast(i64, key % cython.cast(u64, size))
    while walk.slots[slot] >= 0 and walk.keys[slot] != key:
        slot = slot + 1 if slot + 1 < size else 0
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def inverse_of(value: i64) -> i64:
    """1/value modulo the prime, by Fermat."""
    result: i64 = 1
    power: i64 = PRIME - 2
    square: i64 = value
    while power:
        if power & 1:
            result = reduce_residue(result * square)
        square = reduce_residue(square * square)
        power >>= 1
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_closed(walk: Walk, node: i64) -> i64:
    """Whether there is nothing on one side, or y is proportional to x."""
    begin, middle, end = walk.begin[node], walk.middle[node], walk.begin[node + 1]
    size = middle - begin
    if size == 0 or middle == end:
        return 1
    if size != end - middle:
        return 0
    for e in range(size):
        if walk.states[begin + e] != walk.states[middle + e]:
            return 0
        # x_e·y_0 = y_e·x_0 for every e: no division.
        left = reduce_residue(walk.residues[begin + e] * walk.residues[middle])
        if left != reduce_residue(walk.residues[middle + e] * walk.residues[begin]):
            return 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def meet(walk: Walk, begin: i64, middle: i64, end: i64, depth: i64) -> i64:
    """Bring the belief at the end of the arena to scale: it is a new node, or one that was met before."""
    # Divided by its first entry that is not 0, a belief has one form for all its multiples.
    factor: i64 = 0
    for e in range(begin, end):
        if walk.residues[e]:
            factor = inverse_of(walk.residues[e])
            break
    # Where x ends is part of the key: the same entries divided otherwise are another belief.
    key: u64 = FIRST_HASH ^ cython.cast(u64, middle - begin)
    for e in range(begin, end):
        walk.residues[e] = reduce_residue(walk.residues[e] * factor)
        key = mix(key, cython.cast(u64, (walk.states[e] << 31) | walk.residues[e]))
    slot = find_slot(walk, key)
    # A key that was met counts as the same belief. ``used`` stays, so that the next belief overwrites this one.
    if walk.slots[slot] >= 0:
        return 0
    node = walk.met
    walk.slots[slot], walk.keys[slot] = node, key
    walk.middle[node], walk.begin[node + 1], walk.depth[node] = middle, end, depth
    walk.met = node + 1
    walk.used = end
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def expand_node(rows: Rows, walk: Walk, node: i64, choice: i64, sums: Residues) -> i64:
    """Meet the children of a node under one input; the number of arcs."""
    arcs: i64 = 0
    sums.count = 0
    for e in range(walk.begin[node], walk.begin[node + 1]):
        side: i64 = 0 if e < walk.middle[node] else 1
        arcs += send_residue(rows, choice * rows.states + walk.states[e], walk.residues[e], side, sums)
    sort_states(sums.reached, sums.count)  # then states of one label stand together
    at: i64 = 0
    while at < sums.count:
        stop: i64 = at
        label = rows.label[sums.reached[at]]
        while stop < sums.count and rows.label[sums.reached[stop]] == label:
            stop += 1
        used: i64 = walk.used
        middle: i64 = used
        for side in range(2):
            if side == 1:
                middle = used
            for k in range(at, stop):
                state = sums.reached[k]
                # By what was reached, not by the residue, which may be 0 by accident.
                if sums.seen[side, state]:
                    walk.states[used], walk.residues[used] = state, sums.value[side, state]
                    used += 1
                    sums.value[side, state] = 0
                    sums.seen[side, state] = 0
        meet(walk, walk.used, middle, used, walk.depth[node] + 1)
        at = stop
    return arcs


def walk_on(rows: Rows, walk: Walk, most_nodes: i64, most_entries: i64, most_arcs: i64) -> i64:
    """Expand node after node, as long as there is room; why it ended."""
    sums = Residues(rows.states)
    arcs: i64 = 0
    why: i64 = ENDED
    with cython.nogil:
        while walk.expanded < walk.met:
            # Numbers are given as nodes are met, so that this is breadth first, and the last node is a deepest one.
            node = walk.expanded
            if is_closed(walk, node):
                walk.expanded += 1
                continue
            if walk.met > most_nodes or walk.spent > most_entries:
                why = TOO_MANY
                break
            if arcs > most_arcs:
                why = PAUSED
                break
            # Each input leads to a belief per label at most, and to two entries per state.
            # The hash table stays half empty at least, so that looking for a slot ends soon.
            met = walk.met + rows.layers * rows.labels
            used = walk.used + 2 * rows.layers * rows.states
            if met >= len(walk.middle) or 2 * met > len(walk.slots) or used > len(walk.states):
                why = FULL
                break
            walk.spent += walk.begin[node + 1] - walk.begin[node]
            for choice in range(rows.inputs[rows.label[walk.states[walk.begin[node]]]]):
                arcs += expand_node(rows, walk, node, choice, sums)
            walk.expanded += 1
    return why
