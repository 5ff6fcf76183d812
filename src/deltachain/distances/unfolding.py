"""Why a distance is what it is: its optimal flows, unfolded from one pair, so that what they pay adds up to it exactly.

An exact distance d has a strategy σ, one option for each pair with d > 0, and for each of these options a flow of cost
d(p) = Σ ω d + (what is paid at once), and d is the only solution of these equations that is zero on the zero set of σ
(docs/theory/fixed-points.md). So the flow can be followed from a pair to the pairs that it runs along, and from there
again. If N(p) is how much arrives at the pair p in all, N = e_root + Wᵀ N over the pairs that are followed, then

    d(root) = Σ_p N(p) · (what p pays at once + Σ ω d over its arcs to pairs that are not followed).

Both the table of these contributions and the tree, whose branches end where they are cut off or come back to a pair
above, add up to d(root), whatever is followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..model.chain import Pair
from ..model.words import total
from ..numbers.field import Exact
from .fixed_point import FixedPoint
from .improvement import ExactDistance
from .scalars import Scalars

ZERO, ONE = Fraction(0), Fraction(1)

MOST_PAIRS = 60
"""Pairs that are followed unless the caller says otherwise; what others add is said as a whole."""


@dataclass(frozen=True, slots=True)
class Matching:
    """An arc of a flow: ``amount`` of the first state's excess, matched with the second at ``value`` per unit."""

    pair: Pair
    amount: Exact
    value: Exact
    complement: bool = False
    """Whether it is a complement arc, which pays α − 1 per unit beside."""

    @property
    def share(self) -> Exact:
        """What it adds to the value of its pair."""
        return self.amount * self.value


@dataclass(frozen=True, slots=True)
class Payment:
    """What is paid at once: η at a state, or α − 1 per unit of a complement arc."""

    at: tuple[int, ...]
    amount: Exact


