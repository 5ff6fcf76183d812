"""The search for δ: every way there is, in the order in which it is tried.

Pairs whose states are merged, in either order, share one proof; pairs that lead to the same belief pairs after one
letter, up to scale, share all that is found from there on.

1. *Exact.* Each method is tried on all pairs that are still open: graphs, linear solves and tables are shared. Labels
   that differ and states that are bisimilar cost next to nothing. Of many pairs, the words that all of them show, if
   these are few. Then the graph of beliefs of the quotient, up to scale; up to trace equivalence; split by where the
   chain ends. A graph that ends gives the exact δ, at every ε; on a chain without cycles (but absorbing states) it
   always ends. Costs up to some seconds, and has limits of its own.
   Rows that enclose known numbers (e^(−1/10)) are walked in long integers instead: narrow, not exact.
2. *Signed beliefs*, in machine integers, for what is left. Where a gap or a verdict is asked for that they may reach
   sooner than a distance is computed, they grow a little first.
3. *The sharp distance* sd of the quotient, where its pairs of states are few and something is unfinished: flows into it
   close beliefs that go on for ever (exact again), and it bounds the rest from above.
4. *Growth*, until every interval is narrow, the verdict is known, the budget is spent, or it is cancelled.
   Of a whole domain some pairs are searched at a time; those that were not reached when time is up are in [0, 1].

Where rows are boxes, signed beliefs alone bound what all chains inside have in common, from two roots, with forms that
know that the entries of a row move together (docs/theory/boxes.md).
Where the observer chooses inputs, graphs are closed under all of them; methods that are about words alone are left out.
The interval of every pair is certified whenever the search stops. A new exact method is one file and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING

from ..cancel import Cancel
from ..model.chain import Pair
from . import at_once, reach
from .graph import finite, split, traced
from .graph.finite import Part
from .proof import Answer, Proof, SharedProof
from .question import Interval, Question
from .workspace import Workspace

if TYPE_CHECKING:
    from ..distances.fixed_point import FixedPoint
    from .signed.search import SignedSearch

Attempt = Callable[[Question, Workspace, Sequence[Pair], Cancel], Mapping[Pair, Proof]]
"""One exact way to bound a question: proofs for those of the pairs that it settles."""
Ending = Callable[[Workspace, Pair, int | None, Cancel], Sequence[Part] | None]
"""Finite graphs whose values add up to the pair's δ at every ε; None if they did not end within the budget."""


