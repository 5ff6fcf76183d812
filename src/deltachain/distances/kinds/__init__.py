"""The kinds of distances that can be asked for by name, largest first: bd ≥ ld ≥ sd ≥ δ (docs/add-a-distance.md)."""

from __future__ import annotations

from ...errors import InputError
from ..kind import DistanceKind
from .bd import BD
from .ld import LD
from .sd import SD

KINDS: tuple[DistanceKind, ...] = (BD, LD, SD)
NAMES = tuple(kind.name for kind in KINDS)

ELSEWHERE = {
    "tv": "the total variation distance of what is observed is δ at ε = 0: ask for delta with epsilon=0",
    "delta": "ask for delta itself",
}
"""What is looked for here, and is found elsewhere."""


def kind_named(name: str | DistanceKind) -> DistanceKind:
    """The kind of this name; InputError if there is none. A kind stands for itself."""
    if isinstance(name, DistanceKind):
        return name
    for kind in KINDS:
        if kind.name == name:
            return kind
    if isinstance(name, str) and name.lower() in ELSEWHERE:
        raise InputError(f"kind: {name!r} is not one of {', '.join(NAMES)}; {ELSEWHERE[name.lower()]}")
    raise InputError(f"kind: {name!r} is not one of {', '.join(NAMES)}")
