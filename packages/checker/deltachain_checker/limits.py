"""Extension "limits": rows that are known within limits; what is proved holds for every chain inside.

A row is a *box*: lo_j ≤ p_j ≤ hi_j for the targets that it lists, and at most ``rest`` goes to states outside the
model, of any label and any behaviour. *Nature* picks the rows, for both runs alike, once, or anew after the letters
and inputs seen so far. The V of `covers` is monotone and sublinear under each nature, and so is the largest of all;
and V(−w) = V(w) − w·1. Here are boxes, and the rules that know that the entries of a row sum to 1; `recipes`, the only
part of a certificate that may rest on boxes, has those that take the worst of each entry (docs/theory/boxes.md).

    corners   V, the largest over natures, is convex in each row. So a cover of wP at each choice of corners of the
              rows bounds V(w), where what leaves the model counts row by row.
    first     With beliefs w_u of a tree under some rows q, and F(p) what weights of its leaves are worth under any
              others, w·F(p) = Σ φ·w over leaves + Σ over nodes u of w_u·(p − q)·F(p). Weights that lie above the
              positive part bound V from above, and those of an event from below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, cmp_to_key
from itertools import product
from typing import Any, TypeVar

from .document import lists
from .errors import CertificateRejected, need
from .meter import spend
from .model import Model
from .numbers import ONE, ZERO, rational, rounded_down, text

Ends = Mapping[str, tuple[Fraction, Fraction]]
"""By target, the least and the largest probability."""
BITS = 30
WHOLE = 1 << BITS
MOST_ENTRIES, MOST_DIRECTIONS = 12, 4096
MOST_WORK, MOST_OPEN = 10**7, 10**5
"""So many entries of rows, or corners of two rows for a direction, are looked at for one recipe, and so many nodes of
a tree are on the way to the one at hand; no more."""


@dataclass(frozen=True)
class Limits:
    """lo ≤ p ≤ hi for each target; at most ``rest`` goes to states outside the model."""

    ends: Ends
    rest: Fraction

    def hashed(self) -> list[Any]:
        """The box as it counts in the hash of the model."""
        return [*sorted([j, text(lo), text(hi)] for j, (lo, hi) in self.ends.items()), text(self.rest)]

    def into_blocks(self, first: Mapping[str, str]) -> Any:
        """The box of what goes into each block: the sums of the ends."""
        into: dict[str, tuple[Fraction, Fraction]] = {}
        for target, (lo, hi) in self.ends.items():
            low, high = into.get(first[target], (ZERO, ZERO))
            into[first[target]] = low + lo, high + hi
        return tightened("merge", into, self.rest)


def read_limits(name: str, entries: Mapping[str, Any], rest: Fraction) -> Any:
    """A row of the model; a number is both ends of what it may be."""
    ends = {}
    for target, value in entries.items():
        both = value if isinstance(value, list) else [value, value]
        need(len(both) == 2, name, "a probability, or the two ends of what it may be", len(both))
        ends[target] = rational(both[0], decimals=True), rational(both[1], decimals=True)
    return tightened(name, ends, rest)


def tightened(name: str, ends: Ends, rest: Fraction) -> Any:
    """The least box with the same rows inside; an exact row if there is only one."""
    need(all(0 <= lo <= hi for lo, hi in ends.values()) and rest >= 0, name, "ends 0 ≤ lo ≤ hi, rest ≥ 0")
    low, high = (sum((pair[k] for pair in ends.values()), ZERO) for k in (0, 1))
    need(low <= 1 <= high + rest, name, "a box that is not empty: Σ lo ≤ 1 ≤ Σ hi + rest", low, high + rest)
    rest = min(rest, 1 - low)
    tight = {j: (max(lo, 1 - rest - (high - hi)), min(hi, 1 - (low - lo))) for j, (lo, hi) in ends.items()}
    # A target that no row inside reaches is none: it would change the hash, and count as a way to go.
    tight = {j: (lo, hi) for j, (lo, hi) in tight.items() if hi}
    if not rest and all(lo == hi for lo, hi in tight.values()):
        return {j: lo for j, (lo, _) in tight.items()}
    return Limits(tight, rest)


# Rows as the rules below take them: integers over 2^30, with an entry more, outside, at the end


@dataclass(frozen=True)
class ScaledRow:
    """low ≤ p ≤ high, Σ p = 2^30, for each target by name, and at last for what goes outside."""

    targets: Sequence[str]
    low: Sequence[int]
    high: Sequence[int]

    @classmethod
    def of(cls, row: Any) -> ScaledRow:
        """The least such ends, tightened once more: rounding has moved them outward."""
        exact = not isinstance(row, Limits)
        ends, rest = ({j: (p, p) for j, p in row.items()}, ZERO) if exact else (row.ends, row.rest)
        targets = sorted(ends)
        low = [*(rounded_down(ends[j][0], BITS) for j in targets), 0]
        high = [*(-rounded_down(-ends[j][1], BITS) for j in targets), math.ceil(rest * WHOLE)]
        least, most = sum(low), sum(high)
        pairs = [*zip(low, high, strict=True)]
        low = [max(lo, WHOLE - (most - hi)) for lo, hi in pairs]
        return cls(targets, low, [min(hi, WHOLE - (least - lo)) for lo, hi in pairs])

    @cached_property
    def centre(self) -> list[int]:
        """A row about the middle; any would do. Nothing of it goes outside."""
        left, room = WHOLE - sum(self.low), max(sum(self.high) - sum(self.low), 1)
        ends = zip(self.low, self.high, strict=True)
        return [*[lo + (hi - lo) * left // room for lo, hi in ends][:-1], 0]

    def corners(self) -> set[tuple[int, ...]]:
        """All p in which every entry but one is at an end."""
        # A corner of low ≤ p ≤ high, Σ p = 1 has at most one entry strictly between its ends: the one
        # that Σ p = 1 fixes.
        found = set()
        ends = [*zip(self.low, self.high, strict=True)]
        for free, (lo, hi) in enumerate(ends):
            before, after = ([{*pair} for pair in part] for part in (ends[:free], ends[free + 1 :]))
            for others in product(*before, (0,), *after):
                left = WHOLE - sum(others)
                if lo <= left <= hi:
                    found.add((*others[:free], left, *others[free + 1 :]))
        return found

    def fill(self, at_low: Sequence[int], at_high: Sequence[int]) -> int:
        """At least the largest sum, over all p, of the straight lines between values at the two ends."""
        # A linear program with one equation, Σ p = 1: what is left to place goes to the steepest lines
        # first, and to those that fall if it must.
        total, left = sum(at_low), WHOLE - sum(self.low)
        ends = zip(at_low, at_high, self.low, self.high, strict=True)
        rises = [(above - below, hi - lo) for below, above, lo, hi in ends if hi > lo]
        for rise, room in sorted(rises, key=cmp_to_key(steeper)):
            part = min(room, left)
            total += -(-rise * part // room)
            left -= part
        return total


def steeper(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Below 0 if the first of two pairs (rise, room), room > 0, has the larger rise/room."""
    return other[0] * one[1] - one[0] * other[1]


