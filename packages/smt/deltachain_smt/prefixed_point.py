"""From a solver's model to a proof: a distance d and one flow for each ordered same-label pair with Γ(d) ≤ d.

bd is the least pre-fixed point with values in [0, 1], so such a d proves bd ≤ d, whoever found it: 0 ≤ d ≤ 1, and for
each (s, t) with x = μ_s, y = μ_t, ω, η ≥ 0,

    Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ x_i − α y_i  for every state i,  and  Σ ω_ij d_ij + Σ η_i ≤ d(s, t).

Whether it is one is for the trusted checker to say, and for nobody else: a solver's "yes" is believed when its
certificate (D claims, rule R1) is accepted, see `PrefixedPoint.proves`.

A model of the faithful NP formula has τ, γ as well. They are not needed: τ_i − γ_i = x_i − η_i − Σ_j ω_ij is the
amount passed between the two copies of state i, and putting it into the paper's second constraint gives the line
above. Amounts on the diagonal are dropped and amounts between different labels (d = 1) become η: neither raises
the cost or breaks a constraint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from deltachain.certificate.record import Certificate, Writer, exact_text
from deltachain.certificate.verification import verify_certificate
from deltachain.distances.closure import close_exactly
from deltachain.distances.kinds.bd import BD
from deltachain.distances.step_exact import Flow
from deltachain.errors import CertificateRejected, SolverUnknown
from deltachain.model import Chain
from deltachain.numbers.flint import to_flint, to_fraction
from deltachain.numbers.fraction import format_fraction

from . import formulas, reduced
from .formulas import Query, Term, ThresholdQuestion, at_most, differences, threshold, to_smtlib, within
from .reduced import Background, LabelPair, Reduction, optimal_flow, sort_pair
from .solvers import Algebraic, SolverValue, run

if TYPE_CHECKING:
    from flint import fmpq

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class PrefixedPoint:
    """d on all same-label pairs (smaller number first; the diagonal is 0), and a flow for each ordered pair s ≠ t."""

    chain: Chain
    alpha: Fraction
    distance: Mapping[LabelPair, Fraction]
    flows: Mapping[tuple[int, int], Flow[fmpq]]
    source: str
    """Where d and the flows came from, in words."""

    def value(self, s: int, t: int) -> Fraction:
        """d(s, t); 1 for states of different labels."""
        return self.distance[sort_pair(s, t)] if self.chain.labels[s] == self.chain.labels[t] else ONE

    def certificate(self, s: int, t: int) -> Certificate:
        """Proof of bd(s, t) ≤ d(s, t), with only the claims that it rests on. Pairs of value 1 need none (R0)."""
        names = self.chain.states
        stack = [(s, t)]
        place: dict[tuple[int, int], int] = {}
        while stack:
            i, j = stack.pop()
            flow = self.flows.get((i, j))
            if i == j or (i, j) in place or self.value(i, j) == 1 or flow is None:
                continue
            place[i, j] = len(place)
            # bd is symmetric, so a claim needs the covers of both directions.
            stack += [(j, i), *((u, v) for u, v, _ in flow.arcs)]
        writer = Writer()
        for i, j in place:
            cover = [[place[u, v], exact_text(amount)] for u, v, amount in self.flows[i, j].arcs if (u, v) in place]
            writer.add("claims", [[[names[i], names[j]], format_fraction(self.value(i, j)), "step", cover]])
        writer.put_distances({"kind": BD.name, "claims": [*place.values()], "prices": []})
        claim = {"claim": BD.name, "pair": [names[s], names[t]], "upper": format_fraction(self.value(s, t))}
        return writer.certificate(self.chain.sha256, [format_fraction(self.alpha)] * 2, [claim])

    def proves(self, question: ThresholdQuestion) -> bool:
        """Whether d(s, t) meets the question's threshold, and the checker accepts that it bounds bd(s, t)."""
        if self.chain != question.chain or self.alpha != question.alpha:
            return False
        value = self.value(question.s, question.t)
        if not (value < question.theta if question.strict else value <= question.theta):
            return False
        try:
            verify_certificate(self.chain, self.certificate(question.s, question.t))
        except CertificateRejected:
            return False
        return True


