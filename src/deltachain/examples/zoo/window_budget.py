"""A budget per window of time, tumbling or sliding: did the user join?

Protocol: at each of 2·``window`` steps the observer may ask how many users joined within the last ``window`` steps, or
wait. A count is answered with the noise of the truncated geometric mechanism; ``budget`` answers are given per window,
and further questions are answered with noise alone. One user may have joined, in the last step of the first half: that
counts in this step and in the ``window`` − 1 that follow.
Variant 1 (right): a sliding window; an answer is given if fewer than ``budget`` were given in the last ``window``
steps. Variant 2 (wrong): a tumbling window; the budget is filled up at the middle, although the same join still counts.
Secret: whether the user joined (s1) or not (s0).
Labels: ``start``; ``0`` or ``1``, the noisy count; ``-``, where the observer waits; ``end``.

Known exactly: every answer while the join counts loses one unit, e^ε0 = 1/ratio. A sliding window gives at most
``budget`` of them. Two tumbling windows see the join, the first in one step only: together they give up to 1 +
min(budget, window − 1) of them. At the defaults that is 2 units instead of 1: e^ε = 4 instead of 2, and δ = 2/9 at
e^ε = 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ...model import Chain
from ...numbers.fraction import Number
from ..mechanism import noisy_bit, probability, unroll_choices, whole

Clock = tuple[int, int, tuple[int, ...]]
"""The secret, the step, and in which steps of the present window answers were given."""


def window_budget(variant: int = 1, window: int = 2, budget: int = 1, ratio: Number = "1/2") -> Chain:
    """``budget`` noisy answers per ``window``, which slides or tumbles, and a join that counts in two windows.

    >>> window_budget()
    <Chain: 36 states, 103 transitions, 5 labels, 2 inputs, 1 pair>
    """
    variant, window = whole(variant, "variant", 1, 2), whole(window, "window", 2, 8)
    budget = whole(budget, "budget", 1, window)
    noise = probability(ratio, "ratio")
    joined = window - 1

    def moves(here: Clock, asked: str) -> Iterator[tuple[Fraction, str, Clock | None]]:
        secret, step, given = here
        # What still counts against the budget: the last steps, or those since the middle.
        since = step - window + 1 if variant == 1 else step - step % window
        given = tuple(when for when in given if when >= since)
        answered = asked == "ask" and len(given) < budget
        later = (*given, step) if answered else given
        after = (secret, step + 1, later) if step + 1 < 2 * window else None
        if asked == "wait":
            yield Fraction(1), "-", after
            return
        counts = secret if joined <= step < joined + window else 0
        for chance, shown in noisy_bit(counts if answered else 0, noise):
            yield chance, shown, after

    starts: dict[str, Clock] = {f"s{secret}": (secret, 0, ()) for secret in (0, 1)}
    return unroll_choices(starts, ("ask", "wait"), moves)
