"""Private for all integers, or a pair of integers that is not: the search.

On each region F = bottom·P_q(w) − top·P_q'(w), where e^ε = top/bottom, is a combination of its corners without negative
coefficients. All corners ≤ 0 prove F ≤ 0. If one is not, values of the grid may already violate; else a gap is split
into its least value and all larger ones, whose corners have the sign of what is decisive far out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from ..cancel import Cancel
from .affine import solve
from .cases import Case, Shift, cases, moved_terms, needed_shifts
from .mechanism import NOISY, Mechanism, Star, WordSum
from .regions import Grid, PointFamily, Region, WordValues, corners, families, key_of, regions
from .rings import NumberRing, RingNumber
from .stars import Stars

FURTHEST = 60
"""From which least gap on a region is given up."""
ROUNDS = 40
"""How often a larger ratio is tried."""
NEAR, FAR_ALONE = 4, 64
"""How far outside the grid, where a pair is found on it; and where there are several gaps."""
FAR = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""How far outside the grid a region is tried whose corners are not all ≤ 0."""


class Alpha(NamedTuple):
    """e^ε = top/bottom, both positive numbers of the ring."""

    top: RingNumber
    bottom: RingNumber


class Spot(NamedTuple):
    """Integers: where the parts of each family of a case stand, and what its steps are; and the shift."""

    words: Sequence[WordSum]
    families: Sequence[PointFamily]
    positions: list[list[int]]
    case: Case
    at: Fraction | bool
    """The Y at which it was looked at, where Y is open."""
    ratios: tuple[tuple[RingNumber, RingNumber], ...] = ()
    """P and P' there, and of limits from there on, up to one factor each."""


@dataclass
class Found:
    """What a search found.

    Attributes:
        violation: a place where F > 0, if one was found.
        undecided: a region that was given up, if any was.
        left: a place in it.
        regions: how many regions were looked at, parts of others included.
        corners: how many corners.
        splits: how many regions were cut in two.
    """

    violation: Spot | None = None
    undecided: Region | None = None
    left: Spot | None = None
    regions: int = 0
    corners: int = 0
    splits: int = 0


class WordProblem(NamedTuple):
    """A case of a word and a shift, with its families and values."""

    word: WordSum
    case: Case
    families: Sequence[PointFamily]
    values: WordValues

    def spot(self, positions: list[list[int]], at: Fraction | bool, *ratios: tuple[RingNumber, RingNumber]) -> Spot:
        """A place of the case."""
        return Spot([self.word], self.families, positions, self.case, at, ratios)


def problems(mechanism: Mechanism, stars: Stars, shifts: Sequence[Shift], number: int) -> Iterator[WordProblem]:
    """Those of one word."""
    word = mechanism.words[number]
    for shift in needed_shifts(word, shifts):
        for case in cases(moved_terms([word], shift), shift, mechanism.name):
            own = families(case.terms)
            yield WordProblem(word, case, own, WordValues(case.terms, own, stars))


def distinct_regions(
    mechanism: Mechanism, stars: Stars, shifts: Sequence[Shift], cancel: Cancel
) -> Iterator[tuple[WordProblem, Region]]:
    """The regions of all words, each F once."""
    seen: set[Any] = set()
    for number in range(len(mechanism.words)):
        for problem in problems(mechanism, stars, shifts, number):
            cancel.check()
            for count, region in enumerate(regions(problem.families), 1):
                if count % 256 == 0:
                    cancel.check()
                key = key_of(problem.case.terms, problem.families, region)
                if key not in seen:
                    seen.add(key)
                    cancel.report(f"region {len(seen):,}, word {number + 1} of {len(mechanism.words)}")
                    yield problem, region


def grid_of(problem: WordProblem, region: Region) -> tuple[Grid, list[list[Any]]]:
    """(P_q, P_q') on the grid of the region's free gaps, and the roots along each axis."""
    values, free = problem.values, region.free
    roots = [values.roots(region.sides[f], f, g) for f, g in free]
    grid: Grid = {}
    for index in product(*(range(len(listed)) for listed in roots)):
        gaps = {where: region.sides[where[0]].least[where[1]] + k for where, k in zip(free, index, strict=True)}
        positions = values.positions(region, gaps)
        grid[index] = (values.at(positions, 0), values.at(positions, 1))
    return grid, roots


