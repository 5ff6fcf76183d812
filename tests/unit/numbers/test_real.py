"""Irrational numbers: what is exact, what is enclosed, and that balls are around what they should be."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpz_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from deltachain.numbers import real as reals
from deltachain.numbers.exponential import exp_of, quotient_ends
from deltachain.numbers.real import ExactReal, Real, ball_of, combine, ends, exp, log, power, sqrt

SMALL = st.fractions(-3, 3, max_denominator=12)


def in_decimals(text: str) -> Decimal:
    """The number that a formula stands for, in 150 digits."""
    names = {
        "exp": lambda x: x.exp(),
        "log": lambda x: x.ln(),
        "sqrt": lambda x: x.sqrt(),
        "D": Decimal,
    }
    with localcontext() as context:
        context.prec = 150
        return Decimal(eval(text, {"__builtins__": {}}, names))  # noqa: S307  (a formula of this file)


def near(number: ExactReal, decimal: Decimal) -> None:
    low, high = ends(ball_of(number))
    value, slack = Fraction(decimal), Fraction(1, 10**130)
    assert low <= high
    assert high - low <= Fraction(1, 2**256)
    assert low - slack <= value <= high + slack


@pytest.mark.parametrize(
    ("number", "formula"),
    [
        (sqrt(Fraction(1, 2)), "(D(1) / D(2)).sqrt()"),
        (log(Fraction(3)), "D(3).ln()"),
        (exp(sqrt(Fraction(2))), "exp(D(2).sqrt())"),
        (combine("/", 1, combine("+", 1, exp(sqrt(Fraction(2))))), "1 / (1 + exp(D(2).sqrt()))"),
        (combine("-", sqrt(Fraction(2)), exp(Fraction(-1, 3))), "D(2).sqrt() - exp(-D(1) / D(3))"),
        (power(sqrt(Fraction(2)), -3), "1 / (D(2).sqrt() * 2)"),
        (exp(Fraction("1.0986122886681098")), "exp(D('1.0986122886681098'))"),
    ],
)
def test_what_is_enclosed_is_around_the_number(number: ExactReal, formula: str) -> None:
    assert isinstance(number, Real)
    assert number.exact is None
    near(number, in_decimals(formula))


@settings(deadline=None)
@given(SMALL, SMALL, st.sampled_from("+-*/"))
def test_what_is_made_from_exponentials_of_rationals_is_exact(one: Fraction, other: Fraction, symbol: str) -> None:
    found = combine(symbol, exp(one), exp(other))
    operation = reals.OPERATIONS[symbol]
    assert reals.exact_of(found) == operation(exp_of(one), exp_of(other))
    with localcontext() as context:
        context.prec = 150
        decimals = [(Decimal(q.numerator) / Decimal(q.denominator)).exp() for q in (one, other)]
        near(found, operation(*decimals))


def test_what_is_rational_is_a_fraction() -> None:
    assert exp(Fraction(0)) == 1
    assert exp(log(Fraction(5))) == 5
    assert log(exp(Fraction(-2, 7))) == Fraction(-2, 7)
    assert sqrt(Fraction(9, 4)) == Fraction(3, 2)
    assert combine("*", exp(Fraction(1, 2)), exp(Fraction(-1, 2))) == 1
    assert sqrt(exp(Fraction(1))) == exp(Fraction(1, 2))
    assert power(exp(Fraction(1, 3)), 3) == exp(Fraction(1))


def test_numbers_are_known_by_what_they_are_or_by_their_formula() -> None:
    assert exp(Fraction(1)) == combine("*", exp(Fraction(1, 2)), exp(Fraction(1, 2)))
    assert hash(sqrt(Fraction(2))) == hash(sqrt(Fraction(2)))
    assert sqrt(Fraction(2)) == sqrt(Fraction(2))
    assert combine("*", sqrt(Fraction(2)), sqrt(Fraction(2))) != 2  # nobody says that it is 2
    assert str(exp(Fraction(-1, 10))) == "exp(-1/10)"


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (lambda: log(Fraction(0)), "only positive"),
        (lambda: log(combine("-", 1, exp(Fraction(1)))), "only positive"),
        (lambda: sqrt(Fraction(-2)), "no real root"),
        (lambda: combine("/", 1, combine("-", sqrt(Fraction(2)), sqrt(Fraction(2)))), "may be 0"),
        (lambda: combine("/", exp(Fraction(1)), 0), "division by zero"),
        (lambda: log(combine("-", sqrt(Fraction(2)), sqrt(Fraction(2)))), "above 0"),
        (lambda: sqrt(combine("-", sqrt(Fraction(2)), 3)), "may be negative"),
    ],
)
def test_what_has_no_value(what: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        what()  # type: ignore[operator]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 12), st.integers(20, 320))
@settings(deadline=None)
def test_quotients_of_polynomials(coefficients: list[int], k: int, bits: int) -> None:
    top = fmpz_poly([*coefficients, 1])
    bottom = top + fmpz_poly([1, 2])
    ((low, high),) = quotient_ends(k, [top], bottom, bits)
    assert 0 <= high - low <= 2
    with localcontext() as context:
        context.prec = 150
        x = (Decimal(1) / k).exp()
        parts = [sum(int(c) * x**n for n, c in enumerate(p.coeffs())) for p in (top, bottom)]
        value = Fraction(parts[0] / parts[1]) * 2**bits
    slack = Fraction(2**bits, 10**140)
    assert low - slack <= value <= high + slack


@pytest.mark.parametrize(
    "number",
    [
        reals.sqrt(2),
        reals.log(3),
        reals.exp(reals.sqrt(2)),
        reals.combine("/", reals.log(5), reals.sqrt(7)),
        reals.combine("-", reals.exp(reals.combine("*", reals.log(2), reals.sqrt(2))), 1),
        reals.power(reals.sqrt(3), -5),
        reals.exp(Fraction(1, 3)),
        reals.exp(-50_000),
        Fraction(2, 7),
    ],
    ids=str,
)
def test_a_number_is_enclosed_again_at_any_precision(number: reals.Number) -> None:
    """The balls get narrower without end, and always have a point in common with the one that was computed first."""
    first = reals.ball_of(number)
    for bits in (64, 600, 3000):
        ball = reals.ball_at(number, bits)
        assert ball.overlaps(first)
        with ctx.workprec(64):
            assert ball.rad() <= abs(ball.mid()) * arb(2) ** (20 - bits)


def test_what_an_enclosed_number_was_made_of_gives_its_digits() -> None:
    """√2 to 1,000 digits, squared: what is left is as small as it must be."""
    with ctx.workprec(4000):
        square = reals.ball_at(reals.sqrt(2), 4000) ** 2
        assert square.overlaps(arb(2))
        assert square.rad() < arb(2) ** -3980
