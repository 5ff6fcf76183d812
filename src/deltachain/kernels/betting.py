"""The wealth of gamblers who bet on a mean: the inner loop of `sampling.estimates`."""

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
            wealth *= kept + stake * values[i]
            if wealth > LARGE:
                wealth /= RAISE
                power += 1
            elif wealth < SMALL:
                wealth *= RAISE
                power -= 1
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
