"""`threshold`: bd against a number, by an SMT solver."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from deltachain.asking import Inquiry, Pairs, StateName, load_inquiry, reject_renamed_arguments
from deltachain.cancel import Cancel
from deltachain.errors import SolverUnknown, Stopped
from deltachain.model import Chain
from deltachain.numbers.fraction import ExpEpsilon, Number, as_probability
from deltachain.parameters import Neighbours, Secrets
from deltachain.results.scope import Scope
from deltachain.settings import Settings

from .decider import Decider
from .show import PairThreshold, Threshold

if TYPE_CHECKING:
    from deltachain.loading import AnyModel

    from .prefixed_point import PrefixedPoint


@reject_renamed_arguments
def threshold(
    model: AnyModel | Inquiry,
    s: StateName | None = None,
    t: StateName | None = None,
    *,
    theta: Number,
    epsilon: Number | None = None,
    exp_epsilon: Number | None = None,
    pairs: Pairs | None = None,
    secrets: Secrets | None = None,
    neighbours: Neighbours | None = None,
    strict: bool = False,
    solver: str = "z3",
    formula: str | None = None,
    encoding: str = "bounded",
    bits: int | None = None,
    timeout: float | None = 60,
    cancel: Cancel | None = None,
) -> Threshold:
    """Is bd ≤ θ at e^ε (at a rational just below it, where ``epsilon`` is given)?

    Args:
        model: a chain, or what `load` takes.
        s: a state, by name or number.
        t: another one.
        theta: the threshold, from 0 to 1.
        epsilon: ε ≥ 0.
        exp_epsilon: e^ε ≥ 1 itself, in place of ε.
        pairs: pairs of states, in place of ``s`` and ``t``; without either, the relation that the model carries.
        secrets: the inputs of a program.
        neighbours: which two of them are compared, as in `load` (default: every two).
        strict: ask bd < θ.
        solver: ``"z3"``, ``"cvc5"``, or ``"engine"``, which computes the distance.
        formula: ``"np"``, ``"sigma2"`` or ``"least"``; None for the solver's default.
        encoding: ``"faithful"``, ``"reduced"`` or ``"bounded"``.
        bits: let the solver look for ratios of natural numbers of so many bits. There may be none although bd ≤ θ: then
            the answer is "unknown", unless so many bits are always enough.
        timeout: seconds for each call of a solver; None for no limit.
        cancel: a deadline for the whole, and where progress goes.

    Raises:
        InputError: the question does not apply to this model.
        BackendMissing: the solver is not installed.

    >>> import deltachain as dc
    >>> threshold(dc.examples.coin(), "s0", "s1", theta=0, exp_epsilon="3/2", solver="engine").answer
    'yes'
    """
    limit = as_probability(theta, "theta")
    at = ExpEpsilon.read(epsilon, exp_epsilon)
    cancel = cancel or Cancel()
    inquiry = load_inquiry(model, Settings(secrets=secrets, neighbours=neighbours, cancel=cancel), s, t, pairs)
    chain, numbers = inquiry.chain, inquiry.pairs
    results, proofs = [], []
    asked_of = deciders(chain, numbers, at, solver, formula, encoding, timeout, bits, cancel)
    for decider in asked_of:
        cancel.report(f"{chain.states[decider.s]} against {chain.states[decider.t]}: {solver}")
        result, point = decide(decider, limit, strict, cancel)
        results.append(result)
        proofs.append((decider.s, decider.t, point))
    formula_used, encoding_used = (None, None) if solver == "engine" else (asked_of[0].formula, encoding)
    answers, points = tuple(results), tuple(proofs)
    return Threshold(
        limit, strict, at, solver, formula_used, encoding_used, bits, answers, points, scope=Scope.of(chain)
    )


def deciders(
    chain: Chain,
    pairs: Iterable[tuple[int, int]],
    at: ExpEpsilon,
    solver: str,
    formula: str | None,
    encoding: str,
    timeout: float | None,
    bits: int | None = None,
    cancel: Cancel | None = None,
) -> list[Decider]:
    """One decider per pair, at the rational just below e^ε."""
    why, fix = "the formulas have one step for each pair", "measure bd itself: distance takes inputs"
    chain.need("no inputs", "threshold", why, fix)
    chain.need("fractions", "threshold", "an SMT solver computes with rationals", "measure bd itself: distance")
    settings: dict[str, Any] = {
        "solver": solver,
        "formula": formula,
        "encoding": encoding,
        "timeout": timeout,
        "bits": bits,
        "cancel": cancel,
    }
    return [Decider(chain, s, t, exp_epsilon=at.below, **settings) for s, t in pairs]


def decide(
    decider: Decider, theta: Fraction, strict: bool, cancel: Cancel
) -> tuple[PairThreshold, PrefixedPoint | None]:
    """What a decider says of one pair, on what ground, and the pre-fixed point if there is one."""
    pair = decider.chain.states[decider.s], decider.chain.states[decider.t]
    if cancel.is_stopped():
        why = "time limit reached" if cancel.reason == "time" else "interrupted"
        return PairThreshold(pair, "unknown", why, False), None
    try:
        decision = decider.decide(theta, strict=strict)
    except (SolverUnknown, Stopped) as reason:
        return PairThreshold(pair, "unknown", str(reason), False, decider.size), None
    if decision.proof is not None:
        ground = "a pre-fixed point, accepted by the checker"
    elif decision.settled:
        ground = "exact bounds; nothing was left to the solver"
    elif decision.solver == "engine":
        ground = "the exact distance" if decision.exact else "a certified upper bound of the distance"
    else:
        ground = f"{decision.solver}: unsat"
    answer = PairThreshold(pair, "yes" if decision.holds else "no", ground, decision.proof is not None, decider.size)
    return answer, decision.proof
