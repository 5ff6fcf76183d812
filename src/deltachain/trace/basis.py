"""Trace equivalence: a space of vectors that sees everything a word can tell (THEORY: merging up to trace equivalence).

Let O be the smallest space of column vectors that contains the all-one vector and is closed under v ↦ P·1_a·v for
every label a (P the transition matrix, 1_a the restriction to states of label a). The probability of a word after a
belief x is x·v for some v in O, so beliefs with equal coordinates x·O have equal trace measures (Paz, Tzeng). Its
dimension is at most the number of states; where it is less, beliefs merge that no bisimulation merges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..chain import Chain

__all__ = ["TraceBasis", "trace_basis"]

Masses = tuple[tuple[int, int], ...]
Vector = list[Fraction]


@dataclass(frozen=True)
class TraceBasis:
    """Integer columns O, the coordinates of the all-one vector, and those of P·1_a·O_k for each label a."""

    columns: tuple[tuple[int, ...], ...]
    one: tuple[Fraction, ...]
    step: dict[str, tuple[tuple[Fraction, ...], ...]]

    def coordinates(self, masses: Masses) -> list[int]:
        """x·O."""
        return [sum(mass * column[state] for state, mass in masses) for column in self.columns]

    def key(self, x: Masses, y: Masses) -> tuple[tuple[int, ...], ...]:
        """The coordinates of both beliefs without their common factor: equal for beliefs that no word tells apart."""
        both = self.coordinates(x), self.coordinates(y)
        factor = math.gcd(*both[0], *both[1])
        return tuple(tuple(value // factor for value in part) for part in both)

    def proportional(self, x: Masses, y: Masses, mass_x: int, mass_y: int) -> bool:
        """Whether the two beliefs have proportional trace measures."""
        pairs = zip(self.coordinates(x), self.coordinates(y), strict=True)
        return all(a * mass_y == b * mass_x for a, b in pairs)


def trace_basis(chain: Chain) -> TraceBasis:
    """The basis of the chain's trace space, by exact elimination: O(r²·n·|labels|) operations, r its dimension."""
    reducer = _Reducer(len(chain))
    one: Vector = [Fraction(1)] * len(chain)
    reducer.add(one)
    images: list[tuple[int, str, Vector]] = []
    done = 0
    while done < len(reducer.columns):
        column = reducer.columns[done]
        for label in chain.alphabet:
            image = [
                sum((p * column[j] for j, p in row if chain.labels[j] == label), Fraction(0)) for row in chain.rows
            ]
            images.append((done, label, image))
            reducer.add(image)
        done += 1
    step: dict[str, list[tuple[Fraction, ...]]] = {label: [] for label in chain.alphabet}
    for _, label, image in images:
        step[label].append(tuple(reducer.coordinates(image)))
    columns = tuple(tuple(column) for column in reducer.columns)
    return TraceBasis(columns, tuple(reducer.coordinates(one)), {a: tuple(rows) for a, rows in step.items()})


class _Reducer:
    """Gaussian elimination that remembers how each reduced row is made of the columns that were kept."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.columns: list[list[int]] = []
        self._reduced: list[tuple[int, Vector, dict[int, Fraction]]] = []
        """(pivot, row with a 1 at the pivot, its coordinates)."""

    def _reduce(self, vector: Sequence[Fraction | int]) -> tuple[Vector, dict[int, Fraction]]:
        rest = [Fraction(value) for value in vector]
        used: dict[int, Fraction] = {}
        for pivot, row, made_of in self._reduced:
            factor = rest[pivot]
            if factor:
                rest = [a - factor * b if b else a for a, b in zip(rest, row, strict=True)]
                for k, value in made_of.items():
                    used[k] = used.get(k, Fraction(0)) + factor * value
        return rest, used

    def add(self, vector: Vector) -> None:
        """Keep the vector (scaled to integers) as a new column unless it is in the span."""
        rest, _ = self._reduce(vector)
        if not any(rest):
            return
        scale = math.lcm(*(value.denominator for value in vector))
        column = [int(value * scale) for value in vector]
        factor = math.gcd(*column)
        column = [value // factor for value in column]
        rest, used = self._reduce(column)
        pivot = next(i for i, value in enumerate(rest) if value)
        head = rest[pivot]
        made_of = {k: -value / head for k, value in used.items()}
        made_of[len(self.columns)] = 1 / head
        self._reduced.append((pivot, [value / head for value in rest], made_of))
        self.columns.append(column)

    def coordinates(self, vector: Sequence[Fraction | int]) -> list[Fraction]:
        """The coordinates of a vector of the span in the kept columns."""
        _, used = self._reduce(vector)
        return [used.get(k, Fraction(0)) for k in range(len(self.columns))]
