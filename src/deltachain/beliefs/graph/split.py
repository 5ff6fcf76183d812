"""Splitting a chain by where it ends: V(w) = Σ_G V_G(w), if averages tell the groups G apart (docs/theory/splits.md).

A run ends in one of the bottom classes of the chain. Two classes are *told apart* by a letter a and a function φ on the
states of that letter, positive on those of the one class and negative on those of the other, that is a combination of
probabilities of words: averages along the letters then identify the class with probability one, although no finite word
does. Classes that are not told apart form a group. With h_G(i) the probability of ending in group G from i, the part of
a belief x that ends there is x_i·h_G(i), in the chain p_ij·h_G(j)/h_G(i), and the values of the parts add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from ...cancel import Cancel
from ...certificate.record import Writer, exact_text
from ...distances.scalars import RATIONALS
from ...distances.step_exact import Column, diagonal_basis, minimise
from ...distances.trace_basis import spanning_words
from ...model import Chain, Quotient, quotient
from ...model.chain import Pair
from ...model.components import components
from ...model.elimination import solve
from ...numbers.flint import to_flint, to_fraction
from ..proof import Proof
from ..question import Question
from ..witness import Event
from ..workspace import Workspace
from .belief_graph import AnyGraph, RationalGraph, rational_graph, traced_graph
from .finite import (
    FIRST_BITS,
    FIRST_NODES,
    AnySolved,
    Part,
    count_nodes,
    explore,
    interval_of,
    solve_finite,
    write_nodes,
)

SparseVector = dict[int, fmpq]
SplitWord = tuple[str, int]
"""A letter, and the number of the word that follows it."""
SplitWeights = tuple[tuple[int, Fraction], ...]
"""(number of a word, its weight in φ)."""

MOST_STATES, MOST_CLASSES, MOST_WORDS = 200, 16, 48
"""Larger chains, or more bottom classes, are not split; functions φ are sought among this many words."""
MOST_ROWS, MOST_PROGRAMS = 24, 12
"""States of one letter in two classes up to which a linear program looks for φ, and how many may."""
MOST_NEIGHBOURS = 40
"""Chains more entangled than this have harmonic functions that are too long to be of use."""
MOST_BITS = 4000
"""The length of a denominator of h_G beyond which the chain of a group is not built."""


@dataclass(frozen=True, slots=True)
class Test:
    """φ = Σ weight·(probability of word) is positive on class ``first`` and negative on ``second``, at one letter."""

    first: int
    second: int
    label: str
    weights: SplitWeights


@dataclass(frozen=True)
class Group:
    """Bottom classes that are told apart from all others, and the chain given that the run ends in them."""

    classes: tuple[int, ...]
    harmonic: tuple[Fraction, ...]
    """h_G: the probability of ending in the group, from each state of the chain."""
    chain: Chain
    """The states with h_G > 0, with probabilities p_ij·h_G(j)/h_G(i)."""

    @cached_property
    def quotient(self) -> Quotient:
        """The chain with bisimilar states merged."""
        return quotient(self.chain)

    @cached_property
    def graph(self) -> RationalGraph:
        """Beliefs of the merged chain, up to scale."""
        return rational_graph(self.quotient.chain)

    @cached_property
    def traced(self) -> RationalGraph | None:
        """Beliefs up to scale and trace equivalence, where that merges more and is affordable."""
        return traced_graph(self.quotient.chain)

    def part(self, name: str, mass: Fraction) -> dict[int, Fraction]:
        """The belief "surely this state" as far as it ends in the group, on the merged chain."""
        return {self.quotient.block[self.chain.number(name)]: mass} if mass else {}


@dataclass(frozen=True)
class Split:
    """A chain, its bottom classes in at least two groups, and what tells them apart."""

    chain: Chain
    words: tuple[SplitWord, ...]
    classes: tuple[tuple[int, ...], ...]
    tests: tuple[Test, ...]
    groups: tuple[Group, ...]


# The method


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> dict[Pair, Proof]:
    """The pairs all of whose parts have graphs that end: exact, for small chains with several bottom classes."""
    ended: dict[Pair, Sequence[Part]] = {}
    for count, pair in enumerate(pairs):
        if cancel.is_stopped():
            break
        cancel.report(f"splitting by where the chain ends, pair {count + 1} of {len(pairs)}")
        if (parts := explore_to_end(work, pair, question.budget.max_nodes, cancel)) is not None:
            ended[pair] = parts
    # Pairs share the graphs of groups: each is solved once, for all its roots.
    roots: dict[int, tuple[AnyGraph, list[int]]] = {}
    for part in (part for parts in ended.values() for part in parts):
        roots.setdefault(id(part.graph), (part.graph, []))[1].append(part.root)
    solved = {key: solve_finite(graph, at, question.at) for key, (graph, at) in roots.items()}
    split = work.splitter.split(cancel) if ended else None
    proofs: dict[Pair, Proof] = {}
    for pair, parts in ended.items():
        valued = [(part, values) for part in parts if (values := solved[id(part.graph)]) is not None]
        if split is not None and len(valued) == len(parts):
            proofs[pair] = SplitProof(
                question=question,
                pair=pair,
                interval=interval_of(valued),
                method="split by where it ends",
                nodes=sum(count_nodes(part.graph, part.root, values) for part, values in valued),
                split=split,
                parts=tuple(valued),
                start=work.merge(pair),
            )
    return proofs


def explore_to_end(work: Workspace, pair: Pair, max_nodes: int | None, cancel: Cancel) -> Sequence[Part] | None:
    """The explored graphs of a pair's parts, which serve every ε; None if one did not end within the budget."""
    # Without cycles the beliefs end by themselves: where that took too long, parts would take as long.
    if work.acyclic or cancel.is_stopped():
        return None
    nodes = FIRST_NODES if max_nodes is None else min(FIRST_NODES, max_nodes)
    split = work.splitter.split(cancel)
    if split is None:
        return None
    parts = work.find_ended(
        "split", pair, nodes, lambda: _parts(split, work.merge(pair), nodes, FIRST_BITS, cancel), cancel
    )
    if parts is None:
        work.splitter.reason = "the beliefs of a part do not end either"
    return parts


