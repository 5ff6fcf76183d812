"""`Delta`: certified intervals for the smallest δ, pair by pair; `Verdict`: measured against a δ that is allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from ...certificate.checked import NOT_ASKED, Checked
from ...errors import require_possible
from ...numbers.fraction import ExpEpsilon
from ...results.numbers import (
    asked_at,
    beside,
    epsilon_fields,
    exactly,
    interval,
    json_bounds,
    json_number,
    outward,
    value_of,
)
from ...results.scope import ALONE, ONLY_THESE, Covered, Covering, Scope, Scoped
from ...results.sections import SHOWN_ROWS, Fields, Paragraph, ProvedValue, Rendered, Section, Table
from ...results.text import LONGEST_NAME, name_pair, shown_name
from .witness import plan_body, witness_body, witness_sections

if TYPE_CHECKING:
    from ...beliefs.graph.plans import FixedPlan
    from ...beliefs.question import StopReason
    from ...beliefs.witness import Witness
    from ...certificate.claims import Evidence
    from ...model import Chain
    from ...numbers.field import Exact

SHOWN_INPUTS = 12
"""Inputs of a plan that are shown; the JSON has all."""

ENDED = {
    "finished": "complete",
    "gap": "the interval is narrow enough; a smaller `gap` narrows it further",
    "letters": "complete; the rest is in how many labels stand for a tail, and no more numbers get labels of their own",
    "nodes": "the search budget is spent; raise `max_nodes`",
    "time": "time limit reached; raise `timeout`",
    "interrupted": "interrupted",
}
"""Why a search ended, and what would take it further."""
ROUNDED = "complete; only rounding is left"
LIMITS_OPEN = "complete; the rest is what the limits leave open"
CUT_OFF = "complete; noise is cut off, up to {} per row: a smaller tail= in the program narrows the interval"


VerdictName = Literal["private", "violated", "violated by some", "undecided"]
SHOWN_OF_MANY = 10
"""Pairs of a whole domain that are listed."""
WORST: tuple[VerdictName, ...] = ("violated", "violated by some", "undecided", "private")
"""The verdict over pairs is the first of these that one of them has."""


@dataclass(frozen=True, slots=True)
class PairInterval:
    """lower ≤ δ ≤ upper for one pair of states, by name."""

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    value: Exact | None = field(default=None, kw_only=True)
    """δ itself, where it is known exactly."""

    def __post_init__(self) -> None:
        require_possible(self.lower, self.upper)

    @property
    def exact(self) -> bool:
        """Whether δ is known exactly."""
        return self.value is not None or self.lower == self.upper

    @property
    def bounds(self) -> tuple[Exact, Exact]:
        """The two bounds: δ itself twice, where it is known exactly."""
        return (self.lower, self.upper) if self.value is None else (self.value, self.value)


OfPair = TypeVar("OfPair", bound=PairInterval)


class OverPairs(Covering, Rendered, Generic[OfPair]):
    """A result with intervals for δ, pair by pair, in ``results``."""

    results: tuple[OfPair, ...]

    @property
    def lower(self) -> Fraction:
        """A lower bound for the worst pair's δ."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Fraction:
        """An upper bound for every pair's δ."""
        return max(result.upper for result in self.results)

    @property
    def worst(self) -> OfPair:
        """The pair with the largest lower bound; where none is above 0, the one with the largest upper bound."""
        return max(self.results, key=lambda result: (result.lower, result.upper))

    @property
    def bounds(self) -> tuple[Exact, Exact]:
        """What every pair's δ is at most, and some pair's at least: exact numbers where they are known."""
        low, high = zip(*(result.bounds for result in self.results), strict=True)
        return max(low), max(high)

    @property
    def _compared(self) -> Sequence[tuple[str, str]]:
        return [result.pair for result in self.results]

    def _interval(self) -> str:
        """The interval over all pairs, and of which; the formula, where δ is a function of e."""
        if len(self.results) == 1:
            return interval(f"δ{name_pair(self.results[0].pair, LONGEST_NAME)}", *self.bounds)
        return f"{interval('δ', *self.bounds)} over {len(self.results)} pairs"

    def _pairs(self, header: Sequence[str], cells: Callable[[OfPair], Sequence[str]]) -> list[Section]:
        """A table of the pairs, of many the worst ones; none for a single pair."""
        if len(self.results) == 1:
            return []
        shown: Sequence[OfPair] = self.results
        more = ""
        if len(self.results) > SHOWN_ROWS:
            shown = sorted(self.results, key=lambda r: (r.lower, r.upper), reverse=True)[:SHOWN_OF_MANY]
            more = f"… the {len(shown)} worst of {len(self.results):,} pairs; `to_dict()` lists all"
        return [Table(("pair", *header), [(name_pair(r.pair), *cells(r)) for r in shown], more=more)]


