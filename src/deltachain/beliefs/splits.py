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

from ..cancel import Cancel
from ..distances.simplex import Column, diagonal_basis, minimise
from ..distances.trace_basis import spanning_words
from ..flints import exact, fraction
from ..model import Chain, Quotient, quotient
from ..model.components import components
from ..model.elimination import solve
from .finite import Part, Solved, explore, traced_graph
from .graph import BeliefGraph

Vector = dict[int, fmpq]
Word = tuple[str, int]
"""A letter, and the number of the word that follows it."""
Weights = tuple[tuple[int, Fraction], ...]
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
    weights: Weights


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
    def graph(self) -> BeliefGraph:
        """Beliefs of the merged chain, up to scale."""
        return BeliefGraph(self.quotient.chain)

    @cached_property
    def traced(self) -> BeliefGraph | None:
        """Beliefs up to scale and trace equivalence, where that merges more and is affordable."""
        return traced_graph(self.quotient.chain)

    def part(self, name: str, mass: Fraction) -> dict[int, Fraction]:
        """The belief "surely this state" as far as it ends in the group, on the merged chain."""
        return {self.quotient.block[self.chain.number(name)]: mass} if mass else {}


@dataclass(frozen=True)
class Split:
    """A chain, its bottom classes in at least two groups, and what tells them apart."""

    chain: Chain
    words: tuple[Word, ...]
    classes: tuple[tuple[int, ...], ...]
    tests: tuple[Test, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class SplitSolved:
    """One pair's values on the finite graphs of its parts: V is their sum, in each direction."""

    split: Split
    parts: tuple[tuple[Part, Solved], ...]


class Splitter:
    """The split of one chain, found when it is first asked for, and the parts of pairs of its states."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._split: Split | str | None = None
        self._parts: dict[tuple[int, int], list[Part]] = {}
        self._given_up: dict[tuple[int, int], int] = {}
        self.reason = ""
        """Why the last pair could not be split, for the reader; empty where there is nothing to split."""

    def split(self, cancel: Cancel) -> Split | None:
        """The split, None if there is none."""
        if self._split is None:
            self._split = find_split(self.chain, cancel)
        if isinstance(self._split, Split):
            return self._split
        self.reason = self._split
        if cancel.stopped():
            self._split = None  # what was cut off may be tried again
        return None

    def parts(self, pair: tuple[int, int], max_nodes: int, max_bits: int, cancel: Cancel) -> list[Part] | None:
        """For each group that the pair can end in, the node of its part; None if one has a graph without an end."""
        split = self.split(cancel)
        if split is None:
            return None
        if pair not in self._parts and self._given_up.get(pair, -1) < max_nodes:
            found = _parts(split, pair, max_nodes, max_bits, cancel)
            if found is not None:
                self._parts[pair] = found
            elif not cancel.stopped():
                self._given_up[pair] = max_nodes
        if pair not in self._parts:
            self.reason = "the beliefs of a part do not end either"
        return self._parts.get(pair)


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


def _graphs(group: Group) -> Iterator[BeliefGraph]:
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
    groups = _grouped(len(classes), joined)
    if cancel.stopped():
        return "time ran out"
    if len(groups) < 2:
        return "its recurrent classes are not told apart by any statistic that was found"
    harmonics = _harmonics(chain, classes, groups)
    if harmonics is None:
        return "where it ends is too entangled to compute"
    apart = {c: g for g, members in enumerate(groups) for c in members}
    tests = [test for test in tests if apart[test.first] != apart[test.second]]
    found = tuple(Group(c, h, conditioned(chain, h)) for c, h in zip(groups, harmonics, strict=True))
    return Split(chain, tuple(word for word, _ in words), tuple(classes), tuple(tests), found)


def _tell_apart(
    chain: Chain, classes: Sequence[Sequence[int]], words: Sequence[Vector], cancel: Cancel
) -> tuple[list[Test], list[tuple[int, int]]]:
    """A test for each two classes, and the pairs for which none was found."""
    tests: list[Test] = []
    joined: list[tuple[int, int]] = []
    programs = 0
    for pair in ((c, d) for c in range(len(classes)) for d in range(c)):
        test = _own_letter(chain, pair, classes)
        if test is None and not cancel.stopped():
            label, positive, negative = _shared_letter(chain, pair, classes)
            weights = _threshold(positive, negative, words)
            if weights is None and programs < MOST_PROGRAMS and len(positive) + len(negative) <= MOST_ROWS:
                programs += 1
                weights = _separating(positive, negative, words)
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


def _threshold(positive: Sequence[int], negative: Sequence[int], words: Sequence[Vector]) -> Weights | None:
    """One word that is likelier from every state of the one side than from any of the other."""
    for k, vector in enumerate(words[1:], 1):
        for sign in (1, -1):
            low = min(sign * vector[i] for i in positive)
            high = max(sign * vector[i] for i in negative)
            if low > high:
                return (0, -fraction((low + high) / 2)), (k, Fraction(sign))
    return None


def _separating(positive: Sequence[int], negative: Sequence[int], words: Sequence[Vector]) -> Weights | None:
    """φ by a linear program: the largest margin, at most 1; it is 0 exactly if there is no φ in the span.

    Rows: margin − φ(i) + slack = 0 on the one side, margin + φ(i) + slack = 0 on the other, margin + slack = 1. The
    variables are the margin, each word's weight as a difference of two, and the slacks.
    """
    one, sides = fmpq(1), [*((i, -1) for i in positive), *((i, 1) for i in negative)]
    count = len(sides) + 1
    columns: list[Column] = [[(row, one) for row in range(count)]]
    for vector in words:
        values = [(row, sign * vector[i]) for row, (i, sign) in enumerate(sides)]
        columns += [values, [(row, -value) for row, value in values]]
    slacks = range(len(columns), len(columns) + count)
    columns += [[(row, one)] for row in range(count)]
    costs = [-one, *[fmpq(0)] * (len(columns) - 1)]
    basis = diagonal_basis(slacks, [*[fmpq(0)] * len(sides), one])
    minimise(costs, columns, basis)
    found = dict(zip(basis.variables, basis.amounts, strict=True))
    if not found.get(0):
        return None
    weights = (found.get(2 * k + 1, fmpq(0)) - found.get(2 * k + 2, fmpq(0)) for k in range(len(words)))
    return tuple((k, fraction(weight)) for k, weight in enumerate(weights) if weight)


def _grouped(count: int, joined: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
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
            into[key] = into.get(key, fmpq(0)) + exact(p)
    solved = solve(inner, outer, most_neighbours=MOST_NEIGHBOURS)
    if solved is None or any(int(h.q).bit_length() > MOST_BITS for law in solved.values() for h in law.values()):
        return None
    laws = solved | {i: {g: fmpq(1)} for i, g in end.items()}
    return [tuple(fraction(laws[i].get(g, fmpq(0))) for i in range(len(chain))) for g in range(len(groups))]


def conditioned(chain: Chain, harmonic: Sequence[Fraction]) -> Chain:
    """The chain given that it ends where ``harmonic`` says: p_ij·h(j)/h(i) on the states with h > 0 (Doob)."""
    kept = [i for i, h in enumerate(harmonic) if h]
    place = {i: k for k, i in enumerate(kept)}
    rows = tuple(tuple((place[j], p * harmonic[j] / harmonic[i]) for j, p in chain.rows[i] if j in place) for i in kept)
    return Chain.of_rows(tuple(chain.states[i] for i in kept), tuple(chain.labels[i] for i in kept), rows)
