"""Noise that splits where code looks: the same words with the same probabilities as plain ints give."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import deltachain as dc
from deltachain import announce, discrete_laplace, geometric
from deltachain.code import from_code
from tests.amounts import part_of
from tests.reference.runs import words_of
from tests.words import says

pytestmark = pytest.mark.usefixtures("one_process")

REACH = 14


def words(function: Callable[..., Any], **arguments: Any) -> dict[tuple[str, ...], tuple[Fraction, Fraction]]:
    """The words of the chain of the code, without start and end, with bounds of their probabilities."""
    chain = from_code(function, [arguments], errors="announce", tail="1e-12")
    found: dict[tuple[str, ...], tuple[Fraction, Fraction]] = {}
    pending: list[tuple[int, tuple[str, ...], Fraction, Fraction]] = [(0, (), Fraction(1), Fraction(1))]
    while pending:
        state, word, low, high = pending.pop()
        if chain.labels[state] == "end":
            before = found.get(word, (Fraction(0), Fraction(0)))
            found[word] = before[0] + low, before[1] + high
            continue
        for target, *ends in chain.given[state][0]:
            label = () if chain.labels[target] == "end" else (chain.labels[target],)
            pending.append((target, (*word, *label), low * ends[0], high * ends[-1]))
    return found


def fits(letter: str, shown: str) -> bool:
    """Whether a letter of plain ints is shown so: as it is, or in a tail."""
    if shown[:2] in ("≥ ", "≤ ") and letter.lstrip("-").isdigit():
        return int(letter) >= int(shown[2:]) if shown[0] == "≥" else int(letter) <= int(shown[2:])
    return letter == shown


def compare(function: Callable[..., Any], noises: int, **arguments: Any) -> None:
    """Every word of the chain is as likely as those of plain ints that are shown so, as far as those were followed."""
    found = words(function, **arguments)
    plain = words_of(function, REACH, **arguments)
    missing = 1 - sum(plain.values())
    assert missing <= noises * 2 * Fraction(1, 2) ** REACH
    matched = 0
    for shown, (low, high) in found.items():
        here = [w for w in plain if len(w) == len(shown) and all(map(fits, w, shown))]
        matched += len(here)
        total = sum((plain[word] for word in here), Fraction(0))
        assert low - missing <= total <= high, (shown, low, high, total)
    assert matched == len(plain)  # no word of plain ints is missing, or shown twice


OPERATIONS: list[Callable[[Any, int], Any]] = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.ge, operator.gt, operator.le,
    operator.lt, operator.eq, operator.ne, min, max, lambda x, c: c - x, lambda x, _: -x, lambda x, _: abs(x),
    lambda x, c: max(-abs(c), min(abs(c), x)), lambda x, c: x if x >= c else c, lambda x, _: ~x, lambda x, _: x >> 1,
    lambda x, _: x << 1, lambda x, c: x + x - c, lambda x, c: x * 2 - x + c, lambda x, c: divmod(x, c)[0],
    lambda x, c: x in (c, c + 1), lambda x, c: x == c or x, lambda x, _: bool(x), lambda x, c: x // -2 + c,
]  # fmt: skip


STEPS = st.lists(st.tuples(st.sampled_from(range(len(OPERATIONS))), st.integers(-3, 3)), max_size=4)
SLOWLY = {"suppress_health_check": [HealthCheck.too_slow], "deadline": None}


def look(steps: list[tuple[int, int]], twice: bool) -> None:
    """Compare a function of one noise that takes these steps, and announces what it has after each."""

    def code(start: int) -> Any:
        x: Any = start + geometric("1/2")
        for number, constant in steps:
            x = OPERATIONS[number](x, constant)
            if twice:
                announce(x)
        return x

    compare(code, 1, start=1)


@settings(max_examples=part_of(40), **SLOWLY)  # type: ignore[arg-type]
@given(STEPS, st.booleans())
@example([(9, 0), (4, 3)], True)
@example([(3, 2), (5, 1)], False)
@example([(3, -2), (16, 2)], False)
def test_any_function_of_one_noise(steps: list[tuple[int, int]], twice: bool) -> None:
    look(steps, twice)


@pytest.mark.slow
@settings(max_examples=part_of(600), **SLOWLY)  # type: ignore[arg-type]
@given(STEPS, st.booleans())
def test_many_functions_of_one_noise(steps: list[tuple[int, int]], twice: bool) -> None:
    look(steps, twice)


MEETINGS = st.sampled_from(range(len(OPERATIONS))), st.integers(-2, 2), st.sampled_from(range(4))


def meet(number: int, constant: int, how: int) -> None:
    """Compare a function of two noises, which are compared, added up, shown and sorted."""

    def code(start: int) -> Any:
        x: Any = start + geometric("1/2")
        y = OPERATIONS[number](x, constant)
        z = geometric("1/3")
        return [lambda: y > z, lambda: (y + z) >= 1, lambda: [y, z >= 0], lambda: sorted((y, z))[0] > 0][how]()

    compare(code, 2, start=1)


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", range(4))
def test_two_noises_that_meet(how: int) -> None:
    meet(3, 2, how)


@pytest.mark.slow
@settings(max_examples=part_of(60), **SLOWLY)  # type: ignore[arg-type]
@given(*MEETINGS)
def test_many_noises_that_meet(number: int, constant: int, how: int) -> None:
    meet(number, constant, how)


def test_it_is_an_int_to_code_that_asks() -> None:
    @singledispatch
    def told(_: object) -> str:
        return "object"

    told.register(int, lambda _: "int")

    def code(start: int) -> Any:
        x = start + geometric("1/2")
        match x:
            case int():
                kind = "int"
            case _:
                kind = "other"
        return isinstance(x, int), kind, told(x), x.__class__ is int, round(x) >= 2, math.floor(x) >= 2

    assert words(code, start=1).keys() == {
        ("returns (True, 'int', 'int', True, True, True)",),
        ("returns (True, 'int', 'int', True, False, False)",),
    }


@pytest.mark.parametrize(
    "code",
    [
        lambda x: [10, 20, 30][x % 3],
        lambda x: "ab" * max(0, min(x, 2)),
        lambda x: f"{x:+d}" if abs(x) < 2 else "far",
        lambda x: {x: 1}.get(0, 0) if -2 < x < 2 else -1,
        lambda x: max(-2, min(2, x)) / 2,
        lambda x: 2 ** max(0, min(3, x)),
        lambda x: max(0, min(3, x)) & 2,
        lambda x: 5 % (1 + abs(max(-2, min(2, x)))),
        lambda x: len(range(max(0, min(3, x)))),
        lambda x: x > 0.5,
        lambda x: x >= Fraction(1, 2),
        lambda x: x < Decimal("1.5"),
        lambda x: x == 1.0,
        lambda x: x < math.inf and x != "1" and not x > min(math.nan, 1),
        lambda x: int(np.clip(x, -2, 2)),
        lambda x: bool(np.array([1, 2, 3])[0] < x),
        lambda x: np.array([max(0, min(3, x)), 1]),
        lambda x: bool((np.array([0, 1]) + x)[1] > 2),
        lambda x: type(x) is int,
        lambda x: 1 // max(0, min(2, x)),
    ],
)
def test_code_that_looks_in_other_ways(code: Callable[[Any], Any]) -> None:
    compare(lambda start: code(start + geometric("1/2")), 1, start=1)


def test_noise_that_is_announced_and_read_later() -> None:
    def code(start: int) -> Any:
        x = start + geometric("1/2")
        announce(x)
        if geometric("1/3") >= 0:
            return None
        return x > 1

    compare(code, 2, start=0)


def test_a_value_looks_the_same_however_it_came_about() -> None:
    """A 4 from a clamp and a 4 of noise are one letter: else δ would be 0.3878 and not 0.3557."""

    def clamped(count: int) -> Any:
        return min(4, count + discrete_laplace(1)) if count > 3 else count + discrete_laplace(1)

    chain = from_code(clamped, [{"count": 3}, {"count": 4}])
    numbers = [label for label in chain.labels if label.lstrip("-").isdigit()]
    assert numbers.count("4") == 1


def test_the_tails_of_noise_have_no_value_in_common() -> None:
    chain = from_code(lambda count: count + discrete_laplace(1), [{"count": 0}])
    assert {"≤ 0", "≥ 1"} <= set(chain.labels)


def test_a_threshold_is_exact_and_needs_few_runs() -> None:
    def code(count: int) -> bool:
        return count + discrete_laplace(1) >= 5

    chain = from_code(code, [{"count": 0}, {"count": 1}])
    assert len(chain.states) == 5
    assert says(chain.confirmation, "runs confirmed")
    found = dc.delta(chain, epsilon=1)
    # P(1 + Z ≥ 5) − e·P(Z ≥ 5) = (e^-4 − e·e^-5)/(1 + e^-1) = 0.
    assert found.lower == 0
    assert found.upper < Fraction(1, 10**12)
