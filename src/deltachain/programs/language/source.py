"""The text of programs, places in it, what can be wrong there, and what is not in the language.

A program's text is the file of its function, or a file or text that is parsed and never run. Either way the whole file
is parsed, so that lines and columns are those that an editor shows. A `Problem` is raised by an operation that does not
know where in the source it stands; whoever knows turns it into a `ProgramError`, whose every defect names
``file:line:column`` and the fix.
"""

from __future__ import annotations

import ast
import difflib
import linecache
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

from ...errors import Defect, FormatError, InputError
from ...files import open_regular, unreadable

MAX_FILE_BYTES = 1_000_000
"""The largest file that is parsed."""

_NUMBER = re.compile(r"(?<![0-9_.])(?=((?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?))")
"""Whatever may be a decimal number of Python; those that overlap too, as ``5.5`` in ``0x1e-5.5``."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a source file; line and column count from 1, columns in characters."""

    line: int
    column: int
    file: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class ProgramError(FormatError):
    """A protocol that is not a program of the language, or that goes wrong when its runs are explored."""


class Problem(Exception):
    """Something that an operation cannot do; whoever asked for it says where."""

    def __init__(self, what: str, fix: str = "", place: Place | None = None) -> None:
        super().__init__(what)
        self.what, self.fix, self.place = what, fix, place

    def at(self, place: Place) -> Problem:
        """The same problem, placed; a place that is already there is the more exact one and stays."""
        return self if self.place is not None else Problem(self.what, self.fix, place)

    def defect(self) -> Defect:
        """The problem as a line of an error report."""
        return Defect("" if self.place is None else str(self.place), self.what, self.fix)


def suggestion(name: str, names: Sequence[str], otherwise: str) -> str:
    """What to say to somebody who wrote a name that is not one of ``names``."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{otherwise} {', '.join(names) or 'none'}"


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed file."""

    file: str
    lines: tuple[str, ...]
    module: ast.Module

    def place(self, node: ast.AST) -> Place:
        """Where a node starts."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        return Place(line, len(self._cut(line, 0, offset)) + 1, self.file)

    def _cut(self, line: int, start: int, end: int) -> str:
        # The parser counts columns in bytes of UTF-8; people count characters.
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return text.encode()[start:end].decode(errors="replace")

    def numbers(self, node: ast.Constant, text: ast.AST | None = None) -> Iterator[str]:
        """A number as it is written; or all that may be it, inside the f-string ``text``.

        Before Python 3.12 the parser does not say where in an f-string a number stands. Whatever looks like a number
        on its lines is given, and so the right one is.
        """
        if text is None or sys.version_info >= (3, 12):
            if node.end_lineno == node.lineno and node.end_col_offset is not None:
                yield self._cut(node.lineno, node.col_offset, node.end_col_offset).replace("_", "")
            return
        around = "\n".join(self.lines[getattr(text, "lineno", 1) - 1 : getattr(text, "end_lineno", 0)])
        yield from (found[1].replace("_", "") for found in _NUMBER.finditer(around))

    def text(self, node: ast.FunctionDef) -> str:
        """The lines of a function, decorators included."""
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def parse(text: str, file: str) -> Source:
    """The parsed text; ProgramError with line and column if it is not Python."""
    # The parser ends lines at each of these: its places must be those in the lines that are kept.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        with warnings.catch_warnings():
            # A doubtful escape inside some string is the author's business, not a reason to print.
            warnings.simplefilter("ignore")
            module = ast.parse(text, file)
    except SyntaxError as error:
        place = Place(error.lineno or 1, error.offset or 1, file)
        raise ProgramError(Defect(str(place), f"not Python: {error.msg}", "correct the syntax")) from None
    except (RecursionError, MemoryError):
        raise ProgramError(Defect(file, "nested too deeply to be parsed", "split the expressions")) from None
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        what = f"not Unicode text: half of a surrogate pair, U+{ord(text[error.start]):04X}"
        raise ProgramError(Defect(f"{file}:{line}", what, "remove the character")) from None
    except ValueError as error:  # null characters, before Python 3.12
        raise ProgramError(Defect(file, f"not Python: {error}", "correct the text")) from None
    return Source(file, tuple(text.split("\n")), module)


def read_source(path: str | Path) -> Source:
    """The file, parsed; it is not imported and nothing in it runs."""
    path = Path(path)
    try:
        with open_regular(path) as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except InputError as error:  # no file, a pipe, a device
        raise ProgramError(error.defects) from None
    except OSError as error:
        raise ProgramError(unreadable(path, error).defects) from None
    if len(data) > MAX_FILE_BYTES:
        what = f"longer than {MAX_FILE_BYTES} bytes"
        raise ProgramError(Defect(str(path), what, "move the program to a file of its own"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProgramError(Defect(str(path), f"not UTF-8 text, at byte {error.start}", "save it as UTF-8")) from None
    return parse(text, str(path))


def find_definition(function: FunctionType) -> tuple[Source, ast.FunctionDef]:
    """The function's definition in the file that it was read from; ProgramError if there is none."""
    code = function.__code__
    file, first = code.co_filename, code.co_firstlineno
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, function.__globals__))
    if not text:
        what = f"the source of {function.__name__}() is not available"
        fix = f"put it into a file or a notebook cell, or give its text: program('def {function.__name__}(…): …')"
        raise ProgramError(Defect(f"{file}:{first}", what, fix))
    source = parse(text, file)
    parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    for node in ast.walk(source.module):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            named = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
            if start == first and named == parameters:
                return source, node
    what = f"{function.__name__}() is not a plain `def` at this line"
    fix = "decorate a `def`; if the file was edited since, import it again"
    raise ProgramError(Defect(f"{file}:{first}", what, fix))


