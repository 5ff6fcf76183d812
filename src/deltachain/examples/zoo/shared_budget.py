"""One budget that two sites share, and a reset that fills it up: what is the user's bit?

Protocol: a browser keeps a bit about its user, and ``budget`` units. In each of ``questions`` rounds the observer, who
speaks for both sites, lets ``site-1`` or ``site-2`` ask for the bit, which costs a unit, or makes the browser clear its
data (``reset``). The answer has the noise of the truncated geometric mechanism; without a unit it is noise alone.
Variant 1 (right): the sites share the budget, and a reset that fills it up also forgets the bit. Variant 2 (wrong): the
reset fills up the budget and keeps the bit [w3c/attribution, pull request 121, says why a site could profit]. Variant 3
(wrong): each site has a budget of its own, and the sites compare notes.
Secret: the bit (s0 or s1).
Labels: ``start``; ``0`` or ``1``, the noisy bit; ``cleared``; ``end``.

Known exactly: every answer loses one unit, e^ε0 = 1/ratio. Variant 1 gives ``budget`` answers. Variant 2 gives
``questions`` less one for each reset that it needs, one per ``budget`` answers; variant 3 gives twice ``budget``, if
there are as many questions. At the defaults, with one unit and three questions, both need e^ε = 4 where 2 is claimed,
and have δ = 2/9 there.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import noisy_bit, probability, unroll_choices, whole

Browser = tuple[int, int, int, int]
"""The bit, the rounds so far, and the units of both sites; of one budget in variants 1 and 2, where the last is 0."""


def shared_budget(variant: int = 1, budget: int = 1, questions: int = 3, ratio: Number = "1/2") -> Chain:
    """``budget`` units that two sites share, or have each, and ``questions`` rounds of asking or resetting.

    >>> shared_budget()
    <Chain: 16 states, 70 transitions, 5 labels, 3 inputs, 1 pair>
    """
    variant, budget = whole(variant, "variant", 1, 3), whole(budget, "budget", 1, 6)
    questions = whole(questions, "questions", 1, 12)
    noise = probability(ratio, "ratio")

    def moves(here: Browser, asked: str) -> Iterator[tuple[Fraction, str, Browser | None]]:
        bit, rounds, first, second = here
        if asked == "reset":
            kept = bit if variant == 2 else 0
            after = (kept, rounds + 1, budget, budget if variant == 3 else 0)
            yield Fraction(1), "cleared", after if rounds + 1 < questions else None
            return
        own = asked == "site-2" and variant == 3
        paid = (second if own else first) >= 1
        left = (first, second - paid) if own else (first - paid, second)
        for chance, shown in noisy_bit(bit if paid else 0, noise):
            yield chance, shown, (bit, rounds + 1, *left) if rounds + 1 < questions else None

    own = budget if variant == 3 else 0
    starts = {f"s{bit}": (bit, 0, budget, own) for bit in (0, 1)}
    return unroll_choices(starts, ("reset", "site-1", "site-2"), moves)
