"""Trees of signed beliefs in machine integers: the inner loops of `beliefs.tree`, which says what is computed."""

import numpy as np

from . import cython

if not cython.compiled:
    from .records import Tree
    from .step import Rows, Sums, send
    from .types import ConstInts, Ints, Ints2, Ints32, flag, i64

SPENT = cython.declare(i64, 0)
SETTLED = cython.declare(i64, 1)
FULL_NODES = cython.declare(i64, 2)
FULL_ARENA = cython.declare(i64, 3)
"""Why `expand_widest` returns: the budget is spent; no leaf is open; more room is needed for nodes, or for entries."""


@cython.cclass
class Nodes:
    """`Tree`, as kernels see it; its counters are written back by `finish`."""

    parent: Ints32
    label: Ints32
    choice: Ints32
    begin: Ints
    children: Ints32
    below: Ints
    above: Ints
    own: Ints2
    widest: Ints
    favoured: Ints32
    offset: Ints
    spot: Ints
    length: Ints32
    values: Ints
    states: Ints32
    order: Ints32
    used: Ints
    nodes: i64
    entries: i64
    places: i64
    expanded: i64

    def __init__(self, tree: Tree) -> None:
        self.parent, self.label, self.choice, self.begin = tree.parent, tree.label, tree.choice, tree.begin
        self.children, self.below, self.above, self.widest = tree.children, tree.below, tree.above, tree.widest
        self.own = tree.own
        self.favoured, self.offset, self.spot, self.length = tree.favoured, tree.offset, tree.spot, tree.length
        self.values, self.states, self.order, self.used = tree.values, tree.states, tree.order, tree.used
        self.nodes, self.entries, self.places, self.expanded = tree.used

    def finish(self) -> None:
        """Write the counters back."""
        self.used[0], self.used[1] = self.nodes, self.entries
        self.used[2], self.used[3] = self.places, self.expanded


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def state_of(tree: Nodes, base: i64, spot: i64, e: i64) -> i64:
    """The state of entry e of a leaf: the e-th of its label, whose first is ``base``, or listed from ``spot`` on."""
    state: i64 = base + e if spot < 0 else tree.states[spot + e]
    return state


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def step_leaf(rows: Rows, tree: Nodes, node: i64, choice: i64, sums: Sums, listed: flag) -> i64:
    """One step of a leaf under an input; the states reached are marked and, if ``listed``, listed."""
    begin, spot, base = tree.offset[node], tree.spot[node], rows.first[tree.label[node]]
    shift = choice * rows.states
    sums.count = 0
    for e in range(tree.length[node]):
        value = tree.values[begin + e]
        if value != 0:
            row = shift + state_of(tree, base, spot, e)
            if listed:  # two copies of the loop, each without the question
                send(rows, row, value, sums, True)
            else:
                send(rows, row, value, sums, False)
    return sums.count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_dense(rows: Rows, label: i64, reached: i64) -> flag:
    """Whether a belief on so many states of a label takes less room with an entry for each of the label's states."""
    # An entry takes 8 bytes, and 4 more if its state is listed with it.
    dense: flag = 3 * reached > 2 * (rows.first[label + 1] - rows.first[label])
    return dense


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_child(
    rows: Rows, tree: Nodes, parent: i64, choice: i64, label: i64, by_label: Ints32, start: i64, end: i64, sums: Sums
) -> i64:
    """Move the sums of one label, reached at the states by_label[start:end], into a new leaf behind the last one.

    No leaf is made if all of them are 0. Afterwards they are.
    """
    node, entries, places = tree.nodes, tree.entries, tree.places
    low, high = rows.first[label], rows.first[label + 1]
    dense: flag = is_dense(rows, label, end - start)
    pos: i64 = 0
    neg: i64 = 0
    length: i64 = 0
    if dense:
        length = high - low
        for k in range(length):
            value = sums.value[low + k]
            sums.value[low + k] = 0
            sums.seen[low + k] = 0
            tree.values[entries + k] = value
            pos += value if value > 0 else 0
            neg -= value if value < 0 else 0
    else:
        for k in range(start, end):
            state = by_label[k]
            value = sums.value[state]
            sums.value[state] = 0
            sums.seen[state] = 0
            # Written always, kept only if it is not 0: the next one then overwrites it.
            tree.values[entries + length] = value
            tree.states[places + length] = state
            length += 1 if value != 0 else 0
            pos += value if value > 0 else 0
            neg -= value if value < 0 else 0
    if pos == 0 and neg == 0:
        return 0
    # A belief that is too large for a step is closed as it is.
    gap = (pos if pos < neg else neg) if pos + neg <= rows.largest else 0
    tree.parent[node], tree.choice[node], tree.label[node] = parent, choice, label
    tree.begin[node], tree.children[node] = 0, 0
    tree.below[node] = pos - neg if pos > neg else 0
    tree.above[node] = neg
    if rows.boxed:
        tree.own[node, 0], tree.own[node, 1] = tree.below[node], neg
    tree.widest[node] = gap
    tree.length[node] = length
    tree.offset[node] = entries if gap > 0 else -1  # the belief of a closed leaf is never needed again
    tree.spot[node] = -1 if dense else places
    if gap > 0:
        tree.entries = entries + length
        tree.places = places + (0 if dense else length)
    tree.nodes = node + 1
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_loss(tree: Nodes, parent: i64, choice: i64, sums: Sums) -> i64:
    """What a step may have lost outside the model, as a child without a belief."""
    if sums.lost == 0:
        return 0
    node = tree.nodes
    tree.parent[node], tree.choice[node], tree.label[node] = parent, choice, -1
    tree.begin[node], tree.children[node] = 0, 0
    # V(m) ≥ Σ V(m_b) − lost and V(−m) ≤ Σ V(−m_b) + lost (docs/theory/boxes.md, one step).
    tree.below[node], tree.above[node], tree.widest[node] = -sums.lost, sums.lost, 0
    tree.own[node, 0], tree.own[node, 1] = -sums.lost, sums.lost
    tree.length[node], tree.offset[node], tree.spot[node] = 0, -1, -1
    tree.nodes = node + 1
    sums.lost = 0
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_idle(rows: Rows, tree: Nodes, node: i64, choice: i64) -> flag:
    """Whether every state of the leaf's belief stays where it is under the input."""
    begin, spot, base = tree.offset[node], tree.spot[node], rows.first[tree.label[node]]
    shift = choice * rows.states
    for e in range(tree.length[node]):
        if tree.values[begin + e] != 0:
            state = state_of(tree, base, spot, e)
            arc = rows.start[shift + state]
            if rows.start[shift + state + 1] != arc + 1 or rows.target[arc] != state or rows.rest[shift + state]:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_crowded(rows: Rows, tree: Nodes, node: i64, choice: i64) -> flag:
    """Whether the leaf has an entry for every state of its label, and arcs enough to reach nearly all states."""
    row = choice * rows.states + rows.first[tree.label[node]]
    arcs = rows.start[row + tree.length[node]] - rows.start[row]
    crowded: flag = tree.spot[node] < 0 and arcs > 2 * rows.states
    return crowded


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def all_dense(rows: Rows, sums: Sums) -> flag:
    """Whether each label with a state that is marked is to be dense."""
    for label in range(rows.labels):
        low, high = rows.first[label], rows.first[label + 1]
        count: i64 = 0
        for state in range(low, high):
            count += sums.seen[state]
        if count > 0 and not is_dense(rows, label, count):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def list_reached(rows: Rows, tree: Nodes, node: i64, choice: i64, sums: Sums) -> i64:
    """List the states that the step of a crowded leaf has marked, in the order in which it reached them."""
    row = choice * rows.states + rows.first[tree.label[node]]
    begin = tree.offset[node]
    for e in range(tree.length[node]):
        if tree.values[begin + e] != 0:
            for arc in range(rows.start[row + e], rows.start[row + e + 1]):
                target = rows.target[arc]
                if sums.seen[target]:
                    sums.seen[target] = 0
                    sums.reached[sums.count] = target
                    sums.count += 1
    return sums.count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_by_label(rows: Rows, sums: Sums, by_label: Ints32, ends: Ints) -> i64:
    """Write the states reached into ``by_label``, those of label b up to ends[b], each in the order as reached."""
    for b in range(rows.labels + 1):
        ends[b] = 0
    for k in range(sums.count):
        ends[rows.label[sums.reached[k]] + 1] += 1
    for b in range(rows.labels):
        ends[b + 1] += ends[b]
    for k in range(sums.count):
        b = rows.label[sums.reached[k]]
        by_label[ends[b]] = sums.reached[k]
        ends[b] += 1
    return sums.count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def expand_leaf(rows: Rows, tree: Nodes, node: i64, sums: Sums, by_label: Ints32, ends: Ints) -> i64:
    """Give a leaf its children, for every input that its label offers and that does something; for one if none does."""
    # Children of all inputs are appended one after the other, so that a first number and a count are enough.
    tree.begin[node] = tree.nodes
    inputs = rows.inputs[tree.label[node]]
    for choice in range(inputs):
        # To ask such a question is to wait, which gains nothing. But there must be a step: a node without children
        # counts as 0, and what it holds would be lost. So the last one is taken if none before it led anywhere.
        waits: flag = choice < inputs - 1 or tree.nodes > tree.begin[node]
        if inputs > 1 and waits and is_idle(rows, tree, node, choice):
            continue
        # A crowded leaf is not asked which states it reaches, arc by arc, unless some label comes out sparse after all.
        crowded: flag = is_crowded(rows, tree, node, choice)
        step_leaf(rows, tree, node, choice, sums, not crowded)
        add_loss(tree, node, choice, sums)
        if crowded and all_dense(rows, sums):
            for label in range(rows.labels):
                # A label that was not reached has sums of 0, and gets no leaf.
                add_child(rows, tree, node, choice, label, by_label, 0, rows.first[label + 1] - rows.first[label], sums)
            continue
        if crowded:
            list_reached(rows, tree, node, choice, sums)
        sort_by_label(rows, sums, by_label, ends)
        begin: i64 = 0
        for label in range(rows.labels):
            add_child(rows, tree, node, choice, label, by_label, begin, ends[label], sums)
            begin = ends[label]
    tree.children[node] = tree.nodes - tree.begin[node]
    tree.offset[node] = -1
    tree.order[tree.expanded] = node
    tree.expanded += 1
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def combine(tree: Nodes, node: i64) -> i64:
    """The bounds of an expanded node from its children: sums over labels, the largest over inputs."""
    child = tree.begin[node]
    end = child + tree.children[node]
    below: i64 = 0
    above: i64 = 0
    widest: i64 = 0
    favoured: i64 = 0
    while child < end:
        choice = tree.choice[child]
        low: i64 = 0
        high: i64 = 0
        wide: i64 = 0
        while child < end and tree.choice[child] == choice:
            low += tree.below[child]
            high += tree.above[child]
            wide = max(wide, tree.widest[child])
            child += 1
        below = max(below, low)
        # The bound above rests on the largest sum. Of equal ones the widest: behind one that is settled, an open one
        # would never be found.
        if high > above or (high == above and wide > widest):
            above, widest, favoured = high, wide, choice
    if len(tree.own) > 0:
        # With boxes a step may lose more than it gains.
        below, above = max(below, tree.own[node, 0]), min(above, tree.own[node, 1])
    tree.below[node], tree.above[node], tree.widest[node] = below, above, widest
    tree.favoured[node] = favoured
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def widest_leaf(tree: Nodes) -> i64:
    """The leaf of the largest gap among those that the root's bounds rest on."""
    node: i64 = 0
    while tree.begin[node]:
        child = tree.begin[node]
        # `combine` took the node's widest gap from one of these children, so the loop ends.
        while tree.widest[child] != tree.widest[node] or tree.choice[child] != tree.favoured[node]:
            child += 1
        node = child
    return node


