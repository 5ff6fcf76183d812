"""From pairs of states to certified δ intervals: reachable part → quotient → beliefs → interval.

1. *Exact.* Explore the graph of belief pairs of the bisimulation quotient, up to scale, then up to trace equivalence. A
   graph that ends gives the exact δ, at every ε. On a chain without cycles (but absorbing states) it always ends.
2. *Split.* Where it has no end, split by where the chain ends, as far as that can be told in the long run (`splits`);
   if the graphs of all parts end, δ is exact too.
3. *Closed by flows.* Where pairs of states are few, their sharp distance closes beliefs that proportion does not.
4. *Certified.* Otherwise, signed beliefs in machine integers (`forest`).

Where the observer chooses inputs, graphs are closed under all of them; trace equivalence, splits, levels and grids are
for chains without inputs, and those stages are left out.

The interval is certified whenever the search stops; its `Watch` (time, interruption) ends any stage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ..chain import Chain, Quotient, quotient, restrict
from ..errors import NotConverged, Stopped
from ..flints import fraction
from ..kernels import loaded
from ..rational import ExpEpsilon
from ..watch import Watch
from .answers import Answer, Interval, PairAnswer, Search, StopReason
from .finite import Part, Solved, explore, is_acyclic, solve_finite, traced_graph
from .flows import FlowClosing
from .graph import BeliefGraph
from .plans import FixedPlan, best_plan
from .splits import SplitSolved, Splitter

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance
    from .tables import Tables

__all__ = ["Answer", "Interval", "PairAnswer", "Prepared", "Search", "StopReason"]

DEFAULT_GAP = Fraction(1, 10**6)
FINITE_NODES, FINITE_BITS = 100_000, 2**25
"""How far a graph that is known to be finite is explored, if it is in reach; else signed beliefs bound it."""
FIRST_NODES, FIRST_BITS, FIRST_ENTRIES = 2000, 2**22, 40_000
"""How far a graph is explored before anything is known of it."""
TRACED_NODES = 500
"""How far a graph up to trace equivalence is explored: its nodes are dear."""
ACYCLIC_ENTRIES, CYCLIC_ENTRIES = 10_000_000, 40_000
"""States in the beliefs that are looked ahead at: most graphs of chains with cycles have no end."""
DISTANCE_PAIRS, CLOSED_NODES = 10_000, 60
"""Ordered pairs of one label up to which a distance is computed, and beliefs that may be met before flows close all."""
CHEAP_PAIRS, QUICK = 400, 4_000
"""With more pairs than this, so many expansions are tried before a distance."""
LEVELS_IF_CYCLIC, LEVELS_IF_ACYCLIC = 50_000, 5_000_000
"""Expansions by `levels`: a trial where beliefs may go on for ever, all that it takes where they end."""
GRIDS, GRID_LEVELS = (256, 1024, 4096, 8192), 50
"""Sizes of grids, and about how many expansions each of their directions costs."""
FIRST_GROWTH = 250
"""Expansions of each tree before its interval is looked at; then half as many again, and so on."""
FIRST_RAISE, RAISED = 6_000, Fraction(1, 15)
"""Expansions before event vectors are looked for, which takes a while, and what they may take off a width."""


class Prepared:
    """A chain and pairs, ready to be asked at any α: the quotient and the belief graphs are shared."""

    def __init__(self, chain: Chain, pairs: Sequence[tuple[int, int]]) -> None:
        self.chain, self.pairs = chain, list(dict.fromkeys(pairs))
        self.alike = [(s, t) for s, t in self.pairs if chain.labels[s] == chain.labels[t]]
        self._ends: dict[tuple[int, int], BeliefGraph] = {}
        self._endless: dict[tuple[int, int], int] = {}
        """Pairs whose beliefs did not end, and the budget within which they did not."""

    @cached_property
    def part(self) -> Chain:
        """What can be reached from the pairs of equal labels."""
        return restrict(self.chain, {state for pair in self.alike for state in pair})

    @cached_property
    def quotient(self) -> Quotient:
        """The part with bisimilar states merged."""
        return quotient(self.part)

    @cached_property
    def acyclic(self) -> bool:
        """Whether the belief graphs are known to be finite."""
        return is_acyclic(self.quotient.chain)

    @cached_property
    def tables(self) -> tuple[Tables, list[int]]:
        """The quotient in machine integers, and its states in their order."""
        from .tables import tables_of

        return tables_of(self.quotient.chain)

    @cached_property
    def graph(self) -> BeliefGraph:
        """Beliefs up to scale."""
        return BeliefGraph(self.quotient.chain)

    @cached_property
    def traced(self) -> BeliefGraph | None:
        """Beliefs up to scale and trace equivalence, where that merges more and is affordable."""
        return traced_graph(self.quotient.chain)

    @cached_property
    def splitter(self) -> Splitter:
        """The quotient, split by where it ends."""
        return Splitter(self.quotient.chain)

    def merged(self, pair: tuple[int, int]) -> tuple[int, int]:
        """The pair of equal labels as states of the quotient."""
        s, t = (self.quotient.block[self.part.number(self.chain.states[state])] for state in pair)
        return s, t

    def root(self, graph: BeliefGraph, pair: tuple[int, int]) -> int:
        """The node of a pair."""
        return graph.root(*self.merged(pair))

    def finite_graph(self, pair: tuple[int, int], max_nodes: int | None, watch: Watch) -> BeliefGraph | None:
        """The graph in which all beliefs of a pair have been met; None if it did not end within the budget."""
        limit = FINITE_NODES if max_nodes is None else max_nodes
        if pair not in self._ends and self._endless.get(pair, 0) < limit:
            graph = self._search_end(pair, limit, watch)
            if graph is not None:
                self._ends[pair] = graph
            elif not watch.stopped():
                self._endless[pair] = limit
        return self._ends.get(pair)

    def _search_end(self, pair: tuple[int, int], limit: int, watch: Watch) -> BeliefGraph | None:
        root = self.root(self.graph, pair)
        first = min(5 * FIRST_NODES if self.acyclic else FIRST_NODES, limit)
        entries = math.inf if self.acyclic else FIRST_ENTRIES
        if self.chain.interactive:
            nodes, bits = (limit, FINITE_BITS) if self.acyclic else (first, FIRST_BITS)
            return self.graph if explore(self.graph, root, nodes, bits, watch, max_entries=entries) else None
        # A small graph is explored sooner than the kernels are loaded that would tell its size.
        if not loaded() and explore(self.graph, root, first, FIRST_BITS, watch, max_entries=entries):
            return self.graph
        if self._in_reach(pair, first, limit, watch) and explore(self.graph, root, limit, FINITE_BITS, watch):
            return self.graph
        traced = None if watch.stopped() else self.traced
        if traced is None:
            return None
        nodes = min(TRACED_NODES, limit)
        ended = explore(traced, self.root(traced, pair), nodes, FIRST_BITS, watch, max_entries=entries)
        return traced if ended else None

    def _in_reach(self, pair: tuple[int, int], first: int, limit: int, watch: Watch) -> bool:
        """Whether the graph of a pair ends soon enough to be explored exactly, as far as one can see ahead."""
        if watch.stopped():
            return False
        from .lookahead import look_ahead

        tables, order = self.tables
        s, t = map(order.index, self.merged(pair))
        entries = ACYCLIC_ENTRIES if self.acyclic else CYCLIC_ENTRIES
        ahead = look_ahead(tables, s, t, limit, entries, watch)
        if not ahead.ended or ahead.nodes <= first:
            return ahead.ended
        common = math.lcm(*{p.denominator for row in self.quotient.chain.rows for _, p in row})
        return 2 * ahead.nodes * ahead.depth * common.bit_length() <= FINITE_BITS

    def parts(self, pair: tuple[int, int], max_nodes: int | None, watch: Watch) -> list[Part] | None:
        """Finite graphs whose values add up to the pair's δ, at every α; None if none were found within the budget."""
        graph = self.finite_graph(pair, max_nodes, watch)
        if graph is not None:
            return [Part(graph, self.root(graph, pair), Fraction(1))]
        if self.acyclic or self.chain.interactive or watch.stopped():
            return None
        nodes = FIRST_NODES if max_nodes is None else min(FIRST_NODES, max_nodes)
        return self.splitter.parts(self.merged(pair), nodes, FIRST_BITS, watch)

    def bound(self, exp_epsilon: ExpEpsilon, search: Search) -> Answer:
        """Certified intervals for δ: upper bounds at ``exp_epsilon.below``, lower bounds at ``exp_epsilon.above``."""
        apart = Interval(Fraction(1), Fraction(1), 0)
        found = {pair: PairAnswer(pair, apart, "different labels", "exact", None, None, 0) for pair in self.pairs}
        if not self.alike:
            return Answer(self.chain, exp_epsilon, tuple(found.values()), None, None)
        found |= self._exact(exp_epsilon, search)
        waiting = [pair for pair in self.alike if found[pair].proof is None]
        if waiting and self._pairs_of_states > CHEAP_PAIRS and (search.gap is not None or search.enough is not None):
            # A little growth may be enough, and takes less than a distance does.
            short = replace(search, max_nodes=min(QUICK, search.max_nodes or QUICK))
            quick = _Open(self, waiting, exp_epsilon, short, list(found.values()), None).run()
            if all(answer.stopped in ("exact", "gap") for answer in quick.values()):
                found |= quick
                waiting = []
        distance = self._distance(waiting, exp_epsilon, search.watch) if waiting else None
        if distance is not None:
            found |= self._closed_by_flows(waiting, exp_epsilon, distance, search.watch)
            waiting = [pair for pair in waiting if found[pair].proof is None]
        if waiting:
            found |= _Open(self, waiting, exp_epsilon, search, list(found.values()), distance).run()
        return Answer(self.chain, exp_epsilon, tuple(found.values()), self.part, self.quotient)

    def best_plans(self, exp_epsilon: ExpEpsilon, questions: int, search: Search) -> list[FixedPlan]:
        """For each pair, the best plan of a number of questions that are decided in advance."""
        one = Fraction(1)
        found = []
        for count, pair in enumerate(self.pairs):
            search.watch.report(f"plans of {questions} questions, pair {count + 1} of {len(self.pairs)}")
            if self.chain.labels[pair[0]] != self.chain.labels[pair[1]]:
                found.append(FixedPlan(questions, (), one, one, one, one, 0))
            else:
                merged = self.merged(pair)
                found.append(best_plan(self.graph, merged, questions, exp_epsilon, search.watch, search.max_nodes))
        return found

    def _exact(self, exp_epsilon: ExpEpsilon, search: Search) -> dict[tuple[int, int], PairAnswer]:
        """The pairs whose belief graphs, or those of their parts, end."""
        found: dict[tuple[int, int], list[Part]] = {}
        roots: dict[int, tuple[BeliefGraph, list[int]]] = {}
        for count, pair in enumerate(self.alike):
            if search.watch.stopped():
                break
            search.watch.report(f"beliefs of pair {count + 1} of {len(self.alike)}")
            parts = self.parts(pair, search.max_nodes, search.watch)
            if parts is not None:
                found[pair] = parts
                for part in parts:
                    roots.setdefault(id(part.graph), (part.graph, []))[1].append(part.root)
        solved = {key: solve_finite(graph, at, exp_epsilon) for key, (graph, at) in roots.items()}
        answers = {}
        for pair, parts in found.items():
            proofs = [(part, proof) for part in parts if (proof := solved[id(part.graph)]) is not None]
            if len(proofs) == len(parts):
                answers[pair] = self._solved(pair, proofs, search.watch)
        return answers

    @cached_property
    def _pairs_of_states(self) -> int:
        """How many ordered pairs of equal labels the quotient has."""
        return sum(len(states) ** 2 for states in self.quotient.chain.by_label.values())

    def _distance(self, pairs: Sequence[tuple[int, int]], exp_epsilon: ExpEpsilon, watch: Watch) -> Distance | None:
        """The sharp distance sd of the quotient at the smaller e^ε, where its pairs are few enough to be cheap."""
        chain = self.quotient.chain
        if self._pairs_of_states > DISTANCE_PAIRS or watch.stopped():
            return None
        from ..distances.fixed_point import Distance, solve

        directions = [way for s, t in map(self.merged, pairs) for way in ((s, t), (t, s))]
        try:
            return solve(chain, exp_epsilon.below, kind="sd", pairs=directions, watch=watch)
        except NotConverged as reason:
            return reason.upper if isinstance(reason.upper, Distance) else None
        except Stopped:
            return None

    def _closed_by_flows(
        self, pairs: Sequence[tuple[int, int]], exp_epsilon: ExpEpsilon, distance: Distance, watch: Watch
    ) -> dict[tuple[int, int], PairAnswer]:
        """The pairs whose beliefs end once flows into the distance close them."""
        closing = FlowClosing(self.graph, distance)
        ended = [
            pair
            for pair in pairs
            if explore(self.graph, self.root(self.graph, pair), CLOSED_NODES, FIRST_BITS, watch, closing)
        ]
        roots = [self.root(self.graph, pair) for pair in ended]
        solved = solve_finite(self.graph, roots, exp_epsilon, closing) if ended else None
        if solved is None:
            return {}
        parts = {pair: Part(self.graph, root, Fraction(1)) for pair, root in zip(ended, roots, strict=True)}
        return {pair: self._solved(pair, [(part, solved)], watch) for pair, part in parts.items()}

    def _solved(self, pair: tuple[int, int], parts: Sequence[tuple[Part, Solved]], watch: Watch) -> PairAnswer:
        merged = self.merged(pair)
        upper0, upper1, lower0, lower1 = (
            sum((part.scale * fraction(solved.values[part.root][k]) for part, solved in parts), Fraction(0))
            for k in range(4)
        )
        interval = Interval(max(lower0, lower1), max(upper0, upper1), 0 if lower0 >= lower1 else 1)
        nodes = sum(len(part.graph.nodes) for part, _ in parts)
        split = self.splitter.split(watch) if parts[0][0].group is not None else None
        if split is not None:
            proof = SplitSolved(split, tuple(parts))
            return PairAnswer(pair, interval, "split by where it ends", "exact", proof, merged, nodes)
        solved = parts[0][1]
        method = "beliefs of the quotient" if solved.graph.basis is None else "beliefs up to trace equivalence"
        method += "" if solved.closing is None else f" into {solved.closing.distance.kind}"
        method = "bisimilar states" if merged[0] == merged[1] else method
        return PairAnswer(pair, interval, method, "exact", solved, merged, nodes)


