"""Stepping stones: the cheapest paths between two states of one label, for each power of α that a path gains.

An arc i→j is a constraint f_i ≤ c + g·f_j. A *plain* arc has c = d_ij and gain g = α. A *complement* arc, for sd only,
is the constraint (1−f_j) − α(1−f_i) ≤ d_ji read as f_i ≤ (d_ji + α − 1)/α + f_j/α: its gain is 1/α. A path adds up to
f_i ≤ C + α^k f_j, k its plain arcs less its complement arcs. d need not satisfy a triangle inequality, so a path over
other states, also states that neither row reaches, may say more than the arc. Let C_k(i,j) be the least C of
exponent k:

    C_k(i,j) = min(arc, min_m d_im + α C_{k−1}(m,j), min_m (d_mi + α − 1)/α + C_{k+1}(m,j)/α).

With all of them, flows between the states of two rows need no stones (docs/theory/step.md, support reduction). What
C + α^k f_j says for f_j in [0, 1], where it is below 1, another entry (C', k') may say as well: if C' ≤ C and
(1−C')/α^k' ≥ (1−C)/α^k. Such dominated entries are left out, which loses nothing, since arcs in front keep the order.
For plain arcs alone k is the number of arcs, and an entry is dominated by any shorter one that is as cheap.
Rounds of longer paths stop when one brings nothing new. Paths that matter visit no state twice, so they end.

`close` computes them in floats. `close_exactly` is exact: floats only sort out the comparisons that are not close. The
float of arc + gain·C(m,j) is within a relative 1e-14 of it, so where it is above what it has to beat by the factor
`CLOSE` (and by `TINY`, where floats underflow), the exact one is above too. All others are made in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np

from .. import kernels
from ..cancel import Cancel
from ..kernels.types import ConstInts2, Ints32, Ints32x2, Reals, Reals2
from .kind import PLAIN, StepConstraint
from .pair_space import Mask, PairSpace
from .scalars import V

FEW_LEVELS = 12
MANY_ENTRIES = 40_000_000
"""Levels beyond the first `FEW_LEVELS` are kept as long as all tables together have at most so many entries. Without
them flows stay sound, but may not be optimal: then `Closure.complete` is False."""

IMPROVES = 1 - 1e-10
"""A longer path must be cheaper by this factor to be recorded: differences below are float noise."""

LARGEST = 1e300

CLOSE = 1 + 1e-12
TINY = 1e-290

Constraints = tuple[StepConstraint, ...]

PathTable = dict[int, tuple[V, int]]
"""Pair → (cost, first state after i, or its bitwise complement for a complement arc); dominated entries are absent."""


@dataclass(frozen=True)
class Levels(Generic[V]):
    """The cheapest paths of each exponent that matters; level numbers are indices of ``exponents``, plus 1."""

    space: PairSpace[V]
    exponents: tuple[int, ...]

    @property
    def levels(self) -> int:
        """The number of levels."""
        return len(self.exponents)

    @cached_property
    def level_of(self) -> dict[int, int]:
        """Exponent → level number."""
        return {exponent: level for level, exponent in enumerate(self.exponents, 1)}

    @cached_property
    def gains(self) -> list[V]:
        """What arrives for a unit that leaves, by level number."""
        return [self.space.scalars.one, *(self.space.exact_alpha**exponent for exponent in self.exponents)]

    def _via(self, pair: int, level: int) -> int:
        """The first state after i on the path of a pair, or its bitwise complement for a complement arc."""
        raise NotImplementedError

    def first_arc(self, u: int, v: int, level: int) -> tuple[int, bool, int]:
        """(next state, whether by a complement arc, level of the rest) of the cheapest path from u to v ≠ next."""
        via = self._via(self.space.pair(u, v), level)
        back = via < 0
        return ~via if back else via, back, self.level_of.get(self.exponents[level - 1] + (1 if back else -1), 0)


@dataclass(frozen=True)
class Closure(Levels[V]):
    """``cost[l]`` is C of the exponent ``exponents[l]`` for each pair, infinite where it is dominated.

    ``via[l]`` is the first state after i on that path, or its bitwise complement ~m if the first arc is a complement
    one.
    """

    cost: Reals2
    via: Ints32x2
    complete: bool
    """Whether every level that can matter is there."""

    def _via(self, pair: int, level: int) -> int:
        return int(self.via[level - 1, pair])

    def exact_cost(self, u: int, v: int, level: int) -> V | None:
        """The float cost as the dyadic number that it is, so that the exact simplex can start where floats failed."""
        found = float(self.cost[level - 1, self.space.pair(u, v)])
        return None if found == np.inf else self.space.scalars.ratio(*found.as_integer_ratio())

    def free(self, u: int, v: int, level: int) -> V | None:
        """0 where the path costs nothing; other paths are not there."""
        return self.space.scalars.zero if self.cost[level - 1, self.space.pair(u, v)] == 0 else None

    @cached_property
    def relative_gains(self) -> Reals:
        """α^(exponent − 1) of each level: what an arc gains, relative to a direct one."""
        return _powers(self.space.float_alpha, [k - 1 for k in self.exponents])

    @cached_property
    def steps(self) -> ConstInts2:
        """For each level, the levels (counted from 0) of the rest after a plain and after a complement first arc."""
        rest = [[self.level_of.get(k + by, 0) - 1 for by in (-1, 1)] for k in self.exponents]
        return np.array(rest, np.int64).reshape(-1, 2)


def close(
    space: PairSpace[V], d: Reals, *, constraints: Constraints = (PLAIN,), cancel: Cancel | None = None
) -> Closure[V]:
    """The levels of d that can matter, as floats. Where all costs are 0 or 1 and arcs are plain, this is exact."""
    work = _FloatTables(space, d, constraints, cancel or Cancel())
    while work.changed and not work.full and not space.single_arcs:
        work.extend()
    kept = list(work.cost)
    cost, via = (np.array([table[k] for k in kept]).reshape(len(kept), len(d)) for table in (work.cost, work.via))
    return Closure(space, tuple(kept), cost, via, space.single_arcs or not work.changed)


class _FloatTables:
    """The tables by exponent while they grow, and which exponents the last round changed."""

    def __init__(self, space: PairSpace[Any], d: Reals, constraints: Constraints, cancel: Cancel) -> None:
        self.space, self.alpha, self.cancel = space, space.float_alpha, cancel
        ends = space.ends
        self.first: dict[int, Reals] = {}
        # At α = 1 the distance is symmetric, and complement arcs say what plain ones do.
        for constraint in constraints if self.alpha > 1 else (PLAIN,):
            prices = self.first[constraint.exponent] = np.empty_like(d)
            for given, square in zip(space.squares(d), space.squares(prices), strict=True):
                square[:] = constraint.price(given, given.T, self.alpha)
                # From a state to itself there is no arc.
                np.fill_diagonal(square, np.inf)
        self.cost = {k: table.copy() for k, table in self.first.items()}
        self.via = {k: ends[1].copy() if k > 0 else ~ends[1] for k in self.first}
        self.changed = dict.fromkeys(self.first)

    @property
    def full(self) -> bool:
        """Whether there are as many tables as may be kept."""
        return len(self.cost) >= max(FEW_LEVELS, MANY_ENTRIES // max(1, len(self.space)))

    def extend(self) -> None:
        """One round: put an arc in front of every path of the exponents that changed last."""
        # Older paths have had every arc in front already.
        before = {k: self.cost[k] for k in self.changed}
        fresh: dict[int, tuple[Reals, Ints32]] = {}
        for step, arcs in self.first.items():
            for k, tail in before.items():
                self._put_in_front(step, arcs, k + step, tail, fresh)
        self.changed = {}
        for k, (cost, via) in fresh.items():
            better = np.isfinite(cost)
            if not better.any():
                continue
            self.changed[k] = None
            if k not in self.cost:
                self.cost[k], self.via[k] = cost, via
            else:
                self.cost[k] = np.where(better, cost, self.cost[k])
                self.via[k][better] = via[better]

    def _put_in_front(
        self, step: int, arcs: Reals, k: int, tail: Reals, fresh: dict[int, tuple[Reals, Ints32]]
    ) -> None:
        if k not in fresh:
            fresh[k] = np.full(len(tail), np.inf), np.zeros(len(tail), np.int32)
        cost, via = fresh[k]
        limit = np.minimum(self._limit(k), cost)
        gain = self.alpha if step > 0 else 1 / self.alpha
        parts = zip(*(self.space.squares(x) for x in (arcs, tail, limit, cost)), self.space.squares(via), strict=True)
        for low, (one, last, most, new, stone) in zip(self.space.first.tolist(), parts, strict=True):
            self.cancel.check()  # a block of thousands of states takes seconds
            kernels.extend_paths(one, last, most, gain, IMPROVES, new, stone, low, step < 0)

    def _limit(self, k: int) -> Reals:
        """What C_k has to be below, for each pair, so that no known entry dominates it."""
        limit = np.full(len(self.space), np.inf)
        for other, cost in self.cost.items():
            if other > k:
                # A larger gain dominates only what is above its cost and has 1 − C ≤ (1 − C')/α^(other − k), too.
                cost = np.maximum(cost, 1 - (1 - cost) / _powers(self.alpha, [other - k])[0])
                cost[~np.isfinite(cost)] = np.inf
            np.minimum(limit, cost, out=limit)
        if len(self.first) > 1:
            # f ≤ 1 anyhow, and from i back to i nothing is said. (Plain arcs cost at most 1, and skip the diagonal.)
            np.minimum(limit, 1.0, out=limit)
            for square in self.space.squares(limit):
                np.fill_diagonal(square, 0.0)
        return limit


def _powers(alpha: float, exponents: list[int]) -> Reals:
    """α^k for each exponent, at most `LARGEST`."""
    with np.errstate(over="ignore"):
        return np.minimum(np.float64(alpha) ** np.array(exponents, float), LARGEST)


# The same, exactly.


@dataclass(frozen=True)
class ExactClosure(Levels[V]):
    """Every entry of every exponent that is not dominated (see `closure`)."""

    d: Sequence[V]
    tables: dict[int, PathTable[V]]

    def _via(self, pair: int, level: int) -> int:
        return self.tables[self.exponents[level - 1]][pair][1]

    def cost(self, u: int, v: int, level: int) -> V | None:
        """The cheapest path from u to v at a level, or None where it is dominated."""
        found = self.tables[self.exponents[level - 1]].get(self.space.pair(u, v))
        return None if found is None else found[0]


def close_exactly(
    space: PairSpace[V], d: Sequence[V], *, constraints: Constraints = (PLAIN,), cancel: Cancel | None = None
) -> ExactClosure[V]:
    """All entries of exact d that are not dominated."""
    work = _ExactTables(space, d, constraints)
    changed = {} if space.single_arcs else {k: dict(table) for k, table in work.tables.items()}
    while changed:
        if cancel is not None:
            cancel.check()
        changed = work.extend(changed)
    return ExactClosure(space, tuple(work.tables), d, work.tables)


class _ExactTables(Generic[V]):
    """The tables while they grow. ``first[k]`` are the arcs themselves: k = 1 plain, k = −1 complement."""

    def __init__(self, space: PairSpace[V], d: Sequence[V], constraints: Constraints) -> None:
        self.space, self.alpha, self.one = space, space.exact_alpha, space.scalars.one
        self.nearest = space.scalars.nearest
        v, off, back = space.ends[1].tolist(), space.off_diagonal.tolist(), space.swapped.tolist()
        # At α = 1 the distance is symmetric, and both arcs say the same; bounds of it from below need not be.
        if len(constraints) > 1 and space.at_one and all(d[p] == d[back[p]] for p in off):
            constraints = (PLAIN,)
        self.first: dict[int, PathTable[V]] = {}
        for constraint in constraints:
            k, price = constraint.exponent, constraint.price
            self.first[k] = {p: (price(d[p], d[back[p]], self.alpha), v[p] if k > 0 else ~v[p]) for p in off}
        self.tables = {k: dict(table) for k, table in self.first.items()}
        self.floats: dict[int, Reals] = {k: self._in_floats(table) for k, table in self.first.items()}

    def _in_floats(self, table: PathTable[V]) -> Reals:
        found = np.full(len(self.space), np.inf)
        for pair, (cost, _) in table.items():
            found[pair] = self.nearest(cost)
        return found

    def extend(self, tails: dict[int, PathTable[V]]) -> dict[int, PathTable[V]]:
        """Put an arc in front of the paths ``tails``; what was new and not dominated, by exponent."""
        fresh: dict[int, PathTable[V]] = {}
        for step, arcs in self.floats.items():
            gain = self.alpha if step > 0 else 1 / self.alpha
            for k, tail in tails.items():
                new = fresh.setdefault(k + step, {})
                squares = (self.space.squares(x) for x in (arcs, self._in_floats(tail), self._float_limit(k + step)))
                for low, one, last, most in zip(self.space.first.tolist(), *squares, strict=True):
                    for i, m, j in _candidates(one, last, most, self.nearest(gain)):
                        # The path i → m, then from m to j as ``tail`` has it.
                        pair, first, rest = (self.space.pair(low + a, low + b) for a, b in ((i, j), (i, m), (m, j)))
                        cost = self.first[step][first][0] + gain * tail[rest][0]
                        better = pair not in new or cost < new[pair][0]
                        if better and not self._is_dominated(pair, cost, k + step):
                            new[pair] = cost, low + m if step > 0 else ~(low + m)
        fresh = {k: table for k, table in fresh.items() if table}
        for k, table in fresh.items():
            self.tables.setdefault(k, {}).update(table)
        return fresh

    def _is_dominated(self, pair: int, cost: V, k: int) -> bool:
        """Whether an entry of the tables says as much as f_i ≤ cost + α^k f_j wherever that is below 1."""
        if len(self.first) > 1 and cost >= self.one:
            return True
        for other, table in self.tables.items():
            entry = table.get(pair)
            if entry is None or entry[0] > cost:
                continue
            if other <= k or (1 - cost) <= (1 - entry[0]) / self.alpha ** (other - k):
                return True
        return False

    def _float_limit(self, k: int) -> Reals:
        """Above this, a path of exponent k is dominated for sure, whatever floats lose."""
        limit = np.full(len(self.space), 1.0 if len(self.first) > 1 else np.inf)
        for other, table in self.tables.items():
            costs = self._in_floats(table)
            if other > k:
                costs = np.maximum(costs, 1 - (1 - costs) / self.nearest(self.alpha ** (other - k)))
                costs[~np.isfinite(costs)] = np.inf
            limit = np.minimum(limit, costs)
        zero = limit == 0.0
        limit = limit * CLOSE + (1e-12 if len(self.first) > 1 else TINY)
        if len(self.first) == 1:
            limit[zero & self._exact_zeros()] = -1.0  # 0 cannot be beaten
        for square in self.space.squares(limit):
            np.fill_diagonal(square, -1.0)
        return limit

    def _exact_zeros(self) -> Mask:
        found = np.zeros(len(self.space), bool)
        for table in self.tables.values():
            found[[pair for pair, (cost, _) in table.items() if not cost]] = True
        return found


def _candidates(one: Reals2, tail: Reals2, limit: Reals2, gain: float) -> list[tuple[int, int, int]]:
    """The (i, m, j) for which one_im + gain·tail_mj may be below the limit of (i, j), all different."""
    found = []
    # A stepping stone is a third state of the label.
    for i in range(len(one) if len(one) > 2 else 0):
        stones = np.flatnonzero(one[i] < np.max(limit[i]))
        with np.errstate(invalid="ignore"):  # 0 · ∞, where 1/α is 0 in floats: there is no such path
            through = one[i, stones, None] + gain * tail[stones]
        for at, j in np.argwhere(through < limit[i]).tolist():
            m = int(stones[at])
            if j not in (i, m) and m != i:
                found.append((i, m, j))
    return found
