"""`Divergence`: one number for how far what is seen from one state is from what is seen from another; `Tradeoff`.

Both are about a direction, first against second; of a profile the worst direction of the worst pair counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from deltachain_checker.measures import MOST_ORDER, MOST_ROOT

from ...certificate.checked import Checked
from ...certificate.claims import Claim
from ...numbers.field import Exact
from ...numbers.fraction import format_fraction
from ...results.numbers import (
    SHORT_FRACTION,
    decimal,
    equation,
    exact_text,
    exactly,
    json_number,
    outward,
    outward_float,
    outward_probability,
)
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import Rendered, Section, Table
from ...results.text import csv_text, name_pair

DivergenceName = Literal["renyi", "kl", "zcdp"]
PLACES = 9
"""Significant digits that are shown: enough to compare with an accountant's."""
LATER = Checked(False, "not asked for with the profile")
TOO_FINE = Checked(None, f"the checker takes orders p/q with p ≤ {MOST_ORDER} and q ≤ {MOST_ROOT}")
BY_THEOREM = Checked(None, "from above it rests on a theorem about discrete Gaussians that the checker does not verify")
NO_RULE = Checked(None, "the checker has no rule for ρ")
FROM_BOUNDS = Checked(None, "it follows from bounds on δ, each with a certificate of its own")


def checkable(order: Fraction | None) -> bool:
    """Whether the checker takes a Rényi order, if it is one."""
    return order is None or (order.numerator <= MOST_ORDER and order.denominator <= MOST_ROOT)


@dataclass(frozen=True, repr=False)
class Divergence(Scoped, Rendered):
    """lower ≤ the divergence ≤ upper, of the first state of ``pair`` against the second. A value.

    Attributes:
        measure: ``renyi``, ``kl`` (Kullback–Leibler, the limit at order 1), or ``zcdp`` (the least ρ).
        pair: the direction: (first, second).
        lower: a lower bound; None if it is infinite.
        upper: an upper bound; None if there is none.
        infinite: whether it is proved to be infinite.
        order: the Rényi order.
        moment: e^((order − 1)·D), exactly, where it is known.
        alone: the probability, from the first state, of what the second never shows: why it is infinite.
        reason: why there is no upper bound, where it is not known to be infinite.
        scope: of how many independent runs it is, beside which models, over which limits, at which confidence.
        checked: what the checker said of its certificate.
        lower_pair: of the largest over several directions: the one whose lower bound it has, where ``pair``, whose
            upper bound it has, is another.
    """

    measure: DivergenceName
    pair: tuple[str, str]
    lower: Fraction | None
    upper: Fraction | None
    infinite: bool = False
    order: Fraction | None = None
    moment: Exact | None = None
    alone: Exact | None = None
    reason: str = ""
    scope: Scope = ALONE
    checked: Checked = field(default=LATER, compare=False)
    lower_pair: tuple[str, str] | None = None

    @property
    def claim(self) -> Claim | None:
        """What a certificate claims of it; None if there is no rule for it."""
        if self.measure == "zcdp" or (self.upper is None and not self.infinite) or not checkable(self.order):
            return None
        terms: dict[str, Any] = {} if self.order is None else {"order": self.order}
        made = Claim(measure=self.measure, subject=self.pair, terms=terms)
        if self.infinite:
            return replace(made, infinite=True)
        if self.moment is not None:
            terms["moment"] = self.moment
        return replace(made, lower=self.lower or Fraction(0), upper=self.upper)

    def accept(self, claim: Claim, checked: Checked) -> Divergence:
        """The same, with the bounds of a claim, and what the checker said of it."""
        return replace(self, lower=claim.lower, upper=claim.upper, checked=checked)

    @property
    def name(self) -> str:
        """D of its order, KL, or ρ."""
        if self.measure == "renyi":
            return f"D_{format_fraction(self.order or 0)}"
        return "KL" if self.measure == "kl" else "ρ of zCDP"

    @property
    def headline(self) -> str:
        """Its bounds, and whose they are."""
        whose = name_pair(self.pair)
        if self.lower_pair is not None:
            whose = f"the worst direction, at least as of {name_pair(self.lower_pair)} and at most as of {whose}"
        where = f"{whose}, first against second{self.scope.everywhere}{self.scope.trust}{self.scope.runs}"
        if self.infinite:
            shown = f": {self.reason}" if self.reason else ""
            if self.alone is not None:
                shown = f": the second never shows what the first does with {self._see()}"
            return f"{self.name} = ∞ of {where}{shown}; {self.checked}{self.scope.confirmed}"
        return f"{self._bounds()} of {where}; {self.checked}{self.scope.confirmed}"

    def _see(self) -> str:
        return f"probability {exactly(self.alone or Fraction(0))}"

    def _bounds(self) -> str:
        low = "0" if self.lower is None else outward(self.lower, "lower", PLACES)
        if self.upper is None:
            return f"{low} ≤ {self.name}, no upper bound: {self.reason}"
        moment = "" if self.moment is None else f" ({self._moment()})"
        if self.lower == self.upper:
            return f"{equation(self.name, self.upper)}{moment}"
        return f"{low} ≤ {self.name} ≤ {outward(self.upper, 'upper', PLACES)}{moment}"

    def _moment(self) -> str:
        """E to the divergence, times order − 1, exactly where that is short."""
        times, moment = (self.order or Fraction(2)) - 1, self.moment or Fraction(1)
        power = self.name if times == 1 else f"({format_fraction(times)}·{self.name})"
        exact, shown = exact_text(moment), decimal(moment)
        shown = shown if shown.startswith("≈") else f"= {shown}"
        return f"e^{power} {shown}" if len(exact) > SHORT_FRACTION else f"e^{power} = {exact} {shown}"

    def to_dict(self) -> dict[str, Any]:
        """The keys of an entry of ``deltachain profile --orders --json``; exact numbers as text."""
        entry: dict[str, Any] = {"pair": list(self.pair)}
        if self.lower_pair is not None:
            entry["lower_pair"] = list(self.lower_pair)
        if self.order is not None:
            entry["order"] = json_number(self.order)
        entry |= {
            "lower": None if self.lower is None else json_number(self.lower, "lower"),
            "upper": None if self.upper is None else json_number(self.upper, "upper"),
            "infinite": self.infinite,
            "checked": self.checked.accepted,
        }
        if self.moment is not None:
            entry["moment"] = json_number(self.moment)
        if self.alone is not None:
            entry["outcome"] = {"first": json_number(self.alone), "second": json_number(0)}
        return entry | ({"reason": self.reason} if self.reason else {})

    @property
    def height(self) -> tuple[bool, bool, Fraction]:
        """What orders divergences by their upper bounds: infinite ones last, before them those without a bound."""
        return self.infinite, self.upper is None, self.upper or self.lower or Fraction(0)


