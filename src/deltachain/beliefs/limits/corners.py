"""Boxes where beliefs lie on two hidden states: upper bounds with nature at the corners of its boxes.

V^max, the largest gain over events *and* natures, is convex in each row, so that nature need only play vertices: rows
in which all entries but one are at an end of their box. On a grid of directions g_k = (k, −(G−k)) for each ordered pair
of states, values U_k ≥ V^max(g_k) are extended between neighbours by straight lines, which stay above a convex
function. Values that are at least (g_k·1)^+ and at least what every vertex makes of them after a step are bounds, by
induction on the horizon (docs/theory/boxes.md). Floats find them, iterating down from |g_k^+|; integers decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from ...cancel import Cancel
from ...kernels.types import Ints, Reals
from ...model import Chain
from ...model.chain import Pair
from ...model.components import components
from ...numbers.fraction import ExpEpsilon
from .first_order import BITS, ONE, OUTSIDE, Entry, center_box

MOST_ENTRIES, MOST_VERTICES, MOST_PAIRS = 12, 4_000, 200
"""Entries of a row, pairs of vertices over all pairs of states, and these pairs, at most."""
ROUNDS = 2_000
"""Rounds of iteration in floats; it ends when nothing moves by more than 1e-9."""


@dataclass(frozen=True)
class Corners:
    """V(e_s − αe_t) ≤ upper for every nature, by values on a grid; nothing below."""

    upper: Fraction
    size: int
    values: tuple[tuple[str, str, tuple[int, ...]], ...]
    """For two states, by name, U_0 … U_size in units of 2^-BITS."""
    lower: Fraction = Fraction(0)

    def recipe(self) -> list[object]:
        """What a checker needs to see that it holds."""
        return ["corners", self.size, [[i, j, list(values)] for i, j, values in self.values]]


def vertices(row: Sequence[Entry]) -> list[tuple[int, ...]]:
    """The rows inside the box in which all entries but one are at an end, in the order of the entries."""
    found: dict[tuple[int, ...], None] = {}
    for free, entry in enumerate(row):
        others = [(e.low, e.high) if e.high > e.low else (e.low,) for k, e in enumerate(row) if k != free]
        for chosen in product(*others):
            p = ONE - sum(chosen)
            if entry.low <= p <= entry.high:
                found[(*chosen[:free], p, *chosen[free:])] = None
    return list(found)


class _Pairs:
    """The ordered pairs of states that beliefs with both signs can lie on, and where each vertex leads."""

    def __init__(self, chain: Chain, start: Pair) -> None:
        self.chain = chain
        self.row = {i: center_box(boxes[0]) for i, boxes in enumerate(chain.boxes)}
        self.number: dict[Pair, int] = {}
        self.fits = True
        waiting = [start]
        while waiting and self.fits:
            pair = waiting.pop()
            if pair in self.number:
                continue
            self.number[pair] = len(self.number)
            reached: dict[str, set[int]] = {}
            for state in pair:
                # The last entry is what goes outside.
                for entry in self.row[state][:-1]:
                    reached.setdefault(chain.labels[entry.target], set()).add(entry.target)
            for states in reached.values():
                self.fits = self.fits and len(states) <= 2
                if len(states) == 2:
                    low, high = sorted(states)
                    # Either of them may come to hold the positive entry.
                    waiting += [(low, high), (high, low)]
            self.fits = self.fits and len(self.number) <= MOST_PAIRS
            self.fits = self.fits and all(len(self.row[state]) <= MOST_ENTRIES for state in pair)
        self.vertex = {i: vertices(self.row[i]) for pair in self.number for i in pair} if self.fits else {}
        combinations = sum(len(self.vertex[i]) * len(self.vertex[j]) for i, j in self.number) if self.fits else 0
        self.fits = self.fits and combinations <= MOST_VERTICES

    def children(self, pair: Pair) -> list[tuple[Ints, Ints, int, int]]:
        """For each label the (k, vertex, vertex′)-free part: numerators over ONE of i and of j on one or two states.

        An item is (p, p′, a, c): p[v] and p′[v′] are arrays of two columns, for the states a and c (or −1).
        """
        i, j = pair
        labels: dict[str, list[int]] = {}
        for state in pair:
            for entry in self.row[state][:-1]:
                known = labels.setdefault(self.chain.labels[entry.target], [])
                if entry.target not in known:
                    known.append(entry.target)
        found = []
        for states in labels.values():
            a, c = (*states, OUTSIDE)[:2]
            columns = []
            for state in (i, j):
                place = {entry.target: k for k, entry in enumerate(self.row[state][:-1])}
                rows = [[p[place[x]] if x in place else 0 for x in (a, c)] for p in self.vertex[state]]
                columns.append(np.array(rows, np.int64))
            found.append((columns[0], columns[1], a, c))
        return found

    def outside(self, state: int) -> Ints:
        """What each vertex of the state's row sends out of the model."""
        return np.array([p[-1] for p in self.vertex[state]], np.int64)


