"""What questions decided in advance are worth, beside questions that depend on the answers.

A *plan* of N questions is a sequence of inputs: the k-th time that the system waits for an input, whatever was seen so
far, the k-th one is given. Where the system runs by itself the observer watches; after the last answer it stops at the
next question. A plan makes a chain without inputs, and its advantage is Σ max(x − αy, 0) over where that chain arrives.

Beliefs move from *station* to station: nodes of the belief graph at which a question is due, or at which nothing is
left to learn (closed nodes, and bottom components between questions). A plan of k questions leads to a weighted set
of stations. What is gained there may be any convex, homogeneous function: the gap of δ, or the best guess of a secret.

W_k(u), the most that k *adaptive* questions gain at u, is a recursion over stations, and bounds what any plan of k
questions gains there; so plans are searched best first, by what is sure plus Σ weight·W of what is open, and plans that
have led to the same set of stations are one. The first complete plan that comes out is the best; whenever the search
stops, what is sure of the best one, and what the next one might reach, are bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Generic, TypeAlias

from ...cancel import Cancel
from ...errors import Defect, InputError, SolverError
from ...model.components import reached_components
from ...model.elimination import solve
from ...numbers.field import Exact, M, V
from ...numbers.fraction import ExpEpsilon
from ..question import Question
from ..workspace import Workspace
from .belief_graph import BeliefGraph, Edge
from .choices import by_input

MOST_NODES, MOST_PLANS = 100_000, 20_000
"""Beliefs that may be met, and beginnings of plans that may be looked at."""

Stations: TypeAlias = dict[int, V]
"""What multiple of each station's node is there."""


@dataclass(frozen=True, slots=True)
class FixedPlan:
    """The best plan of a number of questions, for one pair: lower ≤ its advantage ≤ upper."""

    questions: int
    inputs: tuple[str, ...]
    """What to ask, one after the other; the plan that attains the lower bound."""
    lower: Exact
    upper: Exact
    adaptive_lower: Exact
    adaptive_upper: Exact
    """What as many questions gain, each chosen after the answers before it."""
    direction: int

    @property
    def exact(self) -> bool:
        """Whether the plan is known to be the best."""
        return self.lower == self.upper


def best_plans(question: Question, work: Workspace, questions: int, cancel: Cancel) -> tuple[FixedPlan, ...]:
    """For each pair of the question, the best plan of a number of questions that are decided in advance."""
    one = Fraction(1)
    found = []
    for number, pair in enumerate(question.pairs, 1):
        cancel.report(f"plans of {questions} questions, pair {number} of {len(question.pairs)}")
        if pair in work.alike:
            merged, limit = work.merge(pair), question.budget.max_nodes
            found.append(best_plan(work.graph, merged, questions, question.at, cancel, limit))
        else:
            found.append(FixedPlan(questions, (), one, one, one, one, 0))
    return tuple(found)


def best_plan(
    graph: BeliefGraph[M, V],
    pair: tuple[int, int],
    questions: int,
    exp_epsilon: ExpEpsilon,
    cancel: Cancel,
    max_nodes: int | None = None,
) -> FixedPlan:
    """The best plan for two states of one label, as states of ``graph.chain``.

    Raises InputError where labels at which the same question is due offer different inputs, and SolverError where the
    beliefs between two questions do not end within ``max_nodes``.
    """
    stations = _Stations(graph, cancel, max_nodes or MOST_NODES)
    root = graph.root(*pair)
    below, above = graph.field.alphas(exp_epsilon)
    found: dict[tuple[int, V], _Searched[V]] = {}
    for alpha in dict.fromkeys((above, below)):
        for direction in (0, 1):
            values = _Values(stations, _gap(graph, direction, alpha))
            found[direction, alpha] = _search(values, [root], questions, max_nodes or MOST_PLANS)
    lows = [found[direction, above] for direction in (0, 1)]
    highs = [found[direction, below] for direction in (0, 1)]
    direction = 1 if lows[0].lower < lows[1].lower else 0
    exactly = graph.field.exactly
    return FixedPlan(
        questions,
        lows[direction].inputs,
        exactly(lows[direction].lower),
        max(exactly(high.upper) for high in highs),
        max(exactly(low.adaptive) for low in lows),
        max(exactly(high.adaptive) for high in highs),
        direction,
    )


