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

With boxes a step may also lose what goes outside the model, and more than it gains: an expanded node then keeps the
better of its own bounds and its children's (docs/theory/boxes.md).

No entry overflows: Σ|m| starts below 2^61, and one step adds less than one unit per arc. With boxes it may grow, and
what is too large is not expanded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...kernels import Rows, compact, expand_widest
from ...kernels.records import EXPANDED, NODES, Tables, Tree
from ...kernels.tree import FULL_ARENA, FULL_NODES, SETTLED

ARCS_PER_CALL = 4_000_000
"""The work of one call of the kernel, about: some 50 ms, after which the deadline and Ctrl-C are checked."""

FIRST_ROOM = 32
"""Nodes and entries that a tree of one leaf has room for: of a whole domain there are trees by the ten thousand."""
GROWTH_BITS = 12
"""With boxes the sum of a belief may grow, from step to step, by this factor of two before it is not expanded."""

Number = TypeVar("Number", np.int32, np.int64)


def bits_for(alpha: Fraction, tables: Tables) -> int:
    """The K of the unit 2^-K with (1 + α)·2^K < 2^61; with boxes, which let beliefs grow, with room for that."""
    room = tables.largest.bit_length() - 1 - GROWTH_BITS if tables.boxed else 61
    # A positive integer is below 2^(its length), so (1 + α)·2^K < 2^room.
    return room - math.ceil(1 + alpha).bit_length()


def root_tree(tables: Tables, entries: list[tuple[int, int]]) -> Tree:
    """The tree of one leaf: entries (state, integer), all of one label."""
    states = sorted(entries)
    pos, neg = sum(max(v, 0) for _, v in states), sum(max(-v, 0) for _, v in states)
    room = FIRST_ROOM
    tree = Tree(
        parent=np.full(room, -1, np.int32),
        label=np.zeros(room, np.int32),
        choice=np.zeros(room, np.int32),
        begin=np.zeros(room, np.int64),
        children=np.zeros(room, np.int32),
        below=np.zeros(room, np.int64),
        above=np.zeros(room, np.int64),
        own=np.zeros((room if tables.boxed else 0, 2), np.int64),
        widest=np.zeros(room, np.int64),
        favoured=np.zeros(room, np.int32),
        offset=np.full(room, -1, np.int64),
        spot=np.full(room, -1, np.int64),
        length=np.zeros(room, np.int32),
        values=np.zeros(room, np.int64),
        states=np.zeros(room, np.int32),
        order=np.zeros(room, np.int32),
        used=np.array([1, len(states), len(states), 0], np.int64),
    )
    tree.label[0] = tables.label[states[0][0]]
    tree.offset[0] = tree.spot[0] = 0
    tree.length[0] = len(states)
    tree.values[: len(states)] = [v for _, v in states]
    tree.states[: len(states)] = [i for i, _ in states]
    tree.below[0], tree.above[0] = max(pos - neg, 0), neg
    # Nothing is open where one sign is missing; a belief too large for a
    # step is never expanded, so it counts as closed.
    tree.widest[0] = min(pos, neg) if pos + neg <= tables.largest else 0
    tree.own[:1] = tree.below[0], neg
    return tree


def grow(tables: Tables, tree: Tree, budget: int, stopped: Callable[[], bool]) -> Tree:
    """Expand the widest leaf up to ``budget`` times, or until none is open, or ``stopped()``; the tree, maybe moved.

    A tree that never grew grows a little even then: the work of one call is soon done, and proves something.
    """
    rows = Rows(tables)
    goal = int(tree.used[EXPANDED]) + budget
    chunk = max(16, ARCS_PER_CALL * (len(tables.first) - 1) // max(len(tables.target), 1))
    while (left := goal - int(tree.used[EXPANDED])) > 0 and not (tree.used[EXPANDED] and stopped()):
        why = expand_widest(rows, tree, min(left, chunk))
        if why == SETTLED:
            break
        if why == FULL_NODES:
            tree = _more_nodes(tree)
        elif why == FULL_ARENA:
            tree = _more_entries(tree, tables)
    return tree


def _more_nodes(tree: Tree) -> Tree:
    """Twice the room for nodes."""
    by_node = [name for name in Tree._fields if name not in ("values", "states", "used")]
    return tree._replace(**{name: _longer(getattr(tree, name)) for name in by_node})


def _longer(array: NDArray[Number]) -> NDArray[Number]:
    """A copy with as much room behind; pages that are never written cost no memory."""
    copy = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    copy[: len(array)] = array
    return copy


def _more_entries(tree: Tree, tables: Tables) -> Tree:
    """Room for more entries: what expanded nodes left behind and, where that is too little, longer arenas."""
    nodes = int(tree.used[NODES])
    held = tree.length[:nodes] * (tree.offset[:nodes] >= 0)
    need = 2 * int(tables.inputs.max()) * len(tables.label)
    values = _arena(tree.values, int(held.sum()), need)
    states = _arena(tree.states, int((held * (tree.spot[:nodes] >= 0)).sum()), need)
    compact(tree, values, states)
    return tree._replace(values=values, states=states)


def _arena(array: NDArray[Number], held: int, need: int) -> NDArray[Number]:
    """The arena itself, if a quarter of it is free; else a longer one, not filled."""
    if 4 * (held + need) <= 3 * len(array):
        return array
    return np.empty(3 * len(array) // 2 + need, array.dtype)
