"""Extension "integers": claims about all integer inputs of a mechanism (docs/theory/all-integers.md).

The model is a mechanism: for each word its probability, ``Σ weight·Π stars`` at arbitrary integers. A star is
``Σ_{K ∈ Z} Π φ(K − point)``, its points are sums of inputs and announced integers, its φ noise of a ratio r, tails of
such noise, or steps. Checked is P_q(w) ≤ α·P_q'(w) for every word w, all integers q, and all q' beside q.

    Lemma 1  a sequence f with Π(E − ρ_l) f = 0, all ρ_l ≥ 0, is a combination of its *corners*, finitely many filtered
             values, without negative coefficients.
    Lemma 2  a star satisfies such a recurrence in the gap between the points below it and those above, from a gap on
             that the points' distances to it tell; the ρ_l are products of the roots of what is below and above.
    Lemma 3  where points may move one way only, the farthest neighbours are enough.

So all integers are finitely many cases, of what is compared without noise, each is finitely many regions, orders of
points and gaps, and each region is finitely many corners. A region with a corner of the wrong sign is cut in two, up to
a limit. Nothing is taken from the certificate but the claim.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, permutations, product
from math import gcd, lcm, prod
from typing import Any, NamedTuple

from .claims import Claim
from .document import keys, lists
from .errors import need
from .meter import spend
from .numbers import (
    ONE,
    UNIT,
    ZERO,
    AtExponential,
    OnInterval,
    Polynomial,
    Quotient,
    Rationals,
    ends,
    limited,
    rational,
)

NAME = "integers"
MOST_SHIFTS, MOST_PARTS, MOST_POWER = 20_000, 9, 4_000
"""Neighbours, points of one family, and exponents and integers of a mechanism, at most."""
MOST_REGIONS, MOST_ROOTS, MOST_CASES = 10**6, 10**4, 20_000
"""Regions of one family, roots of one star, and cases of one word, at most: a few bytes may have any number."""
FURTHEST = 60
"""The least gap of a region that is not cut any more."""
VALUE, CORNER = 400, 60
"""Steps of the meter for a term of a star, and for a corner, or a term of a case."""


class Law(NamedTuple):
    """From where on, and up to where, φ is a sum of ρ^m over its upper, and of ρ^−m over its lower roots; and whether
    φ(K − p) grows (1) or falls (−1) with p.
    """

    start: int
    stop: int
    upper: str
    lower: str
    grows: int


LAWS = {
    "exact": Law(0, 0, "r", "r", 0),  # r^|m|·(1 − r)/(1 + r)
    "above": Law(0, 1, "r", "1r", 1),  # P(Z ≥ m)
    "below": Law(-1, 0, "1r", "r", -1),  # P(Z ≤ m)
    "from": Law(0, -1, "1", "", -1),  # m ≥ 0
    "upto": Law(1, 0, "", "1", 1),  # m ≤ 0
    "at": Law(1, -1, "", "", 0),  # m = 0
}
Parts = tuple[tuple[str, int], ...]


class Atom(NamedTuple):
    """φ, the ratio of its noise, and its point: a sum of inputs and announced integers, and a number.

    ``moved`` is how far the point is moved from q to q', which is ``q + shift``.
    """

    kind: str
    ratio: Any
    parts: Parts
    offset: int
    moved: int = 0


Star = tuple[Atom, ...]


class Term(NamedTuple):
    """weight·Π stars at q, and after·Π stars at q'."""

    weight: Fraction
    after: Fraction
    stars: tuple[Star, ...]


class Point(NamedTuple):
    """An atom of a star, at one of the places of its family."""

    star: tuple[int, int]
    kind: str
    ratio: Any
    place: int
    offset: int
    moved: int


class Family(NamedTuple):
    """Points that stand in one order: at integers of their own, one for each of the parts."""

    parts: tuple[Parts, ...]
    points: tuple[Point, ...]


class Side(NamedTuple):
    """Of a family on a region: its places in order, and the gaps between them: [gap, whether all larger ones, too]."""

    order: tuple[int, ...]
    gaps: tuple[tuple[int, bool], ...]


# Numbers: polynomials in Y, or fractions.


def inside(field: OnInterval) -> bool:
    """Whether every Y of the interval is above 0 and below 1."""
    first, last = field.closed
    return 0 <= field.low < field.high <= 1 and not (first and field.low == 0) and not (last and field.high == 1)


