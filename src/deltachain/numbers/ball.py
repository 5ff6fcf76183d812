"""e^q and ln q of rationals, each between two rationals: arb's balls, whose ends are exact."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

GUARD_BITS = 16
"""Bits of precision beyond those asked for; where they are not enough, the precision is doubled."""

Enclosure = tuple[Fraction, Fraction]
"""(low, high): low ≤ the number ≤ high."""


class Irrational:
    """A number that is not written as a fraction; what is known of it is in `real`."""

    __slots__ = ()

    @property
    def key(self) -> Hashable:
        """What two numbers share only if they are the same."""
        raise NotImplementedError


@lru_cache(maxsize=256)
def exp(value: Fraction, bits: int) -> Enclosure:
    """e^value, with high − low ≤ 2^-bits · high.

    >>> low, high = exp(Fraction(1), 64)
    >>> float(low) == float(high) == 2.718281828459045
    True
    """
    return _enclose(lambda ball: ball.exp(), value, bits)


@lru_cache(maxsize=256)
def log(value: Fraction, bits: int) -> Enclosure:
    """Ln value, for value > 0, with high − low ≤ 2^-bits · max(1, |high|)."""
    return _enclose(lambda ball: ball.log(), value, bits)


def ends(ball: arb) -> Enclosure:
    """The two ends of a ball, which are dyadic, and exact."""
    middle, radius = ball.mid().fmpq(), ball.rad().fmpq()
    low, high = middle - radius, middle + radius
    return Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))


def _enclose(function: Callable[[arb], arb], value: Fraction, bits: int) -> Enclosure:
    precision = bits + GUARD_BITS
    while True:
        with ctx.workprec(precision):
            ball = function(arb(fmpq(value.numerator, value.denominator)))
        low, high = ends(ball)
        # The precision belongs to the process: another thread may have lowered it, which is wider, and sound.
        if (high - low) * 2**bits <= max(Fraction(1), abs(high)):
            return low, high
        precision *= 2


def written_out(ball: arb, bits: int) -> arb:
    """The ball, or one around it whose ends are not much longer than ``bits``: flint ends the process over others."""
    least, middle, radius = arb(2) ** -bits, ball.mid(), ball.rad()
    # A middle of 2^-10^9 takes two words in a ball, and a billion bits in a Fraction.
    if middle != 0 and abs(middle) < least:
        return arb(0, radius + least)
    return arb(middle, least) if radius != 0 and radius < least else ball


def scaled_ends(ball: arb, bits: int) -> tuple[int, int]:
    """Whole numbers low, high with low ≤ 2^bits · x ≤ high for every x of the ball; low is at least 0."""
    low, high = ends(written_out(ball, bits + 64))
    return max(0, (low.numerator << bits) // low.denominator), -((-high.numerator << bits) // high.denominator)
