"""Boxes to first order: bounds that know that the probabilities of one row move together (docs/theory/boxes.md).

Tables of signed beliefs take the worst of every entry of a box at once. Here the beliefs w_u of a tree are those of one
row Q inside each box, and with F(P) for what the leaves' weights φ are worth under any rows P,

    w·F(P) = Σ_leaves w_ℓ·φ_ℓ + Σ_u Σ_i w_{u,i} Σ_j (p_ij − q_ij) F_j(P),

exactly. Each correction is bounded over the rows inside the box, whose sum is 1, by filling it up from its lower ends;
what leaves the model is one more entry, worth anything between 0 and 1. Weights that are an event bound V from below
(L5), weights and a constant above the positive part bound it from above (R8), for every nature at once.

All numbers are integers: rows over 2^BITS, weights and values in units of 2^-BITS, beliefs in units of 2^-K; what is
rounded away is counted on the side where it would matter. `first_order` chooses the tree, best first at Q; any tree
is sound.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

from ...cancel import Cancel
from ...model import Box, Chain
from ...numbers.fraction import ExpEpsilon

BITS = 30
ONE = 1 << BITS
OPEN_BITS = 40
"""A leaf whose smaller side is below 2^-40 is not expanded."""


class Entry(NamedTuple):
    """One probability of a row, over 2^BITS: low ≤ p ≤ high, and q of the row Q."""

    target: int
    low: int
    high: int
    q: int


OUTSIDE = -1
"""The target of what leaves the model."""


def center_box(box: Box) -> list[Entry]:
    """The box in integers, rounded outward and tightened, with a row Q about its middle; outside comes last."""
    ends = [(target, math.floor(lo * ONE), math.ceil(hi * ONE)) for target, lo, hi in box]
    ends.append((OUTSIDE, 0, math.ceil(box.rest * ONE)))
    least, most = sum(lo for _, lo, _ in ends), sum(hi for _, _, hi in ends)
    ends = [(target, max(lo, ONE - (most - hi)), min(hi, ONE - (least - lo))) for target, lo, hi in ends]
    least, most = sum(lo for _, lo, _ in ends), sum(hi for _, _, hi in ends)
    spare, width = ONE - least, max(most - least, 1)
    found = [Entry(target, lo, hi, lo + (hi - lo) * spare // width) for target, lo, hi in ends]
    # The identity holds for any Q, whatever its sum: with 0 outside, beliefs at Q stay inside the model.
    return [*found[:-1], found[-1]._replace(q=0)]


class IntegerBox:
    """A box in integers, and how it is filled up."""

    def __init__(self, box: Box) -> None:
        self.entries = center_box(box)
        self.rising = [(e, e.high - e.low) for e in self.entries if e.high > e.low]
        self.spare = ONE - sum(e.low for e in self.entries)

    def largest(self, value: Mapping[int, int]) -> int:
        """The largest Σ p·value over the rows inside the box."""
        # The sum of a row is fixed: what lower ends leave of it goes where it is worth most.
        total, left = sum(e.low * value[e.target] for e in self.entries), self.spare
        for worth, width in sorted(((value[e.target], width) for e, width in self.rising), reverse=True):
            if left <= width:
                return total + worth * left
            total += worth * width
            left -= width
        return total

    def most_moved(self, w: int, low: Mapping[int, int], high: Mapping[int, int]) -> int:
        """The most that moving entries of weight w from q into the box is worth, for values between low and high.

        For an entry that is the larger of two lines, so convex in p, and at most the line between its two ends.
        """

        def worth(entry: Entry, p: int) -> int:
            moved = w * (p - entry.q)
            return moved * (high if moved > 0 else low)[entry.target]

        total, left = sum(worth(e, e.low) for e in self.entries), self.spare
        rises = [(worth(e, e.high) - worth(e, e.low), width) for e, width in self.rising]
        for rise, width in sorted(rises, key=_slope, reverse=True):
            if left <= width:
                return total - (-rise * left // width)  # the last one in part, rounded up
            total += rise
            left -= width
        return total


def _steeper(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Above 0 if (rise, width) of the first is the steeper line; decided exactly, since an order proves the bound."""
    return one[0] * other[1] - other[0] * one[1]


_slope = cmp_to_key(_steeper)


@dataclass(frozen=True)
class FirstOrder:
    """lower ≤ V(e_s − αe_t) ≤ upper for every nature; ``text`` says which nodes of the tree are expanded."""

    lower: Fraction
    upper: Fraction
    text: str

    def recipe(self) -> list[object]:
        """What a checker needs to do the same."""
        return ["first", self.text]


@dataclass
class _Node:
    """A node of the tree: its belief at Q, which belief it may be, and its children by label."""

    w: dict[int, int]
    a: dict[int, int]
    b: dict[int, int]
    children: dict[str, _Node] = field(default_factory=dict)
    dropped: int = 0

    def gap(self) -> int:
        pos = sum(value for value in self.w.values() if value > 0)
        return min(pos, pos - sum(self.w.values()))