def best_guessing_plan(
    graph: BeliefGraph[M, V],
    roots: Sequence[int],
    questions: int,
    worth: Callable[[Sequence[V]], V],
    cancel: Cancel,
    max_nodes: int | None = None,
) -> FixedPlan:
    """The best plan for one who guesses the secret in the end, from the roots of all first letters.

    ``worth`` says what the best guess gains at given masses of the secrets. Raises as `best_plan`.
    """
    stations, numbers = _Stations(graph, cancel, max_nodes or MOST_NODES), graph.field

    def gap(node: int) -> V:
        return worth([numbers.quotient(mass, numbers.one) for mass in graph.nodes[node].totals])

    found = _search(_Values(stations, gap), roots, questions, max_nodes or MOST_PLANS)
    lower, upper, adaptive = (numbers.exactly(value) for value in (found.lower, found.upper, found.adaptive))
    return FixedPlan(questions, found.inputs, lower, upper, adaptive, adaptive, 0)


def _gap(graph: BeliefGraph[M, V], direction: int, alpha: V) -> Callable[[int], V]:
    """max(|x| − α|y|, 0) of a node."""
    numbers = graph.field

    def gap(node: int) -> V:
        x, y = (numbers.quotient(mass, numbers.one) for mass in graph.nodes[node].masses(direction))
        return max(x - alpha * y, numbers.zero)

    return gap


class _Stations(Generic[M, V]):
    """Where beliefs arrive: at the next question, or where nothing is left to learn before one."""

    def __init__(self, graph: BeliefGraph[M, V], cancel: Cancel, limit: int) -> None:
        self.zero, self.one = graph.field.zero, graph.field.quotient(graph.field.one, graph.field.one)
        self.graph, self.cancel, self.limit = graph, cancel, limit + len(graph.nodes)
        self._arrivals: dict[int, Stations[V]] = {}
        self._asked: dict[int, dict[str, Stations[V]]] = {}

    def waits(self, node: int) -> bool:
        """Whether a question is due that may tell something."""
        return not self.graph.is_closed(node) and self.offered(node) != (None,)

    def offered(self, node: int) -> tuple[str | None, ...]:
        return self.graph.chain.offered(self._some_state(node))

    def label(self, node: int) -> str:
        return self.graph.chain.labels[self._some_state(node)]

    def _some_state(self, node: int) -> int:
        """A state of its beliefs, which have one label."""
        return next(part for part in self.graph.nodes[node].parts if part)[0][0]

    def ask(self, node: int) -> dict[str, Stations[V]]:
        """For each input at a station that waits, where it leads."""
        if node not in self._asked:
            groups = by_input(self._edges(node))
            self._asked[node] = {name: self._sum(edges) for name, edges in groups.items() if name is not None}
        return self._asked[node]

    def _edges(self, node: int) -> Sequence[Edge[V]]:
        if len(self.graph.nodes) > self.limit or self.cancel.is_stopped():
            why = (
                "there are too many beliefs" if self.cancel.reason is None else f"it was cut off ({self.cancel.reason})"
            )
            raise SolverError(f"plans of questions: {why}, before all were met that they lead to")
        return self.graph.expand(node)

    def _sum(self, edges: Iterable[Edge[V]]) -> Stations[V]:
        total: Stations[V] = {}
        for edge in edges:
            scale = edge.weight
            for station, weight in self.arrivals(edge.child).items():
                total[station] = total.get(station, self.zero) + scale * weight
        return total

    def arrivals(self, node: int) -> Stations[V]:
        """The stations that a node arrives at by itself; a station arrives at itself."""
        if node not in self._arrivals:
            self._arrive(node)
        return self._arrivals[node]

    def _arrive(self, start: int) -> None:
        def follow(node: int) -> list[int]:
            stays = self.graph.is_closed(node) or self.waits(node)
            return [] if stays else [edge.child for edge in self._edges(node)]

        known = self._arrivals
        for component in reached_components([start], follow, known):
            inside = set(component)
            edges = {node: self._edges(node) if follow(node) else () for node in component}
            leaves = [node for node in component if any(edge.child not in inside for edge in edges[node])]
            if not leaves:  # a station, or a bottom component: the share no longer changes
                known.update({node: {node: self.one} for node in component})
                continue
            inner: dict[int, dict[int, V]] = {node: {} for node in component}
            outer: dict[int, Stations[V]] = {}
            for node in component:
                for edge in edges[node]:
                    if edge.child in inside:
                        inner[node][edge.child] = inner[node].get(edge.child, self.zero) + edge.weight
                outer[node] = self._sum(edge for edge in edges[node] if edge.child not in inside)
            solved = solve(inner, outer, cancel=self.cancel)
            known.update(solved or {})


