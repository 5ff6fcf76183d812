"""bd, the skewed bisimilarity distance [CMP18, Def. 12]: the larger step of both directions, along plain arcs."""

from __future__ import annotations

from ..kind import DistanceKind

BD = DistanceKind(
    "bd",
    brief="symmetric",
    about="the symmetric distance of bisimilarity",
    directions="both",
)
