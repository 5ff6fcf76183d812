"""Names for the states of a program's chain: the letter, where the program stands, and what differs there.

States with one letter and one line are told apart by as few variables as will do. Variables of the program itself
are shown rather than those of its helpers, and those rather than what a loop has still to do. The valuations of the
chain hold all the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .values import Value, identity, show

NAME_LENGTH = 80
"""The longest name, in characters, before a number that makes it unique."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a state's name is made from: the letter, the place (``line 7``; empty for none), and the variables."""

    letter: str
    where: str
    values: Mapping[str, Value]


def describe(name: str, value: Value) -> str:
    """``i=3``; for what a loop has still to do, ``i in range(1, 3)``; for a helper's variable, ``helper@18.v=3``."""
    call, dot, own = name.rpartition(".")
    shown = f"{call.partition(':')[0]}{dot}{own.partition('#')[0]}"
    return f"{shown} {show(value)}" if shown.endswith(" in") else f"{shown}={show(value)}"


def state_names(moments: Sequence[Moment], taken: Iterable[str]) -> list[str]:
    """One name a moment, all different, and different from those ``taken``."""
    groups: dict[tuple[str, str], list[Moment]] = {}
    for moment in moments:
        groups.setdefault((moment.letter, moment.where), []).append(moment)
    variables = {group: _telling([moment.values for moment in members]) for group, members in groups.items()}
    used, counts = set(taken), dict[str, int]()
    names: list[str] = []
    for moment in moments:
        telling = variables[moment.letter, moment.where]
        known = ", ".join(describe(name, moment.values[name]) for name in telling if name in moment.values)
        names.append(_unique(_shortened(moment, known), used, counts))
    return names


def _shortened(moment: Moment, known: str) -> str:
    name = moment.letter + (f"; {moment.where}" if moment.where else "") + (f": {known}" if known else "")
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 1]}…"


def _unique(name: str, used: set[str], counts: dict[str, int]) -> str:
    unique = name
    while unique in used:
        counts[name] = counts.get(name, 1) + 1
        unique = f"{name} #{counts[name]}"
    used.add(unique)
    return unique


def _telling(states: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """A set of variables that tells the states apart, none of which can be left out, in order of name."""
    columns: dict[str, list[int]] = {}
    for name in sorted({name for values in states for name in values}):
        numbers: dict[object, int] = {}
        keys = (identity(values[name]) if name in values else None for values in states)
        column = [numbers.setdefault(key, len(numbers)) for key in keys]
        if len(numbers) > 1:
            columns[name] = column
    apart = len(set(zip(*columns.values(), strict=True)))
    candidates = list(reversed(columns))
    candidates.sort(key=_readability)
    for name in candidates:
        others = [column for other, column in columns.items() if other != name]
        if len(set(zip(*others, strict=True))) == apart:
            del columns[name]
    return tuple(columns)


def _readability(name: str) -> tuple[bool, bool, int]:
    """Low for the compiler's own variables, higher for a helper's, highest for the program's."""
    own = name.rpartition(".")[2]
    return (not own.partition("#")[0].endswith(" in") and "@" not in own, "@" not in name, -len(name))
