"""A chain from ordinary Python: the function is run once for each sequence of draws, and confirmed.

`from_code` runs a function again and again, with a source that follows one outcome at each draw (`recorder`), until all
sequences of draws have been met, each with its exact probability. What a watcher sees of a run are the letters that it
announces and, last, the value that it returns. The chain is folded by the code that folds programs (`programs.states`).

What a chain claims about code is only as good as what was seen of it. So nothing is believed after one look:

1. A run whose code was given noise that is not a number yet (`noisy`) is run again at once with real integers, near and
   far, within what the run has left of each noise. Draws and letters must be those that were recorded. If they are not,
   code in C has read digits that were not there: then the noise of these lines is told apart when it is drawn.
2. When all secrets are done, all runs are made once more. They must meet the same choices and show the same letters:
   what happens after the last draw is seen twice, and so is what is kept from one secret to the next. Functions with
   few runs are run at least `AT_LEAST` times.
3. Arguments and global generators must be what they were; threads and forks are refused (`guards`).

Where ``max_confirmed`` leaves runs unconfirmed, what they do is cut off: it counts as unknown, and no verdict can rest
on it.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from ..cancel import Cancel, Report
from ..draws.source import using
from ..errors import Defect, InputError
from ..model import Chain, Valuation
from ..numbers.fraction import Number, as_probability
from ..parameters import Neighbours
from ..programs.protocol import MAX_STATES, Program, related
from ..programs.relation import take_rules
from ..programs.source import Problem
from ..programs.states import States
from ..programs.valuations import NOT_HELD, recorded
from ..programs.values import Value, as_value
from ..version import __version__
from .guards import Guard, Surroundings, on_guard
from .letters import NoLetter, announced
from .recorded import CUT_OFF, Recorded
from .recorder import NOT_A_FUNCTION, CodeRefused, Held, Rehearsal, RunRecorder, Stop

MAX_RUNS = 200_000
"""How many runs are recorded unless the caller says otherwise."""

AT_LEAST = 20
"""How often a function is called again at least: one that tosses a coin of its own is seen to, with few runs too."""

REHEARSALS, MORE_REHEARSALS = 3, 40
"""How many real integers are tried for noise: near, far up and far down; in the first runs more, those around."""

CUT_BECAUSE = "noise is told apart or added up, or runs are too unlikely to be followed"
"""Where mass is cut off."""

LONGEST_NAME = 40
"""A secret's value with a longer text is not part of its state's name."""

Secret = Mapping[str, object]


@runtime_checkable
class Listable(Protocol):
    """What lists its numbers, as arrays do."""

    def tolist(self) -> object:
        """Its numbers, in lists of lists."""


class Called(NamedTuple):
    """The function with one secret."""

    name: str
    arguments: dict[str, object]
    function: Callable[..., object]

    def __call__(self) -> object:
        """Run it."""
        return self.function(**self.arguments)


@dataclass
class RunsLeft:
    """How many runs are left, and what may end the work."""

    most: int
    cancel: Cancel
    recorded: int = 0
    calls: int = 0
    """All calls of the function, those that confirm included."""

    def spend(self, recorder: RunRecorder) -> None:
        """Pay for the run that the recorder has just made; CodeRefused if there are too many."""
        self.called()
        self.recorded += 1
        if self.recorded <= self.most:
            return
        sites: dict[tuple[str, str], int] = {}
        for site, text, outcomes in recorder.multiplying():
            if outcomes > 1:
                sites[str(site), text] = sites.get((str(site), text), 1) * outcomes
        worst = sorted(sites.items(), key=lambda item: -item[1])[:5]
        shown = "; ".join(f"{text} at {site}: {_brief(count)} outcomes" for (site, text), count in worst)
        what = f"more than {self.most:,} runs. Draws on one path multiply: {shown}"
        fix = "draw less, look at less of the noise, allow a larger `tail`, or raise `max_runs`"
        raise CodeRefused(Defect("", what, fix))

    def called(self) -> None:
        """Count a call, and look at the deadline."""
        self.calls += 1
        if self.calls % 256 == 0 or self.cancel.stopped():
            self.cancel.check()
            self.cancel.report(f"running the code: {self.calls:,} calls")


def _brief(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"more than 10^{len(str(count)) - 1}"


@take_rules
def from_code(
    function: Callable[..., object],
    secrets: Sequence[Secret],
    *,
    constants: Mapping[str, object] | None = None,
    letter: Callable[[Any], Any] | None = None,
    errors: Literal["raise", "announce"] = "raise",
    tail: Number = "1e-30",
    max_runs: int = MAX_RUNS,
    max_confirmed: int | None = None,
    max_states: int = MAX_STATES,
    neighbours: Neighbours | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    cancel: Cancel | None = None,
) -> Chain:
    """The chain of a plain Python function, which is run once for each sequence of draws.

    The function draws with `flip`, `uniform`, `discrete_laplace` and their like, or from `Random` and
    `numpy_generator`. Its letters are what it announces and, last, what it returns. It must be a function of its
    arguments and draws, and draw finitely often but for paths that are less likely than ``tail``.

    Args:
        function: any callable that takes keyword arguments.
        secrets: the values of some parameters, a mapping for each secret; one start state each, in that order.
        constants: the values of other parameters, the same for all secrets.
        letter: what is seen of a value that is returned or announced (default: all of it).
        errors: "raise" exceptions of the code, or "announce" them: then they are what a watcher sees.
        tail: outcomes on paths that are less likely are not followed; what they lead to counts as unknown.
        max_runs: how many runs are recorded at most, all secrets together.
        max_confirmed: how many runs of each secret are confirmed (default: all); what the others do is unknown.
        max_states: how many states the chain may have.
        neighbours: which secrets are compared: a rule as of `load`, such as ``"add-remove"``, or a function of two
            secrets, asked in both orders; without it, all are.
        timeout: stop after so many seconds.
        report: a function that is given progress as text.
        cancel: a token of the caller's that stands for timeout and report.

    Raises:
        CodeRefused: the code is not a function of its arguments and draws, does what cannot be followed, shows a value
            without a letter, or needs too many runs.
        InputError: secrets that do not fit the function; all defects at once.
        Stopped: it was cancelled.
        Exception: what the code raises, with the draws that led to it as a note.

    >>> import deltachain as dc
    >>> def answer(truth): return truth if dc.flip("1/2") else dc.flip("1/2")
    >>> chain = from_code(answer, secrets=[dict(truth=True), dict(truth=False)])
    >>> dc.check(chain, exp_epsilon=3, delta=0).verdict
    'private'
    """
    limits = _limits(max_runs, max_confirmed, max_states, errors)
    if limits:
        raise InputError(limits)
    calls = _calls(function, secrets, constants or {})
    least = float(as_probability(tail, "tail"))
    cancel = cancel or Cancel(timeout, report)
    recorded = Recorded(max_states, cancel.during("running the code"))
    budget = RunsLeft(max_runs, recorded.cancel)
    announces = errors == "announce"
    replays = [Replay(call, RunRecorder(recorded, least, letter), budget, announces, max_confirmed) for call in calls]
    with on_guard() as guard:
        roots = [replay.record(guard) for replay in replays]
        # From here on a node that is not known yet is a difference between two calls.
        recorded.complete = True
        for replay in replays:
            replay.confirm(guard)
    recorded.complete = False
    recorded.prepare(roots)
    states = States(recorded, roots, CUT_BECAUSE)
    moves = states.rows()
    names = tuple(call.name for call in calls)
    records = [_records(call.arguments, secret) for call, secret in zip(calls, secrets, strict=True)]
    valuations = (*records, *({},) * (len(states.states) - len(calls)))
    pairs = tuple(related(secrets, neighbours))
    all_names = (*names, *states.names(names, len(names)))
    made = f"made by running the code {budget.calls:,} times: {origin(function)}"
    notes = [made, *_unconfirmed(replays), *states.notes]
    parts = (all_names, states.labels, moves, pairs, valuations)
    return Chain(*parts, step_by_step=states.step_by_step, notes=tuple(notes))


def _unconfirmed(replays: Sequence[Replay]) -> list[str]:
    """Say how much was not confirmed."""
    left = sum(max(0, replay.runs - replay.most) for replay in replays if replay.most is not None)
    if not left:
        return []
    return [f"{left:,} runs were not confirmed (max_confirmed): what they do counts as unknown, and decides nothing"]


@dataclass
class Replay:
    """All runs of a function with one secret."""

    call: Called
    recorder: RunRecorder
    budget: RunsLeft
    announces: bool
    most: int | None
    """How many runs are confirmed; None: all."""
    root: int = CUT_OFF
    runs: int = 0

    def record(self, guard: Guard) -> int:
        """Follow every outcome; the root of what was seen."""
        surroundings = Surroundings(self.call.arguments, self.call.name)
        done = 0
        while True:
            error = self._performed(self.recorder, guard)
            self.budget.spend(self.recorder)
            # At once: every run after a changed argument would begin with something else.
            if done == 0:
                surroundings.check()
            if self._again():
                continue
            followed = self.most is None or done < self.most
            tried = max(REHEARSALS, MORE_REHEARSALS // (done + 1))
            if self.recorder.ended is None and followed and not self._rehearsed(guard, error, tried):
                # Code that asks for no digits has read them: those lines are told apart from the first run on.
                self.recorder.from_the_start()
                done = 0
                continue
            done += 1
            root = self.recorder.finish(followed=followed)
            if root is not None:
                break
        surroundings.check()
        if root == CUT_OFF:
            raise CodeRefused(Defect(self.call.name, "no run was followed to its end", "give a smaller `tail`"))
        self.root, self.runs = root, done
        return root

    def confirm(self, guard: Guard) -> None:
        """Run everything once more, and a function with few runs several times: all must be as it was."""
        surroundings = Surroundings(self.call.arguments, self.call.name)
        most = self.runs if self.most is None else min(self.runs, self.most)
        for _ in range(max(1, -(-AT_LEAST // self.runs))):
            self.recorder.from_the_start()
            root, done = None, 0
            while root is None and done < most:
                self.budget.called()
                error = self._performed(self.recorder, guard)
                if self._again():
                    continue
                # With real ints again where the letters depend on it: what noise is inside of.
                tried = 1 if self.recorder.holds_noise() else 0
                if self.recorder.ended is None and not self._rehearsed(guard, error, tried):
                    raise CodeRefused(Defect(self.call.name, f"{NOT_A_FUNCTION}: called again, it does something else"))
                root = self.recorder.finish()
                done += 1
            if root is not None and root != self.root:
                what = f"{NOT_A_FUNCTION}: called again after all secrets, it does something else"
                raise CodeRefused(Defect(self.call.name, what, "keep nothing between calls"))
        surroundings.check()

    def _performed(self, source: RunRecorder | Rehearsal, guard: Guard) -> BaseException | None:
        """One call with a source in force, and its letters; what it raised."""
        if isinstance(source, RunRecorder):
            source.start()
        error: BaseException | None = None
        guard.inside = True
        with using(source):
            try:
                value = self.call()
                source.returned(value)
            except Stop:
                pass
            # An interrupt is the user's, not the code's, and passes.
            except (Exception, SystemExit) as raised:
                error = raised
                if self.announces:
                    with suppress(Stop):
                        source.raised(raised)
        guard.inside = False
        guard.check()
        if isinstance(source.ended, CodeRefused):
            raise source.ended
        return error

    def _again(self) -> bool:
        """Whether the run is to be done in another way; refuses one that ended too early."""
        if self.recorder.ended == "again":
            self.recorder.again()
            return True
        self.recorder.check_end()
        return False

    def _rehearsed(self, guard: Guard, error: BaseException | None, most: int) -> bool:
        """Whether a run is the same with real integers in place of its noise.

        False if it is not, and its noise is to be told apart. Raises what the code raises.
        """
        recorder = self.recorder
        if not recorder.latents:
            if error is not None and not self.announces:
                raise _explained(error, recorder)
            return True
        for outcomes in recorder.rehearsals(most):
            self.budget.called()
            rehearsal = Rehearsal(recorder.drawn, outcomes, recorder.letter)
            real = self._performed(rehearsal, guard)
            if error is not None and real is not None and not self.announces and rehearsal.over():
                raise _explained(real, recorder)
            if (error is None) != (real is None) and not self.announces:
                return self._read([], rehearsal, real)
            expected = list(recorder.expected(outcomes))
            same = rehearsal.over() and len(expected) == len(rehearsal.letters)
            pairs = zip(expected, rehearsal.letters, strict=False)
            # A letter with noise inside has no text yet to be compared with:
            # `adopt` compares rehearsals with each other.
            same = same and all(isinstance(one, Held) or one == two for one, two in pairs)
            if not same or not recorder.adopt(rehearsal.letters):
                return self._read(expected, rehearsal, real)
        if error is not None and not self.announces:
            raise _explained(error, recorder)
        return True

    def _read(self, expected: Sequence[str | Held], rehearsal: Rehearsal, real: BaseException | None) -> bool:
        """Let noise be told apart that code has read without asking; refuse if that has been done."""
        if self.recorder.recorded.complete or not self.recorder.read_by_others():
            before = " ".join(one.text if isinstance(one, Held) else one for one in expected)
            now = " ".join(rehearsal.letters) if real is None else f"{type(real).__name__}: {real}"
            place = self.recorder.drawn[-1].site if self.recorder.drawn else self.call.name
            shows = f"it shows {now[:200]!r} and not {before[:200]!r}"
            what = f"{NOT_A_FUNCTION}: called again with the same draws, {shows}"
            raise CodeRefused(Defect(str(place), what, "use nothing that changes between calls"))
        return False


def _explained(error: BaseException, recorder: RunRecorder) -> BaseException:
    """The error with the draws that led to it."""
    path = recorder.path()
    shown = [*path[:5], "…", *path[-5:]] if len(path) > 11 else path
    error.add_note("deltachain: the draws that led here: " + ("; ".join(shown) or "none"))
    return error


# What is asked for.


def _limits(max_runs: int, max_confirmed: int | None, max_states: int, errors: str) -> list[Defect]:
    given = {"max_runs": max_runs, "max_confirmed": max_confirmed, "max_states": max_states}
    defects = [
        Defect(name, f"{value!r} is not a positive int", "give how many there may be")
        for name, value in given.items()
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1)
    ]
    if errors not in ("raise", "announce"):
        defects.append(Defect("errors", f"{errors!r} is neither 'raise' nor 'announce'"))
    return defects


def _calls(function: Callable[..., object], secrets: Sequence[Secret], constants: Mapping[str, object]) -> list[Called]:
    """The function with each secret; InputError with everything that does not fit."""
    if isinstance(function, Program):
        fix = f"use {function.name}.chain(secrets=…), or give its plain function"
        raise InputError(Defect(function.name, "it is a program: it is compiled, not run", fix))
    if not callable(function):
        raise InputError(Defect("function", f"{type(function).__name__} is not callable", "give a function"))
    if inspect.iscoroutinefunction(function):
        fix = "give a plain function that runs it: lambda **given: asyncio.run(f(**given))"
        raise InputError(Defect(_named(function), "it is a coroutine", fix))
    listed = not isinstance(secrets, Mapping | str) and all(isinstance(secret, Mapping) for secret in secrets)
    if not listed or not secrets:
        what = "there are none" if listed else "not a list of dicts"
        raise InputError(Defect("secrets", what, "give one dict for each secret: [dict(x=0), dict(x=1)]"))
    if not isinstance(constants, Mapping):
        raise InputError(Defect("constants", f"{type(constants).__name__} is not a mapping", "give a dict"))
    defects: list[Defect] = []
    calls: list[Called] = []
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables of C have none
        signature = None
    for number, (secret, name) in enumerate(zip(secrets, _names(secrets), strict=True), start=1):
        where = f"secret {number}"
        defects += [Defect(where, f"{key!r} is also a constant", "give it once") for key in secret if key in constants]
        arguments = {str(key): value for key, value in (*constants.items(), *secret.items())}
        for key, value in arguments.items():
            if hasattr(value, "__next__"):
                what = f"{key}: an iterator ({type(value).__name__}) can be read only once, and the code is run often"
                defects.append(Defect(where, what, "give a list"))
        try:
            if signature is not None:
                signature.bind(**arguments)
        except TypeError as reason:
            defects.append(Defect(where, f"{_named(function)}() cannot be called: {reason}", "name its parameters"))
        calls.append(Called(name, arguments, function))
    if defects:
        raise InputError(defects)
    return calls


def _named(function: Callable[..., object]) -> str:
    return str(getattr(function, "__qualname__", type(function).__name__))


def _text(value: object) -> str | None:
    """A short text of a value; None if it has none."""
    try:
        text = announced(value).text
    except (NoLetter, Stop):
        return None
    return text if text is not None and len(text) <= LONGEST_NAME else None


def _names(secrets: Sequence[Secret]) -> list[str]:
    """``truth=True``; where the text of a value is long, or that of another secret, ``records #2``."""
    names: list[str] = []
    for secret in secrets:
        parts = [(key, _text(value)) for key, value in secret.items()]
        name = ", ".join(str(key) if text is None else f"{key}={text}" for key, text in parts) or "start"
        names.append(name)
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if names.count(name) == 1 else f"{name} #{seen[name]}")
    return found


