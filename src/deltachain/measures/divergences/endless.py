"""Divergences where beliefs do not end: of label-deterministic pairs exactly, of others from certified bounds on δ.

*Label-deterministic pairs.* Where a letter leads from a state to one state only, words are paths of pairs of states,
and H(i, j) = Σ x^a y^(1−a) over what is seen from i and from j solves H(i, j) = Σ_b p_b^a q_b^(1−a) H(i_b, j_b). In a
bottom class H is 1 if all rows agree, else infinite. A transient class has H = MH + r with r ≥ 0, not 0: it is finite
if and only if this has a positive solution, for with u the left Perron vector of M, (1 − ρ(M)) u·H = u·r > 0.

*From δ* [Sason, Verdú 2016]. With E_γ(s, t) = Σ max(x − γy, 0) in one direction,

    Σ x^a y^(1−a) = 1 + a(a − 1)·[ ∫_1^∞ γ^(a−2) E_γ(s, t) dγ + ∫_1^∞ γ^(−a−1) E_γ(t, s) dγ ].

E is convex and falls in γ: between places where it is bounded it lies below chords of upper bounds, and above lines
through a lower bound and, beyond it, an upper one, extended. Above, the first integral is finite only if E = 0 is
proved at some γ. Every number is a fraction; each bound rests on δ's own certificates at these places.

*Where the observer asks* the largest value over strategies is that of the best one, as of δ (`AskedBeliefs`).

Divergences rise with their order, so what is known at whole orders bounds all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Protocol

from flint import fmpq, fmpq_mat

from ...beliefs import reach
from ...beliefs.graph.belief_graph import RationalGraph
from ...beliefs.graph.finite import FIRST_BITS, explore, explore_to_end
from ...beliefs.graph.values import solve_backward
from ...beliefs.question import Question
from ...beliefs.search import search
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, spend
from ...model import Chain
from ...model.chain import Pair
from ...model.components import components
from ...numbers import ball
from ...numbers.flint import to_flint, to_fraction
from ...numbers.fraction import ExpEpsilon, round_down, round_up, simplest_between
from .find import PLACES

ZERO, ONE = Fraction(0), Fraction(1)
MOST_PAIRS = 2_000
"""Pairs of states of a system that is solved exactly."""
STEPS = 192
"""Places between e^ε = 1 and the least that is proved to have δ = 0; otherwise up to `FARTHEST`."""
FARTHEST = Fraction(8)
LARGEST, HALVINGS = Fraction(1024), 7
"""Where that e^ε is sought, and how often what is left is halved."""
GAP = Fraction(1, 100_000)
"""How narrow δ is bounded at each place."""
ASKED_NODES = 2_000
"""Beliefs that are met where the observer asks and they do not end."""
LARGEST_ORDER = 16
"""Whole orders that are looked at for ρ."""
DIGITS = 30
"""Decimal places of bounds and of parts of an integral: long fractions cost time."""
NOT_ZERO = "no ε was proved to have δ = 0, so large losses may be likely enough to make it infinite"
DIFFERENT = "the two show different things in the long run"


@dataclass(frozen=True, slots=True)
class Moment:
    """lower ≤ Σ x^a y^(1−a) ≤ upper; upper None if there is no bound, and both if it is infinite."""

    lower: Fraction | None
    upper: Fraction | None
    reason: str = ""

    @property
    def infinite(self) -> bool:
        """Whether it is proved to be infinite."""
        return self.lower is None


class Endless(Protocol):
    """What bounds moments of one direction."""

    @property
    def uncertified(self) -> str:
        """Why there is no certificate of what it says."""

    def moment(self, order: int) -> Moment:
        """Of a whole order above 1."""


# Label-deterministic pairs.


@dataclass(frozen=True)
class PairSystem:
    """The pairs that one leads to, each with (next pair, p, q) by letter; None where a letter is the first's alone."""

    edges: tuple[tuple[tuple[int, Fraction, Fraction], ...] | None, ...]
    uncertified = "a linear system, which the checker has no rule for"

    def moment(self, order: int) -> Moment:
        """Exactly."""
        found: dict[int, Fraction] = {}
        if any(edges is None for edges in self.edges):
            return Moment(None, None, "one of the two can show what the other cannot")
        following = [[child for child, *_ in edges or ()] for edges in self.edges]
        for component in components(following):
            inside = set(component)
            if all(child in inside for i in component for child in following[i]):
                if any(p != q for i in component for _, p, q in self.edges[i] or ()):
                    return Moment(None, None, DIFFERENT)
                found |= dict.fromkeys(component, ONE)
                continue
            solved = self._solve(component, order, found)
            if solved is None:
                return Moment(None, None, "long runs weigh so much that the sum does not end")
            found |= solved
        return Moment(found[0], found[0])

    def _solve(self, component: Sequence[int], order: int, known: dict[int, Fraction]) -> dict[int, Fraction] | None:
        """The positive solution on a transient class; None if there is none."""
        place = {i: k for k, i in enumerate(component)}
        matrix, right = fmpq_mat(len(component), len(component)), fmpq_mat(len(component), 1)
        for i, k in place.items():
            matrix[k, k] = matrix[k, k] + fmpq(1)
            for child, p, q in self.edges[i] or ():
                weight = p**order / q ** (order - 1)
                if child in place:
                    matrix[k, place[child]] = matrix[k, place[child]] - to_flint(weight)
                else:
                    right[k, 0] = right[k, 0] + to_flint(weight * known[child])
        try:
            solved = matrix.solve(right)
        except ZeroDivisionError:
            return None
        values = {i: to_fraction(solved[k, 0]) for i, k in place.items()}
        # A solution that is not positive belongs to a series that diverges: the sum of all words is then infinite.
        return values if all(value > 0 for value in values.values()) else None


