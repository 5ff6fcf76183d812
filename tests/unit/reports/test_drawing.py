"""The layered layout, and the chain drawn with a walk through a word."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import deltachain as dc
from deltachain.reports.drawing import MOST_STATES, arc_path, draw, layered, walk


def test_every_node_has_a_place_of_its_own_and_the_same_one_each_time() -> None:
    arcs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (4, 4), (2, 2)]
    first = layered(5, arcs, [0])
    assert first == layered(5, arcs, [0])
    assert len(set(first.places)) == 5
    assert all(0 < x < first.width and 0 < y < first.height for x, y in first.places)
    depths = [y for _, y in first.places]
    assert depths[0] < depths[1] == depths[2] < depths[3] < depths[4], "what is not reached comes last"


def test_crossings_that_can_be_avoided_are() -> None:
    layout = layered(5, [(0, 1), (0, 2), (1, 4), (2, 3)], [0])
    x = [place[0] for place in layout.places]
    assert (x[1] < x[2]) == (x[4] < x[3])


def test_a_wide_layer_is_broken_into_rows() -> None:
    layout = layered(21, [(0, i) for i in range(1, 21)], [0], widest=8)
    assert len({y for _, y in layout.places}) == 4


def test_arcs_are_paths() -> None:
    for source, target in (((0.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (50.0, 100.0)), ((50.0, 100.0), (0.0, 0.0))):
        path, (x, y) = arc_path(source, target, 20)
        assert path.startswith("M")
        assert abs(x) < 300 > abs(y)


def test_a_small_chain_is_drawn_whole_and_walked_exactly() -> None:
    chain = dc.examples.coin()
    starts = (chain.number("s0"), chain.number("s1"))
    drawing = draw(chain, starts, [(("start", "heads"), ())])
    root = ElementTree.fromstring(drawing.svg)  # noqa: S314 - our own text
    assert len([g for g in root.iter("g") if g.get("class") == "node"]) == len(chain)
    steps = walk(chain, starts, (("start", "heads"), ()), drawing.place)
    assert [step.letter for step in steps] == ["start", "heads"]
    assert (steps[1].first, steps[1].second) == (Fraction(2, 5), Fraction(3, 5))
    assert [sum(s for _, s, _ in step.beliefs) for step in steps] == [1, 1]
    assert not any(step.undrawn for step in steps)


def test_a_chain_that_is_too_large_shows_its_quotient_or_what_a_word_visits() -> None:
    copies = {f"c{i}": {f"c{(i + 1) % 100}": 1} for i in range(100)}
    chain = dc.Chain.from_dicts(copies, dict.fromkeys(copies, "a"))
    drawing = draw(chain, (0, 1), [(("a", "a"), ())])
    assert "drawn as one" in drawing.caption
    assert set(drawing.place.values()) == {0}
    steps = walk(chain, (0, 1), (("a", "a", "a"), ()), drawing.place)
    assert steps[2].beliefs == ((0, 1, 1),)
    path = {f"c{i}": {f"c{min(i + 1, 99)}": 1} for i in range(100)}
    labels = {name: f"l{i}" for i, name in enumerate(path)} | {"c1": "l0"}
    long = dc.Chain.from_dicts(path, labels)
    drawing = draw(long, (0, 1), [(("l0", "l2"), ())])
    assert "too many to draw" in drawing.caption
    assert len(drawing.place) <= MOST_STATES
    assert walk(long, (0, 1), (("l0", "l2"), ()), drawing.place)[1].undrawn is False
