"""The script that runs the Dockerfile's steps runs all of them, in order, and refuses what it does not know."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import ROOT

DOCKERFILE = """\
# A comment.
FROM python:3.12-slim
RUN apt-get update \\
    # in between
    && apt-get install --yes make
WORKDIR /home/reviewer
COPY --chown=reviewer:reviewer . .
USER reviewer
RUN cat kept/one > two && \\
    echo run >> two
CMD ["sh", "-c", "echo cmd >> two"]
"""


@pytest.fixture(scope="module")
def container() -> ModuleType:
    spec = importlib.util.spec_from_file_location("container_steps", ROOT / ".ci" / "container_steps.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project with a Dockerfile, one file that is ignored, and one that git does not track."""
    folder = tmp_path / "project"
    for name, text in {
        "Dockerfile": DOCKERFILE,
        ".dockerignore": "# caches\n**/*.so\nbuild\n",
        "kept/one": "one\n",
        "kept/deep/x.so": "",
        "build/made": "",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "untracked").write_text("", "utf-8")
    return folder


@pytest.mark.parametrize(("with_cmd", "wanted"), [(False, "one\nrun\n"), (True, "one\nrun\ncmd\n")])
def test_the_steps_are_run_in_order(
    container: ModuleType, project: Path, tmp_path: Path, with_cmd: bool, wanted: str
) -> None:
    target = tmp_path / "clean"
    target.mkdir()
    container.run_steps(project, target, with_cmd)
    assert (target / "two").read_text() == wanted
    copied = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert copied == {"Dockerfile", ".dockerignore", "kept/one", "two"}


def test_a_step_that_fails_is_an_error(container: ModuleType, project: Path, tmp_path: Path) -> None:
    (project / "Dockerfile").write_text(DOCKERFILE.replace("cat kept/one", "cat nothing"), "utf-8")
    (tmp_path / "clean").mkdir()
    with pytest.raises(subprocess.CalledProcessError):
        container.run_steps(project, tmp_path / "clean", False)


@pytest.mark.parametrize(
    "step",
    [
        "ENV A=1",
        "ENTRYPOINT make",
        "COPY src dst",
        "COPY --from=other . .",
        "RUN --mount=type=cache make demo",
        'RUN ["make", "demo"]',
        "RUN apt-get update && make demo",
        "WORKDIR /elsewhere",
        "RUN make demo \\",
    ],
)
def test_what_is_not_known_is_refused_before_anything_is_run(
    container: ModuleType, project: Path, tmp_path: Path, step: str
) -> None:
    (project / "Dockerfile").write_text(f"{DOCKERFILE}{step}\n", "utf-8")
    target = tmp_path / "clean"
    target.mkdir()
    with pytest.raises(container.UnknownStep, match="Dockerfile"):
        container.run_steps(project, target, True)
    assert list(target.iterdir()) == []


def test_patterns_are_those_of_docker(container: ModuleType) -> None:
    paths = ["a.so", "x/a.so", "x/y/b.so", "build/x", "x/build/y", "site", "sites", "x/__pycache__/m.pyc", "k/keep.so"]
    assert container.kept(paths, "**/*.so\nbuild\nsite/\n**/__pycache__\n!k/keep.so\n") == [
        "x/build/y",
        "sites",
        "k/keep.so",
    ]
    assert container.kept(["a.py", "x/a.py"], "*.py") == ["x/a.py"]


def test_the_real_dockerfile_is_understood(container: ModuleType) -> None:
    steps = container.plan(container.read_steps((ROOT / "Dockerfile").read_text("utf-8")))
    run = [command for step, command in steps if step.word == "RUN" and command]
    assert run == [["sh", "-c", "make demo && make .venv/dev"]]
