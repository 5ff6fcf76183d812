"""Features that were written for one kind of row, asked about another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from deltachain import Chain, delta, epsilon, report, save, sweep
from deltachain.programs import program
from tests.cli.command import run, run_json
from tests.words import says

ASKING = """
def f(x):
    scale = ask(1, 2)
    announce(x + discrete_laplace(scale) > 0)
"""


def test_plans_are_compared_on_functions_of_e() -> None:
    """It was an internal error. There is one question, so that deciding on it in advance costs nothing."""
    chain = program(ASKING).chain([{"x": 0}, {"x": 1}])
    found = delta(chain, "x=0", "x=1", epsilon="1/4", fixed=1)
    (plan,) = found.plans
    assert plan.lower == plan.upper == found.results[0].value
    assert not isinstance(plan.lower, Fraction), "a function of e"


def counted() -> Chain:
    counts = {"s": {"h": 60, "t": 40}, "u": {"h": 40, "t": 60}}
    labels = {"s": "start", "u": "start", "h": "h", "t": "t"}
    known = {"h": {"h": 1}, "t": {"t": 1}}
    return Chain.from_counts(counts, labels, confidence="0.9", rows=known, relation=[("s", "u")])


def test_what_comes_from_counts_says_so_in_every_document() -> None:
    """`epsilon --json` and the rows of a sweep left the confidence out."""
    chain = counted()
    level = {"exact": "9/10", "approx": 0.9}
    found = epsilon(chain, delta="1/10").to_dict()
    assert (found["uncertain"], found["confidence"]) == (True, level)
    for rows_found in (sweep(chain, epsilons=[1]), sweep(chain, verb="epsilon", delta="1/10")):
        result = rows_found.rows[0].result
        assert result is not None
        assert (result["uncertain"], result["confidence"]) == (True, level)
        assert says(rows_found._repr_html_(), "confidence, given the")
        assert rows_found.to_dict()["confidence_exact"] == ["9/10"]


@pytest.mark.parametrize("noise", ["discrete_laplace(2)", "discrete_gaussian(1)"])
def test_rows_of_a_sweep_are_checked_where_e_is_enclosed_more_closely(noise: str) -> None:
    """Certificates were taken for those of another ε, so that every row failed."""
    chain = program(f"def f(x): announce(x + {noise} > 0)").chain([{"x": 0}, {"x": 1}])
    with ThreadPoolExecutor(1) as executor:
        found = sweep(chain, epsilons=[0, "1/3", 1], executor=executor, check=True)
    assert [(row.error, row.checked) for row in found.rows] == [(None, True)] * 3


@pytest.mark.parametrize("allowed", ["9/10", None])
def test_a_report_on_counts_calls_nothing_proved_without_their_confidence(allowed: str | None) -> None:
    page = report(counted(), epsilon=0, delta=allowed).html
    assert says(page, "confidence, given the")
    assert says(page, "confidence, given the")
    assert "Proved: δ" not in page


def test_verify_says_of_what_it_is_proved(tmp_path: Path) -> None:
    chain = counted()
    save(chain, tmp_path / "model.json")
    delta(chain, epsilon=0).certificate.save(tmp_path / "certificate.json")
    arguments = ["verify", str(tmp_path / "model.json"), str(tmp_path / "certificate.json")]
    where = "proved at 90 % confidence, given the counts, for every chain within the limits given: "
    assert run(*arguments).stdout.startswith(where)
    found = run_json(*arguments)
    assert (found["uncertain"], found["confidence"]) == (True, {"exact": "9/10", "approx": 0.9})


def test_words_of_noise_that_is_cut_off_are_bounds(tmp_path: Path) -> None:
    """Exact rows of which something is cut off say what is likely at least: what was cut off may show anything."""
    text = "def f(x):\n    announce((x + geometric('1/2', tail='1e-3')) * (x + geometric('1/2', tail='1e-3')))"
    chain = program(text).chain([{"x": 0}, {"x": 1}])
    assert (chain.kind, chain.whole) == ("exact", False)
    found = delta(chain, "x=0", "x=1", epsilon=0)
    assert found.witness is not None
    assert found.witness.bounded
    page = report(chain, "x=0", "x=1", epsilon=0)
    page.save(tmp_path / "report.html")
