"""Regions: all inputs whose points stand in one order, with some gaps given and the others at least so large.

The points of a word's stars are grouped into *families*: stars of one family move together, those of different families
on their own. A *region* gives each family an order of its points, and each gap between neighbours a value or a least
value N. On a region, and for neighbours that differ by one shift, F = P_q(w) − α·P_q'(w) is a function of the free gaps
that satisfies a recurrence in each (`stars`); filtering its values on a grid leaves finitely many *corners* of which
F is a combination without negative coefficients (docs/theory/all-integers.md, Lemma 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise, permutations, product
from math import lcm
from operator import and_
from typing import Any, NamedTuple

from ..cancel import spend
from .affine import Form, FormParts
from .mechanism import Atom, NoiseRatio, Star, WordSum
from .rings import Number, NumberRing
from .stars import LAWS, MONOTONE, Factor, Placed, Stars, roots_of, value_of

VALUE = 200
"""Steps for what a word's value, or a region's key, takes beside its stars."""
Shift = Mapping[str, int]
"""What neighbours add to each input."""


class FamilyPoint(NamedTuple):
    """An atom of a star: which term and star, what it is, at which point of its family, and how far beside it."""

    term: int
    star: int
    atom: Atom
    place: int
    offset: int


@dataclass(frozen=True)
class PointFamily:
    """Points that stand in one order: linear parts, which are integers of their own, and the atoms at them."""

    parts: tuple[FormParts, ...]
    points: tuple[FamilyPoint, ...]

    def shifts(self, shift: Shift) -> tuple[int, ...]:
        """How far each part moves, all relative to the first."""
        moved = [sum(c * shift.get(name, 0) for name, c in parts) for parts in self.parts]
        return tuple(each - moved[0] for each in moved)


def _relative(star: Star) -> dict[FormParts, list[Atom]]:
    found: dict[FormParts, list[Atom]] = {}
    for atom in star:
        found.setdefault(atom.point.parts, []).append(atom)
    return found


def _move(parts: FormParts, by: FormParts) -> FormParts:
    return Form(parts).plus(Form(by), -1).parts


def families(word: WordSum, inputs: Sequence[str]) -> tuple[PointFamily, ...]:
    """The families of a word; stars that depend on no input and are factors of all terms are left out.

    A star joins a family whose points, moved by some form, contain its own. Otherwise it gets one of its own: its
    points then count as independent of others, which proves more than is needed and is sound.
    """
    groups: list[tuple[list[FormParts], list[FamilyPoint]]] = []
    kept = _without_common(word, inputs)
    stars = [(t, s, star) for t, term in enumerate(kept) for s, star in enumerate(term)]
    # Those with many points first, so that others can join them.
    stars.sort(key=lambda each: -len(_relative(each[2])))
    for t, s, star in stars:
        own = list(_relative(star))
        group, by = next(
            (
                (group, _move(own[0], target))
                for group in groups
                for target in group[0]
                if all(_move(parts, _move(own[0], target)) in group[0] for parts in own)
            ),
            (None, ()),
        )
        if group is None:
            group, by = (own, []), ()
            groups.append(group)
        for atom in star:
            place = group[0].index(_move(atom.point.parts, by))
            group[1].append(FamilyPoint(t, s, atom, place, atom.point.constant))
    return tuple(PointFamily(tuple(parts), tuple(points)) for parts, points in groups)


def _without_common(word: WordSum, inputs: Sequence[str]) -> list[list[Star]]:
    """The stars of each term, without those that say of announced integers alone whether they are possible.

    They are the same for all inputs, and 0 or more: where the rest of F is at most 0, F is.
    """
    known = {*inputs}

    def is_fixed(star: Star) -> bool:
        return not any(name in known for atom in star for name, _ in atom.point.parts)

    counts = [Counter(star for star in term.stars if is_fixed(star)) for term in word.terms]
    common = reduce(and_, counts)
    found = []
    for term in word.terms:
        left, kept = common.copy(), []
        for star in term.stars:
            if left[star]:
                left[star] -= 1
            else:
                kept.append(star)
        found.append(kept)
    return found


# Which shifts are needed.


def needed_shifts(word: WordSum, found: Sequence[PointFamily], shifts: Sequence[Shift]) -> list[Shift]:
    """Shifts such that for each of all there is one of these with a P_q'(w) that is at most as large, at every q.

    An atom that grows when its point moves up is the least where the point is the lowest. Points of one family may be
    moved together; where weights are negative, or atoms neither grow nor fall, only equal shifts stand for each other.
    """
    vectors: dict[tuple[tuple[int, ...], ...], Shift] = {}
    for shift in shifts:
        moved = tuple(family.shifts(shift) for family in found)
        vectors.setdefault(moved, shift)
    if any(term.weight < 0 for term in word.terms):
        return list(vectors.values())
    kept: list[tuple[tuple[int, ...], ...]] = []
    for vector in vectors:
        spend(VALUE + len(kept))
        if any(_at_most(found, other, vector) for other in kept):
            continue
        kept = [other for other in kept if not _at_most(found, vector, other)] + [vector]
    return [vectors[vector] for vector in kept]


def _at_most(found: Sequence[PointFamily], one: Sequence[Sequence[int]], other: Sequence[Sequence[int]]) -> bool:
    """Whether P under the first shift is surely at most that under the second: star by star, up to a translation."""
    for family, first, second in zip(found, one, other, strict=True):
        stars: dict[tuple[int, int], list[FamilyPoint]] = {}
        for point in family.points:
            stars.setdefault((point.term, point.star), []).append(point)
        for points in stars.values():
            rigid = {first[p.place] - second[p.place] for p in points if not MONOTONE[p.atom.kind]}
            if len(rigid) > 1:
                return False
            by = next(iter(rigid), 0)
            if any(MONOTONE[p.atom.kind] * (first[p.place] - second[p.place] - by) > 0 for p in points):
                return False
    return True


# Regions.


class FamilyOrder(NamedTuple):
    """A family on a region: its points in order, the gaps between them (None: free), and the least free ones."""

    order: tuple[int, ...]
    gaps: tuple[int | None, ...]
    least: tuple[int, ...]


@dataclass(frozen=True)
class Region:
    """One side for each family of a word, and the shift of the neighbours."""

    sides: tuple[FamilyOrder, ...]
    shifts: tuple[tuple[int, ...], ...]

    @property
    def free(self) -> list[tuple[int, int]]:
        """The free gaps: family and place."""
        return [(f, g) for f, side in enumerate(self.sides) for g, gap in enumerate(side.gaps) if gap is None]

    def with_gap(self, where: tuple[int, int], gap: int | None, least: int) -> Region:
        """The region where one free gap has a value, or another least value."""
        f, g = where
        side = self.sides[f]
        gaps, leasts = list(side.gaps), list(side.least)
        gaps[g], leasts[g] = gap, least
        changed = FamilyOrder(side.order, tuple(gaps), tuple(leasts))
        return Region((*self.sides[:f], changed, *self.sides[f + 1 :]), self.shifts)


def thresholds(family: PointFamily, order: Sequence[int], shifts: Sequence[int]) -> list[int]:
    """For each gap from where on the recurrence holds, before and after the shift."""
    found = []
    for cut in range(1, len(order)):
        below, above = set(order[:cut]), set(order[cut:])
        need = 0
        stars = {(p.term, p.star) for p in family.points}
        for star in stars:
            own = [p for p in family.points if (p.term, p.star) == star]
            for moved in (0, 1):
                tops = [p.offset + moved * shifts[p.place] + LAWS[p.atom.kind].from_ for p in own if p.place in below]
                ends = [p.offset + moved * shifts[p.place] + LAWS[p.atom.kind].upto for p in own if p.place in above]
                if tops and ends:
                    need = max(need, max(tops) - min(ends) - 1)
        found.append(need)
    return found


def regions(found: Sequence[PointFamily], shift: Shift) -> Iterator[Region]:
    """Regions that cover all inputs, for one shift."""
    shifts = tuple(family.shifts(shift) for family in found)
    options = []
    for family, moved in zip(found, shifts, strict=True):
        sides = []
        for order in permutations(range(len(family.parts))):
            least = tuple(thresholds(family, order, moved))
            sides += [FamilyOrder(order, gaps, least) for gaps in product(*((None, *range(n)) for n in least))]
        options.append(sides)
    for chosen in product(*options):
        yield Region(tuple(chosen), shifts)


def key_of(word: WordSum, found: Sequence[PointFamily], region: Region) -> Any:
    """What F depends on: two regions of one key have the same F, whatever the inputs are called."""
    spend(VALUE)
    sides = []
    single = len(word.terms) == 1
    for family, side, shifts in zip(found, region.sides, region.shifts, strict=True):
        names: dict[tuple[int, int], int] = {}
        columns = []
        first = shifts[side.order[0]]
        for place in side.order:
            own = []
            for p in family.points:
                if p.place == place:
                    star = names.setdefault((p.term, p.star), len(names)) if single else (p.term, p.star)
                    own.append((star, p.atom.kind, p.atom.ratio, p.offset))
            columns.append((tuple(sorted(own, key=str)), shifts[place] - first))
        sides.append((tuple(columns), side.gaps, side.least))
    # A positive weight changes no sign; a word that is never seen says nothing of the others.
    weights = tuple(term.weight for term in word.terms) if not single else (word.terms[0].weight > 0,)
    return (weights, tuple(sorted(sides, key=str) if single else sides))


# F and its corners.


class WordValues:
    """The probabilities of a word on regions, over one common denominator, which is positive."""

    def __init__(self, word: WordSum, found: Sequence[PointFamily], stars: Stars) -> None:
        self.word, self.families, self.stars, self.ring = word, found, stars, stars.ring
        self.factors, self.scale = self._common()

    def _members(self, term: int) -> dict[tuple[int, int], list[tuple[int, FamilyPoint]]]:
        """The atoms of each star of a term, with the numbers of their families."""
        members: dict[tuple[int, int], list[tuple[int, FamilyPoint]]] = {}
        for f, family in enumerate(self.families):
            for p in family.points:
                if p.term == term:
                    members.setdefault((p.term, p.star), []).append((f, p))
        return members

    def _common(self) -> tuple[list[Number], tuple[Any, Any]]:
        """What each term is multiplied by; and the P and Q with F = value·ΠP/ΠQ."""
        tops: list[Counter[Factor]] = []
        bottoms: list[Counter[Factor]] = []
        self.members = [list(self._members(t).values()) for t in range(len(self.word.terms))]
        for members in self.members:
            top: Counter[Factor] = Counter()
            bottom: Counter[Factor] = Counter()
            for points in members:
                one, other = self.stars.kinds(tuple((p.atom.kind, p.atom.ratio) for _, p in points))
                top += one
                bottom += other
            tops.append(top)
            bottoms.append(bottom)
        shared_top, common = tops[0], bottoms[0]
        for top, bottom in zip(tops[1:], bottoms[1:], strict=True):
            shared_top, common = shared_top & top, common | bottom
        whole = lcm(*(term.weight.denominator for term in self.word.terms))
        factors = []
        for term, top, bottom in zip(self.word.terms, tops, bottoms, strict=True):
            factor = self.ring.number(int(term.weight * whole))
            for each in ((top - shared_top) + (common - bottom)).elements():
                factor = factor * value_of(self.ring, each)
            factors.append(factor)
        return factors, (shared_top, (common, whole))

    def at(self, positions: Sequence[Sequence[int]]) -> Number:
        """The word's probability, where each family's parts are these integers; times its common denominator."""
        values = self.terms_at(positions)
        return sum(values[1:], values[0])

    def terms_at(self, positions: Sequence[Sequence[int]]) -> list[Number]:
        """The same of each term."""
        spend(VALUE)
        found = []
        for factor, members in zip(self.factors, self.members, strict=True):
            value = factor
            for points in members:
                placed: list[Placed] = [
                    (p.atom.kind, p.atom.ratio, positions[f][p.place] + p.offset) for f, p in points
                ]
                value = value * self.stars.value(placed)
                if not value:
                    break
            found.append(value)
        return found

    def roots(self, side: FamilyOrder, family: int, gap: int) -> list[NoiseRatio]:
        """The roots of the recurrence in one gap, with repetitions, the largest first."""
        below = set(side.order[: gap + 1])
        most: dict[NoiseRatio, int] = {}
        for members in self.members:
            product_of: dict[NoiseRatio, int] = {self.ring.unit: 1}
            for points in members:
                own = [p for f, p in points if f == family]
                low = [(p.atom.kind, p.atom.ratio) for p in own if p.place in below]
                high = [(p.atom.kind, p.atom.ratio) for p in own if p.place not in below]
                if low and high:
                    listed = [*roots_of(self.ring, low, "upper"), *roots_of(self.ring, high, "lower")]
                    product_of = _multiply(self.ring, product_of, listed)
            for root, times in product_of.items():
                most[root] = max(most.get(root, 0), times)
        return self.ring.sort_falling([root for root, times in most.items() for _ in range(times)])

    def positions(self, region: Region, free: Mapping[tuple[int, int], int], *, shifted: bool) -> list[list[int]]:
        """Where the parts of each family stand, for values of the free gaps."""
        found = []
        for f, (side, shifts) in enumerate(zip(region.sides, region.shifts, strict=True)):
            places = [0] * len(side.order)
            at = 0
            for g, part in enumerate(side.order):
                if g:
                    gap = side.gaps[g - 1]
                    at += free[f, g - 1] if gap is None else gap
                places[part] = at + (shifts[part] if shifted else 0)
            found.append(places)
        return found


def _multiply(ring: NumberRing, found: dict[NoiseRatio, int], listed: Iterable[NoiseRatio]) -> dict[NoiseRatio, int]:
    """The roots of a product of sequences: ρσ, as often as the two occur together, less one."""
    own: dict[NoiseRatio, int] = {}
    for root in listed:
        own[root] = own.get(root, 0) + 1
    result: dict[NoiseRatio, int] = {}
    for one, times in found.items():
        for other, more in own.items():
            root = ring.product(one, other)
            result[root] = max(result.get(root, 0), times + more - 1)
    return result


Grid = dict[tuple[int, ...], tuple[Number, ...]]


def corners(ring: NumberRing, grid: Grid, roots: Sequence[Sequence[NoiseRatio]]) -> Grid:
    """The corners of values on a grid: filtered along each axis, the smallest roots first.

    The corner (m, m, …) is the value at the least gaps; where 1 is the largest root, (1, 1, …) is a limit.
    """
    for axis, listed in enumerate(roots):
        found: Grid = {}
        lines: dict[tuple[int, ...], list[tuple[Number, ...]]] = {}
        for place in sorted(grid):
            lines.setdefault(place[:axis] + place[axis + 1 :], []).append(grid[place])
        elements = [ring.power(root, 1) for root in listed]
        for rest, line in lines.items():
            values = line
            for number in range(len(listed) - 1, -1, -1):
                found[(*rest[:axis], number, *rest[axis:])] = values[0]
                r = elements[number]
                values = [tuple([y - r * x for x, y in zip(a, b, strict=True)]) for a, b in pairwise(values)]
        grid = found
    return grid
