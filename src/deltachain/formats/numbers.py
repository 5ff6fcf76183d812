"""Probabilities in a file's own digits: read exactly, and written to read back as the same number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..errors import Defect, InputError
from ..model import Chain
from ..rational import MAX_DIGITS, format_fraction, parse_fraction, round_down

SHORT_DECIMALS = 17
"""A number with at most so many decimals is written as a decimal; every other one as a fraction."""


class ProbabilityReader:
    """Reads probabilities from text; each distinct text once, because big models repeat few numbers."""

    def __init__(self) -> None:
        self._read: dict[str, Fraction] = {}

    def __call__(self, text: str) -> Fraction:
        """The exact value. ValueError with a short reason when it is no number or negative."""
        value = self._read.get(text)
        if value is None:
            value = parse_fraction(text)
            if value.numerator < 0:
                raise ValueError(f"negative probability {shown(value)}")
            self._read[text] = value
        return value


def exact_text(value: Fraction) -> str:
    """``value`` exactly: a decimal when that is short, else a fraction.

    >>> exact_text(Fraction(1, 8)), exact_text(Fraction(1, 3)), exact_text(Fraction(1))
    ('0.125', '1/3', '1')
    """
    rest, places = value.denominator, 0
    if rest == 1 or rest > 10**SHORT_DECIMALS:
        return format_fraction(value)
    while rest > 1 and places < SHORT_DECIMALS:
        # One more decimal place divides the denominator by what it shares with ten.
        rest //= 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2 if rest % 2 == 0 else 1
        places += 1
    if rest > 1:
        return format_fraction(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).zfill(places + 1)
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def probability_texts(chain: Chain, write: Callable[[Fraction], str] = exact_text) -> dict[Fraction, str]:
    """The text of every probability of the chain; InputError for those too long to be read back."""
    texts: dict[Fraction, str] = {}
    defects = []
    for state, row in ((s, row) for s, rows in enumerate(chain.moves) for row in rows):
        for target, probability in row:
            text = texts.get(probability)
            if text is None:
                text = texts[probability] = write(probability)
            if len(text) > MAX_DIGITS:
                size = f"{len(text)} characters; the limit is {MAX_DIGITS}"
                what = f"its probability to {chain.states[target]!r} has {size}"
                defects.append(Defect(f"state {chain.states[state]!r}", what, "round it on purpose"))
    if defects:
        raise InputError(defects)
    return texts


def shown(value: Fraction) -> str:
    """``value`` for a message: exactly if short, else the first digits."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= 100:
        return exact_text(value)
    return (
        f"about {exact_text(round_down(value, 12))}" if value.numerator.bit_length() < 10_000 else "a very long number"
    )
