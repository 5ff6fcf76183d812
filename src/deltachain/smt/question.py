"""BD-threshold [CMP18, Section 6]: given states s, t, α ≥ 1 and a rational θ, is bd(s, t) ≤ θ (or < θ)?

Both comparisons are one question to a solver: bd is the least pre-fixed point of Γ and is itself one, so some
pre-fixed point has d(s, t) ≤ θ iff bd(s, t) ≤ θ, and some has d(s, t) < θ iff bd(s, t) < θ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from ..errors import Defect, InputError
from ..model import Chain
from ..rational import Number, as_fraction, format_fraction
from .formula import And, Compare, Formula, Polynomial, at_most, below, degree, free_variables, is_quantified

FormulaName = Literal["np", "sigma2", "least"]
"""``np``: [CMP18, Fig. "NP Formula for BD-threshold"]. ``least``: [CMP18, Fig. "Logical formulation of least
pre-fixed point"] with d(s,t) ≤ θ added. ``sigma2``: its simplification to ∃ d ∀ f."""

EncodingName = Literal["faithful", "reduced", "bounded"]
"""The paper's formula to the letter; an equivalent smaller one; that with exact bounds on every d."""


@dataclass(frozen=True)
class Question:
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


def ask(
    chain: Chain, s: str | int, t: str | int, theta: Number, *, exp_epsilon: Number, strict: bool = False
) -> Question:
    """The question, from numbers and names as users write them; InputError with every defect."""
    alpha, bound = as_fraction(exp_epsilon, "exp_epsilon"), as_fraction(theta, "theta")
    return Question(chain, chain.number(s), chain.number(t), alpha, bound, strict)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One conjunct, with a line that says what it stands for."""

    meaning: str
    formula: Formula


@dataclass(frozen=True)
class Query:
    """∃ the free variables: all assertions hold. Satisfiable iff the answer to the question is yes."""

    question: Question
    formula: str
    encoding: str
    assertions: tuple[Assertion, ...]

    @cached_property
    def conjunction(self) -> And:
        """All of it as one formula."""
        return And(tuple(assertion.formula for assertion in self.assertions))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The existential variables, in the order of their first occurrence."""
        return free_variables(self.conjunction)

    @cached_property
    def logic(self) -> str:
        """The smallest SMT-LIB logic that holds the query."""
        whole = self.conjunction
        return ("" if is_quantified(whole) else "QF_") + ("LRA" if degree(whole) <= 1 else "NRA")


def threshold(question: Question, distance: Polynomial) -> Assertion:
    """d(s, t) ≤ θ, or d(s, t) < θ."""
    compare: Compare = (below if question.strict else at_most)(distance, question.theta)
    return Assertion(f"d of the asked pair {question.relation} theta", compare)


def differences(question: Question, s: int, t: int) -> Iterator[tuple[int, Fraction]]:
    """(i, μ_s(i) − α μ_t(i)) for every state i where it is not zero."""
    gains = dict(question.chain.rows[s])
    for state, p in question.chain.rows[t]:
        gains[state] = gains.get(state, Fraction(0)) - question.alpha * p
    yield from ((state, gain) for state, gain in sorted(gains.items()) if gain)
