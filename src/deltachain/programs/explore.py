"""The configurations of a program: an explicit-state interpreter over its control-flow graph.

A *configuration* is a point of the graph with the values of the variables that are live there.
Deterministic steps are taken at once, so the configurations that are kept stand before a draw, before an
announcement or a question, at the end, or in a loop without draws and announcements that surely runs for ever (it meets
one of its own configurations again). Equal configurations are one: that is what keeps n dining
cryptographers at O(n²) states.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction

from ..cancel import Cancel
from ..errors import Defect
from .expressions import Environment
from .graph import Announce, Ask, Assign, Branch, Draw, Forget, Graph, Instruction, Jump, Return, live_variables
from .operations import truth
from .problems import Place, Problem, ProgramError
from .values import Table, Value, effort, identity, kind, show, show_letter

START, END, DIVERGES = "start", "end", "diverges"
"""The labels of start states, of the end of a run, and of a run that goes on for ever without announcing."""

RESERVED_LETTERS = (END, DIVERGES)

_PLAIN = re.compile(r"""[^\s|?'"]+""")
"""What stands in a prompt as it is; every other option stands there in quotes, so that no two prompts look the same."""

STEPS_PER_STATE = 20
FREE_STEPS = 1_000_000
"""All steps together may be as many as FREE_STEPS + STEPS_PER_STATE · max_states; long values count as more."""

STEPS_PER_CHECK = 500
"""How many steps are taken, long values counted as more, between two looks at the deadline."""


class Explorer:
    """Numbers configurations as they are met, and says what each does next; Stopped when it is cancelled."""

    DEAD_END = -1
    """In place of a configuration: a run that never announces again and never ends."""

    def __init__(self, graph: Graph, max_states: int, cancel: Cancel) -> None:
        self.graph, self.max_states, self.cancel = graph, max_states, cancel
        self.live = live_variables(graph)
        self.points: list[int] = []
        self.values: list[Environment] = []
        self._numbers: dict[tuple[int, Hashable], int] = {}
        self._steps_left = FREE_STEPS + STEPS_PER_STATE * max_states
        self._until_check = STEPS_PER_CHECK

    def enter(self, environment: Mapping[str, Value]) -> int:
        """The configuration that a run with these parameters first stops in."""
        return self._run(self.graph.entry, Environment(environment))

    def instruction(self, configuration: int) -> Instruction:
        """What the configuration stands before."""
        return self.graph.instructions[self.points[configuration]]

    def letter(self, configuration: int) -> tuple[str, int]:
        """What an announcing configuration shows, and the configuration after that."""
        instruction = self.instruction(configuration)
        environment = self.values[configuration]
        if not isinstance(instruction, Announce):
            raise TypeError(f"no announcement at point {self.points[configuration]}")
        try:
            shown = letter_of(instruction.value.evaluate(environment))
            self._charge(environment)
        except Problem as problem:
            raise self._error(problem, instruction.place, environment) from None
        return shown, self._run(instruction.next, Environment(environment))

    def question(self, configuration: int) -> tuple[tuple[str, Value], ...]:
        """The options of an asking configuration, by name in increasing order; Problem if two look the same."""
        instruction = self.instruction(configuration)
        environment = self.values[configuration]
        if not isinstance(instruction, Ask):
            raise TypeError(f"no question at point {self.points[configuration]}")
        try:
            options = instruction.options.evaluate(environment)
            self._charge(environment, len(options) if isinstance(options, tuple) else 0)
            return options_of(options)
        except Problem as problem:
            raise self._error(problem, instruction.place, environment) from None

    def answered(self, configuration: int, value: Value) -> int:
        """The configuration after the observer has chosen an option."""
        instruction = self.instruction(configuration)
        if not isinstance(instruction, Ask):
            raise TypeError(f"no question at point {self.points[configuration]}")
        environment = Environment({**self.values[configuration], instruction.target: value})
        return self._run(instruction.next, environment)

    def draws(self, configuration: int) -> dict[int, Fraction]:
        """Where a drawing configuration goes, with which probability."""
        instruction = self.instruction(configuration)
        environment = self.values[configuration]
        if not isinstance(instruction, Draw):
            raise TypeError(f"no draw at point {self.points[configuration]}")
        try:
            arguments = [argument.evaluate(environment) for argument in instruction.arguments]
            outcomes = instruction.distribution(*arguments)
            self._charge(environment, len(outcomes))
        except Problem as problem:
            raise self._error(problem, instruction.place, environment) from None
        row: dict[int, Fraction] = {}
        for value, probability in outcomes:
            target = self._run(instruction.next, Environment({**environment, instruction.target: value}))
            row[target] = row.get(target, Fraction(0)) + probability
        return row

    def _run(self, point: int, environment: Environment) -> int:
        """Take deterministic steps; the configuration where they stop."""
        # Brent's cycle finding: deterministic steps repeat for ever once they meet a marked configuration
        # again, and marks at loop heads 1, 2, 4, 8, … catch every cycle without remembering the whole way.
        mark: Hashable = None
        heads, next_mark = 0, 1
        while True:
            instruction = self.graph.instructions[point]
            if isinstance(instruction, Draw | Announce | Ask | Return):
                return self._number(point, environment)
            try:
                self._charge(environment)
            except Problem as problem:
                raise self._error(problem, instruction.place, environment) from None
            if isinstance(instruction, Jump):
                key = self._key(point, environment)
                if key == mark:
                    return self.DEAD_END
                heads += 1
                if heads == next_mark:
                    mark, next_mark = key, 2 * next_mark
                point = instruction.next
            elif isinstance(instruction, Forget):
                for name in instruction.names:
                    environment.pop(name, None)
                point = instruction.next
            else:
                point = self._step(instruction, environment)

    def _charge(self, environment: Environment, extra: int = 0) -> None:
        """Pay for one step, and for the effort of the operations since the last."""
        spent = 1 + environment.spent + extra
        environment.spent = 0
        self._steps_left -= spent
        self._until_check -= spent
        if self._until_check < 0:
            self._until_check = STEPS_PER_CHECK
            self.cancel.check()
            self.cancel.report(f"exploring the program: {len(self.points)} configurations")
        if self._steps_left < 0:
            what = "too many hidden steps: this part of the program may never end, or its values are large"
            raise Problem(what, "let it end, keep less, or raise `max_states`")

    def _step(self, instruction: Assign | Branch, environment: Environment) -> int:
        try:
            if isinstance(instruction, Branch):
                return instruction.then if truth(instruction.test.evaluate(environment)) else instruction.otherwise
            environment[instruction.target] = instruction.value.evaluate(environment)
        except Problem as problem:
            raise self._error(problem, instruction.place, environment) from None
        return instruction.next

    def _key(self, point: int, environment: Environment) -> tuple[int, Hashable]:
        # Absent and present are told apart by the name that goes with each value.
        present = [(name, environment[name]) for name in self.live[point] if name in environment]
        self._steps_left -= sum(effort(value) for _, value in present if not isinstance(value, int | range))
        return point, tuple((name, identity(value)) for name, value in present)

    def _number(self, point: int, environment: Environment) -> int:
        key = self._key(point, environment)
        number = self._numbers.get(key)
        if number is None:
            if len(self.points) >= self.max_states:
                raise self._over_budget(point)
            number = self._numbers[key] = len(self.points)
            self.points.append(point)
            kept = {name: environment[name] for name in self.live[point] if name in environment}
            self.values.append(Environment(kept))
        return number

    def _over_budget(self, point: int) -> ProgramError:
        """Say where states pile up, and which variable makes most of them."""
        here = [self.values[c] for c, p in enumerate(self.points) if p == point]
        counts = {name: len({identity(v[name]) for v in here if name in v}) for name in self.live[point]}
        what = f"more than {self.max_states} configurations" + (f"; {len(here)} of them stand here" if here else "")
        if any(counts.values()):
            name = max(counts, key=lambda n: (counts[n], n))
            what += f", where {name!r} has {counts[name]} values"
        fix = "raise `max_states`, or keep less in variables that are read later"
        return ProgramError(Defect(str(self.graph.instructions[point].place), what, fix))

    def _error(self, problem: Problem, place: Place, environment: Mapping[str, Value]) -> ProgramError:
        defect = problem.at(place).defect()
        known = ", ".join(describe(name, value) for name, value in sorted(environment.items()) if "@" not in name)
        known = known if len(known) <= 200 else f"{known[:197]}…"
        what = f"{defect.what}, when {known}" if known else defect.what
        return ProgramError(Defect(defect.where, what, defect.fix))


def describe(name: str, value: Value) -> str:
    """``i=3``; for what a loop has still to do, ``i in range(1, 3)``; for a helper's variable, ``helper@18.v=3``."""
    call, dot, own = name.rpartition(".")
    shown = f"{call.partition(':')[0]}{dot}{own.partition('#')[0]}"
    return f"{shown} {show(value)}" if shown.endswith(" in") else f"{shown}={show(value)}"


def letter_of(value: Value) -> str:
    """What a watcher sees of an announced value; Problem if that is nothing, or another thing's sign."""
    if isinstance(value, Table | range):
        raise Problem(f"{kind(value)} cannot be announced", "announce a tuple of its values")
    text = show_letter(value)
    if not text.strip():
        raise Problem("an empty text cannot be announced", "announce a word, or nothing")
    if text in RESERVED_LETTERS:
        raise Problem(f"the letter {text!r} is reserved for runs that end or diverge", "announce another word")
    return text


def options_of(values: Value) -> tuple[tuple[str, Value], ...]:
    """The options of a question by name, sorted; a name is a letter. Problem if there are none, or two alike."""
    if not isinstance(values, tuple) or not values:
        raise Problem("ask() has no options", "give at least one")
    named: dict[str, Value] = {}
    for value in values:
        name = letter_of(value)
        if name in named:
            raise Problem(f"two options of ask() look the same, {name!r}", "give each a text of its own")
        named[name] = value
    return tuple(sorted(named.items(), key=lambda item: item[0]))


def prompt_of(names: Iterable[str]) -> str:
    """The letter that a question shows: its options, whatever their order.

    >>> prompt_of(["high", "low"]), prompt_of(["a b"])
    ('high|low?', "'a b'?")
    """
    return "|".join(name if _PLAIN.fullmatch(name) else repr(name) for name in names) + "?"
