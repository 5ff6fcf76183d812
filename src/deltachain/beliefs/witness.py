"""The event that tells two states apart: words that are likely from the one and, times α, not from the other.

The lower bound of δ is the mass of an event: all continuations of words whose belief pair ended with |x| > α|y|. A
`Witness` lists its most telling words, largest ν_s(w) − αν_t(w) first. They may be infinitely many; what the list
leaves out is the difference between its total and the lower bound. Where the observer chooses inputs, the words are the
ends of a `strategy`, at which to guess that it was the first state.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..model.words import Word, total
from ..numbers.field import Exact
from .graph.strategy import StrategyStep


@dataclass(frozen=True, slots=True)
class WitnessWord:
    """A word with its probability from the likelier state and from the other."""

    word: Word
    probability: Exact
    other: Exact
    inputs: tuple[str | None, ...] = ()
    """What is asked after each letter but the last, None where there is no choice; empty if there are no inputs."""
    told: Word = ()
    """The outputs that the word stands for, where letters of the chain are other words for what a program announced."""

    @property
    def shown(self) -> Word:
        """The word for people: what the program announced."""
        return self.told or self.word

    @property
    def ratio(self) -> Exact | None:
        """The likelihood ratio; None when the other state never shows the word."""
        return self.probability / self.other if self.other else None

    def gain(self, alpha: Exact) -> Exact:
        """ν_state(w) − α·ν_other(w)."""
        return self.probability - alpha * self.other


@dataclass(frozen=True)
class Event:
    """What a proof knows of the event behind its lower bound: some words or, where the observer asks, a strategy."""

    words: Sequence[WitnessWord] | None = None
    """None where none were looked for; empty where no single word was found that gains."""
    strategy: StrategyStep | None = None
    most: Fraction | None = None
    """Where it is known: no word that is not here gains more than this."""

    @property
    def searched(self) -> bool:
        """Whether words or a strategy were looked for."""
        return self.words is not None or self.strategy is not None

    def most_telling(self, limit: int, alpha: Exact) -> tuple[WitnessWord, ...]:
        """At most ``limit`` words, the largest gain first."""
        words = self.words or ()
        if self.strategy is not None:
            ends = self.strategy.ends()
            words = [WitnessWord(word, end.probability, end.other, asked) for word, asked, end in ends if end.guess]
        return tuple(heapq.nlargest(limit, words, key=lambda word: word.gain(alpha)))


@dataclass(frozen=True)
class Witness:
    """An event E with ν_state(E) − e^ε·ν_other(E) ≥ ``advantage``, by its most telling words.

    ``advantage`` is at least the certified lower bound on δ of the pair; the words account for ``listed`` of it, added
    up at ``exp_epsilon``, which is e^ε or a rational just above.
    """

    state: str
    other: str
    exp_epsilon: Exact
    advantage: Exact
    words: tuple[WitnessWord, ...]
    strategy: StrategyStep | None = None
    """What to ask after which answers, where the observer chooses; its ends bring ``listed``."""
    bounded: bool = False
    """Whether the probabilities are bounds, over all chains within limits: the least of ``state``, the most of
    ``other``."""
    searched: bool = True
    """Whether words or a strategy were looked for: if so, and none are here, no single word was found that gains."""
    most: Fraction | None = None
    """Where it is known: no word that is not here gains more than this."""

    def __repr__(self) -> str:
        how = (
            "a strategy"
            if self.strategy is not None
            else "1 output sequence"
            if len(self.words) == 1
            else f"{len(self.words)} output sequences"
        )
        return f"<Witness: {self.state[:60]!r} against {self.other[:60]!r}, {how} of an event>"

    @property
    def listed(self) -> Exact:
        """Σ ν_state(w) − α ν_other(w) over the words, or over the ends of the strategy at which to guess."""
        if self.strategy is not None:
            return self.strategy.gain(self.exp_epsilon)
        return total(word.gain(self.exp_epsilon) for word in self.words)

    def at_least_what_is_listed(self) -> Witness:
        """Words are exact, bounds in integers are rounded: what is listed may prove a little more."""
        return replace(self, advantage=max(self.advantage, self.listed))
