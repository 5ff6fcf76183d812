"""Fresh interpreters, where a fork would hang or is not wanted: the same answers, by the function's file and name."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from deltachain.code import CodeRefused, from_code, replay
from deltachain.code.confirmation import Effort
from deltachain.code.server import can_fork
from deltachain.code.spawned import find_name, import_module_of
from tests.words import refuses, says

SECRETS = [{"x": 0}, {"x": 1}]

MODULE = """
import os, threading
from dataclasses import dataclass
import deltachain as dc

LOCK = threading.Lock()
LEFT = [3]

@dataclass
class Record:
    x: int

def noisy(x):
    return (x.x if isinstance(x, Record) else x) + dc.discrete_laplace(1)

def first(x):
    vars(os)["calls"] = vars(os).get("calls", 0) + 1
    return x if vars(os)["calls"] == 1 else 0

def locked(x):
    with LOCK:
        return noisy(x)

def exits(x):
    os._exit(0)

def last_letter(value):
    return str(value)[-1]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module in a file."""
    (tmp_path / "spawned_by_a_test.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(replay, "EFFORT", Effort(processes=3))
    yield import_module_of("spawned_by_a_test", "")
    del sys.modules["spawned_by_a_test"]


def test_fresh_interpreters_record_and_confirm(home: ModuleType) -> None:
    secrets = [{"x": home.Record(0)}, {"x": home.Record(1)}]
    chain = from_code(home.noisy, secrets, isolate="spawn")
    assert chain.confirmation == "code: 2 of 2 runs confirmed"
    assert says(chain.assumes[0], "fresh interpreter, with")
    assert "in fresh interpreters" in chain.notes[0]


@pytest.mark.slow
def test_what_is_wrong_is_refused_as_ever(home: ModuleType) -> None:
    with pytest.raises(CodeRefused, match="as the first call of a clean process, it shows"):
        from_code(home.first, SECRETS, isolate="spawn")
    with pytest.raises(CodeRefused, match="the process exits with 0"):
        from_code(home.exits, SECRETS, isolate="spawn")


def test_what_cannot_be_imported_or_pickled_is_refused(home: ModuleType) -> None:
    with refuses(CodeRefused, "the function cannot"):
        from_code(lambda x: x, SECRETS, isolate="spawn")
    with refuses(CodeRefused, "cannot be imported"):
        from_code(home.noisy, SECRETS, isolate="spawn", letter=lambda value: value)
    with refuses(CodeRefused, "the arguments cannot"):
        from_code(home.noisy, [{"x": threading.Lock()}], isolate="spawn")
    assert find_name(home.Record.__init__) is not None
    assert find_name(last := home.last_letter) == ["spawned_by_a_test", home.__file__, last.__name__]


@pytest.mark.slow
@pytest.mark.skipif(not can_fork(), reason="no forks here")
def test_code_that_hangs_after_a_fork_is_run_in_fresh_interpreters(home: ModuleType) -> None:
    held, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with home.LOCK:
            held.set()
            enough.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert "in fresh interpreters" in from_code(home.locked, SECRETS).notes[0]
        with pytest.raises(CodeRefused, match="hangs after a fork"):
            from_code(home.locked, SECRETS, isolate="fork")
    finally:
        enough.set()
        thread.join()


SCRIPT = """
import deltachain as dc

def code(x):
    return x * 0

{guard}
chain = dc.from_code(code, [dict(x=0), dict(x=1)], isolate="spawn")
{indent}print(chain.confirmation, chain.assumes[0][:60])
"""


@pytest.mark.slow
def test_a_script_is_imported_under_its_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    for text, code, shown in (
        ("if __name__ == '__main__':\n    ", 0, "of 2 runs confirmed"),
        ("", 1, "from_code is called where code is being recorded"),
    ):
        body = SCRIPT.replace("{guard}\n", text).replace("{indent}", "    " if text else "")
        script.write_text(body, "utf-8")
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == code, done.stderr
        assert shown in done.stdout + done.stderr
