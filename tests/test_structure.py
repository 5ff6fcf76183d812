"""The tree of the project, checked on its source: who imports whom, what starts fast, what is public."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import deltachain
from deltachain import registry
from tests.source_trees import let_go, tree_of

ROOT = Path(deltachain.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in MODULES]

ORDER = (
    "errors",
    "version",
    "lazy",
    "registry",
    "memory",
    "characters",
    "cancel",
    "numbers",
    "parameters",
    "proportions",
    "files",
    "kernels",
    "executors",
    "model",
    "settings",
    "formats",
    "draws",
    "programs",
    "examples",
    "code",
    "loading",
    "distances",
    "checker",
    "certificate",
    "beliefs",
    "integers",
    "results",
    "asking",
    "cli",
    "measures",
    "reports",
    "testing",
    "pytest_plugin",
    "commands",
)
"""A part imports only from parts before it, and from itself."""

FRONT = ("__init__", "__main__")
"""The package's own front doors, which lead everywhere."""

CHECKER = ROOT.parents[1] / "packages" / "checker" / "deltachain_checker"

HEAVY = {"numpy", "flint", "scipy", "z3", "cvc5", "stormpy", "networkx", "matplotlib", "umbi"} | {
    "jinja2",
    "markupsafe",
    "starlette",
    "uvicorn",
    "dask",
    "distributed",
}
HEAVY_AT_MODULE_LEVEL = {
    "numbers": {"flint"},
    "model": {"flint"},
    "draws": {"flint"},
    "programs": {"flint"},
    "code": {"numpy", "flint"},  # the generator that stands for NumPy's; numbers that cross between processes
    "proportions": {"numpy", "flint"},
    "kernels": {"numpy"},
    "distances": {"numpy", "flint"},
    "beliefs": {"numpy", "flint"},
    "integers": {"flint"},
    "measures": {"numpy", "flint"},
    "certificate": {"flint"},
    "results": {"numpy"},  # tables of distances
    "reports": {"markupsafe"},
    "deltachain_smt": {"flint"},
    "deltachain_explore": {"markupsafe", "starlette", "uvicorn"},
}
"""Part → what its modules may import when they are imported, because they are themselves imported late."""

FAST_START = "import deltachain.cli.command as main; main.build_parser(())"


@pytest.fixture(scope="module", autouse=True)
def _trees() -> Iterator[None]:
    yield
    let_go()


def part_of(path: Path) -> str:
    """The part of the tree that a module belongs to: its package, or itself if it is a single file."""
    relative = path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These nodes and all statements below them; expressions, most of a module, have none inside."""
    for node in nodes:
        yield node
        yield from statements(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))


def our_imports(tree: ast.Module, folder: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, part) for everything of ours that a module of ``folder`` imports, lazily or for types too."""
    package = ["deltachain", *folder]
    for node in statements(tree.body):
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
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
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
import deltachain.cli.command
from deltachain import check
from .. import smt, model
from ..results.text import table
from . import step
from .step import solve
import numpy as np
if TYPE_CHECKING:
    import matplotlib
    from ..measures.delta.verb import delta
else:
    import networkx
try:
    from scipy.sparse import csr_matrix
except ImportError:
    import z3
class Late:
    import cvc5
    def go(self):
        import flint
        from ..formats import load
"""
    assert [part for _, part in our_imports(ast.parse(source), ("distances",))] == [
        "cli", "check", "smt", "model", "results", "distances", "distances", "measures", "formats"
    ]  # fmt: skip
    loaded = {name for _, name in imports_when_loaded(ast.parse(source).body)}
    assert loaded & HEAVY == {"numpy", "networkx", "scipy", "z3", "cvc5"}


def test_imports_point_one_way() -> None:
    assert {part_of(path) for path in MODULES} - set(FRONT) == set(ORDER), "ORDER names the parts that there are"
    wrong = []
    for path in MODULES:
        part = part_of(path)
        if part in FRONT:
            continue
        allowed = set(ORDER[: ORDER.index(part) + 1])
        found = our_imports(tree_of(path), path.relative_to(ROOT).parent.parts)
        wrong += [f"{path.relative_to(ROOT)}:{line} imports {name}" for line, name in found if name not in allowed]
    assert not wrong


LAYERS_OF_PROGRAMS = ("language", "secrets", "noise", "run", "protocol")
"""The folders of ``programs``, and what puts them together: each imports only from those before it, and from itself."""


def test_the_folders_of_programs_import_one_way() -> None:
    """What is imported for types alone may point the other way: an explorer is handed to what it asks."""
    folder = ROOT / "programs"
    assert {path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.rglob("*.py")} == {
        "__init__",
        *LAYERS_OF_PROGRAMS,
    }
    wrong = []
    for path in folder.glob("*/*.py"):
        allowed = LAYERS_OF_PROGRAMS[: LAYERS_OF_PROGRAMS.index(path.parent.name) + 1]
        body = tree_of(path).body
        for_types = {
            node
            for block in body
            if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
            for node in block.body
        }
        wrong += [
            f"{path.relative_to(folder)}:{node.lineno} imports {node.module}"
            for node in statements(body)
            if isinstance(node, ast.ImportFrom) and node.level == 2 and node not in for_types
            if node.module is None or node.module.partition(".")[0] not in allowed
        ]
    assert not wrong


def modules_of(satellite: str) -> list[Path]:
    return sorted((ROOT.parents[1] / "packages" / satellite.removeprefix("deltachain_") / satellite).rglob("*.py"))


def is_missing(module: str) -> bool:
    """Whether it is of a satellite that is not installed."""
    package = module.partition(".")[0]
    return package in registry.SATELLITES and importlib.util.find_spec(package) is None


def imported_packages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, top-level package) of every absolute import, wherever it stands, and for types too."""
    for node in statements(tree.body):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module.partition(".")[0]


