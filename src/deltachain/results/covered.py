"""Which inputs an answer is about. Nothing is said of any other, and every answer says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .text import LONGEST_NAME, named


@dataclass(frozen=True, slots=True)
class Covered:
    """How the pairs of an answer were chosen.

    Attributes:
        secrets: how many secrets or start states the pairs were chosen among; None if pairs were named one by one.
        by_rule: whether they are those that a rule about neighbours holds of; otherwise every two of them.
        drawn: whether pairs were drawn from a domain, most of which was not examined.
    """

    secrets: int | None = None
    by_rule: bool = False
    drawn: bool = False

    def words(self, pairs: int, first: tuple[str, str], everywhere: str = "") -> str:
        """For people; ``first`` is the pair, if there is only one, and ``everywhere`` is said of each."""
        if self.drawn:
            return f"for {_count(pairs, 'drawn pair')}{everywhere} of {_count(self.secrets or 0, 'secret')}"
        if self.secrets is not None:
            kind = "neighbouring pair" if self.by_rule else "pair"
            which = f"the {kind}" if pairs == 1 else f"all {_count(pairs, kind)}"
            return f"for {which} of the {self.secrets:,} secrets given{everywhere}"
        if pairs == 1:
            return f"for the pair {named(first, LONGEST_NAME)}{everywhere}; no other inputs were examined"
        return f"for all {pairs:,} pairs given{everywhere}; no other inputs were examined"

    def body(self, pairs: int, states: int, searches: int) -> dict[str, Any]:
        """The key ``covers`` of JSON; ``states`` are those that occur in the pairs."""
        secrets = states if self.secrets is None else self.secrets
        return {"pairs": pairs, "secrets": secrets, "drawn": self.drawn, "searches": searches}


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


ONLY_THESE = Covered()
"""Pairs that were named one by one."""
