"""The paper's formulas to the letter [CMP18, Section 6]: all of S in every index, nothing merged, nothing left out.

``np``: ∃ d. ⋀ 0 ≤ d ≤ 1 ∧ prefixed(d) ∧ d(s,t) ≤ θ, with prefixed spelled out by flows (ω, γ, τ, η), four vectors
for each of prefixed₁(d, d_qr, q, r) and prefixed₁(d, d_qr, r, q), over all ordered pairs (q, r) of equal labels.
``sigma2``: ∃ d ∈ [0,1]. (∀ f ∈ [0,1]. φ(d, f)) ∧ d(s,t) ≤ θ.
``least``: the same with ∀ d' ∈ [0,1]. ((∀ f ∈ [0,1]. φ(d', f)) ⇒ ⋀ d ≤ d') added: d is bd itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..errors import Defect, InputError
from .formula import (
    And,
    ForAll,
    Formula,
    Implies,
    Polynomial,
    at_most,
    equal,
    number,
    total,
    variable,
    within,
)
from .question import Assertion, Query, Question, threshold


def distance_name(i: int, j: int, mark: str = "") -> str:
    """The variable d_ij; ``mark`` tells d' from d."""
    return f"d{mark}_{i}_{j}"


def flow_groups(question: Question) -> Iterator[tuple[str, int, int, int, int]]:
    """(group, q, r, source, target) for each prefixed₁(d, d_qr, source, target) of the formula."""
    chain = question.chain
    for q in range(len(chain)):
        for r in range(len(chain)):
            if chain.labels[q] == chain.labels[r]:
                yield f"{q}_{r}_to", q, r, q, r
                yield f"{q}_{r}_from", q, r, r, q


MOST_FLOWS = 200_000
"""Same-label pairs times pairs of states; about 100 MB of text. No solver has decided a tenth of it."""


def _refuse_large(question: Question) -> None:
    chain = question.chain
    arcs = sum(len(group) ** 2 for group in chain.by_label.values()) * len(chain) ** 2
    if arcs > MOST_FLOWS:
        what = f"to the letter it speaks of {arcs:,} flows between states; the limit is {MOST_FLOWS:,}"
        raise InputError(Defect("encoding faithful", what, "ask with the reduced or bounded encoding"))


def np_query(question: Question) -> Query:
    """BD-threshold(s, s', θ) [CMP18, Fig. "NP Formula for BD-threshold"]."""
    _refuse_large(question)
    assertions = [*_box(question)]
    chain = question.chain
    for q in range(len(chain)):
        for r in range(len(chain)):
            if chain.labels[q] != chain.labels[r]:
                text = f"prefixed(d): the labels of {q} and {r} differ"
                assertions.append(Assertion(text, equal(_distance(q, r), 1)))
    for group, q, r, source, target in flow_groups(question):
        text = f"prefixed1(d, d_{q}_{r}, {source}, {target})"
        assertions.append(Assertion(text, _prefixed_one(question, group, _distance(q, r), source, target)))
    assertions.append(threshold(question, _distance(question.s, question.t)))
    return Query(question, "np", "faithful", tuple(assertions))


def _distance(i: int, j: int, mark: str = "") -> Polynomial:
    return variable(distance_name(i, j, mark))


def _box(question: Question) -> Iterator[Assertion]:
    states = range(len(question.chain))
    for i in states:
        for j in states:
            yield Assertion(f"0 <= d_{i}_{j} <= 1", within(0, _distance(i, j), 1))


def _prefixed_one(question: Question, group: str, bound: Polynomial, q: int, r: int) -> And:
    chain, alpha = question.chain, question.alpha
    states = range(len(chain))
    from_q, from_r = dict(chain.rows[q]), dict(chain.rows[r])
    zero = Fraction(0)
    omega = [[variable(f"omega_{group}_{i}_{j}") for j in states] for i in states]
    gamma, tau, eta = ([variable(f"{name}_{group}_{i}") for i in states] for name in ("gamma", "tau", "eta"))
    cost = total([omega[i][j] * _distance(i, j) for i in states for j in states] + eta)
    parts: list[Formula] = [at_most(cost, bound)]
    parts += [within(0, omega[i][j], 1) for i in states for j in states]
    parts += [within(0, vector[i], 1) for i in states for vector in (gamma, tau, eta)]
    for i in states:
        received = total([*omega[i], -gamma[i], tau[i], eta[i]])
        parts.append(equal(received, number(from_q.get(i, zero))))
    for j in states:
        sent = total([*(omega[i][j] for i in states), (tau[j] - gamma[j]) * (1 / alpha)])
        parts.append(at_most(sent, number(from_r.get(j, zero))))
    return And(tuple(parts))


def sigma2_query(question: Question) -> Query:
    """∃ d. ∀ f. φ(d, f) ∧ d(s, s') ≤ θ [CMP18, Section 6, the simplified formula]."""
    _refuse_large(question)
    assertions = (
        *_box(question),
        Assertion("forall f in [0,1]^S: phi(d, f)", _prefixed(question, "")),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "sigma2", "faithful", assertions)


def least_query(question: Question) -> Query:
    """∃ d. (∀ f. φ(d, f)) ∧ (∀ d'. (∀ f. φ(d', f)) ⇒ d ≤ d') [CMP18, Fig. "… least pre-fixed point"], d(s,s') ≤ θ."""
    _refuse_large(question)
    states = range(len(question.chain))
    other = tuple(distance_name(i, j, "x") for i in states for j in states)
    box: list[Formula] = [within(0, variable(name), 1) for name in other]
    smaller = And(tuple(at_most(_distance(i, j), _distance(i, j, "x")) for i in states for j in states))
    least = ForAll(other, Implies(And((*box, _prefixed(question, "x"))), smaller))
    assertions = (
        *_box(question),
        Assertion("forall f in [0,1]^S: phi(d, f)", _prefixed(question, "")),
        Assertion("d is below every pre-fixed point dx", least),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "least", "faithful", assertions)


def _prefixed(question: Question, mark: str) -> ForAll:
    """∀ f ∈ [0,1]^S. φ(d, f)."""
    chain, alpha = question.chain, question.alpha
    states = range(len(chain))
    names = tuple(f"f{mark}_{i}" for i in states)
    f = [variable(name) for name in names]
    box: list[Formula] = [within(0, value, 1) for value in f]
    allowed = And(
        tuple(
            bounded
            for i in states
            for j in states
            for bounded in (
                at_most(f[i] - alpha * f[j], _distance(i, j, mark)),
                at_most(f[j] - alpha * f[i], _distance(i, j, mark)),
            )
        )
    )
    parts: list[Formula] = []
    for s in states:
        for t in states:
            bound = _distance(s, t, mark)
            if chain.labels[s] != chain.labels[t]:
                parts.append(equal(bound, 1))
                continue
            x = total(f[i] * p for i, p in chain.rows[s])
            y = total(f[i] * p for i, p in chain.rows[t])
            steps = And((at_most(x - alpha * y, bound), at_most(y - alpha * x, bound)))
            parts.append(Implies(allowed, steps))
    return ForAll(names, Implies(And(tuple(box)), And(tuple(parts))))