def test_the_core_imports_no_satellite_and_satellites_import_the_core_alone() -> None:
    wrong = []
    for path in MODULES:
        if path == ROOT / "__init__.py":  # the front door names them for type checkers
            continue
        found = imported_packages(tree_of(path))
        wrong += [
            f"{path.relative_to(ROOT)}:{line} imports {name}" for line, name in found if name in registry.SATELLITES
        ]
    for satellite in registry.SATELLITES:
        others = {*registry.SATELLITES} - {satellite}
        for path in modules_of(satellite):
            found = imported_packages(tree_of(path))
            wrong += [f"{satellite}/{path.name}:{line} imports {name}" for line, name in found if name in others]
    assert not wrong


def test_a_satellite_says_what_it_brings_as_plain_data() -> None:
    """So that looking for a name imports nothing else of it, and whichever of the two is imported first."""
    for satellite in registry.SATELLITES:
        for path in modules_of(satellite)[:1]:
            assert path.name == "__init__.py"
            assert not [*imported_packages(tree_of(path))]
    names = [name for part in registry.list_provided() for table in (part.verbs, part.measures) for name in table]
    formats = [name for part in registry.list_provided() for table in (part.formats, part.suffixes) for name in table]
    assert len(names) == len(set(names))
    assert len(formats) == len(set(formats))


def test_heavy_packages_are_imported_late() -> None:
    wrong = []
    of_satellites = {path: satellite for satellite in registry.SATELLITES for path in modules_of(satellite)}
    for path in (*MODULES, *of_satellites):
        allowed = HEAVY_AT_MODULE_LEVEL.get(of_satellites.get(path) or part_of(path), set())
        found = imports_when_loaded(tree_of(path).body)
        wrong += [f"{path}:{line} imports {name}" for line, name in found if name in HEAVY - allowed]
    assert not wrong


def test_the_checker_uses_the_standard_library_alone() -> None:
    paths = sorted(CHECKER.glob("**/*.py"))
    assert {path.name for path in paths} >= {"__init__.py", "__main__.py", "covers.py", "graph.py"}
    for path in paths:
        tree = tree_of(path)
        names = {name for _, name in imports_when_loaded(ast.walk(tree))}
        assert names <= set(sys.stdlib_module_names), path
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level > 1], path


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        ("import deltachain", []),
        ("from deltachain import Chain, load, examples", ["flint"]),
        ("from deltachain import check, delta, guess", ["flint"]),
        (FAST_START, ["flint"]),
    ],
)
def test_starting_imports_nothing_heavy(code: str, heavy: list[str]) -> None:
    report = f"{code}\nimport sys; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(heavy)


def test_no_two_classes_share_a_name() -> None:
    found = [
        (node.name, str(path))
        for path in (*MODULES, *(path for satellite in registry.SATELLITES for path in modules_of(satellite)))
        for node in statements(tree_of(path).body)
        if isinstance(node, ast.ClassDef)
    ]
    count = Counter(name for name, _ in found)
    assert not [each for each in found if count[each[0]] > 1]


def named_types(path: Path) -> Iterator[tuple[str, bool]]:
    """(name, whether it is a class) of each class and each alias of a type that a module defines."""
    for node in tree_of(path).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, True
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, is_type = (
                node.targets[0].id,
                isinstance(node.value, ast.Subscript | ast.BinOp | ast.Name | ast.Attribute),
            )
            if is_type and re.fullmatch(r"[A-Z][a-z]+[A-Za-z]*", name):
                yield name, False


def test_a_type_has_a_name_of_its_own() -> None:
    """An alias counts as a name; kernels, which are compiled together, have theirs for themselves."""
    places: dict[str, list[bool]] = {}
    for path in (*MODULES, *(path for satellite in registry.SATELLITES for path in modules_of(satellite))):
        if part_of_tree(path) != "kernels":
            for name, is_class in named_types(path):
                places.setdefault(name, []).append(is_class)
    twice = {name for name, found in places.items() if len(found) > 1 and not all(found)}
    assert not twice


