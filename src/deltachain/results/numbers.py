"""The one door through which numbers reach a person: an exact value v is shown by a decimal on a known side of it.

A bound is rounded outward: for an upper bound the decimal is ≥ v, for a lower bound ≤ v, otherwise nearest.
A decimal that is not v itself is marked (``≤``, ``≥``, ``≈``). Every direction is decided on integers; a
float is only the shape of a JSON number or a place in a picture, and is compared as the Fraction that it stands for.
No other module formats a number that was computed: tables, CSV, labels of plots, `repr`, HTML and JSON call this one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from ..numbers.field import ends
from ..numbers.fraction import ExpEpsilon, format_fraction, log_below, parse_fraction

if TYPE_CHECKING:
    from ..numbers.field import Exact  # brings flint, which the help does without

RoundingSide = Literal["upper", "lower"] | None
"""Which side of the value its decimal must lie on; None: nearest."""

EXACT_DIGITS = 12
"""A value with at most this many significant decimal digits is printed whole, unmarked."""

SHORT_FRACTION = 40
"""The longest fraction, in characters, that is printed beside its decimal."""

SHORT_FORMULA = 60
"""The longest formula of e, in characters, that is printed before its decimal."""

LOG_DIGITS = 24
"""Decimal places of a logarithm that is then shown to six digits."""

_MARK = {"upper": "≤ ", "lower": "≥ ", None: "≈ "}


def round_to_side(value: Exact | int, side: RoundingSide) -> Fraction:
    """A Fraction that is the value, or one on its side and next to it where it is irrational."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    low, high = ends(value)
    return high if side == "upper" else low


def decimal(value: Exact | int, digits: int = 6, side: RoundingSide = None) -> str:
    """``value`` as a decimal: whole if it is short, else to ``digits`` significant digits and marked.

    >>> decimal(Fraction(7501, 25000000)), decimal(Fraction(1, 3), 4, "upper"), decimal(Fraction(1, 3), 4)
    ('0.00030004', '≤ 0.3334', '≈ 0.3333')
    """
    value = round_to_side(value, side)
    if digits < 1:
        raise ValueError(f"{digits} significant digits: at least one is needed")
    significand, exponent, whole = _scale(value, max(EXACT_DIGITS, digits), None)
    if whole:
        return _write(significand, exponent)
    significand, exponent, _ = _scale(value, digits, side)
    return _MARK[side] + _write(significand, exponent)


def bound(value: Exact | int, side: Literal["upper", "lower"], digits: int = 6) -> str:
    """`decimal` of a number that is only a bound of the one meant: always marked, be it short or not.

    >>> bound(Fraction(1, 2), "upper"), bound(Fraction(1, 3), "lower", 4)
    ('≤ 0.5', '≥ 0.3333')
    """
    return _MARK[side] + decimal(value, digits, side).removeprefix(_MARK[side])


def exactly(value: Exact | int, digits: int = 6, side: RoundingSide = None) -> str:
    """`decimal`, followed by the fraction where that is short and says something new.

    >>> exactly(Fraction(1, 3), 4, "upper"), exactly(1), exactly(Fraction(1, 2500))
    ('≤ 0.3334 (1/3)', '1', '0.0004 (1/2500)')
    """
    shown, exact = decimal(value, digits, side), exact_text(value)
    return shown if exact == shown or len(exact) > SHORT_FRACTION else f"{shown} ({exact})"


def outward(value: Exact, side: Literal["upper", "lower"], digits: int = 6) -> str:
    """The decimal of a bound, rounded outward, without a mark: for a place where the sign stands already.

    >>> outward(Fraction(1, 3), "upper", 4), outward(Fraction(1, 3), "lower", 4)
    ('0.3334', '0.3333')
    """
    return decimal(value, digits, side).lstrip("≤≥ ")


def interval(name: str, lower: Exact, upper: Exact) -> str:
    """``lower ≤ name ≤ upper``, or ``name = value`` when the two are equal: a fraction or a formula of e, if short.

    >>> interval("δ", Fraction(7501, 25000000), Fraction(7501, 25000000))
    'δ = 7501/25000000 = 0.00030004'
    >>> interval("δ", Fraction(1, 3), Fraction(1, 3)), interval("δ", Fraction(0), Fraction(2, 3))
    ('δ = 1/3 ≈ 0.333333', '0 ≤ δ ≤ 0.666667')
    """
    if lower != upper:
        return _between(name, round_to_side(lower, "lower"), round_to_side(upper, "upper"))
    exact, number = exact_text(upper), decimal(upper)
    number = number if number.startswith("≈ ") else f"= {number}"
    if number == f"= {exact}" or shorten(upper) != exact:
        return f"{name} {number}"
    return f"{name} = {exact} {number}"


