"""What a program is compiled to: expressions, the control-flow graph of its instructions, and live variables.

An expression is a constant, a variable, an operation applied to expressions, or one of the three that do not evaluate
all their parts: ``and``, ``or`` and the conditional. Evaluating one is deterministic, has no effect, and ends; what
goes wrong is a `Problem` with its place. An expression is evaluated many times, so it is first turned into a closure
over an *environment*: a list with a slot for each variable (`ABSENT` while it has no value) whose first entry adds up
the effort of the operations, for whoever keeps a budget.

A *point* is the number of an instruction; running a program is moving from point to point. A variable is *live* at a
point when some path from there reads it before writing it: the least solution of ``live(n) = reads(n) ∪ ⋃ (live(m) −
what n writes on the way to m)``, where assignments that nothing needs do not read. Two runs at one point that agree on
the live variables have the same future, so only these belong to a state.

Calling a helper program copies its graph into the caller's, with its variables renamed: there is no call stack, and so
no recursion.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Literal

from .primitives import NUMERIC, Distribution
from .source import Place, Problem
from .values import BINARY, COMPARE, UNARY, Value, check_assertion, effort, iterate, truth

MAX_POINTS = 20_000
"""The most instructions of one program, helpers copied in."""


# Expressions.


@dataclass(frozen=True, slots=True)
class Constant:
    """A value, or None where a slice leaves a bound out."""

    value: Value | None
    parts: ClassVar[tuple[Expression, ...]] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """A local variable of the program."""

    name: str
    place: Place
    shown: str = ""
    """What to call it in a message, where the name is the compiler's own."""
    parts: ClassVar[tuple[Expression, ...]] = ()

    def report_missing(self) -> Problem:
        """What to say when it has no value."""
        if self.shown:
            return Problem(f"{self.shown} ended without returning a value", "return one on every path", self.place)
        own = self.name.rpartition(".")[2]  # without the call that a helper's variable belongs to
        return Problem(f"{own!r} has no value here", "assign it on every path that leads here", self.place)


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on the values of all its parts."""

    function: Callable[..., Value]
    parts: tuple[Expression, ...]
    place: Place
    quick: bool = False
    """Whether it takes one step however long its arguments are, as a subscript does."""


@dataclass(frozen=True, slots=True)
class Decide:
    """``a and b and …`` (the first that is false, else the last), ``or``, or, of test, a, b: ``a if test else b``."""

    how: Literal["and", "or", "if"]
    parts: tuple[Expression, ...]


Expression = Constant | Variable | Apply | Decide


def variables(expression: Expression) -> Iterator[str]:
    """The variables that occur in the expression, with repetitions."""
    if isinstance(expression, Variable):
        yield expression.name
    for part in expression.parts:
        yield from variables(part)


def rewritten(expression: Expression, change: Callable[[Variable], Expression]) -> Expression:
    """The expression with each variable replaced."""
    if isinstance(expression, Variable):
        return change(expression)
    return _with_parts(expression, [rewritten(part, change) for part in expression.parts])


def _with_parts(expression: Expression, parts: Sequence[Expression]) -> Expression:
    # By object, not by equality: True and 1 are equal, and not the same constant.
    same = all(new is old for new, old in zip(parts, expression.parts, strict=True))
    if same or not isinstance(expression, Apply | Decide):
        return expression
    return replace(expression, parts=tuple(parts))


class Absent:
    """What is in the slot of a variable that has no value."""


ABSENT = Absent()

SPENT = 0
"""The slot of an environment in which effort is added up."""

Environment = list[Any]
"""Values and `ABSENT`, but for the plain int in the slot `SPENT`: told apart by the slot, not by the type."""
Evaluation = Callable[[Environment], Value]
Slots = Mapping[str, int]

_SMALL = 1 << 62

_OF_INTEGERS: Mapping[object, Callable[[Any, Any], Any]] = {
    BINARY["Add"]: operator.add,
    BINARY["Sub"]: operator.sub,
    BINARY["Mult"]: operator.mul,
    COMPARE["Eq"]: operator.eq,
    COMPARE["NotEq"]: operator.ne,
    COMPARE["Lt"]: operator.lt,
    COMPARE["LtE"]: operator.le,
    COMPARE["Gt"]: operator.gt,
    COMPARE["GtE"]: operator.ge,
}
"""Operations that are Python's own on two ints that are not bools, if the result is small."""


