"""`Estimate`: a two-sided interval for δ by sampling, with a stated confidence, beside what is proved.

It is evidence, not proof: an `Estimate` has no certificate, gives no verdict, and says so wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...numbers.fraction import ExpEpsilon
from ...results.numbers import (
    asked_at,
    epsilon_fields,
    interval,
    json_assumed,
    json_bounds,
    json_number,
    outward,
    value_of,
)
from ...results.scope import ALONE, ONLY_THESE, Covered, Scope
from ...results.sections import Fields, Paragraph, Section
from ..delta.show import OverPairs, PairInterval

if TYPE_CHECKING:
    from ...numbers.field import Exact


@dataclass(frozen=True, slots=True)
class PairEstimate(PairInterval):
    """lower ≤ δ ≤ upper with the confidence of its `Estimate`; proved_lower ≤ δ ≤ proved_upper for certain.

    Attributes:
        pair: the names of the two states.
        lower: a lower bound of δ, with the confidence stated.
        upper: an upper bound of δ, with the confidence stated.
        proved_lower: a certified lower bound.
        proved_upper: a certified upper bound.
        samples: words that were drawn, in both directions; 0 where δ is proved exactly, or nothing was drawn.
        horizon: the length of the longest word.
    """

    proved_lower: Fraction
    proved_upper: Fraction
    samples: int
    horizon: int

    @property
    def exact(self) -> bool:
        """Whether δ is proved exactly: then it is no estimate."""
        return self.value is not None or self.proved_lower == self.proved_upper

    @property
    def proved_bounds(self) -> tuple[Exact, Exact]:
        """What is proved: δ itself twice, where it is known exactly."""
        return (self.proved_lower, self.proved_upper) if self.value is None else self.bounds


@dataclass(frozen=True, repr=False)
class Estimate(OverPairs[PairEstimate]):
    """Intervals for δ, pair by pair, all right with probability at least ``confidence``. Not proved. A value.

    Attributes:
        exp_epsilon: the e^ε that was asked for.
        confidence: the probability, over seeds, that all intervals are right, at least.
        seed: what the random words were drawn from.
        results: every pair, in the order asked.
        interrupted: whether the time limit was reached, or Ctrl-C was pressed, before all words were drawn.
        scope: where rows come from counts that leave a single chain: at which confidence of these, beside its own.
        inputs: how the pairs were chosen; `covers` says it.
    """

    exp_epsilon: ExpEpsilon
    confidence: Fraction
    seed: int
    results: tuple[PairEstimate, ...]
    interrupted: bool = False
    scope: Scope = ALONE
    inputs: Covered = ONLY_THESE

    @property
    def proved_lower(self) -> Fraction:
        """A certified lower bound for the worst pair's δ."""
        return max(result.proved_lower for result in self.results)

    @property
    def proved_upper(self) -> Fraction:
        """A certified upper bound for every pair's δ."""
        return max(result.proved_upper for result in self.results)

    @property
    def samples(self) -> int:
        """The number of words drawn."""
        return sum(result.samples for result in self.results)

    @property
    def proved(self) -> bool:
        """Always False: what is proved is between `proved_lower` and `proved_upper`."""
        return False

    @property
    def known(self) -> bool:
        """Whether δ is proved exactly for every pair, so that nothing was left to estimate."""
        return all(result.exact for result in self.results)

    @property
    def _proved(self) -> tuple[Exact, Exact]:
        """What is proved of the worst pair: exact numbers where they are known."""
        low, high = zip(*(result.proved_bounds for result in self.results), strict=True)
        return max(low), max(high)

    @property
    def _asked(self) -> str:
        proved = interval("δ", *self._proved)
        known = "nothing was left to estimate" if self.known else f"proved: {proved}"
        return f"{known}, {asked_at(self.exp_epsilon)}"

    @property
    def headline(self) -> str:
        """The interval with its confidence."""
        if self.known:
            return f"{self._interval()}, proved{self.scope.trust}{self.scope.aside}"
        sure = f"with confidence {outward(self.confidence, 'lower')}, not proved{self.scope.trust}"
        return f"{self._interval()} {sure}{self.scope.aside}"

    def sections(self) -> Sequence[Section]:
        """What is proved, how many words were drawn, every pair, and what the confidence means."""
        rows = [
            *epsilon_fields(self.exp_epsilon),
            ("covers", self.covers),
            ("proved", interval("δ", *self._proved)),
            ("width", outward(self.bounds[1] - self.bounds[0], "upper", 3)),
            ("sample", self._words),
            ("seed", str(self.seed)),
        ]
        share = outward(1 - self.confidence, "upper")
        what = f"Evidence by sampling: at most a share of {share} of all seeds gives an interval that misses δ."
        known = "δ is proved exactly: nothing was left to estimate."
        last = Paragraph(known if self.known else f"{what}\nOnly what is proved is certain.")
        return [Fields(rows), *self._pairs(self._header, _cells), last]

    @property
    def _words(self) -> str:
        """How many words were drawn, and whether more were to be."""
        longest = max(result.horizon for result in self.results)
        length = f", up to {longest} outputs" if self.samples else ""
        return f"{self.samples:,}{length}{', interrupted before all were drawn' if self.interrupted else ''}"

    @property
    def _header(self) -> tuple[str, ...]:
        return f"with confidence {outward(self.confidence, 'lower')}", "proved", "sample"

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, the keys of its own of ``deltachain estimate --json``; exact numbers as text."""
        return {
            "proved": False,
            "confidence": json_number(self.confidence),
            "seed": self.seed,
            "interrupted": self.interrupted,
            **json_assumed(self.assumes),
            **({} if self.scope.confidence is None else {"counts_confidence": json_number(self.scope.confidence)}),
            **json_bounds(self.lower, self.upper),
            "covers": self.covered,
            "certified": json_bounds(self.proved_lower, self.proved_upper),
            "results": [
                {
                    "pair": list(r.pair),
                    **json_bounds(r.lower, r.upper),
                    **({} if isinstance(r.value, Fraction | None) else {"value": json_number(r.value)}),
                    "certified": json_bounds(r.proved_lower, r.proved_upper),
                    "samples": r.samples,
                    "horizon": r.horizon,
                }
                for r in self.results
            ],
        }


def _cells(r: PairEstimate) -> tuple[str, ...]:
    return value_of(*r.bounds), value_of(*r.proved_bounds), f"{r.samples:,}"
