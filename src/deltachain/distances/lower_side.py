"""A distance from below: an option for each pair, prices, and ranks (docs/theory/fixed-points.md, lower side).

Let σ choose one option for each pair: a direction for bd, an input where there are any. Its operator F_σ lies below
that of the distance, so its least fixed point does. Values v are at most that, and so at most the distance, if

- v ≤ F_σ(v), shown by *prices* f for each pair: admissible at v, and worth at least the pair's value;
- v is zero where the least fixed point of F_σ is, shown by *ranks*.

Both are needed: on a closed class of pairs that feed on each other alone, any value agrees with itself.

**Ranks.** Start with all pairs and delete, round after round, those whose option has a positive step at the costs
1_{deleted}, each with *second prices* g that show it: 0 ≤ g ≤ 1, g_i ≤ α g_j for the same-label pairs (i, j) not
deleted in earlier rounds, and Σ g_i (x_i − α y_i) > 0. For sd the prices are scaled to g ≤ (α−1)/α, where complement
constraints hold for pairs that are not deleted: α g_j − g_i ≤ α − 1. A pair that gets a rank is outside the zero set
of F_σ, and those that get none are that zero set (docs/theory/zero-set.md).

`find_ranks` stops when a round deletes nothing. `certify_lower` finds values with short numbers below a float fixed
point d of F_σ. Let x be the least solution of x = Wx + κd for its flows W: at d − x, flows cost κd more than the value,
which leaves room to round down. The prices are checked exactly, and κ grows until they hold. It stops there, or takes
what the exact steps say instead of what floats did, or 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from ..cancel import Cancel
from ..errors import NotConverged
from ..kernels.types import Ints, Reals
from ..numbers.field import Exact as ExactNumber
from .closure import Closure, ExactClosure, close, close_exactly
from .kind import DistanceKind
from .pair_space import PairSpace
from .policy_iteration import FloatPoint, apply_step, build_system, evaluate, nodes_of, policy_at
from .scalars import Scalars, V
from .step_exact import (
    BasisEntry,
    Flow,
    Imbalance,
    by_label,
    extend_prices,
    flow_value,
    option_imbalance,
    solve_amounts,
    solve_label,
    start_in,
    unfold_amounts,
)

FIRST_MARGIN = 2.0**-44
LAST_MARGIN = 2.0**-30
PATIENCE = 20
"""Rounds in which pairs whose prices fail are lowered to what their steps are worth, before they are lowered to 0."""
OFTEN = 64
"""Exact steps between two looks at the clock."""


@dataclass(frozen=True)
class Ranks(Generic[V]):
    """The round in which each option's pair was deleted, and the options of pairs that never were: the zero set."""

    space: PairSpace[V]
    kind: DistanceKind
    rank: Mapping[int, int]
    missing: Sequence[int]
    closures: Sequence[Closure[V]]
    """Paths of cost 0 over the pairs that were left, at the beginning of each round."""

    def prices(self, option: int) -> dict[int, V]:
        """Second prices g of an option that has a rank; where no price is named, it is 0."""
        scale = self.kind.second_price_scale(self.space)
        closure = self.closures[self.rank[option]]
        found: dict[int, V] = {}
        for part in by_label(self.space, option_imbalance(self.space, option)):
            optimum = solve_label(self.space.scalars, part, closure.free, closure.gains)
            others = priced_beside(self.space, part)
            found |= extend_prices(part, optimum.price, closure.free, closure.gains, others)
        return {state: g * scale for state, g in found.items() if g}


def find_ranks(
    space: PairSpace[V], kind: DistanceKind, active: Sequence[int], cancel: Cancel | None = None
) -> Ranks[V]:
    """Delete the pairs of the active options, exactly. If the distance is symmetric, (v, u) goes with (u, v).

    Raises NotConverged if the stepping stones are too many to keep.
    """
    present = np.ones(len(space), bool)
    waiting = list(active)
    rank: dict[int, int] = {}
    closures: list[Closure[V]] = []
    support: dict[int, list[int]] = {}
    while waiting:
        closure = close(space, 1.0 - present, cancel=cancel)
        if not closure.complete:
            raise NotConverged(
                f"exactness needs more than {closure.levels} lengths of paths over stepping stones, "
                f"for {len(space)} pairs: too many to keep"
            )
        gone = []
        for at, option in enumerate(waiting):
            if cancel is not None and at % OFTEN == 0:
                cancel.check()
            # A flow of cost zero lasts as long as its arcs do.
            if option in support and all(present[arc] for arc in support[option]):
                continue
            flow = _free_flow(space, closure, option)
            if flow.eta:
                gone.append(option)
            else:
                support[option] = [space.pair(u, v) for u, v, _ in flow.arcs]
        if not gone:
            break
        for option in gone:
            pair = space.pairs_of(option)
            # The number of the round; its closure is appended below.
            rank[option] = len(closures)
            present[kind.list_shared(space, int(pair))] = False
        closures.append(closure)
        waiting = [option for option in waiting if option not in rank]
    return Ranks(space, kind, rank, waiting, closures)


def _free_flow(space: PairSpace[V], closure: Closure[V], option: int) -> Flow[V]:
    """A flow along paths of cost 0 that leaves as little open as can be."""
    amounts = solve_amounts(space, option_imbalance(space, option), closure.free, closure.gains)
    return unfold_amounts(space, amounts, closure)


