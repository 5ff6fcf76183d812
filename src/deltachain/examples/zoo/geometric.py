"""A count published with truncated geometric noise.

The truncated geometric mechanism [Ghosh, Roughgarden, Sundararajan 2009].
Protocol: a database holds a count c in {0 … m}. It publishes c plus two-sided geometric noise, P(noise = k)
= (1 − a)/(1 + a) · a^|k|, and moves what falls below 0 to 0 and what falls above m to m.
Secret: the count. The start state s_c holds the count c; the relation is all neighbours, c and c + 1, that
is, databases which differ in one person.
Labels: ``start``, then the published number for ever.

Known exactly: one step from c to c + 1 multiplies the probability of each output ≤ c by a, and that of each
other one by 1/a. So the best event for c against c + 1 is {0 … c}, and δ = max(P(noise ≤ 0) − α P(noise ≤
−1), 0) = max((1 − αa)/(1 + a), 0), the same for every c and, by symmetry, in both directions. At a = 1/2: δ
= 0, 1/6, 1/3 at α = 2, 3/2, 1. Outputs have one state each, so bd = δ.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability, truncated_geometric, whole


def geometric(m: int = 5, ratio: Number = "1/2") -> Chain:
    """A count from 0 to ``m`` published with geometric noise of the given ratio, truncated to 0 … ``m``.

    >>> geometric().probability("s0", "out0")
    Fraction(2, 3)
    """
    m = whole(m, "m", 1, 100)
    a = probability(ratio, "ratio")
    counts = range(m + 1)
    rows: dict[str, dict[str, Fraction]] = {}
    for count in counts:
        published = truncated_geometric(count, m, a)
        rows[f"s{count}"] = {f"out{z}": p for z, p in enumerate(published)}
    rows |= {f"out{z}": {f"out{z}": Fraction(1)} for z in counts}
    labels = {f"s{count}": "start" for count in counts} | {f"out{z}": str(z) for z in counts}
    return Chain.from_dicts(rows, labels, relation=[(f"s{c}", f"s{c + 1}") for c in range(m)])
