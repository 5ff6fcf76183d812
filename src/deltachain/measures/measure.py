"""A measure of pairs, as the trunk needs it: what finds its evidence, and how its value is read off an accepted claim.

All else is made here and is the same for every measure: the function that Python users call, the value that they hold,
its text and JSON, the check of its certificate, its command (`command`), and its row of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..asking import Inquiry, Pairs, StateName, cancel_scope, load_inquiry, make_inspection, names_of
from ..beliefs.question import Terms
from ..beliefs.workspace import Workspace
from ..certificate.checked import NOT_ASKED, Checked
from ..certificate.inspection import accepted_by
from ..errors import InputError
from ..numbers.fraction import ExpEpsilon
from ..parameters import Secrets
from ..results.numbers import asked_at, epsilon_fields, interval, json_bounds, value_of
from ..results.scope import ALONE, ONLY_THESE, Covered, Covering, Scope, Scoped
from ..results.sections import SHOWN_ROWS, Fields, ProvedValue, Section, Table
from ..results.text import LONGEST_NAME, name_pair
from ..settings import Settings

if TYPE_CHECKING:
    from ..beliefs.question import Question
    from ..cancel import Cancel, ProgressCallback
    from ..certificate.claims import Claim, Evidence
    from ..certificate.inspection import Inspection
    from ..cli.command import Verb
    from ..loading import AnyModel
    from ..numbers.field import Exact
    from ..numbers.fraction import Number
    from ..parameters import Neighbours


@dataclass(frozen=True, slots=True)
class PairValue:
    """lower ≤ the measure ≤ upper for one pair of states, by name."""

    pair: tuple[str, str]
    lower: Exact
    upper: Exact


@dataclass(frozen=True, repr=False)
class Measured(Scoped, Covering, ProvedValue):
    """A measure of pairs: ``lower`` and ``upper`` are those of the largest. A value.

    Attributes:
        title: what the number is called.
        results: every pair, in the order asked.
        exp_epsilon: the e^ε that was asked for; None where the measure is about none.
        scope: of which models it is, and at which confidence.
        inputs: how the pairs were chosen.
        checked: what the checker said of the certificate.
    """

    title: str
    results: tuple[PairValue, ...]
    exp_epsilon: ExpEpsilon | None = None
    scope: Scope = ALONE
    inputs: Covered = ONLY_THESE
    checked: Checked = field(default=NOT_ASKED, compare=False)
    _proof: Evidence | None = field(default=None, compare=False)

    @property
    def lower(self) -> Exact:
        """A lower bound of the largest."""
        return max(result.lower for result in self.results)

    @property
    def upper(self) -> Exact:
        """An upper bound of all."""
        return max(result.upper for result in self.results)

    @property
    def exact(self) -> bool:
        """Whether the largest is known exactly."""
        return bool(self.lower == self.upper)

    @property
    def _compared(self) -> Sequence[tuple[str, str]]:
        return [result.pair for result in self.results]

    @property
    def _asked(self) -> str:
        return "" if self.exp_epsilon is None else asked_at(self.exp_epsilon)

    @property
    def headline(self) -> str:
        """The interval over all pairs, what it covers, and whether it was checked."""
        said = interval(self.title, self.lower, self.upper)
        return f"{said}{self.scope.trust} {self.covers}; {self.checked}{self.scope.aside}"

    def sections(self) -> Sequence[Section]:
        """Every pair, and the proof."""
        at = [] if self.exp_epsilon is None else epsilon_fields(self.exp_epsilon)
        found: list[Section] = [Fields([*at, ("proof", str(self.checked))])]
        if len(self.results) > 1:
            largest = sorted(self.results, key=lambda row: (row.lower, row.upper), reverse=True)
            left = len(largest) - SHOWN_ROWS
            more = f"… {left:,} more pairs; `to_dict()` lists all" if left > 0 else ""
            rows = [(name_pair(row.pair, LONGEST_NAME), value_of(row.lower, row.upper)) for row in largest[:SHOWN_ROWS]]
            found.append(Table(("pair", self.title), rows, more=more))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of its verb's ``--json``; exact numbers as text."""
        return {
            **json_bounds(self.lower, self.upper),
            "exact": self.exact,
            "checked": self.checked.accepted,
            "covers": self.covered,
            "results": [{"pair": list(row.pair), **json_bounds(row.lower, row.upper)} for row in self.results],
            **self.scope.keys(),
        }


