"""Phase letters: tails as several letters, between whose two chains the mechanism lies."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.programs.language.source import ProgramError
from deltachain.programs.noise.laws import noise_of
from deltachain.programs.noise.phases import corners, first_with_corners, roots_of, sign_of, weights
from tests.amounts import fewer_or_all
from tests.reference.announced_noise import delta_between, words
from tests.reference.summed_noise import random_sums
from tests.reference.windowed_laws import number, rational, tabulated
from tests.words import refuses, says

COUNTS = [{"x": 0}, {"x": 1}]
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))
HALF, THIRD = rational(Fraction(1, 2)), rational(Fraction(1, 3))


def between(text: str, *secrets: dict[str, object], apart: int = 0, **constants: object) -> tuple[Chain, Chain]:
    """The fine and the coarse chain of a program, or of the lines of one."""
    whole = text if text.startswith("def") else f"def f(x):\n    {text}\n"
    fine, coarse, _ = program(whole).fine_and_coarse(list(secrets) or COUNTS, constants=constants, apart=apart)
    assert fine.given == coarse.given
    return fine, coarse


def met(fine: Chain, coarse: Chain, epsilon: str) -> float:
    """δ, which both chains have."""
    upper, lower = dc.delta(fine, epsilon=epsilon), dc.delta(coarse, epsilon=epsilon)
    assert upper.value == lower.value is not None
    return float(upper.upper)


def pure(chain: Chain) -> float:
    """The least pure ε, rounded up."""
    found = dc.epsilon(chain, delta=0).epsilon
    assert found is not None
    return float(found)


# Corners.


def test_corners_are_those_of_the_definition() -> None:
    """C_m is the first value, C_1 of a law of one ratio is 0 but for the last differences."""
    law = noise_of(HALF).plus_noise(HALF).plus_noise(THIRD)
    roots = roots_of([law.up], 1)
    assert roots == (HALF, HALF, THIRD)
    values = tabulated(law)
    at = [values[n] for n in range(5, 8)]
    first = [b - a / 3 for a, b in pairwise(at)]
    expected = [first[1] - first[0] / 2, first[0], at[0]]
    assert [number(corner) for corner in corners(law, 5, roots)] == expected
    # 1/((1 − 1/2)²(1 − 1/3)), 1/((1 − 1/2)(1 − 1/3)) and 1/(1 − 1/3)
    shares = (Fraction(6), Fraction(3), Fraction(3, 2))
    found = [number(weight) for weight in weights(law, 5, roots)]
    assert found == [share * corner for share, corner in zip(shares, expected, strict=True)]
    assert sum(found) == number(law.where(1, -5).mass())


def test_a_tail_begins_where_no_corner_is_negative() -> None:
    """(d + 1)·2^-d − 3·3^-d and the like: the sign of the leading term comes through late."""
    law = noise_of(HALF).plus_noise(HALF).minus(noise_of(THIRD).scale_by(noise_of(THIRD).mass()))
    roots = roots_of([law.up], 1)
    first = first_with_corners(law, 0, roots, 1)
    assert first > 0
    assert min(sign_of(corner, 1) for corner in corners(law, first - 1, roots)) < 0
    assert all(sign_of(corner, 1) >= 0 for corner in corners(law, first, roots))


# Golden values.

TWICE = "announce(x + discrete_laplace(10) + discrete_laplace(10))"
THREE = "announce(x + discrete_laplace(10) + discrete_laplace(10) + discrete_laplace(10))"
UNEQUAL = "announce(x + discrete_laplace(10) + discrete_laplace({}))"


@pytest.mark.parametrize(
    ("text", "epsilon", "apart", "delta", "least"),
    [
        (TWICE, "1/20", 16, 0.004723221722822528, 0.1),
        pytest.param(TWICE, "2/25", 60, 9.549913632781656e-05, 0.1, marks=pytest.mark.slow),
        (THREE, "1/20", 40, 0.0017988128958619793, 0.1),
        (UNEQUAL.format(5), "1/20", 16, 0.011431545675777447, 0.1),
        (UNEQUAL.format(20), "1/40", 16, 0.0056301744511396586, 0.05),
        ("announce(x + discrete_laplace(1 if flip('1/2') else 2))", "1", 0, 0, 0.797289074122),
    ],
)
def test_sums_of_noise(text: str, epsilon: str, apart: int, delta: float, least: float) -> None:
    fine, coarse = between(text, apart=apart)
    assert met(fine, coarse, epsilon) == pytest.approx(delta, abs=1e-15)
    assert pure(fine) == pytest.approx(least, abs=1e-9)
    assert pure(coarse) <= pure(fine)


def test_the_more_letters_are_told_apart_the_closer_the_two_chains() -> None:
    widths = []
    for apart in (0, 4, 8, 16):
        fine, coarse = between(TWICE, apart=apart)
        upper, lower = dc.delta(fine, epsilon="1/20").upper, dc.delta(coarse, epsilon="1/20").lower
        assert lower <= 0.004723221722822529
        assert upper >= 0.004723221722822527
        widths.append(upper - lower)
    assert widths[0] > widths[1] > widths[2] > widths[3]
    assert widths[3] < Fraction(1, 10**30)


GAP = """def gap(answers, broken=""):
    bar = 0 if broken == "bar" else discrete_laplace(4)
    for answer in answers:
        z = answer if broken == "answers" else answer + discrete_laplace(8)
        if z >= bar:
            announce(z if broken == "value" else z - bar)
            return
        announce("below")
