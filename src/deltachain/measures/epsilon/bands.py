"""δ at many ε: coarse first, then finer, and each point with what its neighbours prove.

δ(α), the larger of two suprema of linear functions of α, is convex, falls, and is 1 at α = 0. So for α₁ < α₂ < α₃

- (α₃ − α₁)·δ(α₂) ≤ (α₃ − α₂)·δ(α₁) + (α₂ − α₁)·δ(α₃): upper bounds at α₁ and α₃ bound δ(α₂) from above, and
- the same line bounds δ(α₃) from below, by a lower bound at α₂ and an upper bound at α₁, and δ(α₁) likewise.

A bound at e^ε may be proved at e^ε itself, where rows are functions of e^(1/k): at the rational below, δ may be larger.
δ falls, so an upper bound stands at the rational above e^ε, and a lower bound at the one below; from there lines are
drawn. The worst of several pairs is convex, too.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import itemgetter

from ...beliefs.proof import Answer
from ...beliefs.question import Question
from ...beliefs.search import search
from ...beliefs.workspace import Workspace
from ...cancel import Cancel
from ...numbers.fraction import ExpEpsilon

BAND_GAP = Fraction(1, 10**5)
"""How narrow each point of a band is made unless told: narrower than a plot can show."""
BUDGET = 4
"""The trees of all points together may expand this many times what those of a single question may."""

BandPlace = tuple[Fraction, Fraction]
"""(α, a bound on δ there)."""
SeesAnswer = Callable[[ExpEpsilon, Answer], None]


@dataclass
class Known:
    """Bounds on one convex function that falls from 1 at α = 0.

    Attributes:
        uppers: (α, an upper bound there), by rising α.
        lowers: (α, a lower bound there), by rising α.
        alone: whether what is proved and refuted must be so at one place, as a certificate needs it, without lines.
        positive: the function is above 0 at every α below it.
    """

    uppers: list[BandPlace] = field(default_factory=lambda: [(Fraction(0), Fraction(1))])
    lowers: list[BandPlace] = field(default_factory=list)
    alone: bool = False
    positive: Fraction = Fraction(1)

    def add(self, at: ExpEpsilon, lower: Fraction, upper: Fraction) -> None:
        """At e^ε, lower ≤ δ ≤ upper: so δ(at.above) ≤ upper, and δ(at.below) ≥ lower."""
        insort(self.uppers, (at.above, upper))
        insort(self.lowers, (at.below, lower))

    @classmethod
    def of(cls, points: Iterable[tuple[Fraction, Fraction, Fraction]]) -> Known:
        """From (ε, lower, upper): what is proved at e^ε. Upper bounds that chords of others improve on are left out."""
        known = cls()
        for epsilon, lower, upper in points:
            known.add(ExpEpsilon.of(epsilon), lower, upper)
        return cls(_hull(known.uppers), known.lowers)

    def upper(self, alpha: Fraction) -> Fraction:
        """An upper bound on δ(α), from the nearest places."""
        left, right = _around(self.uppers, alpha)
        # δ falls, so a bound to the left holds here, and (0, 1) is always to the
        # left; or the chords to what is to the right.
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
            # δ falls, so a lower bound to the right holds here, and it is convex, so a line from there through an upper
            # bound beyond it does as well.
            found += [place[1], *(_line(place, end, alpha) for end in ends)]
        return max(found)

    def prove(self, delta: Fraction) -> Fraction | None:
        """The least α ≥ 1 found with δ(α) ≤ ``delta``: where a chord comes down to it. None if no place does."""
        found = []
        first = next((i for i, (_, upper) in enumerate(self.uppers) if upper <= delta), None)
        if first is None:
            return None
        for low in self.uppers[first : first + 2]:
            high = [place for place in self.uppers[:first] if place[0] < low[0]][-2:]
            found += [low[0]] if low[1] <= delta else []
            if not self.alone:
                found += [_find_crossing(place, low, delta) for place in high if low[1] <= delta < place[1]]
        return max(min(found), Fraction(1))

    def refute(self, delta: Fraction) -> Fraction:
        """An α ≥ 1 with δ > ``delta`` everywhere below it: where a secant, extended, comes down to it."""
        found = [Fraction(1) if delta else self.positive]
        for place in self.lowers:
            if place[1] <= delta:
                continue
            ends = [end for end in _around(self.uppers, place[0])[0] if end[0] < place[0] and end[1] > place[1]]
            found += [place[0], *(_find_crossing(end, place, delta) for end in ends if not self.alone)]
        return max(found)


def _hull(places: Sequence[BandPlace]) -> list[BandPlace]:
    """The corners of the lower convex hull, as far as it falls: between them it is the best that chords prove."""
    kept: list[BandPlace] = []
    for place in places:
        if kept and place[1] >= kept[-1][1]:
            continue
        while kept and kept[-1][0] == place[0]:
            kept.pop()
        # A corner on or above the chord of its neighbors says nothing new.
        while len(kept) > 1 and _line(kept[-2], place, kept[-1][0]) <= kept[-1][1]:
            kept.pop()
        kept.append(place)
    return kept


def _find_crossing(left: BandPlace, right: BandPlace, height: Fraction) -> Fraction:
    """The α at which the line through two places, which falls, has a height."""
    return left[0] + (left[1] - height) * (right[0] - left[0]) / (left[1] - right[1])


def _around(places: Sequence[BandPlace], alpha: Fraction) -> tuple[Sequence[BandPlace], Sequence[BandPlace]]:
    """The last two places at or before α, and the first two after it."""
    at = bisect_right(places, alpha, key=itemgetter(0))
    return places[max(at - 2, 0) : at], places[at : at + 2]


def _line(left: BandPlace, right: BandPlace, alpha: Fraction) -> Fraction:
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
    seen: SeesAnswer = lambda _at, _answer: None,
    alone: bool = False,
) -> Band:
    """Every point of the grid, which rises. When the work is cancelled, the others say what is left to prove.

    ``seen`` is given the answer of each search. If they stand ``alone``, every point must prove itself, and none leans
    on another.
    """
    gap = question.gap if question.gap is not None else BAND_GAP
    budget = replace(question.budget, share=min(Fraction(1), Fraction(BUDGET, len(grid))))
    known, own, reached, cut_off = Known(), dict[int, tuple[Fraction, Fraction]](), set[int](), False
    for count, i in enumerate(_coarse_first(len(grid))):
        # δ falls: what bounds it from above just below e^ε, and from below just above it, bounds it at e^ε.
        if not alone and known.upper(grid[i].below) - known.lower(grid[i].above) <= gap:
            reached.add(i)
            continue
        if count and cancel.is_stopped():
            continue
        point = cancel.part(f"point {count + 1} of {len(grid)}")
        answer = search(replace(question, at=grid[i], gap=gap, budget=budget), work, point)
        own[i] = answer.lower, answer.upper
        known.add(grid[i], *own[i])
        reached.add(i)
        cut_off = cut_off or answer.cut_off
        seen(grid[i], answer)
    bounds = _together(known, grid, own)
    points = [Point(*(own.get(i, bound) if alone else bound), i in reached) for i, bound in enumerate(bounds)]
    return Band(tuple(points), cut_off or len(reached) < len(grid))


WIDEST_POINTS = 31
"""Points of a band whose places are chosen, at most."""
FLAT, FINE = Fraction(1, 100), Fraction(1, 8)
"""A band is not made narrower than this share of its height, or of what searches leave, for a picture's sake."""
CLOSEST = Fraction(1, 1000)
"""Points whose places are chosen have ε to this step."""


