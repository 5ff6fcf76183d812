"""Phase letters: a tail of exponentials times polynomials as finitely many letters.

An integer n is announced, from several states i, with probabilities M_n(i). On the tail n ≥ N all of them satisfy one
recurrence: with E the shift n → n + 1 and ratios ρ_1 ≥ … ≥ ρ_m, each as often as the degree of its polynomial needs,
``(E − ρ_1)…(E − ρ_m) M = 0``. Put g_m = M and g_{l−1} = (E − ρ_l) g_l, so that g_0 = 0. The *corners* are C_l = g_l(N).

1. ``M_{N+t} = Σ_l κ_l(t)·C_l`` with numbers κ_l(t) ≥ 0 that do not depend on the state, and Σ_t κ_l(t) = K_l =
   1/Π_{k ≥ l}(1 − ρ_k). *Proof.* g_l(n + 1) = ρ_l·g_l(n) + g_{l−1}(n). For G_l(z) = Σ_t g_l(N + t)·z^t this is
   (1 − ρ_l·z)·G_l = C_l + z·G_{l−1}, with G_0 = 0; unroll it. ∎
2. A sequence that is not negative has C_l ≥ 0 from some N on. *Proof.* Its leading term, of the largest ratio σ and
   then the largest degree, is positive. E − ρ with ρ < σ multiplies it by σ − ρ; E − σ lowers its degree, and keeps it
   positive until the degree is 0. If σ comes more often, all smaller ratios have come as well: the sequence is 0. ∎

So the letters n ≥ N may be replaced by m letters with the probabilities K_l·C_l: the *fine* chain. Who sees the letter
l and draws t with probability κ_l(t)/K_l, whatever the state, sees N + t as the mechanism shows it: what the fine chain
hides, the mechanism hides. The *coarse* chain shows one letter for all of them, which is a function of n: what it
shows, the mechanism shows. With m = 1 they are one chain. Bounds from above hold by the fine chain, bounds from below
by the coarse one (`model.sandwich`). All states that may stand before the letter, given the letters so far, need the
same N and ratios, each with corners that are not negative; and n is not read again.

Letter m is the number N up to a factor, C_m = M_N; letter 1 is the limit of ever larger ones, M_{N+t}/κ_1(t) → C_1,
since κ_l(t)/κ_1(t) → 0 for l > 1. So the ratios of words with these two alone are limits of ratios of the mechanism's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpz_poly

from ...numbers.exponential import sign_at
from ..language.unbounded import Span, TwoSided, Unbounded
from .laws import ONE, Scale, Tail, Tailed, TailRatio, TooFar
from .noisy import NotFollowed
from .spread import ShownNoise

if TYPE_CHECKING:
    from ...model.outputs import Multiples
    from .pieces import Stairs

Roots = tuple[TailRatio, ...]
"""Ratios in falling order, each as often as its polynomial needs."""


def roots_of(tails: Iterable[Tail | Roots], k: int) -> Roots:
    """The roots of the least recurrence that all tails satisfy; ratios are functions of e^(−1/k)."""
    found: Counter[TailRatio] = Counter()
    for tail in tails:
        own = Counter(tail) if isinstance(tail, tuple) else {ratio: len(each) for ratio, each in tail.items()}
        for ratio, times in own.items():
            found[ratio] = max(found[ratio], times)
    return tuple(ratio for ratio in _sort_falling(found, k) for _ in range(found[ratio]))


def _sort_falling(ratios: Iterable[TailRatio], k: int) -> list[TailRatio]:
    """From the largest to the least."""

    def compare(one: TailRatio, other: TailRatio) -> int:
        difference = other.top * one.bottom - one.top * other.bottom
        return sign_of(Scale(difference, one.bottom * other.bottom), k)

    return sorted(ratios, key=cmp_to_key(compare))


def sign_of(number: Scale, k: int) -> int:
    """The sign of a number in Y = e^(−1/k)."""
    return _sign(number.top, k) * _sign(number.bottom, k)


def _sign(polynomial: fmpz_poly, k: int) -> int:
    # X = 1/Y: the polynomial with its coefficients reversed, times a power of Y.
    return sign_at(k, fmpz_poly(polynomial.coeffs()[::-1]))


def corners(law: Tailed, first: int, roots: Roots) -> list[Scale]:
    """C_1, …, C_m of the upper tail from ``first`` on, which is beyond the table."""
    wide = law.widen(first, first + len(roots) - 1)
    place = first - wide.low
    differences = list(wide.table[place : place + len(roots)])
    found, scale = list[Scale](), wide.scale
    for ratio in reversed(roots):
        found.append(scale.times(Scale(differences[0], ONE)))
        differences = [following * ratio.bottom - here * ratio.top for here, following in pairwise(differences)]
        scale = scale.over(Scale(ratio.bottom, ONE))
    return found[::-1]


def weights(law: Tailed, first: int, roots: Roots) -> list[Scale]:
    """K_1·C_1, …, K_m·C_m: how likely each letter of the upper tail is."""
    found, share = list[Scale](), Scale(ONE, ONE)
    for corner, ratio in zip(reversed(corners(law, first, roots)), reversed(roots), strict=True):
        share = share.times(Scale.of(ratio.bottom, ratio.gap))
        found.append(corner.times(share))
    return found[::-1]


MOST_APART = 2_000
"""How far out a tail may begin."""


def first_with_corners(law: Tailed, first: int, roots: Roots, k: int) -> int:
    """The least place from ``first`` on where no corner of the upper tail is negative; TooFar if it is far."""
    for place in range(first, first + MOST_APART):
        if all(sign_of(corner, k) >= 0 for corner in corners(law, place, roots)):
            return place
    raise TooFar


class KeptLaw(Unbounded):
    """An integer with a law of its own, which is announced."""

    def __init__(self, law: Tailed, plain: TwoSided | None, why: NotFollowed) -> None:
        """``plain`` is the noise if it is a draw of its own; ``why`` says what is in the way of other tails."""
        super().__init__("noise" if plain is None else plain.name, 0, Fraction(0))
        self.law, self.plain, self.refusal = law, plain, why
        self._key = law.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeptLaw) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def reach(self) -> int:
        """How far outcomes are told apart where they are cut off."""
        if self.plain is None:
            raise self.refusal
        return self.plain.reach

    @cached_property
    def core(self) -> tuple[int, int]:
        """Where the tails begin."""
        return self.law.tails_from

    def roots(self, *, upper: bool) -> tuple[Hashable, ...] | None:
        """The ratios of a tail, each as often as its polynomial needs."""
        tail = self.law.up if upper else self.law.down
        return tuple(ratio for ratio in sorted(tail, key=lambda ratio: ratio.key) for _ in tail[ratio])

    def tail_named(self, *, upper: bool) -> str:
        """A text that no two different tails share; that of the draw, if it is one."""
        return super().tail_named(upper=upper) if self.plain is None else self.plain.tail_named(upper=upper)

    def show(self, stairs: Stairs, after: int, relative: Multiples) -> ShownNoise:
        """All outcomes."""
        low = None if self.law.down else self.law.low
        high = None if self.law.up else self.law.high
        return ShownNoise(low, high, stairs, after, relative)


class Phase(NamedTuple):
    """One of the letters of a tail: the outcomes that it stands for, all roots, and which of them."""

    span: Span
    roots: Roots
    number: int


class Phases(NamedTuple):
    """How tails become letters: ratios are functions of e^(−1/k), and ``apart`` letters more are told apart."""

    k: int
    apart: int

    def union(self, roots: Iterable[Roots]) -> Roots:
        """The roots of a recurrence for all of them."""
        return roots_of(roots, self.k)

    def first(self, noise: Unbounded, span: Span, roots: Roots) -> int:
        """Where the tail of a law may begin, as an outcome, which is in the span."""
        if not isinstance(noise, KeptLaw):
            raise TypeError("its tails have no letters")
        law = noise.law
        if span.low is not None:
            return first_with_corners(law, span.low, roots, self.k)
        if span.high is not None:
            return -first_with_corners(law.reflect(), -span.high, roots, self.k)
        raise ValueError("a tail has one end")


def weight_of(law: Tailed, phase: Phase) -> Scale:
    """How likely a letter of a tail is."""
    if phase.span.low is not None:
        return weights(law, phase.span.low, phase.roots)[phase.number]
    if phase.span.high is not None:
        return weights(law.reflect(), -phase.span.high, phase.roots)[phase.number]
    raise ValueError("a tail has one end")
