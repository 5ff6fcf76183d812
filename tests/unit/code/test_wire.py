"""Numbers, laws and graphs as JSON: what comes back is what was sent."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain.code.wire import (
    law_text,
    noise_of,
    read_law,
    read_number,
    read_spans,
    read_whole,
    write_law,
    write_number,
    write_spans,
    write_whole,
)
from deltachain.draws.laws import DrawnLaw, GaussianNoise, TwoSidedNoise, Uniform, Weighted
from deltachain.programs.language.unbounded import Span

NUMBERS: list[Any] = [
    Fraction(1, 3),
    Fraction(-7),
    Fraction(10**5_000 + 1, 3),
    dc.exp("-1/2"),
    1 / (1 + dc.exp(2)),
    dc.log(3),
    dc.sqrt(2) + dc.log(5),
    dc.sqrt(2) * dc.exp("1/3") - 1,
    (dc.sqrt(2) + 1) ** 3,
    (1 + dc.sqrt(3)) ** -2,
    dc.exp(dc.sqrt(2)),
]


def through_text(written: Any) -> Any:
    return json.loads(json.dumps(written))


@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
def test_numbers_come_back_as_the_same(number: Any) -> None:
    back = read_number(through_text(write_number(number)))
    assert back == number
    assert type(back) is type(number)
    assert isinstance(back, Fraction) or str(back) == str(number)


LAWS: list[DrawnLaw] = [
    Weighted("flip", (True, False), (Fraction(1, 3), Fraction(2, 3)), "flip(1/3)"),
    Weighted("choose", ("a", "b"), (dc.log(2), dc.sqrt(2))),
    Uniform(-3, 10**40),
    TwoSidedNoise("geometric", Fraction(1, 2), Fraction(1, 10**9), -4, 4),
    TwoSidedNoise("discrete_laplace", dc.exp("-1/2"), Fraction(1, 10**30), text="discrete_laplace(2)"),
    GaussianNoise(dc.sqrt(2), Fraction(1, 10**30)),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_laws_come_back_as_the_same(law: DrawnLaw) -> None:
    back = read_law(through_text(write_law(law)))
    assert back.key == law.key
    assert law_text(back) == law_text(law)
    assert str(back) == str(law)


def test_different_laws_have_different_texts() -> None:
    assert len({law_text(law) for law in LAWS}) == len(LAWS)
    assert law_text(Weighted("choose", (1, 2), LAWS[1].weights)) == law_text(LAWS[1])  # type: ignore[union-attr]
    assert noise_of(law_text(LAWS[4])) == LAWS[4]


def test_whole_numbers_of_any_length_and_spans() -> None:
    for number in (0, -1, 1 << 63, -(10**5_000), None):
        assert read_whole(through_text(write_whole(number))) == number
    spans = (Span(None, -(10**30), 3, 1), Span(4, 4), Span(10**5_000, None))
    assert read_spans(through_text(write_spans(spans))) == spans
