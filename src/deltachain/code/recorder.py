"""One run after the other through all outcomes of all draws: a source that follows one outcome, and remembers which.

Depth first. A stack holds the choices of the run that is going on; a run that is over has its end put into the graph
(`recorded`), and the last choice with an outcome left takes it. A choice whose outcomes have all been followed becomes
a node and leaves the stack. Code cannot be continued from the middle, so each run begins at the beginning, and replays
the choices of the stack: it must meet the same laws at the same lines, with the same letters between. If it does not,
it is not a function of its arguments and draws, and is refused.

A run may have to end before its time: its path is too unlikely to be followed, noise that was announced as a range is
read later, or it was refused. It is left by `Stop`, which is no Exception. Code may swallow even that, in ``except:``
or ``finally``. So the reason is kept by the recorder, every later draw raises again, and what the code did in between
is thrown away.

*Noise* that is drawn is a `Latent`, and splits are choices as draws are. Announced noise becomes one letter for each
tail (`programs.states`), if it is never looked at again. Whether it is, is not known yet: if code does, everything from
the announcement on is done again, with the noise told apart there.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, NoReturn

from ..draws.laws import DrawnLaw, Uniform, Weighted
from ..draws.source import DrawSource, Site, call_site, in_force
from ..errors import Defect, InputError
from ..programs.noise import Span, first_from
from ..programs.pieces import Line
from ..programs.source import Problem
from ..programs.spread import nearest, told_apart
from .letters import NoLetter, Spelling, announced, raised, returned
from .noisy import EVERYTHING, Latent, NoisyNumber, Spans, tightened
from .recorded import CUT_OFF, NOWHERE, MissingNode, Parts, Recorded, ShowsNoise

MOST_DRAWS = 100_000
"""The most draws of one run, and the most letters that it announces."""

MOST_RAISED = 1_000
"""How often a run that was stopped is told so, before it is given anything at all to come to an end with."""

FAR = 1_000_003
"""How far from the nearest outcome of an endless tail one is tried."""

NOT_A_FUNCTION = "the code is not a function of its arguments and draws"


class CodeRefused(InputError):
    """Code whose chain cannot be made honestly; it says where, and what to do."""


class Stop(BaseException):
    """Leaves code that is recorded."""


class Drawn(NamedTuple):
    """A draw of a run: its law, its line, and the number of the outcome that was taken, or which noise it is."""

    law: DrawnLaw
    site: Site
    outcome: int | Latent
    told_apart: bool = False
    """Whether the outcome is that of noise, itself."""

    def __str__(self) -> str:
        if isinstance(self.outcome, Latent):
            found = self.outcome.outcome
            return str(self.law) if found is None else f"{self.law} = {found}"
        return f"{self.law} = {self.outcome if self.told_apart else outcome_of(self.law, self.outcome)!r}"


class Held(NamedTuple):
    """A letter with noise inside, as it looks with noise in it; what it is with real ints is still to be seen."""

    text: str


class DrewNoise(NamedTuple):
    """Noise was drawn here: not a letter, but the same in every replay."""

    key: Hashable
    site: Site
    text: str


class ShowedNoise(NamedTuple):
    """Noise was announced as it is."""

    latent: int
    law: Hashable
    spans: Spans
    sign: int
    shift: int


Event = str | Held | DrewNoise | ShowedNoise
"""What happens between two choices."""


class Fork:
    """A choice of the run that is going on."""

    __slots__ = ("before", "children", "first", "index", "key", "law", "likely", "site", "spelled", "text", "todo")

    def __init__(self, key: Hashable, law: int, site: Site, text: str, before: list[Event], first: int) -> None:
        self.key, self.law, self.site, self.text, self.before, self.first = key, law, site, text, before, first
        self.likely: list[float] = []
        """Of each outcome: how likely the path is that it is on, about."""
        self.children: list[int] = []
        self.todo: list[int] = []
        """Outcomes that are still to be followed, the next one last."""
        self.index = 0
        self.spelled: list[str] | None = None
        """The letters before it that noise is inside of, with real ints in its place."""


Ended = Literal["lost", "again"] | CodeRefused
"""Why a run ended before its time: its path is not followed; it is done again in another way; nothing is."""


class Watching(DrawSource):
    """A source for one thread and one call of the code, which notices what it cannot follow."""

    def __init__(self, letter: Callable[[Any], Any] | None) -> None:
        self.ended: Ended | None = None
        self.letter = letter
        self._thread = threading.get_ident()
        self._raised = self._announced = 0

    def stop(self, why: Ended) -> NoReturn:
        """End the run, for this reason if there was none before."""
        self.ended = self.ended or why
        raise Stop

    def refuse(self, what: str, fix: str = "", place: object = "") -> NoReturn:
        """End the run and everything: there is no chain."""
        self.stop(CodeRefused(Defect(str(place), what, fix)))

    def stray(self) -> None:
        """A draw or announcement where this source is not in force: in a thread, which does not inherit it."""
        what = "a draw or announcement in another thread while code is recorded: it could not be followed"
        error = CodeRefused(Defect(str(call_site()), what, "draw in the thread that calls the function"))
        self.ended = self.ended or error
        raise error

    def yields_to(self, other: DrawSource) -> None:
        """Refuse: what the code would draw from another source would not be seen."""
        self.refuse(f"the code draws from a source of its own, {other!r}", "let the caller choose it", call_site())

    def announced(self, value: object) -> None:
        """A letter."""
        if not self._goes_on():
            return
        self._announced += 1
        if self._announced > MOST_DRAWS:
            self.refuse(f"a run announces more than {MOST_DRAWS:,} letters", "let it end", call_site())
        self._spell(announced, value)

    def returned(self, value: object) -> None:
        """The run is over, and returned this."""
        if self.ended is None:
            self._spell(returned, value)

    def raised(self, error: BaseException) -> None:
        """The run is over, and raised this."""
        if self.ended is None:
            self._emit(self._spelled(raised, error))

    def _goes_on(self) -> bool:
        """Whether the run has not ended; Stop if it has, as long as that may help."""
        if self._thread != threading.get_ident():
            self.stray()
        if self.ended is None:
            return True
        self._raised += 1
        if self._raised < MOST_RAISED:
            raise Stop
        return False

    def _anything(self, law: DrawnLaw) -> Any:
        """Some outcome for code that catches everything and draws again, so that it may come to an end."""
        if isinstance(law, Weighted):
            return law.values[self._raised % len(law.values)]
        if isinstance(law, Uniform):
            return law.low + self._raised % (law.high - law.low + 1)
        return self._raised % 7 - 3

    def _spell(self, how: Callable[[Any], Spelling], value: object) -> None:
        if self.letter is not None:
            try:
                value = self.letter(value)
            except Exception as error:
                self.refuse(f"letter= raised {type(error).__name__}: {error}", "let it take every value that is shown")
        self._emit(self._spelled(how, value))

    def _spelled(self, how: Callable[[Any], Spelling], value: object) -> Spelling:
        try:
            return how(value)
        except NoLetter as reason:
            self.refuse(str(reason), place=call_site())

    def _emit(self, spelling: Spelling) -> None:
        """Take the letters of a value."""
        raise NotImplementedError


class RunRecorder(Watching):
    """Follows all runs of one function with one secret, one after the other.

    ``tail`` is how likely a path must be to be followed.
    """

    def __init__(self, recorded: Recorded, tail: float, letter: Callable[[Any], Any] | None) -> None:
        super().__init__(letter)
        self.recorded, self._tail = recorded, tail
        self._stack: list[Fork] = []
        self._back = 0
        """To which choice to go back, where a run is done again."""
        self._ends: list[int] = []
        """What each run showed after its last choice, as a node: when all are made again, it must be that."""
        self._done = 0
        """How many runs are over."""
        self._read_later: set[Hashable] = set()
        """Announcements, by the way there, of noise that is looked at later."""
        self._as_digits: set[Site] = set()
        """Lines whose noise code in C has read: it is told apart when it is drawn."""
        self.start()

    # One run.

    def start(self) -> None:
        """Begin a run."""
        self.ended, self._raised, self._announced = None, 0, 0
        self._at = 0
        self._events: list[Event] = []
        self._spelled_last: list[str] | None = None
        self._shown = 0
        self.drawn: list[Drawn] = []
        self.latents: list[Latent] = []

    def draw(self, law: DrawnLaw) -> Any:
        """The outcome that this run follows."""
        if not self._goes_on():
            return self._anything(law)
        site = call_site()
        if len(self.drawn) >= MOST_DRAWS:
            self.refuse(f"a run draws more than {MOST_DRAWS:,} times", "let it end", site)
        try:
            noise = None if type(law) is Weighted else self.recorded.noise(law)
            if noise is not None:
                return self._noise(Latent(len(self.latents), law.key, noise, law), site)
            number = self.recorded.law_of_draw(law)
        except Problem as problem:
            defect = problem.defect()
            self.refuse(defect.what, defect.fix, site)
        outcome = self._chosen(law.key, number, site, law)
        self.drawn.append(Drawn(law, site, outcome))
        return outcome_of(law, outcome)

    def raised(self, error: BaseException) -> None:
        """As ever; an error without a letter may be about noise that is not a number yet, and not the code's."""
        try:
            spelling = raised(error)
        except NoLetter:
            if self.ended is None and self.read_by_others():
                self._back = 0
                self.stop("again")
            super().raised(error)
            return
        if self.ended is None:
            self._emit(spelling)

    def _emit(self, spelling: Spelling) -> None:
        self._shown += 1
        shown = (self._at, self._shown)
        noises = [number for number in spelling.numbers if type(number) is NoisyNumber]
        together = Counter(noisy.latent.number for noisy in noises)
        later = self._read_later and self._place(*shown) in self._read_later
        for noisy in noises:
            # What is shown as a range is a number by itself, shifted by something known, and not read again.
            latent, line = noisy.latent, noisy.line
            by_itself = line.integral and abs(line.slope) == 1 and together[latent.number] == 1
            if later or not by_itself or latent.shown or any(span.step > 1 for span in latent.spans):
                # Asking for the digits makes a choice: from here on this run follows one outcome.
                int(noisy)
        found: list[Event] = []
        if spelling.text is not None:
            found.append(Held(spelling.text) if spelling.held else spelling.text)
        for number in spelling.numbers:
            known = number if type(number) is str else number.known  # type: ignore[union-attr]
            if known is not None:
                found.append(str(known))
                continue
            latent, line = number.latent, number.line  # type: ignore[union-attr]
            latent.shown = shown
            found.append(ShowedNoise(latent.number, latent.key, latent.spans, int(line.slope), int(line.shift)))
        self._events += found

    # Choices.

    def _chosen(self, key: Hashable, law: int, site: Site, what: object) -> int:
        if self._at < len(self._stack):
            choice = self._stack[self._at]
            if choice.key != key or choice.site != site:
                self._differs(choice, f"now {what}" + (f" ({site})" if site != choice.site else ""))
            if choice.before != self._events:
                self._differs_before(choice)
        else:
            choice = Fork(key, law, site, str(what), self._events, self._done)
            path = self._stack[-1].likely[self._stack[-1].index] if self._stack else 1.0
            choice.likely = [path * share for share in self.recorded.likely(law)]
            choice.todo = [n for n, share in enumerate(choice.likely) if share >= self._tail]
            # Taken from the end: first outcomes first.
            choice.todo.reverse()
            choice.children = [CUT_OFF] * len(choice.likely)
            self._stack.append(choice)
            if not choice.todo:
                self._at += 1
                self.stop("lost")
            choice.index = choice.todo.pop()
        self._at += 1
        self._events = []
        return choice.index

    def _noise(self, latent: Latent, site: Site) -> Any:
        self.latents.append(latent)
        if site not in self._as_digits:
            self._events.append(DrewNoise(latent.key, site, str(latent.law)))
            self.drawn.append(Drawn(latent.law, site, latent))
            return NoisyNumber(self, latent, Line(1, 0))
        each, beyond = told_apart(latent.noise, EVERYTHING[0])
        lost = tuple(part for span in beyond if (part := tightened(span)) is not None)
        number = self.recorded.law_of_parts(Parts(latent.key, tuple((Span(z, z),) for z in each), lost))
        outcome = each[self._chosen(("each", number), number, site, latent.law)]
        latent.spans = (Span(outcome, outcome),)
        self.drawn.append(Drawn(latent.law, site, outcome, told_apart=True))
        return outcome

    def latent(self, value: NoisyNumber) -> Latent:
        """The noise that a value is made from, of this run alone."""
        found = value.latent
        source = in_force()
        if source is not self or found.number >= len(self.latents) or self.latents[found.number] is not found:
            what = f"{NOT_A_FUNCTION}: a noisy value is used in another run than the one that drew it"
            error = CodeRefused(Defect(str(call_site()), what, "keep nothing between calls"))
            if not isinstance(source, Watching):
                raise error
            source.stop(error)
        self._goes_on()
        return found

    def split(self, latent: Latent, parts: Sequence[Spans], lost: Spans = ()) -> int:
        """Which part of what is known of the noise this run goes on with."""
        if self.ended is not None:
            # The run is over and will be thrown away: anything that lets the code come to its end.
            return self._raised % len(parts)
        if latent.shown:
            # It was announced as a range. Everything from there on is done again, with its digits.
            self._back = latent.shown[0]
            # Remembered by the way there: on other ways the same announcement may still be a range.
            self._read_later.add(self._place(*latent.shown))
            self.stop("again")
        chosen = 0
        if len(parts) > 1 or lost:
            number = self.recorded.law_of_parts(Parts(latent.key, tuple(parts), lost))
            chosen = self._chosen((latent.number, number), number, call_site(), Looks(latent))
        latent.spans = parts[chosen]
        return chosen

    def _place(self, at: int, shown: int) -> Hashable:
        """An announcement, by the outcomes on the way there."""
        return shown, tuple(choice.index for choice in self._stack[:at])

    # What is not the same in every run.

    def _differs(self, choice: Fork, now: str) -> NoReturn:
        number = len(self.drawn) + 1
        self.refuse(f"{NOT_A_FUNCTION}: draw {number} was {choice.text}, {now}", _STATELESS, choice.site)

    def _differs_before(self, choice: Fork) -> NoReturn:
        before, now = (" ".join(map(_shown, events)) or "nothing" for events in (choice.before, self._events))
        number = len(self.drawn) + 1
        what = f"{NOT_A_FUNCTION}: before draw {number}, {choice.text}, there was {before[:200]}, now {now[:200]}"
        self.refuse(what, _STATELESS, choice.site)

    def check_end(self) -> None:
        """Refuse a run that ended before it met the choices that it met before."""
        if self.ended is None and self._at < len(self._stack):
            choice = self._stack[self._at]
            what = f"{NOT_A_FUNCTION}: draw {len(self.drawn) + 1} was {choice.text}, now the run ends before it"
            raise CodeRefused(Defect(str(choice.site), what, _STATELESS))

    def path(self) -> list[str]:
        """The draws of the run, for people."""
        return [f"{drawn} ({drawn.site})" for drawn in self.drawn]

    def multiplying(self) -> list[tuple[Site, str, int]]:
        """The lines at which runs multiply: what is done there, and how many outcomes are followed."""
        return [(choice.site, choice.text, sum(p >= self._tail for p in choice.likely)) for choice in self._stack]

    # The end of a run.

    def again(self) -> None:
        """Go back to where the run must be done in another way."""
        if self._back < len(self._stack):
            self._done = self._stack[self._back].first
        del self._stack[self._back :]

    def from_the_start(self) -> None:
        """Begin with the first run."""
        self._stack.clear()
        self._done = 0

    def read_by_others(self) -> bool:
        """Let the noise of this run be told apart when it is drawn; False if all of it is."""
        new = {drawn.site for drawn in self.drawn if isinstance(drawn.outcome, Latent)} - self._as_digits
        self._as_digits |= new
        return bool(new)

    def finish(self, *, followed: bool = True) -> int | None:
        """Put the end of the run into the graph, and go on to the next; the root of the graph if there is none.

        A run that is not ``followed`` is cut off: what it does does not count as known.
        """
        lost = not followed or self.ended == "lost"
        try:
            last = self.drawn[-1].site if self.drawn else NOWHERE
            node = CUT_OFF if lost else self._before(self.recorded.end, self._events, self._spelled_last, last)
            self._note_end(node)
            # The end of the run belongs to its last choice; one without outcomes left is
            # complete, and so belongs to the one before.
            while self._stack:
                choice = self._stack[-1]
                choice.children[choice.index] = node
                if choice.todo:
                    choice.index = choice.todo.pop()
                    return None
                node = self.recorded.choice(choice.law, choice.children, choice.site)
                node = self._before(node, choice.before, choice.spelled, choice.site)
                self._stack.pop()
        except MissingNode:
            what = f"{NOT_A_FUNCTION}: called again with the same draws, it shows something else"
            after = f", after {' and '.join(self.path()[-2:])}" if self.drawn else ""
            place = self.drawn[-1].site if self.drawn else ""
            raise CodeRefused(Defect(str(place), what + after, _STATELESS)) from None
        return node

    def _note_end(self, node: int) -> None:
        """Keep what the run showed last; when all runs are made again, MissingNode if it is something else."""
        if not self.recorded.complete:
            # A run that is done again in another way replaces what was noted of it, and of all after it.
            self._ends[self._done :] = [node]
        elif self._done >= len(self._ends) or self._ends[self._done] != node:
            raise MissingNode
        self._done += 1

    def _before(self, node: int, events: Sequence[Event], spelled: Sequence[str] | None, site: Site) -> int:
        """The node of events that are followed by a node."""
        held = len(spelled or ())
        for event in reversed(events):
            if isinstance(event, DrewNoise):
                continue
            if isinstance(event, ShowedNoise):
                shown = ShowsNoise(event.law, event.spans, event.sign, event.shift, node)
                node = self.recorded.shown_noise(shown, site)
            elif isinstance(event, Held):
                held -= 1
                node = self.recorded.shown(event.text if spelled is None else spelled[held], node, site)
            else:
                node = self.recorded.shown(event, node, site)
        return node

    # Confirmation.

    def rehearsals(self, most: int) -> Iterator[dict[int, int]]:
        """Real outcomes for the noise of the run, within what is known of each: near, far out, and around."""
        open_ = [drawn.outcome for drawn in self.drawn if isinstance(drawn.outcome, Latent)]
        choices = {latent.number: _representatives(latent.spans, most) for latent in open_}
        for n in range(min(most, max(map(len, choices.values()), default=0))):
            yield {number: found[n % len(found)] for number, found in choices.items()}

    def holds_noise(self) -> bool:
        """Whether some letter of the run has noise inside."""
        return any(isinstance(event, Held) for event in chain(*(c.before for c in self._stack), self._events))

    def expected(self, outcomes: dict[int, int]) -> Iterator[str | Held]:
        """The letters of the run, with these outcomes of its noise."""
        for event in chain(*(choice.before for choice in self._stack), self._events):
            if isinstance(event, ShowedNoise):
                yield str(event.sign * outcomes[event.latent] + event.shift)
            elif not isinstance(event, DrewNoise):
                yield event

    def adopt(self, letters: Sequence[str]) -> bool:
        """Take the letters that noise is inside of as they are with real ints; False if they were others before."""
        given = iter(letters)
        for choice in [*self._stack, None]:
            events = self._events if choice is None else choice.before
            spelled: list[str] = []
            for event in events:
                if not isinstance(event, DrewNoise):
                    text = next(given)
                    if isinstance(event, Held):
                        spelled.append(text)
            if choice is None:
                before, self._spelled_last = self._spelled_last, spelled
            else:
                before, choice.spelled = choice.spelled, spelled
            if before is not None and before != spelled:
                return False
        return True