def worst(found: Sequence[Divergence]) -> Divergence:
    """The largest of several, named by where its upper bound is; its lower bound is the largest of all."""
    top = max(found, key=lambda each: each.height)
    if top.infinite:
        return top
    lowest = max(found, key=lambda each: each.lower or Fraction(0))
    if (lowest.lower or Fraction(0)) <= (top.lower or Fraction(0)):
        return top
    said = next((each.checked for each in found if not each.checked.accepted), top.checked)
    return replace(top, lower=lowest.lower, lower_pair=lowest.pair, moment=None, checked=said)


def bound_by_concentration(found: Divergence, rho: Fraction | None) -> Divergence:
    """The divergence, at most a·ρ of order a where that is known by a theorem; KL is at most that of order 1."""
    most = None if rho is None else rho * (found.order if found.measure == "renyi" and found.order else 1)
    if most is None or (found.upper is not None and found.upper <= most):
        return found
    lower = Fraction(0) if found.lower is None else found.lower
    return replace(found, lower=lower, upper=most, infinite=False, alone=None, reason="", checked=BY_THEOREM)


def bound_between(above: Divergence, below: Divergence) -> Divergence:
    """Of a mechanism between two labellings of a chain: from above as of the fine one, from below as of the coarse."""
    if above.infinite and below.infinite:
        return below
    least = Fraction(0) if below.lower is None else below.lower
    moment = above.moment if above.moment is not None and above.moment == below.moment else None
    reason = above.reason or ("letters that tell more than the numbers have no bound" if above.infinite else "")
    return replace(
        above,
        lower=least,
        infinite=False,
        moment=moment,
        alone=None,
        reason=reason if above.upper is None else "",
        checked=above.checked + below.checked,
    )


def divergence_entry(found: Sequence[Divergence]) -> dict[str, Any]:
    """The worst of the directions, and each of them, in a JSON document."""
    return worst(found).to_dict() | {"directions": [each.to_dict() for each in found]}


def divergence_table(found: Sequence[Divergence]) -> Section:
    """Divergences as a table, each direction a row."""
    rows = []
    for each in found:
        low, high = "∞" if each.infinite else "0", "∞"
        if each.lower is not None:
            low = outward(each.lower, "lower", PLACES)
        if each.upper is not None:
            high = outward(each.upper, "upper", PLACES)
        why = each.reason
        if each.alone is not None:
            why = f"seen from the first alone with {each._see()}"
        elif each.moment is not None:
            why = each._moment()
        rows.append([each.name, each.pair[0], each.pair[1], low, high, why, str(each.checked)])
    return Table(["measure", "of", "against", "at least", "at most", "", "proof"], rows)


