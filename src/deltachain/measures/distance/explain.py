"""`explain`: why a distance is what it is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from ...beliefs.proof import Answer
from ...cancel import Cancel
from ...distances.improvement import ExactDistance
from ...distances.logic import BestTest, QuantitativeFormula, best_formula
from ...distances.operators import operator_of
from ...distances.unfolding import MOST_PAIRS, Unfolding
from ...errors import Defect, DeltachainError, InputError
from ...model.chain import Pair
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
ExactEnds = tuple[Exact, Exact]


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
    deltas = _deltas(distance, measured, unfolded, max_nodes, cancel) if gap else None
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
        tuple(step.pair for step in steps if unfolded.is_circling(step)),
        unfolded.tree(depth),
        _test(unfolded, root, depth),
        None if deltas is None else deltas.of(root),
        () if deltas is None else tuple(_losses(measured, unfolded, deltas)),
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
        x, y = (dict(chain.points_of(state, step.input)) for state in step.pair)
        f = work.step(x, y).f
        return BestTest(step.pair, step.input, {state: f[chain.states[state]] for state in sorted({*x, *y})})

    return best_formula(chain, root, best, depth)


# δ beside the distance.


class _Deltas:
    """Intervals for δ of pairs: of the worse direction for a symmetric distance, else of the pair's own direction."""

    def __init__(self, directed: bool) -> None:  # as the distance is
        self.directed = directed
        self.known: dict[Pair, ExactEnds] = {}

    def key(self, pair: Pair) -> Pair:
        """What stands for the pair."""
        return pair if self.directed else (min(pair), max(pair))

    def of(self, pair: Pair) -> ExactEnds:
        """The interval of a pair that was searched."""
        return self.known[self.key(pair)]

    def search(self, distance: Distance, chain: Chain, pairs: Iterable[Pair], max_nodes: int, cancel: Cancel) -> None:
        """Bound δ of these pairs at the number that the distance was measured at."""
        asked = list(dict.fromkeys((min(pair), max(pair)) for pair in pairs))
        at = distance.measured_at
        found = bound_delta(
            chain,
            pairs=asked,
            epsilon=None if isinstance(at, Fraction) else distance.exp_epsilon.epsilon,
            exp_epsilon=at if isinstance(at, Fraction) else None,
            max_nodes=max_nodes,
            cancel=cancel,
            check=False,
        )
        answer = found._proof
        if not isinstance(answer, Answer):
            raise DeltachainError("a fresh answer about one chain has its proofs")
        for pair, row, proof in zip(asked, found.results, answer.proofs, strict=True):
            ways = proof.interval.ways or ((ZERO, row.upper), (ZERO, row.upper))
            there, back = ways if proof.pair == pair else ways[::-1]
            self.known |= {pair: there, pair[::-1]: back} if self.directed else {pair: row.bounds}


def _deltas(distance: Distance, chain: Chain, unfolded: Unfolding, max_nodes: int, cancel: Cancel) -> _Deltas:
    """δ of each pair that is followed; others count with their distance, or have none."""
    found = _Deltas(directed=distance.directed)
    found.search(distance, chain, (step.pair for step in unfolded.followed.values()), max_nodes, cancel)
    return found


def _losses(chain: Chain, unfolded: Unfolding, deltas: _Deltas) -> list[FlowLoss]:
    """What each followed pair's flow costs at δ, less its own δ; and what arcs that are not followed leave over."""
    found = []
    for node, step in unfolded.followed.items():
        reached = unfolded.reached[node]
        low = high = sum((payment.amount for payment in step.paid), ZERO)
        for arc in step.matched:
            if arc.value:
                # What is lost further on, where the flow is not followed, counts here.
                ends = (arc.value, arc.value) if unfolded.is_left(arc.pair) else deltas.of(arc.pair)
                low, high = low + arc.amount * ends[0], high + arc.amount * ends[1]
        gains = deltas.of(step.pair)
        share = reached * (low - gains[1]), reached * (high - gains[0])
        names = chain.states[step.pair[0]], chain.states[step.pair[1]]
        found.append(FlowLoss(names, reached, (low, high), gains, share))
    return sorted(found, key=lambda loss: -loss.share[1])
