"""pure-LDP, issue 11 (2023, fixed in 1.2.0): unary encoding whose own bit could also be set by the noise.

An item is a vector of bits with a single 1. Each of its 0s is sent as 1 with probability q; the 1 is sent as 1 with
probability p. The noise of all bits was drawn first, and the item's bit was then set with probability p, but not
cleared otherwise: it was 1 with probability p + (1 − p)q. Here p = 1/2 and q = 1/(e^ε + 1), optimised unary encoding.
"""

from deltachain import announce, exp, flip, program


@program
def optimised_unary(item, d=3, epsilon=1):
    q = 1 / (exp(epsilon) + 1)
    for i in range(d):
        noise = flip(q)
        announce(1 if (i == item and flip("1/2")) or noise else 0)


@program
def cleared_first(item, d=3, epsilon=1):
    q = 1 / (exp(epsilon) + 1)
    for i in range(d):
        announce(1 if (flip("1/2") if i == item else flip(q)) else 0)
