"""Certified intervals where belief graphs do not end (soon): signed beliefs in machine integers, by three recipes.

δ(s, t) is the larger of V(e_s − αe_t) and V(e_t − αe_s). For each direction,

- `levels` joins beliefs that point the same way: the end of chains whose beliefs meet again;
- `grid` rounds directions where beliefs lie on two hidden states;
- `tree` expands the widest belief first, whatever the chain, with event `vectors` below;
- a distance, where there is one, bounds it from above.

Directions and pairs share the tables and the event vectors, and are worked on side by side on two cores. What is
reached depends on the number of expansions alone, not on threads or time.

For ε, e^ε lies between two rationals. Beliefs start from the larger one, α⁺, which bounds δ from below; and
V(e_s − α⁻e_t) = 1 − α⁻ + V(−(e_s − α⁻e_t)) ≤ 1 − α⁻ + V(−(e_s − α⁺e_t)) bounds it from above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..cancel import Cancel
from ..kernels.records import ENTRIES as HELD
from ..kernels.records import EXPANDED, NODES, Supports, Tables, Tree
from ..kernels.types import Ints32, Reals
from ..model import Chain
from ..rational import ExpEpsilon
from .grid import Gridded, on_grid, supports_of
from .levels import Walked, walk
from .tables import tables_of
from .tree import bits_for, grow, root_tree
from .vectors import PREFIX, EventVectors, find_vectors, raise_leaves

if TYPE_CHECKING:
    from ..distances.fixed_point import FixedPoint

Pair = tuple[int, int]
"""(s, t): the direction from s against t, by state numbers of the quotient."""

THREADS = 2
ENTRIES = 100_000_000
"""Entries of all leaves that the default budget makes room for."""
MOST_EXPANSIONS, FEWEST_EXPANSIONS = 300_000, 2_000
FEWEST_BITS = 16
"""Below this precision, that is for α above 2^44 or so, the engine has nothing to say."""
FINE_BITS = 30
"""A grid is walked until less than 2^-30 is open."""


def default_budget(chain: Chain) -> int:
    """Expansions that a search may take unless a number is given: they fit in memory, and take less than a minute."""
    labels = len(chain.alphabet)
    grows = max(1, (labels * chain.layers - 1) * -(-len(chain) // labels))
    return max(FEWEST_EXPANSIONS, min(MOST_EXPANSIONS, ENTRIES // grows))


@dataclass
class Direction:
    """What is known of one direction: its tree, the vector each leaf is bounded by (0: its mass), and other recipes."""

    entries: list[tuple[int, int]]
    """The root: (state, integer)."""
    tree: Tree
    chosen: Ints32 = field(default_factory=lambda: np.zeros(1, np.int32))
    others: list[Walked | Gridded] = field(default_factory=list)

    @property
    def expansions(self) -> int:
        """How many beliefs the tree has expanded."""
        return int(self.tree.used[EXPANDED])

    @property
    def nodes(self) -> int:
        """How many beliefs were met."""
        return int(self.tree.used[NODES]) + sum(other.expanded for other in self.others)

    def best_below(self) -> Walked | Gridded | None:
        """The recipe with the best lower bound; None for the tree."""
        better = [other for other in self.others if other.below > int(self.tree.below[0])]
        return max(better, key=lambda other: other.below, default=None)

    def best_above(self) -> Walked | Gridded | None:
        """The recipe with the best upper bound; None for the tree."""
        better = [other for other in self.others if other.above < int(self.tree.above[0])]
        return min(better, key=lambda other: other.above, default=None)

    @property
    def below(self) -> int:
        """V(m) ≥ below, for the root m."""
        return max(int(self.tree.below[0]), *(other.below for other in self.others), 0)

    @property
    def above(self) -> int:
        """V(−m) ≤ above."""
        return min([int(self.tree.above[0]), *(other.above for other in self.others)])

    @property
    def finished(self) -> bool:
        """Whether every leaf of the tree is closed."""
        return int(self.tree.widest[0]) == 0


class Forest:
    """The directions asked for, at one e^ε."""

    def __init__(
        self,
        chain: Chain,
        directions: Sequence[Pair],
        exp_epsilon: ExpEpsilon,
        distance: FixedPoint | None = None,
        tables: tuple[Tables, list[int]] | None = None,
    ) -> None:
        self.chain, self.exp_epsilon = chain, exp_epsilon
        self.bits = bits_for(exp_epsilon.above.numerator, exp_epsilon.above.denominator)
        self.tables, self.order = tables or tables_of(chain)
        self.place = {state: i for i, state in enumerate(self.order)}
        self.vectors = EventVectors(self.tables)
        self._pool: dict[int, list[int]] = {}
        self._looked_at = 0
        self._known_supports: dict[Pair, Supports | None] = {}
        self.distance = distance
        self.known: dict[Pair, Direction] = {pair: self._rooted(pair) for pair in dict.fromkeys(directions)}

    def fitting(self) -> int:
        """Expansions that fit in memory, if beliefs stay as sparse as they are: what to go on to, at most."""
        spent = sum(known.expansions for known in self.known.values())
        held = sum(int(known.tree.used[HELD]) for known in self.known.values())
        return min(MOST_EXPANSIONS, ENTRIES * spent // max(held, 1))

    @property
    def usable(self) -> bool:
        """Whether the unit is fine enough to say anything."""
        return self.bits >= FEWEST_BITS

    def _rooted(self, pair: Pair) -> Direction:
        s, t = (self.place[state] for state in pair)
        # Where the engine has nothing to say the root is never looked at; it only has to fit.
        alpha, unit = (self.exp_epsilon.above, 1 << self.bits) if self.usable else (Fraction(1), 1)
        entries = sorted([(s, unit), (t, -alpha.numerator * unit // alpha.denominator)])
        return Direction(entries, root_tree(self.tables, entries))

    def bounds(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """(lower, upper) for V(e_s − αe_t), certified."""
        if not self.usable:
            return Fraction(0), self.ceiling(pair)
        direction, unit = self.known[pair], 1 << self.bits
        upper = max(Fraction(0), 1 - self.exp_epsilon.below + Fraction(direction.above, unit))
        return Fraction(direction.below, unit), min(upper, self.ceiling(pair))

    def ceiling(self, pair: Pair) -> Fraction:
        """What a distance proves from above: 1 where there is none."""
        return Fraction(1) if self.distance is None else self.distance[pair]

    def add_levels(self, directions: Sequence[Pair], budget: int, acyclic: bool, cancel: Cancel) -> None:
        """Bound the directions by `levels`, within ``budget`` expansions each."""

        def task(pair: Pair) -> None:
            direction = self.known[pair]
            direction.others.append(walk(self.tables, direction.entries, budget, self.bits, acyclic, cancel))

        _side_by_side(task, directions)

    def add_grid(self, directions: Sequence[Pair], size: int, cancel: Cancel) -> None:
        """Bound the directions whose beliefs lie on two states by a `grid` of ``size`` directions."""
        supports = {pair: found for pair in directions if (found := self._supports(pair)) is not None}

        def task(pair: Pair) -> None:
            direction = self.known[pair]
            root = direction.entries[0][1], direction.entries[1][1]
            fine = 1 << max(self.bits - FINE_BITS, 0)
            found = on_grid(self.tables, supports[pair], root, size, fine, cancel)
            direction.others += [] if found is None else [found]

        _side_by_side(task, list(supports))

    def _supports(self, pair: Pair) -> Supports | None:
        """The pairs of states that beliefs can lie on, if they are pairs; found once."""
        if pair not in self._known_supports:
            self._known_supports[pair] = supports_of(self.tables, *(i for i, _ in self.known[pair].entries))
        return self._known_supports[pair]

    def grow(self, shares: dict[Pair, int], cancel: Cancel) -> None:
        """Expand each tree by its share."""

        def task(pair: Pair) -> None:
            direction = self.known[pair]
            direction.tree = grow(self.tables, direction.tree, shares[pair], cancel.stopped)

        _side_by_side(task, list(shares))

    def raise_lower(self, directions: Sequence[Pair], cancel: Cancel) -> None:
        """Bound the open leaves of these trees from below by event vectors."""
        trees = [(known.tree, self._root(known)) for known in self.known.values()]
        prefix = max((min(PREFIX, known.expansions) for known in self.known.values()), default=0)
        if prefix > self._looked_at:
            self._pool = find_vectors(self.vectors, trees)
            self._looked_at = prefix
        for pair in directions if self._pool else ():  # one by one: the products use both cores themselves
            known = self.known[pair]
            known.chosen = raise_leaves(self.vectors, self._pool, known.tree, known.chosen, cancel.stopped)

    def _root(self, direction: Direction) -> Reals:
        """The root's belief over its label, in floats."""
        label = self.tables.label[direction.entries[0][0]]
        low, high = int(self.tables.first[label]), int(self.tables.first[label + 1])
        root = np.zeros(high - low)
        for state, value in direction.entries:
            root[state - low] += value
        return root


def _side_by_side(task: Callable[[Pair], None], directions: Sequence[Pair]) -> None:
    """Run the task for each direction, two at a time; the kernels release the interpreter lock."""
    if len(directions) <= 1:
        for pair in directions:
            task(pair)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(task, directions))
