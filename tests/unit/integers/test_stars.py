"""Stars, against sums that are written out; and their recurrences."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import fmpz_poly

from deltachain.integers.mechanism import AtomKind, NoiseRatio
from deltachain.integers.rings import Fractions, NumberRing, Powers
from deltachain.integers.stars import LAWS, Placed, Stars, roots_of, value_of
from deltachain.numbers.flint import to_fraction

WINDOW = 40
KINDS: tuple[AtomKind, ...] = ("exact", "above", "below", "from", "upto", "at")


def atom_at(kind: AtomKind, ratio: NoiseRatio | None, m: int) -> Fraction:
    """φ(m), noise beyond the window left out."""
    if kind in ("from", "upto", "at"):
        return Fraction(int(m >= 0 if kind == "from" else m <= 0 if kind == "upto" else m == 0))
    r = Fraction(ratio or 0)
    law = {z: (1 - r) / (1 + r) * r ** abs(z) for z in range(-WINDOW, WINDOW + 1)}
    chosen = {"exact": lambda z: z == m, "above": lambda z: z >= m, "below": lambda z: z <= m}[kind]
    return sum((p for z, p in law.items() if chosen(z)), Fraction(0))


def random_star(rng: random.Random) -> list[Placed]:
    """One atom that ends the sum, and some others, at random places."""
    ratios = (Fraction(1, 2), Fraction(1, 4))
    first: AtomKind = rng.choice(("exact", "exact", "exact", "at"))
    kinds = [first, *(rng.choice(KINDS) for _ in range(rng.randint(0, 3)))]
    return [
        (k, rng.choice(ratios) if "r" in LAWS[k].upper + LAWS[k].lower else None, rng.randint(-4, 4)) for k in kinds
    ]


def true_value(stars: Stars, placed: list[Placed]) -> Fraction:
    """The star itself, from its value without quotients."""
    tops, bottoms = stars.kinds(tuple((kind, ratio) for kind, ratio, _ in placed))
    value = stars.value(placed)
    for factor in tops.elements():
        value = value * value_of(stars.ring, factor)
    for factor in bottoms.elements():
        value = value / value_of(stars.ring, factor)
    return to_fraction(value)


@pytest.mark.seeds(25, 400)
def test_a_star_is_the_sum_that_it_stands_for(seed: int) -> None:
    placed = random_star(random.Random(seed))
    slow = Fraction(0)
    for k in range(-WINDOW // 2, WINDOW // 2):
        term = Fraction(1)
        for kind, ratio, place in placed:
            term *= atom_at(kind, ratio, k - place)
        slow += term
    assert abs(true_value(Stars(Fractions()), placed) - slow) < Fraction(1, 10**4)


@pytest.mark.seeds(40, 600)
def test_a_star_satisfies_its_recurrence_as_soon_as_it_should(seed: int) -> None:
    """Lemma 2, from the least gap that it allows on."""
    rng = random.Random(seed)
    placed = random_star(rng)
    if len(placed) < 2:
        return
    cut = rng.randint(1, len(placed) - 1)
    below, above = placed[:cut], placed[cut:]
    ring = Fractions()
    stars = Stars(ring)
    roots = [
        *roots_of(ring, [atom[:2] for atom in below], "upper"),
        *roots_of(ring, [atom[:2] for atom in above], "lower"),
    ]
    least = max(place + LAWS[kind].from_ for kind, _, place in below)
    least -= min(place + LAWS[kind].upto for kind, _, place in above) + 1

    def at(gap: int) -> Fraction:
        return true_value(stars, [*below, *((kind, ratio, place + gap) for kind, ratio, place in above)])

    values = [at(least + k) for k in range(len(roots) + 2)]
    for root in roots:
        values = [y - Fraction(root) * x for x, y in pairwise(values)]
    assert not any(values)


def test_polynomials_are_the_fractions_at_each_letter() -> None:
    placed: list[Placed] = [("exact", 2, 0), ("below", 1, 3), ("above", 1, -1)]
    polynomial = Stars(_Powers()).value(placed)
    fractions = Stars(Fractions())
    for y in (Fraction(1, 2), Fraction(9, 10)):
        there = [(kind, None if ratio is None else y ** int(ratio), place) for kind, ratio, place in placed]
        value = sum((Fraction(int(c)) * y**k for k, c in enumerate(polynomial.coeffs())), Fraction(0))
        assert value == to_fraction(fractions.value(there))


class _Powers(Powers):
    """Polynomials, no sign of which is asked."""

    def at_most_zero(self, number: fmpz_poly) -> bool:
        raise NotImplementedError

    def places_above_zero(self, number: fmpz_poly) -> int:
        raise NotImplementedError

    def above_zero(self, number: fmpz_poly) -> bool:
        raise NotImplementedError


def _is_a_ring(ring: NumberRing) -> NumberRing:
    return ring


assert _is_a_ring(_Powers())
