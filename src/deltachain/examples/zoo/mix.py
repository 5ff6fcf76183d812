"""Mixes that sometimes forget to shuffle: which message was it?

A cascade of mixes [Chaum 1981].
Protocol: a batch of messages, among them one from Alice, enters a mix. The mix puts the batch in a uniformly
random order and passes it to the next one; but with probability ``leak``, each mix on its own, it keeps the
order. The messages are encrypted anew at each mix, so that only their order in the last batch says anything.
Secret: where in the first batch Alice's message was: at position i in s_i. The relation is all pairs of
positions.
Labels: ``start``; ``mixing`` while the batch is between mixes; ``out-j`` if Alice's message (which its
recipient can tell) comes out at position j, for ever.

Known exactly: with probability L = leak^mixes nobody has shuffled and the message comes out where it went
in, and else at a uniform one of the n positions. So ν(out-i) = L + (1 − L)/n from s_i and (1 − L)/n from the
others, and δ = max(L − (α − 1)(1 − L)/n, 0). At 4 messages, 2 mixes, leak = 1/5 and α = 13/12: L = 1/25 and
δ = 1/25 − 1/12 · 6/25 = 1/50; and δ = 0 exactly from α = 7/6 on.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_MESSAGES = 500
MAX_MIXES = 10_000


def mix(messages: int = 4, mixes: int = 2, leak: Number = "1/5") -> Chain:
    """A batch of ``messages`` through ``mixes`` mixes, which keep its order with probability ``leak`` each.

    >>> mix()
    <Chain: 12 states, 36 transitions, 6 labels, 6 pairs>
    """
    messages, mixes = whole(messages, "messages", 2, MAX_MESSAGES), whole(mixes, "mixes", 1, MAX_MIXES)
    kept = probability(leak, "leak")
    limit_transitions(mixes * messages**2, "lower messages or mixes")
    positions = range(messages)
    elsewhere = (1 - kept) / messages
    names = [[f"s{i}" for i in positions]]
    names += [[f"{stage}.{i}" for i in positions] for stage in range(1, mixes)]
    names.append([f"out-{i}" for i in positions])
    rows: dict[str, dict[str, Fraction]] = {}
    for stage in range(mixes):
        for position in positions:
            row = dict.fromkeys(names[stage + 1], elsewhere)
            row[names[stage + 1][position]] += kept
            rows[names[stage][position]] = row
    rows |= {name: {name: Fraction(1)} for name in names[-1]}
    labels = dict.fromkeys(rows, "mixing") | dict.fromkeys(names[0], "start") | {name: name for name in names[-1]}
    return Chain.from_dicts(rows, labels, relation=combinations(names[0], 2))