class Splitter:
    """The split of one chain, found when it is first asked for."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._split: Split | str | None = None
        self.reason = ""
        """Why the last pair could not be split, for the reader; empty where there is nothing to split."""

    def split(self, cancel: Cancel) -> Split | None:
        """The split, None if there is none."""
        if self._split is None:
            self._split = find_split(self.chain, cancel)
        if isinstance(self._split, Split):
            return self._split
        self.reason = self._split
        if cancel.is_stopped():
            self._split = None  # what was cut off may be tried again
        return None


def _parts(split: Split, pair: tuple[int, int], max_nodes: int, max_bits: int, cancel: Cancel) -> list[Part] | None:
    found = []
    names = [split.chain.states[i] for i in pair]
    for number, group in enumerate(split.groups):
        x, y = (group.part(name, group.harmonic[i]) for name, i in zip(names, pair, strict=True))
        if not (x or y):
            continue
        for graph in _graphs(group):
            root, scale = graph.start(x, y)
            if explore(graph, root, max_nodes, max_bits, cancel):
                found.append(Part(graph, root, scale, number))
                break
        else:
            return None
    return found


def _graphs(group: Group) -> Iterator[RationalGraph]:
    yield group.graph
    if group.traced is not None:
        yield group.traced


def find_split(chain: Chain, cancel: Cancel) -> Split | str:
    """The finest split that is found, or why there is none ("" if there is one bottom class alone)."""
    if len(chain) > MOST_STATES:
        return f"more than {MOST_STATES} states"
    successors = [[j for j, _ in row] for row in chain.rows]
    classes = [tuple(sorted(c)) for c in components(successors) if all(j in c for i in c for j in successors[i])]
    if len(classes) < 2:
        return ""
    if len(classes) > MOST_CLASSES:
        return f"more than {MOST_CLASSES} recurrent classes"
    cancel.report(f"telling {len(classes)} recurrent classes apart")
    words = spanning_words(chain, [i for c in classes for i in c], MOST_WORDS)
    tests, joined = _tell_apart(chain, classes, [vector for _, vector in words], cancel)
    groups = _group(len(classes), joined)
    if cancel.is_stopped():
        return "cancelled"
    if len(groups) < 2:
        return "its recurrent classes are not distinguished by any statistic that was found"
    harmonics = _harmonics(chain, classes, groups)
    if harmonics is None:
        return "absorption probabilities exceed the limit"
    apart = {c: g for g, members in enumerate(groups) for c in members}
    # Classes may be told apart and yet be joined through a third: Theorem 40 needs tests between groups only.
    tests = [test for test in tests if apart[test.first] != apart[test.second]]
    found = tuple(Group(c, h, condition_on_end(chain, h)) for c, h in zip(groups, harmonics, strict=True))
    return Split(chain, tuple(word for word, _ in words), tuple(classes), tuple(tests), found)


def _tell_apart(
    chain: Chain, classes: Sequence[Sequence[int]], words: Sequence[SparseVector], cancel: Cancel
) -> tuple[list[Test], list[tuple[int, int]]]:
    """A test for each two classes, and the pairs for which none was found."""
    tests: list[Test] = []
    joined: list[tuple[int, int]] = []
    programs = 0
    for pair in ((c, d) for c in range(len(classes)) for d in range(c)):
        test = _own_letter(chain, pair, classes)
        if test is None and not cancel.is_stopped():
            label, positive, negative = _shared_letter(chain, pair, classes)
            weights = _threshold(positive, negative, words)
            if weights is None and programs < MOST_PROGRAMS and len(positive) + len(negative) <= MOST_ROWS:
                programs += 1
                weights = _separate(positive, negative, words)
            test = None if weights is None else Test(*pair, label, weights)
        if test is None:
            joined.append(pair)
        else:
            tests.append(test)
    return tests, joined


def _own_letter(chain: Chain, pair: tuple[int, int], classes: Sequence[Sequence[int]]) -> Test | None:
    """A letter that only one of the two classes shows."""
    shown = {c: {chain.labels[i] for i in classes[c]} for c in pair}
    for c, d in (pair, pair[::-1]):
        if only := shown[c] - shown[d]:
            # Word 0 is the empty one, of probability 1: φ = 1 where the letter is seen, which d never shows.
            return Test(c, d, min(only), ((0, Fraction(1)),))
    return None


def _shared_letter(
    chain: Chain, pair: tuple[int, int], classes: Sequence[Sequence[int]]
) -> tuple[str, list[int], list[int]]:
    """The letter, of those that both classes show, that the fewest states show; these states of the one and the other.

    One letter decides for all: beliefs on the two classes that no word tells apart lead to such beliefs at every other.
    """
    sides = {a: [[i for i in classes[c] if chain.labels[i] == a] for c in pair] for a in chain.alphabet}
    label = min((a for a, both in sides.items() if all(both)), key=lambda a: sum(map(len, sides[a])))
    first, second = sides[label]
    return label, first, second


def _threshold(positive: Sequence[int], negative: Sequence[int], words: Sequence[SparseVector]) -> SplitWeights | None:
    """One word that is likelier from every state of the one side than from any of the other."""
    for k, vector in enumerate(words[1:], 1):
        for sign in (1, -1):
            low = min(sign * vector[i] for i in positive)
            high = max(sign * vector[i] for i in negative)
            if low > high:
                # The empty word, of probability 1, subtracts the threshold: φ > 0 on the one side, < 0 on the other.
                return (0, -to_fraction((low + high) / 2)), (k, Fraction(sign))
    return None


def _separate(positive: Sequence[int], negative: Sequence[int], words: Sequence[SparseVector]) -> SplitWeights | None:
    """φ by a linear program: the largest margin, at most 1; it is 0 exactly if there is no φ in the span.

    Rows: margin − φ(i) + slack = 0 on the one side, margin + φ(i) + slack = 0 on the other, margin + slack = 1. The
    variables are the margin, each word's weight as a difference of two, and the slacks.
    """
    one, sides = fmpq(1), [*((i, -1) for i in positive), *((i, 1) for i in negative)]
    count = len(sides) + 1
    columns: list[Column[fmpq]] = [[(row, one) for row in range(count)]]
    for vector in words:
        values = [(row, sign * vector[i]) for row, (i, sign) in enumerate(sides)]
        columns += [values, [(row, -value) for row, value in values]]
    slacks = range(len(columns), len(columns) + count)
    columns += [[(row, one)] for row in range(count)]
    costs = [-one, *[fmpq(0)] * (len(columns) - 1)]
    basis = diagonal_basis(RATIONALS, slacks, [*[fmpq(0)] * len(sides), one])
    minimise(costs, columns, basis)
    found = dict(zip(basis.variables, basis.amounts, strict=True))
    if not found.get(0):
        return None
    weights = (found.get(2 * k + 1, fmpq(0)) - found.get(2 * k + 2, fmpq(0)) for k in range(len(words)))
    return tuple((k, to_fraction(weight)) for k, weight in enumerate(weights) if weight)


def _group(count: int, joined: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The classes in groups: those joined, directly or through others."""
    following: list[list[int]] = [[] for _ in range(count)]
    for c, d in joined:
        following[c].append(d)
        following[d].append(c)
    return sorted(tuple(sorted(group)) for group in components(following))


