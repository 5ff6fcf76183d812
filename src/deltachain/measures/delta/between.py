"""δ of a mechanism between two labellings of one chain (`sandwiched`): equal values are exact."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from ...beliefs.question import Question
from ...cancel import Cancel
from ...certificate.inspection import Inspection, accepted_by
from ..sandwiched import NARROW, Ask, Sides, narrow
from .show import Delta, PairDelta, Verdict

if TYPE_CHECKING:
    from ...beliefs.question import StopReason


def delta_between(question: Question, cancel: Cancel, inspection: Inspection | None, ask: Ask[Delta]) -> Delta:
    """`delta` or `check` of a mechanism, where ``ask`` is the same about one chain."""

    def answer(sides: Sides, checks: Inspection | None) -> Delta:
        return _between(ask(sides.fine, None), ask(sides.coarse, None), sides, checks)

    def is_settled(found: Delta) -> bool:
        if isinstance(found, Verdict):
            return found.verdict != "undecided"
        # Losses are composed as bounds, which need not meet.
        gap = question.gap if question.gap is not None or not question.together else NARROW
        return found.exact or (gap is not None and found.upper - found.lower <= gap)

    return narrow(question.chain, cancel, inspection, partial(Sides.of, question), answer, is_settled)


def _between(above: Delta, below: Delta, sides: Sides, inspection: Inspection | None) -> Delta:
    """One answer of two, made of the claims that the checker accepts."""
    evidence = sides.views(above._proof, below._proof)
    if evidence is None:
        raise ValueError("an answer without evidence")
    accepted = accepted_by(inspection, evidence)
    count = len(above.results)
    uppers, lowers = accepted.claims[:count], accepted.claims[count:]
    results = tuple(
        _pair(one, other, Fraction(low.lower), Fraction(high.upper))
        for one, other, high, low in zip(above.results, below.results, uppers, lowers, strict=True)
    )
    exact = all(result.exact for result in results)
    return replace(
        above,
        results=results,
        _proof=evidence,
        checked=accepted.checked,
        witness=below.witness,
        explanation=above.explanation if exact else None,
        acyclic=above.acyclic and below.acyclic,
    )


def _pair(above: PairDelta, below: PairDelta, lower: Fraction, upper: Fraction) -> PairDelta:
    """One pair: equal values are exact."""
    value = above.value if above.value is not None and above.value == below.value else None
    limits = (each.stopped for each in (above, below) if each.stopped != "finished")
    stopped: StopReason = next(limits, "finished" if value is not None or lower == upper else "letters")
    method = above.method if above.method == below.method else f"{above.method} above, {below.method} below"
    nodes = above.nodes + below.nodes
    return replace(
        above, lower=lower, upper=upper, value=value, method=method, stopped=stopped, nodes=nodes, within=None
    )
