"""Probabilistic bisimilarity, exactly, and the quotient chain.

A partition is a *bisimulation* when states of one block have the same label and the same probability of moving
into any block [CMP18, Def. 8], under every input. The coarsest one is *bisimilarity*; bisimilar states have equal trace
measures, whatever is asked.

`bisimilarity` is partition refinement: a worklist of splitter blocks, each of which separates states by their
exact probability of moving into it; of the parts of a split block, the largest is not queued again, because
what a state sends there follows from what it sends to the whole and to the other parts. So every transition is
looked at O(log n) times: O(m log n) (Derisavi, Hermanns, Sanders 2003; Valmari, Franceschinis 2010). Parts are
told apart by hashing exact numbers, integers after scaling by the common denominator, so there is no tolerance
and no sorting.

A state with a box for a row has the same behaviour as another only where the box forces it: where all that it sends
into blocks are points. Equal boxes are not equal rows. `bisimilarity` leaves every state with a box by itself; a
partition that is given is checked by what boxes force. Boxes that enclose exact functions of e^(1/k) are points too:
what they send into blocks is compared by coefficients.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..cancel import Cancel, spend
from ..errors import InputError
from .chain import Chain
from .rows import AnyRow, PointRow, once_per_row

BlockWeight = int | Fraction
Incoming = list[list[tuple[int, int, BlockWeight]]]
"""For each state, (input, source, probability) of what enters it."""

PRIME = 2**127 - 1
FIRST_POINT = 0x9E3779B97F4A7C15F39CC0605CEDC835
SCALED_BITS = 4096
"""Up to this size of the common denominator, probabilities are scaled to integers; beyond, Fractions are faster."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """A chain with bisimilar states merged, and the maps both ways."""

    chain: Chain
    block: tuple[int, ...]
    """State of the original → state of the quotient."""
    members: tuple[tuple[int, ...], ...]
    """State of the quotient → its states in the original, in increasing order."""


def bisimilarity(chain: Chain, cancel: Cancel | None = None) -> tuple[int, ...]:
    """The block number of each state in the coarsest bisimulation; blocks are numbered by first occurrence.

    Raises Stopped when it is cancelled: half a refinement is no bisimulation.

    >>> twins = Chain.from_rows([[0, "1/2", "1/2"], [0, 1, 0], [0, 0, 1]], ["a", "b", "b"])
    >>> bisimilarity(twins)
    (0, 1, 1)
    """
    k = _common_root(chain)
    if k is None:
        return _refine(chain, _collect_incoming(chain), cancel)
    # Functions are told apart by what they are modulo a prime at one point: different ones may look equal there, though
    # hardly ever do, so that what comes out is checked from the definition. Equal ones are never told apart.
    point = FIRST_POINT
    while not is_bisimulation(chain, found := _refine(chain, _residues(chain, k, point), cancel, PRIME), cancel):
        point += 2
    return found


def _common_root(chain: Chain) -> int | None:
    """The least k such that all rows of functions are in powers of e^(1/k), whatever other rows are; None without."""
    roots = {row.functions.k for rows in chain.given for row in rows if row.functions is not None}
    return math.lcm(*roots) if roots else None


def _refine(chain: Chain, incoming: Incoming, cancel: Cancel | None, modulus: int = 0) -> tuple[int, ...]:
    """The coarsest partition that the weights do not split; they are residues, if there is a modulus."""
    boxed = [s for s, rows in enumerate(chain.given) if not all(row.comparable for row in rows)]
    apart = set(boxed)
    blocks: list[set[int]] = [left for states in chain.by_label.values() if (left := set(states) - apart)]
    blocks += [{state} for state in boxed]
    block_of = [0] * len(chain)
    for number, states in enumerate(blocks):
        for state in states:
            block_of[state] = number
    # All of them: the largest part may stay out only if the whole was, or will be, a splitter.
    worklist = set(range(len(blocks)))
    while worklist:
        if cancel is not None:
            cancel.check()
        # All inputs are weighed before anything is split: the splitter may be one of the blocks that it splits.
        for weight in _weights(blocks[worklist.pop()], incoming):
            worklist.update(_split_by(weight, blocks, block_of, modulus))
    return _number(block_of)


def _weights(
    splitter: Iterable[int], incoming: Sequence[Sequence[tuple[int, int, BlockWeight]]]
) -> Iterable[dict[int, BlockWeight]]:
    """What each state sends into the splitter, input by input; inputs that send nothing are left out."""
    weights: dict[int, dict[int, BlockWeight]] = {}
    for target in splitter:
        spend(3 * len(incoming[target]))
        for layer, source, probability in incoming[target]:
            weight = weights.get(layer)
            if weight is None:
                weight = weights[layer] = {}
            weight[source] = weight.get(source, 0) + probability
    return weights.values()


def _split_by(weight: dict[int, BlockWeight], blocks: list[set[int]], block_of: list[int], modulus: int) -> list[int]:
    """Split every block by the weight of its states; the numbers of the new blocks."""
    parts: dict[int, dict[BlockWeight, list[int]]] = {}
    for state, summed in weight.items():
        # Sums of residues are reduced once, here: only equality is asked.
        total = summed % modulus if modulus else summed
        parts.setdefault(block_of[state], {}).setdefault(total, []).append(state)
    fresh = []
    for number, by_weight in parts.items():
        fresh += _split(blocks, block_of, number, list(by_weight.values()))
    return fresh


def _collect_incoming(chain: Chain) -> Incoming:
    """For each state, (input, source, probability) of what enters it, probabilities times one common denominator."""
    # What a state with another row sends splits no block: it is by itself already.
    exact = [[row.fractions for row in rows if isinstance(row, PointRow) and row.fractions] for rows in chain.given]
    distinct = {p for rows in exact for row in rows for _, p in row}
    scale = 1
    for p in distinct:
        scale = math.lcm(scale, p.denominator)
        if scale.bit_length() > SCALED_BITS:
            break
    scaled: dict[Fraction, int | Fraction]
    if scale.bit_length() > SCALED_BITS:
        scaled = {p: p for p in distinct}
    else:
        scaled = {p: p.numerator * (scale // p.denominator) for p in distinct}
    incoming: Incoming = [[] for _ in range(len(chain))]
    for source, rows in enumerate(exact):
        for layer, row in enumerate(rows):
            spend(10 * len(row))
            for target, p in row:
                incoming[target].append((layer, source, scaled[p]))
    return incoming


def _residues(chain: Chain, k: int, point: int) -> Incoming:
    """As `_collect_incoming`, each probability as a function of X = e^(1/k) modulo `PRIME` at X = ``point``."""

    def at(coefficients: Sequence[int], x: int) -> int:
        value = 0
        for c in reversed(coefficients):
            value = (value * x + c) % PRIME
        return value

    @once_per_row
    def residues(row: AnyRow) -> list[tuple[int, int]]:
        # What a state with such a row sends splits no block: it is by itself already. One of the inputs of a state
        # that is may be exact; it splits no more than need be.
        if not row.comparable:
            return []
        if row.functions is None:
            return [(j, p.numerator * pow(p.denominator, PRIME - 2, PRIME) % PRIME) for j, p in row.fractions or ()]
        x = pow(point, k // row.functions.k, PRIME)
        # A denominator that vanishes there makes every weight 0: wrong, and noticed.
        inverse = pow(at(row.functions.bottom, x), PRIME - 2, PRIME)
        return [(j, at(top, x) * inverse % PRIME) for j, top in row.functions.tops]

    incoming: Incoming = [[] for _ in range(len(chain))]
    for source, rows in enumerate(chain.given):
        for layer, row in enumerate(rows):
            spend(100 * len(row))
            for target, weight in residues(row):
                incoming[target].append((layer, source, weight))
    return incoming


def _split(blocks: list[set[int]], block_of: list[int], number: int, parts: list[list[int]]) -> list[int]:
    """Split a block into ``parts`` and the rest; the largest keeps the number. Returns the new numbers.

    Costs O(states in parts): the rest is moved only when it is smaller than some part.
    """
    block = blocks[number]
    rest = len(block) - sum(map(len, parts))
    largest = max(parts, key=len)
    # States that are in no part send nothing into the splitter: they are one more part, the rest.
    if rest == 0 and len(parts) == 1:
        return []
    if rest < len(largest):
        parts.remove(largest)
        if rest > 0:
            moved = set(largest).union(*parts)
            parts.append([state for state in block if state not in moved])
    fresh = []
    for part in parts:
        block.difference_update(part)
        for state in part:
            block_of[state] = len(blocks)
        fresh.append(len(blocks))
        blocks.append(set(part))
    return fresh


def _number(block_of: Sequence[int]) -> tuple[int, ...]:
    order: dict[int, int] = {}
    return tuple(order.setdefault(block, len(order)) for block in block_of)


def is_bisimulation(chain: Chain, partition: Sequence[int], cancel: Cancel | None = None) -> bool:
    """Whether the partition (a block number for each state) is a bisimulation: checked from the definition."""
    if len(partition) != len(chain):
        raise InputError(f"a partition of {len(partition)} states for a chain of {len(chain)}")
    size = Counter(partition)
    profile: dict[int, tuple[str, list[AnyRow]]] = {}

    @once_per_row
    def merge(row: AnyRow) -> AnyRow:
        if cancel is not None:
            cancel.check()  # rows may be long, and their numbers too
        return row.merge(partition)

    for state, block in enumerate(partition):
        into = list(map(merge, chain.given[state]))
        if not all(row.comparable for row in into) and size[block] > 1:
            return False
        mine = (chain.labels[state], into)
        if profile.setdefault(block, mine) != mine:
            return False
    return True


def keep_apart(chain: Chain) -> Quotient:
    """The chain as its own quotient: every state is a block, which is a bisimulation without looking at any row."""
    return Quotient(chain, tuple(range(len(chain))), tuple((state,) for state in range(len(chain))))


def quotient_in_time(chain: Chain, cancel: Cancel) -> Quotient:
    """Bisimilar states merged, if there is time for it; where it is cancelled, every state stays as it is."""
    return cancel.attempt(lambda: quotient(chain, cancel=cancel)) or keep_apart(chain)


def quotient(chain: Chain, partition: Sequence[int] | None = None, cancel: Cancel | None = None) -> Quotient:
    """The chain with each block merged into one state, which is named after its first member.

    ``partition`` defaults to `bisimilarity`; one that is given is checked to be a bisimulation. Trace measures
    are kept; the relation is mapped along. Raises Stopped when it is cancelled.
    """
    if partition is None:
        block = bisimilarity(chain, cancel)
    else:
        block = _number(partition)
        if not is_bisimulation(chain, block):
            raise InputError("the partition given is not a bisimulation: states of one block differ in label or row")
    members: list[list[int]] = [[] for _ in range(max(block) + 1)]
    for state, number in enumerate(block):
        members[number].append(state)
    if len(members) == len(chain) and all(state == number for state, number in enumerate(block)):
        return keep_apart(chain)

    @once_per_row
    def merged_row(row: AnyRow) -> AnyRow:
        if cancel is not None:
            cancel.check()  # rows may be long, and their numbers too
        return row.merge(block)

    merged = replace(
        chain,
        states=tuple(chain.states[group[0]] for group in members),
        labels=tuple(chain.labels[group[0]] for group in members),
        given=tuple(tuple(map(merged_row, chain.given[group[0]])) for group in members),
        relation=tuple((block[i], block[j]) for i, j in chain.relation),
        valuations=None if chain.valuations is None else tuple(chain.valuations[group[0]] for group in members),
    )
    return Quotient(merged, block, tuple(map(tuple, members)))
