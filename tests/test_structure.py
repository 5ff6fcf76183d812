"""The tree of the project, checked on its source: who imports whom, what starts fast, what is public."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import deltachain

ROOT = Path(deltachain.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in MODULES]

ORDER = (
    "errors",
    "version",
    "rational",
    "chain",
    "formats",
    "examples",
    "programs",
    "distance",
    "trace",
    "smt",
    "certificate",
    "check",
    "report",
    "analysis",
    "cli",
)
"""A part imports only from parts before it, and from itself."""

FRONT = ("__init__", "__main__")
"""The package's own front doors, which lead everywhere."""

CHECKER_MAY_IMPORT = {"errors", "chain", "certificate"}
"""The trusted checker sees the certificate's records and the chain, and nothing that computes."""

HEAVY = {"numpy", "numba", "flint", "scipy", "z3", "cvc5", "stormpy", "networkx", "matplotlib", "umbi"}
HEAVY_AT_MODULE_LEVEL = {"distance": {"numpy", "flint"}, "trace": {"flint"}, "certificate": {"flint"}}
"""Part → what its modules may import when they are imported, because they are themselves imported late."""

LONGEST_FILE = 400
LONGEST = {"check.py": 250}

PUBLIC = [
    "Chain",
    "Delta",
    "Distance",
    "EpsilonBound",
    "Profile",
    "Program",
    "Verdict",
    "__version__",
    "announce",
    "check",
    "choose",
    "delta",
    "disjoint_union",
    "distance",
    "epsilon",
    "examples",
    "flip",
    "geometric",
    "load",
    "load_program",
    "profile",
    "program",
    "quotient",
    "reachable",
    "restrict",
    "save",
    "uniform",
    "verify",
]

FAST_START = "import deltachain.cli.main as main; main.build_parser()"


def part_of(path: Path) -> str:
    """The part of the tree that a module belongs to: its package, or itself if it is a single file."""
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def our_imports(source: str, folder: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, part) for everything of ours that a module of ``folder`` imports, lazily or for types too."""
    package = ["deltachain", *folder]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = package[: len(package) - node.level + 1] if node.level else []
            base = home + (node.module.split(".") if node.module else [])
            names = [base] if len(base) > 1 else [[*base, alias.name] for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "deltachain":
                yield node.lineno, name[1] if len(name) > 1 else "__init__"


def imports_when_loaded(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """(line, top-level package) of what is imported with the module: not in functions, not for types only."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imports_when_loaded(node.orelse)
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module.split(".")[0]
        yield from imports_when_loaded(ast.iter_child_nodes(node))


def test_imports_are_seen_however_they_are_written() -> None:
    source = """
import deltachain.cli.main
from deltachain import check
from .. import smt, chain
from ..report.table import table
from . import step
from .step import solve
import numpy as np
if TYPE_CHECKING:
    import matplotlib
    from ..analysis import delta
else:
    import networkx
try:
    from scipy.sparse import csr_matrix
except ImportError:
    import z3
class Late:
    import cvc5
    def go(self):
        import numba
        from ..formats import load
"""
    assert [part for _, part in our_imports(source, ("distance",))] == [
        "cli", "check", "smt", "chain", "report", "distance", "distance", "analysis", "formats"
    ]  # fmt: skip
    loaded = {name for _, name in imports_when_loaded(ast.parse(source).body)}
    assert loaded & HEAVY == {"numpy", "networkx", "scipy", "z3", "cvc5"}


def test_the_walk_finds_the_source() -> None:
    assert len(MODULES) > 20
    assert {part_of(path) for path in MODULES} - set(FRONT) <= set(ORDER), "a part that ORDER does not place"


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_imports_point_one_way(path: Path) -> None:
    part = part_of(path)
    if part in FRONT:
        return
    allowed = CHECKER_MAY_IMPORT if part == "check" else set(ORDER[: ORDER.index(part) + 1])
    found = our_imports(path.read_text("utf-8"), path.relative_to(ROOT).parent.parts)
    wrong = [f"line {line}: {name}" for line, name in found if name not in allowed]
    assert not wrong, f"{part} may import only from {sorted(allowed)}"


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_heavy_packages_are_imported_late(path: Path) -> None:
    allowed = HEAVY_AT_MODULE_LEVEL.get(part_of(path), set())
    found = imports_when_loaded(ast.parse(path.read_text("utf-8")).body)
    wrong = [f"line {line}: {name}" for line, name in found if name in HEAVY - allowed]
    assert not wrong


def test_the_checker_uses_the_standard_library_alone() -> None:
    path = ROOT / "check.py"
    if not path.exists():
        pytest.skip("there is no checker yet")
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.split(".")[0])
    assert names <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("code", ["import deltachain", "from deltachain import Chain, load, examples", FAST_START])
def test_starting_imports_nothing_heavy(code: str) -> None:
    report = f"{code}\nimport sys; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_pinned_and_exist() -> None:
    assert deltachain.__all__ == PUBLIC
    assert sorted(deltachain.__all__) == deltachain.__dir__()
    for name in PUBLIC:
        assert getattr(deltachain, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = deltachain.nothing


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_every_module_says_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert docstring
    assert "This module" not in docstring


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_public_functions_and_classes_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    silent = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node) is None
    ]
    assert not silent


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_files_stay_short_enough_to_read(path: Path) -> None:
    lines = path.read_text("utf-8").count("\n")
    assert lines <= LONGEST.get(str(path.relative_to(ROOT)), LONGEST_FILE)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_no_assert_stands_in_for_a_check(path: Path) -> None:
    """``python -O`` drops asserts; what must hold of input or of a proof is checked by code that stays."""
    found = [node.lineno for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Assert)]
    assert not found
