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
from math import isqrt, lcm, prod

from ..errors import Defect, InputError, NotConverged, SolverUnknown
from ..rational import Number, as_fraction, simplest_between
from .reduction import Problem, Reduction, unordered
from .threshold import Decider

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
    """The value of bd. ``bound`` limits its denominator, see `denominator_bound`; None: any denominator.

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


def denominator_bound(reduction: Reduction) -> int:
    """A bound on the denominator of bd(s, t), and a common denominator of bd on all pairs of the reduction.

    Take optimal vertex flows at bd in both directions of each pair. bd is the least d with d ≥ Wd + η for all of
    these rows, hence a vertex of that polyhedron, hence the solution of as many of these rows (or rows d = 0) as
    there are pairs. By Cramer's rule and Hadamard's inequality its common denominator is at most the product of
    the largest row bounds (docs/smt.md).
    """
    asked = unordered(reduction.question.s, reduction.question.t)
    if asked in reduction.known:
        return reduction.known[asked].denominator
    return prod(sorted(row_bounds(reduction), reverse=True)[: len(reduction.problems)])


def row_bounds(reduction: Reduction) -> list[int]:
    """A bound for each row d(s, t) ≥ Σ ω d + constant + Σ η of optimal vertex flows, both directions of each pair.

    It bounds the common denominator of the row's numbers, and the norm of the row cleared of it.
    """
    return [_row_bound(reduction, problem) for both in reduction.problems.values() for problem in both]


def _row_bound(reduction: Reduction, problem: Problem) -> int:
    """A bound on the norm of the row d(s, t) − Σ ω d = constant + Σ η, cleared of denominators."""
    question = reduction.question
    a, b = question.alpha.numerator, question.alpha.denominator
    rows = (*question.chain.rows[problem.source], *question.chain.rows[problem.target])
    probabilities = lcm(*(p.denominator for _, p in rows))
    used = {unordered(*arc) for block in problem.blocks for arc in block.arcs} & reduction.known.keys()
    constants = lcm(*(reduction.known[pair].denominator for pair in used))
    # A vertex flow solves a system whose columns hold b and −a: its determinant is at most Π √(a² + b²).
    determinants = prod(isqrt((a * a + b * b) ** len(block.states)) + 1 for block in problem.blocks)
    longest = max((len(block.states) for block in problem.blocks), default=0)
    return probabilities * b * constants * determinants * (1 + longest)
