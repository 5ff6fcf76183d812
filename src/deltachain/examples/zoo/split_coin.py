"""One toss, ends of its own for each coin: bd is above δ.

Protocol: as one toss of a coin, but the model remembers in its last state which coin it was, although that
shows nowhere. The two ``heads`` states are bisimilar, and so are the two ``tails`` states: a small chain
on which bd is larger than bd of the bisimulation quotient.
Secret: which of the two coins it is.
Labels: ``start``, then ``heads`` or ``tails`` for ever.

Known exactly, for heads with probability 1/2 from s0 and 1/4 from s1, at α = 6/5:
δ = 1/5. From s0: heads gives 1/2 − 6/5 · 1/4 = 1/5, tails 1/2 − 6/5 · 3/4 < 0; from s1: 1/4 − 6/5 · 1/2 < 0
and 3/4 − 6/5 · 1/2 = 3/20.
bd = 1/4. The two heads states have distance 0, which allows f(heads of s1) = f(heads of s0)/α, and
1/2 · 1 − α · 1/4 · 1/α = 1/4; the tails give 3/4 − 1/2 = 1/4 the other way. On the quotient bd = δ.
"""

from __future__ import annotations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability


def split_coin(p: Number = "1/2", q: Number = "1/4") -> Chain:
    """One toss that falls heads with probability ``p`` (s0) or ``q`` (s1), absorbing ends for each side.

    >>> split_coin()
    <Chain: 6 states, 8 transitions, 3 labels, 1 pair>
    """
    rows: dict[str, dict[str, Number]] = {}
    labels: dict[str, str] = {}
    for side, heads in enumerate((probability(p, "p"), probability(q, "q"))):
        rows[f"s{side}"] = {f"heads{side}": heads, f"tails{side}": 1 - heads}
        labels[f"s{side}"] = "start"
        for face in ("heads", "tails"):
            rows[f"{face}{side}"] = {f"{face}{side}": 1}
            labels[f"{face}{side}"] = face
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])
