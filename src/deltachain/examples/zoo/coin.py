"""One toss of one of two biased coins: which coin was it?

Source: [CMP18, Ex. 1].
Protocol: somebody holds one of two coins, tosses it once and shows how it fell. Coin s0 falls heads with
probability p, coin s1 with probability 1 − p.
Secret: which of the two coins it is.
Labels: ``start`` before the toss; ``heads`` and ``tails`` for ever after it.

Known exactly: the two words of two letters have probabilities p, 1 − p from s0 and 1 − p, p from s1, so δ =
max(m − α(1 − m), 0) with m = max(p, 1 − p). At p = 2/5 and α = 3/2: δ = 3/5 − 3/2 · 2/5 = 0, and bd = 0 too.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability


def coin(p: Number = "2/5") -> Chain:
    """One toss of a coin that falls heads with probability ``p`` (s0), or with 1 − ``p`` (s1).

    >>> coin()
    <Chain: 4 states, 6 transitions, 3 labels, 1 pair>
    """
    heads = probability(p, "p")
    return Chain.from_dicts(
        {
            "s0": {"heads": heads, "tails": 1 - heads},
            "s1": {"heads": 1 - heads, "tails": heads},
            "heads": {"heads": 1},
            "tails": {"tails": 1},
        },
        labels={"s0": "start", "s1": "start", "heads": "heads", "tails": "tails"},
        relation=[("s0", "s1")],
    )