def expand_widest(rows: Rows, grown: Tree, budget: i64) -> i64:
    """Expand the widest leaf, ``budget`` times or until none is open; why it ended."""
    tree = Nodes(grown)
    sums = Sums(rows.states)
    by_label: Ints32 = np.empty(rows.states, np.int32)
    ends: Ints = np.empty(rows.labels + 1, np.int64)
    why: i64 = SPENT
    with cython.nogil:
        for _ in range(budget):
            if tree.widest[0] == 0:
                why = SETTLED
                break
            # For each input, a child for every label, and one for what is lost.
            if tree.nodes + rows.layers * (rows.labels + 1) > len(tree.parent) or tree.expanded >= len(tree.order):
                why = FULL_NODES
                break
            more = rows.layers * rows.states
            if tree.entries + more > len(tree.values) or tree.places + more > len(tree.states):
                why = FULL_ARENA
                break
            node = widest_leaf(tree)
            expand_leaf(rows, tree, node, sums, by_label, ends)
            while node >= 0:
                combine(tree, node)
                node = tree.parent[node]
    tree.finish()
    return why


def back_up(grown: Tree) -> None:
    """All bounds anew from the leaves."""
    tree = Nodes(grown)
    with cython.nogil:
        # Children have higher numbers than their parents.
        for node in range(tree.nodes - 1, -1, -1):
            if tree.begin[node]:
                combine(tree, node)


