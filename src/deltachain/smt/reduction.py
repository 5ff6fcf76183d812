"""What is left of BD-threshold after exact simplification: fewer distances, fewer arcs; the same answer.

For an ordered pair (s, t), e = μ_s − αμ_t splits by label into independent flow problems (a `Block` each):
sources (e > 0), sinks (e < 0), and arcs i→j that cost d_ij. The step is the sum of the blocks' least costs.

With bounds lower ≤ bd ≤ upper on the pairs (at least 0 ≤ bd ≤ 1; both 0 on the zero set), these are left out:

1. arcs i→j with lower_ij ≥ 1: η_i costs no more and burdens nobody;
2. passages i→k→j with lower_ik + α·lower_kj ≥ upper_ij: the arc i→j costs no more;
3. arcs that lie on no path from a source to a sink;
4. blocks without arcs: they cost Σ e over their sources, a constant. A pair with no other blocks in both directions
   is itself that constant;
5. pairs on which nothing that is left depends.

An optimal flow decomposes into simple paths, so 1–3 lose no optimum as long as d lies within the bounds, and
d = bd does. `docs/smt.md` has the proof that the reduced formulas are equivalent to the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..errors import Defect, InputError
from .question import Question, differences

Pair = tuple[int, int]
"""Two states of one label, smaller number first."""

Arc = tuple[int, int]

Bounds = Mapping[Pair, tuple[Fraction, Fraction]]
"""(lower, upper) with lower ≤ bd ≤ upper, and upper a pre-fixed point; pairs that are missing have (0, 1)."""

MOST_ARCS = 200_000
"""Arcs of all problems together; about 50 MB of text. No solver has decided a tenth of it."""

ZERO, ONE = Fraction(0), Fraction(1)


def unordered(i: int, j: int) -> Pair:
    """The pair of i and j."""
    return (i, j) if i <= j else (j, i)


@dataclass(frozen=True)
class Block:
    """The flow problem of one label: what sources must send or buy at 1, what sinks can take, and the arcs between."""

    sources: Mapping[int, Fraction]
    sinks: Mapping[int, Fraction]
    arcs: tuple[Arc, ...]

    @property
    def states(self) -> tuple[int, ...]:
        """The states of the arcs and all sources, in order."""
        return tuple(sorted({state for arc in self.arcs for state in arc} | set(self.sources)))

    def excess(self, state: int) -> Fraction:
        """The value e of a state."""
        return self.sources.get(state, ZERO) - self.sinks.get(state, ZERO)


@dataclass(frozen=True)
class Problem:
    """One directed step: a constant and independent blocks."""

    source: int
    target: int
    constant: Fraction
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Reduction:
    """``known`` pairs have that value in bd; ``problems`` are both directions of each pair that is left."""

    question: Question
    bounds: Bounds
    known: Mapping[Pair, Fraction]
    problems: Mapping[Pair, tuple[Problem, Problem]]

    def bound(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """(lower, upper) of a pair."""
        return _bound(self.bounds, self.known, pair)


def _bound(bounds: Bounds, known: Mapping[Pair, Fraction], pair: Pair) -> tuple[Fraction, Fraction]:
    value = known.get(pair)
    return bounds.get(pair, (ZERO, ONE)) if value is None else (value, value)


def reduce_question(question: Question, bounds: Bounds) -> Reduction:
    """Apply the rules above until none applies any more. The threshold θ plays no part."""
    chain = question.chain
    known = {pair: low for pair, (low, high) in bounds.items() if low == high}
    asked = unordered(question.s, question.t)
    if chain.labels[question.s] != chain.labels[question.t]:
        return Reduction(question, bounds, {asked: ONE}, {})
    network = _Network(question, bounds, known)
    while True:
        problems: dict[Pair, tuple[Problem, Problem]] = {}
        waiting, constants = [asked], {}
        size = 0
        while waiting:
            pair = waiting.pop()
            if pair in known or pair in problems or pair in constants:
                continue
            both = network.problem(*pair), network.problem(*pair[::-1])
            if not both[0].blocks and not both[1].blocks:
                constants[pair] = max(both[0].constant, both[1].constant)
                continue
            problems[pair] = both
            arcs = [arc for problem in both for block in problem.blocks for arc in block.arcs]
            size += len(arcs)
            if size > MOST_ARCS:
                if not constants:
                    raise InputError(_too_large(question))
                break  # what was learned may cut it down
            waiting += sorted({unordered(*arc) for arc in arcs}, reverse=True)
        if not constants:
            return Reduction(question, bounds, known, dict(sorted(problems.items())))
        # New constants are new bounds, which may cut more arcs.
        network.learn(constants)


def _too_large(question: Question) -> Defect:
    what = f"with {len(question.chain)} states there are more than {MOST_ARCS:,} flows between states to reduce"
    return Defect("formula", what, "ask the engine, or with the bounded encoding if this is the reduced one")


class _Network:
    """The arcs of each label that rules 1 and 2 leave, under the present bounds; the same for every pair."""

    def __init__(self, question: Question, bounds: Bounds, known: dict[Pair, Fraction]) -> None:
        self.question, self.bounds, self.known = question, bounds, known
        self._labels: dict[str, tuple[set[Arc], set[Arc]]] = {}

    def learn(self, constants: Mapping[Pair, Fraction]) -> None:
        """Add known values; the arcs of their labels are looked at anew."""
        self.known |= constants
        for i, _ in constants:
            self._labels.pop(self.question.chain.labels[i], None)

    def problem(self, s: int, t: int) -> Problem:
        """The step of (s, t), label by label."""
        chain = self.question.chain
        excess = dict(differences(self.question, s, t))
        constant, blocks = ZERO, []
        for label in dict.fromkeys(chain.labels[i] for i, e in excess.items() if e > 0):
            states = chain.by_label[label]
            sources = {i: excess[i] for i in states if excess.get(i, ZERO) > 0}
            sinks = {i: -excess[i] for i in states if excess.get(i, ZERO) < 0}
            arcs = self._arcs(label, sources, sinks) if sinks else ()
            if arcs:
                blocks.append(Block(sources, sinks, arcs))
            else:
                constant += sum(sources.values())
        return Problem(s, t, constant, tuple(blocks))

    def _arcs(self, label: str, sources: Mapping[int, Fraction], sinks: Mapping[int, Fraction]) -> tuple[Arc, ...]:
        """Rule 3: direct arcs, and arcs of passages, that lie on a path from a source to a sink."""
        if label not in self._labels:
            self._labels[label] = self._passages(self.question.chain.by_label[label])
        cheap, passing = self._labels[label]
        kept = passing | {(i, j) for i in sources for j in sinks if (i, j) in cheap}
        forwards = _reached(sources, kept)
        backwards = _reached(sinks, {(j, i) for i, j in kept})
        return tuple(sorted(arc for arc in kept if arc[0] in forwards and arc[1] in backwards))

    def _passages(self, states: tuple[int, ...]) -> tuple[set[Arc], set[Arc]]:
        """(arcs that cost less than 1, those of them that take part in a passage i→k→j that may help)."""
        pairs = [(i, j) for i in states for j in states if i != j]
        bound = {(i, j): _bound(self.bounds, self.known, unordered(i, j)) for i, j in pairs}
        after: dict[int, list[tuple[int, Fraction]]] = {state: [] for state in states}
        for (i, j), (low, _) in bound.items():
            if low < 1:
                after[i].append((j, self.question.alpha * low))
        passing: set[Arc] = set()
        for i in states:
            worth = {j: bound[i, j][1] for j in states if j != i}
            for k, _ in after[i]:
                first = bound[i, k][0]
                for j, second in after[k]:
                    if j != i and first + second < worth[j]:
                        passing |= {(i, k), (k, j)}
        return {(i, j) for i in states for j, _ in after[i]}, passing


def _reached(starts: Mapping[int, Fraction], arcs: set[Arc]) -> set[int]:
    after: dict[int, list[int]] = {}
    for i, j in arcs:
        after.setdefault(i, []).append(j)
    found = set(starts)
    stack = list(found)
    while stack:
        fresh = set(after.get(stack.pop(), ())) - found
        found |= fresh
        stack += fresh
    return found
