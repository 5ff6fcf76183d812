"""Sums of noises, gaps and hidden scales: verdicts from above by fine chains, from below by coarse ones."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

import deltachain as dc
from deltachain import Chain, program
from deltachain.model.sandwich import Bounded, Sandwich, close
from deltachain.numbers.exponential import exp_of
from deltachain.programs.language.source import ProgramError
from deltachain.programs.protocol import MOST_APART
from tests.amounts import fewer_or_all
from tests.words import refuses, says

COUNTS = [{"x": 0}, {"x": 1}]
TWICE = "announce(x + discrete_laplace(10) + discrete_laplace({}))"


def of(*lines: str) -> dc.Program:
    return program("def f(x):\n" + "".join(f"    {line}\n" for line in lines))


def verdict(mechanism: dc.Program, epsilon: str, *secrets: dict[str, object]) -> Bounded[dc.Verdict, dc.Verdict]:
    """Whether it is ε-private, at δ = 0: proved of a fine chain, or refuted of a coarse one."""

    def ask(chain: Chain) -> dc.Verdict:
        return dc.check(chain, epsilon=epsilon, delta=0)

    return close(
        mechanism.sandwiches(list(secrets) or COUNTS),
        ask,
        ask,
        lambda above, below: above.verdict == "private" or below.verdict == "violated",
    )


def delta(mechanism: dc.Program, epsilon: str) -> Bounded[dc.Delta, dc.Delta]:
    return close(
        mechanism.sandwiches(COUNTS),
        lambda chain: dc.delta(chain, epsilon=epsilon),
        lambda chain: dc.delta(chain, epsilon=epsilon),
        lambda above, below: above.value == below.value is not None,
    )


SUMS = [
    ([TWICE.format(10)], "1/10"),
    ([TWICE.format(5)], "1/10"),
    ([TWICE.format(20)], "1/20"),
    (["announce(x + sum(discrete_laplace(10) for _ in range(3)))"], "1/10"),
]
HIDDEN_SCALE = ["announce(x + discrete_laplace(1 if flip('1/2') else 2))"]


@pytest.mark.parametrize(("lines", "private"), [*SUMS, (HIDDEN_SCALE, "1")])
def test_sums_and_hidden_scales_are_private_at_their_epsilon(lines: list[str], private: str) -> None:
    found = verdict(of(*lines), private)
    assert found.settled
    assert (found.upper.verdict, found.lower.verdict) == ("private", "private")


@pytest.mark.parametrize(("lines", "private"), SUMS)
def test_the_least_pure_epsilon_of_a_sum_is_that_of_its_largest_noise(lines: list[str], private: str) -> None:
    """It is attained in the limit alone, by the first letter of a tail."""
    sandwich = of(*lines).sandwich(COUNTS)
    found = dc.epsilon(sandwich.fine, delta=0)
    assert found.epsilon == Fraction(private)
    assert says(str(found), "exactly, and for")
    # The word "≥ …·1" has that ratio, and it is no inner letter.
    first = next(letter for letter in sandwich.merged if letter.startswith("≥") and letter.endswith("·1"))
    one, other = (sandwich.fine.points[start][0] for start in (0, 1))
    (state,) = sandwich.fine.by_label[first]
    assert first not in sandwich.inner
    assert dict(other)[state] / dict(one)[state] == exp_of(Fraction(private))
    # A little less is refuted by what the mechanism shows.
    refuted = verdict(of(*lines), str(Fraction(private) * Fraction(3, 4)))
    assert refuted.settled
    assert refuted.lower.verdict == "violated"


def test_inner_letters_are_between_the_first_and_the_last() -> None:
    assert of(TWICE.format(10)).sandwich(COUNTS).keeps_ratios
    three = of("announce(x + sum(discrete_laplace(10) for _ in range(3)))").sandwich(COUNTS)
    assert three.inner == {letter for letter in three.merged if letter.endswith("·2")}
    assert len(three.inner) == 2


@pytest.mark.parametrize(
    ("line", "epsilon", "value"),
    [
        (TWICE.format(10), "1/20", 0.004723221722822528),
        (TWICE.format(10), "2/25", 9.549913632781656e-05),
        (TWICE.format(5), "1/20", 0.011431545675777447),
        (TWICE.format(20), "1/40", 0.0056301744511396586),
    ],
)
def test_delta_is_exact_where_both_meet(line: str, epsilon: str, value: float) -> None:
    found = delta(of(line), epsilon)
    assert found.settled
    assert float(found.upper.upper) == pytest.approx(value, abs=1e-15)
    assert found.upper.value == found.lower.value


@fewer_or_all("apart, least, most", (32, "0.0029824", "0.0029915"), (100, "0.0029835718", "0.0029835875"))
def test_a_divergence_lies_between(apart: int, least: str, most: str) -> None:
    sandwich = of(TWICE.format(10)).sandwich(COUNTS, apart=apart)
    above, below = (dc.profile(chain, orders=[2]).renyi(2) for chain in (sandwich.fine, sandwich.coarse))
    assert below.lower is not None
    assert above.upper is not None
    assert Fraction(least) < below.lower <= above.upper < Fraction(most)


# Ever narrower ones.


def test_twice_as_many_are_told_apart_each_time() -> None:
    sizes = [len(sandwich.fine) for sandwich in of(TWICE.format(10)).sandwiches(COUNTS)]
    assert [after - before for before, after in pairwise(sizes)] == [14, 16, 32, 64, 128, 256]
    # A tail of two letters begins at −1 and 3 at least, where neither corner is negative.
    assert sizes[-1] - sizes[0] == 2 * MOST_APART - 2


def test_one_ratio_is_one_exact_chain() -> None:
    (found,) = of("announce(x + discrete_laplace(10))").sandwiches(COUNTS)
    assert found.exact
    assert found.coarse is found.fine
    assert found.fine == of("announce(x + discrete_laplace(10))").chain(COUNTS)


def test_options_are_those_of_chains() -> None:
    three = [{"x": 0}, {"x": 1}, {"x": 2}]
    sandwich = of(TWICE.format(10)).sandwich(three, neighbours="linf 1")
    assert sandwich.fine.pairs == sandwich.coarse.pairs == (("x=0", "x=1"), ("x=1", "x=2"))
    assert isinstance(sandwich, Sandwich)
    with refuses(ProgramError, "more than"):
        of(TWICE.format(10)).sandwich(three, max_states=4)


@pytest.mark.parametrize(
    ("lines", "whole"),
    [
        (["announce((x + geometric('1/2')) % 3)"], True),
        (["announce(x + geometric('1/2'))"], True),
        (["announce((1 + x) * geometric('1/2', tail='1e-3'))"], False),
        (["announce(x + discrete_gaussian(1, tail='1e-3'))"], False),
    ],
)
def test_what_is_not_followed_is_cut_off_if_that_is_allowed(lines: list[str], whole: bool) -> None:
    mechanism = of(*lines)
    found = mechanism.sandwich(COUNTS, cut_off=True)
    assert found.exact
    assert found.fine == mechanism.chain(COUNTS)
    assert found.fine.whole is whole
    if whole:
        assert mechanism.sandwich(COUNTS) == found
    else:
        with pytest.raises(ProgramError, match="not followed exactly"):
            mechanism.sandwich(COUNTS)


def test_nothing_is_cut_off_where_it_need_not_be() -> None:
    assert of(*HIDDEN_SCALE).sandwich(COUNTS, cut_off=True) == of(*HIDDEN_SCALE).sandwich(COUNTS)
    assert of(*HIDDEN_SCALE).sandwich(COUNTS).merged
