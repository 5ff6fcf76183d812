"""A protocol written as a Python function, and the labelled Markov chain that it means.

A state of the chain is a letter with the configuration after it; a transition goes to the next announcement, to the end
of the run, or to divergence. Each secret has a start state of its own, all with the label ``start``. A question is a
state too: its label is the prompt, which shows the options, and its inputs are the options; what was announced before
it has been seen by then. The end and divergence are absorbing states with labels of their own, ``end`` and
``diverges``: a watcher sees that a run is over, or that nothing will come any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import Any

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Chain, Valuation
from .binding import Parameter, bind_secrets, live_parameters, written_parameters
from .explore import Explorer
from .graph import Graph
from .lower import lower_function
from .names import FileNames, Scope, live_names
from .source import ProgramError, Source, find_definition, parse, read_source
from .states import States
from .values import Value, show

MAX_STATES = 100_000
"""How many states a chain may have unless the caller says otherwise."""

TEXT = "<text>"
"""What stands for a file name where a program is given as text."""

Secret = Mapping[str, object]


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
        states = States(explorer, [explorer.enter(values) for values in bindings.environments])
        moves = states.rows()
        starts = len(bindings.names)
        names = (*bindings.names, *states.names(bindings.names, starts))
        valuations = (*bindings.environments, *map(states.values, range(starts, len(states.states))))
        recorded = tuple(map(_recorded, valuations))
        return Chain(names, states.labels, moves, tuple(_related(secrets, neighbours)), recorded, states.inputs)


def program(function: Callable[..., object] | str) -> Program:
    """Compile a protocol that is written as a Python function; used as a decorator, or called with the text of one.

    The function is read from its source file and never run. Everything that is not in the language (see
    docs/programs.md) is reported at once, each with file, line, column and the fix: `ProgramError`. Of a text, the
    program is the last function; it needs no decorator, and those that it calls stand above it with theirs.

    >>> program("def coin(bias): announce(flip(bias))")
    <program coin(bias)>
    """
    if isinstance(function, str):
        return _program_of_text(function)
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        raise ProgramError(f"@program needs a plain function or the text of one, not {kind}: decorate a `def`")
    source, node = find_definition(function)
    return _compiled(node, source, live_names(function), lambda: live_parameters(function, node, source))


def program_names(path: str | Path) -> tuple[str, ...]:
    """The programs that a file defines at its top level, in order."""
    return _names(read_source(path)).programs


def load_program(path: str | Path, name: str) -> Program:
    """The program ``name`` of a Python file, which is parsed and not run.

    Raises ProgramError: the file cannot be read or parsed, has no such program, or the program (or a helper
    of it) is not in the language; every defect with file, line and column.
    """
    return _names(read_source(path)).program(name)


def _program_of_text(text: str) -> Program:
    source = parse(dedent(text), TEXT)
    names = _names(source)
    functions = [node for node in source.module.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise ProgramError(Defect(TEXT, "it defines no function", "write def protocol(secret): …"))
    return _written(functions[-1], source, names)


def _names(source: Source) -> FileNames:
    names = FileNames(source, lambda node: _written(node, source, names))
    return names


def _written(node: ast.FunctionDef, source: Source, names: FileNames) -> Program:
    return _compiled(node, source, names.scope_at(node), lambda: written_parameters(node, source, names))


def _compiled(
    node: ast.FunctionDef, source: Source, scope: Scope, find_parameters: Callable[[], tuple[Parameter, ...]]
) -> Program:
    """The program of a definition; ProgramError with the defects of its parameters and of its body."""
    defects: list[Defect] = []
    parameters: tuple[Parameter, ...] = ()
    graph = None
    try:
        parameters = find_parameters()
    except ProgramError as error:
        defects += error.defects
    try:
        graph = lower_function(node, source, scope)
    except ProgramError as error:
        defects += error.defects
    if graph is None or defects:
        raise ProgramError(defects)
    return Program(node.name, parameters, source.text(node), source.file, node.lineno, graph)


def _related(secrets: Sequence[Secret], neighbours: Callable[[Secret, Secret], bool] | None) -> list[tuple[int, int]]:
    pairs = list(combinations(range(len(secrets)), 2))
    if neighbours is None:
        return pairs
    return [(i, j) for i, j in pairs if neighbours(secrets[i], secrets[j]) or neighbours(secrets[j], secrets[i])]


def _recorded(values: Mapping[str, Value]) -> Valuation:
    """Values as a model file can hold them: ints, bools and text; anything else as it is written."""
    return {name: v if isinstance(v, bool | int | str) else show(v) for name, v in values.items()}
