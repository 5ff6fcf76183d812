"""Guessing one of k secrets after watching: Bayes and g-vulnerabilities, from beliefs about k start states.

For a word w let z^s_w be the belief reached from secret s, and |z^s| its mass. An observer with prior π who may name
any action a of a table of gains g(a, s) expects, after words of h letters, Σ_w φ(|z^1_w|, …, |z^k_w|) with

    φ(z) = max_a Σ_s g(a, s) π_s z_s        (one guess: max_s π_s z_s; n guesses: the n largest of π_s z_s),

which is convex and homogeneous, as the gap of δ is. So all that holds for pairs holds here (docs/theory/guessing.md):
the sum rises with h to V; nodes that are proportional are one; a node whose non-zero beliefs are proportional, and a
bottom component, has V = φ; on a finite graph V is one linear solve, and with inputs that of the best strategy. Where
the graph does not end, an open node has φ(|z^1|, …, |z^k|) ≤ V ≤ Σ_i φ(z^1_i, …, z^k_i): the observer is told nothing
more, or the hidden state.

Secrets that may be exchanged without changing prior and gains may stand in any order within a node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...beliefs.graph.belief_graph import AnyGraph, graph_of
from ...beliefs.graph.choices import ChosenInputs
from ...beliefs.graph.endings import write_visits
from ...beliefs.graph.finite import FINITE_BITS, FINITE_NODES, explore
from ...beliefs.graph.plans import FixedPlan, best_guessing_plan
from ...beliefs.graph.values import absorb, solve_backward
from ...beliefs.workspace import Workspace, is_acyclic
from ...cancel import Cancel, spend
from ...certificate.checked import TooLarge
from ...certificate.claims import Claim, write_claim
from ...certificate.record import Certificate, Writer, merge_of
from ...model import Chain, restrict
from ...model.bisimulation import quotient_in_time
from ...model.words import Word
from ...numbers.field import Exact

CYCLIC_NODES = 2_000
"""Beliefs that are met where they may never end, unless a budget is given."""
STEPS_PER_WORTH = 20
"""What a mass costs wherever a guess is valued."""
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

    def tell(self, graph: AnyGraph) -> Callable[[Sequence[Any]], Any]:
        """What it is worth to be told the secret, as of `worth`."""
        value, zero = graph.field.value, graph.field.zero
        actions = ((1,) * len(self.prior),) if self.table is None else self.table
        most = [value(p * max(row[i] for row in actions)) for i, p in enumerate(self.prior)]
        return lambda masses: sum((gain * z for gain, z in zip(most, masses, strict=True)), zero)

    def best(self, masses: Sequence[Exact]) -> tuple[int, ...]:
        """The action that is worth most; or the secrets, as many as may be named, without those that are impossible."""
        weighted = [p * z for p, z in zip(self.prior, masses, strict=True)]
        if self.table is None:
            order = sorted(range(len(weighted)), key=lambda secret: weighted[secret], reverse=True)
            return tuple(order[:1] + [secret for secret in order[1 : self.guesses] if weighted[secret]])
        worth = [sum((g * w for g, w in zip(row, weighted, strict=True)), Fraction(0)) for row in self.table]
        return (max(range(len(worth)), key=lambda action: worth[action]),)

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
            # Exchanges of a with b and of b with c make that of a with c, so one member speaks for its group.
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
    """What an observer expects: bounds that are equal where the beliefs end.

    Attributes:
        lower: at least this is expected.
        upper: at most this.
        spread: (lower, upper) of Σ over outcomes of the largest probability that a secret gives it: min-capacity is
            its logarithm.
        nodes: beliefs that were met.
        ended: whether beliefs were followed to their end.
        strategy: (what was seen, what to ask) and (what was seen, which action or secrets), where the observer asks.
        channel: the reduced channel: for each outcome its probability from every secret; None where it is not known.
    """

    lower: Exact
    upper: Exact
    spread: tuple[Exact, Exact]
    nodes: int
    ended: bool
    strategy: tuple[tuple[Word, str | tuple[int, ...]], ...] = ()
    channel: tuple[tuple[Exact, ...], ...] | None = None


class StartStates:
    """The states that a secret may be, ready for every graph of beliefs about them: what they reach, states merged.

    Args:
        chain: the chain as given.
        states: the secrets, by number.
        cancel: says when to give up merging.
        work: of a question about pairs of the same chain, perhaps of the same states.
    """

    def __init__(self, chain: Chain, states: Sequence[int], cancel: Cancel, work: Workspace | None = None) -> None:
        self.chain, self.states = chain, tuple(states)
        if work is not None and {state for pair in work.alike for state in pair} == set(states):
            work.prepare(cancel)
            self.part, self.quotient = work.part, work.quotient
        else:
            self.part = restrict(chain, set(states))
            self.quotient = quotient_in_time(self.part, cancel)

    @cached_property
    def apart(self) -> _SecretGraph:
        """Beliefs in which every secret keeps its place."""
        return _SecretGraph(self, ())

    def about(self, alike: Sequence[Sequence[int]]) -> _SecretGraph:
        """Beliefs in which secrets that are alike may change places."""
        return _SecretGraph(self, alike) if alike else self.apart


class _SecretGraph:
    """The graph of the beliefs about all secrets, and its roots: one for each first letter."""

    def __init__(self, secrets: StartStates, alike: Sequence[Sequence[int]]) -> None:
        self.quotient = secrets.quotient
        merged, part, names = secrets.quotient.chain, secrets.part, secrets.chain.states
        starts = [self.quotient.block[part.number(names[state])] for state in secrets.states]
        self.graph = graph_of(merged, alike)
        # The first letter is the label of the start: secrets that show another are ruled out.
        self.roots = {
            label: self.graph.root(*(s if merged.labels[s] == label else None for s in starts))
            for label in dict.fromkeys(merged.labels[state] for state in starts)
        }

    def is_explored(self, max_nodes: int | None, cancel: Cancel) -> bool:
        """Whether beliefs were followed to their end."""
        limit = max_nodes or (FINITE_NODES if is_acyclic(self.quotient.chain) else CYCLIC_NODES)
        ended = [explore(self.graph, root, limit, FINITE_BITS, cancel) for root in self.roots.values()]
        return all(ended)  # each as far as the limit allows: what one root is worth may still be known


def guess_secret(
    secrets: StartStates, gains: Gains, max_nodes: int | None, cancel: Cancel, *, columns: bool = False
) -> Guessed:
    """The value of guessing which of the states a run began in; with ``columns``, the channel too where it is known."""
    chain = secrets.chain
    # Who is to be named in a strategy or a channel keeps its place.
    about = secrets.apart if columns or chain.interactive else secrets.about(gains.alike())
    graph, roots = about.graph, list(about.roots.values())
    # Half of the time goes into what the beliefs that are met are worth.
    ended = about.is_explored(max_nodes, cancel.first(0.5))
    values, asked = (
        cancel.attempt(lambda: _values(graph, roots, gains, ended))
        or cancel.make_ending().attempt(lambda: _values(graph, roots, gains, ended, quickly=True))
        or ({root: _at_root(graph, gains, root) for root in roots}, {})
    )
    lower, upper, least, most = (_total([graph.field.exactly(values[root][k]) for root in roots]) for k in range(4))
    channel = None
    if columns and ended and not chain.interactive:
        channel = cancel.attempt(lambda: _reduced_channel(graph, roots))
    strategy = _strategy(graph, about.roots, gains, asked) if chain.interactive else ()
    return Guessed(lower, upper, (least, most), len(graph.nodes), ended, strategy, channel)


def guess_by_plan(
    secrets: StartStates, gains: Gains, questions: int, max_nodes: int | None, cancel: Cancel
) -> FixedPlan:
    """The best plan of a number of questions that are decided in advance, for one who guesses in the end."""
    about = secrets.apart
    worth = gains.worth(about.graph)
    return best_guessing_plan(about.graph, list(about.roots.values()), questions, worth, cancel, max_nodes)


@dataclass(frozen=True, eq=False)
class GuessEvidence:
    """Where runs from all secrets end, in which every secret keeps its place: the checker asks nothing of symmetries.

    Attributes:
        secrets: the states that the secret may be.
        claim: what guessing is worth.
        missing: why there is no certificate.
        max_nodes: beliefs that may be met.
        cancel: may stop the writing.
    """

    secrets: StartStates
    claim: Claim
    missing: str
    max_nodes: int | None
    cancel: Cancel

    @property
    def claims(self) -> Sequence[Claim]:
        """The one claim."""
        return [self.claim]

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of the claim; `TooLarge` if it would be longer than asked for, or without symmetries beliefs go on."""
        secrets, chain, about = self.secrets, self.secrets.chain, self.secrets.apart
        # What would be too long to write is not explored to its end either: a node takes some bytes for each secret.
        most_nodes = FINITE_NODES if most_bytes is None else most_bytes // (8 * len(secrets.states))
        if not about.is_explored(min(self.max_nodes or most_nodes, most_nodes), self.cancel):
            raise TooLarge
        writer = Writer(most_bytes, base=chain.base)
        writer.add("merge", merge_of(secrets.part, secrets.quotient))
        visits = write_visits(writer, about.graph, list(about.roots.values()))
        if visits is None:
            raise TooLarge
        return writer.certificate(chain.sha256, (), [write_claim(self.claim, chain.base) | {"visits": visits}])


