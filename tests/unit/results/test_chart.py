"""What is drawn is a bound: the path is read back and compared with what is proved, on every axis."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

import pytest

import deltachain as dc
from deltachain.measures.profile.chart import curve_chart
from deltachain.measures.profile.show import Profile
from deltachain.results.chart import BOTTOM, HEIGHT, LEFT, PIXELS, RIGHT, TOP, WIDTH, Chart, edges
from tests.amounts import fewer_or_all
from tests.words import says

Line = list[tuple[float, float]]


def drawn(chart: Chart, kind: str) -> Line:
    """The points of a polyline, as they are in the picture."""
    (text,) = re.findall(rf'<polyline class="{kind}" points="([^"]*)"', chart.svg("c", ""))
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def height(line: Line, x: float) -> float:
    """How far from the top the line is, highest and lowest where it is upright."""
    at = min(max(bisect_right([a for a, _ in line], x), 1), len(line) - 1)
    (a, b), (c, d) = line[at - 1], line[at]
    return b if c == a else b + (d - b) * (x - a) / (c - a)


def read(chart: Chart, y: float) -> float:
    """The δ of a height."""
    share = (HEIGHT - BOTTOM - y) / (HEIGHT - TOP - BOTTOM)
    begin, end = chart.up.begin, chart.up.end
    return begin * (end / begin) ** share if chart.up.by_logarithm else begin + share * (end - begin)


def places(chart: Chart, end: float, linear: bool) -> list[tuple[float, Fraction]]:
    """(pixel, the ε there), between the pixels of the drawing too."""
    found = []
    for i in range(3 * PIXELS + 1):
        share = i / (3 * PIXELS)
        value = chart.across.begin + share * (chart.across.end - chart.across.begin)
        epsilon = math.log(value) if linear else value
        found.append((LEFT + share * (WIDTH - LEFT - RIGHT), Fraction(min(max(epsilon, 0.0), end))))
    return found


SENSOR = dc.profile(dc.examples.sticky_sensor(), epsilons=[0, "0.1", "0.45", "0.8", 2], max_nodes=120)
SURVEY = dc.profile(dc.examples.survey(), epsilons=[0, "1/2", 2])
POINTS = Profile(SURVEY.pairs, SURVEY.points, None)
"""The survey's curve, known at three points: a chord in e^ε, whose ends a straight line in ε would cut short."""


@pytest.mark.sample(3)
@pytest.mark.parametrize("bottom", [None, Fraction(1, 10**6)], ids=["linear", "logarithmic"])
@pytest.mark.parametrize("curve", [SENSOR, POINTS], ids=["sensor", "survey"])
def test_the_edges_of_a_band_are_on_their_sides(curve: Profile, bottom: Fraction | None) -> None:
    chart, linear = curve_chart(curve, Fraction(0), Fraction(2), Fraction(1, 2), bottom)
    assert not linear
    upper, lower = drawn(chart, "upper"), drawn(chart, "lower")
    found = [(x, epsilon, *curve.band(epsilon)) for x, epsilon in places(chart, 2.0, linear)]
    highest = list(accumulate((high for *_, high in found), min))
    lowest = list(accumulate((low for _, _, low, _ in reversed(found)), max))[::-1]
    for (x, epsilon, _, _), low, high in zip(found, lowest, highest, strict=True):
        assert read(chart, height(upper, x)) >= high * Fraction(999_999_999, 10**9), float(epsilon)
        if x <= lower[-1][0]:
            assert read(chart, height(lower, x)) <= float(low) * (1 + 1e-9) + 1e-12, float(epsilon)


def boxed(low: str, high: str, again: str) -> dc.Chain:
    """Coins within limits, tossed again with a probability that is known: beliefs do not end."""
    return dc.Chain.from_dicts(
        {
            "s": {"h": (low, high), "t": (str(1 - Fraction(high)), str(1 - Fraction(low)))},
            "u": {"h": (str(1 - Fraction(high)), str(1 - Fraction(low))), "t": (low, high)},
            "h": {"s": again, "e": str(1 - Fraction(again))},
            "t": {"u": again, "e": str(1 - Fraction(again))},
            "e": {"e": 1},
        },
        {"s": "start", "u": "start", "h": "heads", "t": "tails", "e": "end"},
        relation=[("s", "u")],
    )


BOXES = [
    dc.profile(boxed("2/5", "1/2", "1/4"), epsilons=[0, "0.1", "0.3", "1"]),
    dc.profile(boxed("1/10", "3/10", "1/2"), epsilons=[0, "0.2", "0.9", "2"], max_nodes=60),
]


