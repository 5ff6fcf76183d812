"""Pairs whose labels differ: the first thing seen tells them apart, so δ = 1 at every ε (rule R0)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..cancel import Cancel
from ..certificate.record import Writer
from .proof import Proof
from .question import Interval, Pair, Question
from .witness import Event, WitnessWord
from .workspace import Workspace

ONE = Fraction(1)


def attempt(question: Question, _work: Workspace, pairs: Sequence[Pair], _cancel: Cancel) -> dict[Pair, LabelsDiffer]:
    """The pairs of different labels, at no cost."""
    label = question.chain.labels
    surely = Interval(ONE, ONE, 0)
    return {
        pair: LabelsDiffer(question=question, pair=pair, interval=surely, method="different labels")
        for pair in pairs
        if label[pair[0]] != label[pair[1]]
    }


class LabelsDiffer(Proof):
    """δ = 1."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites nothing: the checker sees the labels."""
        return {}

    def event(self, limit: int) -> Event:
        """The first letter."""
        return Event([WitnessWord((self._shown[0],), ONE, Fraction(0))])

    def explain(self, shown: Callable[[str], str] = str) -> str:
        """What is seen first."""
        s, t = map(shown, self.names)
        first, second = self._shown
        return f"{s} shows {first!r} and {t} shows {second!r}: the first thing seen tells them apart, so δ = 1."

    @property
    def _shown(self) -> tuple[str, str]:
        s, t = (self.question.chain.labels[state] for state in self.pair)
        return s, t