def surplus_of(grown: Tree, leaves: ConstInts) -> i64:
    """Σ (m·1)^+ over leaves that hold their beliefs."""
    tree = Nodes(grown)
    total: i64 = 0
    with cython.nogil:
        for k in range(len(leaves)):
            begin = tree.offset[leaves[k]]
            surplus: i64 = 0
            for e in range(begin, begin + tree.length[leaves[k]]):
                surplus += tree.values[e]
            total += max(surplus, 0)
    return total


def compact(grown: Tree, values: Ints, states: Ints32) -> None:
    """Move the entries of the leaves together, to the front of two arenas, the tree's own or longer ones.

    Nodes lie in the arena by number, so that what is moved forward overwrites expanded nodes alone.
    """
    tree = Nodes(grown)
    entries: i64 = 0
    places: i64 = 0
    with cython.nogil:
        for node in range(tree.nodes):
            begin, spot = tree.offset[node], tree.spot[node]
            if begin < 0:
                continue
            for e in range(tree.length[node]):
                values[entries + e] = tree.values[begin + e]
            tree.offset[node] = entries
            entries += tree.length[node]
            if spot >= 0:
                for e in range(tree.length[node]):
                    states[places + e] = tree.states[spot + e]
                tree.spot[node] = places
                places += tree.length[node]
        tree.entries, tree.places = entries, places
    tree.finish()
