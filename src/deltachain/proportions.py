"""Limits for a probability p from k successes in n trials, at a confidence: certified, whatever the rounding.

Two sets, each of which misses p with probability at most ``error``:

- *at a fixed n* [Clopper, Pearson 1934]: {p : P(X ≥ k) > error/2 and P(X ≤ k) > error/2}, X binomial with n and p;
- *at every stopping time* [Robbins 1970]: {p : (n + 1)·C(n, k)·p^k·(1 − p)^(n−k) > error}. The inverse of the left
  side is the wealth of a gambler who starts with 1 and bets on every θ ∈ [0, 1] alike,
  ∫ Π (θ/p)^x·((1 − θ)/(1 − p))^(1−x) dθ: a martingale, so it ever reaches 1/error with probability at most ``error``
  [Ville 1939].

Both are intervals around k/n, and symmetric: the upper limit for k is 1 minus the lower limit for n − k. Below k/n, the
left sides rise with p, and their logarithms are concave in its log-odds. (For the first: P(X ≥ k) is the distribution
function of a beta variable, whose density in the log-odds is log-concave.) So a tangent lies above, and each step of
Newton's method ends outside the set; it stops when steps no longer matter. What comes out is rounded down to a short
dyadic number, which is then proved to be outside with balls of arb, and taken further out until it is.

P(X ≥ k) = P(X = k)·(1 + r_k + r_k·r_{k+1} + …) with r_j = (n − j)/(j + 1)·p/(1 − p), which fall as j grows. The sum is
computed in floats from positive numbers alone, each within (1 + 2^-50)^(j−k) of its value; what is left out after the
last term is at most that term times r/(1 − r).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np
from flint import arb, ctx

from .numbers.flint import to_flint, to_fraction

Totals = Literal["random", "fixed"]
"""Whether the number of trials was fixed in advance, or came out of the runs like everything else."""

SHORTER = 40
"""A limit is rounded to at most 2^-SHORTER of its distance from k/n."""
MAX_STEPS = 64
BLOCK = 2048
MAX_TERMS = 1 << 18
GROWTH = 2.0**-50
"""More than the relative error of a ratio and of two products, together: each is at most 2^-53."""


def limits(successes: int, trials: int, error: Fraction, totals: Totals) -> tuple[Fraction, Fraction]:
    """(lo, hi), dyadic, around the whole set for an ``error`` in (0, 1); [0, 1] without trials.

    >>> lo, hi = limits(5625, 10_000, Fraction(1, 2000), "fixed")
    >>> 0.5451 < lo < 0.5452 and 0.5797 < hi < 0.5798
    True
    >>> limits(0, 10, Fraction(1, 100), "random")[0]
    Fraction(0, 1)
    """
    return lower_limit(successes, trials, error, totals), 1 - lower_limit(trials - successes, trials, error, totals)


@lru_cache(maxsize=1 << 16)
def lower_limit(successes: int, trials: int, error: Fraction, totals: Totals) -> Fraction:
    """A dyadic number that is at most every p of the set, and close to its lower end."""
    if successes == 0:
        return Fraction(0)
    with ctx.workprec(96 + 2 * trials.bit_length()):
        side = (_AtFixed if totals == "fixed" else _AtAnyTime)(successes, trials, error)
        middle = Fraction(successes, trials)
        guess = min(_newton(side, _first_odds(side)), middle)
        distance = max(middle - guess, Fraction(1, 2 * trials**2))
        unit = Fraction(1, 2 ** (SHORTER + (distance.denominator // distance.numerator).bit_length()))
        low, step = math.floor(guess / unit) * unit, unit
        while low > 0 and not side.at(arb(to_flint(low)), arb(to_flint(1 - low)))[0] <= 0:
            low, step = low - step, 2 * step
    return max(low, Fraction(0))


class _Side(Protocol):
    """One of the two sets, from below: positive inside, at most 0 outside, for p ≤ k/n."""

    successes: int
    trials: int
    height: float
    """About half the square of the distance of the limit from k/n, in standard deviations."""

    def at(self, p: arb, q: arb) -> tuple[arb, float]:
        """A ball around log(left side / its bound), or around more than that, and about its slope; q = 1 − p."""


class _AtAnyTime:
    """log((n + 1)·C(n, k)·p^k·q^(n−k) / error)."""

    def __init__(self, successes: int, trials: int, error: Fraction) -> None:
        self.successes, self.trials = successes, trials
        self.constant = _log_binomial(trials, successes) + (arb(trials + 1) / arb(to_flint(error))).log()
        shares = [k for k in (successes, trials - successes) if k]
        self.height = float(sum((k * (arb(k) / trials).log() for k in shares), self.constant))

    def at(self, p: arb, q: arb) -> tuple[arb, float]:
        k, others = self.successes, self.trials - self.successes
        return self.constant + k * p.log() + others * q.log(), k * float(q) - others * float(p)


class _AtFixed:
    """log(P(X ≥ k) / (error/2))."""

    def __init__(self, successes: int, trials: int, error: Fraction) -> None:
        self.successes, self.trials = successes, trials
        self.constant = _log_binomial(trials, successes) + arb(to_flint(2 / error)).log()
        self.height = float(arb(to_flint(2 / error)).log())

    def at(self, p: arb, q: arb) -> tuple[arb, float]:
        k, others, terms = self.successes, self.trials - self.successes, self._sum((p / q).upper())
        slope = k * float(q) / terms  # dP(X ≥ k)/dp = P(X = k)·k/p
        return self.constant + k * p.log() + others * q.log() + arb(terms).log(), slope

    def _sum(self, odds: arb) -> float:
        """At least 1 + r_k + r_k·r_{k+1} + …, and close to it; infinite where the terms do not fall."""
        factor = math.nextafter(float(odds), math.inf)
        total, last, at, terms = 1.0, 1.0, self.successes, 0
        while at < self.trials and terms < MAX_TERMS and last > 2.0**-60 * total:
            further = np.arange(min(BLOCK, self.trials - at))
            ratios = factor * ((self.trials - at) - further) / ((at + 1) + further)
            if ratios[0] >= 1:
                return math.inf
            products = last * np.cumprod(ratios)
            total, last = total + float(products.sum()), float(products[-1])
            at, terms = at + len(further), terms + len(further)
        ratio = factor * (self.trials - at) / (at + 1) * (1 + GROWTH)
        total = total + last * ratio / (1 - ratio) if ratio < 1 else math.inf
        return total * (1 + 2 * (terms + 8) * GROWTH)  # ≥ (1 + GROWTH)^terms, and more than underflow can hide


def _log_binomial(n: int, k: int) -> arb:
    return arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()


def _first_odds(side: _Side) -> float:
    """The log-odds of the limit if all were normal [Wilson 1927]; below those of k/n, which is all that is needed."""
    k, n, square = side.successes, side.trials, max(2 * side.height, 1.0)
    root = math.sqrt(square * (k * (n - k) / n + square / 4))
    p = k * k / n / (k + square / 2 + root)
    q = ((n - k) + square / 2 + root) / (n + square)
    return math.log(p) - math.log(q)


def _newton(side: _Side, odds: float) -> Fraction:
    """A p at the lower end of the set or just outside."""
    middle = math.log(side.successes / (side.trials - side.successes)) if side.successes < side.trials else math.inf
    enough = 2.0**-46 * min(1.0, middle - odds)
    at, previous = arb(odds), math.inf
    for _ in range(MAX_STEPS):
        grown = at.exp()
        p, q = grown / (1 + grown), 1 / (1 + grown)
        value, slope = side.at(p, q)
        step = float(value) / slope
        at = (at - step).mid()
        # Quadratic convergence: steps that stop shrinking are rounding alone.
        if abs(step) <= enough or previous <= abs(step) <= 2**10 * enough:
            break
        previous = abs(step)
    grown = at.exp()
    return to_fraction((grown / (1 + grown)).mid().fmpq())
