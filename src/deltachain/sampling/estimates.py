"""Means of the two statistics of words, bounded with a stated error probability, in reproducible batches.

For each `Question` (a direction of a pair):

1. A *pilot* batch chooses the horizon, the number of words and the bets, and is thrown away: what is chosen after
   looking at samples must not be judged by the same samples.
2. Batches are drawn, each from a random stream of its own, named by the seed, the direction and the number of the
   batch. So the answer depends on the seed and the number of words alone, not on who draws them where.
3. The means are bounded by bets (`confidence`), which hold at every stopping time: at the asked width, at the asked
   number of words, when time runs out.

A horizon is chosen so that what it leaves open, plus what the samples leave open within the work allowed, is least.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..cancel import Cancel
from ..executors import Shared, in_order
from ..kernels.records import Draws, Steps
from ..kernels.types import Reals2
from .confidence import Bets, lower_mean, plan_bets
from .filters import draw
from .strata import Question

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
    questions: tuple[Question, ...]


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
    for part in (*(LOOKS if any(width is not None for width in widths) else ()), 1):
        wanted = [which for which, finished in enumerate(done) if not finished]
        tasks = [task for which in wanted for task in _tasks(plans[which], which, part, asked.seed)]
        tasks.sort(key=lambda task: task.number)  # when time runs out, every question has had its share
        for task, draws in _drawn(shared, tasks, asked, plans):
            plans[task.which].add(draws)
        if asked.cancel.stopped():
            break
        done = list(content(plans))
    return plans


def side_error(error: Fraction, material: Material) -> Fraction:
    """What each side of each mean may use of the error probability, shared evenly (union bound)."""
    return error / (2 * sum(len(question.scales) for question in material.questions))


def _drawn(
    shared: Shared, tasks: Sequence[Task], asked: Sampling, plans: Sequence[Sampled]
) -> Iterator[tuple[Task, Draws]]:
    total = sum(plan.planned for plan in plans)
    for task, draws in in_order(shared, tasks, asked.executor, asked.cancel.stopped):
        words = sum(plan.words for plan in plans)
        asked.cancel.report(f"{words:,} of {total:,} words drawn")
        yield task, draws


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
        if asked.horizon is not None or ended or stuck or 2 * horizon > LONGEST_HORIZON or asked.cancel.stopped():
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
