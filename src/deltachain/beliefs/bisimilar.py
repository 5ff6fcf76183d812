"""Pairs that are one state of the quotient: what is seen is as likely from either, so δ = 0 at every ε (rule R5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..cancel import Cancel
from ..certificate.record import Writer
from .proof import Proof
from .question import Interval, Pair, Question
from .witness import Event
from .workspace import Workspace


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], _cancel: Cancel) -> dict[Pair, Bisimilar]:
    """The pairs that the quotient merges, at the cost of the quotient, which every later method needs."""
    nothing = Interval(Fraction(0), Fraction(0), 0)
    merged = {pair: work.merged(pair) for pair in pairs}
    return {
        pair: Bisimilar(question=question, pair=pair, interval=nothing, method="bisimilar states")
        for pair, (s, t) in merged.items()
        if s == t
    }


class Bisimilar(Proof):
    """δ = 0."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites nothing but the merged states, which every certificate lists."""
        return {}

    def event(self, limit: int) -> Event:
        """There is none."""
        return Event()

    def explain(self, shown: Callable[[str], str] = str) -> str:
        """Why nothing can be seen."""
        s, t = map(shown, self.names)
        same = "one state" if s == t else "bisimilar"
        return f"{s} and {t} are {same}: whatever is seen is as likely from either, so δ = 0 at every ε."
