"""The archives that are published: everything is in them, and a wheel in an empty environment runs the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUG = (ROOT / "examples" / "bugs" / "opendp_2922.py", "laplace_threshold")
pytestmark = pytest.mark.slow


def run(*command: object, where: Path, code: int = 0) -> str:
    """What the command prints; its errors are shown where it does not return the code."""
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=where, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr[-5000:]
    return done.stdout


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The files of the project, but for those that only a clone needs."""
    listed = run("git", "ls-files", where=ROOT).splitlines()
    return [path for path in listed if not any(part.startswith(".") for part in Path(path).parts)]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory, tracked: list[str]) -> Iterator[Path]:
    """The source archive of a copy of the project, and the wheel that is built from it."""
    copy, built = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("built")
    for path in tracked:
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes((ROOT / path).read_bytes())
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", built, copy, where=copy)
    return built


def test_the_source_archive_holds_the_project(archives: Path, tracked: list[str]) -> None:
    (archive,) = archives.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        held = {name.partition("/")[2] for name in opened.getnames()}
    assert set(tracked) <= held
    assert not [name for name in held if name.endswith((".so", ".pyd", "_compiled.c", ".pyc"))]


def test_the_wheel_holds_every_file_of_the_package_and_the_machine_code(archives: Path, tracked: list[str]) -> None:
    (wheel,) = archives.glob("*.whl")
    assert "-abi3-" in wheel.name, "one wheel for every Python from 3.11 on"
    with zipfile.ZipFile(wheel) as opened:
        held = set(opened.namelist())
    assert {path.removeprefix("src/") for path in tracked if path.startswith("src/")} <= held
    assert {path.removeprefix("packages/checker-v1/") for path in tracked if "/deltachain_checker_v1/" in path} <= held
    assert [name for name in held if name.startswith("deltachain/kernels/_compiled.abi3.")]
    assert [name for name in held if name.startswith("deltachain_checker/_sums.abi3.")]
    assert not [name for name in held if name.endswith("_compiled.c")]


def test_the_checker_alone_is_a_distribution_of_its_own(archives: Path, tracked: list[str], tmp_path: Path) -> None:
    folder = "packages/checker-v1/"
    for path in (path for path in tracked if path.startswith(folder)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    built = tmp_path / "built"
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", built, tmp_path / folder, where=tmp_path
    )
    (wheel,) = built.glob("deltachain_checker_v1-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as opened:
        held, (about,) = set(opened.namelist()), [n for n in opened.namelist() if n.endswith("/METADATA")]
        assert b"Requires-Dist" not in opened.read(about)
    sources = {path.removeprefix(folder) for path in tracked if path.startswith(folder) and path.endswith(".py")}
    assert sources <= held
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_wheel_runs_the_demo_in_an_empty_environment(archives: Path, tmp_path: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "python", "-m", "pip", "install", "--quiet", wheel, where=tmp_path)
    command, model = programs / "deltachain", f"{BUG[0]}:{BUG[1]}"
    secrets = ("--secret", "count=0", "--secret", "count=1")
    asked = (model, *secrets, "--epsilon", "1", "--delta", "0.004926", "--certificate", "proof.json")
    assert run(command, "check", *asked, where=tmp_path, code=1).startswith("VIOLATED: proved, checked, δ ≥ 0.0133898")
    assert run(command, "verify", model, "proof.json", *secrets, where=tmp_path).startswith("proved: ")
    compiled = "from deltachain import kernels; print(kernels.COMPILED)"
    assert run(programs / "python", "-c", compiled, where=tmp_path) == "True\n"
    packages = next((tmp_path / "empty").glob("**/site-packages"))
    pip = ("pip", "pip-", "setuptools", "distutils", "_distutils")
    files = [p for p in packages.rglob("*") if p.is_file() and not p.relative_to(packages).parts[0].startswith(pip)]
    assert sum(path.stat().st_size for path in files) < 120 * 2**20