@dataclass(frozen=True)
class CornerGrid:
    """Values on a grid for every ordered pair of states that beliefs from ``pair`` can lie on: free of ε."""

    chain: Chain
    pair: Pair
    size: int
    values: dict[Pair, list[int]]

    def bound(self, at: ExpEpsilon) -> Corners:
        """The upper bound for the direction of the pair at e^ε."""
        names = self.chain.states
        listed = tuple((names[i], names[j], tuple(values)) for (i, j), values in self.values.items())
        return Corners(_at_root(self.values[self.pair], at.below, self.size), self.size, listed)


def corner_grid(chain: Chain, pair: Pair, size: int, cancel: Cancel) -> CornerGrid | None:
    """For the direction s against t; None where beliefs lie on more than two states, or it is too much.

    Args:
        chain: the chain, without inputs.
        pair: the direction.
        size: the number of steps of the grid.
        cancel: the deadline.
    """
    pairs = _Pairs(chain, pair)
    if not pairs.fits:
        return None
    steps = {pair: pairs.children(pair) for pair in pairs.number}
    values = _iterate(pairs, steps, size, cancel)
    whole = None if values is None else _round(pairs, steps, values, size)
    return None if whole is None else CornerGrid(chain, pair, size, {way: whole[way] for way in pairs.number})


def _iterate(
    pairs: _Pairs, steps: dict[Pair, list[tuple[Ints, Ints, int, int]]], size: int, cancel: Cancel
) -> dict[Pair, Reals] | None:
    """Values in floats, from |g_k^+| down."""
    grid = np.arange(size + 1.0)
    values: dict[Pair, Reals] = {pair: grid.copy() for pair in pairs.number}
    for _ in range(ROUNDS):
        if cancel.is_stopped():
            return None
        # |g_k^+| is at least what follows it, so exact values would only fall:
        # the minimum keeps rounding from raising them.
        fresh = {pair: np.minimum(values[pair], _step(pairs, steps[pair], pair, values, size)) for pair in values}
        moved = max(float((values[pair] - fresh[pair]).max()) for pair in values)
        values = fresh
        if moved < 1e-9 * size:
            break
    return values


def _step(
    pairs: _Pairs, labels: list[tuple[Ints, Ints, int, int]], pair: Pair, values: dict[Pair, Reals], size: int
) -> Reals:
    """The largest over vertices of what follows, for each k, in floats."""
    k = np.arange(size + 1.0)[:, None, None]
    total: Reals = k * (pairs.outside(pair[0]) / ONE)[None, :, None]
    shape = (size + 1, len(pairs.vertex[pair[0]]), len(pairs.vertex[pair[1]]))
    total = np.broadcast_to(total, shape).copy()
    for p, q, a, c in labels:
        z = [k * (p[:, x] / ONE)[None, :, None] - (size - k) * (q[:, x] / ONE)[None, None, :] for x in (0, 1)]
        gain = np.maximum(z[0], 0) + np.maximum(z[1], 0)
        if c != OUTSIDE:
            for x, y, way in ((z[0], -z[1], (a, c)), (z[1], -z[0], (c, a))):
                mixed = (x > 0) & (y > 0)
                if mixed.any():
                    ends = np.where(mixed, x + y, 1.0)
                    at = np.clip(np.where(mixed, x / ends * size, 0.0), 0, size)
                    worth = ends / size * np.interp(at, np.arange(size + 1.0), values[way])
                    gain = np.where(mixed, worth, gain)
        total += gain
    return np.asarray(total.max(axis=(1, 2)))


