"""The text of programs, places in it, and what can be wrong there.

A program's text is the file of its function, or a file or text that is parsed and never run. Either way the whole file
is parsed, so that lines and columns are those that an editor shows. A `Problem` is raised by an operation that does not
know where in the source it stands; whoever knows turns it into a `ProgramError`, whose every defect names
``file:line:column`` and the fix.
"""

from __future__ import annotations

import ast
import difflib
import linecache
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType

from ..errors import Defect, FormatError, InputError
from ..files import open_regular, unreadable

MAX_FILE_BYTES = 1_000_000
"""The largest file that is parsed."""


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

    def literal(self, node: ast.Constant) -> str:
        """A number as it is written; unreliable inside f-strings before Python 3.12."""
        if node.end_lineno != node.lineno or node.end_col_offset is None:
            return ""
        return self._cut(node.lineno, node.col_offset, node.end_col_offset).replace("_", "")

    def text(self, node: ast.FunctionDef) -> str:
        """The lines of a function, decorators included."""
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def parse(text: str, file: str) -> Source:
    """The parsed text; ProgramError with line and column if it is not Python."""
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
    return parse(text.replace("\r\n", "\n").replace("\r", "\n"), str(path))


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
    raise ProgramError(
        Defect(f"{file}:{first}", what, "decorate a `def`; if the file was edited since, import it again")
    )
