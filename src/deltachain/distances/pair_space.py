"""The ordered same-label pairs that a distance is computed on, numbered, and the chain's rows as arrays.

States are renumbered label by label (a *block* each), so that d is a row of dense square blocks, one per label:
pairs of different labels have distance 1 and are never stored. Pair numbers index every array of the package.

Where the observer chooses inputs, a state has a row for each, and a pair a step for each: an *option* is an ordered
pair and the number k of an input. It has the number k·P + pair, P the number of pairs, so that without inputs options
and pairs are one. Rows are numbered likewise, k·n + position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar, overload

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from ..cancel import spend
from ..kernels import PairRows
from ..kernels.records import PairTables
from ..kernels.types import Ints, Ints32
from ..model import Chain
from ..numbers.field import Exact
from .scalars import RATIONALS, Scalars, V

Mask = NDArray[np.bool_]
Number = TypeVar("Number", bound=np.generic)


def relevant_states(chain: Chain, pairs: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The states whose pairs can matter for the distances of ``pairs``, and the states of ``pairs``.

    One step from (s, t) looks at pairs of successors and, through stepping stones, at any pair of a label that a
    successor carries [CMP18: f ranges over all of S]. So a label matters as soon as a successor carries it, and
    then all of its states do. The label of an asked pair matters only if it is reached again.
    """
    starts = {state for pair in pairs for state in pair}
    kept: set[int] = set()
    labels: set[str] = set()
    stack = list(starts)
    # Once every label matters, there is nothing left to find.
    while stack and len(labels) < len(chain.by_label):
        for target in [target for row in chain.given[stack.pop()] for target, *_ in row]:
            label = chain.labels[target]
            if label not in labels:
                labels.add(label)
                fresh = set(chain.by_label[label]) - kept
                kept |= fresh
                stack.extend(fresh)
    return tuple(sorted(kept | starts))


