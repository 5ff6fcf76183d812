"""The records of arrays that kernels take and fill. The caller makes them; kernels keep no reference."""

from typing import NamedTuple

from .types import ConstInts, ConstInts2, ConstInts32, ConstReals, ConstReals2, Ints, Ints32, Reals2

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
    """Each arc's probability modulo a prime, for guesses."""


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
    """The nodes by number; children of a node are neighbours and come after it. Node 0 is the root."""

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
