"""The top level of a file as a scope: what a program of the file may read, without running any of it.

A program may read a name with one plain binding above it (see `module_names`): an import of deltachain's names, a
program, or a constant. The value of a constant is computed exactly and, beside that, as Python would: where the two
differ (1/3 is a float there) the constant is refused, so that a file and its import mean the same.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import Defect
from .lower_statement import evaluate_constant
from .module_names import Imported, ModuleNames, PlainBinding, rebound_in_function
from .primitives import PRIMITIVES
from .problems import Problem, ProgramError
from .python_value import python_value
from .refusals import RANDOM, is_random
from .scope import (
    NAMESPACES,
    Builtin,
    Helper,
    Known,
    Meaning,
    Namespace,
    Primitive,
    ProgramDecorator,
    Scope,
    Unusable,
    meaning_of,
    unbound,
)
from .source import Source
from .values import Table, Value, as_value, identity, show

if TYPE_CHECKING:
    from .program import Program

ONCE = "give it one value, once, at the top level of the file, or make it a parameter"


class ModuleScope:
    """The names of one file, for all its programs; `at` is the scope of what stands at one place in it."""

    def __init__(self, source: Source, build: Callable[[ast.FunctionDef, Scope], Program]) -> None:
        """``build`` compiles another program of the file. Raises ProgramError for a file that is nested too deeply."""
        self._source, self._build = source, build
        try:
            self._names = ModuleNames(source.module, _star_names)
        except RecursionError:
            raise ProgramError(Defect(source.file, "nested too deeply to be read", "split the expressions")) from None
        self._found: dict[str, Meaning] = {}
        self._python: dict[str, object] = {}

    def at(self, node: ast.AST) -> ScopeInModule:
        """The scope of a statement of the top level, which sees what is above it; for code inside others, all."""
        return ScopeInModule(self, self._names.order_of(node))

    def definition(self, name: str) -> ast.FunctionDef | None:
        """The last function of that name at the top level, decorated or not."""
        things = [binding.thing for binding in self._names.plain.get(name, [])]
        return next((thing for thing in reversed(things) if isinstance(thing, ast.FunctionDef)), None)

    @property
    def programs(self) -> tuple[str, ...]:
        """The names that are bound once, to a function that is decorated as a program."""
        found = {name: self.definition(name) for name in self._names.plain}
        return tuple(n for n, d in found.items() if d is not None and self.is_program(d) and not self.refused(n, None))

    def is_program(self, node: ast.FunctionDef) -> bool:
        """Whether a definition is decorated with our ``program``, under whatever name the file gives it."""
        return any(isinstance(self.decorator(node, d), ProgramDecorator) for d in node.decorator_list)

    def decorator(self, node: ast.FunctionDef, decorator: ast.expr) -> Meaning | None:
        """What one decorator of a definition is."""
        order = self._names.order_of(node)

        def look_up(name: str) -> Meaning:
            found = self._names.plain.get(name)
            if not found and name not in self._names.rebindings:
                return unbound(name)
            refused = self._bound_again(name) or self._not_above(name, order)
            thing = found[0].thing if found else None
            return refused or (_imported(thing) if isinstance(thing, Imported) else _not_ours(name))

        return meaning_of(decorator, look_up)

    def meaning(self, name: str, before: int | None) -> Meaning:
        """What ``name`` stands for in the statement ``before``, or anywhere in the file."""
        refused = self.refused(name, before)
        if refused is not None:
            return refused
        if name not in self._names.plain:
            return unbound(name)
        if name not in self._found:
            self._found[name] = self._resolve(name, self._names.plain[name][0])
        found = self._found[name]
        if isinstance(found, Known):
            return self._changed(name, found.value) or found
        return found

    def refused(self, name: str, before: int | None) -> Unusable | None:
        """Why the statement ``before`` cannot rely on ``name``: it may be bound again, or later; None if it can."""
        for order, found in self._names.anywhere:
            statement = self._source.module.body[order]
            if not (isinstance(statement, ast.FunctionDef) and self.is_program(statement)):
                what = f"{found.how} on line {found.line} may bind any name of the file, {name} too"
                fix = "import names one by one" if "import" in found.how else "move that to another file"
                return Unusable(what, fix)
        return self._bound_again(name) or self._not_above(name, before)

    def changed(self, name: str, value: Value) -> Unusable | None:
        """Why a constant that is a dict, or holds one, is not constant; None if nothing can change it."""
        return self._changed(name, value) if name in self._names.plain else None

    def rounded(self, node: ast.expr, scope: Scope) -> str:
        """What Python makes of a constant expression, if that is another value than the exact one; else empty.

        An expression that is outside the language is whatever Python says it is.
        """
        try:
            exact = evaluate_constant(node, self._source, scope)
        except ProgramError:
            return ""
        return self._difference(node, scope, exact)[1]

    def rounded_name(self, name: str) -> Unusable | None:
        """`rounded`, for the constant ``name`` of the file."""
        binding = self._names.plain.get(name, [None])[0]
        if binding is None or not isinstance(binding.thing, ast.expr):
            return None
        difference = self.rounded(binding.thing, ScopeInModule(self, binding.order))
        return Unusable(f"{name} is not exact: {difference}", _EXACT) if difference else None

    def constant(self, node: ast.expr, scope: Scope) -> Value:
        """The value of a constant expression of the top level; ProgramError if it has none that Python agrees on."""
        exact = evaluate_constant(node, self._source, scope)
        difference = self._difference(node, scope, exact)[1]
        if difference:
            raise ProgramError(Problem(difference, _EXACT, self._source.place(node)).defect())
        return exact

    def _bound_again(self, name: str) -> Unusable | None:
        plain, others = self._names.plain.get(name, []), self._names.rebindings.get(name, [])
        if others:
            found = others[0]
            where = f"on line {found.line} ({found.how})"
            return Unusable(f"{name} may be bound or changed {where}: it is not constant", ONCE)
        first = plain[0] if plain else None
        again = [b for b in plain[1:] if first and not (isinstance(b.thing, Imported) and b.thing == first.thing)]
        if first and again:
            lines = f"on line {first.line} and again on line {again[0].line}"
            return Unusable(f"{name} is bound {lines}: it is not constant", ONCE)
        return None

    def _not_above(self, name: str, before: int | None) -> Unusable | None:
        plain = self._names.plain.get(name)
        if not plain or before is None or plain[0].order < before:
            return None
        if plain[0].order == before:
            return Unusable(f"{name} is defined by itself", "recursion is not in the language: write a loop")
        return Unusable(f"{name} has no value yet: it is bound below, on line {plain[0].line}", "define it above")

    def _changed(self, name: str, value: Value) -> Unusable | None:
        depth = _dicts_inside(value)
        line = self._names.exposed(name, self.is_program, flat=depth == 1) if depth else None
        if line is None:
            return None
        return Unusable(f"{name} is a dict that line {line} may change: it is not constant", "write it out there")

    def _resolve(self, name: str, binding: PlainBinding) -> Meaning:
        thing = binding.thing
        if isinstance(thing, Imported):
            return _imported(thing)
        here = ScopeInModule(self, binding.order)
        if isinstance(thing, ast.FunctionDef):
            return Helper(self._build(thing, here)) if self.is_program(thing) else self._no_program(thing)
        try:
            exact = evaluate_constant(thing, self._source, here)
        except ProgramError as error:
            reasons = "; ".join(str(defect) for defect in error.defects[:3])
            return Unusable(f"{name} is not a plain constant: {reasons}", "assign a literal value")
        self._python[name], difference = self._difference(thing, here, exact)
        return Unusable(f"{name} is not exact: {difference}", _EXACT) if difference else Known(exact)

    def _no_program(self, node: ast.FunctionDef) -> Unusable:
        for decorator in node.decorator_list:
            meaning = self.decorator(node, decorator)
            if isinstance(meaning, Unusable):
                return Unusable(f"{node.name} is not a program: {meaning.what}", meaning.fix)
        return Unusable(f"{node.name} is a Python function, not a program", "decorate it with @program")

    def _difference(self, node: ast.expr, scope: Scope, exact: Value) -> tuple[object, str]:
        """Python's own value of a constant expression, and in words how it differs from the exact one."""

        def look_up(name: str) -> Meaning | object:
            meaning = scope.meaning(name)
            return self._python[name] if isinstance(meaning, Known) else meaning

        try:
            python = python_value(node, look_up)
            value = as_value(python)
        except Problem as problem:
            return None, f"Python's own value is none of a program's: {problem.what}"
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            return None, f"Python fails here: {error}"
        same = identity(value) == identity(exact)
        return python, "" if same else f"it is {_short(exact)}, and outside of programs Python makes it {_short(value)}"


