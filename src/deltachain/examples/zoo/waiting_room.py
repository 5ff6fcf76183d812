"""A decision at a hidden moment, shown with noise for ever.

Protocol: a case waits. In each step it is decided with probability ``decide``: for it with probability ``favour``
if the applicant is favoured and 1 − favour if not, else against it. In each step a letter is seen: while the case
waits, yes or no with probability 1/2 each; once it is decided, the decision with probability ``accuracy`` and its
opposite otherwise.
Secret: whether the applicant is favoured: yes in s0, no in s1.
Labels: ``start``; then ``yes`` or ``no`` for ever. The chain is cyclic, and when it was absorbed is never known.

Known exactly: let accuracy ≠ 1/2 and decide > 0. By the strong law of large numbers the share of ``yes`` tells the
decision with probability one, and given the decision neither its moment nor any letter depends on the secret. So an
event is worth no more than the best one about the decision, and δ = max(m − α(1 − m), 0) with m = max(favour, 1 −
favour). At favour = 3/5: δ = 4/25 for α = 11/10 and δ = 0 from α = 3/2 on. No finite depth reaches 4/25.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import probability

LETTERS = ("yes", "no")


def waiting_room(favour: Number = "3/5", decide: Number = "1/2", accuracy: Number = "3/4") -> Chain:
    """Endless letters, a fair coin's until the hidden decision, then right about it with probability ``accuracy``.

    >>> waiting_room()
    <Chain: 10 states, 44 transitions, 3 labels, 1 pair>
    """
    for_it, falls, right = (
        probability(favour, "favour"),
        probability(decide, "decide"),
        probability(accuracy, "accuracy"),
    )
    half = Fraction(1, 2)
    yes = {"waits0": half, "waits1": half, "for": right, "against": 1 - right}

    def see(modes: dict[str, Fraction]) -> dict[str, Fraction]:
        """The next state: a mode and the letter it shows."""
        return {
            f"{mode}.{letter}": weight * (yes[mode] if letter == "yes" else 1 - yes[mode])
            for mode, weight in modes.items()
            for letter in LETTERS
        }

    after = {mode: see({mode: Fraction(1)}) for mode in ("for", "against")}
    for secret, chance in ((0, for_it), (1, 1 - for_it)):
        waits = f"waits{secret}"
        after[waits] = see({waits: 1 - falls, "for": falls * chance, "against": falls * (1 - chance)})
    rows = {f"{mode}.{letter}": row for mode, row in after.items() for letter in LETTERS}
    labels = {state: state.partition(".")[2] for state in rows}
    starts = {f"s{secret}": after[f"waits{secret}"] for secret in (0, 1)}
    return Chain.from_dicts(starts | rows, dict.fromkeys(starts, "start") | labels, relation=[("s0", "s1")])
