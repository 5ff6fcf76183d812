"""Divergences by their definitions: sums over words, or over outcomes, in exact numbers and in floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from deltachain.model import Chain
from tests.reference.enumerate_events import word_probabilities

Outcomes = Sequence[tuple[Fraction, Fraction]]


def outcomes_at_depth(chain: Chain, s: str | int, t: str | int, depth: int) -> Outcomes:
    """(from s, from t) of every word of ``depth`` letters that one of them can show."""
    from_s, from_t = (word_probabilities(chain, state, depth) for state in (s, t))
    zero = Fraction(0)
    return [(from_s.get(word, zero), from_t.get(word, zero)) for word in {*from_s, *from_t}]


def moment(outcomes: Outcomes, order: int) -> Fraction | None:
    """Σ x^a y^(1−a), exactly; None if it is infinite."""
    if any(x and not y for x, y in outcomes):
        return None
    return sum((x**order / y ** (order - 1) for x, y in outcomes if x), Fraction(0))


def renyi(outcomes: Outcomes, order: float) -> float:
    """D_a in floats, of outcomes that both can show."""
    powers = [order * math.log(x) + (1 - order) * math.log(y) for x, y in outcomes if x]
    most = max(powers)
    return (most + math.log(math.fsum(math.exp(power - most) for power in powers))) / (order - 1)


def kl(outcomes: Outcomes) -> float:
    """Σ x ln(x/y) in floats."""
    return math.fsum(float(x) * math.log(x / y) for x, y in outcomes if x)
