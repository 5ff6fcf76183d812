"""Who is given progress: `progress=`, or `report=`, as the last release called it, in every verb that works long."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError

CHAIN = dc.examples.coin()
AT = {"exp_epsilon": "6/5"}
VERBS: dict[str, Callable[..., Any]] = {
    "delta": partial(dc.delta, CHAIN, **AT),
    "check": partial(dc.check, CHAIN, delta="1/2", **AT),
    "distance": partial(dc.distance, CHAIN, **AT),
    "epsilon": partial(dc.epsilon, CHAIN, delta="1/2"),
    "profile": partial(dc.profile, CHAIN, epsilons=[0, 1]),
    "estimate": partial(dc.estimate, CHAIN, samples=100, **AT),
    "guess": partial(dc.guess, CHAIN),
    "report": partial(dc.report, CHAIN, **AT),
}


@pytest.mark.parametrize("verb", VERBS)
def test_both_names_of_the_callback_are_taken_once(verb: str) -> None:
    told: list[str] = []
    for name in ("progress", "report"):
        assert VERBS[verb](**{name: told.append}) is not None
    with pytest.raises(InputError, match="report"):
        VERBS[verb](progress=told.append, report=told.append)
