"""Where words start: the open leaves of a certified tree, or a pair of states at many α at once.

A tree of integer beliefs (`beliefs.tree`) has leaves m with Σ V(m) ≤ V(w) and Σ V(−m) ≥ V(−w) for its root w, in
units of 2^-K. For each leaf V(m) = (m·1)^+ + G(m) and V(−m) = (−m·1)^+ + G(m) with one G(m) between 0 and the leaf's
gap, the smaller of |m^+| and |m^-|; closed leaves have none. So all that is not known of the root is the sum of G over
open leaves: it is what is estimated, on exactly the integers that the tree holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..beliefs.forest import Forest, Pair
from ..errors import InputError
from ..kernels import surplus_of
from ..kernels.records import ENTRIES, NODES, PLACES, Strata, Tables
from ..kernels.types import ConstReals2
from ..rational import ExpEpsilon


class Question(NamedTuple):
    """What words are drawn from, and the pairs (α above, α below) that q is multiplied by in the statistics."""

    strata: Strata
    scales: ConstReals2


@dataclass(frozen=True)
class OpenLeaves:
    """V(e_s − αe_t) of one direction as known parts, and a mean between 0 and 1 that is to be estimated."""

    question: Question
    lower: Fraction
    """What is known from below; to it comes the mean, times ``gap``."""
    upper: Fraction
    """The same from above."""
    gap: Fraction

    def bounds(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """V between two numbers, if the mean is between ``low`` and ``high``."""
        return self.lower + self.gap * low, max(Fraction(0), self.upper + self.gap * high)


def open_leaves(forest: Forest, direction: Pair) -> OpenLeaves | None:
    """The strata of one direction; None if its tree has no open leaf, or says nothing at this α."""
    if forest.tables.inputs.max() > 1:
        raise InputError("estimate: the chain waits for inputs of the observer; words are drawn from chains without")
    tree = forest.known[direction].tree
    used = int(tree.used[NODES])
    is_leaf = tree.begin[:used] == 0
    leaves = np.flatnonzero(is_leaf & (tree.widest[:used] > 0))
    if not forest.usable or not len(leaves):
        return None
    gaps = tree.widest[leaves]
    strata = Strata(
        tree.label[leaves].astype(np.int64),
        tree.offset[leaves],
        tree.spot[leaves],
        tree.length[leaves].astype(np.int64),
        np.where(gaps < tree.above[leaves], 1, -1),
        np.cumsum(gaps),
        tree.values[: tree.used[ENTRIES]],
        tree.states[: tree.used[PLACES]],
    )
    closed = int(tree.below[:used][is_leaf & (tree.widest[:used] == 0)].sum())
    known = closed + surplus_of(tree, leaves)
    gap, unit = int(strata.ends[-1]), 1 << forest.bits
    upper = 1 - forest.exp_epsilon.below + Fraction(int(tree.above[0]) - gap, unit)
    return OpenLeaves(Question(strata, np.ones((1, 2))), Fraction(known, unit), upper, Fraction(gap, unit))


def pair_at_scales(tables: Tables, s: int, t: int, at: Sequence[ExpEpsilon]) -> Question:
    """Words from e_s, followed from e_t too: V(e_s − αe_t) for each of many α is the mean itself."""
    strata = Strata(
        tables.label[[s]],
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.array([2], np.int64),
        np.ones(1, np.int64),
        np.ones(1, np.int64),
        np.array([1, -1], np.int64),
        np.array([s, t], np.int32),
    )
    return Question(strata, np.array([(_outward(e.above, math.inf), _outward(e.below, -math.inf)) for e in at]))


def _outward(value: Fraction, goal: float) -> float:
    """A float that is not on the wrong side of the value."""
    near = float(value)
    while Fraction(near) < value if goal > 0 else Fraction(near) > value:
        near = math.nextafter(near, goal)
    return near
