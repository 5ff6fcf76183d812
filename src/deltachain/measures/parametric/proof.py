"""The proof of an answer for every value of a parameter: claims on parts of the interval (docs/certificate.md).

A claim bounds δ(u) of one pair on a closed part between two Fractions. What the checker asks of such a part:

- from above, few outcomes may change sign on it, since they are counted in every way: cut *between* two breaks;
- from below, one event must do for the whole part, the one of its middle: cut *at* breaks, a hair's breadth over each.

Where δ crosses what is allowed nothing can be claimed: the part ends on either side of the isolated border.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

from flint import fmpz_poly

from ...beliefs.graph.belief_graph import AnyGraph
from ...beliefs.graph.finite import Part
from ...beliefs.graph.values import bottom_nodes, count_visits
from ...beliefs.workspace import Workspace
from ...certificate.checked import TooLarge
from ...certificate.claims import Claim
from ...certificate.families import open_hash
from ...certificate.record import Certificate, Writer, merge_of
from ...certificate.verification import exact_number
from ...model import Chain
from ...numbers.bernstein import ONE, Isolated, constant_sign, value_at
from ...numbers.fraction import format_fraction
from ...numbers.parameter import OpenParameter, Ratio
from .find import Cuts, DeltaCurve, FormulaPiece, Supremum, crossings, meets


@dataclass(frozen=True, eq=False)
class PairCurves:
    """δ of a pair, as the larger of two curves, and where it comes from."""

    names: tuple[tuple[str, str], ...]
    """All pairs whose states are merged with those of this one, in its order."""
    interval: OpenParameter
    curves: tuple[DeltaCurve, DeltaCurve]
    ends: Part | None
    """The finite graph; None where labels differ, so that δ = 1."""
    outcomes: int
    """How many there are, those of the same probability from both states included."""

    @cached_property
    def cuts(self) -> Cuts:
        """The interval cut where a term of either direction changes sign."""
        return Cuts.at([p for curve in self.curves for p in curve.breaks], self.interval)

    def between_breaks(self, low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """A part cut between any two breaks."""
        return pairwise([low, *(u for u in self.cuts.samples if low < u < high), high])

    def at(self, u: Fraction) -> Fraction:
        """The value at a point."""
        return max(curve.at(u) for curve in self.curves)


class PartClaim(NamedTuple):
    """Bounds of δ(u) of a pair for low ≤ u ≤ high: ``upper``, ``below``, ``lower`` or ``above``."""

    of: PairCurves
    low: Fraction
    high: Fraction
    bounds: dict[str, Ratio]
    open: tuple[bool, bool] = (False, False)
    """Ends that are left out."""


def constant(value: Fraction) -> Ratio:
    """A number as a function."""
    return Ratio(fmpz_poly([value.numerator]), fmpz_poly([value.denominator]))


# What is claimed


def private_claims(
    pairs: Sequence[PairCurves],
    violated: Sequence[tuple[Isolated, Isolated]],
    allowed: Fraction,
    interval: OpenParameter,
) -> Iterator[PartClaim]:
    """δ ≤ allowed of every pair wherever it is not violated, up to the borders' isolating intervals."""
    ends = [interval.low, *(u for start, end in violated for u in (start.low, end.high)), interval.high]
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        if low > high or (low == high and low in (interval.low, interval.high)):
            continue
        for pair in pairs:
            parts = pair.between_breaks(low, high) if allowed else [(low, high)]
            for part in parts:
                yield PartClaim(pair, *part, {"upper": constant(allowed)})


def violation_claims(
    pairs: Sequence[PairCurves], violated: Sequence[tuple[Isolated, Isolated]], allowed: Fraction
) -> Iterator[PartClaim]:
    """δ > allowed of some pair at each point of the violated intervals, up to the isolating intervals of their ends."""
    limit = {"above": constant(allowed)}
    rest: list[tuple[Fraction, Fraction]] = []
    for start, end in violated:
        low, high = start.high, end.low
        if low >= high:
            continue
        borders = start.low == low, high == end.high
        single = _positive_throughout(pairs, low, high) if allowed == 0 else None
        if single is None:
            rest.append((low, high))
        else:
            yield PartClaim(single, low, high, limit, borders)
    if not rest:
        return
    curves = [(pair, curve) for pair in pairs for curve in pair.curves if not curve.zero]
    cuts = crossings([curve for _, curve in curves], allowed)
    for low, high in rest:
        yield from _violated_parts(curves, cuts, low, high, allowed)


def _positive_throughout(pairs: Sequence[PairCurves], low: Fraction, high: Fraction) -> PairCurves | None:
    """A pair with one outcome that tells it apart at every point of the part."""
    for pair in pairs:
        for term in (term for curve in pair.curves for term in curve.terms):
            if constant_sign(term.top, low, high) == 1:
                return pair
    return None


