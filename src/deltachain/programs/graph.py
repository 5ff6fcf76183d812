"""The control-flow graph of a program, and its live variables.

A *point* is the number of an instruction; running a program is moving from point to point. A variable is
*live* at a point when some path from there reads it before writing it: the least solution of ``live(n) =
reads(n) ∪ (⋃ live(next) − writes(n))``. Two runs at one point that agree on the live variables have the
same future, so only these belong to a state.

Calling a helper program copies its graph into the caller's, with its variables renamed: there is no call
stack, and so no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from .expressions import Constant, Expression, Variable, rewritten, variables
from .primitives import Distribution
from .problems import Place, Problem
from .values import Value

MAX_POINTS = 20_000
"""The most instructions of one program, helpers copied in."""


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``."""

    target: str
    value: Expression
    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Draw:
    """``target`` becomes a random value."""

    target: str
    distribution: Callable[..., Distribution]
    arguments: tuple[Expression, ...]
    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Announce:
    """The value of an expression is shown."""

    value: Expression
    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Ask:
    """``target`` becomes what the observer chooses among a tuple of options."""

    target: str
    options: Expression
    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a run goes depends on a value."""

    test: Expression
    then: int
    otherwise: int
    place: Place


@dataclass(frozen=True, slots=True)
class Jump:
    """The head of a loop: every cycle of the graph passes one."""

    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Forget:
    """The variables of a helper start without values at each call."""

    names: tuple[str, ...]
    next: int
    place: Place


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a run, or of a helper's part in it."""

    value: Expression | None
    place: Place


Instruction = Assign | Draw | Announce | Ask | Branch | Jump | Forget | Return


@dataclass(frozen=True, slots=True)
class Graph:
    """A program's instructions, the point where it starts, and the variables that it assigns."""

    instructions: tuple[Instruction, ...]
    entry: int
    assigned: frozenset[str]


def _successors(instruction: Instruction) -> tuple[int, ...]:
    if isinstance(instruction, Branch):
        return (instruction.then, instruction.otherwise)
    return () if isinstance(instruction, Return) else (instruction.next,)


def _expressions(instruction: Instruction) -> tuple[Expression, ...]:
    if isinstance(instruction, Assign | Announce):
        return (instruction.value,)
    if isinstance(instruction, Draw):
        return instruction.arguments
    if isinstance(instruction, Ask):
        return (instruction.options,)
    if isinstance(instruction, Branch):
        return (instruction.test,)
    if isinstance(instruction, Return) and instruction.value is not None:
        return (instruction.value,)
    return ()


def _written(instruction: Instruction) -> frozenset[str]:
    if isinstance(instruction, Assign | Draw | Ask):
        return frozenset((instruction.target,))
    return frozenset(instruction.names) if isinstance(instruction, Forget) else frozenset()


