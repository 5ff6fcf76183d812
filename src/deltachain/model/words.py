"""Trace measures ν_s [CMP18, Def. 4]: exact probabilities of words, of finite unions of words, and Δ_α.

ν_s(C_w) is the probability that the labels seen from s start with the word w; the label of s itself is the
first letter. A *belief* is the sub-distribution over hidden states that remains after a word.

Where the observer chooses inputs, a word says what was given as well: after a label that offers inputs comes the one
that was given, ``start probe mode-1 q1 yes``.

As text, a word is its letters, separated by blanks: ``start heads``. Where a letter is empty or has blanks in it, a
word is a JSON list instead: ``["start", "all heads", ""]``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import Defect, InputError
from .chain import Chain
from .outputs import translate_word
from .step import step

if TYPE_CHECKING:
    from ..numbers.field import Exact

Word = tuple[str, ...]
Belief = dict[int, "Exact"]
"""State → probability of having shown the word so far and being there now; zeros left out."""


def skewed_difference(x: Exact, y: Exact, alpha: Exact) -> Exact:
    """Δ_α(x, y) = max(x − αy, y − αx, 0) [CMP18, Def. 6]: what (ε, δ)-privacy is about, α = e^ε; exact.

    >>> skewed_difference(Fraction(9), Fraction(3), Fraction(2))
    Fraction(3, 1)
    """
    return max(x - alpha * y, y - alpha * x, Fraction(0))


def total(masses: Iterable[Exact]) -> Exact:
    """The sum, a Fraction where it is one."""
    found: Exact = Fraction(0)
    for mass in masses:
        found = found + mass
    return found if isinstance(found, Fraction) or found.rational is None else found.rational


def initial_belief(state: int) -> Belief:
    """The belief before the first letter's successor: surely in ``state``."""
    return {state: Fraction(1)}


def advance(chain: Chain, belief: Belief, asked: str | None = None) -> dict[str, Belief]:
    """One hidden step, split by the letter that it shows; ``asked`` is the input, where there is one to choose."""
    rows = {state: chain.points_of(state, asked) for state in belief}
    return step(belief.items(), rows, chain.labels)


def word_probability(chain: Chain, state: str | int, word: Sequence[str]) -> Exact:
    """ν_s(C_w), exactly; 1 for the empty word.

    >>> coin = Chain.from_dicts({"s": {"h": "2/5", "t": "3/5"}, "h": {"h": 1}, "t": {"t": 1}},
    ...                         labels={"s": "start", "h": "heads", "t": "tails"})
    >>> word_probability(coin, "s", ["start", "heads"])
    Fraction(2, 5)
    """
    start = chain.number(state)
    if not word:
        return Fraction(1)
    if chain.labels[start] != word[0]:
        return Fraction(0)
    belief = initial_belief(start)
    for label, asked, letter in _moves(chain, word):
        if asked is not None and asked not in chain.inputs[label]:
            offered = ", ".join(map(repr, chain.inputs[label][:8]))
            raise InputError(Defect("word", f"{label!r} offers no input {asked!r}", f"it offers {offered}"))
        if letter is not None:
            belief = advance(chain, belief, asked).get(letter, {})
    return total(belief.values())


def word_bounds(chain: Chain, state: str | int, word: Sequence[str]) -> tuple[Fraction, Fraction]:
    """Two ends for ν_s(C_w) over all chains inside the boxes of a chain without inputs; equal if its rows are exact.

    >>> coin = Chain.from_dicts({"s": {"h": ("2/5", "1/2"), "t": ("1/2", "3/5")}, "h": {"h": 1}, "t": {"t": 1}},
    ...                         labels={"s": "start", "h": "heads", "t": "tails"})
    >>> word_bounds(coin, "s", ["start", "heads"])
    (Fraction(2, 5), Fraction(1, 2))
    """
    start = chain.number(state)
    chain.need("no inputs", "word_bounds", "which rows are met depends on what is given", "settle the inputs first")
    if word and chain.labels[start] != word[0]:
        return Fraction(0), Fraction(0)
    low, high = {start: Fraction(1)}, {start: Fraction(1)}
    outside = Fraction(0)
    for letter in word[1:]:
        outside += sum((mass * chain.boxes[i][0].rest for i, mass in high.items()), Fraction(0))
        lows = {i: [(j, lo) for j, lo, _ in chain.boxes[i][0]] for i in low}
        highs = {i: [(j, hi) for j, _, hi in chain.boxes[i][0]] for i in high}
        low = step(low.items(), lows, chain.labels).get(letter, {})
        high = step(high.items(), highs, chain.labels).get(letter, {})
    # What has left the model may be anywhere by now, and show anything.
    return sum(low.values(), Fraction(0)), min(Fraction(1), sum(high.values(), outside))


