"""The samplers, explored as any code is: `from_code` follows every sequence of their decisions, or of their bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain import code
from deltachain.draws import Uniform, Weighted, in_force
from deltachain.draws.sampler import GaussianSampler, TwoSidedSampler, UniformSampler, inverse_of
from deltachain.numbers.exponential import exp_of
from deltachain.numbers.real import exp
from tests.unit.draws.test_sampler import as_parameter, decisions

pytestmark = pytest.mark.usefixtures("one_process")

F = Fraction
TAIL = F(1, 10**5)
"""Sequences with less probability are not followed."""

Law = dict[str, tuple[Fraction, Fraction]]


def law_of(function: Callable[[], object], tail: Fraction = TAIL) -> tuple[Law, Fraction]:
    """The text of what is returned → the probability of the sequences that lead to it, between two numbers that are as
    close as rows are; and what was cut off."""
    chain = code.from_code(lambda once: str(function()), secrets=[{"once": 0}], tail=tail)  # noqa: ARG005
    row = chain.boxes[0][0]
    return {chain.labels[target][9:-1]: (low, high) for target, low, high in row}, row.rest


class Decision:
    """In place of a table: a draw with exact weights, which the recorder follows."""

    def __init__(self, weights: Sequence[Any]) -> None:
        self.law = Weighted("decision", tuple(range(len(weights))), tuple(map(as_parameter, weights)))

    def draw(self, _: object) -> Any:
        return in_force().draw(self.law)


@pytest.mark.parametrize("base", [2, 3])
@pytest.mark.parametrize("r", [F(1, 3), F(1, 2**70), exp_of(F(-1)), exp_of(F(-50))], ids=str)
def test_two_sided_noise_is_made_of_its_decisions(r: Any, base: int) -> None:
    sampler = TwoSidedSampler(as_parameter(r), base=base)
    sign, digits = decisions(r, base, 2)
    sampler.sign = Decision(sign.weights)  # type: ignore[assignment]
    sampler.digits = [Decision(digit.weights) for digit in digits]  # type: ignore[misc]
    found, rest = law_of(lambda: sampler.draw(None))  # type: ignore[arg-type]
    assert rest <= 20 * TAIL
    assert "0" in found
    for z, (low, high) in found.items():
        assert low <= (1 - r) / (1 + r) * r ** abs(int(z)) <= high, z
        assert high - low < F(1, 2**300)
        assert low == high or not isinstance(r, Fraction)


def bits(count: int) -> int:
    """Fair bits, which the recorder follows."""
    return int(in_force().draw(Uniform(0, (1 << count) - 1)))


@pytest.mark.parametrize(
    "weights",
    [(F(1, 3), F(2, 3)), (F(10**6), F(1)), (F(1, 2**70), F(1)), (exp(F(-1)), F(1)), (exp(F(-50)), F(1), exp(F(1)))],
    ids=str,
)
def test_a_choice_is_made_of_bits(weights: tuple[Any, ...]) -> None:
    inverse = inverse_of(weights, width=2)
    found, rest = law_of(lambda: inverse.draw(bits))
    assert rest <= 20 * TAIL
    exact = [exp_of(F(0)) * (getattr(weight, "exact", None) or weight) for weight in weights]
    total = sum(exact[1:], exact[0])
    for outcome, (low, high) in found.items():
        assert low <= exact[int(outcome)] / total <= high + rest


@pytest.mark.parametrize("count", [1, 3, 6])
def test_a_whole_number_is_made_of_bits(count: int) -> None:
    found, rest = law_of(lambda: UniformSampler(1, count, width=3).draw(bits))
    assert rest <= 20 * TAIL
    assert set(found) == set(map(str, range(1, count + 1)))
    for low, high in found.values():
        assert low <= F(1, count) <= high + rest


def test_noise_is_made_of_bits() -> None:
    laplace = TwoSidedSampler(F(1, 3), base=2, width=2)
    found, rest = law_of(lambda: laplace.draw(bits), F(1, 1000))
    for z, (low, high) in found.items():
        assert low <= F(1, 2) * F(1, 3) ** abs(int(z)) <= high + rest
    sigma = F(1, 2)
    gaussian = GaussianSampler(sigma, width=2)
    total = 1 + 2 * sum(float(exp_of(-2 * F(z**2))) for z in range(1, 12))
    found, rest = law_of(lambda: gaussian.draw(bits), F(1, 1000))
    assert found["0"][0] > F(3, 10)
    for z, (low, high) in found.items():
        assert float(low) <= float(exp_of(-2 * F(int(z) ** 2))) / total <= float(high + rest)


def test_the_primitives_draw_what_they_say() -> None:
    """The same laws, where the recorder is asked for them as a whole."""
    assert law_of(lambda: dc.flip("1/3")) == ({"True": (F(1, 3), F(1, 3)), "False": (F(2, 3), F(2, 3))}, 0)