def _violated_parts(
    curves: Sequence[tuple[PairCurves, DeltaCurve]], cuts: Cuts, low: Fraction, high: Fraction, allowed: Fraction
) -> Iterator[PartClaim]:
    """A violated part, cut where curves break or cross the limit: on each part one pair is above it by one event."""
    ends, limit = (cuts.interval.low, cuts.interval.high), {"above": constant(allowed)}
    found: PartClaim | None = None
    known: tuple[DeltaCurve, Ratio] | None = None
    for (start, end), sample in zip(cuts.parts, cuts.samples, strict=True):
        if end.low <= low or high <= start.high:
            continue

        def away(place: Isolated, curve: DeltaCurve, at: Fraction = sample) -> bool:
            return place.low in ends or not meets(curve, at, allowed, place, cuts)

        # A curve that is off the limit at both ends, if there is one, covers their isolating intervals, too.
        over = [(pair, curve) for pair, curve in curves if curve.exceeds(sample, allowed)]
        pair, curve = max(over, key=lambda each: away(start, each[1]) + away(end, each[1]))
        off = away(start, curve), away(end, curve)
        begin, stop = max(low, start.low if off[0] else start.high), min(high, end.high if off[1] else end.low)
        left_out = not off[0] and start.low == start.high, not off[1] and end.low == end.high
        formula = curve.formula(sample)
        if found is not None and known == (curve, formula) and found.high >= begin and not left_out[0]:
            middle = (found.low + stop) / 2  # whose event is that of the part
            if curve.formula(middle) == formula:
                found = found._replace(high=stop, open=(found.open[0], left_out[1]))
                continue
        if found is not None:
            yield found
        found, known = PartClaim(pair, begin, stop, limit, left_out), (curve, formula)
    if found is not None:
        yield found


def piece_claims(
    pairs: Sequence[PairCurves], pieces: Sequence[FormulaPiece], interval: OpenParameter
) -> Iterator[PartClaim]:
    """δ of every pair is at most the piece's formula, and that of one is the formula itself, up to the breaks."""
    cuts = Cuts.at([p for pair in pairs for curve in pair.curves for p in curve.breaks], interval)
    for piece in pieces:
        low, high = piece.start.high, piece.end.low
        if low >= high:
            continue
        for pair in pairs:
            for part in pair.between_breaks(low, high):
                yield PartClaim(pair, *part, {"upper": piece.formula})
        for start, end in cuts.parts if piece.formula.top else ():
            begin, stop = max(low, start.low), min(high, end.high)
            if begin < stop and start.high < high and low < end.low:
                middle = (begin + stop) / 2
                for pair in pairs:
                    if any(curve.formula(middle).key == piece.formula.key for curve in pair.curves):
                        yield PartClaim(pair, begin, stop, {"lower": piece.formula})
                        break


def supremum_claims(pairs: Sequence[PairCurves], found: Supremum, interval: OpenParameter) -> Iterator[PartClaim]:
    """δ is at most the supremum, and below it where it is not attained; a point, or the last piece, comes as near."""
    beyond = found.attained is False and found.lower == found.upper
    for pair in pairs:
        for part in pair.between_breaks(interval.low, interval.high):
            yield PartClaim(pair, *part, {"below" if beyond else "upper": constant(found.upper)})
    if found.attained and found.lower > 0:
        point = (found.where.low + found.where.high) / 2
        best = max(pairs, key=lambda pair: pair.at(point))
        yield PartClaim(best, point, point, {"lower": constant(found.lower)})


# The certificate


