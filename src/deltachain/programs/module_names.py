"""What the top level of a file binds each name to, read off its syntax, and everything that may bind it again.

A *plain* binding is a statement of the top level that binds a name once and for all: an assignment to names (also
``LO, HI = -6, 6``), a ``def``, an ``import``. Anything else that may bind a name of the file, or change the object
that it stands for, is found by walking the whole file as Python's scoping rules say: a walrus in a default binds a
name of the module, a comprehension's variable does not, and ``global`` lets a function do it. A program may read a
name that has one plain binding, above it. What code in other files does to this one is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .operations import BUILTINS

REACHING_NAMES = frozenset(
    ("globals", "locals", "vars", "exec", "eval", "setattr", "delattr", "builtins", "__builtins__")
)
REACHING_ATTRIBUTES = frozenset(("__dict__", "__globals__", "__setattr__", "__builtins__", "f_globals", "modules"))
"""With these, code can bind names that it does not spell."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class Imported:
    """``from module import name``, or ``import module`` where ``name`` is empty; a relative module has leading dots."""

    module: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class PlainBinding:
    """A statement of the top level, the one with number ``order``, that binds a name to a thing."""

    thing: ast.expr | ast.FunctionDef | Imported
    order: int
    line: int


@dataclass(frozen=True, slots=True)
class Rebinding:
    """A place that may bind a name in another way, or change what it stands for."""

    line: int
    how: str


class ModuleNames:
    """The names of a parsed file: plain bindings, and whatever else may bind or change them."""

    def __init__(self, module: ast.Module, star_names: Callable[[str], tuple[str, ...]]) -> None:
        """``star_names`` says what ``from m import *`` binds, where that is known."""
        self.plain: dict[str, list[PlainBinding]] = {}
        self.rebindings: dict[str, list[Rebinding]] = {}
        self.anywhere: list[tuple[int, Rebinding]] = []
        """What may bind any name at all, each with the number of its statement."""
        self._module, self._star_names = module, star_names
        for order, statement in enumerate(module.body):
            self._read(statement, order)

    def order_of(self, node: ast.AST) -> int | None:
        """The number of a statement of the top level; None for anything else."""
        return next((order for order, statement in enumerate(self._module.body) if statement is node), None)

    def _read(self, statement: ast.stmt, order: int) -> None:
        plain = list(_plain(statement))
        for name, thing in plain:
            self.plain.setdefault(name, []).append(PlainBinding(thing, order, statement.lineno))
        expected = [name for name, _ in plain]
        for name, found in _Walk(order, self.anywhere).statement(statement):
            if name in expected and found.how == "":
                expected.remove(name)  # the plain binding itself
            elif name.startswith("*"):
                self._read_star(name[1:], found, order)
            else:
                how = found.how or "an assignment that takes a value apart"
                self.rebindings.setdefault(name, []).append(Rebinding(found.line, how))

    def _read_star(self, module: str, found: Rebinding, order: int) -> None:
        names = self._star_names(module) if found.how == "" else ()
        for name in names:
            self.plain.setdefault(name, []).append(PlainBinding(Imported(module, name), order, found.line))
        if not names:
            self.anywhere.append((order, Rebinding(found.line, f"`from {module} import *`")))

    def exposed(self, name: str, skip: Callable[[ast.FunctionDef], bool], *, flat: bool) -> int | None:
        """A line where code outside of programs gets hold of the dict under ``name``, and may change it.

        A ``flat`` dict holds no other, so that ``name | {…}`` shares nothing with it.
        """
        looking = frozenset(BUILTINS.keys() - self.plain.keys() - self.rebindings.keys())
        return next(_exposures(self._module, name, skip, looking, flat=flat), None)


