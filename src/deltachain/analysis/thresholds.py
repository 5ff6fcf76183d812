"""`threshold`: is bd ≤ θ, asked of an SMT solver by the paper's formulas [CMP18, Section 6].

A "yes" is given only with a certificate that the trusted checker accepts. A "no" is the solver's word (for the
engine: the exact distance). Neither: "unknown", with the solver's reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ..cancel import Cancel
from ..errors import InputError, SolverUnknown
from ..model import Chain
from ..model.inputs import refuse_inputs
from ..rational import ExpEpsilon, Number, as_probability
from ..render.html import html_table
from ..render.numbers import decimal, json_number
from ..render.results import asked_at, named, pairs_text
from .parameters import State, asked_pairs
from .values import ProvedValue

if TYPE_CHECKING:
    from ..certificate.record import Certificate
    from ..smt.decider import Decider
    from ..smt.prefixed_point import PrefixedPoint

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class PairThreshold:
    """The answer for one pair, and what it rests on, in words."""

    pair: tuple[str, str]
    answer: Answer
    ground: str
    proved: bool
    """Whether there is a certificate that the checker accepted: so it is for every yes of a solver."""


@dataclass(frozen=True, repr=False)
class Threshold(ProvedValue):
    """Is bd ≤ θ (``strict``: < θ) for every pair? True, as a condition, if the answer is yes for all. A value."""

    theta: Fraction
    strict: bool
    exp_epsilon: ExpEpsilon
    solver: str
    formula: str | None
    """None for the engine, which reads no formula."""
    encoding: str | None
    bits: int | None
    """The size of the integers whose ratios were looked for; None for real numbers."""
    results: tuple[PairThreshold, ...]
    _proof: tuple[tuple[int, int, PrefixedPoint | None], ...] | None = field(compare=False)

    PROVED = ("_certificates",)

    @property
    def answer(self) -> Answer:
        """No if it is no for some pair; else unknown if it is for some pair; else yes."""
        answers = {result.answer for result in self.results}
        return "no" if "no" in answers else "unknown" if "unknown" in answers else "yes"

    @property
    def holds(self) -> bool:
        """Whether the answer is yes; SolverUnknown if it is not known."""
        if self.answer == "unknown":
            raise SolverUnknown("; ".join(r.ground for r in self.results if r.answer == "unknown"))
        return self.answer == "yes"

    def __bool__(self) -> bool:
        return self.answer == "yes"

    @cached_property
    def _certificates(self) -> tuple[Certificate | None, ...]:
        points = self._found(self._proof)
        return tuple(None if point is None else point.certificate(s, t) for s, t, point in points)

    @property
    def certificate(self) -> Certificate:
        """The proof of the yes of a single pair; InputError where there is none."""
        if len(self.results) != 1:
            raise InputError(f"{len(self.results)} pairs: ask about one to have its certificate")
        found = self._certificates[0]
        if found is None:
            raise InputError("no certificate: only a solver's yes has one")
        return found

    def __repr__(self) -> str:
        return f"<Threshold: {self._sentence()}>"

    def _sentence(self) -> str:
        relation = "<" if self.strict else "≤"
        asked = f"bd {relation} {decimal(self.theta)} of {pairs_text(self.pairs)}"
        return f"{asked}: {self.answer}, {self.solver}, {asked_at(self.exp_epsilon)}"

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs, in the order asked."""
        return tuple(result.pair for result in self.results)

    def _repr_html_(self) -> str:
        rows = [(named(r.pair), r.answer, r.ground) for r in self.results]
        return html_table(self._sentence(), ("pair", "answer", "because"), rows)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, the keys of ``deltachain threshold --json`` that are its own."""
        truth = {"yes": True, "no": False, "unknown": None}
        return {
            "theta": json_number(self.theta),
            "strict": self.strict,
            "holds": truth[self.answer],
            "solver": self.solver,
            "formula": self.formula,
            "encoding": self.encoding,
            "bits": self.bits,
            "results": [
                {
                    "pair": list(r.pair),
                    "holds": truth[r.answer],
                    "proved": r.proved,
                    "reason": r.ground if r.answer == "unknown" else None,
                }
                for r in self.results
            ],
        }


def threshold(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    theta: Number,
    pairs: Iterable[tuple[State, State]] | None = None,
    strict: bool = False,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    solver: str = "z3",
    formula: str | None = None,
    encoding: str = "bounded",
    timeout: float | None = 60,
    bits: int | None = None,
    cancel: Cancel | None = None,
) -> Threshold:
    """Is bd ≤ θ (``strict``: < θ) at e^ε (at a rational just below it, where ``epsilon`` is given)?

    ``timeout`` (seconds) limits each call of a solver; a ``cancel`` limits the whole. With ``bits`` the solver looks
    for ratios of natural numbers of so many bits, of which there may be none although bd ≤ θ: then the answer is
    "unknown", unless so many bits are always enough.

    >>> import deltachain as dc
    >>> threshold(dc.examples.coin(), "s0", "s1", theta=0, exp_epsilon="3/2", solver="engine").answer
    'yes'
    """
    limit = as_probability(theta, "theta")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    results, proofs = [], []
    asked = deciders(chain, asked_pairs(chain, s, t, pairs), at, solver, formula, encoding, timeout, bits)
    for decider in asked:
        if cancel is not None:
            cancel.report(f"{named((chain.states[decider.s], chain.states[decider.t]))}: {solver}")
        result, point = _decided(decider, limit, strict, cancel)
        results.append(result)
        proofs.append((decider.s, decider.t, point))
    formula_used, encoding_used = (None, None) if solver == "engine" else (asked[0].formula, encoding)
    return Threshold(limit, strict, at, solver, formula_used, encoding_used, bits, tuple(results), tuple(proofs))


def deciders(
    chain: Chain,
    pairs: Iterable[tuple[int, int]],
    at: ExpEpsilon,
    solver: str,
    formula: str | None,
    encoding: str,
    timeout: float | None,
    bits: int | None = None,
) -> list[Decider]:
    """One decider a pair, at the rational just below e^ε."""
    from ..smt.decider import Decider

    refuse_inputs(
        chain, "threshold", "the formulas have one step for each pair", "measure bd itself: distance takes inputs"
    )
    settings = {"solver": solver, "formula": formula, "encoding": encoding, "timeout": timeout, "bits": bits}
    return [Decider(chain, s, t, exp_epsilon=at.below, **settings) for s, t in pairs]  # type: ignore[arg-type]


def _decided(
    decider: Decider, theta: Fraction, strict: bool, cancel: Cancel | None
) -> tuple[PairThreshold, PrefixedPoint | None]:
    pair = decider.chain.states[decider.s], decider.chain.states[decider.t]
    if cancel is not None and cancel.stopped():
        return PairThreshold(pair, "unknown", "time ran out" if cancel.reason == "time" else "interrupted", False), None
    try:
        decision = decider.decide(theta, strict=strict)
    except SolverUnknown as reason:
        return PairThreshold(pair, "unknown", str(reason), False), None
    if decision.proof is not None:
        ground = "a pre-fixed point, accepted by the checker"
    elif decision.settled:
        ground = "exact bounds; nothing was left to the solver"
    else:
        ground = "the exact distance" if decision.solver == "engine" else f"{decision.solver}: unsat"
    answer: Answer = "yes" if decision.holds else "no"
    return PairThreshold(pair, answer, ground, decision.proof is not None), decision.proof
