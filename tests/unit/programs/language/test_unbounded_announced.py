"""Noise that is announced as a multiple, a quotient or a rounded number: exactly, or with an interval that is right."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import pytest

import deltachain as dc
from deltachain import Chain
from tests.amounts import fewer_or_all
from tests.reference.announced_noise import delta_between, random_program, words
from tests.words import says

COUNTS = [{"x": 0}, {"x": 1}]
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(3))


def written(*lines: str) -> str:
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def compiled(*lines: str) -> tuple[Chain, tuple[str, ...]]:
    return dc.program(written(*lines)).chain_with_notes(COUNTS)


# Golden values.

EIGHTHS = (
    ("announce((x + discrete_laplace(10)) // 8)", {"≤ -1", "0", "≥ 1"}),
    ("announce(8 * ((x + discrete_laplace(10)) // 8))", {"≤ -8", "0", "≥ 8"}),
    ("n = x + discrete_laplace(10)", "announce(n - n % 8)", {"≤ -8", "0", "≥ 8"}),
    ("announce(3 - (x + discrete_laplace(10)) // 8)", {"≤ 2", "3", "≥ 4"}),
)


@pytest.mark.parametrize("given", EIGHTHS)
def test_quotients_and_roundings_are_exact(given: tuple[object, ...]) -> None:
    *lines, labels = given
    chain, notes = compiled(*map(str, lines))
    assert set(chain.labels) == {*labels, "start", "end"}  # type: ignore[misc]
    assert any("this is exact" in note for note in notes)
    found = dc.delta(chain, epsilon="1/20")
    assert found.exact
    assert float(found.upper) == pytest.approx(0.0231670384008, abs=1e-13)
    assert dc.delta(chain, epsilon="1/10").upper == 0
    assert dc.delta(chain, epsilon="0.0999").lower > 0


@pytest.mark.parametrize("shown", ["2 * (x + z)", "-3 * (z - x) + 1", "-((x + z) // -1)", "2 * (x + z) // 2"])
def test_multiples_say_what_the_number_says(shown: str) -> None:
    chain, _ = compiled("z = discrete_laplace(10)", f"announce({shown})")
    plain, _ = compiled("announce(x + discrete_laplace(10))")
    for epsilon in ("0", "1/20"):
        found = dc.delta(chain, epsilon=epsilon)
        assert found.exact
        assert found.lower == dc.delta(plain, epsilon=epsilon).lower
    assert dc.delta(chain, epsilon="1/10").upper == 0


@pytest.mark.parametrize("shown", ["max(0, (x + z) // 8)", "min(3, max(0, 8 * ((x + z) // 8)))", "(x + z) // 8 > 2"])
def test_rounded_noise_is_clamped_and_compared_exactly(shown: str) -> None:
    chain, _ = compiled("z = discrete_laplace(10)", f"announce({shown})")
    assert chain.whole
    assert dc.delta(chain, epsilon="0").exact
    assert dc.delta(chain, epsilon="1/10").upper == 0


def test_multiples_beside_kept_noise_are_exact() -> None:
    lines = ("bar = discrete_laplace(2)", "announce(x >= bar)", "announce(2 * (x + discrete_laplace(4)))")
    chain, notes = compiled(*lines, "announce(x >= bar)")
    assert any("followed exactly" in note for note in notes)
    assert chain.whole
    assert dc.delta(chain, epsilon="3/4").upper == 0
    assert dc.delta(chain, epsilon="0").exact


# What one letter for a tail needs.


@pytest.mark.parametrize(
    "lines",
    [
        # An odd number is no double.
        ("announce((1 + x) * geometric('1/3', tail='1e-6'))",),
        # Doubles, and doubles plus 1.
        ("announce(2 * geometric('1/3', tail='1e-6') + x)",),
        # Steps of different lengths.
        ("announce(geometric('1/3', tail='1e-6') // (2 + x))",),
        ("announce(geometric('1/3', tail='1e-6') // 2 * (2 + x))",),
        # A coin that nobody sees chooses between them.
        ("c = flip('1/3')", "z = geometric('1/3', tail='1e-6')", "announce(2 * z if c else z + x)"),
        # The number of letters does not tell which is next.
        ("if flip('1/2'):", "    announce('a')", "announce((1 + x) * geometric('1/3', tail='1e-6'))"),
    ],
)
def test_where_the_number_tells_more_than_a_tail_it_is_cut_off(lines: tuple[str, ...]) -> None:
    chain, notes = compiled(*lines)
    said = "announced noise is multiplied or rounded differently, or shifted to other remainders (line "
    assert any(said in note and says(note, "of it nothing") for note in notes)
    assert not any(label[0] in "≤≥" for label in chain.labels)
    assert_right(written(*lines))


def test_what_is_said_where_either_may_be_in_the_way() -> None:
    _, notes = compiled(
        "announce(x + geometric('1/3', tail='1e-3'))", "announce((1 + x) * geometric('1/4', tail='1e-3'))"
    )
    said = "announced noise has tails of different ratios, or is multiplied or rounded differently (lines 2, 3)"
    assert any(said in note and says(note, "one scale and") for note in notes)


def test_an_odd_number_refutes() -> None:
    """P(odd) = 2r/(1 + r)² = 3/8 for 2·z against z: the numbers tell it, tails would not."""
    chain, _ = compiled("announce((1 + x) * geometric('1/3'))")
    for epsilon in ("0", "1", "5"):
        assert float(dc.delta(chain, epsilon=epsilon).lower) >= 0.375 - 1e-12


def test_the_number_of_letters_tells_what_is_announced() -> None:
    chain, notes = compiled("z = geometric('1/3')", "announce((x + z) // 2)", "announce(3 * (x + geometric('1/3')))")
    assert chain.step_by_step
    assert chain.whole
    assert any(says(note, "every letter of") for note in notes)
    assert dc.delta(chain, exp_epsilon=9).upper == 0


@pytest.mark.parametrize("limit", range(-3, 5))
@pytest.mark.parametrize("test", ["z >= {}", "z < {}"])
def test_noise_that_begins_amid_a_step(limit: int, test: str) -> None:
    """The first step has fewer outcomes than the others, so that it belongs to no tail."""
    text = f"def f(x):\n    z = geometric('1/3')\n    announce((z - x) // 3 if {test.format(limit)} else 'none')\n"
    assert dc.program(text).chain(COUNTS).whole
    assert_right(text)


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        ("(x + z) / 2", "a fraction of noise is announced (line 3)"),
        ("3 * (x + z) // 2", "a multiple of noise is rounded to another multiple (line 3)"),
        ("(x + z, 1)", "noise is announced together with something else (line 3)"),
    ],
)
def test_what_is_said_of_other_forms(shown: str, why: str) -> None:
    _, notes = compiled("z = geometric('1/3', tail='1e-6')", f"announce({shown})")
    assert any(says(note, "smaller tail= leaves") for note in notes)


def test_numbers_far_apart_are_few_letters() -> None:
    chain, _ = compiled("announce(10**9 * (x + discrete_laplace(10)))")
    assert set(chain.labels) == {"start", "end", "≤ 0", f"≥ {10**9}"}


# Against enumeration.


def assert_right(text: str) -> bool:
    """The tool's interval of δ meets that of the enumeration; whether nothing was cut off."""
    chain = dc.program(text).chain(COUNTS)
    ratios = re.findall(r"geometric\('([^']+)'", text)
    one, other = (words(text, x, ratios) for x in (0, 1))
    for alpha in ALPHAS:
        found = dc.delta(chain, exp_epsilon=alpha)
        low, high = map(max, zip(delta_between(one, other, alpha), delta_between(other, one, alpha), strict=True))
        assert low <= found.upper, text
        assert found.lower <= high, text
        # Certified where nothing is cut off, the value is narrower than the enumeration.
        assert not chain.whole or found.exact, text
    return chain.whole


@fewer_or_all("first, number, least", (0, 100, 50), (1000, 2000, 1000))
def test_random_programs_are_what_enumeration_says(first: int, number: int, least: int) -> None:
    found = [assert_right(random_program(Random(seed))) for seed in range(first, first + number)]
    assert sum(found) >= least
