"""A chain from ordinary Python: the function is run once for each sequence of draws, and confirmed.

`from_code` runs a function again and again, with a source that follows one outcome at each draw (`recorder`), until all
sequences of draws have been met, each with its exact probability. What an observer sees of a run is what it
announces and, last, the value that it returns. What folds programs (`programs.run.states`) folds the chain.

What a chain claims about code is only as good as what was seen of it. So nothing is believed after one look:

1. The code runs in processes of its own (`workers`), whose state is that at the call of `from_code`. It is recorded in
   one of them, which makes all calls (`recording`).
2. Every recorded run is made again as the first call of a clean process, with whole numbers where it was given noise
   that is not a number yet (`confirmation`). If only such noise makes a difference, it is a number from the start, for
   all secrets, and all is recorded again in a clean process.
3. What the code can reach by name, its arguments and global generators must be after a call what they were before;
   random bytes of the system, threads and forks are refused (`guards`, `remains`, `entropy`).

What is assumed beside that is written into the chain (`assumptions`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ..cancel import Cancel, ProgressCallback
from ..draws.source import RECORDING, Site, current_source
from ..errors import Defect, InputError, Stopped
from ..model import Chain
from ..numbers.fraction import Number, as_probability
from ..parameters import Neighbours, Secrets, list_secrets
from ..programs.protocol import MAX_STATES, relate_secrets
from ..programs.run.states import States
from ..programs.secrets.relation import take_rules
from .assumptions import Observed, headline_of, list_assumptions, notes_of
from .calls import calls_of, origin, records_of
from .confirmation import STATELESS, Confirmation, Confirmed, Difference, Effort, settled_raise, sites_of
from .recorded import Recorded
from .recording import RUNNING, Recipe, Subject, write_known
from .runs import WITH_PARTS, parts_at, read_claim
from .server import Limits, can_fork
from .spawned import FreshInterpreters, why_not_spawned
from .watching import NOT_A_FUNCTION, CodeRefused, Watching
from .wire import Json
from .workers import ForkedWorkers, HangsAfterFork, ThisProcess, Workers

MAX_RUNS = 200_000
"""How many runs are recorded unless the caller says otherwise."""

CUT_BECAUSE = "noise is told apart or added up, or runs are too unlikely to be followed, or not confirmed"
"""Where mass is cut off."""

EFFORT = Effort()
"""How much is confirmed."""

Isolate = Literal["auto", "fork", "spawn", False]
"""Where code runs."""

ISOLATIONS: tuple[Isolate, ...] = ("auto", "fork", "spawn", False)


@take_rules
def from_code(
    function: Callable[..., object],
    secrets: Secrets,
    *,
    constants: Mapping[str, object] | None = None,
    letter: Callable[[Any], Any] | None = None,
    errors: Literal["raise", "announce"] = "raise",
    noise: Literal["open", "integers"] = "open",
    isolate: Isolate = "auto",
    tail: Number = "1e-30",
    max_runs: int = MAX_RUNS,
    max_confirmed: int | None = None,
    max_states: int = MAX_STATES,
    neighbours: Neighbours | None = None,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
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
        errors: "raise" exceptions of the code, or "announce" them: then they are what an observer sees.
        noise: "open" noise is not a number until the code needs one, so that no tail is cut off; "integers": it is one
            from the start, cut off at ``tail``, and nothing is assumed of how the code looks at it.
        isolate: where the code runs. "fork": in forks of this process, as it is now; "spawn": in fresh interpreters
            that import it; False: in this process, and nothing is confirmed. "auto" is the first of these that works.
        tail: outcomes on paths that are less likely are not followed; what they lead to counts as unknown.
        max_runs: how many runs are recorded at most, all secrets together.
        max_confirmed: how many runs of each secret count as known (default: all); what the others do is unknown.
        max_states: how many states the chain may have.
        neighbours: which secrets are compared: a rule as in `load`, such as ``"add-remove"``, or a function of two
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
    limits = _limits(max_runs, max_confirmed, max_states)
    limits += [
        Defect(name, f"{value!r} is not one of {', '.join(map(repr, known))}")
        for name, value, known in (
            ("errors", errors, ("raise", "announce")),
            ("noise", noise, ("open", "integers")),
            ("isolate", isolate, ISOLATIONS),
        )
        if not any(value is one or (value == one and isinstance(value, str)) for one in known)
    ]
    if limits:
        raise InputError(limits)
    _refuse_nested()
    listed = list_secrets(secrets)
    calls = calls_of(function, listed, constants or {})
    least = float(as_probability(tail, "tail"))
    cancel = (cancel or Cancel(timeout, report)).during(RUNNING)
    recipe = Recipe(least, errors == "announce", max_runs, max_confirmed, max_states, noise == "integers")
    found = _see(Subject(calls, letter, recipe), isolate, cancel)
    recorded = Recorded(max_states, cancel)
    recorded.read(found.recording["graph"])
    roots = recorded.with_parts(found.recording["roots"])
    recorded.prepare(roots)
    states = States(recorded, roots, CUT_BECAUSE)
    moves = states.rows()
    found.confirmed.whole &= not recorded.cuts_off
    names = tuple(call.name for call in calls)
    records = [records_of(call.arguments, secret) for call, secret in zip(calls, listed, strict=True)]
    valuations = (*records, *({},) * (len(states.states) - len(calls)))
    pairs = tuple(relate_secrets(listed, neighbours))
    all_names = (*names, *states.names(names, len(names)))
    parts = (all_names, states.labels, moves, pairs, valuations)
    notes = notes_of(found, origin(function), sum(found.recording["left_out"]))
    if recorded.alike:
        notes.append(
            f"{recorded.alike:,} parts of dc.each that all secrets have in common change no δ and are left out"
        )
    return Chain(
        *parts,
        step_by_step=states.step_by_step,
        notes=(*notes, *states.notes),
        assumes=list_assumptions(found),
        confirmation=headline_of(found),
        outputs=states.outputs,
    )


def _refuse_nested() -> None:
    """Refuse where code is being recorded: its processes would be started by a process that runs it."""
    source = current_source()
    if isinstance(source, Watching):
        source.refuse("the code calls from_code, which draws from a source of its own", "let the caller do that")
    if os.environ.get(RECORDING):
        what = "from_code is called where code is being recorded: when its file is imported, or in a process it starts"
        raise CodeRefused(Defect("", what, "guard what the file runs with if __name__ == '__main__'"))


def _see(subject: Subject, isolate: Isolate, cancel: Cancel) -> Observed:
    """All runs, recorded and confirmed, where the code can be run."""
    limits = Limits()
    if isolate in ("auto", "fork") and can_fork():
        try:
            return _with(ForkedWorkers(subject, limits), subject, cancel)
        except HangsAfterFork:
            hung = "it hangs after a fork: a library of its has threads that a fork does not copy"
        if isolate == "fork":
            raise CodeRefused(Defect("", hung, "isolate='spawn'")) from None
    elif isolate == "fork":
        raise CodeRefused(Defect("isolate", "processes cannot be forked and looked after here", "isolate='spawn'"))
    if isolate in ("auto", "spawn"):
        why = why_not_spawned(subject)
        if why is None:
            return _with(FreshInterpreters(subject, limits), subject, cancel)
        if isolate == "spawn":
            raise CodeRefused(Defect("isolate", f"{why}, which a fresh interpreter needs", "define it in a file"))
    seconds = None if isolate is False or sys.gettrace() is not None else limits.seconds
    return _with(ThisProcess(subject, seconds), subject, cancel)


def _with(workers: Workers, subject: Subject, cancel: Cancel) -> Observed:
    """All runs, recorded and confirmed by these workers."""
    as_digits: frozenset[Site] = frozenset()
    apart: dict[Site, str] = {}
    try:
        while True:
            # Each time in a process where the function was never called.
            found = _record(workers, as_digits, None, cancel)
            if "anew" in found:
                if found["site"] is None:
                    as_digits |= {WITH_PARTS}
                else:
                    site = Site(*found["site"])
                    apart[site] = found["anew"]
                    as_digits = (as_digits | {parts_at(site)}) - {WITH_PARTS}
                continue
            if not (sites := _sites_of_noise(found, workers, as_digits, cancel)):
                confirmed = Confirmed(sum(found["runs"]))
                claims = [list(map(read_claim, each)) for each in found["claims"]]
                confirmation = Confirmation(workers, claims, as_digits, found["per_call"], EFFORT)
                sites = confirmation.confirm(confirmed, cancel)
            if not sites:
                confirmed.whole = confirmed.confirmed == confirmed.runs
                if not confirmed.whole:
                    found |= _only_known(found, subject, confirmation, cancel)
                return Observed(found, confirmed, workers, subject.recipe.integers, apart)
            as_digits = (as_digits | sites) - {WITH_PARTS}
    except CodeRefused as refused:
        raise CodeRefused(
            refused.defects if not apart else [_with_reasons(one, apart) for one in refused.defects]
        ) from None
    except Stopped as stopped:
        # How far it was, and which draws multiply: what to change, if more time is not the answer.
        _, _, far = workers.progress.partition(f"{RUNNING}: ")
        raise Stopped(f"{stopped}: {far}" if far else str(stopped)) from None
    finally:
        workers.close()


def _with_reasons(defect: Defect, apart: Mapping[Site, str]) -> Defect:
    """A defect of code whose parts had to be told apart, with the reasons for that."""
    reasons = "; ".join(f"the parts of dc.each at {site} are told apart: {why}" for site, why in apart.items())
    return Defect(defect.where, f"{defect.what}; {reasons}", defect.fix)


def _record(workers: Workers, as_digits: frozenset[Site], known: Json | None, cancel: Cancel) -> Json:
    """All runs, recorded by a clean process, or those that are known."""
    return workers.answer({"do": "record", "as_digits": sorted(as_digits), "known": known}, cancel)


def _sites_of_noise(found: Json, workers: Workers, as_digits: frozenset[Site], cancel: Cancel) -> frozenset[Site]:
    """The lines whose noise made the recording fail, if any."""
    if "raised" in found:
        return settled_raise(found, workers, as_digits, cancel)
    return _of_suspect(found, workers, as_digits, cancel) if "suspect" in found else frozenset()


def _only_known(found: Json, subject: Subject, confirmation: Confirmation, cancel: Cancel) -> Json:
    """The confirmed runs alone, recorded once more: what the others do is unknown, and no verdict can rest on it."""
    for call, agreed in zip(subject.calls, confirmation.agreed, strict=True):
        if not agreed:
            what = "none of its runs could be made again within the time for that"
            fix = "let it draw less, or run faster; noise='integers' needs fewer calls of slow code"
            raise CodeRefused(Defect(call.name, what, fix))
    known = write_known(confirmation.agreed, found["read_later"])
    again = _record(confirmation.workers, confirmation.as_digits, known, cancel)
    if "graph" not in again:
        what = f"{NOT_A_FUNCTION}: runs that were confirmed could not be recorded once more"
        raise CodeRefused(Defect("", what, STATELESS))
    return {"graph": again["graph"], "roots": again["roots"], "calls": found["calls"] + again["calls"]}


def _of_suspect(found: Json, workers: Workers, as_digits: frozenset[Site], cancel: Cancel) -> frozenset[Site]:
    """The lines whose noise made a run suspect; CodeRefused if noise is not the reason."""
    claim = read_claim(found["suspect"])
    if not found["row"]:
        sites = claim.open_sites() - as_digits
        if sites:
            return sites
    place = str(claim.draws[-1].site) if claim.draws else ""
    difference = Difference(found["secret"], claim, tuple(found["row"]), found["what"], place, first=not found["row"])
    return sites_of(difference, workers, as_digits, cancel)


# What is asked for.


def _limits(max_runs: int, max_confirmed: int | None, max_states: int) -> list[Defect]:
    given = {"max_runs": max_runs, "max_confirmed": max_confirmed, "max_states": max_states}
    return [
        Defect(name, f"{value!r} is not a positive int", "give how many there may be")
        for name, value in given.items()
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1)
    ]
