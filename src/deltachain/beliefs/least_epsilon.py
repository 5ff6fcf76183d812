"""The least e^ε that is proved for a given δ, and the largest that is refuted.

δ falls as ε grows. Where the belief graphs are finite, δ(α) is known exactly for all α, and so is the least α = e^ε.
Otherwise α is bisected on exact rationals: ``proved`` is the least α found with upper(α) ≤ δ, and every α below
``refuted`` has lower(α) > δ. For δ = 0 a pair is proved by the zero set of ld (docs/theory/zero-set.md) at any α' ≤ α,
and refuted by any word whose likelihood ratio exceeds α.

*Pure ε by zero sets.* δ_α ≤ δ_α' ≤ ld_α' for every α' ≤ α, so one α' with every pair in the zero set of ld is enough.
The zero set is not monotone in α (docs/theory/open-questions.md): a pair may be in it at 2 and at 4 and not at 5/2. A
bisection of α can therefore miss the least α' that proves δ = 0, and end above it. Whether a pair is in the set changes
where some x_i = α y_i, for probabilities of two states or labels, so beside the bisection's α these ratios are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from ..cancel import Cancel
from ..errors import Stopped
from ..exponentials import Exponential, as_exponential
from ..model import Chain
from ..rational import ExpEpsilon, alpha_above, alpha_below, simplest_between
from . import finite_graph
from .losses import find_losses
from .node_values import bottom_nodes
from .proof import Answer
from .question import Budget, Question
from .search import search
from .workspace import Workspace

LARGEST_ALPHA = Fraction(2**64)
"""Beyond this e^ε (ε ≈ 44) the search for a sufficient ε is given up: such an ε protects nobody."""
BISECTION_NODES = 15_000
"""Belief pairs for each α that a bisection tries, unless a budget is given: there are dozens of them."""
BISECTION_GAP = Fraction(1, 10**12)
"""An interval narrower than this, on both sides of δ, is not narrowed further."""
FUNCTION_BITS = 160
"""How closely an e^ε that is a function of e^(1/k) is enclosed."""
MOST_RATIOS = 64
"""So many ratios are tried at most, the smallest first."""
MOST_PROBABILITIES = 1000
"""Of chains with more different probabilities, no ratios are tried: they are all close to each other."""


@dataclass(frozen=True, slots=True)
class LeastAlpha:
    """refuted ≤ the least α = e^ε at which all pairs are (ε, δ)-private ≤ proved.

    Attributes:
        proved: privacy is proved from this α on; None if no such α was found.
        refuted: privacy is refuted for every smaller α (1: for none).
        least_delta: if it is proved that no ε at all is enough: nor is any for a δ below this one.
        epsilon: the least ε itself, where it is a rational.
    """

    proved: Fraction | None
    refuted: Fraction
    least_delta: Fraction | None = None
    epsilon: Fraction | None = None


def least_alpha(work: Workspace, delta: Fraction, width: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha:
    """Bounds on the least α for δ; a bisection stops where they are ``width`` apart, relatively."""
    known = _from_losses(work, delta, budget, cancel) or _from_functions(work, delta, budget, cancel)
    return bisected(Judge(work, delta, budget, cancel), width) if known is None else known


def _from_losses(work: Workspace, delta: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha | None:
    """The exact answer where every pair's belief graph is finite."""
    worst, least_delta = Fraction(1), delta
    for pair in work.pairs:
        losses = find_losses(work, pair, budget, cancel)
        if losses is None:
            if least_delta == delta:
                return None
            break  # one pair without any ε is enough to know
        least_delta = max(least_delta, losses.one_sided)
        worst = max(worst, losses.exp_epsilon(delta) or worst)
    if least_delta > delta:
        return LeastAlpha(None, LARGEST_ALPHA, least_delta)
    return LeastAlpha(worst, worst)


def _from_functions(work: Workspace, delta: Fraction, budget: Budget, cancel: Cancel) -> LeastAlpha | None:
    """Pure ε where rows are functions of e^(1/k) and the graphs end: the largest ratio of masses, as what it is."""
    if work.chain.base is None or work.chain.interactive or delta != 0 or len(work.alike) < len(work.pairs):
        return None
    worst = as_exponential(1)
    for pair in work.pairs:
        parts = finite_graph.ending(work, pair, budget.max_nodes, cancel)
        if parts is None:
            return None
        for part in parts:
            graph = part.graph
            components, bottom = bottom_nodes(graph, [part.root], graph.closed)
            for node in (one[0] for one in components if one[0] in bottom or graph.closed(one[0])):
                for x, y in (graph.nodes[node].masses(way) for way in (0, 1)):
                    if not y:
                        return None  # possible from one state alone: no ε is enough
                    ratio = cast("Exponential", graph.numbers.quotient(x, y))
                    worst = ratio if ratio > worst else worst
    if (power := worst.power) is not None:
        return LeastAlpha(alpha_above(power), alpha_below(power), epsilon=power)
    below, above = worst.enclosed(FUNCTION_BITS)
    return LeastAlpha(above, max(below, Fraction(1)))