_STATELESS = "use nothing that changes between calls: time, files, caches, other random numbers, global variables"


class Looks(NamedTuple):
    """What a choice is that code makes by looking at noise."""

    latent: Latent

    def __str__(self) -> str:
        return f"a look at {self.latent.law}"


def outcome_of(law: DrawnLaw, number: int) -> Any:
    """The outcome with that number, of a finite law."""
    if isinstance(law, Weighted):
        return law.values[number]
    low = getattr(law, "low", 0)
    return number if low is None else low + number


def _shown(event: Event) -> str:
    if isinstance(event, DrewNoise):
        return f"[{event.text}]"
    if isinstance(event, ShowedNoise):
        return "[noise]"
    return repr(event.text if isinstance(event, Held) else event)


def _representatives(spans: Spans, most: int) -> list[int]:
    """Outcomes of the spans: the one nearest to 0, one far up, one far down, and then those around the first."""
    near = min((nearest(span) for span in spans), key=abs)
    top = max(spans, key=lambda span: (span.high is None, span.high or 0))
    bottom = min(spans, key=lambda span: (span.low is not None, span.low or 0))
    up = top.high if top.high is not None else first_from(max(0, top.low or 0) + FAR, top.step, top.residue)
    down = bottom.low
    if down is None:
        start = min(0, bottom.high or 0) - FAR
        down = start - (start - bottom.residue) % bottom.step
    found = dict.fromkeys((near, up, down))
    for distance in range(1, most):
        found |= dict.fromkeys(z for z in (near + distance, near - distance) if any(_holds(span, z) for span in spans))
    return list(found)[:most]


