"""The records of arrays that kernels take and fill. The caller makes them; kernels keep no reference."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .types import (
    ConstInts,
    ConstInts2,
    ConstInts32,
    ConstReals,
    ConstReals2,
    Flags,
    Ints,
    Ints2,
    Ints32,
    Ints32x2,
    Reals,
    Reals2,
)

NODES, ENTRIES, PLACES, EXPANDED = 0, 1, 2, 3
"""What `Tree.used` counts: nodes, values, state numbers of sparse beliefs, expansions."""


class Tables(NamedTuple):
    """A chain's rows in CSR form. State i under input a is row a·n + i, empty if the label of i does not offer a.

    Where a label has inputs, a counts them in the order of their names; where it has none, its one row is at a = 0.
    """

    first: ConstInts
    """The states of label b are first[b] … first[b+1] − 1."""
    label: ConstInts
    """The label of each state."""
    inputs: ConstInts
    """How many inputs the states of each label offer; 1 where they wait for none."""
    start: ConstInts
    """The arcs of row r are start[r] … start[r+1] − 1."""
    target: ConstInts32
    """The state that each arc leads to, ascending in a row."""
    low: ConstInts32
    """The numerator of each arc's probability, rounded down."""
    high: ConstInts32
    """The same, rounded up."""
    denominator: ConstInts
    """One per row; ``low`` and ``high`` are over it."""
    residue: ConstInts32
    """Each arc's probability modulo a prime, for guesses; 0 where there are boxes."""
    rest: ConstInts32
    """One per row, over its denominator: the most that may go to no target, rounded up."""
    boxed: bool
    """Whether some row is a box: then a step may lose more than rounding."""
    largest: int
    """A belief m is expanded only if Σ|m| is at most this: nothing leaves 64 bits."""


class Steps(NamedTuple):
    """A chain's rows as words are drawn from them, arcs by target; states of one label stand together."""

    first: ConstInts
    label: ConstInts
    start: ConstInts
    target: ConstInts32
    chance: ConstReals
    """The probability of each arc, as the nearest float."""
    bar: ConstInts
    """⌊2^62 · (the row's probabilities up to this arc, added up)⌋."""


Shape = Tables | Steps
"""What has states in order of their labels, and arcs."""


class Strata(NamedTuple):
    """Beliefs in integers: where a word may start."""

    label: ConstInts
    begin: ConstInts
    """Where the entries of each stratum start in ``values``."""
    spot: ConstInts
    """Where its states start in ``states``; −1 if it has an entry for every state of its label."""
    length: ConstInts
    sign: ConstInts
    """1 if |m^+| ≤ |m^-|, else −1: the belief is turned."""
    ends: ConstInts
    """Gaps, added up."""
    values: ConstInts
    states: ConstInts32


class Draft(NamedTuple):
    """What words are drawn by."""

    tickets: ConstInts
    """One for each word: what decides its stratum and its first hidden state."""
    bits: ConstInts2
    """One for each word and letter: what decides the next hidden state."""
    scales: ConstReals2
    """Rows (α above, α below) by which q is multiplied in the statistics."""
    tolerance: float
    """How near to each other the statistics are when a word ends."""
    error: float
    """What is subtracted from the statistics, for rounding."""
    checkpoints: ConstInts
    """Numbers of letters after which it is noted how far the statistics are apart."""


class Draws(NamedTuple):
    """What a batch of words says, and what it took."""

    below: Reals2
    """below[k, a] is at most the statistic from below of word k at the scale a."""
    beyond: Reals2
    """beyond[k, a] is at most 1 − the statistic from above."""
    letters: Ints
    arcs: Ints
    """Arcs visited, word by word."""
    apart: Reals2
    """apart[k, c]: how far the two statistics were apart after checkpoints[c] letters, about, at worst over scales."""


class Supports(NamedTuple):
    """Pairs of states that beliefs can lie on, and for each and each label the pair it leads to (or −1)."""

    states: ConstInts2
    after: ConstInts2


class Level(NamedTuple):
    """Beliefs of one depth in CSR form, entries by state."""

    start: Ints
    label: Ints
    states: Ints
    values: Ints


class Choice(NamedTuple):
    """Leaves of one label, the place of each one's vector, and the vectors there: integers, heights and numbers."""

    leaves: ConstInts
    which: ConstInts
    exact: ConstInts2
    heights: ConstInts
    numbers: ConstInts32


