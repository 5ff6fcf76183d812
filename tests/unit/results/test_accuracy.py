"""How accuracy is shown: never more than it is."""

from __future__ import annotations

from fractions import Fraction

import pytest

from deltachain.programs.run.events import Accuracy
from deltachain.results.accuracy import accuracy_body, accuracy_cell, accuracy_words
from tests.words import says


@pytest.mark.parametrize("value", [Fraction(2, 3), Fraction(1, 2), Fraction(999_999_999, 10**9), Fraction(0)])
@pytest.mark.parametrize("width", [Fraction(0), Fraction(1, 10**12)])
def test_what_is_shown_is_at_most_what_is_known(value: Fraction, width: Fraction) -> None:
    found = Accuracy("output == x", value, min(value + width, Fraction(1)), "x=0", 2)
    for shown in (accuracy_cell(found), accuracy_words(found).partition("≥ ")[2].partition(" for")[0]):
        assert Fraction(shown.removeprefix("≥ ").removeprefix("≈ ")) <= value
    assert accuracy_cell(found).startswith("≥") or Fraction(accuracy_cell(found)) == found.lower == found.upper


def test_for_whom_it_is_said() -> None:
    one, many = (Accuracy("output == x", Fraction(1, 2), Fraction(1, 2), "x=0", n) for n in (1, 2000))
    assert accuracy_words(one) == "P(output == x) ≥ 0.5 for the secret"
    assert says(accuracy_words(many))


def test_nothing_is_nothing_and_json_has_both_ends() -> None:
    assert accuracy_cell(None) == ""
    assert accuracy_body(None) is None
    body = accuracy_body(Accuracy("output == x", Fraction(1, 3), Fraction(1, 2), "x=0", 2))
    assert body is not None
    assert (body["lower"]["exact"], body["upper"]["exact"]) == ("1/3", "1/2")
    assert (body["event"], body["secret"], body["secrets"]) == ("output == x", "x=0", 2)
