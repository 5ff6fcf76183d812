"""Rényi and Kullback–Leibler divergences and zCDP of exact privacy-loss distributions, alone or of independent runs.

With outcomes (x, y), likely x from the first state and y from the second (`losses`), and an order a > 1,

    e^K(a) = Σ x^a y^(1−a),    D_a = K(a) / (a − 1),    KL = Σ x ln(x/y) = K'(1),    ρ = sup_{a>1} D_a / a.

All of them are about one *direction*: first against second. They are infinite if and only if some outcome has
x > 0 = y. K is convex with K(1) = 0, and adds up over independent runs (docs/theory/divergences.md); so does the
largest K over a choice of pairs in each model that runs beside the first, which is convex again.

For whole orders e^K is an exact number. K itself, and every other order, is enclosed by arb's balls.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb, ctx, fmpq

from ...beliefs.graph.losses import PrivacyLosses, total
from ...cancel import spend
from ...errors import InputError
from ...numbers import ball
from ...numbers.field import Exact, ends
from ...numbers.fraction import round_down, round_up

BITS = 320
"""Of balls: orders next to 1 lose about 50 of them, large ones as many as the order has."""
PLACES = 24
"""Decimal places of an enclosed divergence."""
LONGEST_MOMENT = 100_000
"""Bits of a moment that is kept exactly."""
CLOSEST = 48
"""2^-CLOSEST is the distance to 1 within which orders are not told apart."""
RELATIVE = arb(2) ** -40
"""How closely ρ is enclosed, relatively."""
MOST_STEPS = 2_000
"""Parts of the line of orders that are looked at for ρ: what is known then stands."""

DivergenceOutcome = tuple[Exact, Exact]
DivergenceBounds = tuple[Fraction, Fraction]
"""(lower, upper)."""


class _Cumulants:
    """K of one run of one mechanism, whose outcomes have x, y > 0 or x = 0."""

    def __init__(self, outcomes: Sequence[DivergenceOutcome]) -> None:
        self.outcomes = [(x, y) for x, y in outcomes if x]
        self._known: dict[Fraction, arb] = {}

    @cached_property
    def _logs(self) -> list[tuple[arb, arb]]:
        return [(_ball(x).log(), _ball(y).log()) for x, y in self.outcomes]

    def at(self, order: Fraction) -> arb:
        """K(order)."""
        known = self._known.get(order)
        if known is None:
            spend(30 * len(self._logs))
            a = _ball(order)
            known = self._known[order] = sum(((a * x + (1 - a) * y).exp() for x, y in self._logs), arb(0)).log()
        return known

    @cached_property
    def slope(self) -> arb:
        """K'(1), the Kullback–Leibler divergence."""
        spend(100 * len(self.outcomes))
        return sum((_ball(x) * (lx - ly) for (x, _), (lx, ly) in zip(self.outcomes, self._logs, strict=True)), arb(0))

    @cached_property
    def farthest(self) -> arb:
        """The largest loss."""
        return _largest([x - y for x, y in self._logs])

    def moment(self, order: int) -> Exact:
        """e^K(order)."""
        return total(x**order / y ** (order - 1) for x, y in self.outcomes)


