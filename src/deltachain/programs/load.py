"""Programs from files, and values from text, as the command line gives them.

The file is parsed; it is never imported, and nothing in it runs. Of its top level, a program sees what is
plain: the primitives, constants that are assigned once, above it, and other programs.
"""

from __future__ import annotations

import ast
import difflib
from pathlib import Path
from textwrap import dedent

from ..errors import Defect
from .binding import Parameter, arguments_of, declared_type
from .lower_statement import evaluate_constant, lower_function
from .module_scope import ModuleScope
from .problems import ProgramError
from .program import Program
from .scope import EmptyScope, Helper, Scope, Unusable
from .source import Source, parse, read_source
from .values import Value

TEXT = "<text>"
"""What stands for a file name where a program is given as text."""


def _module_scope(source: Source) -> ModuleScope:
    scope = ModuleScope(source, build=lambda node, here: _built(node, source, here, scope))
    return scope


def program_names(path: str | Path) -> tuple[str, ...]:
    """The programs that a file defines at its top level, in order."""
    return _module_scope(read_source(path)).programs


def load_program(path: str | Path, name: str) -> Program:
    """The program ``name`` of a Python file, which is parsed and not run.

    Raises ProgramError: the file cannot be read or parsed, has no such program, or the program (or a helper
    of it) is not in the language; every defect with file, line and column.
    """
    source = read_source(path)
    return _of_name(source, _module_scope(source), name)


def _of_name(source: Source, scope: ModuleScope, name: str) -> Program:
    node = scope.definition(name)
    if node is not None:
        meaning = scope.meaning(name, None)
        if isinstance(meaning, Helper):
            return meaning.program
        what, fix = (meaning.what, meaning.fix) if isinstance(meaning, Unusable) else ("it is bound again", "")
        raise ProgramError(Defect(str(source.place(node)), what, fix))
    near = difflib.get_close_matches(name, scope.programs, n=1)
    listed = f"did you mean {near[0]!r}?" if near else f"its programs are {', '.join(scope.programs) or 'none'}"
    raise ProgramError(Defect(source.file, f"it defines no program {name!r} at its top level", listed))


def program_of_text(text: str) -> Program:
    """The program that a text defines: its last function, decorated or not; nothing in the text runs."""
    source = parse(dedent(text), TEXT)
    scope = _module_scope(source)
    functions = [node for node in source.module.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        raise ProgramError(Defect(TEXT, "it defines no function", "write def protocol(secret): …"))
    if scope.is_program(functions[-1]):
        return _of_name(source, scope, functions[-1].name)
    return _built(functions[-1], source, scope.at(functions[-1]), scope)


def _built(node: ast.FunctionDef, source: Source, scope: Scope, module: ModuleScope) -> Program:
    defects: list[Defect] = []
    parameters: list[Parameter] = []
    for argument, annotation, default in arguments_of(node):
        try:
            value = None if default is None else module.constant(default, scope)
            parameters.append(Parameter(argument, value, declared_type(annotation)))
        except ProgramError as error:
            defects += error.defects
    try:
        graph = lower_function(node, source, scope)
    except RecursionError:
        raise ProgramError(Defect(str(source.place(node)), "nested too deeply", "split it into helpers")) from None
    except ProgramError as error:
        raise ProgramError([*defects, *error.defects]) from None
    if defects:
        raise ProgramError(defects)
    return Program(node.name, tuple(parameters), source.text(node), source.file, node.lineno, graph)


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
            values[keyword.arg] = evaluate_constant(keyword.value, source, EmptyScope())
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