# What is not in the language, and what to write instead.

_REFUSED: dict[str, tuple[str, str]] = {
    "AnnAssign": ("a declaration without a value", "assign the value here, or drop the line"),
    "AsyncFor": ("`async` is not in the language", "write a plain `for`"),
    "AsyncFunctionDef": ("`async` is not in the language", "write a plain `def`"),
    "AsyncWith": ("`async` is not in the language", "drop it"),
    "Attribute": (
        "attribute access is not in the language",
        "use plain names, or a module's: dc.flip(…) after import deltachain as dc",
    ),
    "Await": ("`await` is not in the language", "drop it"),
    "Break": ("`break` outside a loop", "drop it, or return"),
    "ClassDef": ("`class` is not in the language", "use tuples or dicts as values"),
    "Continue": ("`continue` outside a loop", "drop it"),
    "Delete": ("`del` is not in the language", "drop it: variables that are not read again cost nothing"),
    "DictComp": ("a dict comprehension is not in the language", "build the dict in a `for` loop: d = d | {key: value}"),
    "FunctionDef": ("a function inside a program is not in the language", "move it out and decorate it with @program"),
    "GeneratorExp": ("a generator is not a value of programs", "give it to sum, tuple, any, all, max or min at once"),
    "Global": ("`global` is not in the language", "pass the value as a parameter, and return the new one"),
    "Import": ("`import` is not in the language", "import outside the program"),
    "ImportFrom": ("`import` is not in the language", "import outside the program"),
    "Lambda": ("`lambda` is not in the language", "write a helper function, decorated with @program"),
    "List": ("a list is not a value of programs", "write a tuple: (a, b)"),
    "ListComp": ("a list is not a value of programs", "write tuple(… for …)"),
    "Match": ("`match` is not in the language", "write `if` … `elif` …"),
    "NamedExpr": ("`:=` is not in the language", "assign on a line of its own"),
    "Nonlocal": ("`nonlocal` is not in the language", "pass the value as a parameter, and return the new one"),
    "Raise": ("`raise` is not in the language", "announce what happened, or return"),
    "Set": ("a set is not a value of programs", "write a tuple: (a, b)"),
    "SetComp": ("a set is not a value of programs", "write tuple(… for …)"),
    "Starred": ("`*` is not in the language here", "write the parts out"),
    "Try": ("`try` is not in the language", "test with `if` before the operation"),
    "TryStar": ("`try` is not in the language", "test with `if` before the operation"),
    "With": ("`with` is not in the language", "drop it"),
    "Yield": ("`yield` is not in the language", "use announce(…) for what is seen"),
    "YieldFrom": ("`yield` is not in the language", "use announce(…) for what is seen"),
    # Operators.
    "Invert": ("`~` is not in the language", "write `not`"),
    "Is": ("`is` is not in the language", "write =="),
    "IsNot": ("`is not` is not in the language", "write !="),
    "LShift": ("`<<` is not in the language", "multiply by a power of 2"),
    "MatMult": ("`@` is not in the language", "write the products out"),
    "RShift": ("`>>` is not in the language", "divide with // by a power of 2"),
}

_NO_FILES = ("a program cannot reach outside itself", "pass what it needs as a parameter")
RANDOM = ("random numbers from elsewhere are not in the language", "draw with flip, uniform, choose or geometric")

REFUSED_NAMES: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("__import__", "breakpoint", "compile", "eval", "exec", "getattr", "globals", "input"), _NO_FILES),
    **dict.fromkeys(("locals", "open", "setattr", "vars"), _NO_FILES),
    "dict": ("dict() is not in the language", "write {key: value}"),
    "float": ("floats are not values of programs: all numbers are exact", "write Fraction(…), or the number itself"),
    "list": ("a list is not a value of programs", "write tuple(…)"),
    "print": ("print() is not in the language", "announce(…) is what an observer sees"),
    "random": RANDOM,
    "reversed": ("reversed() is not in the language", "write t[::-1]"),
    "round": ("round() is not in the language", "write int(…) or x // 1"),
    "set": ("a set is not a value of programs", "write tuple(…)"),
}
"""Names that a reader may try, and what to write instead."""


def is_random(module: str) -> bool:
    """Whether a module, or ``module.name``, draws random numbers that a program cannot know."""
    return not {"random", "secrets"}.isdisjoint(module.split("."))


def refusal(node: ast.AST) -> tuple[str, str]:
    """What to say of a piece of syntax that is not in the language."""
    name = type(node).__name__
    return _REFUSED.get(name, (f"{name} is not in the language", "use assignments, if, while, for and the primitives"))
