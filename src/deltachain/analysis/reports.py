"""`report`: everything about a model's privacy as one HTML page that reads nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import get_args

from ..cancel import Cancel
from ..cancel import Report as Told
from ..errors import InputError, SolverError
from ..files import write_atomically
from ..model import Chain, reachable
from ..rational import ExpEpsilon, Number, as_probability
from ..render.report import BoundRow, DistanceRow, EpsilonRow, Findings, rendered_report
from .deltas import Delta, Verdict, check, delta
from .distances import distance
from .parameters import State, asked_pairs, watching
from .profiles import Profile, profile

COMMON_DELTAS = (Fraction(0), Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10**2))
BAND_NODES = 5_000
"""Belief pairs for each point of a curve that may not be exact, unless a budget is given."""
LARGE = 200
"""Above so many states up to bisimilarity, each point of the curve takes seconds: then"""
FEW_EPSILONS = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4))
"""are those that it is computed at, unless others are given."""
MOST_STATES = 60
"""Distances are measured on chains up to this many states, from the start states on."""


@dataclass(frozen=True, repr=False)
class Report:
    """A page, and the result that it is about. A value."""

    found: Delta
    """The `Delta`, or the `Verdict` where a δ was allowed."""
    html: str
    profile: Profile

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.html.encode())

    @property
    def sha256(self) -> str:
        """The hash of the file: the same input gives the same one."""
        return hashlib.sha256(self.html.encode()).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the file, atomically; InputError if it cannot be written."""
        write_atomically(Path(path), [self.html])

    def __repr__(self) -> str:
        return f"<Report: {self.size:,} bytes, of {self.found!r}>"

    def _repr_html_(self) -> str:
        return self.found._repr_html_()

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, with the size and the hash of the page."""
        return self.found.to_dict() | {"report": {"bytes": self.size, "sha256": self.sha256}}


def report(
    chain: Chain,
    s: State | None = None,
    t: State | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    delta: Number | None = None,
    pairs: Iterable[tuple[State, State]] | None = None,
    epsilons: Iterable[Number] | None = None,
    prior: Number = "1/2",
    source: str = "a chain",
    command: str | None = None,
    verify: str | None = None,
    notes: Iterable[str] = (),
    gap: Number | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    report: Told | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
) -> Report:
    """The report on the pairs at ε; with ``delta``, the verdict on it. The same arguments give the same bytes.

    ``epsilons`` is the grid of the curve; ``prior`` a watcher's belief in the first state of the worst pair.
    ``source``, ``command``, ``verify`` and ``notes`` are shown as they are: where the model is from, and the commands
    that make the report and check its certificate.

    >>> import deltachain as dc
    >>> page = report(dc.examples.coin(), epsilon=1, delta="1/10")
    >>> page.found.verdict, page.size < 2_000_000
    ('private', True)
    """
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    belief = as_probability(prior, "prior")
    if not 0 < belief < 1:
        raise InputError("prior: a belief of 0 or 1 learns nothing; give one between them")
    given = {"epsilon": epsilon, "exp_epsilon": exp_epsilon, "gap": gap, "max_nodes": max_nodes}
    numbers = asked_pairs(chain, s, t, pairs)
    with watching(cancel, timeout, report, interruptible) as cancel:
        found = _found(chain, numbers, delta, given, cancel)
        cancel.report("the curve δ(ε)")
        curve = _curve(chain, numbers, epsilons, gap, max_nodes, cancel)
        distances = _distances(chain, numbers, at, cancel)
    findings = Findings(
        chain=chain,
        source=source,
        exp_epsilon=at,
        **_about(found),  # type: ignore[arg-type]
        points=_points(curve, found),
        distributions=curve.distributions,
        epsilons=_epsilons(curve, found),
        distances=distances,
        certificate="".join(found.certificate.chunks()),
        prior=belief,
        command=command,
        verify=verify,
        notes=tuple(notes),
    )
    return Report(found, rendered_report(findings), curve)


def _found(
    chain: Chain, pairs: list[tuple[int, int]], allowed: Number | None, given: dict[str, Number | None], cancel: Cancel
) -> Delta:
    """δ as narrow as a finite search gets, also where a verdict is known sooner: the report shows the number."""
    found = delta(chain, pairs=pairs, cancel=cancel, **given)  # type: ignore[arg-type]
    if allowed is None:
        return found
    verdict = Verdict(found.exp_epsilon, found.results, found._proof, as_probability(allowed, "delta"))
    if verdict.verdict != "undecided" or cancel.stopped():
        return verdict
    return check(chain, pairs=pairs, delta=allowed, cancel=cancel, **given)  # type: ignore[arg-type]


def _curve(
    chain: Chain,
    pairs: list[tuple[int, int]],
    epsilons: Iterable[Number] | None,
    gap: Number | None,
    max_nodes: int | None,
    cancel: Cancel,
) -> Profile:
    """The curve δ(ε); where it may not be exact, with a budget for each point, and few points if the chain is large."""
    from ..beliefs.workspace import Workspace

    work = Workspace(chain, pairs)
    if work.alike and not work.acyclic:
        max_nodes = max_nodes or BAND_NODES
        if epsilons is None and len(work.quotient.chain) > LARGE:
            epsilons = FEW_EPSILONS
    return profile(chain, pairs=pairs, epsilons=epsilons, gap=gap, max_nodes=max_nodes, cancel=cancel)


def _about(found: Delta) -> dict[str, object]:
    judged = found if isinstance(found, Verdict) else None
    rows = {
        r.pair: BoundRow(r.pair, r.lower, r.upper, r.method, None if judged is None else judged.verdict_of(r))
        for r in found.results
    }
    return {
        "bounds": tuple(rows.values()),
        "verdict": None if judged is None else judged.verdict,
        "allowed": None if judged is None else judged.allowed,
        "worst": rows[found.worst.pair],
        "witness": found.witness,
    }


def _points(curve: Profile, found: Delta) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
    """The curve's points with the one that was asked for; δ falls, so each sharpens its neighbours."""
    points = {p.epsilon: (p.lower, p.upper) for p in curve.points}
    asked = found.exp_epsilon.epsilon
    if asked is not None:
        known = curve.delta(epsilon=asked)
        points[asked] = (max(known.lower, found.lower), min(known.upper, found.upper))
    epsilons = sorted(points)
    upper = list(accumulate((points[e][1] for e in epsilons), min))
    lower = list(accumulate((points[e][0] for e in reversed(epsilons)), max))[::-1]
    return tuple(zip(epsilons, lower, upper, strict=True))