def evaluation(expression: Expression, slots: Slots) -> Evaluation:
    """A function that evaluates the expression in an environment; Problem, placed, if it has no value there."""
    match expression:
        case Constant(value):
            return lambda _: value  # type: ignore[return-value]  # None only ever reaches slice_of, which expects it
        case Variable(name):
            return _variable(expression, slots[name])
        case Decide():
            return _decision(expression, [evaluation(part, slots) for part in expression.parts])
    return _application(expression, [evaluation(part, slots) for part in expression.parts])


def constant_value(expression: Expression) -> Value:
    """The value of an expression without variables."""
    return evaluation(expression, {})([0])


def _variable(variable: Variable, slot: int) -> Evaluation:
    def read(environment: Environment) -> Value:
        value = environment[slot]
        if value is ABSENT:
            raise variable.report_missing()
        return value  # type: ignore[no-any-return]  # see `Environment`

    return read


def _decision(expression: Decide, parts: Sequence[Evaluation]) -> Evaluation:
    *tests, last = parts
    if expression.how == "if":
        test, then = tests
        return lambda environment: (then if truth(test(environment)) else last)(environment)
    deciding = expression.how == "or"

    def first(environment: Environment) -> Value:
        for part in tests:
            value = part(environment)
            if truth(value) is deciding:
                return value
        return last(environment)

    return first


def _application(expression: Apply, parts: Sequence[Evaluation]) -> Evaluation:
    """The operation on values: effort is noted, and what goes wrong is placed."""
    function, place, quick = expression.function, expression.place, expression.quick

    def apply(environment: Environment, arguments: Sequence[Value]) -> Value:
        if not quick:
            for argument in arguments:
                if type(argument) is not int:
                    environment[SPENT] += effort(argument)
        try:
            return function(*arguments)
        except Problem as problem:
            raise problem.at(place) from None

    if function not in _OF_INTEGERS:
        return lambda environment: apply(environment, [part(environment) for part in parts])
    (left, right), direct = parts, _OF_INTEGERS[function]

    def of_integers(environment: Environment) -> Value:
        # Small integers, by far the most frequent values, take a shorter way to the same result.
        a, b = left(environment), right(environment)
        if type(a) is int and type(b) is int:
            result = direct(a, b)
            if -_SMALL < result < _SMALL:
                return result  # type: ignore[no-any-return]  # an int or a bool
        return apply(environment, (a, b))

    return of_integers


def bake(expression: Expression, environment: Environment, unknown: frozenset[int], slots: Slots) -> Expression:
    """The expression with every part that reads no ``unknown`` slot replaced by its value, if it has one.

    A part that has none stays as it is: it goes wrong only if it is evaluated.
    """
    if isinstance(expression, Variable):
        slot = slots[expression.name]
        return expression if slot in unknown or environment[slot] is ABSENT else Constant(environment[slot])
    return _fold(expression, [bake(part, environment, unknown, slots) for part in expression.parts])


def _compute(expression: Expression) -> Expression:
    """The expression with every part that reads no variable replaced by its value, if it has one."""
    if isinstance(expression, Variable):
        return expression
    return _fold(expression, [_compute(part) for part in expression.parts])


def _fold(expression: Expression, parts: Sequence[Expression]) -> Expression:
    """The expression with these parts, or its value where all of them are known and it has one."""
    found = _with_parts(expression, parts)
    if isinstance(found, Constant) or not all(isinstance(part, Constant) for part in parts):
        return found
    try:
        return Constant(constant_value(found))
    except Problem:
        return found


