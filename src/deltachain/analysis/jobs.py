"""The jobs of a sweep: a verb on one chain of a family, at one ε. Run anywhere; checked by whoever asked.

A worker builds the chain, answers for each pair, and sends plain data: numbers as JSON has them, and, if asked for, the
certificate's document. The parent believes neither: it builds the chain itself, lets the checker read the certificate,
and compares what that proves, at which e^ε, of which pair, with the numbers of the row.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from types import CodeType
from typing import Any

from ..errors import CertificateRejected, DeltachainError, InputError, exit_code
from ..model import Chain
from ..rational import ExpEpsilon, format_fraction, parse_fraction
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
NUMBERS: dict[str, frozenset[str]] = {
    "delta": frozenset({"lower", "upper", "exact", "nodes", "method", "stopped"}),
    "epsilon": frozenset(
        {"delta", "epsilon", "exp_epsilon", "epsilon_refuted", "exp_epsilon_refuted", "exact", "pure", "impossible"}
    ),
    "distance": frozenset({"value", "reverse", "largest", "side", "kind"}),
    "estimate": frozenset({"lower", "upper", "certified", "samples", "horizon", "proved", "confidence", "seed"}),
}
"""The keys of each verb's result; the two of a direction are left out of bd."""
OPTIONAL = frozenset({"reverse", "largest"})
BOUNDS: dict[str, tuple[str, ...]] = {
    "delta": ("lower", "upper"),
    "epsilon": ("epsilon_refuted", "exp_epsilon_refuted"),
    "distance": ("value",),
    "estimate": ("lower", "upper", "confidence"),
}
"""The keys that must hold numbers."""


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
        return self.__dict__ | {"_built": {}}


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
        code = exit_code(error) if isinstance(error, DeltachainError) else exit_code(InputError(""))
        return [Outcome(None, None, error=_sentence(error), code=code)]
    return [_outcome(family, job, chain, pair, len(pairs)) for pair in pairs if pair not in job.answered]


def _outcome(family: Family, job: Job, chain: Chain, pair: tuple[str, str], pairs: int) -> Outcome:
    try:
        result, certificate = _answer(family, job, chain, pair)
    except Exception as error:  # as above; one bad job must not end a thousand good ones
        return Outcome(pair, pairs, error=_sentence(error), code=exit_code(error))
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
    values = [value for value in result.values() if isinstance(value, dict)]
    numbers = [part for value in values for part in ([value] if "exact" in value else value.values())]
    return all(number in [json_number(parse_fraction(number["exact"]), side) for side in sides] for number in numbers)


def is_result(verb: str, result: Any) -> bool:
    """Whether something read from a file has the shape of the verb's result, each decimal that of its exact number."""
    if verb not in NUMBERS or not isinstance(result, dict) or not NUMBERS[verb] - OPTIONAL <= result.keys():
        return False
    try:
        return all(isinstance(result[key]["exact"], str) for key in BOUNDS[verb]) and _faithful(result)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