def _between(name: str, lower: Fraction, upper: Fraction) -> str:
    """With more digits where the interval is so narrow that six would hide it."""
    for digits in (6, 9, 12):
        low, high = outward(lower, "lower", digits), outward(upper, "upper", digits)
        if parse_fraction(high) - parse_fraction(low) <= 2 * (upper - lower):
            break
    return f"{low} ≤ {name} ≤ {high}"


def value_of(lower: Exact, upper: Exact) -> str:
    """The interval in a cell: ``1/3 ≈ 0.333333``, or ``0.1 ≤ δ ≤ 0.2``."""
    return interval("δ", lower, upper).removeprefix("δ = ").removeprefix("δ ")


def shorten(value: Exact) -> str:
    """The number exactly where that is short, otherwise its first digits.

    >>> shorten(Fraction(1, 3)), shorten(Fraction(10**30 + 1, 3 * 10**30))
    ('1/3', '≈ 0.333333')
    """
    exact = exact_text(value)
    return exact if len(exact) <= (SHORT_FRACTION if isinstance(value, Fraction) else SHORT_FORMULA) else decimal(value)


def beside(value: Exact, side: Literal["upper", "lower"], limit: Fraction) -> str:
    """`outward`, with as many digits as it takes to show on which side of ``limit`` the value is; else the fraction.

    >>> beside(Fraction(1, 3), "upper", Fraction("0.33333333334")), outward(Fraction(1, 3), "upper")
    ('0.333333333334', '0.333334')
    """
    for digits in (6, 9, 12, 20, 40):
        text = outward(value, side, digits)
        shown = parse_fraction(text)
        if (shown > limit) == (value > limit) and (shown < limit) == (value < limit):
            return text
    return exact_text(value)


def equation(name: str, value: Exact, digits: int = 6) -> str:
    """``name = value``, or ``name ≈ value`` where the decimal is rounded.

    >>> equation("ε", Fraction(1, 10)), equation("e^ε", Fraction(1, 3))
    ('ε = 0.1', 'e^ε ≈ 0.333333')
    """
    shown = decimal(value, digits)
    return f"{name} {shown}" if shown.startswith("≈") else f"{name} = {shown}"


def both_epsilons(asked: ExpEpsilon) -> tuple[tuple[str, Fraction], tuple[str, Fraction]]:
    """ε and e^ε by name, the one that was given first; the other one to 20 digits or more."""
    if asked.epsilon is None:
        return ("e^ε", asked.below), ("ε", log_below(asked.below, LOG_DIGITS))
    return ("ε", asked.epsilon), ("e^ε", asked.below)


def asked_at(asked: ExpEpsilon) -> str:
    """The privacy parameter in a sentence, both ways.

    >>> asked_at(ExpEpsilon.read(epsilon="0.1")), asked_at(ExpEpsilon.read(exp_epsilon=3))
    ('ε = 0.1 (e^ε ≈ 1.10517)', 'e^ε = 3 (ε ≈ 1.09861)')
    >>> asked_at(ExpEpsilon.read(epsilon=0))
    'ε = 0 (e^ε = 1)'
    """
    (name, given), (other, derived) = both_epsilons(asked)
    return f"{equation(name, given)} ({_derive(other, derived)})"


def epsilon_fields(asked: ExpEpsilon) -> list[tuple[str, str]]:
    """The privacy parameter as rows of a list: as it was given, and the other way."""
    (name, given), (other, derived) = both_epsilons(asked)
    return [(name, exactly(given)), (other, _derive("", derived).strip().removeprefix("= "))]


def _derive(name: str, value: Fraction) -> str:
    """An irrational number by a rational beside it; the only exact ones are ε = 0 and e^ε = 1."""
    shown = decimal(value).removeprefix("≈ ")
    return f"{name} = {shown}" if value in (0, 1) else f"{name} ≈ {shown}"


def _scale(value: Fraction, digits: int, side: RoundingSide) -> tuple[int, int, bool]:
    """(m, e, whole): m·10^e is ``value`` to ``digits`` digits, on ``side`` of it; whole if they are equal."""
    if value == 0:
        return 0, 0, True
    exponent = _magnitude(value) - digits + 1
    scaled = value / 10**exponent if exponent >= 0 else value * 10**-exponent
    down = scaled.numerator // scaled.denominator
    if side == "upper":
        significand = math.ceil(scaled)
    elif side == "lower":
        significand = down
    else:
        significand = down if 2 * (scaled - down) <= 1 else down + 1
    return significand, exponent, significand == scaled


