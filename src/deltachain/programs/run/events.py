"""Events of a run, and how likely they are: ``abs(output - count) <= 3``.

An event is a condition in the language of programs about what a run announces, ``output`` (the last value) or
``outputs`` (a tuple of all of them), and about the parameters as they were given. Its probability is found by the
compiler itself: the graph of the program is changed so that a run keeps what it would announce, and shows in its only
letter whether the event holds. What follows noise is then split where the condition changes, so that tails count in
full; only where the compiler has to cut noise off is the probability a lower bound, and a bound from above beside it.

The event does not hold in a run that announces nothing, or that never ends.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...errors import Defect
from ...model.rows import AnyRow
from ..language.graph import Apply, Constant, Expression, Graph, GraphBuilder, Instruction, Kind, Variable, variables
from ..language.lower import lower_expression
from ..language.source import Place, Problem, ProgramError, parse, suggestion
from ..language.values import BINARY, Value, build_tuple, show

LAST, ALL = "output", "outputs"
"""What an event calls the last value that was announced, and all of them."""
HOLDS, FAILS = "holds", "fails"
"""The letters of a run that was asked."""
_SHOWN = "announced@"
"""Whether anything was announced so far; no Python name has this sign."""
_OWN = "event@."
"""Stands before the names of the event: what a program does to its variables does not concern it."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How likely an event is, whatever the secret: the least probability lies between ``lower`` and ``upper``.

    Attributes:
        event: the condition, as it was given.
        lower: no more than the least probability.
        upper: no less; it differs where noise was cut off, or where a probability is irrational.
        secret: the name of a secret for which ``lower`` was found.
        secrets: how many secrets were examined.
    """

    event: str
    lower: Fraction
    upper: Fraction
    secret: str
    secrets: int

    @classmethod
    def of(cls, event: str, names: Sequence[str], labels: Sequence[str], rows: Sequence[Sequence[AnyRow]]) -> Accuracy:
        """From the rows of the start states, which come first, of a program that shows its event."""
        ends = [_ends(labels, rows[start][0]) for start in range(len(names))]
        worst = min(range(len(names)), key=lambda start: ends[start][0])
        return cls(event, ends[worst][0], min(upper for _, upper in ends), names[worst], len(names))


def _ends(labels: Sequence[str], row: AnyRow) -> tuple[Fraction, Fraction]:
    """Between what the event's probability lies: what is cut off may be inside it or not."""
    box = row.box
    low = sum((lo for target, lo, _ in box if labels[target] == HOLDS), Fraction(0))
    high = sum((hi for target, _, hi in box if labels[target] == HOLDS), box.rest)
    return low, min(high, Fraction(1))


def with_event(graph: Graph, event: str, parameters: Sequence[str], where: str = "accuracy") -> Graph:
    """The graph of a program that announces nothing but whether the event holds, at its end.

    Args:
        graph: of the program.
        event: the condition.
        parameters: the names of the program's parameters.
        where: what messages call the event.

    Raises:
        ProgramError: the text is not a condition about what is announced; or the observer chooses inputs, so that
            there is no one probability.
    """
    asks = next((i for i in graph.instructions if i.kind is Kind.ASK), None)
    if asks is not None:
        what = f"the observer is asked at {asks.place}: how likely the event is depends on the answers"
        raise ProgramError(Defect(f"{where} {event!r}", what, "give a program without ask"))
    condition, place = _condition(event, parameters, where)
    builder = GraphBuilder()
    builder.assign(_SHOWN, Constant(False), place)
    if ALL in condition.read:
        builder.assign(_OWN + ALL, Constant(()), place)
    for name in parameters:
        if name in condition.read:
            builder.assign(_OWN + name, Variable(name, place), place)
    builder.add_helper(_keep(graph.without_results(), condition.read), "", "result@")
    anything, nothing = builder.branch(Variable(_SHOWN, place), place)
    builder.ends = anything
    builder.add_helper(condition.graph, _OWN, "holds@")
    yes, no = builder.branch(Variable("holds@", place), place)
    for ends, letter in ((yes, HOLDS), ([*no, *nothing], FAILS)):
        builder.ends = ends
        builder.add(Instruction(Kind.ANNOUNCE, place, reads=(Constant(letter),)))
        builder.add(Instruction(Kind.RETURN, place))
    return builder.finish()


def _keep(graph: Graph, read: frozenset[str]) -> Graph:
    """The graph in which what was announced is kept, as far as the event reads it."""
    found: list[Instruction] = list(graph.instructions)
    for point, i in enumerate(graph.instructions):
        if i.kind is not Kind.ANNOUNCE:
            continue
        (value,) = i.reads
        steps: list[tuple[str, Expression]] = [(_SHOWN, Constant(True))]
        if ALL in read:
            one = Apply(build_tuple, (value,), i.place)
            steps.append((_OWN + ALL, Apply(BINARY["Add"], (Variable(_OWN + ALL, i.place), one), i.place)))
        if LAST in read:
            steps.append((_OWN + LAST, value))
        # The first takes the place of the announcement; others follow behind the end of the graph.
        places = [point, *range(len(found), len(found) + len(steps) - 1)]
        ways = [*places[1:], i.next]
        for here, following, (name, kept) in zip(places, ways, steps, strict=True):
            step = Instruction(Kind.ASSIGN, i.place, following, (kept,), (name,))
            if here == len(found):
                found.append(step)
            else:
                found[here] = step
    return replace(graph, instructions=tuple(found))


@dataclass(frozen=True, slots=True)
class _EventGraph:
    """The graph that returns whether the event holds, and the names that it reads."""

    graph: Graph
    read: frozenset[str]


def _condition(event: str, parameters: Sequence[str], where: str) -> tuple[_EventGraph, Place]:
    said, fix = f"{where} {event!r}", f"write a condition about {LAST}, such as abs({LAST} - count) <= 3"
    taken = sorted({LAST, ALL}.intersection(parameters))
    if taken:
        what = f"the program has a parameter {taken[0]!r}, which is what it announces here"
        raise ProgramError(Defect(said, what, "rename the parameter"))
    names = (LAST, ALL, *parameters)
    try:
        source = parse(event.strip(), said)
        match source.module.body:
            case [ast.Expr(node)]:
                graph = lower_expression(node, source, frozenset(names))
            case _:
                raise ProgramError(Defect(said, "this is not one expression", fix))
    except ProgramError as error:
        raise ProgramError(_name_missing(defect, names) for defect in error.defects) from None
    read = frozenset(name for i in graph.instructions for part in i.reads for name in variables(part)).intersection(
        names
    )
    if read.isdisjoint((LAST, ALL)):
        raise ProgramError(Defect(said, f"it says nothing about {LAST} or {ALL}", fix))
    place = source.place(node)
    instructions = (_check(i, place) if i.kind is Kind.RETURN else i for i in graph.instructions)
    return _EventGraph(replace(graph, instructions=tuple(instructions)), read), place


def _name_missing(defect: Defect, names: Sequence[str]) -> Defect:
    """The defect; of a name that nothing binds, with the names that there are."""
    unknown = re.fullmatch(r"unknown name '(.*)'", defect.what)
    if unknown is None:
        return defect
    return Defect(defect.where, defect.what, suggestion(unknown[1], names, "an event speaks of"))


def _check(end: Instruction, place: Place) -> Instruction:
    """The end, with what it returns surely a truth value."""
    return replace(end, reads=(Apply(_truth_value, end.reads, place),))


def _truth_value(value: Value) -> Value:
    if not isinstance(value, bool):
        raise Problem(f"{show(value)} is not a truth value", "compare it")
    return value
