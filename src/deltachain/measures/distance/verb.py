"""`distance`: bd, ld and sd of a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from ...asking import (
    Inquiry,
    Pairs,
    StateName,
    cancel_scope,
    load_chain,
    load_inquiry,
    make_inspection,
    reject_renamed_arguments,
)
from ...cancel import Cancel, ProgressCallback
from ...certificate.checked import NOT_ASKED, TOO_LARGE, Checked
from ...certificate.distances import DistanceEvidence
from ...certificate.inspection import accepted_by
from ...certificate.verification import MOST_BYTES
from ...distances.fixed_point import FixedPoint, solve
from ...distances.kinds import kind_named
from ...distances.pair_table import PairDistance, TableSide
from ...distances.scalars import scalars_of
from ...errors import NotConverged, Stopped
from ...model import Chain, Quotient
from ...model import quotient as quotient_of
from ...numbers.field import Exact
from ...numbers.fraction import ExpEpsilon, Number
from ...parameters import Neighbours, Secrets
from ...results.scope import Scope
from ...settings import Settings
from .show import LISTED, Distance

if TYPE_CHECKING:
    from ...certificate.claims import Claim
    from ...certificate.inspection import Inspection
    from ...distances.kind import DistanceKind
    from ...loading import AnyModel


@reject_renamed_arguments
def distance(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | Literal["all"] | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    kind: str = "bd",
    exact: bool | None = None,
    max_equations: int | None = None,
    quotient: bool = False,
    timeout: float | None = None,
    report: ProgressCallback | None = None,
    interruptible: bool = False,
    cancel: Cancel | None = None,
    check: bool = True,
) -> Distance:
    """The distance bd, ld or sd of pairs of states; each bounds δ from above.

    Args:
        model: a chain, or what `load` takes.
        s: a state, by name or number.
        t: another one.
        epsilon: ε ≥ 0; the distance is then measured at a rational just below e^ε, or, where the model's probabilities
            are functions of e, at e^ε itself.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``, or ``"all"``: every pair of states of one label.
        secrets: the inputs of a program.
        neighbours: which two of them are compared, as in `load` (default: every two).
        kind: ``"bd"``, the paper's, symmetric; ``"ld"``, directed, at most bd; ``"sd"``, with complement constraints,
            at most ld.
        exact: True asks for the exact value; False for certified upper values; None tries the exact ones on small
            chains.
        max_equations: for exact values, the largest linear system that may be solved (default: 3000).
        quotient: measure on the bisimulation quotient, where distances may be smaller.
        timeout: give up after so many seconds.
        report: a function that is given progress as text.
        interruptible: let Ctrl-C end it.
        cancel: a token of the caller's that stands for timeout, report and interruption.
        check: the checker must accept the certificate before there is a result (up to a size).

    Raises:
        InputError: the question does not apply to this model.
        NotConverged: the exact value was asked for, and is too large or takes too long; ``upper`` is the certified
            Distance, whose results have a lower side too, where there was time for it.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> distance(chain, "s0", "s1", exp_epsilon="1.0002")
    <Distance: bd(s0, s1) = 1/2500 = 0.0004, exact, e^ε = 1.0002 (ε ≈ 0.00019998)>
    """
    measure = kind_named(kind)
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    with cancel_scope(cancel, timeout, report, interruptible) as cancel:
        numbers: list[tuple[int, int]] | None = None
        if isinstance(pairs, str) and pairs == "all" and s is None and t is None:
            chain = load_chain(model, secrets, cancel)
        else:
            inquiry = load_inquiry(model, Settings(secrets=secrets, neighbours=neighbours, cancel=cancel), s, t, pairs)
            chain, numbers = inquiry.chain, list(inquiry.pairs)
        merged = quotient_of(chain, cancel=cancel) if quotient else None
        inspection = make_inspection(chain, cancel, check)
        return distance_of(chain, numbers, at, measure, cancel, merged, exact, max_equations, inspection)


def distance_of(
    chain: Chain,
    pairs: list[tuple[int, int]] | None,
    at: ExpEpsilon,
    kind: DistanceKind,
    cancel: Cancel,
    merged: Quotient | None = None,
    exact: bool | None = None,
    max_equations: int | None = None,
    inspection: Inspection | None = None,
) -> Distance:
    """`distance` of what is read already: of the pairs, or of all; measured on the quotient, where one is given."""
    measured = chain if merged is None else merged.chain
    places = pairs if merged is None or pairs is None else [(merged.block[a], merged.block[b]) for a, b in pairs]
    stage = cancel.during("computing the distance")
    alpha = scalars_of(measured).alpha(at)
    try:
        with stage.govern():
            solution = solve(
                measured,
                alpha,
                kind=kind,
                pairs=places,
                exact=exact,
                both=True,
                max_equations=max_equations,
                cancel=stage,
            )
    except Stopped as reason:
        if pairs is None:
            raise
        unknown = _nothing_known(chain, at, alpha, kind, len(measured), merged is not None, pairs)
        raise NotConverged(f"{reason}; nothing below 1 was proved", unknown) from None
    except NotConverged as reason:
        if not isinstance(reason.upper, FixedPoint):
            raise
        found = _as_distance(chain, at, reason.upper, merged, pairs, inspection)
        raise NotConverged(str(reason), found) from None
    return _as_distance(chain, at, solution, merged, pairs, inspection)


def _nothing_known(
    chain: Chain,
    at: ExpEpsilon,
    alpha: Exact,
    kind: DistanceKind,
    measured: int,
    quotient: bool,
    pairs: list[tuple[int, int]],
) -> Distance:
    """0 ≤ the distance ≤ 1, where there was no time for more; what labels alone say is exact."""
    results = []
    for s, t in pairs:
        apart = Fraction(chain.labels[s] != chain.labels[t])
        names = chain.states[s], chain.states[t]
        if apart or s == t:
            results.append(PairDistance(names, apart, apart, "exact"))
        else:
            results.append(PairDistance(names, Fraction(1), Fraction(1), "upper", (Fraction(0), Fraction(0))))
    return Distance(
        kind=kind.name,
        exp_epsilon=at,
        side="upper",
        sharp=False,
        results=tuple(results),
        quotient=quotient,
        measured=measured,
        measured_at=alpha,
        certified=False,
        states=chain.states,
        labels=chain.labels,
        _proof=None,
        scope=Scope.of(chain),
        checked=Checked(None, "a distance is at least 0 and at most 1"),
    )


def _as_distance(
    chain: Chain,
    at: ExpEpsilon,
    solution: FixedPoint,
    merged: Quotient | None,
    asked: list[tuple[int, int]] | None,
    inspection: Inspection | None,
) -> Distance:
    """The claims about the pairs that were asked for, or about every computed pair, as a value."""
    measured = solution.chain
    places = asked if asked is None or merged is None else [(merged.block[s], merged.block[t]) for s, t in asked]
    evidence = DistanceEvidence(chain, solution, merged, places)
    results: Sequence[PairDistance] = solution.table() if asked is None else ()
    # A table of floats stands for millions of claims, which are made if they can be checked.
    if len(results) > LISTED and (inspection is None or evidence.is_beyond(MOST_BYTES)):
        said = NOT_ASKED if inspection is None else TOO_LARGE
    elif len(results) > LISTED:
        said = accepted_by(inspection, evidence).checked
    else:
        found = accepted_by(inspection, evidence)
        names = [row.pair for row in results] or [(chain.states[s], chain.states[t]) for s, t in asked or ()]
        results, said = _rows(evidence, names, found.claims), found.checked
    if said == TOO_LARGE:
        said = replace(TOO_LARGE, why=f"certificate too large, {_length_of(evidence)}: run verify")
    return Distance(
        kind=solution.kind.name,
        exp_epsilon=at,
        side=solution.side,
        sharp=solution.sharp,
        results=results,
        quotient=merged is not None,
        measured=len(measured),
        measured_at=solution.exp_epsilon,
        certified=solution.kind.checked,
        states=chain.states,
        labels=chain.labels,
        _proof=evidence,
        scope=Scope.of(chain),
        checked=said,
        every=asked is None,
    )


def _length_of(evidence: DistanceEvidence) -> str:
    """How long a certificate is that is too long to be checked at once; prices of exact values are not estimated."""
    size = -(-max(evidence.expected_bytes, MOST_BYTES) // 10**6)
    return f"{'about' if evidence.solution.lower is None else 'more than'} {size} MB"


def _rows(
    evidence: DistanceEvidence, names: Sequence[tuple[str, str]], claims: Sequence[Claim]
) -> tuple[PairDistance, ...]:
    """A row of each pair by the names that were asked for, made of the claims about it and about it turned round."""
    solution, known = evidence.solution, {claim.subject: claim for claim in claims}
    states, found = solution.chain.states, []
    for pair, named in zip(evidence.pairs, names, strict=False):  # after the pairs come those turned round
        one, other = (states[state] for state in pair)
        there = known[one, other]
        back = known.get((other, one), there)
        exact = there.value is not None and back.value is not None
        side: TableSide = "exact" if exact and (solution.side == "exact" or evidence.is_told(pair)) else "upper"
        lowers = None if side == "exact" or solution.lower is None else (there.lower, back.lower)
        found.append(PairDistance(named, there.upper, back.upper, side, lowers))
    return tuple(found)
