"""δ of pairs, estimated: certified intervals narrowed by words drawn where they are still open.

δ(s, t) is the larger of V in the two directions, so both lower bounds bound it from below, and the larger upper bound
from above. Directions whose certified upper bound is not above the pair's certified lower bound cannot matter, and are
not sampled. The error probability is shared evenly by all directions that are, both sides of each, and all ε.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..beliefs.answers import Answer, PairAnswer
from ..beliefs.forest import Forest, Pair
from ..beliefs.intervals import Prepared
from ..beliefs.tables import tables_of
from ..rational import ExpEpsilon
from .estimates import Material, Sampled, Sampling, sample, side_error
from .filters import steps_of
from .strata import OpenLeaves, open_leaves, pair_at_scales


@dataclass(frozen=True, slots=True)
class Narrowed:
    """lower ≤ δ ≤ upper for one pair, with the confidence asked for; what it took."""

    lower: Fraction
    upper: Fraction
    samples: int
    horizon: int


@dataclass(frozen=True, slots=True)
class Band:
    """(lower, upper) at each ε, for the worst pair, with the confidence asked for; what it took."""

    bounds: tuple[tuple[Fraction, Fraction], ...]
    samples: int
    horizon: int


def narrow(answer: Answer, asked: Sampling, gap: Fraction | None) -> list[Narrowed]:
    """The intervals of the answer, narrowed pair by pair; all are right with probability 1 − ``asked.error``."""
    forest = next((found.proof for found in answer.pairs if isinstance(found.proof, Forest)), None)
    leaves: dict[Pair, OpenLeaves] = {}
    for found in answer.pairs:
        for way in _worth_sampling(found):
            strata = None if forest is None else open_leaves(forest, way)
            if strata is not None:
                leaves[way] = strata
    if forest is None or not leaves:
        return [Narrowed(found.interval.lower, found.interval.upper, 0, 0) for found in answer.pairs]
    steps = steps_of(forest.chain, forest.tables, forest.order)
    material = Material(steps, tuple(strata.question for strata in leaves.values()))
    error = side_error(asked.error, material)

    def narrowed(plans: Sequence[Sampled]) -> list[Narrowed]:
        means = {way: plan.bounds(error)[0] for way, plan in zip(leaves, plans, strict=True)}
        known = {way: strata.bounds(*means[way]) for way, strata in leaves.items()}
        drawn = dict(zip(leaves, plans, strict=True))
        return [_narrowed(found, known, drawn) for found in answer.pairs]

    def content(plans: Sequence[Sampled]) -> list[bool]:
        if gap is None:
            return [False] * len(plans)
        wide = {
            way
            for found, now in zip(answer.pairs, narrowed(plans), strict=True)
            if now.upper - now.lower > gap
            for way in _worth_sampling(found)
        }
        return [way not in wide for way in leaves]

    widths = [None if gap is None else float(gap / strata.gap) for strata in leaves.values()]
    return narrowed(sample(material, asked, widths, content))


def _worth_sampling(found: PairAnswer) -> list[Pair]:
    """The directions that can still narrow a pair's interval."""
    if found.interval.lower == found.interval.upper or found.merged is None or not isinstance(found.proof, Forest):
        return []
    s, t = found.merged
    return [way for way in ((s, t), (t, s)) if found.proof.bounds(way)[1] > found.interval.lower]


def _narrowed(found: PairAnswer, known: dict[Pair, tuple[Fraction, Fraction]], drawn: dict[Pair, Sampled]) -> Narrowed:
    proved = found.interval
    ways = [way for way in _worth_sampling(found) if way in known]
    if not ways or not isinstance(found.proof, Forest) or found.merged is None:
        return Narrowed(proved.lower, proved.upper, 0, 0)
    s, t = found.merged
    upper = Fraction(0)
    for way in ((s, t), (t, s)):
        certified = found.proof.bounds(way)[1]
        upper = max(upper, min(certified, known[way][1]) if way in known else certified)
    # Where the two do not meet, the samples are wrong, which has the probability stated: what is proved stands.
    upper = max(min(upper, proved.upper), proved.lower)
    lower = min(max([proved.lower, *(known[way][0] for way in ways)]), upper)
    return Narrowed(lower, upper, sum(drawn[way].words for way in ways), max(drawn[way].horizon for way in ways))


def estimate_band(ready: Prepared, at: Sequence[ExpEpsilon], asked: Sampling) -> Band:
    """δ of the worst pair at every ε, from one set of words for each direction."""
    if len(ready.alike) < len(ready.pairs):  # labels that differ: δ = 1 at every ε
        return Band(((Fraction(1), Fraction(1)),) * len(at), 0, 0)
    chain = ready.quotient.chain
    tables, order = tables_of(chain)
    place = {state: i for i, state in enumerate(order)}
    merged = {ready.merged(pair) for pair in ready.alike}
    ways = sorted({way for s, t in merged if s != t for way in ((s, t), (t, s))})
    if not ways:
        return Band(((Fraction(0), Fraction(0)),) * len(at), 0, 0)
    questions = tuple(pair_at_scales(tables, place[s], place[t], at) for s, t in ways)
    material = Material(steps_of(chain, tables, order), questions)
    plans = sample(material, asked, [None] * len(ways), lambda drawn: [False] * len(drawn))
    error = side_error(asked.error, material)
    means = [plan.bounds(error) for plan in plans]
    bounds = tuple((max(low for low, _ in here), max(high for _, high in here)) for here in zip(*means, strict=True))
    return Band(bounds, sum(plan.words for plan in plans), max(plan.horizon for plan in plans))
