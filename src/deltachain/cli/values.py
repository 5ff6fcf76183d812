"""Lists of values on the command line: ``1,2,3``, or a range ``A:B:STEP`` with both ends."""

from __future__ import annotations

from fractions import Fraction

from ..errors import Defect, InputError
from ..rational import ExpEpsilon, as_fraction, format_fraction
from ..render.numbers import decimal

MOST_VALUES = 100_000


def values_of(text: str, option: str) -> list[str]:
    """The values of a list, as they are typed; those of a range, each exactly. InputError naming ``option``."""
    if ":" in text:
        return [_shown(value) for value in _range(text, option)]
    values = [value.strip() for value in text.split(",")]
    if not all(values):
        raise InputError(Defect(option, f"{text!r} is not a list of values", "write 1,2,3 or A:B:STEP"))
    return values


def epsilons_of(text: str, option: str = "--epsilons") -> list[Fraction]:
    """Values of ε, each of them one that e^ε can be bounded for."""
    numbers = _range(text, option) if ":" in text else [as_fraction(v, option) for v in values_of(text, option)]
    for number in numbers:
        ExpEpsilon.read(epsilon=number)
    return numbers


def _range(text: str, option: str) -> list[Fraction]:
    """``A:B:STEP``, ends included."""
    parts = text.split(":")
    if len(parts) != 3:
        raise InputError(Defect(option, f"{text!r} is not A:B:STEP", "write for example 0:2:0.1"))
    low, high, step = (as_fraction(part, option) for part in parts)
    if high < low or step <= 0:
        raise InputError(Defect(option, f"{text!r} is an empty range", "A ≤ B and STEP > 0"))
    count = int((high - low) / step) + 1
    if count > MOST_VALUES:
        raise InputError(Defect(option, f"{count} values", f"at most {MOST_VALUES}"))
    return [low + i * step for i in range(count)]


def _shown(value: Fraction) -> str:
    text = decimal(value)
    return format_fraction(value) if text.startswith("≈") or "e" in text else text
