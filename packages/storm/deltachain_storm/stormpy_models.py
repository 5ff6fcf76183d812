"""Chains to and from Storm's sparse models, in exact rationals; needs the extra ``storm``.

The functions here work on models that the caller holds in this process; model files are explored by Storm in a process
of its own, see `prism`. A model is taken only if it is a discrete-time Markov chain, or an MDP or POMDP whose actions
are the observer's inputs (`observation`), without parameters. The probabilities of a DTMC may be intervals: limits that
were given; interval MDPs are refused by name. In a DTMC, Storm resolves commands whose guards overlap by a fair draw
and only labels the states where that happened (``overlap_guards``); such a model says something its author did not
write, and is refused. Storm's log goes to standard output; it is off while we call it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any  # for objects of stormpy: bindings of C++ without types

from deltachain.errors import BackendMissing, Defect, InputError, require_extra
from deltachain.formats.format import in_intervals, refuse_more_than_intervals
from deltachain.formats.observation import (
    Described,
    ExploredModel,
    InputChoice,
    chain_of,
    label_names,
    observation_texts,
    plain,
    state_names,
)
from deltachain.model import Chain, Normalise
from deltachain.model.build import AnyRawRow, RawBox
from deltachain.numbers.fraction import Number, format_fraction
from deltachain.settings import Settings

OVERLAP = "overlap_guards"
"""The label that Storm gives to states with overlapping guards."""

KINDS = ("DTMC", "MDP", "POMDP")
NO_INTERVAL_MDP = "it is an interval MDP: intervals are read in discrete-time Markov chains (dtmc) alone"
ONLY = "only discrete-time Markov chains (dtmc) and, with inputs, MDPs (mdp, pomdp) are read"
HOW_TO_NAME = "write [name] in front of each command; with stormpy, build choice labels"

HOW_TO_CHOOSE = "make the guards exclusive, or set `uniform_choice` to take each equally likely, as PRISM does"

LOCATION = "_loc_"
"""How the names of the variables begin that Storm adds for the locations of JANI automata."""


def load_stormpy() -> Any:
    """The package stormpy, version 2; BackendMissing with the pip line otherwise."""
    with require_extra("stormpy", "storm"):
        stormpy = importlib.import_module("stormpy")
    if not hasattr(stormpy, "build_model"):
        raise BackendMissing("stormpy 2", "storm")
    return stormpy


@contextmanager
def quiet(stormpy: Any) -> Iterator[None]:
    """Storm's log, which goes to standard output, off for a while."""
    before = stormpy.developer.get_log_level()
    stormpy.developer.set_log_level(stormpy.developer.LogLevel.OFF)
    try:
        yield
    finally:
        stormpy.developer.set_log_level(before)


def from_stormpy(
    model: Any,
    *,
    observe: Sequence[str] = (),
    observe_labels: Sequence[str] = (),
    keep_labels: bool = False,
    normalise: Normalise = False,
) -> Chain:
    """The chain of a sparse DTMC, MDP or POMDP, exact if the model is built with ``stormpy.Rational``.

    A DTMC may have intervals, ``stormpy.RationalInterval`` or ``stormpy.Interval``: limits of its probabilities.

    Visible are the variables ``observe`` (where the model has state valuations), or the labels ``observe_labels``, or
    by default a POMDP's observations, and else all labels but ``init`` and ``deadlock``. Several initial states are
    related, all pairs. The actions of an MDP are the inputs: build it with choice labels. Floats are read as their
    shortest decimals, and the rows must then sum to one exactly, or be normalised. Raises InputError for other kinds of
    models, ModelError for rows that do not sum to one.
    """
    settings = Settings(
        normalise=normalise, keep_labels=keep_labels, observe=tuple(observe), observe_labels=tuple(observe_labels)
    )
    return chain_of(explored_model(model, "stormpy model"), settings, HOW_TO_NAME).chain


def explored_model(model: Any, source: str) -> ExploredModel:
    """The content of a sparse model of one of the `KINDS`; InputError for any other. ``source`` is for messages."""
    described, initial = described_model(model, source)
    return ExploredModel(described, initial, [_choices(model, state) for state in range(model.nr_states)])