# Instructions.


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


STOPS = (Kind.DRAW, Kind.ANNOUNCE, Kind.ASK, Kind.RETURN)
"""What configurations stand before."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One step of a program. What it writes, it writes only on the way to ``next``."""

    kind: Kind
    place: Place
    next: int = -1
    reads: tuple[Expression, ...] = ()
    writes: tuple[str, ...] = ()
    otherwise: int | None = None
    distribution: Distribution | None = None
    until: int = -1
    """Where a stretch that begins here ends, in which nothing is drawn, seen or asked: a comprehension; else −1."""

    @property
    def successors(self) -> tuple[int, ...]:
        """Where a run may go on; nowhere from a return."""
        if self.kind is Kind.RETURN:
            return ()
        return (self.next,) if self.otherwise is None else (self.next, self.otherwise)

    def move(self, number: Callable[[int], int]) -> Instruction:
        """The same instruction where points have other numbers."""
        if self.kind is Kind.RETURN:
            return self
        otherwise = None if self.otherwise is None else number(self.otherwise)
        until = self.until if self.until < 0 else number(self.until)
        return replace(self, next=number(self.next), otherwise=otherwise, until=until)

    def replace_reads(self, change: Callable[[Variable], Expression]) -> Instruction:
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

        return replace(self, instructions=tuple(i.replace_reads(change) for i in self.instructions))

    def fold(self) -> Graph:
        """The graph in which what reads no variable has been computed, where it has a value."""

        def change(expression: Expression) -> Expression:
            # What a loop runs over stays an operation: it is kept as turns to come.
            if getattr(expression, "function", None) is iterate:
                return _with_parts(expression, [_compute(part) for part in expression.parts])
            return _compute(expression)

        found = (replace(i, reads=tuple(map(change, i.reads))) for i in self.instructions)
        return replace(self, instructions=tuple(found))

    def stretch(self, start: int) -> frozenset[int]:
        """The points of the stretch that begins there, without its end."""
        end, found, stack = self.instructions[start].until, set[int](), [start]
        while stack:
            point = stack.pop()
            if point != end and point not in found:
                found.add(point)
                stack.extend(self.instructions[point].successors)
        return frozenset(found)

    def without_results(self) -> Graph:
        """The graph as it runs by itself: returned values dropped, nobody reads them."""
        ends = (replace(i, reads=()) if i.kind is Kind.RETURN else i for i in self.instructions)
        return replace(self, instructions=tuple(ends))

    def find_condition(self) -> Instruction | None:
        """An ``assert`` whose condition is computed from a draw or an answer; None if there is none."""
        unsure = {v for i in self.instructions if i.kind in (Kind.DRAW, Kind.ASK) for v in i.writes}
        known = -1
        while known != len(unsure):
            known = len(unsure)
            for i in self.instructions:
                if any(name in unsure for expression in i.reads for name in variables(expression)):
                    unsure.update(i.writes)
                    if any(getattr(expression, "function", None) is check_assertion for expression in i.reads):
                        return i
        return None


def idle_assignments(graph: Graph, given: frozenset[str] = frozenset()) -> frozenset[int]:
    """The assignments that cannot go wrong and whose results nothing reads, but for other such assignments.

    A counter that only feeds itself is assigned by them. An operation that may go wrong is done whoever reads its
    result; sums, products and comparisons of numbers cannot, if each variable in them surely has a value. ``given``
    are the parameters that are numbers.
    """
    harmless = _harmless(graph, given)
    if not harmless:
        return harmless
    live = _live(graph, harmless)
    return frozenset(p for p in harmless if graph.instructions[p].writes[0] not in live[graph.instructions[p].next])


def live_variables(graph: Graph, idle: frozenset[int] = frozenset()) -> tuple[tuple[str, ...], ...]:
    """The variables that are live before each point, by name in increasing order; idle assignments do not read."""
    return tuple(tuple(sorted(names)) for names in _live(graph, idle))


