"""A measure, as whoever adds one writes it: the chance to name the state of a pair that a run began in.

Both are equally likely; the chance is (1 + δ)/2, δ at ε = 0.
"""

from __future__ import annotations

from fractions import Fraction

from deltachain.beliefs.search import search
from deltachain.certificate.claims import Claim
from deltachain.measures.measure import Measure, bounds_of
from deltachain.numbers.field import Exact


def halve(claim: Claim) -> tuple[Exact, Exact]:
    """(lower, upper) of the chance."""
    lower, upper = bounds_of(claim)
    return (1 + lower) / 2, (1 + upper) / 2


MEASURE = Measure(
    name="naming",
    title="the chance to name the state",
    find=search,
    value=halve,
    at=Fraction(1),
    examples="deltachain naming example:survey",
)
PROVIDES = {"measures": {"naming": ("Find the chance to name one of two states after watching.", __name__)}}
