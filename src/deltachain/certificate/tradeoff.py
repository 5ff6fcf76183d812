"""The best tests between two states: what the checker accepts of them determines δ at every ε, and every least ε."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..numbers.exponential import as_exponential, common_base
from ..numbers.field import Exact, Functions, ends
from ..numbers.fraction import ExpEpsilon

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class BestTests:
    """The corners (a, b) of the best tests of "second" against "first": false positives rise, false negatives fall.

    A test is an event: from the first state it has probability a, from the second 1 − b.
    """

    corners: tuple[tuple[Exact, Exact], ...]

    def delta(self, alpha: Exact) -> Exact:
        """δ at α = e^ε, the most that a test gains in either direction.

        >>> quarter = Fraction(1, 4)
        >>> print(BestTests(((ZERO, ONE), (quarter, quarter), (ONE, ZERO))).delta(Fraction(2)))
        1/4
        """
        forth, back = self._gains
        places = range(len(forth))
        # By rising first/second: while an outcome more is worth it, and then no longer.
        n = bisect_left(places, True, key=lambda n: n > 0 and not _more(forth[n - 1], forth[n], alpha))
        m = bisect_left(places, True, key=lambda m: m > 0 and not _more(back[m - 1], back[m], alpha))
        tried = forth[max(n - 1, 0)], back[max(m - 1, 0)]
        return max(ZERO, *(gain - alpha * loss for gain, loss in tried))

    @cached_property
    def _gains(self) -> tuple[list[tuple[Exact, Exact]], list[tuple[Exact, Exact]]]:
        """(probability, probability from the other state) of events, by falling ratio: of "second", and of "first"."""
        last, least = self.corners[-1]
        forth = [(1 - b, a) for a, b in self.corners]
        return forth, [(last - a, b - least) for a, b in reversed(self.corners)]

    def bounds(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at e^ε; as near as e^ε and the value itself can be written."""
        # δ falls as α grows: at the rational above e^ε it is a lower bound, at the one below an upper bound.
        known = self.alpha(at)
        low, high = (at.above, at.below) if known is None else (known, known)
        return ends(self.delta(low))[0], ends(self.delta(high))[1]

    @property
    def least_delta(self) -> Exact:
        """What δ is at least, at every ε: what one state alone can show."""
        return max(gain for way in self._gains for gain, loss in way if not loss)

    def least_alpha(self, delta: Fraction) -> Exact | None:
        """The least α ≥ 1 at which δ is enough; None if none is."""
        if self.least_delta > delta:
            return None
        return max([ONE, *((gain - delta) / loss for way in self._gains for gain, loss in way if loss)])

    def alpha(self, at: ExpEpsilon) -> Exact | None:
        """e^ε itself, where it is a number that these can be compared with."""
        if at.below == at.above:
            return at.below
        if self._base is None or at.epsilon is None:
            return None
        below, above = Functions(self._base).alphas(at)
        return below if below == above else None

    @cached_property
    def _base(self) -> int | None:
        """The k of the e^(1/k) that the errors are functions of."""
        functions = [n for corner in self.corners for n in corner if not isinstance(n, Fraction)]
        return common_base(map(as_exponential, functions)) if functions else None


def _more(before: tuple[Exact, Exact], after: tuple[Exact, Exact], alpha: Exact) -> bool:
    """Whether the larger event gains more at α."""
    return bool(after[0] - before[0] > alpha * (after[1] - before[1]))
