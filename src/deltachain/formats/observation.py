"""What an observer sees and chooses in the model of another tool: its label names, its variables, its actions.

*Labels.* A state in a model file has a set of names; a state of a chain has one label. The label of a set is its
names, sorted and joined with ``,``; the empty set's is the empty text. A text that is a *list* (two or more non-empty
names, strictly increasing, joined with ``,``) stands for those names, and any other non-empty text for itself as a
single name. A name that contains a comma is read only where this is undone exactly: alone in its state, and not itself
a list. So two states get the same label if and only if they have the same set. PRISM and Storm mark states with
``init`` (where runs start) and ``deadlock`` (a loop was added). These say how the model was made, not what an observer
sees, and are dropped unless asked for.

*What is visible.* In a partially observable model (a POMDP), its observations, unless something else is chosen. In
others the values of chosen variables (``x=0,y=true``), or those of the chosen label names that the state
has, or, when nothing is chosen, all its label names without ``init`` and ``deadlock``. A model without other labels
shows nothing unless the caller says what to show: that is an error, since every δ of such a chain is zero for the wrong
reason.

*Inputs.* A tool for MDPs gives a state one or more choices, each with a row and perhaps an action name. The observer
says what to do by naming it, so the names of a state with several choices must be there and differ. A single choice
without a name is nothing to choose; a single one with a name is an input that is always given, and seen. That all
states which look alike offer the same inputs is checked where the chain is made (`model.build.assemble`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import combinations, pairwise

from ..errors import Defect, InputError
from ..model import Loaded
from ..model.build import AnyRawRow
from ..numbers.fraction import format_fraction
from ..settings import Settings
from .format import assemble_loaded

DROPPED = frozenset({"init", "deadlock"})
"""The label names that say nothing an observer sees."""

_BARE_TEXT = re.compile(r"(?!(?:true|false)\Z)[^\W\d][\w. -]*")
"""A text that is neither a number nor a truth value, and has no comma, equals sign or quote."""

MAX_INITIAL = 200
"""Up to so many initial states, all their pairs become the relation."""

InputChoice = tuple[Sequence[str], AnyRawRow]
"""The action names of one choice (none, or one; more are refused) and its row."""


def join_names(names: Iterable[str], *, keep: bool = True) -> str:
    """The label of a set of names, without `DROPPED` unless ``keep``; ValueError when none can stand for it.

    >>> join_names(["stable", "init", "elected"], keep=False)
    'elected,stable'
    """
    kept = sorted({name for name in names if keep or name not in DROPPED})
    for name in kept:
        if not name:
            raise ValueError("an empty label name")
        if "," in name and (len(kept) > 1 or len(label_names(name)) > 1):
            raise ValueError(f"the label name {name!r} would read as several names because of its comma")
    return ",".join(kept)


def label_names(label: str) -> tuple[str, ...]:
    """The set of names that a label stands for, sorted.

    >>> label_names("a,b"), label_names("b,a"), label_names("")
    (('a', 'b'), ('b,a',), ())
    """
    if not label:
        return ()
    parts = label.split(",")
    is_list = all(parts) and all(a < b for a, b in pairwise(parts))
    return tuple(parts) if is_list else (label,)


@dataclass(frozen=True)
class Described:
    """The states of a model as another tool describes them."""

    source: str
    label_names: tuple[str, ...]
    """Every label name that the model declares."""
    label_sets: Sequence[Collection[str]]
    """The set of label names of each state."""
    variables: Mapping[str, Sequence[object]]
    """Variable → its value in each state."""
    observations: Sequence[str] | None = None
    """What is seen of each state of a partially observable model, as text; None for other models."""
    uniform: int = 0
    """In how many states the tool itself draws which of several commands is taken, each equally likely."""


@dataclass(frozen=True)
class ExploredModel:
    """What another tool knows about a model, as plain data: no chain yet, and nothing of that tool's."""

    states: Described
    initial: Sequence[int]
    choices: Sequence[Sequence[InputChoice]]
    """For each state its choices; a DTMC has one per state, without a name."""
    names: Sequence[str] | None = None
    """The names of the states; None: they are named by their variables."""


def chain_of(model: ExploredModel, settings: Settings, how_to_name: str, notes: Sequence[str] = ()) -> Loaded:
    """The chain, and what its author should know, ``notes`` among it; ``how_to_name``: the actions of a state."""
    states, source = model.states, model.states.source
    labels = visible_labels(states, settings)
    names = model.names or state_names(len(labels), states.variables, model.initial)
    pairs, too_many = initial_pairs(model.initial)
    defects: list[Defect] = []
    rows = [
        rows_by_input(choices, f"{source}: state {name!r}", how_to_name, defects)
        for name, choices in zip(names, model.choices, strict=True)
    ]
    return assemble_loaded(
        source,
        settings,
        names,
        labels,
        rows,
        place=lambda state: f"{source}: state {names[state]!r}",
        relation=[(names[s], names[t]) for s, t in pairs],
        valuations=_valuations(states.variables),
        defects=defects,
        notes=(*hidden_label_notes(states, settings), *notes, *too_many),
    )


