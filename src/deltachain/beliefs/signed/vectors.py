"""Event vectors: lower bounds for every belief from events found at a few (docs/theory/signed-beliefs.md).

V(w) is the largest w·f over the vectors f_i = ν_i(E) of events E, so the event of one belief bounds all others from
below. The vectors 0 (never) and 1 (at once) are always there; one step makes a new one, f_i = Σ_b Σ_{j in b} p_ij
f^b_j: see the next label b, then follow the event whose vector is f^b. `find_vectors` takes the first expansions of a
tree and gives each of their leaves the best vector known, again and again: each round looks as far ahead as the one
before and a whole tree more.

Floats choose; a vector counts as integers in units of 2^-BITS, rounded down at each step, so that it is below the
truth by at most ``height`` units, one a step and what rounded rows lose: w·f ≥ w·f_low − height·|w^-|.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from ...kernels import (
    FloatRows,
    FloatSums,
    Rows,
    back_up,
    gather_leaves,
    pull_exactly,
    pull_vector,
    push_belief,
    raise_below,
)
from ...kernels.records import EXPANDED, NODES, Choice, Tables, Tree
from ...kernels.types import Ints, Ints32, Reals
from ...kernels.vectors import VECTOR_BITS as BITS

NEVER, AT_ONCE = 0, 1
ROUNDS = 2
PREFIX = 400
"""Expansions of each tree whose events become vectors."""
POOL = 160
"""Vectors of each label that a leaf may choose from."""
LARGEST_PREFIX = 30_000_000
"""Entries of all beliefs of a prefix, at most."""
CHUNK = 2048
"""Leaves that are compared with all vectors at once."""


@dataclass
class EventVectors:
    """Vectors by number: 0 and 1 are constant; the others name a label, an input, and a vector for each next label.

    ``beside`` tells what steps of states may lose that are not in the tables, by label and input.
    """

    tables: Tables
    beside: Callable[[], Mapping[tuple[int, int], int]] = dict
    label: list[int] = field(default_factory=lambda: [-1, -1])
    choice: list[int] = field(default_factory=lambda: [0, 0])
    after: list[dict[int, int]] = field(default_factory=lambda: [{}, {}])
    floats: list[Reals] = field(default_factory=lambda: [np.zeros(0), np.ones(0)])
    _exact: dict[int, tuple[Ints, int]] = field(default_factory=dict)
    _losses: dict[tuple[int, int], int] = field(default_factory=dict)

    def size(self, label: int) -> int:
        """The number of states of a label."""
        return int(self.tables.first[label + 1] - self.tables.first[label])

    def as_floats(self, number: int, label: int) -> Reals:
        """The vector over the states of ``label``."""
        # The numbers of the two constant vectors are their values, 0 and 1.
        return np.full(self.size(label), float(number)) if number <= AT_ONCE else self.floats[number]

    def add(self, label: int, choice: int, after: dict[int, int], values: Reals) -> int:
        """A new vector, one step before those of ``after``; its number."""
        self.label.append(label)
        self.choice.append(choice)
        self.after.append(after)
        self.floats.append(values)
        return len(self.label) - 1

    def _lose(self, label: int, choice: int) -> int:
        """What a step may lose, in units of 2^-BITS, where rows are rounded."""
        if (label, choice) in self._losses:
            return self._losses[label, choice]
        tables, shift = self.tables, choice * len(self.tables.label)
        lost = self.beside().get((label, choice), 0)
        for row in range(shift + int(tables.first[label]), shift + int(tables.first[label + 1])):
            arcs = slice(int(tables.start[row]), int(tables.start[row + 1]))
            # Mass that the lower ends leave out; wherever it goes, an event is worth at most 1 there.
            missing = int((tables.high[arcs] - tables.low[arcs]).sum() + tables.rest[row]) << BITS
            lost = max(lost, -(-missing // int(tables.denominator[row])))
        self._losses[label, choice] = lost
        return lost

    def exact(self, number: int, label: int) -> tuple[Ints, int]:
        """The vector in units of 2^-BITS, rounded down, and its height."""
        if number <= AT_ONCE:
            return np.full(self.size(label), number << BITS, np.int64), 0
        # What a vector is made of comes first, on a stack of our own: vectors reach deeper than calls can nest.
        rows, stack = Rows(self.tables), [number]
        while stack:
            top = stack[-1]
            missing = [k for k in self.after[top].values() if k > AT_ONCE and k not in self._exact]
            if missing:
                stack += missing
                continue
            stack.pop()
            if top in self._exact:
                continue
            parts = {b: self.exact(k, b) for b, k in self.after[top].items()}
            whole = np.zeros(len(self.tables.label), np.int64)
            for b, (values, _) in parts.items():
                whole[self.tables.first[b] : self.tables.first[b + 1]] = values
            found = np.empty(self.size(self.label[top]), np.int64)
            pull_exactly(rows, self.label[top], self.choice[top], whole, found)
            height = max((height for _, height in parts.values()), default=0)
            # One unit for rounding down here, on top of the worst of what it is made of.
            height = min(height + 1 + self._lose(self.label[top], self.choice[top]), 1 << BITS)  # no event exceeds 1
            self._exact[top] = found, height
        return self._exact[number]


class _Prefix:
    """The first expansions of a tree, with the beliefs of their nodes and leaves as floats."""

    def __init__(self, tables: Tables, tree: Tree, root: Reals, expansions: int) -> None:
        self.tree = tree
        self.inner = [int(node) for node in tree.order[:expansions]]
        self.children = {
            # A child without a label stands for what a step may lose: it has no belief.
            u: [c for c in range(int(tree.begin[u]), int(tree.begin[u] + tree.children[u])) if tree.label[c] >= 0]
            for u in self.inner
        }
        self.belief: dict[int, Reals] = {0: root}
        rows, floats = Rows(tables), FloatRows(tables, tables.low.astype(np.float64))
        sums, whole = FloatSums(len(tables.label)), np.empty(len(tables.label))
        for node in self.inner:
            last = -1
            for child in self.children[node]:
                # Children of one input stand together, so each input is stepped once.
                if tree.choice[child] != last:
                    last = int(tree.choice[child])
                    push_belief(rows, floats, tree.label[node], last, self.belief[node], sums, whole)
                b = tree.label[child]
                self.belief[child] = whole[tables.first[b] : tables.first[b + 1]].copy()
        known = self.children.keys()
        self.leaves = [child for kids in self.children.values() for child in kids if child not in known]


def find_vectors(vectors: EventVectors, trees: Sequence[tuple[Tree, Reals]]) -> dict[int, list[int]]:
    """Add vectors from the first expansions of the trees, each with its root's belief in floats: a pool by label."""
    tables = vectors.tables
    share = min(PREFIX, LARGEST_PREFIX // (len(tables.label) * max(len(trees), 1)))
    prefixes = [_Prefix(tables, tree, root, min(share, int(tree.used[EXPANDED]))) for tree, root in trees]
    pool: dict[int, list[int]] = {b: [NEVER, AT_ONCE] for b in range(len(tables.first) - 1)}
    for _ in range(ROUNDS):
        fresh: dict[int, list[list[int]]] = {b: [] for b in pool}
        stacked = {b: np.array([vectors.as_floats(k, b) for k in numbers]) for b, numbers in pool.items()}
        for prefix in prefixes:
            made = _one_round(vectors, prefix, pool, stacked)
            for b in pool:
                # The last ones made are nearest to the root: they look furthest ahead.
                fresh[b].append([number for label, number in reversed(made) if label == b])
        for b, lists in fresh.items():
            # From all trees in turn: no tree takes the pool for itself.
            fair = [number for row in zip_longest(*lists) for number in row if number is not None]
            pool[b] = [NEVER, AT_ONCE, *fair[: POOL - 2]]
    return pool


def _one_round(
    vectors: EventVectors, prefix: _Prefix, pool: dict[int, list[int]], stacked: dict[int, Reals]
) -> list[tuple[int, int]]:
    """Leaves take the best vector of the pool, inner nodes what follows from it, or the best of the pool again."""
    tree, tables = prefix.tree, vectors.tables
    own: dict[int, int] = {}
    for b, numbers in pool.items():
        leaves = [leaf for leaf in prefix.leaves if tree.label[leaf] == b]
        for at in range(0, len(leaves), CHUNK):
            part = leaves[at : at + CHUNK]
            best = (np.array([prefix.belief[leaf] for leaf in part]) @ stacked[b].T).argmax(axis=1)
            own.update((leaf, numbers[k]) for leaf, k in zip(part, best.tolist(), strict=True))
    rows, whole = Rows(tables), np.zeros(len(tables.label))
    made = []
    # In the order of expansion a parent comes before its children, so backwards every child has its vector.
    for node in reversed(prefix.inner):
        label, belief = int(tree.label[node]), prefix.belief[node]
        gains = stacked[label] @ belief
        known = int(gains.argmax())
        value, number = gains[known], pool[label][known]
        for choice in sorted({int(tree.choice[child]) for child in prefix.children[node]}):
            after = {int(tree.label[c]): own[c] for c in prefix.children[node] if tree.choice[c] == choice}
            after = {b: k for b, k in after.items() if k != NEVER}
            whole[:] = 0.0
            for b, k in after.items():
                whole[tables.first[b] : tables.first[b + 1]] = vectors.as_floats(k, b)
            found = np.empty(vectors.size(label))
            pull_vector(rows, label, choice, whole, found)
            if (gain := float(found @ belief)) > value:
                value, number = gain, vectors.add(label, choice, after, found)
                made.append((label, number))
        own[node] = number
    return made


def raise_leaves(
    vectors: EventVectors, pool: dict[int, list[int]], tree: Tree, before: Ints32, stopped: Callable[[], bool]
) -> Ints32:
    """Raise the lower bounds of open leaves by their best vectors, and those above them; each node's vector.

    ``before`` are the vectors of nodes so far. Where the work is ``stopped``, the other leaves keep what they have.
    """
    tables, used = vectors.tables, int(tree.used[NODES])
    rows, is_leaf = Rows(tables), tree.begin[:used] == 0
    open_leaves = np.flatnonzero(is_leaf & (tree.widest[:used] > 0))
    chosen = np.zeros(used, np.int32)
    chosen[: len(before)] = before
    # Leaves that were expanded since then are bounded by their children.
    chosen[~is_leaf] = 0
    for b, numbers in pool.items():
        # Never and at once make (m·1)^+, which every leaf has already.
        if len(numbers) <= 2:
            continue
        leaves = open_leaves[tree.label[open_leaves] == b]
        stacked = np.array([vectors.as_floats(k, b) for k in numbers], np.float32).T.copy()
        beliefs = np.empty((CHUNK, vectors.size(b)), np.float32)
        which = np.zeros(len(leaves), np.int64)
        for at in range(0, len(leaves), CHUNK):
            if stopped():
                break
            part = leaves[at : at + CHUNK]
            gather_leaves(rows, tree, part, beliefs)
            # Short floats only choose: any vector is sound, and `raise_below` counts in integers.
            which[at : at + len(part)] = (beliefs[: len(part)] @ stacked).argmax(axis=1)
        wanted = np.unique(which)
        exact = np.zeros((len(numbers), vectors.size(b)), np.int64)
        heights = np.zeros(len(numbers), np.int64)
        for k in wanted.tolist():
            exact[k], heights[k] = vectors.exact(numbers[k], b)
        raise_below(rows, tree, Choice(leaves, which, exact, heights, np.array(numbers, np.int32)), chosen)
    back_up(tree)
    return chosen
