"""Numbers in and out, exactly; e^ε and ln from both sides, against an independent computation."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.errors import InputError
from deltachain.numbers import ball as enclosures
from deltachain.numbers.fraction import (
    MAX_DIGITS,
    alpha_above,
    alpha_below,
    as_alpha,
    as_fraction,
    as_probability,
    format_fraction,
    log_above,
    log_below,
    parse_fraction,
    round_down,
    round_up,
    simplest_between,
)
from tests.amounts import part_of

READ = {
    "0.49": Fraction(49, 100),
    "49/100": Fraction(49, 100),
    " 49 / 100 ": Fraction(49, 100),
    "1e-3": Fraction(1, 1000),
    "1E+2": Fraction(100),
    "+.5": Fraction(1, 2),
    "3.": Fraction(3),
    "-2/4": Fraction(-1, 2),
    "1e-3/2e-3": Fraction(1, 2),
    "0.1/0.3": Fraction(1, 3),
    "000": Fraction(0),
}

REFUSED = [
    "",
    " ",
    "abc",
    "1/0",
    "1/0.0",
    "1//2",
    "1/2/3",
    "--1",
    "1e",
    "e5",
    ".",
    "1.2.3",
    "nan",
    "inf",
    "0x10",
    "1_000",
    "١",
    "1 2",
]


@pytest.mark.parametrize("text", READ)
def test_text_is_read_exactly(text: str) -> None:
    assert parse_fraction(text) == READ[text]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_a_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|denominator"):
        parse_fraction(text)


def test_size_limits_are_refused_before_any_work() -> None:
    with pytest.raises(ValueError, match="limit"):
        parse_fraction("1" * (MAX_DIGITS + 1))
    with pytest.raises(ValueError, match="exponent"):
        parse_fraction(f"1e{MAX_DIGITS + 1}")
    with pytest.raises(ValueError, match="exponent"):
        parse_fraction("1e-99999999999999999999")


def test_numbers_beyond_the_interpreters_digit_limit_are_read_and_written() -> None:
    digits = "7" * 6000
    value = parse_fraction(digits + "/2")
    assert value == Fraction((10**6000 - 1) // 9 * 7, 2)
    assert format_fraction(value) == f"{digits}/2"
    assert parse_fraction("1e-6000") == Fraction(1, 10**6000)


@given(st.fractions())
def test_writing_and_reading_is_the_identity(value: Fraction) -> None:
    assert parse_fraction(format_fraction(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9))
def test_decimal_text_is_read_as_its_own_digits(value: Decimal) -> None:
    assert parse_fraction(str(value)) == Fraction(value)


def test_a_float_of_numpy_is_a_float() -> None:
    assert as_fraction(np.float64(1.2)) == Fraction(6, 5)


def test_a_float_is_its_shortest_decimal() -> None:
    assert as_fraction(0.49) == Fraction(49, 100) != Fraction(0.49)
    assert as_fraction(1e-3) == Fraction(1, 1000)
    assert as_fraction(7) == 7
    assert as_fraction(Fraction(2, 3)) == Fraction(2, 3)


@pytest.mark.parametrize("value", [math.nan, math.inf, True, None, 1j, "x", b"1", Decimal("0.5")])
def test_other_values_are_refused_by_name(value: object) -> None:
    with pytest.raises(InputError, match=r"^the weight: "):
        as_fraction(value, "the weight")  # type: ignore[arg-type]


def test_probabilities_and_alphas_keep_their_ranges() -> None:
    assert as_probability("1") == 1
    assert as_probability(0) == 0
    assert as_alpha("1") == 1
    for bad in ("-1e-9", "1.0000001"):
        with pytest.raises(InputError, match="outside"):
            as_probability(bad)
    with pytest.raises(InputError, match="below 1"):
        as_alpha("0.9999999")


@given(st.fractions(), st.integers(0, 30))
def test_rounding_is_on_its_side_and_within_one_unit(value: Fraction, digits: int) -> None:
    unit = Fraction(1, 10**digits)
    assert value <= round_up(value, digits) < value + unit
    assert value - unit < round_down(value, digits) <= value
    for rounded in (round_up(value, digits), round_down(value, digits)):
        assert (rounded / unit).denominator == 1


@given(st.fractions(min_value=Fraction(1, 1000), max_value=1000), st.fractions(min_value=0, max_value=3))
def test_simplest_between_has_the_least_denominator(low: Fraction, width: Fraction) -> None:
    high = low + width
    found = simplest_between(low, high)
    assert low <= found <= high
    for denominator in range(1, min(found.denominator, 300)):
        assert math.ceil(low * denominator) > high * denominator, "a smaller denominator fits"


EPSILONS = st.fractions(min_value=0, max_value=50, max_denominator=10**6)


def reference_exp(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of e^ε from `decimal`, whose exp is correctly rounded: one unit of the 60th digit either way."""
    context = Context(prec=80)
    argument = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    value = Fraction(argument.exp(Context(prec=80)))
    slack = value * Fraction(1, 10**70)
    return value - slack, value + slack


