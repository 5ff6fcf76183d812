"""Primitives in plain code: what they draw, what they take, and what they refuse, with the fix."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import deltachain as dc
from deltachain.draws import DrawnLaw, DrawSource, seeded, using
from deltachain.errors import InputError
from deltachain.numbers.real import Real
from deltachain.programs import ProgramError
from deltachain.programs.language.numbers import Law
from deltachain.programs.language.primitives import law_to_explore
from tests.words import refuses


class Laws(DrawSource):
    """Keeps the laws that are asked for; draws the first outcome, or 0."""

    def __init__(self) -> None:
        self.laws: list[DrawnLaw] = []

    def draw(self, law: DrawnLaw) -> Any:
        self.laws.append(law)
        return law.values[0] if hasattr(law, "values") else 0


def law_of(draw: Callable[[], Any]) -> DrawnLaw:
    with using(Laws()) as source:
        draw()
    (law,) = source.laws
    return law


def chances(draw: Callable[[], Any]) -> dict[Hashable, Fraction]:
    """Outcome → probability, of a draw with rational ones."""
    law = law_to_explore(law_of(draw))
    assert isinstance(law, Law)
    return {value: Fraction(weight, law.total) for value, weight in zip(law.values, law.weights, strict=True)}


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    "p",
    ["1/2", "0.5", 0.5, HALF, Decimal("0.5"), np.float64(0.5), "5e-1"],
    ids=lambda p: f"{type(p).__name__} {p}",
)
def test_a_probability_is_read_exactly(p: Any) -> None:
    assert chances(lambda: dc.flip(p)) == {True: HALF, False: HALF}


def test_a_float_is_the_decimal_that_was_typed() -> None:
    assert chances(lambda: dc.flip(0.1))[True] == Fraction(1, 10)
    assert chances(lambda: dc.flip(0.123456789012345))[True] == Fraction("0.123456789012345")
    assert chances(lambda: dc.flip(1e-20))[True] == Fraction(1, 10**20)
    # The float and the fraction that it is in binary are equal, and mean different laws.
    assert chances(lambda: dc.flip(Fraction(0.1)))[True] == Fraction(0.1) != Fraction(1, 10)
    assert chances(lambda: dc.flip(0.1))[True] == Fraction(1, 10)


@pytest.mark.parametrize("value", [1 / 3, 0.1 + 0.2, 2 / 7, math.pi / 4, float("nan"), float("inf")])
def test_a_float_that_was_rounded_is_refused(value: float) -> None:
    for draw in (dc.flip, dc.discrete_laplace, dc.discrete_gaussian, dc.geometric, dc.exp):
        with pytest.raises(InputError, match=r"(give a Fraction or text, such as '1/3')|outside"):
            draw(value)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: dc.flip(2), "flip: 2 is outside [0, 1] (a probability lies in [0, 1])"),
        (lambda: dc.flip(True), "flip: True is a bool, not a probability"),
        (lambda: dc.flip(None), "flip: None is NoneType, not a probability"),
        (lambda: dc.flip([1]), "flip: [1] is list, not a probability"),
        (lambda: dc.flip("one half"), "not a number: 'one half'"),
        (lambda: dc.flip(dc.exp(1)), "flip: exp(1) is not between 0 and 1"),
        (lambda: dc.uniform(3, 1), "uniform: the low end 3 is above the high end 1"),
        (lambda: dc.uniform(0, 1.5), "uniform's high end: 1.5 is float (give an int)"),
        (lambda: dc.uniform(0, True), "uniform's high end: True is a bool (give an int)"),
        (lambda: dc.choose({"a": 0.5}), "choose: the probabilities sum to 1/2"),
        (lambda: dc.choose({"a": 1.5, "b": -0.5}), "choose, 'a': 3/2 is outside [0, 1]"),
        (lambda: dc.choose(["a"]), "choose: ['a'] is list (give a dict {value: probability})"),
        (lambda: dc.choose(["a", "b"], [1]), "are not weights of"),
        (lambda: dc.choose(["a", "a"], [1, 1]), "choose: a value is listed twice"),
        (lambda: dc.choose(weights={"a": -1}), "choose: the weight of 'a' is negative"),
        (lambda: dc.choose(weights={"a": 0}), "choose: all weights are 0"),
        (lambda: dc.randomised_response("a", "ab", 1), "the options 'ab' are text (give a tuple or range)"),
        (lambda: dc.randomised_response(1, [True, False], 1), "1 is not one of the options [True, False]"),
        (lambda: dc.randomised_response("a", ["a", "a"], 1), "an option is listed twice"),
        (lambda: dc.randomised_response("a", ["a", "b"], -1), "epsilon -1 is negative"),
        (lambda: dc.geometric(1), "geometric: ratio 1 has no distribution"),
        (lambda: dc.geometric("1/2", 1), "geometric: one end is missing"),
        (lambda: dc.geometric("1/2", 3, 1), "geometric: the low end 3 is above the high end 1"),
        (lambda: dc.geometric("1/2", tail=0), "geometric: the tail 0 is not a fraction between 0 and 1"),
        (lambda: dc.discrete_laplace(0), "discrete_laplace's scale: 0 is not above 0"),
        (lambda: dc.discrete_laplace(2**5000), "discrete_laplace's scale: a fraction of 5001 bits"),
        (lambda: dc.discrete_gaussian(-1), "discrete_gaussian's sigma: -1 is not above 0"),
        (lambda: dc.log(0), "only positive numbers have a logarithm"),
        (lambda: dc.sqrt(-1), "a negative number has no real root"),
        (lambda: dc.exp([1]), "exp: [1] is list, not a number"),
        (lambda: dc.exp("x"), "exp: 'x' is not a number"),
    ],
)
def test_bad_arguments_are_refused_with_the_fix(draw: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        draw()


def test_ask_says_that_nobody_is_there() -> None:
    with refuses(ProgramError, "meaning only inside"):
        dc.ask("a", "b")


def test_choices_are_of_any_objects() -> None:
    class Color(Enum):
        RED, BLUE = 1, 2

    red, thing = Color.RED, [1, 2]
    assert chances(lambda: dc.choose({red: "1/4", None: "3/4"})) == {red: Fraction(1, 4), None: Fraction(3, 4)}
    with using(seeded(1)):
        drawn = [dc.choose([thing, "b"], weights=[1, 3]) for _ in range(50)]
        assert any(found is thing for found in drawn)
        assert any(found == "b" for found in drawn)
        assert {dc.randomised_response(red, list(Color), 0) for _ in range(50)} == set(Color)
        assert {dc.choose(weights={"a": dc.exp(1), "b": 1, "c": 0}) for _ in range(50)} == {"a", "b"}


def test_equal_values_are_not_mixed_up() -> None:
    """True and 1 are equal keys, and different outcomes: nothing may be kept from one call for the other."""
    assert type(dc.choose({1: 1})) is int
    assert type(dc.choose({True: 1})) is bool
    assert type(dc.randomised_response((1,), ((1,),), 1)[0]) is int
    assert type(dc.randomised_response((True,), ((True,),), 1)[0]) is bool


def test_the_law_of_a_response_is_that_of_programs() -> None:
    law = law_of(lambda: dc.randomised_response("b", ("a", "b", "c"), dc.log(3)))
    assert chances(lambda: dc.randomised_response("b", ("a", "b", "c"), dc.log(3))) == {
        "a": Fraction(1, 5), "b": Fraction(3, 5), "c": Fraction(1, 5),
    }  # fmt: skip
    assert str(law) == "randomised_response of 3 values"


def test_noise_is_whole_and_no_tail_is_cut_off() -> None:
    with using(seeded(4)):
        for draw in (
            lambda: dc.discrete_laplace(3, tail="1/2"),
            lambda: dc.geometric("9/10", tail="1/2"),
            lambda: dc.discrete_gaussian(5, tail="1/2"),
        ):
            found = Counter(draw() for _ in range(300))
            assert all(type(z) is int for z in found)
            assert max(found) - min(found) > 10  # with that tail, programs would tell a few outcomes apart
        assert {dc.geometric("9/10", -1, 1) for _ in range(100)} == {-1, 0, 1}
        assert dc.geometric(0) == 0


def test_numbers_in_plain_code() -> None:
    e = dc.exp(1)
    assert isinstance(e, Real)
    assert dc.log(e) == 1
    assert dc.exp(0) == 1
    assert dc.sqrt("4/9") == Fraction(2, 3)
    assert dc.exp(0.5) * dc.exp("1/2") == e
    assert 1 / (1 + e) == dc.exp(-1) / (dc.exp(-1) + 1)
    assert (e - 1) + 1 == e
    assert -e + 2 * e == +e == e
    assert 0.5 * e == e / 2
    assert e**2 == dc.exp(2)
    assert dc.sqrt(2) * dc.sqrt(3) != dc.sqrt(6)  # only enclosed: not known to be the same
    for wrong in (lambda: e + "1", lambda: e < 1, lambda: e ** dc.exp(1), lambda: float(e), lambda: e * True):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="which was rounded"):
        _ = e * (1 / 3)


def test_uniform_has_no_limit_outside_of_programs() -> None:
    with using(seeded(9)):
        assert 10**28 < dc.uniform(0, 10**30) <= 10**30
        assert dc.uniform(np.int64(3), np.int64(3)) == 3


def test_announcing_is_nothing_where_nobody_listens() -> None:
    assert dc.announce("x") is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: dc.flip(dc.exp(-(10**30))),
        lambda: dc.flip("1e-40000"),
        lambda: dc.geometric(1 - dc.exp(-1000)),  # a scale of e^1000
        lambda: dc.geometric("1e-5000"),
        lambda: dc.geometric(dc.exp(-(10**9))),
        lambda: dc.discrete_laplace(10**1000),
        lambda: dc.discrete_laplace("1e-1000"),
        lambda: dc.discrete_laplace(dc.exp(dc.sqrt(2))),
        lambda: dc.discrete_gaussian(dc.exp(100)),
        lambda: dc.discrete_gaussian(dc.exp(-(10**30))),
        lambda: dc.choose([0, 1], weights=[dc.exp(10**6), 1]),
        lambda: dc.flip(dc.sqrt(2) * dc.sqrt(2) / 4),  # one half, which nobody knows
    ],
)
def test_extreme_numbers_are_drawn_from(draw: Callable[[], Any]) -> None:
    with using(seeded(1)):
        assert isinstance(draw(), int)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: dc.discrete_laplace(dc.exp(-(10**30))), r"a number that [\d,]+ bits do not enclose"),
        (lambda: dc.discrete_laplace(dc.exp(5000)), r"a scale above 2\^4096"),
        (lambda: dc.discrete_gaussian(dc.exp(10**6)), r"a scale above 2\^4096"),
        (lambda: dc.discrete_gaussian("1e-4000"), "a fraction of 13288 bits"),
        (lambda: dc.randomised_response("a", ["a", "b"], 10**400), "cannot be enclosed"),
        (lambda: dc.flip(dc.sqrt(2) * dc.sqrt(2) / 2), "cannot be told from 0"),
        (lambda: dc.exp(10**400), "cannot be enclosed"),
    ],
)
def test_numbers_that_nobody_can_draw_from_are_refused(draw: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        draw()


def test_powers_are_bounded() -> None:
    with refuses(ValueError, "the limit is"):
        _ = dc.exp(1) ** (10**12)


def test_only_plain_numbers_are_kept() -> None:
    """Something that is like a number, and answers comparisons in its own way, is neither kept nor compared."""

    class Noisy:
        def __index__(self) -> int:
            return 5

        def __eq__(self, other: object) -> bool:
            raise AssertionError("compared")

        def __hash__(self) -> int:
            return hash(5)

    with using(seeded(1)):
        for draw in (lambda x: dc.uniform(x, x), lambda x: dc.geometric("1/2", x, x)):
            assert draw(5) == draw(Noisy()) == draw(Noisy()) == draw(5) == 5


def test_values_are_not_shown_unless_something_is_wrong() -> None:
    class Loud:
        def __str__(self) -> str:
            raise AssertionError("shown")

    loud = Loud()
    assert dc.choose({loud: 1}) is loud
    assert dc.choose([loud], weights=[2]) is loud
    assert dc.randomised_response(loud, [loud], 1) is loud
