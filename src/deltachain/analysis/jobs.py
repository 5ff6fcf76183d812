"""The jobs of a sweep: a verb on one chain of a family, at one ε. Run anywhere; checked by whoever asked.

A worker builds the chain, answers for each pair, and sends plain data: numbers as JSON has them, and, if asked for, the
certificate's document. The parent believes neither: it builds the chain itself, lets the checker read the certificate,
and compares what that proves, at which e^ε, of which pair, with the numbers of the row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..errors import CertificateRejected, DeltachainError, InputError
from ..model import Chain
from ..rational import ExpEpsilon, format_fraction
from ..render.numbers import Side, json_number
from .certificates import verify
from .deltas import delta
from .distances import distance
from .epsilons import epsilon
from .estimates import estimate
from .parameters import State, asked_pairs

Build = Callable[..., Chain]
"""A function from parameters, by keyword, to a chain; picklable, to run elsewhere."""
Parameters = tuple[tuple[str, Any], ...]

VERBS: dict[str, frozenset[str]] = {
    "delta": frozenset({"gap", "max_nodes"}),
    "epsilon": frozenset({"delta", "precision", "max_nodes"}),
    "distance": frozenset({"kind", "traces", "exact"}),
    "estimate": frozenset({"confidence", "samples", "horizon", "seed", "gap", "max_nodes"}),
}
"""The verbs that answer with numbers, and the options of each."""
CERTIFIED = ("delta", "distance")


@dataclass(frozen=True)
class Family:
    """What all jobs share: how a chain is built, and what is asked of it."""

    build: Build
    verb: str
    pairs: tuple[tuple[State, State], ...] | None
    options: Mapping[str, Any]
    job_timeout: float | None = None
    certify: bool = False
    _built: dict[Parameters, Chain] = field(default_factory=dict, compare=False)

    def chain(self, parameters: Parameters) -> Chain:
        """The chain; the last one built is kept, for jobs come by parameters."""
        if parameters not in self._built:
            chain = self.build(**dict(parameters))
            if not isinstance(chain, Chain):
                raise InputError(f"build: it returned {type(chain).__name__}, not a Chain")
            self._built.clear()
            self._built[parameters] = chain
        return self._built[parameters]

    def named_pairs(self, job: Job) -> list[tuple[str, str]]:
        """The pairs that are asked for, on the chain of a job."""
        chain = self.chain(job.parameters)
        return [(chain.states[s], chain.states[t]) for s, t in asked_pairs(chain, None, None, self.pairs)]

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_built": {}}


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
    except Exception as error:  # whatever a builder raises is the row's
        return [Outcome(None, None, error=_sentence(error))]
    return [_outcome(family, job, chain, pair, len(pairs)) for pair in pairs if pair not in job.answered]


def _outcome(family: Family, job: Job, chain: Chain, pair: tuple[str, str], pairs: int) -> Outcome:
    try:
        result, certificate = _answer(family, job, chain, pair)
    except Exception as error:  # as above; one bad job must not end a thousand good ones
        return Outcome(pair, pairs, error=_sentence(error))
    return Outcome(pair, pairs, result, None, certificate)


def _sentence(error: Exception) -> str:
    kind = "" if isinstance(error, DeltachainError) else f"{type(error).__name__}: "
    return f"{kind}{error}"[:2000]


def _answer(
    family: Family, job: Job, chain: Chain, pair: tuple[str, str]
) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """The result as plain data, and its certificate if it is wanted and there is one."""
    options: dict[str, Any] = dict(family.options) | {"timeout": family.job_timeout}
    if family.verb == "epsilon":
        bound = epsilon(chain, *pair, **options).to_dict()
        bound.pop("pairs")
        return bound, None
    options["epsilon"] = job.epsilon
    if family.verb == "estimate":
        with ThreadPoolExecutor(1) as thread:
            found = estimate(chain, *pair, executor=thread, **options).to_dict()
        keys = ("proved", "confidence", "seed")
        return _only(found) | {key: found[key] for key in keys}, None
    verb: Any = delta if family.verb == "delta" else distance
    answer = verb(chain, *pair, **options)
    document = answer.certificate.document if family.certify else None
    # A witness is words for people, and not cheap: a row has the numbers.
    entry: dict[str, Any] = answer._entry(answer.results[0])
    entry.pop("pair")
    if family.verb == "distance":
        entry["kind"] = answer.kind
    return entry, document


def _only(found: dict[str, Any]) -> dict[str, Any]:
    (entry,) = found["results"]
    return {key: value for key, value in entry.items() if key != "pair"}


def problem_of(family: Family, job: Job, outcome: Outcome) -> str | None:
    """Why the outcome is not to be believed; None if its certificate proves its numbers."""
    if outcome.certificate is None or outcome.result is None or outcome.pair is None:
        return "the worker sent no certificate"
    try:
        chain = family.chain(job.parameters)
        verify(chain, outcome.certificate)
        return _mismatch(family, job, outcome.pair, outcome.result, outcome.certificate)
    except CertificateRejected as error:
        return f"certificate rejected: {error}"
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return f"the row is malformed: {type(error).__name__}: {error}"


def _mismatch(
    family: Family, job: Job, pair: tuple[str, str], result: dict[str, Any], document: Mapping[str, Any]
) -> str | None:
    """What the row says beyond its certificate, which the checker has accepted."""
    asked = ExpEpsilon.read(epsilon=job.epsilon)
    at = Fraction(document["exp_epsilon"]["upper"]), Fraction(document["exp_epsilon"]["lower"])
    if at != (asked.below, asked.above if family.verb == "delta" else asked.below):
        return "its certificate is about another ε"
    claims = {tuple(c["pair"]): c for c in document["claims"] if c["claim"] == family.verb}
    if family.verb == "delta":
        shown = {pair: {side: result[side] for side in ("lower", "upper")}}
        exact = result["exact"]
    else:
        kind, exact = family.options.get("kind", "bd"), result["side"] == "exact"
        if not document.get("kind") == result["kind"] == kind:
            return "its certificate is about another distance"
        shown = {pair: {"upper": result["value"]}}
        if kind != "bd":
            shown[pair[1], pair[0]] = {"upper": result["reverse"]}
    for ends, numbers in shown.items():
        claim = claims.get(ends, {})
        for side, number in numbers.items():
            if side not in claim or number["exact"] != format_fraction(Fraction(claim[side])):
                return "its numbers are not those that its certificate proves"
        if exact and claim.get("lower") != claim["upper"]:
            return "it says exact of what its certificate only bounds"
    return None if _faithful(result) else "a decimal of it is not that of its exact number"


def _faithful(result: dict[str, Any]) -> bool:
    """Whether each decimal of the row is one that its exact number may be shown by."""
    sides: tuple[Side, ...] = (None, "lower", "upper")
    numbers = [value for value in result.values() if isinstance(value, dict)]
    return all(number in [json_number(Fraction(number["exact"]), side) for side in sides] for number in numbers)
