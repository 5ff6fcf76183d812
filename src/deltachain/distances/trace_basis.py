"""Trace equivalence: a space of vectors that sees everything a word can tell (docs/theory/beliefs.md).

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
from functools import cached_property

from flint import fmpq, fmpq_mat

from ..cancel import spend
from ..model import Chain
from ..numbers.flint import to_fraction

Masses = tuple[tuple[int, int], ...]
Vector = list[fmpq]
PRIME = 2**61 - 1


@dataclass(frozen=True)
class TraceBasis:
    """Integer columns O, the coordinates of the all-one vector, and those of P·1_a·O_k for each label a."""

    columns: tuple[tuple[int, ...], ...]
    one: tuple[Fraction, ...]
    step: dict[str, tuple[tuple[Fraction, ...], ...]]

    @cached_property
    def entries(self) -> list[list[tuple[int, int]]]:
        """Row by row, the columns that are not 0 there, with their entries: most columns speak of one label."""
        return [[(k, entry) for k, entry in enumerate(row) if entry] for row in zip(*self.columns, strict=True)]

    def coordinates(self, masses: Masses) -> list[int]:
        """x·O."""
        found = [0] * len(self.columns)
        for state, mass in masses:
            for k, entry in self.entries[state]:
                found[k] += mass * entry
        return found

    def unseen(self, chain: Chain, names: Sequence[str]) -> list[list[list[str]]]:
        """Vectors of states of one label with x·O = 0, which span all such; each has a first state of its own."""
        found = []
        for label in chain.alphabet:
            inside = [i for i, other in enumerate(chain.labels) if other == label]
            rows = fmpq_mat(len(self.columns), len(inside), [column[i] for column in self.columns for i in inside])
            spend(5 * len(self.columns) ** 2 * len(inside))
            echelon, rank = rows.rref()
            pivots = [next(k for k in range(len(inside)) if echelon[row, k]) for row in range(rank)]
            for k in sorted({*range(len(inside))} - {*pivots}):
                vector = [(k, fmpq(1)), *((pivot, -echelon[row, k]) for row, pivot in enumerate(pivots))]
                found.append([[names[inside[i]], str(x)] for i, x in vector if x])
        return found


def least_rank(chain: Chain) -> int:
    """A lower bound of the dimension of O, and almost surely it: the dimension modulo a prime, with short numbers.

    If it is the number of states, O is the whole space and nothing merges.
    """
    # No residue then; 1 is always a bound.
    if any(p.denominator % PRIME == 0 for row in chain.rows for _, p in row):
        return 1
    rows = [[(j, p.numerator * pow(p.denominator, -1, PRIME) % PRIME) for j, p in row] for row in chain.rows]
    reduced: dict[int, list[int]] = {}
    stack = [[1] * len(chain)]
    while stack and len(reduced) < len(chain):
        pivot = _reduced_into(reduced, stack.pop())
        if pivot >= 0:
            # The span is closed if the images of its reduced rows are in it: they span it too.
            for a in chain.alphabet:
                spend(2 * chain.transitions)
                inside = [value if label == a else 0 for value, label in zip(reduced[pivot], chain.labels, strict=True)]
                stack.append([sum(p * inside[j] for j, p in row) % PRIME for row in rows])
    return len(reduced)


def trace_basis(chain: Chain) -> TraceBasis:
    """The basis of the chain's trace space, by exact elimination: O(r²·n·|labels|) operations, r its dimension."""
    rows = [[(j, fmpq(p.numerator, p.denominator)) for j, p in row] for row in chain.rows]
    one: Vector = [fmpq(1)] * len(chain)
    columns: list[list[int]] = []
    reduced: dict[int, Vector] = {}
    images: list[tuple[str, Vector]] = []
    _keep(columns, reduced, one)
    for column in columns:  # which grows meanwhile
        for label in chain.alphabet:
            spend(5 * chain.transitions)
            image = [sum((p * column[j] for j, p in row if chain.labels[j] == label), fmpq(0)) for row in rows]
            images.append((label, image))
            _keep(columns, reduced, image)
    # A vector of the span is known by its entries at the pivots, and so are its coordinates.
    rank = range(len(columns))
    inverse = fmpq_mat(len(columns), len(columns), [column[pivot] for pivot in reduced for column in columns]).inv()

    def coordinates(vector: Vector) -> tuple[Fraction, ...]:
        at = [(c, vector[pivot]) for c, pivot in enumerate(reduced) if vector[pivot]]
        return tuple(to_fraction(sum((inverse[k, c] * value for c, value in at), fmpq(0))) for k in rank)

    step = {a: tuple(coordinates(image) for label, image in images if label == a) for a in chain.alphabet}
    return TraceBasis(tuple(map(tuple, columns)), coordinates(one), step)


def _keep(columns: list[list[int]], reduced: dict[int, Vector], vector: Vector) -> None:
    """Keep the vector, scaled to integers, as a new column unless it is in the span of the reduced rows."""
    rest = vector
    for pivot, row in reduced.items():
        if factor := rest[pivot]:
            spend(5 * len(rest))
            rest = [a - factor * b if b else a for a, b in zip(rest, row, strict=True)]
    pivot = next((i for i, value in enumerate(rest) if value), -1)
    if pivot >= 0:
        head = rest[pivot]
        reduced[pivot] = [value / head for value in rest]
        # The vector itself, not what is left of it: it spans the same, and its numbers are shorter.
        scale = math.lcm(*(int(value.q) for value in vector))
        column = [int(value.p) * (scale // int(value.q)) for value in vector]
        common = math.gcd(*column)
        columns.append([value // common for value in column])


def spanning_words(chain: Chain, states: Sequence[int], most: int) -> list[tuple[tuple[str, int], dict[int, fmpq]]]:
    """Words with independent probabilities from a closed set of states, shortest first: at most ``most``.

    With enough room they span its trace space. Each comes as (first letter, number of the word that is left without it)
    and the probability, from each state, that the next letters are the word. Word 0 is empty, its letter means nothing.
    Independence is decided modulo a prime, with short numbers: a word that seems dependent is left out.
    """
    rows = [[(j, fmpq(p.numerator, p.denominator)) for j, p in chain.rows[i]] for i in states]
    one = dict.fromkeys(states, fmpq(1))
    found = [(("", 0), one)]
    reduced: dict[int, list[int]] = {}
    _reduced_into(reduced, [1] * len(states))
    alphabet = sorted({chain.labels[i] for i in states})
    for k, (_, vector) in enumerate(found):
        for label in alphabet:
            if len(found) >= most:
                return found
            image = [sum((p * vector[j] for j, p in row if chain.labels[j] == label), fmpq(0)) for row in rows]
            if any(int(value.q) % PRIME == 0 for value in image):
                continue
            residues = [int(value.p) * pow(int(value.q), -1, PRIME) % PRIME for value in image]
            if _reduced_into(reduced, residues) >= 0:
                found.append(((label, k), dict(zip(states, image, strict=True))))
    return found


def _reduced_into(reduced: dict[int, list[int]], vector: list[int]) -> int:
    """Add what is left of the vector, modulo the prime, to the reduced rows; its pivot, −1 if nothing is left."""
    for pivot, row in reduced.items():
        if factor := vector[pivot]:
            spend(2 * len(vector))
            vector = [(a - factor * b) % PRIME for a, b in zip(vector, row, strict=True)]
    pivot = next((i for i, value in enumerate(vector) if value), -1)
    if pivot >= 0:
        inverse = pow(vector[pivot], -1, PRIME)
        reduced[pivot] = [value * inverse % PRIME for value in vector]
    return pivot
