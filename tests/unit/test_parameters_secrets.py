"""Secrets with names of their own: every verb takes them, and shows them by these names."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.parameters import NamedSecrets, list_secrets
from tests.words import refuses

NAMED: Mapping[str, Mapping[str, object]] = {"with Ann": {"count": 1}, "without": {"count": 0}}
PROGRAM = dc.program("def published(count: int, scale=1):\n    announce(count + discrete_laplace(scale))\n")


def release(count: int) -> int:
    return count + dc.discrete_laplace(1)  # type: ignore[no-any-return]


VERBS: dict[str, Callable[..., Any]] = {
    "delta": lambda model, **given: dc.delta(model, epsilon="1/2", **given),
    "check": lambda model, **given: dc.check(model, epsilon="1/2", delta=0, **given),
    "epsilon": lambda model, **given: dc.epsilon(model, delta=0, **given),
    "profile": lambda model, **given: dc.profile(model, epsilons=["1/2"], **given),
    "guess": dc.guess,
}


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("model", [PROGRAM, release], ids=["program", "code"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_answers_as_for_a_list_with_other_names(verb: str, model: Any) -> None:
    named = VERBS[verb](model, secrets=NAMED)
    listed = VERBS[verb](model, secrets=list(NAMED.values()))
    assert "with Ann" in named._repr_html_()
    assert "count=1" not in named._repr_html_()
    assert "count=1" in listed._repr_html_()
    one, other = named.to_dict(), listed.to_dict()
    assert all(one.get(key) == other.get(key) for key in ("lower", "upper", "epsilon", "exp_epsilon"))


def test_pairs_are_asked_by_these_names() -> None:
    found = dc.delta(PROGRAM, "without", "with Ann", secrets=NAMED, epsilon="1/2")
    assert found.results[0].pair == ("without", "with Ann")
    (pair,) = PROGRAM.chain(NAMED, neighbours="linf 1").pairs
    assert {*pair} == {*NAMED}
    assert PROGRAM.chain(NAMED, neighbours=lambda a, b: a["count"] == b["count"] + 7).pairs == ()


def test_parameters_are_calibrated_for_them() -> None:
    found = dc.calibrate(PROGRAM, parameter={"scale": range(1, 4)}, secrets=NAMED, epsilon="1/2", delta=0)
    assert found.best == Fraction(2)
    assert "with Ann" in str(found.to_dict())


def test_they_survive_pickling() -> None:
    named = list_secrets(NAMED)
    assert isinstance(named, NamedSecrets)
    again = pickle.loads(pickle.dumps(named))  # noqa: S301
    assert (again, again.names) == (named, ("with Ann", "without"))
    assert list_secrets(named) is named


@pytest.mark.parametrize("wrong", [{"count": 0}, {"a": 1}, {1: {"count": 0}}, {"": {"count": 0}}, "count"])
@pytest.mark.parametrize("model", [PROGRAM, release], ids=["program", "code"])
def test_what_is_neither_a_list_nor_named_is_refused(model: Any, wrong: Any) -> None:
    with refuses(InputError, "list of dicts"):
        dc.check(model, secrets=wrong, epsilon=1, delta=0)
