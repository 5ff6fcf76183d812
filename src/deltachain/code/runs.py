"""A run as it was recorded, which another process is to make again: draws, letters, and what is known of its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..draws.laws import DrawnLaw, Weighted
from ..draws.source import Site
from ..programs.noise import Span
from .wire import Json, read_spans, read_whole, write_spans, write_whole

Row = tuple[int, ...]
"""A whole number for each noise of a run, in the order in which they are drawn."""


class PrescribedDraw(NamedTuple):
    """A draw that is to be made again: its law, its line, and its outcome."""

    key: str
    """`law_text` of the law."""
    file: str
    line: int
    kind: Literal["number", "value", "noise"]
    """Whether ``outcome`` is the number of an outcome, an outcome, or which noise of the run it is."""
    outcome: int
    text: str
    """The call, for people."""

    @property
    def site(self) -> Site:
        """Its line."""
        return Site(self.file, self.line)


ClaimedLetter = str | tuple[int, int, int] | None
"""A letter; (noise, sign, shift) of noise that is announced as sign·Z + shift; None if it is not known yet."""


@dataclass(frozen=True)
class RunClaim:
    """What a run did when it was recorded."""

    draws: tuple[PrescribedDraw, ...]
    letters: tuple[ClaimedLetter, ...]
    noises: tuple[tuple[str, tuple[Span, ...]], ...]
    """Of each noise, `law_text` of its law and what the run has left of its outcomes."""
    likely: float
    """How likely the run is, about."""
    choices: tuple[int, ...]
    """Which outcome it followed at each choice."""

    def expected(self, row: Row) -> list[str]:
        """The letters, with these outcomes of its noise."""
        shown = []
        for letter in self.letters:
            if isinstance(letter, tuple):
                noise, sign, shift = letter
                shown.append(str(sign * row[noise] + shift))
            else:
                shown.append("…" if letter is None else letter)
        return shown

    def open_noises(self) -> list[int]:
        """The noises of which more than one outcome is left."""
        return [n for n, (_, spans) in enumerate(self.noises) if not _is_known(spans)]

    def open_sites(self) -> frozenset[Site]:
        """The lines that drew noise which was not a number when the code was given it."""
        return frozenset(draw.site for draw in self.draws if draw.kind == "noise")

    def is_as(self, other: RunClaim) -> bool:
        """Whether another process did the same; letters that are not known yet are not compared."""
        if (self.draws, self.noises, self.choices) != (other.draws, other.noises, other.choices):
            return False
        if len(self.letters) != len(other.letters):
            return False
        pairs = zip(self.letters, other.letters, strict=True)
        return all(one == two or one is None or two is None for one, two in pairs)

    def written(self) -> Json:
        """The run as JSON."""
        return {
            "draws": [[*draw[:4], write_whole(draw.outcome), draw.text] for draw in self.draws],
            "letters": [[*one[:2], write_whole(one[2])] if isinstance(one, tuple) else one for one in self.letters],
            "noises": [[key, write_spans(spans)] for key, spans in self.noises],
            "likely": self.likely,
            "choices": self.choices,
        }


def _is_known(spans: Sequence[Span]) -> bool:
    low, high, *_ = spans[0]
    return len(spans) == 1 and low is not None and low == high


def read_claim(written: Json) -> RunClaim:
    """What `RunClaim.written` wrote."""
    draws = (
        PrescribedDraw(key, file, line, kind, read_whole(outcome), text)
        for key, file, line, kind, outcome, text in written["draws"]
    )
    letters = ((one[0], one[1], read_whole(one[2])) if isinstance(one, list) else one for one in written["letters"])
    noises = ((key, read_spans(spans)) for key, spans in written["noises"])
    return RunClaim(tuple(draws), tuple(letters), tuple(noises), written["likely"], tuple(written["choices"]))


def outcome_of(law: DrawnLaw, number: int) -> Any:
    """The outcome with that number, of a finite law."""
    if isinstance(law, Weighted):
        return law.values[number]
    low = getattr(law, "low", 0)
    return number if low is None else low + number


def shown_letters(letters: Sequence[str]) -> str:
    """Letters, for people."""
    text = " ".join(filter(None, letters)) or "nothing"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


MOST_SHOWN = 200
"""The longest part of what a run shows that a message holds."""
