"""Protocols from Python: functions that are decorated, and functions of files and texts that are parsed and never run.

Values that the command line gives are read here, too, by the language's own expressions.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import FunctionType

from ..errors import Defect
from .lower import evaluate_constant, lower_function
from .names import FileNames, Known, Scope, Unusable, literal, live_names, live_value
from .protocol import DECLARED, Parameter, Program
from .source import Problem, ProgramError, Source, find_definition, parse, read_source
from .values import Value

TEXT = "<text>"
"""What stands for a file name where a program is given as text."""


def program(function: Callable[..., object] | str) -> Program:
    """Compile a protocol that is written as a Python function; used as a decorator, or called with the text of one.

    The function is read from its source file and never run. Everything that is not in the language (see
    docs/programs.md) is reported at once, each with file, line, column and the fix: `ProgramError`. Of a text, the
    program is the last function; it needs no decorator, and those that it calls stand above it with theirs.

    >>> program("def coin(bias): announce(flip(bias))")
    <program coin(bias)>
    """
    if isinstance(function, str):
        return _program_of_text(function)
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        raise ProgramError(f"@program needs a plain function or the text of one, not {kind}: decorate a `def`")
    source, node = find_definition(function)
    return _compiled(node, source, live_names(function, program), lambda: live_parameters(function, node, source))


def program_names(path: str | Path) -> tuple[str, ...]:
    """The programs that a file defines at its top level, in order."""
    return _names(read_source(path)).programs


def load_program(path: str | Path, name: str) -> Program:
    """The program ``name`` of a Python file, which is parsed and not run.

    Raises ProgramError: the file cannot be read or parsed, has no such program, or the program (or a helper
    of it) is not in the language; every defect with file, line and column.
    """
    return _names(read_source(path)).program(name)


def _program_of_text(text: str) -> Program:
    source = parse(dedent(text), TEXT)
    names = _names(source)
    functions = [node for node in source.module.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise ProgramError(Defect(TEXT, "it defines no function", "write def protocol(secret): …"))
    return _written(functions[-1], source, names)


def _names(source: Source) -> FileNames:
    names = FileNames(source, lambda node: _written(node, source, names))
    return names


def _written(node: ast.FunctionDef, source: Source, names: FileNames) -> Program:
    return _compiled(node, source, names.scope_at(node), lambda: written_parameters(node, source, names))


def _compiled(
    node: ast.FunctionDef, source: Source, scope: Scope, find_parameters: Callable[[], tuple[Parameter, ...]]
) -> Program:
    """The program of a definition; ProgramError with the defects of its parameters and of its body."""
    defects: list[Defect] = []
    parameters: tuple[Parameter, ...] = ()
    graph = None
    try:
        parameters = find_parameters()
    except ProgramError as error:
        defects += error.defects
    try:
        graph = lower_function(node, source, scope)
    except ProgramError as error:
        defects += error.defects
    if graph is None or defects:
        raise ProgramError(defects)
    return Program(node.name, parameters, source.text(node), source.file, node.lineno, graph)


def _declared_type(annotation: ast.expr | None) -> str:
    """The type of values that an annotation names, or nothing."""
    return annotation.id if isinstance(annotation, ast.Name) and annotation.id in DECLARED else ""


def live_parameters(function: FunctionType, node: ast.FunctionDef, source: Source) -> tuple[Parameter, ...]:
    """The parameters of a Python function, defaults as they are; ProgramError names those that are no values."""
    defaults = {name: p.default for name, p in inspect.signature(function).parameters.items()}

    def value(name: str, default: ast.expr) -> Value:
        try:
            return live_value(defaults[name])
        except Problem as problem:
            raise Problem(f"the default of {name!r}: {problem.what}", problem.fix, source.place(default)) from None

    return _parameters(node, value)


def written_parameters(node: ast.FunctionDef, source: Source, names: FileNames) -> tuple[Parameter, ...]:
    """The parameters of a function of a file; a default is a literal, or a name that stands for one."""
    scope = names.scope_at(node)

    def value(_: str, default: ast.expr) -> Value:
        meaning = scope(default.id) if isinstance(default, ast.Name) else None
        if isinstance(meaning, Unusable):
            raise Problem(meaning.what, meaning.fix, source.place(default))
        return meaning.value if isinstance(meaning, Known) else literal(default, source, scope)

    return _parameters(node, value)


def _parameters(node: ast.FunctionDef, value: Callable[[str, ast.expr], Value]) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    defects: list[Defect] = []
    for name, annotation, default in _arguments(node):
        try:
            known = None if default is None else value(name, default)
            found.append(Parameter(name, known, _declared_type(annotation)))
        except Problem as problem:
            defects.append(problem.defect())
        except ProgramError as error:
            defects += error.defects
    if defects:
        raise ProgramError(defects)
    return tuple(found)


def _arguments(node: ast.FunctionDef) -> list[tuple[str, ast.expr | None, ast.expr | None]]:
    """Parameter names with their annotations and defaults, which Python pairs from the right."""
    positional = [*node.args.posonlyargs, *node.args.args]
    without: list[ast.expr | None] = [None] * (len(positional) - len(node.args.defaults))
    defaults = [*without, *node.args.defaults, *node.args.kw_defaults]
    arguments = [*positional, *node.args.kwonlyargs]
    return [(a.arg, a.annotation, default) for a, default in zip(arguments, defaults, strict=True)]


def parse_value(text: str, what: str = "value") -> Value:
    """A value as it is typed: ``0``, ``True``, ``1/3``, ``0.49``, ``(1, 2)``, ``{0: 1/2}``, ``'text'``, or
    a bare word.

    Read by the language's own expressions, without names: nothing else can be reached.

    >>> parse_value("1/3"), parse_value("(1, True)"), parse_value("alice")
    (Fraction(1, 3), (1, True), 'alice')
    """
    return parse_assignments(f"value={text}", what)["value"]


def parse_assignments(text: str, what: str = "assignment") -> dict[str, Value]:
    """The values of ``paying=0`` or ``a=1, b=(2, 3)``; ProgramError naming ``what``.

    >>> parse_assignments("paying=0, p=49/100")
    {'paying': 0, 'p': Fraction(49, 100)}
    """
    fix = "write name=value, several with commas; quote text that is not a single word"
    try:
        source = parse(f"_({text})", what)
    except ProgramError:
        raise ProgramError(Defect(what, f"{text!r} cannot be read", fix)) from None
    body = source.module.body
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise ProgramError(Defect(what, f"{text!r} cannot be read", fix))
    values: dict[str, Value] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in values:
            raise ProgramError(Defect(what, f"{text!r} cannot be read", fix))
        if isinstance(keyword.value, ast.Name):
            values[keyword.arg] = _bare_word(keyword.value.id, what, text)
            continue
        try:
            values[keyword.arg] = evaluate_constant(keyword.value, source)
        except ProgramError as error:
            raise ProgramError(Defect(what, f"{text!r}: {error.defects[0].what}", error.defects[0].fix)) from None
    return values


def _bare_word(word: str, what: str, text: str) -> str:
    """The word as text; not ``true`` or ``false``, which as texts would both count as true, and look alike."""
    truth = word.capitalize()
    if truth in ("True", "False"):
        fix = f"write {truth}, or {word!r} in quotes for the text"
        raise ProgramError(Defect(what, f"{text!r}: {word} is not a truth value", fix))
    return word
