"""The pytest plugin, as a project of somebody else has it: in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import deltachain as dc
from tests.words import says

TESTS = """
import sys

import pytest

import deltachain as dc
from deltachain.testing import assert_private, assert_violated


@dc.program
def respond(truth, p="3/4"):
    announce(truth if flip(p) else not truth)


SECRETS = [{"truth": True}, {"truth": False}]


def test_passes():
    assert_private(respond, secrets=SECRETS, exp_epsilon=3, delta=0)


@pytest.mark.parametrize("alpha", ["2", "5/2"])
def test_fails(alpha):
    assert_private(respond, secrets=SECRETS, exp_epsilon=alpha, delta=0)


def test_is_expected_to_fail():
    with pytest.raises(AssertionError):
        assert_private(respond, secrets=SECRETS, exp_epsilon=2, delta=0)


@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_is_known_to_fail():
    assert_private(respond, secrets=SECRETS, exp_epsilon=2, delta=0)


def test_has_nothing_to_do_with_privacy():
    assert 1 == 2
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "deltachain.pytest_plugin", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    text = TESTS.replace(
        "import deltachain as dc\n", "import deltachain as dc\nfrom deltachain import announce, flip\n"
    )
    (tmp_path / "test_survey.py").write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "workers", [(), pytest.param(("-p", "xdist", "-n", "2"), marks=pytest.mark.slow)], ids=["alone", "xdist"]
)
def test_report_and_certificate_of_what_failed(project: Path, workers: tuple[str, ...]) -> None:
    done = run(project, "--deltachain-report", "kept", *workers)
    assert "3 failed, 2 passed, 1 xfailed" in done.stdout, done.stdout + done.stderr
    names = sorted(path.name for path in (project / "kept").iterdir())
    assert len(names) == 6
    stems = sorted({name.partition("-")[2].partition(".")[0] for name in names if name.endswith(".html")})
    assert len(stems) == 2
    for name in names:
        assert f"{project / 'kept' / name}" in done.stdout
    for certificate in (project / "kept").glob("*.certificate.json"):
        chain = dc.program("def respond(truth, p='3/4'): announce(truth if flip(p) else not truth)").chain(
            [{"truth": True}, {"truth": False}]
        )
        assert dc.verify(chain, certificate)


@pytest.mark.slow
def test_without_the_option_nothing_is_written(project: Path) -> None:
    done = run(project)
    assert "3 failed, 2 passed, 1 xfailed" in done.stdout
    assert {path.name for path in project.iterdir()} <= {"test_survey.py", "__pycache__"}
    assert "Outputs that tell" in done.stdout
    assert "testing.py:" not in done.stdout, "a traceback ends in the test"


def test_a_folder_that_cannot_be_made_does_not_hide_the_failure(project: Path) -> None:
    (project / "kept").write_text("a file")
    done = run(project, "--deltachain-report", "kept")
    assert says(done.stdout, "passed, 1 xfailed")
    assert says(done.stdout, "not be written")


def test_it_imports_nothing_of_ours_until_an_assertion_runs(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    ours = {name for name in sys.modules if name.split('.')[0] == 'deltachain'}\n"
        "    light = ('lazy', 'registry', 'version', 'pytest_plugin')\n"
        "    assert ours == {'deltachain', *(f'deltachain.{name}' for name in light)}\n"
        "    assert not {'numpy', 'flint'} & set(sys.modules)\n"
    )
    done = run(tmp_path, "--deltachain-report", "kept")
    assert "1 passed" in done.stdout, done.stdout
    assert not (tmp_path / "kept").exists()


def test_pytest_finds_it_by_its_entry_point() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"deltachain.pytest_plugin": "deltachain.pytest_plugin"}
