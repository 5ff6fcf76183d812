"""``deltachain verify``: what is proved, what is rejected, and files that are no certificates."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from deltachain_checker.document import read_text
from tests.certificates.two_checkers import needs_formal
from tests.cli.command import run, run_json
from tests.words import says

DINERS = "example:dining-cryptographers,n=2,p=49/100"
CLAIM = "delta of (s0, s1) = 7501/25000000 at exp_epsilon 5001/5000"


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("proofs") / "proof.json"
    done = run("delta", DINERS, "--exp-epsilon", "1.0002", "--certificate", str(path), "-q")
    assert (done.returncode, done.stderr) == (0, "")
    return path


def test_two_diners(proof: Path) -> None:
    done = run("verify", DINERS, str(proof))
    shown = "proved: delta of (s0, s1) = 7501/25000000 = 0.00030004 at e^ε = 1.0002\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, shown, "")
    assert run("verify", DINERS, str(proof), "-v").stdout == f"proved: {CLAIM}\n"
    found = run_json("verify", DINERS, str(proof))
    assert found["schema"] == "deltachain.verify/2"
    assert (found["accepted"], found["claims"]) == (True, [CLAIM])
    assert found["model"]["states"] == 19


@pytest.mark.parametrize("suffix", ["json", "drn", "tra"])
def test_the_same_model_in_any_format(suffix: str, tmp_path: Path) -> None:
    model, proof = tmp_path / f"model.{suffix}", tmp_path / "proof.json"
    assert run("convert", "example:coin", str(model)).returncode == 0
    names = ("0", "1") if suffix == "drn" else ("s0", "s1")  # this format numbers its states
    done = run("delta", str(model), "--pair", *names, "--epsilon", "0.1", "--certificate", str(proof))
    assert done.returncode == 0, done.stderr
    checked = run("verify", str(model), str(proof))
    assert checked.returncode == 0, checked.stderr
    assert says(checked.stdout, "delta of ")


def test_a_certificate_is_read_once(proof: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of hundreds of megabytes takes long to read, and what is checked is what the answer speaks of."""
    from deltachain.certificate import verification
    from deltachain.cli.command import main

    read: list[str] = []
    monkeypatch.setattr(verification, "read_text", lambda path: read.append(path) or read_text(path))
    domain = ["--neighbours", "a.x != b.x"]
    program = proof.with_name("coin.py")
    program.write_text(
        "from deltachain import announce, flip, program\n\n@program\ndef coin(x):\n    announce(flip('1/2') == x)\n"
    )
    secrets = ["--secret", "x=True", "--secret", "x=False", "--hide", "True"]
    path = proof.with_name("coin.json")
    assert main(["delta", f"{program}:coin", *secrets, "--epsilon", "1", "--certificate", str(path), "-q"]) == 0
    assert main(["verify", f"{program}:coin", str(path), *secrets, *domain, "-q"]) == 0
    assert read == [str(path)]


def test_another_model_is_rejected(proof: Path) -> None:
    done = run("verify", "example:coin", str(proof))
    assert (done.returncode, done.stdout) == (4, "")
    assert says(done.stderr, "certificate rejected: model")


def test_a_changed_number_is_rejected_with_claim_rule_and_sides(proof: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.json"
    text = proof.read_text("utf-8")
    assert '"upper": "7501/25000000"' in text
    changed.write_text(text.replace('"upper": "7501/25000000"', '"upper": "7500/25000000"'), "utf-8")
    done = run("verify", DINERS, str(changed))
    assert (done.returncode, done.stdout) == (4, "")
    assert says(done.stderr, "the upper bound")
    answer = run("verify", DINERS, str(changed), "--json")
    found = json.loads(answer.stdout)
    assert (answer.returncode, found["accepted"], found["claims"]) == (4, False, [])
    assert found["rejection"] == {
        "claim": "delta of (s0, s1)",
        "rule": "the upper bound",
        "left": "7501/25000000",
        "right": "3/10000",
    }


HOSTILE = {
    "empty": "",
    "not JSON": "{",
    "a list": "[]",
    "deep": "[" * 200_000,
    "repeated key": '{"format": "deltachain.certificate/1", "format": "deltachain.certificate/1"}',
    "another format": '{"format": "deltachain.certificate/9"}',
    "a model": '{"format": "deltachain.chain/1", "states": {}}',
    "not UTF-8": b"\xff\xfe{}",
    "a giant number": '{"format": ' + "9" * 1_000_000 + "}",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_rejected(content: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / "hostile.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = run("verify", DINERS, str(path))
    assert (done.returncode, done.stdout) == (4, "")
    assert says(done.stderr, "deltachain: error: certificate")
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 1000


def test_a_certificate_with_hostile_numbers_is_rejected(proof: Path, tmp_path: Path) -> None:
    for number in ('"1e99999"', '"1/0"', "true", "[[]]", '"' + "9" * 60_000 + '"'):
        path = tmp_path / "hostile.json"
        path.write_text(proof.read_text("utf-8").replace('"7501/25000000"', number), "utf-8")
        done = run("verify", DINERS, str(path))
        assert (done.returncode, done.stdout) == (4, ""), number[:20]
        assert "certificate rejected" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="POSIX devices and named pipes")
def test_what_is_no_file_is_bad_input(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path, text in ((tmp_path, "directory"), (fifo, "not a file"), ("/dev/zero", "not a file"), ("gone", "no such")):
        done = run("verify", DINERS, str(path))
        assert (done.returncode, done.stdout) == (2, "")
        assert text in done.stderr


def test_usage() -> None:
    assert run("verify", DINERS).returncode == 2
    assert run("verify", "example:nothing", __file__).returncode == 2


@needs_formal
def test_the_proved_checker_says_that_it_spoke(proof: Path) -> None:
    done = run("verify", DINERS, str(proof), "--formal", "-v")
    assert (done.returncode, done.stdout) == (0, f"proved, says the checker extracted from Coq: {CLAIM}\n")
    assert run_json("verify", DINERS, str(proof), "--formal")["checker"] == "formal"


@needs_formal
def test_the_proved_checker_rejects(proof: Path, tmp_path: Path) -> None:
    document = json.loads(proof.read_text())
    document["proves"][0]["upper"] = "7500/25000000"
    bent = tmp_path / "bent.json"
    bent.write_text(json.dumps(document))
    done = run("verify", DINERS, str(bent), "--formal")
    assert (done.returncode, done.stdout) == (4, "")
    assert "certificate: the proved checker does not accept it" in done.stderr


def test_a_proved_checker_that_is_not_built_is_named(proof: Path) -> None:
    done = run("verify", DINERS, str(proof), "--formal", environment={"DELTACHAIN_FORMAL": "/no/such/program"})
    assert done.returncode == 2
    assert "make formal" in done.stderr
    assert "libzarith-ocaml-dev" in done.stderr
