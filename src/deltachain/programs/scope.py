"""What a free name of a program means: a constant, a primitive, a builtin, a helper program, or nothing
usable.

For a decorated function, names are looked up as Python would, in its closure and then its module, once,
when it is decorated. For a file, they are read off its top level: imports of deltachain's names, constants
that are assigned once, and functions decorated with ``@program``. Nothing is imported or run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType
from typing import TYPE_CHECKING, Protocol

from .operations import BUILTINS
from .primitives import PRIMITIVES
from .problems import Problem, ProgramError
from .refusals import REFUSED_NAMES
from .source import Source
from .values import Value, as_value

if TYPE_CHECKING:
    from .program import Program

__all__ = [
    "Builtin",
    "FunctionScope",
    "Helper",
    "Known",
    "Meaning",
    "ModuleScope",
    "Primitive",
    "Scope",
    "Unusable",
    "is_program",
]


@dataclass(frozen=True, slots=True)
class Known:
    """A constant."""

    value: Value


@dataclass(frozen=True, slots=True)
class Primitive:
    """``flip`` and its like, under the name that this module gives it."""

    name: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """A pure builtin."""

    name: str


@dataclass(frozen=True, slots=True)
class Helper:
    """Another program."""

    program: Program


@dataclass(frozen=True, slots=True)
class Unusable:
    """A name that a program cannot use, why, and what to do instead."""

    what: str
    fix: str


Meaning = Known | Primitive | Builtin | Helper | Unusable


class Scope(Protocol):
    """Where free names are looked up."""

    def meaning(self, name: str) -> Meaning:
        """What ``name`` stands for."""
        ...


def _unbound(name: str) -> Meaning:
    """What a name means that nothing around the program binds."""
    if name in PRIMITIVES:
        return Primitive(name)
    if name in BUILTINS:
        return Builtin(name)
    if name in REFUSED_NAMES:
        return Unusable(*REFUSED_NAMES[name])
    if hasattr(builtins, name):
        return Unusable(f"{name} is not in the language", "the builtins are " + ", ".join(BUILTINS))
    return Unusable(f"unknown name {name!r}", "assign it, make it a parameter, or define it above the program")


class EmptyScope:
    """No names but the language's own."""

    def meaning(self, name: str) -> Meaning:
        """A primitive, a builtin, or nothing."""
        return _unbound(name)


class FunctionScope:
    """The closure and the module of a Python function, as they are when it is decorated."""

    def __init__(self, function: FunctionType) -> None:
        self._name = function.__name__
        self._globals = function.__globals__
        self._closure: dict[str, object] = {}
        self._later: set[str] = set()
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                self._closure[name] = cell.cell_contents
            except ValueError:
                self._later.add(name)

    def meaning(self, name: str) -> Meaning:
        """What Python would find under ``name``, if a program can use it."""
        if name == self._name and name not in self._closure:
            return Unusable(f"{name} calls itself", "recursion is not in the language: write a loop")
        if name in self._later:
            return Unusable(f"{name} has no value yet when the program is decorated", "define it above the program")
        if name in self._closure:
            return _classified(name, self._closure[name])
        if name in self._globals:
            return _classified(name, self._globals[name])
        return _unbound(name)


def _classified(name: str, thing: object) -> Meaning:
    from .program import Program

    if isinstance(thing, Program):
        return Helper(thing)
    for known, stand_in in PRIMITIVES.items():
        if thing is stand_in:
            return Primitive(known)
    if thing is Fraction:
        return Builtin("Fraction")
    for known in BUILTINS:
        if thing is getattr(builtins, known, None):
            return Builtin(known)
    if isinstance(thing, FunctionType):
        return Unusable(f"{name} is a Python function, not a program", "decorate it with @program")
    try:
        return Known(as_value(thing))
    except Problem as problem:
        if name in REFUSED_NAMES:
            return Unusable(*REFUSED_NAMES[name])
        return Unusable(f"{name} is not a constant that a program can use: {problem.what}", problem.fix)


