"""Extension "outcomes": δ of many pairs at once, from words that the runs of all of them show.

A word is what is seen after the present letter, and the one state that it leads to. Of words of which none begins with
another, let v_n(i) be how likely runs from i are to show word n and to be in its state then, and r(i) = 1 − Σ v_n(i)
what they leave out. Then for two states of one label

    Σ (v_n(s) − α·v_n(t))^+ − α·r(t)  ≤  V(e_s − α·e_t)  ≤  Σ (v_n(s) − α·v_n(t))^+ + r(s).

Above: what is left of e_s after a word is v_n(s) times the word's state and something, these somethings and the mass
outside the words are r(s) together, and V of a number times one state is the positive part of the number. Below: the
event is to see one of the words that gain; t shows these with at most their v_n(t) and r(t) together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from .document import keys, lists
from .errors import need
from .meter import spend
from .model import Model
from .numbers import OnInterval, Over, Quotient, divided

ENTRY, LONG = 5, 5_000
"""Steps of the meter for an entry of a row, or for a word of a pair. Numbers of n bits take n/LONG times as many."""
Word = tuple[str, ...]


@dataclass(frozen=True)
class Outcomes:
    """``{"words": [state or [letter, k], …], "ends": [n, …], "states": [state, …]}``.

    A word that is a state is the empty one, which leads there; [letter, k] is that letter, and then word k < n.
    """

    model: Model
    data: Any
    first: Mapping[str, str]
    """By state of the chain, the first of its block."""

    @cached_property
    def before(self) -> dict[str, list[str]]:
        """By state, those with a step to it."""
        found: dict[str, list[str]] = {}
        for i, rows in self.model.rows.items():
            for j in rows[None]:
                found.setdefault(j, []).append(i)
        return found

    @cached_property
    def words(self) -> list[tuple[Word, Over]]:
        """Each word, and by state how likely runs from there are to show it and to end in its state."""
        need(not self.model.interactive, "outcomes", "no inputs, on which it depends how likely words are")
        need(not isinstance(self.model.field, OnInterval), "outcomes", "one value of the parameter")
        known: list[tuple[Word, Over]] = []
        for given in self.data["words"]:
            if isinstance(given, str):
                need(given in self.model.label, "word", "a known state", given)
                known.append(((), (1, {given: 1})))
                continue
            ((letter, k),) = lists([given], 2)
            sure = type(letter) is str and type(k) is int and 0 <= k < len(known)
            need(sure, "word", "a letter, and a word before it", letter, k)
            word, later = known[k]
            spend(len(word))
            known.append(((letter, *word), self.a_letter_before(letter, later)))
        return known

    def a_letter_before(self, letter: str, later: Over) -> Over:
        """How likely runs are to show the letter and then what ``later`` is about."""
        bottom, numbers = later[0], {j: x for j, x in later[1].items() if self.model.label[j] == letter}
        longest = max((x.bit_length() for x in numbers.values() if isinstance(x, int)), default=0)
        found = {}
        for i in dict.fromkeys(i for j in numbers for i in self.before.get(j, ())):
            below, row = self.model.whole_row(i, None)
            spend(ENTRY * len(row) * (1 + longest // LONG))
            terms = [(p, numbers[j]) for j, p in row.items() if j in numbers]
            functions = any(isinstance(number, Quotient) for term in terms for number in term)
            total = self.model.field.summed(terms) if functions else sum([p * x for p, x in terms])
            found[i] = divided(total, below * bottom)
        return self.model.field.over_integer(found)

    @cached_property
    def _columns(self) -> tuple[Any, list[list[tuple[int, Any]]], list[Any]]:
        """A denominator; what each of ``states`` has of each of ``ends``, numbered by both; and what is left out."""
        keys(self.data, "outcomes", "words", "ends", "states")
        ends, states = self.data["ends"], self.data["states"]
        need(ends and all(type(n) is int and 0 <= n < len(self.words) for n in ends), "outcomes", "known words", ends)
        shown = sorted(self.words[n][0] for n in ends)
        # In this order, what begins with a word follows at once.
        for one, other in pairwise(shown):
            need(other[: len(one)] != one, "outcomes", "no word that begins with another", one, other)
        need({*states} <= self.first.keys(), "outcomes", "known states", states[:9])
        values = {}
        for k, n in enumerate(ends):
            bottom, numbers = self.words[n][1]
            for place, state in enumerate(states):
                if self.first[state] in numbers:
                    values[place, k] = divided(numbers[self.first[state]], bottom)
        bottom, tops = self.model.field.over_integer(values)
        kinds: dict[Any, int] = {}
        rows, left = [], []
        for place in range(len(states)):
            row = [tops.get((place, k), 0) for k in range(len(ends))]
            keyed = [(x.top, x.bottom) if isinstance(x, Quotient) else x for x in row]
            rows.append([(kinds.setdefault((k, key), len(kinds)), row[k]) for k, key in enumerate(keyed)])
            left.append(bottom - sum(row))
        return bottom, rows, left

    @cached_property
    def _gains(self) -> tuple[dict[tuple[int, int], Any], dict[tuple[int, int], Any]]:
        return {}, {}

    def pair(self, name: str, s: Any, t: Any) -> tuple[str, str]:
        """Two of the states by their places: they have one label, so that nothing is seen before the words."""
        states, label = self.data["states"], self.model.label
        known = all(type(place) is int and 0 <= place < len(self._columns[1]) for place in (s, t))
        need(known, name, "two of the states of outcomes, by their places", s, t)
        one, other = self.first[states[s]], self.first[states[t]]
        need(label[one] == label[other], name, "states of one label", states[s], states[t])
        return states[s], states[t]

    def bounds(self, s: int, t: int, alphas: tuple[Any, Any]) -> tuple[Any, Any]:
        """What V(e_s − α·e_t) is at least, at the second α, and at most, at the first; states by their places."""
        bottom, _, left = self._columns
        (top, below), (lower_top, lower_below) = map(parts, alphas)
        most = self.gain(s, t, top, below, 0)
        least = most if alphas[0] == alphas[1] else self.gain(s, t, lower_top, lower_below, 1)
        if left[s]:
            most = most + left[s] * below
        if left[t]:
            least = least - left[t] * lower_top
        return self.number(least, bottom * lower_below), self.number(most, bottom * below)

    def number(self, top: Any, bottom: int) -> Any:
        """top/bottom; of many pairs, few are different."""
        if isinstance(top, Quotient):
            return divided(top, bottom)
        if (top, bottom) not in self._numbers:
            self._numbers[top, bottom] = divided(top, bottom)
        return self._numbers[top, bottom]

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], Any]:
        return {}

    def gain(self, s: int, t: int, top: Any, below: int, side: int) -> Any:
        """Σ (v(s) − α·v(t))^+ for α = top/below, times both denominators. Few words have many different numbers."""
        known, rows, total = self._gains[side], self._columns[1], 0
        spend(ENTRY * len(rows[s]))
        for (a, x), (b, y) in zip(rows[s], rows[t], strict=True):
            gained = known.get((a, b))
            if gained is None:
                room = below * x - top * y
                gained = known[a, b] = room if self.model.field.positive(room) else 0
            if gained:
                total = total + gained
        return total


def parts(alpha: Any) -> tuple[Any, int]:
    """Numerator and denominator of a rational number; any other over 1."""
    return (alpha, 1) if isinstance(alpha, Quotient) else (alpha.numerator, alpha.denominator)