def live_variables(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The variables that are live before each point, by name in increasing order."""
    reads = [frozenset(name for e in _expressions(i) for name in variables(e)) for i in graph.instructions]
    writes = [_written(i) for i in graph.instructions]
    before: list[list[int]] = [[] for _ in graph.instructions]
    for point, instruction in enumerate(graph.instructions):
        for successor in _successors(instruction):
            before[successor].append(point)
    live = list(reads)
    pending = list(range(len(live)))
    while pending:
        point = pending.pop()
        for earlier in before[point]:
            wider = live[earlier] | (live[point] - writes[earlier])
            if wider != live[earlier]:
                live[earlier] = wider
                pending.append(earlier)
    return tuple(tuple(sorted(names)) for names in live)


def _changed(instruction: Instruction, change: Callable[[Variable], Expression]) -> Instruction:
    """The instruction with the variables that it reads replaced."""
    if isinstance(instruction, Assign | Announce):
        return replace(instruction, value=rewritten(instruction.value, change))
    if isinstance(instruction, Draw):
        return replace(instruction, arguments=tuple(rewritten(a, change) for a in instruction.arguments))
    if isinstance(instruction, Ask):
        return replace(instruction, options=rewritten(instruction.options, change))
    if isinstance(instruction, Branch):
        return replace(instruction, test=rewritten(instruction.test, change))
    if isinstance(instruction, Return) and instruction.value is not None:
        return replace(instruction, value=rewritten(instruction.value, change))
    return instruction


def specialised(graph: Graph, constants: Mapping[str, Value]) -> Graph:
    """The graph for fixed values of some variables that it never assigns."""

    def change(variable: Variable) -> Expression:
        return Constant(constants[variable.name]) if variable.name in constants else variable

    return replace(graph, instructions=tuple(_changed(i, change) for i in graph.instructions))


def splice(helper: Graph, prefix: str, result: str, exit_point: int, shift: int) -> Iterator[Instruction]:
    """The helper's instructions as part of a caller's graph, where the first of them gets the number
    ``shift``.

    Its variables get the ``prefix``; what it returns is assigned to ``result``, and it goes on at
    ``exit_point``.
    """

    def change(variable: Variable) -> Expression:
        return replace(variable, name=prefix + variable.name)

    for instruction in helper.instructions:
        moved = _changed(instruction, change)
        if isinstance(moved, Return):
            if moved.value is None:
                yield Forget((result,), exit_point, moved.place)
            else:
                yield Assign(result, moved.value, exit_point, moved.place)
        elif isinstance(moved, Branch):
            yield replace(moved, then=moved.then + shift, otherwise=moved.otherwise + shift)
        elif isinstance(moved, Forget):
            yield replace(moved, names=tuple(prefix + name for name in moved.names), next=moved.next + shift)
        elif isinstance(moved, Assign | Draw | Ask):
            yield replace(moved, target=prefix + moved.target, next=moved.next + shift)
        else:
            yield replace(moved, next=moved.next + shift)


class GraphBuilder:
    """Instructions in the making; each is added when what follows it is known."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.assigned: set[str] = set()
        self._names: dict[str, int] = {}

    def add(self, instruction: Instruction) -> int:
        """The point of a new instruction; Problem when there are too many."""
        if len(self.instructions) >= MAX_POINTS:
            what = f"the program has more than {MAX_POINTS} instructions, helper programs copied in at each call"
            raise Problem(what, "call helpers in fewer places, for instance from one loop", instruction.place)
        self.instructions.append(instruction)
        if isinstance(instruction, Assign | Draw | Ask):
            self.assigned.add(instruction.target)
        return len(self.instructions) - 1

    def add_helper(self, helper: Graph, prefix: str, result: str, exit_point: int) -> int:
        """The entry of a copy of ``helper``; see `splice`."""
        shift = len(self.instructions)
        for instruction in splice(helper, prefix, result, exit_point, shift):
            self.add(instruction)
        return helper.entry + shift

    def close_loop(self, head: int, entry: int) -> None:
        """Let the loop head ``head`` lead to ``entry``."""
        self.instructions[head] = Jump(entry, self.instructions[head].place)

    def fresh(self, base: str) -> str:
        """A variable of the compiler's own; ``base`` holds a character that no Python name has."""
        count = self._names[base] = self._names.get(base, 0) + 1
        return base if count == 1 else f"{base}#{count}"

    def finish(self, entry: int) -> Graph:
        """The graph built so far, without what cannot be reached."""
        number: dict[int, int] = {}
        stack = [entry]
        while stack:
            point = stack.pop()
            if point not in number:
                number[point] = len(number)
                stack.extend(_successors(self.instructions[point]))
        kept = tuple(_renumbered(self.instructions[point], number) for point in number)
        return Graph(kept, 0, frozenset(self.assigned))


def _renumbered(instruction: Instruction, number: Mapping[int, int]) -> Instruction:
    if isinstance(instruction, Branch):
        return replace(instruction, then=number[instruction.then], otherwise=number[instruction.otherwise])
    if isinstance(instruction, Return):
        return instruction
    return replace(instruction, next=number[instruction.next])
