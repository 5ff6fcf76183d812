"""A protocol written as a Python function, and the labelled Markov chain that it means.

A state of the chain is a letter with the configuration after it; a transition goes to the next announcement, to the end
of the run, or to divergence. Each secret has a start state of its own, all with the label ``start``. A question is a
state too: its label is the prompt, which shows the options, and its inputs are the options; what was announced before
it has been seen by then. The end and divergence are absorbing states with labels of their own, ``end`` and
``diverges``: a watcher sees that a run is over, or that nothing will come any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Chain, Valuation
from .explore import Explorer
from .graph import Graph
from .source import Problem, ProgramError, suggestion
from .states import States
from .values import Table, Value, as_value, identity, kind, show, show_letter

MAX_STATES = 100_000
"""How many states a chain may have unless the caller says otherwise."""

Secret = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a program; ``default`` is None when it must be given."""

    name: str
    default: Value | None = None
    declared: str = ""
    """The type that its annotation names, if that is a type of values: a secret or constant of another is refused."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The values that a program is explored with."""

    names: tuple[str, ...]
    """One name a secret, as in ``paying=0``."""
    environments: tuple[dict[str, Value], ...]
    """One environment a secret: the values of all parameters."""
    fixed: dict[str, Value]
    """The parameters that no secret names: the same value in every environment."""


DECLARED: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (Table,),
    "Fraction": (int, Fraction),
    "int": (int,),
    "range": (range,),
    "str": (str,),
    "tuple": (tuple,),
}
"""Name of an annotation → the types of the values that it admits."""


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """A checked program; `chain` gives its Markov chain. It is never run as Python."""

    name: str
    parameters: tuple[Parameter, ...]
    source: str
    """The text of the function."""
    file: str
    line: int
    graph: Graph

    def __repr__(self) -> str:
        """The program as it is declared: ``<program dining(paying, n=3)>``."""
        declared = (p.name if p.default is None else f"{p.name}={show(p.default)}" for p in self.parameters)
        return f"<program {self.name}({', '.join(declared)})>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:  # noqa: ARG002
        """Programs are not run: this explains what to do instead."""
        first = self.parameters[0].name if self.parameters else ""
        example = f"{self.name}.chain(secrets=[dict({first}=…), dict({first}=…)])"
        raise ProgramError(
            f"{self.name} is a program: it is compiled, not called; use {example}, or call it in a program"
        )

    def chain(
        self,
        secrets: Sequence[Secret],
        *,
        constants: Mapping[str, object] | None = None,
        neighbours: Callable[[Secret, Secret], bool] | None = None,
        max_states: int = MAX_STATES,
        cancel: Cancel | None = None,
    ) -> Chain:
        """The program's chain: exact, one start state per secret, in the order given.

        Args:
            secrets: The values of some parameters, a mapping for each secret.
            constants: The values of other parameters, the same for all secrets; defaults give the rest.
            neighbours: Whether two secrets are related, asked in both orders; without it, all are.
            max_states: How many states the chain may have. What is explored between announcements, the transitions
                and the steps are bounded in proportion (docs/programs.md, Limits).
            cancel: Where progress goes, and what may end the work.

        Raises:
            ProgramError: Values do not fit the parameters (all defects at once); something goes wrong in a reachable
                configuration (division by zero, a probability above 1, …); a budget runs out.
            Stopped: It was cancelled.
        """
        if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 1:
            raise InputError(f"max_states is {max_states!r}: give a positive int")
        bindings = bind_secrets(self.name, self.parameters, secrets, constants or {})
        fixed = {name: value for name, value in bindings.fixed.items() if name not in self.graph.assigned}
        explorer = Explorer(self.graph.with_constants(fixed).without_results(), max_states, cancel or Cancel())
        states = States(explorer, _entries(explorer, bindings.environments))
        moves = states.rows()
        starts = len(bindings.names)
        names = (*bindings.names, *states.names(bindings.names, starts))
        valuations = (*bindings.environments, *map(states.values, range(starts, len(states.states))))
        recorded = tuple(map(_recorded, valuations))
        return Chain(names, states.labels, moves, tuple(_related(secrets, neighbours)), recorded, states.inputs)


def _entries(explorer: Explorer, environments: Sequence[Mapping[str, Value]]) -> list[int]:
    """Where a run first stops with each secret; ProgramError with all those that go wrong, or that are refused."""
    entries: list[int] = []
    defects: list[Defect] = []
    for values in environments:
        try:
            entries.append(explorer.enter(values))
        except ProgramError as error:
            defects += error.defects
    if defects:
        raise ProgramError(defects)
    return entries


