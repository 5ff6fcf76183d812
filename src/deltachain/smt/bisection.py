"""The value of bd from thresholds alone [CMP18, Section 6]: bisection, and the exact rational by continued fractions.

An oracle answers bd ≤ θ and bd < θ. Bisection keeps lower < bd ≤ upper (or lower = 0 = bd) and halves. If the
denominator of bd is at most D, an interval shorter than 1/D² holds at most one such rational, and that one has the
least denominator in it: the Stern–Brocot search finds it. The candidate is then verified by two calls, bd ≤ c and not
bd < c, so the result does not rest on D; D only says when to stop looking. Candidates are tried on the way too,
after 0, 1, 2, 4, 8, … halvings, because values are usually much simpler than D allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import Defect, InputError, NotConverged, SolverUnknown
from ..rational import Number, as_fraction, simplest_between
from .decider import Decider

Oracle = Callable[[Fraction, bool], bool]
"""oracle(θ, strict): whether bd ≤ θ, or with strict bd < θ. Raises SolverUnknown if it does not know."""

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Bisection:
    """lower ≤ bd ≤ upper, after so many calls of the oracle."""

    lower: Fraction
    upper: Fraction
    calls: int


@dataclass(frozen=True)
class ExactValue:
    """bd, verified by bd ≤ value and not bd < value."""

    value: Fraction
    calls: int
    denominator_bound: int | None = field(repr=False)


def oracle(decider: Decider) -> Oracle:
    """The threshold oracle of a decider, whatever its solver."""
    return lambda theta, strict: decider.decide(theta, strict=strict).holds


def bisect(ask: Oracle, precision: Number) -> Bisection:
    """An interval around bd, at most ``precision`` long, after at most 1 + ⌈log₂(1/precision)⌉ calls.

    Raises NotConverged with the interval reached, as a Bisection, if the oracle does not know.

    >>> bisect(lambda theta, strict: Fraction(1, 3) <= theta, "1/10")
    Bisection(lower=Fraction(5, 16), upper=Fraction(3, 8), calls=5)
    """
    width = as_fraction(precision, "precision")
    if width <= 0:
        raise InputError(Defect("precision", f"{width} is not positive", "such as 1/1000"))
    interval = _Interval(ask)
    interval.at_most(ZERO)
    while interval.upper - interval.lower > width:
        interval.halve()
    return interval.now


class _Interval:
    """lower < bd ≤ upper (or lower = upper = 0), and the calls that showed it."""

    def __init__(self, ask: Oracle) -> None:
        self.ask = ask
        self.lower, self.upper, self.calls = ZERO, ONE, 0

    @property
    def now(self) -> Bisection:
        return Bisection(self.lower, self.upper, self.calls)

    def _asked(self, theta: Fraction, strict: bool) -> bool:
        self.calls += 1
        try:
            return self.ask(theta, strict)
        except SolverUnknown as reason:
            raise NotConverged(f"{reason}; the interval reached is attached", self.now) from None

    def at_most(self, theta: Fraction) -> bool:
        """Ask bd ≤ θ, and keep what that says."""
        holds = self._asked(theta, False)
        if holds:
            self.upper = min(self.upper, theta)
        else:
            self.lower = max(self.lower, theta)
        return holds

    def below(self, theta: Fraction) -> bool:
        """Ask bd < θ."""
        return self._asked(theta, True)

    def halve(self) -> None:
        self.at_most((self.lower + self.upper) / 2)


def exact_value(ask: Oracle, *, bound: int | None = None, most_calls: int | None = None) -> ExactValue:
    """The value of bd. ``bound`` limits its denominator, see `reduced.denominator_bound`; None: any denominator.

    ``most_calls`` is as many as the bound can ask for unless it is given, and 10,000 without a bound.
    Raises InputError if bd has a larger denominator than ``bound``, NotConverged with the interval reached if the
    oracle does not know or the calls are used up.
    """
    if bound is not None and bound < 1:
        raise InputError(Defect("bound", "it is not positive", "a bound on the denominator of bd"))
    bits = 0 if bound is None else bound.bit_length()
    if most_calls is None:
        # 2 log₂ D halvings, and two calls after each doubling of their number.
        most_calls = 10_000 if bound is None else 4 * bits + 64
    interval = _Interval(ask)
    if interval.at_most(ZERO):
        return ExactValue(ZERO, interval.calls, bound)
    halvings = 0
    while interval.calls < most_calls:
        narrow = bound is not None and interval.upper - interval.lower < Fraction(1, bound * bound)
        if narrow or halvings & (halvings - 1) == 0:
            # lower itself is excluded; below 1/D² it cannot be the simplest, and before that the next round decides.
            low, high = interval.lower, interval.upper
            candidate = simplest_between(low, high) if low else _simplest(high)
            if candidate > interval.lower and interval.at_most(candidate) and not interval.below(candidate):
                return ExactValue(candidate, interval.calls, bound)
            if narrow:
                what = f"bd has a denominator above this bound of {bits} bits"
                raise InputError(Defect("bound", what, "give a larger bound"))
        interval.halve()
        halvings += 1
    raise NotConverged(f"bd not found in {most_calls} calls; the interval reached is attached", interval.now)


def _simplest(upper: Fraction) -> Fraction:
    """The fraction of least denominator in (0, upper]."""
    return Fraction(1, -(-upper.denominator // upper.numerator))