@dataclass(frozen=True)
class FlowStep:
    """The optimal flow of one pair, in the direction that attains its value.

    Attributes:
        pair: the states, the one that is told from the other first.
        input: the observer's choice, where there is one.
        value: the distance: the sum of all shares and payments.
        matched: along which pairs the flow runs.
        paid: what it pays at once.
    """

    pair: Pair
    input: str | None
    value: Exact
    matched: tuple[Matching, ...]
    paid: tuple[Payment, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """A part of the value: what reaches ``pair``, times what is paid or left there.

    Attributes:
        pair: the pair whose flow pays it.
        paid: where it is paid at once; None for what is ``left``.
        left: the pair whose distance is not followed further.
        reached: how much arrives at the pair in all.
        amount: the part of the value.
    """

    pair: Pair
    paid: tuple[int, ...] | None
    left: Pair | None
    reached: Exact
    amount: Exact


@dataclass(frozen=True)
class Branch:
    """A pair in the tree of a distance, reached along one path; the leaves' amounts add up to the root's value.

    Attributes:
        pair: the two states, in the direction of the flow that comes here.
        reached: how much arrives along this path.
        value: the distance of the pair.
        step: its flow, if it is followed further; None at a leaf.
        below: the branches of the arcs with a distance above 0.
        circles: whether the pair is one of those above, so that it is not followed again.
    """

    pair: Pair
    reached: Exact
    value: Exact
    step: FlowStep | None
    below: tuple[Branch, ...]
    circles: bool = False

    @property
    def amount(self) -> Exact:
        """What it adds to the root's value, with all that is below."""
        return self.reached * self.value

    def leaves(self) -> Iterator[Exact]:
        """What is paid at each branch, and what is left where it is not followed; in sum the root's value."""
        if self.step is None:
            yield self.amount
            return
        yield from (self.reached * payment.amount for payment in self.step.paid)
        for branch in self.below:
            yield from branch.leaves()


class Unfolding:
    """The optimal flows of an exact distance, followed from one pair of different states of one label."""

    def __init__(self, solution: FixedPoint, root: Pair, most_pairs: int = MOST_PAIRS) -> None:
        if not isinstance(solution.proof, ExactDistance):
            raise TypeError("only an exact distance can be unfolded")
        self.solution, self.proof = solution, solution.proof
        self.space, self.kind = self.proof.space, solution.kind
        self._options = {self._node(int(self.space.pairs_of(option))): option for option in self.proof.lower.active}
        self._steps: dict[int, FlowStep | None] = {}
        self.root = root
        self.followed = self._follow(most_pairs)

    def _node(self, number: int) -> int:
        return self.kind.node(self.space, number)

    def _number(self, pair: Pair) -> int:
        found = self.space.pair_of_states(*pair)
        if found is None:
            raise ValueError("states of different labels have no flow")
        return self._node(found)

    def step(self, pair: Pair) -> FlowStep | None:
        """The optimal flow of a pair; None where the distance is 0."""
        node = self._number(pair)
        if node not in self._steps:
            option = self._options.get(node)
            self._steps[node] = None if option is None else self._read(option)
        return self._steps[node]

    def _read(self, option: int) -> FlowStep:
        space, flow = self.space, self.proof.flows[option]
        exactly, states = space.scalars.exactly, space.states
        number = int(space.pairs_of(option))
        u, v = (states[int(end[number])] for end in space.ends)
        matched, paid = [], []
        for i, j, amount in flow.arcs:
            if amount:
                matched.append(Matching((states[i], states[j]), exactly(amount), self.value((states[i], states[j]))))
        for i, j, amount in flow.complement:
            if amount:
                pair = states[i], states[j]
                matched.append(Matching(pair, exactly(amount), self.value(pair), complement=True))
                paid.append(Payment(pair, exactly(amount * (space.exact_alpha - space.scalars.one))))
        paid += [Payment((states[i],), exactly(amount)) for i, amount in flow.eta if amount]
        return FlowStep((u, v), space.input_of(option), self.value((u, v)), tuple(matched), tuple(paid))

    def value(self, pair: Pair) -> Exact:
        """The distance of a pair."""
        return self.solution[pair]

    def _follow(self, most: int) -> dict[int, FlowStep]:
        """The first pairs that the flows reach from the root, breadth first, with their flows."""
        found: dict[int, FlowStep] = {}
        waiting = [self.root]
        for pair in waiting:
            step, node = self.step(pair), self._number(pair)
            if step is None or node in found:
                continue
            if len(found) == most:
                break
            found[node] = step
            waiting += [arc.pair for arc in step.matched if arc.value]
        return found

    def is_left(self, pair: Pair) -> bool:
        """Whether a pair is not among those that are followed."""
        return self._number(pair) not in self.followed

    @cached_property
    def reached(self) -> Mapping[int, Exact]:
        """N: how much arrives in all at each pair that is followed, by the number of its node."""
        scalars: Scalars[Any] = self.space.scalars
        place = {node: row for row, node in enumerate(self.followed)}
        if not place:
            return {}
        rows: list[dict[int, Any]] = [{row: scalars.one} for row in range(len(place))]
        for node, step in self.followed.items():
            for arc in step.matched:
                target = place.get(self._number(arc.pair))
                if target is not None:
                    row = rows[target]
                    row[place[node]] = row.get(place[node], scalars.zero) - scalars.number(arc.amount)
        right = [scalars.one if node == self._number(self.root) else scalars.zero for node in place]
        solved = scalars.solve([{c: x for c, x in row.items() if x} for row in rows], right, None)
        return {node: scalars.exactly(value) for node, value in zip(place, solved, strict=True)}

    @cached_property
    def contributions(self) -> Sequence[Contribution]:
        """What adds up to the value of the root, largest first."""
        found: list[Contribution] = []
        for node, step in self.followed.items():
            arrived = self.reached[node]
            found += [Contribution(step.pair, p.at, None, arrived, arrived * p.amount) for p in step.paid]
            left = [arc for arc in step.matched if arc.value and self.is_left(arc.pair)]
            found += [Contribution(step.pair, None, arc.pair, arrived, arrived * arc.share) for arc in left]
        return sorted((part for part in found if part.amount), key=lambda part: -part.amount)

    @property
    def total(self) -> Exact:
        """The sum of all contributions: the value of the root."""
        return total(part.amount for part in self.contributions)

    def is_circling(self, step: FlowStep) -> bool:
        """Whether what a flow sends on comes back to its own pair."""
        seen: set[int] = set()
        waiting = [step]
        for one in waiting:
            for arc in one.matched:
                node = self._number(arc.pair)
                if node == self._number(step.pair) and arc.value:
                    return True
                below = self.step(arc.pair) if node not in seen else None
                seen.add(node)
                if below is not None and len(seen) <= MOST_PAIRS:
                    waiting.append(below)
        return False

    def tree(self, depth: int) -> Branch:
        """The flows unfolded to a depth; an arc back to a pair above is a leaf that circles."""

        def branch(pair: Pair, reached: Exact, above: frozenset[int], left: int) -> Branch:
            node, value = self._number(pair), self.value(pair)
            step = self.step(pair)
            if step is None or left == 0 or node in above:
                return Branch(pair, reached, value, None, (), circles=node in above)
            below = tuple(
                branch(arc.pair, reached * arc.amount, above | {node}, left - 1) for arc in step.matched if arc.value
            )
            return Branch(step.pair, reached, value, step, below)

        return branch(self.root, ONE, frozenset(), depth)