def _holds(span: Span, outcome: int) -> bool:
    low, high, step, residue = span
    inside = (low is None or low <= outcome) and (high is None or outcome <= high)
    return inside and (outcome - residue) % step == 0


class Rehearsal(Watching):
    """One run again, with the outcomes that were followed, and real ints in place of noise."""

    def __init__(self, drawn: Sequence[Drawn], outcomes: dict[int, int], letter: Callable[[Any], Any] | None) -> None:
        super().__init__(letter)
        self._coming = iter(drawn)
        self._outcomes = outcomes
        self.letters: list[str] = []
        self.agrees = True
        """Whether all draws so far were those of the run."""

    def draw(self, law: DrawnLaw) -> Any:
        """The outcome that the run had here."""
        if not self._goes_on():
            return self._anything(law)
        drawn = next(self._coming, None)
        if drawn is None or drawn.law.key != law.key or drawn.site != call_site():
            self.agrees = False
            self.stop("again")
        if isinstance(drawn.outcome, Latent):
            return self._outcomes[drawn.outcome.number]
        return drawn.outcome if drawn.told_apart else outcome_of(law, drawn.outcome)

    def over(self) -> bool:
        """Whether all draws of the run were made."""
        return self.agrees and next(self._coming, None) is None

    def _emit(self, spelling: Spelling) -> None:
        if spelling.text is not None:
            self.letters.append(spelling.text)
        self.letters += map(str, spelling.numbers)
