"""The exact sampler: random bits compared with certified probabilities, at as many bits as the comparison needs.

Every decision is one of two. `Inverse` draws from finitely many outcomes: a uniform number U of [0, 1) lies between two
neighboring cumulative probabilities, and that outcome is drawn. U is known to as many bits as were read, and the
probabilities are enclosed as closely; where U's cell holds a boundary, more of both are taken, which ends with
probability 1. `UniformSampler` does the same for equal probabilities, without a table. Then:

- Two-sided geometric noise: its sign is 0, + or − with the probabilities (1 − r)/(1 + r), r/(1 + r), r/(1 + r). Given
  a sign, |Z| − 1 is geometric, P(G ≥ g) = r^g, and *the digits of a geometric number are independent*: for
  g = Σ dⱼ·B^j the weight r^g is the product of (r^(B^j))^dⱼ. The last digit has one more outcome, "B or more", which
  adds B and draws it again, as a geometric number forgets what it has passed. Finite tables, no tail cut off, whatever
  the scale.
- The discrete Gaussian [Canonne, Kamath, Steinke 2020, Algorithm 3]: noise Y with the ratio e^(−1/t) is accepted with
  probability exp(−(|Y| − σ²/t)²/2σ²); the exponents add up to −Y²/2σ² and a constant, so that nothing is normalised.

Nothing here is constant-time, and nothing is wiped from memory.
"""

from __future__ import annotations

import math
import os
import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, Protocol

from flint import arb, ctx

from ..errors import InputError
from ..numbers.ball import Irrational
from ..numbers.real import ball_at, exact_of, exp

SampledParameter = Fraction | Irrational

Bits = Callable[[int], int]
"""Independent fair bits, as many as asked for, as a number."""
Enclosed = Callable[[int], arb]
"""A ball around a number at a precision, the narrower the more bits there are."""
RangeEnds = Sequence[tuple[int, int]]
"""Whole numbers (low, high) around 2^bits·x, for each of some numbers x of [0, 1]."""

WIDTH = 64
"""Bits that are read at a time."""
GUARD_BITS = 32
"""Bits of precision beyond those of an enclosure; where they are not enough, the precision is doubled."""
MOST_PRECISION = 1 << 18
"""Bits at which a number is given up on."""
MOST_COINS = 2048
"""How many coins a Gaussian keeps."""
MOST_BITS = 4096
"""The largest scale, in bits, as of the numbers of programs: each digit of noise takes time."""
KEPT_TABLES = 256
"""How many tables of weights are kept, and how long they may be."""


class Sampler(Protocol):
    """Draws from one law."""

    def draw(self, bits: Bits) -> Any:
        """One outcome, by fresh bits."""
        ...


_FLINT = threading.RLock()
"""flint's precision belongs to the process. A change by another thread makes balls wider, never wrong; the lock keeps
draws from delaying each other that way."""


def _forget_lock() -> None:
    """After a fork: the thread that held it is not there any more."""
    global _FLINT  # noqa: PLW0603 - a lock cannot be made free otherwise
    _FLINT = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)


def closely(balls: Callable[[int], Sequence[arb]], bits: int) -> RangeEnds:
    """Numbers of [0, 1] as whole numbers over 2^bits: low ≤ 2^bits·x ≤ high, high − low ≤ 2.

    ``balls(precision)`` gives balls around the numbers, the narrower the more bits of precision there are.
    """
    precision = bits + GUARD_BITS
    with _FLINT:
        while True:
            with ctx.workprec(precision):
                scale = arb(1 << bits)
                found = [_whole_ends(ball * scale, 1 << bits) for ball in balls(precision)]
            if all(high - low <= 2 for low, high in found):
                return found
            precision = _more(precision)


def _more(precision: int) -> int:
    """Twice as many bits; InputError for a number so close to another that nobody will ever tell them apart."""
    if precision > MOST_PRECISION:
        raise InputError(f"a number that {precision:,} bits do not enclose: give one that is farther from 0 and 1")
    return 2 * precision


def _whole_ends(ball: arb, most: int) -> tuple[int, int]:
    """The ends of a ball, rounded outwards to whole numbers from 0 to ``most``; far apart if they are not known."""
    low, high = _whole(ball.lower().floor(), 2 * most), _whole(ball.upper().ceil(), 2 * most)
    if low is None or high is None:
        return 0, most + 3
    return max(0, low), min(most, high)


