"""Room that is asked for before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from deltachain.errors import BackendMissing, exit_code, is_out_of_memory, require_extra
from deltachain.memory import THREADS, require_room
from tests.words import refuses

SHOW = """
import os, sys
from deltachain.memory import guard_imports
guard_imports()
print(os.environ.get("OPENBLAS_NUM_THREADS"), "numpy" in sys.modules)
import numpy
print(numpy.ones((3, 3)).sum())
"""


def test_what_there_is_no_room_for_is_a_memory_error() -> None:
    require_room(2**20)
    if os.name == "posix":
        with refuses(MemoryError, "more are needed"):
            require_room(2**60)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "1"),
        ({"OPENBLAS_NUM_THREADS": "2"}, "2"),
        ({"OMP_NUM_THREADS": "2"}, "None"),
        ({"GOTO_NUM_THREADS": "2"}, "None"),
        ({"OMP_NUM_THREADS": "many"}, "None"),
    ],
)
def test_linear_algebra_has_one_thread_unless_the_user_said_how_many(given: dict[str, str], wanted: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in THREADS} | given
    done = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [wanted, "False", "9.0"]


def test_who_imports_deltachain_decides_about_threads() -> None:
    code = "import os, deltachain as dc; dc.epsilon('example:coin', delta=0); import numpy; print(os.environ)"
    environment = {name: value for name, value in os.environ.items() if name not in THREADS}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert not any(name in done.stdout for name in THREADS)


def test_an_extra_that_memory_does_not_suffice_for_is_not_missing() -> None:
    missing = refuses(BackendMissing, "pip install 'deltachain")
    with missing, require_extra("nothing", "all"):
        raise ModuleNotFoundError("No module named 'nothing'")
    with pytest.raises(MemoryError), require_extra("nothing", "all"):
        raise ImportError("nothing.so: failed to map segment from shared object")


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        ImportError("x.so: failed to map segment from shared object"),
    ],
)
def test_whatever_says_that_memory_ran_out_is_undecided(error: Exception) -> None:
    assert is_out_of_memory(error)
    assert exit_code(error) == 3
