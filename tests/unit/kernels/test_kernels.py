"""How kernels are put together: machine code that is there and fresh, one name for one thing, nothing of Cython."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from deltachain import kernels

FOLDER = Path(kernels.__file__).parent
CHECKOUT = FOLDER.parents[2]
PYTHON_ALONE = {"__init__.py", "cython.py", "records.py", "types.py"}
SOURCES = [path for path in sorted(FOLDER.glob("*.py")) if path.name not in PYTHON_ALONE]


def can_compile(folder: Path) -> bool:
    """Whether this machine compiles C that uses Python: the compiler and the headers are there."""
    source = folder / "tried.c"
    source.write_text("#include <Python.h>\nint one(void) { return 1; }\n")
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    headers = f"-I{sysconfig.get_path('include')}"
    try:
        subprocess.run([*compiler, headers, "-c", source, "-o", folder / "tried.o"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return (folder / "tried.o").exists()


def test_the_machine_code_is_that_of_the_sources(tmp_path: Path) -> None:
    """The extension is optional, so that an error of the C compiler goes unseen while the package is installed."""
    if not (CHECKOUT / "setup.py").exists() or not can_compile(tmp_path):
        pytest.skip("no C compiler, no headers of Python, or no sources to compile")
    assert kernels.COMPILED, "there is a C compiler, and the kernels are not compiled: see what `make` says"
    built = [path.stat().st_mtime for path in [*FOLDER.glob("_compiled.*so"), *FOLDER.glob("_compiled.*pyd")]]
    edited = [path.stat().st_mtime for path in [*SOURCES, FOLDER / "_compiled.pyx"]]
    assert max(built) >= max(edited), "a kernel was edited after it was compiled: run `make .venv/dev`"


def test_every_source_is_compiled_and_no_name_is_defined_twice() -> None:
    included = re.findall('^include "(.*)"$', (FOLDER / "_compiled.pyx").read_text("utf-8"), re.MULTILINE)
    assert sorted(included) == [path.name for path in SOURCES]
    typed = re.findall(r"^from \.(.*) import \*$", (FOLDER / "_compiled.pyi").read_text("utf-8"), re.MULTILINE)
    assert sorted(typed) == [path.stem for path in SOURCES]
    names = [path.stem for path in SOURCES]
    for path in SOURCES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.append(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    assert len(names) == len(set(names)), sorted(name for name in set(names) if names.count(name) > 1)


def test_both_ways_to_import_a_kernel_give_the_same_names() -> None:
    front = ast.parse((FOLDER / "__init__.py").read_text("utf-8"))
    (tried,) = [node for node in front.body if isinstance(node, ast.Try)]
    compiled, plain = (
        [alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
        for nodes in (tried.body, tried.handlers[0].body)
    )
    assert compiled
    assert sorted(compiled) == sorted(plain)


UNCOMPILED = """
import sys
sys.modules["Cython"] = sys.modules["cython"] = sys.modules["deltachain.kernels._compiled"] = None
import deltachain
chain = deltachain.examples.build("random,n=6,labels=2,seed=1")
assert "deltachain.kernels" not in sys.modules
result = deltachain.delta(chain, exp_epsilon=1, max_nodes=50)
print(result.lower, result.upper)
"""


def test_without_machine_code_a_search_says_once_that_it_is_slow_and_finds_the_same() -> None:
    plain = subprocess.run([sys.executable, "-c", UNCOMPILED], check=True, capture_output=True, text=True)
    compiled = UNCOMPILED.replace(' = sys.modules["deltachain.kernels._compiled"]', "")
    fast = subprocess.run([sys.executable, "-c", compiled], check=True, capture_output=True, text=True)
    assert plain.stdout == fast.stdout
    (line,) = plain.stderr.splitlines()
    assert "not compiled" in line
    assert "python3-dev" in line
    assert fast.stderr == "" or not kernels.COMPILED
