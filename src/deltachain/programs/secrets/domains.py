"""A domain of secrets: every choice of one value for each of some parameters.

It is a sequence that is not written out: a secret is made when it is asked for, so that pairs can be drawn from domains
that are too large to list.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from ...cancel import Cancel
from ...errors import Defect, InputError
from ..language.compute import Computation
from ..language.lower import lower_items
from ..language.source import Problem, ProgramError, Source, parse
from ..language.values import Value, as_value, identity

MAX_VALUES = 1_000_000
"""How many values one parameter of a domain may have."""
MOST_SECRETS = 10**18
"""How many secrets a domain may have: Python counts no further than 2^63."""
MOST_STEPS = 20_000_000
"""How many steps of the language it may take to list them."""


class Vectors(Sequence[Value]):
    """Every tuple of one value from each of some lists, the first changing slowest; not written out.

    ``places`` has the list of each entry of the tuples: each of the lists at least once.

    >>> list(Vectors([(0, 1), ("x", "y")], (1, 0)))
    [('x', 0), ('y', 0), ('x', 1), ('y', 1)]
    """

    def __init__(self, lists: Sequence[Sequence[Value]], places: Sequence[int]) -> None:
        self.lists, self.places = lists, places

    def __len__(self) -> int:
        return math.prod(map(len, self.lists))

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...
    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        chosen: list[Value] = []
        for values in reversed(self.lists):
            number, place = divmod(number, len(values))
            chosen.append(values[place])
        return tuple([chosen[-1 - place] for place in self.places])

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, tuple) or len(value) != len(self.places):
            return False
        entries: dict[int, object] = {}
        for place, entry in zip(self.places, map(identity, value), strict=True):
            # A list that has several places has the same value in all of them.
            if entries.setdefault(place, entry) != entry or entry not in self._members[place]:
                return False
        return True

    @cached_property
    def _members(self) -> list[frozenset[object]]:
        return [frozenset(map(identity, values)) for values in self.lists]


class Domain(Sequence[Mapping[str, Value]]):
    """The secrets ``{name: value, …}``, the last name changing fastest.

    >>> Domain({"a": (0, 1), "b": ("x", "y")})
    <Domain: a (2 values), b (2 values): 4 secrets>
    >>> Domain({"a": (0, 1), "b": ("x", "y")})[1]
    {'a': 0, 'b': 'y'}
    """

    def __init__(self, columns: Mapping[str, Sequence[Value]]) -> None:
        self.columns = dict(columns)

    def __len__(self) -> int:
        return math.prod(map(len, self.columns.values()))

    @overload
    def __getitem__(self, index: int) -> dict[str, Value]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, Value]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Value] | list[Mapping[str, Value]]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        found: list[tuple[str, Value]] = []
        for name, values in reversed(self.columns.items()):
            number, place = divmod(number, len(values))
            found.append((name, values[place]))
        return dict(reversed(found))

    def __contains__(self, secret: object) -> bool:
        if not isinstance(secret, Mapping) or secret.keys() != self.columns.keys():
            return False
        return all(
            secret[name] in values if isinstance(values, Vectors) else identity(secret[name]) in self._members[name]
            for name, values in self.columns.items()
        )

    @cached_property
    def _members(self) -> dict[str, frozenset[object]]:
        listed = {name: values for name, values in self.columns.items() if not isinstance(values, Vectors)}
        return {name: frozenset(map(identity, values)) for name, values in listed.items()}

    def __iter__(self) -> Iterator[dict[str, Value]]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} ({_count(len(values), 'value')})" for name, values in self.columns.items())
        return f"<Domain: {columns}: {_count(len(self), 'secret')}>"

    def times(self, more: Mapping[str, Sequence[Value]]) -> Domain:
        """With every choice of values for more parameters, too."""
        return Domain(self.columns | dict(more)) if more else self


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def domain(**values: Iterable[object]) -> Domain:
    """Every secret with one of these values for each of the parameters, for ``secrets=``.

    Args:
        values: for each parameter the values that it may have; what occurs twice counts once.

    Raises:
        InputError: what was given is not values of programs, or is none, or too many.

    >>> domain(q=[(a, b) for a in range(4) for b in range(4)])
    <Domain: q (16 values): 16 secrets>
    """
    defects: list[Defect] = []
    columns = {name: _column(f"domain, {name}", given, defects) for name, given in values.items()}
    if defects or not columns:
        raise InputError(defects or [Defect("domain", "it has no parameters", "write domain(x=range(4))")])
    if math.prod(map(len, columns.values())) > MOST_SECRETS:
        raise InputError(Defect("domain", f"more than {MOST_SECRETS:,} secrets", "give fewer"))
    return Domain(columns)


def _column(where: str, given: Iterable[object], defects: list[Defect]) -> tuple[Value, ...]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        defects.append(Defect(where, f"{given!r} is not a list of values", "give a list, a range or an iterator"))
        return ()
    found: dict[object, Value] = {}
    try:
        for thing in given:
            value = as_value(thing)
            found.setdefault(identity(value), value)
            if len(found) > MAX_VALUES:
                raise Problem(f"more than {MAX_VALUES:,} values", "give fewer, or several parameters")
        if not found:
            raise Problem("it has no values", "give one at least")
    except Problem as problem:
        defects.append(Defect(where, problem.what, problem.fix))
    return tuple(found.values())


def parse_domain(text: str, what: str = "secrets", cancel: Cancel | None = None) -> Domain:
    """The domain of ``q=[(a, b) for a in range(4) for b in range(4)], flag=(True, False)``; ProgramError otherwise.

    >>> parse_domain("q=[(a, b) for a in range(2) for b in range(a + 1)], flag=(True, False)")
    <Domain: q (3 values), flag (2 values): 6 secrets>
    """
    fix = "write name=values, such as x=range(4) or q=[(a, b) for a in range(4) for b in range(4)]"
    shown = repr(text if len(text) <= 60 else f"{text[:57]}…")
    unread = ProgramError(Defect(what, f"{shown} cannot be read", fix))
    try:
        source = parse(f"_({text})", what)
    except ProgramError:
        raise unread from None
    match source.module.body:
        case [ast.Expr(ast.Call(ast.Name(), [], [_, *_] as keywords))]:
            pass
        case _:
            raise unread
    names = [keyword.arg for keyword in keywords]
    if None in names or len(set(names)) < len(names):
        raise unread
    defects: list[Defect] = []
    columns: dict[str, Sequence[Value]] = {}
    for keyword in keywords:
        where = f"{what}, {keyword.arg}"
        wrong: list[Defect] = []
        try:
            columns[str(keyword.arg)] = _values(keyword.value, source, where, wrong, cancel)
        except ProgramError as error:
            wrong += error.defects
        defects += [_about_values(defect, where, keyword) for defect in wrong]
    if math.prod(map(len, columns.values())) > MOST_SECRETS:
        defects.append(Defect(what, f"more than {MOST_SECRETS:,} secrets", "give fewer"))
    if defects:
        raise ProgramError(defects)
    return Domain(columns)


def _values(
    node: ast.expr, source: Source, where: str, defects: list[Defect], cancel: Cancel | None
) -> Sequence[Value]:
    """The values of an expression, each once; tuples of loop variables are not written out, since they may be many."""
    match node:
        case ast.ListComp(ast.Tuple(entries), loops) | ast.GeneratorExp(ast.Tuple(entries), loops):
            variables = [loop.target.id for loop in loops if isinstance(loop.target, ast.Name)]
            named = [entry.id for entry in entries if isinstance(entry, ast.Name)]
            used = {name.id for loop in loops for name in ast.walk(loop.iter) if isinstance(name, ast.Name)}
            plain = len(set(variables)) == len(loops) and not any(loop.ifs or loop.is_async for loop in loops)
            # Each variable is an entry, so that no tuple comes twice; and no list depends on another variable.
            if plain and len(named) == len(entries) and set(named) == set(variables) and not used & set(variables):
                lists = [_values(loop.iter, source, where, defects, cancel) for loop in loops]
                if math.prod(map(len, lists)) > MOST_SECRETS:
                    defects.append(Defect(where, f"more than {MOST_SECRETS:,} values", "give fewer"))
                    return ()
                return Vectors(lists, [variables.index(name) for name in named])
    items = Computation(lower_items(node, source), most_steps=MOST_STEPS, cancel=cancel).items()
    return _column(where, items, defects)


def _about_values(defect: Defect, where: str, keyword: ast.keyword) -> Defect:
    """A defect of what stands behind a name; a single value is told to be none of those that `for` runs over."""
    _, loops, value = defect.what.partition("`for` runs over a range or a tuple, and ")
    if loops and not isinstance(keyword.value, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp):
        return Defect(where, f"{value}, not a list of values", f"write {keyword.arg}=[…], or {keyword.arg}=range(4)")
    return Defect(where, defect.what, defect.fix)