@settings(max_examples=part_of(200), deadline=None)
@given(EPSILONS)
def test_alphas_enclose_exp_epsilon_closely(epsilon: Fraction) -> None:
    below, above = alpha_below(epsilon), alpha_above(epsilon)
    low, high = reference_exp(epsilon)
    assert 1 <= below <= high
    assert above >= low
    if epsilon > 0:
        assert below < low, "rational, so never e^ε itself"
        assert above > high
    assert high <= below * (1 + Fraction(1, 2**60))
    assert above * (1 - Fraction(1, 2**60)) <= low
    assert max(below.denominator, above.denominator) < 2**64


@pytest.mark.parametrize("bits", [8, 64, 80])
def test_bounds_of_exp_hold_at_their_own_precision(bits: int) -> None:
    """Before `alpha_below` and `alpha_above` widen them: nothing is lost in the tail or in the squarings."""
    random = Random(bits)
    for _ in range(600):
        epsilon = Fraction(random.randint(1, 10**9), random.choice([10**7, 10**9, 10**12]))
        low, high = enclosures.exp(epsilon, bits)
        reference_low, reference_high = reference_exp(epsilon)
        assert low < reference_low
        assert reference_high < high
        assert high <= low * (1 + Fraction(1, 2**bits))


def test_alphas_at_the_ends() -> None:
    assert alpha_below(0) == alpha_above(0) == 1
    tiny = Fraction(1, 10**40)
    assert 1 <= alpha_below(tiny) < alpha_above(tiny)
    assert alpha_above(tiny) > 1 + tiny
    assert alpha_below(1000) < alpha_above(1000)
    for bad in (-1, "1000.1", "x"):
        with pytest.raises(InputError, match="epsilon"):
            alpha_below(bad)
        with pytest.raises(InputError, match="epsilon"):
            alpha_above(bad)


@settings(max_examples=part_of(200), deadline=None)
@given(st.fractions(min_value=1, max_value=10**6, max_denominator=10**9))
def test_logarithms_are_proved_and_tight(alpha: Fraction) -> None:
    below, above = log_below(alpha), log_above(alpha)
    step = Fraction(1, 10**12)
    assert 0 <= below <= above <= below + step
    assert reference_exp(below)[0] <= alpha <= reference_exp(above)[1]
    if alpha > 1:
        assert reference_exp(below + step)[1] > alpha
        assert reference_exp(max(above - step, Fraction(0)))[0] < alpha


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3), Fraction(123456789, 10**12)])
def test_logarithms_next_to_a_decimal_take_the_sound_side(epsilon: Fraction) -> None:
    """α differs from e^ε in the 60th digit, where a guess of 28 digits sees ε itself."""
    step = Fraction(1, 10**12)
    low, high = enclosures.exp(epsilon, 200)
    assert log_below(low) == epsilon - step
    assert log_above(high) == epsilon + step


def test_logarithms_of_large_and_exact_arguments() -> None:
    assert log_below(Fraction(1)) == log_above(Fraction(1)) == 0
    huge = Fraction(10**30)
    assert log_below(huge) < log_above(huge)
    assert abs(float(log_above(huge)) - 30 * math.log(10)) < 1e-9
