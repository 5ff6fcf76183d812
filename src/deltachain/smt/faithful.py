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
from ..model import Row
from .constraints import (
    Formula,
    Query,
    Term,
    ThresholdQuestion,
    all_of,
    at_most,
    equal,
    for_all,
    implies,
    threshold,
    within,
)


def distance_name(i: int, j: int, mark: str = "") -> str:
    """The variable d_ij; ``mark`` tells d' from d."""
    return f"d{mark}_{i}_{j}"


def flow_groups(question: ThresholdQuestion) -> Iterator[tuple[str, int, int, int, int]]:
    """(group, q, r, source, target) for each prefixed₁(d, d_qr, source, target) of the formula."""
    chain = question.chain
    for q in range(len(chain)):
        for r in range(len(chain)):
            if chain.labels[q] == chain.labels[r]:
                yield f"{q}_{r}_to", q, r, q, r
                yield f"{q}_{r}_from", q, r, r, q


MOST_FLOWS = 200_000
"""Same-label pairs times pairs of states; about 100 MB of text. No solver has decided a tenth of it."""


def _refuse_large(question: ThresholdQuestion) -> None:
    chain = question.chain
    arcs = sum(len(group) ** 2 for group in chain.by_label.values()) * len(chain) ** 2
    if arcs > MOST_FLOWS:
        what = f"to the letter it speaks of {arcs:,} flows between states; the limit is {MOST_FLOWS:,}"
        raise InputError(Defect("encoding faithful", what, "ask with the reduced or bounded encoding"))


def np_query(question: ThresholdQuestion) -> Query:
    """BD-threshold(s, s', θ) [CMP18, Fig. "NP Formula for BD-threshold"]."""
    _refuse_large(question)
    assertions = [*_box(question)]
    chain = question.chain
    for q in range(len(chain)):
        for r in range(len(chain)):
            if chain.labels[q] != chain.labels[r]:
                text = f"prefixed(d): the labels of {q} and {r} differ"
                assertions.append((text, equal([_distance(q, r)], [(1,)])))
    for group, q, r, source, target in flow_groups(question):
        text = f"prefixed1(d, d_{q}_{r}, {source}, {target})"
        assertions.append((text, _prefixed_one(question, group, _distance(q, r), source, target)))
    assertions.append(threshold(question, _distance(question.s, question.t)))
    return Query(question, "np", "faithful", tuple(assertions))


def _distance(i: int, j: int, mark: str = "") -> Term:
    return (1, distance_name(i, j, mark))


def _box(question: ThresholdQuestion) -> Iterator[tuple[str, Formula]]:
    states = range(len(question.chain))
    for i in states:
        for j in states:
            yield f"0 <= d_{i}_{j} <= 1", within(0, distance_name(i, j), 1)


def _prefixed_one(question: ThresholdQuestion, group: str, bound: Term, q: int, r: int) -> Formula:
    chain, alpha = question.chain, question.alpha
    states = range(len(chain))
    from_q, from_r = dict(chain.rows[q]), dict(chain.rows[r])
    omega = [[f"omega_{group}_{i}_{j}" for j in states] for i in states]
    gamma, tau, eta = ([f"{name}_{group}_{i}" for i in states] for name in ("gamma", "tau", "eta"))
    cost: list[Term] = [(1, omega[i][j], distance_name(i, j)) for i in states for j in states]
    parts = [at_most([*cost, *((1, bought) for bought in eta)], [bound])]
    parts += [within(0, omega[i][j], 1) for i in states for j in states]
    parts += [within(0, vector[i], 1) for i in states for vector in (gamma, tau, eta)]
    for i in states:
        received: list[Term] = [*((1, amount) for amount in omega[i]), (-1, gamma[i]), (1, tau[i]), (1, eta[i])]
        parts.append(equal(received, [(from_q.get(i, 0),)]))
    for j in states:
        sent: list[Term] = [*((1, omega[i][j]) for i in states), (1 / alpha, tau[j]), (-1 / alpha, gamma[j])]
        parts.append(at_most(sent, [(from_r.get(j, 0),)]))
    return all_of(parts)


def sigma2_query(question: ThresholdQuestion) -> Query:
    """∃ d. ∀ f. φ(d, f) ∧ d(s, s') ≤ θ [CMP18, Section 6, the simplified formula]."""
    _refuse_large(question)
    assertions = (
        *_box(question),
        ("forall f in [0,1]^S: phi(d, f)", _prefixed(question, "")),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "sigma2", "faithful", assertions)


def least_query(question: ThresholdQuestion) -> Query:
    """∃ d. (∀ f. φ(d, f)) ∧ (∀ d'. (∀ f. φ(d', f)) ⇒ d ≤ d') [CMP18, Fig. "… least pre-fixed point"], d(s,s') ≤ θ."""
    _refuse_large(question)
    states = range(len(question.chain))
    other = tuple(distance_name(i, j, "x") for i in states for j in states)
    box = [within(0, name, 1) for name in other]
    smaller = all_of([at_most([_distance(i, j)], [_distance(i, j, "x")]) for i in states for j in states])
    least = for_all(other, implies(all_of([*box, _prefixed(question, "x")]), smaller))
    assertions = (
        *_box(question),
        ("forall f in [0,1]^S: phi(d, f)", _prefixed(question, "")),
        ("d is below every pre-fixed point dx", least),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "least", "faithful", assertions)


def _prefixed(question: ThresholdQuestion, mark: str) -> Formula:
    """∀ f ∈ [0,1]^S. φ(d, f)."""
    chain, alpha = question.chain, question.alpha
    states = range(len(chain))
    f = [f"f{mark}_{i}" for i in states]
    allowed = all_of(
        [
            at_most([(1, first), (-alpha, second)], [_distance(i, j, mark)])
            for i in states
            for j in states
            for first, second in ((f[i], f[j]), (f[j], f[i]))
        ]
    )
    parts: list[Formula] = []
    for s in states:
        for t in states:
            bound = _distance(s, t, mark)
            if chain.labels[s] != chain.labels[t]:
                parts.append(equal([bound], [(1,)]))
                continue
            steps = [at_most(_gain(f, chain.rows[x], chain.rows[y], alpha), [bound]) for x, y in ((s, t), (t, s))]
            parts.append(implies(allowed, all_of(steps)))
    return for_all(f, implies(all_of([within(0, name, 1) for name in f]), all_of(parts)))


def _gain(f: list[str], x: Row, y: Row, alpha: Fraction) -> list[Term]:
    """Σ f x − α Σ f y."""
    return [*((p, f[i]) for i, p in x), *((-alpha * p, f[i]) for i, p in y)]
