"""Exact numbers in and out, rounding with a side, and rational bounds of e^ε.

Every number that enters deltachain becomes a `Fraction` here, from its own digits: ``0.49`` in a file is
49/100. A Python ``float`` is read as its shortest decimal (``0.49`` → 49/100), because that is what its author
typed. Results are rounded only for display, and then outward.

e^ε is irrational for rational ε ≠ 0. δ falls as α = e^ε grows, so an upper bound for δ is computed at a rational
below e^ε and a lower bound at one above: `ExpEpsilon` carries both.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import SupportsIndex

from ..errors import InputError
from . import ball as enclosures

Number = int | float | str | Fraction | SupportsIndex
"""What may be given where a number is asked for; read exactly by `as_fraction`."""

MAX_DIGITS = 50_000
"""The longest number that is read, in characters, and the largest decimal exponent, in absolute value."""

MAX_EPSILON = 1000
"""Beyond this, e^ε is a number of more than 400 digits and no privacy is left to speak of."""

_LOGARITHM = re.compile(r"\s*ln\s*\(?\s*([\d.eE/+-]+)\s*\)?\s*")
"""An ε that is the logarithm of a rational: ``ln 3``, ``ln(3/2)``."""
FORMULA = re.compile(r"exp|[(*^]|[0-9)]\s*[-+]")
"""What a text has that is to be read as a formula, not as a number; `exponentials` reads it."""
LONGEST_FORMULA = 20_000
"""Characters of a formula at most."""
_NUMBER = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?\Z")


def parse_fraction(text: str) -> Fraction:
    """The exact value of ``"49/100"``, ``"0.49"``, ``"1e-3"`` or ``"3"``.

    Raises ValueError with a short reason. Long digit strings go through `decimal`, whose conversions are exact
    and not subject to the interpreter's limit on integer text.

    >>> parse_fraction("0.49"), parse_fraction("49/100"), parse_fraction("1e-3")
    (Fraction(49, 100), Fraction(49, 100), Fraction(1, 1000))
    """
    text = text.strip()
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text)} characters; the limit is {MAX_DIGITS}")
    numerator, slash, denominator = text.partition("/")
    # isascii: isdigit is true of other scripts' digits as well.
    plain = len(text) <= 1000 and text.isascii() and numerator.isdigit() and denominator.isdigit()
    if plain and int(denominator):  # "49/100", the common case of large models, at once
        return Fraction(int(numerator), int(denominator))
    top = _decimal(numerator.strip())
    if not slash:
        return top
    bottom = _decimal(denominator.strip())
    if bottom == 0:
        raise ValueError("a zero denominator")
    return top / bottom


def _decimal(text: str) -> Fraction:
    match = _NUMBER.match(text)
    if match is None or not text.isascii():
        raise ValueError(f"not a number: {text[:40]!r}")
    sign, digits, exponent = match.groups()
    if exponent is not None and (len(exponent) > 7 or abs(int(exponent)) > MAX_DIGITS):
        raise ValueError(f"an exponent of {exponent[:12]}; the limit is {MAX_DIGITS}")
    whole, _, decimals = digits.partition(".")
    shift = int(exponent or 0) - len(decimals)
    value = int(Decimal(sign + (whole + decimals)))
    return Fraction(value * 10**shift) if shift >= 0 else Fraction(value, 10**-shift)


LONGEST_DECIMAL = 15
"""Digits of a decimal at most that a float tells from all others of so many digits."""


def as_typed(value: float) -> Fraction:
    """The decimal that somebody typed as this float; ValueError if it has more digits than a float can tell apart.

    A draw must not have a law that nobody meant: 0.49 is 49/100, and what is left of 1/3 in a float is refused.

    >>> as_typed(0.49)
    Fraction(49, 100)
    """
    text = repr(float(value))
    number = parse_fraction(text)
    digits = text.partition("e")[0].replace(".", "").strip("-0")
    if len(digits) > LONGEST_DECIMAL:
        raise ValueError(f"a float of more than {LONGEST_DECIMAL} digits, which was rounded")
    return number


def as_fraction(value: Number, what: str = "number") -> Fraction:
    """``value``, exactly; a float as its shortest decimal.

    Raises InputError naming ``what``.

    >>> as_fraction(0.49)
    Fraction(49, 100)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool):
        raise InputError(f"{what}: {value} is not a number")
    try:
        if isinstance(value, int) or hasattr(value, "__index__"):  # NumPy's integers are numbers too
            return Fraction(operator.index(value))
        if isinstance(value, float):
            return parse_fraction(repr(float(value)))  # NumPy's floats are floats with a repr of their own
        if isinstance(value, str):
            return parse_fraction(value)
    except ValueError as reason:
        raise InputError(f"{what}: {reason}") from None
    except TypeError:
        pass  # an array, which has an index only if it has one element
    raise InputError(
        f"{what}: {type(value).__name__} is not a number; give an int, a Fraction or text such as '49/100'"
    )


