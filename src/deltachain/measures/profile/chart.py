"""The curve of a profile as a picture: as far as δ(ε) is known, each edge on its side of what is proved."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ...results.chart import Axis, Chart, DrawnPoints, above, below, delta_axis, edges, overlaps, sample, straight

if TYPE_CHECKING:
    from .show import Profile

STYLE = (
    ".band{fill:#0072B2;fill-opacity:.25}.upper{fill:none;stroke:#0072B2;stroke-width:1.5}"
    ".lower{fill:none;stroke:#D55E00;stroke-width:1.5;stroke-dasharray:4 3}.grid{stroke:#ddd}"
    ".frame{fill:none;stroke:#888}.corner,.searched-upper{fill:#0072B2}.searched-lower{fill:#D55E00}"
    ".limits{fill:#009E73;fill-opacity:.35}.inside{fill:#009E73}"
    "text{font-size:11px;font-family:sans-serif}"
)


def profile_chart(profile: Profile, description: str) -> str:
    """The curve of a profile as a picture that stands alone."""
    begin, end = profile.points[0].epsilon, max(profile.points[-1].epsilon, Fraction(1, 100))
    chart, _ = curve_chart(profile, begin, end, max(p.upper for p in profile.points))
    return chart.svg("band", description, STYLE)


def curve_chart(
    profile: Profile,
    begin: Fraction,
    end: Fraction,
    top: Fraction,
    bottom: Fraction | None = None,
    band: tuple[DrawnPoints, DrawnPoints] | None = None,
) -> tuple[Chart, bool]:
    """δ(ε) as far as it is known, and whether the axis is linear in e^ε; with ``bottom``, δ is on a logarithmic axis.

    An exact curve is one line, exact to a pixel. A band has two edges, each on its side of what is proved.
    """
    pieces = profile.corners
    across, linear = (
        delta_axis(end) if pieces is not None and bottom is None else (Axis.linear("ε", 0.0, float(end)), False)
    )
    height = max(float(top), 1e-12) * 1.05
    up = Axis.linear("δ", 0.0, height) if bottom is None else Axis.logarithmic("δ (logarithmic)", float(bottom), height)
    chart = Chart(across, up, "δ as a function of ε")
    if pieces is None:
        upper, lower = band or edges(profile.band, begin, end)
        chart.area(upper, lower)
        chart.line(upper, "upper", "upper")
        chart.line([point for point in lower if bottom is None or point[1] >= up.begin], "lower", "lower")
        _draw_points(chart, profile, bottom)
        _draw_inside(chart, profile, begin, end)
    elif linear:
        corners = straight(pieces, begin, end)
        chart.line(corners, "upper")
        chart.dots(corners[1:-1], "corner")
    else:
        chart.line(sample(pieces, begin, end), "upper")
    return chart, linear


def _draw_points(chart: Chart, profile: Profile, bottom: Fraction | None) -> None:
    """Dots where the band was searched for: elsewhere it is what those points imply, which may be a good deal wider."""
    for point in profile.points:
        if point.reached:
            at, sides = float(point.epsilon), (("upper", above(point.upper)), ("lower", below(point.lower)))
            for side, value in sides:
                shown = [(at, value)] if bottom is None or value >= chart.up.begin else []
                chart.dots(shown, f"searched-{side}", "upper" if side == "upper" else "lower", 2)


def _draw_inside(chart: Chart, profile: Profile, begin: Fraction, end: Fraction) -> None:
    """Single chains within limits: a dot for the least and the largest δ at each point, and how far they are apart."""
    if not profile.inside:
        return
    for top, bottom in overlaps(profile.extremes, begin, end):
        chart.within(top, bottom)
    for point in profile.points:
        least, largest = profile.extremes(point.epsilon)
        chart.dots([(float(point.epsilon), above(least))], "inside", "upper")
        chart.dots([(float(point.epsilon), below(largest))], "inside", "lower")