@dataclass(frozen=True, slots=True)
class Within:
    """Single chains inside the limits of an uncertain model, for one pair.

    Attributes:
        centre_lower: a lower bound of δ of the chain in the middle.
        centre_upper: an upper bound of it.
        lower: some chain inside has a δ of at most this.
        upper: some chain inside has a δ of at least this.
    """

    centre_lower: Fraction
    centre_upper: Fraction
    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, slots=True)
class PairDelta(PairInterval):
    """The certified interval of one pair: lower ≤ δ ≤ upper.

    Attributes:
        pair: the names of the two states.
        lower: a lower bound of δ.
        upper: an upper bound of δ.
        method: how it was found.
        stopped: why the search ended: ``"finished"``, ``"gap"`` (narrow enough, or the verdict is known),
            ``"nodes"``, ``"time"`` or ``"interrupted"``.
        nodes: the number of beliefs that were met.
        within: what is known of single chains, where rows are known within limits only.
    """

    method: str
    stopped: StopReason
    nodes: int
    within: Within | None = None


@dataclass(frozen=True, repr=False)
class Delta(Scoped, OverPairs[PairDelta], ProvedValue):
    """Certified intervals for the smallest δ, pair by pair; ``lower`` and ``upper`` are those of the worst pair.

    Bounds hold at e^ε. Where rows are rational, upper ones are proved at ``exp_epsilon.below`` ≤ e^ε and lower ones at
    ``exp_epsilon.above`` ≥ e^ε; where they are functions of e^(1/k), both at e^ε itself, and nowhere else.
    A value: it prints, compares, hashes and pickles; its proof is `certificate`.

    Attributes:
        exp_epsilon: the e^ε that was asked for.
        results: every pair, in the order asked; ``found.to_dict()["results"]`` makes a DataFrame of them.
        plans: the best plan of questions decided in advance for each of the results, where ``fixed`` asked for them.
        scope: of how many independent runs it is (of more than one there is no certificate and no witness), beside
            which models, whether it is about every chain within limits, and at which confidence.
        extremes: of each pair the chain with the largest δ that was found within the limits, where there are any.
        checked: what the checker said of the certificate, before anything was printed.
        inputs: how the pairs were chosen; `covers` says it.
        searches: how many searches there were; pairs that lead to the same belief pairs, or merged states, are one.
        witness: the distinguishing event of the worst pair, by its most revealing outputs; None without a difference.
        explanation: why the worst pair's δ is what it is, where that can be said without a table of words.
        acyclic: whether the runs end: then a search that was cut off was one of a long chain.
        outside: the most that a row leaves out of the model, where noise is cut off.
    """

    exp_epsilon: ExpEpsilon
    results: tuple[PairDelta, ...]
    _proof: Evidence | None = field(compare=False)
    plans: tuple[FixedPlan, ...] = field(default=(), kw_only=True)
    scope: Scope = field(default=ALONE, kw_only=True)
    extremes: tuple[Chain, ...] = field(default=(), kw_only=True, compare=False)
    checked: Checked = field(default=NOT_ASKED, kw_only=True, compare=False)
    inputs: Covered = field(default=ONLY_THESE, kw_only=True)
    searches: int = field(default=0, kw_only=True, compare=False)
    witness: Witness | None = field(default=None, kw_only=True, compare=False)
    explanation: str | None = field(default=None, kw_only=True, compare=False)
    acyclic: bool = field(default=True, kw_only=True, compare=False)
    outside: Fraction = field(default=Fraction(0), kw_only=True, compare=False)

    @property
    def exact(self) -> bool:
        """Whether δ over all pairs is known exactly."""
        low, high = self.bounds
        return low == high

    @property
    def value(self) -> Exact | None:
        """δ of the worst pair, where it is known exactly: a Fraction, or a function of e."""
        low, high = self.bounds
        return low if low == high else None

    @property
    def nodes(self) -> int:
        """The number of beliefs that were met, over all pairs."""
        return sum(result.nodes for result in self.results)

    @property
    def interrupted(self) -> bool:
        """Whether the time limit was reached, or Ctrl-C was pressed, before the search was over."""
        return any(result.stopped in ("time", "interrupted") for result in self.results)

    @property
    def covered(self) -> dict[str, Any]:
        """The inputs as plain data: how many pairs of how many secrets, and by how many searches."""
        return super().covered | {"searches": self.searches}

    @property
    def _by_searches(self) -> str:
        return "" if not self.searches else f", by {self.searches:,} search{'' if self.searches == 1 else 'es'}"

    @property
    def _asked(self) -> str:
        return asked_at(self.exp_epsilon)

    @property
    def headline(self) -> str:
        """The interval over all pairs, and whether it is exact; over which chains, where there are several."""
        how = "exact" if self.exact else "certified"
        return f"{self._interval()}{self.scope.everywhere}, {how}{self.scope.trust}{self.scope.runs}{self.scope.aside}"

    def sections(self) -> Sequence[Section]:
        """How the interval was found, every pair, and the witness or a reason."""
        rows = [*epsilon_fields(self.exp_epsilon), *self._fields()]
        if len(self.results) > 1:
            rows.append(("worst pair", name_pair(self.worst.pair)))
            rows.append(
                ("covered", f"{len(self.results):,} pairs of {self.states_covered:,} states{self._by_searches}")
            )
        if self.inputs.copies:
            rows.append(("translates", f"{self.inputs.copies:,} more pairs, of each of which the same holds"))
        if not self.exact:
            rows.append(("width", outward(self.upper - self.lower, "upper", 3)))
            rows.append(("search", self.ended))
            if not self.uncertain and self.acyclic and self._limiting.stopped not in ("finished", "gap"):
                rows.append(
                    ("advice", "if the model repeats one run K times, a profile of that run with `repeat` bounds it")
                )
        methods = "; ".join(dict.fromkeys(result.method for result in self.results))
        nodes = "1 belief pair" if self.nodes == 1 else f"{self.nodes:,} belief pairs"
        rows.append(("method", methods + (f" ({nodes})" if self.nodes else "")))
        # Certificates claim bounds of δ; what is said of single chains and of questions in advance is beside them.
        beside = self.checked.accepted and (self.plans or self.worst.within is not None)
        rows.append(("proof", f"{self.checked}: the bounds on δ alone" if beside else str(self.checked)))
        found: list[Section] = [Fields(rows)]
        # What gives the worst pair away comes before the other pairs, of which there may be many.
        if self.explanation is not None:
            found.append(Paragraph(self.explanation))
        elif self._shows_witness and self.witness is not None:
            found += witness_sections(self.witness, exact=self.exact)
        return [*found, *self._table()]

    @property
    def _limiting(self) -> PairDelta:
        """The pair whose upper bound is that of all of them: why no more is known."""
        return max(self.results, key=lambda result: (result.upper, result.lower))

    @property
    def ended(self) -> str:
        """Why the search ended where most is left open, and what would take it further."""
        if self.scope.runs and self._limiting.stopped == "gap":
            return "the losses are composed as finely as they can be"
        if self.uncertain and self._limiting.stopped in ("nodes", "gap"):
            return "the rest is what the limits leave open, or the search budget is spent"
        if self._limiting.stopped == "finished" and not self._limiting.exact:
            cut_off = CUT_OFF.format(outward(self.outside, "upper", 2)) if self.outside else ROUNDED
            return LIMITS_OPEN if self.uncertain else cut_off
        return ENDED[self._limiting.stopped]

    def _fields(self) -> Iterator[tuple[str, str]]:
        """Single chains inside limits; and what questions decided in advance gain beside as many adaptive ones."""
        within = self.worst.within
        if within is not None:
            yield "chain in the middle", value_of(within.centre_lower, within.centre_upper)
            found = f"some reach {outward(within.lower, 'upper')}, some {outward(within.upper, 'lower')}"
            yield "chains found inside", found
        if not self.plans:
            return
        # Over all pairs, as δ is: the best plan may be against one of them, and the best questions against another.
        plan = max(self.plans, key=lambda plan: (plan.lower, plan.upper))
        upper = max(each.upper for each in self.plans)
        adaptive = max(each.adaptive_lower for each in self.plans), max(each.adaptive_upper for each in self.plans)
        asked = ", ".join(shown_name(name) for name in plan.inputs[:SHOWN_INPUTS]) or "nothing"
        asked += f", … ({len(plan.inputs)} in all)" if len(plan.inputs) > SHOWN_INPUTS else ""
        yield f"{plan.questions} decided in advance", f"{value_of(plan.lower, upper)}, by asking {asked}"
        yield f"{plan.questions} asked adaptively", value_of(*adaptive)
        least, most = adaptive[0] - upper, adaptive[1] - plan.lower
        yield "adaptivity buys", value_of(max(least, Fraction(0)), most)

    @property
    def _shows_witness(self) -> bool:
        return True

    def _table(self) -> list[Section]:
        return self._pairs(("δ", "method"), lambda r: (value_of(*r.bounds), r.method))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain delta --json``; exact numbers as text."""
        body: dict[str, Any] = {
            **json_bounds(self.lower, self.upper),
            "exact": self.exact,
            "checked": self.checked.accepted,
            **({} if self.checked.pair is None else {"checked_pair": list(self.checked.pair)}),
            "covers": self.covered,
            "results": [self.entry(result) for result in self.results],
            "witness": witness_body(self.witness),
        }
        body |= self.scope.keys()
        if self.plans:
            plans = zip(self.results, self.plans, strict=True)
            body["fixed"] = [{"pair": list(result.pair)} | plan_body(plan) for result, plan in plans]
        return body

    def entry(self, result: PairDelta) -> dict[str, Any]:
        """One of ``results`` as plain data."""
        return delta_entry(result)


def delta_entry(result: PairDelta) -> dict[str, Any]:
    """A pair and its bounds as plain data."""
    entry = {
        "pair": list(result.pair),
        **json_bounds(result.lower, result.upper),
        "exact": result.exact,
        **({} if isinstance(result.value, Fraction | None) else {"value": json_number(result.value)}),
        "nodes": result.nodes,
        "method": result.method,
        "stopped": result.stopped,
    }
    within = result.within
    if within is None:
        return entry
    # Some chain has at most ``lower``, another at least ``upper``: each is rounded towards what it says.
    inside = {"lower": json_number(within.lower, "upper"), "upper": json_number(within.upper, "lower")}
    return entry | {"centre": json_bounds(within.centre_lower, within.centre_upper), "inside": inside}


@dataclass(frozen=True, repr=False)
class Verdict(Delta):
    """A `Delta` measured against a δ that is allowed. It is true, as a condition, if the verdict is "private".

    Attributes:
        allowed: the δ that is allowed.
    """

    allowed: Fraction

    def verdict_of(self, result: PairDelta) -> VerdictName:
        """The verdict on one pair."""
        low, high = result.bounds
        if high <= self.allowed:
            return "private"
        if low > self.allowed:
            return "violated"
        by_some = result.within is not None and result.within.upper > self.allowed
        return "violated by some" if by_some else "undecided"

    @property
    def verdict(self) -> VerdictName:
        """``"private"``: proved for all pairs; ``"violated"``: refuted for one, see `witness`; else ``"undecided"``.

        Where rows are known within limits, these are about every chain inside; ``"violated by some"`` is about one that
        was found, see `counterexample`.
        """
        verdicts = {self.verdict_of(result) for result in self.results}
        found: VerdictName = next(verdict for verdict in WORST if verdict in verdicts)
        # Of a domain of which some pairs were drawn nothing is proved but what these violate.
        return "undecided" if found == "private" and self.inputs.drawn else found

    @property
    def counterexample(self) -> Chain | None:
        """A chain within the limits whose δ is above what is allowed, where that was found for a pair."""
        for result, chain in zip(self.results, self.extremes, strict=False):
            if result.within is not None and result.within.upper > self.allowed:
                return chain
        return None

    def __bool__(self) -> bool:
        return self.verdict == "private"

    @property
    def headline(self) -> str:
        """The verdict, what is proved, and what is allowed, with the digits that tell the two apart."""
        return self._spoken + self.scope.unseen

    @property
    def _spoken(self) -> str:
        limit, code = beside(self.allowed, "upper", self.allowed), self.scope.confirmed
        proved = f"proved{self.scope.trust}, {self.checked}"
        if self.verdict == "private":
            most = beside(self.upper, "upper", self.allowed)
            return f"PRIVATE{code}: {proved}, δ ≤ {most}{self.scope.runs} {self.covers}; {limit} is allowed"
        if self.verdict == "violated":
            least = beside(self.worst.lower, "lower", self.allowed)
            pair = name_pair(self.worst.pair, LONGEST_NAME) + self.scope.everywhere
            return f"VIOLATED{code}: {proved}, δ ≥ {least} for {pair}{self.scope.runs}; only {limit} is allowed"
        if self.inputs.drawn and self.upper <= self.allowed:
            among = f"no violation among {len(self.results):,} drawn pairs of {self.inputs.secrets or 0:,} secrets"
            return f"UNDECIDED{code}: {among}; other pairs were not examined; {limit} is allowed"
        proved = f"only {interval('δ', *self.bounds)}{self.scope.runs} is {proved}, {self.covers}"
        if self.verdict == "violated by some":
            reached = max(result.within.upper for result in self.results if result.within is not None)
            most = beside(reached, "lower", self.allowed)
            said = f"VIOLATED by at least one chain consistent with the limits, δ ≥ {most}"
            return f"{said}; {proved}; only {limit} is allowed"
        return f"UNDECIDED{code}: {proved}; {limit} is allowed{self._tie}"

    @property
    def _tie(self) -> str:
        """What is proved instead of δ = 0 where nothing is left to search, and why it is not δ = 0."""
        if self.allowed or self.lower or self.uncertain or self.inputs.drawn or self._limiting.stopped != "finished":
            return ""
        why = "noise is cut off" if self.outside else "probabilities are rounded"
        return f"; private for every δ ≥ {outward(self.upper, 'upper')}: where {why}, no smaller δ can be proved"

    def _fields(self) -> Iterator[tuple[str, str]]:
        yield "δ allowed", exactly(self.allowed)
        counted = Counter(map(self.verdict_of, self.results))
        if len(counted) > 1:
            yield "verdicts", ", ".join(f"{counted[each]:,} {each}" for each in WORST if each in counted)
        yield from super()._fields()

    @property
    def ended(self) -> str:
        """As of `Delta`; the verdict may be known sooner than the number."""
        known = self._limiting.stopped == "gap" and self.verdict != "undecided"
        return "the verdict is known" if known else super().ended

    @property
    def _shows_witness(self) -> bool:
        return self.verdict != "private"

    def _table(self) -> list[Section]:
        header = ("δ", "method", "verdict")
        return self._pairs(header, lambda r: (value_of(*r.bounds), r.method, self.verdict_of(r)))

    def to_dict(self) -> dict[str, Any]:
        """As `Delta.to_dict`, with ``verdict`` and ``delta``, the one allowed."""
        body = {"verdict": self.verdict, "delta": json_number(self.allowed)} | super().to_dict()
        # The upper bound is one of the pairs drawn, not of the domain that was asked about.
        return body | {"upper": None, "exact": False} if self.inputs.drawn else body

    def entry(self, result: PairDelta) -> dict[str, Any]:
        """One of ``results`` as plain data, with its verdict."""
        return super().entry(result) | {"verdict": self.verdict_of(result)}