"""


def answers(one: str) -> tuple[dict[str, object], dict[str, object]]:
    """The answers, and with 0 and 1 in each other's place."""
    digits = tuple(map(int, one))
    return {"answers": digits}, {"answers": tuple(1 - digit for digit in digits)}


def test_the_gap_is_announced() -> None:
    fine, coarse = between(GAP, *answers("01"), apart=3)
    assert met(fine, coarse, "0") == pytest.approx(0.0418811013284261, abs=1e-15)
    assert met(fine, coarse, "1/4") == 0
    fine, coarse = between(GAP, *answers("001"), apart=3)
    assert met(fine, coarse, "1/4") == pytest.approx(0.0052980091134396, abs=1e-15)
    fine, coarse = between(GAP, *answers("00001"))
    assert met(fine, coarse, "1/4") == pytest.approx(0.0057017274151675, abs=1e-15)
    assert met(fine, coarse, "1/2") == 0
    assert pure(fine) == pytest.approx(0.429840032, abs=1e-9)


def test_the_gap_of_ten_answers() -> None:
    fine, _ = between(GAP, *answers("0000000001"))
    assert dc.delta(fine, epsilon="1/2").upper == 0
    assert pure(fine) == pytest.approx(0.496483561, abs=1e-9)


@pytest.mark.parametrize(
    ("broken", "apart", "delta", "least"),
    [
        ("bar", 0, 0.0030146071332719, 0.625),
        ("value", 4, 0.0003939523374095, 0.625),
        ("answers", 0, 0.0968462151569989, None),
    ],
)
def test_broken_gaps_are_refuted(broken: str, apart: int, delta: float, least: float | None) -> None:
    fine, coarse = between(GAP, *answers("00001"), apart=apart, broken=broken)
    assert met(fine, coarse, "1/2") == pytest.approx(delta, abs=1e-15)
    assert dc.epsilon(fine, delta=0).epsilon is None if least is None else pure(fine) == least


LARGEST = """def largest(answers):
    best = answers[0] + discrete_laplace(8)
    index = 0
    for i in range(1, len(answers)):
        z = answers[i] + discrete_laplace(8)
        if z > best:
            best = z
            index = i
    announce(index)
    announce(best)
"""


