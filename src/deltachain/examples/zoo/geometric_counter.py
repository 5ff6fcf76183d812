"""A running count, published with noise at every step.

Protocol: a counter (of visitors, say) starts at 0, or at 1 if one more person was there before. In each step
it grows by one with probability ``rate``, and the count plus two-sided geometric noise, truncated to {0 …
m}, is published. The noise of the steps is independent.
Secret: whether the one more person was there (s1) or not (s0).
Labels: ``start``; one published number per step; ``end`` after the last step.

Known exactly: pair each run of s0 with the run of s1 that grows in the same steps: its count is always one
larger. One more in the count changes the probability of an output by a factor of at most 1/a either way, so
k steps change that of a word by at most a^−k, and δ = 0 at α = a^−k. The factor is exactly 1/a, for every
count, at the output 0: the word 0 … 0 has ratio a^−k, so δ > 0 at every smaller α. At k = 2, m = 3, a = rate
= 1/2 and α = 7/2, the word 0 0 is the only one that is worth something for s0. The counts in its two steps
are (0, 0), (0, 1), (1, 1), (1, 2) with 1/4 each, and output 0 at count c has probability (2/3) 2^−c: ν(00) =
(2/3)² (1 + 1/2 + 1/4 + 1/8)/4 = 5/24 from s0, a quarter of that from s1, and δ = 5/24 · (1 − 7/8) = 5/192
(from s1, by symmetry, the two words with outputs ≥ 2 and then 3 are worth the same).
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, truncated_geometric, whole

MAX_STEPS = 100


def geometric_counter(steps: int = 2, m: int = 3, ratio: Number = "1/2", rate: Number = "1/2") -> Chain:
    """``steps`` noisy reports of a count that starts at 0 (s0) or 1 (s1) and grows with probability ``rate``.

    >>> geometric_counter().pairs
    (('s0', 's1'),)
    """
    steps, m = whole(steps, "steps", 1, MAX_STEPS), whole(m, "m", 1, 100)
    a, grow = probability(ratio, "ratio"), probability(rate, "rate")
    limit_transitions(2 * (m + 1) ** 2 * sum(range(2, steps + 2)), "lower steps or m")
    published = [truncated_geometric(count, m, a) for count in range(steps + 2)]
    rows: dict[str, dict[str, Fraction]] = {}
    labels = {"s0": "start", "s1": "start"}
    for step in range(steps):
        for count in range(step + 2):
            row: dict[str, Fraction] = {}
            for after, chance in ((count, 1 - grow), (count + 1, grow)):
                for z, p in enumerate(published[after]):
                    # The last output need not remember the count.
                    target = f"last.{z}" if step == steps - 1 else f"{after}.{step + 1}.{z}"
                    row[target] = row.get(target, Fraction(0)) + chance * p
            sources = [f"s{count}"] if step == 0 else [f"{count}.{step}.{z}" for z in range(m + 1)]
            rows |= dict.fromkeys(sources, row)
            labels |= {target: target.rpartition(".")[2] for target in row}
    rows |= {f"last.{z}": {"end": Fraction(1)} for z in range(m + 1)} | {"end": {"end": Fraction(1)}}
    labels["end"] = "end"
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
