"""Stars at given integers, and the recurrences that they satisfy when a gap between their points grows.

Each atom φ is one exponential sum from some place on, and another one up to some place (`LAWS`):

    φ(m) = Σ_{ρ ∈ upper} c_ρ ρ^m for m ≥ from,    φ(m) = Σ_{ρ ∈ lower} c_ρ ρ^(−m) for m ≤ upto.

**Recurrence** (docs/theory/all-integers.md, Lemma 2). Let A and B be atoms whose points lie below and above a gap, B
moved up by d. As a function of d the star is annihilated by Π(E − ρ), where ρ runs through the products of one upper
root of each atom of A, and the products of one lower root of each atom of B, as long as d ≥ from(A) − upto(B) − 1, with
from(A) the largest point + from in A and upto(B) the least point + upto in B, both at d = 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from ..cancel import spend
from .mechanism import NOISY, AtomKind, NoiseRatio
from .rings import NumberRing, RingNumber


class TailLaw(NamedTuple):
    """Where the two formulas of an atom hold, and whether 1 and the ratio are among their roots."""

    from_: int
    upto: int
    upper: str
    lower: str


LAWS: dict[AtomKind, TailLaw] = {
    "exact": TailLaw(0, 0, "r", "r"),
    "above": TailLaw(0, 1, "r", "1r"),
    "below": TailLaw(-1, 0, "1r", "r"),
    "from": TailLaw(0, -1, "1", ""),
    "upto": TailLaw(1, 0, "", "1"),
    "at": TailLaw(1, -1, "", ""),
}
MONOTONE: dict[AtomKind, int] = {"above": 1, "below": -1, "from": -1, "upto": 1, "exact": 0, "at": 0}
"""Whether an atom grows, at each K, when its point moves up (1), or falls (−1); 0 for neither."""

STEP = 50
"""Steps for a factor of a term."""
Placed = tuple[AtomKind, NoiseRatio | None, int]
"""An atom at an integer."""


def roots_of(ring: NumberRing, atoms: Iterable[tuple[AtomKind, NoiseRatio | None]], side: str) -> set[NoiseRatio]:
    """The products of one root of each atom, upper or lower ones."""
    found: set[NoiseRatio] = {ring.unit}
    for kind, ratio in atoms:
        law = LAWS[kind]
        own = [ring.unit if root == "1" else ratio for root in (law.upper if side == "upper" else law.lower)]
        found = {ring.product(root, each) for root in found for each in own if each is not None}
    return found


class Factor(NamedTuple):
    """1 − root or 1 + root, which all values of a star are multiplied by, so that no quotients are needed."""

    sign: int
    root: NoiseRatio


def value_of(ring: NumberRing, factor: Factor) -> RingNumber:
    """Its value."""
    return ring.number(1) + factor.sign * ring.power(factor.root, 1)


class Stars:
    """Values of stars, each kept; and by what they are multiplied."""

    def __init__(self, ring: NumberRing) -> None:
        self.ring = ring
        self._known: dict[tuple[Placed, ...], RingNumber] = {}
        self.kinds = cache(self._kinds)

    def _kinds(self, atoms: tuple[tuple[AtomKind, NoiseRatio | None], ...]) -> tuple[Counter[Factor], Counter[Factor]]:
        """(P, Q): the star is `value`·ΠP/ΠQ."""
        tops = Counter(Factor(-1, ratio) for kind, ratio in atoms if kind == "exact" and ratio is not None)
        bottoms = Counter(Factor(1, ratio) for kind, ratio in atoms if kind in NOISY and ratio is not None)
        bottoms.update(Factor(-1, root) for root in self._ends(atoms))
        return tops, bottoms

    def _ends(self, atoms: Iterable[tuple[AtomKind, NoiseRatio | None]]) -> list[NoiseRatio]:
        """The ratios of the geometric series at both ends: all below 1, for some atom vanishes there."""
        atoms = list(atoms)
        return sorted(roots_of(self.ring, atoms, "upper") | roots_of(self.ring, atoms, "lower"))

    def value(self, placed: Sequence[Placed]) -> RingNumber:
        """The star, where its atoms stand at these integers, times ΠQ/ΠP of `kinds`.

        Its sum is taken one by one between the first and the last place where a formula of an atom ends, and as
        geometric series beyond.
        """
        least = min(place for _, _, place in placed)
        key = tuple(sorted(((kind, ratio, place - least) for kind, ratio, place in placed), key=str))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._sum(key)
        return found

    def _sum(self, placed: Sequence[Placed]) -> RingNumber:
        ring = self.ring
        kinds = [(kind, ratio) for kind, ratio, _ in placed]
        # Every formula beyond `high`, and before `low`, holds; in between the terms are added up.
        high = max(place + LAWS[kind].from_ for kind, _, place in placed)
        low = min(high - 1, *(place + LAWS[kind].upto for kind, _, place in placed))
        ends = self._ends(kinds)
        bottom = ring.number(1)
        for root in ends:
            bottom = bottom * value_of(ring, Factor(-1, root))
        total = ring.number(0)
        for k in range(low + 1, high):
            spend(STEP * len(placed))
            term = bottom
            for kind, ratio, place in placed:
                term = term * self._atom(kind, ratio, k - place)
                if not term:
                    break
            total = total + term
        for side, start in (("upper", high), ("lower", low)):
            series: dict[NoiseRatio, RingNumber] = {ring.unit: ring.number(1)}
            for kind, ratio, place in placed:
                series = self._times(series, self._formula(kind, ratio, start - place, side))
            for root, c in series.items():
                others = ring.number(1)
                for each in ends:
                    if each != root:
                        others = others * value_of(ring, Factor(-1, each))
                total = total + c * others
        return total

    def _atom(self, kind: AtomKind, ratio: NoiseRatio | None, m: int) -> RingNumber:
        """φ(m), times 1 + r where it is a sum of noise, and without (1 − r)/(1 + r) where it is noise itself."""
        ring = self.ring
        if ratio is None:
            return ring.number(int(m >= 0 if kind == "from" else m <= 0 if kind == "upto" else m == 0))
        if kind == "exact":
            return ring.power(ratio, abs(m))
        m = m if kind == "above" else -m
        if m >= 1:
            return ring.power(ratio, m)
        return ring.number(1) + ring.power(ratio, 1) - ring.power(ratio, 1 - m)

    def _formula(self, kind: AtomKind, ratio: NoiseRatio | None, m: int, side: str) -> dict[NoiseRatio, RingNumber]:
        """The coefficients of φ(m + t), or φ(m − t) on the lower side, as a sum of ρ^t, t ≥ 0."""
        ring = self.ring
        m = m if side == "upper" else -m
        if ratio is None:
            alive = (kind, side) in (("from", "upper"), ("upto", "lower"))
            return {ring.unit: ring.number(1)} if alive else {}
        if kind == "exact":
            return {ratio: ring.power(ratio, m)}
        if (kind, side) in (("above", "upper"), ("below", "lower")):
            return {ratio: ring.power(ratio, m)}
        return {ring.unit: ring.number(1) + ring.power(ratio, 1), ratio: -ring.power(ratio, m + 1)}

    def _times(
        self, left: dict[NoiseRatio, RingNumber], right: dict[NoiseRatio, RingNumber]
    ) -> dict[NoiseRatio, RingNumber]:
        found: dict[NoiseRatio, RingNumber] = {}
        for one, c in left.items():
            for other, e in right.items():
                root = self.ring.product(one, other)
                found[root] = found[root] + c * e if root in found else c * e
        return found
