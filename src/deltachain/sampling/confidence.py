"""A lower confidence bound for the mean of values in [0, ∞), valid at every stopping time: a bet against small means.

Let X_1, X_2, … ≥ 0 have mean at most m given what went before. A gambler who starts with 1 and stakes the share c of
his wealth on X/m has, after n values, K_c(m) = Π_i (1 − c + c·X_i/m): a supermartingale, hence (Ville) it ever reaches
1/error with probability at most ``error``. The same holds of the average K of several gamblers. So "the mean is at
most m" is given up as soon as K(m) ≥ 1/error, and with probability 1 − error no true statement ever is, whenever one
looks and stops. K falls in m, factor by factor: all m below one that is given up are given up too, and the largest such
m is a lower bound of the mean [Waudby-Smith, Ramdas, *Estimating means of bounded random variables by betting*, 2024].

Values in [0, 1] have an upper bound as well: bet on 1 − X.

*Rounding.* Every quantity above is a sum or product of non-negative numbers, computed by IEEE additions,
multiplications and divisions alone, each within the relative error 2^-53: at most six of them a value. So the computed
K is at most (1 + 2^-50)^n times the true one, and it must reach that much more than 1/error.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..kernels import wealth_of_gamblers
from ..kernels.betting import SMALL
from ..kernels.types import Reals

BISECTIONS = 32
SHARES = tuple((2.0**k, weight / 16) for k, weight in ((-3, 1), (-2, 2), (-1, 3), (0, 4), (1, 3), (2, 2), (3, 1)))
"""Gamblers around the one who is best for the number of values planned, and what each starts with: 1 in all."""
LEAST_ERROR = Fraction(1, 2**190)
"""Nothing is said with a smaller one."""
LEAST_SHARE, LARGEST_SHARE = 2.0**-24, 0.5


class Bets(NamedTuple):
    """What each gambler stakes, and what he starts with."""

    share: Reals
    weight: Reals


def plan_bets(pilot: Reals, planned: int, error: float) -> Bets:
    """Stakes for ``planned`` values like those of the pilot; any others are sound too, and lose some width."""
    mean = float(pilot.mean()) if len(pilot) else 0.0
    spread = max(float(pilot.var()) if len(pilot) else 0.25, 1e-4 * max(mean, 1e-2))
    best = mean * math.sqrt(2 * math.log(1 / error) / (spread * max(planned, 1)))
    best = min(max(best, LEAST_SHARE), LARGEST_SHARE) if mean > 0 else LARGEST_SHARE
    shares = [min(max(best * factor, LEAST_SHARE), LARGEST_SHARE) for factor, _ in SHARES]
    return Bets(np.array(shares), np.array([weight for _, weight in SHARES]))


def lower_mean(values: Reals, error: Fraction, bets: Bets) -> Fraction:
    """A number that is at most the mean, but for the probability ``error`` over all stopping times.

    ``bets`` must not depend on the values.

    >>> import numpy as np
    >>> half = np.array([0.0, 1.0] * 500)
    >>> 0.42 < lower_mean(half, Fraction(1, 1000), plan_bets(half, 1000, 1e-3)) < 0.47
    True
    """
    values = np.ascontiguousarray(values, np.float64)
    if not len(values) or not float(values.sum()) > 0 or error < LEAST_ERROR:
        return Fraction(0)
    slack = 1 + Fraction(len(values) + 8, 2**49)  # ≥ (1 + 2^-50)^n up to n = 2^49
    threshold = math.nextafter(float(slack / error), math.inf)
    low, high = 0.0, float(values.mean())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle <= low or middle < SMALL:
            break
        if wealth_of_gamblers(values, middle, bets.share, bets.weight) >= threshold:
            low = middle
        else:
            high = middle
    return Fraction(low)
