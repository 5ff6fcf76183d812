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

Where rows are boxes there is a second root for each direction, u ≤ −(e_s − α⁻e_t), which bounds δ from above by
V(−u) and from below by 1 − α⁺ + V(u): the better one above (docs/theory/boxes.md). Then `first_order` and `corners`,
which know that the entries of a row move together, bound the direction as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...cancel import Cancel
from ...kernels.records import ENTRIES as HELD
from ...kernels.records import EXPANDED, Supports, Tables, Tree
from ...kernels.types import Ints32, Reals
from ...model import Chain
from ...model.chain import Pair
from ...numbers.fraction import ExpEpsilon
from ..limits.corners import CornerGrid, Corners, corner_grid
from ..limits.first_order import FirstOrder, first_order
from .grid import Gridded, on_grid, supports_of
from .levels import Machine, Walked, walk
from .tables import tables_of
from .tree import bits_for, grow, root_tree
from .vectors import PREFIX, EventVectors, find_vectors, raise_leaves

if TYPE_CHECKING:
    from ...distances.fixed_point import FixedPoint

Job = TypeVar("Job")

THREADS = 2
WORTH_A_THREAD = 2_000
"""Expansions of a job from which on it is run beside another: a smaller one is done before a thread has started."""
ENTRIES = 100_000_000
"""Entries of all leaves that the default budget makes room for."""
MOST_EXPANSIONS, FEWEST_EXPANSIONS = 300_000, 2_000
FEWEST_BITS = 16
"""Below this precision, that is for α above 2^44 or so, the engine has nothing to say."""
CORNERS, FIRST_ORDER = 48, (400, 1200)
"""With boxes: steps of the grid of `corners`, and expansions of the trees of `first_order`.

What rounds beliefs to the side of their bound grows with the tree, so that a small one may be better above.
"""
FINE_BITS = 30
"""A grid is walked until less than 2^-30 is open."""


def default_budget(chain: Chain) -> int:
    """Expansions that a search may take unless a number is given: they fit in memory, and take less than a minute."""
    labels = len(chain.alphabet)
    # An expansion replaces a belief by one for each label and input, each over the states of a label.
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
    turned: Direction | None = None
    """The second root, with boxes."""
    forms: list[FirstOrder | Corners] = field(default_factory=list)
    """Bounds of V at the root itself, with boxes."""

    @property
    def expansions(self) -> int:
        """How many beliefs the trees have expanded."""
        return int(self.tree.used[EXPANDED]) + (0 if self.turned is None else self.turned.expansions)

    @property
    def nodes(self) -> int:
        """How many beliefs were expanded, by the trees and by all else: what a budget limits."""
        others = sum(other.expanded for root in self.roots for other in root.others)
        return self.expansions + others

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
        """Whether every leaf of the trees is closed."""
        return int(self.tree.widest[0]) == 0 and (self.turned is None or self.turned.finished)

    @property
    def roots(self) -> list[Direction]:
        """This one, and the second root where there is one."""
        return [self] if self.turned is None else [self, self.turned]


