"""Exact numbers made from e^q: arithmetic against 200 digits, ties, signs, text."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

from deltachain.errors import InputError
from deltachain.numbers.exponential import Exponential, as_exponential, exp_of, read_exponential

F = Fraction


def decimal(number: Exponential) -> Decimal:
    """The number to about 200 digits, by Python's own exponential."""
    with localcontext(prec=230):
        x = (Decimal(1) / Decimal(number.k)).exp()
        top, bottom = (
            sum((Decimal(int(c)) * x**i for i, c in enumerate(part.coeffs())), Decimal(0))
            for part in (number.top, number.bottom)
        )
        return top / bottom


def some(random: Random) -> tuple[Exponential, Decimal]:
    """A random number with its value."""
    value = exp_of(F(random.randint(-6, 6), random.choice([1, 2, 3, 10])))
    with localcontext(prec=230):
        near = decimal(value)
        for _ in range(random.randint(0, 4)):
            other = exp_of(F(random.randint(-3, 3), random.choice([1, 2, 5]))) + random.randint(-2, 2)
            far = decimal(other)
            which = random.choice("+-*/")
            if which == "/" and not other:
                continue
            value = {"+": value + other, "-": value - other, "*": value * other}.get(which) or (
                value / other if which == "/" else as_exponential(0)
            )
            near = {"+": near + far, "-": near - far, "*": near * far}.get(which, near / far if far else near)
            if not value:
                near = Decimal(0)
    return value, near


@pytest.mark.seeds(60, 200)
def test_arithmetic_agrees_with_two_hundred_digits(seed: int) -> None:
    value, near = some(Random(seed))
    with localcontext(prec=230):
        assert abs(decimal(value) - near) <= abs(near) * Decimal("1e-190") + Decimal("1e-190")
    assert value.sign == (near > 0) - (near < 0) or abs(near) < Decimal("1e-190")
    low, high = value.enclose(128)
    with localcontext(prec=230):
        assert Decimal(low.numerator) / Decimal(low.denominator) <= near + Decimal("1e-190")
        assert near - Decimal("1e-190") <= Decimal(high.numerator) / Decimal(high.denominator)
    assert read_exponential(str(value)) == value


def test_ties_are_told_from_near_misses() -> None:
    e = exp_of(F(1))
    close = as_exponential(e.enclose(400)[0])
    assert close < e
    assert (e - close).sign == 1
    assert exp_of(F(1, 3)) * exp_of(F(1, 6)) == exp_of(F(1, 2))
    assert hash(exp_of(F(1, 3)) ** 3) == hash(e)
    assert (exp_of(F(1, 2)) ** 2 / e).rational == 1
    assert exp_of(F(0)) == 1
    assert (exp_of(F(-3, 7)) ** 2).power == F(-6, 7)
    assert (e + 1).power is None


def test_dividing_by_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        _ = 1 / (exp_of(F(1)) - exp_of(F(1, 2)) ** 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("exp(1/2", "not closed"),
        ("exp(exp(1))", "exp of something that is not rational"),
        ("1/0", "division by 0"),
        ("0^-1", "division by 0"),
        ("2+", "ends too early"),
        ("", "ends too early"),
        ("*3", "'*' is misplaced"),
        ("exp(1)^(1/2)", "not a whole number"),
        ("1 2", "left over"),
        ("__import__('os')", "cannot read"),
        ("exp(100000)", "degree 100000"),
        ("(" * 60 + "1", "nested"),
        ("1" * 30_000, "characters"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why.replace("(", r"\(").replace("*", r"\*")):
        read_exponential(text)
