"""Rules for boxes alone: first order (R8, L5) and corners. docs/theory/boxes.md has the proofs.

All rows are integers over 2^30 here, with an entry more, *outside*, for what goes to states that the model does not
have; p ranges over low ≤ p ≤ high with a sum of 2^30. Part of the trusted base.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, cmp_to_key
from itertools import product
from typing import Any, TypeVar

from .errors import CertificateRejected
from .meter import spend
from .read import LimitedRow, Model, Row, lists, need, number

BITS = 30
ONE = 1 << BITS
MOST_ENTRIES, MOST_DIRECTIONS = 12, 4096
MOST_WORK, MOST_OPEN = 10**7, 10**5
"""So many entries of rows, or vertices of two rows for a direction, are looked at for one recipe, and so many nodes of
a tree are on the way to the one at hand; no more."""


def up(value: int) -> int:
    """⌈value/2^30⌉."""
    # The shift rounds down, the two signs make it round up.
    return -(-value >> BITS)


def steeper(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Below 0 if the first of two pairs (rise, room), room > 0, has the larger rise/room."""
    return other[0] * one[1] - one[0] * other[1]


@dataclass(frozen=True)
class ScaledRow:
    """low ≤ p ≤ high in units of 2^-30 for each target, by name, and at last for what goes outside."""

    targets: list[str]
    low: list[int]
    high: list[int]

    @classmethod
    def of(cls, row: Row) -> ScaledRow:
        """The least such ends, tightened once more: rounding has moved them outward."""
        ends, rest = (row.ends, row.rest) if isinstance(row, LimitedRow) else ({j: (p, p) for j, p in row.items()}, 0)
        targets = sorted(ends)
        low = [*(math.floor(ends[j][0] * ONE) for j in targets), 0]
        high = [*(math.ceil(ends[j][1] * ONE) for j in targets), math.ceil(rest * ONE)]
        least, most = sum(low), sum(high)
        pairs = [*zip(low, high, strict=True)]
        return cls(
            targets,
            [max(lo, ONE - (most - hi)) for lo, hi in pairs],
            [min(hi, ONE - (least - lo)) for lo, hi in pairs],
        )

    @cached_property
    def centre(self) -> list[int]:
        """A row about the middle; any would do. Nothing of it goes outside."""
        left, room = ONE - sum(self.low), max(sum(self.high) - sum(self.low), 1)
        ends = zip(self.low, self.high, strict=True)
        return [*[lo + (hi - lo) * left // room for lo, hi in ends][:-1], 0]

    def fill(self, at_low: Sequence[int], at_high: Sequence[int]) -> int:
        """At least the largest Σ over entries of the straight line between the values at its two ends, over all p."""
        # A linear program with one equation, Σ p = 1: what is left to place goes to the steepest lines first, and to
        # those that fall if it must.
        total, left = sum(at_low), ONE - sum(self.low)
        ends = zip(at_low, at_high, self.low, self.high, strict=True)
        rises = [(above - below, hi - lo) for below, above, lo, hi in ends if hi > lo]
        for rise, room in sorted(rises, key=cmp_to_key(steeper)):
            part = min(room, left)
            total += -(-rise * part // room)
            left -= part
        return total

    def vertices(self) -> set[tuple[int, ...]]:
        """All p in which every entry but one is at an end."""
        # A vertex of low ≤ p ≤ high, Σ p = 1 has at most one entry strictly between its ends: the one that Σ p = 1
        # fixes.
        found = set()
        ends = [*zip(self.low, self.high, strict=True)]
        for free, (lo, hi) in enumerate(ends):
            for others in product(*({*pair} for pair in ends[:free]), (0,), *({*pair} for pair in ends[free + 1 :])):
                left = ONE - sum(others)
                if lo <= left <= hi:
                    found.add((*others[:free], left, *others[free + 1 :]))
        return found


Belief = dict[str, tuple[int, int, int]]
"""For each state w, what the belief is under the rows of the centre, and a ≤ z ≤ b for what it may be."""
Values = dict[str, tuple[int, int]]
"""For each state the least and the most that the leaves' weights are worth from here on, in units of 2^-30."""


class FirstOrderTree:
    """A tree of beliefs under fixed rows q, and what it costs that rows are others (R8 above, L5 below).

    V(w) is compared with w·F(P) for weights φ of the leaves, and w·F(P) = Σ φ·w over leaves + Σ over nodes and states
    of w·(Σ_j (p_j − q_j)·F_j), which is linear in each F_j and has F_j between bounds that come up from the leaves.
    """

    def __init__(self, model: Model, nodes: Any) -> None:
        need(isinstance(nodes, str) and not {*nodes} - {*"x."}, "first", "text of x and .")
        self.label, self.nodes = model.label, nodes
        self.row = cache(lambda state: ScaledRow.of(model.given[state][None]))

    def upper(self, s: str, t: str, alpha: Fraction, bits: int) -> Fraction:
        """≥ V(e_s − αe_t)."""
        total = self._total({s: 1 << bits, t: math.ceil(-alpha * (1 << bits))}, above=True)
        return Fraction(up(total), 1 << bits)

    def lower(self, s: str, t: str, alpha: Fraction, bits: int) -> Fraction:
        """≤ V(e_s − αe_t)."""
        total = self._total({s: 1 << bits, t: math.floor(-alpha * (1 << bits))}, above=False)
        return Fraction(total >> BITS, 1 << bits)

    def _total(self, root: Mapping[str, int], above: bool) -> int:
        """The bound on V(root), times 2^30: nodes in depth-first order, each summed up after all that come after it."""
        total = work = 0
        here: Belief | None = {state: (w, w, w) for state, w in root.items()}
        opened: list[tuple[Belief, Iterator[Belief], Values]] = []
        found: Values = {}
        for kind in self.nodes:
            if here is None:
                raise CertificateRejected("first", "no more nodes than the tree has")
            if kind == "x":
                entries = sum(len(self.row(state).low) for state in here)
                spend(60 * entries)
                work += entries
                need(work <= MOST_WORK, "first", f"at most {MOST_WORK} entries of rows", work)
                children, dropped = self._step(here)
                # Each is less than one unit of w, and no unit is worth more than 1. Below, where F ≥ 0, less w is safe.
                total += dropped << BITS if above else 0
                opened.append((here, iter(children), {}))
                need(len(opened) <= MOST_OPEN, "first", f"a depth of at most {MOST_OPEN}")
            else:
                worth, values = self._leaf(here, above)
                total += worth
                (opened[-1][2] if opened else found).update(values)
            here = None
            while opened and here is None:
                belief, waiting, after = opened[-1]
                here = next(waiting, None)
                if here is None:  # all its children are summed up
                    opened.pop()
                    correction, values = self._node(belief, after, above)
                    total += correction
                    (opened[-1][2] if opened else found).update(values)
        need(here is None, "first", "as many nodes as the tree has")
        return total

    def _step(self, belief: Belief) -> tuple[list[Belief], int]:
        """The beliefs after one step, by label, sorted; and how many shares of w were rounded down."""
        parts: dict[str, Belief] = {}
        dropped = 0
        for state, (w, a, b) in belief.items():
            row = self.row(state)
            for target, lo, hi, q in zip(row.targets, row.low, row.high, row.centre, strict=False):
                part = parts.setdefault(self.label[target], {})
                mine, least, most = part.get(target, (0, 0, 0))
                dropped += w * q % ONE > 0
                least += a * (lo if a > 0 else hi) >> BITS
                most += up(b * (hi if b > 0 else lo))
                part[target] = mine + (w * q >> BITS), least, most
        return [parts[label] for label in sorted(parts)], dropped

    def _leaf(self, belief: Belief, above: bool) -> tuple[int, Values]:
        """The weights φ of a leaf, and Σ φ·w. Below they are an event. Above, z⁺ ≤ φz + c for all z from a to b."""
        worth, weights = 0, {}
        event = ONE if sum(w for w, _, _ in belief.values()) > 0 else 0
        for state, (w, a, b) in belief.items():
            weight = event
            if above and (a >= 0 or b <= 0):
                weight = ONE if a >= 0 else 0
            elif above:
                # About the slope of the chord of z⁺ from a to b. c lifts the line above both ends; z⁺ is convex, so it
                # is below the line between them, whatever the rounding of φ.
                weight = (b << BITS) // (b - a)
                worth += max(-weight * a, (ONE - weight) * b)
            worth += weight * w
            weights[state] = weight, weight
        return worth, weights

    def _node(self, belief: Belief, after: Values, above: bool) -> tuple[int, Values]:
        """What other rows may add (above) or take (below) at an expanded node, and the values of its states."""
        correction, values = 0, {}
        for state, (w, _, _) in belief.items():
            row = self.row(state)
            known = [*(after[target] for target in row.targets), (0, ONE)]  # outside, anything may follow
            least, most = ([value[k] for value in known] for k in (0, 1))
            highest = row.fill(*([p * f for p, f in zip(end, most, strict=True)] for end in (row.low, row.high)))
            lowest = row.fill(*([-p * f for p, f in zip(end, least, strict=True)] for end in (row.low, row.high)))
            values[state] = max(0, -up(lowest)), min(ONE, up(highest))
            if w:
                mass = w if above else -w
                # A maximum of lines in p is convex: the straight line between its ends, as `fill` has it, is above.
                moved = (
                    [max(mass * (p - q) * f for f in pair) for p, q, pair in zip(end, row.centre, known, strict=True)]
                    for end in (row.low, row.high)
                )
                correction += up(row.fill(*moved)) * (1 if above else -1)
        return correction, values


Number = TypeVar("Number", int, Fraction)


class CornerBounds:
    """Upper bounds of V at the directions k·e_i − (G−k)·e_j, that hold whatever rows nature picks at each step.

    V, the most over natures, is convex in each row, so only the vertices of boxes need be tried; and it is convex in
    the belief, so between two directions it lies below the straight line.
    """

    def __init__(self, model: Model, size: Any, entries: Any) -> None:
        self.model, self.size = model, int(number(size))
        need(2 <= self.size <= MOST_DIRECTIONS, "corners", f"a size from 2 to {MOST_DIRECTIONS}", self.size)
        self.values: dict[tuple[str, str], list[int]] = {}
        for i, j, given in lists(entries, 3):
            known = {i, j} <= model.label.keys() and i != j and model.label[i] == model.label[j]
            need(known and (i, j) not in self.values, "corners", "two states of one label, each pair once", i, j)
            need(isinstance(given, list) and len(given) == self.size + 1, "corners", "a value for each direction")
            self.values[i, j] = [int(number(value)) for value in given]
        self._check()

    def upper(self, s: str, t: str, alpha: Fraction) -> Fraction:
        """≥ V(e_s − αe_t)."""
        return self._between(s, t, Fraction(1), alpha) / (self.size << BITS)

    def _check(self) -> None:
        """Each value is at least the gap, and what follows at all vertices of both rows."""
        g, work = self.size, 0
        for (i, j), values in self.values.items():
            name = f"corners ({i}, {j})"
            rows = [ScaledRow.of(self.model.given[state][None]) for state in (i, j)]
            need(max(len(row.low) for row in rows) <= MOST_ENTRIES, name, f"rows of at most {MOST_ENTRIES} entries")
            spend(20 * sum(len(row.low) << len(row.low) for row in rows))
            mine, theirs = (row.vertices() for row in rows)
            work += sum(len(row.low) << len(row.low) for row in rows) + len(mine) * len(theirs) * (g + 1)
            need(work <= MOST_WORK, name, f"at most {MOST_WORK} vertices", work)
            for k, value in enumerate(values):
                # (k − (g − k))^+, without which circles could claim too little (R3).
                need(value >= max(2 * k - g, 0) * ONE, name, f"the base case of direction {k}", value)
                need(value < 1 << 64, name, "values below 2^64")
            for p, other in product(mine, theirs):
                spend(60 * len(values))
                parts = self._parts(rows, (p, other))
                for k, value in enumerate(values):
                    # What i sends outside may all be gained, and what j sends there need not be lost.
                    after = k * p[-1] * ONE + sum(self._child(part, k) for part in parts)
                    need(after <= value * ONE, name, f"what follows direction {k}", after, value * ONE)

    def _parts(self, rows: Sequence[ScaledRow], picked: Sequence[Sequence[int]]) -> list[dict[str, list[int]]]:
        """By label: for each state what it gets from i and from j."""
        parts: dict[str, dict[str, list[int]]] = {}
        for side in (0, 1):
            for target, share in zip(rows[side].targets, picked[side], strict=False):
                parts.setdefault(self.model.label[target], {}).setdefault(target, [0, 0])[side] = share
        return [*parts.values()]

    def _child(self, part: Mapping[str, Sequence[int]], k: int) -> int:
        """What the belief k·(from i) − (G−k)·(from j) on one label is worth at most, times 2^60."""
        z = {state: k * mine - (self.size - k) * other for state, (mine, other) in part.items()}
        plus, minus = ([state for state, value in z.items() if sign * value > 0] for sign in (1, -1))
        if not (plus and minus):
            return max(sum(z.values()), 0) * ONE
        need(len(plus) == len(minus) == 1, "corners", "beliefs over two states", [*z])
        return -(-self._between(plus[0], minus[0], z[plus[0]], -z[minus[0]]) // self.size)

    def _between(self, i: str, j: str, x: Number, y: Number) -> Number:
        """G·2^30 times the bound on V(x·e_i − y·e_j), on the line between the two directions next to it."""
        if (i, j) not in self.values:
            # No values for the pair: V ≤ |w^+|.
            return x * self.size * ONE
        k = x * self.size // (x + y)
        rest = x * self.size - k * (x + y)
        values = self.values[i, j]
        return (x + y - rest) * values[k] + rest * values[k + 1]
