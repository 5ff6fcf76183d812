"""Trace measures by the definition: sum over all paths; and the h-step δ by trying every event."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain as chained
from itertools import combinations, pairwise, product

from deltachain import Chain


def path_probability(chain: Chain, start: int, word: tuple[str, ...]) -> Fraction:
    """ν_start(C_word) as a sum over every sequence of states of that length, possible or not."""
    if not word:
        return Fraction(1)
    total = Fraction(0)
    for rest in product(range(len(chain)), repeat=len(word) - 1):
        path = (start, *rest)
        if tuple(chain.labels[state] for state in path) != word:
            continue
        weight = Fraction(1)
        for source, target in pairwise(path):
            weight *= chain.probability(source, target)
        total += weight
    return total


def brute_force_tv(chain: Chain, s: int, t: int, alpha: Fraction, length: int) -> Fraction:
    """max over events E of words of ``length`` of Δ_α(ν_s(E), ν_t(E)), by enumeration of E."""
    letters = [
        w
        for w in product(chain.alphabet, repeat=length)
        if path_probability(chain, s, w) or path_probability(chain, t, w)
    ]
    best = Fraction(0)
    for event in chained.from_iterable(combinations(letters, size) for size in range(len(letters) + 1)):
        x = sum((path_probability(chain, s, w) for w in event), Fraction(0))
        y = sum((path_probability(chain, t, w) for w in event), Fraction(0))
        best = max(best, x - alpha * y, y - alpha * x)
    return best