def _round(
    pairs: _Pairs, steps: dict[Pair, list[tuple[Ints, Ints, int, int]]], values: dict[Pair, Reals], size: int
) -> dict[Pair, list[int]] | None:
    """Integers just above the floats that pass the test themselves; None if they do not with a little slack.

    A loop loses slack, since signs cancel; a pair that is never met again may not, and gets more than what it leads to.
    """
    order = list(values)
    place = {pair: k for k, pair in enumerate(order)}
    following = [
        [place[way] for _, _, a, c in steps[pair] if c != OUTSIDE for way in ((a, c), (c, a))] for pair in order
    ]
    share = {order[k]: 1 + rank / 64 for rank, group in enumerate(components(following)) for k in group}
    width = np.minimum(np.arange(size + 1.0), size - np.arange(size + 1.0))
    for slack in (1e-7, 1e-6, 1e-5, 1e-4):
        whole = {}
        for pair, found in values.items():
            raised = found + slack * share[pair] * width
            whole[pair] = [
                # At least (g_k·1)^+ = 2k − G, the base case of the induction.
                max(int(value * ONE), max(2 * k - size, 0) * ONE) if 0 < k < size else k * ONE
                for k, value in enumerate(raised.tolist())
            ]
        if all(_holds(pairs, steps[pair], pair, whole, size) for pair in whole):
            return whole
    return None


def _holds(
    pairs: _Pairs, labels: list[tuple[Ints, Ints, int, int]], pair: Pair, whole: dict[Pair, list[int]], size: int
) -> bool:
    """Whether the values of a pair are at least what every vertex makes of them, in integers."""
    i, j = pair
    outside = pairs.outside(i).tolist()
    # At the two ends of the grid there is one sign, and k·ONE = |g_k^+| is a bound of its own.
    for k in range(1, size):
        limit = whole[pair][k] << BITS
        for v, sent in enumerate(outside):
            for u in range(len(pairs.vertex[j])):
                total = k * sent << BITS
                for p, q, a, c in labels:
                    x, y = (k * int(p[v, n]) - (size - k) * int(q[u, n]) for n in (0, 1))
                    total += _child(x, y, a, c, whole, size)
                    if total > limit:
                        return False
    return True


def _child(x: int, y: int, a: int, c: int, whole: dict[Pair, list[int]], size: int) -> int:
    """What the belief (x, y) on the states a and c is worth, rounded up."""
    if x >= 0 and y >= 0:
        return (x + y) << BITS
    if x <= 0 and y <= 0:
        return 0
    pos, neg, values = (x, -y, whole[a, c]) if x > 0 else (y, -x, whole[c, a])
    # Λ·g_at + Λ'·g_{at+1} is the belief: a line between neighbors is above a convex function.
    at, rest = divmod(pos * size, pos + neg)
    worth = (pos + neg - rest) * values[at] + (rest * values[at + 1] if rest else 0)
    return -(-worth // size)


def _at_root(values: Sequence[int], alpha: Fraction, size: int) -> Fraction:
    """The value at (1, −α)."""
    whole = 1 + alpha
    at, rest = divmod(Fraction(size), whole)
    worth = (whole - rest) * values[at] + (rest * values[at + 1] if rest else 0)
    return worth / size / ONE