def _by_outcomes(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> Mapping[Pair, Proof]:
    from . import outcomes  # few questions are about as many pairs as it is for

    return outcomes.attempt(question, work, pairs, cancel)


def _in_long_integers(
    question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel
) -> Mapping[Pair, Proof]:
    from .signed import enclosed  # brings numpy, which exact answers do without

    return enclosed.attempt(question, work, pairs, cancel)


METHODS: tuple[tuple[reach.WayName, Attempt], ...] = (
    ("different labels", at_once.different),
    ("bisimilar", at_once.bisimilar),
    ("outcomes", _by_outcomes),
    ("finite graph", finite.attempt),
    ("traced graph", traced.attempt),
    ("split", split.attempt),
    ("long integers", _in_long_integers),
)
"""The methods in the order in which they are tried, each by its line in `reach.TABLE`, which says what it is for."""
ENDINGS: tuple[tuple[reach.WayName, Ending], ...] = (
    ("finite graph", finite.explore_to_end),
    ("traced graph", traced.explore_to_end),
    ("split", split.explore_to_end),
)

LEAST_PAIRS: Mapping[reach.WayName, int] = {"outcomes": 2_000}
"""Of fewer pairs, graphs of beliefs are soon explored, and the proved checker knows their certificates."""
DISTANCE_PAIRS = 10_000
"""Ordered pairs of one label up to which a distance is computed."""
BATCH = 1_000
"""Open pairs that are searched together. The first of them are begun even when time is up: that is soon done."""
CHEAP_PAIRS, EXPANSIONS_PER_PAIR = 400, 50
"""Above so many pairs a distance takes about as long as this many expansions for each of them."""


def search(question: Question, work: Workspace, cancel: Cancel) -> Answer:
    """A proof for each pair of the question: of bounds at its e^ε, which need not hold at the rationals around it."""
    work.prepare(cancel)
    proofs: dict[Pair, Proof] = {}
    leaders = work.leaders(question.pairs)
    waiting = [pair for pair in question.pairs if pair == leaders[pair][0]]
    for way, method in METHODS:
        if len(waiting) >= LEAST_PAIRS.get(way, 1) and reach.takes(way, question.chain):
            # The first cost next to nothing; the others end when they are stopped, with what they have.
            found = cancel.make_ending().attempt(partial(method, question, work, waiting, cancel))
            proofs |= found or {}
            waiting = [pair for pair in waiting if pair not in proofs]
    if waiting:
        proofs |= _by_signed_beliefs(question, work, waiting, [proof.interval for proof in proofs.values()], cancel)
    shared = {
        pair: proofs[pair] if pair == leader else SharedProof.of(proofs[leader], pair, reverse)
        for pair, (leader, reverse) in leaders.items()
    }
    searches = len({proof.searched for proof in proofs.values()} - {None})
    return Answer(question, work, tuple(shared[pair] for pair in question.pairs), searches)


def _by_signed_beliefs(
    question: Question, work: Workspace, pairs: Sequence[Pair], known: list[Interval], cancel: Cancel
) -> dict[Pair, Proof]:
    """Proofs of these pairs, some at a time, by signed beliefs and the distance; ``known`` are those of other pairs."""
    from .signed.search import SignedSearch  # brings numpy, which exact answers do without

    proofs: dict[Pair, Proof] = {}
    distance = cache(lambda: _sharp_distance(question, work, pairs, cancel))
    for first in range(0, len(pairs), BATCH):
        if first and cancel.is_stopped():
            return proofs | at_once.not_reached(question, pairs[first:], cancel)
        batch, after = pairs[first : first + BATCH], pairs[first + BATCH :]
        told = cancel
        if len(pairs) > BATCH:
            told = cancel.part(f"pairs {first + 1:,} to {first + len(batch):,} of {len(pairs):,}")
        share = Fraction(len(batch), len(pairs))
        begin = partial(SignedSearch, question, work, batch, known, told, share=share, more=bool(after))
        signed = cancel.make_ending().attempt(begin)
        if signed is None:
            return proofs | at_once.not_reached(question, pairs[first:], cancel)
        proofs |= _one_batch(question, work, batch, signed, distance, told)
        known = Interval.largest([*known, *(proofs[pair].interval for pair in batch)])
    return proofs


def _one_batch(
    question: Question,
    work: Workspace,
    pairs: Sequence[Pair],
    signed: SignedSearch,
    distance: Callable[[], FixedPoint | None],
    cancel: Cancel,
) -> dict[Pair, Proof]:
    """Grow a little, close by flows into the distance what they close, and grow on."""
    proofs: dict[Pair, Proof] = {}
    may_do = question.gap is not None or question.allowed is not None
    # Fewer pairs cost next to nothing, and with more no distance is
    # computed: only in between is it worth growing first.
    first = may_do and CHEAP_PAIRS < work.state_pairs <= DISTANCE_PAIRS
    if first:
        signed.grow_first(EXPANSIONS_PER_PAIR * work.state_pairs)
    found = None
    if reach.takes("sharp distance", question.chain) and (not first or signed.is_unfinished()):
        found = distance()
    if found is not None:
        from .graph import flows  # brings the exact step, which most answers do without

        closed = flows.attempt(question, work, pairs, found, cancel)
        signed.settle(closed)
        proofs |= closed
    return proofs | signed.finish(found)


def _sharp_distance(question: Question, work: Workspace, pairs: Sequence[Pair], cancel: Cancel) -> FixedPoint | None:
    """The distance sd of the quotient at the smaller e^ε, where its pairs are few enough to be cheap."""
    if work.state_pairs > DISTANCE_PAIRS or cancel.is_stopped():
        return None
    from ..distances.fixed_point import solve
    from ..distances.kinds.sd import SD

    directions = [way for s, t in map(work.merge, pairs) for way in ((s, t), (t, s))]
    # δ falls as α grows, so a bound on δ at the rational below e^ε is
    # one at e^ε; the distance itself need not fall.
    return cancel.attempt(
        lambda: solve(work.quotient.chain, question.at.below, kind=SD, pairs=directions, cancel=cancel)
    )