def up(value: int) -> int:
    """⌈value/2^30⌉."""
    # The shift rounds down, the two signs make it round up.
    return -(-value >> BITS)


# Corners


Number = TypeVar("Number", int, Fraction)


class CornerBounds:
    """``size``, ``[i, j, values]``: claims V(k·e_i − (G−k)·e_j) ≤ U_k, G the size, k from 0 to G, in units of 2^-30.

    Each is covered by these claims at all corners of the rows of i and j: what follows on two states of a label lies
    between two neighbouring directions, and V below the straight line, for V is convex. So they are step claims, and
    may cite each other in circles.
    """

    def __init__(self, model: Model, size: Any, entries: Any) -> None:
        need(type(size) is int and 2 <= size <= MOST_DIRECTIONS, "corners", "2 to 4096 directions", size)
        self.model = model
        self.size: int = size
        self.values: dict[tuple[str, str], list[int]] = {}
        for i, j, given in lists(entries, 3):
            known = {i, j} <= model.label.keys() and i != j and model.label[i] == model.label[j]
            need(known and (i, j) not in self.values, "corners", "two states of one label, each pair once", i, j)
            fits = isinstance(given, list) and len(given) == size + 1 and {*map(type, given)} == {int}
            need(fits, "corners", "a whole number for each direction", given)
            self.values[i, j] = given
        self.check()

    def upper(self, s: str, t: str, alpha: Any) -> Fraction:
        """≥ V(e_s − αe_t)."""
        need(isinstance(alpha, Fraction), "corners", "a rational e^ε", alpha)
        above: Fraction = self.between(s, t, ONE, alpha)
        return above / (self.size << BITS)

    def check(self) -> None:
        """Each value is at least the gap, and what follows at all corners of both rows."""
        g, work = self.size, 0
        for (i, j), values in self.values.items():
            name = f"corners ({i}, {j})"
            rows = [ScaledRow.of(self.model.rows[state][None]) for state in (i, j)]
            most = max(len(row.low) for row in rows)
            need(most <= MOST_ENTRIES, name, f"rows of at most {MOST_ENTRIES} entries", most)
            spend(20 * sum(len(row.low) << len(row.low) for row in rows))
            mine, theirs = (row.corners() for row in rows)
            work += sum(len(row.low) << len(row.low) for row in rows) + len(mine) * len(theirs) * (g + 1)
            need(work <= MOST_WORK, name, f"at most {MOST_WORK} corners", work)
            for k, value in enumerate(values):
                # V_0 of the induction. Without it, claims that cite each other could all be too small.
                need(value >= max(2 * k - g, 0) * WHOLE, name, f"the base case of direction {k}", value)
            for p, other in product(mine, theirs):
                spend(60 * len(values))
                parts = self.parts(rows, (p, other))
                for k, value in enumerate(values):
                    # What i sends outside may all be gained, and what j sends there need not be lost.
                    after = k * p[-1] * WHOLE + sum(self.child(part, k) for part in parts)
                    need(after <= value * WHOLE, name, f"what follows direction {k}", after, value * WHOLE)

    def parts(self, rows: Sequence[ScaledRow], picked: Sequence[Sequence[int]]) -> list[dict[str, list[int]]]:
        """By label: for each state what it gets from i and from j."""
        parts: dict[str, dict[str, list[int]]] = {}
        for side in (0, 1):
            for target, share in zip(rows[side].targets, picked[side][:-1], strict=True):
                part = parts.setdefault(self.model.label[target], {})
                part.setdefault(target, [0, 0])[side] = share
        return [*parts.values()]

    def child(self, part: Mapping[str, Sequence[int]], k: int) -> int:
        """What k·(from i) − (G−k)·(from j) on one label is worth at most, times 2^60."""
        z = {state: k * mine - (self.size - k) * other for state, (mine, other) in part.items()}
        plus, minus = ([state for state, value in z.items() if sign * value > 0] for sign in (1, -1))
        if not (plus and minus):
            return max(sum(z.values()), 0) * WHOLE
        need(len(plus) == len(minus) == 1, "corners", "beliefs over two states", [*z])
        return -(-self.between(plus[0], minus[0], z[plus[0]], -z[minus[0]]) // self.size)

    def between(self, i: str, j: str, x: Number, y: Number) -> Number:
        """G·2^30 times the bound on V(x·e_i − y·e_j), on the line between the two directions next to it."""
        if (i, j) not in self.values:
            # No values for the pair: V ≤ |w^+|.
            return x * self.size * WHOLE
        k = x * self.size // (x + y)
        rest = x * self.size - k * (x + y)
        values = self.values[i, j]
        return (x + y - rest) * values[k] + rest * values[k + 1]


# First order


Belief = dict[str, tuple[int, int, int]]
"""For each state w, what the belief is under the rows of the centre, and a ≤ z ≤ b for what it may be."""
Worth = dict[str, tuple[int, int]]
"""For each state the least and the most that the leaves' weights are worth from here on, in units of 2^-30."""


class FirstOrderTree:
    """A tree of beliefs under fixed rows q: ``x`` expands a node, ``.`` is a leaf, in depth-first order."""

    def __init__(self, model: Model, nodes: Any) -> None:
        need(isinstance(nodes, str) and {*nodes} <= {*"x."}, "first", "text of x and .")
        self.label, self.nodes = model.label, nodes
        self.row = cache(lambda state: ScaledRow.of(model.rows[state][None]))

    def bounds(self, s: str, t: str, alpha: tuple[Any, Any], bits: int) -> tuple[Fraction, Fraction]:
        """At most V(e_s − αe_t) at the larger of two α, and at least V at the smaller one."""
        unit, (smaller, larger) = 1 << bits, alpha
        below = self.total({s: unit, t: rounded_down(-larger, bits)}, above=False)
        above = self.total({s: unit, t: -rounded_down(smaller, bits)}, above=True)
        return Fraction(below >> BITS, unit), Fraction(up(above), unit)

    def total(self, root: Mapping[str, int], above: bool) -> int:
        """The bound on V(root), times 2^30: each node is summed up after all that come after it."""
        total = work = 0
        here: Belief | None = {state: (w, w, w) for state, w in root.items()}
        opened: list[tuple[Belief, Iterator[Belief], Worth]] = []
        found: Worth = {}
        for kind in self.nodes:
            if here is None:
                raise CertificateRejected("first", "no more nodes than the tree has")
            if kind == "x":
                entries = sum(len(self.row(state).low) for state in here)
                spend(60 * entries)
                work += entries
                need(work <= MOST_WORK, "first", f"at most {MOST_WORK} entries of rows", work)
                children, dropped = self.step(here)
                # Each is less than one unit of w, and no unit is worth more than 1. Below, where F ≥ 0,
                # less w is safe.
                total += dropped << BITS if above else 0
                opened.append((here, iter(children), {}))
                need(len(opened) <= MOST_OPEN, "first", f"a depth of at most {MOST_OPEN}")
            else:
                worth, values = self.leaf(here, above)
                total += worth
                (opened[-1][2] if opened else found).update(values)
            here = None
            while opened and here is None:
                belief, waiting, after = opened[-1]
                here = next(waiting, None)
                if here is None:  # all its children are summed up
                    opened.pop()
                    correction, values = self.node(belief, after, above)
                    total += correction
                    (opened[-1][2] if opened else found).update(values)
        need(here is None, "first", "as many nodes as the tree has")
        return total

    def step(self, belief: Belief) -> tuple[list[Belief], int]:
        """The beliefs after one step, by label, sorted; and how many shares of w were rounded down."""
        parts: dict[str, Belief] = {}
        dropped = 0
        for state, (w, a, b) in belief.items():
            row = self.row(state)
            for target, lo, hi, q in zip(row.targets, row.low, row.high, row.centre, strict=False):
                part = parts.setdefault(self.label[target], {})
                mine, least, most = part.get(target, (0, 0, 0))
                dropped += w * q % WHOLE > 0
                least += a * (lo if a > 0 else hi) >> BITS
                most += up(b * (hi if b > 0 else lo))
                part[target] = mine + (w * q >> BITS), least, most
        return [parts[label] for label in sorted(parts)], dropped

    def leaf(self, belief: Belief, above: bool) -> tuple[int, Worth]:
        """The weights φ of a leaf, and Σ φ·w: an event below; above, z⁺ ≤ φz + c for all z from a to b."""
        worth, weights = 0, {}
        event = WHOLE if sum(w for w, _, _ in belief.values()) > 0 else 0
        for state, (w, a, b) in belief.items():
            weight = event
            if above and (a >= 0 or b <= 0):
                weight = WHOLE if a >= 0 else 0
            elif above:
                # About the slope of the chord of z⁺ from a to b. c lifts the line above both ends; z⁺ is
                # convex, so it is below the line between them, whatever the rounding of φ.
                weight = (b << BITS) // (b - a)
                worth += max(-weight * a, (WHOLE - weight) * b)
            worth += weight * w
            weights[state] = weight, weight
        return worth, weights

    def node(self, belief: Belief, after: Worth, above: bool) -> tuple[int, Worth]:
        """What other rows may add (above) or take (below) at a node, and what its states are worth."""
        correction, values = 0, {}
        for state, (w, _, _) in belief.items():
            row = self.row(state)
            known = [*(after[target] for target in row.targets), (0, WHOLE)]  # outside, anything may follow
            least, most = ([value[k] for value in known] for k in (0, 1))
            highest = row.fill(*([p * f for p, f in zip(end, most, strict=True)] for end in (row.low, row.high)))
            lowest = row.fill(*([-p * f for p, f in zip(end, least, strict=True)] for end in (row.low, row.high)))
            values[state] = max(0, -up(lowest)), min(WHOLE, up(highest))
            if w:
                mass = w if above else -w
                # A maximum of lines in p is convex: the straight line between its ends, as `fill` has it,
                # is above.
                moved = (
                    [max(mass * (p - q) * f for f in pair) for p, q, pair in zip(end, row.centre, known, strict=True)]
                    for end in (row.low, row.high)
                )
                correction += up(row.fill(*moved)) * (1 if above else -1)
        return correction, values