def _epsilons(curve: Profile, found: Delta) -> tuple[EpsilonRow, ...]:
    deltas = {*COMMON_DELTAS, *([found.allowed] if isinstance(found, Verdict) else [])}
    return tuple(EpsilonRow(d, *curve.epsilon(delta=d)) for d in sorted(deltas))


def _distances(chain: Chain, pairs: list[tuple[int, int]], at: ExpEpsilon, cancel: Cancel) -> tuple[DistanceRow, ...]:
    """sd, ld and bd where the chain is small; a reason where they are not computed."""
    from ..distances.pair_space import Kind

    kinds = sorted(get_args(Kind), reverse=True)
    size = len(reachable(chain, [state for pair in pairs for state in pair]))
    if size > MOST_STATES:
        reason = f"not computed: {size:,} states; deltachain distance measures it"
        return tuple(DistanceRow(kind, None, False, reason) for kind in kinds)
    given = {"epsilon": at.epsilon} if at.epsilon is not None else {"exp_epsilon": at.below}
    rows = []
    for kind in kinds:
        try:
            cancel.check()
            measured = distance(chain, pairs=pairs, kind=kind, merge=True, cancel=cancel, **given)  # type: ignore[arg-type]
            rows.append(DistanceRow(kind, measured.value, measured.side == "exact"))
        except SolverError as error:
            rows.append(DistanceRow(kind, None, False, f"not computed: {error}"))
    return tuple(rows)
