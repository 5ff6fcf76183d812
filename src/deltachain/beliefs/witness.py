"""The event that tells two states apart: words that are likely from the one and, times α, not from the other.

The lower bound of δ is the mass of an event: all continuations of words whose belief pair ended with |x| > α|y|.
`find_witness` lists its most telling words, largest ν_s(w) − αν_t(w) first. They may be infinitely many; what the
list leaves out is the difference between its total and the lower bound. Where the observer chooses inputs, the words
are the ends of a `strategy`, at which to guess that it was the first state.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ..cancel import Cancel
from ..errors import DeltachainError
from ..flints import fraction
from ..model import Chain
from ..model.words import Word, word_probability
from ..rational import ExpEpsilon
from .answers import Answer, PairAnswer
from .finite import Solved
from .splits import SplitSolved
from .strategy import ForestGuide, GraphGuide, StrategyStep, listed_strategy

if TYPE_CHECKING:
    from .forest import Forest

EXPANSIONS = 20_000
"""Words looked at before the list is taken as it is."""
LISTED_FROM = 2_000
"""Expansions of a tree that words are read from, where the bound came from elsewhere."""
LONGEST_NUMBER = 20_000
"""Bits of a word's probability; words beyond are left out of the list."""
STRATEGY_STEPS = 300
"""Steps of a strategy that are listed, about."""


@dataclass(frozen=True, slots=True)
class WitnessWord:
    """A word with its probability from the likelier state and from the other."""

    word: Word
    probability: Fraction
    other: Fraction
    inputs: tuple[str | None, ...] = ()
    """What is asked after each letter but the last, None where there is no choice; empty if there are no inputs."""

    @property
    def ratio(self) -> Fraction | None:
        """The likelihood ratio; None when the other state never shows the word."""
        return self.probability / self.other if self.other else None


@dataclass(frozen=True)
class Witness:
    """An event E with ν_state(E) − α·ν_other(E) = ``advantage``, by its most telling words.

    ``advantage`` is at least the certified lower bound on δ of the pair; the words account for ``listed`` of it.
    """

    state: str
    other: str
    exp_epsilon: Fraction
    advantage: Fraction
    words: tuple[WitnessWord, ...]
    strategy: StrategyStep | None = None
    """What to ask after which answers, where the observer chooses; its ends bring ``listed``."""

    @property
    def listed(self) -> Fraction:
        """Σ ν_state(w) − α ν_other(w) over the words, or over the ends of the strategy at which to guess."""
        if self.strategy is not None:
            return self.strategy.gain(self.exp_epsilon)
        return sum((w.probability - self.exp_epsilon * w.other for w in self.words), Fraction(0))


def find_witness(answer: Answer, found: PairAnswer, limit: int = 10) -> Witness | None:
    """The witness of one pair's lower bound, at most ``limit`` words; None when the lower bound is 0."""
    names = [answer.chain.states[s] for s in found.pair]
    state, other = names if found.interval.direction == 0 else reversed(names)
    alpha, advantage = answer.exp_epsilon.above, found.interval.lower
    if advantage == 0:
        return None
    label = answer.chain.labels[answer.chain.number(state)]
    strategy = None
    if answer.chain.interactive and found.proof is not None and found.merged is not None:
        strategy = _strategy(found, alpha)
        words = [
            WitnessWord(word, end.probability, end.other, inputs) for word, inputs, end in strategy.ends() if end.guess
        ]
        words = heapq.nlargest(limit, words, key=lambda w: w.probability - alpha * w.other)
    elif found.proof is None or found.merged is None:
        words = [WitnessWord((label,), Fraction(1), Fraction(0))]
    elif isinstance(found.proof, Solved):
        root = found.proof.graph.root(*found.merged)
        words = _words_of_graph(found.proof, root, found.interval.direction, alpha, label, limit)
    else:
        s, t = found.merged if found.interval.direction == 0 else reversed(found.merged)
        forest = found.proof
        if isinstance(forest, SplitSolved):  # its event is about infinite sequences, of which words show a share
            forest = _planted(forest.split.chain, (s, t), answer.exp_epsilon)
        words = _words_of_tree(forest, (s, t), label, limit)
    words.sort(key=lambda w: w.probability - alpha * w.other, reverse=True)
    witness = Witness(state, other, alpha, advantage, tuple(words), strategy)
    # Words are exact, bounds in integers are rounded: what is listed may prove a little more.
    return replace(witness, advantage=max(advantage, witness.listed))


