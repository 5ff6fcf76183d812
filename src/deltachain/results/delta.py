"""`Delta`: certified intervals for the smallest δ, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..rational import ExpEpsilon
from .numbers import asked_at, epsilon_fields, interval, json_number, outward, value_of
from .sections import SHOWN_ROWS, Fields, Paragraph, ProvedValue, Section, Table, rows_left_out
from .text import LONGEST_NAME, named, shown_name
from .witness import plan_body, witness_body, witness_sections

if TYPE_CHECKING:
    from ..beliefs.plans import FixedPlan
    from ..beliefs.proof import Answer
    from ..beliefs.question import StopReason
    from ..beliefs.witness import Witness
    from ..certificate.record import Certificate

SHOWN_INPUTS = 12
"""Inputs of a plan that are shown; the JSON has all."""

ENDED = {
    "exact": "nothing is left to find",
    "gap": "the interval is narrow enough; a smaller `gap` narrows it further",
    "nodes": "the budget of belief pairs is spent; raise `max_nodes`",
    "time": "time limit reached; raise `timeout`",
    "interrupted": "interrupted",
}
"""Why a search ended, and what would take it further."""


@dataclass(frozen=True, slots=True)
class PairDelta:
    """The certified interval of one pair: lower ≤ δ ≤ upper.

    Attributes:
        pair: the names of the two states.
        lower: a lower bound of δ.
        upper: an upper bound of δ.
        method: how it was found.
        stopped: why the search ended: ``"exact"``, ``"gap"`` (narrow enough, or the verdict is known), ``"nodes"``,
            ``"time"`` or ``"interrupted"``.
        nodes: the number of beliefs that were met.
    """

    pair: tuple[str, str]
    lower: Fraction
    upper: Fraction
    method: str
    stopped: StopReason
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether the interval is one number."""
        return self.lower == self.upper


