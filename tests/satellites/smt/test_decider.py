"""Deciding: the engine as a solver, and what is computed once for many thresholds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from deltachain import Chain, examples
from deltachain.cancel import Cancel
from deltachain.distances.fixed_point import FixedPoint, solve
from deltachain.errors import InputError, NotConverged, SolverUnknown
from deltachain_smt import decider as deciding
from deltachain_smt.decider import Decider
from deltachain_smt.solvers import is_installed
from deltachain_smt.verb import decide
from tests.extras import skip_without
from tests.words import refuses

CHAIN = examples.build("split-coin")


def test_two_solvers_at_the_value() -> None:
    z3, engine = (Decider(CHAIN, "s0", "s1", exp_epsilon="6/5", solver=solver) for solver in ("z3", "engine"))
    assert z3.decide("1/4").holds
    assert not z3.decide("1/4", strict=True).holds
    assert not engine.decide("0.24").holds


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
    def tired(*args: Any, **settings: Any) -> FixedPoint:
        upper = solve(*args, **(settings | {"exact": False}))
        raise NotConverged("too large", upper)

    monkeypatch.setattr(deciding, "solve", tired)
    decider = Decider(CHAIN, "s0", "s1", exp_epsilon="6/5", solver="engine")
    assert decider.decide(Fraction(26, 100)).holds
    result, _ = decide(decider, Fraction(26, 100), False, Cancel())
    assert (result.answer, result.ground) == ("yes", "a certified upper bound of the distance")
    with refuses(SolverUnknown, "an upper bound"):
        decider.decide("0.2")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_ratios_of_few_bits(solver: str) -> None:
    """A yes is proved as ever; a no needs as many bits as could matter."""
    if not is_installed(solver):
        skip_without("smt")
    few = Decider(CHAIN, "s0", "s1", exp_epsilon="6/5", solver=solver, encoding="reduced", bits=7)
    found = few.decide("1/4")
    assert found.holds
    assert found.proof is not None
    assert found.proof.proves(found.question)
    assert "(set-logic QF_BV)" in few.script("1/4")
    with refuses(SolverUnknown, "ratios of numbers"):
        few.decide("6/25")


def test_with_enough_bits_no_ratios_means_no() -> None:
    half = Fraction(1, 2)
    chain = Chain.from_rows([{1: half, 2: half}, {0: half, 1: half}, {0: half, 1: half}], "aab")
    decider = Decider(chain, 0, 1, exp_epsilon=2, encoding="reduced", bits=7)
    assert decider.decide(half).holds
    assert not decider.decide(half, strict=True).holds


def test_bits_that_cannot_be() -> None:
    for wrong in (0, 513, True, "8"):
        with refuses(InputError, "of an integer"):
            Decider(CHAIN, "s0", "s1", exp_epsilon=1, bits=wrong)  # type: ignore[arg-type]
    with refuses(InputError, "an integer encoding"):
        Decider(CHAIN, "s0", "s1", exp_epsilon=1, bits=8, formula="sigma2")
    with refuses(InputError, "the engine reads"):
        Decider(CHAIN, "s0", "s1", exp_epsilon=1, bits=8, solver="engine")
