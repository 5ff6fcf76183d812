"""Privacy as a unit test: what passes, what fails, and what a failure shows."""

from __future__ import annotations

import inspect
import json
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.errors import InputError
from deltachain.testing import CheckSettings, NotProved, assert_private, assert_violated, shortest_first
from tests.words import refuses

PROGRAM = """
from deltachain import announce, flip, program

@program
def respond(truth, p="3/4"):
    announce(truth if flip(p) else 1 - truth)
"""
SECRETS = [{"truth": 0}, {"truth": 1}]


@pytest.fixture
def protocol(tmp_path: Path) -> str:
    (tmp_path / "protocol.py").write_text(PROGRAM, "utf-8")
    return f"{tmp_path / 'protocol.py'}:respond"


def counted(confidence: str = "0.9") -> dc.Chain:
    """Two coins, thrown often enough to tell them apart, and to be sure of e^ε = 2."""
    return dc.Chain.from_counts(
        {"s": {"h": 4000, "t": 6000}, "u": {"h": 6000, "t": 4000}},
        {"s": "start", "u": "start", "h": "heads", "t": "tails"},
        rows={"h": {"h": 1}, "t": {"t": 1}},
        relation=[("s", "u")],
        confidence=confidence,
        totals="fixed",
    )


@pytest.fixture
def limits(tmp_path: Path) -> Path:
    """Two coins, each known to show heads with probability 2/5 to 3/5."""
    coin = {"label": "start", "to": {"h": ["2/5", "3/5"], "t": ["2/5", "3/5"]}}
    ends = {"h": {"label": "heads", "to": {"h": 1}}, "t": {"label": "tails", "to": {"t": 1}}}
    model = {"format": "deltachain.chain/1", "states": {"s": coin, "u": coin} | ends, "relation": [["s", "u"]]}
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(model), "utf-8")
    return path


def test_programs_chains_and_files(protocol: str, tmp_path: Path) -> None:
    program = dc.program(PROGRAM)
    chain = program.chain(SECRETS)
    path = tmp_path / "chain.json"
    dc.save(chain, path)
    for model, more in ((program, {"secrets": SECRETS}), (protocol, {"secrets": SECRETS}), (chain, {}), (path, {})):
        settings: dict[str, Any] = more
        assert assert_private(model, exp_epsilon=3, delta=0, **settings).verdict == "private"
        assert assert_violated(model, exp_epsilon=2, delta="1/5", **settings).lower == Fraction(1, 4)
        with refuses(AssertionError, "VIOLATED: proved, checked"):
            assert_private(model, exp_epsilon=2, delta="1/5", **settings)
        with refuses(AssertionError, "PRIVATE: proved, checked"):
            assert_violated(model, exp_epsilon=3, delta=0, **settings)


def test_they_take_what_check_takes() -> None:
    taken = set(inspect.signature(dc.check).parameters) - {"progress", "interruptible", "cancel"}
    for assertion in (assert_private, assert_violated):
        own = set(inspect.signature(assertion).parameters) - {"confidence", "settings"}
        assert own | CheckSettings.__annotations__.keys() == taken
    chain = dc.examples.survey()
    assert assert_private(chain, "s0", "s1", epsilon="1.1", delta=0)
    assert assert_private(chain, pairs=iter([("s0", "s1")]), exp_epsilon=3, delta=0)
    assert assert_violated(chain, exp_epsilon=3, delta="1/100", repeat=2).repeat == 2
    assert assert_violated(chain, exp_epsilon=3, delta="1/100", compose=["example:survey"]).compose == (
        "example:survey",
    )
    with pytest.raises(InputError, match="nobody"):
        assert_private(chain, "s0", "nobody", exp_epsilon=3, delta=0)


