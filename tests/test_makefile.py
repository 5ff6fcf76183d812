"""`make` on a machine where something is half done."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from tests.words import says

ROOT = Path(__file__).parents[1]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize("pip", [False, True])
def test_a_half_made_environment_is_made_anew(tmp_path: Path, pip: bool) -> None:
    """Who is interrupted between the two steps of `python -m venv` has one without pip."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("docs", "src/deltachain"):  # it lists them
        (tmp_path / name).mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py"):
        (tmp_path / name).touch()
    venv.create(tmp_path / ".venv", with_pip=False)
    if pip:
        (tmp_path / "pip.py").write_text("print('pip 1.0')\n", "utf-8")  # found in the current folder
    done = subprocess.run(
        ["make", ".venv/installed", "PYTHON=echo anew:", "PIP=@true"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert (says(done.stdout.splitlines(), "venv --clear .venv")) != pip
    assert (tmp_path / ".venv" / "installed").exists()
