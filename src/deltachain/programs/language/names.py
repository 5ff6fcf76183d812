"""What a free name of a program means: a constant, a function of the language, another program, or nothing usable.

The one rule for a file that is read and not run: *a name that a program reads is bound in the text of the file exactly
once, counted over all scopes, by a statement of the top level above the program, which is an import, a literal,
``Fraction(…)`` or another program.* What is bound once cannot be bound to anything else, so no scoping rule of Python
needs to be known here. Three things could still change what a name stands for, and are refused: assigning a part of it
(which counts as binding it), code that binds names which it does not spell (``globals()``, ``import *``), and other
code that gets hold of a dict.

A function that Python decorates takes the values that its names have at that moment (`live_names`).
"""

from __future__ import annotations

import ast
import builtins
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, TypeGuard

from ...errors import Defect
from ...numbers.fraction import parse_fraction
from .primitives import PRIMITIVES
from .source import RANDOM, REFUSED_NAMES, Problem, ProgramError, Source, is_random, refusal, suggestion
from .values import BUILTINS, UNARY, FrozenTable, Value, as_value, build_table, check_size, whole

if TYPE_CHECKING:
    from ..protocol import Program

BINDS_ANYTHING = frozenset(("globals", "locals", "vars", "exec", "eval", "setattr", "delattr", "__builtins__"))
BINDS_ANYTHING_OF = frozenset(("__dict__", "__globals__", "__setattr__", "__builtins__", "f_globals", "modules"))
"""Names, and attributes, with which code can bind names that it does not spell."""

OURS = ("deltachain", "deltachain.programs")
MODULES = (*OURS, "fractions", "math")
"""The modules whose functions a program can use."""

FUNCTIONS: Mapping[str, object] = {
    "Fraction": Fraction,
    **{name: getattr(builtins, name) for name in BUILTINS if hasattr(builtins, name)},
    **PRIMITIVES,
}
"""The functions of the language → what Python finds under their names."""

OF_MATH: Mapping[str, object] = {"exp": math.exp, "log": math.log, "sqrt": math.sqrt}
"""Functions of ``math`` that stand for those of the language, which are exact or enclosed."""

FLOAT_DIGITS = 15
"""A decimal of so many digits survives being made a float; a float that needs more has been rounded."""


@dataclass(frozen=True, slots=True)
class KnownConstant:
    """A constant."""

    value: Value


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language, a primitive or builtin, under its own name; or ``program``, the decorator."""

    name: str


@dataclass(frozen=True, slots=True)
class Helper:
    """Another program."""

    program: Program


@dataclass(frozen=True, slots=True)
class Namespace:
    """A module whose names a program can use, such as ``dc`` after ``import deltachain as dc``."""

    member: Callable[[str], Meaning]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A name that a program cannot use, why, and what to do instead."""

    what: str
    fix: str


Meaning = KnownConstant | Function | Helper | Namespace | Unusable

NameScope = Callable[[str], Meaning]
"""What a free name means, at one place."""

DECORATOR = Function("program")


def meaning_of(node: ast.expr, scope: NameScope) -> Meaning | None:
    """What ``name`` or ``module.name`` stands for; None for any other expression, and for parts of anything else."""
    if isinstance(node, ast.Name):
        return scope(node.id)
    if isinstance(node, ast.Attribute):
        around = meaning_of(node.value, scope)
        if isinstance(around, Namespace):
            return around.member(node.attr)
        if isinstance(around, Unusable):
            return Unusable(*RANDOM) if is_random(node.attr) else around
    return None


def unbound(name: str) -> Meaning:
    """What a name means that nothing around the program binds."""
    if name in FUNCTIONS or name == "program":
        return Function(name)
    if name in REFUSED_NAMES:
        return Unusable(*REFUSED_NAMES[name])
    if hasattr(builtins, name):
        return Unusable(f"{name} is not in the language", "the builtins are " + ", ".join(BUILTINS))
    return Unusable(f"unknown name {name!r}", "assign it, make it a parameter, or define it above the program")


