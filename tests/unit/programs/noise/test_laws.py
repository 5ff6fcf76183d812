"""Laws with a table and exponential tails, against the same done value by value on a window."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from flint import fmpz_poly

from deltachain.programs.noise.laws import (
    ONE,
    SAME,
    ZERO,
    Bound,
    Scale,
    Tailed,
    TailRatio,
    TooFar,
    noise_of,
    possible,
    project_law,
)
from tests.reference import windowed_laws as windowed
from tests.reference.windowed_laws import SMALL, Values, number, rational, tabulated

RATIOS = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(1, 4))


def agree(law: Tailed, values: Values, margin: int = 20) -> None:
    """The law has these values, but near the ends of the window, and their sum."""
    found = tabulated(law)
    for k in windowed.WINDOW[margin:-margin]:
        assert abs(found[k] - values[k]) < SMALL, k


def drawn(rng: random.Random) -> tuple[Tailed, Values]:
    """A law that some steps have led to, and the same on a window."""
    ratio = rng.choice(RATIOS)
    law, values = noise_of(rational(ratio)), windowed.noise(ratio)
    for _ in range(rng.randint(0, 4)):
        step = rng.choice(("shift", "reflect", "where", "compare", "instead", "plus", "noise"))
        by, ratio = rng.randint(-3, 3), rng.choice(RATIOS)
        fresh, fresh_values = noise_of(rational(ratio)), windowed.noise(ratio)
        bounds = [Bound(rng.random() < 0.5, rng.randint(-1, 1), rng.randint(-3, 3)) for _ in range(rng.randint(1, 3))]
        if step == "shift":
            law, values = law.shift(by), windowed.moved(values, lambda k, by=by: k + by)
        elif step == "reflect":
            law, values = law.reflect(), windowed.moved(values, lambda k: -k)
        elif step == "where":
            slope = rng.choice((-2, -1, 0, 1, 2))
            law, values = law.where(slope, by), windowed.where(values, slope, by)
        elif step == "compare":
            law, values = project_law(law, fresh, bounds), windowed.projected(values, fresh_values, bounds)
        elif step == "instead":
            law, values = project_law(fresh, law, bounds), windowed.projected(fresh_values, values, bounds)
        elif step == "noise":
            law, values = law.plus_noise(rational(ratio)), windowed.plus_independent(values, fresh_values)
        else:
            law, values = law.plus(fresh), {k: v + fresh_values[k] for k, v in values.items()}
    return law, values


@pytest.mark.seeds(5, 40)
def test_every_step_agrees_with_the_sum_over_a_window(seed: int) -> None:
    law, values = drawn(random.Random(seed))
    agree(law, values)
    assert abs(number(law.mass()) - sum(values.values())) < SMALL
    assert bool(law) is any(values.values())


@pytest.mark.seeds(8, 40)
def test_the_law_of_a_quotient(seed: int) -> None:
    rng = random.Random(seed)
    law, values = drawn(rng)
    q = rng.randint(1, 5)
    # The window holds a part of the outcomes of quotients alone.
    found = tabulated(law.floor(q))
    quotients = windowed.moved(values, lambda k: k // q)
    for k in range(-windowed.WINDOW[-1] // q + 6, windowed.WINDOW[-1] // q - 6):
        assert abs(found[k] - quotients[k]) < SMALL, k
    assert number(law.floor(q).mass()) == number(law.mass())


@pytest.mark.seeds(4, 20)
def test_sums_over_half_lines_and_products(seed: int) -> None:
    rng = random.Random(seed)
    law, values = drawn(rng)
    other, other_values = drawn(rng)
    left, sums = Fraction(0), {}
    for k in reversed(windowed.WINDOW):
        left += values[k]
        sums[k] = left
    agree(law.from_on(), sums)
    agree(law.times(other), {k: v * other_values[k] for k, v in values.items()})
    agree(law.minus(other), {k: v - other_values[k] for k, v in values.items()})
    slope, shift = rng.randint(-1, 1), rng.randint(-4, 4)
    inside = [k for k in windowed.WINDOW if slope * k + shift in sums]
    along = tabulated(law.from_on().along(slope, shift))
    assert all(abs(along[k] - sums[slope * k + shift]) < SMALL for k in inside)


@pytest.mark.seeds(3, 60)
def test_sums_of_independent_integers(seed: int) -> None:
    rng = random.Random(seed)
    law, values = drawn(rng)
    other, other_values = drawn(rng)
    found = law.plus_independent(other)
    agree(found, windowed.plus_independent(values, other_values), 40)
    by_noise = law.plus_noise(rational(Fraction(1, 3)))
    assert not by_noise.minus(law.plus_independent(noise_of(rational(Fraction(1, 3)))))


def test_noise_of_one_ratio_added_up_has_polynomials_in_its_tails() -> None:
    half = noise_of(rational(Fraction(1, 2)))
    total, mass = half.plus_noise(rational(Fraction(1, 2))).plus_noise(rational(Fraction(1, 2))).normalise()
    assert number(mass) == 1
    (coefficients,) = total.up.values()
    assert len(coefficients) == 3
    agree(
        total,
        windowed.plus_independent(windowed.noise(Fraction(1, 2)), tabulated(half.plus_noise(rational(Fraction(1, 2))))),
    )


@pytest.mark.seeds(5, 40)
def test_a_law_has_one_form_whatever_its_table_and_its_mass(seed: int) -> None:
    rng = random.Random(100 + seed)
    law, _ = drawn(rng)
    if not law:
        return
    form, mass = law.normalise()
    assert number(mass) == number(law.mass())
    assert number(form.mass()) == 1
    wide = law.widen(law.low - rng.randint(0, 3), law.high + rng.randint(0, 3)).scale_by(Scale.of(ONE, fmpz_poly([7])))
    again, less = wide.normalise()
    assert again.key == form.key
    assert number(less) * 7 == number(mass)
    assert tabulated(again) == tabulated(form)
    # And another law has another form.
    shifted, _ = law.shift(1).normalise()
    assert shifted.key != form.key


def test_what_two_forms_of_noise_have_in_common() -> None:
    """r^|k| may be written around 0 or around 1: one form is taken."""
    half = rational(Fraction(1, 2))
    around_one = Tailed(1, [ONE], {half: (ONE,)}, {half: (fmpz_poly([4]),)}, Scale(ONE, fmpz_poly([6])))
    assert tabulated(around_one) == windowed.noise(Fraction(1, 2))
    assert around_one.normalise()[0].key == noise_of(half).normalise()[0].key


def test_ratios_that_are_products_of_different_factors_are_one() -> None:
    half, quarter = rational(Fraction(1, 2)), rational(Fraction(1, 4))
    assert half.times(half) == quarter
    assert half.times(SAME) == half
    y = fmpz_poly([0, 1])
    assert TailRatio(y * 2, fmpz_poly([4])) == TailRatio(y, fmpz_poly([2]))


@pytest.mark.seeds(6, 60)
def test_what_is_possible_has_mass(seed: int) -> None:
    rng = random.Random(seed)
    law, _ = drawn(rng)
    bounds = [Bound(rng.random() < 0.5, rng.randint(-1, 1), rng.randint(-4, 4)) for _ in range(rng.randint(0, 4))]
    assert possible(law, bounds) is bool(project_law(law, noise_of(rational(Fraction(1, 2))), bounds))


def test_limits() -> None:
    law = noise_of(rational(Fraction(1, 2)))
    with pytest.raises(TooFar):
        law.widen(-5_000, 0)
    with pytest.raises(ValueError, match="without mass"):
        ZERO.normalise()