@dataclass(frozen=True)
class PairSpace(Generic[V]):
    """Same-label ordered pairs over ``states`` (numbers of the chain), with the rows as CSR arrays.

    Positions are indices into ``states``; positions of one label are consecutive. The pair (u, v) of positions in
    block L has the number ``offset[L] + (u − first[L]) · size[L] + (v − first[L])``.
    """

    chain: Chain
    scalars: Scalars[V]
    exact_alpha: V
    states: tuple[int, ...]
    first: Ints
    size: Ints
    offset: Ints
    block: Ints
    discount: Fraction = Fraction(1)

    @staticmethod
    def of(chain: Chain, alpha: Fraction, states: Iterable[int] | None = None) -> PairSpace[fmpq]:
        """The space of a chain of fractions at a rational α; see `over`."""
        chain.moves  # noqa: B018  # it refuses other chains by name
        return PairSpace.over(chain, RATIONALS, alpha, states)

    @staticmethod
    def over(
        chain: Chain,
        scalars: Scalars[V],
        alpha: Exact,
        states: Iterable[int] | None = None,
        *,
        discount: Fraction = Fraction(1),
    ) -> PairSpace[V]:
        """All same-label pairs over ``states`` (default: all states), a set closed as `relevant_states` is.

        ``scalars`` are the numbers of the chain's rows, and α is one of them. With a discount β, rows have β of their
        mass: a step is linear in them, so it counts β times.
        """
        chosen = range(len(chain)) if states is None else states
        rank = {label: i for i, label in enumerate(chain.alphabet)}
        ordered = sorted(chosen, key=lambda s: (rank[chain.labels[s]], s))
        labels = [rank[chain.labels[s]] for s in ordered]
        _, first, block, size = np.unique(
            np.array(labels, np.int64), return_index=True, return_inverse=True, return_counts=True
        )
        offset = np.concatenate(([0], np.cumsum(size.astype(np.int64) ** 2)))
        places = first.astype(np.int64), size.astype(np.int64), offset, block.astype(np.int64)
        return PairSpace(chain, scalars, scalars.number(alpha), tuple(ordered), *places, discount=discount)

    def __len__(self) -> int:
        """The number of ordered same-label pairs, the diagonal included."""
        return int(self.offset[-1])

    @cached_property
    def position(self) -> dict[int, int]:
        """State of the chain → its position."""
        return {state: i for i, state in enumerate(self.states)}

    def pair(self, u: int, v: int) -> int:
        """The number of the pair of positions (u, v), which carry the same label."""
        return self._line[u] + v

    @cached_property
    def _line(self) -> list[int]:
        """Pair number of (u, v) minus v, for each position u."""
        b = self.block
        u = np.arange(len(self.states))
        line: list[int] = (self.offset[b] + (u - self.first[b]) * self.size[b] - self.first[b]).tolist()
        return line

    def block_positions(self, u: int) -> range:
        """The positions that carry the label of position u."""
        b = self.block[u]
        return range(int(self.first[b]), int(self.first[b] + self.size[b]))

    def pair_of_states(self, s: int, t: int) -> int | None:
        """The number of the pair of chain states (s, t), or None if their labels differ."""
        u, v = self.position[s], self.position[t]
        return self.pair(u, v) if self.block[u] == self.block[v] else None

    @cached_property
    def ends(self) -> tuple[Ints32, Ints32]:
        """Arrays u, v: the two positions of each pair number."""
        blocks = [np.arange(f, f + m, dtype=np.int32) for f, m in zip(self.first, self.size, strict=True)]
        none = np.empty(0, np.int32)
        us, vs = [np.repeat(block, len(block)) for block in blocks], [np.tile(block, len(block)) for block in blocks]
        return np.concatenate([none, *us]), np.concatenate([none, *vs])

    @cached_property
    def swapped(self) -> Ints:
        """Pair number of (v, u) for each pair number of (u, v)."""
        u, v = self.ends
        found: Ints = np.array(self._line, np.int64)[v] + u
        return found

    @cached_property
    def off_diagonal(self) -> Ints:
        """The numbers of the pairs (u, v), u ≠ v."""
        u, v = self.ends
        return np.flatnonzero(u != v)

    # Options.

    @cached_property
    def choices(self) -> Ints:
        """The number of inputs of each block, 1 where there is no choice."""
        return np.array([len(self.chain.given[self.states[f]]) for f in self.first.tolist()], np.int64)

    @cached_property
    def layers(self) -> int:
        """The largest number of inputs of any block."""
        return int(self.choices.max(initial=1))

    @cached_property
    def single_arcs(self) -> bool:
        """Whether flows run along single arcs: at α = 1 with inputs, where stepping stones would be unsafe.

        The distance is the same, since it is a pseudometric there; but only with single arcs is it attained by one
        option for each pair (docs/theory/fixed-points.md, α = 1 with inputs).
        """
        return self.at_one and self.layers > 1

    def options_of(self, mask: Mask) -> Ints:
        """The options of the pairs of a mask, in increasing order."""
        if self.layers == 1:
            return np.flatnonzero(mask)
        choices = np.repeat(self.choices, self.size**2)
        spend(len(self) * self.layers // 4)
        parts = [np.flatnonzero(mask & (choices > k)) + k * len(self) for k in range(self.layers)]
        return np.concatenate(parts)

    @cached_property
    def off_diagonal_options(self) -> Ints:
        """The options of the pairs (u, v), u ≠ v."""
        u, v = self.ends
        return self.options_of(u != v)

    def options_of_pair(self, pair: int) -> list[int]:
        """The options of one pair, in the order of the inputs."""
        block = int(self.block[self.ends[0][pair]])
        return [pair + k * len(self) for k in range(int(self.choices[block]))]

    @overload
    def pairs_of(self, options: int) -> int: ...
    @overload
    def pairs_of(self, options: Ints) -> Ints: ...
    def pairs_of(self, options: int | Ints) -> int | Ints:
        """The pair number of an option, or of each of some."""
        return options if self.layers == 1 else options % len(self)

    def rows_of(self, options: Ints) -> tuple[Ints32, Ints32]:
        """The numbers of the two rows of each option."""
        u, v = self.ends
        if self.layers == 1:
            return u[options], v[options]
        pair, layer = np.divmod(options, len(self))[::-1]
        shift = (layer * len(self.states)).astype(np.int32)
        return u[pair] + shift, v[pair] + shift

    def input_of(self, option: int) -> str | None:
        """The name of the option's input, None where there is no choice."""
        u = int(self.ends[0][option % len(self)])
        return self.chain.offered(self.states[u])[option // len(self)]

    def squares(self, values: NDArray[Number]) -> list[NDArray[Number]]:
        """``values`` (one for each pair) as a list of square views, one per label."""
        return [values[o : o + m * m].reshape(m, m) for o, m in zip(self.offset[:-1], self.size, strict=True)]

    # The rows, exactly and for kernels.

    @cached_property
    def rows(self) -> list[list[tuple[int, V]]]:
        """The exact rows by number, sorted by position of the target; a state with fewer inputs has its last one again.

        Targets outside the space do not occur for states whose pairs are asked or matter, by closure.
        """
        result = []
        for k in range(self.layers):
            for state in self.states:
                moves = self.chain.given[state]
                spend(20 * sum(map(len, moves)))
                # Labels of fewer inputs repeat their last row, so that rows are numbered k·n + position; no option asks
                # for it.
                entries = self.scalars.entries(moves[min(k, len(moves) - 1)])
                row = [(self.position[target], p) for target, p in entries]
                if self.discount != 1:
                    scale = self.scalars.number(self.discount)
                    row = [(position, scale * p) for position, p in row]
                result.append(sorted(row, key=lambda entry: entry[0]))
        return result

    @cached_property
    def alpha(self) -> Exact:
        """α as a Fraction, or as a function."""
        return self.scalars.exactly(self.exact_alpha)

    @cached_property
    def at_one(self) -> bool:
        """Whether α = 1."""
        return not self.exact_alpha > 1

    @cached_property
    def float_alpha(self) -> float:
        """α for the float guide, clamped where floats end: nothing that the guide decides rests on such an α."""
        return self.scalars.nearest(self.exact_alpha)

    @cached_property
    def tables(self) -> PairTables:
        """The rows and the labels in arrays."""
        number: dict[V, int] = {}
        place: dict[int, int] = {}  # of a number by where it lies in memory: most are one object, and slow to hash
        floats: list[tuple[float, float]] = []
        raised: list[tuple[float, float]] = []
        indptr, target, value_id = [0], [], []
        for row in self.rows:
            spend(20 * len(row))
            for position, p in row:
                if id(p) not in place:
                    if p not in number:
                        number[p] = len(number)
                        floats.append(self.scalars.two_floats(p))
                        raised.append(self.scalars.two_floats(self.exact_alpha * p))
                    place[id(p)] = number[p]
                target.append(position)
                value_id.append(place[id(p)])
            indptr.append(len(target))
        tie = np.full(len(number), -1, np.int64)
        # Whether x_i = α·y_i is decided by this table: a tie is common, and floats would make it a source or a sink.
        for p, i in number.items():
            tie[i] = number.get(p / self.exact_alpha, -1)
        ids = np.array(value_id, np.int64)
        probability, product = (np.array(values).reshape(-1, 2)[ids] for values in (floats, raised))
        ends = np.array(indptr, np.int64), np.array(target, np.int64)
        labels = self.first, self.size, self.offset, self.block
        return PairTables(*ends, probability, product, ids, tie, *labels, self.float_alpha)

    @cached_property
    def kernel_rows(self) -> PairRows:
        """The same as kernels see them."""
        return PairRows(self.tables)