def described_model(model: Any, source: str, *, uniform_choice: bool = False) -> tuple[Described, list[int]]:
    """The states of a sparse model of one of the `KINDS`, and its initial states; InputError for any other.

    With ``uniform_choice`` a Markov chain in numbers may have states in which Storm drew which command is taken.
    """
    _refuse_other_kinds(model, source)
    overlapping = _overlapping(model)
    if overlapping and not (uniform_choice and has_plain_rows(model)):
        raise InputError(_overlaps(model, overlapping, source))
    return _describe(model, source, len(overlapping)), [int(state) for state in model.initial_states]


def has_plain_rows(model: Any) -> bool:
    """Whether there is one row of exact numbers for each state, and nothing to choose."""
    first = next(iter(model.transition_matrix.get_row(0)), None)
    return model.model_type.name == "DTMC" and type(getattr(first, "value", None)).__name__ == "Rational"


def storm_notes(states: Described) -> tuple[str, ...]:
    """What to say of states where Storm added a loop, or drew which command is taken."""
    notes: list[str] = []
    if states.uniform:
        count = f"{states.uniform} state{'' if states.uniform == 1 else 's'}"
        notes.append(f"{count} with several enabled commands: each is equally likely, as asked for")
    deadlocks = sum("deadlock" in found for found in states.label_sets)
    if deadlocks:
        count = f"{deadlocks} deadlock state{'' if deadlocks == 1 else 's'}"
        notes.append(f"{count}, where no command is enabled: a run stays there for ever")
    return tuple(notes)


def _refuse_other_kinds(model: Any, source: str) -> None:
    """InputError unless the model is sparse, a DTMC or an MDP, with numbers in it."""
    kind = getattr(getattr(model, "model_type", None), "name", None)
    if kind is None:
        raise InputError(Defect(source, f"{type(model).__name__} is not a model of stormpy", "give a sparse DTMC"))
    if kind not in KINDS:
        raise InputError(Defect(source, f"it is of type {kind}", ONLY))
    if not model.is_sparse_model:
        raise InputError(Defect(source, "it is a symbolic model", "build it with stormpy.Engine.SPARSE"))
    values = {type(entry.value).__name__ for entry in model.transition_matrix.get_row(0)}
    if values == {"Interval"} and kind != "DTMC":
        raise InputError(Defect(source, NO_INTERVAL_MDP, "give exact probabilities"))
    if not values <= {"float", "Rational", "Interval"}:
        what = f"its probabilities are of type {', '.join(sorted(values))}"
        raise InputError(Defect(source, what, "build it with build_model[stormpy.Rational]"))


def _overlapping(model: Any) -> list[int]:
    """The states in which several commands are enabled, where Storm was asked to label them."""
    return list(model.labeling.get_states(OVERLAP)) if model.labeling.contains_label(OVERLAP) else []


def _overlaps(model: Any, overlapping: Sequence[int], source: str) -> Iterator[Defect]:
    names = state_names(model.nr_states, _variables(model))
    fix = HOW_TO_CHOOSE if has_plain_rows(model) else "make the guards exclusive"
    for state in overlapping:
        what = "several commands are enabled, and a dtmc does not say which is taken"
        yield Defect(f"{source}: state {names[state]!r}", what, fix)


def _describe(model: Any, source: str, uniform: int) -> Described:
    """The labels and variables of the model's states."""
    names = tuple(sorted(model.labeling.get_labels() - {OVERLAP}))
    sets: list[set[str]] = [set() for _ in range(model.nr_states)]
    for name in names:
        for state in model.labeling.get_states(name):
            sets[state].add(name)
    variables, seen = _variables(model), None
    if model.model_type.name == "POMDP":
        seen = observation_texts(list(model.observations), variables)
    return Described(source, names, sets, variables, seen, uniform)


def _variables(model: Any) -> dict[str, list[object]]:
    """Variable → values, sorted by name; without JANI locations that never change."""
    if not model.has_state_valuations():
        return {}
    found: dict[str, list[object]] = {}
    for variable in sorted(model.state_valuations.get_all_variables(), key=lambda v: str(v.name)):
        values = [plain(value) for value in model.state_valuations.get_values_states(variable)]
        if not (variable.name.startswith(LOCATION) and len(set(values)) == 1):
            found[variable.name] = values
    return found


