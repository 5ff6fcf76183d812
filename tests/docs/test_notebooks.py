"""The notebooks run, say what they say, and draw their figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "notebooks"
SHOWN = {
    "diners": (["2 diners: δ = 7501/25000000 exactly, bd = 1/2500", "δ = 0.001308027"], ["diners", "diners_profile"]),
    "surveys": (["δ = 0 at e^ε = 3: private", "most telling: start no no no no no no no"], ["surveys"]),
    "lesson_1_randomised_response": (["least e^ε: 3", "with honesty 2/3: 2"], []),
    "lesson_2_delta": (["event: start no 3/4 against 1/4", "two rounds: e^ε = 9 and δ at 3 is 3/8"], []),
    "lesson_3_broken_mechanisms": (["form 2: private\nform 3: violated", "form 4: e^ε = 127.6", "moved: 4"], []),
    "lesson_4_certificates": (["δ = 7501/25000000", "another model: refused", "a smaller bound: refused"], []),
    "crowds": ([" 5 members: e^ε = 11/3 for δ = 0; δ = 1/5 for ε = 0"], ["crowds", "crowds_tradeoff"]),
}
LONG = {"diners": pytest.mark.slow}
"""Those that compute for more than a few seconds."""


def test_every_notebook_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SHOWN)
    listed = (FOLDER / "index.md").read_text("utf-8")
    assert all(f"({name}.py)" in listed for name in SHOWN)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG.get(name, ())) for name in SHOWN])
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    if SHOWN[name][1]:
        pytest.importorskip("matplotlib", reason="needs the extra plot")
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(FOLDER / f"{name}.py"), str(tmp_path)],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines, figures = SHOWN[name]
    for line in lines:
        assert line in done.stdout
    for figure in figures:
        assert (tmp_path / f"{figure}.svg").read_text("utf-8").rstrip().endswith("</svg>")
