"""The supremum of δ over all integers, where a program has finitely many words.

At a point δ is V = Σ_w (bottom·P_w − top·P'_w)^+ over bottom. On a region all words satisfy one recurrence in each gap,
that of their common roots and of 1. The point is then a combination of the corners, without negative coefficients, in
which the corners' masses add up to 1 (the filtered constant 1 is their mass). V is sublinear: so it is at most the
largest V(corner)/mass, and the corners that are values or limits are attained, or approached: see
docs/theory/all-integers.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ..cancel import Cancel
from .cases import Case, Shift, cases, moved_terms
from .mechanism import Mechanism
from .regions import Grid, Region, WordValues, corners, families, key_of, regions
from .rings import NumberRing, RingNumber
from .search import Alpha, Spot
from .stars import Stars

DEEPEST = 200
"""From which least gap on a region is not cut any more."""
MOST_REGIONS = 50_000


class Share(NamedTuple):
    """The number top/bottom, bottom > 0."""

    top: RingNumber
    bottom: RingNumber


class SupremumBounds(NamedTuple):
    """lower ≤ sup δ ≤ upper; where the lower bound is attained, or that it is a limit (None), and how many regions."""

    lower: Share
    upper: Share
    place: Spot | None
    regions: int
    corners: int


class Together:
    """All words of a mechanism as one, so that their points stand in one order: a case of them."""

    def __init__(self, mechanism: Mechanism, case: Case, stars: Stars) -> None:
        self.ring, self.case, self.words = stars.ring, case, mechanism.words
        self.families = families(case.terms)
        self.values = WordValues(case.terms, self.families, stars)

    def at(self, positions: Sequence[Sequence[int]], way: int) -> list[RingNumber]:
        """The words' probabilities, times one number for all."""
        found = [self.ring.number(0)] * len(self.words)
        for term, value in zip(self.case.terms, self.values.terms_at(positions, way), strict=True):
            found[term.word] = found[term.word] + value
        return found

    def spot(self, region: Region) -> Spot:
        """The least gaps of a region."""
        gaps = {w: region.sides[w[0]].least[w[1]] for w in region.free}
        return Spot(self.words, self.families, self.values.positions(region, gaps), self.case, True)

    def shares(self, region: Region, alpha: Alpha) -> tuple[dict[tuple[int, ...], Share], set[tuple[int, ...]]]:
        """V and mass of each corner; and which of them are values or limits."""
        free = region.free
        unit = self.ring.unit
        roots = []
        for f, g in free:
            listed = self.values.roots(region.sides[f], f, g)
            roots.append(listed if unit in listed else self.ring.sort_falling([unit, *listed]))
        grid: Grid = {}
        for index in product(*(range(len(listed)) for listed in roots)):
            gaps = {where: region.sides[where[0]].least[where[1]] + k for where, k in zip(free, index, strict=True)}
            positions = self.values.positions(region, gaps)
            p, q = self.at(positions, 0), self.at(positions, 1)
            gains = [alpha.bottom * x - alpha.top * y for x, y in zip(p, q, strict=True)]
            grid[index] = (*gains, alpha.bottom * sum(p[1:], p[0]))
        found = {}
        for place, (*gains, mass) in corners(self.ring, grid, roots).items():
            positive = [gain for gain in gains if self.ring.above_zero(gain)]
            found[place] = Share(sum(positive, self.ring.number(0)), mass)
        ends = {*product(*({0, len(listed) - 1} for listed in roots))}
        return found, ends


def _every(
    mechanism: Mechanism, stars: Stars, shifts: Sequence[Shift], cancel: Cancel
) -> Iterator[tuple[Together, Region]]:
    """The regions of all cases for all shifts, each once."""
    seen = set()
    for shift in shifts:
        for case in cases(moved_terms(mechanism.words, shift), shift, mechanism.name):
            every = Together(mechanism, case, stars)
            for region in regions(every.families):
                key = key_of(case.terms, every.families, region)
                if key not in seen:
                    cancel.check()
                    seen.add(key)
                    yield every, region


def supremum(
    mechanism: Mechanism,
    ring: NumberRing,
    alpha: Alpha,
    shifts: Sequence[Shift],
    cancel: Cancel,
    confirm: Callable[[Spot], bool],
) -> SupremumBounds:
    """Bounds on sup δ over all integers, equal unless a budget ends; the ring tells every sign.

    Raises Stopped.
    """
    zero = Share(ring.number(0), ring.number(1))
    best, place, count, corner_count = zero, None, 0, 0

    def larger(one: Share, other: Share) -> bool:
        return bool(ring.above_zero(one.top * other.bottom - other.top * one.bottom))

    pending = [*_every(mechanism, Stars(ring), shifts, cancel)]
    left: list[Share] = []
    while pending:
        looked: list[tuple[Together, Region, Share]] = []
        for every, region in pending:
            cancel.check()
            cancel.report(f"region {count:,}")
            shares, ends = every.shares(region, alpha)
            count, corner_count = count + 1, corner_count + len(shares)
            top = zero
            for where, share in shares.items():
                top = share if larger(share, top) else top
                if where in ends and ring.above_zero(share.bottom) and larger(share, best):
                    spot = every.spot(region)
                    if confirm(spot):
                        last = all(k == m for k, m in zip(where, max(shares), strict=True))
                        best, place = share, spot if last else None
            looked.append((every, region, top))
        pending = []
        for every, region, top in looked:
            if not larger(top, best):
                continue
            free = region.free
            gap = min(free, key=lambda each: region.sides[each[0]].least[each[1]]) if free else None
            least = DEEPEST if gap is None else region.sides[gap[0]].least[gap[1]]
            if gap is None or least >= DEEPEST or count + len(pending) > MOST_REGIONS:
                left.append(top)
                continue
            pending += [(every, region.with_gap(gap, None, least + 1)), (every, region.with_gap(gap, least, least))]
    upper = best
    for share in left:
        upper = share if larger(share, upper) else upper
    return SupremumBounds(best, upper, place, count, corner_count)
