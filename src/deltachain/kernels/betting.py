"""The wealth of gamblers who bet on a mean: the inner loop of `measures.estimate.find`."""

from . import cython

if not cython.compiled:
    from .types import ConstReals, f64, i64

LARGE = cython.declare(f64, 2.0**400)
SMALL = cython.declare(f64, 2.0**-400)
RAISE = cython.declare(f64, 2.0**600)
"""Wealth outside of SMALL … LARGE is kept as a number times a power of RAISE. One value multiplies it by LARGE at
most."""


@cython.cfunc
@cython.nogil
def play(values: ConstReals, mean: f64, shares: ConstReals, weights: ConstReals) -> f64:
    """`wealth_of_gamblers`, without the interpreter lock."""
    total: f64 = 0.0
    for g in range(len(shares)):
        kept = 1.0 - shares[g]
        stake = shares[g] / mean
        wealth: f64 = weights[g]
        power: i64 = 0
        for i in range(len(values)):
            # The factor 1 − c + c·X/m has a mean of at most 1 if m is no less than the mean of X
            # (docs/theory/sampling.md).
            wealth *= kept + stake * values[i]
            if wealth > LARGE:
                wealth /= RAISE
                power += 1
            elif wealth < SMALL:
                wealth *= RAISE
                power -= 1
        # At least SMALL·RAISE = 2^200, above every threshold (`estimates.LEAST_ERROR`). With a power below 0 it is at
        # most LARGE/RAISE = 2^-200, and is left out: a smaller total rejects a mean less readily.
        if power > 0:
            return LARGE
        if power == 0:
            total += wealth
    return min(total, LARGE)


def wealth_of_gamblers(values: ConstReals, mean: f64, shares: ConstReals, weights: ConstReals) -> f64:
    """What all gamblers together own after betting their shares on the values, or LARGE if it is more."""
    with cython.nogil:
        wealth = play(values, mean, shares, weights)
    return wealth
