"""Belief graphs that end: exploring them, and the exact δ of every pair whose graph does (docs/theory/beliefs.md).

On a finite graph V is the absorption-weighted sum of gaps over closed nodes and bottom components: one exact linear
solve, cycles included. Nothing is rounded, and the graph serves every α. Where the observer chooses inputs, the graph
is closed under all of them, and V is that of the best strategy (docs/theory/interactive.md).

A small graph is explored at once; of a larger one it is first seen modulo a prime whether it ends soon (`lookahead`).
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, Protocol

from ...cancel import Cancel
from ...certificate.record import Writer
from ...model.chain import Pair
from ...model.words import Belief, Word
from ...numbers.field import AnyField, Exact, M, V
from ...numbers.fraction import ExpEpsilon
from .. import reach
from ..proof import Proof
from ..question import Interval, Question
from ..witness import Event, WitnessWord
from ..workspace import Workspace
from .belief_graph import AnyGraph, BeliefGraph
from .choices import ChosenInputs, by_input
from .strategy import listed_strategy, total_mass
from .values import solve_backward

FINITE_NODES, FINITE_BITS = 100_000, 2**25
"""How far a graph that is known to be finite is explored, if it is in reach; else signed beliefs bound it."""
SMALL_NODES, SMALL_CYCLIC_NODES = 400, 100
"""How far a graph is explored before anything is known of it: most of those of chains with cycles have no end."""
FIRST_NODES, FIRST_BITS, FIRST_ENTRIES = 2000, 2**22, 40_000
"""Up to here a graph that ends is explored, whatever its numbers; without cycles five times as many nodes."""
ACYCLIC_ENTRIES, CYCLIC_ENTRIES = 10_000_000, 40_000
"""States in the beliefs that are looked ahead at: most graphs of chains with cycles have no end."""
MOST_ENDLESS = 50
"""Pairs that lead to the same states and did not end, before others like them are left to the methods that follow."""
ASKED_EVERY = 256
"""States in the beliefs that are expanded, and edges, before it is asked again whether to stop."""
LISTED_NODES = 20_000
"""Nodes that are visited for the words of a witness before the list is taken as it is."""
LONGEST_NUMBER = 20_000
"""Bits of a word's probability; words beyond are left out of the list."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a pair comes to on one finite graph: ``scale`` times the node ``root``."""

    graph: AnyGraph
    root: int
    scale: Exact
    group: int | None = None
    """The group of a split that the graph belongs to; None if the pair was not split."""


class Closing(Protocol):
    """What closes nodes of a graph that are not closed by themselves, at one α."""

    def closes(self, node: int) -> bool:
        """Whether both directions of the node are settled."""

    def covers(self, writer: Writer, node: int) -> list[object]:
        """Covers of both directions that cost no more than the gaps, after writing what they cite."""


@dataclass(frozen=True, eq=False)
class Solved(Generic[M, V]):
    """Values on finite graphs: of each node (upper, upper, lower, lower), one per direction."""

    graph: BeliefGraph[M, V]
    values: dict[int, list[V]]
    settled: set[int]
    """Nodes whose value is their gap: closed ones, and those of bottom components."""
    asked: ChosenInputs = field(default_factory=dict)
    """The best input for each of the values, at nodes where the observer chooses."""
    closing: Closing | None = None

    def strategy(self, direction: int) -> dict[int, str | None]:
        """What to ask at each node that is not settled (None: there is no choice), to attain the lower value.

        It surely arrives at settled nodes, where the observer stops.
        """
        going_on = (node for node in self.values if node not in self.settled)
        return {node: self.asked[node][2 + direction] if node in self.asked else None for node in going_on}

    def is_closed(self, node: int) -> bool:
        """Whether nothing is left to learn at the node, or something closes it."""
        return self.graph.is_closed(node) or (self.closing is not None and self.closing.closes(node))


AnySolved = Solved[Any, Any]
"""Of a graph of any field."""


# The method


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> dict[Pair, Proof]:
    """The pairs whose beliefs end, up to scale: exact, at the cost of exploring them and one linear solve for all."""
    return attempt_graphs("beliefs of the quotient", explore_to_end, question, work, pairs, cancel)


