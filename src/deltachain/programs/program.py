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
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from types import FunctionType
from typing import Any

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Chain, Moves, Row, Valuation
from .binding import Parameter, arguments_of, bind_secrets, parameters_of
from .explore import DIVERGES, END, START, Explorer
from .fold import Event, Folding
from .graph import Graph, Return, specialised
from .lower_statement import lower_function
from .module_scope import ModuleScope, closure_refusal
from .problems import ProgramError
from .scope import FunctionScope, Known, Scope, Unusable, classified
from .source import Source, find_definition
from .state_names import Moment, state_names
from .values import Value, show

MAX_STATES = 100_000
"""How many configurations, hidden ones included, are explored unless the caller says otherwise."""

ENTRIES_PER_STATE = 20
STATES_PER_CHECK = 200

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
        """The program's chain: exact, one start state a secret, in the order given.

        ``secrets`` give values to some parameters, ``constants`` to others, defaults to the rest. Two
        secrets are related when ``neighbours`` says so of them in either order, or, without it, always.
        ``max_states`` bounds the configurations that are explored, hidden ones included.

        Raises ProgramError for values that do not fit the parameters (all defects at once), for what goes
        wrong in a reachable configuration (division by zero, a probability above 1, …), and when the budget
        runs out; Stopped when it is cancelled.
        """
        if isinstance(max_states, bool) or not isinstance(max_states, int) or max_states < 1:
            raise InputError(f"max_states is {max_states!r}: give a positive int")
        bindings = bind_secrets(self.name, self.parameters, secrets, constants or {})
        graph = _closed(self.graph, bindings.fixed)
        explorer = Explorer(graph, max_states, cancel or Cancel())
        folding = Folding(explorer, ENTRIES_PER_STATE * max_states)
        entries = [explorer.enter(environment) for environment in bindings.environments]
        states = _States(explorer, folding, len(entries))
        moves = states.explore(entries)
        names = (*bindings.names, *state_names(states.moments, bindings.names))
        valuations = (*bindings.environments, *states.values)
        pairs = _related(secrets, neighbours)
        recorded = tuple(map(_recorded, valuations))
        return Chain(names, tuple(states.labels), moves, tuple(pairs), recorded, states.inputs)


def program(function: Callable[..., object] | str) -> Program:
    """Compile a protocol that is written as a Python function; used as a decorator, or called with the text of one.

    The function is read from its source file and never run. Everything that is not in the language (see
    docs/programs.md) is reported at once, each with file, line, column and the fix: `ProgramError`. Of a text, the
    program is the last function; it needs no decorator, and those that it calls stand above it with theirs.

    >>> program("def coin(bias): announce(flip(bias))")
    <program coin(bias)>
    """
    if isinstance(function, str):
        from .load import program_of_text

        return program_of_text(function)
    if not isinstance(function, FunctionType):
        raise ProgramError(
            f"@program needs a plain function or the text of one, not {type(function).__name__}: decorate a `def`"
        )
    source, node = find_definition(function)
    module = ModuleScope(source, build=_not_built)
    parameters = parameters_of(function, node, source.place(node))
    defects = _doubtful_defaults(node, source, module, {p.name: p.default for p in parameters})
    try:
        graph = lower_function(node, source, _scope_of(function, source, node, module))
    except ProgramError as error:
        raise ProgramError([*defects, *error.defects]) from None
    if defects:
        raise ProgramError(defects)
    return Program(function.__name__, parameters, source.text(node), source.file, node.lineno, graph)


def _not_built(node: ast.FunctionDef, scope: Scope) -> Program:  # noqa: ARG001  (a builder's signature)
    """Other programs of a module that is really imported are taken as they are, not built from its text."""
    raise ProgramError(f"{node.name} is a program")


def _scope_of(function: FunctionType, source: Source, node: ast.FunctionDef, module: ModuleScope) -> FunctionScope:
    """The names around a decorated function, less those that the text of its file may bind again."""
    order = module.at(node).order

    def refused(name: str, in_closure: bool) -> Unusable | None:
        if in_closure:
            return closure_refusal(source, node, name)
        again = module.refused(name, order) or module.rounded_name(name)
        if again is None and name in function.__globals__:
            meaning = classified(name, function.__globals__[name])
            return module.changed(name, meaning.value) if isinstance(meaning, Known) else None
        return again

    return FunctionScope(function, refused)


