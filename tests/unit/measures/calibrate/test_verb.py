"""The best value of a parameter: proved there, refuted at its neighbour; what is open, or not monotone, is said."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deltachain as dc
from deltachain.beliefs.question import Terms
from deltachain.cancel import Cancel
from deltachain.errors import InputError, Stopped
from deltachain.measures.calibrate.show import Goal
from deltachain.measures.calibrate.verb import Examined, KnownBorder, calibration_of, read_parameter
from deltachain.results.scope import ALONE
from tests.amounts import fewer_or_all
from tests.words import refuses, says

GAUSS = dc.program("def gauss(count, sigma=1): announce(count + discrete_gaussian(sigma))")
COUNTS = [{"count": 0}, {"count": 1}]
SURVEY = "def survey(truth: bool, p='3/4'): announce(truth if flip(p) else not truth)"


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
    assert says(found.headline, "assumes that privacy")


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


@fewer_or_all("bounds", "6.7:6.8", "6:7")
def test_laplace_truncated_and_rounded(bounds: str) -> None:
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
    found = dc.calibrate(program, parameter=f"bound={bounds}:1/100", secrets=COUNTS, epsilon=1, delta="1/1000")
    assert (found.best, found.refuted) == (Fraction("6.76"), Fraction("6.75"))
    # At B = ln(1 + 500(e − 1)), which is e^-B = 1/(1 + 500(e − 1)), δ is what was asked for.
    assert dc.delta(program, secrets=COUNTS, epsilon=1).value == Fraction(1, 1000)


class Verdict:
    """A verdict, as far as the search looks at it."""

    def __init__(self, verdict: str) -> None:
        self.verdict, self.bounds = verdict, (Fraction(0), Fraction(1))
        self.checked, self.covers, self.covered = "checked", "for all pairs", {"pairs": 1}
        self.interrupted, self.scope = False, ALONE


TERMS = Terms.read(epsilon=1, allowed="1/10")


def searched(
    verdicts: str, goal: Goal | None = None, every: bool = False, border: Fraction | None = None
) -> dc.Calibration:
    """The calibration over 0, 1, … with these verdicts, p, v or u; from ``border`` on all are known to be violated."""
    names = {"p": "private", "v": "violated", "u": "undecided"}
    values = [Fraction(i) for i in range(len(verdicts))]

    def examine(x: Fraction) -> Examined:
        return Examined(Verdict(names[verdicts[int(x)]]))  # type: ignore[arg-type]

    return calibration_of(
        TERMS, "x", values, goal, every, examine, Cancel(), lambda _: None if border is None else KnownBorder(border)
    )


@given(st.integers(0, 30), st.integers(0, 30), st.booleans(), st.booleans())
def test_bisection_finds_what_examining_all_finds(private: int, violated: int, turned: bool, every: bool) -> None:
    verdicts = "p" * (private + 1) + "v" * (violated + 1)
    found = searched(verdicts[::-1] if turned else verdicts, every=every)
    border = violated + 1 if turned else private
    assert found.best == border
    assert found.refuted == (border - 1 if turned else border + 1)
    assert found.goal == ("smallest" if turned else "largest")
    assert found.monotone_assumed is not every


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 3), st.booleans(), st.sampled_from([0, Fraction(1, 3)]))
def test_a_known_border_assumes_nothing(
    private: int, violated: int, early: int, turned: bool, inside: Fraction
) -> None:
    # What is private on the way to the border does not mislead: here every second value is.
    mixed = "".join("pv"[i % 2] for i in range(2 * early))
    verdicts = "p" + mixed + "p" * private + "v" * violated
    border = 2 * early + private + inside
    last = len(verdicts) - 1
    found = searched(verdicts[::-1], border=last - border) if turned else searched(verdicts, border=border)
    best = verdicts.rindex("p")
    if best == 2 * early + private:
        assert found.best == (last - best if turned else best)
        assert not found.monotone_assumed
        assert found.beyond == ((0, last - border) if turned else (border, last))
        assert f"no {'smaller' if turned else 'larger'} value of the grid is private" in found.headline
        assert len(found.tried) <= 4


def test_a_border_that_is_not_sharp() -> None:
    # The value at the border is violated as well: e^ε was rounded up to find it.
    found = searched("pppvvvv", border=Fraction(3))
    assert (found.best, found.refuted, found.beyond) == (2, 3, (3, 6))
    # Undecided there: nothing is claimed of what lies beyond.
    found = searched("ppuvvvv", border=Fraction(2))
    assert (found.best, found.refuted, found.beyond, found.monotone_assumed) == (1, None, None, True)
    found = searched("ppvvvvv", border=Fraction(5))
    assert (found.best, found.refuted, found.beyond, found.monotone_assumed) == (1, 2, None, True)


def test_the_end_of_the_grid_is_not_inside_the_interval_that_is_known_to_be_violated() -> None:
    # δ is a function of the parameter between the ends: at an end that stays undecided privacy is still possible.
    found = searched("pppvvvu", goal="largest", border=Fraction(2))
    assert (found.best, found.refuted, found.beyond, found.monotone_assumed) == (2, 3, None, True)
    assert "no larger value" not in found.headline
    found = searched("uvvvppp", goal="smallest", border=Fraction(4))
    assert (found.best, found.refuted, found.beyond, found.monotone_assumed) == (4, 3, None, True)
    found = searched("pppvvvv", goal="largest", border=Fraction(2))
    assert (found.best, found.refuted, found.beyond, found.monotone_assumed) == (2, 3, (2, 6), False)


COIN = dc.program("def coin(truth: bool, p): announce(truth if flip(p) else not truth)")


def test_where_delta_is_known_as_a_function_nothing_is_assumed() -> None:
    found = dc.calibrate(COIN, parameter="p=1/2:1", step="1e-6", epsilon=1, delta="1/100", accuracy="output == truth")
    assert (found.best, found.refuted) == (Fraction("0.733747"), Fraction("0.733748"))
    assert not found.monotone_assumed
    assert found.beyond is not None
    assert Fraction("0.733747") <= found.beyond[0] < Fraction("0.7337485")
    low, high = (Fraction(repr(end["approx"])) for end in found.to_dict()["beyond"])
    assert found.beyond[0] <= low < high <= found.beyond[1]  # every value between what is printed is violated
    assert [tried.accuracy.lower for tried in found.tried if tried.accuracy] == [tried.value for tried in found.tried]
    assert says(str(found.sections()[0]), "P(output == truth")
    # Noise on all integers is a function of the parameter, too: δ is (1 − e·u)/(1 + u), and smaller u are worse.
    noise = dc.program("def noise(count, u): announce(count + geometric(u))")
    found = dc.calibrate(noise, parameter="u=1/100:99/100:1/100", secrets=COUNTS, epsilon=1, delta=0)
    assert (found.best, found.refuted, found.monotone_assumed) == (Fraction(37, 100), Fraction(9, 25), False)


def test_privacy_that_is_not_monotone_is_found_where_it_ends() -> None:
    # δ at ε = 0 is 12(p − 1/5)(p − 1/2)(p − 4/5) + 1/4: below 3/10, above, below, and above again.
    text = """
