"""`Profile`: δ as a function of ε, as a certified band.

Where the belief graphs are finite, the band is one exact curve for every ε (`beliefs.graph.losses`), and the
privacy-loss distribution behind it can be handed to an accountant; it has other measures too. Otherwise the band is
known at points, each sharpened by its neighbours.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...beliefs.graph.curves import delta_pieces, implied_tradeoff
from ...certificate.checked import COMPOSED, Checked
from ...certificate.tradeoff import ExactCurve
from ...errors import InputError, Stopped, require_extra, require_possible
from ...numbers.fraction import (
    ExpEpsilon,
    Number,
    as_probability,
    epsilon_of,
    format_fraction,
    log_above,
    log_below,
    parse_fraction,
)
from ...parameters import as_order
from ...results.chart import edges, overlaps, sample
from ...results.numbers import (
    LOG_DIGITS,
    decimal,
    exact_text,
    json_bounds,
    json_number,
    outward,
    outward_float,
    outward_probability,
    round_to_side,
)
from ...results.plots import Estimated, draw_band, draw_tradeoff
from ...results.scope import ALONE, ONLY_THESE, Covered, Covering, Scope, Scoped
from ...results.sections import Fields, Picture, ProvedValue, Section, Table
from ...results.text import LONGEST_NAME, csv_text, name_pair, pairs_text
from ..divergences.endless import bounds_of
from ..divergences.find import Directed, direct
from ..divergences.show import (
    FROM_BOUNDS,
    LATER,
    NO_RULE,
    TOO_FINE,
    Divergence,
    DivergenceName,
    Tradeoff,
    bound_between,
    bound_by_concentration,
    checkable,
    divergence_entry,
    divergence_table,
    divergences_csv,
    worst,
)
from ..epsilon.bands import Known
from ..epsilon.least import least_of
from .chart import profile_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...beliefs.graph.curves import Piece
    from ...beliefs.graph.losses import Loss, PrivacyLosses
    from ...certificate.claims import Evidence
    from ...numbers.field import Exact
    from ..composed import OneRun
    from ..divergences.endless import Endless

NO_LOSSES = (
    "the belief graph is not finite, probabilities are not exact, or the observer chooses inputs, and "
    "what is best to ask depends on ε"
)


FOLLOWED = 400
"""Of more outcomes over all pairs, a curve is not shown corner by corner."""


@dataclass(frozen=True, slots=True)
class ProfilePoint:
    """lower ≤ δ(ε) ≤ upper, certified.

    Attributes:
        epsilon: ε.
        lower: a lower bound of δ there.
        upper: an upper bound of δ there.
        reached: whether the search came to this point, or what its neighbours prove is as narrow as asked without one.
        checked: whether the checker accepted a certificate of this interval; None if it follows from other points.
    """

    epsilon: Fraction
    lower: Fraction
    upper: Fraction
    reached: bool = True
    checked: bool | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        require_possible(self.lower, self.upper)


def _say(point: ProfilePoint) -> str:
    """What the checker said of a point."""
    return "implied" if point.checked is None else "checked" if point.checked else "not checked"


@dataclass(frozen=True, slots=True)
class EstimatedBand:
    """(lower, upper) at each point of a profile: all of them right with probability at least ``confidence``.

    Attributes:
        confidence: the probability, over seeds, that every bound is right, at least.
        seed: what the random words were drawn from.
        samples: the number of words.
        horizon: the length of the longest.
        bounds: (lower, upper) at each point.
    """

    confidence: Fraction
    seed: int
    samples: int
    horizon: int
    bounds: tuple[tuple[Fraction, Fraction], ...]

    def to_dict(self) -> dict[str, Any]:
        """The band as JSON."""
        return {
            "proved": False,
            "confidence": json_number(self.confidence),
            "seed": self.seed,
            "samples": self.samples,
            "horizon": self.horizon,
            "bounds": [json_bounds(lower, upper) for lower, upper in self.bounds],
        }

    def columns(self) -> dict[str, list[object]]:
        """Columns for a DataFrame, rounded outward."""
        return {
            "estimated_lower": [outward_float(low, "lower") for low, _ in self.bounds],
            "estimated_upper": [outward_float(high, "upper") for _, high in self.bounds],
        }


@dataclass(frozen=True, repr=False)
class Profile(Scoped, Covering, ProvedValue):
    """δ(ε) of the worst of ``pairs``, by increasing ε; exact for every ε where ``distributions`` are known. A value.

    Attributes:
        pairs: the pairs, by name.
        points: the certified interval at each ε of the grid.
        distributions: the exact privacy-loss distribution of each pair, or None if a belief graph is not finite.
        interrupted: whether the time limit was reached, or Ctrl-C was pressed, before every point was bounded as well
            as it could be.
        estimate: a narrower band by sampling, with a stated confidence, if it was asked for. Not proved.
        pieces: δ as an exact function of e^ε, where the observer chooses inputs and every belief graph is finite.
        scope: of how many independent runs it is (of more than one the band alone is known), beside which models, over
            which limits, at which confidence.
        inside: the curves of single chains within the limits, extreme ones as far as they were found.
        together: of several runs, the losses of one run of each model, of every pair; those of models beside the
            first in either order.
        endless: where beliefs do not end and divergences were asked for: what bounds them, of each pair both ways.
        dominating: where rows are enclosed or cut off, losses of each pair of a chain that tells at least as much.
        concentration: ρ of each pair of which a theorem about Gaussians says that D_a ≤ a·ρ, else None.
        divergences: what was asked for beside δ: a group for each measure and order, a member for each direction.
        checked_tradeoff: what the checker said of the trade-off functions, where these are exact.
        inputs: how the pairs were chosen; `covers` says it.
        between: of a mechanism between two labellings of one chain: the curve of the fine one, which bounds it from
            above, and that of the coarse one, which bounds it from below.
    """

    pairs: tuple[tuple[str, str], ...]
    points: tuple[ProfilePoint, ...]
    distributions: tuple[PrivacyLosses, ...] | None
    interrupted: bool = False
    estimate: EstimatedBand | None = None
    pieces: tuple[Piece, ...] | None = None
    scope: Scope = ALONE
    inside: tuple[Profile, ...] = ()
    together: tuple[tuple[PrivacyLosses, ...], ...] = ()
    endless: tuple[tuple[Endless, Endless], ...] = ()
    dominating: tuple[OneRun, ...] = ()
    concentration: tuple[Fraction | None, ...] = ()
    divergences: tuple[tuple[Divergence, ...], ...] = ()
    checked_tradeoff: Checked = field(default=LATER, compare=False)
    inputs: Covered = ONLY_THESE
    between: tuple[Profile, Profile] | None = None
    _proof: Evidence | None = field(default=None, compare=False)

    NONE = "the curve has no proof as a whole; certificates=FOLDER keeps one for each point"

    @property
    def _compared(self) -> Sequence[tuple[str, str]]:
        return self.pairs

    @property
    def exact(self) -> bool:
        """Whether δ is known exactly for every ε."""
        return self.distributions is not None or self.pieces is not None

    @cached_property
    def curves(self) -> Sequence[ExactCurve]:
        """δ of each pair, or of the worst of all, at every ε, where it is exact."""
        if self.pieces is not None:
            return [ExactCurve((tuple((piece.constant, piece.slope) for piece in reversed(self.pieces)),))]
        return [losses.curve for losses in self.distributions or ()]

    @cached_property
    def corners(self) -> tuple[Piece, ...] | None:
        """δ as a function of α = e^ε ≥ 1, piece by piece, where it is exact and has few corners; None otherwise."""
        if self.pieces is not None or self.distributions is None:
            return self.pieces
        if sum(len(losses.outcomes) for losses in self.distributions) > FOLLOWED:
            return None
        return delta_pieces(self.distributions)

    @cached_property
    def _known(self) -> Known:
        """What the points prove of every ε, since δ is convex in e^ε."""
        return Known.of((p.epsilon, p.lower, p.upper) for p in self.points)

    @property
    def headline(self) -> str:
        """Whose δ(ε) it is, and what is known of it."""
        kind = "a certified band"
        if self.exact:
            kind = "known exactly for every ε (bounds differ only in how e^ε is rounded)"
        runs = self.scope.runs.removeprefix(", ")
        kind = f"{runs}, {kind}" if runs else kind
        if self.estimate is not None:
            kind += f", and one with confidence {outward(self.estimate.confidence, 'lower')}, not proved"
        kind += self.scope.everywhere
        kind += f",{self.scope.trust}" if self.scope.trust else ""
        pairs = name_pair(self.pairs[0], LONGEST_NAME) if len(self.pairs) == 1 else pairs_text(self.pairs)
        stopped = ", interrupted" if self.interrupted else ""
        return f"δ(ε) of {pairs}; {kind}{stopped}{self._checked}{self.scope.aside}"

    @property
    def _checked(self) -> str:
        """How many of the points the checker accepted, and how many follow from others."""
        if self.scope.runs:
            return f"; not checked: {COMPOSED}"
        said = {word: sum(_say(p) == word for p in self.points) for word in ("checked", "not checked", "implied")}
        told = ", ".join(f"{count} {word}" for word, count in said.items() if count)
        return f"; points: {told}" if told else ""

    @property
    def _asked(self) -> str:
        if not self.points:
            return "no points"
        first, last = (decimal(point.epsilon) for point in (self.points[0], self.points[-1]))
        return f"{len(self.points)} points, ε from {first} to {last}"

    def sections(self) -> Sequence[Section]:
        """What it covers, and the band as a picture and as a table."""
        rows = [
            [decimal(p.epsilon), outward(p.lower, "lower"), outward(p.upper, "upper"), *self._cells(i)]
            for i, p in enumerate(self.points)
        ]
        header = ["ε", "δ at least", "δ at most"]
        header += [] if self.estimate is None else ["sampled: at least", "at most"]
        header += ["some chain: at most", "some: at least"] if self.inside else []
        header += ["proof"] if self._differ else []
        header += [] if self._all_reached else [""]
        shown: list[Section] = [Fields([("covers", self.covers)])]
        shown += [self._picture(), Table(header, rows)] if self.points else []
        if self.divergences:
            shown.append(divergence_table([each for group in self.divergences for each in group]))
        return shown

    @property
    def _all_reached(self) -> bool:
        return all(point.reached for point in self.points)

    @property
    def _differ(self) -> bool:
        """Whether the checker said different things of the points."""
        return len({point.checked for point in self.points}) > 1

    def _cells(self, i: int) -> list[str]:
        cells = []
        if self.estimate is not None:
            low, high = self.estimate.bounds[i]
            cells += [outward(low, "lower"), outward(high, "upper")]
        if self.inside:
            least, largest = self.extremes(self.points[i].epsilon)
            cells += [outward(least, "upper"), outward(largest, "lower")]
        if self._differ:
            cells.append(_say(self.points[i]))
        if not self._all_reached:
            cells.append("" if self.points[i].reached else "not reached")
        return cells

    def _picture(self) -> Picture:
        most, end = max(p.upper for p in self.points), self.points[-1].epsilon
        caption = (
            f"δ ≤ {outward(most, 'upper')} for every ε shown, from {decimal(self.points[0].epsilon)} to {decimal(end)}"
        )
        return Picture(profile_chart(self, caption), caption)

    def to_dict(self) -> dict[str, Any]:
        """The points as columns, for a DataFrame: floats rounded outward, and the exact numbers as text."""
        near = [self._near(p.epsilon, p.lower) for p in self.points]
        columns: dict[str, list[object]] = {
            "epsilon": [epsilon for epsilon, _ in near],
            "lower": [outward_float(lower, "lower") for _, lower in near],
            "upper": [outward_float(p.upper, "upper") for p in self.points],
            "epsilon_exact": [format_fraction(p.epsilon) for p in self.points],
            "lower_exact": [format_fraction(p.lower) for p in self.points],
            "upper_exact": [format_fraction(p.upper) for p in self.points],
            "reached": [p.reached for p in self.points],
            "checked": [p.checked for p in self.points],
        }
        if self.inside:
            both = [self.extremes(p.epsilon) for p in self.points]
            # Some chain has at most the one, some at least the other: each is rounded towards what it says.
            columns["inside_lower"] = [outward_float(least, "upper") for least, _ in both]
            columns["inside_upper"] = [outward_float(largest, "lower") for _, largest in both]
        if self.confidence is not None:
            columns["confidence"] = [format_fraction(self.confidence)] * len(self.points)
        return columns if self.estimate is None else columns | self.estimate.columns()

    def _near(self, epsilon: Fraction, below: Exact) -> tuple[float | None, Fraction]:
        """(ε as a float, a lower bound of δ there), so that a row of floats is true.

        δ falls. Where ε is not the decimal that is printed, the float is above it, so that upper bounds hold there too;
        lower ones are taken at the float.
        """
        lower = round_to_side(below, "lower")
        shown = outward_float(epsilon)
        if shown is None or parse_fraction(repr(shown)) == epsilon:
            return shown, lower
        shown = outward_float(epsilon, "upper")
        if shown is None:
            return None, lower
        at = max(Fraction(shown), parse_fraction(repr(shown)))
        return shown, min(lower, self.delta(epsilon=at).lower)

    def document(self) -> dict[str, Any]:
        """The keys of its own of ``deltachain profile --json``."""
        body: dict[str, Any] = {
            "pairs": [list(pair) for pair in self.pairs],
            "exact": self.exact,
            "covers": self.covered,
            "repeat": self.repeat,
            "points": [self._entry(p) for p in self.points],
        }
        body |= self.scope.keys()
        if self.estimate is not None:
            body["estimate"] = self.estimate.to_dict()
        if self.distributions is not None and len(self.pairs) == 1:
            body["losses"] = [{"first": json_number(o.first), "second": json_number(o.second)} for o in self.losses]
        renyi = [group for group in self.divergences if group[0].measure == "renyi"]
        body |= {"renyi": [divergence_entry(group) for group in renyi]} if renyi else {}
        for group in self.divergences:
            if group[0].measure != "renyi":
                body[group[0].measure] = divergence_entry(group)
        return body

    def _entry(self, point: ProfilePoint) -> dict[str, Any]:
        entry = {"epsilon": json_number(point.epsilon), **json_bounds(point.lower, point.upper)}
        entry |= {"reached": point.reached, "checked": point.checked}
        if self.inside:
            least, largest = self.extremes(point.epsilon)
            entry["inside"] = {"lower": json_number(least, "upper"), "upper": json_number(largest, "lower")}
        return entry

    @property
    def losses(self) -> tuple[Loss, ...]:
        """The exact privacy-loss distribution of a single pair: outcomes with both probabilities, by rising loss."""
        return self._single().outcomes

    def _single(self) -> PrivacyLosses:
        if self.repeat > 1 or self.compose:
            name = "repeat" if self.repeat > 1 else "compose"
            raise InputError(f"{name}: the loss distribution is that of one run; ask for the profile without it")
        if self.distributions is None:
            raise InputError(f"{NO_LOSSES}: there is a band for δ(ε), but no exact loss distribution")
        if len(self.distributions) != 1:
            raise InputError(f"{len(self.distributions)} pairs: ask for the profile of one to have its losses")
        return self.distributions[0]

    # Other measures, from the same losses.

    def renyi(self, order: Number) -> Divergence:
        """The Rényi divergence of an order above 1, of the worst direction of the worst pair; exact at whole orders.

        Args:
            order: above 1; the limit at 1 is `kl`, that at infinity the least ε with δ = 0.

        >>> import deltachain as dc
        >>> str(dc.profile(dc.examples.survey(), epsilons=[0]).renyi(2).moment)
        '7/3'
        """
        return worst(self.measured("renyi", as_order(order)))

    def kl(self) -> Divergence:
        """The Kullback–Leibler divergence of the worst direction of the worst pair."""
        return worst(self.measured("kl"))

    def zcdp(self) -> Divergence:
        """The least ρ for which all pairs are ρ-zCDP: the largest D_a/a over all orders a > 1, both ways."""
        return worst(self.measured("zcdp"))

    def measured(
        self, measure: DivergenceName, order: Fraction | None = None, *, moments: bool = True
    ) -> tuple[Divergence, ...]:
        """A measure of each pair, first against second and second against first.

        Args:
            measure: ``renyi``, ``kl`` or ``zcdp``.
            order: of ``renyi``.
            moments: whether moments are found exactly, which are sums of many functions of e.
        """
        if self.between is not None:
            above, below = (curve.measured(measure, order, moments=False) for curve in self.between)
            return tuple(bound_between(*both) for both in zip(above, below, strict=True))
        runs = self.together or (() if self.distributions is None else (self.distributions,))
        known: Sequence[PrivacyLosses | None] = runs[0] if runs else [None] * len(self.pairs)
        found = []
        for k, ((first, second), losses) in enumerate(zip(self.pairs, known, strict=True)):
            both = (None, None) if losses is None else (losses, losses.reversed)
            for side, (pair, way) in enumerate(zip(((first, second), (second, first)), both, strict=True)):
                said = NO_RULE if measure == "zcdp" else LATER if checkable(order) else TOO_FINE
                said = Checked(None, COMPOSED) if self.scope.runs else said
                blank = Divergence(measure, pair, Fraction(0), None, order=order, scope=self.scope, checked=said)
                try:
                    if way is None:
                        bounded = _bound(blank, self.endless[k][side] if self.endless else None)
                        found.append(
                            bound_by_concentration(bounded, self.concentration[k] if self.concentration else None)
                        )
                    else:
                        found.append(_exact(blank, direct(way, runs[1:], self.repeat), moments=moments))
                except Stopped as stopped:  # from 0 to no bound at all
                    found.append(replace(blank, reason=str(stopped)))
        return tuple(found)

    def divergences_csv(self) -> str:
        """``divergences`` as CSV, each direction a row, each number with its side."""
        return divergences_csv([each for group in self.divergences for each in group])

    def tradeoff(self) -> tuple[Tradeoff, ...]:
        """The trade-off function of each pair, both ways: exact where losses are, else what the band implies."""
        if self.between is not None:
            # Whatever tells the mechanism apart tells the fine chain apart.
            return tuple(replace(each, exact=False) for each in self.between[0].tradeoff())
        ways = [(pair, k) for pair in self.pairs for k in (0, 1)]
        if self.distributions is None:
            implied = tuple(implied_tradeoff([(ExpEpsilon.of(p.epsilon), p.upper) for p in self.points]))
            said = Checked(None, COMPOSED) if self.scope.runs else FROM_BOUNDS
            return tuple(Tradeoff((pair[k], pair[1 - k]), implied, False, said, self.scope) for pair, k in ways)
        known = [way for losses in self.distributions for way in (losses, losses.reversed)]
        return tuple(
            Tradeoff((pair[k], pair[1 - k]), losses.tests, True, self.checked_tradeoff, self.scope)
            for (pair, k), losses in zip(ways, known, strict=True)
        )

    def delta(self, *, epsilon: Number) -> ProfilePoint:
        """The certified interval for δ at any ε; between points of a band, from the neighbours on the sound side.

        Args:
            epsilon: ε ≥ 0.
        """
        at = epsilon_of(epsilon)
        exp_epsilon = ExpEpsilon.of(at)
        if self.exact:
            bounds = [curve.bounds(exp_epsilon) for curve in self.curves]
            return ProfilePoint(at, max(lower for lower, _ in bounds), max(upper for _, upper in bounds))
        return ProfilePoint(at, *self.band(at))

    def band(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """(lower, upper) at an ε, from the points alone: chords above, secants below, and δ falls."""
        if self.between is not None:
            above, below = (curve.delta(epsilon=epsilon) for curve in self.between)
            return below.lower, above.upper
        at = ExpEpsilon.of(epsilon)
        upper = min((p.upper for p in self.points if p.epsilon <= epsilon), default=Fraction(1))
        lower = max((p.lower for p in self.points if p.epsilon >= epsilon), default=Fraction(0))
        return max(lower, self._known.lower(at.above)), min(upper, self._known.upper(at.below))

    def extremes(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """(at most, at least): δ of some chain within the limits is at most the one, of some at least the other.

        A chain that was found at one ε has its own curve, which is bounded at every other. Where ``inside`` is empty,
        nothing is known of single chains: (1, 0).

        Args:
            epsilon: ε ≥ 0.
        """
        bounds = [curve.delta(epsilon=epsilon) for curve in self.inside]
        least = min((bound.upper for bound in bounds), default=Fraction(1))
        return least, max((bound.lower for bound in bounds), default=Fraction(0))

    def epsilon(self, *, delta: Number) -> tuple[Fraction | None, Fraction]:
        """(ε proved, ε refuted): (ε, δ)-private from the first on (None: never), and for no ε below the second.

        Args:
            delta: the δ that is allowed.
        """
        allowed = as_probability(delta, "delta")
        if self.exact:
            least = least_of(self.curves, allowed)
            return None if least.proved is None else log_above(least.proved), log_below(least.refuted)
        if self.between is not None:
            above, below = (curve.epsilon(delta=allowed) for curve in self.between)
            return above[0], below[1]
        found = self._known.prove(allowed)
        at = min((p.epsilon for p in self.points if p.upper <= allowed), default=None)
        if found is not None and at is not None:
            at = min(at, log_above(found))
        refuted = max((p.epsilon for p in self.points if p.lower > allowed), default=Fraction(0))
        return at, max(refuted, log_below(self._known.refute(allowed)))

    def csv(self) -> str:
        """The points as CSV: the columns of `to_dict`; of an exact curve its corners too, at ε = ln of a fraction."""
        columns = self.to_dict()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if self.estimate is None:
            rows = sorted(rows + self._corner_rows(), key=lambda row: row["epsilon"])
        return csv_text(list(columns), [[row[name] for name in columns] for row in rows])

    def _corner_rows(self) -> list[dict[str, Any]]:
        """Of an exact curve, which is that of a single chain: its corners, by the columns of `to_dict`."""
        rows: list[dict[str, Any]] = []
        for piece in self.corners or ():
            if piece.begin == 1:
                continue
            height = piece.at(piece.begin)
            epsilon, lower = self._near(log_above(round_to_side(piece.begin, "upper"), LOG_DIGITS), height)
            exact = exact_text(height)
            row: dict[str, Any] = {
                "epsilon": epsilon,
                "lower": outward_float(lower, "lower"),
                "upper": outward_float(round_to_side(height, "upper"), "upper"),
                "epsilon_exact": f"ln {exact_text(piece.begin)}",
                "lower_exact": exact,
                "upper_exact": exact,
                "reached": True,
                "checked": None,
            }
            if self.confidence is not None:
                row["confidence"] = format_fraction(self.confidence)
            rows.append(row)
        return rows

    def losses_csv(self) -> str:
        """The loss distribution as CSV: probabilities from the first and the second state, and about the loss."""
        rows = []
        for o in self.losses:
            loss = math.inf if not o.second else -math.inf if not o.first else _log_ratio(o.first, o.second)
            rows.append((exact_text(o.first), exact_text(o.second), loss))
        return csv_text(["first", "second", "loss"], rows)

    def plot(self, target: str | Path | Axes | None = None) -> Axes | None:
        """Draw the band δ(ε) (extra ``plot``).

        Args:
            target: an SVG, PNG or PDF file to write, or matplotlib axes to draw onto; None for new axes.

        Returns:
            The axes; None where a file was written.
        """
        points = [(float(p.epsilon), *_draw(p.lower, p.upper)) for p in self.points]
        begin, end = self.points[0].epsilon, self.points[-1].epsilon
        band = edges(self.band, begin, end) if self.distributions is None and self.pieces is None else self._line()
        estimate: Estimated | None = None
        if self.estimate is not None:
            label = f"with confidence {decimal(self.estimate.confidence)}, not proved"
            estimate = label, [_draw(low, high) for low, high in self.estimate.bounds]
        inside = None
        if self.inside:
            dots = [(float(p.epsilon), *_within(*self.extremes(p.epsilon))) for p in self.points]
            inside = dots, overlaps(self.extremes, begin, end)
        title, reached = f"δ(ε), {pairs_text(self.pairs)}", [p.reached for p in self.points]
        axes: Axes | None = draw_band(target, points, title, reached, estimate, band, inside, exact=self.exact)
        return axes

    def _line(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """The exact curve, to a pixel, from the first to the last point."""
        begin, end = self.points[0].epsilon, self.points[-1].epsilon
        if self.corners is None:
            return edges(self.band, begin, end)
        line = sample(self.corners, begin, end)
        return line, line

    def plot_tradeoff(self, target: str | Path | Axes | None = None) -> Axes | None:
        """Draw the trade-off curve: the least false-negative rate of any attacker for each false-positive rate.

        It is that of the best attacker where the losses of a single pair are known exactly; elsewhere a lower bound,
        which the upper bounds of δ(ε) imply.

        Args:
            target: as of `plot`.

        Returns:
            The axes; None where a file was written.
        """
        known = self.distributions or ()
        exact = len(known) == 1 and len(known[0].outcomes) <= FOLLOWED
        if exact:
            found: list[tuple[Exact, Exact]] = list(self.tradeoff()[0].corners)
        else:
            found = implied_tradeoff([(ExpEpsilon.of(p.epsilon), p.upper) for p in self.points])
        corners = [(outward_probability(rate, "lower"), outward_probability(least, "lower")) for rate, least in found]
        axes: Axes | None = draw_tradeoff(target, corners, pairs_text(self.pairs), exact=exact)
        return axes

    def loss_masses_csv(self, *, pessimistic: bool = True) -> str:
        """(loss, mass) pairs in both directions as CSV, for any accountant; every number is on the side asked for.

        ``forward`` is ln(first/second) with the mass of the first state, ``backward`` the reverse; outcomes without
        mass are left out, and one that the other state never shows has the loss ``inf``.

        Args:
            pessimistic: whether losses and masses are rounded up, or down.
        """
        side: Literal["upper", "lower"] = "upper" if pessimistic else "lower"
        rows = []
        for direction, pairs in self._directions(pessimistic=pessimistic):
            for mass, other in pairs:
                loss = math.inf if not other else outward_float(_log(mass / other, side), side)
                rows.append((direction, loss, outward_probability(mass, side), exact_text(mass)))
        return csv_text(["direction", "loss", "mass", "mass_exact"], rows)

    def to_dp_accounting(self, *, pessimistic: bool = True, interval: float = 1e-4) -> Any:
        """The loss distribution as a `dp_accounting.pld.PrivacyLossDistribution`, in both directions.

        What is certified: the distribution itself. Every loss is rounded to a multiple of ``interval`` and every mass
        to a float on the side asked for, decided in exact arithmetic, so that its true δ(ε) is at least ours, or at
        most. What is not: whatever is computed from it, compositions and its answers too, in floats by the accountant.

        Args:
            pessimistic: whether losses and masses are rounded up, for upper bounds of δ, or down, for lower ones.
            interval: the grid of losses.

        Raises:
            BackendMissing: dp-accounting is not installed.
            InputError: there is no single exact loss distribution, or the interval is no number above 0.
        """
        with require_extra("dp-accounting", "accounting"):
            from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
        if not 0 < interval < math.inf:
            raise InputError(f"interval: {interval} is not a number above 0")
        (_, forward), (_, backward) = self._directions(pessimistic=pessimistic)
        there, never = _on_grid(forward, Fraction(interval), pessimistic)
        back, never_back = _on_grid(backward, Fraction(interval), pessimistic)
        return PrivacyLossDistribution.create_from_rounded_probability(
            there, never, interval, pessimistic, back, never_back, symmetric=False
        )

    def rdp(self, orders: Sequence[Number]) -> tuple[list[float], list[float]]:
        """(orders, Rényi divergences) as floats rounded up, for `dp_accounting.rdp.compute_epsilon` and its like.

        Each is at least the divergence of the worst direction of the worst pair; ``inf`` where there is no bound. Those
        of independent mechanisms add up. What an accountant makes of them is computed in floats, and not certified.

        Args:
            orders: each above 1; a float is read as its shortest decimal, which must be the float's own value.

        Raises:
            InputError: an order that is not above 1, or is rounded as a float.
        """
        read = [as_order(order, "orders") for order in orders]
        for order in read:
            if Fraction(float(order)) != order:
                raise InputError(f"orders: {format_fraction(order)} is not a float; give 2, 3 or 1.5")
        found = [self.renyi(order).upper for order in read]
        floats = [None if bound is None else outward_float(bound, "upper") for bound in found]
        upper = [math.inf if bound is None else bound for bound in floats]  # no float is large enough, or no number
        return [float(order) for order in read], upper

    def _directions(self, *, pessimistic: bool) -> tuple[tuple[str, list[tuple[Exact, Exact]]], ...]:
        """(mass, the other state's) of the outcomes, from the first state and from the second.

        Of a mechanism between two labellings, those of the fine one if pessimistic, else of the coarse one. Where rows
        are enclosed, those of what tells at least as much; if not pessimistic, without what one side alone shows, and
        with all that is lost added to the other state's probability of each.
        """
        if self.between is not None:
            return self.between[0 if pessimistic else 1]._directions(pessimistic=pessimistic)
        enclosed = len(self.dominating) == 1 and not self.scope.runs
        losses, lost = (self.dominating[0].losses.outcomes if enclosed else self.losses), Fraction(0)
        if enclosed and not pessimistic:
            lost, losses = self.dominating[0].lost, tuple(o for o in losses if o.first and o.second)
        forward = [(o.first, o.second + lost) for o in losses if o.first]
        return ("forward", forward), ("backward", [(o.second, o.first + lost) for o in losses if o.second])


def _exact(blank: Divergence, losses: Directed, *, moments: bool) -> Divergence:
    """The divergence of known losses."""
    measure, order = blank.measure, blank.order
    bounds = losses.kl() if measure == "kl" else losses.zcdp() if order is None else losses.renyi(order)
    if bounds is None:
        return replace(blank, lower=None, infinite=True, alone=losses.alone)
    whole = moments and order is not None and order.denominator == 1
    moment = losses.moment(int(order)) if order is not None and whole else None
    return replace(blank, lower=bounds[0], upper=bounds[1], moment=moment)


def _bound(blank: Divergence, source: Endless | None) -> Divergence:
    """What is known of a divergence where beliefs do not end."""
    if source is None:
        return replace(blank, reason=NO_LOSSES)
    lower, upper, reason = bounds_of(source, blank.measure, blank.order)
    moment = None
    if blank.order is not None and blank.order.denominator == 1:
        found = source.moment(int(blank.order))
        moment = found.upper if found.lower == found.upper else None
    why = reason if lower is None or upper is None else ""
    said = blank.checked if blank.measure == "zcdp" else Checked(None, source.uncertified)
    return replace(blank, lower=lower, upper=upper, infinite=lower is None, moment=moment, reason=why, checked=said)


def _log(value: Exact, side: Literal["upper", "lower"]) -> Fraction:
    """A decimal on that side of ln(value)."""
    ratio = round_to_side(value, side)
    if ratio < 1:
        return -(log_below if side == "upper" else log_above)(1 / ratio, LOG_DIGITS)
    return (log_above if side == "upper" else log_below)(ratio, LOG_DIGITS)


def _on_grid(pairs: Sequence[tuple[Exact, Exact]], step: Fraction, pessimistic: bool) -> tuple[dict[int, float], float]:
    """Multiple of the step → mass, and the mass of what the other state never shows; rounded up, or down."""
    side: Literal["upper", "lower"] = "upper" if pessimistic else "lower"
    masses: dict[int, Exact] = defaultdict(Fraction)
    never: Exact = Fraction(0)
    for mass, other in pairs:
        if not other:
            never = never + mass
        else:
            loss = _log(mass / other, side) / step
            at = math.ceil(loss) if pessimistic else math.floor(loss)
            masses[at] = masses[at] + mass
    return {at: outward_probability(mass, side) for at, mass in masses.items()}, outward_probability(never, side)


def _draw(lower: Exact, upper: Exact) -> tuple[float, float]:
    """Both bounds as floats on their sides."""
    return outward_probability(lower, "lower"), outward_probability(upper, "upper")


def _within(least: Fraction, largest: Fraction) -> tuple[float, float]:
    """What some chain has at most, and what some has at least, as floats on their sides."""
    return outward_probability(least, "upper"), outward_probability(largest, "lower")


def _log_ratio(x: Exact, y: Exact) -> float:
    """The float next to ln(x/y)."""
    size = outward_float(log_below(round_to_side(max(x / y, y / x), "lower"), LOG_DIGITS)) or 0.0
    return size if x >= y else -size
