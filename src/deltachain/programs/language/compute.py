"""A graph that draws and asks nothing, computed for given values: conditions about secrets, and domains of them.

Expressions of the language may hold comprehensions, which are loops. They are run here, one value at a time, with a
budget of steps; nothing of Python is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...cancel import Cancel
from .graph import ABSENT, SPENT, Environment, Evaluation, Graph, Instruction, Kind, Slots, evaluation, variables
from .source import Problem
from .values import Value, rest, truth

MOST_STEPS = 1_000_000
"""How many steps one computation may take unless the caller says otherwise."""
STEPS_PER_LOOK = 50_000
"""How many of them are taken between two looks at the deadline."""


class Computation:
    """A graph without draws and questions, ready to be computed.

    Args:
        graph: what is computed.
        names: the variables whose values are given, in the order of the arguments.
        most_steps: how many steps it may take.
        cancel: what may end it before that.
    """

    def __init__(
        self, graph: Graph, names: Sequence[str] = (), most_steps: int = MOST_STEPS, cancel: Cancel | None = None
    ) -> None:
        met = {name for i in graph.instructions for part in i.reads for name in variables(part)}
        met.update(name for i in graph.instructions for name in i.writes)
        # Slot 0 counts effort; the arguments come next, in their order.
        slots = {name: number for number, name in enumerate([*names, *sorted(met.difference(names))], 1)}
        self._size = 1 + len(slots)
        self._entry, self._instructions, self._most = graph.entry, graph.instructions, most_steps
        self._cancel = cancel
        self._steps = [_step(i, slots) for i in graph.instructions]
        self._shown = [_show(i, slots) for i in graph.instructions]

    def __call__(self, *values: Value) -> Value:
        """What it returns; Problem, placed, if something goes wrong."""
        for _ in self._run(values):
            pass
        return self._returned

    def items(self, *values: Value) -> Iterator[Value]:
        """What it announces, one after the other; Problem as above."""
        return self._run(values)

    def _run(self, values: Sequence[Value]) -> Iterator[Value]:
        environment: Environment = [0, *values, *[ABSENT] * (self._size - 1 - len(values))]
        point, left = self._entry, self._most
        pause = 0 if self._cancel is None else left - STEPS_PER_LOOK
        try:
            while True:
                step, shown = self._steps[point], self._shown[point]
                if step is None:
                    self._returned: Value = 0 if shown is None else shown(environment)
                    return
                if shown is not None:
                    yield shown(environment)
                point = step(environment)
                left -= 1 + environment[SPENT]
                environment[SPENT] = 0
                if left < pause:
                    if left < 0:
                        raise Problem(f"more than {self._most:,} steps", "write a smaller expression")
                    if self._cancel is not None:
                        self._cancel.check()
                    pause = max(left - STEPS_PER_LOOK, 0)
        except Problem as problem:
            raise problem.at(self._instructions[point].place) from None


def _show(i: Instruction, slots: Slots) -> Evaluation | None:
    """What an instruction gives to whoever computes: a letter, or the result."""
    return evaluation(i.reads[0], slots) if i.kind in (Kind.ANNOUNCE, Kind.RETURN) and i.reads else None


def _step(i: Instruction, slots: Slots) -> Callable[[Environment], int] | None:
    """The instruction as a function that changes an environment and says where to go on; None at the end."""
    after, otherwise = i.next, i.next if i.otherwise is None else i.otherwise
    written = [slots[name] for name in i.writes]
    if i.kind is Kind.ASSIGN:
        value, slot = evaluation(i.reads[0], slots), written[0]

        def assign(environment: Environment) -> int:
            environment[slot] = value(environment)
            return after

        return assign
    if i.kind is Kind.BRANCH:
        test = evaluation(i.reads[0], slots)
        return lambda environment: after if truth(test(environment)) else otherwise
    if i.kind is Kind.TURN:
        turns, (item, coming) = evaluation(i.reads[0], slots), written

        def turn(environment: Environment) -> int:
            found = turns(environment)
            if not isinstance(found, tuple | range) or not found:
                return otherwise
            environment[item], environment[coming] = found[0], rest(found)
            return after

        return turn
    if i.kind is Kind.FORGET:

        def forget(environment: Environment) -> int:
            for slot in written:
                environment[slot] = ABSENT
            return after

        return forget
    return None if i.kind is Kind.RETURN else lambda _: after
