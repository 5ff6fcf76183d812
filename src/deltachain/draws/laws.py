"""What a draw is: one value object for each kind of law.

A primitive that is called in plain code makes one of these from its arguments and hands it to the source that is in
force (`source`). A program that is compiled makes the same one, and explores its outcomes instead (`programs`). So
there is one reading of arguments, and one law for each.

Numbers are exact: Fractions, or irrational numbers that can be enclosed as closely as a draw needs (`numbers.real`).
Nothing is cut off: ``tail`` says how much may be where outcomes are told apart one by one, which a draw never needs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..numbers.ball import Irrational
from ..numbers.fraction import format_fraction
from .sampler import GaussianSampler, TwoSidedSampler, UniformSampler, WeightedSampler

if TYPE_CHECKING:
    from .sampler import Sampler

LawParameter = Fraction | Irrational


def _text(number: LawParameter) -> str:
    text = format_fraction(number) if isinstance(number, Fraction) else str(number)
    return text if len(text) <= 40 else f"{text[:37]}…"


@dataclass(frozen=True, eq=False)
class Weighted:
    """One of finitely many values, each with a probability in proportion to its weight; every weight is above 0."""

    name: str
    """The primitive that asks: flip, choose or randomised_response."""
    values: Sequence[Any]
    weights: tuple[LawParameter, ...]
    text: str = ""
    """The call as a message shows it, where it is short."""

    @cached_property
    def key(self) -> Hashable:
        """What two draws share only if they are the same draw, but for what the values are."""
        return (self.name, self.weights)

    @cached_property
    def sampler(self) -> Sampler:
        """How to draw from it."""
        return WeightedSampler(self.values, self.weights)

    def __str__(self) -> str:
        return self.text or f"{self.name} of {len(self.values)} values"


@dataclass(frozen=True)
class Uniform:
    """A whole number from low to high, both included, each with the same probability."""

    low: int
    high: int
    name: str = "uniform"

    @property
    def key(self) -> Hashable:
        """What two draws share only if they are the same draw."""
        return self

    @cached_property
    def sampler(self) -> Sampler:
        """How to draw from it."""
        return UniformSampler(self.low, self.high)

    def __str__(self) -> str:
        return f"{self.name}({self.low}, {self.high})"


@dataclass(frozen=True)
class TwoSidedNoise:
    """P(Z = z) = (1 − r)/(1 + r)·r^|z| on all integers, 0 ≤ r < 1; with ends, Z is moved to the nearer one outside."""

    name: str
    """geometric or discrete_laplace."""
    ratio: LawParameter
    tail: Fraction
    low: int | None = None
    high: int | None = None
    text: str = ""

    @property
    def key(self) -> Hashable:
        """What two draws share only if they are the same draw."""
        return self

    @cached_property
    def sampler(self) -> Sampler:
        """How to draw from it."""
        return TwoSidedSampler(self.ratio, self.low, self.high)

    def __str__(self) -> str:
        return self.text or f"{self.name}({_text(self.ratio)})"


@dataclass(frozen=True)
class GaussianNoise:
    """P(Z = z) ∝ e^(−z²/2σ²) on all integers, σ > 0."""

    sigma: LawParameter
    tail: Fraction
    name: str = "discrete_gaussian"

    @property
    def key(self) -> Hashable:
        """What two draws share only if they are the same draw."""
        return self

    @cached_property
    def sampler(self) -> Sampler:
        """How to draw from it."""
        return GaussianSampler(self.sigma)

    def __str__(self) -> str:
        return f"{self.name}({_text(self.sigma)})"


DrawnLaw = Weighted | Uniform | TwoSidedNoise | GaussianNoise
"""What a source is asked to draw from."""
