"""The reduced formulas: equivalent to the paper's, over the pairs and arcs that a `Reduction` leaves.

``np``: for each direction of each pair left, ∃ ω, η ≥ 0 with Σ_j ω_ij + η_i − α Σ_j ω_ji ≥ e_i at every state of a
block, and constant + Σ ω d + Σ η ≤ d(s, t). The paper's τ_i − γ_i = x_i − η_i − Σ_j ω_ij has been put into its other
constraint, and its diagonal and upper bounds on flows are not needed (docs/smt.md).
``sigma2``: for each block, a value v with ∀ f ∈ [0,1]. (⋀ f_i − α f_j ≤ d_ij ⇒ Σ f_i e_i ≤ v), and
constant + Σ v ≤ d(s, t).
"""

from __future__ import annotations

from .formula import And, ForAll, Formula, Implies, Polynomial, at_most, number, total, variable, within
from .question import Assertion, Query, threshold
from .reduction import Arc, Block, Pair, Problem, Reduction, unordered


def distance_name(pair: Pair) -> str:
    """The variable of a pair, shared by both orders."""
    return f"d_{pair[0]}_{pair[1]}"


def omega_name(problem: Problem, arc: Arc) -> str:
    """The amount on an arc in one directed problem."""
    return f"omega_{problem.source}_{problem.target}_{arc[0]}_{arc[1]}"


def eta_name(problem: Problem, state: int) -> str:
    """What a source buys at 1 in one directed problem."""
    return f"eta_{problem.source}_{problem.target}_{state}"


def distance(reduction: Reduction, i: int, j: int) -> Polynomial:
    """d_ij: its variable, or its known value."""
    pair = unordered(i, j)
    known = reduction.known.get(pair)
    return variable(distance_name(pair)) if known is None else number(known)


def _asked(reduction: Reduction) -> Assertion:
    question = reduction.question
    return threshold(question, distance(reduction, question.s, question.t))


def _boxes(reduction: Reduction) -> list[Assertion]:
    boxes = []
    for pair in reduction.problems:
        low, high = reduction.bound(pair)
        box = within(low, variable(distance_name(pair)), high)
        boxes.append(Assertion(f"bounds of d_{pair[0]}_{pair[1]}", box))
    return boxes


def _directed(reduction: Reduction) -> list[Problem]:
    return [problem for both in reduction.problems.values() for problem in both if problem.blocks or problem.constant]


def np_query(reduction: Reduction, encoding: str) -> Query:
    """∃ d, ω, η: d is a pre-fixed point, by flows, and d(s, t) ≤ θ. Bilinear."""
    assertions = _boxes(reduction)
    for problem in _directed(reduction):
        text = f"step {problem.source} -> {problem.target} by a flow"
        assertions.append(Assertion(text, _flows(reduction, problem)))
    return Query(reduction.question, "np", encoding, (*assertions, _asked(reduction)))


def _flows(reduction: Reduction, problem: Problem) -> And:
    parts: list[Formula] = []
    cost = [number(problem.constant)]
    for block in problem.blocks:
        omega = {arc: variable(omega_name(problem, arc)) for arc in block.arcs}
        eta = {state: variable(eta_name(problem, state)) for state in block.sources}
        parts += [at_most(0, amount) for amount in (*omega.values(), *eta.values())]
        for state in block.states:
            gone = [amount for (i, _), amount in omega.items() if i == state]
            come = [amount for (_, j), amount in omega.items() if j == state]
            bought = [eta[state]] if state in eta else []
            balance = total([*gone, *bought]) - reduction.question.alpha * total(come)
            parts.append(at_most(number(block.excess(state)), balance))
        cost += [amount * distance(reduction, *arc) for arc, amount in omega.items()]
        cost += eta.values()
    parts.append(at_most(total(cost), distance(reduction, problem.source, problem.target)))
    return And(tuple(parts))


def sigma2_query(reduction: Reduction, encoding: str) -> Query:
    """∃ d, v ∀ f: d is a pre-fixed point, by the primal form, and d(s, t) ≤ θ. Linear."""
    assertions = _boxes(reduction)
    for problem in _directed(reduction):
        values = []
        for index, block in enumerate(problem.blocks):
            value = variable(f"v_{problem.source}_{problem.target}_{index}")
            values.append(value)
            text = f"step {problem.source} -> {problem.target}, label of state {block.arcs[0][0]}"
            assertions.append(Assertion(text, _prices(reduction, block, value)))
        cost = total([number(problem.constant), *values])
        bound = distance(reduction, problem.source, problem.target)
        assertions.append(Assertion(f"step {problem.source} -> {problem.target}", at_most(cost, bound)))
    return Query(reduction.question, "sigma2", encoding, (*assertions, _asked(reduction)))


def _prices(reduction: Reduction, block: Block, value: Polynomial) -> ForAll:
    f = {state: variable(f"f_{state}") for state in block.states}
    allowed: list[Formula] = [within(0, price, 1) for price in f.values()]
    alpha = reduction.question.alpha
    allowed += [at_most(f[i] - alpha * f[j], distance(reduction, i, j)) for i, j in block.arcs]
    gain = total(f[state] * block.excess(state) for state in block.states)
    names = tuple(f"f_{state}" for state in block.states)
    return ForAll(names, Implies(And(tuple(allowed)), at_most(gain, value)))
