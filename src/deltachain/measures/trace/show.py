"""`Trace`: the exact probability of an event, a word or several, from each of some states; `Traces`: several events.

Δ of a pair of states on an event falls as e^ε grows: with ε given, it lies between its values at the two rational
bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...model.words import Word, skewed_difference, written_word
from ...numbers.exponential import exp_of
from ...numbers.fraction import ExpEpsilon, Number
from ...results.numbers import asked_at, bound, equation, exactly, json_bounds, json_number
from ...results.scope import ALONE, Scope, Scoped
from ...results.sections import Rendered, Section, Table
from ...results.text import printable, shorten, shown_name

if TYPE_CHECKING:
    from ...numbers.field import Exact

LONGEST_EVENT = 60
"""Characters of an event in a sentence or a cell; the JSON has it whole."""
SHOWN_STATES = 3
"""States in a `repr`."""


@dataclass(frozen=True, repr=False)
class Trace(Scoped, Rendered):
    """The probability of seeing a word of ``event`` first, from each of ``states``: ``found["s"]``. A value.

    Attributes:
        event: the words.
        states: the names of the states.
        chances: the probability from each of them.
        scope: at which confidence, where rows come from counts that leave a single chain.
    """

    event: tuple[Word, ...]
    states: tuple[str, ...]
    chances: tuple[Exact, ...]
    scope: Scope = ALONE

    @property
    def probabilities(self) -> Mapping[str, Exact]:
        """State → probability."""
        return MappingProxyType(dict(zip(self.states, self.chances, strict=True)))

    @property
    def probability(self) -> Exact:
        """The probability from the one state that was asked for."""
        if len(self.states) != 1:
            raise InputError(f"{len(self.states)} states: give the one that is meant, found['s']")
        return self.chances[0]

    def __getitem__(self, state: str) -> Exact:
        if state not in self.states:
            raise InputError(f"state {state!r} was not asked for")
        return self.probabilities[state]

    def difference(
        self, s: str, t: str, *, epsilon: Number | None = None, exp_epsilon: Number | None = None
    ) -> tuple[Exact, Exact]:
        """Bounds (lower, upper) of Δ of the event for a pair; equal when e^ε is given exactly.

        Args:
            s: a state that was asked for.
            t: another one.
            epsilon: ε.
            exp_epsilon: e^ε, in place of ε.
        """
        at = ExpEpsilon.read(epsilon, exp_epsilon)
        return difference(self[s], self[t], at)

    @property
    def title(self) -> str:
        """The word, or the first of the event's; a long one by its two ends."""
        first, *others = map(written_word, self.event)
        letters = f" ({len(self.event[0])} letters)" if len(first) > LONGEST_EVENT else ""
        shown = shorten(printable(first), LONGEST_EVENT) + letters
        return shown if not others else f"{{{shown}, …}} ({len(self.event)} words)"

    @property
    def headline(self) -> str:
        """The event, and its probability from the first states."""
        pairs = list(zip(self.states, self.chances, strict=True))[:SHOWN_STATES]
        shown = [f"{_value(p)} from {shorten(shown_name(s), 30)}" for s, p in pairs]
        more = ", …" if len(self.states) > SHOWN_STATES else ""
        return f"{self.title}: {', '.join(shown)}{more}{self.scope.trust}{self.scope.confirmed}"

    def sections(self) -> Sequence[Section]:
        """The probability from every state."""
        rows = [(state, exactly(chance)) for state, chance in zip(self.states, self.chances, strict=True)]
        return [Table(("from", "probability"), rows)]

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, a result of ``deltachain trace --json``; exact numbers as text."""
        kind = "word" if len(self.event) == 1 else "event"
        return self.entry(kind, self.states) | self.scope.keys()

    def entry(self, kind: str, states: Sequence[str]) -> dict[str, Any]:
        """One of several results, from some of the states: what they share is said beside them."""
        words = [list(word) for word in self.event]
        return {"kind": kind, "words": words, "probabilities": {s: json_number(self[s]) for s in states}}


def _value(p: Exact) -> str:
    return exactly(p) if len(exactly(p)) <= 40 else equation("", p).strip().removeprefix("= ")


def difference(x: Exact, y: Exact, at: ExpEpsilon) -> tuple[Exact, Exact]:
    """Bounds (lower, upper) of Δ at e^ε of probabilities x and y; equal where these are functions of e."""
    if at.epsilon is not None and not (isinstance(x, Fraction) and isinstance(y, Fraction)):
        found = skewed_difference(x, y, exp_of(at.epsilon))
        return found, found
    return skewed_difference(x, y, at.above), skewed_difference(x, y, at.below)


@dataclass(frozen=True, repr=False)
class Traces(Scoped, Rendered):
    """Several events from the same states, and Δ of pairs of these on each. A value.

    Attributes:
        results: each event, with its probability from every state that is needed.
        kinds: ``"word"`` or ``"event"``, as each was given.
        states: the states whose probabilities are shown.
        pairs: the pairs whose Δ is shown.
        exp_epsilon: the e^ε of Δ; None if it was not asked for.
        complete: whether all words of the length asked for are listed.
        unknown_letters: letters of the events that no state shows.
        scope: at which confidence, where rows come from counts that leave a single chain.
    """

    results: tuple[Trace, ...]
    kinds: tuple[str, ...]
    states: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    exp_epsilon: ExpEpsilon | None = None
    complete: bool = True
    unknown_letters: tuple[str, ...] = ()
    scope: Scope = ALONE

    @property
    def headline(self) -> str:
        """At which e^ε the differences are, and at which confidence; else nothing: the table says it all."""
        if self.exp_epsilon is None:
            return f"probabilities{self.scope.trust}" if self.scope.trust else ""
        return f"Δ at {asked_at(self.exp_epsilon)}{self.scope.trust}{self.scope.confirmed}"

    def sections(self) -> Sequence[Section]:
        """A row for each event: its probabilities, and Δ of the pairs."""
        header = ["word or event", *map(shown_name, self.states)]
        header += [f"Δ({shown_name(s)}, {shown_name(t)})" for s, t in self.pairs]
        rows = []
        for found in self.results:
            cells = [found.title, *(exactly(found[s]) for s in self.states)]
            cells += [_between(*self._difference(found, pair)) for pair in self.pairs]
            rows.append(cells)
        return [Table(header, rows)]

    def _difference(self, found: Trace, pair: tuple[str, str]) -> tuple[Exact, Exact]:
        at = self.exp_epsilon or ExpEpsilon.exactly(Fraction(1))
        return difference(found[pair[0]], found[pair[1]], at)

    def to_dict(self) -> dict[str, Any]:
        """The keys of its own of ``deltachain trace --json``; exact numbers as text."""
        entries = []
        for kind, found in zip(self.kinds, self.results, strict=True):
            entry = found.entry(kind, self.states)
            if self.exp_epsilon is not None:
                entry["differences"] = [self._of_pair(found, pair) for pair in self.pairs]
            entries.append(entry)
        letters = list(self.unknown_letters)
        return {"results": entries, "complete": self.complete, "unknown_letters": letters, **self.scope.keys()}

    def _of_pair(self, found: Trace, pair: tuple[str, str]) -> dict[str, Any]:
        return {"pair": list(pair), **json_bounds(*self._difference(found, pair))}


def _between(lower: Exact, upper: Exact) -> str:
    return exactly(upper) if lower == upper else bound(upper, "upper")
