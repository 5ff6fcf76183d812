"""What the checker says of a certificate, for people: its fractions by decimals that are rounded outward.

The checker answers in sentences that hold every digit, and only what it says is proved. So its sentence is read, not
the certificate; one of another form is left as it is.
"""

from __future__ import annotations

import re

from ..numbers.fraction import parse_fraction
from .numbers import decimal, equation, interval

NUMBER = r"[0-9]+(?:/[0-9]+)?"
AT = rf" at exp_epsilon (?:({NUMBER})|({NUMBER}) \(lower side\) and ({NUMBER}) \(upper side\)|(exp\([0-9/]+\)))"
BETWEEN = re.compile(rf"({NUMBER}) ≤ (.*) ≤ ({NUMBER}){AT}")
EQUAL = re.compile(rf"(\D.*) = ({NUMBER}){AT}")
"""The name of a number never begins with a digit, and no number has a blank: a name cannot be taken for a bound."""


def rounded_claim(sentence: str) -> str:
    """The sentence of one claim, rounded so that it still follows from what was checked.

    >>> rounded_claim("1/3 ≤ delta of (s, t) ≤ 2/3 at exp_epsilon 11/10 (lower side) and 11/10 (upper side)")
    '0.333333 ≤ delta of (s, t) ≤ 0.666667 at e^ε = 1.1'
    >>> rounded_claim("delta of (s, t) = 1/8 at exp_epsilon 2")
    'delta of (s, t) = 1/8 = 0.125 at e^ε = 2'
    """
    try:
        if found := BETWEEN.fullmatch(sentence):
            lower, name, upper, *at = found.groups()
        elif found := EQUAL.fullmatch(sentence):
            name, upper, *at = found.groups()
            lower = upper
        else:
            return sentence
        return f"{interval(name, parse_fraction(lower), parse_fraction(upper))} at {_exp_epsilon(*at)}"
    except ValueError:  # a number beyond the limits of what is read
        return sentence


def _exp_epsilon(one: str | None, above: str | None, below: str | None, function: str | None) -> str:
    """e^ε: the one number, by a decimal of the two around it, or as it is written."""
    if above is None or below is None or above == below:
        return f"e^ε = {function}" if function else equation("e^ε", parse_fraction(one or above or ""))
    return f"e^ε ≈ {decimal(parse_fraction(below)).removeprefix('≈ ')}"
