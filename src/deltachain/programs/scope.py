"""What a free name of a program means: a constant, a primitive, a builtin, a helper program, or nothing
usable.

For a decorated function, names are looked up as Python would, in its closure and then its module, once,
when it is decorated (`FunctionScope`). For a file, they are read off its top level (`module_scope`). Either way a name
that the file may bind again is refused, so that a file and its import mean the same.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Protocol

from .operations import BUILTINS
from .primitives import PRIMITIVES
from .problems import Problem
from .refusals import RANDOM, REFUSED_NAMES, is_random
from .values import Value, as_value

if TYPE_CHECKING:
    from .program import Program


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
class ProgramDecorator:
    """``program`` itself."""


@dataclass(frozen=True, slots=True)
class Namespace:
    """A module whose names a program can use, such as ``dc`` after ``import deltachain as dc``."""

    member: Callable[[str], Meaning]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A name that a program cannot use, why, and what to do instead."""

    what: str
    fix: str


Meaning = Known | Primitive | Builtin | Helper | ProgramDecorator | Namespace | Unusable


class Scope(Protocol):
    """Where free names are looked up."""

    def meaning(self, name: str) -> Meaning:
        """What ``name`` stands for."""
        ...


def meaning_of(node: ast.expr, look_up: Callable[[str], Meaning]) -> Meaning | None:
    """What ``name`` or ``module.name`` stands for; None for any other expression, and for parts of anything else."""
    if isinstance(node, ast.Name):
        return look_up(node.id)
    if isinstance(node, ast.Attribute):
        around = meaning_of(node.value, look_up)
        if isinstance(around, Namespace):
            return around.member(node.attr)
        if isinstance(around, Unusable) and is_random(node.attr):
            return Unusable(*RANDOM)
        return around if isinstance(around, Unusable) else None
    return None


def unbound(name: str) -> Meaning:
    """What a name means that nothing around the program binds."""
    if name in PRIMITIVES:
        return Primitive(name)
    if name == "program":
        return ProgramDecorator()
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
        return unbound(name)


class FunctionScope:
    """The closure and the module of a Python function, as they are when it is decorated.

    ``refused(name, in_closure)`` says why the text around the function does not let it read a name.
    """

    def __init__(self, function: FunctionType, refused: Callable[[str, bool], Unusable | None]) -> None:
        self._name = function.__name__
        self._globals = function.__globals__
        self._refused = refused
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
        refused = self._refused(name, name in self._closure)
        if refused is not None:
            return refused
        if name in self._closure:
            return classified(name, self._closure[name])
        if name in self._globals:
            return classified(name, self._globals[name])
        return unbound(name)


NAMESPACES = ("deltachain", "deltachain.programs", "fractions")
"""The modules whose names a program can use."""


def classified(name: str, thing: object) -> Meaning:
    """What a Python object is to a program that finds it under ``name``."""
    from .program import Program, program

    if isinstance(thing, Program):
        return Helper(thing)
    if isinstance(thing, ModuleType):
        return _live_namespace(name, thing)
    for known, stand_in in PRIMITIVES.items():
        if thing is stand_in:
            return Primitive(known)
    if thing is program:
        return ProgramDecorator()
    if thing is Fraction:
        return Builtin("Fraction")
    for known in BUILTINS:
        if thing is getattr(builtins, known, None):
            return Builtin(known)
    if is_random(getattr(thing, "__module__", None) or "") or is_random(_owner(thing)):
        return Unusable(*RANDOM)
    if isinstance(thing, FunctionType):
        return Unusable(f"{name} is a Python function, not a program", "decorate it with @program")
    try:
        return Known(as_value(thing))
    except Problem as problem:
        if name in REFUSED_NAMES:
            return Unusable(*REFUSED_NAMES[name])
        return Unusable(f"{name} is not a constant that a program can use: {problem.what}", problem.fix)


def _owner(thing: object) -> str:
    """The module of the object that a bound method belongs to: ``random.choice`` is a method of one in ``random``."""
    return str(getattr(type(getattr(thing, "__self__", None)), "__module__", ""))


def _live_namespace(name: str, module: ModuleType) -> Meaning:
    if is_random(module.__name__):
        return Unusable(*RANDOM)
    if not any(module is sys.modules.get(known) for known in NAMESPACES):
        return Unusable(f"{name} is a module, and its names are not values of programs", "import the constant by name")

    def member(attribute: str) -> Meaning:
        # As it is now: whoever replaced a function of the module meant it.
        try:
            return classified(f"{name}.{attribute}", getattr(module, attribute))
        except AttributeError:
            return Unusable(f"{name} has no {attribute}", "the primitives are " + ", ".join(PRIMITIVES))

    return Namespace(member)
