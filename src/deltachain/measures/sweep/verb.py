"""`sweep`: one verb over the product of parameters, ε and pairs, wherever it runs.

A *job* is one chain of a family at one ε; each of its pairs is a row, asked by itself, so that rows do not depend on
their company. A worker builds the chain, answers, and sends plain data: numbers as JSON has them, and, if asked for,
the certificate's document. The parent believes neither: it builds the chain itself, lets the checker read the
certificate, and compares what that proves, at which e^ε, of which pair, with the numbers of the row.

Rows are written as they come, each on disk before the next; a job that fails is a row with its error. The file's first
line says what is asked; a sweep that is cut off is resumed by what is in its file, and failed rows are run again. Jobs
travel in chunks of a tenth of a second or more, and in the order of their parameters, so that a worker builds a chain
once.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any, Literal

from ...asking import StateName, cancel_scope
from ...beliefs.question import Terms, asked_pairs
from ...cancel import Cancel, ProgressCallback
from ...certificate.claims import Claim, Unproved, accepted_of
from ...distances.kinds import kind_named
from ...distances.kinds.bd import BD
from ...distances.pair_table import PairDistance
from ...distances.scalars import scalars_of
from ...errors import CertificateRejected, Defect, DeltachainError, InputError, WorkersLost, exit_code
from ...executors import Shared, as_completed
from ...files import Journal, read_head
from ...loading import load
from ...model import Chain
from ...numbers.fraction import ExpEpsilon, Number, as_fraction, format_fraction
from ...parameters import Neighbours, Secrets, accept_spellings, as_epsilon, as_seconds, list_secrets
from ...programs import Program, parse_value
from ...programs.run.events import Accuracy
from ...results.numbers import json_number
from ...results.scope import Scope
from ...version import __version__
from ..delta.show import Delta, PairDelta, delta_entry
from ..delta.verb import delta
from ..distance.show import Distance, distance_entry
from ..distance.verb import distance
from ..epsilon.verb import epsilon
from ..estimate.verb import estimate
from ..verify.verb import verify
from .show import Parameters, Sweep, SweepRow, parameters_key

Build = Callable[..., Chain]
"""A function from parameters, by keyword, to a chain; picklable, to run elsewhere."""

VERBS: dict[str, frozenset[str]] = {
    "delta": frozenset({"gap", "max_nodes"}),
    "epsilon": frozenset({"delta", "precision", "max_nodes"}),
    "distance": frozenset({"kind", "exact"}),
    "estimate": frozenset({"confidence", "samples", "horizon", "seed", "gap", "max_nodes"}),
}
"""The verbs that answer with numbers, and the options of each."""
CERTIFIED = ("delta", "distance")
CheckedPlace = Literal["here", "there", "nowhere"]
"""Where the checker reads the certificates of a sweep: in this process, where its jobs run, or not at all."""
CHUNK_SECONDS = 0.2
"""How long a chunk of jobs should take; twice the least, for paces vary."""
LARGEST_CHUNK = 500
MOST_JOBS = 10_000_000
LARGEST_WHOLE = 10_000
"""Bits of an integer that JSON keeps as one."""
REJECTED = 4
"""The exit code of a certificate that does not prove what its row says."""


@accept_spellings
def sweep(
    build: Build | Program | Chain | str | Path,
    *,
    parameters: Mapping[str, Iterable[Any]] | None = None,
    verb: str = "delta",
    epsilons: Iterable[Number] | None = None,
    pairs: Iterable[tuple[StateName, StateName]] | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    accuracy: str | None = None,
    executor: Executor | None = None,
    check: bool | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    job_timeout: float | None = None,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    **options: Any,
) -> Sweep:
    """One verb over the product of ``parameters``, ``epsilons`` and pairs; a failing job is a row with its error.

    Args:
        build: a function that is called with the parameters by keyword and returns a chain; a program, whose constants
            are the parameters; or one model (a chain, a path, ``"example:…"``); on an executor it must be picklable.
        parameters: the values of each parameter; all combinations are run.
        verb: ``"delta"``, ``"epsilon"``, ``"distance"`` or ``"estimate"``.
        epsilons: the values of ε; not for the verb ``"epsilon"``, which searches it.
        pairs: pairs of states, by name or number (default: the relation that each chain carries).
        secrets: the inputs of a program.
        neighbours: which two of them are compared, as in `load` (default: every two).
        accuracy: an event of a run of a program, such as ``"abs(output - count) <= 3"``: each row says how likely it is
            at least, whatever the secret (`Program.accuracy`).
        executor: where jobs run: any of `concurrent.futures`, or a Dask client's; None for this process.
        check: every row is checked before it is written. True: workers send their certificates, and the checker here
            compares them with the numbers, as is the default for a Dask cluster; None: else each row is checked where
            it runs; False: no row is checked.
        out: a file; each row is on disk there before the next one.
        resume: continue a file that answers the same question: skip its rows, run again those that failed.
        job_timeout: seconds for each row.
        timeout: seconds for the whole.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it with the rows that are done.
        cancel: a token of the caller's that stands for timeout, report and interruption.
        options: the verb's own, such as ``gap``, ``max_nodes``, ``delta``, ``kind``.

    Raises:
        InputError: a question that cannot be asked, or a file that answers another one.

    >>> import deltachain as dc
    >>> found = sweep(dc.examples.survey, parameters={"p": ["3/4", "2/3"]}, epsilons=[0, 1])
    >>> found
    <Sweep: delta over p, ε: 4 rows>
    >>> [row.result["upper"]["exact"] for row in found][::2]
    ['1/2', '1/3']
    """
    if isinstance(build, Program):
        build = ProgramFamily(
            build, secrets if isinstance(secrets, Sequence | None) else list_secrets(secrets), neighbours
        )
    elif secrets is not None or neighbours is not None:
        raise InputError(Defect("secrets", "they are for a program", "let the function that is given use them"))
    family = _family(build, verb, pairs, options, job_timeout, executor, check, accuracy)
    jobs = _jobs(verb, parameters or {}, epsilons)
    begun = _begin(out) if out is not None and resume and check is None else None
    if begun == "here":
        family = replace(family, checked=begun)
    with ExitStack() as stack:
        cancel = stack.enter_context(cancel_scope(cancel, timeout, report, interruptible))
        question = _question(family, jobs[0], begun or family.checked)
        journal = None if out is None else stack.enter_context(Journal(out, question, resume=resume))
        known = [] if journal is None else _read_known(journal, family, jobs, cancel)
        runner = _Runner(family, executor, cancel, journal)
        rows, missing, why = runner.run(_list_left(jobs, known))
    order = {(parameters_key(job.parameters), job.epsilon): k for k, job in enumerate(jobs)}
    whole = sorted([*known, *rows], key=lambda row: order[row.key])
    return Sweep(verb, tuple(whole), missing, why)


def _family(
    build: Build | Chain | str | Path,
    verb: str,
    pairs: Iterable[tuple[StateName, StateName]] | None,
    options: Mapping[str, Any],
    job_timeout: float | None,
    executor: Executor | None,
    check: bool | None,
    accuracy: str | None,
) -> Family:
    if verb not in VERBS:
        raise InputError(f"verb: {verb!r} is not one of {', '.join(VERBS)}")
    unknown = sorted(set(options) - VERBS[verb])
    if unknown:
        raise InputError(f"{', '.join(unknown)}: no option of {verb}, which takes {', '.join(sorted(VERBS[verb]))}")
    if verb == "epsilon" and "delta" not in options:
        raise InputError("delta: the verb epsilon needs it")
    here = (hasattr(executor, "_client") if check is None else check) and verb in CERTIFIED
    where: CheckedPlace = "nowhere" if check is False else "here" if here else "there"
    fixed = None if pairs is None else tuple((a, b) for a, b in pairs)
    if isinstance(build, Chain | str | Path):
        build = _Fixed(load(build))
    elif not callable(build):
        raise InputError(Defect("build", f"{type(build).__name__} is not a function", "give one that returns a chain"))
    if accuracy is not None and not hasattr(build, "accuracy"):
        raise InputError(Defect("accuracy", "only runs of a program have an output", "give a program and its secrets"))
    seconds = None if job_timeout is None else as_seconds(job_timeout, "job_timeout")
    return Family(build, verb, fixed, dict(options), seconds, where, accuracy)


@dataclass(frozen=True)
class ProgramFamily:
    """The chain of a program, whose constants are the parameters."""

    program: Program
    secrets: Sequence[Mapping[str, object]] | None = None
    neighbours: Neighbours | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """The text of the program, and what it starts from."""
        return {"program": self.program.source, "secrets": str(self.secrets), "neighbours": self.neighbours}

    def __call__(self, **parameters: Any) -> Chain:
        """The chain; InputError as ever."""
        constants = _constants(parameters)
        return load(self.program, secrets=self.secrets, neighbours=self.neighbours, constants=constants)

    def accuracy(self, event: str, **parameters: Any) -> Accuracy:
        """How likely the event is at least."""
        return self.program.accuracy(event, self.secrets, constants=_constants(parameters))


def _constants(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a job as constants of a program: fractions, which are text in rows, as numbers again."""
    return {name: parse_value(value) if isinstance(value, str) else value for name, value in parameters.items()}


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
        grid = list(dict.fromkeys(as_epsilon(e) for e in epsilons or ()))
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
    """A parameter's value as JSON keeps it; a Fraction or a huge integer as text, which is read as the same number."""
    if isinstance(value, Fraction) or (isinstance(value, int) and value.bit_length() > LARGEST_WHOLE):
        return format_fraction(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "item"):  # a NumPy number
        return _plain(value.item())
    raise InputError(f"parameters: {value!r} is neither a number nor text")


