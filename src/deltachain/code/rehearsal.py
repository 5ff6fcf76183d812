"""A recorded run again, with whole numbers in place of its noise: what it draws and shows must be what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..draws.laws import DrawnLaw
from ..draws.source import call_site
from .letters import Spelling
from .runs import Row, RunClaim, outcome_of, shown_letters
from .watching import Watching
from .wire import law_text


class Rehearsal(Watching):
    """A source that gives a run the outcomes that it had, and compares what it draws."""

    def __init__(self, claim: RunClaim, row: Row, letter: Callable[[Any], Any] | None) -> None:
        super().__init__(letter)
        self.claim, self.row = claim, row
        self.letters: list[str] = []
        self.differs: str | None = None
        """What is not as it was, of the draws."""
        self._made = 0

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

    def judged(self, error: BaseException | None, *, announces: bool) -> Disagreement | None:
        """What is not as it was, now that the run is over; None if nothing is."""
        draws = self.claim.draws
        place = str(draws[-1].site) if draws else ""
        if self.differs is None and self._made < len(draws):
            ahead = draws[self._made]
            place = str(ahead.site)
            self.differs = f"the run ends before draw {self._made + 1}, which was {ahead.text}"
        if self.differs is None and error is not None and not announces:
            self.differs = f"it raises {type(error).__name__}: {error}"[:500]
        expected = self.claim.expected(self.row)
        if self.differs is None:
            known = len(expected) == len(self.letters) and all(
                want == now or claimed is None
                for want, now, claimed in zip(expected, self.letters, self.claim.letters, strict=True)
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
