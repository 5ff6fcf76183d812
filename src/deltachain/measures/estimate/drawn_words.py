"""Words drawn from a signed belief, and what the filter says at their ends (docs/theory/sampling.md).

A *stratum* is a belief m over the states of one label, turned so that |m^+| ≤ |m^-|; then V(m) lies between 0 and
|m^+|, its gap. Draw a word u from m^+ (normalised) by running the chain from a hidden state, and follow p = m^+ P_u and
q = m^- P_u. Over words that end by a rule about the word alone,

    |m^+| · E[(1 − |q|/|p|)^+]  ≤  V(m)  ≤  |m^+| · E[|(p − q)^+| / |p|].

`draw` returns, for each word, a number at most the first statistic and one at most 1 minus the second one. A word ends
when the two statistics differ by at most ``tolerance``, and at ``horizon`` letters.

*The draw is exact*, given ideal random bits. The next state is told by the first BITS bits of a real number in [0, 1);
where these do not decide, the word is given up and counts as (0, 0), which is at most what it would have been. Sums of
a row are added exactly, be they fractions or functions of e^(1/k), and their first BITS bits are known.

*Rounding.* p and q are sums of products of non-negative floats. Each entry has the relative error k·2^-53 (and a
little) after k roundings: one at its start, and for each letter one in the chance of an arc (an irrational one is
enclosed far closer first), one in the product, and at most as many as arcs lead into a state in the sum. Scaling is
by powers of two. `rounding_error` bounds what that does to both statistics, and is subtracted. Entries below 2^-1022
may vanish; that changes the expected value of a statistic by no more than what vanished, less than 2^-900 for all
letters together, far below the bound's slack. A word on which q outgrows p beyond OVERFLOW counts as (0, 0).

*Where words start.* A tree of integer beliefs (`beliefs.tree`) has leaves m with Σ V(m) ≤ V(w) and Σ V(−m) ≥ V(−w) for
its root w, in units of 2^-K. For each leaf V(m) = (m·1)^+ + G(m) and V(−m) = (−m·1)^+ + G(m) with one G(m) between 0
and the leaf's gap, the smaller of |m^+| and |m^-|; closed leaves have none. So all that is not known of the root is the
sum of G over open leaves: it is what is estimated, on exactly the integers that the tree holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...beliefs.signed.forest import Forest
from ...errors import InputError
from ...kernels import draw_words, surplus_of
from ...kernels.records import ENTRIES, NODES, PLACES, Draft, Draws, Steps, Strata, Tables
from ...kernels.types import ConstReals2
from ...model import Chain
from ...model.chain import Pair
from ...numbers.field import Exact, ends, floor
from ...numbers.fraction import ExpEpsilon

BITS = 62


def steps_of(chain: Chain, tables: Tables, order: list[int]) -> Steps:
    """Rows in floats, and what decides a draw in integers."""
    rows = np.repeat(np.arange(len(order)), np.diff(tables.start))
    bottom = tables.denominator[rows]
    chance = tables.low / bottom
    summed = np.cumsum(tables.low)
    # Sums within each row: what came before the row's first arc is taken off.
    summed -= (summed - tables.low)[tables.start[rows]]
    # ⌊sum·2^62/D⌋ in two halves: sums and denominators are below 2^31, so nothing leaves 64 bits.
    half = BITS // 2
    whole, rest = np.divmod(summed << half, bottom)
    bar = (whole << half) + (rest << half) // bottom
    place = {state: i for i, state in enumerate(order)}
    # Rows that tables hold rounded: a draw must be exact, so they are added up as the numbers they are.
    for row in np.unique(rows[tables.low != tables.high]).tolist():
        total: Exact = Fraction(0)
        (given,) = chain.points[order[row]]
        for arc, (_, p) in enumerate(sorted((place[j], p) for j, p in given), int(tables.start[row])):
            total = total + p
            chance[arc], bar[arc] = float(ends(p)[0]), floor(total, BITS)
    return Steps(tables.first, tables.label, tables.start, tables.target, chance, bar)


def rounding_error(steps: Steps, horizon: int) -> float:
    """A bound for what rounding changes in a statistic: 8(k + n + 8)·2^-53 with k roundings in an entry, n states."""
    into = int(np.bincount(steps.target, minlength=1).max())
    roundings = 4 + horizon * (into + 2)
    return float(8 * (roundings + len(steps.label) + 8) * 2.0**-53)


def draw(
    steps: Steps,
    strata: Strata,
    stream: np.random.Generator,
    size: int,
    horizon: int,
    tolerance: float,
    scales: ConstReals2,
    checkpoints: tuple[int, ...] = (),
) -> Draws:
    """``size`` words from the strata, each stratum in proportion to its gap.

    ``scales``: rows (α above, α below) by which q is multiplied for the statistic from below and from above.
    """
    tickets = stream.integers(0, int(strata.ends[-1]), size=size, dtype=np.int64)
    bits = stream.integers(0, 1 << BITS, size=(size, horizon), dtype=np.int64)
    shape = (size, len(scales))
    letters, arcs = np.zeros((2, size), np.int64)
    out = Draws(np.zeros(shape), np.zeros(shape), letters, arcs, np.zeros((size, len(checkpoints))))
    draft = Draft(tickets, bits, scales, tolerance, rounding_error(steps, horizon), np.array(checkpoints, np.int64))
    draw_words(steps, strata, draft, out)
    return out


# Where words start.


class DrawnFrom(NamedTuple):
    """What words are drawn from, and the pairs (α above, α below) that q is multiplied by in the statistics."""

    strata: Strata
    scales: ConstReals2


@dataclass(frozen=True)
class OpenLeaves:
    """V(e_s − αe_t) of one direction as known parts, and a mean between 0 and 1 that is to be estimated."""

    question: DrawnFrom
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
        # above = |m^-| at a leaf: where the gap is less it is |m^+|, and else the belief is turned.
        np.where(gaps < tree.above[leaves], 1, -1),
        np.cumsum(gaps),
        tree.values[: tree.used[ENTRIES]],
        tree.states[: tree.used[PLACES]],
    )
    closed = int(tree.below[:used][is_leaf & (tree.widest[:used] == 0)].sum())
    known = closed + surplus_of(tree, leaves)
    gap, unit = int(strata.ends[-1]), 1 << forest.bits
    # Of the leaves, not the root: where rows are enclosed, a node may keep a better bound than its children add up to.
    above = sum(tree.above[:used][is_leaf].tolist())
    # Leaf by leaf, |m^-| less the gap is (−m·1)^+, which is known.
    upper = 1 - forest.exp_epsilon.below + Fraction(above - gap, unit)
    return OpenLeaves(DrawnFrom(strata, np.ones((1, 2))), Fraction(known, unit), upper, Fraction(gap, unit))


def pair_at_scales(tables: Tables, s: int, t: int, at: Sequence[ExpEpsilon]) -> DrawnFrom:
    """Words from e_s, followed from e_t too: V(e_s − αe_t) for each of many α is the mean itself."""
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    values, states = np.array([1, -1], np.int64), np.array([s, t], np.int32)
    strata = Strata(tables.label[[s]], zero, zero, 2 * one, one, one, values, states)
    return DrawnFrom(strata, np.array([(_outward(e.above, math.inf), _outward(e.below, -math.inf)) for e in at]))


def _outward(value: Fraction, goal: float) -> float:
    """A float that is not on the wrong side of the value."""
    near = float(value)
    while Fraction(near) < value if goal > 0 else Fraction(near) > value:
        near = math.nextafter(near, goal)
    return near
