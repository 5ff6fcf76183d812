"""One suite that both fields pass: whole masses with their divisors, ordered values, and texts that can be read back.

What numbers are is computed beside them, in decimals with 120 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from deltachain.certificate.claims import as_exact
from deltachain.numbers.exponential import as_exponential, exp_of
from deltachain.numbers.field import Exact, Field, Functions, Rationals, ends, length, rational, text_of
from deltachain.numbers.fraction import ExpEpsilon
from deltachain_checker.numbers import AtExponential
from deltachain_checker.numbers import Rationals as CheckersRationals

AnyField = Field[Any, Any]
FIELDS: Mapping[str, Callable[[], AnyField]] = {
    "rationals": Rationals,
    "e": lambda: Functions(1),
    "e^(1/2)": lambda: Functions(2),
    "e^(1/10)": lambda: Functions(10),
}
DIGITS = 120
CLOSE = Decimal("1e-100")


@pytest.fixture(params=FIELDS)
def field(request: pytest.FixtureRequest) -> AnyField:
    """A field of its own: what a certificate says first may make its X finer."""
    return FIELDS[request.param]()


@pytest.fixture(autouse=True)
def _many_digits() -> Iterator[None]:
    with localcontext(prec=DIGITS):
        yield


def at_x(coefficients: Sequence[int], k: int) -> Decimal:
    """A polynomial at e^(1/k)."""
    x = (Decimal(1) / k).exp()
    return sum((Decimal(c) * x**power for power, c in enumerate(coefficients)), Decimal(0))


def decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def random_mass(random: Random, field: AnyField) -> tuple[Any, Decimal]:
    """A mass that is not 0, and what it is."""
    size = 1 if isinstance(field, Rationals) else random.randint(1, 4)
    found = [random.randint(-9, 9) for _ in range(size - 1)] + [random.choice([-7, -2, 1, 3, 8])]
    mass = field.none
    if isinstance(field, Functions):
        x = exp_of(Fraction(1, field.k)).top
        for c in reversed(found):
            mass = mass * x + field.whole(c)
        return mass, at_x(found, field.k)
    return field.whole(found[0]), Decimal(found[0])


def of_exact(number: Exact) -> Decimal:
    """What a number is, by a way of its own: its polynomials at e^(1/k)."""
    known = rational(number)
    if known is not None:
        return decimal(known)
    function = as_exponential(number)
    top, bottom = ([int(c) for c in part.coeffs()] for part in (function.top, function.bottom))
    return at_x(top, function.k) / at_x(bottom, function.k)


def test_none_one_and_zero(field: AnyField) -> None:
    assert not field.none
    assert field.one == field.whole(1)
    assert not field.zero
    assert field.exactly(field.zero) == 0
    assert field.exactly(field.quotient(field.one, field.one)) == 1


def test_a_common_divisor_is_positive_and_divides(field: AnyField) -> None:
    random = Random(1)
    for _ in range(60):
        factor, _ = random_mass(random, field)
        masses = [factor * random_mass(random, field)[0] for _ in range(random.randint(1, 4))]
        common = field.common(masses)
        assert of_exact(field.exactly(field.quotient(common, field.one))) > 0
        for mass in masses:
            assert (mass // common) * common == mass
        shared = field.common([mass // common for mass in masses])
        assert shared == field.one, "what is left has nothing in common"
        assert (common // factor) * factor in (common, -common), "every factor of all is in it"


def test_keys_tell_masses_apart(field: AnyField) -> None:
    random = Random(2)
    drawn = [(random.randint(0, 1), *random_mass(random, field)) for _ in range(200)]
    for state, mass, value in drawn:
        for other_state, other, other_value in drawn[:20]:
            same = field.key([(state, mass)]) == field.key([(other_state, other)])
            assert same == (state == other_state and abs(value - other_value) < CLOSE)


def test_values_are_numbers_and_ordered_as_they_are(field: AnyField) -> None:
    random = Random(3)
    drawn = []
    for _ in range(40):
        (top, above), (bottom, below) = random_mass(random, field), random_mass(random, field)
        drawn.append((field.quotient(top, bottom), above / below))
    for value, number in drawn:
        assert abs(of_exact(field.exactly(value)) - number) < CLOSE
        assert field.value(field.exactly(value)) == value
        assert hash(field.value(field.exactly(value))) == hash(value)
        assert field.length(value) >= 1
        assert abs(of_exact(field.exactly(1 - value)) - (1 - number)) < CLOSE
        for other, another in drawn[:10]:
            if abs(number - another) > CLOSE:
                assert (value < other) == (number < another)
                assert (value > other) == (number > another)
            assert abs(of_exact(field.exactly(value * other + value)) - (number * another + number)) < CLOSE
            assert abs(of_exact(field.exactly((value - other) / other)) - (number - another) / another) < CLOSE


@pytest.mark.parametrize("epsilon", ["0", "1/10", "1/2", "1", "7/3", "40"])
def test_upper_bounds_are_at_most_e_to_the_epsilon_and_lower_ones_at_least(field: AnyField, epsilon: str) -> None:
    below, above = (of_exact(field.exactly(alpha)) for alpha in field.alphas(ExpEpsilon.read(epsilon=epsilon)))
    truth = decimal(Fraction(epsilon)).exp()
    assert below <= truth * (1 + CLOSE)
    assert above >= truth * (1 - CLOSE)
    assert above - below < truth / 10**9


def test_a_power_that_is_too_high_is_enclosed_and_not_written() -> None:
    field = Functions(10)
    below, above = field.alphas(ExpEpsilon.read(epsilon="300"))
    assert (below.rational is None, above.rational is None) == (False, False)
    assert below < above


def test_texts_are_read_back(field: AnyField) -> None:
    random = Random(4)
    base = field.base(ExpEpsilon.read(epsilon="1/3"))
    notation = field.notation(base)
    checker = CheckersRationals() if base is None else AtExponential(base)
    for _ in range(60):
        (top, _), (bottom, _) = random_mass(random, field), random_mass(random, field)
        quotient = field.quotient(top, bottom)
        assert as_exact(checker.read(notation.value(quotient))) == field.exactly(quotient)
        assert as_exact(checker.read(notation.mass(top))) == field.exactly(field.quotient(top, field.one))


@pytest.mark.parametrize("bits", [10, 160])
def test_ends_hold_the_number_as_closely_as_asked(bits: int) -> None:
    small = exp_of(Fraction(-90)) - exp_of(Fraction(-91)) * Fraction(271828, 100000)  # about e^-90 · 1e-6
    for number in (exp_of(Fraction(1)), exp_of(Fraction(-1, 3)), -exp_of(Fraction(2)), small):
        low, high = ends(number, bits)
        truth = of_exact(number)
        assert decimal(low) - CLOSE <= truth <= decimal(high) + CLOSE
        assert 0 < (high - low) * 2**bits <= max(abs(low), abs(high))
        assert (low > 0) == (high > 0) == (truth > 0)
    assert ends(Fraction(2, 7), bits) == (Fraction(2, 7), Fraction(2, 7))
    assert ends(as_exponential(Fraction(2, 7)), bits) == (Fraction(2, 7), Fraction(2, 7))


def test_fractions_and_functions_mix() -> None:
    e = exp_of(Fraction(1))
    total = Fraction(1, 2) + e - e
    assert rational(total) == Fraction(1, 2)
    assert text_of(total) == "1/2"
    assert Fraction(2) < e < Fraction(3)
    assert text_of(Fraction(1, 2) * e) == "exp(1)/2"
    assert length(Fraction(1, 4)) == 3
    with pytest.raises(ValueError, match="not rational"):
        Rationals().value(e)