def private(
    mechanism: Mechanism,
    ring: NumberRing,
    alpha: Alpha,
    shifts: Sequence[Shift],
    cancel: Cancel,
    confirm: Callable[[Spot], bool],
) -> Found:
    """Whether P_q(w) ≤ e^ε·P_q'(w) for every word, all integers q, and q' = q + each shift.

    ``confirm`` says whether a place stands for a real pair of inputs: with linear forms it need not.
    """
    stars, found = Stars(ring), Found()
    for problem, region in distinct_regions(mechanism, stars, shifts, cancel):
        stack = [region]
        while stack:
            cancel.check()
            part = stack.pop()
            found.regions += 1
            grid, roots = grid_of(problem, part)
            ends: Grid = {}
            for place, (p, q) in grid.items():
                ends[place] = (alpha.bottom * p - alpha.top * q,)
            bad = [place for place, (f,) in corners(ring, ends, roots).items() if not ring.at_most_zero(f)]
            found.corners += len(ends)
            if not bad:
                continue
            violation = _violation(problem, part, ends, ring, alpha, confirm)
            if violation is not None:
                found.violation = violation
                return found
            free = part.free
            where = min(free, key=lambda each: part.sides[each[0]].least[each[1]]) if free else None
            # A value that is not known to be ≤ 0 stays so in every part.
            if not ring.at_most_zero(ends[(0,) * len(free)][0]):
                where = None
            if where is None or part.sides[where[0]].least[where[1]] >= FURTHEST:
                found.undecided = part
                gaps = {w: part.sides[w[0]].least[w[1]] for w in free}
                found.left = problem.spot(problem.values.positions(part, gaps), False)
                return found
            least = part.sides[where[0]].least[where[1]]
            found.splits += 1
            stack += (part.with_gap(where, None, least + 1), part.with_gap(where, least, least))
    return found


def _violation(
    problem: WordProblem,
    region: Region,
    values: Grid,
    ring: NumberRing,
    alpha: Alpha,
    confirm: Callable[[Spot], bool],
) -> Spot | None:
    """A place of the region with F > 0: on its grid, or far out, where forms that depend on each other may need it."""
    free = region.free
    least = {where: region.sides[where[0]].least[where[1]] for where in free}
    tried = [({w: least[w] + k for w, k in zip(free, index, strict=True)}, f) for index, (f,) in values.items()]
    some = any(ring.above_zero(f) for _, f in tried)
    for far in (0, *FAR) if free else (0,):
        if far > FAR_ALONE and not some and len(free) > 1:
            break
        for which in (free, *([[where] for where in free] if len(free) > 1 else [])) if far else ():
            gaps = {where: least[where] + (far if where in which else 0) for where in free}
            positions = problem.values.positions(region, gaps)
            p, q = (problem.values.at(positions, way) for way in (0, 1))
            tried.append((gaps, alpha.bottom * p - alpha.top * q))
        if some and free and far < NEAR:
            continue
        # Of an open letter the pair that violates at most of the places that are tried, and of these the nearest.
        tried.sort(key=lambda each: -ring.places_above_zero(each[1]))
        for gaps, f in tried:
            if (above := ring.above_zero(f)) is not False:
                found = _place(problem, region, gaps, above, confirm)
                if found is not None:
                    return found
        tried = []
    return None


def _place(
    problem: WordProblem,
    region: Region,
    gaps: dict[tuple[int, int], int],
    above: Fraction | bool,
    confirm: Callable[[Spot], bool],
) -> Spot | None:
    positions = problem.values.positions(region, gaps)
    pair = problem.values.at(positions, 0), problem.values.at(positions, 1)
    limits = tuple((p, q) for p, q, gap in ends_of(problem, region) if gap is None)
    place = problem.spot(positions, above, pair, *limits)
    return place if confirm(place) else None


def ends_of(
    problem: WordProblem, region: Region
) -> Iterator[tuple[RingNumber, RingNumber, dict[tuple[int, int], int] | None]]:
    """P and P' at the least gaps, with these gaps; and where some gaps grow without end, up to a factor, with None.

    Along an axis the first corner is the coefficient of the largest root, the last one the value at the least gap.
    An axis without roots has no corners: both are 0 on all of the region.
    """
    grid, roots = grid_of(problem, region)
    if not all(roots):
        return
    found = corners(problem.values.ring, grid, roots)
    least = {where: region.sides[where[0]].least[where[1]] for where in region.free}
    for place in product(*({0, len(listed) - 1} for listed in roots)):
        p, q = found[place]
        here = all(k == len(listed) - 1 for k, listed in zip(place, roots, strict=True))
        yield p, q, least if here else None


# The largest ratio.


@dataclass
class Reached:
    """The largest ratio P/P' that was found: top/bottom; infinite where bottom is 0.

    ``place`` is where it is attained; None for a limit, or for 1, the ratio of equal probabilities. ``real`` says that
    pairs of inputs stand behind it.
    """

    top: RingNumber
    bottom: RingNumber
    place: Spot | None = None
    real: bool = True


