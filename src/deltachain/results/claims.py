"""What the checker says of a certificate, for people: its fractions by decimals that are rounded outward.

The checker answers in sentences that hold every digit, and only what it says is proved. So its sentence is read, not
the certificate; one of another form is left as it is.
"""

from __future__ import annotations

import re
from typing import Literal

from ..numbers.exponential import read_exponential
from ..numbers.field import Exact
from ..numbers.fraction import parse_fraction
from .numbers import decimal, equation, interval, outward

DIGITS = 14
NUMBER = r"[0-9]+(?:/[0-9]+)?"
EXACT = rf"(?:{NUMBER}|(?=\S*exp\()(?:exp\(|[-+*/()0-9])+)"
"""A fraction, or a formula of exp as the checker writes it."""
AT = rf" at exp_epsilon (?:({NUMBER})|({NUMBER}) \(lower side\) and ({NUMBER}) \(upper side\)|(exp\([0-9/]+\)))"
BETWEEN = re.compile(rf"({EXACT}) ≤ (.*) ≤ ({EXACT})(?:{AT})?(, .*)?")
EQUAL = re.compile(rf"(\D.*) = ({EXACT})(?:{AT})?(, .*)?")
"""The name of a number begins with a letter that no formula does, and no number has a blank: a name cannot be taken for
a bound."""


PART = re.compile(
    rf"(\D.*) (≤|<|≥|>) (\S+) for every (\w+) in ([\[(])(-?{NUMBER}), (-?{NUMBER})([\])]), at exp_epsilon (\S+)"
)
SIDE: dict[str, Literal["upper", "lower"]] = {"≤": "upper", "<": "upper", "≥": "lower", ">": "lower"}
LONGEST = 30
"""Numbers of so many characters are shown as they are."""


def _rounded_part(found: re.Match[str]) -> str | None:
    """A claim about a part of an interval: its bound rounded outward, the part inward; None if that leaves nothing."""
    name, sign, bound, parameter, left, low, high, right, alpha = found.groups()
    if re.fullmatch(rf"-?{NUMBER}", bound) and len(bound) > LONGEST:
        bound = outward(parse_fraction(bound), SIDE[sign])
    if low == high and len(low) > LONGEST:
        return f"{name} {sign} {bound} at one {parameter} {decimal(parse_fraction(low), DIGITS)}, at e^ε = {alpha}"
    if len(low) > LONGEST:
        low, left = outward(parse_fraction(low), "upper", DIGITS), "["
    if len(high) > LONGEST:
        high, right = outward(parse_fraction(high), "lower", DIGITS), "]"
    if parse_fraction(low) > parse_fraction(high):
        return None
    return f"{name} {sign} {bound} for every {parameter} in {left}{low}, {high}{right}, at e^ε = {alpha}"


def rounded_claim(sentence: str) -> str:
    """The sentence of one claim, rounded so that it still follows from what was checked.

    >>> rounded_claim("1/3 ≤ delta of (s, t) ≤ 2/3 at exp_epsilon 11/10 (lower side) and 11/10 (upper side)")
    '0.333333 ≤ delta of (s, t) ≤ 0.666667 at e^ε = 1.1'
    >>> rounded_claim("delta of (s, t) = 1/8 at exp_epsilon 2")
    'delta of (s, t) = 1/8 = 0.125 at e^ε = 2'
    >>> rounded_claim("0 ≤ bd(s, t) ≤ (1)/(exp(3)+exp(4)) at exp_epsilon exp(1)")
    '0 ≤ bd(s, t) ≤ 0.0133899 at e^ε = exp(1)'
    >>> rounded_claim(f"delta of (s, t) ≤ 0 for every u in (0, {10**40}/{3 * 10**40 + 1}], at exp_epsilon 1/u^4")
    'delta of (s, t) ≤ 0 for every u in (0, 0.33333333333333], at e^ε = 1/u^4'
    """
    try:
        if found := PART.fullmatch(sentence):
            return _rounded_part(found) or sentence
        if found := BETWEEN.fullmatch(sentence):
            lower, name, upper, *at, rest = found.groups()
        elif found := EQUAL.fullmatch(sentence):
            name, upper, *at, rest = found.groups()
            lower = upper
        else:
            return sentence
        said = interval(name, _exact(lower), _exact(upper))
        # Not all claims are about an ε; what follows, exact numbers, is left as it is.
        return (f"{said} at {_exp_epsilon(*at)}" if any(at) else said) + (rest or "")
    except ValueError:  # a number beyond the limits of what is read
        return sentence


def _exact(written: str) -> Exact:
    """The number of a sentence."""
    if "exp" not in written:
        return parse_fraction(written)
    found = read_exponential(written)
    known = found.rational
    return found if known is None else known


def _exp_epsilon(one: str | None, above: str | None, below: str | None, function: str | None) -> str:
    """e^ε: the one number, by a decimal of the two around it, or as it is written."""
    if above is None or below is None or above == below:
        return f"e^ε = {function}" if function else equation("e^ε", parse_fraction(one or above or ""))
    return f"e^ε ≈ {decimal(parse_fraction(below)).removeprefix('≈ ')}"
