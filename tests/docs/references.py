"""What docs, README, CONTRIBUTING and docstrings refer to, and whether it is in the tree.

A reference is

- a path in backticks (`model/chain.py`, `formal/`), or below a top folder of the repository anywhere in the text;
- a dotted name in backticks (`deltachain.model`, `Chain.labels`, `chain.labels`);
- a name in a file: `errors.py`'s `InputError`;
- a document that is cited by its name in capitals, in parentheses and with a colon.

Everything is read from the files, so that whoever moves or renames something is shown every place that mentions it.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import deltachain
from tests.docs.pages import FENCE, ROOT
from tests.extras import EXTRAS
from tests.source_trees import tree_of

PACKAGE = ROOT / "src" / "deltachain"
TOP = ("src", "packages", "tests", "docs", "bench", "formal", "examples", "paper")
HISTORY = "CHANGELOG.md"
"""Names the files of its time."""
ELSEWHERE = {"pd", *EXTRAS}
"""Packages that are mentioned, and need not be installed; and what one is imported as."""
MADE = ("build/", "site/", "formal/deltachain-formal")
"""What `make` makes: not in the repository."""

QUOTED = re.compile(r"(`+)([^`\n]+)\1")
BELOW_TOP = re.compile(rf"(?<![\w/.-])(?:{'|'.join(TOP)})/[\w./-]*\w")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?|[\w.-]+/|[\w-]+\.(?:py|pyx|md|v|ml|cff|yml|toml|sh)")
NO_PATH = re.compile(r"[\d/.]+|\w/\w|[\w.]+/\d+|.*[A-Z]{3,}\.py")
"""Fractions, schemas (deltachain.delta/2), placeholders (VERB.py)."""
DOTTED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(.*\))?")
FILE_NAME = re.compile(
    r"[\w-]+\.(?:py|pyx|md|v|ml|cff|yml|toml|sh|json|jsonl|csv|npz|tra|lab|sta|drn|umb|prism|jani|svg|png|html|txt)"
)
IN_FILE = re.compile(r"`([\w/]+\.py)`'s `(\w+)`")
DOCUMENT = re.compile(r"\(([A-Z]{4,}): ")


@dataclass(frozen=True)
class Text:
    """A page or a docstring: its file, its first line, and what it says, without blocks of code."""

    path: Path
    line: int
    text: str


def texts() -> Iterator[Text]:
    """Every page beside the changelog, and every docstring of ours, those of names included."""
    for page in (*ROOT.glob("*.md"), *(path for top in TOP for path in (ROOT / top).rglob("*.md"))):
        if page.name != HISTORY:
            blank = FENCE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"))
            yield Text(page, 1, blank)
    for path in (path for top in TOP for path in (ROOT / top).rglob("*.py")):
        source = path.read_text("utf-8")
        if any(form.search(source) for form in (QUOTED, BELOW_TOP, DOCUMENT)):  # else there is nothing to look up
            yield from _docstrings(path, tree_of(path))


def _docstrings(path: Path, node: ast.AST) -> Iterator[Text]:
    """Every text that stands alone as a statement; expressions, most of a module, have none inside."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant) and isinstance(inner.value.value, str):
            yield Text(path, inner.lineno, inner.value.value)
        elif not isinstance(inner, ast.expr):
            yield from _docstrings(path, inner)


