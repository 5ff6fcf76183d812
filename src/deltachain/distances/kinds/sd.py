"""sd, the sharp distance (docs/theory/step.md, complement constraints): the step of one direction, along both kinds of
arcs. At most ld.
"""

from __future__ import annotations

from ..kind import COMPLEMENT, PLAIN, DistanceKind

SD = DistanceKind(
    "sd",
    brief="directed, at most ld",
    about="between ld and δ",
    constraints=(PLAIN, COMPLEMENT),
)