@dataclass(frozen=True)
class Directed:
    """Independent runs from one state each, against those from another: what can be asked of this direction.

    Attributes:
        own: the outcomes of the pair that is asked about.
        beside: for each model that runs beside it, those of all its pairs, in both orders; the worst counts.
        times: how often each of them runs.
    """

    own: tuple[DivergenceOutcome, ...]
    beside: tuple[tuple[tuple[DivergenceOutcome, ...], ...], ...] = ()
    times: int = 1

    @cached_property
    def alone(self) -> Exact:
        """The probability, in one run of a model, of an outcome that only the first state can show; 0 if none is."""
        found = (total(x for x, y in each if not y) for choices in self._choices for each in choices)
        return max(found)

    @property
    def _choices(self) -> tuple[tuple[tuple[DivergenceOutcome, ...], ...], ...]:
        return ((self.own,), *self.beside)

    @cached_property
    def _cumulants(self) -> list[list[_Cumulants]]:
        return [[_Cumulants(each) for each in choices] for choices in self._choices]

    @cached_property
    def _same(self) -> bool:
        """Whether nothing tells the two apart."""
        return all(x == y for choices in self._choices for each in choices for x, y in each)

    def moment(self, order: int) -> Exact | None:
        """e^K of a whole order above 1, exactly; None if it is infinite, or too long to be written."""
        if self.alone or self._same:
            return None if self.alone else Fraction(1)
        try:
            product: Exact = Fraction(1)
            for choices in self._cumulants:
                product = product * max(each.moment(order) for each in choices)
            return product**self.times if _size(product) * self.times <= LONGEST_MOMENT else None
        except InputError:  # a function of e of too high a degree
            return None

    def renyi(self, order: Fraction) -> DivergenceBounds | None:
        """D of an order above 1; None if it is infinite."""
        if self.alone or self._same:
            return None if self.alone else (Fraction(0), Fraction(0))
        with ctx.workprec(BITS):
            return _round(self._at(order) / _ball(order - 1))

    def kl(self) -> DivergenceBounds | None:
        """The Kullback–Leibler divergence; None if it is infinite."""
        if self.alone or self._same:
            return None if self.alone else (Fraction(0), Fraction(0))
        with ctx.workprec(BITS):
            return _round(self._slope)

    def _at(self, order: Fraction) -> arb:
        """K of all runs."""
        return self.times * sum((_largest([each.at(order) for each in choices]) for choices in self._cumulants), arb(0))

    @property
    def _slope(self) -> arb:
        """The KL divergence of all runs: K'(1), or its upper side where the worst choice changes at 1."""
        return self.times * sum((_largest([each.slope for each in choices]) for choices in self._cumulants), arb(0))

    def zcdp(self) -> DivergenceBounds | None:
        """The least ρ with D_a ≤ ρa for every order a > 1; None if there is none.

        *Below*, ρ is at least D_a/a at every order that is looked at, and at least KL, its limit at 1. *Above*, on a
        part [a, b] of the line of orders K lies below its chord, and chord/(order·(order − 1)) has one maximum, in
        closed form; up to 1 + 2^-48 D_a ≤ D_b; and beyond A, D_a/a ≤ (largest loss)/A. The part with the largest bound
        is halved until it is close to what is known from below, or `MOST_STEPS` are over.
        """
        if self.alone or self._same:
            return None if self.alone else (Fraction(0), Fraction(0))
        with ctx.workprec(BITS):
            lower = _least(self._slope)
            if not lower > 0:  # so close that balls cannot tell them apart
                return Fraction(0), _round(self.times * self._farthest)[1]
            # From this order on (largest loss)/order is at most what is known
            # from below, so nothing beyond is looked at.
            last = math.ceil(ball.ends(self.times * self._farthest / lower)[1]) + 2
            orders = [1 + Fraction(1, 2**CLOSEST)]
            while orders[-1] < last:
                orders.append(1 + 2 * (orders[-1] - 1))
            h = orders[0] - 1
            # The part next to 1 stays as it is; the others are halved.
            nearest = (self._at(orders[0]) / _ball(h)).upper()
            lower = _largest([lower, *(_least(self._ratio(order)) for order in orders)])
            parts = [(-float(bound), bound, a, b) for a, b in pairwise(orders) for bound in [self._most(a, b)]]
            heapq.heapify(parts)
            for _ in range(MOST_STEPS):
                if not parts[0][1] > lower * (1 + RELATIVE):
                    break
                _, _, a, b = heapq.heappop(parts)
                middle = (a + b) / 2
                lower = _largest([lower, _least(self._ratio(middle))])
                for left, right in ((a, middle), (middle, b)):
                    bound = self._most(left, right)
                    heapq.heappush(parts, (-float(bound), bound, left, right))
            upper = _largest([lower, nearest, *(part[1] for part in parts)])
            return _round(lower)[0], _round(upper)[1]

    @property
    def _farthest(self) -> arb:
        return sum((_largest([each.farthest for each in choices]) for choices in self._cumulants), arb(0))

    def _ratio(self, order: Fraction) -> arb:
        """D/order."""
        return self._at(order) / _ball(order * (order - 1))

    def _most(self, a: Fraction, b: Fraction) -> arb:
        """At least D/order for all orders from a to b, where 1 < a < b."""
        left, right = self._at(a), self._at(b)
        slope = (right - left) / _ball(b - a)
        # chord/(o(o−1)) = A/o − B/(o−1), with A = −(its height at 0) and B = −(its height at 1) ≥ 0, since K(1) = 0.
        at_one = left - slope * _ball(a - 1)
        top, bottom = slope - at_one, -at_one
        at_ends = _largest([self._ratio(a), self._ratio(b)]).upper()
        if not bottom > 0:  # the chord goes through K(1), as far as balls can tell: A/o falls
            return _largest([at_ends, (top / _ball(a)).upper()])
        if top <= bottom:
            return at_ends
        # Its derivative vanishes where o/(o−1) = √(A/B).
        share = (top / bottom).sqrt()
        outside = share > _ball(a / (a - 1)) or share < _ball(b / (b - 1))
        return at_ends if outside else _largest([at_ends, ((top.sqrt() - bottom.sqrt()) ** 2).upper()])


def direct(losses: PrivacyLosses, beside: Sequence[Sequence[PrivacyLosses]] = (), times: int = 1) -> Directed:
    """The first state of a pair against the second; ``losses.reversed`` has the other direction."""
    others = tuple(tuple(_outcomes(each) for each in choices) for choices in beside)
    return Directed(_outcomes(losses), others, times)


def _outcomes(losses: PrivacyLosses) -> tuple[DivergenceOutcome, ...]:
    return tuple((o.first, o.second) for o in losses.outcomes)


def _ball(value: Exact) -> arb:
    low, high = ends(value, BITS)
    first = arb(fmpq(low.numerator, low.denominator))
    return first if low == high else first.union(arb(fmpq(high.numerator, high.denominator)))


def _largest(balls: Sequence[arb]) -> arb:
    found = balls[0]
    for each in balls[1:]:
        found = found.max(each)  # type: ignore[attr-defined]  # the stubs have not heard of it
    return found


def _least(value: arb) -> arb:
    """The lower end of a ball."""
    return -(-value).upper()


def _round(value: arb) -> DivergenceBounds:
    """The ends of a ball of a number that is not negative, as decimals."""
    low, high = ball.ends(value)
    return max(round_down(low, PLACES), Fraction(0)), round_up(high, PLACES)


def _size(number: Exact) -> int:
    if isinstance(number, Fraction):
        return max(number.numerator, number.denominator).bit_length()
    return max((part.degree() + 1) * part.height_bits() for part in (number.top, number.bottom))
