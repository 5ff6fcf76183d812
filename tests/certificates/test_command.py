"""`python -m deltachain.checker MODEL CERT`, as a command of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .fixtures import KEPT, certificate_path, model_path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-m", "deltachain.checker", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)


def test_accepts_and_says_what_is_proved() -> None:
    done = run(str(model_path("accept", "coin-bd")), str(certificate_path("accept", "coin-bd")))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"proved: {sentence}" for sentence in KEPT["accept"]["coin-bd"]["proves"]]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("reject", "lower-circle-without-a-gap"), ("reject", "another-model"), ("malformed", "number-arabic-digit")],
)
def test_rejects_with_the_reason_on_stderr(kind: str, name: str) -> None:
    done = run(str(model_path(kind, name)), str(certificate_path(kind, name)))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("rejected: ")
    assert KEPT[kind][name]["says"] in done.stderr
    assert "Traceback" not in done.stderr


def test_needs_two_files() -> None:
    done = run(str(model_path("accept", "coin-bd")))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: python -m deltachain.checker MODEL.json CERT.json\n"


def test_the_checker_runs_without_any_solver() -> None:
    """Standard library only: with every third-party package made unimportable, a certificate is still checked."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'flint', 'scipy', 'z3', 'networkx', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        "from deltachain.checker.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    paths = [str(path("accept", "twins-delta")) for path in (model_path, certificate_path)]
    command = [sys.executable, "-X", "utf8", "-c", code, *paths]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