def _valuations(variables: Mapping[str, Sequence[object]]) -> list[dict[str, object]] | None:
    """The values of each state's variables, without those that it does not have."""
    if not variables:
        return None
    kept = [values if _are_plain(values) else list(map(plain, values)) for values in variables.values()]
    columns = zip(*kept, strict=True)
    if not any(None in values for values in kept):
        return [dict(zip(variables, row, strict=True)) for row in columns]
    return [{name: v for name, v in zip(variables, row, strict=True) if v is not None} for row in columns]


def _are_plain(values: Sequence[object]) -> bool:
    """Whether a model file can hold the values as they are."""
    return set(map(type, values)) <= {bool, int, str, type(None)}


def plain(value: object) -> object:
    """A variable's value as a model file can hold it; what is not a number and no truth value, as text."""
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def visible_labels(states: Described, settings: Settings) -> list[str]:
    """The label of each state; InputError for unknown variables or labels, and for a model that shows nothing."""
    _refuse_unknown(states, settings)
    if settings.observe:
        columns = [[f"{name}={_seen_text(v)}" for v in states.variables[name]] for name in settings.observe]
        return [",".join(parts) for parts in zip(*columns, strict=True)]
    if states.observations is not None and not settings.observe_labels:
        return list(states.observations)
    chosen = frozenset(
        settings.observe_labels or (n for n in states.label_names if settings.keep_labels or n not in DROPPED)
    )
    if not chosen:
        what = "it declares no labels, so an observer would see nothing"
        raise InputError(Defect(states.source, what, _choice(states)))
    texts: dict[frozenset[str], str] = {}
    labels = []
    for state, names in enumerate(states.label_sets):
        kept = chosen.intersection(names)
        if kept not in texts:
            try:
                texts[kept] = join_names(kept)
            except ValueError as reason:
                raise InputError(Defect(f"{states.source}: state {state}", str(reason), "rename the label")) from None
        labels.append(texts[kept])
    return labels


def observation_texts(observed: Sequence[int], variables: Mapping[str, Sequence[object]]) -> list[str]:
    """What is seen of each state, given the number of its observation: two states look alike iff the numbers agree.

    Where those variables whose values follow from the observation tell all observations apart, they name them.

    >>> observation_texts([2, 0, 2], {"hidden": [0, 1, 1]})
    ['observation=2', 'observation=0', 'observation=2']
    >>> observation_texts([2, 0, 2], {"hidden": [0, 1, 1], "x": [5, 6, 5]})
    ['x=5', 'x=6', 'x=5']
    """
    # Storm's own valuations of observations are not used: they are wrong for some models (stormpy 2.0).
    count = len(set(observed))
    known = {name: values for name, values in variables.items() if len({*zip(observed, values, strict=True)}) == count}
    columns = [[f"{name}={value_text(value)}" for value in values] for name, values in known.items()]
    texts = [",".join(parts) for parts in zip(*columns, strict=True)]
    if len(set(texts)) == count:
        return texts
    return [f"observation={number}" for number in observed]


def hidden_label_notes(states: Described, settings: Settings) -> tuple[str, ...]:
    """What to say of a partially observable model that has labels, too, which nobody sees."""
    names = sorted(set(states.label_names) - DROPPED)
    if states.observations is None or settings.observe or settings.observe_labels or not names:
        return ()
    return (f"an observer sees the model's observations; its labels ({', '.join(names)}) are not visible",)


def _refuse_unknown(states: Described, settings: Settings) -> None:
    if settings.observe and settings.observe_labels:
        raise InputError(Defect(states.source, "both variables and labels are to be visible", "choose one of them"))
    known: tuple[tuple[str, Sequence[str], Collection[str]], ...] = (
        ("variable", settings.observe, states.variables.keys()),
        ("label", settings.observe_labels, states.label_names),
    )
    defects = []
    for kind, asked, there in known:
        for name in asked:
            if name not in there:
                near = get_close_matches(name, there, n=1)
                listed = f"did you mean {near[0]!r}?" if near else _list(kind, there)
                defects.append(Defect(states.source, f"it has no {kind} {name!r}", listed))
    if defects:
        raise InputError(defects)


def _choice(states: Described) -> str:
    if not states.variables:
        return "add labels to the model; it has no variables to observe either"
    return f"choose what is seen, `observe` x,y; {_list('variable', states.variables.keys())}"