def _whole(number: arb, most: int) -> int | None:
    """A whole number, if it is known and not above ``most``: flint ends the process over one that fills the memory."""
    found = number.unique_fmpz() if abs(number) <= most else None
    return None if found is None else int(found)


class Inverse:
    """An outcome 0 … n of given cumulative probabilities c₀ ≤ … ≤ c₍ₙ₋₁₎: i is drawn where c₍ᵢ₋₁₎ ≤ U < cᵢ."""

    def __init__(self, ends: Callable[[int], RangeEnds], width: int = WIDTH) -> None:
        self.width, self.ends = width, ends
        self._lows, self._highs = self._table(width)

    def _table(self, bits: int) -> tuple[list[int], list[int]]:
        """Lower and upper ends, both increasing: a bound of a boundary bounds its neighbors, too."""
        ends = self.ends(bits)
        lows = list(accumulate((low for low, _ in ends), max))
        highs = list(accumulate((high for _, high in reversed(ends)), min))
        highs.reverse()
        return lows, highs

    def draw(self, bits: Bits) -> int:
        """The number of the outcome."""
        u = bits(self.width)
        # U is in [u, u + 1) over 2^width: at or above every boundary whose upper end is at most u …
        found = bisect_right(self._highs, u)
        # … and below the next one if its lower end is at least u + 1.
        if found == len(self._lows) or u < self._lows[found]:
            return found
        return self._closer(u, bits)

    def _closer(self, u: int, bits: Bits) -> int:
        """The same with more bits: the cell of U held a boundary."""
        count = self.width
        while True:
            u, count = u << self.width | bits(self.width), count + self.width
            lows, highs = self._table(count)
            found = bisect_right(highs, u)
            if found == len(lows) or u < lows[found]:
                return found


# Finitely many values.


class WeightedSampler:
    """One of the values, in proportion to weights."""

    def __init__(self, values: Sequence[Any], weights: tuple[SampledParameter, ...]) -> None:
        self._values = values
        self._inverse = _kept_inverse(weights) if len(weights) <= KEPT_TABLES else inverse_of(weights)

    def draw(self, bits: Bits) -> Any:
        """One of the values."""
        return self._values[self._inverse.draw(bits)]


