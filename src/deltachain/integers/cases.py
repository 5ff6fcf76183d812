"""Neighbours of one word, case by case: in each case nothing is left that compares integers without noise.

A word's probability at q and at q' = q + shift are sums of the same stars, each point moved by the shift. Stars without
noise are 0 or 1: they compare inputs with constants and with one another, as ``max``, ``abs`` and clamps do. Where the
difference of their points is one number, an input is known from it; beyond the last of these numbers the star is
constant. So all integers are finitely many *cases* (docs/theory/all-integers.md, Cases), each with terms of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd
from typing import NamedTuple

from ..cancel import spend
from ..errors import Defect, InputError
from .affine import Form, FormParts
from .mechanism import AtomKind, NoiseRatio, WordSum
from .run import DOMAIN
from .stars import MONOTONE

MOST_CASES = 20_000
"""The most cases of one word and one shift."""
VALUE = 200
"""Steps for a term of a case."""
SHOWN = "#"
"""How names of announced integers begin."""
Shift = Mapping[str, int]
"""What neighbours add to each input."""


class MovedAtom(NamedTuple):
    """A factor of a star, and how far its point is moved from q to q'."""

    kind: AtomKind
    ratio: NoiseRatio | None
    parts: FormParts
    offset: int
    moved: int


MovedStar = tuple[MovedAtom, ...]


class MovedTerm(NamedTuple):
    """before·Π stars at q, after·Π stars at q'; and the number of its word."""

    before: Fraction
    after: Fraction
    stars: tuple[MovedStar, ...]
    word: int = 0


class Case(NamedTuple):
    """Terms without steps, the shift, and for each step that was decided its parts and one of its values."""

    terms: tuple[MovedTerm, ...]
    shift: Shift
    steps: tuple[tuple[FormParts, int], ...] = ()


def moved_terms(words: Iterable[WordSum], shift: Shift) -> list[MovedTerm]:
    """The terms of all words, their points moved by a shift."""
    return [
        MovedTerm(
            term.weight,
            term.weight,
            tuple(
                tuple(
                    MovedAtom(
                        atom.kind,
                        atom.ratio,
                        atom.point.parts,
                        atom.point.constant,
                        sum(c * shift.get(name, 0) for name, c in atom.point.parts),
                    )
                    for atom in star
                )
                for star in term.stars
            ),
            number,
        )
        for number, word in enumerate(words)
        for term in word.terms
    ]


# Which shifts are needed.


def needed_shifts(word: WordSum, shifts: Sequence[Shift]) -> list[Shift]:
    """Shifts such that for each of all there is one of these with a P_q'(w) that is at most as large, at every q.

    An atom that grows when its point moves up is the least where the point is the lowest. Points of one star may be
    moved together; where weights are negative, or atoms neither grow nor fall, only equal shifts stand for each other.
    """
    distinct: dict[object, tuple[Shift, list[MovedTerm]]] = {}
    for shift in shifts:
        terms = moved_terms([word], shift)
        key = tuple(tuple(a.moved - star[0].moved for a in star) for term in terms for star in term.stars)
        distinct.setdefault(key, (shift, terms))
    if any(term.weight < 0 for term in word.terms):
        return [shift for shift, _ in distinct.values()]
    kept: list[tuple[Shift, list[MovedTerm]]] = []
    for each in distinct.values():
        spend(VALUE + len(kept))
        if any(_at_most(other[1], each[1]) for other in kept):
            continue
        kept = [other for other in kept if not _at_most(each[1], other[1])] + [each]
    return [shift for shift, _ in kept]


def _at_most(one: Sequence[MovedTerm], other: Sequence[MovedTerm]) -> bool:
    """Whether P under the first shift is surely at most that under the second: star by star, up to a translation."""
    for first, second in zip(one, other, strict=True):
        for star, same in zip(first.stars, second.stars, strict=True):
            by_atom = [(MONOTONE[a.kind], a.moved - b.moved) for a, b in zip(star, same, strict=True)]
            rigid = {by for grows, by in by_atom if not grows}
            if len(rigid) > 1:
                return False
            by = next(iter(rigid), 0)
            if any(grows * (each - by) > 0 for grows, each in by_atom):
                return False
    return True


# Cases.


