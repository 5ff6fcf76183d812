"""Boxes in columns: places that do not touch, and the same ones each time."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

from deltachain.reports.layout import HEIGHT, WIDTH, DrawnBox, arc_path, fit_line, graph_svg, place_layers


def test_every_box_has_a_place_of_its_own_and_the_same_one_each_time() -> None:
    arcs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (4, 4), (2, 2)]
    first = place_layers(5, arcs, [0])
    assert first == place_layers(5, arcs, [0])
    for (x, y), (u, v) in itertools.combinations(first.places, 2):
        assert abs(x - u) >= WIDTH or abs(y - v) >= HEIGHT
    assert all(0 < x < first.width - WIDTH and 0 < y < first.height - HEIGHT for x, y in first.places)
    columns = [x for x, _ in first.places]
    assert columns[0] < columns[1] == columns[2] < columns[3] < columns[4], "what is not reached comes last"


def test_crossings_that_can_be_avoided_are() -> None:
    layout = place_layers(5, [(0, 1), (0, 2), (1, 4), (2, 3)], [0])
    y = [place[1] for place in layout.places]
    assert (y[1] < y[2]) == (y[4] < y[3])


def test_a_tall_layer_is_broken_into_columns() -> None:
    layout = place_layers(21, [(0, i) for i in range(1, 21)], [0], tallest=8)
    assert len({x for x, _ in layout.places}) == 4


def test_arcs_are_paths() -> None:
    places = [(0.0, 0.0), (206.0, 64.0), (0.0, 64.0)]
    paths = [arc_path(source, target) for source, target in itertools.product(places, repeat=2)]
    assert len(set(paths)) == 9
    assert all(path.startswith("M") for path in paths)


def test_wide_text_is_narrowed_and_long_text_is_cut() -> None:
    assert "textLength" in fit_line("name", "W" * 20, 0, 0, WIDTH)
    assert "textLength" not in fit_line("name", "end", 0, 0, WIDTH)
    assert "…" in fit_line("name", "a" * 21, 0, 0, WIDTH)


def test_names_are_text() -> None:
    hostile = '"><script>alert(1)</script>'
    svg = graph_svg("g", hostile, hostile, [DrawnBox(hostile, hostile, hostile)], [(0, 0, hostile)], [(0, hostile)])
    assert "<script" not in svg
    ElementTree.fromstring(svg)  # noqa: S314 - our own text