def explore_to_end(work: Workspace, pair: Pair, max_nodes: int | None, cancel: Cancel) -> Sequence[Part] | None:
    """The explored graph of a pair, which serves every ε; None if it did not end within the budget."""
    limit = FINITE_NODES if max_nodes is None else max_nodes
    root = work.graph.root(*work.merge(pair))
    whole = [Part(work.graph, root, Fraction(1))]
    return work.find_ended(
        "finite", pair, limit, lambda: whole if _ends(work, pair, root, limit, cancel) else None, cancel
    )


def _ends(work: Workspace, pair: Pair, root: int, limit: int, cancel: Cancel) -> bool:
    first = min(5 * FIRST_NODES if work.acyclic else FIRST_NODES, limit)
    entries = math.inf if work.acyclic else FIRST_ENTRIES
    if not reach.takes("look-ahead", work.chain):
        nodes, bits = (limit, FINITE_BITS) if work.acyclic else (first, FIRST_BITS)
        return explore(work.graph, root, nodes, bits, cancel, max_entries=entries)
    # A small graph is explored sooner than its size is known.
    small = min(SMALL_NODES if work.acyclic else SMALL_CYCLIC_NODES, first)
    if explore(work.graph, root, small, FIRST_BITS, cancel, max_entries=entries):
        return True
    return _in_reach(work, pair, first, limit, cancel) and explore(work.graph, root, limit, FINITE_BITS, cancel)


def _in_reach(work: Workspace, pair: Pair, first: int, limit: int, cancel: Cancel) -> bool:
    """Whether the graph of a pair ends soon enough to be explored exactly, as far as one can see ahead."""
    if cancel.is_stopped():
        return False
    from .lookahead import look_ahead

    tables, order = work.tables
    s, t = map(order.index, work.merge(pair))
    entries = ACYCLIC_ENTRIES if work.acyclic else CYCLIC_ENTRIES
    ahead = look_ahead(tables, s, t, limit, entries, cancel)
    if not ahead.ended or ahead.nodes <= first:
        return ahead.ended
    # After d letters masses are multiples of common^-d: about d·log₂(common) bits for each of a node's two beliefs.
    common = math.lcm(*{p.denominator for row in work.quotient.chain.rows for _, p in row})
    return 2 * ahead.nodes * ahead.depth * common.bit_length() <= FINITE_BITS


class _FindsEnd(Protocol):
    def __call__(self, work: Workspace, pair: Pair, max_nodes: int | None, cancel: Cancel) -> Sequence[Part] | None: ...


def attempt_graphs(
    method: str, find: _FindsEnd, question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel
) -> dict[Pair, Proof]:
    """Explore the graph of each pair, then solve each graph once, for all the pairs that end on it."""
    found: dict[Pair, Part] = {}
    endless: Counter[Hashable] = Counter()
    for count, pair in enumerate(pairs):
        if cancel.is_stopped():
            break
        # Whether beliefs end is mostly a matter of the states that a pair leads to.
        alike = work.next_states(pair)
        if endless[alike] >= MOST_ENDLESS:
            continue
        cancel.report(f"{method}, pair {count + 1:,} of {len(pairs):,}")
        if (parts := find(work, pair, question.budget.max_nodes, cancel)) is not None:
            (found[pair],) = parts
        else:
            endless[alike] += 1
    # What was followed to its end is solved, even if time is up by now.
    return cancel.make_ending().attempt(lambda: prove(method, question, work, found)) or {}


def prove(
    method: str, question: Question, work: Workspace, ended: Mapping[Pair, Part], closing: Closing | None = None
) -> dict[Pair, Proof]:
    """The exact values of pairs on one graph that was explored to its end; none if it is too entangled to solve."""
    if not ended:
        return {}
    graph = next(iter(ended.values())).graph
    solved = solve_finite(graph, [part.root for part in ended.values()], question.at, closing)
    if solved is None:
        return {}
    return {
        pair: GraphProof(
            question=question,
            pair=pair,
            interval=interval_of([(part, solved)]),
            method=method,
            nodes=count_nodes(graph, part.root, solved),
            solved=solved,
            root=part.root,
            start=work.merge(pair),
        )
        for pair, part in ended.items()
    }