class Judge:
    """Says of any α whether (ε, δ)-privacy is proved there, or refuted; each α is judged once.

    Neither is said of an α that was not judged before the work was cancelled; what other α have shown stands.
    """

    def __init__(self, work: Workspace, delta: Fraction, budget: Budget, cancel: Cancel) -> None:
        self._work, self._delta, self.cancel = work, delta, cancel
        self._budget = Budget(budget.max_nodes or BISECTION_NODES)
        self._bounds: dict[Fraction, tuple[Fraction, Fraction]] = {}

    def proves(self, alpha: Fraction) -> bool:
        """Whether δ(α) ≤ δ is proved."""
        return self._bound(alpha)[1] <= self._delta

    def refutes(self, alpha: Fraction) -> bool:
        """Whether δ(α) > δ is proved."""
        return self._bound(alpha)[0] > self._delta

    def _bound(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α."""
        if alpha not in self._bounds:
            if self.cancel.stopped():
                return Fraction(0), Fraction(2)
            self.cancel.report(f"trying e^ε = {float(alpha):.9g}")
            self._bounds[alpha] = self.measured(alpha)
        return self._bounds[alpha]

    def measured(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at α, by a search."""
        if self.in_zero_set(alpha):
            return Fraction(0), Fraction(0)
        answer = self.answer(alpha)
        return answer.lower, answer.upper

    def in_zero_set(self, alpha: Fraction) -> bool:
        """Whether the question is about δ = 0, and the zero set of ld at α answers it. False if cancelled."""
        if self._work.chain.uncertain:
            return False  # it is decided on exact rows
        try:
            return self._delta == 0 and in_zero_set(self._work, alpha, self.cancel)
        except Stopped:
            return False

    def ratios(self, low: Fraction, high: Fraction) -> list[Fraction]:
        """Where zero sets may do better than a bisection; none if δ is not 0."""
        exact = self._delta == 0 and not self._work.chain.uncertain
        return ratios(self._work.quotient.chain, low, high) if exact else []

    def answer(self, alpha: Fraction) -> Answer:
        """The intervals of all pairs at α, as far as the verdict needs them."""
        question = Question(
            chain=self._work.chain,
            pairs=self._work.pairs,
            at=ExpEpsilon.exactly(alpha),
            gap=BISECTION_GAP,
            allowed=self._delta,
            budget=self._budget,
        )
        return search(question, self._work, self.cancel)


def bisected(judge: Judge, width: Fraction) -> LeastAlpha:
    """Two bisections: for the least α that is proved, and for the greatest that is refuted."""
    one = Fraction(1)
    if judge.proves(one):
        return LeastAlpha(one, one)
    top = _sufficient(judge)
    proved = None
    if judge.proves(top):
        _, proved = _narrowed(one, top, width, lambda alpha: not judge.proves(alpha), judge.cancel)
    refuted = one
    if judge.refutes(one):
        end = top if proved is None else proved
        refuted = end if judge.refutes(end) else _narrowed(one, end, width, judge.refutes, judge.cancel)[0]
    return LeastAlpha(_by_ratios(judge, refuted, proved), refuted)


def _by_ratios(judge: Judge, refuted: Fraction, proved: Fraction | None) -> Fraction | None:
    """The first ratio between what is refuted and what is proved whose zero set proves δ = 0; else what was proved."""
    for alpha in judge.ratios(refuted, LARGEST_ALPHA if proved is None else proved):
        if judge.cancel.stopped():
            break
        judge.cancel.report(f"zero set at e^ε = {float(alpha):.9g}")
        if judge.in_zero_set(alpha):
            return alpha
    return proved


def _sufficient(judge: Judge) -> Fraction:
    """The first of 2, 4, 16, 256, … that is proved; the last one tried if none is."""
    alpha = Fraction(2)
    while not judge.proves(alpha) and alpha < LARGEST_ALPHA and not judge.cancel.stopped():
        alpha *= alpha
    return alpha


def _narrowed(
    low: Fraction, high: Fraction, width: Fraction, holds: Callable[[Fraction], bool], cancel: Cancel
) -> tuple[Fraction, Fraction]:
    """(low, high) moved together: ``holds`` at low, not at high; high/low ≤ 1 + width unless it is cancelled."""
    while high > low * (1 + width) and not cancel.stopped():
        quarter = (high - low) / 4
        middle = simplest_between(low + quarter, high - quarter)
        if holds(middle):
            low = middle
        else:
            high = middle
    return low, high


def in_zero_set(work: Workspace, alpha: Fraction, cancel: Cancel) -> bool:
    """Whether every pair is private with δ = 0 at α, by the zero set of ld of the quotient. Raises Stopped."""
    from ..distances.pair_space import PairSpace, relevant_states
    from ..distances.zero_set import zero_set

    if len(work.alike) < len(work.pairs):
        return False
    places = [work.merged(pair) for pair in work.pairs]
    chain = work.quotient.chain
    space = PairSpace.of(chain, alpha, relevant_states(chain, places))
    member = zero_set(space, "ld", cancel=cancel).member
    return all(bool(member[space.pair_of_states(s, t)] and member[space.pair_of_states(t, s)]) for s, t in places)


def ratios(chain: Chain, low: Fraction, high: Fraction) -> list[Fraction]:
    """The first ratios p/q with low ≤ p/q < high, of probabilities of states and of labels in rows of the chain."""
    found: set[Fraction] = set()
    for row in {row for moves in chain.moves for row in moves}:
        by_label: dict[str, Fraction] = {}
        for target, p in row:
            by_label[chain.labels[target]] = by_label.get(chain.labels[target], Fraction(0)) + p
        found.update(p for _, p in row)
        found.update(by_label.values())
    if len(found) > MOST_PROBABILITIES:
        return []
    between = {p / q for p in found for q in found if low * q <= p < high * q}
    return sorted(between)[:MOST_RATIOS]
