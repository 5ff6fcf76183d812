"""Noisy counts of bins: where is one person?

A noisy histogram [Dwork, McSherry, Nissim, Smith 2006].
Protocol: people are counted in bins; each bin's count is published with independent geometric noise of ratio a,
its outputs moved to 0 … m.
Secret: one person. ``moved=0``: she is in the first bin (s0) or not there at all (s1). ``moved=1``: she is in
the first bin (s0) or in the second (s1). Nobody else is there.
Labels: ``start``; one number per bin, in order; ``end``.

Known exactly: bins are independent and each is the truncated geometric mechanism, so e^ε = 1/a if she may only
leave and a^−2 if she may move: the usual claim "ε for a histogram" is wrong by a factor of two for the second.
A count that is not 0, then a 0, shows it: at a = 1/2 and two bins its probability is (2/3)² from s0 and (1/3)²
from s1, all else is as likely from both, and δ = max(4/9 − α/9, 0): 2/9 at α = 2.
What changes with clamped noise: nothing, since the outputs are clamped (post-processing), not the noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability, truncated_geometric, unroll, whole


def histogram(bins: int = 2, m: int = 2, ratio: Number = "1/2", moved: int = 1) -> Chain:
    """Noisy counts of ``bins`` bins with one person in the first (s0), and in the second or in none (s1).

    >>> histogram(moved=0).pairs
    (('s0', 's1'),)
    """
    bins, m = whole(bins, "bins", 2, 20), whole(m, "m", 1, 100)
    moved = whole(moved, "moved", 0, 1)
    published = [truncated_geometric(count, m, probability(ratio, "ratio")) for count in (0, 1)]

    def moves(counts: tuple[int, ...]) -> Iterator[tuple[Fraction, str, tuple[int, ...] | None]]:
        for z, chance in enumerate(published[counts[0]]):
            yield chance, str(z), counts[1:] or None

    return unroll({"s0": (1, *[0] * (bins - 1)), "s1": (0, moved, *[0] * (bins - 2))}, moves)
