from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltachain.formats.format import ProbabilityReader, exact_text, show_value
from deltachain.numbers.fraction import parse_fraction
from tests.words import says


@given(st.fractions())
def test_texts_are_read_back_exactly(value: Fraction) -> None:
    assert parse_fraction(exact_text(value)) == value


@given(st.integers(-(10**20), 10**20), st.integers(0, 20))
def test_decimals_are_read_back_exactly(numerator: int, places: int) -> None:
    value = Fraction(numerator, 10**places)
    text = exact_text(value)
    assert parse_fraction(text) == value
    assert "/" not in text or value.denominator > 10**10


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 2**17), "0.00000762939453125"),
        (Fraction(1, 2**18), "1/262144"),
        (Fraction(-3, 2), "-1.5"),
        (Fraction(7, 6), "7/6"),
    ],
)
def test_short_decimals_and_fractions(value: Fraction, text: str) -> None:
    assert exact_text(value) == text


def test_negative_numbers_are_no_probabilities_however_often_read() -> None:
    read = ProbabilityReader()
    for _ in range(2):
        with pytest.raises(ValueError, match=r"negative probability -0\.1"):
            read("-1/10")
    assert read("-0") == 0


def test_long_numbers_are_shortened_for_messages() -> None:
    assert show_value(Fraction(10**50 - 1, 10**50)) == "about 0.999999999999"
    assert says(show_value(Fraction(10**5000)))
