"""Parameters, and the values that secrets, constants and defaults give them: Python objects, or text as it is typed."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType

from ..errors import Defect
from .lower import evaluate_constant
from .names import FileNames, Known, Unusable, literal, live_value
from .source import Problem, ProgramError, Source, parse, suggestion
from .values import Table, Value, as_value, identity, kind, show, show_letter


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a program; ``default`` is None when it must be given."""

    name: str
    default: Value | None = None
    declared: str = ""
    """The type that its annotation names, if that is a type of values: a secret or constant of another is refused."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The values that a program is explored with."""

    names: tuple[str, ...]
    """One name a secret, as in ``paying=0``."""
    environments: tuple[dict[str, Value], ...]
    """One environment a secret: the values of all parameters."""
    fixed: dict[str, Value]
    """The parameters that no secret names: the same value in every environment."""


DECLARED: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "dict": (Table,),
    "Fraction": (int, Fraction),
    "int": (int,),
    "range": (range,),
    "str": (str,),
    "tuple": (tuple,),
}
"""Name of an annotation → the types of the values that it admits."""


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


def bind_secrets(
    program: str,
    parameters: Sequence[Parameter],
    secrets: Sequence[Mapping[str, object]],
    constants: Mapping[str, object],
) -> Bindings:
    """Values for every parameter under every secret; ProgramError with everything that does not fit."""
    defects: list[Defect] = []
    if not isinstance(constants, Mapping):
        raise ProgramError(
            Defect("constants", f"{type(constants).__name__} is not a mapping", "give a dict {name: value}")
        )
    if isinstance(secrets, Mapping | str) or not all(isinstance(secret, Mapping) for secret in secrets):
        raise ProgramError(Defect("secrets", "not a list of dicts", "give one dict a secret: [dict(x=0), dict(x=1)]"))
    if not secrets:
        raise ProgramError(Defect("secrets", "there are none", "give one dict a secret: [dict(x=0), dict(x=1)]"))
    known = _read("constants", constants, parameters, defects)
    read = [_read(f"secret {n}", secret, parameters, defects) for n, secret in enumerate(secrets, start=1)]
    secret_names = {name for values in read for name in values}
    defects += [
        Defect("constants", f"{name!r} is also given by a secret", "give it in one place")
        for name in sorted(secret_names & known.keys())
    ]
    defaults = {p.name: p.default for p in parameters if p.default is not None}
    for n, values in enumerate(read, start=1):
        missing = [p.name for p in parameters if p.name not in values | known | defaults]
        defects += [
            Defect(f"secret {n}", f"{program} needs {m!r}", "give it here, as a constant, or a default")
            for m in missing
        ]
    if not defects:
        defects = _repeated(read)
    if defects:
        raise ProgramError(defects)
    fixed = {name: value for name, value in (defaults | known).items() if name not in secret_names}
    environments = tuple(defaults | known | values for values in read)
    return Bindings(_names(read), environments, fixed)


def _repeated(read: Sequence[Mapping[str, Value]]) -> list[Defect]:
    first: dict[object, int] = {}
    defects: list[Defect] = []
    for n, values in enumerate(read, start=1):
        key = frozenset((name, identity(value)) for name, value in values.items())
        if first.setdefault(key, n) != n:
            what = f"it is the same as secret {first[key]}"
            defects.append(Defect(f"secret {n}", what, "give each secret once"))
    return defects


def _read(
    where: str, given: Mapping[str, object], parameters: Sequence[Parameter], defects: list[Defect]
) -> dict[str, Value]:
    names = [p.name for p in parameters]
    declared = {p.name: p.declared for p in parameters if p.declared}
    values: dict[str, Value] = {}
    for name, thing in given.items():
        if name not in names:
            fix = suggestion(str(name), names, "the parameters are")
            defects.append(Defect(where, f"there is no parameter {name!r}", fix))
            continue
        try:
            values[name] = as_value(thing)
        except Problem as problem:
            defects.append(Defect(where, f"{name}: {problem.what}", problem.fix))
            continue
        if name in declared and not isinstance(values[name], DECLARED[declared[name]]):
            shown = show(values[name])
            what = f"{name}: {shown} is {kind(values[name])}, and {name!r} is declared as {declared[name]}"
            defects.append(Defect(where, what, f"give a {declared[name]}"))
    return values


def _names(read: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
    """``paying=0`` or ``a=1, b=2``; made unique where texts of different values agree."""
    names: list[str] = []
    for values in read:
        name = ", ".join(f"{k}={show_letter(v)}" for k, v in values.items()) or "start"
        count = sum(1 for other in names if other == name or other.startswith(f"{name} #"))
        names.append(name if not count else f"{name} #{count + 1}")
    return tuple(names)


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