class Tree(NamedTuple):
    """The nodes by number; children of a node are neighbours and come after it. Node 0 is the root.

    What a step with boxes loses is a child too, without a belief: its label is −1, below it counts −lost, above +lost.
    """

    parent: Ints32
    """−1 for the root."""
    label: Ints32
    choice: Ints32
    """The input that leads from the parent to the node."""
    begin: Ints
    """The first child; 0 for a leaf."""
    children: Ints32
    """How many children."""
    below: Ints
    above: Ints
    own: Ints2
    """With boxes, (m·1)^+ and |m^-| of each node's own belief; empty without."""
    widest: Ints
    """The largest gap of a leaf that the node's bounds rest on."""
    favoured: Ints32
    """The input with the largest sum above, of an expanded node."""
    offset: Ints
    """Where the entries of a leaf start in ``values``; −1 once the node is expanded."""
    spot: Ints
    """Where its states start in ``states``; −1 if it has an entry for every state of its label."""
    length: Ints32
    """How many entries."""
    values: Ints
    states: Ints32
    order: Ints32
    """The expanded nodes, in the order of their expansion."""
    used: Ints
    """How much of these arrays is in use."""


class PairTables(NamedTuple):
    """The rows of the states of a `distances.pair_space.PairSpace` in CSR form, by target, and its labels.

    ``probability`` and ``raised``, which is α times it, are sums of two floats. ``value_id`` numbers the distinct
    probabilities exactly and ``tie[a]`` is the number of the probability that equals a/α exactly (or −1): x_i = α y_i
    is decided by numbers, not by floats.
    """

    indptr: ConstInts
    target: ConstInts
    probability: ConstReals2
    raised: ConstReals2
    value_id: ConstInts
    tie: ConstInts
    first: ConstInts
    """The first position of each label,"""
    size: ConstInts
    """how many it has,"""
    offset: ConstInts
    """and the number of its first pair."""
    block: ConstInts
    """The label of each position."""
    alpha: float


class Bases(NamedTuple):
    """Optimal bases of the steps of the options ``todo``: entries ``ptr[q]`` to ``ptr[q+1]`` belong to ``todo[q]``.

    An entry is a basic variable, with its amount: the arc (u, v) at a level ≥ 1, or η_u as (u, u, 0), or the slack of
    sink u as (u, u, −1).
    """

    todo: ConstInts
    value: Reals
    stopped: NDArray[np.bool_]
    """Where the simplex gave up: the basis is feasible, maybe not optimal."""
    radius: Reals
    """How far every cost may move, up or down, before another basis may be better."""
    ptr: Ints
    u: Ints32
    v: Ints32
    level: Ints32
    amount: Reals

    def entries(self, number: int) -> list[tuple[int, int, int]]:
        """The basic variables (u, v, level) of one basis."""
        span = slice(self.ptr[number], self.ptr[number + 1])
        return list(zip(self.u[span].tolist(), self.v[span].tolist(), self.level[span].tolist(), strict=True))


class Policy(NamedTuple):
    """A flow for each of the options ``todo``: arcs ``ptr[q]`` to ``ptr[q+1]``, and the constant part of its cost.

    An arc is the number of the pair that it cites, or the bitwise complement of that number for a complement arc,
    whose α − 1 per unit is in ``eta``.
    """

    todo: ConstInts
    ptr: Ints
    arc: Ints32
    weight: Reals
    eta: Reals


class NodeTable(NamedTuple):
    """Which node each pair is, −1 for pairs of distance zero, and the options of node x.

    Those are at the places ``place[head[x]:head[x+1]]`` of the policy.
    """

    of_pair: Ints32
    head: Ints
    place: Ints32


class System(NamedTuple):
    """The options of node x are ``head[x]:head[x+1]``, and the arcs of option o, to nodes, ``ptr[o]:ptr[o+1]``."""

    head: Ints
    ptr: Ints
    arc: Ints32
    weight: Reals
    eta: Reals


class Units(NamedTuple):
    """The unit 1/``unit``, and the rows and α in it. ``snap`` is the part of the unit that exact amounts lie on."""

    unit: int
    snap: float
    scale: int
    """unit / snap, or 1 without a snap."""
    x_up: Ints
    y_down: Ints
    top: int
    bottom: int
    """α = top/bottom where both are below 2^31; else bottom is 0 and the next three hold: α times 2^shift."""
    alpha_up: int
    alpha_down: int
    shift: int
    most: int


class WholeFlows(NamedTuple):
    """``whole`` amounts for the arcs of a policy, and for each of its options η + (α−1)Σω' from above, in units.

    ``constant`` is −1 where words do not fit; ``snapped`` where all amounts were met exactly.
    """

    units: Units
    whole: Ints
    constant: Ints
    snapped: NDArray[np.bool_]


class Users(NamedTuple):
    """Which options' flows use which pairs: a linked list of users for each pair, newest first.

    ``links`` has, for each entry, the next one, the user and the time. An entry holds as long as its user has not been
    given a newer flow. An option is *stale* if its flow uses a pair that is gone. ``marked`` is working space.
    """

    head: Ints32
    links: Ints32x2
    newest: Ints32
    stale: Flags
    marked: Flags
