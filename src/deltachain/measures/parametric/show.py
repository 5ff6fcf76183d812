"""`Parametric`: δ as an exact function of one parameter on an open interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...certificate.checked import NOT_ASKED, Checked
from ...errors import InputError
from ...results.numbers import decimal, exactly, interval, json_bounds, json_number, outward_probability, value_of
from ...results.plots import draw_pieces
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import SHOWN_ROWS, Fields, ProvedValue, Section, Table
from ...results.text import LONGEST_NAME, name_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...numbers.bernstein import Isolated
    from ...numbers.parameter import OpenParameter
    from ..delta.show import Delta
    from ..integers.find import IntegersProof
    from .find import FormulaPiece, Supremum
    from .proof import ParametricProof

DRAWN = 400
"""Points of a curve that is drawn."""
Holds = Literal["everywhere", "nowhere", "partly"]


@dataclass(frozen=True, repr=False)
class Parametric(Scoped, ProvedValue):
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
        searched: what was looked at instead, where it is about all integer inputs, for people.
        against: pairs that violate what is allowed: at each violated value one of them does.
        by_one_word: whether ``violated`` is where one word alone violates it: it may be violated elsewhere, too.
        checked: what the checker said of the certificate, before anything was printed.
        scope: at which confidence, where rows come from counts that leave a single chain.
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
    against: tuple[tuple[str, str], ...] = ()
    searched: str = ""
    by_one_word: bool = False
    checked: Checked = field(default=NOT_ASKED, kw_only=True, compare=False)
    scope: Scope = field(default=ALONE, kw_only=True)
    _proof: ParametricProof | IntegersProof | None = field(default=None, kw_only=True, compare=False)

    @property
    def certified(self) -> str:
        """For people: whether the checker accepted the certificate, and what it leaves out."""
        return self._describe_certified(True)

    def _describe_certified(self, pieces: bool) -> str:
        """The same, with the borders of the pieces or without: what bounds δ at all values has none."""
        if not self.checked.accepted:
            return f"not certified ({self.checked.why}){self.scope.trust}"
        places = [place for part in self.violated or () for place in part]
        places += [place for piece in self.pieces if pieces for place in (piece.start, piece.end)]
        open_ones = any(place.low < place.high for place in places)
        return f"certified{self.scope.trust}" + (" except within 1e-40 of irrational borders" if open_ones else "")

    @property
    def holds(self) -> Holds | None:
        """Whether δ is at most what is allowed everywhere, nowhere, or for some values only."""
        if self.violated is None:
            return None
        if not self.violated:
            return "everywhere"
        first, last = self.violated[0][0], self.violated[-1][1]
        # The inner sides: a border that is only known to lie next to an end leaves values beyond it.
        whole = len(self.violated) == 1 and (first.high, last.low) == (self.interval.low, self.interval.high)
        return "nowhere" if whole else "partly"

    @property
    def _asked(self) -> str:
        return f"e^ε = {self.exp_epsilon}, {self._range}"

    @property
    def _range(self) -> str:
        return f"{self.interval.name} in ({exactly(self.interval.low)}, {exactly(self.interval.high)})"

    def _part(self, start: Isolated, end: Isolated) -> str:
        return f"({_show(start)}, {_show(end)})"

    @property
    def headline(self) -> str:
        """The answer for every value of the parameter."""
        name = self.interval.name
        if self.violated is not None:
            allowed = exactly(self.allowed or Fraction(0))
            if self.holds == "everywhere":
                proved = f"{self._describe_certified(False)}, δ ≤ {allowed} at e^ε = {self.exp_epsilon}"
                return f"PRIVATE for every {self._range}: {proved} {self.covers}"
            proved = f"{self._describe_certified(False)}, δ > {allowed} at e^ε = {self.exp_epsilon} for {self._against}"
            if self.holds == "nowhere":
                return f"VIOLATED for every {self._range}: {proved}"
            where = " and ".join(self._part(*part) for part in self.violated)
            if self.by_one_word:
                return f"VIOLATED at least for {name} in {where}: {proved}"
            rest = f"δ ≤ {allowed} holds for every other {self._range}, {self.covers}"
            return f"VIOLATED exactly for {name} in {where}: {proved}; {rest}"
        if self.maximum is not None:
            known = interval("sup δ", self.maximum.lower, self.maximum.upper)
            return f"{known}, {self._reached}; {self._range}, {self.covers}; {self._describe_certified(False)}"
        pieces = f"{len(self.pieces)} piece{'' if len(self.pieces) == 1 else 's'}"
        return f"δ({name}) in {pieces}, {self._range}, {self.covers}; {self.certified}"

    @property
    def _against(self) -> str:
        if len(self.against) == 1:
            return name_pair(self.against[0], LONGEST_NAME)
        return f"one of {len(self.against)} pairs at each value" if self.against else "some pair"

    @property
    def _reached(self) -> str:
        if self.maximum is None:
            return ""
        shown = _show(self.maximum.where)
        place = f"{self.interval.name} {shown}" if shown.startswith("≈") else f"{self.interval.name} = {shown}"
        if self.maximum.attained is None:
            return f"approached at {place}; whether it is attained is not decided"
        return f"attained at {place}" if self.maximum.attained else f"not attained: it is approached at {place}"

    def sections(self) -> Sequence[Section]:
        """The supremum, the pieces, the value at a point, and what kind of proof there is."""
        looked = f"{self.seen[0]:,}, leading to {self.seen[1]:,} outcome{'' if self.seen[1] == 1 else 's'}"
        rows = [("e^ε", self.exp_epsilon), ("searched", self.searched) if self.searched else ("pairs", looked)]
        if self.maximum is not None:
            rows.append(("supremum", f"{value_of(self.maximum.lower, self.maximum.upper)}, {self._reached}"))
        if self.at is not None:
            text, found = self.at
            rows.append((f"at {self.interval.name} = {text}", f"{value_of(found.lower, found.upper)}, {found.checked}"))
        if self.violated:
            shown = "; ".join(name_pair(pair, LONGEST_NAME) for pair in self.against[:SHOWN_ROWS])
            rows.append(("violated by", shown + ("; …" if len(self.against) > SHOWN_ROWS else "")))
        rows.append(("proof", self.certified))
        cells = [(self._part(p.start, p.end), p.formula.text(self.interval.name)) for p in self.pieces]
        return [Fields(rows), *([Table((self.interval.name, "δ"), cells)] if cells else [])]

    def plot(self, target: str | Path | Axes | None = None) -> Axes | None:
        """Draw δ over the parameter from its pieces (extra ``plot``); values are rounded up, and never below δ.

        Args:
            target: an SVG, PNG or PDF file to write, or matplotlib axes to draw onto; None for new axes.

        Returns:
            The axes; None where a file was written.
        """
        if not self.pieces:
            raise InputError("plot: the pieces of δ were not asked for; give curve=True")
        width = self.interval.high - self.interval.low
        line: list[tuple[float, float]] = []
        for piece in self.pieces:
            low, high = piece.start.high, piece.end.low
            count = 2 + int(DRAWN * (high - low) / width)
            for k in range(count + 1):
                u = low + (high - low) * k / count
                line.append((float(u), outward_probability(piece.formula.at(u), "upper")))
        strips = [(float(start.low), float(end.high)) for start, end in self.violated or ()]
        limit = None if self.allowed is None else float(self.allowed)
        title = f"δ({self.interval.name}) at e^ε = {self.exp_epsilon}, {self.certified}"
        axes: Axes | None = draw_pieces(target, line, self.interval.name, title, limit, strips)
        return axes

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
            "against": [list(pair) for pair in self.against],
            "covers": self.covers,
            "checked": self.checked.accepted,
            **self.scope.keys(),
        }


def _show(place: Isolated) -> str:
    """The place itself, or a decimal next to it, marked as such."""
    return exactly(place.low) if place.low == place.high else decimal(place.low, 14)
