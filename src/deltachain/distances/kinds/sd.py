"""sd, the sharp distance (docs/theory/step.md, complement constraints): the step of one direction, along both kinds of
arcs. At most ld.
"""

from __future__ import annotations

from ..kind import DistanceKind

SD = DistanceKind(
    "sd",
    symmetric=False,
    complement=True,
    brief="directed, at most ld",
    about="between ld and δ",
)
