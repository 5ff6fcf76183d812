"""`Guess`: how well someone who watches can guess a secret, beside how well without watching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...certificate.checked import NOT_ASKED, Checked
from ...errors import InputError
from ...model.words import written_word
from ...numbers import ball
from ...results.numbers import exact_text, exactly, json_bounds, json_number, outward, round_to_side
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import Fields, Paragraph, ProvedValue, Section, Table
from ...results.text import csv_text, list_first

if TYPE_CHECKING:
    from ...beliefs.graph.plans import FixedPlan
    from ...certificate.claims import Evidence
    from ...numbers.field import Exact


@dataclass(frozen=True, repr=False)
class Guess(Scoped, ProvedValue):
    """lower ≤ the expected gain of the best guess from the outputs ≤ upper. A value.

    Attributes:
        secrets: the start states, by name.
        prior: how likely each is beforehand.
        lower: a lower bound; of a chance to be right, where there is no table of gains.
        upper: an upper bound.
        before: the best without any output.
        spread: (lower, upper) of Σ over outcomes of the largest probability that a secret gives it.
        actions: the guesses of a table of gains; empty where secrets are named.
        guesses: how many secrets may be named.
        gains: the table of gains, an action a row, if there is one.
        strategy: what to ask after what was seen, and what to guess in the end, where the observer asks.
        plan: the best plan of questions that are decided in advance, if one was asked for.
        channel: the reduced channel, an outcome a row, a secret a column, if it was asked for.
        nodes: beliefs that were met.
        scope: at which confidence, where rows come from counts that leave a single chain.
        checked: what the checker said of the certificate.
    """

    secrets: tuple[str, ...]
    prior: tuple[Fraction, ...]
    lower: Exact
    upper: Exact
    before: Fraction
    spread: tuple[Exact, Exact]
    actions: tuple[str, ...] = ()
    guesses: int = 1
    gains: tuple[tuple[Fraction, ...], ...] | None = None
    strategy: tuple[tuple[tuple[str, ...], str], ...] = ()
    plan: FixedPlan | None = None
    channel: tuple[tuple[Exact, ...], ...] | None = None
    nodes: int = 0
    scope: Scope = ALONE
    checked: Checked = field(default=NOT_ASKED, compare=False)
    _proof: Evidence | None = field(default=None, compare=False)

    @property
    def exact(self) -> bool:
        """Whether the value is known exactly."""
        return bool(self.lower == self.upper)

    @property
    def leakage(self) -> tuple[Exact, Exact]:
        """(lower, upper) of the multiplicative leakage: the value after watching over that without."""
        if not self.before:
            raise InputError("leakage: without watching nothing can be gained, so that there is no ratio")
        return self.lower / self.before, self.upper / self.before

    @property
    def capacity(self) -> tuple[Fraction, Fraction]:
        """(lower, upper) of the min-capacity in bits: the largest leakage over all priors and gains, as a logarithm."""
        low, _ = ball.log(round_to_side(self.spread[0], "lower"), 80)
        _, high = ball.log(round_to_side(self.spread[1], "upper"), 80)
        two = ball.log(Fraction(2), 80)
        return max(low / two[1], Fraction(0)), max(high / two[0], Fraction(0))

    @property
    def headline(self) -> str:
        """What watching is worth, in words."""
        without, after = exactly(self.before), self._after()
        trust = f"{self.scope.trust[1:]}: " if self.scope.trust else ""
        if self.actions:
            said = f"an attacker who watches gains {after}; without watching {without}"
            return f"{trust}{said}; {self.checked}{self.scope.aside}"
        which = "the secret" if self.guesses == 1 else f"the secret in {self.guesses} guesses"
        said = f"an attacker who watches guesses {which} with probability {after}; without watching {without}"
        return f"{trust}{said}; {self.checked}{self.scope.aside}"

    def _after(self) -> str:
        return exactly(self.upper) if self.exact else f"from {_between(self.lower, self.upper)}"

    @property
    def _asked(self) -> str:
        return f"{len(self.secrets)} secrets"

    def sections(self) -> Sequence[Section]:
        """Leakages, and the strategy where the observer asks."""
        low, high = outward(self.capacity[0], "lower"), outward(self.capacity[1], "upper")
        rows = [("secrets", list_first(self.secrets)), ("before watching", exactly(self.before))]
        if self.before:
            least, most = self.leakage
            rows.append(("multiplicative leakage", _between(least, most)))
        rows.append(("min-capacity", f"{low} bits" if low == high else f"{low} to {high} bits"))
        rows += self._plan()
        rows.append(("proof", str(self.checked)))
        found: list[Section] = [Fields(rows)]
        if self.strategy:
            lines = [[written_word(word), told] for word, told in self.strategy]
            found.append(Table(["after", "do"], lines, "the best strategy:"))
        if not self.exact:
            found.append(Paragraph("Beliefs did not end: more of them, by --max-nodes, narrow the interval."))
        return found

    def _plan(self) -> list[tuple[str, str]]:
        """The plan, beside as many adaptive questions."""
        if self.plan is None:
            return []
        plan, count = self.plan, self.plan.questions
        worth = _between(plan.lower, plan.upper)
        return [
            (f"best plan of {count}", f"{worth}: {', '.join(plan.inputs) or 'nothing'}"),
            (f"{count}, each chosen after the answers", _between(plan.adaptive_lower, plan.adaptive_upper)),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The keys of its own of ``deltachain guess --json``; exact numbers as text."""
        body: dict[str, Any] = {
            "secrets": list(self.secrets),
            "prior": [json_number(p) for p in self.prior],
            **json_bounds(self.lower, self.upper),
            "exact": self.exact,
            "checked": self.checked.accepted,
            "guesses": self.guesses,
            "before": json_number(self.before),
            "leakage": json_bounds(*self.leakage) if self.before else None,
            "capacity": json_bounds(*self.capacity),
            "nodes": self.nodes,
            **self.scope.keys(),
        }
        if self.actions:
            body["actions"] = list(self.actions)
        if self.strategy:
            body["strategy"] = [{"after": list(word), "do": told} for word, told in self.strategy]
        if self.plan is not None:
            body["plan"] = {
                "questions": self.plan.questions,
                "inputs": list(self.plan.inputs),
                **json_bounds(self.plan.lower, self.plan.upper),
                "adaptive": json_bounds(self.plan.adaptive_lower, self.plan.adaptive_upper),
            }
        return body

    def channel_csv(self) -> str:
        """The reduced channel as CSV: for each outcome its exact probability from every secret."""
        if self.channel is None:
            raise InputError(
                "channel: it is known where beliefs end and the observer chooses no inputs; raise max_nodes"
            )
        rows = [[exact_text(chance) for chance in row] for row in self.channel]
        return csv_text(["outcome", *self.secrets], [[str(k), *row] for k, row in enumerate(rows, 1)])


def _between(lower: Exact, upper: Exact) -> str:
    """The number, or its bounds, rounded outward."""
    return exactly(upper) if lower == upper else f"{outward(lower, 'lower')} to {outward(upper, 'upper')}"
