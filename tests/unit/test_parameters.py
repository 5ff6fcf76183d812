"""The numbers that verbs are given: exact, within limits, and named as their user calls them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from deltachain import parameters
from deltachain.errors import InputError


@pytest.mark.parametrize(
    ("reader", "given", "found"),
    [
        ("as_seconds", "1/4", 0.25),
        ("as_width", "0.1", Fraction(1, 10)),
        ("as_gap", "1e-3", Fraction(1, 1000)),
        ("as_nodes", 10**12, 10**12),
        ("as_seed", 0, 0),
        ("as_confidence", "0.999", Fraction(999, 1000)),
        ("as_order", "3/2", Fraction(3, 2)),
        ("as_epsilon", "0", Fraction(0)),
    ],
)
def test_read_exactly(reader: str, given: Any, found: object) -> None:
    place = ["p"] if reader in ("as_width",) else []
    assert getattr(parameters, reader)(given, *place) == found


@pytest.mark.parametrize(
    ("reader", "given", "said"),
    [
        ("as_seconds", 0, "0 seconds"),
        ("as_seconds", "1e10", "at most 1,000,000,000"),
        ("as_width", 0, "above 0"),
        ("as_gap", "-1/2", "-1/2 is not above 0"),
        ("as_nodes", 0, "not a whole number from 1 to"),
        ("as_nodes", "3/2", "3/2 is not a whole number"),
        ("as_questions", 1001, "from 1 to 1,000"),
        ("as_seed", -1, "from 0 to"),
        ("as_guesses", 1001, "from 1 to 1,000"),
        ("as_confidence", 1, "not above 0 and below 1"),
        ("as_confidence", 1 - Fraction(1, 10**31), "above 1 − 10"),
        ("as_prior", 1, "learns nothing"),
        ("as_prior", 2, "2"),
        ("as_order", 1, "Kullback"),
        ("as_order", "1/2", "above 1"),
        ("as_epsilon", -1, "-1"),
        ("as_epsilon", 2000, "2000"),
        ("as_nodes", "many", "many"),
    ],
)
def test_outside_its_limits_it_is_refused_by_its_place(reader: str, given: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        getattr(parameters, reader)(given, "--here") if reader != "as_epsilon" else parameters.as_epsilon(given)
    assert said in str(caught.value)
    assert reader == "as_epsilon" or "--here" in str(caught.value)


def test_a_place_of_its_own_is_the_name_in_python() -> None:
    with pytest.raises(InputError, match="max_nodes"):
        parameters.as_nodes(0)
    with pytest.raises(InputError, match="fixed"):
        parameters.as_questions(0)