def is_program(node: ast.FunctionDef) -> bool:
    """Whether a definition is decorated with ``@program`` or ``@….program``."""
    return any(
        (isinstance(d, ast.Name) and d.id == "program") or (isinstance(d, ast.Attribute) and d.attr == "program")
        for d in node.decorator_list
    )


class ModuleScope:
    """The top level of a file, read off its syntax."""

    def __init__(
        self,
        source: Source,
        evaluate: Callable[[ast.expr, Scope], Value],
        build: Callable[[ast.FunctionDef, Scope], Program],
    ) -> None:
        self._evaluate, self._build = evaluate, build
        self._bound: dict[str, ast.expr | ast.FunctionDef | Meaning] = {}
        self._found: dict[str, Meaning] = {}
        self._under_way: set[str] = set()
        for statement in source.module.body:
            self._read(statement)

    @property
    def programs(self) -> dict[str, ast.FunctionDef]:
        """The functions that are decorated as programs."""
        return {n: d for n, d in self._bound.items() if isinstance(d, ast.FunctionDef) and is_program(d)}

    def definition(self, name: str) -> ast.FunctionDef | None:
        """The function of that name, decorated or not."""
        found = self._bound.get(name)
        return found if isinstance(found, ast.FunctionDef) else None

    def meaning(self, name: str) -> Meaning:
        """What the file's top level binds ``name`` to."""
        if name not in self._bound:
            return _unbound(name)
        if name not in self._found:
            if name in self._under_way:
                return Unusable(f"{name} is defined by itself", "recursion is not in the language: write a loop")
            self._under_way.add(name)
            try:
                self._found[name] = self._resolve(name)
            finally:
                self._under_way.discard(name)
        return self._found[name]

    def _resolve(self, name: str) -> Meaning:
        bound = self._bound[name]
        if isinstance(bound, ast.FunctionDef):
            if not is_program(bound):
                return Unusable(f"{name} is a Python function, not a program", "decorate it with @program")
            return Helper(self._build(bound, self))
        if isinstance(bound, ast.expr):
            try:
                return Known(self._evaluate(bound, self))
            except ProgramError as error:
                reasons = "; ".join(str(defect) for defect in error.defects[:3])
                return Unusable(
                    f"{name} is not a plain constant: {reasons}",
                    "assign a literal value at the top of the file",
                )
        return bound

    def _read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef):
            self._bind(statement.name, statement)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                self._bind(alias.asname or alias.name, _imported(statement.module or "", alias.name))
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                self._bind((alias.asname or alias.name).partition(".")[0], _foreign(alias.name))
        elif isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) for t in statement.targets):
            for target in statement.targets:
                self._bind(target.id, statement.value)  # type: ignore[attr-defined]  # all are names
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            if statement.value is not None:
                self._bind(statement.target.id, statement.value)
        else:
            self._read_other(statement)

    def _read_other(self, statement: ast.stmt) -> None:
        """Names that some other statement binds: what they are is not known without running it."""
        fix = "assign it once, at the top level of the file, or make it a parameter"
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                self._bind(node.id, Unusable(f"{node.id} is not a plain constant of the file", fix))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._bind(node.name, Unusable(f"{node.name} is not a plain top-level function of the file", fix))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    self._bind((alias.asname or alias.name).partition(".")[0], _foreign(alias.name))

    def _bind(self, name: str, thing: ast.expr | ast.FunctionDef | Meaning) -> None:
        if name in self._bound and self._bound[name] != thing:
            thing = Unusable(f"{name} is bound more than once in the file", "give each thing its own name")
        if name != "*":
            self._bound[name] = thing


def _foreign(module: str) -> Unusable:
    return Unusable(f"this name is imported from {module}, and imports are not followed", "define it in this file")


def _imported(module: str, name: str) -> Meaning:
    if module in ("deltachain", "deltachain.programs") and name in PRIMITIVES:
        return Primitive(name)
    if (module, name) == ("fractions", "Fraction"):
        return Builtin("Fraction")
    return _foreign(f"{module}.{name}")
