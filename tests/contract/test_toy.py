"""One slice and one line make a measure: `toy` gets everything else from the trunk."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import deltachain as dc
from deltachain import registry
from deltachain.cli.command import main
from deltachain.errors import InputError, RejectedAnswer
from tests.contract import toy

MODEL = "example:dining-cryptographers,n=3,p=49/100"


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SATELLITES", (*registry.SATELLITES, toy.__name__))


def test_it_is_short() -> None:
    lines = [line for line in Path(toy.__file__).read_text("utf-8").splitlines() if line.strip()]
    assert len(lines) < 60


@pytest.mark.parametrize("model", [MODEL, "example:survey", "example:crowds"])
def test_its_function_agrees_with_the_best_guess_of_two(model: str) -> None:
    chain = dc.load(model)
    found = toy.MEASURE(chain)
    for row in found.results:
        assert (row.lower, row.upper) == (dc.guess(chain, row.pair).lower, dc.guess(chain, row.pair).upper)
    assert found.upper == max(row.upper for row in found.results)
    assert found.checked.accepted is True
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301
    assert dc.verify(chain, found.certificate)


def test_it_takes_no_epsilon() -> None:
    with pytest.raises(InputError, match="naming"):
        toy.MEASURE(dc.load(MODEL), epsilon=1)


def test_its_command_prints_writes_and_exits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = tmp_path / "proof.json"
    assert main(["naming", "example:survey", "--certificate", str(proof)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0] == toy.MEASURE("example:survey").headline
    assert main(["verify", "example:survey", str(proof)]) == 0
    assert main(["naming", "example:survey", "--epsilon", "1"]) == 2
    capsys.readouterr()


def test_its_json_has_the_keys_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["naming", MODEL, "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["schema"] == "deltachain.naming/2"
    assert body["checked"] is True
    found = toy.MEASURE(MODEL)
    assert [Fraction(row["upper"]["exact"]) for row in body["results"]] == [row.upper for row in found.results]
    assert Fraction(body["upper"]["exact"]) == found.upper
    assert {"version", "model", "assumes", "covers", "seconds"} <= set(body)


def test_the_help_lists_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert toy.PROVIDES["measures"]["naming"][0] in " ".join(capsys.readouterr().out.split())
    assert main(["naming", "--help"]) == 0
    assert toy.MEASURE.examples in capsys.readouterr().out


def test_the_report_has_its_line() -> None:
    chain = dc.load("example:survey")
    assert toy.MEASURE(chain).headline.split(";")[0] in dc.report(chain, epsilon=1).html


def test_what_the_checker_does_not_prove_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finder that claims less than its certificate proves: nothing is printed."""

    class Smaller:
        def __init__(self, answer: object) -> None:
            self._answer = answer

        def __getattr__(self, name: str) -> object:
            return getattr(self._answer, name)

        @property
        def claims(self) -> list[object]:
            return [
                replace(claim, upper=claim.upper / 2, lower=Fraction(0), value=None)
                for claim in self._answer.claims  # type: ignore[attr-defined]
            ]

    search = toy.MEASURE.find
    wrong = replace(toy.MEASURE, find=lambda *given: Smaller(search(*given)))  # type: ignore[arg-type,return-value]
    monkeypatch.setattr("deltachain.certificate.inspection.tempfile.mkdtemp", lambda **_: "/nowhere")
    with pytest.raises(RejectedAnswer):
        wrong("example:survey")
    assert wrong("example:survey", check=False).checked.accepted is False
