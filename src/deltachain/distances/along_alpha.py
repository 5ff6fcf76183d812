"""A distance as a function of α: exact, a rational function of α on each of finitely many pieces.

At a number α0 that satisfies no equation, two rational functions of α that agree are equal. So the distance is computed
exactly at such a point, α0 = a + (b − a)/e, in the field of rational functions of e, and everything that proves it is
read back as rational functions of α (`numbers.parameter`): values d, flows, prices f and second prices g. Equations
among them hold for every α. What is left of the proof are inequalities (docs/theory/fixed-points.md, exactness):

- amounts of flows are ≥ 0, they balance, and they cost at most d;
- 0 ≤ f ≤ 1, f is admissible at d, and gains at least d;
- g is admissible at 0 for the pairs that are not deleted before, and gains more than 0.

A rational function changes its sign only at roots and poles. So the proof holds from α0 up to the nearest root, on
either side, of any numerator or denominator of these; there the next piece begins. Roots are isolated exactly. Where
the inequality that ends a piece is one that may hold with equality, the proof holds at the root, too.

The distance need not fall as α grows, and need not be continuous; at a breakpoint that is rational it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpz_poly

from ..cancel import Cancel
from ..errors import DeltachainError, InputError, NotConverged
from ..model import Chain
from ..model.chain import Pair
from ..numbers.bernstein import Isolated, isolate, refine
from ..numbers.exponential import Exponential, read_exponential
from ..numbers.field import ends
from ..numbers.fraction import simplest_between
from ..numbers.parameter import NOTHING, OpenParameter, Ratio
from .fixed_point import MAX_EQUATIONS, FixedPoint, solve, solve_over
from .improvement import ExactDistance
from .kind import DistanceKind
from .scalars import FunctionScalars
from .step_exact import option_imbalance

WIDTH = Fraction(1, 1 << 80)
"""Roots are isolated as closely as this."""
MOST_PIECES = 400


@dataclass(frozen=True)
class AlphaPiece:
    """The distance on an open interval of α: a quotient of polynomials.

    Attributes:
        start: where it begins: a Fraction, or a root between two.
        end: where it ends.
        formula: the distance, in lowest terms.
        at_start: whether the distance has this value at the start, too.
        at_end: whether it has it at the end.
    """

    start: Isolated
    end: Isolated
    formula: Ratio
    at_start: bool
    at_end: bool


def pieces_of(
    chain: Chain,
    pair: Pair,
    low: Fraction,
    high: Fraction,
    kind: DistanceKind,
    *,
    max_pieces: int = MOST_PIECES,
    cancel: Cancel | None = None,
) -> list[AlphaPiece]:
    """The pieces of the distance of a pair of different states of one label, for 1 ≤ low < α < high.

    Raises NotConverged where there are more than ``max_pieces``, before equal ones are joined.
    """
    if not 1 <= low < high:
        raise InputError(f"alphas: {low}:{high} is not an interval from 1 on")
    chain.need("fractions", "alphas", "a distance is a rational function of α where rows are", "ask for one α")
    work = _Pieces(chain, pair, Isolated(low, low), Isolated(high, high), kind, cancel or Cancel())
    found: list[AlphaPiece] = []
    for piece in work.cover(work.low, work.high):
        found.append(piece)
        if len(found) > max_pieces:
            raise NotConverged(f"more than {max_pieces} pieces: ask for a shorter interval")
        work.cancel.report(f"{len(found)} pieces")
    return list(_join(sorted(found, key=lambda piece: piece.start)))


def _join(pieces: list[AlphaPiece]) -> Iterator[AlphaPiece]:
    """Neighbours with one formula, that holds at the breakpoint between them, as one piece."""
    waiting: AlphaPiece | None = None
    for piece in pieces:
        if waiting is None:
            waiting = piece
        elif waiting.formula == piece.formula and (waiting.at_end or piece.at_start):
            waiting = replace(waiting, end=piece.end, at_end=piece.at_end)
        else:
            yield waiting
            waiting = piece
    if waiting is not None:
        yield waiting


def _point_inside(low: Fraction, high: Fraction) -> OpenParameter:
    """An interval in the middle of another one, with short ends: its point is one that satisfies no equation.

    Breakpoints have long ends, and polynomials at a point between these would have as long coefficients.
    """
    width = high - low
    first = simplest_between(low + width / 4, low + 3 * width / 8)
    return OpenParameter("α", first, simplest_between(low + 5 * width / 8, low + 3 * width / 4))


class _Pieces:
    """The pieces between two ends, and the roots that were isolated."""

    def __init__(
        self, chain: Chain, pair: Pair, low: Isolated, high: Isolated, kind: DistanceKind, cancel: Cancel
    ) -> None:
        self.chain, self.pair, self.low, self.high, self.kind, self.cancel = chain, pair, low, high, kind, cancel
        self._roots: dict[tuple[int, ...], list[Isolated]] = {}

    def cover(self, low: Isolated, high: Isolated) -> Iterator[AlphaPiece]:
        """Pieces that fill the interval between two breakpoints."""
        waiting = [(low, high)]
        while waiting:
            begin, end = waiting.pop()
            if begin.high >= end.low:
                continue
            self.cancel.check()
            piece = self.piece_at(_point_inside(begin.high, end.low), begin, end)
            yield piece
            waiting += [(begin, piece.start), (piece.end, end)]

    def piece_at(self, inside: OpenParameter, begin: Isolated, end: Isolated) -> AlphaPiece:
        """The piece around a point inside an interval, as far as it reaches between the breakpoints."""
        point = read_exponential(inside.point())
        fixed = solve_over(self.chain, FunctionScalars(1, 0), point, self.kind, [self.pair], MAX_EQUATIONS, self.cancel)
        conditions = _Conditions(inside, point)
        _Proof(fixed, conditions).collect(self.pair)
        start, at_start, stop, at_stop = begin, False, end, False
        for polynomial, strict in conditions.polynomials.values():
            for root in self.roots(polynomial):
                root = self._apart(polynomial, root, point)
                if root.high < ends(point)[0]:
                    if root.high > start.high:
                        start, at_start = root, not strict
                    elif root == start:
                        at_start = at_start and not strict
                elif root.low < stop.low:
                    stop, at_stop = root, not strict
                elif root == stop:
                    at_stop = at_stop and not strict
        value = fixed[self.pair]
        formula = NOTHING if not value else inside.function(value)
        return AlphaPiece(start, stop, formula, at_start, at_stop)

    def roots(self, polynomial: fmpz_poly) -> list[Isolated]:
        """The roots between the ends, isolated closely, in order."""
        key = tuple(map(int, polynomial.coeffs()))
        if key not in self._roots:
            found = isolate(polynomial, self.low.low, self.high.high)
            self._roots[key] = [refine(polynomial, root, WIDTH) for root in found]
        return self._roots[key]

    def _apart(self, polynomial: fmpz_poly, root: Isolated, point: Exponential) -> Isolated:
        """A root between ends that are on one side of a point, which is none."""
        low, high = ends(point)
        width = WIDTH
        while root.low <= high and root.high >= low:
            width /= 1 << 20
            root = refine(polynomial, root, width)
            low, high = ends(point, 4 * width.denominator.bit_length())
        return root


class _Conditions:
    """The inequalities of a proof, as polynomials in α whose signs must not change."""

    def __init__(self, inside: OpenParameter, point: Exponential) -> None:
        self.inside, self.point = inside, point
        self.polynomials: dict[tuple[int, ...], tuple[fmpz_poly, bool]] = {}
        """By coefficients: the polynomial, and whether it must not even vanish."""

    def require(self, number: Exponential, *, strict: bool = False) -> None:
        """The function that a number at the point is must stay ≥ 0; ``strict``: above 0."""
        if number < 0 or (strict and not number):
            raise DeltachainError("the proof of a distance does not hold where it was made")
        if number.rational is None:
            found = self.inside.function(number)
            self._add(found.top, strict)
            self._add(found.bottom, strict=True)

    def _add(self, polynomial: fmpz_poly, strict: bool) -> None:  # one of two lists
        if polynomial.degree() <= 0:
            return
        for factor, _ in polynomial.factor()[1]:
            if factor.degree() > 0:
                key = tuple(map(int, factor.coeffs()))
                known = self.polynomials.get(key, (factor, False))
                self.polynomials[key] = factor, known[1] or strict


class _Proof:
    """What proves an exact distance, pair by pair, as inequalities."""

    def __init__(self, fixed: FixedPoint, conditions: _Conditions) -> None:
        if not isinstance(fixed.proof, ExactDistance):
            raise DeltachainError("an exact distance was asked for")
        self.proof: ExactDistance[Any] = fixed.proof
        self.space, self.kind = self.proof.space, fixed.kind
        self.require = conditions.require
        self.alpha, self.zero = self.space.exact_alpha, self.space.scalars.zero
        self.one = self.space.scalars.one
        pairs = self.space.pairs_of
        self._active = {self._node(int(pairs(option))): option for option in self.proof.lower.active}

    def _node(self, pair: int) -> int:
        return self.kind.node(self.space, pair)

    def collect(self, pair: Pair) -> None:
        """All inequalities that the distance of a pair of states rests on."""
        number = self.space.pair_of_states(*pair)
        if number is None:
            raise ValueError("states of different labels")
        self._follow(number, self._upper)
        positive: set[int] = set()
        if self.proof.lower.values[number]:
            positive = self._follow(self._node(number), self._lower)
        for node in positive:
            self._follow(node, self._rank)

    def _follow(self, first: int, visit: Callable[[int], set[int]]) -> set[int]:
        """Visit a pair, and all that visits lead to."""
        seen: set[int] = set()
        waiting = [first]
        while waiting:
            pair = waiting.pop()
            if pair not in seen:
                seen.add(pair)
                waiting += visit(pair)
        return seen

    def _upper(self, pair: int) -> set[int]:
        """Every option's flow is feasible, and costs at most d."""
        space, value = self.space, self.proof.lower.values[pair]
        self.require(value)
        cited: set[int] = set()
        ends_u, ends_v = space.ends
        if ends_u[pair] == ends_v[pair]:
            return cited
        numbers = self.kind.list_shared(space, pair)
        for number in numbers:
            for option in space.options_of_pair(number):
                flow = self.proof.flow(option)
                left = dict(option_imbalance(space, option).signed)
                cost = flow.constant(self.alpha)
                for sign, arcs in ((1, flow.arcs), (-1, flow.complement)):
                    for i, j, amount in arcs:
                        self.require(amount)
                        left[i] = left.get(i, self.zero) - sign * amount
                        left[j] = left.get(j, self.zero) + sign * amount * self.alpha
                        cost = cost + amount * self.proof.lower.values[space.pair(i, j)]
                        cited.add(space.pair(i, j))
                for i, amount in flow.eta:
                    self.require(amount)
                    left[i] = left[i] - amount
                for open_ in left.values():
                    self.require(-open_)
                self.require(value - cost)
        return cited

    def _lower(self, node: int) -> set[int]:
        """Prices are admissible at d, and gain d."""
        space, values = self.space, self.proof.lower.values
        option = self._active[node]
        prices = self.proof.lower.prices(option)
        cited: set[int] = set()
        for i, j, (first, second) in self._compare(prices, self.one):
            for difference, pair in ((first, space.pair(i, j)), (second, space.pair(j, i))):
                if difference is None:
                    continue
                if difference > 0:
                    cited.add(self._node(pair))
                    self.require(values[pair] - difference)
                else:
                    self.require(-difference)
        self.require(self._gain(option, prices) - values[node])
        return cited

    def _rank(self, node: int) -> set[int]:
        """Second prices are admissible at 0 for all pairs that are not deleted before, and gain more than 0."""
        space, ranks = self.space, self.proof.lower.ranks
        option = self._active[node]
        prices = ranks.prices(option)
        cited: set[int] = set()
        for i, j, (first, second) in self._compare(prices, self.one):
            for difference, pair in ((first, space.pair(i, j)), (second, space.pair(j, i))):
                if difference is None:
                    continue
                if difference > 0:
                    other = self._active.get(self._node(pair))
                    if other is None or ranks.rank[other] >= ranks.rank[option]:
                        raise DeltachainError("second prices use a pair that is not deleted before")
                    cited.add(self._node(pair))
                else:
                    self.require(-difference)
        self.require(self._gain(option, prices), strict=True)
        return cited

    def _compare(self, prices: dict[int, Any], most: Any) -> Iterator[tuple[int, int, tuple[Any, Any]]]:
        """f_i − α f_j for all i ≠ j of a label, and with complement constraints (1 − f_j) − α (1 − f_i) for (j, i)."""
        for i in {position for state in prices for position in self.space.block_positions(state)}:
            f = prices.get(i, self.zero)
            self.require(f)
            self.require(most - f)
            for j in self.space.block_positions(i):
                if i == j:
                    continue
                g = prices.get(j, self.zero)
                plain = f - self.alpha * g if f else None
                other = (self.one - g) - self.alpha * (self.one - f) if self.kind.complement else None
                yield i, j, (plain, other)

    def _gain(self, option: int, prices: dict[int, Any]) -> Any:
        need = option_imbalance(self.space, option).signed
        return sum((prices.get(i, self.zero) * e for i, e in need.items()), self.zero)


def value_at_breakpoint(chain: Chain, pair: Pair, alpha: Fraction, kind: DistanceKind, cancel: Cancel) -> Fraction:
    """The exact distance at one α."""
    return solve(chain, alpha, kind=kind, pairs=[pair], exact=True, cancel=cancel).fraction(pair)


def breakpoints(pieces: list[AlphaPiece]) -> list[Isolated]:
    """Where one piece ends and the next begins."""
    return [one.end for one, _ in pairwise(pieces)]
