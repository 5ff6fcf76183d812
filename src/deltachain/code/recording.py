"""What a worker does: it records all runs of a function, or makes recorded runs again, and answers in JSON.

Recording is one long task of one process: what a call keeps is met by the calls after it. Nothing is recorded again
where that has happened. If something is wrong that noise may have caused which is not a number yet, recording ends with
a *suspect*, and a clean process decides (`confirmation`).
"""

from __future__ import annotations

import math
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..cancel import Cancel
from ..draws.source import Site, using
from ..errors import Defect, Stopped
from .calls import Called
from .guards import Generators, Given, Guard, Kept, on_guard
from .recorded import CUT_OFF, Recorded
from .recorder import KnownRuns, RunRecorder
from .rehearsal import Disagreement, Rehearsal
from .runs import RunClaim, RunRow, read_claim, representative_rows
from .watching import Anew, CodeRefused, Stop, Watching
from .wire import Json

EARLY, REHEARSALS = 5, 3
"""So many runs of each secret are made again at once, with so many whole numbers: most mistakes are found early."""

MOST_CLAIMS = 6_000
"""How many runs are kept to be confirmed, of all secrets together, and at least `FEWEST_CLAIMS` of each."""
FEWEST_CLAIMS = 40

RUNNING = "running the code"
"""What is done while code is recorded."""

BETWEEN_SIGNS = 0.2
"""Seconds between two signs of life."""

Tell = Callable[[str], None]
"""Takes progress, as text; it is a sign of life."""


@dataclass(frozen=True)
class Recipe:
    """How code is recorded."""

    tail: float
    announces: bool
    max_runs: int
    max_confirmed: int | None
    max_states: int
    integers: bool
    """Whether noise is a number from the start."""


class CodeRaised(Exception):
    """What the code raised, and in which run, if noise that is not a number yet may be the reason."""

    def __init__(self, secret: int, error: BaseException, path: Sequence[str], claim: RunClaim | None) -> None:
        super().__init__(error)
        self.secret, self.error, self.path, self.claim = secret, error, path, claim


class RecordedAnew(Exception):
    """All is to be recorded anew, with or without parts."""

    def __init__(self, reason: Anew) -> None:
        super().__init__(reason.why)
        self.reason = reason


class Suspect(Exception):
    """A run that does something else with whole numbers in place of its noise; without a row, any may."""

    def __init__(self, secret: int, claim: RunClaim, row: RunRow, what: str) -> None:
        super().__init__(what)
        self.secret, self.claim, self.row, self.what = secret, claim, row, what


