"""Pairs that need no search, at any ε, or get none.

- Their labels differ: the first output distinguishes them, so δ = 1 (rule R0).
- They are one state of the quotient: what is seen is as likely from either, so δ = 0 (rule R5).
- Time was up before anything was known of them: 0 ≤ δ ≤ 1.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from ..cancel import Cancel
from ..model.chain import Pair
from .proof import Proof
from .question import Interval, Question
from .witness import Event, WitnessWord
from .workspace import Workspace

ZERO, ONE = Fraction(0), Fraction(1)


def different(question: Question, _work: Workspace, pairs: Sequence[Pair], _cancel: Cancel) -> dict[Pair, LabelsDiffer]:
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

    def event(self, limit: int) -> Event:
        """The first letter."""
        return Event([WitnessWord((self._shown[0],), ONE, ZERO)])

    def explain(self, shown: Callable[[str], str] = str) -> str:
        """What is seen first."""
        s, t = map(shown, self.names)
        first, second = self._shown
        return f"{s} shows {first!r} and {t} shows {second!r}: the first output distinguishes them, so δ = 1."

    @property
    def _shown(self) -> tuple[str, str]:
        s, t = (self.question.chain.labels[state] for state in self.pair)
        return s, t


def bisimilar(question: Question, work: Workspace, pairs: Sequence[Pair], _cancel: Cancel) -> dict[Pair, Bisimilar]:
    """The pairs that the quotient merges, at the cost of the quotient, which every later method needs."""
    nothing = Interval(ZERO, ZERO, 0)
    merged = {pair: work.merge(pair) for pair in pairs}
    return {
        pair: Bisimilar(question=question, pair=pair, interval=nothing, method="bisimilar states")
        for pair, (s, t) in merged.items()
        if s == t
    }


class Bisimilar(Proof):
    """δ = 0."""

    def event(self, limit: int) -> Event:
        """There is none."""
        return Event()

    def explain(self, shown: Callable[[str], str] = str) -> str:
        """Why nothing can be seen."""
        s, t = map(shown, self.names)
        same = "one state" if s == t else "bisimilar"
        return f"{s} and {t} are {same}: every output sequence is as likely from either, so δ = 0 at every ε."


def not_reached(question: Question, pairs: Sequence[Pair], cancel: Cancel) -> dict[Pair, NotReached]:
    """The pairs that the search did not come to before it was cancelled."""
    anything, stopped = Interval(ZERO, ONE, 0), cancel.reason or "interrupted"
    return {
        pair: NotReached(question=question, pair=pair, interval=anything, method="not reached", stopped=stopped)
        for pair in pairs
    }


class NotReached(Proof):
    """0 ≤ δ ≤ 1."""

    @property
    def searched(self) -> Hashable | None:
        """Nothing."""
        return None

    def event(self, limit: int) -> Event:
        """There is none."""
        return Event()
