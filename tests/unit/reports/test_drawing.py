"""The chain as boxes, with a walk through a word; a table where it is large."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import deltachain as dc
from deltachain.beliefs.workspace import Workspace
from deltachain.reports.drawing import MOST_ROWS, MOST_STATES, Drawing, draw, walk
from tests.words import says


def pictured(chain: dc.Chain, starts: tuple[int, int]) -> Drawing:
    return draw(Workspace(chain, [starts]), starts)


def boxes(svg: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own text
    return [g for g in root.iter("g") if "box" in (g.get("class") or "").split()]


def test_a_small_chain_is_drawn_whole_and_walked_exactly() -> None:
    chain = dc.examples.coin()
    starts = (chain.number("s0"), chain.number("s1"))
    drawing = pictured(chain, starts)
    drawn = boxes(drawing.svg)
    assert len(drawn) == len(chain)
    told = [box.get("aria-label") for box in drawn]
    assert says(told, "shows start; goes"), "fractions on demand"
    assert "2/5" not in "".join(text.text or "" for box in drawn for text in box.iter("text"))
    steps = walk(chain, starts, (("start", "heads"), ()), drawing.place)
    assert [step.letter for step in steps] == ["start", "heads"]
    assert (steps[1].first, steps[1].second) == (Fraction(2, 5), Fraction(3, 5))
    assert [sum(s for _, s, _ in step.beliefs) for step in steps] == [1, 1]


def test_states_that_behave_alike_are_drawn_as_one() -> None:
    copies = {f"c{i}": {f"c{(i + 1) % 100}": 1} for i in range(100)}
    chain = dc.Chain.from_dicts(copies, dict.fromkeys(copies, "a"))
    drawing = pictured(chain, (0, 1))
    assert "drawn as one" in drawing.caption
    assert set(drawing.place.values()) == {0}
    assert walk(chain, (0, 1), (("a", "a", "a"), ()), drawing.place)[2].beliefs == ((0, 1, 1),)


def test_a_chain_that_is_too_large_is_a_table() -> None:
    path = {f"c{i}": {f"c{min(i + 1, 99)}": 1} for i in range(100)}
    labels = {name: f"l{i}" for i, name in enumerate(path)} | {"c1": "l0"}
    long = dc.Chain.from_dicts(path, labels)
    drawing = pictured(long, (0, 1))
    assert drawing.svg == ""
    assert len(long) > MOST_STATES
    assert (len(drawing.rows), drawing.left) == (MOST_ROWS, 100 - MOST_ROWS)
    assert drawing.rows[2] == ("c2", "l2", "c3 1")
    assert walk(long, (0, 1), (("l0", "l2"), ()), drawing.place)[1].first == 0


def test_limits_of_probabilities_are_told(tmp_path: Path) -> None:
    states = {
        "s": {"label": "a", "to": {"h": ["2/5", "1/2"], "t": ["1/2", "3/5"]}},
        "u": {"label": "a", "to": {"h": 1}},
        "h": {"label": "h", "to": {"h": 1}},
        "t": {"label": "t", "to": {"t": 1}},
    }
    (tmp_path / "m.json").write_text(json.dumps({"format": "deltachain.chain/1", "states": states}), "utf-8")
    told = pictured(dc.load(tmp_path / "m.json"), (0, 1)).svg
    assert says(told, "h from")
