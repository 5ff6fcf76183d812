"""A strategy as lines and as a picture: every step once, nothing crosses, no name runs."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from html import unescape
from xml.etree import ElementTree

import deltachain as dc
from deltachain.beliefs.graph.strategy import StrategyStep
from deltachain.measures.delta.witness import strategy_lines, written_path
from deltachain.reports.drawing import strategy_svg
from tests.reference.systems import probe_system
from tests.words import says

HALF, HOSTILE = Fraction(1, 2), '<script>alert("x")</script>'
END = StrategyStep(HOSTILE, HALF, HALF / 2, None, True)
TREE = StrategyStep("menu", Fraction(1), Fraction(1), HOSTILE, None, (END, StrategyStep("b", HALF, HALF, None, False)))


def size(step: StrategyStep) -> int:
    return 1 + sum(map(size, step.after))


def test_lines_have_every_step_after_the_one_before() -> None:
    lines = list(strategy_lines(TREE))
    assert [before for _, before in lines] == ["", "├─ ", "└─ "]
    assert [step.label for step, _ in lines] == ["menu", HOSTILE, "b"]


def test_names_in_a_picture_are_text() -> None:
    svg = strategy_svg(TREE, "s0", "two steps & more")
    assert "<script" not in svg
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    assert len(root.findall("{*}g")) == 3 or len(root.findall("g")) == 3
    assert "say s0" in svg
    assert "&amp; more" in svg


def test_boxes_do_not_overlap() -> None:
    witness = dc.delta(probe_system(), exp_epsilon="3/2").witness
    assert witness is not None
    assert witness.strategy is not None
    svg = strategy_svg(witness.strategy, "s0", "")
    places = [(float(x), float(y)) for x, y in re.findall(r'<rect class="frame-box" x="([0-9.]+)" y="([0-9.]+)"', svg)]
    assert len(places) == size(witness.strategy)
    columns: dict[float, list[float]] = {}
    for x, y in places:
        columns.setdefault(x, []).append(y)
    for heights in columns.values():
        ordered = sorted(heights)
        assert all(b - a >= 38 for a, b in itertools.pairwise(ordered))


def test_paths_name_what_is_asked() -> None:
    assert written_path(["a", "b"], []) == "a b"
    assert written_path(["a", "b"], [None]) == "a b"
    assert written_path(["a", "b", "c"], [None, "q"]) == "a b [q] c"


def test_a_report_draws_the_strategy() -> None:
    page = dc.report(probe_system(), exp_epsilon="3/2").html
    assert 'id="strategy"' in page
    assert says(page, "after which answer")
    assert says(unescape(page), "start] → menu")
    assert dc.report(probe_system(), exp_epsilon="3/2").html == page