@pytest.mark.parametrize(
    ("pair", "deltas", "least"),
    [
        ("00", (0.0624187467475125, 0.0331574233465213, 0), 0.25),
        ("000", (0.0555636881360362, 0.0331574233465213, 0.0176135340785939), 0.375),
        ("011", (0.0734138802715468, 0.0213846072573904, 0.0023744664263361), 0.322329312),
    ],
)
def test_index_and_value_of_the_largest(pair: str, deltas: tuple[float, ...], least: float) -> None:
    fine, coarse = between(LARGEST, *answers(pair), apart=4)
    for eighths, delta in enumerate(deltas):
        assert met(fine, coarse, f"{eighths}/8") == pytest.approx(delta, abs=1e-15)
    assert pure(fine) == pytest.approx(least, abs=1e-9)


# What they are between.


def test_letters_say_what_they_stand_for() -> None:
    fine, coarse, notes = program(f"def f(x):\n    {TWICE}\n").fine_and_coarse(COUNTS)
    assert set(fine.labels) - set(coarse.labels) == {"≤ 0·1", "≤ 0·2", "≥ 3·1", "≥ 3·2"}
    assert says(notes[0], "reveal at least")
    assert fine.outputs["≥ 3·2"] == coarse.outputs["≥ 3"]


def test_one_ratio_is_one_letter() -> None:
    fine, coarse = between("announce(x + discrete_laplace(10))")
    assert (
        fine.labels
        == coarse.labels
        == program("def f(x):\n    announce(x + discrete_laplace(10))\n").chain(COUNTS).labels
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("announce((1 + x) * discrete_laplace(1))", "multiplied or rounded differently"),
        ("a = discrete_laplace(1)\n    announce(a)\n    announce(a % 2)", "`%` is applied to noise that was announced"),
        ("announce(x + discrete_gaussian(1))", "no exact geometric tails"),
        ("announce(x)\n    announce((1 + x) * geometric('1/2'))", "differently"),
    ],
)
def test_what_has_no_letters(text: str, why: str) -> None:
    with refuses(ProgramError, "not followed exactly"):
        between(text)


@pytest.mark.parametrize(
    "shown",
    [
        "announce(x + a + b if c else x + b)",
        "announce(x + a + b if c else 'none')",
        "a += b\n    if c:\n        announce('first')\n    announce(x + a)",
        "announce(x + a - b if c else 7)\n    announce(c)",
        "announce(x + a if a >= b else b)",
        "announce(x - 2 * a - 2 * b if x == 0 else 3 + 2 * a + 2 * b)\n    announce(c)",
    ],
)
def test_what_hidden_coins_choose_lies_between(shown: str) -> None:
    draws = "c = flip('1/3')\n    a = geometric('1/4')\n    b = geometric('1/8')"
    assert is_between(f"def f(x):\n    {draws}\n    {shown}\n") is ("2 *" not in shown)


def is_between(text: str, apart: int = 0) -> bool:
    """Whether a program has two chains, with what enumeration says between them; False if it is not followed."""
    try:
        fine, coarse, _ = program(text).fine_and_coarse(COUNTS, apart=apart)
    except ProgramError:
        return False
    ratios = re.findall(r"geometric\('([^']+)'", text)
    one, other = (words(text, x, ratios) for x in (0, 1))
    for alpha in ALPHAS:
        upper, lower = dc.delta(fine, exp_epsilon=alpha), dc.delta(coarse, exp_epsilon=alpha)
        least, most = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        assert least <= upper.upper, text
        assert lower.lower <= most, text
        assert lower.lower <= upper.upper, text
    return True


@fewer_or_all("first, number, least", (0, 60, 10), (100, 2000, 400))
def test_random_sums_lie_between(first: int, number: int, least: int) -> None:
    found = [is_between(random_sums(Random(seed)), apart=seed % 3) for seed in range(first, first + number)]
    assert sum(found) >= least
