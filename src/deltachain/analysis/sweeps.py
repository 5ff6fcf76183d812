"""`sweep`: one verb over the product of parameters, ε and pairs, wherever it runs.

A *job* is one chain of the family at one ε; each of its pairs is a row. Rows are written as they come, each on disk
before the next; a job that fails is a row with its error. A sweep that is cut off is resumed by what is in its file.
Jobs travel in chunks of a tenth of a second or more, and in the order of their parameters, so that a worker builds a
chain once.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..cancel import Cancel, Report
from ..errors import Defect, InputError
from ..executors import Shared, as_completed
from ..files import Journal
from ..model import Chain
from ..rational import ExpEpsilon, Number, as_fraction, format_fraction
from ..version import __version__
from .jobs import CERTIFIED, VERBS, Build, Family, Job, Outcome, problem_of, run_jobs
from .parameters import State, watching
from .rows import Row, Sweep, parameters_key

CHUNK_SECONDS = 0.2
"""How long a chunk of jobs should take; twice the least, for paces vary."""
LARGEST_CHUNK = 500
MOST_JOBS = 10_000_000
REJECTED = 4
"""The exit code of a certificate that does not prove what its row says."""


def sweep(
    build: Build | Chain,
    *,
    parameters: Mapping[str, Iterable[Any]] | None = None,
    verb: str = "delta",
    epsilons: Iterable[Number] | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    executor: Executor | None = None,
    check: bool | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    job_timeout: float | None = None,
    timeout: float | None = None,
    report: Report | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    **options: Any,
) -> Sweep:
    """One verb over the product of ``parameters``, ``epsilons`` and pairs; a failing job is a row with its error.

    ``build`` is called with the parameters by keyword and returns a chain; on an ``executor`` (any of
    `concurrent.futures`, or a Dask client's) it must be picklable. ``options`` are the verb's own. Each row is on disk
    in the file ``out`` before the next one; ``resume`` skips the rows that are there. ``check``: have workers send
    certificates, and let the checker here compare them with their numbers (default: for a Dask cluster).

    >>> import deltachain as dc
    >>> found = sweep(dc.examples.survey, parameters={"p": ["3/4", "2/3"]}, epsilons=[0, 1])
    >>> found
    <Sweep: delta over p, epsilon, 4 rows>
    >>> [row.result["upper"]["exact"] for row in found][::2]
    ['1/2', '1/3']
    """
    family = _family(build, verb, pairs, options, job_timeout, executor, check)
    jobs = _jobs(verb, parameters or {}, epsilons)
    with ExitStack() as stack:
        cancel = stack.enter_context(watching(cancel, timeout, report, interruptible))
        journal = None if out is None else stack.enter_context(Journal(out, _question(family, jobs[0]), resume=resume))
        known = [] if journal is None else _known(journal, family, jobs)
        runner = _Runner(family, executor, cancel, journal)
        rows, missing = runner.run(_left(jobs, known))
    order = {(parameters_key(job.parameters), job.epsilon): k for k, job in enumerate(jobs)}
    whole = sorted([*known, *rows], key=lambda row: order[row.key])
    return Sweep(verb, tuple(whole), missing)


def _family(
    build: Build | Chain,
    verb: str,
    pairs: Iterable[tuple[State, State]] | None,
    options: Mapping[str, Any],
    job_timeout: float | None,
    executor: Executor | None,
    check: bool | None,
) -> Family:
    if verb not in VERBS:
        raise InputError(f"verb: {verb!r} is none of {', '.join(VERBS)}")
    unknown = sorted(set(options) - VERBS[verb])
    if unknown:
        raise InputError(f"{', '.join(unknown)}: no option of {verb}, which takes {', '.join(sorted(VERBS[verb]))}")
    if verb == "epsilon" and "delta" not in options:
        raise InputError("delta: the verb epsilon needs it")
    certify = (hasattr(executor, "_client") if check is None else check) and verb in CERTIFIED
    fixed = None if pairs is None else tuple((a, b) for a, b in pairs)
    if isinstance(build, Chain):
        build = _Fixed(build)
    return Family(build, verb, fixed, dict(options), job_timeout, certify)


@dataclass(frozen=True)
class _Fixed:
    """A chain without parameters, as a function."""

    chain: Chain

    @property
    def identity(self) -> dict[str, Any]:
        """The chain's hash."""
        return {"sha256": self.chain.sha256}

    def __call__(self) -> Chain:
        return self.chain


def _jobs(verb: str, parameters: Mapping[str, Iterable[Any]], epsilons: Iterable[Number] | None) -> list[Job]:
    """The product, by parameters, then ε."""
    axes = {name: list(dict.fromkeys(map(_plain, values))) for name, values in parameters.items()}
    empty = [Defect(name, "it has no values", "give at least one") for name, values in axes.items() if not values]
    if empty:
        raise InputError(empty)
    if verb == "epsilon":
        if epsilons is not None:
            raise InputError("epsilons: the verb epsilon searches ε; give delta alone")
        grid: list[Fraction | None] = [None]
    else:
        grid = list(dict.fromkeys(as_fraction(e, "epsilon") for e in epsilons or ()))
        for at in grid:
            ExpEpsilon.read(epsilon=at)
        if not grid:
            raise InputError("epsilons: give at least one")
    count = len(grid)
    for values in axes.values():
        count *= len(values)
    if count > MOST_JOBS:
        raise InputError(f"{count:,} jobs: at most {MOST_JOBS:,}")
    chosen = itertools.product(*([(name, value) for value in values] for name, values in axes.items()))
    return [Job(point, at) for point in chosen for at in grid]


def _plain(value: Any) -> Any:
    """A parameter's value as JSON keeps it; a Fraction as text, which every verb reads as the same number."""
    if isinstance(value, Fraction):
        return format_fraction(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item"):  # a NumPy number
        return _plain(value.item())
    raise InputError(f"parameters: {value!r} is no number or text")


def _question(family: Family, first: Job) -> dict[str, Any]:
    """The first line of a file: everything that a row depends on beside its parameters and its ε."""
    options = {name: _canonical(value) for name, value in sorted(family.options.items())}
    return {
        "journal": "deltachain.sweep",
        "version": __version__,
        "model": family.identity(first.parameters),
        "verb": family.verb,
        "pairs": None if family.pairs is None else [list(pair) for pair in family.pairs],
        "options": options,
        "timeout": family.job_timeout,
        "checked": family.certify,
    }


def _canonical(value: Any) -> Any:
    """An option's value, the same however its number was written."""
    if isinstance(value, bool) or value is None:
        return value
    try:
        return format_fraction(as_fraction(value))
    except InputError:
        return str(value)


def _known(journal: Journal, family: Family, jobs: Sequence[Job]) -> list[Row]:
    """The rows of the file that stand: those that failed are run again. InputError for a row of another sweep."""
    wanted = {(parameters_key(job.parameters), job.epsilon) for job in jobs}
    known: dict[tuple[Any, ...], Row] = {}
    for number, entry in enumerate(journal.found, 2):
        try:
            row = Row.read(entry)
            mine = row.key in wanted and row.verb == family.verb
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            mine = False
        if not mine:
            what = "this row is not of this sweep"
            raise InputError(Defect(f"{journal.path}:{number}", what, "ask for the same sweep, or give another file"))
        if row.error is None:
            known[row.key, row.pair] = row
    return list(known.values())


def _left(jobs: Sequence[Job], known: Sequence[Row]) -> list[Job]:
    """The jobs that are not in the file whole."""
    there: dict[tuple[str, Fraction | None], list[Row]] = {}
    for row in known:
        there.setdefault(row.key, []).append(row)
    left = []
    for job in jobs:
        rows = there.get((parameters_key(job.parameters), job.epsilon), [])
        if any(row.pair is None or row.pairs == len(rows) for row in rows):
            continue
        left.append(Job(job.parameters, job.epsilon, frozenset(row.pair for row in rows if row.pair)))
    return left


class _Runner:
    """Jobs out in chunks, rows in, checked and written."""

    def __init__(self, family: Family, executor: Executor | None, cancel: Cancel, journal: Journal | None) -> None:
        self.family, self.executor, self.cancel, self.journal = family, executor, cancel, journal
        self.pace = CHUNK_SECONDS
        """Seconds a job, about."""
        self.rows: list[Row] = []

    def run(self, jobs: Sequence[Job]) -> tuple[list[Row], int]:
        """The rows, and how many jobs were not run."""
        started, done = time.monotonic(), 0
        shared = Shared(run_jobs, self.family)
        for chunk, results in as_completed(shared, self._chunks(jobs), self.executor, self.cancel.stopped):
            fresh = []
            for job, (outcomes, seconds) in zip(chunk, results, strict=True):
                self.pace = 0.8 * self.pace + 0.2 * seconds
                fresh += [self._row(job, outcome) for outcome in self._complete(job, outcomes)]
            if self.journal is not None:
                self.journal.append(row.to_dict() for row in fresh)
            self.rows += fresh
            done += len(chunk)
            rate = done / max(time.monotonic() - started, 1e-9)
            left = (len(jobs) - done) / rate
            self.cancel.report(f"{done:,} of {len(jobs):,} jobs, {rate:.3g} per second, about {_duration(left)} left")
        return self.rows, len(jobs) - done

    def _chunks(self, jobs: Sequence[Job]) -> Iterator[list[Job]]:
        at = 0
        while at < len(jobs):
            size = int(min(max(CHUNK_SECONDS / max(self.pace, 1e-6), 1), LARGEST_CHUNK)) if self.executor else 1
            yield list(jobs[at : at + size])
            at += size

    def _complete(self, job: Job, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes, if they are about the job's pairs, each once; else, where workers are checked, an error."""
        if not self.family.certify or any(outcome.pair is None for outcome in outcomes):
            return outcomes
        pairs = self.family.named_pairs(job)
        if [outcome.pair for outcome in outcomes] == [pair for pair in pairs if pair not in job.answered]:
            return outcomes
        error = "the worker's certificate does not prove its row: it is about other pairs"
        return [Outcome(None, None, error=error, code=REJECTED)]

    def _row(self, job: Job, outcome: Outcome) -> Row:
        family = self.family
        error, checked, code = outcome.error, None, outcome.code
        if error is None and family.verb in CERTIFIED:
            checked = family.certify
            problem = problem_of(family, job, outcome) if family.certify else None
            if problem is not None:
                error, checked, code = f"the worker's certificate does not prove its row: {problem}", False, REJECTED
        body = json.dumps(outcome.result) if error is None else ""
        return Row(job.parameters, outcome.pair, job.epsilon, family.verb, body, error, checked, outcome.pairs, code)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
