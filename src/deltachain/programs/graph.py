"""The control-flow graph of a program, and its live variables.

A *point* is the number of an instruction; running a program is moving from point to point. A variable is *live* at a
point when some path from there reads it before writing it: the least solution of ``live(n) = reads(n) ∪ ⋃ (live(m) −
what n writes on the way to m)``. Two runs at one point that agree on the live variables have the same future, so only
these belong to a state.

Calling a helper program copies its graph into the caller's, with its variables renamed: there is no call stack, and so
no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from .expressions import Constant, Expression, Variable, rewritten, variables
from .operations import asserted
from .primitives import Distribution
from .source import Place, Problem
from .values import Value

MAX_POINTS = 20_000
"""The most instructions of one program, helpers copied in."""


class Kind(Enum):
    """What an instruction does; its expressions are called e, f, …, its variables v."""

    ASSIGN = "v = e"
    DRAW = "v becomes a random value, whose distribution has the parameters e, f, …"
    ANNOUNCE = "the value of e is shown"
    ASK = "v becomes what the observer chooses among the tuple e"
    BRANCH = "a run goes on at `next` if e is true, and else at `otherwise`"
    TURN = "v becomes the first of the items e, and they become the rest; without items a run goes on at `otherwise`"
    JUMP = "nothing: the head of a loop, of which every cycle of the graph has one"
    FORGET = "the variables have no value any more, as those of a helper at each call"
    RETURN = "the end of a run, or of a helper's part in it, with or without a value e"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step of a program. What it writes, it writes only on the way to ``next``."""

    kind: Kind
    place: Place
    next: int = -1
    reads: tuple[Expression, ...] = ()
    writes: tuple[str, ...] = ()
    otherwise: int | None = None
    distribution: Callable[..., Distribution] | None = None

    @property
    def successors(self) -> tuple[int, ...]:
        """Where a run may go on; nowhere from a return."""
        if self.kind is Kind.RETURN:
            return ()
        return (self.next,) if self.otherwise is None else (self.next, self.otherwise)

    def moved(self, number: Callable[[int], int]) -> Instruction:
        """The same instruction where points have other numbers."""
        if self.kind is Kind.RETURN:
            return self
        otherwise = None if self.otherwise is None else number(self.otherwise)
        return replace(self, next=number(self.next), otherwise=otherwise)

    def reading(self, change: Callable[[Variable], Expression]) -> Instruction:
        """The instruction with the variables that it reads replaced."""
        return replace(self, reads=tuple(rewritten(expression, change) for expression in self.reads))


@dataclass(frozen=True, slots=True)
class Graph:
    """A program's instructions, the point where it starts, and the variables that it assigns."""

    instructions: tuple[Instruction, ...]
    entry: int
    assigned: frozenset[str]

    def with_constants(self, constants: Mapping[str, Value]) -> Graph:
        """The graph for fixed values of some variables that it never assigns."""

        def change(variable: Variable) -> Expression:
            return Constant(constants[variable.name]) if variable.name in constants else variable

        return replace(self, instructions=tuple(i.reading(change) for i in self.instructions))

    def without_results(self) -> Graph:
        """The graph as it runs by itself: returned values dropped, nobody reads them."""
        ends = (replace(i, reads=()) if i.kind is Kind.RETURN else i for i in self.instructions)
        return replace(self, instructions=tuple(ends))

    def conditioned(self) -> Instruction | None:
        """An ``assert`` whose condition is computed from a draw or an answer; None if there is none."""
        unsure = {v for i in self.instructions if i.kind in (Kind.DRAW, Kind.ASK) for v in i.writes}
        known = -1
        while known != len(unsure):
            known = len(unsure)
            for i in self.instructions:
                if any(name in unsure for expression in i.reads for name in variables(expression)):
                    unsure.update(i.writes)
                    if any(getattr(expression, "function", None) is asserted for expression in i.reads):
                        return i
        return None


def live_variables(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """The variables that are live before each point, by name in increasing order."""
    live = [frozenset(name for e in i.reads for name in variables(e)) for i in graph.instructions]
    before: list[list[tuple[int, frozenset[str]]]] = [[] for _ in graph.instructions]
    for point, i in enumerate(graph.instructions):
        for successor in i.successors:
            before[successor].append((point, frozenset(i.writes if successor == i.next else ())))
    pending = list(range(len(live)))
    while pending:
        point = pending.pop()
        for earlier, written in before[point]:
            wider = live[earlier] | (live[point] - written)
            if wider != live[earlier]:
                live[earlier] = wider
                pending.append(earlier)
    return tuple(tuple(sorted(names)) for names in live)


class GraphBuilder:
    """Instructions in the making; each is added when what follows it is known."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self._names: dict[str, int] = {}

    def add(self, instruction: Instruction) -> int:
        """The point of a new instruction; Problem when there are too many."""
        if len(self.instructions) >= MAX_POINTS:
            what = f"the program has more than {MAX_POINTS} instructions, helper programs copied in at each call"
            raise Problem(what, "call helpers in fewer places, for instance from one loop", instruction.place)
        self.instructions.append(instruction)
        return len(self.instructions) - 1

    def assign(self, target: str, value: Expression, after: int, place: Place) -> int:
        """The point of a new assignment."""
        return self.add(Instruction(Kind.ASSIGN, place, after, (value,), (target,)))

    def branch(self, test: Expression, then: int, otherwise: int, place: Place) -> int:
        """The point of a new branch."""
        return self.add(Instruction(Kind.BRANCH, place, then, (test,), otherwise=otherwise))

    def add_helper(self, helper: Graph, prefix: str, result: str, exit_point: int) -> int:
        """The entry of a copy of ``helper``.

        Its variables get the ``prefix``; what it returns is assigned to ``result``, and it goes on at ``exit_point``.
        """
        shift = len(self.instructions)
        for original in helper.instructions:
            i = original.reading(lambda variable: replace(variable, name=prefix + variable.name))
            i = replace(i.moved(lambda point: point + shift), writes=tuple(prefix + name for name in i.writes))
            if i.kind is Kind.RETURN:
                kind = Kind.ASSIGN if i.reads else Kind.FORGET
                i = Instruction(kind, i.place, exit_point, i.reads, (result,))
            self.add(i)
        return helper.entry + shift

    def close_loop(self, head: int, entry: int) -> None:
        """Let the loop head ``head`` lead to ``entry``."""
        self.instructions[head] = replace(self.instructions[head], next=entry)

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
                stack.extend(self.instructions[point].successors)
        kept = tuple(self.instructions[point].moved(number.__getitem__) for point in number)
        written = frozenset(v for i in self.instructions if i.kind is not Kind.FORGET for v in i.writes)
        return Graph(kept, 0, written)
