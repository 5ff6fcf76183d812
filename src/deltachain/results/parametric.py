"""`Parametric`: δ as an exact function of one parameter on an open interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from .numbers import decimal, exactly, interval, json_bounds, json_number, value_of
from .sections import Fields, Rendered, Section, Table

if TYPE_CHECKING:
    from ..beliefs.graph.parametric import FormulaPiece, Supremum
    from ..numbers.bernstein import Isolated
    from ..numbers.parameter import OpenParameter
    from .delta import Delta

Holds = Literal["everywhere", "nowhere", "partly"]
NOT_CERTIFIED = "exact arithmetic, not certified: there is no certificate for every value of a parameter"


@dataclass(frozen=True, repr=False)
class Parametric(Rendered):
    """What is known of δ(u) at every u of an open interval. A value.

    Attributes:
        interval: the parameter and its open interval.
        exp_epsilon: e^ε as it was asked for, a formula in the parameter.
        allowed: the δ that is allowed; None if none was given.
        violated: where some pair's δ is above it, in order: open intervals, each end isolated.
        pieces: the largest δ over the pairs, piece by piece; empty where there are too many pairs for it.
        maximum: its supremum over the interval, if it was asked for.
        at: δ at the one value that was asked for, certified.
        covers: which inputs it is about.
        seen: how many pairs, and how many outcomes they lead to.
    """

    interval: OpenParameter
    exp_epsilon: str
    allowed: Fraction | None
    violated: tuple[tuple[Isolated, Isolated], ...] | None
    pieces: tuple[FormulaPiece, ...]
    maximum: Supremum | None
    covers: str
    seen: tuple[int, int]
    at: tuple[str, Delta] | None = field(default=None, compare=False)

    @property
    def holds(self) -> Holds | None:
        """Whether δ is at most what is allowed everywhere, nowhere, or for some values only."""
        if self.violated is None:
            return None
        if not self.violated:
            return "everywhere"
        first, last = self.violated[0][0], self.violated[-1][1]
        whole = len(self.violated) == 1 and (first.low, last.high) == (self.interval.low, self.interval.high)
        return "nowhere" if whole else "partly"

    @property
    def _asked(self) -> str:
        return f"e^ε = {self.exp_epsilon}, {self._range}"

    @property
    def _range(self) -> str:
        return f"{self.interval.name} in ({exactly(self.interval.low)}, {exactly(self.interval.high)})"

    def _part(self, start: Isolated, end: Isolated) -> str:
        return f"({_shown(start)}, {_shown(end)})"

    @property
    def headline(self) -> str:
        """The answer for every value of the parameter."""
        name = self.interval.name
        if self.violated is not None:
            limit = f"δ ≤ {exactly(self.allowed or Fraction(0))}"
            if self.holds == "everywhere":
                return f"PRIVATE for every {self._range}: {limit} at e^ε = {self.exp_epsilon}, {self.covers}"
            if self.holds == "nowhere":
                return f"VIOLATED for every {self._range}: {limit} fails at e^ε = {self.exp_epsilon}"
            where = " and ".join(self._part(*part) for part in self.violated)
            return f"VIOLATED exactly for {name} in {where}; {limit} holds for every other {self._range}"
        if self.maximum is not None:
            return f"{interval('sup δ', self.maximum.lower, self.maximum.upper)}, {self._reached}; {self._range}"
        return f"δ({name}) in {len(self.pieces)} pieces, {self._range}"

    @property
    def _reached(self) -> str:
        if self.maximum is None:
            return ""
        shown = _shown(self.maximum.where)
        place = f"{self.interval.name} {shown}" if shown.startswith("≈") else f"{self.interval.name} = {shown}"
        if self.maximum.attained is None:
            return f"approached at {place}; whether it is attained is not decided"
        return f"attained at {place}" if self.maximum.attained else f"not attained: it is approached at {place}"

    def sections(self) -> Sequence[Section]:
        """The supremum, the pieces, the value at a point, and what kind of proof there is."""
        rows = [("e^ε", self.exp_epsilon), ("pairs", f"{self.seen[0]:,}, leading to {self.seen[1]:,} outcomes")]
        if self.maximum is not None:
            rows.append(("supremum", f"{value_of(self.maximum.lower, self.maximum.upper)}, {self._reached}"))
        if self.at is not None:
            text, found = self.at
            rows.append((f"at {self.interval.name} = {text}", f"{value_of(found.lower, found.upper)}, {found.checked}"))
        rows.append(("proof", NOT_CERTIFIED))
        cells = [(self._part(p.start, p.end), p.formula.text(self.interval.name)) for p in self.pieces]
        return [Fields(rows), *([Table((self.interval.name, "δ"), cells)] if cells else [])]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain parametric --json``; exact numbers as text."""

        def end(found: Isolated) -> dict[str, Any]:
            return json_bounds(found.low, found.high)

        def coefficients(polynomial: Any) -> list[str]:
            return [str(c) for c in polynomial.coeffs()] or ["0"]

        top, place = self.maximum, self.at
        return {
            "parameter": self.interval.name,
            "interval": [json_number(self.interval.low), json_number(self.interval.high)],
            "exp_epsilon_formula": self.exp_epsilon,
            "delta": None if self.allowed is None else json_number(self.allowed),
            "holds": self.holds,
            "violated": None
            if self.violated is None
            else [{"from": end(start), "to": end(stop)} for start, stop in self.violated],
            "pieces": [
                {
                    "from": end(p.start),
                    "to": end(p.end),
                    "numerator": coefficients(p.formula.top),
                    "denominator": coefficients(p.formula.bottom),
                }
                for p in self.pieces
            ],
            "maximum": None
            if top is None
            else {"value": json_bounds(top.lower, top.upper), "at": end(top.where), "attained": top.attained},
            "at": None
            if place is None
            else {"point": place[0], **json_bounds(place[1].lower, place[1].upper), "zero": place[1].upper == 0},
            "checked": None,
        }


def _shown(place: Isolated) -> str:
    """The place itself, or a decimal next to it, marked as such."""
    return exactly(place.low) if place.low == place.high else decimal(place.low, 14)