def interval_of(parts: Iterable[tuple[Part, AnySolved]]) -> Interval:
    """The bounds that the values of all parts add up to."""
    total: list[Exact] = []
    for part, solved in parts:
        exactly, values = solved.graph.field.exactly, solved.values[part.root]
        upper = [part.scale * exactly(value) for value in values[:2]]
        # Where upper and lower values are the same, they are the same objects.
        same = values[0] is values[2] and values[1] is values[3]
        both = upper + (upper if same else [part.scale * exactly(value) for value in values[2:]])
        total = [a + b for a, b in zip(total, both, strict=True)] if total else both
    upper0, upper1, lower0, lower1 = total
    return Interval.of_directions((lower0, upper0), (lower1, upper1))


def count_nodes(graph: AnyGraph, root: int, solved: AnySolved) -> int:
    """How many beliefs the root leads to, itself included."""
    met, known = [root], {root}
    for node in met:
        if not solved.is_closed(node):
            new = {edge.child for edge in graph.edges[node] or ()} - known
            known |= new
            met += new
    return len(met)


# Exploring and solving


def explore(
    graph: AnyGraph,
    root: int,
    max_nodes: int,
    max_bits: int,
    cancel: Cancel,
    closing: Closing | None = None,
    max_entries: float = math.inf,
) -> bool:
    """Expand everything that the root leads to, in the order in which it is met; whether that came to an end.

    What another root was followed to its end through is not visited again. Gives up above ``max_nodes`` nodes or
    ``max_entries`` states in those expanded, when their masses take more than ``max_bits``, or when it is cancelled.
    """
    met, bits, entries, unasked = [root], 0, 0, ASKED_EVERY
    known = {root}
    # What a closing settles holds at one α only, so it leaves no mark on the graph, which serves every α.
    closed, done = (graph.is_closed, graph.done) if closing is None else (closing.closes, set[int]())
    # Grows as it is read: breadth first, in the order in which beliefs are met.
    for node in met:
        if node in done or closed(node):
            continue
        spent = bits > max_bits or entries > max_entries
        if spent or (unasked >= ASKED_EVERY and cancel.is_stopped()):
            return False
        unasked %= ASKED_EVERY
        edges = graph.expand(node)
        size = graph.nodes[node].size
        entries, unasked = entries + size, unasked + size + len(edges)
        for edge in edges:
            if edge.child not in known:
                known.add(edge.child)
                met.append(edge.child)
                bits += graph.bits(edge.child)
        if len(met) > max_nodes:
            return False
    done.update(met)
    return True


def solve_finite(
    graph: BeliefGraph[M, V], roots: Sequence[int], exp_epsilon: ExpEpsilon, closing: Closing | None = None
) -> Solved[M, V] | None:
    """The exact values of roots whose graphs were explored to their end; None if they are too entangled to solve."""
    return _solve_at(graph, roots, *graph.field.alphas(exp_epsilon), closing)


def value_at(work: Workspace, pairs: Sequence[Pair], alpha: Exact) -> Exact | None:
    """The largest δ at α of pairs that `explore_to_end` followed; None if they are too entangled to solve."""
    graph = work.graph
    roots = [graph.root(*work.merge(pair)) for pair in pairs]
    number = graph.field.value(alpha)
    solved = _solve_at(graph, roots, number, number)
    if solved is None:
        return None
    return max((graph.field.exactly(value) for root in roots for value in solved.values[root]), default=Fraction(0))


