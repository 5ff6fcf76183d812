"""ld, the directed distance [CMP19]: the step of one direction, along plain arcs. At most bd."""

from __future__ import annotations

from ..kind import DistanceKind

LD = DistanceKind(
    "ld",
    brief="directed, at most bd",
    about="the directed distance",
)
