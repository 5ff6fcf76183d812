"""Many pairs whose runs show few words: δ of all of them from how likely each start state is to show each word.

Where there are far fewer start states than pairs, as in a whole domain, what one of them shows is in many pairs. If
all runs are told apart by a few words, each of which leads to one state, nothing more is learned after a word, and

    V(e_s − α·e_t) = Σ over words of (P_s(word) − α·P_t(word))^+        (docs/theory/proof-system.md#outcomes).

The words are found from all start states at once, and how likely they are from all states at once, last letter first:
what words have in common at their ends is computed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic

from ..cancel import Cancel
from ..certificate.record import Writer
from ..model.chain import Pair
from ..model.words import Word
from ..numbers.field import AnyField, Exact, Field, M, V
from .proof import Proof
from .question import Interval, Question
from .witness import Event, WitnessWord
from .workspace import Workspace

STEPS_PER_PAIR, STEPS = 20, 1_000
"""Transitions that may be followed to find the words; ten times as many to find how likely they are."""
ASKED_EVERY = 10_000
"""Transitions, and words of pairs, before it is asked again whether to stop."""


class _TooMany(Exception):
    """More transitions than are worth following."""


@dataclass(frozen=True, eq=False)
class SharedOutcomes(Generic[M, V]):
    """The words that runs from states of one label show, and how likely each is.

    Attributes:
        field: the numbers.
        names: of the states of the quotient.
        words: by number a state, for the empty word that leads there, or a letter and the number of what follows it.
        ends: the numbers of words of which every run shows exactly one, and the words themselves.
        likely: by state of the quotient how likely each of these is, as (number of word and value, value).
    """

    field: Field[M, V]
    names: Sequence[str]
    words: Sequence[int | tuple[str, int]]
    ends: Mapping[int, Word]
    likely: Mapping[int, Sequence[tuple[int, V]]]

    def gain(self, s: int, t: int, alpha: V, known: dict[tuple[int, int], V]) -> V:
        """Σ (P_s(w) − α·P_t(w))^+ over the words; of each, what is ``known`` of two of its numbers."""
        total = none = self.field.zero
        for (a, x), (b, y) in zip(self.likely[s], self.likely[t], strict=True):
            found = known.get((a, b))
            if found is None:
                room = x - alpha * y
                found = known[a, b] = room if room > none else none
            if found is not none:
                total = total + found
        return total


AnyOutcomes = SharedOutcomes[Any, Any]


def attempt(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> dict[Pair, Proof]:
    """The pairs, if their states have one label, and the words of all of them are few: exact."""
    label = work.chain.labels
    if len({label[state] for pair in pairs for state in pair}) > 1:
        return {}
    cancel.report(f"words that the states of {len(pairs):,} pairs show")
    starts = dict.fromkeys(state for pair in pairs for state in work.merge(pair))
    try:
        outcomes = find_outcomes(work, [*starts], STEPS_PER_PAIR * len(pairs) + STEPS, question, cancel)
    except _TooMany:
        return {}
    return {} if outcomes is None else dict(_proofs(outcomes, question, work, pairs, cancel))


def _proofs(
    outcomes: AnyOutcomes, question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel
) -> Iterable[tuple[Pair, Proof]]:
    below, above = outcomes.field.alphas(question.at)
    exactly, intervals = outcomes.field.exactly, dict[Hashable, Interval]()
    at_below: dict[tuple[int, int], Any] = {}
    at_above: dict[tuple[int, int], Any] = {}
    every = 1 + ASKED_EVERY // len(outcomes.ends)
    for count, pair in enumerate(pairs):
        if count % every == 0 and cancel.is_stopped():
            return
        s, t = work.merge(pair)
        ways = (s, t), (t, s)
        most = [outcomes.gain(*way, below, at_below) for way in ways]
        least = most if below == above else [outcomes.gain(*way, above, at_above) for way in ways]
        key = (*least, *most)
        if key not in intervals:  # many pairs, few of them different
            (low, other_low), (high, other_high) = map(exactly, least), map(exactly, most)
            intervals[key] = Interval.of_directions((low, high), (other_low, other_high))
        proof = OutcomesProof(
            question=question,
            pair=pair,
            interval=intervals[key],
            method="words that all pairs show",
            outcomes=outcomes,
            start=(s, t),
        )
        yield pair, proof


def find_outcomes(
    work: Workspace, starts: Sequence[int], most: int, question: Question, cancel: Cancel
) -> AnyOutcomes | None:
    """What runs from states of the quotient show; None if it was stopped, `_TooMany` above so many transitions."""
    chain, numbers = work.quotient.chain, work.graph.field
    rows = [points for (points,) in chain.points]
    found = find_words(rows, chain.labels, starts, most, cancel)
    most_words = question.budget.max_nodes
    if found is None or (most_words is not None and len(found) > most_words):
        return None
    words: list[int | tuple[str, int]] = []
    places: dict[tuple[Word, int], int] = {}
    for word, state in found:
        for length in range(len(word) + 1):
            # Of words that end alike, what they have in common is one.
            tail = word[len(word) - length :]
            if (tail, state) not in places:
                words.append((tail[0], places[tail[1:], state]) if tail else state)
                places[tail, state] = len(words) - 1
    columns = _find_likely(rows, chain.labels, words, numbers, 10 * most, cancel)
    if columns is None:
        return None
    ends = {places[end]: end[0] for end in found}
    kinds: dict[Any, int] = {}
    likely: dict[int, list[tuple[int, Any]]] = {}
    for start in starts:
        of_start = [(n, columns[n].get(start, numbers.zero)) for n in ends]
        likely[start] = [(kinds.setdefault(each, len(kinds)), each[1]) for each in of_start]
    return SharedOutcomes(numbers, chain.states, words, ends, likely)


def find_words(
    rows: Sequence[Sequence[tuple[int, Exact]]], labels: Sequence[str], starts: Iterable[int], most: int, cancel: Cancel
) -> list[tuple[Word, int]] | None:
    """Words of which every run shows exactly one, and the state that each leads to, from whichever start."""
    found: list[tuple[Word, int]] = []
    waiting: list[tuple[Word, list[int]]] = [((), [*starts])]
    left, unasked = most, 0
    while waiting:
        word, states = waiting.pop()
        if len(states) == 1:
            found.append((word, states[0]))
            continue
        after: defaultdict[str, dict[int, None]] = defaultdict(dict)
        for state in states:
            left -= len(rows[state])
            for target, _ in rows[state]:
                after[labels[target]][target] = None
        left -= len(word)
        if left < 0:
            raise _TooMany
        unasked += most - left
        if unasked > ASKED_EVERY and cancel.is_stopped():
            return None
        waiting += [((*word, letter), [*targets]) for letter, targets in after.items()]
    return found


def _find_likely(
    rows: Sequence[Sequence[tuple[int, Exact]]],
    labels: Sequence[str],
    words: Sequence[int | tuple[str, int]],
    numbers: Field[M, V],
    most: int,
    cancel: Cancel,
) -> list[dict[int, V]] | None:
    """By word how likely runs from each state are to show it and to be in its state then, where they may."""
    before: defaultdict[int, list[tuple[int, V]]] = defaultdict(list)
    values: dict[Exact, V] = {}
    for i, row in enumerate(rows):
        for j, p in row:
            value = values.get(p)
            if value is None:
                value = values[p] = numbers.value(p)
            before[j].append((i, value))
    one = numbers.quotient(numbers.one, numbers.one)
    columns: list[dict[int, V]] = []
    for word in words:
        if isinstance(word, int):
            columns.append({word: one})
            continue
        letter, k = word
        column: dict[int, V] = {}
        for j, x in columns[k].items():
            if labels[j] == letter:
                most -= len(before[j])
                if most < 0:
                    raise _TooMany
                for i, share in before[j]:
                    known = column.get(i)
                    column[i] = share * x if known is None else known + share * x
        if cancel.is_stopped():
            return None
        columns.append(column)
    return columns


@dataclass(frozen=True, eq=False, kw_only=True)
class OutcomesProof(Proof):
    """δ from the words that runs of both states show, exactly."""

    outcomes: AnyOutcomes
    start: Pair
    """The pair as states of the quotient."""

    def claim(self, writer: Writer) -> dict[str, object]:
        """Cites the words, which are written once for all pairs."""
        return {"outcomes": writer.once(self.outcomes, lambda: _write(writer, self.outcomes))}

    @property
    def field(self) -> AnyField:
        """That of the words' probabilities."""
        return self.outcomes.field

    @property
    def searched(self) -> Hashable:
        """All pairs that share their words are one search."""
        return id(self.outcomes)

    @property
    def alpha(self) -> Exact:
        """e^ε in the field of the words."""
        numbers = self.outcomes.field
        return numbers.exactly(numbers.alphas(self.question.at)[1])

    def event(self, limit: int) -> Event:  # noqa: ARG002  # the words are few
        """The words that gain."""
        direction, exactly = self.interval.direction, self.outcomes.field.exactly
        s, t = self.start[:: -1 if direction else 1]
        alpha, first = self.alpha, self.question.chain.labels[self.pair[0]]
        likely = self.outcomes.likely
        listed = zip(self.outcomes.ends.values(), likely[s], likely[t], strict=True)
        words = [WitnessWord((first, *word), exactly(x), exactly(y)) for word, (_, x), (_, y) in listed]
        return Event([word for word in words if word.gain(alpha) > 0], most=Fraction(0))


def _write(writer: Writer, outcomes: AnyOutcomes) -> int:
    words = [outcomes.names[word] if isinstance(word, int) else [*word] for word in outcomes.words]
    return writer.put_outcomes(words, [*outcomes.ends])