def _solve_at(
    graph: BeliefGraph[M, V], roots: Sequence[int], below: V, above: V, closing: Closing | None = None
) -> Solved[M, V] | None:
    """The values at e^ε between two numbers."""
    numbers = graph.field
    alphas = [below] if below == above else [below, above]  # then upper and lower values are the same

    def gaps(node: int) -> list[V]:
        x, y = (numbers.quotient(mass, numbers.one) for mass in graph.nodes[node].masses(0))
        # Upper values at the rational below e^ε, then lower ones at that above: δ falls as α grows.
        return [max(gap, numbers.zero) for alpha in alphas for gap in (x - alpha * y, y - alpha * x)]

    closed = graph.is_closed if closing is None else closing.closes
    found = solve_backward(graph, roots, closed, gaps, 2 * len(alphas))
    if found is None:
        return None
    values, settled, asked = found
    if below == above:
        values = {node: both * 2 for node, both in values.items()}
        asked = {node: both * 2 for node, both in asked.items()}
    return Solved(graph, values, settled, asked, closing)


# The proof


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphProof(Proof):
    """The exact value of a node of a finite graph: rules R3, R4 and L2, one claim per node."""

    solved: AnySolved
    root: int
    start: Pair
    """The pair as states of the quotient."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the root, with the graph that it leads to."""
        return {"node": write_nodes(writer, self.solved, self.root)[self.root]}

    @property
    def field(self) -> AnyField:
        """That of the graph."""
        return self.solved.graph.field

    @property
    def searched(self) -> Hashable:
        """What is open after one letter: pairs that lead to the same belief pairs, up to scale, are one search."""
        edges = () if self.solved.is_closed(self.root) else self.solved.graph.edges[self.root] or ()
        following = frozenset(edge.child for edge in edges if not self.solved.is_closed(edge.child))
        return following or self.pair

    @property
    def alpha(self) -> Exact:
        """e^ε in the field of the graph."""
        field = self.solved.graph.field
        return field.exactly(field.alphas(self.question.at)[1])

    def event(self, limit: int) -> Event:
        """Words that end in settled nodes with a gap; or the strategy that the best inputs make."""
        graph, alpha, direction = self.solved.graph, self.alpha, self.interval.direction
        if graph.chain.interactive:
            start = self.start if direction == 0 else self.start[::-1]
            guide = GraphGuide(self.solved, direction)
            return Event(strategy=listed_strategy(graph.chain, start, alpha, guide, self.root))
        return _words(self.solved, self.root, direction, self.question.at, graph.chain.labels[self.start[0]], limit)


def write_nodes(writer: Writer, solved: AnySolved, root: int, names: Sequence[str] | None = None) -> dict[int, int]:
    """Write the nodes of a graph and their values, once; the number of each node.

    For a single claim, which is about the root, only what that leads to.
    """
    return writer.once(solved, lambda: _written_nodes(writer, solved, root if writer.alone else None, names))


def _written_nodes(
    writer: Writer, solved: Solved[M, V], root: int | None, names: Sequence[str] | None
) -> dict[int, int]:
    graph = solved.graph
    number = write_graph(writer, graph, _reach(solved, root), solved.is_closed, names=names)
    written = graph.field.notation(writer.base).value
    strategies = [solved.strategy(direction) for direction in (0, 1)]
    for node, place in number.items():
        entry: list[object] = [place]
        for direction, strategy in enumerate(strategies):
            most, least = (written(solved.values[node][direction + side]) for side in (0, 2))
            asked = strategy.get(node)
            entry.append(most if most == least and asked is None else [least, most, asked][: 2 + (asked is not None)])
        if solved.closing is not None and not graph.is_closed(node) and solved.closing.closes(node):
            entry.append(solved.closing.covers(writer, node))
        writer.add("values", [entry])
    return number


def write_graph(
    writer: Writer,
    graph: AnyGraph,
    nodes: Sequence[int],
    closed: Callable[[int], bool],
    classes: Container[int] = (),
    names: Sequence[str] | None = None,
    known: dict[int, int] | None = None,
) -> dict[int, int]:
    """Write nodes with their beliefs and where they lead, and what no event sees; the number of each node.

    Those of ``classes`` are in a class that is never left. States may have other ``names`` than those of the chain.
    Nodes that are ``known`` are written already; the others are added to them.
    """
    names, whole = names or graph.chain.states, graph.field.notation(writer.base).mass
    if (basis := graph.basis) is not None:
        writer.once(basis, lambda: writer.add("unseen", basis.unseen(graph.chain, names)))
    number = {} if known is None else known
    new = [node for node in nodes if node not in number]
    number |= zip(new, itertools.count(writer.next("graph")), strict=False)
    for node in new:
        places = [writer.belief([[names[i], whole(mass)] for i, mass in part]) for part in graph.nodes[node].parts]
        entry: list[object] = [places]
        if not closed(node):
            edges = by_input(graph.edges[node] or ())
            children = {asked: {edge.label: number[edge.child] for edge in group} for asked, group in edges.items()}
            entry += [children.get(None, children), *(["class"] if node in classes else [])]
        writer.add("graph", [entry])
    return number