def pair_system(chain: Chain, s: int, t: int) -> PairSystem | None:
    """The system of a label-deterministic pair of a chain with fractions; None if it is not one, or too large."""
    place: dict[Pair, int] = {(s, t): 0}
    waiting = [(s, t)]
    found: list[tuple[tuple[int, Fraction, Fraction], ...] | None] = []
    for i, j in waiting:
        rows = [{chain.labels[k]: (k, p) for k, p in chain.rows[state]} for state in (i, j)]
        # Two targets of one label fell together: a letter does not tell the next state.
        if any(len(row) < len(chain.rows[state]) for row, state in zip(rows, (i, j), strict=True)):
            return None
        if not rows[0].keys() <= rows[1].keys():
            found.append(None)
            continue
        edges = []
        for label, (k, p) in rows[0].items():
            after = k, rows[1][label][0]
            if after not in place:
                place[after] = len(waiting)
                waiting.append(after)
            edges.append((place[after], p, rows[1][label][1]))
        found.append(tuple(edges))
        if len(waiting) > MOST_PAIRS:
            return None
    return PairSystem(tuple(found))


# From bounds on δ.


@dataclass(frozen=True)
class DirectedBands:
    """(γ, lower, upper) of E in one direction and in the other, at the same γ, by increasing γ from 1 on."""

    forth: tuple[tuple[Fraction, Fraction, Fraction], ...]
    back: tuple[tuple[Fraction, Fraction, Fraction], ...]
    uncertified = "it follows from bounds on δ, each with a certificate of its own"

    @property
    def reversed(self) -> DirectedBands:
        """The other direction."""
        return DirectedBands(self.back, self.forth)

    @property
    def largest_loss(self) -> Fraction | None:
        """At least the largest ln(x/y); None if E is not proved to vanish."""
        return None if self.forth[-1][2] else round_up(ball.log(self.forth[-1][0], 100)[1], PLACES)

    def moment(self, order: int) -> Moment:
        """Bounds by chords and lines, integrated exactly."""
        factor, powers = order * (order - 1), (order - 2, -order - 1)
        sides = list(zip((self.forth, self.back), (self.back, self.forth), powers, strict=True))
        lower = 1 + factor * sum((_below([_before(other), *places], power) for places, other, power in sides), ZERO)
        if self.forth[-1][2]:
            return Moment(max(lower, ONE), None, NOT_ZERO)
        upper = 1 + factor * sum((_above(places, power) for places, _, power in sides), ZERO)
        last, _, most = self.back[-1]
        upper += (order - 1) * most / last**order  # beyond the last place E falls: a(a−1)·E·∫ γ^(−a−1)
        return Moment(max(lower, ONE), upper)