class Letters:
    """Numbers whose ratios are powers of Y = e^(−1/k), or of a parameter; or fractions. No quotients occur."""

    def __init__(self, field: Rationals, letter: Mapping[str, Any]) -> None:
        keys(letter, "letter", "base", "parameter")
        self.field, self.powers = field, bool(letter)
        self.finer = 1
        if "base" in letter:
            base = letter["base"]
            fits = isinstance(field, AtExponential) and type(base) is int and base > 0 and field.x % base == 0
            need(fits and len(letter) == 1, "field", "a base that is a multiple of the mechanism's", field.x, base)
            self.finer = field.x // base if isinstance(field, AtExponential) else 1
        elif letter:
            fits = isinstance(field, OnInterval) and field.x == letter["parameter"] and inside(field)
            need(fits, "field", "the mechanism's parameter, between 0 and 1", field.x, letter["parameter"])
        else:
            need(field.x is None, "field", "no field, where ratios are fractions", field.x)
        self._powers: dict[tuple[Any, int], Any] = {}

    @property
    def unit(self) -> Any:
        """The root 1."""
        return 0 if self.powers else ONE

    def ratio(self, given: Any) -> Any:
        """A ratio: an exponent of Y, or a fraction below 1."""
        found = rational(given)
        if self.powers:
            need(found.denominator == 1 and 0 < found <= MOST_POWER, "ratio", "an exponent of at least 1", given)
            return found.numerator * self.finer
        need(0 < found < 1, "ratio", "a ratio between 0 and 1", given)
        return found

    def times(self, left: Any, right: Any) -> Any:
        """The product of two roots."""
        return left + right if self.powers else left * right

    def falling(self, roots: Iterable[Any]) -> list[Any]:
        """The largest first."""
        return sorted(roots, reverse=not self.powers)

    def power(self, root: Any, exponent: int) -> Any:
        """A power of a root, exponent ≥ 0, as a number."""
        key = root, exponent
        if key not in self._powers:
            if not self.powers:
                self._powers[key] = root**exponent
            else:
                degree = root * exponent
                limited(degree + 1, 1)
                self._powers[key] = Quotient(self._x, (*(0,) * degree, 1)) if degree else ONE
        return self._powers[key]

    @property
    def _x(self) -> int | str:
        return self.field.x if self.field.x is not None else 0

    def halves(self, alpha: Any) -> tuple[Any, Any]:
        """Numerator and denominator of α ≥ 1 as numbers in Y, both positive."""
        if not self.powers:
            return Fraction(alpha.numerator), Fraction(alpha.denominator)
        halves = ends(alpha)
        degree = max(map(len, halves))
        top, bottom = (self._number(self._turned(p, degree)) for p in halves)
        if not self.nonneg(bottom):
            top, bottom = -top, -bottom
        # As α ≥ 1 has no pole, the denominator vanishes nowhere.
        need(self.nonneg(bottom) and bottom, "alpha", "a denominator of one sign", bottom)
        return top, bottom

    def _turned(self, p: Polynomial, length: int) -> Polynomial:
        """p(X) where X = 1/Y, times a power of Y; itself where X is Y."""
        if not isinstance(self.field, AtExponential):
            return p
        found = [*p, *(0,) * (length - len(p))][::-1]
        while found and not found[-1]:
            found.pop()
        return tuple(found)

    def _number(self, p: Polynomial) -> Any:
        return Fraction(sum(p)) if len(p) <= 1 else Quotient(self._x, p)

    def nonneg(self, value: Any) -> bool:
        """Whether a number is ≥ 0, at every Y that is asked about."""
        if isinstance(value, Quotient):
            need(value.bottom == UNIT, "number", "a polynomial")
            lowest = next(i for i, c in enumerate(value.top) if c)
            top = value.top[lowest:]  # Y > 0
            return self.field.nonneg(self._number(self._turned(top, len(top))))
        return bool(value >= 0)


# The mechanism, read.


