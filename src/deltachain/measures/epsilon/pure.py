"""Proofs about the least e^ε with δ = 0 itself, which is the largest likelihood ratio, and not about one ε.

From above by a ratio matrix, from below by a word, by the limit that words come to, or by words that have no largest
ratio (docs/certificate.md, "Ratios").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...beliefs.workspace import Workspace
from ...certificate.claims import Claim, write_claim
from ...certificate.record import Certificate, Writer, merge_of
from ...model import Chain
from ...model.chain import Pair
from ...numbers.field import ends
from ...numbers.fraction import format_fraction
from .limit import RatioLimit
from .matrix import RatioMatrix, SpanningTree
from .none import NoEpsilon
from .pump import Pump, PumpMasses, after
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
        chain = self.work.chain
        writer = Writer(most_bytes, base=chain.base)
        if self.work.alike:
            writer.add("merge", merge_of(self.work.part, self.work.quotient))
        places: dict[Pair, int] = {}
        if self.matrix is not None:
            places = {entry.pair: n for n, entry in enumerate(self.matrix.entries)}
            writer.add("claims", _claims(self.matrix, places, self.work.quotient.chain))
        claims: list[dict[str, object]] = []
        for pair, claim in self._claimed:
            covers = {} if claim.upper is None else self._covers(pair, places)
            claims.append(write_claim(claim, chain.base) | covers | self._below(pair))
        return writer.certificate(chain.sha256, (), claims)

    def beside(self, first: Certificate) -> Certificate:
        """The certificate of something else about the same chain, with these claims, which words alone prove."""
        claims = [write_claim(claim) | self._below(pair) for pair, claim in self._claimed]
        return Certificate({**first.document, "proves": [*first.document["proves"], *claims]})

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
                claim = self._refute(claim, self.lower)
            if (claim.lower, claim.upper, claim.infinite) != (None, None, False):
                yield pair, claim

    def _refute(self, claim: Claim, lower: RatioWord | RatioLimit | NoEpsilon) -> Claim:
        if not isinstance(lower, NoEpsilon):
            return replace(claim, lower=self.refuted)
        terms = {} if lower.pump is not None else {"delta": ends(lower.probability)[0]}
        return replace(claim, infinite=True, terms=terms)

    def _above(self, pair: Pair) -> Fraction | None:
        if self.matrix is None:
            return None
        s, t = self.work.merge(pair)
        return self.matrix.bound([(s, t), (t, s)])

    def _covers(self, pair: Pair, places: Mapping[Pair, int]) -> dict[str, object]:
        """What bounds a pair from above, both ways; nothing where its states are merged."""
        s, t = self.work.merge(pair)
        return {} if s == t else {"covers": [[[places[way], "1"]] if way in places else [] for way in ((s, t), (t, s))]}

    def _below(self, pair: Pair) -> dict[str, object]:
        """What proves the lower bound of a claim."""
        lower = self.lower
        if lower is None or lower.pair != pair:
            return {}
        names = self.work.quotient.chain.states if pair in self.work.alike else self.work.chain.states
        first: dict[str, object] = {"first": self.work.chain.states[pair[lower.direction]]}
        if isinstance(lower, RatioLimit):
            return first | {"words": _limit(lower, names)}
        if isinstance(lower, RatioWord):
            return first | {"words": list(lower.word)}
        if lower.pump is not None:
            return first | {"words": _pump(lower, lower.pump, names)}
        return first | {"words": list(lower.word), "delta": format_fraction(ends(lower.probability)[0])}


def _claims(matrix: RatioMatrix, places: Mapping[Pair, int], chain: Chain) -> list[list[object]]:
    """Claims that e_i − R_ij e_j gains nothing; and for each node inside a tree that what it leads to gains nothing."""
    names = chain.states
    inside: list[list[object]] = []

    def cover(vector: PumpMasses, tree: SpanningTree) -> list[list[object]]:
        """What the letters after a vector cite."""
        cited: list[list[object]] = []
        for letter, node in tree.items():
            if isinstance(node, tuple):
                cited += [[places[k, m], format_fraction(amount)] for k, m, amount in node]
                continue
            later = {i: x for i, x in after(vector, chain, (letter,)).items() if x}
            if later:
                claim: list[object] = [_masses(later, names), "0", "step"]
                cited.append([len(places) + len(inside), "1"])
                inside.append(claim)
                claim.append(cover(later, node))
        return cited

    starts: list[list[object]] = []
    for entry in matrix.entries:
        (i, j), ratio = entry.pair, entry.bound
        vector = {i: Fraction(1), j: -ratio}
        starts.append([_masses(vector, names), "0", "step", cover(vector, entry.tree)])
    return starts + inside


def _masses(masses: PumpMasses, names: tuple[str, ...]) -> list[list[str]]:
    return [[names[state], format_fraction(mass)] for state, mass in masses.items()]


def _limit(limit: RatioLimit, names: tuple[str, ...]) -> dict[str, object]:
    falling = limit.falling
    return {
        "prefix": list(limit.prefix),
        "cycle": list(limit.cycle),
        "factor": format_fraction(limit.factor),
        "vector": _masses(limit.vector, names),
        "one": [*map(format_fraction, falling.one)],
        "rest": [_masses(z, names) for z in falling.rest],
        "matrix": [[*map(format_fraction, line)] for line in falling.matrix],
        "sizes": [*map(format_fraction, falling.sizes)],
        "rate": format_fraction(falling.rate),
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
