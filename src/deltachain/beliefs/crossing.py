"""The least e^ε for a δ, where a band is known already: `least_epsilon` with chords and secants to guide it.

Each search at an α is added to what is known of the convex function δ(α), so what it proves there moves both bounds on
the least α, also those for other δ. Where a search decides nothing at an α, what is left on either side of it is
narrowed on its own. It stops when the bounds are ``width`` apart, relatively, when they move no more, after ``most``
searches, or when it is cancelled; what is known stands in each case.
"""

from __future__ import annotations

from fractions import Fraction

from ..rational import ExpEpsilon, simplest_between
from .bands import Known
from .least_epsilon import LARGEST_ALPHA, Judge, LeastAlpha

MOST_SEARCHES = 12
FARTHEST = Fraction(2**16)
"""Beyond this e^ε (ε ≈ 11) no place is looked for at which δ is small enough."""


def crossing(known: Known, judge: Judge, delta: Fraction, width: Fraction, most: int = MOST_SEARCHES) -> LeastAlpha:
    """Bounds on the least α with δ(α) ≤ ``delta``, which ``judge`` is about; ``known`` grows."""
    open_from, open_to = None, None
    for _ in range(most):
        proved, refuted = known.proved(delta), known.refuted(delta)
        if judge.cancel.stopped() or refuted >= LARGEST_ALPHA:
            break
        if proved is None:
            alpha = min(max(refuted, Fraction(2), open_to or Fraction(2)) ** 2, FARTHEST)
            if open_to == FARTHEST or refuted >= FARTHEST:
                break
        else:
            # What is between what was asked in vain is left alone.
            below = (refuted, proved if open_from is None else min(open_from, proved))
            above = (refuted if open_to is None else max(open_to, refuted), proved)
            low, high = max(below, above, key=lambda part: part[1] / part[0])
            if high <= low * (1 + width):
                break
            quarter = (high - low) / 4
            alpha = simplest_between(low + quarter, high - quarter)
        lower, upper = judge.measured(alpha)
        known.add(ExpEpsilon.exactly(alpha), lower, upper)
        if lower <= delta < upper:
            open_from = alpha if open_from is None else min(open_from, alpha)
            open_to = alpha if open_to is None else max(open_to, alpha)
    return LeastAlpha(known.proved(delta), known.refuted(delta))
