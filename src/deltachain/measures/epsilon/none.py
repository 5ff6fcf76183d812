"""No ε at all: proofs that δ = 0 is out of reach, whatever ε (docs/theory/divergences.md, "No ε at all").

δ is 0 at e^ε = α if and only if ν_s(w) ≤ α·ν_t(w) for every word w, both ways. So no ε is enough if

- *(support)* some word has ν_s(w) > 0 = ν_t(w). Which states a word can lead to is all that matters, and there are
  finitely many sets of them: a breadth-first search finds the shortest such word, or proves that there is none;
- *(pumping)* the ratio grows without end along u, uv, uvv, … (`pump` proves it). Where one letter leads to one state, a
  cycle in the graph of pairs of states whose product of ratios is above 1 is such a v (Bellman, Ford); elsewhere it is
  how a word of a large ratio goes round, or short words v are tried in floats.

Neither is about one ε, nor are the rules of their certificates (L6, L8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from ...beliefs import reach
from ...beliefs.workspace import Workspace
from ...cancel import Cancel, spend
from ...model import Chain
from ...model.chain import Pair
from ...model.components import components
from ...model.words import Word, word_probability
from ...numbers.field import Exact
from .pump import Pump, find_pump
from .ratio import RatioWord

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_SETS = 20_000
"""Pairs of sets of states that are looked at for a word that one state alone can show."""
MOST_PUMPED_STATES = 200
MOST_PREFIXES, MOST_CYCLES, LONGEST_CYCLE = 60, 400, 6
"""Words u and v that are tried in floats, and the letters of v at most."""


@dataclass(frozen=True, slots=True)
class NoEpsilon:
    """Why no ε is enough for δ = 0.

    Attributes:
        pair: by number, as it was asked; the word is the first's, or the ratio grows for it, if ``direction`` is 0.
        direction: 1 if it is the second's.
        word: what one state can show and the other cannot; empty if the ratio grows along a cycle.
        probability: of the word, from the state that can show it.
        prefix: the u of u, uv, uvv, …
        cycle: the v.
        pump: why the ratio grows along it.
    """

    pair: Pair
    direction: int
    word: Word = ()
    probability: Exact = Fraction(0)
    prefix: Word = ()
    cycle: Word = ()
    pump: Pump | None = None


def by_support(work: Workspace, cancel: Cancel) -> NoEpsilon | None:
    """A word that one state of some pair can show and the other cannot, if one is found."""
    chain = work.chain
    if not reach.takes("supports", chain):
        return None
    for pair in work.pairs:
        if pair not in work.alike:
            return NoEpsilon(pair, 0, (chain.labels[pair[0]],), Fraction(1))
    return _first(work, _by_support, cancel)


def along(work: Workspace, word: RatioWord) -> NoEpsilon | None:
    """The circle in which a word of a large ratio goes, if the ratio grows along it without end."""
    circle = word.circle()
    if circle is None or len(work.quotient.chain) > MOST_PUMPED_STATES:
        return None
    prefix, v = circle[0] + circle[1], circle[1]  # one round first: then beliefs are often where they stay
    return _find_pump(work, word.pair, word.direction, prefix[1:], v)


def by_pumping(work: Workspace, cancel: Cancel) -> NoEpsilon | None:
    """A cycle along which the ratio of some pair grows without end, if one is found."""
    if not reach.takes("pumping", work.chain):
        return None
    work.prepare(cancel)
    chain = work.quotient.chain
    if len(chain) > MOST_PUMPED_STATES:
        return None
    find = _one_by_one if _label_deterministic(chain) else _Cycles(chain).faster
    return _first(work, lambda work, pair, direction: _by_pumping(work, pair, direction, find), cancel)


def _first(
    work: Workspace, find: Callable[[Workspace, Pair, int], NoEpsilon | None], cancel: Cancel
) -> NoEpsilon | None:
    work.prepare(cancel)
    for pair in work.alike:
        for direction in (0, 1):
            if cancel.is_stopped():
                return None
            found = cancel.attempt(partial(find, work, pair, direction))
            if found is not None:
                return found
    return None


def _start(work: Workspace, pair: Pair, direction: int) -> Pair:
    s, t = work.merge(pair)
    return (s, t) if direction == 0 else (t, s)


# Words that one state alone can show.


def _by_support(work: Workspace, pair: Pair, direction: int) -> NoEpsilon | None:
    chain = work.quotient.chain
    s, t = _start(work, pair, direction)
    first = frozenset([s]), frozenset([t])
    # Whether a word is possible depends on the sets alone, so each pair
    # of sets is followed once, on its shortest word.
    before: dict[tuple[frozenset[int], frozenset[int]], tuple[Word, object]] = {first: ((chain.labels[s],), None)}
    waiting = [first]
    for here in waiting:
        for letters, mine, others in _follow(chain, *here):
            if not others:
                word = _spell(before, here) + letters
                return NoEpsilon(pair, direction, word, _probability(work, word, s))
            if (mine, others) not in before and len(before) < MOST_SETS:
                before[mine, others] = letters, here
                waiting.append((mine, others))
    return None


def _follow(
    chain: Chain, mine: frozenset[int], others: frozenset[int]
) -> Iterator[tuple[Word, frozenset[int], frozenset[int]]]:
    """The letters of one step (with the input, if one is asked for), and where each of two sets of states may go."""
    for choice, asked in enumerate(chain.offered(next(iter(mine)))):
        reached: dict[str, tuple[set[int], set[int]]] = {}
        for k, states in enumerate((mine, others)):
            for state in states:
                spend(10 * len(chain.given[state][choice]))
                for target, *_ in chain.given[state][choice]:
                    reached.setdefault(chain.labels[target], (set(), set()))[k].add(target)
        for label, (first, second) in sorted(reached.items()):
            if first:
                yield (label,) if asked is None else (asked, label), frozenset(first), frozenset(second)


def _spell(before: dict[tuple[frozenset[int], frozenset[int]], tuple[Word, object]], here: object) -> Word:
    word: Word = ()
    while here is not None:
        letters, here = before[here]  # type: ignore[index]  # keys lead to keys
        word = letters + word
    return word


def _probability(work: Workspace, word: Word, state: int) -> Exact:
    return word_probability(work.quotient.chain, state, word)


# Cycles that pump the ratio.


def _by_pumping(
    work: Workspace, pair: Pair, direction: int, find: Callable[[Chain, int, int], Iterator[tuple[Word, Word]]]
) -> NoEpsilon | None:
    chain = work.quotient.chain
    s, t = _start(work, pair, direction)
    for u, v in find(chain, s, t):
        found = _find_pump(work, pair, direction, u, v)
        if found is not None:
            return found
    return None


def _find_pump(work: Workspace, pair: Pair, direction: int, u: Word, v: Word) -> NoEpsilon | None:
    """The proof that the ratio grows along u v^n, if there is one."""
    chain, (s, t) = work.quotient.chain, _start(work, pair, direction)
    # Where states take turns, two or three rounds of v may bring each back to itself.
    for cycle in (v, v * 2, v * 3):
        proved = find_pump(chain, s, t, u, cycle)
        if proved is not None:
            return NoEpsilon(pair, direction, prefix=(chain.labels[s], *u), cycle=cycle, pump=proved)
    return None


def _label_deterministic(chain: Chain) -> bool:
    """Whether a letter leads from a state to one state only."""
    return all(len({chain.labels[j] for j, _ in row}) == len(row) for row in chain.rows)


def _one_by_one(chain: Chain, s: int, t: int) -> Iterator[tuple[Word, Word]]:
    """(u, v) where v is a cycle of pairs with a product of ratios above 1: all of them, if there is one.

    Best products of words of 0, 1, 2, … letters from (s, t) on; after as many rounds as there are pairs, a pair that
    still improves was reached around a cycle that gains.
    """
    moves = [{chain.labels[j]: (j, p) for j, p in row} for row in chain.rows]
    best: dict[Pair, Fraction] = {(s, t): Fraction(1)}
    came: dict[Pair, tuple[Pair, str]] = {}
    changed = [(s, t)]
    while changed:
        improved: dict[Pair, None] = {}
        for here in changed:
            spend(100 * len(moves[here[0]]))
            for label, (i, p) in moves[here[0]].items():
                if label not in moves[here[1]]:
                    continue  # only where the search for a word of one state alone was given up
                j, q = moves[here[1]][label]
                ratio = best[here] * p / q
                if (i, j) not in best or ratio > best[i, j]:
                    best[i, j], came[i, j] = ratio, (here, label)
                    improved[i, j] = None
                    cycle = _cycle_at(came, (i, j))
                    if cycle is not None:
                        yield _path(chain, s, t, (i, j)), cycle
                        return
        changed = list(improved)


def _cycle_at(came: dict[Pair, tuple[Pair, str]], pair: Pair) -> Word | None:
    """The letters of a cycle of predecessors through the pair: it gains, or a predecessor would not have improved."""
    letters: list[str] = []
    here = pair
    while here in came and len(letters) <= len(came):
        here, label = came[here]
        letters.append(label)
        if here == pair:
            return tuple(reversed(letters))
    return None


def _path(chain: Chain, s: int, t: int, goal: Pair) -> Word:
    """The letters of a shortest way from (s, t) to a pair."""
    moves = [{chain.labels[j]: j for j, _ in row} for row in chain.rows]
    known: dict[Pair, Word] = {(s, t): ()}
    waiting = [(s, t)]
    for here in waiting:
        spend(20 * len(moves[here[0]]))
        for label, i in moves[here[0]].items():
            if label not in moves[here[1]]:
                continue
            after = i, moves[here[1]][label]
            if after not in known:
                known[after] = (*known[here], label)
                waiting.append(after)
    return known[goal]


class _Cycles:
    """Short words v, each with how fast what a state shows grows with it, as floats see it; found once for all pairs.

    Only words along which some state comes back to itself are there: what is shown along others ends. Of rotations of
    one word, and of words that repeat it, there is one: prefixes make up for the rest.
    """

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._known: list[tuple[Word, list[float]]] = []
        self._more = self._find()

    def __iter__(self) -> Iterator[tuple[Word, list[float]]]:
        yield from self._known
        for found in self._more:
            self._known.append(found)
            yield found

    def _find(self) -> Iterator[tuple[Word, list[float]]]:
        chain = self._chain
        step = {label: np.zeros((len(chain), len(chain))) for label in chain.alphabet}
        for i, row in enumerate(chain.rows):
            for j, p in row:
                step[chain.labels[j]][i, j] = float(p)
        following = [[j for j, _ in row] for row in chain.rows]
        returning = [part for part in components(following) if len(part) > 1 or part[0] in following[part[0]]]
        around = [{chain.labels[j] for j in states} for states in returning]
        words = (v for length in range(1, LONGEST_CYCLE + 1) for v in product(sorted(step), repeat=length))
        for v in islice(words, MOST_CYCLES):
            if any(v[k:] + v[:k] <= v for k in range(1, len(v))):
                continue
            # Who comes back never leaves what all lead to one another, and shows no letter but of there.
            if not any(labels.issuperset(v) for labels in around):
                continue
            matrix = step[v[0]]
            for letter in v[1:]:
                matrix = matrix @ step[letter]
            rates = _rates(matrix).tolist()
            if any(rates):
                yield v, rates

    def faster(self, chain: Chain, s: int, t: int) -> Iterator[tuple[Word, Word]]:
        """(u, v) for short words, where what s shows grows faster with each v than what t shows."""
        prefixes: dict[tuple[frozenset[int], frozenset[int]], Word] = {}
        waiting: list[tuple[Word, frozenset[int], frozenset[int]]] = [((), frozenset([s]), frozenset([t]))]
        for u, mine, others in waiting:
            if (mine, others) not in prefixes and len(prefixes) < MOST_PREFIXES:
                prefixes[mine, others] = u
                waiting += [(u + letters, *after) for letters, *after in _follow(chain, mine, others)]  # type: ignore[misc]
        for v, rates in self:
            for (mine, others), u in prefixes.items():
                fast, slow = (max(rates[i] for i in states) for states in (mine, others))
                if fast > slow * (1 + 1e-6):
                    yield u, v


def _rates(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """About how fast the mass of a belief on each state grows with each multiplication, in the end.

    It is the spectral radius over what the state can reach, so the largest of the classes of states in there that reach
    each other; that of a set is the largest of its states.
    """
    reached = np.eye(len(matrix), dtype=bool) | (matrix > 0)
    # Floats count the ways, as no number of them is too large for a float and theirs are the fast products.
    while (further := reached.astype(float) @ reached > 0).sum() > reached.sum():
        reached = further
    own = matrix.diagonal().copy()
    together = reached & reached.T
    for i in np.flatnonzero(together.sum(axis=1) > 1):  # a class of one state is its own eigenvalue
        among = together[i]
        if among.argmax() == i:  # each class once, by its first state
            own[among] = max(abs(np.linalg.eigvals(matrix[among][:, among])))
    rates: NDArray[np.float64] = np.where(reached, own, 0).max(axis=1)
    return rates
