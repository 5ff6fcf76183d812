"""`Scope`: of what an answer is: how many runs, beside which models, over which limits, at which confidence.

Every result that a proof stands behind carries one. It says its part of the headline, and its keys of the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .numbers import at_confidence, json_assumed, json_trust
from .text import LONGEST_NAME, name_pair, runs_text

if TYPE_CHECKING:
    from ..model import Chain, Loaded


@dataclass(frozen=True, slots=True)
class Scope:
    """What an answer covers beside its pairs.

    Attributes:
        repeat: of how many independent runs it is.
        compose: the models that run beside it, by their sources.
        limits: whether rows are known within limits only, so that it is about every chain inside.
        confidence: with what probability rows lie within their limits, where these come from counts.
        alike: the one label of all states, where they have no other, so that nothing is seen.
        assumes: what the answer assumes of these models beside their numbers, in sentences: of code that was run.
        confirmation: what was confirmed of that, in a clause.
    """

    repeat: int = 1
    compose: tuple[str, ...] = ()
    limits: bool = False
    confidence: Fraction | None = None
    alike: str | None = None
    assumes: tuple[str, ...] = ()
    confirmation: str = ""

    @classmethod
    def of(cls, chain: Chain, repeat: int = 1, compose: Sequence[Loaded] = ()) -> Scope:
        """That of an answer about these models."""
        chains = [chain, *(model.chain for model in compose)]
        levels = [each.confidence for each in chains if each.confidence is not None]
        # All counts are right at once but for the sum of what each may be wrong by, however they depend on each other.
        confidence = max(1 - sum((1 - level for level in levels), Fraction(0)), Fraction(0)) if levels else None
        beside = tuple(model.source for model in compose)
        labels = {label for each in chains for label in each.alphabet}
        alike = min(labels) if len(labels) == 1 else None
        assumes = tuple(dict.fromkeys(sentence for each in chains for sentence in each.assumes))
        confirmation = "; ".join(dict.fromkeys(each.confirmation for each in chains if each.confirmation))
        limits = any(each.kind == "limits" for each in chains)
        return cls(repeat, beside, limits, confidence, alike, assumes, confirmation)

    @property
    def runs(self) -> str:
        """Of how many runs, after a comma; nothing for one."""
        return runs_text(self.repeat, self.compose)

    @property
    def everywhere(self) -> str:
        """Over which chains, after a blank; nothing where there is one."""
        return " for every chain within the limits given" if self.limits else ""

    @property
    def trust(self) -> str:
        """The confidence of the limits, after a blank, which no proof is without."""
        return "" if self.confidence is None else f" {at_confidence(self.confidence)}"

    @property
    def unseen(self) -> str:
        """After a semicolon, a warning where all states look alike: then every δ and every distance is 0."""
        if self.alike is None:
            return ""
        if self.alike:
            return "; warning: all states have one label, so nothing is seen"
        return "; warning: no state has a label, so nothing is seen (init and deadlock count only with `keep_labels`)"

    @property
    def aside(self) -> str:
        """What a headline ends with: what was confirmed of code that was run, and the warning."""
        return self.confirmed + self.unseen

    @property
    def confirmed(self) -> str:
        """What was confirmed of code that was run, after a blank and in parentheses; nothing of a model."""
        return f" ({self.confirmation})" if self.confirmation else ""

    def premises(self) -> dict[str, Any]:
        """What a JSON document says of that which the answer rests on: limits, counts, and what is assumed."""
        return json_trust(self.limits, self.confidence) | json_assumed(self.assumes)

    def keys(self) -> dict[str, Any]:
        """What a JSON document says of it."""
        runs = {"repeat": self.repeat, "compose": list(self.compose)} if self.runs else {}
        return self.premises() | runs

    @classmethod
    def resting_on(cls, scopes: Iterable[Scope]) -> Scope:
        """What several answers assume together, and what was confirmed for the first of them."""
        given = list(scopes)
        assumes = tuple(dict.fromkeys(sentence for scope in given for sentence in scope.assumes))
        return cls(assumes=assumes, confirmation=next((scope.confirmation for scope in given), ""))


ALONE = Scope()
"""One run of one chain."""


class Assuming:
    """A result with a scope, which says what is assumed."""

    scope: Scope

    @property
    def assumes(self) -> tuple[str, ...]:
        """What it assumes beside what is proved, in sentences; empty but for answers about code that was run."""
        return self.scope.assumes


class Scoped(Assuming):
    """A result with a scope, whose parts are its own."""

    @property
    def repeat(self) -> int:
        """Of how many independent runs it is."""
        return self.scope.repeat

    @property
    def compose(self) -> tuple[str, ...]:
        """The models that run beside it."""
        return self.scope.compose

    @property
    def uncertain(self) -> bool:
        """Whether rows are known within limits only: then it is about every chain inside."""
        return self.scope.limits

    @property
    def confidence(self) -> Fraction | None:
        """With what probability rows lie within their limits, where these come from counts."""
        return self.scope.confidence


# Which inputs: nothing is said of any other, and every answer says so.


@dataclass(frozen=True, slots=True)
class Covered:
    """How the pairs of an answer were chosen.

    Attributes:
        secrets: how many secrets or start states the pairs were chosen among; None if pairs were named one by one.
        by_rule: whether they are those that a rule about neighbours holds of; otherwise every two of them.
        drawn: whether pairs were drawn from a domain, most of which was not examined.
        copies: how many pairs are not listed, since each is a translate of one that is, and all is the same of it.
        everything: where it is about every pair of integer inputs that a rule holds of, which ones, for people.
    """

    secrets: int | None = None
    by_rule: bool = False
    drawn: bool = False
    copies: int = 0
    everything: str = ""

    def words(self, pairs: int, first: tuple[str, str], everywhere: str = "") -> str:
        """For people; ``first`` is the pair, if there is only one, and ``everywhere`` is said of each."""
        alone = self.secrets is None and not self.drawn and not self.everything
        return self.which(pairs, first, everywhere) + ("; no other inputs were examined" if alone else "")

    def which(self, pairs: int, first: tuple[str, str], everywhere: str = "") -> str:
        """The same inside of a sentence, without what was not examined."""
        if self.everything:
            return f"{self.everything}{everywhere}"
        pairs += self.copies
        if self.drawn:
            return f"for {_count(pairs, 'drawn pair')}{everywhere} of {_count(self.secrets or 0, 'secret')}"
        if self.secrets is not None:
            kind = "neighbouring pair" if self.by_rule else "pair"
            which = f"the {kind}" if pairs == 1 else f"all {_count(pairs, kind)}"
            return f"for {which} of the {self.secrets:,} secrets given{everywhere}"
        if pairs == 1:
            return f"for the pair {name_pair(first, LONGEST_NAME)}{everywhere}"
        return f"for all {pairs:,} pairs given{everywhere}"

    def body(self, pairs: int, states: int) -> dict[str, Any]:
        """The key ``covers`` of JSON; ``states`` are those that occur in the pairs."""
        secrets = states if self.secrets is None else self.secrets
        more: dict[str, Any] = {"copies": self.copies} if self.copies else {}
        more |= {"integers": self.everything} if self.everything else {}
        return {"pairs": pairs + self.copies, "secrets": secrets, "drawn": self.drawn} | more


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


ONLY_THESE = Covered()
"""Pairs that were named one by one."""


class Covering(Assuming):
    """A result about pairs of inputs, which says which ones."""

    inputs: Covered

    @property
    def _compared(self) -> Sequence[tuple[str, str]]:
        """The pairs, by name, in the order asked."""
        raise NotImplementedError

    @property
    def states_covered(self) -> int:
        """How many start states the pairs are made of."""
        return len({state for pair in self._compared for state in pair})

    @property
    def covers(self) -> str:
        """Which inputs it is about: nothing is said of any other."""
        pairs = self._compared
        return self.inputs.words(len(pairs), pairs[0], self.scope.everywhere)

    @property
    def covered(self) -> dict[str, Any]:
        """The same as plain data: how many pairs of how many secrets."""
        return self.inputs.body(len(self._compared), self.states_covered)
