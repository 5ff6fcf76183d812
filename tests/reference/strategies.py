"""bd, ld and sd by brute force: the least fixed point of every strategy, exactly, and the largest of them.

A strategy chooses one option for each pair: a direction for bd, an input where there are any. The step of an option is
the least cost of a flow from x to y, label by label, and that is attained at a vertex of the flow polyhedron. All
vertices are listed once: the amounts of every feasible basis. A step is then a minimum over lists, and the least fixed
point of a strategy is found by policy iteration over them, with 0 on its zero set, which is found by deletion.

At α = 1 with inputs, where paths over stepping stones are unsafe, flows run along single arcs from a state of excess to
a state with room (docs/theory/fixed-points.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Literal

from flint import fmpq, fmpq_mat

from deltachain import Chain

Kind = Literal["bd", "ld", "sd", "bsd"]
"""The last one is of docs/add-a-distance.md alone: sd made symmetric."""
SYMMETRIC, COMPLEMENT = ("bd", "bsd"), ("sd", "bsd")
Pair = tuple[int, int]
Strategy = tuple[int, ...]

ZERO, ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True)
class Vertex:
    """A flow: what it carries along each pair of the space, of both kinds of arcs, and the rest of its cost."""

    arcs: tuple[tuple[int, fmpq], ...]
    constant: fmpq

    def cost(self, d: Sequence[fmpq]) -> fmpq:
        return sum((amount * d[pair] for pair, amount in self.arcs), self.constant)


@cache
def bases(size: int, top: int, bottom: int, complement: bool) -> list[tuple[list[tuple[str, int, int]], fmpq_mat]]:
    """Every choice of ``size`` columns of the balances of one label, by name, with the inverse of their matrix.

    Columns: a plain arc (i, j), a complement arc (i, j), η_i, and what is left over at i.
    """
    alpha = fmpq(top, bottom)
    columns: dict[tuple[str, int, int], dict[int, fmpq]] = {}
    for i in range(size):
        columns["open", i, i] = {i: ONE}
        columns["spare", i, i] = {i: -ONE}
        for j in range(size):
            if i != j:
                columns["plain", i, j] = {i: ONE, j: -alpha}
                if complement:
                    columns["complement", i, j] = {i: -ONE, j: alpha}
    found = []
    for names in combinations(columns, size):
        matrix = fmpq_mat(size, size)
        for c, name in enumerate(names):
            for r, value in columns[name].items():
                matrix[r, c] = value
        try:
            found.append((list(names), matrix.inv()))
        except ZeroDivisionError:
            continue
    return found


class Game:
    """The pairs of a chain, and for each option of each the vertices of its flows, by label."""

    def __init__(self, chain: Chain, alpha: Fraction, kind: Kind) -> None:
        self.chain, self.kind = chain, kind
        self.alpha = fmpq(alpha.numerator, alpha.denominator)
        self.single_arcs = alpha == 1 and chain.interactive
        states = range(len(chain))
        self.groups = [[i for i in states if chain.labels[i] == label] for label in dict.fromkeys(chain.labels)]
        every = ((s, t) for group in self.groups for s in group for t in group)
        self.pairs = [(s, t) for s, t in every if (s < t if kind in SYMMETRIC else s != t)]
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.options = [[self._vertices(*option) for option in self._rows(*pair)] for pair in self.pairs]

    def _rows(self, s: int, t: int) -> Iterator[tuple[dict[int, fmpq], dict[int, fmpq]]]:
        for moves in zip(self.chain.moves[s], self.chain.moves[t], strict=True):
            x, y = ({i: fmpq(p.numerator, p.denominator) for i, p in row} for row in moves)
            yield x, y
            if self.kind in SYMMETRIC:
                yield y, x

    def pair(self, i: int, j: int) -> int:
        return self.number[(min(i, j), max(i, j)) if self.kind in SYMMETRIC else (i, j)]

    def _vertices(self, x: Mapping[int, fmpq], y: Mapping[int, fmpq]) -> list[list[Vertex]]:
        """For each label with something to send, the vertices of its flows."""
        found = []
        for group in self.groups:
            need = [x.get(i, ZERO) - self.alpha * y.get(i, ZERO) for i in group]
            if any(value > ZERO for value in need):
                found.append(list(self._of_label(group, need)))
        return found

    def _of_label(self, group: list[int], need: list[fmpq]) -> Iterator[Vertex]:
        seen = set()
        alpha = int(self.alpha.p), int(self.alpha.q)
        right = fmpq_mat(len(group), 1, need)
        for names, inverse in bases(len(group), *alpha, self.kind in COMPLEMENT and self.alpha > ONE):
            solution = inverse * right
            amounts = {name: solution[r, 0] for r, name in enumerate(names) if solution[r, 0]}
            if any(amount < ZERO for amount in amounts.values()):
                continue
            arcs: dict[int, fmpq] = {}
            constant, direct = ZERO, True
            for (what, i, j), amount in amounts.items():
                if what == "open":
                    constant += amount
                elif what != "spare":
                    direct = direct and need[i] > ZERO and need[j] < ZERO
                    number = self.pair(group[i], group[j])
                    arcs[number] = arcs.get(number, ZERO) + amount
                    constant += (self.alpha - ONE) * amount if what == "complement" else ZERO
            vertex = Vertex(tuple(sorted(arcs.items())), constant)
            if vertex not in seen and (direct or not self.single_arcs):
                seen.add(vertex)
                yield vertex

    def step(self, pair: int, option: int, d: Sequence[fmpq]) -> tuple[fmpq, list[Vertex]]:
        """The least cost of a flow at d, and the vertices that have it."""
        best = [min(vertices, key=lambda v: v.cost(d)) for vertices in self.options[pair][option]]
        return sum((vertex.cost(d) for vertex in best), ZERO), best

    def operator(self, d: Sequence[fmpq]) -> list[fmpq]:
        """The largest step over all options of each pair."""
        return [max(self.step(p, o, d)[0] for o in range(len(self.options[p]))) for p in range(len(self.pairs))]

    def strategies(self) -> Iterator[Strategy]:
        return product(*(range(len(options)) for options in self.options))

    def zero_set(self, strategy: Strategy) -> set[int]:
        """The largest set of pairs whose steps cost nothing where they run inside it."""
        zero = set(range(len(self.pairs)))
        while True:
            d = [ZERO if p in zero else ONE for p in range(len(self.pairs))]
            gone = {p for p in zero if self.step(p, strategy[p], d)[0]}
            if not gone:
                return zero
            zero -= gone

    def value(self, strategy: Strategy) -> list[fmpq]:
        """The least fixed point of the strategy's operator: from 1 off its zero set, by policy iteration."""
        count, zero = len(self.pairs), self.zero_set(strategy)
        d = [ZERO if p in zero else ONE for p in range(count)]
        policy: dict[int, list[Vertex]] = {p: [Vertex((), d[p])] for p in range(count)}
        while True:
            fresh = {p: self.step(p, strategy[p], d) for p in range(count) if p not in zero}
            better = {p: best for p, (cost, best) in fresh.items() if cost < d[p]}
            if not better:
                return d
            policy |= better
            live = [p for p in range(count) if p not in zero]
            matrix, right = fmpq_mat(len(live), len(live)), fmpq_mat(len(live), 1)
            for r, p in enumerate(live):
                matrix[r, r] = ONE
                for vertex in policy[p]:
                    right[r, 0] += vertex.constant
                    for q, amount in vertex.arcs:
                        if q not in zero:
                            matrix[r, live.index(q)] -= amount
            solution = matrix.solve(right)
            for r, p in enumerate(live):
                if not ZERO <= solution[r, 0] <= d[p]:
                    raise AssertionError("policy iteration from above rose")
                d[p] = solution[r, 0]


def largest_of_strategies(chain: Chain, alpha: Fraction, kind: Kind) -> dict[Pair, Fraction]:
    """The largest least fixed point over all strategies, by pair of states, for bd in both orders.

    Checks that one strategy attains it at all pairs, and that it is a fixed point of the operator.
    """
    game = Game(chain, alpha, kind)
    values = [game.value(strategy) for strategy in game.strategies()]
    best = [max(column) for column in zip(*values, strict=True)]
    if best not in values:
        raise AssertionError("no strategy attains the largest values")
    if game.operator(best) != best:
        raise AssertionError("the largest values are not a fixed point")
    found = {pair: Fraction(int(v.p), int(v.q)) for pair, v in zip(game.pairs, best, strict=True)}
    return found | ({(t, s): value for (s, t), value in found.items()} if kind in SYMMETRIC else {})