def _reach(solved: AnySolved, root: int | None) -> list[int]:
    """The nodes that the root leads to, in the order of all; all if there is no root."""
    if root is None:
        return [*solved.values]
    reached, waiting = {root}, [root]
    while waiting:
        node = waiting.pop()
        following = {
            edge.child for edge in (() if solved.is_closed(node) else solved.graph.edges[node] or ())
        } - reached
        reached |= following
        waiting += following
    return [node for node in solved.values if node in reached]


# Words and strategies


class _Path:
    """A word by its last letter and what comes before it, so that long words share their beginnings."""

    __slots__ = ("before", "letter")

    def __init__(self, letter: str, before: _Path | None) -> None:
        self.letter, self.before = letter, before

    def word(self) -> Word:
        letters = []
        path: _Path | None = self
        while path is not None:
            letters.append(path.letter)
            path = path.before
        return tuple(reversed(letters))


def _words(solved: Solved[M, V], root: int, direction: int, at: ExpEpsilon, first: str, limit: int) -> Event:
    """Best first by what is left to gain; a settled node with a gap is a word of the event.

    A word gains no more than what was left to gain where its beginning waits: this bounds those that are not listed.
    """
    graph, field = solved.graph, solved.graph.field
    _, alpha = field.alphas(at)
    one = field.quotient(field.one, field.one)
    heap: list[tuple[float, int, _Path, int, V]] = [(-1.0, 0, _Path(first, None), root, one)]
    words: list[WitnessWord] = []
    whole = True
    number = itertools.count(1)  # words of one promise wait in the order in which they were met; paths are not compared
    for _ in range(1, LISTED_NODES):
        if not heap or len(words) >= limit:
            break
        _, _, path, node, scale = heapq.heappop(heap)
        if node in solved.settled:
            x, y = (field.quotient(mass, field.one) for mass in graph.nodes[node].masses(direction))
            if x > alpha * y:
                words.append(WitnessWord(path.word(), field.exactly(scale * x), field.exactly(scale * y)))
            continue
        for edge in graph.edges[node] or ():
            value = solved.values[edge.child][2 + direction]
            if value > field.zero:
                after = scale * edge.weight
                if field.length(after) > LONGEST_NUMBER:
                    whole = False
                    continue
                promise = field.nearest(after * value)
                heapq.heappush(heap, (-promise, next(number), _Path(edge.label, path), edge.child, after))
    # The promise was rounded to the nearest float; the next one up is a bound.
    left = Fraction(math.nextafter(-heap[0][0], math.inf)) if heap else Fraction(0)
    return Event(words, most=left if whole else None)


class GraphGuide:
    """A strategy read from a finite graph: positions are its nodes."""

    def __init__(self, solved: AnySolved, direction: int) -> None:
        self.solved, self.direction = solved, direction
        self.strategy = solved.strategy(direction)

    def advice(self, position: int) -> str | bool | None:
        """The input to ask, or False to stop."""
        return self.strategy.get(position, False)

    def follow(self, position: int, label: str) -> int | None:
        """Where the label leads."""
        edges = by_input(self.solved.graph.edges[position] or ())[self.strategy[position]]
        return next((edge.child for edge in edges if edge.label == label), None)

    def promise(self, position: int, x: Belief, y: Belief) -> float:
        """About how much can be gained from here on."""
        node = self.solved.graph.nodes[position]
        field = self.solved.graph.field
        share = total_mass(x, y) / field.exactly(field.quotient(node.mass_x + node.mass_y, field.one))
        return float(share * field.exactly(self.solved.values[position][2 + self.direction]))