# Literals.


def number_or_text(node: ast.Constant, source: Source, text: ast.AST | None = None) -> Value:
    """The value of a literal, decimals by their own digits and never through a float; Problem if it has none.

    ``text`` is the f-string around it, if there is one.
    """
    value = node.value
    if isinstance(value, float):
        return check_size(whole(_decimal(node, value, source, text)))
    if isinstance(value, bool | int | str):
        return check_size(value)
    names = {type(None): "None", bytes: "a bytes literal", complex: "a complex number"}
    what = f"{names.get(type(value), '...')} is not a value of programs"
    raise Problem(what, "use ints, bools, fractions, text, tuples or dicts")


def _decimal(node: ast.Constant, value: float, source: Source, text: ast.AST | None) -> Fraction:
    """The number that is written there. The float that the parser made of it only tells whether this is the place."""
    found: set[Fraction] = set()
    for written in source.numbers(node, text):
        try:
            if float(written) == value:
                found.add(parse_fraction(written))
        except ValueError as reason:
            raise Problem(
                f"a number beyond the limits: {reason}", "write fewer digits, or a smaller exponent"
            ) from None
    if len(found) != 1:
        raise Problem("a number whose digits cannot be read here", "assign it to a variable before this line")
    return found.pop()


def literal(node: ast.expr, source: Source, scope: NameScope) -> Value:
    """The value of a literal or ``Fraction(…)``, which is the same for Python; Problem, placed, for anything else."""
    try:
        match node:
            case ast.Constant():
                exact = number_or_text(node, source)
                if isinstance(node.value, float) and as_value(node.value) != exact:
                    raise Problem("Python rounds this number", "write it as text, or with fewer digits")
                return exact
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float())):
                return UNARY[type(node.op).__name__](literal(node.operand, source, scope))
            case ast.Tuple():
                return check_size(tuple(literal(part, source, scope) for part in node.elts))
            case ast.Dict() if None not in node.keys:
                parts = zip(node.keys, node.values, strict=True)
                flat = (literal(part, source, scope) for item in parts for part in item if part is not None)
                return build_table(*flat)
            case ast.Call(keywords=[]) if meaning_of(node.func, scope) == Function("Fraction"):
                # Of a float, Python would take the binary digits.
                floats = (isinstance(getattr(a, "value", 0), float) for part in node.args for a in ast.walk(part))
                if len(node.args) in (1, 2) and not any(floats):
                    return BUILTINS["Fraction"].function(*(literal(a, source, scope) for a in node.args))
            case ast.List() | ast.Set():
                raise Problem(*refusal(node))
    except Problem as problem:
        raise problem.at(source.place(node)) from None
    fix = "write the value itself or Fraction(1, 3), or compute it in the program"
    raise Problem("this is not a literal", fix, source.place(node))


# Names of a file that is not run.


Thing = ast.expr | ast.FunctionDef | str
"""What a plain statement binds a name to: a value that is written out, a function, or the path of an import."""


