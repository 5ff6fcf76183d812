"""WFA, cross-media measurement, pull request 4333 (2026): which bound of truncated Laplace noise gives δ = 1/1000?

Laplace noise of scale 1, conditioned to lie within ±bound and then rounded to integers. The weight of an integer k ≠ 0
is e^(1/2 − |k|) − e^(−1/2 − |k|), up to a factor; at the ends, where the bound cuts, e^(−bound) replaces the second.
"""

from deltachain import announce, choose, exp, program


@program
def bound_8(count):
    weights = tuple(
        2 - 2 * exp("-1/2") if k == 0 else exp(1 / 2 - abs(k)) - exp(-8 if abs(k) == 8 else -1 / 2 - abs(k))
        for k in range(-8, 9)
    )
    announce(count + choose(range(-8, 9), weights=weights))


@program
def as_merged(count):
    end = 1 / (1 + 500 * (exp(1) - 1))  # e^-bound, for the bound ln(1 + 500(e - 1)) = 6.757…
    weights = tuple(
        2 - 2 * exp("-1/2") if k == 0 else exp(1 / 2 - abs(k)) - (end if abs(k) == 7 else exp(-1 / 2 - abs(k)))
        for k in range(-7, 8)
    )
    announce(count + choose(range(-7, 8), weights=weights))
