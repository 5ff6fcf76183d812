"""`Calibration`: the best value of a parameter at which privacy is proved, and its neighbour at which it is refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from ..numbers.fraction import ExpEpsilon, format_fraction
from .delta import Verdict, VerdictName
from .numbers import asked_at, beside, epsilon_fields, exactly, json_bounds, json_number, value_of
from .sections import Fields, Paragraph, Rendered, Section, Table

Goal = Literal["smallest", "largest"]
MONOTONE = "assumes that privacy is monotone in the parameter"


@dataclass(frozen=True, slots=True)
class TriedValue:
    """One value of the parameter, and what is proved there: lower ≤ δ ≤ upper over all pairs."""

    value: Fraction
    verdict: VerdictName
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, repr=False)
class Calibration(Rendered):
    """The best value of one parameter at which (ε, δ) is proved, and the next one, at which it is refuted. A value.

    Attributes:
        parameter: its name.
        exp_epsilon: the e^ε that was asked for.
        delta: the δ that is allowed.
        goal: whether the smallest or the largest value is the best; None if neither end decides it.
        best: the best value that is proved; None if there is none.
        refuted: the next value of the grid, if it is refuted; None if it is undecided, or beyond the grid.
        tried: every value that was examined, in the order of the grid.
        monotone_assumed: whether values between those tried were not examined.
        proof: the verdict at ``best``, with its certificate.
        refutation: the verdict at ``refuted``, with its certificate and the event that gives a secret away.
    """

    parameter: str
    exp_epsilon: ExpEpsilon
    delta: Fraction
    goal: Goal | None
    best: Fraction | None
    refuted: Fraction | None
    tried: tuple[TriedValue, ...]
    monotone_assumed: bool
    proof: Verdict | None = field(default=None, compare=False)
    refutation: Verdict | None = field(default=None, compare=False)

    @property
    def undecided(self) -> tuple[Fraction, ...]:
        """The values at which neither is proved."""
        return tuple(tried.value for tried in self.tried if tried.verdict not in ("private", "violated"))

    @property
    def whole(self) -> bool:
        """Whether both the value that is proved and the neighbour that is refuted were found."""
        return self.best is not None and self.refuted is not None

    @property
    def _asked(self) -> str:
        return asked_at(self.exp_epsilon)

    def _named(self, value: Fraction) -> str:
        return f"{self.parameter} = {exactly(value)}"

    @property
    def headline(self) -> str:
        """The two values, and what is proved at each."""
        limit = beside(self.delta, "upper", self.delta)
        verdicts = {tried.verdict for tried in self.tried}
        if self.best is None:
            if verdicts == {"private"}:
                return f"PRIVATE at both ends: {self._ends}; nothing was searched between them (δ = {limit} is allowed)"
            if "private" not in verdicts and not self.undecided:
                return f"VIOLATED at both ends: {self._ends}; nothing was searched between them ({limit} is allowed)"
            return f"UNDECIDED: no value is proved; open: {self._open}"
        most = beside(self._at(self.best).upper, "upper", self.delta)
        how = "" if self.goal is None else f"{self.goal} found"
        said = f"{self._named(self.best)}: {how}, proved{self._checked(self.proof)}, δ ≤ {most}"
        if self.refuted is not None:
            least = beside(self._at(self.refuted).lower, "lower", self.delta)
            said += f"; {self._named(self.refuted)}: refuted{self._checked(self.refutation)}, δ ≥ {least}"
        elif self.undecided:
            said += f"; UNDECIDED at {self._open}"
        else:
            said += "; it is the end of the grid"
        said += f"; {limit} is allowed"
        return f"{said}; {MONOTONE}" if self.monotone_assumed else said

    @staticmethod
    def _checked(verdict: Verdict | None) -> str:
        return "" if verdict is None else f", {verdict.checked}"

    @property
    def _ends(self) -> str:
        return f"{self._named(self.tried[0].value)} and {exactly(self.tried[-1].value)}"

    @property
    def _open(self) -> str:
        shown = [exactly(value) for value in self.undecided]
        return f"{self.parameter} = {', '.join(shown[:8])}{', …' if len(shown) > 8 else ''}"

    def _at(self, value: Fraction) -> TriedValue:
        return next(tried for tried in self.tried if tried.value == value)

    def sections(self) -> Sequence[Section]:
        """What was tried, what it covers, and whether privacy was monotone in it."""
        rows = [*epsilon_fields(self.exp_epsilon), ("δ allowed", exactly(self.delta))]
        verdict = self.proof or self.refutation
        if verdict is not None:
            rows.append(("covers", verdict.covers))
        cells = [(exactly(t.value), value_of(t.lower, t.upper), t.verdict) for t in self.tried]
        found: list[Section] = [Fields(rows), Table((self.parameter, "δ", "verdict"), cells)]
        turns = sum(a.verdict != b.verdict for a, b in zip(self.tried, self.tried[1:], strict=False))
        if not self.monotone_assumed and turns > 1:
            found.append(Paragraph("Privacy is not monotone in the parameter: see the table."))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain calibrate --json``; exact numbers as text."""

        def entry(value: Fraction | None, verdict: Verdict | None) -> dict[str, Any] | None:
            if value is None:
                return None
            return {"value": json_number(value), "result": None if verdict is None else verdict.to_dict()}

        return {
            "parameter": self.parameter,
            "delta": json_number(self.delta),
            "goal": self.goal,
            "best": entry(self.best, self.proof),
            "refuted": entry(self.refuted, self.refutation),
            "undecided": [format_fraction(value) for value in self.undecided],
            "tried": [
                {"value": json_number(t.value), "verdict": t.verdict, **json_bounds(t.lower, t.upper)}
                for t in self.tried
            ],
            "monotone_assumed": self.monotone_assumed,
        }
