"""What the report says of the observer holds for every model, also where the labels are clock ticks."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import deltachain as dc
from deltachain.reports.view import on_demand
from tests.words import says

TICKS = {
    "slow": {"tick": "1/2", "done": "1/2"},
    "fast": {"tick": "1/4", "done": "3/4"},
    "tick": {"done": 1},
    "done": {"done": 1},
}


def test_time_that_the_labels_show_is_not_excluded() -> None:
    labels = {"slow": "start", "fast": "start", "tick": "tick", "done": "done"}
    chain = dc.Chain.from_dicts(TICKS, labels, relation=[("slow", "fast")])
    html = dc.report(chain, epsilon="1/10", delta="1/2").html
    assert "no timing" not in html
    assert says(html, "takes, is covered")


def test_the_observer_observes() -> None:
    html = dc.report(dc.examples.survey(), epsilon=2, delta="1/10").html
    assert says(html, "however long they")
    assert says(html, "observe for ever")


def test_an_example_of_a_run_is_one_of_its_row_whichever_state_gives_itself_away() -> None:
    rows = {
        "s": {"x": "2/20", "y": "4/20", "z": "14/20"},
        "t": {"x": "8/20", "y": "1/20", "z": "11/20"},
        "x": {"x": 1},
        "y": {"y": 1},
        "z": {"z": 1},
    }
    labels = {"s": "start", "t": "start", "x": "x", "y": "y", "z": "z"}
    for pair in (("s", "t"), ("t", "s")):
        page = dc.report(dc.Chain.from_dicts(rows, labels, relation=[pair]), epsilon="1/2")
        assert page.found.witness is not None
        assert page.found.witness.state == "t"
        assert says(page.html, 'as <span class="word">start')
        assert says(page.html, 'as <span class="word">start')


def test_a_short_upper_bound_is_marked_as_a_bound() -> None:
    assert str(on_demand(Fraction(1, 2), side="upper")).startswith('<span title="1/2">≤ 0.5<')
    assert str(on_demand(Fraction(1), side="upper")) == "≤ 1"
    assert str(on_demand(Fraction(3, 10), side="lower")).startswith('<span title="3/10">≥ 0.3<')
    assert str(on_demand(Fraction(1, 2))).startswith('<span title="1/2">0.5<')


def test_counts_that_leave_a_single_chain_are_among_the_assumptions(tmp_path: Path) -> None:
    file = tmp_path / "counted.json"
    file.write_text(
        '{"format": "deltachain.chain/1", "confidence": "0.95", "relation": [["s", "t"]], "states": {'
        '"s": {"label": "a", "counts": {"u": 10}, "rest": "0"}, "t": {"label": "a", "to": {"u": "1/2", "v": "1/2"}}, '
        '"u": {"label": "b", "to": {"u": "1"}}, "v": {"label": "c", "to": {"v": "1"}}}}'
    )
    assert dc.load(file).kind == "exact"
    assert says(dc.report(file, epsilon=1).html, "system with confidence")