def as_probability(value: Number, what: str = "probability") -> Fraction:
    """``value`` exactly, if it lies in [0, 1]; InputError otherwise."""
    number = as_fraction(value, what)
    if not 0 <= number <= 1:
        raise InputError(f"{what}: {in_brief(number)} is outside [0, 1]")
    return number


def as_alpha(value: Number) -> Fraction:
    """``value`` exactly, if it can be an e^ε, that is, if it is at least 1; InputError otherwise."""
    number = as_fraction(value, "exp_epsilon")
    if number < 1:
        raise InputError(f"exp_epsilon: {in_brief(number)} is below 1 (e^ε of an ε ≥ 0 is at least 1)")
    return number


def format_fraction(value: Fraction | int) -> str:
    """``"p/q"`` or ``"p"``, of any length (plain ``str`` stops at 4,300 digits).

    >>> format_fraction(Fraction(7501, 25000000))
    '7501/25000000'
    """
    top, bottom = _digits(value.numerator), value.denominator
    return top if bottom == 1 else f"{top}/{_digits(bottom)}"


def _digits(value: int) -> str:
    # Decimal prints integers of up to 28 significant digits plainly and longer ones, built exactly, plainly too.
    return str(value) if value.bit_length() < 10_000 else format(Decimal(value), "f")


def in_brief(value: Fraction) -> str:
    """The number in a message: whole if it is short, else how long it is."""
    text = format_fraction(value)
    if len(text) <= 40:
        return text
    return f"{text[:12]}… ({len(text)} characters)"