@dataclass(frozen=True)
class LowerSide(Generic[V]):
    """Values that are at most the distance, with the options, prices and ranks that prove it."""

    space: PairSpace[V]
    values: Sequence[V]
    active: tuple[int, ...]
    """The options of σ: one for each pair, for bd for each unordered one; only where the value is positive."""
    ranks: Ranks[V]
    bases: Mapping[int, list[BasisEntry]]
    """Bases of the active options that no other undercuts at the costs of ``closure``."""
    closure: ExactClosure[V]

    def value(self, pair: int) -> ExactNumber:
        """The lower bound of one pair."""
        return self.space.scalars.exactly(self.values[pair])

    def prices(self, option: int) -> dict[int, V]:
        """Prices f over the states of the labels involved, at which Σ f (x − αy) is at least the value of the pair.

        Only a certificate needs them: that they exist is known, since no flow costs less.
        """
        prices: dict[int, V] = {}
        for part in by_label(self.space, option_imbalance(self.space, option)):
            cost, gains = self.closure.cost, self.closure.gains
            optimum = solve_label(self.space.scalars, part, cost, gains, start_in(part, self.bases[option]))
            prices |= extend_prices(part, optimum.price, cost, gains, priced_beside(self.space, part))
        return prices


def priced_beside(space: PairSpace[V], part: Imbalance[V]) -> Sequence[int]:
    """The states of a label that its sources and sinks are compared with: along single arcs, none but these."""
    return () if space.single_arcs else space.block_positions(next(iter(part.excess)))


def certify_lower(
    space: PairSpace[V], kind: DistanceKind, guide: FloatPoint[V], cancel: Cancel | None = None
) -> LowerSide[V]:
    """Lower values with short numbers, near the guide's where floats are good enough; at worst zeros."""
    work = _Below(space, kind, guide, cancel)
    margin = FIRST_MARGIN
    while True:
        values = work.lower(margin)
        closure, failed = work.find_failures(values)
        if not failed or margin >= LAST_MARGIN:
            break
        margin *= 16
    ranks, rounds = work.ranks, 0
    while True:
        while failed:
            rounds += 1
            for option, worth in failed.items():
                work.put(values, option, worth if rounds <= PATIENCE else 0.0)
            closure, failed = work.find_failures(values)
        # Ranks may rest only on pairs that are claimed to be positive.
        active = tuple(option for option in work.options if values[space.pairs_of(option)] > 0)
        if len(active) < len(ranks.rank):
            ranks = find_ranks(space, kind, active, cancel)
            failed = dict.fromkeys(ranks.missing, 0.0)
        if not failed:
            return LowerSide(space, exact_values(space.scalars, values), active, ranks, work.basis, closure)


def exact_values(scalars: Scalars[V], floats: Reals) -> list[V]:
    """Floats as the rationals that they are."""
    return [scalars.ratio(*value.as_integer_ratio()) if value else scalars.zero for value in floats.tolist()]


class _Below(Generic[V]):
    """The strategy of a guide, its ranks, and the bases of its options while values are lowered."""

    def __init__(self, space: PairSpace[V], kind: DistanceKind, guide: FloatPoint[V], cancel: Cancel | None) -> None:
        self.space, self.kind, self.cancel = space, kind, cancel
        places = np.sort(guide.active)
        options: Ints = guide.policy.todo[places]
        self.ranks = find_ranks(space, kind, options.tolist(), cancel)
        ranked = np.array([option in self.ranks.rank for option in options.tolist()], bool)
        places, options = places[ranked], options[ranked]
        self.options: list[int] = options.tolist()
        self.policy = policy_at(guide.policy, places)
        self.nodes = nodes_of(space, kind, options)
        bases = apply_step(space, options, guide.closure)
        self.basis = {option: bases.entries(i) for i, option in enumerate(self.options)}
        self.d = guide.d[space.pairs_of(options)]

    def lower(self, margin: float) -> Reals:
        """The guide's values, less the x of the module's docstring, rounded down; 0 where there is no rank."""
        known = np.zeros(len(self.nodes.head) - 1)
        known[self.nodes.of_pair[self.space.pairs_of(self.policy.todo)]] = self.d
        system = build_system(self.nodes, self.policy)
        # One option for each node, so that η goes by nodes: x = Wx + κd.
        lost, _ = evaluate(system._replace(eta=margin * known))
        low = np.maximum(np.nextafter(known * (1 - margin) - lost, -1.0), 0.0)
        # −1, a pair without a node, picks the 0 at the end.
        return np.append(low, 0.0)[self.nodes.of_pair]

    def find_failures(self, values: Reals) -> tuple[ExactClosure[V], dict[int, float]]:
        """The exact paths at some values, and the options whose steps are worth less than their pair's value."""
        exact = exact_values(self.space.scalars, values)
        closure = close_exactly(self.space, exact, constraints=self.kind.constraints, cancel=self.cancel)
        failed: dict[int, float] = {}
        for at, option in enumerate(self.options):
            if self.cancel is not None and at % OFTEN == 0:
                self.cancel.report(f"lower side: {at} of {len(self.options)} prices")
                self.cancel.check()
            value = exact[self.space.pairs_of(option)]
            if not value:
                continue
            need = option_imbalance(self.space, option)
            amounts = solve_amounts(self.space, need, closure.cost, closure.gains, self.basis[option])
            self.basis[option] = list(amounts)
            worth = flow_value(self.space, unfold_amounts(self.space, amounts, closure), exact)
            if worth < value:
                # One float down, since the nearest one may be above.
                failed[option] = max(float(np.nextafter(self.space.scalars.nearest(worth), -1.0)), 0.0)
        return closure, failed

    def put(self, values: Reals, option: int, value: float) -> None:
        """Give the pair of an option a value; if the distance is symmetric, in both directions."""
        self.kind.put(self.space, values, self.space.pairs_of(option), value)
