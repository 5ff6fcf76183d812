"""`trace`: the exact probability of an event, a word or several, from each of some states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from ..cancel import Cancel
from ..errors import InputError
from ..model import Chain
from ..model.words import Word, event_probability, parse_word, skewed_difference, written_word
from ..rational import ExpEpsilon, Number
from ..render.html import html_table
from ..render.intervals import interval
from ..render.numbers import exactly, json_number
from ..render.results import shown_name
from ..render.table import printable, shortened
from .parameters import State

LONGEST_EVENT = 60
"""Characters of an event in a `repr`."""


@dataclass(frozen=True, repr=False)
class Trace:
    """The probability of seeing a word of ``event`` first, from each of ``states``: ``found["s"]``. A value."""

    event: tuple[Word, ...]
    states: tuple[str, ...]
    chances: tuple[Fraction, ...]

    @property
    def probabilities(self) -> Mapping[str, Fraction]:
        """State → probability."""
        return MappingProxyType(dict(zip(self.states, self.chances, strict=True)))

    @property
    def probability(self) -> Fraction:
        """The probability from the one state that was asked for."""
        if len(self.states) != 1:
            raise InputError(f"{len(self.states)} states: give the one that is meant, found['s']")
        return self.chances[0]

    def __getitem__(self, state: str) -> Fraction:
        if state not in self.states:
            raise InputError(f"state {state!r} was not asked for")
        return self.probabilities[state]

    def difference(
        self, s: str, t: str, *, epsilon: Number | None = None, exp_epsilon: Number | None = None
    ) -> tuple[Fraction, Fraction]:
        """Bounds (lower, upper) of Δ of the event for a pair; equal when e^ε is given exactly: Δ falls as e^ε grows."""
        at = ExpEpsilon.read(epsilon, exp_epsilon)
        x, y = self[s], self[t]
        return skewed_difference(x, y, at.above), skewed_difference(x, y, at.below)

    def _title(self) -> str:
        first, *others = map(written_word, self.event)
        return first if not others else f"{{{first}, …}} ({len(self.event)} words)"

    def __repr__(self) -> str:
        title = shortened(printable(self._title()), LONGEST_EVENT)
        chances = zip(self.states[:3], self.chances, strict=False)
        shown = ", ".join(f"from {shortened(shown_name(s), 30)} {interval('', p, p).strip()}" for s, p in chances)
        return f"<Trace: {title}: {shown}" + (", …>" if len(self.states) > 3 else ">")

    def _repr_html_(self) -> str:
        rows = [(state, exactly(chance)) for state, chance in zip(self.states, self.chances, strict=True)]
        return html_table(shortened(self._title(), 400), ("from", "probability"), rows)

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, a result of ``deltachain trace --json``; exact numbers as text."""
        return {
            "kind": "word" if len(self.event) == 1 else "event",
            "words": [list(word) for word in self.event],
            "probabilities": {s: json_number(p) for s, p in zip(self.states, self.chances, strict=True)},
        }


def trace(
    chain: Chain,
    states: State | Iterable[State],
    event: str | Sequence[str] | Iterable[Sequence[str]],
    *,
    cancel: Cancel | None = None,
) -> Trace:
    """The exact probability that what is seen from each state starts with the word, or with a word of the event.

    A word is text with blanks between its letters, or a sequence of letters; an event is an iterable of sequences.

    >>> import deltachain as dc
    >>> trace(dc.examples.coin(), "s0", "start heads").probability
    Fraction(2, 5)
    """
    several = list(states) if isinstance(states, Iterable) and not isinstance(states, str) else [states]
    numbers = list(dict.fromkeys(chain.number(state) for state in several))
    words = _event(event)
    chances = []
    for number in numbers:
        if cancel is not None:
            cancel.check()
        chances.append(event_probability(chain, number, words))
    return Trace(words, tuple(chain.states[number] for number in numbers), tuple(chances))


def _event(event: str | Sequence[str] | Iterable[Sequence[str]]) -> tuple[Word, ...]:
    try:
        if isinstance(event, str):
            return (parse_word(event),)
        given = list(event)
        if all(isinstance(letter, str) for letter in given):
            return (tuple(given),)  # type: ignore[arg-type]
        return tuple(parse_word(word) if isinstance(word, str) else tuple(word) for word in given)
    except (TypeError, ValueError) as reason:
        raise InputError(f"event: {reason}") from None
