"""BD-threshold [CMP18, Section 6]: given states s, t, α ≥ 1 and a rational θ, is bd(s, t) ≤ θ (or < θ)?

Both comparisons are one question to a solver: bd is the least pre-fixed point of Γ and is itself one, so some
pre-fixed point has d(s, t) ≤ θ iff bd(s, t) ≤ θ, and some has d(s, t) < θ iff bd(s, t) < θ.

A formula is a text of SMT-LIB 2.6 with what must be known of it: its free variables, which are the existential ones,
and, where it is a conjunction of comparisons, their terms. Numbers are exact rationals, names are made of state
numbers, and the same question always gives the same text.

*The paper's formulas to the letter*: all of S in every index, nothing merged, nothing left out.

``np``: ∃ d. ⋀ 0 ≤ d ≤ 1 ∧ prefixed(d) ∧ d(s,t) ≤ θ, with prefixed spelled out by flows (ω, γ, τ, η), four vectors
for each of prefixed₁(d, d_qr, q, r) and prefixed₁(d, d_qr, r, q), over all ordered pairs (q, r) of equal labels.
``sigma2``: ∃ d ∈ [0,1]. (∀ f ∈ [0,1]. φ(d, f)) ∧ d(s,t) ≤ θ.
``least``: the same with ∀ d' ∈ [0,1]. ((∀ f ∈ [0,1]. φ(d', f)) ⇒ ⋀ d ≤ d') added: d is bd itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain as chained
from typing import Literal

from deltachain.errors import Defect, InputError
from deltachain.model import Chain, Row
from deltachain.numbers.fraction import format_fraction

FormulaName = Literal["np", "sigma2", "least"]
"""``np``: [CMP18, Fig. "NP Formula for BD-threshold"]. ``least``: [CMP18, Fig. "Logical formulation of least
pre-fixed point"] with d(s,t) ≤ θ added. ``sigma2``: its simplification to ∃ d ∀ f."""

EncodingName = Literal["faithful", "reduced", "bounded"]
"""The paper's formula to the letter; an equivalent smaller one; that with exact bounds on every d."""


@dataclass(frozen=True)
class ThresholdQuestion:
    """Is bd(s, t) ≤ θ, or with ``strict`` bd(s, t) < θ, at α?"""

    chain: Chain
    s: int
    t: int
    alpha: Fraction
    theta: Fraction
    strict: bool = False

    def __post_init__(self) -> None:
        defects = []
        if not 0 <= self.theta <= 1:
            what = f"{format_fraction(self.theta)} is outside [0, 1]"
            defects.append(Defect("theta", what, "distances lie in [0, 1]"))
        if self.alpha < 1:
            what = f"{format_fraction(self.alpha)} is below 1"
            defects.append(Defect("exp_epsilon", what, "e^ε of an ε ≥ 0 is at least 1"))
        if defects:
            raise InputError(defects)

    @property
    def relation(self) -> str:
        """The comparison that is asked about, as text."""
        return "<" if self.strict else "<="

    def __str__(self) -> str:
        s, t = self.chain.states[self.s], self.chain.states[self.t]
        theta, alpha = format_fraction(self.theta), format_fraction(self.alpha)
        return f"bd({s}, {t}) {self.relation} {theta} at e^epsilon = {alpha}"


def differences(question: ThresholdQuestion, s: int, t: int) -> Iterator[tuple[int, Fraction]]:
    """(i, μ_s(i) − α μ_t(i)) for every state i where it is not zero."""
    gains = dict(question.chain.rows[s])
    for state, p in question.chain.rows[t]:
        gains[state] = gains.get(state, Fraction(0)) - question.alpha * p
    yield from ((state, gain) for state, gain in sorted(gains.items()) if gain)


# Sums of products.

Term = tuple[Fraction | int, *tuple[str, ...]]
"""A coefficient times a product of variables; a coefficient alone is a constant."""

LinearSum = Mapping[tuple[str, ...], Fraction]
"""Product of variables, sorted → coefficient, each product once, no coefficient zero, in the order first met."""

Relation = Literal["<=", "<", "="]


def collect_terms(terms: Iterable[Term]) -> LinearSum:
    """The sum of the terms.

    >>> collect_terms([(2, "y", "x"), (1, "x"), (-1, "x"), (3,)])
    {('x', 'y'): Fraction(2, 1), (): Fraction(3, 1)}
    """
    sums: dict[tuple[str, ...], Fraction] = {}
    for coefficient, *names in terms:
        product = tuple(sorted(names))
        sums[product] = sums.get(product, Fraction(0)) + coefficient
    return {product: coefficient for product, coefficient in sums.items() if coefficient}


@dataclass(frozen=True, slots=True)
class Comparison:
    """left relation right."""

    left: LinearSum
    relation: Relation
    right: LinearSum


# Formulas.


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula over the reals, as SMT-LIB text."""

    text: str
    variables: tuple[str, ...]
    """Those that no ∀ binds, in the order of their first occurrence."""
    degree: int
    """The largest number of variables, free or bound, in one product; at most 1 means linear."""
    comparisons: tuple[Comparison, ...] | None
    """The formula as a conjunction of comparisons; None if it is not one."""


def compare(left: Iterable[Term], relation: Relation, right: Iterable[Term]) -> Formula:
    """The comparison of two sums.

    >>> compare([(Fraction(-1, 2), "x")], "<=", [(3,)]).text
    '(<= (* (/ (- 1.0) 2.0) x) 3.0)'
    """
    made = Comparison(collect_terms(left), relation, collect_terms(right))
    products = [*made.left, *made.right]
    names = tuple(dict.fromkeys(name for product in products for name in product))
    text = f"({relation} {_sum_text(made.left)} {_sum_text(made.right)})"
    return Formula(text, names, max(map(len, products), default=0), (made,))


def at_most(left: Iterable[Term], right: Iterable[Term]) -> Formula:
    """The comparison left ≤ right."""
    return compare(left, "<=", right)


def equal(left: Iterable[Term], right: Iterable[Term]) -> Formula:
    """The comparison left = right."""
    return compare(left, "=", right)


def within(low: Fraction | int, name: str, high: Fraction | int) -> Formula:
    """The comparisons low ≤ variable ≤ high."""
    return all_of([at_most([(low,)], [(1, name)]), at_most([(1, name)], [(high,)])])


def all_of(parts: Sequence[Formula]) -> Formula:
    """All parts hold; true if there are none."""
    texts = [part.text for part in parts]
    text = f"(and {' '.join(texts)})" if len(texts) > 1 else texts[0] if texts else "true"
    return Formula(text, *_summary(parts))


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """If the premise holds, so does the conclusion."""
    names, degree, _ = _summary([premise, conclusion])
    return Formula(f"(=> {premise.text} {conclusion.text})", names, degree, None)


def for_all(names: Sequence[str], body: Formula) -> Formula:
    """The body holds for all real values of the named variables."""
    bound = " ".join(f"({name} Real)" for name in names)
    free = tuple(name for name in body.variables if name not in set(names))
    return Formula(f"(forall ({bound}) {body.text})", free, body.degree, None)


def _summary(parts: Sequence[Formula]) -> tuple[tuple[str, ...], int, tuple[Comparison, ...] | None]:
    """Variables, degree and comparisons of a conjunction."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.variables))
    known = [part.comparisons for part in parts if part.comparisons is not None]
    found = tuple(chained.from_iterable(known)) if len(known) == len(parts) else None
    return names, max((part.degree for part in parts), default=0), found


def _sum_text(terms: LinearSum) -> str:
    products = [_product_text(names, coefficient) for names, coefficient in terms.items()]
    if len(products) <= 1:
        return products[0] if products else "0.0"
    return f"(+ {' '.join(products)})"


def _product_text(names: tuple[str, ...], coefficient: Fraction) -> str:
    if not names:
        return number_text(coefficient)
    if len(names) == 1 and abs(coefficient) == 1:
        return names[0] if coefficient == 1 else f"(- {names[0]})"
    factors = names if coefficient == 1 else (number_text(coefficient), *names)
    return f"(* {' '.join(factors)})"


def number_text(value: Fraction) -> str:
    """An exact real literal.

    >>> number_text(Fraction(-7, 3))
    '(/ (- 7.0) 3.0)'
    """
    top = f"{format_fraction(abs(value.numerator))}.0"
    if value < 0:
        top = f"(- {top})"
    return top if value.denominator == 1 else f"(/ {top} {format_fraction(value.denominator)}.0)"


# Queries: a question with the formula that decides it.


@dataclass(frozen=True)
class Query:
    """∃ the free variables: all assertions hold. Satisfiable iff the answer to the question is yes."""

    question: ThresholdQuestion
    formula: str
    encoding: str
    assertions: tuple[tuple[str, Formula], ...]
    """Each with a line that says what it stands for."""

    @cached_property
    def _summary(self) -> tuple[tuple[str, ...], int, tuple[Comparison, ...] | None]:
        return _summary([formula for _, formula in self.assertions])

    @property
    def variables(self) -> tuple[str, ...]:
        """The existential variables, in the order of their first occurrence."""
        return self._summary[0]

    @property
    def comparisons(self) -> tuple[Comparison, ...] | None:
        """All of it as a conjunction of comparisons; None where there are quantifiers."""
        return self._summary[2]

    @property
    def logic(self) -> str:
        """The smallest SMT-LIB logic that holds the query."""
        _, degree, comparisons = self._summary
        return ("" if comparisons is None else "QF_") + ("LRA" if degree <= 1 else "NRA")


def threshold(question: ThresholdQuestion, distance: Term) -> tuple[str, Formula]:
    """d(s, t) ≤ θ, or d(s, t) < θ."""
    relation: Relation = "<" if question.strict else "<="
    return f"d of the asked pair {relation} theta", compare([distance], relation, [(question.theta,)])


def to_smtlib(query: Query) -> str:
    """The query as a script that ends in ``(check-sat)``: sat means yes, unsat means no."""
    lines = [*header(query, "sat: yes; unsat: no"), "(set-option :produce-models true)", f"(set-logic {query.logic})"]
    lines += [f"(declare-fun {name} () Real)" for name in query.variables]
    for meaning, formula in query.assertions:
        lines += [f"; {meaning}", f"(assert {formula.text})"]
    return "\n".join([*lines, "(check-sat)", ""])


def header(query: Query, meaning: str) -> Iterator[str]:
    """Comment lines: the question, what answers mean, the chain, which formula it is, and the numbers of the states."""
    question = query.question
    chain = question.chain
    yield f"; {_plain(str(question))}"
    yield f"; {meaning}"
    yield f"; chain: {len(chain)} states, {chain.transitions} transitions, sha256 {chain.sha256}"
    yield f"; pair: ({_plain(chain.states[question.s])}, {_plain(chain.states[question.t])})"
    yield f"; exp_epsilon (alpha): {format_fraction(question.alpha)}"
    yield f"; theta: {format_fraction(question.theta)}, {'strict' if question.strict else 'not strict'}"
    yield f"; formula: {query.formula}, {query.encoding}"
    yield "; d_i_j is the distance of states number i and j:"
    for number, (state, label) in enumerate(zip(chain.states, chain.labels, strict=True)):
        yield f";   {number}: {_plain(state)} [{_plain(label)}]"


def _plain(text: str) -> str:
    """The text on one line of printable ASCII, as an SMT-LIB comment must be."""
    return text.encode("unicode_escape").decode("ascii")


# The paper's formulas.


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


def faithful_np(question: ThresholdQuestion) -> Query:
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


def faithful_sigma2(question: ThresholdQuestion) -> Query:
    """∃ d. ∀ f. φ(d, f) ∧ d(s, s') ≤ θ [CMP18, Section 6, the simplified formula]."""
    _refuse_large(question)
    assertions = (
        *_box(question),
        ("forall f in [0,1]^S: phi(d, f)", _prefix(question, "")),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "sigma2", "faithful", assertions)


def faithful_least(question: ThresholdQuestion) -> Query:
    """∃ d. (∀ f. φ(d, f)) ∧ (∀ d'. (∀ f. φ(d', f)) ⇒ d ≤ d') [CMP18, Fig. "… least pre-fixed point"], d(s,s') ≤ θ."""
    _refuse_large(question)
    states = range(len(question.chain))
    other = tuple(distance_name(i, j, "x") for i in states for j in states)
    box = [within(0, name, 1) for name in other]
    smaller = all_of([at_most([_distance(i, j)], [_distance(i, j, "x")]) for i in states for j in states])
    least = for_all(other, implies(all_of([*box, _prefix(question, "x")]), smaller))
    assertions = (
        *_box(question),
        ("forall f in [0,1]^S: phi(d, f)", _prefix(question, "")),
        ("d is below every pre-fixed point dx", least),
        threshold(question, _distance(question.s, question.t)),
    )
    return Query(question, "least", "faithful", assertions)


def _prefix(question: ThresholdQuestion, mark: str) -> Formula:
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