@pytest.mark.parametrize("curve", BOXES, ids=["narrow", "wide"])
def test_chains_found_inside_are_within_the_band_at_every_epsilon(curve: Profile) -> None:
    assert curve.uncertain
    assert len(curve.inside) >= 2
    assert says(curve.headline, "every chain within")
    for i in range(41):
        epsilon = curve.points[-1].epsilon * i / 40
        least, largest = curve.extremes(epsilon)
        lower, upper = curve.band(epsilon)
        assert lower <= least
        assert largest <= upper
    apart = [curve.extremes(point.epsilon) for point in curve.points]
    assert any(largest > least for least, largest in apart)
    columns = curve.to_dict()
    assert all(Fraction(shown) >= least for shown, (least, _) in zip(columns["inside_lower"], apart, strict=True))
    assert all(Fraction(shown) <= most for shown, (_, most) in zip(columns["inside_upper"], apart, strict=True))


@pytest.mark.sample(3)
@pytest.mark.parametrize("bottom", [None, Fraction(1, 10**6)], ids=["linear", "logarithmic"])
@pytest.mark.parametrize("curve", BOXES, ids=["narrow", "wide"])
def test_what_limits_leave_open_is_drawn_smaller_than_it_is(curve: Profile, bottom: Fraction | None) -> None:
    end = curve.points[-1].epsilon
    chart, linear = curve_chart(curve, Fraction(0), end, curve.points[0].upper, bottom)
    texts = re.findall(r'<polygon class="limits" points="([^"]*)"', chart.svg("c", ""))
    assert texts
    checked = 0
    for text in texts:
        around = [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]
        # To the right along the top, then back: where it first goes back, one point of the bottom is behind.
        turn = next(i for i in range(len(around)) if around[i + 1][0] < around[i][0])
        top, low = around[:turn], around[turn:][::-1]
        for x, epsilon in places(chart, float(end), linear):
            if top[0][0] <= x <= top[-1][0]:
                least, largest = curve.extremes(epsilon)
                checked += 1
                assert read(chart, height(top, x)) <= float(largest) * (1 + 1e-9) + 1e-12
                assert read(chart, height(low, x)) >= float(least) * (1 - 1e-9) - 1e-12
    assert checked > 20
    dots = len(re.findall('class="inside"', chart.svg("c", "")))
    assert dots == 2 * len(curve.points)


def test_a_line_through_the_ends_would_be_wrong() -> None:
    """The test above can fail: at ε = 1.8 the chord between ε = 0.5 and 2 is above the straight line in ε."""
    (_, _, a), (_, _, b) = [(p.epsilon, p.lower, p.upper) for p in POINTS.points[1:]]
    straight = a + (b - a) * (Fraction("1.8") - Fraction(1, 2)) / Fraction(3, 2)
    assert POINTS.band(Fraction("1.25"))[1] > a + (b - a) / 2
    assert POINTS.band(Fraction("1.8"))[1] > straight


def test_the_edges_are_close_to_the_bounds() -> None:
    upper, lower = edges(SENSOR.band, Fraction(0), Fraction(2))
    for line, side in ((upper, 1), (lower, 0)):
        for x, y in line[2:-2:7]:
            beside = [
                SENSOR.band(max(Fraction(x) + shift, Fraction(0)))[side]
                for shift in (Fraction(-1, 50), Fraction(1, 50))
            ]
            assert float(min(beside)) - 1e-12 <= y <= float(max(beside)) + 1e-12


@pytest.mark.sample(4)
@pytest.mark.parametrize("bottom", [None, Fraction(1, 10**4)], ids=["linear in e^ε", "logarithmic"])
@pytest.mark.parametrize("name", ["survey", "rappor", "crowds", "probe"])
@fewer_or_all("apart", 15, 5)
def test_exact_curves_are_drawn_to_a_pixel(name: str, bottom: Fraction | None, apart: int) -> None:
    curve = dc.profile(f"example:{name}")
    end = curve.points[-1].epsilon
    chart, linear = curve_chart(curve, Fraction(0), end, curve.points[0].upper, bottom)
    line = drawn(chart, "upper")
    step = Fraction(3, PIXELS) * end
    value: Callable[[Fraction], float] = lambda e: float(curve.delta(epsilon=e).upper)  # noqa: E731
    for x, epsilon in places(chart, float(end), linear)[::apart]:
        shown = read(chart, height(line, x))
        tall = read(chart, height(line, x) - 1.0), read(chart, height(line, x) + 1.0)
        near = value(max(epsilon - step, Fraction(0))), value(min(epsilon + step, end))
        least = chart.up.begin * 1.01 if bottom else 0.0
        assert tall[1] <= max(near[0], least), (float(epsilon), shown)
        assert max(tall[0], least) >= near[1] or near[1] < least, (float(epsilon), shown)