def prefixed_point_from_model(
    query: Query,
    model: Mapping[str, SolverValue],
    background: Background,
    reduction: Reduction | None = None,
    timeout: float | None = None,
) -> PrefixedPoint:
    """A pre-fixed point that proves the question's "yes", out of a model of the query.

    If the model's numbers are rational they are used as they are. Otherwise, and for the formulas without flows,
    flows are the exact optima at d rounded up; if these do not fit, a second, linear query finds d for them.
    Raises SolverUnknown if no proof comes out.
    """
    question = query.question
    distance = _distance(query, model, reduction, background)
    own = _flows(query, model, reduction, distance)
    if own is not None:
        point = _support(question, background, distance, own, "the solver's distances and flows")
        if point.proves(question):
            return point
    point = _support(question, background, distance, {}, "the solver's distances, flows re-solved")
    if point.proves(question):
        return point
    better = _solve_for_flows(question, point, timeout)
    if better is not None and better.proves(question):
        return better
    raise SolverUnknown(
        "the solver answered sat, but its model (irrational, or wrong) could not be turned into an exact proof"
    )


def _distance(
    query: Query, model: Mapping[str, SolverValue], reduction: Reduction | None, background: Background
) -> dict[LabelPair, Fraction]:
    """The d of the pairs that the model speaks of, irrational values rounded up; of others, what was assumed.

    Paper: d_ij and d_ji. Here: the smaller of them. Because: both bound the same two steps.
    """
    chain = query.question.chain
    if reduction is not None:
        # The upper bounds are a pre-fixed point above d, so Γ(d) is below them where they stand for d.
        upper = {pair: high for pair, (_, high) in (background.zero_bounds | dict(reduction.bounds)).items()}
        found = {pair: _up(model[reduced.distance_name(pair)]) for pair in reduction.problems}
        return upper | dict(reduction.known) | found
    found = {}
    for states in chain.by_label.values():
        for i in states:
            for j in states:
                value = ZERO if i == j else _up(model[formulas.distance_name(i, j)])
                found[sort_pair(i, j)] = min(value, found.get(sort_pair(i, j), ONE))
    return found


def _up(value: SolverValue) -> Fraction:
    return value.upper if isinstance(value, Algebraic) else value


def _flows(
    query: Query, model: Mapping[str, SolverValue], reduction: Reduction | None, distance: Mapping[LabelPair, Fraction]
) -> dict[tuple[int, int], Flow[fmpq]] | None:
    """The model's own flows, or None if it has none or they are irrational."""
    if query.formula != "np" or any(isinstance(value, Algebraic) for value in model.values()):
        return None
    values = {name: value for name, value in model.items() if isinstance(value, Fraction)}
    return _faithful_flows(query, values, distance) if reduction is None else _reduced_flows(reduction, values)


def _reduced_flows(reduction: Reduction, values: Mapping[str, Fraction]) -> dict[tuple[int, int], Flow[fmpq]]:
    flows = {}
    for both in reduction.problems.values():
        for problem in both:
            sources = {state for block in problem.blocks for state in block.sources}
            gains = differences(reduction.question, problem.source, problem.target)
            # Blocks without arcs were left out as constants: their sources buy all that they need.
            eta = {state: gain for state, gain in gains if gain > 0 and state not in sources}
            arcs: dict[tuple[int, int], Fraction] = {}
            for block in problem.blocks:
                arcs |= {arc: values[reduced.omega_name(problem, arc)] for arc in block.arcs}
                eta |= {state: values[reduced.eta_name(problem, state)] for state in block.sources}
            flows[problem.source, problem.target] = _flow(arcs, eta)
    return flows


def _faithful_flows(
    query: Query, values: Mapping[str, Fraction], distance: Mapping[LabelPair, Fraction]
) -> dict[tuple[int, int], Flow[fmpq]]:
    """Of the two flows that the formula has for a direction, the cheaper one at the smaller of d_st and d_ts."""
    chain = query.question.chain
    states = range(len(chain))
    flows: dict[tuple[int, int], tuple[Fraction, Flow[fmpq]]] = {}
    for group, _, _, s, t in formulas.flow_groups(query.question):
        arcs: dict[tuple[int, int], Fraction] = {}
        eta = {i: values[f"eta_{group}_{i}"] for i in states}
        for i in states:
            for j in states:
                amount = values[f"omega_{group}_{i}_{j}"]
                if chain.labels[i] != chain.labels[j]:
                    eta[i] += amount
                elif i != j:
                    arcs[i, j] = amount
        paid = sum((amount * distance[sort_pair(*arc)] for arc, amount in arcs.items()), ZERO)
        cost = paid + sum(eta.values(), ZERO)
        if (s, t) not in flows or cost < flows[s, t][0]:
            flows[s, t] = cost, _flow(arcs, eta)
    return {ends: flow for ends, (_, flow) in flows.items()}


