"""Sums that are taken as soon as all their parts are known, before the next draw.

``x + discrete_laplace(1) + discrete_laplace(2) + discrete_laplace(3)`` draws three numbers and adds them up when it has
them all. Where integers are followed by their laws, two at a time, the first two are better added up before the third
is drawn. Nothing is announced in between, and a sum looks at nothing, so that it makes no difference when it is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..language.graph import Apply, Expression, Graph, Instruction, Kind, Variable, variables
from ..language.values import BINARY, iterate

_SUMS = (BINARY["Add"], BINARY["Sub"])
_READERS = (Kind.ASSIGN, Kind.ANNOUNCE, Kind.BRANCH)


def with_early_sums(graph: Graph) -> Graph:
    """The graph in which a sum that only waits for draws that it does not read is taken before them."""
    instructions = list(graph.instructions)
    entries = Counter(point for i in instructions for point in i.successors)
    # The one instruction from which each is reached, if there is only one, and nothing is decided or seen there.
    before = {
        i.next: point
        for point, i in enumerate(instructions)
        if i.kind in (Kind.DRAW, Kind.ASSIGN) and entries[i.next] == 1 and i.next != graph.entry
    }
    names = (f"sum@{number}" for number in range(len(instructions) ** 2))
    pending = [point for point, i in enumerate(instructions) if i.kind in _READERS]
    while pending:
        point = pending.pop()
        i = instructions[point]
        if not i.reads or getattr(i.reads[0], "function", None) is iterate:
            continue
        way = [point]
        while way[-1] in before:
            way.append(before[way[-1]])
        early = next(_early(i.reads[0], [instructions[each] for each in way[1:]]), None)
        if early is None:
            continue
        # Between its last part and what comes next.
        part, place = early
        after, name, new = way[place + 1], next(names), len(instructions)
        taken = Instruction(Kind.ASSIGN, i.place, instructions[after].next, (part,), (name,))
        instructions.append(taken)
        before[new], before[taken.next] = after, new
        instructions[after] = replace(instructions[after], next=new)
        read = _replace_part(i.reads[0], part, Variable(name, i.place))
        instructions[point] = replace(i, reads=(read, *i.reads[1:]))
        pending += [point, new]
    return replace(graph, instructions=tuple(instructions), assigned=graph.assigned)


def _early(expression: Expression, way: Sequence[Instruction]) -> Iterator[tuple[Expression, int]]:
    """The largest sums in an expression that something drawn later has no part in, and behind which instruction.

    ``way`` are the instructions that lead to the expression, the last first.
    """
    # What is evaluated in some cases alone stays where it is: it may go wrong in the others.
    if not isinstance(expression, Apply):
        return
    if expression.function in _SUMS:
        read = set(variables(expression))
        place = next((place for place, i in enumerate(way) if read.intersection(i.writes)), None)
        if place is not None and len(read) > 1 and any(i.kind is Kind.DRAW for i in way[:place]):
            yield expression, place
            return
    for part in expression.parts:
        yield from _early(part, way)


def _replace_part(expression: Expression, part: Expression, by: Expression) -> Expression:
    """The expression with one part, the same object, replaced."""
    if expression is part:
        return by
    if not isinstance(expression, Apply):
        return expression
    return replace(expression, parts=tuple(_replace_part(each, part, by) for each in expression.parts))
