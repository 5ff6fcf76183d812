"""The event that tells two states apart: words that are likely from the one and, times α, not from the other.

The lower bound of δ is the mass of an event: all continuations of words whose belief pair ended with |x| > α|y|.
`find_witness` lists its most telling words, largest ν_s(w) − αν_t(w) first. They may be infinitely many; what the
list leaves out is the difference between its total and the lower bound.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction

from ..words import Word
from .intervals import Answer, PairAnswer

__all__ = ["Witness", "WitnessWord", "find_witness"]

EXPANSIONS = 20_000
"""Words looked at before the list is taken as it is."""


@dataclass(frozen=True, slots=True)
class WitnessWord:
    """A word with its probability from the likelier state and from the other."""

    word: Word
    probability: Fraction
    other: Fraction

    @property
    def ratio(self) -> Fraction | None:
        """The likelihood ratio; None when the other state never shows the word."""
        return self.probability / self.other if self.other else None


@dataclass(frozen=True)
class Witness:
    """An event E with ν_state(E) − α·ν_other(E) = ``advantage``, by its most telling words.

    ``advantage`` is the certified lower bound on δ of the pair; the words listed account for ``listed`` of it.
    """

    state: str
    other: str
    exp_epsilon: Fraction
    advantage: Fraction
    words: tuple[WitnessWord, ...]

    @property
    def listed(self) -> Fraction:
        """Σ ν_state(w) − α ν_other(w) over the words."""
        return sum((w.probability - self.exp_epsilon * w.other for w in self.words), Fraction(0))


def find_witness(answer: Answer, found: PairAnswer, limit: int = 10) -> Witness | None:
    """The witness of one pair's lower bound, at most ``limit`` words; None when the lower bound is 0."""
    names = [answer.chain.states[s] for s in found.pair]
    state, other = names if found.interval.way == 0 else reversed(names)
    alpha = answer.exp_epsilon.above
    first = answer.chain.labels[found.pair[0]]
    if found.interval.lower == 0:
        return None
    if found.root is None or answer.search is None:
        label = answer.chain.labels[answer.chain.number(state)]
        sure = WitnessWord((label,), Fraction(1), Fraction(0))
        return Witness(state, other, alpha, found.interval.lower, (sure,))
    graph, solved = answer.search.unrolling.graph, answer.search.solved
    way = found.interval.way
    settled = solved.own | solved.bottom
    # Best first by what is left to gain; a settled node with a gap is a word of the event.
    heap: list[tuple[float, int, Word, int, Fraction]] = [(-1.0, 0, (first,), found.root, Fraction(1))]
    words: list[WitnessWord] = []
    for count in range(1, EXPANSIONS):
        if not heap or len(words) >= limit:
            break
        _, _, word, node, scale = heapq.heappop(heap)
        if node in settled:
            x, y = graph.nodes[node].masses(way)
            if x > alpha * y:
                words.append(WitnessWord(word, scale * x, scale * y))
            continue
        for k, edge in enumerate(graph.edges[node] or ()):
            value = solved.values[edge.child][2 + way]
            if value > 0:
                after = scale * edge.scale
                promise = float(after * Fraction(int(value.p), int(value.q)))
                heapq.heappush(heap, (-promise, count * 1000 + k, (*word, edge.label), edge.child, after))
    words.sort(key=lambda w: w.probability - alpha * w.other, reverse=True)
    return Witness(state, other, alpha, found.interval.lower, tuple(words))
