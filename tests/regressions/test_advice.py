"""What a result advises must help: no smaller gap where nothing is left to search, no tie where there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deltachain import Chain, check, delta, epsilon, examples, profile, report, save
from deltachain.numbers.fraction import parse_fraction
from deltachain.programs import program
from deltachain.results.scope import Covered
from tests.cli.command import run_json
from tests.words import says

GAUSSIAN = """
def f(x):
    announce(x + discrete_gaussian(1))
"""
READ_AGAIN = """
def f(x):
    noisy = x + discrete_laplace(1)
    announce(noisy)
    announce(noisy % 2)
"""


def chain_of(text: str) -> Chain:
    return program(text).chain([{"x": 0}, {"x": 1}])


@pytest.mark.parametrize("gap", [None, "1e-40"])
def test_no_smaller_gap_is_advised_where_only_the_tail_is_left(gap: str | None) -> None:
    found = delta(chain_of(GAUSSIAN), epsilon=1, gap=gap)
    assert 0 < found.upper - found.lower < parse_fraction("1e-30")
    assert found.results[0].stopped == "finished"
    said = "complete; noise is cut off, up to 4.3e-32 per row: a smaller tail= in the program narrows the interval"
    assert found.ended == said


def test_a_smaller_tail_does_narrow_it() -> None:
    finer = chain_of(GAUSSIAN.replace("(1)", '(1, tail="1e-40")'))
    found = delta(finer, epsilon=1)
    assert found.upper - found.lower < parse_fraction("1e-39")


def test_a_smaller_gap_is_advised_where_it_helps() -> None:
    found = delta(examples.sticky_sensor(), epsilon="1/2", gap="1/10")
    assert found.results[0].stopped == "gap"
    assert says(found.ended, "smaller `gap` narrows")


@pytest.mark.parametrize("text", [GAUSSIAN, READ_AGAIN])
def test_no_tie_is_claimed_where_noise_is_cut_off(text: str) -> None:
    found = check(chain_of(text), epsilon=40, delta=0)
    assert found.verdict == "undecided"
    assert "limits meet" not in found.headline
    assert says(found.headline, "where noise is")


def test_what_is_proved_of_drawn_pairs_is_not_said_of_the_domain() -> None:
    whole = check(chain_of(GAUSSIAN), epsilon=40, delta=0)
    drawn = replace(whole, inputs=Covered(100, drawn=True))
    assert "δ ≤ " in drawn.headline
    assert says(drawn.headline, "proved, checked, for")
    assert "private for every δ" not in drawn.headline
    exact = replace(check(examples.survey(), exp_epsilon=2, delta="1/8"), inputs=Covered(100, drawn=True))
    assert exact.verdict == "violated"
    assert (exact.to_dict()["upper"], exact.to_dict()["exact"]) == (None, False)


def test_an_undecided_search_that_was_cut_off_says_nothing_about_ties() -> None:
    found = check(examples.sticky_sensor(), exp_epsilon=3, delta=0, max_nodes=50)
    assert found.verdict == "undecided"
    assert found.headline.endswith("0 is allowed")


@pytest.mark.parametrize("text", [GAUSSIAN, READ_AGAIN])
def test_pure_privacy_of_noise_that_is_cut_off_says_what_is_in_the_way(text: str) -> None:
    chain = chain_of(text)
    found = epsilon(chain, delta=0)
    assert found.exp_epsilon_proved is None
    assert says(found.headline, "refuted for every")
    assert found.reached is not None
    told = found._repr_html_()
    assert says(told, "of at least")
    assert says(told, "noise a smaller")
    # What it advises works.
    assert epsilon(chain, delta=found.reached[0]).exp_epsilon_proved is not None
    assert found.to_dict()["delta_reached"]["exact"]


def counted(other: str) -> Chain:
    """Counts that leave one chain: from s, only m can follow. From u, a state of the same label or of another."""
    labels = {"s": "start", "u": "start", "m": "on", "n": other, "h": "h", "t": "t"}
    known = {"m": {"h": "3/4", "t": "1/4"}, "n": {"h": "1/4", "t": "3/4"}, "h": {"h": 1}, "t": {"t": 1}, "u": {"n": 1}}
    return Chain.from_counts(
        {"s": {"m": 60}}, labels, confidence="0.9", rows=known, rest={"s": 0}, relation=[("s", "u")]
    )


def test_counts_that_leave_a_point_keep_their_confidence(tmp_path: Path) -> None:
    chain = counted("on")
    assert chain.kind == "exact"
    level = {"exact": "9/10", "approx": 0.9}
    save(chain, tmp_path / "model.json")
    curve = profile(chain, epsilons=["1/3", 1])
    for document in (
        delta(chain, epsilon=0).to_dict(),
        check(chain, epsilon=0, delta=0).to_dict(),
        epsilon(chain, delta=0).to_dict(),
        curve.document(),
        run_json("delta", str(tmp_path / "model.json"), "--epsilon", "0"),
        run_json("profile", str(tmp_path / "model.json"), "--epsilons", "0,1"),
    ):
        assert document["confidence"] == level
        assert "uncertain" not in document
    assert says(curve.headline, "confidence, given the")
    rows = [line.split(",") for line in curve.csv().splitlines()]
    assert {(len(row), row[-1]) for row in rows} == {(9, "confidence"), (9, "9/10")}
    assert len(rows) > 3, "corners, too"


def test_the_confidence_stands_before_what_epsilon_says() -> None:
    """It read "in the counts,: some outputs are possible"."""
    found = epsilon(counted("off"), delta=0)
    assert says(found.headline, "confidence, given the")


HISTOGRAM = """
def shuffled(x):
    announce(x + discrete_laplace("1/2"))
"""


def test_the_table_of_a_report_is_the_search_of_epsilon() -> None:
    """It said 2.0001 for δ = 1e-9 below 2 for δ = 0, where `epsilon` says 1.9999999."""
    chain = program(HISTOGRAM).chain([{"x": 0}, {"x": 1}])
    page = report(chain, epsilon=1)
    (table,) = re.findall(r'<table id="epsilons".*?</table>', page.html, re.DOTALL)
    rows = re.findall(r"<td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td><td[^>]*>([^<]*)</td>", table)
    assert rows[0][:2] == ("0", "2")
    proved = [parse_fraction(row[1]) for row in rows]
    assert proved == sorted(proved, reverse=True)
    for allowed, shown, _ in rows:
        bound = epsilon(chain, delta=allowed)
        assert bound.epsilon is not None
        assert bound.epsilon_refuted <= parse_fraction(shown) < bound.epsilon + parse_fraction("1e-9")
