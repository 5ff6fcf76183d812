"""A run as it was recorded, which another process is to make again: draws, letters, and what is known of its noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..draws.laws import DrawnLaw, Weighted
from ..draws.source import Site
from ..programs.language.unbounded import Span
from .points import list_outcomes, nearest_of, representatives
from .wire import Json, read_spans, read_whole, write_spans, write_whole

RunRow = tuple[int, ...]
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


WITH_PARTS = Site("dc.each", 0)
"""Among the lines that are told apart: returned values are shown piece by piece, since they may hold parts."""


def parts_at(site: Site) -> Site:
    """A call of `each` among the lines that are told apart, which is not the noise of that line."""
    return Site(f"{WITH_PARTS.file} {site.file}", site.line)


NOT_KNOWN = "…"
"""In place of a letter with noise inside that was not seen with whole numbers yet; no letter is this one."""


class PartLetters(NamedTuple):
    """The letters of the parts of a call of `each`, by its number in the run."""

    block: int


ClaimedLetter = str | tuple[int, int, int] | PartLetters | None
"""A letter; (noise, sign, shift) of noise that is announced as sign·Z + shift; None if it is not known yet."""


class CallOfEach(NamedTuple):
    """A call of `each`: after how many draws, its line, and of each part all runs."""

    drawn: int
    site: Site
    parts: tuple[tuple[RunClaim, ...], ...]

    def choose(self, part: int, seed: int) -> tuple[RunClaim, RunRow]:
        """The run of a part that a seed stands for: the first seeds go through all of them, later ones mix them."""
        claims = self.parts[part]
        number = seed if seed < len(claims) or seed % 2 else (seed * SCATTER + part * 40_503) % MODULUS >> 7
        claim = claims[number % len(claims)]
        turn = number // len(claims) + part
        each = [list_outcomes(law, spans)[0] or [nearest_of(spans)] for law, spans in claim.noises]
        return claim, tuple(outcomes[turn % len(outcomes)] for outcomes in each)

    def seeds(self) -> int:
        """How many seeds go through all runs of all parts, with whole numbers for their noise."""
        longest = max((len(claims) for claims in self.parts), default=0)
        noises = max(
            (len(list_outcomes(*noise)[0]) for claims in self.parts[:1] for c in claims for noise in c.noises),
            default=1,
        )
        return max(4 * longest, min(2 * longest * noises, SEEDED_CALLS // max(1, len(self.parts))), FEWEST_SEEDS)


SEEDED_CALLS, FEWEST_SEEDS = 40_000, 40
"""About how many calls of functions of items confirm a run, and how often all parts are made again at least."""
SCATTER, MODULUS = 2_654_435_761, 1 << 32


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
    streams: bool = False
    """Whether what is returned is shown piece by piece."""
    blocks: tuple[CallOfEach, ...] = ()
    """The calls of `each`. A row of a run that has some ends with a seed."""

    def expect(self, row: RunRow) -> list[str]:
        """The letters, with these outcomes of its noise."""
        shown = []
        for letter in self.letters:
            if isinstance(letter, PartLetters):
                block = self.blocks[letter.block]
                for part in range(len(block.parts)):
                    claim, given = block.choose(part, row[-1])
                    shown += claim.expect(given)
            elif isinstance(letter, tuple):
                noise, sign, shift = letter
                shown.append(str(sign * row[noise] + shift))
            else:
                shown.append(NOT_KNOWN if letter is None else letter)
        return shown

    def open_noises(self) -> list[int]:
        """The noises of which more than one outcome is left."""
        return [n for n, (_, spans) in enumerate(self.noises) if not _is_known(spans)]

    def open_sites(self) -> frozenset[Site]:
        """The lines that drew noise which was not a number when the code was given it."""
        return frozenset(draw.site for draw in self.draws if draw.kind == "noise")

    def part_sites(self) -> frozenset[Site]:
        """The lines that call `each`, to be told apart."""
        return frozenset(parts_at(block.site) for block in self.blocks)

    def seed(self, rows: Iterable[RunRow], first: int = 0) -> list[RunRow]:
        """The rows, each with a seed for its parts, if it has some."""
        return [(*row, first + n) for n, row in enumerate(rows)] if self.blocks else list(rows)

    def is_as(self, other: RunClaim) -> bool:
        """Whether another process did the same; letters that are not known yet are not compared."""
        if (self.draws, self.noises, self.choices) != (other.draws, other.noises, other.choices):
            return False
        if len(self.letters) != len(other.letters):
            return False
        pairs = zip(self.letters, other.letters, strict=True)
        return all(one == two or one is None or two is None for one, two in pairs)

    def write(self) -> Json:
        """The run as JSON."""
        return {
            "draws": [[*draw[:4], write_whole(draw.outcome), draw.text] for draw in self.draws],
            "letters": list(map(_write_letter, self.letters)),
            "noises": [[key, write_spans(spans)] for key, spans in self.noises],
            "likely": self.likely,
            "choices": self.choices,
            "streams": self.streams,
            "blocks": [
                [drawn, site, [[claim.write() for claim in claims] for claims in parts]]
                for drawn, site, parts in self.blocks
            ],
        }


def _write_letter(letter: ClaimedLetter) -> Json:
    if isinstance(letter, PartLetters):
        return {"block": letter.block}
    return [*letter[:2], write_whole(letter[2])] if isinstance(letter, tuple) else letter


def _read_letter(written: Json) -> ClaimedLetter:
    if isinstance(written, dict):
        return PartLetters(written["block"])
    return (written[0], written[1], read_whole(written[2])) if isinstance(written, list) else written


def _is_known(spans: Sequence[Span]) -> bool:
    low, high, *_ = spans[0]
    return len(spans) == 1 and low is not None and low == high


def read_claim(written: Json) -> RunClaim:
    """What `RunClaim.write` wrote."""
    draws = (
        PrescribedDraw(key, file, line, kind, read_whole(outcome), text)
        for key, file, line, kind, outcome, text in written["draws"]
    )
    letters = map(_read_letter, written["letters"])
    noises = ((key, read_spans(spans)) for key, spans in written["noises"])
    blocks = (
        CallOfEach(drawn, Site(*site), tuple(tuple(map(read_claim, claims)) for claims in parts))
        for drawn, site, parts in written["blocks"]
    )
    return RunClaim(
        tuple(draws),
        tuple(letters),
        tuple(noises),
        written["likely"],
        tuple(written["choices"]),
        written["streams"],
        tuple(blocks),
    )


def representative_rows(claim: RunClaim, most: int) -> list[RunRow]:
    """Whole numbers for the noise of a run, within what is left of each: near, far out, and around."""
    each = [representatives(spans, most) for _, spans in claim.noises]
    longest = max(map(len, each), default=0)
    return claim.seed(tuple(found[n % len(found)] for found in each) for n in range(min(most, longest)))


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