def _records(arguments: Mapping[str, object], secret: Secret) -> Valuation:
    """Arguments as a chain records them; of those of a secret that it cannot hold, what they are."""
    found: dict[str, Value] = {}
    left_out: dict[str, str] = {}
    for name, argument in arguments.items():
        try:
            found[name] = _value(argument)
        except Problem as problem:
            if (text := _text(argument)) is not None:
                found[name] = text
            elif name in secret:  # what all secrets share tells none of them apart
                left_out[name] = f"{NOT_HELD}{problem.what}"
    return {**recorded(found), **left_out}


def _value(argument: object) -> Value:
    """An argument as a value of programs: lists and arrays are tuples there. Problem if it is none."""
    if type(argument).__module__ == "numpy" and isinstance(argument, Listable):
        return _value(argument.tolist())
    if isinstance(argument, list | tuple):
        return as_value(tuple(map(_value, argument)))
    if isinstance(argument, dict):
        return as_value({_value(key): _value(value) for key, value in argument.items()})
    return as_value(argument)


def origin(function: Callable[..., object]) -> str:
    """The file of a function with the hash of its content, and the versions of what ran it, for a report."""
    versions = f"Python {platform.python_version()}, deltachain {__version__}"
    try:
        file = inspect.getsourcefile(function)
        content = Path(file or "").read_bytes()
    except (TypeError, OSError):
        return f"{_named(function)}, {versions}"
    digest = hashlib.sha256(content).hexdigest()
    return f"{Path(str(file)).name}:{_named(function)} (sha256 {digest}), {versions}"
