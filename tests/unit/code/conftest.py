"""What tests of ordinary code share."""

from __future__ import annotations

from pathlib import Path

import pytest


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
