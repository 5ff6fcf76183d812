"""Of what an answer is: its runs, its limits and its confidence, in words and in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import deltachain as dc
from deltachain.measures.divergences.show import tradeoffs_csv
from deltachain.model import Loaded
from deltachain.results.scope import ALONE, ONLY_THESE, Covered, Scope
from deltachain.results.sections import Fields
from tests.cli.command import run
from tests.words import says

F = Fraction
FLAT = dc.examples.survey()


def counted(confidence: str) -> dc.Chain:
    """A chain whose first row is known from counts."""
    labels = {"s": "start", "a": "a", "b": "b"}
    ends = {"a": {"a": 1}, "b": {"b": 1}}
    return dc.Chain.from_counts({"s": {"a": 30, "b": 70}}, labels, confidence=confidence, rows=ends)


def test_one_run_of_an_exact_chain_needs_no_words() -> None:
    scope = Scope.of(FLAT)
    assert scope == ALONE
    assert (scope.runs, scope.everywhere, scope.trust) == ("", "", "")
    assert not {"repeat", "compose", "confidence"} & scope.keys().keys()


def test_runs_and_models_beside_it_are_named() -> None:
    scope = Scope.of(FLAT, 3, [Loaded(dc.examples.coin(), "example:coin")])
    assert scope.keys()["repeat"] == 3
    assert scope.keys()["compose"] == ["example:coin"]
    assert "3" in scope.runs
    assert "example:coin" in scope.runs


@pytest.mark.parametrize(
    ("levels", "together"),
    [(["0.99"], F(99, 100)), (["0.99", "0.98"], F(97, 100)), (["0.9", "0.5", "0.4"], F(0)), (["0.6", "0.3"], F(0))],
)
def test_counts_of_several_models_are_right_together_by_the_sum_of_their_errors(
    levels: list[str], together: Fraction
) -> None:
    """No product: nobody says that counts of different models are independent."""
    first, *others = map(counted, levels)
    scope = Scope.of(first, compose=[Loaded(chain, f"model {n}") for n, chain in enumerate(others)])
    assert scope.confidence == together
    assert scope.limits
    assert says(scope.everywhere)


def test_limits_of_a_model_beside_it_count() -> None:
    scope = Scope.of(FLAT, compose=[Loaded(counted("0.95"), "counted")])
    assert (scope.limits, scope.confidence) == (True, F(95, 100))


@pytest.mark.parametrize(
    ("covered", "pairs", "said"),
    [
        (ONLY_THESE, 1, "for the pair (s, t); no other inputs were examined"),
        (ONLY_THESE, 3, "for all 3 pairs given; no other inputs were examined"),
        (Covered(4), 6, "for all 6 pairs of the 4 secrets given"),
        (Covered(4, by_rule=True), 1, "for the neighbouring pair of the 4 secrets given"),
        (Covered(1000, drawn=True), 40, "for 40 drawn pairs of 1,000 secrets"),
    ],
)
def test_what_is_covered_is_said(covered: Covered, pairs: int, said: str) -> None:
    assert covered.words(pairs, ("s", "t")) == said
    assert said.removesuffix("; no other inputs were examined") == covered.which(pairs, ("s", "t"))
    assert covered.body(pairs, 2) == {
        "pairs": pairs,
        "secrets": 2 if covered.secrets is None else covered.secrets,
        "drawn": covered.drawn,
    }


REPORTED = dc.program("def reported(x): announce(x if flip(1/2) else uniform(0, 3))")
FOUR = dc.domain(x=range(4))
ABOUT: dict[str, Callable[..., Any]] = {
    "delta": lambda *pair: dc.delta(REPORTED, *pair, exp_epsilon=2, secrets=FOUR),
    "check": lambda *pair: dc.check(REPORTED, *pair, exp_epsilon=2, delta="1/2", secrets=FOUR),
    "epsilon": lambda *pair: dc.epsilon(REPORTED, *pair, delta="1/10", secrets=FOUR),
    "profile": lambda *pair: dc.profile(REPORTED, *pair, epsilons=[1], secrets=FOUR),
    "estimate": lambda *pair: dc.estimate(REPORTED, *pair, exp_epsilon=2, secrets=FOUR),
}


@pytest.mark.parametrize("verb", ABOUT)
def test_every_answer_about_pairs_says_which_they_are(verb: str) -> None:
    whole, one = ABOUT[verb](), ABOUT[verb]("x=0", "x=3")
    assert says(whole.covers)
    assert says(one.covers)
    counts = {"drawn": False, "pairs": 6, "secrets": 4}
    assert {key: whole.document()["covers"][key] for key in counts} == counts
    assert {key: one.document()["covers"][key] for key in counts} == {"drawn": False, "pairs": 1, "secrets": 2}


@pytest.mark.parametrize("verb", ["epsilon", "profile", "estimate"])
def test_the_fields_say_what_is_covered(verb: str) -> None:
    for found in (ABOUT[verb](), ABOUT[verb]("x=0", "x=3")):
        rows = [row for section in found.sections() if isinstance(section, Fields) for row in section.rows]
        assert ("covers", found.covers) in rows


def test_the_least_epsilon_of_several_pairs_says_so_in_its_headline() -> None:
    assert says(ABOUT["epsilon"]().headline, "secrets given holds")
    assert "pair" not in ABOUT["epsilon"]("x=0", "x=3").headline
    named = dc.epsilon(REPORTED, pairs=[(0, 1), (1, 2)], delta=0, secrets=FOUR)
    assert says(named.headline, "pure ε-privacy for")


COUNTED = (
    '{"format": "deltachain.chain/1", "confidence": "0.95", "relation": [["s", "t"]], "states": {'
    '"s": {"label": "a", "counts": {"u": 10}, "rest": "0"}, "t": {"label": "a", "to": {"u": "1/2", "v": "1/2"}}, '
    '"u": {"label": "b", "to": {"u": "1"}}, "v": {"label": "c", "to": {"v": "1"}}}}'
)
SINGLE: dict[str, Callable[[dc.Chain], Any]] = {
    "delta": lambda chain: dc.delta(chain, epsilon=1),
    "check": lambda chain: dc.check(chain, epsilon=1, delta="1/10"),
    "epsilon": lambda chain: dc.epsilon(chain, delta="1/10"),
    "guess": dc.guess,
    "gain": lambda chain: dc.guess(chain, gain={"s": {"s": 1, "t": 0}, "t": {"s": 0, "t": 2}}),
    "bd": lambda chain: dc.distance(chain, epsilon=1),
    "ld": lambda chain: dc.distance(chain, epsilon=1, kind="ld"),
    "all": lambda chain: dc.distance(chain, epsilon=1, pairs="all"),
    "estimate": lambda chain: dc.estimate(chain, epsilon=1),
    "threshold": lambda chain: dc.threshold(chain, epsilon=1, theta="1/2", solver="engine"),
    "trace": lambda chain: dc.trace(chain, "s", "a b"),
    "profile": lambda chain: dc.profile(chain, epsilons=[0, 1]),
    "kl": lambda chain: dc.profile(chain, epsilons=[0, 1]).kl(),
    "tradeoff": lambda chain: dc.profile(chain, epsilons=[0, 1]).tradeoff()[0],
}


@pytest.mark.parametrize("verb", SINGLE)
def test_counts_that_leave_a_single_chain_are_no_certainty(verb: str, tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(COUNTED)
    chain = dc.load(file)
    assert (chain.kind, chain.confidence) == ("exact", Fraction(19, 20))
    found = SINGLE[verb](chain)
    assert says(found.headline, "confidence, given the")
    if verb != "kl":  # an entry of the profile, which has it
        name = "counts_confidence" if verb == "estimate" else "confidence"
        assert found.document()[name]["exact"] == "19/20"


@pytest.mark.parametrize("at", [[], ["--epsilon", "1"]])
def test_a_table_of_words_has_the_confidence_of_counts(at: list[str], tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(COUNTED)
    asked = ["trace", str(file), "--length", "2", *at]
    for more in ([], ["--brief"]):
        assert says(run(*asked, *more).stdout, "confidence, given the")
    document = json.loads(run(*asked, "--json").stdout)
    assert document["confidence"]["exact"] == "19/20"
    assert all("confidence" not in entry for entry in document["results"])


@pytest.mark.parametrize("verb", ["delta", "epsilon", "distance", "estimate"])
def test_a_row_of_a_sweep_has_the_confidence_of_counts(verb: str, tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(COUNTED)
    asked: dict[str, Any] = {"delta": "1/10"} if verb == "epsilon" else {"epsilons": [1]}
    (table,) = dc.sweep(file, verb=verb, **asked).sections()
    assert says(str(table), "confidence, given the")


def test_every_value_of_a_parameter_beside_counts(tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(COUNTED.replace('"1/2", "v": "1/2"', '"p", "v": "1-p"'))
    found = dc.parametric(file, parameter="p=0:1", exp_epsilon=1, delta="9/10")
    assert says(found.headline, "confidence, given the")
    assert found.document()["confidence"]["exact"] == "19/20"


def test_a_tradeoff_says_of_how_many_runs_it_is() -> None:
    found = dc.profile("example:survey", epsilons=[0, 1], repeat=3).tradeoff()[0]
    assert says(found.headline, "independent runs")
    assert found.to_dict()["repeat"] == 3


def test_tables_of_measures_have_the_confidence_of_counts(tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(COUNTED)
    curve = dc.profile(file, epsilons=[0, 1], kl=True)
    for table in (curve.csv(), curve.divergences_csv(), tradeoffs_csv(curve.tradeoff())):
        header, *rows = table.splitlines()
        assert header.endswith(",confidence")
        assert rows
        assert all(row.endswith(",19/20") for row in rows)
    assert "confidence" not in tradeoffs_csv(dc.profile("example:survey", epsilons=[0]).tradeoff())


def test_a_rule_about_neighbours_may_be_given_to_every_verb_about_pairs() -> None:
    program = dc.program("def counted(count: int): announce(count + geometric(Fraction(1, 2), -9, 9))")
    asked: dict[str, Any] = {"secrets": dc.domain(count=range(4)), "neighbours": "linf 1"}
    said = "for all 3 neighbouring pairs of the 4 secrets given"
    assert dc.check(program, exp_epsilon=2, delta=1, **asked).covers == said
    assert dc.epsilon(program, delta="1/2", **asked).covers == said
    assert dc.profile(program, epsilons=[1], **asked).covers == said
    assert dc.estimate(program, exp_epsilon=2, samples=20, seed=1, **asked).covers == said