def round_up(value: Fraction, digits: int) -> Fraction:
    """The least multiple of 10^-digits that is ≥ value."""
    scale = 10**digits
    return Fraction(-((-value.numerator * scale) // value.denominator), scale)


def round_down(value: Fraction, digits: int) -> Fraction:
    """The greatest multiple of 10^-digits that is ≤ value."""
    scale = 10**digits
    return Fraction(value.numerator * scale // value.denominator, scale)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in the closed interval [low, high], 0 < low ≤ high (Stern–Brocot).

    >>> simplest_between(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    # Continued fraction: peel common integer parts, and turn the interval over. Whole numbers, because a report calls
    # this for every ε that it shows, and Fractions would take most of its time.
    (a, b), (c, d) = low.as_integer_ratio(), high.as_integer_ratio()
    terms: list[int] = []
    while True:
        whole, rest = divmod(a, b)
        # The lower end, if it is whole, or the next whole number, if it is in the interval: nothing in it is simpler.
        if rest == 0 or c >= (whole + 1) * d:
            terms.append(whole if rest == 0 else whole + 1)
            break
        terms.append(whole)
        # 1/(x − whole) turns the order round: the upper end becomes the lower one.
        (a, b), (c, d) = (d, c - whole * d), (b, rest)
    above, below = terms.pop(), 1
    while terms:
        above, below = terms.pop() * above + below, above
    return Fraction(above, below)


def epsilon_of(value: Number) -> Fraction:
    """An ε from raw input: not negative, and at most `MAX_EPSILON`."""
    epsilon = as_fraction(value, "epsilon")
    if epsilon < 0:
        raise InputError(f"epsilon: {in_brief(epsilon)} is negative")
    if epsilon > MAX_EPSILON:
        raise InputError(f"epsilon: {in_brief(epsilon)} is above {MAX_EPSILON}")
    return epsilon


PRECISION_BITS, GUARD_BITS = 64, 16
"""Relative precision of `alpha_below` and `alpha_above`, in bits, and what e^ε is known to beyond that."""


def alpha_below(epsilon: Number, bits: int = PRECISION_BITS) -> Fraction:
    """A short rational α with α ≤ e^ε ≤ α(1 + 2^-60): for upper bounds on δ; nearer for more ``bits`` than 64.

    >>> alpha_below(0)
    Fraction(1, 1)
    """
    return _around(epsilon_of(epsilon), bits)[0]


def alpha_above(epsilon: Number, bits: int = PRECISION_BITS) -> Fraction:
    """A short rational α with α(1 − 2^-60) ≤ e^ε ≤ α: for lower bounds on δ; nearer for more ``bits`` than 64.

    >>> alpha_above(0), alpha_above("0.1") > alpha_below("0.1")
    (Fraction(1, 1), True)
    """
    return _around(epsilon_of(epsilon), bits)[1]


@lru_cache(maxsize=4096)
def _around(epsilon: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Short rationals below and above e^ε, found once: a curve asks for the same ones at every turn."""
    if epsilon == 0:
        return Fraction(1), Fraction(1)
    low, high = enclosures.exp(epsilon, bits + GUARD_BITS)
    # Short numbers make all that follows faster: precision is given away here, each side away from e^ε.
    width = Fraction(1, 2 ** (bits - 2))
    return max(Fraction(1), simplest_between(low * (1 - width), low)), simplest_between(high, high * (1 + width))


@dataclass(frozen=True, slots=True)
class ExpEpsilon:
    """The e^ε that was asked for: below ≤ e^ε ≤ above, equal when e^ε itself was given; then ``epsilon`` is None.

    δ falls as e^ε grows: upper bounds are computed at ``below``, lower bounds at ``above``.

    >>> ExpEpsilon.read(exp_epsilon="1.0002").below
    Fraction(5001, 5000)
    >>> ExpEpsilon.read(epsilon=1).above > ExpEpsilon.read(epsilon=1).below
    True
    """

    below: Fraction
    above: Fraction
    epsilon: Fraction | None = None

    @classmethod
    def read(cls, epsilon: Number | None = None, exp_epsilon: Number | None = None) -> ExpEpsilon:
        """From one of the two; InputError if it is negative, too large, or not exactly one is given.

        ``"ln 3"`` for ε is 3 for e^ε, exactly.

        >>> ExpEpsilon.read(epsilon="ln 3") == ExpEpsilon.read(exp_epsilon=3)
        True
        """
        if isinstance(epsilon, str) and exp_epsilon is None and (logarithm := _LOGARITHM.fullmatch(epsilon)):
            return cls.exactly(as_alpha(logarithm[1]))
        if epsilon is not None and exp_epsilon is None:
            return cls.of(epsilon_of(epsilon))
        if exp_epsilon is not None and epsilon is None:
            return cls.exactly(as_alpha(exp_epsilon))
        raise InputError("give epsilon or exp_epsilon (that is, e^epsilon), one of the two")

    @classmethod
    def of(cls, epsilon: Fraction) -> ExpEpsilon:
        """Of an ε that was read already."""
        return cls(*_around(epsilon, PRECISION_BITS), epsilon)

    @classmethod
    def exactly(cls, alpha: Fraction) -> ExpEpsilon:
        """e^ε known exactly."""
        return cls(alpha, alpha)

    def refine(self, bits: int) -> ExpEpsilon:
        """The same e^ε between nearer rationals, where it was given by ε.

        >>> at = ExpEpsilon.read(epsilon=1)
        >>> at.below <= at.refine(128).below < at.refine(128).above <= at.above
        True
        """
        if self.epsilon is None:
            return self
        below, above = alpha_below(self.epsilon, bits), alpha_above(self.epsilon, bits)
        return ExpEpsilon(max(self.below, below), min(self.above, above), self.epsilon)

    @property
    def short(self) -> str:
        """What was asked for, in a few letters, for progress: ``ε = 0.1`` or ``e^ε = 1.5``."""
        return f"e^ε = {float(self.below):.6g}" if self.epsilon is None else f"ε = {float(self.epsilon):.6g}"


def log_above(alpha: Fraction, digits: int = 12) -> Fraction:
    """A decimal ε of ``digits`` digits with e^ε ≥ α ≥ 1, least up to the last digit."""
    return max(Fraction(0), round_up(enclosures.log(alpha, 4 * digits + 32)[1], digits))


def log_below(alpha: Fraction, digits: int = 12) -> Fraction:
    """A decimal ε ≥ 0 of ``digits`` digits with e^ε ≤ α, for α ≥ 1; greatest up to the last digit."""
    return max(Fraction(0), round_down(enclosures.log(alpha, 4 * digits + 32)[0], digits))