def _flow(arcs: Mapping[tuple[int, int], Fraction], eta: Mapping[int, Fraction]) -> Flow[fmpq]:
    """The flow of the amounts that are not zero, in order."""
    return Flow(
        tuple((i, j, to_flint(amount)) for (i, j), amount in sorted(arcs.items()) if amount),
        tuple((state, to_flint(amount)) for state, amount in sorted(eta.items()) if amount),
    )


def _plain_flow(question: ThresholdQuestion, s: int, t: int) -> Flow[fmpq]:
    """No arcs: every source buys what it needs, at a cost of at most 1."""
    return _flow({}, {state: gain for state, gain in differences(question, s, t) if gain > 0})


def _from_engine(background: Background, flow: Flow[fmpq]) -> Flow[fmpq]:
    """The engine's flow, whose states are numbered among the relevant ones, by the numbers of the chain."""
    states = background.space.states
    arcs = sorted((states[u], states[v], amount) for u, v, amount in flow.arcs)
    return Flow(tuple(arcs), tuple(sorted((states[u], amount) for u, amount in flow.eta)))


def _support(
    question: ThresholdQuestion,
    background: Background,
    distance: Mapping[LabelPair, Fraction],
    own: Mapping[tuple[int, int], Flow[fmpq]],
    source: str,
) -> PrefixedPoint:
    """The asked pair and all that its flows rest on, at d: flows of one's own, of the zero set, or the cheapest at d.

    Every other pair gets d = 1, and so does one of which nothing is known: no arcs are needed for that.
    """
    chain, space = question.chain, background.space
    u, v = space.ends
    number = {(space.states[u[p]], space.states[v[p]]): p for p in range(len(space))}
    closure = close_exactly(space, [to_flint(distance.get(sort_pair(*ends), ONE)) for ends in number])
    whole, flows = dict.fromkeys(_same_label_pairs(chain), ONE), {}
    waiting = [(question.s, question.t)] if chain.labels[question.s] == chain.labels[question.t] else []
    while waiting:
        s, t = waiting.pop()
        value = distance.get(sort_pair(s, t), ONE)
        if s == t or (s, t) in flows or value == ONE:
            continue
        place = number.get((s, t))
        if (s, t) in own:
            flow = own[s, t]
        elif place is None:
            continue  # a pair that the asked one cannot reach, and of which no flow is known
        elif value == 0 and background.zero.member[place]:
            flow = _from_engine(background, background.zero.flow(place))
        else:
            flow = _from_engine(background, optimal_flow(space, place, closure))
        whole[sort_pair(s, t)], flows[s, t] = value, flow
        waiting += [(t, s), *((i, j) for i, j, _ in flow.arcs)]
    for s, t in whole:
        if s == t:
            whole[s, t] = ZERO
        for ends in ((s, t), (t, s)):
            if s != t and ends not in flows:
                flows[ends] = _plain_flow(question, *ends)
    return PrefixedPoint(chain, question.alpha, whole, flows, source)


def _same_label_pairs(chain: Chain) -> Iterator[LabelPair]:
    return ((s, t) for group in chain.by_label.values() for s in group for t in group if s <= t)


def _solve_for_flows(question: ThresholdQuestion, point: PrefixedPoint, timeout: float | None) -> PrefixedPoint | None:
    """A d for the flows of ``point``: with flows fixed the constraints are linear, so its values are rational."""

    def term(pair: LabelPair, amount: Fraction = ONE) -> Term:
        return (0,) if pair[0] == pair[1] else (amount, reduced.distance_name(pair))

    assertions = [
        ("bounds", within(0, reduced.distance_name(pair), 1)) for pair in point.distance if pair[0] != pair[1]
    ]
    for (s, t), flow in point.flows.items():
        cost = [term(sort_pair(i, j), to_fraction(amount)) for i, j, amount in flow.arcs]
        cost += [(to_fraction(amount),) for _, amount in flow.eta]
        assertions.append((f"flow {s} -> {t}", at_most(cost, [term(sort_pair(s, t))])))
    same = question.chain.labels[question.s] == question.chain.labels[question.t]
    asked: Term = term(sort_pair(question.s, question.t)) if same else (1,)
    linear = Query(question, "np", "flows fixed", (*assertions, threshold(question, asked)))
    answer = run("z3", to_smtlib(linear), timeout)
    if answer.verdict != "sat":
        return None
    values = {pair: _up(answer.model.get(reduced.distance_name(pair), ZERO)) for pair in point.distance}
    return PrefixedPoint(point.chain, point.alpha, values, point.flows, "a linear query at the model's flows")
