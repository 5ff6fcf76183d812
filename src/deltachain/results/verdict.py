"""`Verdict`: a `Delta` measured against a δ that is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from .delta import Delta, PairDelta
from .numbers import beside, exactly, interval, json_number
from .text import LONGEST_NAME, named

VerdictName = Literal["private", "violated", "undecided"]


@dataclass(frozen=True, repr=False)
class Verdict(Delta):
    """A `Delta` measured against a δ that is allowed. It is true, as a condition, if the verdict is "private".

    Attributes:
        allowed: the δ that is allowed.
    """

    allowed: Fraction

    def verdict_of(self, result: PairDelta) -> VerdictName:
        """The verdict on one pair."""
        if result.upper <= self.allowed:
            return "private"
        return "violated" if result.lower > self.allowed else "undecided"

    @property
    def verdict(self) -> VerdictName:
        """``"private"``: proved for all pairs; ``"violated"``: refuted for one, see `witness`; else ``"undecided"``."""
        verdicts = {self.verdict_of(result) for result in self.results}
        return "violated" if "violated" in verdicts else "undecided" if "undecided" in verdicts else "private"

    def __bool__(self) -> bool:
        return self.verdict == "private"

    @property
    def headline(self) -> str:
        """The verdict, what is proved, and what is allowed, with the digits that tell the two apart."""
        limit = beside(self.allowed, "upper", self.allowed)
        pairs = self.results
        everywhere = f"for {named(pairs[0].pair, LONGEST_NAME)}" if len(pairs) == 1 else f"for all {len(pairs)} pairs"
        if self.verdict == "private":
            return f"PRIVATE: proved, δ ≤ {beside(self.upper, 'upper', self.allowed)} {everywhere}; {limit} is allowed"
        if self.verdict == "violated":
            least = beside(self.worst.lower, "lower", self.allowed)
            pair = named(self.worst.pair, LONGEST_NAME)
            return f"VIOLATED: proved, δ ≥ {least} for {pair}; only {limit} is allowed"
        return f"UNDECIDED: proved is only {interval('δ', self.lower, self.upper)}; {limit} is allowed"

    def _fields(self) -> Iterator[tuple[str, str]]:
        yield "δ allowed", exactly(self.allowed)
        yield from super()._fields()

    def _ended(self) -> str:
        known = self.worst.stopped == "gap" and self.verdict != "undecided"
        return "the verdict is known" if known else super()._ended()

    @property
    def _shows_witness(self) -> bool:
        return self.verdict != "private"

    def _columns(self) -> tuple[str, ...]:
        return ("verdict",)

    def _cells(self, result: PairDelta) -> tuple[str, ...]:
        return (self.verdict_of(result),)

    def to_dict(self) -> dict[str, Any]:
        """As `Delta.to_dict`, with ``verdict`` and ``delta``, the one allowed."""
        return {"verdict": self.verdict, "delta": json_number(self.allowed)} | super().to_dict()

    def entry(self, result: PairDelta) -> dict[str, Any]:
        """One of ``results`` as plain data, with its verdict."""
        return super().entry(result) | {"verdict": self.verdict_of(result)}