def _strategy(found: PairAnswer, alpha: Fraction) -> StrategyStep:
    """The heaviest part of the strategy that attains the lower bound, on the quotient."""
    direction, proof = found.interval.direction, found.proof
    if found.merged is None or proof is None or isinstance(proof, SplitSolved):
        raise DeltachainError("no strategy: the pair has different labels, or its chain has no inputs")
    s, t = found.merged if direction == 0 else found.merged[::-1]
    if isinstance(proof, Solved):
        chain, start = proof.graph.chain, proof.graph.root(*found.merged)
        return listed_strategy(chain, (s, t), alpha, GraphGuide(proof, direction), start, STRATEGY_STEPS)
    return listed_strategy(proof.chain, (s, t), alpha, ForestGuide(proof, (s, t)), 0, STRATEGY_STEPS)


def _planted(chain: Chain, pair: tuple[int, int], exp_epsilon: ExpEpsilon) -> Forest:
    """A tree to read words from."""
    from .forest import Forest

    return Forest(chain, [pair], exp_epsilon)


class _Path:
    """A word by its last letter and what comes before it, so that long words share their beginnings."""

    __slots__ = ("before", "letter")

    def __init__(self, letter: str, before: _Path | None) -> None:
        self.letter, self.before = letter, before

    def word(self) -> Word:
        letters = []
        path: _Path | None = self
        while path is not None:
            letters.append(path.letter)
            path = path.before
        return tuple(reversed(letters))


def _words_of_graph(
    solved: Solved, root: int, direction: int, alpha: Fraction, first: str, limit: int
) -> list[WitnessWord]:
    """Best first by what is left to gain; a settled node with a gap is a word of the event."""
    graph = solved.graph
    heap: list[tuple[float, int, _Path, int, Fraction]] = [(-1.0, 0, _Path(first, None), root, Fraction(1))]
    words: list[WitnessWord] = []
    for count in range(1, EXPANSIONS):
        if not heap or len(words) >= limit:
            break
        _, _, path, node, scale = heapq.heappop(heap)
        if node in solved.settled:
            x, y = graph.nodes[node].masses(direction)
            if x > alpha * y:
                words.append(WitnessWord(path.word(), scale * x, scale * y))
            continue
        for k, edge in enumerate(graph.edges[node] or ()):
            value = solved.values[edge.child][2 + direction]
            if value > 0:
                after = scale * edge.scale
                if after.denominator.bit_length() > LONGEST_NUMBER:
                    continue
                promise = float(after * fraction(value))
                heapq.heappush(heap, (-promise, count * 1000 + k, _Path(edge.label, path), edge.child, after))
    return words


def _words_of_tree(forest: Forest, pair: tuple[int, int], first: str, limit: int) -> list[WitnessWord]:
    """The leaves of the tree that gain most at once, as words with exact probabilities."""
    if forest.known[pair].expansions < LISTED_FROM:
        forest.grow({pair: LISTED_FROM}, Cancel())
    tree, labels = forest.known[pair].tree, forest.chain.alphabet
    used = int(tree.used[0])
    gains = [
        (int(gain), -node) for node, gain in enumerate(tree.below[:used].tolist()) if gain > 0 and not tree.begin[node]
    ]
    words: list[WitnessWord] = []
    for _, negated in heapq.nlargest(4 * limit, gains):
        node, letters = -negated, []
        while node > 0:
            letters.append(labels[int(tree.label[node])])
            node = int(tree.parent[node])
        word = (first, *reversed(letters))
        s, t = (word_probability(forest.chain, state, word) for state in pair)
        if s > forest.exp_epsilon.above * t:
            words.append(WitnessWord(word, s, t))
        if len(words) >= limit:
            break
    return words
