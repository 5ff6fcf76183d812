"""Beliefs level by level, joined where they point the same way: bounds for chains whose beliefs meet again.

All beliefs of one depth are expanded at once, and those of (nearly) the same direction are added up to one. With
c = m_1 + … + m_k, V(m_1) + … + V(m_k) ≥ V(c), because V is sublinear; and with any μ_1 + … + μ_k = 1, μ ≥ 0,
V(−m_1) + … + V(−m_k) ≤ V(−c) + Σ_k |(μ_k·c − m_k)^+|, because −m_k ≤ −μ_k·c + (μ_k·c − m_k)^+. Beliefs that are
proportional but for rounding cost a unit or two: what the graph of `graph` does exactly, in machine integers.

The *direction* of m is the ratio of each entry to |m|, to DIRECTION significant bits: with the first PRECISION bits a
of |m_i| and b of |m| (zeros appended to shorter ones), it is the sign, the difference of the lengths, and
⌊a·2^DIRECTION/b⌋. What differs by rounding alone has the same direction, but for a small chance.

A belief whose smaller side is at most ``dust`` is not expanded; nor is one at the last level.

With boxes a step may lose what goes outside the model, and a join costs its remainder below, too: members may meet
different rows (docs/theory/boxes.md). Where 64 bits are too coarse, for rows that enclose numbers such as e^(−1/10),
the same is done in integers of any length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from ...cancel import Cancel
from ...kernels import Rows, expand_level, join_level
from ...kernels.records import Level, Tables
from .wide import WideBelief, WideRows, expand_wide, join_wide

DUST_BITS = 44
"""What is smaller than 2^-44 of the whole is dust."""
WIDE_DUST_BITS = 16
"""In long integers, what is smaller than 2^16 units."""
PATIENCE = 300
"""Levels without one per cent of progress before the walk is given up: such beliefs stay apart for ever."""
CROWD, CROWD_IF_CYCLIC = 50_000, 60
"""Beliefs of one level that may all point different ways before the walk is given up."""
WIDEST_LEVEL = 400_000
"""Beliefs of one level, at most."""

Beliefs = TypeVar("Beliefs")


@dataclass(frozen=True)
class Walked:
    """V(m) ≥ below and V(−m) ≤ above for the root m, in its unit, after ``levels`` steps."""

    below: int
    above: int
    levels: int
    expanded: int
    dust: int
    finished: bool
    """Whether no belief was left to expand."""

    def recipe(self) -> list[object]:
        """What a checker needs to do the same."""
        return ["levels", self.levels, self.dust]


class Arithmetic(Protocol[Beliefs]):
    """The beliefs of one depth, in integers of some kind."""

    dust: int
    sides: list[int]
    """What is settled below and above."""

    def root(self, entries: Sequence[tuple[int, int]]) -> Beliefs:
        """The level of one belief, entries (state, integer) of one label by state."""

    def step(self, level: Beliefs, crowd: int) -> Beliefs | None:
        """The joined children of a level; None if there are too many, or more than a ``crowd`` that hardly meet."""

    def masses(self, level: Beliefs) -> list[tuple[int, int]]:
        """|m^+| and |m^-| of each belief."""


def walk(
    arithmetic: Arithmetic[Beliefs], entries: Sequence[tuple[int, int]], budget: int, acyclic: bool, cancel: Cancel
) -> Walked:
    """Both sides of V at the belief ``entries`` (state, integer), all of one label.

    Ends when no belief is left, before there are more than ``budget`` expansions, when it is cancelled, when beliefs do
    not meet again, or, unless the chain is acyclic, after `PATIENCE` levels without progress.
    """
    level = arithmetic.root(sorted(entries))
    masses = arithmetic.masses(level)
    depth = expanded = patience = 0
    open_gap = sum(map(min, masses))
    while masses and expanded + len(masses) <= budget and not cancel.is_stopped() and (acyclic or patience < PATIENCE):
        following = arithmetic.step(level, CROWD if acyclic else CROWD_IF_CYCLIC)
        if following is None:
            break
        expanded += len(masses)
        level, depth = following, depth + 1
        masses = arithmetic.masses(level)
        now = sum(map(min, masses))
        patience = 0 if 100 * now < 99 * open_gap else patience + 1
        open_gap = min(open_gap, now) if patience == 0 else open_gap
    # What is left is bounded as leaves are, V(m) ≥ (m·1)^+ and V(−m) ≤ |m^-|: a walk may stop at any level.
    below = arithmetic.sides[0] + sum(max(pos - neg, 0) for pos, neg in masses)
    above = arithmetic.sides[1] + sum(neg for _, neg in masses)
    return Walked(below, above, depth, expanded, arithmetic.dust, not masses)


class Machine:
    """Beliefs in machine integers, in units of 2^-bits."""

    def __init__(self, tables: Tables, bits: int) -> None:
        self.tables, self.rows = tables, Rows(tables)
        self.dust, self.sides = 1 << max(bits - DUST_BITS, 0), [0, 0]

    def root(self, entries: Sequence[tuple[int, int]]) -> Level:
        """One belief."""
        return Level(
            np.array([0, len(entries)]),
            np.array([self.tables.label[entries[0][0]]]),
            np.array([i for i, _ in entries]),
            np.array([v for _, v in entries]),
        )

    def masses(self, level: Level) -> list[tuple[int, int]]:
        """Of each belief."""
        if not len(level.label):
            return []
        pos, neg = (np.add.reduceat(np.maximum(sign * level.values, 0), level.start[:-1]) for sign in (1, -1))
        return list(zip(pos.tolist(), neg.tolist(), strict=True))

    def step(self, level: Level, crowd: int) -> Level | None:
        """None also where boxes have let the beliefs grow so much that a step could leave 64 bits."""
        # Added up in floats, for the sum of a whole level in 64 bits could itself overflow.
        if max(float(np.abs(level.values).sum(dtype=np.float64)), self.sides[1]) > self.tables.largest // 2:
            return None
        arcs = int((self.tables.start[level.states + 1] - self.tables.start[level.states]).sum())
        if arcs > 8 * WIDEST_LEVEL:
            return None
        raw = _empty_level(arcs, arcs)
        hashes, gathered = np.empty(arcs, np.uint64), np.zeros(2, np.int64)
        count = expand_level(self.rows, level, self.dust, raw, hashes, gathered)
        order = np.argsort(hashes[:count], kind="stable")
        sorted_ = hashes[order]
        new = np.ones(count, np.bool_)
        new[1:] = sorted_[1:] != sorted_[:-1]
        heads = np.append(np.flatnonzero(new), count)
        # Hardly any met again: what follows would be as wide as a tree, without its choice of where to grow.
        if len(heads) > crowd and 10 * len(heads) > 9 * count:
            return None
        joined = _empty_level(len(heads) - 1, int(raw.start[count]))
        if not join_level(self.rows, raw, order, heads, joined, gathered):
            return None  # two beliefs on other states have one hash: what would be added up is not of one kind
        self.sides = [side + int(more) for side, more in zip(self.sides, gathered, strict=True)]
        end = int(joined.start[-1])
        return joined._replace(states=joined.states[:end], values=joined.values[:end])


class Wide:
    """Beliefs in integers of any length."""

    def __init__(self, rows: WideRows) -> None:
        self.rows, self.dust, self.sides = rows, 1 << WIDE_DUST_BITS, [0, 0]

    def root(self, entries: Sequence[tuple[int, int]]) -> list[WideBelief]:
        """One belief."""
        return [dict(entries)]

    def masses(self, level: list[WideBelief]) -> list[tuple[int, int]]:
        """Of each belief."""
        return [(sum(v for v in m.values() if v > 0), -sum(v for v in m.values() if v < 0)) for m in level]

    def step(self, level: list[WideBelief], crowd: int) -> list[WideBelief] | None:
        """The groups of one direction, each added up."""
        groups, below, above = expand_wide(self.rows, level, self.dust)
        count = sum(map(len, groups))
        if count > WIDEST_LEVEL or (len(groups) > crowd and 10 * len(groups) > 9 * count):
            return None
        joined, cost = join_wide(groups)
        self.sides = [self.sides[0] + below - (cost if self.rows.boxed else 0), self.sides[1] + above + cost]
        return joined


def _empty_level(nodes: int, entries: int) -> Level:
    """Room for so many beliefs and entries."""
    return Level(
        np.zeros(nodes + 1, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.int64),
    )
