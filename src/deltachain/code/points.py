"""Which whole numbers are tried for noise: all of its range, the ends, and some that its law is likely to give.

A run has some outcomes left of each noise that it drew. All those within a range of at least 1 − `BEYOND` of the law
are listed, nearest to the likeliest first, `MOST_EACH` at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ..draws.laws import GaussianNoise, TwoSidedNoise
from ..draws.source import Seeded
from ..numbers.real import ball_of
from ..programs.language.primitives import law_to_explore
from ..programs.language.unbounded import Span, Unbounded, first_from
from ..programs.noise.spread import nearest
from .noisy import tighten_span, within
from .wire import noise_of

BEYOND = Fraction(1, 10**9)
"""How much of the law of one noise is not tried."""

MOST_EACH = 100_000
"""How many outcomes of one noise are tried, one by one."""

FAR = 1_000_003
"""How far from the nearest outcome of an endless tail one is tried."""

TRIES = 40
"""How often a law is asked for an outcome that the run may have had."""


def representatives(spans: Sequence[Span], most: int) -> list[int]:
    """Outcomes of the spans: the one nearest to 0, one far up, one far down, and then those around the first."""
    near = nearest_of(spans)
    found = dict.fromkeys((near, *far_ends(spans)))
    for distance in range(1, most):
        found |= dict.fromkeys(z for z in (near + distance, near - distance) if holds(spans, z))
    return list(found)[:most]


def nearest_of(spans: Sequence[Span]) -> int:
    """The outcome that is nearest to 0, which is the likeliest."""
    return min((nearest(span) for span in spans), key=abs)


def far_ends(spans: Sequence[Span]) -> tuple[int, int]:
    """The greatest and the least outcome; of endless tails one that is far out."""
    top = max(spans, key=lambda span: (span.high is None, span.high or 0))
    bottom = min(spans, key=lambda span: (span.low is not None, span.low or 0))
    up = top.high if top.high is not None else first_from(max(0, top.low or 0) + FAR, top.step, top.residue)
    down = bottom.low
    if down is None:
        start = min(0, bottom.high or 0) - FAR
        down = start - (start - bottom.residue) % bottom.step
    return up, down


def edges(spans: Sequence[Span]) -> list[int]:
    """The outcomes at the ends of the spans, where the code has compared with something, and their neighbours."""
    found: dict[int, None] = {}
    for span in spans:
        for end in (span.low, span.high):
            if end is not None:
                around = (end, end + span.step, end - span.step)
                found |= dict.fromkeys(z for z in around if holds(spans, z))
    return list(found)


def holds(spans: Sequence[Span], outcome: int) -> bool:
    """Whether the outcome is in one of the spans."""
    return any(
        (low is None or low <= outcome) and (high is None or outcome <= high) and (outcome - residue) % step == 0
        for low, high, step, residue in spans
    )


@lru_cache(maxsize=512)
def reach_of(key: str) -> int:
    """How far from 0 all but `BEYOND` of a law lies."""
    law = noise_of(key)
    noise = law_to_explore(replace(law, tail=BEYOND)) if isinstance(law, TwoSidedNoise | GaussianNoise) else None
    return noise.reach if isinstance(noise, Unbounded) else 0


def list_outcomes(key: str, spans: Sequence[Span]) -> tuple[Sequence[int], float]:
    """The outcomes that are tried one by one, in order, and how much of what the run has left that is, about."""
    # Beyond a threshold a tail is no heavier than the law itself: the same reach holds from there on.
    near = nearest_of(spans)
    reach = min(reach_of(key), MOST_EACH // 2)
    parts = [part for part in map(tighten_span, within(tuple(spans), near - reach, near + reach)) if part is not None]
    outcomes: list[int] = []
    for low, high, step, _ in parts:
        if low is not None and high is not None:
            outcomes += range(low, high + 1, step)
    share = 1.0 - float(BEYOND) if reach == reach_of(key) else _share(key, reach, near)
    return outcomes, share


def _share(key: str, reach: int, near: int) -> float:
    """How much of the law lies within the reach of the nearest outcome, about, and not too much."""
    law = noise_of(key)
    if isinstance(law, TwoSidedNoise):
        ratio = float(ball_of(law.ratio).lower())
        left = ratio**reach if ratio < 1 else 1.0
    else:
        sigma = float(ball_of(law.sigma).upper()) if isinstance(law, GaussianNoise) else math.inf
        left = math.erfc((abs(near) + reach) / (sigma * math.sqrt(2))) / max(
            math.erfc(abs(near) / (sigma * math.sqrt(2))), 1e-300
        )
    return max(0.0, 1.0 - left)


def likely_ones(key: str, spans: Sequence[Span], seed: int) -> Iterator[int]:
    """Outcomes as the law gives them, of those that the run has left, without end; always the same."""
    source, sampler, near = Seeded(seed), noise_of(key).sampler, nearest_of(spans)
    outcomes: Sequence[int] | None = None
    while True:
        for _ in range(TRIES):
            outcome = sampler.draw(source.bits)
            if holds(spans, outcome):
                break
        else:
            # They are unlikely together: one of those near the likeliest of them.
            outcomes = outcomes or list_outcomes(key, spans)[0] or [near]
            first = min(range(len(outcomes)), key=lambda n: abs(outcomes[n] - near))
            outcome = outcomes[max(0, min(len(outcomes) - 1, first - 8 + source.bits(4)))]
        yield outcome
