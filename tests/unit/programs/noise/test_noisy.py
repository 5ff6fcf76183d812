"""Values that depend on noise: what the language does with them, against the same done for every outcome."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from deltachain.programs.language.graph import SPENT, Constant, Expression, Kind, evaluation
from deltachain.programs.language.source import Problem
from deltachain.programs.noise.noisy import Condition, Noisy, NotFollowed, Sight, Undecided, condition_of, noise_in
from deltachain.programs.protocol import program
from tests.words import refuses

SLOTS = {"k": SPENT + 1, "z": SPENT + 2, "x": SPENT + 3}
K, Z = Noisy(1, 0, 0), Noisy(0, 1, 0)


def read(text: str) -> Expression:
    """The expression of an announcement, in the variables k, z and x."""
    made = program(f"def f(k, z, x):\n    announce({text})\n").graph
    return next(i.reads[0] for i in made.instructions if i.kind is Kind.ANNOUNCE)


def outcomes(text: str) -> Iterator[tuple[dict[Condition, bool], object]]:
    """All ways to decide what the expression asks, with its value."""
    stack: list[dict[Condition, bool]] = [{}]
    while stack:
        decided = stack.pop()
        try:
            yield decided, Sight(SLOTS, [0, K, Z, 2], decided, lambda: (None, None)).value(read(text))
        except Undecided as asked:
            stack += [{**decided, asked.condition: truth} for truth in (True, False)]


def at(value: object, k: int, z: int) -> object:
    """What a value is for these outcomes."""
    if isinstance(value, tuple):
        return tuple(at(part, k, z) for part in value)
    if not isinstance(value, Noisy):
        return value
    line = value.kept * k + value.fresh * z + value.shift
    return line if value.run == 1 else value.rise * (line // value.run) + value.base


@pytest.mark.parametrize(
    "text",
    [
        "z >= k + x",
        "k // 2",
        "3 - (k + z + 1) // 3 * 2",
        "k // -3 + 1 >= 0",
        "2 - (k - z) // 4 > 1",
        "((k + 1) // 2 - 3) // 2",
        "k // 2 / 3 >= 1 / 3",
        "-(k // 2) == x",
        "max(z // 2, x)",
        "abs(k // 2)",
        "k // 2 * 0",
        "k < z - 1",
        "z == k",
        "2 * z != k * 2 + 1",
        "abs(z - k) <= 1",
        "max(k, z, x)",
        "min(-k, x) + 1",
        "max((k, z))",
        "(k, z + 1)[1] > (x, k)[0]",
        "k if z > 0 else -z",
        "z > 0 and k > z or not k",
        "not (k - z)",
        "bool(k)",
        "int(k / 2 * 2)",
        "k / 2 >= z / 2 + 1 / 3",
        "(k + 1, 7)",
        "+k - True >= z",
    ],
)
def test_every_outcome_has_the_value_of_its_decisions(text: str) -> None:
    plain = evaluation(read(text), SLOTS)
    found = list(outcomes(text))
    for k, z in product(range(-4, 5), repeat=2):
        fits = [
            value
            for decided, value in found
            if all((c.kept * k + c.fresh * z + c.shift >= 0) is truth for c, truth in decided.items())
        ]
        assert len(fits) == 1
        assert at(fits[0], k, z) == plain([0, k, z, 2])


@pytest.mark.parametrize(
    "text",
    [
        "k % 2",
        "k * z",
        "k // z",
        "(k + z / 2) // 2",
        "2 * (k // 2) // 3",
        "str(k)",
        "f'{k}'",
        "k in (0, 1)",
        "k ** 2",
        "(1, 2)[k]",
    ],
)
def test_what_needs_the_value_is_refused_where_values_have_no_end(text: str) -> None:
    with pytest.raises(NotFollowed):
        list(outcomes(text))


def test_a_value_is_told_by_comparisons_where_few_are_left() -> None:
    spans = {(0, 3), (0, 1), (2, 3), (0, 0), (1, 1), (2, 2), (3, 3)}
    expression = read("k % 2")
    for low, high in spans:
        sight = Sight(SLOTS, [0, K, Z, 2], {}, lambda low=low, high=high: ((low, high), None))
        if low < high:
            with pytest.raises(Undecided) as asked:
                sight.value(expression)
            assert asked.value.condition == Condition(1, 0, -(low + high + 1) // 2)
        else:
            assert sight.value(expression) == low % 2


def test_conditions_are_rounded_to_whole_numbers() -> None:
    assert condition_of(Noisy(1, 0, Fraction(1, 2))) == Condition(1, 0, 0)
    assert condition_of(Noisy(-2, 2, 3)) == Condition(-1, 1, 1)
    assert condition_of(Noisy(0, Fraction(-1, 3), Fraction(1, 2))) == Condition(0, -1, 1)
    assert Condition(1, -1, 2).denied == Condition(-1, 1, -3)
    with pytest.raises(NotFollowed, match="different multiples"):
        condition_of(Noisy(1, 2, 0))


def test_noise_that_cancels_is_a_number() -> None:
    assert K.plus(K, -1) == 0
    assert isinstance(K.plus(Z), Noisy)
    assert list(noise_in((1, (K, "text"), Z))) == [K, Z]


def test_a_missing_variable_and_a_long_number_are_problems() -> None:
    from deltachain.programs.language.graph import ABSENT

    sight = Sight(SLOTS, [0, K, ABSENT, 2], {}, lambda: (None, None))
    with refuses(Problem, "no value here"):
        sight.value(read("k + z"))
    with pytest.raises(Problem, match="bits"):
        K.times(2**5000)
    assert sight.value(Constant(3)) == 3