class Tree:
    """The names that each module and each class of the package has; those of the same name taken together."""

    def __init__(self) -> None:
        self.names: defaultdict[str, set[str]] = defaultdict(set)
        self.members: set[str] = set()
        self.names["deltachain"] |= set(deltachain.__all__)  # names that are imported late
        self.names["examples"] |= set(dir(deltachain.examples))
        for path in (*PACKAGE.rglob("*.py"), *(ROOT / "packages").rglob("*.py")):
            module = path.parent if path.stem == "__init__" else path.with_suffix("")
            self.names[module.parent.name].add(module.name)
            self._read(tree_of(path), module.name)

    def _read(self, node: ast.AST, home: str, in_class: bool = False) -> None:
        """Add what a module or class defines, in whatever block, and what methods set."""
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                self.names[home].add(inner.name)
                stored = (part for part in ast.walk(inner) if isinstance(part, ast.Attribute)) if in_class else ()
                self.names[home] |= {part.attr for part in stored if isinstance(part.ctx, ast.Store)}
            elif isinstance(inner, ast.ClassDef):
                self.names[home].add(inner.name)
                bases = [base.value if isinstance(base, ast.Subscript) else base for base in inner.bases]
                self.names[inner.name] |= {base.id for base in bases if isinstance(base, ast.Name)}
                self._read(inner, inner.name, in_class=True)
                self.members |= self.names[inner.name]
            elif isinstance(inner, ast.alias):
                self.names[home].add((inner.asname or inner.name).split(".")[0])
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self.names[home].add(inner.id)
            else:
                self._read(inner, home, in_class)

    def has(self, dotted: str) -> bool:
        """Whether each part of a dotted name is in the part before it."""
        first, *rest = parts = dotted.split(".")
        if first == "dc":
            parts[0] = "deltachain"
        if first in ELSEWHERE or (parts[0] not in self.names and importlib.util.find_spec(first) is not None):
            return True
        value = False  # such as chain in chain.labels: of its members the class is not known
        for one, other in pairwise(parts):
            if not value and self._holds(one, other):
                continue
            value = value or (one.islower() and one != "deltachain")
            known = self._holds(one.capitalize(), other) if len(rest) > 1 and one == first else other in self.members
            if not (value and known):
                return False
        return True

    def _holds(self, one: str, other: str) -> bool:
        """Whether a module, or a class with its bases, has a name."""
        homes = {one, *(base for base in self.names.get(one, ()) if base[:1].isupper())}
        return any(other in self.names.get(home, ()) for home in homes)

    def all_dotted(self) -> list[str]:
        """Every name after its home, to guess what was meant."""
        return [f"{home}.{name}" for home, names in self.names.items() for name in names]


def paths_of(name: str, home: Path) -> list[Path]:
    """What a path that stands in the file ``home`` may mean; a bare file name means any file of that name."""
    if "/" in name or "." not in name:
        places = (ROOT, home.parent, PACKAGE, PACKAGE.parent, ROOT / "docs")
        return [place / name for place in places if (place / name).exists()]
    return [path for path in known_files() if path.name == name]


@cache
def known_files() -> tuple[Path, ...]:
    """Every file at the root and below the top folders."""
    below = (path for top in TOP for path in sorted((ROOT / top).rglob("*")) if "__pycache__" not in path.parts)
    return (*(path for path in ROOT.iterdir() if path.is_file()), *below)


def file_names() -> list[str]:
    """The known files, from the package's folder on or from the root, to guess what was meant."""
    return [str(path.relative_to(PACKAGE if PACKAGE in path.parents else ROOT)) for path in known_files()]


def missing(text: Text, tree: Tree) -> Iterator[str]:
    """A line per reference of the text that leads nowhere, with what it may mean now."""

    def complaint(position: int, what: str, known: Iterable[str]) -> str:
        near = difflib.get_close_matches(what, list(known), 3, 0.5)
        line = text.line + text.text.count("\n", 0, position)
        hint = f" (near: {', '.join(near)})" if near else ""
        return f"{text.path.relative_to(ROOT)}:{line}: {what} does not exist{hint}"

    quoted = {(found.start(), found[2]) for found in QUOTED.finditer(text.text)}
    paths = {found[0]: found.start() for found in BELOW_TOP.finditer(text.text)}
    paths |= {token.rstrip("/"): position for position, token in quoted if PATH.fullmatch(token)}
    for path, position in paths.items():
        if not NO_PATH.fullmatch(path) and not path.startswith(MADE) and not paths_of(path, text.path):
            yield complaint(position, path, file_names())
    for position, token in sorted(quoted):
        dotted = DOTTED.fullmatch(token)
        if dotted is not None and not FILE_NAME.fullmatch(token) and not tree.has(dotted[1]):
            yield complaint(position, dotted[1], tree.all_dotted())
    for found in IN_FILE.finditer(text.text):
        if not any(re.search(rf"\b{found[2]}\b", path.read_text("utf-8")) for path in paths_of(found[1], text.path)):
            yield complaint(found.start(), f"{found[2]} in {found[1]}", ())
    for found in DOCUMENT.finditer(text.text):
        if not paths_of(f"{found[1]}.md", text.path):
            yield complaint(found.start(), f"{found[1]}.md", ())