@dataclass(frozen=True, repr=False)
class Delta(ProvedValue):
    """Certified intervals for the smallest δ, pair by pair; ``lower`` and ``upper`` are those of the worst pair.

    Upper bounds hold at ``exp_epsilon.below`` ≤ e^ε and lower bounds at ``exp_epsilon.above`` ≥ e^ε, hence at e^ε.
    A value: it prints, compares, hashes and pickles; its proof is `certificate`.

    Attributes:
        exp_epsilon: the e^ε that was asked for.
        results: every pair, in the order asked; ``found.to_dict()["results"]`` makes a DataFrame of them.
        plans: the best plan of questions decided in advance for each of the results, where ``fixed`` asked for them.
    """

    exp_epsilon: ExpEpsilon
    results: tuple[PairDelta, ...]
    _proof: Answer | None = field(compare=False)
    plans: tuple[FixedPlan, ...] = field(default=(), kw_only=True)

    PROVED = ("certificate", "witness", "_explanation", "_acyclic")

    @property
    def lower(self) -> Fraction:
        """A lower bound for the worst pair's δ, with a witness."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Fraction:
        """An upper bound for every pair's δ."""
        return max(result.upper for result in self.results)

    @property
    def exact(self) -> bool:
        """Whether δ over all pairs is known exactly."""
        return self.lower == self.upper

    @property
    def nodes(self) -> int:
        """The number of beliefs that were met, over all pairs."""
        return sum(result.nodes for result in self.results)

    @property
    def interrupted(self) -> bool:
        """Whether the time limit was reached, or Ctrl-C was pressed, before the search was over."""
        return any(result.stopped in ("time", "interrupted") for result in self.results)

    @property
    def worst(self) -> PairDelta:
        """The pair that the witness speaks of; where none differs, the one with the largest upper bound."""
        return max(self.results, key=lambda result: (result.lower, result.upper))

    @cached_property
    def witness(self) -> Witness | None:
        """The event that gives the worst pair away, by its most telling words; None if no difference was found."""
        return self._found(self._proof).worst.witness()

    @cached_property
    def certificate(self) -> Certificate:
        """The proof of both sides for every pair; see docs/certificate.md."""
        return self._found(self._proof).certificate()

    @cached_property
    def _explanation(self) -> str | None:
        """Why the worst pair's δ is what it is, where that can be said without a table of words."""
        return self._found(self._proof).worst.explain(shown_name)

    @cached_property
    def _acyclic(self) -> bool:
        """Whether the runs end: then a search that was cut off was one of a long chain."""
        work = self._found(self._proof).work
        return not work.alike or work.acyclic

    @property
    def _asked(self) -> str:
        return asked_at(self.exp_epsilon)

    @property
    def headline(self) -> str:
        """The interval over all pairs, and whether it is exact."""
        sure = "exact" if self.exact else "certified"
        if len(self.results) == 1:
            name = f"δ{named(self.results[0].pair, LONGEST_NAME)}"
            return f"{interval(name, self.lower, self.upper)}, {sure}"
        return f"{interval('δ', self.lower, self.upper)} over {len(self.results)} pairs, {sure}"

    def sections(self) -> Sequence[Section]:
        """How the interval was found, every pair, and the witness or a reason."""
        rows = [*epsilon_fields(self.exp_epsilon), *self._fields()]
        if len(self.results) > 1:
            rows.append(("worst pair", named(self.worst.pair)))
        if not self.exact:
            rows.append(("width", outward(self.upper - self.lower, "upper", 3)))
            rows.append(("ended", self._ended()))
            if self._acyclic and self.worst.stopped not in ("exact", "gap"):
                rows.append(
                    ("advice", "if the model repeats one run K times, a profile of that run with `repeat` bounds it")
                )
        methods = "; ".join(dict.fromkeys(result.method for result in self.results))
        nodes = "1 belief pair" if self.nodes == 1 else f"{self.nodes:,} belief pairs"
        rows.append(("method", methods + (f" ({nodes})" if self.nodes else "")))
        found: list[Section] = [Fields(rows)]
        if len(self.results) > 1:
            found.append(self._pairs())
        if self._explanation is not None:
            found.append(Paragraph(self._explanation))
        elif self._shows_witness and self.witness is not None:
            found += witness_sections(self.witness, exact=self.exact)
        return found

    def _ended(self) -> str:
        return ENDED[self.worst.stopped]

    def _fields(self) -> Iterator[tuple[str, str]]:
        """What questions decided in advance gain, beside as many adaptive ones; of the pair where they gain most."""
        if not self.plans:
            return
        plan = max(self.plans, key=lambda plan: (plan.lower, plan.upper))
        asked = ", ".join(shown_name(name) for name in plan.inputs[:SHOWN_INPUTS]) or "nothing"
        asked += f", … ({len(plan.inputs)} in all)" if len(plan.inputs) > SHOWN_INPUTS else ""
        yield f"{plan.questions} decided in advance", f"{value_of(plan.lower, plan.upper)}, by asking {asked}"
        yield f"{plan.questions} asked adaptively", value_of(plan.adaptive_lower, plan.adaptive_upper)
        least, most = plan.adaptive_lower - plan.upper, plan.adaptive_upper - plan.lower
        yield "adaptivity buys", value_of(max(least, Fraction(0)), most)

    @property
    def _shows_witness(self) -> bool:
        return True

    def _pairs(self) -> Table:
        shown = sorted(self.results, key=lambda r: (r.upper, r.lower), reverse=True)[:SHOWN_ROWS]
        if len(self.results) <= SHOWN_ROWS:
            shown = list(self.results)
        rows = [(named(r.pair), value_of(r.lower, r.upper), r.method, *self._cells(r)) for r in shown]
        return Table(("pair", "δ", "method", *self._columns()), rows, more=rows_left_out(len(self.results), len(shown)))

    def _columns(self) -> tuple[str, ...]:
        return ()

    def _cells(self, _result: PairDelta) -> tuple[str, ...]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain delta --json``; exact numbers as text."""
        body: dict[str, Any] = {
            "lower": json_number(self.lower, "lower"),
            "upper": json_number(self.upper, "upper"),
            "exact": self.exact,
            "results": [self.entry(result) for result in self.results],
            "witness": witness_body(self.witness),
        }
        if self.plans:
            plans = zip(self.results, self.plans, strict=True)
            body["fixed"] = [{"pair": list(result.pair)} | plan_body(plan) for result, plan in plans]
        return body

    def entry(self, result: PairDelta) -> dict[str, Any]:
        """One of ``results`` as plain data."""
        return {
            "pair": list(result.pair),
            "lower": json_number(result.lower, "lower"),
            "upper": json_number(result.upper, "upper"),
            "exact": result.exact,
            "nodes": result.nodes,
            "method": result.method,
            "stopped": result.stopped,
        }
