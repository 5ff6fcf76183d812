"""Bisection and the exact search, with oracles that know the answer and oracles that do not."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from deltachain import Chain, examples
from deltachain.errors import InputError, NotConverged, SolverUnknown
from deltachain.model import quotient
from deltachain_smt.decider import Bisection, Decider, Oracle, bisect, exact_value, oracle
from deltachain_smt.reduced import Reduction, denominator_bound
from tests.words import refuses

GOLDEN = [
    ("coin", "3/2", Fraction(0)),
    ("split-coin", "6/5", Fraction(1, 4)),
    ("survey", "3", Fraction(0)),
    ("dining-cryptographers,n=2", "1.0002", Fraction(1, 2500)),
    ("geometric", "2", Fraction(0)),
    ("geometric", "3/2", Fraction(1, 6)),
    ("geometric", "1", Fraction(1, 3)),
]


def knowing(value: Fraction) -> Oracle:
    return lambda theta, strict: value < theta if strict else value <= theta


GOLDEN_QUOTIENTS = [
    ("split-coin", "6/5", Fraction(1, 5)),
    pytest.param(
        "dining-cryptographers,n=3", "1.0002", Fraction(86528378587649, 125025000000000000), marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
@pytest.mark.parametrize(("case", "alpha", "value"), GOLDEN)
def test_golden_values(case: str, alpha: str, value: Fraction, encoding: str) -> None:
    _found_exactly(examples.build(case), alpha, value, encoding)


@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
@pytest.mark.parametrize(("case", "alpha", "value"), GOLDEN_QUOTIENTS)
def test_golden_values_of_quotients(case: str, alpha: str, value: Fraction, encoding: str) -> None:
    _found_exactly(quotient(examples.build(case)).chain, alpha, value, encoding)


@pytest.mark.slow
def test_three_diners() -> None:
    """52 states: bounded only; of the reduced formula Z3 knows nothing near the value in a minute."""
    _found_exactly(examples.build("dining-cryptographers,n=3"), "1.0002", Fraction(99, 125000), "bounded")


def _found_exactly(chain: Chain, alpha: str, value: Fraction, encoding: str) -> None:
    decider = Decider(chain, *chain.relation[0], exp_epsilon=alpha, encoding=encoding)
    found = exact_value(oracle(decider), bound=_bound(decider))
    assert found.value == value
    assert found.calls == decider.calls
    interval = bisect(oracle(decider), "1/1000")
    assert interval.lower <= value <= interval.upper <= interval.lower + Fraction(1, 1000)
    assert interval.calls <= 11


def _bound(decider: Decider) -> int:
    reduction = decider.reduction(decider.question(1))
    assert isinstance(reduction, Reduction)
    return denominator_bound(reduction)


@pytest.mark.sample(7)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
def test_the_denominator_bound_bounds_the_denominator(seed: int, encoding: str) -> None:
    chain = examples.build(f"random,n=7,seed={seed}")
    decider = Decider(chain, 0, 1, exp_epsilon="6/5", encoding=encoding)
    exact = Decider(chain, 0, 1, exp_epsilon="6/5", solver="engine")
    found = exact_value(oracle(exact), bound=_bound(decider))
    assert found.value.denominator <= _bound(decider)
    assert oracle(exact)(found.value, False)
    assert not oracle(exact)(found.value, True)


@pytest.mark.parametrize("eager", [True, False])
def test_every_fraction_is_found(eager: bool) -> None:
    random = Random(3)
    for _ in range(200):
        bottom = random.choice([1, 2, 7, 97, 10**4, 10**9 + 7])
        value = Fraction(random.randint(0, bottom), bottom)
        found = exact_value(knowing(value), bound=bottom if eager else None)
        assert found.value == value
        assert found.calls <= 2 * bottom.bit_length() + 20 or not eager


def test_a_bound_that_is_too_small_is_refused() -> None:
    with refuses(InputError, "denominator above this"):
        exact_value(knowing(Fraction(12345, 98765)), bound=10)
    with pytest.raises(InputError, match="not positive"):
        exact_value(knowing(Fraction(1, 2)), bound=0)


def test_calls_run_out() -> None:
    with pytest.raises(NotConverged) as caught:
        exact_value(knowing(Fraction(12345, 98765)), most_calls=9)
    reached = caught.value.upper
    assert isinstance(reached, Bisection)
    assert reached.lower < Fraction(12345, 98765) <= reached.upper


def test_unknown_is_passed_on_with_the_interval() -> None:
    value = Fraction(1, 3)

    def tired(theta: Fraction, strict: bool) -> bool:
        if abs(theta - value) < Fraction(1, 20):
            raise SolverUnknown("too close")
        return value <= theta

    with pytest.raises(NotConverged, match="too close") as caught:
        bisect(tired, "1/1000")
    assert isinstance(caught.value.upper, Bisection)
    assert caught.value.upper.lower <= value <= caught.value.upper.upper


def test_bad_precision() -> None:
    with pytest.raises(InputError, match="not positive"):
        bisect(knowing(Fraction(1, 2)), 0)
