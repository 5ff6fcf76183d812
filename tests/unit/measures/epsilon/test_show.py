"""A bound of ε: which of its numbers is ε, and which e^ε."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc
from tests.words import says


def test_epsilon_comes_first_and_is_rounded_up() -> None:
    bound = dc.epsilon(dc.examples.survey(), delta=0)
    assert says(repr(bound), "pure ε-privacy holds")
    assert bound.exp_epsilon_proved == 3
    assert bound.epsilon == Fraction("1.098612288669")
    none = dc.epsilon("example:coin,p=0", delta=0)
    assert (none.epsilon, none.exp_epsilon_proved) == (None, None)
    assert says(repr(none), "ε is enough")


def test_the_old_name_answers_and_warns() -> None:
    bound = dc.epsilon(dc.examples.survey(), delta=0)
    with pytest.warns(DeprecationWarning, match="reads like ε"):
        assert bound.proved == 3
