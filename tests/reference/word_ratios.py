"""The largest ratio of the probabilities of a word, by listing every word."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from deltachain import Chain
from deltachain.model.words import word_probability


def largest_word_ratio(chain: Chain, s: int, t: int, letters: int) -> Fraction | None:
    """Over all words of at most so many letters, in either direction; None if one state alone can show one of them."""
    largest = Fraction(1)
    for length in range(1, letters + 1):
        for word in product(sorted(chain.alphabet), repeat=length):
            first, second = (Fraction(word_probability(chain, state, word)) for state in (s, t))
            if first == second:
                continue
            if not (first and second):
                return None
            largest = max(largest, first / second, second / first)
    return largest
