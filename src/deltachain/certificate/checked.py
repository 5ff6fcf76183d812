"""What the checker said of an answer before it was printed (`inspection` asks it)."""

from __future__ import annotations

from dataclasses import dataclass


class TooLarge(Exception):
    """A certificate that would be longer than asked for."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checker said of an answer before it was printed. What it rejects is never an answer.

    Attributes:
        accepted: True; False if it was not asked, or did not finish; None if there is no certificate to check.
        why: why it is not True.
        pair: the one pair whose bounds were accepted, where those of all pairs together were too much to check.
    """

    accepted: bool | None
    why: str = ""
    pair: tuple[str, str] | None = None

    def __str__(self) -> str:
        """For people: "checked", or that it is not, and why."""
        if self.accepted:
            return "checked"
        if self.pair is not None:
            return "checked for the worst pair alone"
        return f"not checked ({self.why})" if self.accepted is False else f"not checked: {self.why}"

    def __add__(self, other: Checked) -> Checked:
        """Of two parts of one answer: accepted if both are."""
        return other if self.accepted else self


ACCEPTED = Checked(True)
NOT_ASKED = Checked(False, "as asked: run verify")
TOO_LARGE = Checked(False, "certificate too large: run verify")
COMPOSED = "composed runs have no certificate"
"""Why there is none of several runs together."""
