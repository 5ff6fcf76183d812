"""Trees of signed beliefs in machine integers: certified bounds on V, the widest leaf expanded first.

V(w) is the most that an event gains on the signed belief w = x − αy (docs/theory/signed-beliefs.md). Each node carries
integers m ≤ w, rounded down after every step, and two bounds in the same unit:

- ``below`` ≤ V(m) ≤ V(w), because V is monotone;
- ``above`` ≥ V(−m) ≥ V(−w), for the same reason; and V(w) = w·1 + V(−w), the complement of the event.

So one vector, rounded one way, serves both sides. A leaf has below = (m·1)^+ and above = |m^-|: its gap is the smaller
of |m^+| and |m^-|. An expanded node has the sums over the labels of its children, and with several inputs the largest
sum. The search goes where the sum above is largest: no other input can lower the bound before that one does. An input
under which the whole belief stays where it is gains nothing, and is left out. Bounds of a node hold whenever the
search stops.

No entry overflows: Σ|m| starts below 2^61, and one step adds less than one unit an arc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jit import compiled
from .tables import Tables

SPENT, SETTLED, FULL_NODES, FULL_ARENA = 0, 1, 2, 3
"""Why `grow` returns: the budget is spent; the gap is reached or no leaf is open; more room is needed for nodes, or for
their entries."""

ARCS_A_CALL = 4_000_000
"""The work of one call of the kernel, about: some 50 ms, after which time and Ctrl-C are looked at."""

FREE = -1
NODES, ENTRIES, PLACES, EXPANDED = 0, 1, 2, 3
"""What `Tree.used` counts: nodes, values, state numbers of sparse beliefs, expansions."""


BY_NODE = (
    "parent",
    "label",
    "choice",
    "begin",
    "count",
    "below",
    "above",
    "widest",
    "favoured",
    "offset",
    "spot",
    "length",
    "order",
)


class Tree(NamedTuple):
    """The nodes by number; children of a node are neighbours and come after it. Node 0 is the root."""

    parent: Any
    label: Any
    choice: Any
    """The input that leads from the parent to the node."""
    begin: Any
    """The first child; 0 for a leaf."""
    count: Any
    below: Any
    above: Any
    widest: Any
    """The largest gap of a leaf that the node's bounds rest on."""
    favoured: Any
    """The input with the largest sum above, of an expanded node."""
    offset: Any
    """Where the entries of a leaf start in ``values``; −1 once the node is expanded."""
    spot: Any
    """Where its states start in ``states``; −1 if it has an entry for every state of its label."""
    length: Any
    values: Any
    states: Any
    order: Any
    """The expanded nodes, in the order of their expansion."""
    used: Any