@dataclass(frozen=True, eq=False)
class ParametricProof:
    """The graph of beliefs over Z[u], and the claims."""

    chain: Chain
    work: Workspace
    interval: OpenParameter
    alpha: Ratio
    parts: tuple[PartClaim, ...]
    _made: list[Certificate] = field(default_factory=list, init=False, repr=False)

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The bounds of every pair in every part, each as it will be said."""
        name, low, high = self.interval.name, self.interval.low, self.interval.high
        found = []
        for claim in self.parts:
            ends = claim.open[0] or claim.low == low, claim.open[1] or claim.high == high
            bounds = {side: exact_number(bound, name) for side, bound in claim.bounds.items()}
            terms: dict[str, Any] = {"parameter": name, "part": (claim.low, claim.high, ends)}
            terms |= {side: bound for side, bound in bounds.items() if side in ("below", "above")}
            found += [
                Claim(
                    measure="delta",
                    subject=pair,
                    lower=bounds.get("lower"),
                    upper=bounds.get("upper"),
                    at=(exact_number(self.alpha, name),),
                    terms=terms,
                )
                for pair in claim.of.names
            ]
        return found

    @property
    def missing(self) -> str:
        """Why there is no certificate; empty if there is one."""
        for claim in self.parts:
            part = claim.of.ends
            if part is not None and (part.graph.basis is not None or part.group is not None):
                return "beliefs were merged up to traces or split, for which there are no rules with a parameter"
        return "" if self.parts else "nothing was asked that a certificate can claim"

    def certificate(self, most_bytes: int | None = None) -> Certificate:
        """Proof of the claims; `TooLarge` if it would be longer than asked for."""
        if self._made:
            return self._made[0]
        writer = Writer(most_bytes, parameter=self.interval)
        if self.work.alike:
            writer.add("merge", merge_of(self.work.part, self.work.quotient))
        alpha = _text(self.alpha)
        self._made.append(writer.certificate(open_hash(self.chain, self.interval), [alpha, alpha], self._write(writer)))
        return self._made[0]

    def _write(self, writer: Writer) -> Iterator[dict[str, object]]:
        """Each claim, after what it cites.

        That δ is 0 on the whole interval needs no visits: the graph with 0 at each node says so.
        """
        for claim in self.parts:
            part = claim.of.ends
            bounds = {side: _text(bound) for side, bound in claim.bounds.items()}
            if part is not None and bounds == {"upper": "0"} and self._is_whole(claim):
                node = writer.once(part, partial(self._zeros, writer, part))
                cited: dict[str, object] = {"node": node}
            else:
                writer.use("parts")
                visits = {} if part is None else {"visits": writer.once(claim.of, partial(self._visits, writer, part))}
                sides = ("after" if claim.open[0] else "from"), ("before" if claim.open[1] else "to")
                cited = visits | dict(zip(sides, map(format_fraction, (claim.low, claim.high)), strict=True))
            for pair in claim.of.names:
                yield {"claim": "delta", "pair": list(pair)} | cited | bounds

    def _is_whole(self, claim: PartClaim) -> bool:
        return (claim.low, claim.high) == (self.interval.low, self.interval.high)

    def _zeros(self, writer: Writer, part: Part) -> int:
        """Write the graph of a pair, with 0 from above in both directions; the number of its root."""
        components, _ = bottom_nodes(part.graph, [part.root], part.graph.is_closed)
        number = self._graph(writer, part.graph, [node for component in components for node in component])
        writer.add("values", ([place, [None, "0"], [None, "0"]] for place in number.values()))
        return number[part.root]

    def _graph(
        self, writer: Writer, graph: AnyGraph, nodes: Sequence[int], ended: Container[int] = ()
    ) -> dict[int, int]:
        """Write nodes, those of ``ended`` as of classes that are never left; the number of each."""
        names, first = graph.chain.states, writer.next("graph")
        number = {node: first + n for n, node in enumerate(nodes)}
        for node in nodes:
            masses = iter(self._whole(graph, node))
            places = [
                writer.belief([[names[state], _coefficients(next(masses))] for state, _ in belief])
                for belief in graph.nodes[node].parts
            ]
            entry: list[object] = [places]
            if not graph.is_closed(node):
                entry.append({edge.label: number[edge.child] for edge in graph.edges[node] or ()})
                entry += ["class"] if node in ended else []
            writer.add("graph", [entry])
        return number

    def _visits(self, writer: Writer, part: Part) -> int:
        """Write the graph of a pair, and how often runs pass through each node; the number of the entry."""
        graph, root = part.graph, part.root
        found = count_visits(graph, [root], graph.is_closed)
        if found is None:
            raise TooLarge  # never so: the curves were made of these
        ended = {node for component in found.ends for node in component}
        number = self._graph(writer, graph, [*found.scale], ended)
        visits = [
            _text(self._rescale(graph, node, scale, sum(self._whole(graph, node), fmpz_poly([]))))
            for node, scale in found.scale.items()
        ]
        return writer.add("visits", [{"start": [number[root]], "from": min(number.values()), "visits": visits}])

    def _rescale(self, graph: AnyGraph, node: int, scale: Any, written: fmpz_poly) -> Ratio:
        """How often a node is visited, as a multiple of its beliefs as they are written, ``written`` in all."""
        inside, field = self.interval.middle, graph.field
        total = sum(graph.nodes[node].totals, field.none)
        mine = self.interval.function(field.exactly(field.quotient(total, field.one)))
        turned = Ratio.of(mine.top, mine.bottom * written, inside)
        return self.interval.function(field.exactly(scale)).times(turned, inside)

    def _whole(self, graph: AnyGraph, node: int) -> list[fmpz_poly]:
        """The masses of a node as polynomials in u without a common factor, the first beliefs first."""
        masses = [mass for part in graph.nodes[node].parts for _, mass in part]
        found = self.interval.rewritten([fmpz_poly([m]) if isinstance(m, int) else m for m in masses])
        common = fmpz_poly([])
        for p in found:
            common = common.gcd(p)
        common = common if value_at(common, self.interval.middle) > 0 else -common
        return found if common == ONE else [p // common for p in found]


def _coefficients(p: fmpz_poly) -> str:
    """A polynomial in u, the constant first; the certificate tells it from a number by its spaces."""
    return " ".join(str(c) for c in p.coeffs()) or "0"


def _text(found: Ratio) -> str:
    """A number of the certificate."""
    if found.top.degree() <= 0 and found.bottom.degree() == 0:
        return format_fraction(Fraction(int(found.top[0]), int(found.bottom[0])))
    top, bottom = map(_coefficients, (found.top, found.bottom))
    return f"{top}/{bottom}" if " " in top or bottom != "1" else top
