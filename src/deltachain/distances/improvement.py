"""Strategy improvement: the distance from below, in floats as a guide, and exactly.

A *strategy* σ chooses one option for each pair: a direction for bd, an input where the observer has a choice. Its
operator F_σ has the least fixed point b_σ, and the distance is b = max_σ b_σ, attained at all pairs by one σ
(docs/theory/fixed-points.md, Theorem 11). Start with any σ and repeat:

- find the zero set of F_σ, exactly, and b_σ off it: policy iteration over flows, which has one fixed point there;
- let each pair whose other option has a step above its value, *strictly*, change to that option.

Where no pair changes, b_σ is the distance. Otherwise b_σ rises, somewhere strictly; so no strategy comes twice, and it
ends. A pair whose options tie must keep the one that it has: changing it may lower the value.

Policy iteration over the flows of *all* options (`policy_iteration`) starts from above and may stop at another fixed
point. It has stopped at the distance if the options in force vanish where the distance does (`attain`). Where it
has not, floats improve the strategy from below, and the flows are those that are optimal at the values reached: their
least value is never below the distance, and is the distance if the values reached are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from ..cancel import Cancel
from ..errors import NotConverged, SolverError
from ..model.components import components
from ..numbers.field import Exact
from .closure import ExactClosure, close, close_exactly
from .kind import DistanceKind
from .lifting import Singular
from .lower_side import OFTEN, LowerSide, Ranks, find_ranks
from .pair_space import PairSpace
from .policy_iteration import FloatPoint, apply_step, best_policy, find_policy, nodes_of
from .scalars import V
from .step_exact import (
    BasisEntry,
    Flow,
    exact_flow,
    flow_value,
    moved_by,
    option_imbalance,
    plain_flow,
    solve_amounts,
    unfold_amounts,
)
from .zero_set import ZeroSet, zero_set

RISES = 1e-9
"""By more than this, relatively, a step must be above its pair's value for floats to change the option."""
TINY = 1e-15
NEAR = 1e-7
"""Values of a guide within this, relatively, may be equal."""
MAX_ROUNDS = 60
"""Rounds of improvement in floats, which could go in circles; exact arithmetic goes on from where they stop."""


# In floats.


def attain(
    space: PairSpace[V], kind: DistanceKind, zero: ZeroSet[V], guide: FloatPoint[V], cancel: Cancel | None = None
) -> FloatPoint[V]:
    """The guide, if its options in force vanish only on the zero set; else one that is improved from below.

    In the first case its values are those of its strategy, as sharp as floats are: F_σ has one fixed point off its
    zero set.
    """
    if len(guide.active) == 0 or not _may_be_above(space, kind, guide):
        return guide
    return _improve(space, kind, zero, guide, cancel)


def _may_be_above(space: PairSpace[V], kind: DistanceKind, guide: FloatPoint[V]) -> bool:
    """Whether the guide's values could be a fixed point above the distance; a quick test that rarely says so.

    With inputs anything may be. Without, only symmetric kinds have a choice, and only at α > 1: at α = 1 both
    directions of a pair have the same step. Along plain arcs, a fixed point above the least has one value M, at most
    1/(1 + α), on two pairs or more that feed on each other (docs/theory/fixed-points.md, Proposition 15).
    """
    if space.layers > 1 or kind.directed or space.at_one:
        return space.layers > 1
    if kind.complement:
        return True
    values = guide.d[space.pairs_of(guide.policy.todo[guide.active])]
    low = np.sort(values[values <= (1 + NEAR) / (1 + space.float_alpha)])
    return bool((np.diff(low) <= NEAR * low[1:]).any())


def _improve(
    space: PairSpace[V], kind: DistanceKind, zero: ZeroSet[V], guide: FloatPoint[V], cancel: Cancel | None
) -> FloatPoint[V]:
    todo = guide.policy.todo
    nodes = nodes_of(space, kind, todo)
    pairs = space.pairs_of(todo)
    places = guide.active.copy()
    for round_number in range(MAX_ROUNDS):
        options = np.sort(todo[places])
        vanishing = zero_set(space, kind, options=options, cancel=cancel).member
        # b_σ ≤ b vanishes wherever b does: if it does on as many pairs, it does on the same.
        if round_number == 0 and np.count_nonzero(vanishing) == np.count_nonzero(zero.member):
            return guide
        if cancel is not None:
            cancel.report(f"improvement from below: round {round_number + 1}")
        below = find_policy(space, kind, vanishing, options=options[~vanishing[space.pairs_of(options)]], cancel=cancel)
        closure = close(space, below.d, constraints=kind.constraints, cancel=cancel)
        steps = best_policy(space, todo, closure)
        guide = replace(
            guide, d=below.d, policy=steps.policy, stopped=steps.stopped, closure=closure, active=places.copy(),
            levels=max(guide.levels, closure.levels), settled=below.settled,
        )  # fmt: skip
        # The best option of each node, and whether it is better than the value by more than floats can be wrong.
        values = steps.value[nodes.place]
        best = np.maximum.reduceat(values, nodes.head[:-1])
        rising = np.flatnonzero(best > below.d[pairs[places]] * (1 + RISES) + TINY)
        if len(rising) == 0:
            break
        for node in rising.tolist():
            span = slice(int(nodes.head[node]), int(nodes.head[node + 1]))
            places[node] = nodes.place[span][int(np.argmax(values[span]))]
    return guide


