"""δ at every ε as one exact curve, from the best tests between two states: what the checker accepts of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise

from ..numbers.exponential import as_exponential, common_base
from ..numbers.field import Exact, Functions, ends
from ..numbers.fraction import ExpEpsilon, log_above

ZERO, ONE = Fraction(0), Fraction(1)


TradeOffLine = tuple[Exact, Exact]
"""What an event gains, gain − α·loss: its probabilities from the one state, and from the other."""


@dataclass(frozen=True)
class ExactCurve:
    """δ as a function of α = e^ε ≥ 1: the most that an event gains, and not below 0.

    Attributes:
        lines: for each direction its best events, from small ones to large ones, which gain ever less of the first
            probability for more of the second.
    """

    lines: tuple[tuple[TradeOffLine, ...], ...]

    def delta(self, alpha: Exact) -> Exact:
        """δ at α = e^ε.

        >>> quarter, half = Fraction(1, 4), Fraction(1, 2)
        >>> print(ExactCurve((((quarter, ZERO), (half, quarter)),)).delta(half))
        3/8
        """
        if isinstance(alpha, Fraction) and self._whole is not None:
            return max(_most(bottom, gains, losses, alpha) for bottom, gains, losses in self._whole)
        found: Exact = ZERO
        for way in self.lines:
            # A larger event is worth it, and then no longer.
            last, after = 0, len(way)
            while after - last > 1:
                middle = (last + after) // 2
                last, after = (middle, after) if _more(way[middle - 1], way[middle], alpha) else (last, middle)
            gain, loss = way[last]
            found = max(found, gain - alpha * loss)
        return found

    def bounds(self, at: ExpEpsilon) -> tuple[Fraction, Fraction]:
        """(lower, upper) of δ at e^ε; as near as e^ε and the value itself can be written."""
        # δ falls as α grows: at the rational above e^ε it is a lower bound, at the one below an upper bound.
        known = self.exactly(at)
        low, high = (self.delta(at.above), self.delta(at.below)) if known is None else (known, known)
        return ends(low)[0], ends(high)[1]

    def exactly(self, at: ExpEpsilon) -> Exact | None:
        """δ at e^ε itself, where that is a number that the probabilities can be compared with."""
        if at.below == at.above:
            return self.delta(at.below)
        if self._base is None or at.epsilon is None:
            return None
        below, above = Functions(self._base).alphas(at)
        return self.delta(below) if below == above else None

    @cached_property
    def _whole(self) -> list[tuple[int, list[int], list[int]]] | None:
        """Of each direction the gains and the losses over one denominator; None where some are not fractions."""
        found = []
        for way in self.lines:
            numbers = [number for number in chain.from_iterable(way) if isinstance(number, Fraction)]
            if len(numbers) < 2 * len(way):
                return None
            bottom = math.lcm(*(number.denominator for number in numbers))
            tops = [number.numerator * (bottom // number.denominator) for number in numbers]
            found.append((bottom, tops[::2], tops[1::2]))
        return found

    @property
    def farthest(self) -> float:
        """The largest finite loss, either way."""
        steps = ((b[0] - a[0], b[1] - a[1]) for way in self.lines for a, b in pairwise(way))
        ratios = [gain / loss for gain, loss in steps if loss]
        return max((float(log_above(ends(ratio)[1], 12)) for ratio in ratios if ratio > 1), default=0.0)

    @property
    def least_delta(self) -> Exact:
        """What δ is at least, at every ε: what one state alone can show."""
        return max(gain for way in self.lines for gain, loss in ((ZERO, ZERO), *way) if not loss)

    def least_alpha(self, delta: Fraction) -> Exact | None:
        """The least α ≥ 1 at which δ is enough; None if none is."""
        if self.least_delta > delta:
            return None
        return max([ONE, *((gain - delta) / loss for way in self.lines for gain, loss in way if loss)])

    @cached_property
    def _base(self) -> int | None:
        """The k of the e^(1/k) that the probabilities are functions of."""
        functions = [n for way in self.lines for line in way for n in line if not isinstance(n, Fraction)]
        return common_base(map(as_exponential, functions)) if functions else None


def curve_of_tests(corners: Sequence[tuple[Exact, Exact]]) -> ExactCurve:
    """Of the best tests of "second" against "first", by (false positives, which rise, false negatives, which fall).

    A test is an event: from the first state it has the first probability, from the second 1 less the other one.

    >>> quarter = Fraction(1, 4)
    >>> print(curve_of_tests([(ZERO, ONE), (quarter, quarter), (ONE, ZERO)]).delta(Fraction(2)))
    1/4
    """
    last, least = corners[-1]
    forth = tuple((1 - b, a) for a, b in corners)
    return ExactCurve((forth, tuple((last - a, b - least) for a, b in reversed(corners))))


def _most(bottom: int, gains: Sequence[int], losses: Sequence[int], alpha: Fraction) -> Fraction:
    """The same as `ExactCurve.delta` in integers, of one direction."""
    p, q = alpha.as_integer_ratio()
    last, after = 0, len(gains)
    while after - last > 1:
        middle = (last + after) // 2
        more = (gains[middle] - gains[middle - 1]) * q > p * (losses[middle] - losses[middle - 1])
        last, after = (middle, after) if more else (last, middle)
    return Fraction(max(gains[last] * q - p * losses[last], 0), bottom * q)


def _more(before: TradeOffLine, after: TradeOffLine, alpha: Exact) -> bool:
    """Whether the larger event gains more at α."""
    return bool(after[0] - before[0] > alpha * (after[1] - before[1]))
