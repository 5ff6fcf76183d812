"""`distance_curve`: a distance of one pair as an exact function of α, on an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...asking import Inquiry, StateName, load_inquiry
from ...cancel import Cancel
from ...distances.along_alpha import MOST_PIECES, AlphaPiece, breakpoints, pieces_of, value_at_breakpoint
from ...distances.kinds import kind_named
from ...distances.pair_table import PairDistance
from ...errors import Defect, InputError
from ...numbers.fraction import Number, as_alpha, format_fraction
from ...parameters import Secrets
from ...results.numbers import decimal, json_bounds, json_number, outward_probability, value_of
from ...results.plots import draw_pieces
from ...results.sections import Fields, Rendered, Section, Table
from ...results.text import LONGEST_NAME, name_pair
from ...settings import Settings
from .show import distance_entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...loading import AnyModel
    from ...model import Chain
    from ...numbers.bernstein import Isolated

DRAWN = 200
"""Points of a plot, about."""


@dataclass(frozen=True, repr=False)
class DistanceCurve(Rendered):
    """A distance of one pair for every α of a closed interval: exact pieces, and exact values at rational breakpoints.

    Attributes:
        kind: the name of the distance.
        pair: the two states.
        low: the least α.
        high: the largest α.
        pieces: on open intervals, one after the other, the distance as a quotient of polynomials in α.
        values: the distance at both ends and at every breakpoint that is a Fraction.
    """

    kind: str
    pair: tuple[str, str]
    low: Fraction
    high: Fraction
    pieces: tuple[AlphaPiece, ...]
    values: tuple[tuple[Fraction, Fraction], ...]
    chain: Chain = field(compare=False)

    @property
    def breakpoints(self) -> tuple[Isolated, ...]:
        """Where the formula changes: Fractions, or roots between two."""
        return tuple(breakpoints(list(self.pieces)))

    def at(self, exp_epsilon: Number) -> Fraction:
        """The distance at one α of the interval, exact.

        Very near to an irrational breakpoint it is computed anew.
        """
        alpha = as_alpha(exp_epsilon)
        if not self.low <= alpha <= self.high:
            raise InputError(f"exp_epsilon: {alpha} is not in {self.low}:{self.high}")
        for point, value in self.values:
            if point == alpha:
                return value
        for piece in self.pieces:
            if piece.start.high < alpha < piece.end.low:
                return piece.formula.at(alpha)
        states = self.chain.number(self.pair[0]), self.chain.number(self.pair[1])
        return value_at_breakpoint(self.chain, states, alpha, kind_named(self.kind), Cancel())

    @property
    def rises(self) -> bool:
        """Whether the distance is larger at some α than at a smaller one: at ends, breakpoints, or inside a piece."""
        known = [value for _, value in self.values]
        if any(later > sooner for at, sooner in enumerate(known) for later in known[at + 1 :]):
            return True
        return any(self._rises_inside(piece) for piece in self.pieces)

    def _rises_inside(self, piece: AlphaPiece) -> bool:
        low, high = piece.start.high, piece.end.low
        points = [low + (high - low) * k / 8 for k in range(1, 8)]
        values = [piece.formula.at(point) for point in points]
        return any(later > sooner for at, sooner in enumerate(values) for later in values[at + 1 :])

    @property
    def headline(self) -> str:
        """Over which interval, and in how many pieces; and whether it rises somewhere."""
        count = len(self.pieces)
        pieces = "one piece" if count == 1 else f"{count} pieces"
        ends = f"{format_fraction(self.low)} to {format_fraction(self.high)}"
        rises = "; it rises somewhere" if self.rises else ""
        return f"{self.kind}{name_pair(self.pair, LONGEST_NAME)} for e^ε from {ends}: {pieces}, exact{rises}"

    def sections(self) -> Sequence[Section]:
        """The formulas, and the values at the breakpoints."""
        rows = [(f"{_show(p.start)} to {_show(p.end)}", p.formula.text("α")) for p in self.pieces]
        values = [(format_fraction(alpha), value_of(value, value)) for alpha, value in self.values]
        return [
            Fields([("e^ε", "α")]),
            Table(("α", self.kind), rows),
            Table(("at α", self.kind), values),
        ]

    def plot(self, target: str | Path | Axes | None = None) -> Axes | None:
        """Draw the distance over α (extra ``plot``); values are rounded up.

        Args:
            target: an SVG, PNG or PDF file to write, or matplotlib axes to draw onto; None for new axes.

        Returns:
            The axes; None where a file was written.
        """
        width = self.high - self.low
        points = dict(self.values)
        for piece in self.pieces:
            low, high = piece.start.high, piece.end.low
            count = 2 + int(DRAWN * (high - low) / width)
            points |= {(a := low + (high - low) * k / count): piece.formula.at(a) for k in range(1, count)}
        line = [(float(alpha), outward_probability(points[alpha], "upper")) for alpha in sorted(points)]
        title = f"{self.kind}{name_pair(self.pair, LONGEST_NAME)}, exact"
        axes: Axes | None = draw_pieces(target, line, "e^ε", title, None, [], value=self.kind)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the keys of a `Distance` at the least α, and the ``curve``."""
        (low, value), reverse = self.values[0], self.values[0][1]
        entry = distance_entry(self.kind, PairDistance(self.pair, value, reverse, "exact"))
        entry = {key: part for key, part in entry.items() if key not in ("reverse", "reverse_lower", "largest")}
        return {
            "kind": self.kind,
            "quotient": False,
            "states_measured": len(self.chain),
            "measured_at": json_number(low),
            "certified": False,
            "checked": None,
            "results": [entry],
            "pairs": 1,
            "largest": json_number(value),
            "curve": {
                "interval": [json_number(self.low), json_number(self.high)],
                "pieces": [
                    {
                        "from": json_bounds(*piece.start),
                        "to": json_bounds(*piece.end),
                        "numerator": _coefficients(piece.formula.top),
                        "denominator": _coefficients(piece.formula.bottom),
                    }
                    for piece in self.pieces
                ],
                "values": [{"at": json_number(at), "value": json_number(found)} for at, found in self.values],
                "rises": self.rises,
            },
        }


