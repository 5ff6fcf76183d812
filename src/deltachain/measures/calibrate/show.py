"""`Calibration`: the best value of a parameter at which privacy is proved, and its neighbour at which it is refuted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError
from ...numbers.fraction import ExpEpsilon, format_fraction
from ...results.accuracy import NOT_CERTIFIED, accuracy_body, accuracy_cell, accuracy_words
from ...results.numbers import (
    asked_at,
    beside,
    epsilon_fields,
    exactly,
    json_assumed,
    json_bounds,
    json_number,
    outward,
    outward_float,
    value_of,
)
from ...results.plots import draw_sweep
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import SHOWN_ROWS, Fields, Paragraph, Rendered, Section, Table
from ..delta.show import Verdict, VerdictName
from ..sweep.show import column_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...beliefs.question import StopReason
    from ...numbers.field import Exact
    from ...programs.run.events import Accuracy
    from ..parametric.show import Parametric

Goal = Literal["smallest", "largest"]
MONOTONE = "assumes that privacy is monotone in the parameter"
CUT_OFF = {"time": "time limit reached", "interrupted": "interrupted"}


@dataclass(frozen=True, slots=True)
class TriedValue:
    """One value of the parameter, and what is proved there: lower ≤ δ ≤ upper over all pairs.

    ``accuracy`` is the least probability of the event that was asked for, if one was.
    """

    value: Fraction
    verdict: VerdictName
    lower: Exact
    upper: Exact
    accuracy: Accuracy | None = None


@dataclass(frozen=True, repr=False)
class Calibration(Scoped, Rendered):
    """The best value of one parameter at which (ε, δ) is proved, and the next one, at which it is refuted. A value.

    Attributes:
        parameter: its name.
        exp_epsilon: the e^ε that was asked for.
        delta: the δ that is allowed.
        goal: whether the smallest or the largest value is the best; None if neither end decides it.
        best: the best value that is proved; None if there is none.
        refuted: the next value of the grid, if it is refuted; None if it is undecided, or beyond the grid.
        tried: every value that was examined, in the order of the grid.
        monotone_assumed: whether nothing is known of the values between those tried, but that privacy is monotone.
        beyond: every value strictly between these two, better than ``best``, is violated.
        beyond_proof: the answer of `parametric` that says so, with its certificate.
        stopped: ``"finished"``, or why the search ended before all values that it needs were examined: ``"time"`` or
            ``"interrupted"``.
        covers: which inputs every verdict is about.
        covered: the same as plain data, as `Verdict.covered`.
        proof: the verdict at ``best``, with its certificate.
        refutation: the verdict at ``refuted``, with its certificate and the event that gives a secret away.
        scope: what the verdicts assume of code that was run, and what was confirmed of it.
    """

    parameter: str
    exp_epsilon: ExpEpsilon
    delta: Fraction
    goal: Goal | None
    best: Fraction | None
    refuted: Fraction | None
    tried: tuple[TriedValue, ...]
    monotone_assumed: bool
    beyond: tuple[Fraction, Fraction] | None = None
    stopped: StopReason = "finished"
    covers: str = ""
    covered: Mapping[str, Any] | None = field(default=None, compare=False)
    proof: Verdict | None = field(default=None, compare=False)
    refutation: Verdict | None = field(default=None, compare=False)
    beyond_proof: Parametric | None = field(default=None, compare=False)
    scope: Scope = ALONE

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

    def _name(self, value: Fraction) -> str:
        return f"{self.parameter} = {exactly(value)}"

    @property
    def headline(self) -> str:
        """The two values, and what is proved at each."""
        limit = beside(self.delta, "upper", self.delta)
        covers = f" {self.covers}" if self.covers else ""
        if self.best is None:
            return self._without_best(covers, limit)
        most = beside(self._at(self.best).upper, "upper", self.delta)
        how = "" if self.goal is None else f"{self.goal} found"
        proved = f"proved{self.scope.confirmed}{self._check(self.proof)}"
        said = f"{self._name(self.best)}: {how}, {proved}, δ ≤ {most}{covers}"
        if self.refuted is not None:
            least = beside(self._at(self.refuted).lower, "lower", self.delta)
            said += f"; {self._name(self.refuted)}: refuted{self._check(self.refutation)}, δ ≥ {least}"
        elif self.undecided:
            said += f"; UNDECIDED at {self._open}"
        elif self.stopped == "finished":
            said += "; it is the end of the grid"
        said += f"; {limit} is allowed"
        better = "smaller" if self.goal == "smallest" else "larger"
        if self.stopped in CUT_OFF:
            said += f"; {CUT_OFF[self.stopped]}: {better} values may be private, too"
        if self.beyond is not None:
            said += f"; no {better} value of the grid is private"
        return f"{said}; {MONOTONE}" if self.monotone_assumed and self.stopped == "finished" else said

    def _without_best(self, covers: str, limit: str) -> str:
        """No value is proved, or neither end decides which of those that are is the best."""
        verdicts = [tried.verdict for tried in self.tried]
        if self.stopped in CUT_OFF:
            seen = ", ".join(f"{exactly(tried.value)} ({tried.verdict})" for tried in self.tried[:8])
            more = ", …" if len(self.tried) > 8 else ""
            examined = f"only {self.parameter} = {seen}{more} {'was' if len(verdicts) == 1 else 'were'} examined"
            return f"UNDECIDED{self.scope.confirmed}: {CUT_OFF[self.stopped]}; {examined}{covers}; {limit} is allowed"
        where, between = "at both ends", f"{self._ends}{covers}; nothing was searched between them"
        if len(verdicts) > 2:  # every value was examined
            where, between = f"at all {len(verdicts):,} values", f"{self.parameter} from {self._range}{covers}"
        if set(verdicts) == {"private"}:
            return f"PRIVATE {where}{self.scope.confirmed}: {between}; {limit} is allowed"
        if "private" in verdicts:
            held = f"{verdicts.count('private'):,} of {len(verdicts):,} values are proved"
            left = f"; UNDECIDED at {self._open}" if self.undecided else ""
            return f"{held}, {between}; {limit} is allowed; the ends do not say which value is the best{left}"
        if not self.undecided:
            return f"VIOLATED {where}{self.scope.confirmed}: {between}; only {limit} is allowed"
        return f"UNDECIDED: no value is proved; open: {self._open}"

    @staticmethod
    def _check(verdict: Verdict | None) -> str:
        return "" if verdict is None else f", {verdict.checked}"

    @property
    def _ends(self) -> str:
        return f"{self._name(self.tried[0].value)} and {exactly(self.tried[-1].value)}"

    @property
    def _range(self) -> str:
        return f"{exactly(self.tried[0].value)} to {exactly(self.tried[-1].value)}"

    @property
    def _open(self) -> str:
        shown = [exactly(value) for value in self.undecided]
        return f"{self.parameter} = {', '.join(shown[:8])}{', …' if len(shown) > 8 else ''}"

    def _at(self, value: Fraction) -> TriedValue:
        return next(tried for tried in self.tried if tried.value == value)

    def sections(self) -> Sequence[Section]:
        """What was tried, what it covers, and whether privacy was monotone in it."""
        rows = [*epsilon_fields(self.exp_epsilon), ("δ allowed", exactly(self.delta))]
        if self.covers:
            rows.append(("covers", self.covers))
        if self.beyond is not None:
            # Rounded inward: what is said holds of the interval as it is printed.
            low, high = outward(self.beyond[0], "upper", 9), outward(self.beyond[1], "lower", 9)
            found_by = "" if self.beyond_proof is None else f": proved, {self.beyond_proof.checked}"
            rows.append(("violated", f"for every {self.parameter} in ({low}, {high}){found_by}"))
        named = None if self.best is None else self._at(self.best).accuracy
        if named is not None:
            rows.append(("accuracy", f"{accuracy_words(named)}, {NOT_CERTIFIED}"))
        shown = self.tried[:SHOWN_ROWS]
        cells = [[exactly(t.value), value_of(t.lower, t.upper), t.verdict] for t in shown]
        header = [self.parameter, "δ", "verdict"]
        if any(t.accuracy is not None for t in shown):
            header.append("accuracy")
            cells = [[*row, accuracy_cell(t.accuracy)] for row, t in zip(cells, shown, strict=True)]
        left = len(self.tried) - len(shown)
        more = f"… and {left:,} more; `to_dict()` has all" if left else ""
        found: list[Section] = [Fields(rows), Table(header, cells, more=more)]
        decided = [t.verdict for t in self.tried if t.verdict in ("private", "violated")]
        turns = sum(a != b for a, b in pairwise(decided))
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
                | ({} if t.accuracy is None else {"accuracy": accuracy_body(t.accuracy)})
                for t in self.tried
            ],
            "covers": None if self.covered is None else dict(self.covered),
            # Rounded inward, as above.
            "beyond": None
            if self.beyond is None
            else [json_number(self.beyond[0], "upper"), json_number(self.beyond[1], "lower")],
            "beyond_checked": None if self.beyond_proof is None else self.beyond_proof.checked.accepted,
            **json_assumed(self.assumes),
            "monotone_assumed": self.monotone_assumed,
            "stopped": self.stopped,
        }

    def plot(self, target: str | Path | Axes | None = None) -> Axes | None:
        """Draw what was tried: the bounds of δ over the parameter, and the δ that is allowed (extra ``plot``).

        Args:
            target: an SVG, PNG or PDF file to write, or matplotlib axes to draw onto; None for new axes.

        Returns:
            The axes; None where a file was written.

        Raises:
            InputError: there is nothing to draw.
        """
        if not self.tried:
            raise InputError("plot: no value was examined")
        drawn: Axes | None = draw_sweep(target, "delta", [self._flat(t) for t in self.tried], self.delta)
        return drawn

    def _flat(self, tried: TriedValue) -> dict[str, Any]:
        """One value as a row of a sweep."""
        bounds = json_bounds(tried.lower, tried.upper)
        numbers = {side: bounds[side]["approx"] for side in bounds}
        exact = {f"{side}_exact": bounds[side]["exact"] for side in bounds}
        at = self.exp_epsilon.epsilon
        return {
            column_of(self.parameter): format_fraction(tried.value),
            "first": None,
            "second": None,
            "epsilon": None if at is None else outward_float(at),
            "verb": "delta",
            **numbers,
            **exact,
        }
