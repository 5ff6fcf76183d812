"""What a chain assumes stands in every answer about it: headline, text, HTML, JSON, reports, sweeps, assertions."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.beliefs.question import Terms
from deltachain.cancel import Cancel
from deltachain.formats import save
from deltachain.measures.calibrate.verb import Examined, calibration_of
from deltachain.results.sections import Rendered
from deltachain.testing import NotProved, assert_private
from tests.cli.command import run
from tests.words import says

SENTENCES = (
    "Each of 4 runs did the same as the first call of a fresh copy.",
    "That nothing else matters <is> assumed.",
)
CLAUSE = "code: 4 of 4 runs confirmed"
HEADING = "Assumed of the code that was run:"


def observed(p: str = "3/4") -> dc.Chain:
    """A survey as running it gives it."""
    return replace(dc.load(f"example:survey,p={p}"), assumes=SENTENCES, confirmation=CLAUSE)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("assumed") / "observed.json"
    save(observed(), path)
    return str(path)


RESULTS: dict[str, Callable[[dc.Chain], Rendered]] = {
    "check, private": lambda chain: dc.check(chain, exp_epsilon=3, delta=0),
    "check, violated": lambda chain: dc.check(chain, epsilon=0, delta=0),
    "check, undecided": lambda chain: dc.check(dc.load(chain), exp_epsilon=2, delta="1/4", max_nodes=1),
    "delta": lambda chain: dc.delta(chain, epsilon=0),
    "epsilon": lambda chain: dc.epsilon(chain, delta=0),
    "distance": lambda chain: dc.distance(chain, epsilon=0),
    "profile": lambda chain: dc.profile(chain, epsilons=[0, 1]),
    "renyi": lambda chain: dc.profile(chain, epsilons=[0, 1]).renyi(2),
    "tradeoff": lambda chain: dc.profile(chain, epsilons=[0, 1]).tradeoff()[0],
    "estimate": lambda chain: dc.estimate(chain, epsilon=0, samples=100, seed=1),
    "guess": dc.guess,
    "trace": lambda chain: dc.trace(chain, ["s0"], ["start", "yes"]),
    "report": lambda chain: dc.report(chain, epsilon=0),
    "composed": lambda _: dc.delta(dc.examples.survey(), epsilon=0, compose=[observed()]),
    "repeated": lambda chain: dc.check(chain, epsilon=0, delta=0, repeat=2),
}


@pytest.mark.parametrize("way", RESULTS)
def test_results_say_what_they_assume(way: str) -> None:
    found = RESULTS[way](observed())
    assert found.assumes == SENTENCES
    assert found.headline.count(f"({CLAUSE})") == 1
    html = found._repr_html_()
    assert HEADING in html
    assert says(html, "matters &lt;is&gt; assumed")
    assert pickle.loads(pickle.dumps(found)).assumes == SENTENCES  # noqa: S301 - our own


@pytest.mark.parametrize("way", [way for way in RESULTS if way != "composed"])
def test_results_about_models_assume_nothing(way: str) -> None:
    found = RESULTS[way](dc.examples.survey())
    assert found.assumes == ()
    assert "code:" not in found.headline
    assert HEADING not in found._repr_html_()
    assert "assumes" not in found.to_dict()


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"exp_epsilon": 3, "delta": 0}, "PRIVATE"),
        ({"epsilon": 0, "delta": 0}, "VIOLATED"),
    ],
)
def test_the_clause_stands_beside_the_verdict(settings: dict[str, Any], word: str) -> None:
    assert dc.check(observed(), **settings).headline.startswith(f"{word} ({CLAUSE}): proved, checked, ")


COMMANDS = {
    "delta": ["--epsilon", "0"],
    "check": ["--epsilon", "0", "--delta", "1"],
    "epsilon": ["--delta", "0"],
    "distance": ["--epsilon", "0"],
    "profile": ["--epsilons", "0:1:0.5", "--orders", "2"],
    "estimate": ["--epsilon", "0", "--samples", "100"],
    "guess": [],
    "trace": ["--word", "start yes"],
    "info": [],
    "report": ["--epsilon", "0", "--out", "report.html"],
    "sweep": ["--epsilons", "0,1", "--jobs", "1"],
    "run": ["--start", "s0", "--count", "1"],
    "convert": ["again.json", "--force"],
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_document_lists_what_is_assumed(verb: str, model: str, tmp_path: Path) -> None:
    arguments = COMMANDS[verb]
    done = run(verb, model, *arguments, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["assumes"] == list(SENTENCES), done.stderr
    done = run(verb, "example:survey", *arguments, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["assumes"] == []


@pytest.mark.parametrize("verb", [verb for verb in COMMANDS if verb not in ("run", "convert")])
def test_every_text_says_what_is_assumed(verb: str, model: str, tmp_path: Path) -> None:
    done = run(verb, model, *COMMANDS[verb], cwd=tmp_path)
    assert f"{HEADING}\n- {SENTENCES[0]}\n- {SENTENCES[1]}" in done.stdout
    assert HEADING not in run(verb, "example:survey", *COMMANDS[verb], cwd=tmp_path).stdout


def test_a_certificate_about_code_is_verified_with_what_is_assumed(model: str, tmp_path: Path) -> None:
    run("delta", model, "--epsilon", "0", "--certificate", "proof.json", cwd=tmp_path)
    done = run("verify", model, "proof.json", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["assumes"] == list(SENTENCES)
    assert HEADING in run("verify", model, "proof.json", cwd=tmp_path).stdout


def test_a_format_that_does_not_keep_it_is_told(model: str, tmp_path: Path) -> None:
    kept = run("convert", model, "again.json", cwd=tmp_path)
    assert "assumes" not in kept.stderr
    assert dc.load(tmp_path / "again.json").confirmation == CLAUSE
    lost = run("convert", model, "again.drn", cwd=tmp_path)
    assert says(lost.stderr, "what answers about")


def test_a_report_says_it_beside_the_verdict() -> None:
    page = dc.report(observed(), epsilon=0, delta=0).html
    verdict = page[page.index('<section id="verdict"') :].partition("</section>")[0]
    assert says(verdict, "Not private")
    assert f"<li>{SENTENCES[0]}</li>" in verdict
    assert "&lt;is&gt;" in verdict
    assert 'id="assumes"' not in dc.report(dc.examples.survey(), epsilon=0, delta=0).html


def test_assertions_say_it() -> None:
    with pytest.raises(NotProved) as failed:
        assert_private(observed(), epsilon=0, delta=0)
    assert str(failed.value).startswith(f"VIOLATED ({CLAUSE}): ")
    assert f"{HEADING}\n- {SENTENCES[0]}" in str(failed.value)
    assert assert_private(observed(), epsilon=5, delta=1).assumes == SENTENCES


@pytest.mark.parametrize(("delta", "begins"), [("1/20", "p = 0.76 "), (1, "p = 0.99 "), (0, "VIOLATED at both ends")])
def test_calibrations_say_it(delta: Any, begins: str) -> None:
    def examine(value: Fraction) -> Examined:
        return Examined(dc.check(observed(str(value)), exp_epsilon=3, delta=delta))

    terms = Terms.read(exp_epsilon=3, allowed=delta)
    values = [Fraction(k, 100) for k in range(76, 100)]
    found = calibration_of(terms, "p", values, None if delta == 0 else "largest", False, examine, Cancel())
    assert found.headline.startswith(begins)
    assert found.headline.count(CLAUSE) == 1
    assert found.assumes == SENTENCES
    assert found.to_dict()["assumes"] == list(SENTENCES)


def test_sweeps_say_it_in_every_row() -> None:
    found = dc.sweep(observed, parameters={"p": ["3/5", "3/4"]}, epsilons=[0], verb="delta")
    assert [row.result["assumes"] for row in found.rows if row.result] == [list(SENTENCES)] * 2
    assert found.assumes == SENTENCES
    assert found.document()["assumes"] == list(SENTENCES)
