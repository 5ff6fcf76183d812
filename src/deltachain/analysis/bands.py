"""The band δ(ε) by sampling, beside a certified one: every ε from one set of words, with a stated confidence."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

from ..rational import ExpEpsilon
from ..render.numbers import json_number, outward_float
from .estimates import drawing_on

if TYPE_CHECKING:
    from ..beliefs.workspace import Workspace
    from ..sampling.estimates import Sampling

Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class EstimatedBand:
    """(lower, upper) at each point of a profile: all of them right with probability at least ``confidence``."""

    confidence: Fraction
    seed: int
    samples: int
    horizon: int
    bounds: tuple[Bounds, ...]

    def to_dict(self) -> dict[str, object]:
        """What there is to say beside the points, as JSON."""
        return {
            "proved": False,
            "confidence": json_number(self.confidence),
            "seed": self.seed,
            "samples": self.samples,
            "horizon": self.horizon,
        }

    def columns(self) -> dict[str, list[object]]:
        """Columns for a DataFrame, rounded outward."""
        return {
            "estimated_lower": [outward_float(low, "lower") for low, _ in self.bounds],
            "estimated_upper": [outward_float(high, "upper") for _, high in self.bounds],
        }


def estimated_band(
    work: Workspace, grid: Sequence[Fraction], proved: Sequence[Bounds], asked: Sampling, executor: Executor | None
) -> EstimatedBand:
    """The band on the grid, within what is proved; where the certified band is one curve, that curve."""
    confidence = 1 - asked.error
    if all(low == high for low, high in proved):
        return EstimatedBand(confidence, asked.seed, 0, 0, tuple(proved))
    from ..sampling.pairs import estimate_band

    with drawing_on(executor, asked) as drawing:
        band = estimate_band(work, [ExpEpsilon.read(epsilon=e) for e in grid], drawing)
    upper = list(accumulate((high for _, high in band.bounds), min))  # δ falls: as a certified band is sharpened
    lower = list(accumulate(reversed([low for low, _ in band.bounds]), max))[::-1]
    bounds = tuple(_within(low, high, *known) for low, high, known in zip(lower, upper, proved, strict=True))
    return EstimatedBand(confidence, asked.seed, band.samples, band.horizon, bounds)


def _within(low: Fraction, high: Fraction, proved_low: Fraction, proved_high: Fraction) -> Bounds:
    """The intersection; where it is empty the samples are wrong, and what is proved stands."""
    high = max(min(high, proved_high), proved_low)
    return min(max(low, proved_low), high), high
