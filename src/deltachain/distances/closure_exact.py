"""The closure of `closure`, exactly: levels of rational d, every comparison that matters made in rationals.

Floats sort out the comparisons that are not close: the float of arc + gain·C(m,j) is within a relative 1e-14 of it,
so where it is above what it has to beat by the factor `CLOSE` (and by `TINY`, where floats underflow), the exact one is
above too. All others are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from .simplex import ONE
from .space import PairSpace, nearest_float

CLOSE = 1 + 1e-12
TINY = 1e-290

Table = dict[int, tuple[fmpq, int]]
"""Pair → (cost, first state after i, or its bitwise complement for a complement arc); dominated entries are absent."""


@dataclass(frozen=True)
class ExactClosure:
    """Every entry of every exponent that is not dominated (see `closure`)."""

    space: PairSpace
    d: Sequence[fmpq]
    tables: dict[int, Table]

    @cached_property
    def exponents(self) -> tuple[int, ...]:
        """The exponent of each level."""
        return tuple(self.tables)

    @cached_property
    def _level_of(self) -> dict[int, int]:
        return {exponent: level for level, exponent in enumerate(self.exponents, 1)}

    @property
    def levels(self) -> int:
        """The number of levels."""
        return len(self.tables)

    @cached_property
    def gains(self) -> list[fmpq]:
        """What arrives for a unit that leaves, by level number; levels count from 1."""
        return [ONE, *(self.space.exact_alpha**exponent for exponent in self.exponents)]

    def cost(self, u: int, v: int, level: int) -> fmpq | None:
        """The cheapest path from u to v at a level, or None where it is dominated."""
        found = self.tables[self.exponents[level - 1]].get(self.space.pair(u, v))
        return None if found is None else found[0]

    def first_arc(self, u: int, v: int, level: int) -> tuple[int, bool, int]:
        """(next state, whether by a complement arc, level of the rest) of the cheapest path of a level."""
        exponent = self.exponents[level - 1]
        via = self.tables[exponent][self.space.pair(u, v)][1]
        if via < 0:
            return ~via, True, self._level_of.get(exponent + 1, 0)
        return via, False, self._level_of.get(exponent - 1, 0)


def close_exactly(space: PairSpace, d: Sequence[fmpq], *, complement: bool = False) -> ExactClosure:
    """All entries of exact d that are not dominated; complement arcs take part for sd."""
    work = _Work(space, d, complement)
    changed = {k: dict(table) for k, table in work.tables.items()}
    while changed:
        changed = work.extended(changed)
    return ExactClosure(space, d, work.tables)


class _Work:
    """The tables while they grow. ``first[k]`` are the arcs themselves: k = 1 plain, k = −1 complement."""

    def __init__(self, space: PairSpace, d: Sequence[fmpq], complement: bool) -> None:
        self.space, self.alpha = space, space.exact_alpha
        ends = space.ends
        u, v = ends[0].tolist(), ends[1].tolist()
        off = space.off_diagonal.tolist()
        self.first: dict[int, Table] = {1: {p: (d[p], v[p]) for p in off}}
        if complement and self.alpha > ONE:  # at α = 1 the distance is symmetric, and both arcs say the same
            back = space.swapped.tolist()
            self.first[-1] = {p: ((d[back[p]] + self.alpha - ONE) / self.alpha, ~v[p]) for p in off}
        self.u = u
        self.tables = {k: dict(table) for k, table in self.first.items()}
        self.floats: dict[int, Any] = {k: self._in_floats(table) for k, table in self.first.items()}

    def _in_floats(self, table: Table) -> Any:
        found = np.full(len(self.space), np.inf)
        for pair, (cost, _) in table.items():
            found[pair] = nearest_float(cost)
        return found

    def extended(self, tails: dict[int, Table]) -> dict[int, Table]:
        """Put an arc in front of the paths ``tails``; what was new and not dominated, by exponent."""
        fresh: dict[int, Table] = {}
        for step, arcs in self.floats.items():
            gain = self.alpha if step > 0 else ONE / self.alpha
            for k, tail in tails.items():
                limit = self._float_limit(k + step)
                floats = self._in_floats(tail)
                for low, size in zip(self.space.first.tolist(), self.space.size.tolist(), strict=True):
                    if size > 2:
                        start = self.space.pair(low, low)
                        square = slice(start, start + size * size)
                        one, last, most = (x[square].reshape(size, size) for x in (arcs, floats, limit))
                        for i, m, j in _candidates(one, last, most, nearest_float(gain)):
                            self._offer(step, k + step, low, size, (i, m, j), gain, tail, fresh)
        for k, table in fresh.items():
            self.tables.setdefault(k, {}).update(table)
        return {k: table for k, table in fresh.items() if table}

    def _offer(
        self,
        step: int,
        k: int,
        low: int,
        size: int,
        at: tuple[int, int, int],
        gain: fmpq,
        tail: Table,
        fresh: dict[int, Table],
    ) -> None:
        """Record the path i → m, then from m to j as ``tail`` has it, unless an entry dominates it."""
        i, m, j = at
        start = self.space.pair(low, low)
        pair = start + i * size + j
        cost = self.first[step][start + i * size + m][0] + gain * tail[start + m * size + j][0]
        known = fresh.setdefault(k, {}).get(pair)
        if known is not None and known[0] <= cost:
            return
        if not self._dominated(pair, cost, k):
            fresh[k][pair] = cost, low + m if step > 0 else ~(low + m)

    def _dominated(self, pair: int, cost: fmpq, k: int) -> bool:
        """Whether an entry of the tables says as much as f_i ≤ cost + α^k f_j wherever that is below 1."""
        if len(self.first) > 1 and cost >= ONE:
            return True
        for other, table in self.tables.items():
            entry = table.get(pair)
            if entry is None or entry[0] > cost:
                continue
            if other <= k or (ONE - cost) <= (ONE - entry[0]) / self.alpha ** (other - k):
                return True
        return False

    def _float_limit(self, k: int) -> Any:
        """Above this, a path of exponent k is dominated for sure, whatever floats lose."""
        limit = np.full(len(self.space), 1.0 if len(self.first) > 1 else np.inf)
        for other, table in self.tables.items():
            costs = self._in_floats(table)
            if other > k:
                costs = np.maximum(costs, 1 - (1 - costs) / nearest_float(self.alpha ** (other - k)))
                costs[~np.isfinite(costs)] = np.inf
            limit = np.minimum(limit, costs)
        zero = limit == 0.0
        limit = limit * CLOSE + (1e-12 if len(self.first) > 1 else TINY)
        if len(self.first) == 1:
            limit[zero & self._exact_zeros()] = -1.0  # 0 cannot be beaten
        for square in self.space.squares(limit):
            np.fill_diagonal(square, -1.0)
        return limit

    def _exact_zeros(self) -> Any:
        found = np.zeros(len(self.space), bool)
        for table in self.tables.values():
            found[[pair for pair, (cost, _) in table.items() if not cost]] = True
        return found


def _candidates(one: Any, tail: Any, limit: Any, gain: float) -> list[tuple[int, int, int]]:
    """The (i, m, j) for which one_im + gain·tail_mj may be below the limit of (i, j), all different."""
    found = []
    for i in range(len(one)):
        stones = np.flatnonzero(one[i] < np.max(limit[i]))
        through = one[i, stones, None] + gain * tail[stones]
        for at, j in np.argwhere(through < limit[i]).tolist():
            m = int(stones[at])
            if j not in (i, m) and m != i:
                found.append((i, m, j))
    return found


def extend_prices(
    sinks: dict[int, fmpq], closure: ExactClosure, block: range, excess: dict[int, fmpq]
) -> dict[int, fmpq]:
    """Prices f on all states of a label from its values at the sinks: f_i = min(1, min C_k(i,j) + α^k f_j).

    At optimal prices this is feasible for every arc of the label, plain or complement, and agrees with the prices of
    the sources.
    """
    prices = dict(sinks)
    for i in block:
        if i in sinks:
            continue
        f = ONE
        for j, f_j in sinks.items():
            for level in range(1, closure.levels + 1):
                cost = closure.cost(i, j, level)
                if cost is not None:
                    f = min(f, cost + closure.gains[level] * f_j)
        prices[i] = f
    return {i: f for i, f in prices.items() if f or i in excess}