def bounds_of(claim: Claim) -> tuple[Exact, Exact]:
    """The two bounds of a claim."""
    if claim.value is not None:
        return claim.value, claim.value
    return claim.lower, claim.upper


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A measure of pairs of states.

    Attributes:
        name: its verb.
        title: what its number is called.
        find: the evidence about every pair of the question, with a claim for each in their order.
        value: (lower, upper) of the measure, from an accepted claim.
        at: the one e^ε that it is about; None if it is asked for.
        examples: commands, one per line.
    """

    name: str
    title: str
    find: Callable[[Question, Workspace, Cancel], Evidence]
    value: Callable[[Claim], tuple[Exact, Exact]] = bounds_of
    at: Fraction | None = None
    examples: str = ""

    def __call__(
        self,
        model: AnyModel | Inquiry,
        s: StateName | None = None,
        t: StateName | None = None,
        *,
        epsilon: Number | None = None,
        exp_epsilon: Number | None = None,
        pairs: Pairs | None = None,
        secrets: Secrets | None = None,
        neighbours: Neighbours | None = None,
        max_nodes: int | None = None,
        check: bool = True,
        timeout: float | None = None,
        report: ProgressCallback | None = None,
        interruptible: bool = False,
        cancel: Cancel | None = None,
    ) -> Measured:
        """The measure of the pairs; the arguments are those of `delta`."""
        terms = self.terms(epsilon, exp_epsilon, max_nodes)
        with cancel_scope(cancel, timeout, report, interruptible) as cancel:
            settings = Settings(secrets=secrets, neighbours=neighbours, cancel=cancel)
            inquiry = load_inquiry(model, settings, s, t, pairs)
            question, checks = terms.about(inquiry.chain, inquiry.pairs), make_inspection(inquiry.chain, cancel, check)
            return self.of(question, Workspace.of(question), cancel, checks, inquiry.covers)

    def command(self) -> Verb:
        """Its verb of the command line."""
        from .command import command_of

        return command_of(self)

    def terms(
        self, epsilon: Number | None = None, exp_epsilon: Number | None = None, max_nodes: int | None = None
    ) -> Terms:
        """At which e^ε, and how far; InputError where an ε is given that the measure is not about."""
        if self.at is None:
            return Terms.read(epsilon=epsilon, exp_epsilon=exp_epsilon, max_nodes=max_nodes)
        if epsilon is not None or exp_epsilon is not None:
            raise InputError(f"{self.name}: it is about no ε; leave it out")
        return Terms.read(exp_epsilon=self.at, max_nodes=max_nodes)

    def of(
        self,
        question: Question,
        work: Workspace,
        cancel: Cancel,
        inspection: Inspection | None = None,
        inputs: Covered = ONLY_THESE,
    ) -> Measured:
        """The measure of what is read already, made of the claims that the checker accepts."""
        if self.at is not None:
            question = replace(question, at=ExpEpsilon.read(None, self.at), gap=None, allowed=None)
        evidence = self.find(question, work, cancel)
        accepted = accepted_by(inspection, evidence)
        names = names_of(work)
        return Measured(
            title=self.title,
            results=tuple(
                PairValue(pair, *self.value(claim)) for pair, claim in zip(names, accepted.claims, strict=True)
            ),
            exp_epsilon=None if self.at is not None else question.at,
            scope=Scope.of(question.chain),
            inputs=inputs,
            checked=accepted.checked,
            _proof=evidence,
        )
