"""Several runs, of one model or of several: δ and ε against the enumeration of all outcomes."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from math import prod

import pytest

import deltachain as dc
from deltachain.cancel import Cancel
from deltachain.errors import InputError
from deltachain.measures.profile.show import Profile
from tests.amounts import fewer_or_all
from tests.words import refuses, says

SURVEY, COIN, TWO = dc.examples.survey(), dc.examples.coin(), dc.examples.survey(p="2/3")


def _losses(chain: dc.Chain) -> list[tuple[Fraction, Fraction]]:
    return [(o.first, o.second) for o in dc.profile(chain, epsilons=[0]).losses]


def _delta(runs: list[list[tuple[Fraction, Fraction]]], alpha: Fraction) -> Fraction:
    forth = back = Fraction(0)
    for outcomes in product(*runs):
        x, y = prod(o[0] for o in outcomes), prod(o[1] for o in outcomes)
        forth, back = forth + max(x - alpha * y, Fraction(0)), back + max(y - alpha * x, Fraction(0))
    return max(forth, back)


@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2), Fraction(4), Fraction(30)])
@pytest.mark.parametrize(
    ("models", "repeat"), [([SURVEY], 3), ([SURVEY, TWO], 1), ([SURVEY, COIN, TWO], 1), ([TWO, SURVEY], 2)]
)
def test_the_interval_holds_what_enumeration_finds(models: list[dc.Chain], repeat: int, alpha: Fraction) -> None:
    exact = _delta([_losses(chain) for chain in models] * repeat, alpha)  # symmetric: the order does not matter
    found = dc.delta(models[0], exp_epsilon=alpha, repeat=repeat, compose=models[1:])
    assert found.lower == exact == found.upper


def test_a_profile_says_the_same_as_delta() -> None:
    curve = dc.profile(SURVEY, epsilons=[0, 1], repeat=2, compose=[TWO])
    for point in curve.points:
        found = dc.delta(SURVEY, epsilon=point.epsilon, repeat=2, compose=[TWO])
        assert (found.lower, found.upper) == (point.lower, point.upper)
    assert isinstance(curve, Profile)
    assert curve.compose == ("a chain",)
    with refuses(InputError, "that of one"):
        _ = curve.losses


def test_of_several_pairs_the_worst_choice_counts() -> None:
    several = TWO.with_relation([(0, 1), (0, 0)])
    found = dc.delta(SURVEY, exp_epsilon=2, compose=[several])
    apart, alike = _delta([_losses(SURVEY), _losses(TWO)], Fraction(2)), _delta([_losses(SURVEY)], Fraction(2))
    assert alike < apart == found.lower == found.upper


def test_a_pair_beside_another_stands_in_either_order() -> None:
    skew = dc.from_distributions({"x": "1/10", "y": "9/10"}, {"x": "5/10", "y": "5/10"})
    forth, back = _losses(skew), [(y, x) for x, y in _losses(skew)]
    worst = max(_delta([forth, other], Fraction(3)) for other in (forth, back))
    assert _delta([forth, forth], Fraction(3)) != _delta([forth, back], Fraction(3))
    assert dc.delta(skew, exp_epsilon=3, compose=[skew]).upper == worst
    assert dc.delta(skew, exp_epsilon=3, repeat=2).upper == _delta([forth, forth], Fraction(3))  # one secret, two runs


@fewer_or_all("times", 40, 300)
def test_many_runs_are_bounded_and_few_are_exact(times: int) -> None:
    assert dc.delta(SURVEY, exp_epsilon=2, repeat=3, compose=[TWO]).exact
    many = dc.delta(dc.examples.survey(p="51/100"), exp_epsilon=2, repeat=times, compose=[TWO])
    assert not many.exact
    assert many.upper - many.lower < Fraction(1, 10**4)
    assert says(str(many.sections()), "finely as they")


def test_pure_epsilon_is_exact_and_bounds_are_right() -> None:
    assert dc.epsilon(SURVEY, delta=0, repeat=3).exp_epsilon_proved == 27
    bound = dc.epsilon(SURVEY, delta="1/10", repeat=3, compose=[TWO])
    assert bound.exact
    assert bound.exp_epsilon_proved is not None
    assert _delta([_losses(SURVEY), _losses(TWO)] * 3, bound.exp_epsilon_proved) == Fraction(1, 10)
    many = dc.epsilon(dc.examples.survey(p="51/100"), delta="1/10", repeat=300, precision="1e-4")
    assert many.exp_epsilon_proved is not None
    assert many.refuted < many.exp_epsilon_proved <= many.refuted * Fraction(1001, 1000)
    assert dc.epsilon(dc.examples.survey(p="51/100"), delta=0, repeat=300).exp_epsilon_proved == Fraction(51, 49) ** 300


def test_what_only_one_state_shows_adds_up_over_runs() -> None:
    half = dc.from_distributions({"x": "1/2", "y": "1/2"}, {"x": "1/2", "z": "1/2"})
    bound = dc.epsilon(half, delta="3/5", repeat=2)
    assert bound.impossible
    assert bound.least_delta is not None
    assert bound.least_delta == Fraction(3, 4)
    assert dc.epsilon(half, delta="3/4", repeat=2).exp_epsilon_proved is not None


def test_a_verdict_over_runs() -> None:
    assert dc.check(SURVEY, epsilon=3, delta="1/100", repeat=2).verdict == "private"
    found = dc.check(SURVEY, epsilon=1, delta="1/100", repeat=2)
    assert found.verdict == "violated"
    assert "2 independent runs" in found.headline
    assert found.witness is None
    assert found.to_dict()["repeat"] == 2
    with refuses(InputError, "have no certificate"):
        _ = found.certificate


def test_one_run_alone_is_asked_as_ever() -> None:
    found = dc.delta(SURVEY, exp_epsilon=2, repeat=1)
    assert found == dc.delta(SURVEY, exp_epsilon=2)
    assert "repeat" not in found.to_dict()


@pytest.mark.parametrize("verb", [dc.delta, dc.check, dc.epsilon, dc.profile])
def test_a_model_without_losses_is_refused_by_name(verb: object) -> None:
    rest = {dc.delta: {"epsilon": 1}, dc.check: {"epsilon": 1, "delta": 0}, dc.epsilon: {"delta": 0}, dc.profile: {}}
    ask = lambda *given, **more: verb(*given, **rest[verb], **more)  # type: ignore[operator, index]  # noqa: E731
    with refuses(InputError, "observer chooses inputs"):
        ask("example:probe", repeat=2)
    with pytest.raises(InputError) as caught:
        ask("example:survey", compose=["example:sticky-sensor", "example:probe"])
    texts = [str(defect) for defect in caught.value.defects]
    assert says(texts[0], "compose example:sticky-sensor: the")
    assert says(texts[1], "example:probe: the observer")


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"compose": "example:coin"}, "is one model"),
        ({"compose": [SURVEY.with_relation([])]}, "carries no relation"),
        ({"repeat": 0}, "not a whole number from 1"),
        ({"repeat": 2, "fixed": 1}, "fixed: a plan is about one run"),
        ({"compose": [COIN.with_relation([(0, 1), (0, 0), (1, 1)])] * 11}, "choices of a pair"),
    ],
)
def test_bad_questions_are_refused(more: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        dc.delta(SURVEY, epsilon=1, **more)  # type: ignore[arg-type]


def test_no_certificate_of_several_runs() -> None:
    with pytest.raises(InputError, match="about one run"):
        dc.epsilon(SURVEY, delta=0, repeat=2, certificate=True)
    with pytest.raises(InputError, match="about one run"):
        dc.profile(SURVEY, repeat=2, estimate=True)


def test_cut_off_it_says_nothing_false() -> None:
    cancel = Cancel()
    cancel.interrupt()
    found = dc.delta(SURVEY, epsilon=1, repeat=1000, cancel=cancel)
    assert (found.lower, found.upper, found.interrupted) == (0, 1, True)
    bound = dc.epsilon(SURVEY, delta="1/10", repeat=1000, cancel=cancel)
    assert (bound.exp_epsilon_proved, bound.refuted) == (None, 1)


def test_results_over_runs_are_shown_compared_and_pickled() -> None:
    found = dc.delta(SURVEY, epsilon=1, repeat=2, compose=["example:coin"])
    assert says(found.headline, "independent runs together")
    assert found != dc.delta(SURVEY, epsilon=1, repeat=2)
    assert says(found._repr_html_(), "one run, composed")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own


@dc.program
def _noisy(c):  # type: ignore[no-untyped-def]
    announce(c + discrete_laplace(20))  # noqa: F821


@pytest.mark.parametrize(("repeat", "exactly"), [(250, 25), (9_999, Fraction(9_999, 10)), (25_000, None)])
def test_pure_privacy_of_many_noisy_counts_is_exact_or_beyond_what_is_tried(
    repeat: int, exactly: Fraction | None
) -> None:
    found = dc.epsilon(_noisy.chain(secrets=[{"c": 0}, {"c": 2}]), delta=0, repeat=repeat)
    assert found.least == exactly
    assert found.exact == (exactly is not None)