Places = Sequence[tuple[Fraction, Fraction, Fraction]]


def _above(places: Places, power: int) -> Fraction:
    """At least ∫ γ^power E over the places."""
    parts = (_integral(power, a, b, high_a, high_b) for (a, _, high_a), (b, _, high_b) in pairwise(places))
    return sum((round_up(part, DIGITS) for part in parts), ZERO)


def _before(other: Places) -> tuple[Fraction, Fraction, Fraction]:
    """A place before 1, from the other direction: E_γ(s, t) = 1 − γ + γ·E_{1/γ}(t, s)."""
    gamma, low, high = other[min(1, len(other) - 1)]
    if gamma == 1:
        # There is one place only; at γ = 0, where nothing is subtracted, E is 1.
        return ZERO, ONE, ONE
    return 1 / gamma, 1 - 1 / gamma + low / gamma, 1 - 1 / gamma + high / gamma


def _below(places: Places, power: int) -> Fraction:
    """At most ∫ γ^power E from the second place on: between two the larger of the lines from either side."""
    found = ZERO
    for k in range(1, len(places) - 1):
        (before, _, most), (a, low_a, _), (b, low_b, _) = places[k - 1 : k + 2]
        # E is convex: beyond a it is above the line from an upper bound before a through a lower bound at a …
        slope_a = (low_a - most) / (a - before)
        # … and before b it is above the line through a lower bound at b and an upper bound after b.
        after = places[k + 2] if k + 2 < len(places) else None
        slope_b = ZERO if after is None else min((after[2] - low_b) / (after[0] - b), ZERO)
        start = low_b + slope_b * (a - b)
        if slope_a >= slope_b:
            found += round_down(_integral(power, a, b, start, low_b), DIGITS)
            continue
        # Left of where they cross the line from a is the higher one, right of it that from b.
        cross = min(max(round_down((start - low_a) / (slope_a - slope_b) + a, 12), a), b)  # any place is sound
        height = low_b + slope_b * (cross - b)
        if cross > a:
            found += round_down(_integral(power, a, cross, low_a, low_a + slope_a * (cross - a)), DIGITS)
        if cross < b:
            found += round_down(_integral(power, cross, b, height, low_b), DIGITS)
    return found


def _integral(power: int, a: Fraction, b: Fraction, at_a: Fraction, at_b: Fraction) -> Fraction:
    """∫_a^b γ^power·(the line from at_a to at_b) dγ; neither power nor power + 1 is −1."""
    slope = (at_b - at_a) / (b - a)
    return (at_a - slope * a) * _power(power, a, b) + slope * _power(power + 1, a, b)


def _power(power: int, a: Fraction, b: Fraction) -> Fraction:
    return (b ** (power + 1) - a ** (power + 1)) / (power + 1)


def directed_bands(
    question: Question, work: Workspace, end: Fraction, cancel: Cancel, *, vanishes: bool
) -> dict[Pair, DirectedBands]:
    """E of every pair, both ways, at `STEPS` + 1 places from 1 to ``end``, each by a search.

    If it ``vanishes`` at the end, as the zero set proves, that place needs none.
    """
    found: dict[Pair, list[tuple[tuple[Fraction, Fraction, Fraction], ...]]] = {pair: [] for pair in question.pairs}
    for k in range(STEPS + 1):
        share = Fraction(k, STEPS)
        alpha = 1 + (end - 1) * share * (2 + share) / 3  # denser near 1, where E bends most
        near = (end - 1) / (8 * STEPS)
        alpha = simplest_between(alpha - near, alpha + near) if 0 < k < STEPS else alpha  # long ones cost time
        if cancel.is_stopped() and k:
            break
        if k == STEPS and vanishes:
            for places in found.values():
                places.append(((alpha, ZERO, ZERO),) * 2)
            break
        cancel.report(f"δ at {k + 1} of {STEPS + 1} places, both ways")
        asked = replace(question, at=ExpEpsilon.exactly(alpha), gap=GAP, allowed=None)
        for proof in search(asked, work, cancel).proofs:
            ways = proof.interval.ways or ((ZERO, proof.interval.upper),) * 2
            short = [(round_down(low, DIGITS), round_up(high, DIGITS)) for low, high in ways]
            found[proof.pair].append(tuple((alpha, low, high) for low, high in short))
    return {pair: DirectedBands(*map(tuple, zip(*places, strict=True))) for pair, places in found.items()}