class _Open:
    """The search for pairs whose belief graphs do not end (soon), until the intervals are narrow enough."""

    def __init__(
        self,
        ready: Prepared,
        pairs: Sequence[tuple[int, int]],
        exp_epsilon: ExpEpsilon,
        search: Search,
        known: Sequence[PairAnswer],
        distance: Distance | None,
    ) -> None:
        from .forest import Forest, default_budget

        self.ready, self.search = ready, search
        self.merged = {pair: ready.merged(pair) for pair in pairs}
        self.known = [answer.interval for answer in known if answer.pair not in self.merged]
        self.gap = search.gap if search.gap is not None else DEFAULT_GAP
        directions = [way for s, t in self.merged.values() for way in ((s, t), (t, s))]
        self.forest = Forest(ready.quotient.chain, directions, exp_epsilon, distance, ready.tables)
        self.budget = search.max_nodes or int(search.share * default_budget(ready.quotient.chain))

    def run(self) -> dict[tuple[int, int], PairAnswer]:
        """Grow in rounds; the answer of every pair when it is over."""
        stopped = self._grow() if self.forest.usable else "nodes"
        return {pair: self._answer(pair, stopped) for pair in self.merged}

    def _grow(self) -> StopReason:
        watch = self.search.watch
        self._walk()
        while True:
            wanted = self._worth_growing()
            if not wanted or self._enough():
                return "gap"
            spent = sum(known.expansions for known in self.forest.known.values())
            if self.ready.chain.interactive and self.search.max_nodes is None:
                # What is set aside beforehand is for dense beliefs under all inputs; most are not.
                self.budget = max(self.budget, int(self.search.share * self.forest.fitting()))
            share = min(FIRST_GROWTH + spent // (2 * len(wanted)), (self.budget - spent) // len(wanted))
            self.forest.grow(dict.fromkeys(wanted, max(share, 0)), watch)
            self._report(spent)
            if watch.stopped():
                return watch.reason or "interrupted"
            if share <= 0 or (spent >= FIRST_RAISE and self._nearly_there()):
                self.forest.raise_lower(self._worth_growing())
            if share <= 0:
                return "nodes" if self._worth_growing() and not self._enough() else "gap"

    def _nearly_there(self) -> bool:
        """Whether event vectors, which raise lower bounds by a few per cent of the width, may end the search."""
        nearly = [Interval(i.lower + (i.upper - i.lower) * RAISED, i.upper, i.direction) for i in self._intervals()]
        if self.search.enough is not None and self.search.enough(nearly):
            return True
        return all(i.upper - i.lower <= self.gap for i in nearly)

    def _report(self, spent: int) -> None:
        lower, upper = (max(getattr(i, side) for i in self._intervals()) for side in ("lower", "upper"))
        told = f"{spent} beliefs expanded, about {float(lower):.6g} ≤ δ ≤ {float(upper):.6g}"
        self.search.watch.report(told)

    def _walk(self) -> None:
        """Try `levels`, then ever finer grids, as far as that is needed and the budget goes."""
        if self.ready.chain.interactive:
            return
        acyclic, limit = self.ready.acyclic, self.search.max_nodes
        budget = LEVELS_IF_ACYCLIC if acyclic else LEVELS_IF_CYCLIC
        budget = budget if limit is None else min(budget, limit)
        self.forest.walk(self._worth_growing(), budget, acyclic, self.search.watch)
        for size in () if acyclic else GRIDS:
            wanted = self._worth_growing()
            too_dear = limit is not None and GRID_LEVELS * size > limit
            if not wanted or too_dear or self._enough() or self.search.watch.stopped():
                return
            self.forest.lay_grid(wanted, size, self.search.watch)

    def _intervals(self) -> list[Interval]:
        return [*self.known, *map(self._interval, self.merged)]

    def _enough(self) -> bool:
        return self.search.enough is not None and self.search.enough(self._intervals())

    def _interval(self, pair: tuple[int, int]) -> Interval:
        s, t = self.merged[pair]
        (lower0, upper0), (lower1, upper1) = self.forest.bounds((s, t)), self.forest.bounds((t, s))
        return Interval(max(lower0, lower1), max(upper0, upper1), 0 if lower0 >= lower1 else 1)

    def _worth_growing(self) -> list[tuple[int, int]]:
        """The directions whose tree can still narrow the interval of a pair that is wider than asked for."""
        wanted = []
        for pair, (s, t) in self.merged.items():
            interval = self._interval(pair)
            if interval.upper - interval.lower > self.gap:
                for way in ((s, t), (t, s)):
                    _, upper = self.forest.bounds(way)
                    if upper > interval.lower and not self.forest.known[way].finished:
                        wanted.append(way)
        return list(dict.fromkeys(wanted))

    def _answer(self, pair: tuple[int, int], stopped: StopReason) -> PairAnswer:
        s, t = self.merged[pair]
        interval = self._interval(pair)
        if interval.lower == interval.upper:
            stopped = "exact"
        elif interval.upper - interval.lower <= self.gap:
            stopped = "gap"
        nodes = sum(self.forest.known[way].nodes for way in ((s, t), (t, s)))
        reason = None if self.ready.chain.interactive else self.ready.splitter.reason
        method = f"signed beliefs (not split: {reason})" if reason else "signed beliefs"
        return PairAnswer(pair, interval, method, stopped, self.forest, (s, t), nodes)
