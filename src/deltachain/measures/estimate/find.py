"""δ of pairs, estimated: certified intervals narrowed by words drawn where they are still open.

δ(s, t) is the larger of V in the two directions, so both lower bounds bound it from below, and the larger upper bound
from above. Directions whose certified upper bound is not above the pair's certified lower bound cannot matter, and are
not sampled. The error probability is shared evenly by all directions that are, both sides of each, and all ε. For each
`DrawnFrom` (a direction of a pair):

1. A *pilot* batch chooses the horizon, the number of words and the bets, and is thrown away: what is chosen after
   looking at samples must not be judged by the same samples.
2. Batches are drawn, each from a random stream of its own, named by the seed, the direction and the number of the
   batch. So the answer depends on the seed and the number of words alone, not on who draws them where.
3. The means are bounded by bets (`lower_mean`), which hold at every stopping time: at the asked width, at the asked
   number of words, when time runs out.

A horizon is chosen so that what it leaves open, plus what the samples leave open within the work allowed, is least.

*The bets.* Let X_1, X_2, … ≥ 0 have mean at most m given what went before. A gambler who starts with 1 and stakes the
share c of his wealth on X/m has, after n values, K_c(m) = Π_i (1 − c + c·X_i/m): a supermartingale, hence (Ville) it
ever reaches 1/error with probability at most ``error``. The same holds of the average K of several gamblers. So "the
mean is at most m" is given up as soon as K(m) ≥ 1/error, and with probability 1 − error no true statement ever is,
whenever one looks and stops. K falls in m, factor by factor: all m below one that is given up are given up too, and the
largest such m is a lower bound of the mean [Waudby-Smith, Ramdas, *Estimating means of bounded random variables by
betting*, 2024].

Values in [0, 1] have an upper bound as well: bet on 1 − X.

*Rounding.* Every quantity above is a sum or product of non-negative numbers, computed by IEEE additions,
multiplications and divisions alone, each within the relative error 2^-53: at most six of them a value. So the computed
K is at most (1 + 2^-50)^n times the true one, and it must reach that much more than 1/error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...beliefs.proof import Answer, Proof
from ...beliefs.workspace import Workspace
from ...cancel import Cancel
from ...executors import Shared, in_order
from ...kernels import wealth_of_gamblers
from ...kernels.betting import SMALL
from ...kernels.records import Draws, Steps
from ...kernels.types import Reals, Reals2
from ...model.chain import Pair
from ...numbers.fraction import ExpEpsilon
from .drawn_words import DrawnFrom, draw, open_leaves, pair_at_scales, steps_of

PILOT, MAIN = 0, 1
"""Streams of the two stages."""
PILOT_WORDS, PILOT_ARCS = 96, 400_000_000
"""Words of the pilot, and about what it may cost."""
LONGEST_HORIZON, FIRST_HORIZON = 4096, 32
TOLERANCE = 2.0**-12
"""A word ends when its two statistics are this close."""
WORK = 6_000_000_000
"""Arcs visited by all words, if no number of words is given: half a minute or so on one core."""
PATIENCE = 4
"""Times that work may be done for an asked width."""
FEWEST_WORDS, MOST_WORDS = 400, 100_000_000
DEFAULT_WORDS = 100_000
BATCH_ARCS, LARGEST_BATCH = 50_000_000, 4096
"""The work of one batch, about a tenth of a second, and its words at most."""
LOOKS = (8, 4, 2)
"""Where an asked width is looked for before the end: after 1/8, 1/4, 1/2 of the words."""


class Material(NamedTuple):
    """All that a worker needs; it travels once."""

    steps: Steps
    questions: tuple[DrawnFrom, ...]


class Task(NamedTuple):
    """One batch: of which question and stage, its number, and how to draw it."""

    which: int
    stage: int
    number: int
    size: int
    horizon: int
    seed: int
    checkpoints: tuple[int, ...] = ()


def draw_batch(material: Material, task: Task) -> Draws:
    """The words of one batch, the same on every machine."""
    # A stream for each batch, told by its name alone: who draws it, and when, makes no difference.
    key = np.random.SeedSequence(task.seed, spawn_key=(task.stage, task.which, task.number))
    stream = np.random.Generator(np.random.Philox(key))
    question = material.questions[task.which]
    return draw(
        material.steps, question.strata, stream, task.size, task.horizon, TOLERANCE, question.scales, task.checkpoints
    )


@dataclass(frozen=True)
class Sampling:
    """What is asked of the samples: when to be content, when to give up, and where they are drawn."""

    error: Fraction
    """The probability that any of the bounds of one `sample` is wrong."""
    samples: int | None = None
    horizon: int | None = None
    seed: int = 0
    executor: Executor | None = None
    cancel: Cancel = field(default_factory=Cancel)


@dataclass
class Sampled:
    """The words of one question, and the bounds of its means, scale by scale."""

    horizon: int
    planned: int
    batch: int
    bets: list[tuple[Bets, Bets]]
    below: list[Reals2] = field(default_factory=list)
    beyond: list[Reals2] = field(default_factory=list)
    words: int = 0

    def add(self, draws: Draws) -> None:
        """The next batch."""
        self.below.append(draws.below)
        self.beyond.append(draws.beyond)
        self.words += len(draws.below)

    def bounds(self, error: Fraction) -> list[tuple[Fraction, Fraction]]:
        """(low, high) for the means at each scale; any one side is wrong with probability at most ``error``."""
        if not self.words:
            return [(Fraction(0), Fraction(1))] * len(self.bets)
        below, beyond = np.concatenate(self.below), np.concatenate(self.beyond)
        return [
            (lower_mean(below[:, a], error, first), 1 - lower_mean(beyond[:, a], error, second))
            for a, (first, second) in enumerate(self.bets)
        ]


Content = Callable[[Sequence[Sampled]], Sequence[bool]]
"""Which questions need no more words, by what is drawn so far."""


def sample(material: Material, asked: Sampling, widths: Sequence[float | None], content: Content) -> list[Sampled]:
    """Draw words for every question; ``widths``: how wide each mean's interval may be, to plan for (None: unsaid)."""
    shared = Shared(draw_batch, material)
    one_side = side_error(asked.error, material)
    plans = []
    for which, (question, width) in enumerate(zip(material.questions, widths, strict=True)):
        asked.cancel.report(f"pilot {which + 1} of {len(widths)}")
        share = WORK // len(widths)
        plans.append(_plan(shared, which, len(question.scales), asked, float(one_side), width, share))
    done = [False] * len(plans)
    # Looking early costs nothing: the bounds hold at every stopping time.
    for part in (*(LOOKS if any(width is not None for width in widths) else ()), 1):
        wanted = [which for which, finished in enumerate(done) if not finished]
        tasks = [task for which in wanted for task in _tasks(plans[which], which, part, asked.seed)]
        tasks.sort(key=lambda task: task.number)  # when time runs out, every question has had its share
        for task, draws in in_order(shared, tasks, asked.executor, asked.cancel.is_stopped):
            words = sum(plan.words for plan in plans)
            asked.cancel.report(f"{words:,} of {sum(plan.planned for plan in plans):,} words drawn")
            plans[task.which].add(draws)
        if asked.cancel.is_stopped():
            break
        done = list(content(plans))
    return plans


