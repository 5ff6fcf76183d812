"""Regions: all inputs whose points stand in one order, with some gaps given and the others at least so large.

The points of a case's stars are grouped into *families*: stars of one family move together, those of different families
on their own. A *region* gives each family an order of its points, and each gap between neighbours a value or a least
value N. On a region, for neighbours that differ by one shift, F = P_q(w) − α·P_q'(w) is a function of the free gaps
that satisfies a recurrence in each (`stars`); filtering its values on a grid leaves finitely many *corners* of which
F is a combination without negative coefficients (docs/theory/all-integers.md, Lemma 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from math import lcm
from typing import Any, NamedTuple

from ..cancel import spend
from .affine import Form, FormParts
from .cases import MovedTerm
from .mechanism import AtomKind, NoiseRatio
from .rings import NumberRing, RingNumber
from .stars import LAWS, Factor, Placed, Stars, roots_of, value_of

VALUE = 200
"""Steps for what a word's value, or a region's key, takes beside its stars."""


class FamilyPoint(NamedTuple):
    """An atom of a star: which term and star, what it is, at which point of its family, how far beside it; and how far
    it is moved.
    """

    term: int
    star: int
    kind: AtomKind
    ratio: NoiseRatio | None
    place: int
    offset: int
    moved: int


@dataclass(frozen=True)
class PointFamily:
    """Points that stand in one order: linear parts, which are integers of their own, and the atoms at them."""

    parts: tuple[FormParts, ...]
    points: tuple[FamilyPoint, ...]


def _move(parts: FormParts, by: FormParts) -> FormParts:
    return Form(parts).plus(Form(by), -1).parts


def families(terms: Sequence[MovedTerm]) -> tuple[PointFamily, ...]:
    """The families of some terms.

    A star joins a family whose points, moved by some form, contain its own. Otherwise it gets one of its own: its
    points then count as independent of others, which proves more than is needed and is sound.
    """
    groups: list[tuple[list[FormParts], list[FamilyPoint]]] = []
    stars = [(t, s, star) for t, term in enumerate(terms) for s, star in enumerate(term.stars)]
    # Those with many points first, so that others can join them.
    stars.sort(key=lambda each: -len({atom.parts for atom in each[2]}))
    for t, s, star in stars:
        own = [*dict.fromkeys(atom.parts for atom in star)]
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
            place = group[0].index(_move(atom.parts, by))
            group[1].append(FamilyPoint(t, s, atom.kind, atom.ratio, place, atom.offset, atom.moved))
    return tuple(PointFamily(tuple(parts), tuple(points)) for parts, points in groups)


# Regions.


class FamilyOrder(NamedTuple):
    """A family on a region: its points in order, the gaps between them (None: free), and the least free ones."""

    order: tuple[int, ...]
    gaps: tuple[int | None, ...]
    least: tuple[int, ...]


@dataclass(frozen=True)
class Region:
    """One side for each family of a word."""

    sides: tuple[FamilyOrder, ...]

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
        return Region((*self.sides[:f], changed, *self.sides[f + 1 :]))


def thresholds(family: PointFamily, order: Sequence[int]) -> list[int]:
    """For each gap from where on the recurrence holds, before and after the shift."""
    stars: dict[tuple[int, int], list[FamilyPoint]] = {}
    for p in family.points:
        stars.setdefault((p.term, p.star), []).append(p)
    found = []
    for cut in range(1, len(order)):
        below, need = set(order[:cut]), 0
        for own in stars.values():
            for way in (0, 1):
                tops = [p.offset + way * p.moved + LAWS[p.kind].from_ for p in own if p.place in below]
                ends = [p.offset + way * p.moved + LAWS[p.kind].upto for p in own if p.place not in below]
                if tops and ends:
                    need = max(need, max(tops) - min(ends) - 1)
        found.append(need)
    return found


def regions(found: Sequence[PointFamily]) -> Iterator[Region]:
    """Regions that cover all inputs of a case."""
    options = []
    for family in found:
        sides = []
        for order in permutations(range(len(family.parts))):
            least = tuple(thresholds(family, order))
            sides += [FamilyOrder(order, gaps, least) for gaps in product(*((None, *range(n)) for n in least))]
        options.append(sides)
    for chosen in product(*options):
        yield Region(tuple(chosen))


def key_of(terms: Sequence[MovedTerm], found: Sequence[PointFamily], region: Region) -> Any:
    """What F depends on: two regions of one key have the same F, whatever the inputs are called."""
    spend(VALUE)
    sides = []
    single = len(terms) == 1
    for family, side in zip(found, region.sides, strict=True):
        names: dict[tuple[int, int], int] = {}
        columns = []
        first = min((p.moved for p in family.points), default=0)  # all may be moved together
        for place in side.order:
            own = []
            for p in family.points:
                if p.place == place:
                    star = names.setdefault((p.term, p.star), len(names)) if single else (p.term, p.star)
                    own.append((star, p.kind, p.ratio, p.offset, p.moved - first))
            columns.append(tuple(sorted(own, key=str)))
        sides.append((tuple(columns), side.gaps, side.least))
    # A positive factor of all weights changes no sign; a word that is never seen says nothing of the others.
    weights = [weight for term in terms for weight in (term.before, term.after)]
    largest = max(map(abs, weights))
    words = () if single else tuple(term.word for term in terms)
    return (tuple(w / largest for w in weights), words, tuple(sorted(sides, key=str) if single else sides))


# F and its corners.


class WordValues:
    """The probabilities of a word on regions, over one common denominator, which is positive."""

    def __init__(self, terms: Sequence[MovedTerm], found: Sequence[PointFamily], stars: Stars) -> None:
        self.terms, self.families, self.stars, self.ring = terms, found, stars, stars.ring
        self.factors = self._common()

    def _members(self, term: int) -> dict[tuple[int, int], list[tuple[int, FamilyPoint]]]:
        """The atoms of each star of a term, with the numbers of their families."""
        members: dict[tuple[int, int], list[tuple[int, FamilyPoint]]] = {}
        for f, family in enumerate(self.families):
            for p in family.points:
                if p.term == term:
                    members.setdefault((p.term, p.star), []).append((f, p))
        return members

    def _common(self) -> list[tuple[RingNumber, RingNumber]]:
        """What each term is multiplied by, before and after, so that all have one denominator, which is positive."""
        tops: list[Counter[Factor]] = []
        bottoms: list[Counter[Factor]] = []
        self.members = [list(self._members(t).values()) for t in range(len(self.terms))]
        for members in self.members:
            top: Counter[Factor] = Counter()
            bottom: Counter[Factor] = Counter()
            for points in members:
                one, other = self.stars.kinds(tuple((p.kind, p.ratio) for _, p in points))
                top += one
                bottom += other
            tops.append(top)
            bottoms.append(bottom)
        shared_top, common = tops[0], bottoms[0]
        for top, bottom in zip(tops[1:], bottoms[1:], strict=True):
            shared_top, common = shared_top & top, common | bottom
        whole = lcm(*(weight.denominator for term in self.terms for weight in (term.before, term.after)))
        factors = []
        for term, top, bottom in zip(self.terms, tops, bottoms, strict=True):
            factor = self.ring.number(1)
            for each in ((top - shared_top) + (common - bottom)).elements():
                factor = factor * value_of(self.ring, each)
            before, after = (self.ring.number(int(weight * whole)) for weight in (term.before, term.after))
            factors.append((factor * before, factor * after))
        return factors

    def at(self, positions: Sequence[Sequence[int]], way: int) -> RingNumber:
        """The word's probability before (0) or after (1), where each family's parts are these integers before; times
        its common denominator.
        """
        values = self.terms_at(positions, way)
        return sum(values[1:], values[0])

    def terms_at(self, positions: Sequence[Sequence[int]], way: int) -> list[RingNumber]:
        """The same of each term."""
        spend(VALUE)
        found = []
        for factors, members in zip(self.factors, self.members, strict=True):
            value = factors[way]
            for points in members:
                if not value:
                    break
                placed: list[Placed] = [
                    (p.kind, p.ratio, positions[f][p.place] + p.offset + way * p.moved) for f, p in points
                ]
                value = value * self.stars.value(placed)
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
                low = [(p.kind, p.ratio) for p in own if p.place in below]
                high = [(p.kind, p.ratio) for p in own if p.place not in below]
                if low and high:
                    listed = [*roots_of(self.ring, low, "upper"), *roots_of(self.ring, high, "lower")]
                    product_of = _multiply(self.ring, product_of, listed)
            for root, times in product_of.items():
                most[root] = max(most.get(root, 0), times)
        return self.ring.sort_falling([root for root, times in most.items() for _ in range(times)])

    def positions(self, region: Region, free: Mapping[tuple[int, int], int]) -> list[list[int]]:
        """Where the parts of each family stand before, for values of the free gaps."""
        found = []
        for f, side in enumerate(region.sides):
            places = [0] * len(side.order)
            at = 0
            for g, part in enumerate(side.order):
                if g:
                    gap = side.gaps[g - 1]
                    at += free[f, g - 1] if gap is None else gap
                places[part] = at
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


Grid = dict[tuple[int, ...], tuple[RingNumber, ...]]


def corners(ring: NumberRing, grid: Grid, roots: Sequence[Sequence[NoiseRatio]]) -> Grid:
    """The corners of values on a grid: filtered along each axis, the smallest roots first.

    The corner (m, m, …) is the value at the least gaps; where 1 is the largest root, (1, 1, …) is a limit.
    """
    for axis, listed in enumerate(roots):
        found: Grid = {}
        lines: dict[tuple[int, ...], list[tuple[RingNumber, ...]]] = {}
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