CHECKED: Mapping[CheckedPlace, str] = {
    "here": "here, by certificates",
    "there": "where it is computed",
    "nowhere": "not",
}
"""What a file says of where its rows are checked, at least."""


def _begin(out: str | Path) -> CheckedPlace | None:
    """Where the rows of the file are checked, if they are and it says so: nobody asked for another place.

    Rows that are computed here may be checked by their certificates, as those of a cluster are. Those of a cluster may
    join others that were checked where they were computed, which is what the file goes on to say.
    """
    said = read_head(out).get("checked")
    return next((place for place in ("here", "there") if CHECKED[place] == said), None)


def _question(family: Family, first: Job, checked: CheckedPlace) -> dict[str, Any]:
    """The first line of a file: everything that a row depends on beside its parameters and its ε."""
    options = {name: _canonical(value) for name, value in sorted(family.options.items())}
    return {
        "journal": "deltachain.sweep",
        "version": __version__,
        "model": family.identity(first.parameters),
        "verb": family.verb,
        "pairs": None if family.pairs is None else [list(pair) for pair in family.pairs],
        "options": options | ({} if family.accuracy is None else {"accuracy": family.accuracy}),
        "timeout": family.job_timeout,
        "checked": CHECKED[checked],
    }


def _canonical(value: Any) -> Any:
    """An option's value, the same however its number was written."""
    if isinstance(value, bool) or value is None:
        return value
    try:
        return format_fraction(as_fraction(value))
    except InputError:
        return str(value)


