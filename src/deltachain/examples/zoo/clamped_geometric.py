"""A count published with noise that is cut off.

The geometric mechanism with clamped noise: the noise is cut, not the output.
Protocol: a count c is published as c + Z, where Z is two-sided geometric noise of ratio a whose tails are moved
to −clamp and clamp. (The `geometric` example moves the tails of the *output* to 0 and m.)
Secret: whether the count is 0 (s0) or 1 (s1).
Labels: ``start``, then the published number, then ``end``.

Known exactly: with Laplace or unclamped geometric noise the mechanism is private at e^ε = 1/a. Clamped noise is
private for no ε: −clamp can only come from the count 0 and clamp + 1 only from 1. Each has probability
a^clamp/(1 + a), and every other output has a ratio of at most max(1/a, a/(1 − a)), so δ = a^clamp/(1 + a) from
that e^ε on. At a = 1/2, clamp = 2: δ = 1/6 at α = 2.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import clamped_noise, probability, unroll, whole


def clamped_geometric(clamp: int = 2, ratio: Number = "1/2") -> Chain:
    """A count of 0 (s0) or 1 (s1), published with geometric noise that is cut at ±``clamp``.

    >>> clamped_geometric().probability("s0", "-2")
    Fraction(1, 6)
    """
    noise = clamped_noise(probability(ratio, "ratio"), -(reach := whole(clamp, "clamp", 1, 1000)), reach)
    return unroll({"s0": 0, "s1": 1}, lambda count: [(p, str(count + z), None) for z, p in noise])
