"""`Threshold`: is bd ≤ θ, as an SMT solver answers the paper's formulas [CMP18, Section 6].

A "yes" is given only with a certificate that the trusted checker accepts. A "no" is the solver's word (for the
engine: the exact distance). Neither: "unknown", with the solver's reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from deltachain.errors import InputError, SolverUnknown
from deltachain.numbers.fraction import ExpEpsilon, format_fraction
from deltachain.results.numbers import asked_at, epsilon_fields, exactly, json_number
from deltachain.results.scope import ALONE, Scope, Scoped
from deltachain.results.sections import Fields, ProvedValue, Section, Table
from deltachain.results.text import LONGEST_NAME, name_pair, printable

if TYPE_CHECKING:
    from deltachain.certificate.record import Certificate

    from .decider import FormulaSize
    from .prefixed_point import PrefixedPoint

ThresholdAnswer = Literal["yes", "no", "unknown"]
SHOWN_REASON = 120
"""Characters of a solver's reason in the headline."""


@dataclass(frozen=True, slots=True)
class PairThreshold:
    """The answer for one pair.

    Attributes:
        pair: the names of the two states.
        answer: ``"yes"``, ``"no"`` or ``"unknown"``.
        ground: what it rests on, in words.
        proved: whether there is a certificate that the checker accepted: so it is for every yes of a solver.
        size: how large the solver's formula was; None where there was none.
    """

    pair: tuple[str, str]
    answer: ThresholdAnswer
    ground: str
    proved: bool
    size: FormulaSize | None = None


@dataclass(frozen=True, repr=False)
class Threshold(Scoped, ProvedValue):
    """Is bd ≤ θ (``strict``: < θ) for every pair? True, as a condition, if the answer is yes for all. A value.

    Attributes:
        theta: the threshold.
        strict: whether bd < θ was asked.
        exp_epsilon: the e^ε that was asked for; the distance is the one at ``exp_epsilon.below``.
        solver: who answered.
        formula: which of the paper's formulas; None for the engine, which reads no formula.
        encoding: how it was written; None for the engine.
        bits: the size of the integers whose ratios were looked for; None for real numbers.
        results: every pair, in the order asked.
        scope: at which confidence, where rows come from counts that leave a single chain.
    """

    theta: Fraction
    strict: bool
    exp_epsilon: ExpEpsilon
    solver: str
    formula: str | None
    encoding: str | None
    bits: int | None
    results: tuple[PairThreshold, ...]
    _proof: tuple[tuple[int, int, PrefixedPoint | None], ...] | None = field(compare=False)
    scope: Scope = field(default=ALONE, kw_only=True)

    PROVED = ("_certificates",)

    @property
    def answer(self) -> ThresholdAnswer:
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
        points = self._find(self._proof)
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

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs, in the order asked."""
        return tuple(result.pair for result in self.results)

    @property
    def _asked(self) -> str:
        return f"{self.solver}, {asked_at(self.exp_epsilon)}"

    @property
    def headline(self) -> str:
        """What was asked, the answer, and for one pair what it rests on."""
        asked = f"{'<' if self.strict else '≤'} {format_fraction(self.theta)}"
        if len(self.results) != 1:
            answer = f"{_speak(self.answer)}{self.scope.trust}{self.scope.aside}"
            return f"bd {asked} for all {len(self.results)} pairs: {answer}"
        result = self.results[0]
        ground = printable(result.ground)[:SHOWN_REASON]
        answer = f"{_speak(result.answer)}{self.scope.trust} ({ground}){self.scope.aside}"
        return f"bd{name_pair(result.pair, LONGEST_NAME)} {asked}: {answer}"

    def sections(self) -> Sequence[Section]:
        """θ and e^ε, who was asked, and every pair."""
        rows = [("θ", exactly(self.theta)), *epsilon_fields(self.exp_epsilon)]
        if self.exp_epsilon.below != self.exp_epsilon.above:
            rows.append(("measured at", f"{format_fraction(self.exp_epsilon.below)}, just below e^ε"))
        how = "" if self.formula is None else f", formula {self.formula}, {self.encoding}"
        how += "" if self.bits is None else f", integers of {self.bits} bits"
        rows.append(("asked", f"{self.solver}{how}"))
        sizes = [result.size for result in self.results if result.size is not None and result.size.variables]
        if sizes:
            largest = max(sizes, key=lambda size: size.characters)
            rows.append(("formula" if len(self.results) == 1 else "largest formula", str(largest)))
        if len(self.results) == 1:
            return [Fields(rows)]
        pairs = [(name_pair(r.pair), _speak(r.answer), r.ground) for r in self.results]
        return [Fields(rows), Table(("pair", "answer", "because"), pairs)]

    def to_dict(self) -> dict[str, Any]:
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
            **self.scope.keys(),
            "results": [
                {
                    "pair": list(r.pair),
                    "holds": truth[r.answer],
                    "proved": r.proved,
                    "reason": r.ground if r.answer == "unknown" else None,
                    "variables": None if r.size is None else r.size.variables,
                    "characters": None if r.size is None else r.size.characters,
                }
                for r in self.results
            ],
        }


def _speak(answer: ThresholdAnswer) -> str:
    return "not known" if answer == "unknown" else answer
