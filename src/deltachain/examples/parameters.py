"""Reading the parameters of the examples: whole numbers in a range, exact probabilities, and a limit on size.

Every family states its ranges here, so that no call, from Python or from a command line, hangs or fills the
memory.
"""

from __future__ import annotations

from fractions import Fraction

from ..errors import Defect, InputError
from ..rational import Number, as_probability

MAX_DIGITS = 40
"""The most digits in the numerator and in the denominator of a probability: some families take its powers."""

MAX_TRANSITIONS = 1_000_000
"""The most transitions of a chain that an example builds."""


def whole(value: int, what: str, low: int, high: int) -> int:
    """``value``, if it is an int from ``low`` to ``high``; InputError naming ``what`` otherwise."""
    allowed = f"give a whole number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(Defect(what, f"{value!r} is not a whole number", allowed))
    if not low <= value <= high:
        raise InputError(Defect(what, f"{_short(value)} is outside {low} to {high}", allowed))
    return value


def probability(value: Number, what: str) -> Fraction:
    """``value`` exactly, if it lies in [0, 1] and is not too long; InputError naming ``what`` otherwise."""
    number = as_probability(value, what)
    if number.denominator > 10**MAX_DIGITS:
        raise InputError(Defect(what, "the denominator is too long", f"give a fraction of at most {MAX_DIGITS} digits"))
    return number


def limit_transitions(count: int, fix: str) -> None:
    """InputError, with how to correct it, if a chain would have more than `MAX_TRANSITIONS` transitions."""
    if count > MAX_TRANSITIONS:
        raise InputError(
            Defect("size", f"the chain would have {count} transitions; the limit is {MAX_TRANSITIONS}", fix)
        )


def _short(value: int) -> str:
    return str(value) if value.bit_length() < 200 else f"a number of {value.bit_length()} bits"