_EXACT = "write the value itself, or Fraction(1, 3)"


class ScopeInModule:
    """The scope of one statement of the top level, or (``order`` None) of code that runs after all of them."""

    def __init__(self, module: ModuleScope, order: int | None) -> None:
        self._module, self.order = module, order

    def meaning(self, name: str) -> Meaning:
        """What ``name`` stands for here."""
        return self._module.meaning(name, self.order)


def closure_refusal(source: Source, program: ast.FunctionDef, name: str) -> Unusable | None:
    """Why a program inside a function cannot rely on a variable of that function; None if it can."""
    for node in ast.walk(source.module):
        around = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node is not program
        if around and any(inner is program for inner in ast.walk(node)):
            found = rebound_in_function(node, name, program)  # type: ignore[arg-type]  # a definition, as just tested
            if found is not None:
                what = f"{name} may be bound again on line {found.line} ({found.how}): it is not constant"
                return Unusable(what, "give it one value, above the program, or make it a parameter")
    return None


def _short(value: Value) -> str:
    text = show(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _dicts_inside(value: Value) -> int:
    """How many dicts hold one another in the value, at most."""
    if isinstance(value, tuple):
        # A tuple of dicts shares them with whoever takes the tuple apart.
        inside = max(map(_dicts_inside, value), default=0)
        return inside + 1 if inside else 0
    if isinstance(value, Table):
        return 1 + max(map(_dicts_inside, value.values()), default=0)
    return 0


def _star_names(module: str) -> tuple[str, ...]:
    """What ``from module import *`` binds, if the module is ours."""
    return tuple(sys.modules["deltachain"].__all__) if module == "deltachain" else ()


def _not_ours(name: str) -> Unusable:
    return Unusable(f"{name} is not deltachain's", "import it: from deltachain import program")


def _imported(thing: Imported) -> Meaning:
    """What an import binds: a name of deltachain's, a module of its, ``Fraction``, or nothing that is known here."""
    if not thing.name:
        if thing.module in NAMESPACES:
            return Namespace(lambda name: _imported(Imported(thing.module, name)))
        return _foreign(thing.module)
    if thing.module in ("deltachain", "deltachain.programs"):
        if thing.name in PRIMITIVES:
            return Primitive(thing.name)
        if thing.name == "program":
            return ProgramDecorator()
        if thing == Imported("deltachain", "programs"):
            return Namespace(lambda name: _imported(Imported("deltachain.programs", name)))
    if thing == Imported("fractions", "Fraction"):
        return Builtin("Fraction")
    return _foreign(f"{thing.module}.{thing.name}")


def _foreign(module: str) -> Unusable:
    if is_random(module):
        return Unusable(*RANDOM)
    return Unusable(f"this name is imported from {module}, and imports are not followed", "define it in this file")
