"""The least cone of ratios, as floats see it: a guide to the ratio matrix (`matrix`), which proves what is found here.

A matrix R ≥ 1 over pairs of states of one label, ∞ allowed, is a *cone* of vectors f ≥ 0 with f_i ≤ R_ij f_j. It is
wanted with (P_v f)_i ≤ R_ij (P_v f)_j for each f in it, after words v of a tree of each pair: then it holds the
probabilities of all words. So R is the least fixed point of "the largest ratio after these words, over the cone, and of
the words themselves". Trees are as deep as is best, up to some letters: at each word the ratio over the cone, or the
largest of those one letter further, whichever is smaller.

Ratios are taken over the vector of ones, the columns of R, and the reciprocals of its rows, which are in the cone; in
labels of three states no other vector has a larger one. The fixed point is approached by Newton's method on logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...cancel import spend
from ...model import Chain
from ...model.chain import Pair
from ...model.components import components
from ...model.words import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

MOST_PRODUCTS = 300_000
"""Ratios that are compared after the words of one length: there are no deeper trees, and no cones of large chains."""
DEEPEST = 6
ROUNDS, FIRST_ROUNDS = 50, 8
"""Steps towards the fixed point, and those before Newton's method: until it is seen which words count."""
GIVEN_UP, MOVING, SHARE = (24, 32, 40), 1e-9, 0.01
"""After so many steps, ratios that still grow by so much, relatively, and by such a share of what the fastest does, are
taken for ∞."""
STILL = 1e-13
"""A relative change of this size is that of rounding."""
NEUTRAL = 1 - 1e-6
"""A circle whose ratios multiply by this, or more, is at rest nowhere, or everywhere."""
FEW, POWERS = 200, 40
"""Ratios of a circle for which that is an eigenvalue; for more it is what so many multiplications come to."""
STEPS_PER_PRODUCT = 1
INFINITE, LARGEST = 1e30, 1e9
"""What stands for ∞, and the ratio from which on one is taken for ∞."""


def products(chain: Chain) -> int:
    """How many ratios are compared after one more letter."""
    return 2 * len(chain.alphabet) * len(chain) ** 3


@dataclass(frozen=True, slots=True)
class WordLevel:
    """The possible words of one length."""

    words: list[Word]
    matrices: Floats
    first: Places
    """For each word of the level above, the place of the first that continues it."""


