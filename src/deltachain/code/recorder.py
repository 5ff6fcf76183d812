"""One run after the other through all outcomes of all draws: a source that follows one outcome, and remembers which.

Depth first. A stack holds the choices of the run that is going on; a run that is over has its end put into the graph
(`recorded`), and the last choice with an outcome left takes it. A choice whose outcomes have all been followed becomes
a node and leaves the stack. Code cannot be continued from the middle, so each run begins at the beginning, and replays
the choices of the stack: it must meet the same laws at the same lines, with the same letters between. If it does not,
it is not a function of its arguments and draws, and is refused.

A run may have to end before its time: its path is too unlikely to be followed, noise that was announced as a range is
read later, or it was refused. It is left by `Stop` (`watching`).

*Noise* that is drawn is a `Latent`, and splits are choices as draws are. Announced noise becomes one letter for each
tail (`programs.run.states`), if it is never looked at again. Whether it is, is not known yet: if code does, everything
from the announcement on is done again, with the noise told apart there.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from heapq import heapify, heappushpop
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from ..draws.laws import DrawnLaw, Weighted
from ..draws.source import Site, call_site, in_force, using, without_source
from ..errors import Defect, Stopped
from ..programs.language.source import Problem
from ..programs.language.unbounded import Span
from ..programs.noise.pieces import Line
from .itemwise import Parts, PartsByKey, block_of, run_of, site_of
from .letters import NoLetter, Spelling, spell_error
from .noisy import Latent, NoisyNumber, Spans
from .recorded import CUT_OFF, NOWHERE, Recorded, ShowsNoise, ShowsParts, SpansApart
from .rehearsal import Rehearsal
from .remains import Remains
from .runs import (
    WITH_PARTS,
    CallOfEach,
    PartLetters,
    PrescribedDraw,
    RunClaim,
    outcome_of,
    parts_at,
    representative_rows,
)
from .watching import MOST_DRAWS, NOT_A_FUNCTION, Anew, CodeRefused, Stop, Watching
from .wire import law_text

MOST_PART_RUNS = 200_000
"""How often functions of items are called in one run, at most."""

MOST_CLAIMED_OF_PART = 400
"""How many runs one part may have; code whose parts have more is explored as if it called no `each`."""

MOST_PARTS_CLAIMED = 100_000
"""How many runs of parts are kept to be confirmed."""

SCATTER, MODULUS = 2_654_435_761, 1 << 32
"""Of runs that are equally likely, those that are kept are spread over all of them."""


class Drawn(NamedTuple):
    """A draw of a run: its law, its line, and the number of the outcome that was taken, or which noise it is."""

    law: DrawnLaw
    site: Site
    outcome: int | Latent
    told_apart: bool = False
    """Whether the outcome is that of noise, itself."""

    def prescribe(self) -> PrescribedDraw:
        """The draw as one that is to be made again."""
        key = law_text(self.law)
        if isinstance(self.outcome, Latent):
            return PrescribedDraw(key, *self.site, "noise", self.outcome.number, str(self.law))
        return PrescribedDraw(key, *self.site, "value" if self.told_apart else "number", self.outcome, str(self.law))

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


class ShowedParts(NamedTuple):
    """Parts were shown: of which call of `each`, what each of them leads to, and whether some may show nothing."""

    block: int
    roots: tuple[int, ...]
    skips: bool


class MadeParts(NamedTuple):
    """`each` was called here: not a letter, but the same in every replay."""

    site: Site
    roots: tuple[int, ...]


RunEvent = str | Held | DrewNoise | ShowedNoise | ShowedParts | MadeParts
"""What happens between two choices."""


class Fork:
    """A choice of the run that is going on."""

    __slots__ = ("before", "children", "first", "index", "key", "law", "likely", "site", "spelled", "text", "todo")

    def __init__(self, key: Hashable, law: int, site: Site, text: str, before: list[RunEvent], first: int) -> None:
        self.key, self.law, self.site, self.text, self.before, self.first = key, law, site, text, before, first
        self.likely: list[float] = []
        """Of each outcome: how likely the path is that it is on, about."""
        self.children: list[int] = []
        self.todo: list[int] = []
        """Outcomes that are still to be followed, the next one last."""
        self.index = 0
        self.spelled: list[str] | None = None
        """The letters before it that noise is inside of, with real ints in its place."""


Way = tuple[int, ...]
"""Which outcome was followed at each choice."""
Announcement = tuple[int, Way]
"""Which letter it is since the last choice, and the way there."""


class KnownRuns(NamedTuple):
    """Runs of a secret, by their choices, and announcements on the way whose noise is looked at later."""

    choices: Sequence[Way]
    read_later: Sequence[Announcement]

    def ways(self) -> frozenset[Way]:
        """The ways of these runs, and everything that they begin with."""
        return frozenset(way[:n] for way in self.choices for n in range(len(way) + 1))


class RunRecorder(Watching):
    """Follows all runs of one function with one secret, one after the other.

    Args:
        recorded: where all runs go.
        tail: how likely a path must be to be followed.
        letter: what is seen of a value.
        as_digits: lines whose noise code has read without asking: it is told apart when it is drawn; None: all lines.
        claims: how many runs are kept as they were, to be confirmed; the most likely ones are.
        follow: the outcomes of the choices of one run, if only that is made.
        known: the runs that are made, where the others are unknown.
        whole: the recorder of the run that this is a part of.
        parts_apart: lines of calls of `each` whose parts are told apart; `WITH_PARTS` if there are others.
    """

    def __init__(
        self,
        recorded: Recorded,
        tail: float,
        letter: Callable[[Any], Any] | None,
        as_digits: frozenset[Site] | None = frozenset(),
        claims: int = 0,
        follow: Sequence[int] | None = None,
        known: KnownRuns | None = None,
        whole: RunRecorder | None = None,
        parts_apart: frozenset[Site] = frozenset(),
    ) -> None:
        super().__init__(letter, streams=WITH_PARTS in parts_apart)
        self.recorded, self._tail = recorded, tail
        self.whole, self._parts_apart = whole, parts_apart
        self._end = recorded.end if whole is None else recorded.part_end
        self.part_runs = self._part_claims = 0
        """How often functions of items were called, since that was counted; how many runs of parts are kept."""
        self._as_digits, self._follow = as_digits, follow
        self._stack: list[Fork] = []
        self._back = 0
        """To which choice to go back, where a run is done again."""
        self.likelihoods = array("d")
        """Of each run that is over and followed, about; 0 of others."""
        self._claims: list[tuple[float, int, int, RunClaim]] = []
        """The most likely runs: a heap of (how likely, in no order, number of the run, the run)."""
        self._most_claims = claims
        self._known = None if known is None else known.ways()
        self.read_later: set[Announcement] = set() if known is None else set(known.read_later)
        """Announcements of noise that is looked at later."""
        self.start()

    # One run.

    def start(self) -> None:
        """Begin a run."""
        self.ended, self._raised, self._announced = None, 0, 0
        self._at = 0
        self._events: list[RunEvent] = []
        self._spelled_last: list[str] | None = None
        self._shown = 0
        self.drawn: list[Drawn] = []
        self.latents: list[Latent] = []
        self.blocks: list[CallOfEach] = []

    # Parts.

    def each(self, items: Any, function: Callable[..., Any], skip_none: bool) -> Any:
        """What `each` gives: parts that nobody has told apart, unless they are to be."""
        site = call_site()
        if not self._goes_on() or self.whole is not None or parts_at(site) in self._parts_apart:
            return super().each(items, function, skip_none)
        if not self.streams:
            self.stop(Anew(None, ""))
        by_key = isinstance(items, Mapping)
        given = [tuple(item) for item in items.items()] if by_key else [(item,) for item in items]
        reached = without_source(lambda: Remains([function], {"items": given}))
        explore = partial(self._explore, function, site, by_key=by_key, skip_none=skip_none)
        parts = [explore(item, shows=False) for item in given]
        shows = any(part.announces for part in parts)
        if shows:
            # What they announce is seen here, and then they are None, all of them.
            parts = [explore(item, shows=True) for item in given]
        if changed := without_source(reached.list_changed):
            self.stop(Anew(site, f"{changed[0]} is another value after its function was called"))
        roots = tuple(part.root for part in parts)
        number = len(self.blocks)
        self.blocks.append(CallOfEach(len(self.drawn), site, tuple(part.claims for part in parts)))
        self._events.append(MadeParts(site, roots))
        if shows:
            self._shown += 1
            self._events.append(ShowedParts(number, roots, skips=False))
            nothing = [(key, None) for key, *_ in given if not skip_none]
            return dict(nothing) if by_key else [None for _ in nothing]
        return (PartsByKey if by_key else Parts)(self, site, number, roots, skips=skip_none)

    def _explore(
        self,
        function: Callable[..., Any],
        site: Site,
        item: tuple[Any, ...],
        *,
        by_key: bool,
        skip_none: bool,
        shows: bool,
    ) -> ExploredPart:
        """All runs of the function with one item.

        With ``shows``, what it announces is its part of what is seen; otherwise what it returns is.
        """
        recorder = RunRecorder(
            self.recorded, self._tail, self.letter, self._as_digits, claims=MOST_CLAIMED_OF_PART, whole=self
        )
        recorder.streams = True
        announces = False
        while True:
            self.part_runs += 1
            if self.part_runs > MOST_PART_RUNS:
                self.stop(Anew(site, f"its parts have more than {MOST_PART_RUNS:,} runs"))
            recorder.start()
            end = PartEnd(item[0] if by_key else None, by_key=by_key, skip_none=skip_none, shows=shows)
            error = _run_part(recorder, function, item, end)
            if self.ended is not None:
                raise Stop
            if isinstance(recorder.ended, CodeRefused | Anew):
                self.stop(recorder.ended)
            if recorder.ended == "again":
                recorder.again()
                continue
            if error is not None or recorder.ended == "suspect":
                self.stop(Anew(site, f"its function raises {type(error).__name__}"))
            try:
                recorder.check_end()
            except CodeRefused as refused:
                self.stop(refused)
            if recorder.ended is None:
                self._rehearse_part(recorder, function, item, end, site)
            announces |= recorder.announces
            root = recorder.finish()
            if root is not None:
                break
        claims = recorder.claims()
        self._part_claims += len(claims)
        if len(claims) < sum(likely > 0 for likely in recorder.likelihoods) or self._part_claims > MOST_PARTS_CLAIMED:
            what = f"a part has more than {MOST_CLAIMED_OF_PART:,} runs, or all have more than {MOST_PARTS_CLAIMED:,}"
            self.stop(Anew(site, what))
        return ExploredPart(root, tuple(claims), announces)

    def _rehearse_part(
        self, recorder: RunRecorder, function: Callable[..., Any], item: tuple[Any, ...], end: PartEnd, site: Site
    ) -> None:
        """A run of a part again with whole numbers, which also spell letters with noise inside."""
        if not recorder.holds_open_noise():
            return
        claim = recorder.claim()
        for row in representative_rows(claim, 2 if recorder.holds_noise() else 1):
            rehearsal = Rehearsal(claim, row, self.letter)
            rehearsal.whole = self
            error = _run_part(rehearsal, function, item, end)
            if self.ended is not None:
                raise Stop
            found = rehearsal.judge(error, announces=False)
            if found is not None or not recorder.adopt(rehearsal.letters):
                self.stop(Anew(site, "its function tells noise from a whole number"))

    def look_into(self, parts: Parts, why: str) -> NoReturn:
        """The code looks into parts: from now on they are told apart."""
        source = in_force()
        if isinstance(source, Watching) and source is not self:
            source.ended = source.ended or "again"
        self.stop(Anew(site_of(parts), why))

    def cannot_show(self, reason: str) -> NoReturn:
        """Of a value with parts, or of a part: they are told apart, which may have a letter."""
        if self.blocks:
            self.stop(Anew(self.blocks[0].site, reason))
        if self.whole is not None:
            self.stop("suspect")
        super().cannot_show(reason)

    def _show(self, parts: Parts) -> None:
        number, roots, skips = block_of(parts)
        if run_of(parts) is not self or number >= len(self.blocks) or self.whole is not None:
            self.refuse(
                "what dc.each gives is used in another run than the one that called it", _STATELESS, call_site()
            )
        self._shown += 1
        self._events.append(ShowedParts(number, roots, skips))

    @property
    def announces(self) -> bool:
        """Whether the run has announced something."""
        return self._announced > 0

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
        outcome = self._choose(law.key, number, site, law)
        self.drawn.append(Drawn(law, site, outcome))
        return outcome_of(law, outcome)

    def record_error(self, error: BaseException) -> None:
        """As ever; an error without a letter may be about noise that is not a number yet, and not the code's."""
        try:
            spelling = spell_error(error)
        except NoLetter:
            if self.holds_open_noise():
                self.stop("suspect")
            super().record_error(error)
            return
        if self.ended is None:
            self._emit(spelling)

    def _emit(self, spelling: Spelling) -> None:
        self._shown += 1
        shown = (self._at, self._shown)
        noises = [number for number in spelling.numbers if type(number) is NoisyNumber]
        together = Counter(noisy.latent.number for noisy in noises)
        later = self.read_later and self._place(*shown) in self.read_later
        for noisy in noises:
            # What is shown as a range is a number by itself, shifted by something known, and not read again.
            latent, line = noisy.latent, noisy.line
            by_itself = line.integral and abs(line.slope) == 1 and together[latent.number] == 1
            if later or not by_itself or latent.shown or any(span.step > 1 for span in latent.spans):
                # Asking for the digits makes a choice: from here on this run follows one outcome.
                int(noisy)
        found: list[RunEvent] = []
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

    def _choose(self, key: Hashable, law: int, site: Site, what: object) -> int:
        if self._at < len(self._stack):
            choice = self._stack[self._at]
            if choice.key != key or choice.site != site:
                self._differs(choice, f"now {what}" + (f" ({site})" if site != choice.site else ""))
            if choice.before != self._events:
                self._differs_before(choice)
        else:
            choice = Fork(key, law, site, str(what), self._events, len(self.likelihoods))
            path = self._stack[-1].likely[self._stack[-1].index] if self._stack else 1.0
            choice.likely = [path * share for share in self.recorded.likely(law)]
            choice.todo = [n for n, share in enumerate(choice.likely) if share >= self._tail]
            if self._follow is not None:
                ahead = self._follow[len(self._stack)] if len(self._stack) < len(self._follow) else 0
                choice.todo = [min(ahead, len(choice.likely) - 1)]
            if self._known is not None:
                way = tuple(choice.index for choice in self._stack)
                choice.todo = [n for n in choice.todo if (*way, n) in self._known]
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
        if self._as_digits is not None and site not in self._as_digits:
            self._events.append(DrewNoise(latent.key, site, str(latent.law)))
            self.drawn.append(Drawn(latent.law, site, latent))
            return NoisyNumber(self, latent, Line(1, 0))
        each, number = self.recorded.outcomes_of(latent.key, latent.noise)
        outcome = each[self._choose(("each", number), number, site, latent.law)]
        latent.spans = (Span(outcome, outcome),)
        self.drawn.append(Drawn(latent.law, site, outcome, told_apart=True))
        return outcome

    def latent(self, value: NoisyNumber) -> Latent:
        """The noise that a value is made from, of this run alone."""
        found = value.latent
        source = in_force()
        if source is not self or found.number >= len(self.latents) or self.latents[found.number] is not found:
            what = f"{NOT_A_FUNCTION}: a noisy value is used in another run than the one that drew it"
            fix = "keep nothing between calls"
            if self.whole is not None or (isinstance(source, Watching) and source.whole is not None):
                what = "dc.each: noise is used in another part than the one that drew it, or outside of it"
                fix = "let each part draw what it uses, and return it; or call the function without dc.each"
            error = CodeRefused(Defect(str(call_site()), what, fix))
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
            self.read_later.add(self._place(*latent.shown))
            self.stop("again")
        chosen = 0
        if len(parts) > 1 or lost:
            number = self.recorded.law_of_parts(SpansApart(latent.key, tuple(parts), lost))
            chosen = self._choose((latent.number, number), number, call_site(), Looks(latent))
        latent.spans = parts[chosen]
        return chosen

    def _place(self, at: int, shown: int) -> Announcement:
        """An announcement, by the outcomes on the way there."""
        return shown, tuple(choice.index for choice in self._stack[:at])

    # What is not the same in every run.

    def _differs(self, choice: Fork, now: str) -> NoReturn:
        number = len(self.drawn) + 1
        self.refuse(f"{NOT_A_FUNCTION}: draw {number} was {choice.text}, {now}", _STATELESS, choice.site)

    def _differs_before(self, choice: Fork) -> NoReturn:
        both = (choice.before, self._events)
        before, now = (" ".join(filter(None, map(_show, events))) or "nothing" for events in both)
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

    def multiply(self) -> list[tuple[Site, str, int]]:
        """The lines at which runs multiply: what is done there, and how many outcomes are followed."""
        return [(choice.site, choice.text, sum(p >= self._tail for p in choice.likely)) for choice in self._stack]

    # The end of a run.

    def again(self) -> None:
        """Go back to where the run must be done in another way."""
        if self._back < len(self._stack):
            first = self._stack[self._back].first
            del self.likelihoods[first:]
            if any(number >= first for _, _, number, _ in self._claims):
                self._claims = [entry for entry in self._claims if entry[2] < first]
                heapify(self._claims)
        del self._stack[self._back :]

    def finish(self, *, followed: bool = True) -> int | None:
        """Put the end of the run into the graph, and go on to the next; the root of the graph if there is none.

        A run that is not ``followed`` is cut off: what it does does not count as known.
        """
        lost = not followed or self.ended == "lost"
        last = self.drawn[-1].site if self.drawn else NOWHERE
        node = CUT_OFF if lost else self._before(self._end, self._events, self._spelled_last, last)
        self._claim(0.0 if lost else self.likely)
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
        return node

    @property
    def likely(self) -> float:
        """How likely the run is, about."""
        return self._stack[-1].likely[self._stack[-1].index] if self._stack else 1.0

    def _claim(self, likely: float) -> None:
        """Keep the run for its confirmation, if it is likely enough; of equally likely ones, any."""
        number = len(self.likelihoods)
        self.likelihoods.append(likely)
        if not likely or not self._most_claims:
            return
        rank = (likely, number * SCATTER % MODULUS, number)
        if len(self._claims) < self._most_claims:
            self._claims.append((*rank, self.claim()))
            if len(self._claims) == self._most_claims:
                heapify(self._claims)
        elif rank > self._claims[0][:3]:
            heappushpop(self._claims, (*rank, self.claim()))

    def claims(self) -> list[RunClaim]:
        """The most likely runs, as they were."""
        return [claim for *_, claim in sorted(self._claims, key=lambda entry: entry[:3], reverse=True)]

    def claim(self) -> RunClaim:
        """What the run that is over did."""
        letters: list[Any] = []
        parts = [(choice.before, choice.spelled) for choice in self._stack]
        for events, spelled in (*parts, (self._events, self._spelled_last)):
            real = iter(spelled or ())
            for event in events:
                if isinstance(event, ShowedNoise):
                    letters.append((event.latent, event.sign, event.shift))
                elif isinstance(event, ShowedParts):
                    letters.append(PartLetters(event.block))
                elif isinstance(event, Held):
                    letters.append(next(real, None))
                elif not isinstance(event, DrewNoise | MadeParts):
                    letters.append(event)
        return RunClaim(
            draws=tuple(drawn.prescribe() for drawn in self.drawn),
            letters=tuple(letters),
            noises=tuple((law_text(latent.law), latent.spans) for latent in self.latents),
            likely=self.likely,
            choices=tuple(choice.index for choice in self._stack),
            streams=self.streams,
            blocks=tuple(self.blocks),
        )

    def holds_open_noise(self) -> bool:
        """Whether the code was given noise that is not a number."""
        return any(isinstance(drawn.outcome, Latent) for drawn in self.drawn)

    def _before(self, node: int, events: Sequence[RunEvent], spelled: Sequence[str] | None, site: Site) -> int:
        """The node of events that are followed by a node."""
        held = len(spelled or ())
        for event in reversed(events):
            if isinstance(event, DrewNoise | MadeParts):
                continue
            if isinstance(event, ShowedParts):
                node = self.recorded.shown_parts(ShowsParts(event.roots, event.skips, node), site)
            elif isinstance(event, ShowedNoise):
                shown = ShowsNoise(event.law, event.spans, event.sign, event.shift, node)
                node = self.recorded.shown_noise(shown, site)
            elif isinstance(event, Held):
                held -= 1
                text = event.text if spelled is None else spelled[held]
                node = self.recorded.show(text, node, site) if text else node
            elif event:
                node = self.recorded.show(event, node, site)
        return node

    # Rehearsal.

    def holds_noise(self) -> bool:
        """Whether some letter of the run has noise inside."""
        return any(isinstance(event, Held) for event in chain(*(c.before for c in self._stack), self._events))

    def adopt(self, letters: Sequence[str]) -> bool:
        """Take the letters that noise is inside of as they are with real ints; False if they were others before."""
        given = iter(letters)
        for choice in [*self._stack, None]:
            events = self._events if choice is None else choice.before
            spelled: list[str] = []
            for event in events:
                if not isinstance(event, DrewNoise | MadeParts):
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


