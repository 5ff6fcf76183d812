"""Guessing one of k secrets after watching: Bayes and g-vulnerabilities, from beliefs about k start states.

For a word w let z^s_w be the belief reached from secret s, and |z^s| its mass. A watcher with prior π who may name any
action a of a table of gains g(a, s) expects, after words of h letters, Σ_w φ(|z^1_w|, …, |z^k_w|) with

    φ(z) = max_a Σ_s g(a, s) π_s z_s        (one guess: max_s π_s z_s; n guesses: the n largest of π_s z_s),

which is convex and homogeneous, as the gap of δ is. So all that holds for pairs holds here (docs/theory/guessing.md):
the sum rises with h to V; nodes that are proportional are one; a node whose non-zero beliefs are proportional, and a
bottom component, has V = φ; on a finite graph V is one linear solve, and with inputs that of the best strategy. Where
the graph does not end, an open node has φ(|z^1|, …, |z^k|) ≤ V ≤ Σ_i φ(z^1_i, …, z^k_i): the watcher is told nothing
more, or the hidden state.

Secrets that may be exchanged without changing prior and gains may stand in any order within a node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...cancel import Cancel
from ...model import Chain, quotient, restrict
from ...model.words import Word
from ...numbers.field import Exact
from ..workspace import is_acyclic
from .belief_graph import AnyGraph, graph_of
from .choices import Asked
from .finite import FINITE_BITS, FINITE_NODES, explore
from .values import absorbed, solve_backward

CYCLIC_NODES = 2_000
"""Beliefs that are met where they may never end, unless a budget is given."""
LISTED, MOST_VISITED = 40, 1_000
"""Lines of a strategy, and beliefs that are visited for them."""


@dataclass(frozen=True)
class Gains:
    """What a guess is worth.

    Attributes:
        prior: how likely each secret is before watching; it sums to 1.
        table: the gain of each action for each secret; None for guesses that are right or wrong.
        guesses: how many secrets may be named, where there is no table.
    """

    prior: tuple[Fraction, ...]
    table: tuple[tuple[Fraction, ...], ...] | None = None
    guesses: int = 1

    def worth(self, graph: AnyGraph) -> Callable[[Sequence[Any]], Any]:
        """φ, of masses in the field of a graph."""
        value, zero = graph.field.value, graph.field.zero
        if self.table is None:
            prior, count = [value(p) for p in self.prior], self.guesses

            def best(masses: Sequence[Any]) -> Any:
                return sum(sorted([p * z for p, z in zip(prior, masses, strict=True)])[-count:], zero)

            return best
        rows = [[value(g * p) for g, p in zip(row, self.prior, strict=True)] for row in self.table]
        return lambda masses: max(sum((g * z for g, z in zip(row, masses, strict=True)), zero) for row in rows)

    def best(self, masses: Sequence[Exact]) -> int:
        """The action, or the secret, that is worth most."""
        rows = self.table or [[Fraction(int(i == j)) for j in range(len(self.prior))] for i in range(len(self.prior))]
        weighted = [p * z for p, z in zip(self.prior, masses, strict=True)]
        worth = [sum((g * w for g, w in zip(row, weighted, strict=True)), Fraction(0)) for row in rows]
        return max(range(len(rows)), key=lambda action: worth[action])

    @property
    def before(self) -> Fraction:
        """The best without watching."""
        if self.table is None:
            return sum(sorted(self.prior)[-self.guesses :], Fraction(0))
        return max(sum((g * p for g, p in zip(row, self.prior, strict=True)), Fraction(0)) for row in self.table)

    def alike(self) -> list[list[int]]:
        """Groups of secrets that may be exchanged: equal priors, and the same actions but for their names."""
        groups: list[list[int]] = []
        for secret in range(len(self.prior)):
            group = next((group for group in groups if self._exchangeable(group[0], secret)), None)
            if group is None:
                groups.append([secret])
            else:
                group.append(secret)
        return [group for group in groups if len(group) > 1]

    def _exchangeable(self, one: int, other: int) -> bool:
        if self.prior[one] != self.prior[other]:
            return False
        if self.table is None:
            return True
        places = list(range(len(self.prior)))
        places[one], places[other] = other, one
        return sorted(self.table) == sorted(tuple(row[i] for i in places) for row in self.table)


@dataclass(frozen=True)
class Guessed:
    """What a watcher expects: bounds that are equal where the beliefs end.

    Attributes:
        lower: at least this is expected.
        upper: at most this.
        spread: (lower, upper) of Σ over outcomes of the largest probability that a secret gives it: min-capacity is
            its logarithm.
        nodes: beliefs that were met.
        ended: whether beliefs were followed to their end.
        strategy: (what was seen, what to ask) and (what was seen, which action), where the observer asks.
        channel: the reduced channel: for each outcome its probability from every secret; None where it is not known.
    """

    lower: Exact
    upper: Exact
    spread: tuple[Exact, Exact]
    nodes: int
    ended: bool
    strategy: tuple[tuple[Word, str | int], ...] = ()
    channel: tuple[tuple[Exact, ...], ...] | None = None


def guess_secret(
    chain: Chain, secrets: Sequence[int], gains: Gains, max_nodes: int | None, cancel: Cancel, *, columns: bool = False
) -> Guessed:
    """The value of guessing which of the states a run began in; with ``columns``, the channel too where it is known."""
    part = restrict(chain, set(secrets))
    merged = quotient(part, cancel=cancel)
    starts = [merged.block[part.number(chain.states[state])] for state in secrets]
    # Who is to be named in a strategy or a channel keeps its place.
    graph = graph_of(merged.chain, () if columns or chain.interactive else gains.alike())
    limit = max_nodes or (FINITE_NODES if is_acyclic(merged.chain) else CYCLIC_NODES)
    labels = list(dict.fromkeys(merged.chain.labels[state] for state in starts))
    # The first letter is the label of the start: secrets that show another are ruled out.
    roots = [graph.root(*(s if merged.chain.labels[s] == label else None for s in starts)) for label in labels]
    explored = [explore(graph, root, limit, FINITE_BITS, cancel) for root in roots]
    ended = all(explored)
    values, asked = _values(graph, roots, gains, ended)
    lower, upper, least, most = (_total([graph.field.exactly(values[root][k]) for root in roots]) for k in range(4))
    channel = None
    if columns and ended and not chain.interactive:
        found = [absorbed(graph, root, graph.closed) for root in roots]
        known = [ends for ends in found if ends is not None]
        channel = _merged_columns(known) if len(known) == len(found) else None
    strategy = _strategy(graph, dict(zip(labels, roots, strict=True)), gains, asked) if chain.interactive else ()
    return Guessed(lower, upper, (least, most), len(graph.nodes), ended, strategy, channel)


def _total(values: Sequence[Exact]) -> Exact:
    return sum(values, Fraction(0))


def _values(graph: AnyGraph, roots: Sequence[int], gains: Gains, ended: bool) -> tuple[dict[int, list[Any]], Asked]:
    """(V, V, spread, spread) of the roots, lower and upper bounds of each; and what to ask."""
    field = graph.field
    worths: list[Callable[[Sequence[Any]], Any]] = [gains.worth(graph), max]

    def now(node: int) -> list[Any]:
        masses = [field.quotient(mass, field.one) for mass in graph.nodes[node].totals]
        return [worth(masses) for worth in worths]

    def told(node: int) -> list[Any]:
        """What it is worth to be told the hidden state."""
        by_state: dict[int, list[Any]] = {}
        parts = graph.nodes[node].parts
        for place, belief in enumerate(parts):
            for state, mass in belief:
                by_state.setdefault(state, [field.zero] * len(parts))[place] = field.quotient(mass, field.one)
        return [sum((worth(masses) for masses in by_state.values()), field.zero) for worth in worths]

    def bounds(node: int) -> list[Any]:
        least = now(node)
        most = least if graph.closed(node) else told(node)
        return [least[0], most[0], least[1], most[1]]

    def leaf(node: int) -> bool:
        return graph.closed(node) or graph.edges[node] is None

    found = solve_backward(graph, roots, leaf, now if ended else bounds, 2 if ended else 4)
    if found is None:  # too entangled to solve
        return {root: bounds(root) for root in roots}, {}
    values, _, asked = found
    if ended:
        return {root: [values[root][0]] * 2 + [values[root][1]] * 2 for root in roots}, asked
    return {root: values[root] for root in roots}, asked


def _merged_columns(ends: Sequence[dict[int, tuple[Exact, ...]]]) -> tuple[tuple[Exact, ...], ...]:
    """The outcomes, those with proportional columns added up."""
    shares: dict[tuple[Exact, ...], tuple[Exact, ...]] = {}
    for column in (column for each in ends for column in each.values()):
        whole = _total(column)
        key = tuple(mass / whole for mass in column)
        known = shares.get(key)
        shares[key] = column if known is None else tuple(a + b for a, b in zip(known, column, strict=True))
    return tuple(shares.values())


def _strategy(graph: AnyGraph, roots: dict[str, int], gains: Gains, asked: Asked) -> tuple[tuple[Word, str | int], ...]:
    """What to ask after each word, and what to guess in the end: the first lines, shorter words first."""
    found: list[tuple[Word, str | int]] = []
    waiting: list[tuple[Word, int]] = [((label,), root) for label, root in roots.items()]
    for count, (word, node) in enumerate(waiting):
        if len(found) >= LISTED or count >= MOST_VISITED:
            break
        question = asked[node][0] if node in asked else None
        edges = [edge for edge in graph.edges[node] or () if edge.asked == question]
        if graph.closed(node) or not edges or (question is None and all(edge.child == node for edge in edges)):
            masses = [graph.field.exactly(graph.field.quotient(m, graph.field.one)) for m in graph.nodes[node].totals]
            found.append((word, gains.best(masses)))
            continue
        if question is not None:
            found.append((word, question))
        letters = () if question is None else (question,)
        waiting += [((*word, *letters, edge.label), edge.child) for edge in edges]
    return tuple(found)
