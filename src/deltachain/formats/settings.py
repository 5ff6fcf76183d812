"""How a model file is to be read, and which of the settings a format understands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..model import Normalise
from .visible import Observation

MEANINGS = {
    "normalise": "it divides rows by their sums",
    "constants": "it gives values to constants",
    "observe": "it chooses visible variables",
    "observe_labels": "it chooses visible labels",
    "max_states": "it bounds what is explored",
}
"""Setting → what it does."""


@dataclass(frozen=True)
class Settings:
    """What the caller asks of a reader."""

    normalise: Normalise = False
    keep_labels: bool = False
    constants: Mapping[str, object] = field(default_factory=dict)
    observe: tuple[str, ...] = ()
    observe_labels: tuple[str, ...] = ()
    max_states: int | None = None
    cancel: Cancel | None = field(default=None, compare=False)

    @property
    def observation(self) -> Observation:
        """What is to be visible."""
        return Observation(self.observe, self.observe_labels, self.keep_labels)


def refuse_settings(settings: Settings, understood: Collection[str], source: str, fix: str) -> None:
    """Raise InputError for every setting that is given and not ``understood``: none is ignored in silence."""
    defects = [
        Defect(f"`{name}`", f"{does}, which means nothing for {source}", fix)
        for name, does in MEANINGS.items()
        if getattr(settings, name) and name not in understood
    ]
    if defects:
        raise InputError(defects)