class Words:
    """The words of up to some letters, with the ratios after them."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.size, self.letters = chain, len(chain), sorted(chain.alphabet)
        number = {letter: k for k, letter in enumerate(self.letters)}
        self._step = np.zeros((len(self.letters), self.size, self.size))
        for i, row in enumerate(chain.rows):
            spend(10 * len(row))
            for j, p in row:
                self._step[number[chain.labels[j]], i, j] = float(p)
        self.levels: list[WordLevel] = []
        self.pairs = [(i, j) for states in chain.by_label.values() for i in states for j in states if i != j]
        self._apart = np.ones((self.size, self.size), dtype=bool)
        spend(2 * len(self.pairs))
        for pair in self.pairs:
            self._apart[pair] = False

    @classmethod
    def longer_and_longer(cls, chain: Chain) -> Iterator[Words]:
        """Those of one letter, of up to two, …: one object, which grows."""
        if products(chain) > MOST_PRODUCTS:
            return
        words, count = cls(chain), 1
        while len(words.levels) < DEEPEST and count * products(chain) <= MOST_PRODUCTS:
            words._lengthen()
            count = len(words.levels[-1].words)
            yield words

    def _lengthen(self) -> None:
        words, matrices = (
            (self.levels[-1].words, self.levels[-1].matrices) if self.levels else ([()], np.eye(self.size)[None])
        )
        longer: list[Word] = []
        found, first = [], []
        for word, matrix in zip(words, matrices, strict=True):
            first.append(len(longer))
            for letter, after in zip(self.letters, matrix @ self._step, strict=True):
                if after.any():
                    longer.append((*word, letter))
                    found.append(after)
        self.levels.append(WordLevel(longer, np.stack(found), np.array(first, dtype=np.intp)))

    def fixed_point(self, wanted: Sequence[Pair] = ()) -> Cone | None:
        """The least cone; None if it has not come to rest, or if a pair that is ``wanted`` has no bound."""
        cone = np.ones((self.size, self.size))
        for count in range(ROUNDS):
            spend(STEPS_PER_PRODUCT * sum(len(level.words) for level in self.levels) * self.size**3)
            larger, places = self._largest(cone)
            larger[larger > LARGEST] = INFINITE
            if count in GIVEN_UP:
                # Those that grow most may do so for ever, and the rest can do without.
                growth = np.where(self._apart | (larger == INFINITE), 0, larger / cone - 1)
                larger[growth > max(MOVING, float(growth.max()) * SHARE)] = INFINITE
            larger[self._apart] = 1
            if any(larger[pair] == INFINITE for pair in wanted):
                return None
            # What was infinite once stays so.
            larger = np.where(cone == INFINITE, INFINITE, larger)
            if not (abs(larger - cone) > STILL * cone).any():
                return Cone(self, len(self.levels), larger, places)
            settled = ((larger == INFINITE) == (cone == INFINITE)).all()
            newton = _newton(Cone(self, len(self.levels), cone, places), larger) if count >= FIRST_ROUNDS else None
            cone = newton if settled and newton is not None else larger
        return None

    def _largest(self, cone: Floats) -> tuple[Floats, Places]:
        """The largest ratios of each two states over a cone, and the place word·vectors + vector behind each.

        The place is −1 where the ratio is 1.
        """
        vectors = np.concatenate((np.ones((self.size, 1)), cone, 1 / cone.T), axis=1)
        value, place = np.zeros(0), np.zeros(0, dtype=np.intp)
        offset = sum(len(level.words) for level in self.levels)
        for level in reversed(self.levels):
            offset -= len(level.words)
            ratios = _ratios(level.matrices @ vectors)
            shown, at = ratios[..., 0], ratios.argmax(axis=3)
            over = np.take_along_axis(ratios, at[..., None], axis=3)[..., 0]
            number = (np.arange(offset, offset + len(level.words)) * vectors.shape[1])[:, None, None]
            at = at + number
            if len(value):  # a leaf, or a tree: what is smaller
                leaf = over <= value
                over, at = np.where(leaf, over, value), np.where(leaf, at, place)
            # Of equal ratios that of the word alone, which depends on no other.
            at = np.where(shown * (1 + STILL) >= over, number, at)
            value, place = _over_letters(np.maximum(shown, over), at, level.first)
        return np.maximum(value[0], 1), np.where(value[0] <= 1, -1, place[0])


@dataclass(frozen=True, slots=True)
class Cone:
    """Ratios, and what is behind each of them."""

    words: Words
    depth: int
    ratios: Floats
    places: Places

    @property
    def finite(self) -> list[Pair]:
        """The pairs that have a bound."""
        return [pair for pair in self.words.pairs if self.ratios[pair] < INFINITE]

    def _find(self, number: int) -> tuple[WordLevel, int]:
        for level in self.words.levels:
            if number < len(level.words):
                return level, number
            number -= len(level.words)
        raise IndexError(number)

    def slopes(self, finite: list[Pair]) -> Floats:
        """How the logarithm of each ratio, by the vector behind it, depends on those of the others."""
        size, number = self.words.size, {pair: k for k, pair in enumerate(finite)}
        found = np.zeros((len(finite), len(finite)))
        for k, pair in enumerate(finite):
            place = int(self.places[pair])
            word, vector = divmod(place, 2 * size + 1)
            if place < 0 or not vector:
                continue
            centre, by_row = (vector - 1) % size, vector > size
            f = 1 / self.ratios[centre] if by_row else self.ratios[:, centre]
            level, at = self._find(word)
            first, second = (level.matrices[at, i] * f for i in pair)
            for m, slope in enumerate((first / first.sum() - second / second.sum()).tolist()):
                cited = (centre, m) if by_row else (m, centre)
                if slope and cited in number:
                    found[k, number[cited]] += -slope if by_row else slope
        return found


def _newton(cone: Cone, larger: Floats) -> Floats | None:
    """Where the ratios come to rest if they depend on each other as they do here; None if nowhere."""
    finite = cone.finite
    places = tuple(np.array([pair[k] for pair in finite], dtype=np.intp) for k in (0, 1))
    before, after = np.log(cone.ratios[places]), np.log(larger[places])
    step = newton_step(cone.slopes(finite), after - before)
    if step is None:
        return None
    found = larger.copy()
    found[places] = np.exp(np.maximum(before + step, 0))
    return found


def newton_step(slopes: Floats, change: Floats) -> Floats | None:
    """How far logarithms of ratios move until they are at rest, if one step changes them so; None if that is too far.

    Ratios that hand each other on in a circle, as where every letter leads to one state, are at rest wherever they are.
    Theirs is the change of one step, so that they are held by what made them grow, and not beyond.
    """
    if not len(change):
        return None
    kept = slopes.copy()
    for group in components([np.flatnonzero(row).tolist() for row in slopes]):
        if radius(slopes, group) > NEUTRAL:
            kept[group] = 0
    try:
        step = np.linalg.solve(np.eye(len(change)) - kept, change).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    return step if (abs(step) < np.log(LARGEST)).all() else None


def radius(slopes: Floats, group: list[int]) -> float:
    """By how much a circle of ratios multiplies a change of all of them, in the end."""
    if len(group) == 1:
        return abs(float(slopes[group[0], group[0]]))
    among = slopes[np.ix_(group, group)]
    if len(group) <= FEW:
        return float(max(abs(np.linalg.eigvals(among))))
    shape, factor = np.ones(len(group)), 1.0
    for _ in range(POWERS):
        shape = abs(among) @ shape
        factor = float(shape.max())
        if not 0 < factor < INFINITE:
            break
        shape = shape / factor
    return factor


def _ratios(shown: Floats) -> Floats:
    """[w, i, j, g]: shown[w, i, g]/shown[w, j, g]; 0 where the first is 0, ∞ where the second alone is."""
    first, second = shown[:, :, None, :], shown[:, None, :, :]
    found: Floats = np.where(first == 0, 0, first / second)
    return found


def _over_letters(value: Floats, place: Places, first: Places) -> tuple[Floats, Places]:
    """The largest over the letters that continue each word of the level above, and what is behind it."""
    most = np.maximum.reduceat(value, first, axis=0)
    parent = np.repeat(np.arange(len(first)), np.diff(first, append=len(value)))
    chosen = np.where(value == most[parent], place, -1)
    return most, np.maximum.reduceat(chosen, first, axis=0)