class Forest:
    """The directions asked for, at one e^ε."""

    def __init__(
        self,
        chain: Chain,
        directions: Sequence[Pair],
        exp_epsilon: ExpEpsilon,
        distance: FixedPoint | None = None,
        tables: tuple[Tables, list[int]] | None = None,
        beside: Callable[[], Mapping[tuple[int, int], int]] = dict,
    ) -> None:
        self.chain, self.exp_epsilon = chain, exp_epsilon
        self.tables, self.order = tables or tables_of(chain)
        self.bits = bits_for(exp_epsilon.above, self.tables)
        self.place = {state: i for i, state in enumerate(self.order)}
        self.vectors = EventVectors(self.tables, beside)
        self._pool: dict[int, list[int]] = {}
        self._looked_at = 0
        self._known_supports: dict[Pair, Supports | None] = {}
        self.distance = distance
        self.known: dict[Pair, Direction] = {pair: self._take_root(pair) for pair in dict.fromkeys(directions)}

    def fit(self) -> int:
        """Expansions that fit in memory, if beliefs stay as sparse as they are: what to go on to, at most."""
        spent = sum(known.expansions for known in self.known.values())
        held = sum(int(known.tree.used[HELD]) for known in self._roots(self.known))
        return min(MOST_EXPANSIONS, ENTRIES * spent // max(held, 1))

    @property
    def usable(self) -> bool:
        """Whether the unit is fine enough to say anything."""
        return self.bits >= FEWEST_BITS

    def _take_root(self, pair: Pair) -> Direction:
        s, t = (self.place[state] for state in pair)
        # Where the engine has nothing to say the root is never looked at; it only has to fit.
        unit = 1 << self.bits if self.usable else 1
        above, below = (self.exp_epsilon.above, self.exp_epsilon.below) if self.usable else (Fraction(1), Fraction(1))
        # Rounded down, as every step is: m ≤ e_s − α⁺e_t in units.
        roots = [sorted([(s, unit), (t, math.floor(-above * unit))])]
        if self.tables.boxed:
            roots.append(sorted([(s, -unit), (t, math.floor(below * unit))]))
        first, *turned = (Direction(entries, root_tree(self.tables, entries)) for entries in roots)
        first.turned = turned[0] if turned else None
        return first

    def bounds(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """(lower, upper) for V(e_s − αe_t), certified."""
        if not self.usable:
            return Fraction(0), self.ceiling(pair)
        direction, unit = self.known[pair], 1 << self.bits
        lower = Fraction(direction.below, unit)
        upper = 1 - self.exp_epsilon.below + Fraction(direction.above, unit)
        if direction.turned is not None:
            lower = max(lower, 1 - self.exp_epsilon.above + Fraction(direction.turned.below, unit))
            upper = min(upper, Fraction(direction.turned.above, unit))
        for form in direction.forms:
            lower, upper = max(lower, form.lower), min(upper, form.upper)
        return lower, min(upper, self.ceiling(pair))

    def ceiling(self, pair: Pair) -> Fraction:
        """What a distance proves from above: 1 where there is none."""
        return Fraction(1) if self.distance is None else self.distance.fraction(pair)

    def add_levels(self, directions: Sequence[Pair], budget: int, acyclic: bool, cancel: Cancel) -> None:
        """Bound the directions by `levels`, within ``budget`` expansions each."""

        def task(direction: Direction) -> None:
            # One for each walk: it adds up what the walk has settled.
            machine = Machine(self.tables, self.bits)
            direction.others.append(walk(machine, direction.entries, budget, acyclic, cancel))

        _side_by_side(task, self._roots(directions), budget)

    def _roots(self, directions: Iterable[Pair]) -> list[Direction]:
        return [root for pair in directions for root in self.known[pair].roots]

    def add_grid(self, directions: Sequence[Pair], size: int, cancel: Cancel) -> None:
        """Bound the directions whose beliefs lie on two states by a `grid` of ``size`` directions."""
        if self.tables.boxed:
            return  # a grid joins beliefs below that may meet different rows; `corners` is for boxes
        supports = {pair: found for pair in directions if (found := self._supports(pair)) is not None}

        def task(pair: Pair) -> None:
            direction = self.known[pair]
            # Entries are by state, as are the two states of the first support.
            root = direction.entries[0][1], direction.entries[1][1]
            fine = 1 << max(self.bits - FINE_BITS, 0)
            found = on_grid(self.tables, supports[pair], root, size, fine, cancel)
            direction.others += [] if found is None else [found]

        _side_by_side(task, list(supports), WORTH_A_THREAD)  # each direction is stepped at many levels

    def _supports(self, pair: Pair) -> Supports | None:
        """The pairs of states that beliefs can lie on, if they are pairs; found once."""
        if pair not in self._known_supports:
            self._known_supports[pair] = supports_of(self.tables, *(i for i, _ in self.known[pair].entries))
        return self._known_supports[pair]

    def add_forms(self, directions: Sequence[Pair], grids: dict[Pair, CornerGrid | None], cancel: Cancel) -> None:
        """Bound the directions by `corners`, where beliefs lie on two states, and to `first_order`.

        ``grids`` serve every ε: they are made once.
        """
        for pair in directions:
            if pair not in grids and not cancel.is_stopped():
                made = corner_grid(self.chain, pair, CORNERS, cancel)
                grids |= {} if made is None and cancel.is_stopped() else {pair: made}
            if (grid := grids.get(pair)) is not None:
                self.known[pair].forms.append(grid.bound(self.exp_epsilon))
            for budget in () if cancel.is_stopped() else FIRST_ORDER:
                form = first_order(self.chain, pair, self.exp_epsilon, self.bits, budget, cancel)
                self.known[pair].forms.append(form)

    def grow(self, shares: dict[Pair, int], cancel: Cancel) -> None:
        """Expand each tree by its share."""
        late = cancel.make_ending()

        def task(root: tuple[Direction, int]) -> None:
            direction, share = root
            if late.is_stopped():  # a tree that never grew grows a little otherwise
                return
            direction.tree = grow(self.tables, direction.tree, share, cancel.is_stopped)

        shared = [
            (root, -(-share // len(self.known[pair].roots)))
            for pair, share in shares.items()
            for root in self.known[pair].roots
        ]
        _side_by_side(task, shared, max(shares.values(), default=0))

    def raise_lower(self, directions: Sequence[Pair], cancel: Cancel) -> None:
        """Bound the open leaves of these trees from below by event vectors."""
        roots = self._roots(self.known)
        trees = [(known.tree, self._root(known)) for known in roots]
        prefix = max((min(PREFIX, int(known.tree.used[EXPANDED])) for known in roots), default=0)
        # Vectors are made of the first expansions only, so they are sought
        # again only while trees are shorter than that.
        if prefix > self._looked_at:
            self._pool = find_vectors(self.vectors, trees)
            self._looked_at = prefix
        for known in self._roots(directions) if self._pool else ():  # one by one: products use both cores themselves
            known.chosen = raise_leaves(self.vectors, self._pool, known.tree, known.chosen, cancel.is_stopped)

    def _root(self, direction: Direction) -> Reals:
        """The root's belief over its label, in floats."""
        label = self.tables.label[direction.entries[0][0]]
        low, high = int(self.tables.first[label]), int(self.tables.first[label + 1])
        root = np.zeros(high - low)
        for state, value in direction.entries:
            root[state - low] += value
        return root


def _side_by_side(task: Callable[[Job], None], jobs: Sequence[Job], expansions: int) -> None:
    """Run the task for each direction, two at a time; the kernels release the interpreter lock.

    One after the other if none takes more than a few expansions.
    """
    if len(jobs) <= 1 or expansions < WORTH_A_THREAD:
        for job in jobs:
            task(job)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(task, jobs))