IRREGULAR = re.compile(
    r"(begun|brought|built|chosen|done|drawn|found|given|grown|held|hidden|kept|known|laid|led|left|lost|made|met|paid|"
    r"said|seen|sent|shown|sought|spent|spoken|stood|taken|taught|thrown|told|understood|written)"
)
"""Participles that end in neither -ed nor -ing."""


def test_functions_are_verbs() -> None:
    """A bare participle, ``merged``, does not say whether it is asked or done; properties, which are nouns, may be."""
    bare = [
        f"{path.name}:{node.lineno} {node.name}"
        for path in (*MODULES, *(path for satellite in registry.SATELLITES for path in modules_of(satellite)))
        for node in statements(tree_of(path).body)
        if isinstance(node, ast.FunctionDef)
        if not any(re.search("property|setter", ast.unparse(decorator)) for decorator in node.decorator_list)
        if IRREGULAR.fullmatch(node.name.strip("_")) or re.fullmatch(r"_*[a-z]{3,}(ed|ing)", node.name)
    ]
    assert len(bare) <= 20, bare


def part_of_tree(path: Path) -> str:
    return part_of(path) if path.is_relative_to(ROOT) else path.parent.name


def test_few_imports_stand_in_functions() -> None:
    late = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in MODULES
        for function in statements(tree_of(path).body)
        if isinstance(function, ast.FunctionDef)
        for node in statements([function])
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(set(late)) <= 60, late


def test_public_names_exist_and_no_module_bears_the_name_of_a_verb() -> None:
    public = {name: getattr(deltachain, name) for name in deltachain.__all__}
    verbs = {name for name, value in public.items() if inspect.isfunction(value)}
    assert {"check", "delta", "distance", "epsilon", "profile", "verify"} <= verbs
    assert verbs.isdisjoint({part_of(path) for path in MODULES})
    assert all(value.__name__ == name and inspect.getdoc(value) for name, value in public.items() if name in verbs)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = deltachain.nothing


@pytest.mark.parametrize("package", ["", "code", "formats", "programs"])
def test_type_checkers_see_the_names_that_are_imported_late(package: str) -> None:
    module = importlib.import_module(f"deltachain.{package}".rstrip("."))
    tree = ast.parse((ROOT / package / "__init__.py").read_text("utf-8"))
    (for_types,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {
        a.name: node.module or "" for node in for_types.body if isinstance(node, ast.ImportFrom) for a in node.names
    }
    tables = [module._HOMES, *([registry.names()] if not package else [])]
    listed = {name: home for table in tables for home, names in table.items() for name in names.split()}
    there = {name: home for name, home in homes.items() if not is_missing(home)}
    assert there == listed
    assert {*listed, "__version__"} >= set(module.__all__) >= set(listed)


def test_contributing_names_the_order() -> None:
    text = " ".join((ROOT.parents[1] / "CONTRIBUTING.md").read_text("utf-8").split())
    assert f"`{', '.join(ORDER)}`" in text


def test_two_diners_load_few_of_our_modules() -> None:
    code = (
        "import sys; from deltachain.cli.command import main; "
        "main(['delta', 'example:dining-cryptographers,n=2,p=49/100', '--exp-epsilon', '1.0002', '--brief']); "
        "ours = [name for name in sys.modules if name.split('.')[0] in ('deltachain', 'deltachain_checker')]; "
        "print(len(ours), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, numpy = done.stdout.splitlines()[-1].split()
    assert int(count) <= 100  # the checker, its certificate, and claims between the two are 20 of them
    assert numpy == "False"


def test_unit_tests_are_named_for_what_they_test() -> None:
    """``test_MODULE.py`` or ``test_MODULE_ASPECT.py``, in the folder that mirrors the module; a package counts, too."""
    tests = Path(__file__).parent
    names: dict[Path, set[str]] = {}
    for module in MODULES:
        names.setdefault(tests / "unit" / module.relative_to(ROOT).parent, {module.parent.name}).add(module.stem)
    for satellite in registry.SATELLITES:
        folder = tests / "satellites" / satellite.removeprefix("deltachain_")
        names[folder] = {satellite, *(module.stem for module in modules_of(satellite))}
    wrong = []
    for path in sorted((*tests.glob("unit/**/test_*.py"), *tests.glob("satellites/**/test_*.py"))):
        subject = path.stem.removeprefix("test_")
        known = names.get(path.parent, set())
        if not any(subject == name or subject.startswith(f"{name}_") for name in known):
            wrong.append(path.relative_to(tests).as_posix())
    assert not wrong, f"named for no module of their folder: {wrong}"
