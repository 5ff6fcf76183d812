"""A device in a hidden mode: probe it first, or ask at once?

Protocol: a device holds a secret bit and is, with probability 1/2 each, in mode 1 or mode 2, which stays as it is. In
each of ``moves`` moves the observer chooses: ``probe`` shows the mode; ``q1`` and ``q2`` ask for the bit. In mode 1, q1
is answered truthfully with probability ``accuracy`` and q2 by a fair coin; in mode 2, the reverse. Whatever is given
after the last move shows ``end``.
Secret: the bit, 0 in s0 and 1 in s1.
Labels: ``start``, ``mode-1``, ``mode-2``, ``yes``, ``no``, where all three inputs are offered; ``end``.

Known exactly, for two moves, with m = max(accuracy, 1 − accuracy): probe, then ask what the mode answers, and δ =
max(m − α(1 − m), 0). No strategy that asks first does better. It is worth half of that if it goes on with probe, or
with the other question; asked the same twice, only the word of two answers for m counts, m²/2 + 1/8 − α((1 − m)²/2 +
1/8), which at α = 1 is half of the above, and falls faster with α. So the best plan that is decided in advance is worth
exactly half: adaptivity doubles δ. At accuracy 3/4, δ = 1/2, 3/8, 1/4 for α = 1, 3/2, 2.
"""

from __future__ import annotations

from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import limit_transitions, probability, whole

MAX_MOVES = 10_000
HALF = Fraction(1, 2)


def probe(moves: int = 2, accuracy: Number = "3/4") -> Chain:
    """``moves`` inputs to a device that holds 0 (s0) or 1 (s1) and answers the question of its hidden mode.

    >>> probe()
    <Chain: 27 states, 117 transitions, 6 labels, 3 inputs, 1 pair>
    """
    moves = whole(moves, "moves", 1, MAX_MOVES)
    right = probability(accuracy, "accuracy")
    limit_transitions(100 * moves, "lower moves")
    rows: dict[str, dict[str, dict[str, Fraction]] | dict[str, Fraction]] = {}
    labels = {"s0": "start", "s1": "start"}
    for bit in (0, 1):
        first = [_answers(bit, mode, 1, right) for mode in (1, 2)]
        rows[f"s{bit}"] = {
            name: {target: HALF * p for answers in first for target, p in answers[name].items()} for name in first[0]
        }
        for move in range(1, moves + 1):
            for mode in (1, 2):
                going_on = _answers(bit, mode, move + 1, right)
                locked = {name: {"end": Fraction(1)} for name in going_on}
                for shown in (f"mode-{mode}", "yes", "no"):
                    here = f"s{bit}.{move}.{mode}.{shown}"
                    rows[here] = going_on if move < moves else locked
                    labels[here] = shown
    rows["end"], labels["end"] = {"end": Fraction(1)}, "end"
    return Chain.from_dicts(rows, labels, relation=[("s0", "s1")])


def _answers(bit: int, mode: int, move: int, right: Fraction) -> dict[str, dict[str, Fraction]]:
    """Where each input leads in a mode: states that show the answer to this move."""
    here = f"s{bit}.{move}.{mode}."
    truthful = right if bit else 1 - right
    rows = {"probe": {f"{here}mode-{mode}": Fraction(1)}}
    for question in (1, 2):
        yes = truthful if question == mode else HALF
        rows[f"q{question}"] = {f"{here}{answer}": p for answer, p in (("yes", yes), ("no", 1 - yes)) if p}
    return rows