def _coefficients(polynomial: Any) -> list[str]:
    return [str(c) for c in polynomial.coeffs()] or ["0"]


def _show(place: Isolated) -> str:
    """A breakpoint: exactly, or its first digits."""
    return format_fraction(place.low) if place.low == place.high else f"≈ {decimal(place.low, 9)}"


def distance_curve(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    alphas: tuple[Number, Number],
    kind: str = "bd",
    secrets: Secrets | None = None,
    max_pieces: int = MOST_PIECES,
    cancel: Cancel | None = None,
) -> DistanceCurve:
    """bd, ld or sd of one pair as a function of α = e^ε: exact, a rational function on each of finitely many pieces.

    The distance need not fall as α grows, nor be continuous.

    Args:
        model: a chain of fractions, or what `load` takes.
        s: a state, by name or number; without both, the one pair of the relation that the model carries.
        t: another one.
        alphas: the least and the largest α, from 1 on.
        kind: ``"bd"``, ``"ld"`` or ``"sd"``.
        secrets: the inputs of a program.
        max_pieces: give up beyond so many.
        cancel: a deadline, and where progress goes.

    Raises:
        InputError: the question does not apply to this model.
        NotConverged: there are more pieces, or the exact distance is too large.

    >>> import deltachain as dc
    >>> found = distance_curve(dc.examples.coin(), "s0", "s1", alphas=(1, 2))
    >>> [piece.formula.text("α") for piece in found.pieces], found.at("5/4")
    (['(−2α + 3)/5', '0'], Fraction(1, 10))
    """
    low, high = (as_alpha(alpha) for alpha in alphas)
    if low >= high:
        raise InputError(Defect("alphas", f"{low}:{high} is empty", "the smaller one first"))
    cancel, measure = cancel or Cancel(), kind_named(kind)
    inquiry = load_inquiry(model, Settings(secrets=secrets, cancel=cancel), s, t, None)
    if len(inquiry.pairs) != 1:
        raise InputError(Defect("alphas", f"{len(inquiry.pairs)} pairs", "name one pair of states"))
    chain, pair = inquiry.chain, inquiry.pairs[0]
    names = chain.states[pair[0]], chain.states[pair[1]]
    if pair[0] == pair[1] or chain.labels[pair[0]] != chain.labels[pair[1]]:
        raise InputError(Defect("alphas", "the distance is the same for every α", "name two states of one label"))
    with cancel.during("following the distance").govern():
        pieces = pieces_of(chain, pair, low, high, measure, max_pieces=max_pieces, cancel=cancel)
        places = [low, *(place.low for place in breakpoints(pieces) if place.low == place.high), high]
        values = tuple((alpha, value_at_breakpoint(chain, pair, alpha, measure, cancel)) for alpha in places)
    return DistanceCurve(kind, names, low, high, tuple(pieces), values, chain)