def _read_known(journal: Journal, family: Family, jobs: Sequence[Job], cancel: Cancel) -> list[SweepRow]:
    """The rows of the file that stand: those that failed are run again. InputError for a row of another sweep."""
    wanted = {(parameters_key(job.parameters), job.epsilon): job for job in jobs}
    known: dict[tuple[Any, ...], tuple[int, SweepRow]] = {}
    for number, entry in enumerate(journal.found, 2):
        try:
            row = SweepRow.read(entry)
            mine = row.key in wanted and row.verb == family.verb and (row.pair is not None or row.error is not None)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            mine = False
        if not mine:
            raise _stray(journal, number)
        if row.error is None:
            known[row.key, row.pair] = number, row
    # A pair that the model does not have would pass for one that is answered. A chain is built once for all its rows.
    for at, (number, row) in enumerate(sorted(known.values(), key=lambda found: parameters_key(found[1].parameters))):
        cancel.check()
        cancel.report(f"reading {journal.path}: {at:,} of {len(known):,} rows")
        try:
            pairs = family.named_pairs(wanted[row.key])
        except Exception as error:  # whatever a builder raises
            what = f"the model of this row cannot be built: {_sentence(error)}"
            raise InputError(Defect(f"{journal.path}:{number}", what, "correct that first")) from None
        if row.pair not in pairs or row.pairs != len(pairs):
            raise _stray(journal, number)
    return [row for _, row in known.values()]


def _stray(journal: Journal, number: int) -> InputError:
    what = "this row is not of this sweep"
    return InputError(Defect(f"{journal.path}:{number}", what, "ask for the same sweep, or give another file"))


def _list_left(jobs: Sequence[Job], known: Sequence[SweepRow]) -> list[Job]:
    """The jobs that are not in the file whole."""
    there: dict[tuple[str, Fraction | None], list[SweepRow]] = {}
    for row in known:
        there.setdefault(row.key, []).append(row)
    left = []
    for job in jobs:
        rows = there.get((parameters_key(job.parameters), job.epsilon), [])
        if any(row.pair is None or row.pairs == len(rows) for row in rows):
            continue
        left.append(Job(job.parameters, job.epsilon, frozenset(row.pair for row in rows if row.pair)))
    return left


