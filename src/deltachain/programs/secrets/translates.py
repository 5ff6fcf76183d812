"""Pairs of secrets that are translates of others: one pair stands for all of them, before anything is explored.

A program is *carried along* by an integer parameter p if runs use it in one way: every number that is announced is
a·p + v with the same whole number a, where v does not depend on p, whatever else is announced is text, and no draw,
branch, loop or question depends on p. With p + k in place of p a run draws the same, and announces each number plus
a·k. So o ↦ o + a·k is a bijection of letters under which the law of words from a secret becomes that from the secret
moved by k. Both secrets of a pair moved by the same k have the same letters renamed: whatever is measured of a pair,
at every ε, is what is measured of the pair moved by k.

What is carried is found in the graph of the program alone: for each variable, at each point, the number c for which its
value is c·p + v, or that there is none; the greatest solution of equations along the arcs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..language.graph import Apply, Constant, Expression, Graph, Instruction, Kind, Variable
from ..language.values import BINARY, UNARY, Value, identity

MANY_PAIRS = 20
"""Up to so many pairs each is explored: they are listed one by one, with their own names."""

MultiplesOfParameter = Mapping[str, int | None]
"""By variable, the c of c·p + v, where it is not 0; None where its value depends on p in another way."""


def representatives(
    graph: Graph, environments: Sequence[Mapping[str, Value]], pairs: Sequence[tuple[int, int]]
) -> Sequence[tuple[int, int]]:
    """Of pairs of secrets, by number, the first of those that are translates of each other."""
    carried = [name for name in environments[0] if _integers(environments, name) and is_carried_along(graph, name)]
    if not carried:
        return pairs
    first: dict[object, tuple[int, int]] = {}
    for i, j in pairs:
        one, other = environments[i], environments[j]
        key = tuple(
            other[name] - one[name] if name in carried else (identity(one[name]), identity(other[name]))  # type: ignore[operator]
            for name in one
        )
        first.setdefault(key, (i, j))
    return [*first.values()]


def _integers(environments: Sequence[Mapping[str, Value]], name: str) -> bool:
    """Whether a parameter is an integer under every secret, and not the same one."""
    values = {values[name] if type(values[name]) is int else None for values in environments}
    return None not in values and len(values) > 1


def is_carried_along(graph: Graph, parameter: str) -> bool:
    """Whether runs do nothing with a parameter but announce a·p + v, with one a for all numbers that they announce."""
    graph = graph.fold()
    known: dict[int, MultiplesOfParameter] = {graph.entry: {parameter: 1}}
    waiting = [graph.entry]
    while waiting:
        point = waiting.pop()
        instruction = graph.instructions[point]
        after = _after(instruction, known[point])
        for following in instruction.successors:
            joined = after if following not in known else _join(known[following], after)
            if following not in known or joined != known[following]:
                known[following] = joined
                waiting.append(following)
    announced = set()
    for point, at in known.items():
        instruction = graph.instructions[point]
        multiples = {_multiple(read, at) for read in instruction.reads if not _is_text(read)}
        if instruction.kind is Kind.ANNOUNCE:
            announced |= multiples
        elif None in multiples or (instruction.kind is not Kind.ASSIGN and multiples - {0}):
            return False  # also where the result is never used: it may have none for some p
    return None not in announced and len(announced) <= 1


def _is_text(shown: Expression) -> bool:
    """Whether it is a text that no number looks like."""
    return isinstance(shown, Constant) and isinstance(shown.value, str) and shown.value.isidentifier()


def _after(instruction: Instruction, at: MultiplesOfParameter) -> MultiplesOfParameter:
    """What is known after an instruction."""
    changed = dict(at)
    for name in instruction.writes:
        changed.pop(name, None)
    if instruction.kind is Kind.ASSIGN:
        (name,), (value,) = instruction.writes, instruction.reads
        if (found := _multiple(value, at)) != 0:
            changed[name] = found
    return changed


def _join(one: MultiplesOfParameter, other: MultiplesOfParameter) -> MultiplesOfParameter:
    """What is known of a variable where two ways meet: if they differ, that it depends on p."""
    return {name: one[name] if one.get(name, 0) == other.get(name, 0) else None for name in {**one, **other}}


def _multiple(expression: Expression, at: MultiplesOfParameter) -> int | None:
    """The c for which the value of an expression is c·p + v; None if there may be none."""
    if isinstance(expression, Variable):
        return at.get(expression.name, 0)
    parts = [_multiple(part, at) for part in expression.parts]
    if not any(part != 0 for part in parts):
        return 0
    if None in parts or not isinstance(expression, Apply):
        return None
    known: list[Any] = parts
    if expression.function is BINARY["Add"]:
        return int(known[0] + known[1])
    if expression.function is BINARY["Sub"]:
        return int(known[0] - known[1])
    if expression.function is UNARY["USub"]:
        return int(-known[0])
    if expression.function is BINARY["Mult"]:
        for factor, multiple in zip(expression.parts, reversed(known), strict=True):
            if isinstance(factor, Constant) and type(factor.value) is int:
                return int(factor.value * multiple)
    return None
