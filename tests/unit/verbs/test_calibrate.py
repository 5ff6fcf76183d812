"""The best value of a parameter: proved there, refuted at its neighbour; what is open, or not monotone, is said."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deltachain as dc
from deltachain.beliefs.question import Terms
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.results.calibration import Goal
from deltachain.verbs.calibrate import calibration_of, read_parameter

GAUSS = dc.program("def gauss(count, sigma=1): announce(count + discrete_gaussian(sigma))")
COUNTS = [{"count": 0}, {"count": 1}]


def test_the_smallest_gaussian_noise() -> None:
    found = dc.calibrate(GAUSS, parameter="sigma=4:5", step="1/1000", secrets=COUNTS, epsilon=1, delta="1e-6")
    assert (found.best, found.refuted, found.goal) == (Fraction("4.231"), Fraction("4.23"), "smallest")
    assert found.proof is not None
    assert found.refutation is not None
    assert found.proof.upper < Fraction("9.9926e-7")
    assert found.refutation.lower > Fraction("1.0026e-6")
    for value, verdict in ((found.best, found.proof), (found.refuted, found.refutation)):
        chain = GAUSS.chain(COUNTS, constants={"sigma": value})
        assert dc.verify(chain, verdict.certificate)
    assert "assumes that privacy is monotone in the parameter" in found.headline


def test_the_largest_parameter_of_a_survey() -> None:
    found = dc.calibrate("example:survey", parameter="p=1/2:1", step="1e-6", epsilon=1, delta="1/100")
    assert (found.best, found.refuted) == (Fraction("0.733747"), Fraction("0.733748"))
    assert found.goal == "largest"
    assert len(found.tried) < 25


def test_every_value_assumes_nothing() -> None:
    grid = "p=51/100:99/100"
    found = dc.calibrate("example:survey", parameter=grid, step="1/100", exp_epsilon=3, delta="1/20", every=True)
    assert (found.best, found.refuted) == (Fraction("0.76"), Fraction("0.77"))
    assert len(found.tried) == 49
    assert not found.monotone_assumed
    assert "assumes" not in found.headline


def test_laplace_truncated_and_rounded() -> None:
    text = """
def truncated(count, bound=0):
    cut = exp(-bound) if bound > 0 else 1 / (1 + 500 * (exp(1) - 1))
    last = int(bound + Fraction(1, 2)) if bound > 0 else 7
    weights = {0: 2 - 2 * exp(Fraction(-1, 2))}
    for k in range(1, last + 1):
        w = exp(Fraction(1, 2) - k) - (cut if k == last else exp(Fraction(-1, 2) - k))
        weights = weights | {k: w, -k: w}
    announce(count + choose(weights=weights))
"""
    program = dc.program(text)
    found = dc.calibrate(program, parameter="bound=6:7:1/100", secrets=COUNTS, epsilon=1, delta="1/1000")
    assert (found.best, found.refuted) == (Fraction("6.76"), Fraction("6.75"))
    # At B = ln(1 + 500(e − 1)), which is e^-B = 1/(1 + 500(e − 1)), δ is what was asked for.
    assert dc.delta(program, secrets=COUNTS, epsilon=1).value == Fraction(1, 1000)


class Verdict:
    """A verdict, as far as the search looks at it."""

    def __init__(self, verdict: str) -> None:
        self.verdict, self.lower, self.upper = verdict, Fraction(0), Fraction(1)
        self.checked, self.covers = "checked", "for all pairs"


TERMS = Terms.read(epsilon=1, allowed="1/10")


def searched(verdicts: str, goal: Goal | None = None, every: bool = False):  # type: ignore[no-untyped-def]
    """The calibration over 0, 1, … with these verdicts, p, v or u."""
    names = {"p": "private", "v": "violated", "u": "undecided"}
    values = [Fraction(i) for i in range(len(verdicts))]
    return calibration_of(TERMS, "x", values, goal, every, lambda x: Verdict(names[verdicts[int(x)]]), Cancel())


@given(st.integers(0, 30), st.integers(0, 30), st.booleans(), st.booleans())
def test_bisection_finds_what_examining_all_finds(private: int, violated: int, turned: bool, every: bool) -> None:
    verdicts = "p" * (private + 1) + "v" * (violated + 1)
    found = searched(verdicts[::-1] if turned else verdicts, every=every)
    border = violated + 1 if turned else private
    assert found.best == border
    assert found.refuted == (border - 1 if turned else border + 1)
    assert found.goal == ("smallest" if turned else "largest")
    assert found.monotone_assumed is not every


def test_ends_that_agree_are_not_searched() -> None:
    both = searched("pvp")
    assert (both.best, both.refuted, len(both.tried)) == (None, None, 2)
    assert both.headline.startswith("PRIVATE at both ends: x = 0 and 2; nothing was searched")
    neither = searched("vpv")
    assert neither.headline.startswith("VIOLATED at both ends: x = 0 and 2; nothing was searched")
    assert searched("pvp", goal="smallest").best == 0
    assert "it is the end of the grid" in searched("ppp", goal="largest").headline
    assert searched("vpv", every=True, goal="smallest").best == 1


def test_undecided_counts_as_not_proved() -> None:
    found = searched("vvuupp")
    assert (found.best, found.refuted) == (4, None)
    assert not found.whole
    assert found.undecided == (2, 3) or found.undecided == (3,)
    assert "UNDECIDED at x = " in found.headline
    assert searched("uuu").headline == "UNDECIDED: no value is proved; open: x = 0, 2"
    assert "Privacy is not monotone" in str(searched("pvpv", every=True).sections()[-1])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x", "cannot be read"),
        ("x=", "cannot be read"),
        ("x=1", "1 values: there is nothing to choose"),
        ("x=2:1", "fewer than two values"),
        ("x=1:2:0", "fewer than two values"),
        ("x=1:2:1e-30", "at most 1,000,000,000,000"),
        ("x=1:b", "not a number"),
        ({"x": [1], "y": [2]}, "2 parameters"),
    ],
)
def test_refusals(given: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_parameter(given)
    with pytest.raises(InputError, match="has no step"):
        read_parameter("x=1,2", step=1)
    with pytest.raises(InputError, match="a chain has no parameters"):
        dc.calibrate(dc.examples.coin(), parameter="x=1:2", epsilon=1, delta=0)  # type: ignore[arg-type]


def test_a_grid_is_not_written_out() -> None:
    name, values = read_parameter("x=0:1:1/1000000000")
    assert (name, len(values), values[-1], values[1]) == ("x", 10**9 + 1, 1, Fraction(1, 10**9))
    assert read_parameter({"x": [3, "1/2"]}) == ("x", [Fraction(1, 2), Fraction(3)])