def divergences_csv(found: Sequence[Divergence]) -> str:
    """(order, ε) pairs as CSV, each number with its side: ``lower`` is at most the divergence, ``upper`` at least.

    An order is 1 for KL, and empty for zCDP's ρ; infinite bounds are ``inf``.
    """
    rows = []
    for each in found:
        order = "1" if each.measure == "kl" else "" if each.order is None else format_fraction(each.order)
        low = "inf" if each.infinite else outward_float(each.lower or Fraction(0), "lower")
        high = "inf" if each.upper is None else outward_float(each.upper, "upper")
        moment = "" if each.moment is None else exact_text(each.moment)
        rows.append((each.measure, order, *each.pair, low, high, moment))
    return _scoped_csv(["measure", "order", "first", "second", "lower", "upper", "moment_exact"], rows, found)


def _scoped_csv(names: Sequence[str], rows: Sequence[Sequence[object]], scoped: Sequence[Scoped]) -> str:
    """The table with a column for the confidence of counts, where there are any, as the points of a profile have."""
    sure = next((each.confidence for each in scoped if each.confidence is not None), None)
    if sure is None:
        return csv_text(names, rows)
    return csv_text([*names, "confidence"], [(*row, format_fraction(sure)) for row in rows])


@dataclass(frozen=True, repr=False)
class Tradeoff(Scoped, Rendered):
    """The least false-negative rate of any test of the second state against the first, by its false-positive rate.

    It is convex, and a line between two corners: all that an observer can do, at every threshold (f-DP).

    Attributes:
        pair: (first, second): a false positive is to say "second" of a run from the first.
        corners: (false-positive rate, false-negative rate), by increasing first numbers, from (0, …) to (1, …).
        exact: whether some test attains it; otherwise no test is below.
        checked: what the checker said of its certificate.
        scope: of how many independent runs it is, beside which models, over which limits, at which confidence.
    """

    pair: tuple[str, str]
    corners: tuple[tuple[Exact, Exact], ...]
    exact: bool
    checked: Checked = field(default=LATER, compare=False)
    scope: Scope = ALONE

    @property
    def headline(self) -> str:
        """Whose it is, and how many corners it has."""
        kind = "exact" if self.exact else "a lower bound"
        kind += f"{self.scope.everywhere}{self.scope.trust}{self.scope.runs}"
        checked = f"{self.checked}{self.scope.confirmed}"
        return f"trade-off of {name_pair(self.pair)}, {kind}, {len(self.corners)} corners; {checked}"

    def at(self, rate: Fraction) -> Exact:
        """The least false-negative rate of a test with this false-positive rate, between 0 and 1; at least that."""
        before = [corner for corner in self.corners if corner[0] <= rate]
        after = [corner for corner in self.corners if corner[0] >= rate]
        (a, b), (c, d) = before[-1], after[0]
        return min(b, d) if a == c else b + (d - b) * (rate - a) / (c - a)

    def sections(self) -> Sequence[Section]:
        """The corners."""
        if self.exact:
            return [Table(["false positives", "false negatives"], [[exactly(a), exactly(b)] for a, b in self.corners])]
        # No test is below the line, which falls: both numbers may be smaller, and neither larger.
        rows = [[outward(a, "lower", PLACES), outward(b, "lower", PLACES)] for a, b in self.corners]
        return [Table(["false positives", "false negatives, at least"], rows)]

    def to_dict(self) -> dict[str, Any]:
        """As JSON; exact numbers as text."""
        corners = [
            {"false_positive": json_number(a, "lower"), "false_negative": json_number(b, "lower")}
            for a, b in self.corners
        ]
        checked = self.checked.accepted
        whole = {"pair": list(self.pair), "exact": self.exact, "checked": checked, "corners": corners}
        return whole | self.scope.keys()


def tradeoffs_csv(found: Sequence[Tradeoff]) -> str:
    """The corners as CSV. At ``false_positive`` no test has fewer false negatives than ``false_negative``.

    ``side`` is ``exact`` where a test attains the corner, ``lower`` where none is below. Floats are rounded down.
    """
    rows = [
        (
            *each.pair,
            outward_probability(a, "lower"),
            outward_probability(b, "lower"),
            "exact" if each.exact else "lower",
            exact_text(a),
            exact_text(b),
        )
        for each in found
        for a, b in each.corners
    ]
    names = ["first", "second", "false_positive", "false_negative", "side"]
    return _scoped_csv([*names, "false_positive_exact", "false_negative_exact"], rows, found)