# Exactly.


@dataclass(frozen=True)
class ExactDistance(Generic[V]):
    """The exact distance: flows for every option that cost no more, and the lower side that proves the same values."""

    space: PairSpace[V]
    flows: dict[int, Flow[V]]
    zero: ZeroSet[V]
    lower: LowerSide[V]
    rounds: int
    """Strategies that were evaluated."""
    sharp = True

    def value(self, pair: int) -> Exact:
        """The distance of one pair."""
        return self.lower.value(pair)

    def flow(self, option: int) -> Flow[V]:
        """The exact flow of an option, which costs at most the pair's value."""
        return self.zero.flow(option) if self.zero.member[self.space.pairs_of(option)] else self.flows[option]

    def move(self, option: int) -> Mapping[int, V]:
        """What the flow of an option moves along pairs, by their numbers; along complement arcs with a minus."""
        return moved_by(self.space, self.flow(option))


def solve_exactly(
    space: PairSpace[V],
    kind: DistanceKind,
    guide: FloatPoint[V],
    zero: ZeroSet[V],
    *,
    max_equations: int,
    cancel: Cancel | None = None,
) -> ExactDistance[V]:
    """The exact distance on every pair of the space; NotConverged (without a value) where it is too large."""
    work = _Strategy(space, kind, guide, max_equations, cancel)
    rounds = 0
    while True:
        rounds += 1
        if cancel is not None:
            cancel.report(f"exact: strategy {rounds}")
        ranks, closure = work.evaluate()
        if work.switch(closure):
            continue
        active = tuple(option for option in work.active() if option in ranks.rank)
        bases = {option: work.basis[option] for option in active}
        lower = LowerSide(space, work.d, active, ranks, bases, closure)
        return ExactDistance(space, work.flows, zero, lower, rounds)


class _NoFiniteValue(ArithmeticError):
    """The flows of a policy feed on each other and gain: it has no finite value."""


