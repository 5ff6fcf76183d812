"""Chains to and from models of stormvogel, the teaching front end of Storm; exact where its numbers are.

A model is read by its attributes alone (those of stormvogel 0.13), and nothing of the package is imported. As with
`stormpy_models`, the actions of an MDP are the observer's inputs, a POMDP's observations are what is seen, and several
states labelled ``init`` are related, all pairs. A DTMC may have intervals, which are limits that were given.
"""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any  # for objects of stormvogel, which is not installed with this package

from deltachain.errors import Defect, InputError, require_extra
from deltachain.formats.format import in_intervals, raw_row, refuse_more_than_intervals
from deltachain.formats.observation import (
    Described,
    ExploredModel,
    InputChoice,
    chain_of,
    label_names,
    plain,
    state_names,
)
from deltachain.model import Chain, Normalise
from deltachain.model.build import RawBox, RawEntry
from deltachain.settings import Settings

from .stormpy_models import HOW_TO_NAME, KINDS, NO_INTERVAL_MDP, ONLY

SOURCE = "stormvogel model"


def from_stormvogel(
    model: Any,
    *,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    keep_labels: bool = False,
    normalise: Normalise = False,
) -> Chain:
    """The chain of a DTMC, MDP or POMDP of stormvogel; states that have friendly names, all different, keep them.

    Args:
        model: The model; its probabilities may be ints, Fractions, or floats, which are read as shortest decimals.
        observe: The variables that an observer sees.
        observe_labels: The labels that an observer sees instead. By default, a POMDP's observations or all labels.
        keep_labels: Keep the labels ``init`` and ``deadlock``, which are dropped otherwise.
        normalise: Divide rows that do not sum to one by their sum: those that are off by rounding, or ``"any"``.

    Raises:
        InputError: It is another kind of model, or something is unknown.
        ModelError: It is not a chain.
    """
    kind = getattr(getattr(model, "model_type", None), "name", None)
    if kind is None or not hasattr(model, "transitions"):
        raise InputError(Defect(SOURCE, f"{type(model).__name__} is not a model of stormvogel", "give a Model"))
    if kind not in KINDS:
        raise InputError(Defect(SOURCE, f"it is of type {kind}", ONLY))
    states = list(model.states)
    sets = [frozenset(state.labels) for state in states]
    variables = _variables(model, states)
    initial = [number for number, names in enumerate(sets) if "init" in names]
    described = Described(
        SOURCE,
        tuple(sorted(frozenset().union(*sets))),
        sets,
        variables,
        _observe(model, states) if kind == "POMDP" else None,
    )
    place = {state: number for number, state in enumerate(states)}
    choices = [_choices(model, state, place) for state in states]
    if kind != "DTMC" and any(isinstance(row, RawBox) for found in choices for _, row in found):
        raise InputError(Defect(SOURCE, NO_INTERVAL_MDP, "give exact probabilities"))
    friendly = [state.friendly_name for state in states]
    named = None not in friendly and len(set(friendly)) == len(friendly)
    names = friendly if named else state_names(len(states), variables, initial)
    settings = Settings(
        normalise=normalise, keep_labels=keep_labels, observe=tuple(observe), observe_labels=tuple(observe_labels)
    )
    return chain_of(ExploredModel(described, initial, choices, names), settings, HOW_TO_NAME).chain


def _variables(model: Any, states: Sequence[Any]) -> dict[str, list[object]]:
    """Variable → its value in each state, None where a state does not have it; sorted by name."""
    valuations = [{v.label: x for v, x in model.state_valuations.get(state, {}).items()} for state in states]
    names = sorted({name for valuation in valuations for name in valuation})
    return {name: [plain(valuation.get(name)) for valuation in valuations] for name in names}


def _observe(model: Any, states: Sequence[Any]) -> list[str]:
    """What is seen of each state; InputError naming those of which nothing certain is."""
    texts: list[str] = []
    defects: list[Defect] = []
    called: dict[str, Any] = {}
    for number, state in enumerate(states):
        seen = model.state_observations.get(state)
        if isinstance(seen, Hashable) and seen in model.observation_aliases:  # a distribution is not hashable
            texts.append(model.observation_aliases[seen])
            if called.setdefault(texts[-1], seen) != seen:
                what = f"two observations are called {texts[-1]!r}"
                defects.append(Defect(f"{SOURCE}: state number {number}", what, "rename one"))
        else:
            what = "it has no observation" if seen is None else "its observation is drawn"
            defects.append(Defect(f"{SOURCE}: state number {number}", what, "give every state one observation"))
    if defects:
        raise InputError(defects)
    return texts


def _choices(model: Any, state: Any, place: Mapping[Any, int]) -> list[InputChoice]:
    """The choices of a state; an empty row where it has none, which is refused with the other defects."""
    found: list[InputChoice] = [
        (() if action.label is None else (action.label,), raw_row([(place[t], _entry(number)) for number, t in branch]))
        for action, branch in model.transitions.get(state, ())
    ]
    return found or [((), [])]


def _entry(number: Any) -> RawEntry:
    """A probability, or the two ends of an interval."""
    return (number.lower, number.upper) if type(number).__name__ == "Interval" else number


def to_stormvogel(chain: Chain) -> Any:
    """The chain as a DTMC of stormvogel, with inputs an MDP, in Fractions; BackendMissing without stormvogel.

    Of a chain known within limits, the numbers are intervals; UncertainChain where that makes no interval DTMC.
    The names that a label stands for become labels, inputs the labels of actions, names friendly names. Labelled
    ``init`` are the states of the relation, or the first state where there is none. Valuations are not carried over.
    """
    with require_extra("stormvogel"):
        package = importlib.import_module("stormvogel.model")
    refuse_more_than_intervals(chain, "a model of stormvogel")
    made = (package.new_mdp if chain.interactive else package.new_dtmc)(create_initial_state=False)
    initial = {state for pair in chain.relation for state in pair} or {0}
    boxed, states = in_intervals(chain), []
    for number, name in enumerate(chain.states):
        labels = dict.fromkeys([*(["init"] if number in initial else []), *label_names(chain.labels[number])])
        states.append(made.new_state(list(labels), friendly_name=name))
    for number, rows in enumerate(chain.given):
        branches = {
            package.Action(asked): package.Distribution(
                [(package.Interval(lo, hi) if boxed else lo, states[target]) for target, lo, hi in row.box]
            )
            for asked, row in zip(chain.offered(number), rows, strict=True)
        }
        made.set_choices(states[number], package.Choices(branches))
    return made