def largest_ratio(
    mechanism: Mechanism, ring: NumberRing, shifts: Sequence[Shift], cancel: Cancel, confirm: Callable[[Spot], bool]
) -> tuple[Reached, Found]:
    """The largest ratio at the corners that are values or limits; and whether it is the supremum: `Found` at it."""
    stars = Stars(ring)
    best = Reached(ring.number(1), ring.number(1))
    for problem, region in distinct_regions(mechanism, stars, shifts, cancel):
        for p, q, gaps in ends_of(problem, region):
            larger = p * best.bottom - q * best.top
            # Of equal ratios one that a pair attains says more than a limit.
            same = gaps is not None and best.place is None and bool(p) and not larger
            if not (same or ring.above_zero(larger)):
                continue
            at = {w: region.sides[w[0]].least[w[1]] for w in region.free}
            tried = [at] if gaps is not None else [at, *({**at, w: n + 1} for w, n in at.items())]
            places = [problem.spot(problem.values.positions(region, each), True) for each in tried]
            real = all(map(confirm, places))
            if same and not real:
                continue
            place = places[0] if gaps is not None else None
            if ring.at_most_zero(q) and not (real and place):
                place = _impossible_beside(problem, region, at, ring, confirm) or place
                real = real or place is not None
            best = Reached(p, q, place, real)
            if ring.at_most_zero(q):
                return best, Found()
    found = Found()
    for _ in range(ROUNDS):
        found = private(mechanism, ring, Alpha(best.top, best.bottom), shifts, cancel, confirm)
        if found.violation is None:
            return best, found
        for number, (p, q) in enumerate(found.violation.ratios):
            if ring.above_zero(p * best.bottom - q * best.top):
                best = Reached(p, q, None if number else found.violation, not number)
        if ring.at_most_zero(best.bottom):
            return best, Found()
    return best, found


def _impossible_beside(
    problem: WordProblem,
    region: Region,
    least: dict[tuple[int, int], int],
    ring: NumberRing,
    confirm: Callable[[Spot], bool],
) -> Spot | None:
    """Integers of a region whose ratios are infinite, where the word is possible before and not after."""
    for far in (0, *FAR):
        positions = problem.values.positions(region, {where: gap + far for where, gap in least.items()})
        p, q = (problem.values.at(positions, way) for way in (0, 1))
        place = problem.spot(positions, True)
        if ring.above_zero(p) and ring.at_most_zero(q) and confirm(place):
            return place
    return None


# From places to inputs.


MOVED = (0, *(way * 2**k for k in range(13) for way in (1, -1)))
"""By how much all integers are moved, until announced ones are possible."""


def inputs_at(mechanism: Mechanism, place: Spot) -> tuple[dict[str, int], dict[str, int]] | None:
    """Values of all inputs, and of announced integers, that the place stands for; None if none are found."""
    names = [*mechanism.inputs, *mechanism.outputs]
    rows: list[list[int]] = []
    right: list[int] = []
    for family, positions in zip(place.families, place.positions, strict=True):
        first = dict(family.parts[0])
        for parts, position in zip(family.parts[1:], positions[1:], strict=True):
            own = dict(parts)
            rows.append([own.get(name, 0) - first.get(name, 0) for name in names])
            right.append(position - positions[0])
    for parts, value in place.case.steps:
        own = dict(parts)
        rows.append([own.get(name, 0) for name in names])
        right.append(value)
    solution = solve(rows, right) if rows else [0] * len(names)
    if solution is None:
        return None
    rigid = any(sum(row) for row in rows)
    middle = sorted(solution[: len(mechanism.inputs)])[len(mechanism.inputs) // 2]
    for by in (0,) if rigid else MOVED:
        values = {name: value + by - (0 if rigid else middle) for name, value in zip(names, solution, strict=True)}
        if _is_possible(place.words, values):
            return {n: values[n] for n in mechanism.inputs}, {n: values[n] for n in mechanism.outputs}
    return None


def _is_possible(words: Sequence[WordSum], values: dict[str, int]) -> bool:
    """Whether some term has no star without noise that is 0."""

    def holds(star: Star) -> bool:
        if any(atom.kind in NOISY for atom in star):
            return True
        low = max((a.point.at(values) for a in star if a.kind in ("at", "from")), default=None)
        high = min((a.point.at(values) for a in star if a.kind in ("at", "upto")), default=None)
        return low is None or high is None or low <= high

    return any(all(map(holds, term.stars)) for word in words for term in word.terms)
