"""From pairs of states to certified δ intervals: reachable part → quotient → belief graph → interval.

Stages, each only if the one before did not close the interval:

1. Explore belief pairs of the bisimulation quotient, merged up to scale; leaves are bounded by flows without arcs.
   On a chain without cycles (but absorbing states) this always ends.
2. If the quotient is small, tell beliefs apart only up to trace equivalence (`basis`), and start again.
3. Compute ld over the states that the frontier can reach, and bound leaves by flows into it; go on, best first.

The interval is certified at every stage; the search's `Watch` (time, interruption) ends any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

from ..chain import Chain, Quotient, quotient, restrict
from ..errors import NotConverged, Stopped
from ..rational import ExpEpsilon
from ..watch import Watch
from .basis import least_rank, trace_basis
from .frontier import Frontier
from .graph import BeliefGraph
from .unroll import MAX_BITS, Interval, Solved, Unrolling

__all__ = ["Answer", "Explored", "PairAnswer", "Prepared", "Search", "StopReason"]

StopReason = Literal["exact", "gap", "nodes", "time", "interrupted"]
"""Why a search ended: nothing is left to find, the interval is narrow enough (or enough is known), or a limit."""

DEFAULT_GAP = Fraction(1, 10**6)
DEFAULT_NODES = 5000
FINITE_NODES = 200_000
"""Node budgets unless one is given: on chains with cycles, and on those without, whose graph is finite."""
FIRST_NODES = 1000
"""Nodes of the first stage on a chain with cycles."""
BASIS_STATES, BASIS_RANK = 100, 40
"""Quotients up to this size, of trace spaces up to this dimension, are looked at up to trace equivalence.

The numbers of exact elimination grow with the dimension, and those of the certificate with them.
"""
LD_PAIRS = 600_000
"""ld is computed up to this many ordered same-label pairs; beyond, flows have no arcs."""
WHOLE_NODES = 5000
"""Nodes before the interval is first solved, where only the end of the search matters."""
GROWTH = 1.5
"""The interval is solved each time the graph has grown by this factor."""


@dataclass(frozen=True)
class Search:
    """When to be content (``gap``, ``enough``) and when to give up (``max_nodes``, ``watch``).

    Without a ``gap``, a chain without cycles is searched to its end, which is exact, and others up to `DEFAULT_GAP`.
    """

    gap: Fraction | None = None
    max_nodes: int | None = None
    enough: Callable[[Sequence[Interval]], bool] | None = None
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """One pair's interval, its root node (None: settled without beliefs), how it was found, why no more was sought."""

    pair: tuple[int, int]
    root: int | None
    interval: Interval
    method: str
    stopped: StopReason


@dataclass(frozen=True)
class Explored:
    """What the answer rests on: the part of the chain that matters, its quotient, the belief graph and its values."""

    part: Chain
    quotient: Quotient
    unrolling: Unrolling
    solved: Solved


@dataclass(frozen=True)
class Answer:
    """Certified intervals for all pairs, with everything that a certificate or a witness is made from."""

    chain: Chain
    exp_epsilon: ExpEpsilon
    pairs: tuple[PairAnswer, ...]
    search: Explored | None
    """None when no pair has equal labels."""

    @property
    def nodes(self) -> int:
        """The number of belief nodes that were met."""
        return 0 if self.search is None else len(self.search.unrolling.weight)


