"""δ of pairs, estimated: certified intervals narrowed by words drawn where they are still open.

δ(s, t) is the larger of V in the two directions, so both lower bounds bound it from below, and the larger upper bound
from above. Directions whose certified upper bound is not above the pair's certified lower bound cannot matter, and are
not sampled. The error probability is shared evenly by all directions that are, both sides of each, and all ε.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..beliefs.proof import Answer, Proof
from ..beliefs.question import Pair
from ..beliefs.workspace import Workspace
from ..rational import ExpEpsilon
from .estimates import Material, Sampled, Sampling, sample, side_error
from .filters import steps_of
from .strata import open_leaves, pair_at_scales


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
    open_ways = [way for proof in answer.proofs for way in proof.open_ways()]
    leaves = {known.way: strata for known in open_ways if (strata := open_leaves(known.forest, known.way)) is not None}
    if not leaves:
        return [Narrowed(proof.interval.lower, proof.interval.upper, 0, 0) for proof in answer.proofs]
    forest = open_ways[0].forest  # one search has one
    steps = steps_of(forest.chain, forest.tables, forest.order)
    material = Material(steps, tuple(strata.question for strata in leaves.values()))
    error = side_error(asked.error, material)

    def narrowed(plans: Sequence[Sampled]) -> list[Narrowed]:
        means = {way: plan.bounds(error)[0] for way, plan in zip(leaves, plans, strict=True)}
        known = {way: strata.bounds(*means[way]) for way, strata in leaves.items()}
        drawn = dict(zip(leaves, plans, strict=True))
        return [_narrowed(proof, known, drawn) for proof in answer.proofs]

    def content(plans: Sequence[Sampled]) -> list[bool]:
        if gap is None:
            return [False] * len(plans)
        wide = {
            known.way
            for proof, now in zip(answer.proofs, narrowed(plans), strict=True)
            if now.upper - now.lower > gap
            for known in proof.open_ways()
        }
        return [way not in wide for way in leaves]

    widths = [None if gap is None else float(gap / strata.gap) for strata in leaves.values()]
    return narrowed(sample(material, asked, widths, content))


def _narrowed(proof: Proof, known: dict[Pair, tuple[Fraction, Fraction]], drawn: dict[Pair, Sampled]) -> Narrowed:
    proved, open_ways = proof.interval, proof.open_ways()
    ways = [open_way.way for open_way in open_ways if open_way.way in known]
    if not ways:
        return Narrowed(proved.lower, proved.upper, 0, 0)
    # A direction that is not open is at most what is proved from below: it cannot be the larger one.
    upper = max(
        min(open_way.upper, known[open_way.way][1]) if open_way.way in known else open_way.upper
        for open_way in open_ways
    )
    # Where the two do not meet, the samples are wrong, which has the probability stated: what is proved stands.
    upper = max(min(upper, proved.upper), proved.lower)
    lower = min(max([proved.lower, *(known[way][0] for way in ways)]), upper)
    return Narrowed(lower, upper, sum(drawn[way].words for way in ways), max(drawn[way].horizon for way in ways))


def estimate_band(work: Workspace, at: Sequence[ExpEpsilon], asked: Sampling) -> Band:
    """δ of the worst pair at every ε, from one set of words for each direction."""
    if len(work.alike) < len(work.pairs):  # labels that differ: δ = 1 at every ε
        return Band(((Fraction(1), Fraction(1)),) * len(at), 0, 0)
    chain = work.quotient.chain
    tables, order = work.tables
    place = {state: i for i, state in enumerate(order)}
    merged = {work.merged(pair) for pair in work.alike}
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
