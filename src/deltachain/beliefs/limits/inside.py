"""Chains inside boxes: the one in the middle, and the most extreme ones found (docs/theory/boxes.md).

A bound over all chains inside is wide for two reasons: what is not known of the rows, and what the search did not
reach. Single chains inside tell the two apart: their δ is bounded as that of any chain with exact rows.

The extremes are looked for by linear steps (Frank and Wolfe 1956). At rows P, the event of a tree of beliefs is worth
w·F, and its derivative by p_ij is the sum over the nodes u of w_{u,i}·F_{u,j}; each row goes to the corner of its box
where that is largest, or part of the way where it is to be smallest. Floats look, and prove nothing: what is said of
the chain that they find is certified by a search of its own. There may be more extreme ones.

A row that encloses a known number is not free: it stays a box in every chain inside, whose δ is bounded as that of any
chain with enclosures. Floats look at its middle.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...cancel import Cancel
from ...errors import UncertainChain
from ...model import AnyRow, Box, Chain, PointRow
from ...model.chain import Pair
from ..question import Budget, Interval, Question
from ..search import search
from ..workspace import Workspace

ROUNDS, EXPANSIONS, MAX_NODES = 12, 200, 3_000
"""Linear steps each way, expansions of the tree that a step is found by, and the budget for bounding a chain."""
OPEN = 1e-7
"""A belief whose smaller side is below this is not expanded."""
SHARES = (Fraction(1), Fraction(1, 2), Fraction(1, 8))
"""How far a step goes, at most: the first that helps."""
ONE_BY_ONE = 40
"""Rows that are moved by themselves where all together do not help, at most."""

SparseRows = list[dict[int, Fraction]]
"""A chain inside: for each state (its one input) the probability of each target, the state outside included."""


@dataclass(frozen=True)
class Inside:
    """What is known of single chains inside the boxes, for one pair.

    Attributes:
        centre: the interval of the chain in the middle.
        lower: some chain inside has a δ of at most this.
        upper: some chain inside has a δ of at least this.
        smallest: the chain of ``lower``.
        largest: the chain of ``upper``.
    """

    centre: Interval
    lower: Fraction
    upper: Fraction
    smallest: Chain
    largest: Chain


def inside_of(question: Question, cancel: Cancel) -> dict[Pair, Inside]:
    """Chains inside the boxes of a question whose rows are known within limits, for each of its pairs."""
    if question.chain.interactive:
        raise UncertainChain("chains inside boxes are not looked for where the observer chooses inputs")
    room = _Room(question.chain)
    centre = room.centre()
    middle = _bound(question, room.chain(centre), question.pairs, cancel)
    found = {}
    for pair in question.pairs:
        low, high = (_extreme(room, centre, pair, question, largest, cancel) for largest in (False, True))
        ends = [room.chain(rows) for rows in (low, high)]
        small, large = (_bound(question, chain, [pair], cancel)[pair] for chain in ends)
        # The middle is a chain inside, too, where it is more extreme than what was found.
        lower = min((small.upper, 0), (middle[pair].upper, 1))
        upper = max((large.lower, 0), (middle[pair].lower, -1))
        found[pair] = Inside(
            middle[pair],
            lower[0],
            upper[0],
            room.chain(centre) if lower[1] else ends[0],
            room.chain(centre) if upper[1] else ends[1],
        )
    return found


def _bound(question: Question, chain: Chain, pairs: Sequence[Pair], cancel: Cancel) -> Mapping[Pair, Interval]:
    """The intervals of a chain with exact rows at the question's e^ε."""
    limits = Budget(question.budget.at_most(MAX_NODES))
    asked = replace(question, chain=chain, pairs=tuple(pairs), allowed=None, budget=limits)
    return {proof.pair: proof.interval for proof in search(asked, Workspace.of(asked), cancel).proofs}


class _Room:
    """The boxes of a chain, with one absorbing state of a label of its own for what may leave the model."""

    def __init__(self, chain: Chain) -> None:
        self.base, self.size = chain, len(chain)
        self.box = [rows[0].box for rows in chain.given]
        self.labels = [*chain.labels, _fresh("outside", chain.labels)]
        self.enclosed = {i: row for i, (row,) in enumerate(chain.given) if row.kind != "limits"}
        """The rows of one mechanism, which nobody may choose."""

    def centre(self) -> SparseRows:
        """The rows in the middle of their boxes."""
        rows = []
        for box in self.box:
            row, left = box.centre()
            rows.append(dict(row) | ({self.size: left} if left else {}))
        return rows

    def chain(self, rows: SparseRows) -> Chain:
        """The chain of these rows; with a state outside if some mass goes there."""
        base = self.base
        outside = any(self.size in row for i, row in enumerate(rows) if i not in self.enclosed)
        chosen = (tuple(sorted((j, p) for j, p in row.items() if p)) for row in rows)
        given: list[tuple[AnyRow]] = [(self.enclosed.get(i, PointRow(row)),) for i, row in enumerate(chosen)]
        more: list[tuple[AnyRow]] = [(PointRow(((self.size, Fraction(1)),)),)] if outside else []
        names = (*base.states, _fresh("outside", base.states)) if outside else base.states
        labels = tuple(self.labels) if outside else base.labels
        valuations = None if base.valuations is None else (*base.valuations, *([{}] if outside else []))
        return replace(
            base,
            states=names,
            labels=labels,
            given=(*given, *more),
            valuations=valuations,
            inputs={},
            confidence=None,
        )

    def corner(self, box: Box, worth: Mapping[int, float]) -> dict[int, Fraction]:
        """The row of the box where Σ p·worth is largest: filled up from the lower ends, what is worth most first."""
        row = {j: lo for j, lo, _ in box}
        spare = {j: hi - lo for j, lo, hi in box} | ({self.size: box.rest} if box.rest else {})
        left = 1 - sum(row.values(), Fraction(0))
        for j in sorted(spare, key=lambda j: -worth.get(j, 0.0)):
            share = min(left, spare[j])
            row[j] = row.get(j, Fraction(0)) + share
            left -= share
        return {j: p for j, p in row.items() if p}