def _magnitude(value: Fraction) -> int:
    """The e with 10^e ≤ |value| < 10^(e+1)."""
    size = abs(value)
    # Bit lengths place log₂ within one, hence e within two; the loops settle it exactly.
    guess = math.floor((size.numerator.bit_length() - size.denominator.bit_length()) * math.log10(2))
    while size < Fraction(10) ** guess:
        guess -= 1
    while size >= Fraction(10) ** (guess + 1):
        guess += 1
    return guess


def _write(significand: int, exponent: int) -> str:
    """significand·10^exponent in the shorter usual way: positional near one, scientific far from it."""
    sign = "-" if significand < 0 else ""
    digits = str(abs(significand))
    stripped = digits.rstrip("0") or "0"
    exponent += len(digits) - len(stripped) if stripped != "0" else 0
    point = len(stripped) + exponent  # 0.stripped × 10^point
    if stripped == "0":
        return "0"
    if -6 <= point <= 0:
        return f"{sign}0.{'0' * -point}{stripped}"
    if 0 < point <= 16:
        whole, part = stripped[:point].ljust(point, "0"), stripped[point:]
        return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
    tail = f".{stripped[1:]}" if len(stripped) > 1 else ""
    return f"{sign}{stripped[0]}{tail}e{point - 1:+d}"


def outward_float(value: Exact | int, side: RoundingSide = None) -> float | None:
    """The nearest float on ``side`` of ``value`` whose shortest decimal is on it too; None if there is none.

    A reader of the JSON may take the number as a double or as the decimal that is printed, and these differ
    by up to half a unit in the last place: both are on the side asked for.

    >>> outward_float(Fraction(1, 10), "upper"), outward_float(Fraction(1, 10), "lower")
    (0.1, 0.09999999999999999)
    """
    value = round_to_side(value, side)
    try:
        near = float(value)
    except OverflowError:
        largest = math.nextafter(math.inf, 0)
        if value > 0:
            return largest if side == "lower" else None
        return -largest if side == "upper" else None
    if side is None:
        return near
    goal = math.inf if side == "upper" else -math.inf
    while math.isfinite(near) and not _on_side(near, value, side):
        near = math.nextafter(near, goal)
    return near + 0.0 if math.isfinite(near) else None  # + 0.0: never -0.0


def _on_side(number: float, value: Fraction, side: RoundingSide) -> bool:
    double, printed = Fraction(number), parse_fraction(repr(number))
    return min(double, printed) >= value if side == "upper" else max(double, printed) <= value


def outward_probability(value: Exact, side: Literal["lower", "upper"]) -> float:
    """A bound between 0 and 1 as a float on its side, for a plot.

    >>> outward_probability(Fraction(0), "upper"), outward_probability(Fraction(1), "lower")
    (0.0, 1.0)
    """
    near = outward_float(value, side)
    return float(side == "upper") if near is None else near


def json_number(value: Exact | int, side: RoundingSide = None) -> dict[str, str | float | None]:
    """A number in a JSON document: its exact text, and a float on ``side`` of it (null if no float is).

    >>> json_number(Fraction(7501, 25000000))
    {'exact': '7501/25000000', 'approx': 0.00030004}
    """
    return {"exact": exact_text(value), "approx": outward_float(value, side)}


def exact_text(value: Exact | int) -> str:
    """p/q, or a formula of exp."""
    return format_fraction(value) if isinstance(value, int | Fraction) else str(value)


def json_bounds(lower: Exact, upper: Exact) -> dict[str, Any]:
    """Both bounds of a number in a JSON document."""
    return {"lower": json_number(lower, "lower"), "upper": json_number(upper, "upper")}


def at_confidence(confidence: Fraction) -> str:
    """How far to trust limits that come from counts, in a sentence; rounded down.

    >>> at_confidence(Fraction(19, 20)), at_confidence(Fraction(2, 3))
    ('at 95 % confidence, given the counts', 'at 66.6666 % confidence, given the counts')
    """
    return f"at {outward(100 * confidence, 'lower')} % confidence, given the counts"


def json_assumed(assumes: Sequence[str]) -> dict[str, Any]:
    """The key of a JSON document with what is assumed, if there is anything; every document of a verb has it."""
    return {"assumes": list(assumes)} if assumes else {}


def json_trust(uncertain: bool, confidence: Fraction | None) -> dict[str, Any]:
    """Keys of a JSON document: whether it is about every chain within limits, and the confidence of counts.

    Counts may leave a single chain: their confidence is told all the same. It is null where limits were given.
    """
    if not uncertain and confidence is None:
        return {}
    known = None if confidence is None else json_number(confidence)
    return ({"uncertain": True} if uncertain else {}) | {"confidence": known}