def cases(terms: Iterable[MovedTerm], shift: Shift, name: str = "program") -> Iterator[Case]:
    """All integers, case by case.

    Raises InputError where there are too many.
    """
    pending = [Case(_possible(terms), shift)]
    count = 0
    while pending:
        case = pending.pop()
        now = without_common(case.terms)
        count += 1
        spend(VALUE * (1 + len(now)))
        _require_few(count, name)
        step = next((step for term in now for star in term.stars if (step := step_of(star))), None)
        if step is None:
            if now:
                yield Case(now, shift, case.steps)
            continue
        turns = _turns({star for term in now for star in term.stars if step_of(star) == step}, step)
        first, last = turns[0], turns[-1]
        _require_few(last - first + 3, name)  # before they are made: ends of a clamp may be far apart
        pivot = next(((each, c) for each, c in step if abs(c) == 1), None)
        for value in range(first - 1, last + 2):
            left = _possible(_with_step(term, step, value) for term in now)
            if first <= value <= last and pivot:
                left = tuple(_with_number(term, step, pivot, value) for term in left)
            pending.append(Case(left, shift, (*case.steps, (step, value))))


def _require_few(number: int, name: str) -> None:
    if number > MOST_CASES:
        what = f"more than {MOST_CASES:,} cases of what is compared without noise"
        raise InputError(Defect(name, what, DOMAIN))


def _possible(terms: Iterable[MovedTerm]) -> tuple[MovedTerm, ...]:
    return tuple(term for term in terms if term.before or term.after)


def without_common(terms: Sequence[MovedTerm]) -> tuple[MovedTerm, ...]:
    """The terms without the stars that are factors of all of them, and the same before and after.

    They are 0 or more: where the rest of F is at most 0, F is. What compares inputs stays, so that places are real.
    """
    common: Counter[MovedStar] = Counter()
    for number, term in enumerate(terms):
        own = Counter(star for star in term.stars if _is_fixed(star))
        common = own if not number else common & own
    found = []
    for term in terms:
        left, kept = common.copy(), []
        for star in term.stars:
            if left[star]:
                left[star] -= 1
            else:
                kept.append(star)
        found.append(term._replace(stars=tuple(kept)))
    return tuple(found)


def _is_fixed(star: MovedStar) -> bool:
    noisy = any(atom.ratio is not None for atom in star)
    shown = all(name.startswith(SHOWN) for atom in star for name, _ in atom.parts)
    return (noisy or shown) and len({atom.moved for atom in star}) == 1


def step_of(star: MovedStar) -> FormParts:
    """The difference of the two points of a star without noise, divided by what divides all of it; else nothing."""
    points = [*dict.fromkeys(atom.parts for atom in star)]
    if len(points) != 2 or any(atom.ratio is not None for atom in star):
        return ()
    parts = Form(points[1]).plus(Form(points[0]), -1).parts
    divisor = gcd(*(c for _, c in parts)) * (1 if parts[0][1] > 0 else -1)
    return tuple((name, c // divisor) for name, c in parts)


def _places(star: MovedStar, step: FormParts, *, after: bool) -> list[tuple[AtomKind, int, int]]:
    """Of each atom of a step's star: its kind, and where it is, as t·step + a number: t and the number."""
    found = []
    for atom in star:
        parts = dict(Form(atom.parts).plus(Form(star[0].parts), -1).parts)
        t = parts.get(step[0][0], 0) // step[0][1]
        found.append((atom.kind, t, atom.offset + (atom.moved if after else 0)))
    return found


def _turns(stars: Iterable[MovedStar], step: FormParts) -> list[int]:
    """The values of a step, rounded down, at which a star changes: where two atoms are at one integer."""
    found = set()
    for star in stars:
        for after in (False, True):
            own = _places(star, step, after=after)
            found |= {(b - a) // t for (_, t, a), (_, u, b) in product(own, repeat=2) if t and not u}
    return sorted(found)


def _holds(star: MovedStar, step: FormParts, value: int, *, after: bool) -> bool:
    """Whether a step's star is 1, and not 0, where the step is this value before."""
    at = [(kind, t * value + a) for kind, t, a in _places(star, step, after=after)]
    k = next(place for kind, place in at if kind == "at")
    return all(place == k if kind == "at" else place <= k if kind == "from" else k <= place for kind, place in at)


def _with_step(term: MovedTerm, step: FormParts, value: int) -> MovedTerm:
    own = [star for star in term.stars if step_of(star) == step]
    before, after = (all(_holds(star, step, value, after=after) for star in own) for after in (False, True))
    left = tuple(star for star in term.stars if star not in own)
    return term._replace(before=term.before * before, after=term.after * after, stars=left)


def _with_number(term: MovedTerm, step: FormParts, pivot: tuple[str, int], value: int) -> MovedTerm:
    """The term where step = value says what one integer is: it occurs in it once, with sign."""
    name, sign = pivot

    def known(atom: MovedAtom) -> MovedAtom:
        times = dict(atom.parts).get(name, 0) * sign
        parts = Form(atom.parts).plus(Form(step), -times).parts
        return atom._replace(parts=parts, offset=atom.offset + times * value)

    return term._replace(stars=tuple(tuple(map(known, star)) for star in term.stars))