def _fresh(name: str, taken: Sequence[str]) -> str:
    known = set(taken)
    while name in known:
        name += "'"
    return name


def _extreme(
    room: _Room, start: SparseRows, pair: Pair, question: Question, largest: bool, cancel: Cancel
) -> SparseRows:
    """Rows inside at which δ is large (small), as far as linear steps find them: all rows at once, or one by one."""
    best, alpha = start, float(question.at.above)
    value, slopes = _looked_at(room, best, pair, alpha, largest)
    sign = 1.0 if largest else -1.0
    for _ in range(ROUNDS):
        free = {i: slope for i, slope in slopes.items() if i not in room.enclosed}
        moved = {i: room.corner(room.box[i], {j: sign * s for j, s in slope.items()}) for i, slope in free.items()}
        alone = [{i: row} for i, row in moved.items() if row != best[i]][:ONE_BY_ONE]
        for goal, share in [(moved, share) for share in SHARES] + [(one, Fraction(1)) for one in alone]:
            if cancel.is_stopped():
                return best
            # A box is convex, so every step between two of its rows stays inside.
            rows = [_between(old, goal.get(i, old), share) for i, old in enumerate(best)]
            now, after = _looked_at(room, rows, pair, alpha, largest)
            if sign * (now - value) > 1e-12:
                best, value, slopes = rows, now, after
                break
        else:
            return best
    return best


def _between(old: Mapping[int, Fraction], new: Mapping[int, Fraction], share: Fraction) -> dict[int, Fraction]:
    if share == 1 or old == new:
        return dict(new)
    zero = Fraction(0)
    return {j: old.get(j, zero) * (1 - share) + new.get(j, zero) * share for j in {*old, *new}}


def _looked_at(
    room: _Room, rows: SparseRows, pair: Pair, alpha: float, largest: bool
) -> tuple[float, dict[int, dict[int, float]]]:
    """About δ, and its derivative by each probability: of the better direction, or of both where it is to be small."""
    ways = [_direction(room, rows, way, alpha) for way in (pair, pair[::-1])]
    best = max(ways, key=lambda one: one[0])
    if largest:
        return best
    # To be small both directions must be: a step along the slope of one alone may raise the other.
    both: dict[int, dict[int, float]] = {}
    for _, slopes in ways:
        for i, slope in slopes.items():
            for j, more in slope.items():
                both.setdefault(i, {})[j] = both.get(i, {}).get(j, 0.0) + more
    return best[0], both


@dataclass
class _Followed:
    w: dict[int, float]
    children: list[_Followed]

    def gap(self) -> float:
        pos = sum(value for value in self.w.values() if value > 0)
        return min(pos, pos - sum(self.w.values()))


def _direction(room: _Room, rows: SparseRows, way: Pair, alpha: float) -> tuple[float, dict[int, dict[int, float]]]:
    floats = [{j: float(p) for j, p in row.items()} for row in rows] + [{room.size: 1.0}]
    if room.labels[way[0]] != room.labels[way[1]] or way[0] == way[1]:
        return 0.0, {}
    root = _Followed({way[0]: 1.0, way[1]: -alpha}, [])
    heap, order = [(-root.gap(), 0, root)], [root]
    expanded = 0
    while heap and expanded < EXPANSIONS and -heap[0][0] > OPEN:
        _, _, node = heapq.heappop(heap)
        expanded += 1
        split: dict[str, dict[int, float]] = {}
        for i, mass in node.w.items():
            for j, p in floats[i].items():
                part = split.setdefault(room.labels[j], {})
                part[j] = part.get(j, 0.0) + mass * p
        for part in split.values():
            child = _Followed(part, [])
            node.children.append(child)
            heapq.heappush(heap, (-child.gap(), len(order), child))
            order.append(child)
    value, slopes = 0.0, dict[int, dict[int, float]]()
    worth: dict[int, dict[int, float]] = {}
    for node in reversed(order):  # a child comes after its parent
        if not node.children:
            total = sum(node.w.values())
            value += max(total, 0.0)
            worth[id(node)] = dict.fromkeys(node.w, 1.0 if total > 0 else 0.0)
            continue
        after: dict[int, float] = {}
        for child in node.children:
            after |= worth.pop(id(child))
        worth[id(node)] = {i: sum(p * after[j] for j, p in floats[i].items()) for i in node.w}
        for i, mass in node.w.items():
            if i < room.size:
                slope = slopes.setdefault(i, {})
                # Targets of probability 0 here count as well: a step may give them some.
                for j in {*(target for target, _, _ in room.box[i]), *floats[i]}:
                    slope[j] = slope.get(j, 0.0) + mass * after.get(j, 0.0)
    return value, slopes