def wave(secret: bool, p):
    f = (p - Fraction(1, 5)) * (p - Fraction(1, 2)) * (p - Fraction(4, 5)) * 12 + Fraction(1, 4)
    announce(flip(f) if secret else False)
"""
    wave = dc.program(text)
    found = dc.calibrate(wave, parameter="p=3/20:17/20:1/20", exp_epsilon=1, delta="3/10")
    every = dc.calibrate(wave, parameter="p=3/20:17/20:1/20", exp_epsilon=1, delta="3/10", every=True)
    assert every.best == found.best
    assert every.refuted == found.refuted
    assert says(str(every.sections()[-1]), "is not monotone")
    assert not found.monotone_assumed
    assert len(found.tried) <= 4


def test_accuracy_at_each_value() -> None:
    found = dc.calibrate(
        GAUSS,
        parameter="sigma=1,2,4",
        secrets=COUNTS,
        epsilon=1,
        delta="1/100",
        accuracy="abs(output - count) <= 3",
    )
    for tried in found.tried:
        apart = GAUSS.accuracy("abs(output - count) <= 3", COUNTS, constants={"sigma": tried.value})
        assert tried.accuracy == apart
        assert tried.accuracy is not None
        assert tried.accuracy.secrets == 2
    body = found.to_dict()["tried"][0]["accuracy"]
    assert body["event"] == "abs(output - count) <= 3"
    assert body["lower"]["approx"] <= body["upper"]["approx"]
    with refuses(InputError, "program have an"):
        dc.calibrate("example:survey", parameter="p=0.6,0.7", epsilon=1, delta=0, accuracy="output == 1")
    with refuses(InputError, "no parameter 'sigmas"):
        dc.calibrate(GAUSS, parameter="sigmas=1,2", secrets=COUNTS, epsilon=1, delta=0)


def test_what_was_tried_is_drawn(tmp_path: Path) -> None:
    found = dc.calibrate(COIN, parameter="p=1/2:1:1/10", exp_epsilon=3, delta="1/20")
    found.plot(tmp_path / "tried.svg")
    text = (tmp_path / "tried.svg").read_text()
    assert "<svg" in text
    axes = found.plot()
    assert axes is not None
    drawn = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert drawn["at most"] == [float(tried.value) for tried in found.tried]
    assert drawn["δ = 0.05"]


def test_it_says_what_it_covers() -> None:
    secrets = dc.domain(count=range(4))
    found = dc.calibrate(GAUSS, parameter="sigma=1,4", secrets=secrets, neighbours="l1 1", epsilon=1, delta="1e-3")
    assert says(found.covers)
    assert found.covers in found.headline
    assert found.to_dict()["covers"] == {"pairs": 3, "secrets": 4, "drawn": False, "searches": 3}
    pair = dc.calibrate(GAUSS, parameter="sigma=1,4", secrets=COUNTS, epsilon=1, delta="1e-3")
    assert says(pair.headline, "inputs were examined")


def test_ends_that_agree_are_not_searched() -> None:
    both = searched("pvp")
    assert (both.best, both.refuted, len(both.tried)) == (None, None, 2)
    assert says(both.headline, "nothing was searched")
    neither = searched("vpv")
    assert says(neither.headline, "nothing was searched")
    assert searched("pvp", goal="smallest").best == 0
    assert says(searched("ppp", goal="largest").headline, "of the grid")
    assert searched("vpv", every=True, goal="smallest").best == 1


def test_where_every_value_was_examined_the_headline_is_about_all_of_them() -> None:
    assert says(searched("ppp", every=True).headline, "PRIVATE at all")
    assert says(searched("vvv", every=True).headline, "VIOLATED at all")
    middle = searched("vppv", every=True).headline
    assert says(middle, "values are proved")
    assert says(middle, "say which value")
    assert says(searched("pup", every=True).headline, "UNDECIDED at x")


def test_an_open_value_between_does_not_refute_that_privacy_is_monotone() -> None:
    assert "not monotone" not in str(searched("vup", every=True).sections())
    assert "not monotone" in str(searched("vpuv", every=True, goal="smallest").sections())


def test_undecided_counts_as_not_proved() -> None:
    found = searched("vvuupp")
    assert (found.best, found.refuted) == (4, None)
    assert not found.whole
    assert found.undecided == (2, 3)
    assert says(found.headline, "UNDECIDED at x")
    assert says(searched("uuu").headline)
    assert says(str(searched("pvpv", every=True).sections()[-1]), "is not monotone")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x", "cannot be read"),
        ("x=", "cannot be read"),
        ("x=1", "1 values: there is nothing to choose"),
        ("x=2:1", "'2:1' ends below its start"),
        ("x=1:2:0", "the step 0 is not positive"),
        ("x=1:2:3", "fewer than two values"),
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
    with refuses(InputError, "has no parameters"):
        dc.calibrate(dc.examples.coin(), parameter="x=1:2", epsilon=1, delta=0)  # type: ignore[arg-type]


def test_a_grid_is_not_written_out() -> None:
    name, values = read_parameter("x=0:1:1/1000000000")
    assert (name, len(values), values[-1], values[1]) == ("x", 10**9 + 1, 1, Fraction(1, 10**9))
    assert read_parameter({"x": [3, "1/2"]}) == ("x", [Fraction(1, 2), Fraction(3)])


def interrupted_after(examined: int) -> Cancel:
    """A token that is interrupted when so many values were examined."""
    cancel = Cancel(report=lambda text: cancel.interrupt() if f", {examined + 1} values examined" in text else None)
    return cancel


@pytest.mark.parametrize(
    ("examined", "every", "best", "said"),
    [
        (1, False, None, "UNDECIDED: interrupted; only p = 0.5 (1/2) (private) was examined for the pair"),
        (2, True, None, "UNDECIDED: interrupted; only p = 0.5 (1/2) (private), 0.51 (51/100) (private) were examined"),
        (2, False, Fraction(1, 2), "; 0.05 is allowed; interrupted: larger values may be private, too"),
    ],
)
def test_a_search_that_is_cut_off_tells_what_was_found(
    examined: int, every: bool, best: Fraction | None, said: str
) -> None:
    asked = {"parameter": "p=1/2:99/100:1/100", "exp_epsilon": 3, "delta": "1/20", "every": every}
    cancel = interrupted_after(examined)
    found = dc.calibrate(dc.program(SURVEY), **asked, cancel=cancel)
    assert (found.best, found.refuted, found.stopped, len(found.tried)) == (best, None, "interrupted", examined)
    assert said in found.headline
    assert "it is the end of the grid" not in found.headline
    assert "at both ends" not in found.headline
    assert found.to_dict()["stopped"] == "interrupted"
    with pytest.raises(Stopped):
        dc.calibrate(dc.program(SURVEY), **asked, cancel=interrupted_after(0))


def test_better_values_between_those_of_the_grid_are_not_spoken_of() -> None:
    # p = 0.11 is private, and so is p = 0.9, which is beyond the grid.
    bump = dc.program("def bump(x: bool, p='1/2'): announce(flip(1/2 + p * (1 - p)) if x else flip(1/2))")
    found = dc.calibrate(bump, parameter="p=0:1/2:1/10", exp_epsilon=1, delta="1/10")
    assert found.best == Fraction(1, 10)
    assert says(found.headline, "no larger value")


@pytest.mark.parametrize("secrets", [COUNTS, dc.domain(count=range(2))])
def test_a_parameter_that_has_a_value_already_is_refused(secrets: list[dict[str, int]], tmp_path: Path) -> None:
    asked = {"secrets": secrets, "epsilon": 1, "delta": 0}
    with refuses(InputError, "parameter: 'count' is"):
        dc.calibrate(GAUSS, parameter="count=0:3", **asked)
    file = tmp_path / "gauss.py"
    file.write_text("from deltachain import *\n\n@program\ndef gauss(count, sigma=1):\n    announce(count)\n")
    with refuses(InputError, "sigma=2 gives 'sigma"):
        dc.calibrate(f"{file}:gauss,sigma=2", parameter="sigma=1:3", **asked)
