"""How kernels are put together: machine code that is there and fresh, one name for one thing, nothing of Cython."""

from __future__ import annotations

import ast
import re
import shutil
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


def test_the_machine_code_is_that_of_the_sources() -> None:
    """The extension is optional, so that an error of the C compiler goes unseen while the package is installed."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if not shutil.which(compiler) or not headers.exists() or not (CHECKOUT / "setup.py").exists():
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


def test_kernels_run_without_cython_and_without_machine_code() -> None:
    code = (
        "import sys; sys.modules['Cython'] = sys.modules['cython'] = None\n"
        "sys.modules['deltachain.kernels._compiled'] = None\n"
        "from deltachain import kernels\n"
        "assert not kernels.COMPILED"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