def rebound_in_function(enclosing: Definition, name: str, program: ast.FunctionDef) -> Rebinding | None:
    """What may bind a variable of an enclosing function again after ``program`` inside it has read it."""
    for node in ast.walk(enclosing):
        if isinstance(node, ast.Nonlocal) and name in node.names:
            return Rebinding(node.lineno, "`nonlocal`")
    after = program.end_lineno or program.lineno
    for statement in enclosing.body:
        for bound, found in _Walk(0, []).statement(statement):
            if bound == name and found.line > after:
                return Rebinding(found.line, found.how or "another assignment")
    return None


def _plain(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | ast.FunctionDef | Imported]]:
    """The names that a statement of the top level binds plainly, with what it binds them to."""
    if isinstance(statement, ast.FunctionDef):
        yield statement.name, statement
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            root = alias.name.partition(".")[0]
            yield (alias.asname, Imported(alias.name)) if alias.asname else (root, Imported(root))
    elif isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
        for alias in statement.names:
            if alias.name != "*":
                yield alias.asname or alias.name, Imported(module, alias.name)
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _unpacked(target, statement.value)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from _unpacked(statement.target, statement.value)


def _unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """``LO, HI = -6, 6`` part by part; a target whose part of the value is not written out binds nothing plainly."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        if not starred and len(target.elts) == len(value.elts):
            for part, its_value in zip(target.elts, value.elts, strict=True):
                yield from _unpacked(part, its_value)


class _Walk:
    """All that one statement of the top level, and the code inside it, may bind in the module.

    Yields names with a `Rebinding` whose ``how`` is empty for what may be a plain binding; ``*m`` stands for all names
    of a module m.
    """

    def __init__(self, order: int, anywhere: list[tuple[int, Rebinding]]) -> None:
        self._order, self._anywhere = order, anywhere
        self._harmless: set[int] = set()

    def statement(self, statement: ast.stmt) -> Iterator[tuple[str, Rebinding]]:
        how = "" if isinstance(statement, _PLAIN_STATEMENTS) else _HOW.get(type(statement).__name__, "a statement")
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if isinstance(statement, ast.Assign) or statement.value is not None:
                for target in targets:
                    yield from self._visit(target, "", own=True)
            for part in ast.iter_child_nodes(statement):
                if not any(part is target for target in targets):
                    yield from self._visit(part, "an assignment", own=True)
        else:
            yield from self._visit(statement, how, own=True)

    def _visit(self, node: ast.AST, how: str, *, own: bool) -> Iterator[tuple[str, Rebinding]]:
        """``own``: names that are bound here are names of the module."""
        line = getattr(node, "lineno", 0)
        self._note_reach(node, line)
        if isinstance(node, ast.Call):
            handled = _harmless_call(node, own=own)
            if handled is not None:
                self._harmless.add(id(node.func))
                yield from ((name, Rebinding(line, "a part of it may be assigned or deleted")) for name in handled)
        elif isinstance(node, ast.Global):
            for name in node.names:
                yield name, Rebinding(line, "`global`")
        elif isinstance(node, ast.Import | ast.ImportFrom) and own:
            for name in _import_names(node):
                yield name, Rebinding(line, how)
        elif isinstance(node, ast.Name) and own and not isinstance(node.ctx, ast.Load):
            yield node.id, Rebinding(line, "`del`" if isinstance(node.ctx, ast.Del) else how)
        elif isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            root = _root(node)
            if root is not None:
                yield root, Rebinding(line, "a part of it is assigned or deleted")
        yield from self._inside(node, how, own=own)

    def _inside(self, node: ast.AST, how: str, *, own: bool) -> Iterator[tuple[str, Rebinding]]:
        if isinstance(node, Definition | ast.ClassDef | ast.Lambda):
            if own and not isinstance(node, ast.Lambda):
                yield node.name, Rebinding(node.lineno, how)
            around, body = _parts_of_definition(node)
            for part in around:
                yield from self._visit(part, "a default, decorator or annotation", own=own)
            for part in body:
                yield from self._visit(part, "", own=False)
            return
        if isinstance(node, ast.NamedExpr):
            yield from self._visit(node.target, "`:=`", own=own)
            yield from self._visit(node.value, how, own=own)
            return
        capture = _captured(node)
        if capture is not None and own:
            yield capture, Rebinding(getattr(node, "lineno", 0), how)
        for part in ast.iter_child_nodes(node):
            if isinstance(node, ast.comprehension) and part is node.target:
                yield from self._visit(part, how, own=False)
            else:
                inner = _HOW.get(type(part).__name__, how) if isinstance(part, ast.stmt) and how else how
                yield from self._visit(part, inner, own=own)

    def _note_reach(self, node: ast.AST, line: int) -> None:
        if id(node) in self._harmless:
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in REACHING_NAMES:
            self._anywhere.append((self._order, Rebinding(line, f"`{node.id}`")))
        elif isinstance(node, ast.Attribute) and node.attr in REACHING_ATTRIBUTES:
            self._anywhere.append((self._order, Rebinding(line, f"`.{node.attr}`")))


_PLAIN_STATEMENTS = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)

_HOW = {
    "AnnAssign": "a conditional assignment",
    "Assign": "a conditional assignment",
    "AsyncFor": "a `for` loop",
    "AsyncFunctionDef": "an `async def`",
    "AsyncWith": "a `with` statement",
    "AugAssign": "an augmented assignment",
    "ClassDef": "a class",
    "Delete": "`del`",
    "Expr": "an expression",
    "For": "a `for` loop",
    "FunctionDef": "a conditional definition",
    "If": "an `if` statement",
    "Import": "a conditional import",
    "ImportFrom": "a conditional import",
    "Match": "a `match` statement",
    "Try": "a `try` statement",
    "TryStar": "a `try` statement",
    "TypeAlias": "a `type` statement",
    "While": "a `while` loop",
    "With": "a `with` statement",
}
"""What to call a statement that binds a name in no plain way."""


def _harmless_call(node: ast.Call, *, own: bool) -> tuple[str, ...] | None:
    """The only names that a call of ``exec`` and its like can reach, where that can be told; None otherwise."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in ("exec", "eval") and (len(node.args) > 1 or any(k.arg == "globals" for k in node.keywords)):
        return ()  # it binds names in the dict that it is given
    if name in ("setattr", "delattr", "vars") and node.args and isinstance(node.args[0], ast.Name):
        return (node.args[0].id,)
    return () if name in ("locals", "vars") and not own and not node.args else None


