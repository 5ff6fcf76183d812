"""What is printed is on the side that it says it is on: checked by reading it back, exactly."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.numbers.fraction import parse_fraction
from deltachain.results.numbers import EXACT_DIGITS, bound, decimal, exactly, json_number, outward_float

VALUES = st.one_of(
    st.fractions(min_value=0, max_value=1),
    st.fractions(),
    st.builds(lambda m, e: Fraction(m) * Fraction(10) ** e, st.integers(-(10**20), 10**20), st.integers(-340, 320)),
    st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
)
SIDES: tuple[Literal["upper", "lower"], ...] = ("upper", "lower")


@given(VALUES, st.integers(1, 15), st.sampled_from([*SIDES, None]))
def test_a_decimal_is_on_its_side_and_close(
    value: Fraction, digits: int, side: Literal["upper", "lower"] | None
) -> None:
    text = decimal(value, digits, side)
    mark, _, number = text.rpartition(" ")
    shown = parse_fraction(number)
    assert mark == ("" if shown == value else {"upper": "≤", "lower": "≥", None: "≈"}[side])
    if side == "upper":
        assert shown >= value
    if side == "lower":
        assert shown <= value
    assert abs(shown - value) <= abs(value) * Fraction(1, 10 ** (digits - 1))


@given(st.integers(-(10**EXACT_DIGITS) + 1, 10**EXACT_DIGITS - 1), st.integers(-30, 30))
def test_short_decimals_are_printed_whole(digits: int, exponent: int) -> None:
    value = Fraction(digits) * Fraction(10) ** exponent
    assert parse_fraction(decimal(value, 1, "upper")) == value


PRINTED = [
    (Fraction(0), "0"),
    (Fraction(1), "1"),
    (Fraction(-1, 2), "-0.5"),
    (Fraction(7501, 25000000), "0.00030004"),
    (Fraction(1, 10**7), "0.0000001"),
    (Fraction(1, 10**8), "1e-8"),
    (Fraction(1234, 10**12), "1.234e-9"),
    (Fraction(10**16 // 10), "1000000000000000"),
    (Fraction(10**20), "1e+20"),
    (Fraction(2, 3), "≈ 0.666667"),
    (Fraction(999999999, 1000000000) + Fraction(1, 10**13), "≈ 1"),
]


@pytest.mark.parametrize(("value", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_decimals_look_like_this(value: Fraction, text: str) -> None:
    assert decimal(value) == text


def test_carries_stay_on_their_side() -> None:
    almost = Fraction(10**20 - 1, 10**20)
    assert decimal(almost, 3, "upper") == "≤ 1"
    assert decimal(almost, 3, "lower") == "≥ 0.999"
    assert decimal(-almost, 3, "upper") == "≤ -0.999"


def test_numbers_of_many_digits_are_shown_quickly() -> None:
    long = Fraction(3**20000, 7**10000)
    assert decimal(long, 5, "lower").startswith("≥ ")
    assert exactly(long) == decimal(long)


def test_at_least_one_digit_is_asked_for() -> None:
    with pytest.raises(ValueError, match="at least one"):
        decimal(Fraction(1, 3), 0)


def test_short_fractions_go_beside_their_decimal() -> None:
    assert exactly(Fraction(1, 3), 4, "lower") == "≥ 0.3333 (1/3)"
    assert exactly(3) == "3"
    assert "(" not in exactly(Fraction(1, 3**100))


def test_a_mere_bound_is_always_marked() -> None:
    assert bound(Fraction(1, 2), "upper") == "≤ 0.5"
    assert bound(Fraction(1, 3), "upper", 2) == "≤ 0.34"
    assert bound(0, "lower") == "≥ 0"


@given(VALUES, st.sampled_from(SIDES))
def test_a_float_and_its_printed_text_are_both_on_the_side(value: Fraction, side: Literal["upper", "lower"]) -> None:
    number = outward_float(value, side)
    if number is None:
        assert abs(value) > Fraction(math.nextafter(math.inf, 0)) * Fraction(9, 10)
        return
    printed = parse_fraction(json.dumps(number))
    for shown in (Fraction(number), printed):
        assert shown >= value if side == "upper" else shown <= value
    if abs(value) <= Fraction(math.nextafter(math.inf, 0)):
        assert abs(Fraction(number) - value) <= 3 * Fraction(math.ulp(number))


def test_floats_at_the_ends() -> None:
    largest = math.nextafter(math.inf, 0)
    huge = Fraction(10**400)
    assert outward_float(huge, "upper") is None
    assert outward_float(huge) is None
    assert outward_float(huge, "lower") == largest
    assert outward_float(-huge, "upper") == -largest
    assert outward_float(Fraction(1, 10**400), "upper") == 5e-324
    assert outward_float(Fraction(1, 10**400), "lower") == 0
    assert str(outward_float(Fraction(-1, 10**400), "upper")) == "0.0"
    assert outward_float(Fraction(largest) + 1, "upper") is None


def test_a_json_number_has_both_forms() -> None:
    assert json_number(Fraction(1, 2500), "upper") == {"exact": "1/2500", "approx": 0.0004}
    assert json_number(1) == {"exact": "1", "approx": 1.0}
