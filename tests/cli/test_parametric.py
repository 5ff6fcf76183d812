"""``parametric``: every value of a parameter, its certificate, its curve, and the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import run
from tests.words import says

COIN = """from deltachain import announce, flip, program


@program
def coin(truth, p):
    announce(truth if flip(p) else not truth)


@program
def flow(truth, p):
    if p > 1/2:
        announce(truth)
"""
SECRETS = ("--secret", "truth=True", "--secret", "truth=False")


@pytest.fixture
def coin(tmp_path: Path) -> str:
    path = tmp_path / "coin.py"
    path.write_text(COIN)
    return f"{path}:coin"


def test_a_certificate_is_written_and_verified(coin: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.json"
    asked = ("--parameter", "p=1/2:1", "--exp-epsilon", "3", "--delta", "0")
    done = run("parametric", coin, *SECRETS, *asked, "--certificate", str(proof), "--brief")
    assert done.returncode == 1
    assert says(done.stdout, "VIOLATED exactly for")
    assert says(done.stderr, "truth=True --secret truth=False")
    verified = run("verify", coin, str(proof), *SECRETS)
    assert verified.returncode == 0
    assert says(verified.stdout.splitlines())
    body = json.loads(run("verify", coin, str(proof), *SECRETS, "--json").stdout)
    assert body["accepted"] is True
    private = run("parametric", coin, *SECRETS, *asked[:-1], "1", "--json")
    assert private.returncode == 0
    assert json.loads(private.stdout)["checked"] is True
    document = json.loads(proof.read_text())
    document["proves"][1] = document["proves"][1] | {"after": "2/3"}
    proof.write_text(json.dumps(document))
    assert run("verify", coin, str(proof), *SECRETS).returncode == 4


def test_a_refutation_of_one_pair_is_not_said_to_claim_the_domain(coin: str, tmp_path: Path) -> None:
    proof, domain = str(tmp_path / "proof.json"), ("--secrets", "truth=(True, False), p2=(0, 1)")
    model = coin.replace(":coin", ":coins")
    Path(coin.rpartition(":")[0]).write_text(
        f"{COIN}\n\n@program\ndef coins(truth, p2, p):\n    announce((p2, flip(p)))\n"
    )
    asked = ("--parameter", "p=1/2:1", "--exp-epsilon", "3", "--delta", "0")
    assert run("parametric", model, *domain, *asked, "--certificate", proof).returncode == 1
    verified = run("verify", model, proof, *domain)
    assert verified.returncode == 0
    assert says(verified.stdout.splitlines()[-1])
    body = json.loads(run("verify", model, proof, *domain, "--json").stdout)
    assert (body["accepted"], body["domain"]) == (True, {"pairs": 4, "compared": False})


def test_the_checker_alone_reads_a_program_with_its_constant_open(coin: str, tmp_path: Path) -> None:
    proof, model = tmp_path / "proof.json", tmp_path / "model.json"
    asked = ("--parameter", "p=1/2:1", "--exp-epsilon", "3")
    assert run("parametric", coin, *SECRETS, *asked, "--certificate", str(proof)).returncode == 0
    assert run("convert", coin, str(model), "--parameter", "p=0:1", *SECRETS).returncode == 0
    assert json.loads(model.read_text())["parameter"] == {"p": ["0", "1"]}
    alone = subprocess.run(
        [sys.executable, "-m", "deltachain_checker", str(model), str(proof)], capture_output=True, check=False
    )
    assert alone.returncode == 0
    assert says(alone.stdout.decode(), "for every p")
    again = run("parametric", str(model), *asked, "--brief")
    assert says(again.stdout, "pieces")
    refused = run("convert", coin, str(tmp_path / "model.drn"), "--parameter", "p=0:1", *SECRETS, "--quotient")
    assert refused.returncode == 2
    assert says(refused.stderr, "used with --parameter")
    assert says(refused.stderr, "only native JSON")


def test_the_answer_says_that_it_was_not_checked(coin: str) -> None:
    asked = ("--parameter", "p=1/2:3/4", "--exp-epsilon", "3", "--delta", "0", "--no-check", "--brief")
    done = run("parametric", coin, *SECRETS, *asked)
    assert done.returncode == 0
    assert says(done.stdout, "certified (as asked")


def test_a_curve_is_drawn(coin: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curve.svg"
    asked = ("--parameter", "p=1/2:1", "--exp-epsilon", "3", "--delta", "1/10", "--plot", str(picture))
    assert run("parametric", coin, *SECRETS, *asked).returncode == 1
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("program", "asked", "said"),
    [
        ("coin", ("p=1:0", "3"), "'p=1:0' is empty"),
        ("coin", ("p=0:0", "3"), "'p=0:0' is empty"),
        ("coin", ("q=0:1", "3"), "there is no parameter 'q'"),
        ("coin", ("p=0:1", "foo(p)"), "'foo(p)': it cannot be read"),
        ("coin", ("p=0:1", "p"), "it is not at least 1 for every p"),
        ("coin", ("p=0:1", "3", "--at", "2"), "2 is not inside the interval"),
        ("flow", ("p=0:1", "3"), "coin.py:11:8: control flow depends on the parameter p"),
    ],
)
def test_refusals(coin: str, program: str, asked: tuple[str, ...], said: str) -> None:
    parameter, formula, *more = asked
    done = run(
        *("parametric", coin.replace(":coin", f":{program}"), *SECRETS),
        *("--parameter", parameter, "--exp-epsilon", formula, *more),
    )
    assert done.returncode == 2
    assert said in done.stderr
