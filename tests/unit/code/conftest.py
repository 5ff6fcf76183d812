"""Code is run in processes of its own here as everywhere, but fewer of them confirm what was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deltachain.code import replay
from deltachain.code.confirmation import Effort

FEW = Effort(processes=10, seconds=5.0)
ONLY_KNOWN = replay._only_known


@pytest.fixture(scope="module", autouse=True)
def few_processes() -> Iterator[None]:
    """A small budget, for all tests that do not ask for another; what it does not reach is believed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(replay, "EFFORT", FEW)
        patched.setattr(replay, "_only_known", lambda *_: {})
        yield


@pytest.fixture
def whole_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """The budget that users have."""
    monkeypatch.setattr(replay, "EFFORT", Effort())
    monkeypatch.setattr(replay, "_only_known", ONLY_KNOWN)


class CallsInAFile:
    """Counts calls in a file: state that nothing of the code's own holds."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self) -> int:
        """How many calls there were before."""
        with self._path.open("ab") as file:
            before = file.tell()
            file.write(b".")
        return before


@pytest.fixture
def calls(tmp_path: Path) -> CallsInAFile:
    """A counter in a file."""
    return CallsInAFile(tmp_path / "calls")
