"""A recorded run again, with whole numbers in place of its noise: what it draws and shows must be what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ..draws.laws import DrawnLaw
from ..draws.source import call_site, using
from .itemwise import Parts
from .letters import Spelling
from .runs import NOT_KNOWN, CallOfEach, RunClaim, RunRow, outcome_of, shown_letters
from .watching import Stop, Watching
from .wire import law_text


class Rehearsal(Watching):
    """A source that gives a run the outcomes that it had, and compares what it draws."""

    def __init__(self, claim: RunClaim, row: RunRow, letter: Callable[[Any], Any] | None) -> None:
        super().__init__(letter, streams=claim.streams)
        self.claim, self.row = claim, row
        self.letters: list[str] = []
        self.differs: str | None = None
        """What is not as it was, of the draws."""
        self._made = self._blocks = 0

    def each(self, items: Any, function: Callable[..., Any], skip_none: bool) -> Any:
        """A plain map, in which each part makes the run that the seed of the row stands for."""
        site, blocks = call_site(), self.claim.blocks
        expected = blocks[self._blocks] if self._blocks < len(blocks) else None
        if expected is None or expected.site != site:
            return super().each(items, function, skip_none)
        if not self._goes_on():
            return super().each((), function, skip_none)
        block, self._blocks = expected, self._blocks + 1
        by_key = isinstance(items, Mapping)
        given = [tuple(item) for item in items.items()] if by_key else [(item,) for item in items]
        if len(given) != len(block.parts) or block.drawn != self._made:
            self.differs = f"dc.each ({site}) is called with {len(given):,} items after {self._made:,} draws"
            self.stop("again")
        found: dict[Any, Any] = {}
        for number, item in enumerate(given):
            value = self._part(block, number, item, function)
            if not (skip_none and value is None):
                found[item[0] if by_key else number] = value
        return found if by_key else list(found.values())

    def _part(self, block: CallOfEach, number: int, item: tuple[Any, ...], function: Callable[..., Any]) -> Any:
        """What the function returns of one item."""
        claim, row = block.choose(number, self.row[-1])
        part = Rehearsal(claim, row, self.letter)
        part.whole = self
        with using(part):
            try:
                value = function(*item)
            except Stop:
                value = None
            except Exception as error:
                part.differs = part.differs or f"it raises {type(error).__name__}: {error}"[:500]
                value = None
        if part.differs is None and part.made < len(claim.draws):
            part.differs = f"it ends before draw {part.made + 1}"
        if part.differs is not None:
            self.differs = f"part {number + 1} of dc.each: {part.differs}"
            self.stop("again")
        # What it has announced was seen here; what it returns is seen where that is shown.
        self.letters += part.letters
        return value

    @property
    def made(self) -> int:
        """How many draws were made."""
        return self._made

    def cannot_show(self, reason: str) -> NoReturn:
        """It had letters when it was recorded."""
        self.differs = f"what it returns cannot be shown as outputs: {reason}"
        self.stop("again")

    def _show(self, parts: Parts) -> None:  # noqa: ARG002  # as of any source
        self.refuse("what dc.each gave in another run is shown", "keep nothing between calls", call_site())

    def draw(self, law: DrawnLaw) -> Any:
        """The outcome that the run had here."""
        if not self._goes_on():
            return self._anything(law)
        site, number = call_site(), self._made
        if number >= len(self.claim.draws):
            self.differs = f"draw {number + 1} is {law} ({site}), and there was none"
            self.stop("again")
        drawn = self.claim.draws[number]
        if drawn.key != law_text(law) or drawn.site != site:
            self.differs = f"draw {number + 1} is {law} ({site}), and was {drawn.text} ({drawn.site})"
            self.stop("again")
        self._made += 1
        if drawn.kind == "noise":
            return self.row[drawn.outcome]
        return drawn.outcome if drawn.kind == "value" else outcome_of(law, drawn.outcome)

    def _emit(self, spelling: Spelling) -> None:
        if spelling.text is not None:
            self.letters.append(spelling.text)
        self.letters += map(str, spelling.numbers)

    def judge(self, error: BaseException | None, *, announces: bool) -> Disagreement | None:
        """What is not as it was, now that the run is over; None if nothing is."""
        draws = self.claim.draws
        place = str(draws[-1].site) if draws else ""
        if self.differs is None and self._made < len(draws):
            ahead = draws[self._made]
            place = str(ahead.site)
            self.differs = f"the run ends before draw {self._made + 1}, which was {ahead.text}"
        if self.differs is None and error is not None and not announces:
            self.differs = f"it raises {type(error).__name__}: {error}"[:500]
        expected = self.claim.expect(self.row)
        if self.differs is None:
            known = len(expected) == len(self.letters) and all(
                want in (now, NOT_KNOWN) for want, now in zip(expected, self.letters, strict=True)
            )
            if known:
                return None
            self.differs = f"it shows {shown_letters(self.letters)!r}, and showed {shown_letters(expected)!r}"
        return Disagreement(self.differs, place, error is not None)


@dataclass(frozen=True)
class Disagreement:
    """A call that does not do what its run did."""

    what: str
    place: str
    raises: bool
