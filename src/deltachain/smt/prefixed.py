"""From a solver's model to a proof: a distance d and one flow for each ordered same-label pair with Γ(d) ≤ d.

bd is the least pre-fixed point with values in [0, 1], so such a d proves bd ≤ d, whoever found it: 0 ≤ d ≤ 1, and for
each (s, t) with x = μ_s, y = μ_t, ω, η ≥ 0,

    Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ x_i − α y_i  for every state i,  and  Σ ω_ij d_ij + Σ η_i ≤ d(s, t).

A model of the faithful NP formula has τ, γ as well. They are not needed: τ_i − γ_i = x_i − η_i − Σ_j ω_ij is the
amount passed between the two copies of state i, and putting it into the paper's second constraint gives the line
above. Amounts on the diagonal are dropped and amounts between different labels (d = 1) become η: neither raises
the cost or breaks a constraint. `PrefixedPoint.proves` has the trusted checker say whether all of this holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ..distances.closure import close_exactly
from ..distances.step_exact import Flow as EngineFlow
from ..errors import SolverUnknown
from ..model import Chain
from . import faithful, reduced
from .bounds import Background, as_exact, as_flint, optimal_flow
from .formula import Polynomial, at_most, number, total, variable, within
from .proof import Flow, PrefixedPoint
from .question import Assertion, Query, Question, differences, threshold
from .reduction import Pair, Reduction, unordered
from .smtlib import to_smtlib
from .solvers import Algebraic, Value, run

ZERO, ONE = Fraction(0), Fraction(1)


def prefixed_point_from_model(
    query: Query,
    model: Mapping[str, Value],
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
        point = _supported(question, background, distance, own, "the solver's distances and flows")
        if point.proves(question):
            return point
    point = _supported(question, background, distance, {}, "the solver's distances, flows re-solved")
    if point.proves(question):
        return point
    better = _solve_for_flows(question, point, timeout)
    if better is not None and better.proves(question):
        return better
    raise SolverUnknown(
        "the solver answered sat, but its model (irrational, or wrong) could not be turned into an exact proof"
    )


def _distance(
    query: Query, model: Mapping[str, Value], reduction: Reduction | None, background: Background
) -> dict[Pair, Fraction]:
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
                value = ZERO if i == j else _up(model[faithful.distance_name(i, j)])
                found[unordered(i, j)] = min(value, found.get(unordered(i, j), ONE))
    return found


def _up(value: Value) -> Fraction:
    return value.upper if isinstance(value, Algebraic) else value


def _flows(
    query: Query, model: Mapping[str, Value], reduction: Reduction | None, distance: Mapping[Pair, Fraction]
) -> dict[tuple[int, int], Flow] | None:
    """The model's own flows, or None if it has none or they are irrational."""
    if query.formula != "np" or any(isinstance(value, Algebraic) for value in model.values()):
        return None
    values = {name: value for name, value in model.items() if isinstance(value, Fraction)}
    return _faithful_flows(query, values, distance) if reduction is None else _reduced_flows(reduction, values)


def _reduced_flows(reduction: Reduction, values: Mapping[str, Fraction]) -> dict[tuple[int, int], Flow]:
    flows = {}
    for both in reduction.problems.values():
        for problem in both:
            plain = _plain_flow(reduction.question, problem.source, problem.target)
            sources = {state for block in problem.blocks for state in block.sources}
            eta = {state: amount for state, amount in plain.eta.items() if state not in sources}
            arcs: dict[tuple[int, int], Fraction] = {}
            for block in problem.blocks:
                arcs |= {arc: values[reduced.omega_name(problem, arc)] for arc in block.arcs}
                eta |= {state: values[reduced.eta_name(problem, state)] for state in block.sources}
            flows[problem.source, problem.target] = _positive(arcs, eta)
    return flows


