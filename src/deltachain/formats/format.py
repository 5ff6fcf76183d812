"""What a format is: how its files are read and written, which settings it understands, and what a reader hands back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from ..cancel import Cancel
from ..errors import Defect, InputError
from ..files import write_atomically
from ..model import Chain, Loaded, Normalise
from .observation import DROPPED, Observation
from .text import shown

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


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format: what it is, and how its files are read and written.

    A format whose files are one text has ``pieces``; one that has neither ``pieces`` nor ``write`` is only read.
    """

    title: str
    read: Callable[[Path, Settings], Loaded] | None = None
    """None for a format that is only written."""
    pieces: Callable[[Chain], Iterator[str]] | None = None
    """The whole content, where it is one text: that can go to standard output, too."""
    write: Callable[[Chain, Path], None] | None = None
    """All files of the chain, or none of them; None for one text, and for a format that is only read."""
    understands: tuple[str, ...] = ("normalise",)
    """The settings that are used, beside ``keep_labels``, which all accept."""
    holds_relation: Callable[[Chain], bool] = lambda _: False
    """Whether a file says which pairs of the chain's states must look alike."""

    @property
    def written(self) -> bool:
        """Whether chains can be written in the format."""
        return self.pieces is not None or self.write is not None

    def save(self, chain: Chain, path: Path) -> None:
        """Write the chain, all or nothing; only for a format that is `written`."""
        if self.pieces is not None:
            write_atomically(path, self.pieces(chain))
        elif self.write is not None:
            self.write(chain, path)

    def refuse_unused(self, settings: Settings, name: str) -> None:
        """Raise InputError for every setting that is given and not understood: none is ignored in silence."""
        defects = [
            Defect(f"`{setting}`", f"not used with .{name} files: {does}", "leave it out")
            for setting, does in MEANINGS.items()
            if getattr(settings, setting) and setting not in self.understands
        ]
        if defects:
            raise InputError(defects)


def normalised_notes(states: Sequence[str], rows: Sequence[tuple[int, Fraction]]) -> tuple[str, ...]:
    """What to say of the rows (state, sum) that were divided by their sum.

    >>> normalised_notes(["a", "b"], [(1, Fraction(999, 1000))])
    ("normalised 1 row whose sum was not 1 (state 'b', sum 0.999)",)
    """
    if not rows:
        return ()
    state, total = rows[0]
    many = len(rows) > 1
    count = f"{len(rows)} rows whose sums were" if many else "1 row whose sum was"
    return (f"normalised {count} not 1 ({'first: ' if many else ''}state {states[state]!r}, sum {shown(total)})",)


def dropped_notes(names: Iterable[Iterable[str]], *, keep: bool) -> tuple[str, ...]:
    """What to say of the label names that were dropped, given those of each state."""
    if keep:
        return ()
    counts = Counter(name for state in names for name in set(state) & DROPPED)
    if not counts:
        return ()
    listed = ", ".join(
        f"{name!r} of {n} state{'' if n == 1 else 's'}" for name, n in sorted(counts.items(), reverse=True)
    )
    return (f"dropped the labels {listed}",)