def inverse_of(weights: tuple[SampledParameter, ...], width: int = WIDTH) -> Inverse:
    """The number of a weight, in proportion to the weights, all of which are above 0."""
    fractions = [weight for weight in weights if isinstance(weight, Fraction)]
    if len(fractions) == len(weights):
        common = math.lcm(*(weight.denominator for weight in fractions))
        *sums, total = accumulate(weight.numerator * (common // weight.denominator) for weight in fractions)
        return Inverse(lambda bits: [((s << bits) // total, -(-(s << bits) // total)) for s in sums], width)

    def cumulative(precision: int) -> list[arb]:
        *below, whole = accumulate(ball_at(weight, precision) for weight in weights)
        return [ball / whole for ball in below]

    return Inverse(lambda bits: closely(cumulative, bits), width)


@lru_cache(maxsize=KEPT_TABLES)
def _kept_inverse(weights: tuple[SampledParameter, ...]) -> Inverse:
    return inverse_of(weights)


class UniformSampler:
    """A whole number from low to high: floor(U·n) above low."""

    def __init__(self, low: int, high: int, width: int = WIDTH) -> None:
        self._low, self._count, self._more = low, high - low + 1, width
        # A cell of U holds a boundary with probability n/2^width: at most 2^-32 with so many bits.
        self._first = width if width < WIDTH else width * -(-(self._count.bit_length() + 32) // width)

    def draw(self, bits: Bits) -> int:
        """A number; more bits where the cell of U holds a boundary."""
        width, n = self._first, self._count
        u = bits(width)
        while True:
            found = u * n >> width
            # Every U of [u, u + 1) over 2^width leads to the same.
            if (u * n + n - 1) >> width == found:
                return self._low + found
            u, width = u << self._more | bits(self._more), width + self._more


# Noise.


class TwoSidedSampler:
    """P(Z = z) = (1 − r)/(1 + r)·r^|z|, by its sign and by the digits of |Z| − 1; beyond an end, that end."""

    def __init__(
        self,
        ratio: SampledParameter,
        low: int | None = None,
        high: int | None = None,
        base: int | None = None,
        width: int = WIDTH,
    ) -> None:
        self._low, self._high = low, high
        self.sign: Inverse | None = None
        self.digits: list[Inverse] = []
        self.base = 2
        if ratio != 0:
            self._build(_logarithm(ratio), base, width)

    def _build(self, exponent: Enclosed, base: int | None, width: int) -> None:
        """The tables; r = e^exponent, and 1 − r^n = −expm1(n·exponent) keeps its digits where r is close to 1."""
        size = _whole_part(lambda precision: -1 / exponent(precision)) + 1
        # Small scales take one digit; no table has more than about 256 entries.
        self.base = base or min(256, 1 << max(4, (12 * size).bit_length())) if size < 1 << 64 else base or 16
        # With so many digits the last one is "B or more", and is drawn again, with probability e^-12 at most.
        places = 1
        while self.base**places < 12 * size:
            places += 1

        def signs(precision: int) -> list[arb]:
            r = exponent(precision).exp()
            return [-exponent(precision).expm1() / (1 + r), 1 / (1 + r)]

        self.sign = Inverse(lambda bits: closely(signs, bits), width)
        for place in range(places):
            self.digits.append(self._digit(exponent, self.base**place, width, last=place == places - 1))

    def _digit(self, exponent: Enclosed, value: int, width: int, *, last: bool) -> Inverse:
        """The digit that counts ``value``: P(D ≤ d) = (1 − s^(d+1))/(1 − s^B), s = r^value; the last has no limit."""
        base = self.base

        def cumulative(precision: int) -> list[arb]:
            step = exponent(precision) * value
            if last:
                return [-(step * (d + 1)).expm1() for d in range(base)]
            whole = (step * base).expm1()
            return [(step * (d + 1)).expm1() / whole for d in range(base - 1)]

        return Inverse(lambda bits: closely(cumulative, bits), width)

    def draw(self, bits: Bits) -> int:
        """One integer."""
        found = self._draw_unbounded(bits)
        if self._low is None or self._high is None:
            return found
        return min(max(found, self._low), self._high)

    def _draw_unbounded(self, bits: Bits) -> int:
        sign = 0 if self.sign is None else self.sign.draw(bits)
        if sign == 0:
            return 0
        size, value = 1, 1
        *lower, last = self.digits
        for digit in lower:
            size += value * digit.draw(bits)
            value *= self.base
        d = last.draw(bits)
        size += value * d
        while d == self.base:
            d = last.draw(bits)
            size += value * d
        return size if sign == 1 else -size


def _logarithm(number: SampledParameter) -> Enclosed:
    """Ln of a positive number: of e^q exactly, q."""
    exact = exact_of(number)
    power = None if exact is None else exact.power
    if power is not None:
        return lambda precision: ball_at(power, precision)
    return lambda precision: ball_at(number, precision).log()


def _whole_part(ball: Enclosed) -> int:
    """The whole part of a positive number, up to a factor of 2, which is near enough for a scale."""
    precision = WIDTH
    with _FLINT:
        while True:
            with ctx.workprec(precision):
                found = ball(precision)
                if found > 1 << MOST_BITS:
                    raise InputError(f"noise with a scale above 2^{MOST_BITS}: give a smaller one")
                low, high = (_whole(end.floor(), 2 << MOST_BITS) for end in (found.lower(), found.upper()))
            if low is not None and high is not None and high <= 2 * low + 1:
                return max(0, low)
            precision = _more(precision)


class GaussianSampler:
    """P(Z = z) ∝ e^(−z²/2σ²), by rejection."""

    def __init__(self, sigma: SampledParameter, width: int = WIDTH) -> None:
        self.sigma, self.width = sigma, width
        # Any t is exact; the nearer to σ, the more is accepted.
        self.scale = _whole_part(lambda precision: ball_at(sigma, precision)) + 1
        self.proposal = TwoSidedSampler(exp(Fraction(-1, self.scale)), width=width)  # type: ignore[arg-type]
        self._coins: dict[int, Inverse] = {}

    def draw(self, bits: Bits) -> int:
        """One integer."""
        while True:
            found = self.proposal.draw(bits)
            size = abs(found)
            coin = self._coins.get(size)
            if coin is None:
                coin = self.coin(size)
                if len(self._coins) < MOST_COINS:
                    self._coins[size] = coin
            if coin.draw(bits) == 0:
                return found

    def coin(self, size: int) -> Inverse:
        """0 with the probability that a proposal of that size is accepted."""

        def accept(precision: int) -> list[arb]:
            square = ball_at(self.sigma, precision) ** 2
            return [(-((size - square / self.scale) ** 2) / (2 * square)).exp()]

        return Inverse(lambda bits: closely(accept, bits), self.width)
