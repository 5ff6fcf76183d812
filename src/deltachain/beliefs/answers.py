"""What a search is asked for, and what it answers: certified intervals with what they rest on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from ..cancel import Cancel
from ..model import Chain, Quotient
from ..rational import ExpEpsilon
from .finite import Solved
from .splits import SplitSolved

if TYPE_CHECKING:
    from .forest import Forest  # brings numpy, which exact answers do without

StopReason = Literal["exact", "gap", "nodes", "time", "interrupted"]
"""Why a search ended: nothing is left to find, the interval is narrow enough (or enough is known), or a limit."""


@dataclass(frozen=True, slots=True)
class Interval:
    """lower ≤ δ ≤ upper, and the direction (0: s against t, 1: t against s) that attains the lower bound."""

    lower: Fraction
    upper: Fraction
    direction: int


@dataclass(frozen=True)
class Search:
    """When to be content (``gap``, ``enough``) and when to give up (``max_nodes``, ``cancel``).

    Without a ``gap``, a chain without cycles is searched to its end, which is exact, and others up to `DEFAULT_GAP`.
    """

    gap: Fraction | None = None
    max_nodes: int | None = None
    share: Fraction = Fraction(1)
    """How much of the default budget may be spent, where ``max_nodes`` does not say."""
    enough: Callable[[Sequence[Interval]], bool] | None = None
    cancel: Cancel = field(default_factory=Cancel)


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """One pair's interval, what it rests on (None: labels that differ), how it was found, why no more was sought."""

    pair: tuple[int, int]
    interval: Interval
    method: str
    stopped: StopReason
    proof: Solved | SplitSolved | Forest | None
    merged: tuple[int, int] | None
    """The pair as states of the quotient."""
    nodes: int
    """The number of beliefs that were met."""


@dataclass(frozen=True)
class Answer:
    """Certified intervals for all pairs, with everything that a certificate or a witness is made from."""

    chain: Chain
    exp_epsilon: ExpEpsilon
    pairs: tuple[PairAnswer, ...]
    part: Chain | None
    """What can be reached from the pairs of equal labels; None if there are none."""
    quotient: Quotient | None
    """``part`` with bisimilar states merged."""

    @property
    def nodes(self) -> int:
        """The number of beliefs that were met."""
        return sum(found.nodes for found in self.pairs)
