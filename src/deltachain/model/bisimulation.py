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
from dataclasses import dataclass
from fractions import Fraction

from ..cancel import Cancel
from ..errors import InputError
from .boxes import AnyRow, BoxRow, added, once_per_row, trimmed
from .chain import Chain

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
    incoming = _incoming(chain)
    boxed = [] if chain.base is not None else list(_boxed(chain))
    apart = set(boxed)
    blocks: list[set[int]] = [left for states in chain.by_label.values() if (left := set(states) - apart)]
    blocks += [{state} for state in boxed]
    block_of = [0] * len(chain)
    for number, states in enumerate(blocks):
        for state in states:
            block_of[state] = number
    worklist = set(range(len(blocks)))
    while worklist:
        if cancel is not None:
            cancel.check()
        for weight in _weights(blocks[worklist.pop()], incoming):
            worklist.update(_split_by(weight, blocks, block_of))
    return _numbered(block_of)


def _boxed(chain: Chain) -> Iterable[int]:
    return (s for s, rows in enumerate(chain.given) if any(isinstance(row, BoxRow) for row in rows))


class _Sum(tuple[int, ...]):
    """A polynomial in X that is added to others, and told apart by its coefficients."""

    __slots__ = ()

    def __add__(self, other: object) -> _Sum:
        return _Sum(trimmed(added([self, other]))) if isinstance(other, _Sum) else self

    __radd__ = __add__


def _weights(
    splitter: Iterable[int], incoming: Sequence[Sequence[tuple[int, int, int | Fraction]]]
) -> Iterable[dict[int, int | Fraction]]:
    """What each state sends into the splitter, input by input; inputs that send nothing are left out."""
    weights: dict[int, dict[int, int | Fraction]] = {}
    for target in splitter:
        for layer, source, probability in incoming[target]:
            weight = weights.get(layer)
            if weight is None:
                weight = weights[layer] = {}
            weight[source] = weight.get(source, 0) + probability
    return weights.values()


def _split_by(weight: dict[int, int | Fraction], blocks: list[set[int]], block_of: list[int]) -> list[int]:
    """Split every block by the weight of its states; the numbers of the new blocks."""
    parts: dict[int, dict[int | Fraction, list[int]]] = {}
    for state, total in weight.items():
        parts.setdefault(block_of[state], {}).setdefault(total, []).append(state)
    fresh = []
    for number, by_weight in parts.items():
        fresh += _split(blocks, block_of, number, list(by_weight.values()))
    return fresh


def _incoming(chain: Chain) -> list[list[tuple[int, int, int | Fraction]]]:
    """For each state, (input, source, probability) of what enters it, probabilities times one common denominator."""
    if chain.base is not None:
        from .polynomials import polynomial_moves  # brings flint, which rational rows do without

        _, moves = polynomial_moves(chain, chain.base)
        functions: list[list[tuple[int, int, int | Fraction]]] = [[] for _ in range(len(chain))]
        for source, inputs in enumerate(moves):
            for layer, tops in enumerate(inputs):
                for target, top in tops:
                    weight = _Sum(trimmed(tuple(map(int, top.coeffs()))))
                    functions[target].append((layer, source, weight))  # type: ignore[arg-type]  # it adds and compares
        return functions
    # What a state with a box sends splits no block: it is by itself already.
    exact = [[row for row in rows if not isinstance(row, BoxRow)] for rows in chain.given]
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
    incoming: list[list[tuple[int, int, int | Fraction]]] = [[] for _ in range(len(chain))]
    for source, rows in enumerate(exact):
        for layer, row in enumerate(rows):
            for target, p in row:
                incoming[target].append((layer, source, scaled[p]))
    return incoming


def _split(blocks: list[set[int]], block_of: list[int], number: int, parts: list[list[int]]) -> list[int]:
    """Split a block into ``parts`` and the rest; the largest keeps the number. Returns the new numbers.

    Costs O(states in parts): the rest is moved only when it is smaller than some part.
    """
    block = blocks[number]
    rest = len(block) - sum(map(len, parts))
    largest = max(parts, key=len)
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


def _numbered(block_of: Sequence[int]) -> tuple[int, ...]:
    order: dict[int, int] = {}
    return tuple(order.setdefault(block, len(order)) for block in block_of)


def is_bisimulation(chain: Chain, partition: Sequence[int]) -> bool:
    """Whether the partition (a block number for each state) is a bisimulation: checked from the definition."""
    if len(partition) != len(chain):
        raise InputError(f"a partition of {len(partition)} states for a chain of {len(chain)}")
    size = Counter(partition)
    profile: dict[int, tuple[str, list[AnyRow]]] = {}
    for state, block in enumerate(partition):
        into = [_into_blocks(row, partition) for row in chain.given[state]]
        if any(isinstance(row, BoxRow) and row.exact is None for row in into) and size[block] > 1:
            return False
        mine = (chain.labels[state], into)
        if profile.setdefault(block, mine) != mine:
            return False
    return True


def _into_blocks(row: AnyRow, partition: Sequence[int]) -> AnyRow:
    """The row of what is sent into each block: points, where the row or the box forces them."""
    if isinstance(row, BoxRow):
        return row.merged(partition)
    into: dict[int, Fraction] = {}
    for target, p in row:
        into[partition[target]] = into.get(partition[target], Fraction(0)) + p
    return tuple(sorted(into.items()))


def unmerged(chain: Chain) -> Quotient:
    """The chain as its own quotient: every state is a block, which is a bisimulation without looking at any row."""
    return Quotient(chain, tuple(range(len(chain))), tuple((state,) for state in range(len(chain))))


def quotient(chain: Chain, partition: Sequence[int] | None = None, cancel: Cancel | None = None) -> Quotient:
    """The chain with each block merged into one state, which is named after its first member.

    ``partition`` defaults to `bisimilarity`; one that is given is checked to be a bisimulation. Trace measures
    are kept; the relation is mapped along. Raises Stopped when it is cancelled.
    """
    if partition is None:
        block = bisimilarity(chain, cancel)
    else:
        block = _numbered(partition)
        if not is_bisimulation(chain, block):
            raise InputError("the partition given is not a bisimulation: states of one block differ in label or row")
    members: list[list[int]] = [[] for _ in range(max(block) + 1)]
    for state, number in enumerate(block):
        members[number].append(state)
    if len(members) == len(chain) and all(state == number for state, number in enumerate(block)):
        return unmerged(chain)

    @once_per_row
    def merged_row(row: AnyRow) -> AnyRow:
        if cancel is not None:
            cancel.check()  # rows may be long, and their numbers too
        return _into_blocks(row, block)

    merged = Chain(
        tuple(chain.states[group[0]] for group in members),
        tuple(chain.labels[group[0]] for group in members),
        tuple(tuple(map(merged_row, chain.given[group[0]])) for group in members),
        tuple((block[i], block[j]) for i, j in chain.relation),
        None if chain.valuations is None else tuple(chain.valuations[group[0]] for group in members),
        chain.inputs,
        chain.confidence,
    )
    return Quotient(merged, block, tuple(map(tuple, members)))
