"""How concentrated the losses of Gaussian announcements are: against sums in floats, and where nothing is said."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import deltachain as dc
from deltachain import program
from tests.words import says

COUNTS = [{"x": 0}, {"x": 1}]


def rho(*lines: str) -> Fraction | None:
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    return program(text).chain(COUNTS).concentration.get((0, 1))


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (["announce(x + discrete_gaussian(2))"], "1/8"),
        (["announce(3 * x + discrete_gaussian(2))"], "9/8"),
        (["announce(x - discrete_gaussian(2))"], "1/8"),
        (["announce(2 * (x + discrete_gaussian(2)))"], "1/8"),
        (["announce((x + discrete_gaussian(2)) // 4)"], "1/8"),
        (["announce(x + discrete_gaussian(2))", "announce(5 * x + discrete_gaussian(10))"], "1/4"),
        (["for i in range(4):", "    announce(x + discrete_gaussian(2))"], "1/2"),
        (["announce(discrete_gaussian(2))", "announce(x + discrete_gaussian(2))"], "1/8"),
        (["s = 1 if flip('1/3') else 2", "announce(x + discrete_gaussian(s))"], "1/2"),
        (["w = ask('coarse', 'fine')", "announce(x + discrete_gaussian(2 if w == 'coarse' else 1))"], "1/2"),
        (["announce('here')", "announce(x + discrete_gaussian(2))", "announce('done')"], "1/8"),
    ],
)  # fmt: skip
def test_what_announcements_cost_adds_up(lines: list[str], value: str) -> None:
    assert rho(*lines) == Fraction(value)


@pytest.mark.parametrize(
    "lines",
    [
        # The noise is conditioned on: what is left of it is no Gaussian.
        ["z = discrete_gaussian(2)", "if x + z > 0:", "    announce(x + z)"],
        ["z = discrete_gaussian(2)", "announce(max(0, x + z))"],
        # It is used twice: the difference tells x.
        ["z = discrete_gaussian(2)", "announce(x + z)", "announce(z)"],
        ["z = discrete_gaussian(2)", "announce(x + z)", "announce('high' if z > 3 else 'low')"],
        # Its scale depends on the secret, or the multiple does.
        ["announce(discrete_gaussian(1 + x))"],
        ["announce((1 + x) * discrete_gaussian(2))"],
        # A letter without noise, a hidden draw, or the number of letters does.
        ["announce(x + discrete_gaussian(2))", "announce(x)"],
        ["if flip('1/2' if x else '1/3'):", "    announce('a')", "announce(x + discrete_gaussian(2))"],
        ["announce(x + discrete_gaussian(2))", "if x:", "    announce('end of it')"],
        ["announce(x + discrete_gaussian(2))", "announce(x + discrete_laplace(2))"],
        # A distance that depends on what was announced.
        ["z = discrete_gaussian(2)", "announce(z)", "announce(x * z + discrete_gaussian(2))"],
        # Two probabilities may lie in the same enclosure and differ.
        ["if discrete_gaussian(3) > 0:", "    announce('a')", "else:", "    announce(x + discrete_gaussian(2))"],
        # Without end.
        ["while True:", "    announce(x + discrete_gaussian(2))"],
    ],
)
def test_nothing_is_said_of_other_programs(lines: list[str]) -> None:
    assert rho(*lines) is None


def test_an_irrational_scale_is_rounded_down() -> None:
    found = rho("announce(x + discrete_gaussian(sqrt(2)))")
    assert found is not None
    assert Fraction(1, 4) <= found < Fraction(1, 4) + Fraction(1, 10**60)


def numeric(distance: int, sigma: float, order: float) -> float:
    """The divergence of a discrete Gaussian from a shifted one, by summing."""
    whole = math.fsum(math.exp(-(z * z) / (2 * sigma * sigma)) for z in range(-200, 201))
    terms = (
        math.exp(-(order * z * z + (1 - order) * (z - distance) ** 2) / (2 * sigma * sigma)) for z in range(-200, 201)
    )
    return math.log(math.fsum(terms) / whole) / (order - 1)


@pytest.mark.parametrize("sigma", ["1/2", "1", "2", "7/2"])
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_the_bound_holds_of_sums_and_is_reached_at_whole_orders(sigma: str, distance: int) -> None:
    known = rho(f"announce({distance} * x + discrete_gaussian('{sigma}'))")
    assert known == Fraction(distance) ** 2 / (2 * Fraction(sigma) ** 2)
    for order in (1.5, 2.0, 3.0, 2.75):
        found = numeric(distance, float(Fraction(sigma)), order)
        assert found <= order * float(known) + 1e-9
        if order == int(order):
            assert found == pytest.approx(order * float(known), rel=1e-9)


def test_a_profile_says_what_it_rests_on() -> None:
    gaussian = program("def f(x): announce(x + discrete_gaussian(2))")
    curve = dc.profile(gaussian, secrets=COUNTS, epsilons=[0, 1], orders=[2], kl=True, zcdp=True)
    found = curve.zcdp()
    assert found.upper == Fraction(1, 8)
    assert found.lower is not None
    assert found.lower > Fraction("0.12499")
    assert curve.renyi(2).upper == Fraction(1, 4)
    assert curve.kl().upper == Fraction(1, 8)
    for each in (found, curve.renyi(2)):
        assert each.checked.accepted is None
        assert says(str(each), "about discrete Gaussians")
    assert curve.rdp([2]) == ([2.0], [0.25])


@pytest.mark.slow
def test_wide_noise_has_an_answer() -> None:
    gaussian = program("def f(x): announce(x + discrete_gaussian(1000))")
    found = dc.delta(gaussian, secrets=COUNTS, epsilon="1/1000", check=False)
    assert float(found.upper) == pytest.approx(8.33571422e-05, rel=1e-8)
    assert found.upper - found.lower < Fraction(1, 10**15)


def test_wide_laplace_has_tails_in_closed_form() -> None:
    """δ of e^(−|z|/scale) at a distance of one scale, as of the continuous one to eight digits."""
    laplace = program("def f(x): announce(x + discrete_laplace(10000))")
    chain = laplace.chain([{"x": 0}, {"x": 10_000}])
    assert chain.outside == 0
    assert len(chain) == 10_004
    found = dc.delta(chain, epsilon="1/2", check=False)
    assert float(found.upper) == pytest.approx(1 - math.exp(-1 / 4), abs=1e-8)
    assert found.upper - found.lower < Fraction(1, 10**11)