@dataclass(frozen=True)
class Subject:
    """The function with its secrets, and what is seen of it."""

    calls: Sequence[Called]
    letter: Callable[[Any], Any] | None
    recipe: Recipe

    def answer(
        self,
        task: Json,
        tell: Tell,
        after_first: Callable[[], None] = lambda: None,
        keep: Callable[[BaseException], None] = lambda _: None,
    ) -> Json:
        """What comes of a task, as JSON.

        Args:
            task: what is to be done.
            tell: takes progress.
            after_first: called when the code was called once.
            keep: is given what the code raises, as it is.
        """
        try:
            with on_guard() as guard:
                if task["do"] == "record":
                    return Recording(self, guard, task, tell, after_first).all_secrets()
                claim = read_claim(task["run"])
                if task["do"] == "follow":
                    return self._follow(guard, task, claim)
                return self._confirm(guard, task, claim, tell)
        except RecordedAnew as again:
            site, why = again.reason
            return {"anew": why, "site": site}
        except CodeRefused as refused:
            return {"refused": [[one.where, one.what, one.fix] for one in refused.defects]}
        except CodeRaised as raised:
            claimed = None if raised.claim is None else raised.claim.write()
            known = describe(raised.error, raised.path)
            keep(raised.error)
            return {"raised": known, "run": claimed, "secret": raised.secret}
        except Suspect as found:
            run = found.claim.write()
            return {"suspect": run, "secret": found.secret, "row": found.row, "what": found.what}

    def _confirm(self, guard: Guard, task: Json, claim: RunClaim, tell: Tell) -> Json:
        """The calls of a batch; the first disagreement, or how many agree."""
        call, rows = self.calls[task["secret"]], task["rows"]
        generators = Generators()
        # After the only call of a process, nobody meets what it leaves behind.
        watched: list[Given | Kept] = []
        signs = SignsOfLife(tell)
        if len(rows) > 1:
            watched = [Given(call, signs.look), Kept(self.functions, signs.look)]
        for number, row in enumerate(rows):
            signs.call(partial("confirming, {:,} calls of a batch".format, number))
            _, found = self.rehearse(call, claim, tuple(row), guard)
            if found is not None:
                return {"agreed": number, "what": found.what, "place": found.place, "raises": found.raises}
        generators.check(call.name)
        for each in watched:
            each.check()
        return {"agreed": len(rows)}

    def rehearse(
        self, call: Called, claim: RunClaim, row: RunRow, guard: Guard
    ) -> tuple[Rehearsal, Disagreement | None]:
        """One call with whole numbers for its noise, and what is not as it was."""
        rehearsal = Rehearsal(claim, row, self.letter)
        error = self.perform(call, rehearsal, guard)
        return rehearsal, rehearsal.judge(error, announces=self.recipe.announces)

    def _follow(self, guard: Guard, task: Json, claim: RunClaim) -> Json:
        """The one run again as it was recorded, with noise that is not a number; whether it is the same."""
        recorded = Recorded(self.recipe.max_states, Cancel())
        recorder = self.recorder(recorded, task, follow=claim.choices)
        error: BaseException | None = None
        for _ in range(MOST_AGAIN):
            error = self.perform(self.calls[task["secret"]], recorder, guard)
            if recorder.ended != "again":
                break
            recorder.again()
        raised = error is not None and not self.recipe.announces
        return {"same": recorder.ended is None and recorder.claim().is_as(claim), "raised": raised}

    def recorder(self, recorded: Recorded, task: Json, **options: Any) -> RunRecorder:
        """A recorder that tells the noise of some lines apart."""
        sites = None if self.recipe.integers else frozenset(Site(*site) for site in task["as_digits"])
        apart = frozenset(Site(*site) for site in task["as_digits"])
        return RunRecorder(recorded, self.recipe.tail, self.letter, sites, parts_apart=apart, **options)

    @property
    def functions(self) -> list[Callable[..., object]]:
        """What may keep something between calls."""
        return [self.calls[0].function, *([] if self.letter is None else [self.letter])]

    def perform(self, call: Called, source: Watching, guard: Guard) -> BaseException | None:
        """One call with a source in force, and its letters; what it raised."""
        if isinstance(source, RunRecorder):
            source.start()
        error: BaseException | None = None
        guard.inside = True
        with using(source):
            try:
                source.record_return(call())
            except Stop:
                pass
            # Where the code runs in this process, an interrupt is the user's and a deadline is ours: both pass.
            except (KeyboardInterrupt, Stopped):
                raise
            except BaseException as raised:
                error = raised
                if self.recipe.announces and isinstance(raised, Exception | SystemExit):
                    with suppress(Stop):
                        _refuse_limits(source, raised)
                        source.record_error(raised)
        guard.inside = False
        guard.check()
        if isinstance(source.ended, CodeRefused):
            raise source.ended
        if isinstance(source.ended, Anew):
            raise RecordedAnew(source.ended)
        return error


def _refuse_limits(source: Watching, error: BaseException) -> None:
    """Memory and the depth of calls are limited by the machine and by what calls the code: no letter says so."""
    if isinstance(error, MemoryError | RecursionError):
        what = f"the code raises {type(error).__name__}, whose reason is a limit and not its arguments"
        source.refuse(what, "let it need less")


MOST_AGAIN = 1_000
"""How often one run is done in another way."""