def test_what_fails_shows_the_giveaway_shortest_words_first() -> None:
    chain = dc.examples.build("crowds")
    with pytest.raises(NotProved) as failed:
        assert_private(chain, exp_epsilon="11/10", delta="1/1000")
    found = failed.value.verdict
    assert found.witness is not None
    words = shortest_first(found.witness).words
    assert sorted(words, key=str) == sorted(found.witness.words, key=str)
    assert [len(word.word) for word in words] == sorted(len(word.word) for word in words)
    text = str(failed.value)
    places = [text.find(" ".join(word.word)) for word in words]
    assert -1 not in places
    assert places == sorted(places)
    assert "Outputs that tell" in text


def test_a_secret_that_is_seen_at_once_is_explained() -> None:
    chain = dc.Chain.from_dicts({"a": {"a": 1}, "b": {"b": 1}}, {"a": "red", "b": "blue"}, relation=[("a", "b")])
    with pytest.raises(AssertionError, match="red"):
        assert_private(chain, epsilon=1, delta="1/2")


def test_undecided_fails_both_with_what_to_raise() -> None:
    settings: dict[str, Any] = {"exp_epsilon": "9/8", "delta": "1/8", "max_nodes": 1}
    for assertion in (assert_private, assert_violated):
        with pytest.raises(AssertionError, match=r"UNDECIDED(.|\n)*raise `max_nodes`"):
            assertion("example:sticky-sensor", **settings)
    with pytest.raises(AssertionError, match="raise `timeout`"):
        assert_private("example:sticky-sensor", exp_epsilon="9/8", delta="1/8", timeout=0.000_001)


def test_violated_by_some_fails_both(limits: Path) -> None:
    for assertion in (assert_private, assert_violated):
        with refuses(NotProved, "least one chain") as failed:
            assertion(limits, exp_epsilon=1, delta="1/10")
        assert "counterexample" in str(failed.value)
        assert failed.value.verdict.counterexample is not None
    assert assert_private(limits, exp_epsilon=1, delta="3/10")


def test_a_model_from_counts_needs_its_confidence() -> None:
    chain = counted()
    settings: dict[str, Any] = {"exp_epsilon": 2, "delta": "1/100"}
    with refuses(AssertionError, "holds with confidence"):
        assert_private(chain, **settings)
    with refuses(AssertionError, "this test says"):
        assert_private(chain, confidence="0.95", **settings)
    assert assert_private(chain, confidence="0.9", **settings).confidence == Fraction(9, 10)
    assert assert_violated(chain, confidence="9/10", exp_epsilon=1, delta="1/1000").verdict == "violated"
    with refuses(InputError, "come from counts"):
        assert_private("example:survey", exp_epsilon=3, delta=0, confidence="0.9")


def test_it_is_an_assertion_to_any_runner() -> None:
    class Case(unittest.TestCase):
        def test_it(self) -> None:
            assert_private("example:survey", exp_epsilon=2, delta=0)

    result = unittest.TestResult()
    Case("test_it").run(result)
    assert len(result.failures) == 1
    assert not result.errors


def test_report_and_certificate_are_kept(protocol: str, tmp_path: Path) -> None:
    with pytest.raises(NotProved) as failed:
        assert_private(protocol, secrets=SECRETS, exp_epsilon=2, delta="1/5", pairs=iter([("truth=0", "truth=1")]))
    written = failed.value.save_report(tmp_path / "kept", "it")
    assert written == [str(tmp_path / "kept" / f"it.{ending}") for ending in ("txt", "certificate.json", "html")]
    assert (tmp_path / "kept" / "it.txt").read_text("utf-8").startswith("VIOLATED")
    assert "violated" in (tmp_path / "kept" / "it.html").read_text("utf-8").lower()
    assert json.loads((tmp_path / "kept" / "it.certificate.json").read_text("utf-8"))
    assert dc.verify(protocol, tmp_path / "kept" / "it.certificate.json", secrets=SECRETS)


def test_of_several_runs_the_message_is_kept(tmp_path: Path) -> None:
    with pytest.raises(NotProved) as failed:
        assert_private("example:survey", exp_epsilon=3, delta="1/100", repeat=2)
    first, second, third = failed.value.save_report(tmp_path, "runs")
    assert first.endswith("runs.txt")
    assert second.startswith("no certificate: ")
    assert third.startswith("no report: ")