@dataclass(frozen=True)
class Mechanism:
    """Words at arbitrary integers."""

    name: str
    inputs: tuple[str, ...]
    words: tuple[tuple[Term, ...], ...]

    @classmethod
    def of(cls, data: Mapping[str, Any], letters: Letters) -> Mechanism:
        """Read, with everything that a rule needs checked."""
        keys(data, "model", "format", "name", "inputs", "outputs", "letter", "words")
        inputs, outputs = data["inputs"], data["outputs"]
        for names in (inputs, outputs):
            need(isinstance(names, list) and all(type(n) is str for n in names), "model", "lists of names")
        every = [*inputs, *outputs]
        need(inputs and len({*every}) == len(every), "model", "an input, and each name once", every[:9])
        need(isinstance(data["words"], list) and data["words"], "model", "a list of words")
        words, seen = [], set()
        for word in data["words"]:
            keys(word, "word", "word", "terms")
            need(isinstance(word["word"], list) and all(type(a) is str for a in word["word"]), "word", "letters")
            seen.add(tuple(word["word"]))
            terms = tuple(cls._term(term, letters, {*every}) for term in lists(word["terms"], 2))
            need(terms, "word", "some term")
            words.append(terms)
        need(len(seen) == len(words), "model", "each word once")
        need(type(data["name"]) is str, "model", "a name")
        return cls(data["name"], tuple(inputs), tuple(words))

    @staticmethod
    def _term(given: Sequence[Any], letters: Letters, known: set[str]) -> Term:
        weight, stars = given
        need(isinstance(stars, list), "term", "a list of stars")
        found = []
        for star in stars:
            atoms = []
            for kind, ratio, parts, offset in lists(star, 4):
                need(kind in LAWS, "atom", "a known kind", kind)
                noisy = "r" in LAWS[kind].upper + LAWS[kind].lower
                need(noisy == (ratio is not None), "atom", "a ratio where there is noise", ratio)
                need(isinstance(parts, dict) and parts.keys() <= known, "atom", "sums of inputs and announced integers")
                small = all(type(c) is int and 0 < abs(c) <= MOST_POWER for c in parts.values())
                need(small and type(offset) is int and abs(offset) <= MOST_POWER, "atom", "integers, not too large")
                own = letters.ratio(ratio) if noisy else None
                atoms.append(Atom(kind, own, tuple(sorted(parts.items())), offset))
            need(any(atom.kind in ("exact", "at") for atom in atoms), "star", "a sum that ends: noise, or one integer")
            found.append(tuple(atoms))
        return Term(rational(weight), rational(weight), tuple(found))


def shifts_of(given: Any, inputs: Sequence[str]) -> list[dict[str, int]]:
    """What is added to the inputs: ``["linf", K]``: each by at most K; ``["l1", K]``: by at most K in all."""
    ((norm, most),) = lists([given], 2)
    need(norm in ("linf", "l1") and type(most) is int and most > 0, "neighbours", "linf K or l1 K", given)
    need((2 * most + 1) ** len(inputs) <= MOST_SHIFTS, "neighbours", f"at most {MOST_SHIFTS} shifts")
    every = product(range(-most, most + 1), repeat=len(inputs))
    return [dict(zip(inputs, s, strict=True)) for s in every if norm == "linf" or sum(map(abs, s)) <= most]


# Neighbours of one word.


def minus(left: Parts, right: Parts, times: int = 1) -> Parts:
    """The difference of two sums, the second one times a number."""
    found = Counter(dict(left))
    found.subtract({name: c * times for name, c in right})
    return tuple(sorted((name, c) for name, c in found.items() if c))


def moved_by(terms: Iterable[Term], shift: Mapping[str, int]) -> list[Term]:
    """The terms, each point moved by a shift of the inputs."""

    def moved(atom: Atom) -> Atom:
        return atom._replace(moved=sum(c * shift.get(name, 0) for name, c in atom.parts))

    return [term._replace(stars=tuple(tuple(map(moved, star)) for star in term.stars)) for term in terms]


def needed(terms: Sequence[Term], every: Iterable[Mapping[str, int]]) -> list[list[Term]]:
    """Lemma 3: neighbours of which one makes the word at most as likely as any of all, whatever the integers are."""
    # Of neighbours that move the points of each star alike, up to all of them together, one is enough.
    distinct: dict[Any, list[Term]] = {}
    for shift in every:
        after = moved_by(terms, shift)
        distinct.setdefault(
            tuple(tuple(a.moved - star[0].moved for a in star) for t in after for star in t.stars), after
        )
    if any(term.weight < 0 for term in terms):
        return [*distinct.values()]
    kept: list[list[Term]] = []
    for each in distinct.values():
        spend(VALUE)
        if not any(below(other, each) for other in kept):
            kept = [other for other in kept if not below(each, other)] + [each]
    return kept


