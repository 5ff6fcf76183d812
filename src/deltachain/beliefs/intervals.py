"""From pairs of states to certified δ intervals: reachable part → quotient → beliefs → interval.

1. *Exact.* Explore the graph of belief pairs of the bisimulation quotient, up to scale, then up to trace equivalence. A
   graph that ends gives the exact δ, at every ε. On a chain without cycles (but absorbing states) it always ends.
2. *Split.* Where it has no end, split by where the chain ends, as far as that can be told in the long run (`splits`);
   if the graphs of all parts end, δ is exact too.
3. *Closed by flows.* Where pairs of states are few, their sharp distance closes beliefs that proportion does not.
4. *Certified.* Otherwise, signed beliefs in machine integers (`open_pairs`).

Where the observer chooses inputs, graphs are closed under all of them; trace equivalence, splits, levels and grids are
for chains without inputs, and those stages are left out.

The interval is certified whenever the search stops; its `Cancel` (time, interruption) ends any stage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ..cancel import Cancel
from ..errors import NotConverged, Stopped
from ..flints import fraction
from ..jit import loaded
from ..model import Chain, Quotient, quotient, restrict
from ..rational import ExpEpsilon
from .answers import Answer, Interval, PairAnswer, Search
from .finite import Part, Solved, explore, is_acyclic, solve_finite, traced_graph
from .flows import FlowClosing
from .graph import BeliefGraph
from .plans import FixedPlan, best_plan
from .splits import SplitSolved, Splitter

if TYPE_CHECKING:
    from ..distances.fixed_point import Distance
    from ..kernels.records import Tables
    from .open_pairs import OpenPairs

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
CHEAP_PAIRS, EXPANSIONS_A_PAIR = 400, 50
"""Above so many pairs a distance takes about as long as this many expansions for each of them."""


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

    def finite_graph(self, pair: tuple[int, int], max_nodes: int | None, cancel: Cancel) -> BeliefGraph | None:
        """The graph in which all beliefs of a pair have been met; None if it did not end within the budget."""
        limit = FINITE_NODES if max_nodes is None else max_nodes
        if pair not in self._ends and self._endless.get(pair, 0) < limit:
            graph = self._search_end(pair, limit, cancel)
            if graph is not None:
                self._ends[pair] = graph
            elif not cancel.stopped():
                self._endless[pair] = limit
        return self._ends.get(pair)

    def _search_end(self, pair: tuple[int, int], limit: int, cancel: Cancel) -> BeliefGraph | None:
        root = self.root(self.graph, pair)
        first = min(5 * FIRST_NODES if self.acyclic else FIRST_NODES, limit)
        entries = math.inf if self.acyclic else FIRST_ENTRIES
        if self.chain.interactive:
            nodes, bits = (limit, FINITE_BITS) if self.acyclic else (first, FIRST_BITS)
            return self.graph if explore(self.graph, root, nodes, bits, cancel, max_entries=entries) else None
        # A small graph is explored sooner than the kernels are loaded that would tell its size.
        if not loaded() and explore(self.graph, root, first, FIRST_BITS, cancel, max_entries=entries):
            return self.graph
        if self._in_reach(pair, first, limit, cancel) and explore(self.graph, root, limit, FINITE_BITS, cancel):
            return self.graph
        traced = None if cancel.stopped() else self.traced
        if traced is None:
            return None
        nodes = min(TRACED_NODES, limit)
        ended = explore(traced, self.root(traced, pair), nodes, FIRST_BITS, cancel, max_entries=entries)
        return traced if ended else None

    def _in_reach(self, pair: tuple[int, int], first: int, limit: int, cancel: Cancel) -> bool:
        """Whether the graph of a pair ends soon enough to be explored exactly, as far as one can see ahead."""
        if cancel.stopped():
            return False
        from .lookahead import look_ahead

        tables, order = self.tables
        s, t = map(order.index, self.merged(pair))
        entries = ACYCLIC_ENTRIES if self.acyclic else CYCLIC_ENTRIES
        ahead = look_ahead(tables, s, t, limit, entries, cancel)
        if not ahead.ended or ahead.nodes <= first:
            return ahead.ended
        common = math.lcm(*{p.denominator for row in self.quotient.chain.rows for _, p in row})
        return 2 * ahead.nodes * ahead.depth * common.bit_length() <= FINITE_BITS

    def parts(self, pair: tuple[int, int], max_nodes: int | None, cancel: Cancel) -> list[Part] | None:
        """Finite graphs whose values add up to the pair's δ, at every α; None if none were found within the budget."""
        graph = self.finite_graph(pair, max_nodes, cancel)
        if graph is not None:
            return [Part(graph, self.root(graph, pair), Fraction(1))]
        if self.acyclic or self.chain.interactive or cancel.stopped():
            return None
        nodes = FIRST_NODES if max_nodes is None else min(FIRST_NODES, max_nodes)
        return self.splitter.parts(self.merged(pair), nodes, FIRST_BITS, cancel)

    def bound(self, exp_epsilon: ExpEpsilon, search: Search) -> Answer:
        """Certified intervals for δ: upper bounds at ``exp_epsilon.below``, lower bounds at ``exp_epsilon.above``."""
        apart = Interval(Fraction(1), Fraction(1), 0)
        found = {pair: PairAnswer(pair, apart, "different labels", "exact", None, None, 0) for pair in self.pairs}
        if not self.alike:
            return Answer(self.chain, exp_epsilon, tuple(found.values()), None, None)
        found |= self._exact(exp_epsilon, search)
        waiting = [pair for pair in self.alike if found[pair].proof is None]
        search_on = self._sprinted(waiting, exp_epsilon, search, list(found.values()))
        distance = None
        if waiting and (search_on is None or search_on.unfinished()):
            distance = self._distance(waiting, exp_epsilon, search.cancel)
        if distance is not None:
            found |= self._closed_by_flows(waiting, exp_epsilon, distance, search.cancel)
            waiting = [pair for pair in waiting if found[pair].proof is None]
        if waiting:
            from .open_pairs import OpenPairs

            search_on = search_on or OpenPairs(self, waiting, exp_epsilon, search)
            found |= search_on.run(waiting, list(found.values()), distance)
        return Answer(self.chain, exp_epsilon, tuple(found.values()), self.part, self.quotient)

    def _sprinted(
        self, waiting: Sequence[tuple[int, int]], exp_epsilon: ExpEpsilon, search: Search, known: Sequence[PairAnswer]
    ) -> OpenPairs | None:
        """Some growth first, where that may be enough and a distance would take as long; None where it would not."""
        asked = search.gap is not None or search.enough is not None
        if not waiting or not asked or not CHEAP_PAIRS < self._pairs_of_states <= DISTANCE_PAIRS:
            return None
        from .open_pairs import OpenPairs

        found = OpenPairs(self, waiting, exp_epsilon, search)
        found.sprint(known, EXPANSIONS_A_PAIR * self._pairs_of_states)
        return found

    def best_plans(self, exp_epsilon: ExpEpsilon, questions: int, search: Search) -> list[FixedPlan]:
        """For each pair, the best plan of a number of questions that are decided in advance."""
        one = Fraction(1)
        found = []
        for count, pair in enumerate(self.pairs):
            search.cancel.report(f"plans of {questions} questions, pair {count + 1} of {len(self.pairs)}")
            if self.chain.labels[pair[0]] != self.chain.labels[pair[1]]:
                found.append(FixedPlan(questions, (), one, one, one, one, 0))
            else:
                merged = self.merged(pair)
                found.append(best_plan(self.graph, merged, questions, exp_epsilon, search.cancel, search.max_nodes))
        return found

    def _exact(self, exp_epsilon: ExpEpsilon, search: Search) -> dict[tuple[int, int], PairAnswer]:
        """The pairs whose belief graphs, or those of their parts, end."""
        found: dict[tuple[int, int], list[Part]] = {}
        roots: dict[int, tuple[BeliefGraph, list[int]]] = {}
        for count, pair in enumerate(self.alike):
            if search.cancel.stopped():
                break
            search.cancel.report(f"beliefs of pair {count + 1} of {len(self.alike)}")
            parts = self.parts(pair, search.max_nodes, search.cancel)
            if parts is not None:
                found[pair] = parts
                for part in parts:
                    roots.setdefault(id(part.graph), (part.graph, []))[1].append(part.root)
        solved = {key: solve_finite(graph, at, exp_epsilon) for key, (graph, at) in roots.items()}
        answers = {}
        for pair, parts in found.items():
            proofs = [(part, proof) for part in parts if (proof := solved[id(part.graph)]) is not None]
            if len(proofs) == len(parts):
                answers[pair] = self._solved(pair, proofs, search.cancel)
        return answers

    @cached_property
    def _pairs_of_states(self) -> int:
        """How many ordered pairs of equal labels the quotient has."""
        return sum(len(states) ** 2 for states in self.quotient.chain.by_label.values())

    def _distance(self, pairs: Sequence[tuple[int, int]], exp_epsilon: ExpEpsilon, cancel: Cancel) -> Distance | None:
        """The sharp distance sd of the quotient at the smaller e^ε, where its pairs are few enough to be cheap."""
        chain = self.quotient.chain
        if self._pairs_of_states > DISTANCE_PAIRS or cancel.stopped():
            return None
        from ..distances.fixed_point import Distance, solve

        directions = [way for s, t in map(self.merged, pairs) for way in ((s, t), (t, s))]
        try:
            return solve(chain, exp_epsilon.below, kind="sd", pairs=directions, cancel=cancel)
        except NotConverged as reason:
            return reason.upper if isinstance(reason.upper, Distance) else None
        except Stopped:
            return None

    def _closed_by_flows(
        self, pairs: Sequence[tuple[int, int]], exp_epsilon: ExpEpsilon, distance: Distance, cancel: Cancel
    ) -> dict[tuple[int, int], PairAnswer]:
        """The pairs whose beliefs end once flows into the distance close them."""
        closing = FlowClosing(self.graph, distance)
        ended = [
            pair
            for pair in pairs
            if explore(self.graph, self.root(self.graph, pair), CLOSED_NODES, FIRST_BITS, cancel, closing)
        ]
        roots = [self.root(self.graph, pair) for pair in ended]
        solved = solve_finite(self.graph, roots, exp_epsilon, closing) if ended else None
        if solved is None:
            return {}
        parts = {pair: Part(self.graph, root, Fraction(1)) for pair, root in zip(ended, roots, strict=True)}
        return {pair: self._solved(pair, [(part, solved)], cancel) for pair, part in parts.items()}

    def _solved(self, pair: tuple[int, int], parts: Sequence[tuple[Part, Solved]], cancel: Cancel) -> PairAnswer:
        merged = self.merged(pair)
        upper0, upper1, lower0, lower1 = (
            sum((part.scale * fraction(solved.values[part.root][k]) for part, solved in parts), Fraction(0))
            for k in range(4)
        )
        interval = Interval(max(lower0, lower1), max(upper0, upper1), 0 if lower0 >= lower1 else 1)
        nodes = sum(len(part.graph.nodes) for part, _ in parts)
        split = self.splitter.split(cancel) if parts[0][0].group is not None else None
        if split is not None:
            proof = SplitSolved(split, tuple(parts))
            return PairAnswer(pair, interval, "split by where it ends", "exact", proof, merged, nodes)
        solved = parts[0][1]
        method = "beliefs of the quotient" if solved.graph.basis is None else "beliefs up to trace equivalence"
        method += "" if solved.closing is None else f" into {solved.closing.distance.kind}"
        method = "bisimilar states" if merged[0] == merged[1] else method
        return PairAnswer(pair, interval, method, "exact", solved, merged, nodes)
