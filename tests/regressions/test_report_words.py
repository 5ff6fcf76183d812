"""What the report says of the observer holds for every model, also where the labels are clock ticks."""

from __future__ import annotations

import deltachain as dc

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
    assert "such as the time that a step takes, is covered as far as labels stand for it" in html


def test_the_observer_observes() -> None:
    html = dc.report(dc.examples.survey(), epsilon=2, delta="1/10").html
    assert "however long they observe" in html
    assert "may observe for ever" in html