class Prepared:
    """A chain and pairs, ready to be asked at any α: the quotient and the belief graphs are shared."""

    def __init__(self, chain: Chain, pairs: Sequence[tuple[int, int]]) -> None:
        self.chain, self.pairs = chain, list(dict.fromkeys(pairs))
        self.alike = [(s, t) for s, t in self.pairs if chain.labels[s] == chain.labels[t]]

    @cached_property
    def part(self) -> Chain:
        """What can be reached from the pairs of equal labels."""
        return restrict(self.chain, {state for pair in self.alike for state in pair})

    @cached_property
    def quotient(self) -> Quotient:
        """The part with bisimilar states merged."""
        return quotient(self.part)

    @cached_property
    def finite(self) -> bool:
        """Whether the belief graph is known to be finite."""
        return _acyclic(self.quotient.chain)

    @cached_property
    def graph(self) -> BeliefGraph:
        """Beliefs up to scale."""
        return BeliefGraph(self.quotient.chain)

    @cached_property
    def traced(self) -> BeliefGraph | None:
        """Beliefs up to scale and trace equivalence, where that merges more and is affordable."""
        chain = self.quotient.chain
        if len(chain) > BASIS_STATES or least_rank(chain) > min(BASIS_RANK, len(chain) - 1):
            return None
        basis = trace_basis(chain)
        return BeliefGraph(chain, basis) if len(basis.columns) < len(chain) else None

    def _merged(self, pair: tuple[int, int]) -> tuple[int, int]:
        """The pair of equal labels as states of the quotient."""
        s, t = (self.quotient.block[self.part.number(self.chain.states[state])] for state in pair)
        return s, t

    def bisimilar(self, pair: tuple[int, int]) -> bool:
        """Whether the states of a pair of equal labels are merged in the quotient."""
        s, t = self._merged(pair)
        return s == t

    def root(self, graph: BeliefGraph, pair: tuple[int, int]) -> int:
        """The node of a pair."""
        return graph.root(*self._merged(pair))

    def bound(self, exp_epsilon: ExpEpsilon, search: Search) -> Answer:
        """Certified intervals for δ: upper bounds at ``exp_epsilon.below``, lower bounds at ``exp_epsilon.above``."""
        apart = Interval(Fraction(1), Fraction(1), 0)
        found = {pair: PairAnswer(pair, None, apart, "different labels", "exact") for pair in self.pairs}
        explored = None
        if self.alike:
            work = _Work(self, exp_epsilon, search)
            stopped = work.run()
            unrolling, solved, found_by = work.finish()
            explored = Explored(self.part, self.quotient, unrolling, solved)
            for pair in self.alike:
                root = self.root(unrolling.graph, pair)
                interval = explored.solved.intervals[root]
                method = "bisimilar states" if self.bisimilar(pair) else found_by
                why = "exact" if interval.lower == interval.upper else stopped
                found[pair] = PairAnswer(pair, root, interval, method, why)
        return Answer(self.chain, exp_epsilon, tuple(found.values()), explored)