@dataclass(frozen=True)
class Family:
    """What all jobs share: how a chain is built, and what is asked of it."""

    build: Build
    verb: str
    pairs: tuple[tuple[StateName, StateName], ...] | None
    options: Mapping[str, Any]
    job_timeout: float | None = None
    checked: CheckedPlace = "there"
    accuracy: str | None = None
    """The event whose probability is part of each row."""
    _built: dict[Parameters, Chain] = field(default_factory=dict, compare=False)
    _likely: dict[Parameters, dict[str, Any]] = field(default_factory=dict, compare=False)

    def chain(self, parameters: Parameters) -> Chain:
        """The chain; the last one built is kept, for jobs come by parameters."""
        if parameters not in self._built:
            chain = self.build(**dict(parameters))
            if not isinstance(chain, Chain):
                raise InputError(f"build: it returned {type(chain).__name__}, not a Chain")
            self._built.clear()
            self._built[parameters] = chain
        return self._built[parameters]

    def likely(self, parameters: Parameters) -> dict[str, Any]:
        """The key of a row that says how likely the event is at least, if there is one."""
        if self.accuracy is None:
            return {}
        if parameters not in self._likely:
            found = self.build.accuracy(self.accuracy, **dict(parameters))  # type: ignore[attr-defined]  # it has one
            self._likely.clear()
            self._likely[parameters] = {"accuracy": json_number(found.lower, "lower")}
        return self._likely[parameters]

    def named_pairs(self, job: Job) -> list[tuple[str, str]]:
        """The pairs that are asked for, on the chain of a job."""
        chain = self.chain(job.parameters)
        return [(chain.states[s], chain.states[t]) for s, t in asked_pairs(chain, None, None, self.pairs)]

    def identity(self, parameters: Parameters) -> dict[str, Any]:
        """What tells this family of chains from others, as JSON has it.

        A builder that has an ``identity`` is asked; a function is known by its name and its code. With it goes the hash
        of the chain at the parameters of the first job; None if it cannot be built.
        """
        build = self.build
        while isinstance(build, partial):
            build = build.func
        own = getattr(build, "identity", None)
        if own is None:
            name = f"{getattr(build, '__module__', '')}.{getattr(build, '__qualname__', type(build).__qualname__)}"
            code = getattr(build, "__code__", None)
            own = {"function": name, "code": None if code is None else _digest(code)}
        try:
            first = self.chain(parameters).sha256
        except Exception:  # whatever a builder raises is the row's
            first = None
        return own | {"first_sha256": first}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_built": {}, "_likely": {}}


