"""A parameter on an open interval: formulas are read, kept and read back as rational functions of it."""

from __future__ import annotations

import pickle
from fractions import Fraction
from random import Random

import pytest
from flint import fmpz_poly

from deltachain.errors import InputError
from deltachain.numbers.bernstein import value_at
from deltachain.numbers.parameter import NOTHING, OpenParameter, Ratio

U = OpenParameter.read("u=1/4:2")


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("u", lambda u: u),
        ("1 - u", lambda u: 1 - u),
        ("(1 - u)/(1 + u)", lambda u: (1 - u) / (1 + u)),
        ("u^3/3 - 2*u + 1/7", lambda u: u**3 / 3 - 2 * u + Fraction(1, 7)),
        ("(u^2 - 1)/(u - 1)", lambda u: u + 1),
        ("5/8", lambda _: Fraction(5, 8)),
    ],
)
def test_a_formula_means_what_it_says_at_every_point(text: str, truth: object) -> None:
    found = U.function(U.formula(text))
    for k in range(1, 12):
        u = U.low + (U.high - U.low) * Fraction(k, 12)
        assert found.at(u) == truth(u)  # type: ignore[operator]


def test_ratios_are_a_field_and_one_function_has_one_form() -> None:
    random, inside = Random(2), U.middle

    def drawn() -> Ratio:
        top = fmpz_poly([random.randint(-3, 3) for _ in range(random.randint(1, 3))])
        return Ratio.of(top, fmpz_poly([random.randint(1, 3) for _ in range(random.randint(1, 3))]), inside)

    for _ in range(40):
        a, b, c = drawn(), drawn(), drawn()
        x = Fraction(random.randint(26, 199), 100)
        assert a.plus(b, inside).at(x) == a.at(x) + b.at(x)
        assert a.minus(b, inside).at(x) == a.at(x) - b.at(x)
        assert a.times(b, inside).at(x) == a.at(x) * b.at(x)
        one = a.plus(b, inside).times(c, inside)
        assert one.key == a.times(c, inside).plus(b.times(c, inside), inside).key
        assert pickle.loads(pickle.dumps(one)).key == one.key  # noqa: S301 - our own
        assert a.minus(a, inside).key == NOTHING.key


def test_the_slope_has_the_sign_of_the_derivative() -> None:
    found = U.function(U.formula("u/(1 + u^2)"))  # it rises up to 1 and falls from there
    assert value_at(found.slope, Fraction(1, 2)) > 0 > value_at(found.slope, Fraction(3, 2))
    assert value_at(found.slope, Fraction(1)) == 0


@pytest.mark.parametrize(
    ("text", "positive"), [("u - 1/5", True), ("u - 1/2", False), ("1/(u - 1)", False), ("0", False), ("2 - u", True)]
)
def test_what_is_above_0_on_the_whole_interval(text: str, positive: bool) -> None:
    assert U.positive(U.function(U.formula(text))) is positive


def test_for_people() -> None:
    assert U.function(U.formula("(1 - u)/(1 + u^2)")).text("u") == "(−u + 1)/(u^2 + 1)"
    assert NOTHING.text("u") == "0"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("u", "cannot be read"),
        ("u=1", "cannot be read"),
        ("u=1:1", "is empty"),
        ("u=2:1", "is empty"),
        ("u=0:x", "parameter: "),
        ("exp=0:1", "cannot be read"),
        ("2=0:1", "cannot be read"),
    ],
)
def test_no_interval_is_refused(given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        OpenParameter.read(given)


@pytest.mark.parametrize("text", ["u +", "exp(u)", "v", "u/0"])
def test_no_formula_is_refused_without_a_word_of_the_point(text: str) -> None:
    with pytest.raises(InputError) as caught:
        U.formula(text)
    assert U.point() not in str(caught.value)
