"""Beliefs level by level, joined where they point the same way: bounds for chains whose beliefs meet again.

All beliefs of one depth are expanded at once, and those of (nearly) the same direction are added up to one. With
c = m_1 + … + m_k, V(m_1) + … + V(m_k) ≥ V(c), because V is sublinear; and with any μ_1 + … + μ_k = 1, μ ≥ 0,
V(−m_1) + … + V(−m_k) ≤ V(−c) + Σ_k |(μ_k·c − m_k)^+|, because −m_k ≤ −μ_k·c + (μ_k·c − m_k)^+. Beliefs that are
proportional but for rounding cost a unit or two: what the graph of `graph` does exactly, in machine integers.

The *direction* of m is the ratio of each entry to |m|, to DIRECTION significant bits: with the first PRECISION bits a
of |m_i| and b of |m| (zeros appended to shorter ones), it is the sign, the difference of the lengths, and
⌊a·2^DIRECTION/b⌋. What differs by rounding alone has the same direction, but for a small chance.

A belief whose smaller side is at most ``dust`` is not expanded; nor is one at the last level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..cancel import Cancel
from ..kernels import Rows, expand_level, join_level
from ..kernels.records import Level, Tables
from ..kernels.types import Ints

DUST_BITS = 44
"""What is smaller than 2^-44 of the whole is dust."""
PATIENCE = 300
"""Levels without one per cent of progress before the walk is given up: such beliefs stay apart for ever."""
CROWD, CROWD_IF_CYCLIC = 50_000, 60
"""Beliefs of one level that may all point different ways before the walk is given up."""
WIDEST_LEVEL = 400_000
"""Beliefs of one level, at most."""


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


def walk(
    tables: Tables, entries: list[tuple[int, int]], budget: int, bits: int, acyclic: bool, cancel: Cancel
) -> Walked:
    """Both sides of V at the belief ``entries`` (state, integer), all of one label, in units of 2^-bits.

    Ends when no belief is left, above ``budget`` expansions, when it is cancelled, when beliefs do not meet again,
    or, unless the chain is acyclic, after `PATIENCE` levels without progress.
    """
    ordered = sorted(entries)
    level = Level(
        np.array([0, len(ordered)]),
        np.array([tables.label[ordered[0][0]]]),
        np.array([i for i, _ in ordered]),
        np.array([v for _, v in ordered]),
    )
    rows, sides = Rows(tables), np.zeros(2, np.int64)
    dust = 1 << max(bits - DUST_BITS, 0)
    depth = expanded = 0
    open_gap, patience = _gap(level), 0
    while len(level.label) and expanded <= budget and not cancel.stopped() and (acyclic or patience < PATIENCE):
        following = _next_level(tables, rows, level, dust, sides, CROWD if acyclic else CROWD_IF_CYCLIC)
        if following is None:
            break
        expanded += len(level.label)
        level, depth = following, depth + 1
        now = _gap(level)
        patience = 0 if 100 * now < 99 * open_gap else patience + 1
        open_gap = min(open_gap, now) if patience == 0 else open_gap
    finished = len(level.label) == 0
    pos, neg = _sides(level) if len(level.label) else (np.zeros(0, np.int64),) * 2
    return Walked(
        int(sides[0]) + sum(max(p - q, 0) for p, q in zip(pos.tolist(), neg.tolist(), strict=True)),
        int(sides[1]) + int(neg.sum()),
        depth,
        expanded,
        dust,
        finished,
    )


def _sides(level: Level) -> tuple[Ints, Ints]:
    """|m^+| and |m^-| of each belief."""
    pos, neg = (np.add.reduceat(np.maximum(sign * level.values, 0), level.start[:-1]) for sign in (1, -1))
    return pos, neg


def _gap(level: Level) -> float:
    """How much is open at a level, about."""
    return float(np.minimum(*_sides(level)).sum()) if len(level.label) else 0.0


def _next_level(tables: Tables, rows: Rows, level: Level, dust: int, sides: Ints, crowd: int) -> Level | None:
    """The joined children of a level; None if there are too many, or more than a ``crowd`` that hardly meet."""
    arcs = int((tables.start[level.states + 1] - tables.start[level.states]).sum())
    if arcs > 8 * WIDEST_LEVEL:
        return None
    raw = _empty_level(arcs, arcs)
    hashes, gathered = np.empty(arcs, np.uint64), np.zeros(2, np.int64)
    count = expand_level(rows, level, dust, raw, hashes, gathered)
    order = np.argsort(hashes[:count], kind="stable")
    sorted_ = hashes[order]
    new = np.ones(count, np.bool_)
    new[1:] = sorted_[1:] != sorted_[:-1]
    heads = np.append(np.flatnonzero(new), count)
    if len(heads) > crowd and 10 * len(heads) > 9 * count:
        return None
    joined = _empty_level(len(heads) - 1, int(raw.start[count]))
    join_level(raw, order, heads, joined, gathered)
    sides += gathered
    end = int(joined.start[-1])
    return joined._replace(states=joined.states[:end], values=joined.values[:end])


def _empty_level(nodes: int, entries: int) -> Level:
    """Room for so many beliefs and entries."""
    return Level(
        np.zeros(nodes + 1, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.int64),
    )