class SignsOfLife:
    """Says now and then that calls are being made."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._next = tell, time.monotonic() + BETWEEN_SIGNS
        self.calls = 0

    def look(self) -> None:
        """What the code can reach is being looked at, which takes as long as there is much."""
        self._say("looking at what the code can reach".format)

    def call(self, text: Callable[[], str]) -> None:
        """One call more; with what the text says, if it is time for a sign."""
        self.calls += 1
        self._say(text)

    def _say(self, text: Callable[[], str]) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + BETWEEN_SIGNS
            self._tell(text())


class Recording:
    """All runs of all secrets, into one graph."""

    def __init__(self, subject: Subject, guard: Guard, task: Json, tell: Tell, after_first: Callable[[], None]) -> None:
        self.subject, self.guard, self.task = subject, guard, task
        self._after_first, self._signs = after_first, SignsOfLife(tell)
        self.recorded = Recorded(subject.recipe.max_states, Cancel())
        self._fastest = math.inf
        """Seconds of the shortest call."""
        self.made = 0
        """How many runs are recorded, those that were done again included."""

    def all_secrets(self) -> Json:
        """The graph, its roots, and the likeliest runs of each secret."""
        subject = self.subject
        kept = Kept(subject.functions, self._signs.look)
        most = max(FEWEST_CLAIMS, MOST_CLAIMS // len(subject.calls))
        found: dict[str, list[Any]] = {name: [] for name in ("roots", "runs", "left_out", "claims", "read_later")}
        known = None if self.task["known"] is None else read_known(self.task["known"])
        most_followed = subject.recipe.max_confirmed if known is None else None
        for number in range(len(subject.calls)):
            options = {"claims": most} if known is None else {"known": known[number]}
            recorder = subject.recorder(self.recorded, self.task, **options)
            root, done = self._one_secret(number, recorder, kept, most_followed)
            followed = sum(likely > 0 for likely in recorder.likelihoods)
            left_out = max(0, done - (most_followed or done))
            parts = (root, followed, left_out, recorder.claims(), sorted(recorder.read_later))
            for values, part in zip(found.values(), parts, strict=True):
                values.append(part)
        found["claims"] = [[claim.write() for claim in claims] for claims in found["claims"]]
        return {"graph": self.recorded.write(), "calls": self._signs.calls, "per_call": self._fastest, **found}

    def _one_secret(self, number: int, recorder: RunRecorder, kept: Kept, most: int | None) -> tuple[int, int]:
        """Follow every outcome; the root of what was seen, and how many runs there were."""
        call = self.subject.calls[number]
        generators, given = Generators(), Given(call, self._signs.look)
        done, fresh = 0, True
        while True:
            began = time.perf_counter()
            error = self.subject.perform(call, recorder, self.guard)
            self._fastest = min(self._fastest, time.perf_counter() - began)
            self._spend(recorder)
            if fresh:
                # At once: every run after a change would begin with something else.
                self._after_first()
                generators.check(call.name)
                given.check()
                kept.check()
                fresh = False
            if recorder.ended == "again":
                recorder.again()
                continue
            if recorder.ended == "suspect":
                raise Suspect(number, recorder.claim(), (), "it raises an error that cannot be shown as an output")
            recorder.check_end()
            if recorder.ended is None:
                self._settle(number, recorder, error, done)
            root = recorder.finish(followed=most is None or done < most)
            done += 1
            if root is not None:
                break
        generators.check(call.name)
        given.check()
        kept.check()
        if root == CUT_OFF:
            raise CodeRefused(Defect(call.name, "no run was followed to its end", "give a smaller `tail`"))
        return root, done

    def _settle(self, number: int, recorder: RunRecorder, error: BaseException | None, done: int) -> None:
        """Raise what the code raises; some runs again with whole numbers, which also spell letters with noise inside.

        CodeRaised, or Suspect if a run is not as it was.
        """
        holds_open_noise = recorder.holds_open_noise()
        if error is not None and recorder.blocks:
            # It may be about what stands for a list of parts.
            raise RecordedAnew(Anew(recorder.blocks[0].site, f"the code raises {type(error).__name__} after it"))
        if error is not None and not (self.subject.recipe.announces and isinstance(error, Exception | SystemExit)):
            raise CodeRaised(number, error, recorder.path(), recorder.claim() if holds_open_noise else None)
        tried = REHEARSALS if done < EARLY else 1 if recorder.holds_noise() else 0
        if not tried or not holds_open_noise:
            return
        claim, call = recorder.claim(), self.subject.calls[number]
        for row in representative_rows(claim, tried):
            self._signs.call(self._progress(recorder))
            rehearsal, found = self.subject.rehearse(call, claim, row, self.guard)
            if found is not None:
                raise Suspect(number, claim, row, found.what)
            if not recorder.adopt(rehearsal.letters):
                raise Suspect(number, claim, row, "letters look different with other numbers inside")

    def _progress(self, recorder: RunRecorder) -> Callable[[], str]:
        """How many calls were made, and which draws multiply; put together when it is time to say so."""

        def text() -> str:
            multiply = _multiply(recorder)
            return f"{RUNNING}: {self._signs.calls:,} calls" + (f"; {multiply}" if multiply else "")

        return text

    def _spend(self, recorder: RunRecorder) -> None:
        """Count the run that the recorder has just made; CodeRefused if there are too many."""
        self._signs.call(self._progress(recorder))
        self.made += 1 + recorder.part_runs
        self._signs.calls += recorder.part_runs
        recorder.part_runs = 0
        most = self.subject.recipe.max_runs
        if self.made <= most:
            return
        what = f"more than {most:,} runs; {_multiply(recorder)}"
        fix = "draw less, look at less of the noise, allow a larger `tail`, or raise `max_runs`"
        raise CodeRefused(Defect("", what, fix))


def _multiply(recorder: RunRecorder) -> str:
    """The lines of the run at which runs multiply, those with the most outcomes first."""
    sites: dict[tuple[str, str], int] = {}
    for site, text, outcomes in recorder.multiply():
        if outcomes > 1:
            sites[str(site), text] = sites.get((str(site), text), 1) * outcomes
    worst = sorted(sites.items(), key=lambda item: -item[1])[:5]
    shown = "; ".join(f"{text} at {site}: {_brief(count)} outcomes" for (site, text), count in worst)
    return f"draws on one path multiply: {shown}" if shown else ""


def _brief(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"more than 10^{len(str(count)) - 1}"


def write_known(claims: Sequence[Sequence[RunClaim]], read_later: Sequence[Any]) -> Json:
    """Of each secret the runs that are known, as JSON."""
    return [[[claim.choices for claim in each], later] for each, later in zip(claims, read_later, strict=True)]


def read_known(written: Json) -> list[KnownRuns]:
    """What `write_known` wrote."""
    return [
        KnownRuns([tuple(way) for way in ways], [(shown, tuple(way)) for shown, way in later])
        for ways, later in written
    ]


# What the code raised, as JSON and back.


def describe(error: BaseException, path: Sequence[str]) -> Json:
    """An error of the code: its type and arguments, the draws that led to it, and where it was raised."""
    shown = [*path[:5], "…", *path[-5:]] if len(path) > 11 else path
    frames = traceback.extract_tb(error.__traceback__)
    arguments = error.args
    plain = all(type(one) in (str, int, float, bool, type(None)) for one in arguments)
    return {
        "module": type(error).__module__,
        "name": type(error).__qualname__,
        "arguments": list(map(_shorten, arguments)) if plain else [_text_of(error)],
        "text": _text_of(error),
        "note": "deltachain: the draws that led here: " + ("; ".join(shown) or "none"),
        "frames": [[frame.filename, frame.lineno, frame.name] for frame in frames],
    }


def _shorten(argument: Any) -> Any:
    return argument if not isinstance(argument, int) or argument.bit_length() < 64 else str(argument)


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:
        return ""


class RaisedInWorker(Exception):
    """Where an error was raised, in a process that ran the code."""

    def __init__(self, frames: Sequence[tuple[str, int, str]]) -> None:
        super().__init__("\n".join(f"{file}:{line}, in {name}" for file, line, name in frames))
        self.frames = frames


def error_of(raised: Json) -> BaseException:
    """The error that a worker has described; CodeRefused if it cannot be made here."""
    kind: Any = sys.modules.get(raised["module"])
    for part in raised["name"].split("."):
        kind = getattr(kind, part, None)
    frames = [(file, line, name) for file, line, name in raised["frames"]]
    error = _made_again(kind, raised) if isinstance(kind, type) and issubclass(kind, BaseException) else None
    if error is None:
        place = f"{frames[-1][0]}:{frames[-1][1]}" if frames else ""
        error = CodeRefused(Defect(place, f"the code raises {raised['name']}: {raised['text']}", "correct it"))
    error.add_note(raised["note"])
    error.__cause__ = RaisedInWorker(frames)
    return error


def _made_again(kind: type[BaseException], raised: Json) -> BaseException | None:
    """An error of that kind with that text; None if its arguments do not make one."""
    # An __init__ may take other arguments than those that are kept: then it is left out.
    for make in (kind, partial(kind.__new__, kind)):
        with suppress(Exception):
            error = make(*raised["arguments"])
            if str(error) == raised["text"]:
                return error
    return None