class _Values(Generic[M, V]):
    """What stopping gains at a station, its gap, and what adaptive questions gain."""

    def __init__(self, stations: _Stations[M, V], gap: Callable[[int], V]) -> None:
        self.stations, self.gap = stations, gap
        self.zero = stations.zero
        self._known: dict[tuple[int, int], V] = {}

    def adaptive(self, node: int, questions: int) -> V:
        """W_k of a station: a recursion over stations and questions, without recursion."""
        stack = [(node, questions)]
        while stack:
            at, left = key = stack[-1]
            if key in self._known:
                stack.pop()
                continue
            if left == 0 or not self.stations.waits(at):
                self._known[key] = self.gap(at)
                continue
            ways = self.stations.ask(at).values()
            # One question fewer each time, so what is missing never waits for itself.
            missing = [(b, left - 1) for way in ways for b in way if (b, left - 1) not in self._known]
            if missing:
                stack += missing
                continue
            self._known[key] = max(
                sum((weight * self._known[b, left - 1] for b, weight in way.items()), self.zero) for way in ways
            )
        return self._known[node, questions]


@dataclass(frozen=True, slots=True)
class _Searched(Generic[V]):
    """What a search in one direction found."""

    lower: V
    upper: V
    inputs: tuple[str, ...]
    adaptive: V


def _search(values: _Values[M, V], roots: Sequence[int], questions: int, most: int) -> _Searched[V]:
    """Best first; ends when the first plan is complete, after ``most`` beginnings, or when it is cancelled."""
    first: Stations[V] = {}
    zero = values.zero
    for root in roots:
        for station, weight in values.stations.arrivals(root).items():
            first[station] = first.get(station, zero) + weight
    adaptive = sum((weight * values.adaptive(b, questions) for b, weight in first.items()), zero)
    best = zero
    inputs: tuple[str, ...] = ()
    order = count()
    # (−bound, number, inputs so far, sure gain, what waits)
    heap: list[tuple[V, int, tuple[str, ...], V, Stations[V]]] = []
    met: dict[tuple[int, frozenset[tuple[int, V]]], V] = {}

    def push(plan: tuple[str, ...], sure: V, reached: Stations[V]) -> None:
        nonlocal best, inputs
        left = questions - len(plan)
        waiting = {b: weight for b, weight in reached.items() if left and values.stations.waits(b)}
        sure += sum((weight * values.gap(b) for b, weight in reached.items() if b not in waiting), zero)
        # Stopping is always possible, and no later answer takes from what it
        # gains: the beginning of a plan bounds from below.
        at_once = sure + sum((weight * values.gap(b) for b, weight in waiting.items()), zero)
        if at_once > best:
            best, inputs = at_once, plan
        bound = sure + sum((weight * values.adaptive(b, left) for b, weight in waiting.items()), zero)
        key = left, frozenset(waiting.items())
        # The same waiting stations with less that is sure can only do worse.
        if bound > best and (key not in met or met[key] < sure):
            met[key] = sure
            heapq.heappush(heap, (zero - bound, next(order), plan, sure, waiting))

    push((), zero, first)
    looked_at = 0
    while heap and zero - heap[0][0] > best and looked_at < most and not values.stations.cancel.is_stopped():
        _, _, plan, sure, waiting = heapq.heappop(heap)
        looked_at += 1
        for name in _common_inputs(values.stations, waiting, len(plan) + 1):
            reached: Stations[V] = {}
            for b, weight in waiting.items():
                for station, share in values.stations.ask(b)[name].items():
                    reached[station] = reached.get(station, zero) + weight * share
            push((*plan, name), sure, reached)
    upper = max(best, zero - heap[0][0]) if heap else best
    return _Searched(best, upper, inputs, adaptive)


def _common_inputs(stations: _Stations[M, V], waiting: Iterable[int], question: int) -> list[str]:
    """The inputs that all these stations offer; refused if some offer others."""
    offers: dict[tuple[str | None, ...], str] = {}
    for node in sorted(waiting):
        offers.setdefault(stations.offered(node), stations.label(node))
    if len(offers) > 1:
        (one, here), (other, there) = list(offers.items())[:2]
        what = f"at question {question}, label {here!r} offers {', '.join(map(repr, one))}"
        what += f", but {there!r} offers {', '.join(map(repr, other))}"
        raise InputError(Defect("fixed", what, "only what is offered whatever was answered can be decided in advance"))
    return [name for offer in offers for name in offer if name is not None]
