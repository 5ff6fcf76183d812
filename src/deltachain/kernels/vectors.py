"""Event vectors, and the leaves of a tree that they bound from below: the inner loops of `beliefs.vectors`."""

from . import cython

if not cython.compiled:
    from .records import Choice, Tree
    from .step import FloatRows, FloatSums, Rows, pull, pull_floats, send_floats
    from .tree import Nodes, state_of
    from .types import ConstInts, ConstInts2, ConstInts32, ConstReals, Ints, Ints32, Reals, Singles2, i64

VECTOR_BITS = cython.declare(i64, 30)
"""Vectors are integers in units of 2^-VECTOR_BITS."""
VECTOR_MASK = cython.declare(i64, 2**30 - 1)


def pull_exactly(rows: Rows, label: i64, choice: i64, after: ConstInts, found: Ints) -> None:
    """A vector over the states of a label, one step before ``after``, each entry rounded down."""
    first = rows.first[label]
    with cython.nogil:
        for e in range(len(found)):
            found[e] = pull(rows, choice * rows.states + first + e, after)


def pull_vector(rows: Rows, label: i64, choice: i64, after: ConstReals, found: Reals) -> None:
    """The same in floats."""
    first = rows.first[label]
    with cython.nogil:
        for e in range(len(found)):
            found[e] = pull_floats(rows, choice * rows.states + first + e, after)


def push_belief(
    rows: Rows, floats: FloatRows, label: i64, choice: i64, belief: ConstReals, sums: FloatSums, after: Reals
) -> None:
    """One step of a belief over the states of a label, in floats, over all states; ``floats`` are the numerators."""
    first = choice * rows.states + rows.first[label]
    with cython.nogil:
        for e in range(len(belief)):
            if belief[e] != 0.0:
                value = belief[e] / rows.denominator[first + e]
                send_floats(floats, first + e, value, 0.0, 0, rows.states, sums)
        for state in range(rows.states):
            after[state] = sums.value[state, 0]
            sums.value[state, 0] = 0.0


def gather_leaves(rows: Rows, grown: Tree, leaves: ConstInts, out: Singles2) -> None:
    """The beliefs of leaves of one label as rows of floats."""
    tree = Nodes(grown)
    with cython.nogil:
        for r in range(len(leaves)):
            node = leaves[r]
            begin, spot, base = tree.offset[node], tree.spot[node], rows.first[tree.label[node]]
            for e in range(out.shape[1]):
                out[r, e] = 0.0
            for e in range(tree.length[node]):
                out[r, state_of(tree, base, spot, e) - base] = tree.values[begin + e]


def raise_below(rows: Rows, grown: Tree, choice: Choice, chosen: Ints32) -> None:
    """Raise the lower bound of each leaf to m·f, in integers; ``chosen`` keeps the vector where it helps."""
    tree = Nodes(grown)
    leaves: ConstInts = choice.leaves
    which: ConstInts = choice.which
    exact: ConstInts2 = choice.exact
    heights: ConstInts = choice.heights
    numbers: ConstInts32 = choice.numbers
    with cython.nogil:
        for r in range(len(leaves)):
            node, k = leaves[r], which[r]
            begin, spot, base = tree.offset[node], tree.spot[node], rows.first[tree.label[node]]
            total: i64 = 0
            neg: i64 = 0
            for e in range(tree.length[node]):
                value = tree.values[begin + e]
                f = exact[k, state_of(tree, base, spot, e) - base]
                # value·f over 2^30, rounded down: both products stay within 64 bits.
                total += (value >> VECTOR_BITS) * f + (((value & VECTOR_MASK) * f) >> VECTOR_BITS)
                if value < 0:
                    neg -= value
            # The vector is below the truth by at most its height: that much more is lost on each negative entry.
            total -= ((neg >> VECTOR_BITS) + 1) * heights[k]
            if total > tree.below[node]:
                tree.below[node] = total
                chosen[node] = numbers[k]
