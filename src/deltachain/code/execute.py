"""A function of a Python file that is run, and its secrets as they are typed: ``deltachain check --execute
glue.py:release``.

This is the one place where deltachain runs a file, and only on purpose. The file is imported as a module of its own,
in this process, with its folder on the path, as Python would; its function is called in others (`workers`). What it
prints goes to standard error: standard output is the answer's. A secret's value is a literal of Python, a fraction such
as 3/4, or the name of something that the file defines.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from ..cancel import Cancel
from ..errors import Defect, DeltachainError, InputError, MissingFile
from ..model import Loaded
from .processes import look_regularly
from .recording import RaisedInWorker
from .replay import from_code

EXECUTE = "--execute"


def executed(
    source: str,
    secrets: Sequence[str],
    constants: str = "",
    *,
    cancel: Cancel | None = None,
    **settings: Any,
) -> Loaded:
    """The chain of ``file.py:NAME`` or ``file.py:NAME,key=value,…``, whose code is run.

    Args:
        source: the file and the function in it.
        secrets: as they are typed, ``records=A``.
        constants: the same, for what all secrets share.
        cancel: a deadline, and where progress goes.
        settings: those of `from_code`.

    Raises:
        InputError: there is no such file, function or value; the code raises; and whatever `from_code` refuses.
    """
    with importing(source, secrets, constants, cancel) as (function, given, shared):
        chain = from_code(function, given, constants=shared, cancel=cancel, **settings)
    # States are called what was typed, where that tells them apart.
    names = (*(text.strip() for text in secrets), *chain.states[len(secrets) :])
    if len(set(names)) == len(names):
        chain = replace(chain, states=names)
    return Loaded(chain, source, chain.notes)


@contextmanager
def importing(
    source: str, secrets: Sequence[str], constants: str = "", cancel: Cancel | None = None
) -> Iterator[tuple[Callable[..., object], list[Mapping[str, object]], dict[str, object]]]:
    """The function of a file, its secrets, and what they share, as `executed` reads them.

    Within it what the code prints goes to standard error, and what it raises is an error about its file.
    """
    file, colon, rest = source.partition(".py:")
    if not colon:
        what = "it runs a function of a Python file"
        raise InputError(Defect(EXECUTE, what, f"give file.py:FUNCTION, not {source}"))
    path = Path(f"{file}.py")
    name, _, written = rest.partition(",")
    with _their_errors(path), redirect_stdout(sys.stderr):
        with _end_by_deadline(cancel or Cancel()):
            module = _import(path)
        function = getattr(module, name, None)
        if function is None or not callable(function):
            there = ", ".join(n for n, thing in vars(module).items() if _is_its_own(thing, module)) or "none"
            raise InputError(Defect(str(path), f"it defines no function {name!r}", f"its functions are: {there}"))
        shared: dict[str, object] = {}
        for text in (written, constants):
            shared |= _assignments(text, "constants", module)
        given = [_assignments(text, "--secret", module) for text in secrets]
        if not given:
            raise InputError(Defect("--secret", f"{name} has no secrets to start from", "give two or more"))
        yield function, given, shared


def _is_its_own(thing: object, module: ModuleType) -> bool:
    return callable(thing) and getattr(thing, "__module__", None) == module.__name__


def _import(path: Path) -> ModuleType:
    """The file as a module."""
    if not path.is_file():
        raise MissingFile(str(path))
    name = f"executed_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(Defect(str(path), "it cannot be imported", "give a Python file"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and pickles look for their module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _end_by_deadline(cancel: Cancel) -> Iterator[None]:
    """Within the block, code that runs in this process is ended by a deadline, and cannot end the process itself."""

    def refuse(code: int = 0) -> NoReturn:
        raise InputError(f"the file exits with {code} when it is imported: let it define its functions, and end")

    leave, os._exit = os._exit, refuse  # type: ignore[assignment]
    try:
        with look_regularly(cancel.check):
            yield
    finally:
        os._exit = leave


@contextmanager
def _their_errors(path: Path) -> Iterator[None]:
    """What the user's code raises, as an error about its file; ours as they are."""
    try:
        yield
    except (DeltachainError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if isinstance(error, GeneratorExit) and not isinstance(error.__cause__, RaisedInWorker):
            raise  # Python's own, where nobody waits for what follows
        frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error.__cause__, RaisedInWorker):
            frames += [(file, line) for file, line, _ in error.__cause__.frames]
        lines = [line for file, line in frames if file in (str(path.resolve()), str(path))]
        place = f"{path}:{lines[-1]}" if lines else str(path)
        led = "; ".join(getattr(error, "__notes__", ()))
        what = f"the code raises {type(error).__name__}: {error}" + (f" ({led})" if led else "")
        raise InputError(Defect(place, what, "correct it")) from error


def _assignments(text: str, what: str, module: ModuleType) -> Mapping[str, object]:
    """The values of ``records=A, threshold=5, p=3/4``: literals, fractions, or names of the file."""
    fix = "write name=value, several with commas; a value is a literal, a fraction, float('nan'), or a name of the file"
    unread = InputError(Defect(what, f"{text!r} cannot be read", fix))
    try:
        call = ast.parse(f"_({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise unread from None
    if not isinstance(call, ast.Call) or call.args:
        raise unread
    found: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in found:
            raise unread
        if isinstance(keyword.value, ast.Name):
            if not hasattr(module, keyword.value.id):
                missing = f"{module.__file__} defines no {keyword.value.id!r}"
                raise InputError(Defect(what, missing, f"define it there, or write {keyword.value.id!r} for the text"))
            found[keyword.arg] = getattr(module, keyword.value.id)
            continue
        try:
            found[keyword.arg] = _literal(keyword.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise unread from None
    return found


class _Floats(ast.NodeTransformer):
    """``float("nan")`` and its like, which Python has no literal for, as the numbers that they are."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name("float"), args=[ast.Constant(str() as text)], keywords=[]):
                return ast.Constant(float(text))
        return node  # refused as a literal


def _literal(node: ast.expr) -> object:
    """The value of a literal; of ``3/4`` the Fraction, of ``float("nan")`` the float."""
    match node:
        case ast.BinOp(left=ast.Constant(int() as above), op=ast.Div(), right=ast.Constant(int() as below)) if below:
            return Fraction(above, below)
        case _:
            return ast.literal_eval(_Floats().visit(node))