class _Work:
    """The stages of one search: the one at work, and an ``earlier`` one, which wins if this is cut off too soon."""

    def __init__(self, ready: Prepared, exp_epsilon: ExpEpsilon, search: Search) -> None:
        self.ready, self.search, self.chain = ready, search, ready.quotient.chain
        self.exp_epsilon = exp_epsilon
        self.gap = search.gap if search.gap is not None else Fraction(0) if ready.finite else DEFAULT_GAP
        self.max_nodes = search.max_nodes or (FINITE_NODES if ready.finite else DEFAULT_NODES)
        self.max_bits = math.inf if search.max_nodes or ready.finite else MAX_BITS
        self.first_nodes = self.max_nodes if ready.finite else min(FIRST_NODES, self.max_nodes)
        self.unrolling = self._start(ready.graph)
        self.solved: Solved | None = None
        self.earlier: list[tuple[Unrolling, Solved, str]] = []
        self.method = "beliefs of the quotient"

    def _start(self, graph: BeliefGraph) -> Unrolling:
        roots = [self.ready.root(graph, pair) for pair in self.ready.alike]
        whole = self.ready.finite and self.gap == 0 and self.search.enough is None
        return Unrolling(
            graph, roots, Frontier(self.chain, self.exp_epsilon.below), self.exp_epsilon.above, to_the_end=whole
        )

    def run(self) -> StopReason:
        """All stages; why the last of them ended."""
        try:
            self._stages()
        except Stopped:
            return self.search.watch.reason or "interrupted"
        intervals = list(self.solved.intervals.values()) if self.solved is not None else []
        return "gap" if intervals and self._content(intervals) else "nodes"

    def _stages(self) -> None:
        if self._deepen(self.first_nodes) and not self._may_be_exact():
            return
        if self.ready.traced is not None:
            # In this order: an interruption between two of these must not pair old values with the new graph.
            fresh = self._start(self.ready.traced)
            if self.solved is not None:
                self.earlier = [(self.unrolling, self.solved, self.method)]
            self.solved = None
            self.unrolling, self.method = fresh, "beliefs up to trace equivalence"
            if self._deepen(self.first_nodes):
                return
        self._sharpen()
        self._deepen(self.max_nodes)

    def _deepen(self, max_nodes: int) -> bool:
        """Explore, solving from time to time, up to ``max_nodes``; whether the search is content or over."""
        unrolling = self.unrolling
        target = WHOLE_NODES if unrolling.to_the_end else 64
        while True:
            unrolling.explore(min(target, max_nodes), self.search.watch.stopped, self.max_bits)
            self.solved = unrolling.solve()
            nodes = len(unrolling.weight)
            self.search.watch.report(f"{nodes} belief pairs, {_shown(self.solved)}")
            if unrolling.finished or self._content(list(self.solved.intervals.values())):
                return True
            self.search.watch.check()
            if nodes >= max_nodes or unrolling.bits >= self.max_bits:
                return False
            target = int(max(nodes, target) * GROWTH)

    def _content(self, intervals: Sequence[Interval]) -> bool:
        """Whether the interval over all pairs is narrow enough, or the caller knows enough."""
        return _width(intervals) <= self.gap or self._enough(intervals)

    def _enough(self, intervals: Sequence[Interval]) -> bool:
        return self.search.enough is not None and self.search.enough(intervals)

    def _may_be_exact(self) -> bool:
        """Whether a narrow interval, with nothing narrower asked for, is worth a try up to trace equivalence."""
        if self.search.gap is not None or self.solved is None or self.unrolling.finished or self.ready.traced is None:
            return False
        return not self._enough(list(self.solved.intervals.values()))

    def _sharpen(self) -> None:
        """Bound leaves by flows into ld, where ld is affordable."""
        from ..distances.fixed_point import solve_states

        frontier = self.unrolling.frontier
        leaves = [self.unrolling.graph.nodes[n] for n in self.unrolling.leaves()]
        if frontier is None or not leaves:
            return
        states = frontier.states_reached(leaves)
        sizes = [sum(self.chain.labels[s] == label for s in states) for label in self.chain.alphabet]
        if sum(size * size for size in sizes) > LD_PAIRS:
            self.method += ", without distances (too many pairs)"
            return

        def report(text: str) -> None:
            self.search.watch.report(text)
            self.search.watch.check()

        try:
            distance = solve_states(self.chain, self.exp_epsilon.below, states, kind="ld", report=report)
        except NotConverged:
            self.method += ", without distances (no certified ones found)"
            return
        self.unrolling.sharpen(Frontier(self.chain, self.exp_epsilon.below, distance))
        self.method += " into ld"

    def finish(self) -> tuple[Unrolling, Solved, str]:
        """The stage with the narrowest certified interval; its values are solved now if it was cut off before."""
        last = self.unrolling, self.solved or self.unrolling.solve(), self.method
        return min([last, *self.earlier], key=lambda stage: _width(list(stage[1].intervals.values())))


def _width(intervals: Sequence[Interval]) -> Fraction:
    """The width of the interval over all pairs."""
    return max(i.upper for i in intervals) - max(i.lower for i in intervals)


def _shown(solved: Solved) -> str:
    lower = max(float(i.lower) for i in solved.intervals.values())
    upper = max(float(i.upper) for i in solved.intervals.values())
    return f"about {lower:.6g} ≤ δ ≤ {upper:.6g}"


def _acyclic(chain: Chain) -> bool:
    """Whether the only cycles are absorbing states: then there are finitely many belief nodes."""
    waiting = [0] * len(chain)
    for s, row in enumerate(chain.rows):
        for t, _ in row:
            if t != s:
                waiting[t] += 1
            elif len(row) > 1:
                return False
    ready = [s for s, count in enumerate(waiting) if count == 0]
    done = 0
    while ready:
        s = ready.pop()
        done += 1
        for t, _ in chain.rows[s]:
            if t != s:
                waiting[t] -= 1
                if waiting[t] == 0:
                    ready.append(t)
    return done == len(chain)
