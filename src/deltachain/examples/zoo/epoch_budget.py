"""A privacy budget for each epoch, which three designs charge differently: was there an event in the newer epoch?

Protocol: there are an older and a newer epoch, with ``budget`` units each. The observer asks ``questions`` times, about
the ``older`` epoch, the ``newer``, or ``both``. A question about one epoch costs it 1 unit, and is answered with a
noisy bit: whether it has an event. A question about both credits the newest event, and is answered with two noisy
bits: the older epoch has the credit, the newer has it. Moving the credit changes both bits, so it costs 2 units. Where
an epoch cannot pay, the bits are 0, with the same noise, so that the answer does not show it. Noise is that of the
truncated geometric mechanism: a bit is right with probability 1/(1 + ratio).
Who pays for ``both``, by ``variant``: 1 (right): both epochs, whatever is in them. 2 (wrong): the credited epoch alone
[w3c/attribution, issue 75]. 3 (wrong): both, if both have events; otherwise the question counts as one about the older
epoch, which pays 1 unit [the same, issue 398].
Secret: whether the newer epoch has an event (s1) or not (s0). The older one has.
Labels: ``start``; ``0``, ``1`` or two such digits; ``end``.

Known exactly: a unit is worth e^ε0 = 1/ratio, and each epoch's events should lose at most ``budget`` units. Variant 1
loses just that, if there are as many questions. In variants 2 and 3 what the older epoch has left depends on the newer
one, and every later question about the older epoch loses one more unit. With two units and two questions, ``both`` and
then ``older``, they lose three: so at ratio 1/2 they need e^ε = 8 where 4 is claimed, and at 4 they have δ = 4/27.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import noisy_bit, probability, unroll_choices, whole

Ledger = tuple[int, int, int, int]
"""The secret, the questions asked so far, and the units that the older and the newer epoch have left."""


def epoch_budget(variant: int = 1, budget: int = 2, questions: int = 2, ratio: Number = "1/2") -> Chain:
    """Two epochs with ``budget`` units each, and ``questions`` about them, charged as the ``variant`` says.

    >>> epoch_budget()
    <Chain: 25 states, 163 transitions, 8 labels, 3 inputs, 1 pair>
    """
    variant, budget = whole(variant, "variant", 1, 3), whole(budget, "budget", 1, 6)
    questions = whole(questions, "questions", 1, 8)
    noise = probability(ratio, "ratio")

    def moves(here: Ledger, asked: str) -> Iterator[tuple[Fraction, str, Ledger | None]]:
        secret, before, older, newer = here
        bits, older, newer = _answer(variant, secret, asked, older, newer)
        after = (secret, before + 1, older, newer) if before + 1 < questions else None
        chances = [(Fraction(1), "")]
        for bit in bits:
            chances = [(p * q, shown + digit) for p, shown in chances for q, digit in noisy_bit(bit, noise)]
        for chance, shown in chances:
            yield chance, shown, after

    starts = {f"s{secret}": (secret, 0, budget, budget) for secret in (0, 1)}
    return unroll_choices(starts, ("both", "newer", "older"), moves)


def _answer(variant: int, secret: int, asked: str, older: int, newer: int) -> tuple[tuple[int, ...], int, int]:
    """The bits without noise, and what the epochs have left."""
    if asked == "older":
        return ((1,), older - 1, newer) if older >= 1 else ((0,), older, newer)
    if asked == "newer":
        return ((secret,), older, newer - 1) if newer >= 1 else ((0,), older, newer)
    credit = (0, 1) if secret else (1, 0)
    if variant == 1:
        price = (2, 2)
    elif variant == 2:
        price = (0, 2) if secret else (2, 0)
    else:
        price = (2, 2) if secret else (1, 0)
    if older < price[0] or newer < price[1]:
        return (0, 0), older, newer
    return credit, older - price[0], newer - price[1]
