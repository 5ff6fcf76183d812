"""`python -m deltachain_checker_v1 MODEL CERT`, as a command of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import deltachain as dc
from tests.words import says

from .fixtures import KEPT, certificate_path, model_path


def run(*arguments: str, checker: str = "deltachain_checker_v1") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", "-m", checker, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)


def test_accepts_and_says_what_is_proved() -> None:
    done = run(str(model_path("accept", "coin-bd")), str(certificate_path("accept", "coin-bd")))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"proved: {sentence}" for sentence in KEPT["accept"]["coin-bd"]["proves"]]


@pytest.mark.parametrize(
    ("name", "confidence", "premise"),
    [
        ("coin-bd", "0.99", " at confidence 99/100, given the counts"),
        ("box-tree", None, ", for every chain within the limits given"),
        ("box-tree", "19/20", " at confidence 19/20, given the counts, for every chain within the limits given"),
    ],
)
def test_says_what_the_proof_rests_on(name: str, confidence: str | None, premise: str, tmp_path: Path) -> None:
    model = json.loads(model_path("accept", name).read_text("utf-8"))
    (tmp_path / "model.json").write_text(
        json.dumps(model if confidence is None else model | {"confidence": confidence})
    )
    done = run(str(tmp_path / "model.json"), str(certificate_path("accept", name)))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"proved{premise}: {claim}" for claim in KEPT["accept"][name]["proves"]]


@pytest.mark.parametrize("confidence", ["1", "0", "-1/2", "2", [], "many", None, "1e99999"])
def test_a_confidence_that_is_none_is_rejected(confidence: object, tmp_path: Path) -> None:
    model = json.loads(model_path("accept", "coin-bd").read_text("utf-8"))
    (tmp_path / "model.json").write_text(json.dumps(model | {"confidence": confidence}))
    done = run(str(tmp_path / "model.json"), str(certificate_path("accept", "coin-bd")))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("rejected: ")
    assert "Traceback" not in done.stderr


def test_a_model_of_counts_keeps_its_confidence(tmp_path: Path) -> None:
    """From counts by ``convert`` to the checker alone, which reads no counts itself."""
    counts = {"s": {"a": 40, "b": 60}, "t": {"a": 55, "b": 45}}
    chain = dc.Chain.from_counts(
        counts, {"s": "start", "t": "start", "a": "a", "b": "b"}, confidence="0.95", rows={"a": {"a": 1}, "b": {"b": 1}}
    )
    dc.save(chain, tmp_path / "model.json")
    dc.delta(chain, "s", "t", epsilon=1).certificate.save(tmp_path / "proof.json")
    done = run(str(tmp_path / "model.json"), str(tmp_path / "proof.json"), checker="deltachain_checker")
    assert (done.returncode, done.stderr) == (0, "")
    assert says(done.stdout, "proved at confidence")


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
    assert done.stderr == "usage: python -m deltachain_checker_v1 MODEL.json CERT.json\n"


def test_the_checker_runs_without_any_solver() -> None:
    """Standard library only: with every third-party package made unimportable, a certificate is still checked."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'flint', 'scipy', 'z3', 'networkx', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        "from deltachain_checker_v1.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    paths = [str(path("accept", "twins-delta")) for path in (model_path, certificate_path)]
    command = [sys.executable, "-X", "utf8", "-c", code, *paths]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