def _digest(code: CodeType) -> str:
    """A hash of what a function does, the functions inside it included, wherever its file is."""
    parts = [code.co_code, repr(code.co_names).encode()]
    for constant in code.co_consts:
        inner = sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant
        parts.append((_digest(inner) if isinstance(inner, CodeType) else repr(inner)).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


@dataclass(frozen=True)
class Job:
    """One chain and one ε (None for verbs that search it); pairs that are already answered are left out."""

    parameters: Parameters
    epsilon: Fraction | None
    answered: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """What a job says of one pair (None: of all): a result, or what went wrong."""

    pair: tuple[str, str] | None
    pairs: int | None
    """How many pairs the job has."""
    result: dict[str, Any] | None = None
    error: str | None = None
    certificate: Mapping[str, Any] | None = None
    code: int = 0
    """The exit code that the error stands for."""
    checked: bool | None = None
    """Whether the checker accepted the certificate where the job ran; None if there is none."""


def run_jobs(family: Family, jobs: Sequence[Job]) -> list[tuple[list[Outcome], float]]:
    """The outcomes of each job, and the seconds that it took. Nothing is raised but what ends the process."""
    done = []
    for job in jobs:
        started = time.perf_counter()
        outcomes = _outcomes(family, job)
        done.append((outcomes, time.perf_counter() - started))
    return done


def _outcomes(family: Family, job: Job) -> list[Outcome]:
    try:
        chain = family.chain(job.parameters)
        pairs = family.named_pairs(job)
        likely = family.likely(job.parameters)
    except Exception as error:  # whatever a builder raises is the row's
        code = exit_code(error) if isinstance(error, DeltachainError) else exit_code(InputError(""))
        return [Outcome(None, None, error=_sentence(error), code=code)]
    found = (_outcome(family, job, chain, pair, len(pairs)) for pair in pairs if pair not in job.answered)
    return [each if each.result is None else replace(each, result=each.result | likely) for each in found]


def _outcome(family: Family, job: Job, chain: Chain, pair: tuple[str, str], pairs: int) -> Outcome:
    try:
        result, certificate, checked = _answer(family, job, chain, pair)
    except Exception as error:  # as above; one bad job must not end a thousand good ones
        return Outcome(pair, pairs, error=_sentence(error), code=exit_code(error))
    return Outcome(pair, pairs, result, None, certificate, checked=checked)


def _sentence(error: Exception) -> str:
    kind = "" if isinstance(error, DeltachainError) else f"{type(error).__name__}: "
    return f"{kind}{error}"[:2000]


def _answer(
    family: Family, job: Job, chain: Chain, pair: tuple[str, str]
) -> tuple[dict[str, Any], Mapping[str, Any] | None, bool | None]:
    """The result as plain data, its certificate if it is wanted and there is one, and whether it was checked here."""
    options: dict[str, Any] = dict(family.options) | {"timeout": family.job_timeout}
    check = family.checked == "there"
    if family.verb == "epsilon":
        bound = epsilon(chain, *pair, check=check, **options)
        entry = bound.to_dict()
        entry.pop("pairs")
        return entry, None, entry.pop("checked")
    options["epsilon"] = job.epsilon
    if family.verb == "estimate":
        with ThreadPoolExecutor(1) as thread:
            found = estimate(chain, *pair, executor=thread, **options).to_dict()
        keys = ("proved", "confidence", "seed", "interrupted", "counts_confidence", "assumes")
        return _only(found) | {key: found[key] for key in keys if key in found}, None, None
    answer: Delta | Distance
    # A witness is words for people, and not cheap: a row has the numbers.
    if family.verb == "delta":
        answer = delta(chain, *pair, check=check, **options)
        entry, checked = answer.entry(answer.results[0]), answer.checked.accepted
    else:
        answer = distance(chain, *pair, check=check, **options)
        if family.checked == "here" and not answer.certified:
            raise InputError(f"the checker has no rules for {answer.kind}: its rows cannot be checked")
        entry, checked = answer.entry(answer.results[0]) | {"kind": answer.kind}, answer.checked.accepted
    entry |= answer.scope.premises()
    entry.pop("pair")
    if family.checked != "here":
        return entry, None, checked
    return (
        {key: value for key, value in entry.items() if key not in OF_SINGLE_CHAINS},
        answer.certificate.document,
        checked,
    )


def _only(found: dict[str, Any]) -> dict[str, Any]:
    (entry,) = found["results"]
    return {key: value for key, value in entry.items() if key != "pair"}


OF_SINGLE_CHAINS = {"centre", "inside"}
"""What a row about limits says of chains within them; a certificate is about all of them together, and proves none."""


def proved_row(family: Family, job: Job, outcome: Outcome) -> dict[str, Any]:
    """The outcome as a row, made of the claims that the checker accepts of its certificate.

    Raises:
        Unproved: the outcome is not to be believed: it says why.
    """
    result, pair = outcome.result, outcome.pair
    if outcome.certificate is None or result is None or pair is None:
        raise Unproved("the worker sent no certificate")
    try:
        chain = family.chain(job.parameters)
        accepted = verify(chain, outcome.certificate)
        if result.get("accuracy") != family.likely(job.parameters).get("accuracy"):
            raise Unproved("its accuracy is another one")
        if not _trust_of(chain).items() <= result.items():
            raise Unproved("it leaves out what it rests on: limits, counts, or what is assumed of code")
        if result.keys() & OF_SINGLE_CHAINS:
            raise Unproved("it speaks of single chains within limits, of which its certificate proves nothing")
        asked = Terms.read(epsilon=job.epsilon).about(chain, ()).at
        proved = _proved_entry(family, chain, asked, pair, result, accepted)
    except CertificateRejected as error:
        raise Unproved(f"certificate rejected: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unproved(f"the row is malformed: {type(error).__name__}: {error}") from error
    # What a worker did not know to be exact may be so.
    known = proved if result.get("exact", True) else proved.keys() - {"exact", "value"}
    if any(result.get(key) != proved[key] for key in known):
        raise Unproved("its numbers are not those that its certificate proves")
    return result | proved


def _proved_entry(
    family: Family,
    chain: Chain,
    asked: ExpEpsilon,
    pair: tuple[str, str],
    result: Mapping[str, Any],
    accepted: Sequence[Claim],
) -> dict[str, Any]:
    """The numbers of a row, from accepted claims."""
    if family.verb == "delta":
        (claim,) = accepted_of([Claim(measure="delta", subject=pair, at=(asked,))], accepted)
        found = PairDelta(
            pair, claim.lower, claim.upper, result["method"], result["stopped"], result["nodes"], value=claim.value
        )
        return {key: value for key, value in delta_entry(found).items() if key != "pair"}
    kind = kind_named(family.options.get("kind", BD.name))
    at = (scalars_of(chain).alpha(asked),)
    both = [Claim(measure=kind.name, subject=way, at=at) for way in ((pair, pair[::-1]) if kind.directed else (pair,))]
    ways = accepted_of(both, accepted)
    there, back = ways[0], ways[-1]
    exact = result["side"] == "exact" and there.value is not None and back.value is not None
    lowers = None if exact or result["lower"] is None else (there.lower, back.lower)
    row = PairDistance(pair, there.upper, back.upper, "exact" if exact else "upper", lowers)
    return {key: value for key, value in distance_entry(kind.name, row).items() if key != "pair"} | {"kind": kind.name}


def _trust_of(chain: Chain) -> dict[str, Any]:
    """What every row about the chain has to say of its limits and counts."""
    return Scope.of(chain).premises()


class _Runner:
    """Jobs out in chunks, rows in, checked and written."""

    def __init__(self, family: Family, executor: Executor | None, cancel: Cancel, journal: Journal | None) -> None:
        self.family, self.executor, self.cancel, self.journal = family, executor, cancel, journal
        self.pace = CHUNK_SECONDS
        """Seconds a job, about."""
        self.rows: list[SweepRow] = []
        self.done = 0
        """Jobs."""

    def run(self, jobs: Sequence[Job]) -> tuple[list[SweepRow], int, str]:
        """The rows, how many jobs were not run, and why, if the workers are to blame: the rows stand all the same."""
        try:
            self._run(jobs)
        except WorkersLost as error:
            return self.rows, len(jobs) - self.done, str(error)
        return self.rows, len(jobs) - self.done, ""

    def _run(self, jobs: Sequence[Job]) -> None:
        started = time.monotonic()
        shared = Shared(run_jobs, self.family)
        for chunk, results in as_completed(shared, self._chunks(jobs), self.executor, self.cancel.is_stopped):
            fresh = []
            for job, (outcomes, seconds) in zip(chunk, results, strict=True):
                self.pace = 0.8 * self.pace + 0.2 * seconds
                fresh += [self._row(job, outcome) for outcome in self._complete(job, outcomes)]
            if self.journal is not None:
                self.journal.append(row.to_dict() for row in fresh)
            self.rows += fresh
            self.done += len(chunk)
            rate = self.done / max(time.monotonic() - started, 1e-9)
            left = _duration((len(jobs) - self.done) / rate)
            self.cancel.report(f"{self.done:,} of {len(jobs):,} jobs, {rate:.3g} per second, about {left} left")

    def _chunks(self, jobs: Sequence[Job]) -> Iterator[list[Job]]:
        at = 0
        while at < len(jobs):
            size = int(min(max(CHUNK_SECONDS / max(self.pace, 1e-6), 1), LARGEST_CHUNK)) if self.executor else 1
            yield list(jobs[at : at + size])
            at += size

    def _complete(self, job: Job, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes, if they are about the job's pairs, each once; else, where workers are checked, an error."""
        if self.family.checked != "here" or any(outcome.pair is None for outcome in outcomes):
            return outcomes
        pairs = self.family.named_pairs(job)
        if [outcome.pair for outcome in outcomes] == [pair for pair in pairs if pair not in job.answered]:
            return outcomes
        error = "the worker's certificate does not prove its row: it is about other pairs"
        return [Outcome(None, None, error=error, code=REJECTED)]

    def _row(self, job: Job, outcome: Outcome) -> SweepRow:
        family = self.family
        error, checked, code, result = outcome.error, outcome.checked, outcome.code, outcome.result
        if error is None and family.checked == "here":
            try:
                result, checked = proved_row(family, job, outcome), True
            except Unproved as problem:
                error, checked, code = f"the worker's certificate does not prove its row: {problem}", False, REJECTED
        body = json.dumps(result) if error is None else ""
        return SweepRow(
            job.parameters, outcome.pair, job.epsilon, family.verb, body, error, checked, outcome.pairs, code
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
