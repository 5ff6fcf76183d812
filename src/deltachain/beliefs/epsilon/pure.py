"""Proofs about the least e^ε with δ = 0 itself, which is the largest likelihood ratio, and not about one ε.

From above by a ratio matrix, from below by a word, by the limit that words come to, or by words that have no largest
ratio (docs/certificate.md, "Ratios").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...certificate.claims import Claim, written
from ...certificate.record import Certificate, Writer, merge_of
from ...numbers.field import ends
from ...numbers.fraction import format_fraction
from ..question import Pair
from ..workspace import Workspace
from .limit import RatioLimit
from .matrix import RatioMatrix, Tree
from .none import NoEpsilon
from .pump import Masses, Pump
from .ratio import RatioWord


@dataclass(frozen=True, eq=False)
class RatioProof:
    """What is proved of the largest ratios of a workspace's pairs.

    Attributes:
        work: the chain and its pairs.
        matrix: bounds all pairs from above, if it is there.
        lower: bounds one of them from below, if it is there.
        refuted: what is said of that bound; every smaller e^ε is refuted.
    """

    work: Workspace
    matrix: RatioMatrix | None
    lower: RatioWord | RatioLimit | NoEpsilon | None
    refuted: Fraction = Fraction(1)

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """A claim for each pair of which something is proved; `TooLarge` if it would be longer than asked for."""
        writer, chain = Writer(most_bytes), self.work.chain
        if self.work.alike:
            writer.add("merge", merge_of(self.work.part, self.work.quotient))
        if self.matrix is not None:
            names = self.work.quotient.chain.states
            writer.add(
                "ratios",
                (
                    [*(names[i] for i in entry.pair), format_fraction(entry.bound), _written(entry.tree, names)]
                    for entry in self.matrix.entries
                ),
            )
        claims: list[dict[str, object]] = []
        for pair, claim in self._claimed:
            claims.append(written(claim) | self._below(pair))
        return writer.certificate(chain, None, claims)

    @property
    def claims(self) -> Sequence[Claim]:
        """What is proved of the largest ratio of each pair."""
        return [claim for _, claim in self._claimed]

    @property
    def missing(self) -> str:
        """Nothing: whatever is proved can be written."""
        return ""

    @property
    def _claimed(self) -> Iterator[tuple[Pair, Claim]]:
        names = self.work.chain.states
        for pair in self.work.pairs:
            s, t = pair
            claim = Claim(measure="ratio", subject=(names[s], names[t]), upper=self._above(pair))
            if self.lower is not None and self.lower.pair == pair:
                claim = self._refuting(claim, self.lower)
            if (claim.lower, claim.upper, claim.infinite) != (None, None, False):
                yield pair, claim

    def _refuting(self, claim: Claim, lower: RatioWord | RatioLimit | NoEpsilon) -> Claim:
        if not isinstance(lower, NoEpsilon):
            return replace(claim, lower=self.refuted)
        terms = {} if lower.pump is not None else {"delta": ends(lower.probability)[0]}
        return replace(claim, infinite=True, terms=terms)

    def _above(self, pair: Pair) -> Fraction | None:
        if self.matrix is None:
            return None
        s, t = self.work.merged(pair)
        return self.matrix.bound([(s, t), (t, s)])

    def _below(self, pair: Pair) -> dict[str, object]:
        """What proves the lower bound of a claim."""
        lower = self.lower
        if lower is None or lower.pair != pair:
            return {}
        names = self.work.quotient.chain.states if pair in self.work.alike else self.work.chain.states
        first: dict[str, object] = {"first": self.work.chain.states[pair[lower.direction]]}
        if isinstance(lower, RatioLimit):
            return first | {"limit": _limit(lower, names)}
        if isinstance(lower, RatioWord):
            return first | {"word": list(lower.word)}
        if lower.pump is not None:
            return first | {"pump": _pump(lower, lower.pump, names)}
        return first | {"word": list(lower.word), "delta": format_fraction(ends(lower.probability)[0])}


def _written(tree: Tree, names: tuple[str, ...]) -> dict[str, object]:
    """A tree with states by name."""
    return {
        letter: [[names[k], names[m], format_fraction(amount)] for k, m, amount in node]
        if isinstance(node, tuple)
        else _written(node, names)
        for letter, node in tree.items()
    }


def _masses(masses: Masses, names: tuple[str, ...]) -> list[list[str]]:
    return [[names[state], format_fraction(mass)] for state, mass in masses.items()]


def _limit(limit: RatioLimit, names: tuple[str, ...]) -> dict[str, object]:
    return {
        "prefix": list(limit.prefix),
        "cycle": list(limit.cycle),
        "factor": format_fraction(limit.factor),
        "vector": _masses(limit.vector, names),
        "class": [names[state] for state in limit.inside],
        "rate": format_fraction(limit.rate),
        "rest": _masses(limit.rest, names),
    }


def _pump(none: NoEpsilon, pump: Pump, names: tuple[str, ...]) -> dict[str, object]:
    return {
        "prefix": list(none.prefix),
        "cycle": list(none.cycle),
        "growth": format_fraction(pump.growth),
        "decay": format_fraction(pump.decay),
        "more": _masses(pump.more, names),
        **({"feeds": _masses(pump.feeds, names)} if pump.feeds else {}),
        "less": _masses(pump.less, names),
        "times": pump.times,
    }