def _live(graph: Graph, harmless: frozenset[int]) -> list[frozenset[str]]:
    """What is live before each point, where a harmless assignment reads only for what it assigns."""
    reads = [frozenset(name for e in i.reads for name in variables(e)) for i in graph.instructions]
    live = [frozenset[str]() if point in harmless else names for point, names in enumerate(reads)]
    before: list[list[tuple[int, frozenset[str]]]] = [[] for _ in graph.instructions]
    for point, i in enumerate(graph.instructions):
        for successor in i.successors:
            before[successor].append((point, frozenset(i.writes if successor == i.next else ())))
    pending = list(range(len(live)))
    while pending:
        point = pending.pop()
        for earlier, written in before[point]:
            wider = live[earlier] | (live[point] - written)
            # What it reads matters only if somebody reads what it assigns.
            if earlier in harmless and not written.isdisjoint(live[point]):
                wider |= reads[earlier]
            if wider != live[earlier]:
                live[earlier] = wider
                pending.append(earlier)
    return live


_OF_NUMBERS = frozenset(
    [BINARY["Add"], BINARY["Sub"], BINARY["Mult"], UNARY["USub"], UNARY["UAdd"], UNARY["Not"]]
    + [COMPARE[name] for name in ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")]
)
"""Operations that have a value for all numbers, which is a number or a truth value."""


def _harmless(graph: Graph, given: frozenset[str]) -> frozenset[int]:
    """Assignments that cannot go wrong: of numbers, by operations on numbers, from variables that have a value."""
    # Greatest set of variables that only ever hold numbers, if they hold anything.
    numeric = {name for i in graph.instructions for name in i.writes} | given
    before = -1
    while before != len(numeric):
        before = len(numeric)
        for i in graph.instructions:
            drawn = i.kind is Kind.DRAW and i.distribution in NUMERIC
            if not (drawn or i.kind is Kind.FORGET or (i.kind is Kind.ASSIGN and _is_number(i.reads[0], numeric))):
                numeric.difference_update(i.writes)
    found = [p for p, i in enumerate(graph.instructions) if i.kind is Kind.ASSIGN and numeric.issuperset(i.writes)]
    if not found:
        return frozenset()
    assigned = _assign(graph, frozenset(numeric), given)
    return frozenset(p for p in found if assigned[p].issuperset(variables(graph.instructions[p].reads[0])))


def _is_number(expression: Expression, numeric: Collection[str]) -> bool:
    match expression:
        case Constant(value):
            return isinstance(value, int | Fraction)
        case Variable(name):
            return name in numeric
        case Apply(function):
            return function in _OF_NUMBERS and all(_is_number(part, numeric) for part in expression.parts)
    return all(_is_number(part, numeric) for part in expression.parts)


def _assign(graph: Graph, names: frozenset[str], given: frozenset[str]) -> list[frozenset[str]]:
    """Which of the variables are given, or have been assigned before each point on every way there."""
    # The greatest solution: a name counts as assigned until some way is found on which it is not.
    found: list[frozenset[str]] = [names] * len(graph.instructions)
    found[graph.entry] = names & given
    pending = [graph.entry]
    seen = {graph.entry}
    while pending:
        point = pending.pop()
        i = graph.instructions[point]
        for successor in i.successors:
            here = found[point]
            if successor == i.next:
                here = here - set(i.writes) if i.kind is Kind.FORGET else here | names.intersection(i.writes)
            fewer = found[successor] & here
            if fewer != found[successor] or successor not in seen:
                found[successor] = fewer
                seen.add(successor)
                pending.append(successor)
    return found


LooseEnds = list[tuple[int, str]]
"""Ways out of instructions that lead nowhere yet: a point, and ``next`` or ``otherwise``."""


class GraphBuilder:
    """Instructions in the making, in the order of the text.

    What is added is entered from all open ``ends``, and has one itself. Whoever builds a branch or a loop puts ends
    aside, or lets them lead back.
    """

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.ends: LooseEnds = []
        self._names: dict[str, int] = {}

    def add(self, instruction: Instruction) -> int:
        """The point of a new instruction; Problem when there are too many."""
        point = len(self.instructions)
        if point >= MAX_POINTS:
            what = f"the program has more than {MAX_POINTS} instructions, helper programs copied in at each call"
            raise Problem(what, "call helpers in fewer places, for instance from one loop", instruction.place)
        self.lead_to(point)
        self.instructions.append(instruction)
        self.ends = [] if instruction.kind is Kind.RETURN else [(point, "next")]
        return point

    def lead_to(self, point: int) -> None:
        """Close the open ends: a run goes on at ``point``."""
        for end, way in self.ends:
            self.instructions[end] = replace(self.instructions[end], **{way: point})  # type: ignore[arg-type]
        self.ends = []

    def take_back(self, size: int, ends: LooseEnds) -> None:
        """Drop the instructions from number ``size`` on, which nothing has been made of; before, ``ends`` were open."""
        del self.instructions[size:]
        self.ends = ends

    def assign(self, target: str, value: Expression, place: Place) -> None:
        """Add an assignment."""
        self.add(Instruction(Kind.ASSIGN, place, reads=(value,), writes=(target,)))

    def branch(self, test: Expression, place: Place) -> tuple[LooseEnds, LooseEnds]:
        """Add a branch; the ends where the test is true, and where it is false."""
        point = self.add(Instruction(Kind.BRANCH, place, reads=(test,)))
        return [(point, "next")], [(point, "otherwise")]

    def add_helper(self, helper: Graph, prefix: str, result: str) -> None:
        """Add a copy of ``helper``: its variables get the ``prefix``, what it returns is assigned to ``result``."""
        shift, ends = len(self.instructions), LooseEnds()
        self.lead_to(helper.entry + shift)
        for original in helper.instructions:
            i = original.replace_reads(lambda variable: replace(variable, name=prefix + variable.name))
            i = replace(i.move(lambda point: point + shift), writes=tuple(prefix + name for name in i.writes))
            if i.kind is Kind.RETURN:
                # Without a value the result is forgotten, so that reading it is an error of the caller.
                i = Instruction(Kind.ASSIGN if i.reads else Kind.FORGET, i.place, reads=i.reads, writes=(result,))
                ends.append((len(self.instructions), "next"))
            # Copies lead where the helper's instructions do, not from each to the next in the text.
            self.ends = []
            self.add(i)
        self.ends = ends

    def end_stretch(self, start: int, place: Place) -> None:
        """Note that the instructions from ``start`` on are left here alone, if they only compute, and surely end."""
        parts = self.instructions[start:]
        # A loop over items ends; one of a helper may run for ever, which `explore` notices where nothing is skipped.
        endless = any(i.kind is Kind.JUMP and self.instructions[i.next].kind is not Kind.TURN for i in parts)
        if not endless and all(i.kind not in STOPS for i in parts):
            end = self.add(Instruction(Kind.FORGET, place))
            self.instructions[start] = replace(self.instructions[start], until=end)

    def fresh(self, base: str) -> str:
        """A variable of the compiler's own; ``base`` holds a character that no Python name has."""
        count = self._names[base] = self._names.get(base, 0) + 1
        return base if count == 1 else f"{base}#{count}"

    def finish(self) -> Graph:
        """The graph built so far, without what cannot be reached."""
        number: dict[int, int] = {}
        stack = [0]
        while stack:
            point = stack.pop()
            if point not in number:
                number[point] = len(number)
                stack.extend(self.instructions[point].successors)
        kept = tuple(self.instructions[point].move(lambda to: number.get(to, -1)) for point in number)
        written = frozenset(v for i in self.instructions if i.kind is not Kind.FORGET for v in i.writes)
        return Graph(kept, 0, written)
