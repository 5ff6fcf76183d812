"""Answers about a mechanism between two labellings of one chain: from above by the fine one, from below by the coarse.

Each verb is asked of both chains, as it is asked of any; what it finds from above of the one, and from below of the
other, is one answer, with one certificate (`certificate.views`). While the two differ and the question is open, twice
as many numbers are told apart (`Chain.sandwiches`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from ..cancel import Cancel
from ..certificate.claims import Evidence
from ..certificate.inspection import Inspection, accepted_by
from ..certificate.views import Views
from ..errors import Stopped
from ..model.sandwich import Sandwich
from ..results.delta import Delta, PairDelta, Verdict

if TYPE_CHECKING:
    from ..model import Chain

Found = TypeVar("Found")

MOST_STATES = 20_000
"""Numbers are told apart up to about so many states."""


@dataclass(frozen=True)
class Sides:
    """One of ever narrower sandwiches, and what checks answers about it.

    Attributes:
        sandwich: the two chains.
        inspection: checks answers about the fine chain; None if nothing is to be checked.
    """

    sandwich: Sandwich
    inspection: Inspection | None

    def views(self, above: Evidence | None, below: Evidence | None) -> Views | None:
        """The evidence of both sides; None where one side has none."""
        return None if above is None or below is None else Views(self.sandwich, above, below)


def narrow(
    chain: Chain,
    cancel: Cancel,
    inspection: Inspection | None,
    answer: Callable[[Sides], Found],
    settled: Callable[[Found], bool],
) -> Found:
    """The answer about the first of a chain's sandwiches that settles a question, or about the last of all.

    It ends also where the next one would have too many states, or time is up: then with the one before.
    """
    found: Found | None = None
    for sandwich in _in_time(chain, cancel):
        if found is not None and cancel.stopped():
            return found
        found = answer(Sides(sandwich, None if inspection is None else inspection.about(sandwich.fine)))
        if settled(found) or cancel.stopped() or 2 * len(sandwich.fine) > MOST_STATES:
            break
    if found is None:
        raise ValueError("no sandwich")
    return found


def _in_time(chain: Chain, cancel: Cancel) -> Iterator[Sandwich]:
    """The chain's sandwiches, as long as there is time to make them; the first is there already."""
    made = iter(()) if chain.sandwiches is None else chain.sandwiches()
    while True:
        try:
            found = next(made, None)
        except Stopped:
            return
        if found is None:
            return
        yield found


# δ


def delta_between(
    chain: Chain,
    cancel: Cancel,
    inspection: Inspection | None,
    ask: Callable[[Chain], Delta],
    gap: Fraction | None,
) -> Delta:
    """`delta` or `check` of a mechanism, where ``ask`` is the same about one chain, unchecked."""

    def answer(sides: Sides) -> Delta:
        return _between(ask(sides.sandwich.fine), ask(sides.sandwich.coarse), sides)

    def settled(found: Delta) -> bool:
        if isinstance(found, Verdict):
            return found.verdict != "undecided"
        return found.exact or (gap is not None and found.upper - found.lower <= gap)

    return narrow(chain, cancel, inspection, answer, settled)


def _between(above: Delta, below: Delta, sides: Sides) -> Delta:
    """One answer of two, made of the claims that the checker accepts."""
    evidence = sides.views(above._proof, below._proof)
    if evidence is None:
        raise ValueError("an answer without evidence")
    accepted = accepted_by(sides.inspection, evidence)
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
    stopped = next((each.stopped for each in (above, below) if each.stopped != "finished"), "finished")
    if stopped == "finished" and value is None and lower < upper:
        stopped = "letters"
    method = above.method if above.method == below.method else f"{above.method} above, {below.method} below"
    nodes = above.nodes + below.nodes
    return replace(
        above, lower=lower, upper=upper, value=value, method=method, stopped=stopped, nodes=nodes, within=None
    )