def bits_for(alpha_numerator: int, alpha_denominator: int) -> int:
    """The K of the unit 2^-K with (1 + α)·2^K < 2^61."""
    whole = -(-(alpha_numerator + alpha_denominator) // alpha_denominator)
    return 61 - whole.bit_length()


def planted(tables: Tables, entries: list[tuple[int, int]]) -> Tree:
    """The tree of one leaf: entries (state, integer), all of one label."""
    states = sorted(entries)
    pos, neg = sum(max(v, 0) for _, v in states), sum(max(-v, 0) for _, v in states)
    room = 1024
    tree = Tree(
        parent=np.full(room, FREE, np.int32),
        label=np.zeros(room, np.int32),
        choice=np.zeros(room, np.int32),
        begin=np.zeros(room, np.int64),
        count=np.zeros(room, np.int32),
        below=np.zeros(room, np.int64),
        above=np.zeros(room, np.int64),
        widest=np.zeros(room, np.int64),
        favoured=np.zeros(room, np.int32),
        offset=np.full(room, FREE, np.int64),
        spot=np.full(room, FREE, np.int64),
        length=np.zeros(room, np.int32),
        values=np.zeros(max(room, 4 * len(tables.label)), np.int64),
        states=np.zeros(max(room, 4 * len(tables.label)), np.int32),
        order=np.zeros(room, np.int32),
        used=np.array([1, len(states), len(states), 0], np.int64),
    )
    tree.label[0] = tables.label[states[0][0]]
    tree.offset[0] = tree.spot[0] = 0
    tree.length[0] = len(states)
    tree.values[: len(states)] = [v for _, v in states]
    tree.states[: len(states)] = [i for i, _ in states]
    tree.below[0], tree.above[0], tree.widest[0] = max(pos - neg, 0), neg, min(pos, neg)
    return tree


def _step(tables: Tables, tree: Tree, node: int, choice: int, sums: Any, seen: Any, touched: Any) -> int:
    """Add one step of a leaf under an input to ``sums``; ``touched`` lists the states reached; their number."""
    begin, spot = tree.offset[node], tree.spot[node]
    base = tables.first[tree.label[node]]
    shift = choice * len(tables.label)
    count = 0
    for e in range(tree.length[node]):
        value = tree.values[begin + e]
        if value == 0:
            continue
        row = shift + (base + e if spot < 0 else tree.states[spot + e])
        bottom = tables.denominator[row]
        inverse = 1.0 / bottom
        whole = value // bottom
        rest = value - whole * bottom
        numerators = tables.low if value > 0 else tables.high
        for arc in range(tables.start[row], tables.start[row + 1]):
            j = tables.target[arc]
            if not seen[j]:
                seen[j] = True
                touched[count] = j
                count += 1
            # ⌊rest·p/bottom⌋: the quotient is below 2^31, so the float is off by one at most.
            product = rest * numerators[arc]
            part = np.int64(product * inverse)
            left = product - part * bottom
            if left < 0:
                part -= 1
            elif left >= bottom:
                part += 1
            sums[j] += whole * numerators[arc] + part
    return count


def _child(tables: Tables, tree: Tree, label: int, reached: Any, sums: Any) -> bool:
    """Write the belief of one label as a new leaf behind the last one; False if it is zero."""
    node, entries, places = tree.used[NODES], tree.used[ENTRIES], tree.used[PLACES]
    low, high = tables.first[label], tables.first[label + 1]
    dense = 3 * len(reached) > 2 * (high - low)
    pos = neg = length = 0
    for k in range(high - low if dense else len(reached)):
        j = low + k if dense else reached[k]
        value = sums[j]
        if value > 0:
            pos += value
        else:
            neg -= value
        if dense:
            tree.values[entries + k] = value
            length += 1
        elif value != 0:
            tree.values[entries + length] = value
            tree.states[places + length] = j
            length += 1
    if pos == 0 and neg == 0:
        return False
    tree.label[node] = label
    tree.begin[node] = 0
    tree.count[node] = 0
    tree.below[node], tree.above[node] = max(pos - neg, 0), neg
    tree.widest[node] = min(pos, neg)
    tree.length[node] = length
    tree.offset[node] = entries
    tree.spot[node] = FREE if dense else places
    if tree.widest[node] > 0:
        tree.used[ENTRIES] = entries + length
        tree.used[PLACES] = places + (0 if dense else length)
    else:
        tree.offset[node] = FREE  # closed: its belief is never needed again
    tree.used[NODES] = node + 1
    return True


def _idle(tables: Tables, tree: Tree, node: int, choice: int) -> bool:
    """Whether every state of the leaf's belief stays where it is under the input."""
    begin, spot = tree.offset[node], tree.spot[node]
    base = tables.first[tree.label[node]]
    shift = choice * len(tables.label)
    for e in range(tree.length[node]):
        if tree.values[begin + e] != 0:
            state = base + e if spot < 0 else tree.states[spot + e]
            arc = tables.start[shift + state]
            if tables.start[shift + state + 1] != arc + 1 or tables.target[arc] != state:
                return False
    return True


def _expand(tables: Tables, tree: Tree, node: int, sums: Any, seen: Any, touched: Any, sorted_: Any, ends: Any) -> None:
    """Give a leaf its children, for every input that its label offers and that does something."""
    tree.begin[node] = tree.used[NODES]
    inputs = 0
    for choice in range(tables.offered.shape[1]):
        inputs += tables.offered[tree.label[node], choice]
    for choice in range(inputs):
        if inputs > 1 and _idle(tables, tree, node, choice):
            continue
        count = _step(tables, tree, node, choice, sums, seen, touched)
        labels = len(tables.first) - 1
        for b in range(labels + 1):
            ends[b] = 0
        for k in range(count):
            ends[tables.label[touched[k]] + 1] += 1
        for b in range(labels):
            ends[b + 1] += ends[b]
        for k in range(count):
            b = tables.label[touched[k]]
            sorted_[ends[b]] = touched[k]
            ends[b] += 1
        begin = 0
        for b in range(labels):
            if ends[b] > begin:
                child = tree.used[NODES]
                if _child(tables, tree, b, sorted_[begin : ends[b]], sums):
                    tree.parent[child] = node
                    tree.choice[child] = choice
                begin = ends[b]
        for k in range(count):
            sums[touched[k]] = 0
            seen[touched[k]] = False
    tree.count[node] = tree.used[NODES] - tree.begin[node]
    tree.offset[node] = FREE
    tree.order[tree.used[EXPANDED]] = node
    tree.used[EXPANDED] += 1


def _combine(tree: Tree, node: int) -> None:
    """The bounds of an expanded node from its children: sums over labels, the largest over inputs."""
    child, end = tree.begin[node], tree.begin[node] + tree.count[node]
    below = above = widest = favoured = 0
    while child < end:
        choice = tree.choice[child]
        low = high = wide = 0
        while child < end and tree.choice[child] == choice:
            low += tree.below[child]
            high += tree.above[child]
            wide = max(wide, tree.widest[child])
            child += 1
        below = max(below, low)
        if high > above or (high == above and wide > widest):
            above, widest, favoured = high, wide, choice
    tree.below[node], tree.above[node], tree.widest[node] = below, above, widest
    tree.favoured[node] = favoured


def _widest_leaf(tree: Tree) -> int:
    """The leaf of the largest gap among those that the root's bounds rest on."""
    node = 0
    while tree.begin[node]:
        for child in range(tree.begin[node], tree.begin[node] + tree.count[node]):
            if tree.widest[child] == tree.widest[node] and tree.choice[child] == tree.favoured[node]:
                break
        node = child
    return node


def _grow(tables: Tables, tree: Tree, budget: int) -> int:
    """Expand the widest leaf, ``budget`` times or until no leaf is open; why it ended."""
    n, labels = len(tables.label), len(tables.first) - 1
    sums, seen = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    touched, sorted_, ends = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(labels + 1, np.int64)
    inputs = tables.offered.shape[1]
    for _ in range(budget):
        if tree.widest[0] == 0:
            return SETTLED
        if tree.used[NODES] + inputs * labels > len(tree.parent) or tree.used[EXPANDED] >= len(tree.order):
            return FULL_NODES
        if tree.used[ENTRIES] + inputs * n > len(tree.values) or tree.used[PLACES] + inputs * n > len(tree.states):
            return FULL_ARENA
        node = _widest_leaf(tree)
        _expand(tables, tree, node, sums, seen, touched, sorted_, ends)
        while node >= 0:
            _combine(tree, node)
            node = tree.parent[node]
    return SPENT


def _back_up(tree: Tree) -> None:
    for node in range(tree.used[NODES] - 1, -1, -1):
        if tree.begin[node]:
            _combine(tree, node)


def _compact(tree: Tree) -> None:
    """Move the entries of the leaves together, over those of expanded nodes; nodes lie in the arena by number."""
    entries = places = 0
    for node in range(tree.used[NODES]):
        begin, spot = tree.offset[node], tree.spot[node]
        if begin < 0:
            continue
        for e in range(tree.length[node]):
            tree.values[entries + e] = tree.values[begin + e]
        tree.offset[node] = entries
        entries += tree.length[node]
        if spot >= 0:
            for e in range(tree.length[node]):
                tree.states[places + e] = tree.states[spot + e]
            tree.spot[node] = places
            places += tree.length[node]
    tree.used[ENTRIES], tree.used[PLACES] = entries, places


def back_up(tree: Tree) -> None:
    """All bounds anew from the leaves."""
    compiled(_back_up, _combine)(tree)


def grow(tables: Tables, tree: Tree, budget: int, stopped: Callable[[], bool]) -> Tree:
    """Expand the widest leaf up to ``budget`` times, or until none is open, or ``stopped()``; the tree, maybe moved.

    A tree that never grew grows a little even then: the work of one call is soon done, and proves something.
    """
    kernel = compiled(_grow, _step, _child, _idle, _expand, _combine, _widest_leaf)
    goal = int(tree.used[EXPANDED]) + budget
    chunk = max(16, ARCS_A_CALL * (len(tables.first) - 1) // len(tables.target))
    while (left := goal - int(tree.used[EXPANDED])) > 0 and not (tree.used[EXPANDED] and stopped()):
        why = kernel(tables, tree, min(left, chunk))
        if why == SETTLED:
            break
        if why == FULL_NODES:
            tree = _more_nodes(tree)
        elif why == FULL_ARENA:
            tree = _more_entries(tree, tables)
    return tree


def _more_nodes(tree: Tree) -> Tree:
    return tree._replace(**{name: _longer(getattr(tree, name), 2) for name in BY_NODE})


def _more_entries(tree: Tree, tables: Tables) -> Tree:
    """Room for more entries: first what expanded nodes left behind, then a longer arena."""
    compiled(_compact)(tree)
    need = 2 * tables.offered.shape[1] * len(tables.label)
    longer = {}
    for name, counter in (("values", ENTRIES), ("states", PLACES)):
        arena = getattr(tree, name)
        if 4 * (int(tree.used[counter]) + need) > 3 * len(arena):
            longer[name] = _longer(arena, 1.5, need)
    return tree._replace(**longer)


def _longer(array: Any, factor: float, more: int = 0) -> Any:
    """A copy with room behind; pages that are never written cost no memory."""
    copy = np.empty(int(len(array) * factor) + more, array.dtype)
    copy[: len(array)] = array
    return copy