class _Strategy(Generic[V]):
    """The strategy while it improves. A *node* is an unordered pair for bd, else an ordered one: a pair number."""

    def __init__(
        self, space: PairSpace[V], kind: DistanceKind, guide: FloatPoint[V], max_equations: int, cancel: Cancel | None
    ) -> None:
        self.space, self.kind, self.max_equations, self.cancel = space, kind, max_equations, cancel
        self.swapped = space.swapped
        todo = guide.policy.todo.tolist()
        bases = apply_step(space, guide.policy.todo, guide.closure)
        self.basis: dict[int, list[BasisEntry]] = {}
        self.flows: dict[int, Flow[V]] = {}
        self.options: dict[int, list[int]] = {}
        for at, option in enumerate(todo):
            self._look(at)
            self.basis[option] = bases.entries(at)
            self.flows[option] = exact_flow(space, bases, guide.closure, at)
            self.options.setdefault(self.node(option), []).append(option)
        self.nodes = sorted(self.options)
        self.chosen = {self.node(option): option for option in guide.policy.todo[guide.active].tolist()}
        self.d: list[V] = [self.space.scalars.zero] * len(space)

    def _look(self, at: int) -> None:
        """Obey the cancel, now and then."""
        if self.cancel is not None and at % OFTEN == 0:
            self.cancel.check()

    def node(self, option: int) -> int:
        """The node of an option."""
        return self.kind.node(self.space, int(self.space.pairs_of(option)))

    def active(self) -> list[int]:
        """The chosen options."""
        return [self.chosen[node] for node in self.nodes]

    def evaluate(self) -> tuple[Ranks[V], ExactClosure[V]]:
        """Make d the least fixed point of the strategy's operator: 0 on its zero set, policy iteration off it.

        Every policy's value is at least that fixed point, and falls while some flow is not optimal at it; off the zero
        set a value at which all are optimal is the only fixed point.
        """
        ranks = find_ranks(self.space, self.kind, self.active(), self.cancel)
        live = sorted(self.node(option) for option in ranks.rank)
        self.d = [self.space.scalars.zero] * len(self.space)
        try:
            self._solve(live)
        except _NoFiniteValue:
            # Floats misjudged some flow. Those without arcs have a finite value, and improvement keeps it finite.
            for node in live:
                need = option_imbalance(self.space, self.chosen[node])
                self.flows[self.chosen[node]], self.basis[self.chosen[node]] = plain_flow(need), []
            self._solve(live)
        while True:
            closure = close_exactly(self.space, self.d, constraints=self.kind.constraints, cancel=self.cancel)
            if not self._improve(live, closure):
                return ranks, closure
            try:
                self._solve(live)
            except _NoFiniteValue:
                raise SolverError("policy iteration from above reached a policy without a finite value") from None

    def _solve(self, live: list[int]) -> None:
        """Solve d = Wd + η for the chosen options of the nodes ``live``, exactly, component by component."""
        index = {node: i for i, node in enumerate(live)}
        arcs: list[dict[int, V]] = []
        for node in live:
            weights: dict[int, V] = {}
            for u, v, amount in self.flows[self.chosen[node]].cited:
                target = index.get(self.node(self.space.pair(u, v)))
                if target is not None:
                    weights[target] = weights.get(target, self.space.scalars.zero) + amount
            arcs.append(weights)
        value: list[V] = [self.space.scalars.zero] * len(live)
        found = components([list(row) for row in arcs])
        largest = max(map(len, found), default=0)
        if largest > self.max_equations:
            what = f"the exact value needs a linear system of {largest} equations"
            raise NotConverged(f"{what}, above the limit of {self.max_equations}: raise `max_equations`")
        # Dependencies come first, so that what is outside of a component is known.
        for component in found:
            self._solve_component(component, live, arcs, value)
        for node, i in index.items():
            for pair in self.kind.list_shared(self.space, node):
                self.d[pair] = value[i]

    def _solve_component(self, component: list[int], live: list[int], arcs: list[dict[int, V]], value: list[V]) -> None:
        """Solve for the nodes of one component, those that it leads to being known.

        A non-negative solution of regular equations is the least one.
        """
        inside = {node: i for i, node in enumerate(component)}
        scalars = self.space.scalars
        rows: list[dict[int, V]] = []
        right: list[V] = []
        for i, node in enumerate(component):
            row = {i: scalars.one}
            constant = self.flows[self.chosen[live[node]]].constant(self.space.exact_alpha)
            for target, weight in arcs[node].items():
                if target in inside:
                    row[inside[target]] = row.get(inside[target], scalars.zero) - weight
                else:
                    constant = constant + weight * value[target]
            rows.append({column: entry for column, entry in row.items() if entry})
            right.append(constant)
        try:
            solution = scalars.solve(rows, right, self.cancel)
        except Singular:
            raise _NoFiniteValue from None
        if any(entry < scalars.zero for entry in solution):
            raise _NoFiniteValue
        for node, entry in zip(component, solution, strict=True):
            value[node] = entry

    def _improve(self, live: list[int], closure: ExactClosure[V]) -> bool:
        """Replace flows of the chosen options by cheaper ones; whether there were any."""
        changed = False
        for at, node in enumerate(live):
            self._look(at)
            if self._optimise(self.chosen[node], closure) < self.d[node]:
                changed = True
        return changed

    def _optimise(self, option: int, closure: ExactClosure[V]) -> V:
        """Make the flow of one option optimal at d; returns its cost."""
        need = option_imbalance(self.space, option)
        amounts = solve_amounts(self.space, need, closure.cost, closure.gains, self.basis[option])
        flow = unfold_amounts(self.space, amounts, closure)
        cost = flow_value(self.space, flow, self.d)
        # A flow that ties stays: policies change only for cheaper ones, and so never go in circles.
        if cost < flow_value(self.space, self.flows[option], self.d):
            self.flows[option], self.basis[option] = flow, list(amounts)
        return cost

    def switch(self, closure: ExactClosure[V]) -> bool:
        """Change each pair to the option whose step is largest, if it is above its value; whether any was.

        If none was, every option has a flow that costs no more than the value of its pair.
        """
        changed = False
        for at, node in enumerate(self.nodes):
            self._look(at)
            best = self.d[node]
            for option in self.options[node]:
                # Any flow bounds the step from above: only where it costs more can the step be above the value.
                if flow_value(self.space, self.flows[option], self.d) > best:
                    cost = self._optimise(option, closure)
                    if cost > best:
                        best, self.chosen[node], changed = cost, option, True
        return changed
