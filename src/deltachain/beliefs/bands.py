"""δ at many ε: coarse first, then finer, and each point with what its neighbours prove.

δ(α), the larger of two suprema of linear functions of α, is convex, falls, and is 1 at α = 0. So for α₁ < α₂ < α₃

- (α₃ − α₁)·δ(α₂) ≤ (α₃ − α₂)·δ(α₁) + (α₂ − α₁)·δ(α₃): upper bounds at α₁ and α₃ bound δ(α₂) from above, and
- the same line bounds δ(α₃) from below, by a lower bound at α₂ and an upper bound at α₁, and δ(α₁) likewise.

For ε, upper bounds are known at rationals below e^ε and lower bounds at rationals above it; each is used where it is
known. The worst of several pairs is convex, too.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter

from ..cancel import Cancel
from ..rational import ExpEpsilon
from .proof import Answer
from .question import Question
from .search import search
from .workspace import Workspace

BAND_GAP = Fraction(1, 10**5)
"""How narrow each point of a band is made unless told: narrower than a plot can show."""
BUDGET = 4
"""The trees of all points together may expand this many times what those of a single question may."""

Place = tuple[Fraction, Fraction]
"""(α, a bound on δ there)."""
Keep = Callable[[ExpEpsilon, Answer], None]


@dataclass
class Known:
    """Bounds on one convex function that falls from 1 at α = 0."""

    uppers: list[Place] = field(default_factory=lambda: [(Fraction(0), Fraction(1))])
    lowers: list[Place] = field(default_factory=list)

    def add(self, at: ExpEpsilon, lower: Fraction, upper: Fraction) -> None:
        """δ(at.below) ≤ upper, and δ(at.above) ≥ lower."""
        insort(self.uppers, (at.below, upper))
        insort(self.lowers, (at.above, lower))

    def upper(self, alpha: Fraction) -> Fraction:
        """An upper bound on δ(α), from the nearest places."""
        left, right = _around(self.uppers, alpha)
        return min([left[-1][1], *(_line(left[-1], place, alpha) for place in right)])

    def lower(self, alpha: Fraction) -> Fraction:
        """A lower bound on δ(α), from the nearest places."""
        left, right = _around(self.lowers, alpha)
        found = [Fraction(0)]
        for place in left[-1:]:
            ends, _ = _around(self.uppers, place[0])
            found += (
                [place[1]] if place[0] == alpha else [_line(end, place, alpha) for end in ends if end[0] < place[0]]
            )
        for place in right[:1]:
            _, ends = _around(self.uppers, place[0])
            found += [place[1], *(_line(place, end, alpha) for end in ends)]
        return max(found)


def _around(places: Sequence[Place], alpha: Fraction) -> tuple[Sequence[Place], Sequence[Place]]:
    """The last two places at or before α, and the first two after it."""
    at = bisect_right(places, alpha, key=itemgetter(0))
    return places[max(at - 2, 0) : at], places[at : at + 2]


def _line(left: Place, right: Place, alpha: Fraction) -> Fraction:
    """The value at α of the line through two places."""
    return left[1] + (right[1] - left[1]) * (alpha - left[0]) / (right[0] - left[0])


@dataclass(frozen=True, slots=True)
class Point:
    """lower ≤ δ ≤ upper; whether it was searched, or is as narrow as asked without."""

    lower: Fraction
    upper: Fraction
    reached: bool


@dataclass(frozen=True, slots=True)
class Band:
    """The points, and whether a search was cut off before its end."""

    points: tuple[Point, ...]
    cut_off: bool


def bound_band(
    question: Question,
    work: Workspace,
    grid: Sequence[ExpEpsilon],
    cancel: Cancel,
    keep: Keep | None = None,
) -> Band:
    """Every point of the grid, which rises. When the work is cancelled, the others say what is left to prove.

    With ``keep``, which is given the answer at each point, every point must prove itself: none leans on another.
    """
    gap = question.gap if question.gap is not None else BAND_GAP
    budget = replace(question.budget, share=min(Fraction(1), Fraction(BUDGET, len(grid))))
    known, own, reached, cut_off = Known(), dict[int, tuple[Fraction, Fraction]](), set[int](), False
    for count, i in enumerate(_coarse_first(len(grid))):
        if keep is None and known.upper(grid[i].below) - known.lower(grid[i].above) <= gap:
            reached.add(i)
            continue
        if count and cancel.stopped():
            continue
        cancel.report(f"point {count + 1} of {len(grid)}")
        answer = search(replace(question, at=grid[i], gap=gap, budget=budget), work, cancel)
        own[i] = answer.lower, answer.upper
        known.add(grid[i], *own[i])
        reached.add(i)
        cut_off = cut_off or answer.cut_off
        if keep is not None:
            keep(grid[i], answer)
    bounds = _together(known, grid)
    points = [Point(*(own.get(i, bound) if keep else bound), i in reached) for i, bound in enumerate(bounds)]
    return Band(tuple(points), cut_off or len(reached) < len(grid))


def _together(known: Known, grid: Sequence[ExpEpsilon]) -> list[tuple[Fraction, Fraction]]:
    """What is known at every point; no bound rises."""
    lowers = accumulate((known.lower(at.above) for at in reversed(grid)), max)
    uppers = accumulate((known.upper(at.below) for at in grid), min)
    return list(zip(reversed(list(lowers)), uppers, strict=True))


def _coarse_first(count: int) -> list[int]:
    """0 … count − 1: the ends, then the middle, then the middles of what is left.

    >>> _coarse_first(6)
    [0, 5, 2, 1, 3, 4]
    """
    order = list(dict.fromkeys([0, count - 1]))
    waiting = [(0, count - 1)]
    for low, high in waiting:
        middle = (low + high) // 2
        if low < middle < high:
            order.append(middle)
            waiting += [(low, middle), (middle, high)]
    return order