class FileNames:
    """The names of one parsed file; ``build`` compiles another program of it."""

    def __init__(self, source: Source, build: Callable[[ast.FunctionDef], Program]) -> None:
        self._source, self._build = source, build
        self._lines: dict[str, list[int]] = {}
        self._things: dict[str, Thing] = {}
        self._reads: dict[str, list[tuple[int, ast.stmt]]] = {}
        self._anything: list[tuple[int, str, ast.stmt]] = []
        self._found: dict[str, Meaning] = {}
        for statement in source.module.body:
            self._things.update(_plain(statement))
            for node in ast.walk(statement):
                self._note(node, statement)

    def _note(self, node: ast.AST, statement: ast.stmt) -> None:
        line = getattr(node, "lineno", statement.lineno)
        for name in _bound(node):
            self._lines.setdefault(name, []).append(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._reads.setdefault(node.id, []).append((line, statement))
            if node.id in BINDS_ANYTHING:
                self._anything.append((line, f"`{node.id}`", statement))
        elif isinstance(node, ast.Attribute) and node.attr in BINDS_ANYTHING_OF:
            self._anything.append((line, f"`.{node.attr}`", statement))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and _module(node) not in OURS:
            self._anything.append((line, f"`from {_module(node)} import *`", statement))

    @property
    def programs(self) -> tuple[str, ...]:
        """The names that are bound once, to a function that is decorated as a program."""
        found = ((name, self.definition(name)) for name, lines in self._lines.items() if len(lines) == 1)
        return tuple(name for name, node in found if node is not None and self.is_program(node))

    def definition(self, name: str) -> ast.FunctionDef | None:
        """The last function of that name at the top level, decorated or not."""
        thing = self._things.get(name)
        return thing if isinstance(thing, ast.FunctionDef) else None

    def is_program(self, statement: ast.stmt) -> bool:
        """Whether a statement defines a function that our ``program`` decorates, whatever the file calls that."""
        decorators = statement.decorator_list if isinstance(statement, ast.FunctionDef) else []
        return any(meaning_of(d, self._decorate(statement)) == DECORATOR for d in decorators)

    def _decorate(self, statement: ast.stmt) -> NameScope:
        def look_up(name: str) -> Meaning:
            refused, thing = self._refuse(name, statement.lineno), self._things.get(name)
            if refused is None and isinstance(thing, ast.expr | ast.FunctionDef):
                return Unusable(f"{name} is not deltachain's", "import it: from deltachain import program")
            return refused or (_import(thing) if isinstance(thing, str) else unbound(name))

        return look_up

    def scope_at(self, node: ast.FunctionDef) -> NameScope:
        """What names mean in a function of the top level, which sees what is above it."""
        return lambda name: self.find_meaning(name, node.lineno)

    def find_meaning(self, name: str, line: int = sys.maxsize) -> Meaning:
        """What ``name`` stands for in the statement at ``line``, or anywhere in the file."""
        for where, how, statement in self._anything:
            if not self.is_program(statement):
                what = f"{how} on line {where} may bind any name of the file, {name} too"
                return Unusable(what, "import names one by one" if "import" in how else "move that to another file")
        if name not in self._lines:
            return unbound(name)
        refused = self._refuse(name, line)
        if refused is not None:
            return refused
        if name not in self._found:
            self._found[name] = self._resolve(name)
        return self._found[name]

    def _refuse(self, name: str, line: int) -> Unusable | None:
        """Why the statement at ``line`` cannot rely on the name; None if it can."""
        first, *again = self._lines.get(name, [0])
        if again:
            what = f"{name} is bound on line {first} and again on line {again[0]}: it is not constant"
            return Unusable(what, "bind it once in the whole file, or make it a parameter")
        if name in self._lines and name not in self._things:
            what = f"{name} is bound on line {first}, and not by a plain statement of the top level: it is not constant"
            return Unusable(what, "give it one value, once, at the top level of the file, or make it a parameter")
        if first == line:
            return Unusable(f"{name} calls itself", "recursion is not in the language: write a loop")
        if first > line:
            return Unusable(f"{name} has no value yet: it is bound below, on line {first}", "define it above")
        return None

    def _resolve(self, name: str) -> Meaning:
        thing, line = self._things[name], self._lines[name][0]
        if isinstance(thing, str):
            return _import(thing)
        if isinstance(thing, ast.FunctionDef):
            return Helper(self._build(thing)) if self.is_program(thing) else self._no_program(thing)
        try:
            value = literal(thing, self._source, lambda other: self.find_meaning(other, line))
        except Problem as problem:
            return Unusable(f"{name} is not a plain constant: {problem.defect()}", "assign a literal value")
        # Whoever reads a dict may change it.
        reader = next((at for at, read in self._reads.get(name, []) if not self.is_program(read)), None)
        if reader is not None and _holds_dict(value):
            return Unusable(f"{name} is a dict that line {reader} may change: it is not constant", "write it out there")
        return KnownConstant(value)

    def _no_program(self, node: ast.FunctionDef) -> Unusable:
        for decorator in node.decorator_list:
            meaning = meaning_of(decorator, self._decorate(node))
            if isinstance(meaning, Unusable):
                return Unusable(f"{node.name} is not a program: {meaning.what}", meaning.fix)
        return Unusable(f"{node.name} is a Python function, not a program", "decorate it with @program")

    def program(self, name: str) -> Program:
        """The program of that name; ProgramError if there is none, or it is not in the language."""
        node = self.definition(name)
        if node is None:
            what = f"it defines no program {name!r} at its top level"
            raise ProgramError(Defect(self._source.file, what, suggestion(name, self.programs, "its programs are")))
        meaning = self.find_meaning(name)
        if isinstance(meaning, Helper):
            return meaning.program
        reason = (
            meaning if isinstance(meaning, Unusable) else Unusable("it is not a program", "decorate it with @program")
        )
        run = "" if self.is_program(node) else ", or have it run as it is: `from_code`"
        raise ProgramError(Defect(str(self._source.place(node)), reason.what, reason.fix + run))


def _plain(statement: ast.stmt) -> Iterator[tuple[str, Thing]]:
    """The names that a statement of the top level binds to something that is written out there."""
    match statement:
        case ast.FunctionDef():
            yield statement.name, statement
        case ast.Import():
            for alias in statement.names:
                root = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
        case ast.ImportFrom():
            for alias in statement.names:
                yield alias.asname or alias.name, f"{_module(statement)}.{alias.name}"
        case ast.Assign():
            for target in statement.targets:
                yield from _unpack(target, statement.value)
        case ast.AnnAssign(value=ast.expr() as value):
            yield from _unpack(statement.target, value)


def _unpack(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """``LO, HI = -6, 6`` part by part; a target whose part of the value is not written out binds nothing plainly."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        if not starred and len(target.elts) == len(value.elts):
            for part, its_value in zip(target.elts, value.elts, strict=True):
                yield from _unpack(part, its_value)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a piece of syntax binds or deletes, in whatever scope, or a part of which it assigns."""
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            yield node.id
        case ast.arg():
            yield node.arg
        case ast.Import():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        case ast.ImportFrom():
            yield from (alias.asname or alias.name for alias in node.names)
        case ast.Global() | ast.Nonlocal():
            yield from node.names
        case ast.MatchMapping(rest=str() as rest):
            yield rest
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            root: ast.expr = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id
        case _:  # functions, classes, `except … as`, captures of patterns, type parameters
            name = getattr(node, "name", None)
            if isinstance(name, str) and not isinstance(node, ast.alias):
                yield name


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _import(path: str) -> Meaning:
    """What an import binds: a function of the language, a module that has some, or nothing that is known here."""
    module, _, name = path.rpartition(".")
    if path in MODULES:
        return Namespace(lambda member: _import(f"{path}.{member}"))
    if path == "fractions.Fraction" or (module in OURS and name in (*PRIMITIVES, "program")):
        return Function(name)
    if module == "math" and name in OF_MATH:
        return Function(name)
    if is_random(path):
        return Unusable(*RANDOM)
    return Unusable(f"this name is imported from {path}, and imports are not followed", "define it in this file")


def _holds_dict(value: Value) -> bool:
    return isinstance(value, FrozenTable) or (isinstance(value, tuple) and any(map(_holds_dict, value)))


# Names around a function that Python decorates.


def live_names(function: FunctionType, ours: Callable[[object], Meaning | None], source: Source) -> NameScope:
    """What Python would find under each name now, in its closure, then in its module.

    ``ours`` knows programs, and what makes a function one; ``source`` is the file around.
    """
    closure: dict[str, object] = {}
    later: set[str] = set()
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            closure[name] = cell.cell_contents
        except ValueError:
            later.add(name)

    def look_up(name: str) -> Meaning:
        if name == function.__name__:
            return Unusable(f"{name} calls itself", "recursion is not in the language: write a loop")
        if name in later:
            return Unusable(f"{name} has no value yet when the program is decorated", "define it above the program")
        for around in (closure, function.__globals__):
            if name in around:
                return _live(name, around[name], ours, source)
        return unbound(name)

    return look_up


def live_value(thing: object, source: Source) -> Value:
    """A Python object as a constant of a program; Problem if it is none, or a float that Python has rounded.

    A float may have been rounded to a short decimal, as 1e-400 is to 0.0: one that a number in the source became, and
    does not equal, is refused.
    """
    value = as_value(thing)
    stack = [thing]
    while stack:
        part = stack.pop()
        if isinstance(part, float):
            _refuse_rounded(float(part), source)
        stack.extend(part if isinstance(part, tuple) else (*part.keys(), *part.values()) if _is_dict(part) else ())
    return value


def _is_dict(thing: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(thing, dict | FrozenTable)


def _refuse_rounded(number: float, source: Source) -> None:
    fix = "write Fraction(1, 3), or '1/3' as text"
    if len(repr(number).partition("e")[0].strip("-0.").replace(".", "")) > FLOAT_DIGITS:
        raise Problem(f"the float {number!r}, which Python rounded before the program sees it", fix)
    for node in ast.walk(source.module):
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value == abs(number):
            for written in source.numbers(node):
                if not _is_exactly(written, node.value):
                    what = f"the float {number!r}, to which Python rounded the number on line {node.lineno}"
                    raise Problem(what, fix)


def _is_exactly(written: str, number: float) -> bool:
    """Whether the number is the one that is written, where that is a number."""
    try:
        return float(written) != number or parse_fraction(written) == parse_fraction(repr(number))
    except ValueError:  # beyond the limits; or no number: not the literal's own text
        return written[:1] not in {*".0123456789"}


def _live(name: str, thing: object, ours: Callable[[object], Meaning | None], source: Source) -> Meaning:
    """What a Python object is to a program that finds it under ``name``."""
    named = (*FUNCTIONS.items(), *OF_MATH.items())
    known = ours(thing) or next((Function(own) for own, found in named if thing is found), None)
    if known is not None:
        return known
    if isinstance(thing, ModuleType):
        return _live_module(name, thing, ours, source)
    owner = type(getattr(thing, "__self__", None)).__module__  # random.choice is a method of an object in random
    if is_random(str(getattr(thing, "__module__", ""))) or is_random(owner):
        return Unusable(*RANDOM)
    if isinstance(thing, FunctionType):
        return Unusable(f"{name} is a Python function, not a program", "decorate it with @program")
    try:
        return KnownConstant(live_value(thing, source))
    except Problem as problem:
        if name in REFUSED_NAMES:
            return Unusable(*REFUSED_NAMES[name])
        return Unusable(f"{name} is not a constant that a program can use: {problem.what}", problem.fix)


def _live_module(name: str, module: ModuleType, ours: Callable[[object], Meaning | None], source: Source) -> Meaning:
    if is_random(module.__name__):
        return Unusable(*RANDOM)
    if module.__name__ not in MODULES:
        return Unusable(f"{name} is a module, and its names are not values of programs", "import the constant by name")

    def member(attribute: str) -> Meaning:
        # As it is now: whoever replaced a function of the module meant it.
        try:
            return _live(f"{name}.{attribute}", getattr(module, attribute), ours, source)
        except AttributeError:
            return Unusable(f"{name} has no {attribute}", "the primitives are " + ", ".join(PRIMITIVES))

    return Namespace(member)