def below(one: Sequence[Term], other: Sequence[Term]) -> bool:
    """Whether every star is at most as large after the first moves; all points of a star may be moved together."""
    for first, second in zip(one, other, strict=True):
        for star, same in zip(first.stars, second.stars, strict=True):
            by_atom = [(LAWS[a.kind].grows, a.moved - b.moved) for a, b in zip(star, same, strict=True)]
            fixed = {by for grows, by in by_atom if not grows}
            if len(fixed) > 1 or any(grows * (by - next(iter(fixed), 0)) > 0 for grows, by in by_atom):
                return False
    return True


# Cases: what is compared without noise.


def step_of(star: Star) -> Parts | None:
    """The difference of the two points of a star without noise, divided by what divides all of it."""
    points = [*dict.fromkeys(atom.parts for atom in star)]
    if len(points) != 2 or any(atom.ratio is not None for atom in star):
        return None
    parts = minus(points[1], points[0])
    divisor = gcd(*(c for _, c in parts)) * (1 if parts[0][1] > 0 else -1)
    return tuple((name, c // divisor) for name, c in parts)


def multiple(parts: Parts, of: Parts) -> int:
    """How often the second sum goes into the first."""
    return dict(parts)[of[0][0]] // of[0][1]


def step_points(star: Star, step: Parts, way: int) -> list[tuple[str, int, int]]:
    """For each atom of a step star: its kind, and where it is, before (0) or after (1), as t·step + a number."""
    first = star[0].parts
    times = [multiple(minus(atom.parts, first), step) if atom.parts != first else 0 for atom in star]
    return [(atom.kind, t, atom.offset + way * atom.moved) for atom, t in zip(star, times, strict=True)]


def step_at(star: Star, step: Parts, value: int, way: int) -> bool:
    """Whether a step star is 1, and not 0, before (0) or after (1), where its step is this value before."""
    at = [(kind, t * value + offset) for kind, t, offset in step_points(star, step, way)]
    k = next(place for kind, place in at if kind == "at")  # the one integer that the sum may be at
    return all(place == k if kind == "at" else place <= k if kind == "from" else k <= place for kind, place in at)


def cases(terms: Sequence[Term]) -> Iterator[list[Term]]:
    """All integers, case by case: in each one no star is left that compares integers without noise.

    Such a star is 0 or 1, and the same wherever its step is beyond some values. Where the step is a number in between,
    and an integer occurs in it once, this integer is the rest of it everywhere.
    """
    pending = [[term for term in terms if term.weight or term.after]]
    count = 0
    while pending:
        now = without_common(pending.pop())
        count += 1
        need(count <= MOST_CASES, "word", f"at most {MOST_CASES} cases of what is compared without noise")
        spend(CORNER * (1 + len(now)))
        stars = [(star, step_of(star)) for term in now for star in term.stars]
        step = next((step for _, step in stars if step), None)
        if step is None:
            if now:
                yield now
            continue
        # Between two of its atoms a star changes where t·step + a = b: beyond all of these it is the same.
        turns = [
            (b - a) // t
            for star in {star for star, each in stars if each == step}
            for way in (0, 1)
            for (_, t, a), (_, u, b) in product(step_points(star, step, way), repeat=2)
            if t and not u
        ]
        first, last = min(turns), max(turns)
        pivot = next(((name, c) for name, c in step if abs(c) == 1), None)
        for value in range(first - 1, last + 2):
            left = [term for term in (with_step(term, step, value) for term in now) if term.weight or term.after]
            if first <= value <= last and pivot:
                left = [with_number(term, step, pivot, value) for term in left]
            pending.append(left)


def with_step(term: Term, step: Parts, value: int) -> Term:
    """The term where a step is this value; or, for the outermost values, any one beyond."""
    own = [star for star in term.stars if step_of(star) == step]
    before, after = (all(step_at(star, step, value, way) for star in own) for way in (0, 1))
    left = tuple(star for star in term.stars if star not in own)
    return Term(term.weight * before, term.after * after, left)


def with_number(term: Term, step: Parts, pivot: tuple[str, int], value: int) -> Term:
    """The term where step = value says what an integer is that occurs in it once, with sign."""
    name, sign = pivot

    def known(atom: Atom) -> Atom:
        times = dict(atom.parts).get(name, 0) * sign
        return atom._replace(parts=minus(atom.parts, step, times), offset=atom.offset + times * value)

    return term._replace(stars=tuple(tuple(map(known, star)) for star in term.stars))


def without_common(terms: Sequence[Term]) -> list[Term]:
    """The terms without the stars that are factors of all, and the same before and after: these are ≥ 0."""
    common = Counter(star for star in terms[0].stars if not moves(star)) if terms else Counter[Star]()
    for term in terms[1:]:
        common &= Counter(term.stars)
    found = []
    for term in terms:
        left, stars = common.copy(), []
        for star in term.stars:
            if left[star]:
                left[star] -= 1
            else:
                stars.append(star)
        found.append(term._replace(stars=tuple(stars)))
    return found


# One word, for one shift and in one case.


@dataclass(frozen=True)
class Word:
    """A word's terms, and how its points are grouped. Points of different families move on their own."""

    terms: Sequence[Term]
    families: Sequence[Family]
    letters: Letters

    @classmethod
    def of(cls, terms: Sequence[Term], letters: Letters) -> Word:
        """The word."""
        groups: list[tuple[list[Parts], list[Point]]] = []
        stars_of = [((t, s), star) for t, term in enumerate(terms) for s, star in enumerate(term.stars)]
        for number, star in sorted(stars_of, key=lambda each: -len({atom.parts for atom in each[1]})):
            cls._add(groups, number, star)
        families = [Family(tuple(parts), tuple(points)) for parts, points in groups]
        need(all(len(f.parts) <= MOST_PARTS for f in families), "word", f"at most {MOST_PARTS} points of a family")
        return cls(terms, families, letters)

    @staticmethod
    def _add(groups: list[tuple[list[Parts], list[Point]]], number: tuple[int, int], star: Star) -> None:
        """Put a star into a family whose points, moved, contain its own; or into one of its own."""
        own = [*dict.fromkeys(atom.parts for atom in star)]
        ways = ((group, minus(own[0], target)) for group in groups for target in group[0])
        fits = ((group, by) for group, by in ways if all(minus(each, by) in group[0] for each in own))
        group, by = next(fits, ((own, []), ()))
        if not any(group is each for each in groups):
            groups.append(group)
        for a in star:
            group[1].append(Point(number, a.kind, a.ratio, group[0].index(minus(a.parts, by)), a.offset, a.moved))

    @cached_property
    def by_star(self) -> list[dict[tuple[int, int], list[Point]]]:
        """For each family the points of each of its stars."""
        found: list[dict[tuple[int, int], list[Point]]] = []
        for family in self.families:
            stars: dict[tuple[int, int], list[Point]] = {}
            for point in family.points:
                stars.setdefault(point.star, []).append(point)
            found.append(stars)
        return found

    # Regions.

    def regions(self) -> Iterator[tuple[Side, ...]]:
        """Orders and gaps that cover all integers; free gaps start where the recurrences hold before and after."""
        options = []
        for family, stars in zip(self.families, self.by_star, strict=True):
            sides: list[Side] = []
            for order in permutations(range(len(family.parts))):
                least = [self._least(stars, order, cut) for cut in range(1, len(order))]
                more = prod(1 + n for n in least)
                need(len(sides) + more <= MOST_REGIONS, "word", f"at most {MOST_REGIONS} regions of a family")
                spend(VALUE * more)
                ways = [[(n, True), *((gap, False) for gap in range(n))] for n in least]
                sides += [Side(order, gaps) for gaps in product(*ways)]
            options.append(sides)
        yield from product(*options)

    @staticmethod
    def _least(stars: Mapping[Any, Sequence[Point]], order: Sequence[int], cut: int) -> int:
        """Lemma 2: a gap d ≥ start(below) − stop(above) − 1, for points where they are and where they move to."""
        below, least = {*order[:cut]}, 0
        for points in stars.values():
            for way in (0, 1):
                tops = [p.offset + way * p.moved + LAWS[p.kind].start for p in points if p.place in below]
                bases = [p.offset + way * p.moved + LAWS[p.kind].stop for p in points if p.place not in below]
                if tops and bases:
                    least = max(least, max(tops) - min(bases) - 1)
        return least

    def key(self, sides: Sequence[Side]) -> Any:
        """All that the values on a region depend on, whatever inputs are called."""
        found = []
        alone = len(self.terms) == 1
        for family, side in zip(self.families, sides, strict=True):
            names: dict[tuple[int, int], int] = {}
            columns = []
            least = min((p.moved for p in family.points), default=0)  # all may be moved together
            for place in side.order:
                here = []
                for p in family.points:
                    if p.place == place:
                        star: Any = names.setdefault(p.star, len(names)) if alone else p.star
                        here.append((star, p.kind, p.ratio, p.offset, p.moved - least))
                columns.append(tuple(sorted(here, key=repr)))
            found.append((tuple(columns), side.gaps))
        weights = [weight for term in self.terms for weight in (term.weight, term.after)]
        # A positive factor of all weights changes no sign; a word that is never seen says nothing of the others.
        largest = max(map(abs, weights))
        return tuple(w / largest for w in weights), tuple(sorted(found, key=repr) if alone else found)

    def roots(self, family: int, side: Side, gap: int) -> list[Any]:
        """The roots of the recurrence in a gap, each as often as it is needed, the largest first."""
        below, letters = {*side.order[: gap + 1]}, self.letters
        most: Counter[Any] = Counter()
        for t in range(len(self.terms)):
            listed = Counter([letters.unit])
            for star, points in self.by_star[family].items():
                low = [p for p in points if p.place in below]
                high = [p for p in points if p.place not in below]
                if star[0] == t and low and high:
                    own = Counter([*tails(low, letters, upper=True), *tails(high, letters, upper=False)])
                    found: Counter[Any] = Counter()
                    for (a, m), (b, n) in product(listed.items(), own.items()):
                        root = letters.times(a, b)
                        found[root] = max(found[root], m + n - 1)
                    listed = found
            most |= listed
        return letters.falling(most.elements())


def moves(star: Star) -> bool:
    """Whether the star is another one after the moves."""
    return len({atom.moved for atom in star}) > 1


def tails(points: Iterable[Any], letters: Letters, *, upper: bool) -> set[Any]:
    """The products of one root of each, upper or lower ones."""
    found = {letters.unit}
    for point in points:
        law = LAWS[point.kind]
        roots = [letters.unit if root == "1" else point.ratio for root in (law.upper if upper else law.lower)]
        spend(len(found) * len(roots))
        found = {letters.times(a, b) for a in found for b in roots}
        need(len(found) <= MOST_ROOTS, "star", f"at most {MOST_ROOTS} roots")
    return found


# Values.


class Values:
    """Probabilities of words at integers, times positive numbers that make them polynomials."""

    def __init__(self, letters: Letters) -> None:
        self.letters = letters
        self._known: dict[Any, Any] = {}

    def scales(self, word: Word) -> list[tuple[Any, Any]]:
        """What each term is multiplied by before and after: its weight, and what others were multiplied by."""
        tops: list[Counter[Any]] = []
        bottoms: list[Counter[Any]] = []
        for term in word.terms:
            top: Counter[Any] = Counter()
            bottom: Counter[Any] = Counter()
            for star in term.stars:
                top.update((-1, atom.ratio) for atom in star if atom.kind == "exact")
                bottom.update((1, atom.ratio) for atom in star if atom.ratio is not None)
                bottom.update((-1, root) for root in self._ends(star))
            tops.append(top)
            bottoms.append(bottom)
        common: Counter[Any] = Counter()
        for bottom in bottoms:
            common |= bottom
        whole = lcm(*(weight.denominator for term in word.terms for weight in (term.weight, term.after)))
        found = []
        for term, top, bottom in zip(word.terms, tops, bottoms, strict=True):
            factor = prod((self._factor(*each) for each in (top + (common - bottom)).elements()), start=ONE)
            found.append((factor * (term.weight * whole), factor * (term.after * whole)))
        return found

    def _factor(self, sign: int, root: Any) -> Any:
        """1 + root or 1 − root."""
        return 1 + sign * self.letters.power(root, 1)

    def _ends(self, star: Iterable[Any]) -> list[Any]:
        star = list(star)
        return sorted(tails(star, self.letters, upper=True) | tails(star, self.letters, upper=False))

    def at(self, word: Word, scales: Sequence[tuple[Any, Any]], places: Sequence[Sequence[int]], way: int) -> Any:
        """The word's probability before (0) or after (1), where each family's places are these integers before; times
        a number that is the word's.
        """
        members: dict[tuple[int, int], list[tuple[str, Any, int]]] = {}
        for family, at in zip(word.families, places, strict=True):
            for p in family.points:
                members.setdefault(p.star, []).append((p.kind, p.ratio, at[p.place] + p.offset + way * p.moved))
        total: Any = ZERO
        for t, scale in enumerate(scales):
            value = scale[way]
            for (term, _), atoms in members.items():
                if term == t:
                    value = value * self.star(atoms)
            total = total + value
        return total

    def star(self, atoms: Sequence[tuple[str, Any, int]]) -> Any:
        """The sum over K: one by one where no formula holds, and by geometric series on both sides.

        Times 1 + r for each noise, without 1 − r of noise itself, and times 1 − ρ for each root of the two series.
        """
        lowest = min(at for _, _, at in atoms)
        key = tuple(sorted(((kind, ratio, at - lowest) for kind, ratio, at in atoms), key=repr))
        if key not in self._known:
            self._known[key] = self._sum(key)
        return self._known[key]

    def _sum(self, atoms: Sequence[tuple[str, Any, int]]) -> Any:
        letters = self.letters
        high = max(at + LAWS[kind].start for kind, _, at in atoms)
        low = min(high - 1, *(at + LAWS[kind].stop for kind, _, at in atoms))
        closing = self._ends([Atom(kind, ratio, (), at) for kind, ratio, at in atoms])
        need(letters.unit not in closing, "star", "a sum that ends")
        total: Any = ZERO
        for k in range(low + 1, high):
            spend(VALUE)
            total = total + prod((self._phi(kind, ratio, k - at) for kind, ratio, at in atoms), start=ONE)
        total = total * prod((self._factor(-1, root) for root in closing), start=ONE)
        for start, way in ((high, 1), (low, -1)):
            series: dict[Any, Any] = {letters.unit: ONE}
            for kind, ratio, at in atoms:
                spend(VALUE)
                found: dict[Any, Any] = {}
                for (a, c), (b, d) in product(series.items(), self._formula(kind, ratio, start - at, way).items()):
                    root = letters.times(a, b)
                    found[root] = found.get(root, ZERO) + c * d
                series = found
            for root, c in series.items():
                total = total + c * prod((self._factor(-1, each) for each in closing if each != root), start=ONE)
        return total

    def _phi(self, kind: str, ratio: Any, m: int) -> Any:
        """φ(m), times 1 + r where there is noise, and without 1 − r."""
        if ratio is None:
            return ONE if {"from": m >= 0, "upto": m <= 0, "at": m == 0}[kind] else ZERO
        power = self.letters.power
        if kind == "exact":
            return power(ratio, abs(m))
        m = m if kind == "above" else -m
        return power(ratio, m) if m >= 1 else 1 + power(ratio, 1) - power(ratio, 1 - m)

    def _formula(self, kind: str, ratio: Any, m: int, way: int) -> dict[Any, Any]:
        """By root ρ the coefficients c of φ(m + way·t) = Σ c·ρ^t for t ≥ 0, scaled as `_phi` is."""
        letters = self.letters
        if ratio is None:
            return {letters.unit: ONE} if (kind, way) in (("from", 1), ("upto", -1)) else {}
        if kind == "exact" or (kind, way) in (("above", 1), ("below", -1)):
            return {ratio: letters.power(ratio, way * m)}
        both = 1 + letters.power(ratio, 1)
        return {letters.unit: both, ratio: -letters.power(ratio, way * m + 1)}


def corners(values: dict[tuple[int, ...], Any], roots: Sequence[Sequence[Any]], letters: Letters) -> list[Any]:
    """Lemma 1 along each axis: g_m = f, g_{l−1}(n) = g_l(n + 1) − ρ_l g_l(n); the corners are g_l at the least n."""
    for axis, listed in enumerate(roots):
        lines: dict[tuple[int, ...], list[Any]] = {}
        for place in sorted(values):
            lines.setdefault(place[:axis] + place[axis + 1 :], []).append(values[place])
        found = {}
        for rest, line in lines.items():
            spend(CORNER * len(line) ** 2)
            left = line
            for number in range(len(listed) - 1, -1, -1):
                found[(*rest[:axis], number, *rest[axis:])] = left[0]
                r = letters.power(listed[number], 1)
                left = [after - r * before for before, after in pairwise(left)]
        values = found
    return [*values.values()]


# The claim.


def places_of(sides: Sequence[Side], more: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """The integers of a region with free gaps larger by ``more``."""
    found = []
    for f, side in enumerate(sides):
        at, places = 0, [0] * len(side.order)
        for g, place in enumerate(side.order):
            at += side.gaps[g - 1][0] + more.get((f, g - 1), 0) if g else 0
            places[place] = at
        found.append(places)
    return found


def check_word(name: str, word: Word, alpha: tuple[Any, Any], values: Values, done: set[Any]) -> None:
    """That P_q(w) ≤ α·P_q'(w) for all integers q of a case, and one shift."""
    scales, letters = values.scales(word), word.letters
    for region in word.regions():
        key = word.key(region)
        if key in done:
            continue
        done.add(key)
        stack = [region]
        while stack:
            sides = stack.pop()
            free = [(f, g) for f, side in enumerate(sides) for g, gap in enumerate(side.gaps) if gap[1]]
            roots = [word.roots(f, sides[f], g) for f, g in free]
            if not all(roots):
                continue  # A recurrence without roots: both are 0 on all of the region.
            found = {}
            for index in product(*(range(len(listed)) for listed in roots)):
                places = places_of(sides, dict(zip(free, index, strict=True)))
                p, q = (values.at(word, scales, places, way) for way in (0, 1))
                found[index] = alpha[0] * q - alpha[1] * p
            here = letters.nonneg(found[(0,) * len(free)])
            need(here, name, "P ≤ α·P' at integers", places_of(sides, {}), "their neighbours")
            if all(map(letters.nonneg, corners(found, roots, letters))):
                continue
            f, g = min(free, key=lambda where: sides[where[0]].gaps[where[1]][0])
            least = sides[f].gaps[g][0]
            need(least < FURTHEST, name, "corners ≤ 0 on every region", places_of(sides, {}), "what is beyond")
            for gap in ((least + 1, True), (least, False)):
                changed = Side(sides[f].order, (*sides[f].gaps[:g], gap, *sides[f].gaps[g + 1 :]))
                stack.append((*sides[:f], changed, *sides[f + 1 :]))


def sha256(data: Any) -> str:
    """The hash of a mechanism: of its compact JSON, keys sorted."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def concluded(model: Mapping[str, Any], data: Mapping[str, Any], field: Rationals, format_: str) -> list[Claim]:
    """The claims of a certificate about a mechanism, all of them proved."""
    keys(data, "file", "format", "model", "field", "alpha", "extensions", "proves")
    need(data.get("format") == format_, "file", f"an object of format {format_}")
    need(data.get("model") == (ours := sha256(model)), "model", "the certificate's model", data.get("model"), ours)
    need(data.get("extensions") == [NAME], "extensions", f"the extension {NAME}, alone", data.get("extensions"))
    letters = Letters(field, model.get("letter", {}))
    mechanism = Mechanism.of(model, letters)
    need(isinstance(data.get("proves"), list) and data["proves"], "proves", "a list, not empty")
    return [proved(mechanism, claim, data.get("alpha", "1"), letters) for claim in data["proves"]]


def proved(mechanism: Mechanism, claim: Any, alpha: Any, letters: Letters) -> Claim:
    """One claim: ``delta`` at most 0 at ``alpha``, or the largest ``ratio`` of two neighbours at most ``upper``."""
    field = letters.field
    keys(claim, "claim", "claim", "neighbours", "upper")
    what, bound = claim["claim"], field.read(claim["upper"])
    need(what in ("delta", "ratio"), "proves", "a claim about delta or ratio", what)
    need(what == "ratio" or bound == 0, what, "the upper bound 0: no other is proved for all integers", bound)
    at = field.read(alpha) if what == "delta" else bound
    need(field.nonneg(at - 1), what, "e^ε ≥ 1", at)
    shifts = shifts_of(claim["neighbours"], mechanism.inputs)
    rule = " ".join(map(str, claim["neighbours"]))
    subject = (f"{mechanism.name} of any integers", f"{mechanism.name} of any within {rule} of them")
    values, done, halves = Values(letters), set[Any](), letters.halves(at)
    for terms in mechanism.words:
        for moved in needed(terms, shifts):
            for case in cases(moved):
                check_word(f"{what} of ({', '.join(subject)})", Word.of(case, letters), halves, values, done)
    terms_: dict[str, Any] = {"neighbours": rule}
    if isinstance(field, OnInterval):
        part = field.low, field.high, tuple(not closed for closed in field.closed)
        terms_ |= {"part": part, "parameter": field.x}
    lower = None if isinstance(field, OnInterval) else ZERO if what == "delta" else ONE
    place = (at,) if what == "delta" else ()
    return Claim(measure=what, subject=subject, lower=lower, upper=bound, at=place, terms=terms_, extensions=(NAME,))
