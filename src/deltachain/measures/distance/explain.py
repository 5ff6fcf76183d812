"""`explain`: why a distance is what it is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from ...cancel import Cancel
from ...distances.improvement import ExactDistance
from ...distances.logic import BestTest, QuantitativeFormula, best_formula
from ...distances.operators import operator_of
from ...distances.unfolding import MOST_PAIRS, Pair, Unfolding
from ...errors import Defect, InputError
from ...numbers.field import Exact
from ..delta.verb import delta as bound_delta
from .explanation import Explanation, FlowLoss

if TYPE_CHECKING:
    from ...certificate.distances import DistanceEvidence
    from ...model import Chain
    from .show import Distance

MAX_NODES = 20_000
"""Belief pairs per pair that are searched for the δ of the pairs of a flow, unless the caller says otherwise."""
ZERO, ONE = Fraction(0), Fraction(1)
Ends = tuple[Exact, Exact]


def explain(
    distance: Distance,
    s: str | int | None = None,
    t: str | int | None = None,
    *,
    depth: int = 3,
    max_pairs: int = MOST_PAIRS,
    gap: bool = True,
    max_nodes: int = MAX_NODES,
    cancel: Cancel | None = None,
) -> Explanation:
    """Why the distance of a pair is what it is: its flow, what adds up to the value, a test that attains it, and δ.

    Args:
        distance: an exact distance, as `distance` gives it.
        s: a state, by name or number; of the one pair that was asked for, it need not be said.
        t: another one.
        depth: how far the tree is unfolded, and how many letters the test may read before it names states.
        max_pairs: how many pairs are followed for the table of what adds up; what others add is said as a whole.
        gap: whether δ of these pairs is computed, to see where the distance exceeds it.
        max_nodes: how far each δ is searched.
        cancel: a token of the caller's.

    Raises:
        InputError: the distance is not exact, or the pair was not asked for.

    >>> import deltachain as dc
    >>> chain = dc.examples.dining_cryptographers(n=2, p="49/100")
    >>> found = explain(dc.distance(chain, "s0", "s1", exp_epsilon="1.0002"))
    >>> found.total, found.delta[0], found.gap[0]
    (Fraction(1, 2500), Fraction(7501, 25000000), Fraction(2499, 25000000))
    """
    evidence: DistanceEvidence | None = distance._proof
    if evidence is None or not isinstance(evidence.solution.proof, ExactDistance):
        raise InputError(Defect("explain", "the distance is not exact", "ask for it with exact=True"))
    if s is None or t is None:
        if len(distance.results) != 1 or s is not t:
            raise InputError(Defect("explain", f"it is of {len(distance.results):,} pairs", "name two states: s, t"))
        s, t = distance.results[0].pair
    solution, chain = evidence.solution, evidence.chain
    pair = chain.number(s), chain.number(t)
    names, value = (chain.states[pair[0]], chain.states[pair[1]]), distance[s, t]
    measured, merged = solution.chain, evidence.quotient
    root = pair if merged is None else (merged.block[pair[0]], merged.block[pair[1]])
    answer = Explanation(distance.kind, distance.exp_epsilon, distance.measured_at, names, value, measured)
    if root[0] == root[1] or measured.labels[root[0]] != measured.labels[root[1]] or not value:
        return answer
    cancel = cancel or Cancel()
    unfolded = Unfolding(solution, root, max_pairs)
    steps = tuple(unfolded.followed.values())
    deltas = _deltas(distance, measured, unfolded, max_nodes, cancel) if gap else {}
    cancel.check()
    return Explanation(
        distance.kind,
        distance.exp_epsilon,
        distance.measured_at,
        names,
        value,
        measured,
        steps,
        tuple(unfolded.reached.values()),
        tuple(unfolded.contributions),
        tuple(step.pair for step in steps if unfolded.circling(step)),
        unfolded.tree(depth),
        _test(unfolded, root, depth),
        _of(deltas, root) if gap else None,
        tuple(_losses(measured, unfolded, deltas)) if gap else (),
    )


def _test(unfolded: Unfolding, root: Pair, depth: int) -> QuantitativeFormula:
    """The optimal f of the pair's step as a formula."""
    work, chain = operator_of(unfolded.proof, unfolded.kind), unfolded.space.chain

    def best(pair: Pair) -> BestTest | None:
        if chain.labels[pair[0]] != chain.labels[pair[1]]:
            return None
        step = unfolded.step(pair)
        if step is None:
            return None
        x, y = (dict(chain.row(state, step.input)) for state in step.pair)
        f = work.step(x, y).f
        return BestTest(step.pair, step.input, {state: f[chain.states[state]] for state in sorted({*x, *y})})

    return best_formula(chain, root, best, depth)


# δ beside the distance.


def _deltas(
    distance: Distance, chain: Chain, unfolded: Unfolding, max_nodes: int, cancel: Cancel
) -> dict[frozenset[int], Ends]:
    """An interval for δ of each pair that is followed, and of each that it is matched with at a cost."""
    wanted: dict[frozenset[int], Pair] = {}
    for step in unfolded.followed.values():
        for pair in (step.pair, *(arc.pair for arc in step.matched if arc.value)):
            wanted.setdefault(frozenset(pair), pair)
    at = distance.measured_at
    power = None if isinstance(at, Fraction) else distance.exp_epsilon.epsilon
    found = bound_delta(
        chain,
        pairs=list(wanted.values()),
        epsilon=power,
        exp_epsilon=at if isinstance(at, Fraction) else None,
        max_nodes=max_nodes,
        cancel=cancel,
        check=False,
    )
    return {key: row.bounds for key, row in zip(wanted, found.results, strict=True)}


def _of(deltas: dict[frozenset[int], Ends], pair: Iterable[int]) -> Ends:
    """δ of a pair; that of a pair at distance 0 is 0."""
    return deltas.get(frozenset(pair), (ZERO, ZERO))


def _losses(chain: Chain, unfolded: Unfolding, deltas: dict[frozenset[int], Ends]) -> list[FlowLoss]:
    """What each followed pair's flow costs at δ, less its own δ; and what arcs that are not followed leave over."""
    found = []
    for node, step in unfolded.followed.items():
        reached = unfolded.reached[node]
        low = high = sum((payment.amount for payment in step.paid), ZERO)
        for arc in step.matched:
            ends = _of(deltas, arc.pair)
            if arc.value and unfolded.is_left(arc.pair):
                ends = arc.value, arc.value  # what is lost further on is not followed: it counts here
            low, high = low + arc.amount * ends[0], high + arc.amount * ends[1]
        gains = _of(deltas, step.pair)
        share = reached * (low - gains[1]), reached * (high - gains[0])
        names = chain.states[step.pair[0]], chain.states[step.pair[1]]
        found.append(FlowLoss(names, reached, (low, high), gains, share))
    return sorted(found, key=lambda loss: -loss.share[1])
