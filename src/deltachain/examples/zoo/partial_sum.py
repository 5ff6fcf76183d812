"""The noisy sum of bits: what was the first one?

Partial sum [Chan, Shi, Song 2011].
Protocol: bits x_1 … x_n arrive. Their sum is published once, with noise of ratio a = e^(−ε), moved to 0 … n.
Secret: the first bit: 0 in s0, 1 in s1; the other bits are 0.
Labels: ``start``; the published number; ``end``.

Known exactly: e^ε = 1/a: it is the truncated geometric mechanism, whose δ at α is (1 − αa)/(1 + a) for α ≤ 1/a: 1/6 at
a = 1/2 and α = 3/2.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability, truncated_geometric, unroll, whole


def partial_sum(n: int = 3, ratio: Number = "1/2") -> Chain:
    """The sum of ``n`` bits, of which the first is 0 (s0) or 1 (s1) and the others are 0, with truncated noise.

    >>> partial_sum().probability("s1", "0")
    Fraction(1, 3)
    """
    n, a = whole(n, "n", 1, 100), probability(ratio, "ratio")
    return unroll(
        {"s0": 0, "s1": 1}, lambda bit: [(p, str(z), None) for z, p in enumerate(truncated_geometric(bit, n, a))]
    )