class _Rows:
    def __init__(self, chain: Chain) -> None:
        self.labels = chain.labels
        self.row = [IntegerBox(boxes[0]) for boxes in chain.boxes]

    def expand(self, node: _Node) -> None:
        """Give the node its children: one for each label of a target of its states."""
        for i, w in node.w.items():
            a, b = node.a[i], node.b[i]
            for target, low, high, q in self.row[i].entries[:-1]:
                child = node.children.get(self.labels[target])
                if child is None:
                    child = node.children[self.labels[target]] = _Node({}, {}, {})
                # Each share that is rounded down loses less than a unit, which is worth
                # something from 0 to 1: it is paid for above.
                node.dropped += w * q % ONE != 0
                child.w[target] = child.w.get(target, 0) + (w * q >> BITS)
                # a ≤ (the belief under any rows) ≤ b, entry by entry: each end of the box by sign, rounded outward.
                child.a[target] = child.a.get(target, 0) + (a * (low if a > 0 else high) >> BITS)
                child.b[target] = child.b.get(target, 0) - (-b * (high if b > 0 else low) >> BITS)

    def bound(self, root: Mapping[int, int], shape: Sequence[bool], upper: bool) -> int:
        """T: V(root) ≤ ⌈T/2^BITS⌉ for ``upper``, else V(root) ≥ ⌊T/2^BITS⌋, by the tree of this shape."""
        order: list[_Node] = []
        stack = [_Node(dict(root), dict(root), dict(root))]
        for expanded in shape:  # depth first, children by label
            node = stack.pop()
            order.append(node)
            if expanded:
                self.expand(node)
                stack += [child for _, child in sorted(node.children.items(), reverse=True)]
        total = 0
        values: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        for node in reversed(order):  # a child comes after its parent
            if not node.children:
                gained, weights = _leaf(node, upper)
                total += gained
                # At a leaf F is φ itself, whatever the rows.
                values[id(node)] = weights, weights
                continue
            # What left the model may be worth anything: it may come back.
            low: dict[int, int] = {OUTSIDE: 0}
            high: dict[int, int] = {OUTSIDE: ONE}
            for child in node.children.values():
                child_low, child_high = values.pop(id(child))
                low |= child_low
                high |= child_high
            total += node.dropped << BITS if upper else 0
            fallen = {target: -value for target, value in low.items()}
            f_lo, f_hi = {}, {}
            for i, w in node.w.items():
                row = self.row[i]
                f_hi[i] = min(ONE, _up(row.largest(high)))
                # The least sum is minus the largest of the negated values.
                f_lo[i] = max(0, -_up(row.largest(fallen)))
                if w:
                    correction = _up(row.most_moved(w if upper else -w, low, high))
                    total += correction if upper else -correction
            values[id(node)] = f_lo, f_hi
        return total


def _leaf(node: _Node, upper: bool) -> tuple[int, dict[int, int]]:
    """What a leaf adds to T, and the weight of each of its states."""
    if not upper:
        weight = ONE if sum(node.w.values()) > 0 else 0
        return weight * sum(node.w.values()), dict.fromkeys(node.w, weight)
    total, weights = 0, {}
    for i, w in node.w.items():
        a, b = node.a[i], node.b[i]
        weight, over = (ONE, 0) if a >= 0 else (0, 0)
        if a < 0 < b:
            # z^+ ≤ φz + c between a and b: the line is above at both ends, hence, z^+ being convex, between them (R8).
            weight = (b << BITS) // (b - a)
            over = max(-weight * a, (ONE - weight) * b)
        total += weight * w + over
        weights[i] = weight
    return total, weights


def _up(value: int) -> int:
    """The value over 2^BITS, rounded up."""
    return -(-value >> BITS)


def first_order(
    chain: Chain, pair: tuple[int, int], at: ExpEpsilon, bits: int, budget: int, cancel: Cancel
) -> FirstOrder:
    """Bounds for the direction s against t by a tree of at most ``budget`` expansions, beliefs in units of 2^-bits."""
    rows, unit = _Rows(chain), 1 << bits
    s, t = pair
    # Each root is rounded to the side of its bound; a shape that was found from one is sound for both.
    low, high = {s: unit, t: math.floor(-at.above * unit)}, {s: unit, t: math.ceil(-at.below * unit)}
    shape = _shape(rows, low, budget, 1 << max(bits - OPEN_BITS, 0), cancel)
    lower = rows.bound(low, shape, upper=False) >> BITS
    upper = _up(rows.bound(high, shape, upper=True))
    text = "".join("x" if expanded else "." for expanded in shape)
    return FirstOrder(Fraction(lower, unit), Fraction(upper, unit), text)


def _shape(rows: _Rows, root: Mapping[int, int], budget: int, dust: int, cancel: Cancel) -> list[bool]:
    """The widest node at Q expanded first; whether each node is expanded, depth first, children by label."""
    top = _Node(dict(root), dict(root), dict(root))
    heap, count = [(-top.gap(), 0, top)], 0
    while heap and count < budget and -heap[0][0] > dust and not cancel.is_stopped():
        _, _, node = heapq.heappop(heap)
        rows.expand(node)
        for number, child in enumerate(node.children.values()):
            heapq.heappush(heap, (-child.gap(), count * len(rows.row) + number + 1, child))
        count += 1
    shape, stack = [], [top]
    while stack:
        node = stack.pop()
        shape.append(bool(node.children))
        stack += [child for _, child in sorted(node.children.items(), reverse=True)]
    return shape