def _import_names(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    for alias in node.names:
        if alias.name == "*" and isinstance(node, ast.ImportFrom):
            yield f"*{'.' * node.level}{node.module or ''}"
        else:
            yield alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])


def _captured(node: ast.AST) -> str | None:
    """The name that an ``except`` clause or a pattern binds."""
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return node.name
    return node.rest if isinstance(node, ast.MatchMapping) else None


def _parts_of_definition(node: Definition | ast.ClassDef | ast.Lambda) -> tuple[list[ast.AST], list[ast.AST]]:
    """What is evaluated around a definition, where it stands, and what is inside, with names of its own."""
    if isinstance(node, ast.Lambda):
        return [node.args], [node.body]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords], [*node.body]
    returns = [node.returns] if node.returns is not None else []
    return [*node.decorator_list, node.args, *returns], [*node.body]


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _exposures(
    module: ast.Module, name: str, skip: Callable[[ast.FunctionDef], bool], looking: frozenset[str], *, flat: bool
) -> Iterator[int]:
    """Lines where the object under ``name`` is used, outside of programs, for more than looking at it.

    The functions ``looking`` only look.
    """
    stack: list[tuple[ast.AST, ast.AST]] = [(module, module)]
    while stack:
        node, parent = stack.pop()
        if isinstance(node, ast.FunctionDef) and skip(node):
            continue
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            looks = isinstance(parent, ast.Compare) or (flat and isinstance(parent, ast.BinOp))
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
                looks = parent.func.id in looking
            if not looks:
                yield node.lineno
        stack.extend((child, node) for child in ast.iter_child_nodes(node))