def _reduced_channel(graph: AnyGraph, roots: Sequence[int]) -> tuple[tuple[Exact, ...], ...] | None:
    """The outcomes of all roots; None if a graph is too entangled to solve."""
    found = [absorb(graph, root, graph.is_closed) for root in roots]
    known = [ends for ends in found if ends is not None]
    return _merged_columns(known) if len(known) == len(found) else None


def _total(values: Sequence[Exact]) -> Exact:
    return sum(values, Fraction(0))


def _at_root(graph: AnyGraph, gains: Gains, node: int) -> list[Any]:
    """As of `_values`, of one node: worth no less than a guess now, and no more than if the secret was told."""
    field = graph.field
    masses = [field.quotient(mass, field.one) for mass in graph.nodes[node].totals]
    least, most = gains.worth(graph)(masses), gains.tell(graph)(masses)
    return [least, most, max(masses), sum(masses, field.zero)]


def _values(
    graph: AnyGraph, roots: Sequence[int], gains: Gains, ended: bool, *, quickly: bool = False
) -> tuple[dict[int, list[Any]], ChosenInputs]:
    """(V, V, spread, spread) of the roots, lower and upper bounds of each; and what to ask.

    An open belief is worth no more than if the hidden state was told; ``quickly``, if the secret was.
    """
    field = graph.field
    worths: list[Callable[[Sequence[Any]], Any]] = [gains.worth(graph), max]

    def now(node: int) -> list[Any]:
        spend(STEPS_PER_WORTH * len(graph.nodes[node].totals))
        masses = [field.quotient(mass, field.one) for mass in graph.nodes[node].totals]
        return [worth(masses) for worth in worths]

    def tell(node: int) -> list[Any]:
        """What it is worth to be told the hidden state."""
        by_state: dict[int, list[Any]] = {}
        parts = graph.nodes[node].parts
        spend(STEPS_PER_WORTH * len(parts) * (1 + max(map(len, parts))))
        for place, belief in enumerate(parts):
            for state, mass in belief:
                by_state.setdefault(state, [field.zero] * len(parts))[place] = field.quotient(mass, field.one)
        return [sum((worth(masses) for masses in by_state.values()), field.zero) for worth in worths]

    def bounds(node: int) -> list[Any]:
        if quickly and not graph.is_closed(node):
            spend(STEPS_PER_WORTH * len(graph.nodes[node].totals))
            return _at_root(graph, gains, node)
        least = now(node)
        most = least if graph.is_closed(node) else tell(node)
        return [least[0], most[0], least[1], most[1]]

    def leaf(node: int) -> bool:
        # A node that was met and not expanded counts as a leaf, between being told nothing more and the hidden state.
        return graph.is_closed(node) or graph.edges[node] is None

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
        # Columns in proportion tell an observer the same, whatever is asked of them.
        whole = _total(column)
        key = tuple(mass / whole for mass in column)
        known = shares.get(key)
        shares[key] = column if known is None else tuple(a + b for a, b in zip(known, column, strict=True))
    return tuple(shares.values())


def _strategy(
    graph: AnyGraph, roots: dict[str, int], gains: Gains, asked: ChosenInputs
) -> tuple[tuple[Word, str | tuple[int, ...]], ...]:
    """What to ask after each word, and what to guess in the end: the first lines, shorter words first."""
    found: list[tuple[Word, str | tuple[int, ...]]] = []
    waiting: list[tuple[Word, int]] = [((label,), root) for label, root in roots.items()]
    for count, (word, node) in enumerate(waiting):
        if len(found) >= LISTED or count >= MOST_VISITED:
            break
        question = asked[node][0] if node in asked else None
        edges = [edge for edge in graph.edges[node] or () if edge.asked == question]
        if graph.is_closed(node) or not edges or (question is None and all(edge.child == node for edge in edges)):
            masses = [graph.field.exactly(graph.field.quotient(m, graph.field.one)) for m in graph.nodes[node].totals]
            found.append((word, gains.best(masses)))
            continue
        if question is not None:
            found.append((word, question))
        letters = () if question is None else (question,)
        waiting += [((*word, *letters, edge.label), edge.child) for edge in edges]
    return tuple(found)