def side_error(error: Fraction, material: Material) -> Fraction:
    """What each side of each mean may use of the error probability, shared evenly (union bound)."""
    return error / (2 * sum(len(question.scales) for question in material.questions))


def _tasks(plan: Sampled, which: int, part: int, seed: int) -> list[Task]:
    """The batches from where the plan is up to one ``part`` of it; all but the last batch are full."""
    batches = -(-plan.planned // plan.batch)
    last = -(-batches // part)
    return [
        Task(which, MAIN, number, min(plan.batch, plan.planned - number * plan.batch), plan.horizon, seed)
        for number in range(len(plan.below), last)
    ]


def _plan(
    shared: Shared, which: int, scales: int, asked: Sampling, error: float, width: float | None, work: int
) -> Sampled:
    """The pilot, and what follows from it: a horizon, a number of words, bets."""
    pilot, horizon, costs = _pilot(shared, which, asked)
    marks = _checkpoints(horizon)
    # What a side loses by chance is about √(2·ln(1/error)·variance/words); both sides together, with some slack.
    spread = float(np.sqrt(np.maximum(pilot.below.var(axis=0), pilot.beyond.var(axis=0)).max()))
    chance = 2.4 * math.sqrt(2 * math.log(1 / error)) * max(spread, 0.02)

    def words_for(cost: float) -> int:
        if asked.samples is not None:
            return asked.samples
        affordable = int(min(max(work / max(cost, 1.0), FEWEST_WORDS), DEFAULT_WORDS))
        if width is None:
            return affordable
        needed = (chance / width) ** 2 if width > 0 else math.inf
        return int(min(max(1.5 * needed, FEWEST_WORDS), PATIENCE * affordable))

    apart = pilot.apart.mean(axis=0)
    predicted = [apart[c] + chance / math.sqrt(words_for(costs[c])) for c in range(len(marks))]
    best = len(marks) - 1 if asked.horizon is not None else int(np.argmin(predicted))
    planned = words_for(costs[best])
    batch = int(min(max(BATCH_ARCS / max(costs[best], 1.0), 1), LARGEST_BATCH))
    bets = [
        (plan_bets(pilot.below[:, a], planned, error), plan_bets(pilot.beyond[:, a], planned, error))
        for a in range(scales)
    ]
    return Sampled(marks[best], planned, batch, bets)


def _pilot(shared: Shared, which: int, asked: Sampling) -> tuple[Draws, int, list[float]]:
    """Words at ever longer horizons, until they end by themselves or cost too much; a word's cost by checkpoint."""
    horizon = FIRST_HORIZON if asked.horizon is None else asked.horizon
    number, words, costs = 0, PILOT_WORDS, []
    while True:
        marks = _checkpoints(horizon)
        task = Task(which, PILOT, number, words, horizon, asked.seed, marks)
        pilot = draw_batch(shared.material, task)
        longest = float(pilot.arcs.mean())
        letters = np.maximum(pilot.letters, 1)
        # A word that ends early costs no more; until then letters cost about the same.
        costs = [float((pilot.arcs * np.minimum(letters, mark) / letters).mean()) for mark in marks]
        ended = float(pilot.apart[:, -1].mean()) <= 2 * TOLERANCE
        stuck = len(marks) > 2 and pilot.apart[:, -1].mean() > 0.98 * pilot.apart[:, -3].mean()
        if asked.horizon is not None or ended or stuck or 2 * horizon > LONGEST_HORIZON or asked.cancel.is_stopped():
            return pilot, horizon, costs
        if 2.5 * longest * words > PILOT_ARCS:
            if words <= PILOT_WORDS // 4:
                return pilot, horizon, costs
            words //= 2
        horizon, number = 2 * horizon, number + 1


def _checkpoints(horizon: int) -> tuple[int, ...]:
    """Horizons to choose from: √2 apart, up to the longest."""
    marks = {horizon} | {round(2 ** (k / 2)) for k in range(2, 64) if 2 ** (k / 2) < horizon}
    return tuple(sorted(marks))


# A lower confidence bound for the mean of values in [0, ∞), valid at every stopping time: bets against small means.

BISECTIONS = 32
SHARES = tuple((2.0**k, weight / 16) for k, weight in ((-3, 1), (-2, 2), (-1, 3), (0, 4), (1, 3), (2, 2), (3, 1)))
"""Gamblers around the one who is best for the number of values planned, and what each starts with: 1 in all."""
LEAST_ERROR = Fraction(1, 2**190)
"""Nothing is said with a smaller one."""
LEAST_SHARE, LARGEST_SHARE = 2.0**-24, 0.5


class Bets(NamedTuple):
    """What each gambler stakes, and what he starts with."""

    share: Reals
    weight: Reals


def plan_bets(pilot: Reals, planned: int, error: float) -> Bets:
    """Stakes for ``planned`` values like those of the pilot; any others are sound too, and lose some width."""
    mean = float(pilot.mean()) if len(pilot) else 0.0
    spread = max(float(pilot.var()) if len(pilot) else 0.25, 1e-4 * max(mean, 1e-2))
    best = mean * math.sqrt(2 * math.log(1 / error) / (spread * max(planned, 1)))
    best = min(max(best, LEAST_SHARE), LARGEST_SHARE) if mean > 0 else LARGEST_SHARE
    shares = [min(max(best * factor, LEAST_SHARE), LARGEST_SHARE) for factor, _ in SHARES]
    return Bets(np.array(shares), np.array([weight for _, weight in SHARES]))


def lower_mean(values: Reals, error: Fraction, bets: Bets) -> Fraction:
    """A number that is at most the mean, but for the probability ``error`` over all stopping times.

    ``bets`` must not depend on the values.

    >>> import numpy as np
    >>> half = np.array([0.0, 1.0] * 500)
    >>> 0.42 < lower_mean(half, Fraction(1, 1000), plan_bets(half, 1000, 1e-3)) < 0.47
    True
    """
    values = np.ascontiguousarray(values, np.float64)
    if not len(values) or not float(values.sum()) > 0 or error < LEAST_ERROR:
        return Fraction(0)
    slack = 1 + Fraction(len(values) + 8, 2**49)  # ≥ (1 + 2^-50)^n up to n = 2^49
    threshold = math.nextafter(float(slack / error), math.inf)
    # ``low`` is 0 or a mean that was rejected: sound after any number of bisections.
    low, high = 0.0, float(values.mean())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle <= low or middle < SMALL:
            break
        if wealth_of_gamblers(values, middle, bets.share, bets.weight) >= threshold:
            low = middle
        else:
            high = middle
    return Fraction(low)


# The intervals of pairs.


@dataclass(frozen=True, slots=True)
class Narrowed:
    """lower ≤ δ ≤ upper for one pair, with the confidence asked for; what it took."""

    lower: Fraction
    upper: Fraction
    samples: int
    horizon: int


@dataclass(frozen=True, slots=True)
class SampledBand:
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

    def narrow_one(plans: Sequence[Sampled]) -> list[Narrowed]:
        means = {way: plan.bounds(error)[0] for way, plan in zip(leaves, plans, strict=True)}
        known = {way: strata.bounds(*means[way]) for way, strata in leaves.items()}
        drawn = dict(zip(leaves, plans, strict=True))
        return [_narrow(proof, known, drawn) for proof in answer.proofs]

    def content(plans: Sequence[Sampled]) -> list[bool]:
        if gap is None:
            return [False] * len(plans)
        wide = {
            known.way
            for proof, now in zip(answer.proofs, narrow_one(plans), strict=True)
            if now.upper - now.lower > gap
            for known in proof.open_ways()
        }
        return [way not in wide for way in leaves]

    widths = [None if gap is None else float(gap / strata.gap) for strata in leaves.values()]
    return narrow_one(sample(material, asked, widths, content))


def _narrow(proof: Proof, known: dict[Pair, tuple[Fraction, Fraction]], drawn: dict[Pair, Sampled]) -> Narrowed:
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


def estimate_band(work: Workspace, at: Sequence[ExpEpsilon], asked: Sampling) -> SampledBand:
    """δ of the worst pair at every ε, from one set of words for each direction."""
    if len(work.alike) < len(work.pairs):  # labels that differ: δ = 1 at every ε
        return SampledBand(((Fraction(1), Fraction(1)),) * len(at), 0, 0)
    chain = work.quotient.chain
    tables, order = work.tables
    place = {state: i for i, state in enumerate(order)}
    merged = {work.merge(pair) for pair in work.alike}
    ways = sorted({way for s, t in merged if s != t for way in ((s, t), (t, s))})
    if not ways:
        return SampledBand(((Fraction(0), Fraction(0)),) * len(at), 0, 0)
    questions = tuple(pair_at_scales(tables, place[s], place[t], at) for s, t in ways)
    material = Material(steps_of(chain, tables, order), questions)
    plans = sample(material, asked, [None] * len(ways), lambda drawn: [False] * len(drawn))
    error = side_error(asked.error, material)
    means = [plan.bounds(error) for plan in plans]
    bounds = tuple((max(low for low, _ in here), max(high for _, high in here)) for here in zip(*means, strict=True))
    return SampledBand(bounds, sum(plan.words for plan in plans), max(plan.horizon for plan in plans))
