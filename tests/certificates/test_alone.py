"""The checker by itself: ``python -I -S`` has neither our other modules nor anybody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import deltachain_checker
import deltachain_checker_v1

from .test_two import LISTED, paths_of

CHECKER = Path(deltachain_checker_v1.__file__).parents[1]
TODAY = Path(deltachain_checker.__file__).parents[1]

JUDGE = """
import json, pathlib, sys
folder, root = sys.argv[1:]
sys.path.insert(0, folder)
from deltachain_checker_v1 import CertificateRejected, describe, read_file, verify
from deltachain_checker_v1.families import model_in

def fits(kind, name, entry):
    model = model_in(read_file(str(root / "models" / (entry["model"] + ".json"))))
    try:
        return [*map(describe, verify(model, read_file(str(root / kind / (name + ".json")))))] == entry["proves"]
    except CertificateRejected as reason:
        return kind != "accept" and entry["says"] in str(reason)

found = []
for root in (pathlib.Path(root), pathlib.Path(root) / "families"):
    for kind in ("accept", "reject", "malformed"):
        kept = json.loads((root / (kind + ".json")).read_text("utf-8"))
        wrong = [name for name, entry in kept.items() if not fits(kind, name, entry)]
        assert not wrong, wrong
        found.append(len(kept))
others = [name for name in sys.modules if name.split(".")[0] not in {*sys.stdlib_module_names, "deltachain_checker_v1"}]
assert others == ["__main__"] or not others, others
print(found)
"""


def test_every_kept_certificate_is_judged_alike_without_anything_installed() -> None:
    command = [sys.executable, "-I", "-S", "-c", JUDGE, str(CHECKER), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("[109, 424, 185, ")


JUDGE_TODAY = """
import json, pathlib, sys
folder, root = sys.argv[1:]
sys.path.insert(0, folder)
from deltachain_checker import CertificateRejected, ModelFile, describe, read_file, verify

root = pathlib.Path(root)

def fits(kind, name, entry):
    try:
        model = ModelFile(read_file(str(root / "models" / (entry["model"] + ".json"))))
        return [*map(describe, verify(model, read_file(str(root / kind / (name + ".json")))))] == entry["proves"]
    except CertificateRejected as reason:
        return kind != "accept" and entry["says"] in str(reason)

found = []
for kind in ("accept", "reject"):
    kept = json.loads((root / (kind + ".json")).read_text("utf-8"))
    wrong = [name for name, entry in kept.items() if not fits(kind, name, entry)]
    assert not wrong, wrong
    found.append(len(kept))
others = [name for name in sys.modules if name.split(".")[0] not in {*sys.stdlib_module_names, "deltachain_checker"}]
assert others == ["__main__"] or not others, others
print(found)
"""


def test_the_checker_of_today_judges_its_files_alike_without_anything_installed() -> None:
    command = [sys.executable, "-I", "-S", "-c", JUDGE_TODAY, str(TODAY), str(Path(__file__).parent / "two")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"[{len(LISTED['accept'])}, {len(LISTED['reject'])}]\n"


def command_alone(tmp_path: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """`python -S -m deltachain_checker`, of a copy that is nowhere near the sources, and of nothing else."""
    if not (tmp_path / "deltachain_checker").exists():
        shutil.copytree(TODAY / "deltachain_checker", tmp_path / "deltachain_checker")
    command = [sys.executable, "-S", "-X", "utf8", "-m", "deltachain_checker", *files]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("name", ["graph", "distances-sd", "visits-renyi", "ratio-limit", "field-base", "view-coarser"])
def test_the_command_runs_outside_the_source_tree(name: str, tmp_path: Path) -> None:
    done = command_alone(tmp_path, *paths_of("accept", name))
    assert (done.returncode, done.stderr) == (0, "")
    extensions = {"distances-sd": " (by the core, and distances)", "visits-renyi": " (by the core, and measures)"}
    said = [f"proved: {sentence}{extensions.get(name, '')}" for sentence in LISTED["accept"][name]["proves"]]
    assert done.stdout.splitlines() == said


@pytest.mark.parametrize("name", ["value-base-case-in-a-circle", "model-another", "file-no-json", "kl-upper"])
def test_the_command_rejects_outside_the_source_tree(name: str, tmp_path: Path) -> None:
    done = command_alone(tmp_path, *paths_of("reject", name))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("rejected: ")
    assert LISTED["reject"][name]["says"] in done.stderr


def test_the_command_says_how_it_is_called_and_who_checks_format_1(tmp_path: Path) -> None:
    done = command_alone(tmp_path)
    assert (done.returncode, done.stderr) == (2, "usage: python -m deltachain_checker MODEL.json CERT.json\n")
    root = Path(__file__).parent
    done = command_alone(tmp_path, str(root / "models" / "coin.json"), str(root / "accept" / "coin-delta.json"))
    assert done.returncode == 4
    assert "python -m deltachain_checker_v1" in done.stderr
