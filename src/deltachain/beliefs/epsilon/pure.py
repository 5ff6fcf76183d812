"""Proofs about the least e^ε with δ = 0 itself, which is the largest likelihood ratio, and not about one ε.

From above by a ratio matrix, from below by a word, by the limit that words come to, or by words that have no largest
ratio (docs/certificate.md, "Ratios").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...certificate.checked import Checked
from ...certificate.inspection import Inspection
from ...certificate.record import Certificate, Writer, merge_of
from ...numbers.field import ends
from ...numbers.fraction import format_fraction, parse_fraction
from ..question import Pair
from ..workspace import Workspace
from .limit import RatioLimit
from .matrix import RatioMatrix, Tree
from .none import NoEpsilon
from .pump import Masses, Pump
from .ratio import RatioWord

INFINITY = "infinity"


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
        for pair in self.work.pairs:
            said = self._above(pair) | self._below(pair)
            if said:
                claims.append({"claim": "ratio", "pair": [chain.states[state] for state in pair]} | said)
        return writer.certificate(chain, None, claims)

    def _above(self, pair: Pair) -> dict[str, object]:
        if self.matrix is None:
            return {}
        s, t = self.work.merged(pair)
        return {"upper": format_fraction(self.matrix.bound([(s, t), (t, s)]))}

    def _below(self, pair: Pair) -> dict[str, object]:
        lower = self.lower
        if lower is None or lower.pair != pair:
            return {}
        names = self.work.quotient.chain.states if pair in self.work.alike else self.work.chain.states
        first: dict[str, object] = {"first": self.work.chain.states[pair[lower.direction]]}
        if isinstance(lower, NoEpsilon):
            if lower.pump is not None:
                return {"lower": INFINITY} | first | {"pump": _pump(lower, lower.pump, names)}
            delta = format_fraction(ends(lower.probability)[0])
            return {"lower": INFINITY} | first | {"word": list(lower.word), "delta": delta}
        said: dict[str, object] = {"lower": format_fraction(self.refuted), **first}
        return said | ({"word": list(lower.word)} if isinstance(lower, RatioWord) else {"limit": _limit(lower, names)})

    def checked(self, inspection: Inspection) -> Checked:
        """What the checker says of it, and of what is printed."""
        return inspection.certificate(self.certificate, self._differs)

    def _differs(self, document: Mapping[str, Any]) -> str | None:
        """What is printed beyond what the certificate claims."""
        claims = [claim for claim in document["claims"] if claim["claim"] == "ratio"]
        above = [parse_fraction(claim["upper"]) for claim in claims if "upper" in claim]
        below = [claim["lower"] for claim in claims if "lower" in claim]
        said = INFINITY if isinstance(self.lower, NoEpsilon) else format_fraction(self.refuted)
        proved = self.matrix is None or (len(above) == len(self.work.pairs) and max(above) == self.matrix.largest)
        refuted = self.lower is None or below == [said]
        return None if proved and refuted else "its numbers are not those that its certificate proves"


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
