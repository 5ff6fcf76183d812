"""What a watcher sees of a model whose states have variables and sets of label names.

A state of a chain has one label. It is made of the values of chosen variables (``x=0,y=true``), or of those
of the chosen label names that the state has, or, when nothing is chosen, of all its label names without
``init`` and ``deadlock``. A model without other labels shows nothing unless it is told what to show: that is
an error, since every δ of such a chain is zero for the wrong reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from itertools import combinations

from ..errors import Defect, InputError
from ..rational import format_fraction
from .label_sets import DROPPED, joined

MAX_INITIAL = 200
"""Up to so many initial states, all their pairs become the relation."""


@dataclass(frozen=True)
class Observation:
    """What is asked to be visible: variables, or label names, or (both empty) the labels by default."""

    variables: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    keep_labels: bool = False
    """Keep the names ``init`` and ``deadlock`` by default."""


@dataclass(frozen=True)
class Described:
    """The states of a model as another tool describes them."""

    source: str
    label_names: tuple[str, ...]
    """Every label name that the model declares."""
    label_sets: Sequence[Collection[str]]
    """One set of label names a state."""
    variables: Mapping[str, Sequence[object]]
    """Variable → its value in each state."""


def visible_labels(states: Described, wanted: Observation) -> list[str]:
    """One label a state; InputError for unknown variables or labels, and for a model that shows nothing."""
    _refuse_unknown(states, wanted)
    if wanted.variables:
        columns = [[f"{name}={value_text(v)}" for v in states.variables[name]] for name in wanted.variables]
        return [",".join(parts) for parts in zip(*columns, strict=True)]
    chosen = frozenset(wanted.labels or (n for n in states.label_names if wanted.keep_labels or n not in DROPPED))
    if not chosen:
        what = "it declares no labels, so a watcher would see nothing"
        raise InputError(Defect(states.source, what, _choice(states)))
    texts: dict[frozenset[str], str] = {}
    labels = []
    for state, names in enumerate(states.label_sets):
        kept = chosen.intersection(names)
        if kept not in texts:
            try:
                texts[kept] = joined(kept)
            except ValueError as reason:
                raise InputError(Defect(f"{states.source}: state {state}", str(reason), "rename the label")) from None
        labels.append(texts[kept])
    return labels


def _refuse_unknown(states: Described, wanted: Observation) -> None:
    if wanted.variables and wanted.labels:
        raise InputError(Defect(states.source, "both variables and labels are to be visible", "choose one of them"))
    known: tuple[tuple[str, tuple[str, ...], Collection[str]], ...] = (
        ("variable", wanted.variables, states.variables.keys()),
        ("label", wanted.labels, states.label_names),
    )
    defects = []
    for kind, asked, there in known:
        for name in asked:
            if name not in there:
                near = get_close_matches(name, there, n=1)
                listed = f"did you mean {near[0]!r}?" if near else _listed(kind, there)
                defects.append(Defect(states.source, f"it has no {kind} {name!r}", listed))
    if defects:
        raise InputError(defects)


def _choice(states: Described) -> str:
    if not states.variables:
        return "add labels to the model; it has no variables to observe either"
    return f"choose what is seen, `observe` x,y; {_listed('variable', states.variables.keys())}"


def _listed(kind: str, names: Collection[str]) -> str:
    return f"its {kind}s are {', '.join(sorted(names)) or 'none'}"


def value_text(value: object) -> str:
    """A variable's value as it is written in labels and names: ``true``, ``-3``, ``1/2``; empty for no value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return format_fraction(value) if isinstance(value, int | Fraction) else str(value)


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