def _faithful_flows(
    query: Query, values: Mapping[str, Fraction], distance: Mapping[Pair, Fraction]
) -> dict[tuple[int, int], Flow]:
    """Of the two flows that the formula has for a direction, the cheaper one at the smaller of d_st and d_ts."""
    chain = query.question.chain
    states = range(len(chain))
    flows: dict[tuple[int, int], Flow] = {}
    for group, _, _, s, t in faithful.flow_groups(query.question):
        arcs: dict[tuple[int, int], Fraction] = {}
        eta = {i: values[f"eta_{group}_{i}"] for i in states}
        for i in states:
            for j in states:
                amount = values[f"omega_{group}_{i}_{j}"]
                if chain.labels[i] != chain.labels[j]:
                    eta[i] += amount
                elif i != j:
                    arcs[i, j] = amount
        flow = _positive(arcs, eta)
        if (s, t) not in flows or flow.cost(distance) < flows[s, t].cost(distance):
            flows[s, t] = flow
    return flows


def _positive(arcs: Mapping[tuple[int, int], Fraction], eta: Mapping[int, Fraction]) -> Flow:
    return Flow({arc: a for arc, a in arcs.items() if a}, {state: a for state, a in eta.items() if a})


def _plain_flow(question: Question, s: int, t: int) -> Flow:
    """No arcs: every source buys what it needs, at a cost of at most 1."""
    return Flow({}, {state: gain for state, gain in differences(question, s, t) if gain > 0})


def _from_engine(background: Background, flow: EngineFlow) -> Flow:
    states = background.space.states
    arcs = {(states[u], states[v]): as_exact(amount) for u, v, amount in flow.arcs}
    return Flow(arcs, {states[u]: as_exact(amount) for u, amount in flow.eta})


def _supported(
    question: Question,
    background: Background,
    distance: Mapping[Pair, Fraction],
    own: Mapping[tuple[int, int], Flow],
    source: str,
) -> PrefixedPoint:
    """The asked pair and all that its flows rest on, at d: flows of one's own, of the zero set, or the cheapest at d.

    Every other pair gets d = 1, and so does one of which nothing is known: no arcs are needed for that.
    """
    chain, space = question.chain, background.space
    u, v = space.ends
    number = {(space.states[u[p]], space.states[v[p]]): p for p in range(len(space))}
    closure = close_exactly(space, [as_flint(distance.get(unordered(*ends), ONE)) for ends in number])
    whole, flows = dict.fromkeys(_same_label_pairs(chain), ONE), {}
    waiting = [(question.s, question.t)] if chain.labels[question.s] == chain.labels[question.t] else []
    while waiting:
        s, t = waiting.pop()
        value = distance.get(unordered(s, t), ONE)
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
        whole[unordered(s, t)], flows[s, t] = value, flow
        waiting += [(t, s), *flow.arcs]
    for s, t in whole:
        if s == t:
            whole[s, t] = ZERO
        for ends in ((s, t), (t, s)):
            if s != t and ends not in flows:
                flows[ends] = _plain_flow(question, *ends)
    return PrefixedPoint(chain, question.alpha, whole, flows, source)


def _same_label_pairs(chain: Chain) -> Iterator[Pair]:
    return ((s, t) for group in chain.by_label.values() for s in group for t in group if s <= t)


def _solve_for_flows(question: Question, point: PrefixedPoint, timeout: float | None) -> PrefixedPoint | None:
    """A d for the flows of ``point``: with flows fixed the constraints are linear, so its values are rational."""

    def term(pair: Pair) -> Polynomial:
        return number(0) if pair[0] == pair[1] else variable(reduced.distance_name(pair))

    assertions = [Assertion("bounds", within(0, term(pair), 1)) for pair in point.distance if pair[0] != pair[1]]
    for (s, t), flow in point.flows.items():
        cost = total([*(term(unordered(*arc)) * a for arc, a in flow.arcs.items()), *flow.eta.values()])
        assertions.append(Assertion(f"flow {s} -> {t}", at_most(cost, term(unordered(s, t)))))
    same = question.chain.labels[question.s] == question.chain.labels[question.t]
    asked = term(unordered(question.s, question.t)) if same else number(1)
    linear = Query(question, "np", "flows fixed", (*assertions, threshold(question, asked)))
    answer = run("z3", to_smtlib(linear), timeout)
    if answer.verdict != "sat":
        return None
    values = {pair: _up(answer.model.get(reduced.distance_name(pair), ZERO)) for pair in point.distance}
    return PrefixedPoint(point.chain, point.alpha, values, point.flows, "a linear query at the model's flows")
