from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from deltachain.beliefs.question import Interval, Terms
from deltachain.errors import ImpossibleBound, InputError, exit_code
from deltachain.measures.delta.show import PairDelta
from deltachain.measures.profile.show import ProfilePoint
from deltachain.model import Loaded
from tests.words import refuses

F = Fraction
IMPOSSIBLE = [(F(-1, 3), F(-1, 3)), (F(2), F(2)), (F(1, 2), F(1, 3)), (F(0), F(3, 2)), (F(-1, 9), F(1))]


@pytest.mark.parametrize(("lower", "upper"), IMPOSSIBLE)
def test_bounds_that_no_probability_lies_between_cannot_be_held(lower: Fraction, upper: Fraction) -> None:
    for make in (
        lambda: Interval(lower, upper, 0),
        lambda: PairDelta(("s", "t"), lower, upper, "guessed", "exact", 0),
        lambda: ProfilePoint(F(1), lower, upper),
    ):
        with pytest.raises(ImpossibleBound, match="please report") as caught:
            make()
        assert exit_code(caught.value) == 5


def test_ends_that_say_nothing_are_cut_where_directions_meet() -> None:
    found = Interval.of_directions((F(-1, 2), F(5, 4)), (F(-1, 4), F(1, 3)))
    assert found == Interval(F(0), F(1), 1)


@pytest.mark.parametrize("direction", [(F(-1, 2), F(-1, 4)), (F(5, 4), F(3, 2)), (F(1, 2), F(1, 4))])
def test_wrong_ends_are_not_cut(direction: tuple[Fraction, Fraction]) -> None:
    with pytest.raises(ImpossibleBound):
        Interval.of_directions(direction, direction)


def test_a_question_carries_its_runs_and_its_plan() -> None:
    chain = dc.examples.probe()
    question = Terms.read(exp_epsilon=2, repeat=3).about(chain, chain.relation)
    assert (question.runs, question.fixed, question.together) == (3, None, True)
    question = Terms.read(exp_epsilon=2, fixed=2).about(chain, chain.relation)
    assert (question.runs, question.fixed, question.together) == (1, 2, False)
    other = Loaded(dc.examples.survey(), "survey")
    assert Terms.read(exp_epsilon=2).about(chain, chain.relation, [other]).together
    with refuses(InputError, "plan is about"):
        Terms.read(exp_epsilon=2, fixed=2).about(chain, chain.relation, [other])
    with pytest.raises(InputError) as refused:
        Terms.read(exp_epsilon="x", repeat=0, fixed=0)
    assert len(refused.value.defects) == 3
