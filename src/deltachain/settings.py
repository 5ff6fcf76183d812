"""How a model is read: one value, which a verb or the command line makes and whatever builds the chain looks at.

No reader needs all of it, and none ignores a setting in silence: each refuses what it has no use for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cancel import Cancel
from .errors import Defect, InputError
from .model import Normalise
from .parameters import Neighbours, Secrets

FOR_FILES = ("format", "normalise", "keep_labels", "observe", "observe_labels", "uniform_choice")
FOR_PROGRAMS = ("secrets", "sample")
FOR_BOTH = ("constants", "max_states")
FOR_CODE = ("running",)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a user says of a model beside its name; as by default: nothing.

    Attributes:
        secrets: the inputs of a program.
        constants: the values of its constants, or of those of a PRISM or JANI model.
        format: the format of a file, where its suffix does not tell.
        normalise: divide rows that do not sum to one by their sum: those that are off by rounding, or ``"any"``.
        keep_labels: keep the labels ``init`` and ``deadlock`` of other tools, which are dropped otherwise.
        observe: the variables that an observer sees, for PRISM, JANI and UMB.
        observe_labels: the labels that an observer sees instead.
        uniform_choice: where several commands of a PRISM or JANI dtmc are enabled, take each equally likely.
        max_states: how much of a program, or of a PRISM or JANI model, is explored.
        running: how a plain function is run: settings of `from_code`.
        neighbours: the rule that says which start states are compared.
        sample: how many pairs to draw from the secrets of a program, and the seed.
        every_pair: keep those of many pairs of a program's secrets, too, that are translates of others.
        sandwiched: whether letters may tell more than a program announces, with coarser ones beside them that tell
            less, as `Chain.sandwiches` has them: for who asks for bounds from above and from below apart.
        cancel: a deadline, and where progress goes.
        place: what a user calls a setting: ``place("max_states")`` is ``"--max-states"`` on the command line.
    """

    secrets: Secrets | None = None
    constants: Mapping[str, object] = field(default_factory=dict)
    format: str | None = None
    normalise: Normalise = False
    keep_labels: bool = False
    observe: Sequence[str] = ()
    observe_labels: Sequence[str] = ()
    uniform_choice: bool = False
    max_states: int | None = None
    running: Mapping[str, Any] = field(default_factory=dict)
    neighbours: Neighbours | None = None
    sample: tuple[int, int] | None = None
    every_pair: bool = False
    sandwiched: bool = False
    cancel: Cancel | None = field(default=None, compare=False)
    place: Callable[[str], str] = field(default=str, compare=False)

    def gives(self, name: str) -> bool:
        """Whether the setting was given."""
        given = getattr(self, name)
        # By identity, since a limit of 0 equals False, and is given.
        return given is not None and given is not False and given not in ((), [], {})

    def refuse(self, names: Iterable[str], source: str) -> None:
        """Raise InputError for every one of these settings that was given; ``source`` has no use for them."""
        defects = [
            Defect(self.place(name), "not used with this kind of model", f"drop it for {source}")
            for name in names
            if self.gives(name)
        ]
        if defects:
            raise InputError(defects)

    def only(self, names: Iterable[str]) -> Settings:
        """These settings, and as by default the others; the token and the user's words stay."""
        return Settings(**{name: getattr(self, name) for name in (*names, "cancel", "place")})

    def during(self, what: str) -> Cancel | None:
        """The token for a part of the work, named in its progress."""
        return None if self.cancel is None else self.cancel.during(what)