def bound_widest(
    question: Question,
    work: Workspace,
    end: Fraction,
    cancel: Cancel,
    most: int = WIDEST_POINTS,
    seen: SeesAnswer = lambda _at, _answer: None,
) -> tuple[list[Fraction], Band]:
    """(ε, the band there): points from 0 to ``end``, each where the band of those before is widest.

    ``seen`` is given the answer of each search. It stops when the band is narrow everywhere, after ``most`` points, or
    when it is cancelled.
    """
    known, own, cut_off = Known(), dict[Fraction, tuple[Fraction, Fraction]](), False
    gap = question.gap if question.gap is not None else BAND_GAP
    budget = replace(question.budget, share=min(Fraction(1), Fraction(BUDGET, most)))
    waiting: Fraction | None = Fraction(0)
    while waiting is not None:
        point = cancel.part(f"point {len(own) + 1} of at most {most}, ε = {float(waiting):.4g}")
        at = ExpEpsilon.of(waiting)
        answer = search(replace(question, at=at, gap=gap, budget=budget), work, point)
        own[waiting] = answer.lower, answer.upper
        known.add(at, *own[waiting])
        seen(at, answer)
        cut_off = cut_off or answer.cut_off
        if cancel.is_stopped():
            cut_off = True
            break
        waiting = end if len(own) == 1 else _widest(known, sorted(own), own, most)
    grid = sorted(own)
    bounds = _together(known, [ExpEpsilon.of(e) for e in grid], {i: own[e] for i, e in enumerate(grid)})
    return grid, Band(tuple(Point(*bound, True) for bound in bounds), cut_off)


def _widest(
    known: Known, grid: Sequence[Fraction], own: Mapping[Fraction, tuple[Fraction, Fraction]], most: int
) -> Fraction | None:
    """The middle of two neighbouring points where the band gains most from a search; None if that is not worth it."""
    if len(grid) >= most:
        return None
    enough = max(own[grid[0]][1] * FLAT, BAND_GAP)
    best, place = enough, None
    for left, right in pairwise(grid):
        middle = (left + right) / 2 // CLOSEST * CLOSEST
        if not left < middle < right:
            continue
        at = ExpEpsilon.of(middle)
        # A search here will hardly be narrower than its neighbours are, on the mean.
        expected = sum((high - low for low, high in (own[left], own[right])), Fraction(0)) / 2
        gain = known.upper(at.below) - known.lower(at.above) - expected
        if gain > max(best, expected * FINE):
            best, place = gain, middle
    return place


def _together(
    known: Known, grid: Sequence[ExpEpsilon], own: Mapping[int, tuple[Fraction, Fraction]]
) -> list[tuple[Fraction, Fraction]]:
    """What is known at every point, by a search of its ``own`` or by lines; no bound rises."""
    nothing = Fraction(0), Fraction(1)
    lines = [(known.lower(at.above), known.upper(at.below)) for at in grid]
    both = [(lines[i], own.get(i, nothing)) for i in range(len(grid))]
    # δ falls: a lower bound holds at every smaller ε, an upper bound at every larger one.
    lowers = accumulate((max(line[0], found[0]) for line, found in reversed(both)), max)
    uppers = accumulate((min(line[1], found[1]) for line, found in both), min)
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
