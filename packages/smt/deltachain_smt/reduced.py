"""The reduced formulas: equivalent to the paper's, over the distances and arcs that exact simplification leaves.

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
d = bd does. `docs/theory/smt.md` has the proof that the reduced formulas are equivalent to the paper's.

*Bounds* come from the zero set, and from sweeps of Γ from below and above. Γ is monotone with least fixed point bd.
From 0 upwards every iterate is ≤ bd, and so is anything below it. From the pre-fixed point 1_{not Z} downwards every
iterate is ≥ bd, and so is anything above it; iterates that never rise stay pre-fixed points. So long iterates may be
rounded outward to short dyadic numbers. No float takes part. The sweeps stop when the bounds are as near as asked
(`CLOSE`, relative) or after `most_sweeps`; they are bounds whenever they stop.

*Formulas.* ``np``: for each direction of each pair left, ∃ ω, η ≥ 0 with Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ e_i at every
state of a block, and constant + Σ ω d + Σ η ≤ d(s, t). The paper's τ_i − γ_i = x_i − η_i − Σ_j ω_ij has been put into
its other constraint, and its diagonal and upper bounds on flows are not needed (docs/theory/smt.md).
``sigma2``: for each block, a value v with ∀ f ∈ [0,1]. (⋀ f_i − α f_j ≤ d_ij ⇒ Σ f_i e_i ≤ v), and
constant + Σ v ≤ d(s, t).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm, prod

from flint import fmpq

from deltachain.cancel import Cancel, spend
from deltachain.distances.closure import ExactClosure, close_exactly
from deltachain.distances.fixed_point import refuse_too_many
from deltachain.distances.kinds.bd import BD
from deltachain.distances.pair_space import PairSpace, relevant_states
from deltachain.distances.step_exact import Flow, flow_value, option_imbalance, solve_flow
from deltachain.distances.zero_set import ZeroSet, zero_set
from deltachain.errors import Defect, InputError
from deltachain.numbers.flint import to_flint, to_fraction

from .formulas import (
    Formula,
    Query,
    Term,
    ThresholdQuestion,
    all_of,
    at_most,
    differences,
    for_all,
    implies,
    threshold,
    within,
)

LabelPair = tuple[int, int]
"""Two states of one label, smaller number first."""

StateArc = tuple[int, int]

PairBounds = Mapping[LabelPair, tuple[Fraction, Fraction]]
"""(lower, upper) with lower ≤ bd ≤ upper, and upper a pre-fixed point; pairs that are missing have (0, 1)."""

MOST_ARCS = 200_000
"""Arcs of all problems together; about 50 MB of text. No solver has decided a tenth of it."""

STEPS_PER_PASSAGE = 3
"""What it costs to compare a passage with a direct arc."""
LONGEST, BITS = 128, 40
"""An iterate whose denominator is longer than LONGEST bits is rounded outward to a multiple of 2^−BITS. Shorter ones
stay as they are, so that on chains without cycles the two sides meet."""

MOST_STEPS = 100_000
"""So many exact steps are spent on bounds in all; with more pairs there are fewer sweeps."""

CLOSE = Fraction(1, 64)
"""Sweeping stops when upper − lower ≤ CLOSE · upper on every pair."""

ZERO, ONE = Fraction(0), Fraction(1)


def sort_pair(i: int, j: int) -> LabelPair:
    """The pair of i and j."""
    return (i, j) if i <= j else (j, i)


@dataclass(frozen=True)
class Block:
    """The flow problem of one label: what sources must send or buy at 1, what sinks can take, and the arcs between."""

    sources: Mapping[int, Fraction]
    sinks: Mapping[int, Fraction]
    arcs: tuple[StateArc, ...]

    @property
    def states(self) -> tuple[int, ...]:
        """The states of the arcs and all sources, in order."""
        return tuple(sorted({state for arc in self.arcs for state in arc} | set(self.sources)))

    def excess(self, state: int) -> Fraction:
        """The value e of a state."""
        return self.sources.get(state, ZERO) - self.sinks.get(state, ZERO)


@dataclass(frozen=True)
class StepProblem:
    """One directed step: a constant and independent blocks."""

    source: int
    target: int
    constant: Fraction
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Reduction:
    """``known`` pairs have that value in bd; ``problems`` are both directions of each pair that is left."""

    question: ThresholdQuestion
    bounds: PairBounds
    known: Mapping[LabelPair, Fraction]
    problems: Mapping[LabelPair, tuple[StepProblem, StepProblem]]

    def bound(self, pair: LabelPair) -> tuple[Fraction, Fraction]:
        """(lower, upper) of a pair."""
        return _bound(self.bounds, self.known, pair)


def _bound(bounds: PairBounds, known: Mapping[LabelPair, Fraction], pair: LabelPair) -> tuple[Fraction, Fraction]:
    value = known.get(pair)
    return bounds.get(pair, (ZERO, ONE)) if value is None else (value, value)


def reduce_question(question: ThresholdQuestion, bounds: PairBounds) -> Reduction:
    """Apply the rules above until none applies any more. The threshold θ plays no part."""
    chain = question.chain
    known = {pair: low for pair, (low, high) in bounds.items() if low == high}
    asked = sort_pair(question.s, question.t)
    if chain.labels[question.s] != chain.labels[question.t]:
        return Reduction(question, bounds, {asked: ONE}, {})
    # The network holds ``known`` itself: what it learns below is known here.
    network = _Network(question, bounds, known)
    while True:
        problems: dict[LabelPair, tuple[StepProblem, StepProblem]] = {}
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
            waiting += sorted({sort_pair(*arc) for arc in arcs}, reverse=True)
        if not constants:
            return Reduction(question, bounds, known, dict(sorted(problems.items())))
        # New constants are new bounds, which may cut more arcs.
        network.learn(constants)


def _too_large(question: ThresholdQuestion) -> Defect:
    what = f"with {len(question.chain)} states there are more than {MOST_ARCS:,} flows between states to reduce"
    return Defect("formula", what, "ask the engine, or with the bounded encoding if this is the reduced one")


class _Network:
    """The arcs of each label that rules 1 and 2 leave, under the present bounds; the same for every pair."""

    def __init__(self, question: ThresholdQuestion, bounds: PairBounds, known: dict[LabelPair, Fraction]) -> None:
        self.question, self.bounds, self.known = question, bounds, known
        self._labels: dict[str, tuple[set[StateArc], set[StateArc]]] = {}

    def learn(self, constants: Mapping[LabelPair, Fraction]) -> None:
        """Add known values; the arcs of their labels are looked at anew."""
        self.known |= constants
        for i, _ in constants:
            self._labels.pop(self.question.chain.labels[i], None)

    def problem(self, s: int, t: int) -> StepProblem:
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
        return StepProblem(s, t, constant, tuple(blocks))

    def _arcs(self, label: str, sources: Mapping[int, Fraction], sinks: Mapping[int, Fraction]) -> tuple[StateArc, ...]:
        """Rule 3: direct arcs, and arcs of passages, that lie on a path from a source to a sink."""
        if label not in self._labels:
            self._labels[label] = self._passages(self.question.chain.by_label[label])
        cheap, passing = self._labels[label]
        spend(5 * len(passing))
        kept = passing | {(i, j) for i in sources for j in sinks if (i, j) in cheap}
        forwards = _reach(sources, kept)
        backwards = _reach(sinks, {(j, i) for i, j in kept})
        return tuple(sorted(arc for arc in kept if arc[0] in forwards and arc[1] in backwards))

    def _passages(self, states: tuple[int, ...]) -> tuple[set[StateArc], set[StateArc]]:
        """(arcs that cost less than 1, those of them that take part in a passage i→k→j that may help)."""
        spend(30 * len(states) ** 2)
        pairs = [(i, j) for i in states for j in states if i != j]
        bound = {(i, j): _bound(self.bounds, self.known, sort_pair(i, j)) for i, j in pairs}
        after: dict[int, list[tuple[int, Fraction]]] = {state: [] for state in states}
        for (i, j), (low, _) in bound.items():
            if low < 1:
                # One unit that arrives at k burdens it with α units to send on, so
                # the second arc of a passage counts α times.
                after[i].append((j, self.question.alpha * low))
        passing: set[StateArc] = set()
        for i in states:
            worth = {j: bound[i, j][1] for j in states if j != i}
            for k, _ in after[i]:
                first = bound[i, k][0]
                spend(STEPS_PER_PASSAGE * len(after[k]))
                for j, second in after[k]:
                    if j != i and first + second < worth[j]:
                        passing |= {(i, k), (k, j)}
        return {(i, j) for i in states for j, _ in after[i]}, passing


def _reach(starts: Mapping[int, Fraction], arcs: set[StateArc]) -> set[int]:
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


@dataclass(frozen=True)
class Background:
    """The pairs that the asked pair depends on, and which of them are zero, with proofs."""

    space: PairSpace[fmpq]
    zero: ZeroSet[fmpq]

    @property
    def zero_bounds(self) -> dict[LabelPair, tuple[Fraction, Fraction]]:
        """(0, 0) for the pairs of the zero set, the diagonal included."""
        u, v = self.space.ends
        states = self.space.states
        nothing = (Fraction(0), Fraction(0))
        members = [int(p) for p in self.zero.member.nonzero()[0]]
        return {sort_pair(states[u[p]], states[v[p]]): nothing for p in members}


def look(question: ThresholdQuestion, cancel: Cancel | None = None) -> Background:
    """The relevant pairs and their zero set, exactly. Raises Stopped."""
    states = relevant_states(question.chain, [(question.s, question.t)])
    space = PairSpace.of(question.chain, question.alpha, states)
    refuse_too_many(space)
    return Background(space, zero_set(space, BD, cancel=cancel))


def optimal_flow(space: PairSpace[fmpq], pair: int, closure: ExactClosure[fmpq]) -> Flow[fmpq]:
    """The cheapest flow of an ordered pair at the costs of an exact closure; exact."""
    return solve_flow(space, option_imbalance(space, pair), closure.cost, closure)


def sweep_bounds(background: Background, most_sweeps: int = 48, cancel: Cancel | None = None) -> PairBounds:
    """(lower, upper) of bd for every relevant pair, 0 on the zero set; upper is a pre-fixed point. Raises Stopped."""
    cancel = cancel or Cancel()
    space, member = background.space, background.zero.member
    u, v = space.ends
    pairs = [int(p) for p in (~member).nonzero()[0] if u[p] < v[p]]
    lower = [to_flint(Fraction(0))] * len(space)
    upper = [to_flint(Fraction(0 if member[p] else 1)) for p in range(len(space))]
    # A sweep takes four steps for a pair: both directions, from below and from above.
    for _ in range(min(most_sweeps, MOST_STEPS // max(1, 4 * len(pairs)))):
        lower = _apply(space, pairs, lower, cancel, up=False)
        upper = _apply(space, pairs, upper, cancel, up=True)
        close = to_flint(CLOSE)
        if all(upper[p] - lower[p] <= close * upper[p] for p in pairs):
            break
    states = space.states
    found = {sort_pair(states[u[p]], states[v[p]]): (to_fraction(lower[p]), to_fraction(upper[p])) for p in pairs}
    return background.zero_bounds | found


def _apply(space: PairSpace[fmpq], pairs: list[int], d: list[fmpq], cancel: Cancel, *, up: bool) -> list[fmpq]:
    """Γ(d) on the pairs, rounded outward; d itself elsewhere."""
    closure = close_exactly(space, d)
    after = list(d)
    scale = 2**BITS
    for pair in pairs:
        cancel.check()
        other = int(space.swapped[pair])
        value = max(flow_value(space, optimal_flow(space, p, closure), d) for p in (pair, other))
        if int(value.q).bit_length() > LONGEST:
            scaled = value * scale
            value = fmpq(int(scaled.ceil() if up else scaled.floor()), scale)
            # Above Γ(d), not above d: with d a pre-fixed point, so is what comes after it.
            value = min(value, d[pair]) if up else value
        after[pair] = after[other] = value
    return after


def denominator_bound(reduction: Reduction) -> int:
    """A bound on the denominator of bd(s, t), and a common denominator of bd on all pairs of the reduction.

    Take optimal vertex flows at bd in both directions of each pair. bd is the least d with d ≥ Wd + η for all of
    these rows, hence a vertex of that polyhedron, hence the solution of as many of these rows (or rows d = 0) as
    there are pairs. By Cramer's rule and Hadamard's inequality its common denominator is at most the product of
    the largest row bounds (docs/theory/smt.md).
    """
    asked = sort_pair(reduction.question.s, reduction.question.t)
    if asked in reduction.known:
        return reduction.known[asked].denominator
    return prod(sorted(row_bounds(reduction), reverse=True)[: len(reduction.problems)])


def row_bounds(reduction: Reduction) -> list[int]:
    """A bound for each row d(s, t) ≥ Σ ω d + constant + Σ η of optimal vertex flows, both directions of each pair.

    It bounds the common denominator of the row's numbers, and the norm of the row cleared of it.
    """
    return [_row_bound(reduction, problem) for both in reduction.problems.values() for problem in both]


def _row_bound(reduction: Reduction, problem: StepProblem) -> int:
    """A bound on the norm of the row d(s, t) − Σ ω d = constant + Σ η, cleared of denominators."""
    question = reduction.question
    a, b = question.alpha.numerator, question.alpha.denominator
    rows = (*question.chain.rows[problem.source], *question.chain.rows[problem.target])
    probabilities = lcm(*(p.denominator for _, p in rows))
    used = {sort_pair(*arc) for block in problem.blocks for arc in block.arcs} & reduction.known.keys()
    constants = lcm(*(reduction.known[pair].denominator for pair in used))
    # A vertex flow solves a system whose columns hold b and −a: its determinant is at most Π √(a² + b²).
    determinants = prod(isqrt((a * a + b * b) ** len(block.states)) + 1 for block in problem.blocks)
    longest = max((len(block.states) for block in problem.blocks), default=0)
    return probabilities * b * constants * determinants * (1 + longest)


def distance_name(pair: LabelPair) -> str:
    """The variable of a pair, shared by both orders."""
    return f"d_{pair[0]}_{pair[1]}"


def omega_name(problem: StepProblem, arc: StateArc) -> str:
    """The amount on an arc in one directed problem."""
    return f"omega_{problem.source}_{problem.target}_{arc[0]}_{arc[1]}"


def eta_name(problem: StepProblem, state: int) -> str:
    """What a source buys at 1 in one directed problem."""
    return f"eta_{problem.source}_{problem.target}_{state}"


def _distance(reduction: Reduction, i: int, j: int) -> Term:
    """d_ij: its variable, or its known value."""
    pair = sort_pair(i, j)
    known = reduction.known.get(pair)
    return (1, distance_name(pair)) if known is None else (known,)


def _ask(reduction: Reduction) -> tuple[str, Formula]:
    question = reduction.question
    return threshold(question, _distance(reduction, question.s, question.t))


def _boxes(reduction: Reduction) -> list[tuple[str, Formula]]:
    boxes = []
    for pair in reduction.problems:
        low, high = reduction.bound(pair)
        boxes.append((f"bounds of {distance_name(pair)}", within(low, distance_name(pair), high)))
    return boxes


def _direct(reduction: Reduction) -> list[StepProblem]:
    return [problem for both in reduction.problems.values() for problem in both if problem.blocks or problem.constant]


def np_query(reduction: Reduction, encoding: str) -> Query:
    """∃ d, ω, η: d is a pre-fixed point, by flows, and d(s, t) ≤ θ. Bilinear."""
    assertions = _boxes(reduction)
    for problem in _direct(reduction):
        text = f"step {problem.source} -> {problem.target} by a flow"
        assertions.append((text, _flows(reduction, problem)))
    return Query(reduction.question, "np", encoding, (*assertions, _ask(reduction)))


def _flows(reduction: Reduction, problem: StepProblem) -> Formula:
    alpha = reduction.question.alpha
    parts: list[Formula] = []
    cost: list[Term] = [(problem.constant,)]
    for block in problem.blocks:
        omega = {arc: omega_name(problem, arc) for arc in block.arcs}
        eta = {state: eta_name(problem, state) for state in block.sources}
        parts += [at_most([(0,)], [(1, amount)]) for amount in (*omega.values(), *eta.values())]
        for state in block.states:
            balance: list[Term] = [(1, amount) for (i, _), amount in omega.items() if i == state]
            balance += [(1, eta[state])] if state in eta else []
            balance += [(-alpha, amount) for (_, j), amount in omega.items() if j == state]
            parts.append(at_most([(block.excess(state),)], balance))
        for arc, amount in omega.items():
            price = _distance(reduction, *arc)
            cost.append((price[0], amount, *price[1:]))
        cost += [(1, bought) for bought in eta.values()]
    parts.append(at_most(cost, [_distance(reduction, problem.source, problem.target)]))
    return all_of(parts)


def sigma2_query(reduction: Reduction, encoding: str) -> Query:
    """∃ d, v ∀ f: d is a pre-fixed point, by the primal form, and d(s, t) ≤ θ. Linear."""
    assertions = _boxes(reduction)
    for problem in _direct(reduction):
        cost: list[Term] = [(problem.constant,)]
        for index, block in enumerate(problem.blocks):
            value = f"v_{problem.source}_{problem.target}_{index}"
            cost.append((1, value))
            text = f"step {problem.source} -> {problem.target}, label of state {block.arcs[0][0]}"
            assertions.append((text, _prices(reduction, block, value)))
        bound = _distance(reduction, problem.source, problem.target)
        assertions.append((f"step {problem.source} -> {problem.target}", at_most(cost, [bound])))
    return Query(reduction.question, "sigma2", encoding, (*assertions, _ask(reduction)))


def _prices(reduction: Reduction, block: Block, value: str) -> Formula:
    alpha = reduction.question.alpha
    f = {state: f"f_{state}" for state in block.states}
    allowed = [within(0, price, 1) for price in f.values()]
    allowed += [at_most([(1, f[i]), (-alpha, f[j])], [_distance(reduction, i, j)]) for i, j in block.arcs]
    gain: list[Term] = [(block.excess(state), f[state]) for state in block.states]
    return for_all([*f.values()], implies(all_of(allowed), at_most(gain, [(1, value)])))