def _find_vanishing(question: Question, work: Workspace, cancel: Cancel) -> Fraction | None:
    """An e^ε at which δ = 0 is proved for all pairs, near the least that there is; None if none is found."""

    def vanishes(alpha: Fraction) -> bool:
        asked = replace(question, at=ExpEpsilon.exactly(alpha), gap=GAP, allowed=None)
        return not cancel.is_stopped() and search(asked, work, cancel).upper == 0

    low, high = ONE, Fraction(2)
    while not vanishes(high):
        low, high = high, 2 * high
        if high > LARGEST or cancel.is_stopped():
            return None
    for _ in range(HALVINGS):
        # δ = 0 is proved at ``high``, and not at ``low``; short fractions near the middle keep searches fast.
        middle = simplest_between(low + (high - low) / 3, high - (high - low) / 3)
        low, high = (low, middle) if vanishes(middle) else (middle, high)
    return high


def without_end(question: Question, work: Workspace, cancel: Cancel) -> dict[Pair, tuple[Endless, Endless]]:
    """What bounds the moments of every pair, both ways, where beliefs do not end, or the observer asks.

    Nothing where rows are known within limits, where labels differ, or where inputs meet rows that are not fractions.
    """
    chain = work.chain
    if not reach.takes("moments", chain) or len(work.alike) < len(work.pairs):
        return {}
    if chain.interactive:
        return _asked_beliefs(question, work, cancel)
    found: dict[Pair, tuple[Endless, Endless]] = {}
    if reach.takes("pumping", chain):
        for pair in question.pairs:
            both = [pair_system(work.quotient.chain, *way) for way in (work.merge(pair), work.merge(pair)[::-1])]
            if both[0] is not None and both[1] is not None:
                found[pair] = both[0], both[1]
    if len(found) == len(question.pairs):
        return found
    end = _find_vanishing(question, work, cancel)
    bands = directed_bands(question, work, end or FARTHEST, cancel, vanishes=end is not None)
    return {pair: (band, band.reversed) for pair, band in bands.items()} | found


# Where the observer asks.


@dataclass(frozen=True, eq=False)
class AskedBeliefs:
    """The beliefs of a pair in one direction, as far as they were followed, where the observer chooses inputs.

    What is asked may depend on all answers before, and both runs are asked the same. Σ x^a y^(1−a) over what is seen is
    convex and homogeneous, as the gap of δ is, so its largest value over strategies solves the same equations: it is
    exact where beliefs end. Elsewhere an open node has φ(|x|, |y|) ≤ V ≤ Σ_i φ(x_i, y_i) (docs/theory/divergences.md).
    """

    graph: RationalGraph
    root: int
    direction: int
    uncertified = "the checker has no rule for divergences where the observer asks"

    @cached_property
    def _met(self) -> list[int]:
        """The nodes that some strategy leads to."""
        met = [self.root]
        known = {self.root}
        for node in met:
            spend(50)
            if not self._leaf(node):
                new = {edge.child for edge in self.graph.edges[node] or ()} - known
                known |= new
                met += new
        return met

    def _leaf(self, node: int) -> bool:
        return self.graph.is_closed(node) or self.graph.edges[node] is None

    def _open(self, node: int) -> bool:
        return not self.graph.is_closed(node) and self.graph.edges[node] is None

    @property
    def largest_loss(self) -> Fraction | None:
        """At least the largest ln(x/y); None if beliefs do not end, or it is infinite."""
        masses = [self.graph.nodes[node].masses(self.direction) for node in self._met]
        if any(self._open(node) for node in self._met) or any(x and not y for x, y in masses):
            return None
        largest = max(Fraction(x, y) for x, y in masses if y)
        return round_up(ball.log(max(largest, ONE), 100)[1], PLACES)

    def moment(self, order: int) -> Moment:
        """The largest over strategies."""
        masses = {node: self.graph.nodes[node].masses(self.direction) for node in self._met}
        if any(x and not y for x, y in masses.values()):
            return Moment(None, None, "one of the two can show what the other cannot")
        told = {node: self._tell(node, order) for node in self._met if self._open(node)}
        bounded = all(most is not None for most in told.values())

        def gaps(node: int) -> list[fmpq]:
            x, y = masses[node]
            least = _phi(x, y, order)
            return [least, told.get(node, least) or least]

        found = solve_backward(self.graph, [self.root], self._leaf, gaps, 2)
        if found is None:
            return Moment(ONE, None, "beliefs are too entangled to solve")
        low, high = map(to_fraction, found[0][self.root])
        if not bounded:
            return Moment(max(low, ONE), None, "beliefs do not end, and a hidden state may tell the two apart for sure")
        return Moment(max(low, ONE), high)

    def _tell(self, node: int, order: int) -> fmpq | None:
        """What it is worth to be told the hidden state; None if that is infinite."""
        spend(50 * self.graph.nodes[node].size)
        x, y = (dict(part) for part in self.graph.nodes[node].beliefs(self.direction))
        if any(not y.get(state) for state in x):
            return None
        return sum((_phi(mass, y[state], order) for state, mass in x.items()), fmpq(0))