def _harmonics(
    chain: Chain, classes: Sequence[Sequence[int]], groups: Sequence[Sequence[int]]
) -> list[tuple[Fraction, ...]] | None:
    """h_G for each group, exactly; None if the system is too entangled, or its numbers are too long."""
    end = {i: g for g, members in enumerate(groups) for c in members for i in classes[c]}
    inner: dict[int, dict[int, fmpq]] = {i: {} for i in range(len(chain)) if i not in end}
    outer: dict[int, dict[int, fmpq]] = {i: {} for i in inner}
    for i in inner:
        for j, p in chain.rows[i]:
            into, key = (outer[i], end[j]) if j in end else (inner[i], j)
            into[key] = into.get(key, fmpq(0)) + to_flint(p)
    solved = solve(inner, outer, most_neighbours=MOST_NEIGHBOURS)
    if solved is None or any(int(h.q).bit_length() > MOST_BITS for law in solved.values() for h in law.values()):
        return None
    laws = solved | {i: {g: fmpq(1)} for i, g in end.items()}
    return [tuple(to_fraction(laws[i].get(g, fmpq(0))) for i in range(len(chain))) for g in range(len(groups))]


def condition_on_end(chain: Chain, harmonic: Sequence[Fraction]) -> Chain:
    """The chain given that it ends where ``harmonic`` says: p_ij·h(j)/h(i) on the states with h > 0 (Doob)."""
    kept = [i for i, h in enumerate(harmonic) if h]
    place = {i: k for k, i in enumerate(kept)}
    rows = tuple(tuple((place[j], p * harmonic[j] / harmonic[i]) for j, p in chain.rows[i] if j in place) for i in kept)
    return Chain.of_rows(tuple(chain.states[i] for i in kept), tuple(chain.labels[i] for i in kept), rows)


