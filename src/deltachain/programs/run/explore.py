"""The configurations of a program: an explicit-state interpreter over its control-flow graph.

A *configuration* is a point of the graph with the values of the variables that are live there. Deterministic steps
are taken at once, so the configurations that are kept stand before a draw, before an announcement or a question, at the
end, or in a loop without draws and announcements that surely runs for ever (it meets one of its own configurations
again). Equal configurations are one: that is what keeps n dining cryptographers at O(n²) states.

What depends on no variable is computed before the first step, and a comprehension that draws nothing once for each
list of values that it reads: the weights of ``choose`` are the same at most configurations.

A configuration is kept as its point and a tuple of values, in which ints stand for themselves and every other value is
one `Code`, so that equal tuples are found fast. The law of a draw is computed once for each list of arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from ...cancel import Cancel
from ...errors import Defect
from ..language.graph import (
    ABSENT,
    SPENT,
    Absent,
    Apply,
    Environment,
    Evaluation,
    Expression,
    Graph,
    Instruction,
    Kind,
    Variable,
    evaluation,
    idle_assignments,
    live_variables,
    variables,
)
from ..language.numbers import ENCLOSED, RATIONAL, Law, Moves, law_of, moves_of
from ..language.primitives import law_to_explore
from ..language.source import Place, Problem, ProgramError
from ..language.values import (
    BINARY,
    FrozenTable,
    Value,
    effort,
    identity,
    iterate,
    kind,
    rest,
    show,
    show_letter,
    truth,
)
from ..noise.spread import Spread
from ..noise.sums import law_of_sum, sum_draws
from .outcomes import Outcomes, Prepared

if TYPE_CHECKING:
    from ...model.outputs import Output
    from ..language.unbounded import Span, Unbounded
    from ..noise.spread import Announced

START, END, DIVERGES = "start", "end", "diverges"
"""The labels of start states, of the end of a run, and of a run that goes on for ever without announcing."""

RESERVED_LETTERS = (END, DIVERGES)

_PLAIN = re.compile(r"""[^\s|?'"]+""")
"""What stands in a prompt as it is; every other option stands there in quotes, so that no two prompts look the same."""

HIDDEN_PER_STATE = 10
"""So many configurations may be explored for each state that the chain may have."""

BYTES_PER_CONFIGURATION = 400
"""What one takes, about."""

MORE = 4
"""How many times as much an error suggests to allow."""

FREE_STEPS, STEPS_PER_STATE = 5_000_000, 250
"""All steps together may be as many as FREE_STEPS + STEPS_PER_STATE · max_states; long values count as more."""

STEPS_PER_CHECK = 5_000
"""How many steps are taken, long values counted as more, between two looks at the deadline."""

UNCHECKED_TURNS = 50
"""A loop is not asked whether it repeats itself before it has taken so many turns without a draw."""

MANY_OUTCOMES = 8
"""From so many outcomes on, what follows a draw is prepared once for all of them."""

MAX_LAWS = 1_000_000
"""How many outcomes are kept in laws that may be needed again."""

MAX_RESULTS = 10_000
"""How many results of stretches that only compute are kept."""


class Code:
    """A value that is not an int, under which it is found again: two values have one code if they have one identity."""

    __slots__ = ("effort", "rest", "value")

    def __init__(self, value: Value | Absent) -> None:
        self.value: Any = value
        # Absent is no value, and ranges are compared in one step.
        self.effort = 0 if isinstance(value, Absent | range) else effort(value)
        self.rest: Code | None = None
        """The turns after the next, where the value is what a loop has still to do."""


Key = tuple[Union[int, Code], ...]  # noqa: UP007  (made at import)
"""The values of the live variables of a point, in the order of their names."""


Steps = Sequence[Union[Callable[[Environment], int], None]]  # noqa: UP007  (made at import)
"""What each instruction does to an environment, with the point to go on at; None where it is not done."""


class NoiseWithoutEnd(Exception):
    """Outcomes of noise without end are told apart: they would have to be cut off."""


class Stretch(NamedTuple):
    """Instructions that only compute: where they end, the slots that they read and that are read later, and all."""

    end: int
    needs: tuple[int, ...]
    gives: tuple[int, ...]
    slots: frozenset[int]


class Explorer:
    """Numbers configurations as they are met, and says what each does next; Stopped when it is cancelled."""

    DEAD_END = -1
    """In place of a configuration: a run that never announces again and never ends."""
    CUT_OFF = -2
    """In place of a configuration: outcomes of noise that are not followed."""

    def __init__(
        self,
        graph: Graph,
        max_states: int,
        cancel: Cancel,
        numbers: frozenset[str] = frozenset(),
        *,
        cuts_off: bool = True,
    ) -> None:
        """``numbers`` are the parameters that are given numbers; without ``cuts_off``, `NoiseWithoutEnd` is raised."""
        graph = graph.fold()
        self._cuts_off = cuts_off
        self.graph, self.max_states, self.cancel = graph, max_states, cancel
        self.idle = idle_assignments(graph, numbers)
        self.live = live_variables(graph, self.idle)
        read = {name for i in graph.instructions for expression in i.reads for name in variables(expression)}
        written = {name for i in graph.instructions for name in i.writes}
        self.slots = {name: number for number, name in enumerate(sorted(read | written), start=SPENT + 1)}
        self.live_slots = [tuple(self.slots[name] for name in names) for names in self.live]
        self.points: list[int] = []
        self.keys: list[Key] = []
        self._numbers: list[dict[Key, int]] = [{} for _ in graph.instructions]
        self._codes: dict[object, Code] = {ABSENT: Code(ABSENT)}
        self._by_object: dict[int, Code] = {id(ABSENT): self._codes[ABSENT]}
        """Codes by the object that is their value: what is carried along unchanged is found at once."""
        self._laws: dict[tuple[object, ...], Law | Unbounded] = {}
        self._weighed: dict[tuple[object, ...], Law] = {}
        self._encloses = False
        self.enclosed: dict[str, None] = {}
        """Why probabilities are enclosed that have no exact form."""
        self.outputs: dict[str, Output] = {}
        """What letters stand for that are known beside earlier outputs."""
        self._outcomes_kept = 0
        self._weights: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._steps_left = FREE_STEPS + STEPS_PER_STATE * max_states
        self._until_check = 0
        self.plain_steps = [self._step(point) for point in range(len(graph.instructions))]
        self.stretches = {point: self._stretch(point) for point, i in enumerate(graph.instructions) if i.until >= 0}
        self._results: dict[tuple[int, Key], list[Any]] = {}
        self.steps = [
            self._at_once(point) if point in self.stretches else step for point, step in enumerate(self.plain_steps)
        ]
        self._arguments: dict[int, tuple[Evaluation, ...]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done with noise, in words."""
        return ()

    # What configurations do.

    def enter(self, values: Mapping[str, Value]) -> int:
        """The configuration that a run with these parameters first stops in."""
        return self.run(self.graph.entry, self.make_environment(values), values)

    def make_environment(self, values: Mapping[str, Value]) -> Environment:
        """The environment that a run with these parameters starts in."""
        environment = self._empty()
        for name, value in values.items():
            if name in self.slots:
                environment[self.slots[name]] = value
        return environment

    def instruction(self, configuration: int) -> Instruction:
        """What the configuration stands before."""
        return self.graph.instructions[self.points[configuration]]

    def stands_before(self, configuration: int) -> Kind:
        """What is done next there: a draw, an announcement, a question, or the end."""
        return self.instruction(configuration).kind

    def values(self, configuration: int) -> dict[str, Value]:
        """The live variables that have a value."""
        pairs = zip(self.live[self.points[configuration]], self.keys[configuration], strict=True)
        found = ((name, code if isinstance(code, int) else code.value) for name, code in pairs)
        return {name: value for name, value in found if not isinstance(value, Absent)}

    def letter(self, configuration: int) -> tuple[str, int]:
        """What an announcing configuration shows, and the configuration after that."""
        i, environment = self.instruction(configuration), self._environment(configuration)
        try:
            (shown,) = self.arguments(self.points[configuration], environment)
            text = letter_of(shown)
        except Problem as problem:
            raise self.error(problem, i.place, environment) from None
        return text, self.run(i.next, environment)

    def question(self, configuration: int) -> tuple[tuple[str, Value], ...]:
        """The options of an asking configuration, by name in increasing order; ProgramError if two look the same."""
        i, environment = self.instruction(configuration), self._environment(configuration)
        try:
            return self.options(self.points[configuration], environment)
        except Problem as problem:
            raise self.error(problem, i.place, environment) from None

    def answer(self, configuration: int, value: Value) -> int:
        """The configuration after the observer has chosen an option."""
        i, environment = self.instruction(configuration), self._environment(configuration)
        environment[self.slots[i.writes[0]]] = value
        return self.run(i.next, environment)

    def draws(self, configuration: int) -> Moves | Announced:
        """Where a drawing configuration goes; of noise that is announced, what is left to settle."""
        i, environment = self.instruction(configuration), self._environment(configuration)
        slot = self.slots[i.writes[0]]
        try:
            law = self._law(i, self.arguments(self.points[configuration], environment))
            if not isinstance(law, Law):
                return self._spread(law, i, environment)
            self.charge(len(law.values))
        except Problem as problem:
            raise self.error(problem, i.place, environment) from None
        return self._move(law, i, environment, slot)

    def _move(self, law: Law, i: Instruction, environment: Environment, slot: int) -> Moves:
        if len(law.values) >= MANY_OUTCOMES:
            targets = Outcomes(self, slot).after(i.next, environment, law.values)
        else:
            targets = []
            for value in law.values:
                following = environment.copy()
                following[slot] = value
                targets.append(self.run(i.next, following))
        return self._merge(targets, law)

    def _spread(self, noise: Unbounded, i: Instruction, environment: Environment) -> Moves | Announced:
        """Where noise on all integers leads: outcomes that lead to the same are not told apart."""
        slot = self.slots[i.writes[0]]
        outcomes = Outcomes(self, slot)
        spread = Spread(self, outcomes, i.writes[0])
        root = outcomes.start(i.next, environment)

        def run(values: list[int]) -> list[int]:
            return outcomes.after(i.next, environment, values, root)

        together = self._added_up(noise, i, outcomes, root)
        if together is not None:
            return together
        cells = spread.cells(root)
        self.charge(len(cells))
        law = spread.law(noise, cells, self.weigh, run)
        if not isinstance(law, Law):
            return law
        values: list[Any] = list(law.values)
        self.charge(len(values))
        targets = run([value for value in values if value is not None])
        # A last value of None stands for what is cut off, and was not run.
        return self._merge(targets if len(targets) == len(values) else [*targets, self.CUT_OFF], law)

    def _added_up(self, noise: Unbounded, i: Instruction, outcomes: Outcomes, root: Prepared) -> Moves | None:
        """Where noise leads to which only other noise is added before anything else is done with it."""
        found = sum_draws(self, outcomes, noise, i.writes[0], root) if root.holes else None
        law = None if found is None else law_of_sum(found.noises)
        if found is None or law is None:
            return None
        self.about_to_cut_off()
        self._encloses |= law.base == ENCLOSED
        *values, _ = law.values
        self.charge(len(values))
        targets = outcomes.after(i.next, root.environment, values, found.root)
        return self._merge([*targets, self.CUT_OFF], law)

    def about_to_cut_off(self) -> None:
        """Raise `NoiseWithoutEnd` where nothing may be cut off."""
        if not self._cuts_off:
            raise NoiseWithoutEnd

    def noise_at(self, i: Instruction, environment: Environment, unknown: frozenset[int]) -> Unbounded | None:
        """The noise that a draw adds, where its parameters are known; None for any other draw."""
        if any(self.slots[name] in unknown for expression in i.reads for name in variables(expression)):
            return None
        try:
            law = self._law(i, [evaluation(expression, self.slots)(environment) for expression in i.reads])
        except Problem:
            return None  # whoever gets there says where
        return None if isinstance(law, Law) else law

    def spread_over(
        self, noise: Unbounded, spans: Sequence[Span], targets: Sequence[int], lost: Sequence[Span]
    ) -> Moves:
        """The moves to targets, span by span; lost spans are cut off."""
        law = self.weigh(noise, [0] * len(spans), spans, lost)
        return self._merge([*targets, self.CUT_OFF] if lost else targets, law)

    def add_beside(self, configuration: int) -> int:
        """The number of one more configuration at the same point, which is not found again by its values."""
        self.points.append(self.points[configuration])
        self.keys.append(self.keys[configuration])
        return len(self.points) - 1

    def weigh(self, noise: Unbounded, values: Sequence[Any], spans: Sequence[Span], lost: Sequence[Span]) -> Law:
        """The law of values that stand for spans; lost spans have the value None, which comes last."""
        key = (noise, tuple(values), tuple(spans), tuple(lost))
        law = self._weighed.get(key)
        if law is None:
            weights, total, base = noise.weigh([*spans, *lost], cut=bool(lost) or self._encloses)
            # What is enclosed once makes all rows enclosures: exact polynomials would be computed in vain.
            self._encloses |= base == ENCLOSED
            if lost:
                values = [*values, None]
                weights = [*weights[: len(spans)], sum(weights[len(spans) + 1 :], weights[len(spans)])]
            law = law_of(values, weights, total, base, noise.why)
            self._outcomes_kept += len(values)
            if self._outcomes_kept > MAX_LAWS:
                self._weighed.clear()
                self._outcomes_kept = len(values)
            self._weighed[key] = law
        return law

    def options(self, point: int, environment: Environment) -> tuple[tuple[str, Value], ...]:
        """The options of a question, by name in increasing order."""
        (options,) = self.arguments(point, environment)
        self.charge(len(options) if isinstance(options, tuple) else 0)
        return options_of(options)

    def arguments(self, point: int, environment: Environment) -> list[Value]:
        """The values of what an instruction reads."""
        found = self._arguments.get(point)
        if found is None:
            reads = self.graph.instructions[point].reads
            found = self._arguments[point] = tuple(evaluation(expression, self.slots) for expression in reads)
        values = [evaluate(environment) for evaluate in found]
        self.charge(1 + environment[SPENT])
        environment[SPENT] = 0
        return values

    def _law(self, i: Instruction, arguments: Sequence[Value]) -> Law | Unbounded:
        key = (i.distribution, *(value if type(value) is int else self.code(value) for value in arguments))
        law = self._laws.get(key)
        if law is None:
            law = law_to_explore(i.distribution(*arguments)) if i.distribution is not None else Law((), (), 1)
            size = len(law.values) if isinstance(law, Law) else 1
            self._outcomes_kept += size
            if self._outcomes_kept > MAX_LAWS:
                self._laws.clear()
                self._outcomes_kept = size
            self._laws[key] = law
        return law

    def _merge(self, targets: Sequence[int], law: Law) -> Moves:
        if law.why:
            self.enclosed[law.why] = None
        moves = moves_of(targets, law)
        if law.base != RATIONAL or len(moves.targets) == len(targets):
            return moves
        return moves._replace(weights=self._weights.setdefault(moves.weights, moves.weights))

    # Runs.

    def run(self, point: int, environment: Environment, known: Mapping[str, Value] | None = None) -> int:
        """Take deterministic steps; the configuration where they stop. ``known`` is what an error says of values."""
        stop = self.ahead(point, environment, self.steps, known)
        return self.DEAD_END if stop is None else self.number(stop, self.key(stop, environment))

    def advance(self, point: int, environment: Environment, known: Mapping[str, Value] | None = None) -> int:
        """Take deterministic steps, which change the environment; the point where they stop, or `DEAD_END`."""
        stop = self.ahead(point, environment, self.steps, known)
        return self.DEAD_END if stop is None else stop

    def ahead(
        self, point: int, environment: Environment, steps: Steps, known: Mapping[str, Value] | None = None
    ) -> int | None:
        """Take ``steps`` while there are any; the point without one, or None if they go on for ever."""
        # Brent's cycle finding: deterministic steps repeat for ever once they meet a marked configuration
        # again, and marks at the turns 1, 2, 4, 8, … catch every cycle without remembering the whole way.
        mark: tuple[int, Key] | None = None
        turns, next_mark, taken = 0, 1, 0
        instructions = self.graph.instructions
        try:
            while True:
                step = steps[point]
                if step is not None:
                    taken += 1
                    point = step(environment)
                    continue
                if instructions[point].kind is not Kind.JUMP:
                    break
                turns += 1
                if turns > UNCHECKED_TURNS:
                    self.charge(taken + environment[SPENT])
                    taken, environment[SPENT] = 0, 0
                    here = point, self.key(point, environment)
                    if here == mark:
                        return None
                    if turns - UNCHECKED_TURNS == next_mark:
                        mark, next_mark = here, 2 * next_mark
                point = instructions[point].next
            self.charge(taken + environment[SPENT])
        except Problem as problem:
            raise self.error(problem, instructions[point].place, environment, known) from None
        environment[SPENT] = 0
        return point

    def _step(self, point: int) -> Callable[[Environment], int] | None:
        """The instruction as a function that changes an environment and says where to go on; None where a run stops."""
        i = self.graph.instructions[point]
        after, otherwise = i.next, i.next if i.otherwise is None else i.otherwise
        slots = [self.slots[name] for name in i.writes]
        if point in self.idle:
            return lambda _: after
        if i.kind is Kind.ASSIGN:
            return self._assignment(slots[0], i, after)
        if i.kind is Kind.BRANCH:
            test = evaluation(i.reads[0], self.slots)
            return lambda environment: after if truth(test(environment)) else otherwise
        if i.kind is Kind.TURN:
            item, coming = slots

            def turn(environment: Environment) -> int:
                code = self._by_object[id(environment[coming])]  # it was put there as the value of a code
                turns = code.value
                if not turns:
                    return otherwise
                if code.rest is None:
                    code.rest = self.code(rest(turns))
                environment[item], environment[coming] = turns[0], code.rest.value
                return after

            return turn
        if i.kind is Kind.FORGET:

            def forget(environment: Environment) -> int:
                for slot in slots:
                    environment[slot] = ABSENT
                return after

            return forget
        return None

    def _stretch(self, start: int) -> Stretch:
        points = self.graph.stretch(start)
        parts = [self.graph.instructions[point] for point in points]
        read = {name for i in parts for expression in i.reads for name in variables(expression)}
        written = {name for i in parts for name in i.writes}
        end = self.graph.instructions[start].until
        # What is read inside and not live at the start was written inside before; results depend on the rest alone.
        needs = tuple(self.slots[name] for name in sorted(read.intersection(self.live[start])))
        gives = tuple(self.slots[name] for name in sorted(written.intersection(self.live[end])))
        return Stretch(end, needs, gives, frozenset(self.slots[name] for name in read | written))

    def _at_once(self, start: int) -> Callable[[Environment], int]:
        """A stretch that only computes as one step: once for each list of values that it reads."""
        end, needs, gives, _ = self.stretches[start]

        def compute(environment: Environment) -> int:
            values = [environment[slot] for slot in needs]
            key = start, tuple([value if type(value) is int else self.code(value) for value in values])
            results = self._results.get(key)
            if results is None:
                self._compute(start, end, environment)
                # As the values of codes they are found again by object.
                found = [environment[slot] for slot in gives]
                results = [value if type(value) is int else self.code(value).value for value in found]
                if len(self._results) >= MAX_RESULTS:
                    self._results.clear()
                self._results[key] = results
            for slot, value in zip(gives, results, strict=True):
                environment[slot] = value
            return end

        return compute

    def _compute(self, start: int, end: int, environment: Environment) -> None:
        """Run a stretch from its start to its end."""
        # By the plain step: in `steps` the whole stretch stands at its start.
        point, step = start, self.plain_steps[start]
        try:
            while point != end:
                point = self.graph.instructions[point].next if step is None else step(environment)
                step = self.steps[point]
                self.charge(1 + environment[SPENT])
                environment[SPENT] = 0
        except Problem as problem:
            raise problem.at(self.graph.instructions[point].place) from None

    def _assignment(self, slot: int, i: Instruction, after: int) -> Callable[[Environment], int]:
        value = self.evaluate(i, i.reads[0])

        def assign(environment: Environment) -> int:
            environment[slot] = value(environment)
            return after

        return assign

    def evaluate(self, i: Instruction, expression: Expression) -> Evaluation:
        """What the assignment assigns, computed by ``expression``; the turns of a loop as the value of their code."""
        value = evaluation(expression, self.slots)
        if getattr(i.reads[0], "function", None) is not iterate:
            return value
        return lambda environment: self.code(value(environment)).value

    def look_up(self, steps: int, doing: str = "compiling the program") -> None:
        """Look at the deadline once in so many steps, which are not paid for."""
        self._until_check -= steps
        if self._until_check < 0:
            self._until_check = STEPS_PER_CHECK
            self.cancel.check()
            self.cancel.report(f"{doing}, {len(self.points):,} configurations")

    def charge(self, steps: int) -> None:
        """Pay for so many steps; Problem when there are no more."""
        self._steps_left -= steps
        self.look_up(steps)
        if self._steps_left < 0:
            limit = FREE_STEPS + STEPS_PER_STATE * self.max_states
            what = f"more than {limit:,} steps: this part of the program may never end, or its values are large"
            more = f"raise `max_states` to {MORE * self.max_states} (up to {MORE} times the time)"
            raise Problem(what, f"let it end, keep less, or {more}")

    # Configurations.

    def _empty(self) -> Environment:
        environment: Environment = [ABSENT] * (len(self.slots) + 1)
        environment[SPENT] = 0
        return environment

    def _environment(self, configuration: int) -> Environment:
        environment = self._empty()
        for slot, code in zip(self.live_slots[self.points[configuration]], self.keys[configuration], strict=True):
            environment[slot] = code if type(code) is int else code.value  # type: ignore[union-attr]
        return environment

    def code(self, value: Value | Absent) -> Code:
        """The code of a value that is not an int."""
        code = self._by_object.get(id(value))
        if code is None:
            key = identity(value)  # type: ignore[arg-type]  # ABSENT is known by object
            code = self._codes.get(key)
            if code is None:
                code = self._codes[key] = Code(value)
                # Only for the object that the code itself keeps alive: an id may come again once its object is gone.
                self._by_object[id(value)] = code
            # Found by its content, which takes as long as it is; what is
            # carried along was found by object, for nothing.
            self._steps_left -= code.effort
        return code

    def key(self, point: int, environment: Environment) -> Key:
        """The values of the live variables."""
        code = self.code
        values = [environment[slot] for slot in self.live_slots[point]]
        return tuple([value if type(value) is int else code(value) for value in values])

    def number(self, point: int, key: Key) -> int:
        """The configuration's number, a new one if it is new; ProgramError when there are too many."""
        numbers = self._numbers[point]
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(self.points)
            self.points.append(point)
            self.keys.append(key)
            if number >= HIDDEN_PER_STATE * self.max_states:
                here = [c for c, p in enumerate(self.points) if p == point]
                limit = HIDDEN_PER_STATE * self.max_states
                what = f"more than {limit:,} configurations between announcements"
                raise self.too_many(what, here, self.advise_limit(limit * BYTES_PER_CONFIGURATION))
        return number

    def advise_limit(self, taken: int) -> str:
        """What to raise, and what it would cost where all that is allowed now takes so many bytes."""
        return f"raise `max_states` to {MORE * self.max_states} (up to {MORE * taken / 1e6:,.1f} MB)"

    def too_many(self, what: str, here: Sequence[int], fix: str) -> ProgramError:
        """Say where configurations pile up, and which variable makes most of them."""
        point = self.points[here[-1]]
        found = [self.values(configuration) for configuration in here]
        counts = {name: len({identity(v[name]) for v in found if name in v}) for name in self.live[point]}
        what += f"; {len(here):,} of them stand here"
        if any(counts.values()):
            name = max(counts, key=lambda n: (counts[n], n))
            what += f", where {name!r} has {counts[name]:,} values"
            grows = self._grows(name)
            if grows is not None:
                what += f"; it is changed on line {grows.line}, and nothing seems to bound it"
                fix = f"let it stop at some number, as in min({name}, 10); where it has a bound, {fix}"
                return ProgramError(Defect(str(self.graph.instructions[point].place), what, fix))
        place = str(self.graph.instructions[point].place)
        return ProgramError(Defect(place, what, f"keep less in variables that are read later, or {fix}"))

    def _grows(self, name: str) -> Place | None:
        """Where a variable is assigned itself plus or minus something known; None if nowhere."""
        for i in self.graph.instructions:
            match i:
                case Instruction(kind=Kind.ASSIGN, writes=(to,), reads=(Apply(function, (one, other)),)) if to == name:
                    both = {part.name if isinstance(part, Variable) else None for part in (one, other)}
                    if function in (BINARY["Add"], BINARY["Sub"]) and both == {name, None}:
                        return i.place
        return None

    def error(
        self, problem: Problem, place: Place, environment: Environment, known: Mapping[str, Value] | None = None
    ) -> ProgramError:
        """The problem with its place, and the values of the variables."""
        values = dict(known or {})
        values.update((n, v) for n, s in self.slots.items() if not isinstance(v := environment[s], Absent))
        defect = problem.at(place).defect()
        shown = ", ".join(describe(name, value) for name, value in sorted(values.items()) if "@" not in name)
        shown = shown if len(shown) <= 200 else f"{shown[:197]}…"
        what = f"{defect.what}, when {shown}" if shown else defect.what
        return ProgramError(Defect(defect.where, what, defect.fix))


def describe(name: str, value: Value) -> str:
    """``i=3``; for what a loop has still to do, ``i in range(1, 3)``; for a helper's variable, ``helper@18.v=3``."""
    call, dot, own = name.rpartition(".")
    shown = f"{call.partition(':')[0]}{dot}{own.partition('#')[0]}"
    return f"{shown} {show(value)}" if shown.endswith(" in") else f"{shown}={show(value)}"


def letter_of(value: Value) -> str:
    """What an observer sees of an announced value; Problem if that is nothing, or another thing's sign."""
    if isinstance(value, FrozenTable | range):
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