def _choices(model: Any, state: int) -> list[InputChoice]:
    if model.model_type.name == "DTMC":
        return [((), _row(model, state))]
    named = model.choice_labeling if model.has_choice_labeling() else None
    rows = model.transition_matrix.get_rows_for_group(state)
    return [(sorted(named.get_labels_of_choice(row)) if named else (), _row(model, row)) for row in rows]


def _row(model: Any, number: int) -> AnyRawRow:
    row = [(entry.column, entry.value) for entry in model.transition_matrix.get_row(number)]
    if any(type(value).__name__ == "Interval" for _, value in row):
        return RawBox([(target, (_number(value.lower()), _number(value.upper()))) for target, value in row])
    return [(target, _number(value)) for target, value in row]


def _number(value: Any) -> Number:
    """A float stays a float, to be read as its shortest decimal; an exact number is read from its digits."""
    return value if isinstance(value, float) else str(value)


def to_stormpy(chain: Chain) -> Any:
    """The chain as a ``SparseDtmc`` of stormpy with exact rationals, with inputs a ``SparseMdp``; needs ``storm``.

    Of a chain known within limits, the numbers are exact intervals; what is not an interval DTMC is refused with
    UncertainChain: inputs, mass that may go elsewhere, limits that hold at a confidence.

    The names that a label stands for (`label_names`) become Storm's labels, inputs the labels of choices. Initial are
    the states of the relation, or the first state where there is none, together with those that have the label
    ``init``. State names and valuations are not carried over: Storm numbers states as the chain does.
    """
    stormpy = load_stormpy()
    refuse_more_than_intervals(chain, "a model of Storm")
    storage = stormpy.developer.storage
    kind = stormpy.RationalInterval if in_intervals(chain) else stormpy.Rational
    with quiet(stormpy):
        matrix, labeling = _matrix(stormpy, chain, kind), _build_labeling(storage, chain)
        components = storage.SparseModelComponents[kind](matrix, labeling)
        if not chain.interactive:
            return storage.SparseDtmc[kind](components)
        components.choice_labeling = _choice_labeling(storage, chain)
        return storage.SparseMdp[stormpy.Rational](components)


def _matrix(stormpy: Any, chain: Chain, kind: Any) -> Any:
    """All rows in order, grouped by state where there are inputs; ``kind`` is the type of its numbers."""
    grouped = {"has_custom_row_grouping": True, "row_groups": len(chain)} if chain.interactive else {}
    build = stormpy.developer.storage.SparseMatrixBuilder[kind]
    builder = build(sum(map(len, chain.given)), len(chain), chain.transitions, **grouped)
    exact = cache(lambda p: stormpy.Rational(format_fraction(p)))
    number = cache(lambda lo, hi: kind(exact(lo), exact(hi)) if in_intervals(chain) else exact(lo))
    place = 0
    for rows in chain.given:
        if grouped:
            builder.new_row_group(place)
        for row in (row.box for row in rows):
            for target, lo, hi in row:
                builder.add_next_value(place, target, number(lo, hi))
            place += 1
    return builder.build()


def _build_labeling(storage: Any, chain: Chain) -> Any:
    labeling = storage.StateLabeling(len(chain))
    sets = {label: label_names(label) for label in chain.alphabet}
    for name in sorted({"init"}.union(*sets.values())):
        labeling.add_label(name)
    initial = {state for pair in chain.relation for state in pair} or {0}
    for state, label in enumerate(chain.labels):
        for name in {*sets[label], "init"} if state in initial else sets[label]:
            labeling.add_label_to_state(name, state)
    return labeling


def _choice_labeling(storage: Any, chain: Chain) -> Any:
    offered = [name for state in range(len(chain)) for name in chain.offered(state)]
    labeling = storage.ChoiceLabeling(len(offered))
    for known in sorted({name for name in offered if name is not None}):
        labeling.add_label(known)
    for place, name in enumerate(offered):
        if name is not None:
            labeling.add_label_to_choice(name, place)
    return labeling
