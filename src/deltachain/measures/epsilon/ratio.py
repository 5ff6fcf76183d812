"""Words whose probabilities are far apart: how small e^ε cannot be for δ = 0.

δ is 0 at e^ε = α if and only if ν_s(w) ≤ α·ν_t(w) for every word w, both ways. So each word refutes every α below its
ratio, and the least α is the supremum of these ratios. Words are grown letter by letter, those that promise most at
each length; what a belief promises is the largest ratio over a few words that may follow. Floats choose the word, and
its ratio is then computed in fractions: a better word may be missed, but what is said of the one found is so.

Often the supremum is the ratio of a short word, or just above that of a long one, which comes near to a limit: there a
search for δ = 0 is made first (`least.searched`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...beliefs import reach
from ...beliefs.workspace import Workspace
from ...cancel import Cancel
from ...model import Chain
from ...model.chain import Pair
from ...model.words import Word, word_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_ENTRIES = 200_000
"""Entries of the matrices P_b, for all labels b: no words are grown in chains with more."""
KEPT = 48
"""Beliefs that are followed from each length of words to the next."""
AHEAD = 32
"""Words that may follow, by whose ratios beliefs are compared."""
MOST_STARTS = 200
"""Pairs of states that words are grown from: of more, those that promise most."""
MOST_LETTERS = 160
MOST_SUMS = 20_000
"""Products of fractions that the word's exact probability takes at most: in large chains it has fewer letters."""
PATIENCE = 8
"""So many letters without a gain are the end."""
LONGEST_CYCLE, LEAST_ROUNDS = 12, 3
"""A word that is taken for one that goes round in a circle: the letters of a round at most, and the rounds at least."""
LEAST_GAIN = 1e-9
"""A longer word is worth its letters only if its ratio is larger by more than this, relatively."""