def _doubtful_defaults(
    node: ast.FunctionDef, source: Source, module: ModuleScope, values: Mapping[str, Value | None]
) -> list[Defect]:
    """The defaults of a function at the top level that its file, read as text, would not agree on."""
    here = module.at(node)
    defects: list[Defect] = []
    for argument, _, default in arguments_of(node):
        if default is None or here.order is None:
            continue
        place = str(source.place(default))
        names = sorted({n.id for n in ast.walk(default) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)})
        value = values.get(argument)
        found = (module.refused(n, here.order) or (None if value is None else module.changed(n, value)) for n in names)
        refused = [reason for reason in found if reason is not None]
        defects += [Defect(place, f"the default of {argument!r}: {reason.what}", reason.fix) for reason in refused]
        difference = module.rounded(default, here)
        if difference and not refused:
            what = f"the default of {argument!r} is not exact: {difference}"
            defects.append(Defect(place, what, "write the value itself, or Fraction(1, 3)"))
    return defects


def _closed(graph: Graph, fixed: Mapping[str, Value]) -> Graph:
    """The graph as it runs by itself: fixed parameters put in; returned values dropped, nobody reads them."""
    body = specialised(graph, {name: value for name, value in fixed.items() if name not in graph.assigned})
    ends = (Return(None, i.place) if isinstance(i, Return) else i for i in body.instructions)
    return replace(body, instructions=tuple(ends))


def _related(secrets: Sequence[Secret], neighbours: Callable[[Secret, Secret], bool] | None) -> list[tuple[int, int]]:
    pairs = list(combinations(range(len(secrets)), 2))
    if neighbours is None:
        return pairs
    return [(i, j) for i, j in pairs if neighbours(secrets[i], secrets[j]) or neighbours(secrets[j], secrets[i])]


def _recorded(values: Mapping[str, Value]) -> Valuation:
    """Values as a model file can hold them: ints, bools and text; anything else as it is written."""
    return {name: v if isinstance(v, bool | int | str) else show(v) for name, v in values.items()}


class _States:
    """The chain's states in the order in which they are met, start states first."""

    def __init__(self, explorer: Explorer, folding: Folding, starts: int) -> None:
        self._explorer, self._folding = explorer, folding
        self.labels: list[str] = [START] * starts
        self.moments: list[Moment] = []
        """What happened before each state after the start states."""
        self.values: list[Mapping[str, Value]] = []
        """The variables in each of them."""
        self.inputs: dict[str, tuple[str, ...]] = {}
        """The options of each prompt."""
        self._of_event: dict[int, int] = {}
        self._after: list[Event] = []
        """What happened last in each state: the letter, and where the program stands."""

    def explore(self, entries: Sequence[int]) -> tuple[Moves, ...]:
        """Add every state that the start states reach; the rows of all of them."""
        moves: list[Moves] = []
        self._after = [Event(START, entry) for entry in entries]
        cancel = self._explorer.cancel
        while len(moves) < len(self.labels):
            state = len(moves)
            if not state % STATES_PER_CHECK:
                cancel.check()
                cancel.report(f"exploring the program: {state} of {len(self.labels)} states so far")
            here = self._after[state]
            if self.labels[state] in (END, DIVERGES):
                moves.append((((state, Fraction(1)),),))
            elif here.asks:
                options = self._explorer.question(here.configuration)
                answers = [self._explorer.answered(here.configuration, value) for _, value in options]
                moves.append(tuple(map(self._row, answers)))
            else:
                moves.append((self._row(here.configuration),))
        self._refuse_announced_prompts()
        return tuple(moves)

    def _row(self, configuration: int) -> Row:
        """Where a run goes that stands in the configuration; what is met for the first time is added."""
        row = []
        for event, probability in self._folding.law(configuration).items():
            if event not in self._of_event:
                self._of_event[event] = self._add(event)
            row.append((self._of_event[event], probability))
        return tuple(sorted(row))

    def _refuse_announced_prompts(self) -> None:
        """A letter that looks like a prompt would let the observer ask where the program does not."""
        for label, event in zip(self.labels, self._after, strict=True):
            if label in self.inputs and not event.asks:
                asking = next(e for e in self._after if e.asks and e.letter == label)
                place = str(self._explorer.instruction(asking.configuration).place)
                what = f"this question looks like {label!r}, which is also announced"
                raise ProgramError(Defect(place, what, "announce another word"))

    def _add(self, event: int) -> int:
        shown = self._folding.events[event]
        letter, configuration = shown.letter, shown.configuration
        if shown.asks:
            self.inputs[letter] = tuple(name for name, _ in self._explorer.question(configuration))
        values: Mapping[str, Value] = {}
        where = ""
        if event in (Folding.END, Folding.DIVERGENCE):
            letter = END if event == Folding.END else DIVERGES
        elif configuration != Explorer.DEAD_END:
            values = self._explorer.values[configuration]
            upcoming = self._explorer.instruction(configuration)
            where = "end" if isinstance(upcoming, Return) else str(upcoming.place.line)
        self.labels.append(letter)
        self._after.append(shown)
        self.moments.append(Moment(letter, where))
        self.values.append(values)
        return len(self.labels) - 1