class ExploredPart(NamedTuple):
    """What one item leads to, the runs of its part, and whether some of them announce something."""

    root: int
    claims: tuple[RunClaim, ...]
    announces: bool


class PartEnd(NamedTuple):
    """How a part ends: what is seen of what its function returns."""

    key: object
    by_key: bool
    skip_none: bool
    shows: bool
    """Whether what it announces is seen, and not what it returns."""

    def show(self, source: Watching, value: object) -> None:
        """Show it."""
        if source.ended is not None or (value is None and (self.shows or self.skip_none)):
            return
        if self.shows:
            what = "the function of dc.each announces something, and returns something else than None"
            source.refuse(what, "let it do one of both", call_site())
        if self.by_key:
            source.emit_key(self.key)
        source.returned_piecewise(value)


def _run_part(
    source: Watching, function: Callable[..., Any], item: tuple[Any, ...], end: PartEnd
) -> BaseException | None:
    """One call of the function of a part; what it raises."""
    with using(source):
        try:
            end.show(source, function(*item))
        except Stop:
            pass
        except (KeyboardInterrupt, Stopped):
            raise
        except BaseException as error:
            return error
    return None


_STATELESS = "use nothing that changes between calls: time, files, caches, other random numbers, global variables"


class Looks(NamedTuple):
    """What a choice is that code makes by looking at noise."""

    latent: Latent

    def __str__(self) -> str:
        return f"a look at {self.latent.law}"


def _show(event: RunEvent) -> str:
    if isinstance(event, DrewNoise):
        return f"[{event.text}]"
    if isinstance(event, ShowedNoise):
        return "[noise]"
    if isinstance(event, ShowedParts | MadeParts):
        return "[parts]"
    text = event.text if isinstance(event, Held) else event
    return repr(text) if text else ""