def _phi(x: int, y: int, order: int) -> fmpq:
    """x^a y^(1−a), where y > 0 or x = 0."""
    return fmpq(x**order, y ** (order - 1)) if x else fmpq(0)


def _asked_beliefs(question: Question, work: Workspace, cancel: Cancel) -> dict[Pair, tuple[Endless, Endless]]:
    work.prepare(cancel)
    found: dict[Pair, tuple[Endless, Endless]] = {}
    for pair in question.pairs:
        root = work.graph.root(*work.merge(pair))
        if explore_to_end(work, pair, question.budget.max_nodes, cancel) is None:
            explore(work.graph, root, question.budget.at_most(ASKED_NODES), FIRST_BITS, cancel)
        found[pair] = AskedBeliefs(work.graph, root, 0), AskedBeliefs(work.graph, root, 1)
    return found


# Measures, from whole orders.


def bounds_of(source: Endless, measure: str, order: Fraction | None) -> tuple[Fraction | None, Fraction | None, str]:
    """(lower, upper, reason) of a divergence, or of ρ; lower None if it is infinite, upper None if not bounded."""
    if measure == "zcdp":
        return _rho(source)
    order = ONE if order is None else order
    below, above = int(order), -int(-order // 1)
    # Below order 2 there is no whole order to rest on but 1, at which the moment is 1: then 0 is what is known.
    low = source.moment(below) if below > 1 else Moment(ONE, None)
    high = low if above == below > 1 else source.moment(max(above, 2))
    if low.infinite:
        return None, None, low.reason
    least = _log(low, max(below, 2))[0]
    return least, None if high.infinite else _log(high, max(above, 2))[1], high.reason


def _log(moment: Moment, order: int) -> tuple[Fraction, Fraction | None]:
    """Bounds of D from those of its moment."""
    low = ball.log(moment.lower or ONE, 100)[0] / (order - 1)
    high = None if moment.upper is None else round_up(ball.log(moment.upper, 100)[1] / (order - 1), PLACES)
    return max(round_down(low, PLACES), ZERO), high


def _rho(source: Endless) -> tuple[Fraction | None, Fraction | None, str]:
    """ρ = sup D_a/a: at whole orders below; above, D_a/a ≤ D_{k+1}/k on [k, k + 1], and (largest loss)/A beyond A."""
    lower, upper = ZERO, ZERO
    for order in range(2, LARGEST_ORDER + 1):
        moment = source.moment(order)
        if moment.infinite:
            return None, None, moment.reason
        low, high = _log(moment, order)
        lower = max(lower, low / order)
        if high is None:
            return lower, None, moment.reason
        upper = max(upper, high / (order - 1))
    loss = getattr(source, "largest_loss", None)
    return lower, None if loss is None else max(upper, loss / LARGEST_ORDER), "" if loss is not None else NOT_ZERO
