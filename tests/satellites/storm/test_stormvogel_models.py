"""Chains to and from stormvogel: by the shape of its objects, and against the package itself where it is at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain
from deltachain import examples
from deltachain.errors import BackendMissing, InputError, ModelError
from deltachain_storm.stormvogel_models import from_stormvogel, to_stormvogel
from tests.words import refuses, says


class Kind(Enum):
    DTMC = 1
    MDP = 2
    CTMC = 3
    POMDP = 4


@dataclass(frozen=True)
class Named:
    """An action, a variable."""

    label: str | None


@dataclass(eq=False)
class State:
    labels: list[str]
    friendly_name: str | None


Distribution = list[tuple[object, State]]


@dataclass
class Model:
    model_type: Kind
    states: list[State]
    transitions: dict[State, list[tuple[Named, Distribution]]]
    state_valuations: dict[State, dict[Named, object]]
    state_observations: dict[State, object]
    observation_aliases: dict[object, str]


def lock(kind: Kind, chances: Sequence[object] = (Fraction(1, 3), Fraction(2, 3))) -> Model:
    """Two locks that answer in a way of their own."""
    states = [State(["init", "ready"], "s0"), State(["ready", "init"], "s1"), State(["open"], "yes"), State([], "no")]
    actions = [Named(None)] if kind is Kind.DTMC else [Named("first"), Named("second")]
    transitions: dict[State, list[tuple[Named, Distribution]]] = {
        state: [(action, list(zip(row, states[2:], strict=True))) for action in actions]
        for state, row in zip(states, (tuple(chances), tuple(reversed(chances))), strict=False)
    }
    transitions |= {state: [(Named(None), [(1, state)])] for state in states[2:]}
    secret = Named("secret")
    valuations: dict[State, dict[Named, object]] = {
        states[0]: {secret: False, Named("ratio"): 0.5},
        states[1]: {secret: True},
    }
    seen: dict[State, object] = dict(zip(states, "aabc", strict=True))
    return Model(kind, states, transitions, valuations, seen, {"a": "closed", "b": "wide open", "c": "shut"})


def test_a_dtmc_keeps_names_labels_and_valuations() -> None:
    chain = from_stormvogel(lock(Kind.DTMC))
    assert chain.states == ("s0", "s1", "yes", "no")
    assert chain.labels == ("ready", "ready", "open", "")
    assert chain.rows[0] == ((2, Fraction(1, 3)), (3, Fraction(2, 3)))
    assert chain.pairs == (("s0", "s1"),)
    assert chain.valuations == ({"ratio": "0.5", "secret": False}, {"secret": True}, {}, {})
    assert from_stormvogel(lock(Kind.DTMC), keep_labels=True).labels[0] == "init,ready"
    unnamed = lock(Kind.DTMC)
    unnamed.states[3].friendly_name = "yes"
    assert from_stormvogel(unnamed).states == ("ratio=0.5,secret=false", "secret=true", "2", "3")


def test_actions_are_inputs_and_observations_are_seen() -> None:
    chain = from_stormvogel(lock(Kind.MDP))
    assert chain.inputs == {"ready": ("first", "second")}
    partial = from_stormvogel(lock(Kind.POMDP))
    assert partial.labels == ("closed", "closed", "wide open", "shut")
    assert partial.moves == chain.moves


def test_two_observations_of_one_name_are_not_taken_for_one() -> None:
    partial = lock(Kind.POMDP)
    partial.observation_aliases["c"] = "wide open"
    with refuses(InputError, "observations are called"):
        from_stormvogel(partial)


def test_floats_must_sum_to_one_or_be_normalised() -> None:
    rounded = lock(Kind.DTMC, (1 / 3, 2 / 3))
    with refuses(ModelError, "stormvogel model: state"):
        from_stormvogel(rounded)
    assert from_stormvogel(rounded, normalise=True).probability("s0", "yes") == Fraction(1, 3)


def test_what_is_refused() -> None:
    with refuses(InputError, "of type CTMC"):
        from_stormvogel(lock(Kind.CTMC))
    with refuses(InputError, "model of stormvogel"):
        from_stormvogel({})
    model = lock(Kind.DTMC)
    del model.transitions[model.states[2]]
    with refuses(ModelError, "has no transitions"):
        from_stormvogel(model)
    model = lock(Kind.POMDP)
    del model.state_observations[model.states[3]]
    model.state_observations[model.states[2]] = [(1, "a")]
    with pytest.raises(InputError) as caught:
        from_stormvogel(model)
    assert says([defect.what for defect in caught.value.defects])
    with refuses(InputError, "has no variable"):
        from_stormvogel(lock(Kind.DTMC), observe=["x"])


def test_without_the_package_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stormvogel.model", None)
    with refuses(BackendMissing, "pip install stormvogel"):
        to_stormvogel(examples.coin())


ROUND_TRIP = """
from deltachain import Chain, examples
from deltachain_storm.stormvogel_models import from_stormvogel, to_stormvogel
for name in ("coin", "dining-cryptographers,n=2", "probe", "lockout", "random,inputs=2"):
    chain = examples.build(name)
    back = from_stormvogel(to_stormvogel(chain))
    assert (back.states, back.labels, back.moves) == (chain.states, chain.labels, chain.moves)
    assert back.inputs == chain.inputs
    assert back.pairs == chain.pairs, name
limits = {"h": ("1/10", "1/5"), "t": ("4/5", "9/10")}
chain = Chain.from_dicts({"s": limits, "h": {"h": 1}, "t": {"t": 1}}, {"s": "go", "h": "heads", "t": "tails"})
assert from_stormvogel(to_stormvogel(chain)).given == chain.given
import stormvogel.model
made = stormvogel.model.new_pomdp(create_initial_state=False)
variable = stormvogel.model.Variable("x", stormvogel.model.IntDomain(0, 1))
states = [made.new_state(["init"], {variable: i}, observation=made.observation(f"seen {i}")) for i in (0, 1)]
for state in states:
    state.set_choices([(1, states[1])])
chain = from_stormvogel(made)
assert (chain.states, chain.labels) == (("x=0", "x=1"), ("seen 0", "seen 1"))
print("same")
"""


@pytest.mark.slow
def test_the_package_itself() -> None:
    """In an environment of its own: DELTACHAIN_STORMVOGEL_PYTHON names its interpreter (Python 3.12 and stormvogel)."""
    python = os.environ.get("DELTACHAIN_STORMVOGEL_PYTHON")
    if python is None:
        pytest.skip("DELTACHAIN_STORMVOGEL_PYTHON names no interpreter with stormvogel")
    where = os.environ | {"PYTHONPATH": str(Path(deltachain.__file__).parents[1])}
    done = subprocess.run([python, "-c", ROUND_TRIP], capture_output=True, text=True, env=where, check=False)
    assert done.stdout.strip() == "same", done.stderr