# The proof


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitProof(Proof):
    """Exact values on the finite graphs of a pair's parts: V is their sum, in each direction (rules R7 and L3)."""

    split: Split
    parts: tuple[tuple[Part, AnySolved], ...]
    start: Pair
    """The pair as states of the quotient."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the node of each part, in the graph of its group."""
        written = writer.once(self.split, lambda: WrittenSplit(writer, self.split))
        cited: list[list[object] | None] = [None] * len(self.split.groups)
        for part, solved in self.parts:
            group = part.group or 0
            number = write_nodes(writer, solved, part.root, written.names[group])[part.root]
            cited[group] = [number, exact_text(part.scale)]
        return {"split": cited}

    def event(self, limit: int) -> Event:
        """Words that show a share of it: the event itself is about infinite sequences."""
        from ..signed.search import words_from

        s, t = self.start if self.interval.direction == 0 else self.start[::-1]
        return Event(words_from(self.split.chain, (s, t), self.question.at, limit))


class WrittenSplit:
    """What a certificate has of a split: the merged states of each group's chain as states that are added.

    States that surely end in a group stand for themselves. That any other is seen as the sum of added ones, each times
    the probability of ending there, are vectors that no event sees.
    """

    def __init__(self, writer: Writer, split: Split) -> None:
        self.names = [_names(split.chain, number, group) for number, group in enumerate(split.groups)]
        """By group, those of its merged states."""
        known, added = {*split.chain.states}, dict[str, object]()
        for names, group in zip(self.names, split.groups, strict=True):
            merged = group.quotient.chain
            for name, label, row in zip(names, merged.labels, merged.rows, strict=True):
                if name not in known:
                    added[name] = [label, [[names[j], exact_text(p)] for j, p in row]]
        for i, name in enumerate(split.chain.states):
            seen = [
                [names[group.quotient.block[group.chain.number(name)]], exact_text(-group.harmonic[i])]
                for names, group in zip(self.names, split.groups, strict=True)
                if group.harmonic[i]
            ]
            if seen != [[name, "-1"]]:
                writer.add("unseen", [[[name, "1"], *seen]])
        writer.put_split(added, self._told_apart(split))

    def _told_apart(self, split: Split) -> dict[str, object]:
        """The classes, as merged states of their groups, and what tells those of different groups apart."""
        group_of = {c: g for g, group in enumerate(split.groups) for c in group.classes}
        # A word is a letter before another word, down to the empty one, which a certificate takes for granted.
        used = {0}
        waiting = [k for test in split.tests for k, _ in test.weights]
        while waiting:
            k = waiting.pop()
            if k not in used:
                used.add(k)
                waiting.append(split.words[k][1])
        number = {k: n for n, k in enumerate(sorted(used))}
        classes = []
        for c, states in enumerate(split.classes):
            group, names = split.groups[group_of[c]], self.names[group_of[c]]
            blocks = (group.quotient.block[group.chain.number(split.chain.states[i])] for i in states)
            classes.append([names[block] for block in dict.fromkeys(blocks)])
        return {
            "classes": classes,
            "groups": [[*group.classes] for group in split.groups],
            "words": [[split.words[k][0], number[split.words[k][1]]] for k in sorted(used) if k],
            "tests": [
                [test.first, test.second, test.label, [[number[k], exact_text(weight)] for k, weight in test.weights]]
                for test in split.tests
            ],
        }


def _names(chain: Chain, number: int, group: Group) -> list[str]:
    """Names for the merged states of a group: that of a state of the chain which surely ends there, or a new one."""
    sure = {
        group.quotient.block[group.chain.number(name)]: name
        for name, h in zip(chain.states, group.harmonic, strict=True)
        if h == 1
    }
    mark, merged = f"|{number}", group.quotient.chain.states
    while not {f"{name}{mark}" for name in merged}.isdisjoint(chain.states):
        mark += "'"
    return [sure.get(block, f"{name}{mark}") for block, name in enumerate(merged)]