@dataclass(frozen=True, slots=True)
class RatioWord:
    """A word that one state shows ``ratio`` times as often as the other: δ > 0 at every smaller e^ε.

    Attributes:
        pair: by number, as it was asked.
        direction: 0 if the first state shows it more often.
        word: all its letters, that of the state itself first.
        ratio: of the probabilities, exactly; above 1.
    """

    pair: Pair
    direction: int
    word: Word
    ratio: Fraction

    def order(self, states: Pair) -> Pair:
        """The two states of the pair, the one that shows the word more often first."""
        return states if self.direction == 0 else (states[1], states[0])

    def circle(self) -> tuple[Word, Word] | None:
        """(u, v) if some rounds of v follow on u in the word: u with the letter of the states, v as short as can be."""
        word = self.word
        for period in range(1, min(LONGEST_CYCLE, len(word) // LEAST_ROUNDS) + 1):
            longest, start = 0, 0
            begin = 1  # the letter of the states themselves is not part of a cycle
            for end in range(1, len(word) - period + 1):
                if end == len(word) - period or word[end] != word[end + period]:
                    if end - begin > longest:
                        longest, start = end - begin, begin
                    begin = end + 1
            if longest >= (LEAST_ROUNDS - 1) * period:
                return word[:start], word[start : start + period]
        return None


def ratio_word(work: Workspace, cancel: Cancel) -> RatioWord | None:
    """The word of the largest ratio that was found, for any of the pairs, in either direction; None if there is none.

    Its ratio is that of the chain's own words, so it is for chains of fractions without inputs, as pumping is.
    """
    if not work.alike or not reach.takes("pumping", work.chain):
        return None
    work.prepare(cancel)
    chain = work.quotient.chain
    if len(chain) ** 2 * len(chain.alphabet) > MOST_ENTRIES:
        return None
    ways: dict[Pair, tuple[Pair, int]] = {}
    for pair in work.alike:
        s, t = work.merge(pair)
        ways.setdefault((s, t), (pair, 0))
        ways.setdefault((t, s), (pair, 1))
    # Probabilities that no float tells from 0, or ratios that none holds, mislead it, and no more.
    with np.errstate(all="ignore"):
        found = _Beam(chain, [way for way in ways if way[0] != way[1]]).best(cancel)
    if found is None:
        return None
    s, t, letters = found
    word = (chain.labels[s], *letters)
    first, second = (word_probability(chain, state, word) for state in (s, t))
    if not (isinstance(first, Fraction) and isinstance(second, Fraction) and first > second > 0):
        return None
    return RatioWord(*ways[s, t], word, first / second)


class _Beam:
    """Words from many pairs of states at once; of each length, the few that promise most."""

    def __init__(self, chain: Chain, starts: list[Pair]) -> None:
        self._labels = sorted(chain.alphabet)
        number = {label: k for k, label in enumerate(self._labels)}
        size = len(chain)
        self._step = np.zeros((len(self._labels), size, size))
        for i, row in enumerate(chain.rows):
            for j, p in row:
                self._step[number[chain.labels[j]], i, j] = float(p)
        self._letters = min(MOST_LETTERS, MOST_SUMS // sum(map(len, chain.rows)))
        self._ahead = self._followers(size)
        firsts, seconds = (np.array([start[k] for start in starts], dtype=np.intp) for k in (0, 1))
        order = np.argsort(-_promises(self._ahead[firsts], self._ahead[seconds]), kind="stable")
        self._starts = [starts[k] for k in order[:MOST_STARTS].tolist()]
        # Of each length: (number of the word that it continues, number of the letter).
        self._came: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []

    def _followers(self, size: int) -> Floats:
        """As columns: the probabilities of the first few words, from every state."""
        found = [np.ones(size)]
        for column in found:
            if len(found) >= AHEAD:
                break
            found += [after / after.max() for after in self._step @ column if after.any()]
        return np.stack(found[:AHEAD], axis=1)

    def best(self, cancel: Cancel) -> tuple[int, int, Word] | None:
        """(s, t, letters) of the largest ratio found, by floats; None if no ratio is above 1."""
        if not self._starts:
            return None
        size = self._step.shape[1]
        x, y = (np.eye(size)[[start[k] for start in self._starts]] for k in (0, 1))
        best, place, promised, since = 1 + LEAST_GAIN, None, 0.0, 0
        for length in range(self._letters):
            if cancel.is_stopped() or since > PATIENCE:
                break
            x, y, promise = self._longer(x, y)
            if not len(x):
                break
            ratio = x.sum(axis=1) / y.sum(axis=1)
            top = int(ratio.argmax())
            since += 1
            if ratio[top] > best * (1 + LEAST_GAIN):
                best, place, since = float(ratio[top]), (length, top), 0
            if promise > promised * (1 + LEAST_GAIN):
                promised, since = promise, 0
        return None if place is None else self._spell(*place)

    def _longer(self, x: Floats, y: Floats) -> tuple[Floats, Floats, float]:
        """The beliefs after one more letter, those kept, and the largest ratio that they promise."""
        count, size = x.shape
        letters, words = (k.ravel() for k in np.indices((len(self._labels), count)))
        x, y = ((masses @ self._step).reshape(-1, size) for masses in (x, y))
        total = y.sum(axis=1)
        ratio = x.sum(axis=1) / total
        possible = np.flatnonzero((ratio > 0) & (ratio < np.inf))
        # One factor for both: their ratio is what counts.
        x, y = (masses[possible] / total[possible, None] for masses in (x, y))
        promises = _promises(x @ self._ahead, y @ self._ahead)
        order = np.argsort(-promises, kind="stable")
        kept, seen = [], set()
        for k in order.tolist():
            shape = np.concatenate((x[k], y[k])).round(9).tobytes()
            if shape not in seen:
                seen.add(shape)
                kept.append(k)
                if len(kept) == KEPT:
                    break
        self._came.append((words[possible[kept]], letters[possible[kept]]))
        return x[kept], y[kept], float(promises.max(initial=0))

    def _spell(self, length: int, k: int) -> tuple[int, int, Word]:
        word: list[str] = []
        for words, letters in reversed(self._came[: length + 1]):
            word.append(self._labels[letters[k]])
            k = int(words[k])
        return *self._starts[k], tuple(reversed(word))


def _promises(first: Floats, second: Floats) -> Floats:
    """The largest ratio of each two rows, over the words that may follow; 0 for those that the second cannot show."""
    ratios = np.divide(first, second, out=np.zeros_like(first), where=second > 0)
    found: Floats = ratios.max(axis=1, initial=0)
    return found