def bind_secrets(
    program: str,
    parameters: Sequence[Parameter],
    secrets: Sequence[Mapping[str, object]],
    constants: Mapping[str, object],
) -> Bindings:
    """Values for every parameter under every secret; ProgramError with everything that does not fit."""
    defects: list[Defect] = []
    if not isinstance(constants, Mapping):
        raise ProgramError(
            Defect("constants", f"{type(constants).__name__} is not a mapping", "give a dict {name: value}")
        )
    if isinstance(secrets, Mapping | str) or not all(isinstance(secret, Mapping) for secret in secrets):
        raise ProgramError(Defect("secrets", "not a list of dicts", "give one dict a secret: [dict(x=0), dict(x=1)]"))
    if not secrets:
        raise ProgramError(Defect("secrets", "there are none", "give one dict a secret: [dict(x=0), dict(x=1)]"))
    known = _read("constants", constants, parameters, defects)
    read = [_read(f"secret {n}", secret, parameters, defects) for n, secret in enumerate(secrets, start=1)]
    secret_names = {name for values in read for name in values}
    defects += [
        Defect("constants", f"{name!r} is also given by a secret", "give it in one place")
        for name in sorted(secret_names & known.keys())
    ]
    defaults = {p.name: p.default for p in parameters if p.default is not None}
    for n, values in enumerate(read, start=1):
        missing = [p.name for p in parameters if p.name not in values | known | defaults]
        defects += [
            Defect(f"secret {n}", f"{program} needs {m!r}", "give it here, as a constant, or a default")
            for m in missing
        ]
    if not defects:
        defects = _repeated(read)
    if defects:
        raise ProgramError(defects)
    fixed = {name: value for name, value in (defaults | known).items() if name not in secret_names}
    environments = tuple(defaults | known | values for values in read)
    return Bindings(_names(read), environments, fixed)


def _repeated(read: Sequence[Mapping[str, Value]]) -> list[Defect]:
    first: dict[object, int] = {}
    defects: list[Defect] = []
    for n, values in enumerate(read, start=1):
        key = frozenset((name, identity(value)) for name, value in values.items())
        if first.setdefault(key, n) != n:
            what = f"it is the same as secret {first[key]}"
            defects.append(Defect(f"secret {n}", what, "give each secret once"))
    return defects


def _read(
    where: str, given: Mapping[str, object], parameters: Sequence[Parameter], defects: list[Defect]
) -> dict[str, Value]:
    names = [p.name for p in parameters]
    declared = {p.name: p.declared for p in parameters if p.declared}
    values: dict[str, Value] = {}
    for name, thing in given.items():
        if name not in names:
            fix = suggestion(str(name), names, "the parameters are")
            defects.append(Defect(where, f"there is no parameter {name!r}", fix))
            continue
        try:
            values[name] = as_value(thing)
        except Problem as problem:
            defects.append(Defect(where, f"{name}: {problem.what}", problem.fix))
            continue
        if name in declared and not isinstance(values[name], DECLARED[declared[name]]):
            shown = show(values[name])
            what = f"{name}: {shown} is {kind(values[name])}, and {name!r} is declared as {declared[name]}"
            defects.append(Defect(where, what, f"give a {declared[name]}"))
    return values


def _names(read: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """``paying=0`` or ``a=1, b=2``; made unique where texts of different values agree."""
    names: list[str] = []
    for values in read:
        name = ", ".join(f"{k}={show_letter(v)}" for k, v in values.items()) or "start"
        count = sum(1 for other in names if other == name or other.startswith(f"{name} #"))
        names.append(name if not count else f"{name} #{count + 1}")
    return tuple(names)


def _related(secrets: Sequence[Secret], neighbours: Callable[[Secret, Secret], bool] | None) -> list[tuple[int, int]]:
    pairs = list(combinations(range(len(secrets)), 2))
    if neighbours is None:
        return pairs
    return [(i, j) for i, j in pairs if neighbours(secrets[i], secrets[j]) or neighbours(secrets[j], secrets[i])]


def _recorded(values: Mapping[str, Value]) -> Valuation:
    """Values as a model file can hold them: ints, bools and text; anything else as it is written."""
    return {name: v if isinstance(v, bool | int | str) else show(v) for name, v in values.items()}
