"""Deciding: the engine as a solver, and what is computed once for many thresholds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from deltachain import examples
from deltachain.distances.fixed_point import Distance, solve
from deltachain.errors import NotConverged, SolverUnknown
from deltachain.smt import Decider, decide, threshold

CHAIN = examples.build("split-coin")


def test_one_call() -> None:
    assert decide(CHAIN, "s0", "s1", "1/4", exp_epsilon="6/5").holds
    assert not decide(CHAIN, "s0", "s1", "1/4", exp_epsilon="6/5", strict=True).holds
    assert not decide(CHAIN, "s0", "s1", "0.24", exp_epsilon="6/5", solver="engine").holds


@pytest.mark.parametrize("solver", ["z3", "engine"])
@pytest.mark.parametrize(("s", "t", "value"), [("s0", "s0", 0), ("s0", "heads0", 1)])
@pytest.mark.parametrize("encoding", ["reduced", "bounded"])
def test_pairs_that_need_no_thought(s: str, t: str, value: int, solver: str, encoding: str) -> None:
    decider = Decider(CHAIN, s, t, exp_epsilon="6/5", solver=solver, encoding=encoding)
    assert decider.decide(value).holds
    assert not decider.decide(value, strict=True).holds
    assert decider.decide("1/2").holds is (value == 0)
    assert decider.calls == 3


def test_faithful_knows_different_labels() -> None:
    coin = examples.build("coin")
    decider = Decider(coin, "s0", "heads", exp_epsilon="3/2", encoding="faithful", formula="sigma2")
    assert decider.decide(1).holds
    assert not decider.decide("999/1000").holds


def test_an_engine_without_the_exact_value_only_says_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def tired(*args: Any, **settings: Any) -> Distance:
        upper = solve(*args, **(settings | {"exact": False}))
        raise NotConverged("too large", upper)

    monkeypatch.setattr(threshold, "solve", tired)
    decider = Decider(CHAIN, "s0", "s1", exp_epsilon="6/5", solver="engine")
    assert decider.decide(Fraction(26, 100)).holds
    with pytest.raises(SolverUnknown, match="only an upper bound"):
        decider.decide("0.2")
