"""A bound of ε: which of its numbers is ε, and which e^ε."""

from __future__ import annotations

from fractions import Fraction

import pytest

import deltachain as dc


def test_epsilon_comes_first_and_is_rounded_up() -> None:
    bound = dc.epsilon(dc.examples.survey(), delta=0)
    assert repr(bound).startswith("<EpsilonBound: epsilon=1.098612289, pure ε-privacy holds from e^ε = 3 on")
    assert bound.exp_epsilon_proved == 3
    assert bound.epsilon == Fraction("1.098612288669")
    none = dc.epsilon("example:coin,p=0", delta=0)
    assert (none.epsilon, none.exp_epsilon_proved) == (None, None)
    assert repr(none).startswith("<EpsilonBound: no ε is enough")


def test_the_old_name_answers_and_warns() -> None:
    bound = dc.epsilon(dc.examples.survey(), delta=0)
    with pytest.warns(DeprecationWarning, match="reads like ε"):
        assert bound.proved == 3