def _list(kind: str, names: Collection[str]) -> str:
    return f"its {kind}s are {', '.join(sorted(names)) or 'none'}"


def value_text(value: object) -> str:
    """A variable's value as it is written in labels and names: ``true``, ``-3``, ``1/2``; empty for no value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_fraction(value) if isinstance(value, int | Fraction) else str(value)


def _seen_text(value: object) -> str:
    """A value as an observer sees it; a text that could be taken for another value, or for several, in quotes.

    What looks alike is alike: two states of one label are not told apart by it.
    """
    return json.dumps(value) if isinstance(value, str) and not _BARE_TEXT.fullmatch(value) else value_text(value)


def state_names(size: int, variables: Mapping[str, Sequence[object]], initial: Sequence[int] = ()) -> list[str]:
    """``x=0,y=true`` for each state, made unique; the number of a state that has no variables.

    Several initial states are named by the variables in which they differ, since they are what results speak of.

    >>> state_names(4, {"x": [0, 1, 1, None]})
    ['x=0', 'x=1', 'x=1 #2', '3']
    >>> state_names(3, {"step": [0, 0, 1], "x": [0, 1, 1]}, initial=[0, 1])
    ['x=0', 'x=1', 'step=1,x=1']
    """
    columns = [_assignments(name, values) for name, values in variables.items()]
    differing = [column for column in columns if len({column[state] for state in initial}) > 1]
    starts = set(initial)
    if columns and not differing and not any(None in column for column in columns):
        plainly = list(map(",".join, zip(*columns, strict=True)))
        if len(set(plainly)) == size and "" not in plainly:
            return plainly
    names: list[str] = []
    uses: dict[str, int] = {}
    for state in range(size):
        shown = differing if differing and state in starts else columns
        parts = (column[state] for column in shown)
        name = ",".join(part for part in parts if part is not None) or str(state)
        uses[name] = uses.get(name, 0) + 1
        names.append(name if uses[name] == 1 else f"{name} #{uses[name]}")
    return names


def _assignments(name: str, values: Sequence[object]) -> list[str | None]:
    """``name=value`` in each state, None where there is no value; each text is made once."""
    texts: dict[tuple[type, object], str | None] = {(type(None), None): None}
    column = []
    for value in values:
        key = (type(value), value)
        if key not in texts:
            texts[key] = f"{name}={value_text(value)}"
        column.append(texts[key])
    return column


def initial_pairs(initial: Sequence[int]) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """All pairs of the initial states, and a note when there are too many of them to take all pairs."""
    if len(initial) > MAX_INITIAL:
        return [], (f"{len(initial)} initial states are too many to compare all: name the pairs to compare",)
    return list(combinations(initial, 2)), ()


def rows_by_input(
    choices: Sequence[InputChoice], where: str, how_to_name: str, defects: list[Defect]
) -> AnyRawRow | Mapping[str, AnyRawRow]:
    """The row of a state that offers no choice, or its rows by input; adds to ``defects`` what keeps it from being one.

    >>> rows_by_input([((), [(0, 1)])], "state 's'", "", [])
    [(0, 1)]
    >>> rows_by_input([(("a",), [(0, 1)]), (("b",), [(1, 1)])], "state 's'", "", [])
    {'a': [(0, 1)], 'b': [(1, 1)]}
    """
    if len(choices) == 1 and not choices[0][0]:
        return choices[0][1]
    unnamed = sum(not names for names, _ in choices)
    if unnamed:
        what = f"it has {len(choices)} actions, {unnamed} of them without a name"
        defects.append(Defect(where, what, f"the observer chooses by name: {how_to_name}"))
    defects += [
        Defect(where, f"its action has several names, {', '.join(map(repr, sorted(names)[:4]))}", "keep one of them")
        for names, _ in choices
        if len(names) > 1
    ]
    counts = Counter(names[0] for names, _ in choices if len(names) == 1)
    for name, count in counts.items():
        if count > 1:
            fix = "rename all but one: the observer could not choose between them"
            defects.append(Defect(where, f"{count} of its actions are named {name!r}", fix))
    return {min(names): row for names, row in choices if names}


def dropped_notes(names: Iterable[Iterable[str]], *, keep: bool) -> tuple[str, ...]:
    """What to say of the label names that were dropped, given those of each state; and that no other is left."""
    counts = Counter(name for state in names for name in set(state))
    gone = sorted(counts.keys() & DROPPED, reverse=True)
    if keep or not gone:
        return ()
    listed = (f"{name!r} of {counts[name]} state{'' if counts[name] == 1 else 's'}" for name in gone)
    left = counts.keys() - DROPPED
    nothing = "" if left else "; no other label is left, so nothing is seen (keep_labels, --keep-labels, keeps them)"
    return (f"dropped the labels {', '.join(listed)}{nothing}",)