def _moves(chain: Chain, word: Sequence[str]) -> Iterator[tuple[str, str | None, str | None]]:
    """From each label of a word the input that is given, None where there is none to choose, and the next label.

    At a label with inputs the next letter is the input; a word that ends with one has seen no answer yet.
    """
    label, rest = word[0], iter(word[1:])
    for letter in rest:
        if label in chain.inputs:
            answer = next(rest, None)
            yield label, letter, answer
            label = answer or ""
        else:
            yield label, None, letter
            label = letter


def letters_seen(chain: Chain, word: Sequence[str]) -> Word:
    """The labels of a word, without the inputs that were given in between."""
    answers = (letter for _, _, letter in _moves(chain, word) if letter is not None) if word else ()
    return (*word[:1], *answers)


def program_outputs(chain: Chain, word: Word) -> Word:
    """The word with what the program announced in place of the chain's letters, and the inputs that were given."""
    if not chain.outputs or not word:
        return word
    places, place = list[int](), 1
    for _, given, _ in _moves(chain, word):
        if given is not None:
            places.append(place)
            place += 1
        place += 1
    return translate_word(chain.outputs, word, places)


def event_probability(chain: Chain, state: str | int, event: Iterable[Sequence[str]]) -> Exact:
    """ν_s(⋃ C_w) over the words of the event, exactly; words that extend others add nothing.

    With inputs, ν is that of a strategy: InputError for words that give different inputs after the same history.
    """
    wanted = {tuple(word) for word in event}
    _refuse_two_strategies(chain, wanted)
    minimal = [word for word in wanted if not any(word[:cut] in wanted for cut in range(len(word)))]
    return total(word_probability(chain, state, word) for word in minimal)


def _refuse_two_strategies(chain: Chain, event: Iterable[Word]) -> None:
    given: dict[Word, str] = {}
    for word in sorted(event) if chain.interactive else ():
        seen = 1
        for _, asked, _ in _moves(chain, word) if word else ():
            if asked is not None and given.setdefault(word[:seen], asked) != asked:
                what = f"after {written_word(word[:seen])} its words give {given[word[:seen]]!r} and {asked!r}"
                raise InputError(Defect("event", what, "an event is seen under one strategy: ask about each by itself"))
            seen += 1 if asked is None else 2


def words(chain: Chain, state: str | int, length: int) -> Iterator[tuple[Word, Exact]]:
    """All words of ``length`` letters with positive probability from ``state``, with it, in lexical order.

    Probabilities sum to one. Memory is O(length · alphabet); there may be exponentially many words.
    """
    if length < 0:
        raise InputError(f"a word length of {length}: it cannot be negative")
    what = "which words there are depends on what is given"
    chain.need(
        "no inputs", "words", what, "name a word with its inputs, or settle them: chain.choosing({label: input})"
    )
    start = chain.number(state)
    if length == 0:
        yield (), Fraction(1)
        return
    stack: list[tuple[Word, Belief]] = [((chain.labels[start],), initial_belief(start))]
    while stack:
        word, belief = stack.pop()
        if len(word) == length:
            yield word, total(belief.values())
            continue
        split = advance(chain, belief)
        stack.extend(((*word, letter), split[letter]) for letter in sorted(split, reverse=True))


def parse_word(text: str) -> Word:
    """The letters of ``text``; ValueError with a short reason if it starts as a JSON list and is not one.

    >>> parse_word("start heads"), parse_word('["a b", ""]')
    (('start', 'heads'), ('a b', ''))
    """
    if not text.lstrip().startswith("["):
        return tuple(text.split())
    try:
        letters = json.loads(text)
    except (ValueError, RecursionError):
        letters = None
    if not isinstance(letters, list) or not all(isinstance(letter, str) for letter in letters):
        raise ValueError('a word that starts with "[" must be a JSON list of strings')
    return tuple(letters)


def written_word(word: Sequence[str]) -> str:
    """The text of a word; `parse_word` reads it back.

    >>> written_word(["start", "heads"]), written_word(["a b", ""])
    ('start heads', '["a b", ""]')
    """
    plain = " ".join(word)
    if tuple(plain.split()) == tuple(word) and not plain.startswith("["):
        return plain or "[]"
    return json.dumps(list(word), ensure_ascii=False)
